//! The SPIR-V toolkit in pure Rust: one door to the parts.
//!
//! Each part is a crate of its own and can be used alone; this one re-exports them, and its features pick them:
//! `text` (assembler, disassembler, rendered diagnostics), `val` (validator), `reflect`. All are on by default.
#![forbid(unsafe_code)]

pub use spirula_binary as binary;
pub use spirula_diag as diag;
pub use spirula_grammar as grammar;
pub use spirula_module as module;
#[cfg(feature = "reflect")]
pub use spirula_reflect as reflect;
#[cfg(feature = "text")]
pub use spirula_text as text;
#[cfg(feature = "val")]
pub use spirula_val as val;

pub use spirula_binary::words_from_bytes;
#[cfg(feature = "text")]
pub use spirula_text::{assemble, disassemble};
#[cfg(feature = "val")]
pub use spirula_val::{TargetEnv, Validator};
