//! Marks: what a line is expected to be told.

/// One expectation: `; error[rule]: text`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mark {
    /// `error` or `warning`.
    pub(crate) severity: String,
    /// The rule's name; empty for the assembler's errors, which have none.
    pub(crate) rule: String,
    /// Part of the message, perhaps empty.
    pub(crate) text: String,
    /// The line, from 0.
    pub(crate) line: usize,
    /// Whether nothing but the mark stands in the line.
    pub(crate) alone: bool,
}

/// Code and comment of a line: what is before the first `;` outside of strings, and what is behind it.
pub(crate) fn comment_of(line: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let mut escaped = false;
    for (i, c) in line.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ';' if !quoted => return Some((line.get(..i)?, line.get(i + 1..)?)),
            _ => {}
        }
    }
    None
}

/// The marks of some lines, of which the first has number `from`.
pub(crate) fn marks(lines: &[String], from: usize) -> Vec<Mark> {
    let mut found = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let Some((code, comment)) = comment_of(line) else { continue };
        let starts = starts(comment);
        for (n, start) in starts.iter().enumerate() {
            let end = starts.get(n + 1).copied().unwrap_or(comment.len());
            let part = comment.get(*start..end).unwrap_or("").trim_end_matches([';', ' ']);
            if let Some((severity, rule, text)) = split(part) {
                found.push(Mark { severity, rule, text, line: from + i, alone: code.trim().is_empty() });
            }
        }
    }
    found
}

/// Where marks begin in a comment: words `error` and `warning` that `[` or `:` follows, at the start or behind a `;`.
fn starts(comment: &str) -> Vec<usize> {
    let mut found = Vec::new();
    for word in ["error", "warning"] {
        for (at, _) in comment.match_indices(word) {
            let before = comment.get(..at).unwrap_or("").trim_end();
            let after = comment.get(at + word.len()..).unwrap_or("");
            if (before.is_empty() || before.ends_with(';')) && after.starts_with(['[', ':']) {
                found.push(at);
            }
        }
    }
    found.sort_unstable();
    found
}

fn split(mark: &str) -> Option<(String, String, String)> {
    let at = mark.find(['[', ':'])?;
    let (severity, rest) = mark.split_at(at);
    let (rule, rest) = match rest.strip_prefix('[') {
        Some(rest) => rest.split_once(']')?,
        None => ("", rest),
    };
    let text = rest.trim_start().strip_prefix(':').unwrap_or("").trim();
    Some((severity.to_owned(), rule.to_owned(), text.to_owned()))
}

impl Mark {
    /// As it is written.
    pub(crate) fn show(&self) -> String {
        let rule = if self.rule.is_empty() { String::new() } else { format!("[{}]", self.rule) };
        let text = if self.text.is_empty() { String::new() } else { format!(": {}", self.text) };
        format!("{}{rule}{text}", self.severity)
    }
}

/// What was found, to be compared with marks.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// `error` or `warning`.
    pub(crate) severity: String,
    /// The rule's name; empty for the assembler's errors.
    pub(crate) rule: String,
    /// The message.
    pub(crate) message: String,
    /// The line, from 0; none for the header and for lines of a prelude.
    pub(crate) line: Option<usize>,
    /// What else is known of the place, where there is no line.
    pub(crate) place: String,
}

impl Found {
    fn matches(&self, mark: &Mark) -> bool {
        let place = self.line == Some(mark.line) || (self.line.is_none() && mark.alone);
        place && self.severity == mark.severity && self.rule == mark.rule && self.message.contains(&mark.text)
    }

    fn mark(&self) -> String {
        let rule = if self.rule.is_empty() { String::new() } else { format!("[{}]", self.rule) };
        format!("{}{rule}: {}", self.severity, self.message)
    }
}

/// Pairs marks with findings. What is left over are marks that nothing matches and findings that nobody expects.
pub(crate) fn pair(marks: Vec<Mark>, found: Vec<Found>) -> (Vec<Mark>, Vec<Found>) {
    // Marks with the longest text first, so that a general one does not take what a special one wants.
    let mut marks = marks;
    marks.sort_by_key(|m| (m.line, usize::MAX - m.text.len()));
    let mut left = found;
    let missing = marks
        .into_iter()
        .filter(|m| match left.iter().position(|f| f.matches(m)) {
            Some(i) => {
                left.remove(i);
                false
            }
            None => true,
        })
        .collect();
    (missing, left)
}

/// Lines with the marks that are missing in them: a mark whose text alone is wrong gets the right text, and what nobody
/// expects gets a mark. `directives` is where marks without a line go.
pub(crate) fn bless(lines: &[String], directives: usize, missing: &mut Vec<Mark>, left: Vec<Found>) -> Vec<String> {
    let mut lines = lines.to_vec();
    let mut loose = Vec::new();
    for f in left {
        let new = f.mark();
        let stale = missing.iter().position(|m| {
            (f.line == Some(m.line) || f.line.is_none() && m.alone) && m.rule == f.rule && m.severity == f.severity
        });
        if let Some(old) = stale.map(|i| missing.remove(i)) {
            if let Some(line) = lines.get_mut(old.line) {
                *line = line.replacen(&old.show(), &new, 1);
            }
        } else if let Some(line) = f.line.and_then(|l| lines.get_mut(l)) {
            *line = format!("{} ; {new}", line.trim_end());
        } else {
            loose.push(format!("; {new}"));
        }
    }
    lines.splice(directives..directives, loose);
    lines
}

/// What to say about left-overs; nothing where there are none.
pub(crate) fn judge(missing: &[Mark], left: &[Found]) -> Result<(), String> {
    if missing.is_empty() && left.is_empty() {
        return Ok(());
    }
    let mut text = String::new();
    for m in missing {
        text.push_str(&format!("  line {}: expected, but not found: {}\n", m.line + 1, m.show()));
    }
    for f in left {
        let place = f.line.map_or_else(|| f.place.clone(), |l| format!("line {}", l + 1));
        text.push_str(&format!("  {place}: found, but not expected: {}\n", f.mark()));
    }
    Err(text + "(BLESS=1 adds marks for what is found)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_marks_in_a_line() {
        let lines =
            ["%a = OpFoo \"; error[x]\" ; error[b-c]: text: more ; warning[d]".to_owned(), "; error: t".to_owned()];
        let found: Vec<String> = marks(&lines, 0).iter().map(Mark::show).collect();
        assert_eq!(found, ["error[b-c]: text: more", "warning[d]", "error: t"]);
        assert!(marks(&lines, 0).iter().map(|m| m.alone).eq([false, false, true]));
    }

    #[test]
    fn words_of_a_comment_are_no_marks() {
        assert!(marks(&["; an error: none".to_owned(), "; errors[0]".to_owned()], 0).is_empty());
    }
}
