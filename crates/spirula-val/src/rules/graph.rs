//! Graphs: `SPV_ARM_graph`.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, Failed, Rule, rules};
use spirula_grammar::{Capability, ExtSet, Op, StorageClass};
use spirula_module::Type;

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::ext_inst::debug;
use crate::signature::describe;

rules! {
    group "graph";
    /// The inputs and outputs of a graph type are tensors or arrays of tensors, and there is at least one output.
    TYPE: "type-graph", extension "SPV_ARM_graph";
    /// A graph constant is a tensor, with a number that no other graph constant has.
    CONSTANT: "graph-constant", extension "SPV_ARM_graph";
    /// A graph's Result Type is a graph type.
    GRAPH: "graph-type", extension "SPV_ARM_graph";
    /// An entry point to a graph has a name of its own, and a variable in `UniformConstant` for each input and output.
    ENTRY: "graph-entry-point", extension "SPV_ARM_graph";
    /// A module with the capability `GraphARM` has an entry point to a graph.
    ENTRIES: "graph-entry-point-missing", extension "SPV_ARM_graph";
    /// An input or output of a graph is selected by a 32-bit integer in range, and has the type that the graph type
    /// states.
    ACCESS: "graph-input-output", extension "SPV_ARM_graph";
    /// In Vulkan, the input that an instruction defines is selected by constants.
    INPUT_CONSTANT: "graph-input-constant", vuid "VUID-StandaloneSpirv-OpGraphInputARM-09931";
    /// In Vulkan, the output that an instruction sets is selected by constants.
    OUTPUT_CONSTANT: "graph-output-constant", vuid "VUID-StandaloneSpirv-OpGraphSetOutputARM-09932";
    /// A graph defines no input and sets no output twice.
    TWICE: "graph-input-output-twice", extension "SPV_ARM_graph";
    /// The inputs of a graph come first, its outputs last, and there is at least one output.
    ORDER: "graph-order", extension "SPV_ARM_graph";
}

pub(crate) const TABLE: Table = rule_table! {
    TypeGraphARM => graph_type;
    GraphConstantARM => constant;
    GraphEntryPointARM => entry_point;
    GraphARM => graph;
};

/// Whether a type is a tensor or an array of tensors.
fn is_interface(cx: &Cx<'_>, ty: Id) -> bool {
    let is_tensor = |ty: Id| cx.m.info(ty).op == Op::TypeTensorARM;
    match cx.m.ty(ty) {
        Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => is_tensor(element),
        _ => is_tensor(ty),
    }
}

fn graph_type(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let types = inst.tail(3);
    let inputs = inst.word(2) as usize;
    cx.check(inputs < types.len(), &TYPE, inst, || {
        format!("{inputs} of {} types are inputs, so that there is no output", types.len())
    })?;
    for (i, ty) in types.iter().enumerate() {
        let ty = Id(*ty);
        cx.check_at(is_interface(cx, ty), &TYPE, inst, 3 + i, || {
            format!("{} is neither a tensor nor an array of tensors", describe(m, ty))
        })?;
    }
    Ok(())
}

fn constant(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ok = m.info(inst.id(1)).op == Op::TypeTensorARM;
    cx.check_at(ok, &CONSTANT, inst, 1, || format!("the Result Type is {}, not a tensor", describe(m, inst.id(1))))
}

fn graph(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ok = m.info(inst.id(1)).op == Op::TypeGraphARM;
    cx.check_at(ok, &GRAPH, inst, 1, || format!("the Result Type is {}, not a graph type", describe(m, inst.id(1))))
}

fn entry_point(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let def = m.def(inst.id(1)).filter(|d| d.op() == Op::GraphARM);
    cx.check_at(def.is_some(), &ENTRY, inst, 1, || format!("{} is no graph", inst.id(1)))?;
    let Some(name) = LitStr::read(inst.tail(2)) else { return Ok(()) };
    let first = 2 + name.word_count();
    let interface = inst.tail(first);
    let ty = m.def(def.ok_or(Failed)?.id(1)).filter(|d| d.op() == Op::TypeGraphARM).ok_or(Failed)?;
    let types = ty.tail(3);
    cx.check(interface.len() == types.len(), &ENTRY, inst, || {
        format!("{} interface ids for {} inputs and outputs", interface.len(), types.len())
    })?;
    for (i, (id, ty)) in interface.iter().zip(types).enumerate() {
        let (id, ty) = (Id(*id), Id(*ty));
        let pointer = m.pointer(m.type_id_of(id)).filter(|p| p.0 == StorageClass::UniformConstant);
        let ok = m.info(id).op == Op::Variable && pointer.is_some();
        cx.check_at(ok, &ENTRY, inst, first + i, || {
            msg(format!("{id} is no variable in UniformConstant")).declared(m, id)
        })?;
        let pointee = pointer.map_or(Id(0), |p| p.1);
        cx.check_at(pointee == ty, &ENTRY, inst, first + i, || {
            format!("{id} holds {}, but the graph has {}", describe(m, pointee), describe(m, ty))
        })?;
    }
    Ok(())
}

