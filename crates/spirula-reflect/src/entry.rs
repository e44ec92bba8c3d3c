//! Entry points, with what their call trees use.

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, LitStr};
use spirula_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::{EntryPoint as Declared, Module};

use crate::bindings::{Globals, held_type};
use crate::model::*;
use crate::usage::{self, Access, Usage};
use crate::{Cx, heaps, interface, spec, text};

pub(crate) fn points(cx: &mut Cx<'_>, globals: &Globals) -> Vec<EntryPoint> {
    let m = cx.m;
    let usages = usage::of_functions(&m, cx.is_special);
    cx.unknown = usages.iter().any(|u| u.unknown);
    let mut points = Vec::new();
    for e in m.entry_points() {
        let strings = e.name.map_or(0, LitStr::len);
        if !cx.budget.take(size_of::<EntryPoint>() + strings) {
            break;
        }
        points.push(point(cx, globals, &usages, e));
    }
    let names = core::mem::take(&mut cx.names);
    cx.types.describe(&m, &names, &cx.budget);
    cx.names = names;
    for point in &mut points {
        let types = cx.types.described();
        interface::duplicates(types, &point.inputs, &mut point.duplicate_semantics);
        interface::duplicates(types, &point.outputs, &mut point.duplicate_semantics);
    }
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
        all.heap_chains.extend(&u.heap_chains);
        all.buffer_pointers.extend(&u.buffer_pointers);
        all.subgroups |= u.subgroups;
        all.derivatives |= u.derivatives;
        all.discards |= u.discards;
        let calls = m.functions().get(f).map_or(&[][..], |f| m.calls(f));
        work.extend(calls.iter().filter_map(|c| m.info(c.callee).function()));
    }
    all.variables.sort_unstable_by_key(|v| v.0);
    all.combined.sort_unstable();
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
        model: text(e.model, ExecutionModel::name),
        modes: m
            .execution_modes(e.function)
            .take_while(|(_, i)| cx.budget.take(size_of::<Mode>() + size_of_val(i.words())))
            .map(|(mode, i)| Mode { name: text(mode, ExecutionMode::name), operands: i.tail(3).to_vec() })
            .collect(),
        workgroup_size: workgroup_size(&m, e),
        inputs: Vec::new(),
        outputs: Vec::new(),
        payloads: Vec::new(),
        bindings: bindings(cx, globals, &usage),
        push_constants: used(cx, &globals.push_constants, &usage),
        shader_records: used(cx, &globals.shader_records, &usage),
        workgroup_memory: None,
        workgroup_variables: workgroup_variables(cx, &usage),
        heap_accesses: heaps::accesses(cx, &usage.heap_chains, &usage.buffer_pointers),
        spec_constants: Vec::new(),
        duplicate_semantics: Vec::new(),
        uses_subgroups: usage.subgroups,
        uses_derivatives: usage.derivatives,
        uses_discard: usage.discards,
    };
    let sizes = point.workgroup_variables.iter();
    point.workgroup_memory = sizes.map(|v| v.size).try_fold(0u32, |all, size| all.checked_add(size?));
    interfaces(cx, e, &usage, &mut point);
    point.spec_constants = spec_constants(cx, e, &usage);
    point
}

fn interfaces(cx: &mut Cx<'_>, e: Declared<'_>, usage: &Usage, point: &mut EntryPoint) {
    let m = cx.m;
    for id in e.interface {
        let Some(inst) = m.def(Id(*id)).filter(|i| matches!(i.op(), Op::Variable | Op::UntypedVariableKHR)) else {
            continue;
        };
        match StorageClass(inst.word(3)) {
            class @ (StorageClass::Input | StorageClass::Output) => {
                if !cx.budget.take(size_of::<InterfaceVariable>()) {
                    break;
                }
                let used = access(usage, Id(*id)).is_some();
                let variable = interface::variable(cx, e.model, inst, used);
                let list = if class == StorageClass::Input { &mut point.inputs } else { &mut point.outputs };
                list.push(variable);
            }
            class @ (StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::TaskPayloadWorkgroupEXT) => {
                if !cx.budget.take(size_of::<Payload>()) {
                    break;
                }
                let ty = held_type(&m, inst);
                point.payloads.push(Payload {
                    id: *id,
                    name: cx.name(Id(*id)),
                    class: text(class, StorageClass::name),
                    ty: cx.type_ref(ty),
                    location: m.decoration(Id(*id), Decoration::Location).map(|d| d.operand()),
                    size: cx.types.size(&m, ty).or_else(|| packed_size(&m, ty)),
                });
            }
            _ => {}
        }
    }
    let key = |v: &InterfaceVariable| (v.location.unwrap_or(u32::MAX), v.component.unwrap_or(0), v.id);
    point.inputs.sort_by_key(key);
    point.outputs.sort_by_key(key);
}

