//! What is shown: one finding with everything that was looked up for it.

use serde::Serialize;
use spirula_diag::{Cite, Diagnostic, Rule, Severity};

use crate::AsmError;

/// One finding, with all that a reader can use. Its serialised form is one line of the JSON output, and its field names
/// are stable.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Finding {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// Name of the rule that is broken.
    pub rule: String,
    /// The rule itself, with its user page.
    #[serde(skip)]
    pub page: Option<&'static Rule>,
    /// Group of the rule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<&'static str>,
    /// Where the rule comes from, for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cite: Option<String>,
    /// The rule's valid-usage id in the Vulkan specification, where that is its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vuid: Option<&'static str>,
    /// What is wrong.
    pub message: String,
    /// The input's name.
    pub file: String,
    /// Where in the input.
    #[serde(flatten)]
    pub place: Place,
    /// Ids that the message speaks of, with their names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ids: Vec<IdName>,
    /// Names of the entry points whose call graph contains the place.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub entry_points: Vec<String>,
    /// Further places.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
    /// What the author can do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
}

/// A place in an input: in its words, in its text, in the shader that it was compiled from; as far as they are known.
#[derive(Clone, PartialEq, Debug, Default, Serialize)]
pub struct Place {
    /// Offset of the instruction in words from the start of the module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub word: Option<u32>,
    /// Offset in bytes of the place in the binary module (for assembly that cannot be read: in the text).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub byte: Option<u64>,
    /// Which word of the instruction is meant, counted from its first; absent where the whole instruction is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operand: Option<u16>,
    /// Ordinal of the instruction in the module, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction: Option<u32>,
    /// The instruction's assembly: the input's own line, or the disassembler's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asm: Option<String>,
    /// Byte range of the guilty part in `asm`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asm_span: Option<(usize, usize)>,
    /// Line of the input's text, from 1; absent for binaries.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Column in bytes in that line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<u32>,
    /// Where it comes from in the shader's source, if the module carries debug lines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<SourcePlace>,
}

/// A place in the source that a module was compiled from.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct SourcePlace {
    /// File name as the module gives it.
    pub file: String,
    /// First line, from 1.
    pub line: u32,
    /// First column; 0 where it is unknown.
    pub column: u32,
    /// Last line.
    pub end_line: u32,
    /// Last column; 0 where it is unknown.
    pub end_column: u32,
    /// The first line's text, where the module embeds its source.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// An id and its name.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct IdName {
    /// The id.
    pub id: u32,
    /// Its name, with the `%`.
    pub name: String,
}

/// A further place that helps to understand a finding; general advice where it has no place.
#[derive(Clone, PartialEq, Debug, Serialize)]
pub struct Related {
    /// What there is to see.
    pub message: String,
    /// The input's name, where it is another than the finding's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Where.
    #[serde(flatten)]
    pub place: Place,
}

impl Finding {
    /// A finding about an input as a whole, or about one of its bytes.
    pub fn of_input(file: &str, rule: &str, message: String, byte: Option<u64>) -> Finding {
        Finding {
            severity: "error",
            rule: rule.to_owned(),
            page: None,
            group: None,
            cite: None,
            vuid: None,
            message,
            file: file.to_owned(),
            place: Place { byte, ..Place::default() },
            ids: Vec::new(),
            entry_points: Vec::new(),
            related: Vec::new(),
            help: None,
        }
    }

    /// A finding of the assembler in `text`.
    pub fn of_text(file: &str, text: &[u8], error: &AsmError) -> Finding {
        let line = text.split(|b| *b == b'\n').nth(error.line.saturating_sub(1) as usize).unwrap_or(&[]);
        let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line)).into_owned();
        let start = (error.column.saturating_sub(1) as usize).min(line.len());
        let end = start.saturating_add(error.span.len().max(1)).min(line.len()).max(start);
        let place = Place {
            byte: Some(error.span.start as u64),
            asm: Some(line),
            asm_span: Some((start, end)),
            line: Some(error.line),
            column: Some(error.column),
            ..Place::default()
        };
        let mut found = Finding::of_input(file, "assembly", error.message.clone(), None);
        found.place = place;
        found.help = error.help.clone();
        found
    }

    /// The finding with what another input has to do with it: its message follows, and its place is related.
    #[must_use]
    pub fn against(mut self, other: Finding) -> Finding {
        self.message = format!("{}; in {} {}", self.message, other.file, other.message);
        let (message, place) = (other.message, other.place);
        self.related.insert(0, Related { message, file: Some(other.file), place });
        self
    }

    /// A finding with what the diagnostic itself says; places and names are still to be looked up.
    pub(super) fn bare(file: &str, d: &Diagnostic) -> Finding {
        let mut found = Finding::of_input(file, d.rule.name, d.message.clone(), None);
        found.severity = severity(d.severity);
        found.page = Some(d.rule);
        found.group = Some(d.rule.group);
        found.cite = Some(d.rule.cite.to_string());
        found.vuid = vuid(d.rule);
        found.help = d.help.clone();
        found
    }
}

fn severity(s: Severity) -> &'static str {
    match s {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Allow => "note",
    }
}

fn vuid(rule: &'static Rule) -> Option<&'static str> {
    match rule.cite {
        Cite::Vuid(v) => Some(v),
        _ => None,
    }
}
