//! SPIR-V words ⇄ instructions.
//!
//! Reading borrows the words and allocates nothing: [`Frames`] cuts them into instructions ([`Inst`]), and
//! [`Operands`] interprets one instruction's words by the grammar's operand shapes. No words can make it panic.
//! The typed views in [`view`] name an instruction's fixed operands. Writing ([`Writer`]) needs the `alloc` feature.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(feature = "alloc")]
extern crate alloc;

#[rustfmt::skip]
mod generated;
mod header;
mod inst;
mod literal;
mod operands;
mod words;
#[cfg(feature = "alloc")]
mod write;

/// Typed views of instructions, one per opcode: `view::CompositeExtract::of(inst).composite`.
pub mod view {
    pub use crate::generated::views::*;
}

pub use header::{HEADER_WORDS, Header};
pub use inst::{FrameError, Frames, Id, Inst};
pub use literal::{LitStr, Number, NumberKind, encoding_width, find_byte};
pub use operands::{Context, DecodeError, DecodeErrorKind, Imported, Operand, Operands, unknown_bits};
pub use words::WordsError;
#[cfg(feature = "alloc")]
pub use words::{bytes_from_words, words_from_bytes};
#[cfg(feature = "alloc")]
pub use write::{TooLong, Writer};
