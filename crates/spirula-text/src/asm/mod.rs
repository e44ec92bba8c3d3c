//! The assembler: text → words.
//!
//! One pass over the bytes, no recursion. [`lex`] cuts tokens, [`ids`] numbers the ids, [`encode`] walks the grammar's
//! operand shapes, [`operand`] writes single operands, [`raw`] holds what the grammar does not guide (`!` tokens and
//! `OpUnknown`). Every error is reported: after one, the next token that can start an instruction is looked for.

mod encode;
mod error;
mod ids;
mod lex;
mod lines;
mod opcodes;
mod operand;
mod raw;
mod record;
mod swar;
#[cfg(test)]
mod tests;
mod window;

use core::ops::Range;
use std::io;

use spirula_grammar::Version;

use self::encode::{Assembler, State};
use self::ids::Ids;
use crate::dis::header::HeaderHints;

/// Generator word that the Khronos SPIR-V Tools assembler writes (tool 7, version 0).
const KHRONOS_ASSEMBLER: u32 = 7 << 16;

/// How to assemble.
#[derive(Clone, Debug)]
pub struct AsmOptions {
    /// Keep `%12` as id 12 instead of numbering ids in order of appearance. Ids that are not numbers get the smallest
    /// free values.
    pub preserve_numeric_ids: bool,
    /// Version for the header; `None` takes the hint of a `; Version: 1.x` comment, else the newest.
    pub version: Option<Version>,
    /// Generator word for the header. The default is that of the Khronos SPIR-V Tools assembler, so that the same text
    /// gives the same words.
    pub generator: u32,
    /// Take the header from the comments that a disassembler puts at the start (`; Bound: 12`), as far as they say it
    /// and `version` does not, so that a module comes back as it was.
    pub keep_header: bool,
    /// Accept the few instructions that `version` lacks and that no capability or extension brings (`OpPtrEqual` before
    /// 1.4), for a validator to judge.
    pub any_version: bool,
}

impl Default for AsmOptions {
    fn default() -> AsmOptions {
        AsmOptions {
            preserve_numeric_ids: false,
            version: None,
            generator: KHRONOS_ASSEMBLER,
            keep_header: false,
            any_version: false,
        }
    }
}

/// One thing wrong in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AsmError {
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1.
    pub column: u32,
    /// Byte range in the text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do about it, where that can be said.
    pub help: Option<String>,
}

impl core::fmt::Display for AsmError {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl core::error::Error for AsmError {}

/// Where an instruction stands in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SourceSpot {
    /// Offset of its first word in the module.
    pub word: u32,
    /// Line of its first token, from 1.
    pub line: u32,
    /// Its bytes in the text, from its first token to its last.
    pub span: Range<usize>,
}

/// A module with the places its instructions came from.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Assembled {
    /// The module.
    pub words: Vec<u32>,
    /// One entry for each instruction, in order of both words and text. A run of `!` tokens is one instruction.
    pub spots: Vec<SourceSpot>,
}

impl Assembled {
    /// The instruction that the word at `offset` belongs to; `None` for the header.
    pub fn spot(&self, offset: u32) -> Option<&SourceSpot> {
        let after = self.spots.partition_point(|s| s.word <= offset);
        self.spots.get(after.checked_sub(1)?)
    }
}

/// Assembles a module.
///
/// # Errors
/// Everything that is wrong in the text, in order (after a thousand errors it gives up).
pub fn assemble(text: &[u8], options: &AsmOptions) -> Result<Vec<u32>, Vec<AsmError>> {
    whole(text, options, false).run().map(|a| a.words)
}

/// Assembles a module and keeps, for each instruction, its place in the text.
///
/// # Errors
/// As [`assemble`].
pub fn assemble_with_map(text: &[u8], options: &AsmOptions) -> Result<Assembled, Vec<AsmError>> {
    whole(text, options, true).run()
}

fn whole<'t>(text: &'t [u8], options: &'t AsmOptions, map: bool) -> Assembler<'t> {
    let ids = Ids::new(options.preserve_numeric_ids.then_some(text));
    let state = State::new(options, HeaderHints::read(text).0, ids, text.len() / 8);
    Assembler::new(text, false, options, state, map)
}

/// Assembles a module from a text that is read, and not kept, piece by piece. `None` where something is wrong in it; what,
/// says [`assemble`], which needs the whole text.
///
/// With `preserve_numeric_ids` the whole text is read at once.
///
/// # Errors
/// Those of reading.
pub fn assemble_from(text: &mut dyn io::Read, options: &AsmOptions) -> io::Result<Option<Vec<u32>>> {
    window::assemble(text, options, window::SIZE)
}
