//! The report in the YAML form of SPIRV-Reflect, for what reads that already.
//!
//! The form has its own ideas: types are described anew in every place where they are used, variables are listed in an
//! order of their own, and sizes are padded as uniform buffers want it. All that is kept as it is. Where SPIRV-Reflect
//! itself walks types recursively we walk with a stack, and nests of structures that have more members than
//! [`MAX_NODES`] are cut off.

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
use model::{At, Report, SpecConstant};

/// Descriptions that a report may have: a few words can describe more members than any memory holds.
const MAX_NODES: usize = 1 << 17;
/// Steps that may be made through types and instructions.
const MAX_STEPS: usize = 1 << 22;

/// What is shared while the report is made.
struct Build<'m> {
    m: Module<'m>,
    names: Names,
    out: Report,
    /// Descriptions of variables' types, by type id.
    roots: BTreeMap<u32, At>,
    steps: usize,
    nodes: usize,
}

impl Build<'_> {
    /// Counts a step; whether there may be another.
    fn spend(&mut self) -> bool {
        self.steps += 1;
        self.steps < MAX_STEPS
    }

    /// Counts a description; whether there may be another.
    fn may_grow(&mut self) -> bool {
        self.nodes += 1;
        self.nodes < MAX_NODES
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
        names: Names::of(m.words()),
        out: Report::default(),
        roots: BTreeMap::new(),
        steps: 0,
        nodes: 0,
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
    print::print(&build.out)
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
        build.out.spec_constants.push(SpecConstant { name, id: inst.word(2), constant_id });
    }
}
