//! Descriptors, push constants and shader records.

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst, view};
use spirula_grammar::{BuiltIn, Decoration, Dim, Op, StorageClass};
use spirula_module::{Module, Type as Raw};

use crate::facts::{self, Flags, OfMember, OfVariable};
use crate::model::{Binding, BlockVariable, Count, Counter, DescriptorKind};
use crate::types::{MAX_NESTING, count};
use crate::{Cx, hlsl};

/// The variables outside of functions that the host provides for, and those in Workgroup memory.
#[derive(Default)]
pub(crate) struct Globals<'i, 'm> {
    pub(crate) bindings: Vec<Binding<'m>>,
    pub(crate) push_constants: Vec<BlockVariable<'m>>,
    pub(crate) shader_records: Vec<BlockVariable<'m>>,
    pub(crate) workgroup: Vec<Inst<'i>>,
}

/// Position among the bindings of a variable that the index traces.
pub(crate) fn position(cx: &Cx<'_, '_>, variable: u32) -> Option<u32> {
    cx.lists.bindings.get(variable as usize)?.checked_sub(1)
}

/// Type that a variable holds: what its pointer type points to, or for an untyped variable its data type.
pub(crate) fn held_type(m: &Module<'_>, variable: Inst<'_>) -> Id {
    match variable.op() {
        Op::UntypedVariableKHR => view::UntypedVariableKHR::of(variable).rest.first().map_or(Id(0), |t| Id(*t)),
        _ => m.pointer(variable.id(1)).map_or(Id(0), |p| p.1),
    }
}

/// Bindings that room is made for before it is known whether the budget pays for them.
const BINDINGS_AT_ONCE: usize = 64;

/// Whether variables of a storage class are bound to descriptors.
fn is_bound(class: StorageClass) -> bool {
    matches!(class, StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer)
}

pub(crate) fn globals<'i, 'm>(cx: &mut Cx<'i, 'm>) -> Globals<'i, 'm> {
    let m = cx.m;
    let mut all = Globals::default();
    let count = m.global_variables().take(BINDINGS_AT_ONCE).filter(|v| is_bound(StorageClass(v.word(3)))).count();
    all.bindings.reserve(count);
    for variable in m.global_variables() {
        match StorageClass(variable.word(3)) {
            class if is_bound(class) && cx.budget.take(size_of::<Binding<'_>>()) => {
                all.bindings.push(binding(cx, variable));
            }
            StorageClass::PushConstant if cx.budget.take(size_of::<BlockVariable<'_>>()) => {
                all.push_constants.push(block(cx, variable));
            }
            StorageClass::ShaderRecordBufferKHR if cx.budget.take(size_of::<BlockVariable<'_>>()) => {
                all.shader_records.push(block(cx, variable));
            }
            StorageClass::Workgroup => all.workgroup.push(variable),
            _ => {}
        }
    }
    cx.lists.bindings.clear();
    if all.bindings.is_empty() {
        return all;
    }
    all.bindings.sort_by_key(|b| (b.set.unwrap_or(u32::MAX), b.binding.unwrap_or(u32::MAX), b.id));
    cx.lists.bindings.resize(m.traced_count(), 0);
    for (b, position) in all.bindings.iter().zip(1..) {
        if let Some(at) = m.info(Id(b.id)).traced().and_then(|v| cx.lists.bindings.get_mut(v)) {
            *at = position;
        }
    }
    counters(cx, &mut all);
    aliases(cx, &mut all.bindings);
    all
}

fn binding<'m>(cx: &mut Cx<'_, 'm>, variable: Inst<'_>) -> Binding<'m> {
    let m = cx.m;
    let (id, class) = (variable.id(2), StorageClass(variable.word(3)));
    let (ty, count) = unwrapped(&m, held_type(&m, variable));
    let own = OfVariable::new(&m, id);
    let members = member_count(&m, ty);
    // A promise of all members is one of the block.
    let flags = own.flags.or(facts::of_all(cx.types.members(&m, ty, members)));
    Binding {
        id: id.0,
        name: cx.name(id),
        set: own.set,
        binding: own.binding,
        kind: heap(own.built_in).unwrap_or_else(|| kind_of_type(&m, class, ty)),
        count,
        ty: cx.type_ref(ty),
        size: if members > 0 { cx.types.size(&m, ty) } else { None },
        input_attachment_index: own.input_attachment_index,
        non_writable: flags.has(Flags::NON_WRITABLE),
        non_readable: flags.has(Flags::NON_READABLE),
        coherent: flags.has(Flags::COHERENT),
        volatile: flags.has(Flags::VOLATILE),
        restrict: flags.has(Flags::RESTRICT),
        counter: None,
        counter_of: None,
        aliases: Vec::new(),
        addresses: Vec::new(),
    }
}

fn member_count(m: &Module<'_>, ty: Id) -> usize {
    if let Some(Raw::Struct { members }) = m.ty(ty) { members.len() } else { 0 }
}

