//! Reflection: what a module wants from its host.
//!
//! [`reflect`] makes a [`Reflection`]: entry points with only what their call trees really use, descriptor bindings,
//! interface variables, push constants, specialisation constants, block layouts, HLSL semantics and counter buffers,
//! device addresses, and what the module requires of Vulkan.
//!
//! Types form a graph: each is described once and referred to by its [`TypeRef`], so that types which contain pointers to
//! themselves are as normal as any. Nothing recurses on the depth of the input, and nothing panics, whatever the words
//! are; what cannot be understood is left out.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

mod addresses;
mod bindings;
mod entry;
mod fields;
mod hlsl;
mod interface;
mod model;
mod requirements;
mod spec;
mod table;
mod types;
mod usage;
mod yaml;

use spirula_binary::LitStr;
use spirula_grammar::{Op, SourceLanguage};
use spirula_module::{Module, Names};

pub use fields::{Field, Fields};
pub use model::*;
pub use table::table;
pub use types::TypeRef;
pub use yaml::yaml;

/// What is shared while a report is made.
pub(crate) struct Cx<'m> {
    pub(crate) m: Module<'m>,
    pub(crate) names: Names,
    pub(crate) types: types::Types,
}

impl<'m> Cx<'m> {
    /// The debug name of an id; empty where it has none.
    pub(crate) fn name(&self, id: spirula_binary::Id) -> alloc::string::String {
        self.names.get(self.m.words(), id).map(LitStr::to_text).unwrap_or_default()
    }
}

/// Reports what a module wants from its host.
pub fn reflect(m: &Module<'_>) -> Reflection {
    let mut cx = Cx { m: *m, names: Names::of(m.words()), types: types::Types::of(m) };
    let spec_constants = spec::constants(&cx);
    let globals = bindings::globals(&mut cx);
    let entry_points = entry::points(&mut cx, &globals);
    let requirements = requirements::of(&cx);
    let header = m.header();
    let bindings::Globals { bindings, push_constants, shader_records, variables: _ } = globals;
    let unused = entry::unused(&bindings, &push_constants, &entry_points);
    Reflection {
        schema: SCHEMA_VERSION,
        version: VersionNumber { major: m.version().major, minor: m.version().minor },
        generator: header.map_or(0, |h| h.generator),
        addressing_model: text(m.addressing_model()),
        memory_model: text(m.memory_model()),
        source: source(&cx),
        types: core::mem::take(&mut cx.types).finish(),
        entry_points,
        bindings,
        push_constants,
        shader_records,
        spec_constants,
        unused,
        requirements,
    }
}

/// An enumerant's name, or its number.
pub(crate) fn text(value: impl core::fmt::Display) -> alloc::string::String {
    alloc::format!("{value}")
}

fn source(cx: &Cx<'_>) -> Option<Source> {
    let inst = cx.m.global_insts().find(|i| i.op() == Op::Source)?;
    let file = inst.words().get(3).and_then(|f| cx.m.def(spirula_binary::Id(*f))).filter(|i| i.op() == Op::String);
    let file = file.and_then(|i| LitStr::read(i.tail(2))).map(LitStr::to_text);
    Some(Source { language: text(SourceLanguage(inst.word(1))), version: inst.word(2), file })
}
