//! The subcommands, one file each.

pub(crate) mod asm;
pub(crate) mod compat;
pub(crate) mod dis;
pub(crate) mod explain;
mod output;
pub(crate) mod reflect;
pub(crate) mod val;
