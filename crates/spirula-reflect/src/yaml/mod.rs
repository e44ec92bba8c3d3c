//! The report in the YAML form of SPIRV-Reflect, for what reads that already.
//!
//! The form has its own ideas: types are described anew in every place where they are used, variables are listed in an
//! order of their own, and sizes are padded as uniform buffers want it. All that is kept as it is. Where SPIRV-Reflect
//! itself walks types recursively we walk with a stack, and what a module of its size cannot pay for (`Budget`) is cut
//! off, which a comment at the end says.

mod access;
mod blocks;
mod descriptors;
mod heaps;
mod interface;
mod model;
mod print;
mod types;
mod words;

use alloc::collections::BTreeMap;
use alloc::string::String;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{Decoration, Op, StorageClass};
use spirula_module::{Module, Names};

use crate::bindings::held_type;
use crate::budget::Budget;
use model::{At, Report, SpecConstant};

/// Bytes that one description takes, with its text, without its names.
const NODE: usize = 1 << 10;
/// Steps that may be made through types and instructions.
const MAX_STEPS: usize = 1 << 22;

/// What is shared while the report is made.
struct Build<'m> {
    m: Module<'m>,
    names: Names,
    out: Report,
    /// Descriptions of variables' types, by type id.
    roots: BTreeMap<u32, At>,
    /// What stands for types that cannot be paid for.
    nothing: Option<At>,
    steps: usize,
    budget: Budget,
}

impl Build<'_> {
    /// Counts a step; whether there may be another.
    fn spend(&mut self) -> bool {
        self.steps += 1;
        self.steps < MAX_STEPS
    }

    /// Pays for a description whose names and dimensions take so many bytes; whether there may be one.
    fn may_grow(&self, bytes: usize) -> bool {
        self.budget.take(NODE + bytes)
    }

    /// First operand of a decoration.
    fn operand(&self, id: Id, decoration: Decoration) -> Option<u32> {
        self.m.decoration(id, decoration).map(|d| d.operand())
    }

    /// Word offset of a decoration's first operand; 0 where there is none.
    fn operand_word(&self, id: Id, decoration: Decoration) -> u32 {
        self.m.decoration(id, decoration).map_or(0, |d| d.inst.offset() + 3)
    }
}

/// Reports on a module in the YAML form of SPIRV-Reflect.
///
/// The same words give the same text. As there, the part `module` is about the first entry point.
pub fn yaml(m: &Module<'_>) -> String {
    let mut build = Build {
        m: *m,
        names: Names::of(m),
        out: Report::default(),
        roots: BTreeMap::new(),
        nothing: None,
        steps: 0,
        budget: Budget::of(m.words()),
    };
    header(&mut build);
    descriptors::all(&mut build);
    let globals: alloc::vec::Vec<Inst<'_>> = m.global_variables().collect();
    let push = globals.iter().filter(|v| StorageClass(v.word(3)) == StorageClass::PushConstant);
    let mut variables = BTreeMap::new();
    for v in push {
        let block = build.block(v.id(2), held_type(m, *v), blocks::Rule::Push);
        build.out.push_constants.push(block);
        variables.insert(v.id(2).0, block);
    }
    variables.extend(build.out.descriptors.iter().map(|d| (d.id, d.block)));
    access::mark(&mut build, &variables);
    interface::all(&mut build);
    spec_constants(&mut build);
    heaps::all(&mut build);
    build.out.cut_off = build.budget.is_exceeded() || build.steps >= MAX_STEPS;
    print::print(&build.out)
}

/// Bytes of a name, once kept and a few times printed.
fn len(name: &Option<String>) -> usize {
    name.as_ref().map_or(0, |n| 4 * n.len())
}

fn header(build: &mut Build<'_>) {
    let m = build.m;
    build.out.generator = m.header().map_or(0, |h| h.generator >> 16);
    if let Some(e) = m.entry_points().next() {
        build.out.entry_name = e.name.map(LitStr::to_text);
        build.out.entry_id = e.function.0;
        build.out.model = e.model.0;
    }
    if let Some(source) = m.global_insts().find(|i| i.op() == Op::Source) {
        build.out.language = source.word(1);
        build.out.language_version = source.word(2);
    }
}

fn spec_constants(build: &mut Build<'_>) {
    let m = build.m;
    for inst in m.global_insts() {
        if !matches!(inst.op(), Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse) {
            continue;
        }
        let Some(constant_id) = build.operand(inst.id(2), Decoration::SpecId) else { continue };
        let name = build.name(inst.id(2));
        if !build.may_grow(len(&name)) {
            break;
        }
        build.out.spec_constants.push(SpecConstant { name, id: inst.word(2), constant_id });
    }
}
