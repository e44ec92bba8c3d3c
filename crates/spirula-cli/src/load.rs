//! From an input's bytes to a module's words.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read as _;

use spirula_binary::{WordsError, words_from_bytes};
use spirula_grammar::MAGIC;
use spirula_text::render::{Finding, Origin};
use spirula_text::{AsmError, AsmOptions, assemble, assemble_from, assemble_with_map};

use crate::bytes::Bytes;
use crate::inputs::{Input, Source};

/// What an input's bytes are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Content {
    /// A binary module of either byte order.
    Binary,
    /// A module written in hexadecimal.
    Hex,
    /// Assembly.
    Text,
    /// None of these.
    Other,
}

/// For each instruction its first word and its line, in ascending order.
type Lines = Vec<(u32, u32)>;

/// A module.
#[derive(Debug)]
pub(crate) struct Loaded<'b> {
    pub(crate) words: Cow<'b, [u32]>,
    /// The text that it was assembled from, and where in it every instruction stands.
    text: Option<(&'b [u8], Lines)>,
}

impl Loaded<'_> {
    pub(crate) fn origin(&self) -> Option<Origin<'_>> {
        self.text.as_ref().map(|(text, lines)| Origin { text, lines })
    }
}

/// Why there is no module: what to say, and the exit code.
#[derive(Clone, Debug)]
pub(crate) struct Unloaded {
    pub(crate) findings: Vec<Finding>,
    pub(crate) code: u8,
}

impl Unloaded {
    fn invalid(finding: Finding) -> Unloaded {
        Unloaded { findings: vec![finding], code: crate::INVALID }
    }

    /// The program broke down over an input.
    pub(crate) fn internal(input: Option<&Input>, message: String) -> Unloaded {
        let name = input.map_or("", |i| &i.name);
        Unloaded { findings: vec![Finding::of_input(name, "internal", message, None)], code: crate::FAILED }
    }
}

/// Reads an input's bytes.
pub(crate) fn read(input: &Input) -> Result<Bytes, Unloaded> {
    let bytes = match &input.source {
        Source::File(path) => Bytes::of_file(path),
        Source::Stdin => {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).map(|_| Bytes::Some(bytes))
        }
        Source::Missing(finding, code) => return Err(Unloaded { findings: vec![(**finding).clone()], code: *code }),
    };
    bytes.map_err(|e| {
        let finding = Finding::of_input(&input.name, "io", format!("cannot read: {e}"), None);
        Unloaded { findings: vec![finding], code: crate::FAILED }
    })
}

/// Tells binary, hex and assembly apart.
pub fn sniff(name: &str, bytes: &[u8]) -> Content {
    let mut first = [0; 4];
    first.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let word = u32::from_le_bytes(first);
    if word == MAGIC || word == MAGIC.swap_bytes() {
        Content::Binary
    } else if crate::hex::looks_like_hex(bytes) {
        Content::Hex
    } else if name.ends_with(".spvasm") || looks_like_assembly(bytes) {
        Content::Text
    } else {
        Content::Other
    }
}

/// Whether the first thing that is no comment can begin an instruction.
fn looks_like_assembly(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut comments = false;
    for line in bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii_start) {
        match line {
            [] => {}
            [b';', ..] => comments = true,
            [b'%' | b'!', ..] | [b'O', b'p', b'A'..=b'Z', ..] => return true,
            _ => return false,
        }
    }
    comments
}

/// The module in `bytes`, whatever form it has.
pub(crate) fn module<'b>(name: &str, bytes: &'b [u8], options: &AsmOptions) -> Result<Loaded<'b>, Unloaded> {
    match sniff(name, bytes) {
        Content::Text => text(name, bytes, options),
        Content::Hex => {
            let binary = crate::hex::read_hex(bytes)
                .map_err(|(at, m)| Unloaded::invalid(Finding::of_input(name, "not-spirv", m, Some(at as u64))))?;
            let words = words(name, &binary)?;
            Ok(Loaded { words: Cow::Owned(words.into_owned()), text: None })
        }
        Content::Binary | Content::Other => Ok(Loaded { words: words(name, bytes)?, text: None }),
    }
}

/// The part of a binary module that is whole words, for those who take what there is; a warning where more follows.
pub(crate) fn whole_words<'b>(name: &str, bytes: &'b [u8]) -> (&'b [u8], Option<Finding>) {
    let more = bytes.len() % 4;
    if more == 0 || sniff(name, bytes) != Content::Binary {
        return (bytes, None);
    }
    let (whole, _) = bytes.split_at(bytes.len() - more);
    let text = match more {
        1 => "the last byte is no whole word, and left out".to_owned(),
        _ => format!("the last {more} bytes are no whole word, and left out"),
    };
    let finding = Finding::of_input(name, "odd-length", text, Some(whole.len() as u64));
    (whole, Some(Finding { severity: "warning", ..finding }))
}

/// Assembles, and keeps where in the text every instruction stands. The version of `options` is only for texts that do
/// not name one.
fn text<'b>(name: &str, bytes: &'b [u8], options: &AsmOptions) -> Result<Loaded<'b>, Unloaded> {
    let version = options.version.filter(|_| !names_version(bytes));
    let made = assemble_with_map(bytes, &AsmOptions { version, ..options.clone() })
        .map_err(|errors| unassembled(name, bytes, &errors))?;
    let lines = made.spots.iter().map(|s| (s.word, s.line)).collect();
    Ok(Loaded { words: Cow::Owned(made.words), text: Some((bytes, lines)) })
}

/// Whether one of the comments at the start is `; Version: 1.x`.
fn names_version(bytes: &[u8]) -> bool {
    let lines = bytes.split(|b| *b == b'\n').map(<[u8]>::trim_ascii);
    lines
        .take_while(|l| l.is_empty() || l.starts_with(b";"))
        .any(|l| l.strip_prefix(b";").is_some_and(|c| c.trim_ascii_start().starts_with(b"Version:")))
}

/// Assembles an input. A file is read piece by piece, and once more where something is wrong in it.
pub(crate) fn assembled_input(input: &Input, options: &AsmOptions) -> Result<Vec<u32>, Unloaded> {
    if let Source::File(path) = &input.source
        && let Ok(mut file) = File::open(path)
        && file.metadata().is_ok_and(|m| m.is_file())
        && let Ok(Some(words)) = assemble_from(&mut file, options)
    {
        return Ok(words);
    }
    read(input).and_then(|bytes| assemble(&bytes, options).map_err(|errors| unassembled(&input.name, &bytes, &errors)))
}

fn unassembled(name: &str, bytes: &[u8], errors: &[AsmError]) -> Unloaded {
    let findings = errors.iter().map(|e| Finding::of_text(name, bytes, e)).collect();
    Unloaded { findings, code: crate::INVALID }
}

fn words<'b>(name: &str, bytes: &'b [u8]) -> Result<Cow<'b, [u32]>, Unloaded> {
    words_from_bytes(bytes).map_err(|e| {
        let (rule, at) = match e {
            WordsError::Empty => ("empty-input", 0),
            WordsError::OddLength { len } => ("odd-length", len - len % 4),
            WordsError::NotSpirv { .. } => ("not-spirv", 0),
        };
        let message = match e {
            WordsError::NotSpirv { .. } => format!("not SPIR-V: {e}, and this is neither assembly nor hex"),
            _ => e.to_string(),
        };
        Unloaded::invalid(Finding::of_input(name, rule, message, Some(at as u64)))
    })
}
