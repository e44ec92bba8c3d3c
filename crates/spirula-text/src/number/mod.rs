//! Literal numbers ⇄ text.

pub(crate) mod parse;
pub(crate) mod print;
