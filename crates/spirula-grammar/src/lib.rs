//! SPIR-V's grammar as data.
//!
//! Everything here is a table generated from Khronos' machine-readable grammar (`cargo xtask codegen`) plus the few
//! look-ups over it. The crate contains no judgement: it can say that an enumerant needs a capability, never whether a
//! module is valid.
//!
//! Every enumeration of the wire format is an *open newtype* ([`Op`], [`StorageClass`], …): a value that the grammar
//! does not know is representable everywhere and survives every round trip.
#![no_std]
#![forbid(unsafe_code)]

mod capset;
mod desc;
mod ext_set;
mod masks;
mod names;
mod spec_ops;
mod text;
#[rustfmt::skip]
#[allow(missing_docs, non_upper_case_globals)]
mod generated;

pub use capset::CapSet;
pub use desc::{
    Category, Class, Enumerant, ExtInstDesc, Extension, InstDesc, Operand, OperandKind, Quantifier, Version,
};
pub use ext_set::ExtSet;
pub use generated::enums::*;
pub use generated::extinst::*;
pub use generated::ops::Op;
pub use masks::{MaskBits, MaskParameters};
pub use spec_ops::allowed_in_spec_constant_op;

/// First word of every SPIR-V module, in the module's own byte order (§3.1).
pub const MAGIC: u32 = 0x0723_0203;

/// Commit of the grammar that the tables were generated from.
pub const GRAMMAR_COMMIT: &str = generated::GRAMMAR_COMMIT;