fn bindings(cx: &Cx<'_>, globals: &Globals, usage: &Usage) -> Vec<BindingUse> {
    let mut all = Vec::new();
    for same in usage.variables.chunk_by(|a, b| a.0 == b.0) {
        let id = same[0].0;
        let (Some(binding), Some(access)) = (globals.position(id), access(usage, id)) else { continue };
        let first = usage.combined.partition_point(|c| c.0 < id);
        let with = usage.combined[first..].iter().take_while(|c| c.0 == id);
        let mut samplers: Vec<u32> = with.filter_map(|c| globals.position(c.1)).collect();
        samplers.sort_unstable();
        samplers.dedup();
        if !cx.budget.take(size_of::<BindingUse>() + size_of_val(&*samplers)) {
            break;
        }
        all.push(BindingUse { binding, read: access.read, written: access.written, samplers });
    }
    all.sort_unstable_by_key(|b| b.binding);
    all
}

fn used(cx: &Cx<'_>, blocks: &[BlockVariable], usage: &Usage) -> Vec<u32> {
    let used = (0u32..).zip(blocks).filter(|(_, b)| access(usage, Id(b.id)).is_some());
    used.map(|(i, _)| i).take_while(|_| cx.budget.take(size_of::<u32>())).collect()
}

fn workgroup_variables(cx: &mut Cx<'_>, usage: &Usage) -> Vec<WorkgroupVariable> {
    let m = cx.m;
    let mut all = Vec::new();
    for variable in m.global_variables().filter(|v| StorageClass(v.word(3)) == StorageClass::Workgroup) {
        let (id, ty) = (variable.id(2), held_type(&m, variable));
        if access(usage, id).is_some() && cx.budget.take(size_of::<WorkgroupVariable>()) {
            // Explicit layouts (SPV_KHR_workgroup_memory_explicit_layout) say what they take.
            let explicit = m.is_decorated(ty, Decoration::Block).then(|| cx.types.size(&m, ty)).flatten();
            let size = explicit.or_else(|| packed_size(&m, ty));
            all.push(WorkgroupVariable { id: id.0, name: cx.name(id), ty: cx.type_ref(ty), size });
        }
    }
    all
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
        ExecutionMode::LocalSize => {
            Some([3, 4, 5].map(|w| Dimension { size: i.word(w), spec_id: None, constant: None }))
        }
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
        constant: m.info(id).is_spec_constant().then_some(id.0),
    }
}

/// Positions, among the constants with a `SpecId`, of those that an entry point depends on.
fn spec_constants(cx: &Cx<'_>, e: Declared<'_>, usage: &Usage) -> Vec<u32> {
    let m = &cx.m;
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
    let with_id = (0u32..).zip(with_id).take(cx.spec_constants);
    let own = with_id.filter(|(_, id)| needed.binary_search(id).is_ok()).map(|(i, _)| i);
    own.take_while(|_| cx.budget.take(size_of::<u32>())).collect()
}

/// What no entry point uses.
pub(crate) fn unused(r: &Reflection) -> Unused {
    let rest = |count: usize, used: &mut dyn Iterator<Item = u32>| {
        let mut is_used = alloc::vec![false; count];
        used.for_each(|i| is_used.get_mut(i as usize).into_iter().for_each(|u| *u = true));
        (0u32..).zip(is_used).filter(|u| !u.1).map(|u| u.0).collect()
    };
    let points = || r.entry_points.iter();
    Unused {
        bindings: rest(r.bindings.len(), &mut points().flat_map(|p| p.bindings.iter().map(|b| b.binding))),
        push_constants: rest(r.push_constants.len(), &mut points().flat_map(|p| p.push_constants.iter().copied())),
        shader_records: rest(r.shader_records.len(), &mut points().flat_map(|p| p.shader_records.iter().copied())),
        spec_constants: rest(r.spec_constants.len(), &mut points().flat_map(|p| p.spec_constants.iter().copied())),
    }
}