/// Indices with elements; `None` for an input or output as a whole.
type Known = BTreeSet<(u32, Option<u32>)>;

/// One graph, while it is walked.
struct Walk<'a> {
    inputs: &'a [u32],
    outputs: &'a [u32],
    /// Index and element of each input that was defined, and each output that was set.
    defined: Known,
    set: Known,
    /// What may come next.
    phase: Phase,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Phase {
    Inputs,
    Body,
    Outputs,
}

/// Judges what takes more than one instruction: the graphs, their entry points and constants.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.has(Capability::GraphARM) {
        return;
    }
    let m = cx.m;
    let mut numbers: Vec<u32> = Vec::new();
    let mut names: Vec<LitStr<'_>> = Vec::new();
    let mut current: Option<Walk<'_>> = None;
    let mut graphs: Vec<(u32, u32)> = Vec::new();
    let mut described: Vec<Inst<'_>> = Vec::new();
    for inst in m.inst_offsets().iter().filter_map(|at| m.inst_at(*at)) {
        match inst.op() {
            Op::GraphConstantARM => numbers.push(inst.word(3)),
            Op::GraphEntryPointARM => names.extend(LitStr::read(inst.tail(2))),
            Op::GraphARM => {
                let ty = m.def(inst.id(1)).filter(|d| d.op() == Op::TypeGraphARM);
                graphs.push((inst.offset(), u32::MAX));
                let types = ty.map_or(&[][..], |t| t.tail(3));
                let count = ty.map_or(0, |t| t.word(2) as usize).min(types.len());
                let (inputs, outputs) = types.split_at(count);
                current =
                    Some(Walk { inputs, outputs, defined: Known::new(), set: Known::new(), phase: Phase::Inputs });
            }
            // Debug information may stand anywhere.
            Op::Line | Op::NoLine => {}
            Op::ExtInst if m.info(inst.id(3)).is_non_semantic() => {
                described.push(inst);
            }
            _ => {
                if let Some(walk) = &mut current {
                    step(cx, walk, inst).ok();
                }
                if inst.op() == Op::GraphEndARM {
                    if let Some(graph) = graphs.last_mut().filter(|_| current.is_some()) {
                        graph.1 = inst.offset();
                    }
                    current = None;
                }
            }
        }
    }
    for inst in described {
        if m.info(inst.id(3)).ext_set() == Some(ExtSet::GraphDebugInfo) {
            debug::graph_operation(cx, inst, &graphs).ok();
        }
    }
    doubles(cx, numbers, names);
}

/// Numbers and names that occur twice.
fn doubles(cx: &mut Cx<'_>, mut numbers: Vec<u32>, mut names: Vec<LitStr<'_>>) {
    let m = cx.m;
    let last = m.inst_offsets().last().and_then(|at| m.inst_at(*at));
    if let Some(last) = last {
        let text = "the module declares GraphARM, but has no OpGraphEntryPointARM";
        cx.check(!names.is_empty(), &ENTRIES, last, || text).ok();
    }
    numbers.sort_unstable();
    if let Some(n) = numbers.windows(2).find(|w| w[0] == w[1]).map(|w| w[0]) {
        let second = m.global_insts().filter(|i| i.op() == Op::GraphConstantARM && i.word(3) == n).nth(1);
        if let Some(inst) = second {
            cx.fail_at(&CONSTANT, inst, 3, || format!("{n} is another graph constant's number too")).ok();
        }
    }
    names.sort_by(|a, b| a.words().cmp(b.words()));
    if let Some(name) = names.windows(2).find(|w| w[0].words() == w[1].words()).map(|w| w[1]) {
        let all = m.inst_offsets().iter().filter_map(|at| m.inst_at(*at));
        let second = all
            .filter(|i| i.op() == Op::GraphEntryPointARM)
            .filter(|i| LitStr::read(i.tail(2)).is_some_and(|n| n.words() == name.words()))
            .nth(1);
        if let Some(inst) = second {
            cx.fail_at(&ENTRY, inst, 2, || "another entry point to a graph has this name too").ok();
        }
    }
}

