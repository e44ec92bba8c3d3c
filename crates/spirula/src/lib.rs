//! The SPIR-V toolkit in pure Rust: one door to the parts.
//!
//! Each part is a crate of its own and can be used alone; this one re-exports them, and its features pick them:
//! `text` (assembler, disassembler, rendered diagnostics), `val` (validator), `reflect`. All are on by default.
//!
//! # Validating before a driver sees a module
//!
//! ```
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! use spirula::val::{Options, Valid, Validator};
//!
//! /// Takes the proof, so that nothing else can come here: `ash` makes its `ShaderModuleCreateInfo` from the words.
//! fn create_shader_module(valid: &Valid<'_>) -> (usize, *const u32) {
//!     (size_of_val(valid.words), valid.words.as_ptr())
//! }
//!
//! let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"
//! OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void
//! %main = OpFunction %void None %fn\n%entry = OpLabel\nOpReturn\nOpFunctionEnd\n";
//! let words = spirula::assemble(text.as_bytes(), &Default::default()).map_err(|e| format!("{e:?}"))?;
//!
//! // One validator for many modules: it keeps its memory.
//! let mut validator = Validator::new(Some("vulkan1.3".parse()?), Options::default());
//! match validator.validate(&words) {
//!     Ok(valid) => assert_eq!(create_shader_module(&valid).0, words.len() * 4),
//!     Err(report) => report.diagnostics.iter().for_each(|d| eprintln!("{}: {}", d.rule.name, d.message)),
//! }
//!
//! // What is wrong is said with rule and place; whoever shows it can look the place up (`spirula::text::render`).
//! let mut broken = words.clone();
//! broken.truncate(words.len() - 1);
//! let report = validator.validate(&broken).unwrap_err();
//! assert_eq!(report.diagnostics[0].rule.name, "layout-function");
//! # Ok(())
//! # }
//! ```
//!
//! `examples/create_shader_module.rs` does the same with files, shows findings as the program does, and compares the
//! stages of a pipeline.
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
