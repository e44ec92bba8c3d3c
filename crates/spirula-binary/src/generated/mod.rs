//! The typed views.

mod macros;
#[allow(missing_docs)]
pub(crate) mod views;
