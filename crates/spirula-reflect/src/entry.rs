//! Entry points, with what their call trees use.

use alloc::vec::Vec;

use spirula_binary::{Id, LitStr};
use spirula_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::{EntryPoint as Declared, Module};

use crate::bindings::{Globals, held_type};
use crate::model::*;
use crate::usage::{self, Access, Usage};
use crate::{Cx, interface, spec, text};

pub(crate) fn points(cx: &mut Cx<'_>, globals: &Globals) -> Vec<EntryPoint> {
    let m = cx.m;
    let usages = usage::of_functions(&m);
    let points: Vec<EntryPoint> = m.entry_points().map(|e| point(cx, globals, &usages, e)).collect();
    let names = core::mem::take(&mut cx.names);
    cx.types.describe(&m, &names);
    cx.names = names;
    points
}

/// What all functions of a call tree use, together.
fn of_tree(m: &Module<'_>, usages: &[Usage], root: Id) -> Usage {
    let mut all = Usage::default();
    let mut seen = alloc::vec![false; usages.len()];
    let mut work: Vec<usize> = m.info(root).function().into_iter().collect();
    while let Some(f) = work.pop() {
        let Some(first) = seen.get_mut(f).filter(|s| !**s) else { continue };
        *first = true;
        let u = &usages[f];
        all.variables.extend(&u.variables);
        all.combined.extend(&u.combined);
        all.constants.extend(&u.constants);
        all.subgroups |= u.subgroups;
        all.derivatives |= u.derivatives;
        all.discards |= u.discards;
        let calls = m.functions().get(f).map_or(&[][..], |f| m.calls(f));
        work.extend(calls.iter().filter_map(|c| m.info(c.callee).function()));
    }
    all.variables.sort_unstable_by_key(|v| v.0);
    all.constants.sort_unstable();
    all.constants.dedup();
    all
}

fn access(usage: &Usage, id: Id) -> Option<Access> {
    let start = usage.variables.partition_point(|v| v.0 < id);
    let own = usage.variables[start..].iter().take_while(|v| v.0 == id);
    own.map(|v| v.1).reduce(|a, b| Access { read: a.read | b.read, written: a.written | b.written })
}

fn point(cx: &mut Cx<'_>, globals: &Globals, usages: &[Usage], e: Declared<'_>) -> EntryPoint {
    let m = cx.m;
    let usage = of_tree(&m, usages, e.function);
    let mut point = EntryPoint {
        name: e.name.map(LitStr::to_text).unwrap_or_default(),
        id: e.function.0,
        model: text(e.model),
        modes: m
            .execution_modes(e.function)
            .map(|(mode, i)| Mode { name: text(mode), operands: i.tail(3).to_vec() })
            .collect(),
        workgroup_size: workgroup_size(&m, e),
        inputs: Vec::new(),
        outputs: Vec::new(),
        payloads: Vec::new(),
        bindings: bindings(globals, &usage),
        push_constants: used(&globals.push_constants, &usage),
        shader_records: used(&globals.shader_records, &usage),
        workgroup_memory: workgroup_memory(cx, &usage),
        spec_constants: Vec::new(),
        duplicate_semantics: Vec::new(),
        uses_subgroups: usage.subgroups,
        uses_derivatives: usage.derivatives,
        uses_discard: usage.discards,
    };
    interfaces(cx, e, &mut point);
    interface::duplicates(&point.inputs, &mut point.duplicate_semantics);
    interface::duplicates(&point.outputs, &mut point.duplicate_semantics);
    point.spec_constants = spec_constants(&m, e, &usage);
    point
}

fn interfaces(cx: &mut Cx<'_>, e: Declared<'_>, point: &mut EntryPoint) {
    let m = cx.m;
    for id in e.interface {
        let Some(inst) = m.def(Id(*id)).filter(|i| matches!(i.op(), Op::Variable | Op::UntypedVariableKHR)) else {
            continue;
        };
        match StorageClass(inst.word(3)) {
            StorageClass::Input => point.inputs.push(interface::variable(cx, e.model, inst)),
            StorageClass::Output => point.outputs.push(interface::variable(cx, e.model, inst)),
            class @ (StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::TaskPayloadWorkgroupEXT) => {
                let ty = held_type(&m, inst);
                point.payloads.push(Payload {
                    id: *id,
                    name: cx.name(Id(*id)),
                    class: text(class),
                    ty: cx.types.get(&m, ty),
                    location: m.decoration(Id(*id), Decoration::Location).map(|d| d.operand()),
                });
            }
            _ => {}
        }
    }
    let key = |v: &InterfaceVariable| (v.location.unwrap_or(u32::MAX), v.component.unwrap_or(0), v.id);
    point.inputs.sort_by_key(key);
    point.outputs.sort_by_key(key);
}

fn bindings(globals: &Globals, usage: &Usage) -> Vec<BindingUse> {
    let position = |id: Id| globals.variables.iter().position(|v| *v == id).map(|p| p as u32);
    let mut all = Vec::new();
    for (i, id) in globals.variables.iter().enumerate() {
        let Some(access) = access(usage, *id) else { continue };
        let mut samplers: Vec<u32> =
            usage.combined.iter().filter(|c| c.0 == *id).filter_map(|c| position(c.1)).collect();
        samplers.sort_unstable();
        samplers.dedup();
        all.push(BindingUse { binding: i as u32, read: access.read, written: access.written, samplers });
    }
    all
}

fn used(blocks: &[BlockVariable], usage: &Usage) -> Vec<u32> {
    (0u32..).zip(blocks).filter(|(_, b)| access(usage, Id(b.id)).is_some()).map(|(i, _)| i).collect()
}

