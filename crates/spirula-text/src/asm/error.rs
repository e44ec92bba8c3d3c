//! Reporting: errors, and names that were perhaps meant.

use spirula_binary::{Number, NumberKind};
use spirula_grammar::{ExtSet, Op, OperandKind, allowed_in_spec_constant_op};

use super::AsmError;
use super::encode::Assembler;
use super::lex::Mark;
use crate::number::parse::NumberError;

/// The error is already reported.
pub(super) struct Failed;

pub(super) type Done<T = ()> = Result<T, Failed>;

/// After so many errors the text is hardly meant to be assembled.
pub(super) const MAX_ERRORS: usize = 1000;

/// Suggestions look through whole name tables; the first errors get them.
const MAX_SUGGESTIONS: usize = 50;

impl<'t> Assembler<'t> {
    /// Reports an error about the token at `mark`, the last one read.
    #[cold]
    pub(super) fn fail(&mut self, mark: Mark, message: String, help: Option<String>) -> Failed {
        let end = self.lex.end().max(mark.start);
        self.fail_at(mark, end, message, help)
    }

    #[cold]
    pub(super) fn fail_at(&mut self, mark: Mark, end: usize, message: String, help: Option<String>) -> Failed {
        let Mark { start } = mark;
        let (line, column) = (self.lines.line(start), self.lines.column(start));
        self.error_at = start;
        if self.errors.len() < MAX_ERRORS {
            self.errors.push(AsmError { line, column, span: start..end, message, help });
        }
        Failed
    }

    /// A name close to `word` among `names`, as help.
    #[cold]
    pub(super) fn nearest(&self, word: &[u8], names: impl Iterator<Item = &'static str>) -> Option<String> {
        if self.errors.len() >= MAX_SUGGESTIONS || self.lex.is_cut() {
            return None;
        }
        suggest(word, names).map(|name| format!("did you mean `{name}`?"))
    }

    #[cold]
    pub(super) fn unknown_opcode(&mut self, mark: Mark, word: &[u8]) -> Failed {
        let help = self
            .nearest(word.strip_prefix(b"Op").unwrap_or(word), Op::names().map(|n| n.0))
            .map(|h| h.replacen('`', "`Op", 1));
        self.fail(mark, format!("there is no instruction {}", shown(word)), help)
    }

    #[cold]
    pub(super) fn unknown_enumerant(&mut self, mark: Mark, kind: OperandKind, word: &[u8]) -> Failed {
        let help = if word.first().is_some_and(u8::is_ascii_digit) && crate::number::parse::u32(word).is_ok() {
            Some(format!("a value is written by name, or as the raw word `!{}`", String::from_utf8_lossy(word)))
        } else {
            self.nearest(word, kind.names().map(|n| n.0))
        };
        self.fail(mark, format!("{} is not a value of {}", shown(word), kind.name()), help)
    }

    #[cold]
    pub(super) fn unknown_ext_inst(&mut self, mark: Mark, set: ExtSet, word: &[u8]) -> Failed {
        let help = self.nearest(word, set.instructions().iter().map(|i| i.name()));
        self.fail(mark, format!("{} has no instruction {}", set.name(), shown(word)), help)
    }

    #[cold]
    pub(super) fn unknown_spec_op(&mut self, mark: Mark, word: &[u8]) -> Failed {
        let names = Op::names().filter(|(_, op)| allowed_in_spec_constant_op(*op)).map(|n| n.0);
        let help = self.nearest(word, names);
        self.fail(mark, format!("OpSpecConstantOp cannot apply {}", shown(word)), help)
    }

    #[cold]
    pub(super) fn bad_number(&mut self, mark: Mark, word: &[u8], number: Number, error: NumberError) -> Failed {
        let ty = type_name(number);
        let word = shown(word);
        let (message, help) = match error {
            NumberError::Malformed => (format!("{word} is not a literal of a {ty}"), None),
            NumberError::Negative => (format!("{word} is negative, but the literal is one of a {ty}"), None),
            NumberError::OutOfRange => (format!("{word} is out of range for a {ty}"), None),
            NumberError::Unsupported => (
                format!("a literal of a {ty} cannot be written as a number"),
                Some("write its words raw, as in `!0x3f800000`".to_owned()),
            ),
        };
        self.fail(mark, message, help)
    }
}

fn type_name(number: Number) -> String {
    let width = number.width;
    match number.kind {
        NumberKind::Unsigned => format!("{width}-bit unsigned integer"),
        NumberKind::Signed => format!("{width}-bit signed integer"),
        NumberKind::Float => format!("{width}-bit float"),
        NumberKind::Encoded(e) => match OperandKind::FPEncoding.enumerant(e.0) {
            Some(e) => format!("float in encoding {}", e.name()),
            None => format!("float in encoding {}", e.0),
        },
    }
}

/// A token for a message, shortened where it is long.
pub(super) fn shown(word: &[u8]) -> String {
    const MOST: usize = 60;
    let text = String::from_utf8_lossy(word.get(..MOST).unwrap_or(word));
    let text = text.lines().next().unwrap_or("");
    let dots = if word.len() > text.len() { "…" } else { "" };
    format!("`{text}{dots}`")
}

/// The name nearest to `word`, where one is near enough.
fn suggest(word: &[u8], names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    if word.is_empty() || word.len() > 64 {
        return None;
    }
    let most = (word.len() / 3).clamp(1, 3);
    let mut best = None;
    for name in names {
        if name.len().abs_diff(word.len()) > most.max(4) {
            continue;
        }
        // A missing vendor suffix is the commonest slip.
        let far = if name.as_bytes().eq_ignore_ascii_case(word) {
            0
        } else if is_suffixed(name.as_bytes(), word) || is_suffixed(word, name.as_bytes()) {
            1
        } else {
            distance(word, name.as_bytes())
        };
        if far <= most && best.is_none_or(|(b, _)| far < b) {
            best = Some((far, name));
        }
    }
    best.map(|b| b.1)
}

/// Whether `long` is `short` with a vendor suffix.
fn is_suffixed(long: &[u8], short: &[u8]) -> bool {
    short.len() > 2
        && long.strip_prefix(short).is_some_and(|s| (2..=6).contains(&s.len()) && s.iter().all(u8::is_ascii_uppercase))
}

/// Levenshtein distance.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row = [0usize; 80];
    let Some(row) = row.get_mut(..=b.len()) else { return usize::MAX };
    for (i, r) in row.iter_mut().enumerate() {
        *r = i;
    }
    for (i, x) in a.iter().enumerate() {
        let (mut corner, mut left) = (i, i + 1);
        for (cell, y) in row.iter_mut().skip(1).zip(b) {
            left = (corner + usize::from(x != y)).min(*cell + 1).min(left + 1);
            corner = core::mem::replace(cell, left);
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(usize::MAX)
}
