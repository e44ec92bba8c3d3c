//! Literal numbers ⇄ text.

pub(crate) mod print;
