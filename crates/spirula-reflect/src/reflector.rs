//! Makes the report.

use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{AddressingModel, Capability, MemoryModel, Op, SourceLanguage};
use spirula_module::{Index, Module, Names};

use crate::bindings::{self, Globals};
use crate::budget::Budget;
use crate::model::*;
use crate::survey::Survey;
use crate::tree::Tree;
use crate::types::{TypeRef, Types};
use crate::usage::{Kinds, Usages};
use crate::{blocks, describe, entry, notes, references, requirements, spec, text};

/// Reports what a module wants from its host.
///
/// A few words can ask for a report larger than any memory. What a module of its size cannot pay for is left out, and a
/// note of kind [`NoteKind::LeftOut`] says so; no module that a compiler writes comes near that.
///
/// For many modules a [`Reflector`] is faster.
pub fn reflect<'m>(m: &Module<'m>) -> Reflection<'m> {
    report(m, m.words(), &mut Work::default())
}

/// Makes reports on one module after the other, in memory that it keeps.
#[derive(Default)]
pub struct Reflector {
    index: Index,
    work: Work,
}

impl Reflector {
    /// One that has no memory yet.
    pub fn new() -> Reflector {
        Reflector::default()
    }

    /// Reports on the module that these words are, as [`reflect`] does.
    pub fn reflect<'m>(&mut self, words: &'m [u32]) -> Reflection<'m> {
        report(&Module::new(words, &mut self.index), words, &mut self.work)
    }
}

/// Memory that one report after the other can use.
#[derive(Default)]
struct Work {
    names: Names,
    types: Types,
    usages: Usages,
    tree: Tree,
    lists: Lists,
}

/// Lists that are needed for a while.
#[derive(Default)]
pub(crate) struct Lists {
    /// The declared capabilities, each once.
    pub(crate) capabilities: Vec<Capability>,
    /// By variable, as the index traces them: the position among the bindings, plus 1.
    pub(crate) bindings: Vec<u32>,
    /// By type: the position among the blocks, plus 1.
    pub(crate) blocks: Vec<u32>,
    /// Types that may be blocks.
    pub(crate) todo: Vec<TypeRef>,
    /// Offsets of a structure's members, sorted.
    pub(crate) offsets: Vec<u32>,
    /// What is used of a list of the report.
    pub(crate) used: Vec<bool>,
    /// Path of a member.
    pub(crate) path: String,
}

/// What is shared while a report is made.
pub(crate) struct Cx<'i, 'm> {
    pub(crate) m: Module<'i>,
    /// The module's words, which the report borrows from.
    pub(crate) words: &'m [u32],
    pub(crate) survey: Survey<'m>,
    pub(crate) names: &'i Names,
    pub(crate) types: &'i mut Types,
    pub(crate) lists: &'i mut Lists,
    pub(crate) budget: Budget,
    /// How many specialisation constants are listed.
    pub(crate) spec_constants: usize,
    /// Whether functions have instructions that we do not know.
    pub(crate) unknown: bool,
}

impl<'m> Cx<'_, 'm> {
    /// The debug name of an id; empty where it has none.
    pub(crate) fn name(&self, id: Id) -> Text<'m> {
        let name = self.names.get(self.words, self.m.ids(), id).filter(|n| self.budget.take(n.len()));
        name.map(LitStr::text).unwrap_or_default()
    }

    /// The reference to a type.
    pub(crate) fn type_ref(&mut self, ty: Id) -> TypeRef {
        self.types.get(&self.m, &self.budget, ty)
    }
}

fn report<'m>(m: &Module<'_>, words: &'m [u32], work: &mut Work) -> Reflection<'m> {
    let Work { names, types, usages, tree, lists } = work;
    let survey = Survey::of(m, words, types, names, lists);
    let budget = Budget::of(words);
    let mut cx = Cx { m: *m, words, survey, names, types, lists, budget, spec_constants: 0, unknown: false };
    let spec_constants = spec::constants(&cx);
    cx.spec_constants = spec_constants.len();
    let globals = bindings::globals(&mut cx);
    let buffer_references = references::structures(&mut cx);
    usages.fill(m, !cx.survey.special.is_empty());
    cx.unknown = usages.have(Kinds::UNKNOWN);
    let mut entry_points = entry::points(&mut cx, &globals, usages, tree);
    let types = describe::types(&mut cx);
    entry::duplicates(m, &types, &mut entry_points);
    let requirements = requirements::of(&cx);
    let spec_operations = spec::operations(&cx);
    let Globals { bindings, push_constants, shader_records, .. } = globals;
    let mut report = Reflection {
        schema: SCHEMA_VERSION,
        version: VersionNumber { major: m.version().major, minor: m.version().minor },
        generator: m.header().map_or(0, |h| h.generator),
        addressing_model: text(m.addressing_model(), AddressingModel::name),
        memory_model: text(m.memory_model(), MemoryModel::name),
        source: source(&cx),
        types,
        entry_points,
        bindings,
        push_constants,
        shader_records,
        blocks: Vec::new(),
        buffer_references,
        spec_constants,
        spec_operations,
        unused: Unused::default(),
        requirements,
        notes: Vec::new(),
    };
    blocks::lay_out(&mut cx, &mut report);
    report.unused = entry::unused(&report, &mut cx.lists.used);
    report.notes = notes::of(&cx, &report);
    report
}

fn source<'m>(cx: &Cx<'_, 'm>) -> Option<Source<'m>> {
    let inst = cx.survey.source?;
    let file = inst.words().get(3).and_then(|f| Inst::at(cx.words, cx.m.info(Id(*f)).def));
    let file = file.filter(|i| i.op() == Op::String).and_then(|i| LitStr::read(i.tail(2))).map(LitStr::text);
    Some(Source { language: text(SourceLanguage(inst.word(1)), SourceLanguage::name), version: inst.word(2), file })
}
