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

mod bindings;
mod blocks;
mod budget;
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

use spirula_binary::LitStr;
use spirula_grammar::{AddressingModel, MemoryModel, Op, SourceLanguage};
use spirula_module::{Module, Names};

use crate::budget::Budget;
use crate::survey::Survey;
use crate::tree::Tree;
use crate::types::Types;
use crate::usage::Usages;

pub use fields::{Field, Fields};
pub use locations::vertex_attributes;
pub use model::*;
pub use pipeline::{Stage, merge, pipeline_table};
pub use rust::{RustOptions, rust};
pub use table::table;
pub use types::TypeRef;
pub use yaml::yaml;

/// What is shared while a report is made.
pub(crate) struct Cx<'m> {
    pub(crate) m: Module<'m>,
    pub(crate) survey: Survey<'m>,
    pub(crate) names: Names,
    pub(crate) types: Types,
    pub(crate) usages: Usages,
    pub(crate) tree: Tree,
    pub(crate) budget: Budget,
    /// How many specialisation constants are listed.
    pub(crate) spec_constants: usize,
    /// Whether functions have instructions that we do not know.
    pub(crate) unknown: bool,
}

impl<'m> Cx<'m> {
    /// The debug name of an id; empty where it has none.
    pub(crate) fn name(&self, id: spirula_binary::Id) -> alloc::string::String {
        let name = self.names.get(self.m.words(), id).filter(|n| self.budget.take(n.len()));
        name.map(LitStr::to_text).unwrap_or_default()
    }

    /// The reference to a type.
    pub(crate) fn type_ref(&mut self, ty: spirula_binary::Id) -> TypeRef {
        self.types.get(&self.m, &self.budget, ty)
    }
}

/// Reports what a module wants from its host.
///
/// A few words can ask for a report larger than any memory. What a module of its size cannot pay for is left out, and a
/// note of kind [`NoteKind::LeftOut`] says so; no module that a compiler writes comes near that.
pub fn reflect(m: &Module<'_>) -> Reflection {
    let (mut names, mut types) = (Names::default(), Types::default());
    let mut cx = Cx {
        m: *m,
        survey: Survey::of(m, &mut types, &mut names),
        names,
        types,
        usages: Usages::default(),
        tree: Tree::default(),
        budget: Budget::of(m.words()),
        spec_constants: 0,
        unknown: false,
    };
    let spec_constants = spec::constants(&cx);
    cx.spec_constants = spec_constants.len();
    let globals = bindings::globals(&mut cx);
    let buffer_references = references::structures(&mut cx);
    let entry_points = entry::points(&mut cx, &globals);
    let requirements = requirements::of(&cx);
    let spec_operations = spec::operations(&cx);
    let bindings::Globals { mut bindings, mut push_constants, mut shader_records, .. } = globals;
    let roots = bindings.iter().map(|b| b.ty);
    let roots = roots.chain(push_constants.iter().chain(&shader_records).map(|b| b.ty));
    let roots = roots.chain(buffer_references.iter().copied());
    let blocks = blocks::of(&cx.budget, &cx.types, roots);
    for b in &mut bindings {
        b.addresses = blocks.addresses(&cx.budget, b.ty);
    }
    for b in push_constants.iter_mut().chain(&mut shader_records) {
        b.addresses = blocks.addresses(&cx.budget, b.ty);
    }
    let mut report = Reflection {
        schema: SCHEMA_VERSION,
        version: VersionNumber { major: m.version().major, minor: m.version().minor },
        generator: m.header().map_or(0, |h| h.generator),
        addressing_model: text(m.addressing_model(), AddressingModel::name),
        memory_model: text(m.memory_model(), MemoryModel::name),
        source: source(&cx),
        types: cx.types.take(),
        entry_points,
        bindings,
        push_constants,
        shader_records,
        blocks: blocks.list,
        buffer_references,
        spec_constants,
        spec_operations,
        unused: Unused::default(),
        requirements,
        notes: alloc::vec::Vec::new(),
    };
    report.unused = entry::unused(&report);
    report.notes = notes::of(&cx, &report);
    report
}

/// An enumerant's name, or what else it is written as.
pub(crate) fn text<T: Copy + core::fmt::Display>(value: T, name: impl FnOnce(T) -> Option<&'static str>) -> Term {
    name(value).map_or_else(|| alloc::format!("{value}").into(), Term::Borrowed)
}

fn source(cx: &Cx<'_>) -> Option<Source> {
    let inst = cx.survey.source?;
    let file = inst.words().get(3).and_then(|f| cx.m.def(spirula_binary::Id(*f))).filter(|i| i.op() == Op::String);
    let file = file.and_then(|i| LitStr::read(i.tail(2))).map(LitStr::to_text);
    Some(Source { language: text(SourceLanguage(inst.word(1)), SourceLanguage::name), version: inst.word(2), file })
}