fn step(cx: &mut Cx<'_>, walk: &mut Walk<'_>, inst: Inst<'_>) -> Checked {
    match inst.op() {
        Op::GraphInputARM => {
            let first = walk.phase == Phase::Inputs;
            cx.check(first, &ORDER, inst, || "the input stands behind other instructions of the graph")?;
            let ty = inst.id(1);
            access(cx, inst, 3, (1, ty), walk.inputs, &mut walk.defined)
        }
        Op::GraphSetOutputARM => {
            walk.phase = Phase::Outputs;
            let ty = cx.type_at(inst, 1)?;
            access(cx, inst, 2, (1, ty), walk.outputs, &mut walk.set)
        }
        Op::GraphEndARM => {
            let ok = walk.phase == Phase::Outputs;
            cx.check(ok, &ORDER, inst, || "no output is set right before the end of the graph")
        }
        op => {
            let before = core::mem::replace(&mut walk.phase, Phase::Body);
            cx.check(before != Phase::Outputs, &ORDER, inst, || format!("{op} stands behind an output of the graph"))
        }
    }
}

/// The index at `at`, with the element behind it, selects an input or output of the type `ty`.
fn access(cx: &mut Cx<'_>, inst: Inst<'_>, at: usize, value: (usize, Id), types: &[u32], known: &mut Known) -> Checked {
    let m = cx.m;
    let rule: &'static Rule = if inst.op() == Op::GraphInputARM { &INPUT_CONSTANT } else { &OUTPUT_CONSTANT };
    let has_element = inst.words().len() > at + 1;
    for word in at..if has_element { at + 2 } else { at + 1 } {
        let key = cx.key_at(inst, word)?;
        let id = inst.id(word);
        cx.check_at(key.is_int() && key.width() == 32, &ACCESS, inst, word, || format!("{id} is no 32-bit integer"))?;
        let constant = m.info(id).is_constant() || !cx.env.is_vulkan();
        cx.check_at(constant, rule, inst, word, || format!("{id} is no constant"))?;
    }
    let Some(index) = m.int_constant(inst.id(at)).and_then(|c| c.as_u32()) else { return Ok(()) };
    let element = has_element.then(|| m.int_constant(inst.id(at + 1)).and_then(|c| c.as_u32()));
    let stated = types.get(index as usize).map(|t| Id(*t));
    cx.check_at(stated.is_some(), &ACCESS, inst, at, || format!("index {index} of {}", types.len()))?;
    let mut wanted = stated.ok_or(Failed)?;
    if let Some(element) = element {
        wanted = match m.ty(wanted) {
            Some(Type::Array { element: of, length }) => {
                let count = m.fixed_u32(length);
                let ok = count.zip(element).is_none_or(|(c, e)| e < c);
                cx.check_at(ok, &ACCESS, inst, at + 1, || {
                    format!("element {} of {}", element.unwrap_or(0), count.unwrap_or(0))
                })?;
                of
            }
            Some(Type::RuntimeArray { element: of }) => of,
            _ => return cx.fail_at(&ACCESS, inst, at + 1, || format!("{} has no elements", describe(m, wanted))),
        };
    }
    cx.check_at(value.1 == wanted, &ACCESS, inst, value.0, || {
        format!("{} is not {}, which the graph's type has there", describe(m, value.1), describe(m, wanted))
    })?;
    let key = (index, element.flatten());
    // An element that is no constant may be any.
    let clash = match key.1 {
        Some(_) => known.contains(&key) || known.contains(&(index, None)),
        None => known.range((index, None)..=(index, Some(u32::MAX))).next().is_some(),
    };
    let unknown = element == Some(None);
    cx.check(unknown || !clash, &TWICE, inst, || format!("{index} is defined twice in the graph"))?;
    if !unknown {
        known.insert(key);
    }
    Ok(())
}