fn workgroup_memory(cx: &Cx<'_>, usage: &Usage) -> Option<u32> {
    let m = &cx.m;
    let mut total = 0u32;
    for variable in m.global_variables().filter(|v| StorageClass(v.word(3)) == StorageClass::Workgroup) {
        if access(usage, variable.id(2)).is_some() {
            total = total.checked_add(packed_size(m, held_type(m, variable))?)?;
        }
    }
    Some(total)
}

/// Steps that one variable's size may take.
const MAX_VISITS: usize = 4096;

/// Bytes of all scalars of a type, Booleans taken as 32-bit numbers.
fn packed_size(m: &Module<'_>, ty: Id) -> Option<u32> {
    use spirula_module::Type as Raw;
    let (mut todo, mut total) = (alloc::vec![(ty, 1u32)], 0u32);
    for _ in 0..MAX_VISITS {
        let Some((ty, times)) = todo.pop() else { return Some(total) };
        match m.ty(ty)? {
            Raw::Bool => total = total.checked_add(times.checked_mul(4)?)?,
            Raw::Int { width, .. } => total = total.checked_add(times.checked_mul(width.div_ceil(8))?)?,
            Raw::Float(n) => total = total.checked_add(times.checked_mul(n.width.div_ceil(8))?)?,
            Raw::Pointer { .. } | Raw::UntypedPointer { .. } => total = total.checked_add(times.checked_mul(8)?)?,
            Raw::Vector { component, count } => todo.push((component, times.checked_mul(count)?)),
            Raw::Matrix { column, count } => todo.push((column, times.checked_mul(count)?)),
            Raw::Array { element, length } => todo.push((element, times.checked_mul(spec::default_u32(m, length)?)?)),
            Raw::Struct { members } => todo.extend(members.iter().map(|t| (Id(*t), times))),
            _ => return None,
        }
    }
    None
}

/// From `WorkgroupSize`, which wins, or from the execution modes.
fn workgroup_size(m: &Module<'_>, e: Declared<'_>) -> Option<[Dimension; 3]> {
    let has_one = matches!(
        e.model,
        ExecutionModel::GLCompute
            | ExecutionModel::Kernel
            | ExecutionModel::TaskNV
            | ExecutionModel::MeshNV
            | ExecutionModel::TaskEXT
            | ExecutionModel::MeshEXT
    );
    if !has_one {
        return None;
    }
    if let Some(parts) = built_in_size(m) {
        return Some(parts);
    }
    m.execution_modes(e.function).find_map(|(mode, i)| match mode {
        ExecutionMode::LocalSize => Some([3, 4, 5].map(|w| Dimension { size: i.word(w), spec_id: None })),
        ExecutionMode::LocalSizeId => Some([3, 4, 5].map(|w| dimension(m, i.id(w)))),
        _ => None,
    })
}

fn built_in_size(m: &Module<'_>) -> Option<[Dimension; 3]> {
    let decorates = |i: &spirula_binary::Inst<'_>| {
        i.op() == Op::Decorate
            && Decoration(i.word(2)) == Decoration::BuiltIn
            && BuiltIn(i.word(3)) == BuiltIn::WorkgroupSize
    };
    let inst = m.annotations().find(decorates)?;
    let constant = m.def(inst.id(1))?;
    match constant.op() {
        Op::ConstantComposite | Op::SpecConstantComposite => Some([3, 4, 5].map(|w| dimension(m, constant.id(w)))),
        _ => None,
    }
}

fn dimension(m: &Module<'_>, id: Id) -> Dimension {
    Dimension {
        size: spec::default_u32(m, id).unwrap_or(0),
        spec_id: m.decoration(id, Decoration::SpecId).map(|d| d.operand()),
    }
}

/// Positions, among the constants with a `SpecId`, of those that an entry point depends on.
fn spec_constants(m: &Module<'_>, e: Declared<'_>, usage: &Usage) -> Vec<u32> {
    let with_id = m
        .global_insts()
        .filter(|i| matches!(i.op(), Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse))
        .map(|i| i.id(2))
        .filter(|id| m.is_decorated(*id, Decoration::SpecId));
    let mut needed: Vec<Id> = usage.constants.iter().flat_map(|c| spec::leaves(m, *c)).collect();
    for (mode, inst) in m.execution_modes(e.function) {
        if mode == ExecutionMode::LocalSizeId {
            needed.extend(inst.tail(3).iter().flat_map(|w| spec::leaves(m, Id(*w))));
        }
    }
    if e.model == ExecutionModel::GLCompute
        && let Some(size) = m.annotations().find(|i| {
            i.op() == Op::Decorate
                && BuiltIn(i.word(3)) == BuiltIn::WorkgroupSize
                && Decoration(i.word(2)) == Decoration::BuiltIn
        })
    {
        needed.extend(spec::leaves(m, size.id(1)));
    }
    let lengths =
        m.global_insts().filter(|i| i.op() == Op::TypeArray).map(|i| i.id(3)).filter(|l| m.info(*l).is_spec_constant());
    needed.extend(lengths.flat_map(|l| spec::leaves(m, l)));
    needed.sort_unstable();
    (0u32..).zip(with_id).filter(|(_, id)| needed.binary_search(id).is_ok()).map(|(i, _)| i).collect()
}

/// What no entry point uses.
pub(crate) fn unused(bindings: &[Binding], push_constants: &[BlockVariable], points: &[EntryPoint]) -> Unused {
    let all = |count: usize, used: &dyn Fn(&EntryPoint, u32) -> bool| {
        (0..count as u32).filter(|i| !points.iter().any(|p| used(p, *i))).collect()
    };
    Unused {
        bindings: all(bindings.len(), &|p, i| p.bindings.binary_search_by_key(&i, |b| b.binding).is_ok()),
        push_constants: all(push_constants.len(), &|p, i| p.push_constants.contains(&i)),
    }
}
