//! Lines of assembly and the operands in them.

use std::ops::Range;

use spirula_binary::{Context, Inst, Operands};

/// Byte ranges of the tokens of one instruction's text, in order: `%r`, `=`, `OpFoo`, operands. Strings are one token.
/// Stops at a comment.
pub(super) fn tokens(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let mut found = Vec::new();
    let mut i = 0;
    while let Some(&b) = bytes.get(i) {
        if b == b';' {
            break;
        }
        if b.is_ascii_whitespace() {
            i += 1;
            continue;
        }
        let start = i;
        let mut quoted = false;
        while let Some(&b) = bytes.get(i) {
            match b {
                b'"' => quoted = !quoted,
                b'\\' if quoted => i += 1,
                b';' if !quoted => break,
                _ if b.is_ascii_whitespace() && !quoted => break,
                _ => {}
            }
            i += 1;
        }
        i = i.min(bytes.len());
        found.push(start..i);
    }
    found
}

/// Where operand `n` of `inst` stands in its text, where `n` counts the operands in the order of their words; the whole
/// instruction where that cannot be told.
///
/// The text of an instruction has one token per operand in the order of the words, save that the result id comes first.
pub(super) fn operand_span(inst: Inst<'_>, line: &str, n: Option<usize>) -> Range<usize> {
    let tokens = tokens(line);
    let whole = match (tokens.first(), tokens.last()) {
        (Some(first), Some(last)) => first.start..last.end,
        _ => 0..line.len(),
    };
    let Some(n) = n else { return whole };
    let assigned = tokens.get(1).is_some_and(|t| line.get(t.clone()) == Some("="));
    let result = inst.desc().filter(|d| d.has_result()).map(|d| usize::from(d.has_result_type()));
    let token = match (assigned, result) {
        (true, Some(at)) if n == at => Some(0),
        (true, Some(at)) if n > at => Some(n - 1 + 3),
        (true, _) => Some(n + 3),
        (false, _) => Some(n + 1),
    };
    token.and_then(|t| tokens.get(t).cloned()).unwrap_or(whole)
}

/// How many operands begin before word `at` of `inst`.
pub(super) fn operands_before(inst: Inst<'_>, at: u16, context: &dyn Context) -> usize {
    let mut before = 0;
    for operand in Operands::new(inst, context) {
        match operand {
            Ok(o) if o.at as usize + o.words.len() <= usize::from(at) => before += 1,
            _ => break,
        }
    }
    before
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments() {
        let line = r#"   %1 = OpString "a \" ; b" ; tail"#;
        let texts: Vec<&str> = tokens(line).into_iter().map(|r| &line[r]).collect();
        assert_eq!(texts, ["%1", "=", "OpString", r#""a \" ; b""#]);
    }
}
