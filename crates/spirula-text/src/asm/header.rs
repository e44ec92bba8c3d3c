//! Hints in the comments at the start of the text, as disassemblers write them.

use spirula_grammar::Version;

/// What the comments say.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct Hints {
    pub(super) version: Option<Version>,
    /// Generator's word; said by number only (`; Generator: Unknown(12); 5` or `; Generator: 0x000c0005`).
    pub(super) generator: Option<u32>,
    pub(super) bound: Option<u32>,
    pub(super) schema: Option<u32>,
}

/// Reads the comments before the first instruction.
pub(super) fn hints(text: &[u8]) -> Hints {
    let mut hints = Hints::default();
    for line in text.split(|b| *b == b'\n') {
        let line = line.trim_ascii();
        let [b';', comment @ ..] = line else {
            if line.is_empty() {
                continue;
            }
            break;
        };
        let Some(at) = comment.iter().position(|b| *b == b':') else { continue };
        let (key, value) = comment.split_at(at);
        let Ok(value) = core::str::from_utf8(value.get(1..).unwrap_or(&[])) else { continue };
        let value = value.trim();
        match key.trim_ascii() {
            b"Version" => hints.version = hints.version.or_else(|| version(value)),
            b"Generator" => hints.generator = hints.generator.or_else(|| generator(value)),
            b"Bound" => hints.bound = hints.bound.or_else(|| value.parse().ok()),
            b"Schema" => hints.schema = hints.schema.or_else(|| value.parse().ok()),
            _ => {}
        }
    }
    hints
}

fn version(text: &str) -> Option<Version> {
    let (major, minor) = text.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? })
}

fn generator(text: &str) -> Option<u32> {
    if let Some(word) = text.strip_prefix("0x") {
        return u32::from_str_radix(word, 16).ok();
    }
    let (tool, version) = text.rsplit_once(';')?;
    let version: u16 = version.trim().parse().ok()?;
    let tool = tool.trim();
    let tool = tool.strip_prefix("Unknown(").and_then(|t| t.strip_suffix(')'))?;
    let tool: u16 = tool.trim().parse().ok()?;
    Some(u32::from(tool) << 16 | u32::from(version))
}
