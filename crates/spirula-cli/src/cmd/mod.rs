//! The subcommands, one file each.

pub(crate) mod asm;
pub(crate) mod compat;
mod compat_reflect;
mod convert;
pub(crate) mod dis;
pub(crate) mod explain;
pub(crate) mod link;
mod output;
mod pipeline;
pub(crate) mod reflect;
pub(crate) mod reflect_rust;
pub(crate) mod val;
