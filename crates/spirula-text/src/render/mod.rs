//! Shows diagnostics to people and machines.
//!
//! A [`Subject`] is a module together with what it was read from. [`Subject::locate`] turns a
//! [`Diagnostic`](spirula_diag::Diagnostic), which knows only word offsets, into a [`Finding`], which says everything a
//! reader can use: the instruction's text, the ids' names, the shader's source line, the entry points. The four forms
//! ([`human`], [`short`], [`json`], [`sarif`]) are functions of findings alone.
//!
//! Nothing is looked up before the first finding is located, and each table is made once per subject.

mod finding;
mod human;
mod line;
mod machine;
mod source;
mod subject;

pub use finding::{Finding, IdName, Place, Related, SourcePlace};
pub use human::{human, short};
pub use machine::{json, sarif};
pub use subject::{Origin, Subject};
