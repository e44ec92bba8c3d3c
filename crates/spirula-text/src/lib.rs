//! SPIR-V text: assembler, disassembler, and the renderer of diagnostics.
#![forbid(unsafe_code)]

mod asm;
mod dis;
mod meaning;
mod number;
#[cfg(feature = "render")]
pub mod render;

pub use asm::{AsmError, AsmOptions, Assembled, SourceSpot, assemble, assemble_from, assemble_with_map};
pub use dis::{Damage, DisOptions, Disassembly, Names, disassemble, disassemble_one, disassemble_to};
