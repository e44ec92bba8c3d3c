//! The index of a module: facts, computed once, that everybody above shares. It never judges.
//!
//! [`Index`] owns the tables and is reusable: filling it again for another module allocates only where that module is
//! larger. [`Module`] pairs a filled index with the words it was made from and answers questions.
//!
//! Nothing here trusts the words: ids may be undefined, types may be cyclic, operands may be missing. Queries then
//! answer `None`, and walks are bounded.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod cfg;
mod consts;
#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod control_flow_tests;
mod decorations;
mod domtree;
mod entry;
mod functions;
mod ids;
mod key;
mod module;
mod names;
mod nesting;
mod scan;
mod structured;
mod types;
mod uses;

pub use cfg::{
    Block, BlockIdx, Cfg, Edges, Stray, Targets, is_block_termination, is_branch, is_function_termination, is_merge,
};
pub use consts::IntConstant;
pub use decorations::{Decorated, Decorations};
pub use domtree::DomTree;
pub use entry::{EntryPoint, ModelSet};
pub use functions::Function;
pub use ids::{IdInfo, IdTable, zeros};
pub use key::{Scalar, Shape, TypeKey};
pub use module::Module;
pub use names::Names;
pub use scan::{Call, ExtensionSet, Index};
pub use structured::{Construct, ConstructIdx, ConstructKind, Header, HeaderIdx, Structured};
pub use types::{Image, Type, is_implicit_lod};
pub use uses::Use;
