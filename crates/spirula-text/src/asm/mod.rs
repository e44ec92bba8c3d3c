//! The assembler: text → words.

use spirula_grammar::Version;

/// How to assemble.
#[derive(Clone, Debug, Default)]
pub struct AsmOptions {
    /// Keep `%12` as id 12 instead of numbering ids in order of appearance.
    pub preserve_numeric_ids: bool,
    /// Version for the header; `None` takes the hint of a `; Version: 1.x` comment, else the newest.
    pub version: Option<Version>,
}

/// One thing wrong in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsmError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Byte range in the text.
    pub span: core::ops::Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that can be said.
    pub help: Option<String>,
}

/// Assembles a module.
///
/// # Errors
/// Everything that is wrong in the text, in order.
pub fn assemble(_text: &[u8], _options: &AsmOptions) -> Result<Vec<u32>, Vec<AsmError>> {
    Err(Vec::new())
}
