//! Entry points, with what their call trees use.

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::{EntryPoint as Declared, Module};

use crate::bindings::{Globals, held_type, position};
use crate::model::*;
use crate::tree::Tree;
use crate::usage::{Kinds, Usages};
use crate::{Cx, heaps, interface, spec, text};

pub(crate) fn points<'m>(
    cx: &mut Cx<'_, 'm>,
    globals: &Globals<'_, '_>,
    usages: &Usages,
    tree: &mut Tree,
) -> Vec<EntryPoint<'m>> {
    let m = cx.m;
    let mut points = Vec::with_capacity(1);
    // Read from the words alone, as names are to be borrowed from them.
    for e in m.entry_points().filter_map(|e| Inst::at(cx.words, e.inst.offset())).map(Declared::of) {
        let strings = e.name.map_or(0, LitStr::len);
        if !cx.budget.take(size_of::<EntryPoint<'_>>() + strings) {
            break;
        }
        tree.fill(&m, usages, e.function);
        points.push(point(cx, globals, tree, e));
    }
    points
}

/// Finds the semantics that occur more than once.
pub(crate) fn duplicates(m: &Module<'_>, types: &[Type<'_>], points: &mut [EntryPoint<'_>]) {
    if !m.may_be_decorated(Decoration::UserSemantic) {
        return;
    }
    for point in points {
        interface::duplicates(types, &point.inputs, &mut point.duplicate_semantics);
        interface::duplicates(types, &point.outputs, &mut point.duplicate_semantics);
    }
}

fn point<'m>(cx: &mut Cx<'_, 'm>, globals: &Globals<'_, '_>, tree: &Tree, e: Declared<'m>) -> EntryPoint<'m> {
    let m = cx.m;
    let mut point = EntryPoint {
        name: e.name.map(LitStr::text).unwrap_or_default(),
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
        bindings: bindings(cx, tree),
        push_constants: used(cx, &globals.push_constants, tree),
        shader_records: used(cx, &globals.shader_records, tree),
        workgroup_memory: None,
        workgroup_variables: workgroup_variables(cx, &globals.workgroup, tree),
        heap_accesses: heaps::accesses(cx, &tree.lists.heap_chains, &tree.lists.buffer_pointers),
        spec_constants: Vec::new(),
        duplicate_semantics: Vec::new(),
        uses_subgroups: tree.kinds.has(Kinds::SUBGROUPS),
        uses_derivatives: tree.kinds.has(Kinds::DERIVATIVES),
        uses_discard: tree.kinds.has(Kinds::DISCARDS),
    };
    let sizes = point.workgroup_variables.iter();
    point.workgroup_memory = sizes.map(|v| v.size).try_fold(0u32, |all, size| all.checked_add(size?));
    interfaces(cx, e, tree, &mut point);
    point.spec_constants = spec_constants(cx, e, tree);
    point
}

/// Interface variables that room is made for before it is known whether the budget pays for them.
const INTERFACES_AT_ONCE: usize = 64;

