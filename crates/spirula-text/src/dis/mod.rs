//! The disassembler: words → text.

mod blocks;
mod colour;
pub(crate) mod header;
pub(crate) mod ids;
mod line;
pub(crate) mod listing;
mod names;
mod notes;
mod pen;
mod quick;

use std::io;

use spirula_binary::{Frames, Inst};

pub use names::Names;

/// How to disassemble.
#[derive(Clone, Debug, Default)]
pub struct DisOptions {
    /// `%12` instead of names made from `OpName` and types.
    pub raw_ids: bool,
    /// Start every line at the left margin instead of aligning the opcodes.
    pub no_indent: bool,
    /// Leave out the comment lines that show the header.
    pub no_header: bool,
    /// Behind each instruction, its offset from the start of the module in bytes.
    pub offsets: bool,
    /// Comments that tell the sections, each id's decorations and each name's id.
    pub comment: bool,
    /// Indent blocks by their depth in structured control flow.
    pub nested_indent: bool,
    /// Order blocks as structured control flow nests instead of as the module has them.
    pub reorder_blocks: bool,
    /// Print what cannot be decoded as `OpUnknown(opcode, word count) …` instead of as raw words.
    pub handle_unknown_opcodes: bool,
    /// Colours, as ANSI escape sequences.
    pub colour: bool,
}

/// A place where the words are not what the grammar wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Offset in words.
    pub word: u32,
    /// What is wrong.
    pub message: String,
}

/// A module's text.
#[derive(Clone, Debug, Default)]
pub struct Disassembly {
    /// The text.
    pub text: String,
    /// What could not be printed as instructions and stands as raw words.
    pub damage: Vec<Damage>,
}

/// Disassembles a module.
///
/// Goes on after damage: words that do not decode are printed as `!0x…`, which an assembler turns back into the same
/// words, with the reason in a comment. So are instructions that text cannot carry as they are, for instance strings
/// that are not UTF-8.
pub fn disassemble(words: &[u32], options: &DisOptions) -> Disassembly {
    listing::disassemble(words, options)
}

/// Disassembles a module as [`disassemble`] does, and writes the text in pieces instead of keeping it.
///
/// # Errors
/// The first one of `to`; the rest of the module is left out then.
pub fn disassemble_to(words: &[u32], options: &DisOptions, to: &mut dyn io::Write) -> io::Result<Vec<Damage>> {
    listing::disassemble_to(words, options, to)
}

/// Prints the one instruction that starts at word `offset` of a module, without indentation or line end; as raw words
/// where it does not decode, and `None` where no whole instruction starts there.
///
/// Ids are called by `names`, or by their numbers.
pub fn disassemble_one(words: &[u32], offset: u32, names: Option<&Names>) -> Option<String> {
    let before = || Frames::of(words).map_while(Result::ok).take_while(|i| i.offset() < offset);
    Some(listing::one(Inst::at(words, offset)?, names, |id| before().find(|i| i.result() == Some(id))))
}
