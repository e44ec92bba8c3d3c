//! Reflection: what a module wants from its host.
//!
//! [`reflect`], or a [`Reflector`] for many modules, makes a [`Reflection`]: entry points with only what their call trees really use, descriptor bindings,
//! interface variables, push constants, specialisation constants, block layouts, HLSL semantics and counter buffers,
//! device addresses, and what the module requires of Vulkan.
//!
//! Types form a graph: each is described once and referred to by its [`TypeRef`], so that types which contain pointers to
//! themselves are as normal as any. Nothing recurses on the depth of the input, and nothing panics, whatever the words
//! are; what cannot be understood is left out.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod bindings;
mod blocks;
mod budget;
mod describe;
mod entry;
mod facts;
mod fields;
mod heaps;
mod hlsl;
mod interface;
mod locations;
mod model;
mod notes;
mod pipeline;
mod references;
mod reflector;
mod requirements;
mod rows;
mod rust;
mod spec;
mod survey;
mod table;
mod tree;
mod types;
mod usage;
mod yaml;

pub(crate) use reflector::Cx;

pub use fields::{Field, Fields};
pub use locations::vertex_attributes;
pub use model::*;
pub use pipeline::{Stage, merge, pipeline_table};
pub use reflector::{Reflector, reflect};
pub use rust::{RustOptions, rust};
pub use table::table;
pub use types::TypeRef;
pub use yaml::yaml;

/// An enumerant's name, or what else it is written as.
pub(crate) fn text<T: Copy + core::fmt::Display>(value: T, name: impl FnOnce(T) -> Option<&'static str>) -> Term {
    name(value).map_or_else(|| alloc::format!("{value}").into(), Term::Borrowed)
}
