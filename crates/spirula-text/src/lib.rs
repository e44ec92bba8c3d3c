//! SPIR-V text: assembler, disassembler, and the renderer of diagnostics.
#![forbid(unsafe_code)]

mod asm;
mod dis;
#[cfg(feature = "render")]
pub mod render;

pub use asm::{AsmError, AsmOptions, assemble};
pub use dis::{Damage, DisOptions, Disassembly, disassemble};