/// Takes the arrays of descriptors off a type: what one descriptor holds, and how many there are.
fn unwrapped(m: &Module<'_>, mut ty: Id) -> (Id, Count) {
    let mut total = Count::Fixed(1);
    for _ in 0..MAX_NESTING {
        let (element, own) = match m.ty(ty) {
            Some(Raw::Array { element, length }) => (element, count(m, length)),
            Some(Raw::RuntimeArray { element }) => (element, Count::Runtime),
            _ => break,
        };
        total = match (total, own) {
            (Count::Runtime, _) | (_, Count::Runtime) => Count::Runtime,
            (Count::Fixed(a), Count::Fixed(b)) => Count::Fixed(a.saturating_mul(b)),
            (Count::Fixed(a), Count::Spec { id, default }) | (Count::Spec { id, default }, Count::Fixed(a)) => {
                Count::Spec { id, default: default.and_then(|d| d.checked_mul(a)) }
            }
            (Count::Spec { id, default: a }, Count::Spec { default: b, .. }) => {
                Count::Spec { id, default: a.zip(b).and_then(|(a, b)| a.checked_mul(b)) }
            }
        };
        ty = element;
    }
    (ty, total)
}

/// What a variable is as a descriptor.
pub(crate) fn kind(m: &Module<'_>, id: Id, class: StorageClass, ty: Id) -> DescriptorKind {
    let built_in = m.decoration(id, Decoration::BuiltIn).map(|d| d.operand());
    heap(built_in).unwrap_or_else(|| kind_of_type(m, class, ty))
}

fn heap(built_in: Option<u32>) -> Option<DescriptorKind> {
    match BuiltIn(built_in?) {
        BuiltIn::SamplerHeapEXT => Some(DescriptorKind::SamplerHeap),
        BuiltIn::ResourceHeapEXT => Some(DescriptorKind::ResourceHeap),
        _ => None,
    }
}

/// What a descriptor is that holds values of this type.
pub(crate) fn kind_of_type(m: &Module<'_>, class: StorageClass, ty: Id) -> DescriptorKind {
    match m.ty(ty) {
        Some(Raw::Sampler) => DescriptorKind::Sampler,
        Some(Raw::SampledImage { image }) => match m.ty(image) {
            Some(Raw::Image(i)) if i.dim == Dim::Buffer => DescriptorKind::UniformTexelBuffer,
            _ => DescriptorKind::CombinedImageSampler,
        },
        Some(Raw::Image(i)) => match (i.dim, i.sampled) {
            (Dim::SubpassData, _) => DescriptorKind::InputAttachment,
            (Dim::Buffer, 2) => DescriptorKind::StorageTexelBuffer,
            (Dim::Buffer, _) => DescriptorKind::UniformTexelBuffer,
            (_, 2) => DescriptorKind::StorageImage,
            _ => DescriptorKind::SampledImage,
        },
        Some(Raw::AccelerationStructure) => DescriptorKind::AccelerationStructure,
        Some(Raw::Other(inst)) if inst.op() == Op::TypeTensorARM => DescriptorKind::Tensor,
        _ if class == StorageClass::StorageBuffer || m.is_decorated(ty, Decoration::BufferBlock) => {
            DescriptorKind::StorageBuffer
        }
        _ if class == StorageClass::Uniform => DescriptorKind::UniformBuffer,
        _ => DescriptorKind::Other,
    }
}

fn block<'m>(cx: &mut Cx<'_, 'm>, variable: Inst<'_>) -> BlockVariable<'m> {
    let m = cx.m;
    let ty = held_type(&m, variable);
    let members = cx.types.members(&m, ty, member_count(&m, ty));
    let offset = members.iter().filter_map(OfMember::offset).min().unwrap_or(0);
    BlockVariable {
        id: variable.word(2),
        name: cx.name(variable.id(2)),
        ty: cx.type_ref(ty),
        offset,
        size: cx.types.size(&m, ty).unwrap_or(0).saturating_sub(offset),
        addresses: Vec::new(),
    }
}

fn counters(cx: &Cx<'_, '_>, all: &mut Globals<'_, '_>) {
    let names = all.bindings.iter().rev().filter(|b| hlsl::is_counter(&b.name)).map(|b| (&*b.name, Id(b.id)));
    let names: hlsl::ByName<'_> = names.collect();
    if names.is_empty() && !cx.m.may_be_decorated(Decoration::CounterBuffer) {
        return;
    }
    let buffers = all.bindings.iter().enumerate().filter(|(_, b)| matches!(b.kind, DescriptorKind::StorageBuffer));
    let found = buffers.filter_map(|(i, b)| Some((i, b.id, hlsl::counter(&cx.m, Id(b.id), &b.name, &names)?)));
    let found: Vec<(usize, u32, Counter)> = found.collect();
    for (i, own, counter) in found {
        let other = cx.m.info(Id(counter.id)).traced().and_then(|v| position(cx, v as u32));
        if let Some(other) = other.and_then(|o| all.bindings.get_mut(o as usize)) {
            other.counter_of = Some(own);
        }
        if let Some(b) = all.bindings.get_mut(i) {
            b.counter = Some(counter);
        }
    }
}

/// Variables that share a set and binding. They lie together, since the bindings are sorted.
fn aliases(cx: &Cx<'_, '_>, bindings: &mut [Binding<'_>]) {
    for group in bindings.chunk_by_mut(|a, b| a.set == b.set && a.binding == b.binding) {
        if group.len() < 2 || group[0].binding.is_none() {
            continue;
        }
        let ids: Vec<u32> = group.iter().map(|b| b.id).take(MAX_ALIASES).collect();
        for b in group {
            if !cx.budget.take(size_of_val(&*ids)) {
                return;
            }
            b.aliases = ids.iter().copied().filter(|id| *id != b.id).collect();
        }
    }
}

/// More aliases than this are not listed.
const MAX_ALIASES: usize = 16;