fn interfaces<'m>(cx: &mut Cx<'_, 'm>, e: Declared<'_>, tree: &Tree, point: &mut EntryPoint<'m>) {
    let m = cx.m;
    let [inputs, outputs] = [StorageClass::Input, StorageClass::Output].map(|class| {
        let of_class = |id: &&u32| m.class_of(Id(**id)) == Some(class);
        e.interface.iter().take(INTERFACES_AT_ONCE).filter(of_class).count()
    });
    point.inputs.reserve(inputs);
    point.outputs.reserve(outputs);
    for id in e.interface {
        let Some(inst) = m.def(Id(*id)).filter(|i| matches!(i.op(), Op::Variable | Op::UntypedVariableKHR)) else {
            continue;
        };
        match StorageClass(inst.word(3)) {
            class @ (StorageClass::Input | StorageClass::Output) => {
                if !cx.budget.take(size_of::<InterfaceVariable<'_>>()) {
                    break;
                }
                let used = tree.access(&m, Id(*id)).is_some();
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
                if !cx.budget.take(size_of::<Payload<'_>>()) {
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
    let key = |v: &InterfaceVariable<'_>| (v.location.unwrap_or(u32::MAX), v.component.unwrap_or(0), v.id);
    point.inputs.sort_by_key(key);
    point.outputs.sort_by_key(key);
}

fn bindings(cx: &Cx<'_, '_>, tree: &Tree) -> Vec<BindingUse> {
    let mut all = Vec::new();
    for (variable, access) in &tree.lists.variables {
        let Some(binding) = position(cx, *variable) else { continue };
        let samplers = samplers(cx, tree, *variable);
        if !cx.budget.take(size_of::<BindingUse>() + size_of_val(&*samplers)) {
            break;
        }
        all.push(BindingUse { binding, read: access.reads(), written: access.writes(), samplers });
    }
    all.sort_unstable_by_key(|b| b.binding);
    all
}

/// Positions of the samplers with which an image is combined.
fn samplers(cx: &Cx<'_, '_>, tree: &Tree, image: u32) -> Vec<u32> {
    let first = tree.lists.combined.partition_point(|c| c.0 < image);
    let with = tree.lists.combined[first..].iter().take_while(|c| c.0 == image);
    let mut samplers: Vec<u32> = with.filter_map(|c| position(cx, c.1)).collect();
    samplers.sort_unstable();
    samplers.dedup();
    samplers
}

fn used(cx: &Cx<'_, '_>, blocks: &[BlockVariable<'_>], tree: &Tree) -> Vec<u32> {
    let used = (0u32..).zip(blocks).filter(|(_, b)| tree.access(&cx.m, Id(b.id)).is_some());
    used.map(|(i, _)| i).take_while(|_| cx.budget.take(size_of::<u32>())).collect()
}

fn workgroup_variables<'m>(cx: &mut Cx<'_, 'm>, variables: &[Inst<'_>], tree: &Tree) -> Vec<WorkgroupVariable<'m>> {
    let m = cx.m;
    let mut all = Vec::new();
    for variable in variables {
        let (id, ty) = (variable.id(2), held_type(&m, *variable));
        if tree.access(&m, id).is_some() && cx.budget.take(size_of::<WorkgroupVariable<'_>>()) {
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

/// Whether an annotation makes a constant the size of workgroups.
fn is_workgroup_size(i: &Inst<'_>) -> bool {
    i.op() == Op::Decorate
        && Decoration(i.word(2)) == Decoration::BuiltIn
        && BuiltIn(i.word(3)) == BuiltIn::WorkgroupSize
}

fn built_in_size(m: &Module<'_>) -> Option<[Dimension; 3]> {
    if !m.may_be_decorated(Decoration::BuiltIn) {
        return None;
    }
    let inst = m.annotations().find(is_workgroup_size)?;
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
fn spec_constants(cx: &Cx<'_, '_>, e: Declared<'_>, tree: &Tree) -> Vec<u32> {
    let m = &cx.m;
    if cx.spec_constants == 0 {
        return Vec::new();
    }
    let with_id = cx.survey.special.iter().filter(|i| spec::is_scalar(i.op())).map(|i| i.id(2));
    let with_id = with_id.filter(|id| m.is_decorated(*id, Decoration::SpecId));
    let mut needed: Vec<Id> = tree.lists.constants.iter().flat_map(|c| spec::leaves(m, *c)).collect();
    for (mode, inst) in m.execution_modes(e.function) {
        if mode == ExecutionMode::LocalSizeId {
            needed.extend(inst.tail(3).iter().flat_map(|w| spec::leaves(m, Id(*w))));
        }
    }
    if e.model == ExecutionModel::GLCompute
        && let Some(size) = m.annotations().find(is_workgroup_size)
    {
        needed.extend(spec::leaves(m, size.id(1)));
    }
    needed.extend(cx.survey.special_lengths.iter().flat_map(|l| spec::leaves(m, *l)));
    needed.sort_unstable();
    let with_id = (0u32..).zip(with_id).take(cx.spec_constants);
    let own = with_id.filter(|(_, id)| needed.binary_search(id).is_ok()).map(|(i, _)| i);
    own.take_while(|_| cx.budget.take(size_of::<u32>())).collect()
}

/// What no entry point uses.
pub(crate) fn unused(r: &Reflection<'_>, is_used: &mut Vec<bool>) -> Unused {
    let mut rest = |count: usize, used: &mut dyn Iterator<Item = u32>| {
        is_used.clear();
        is_used.resize(count, false);
        used.for_each(|i| is_used.get_mut(i as usize).into_iter().for_each(|u| *u = true));
        (0u32..).zip(&*is_used).filter(|u| !u.1).map(|u| u.0).collect()
    };
    let points = || r.entry_points.iter();
    Unused {
        bindings: rest(r.bindings.len(), &mut points().flat_map(|p| p.bindings.iter().map(|b| b.binding))),
        push_constants: rest(r.push_constants.len(), &mut points().flat_map(|p| p.push_constants.iter().copied())),
        shader_records: rest(r.shader_records.len(), &mut points().flat_map(|p| p.shader_records.iter().copied())),
        spec_constants: rest(r.spec_constants.len(), &mut points().flat_map(|p| p.spec_constants.iter().copied())),
    }
}
