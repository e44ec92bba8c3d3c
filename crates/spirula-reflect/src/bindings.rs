//! Descriptors, push constants and shader records.

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst, view};
use spirula_grammar::{BuiltIn, Decoration, Dim, Op, StorageClass};
use spirula_module::{Module, Type as Raw};

use crate::model::{Binding, BlockVariable, Count, DescriptorKind};
use crate::types::{MAX_NESTING, count};
use crate::{Cx, hlsl};

/// The variables outside of functions that the host provides for.
pub(crate) struct Globals {
    pub(crate) bindings: Vec<Binding>,
    pub(crate) push_constants: Vec<BlockVariable>,
    pub(crate) shader_records: Vec<BlockVariable>,
    /// Ids of the variables of `bindings` with their positions there, by id.
    pub(crate) variables: Vec<(Id, u32)>,
}

impl Globals {
    /// Position of a variable among the bindings.
    pub(crate) fn position(&self, id: Id) -> Option<u32> {
        let at = self.variables.binary_search_by_key(&id, |v| v.0).ok()?;
        self.variables.get(at).map(|v| v.1)
    }
}

/// Type that a variable holds: what its pointer type points to, or for an untyped variable its data type.
pub(crate) fn held_type(m: &Module<'_>, variable: Inst<'_>) -> Id {
    match variable.op() {
        Op::UntypedVariableKHR => view::UntypedVariableKHR::of(variable).rest.first().map_or(Id(0), |t| Id(*t)),
        _ => m.pointer(variable.id(1)).map_or(Id(0), |p| p.1),
    }
}

pub(crate) fn globals(cx: &mut Cx<'_>) -> Globals {
    let m = cx.m;
    let mut all =
        Globals { bindings: Vec::new(), push_constants: Vec::new(), shader_records: Vec::new(), variables: Vec::new() };
    for variable in m.global_variables() {
        match StorageClass(variable.word(3)) {
            StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer
                if cx.budget.take(size_of::<Binding>()) =>
            {
                all.bindings.push(binding(cx, variable));
            }
            StorageClass::PushConstant if cx.budget.take(size_of::<BlockVariable>()) => {
                all.push_constants.push(block(cx, variable));
            }
            StorageClass::ShaderRecordBufferKHR if cx.budget.take(size_of::<BlockVariable>()) => {
                all.shader_records.push(block(cx, variable));
            }
            _ => {}
        }
    }
    all.bindings.sort_by_key(|b| (b.set.unwrap_or(u32::MAX), b.binding.unwrap_or(u32::MAX), b.id));
    all.variables = (0..).zip(&all.bindings).map(|(i, b)| (Id(b.id), i)).collect();
    all.variables.sort_unstable();
    counters(cx, &mut all);
    aliases(cx, &mut all.bindings);
    all
}

fn binding(cx: &mut Cx<'_>, variable: Inst<'_>) -> Binding {
    let m = cx.m;
    let (id, class) = (variable.id(2), StorageClass(variable.word(3)));
    let (ty, count) = unwrapped(&m, held_type(&m, variable));
    let operand = |d| m.decoration(id, d).map(|d| d.operand());
    // A promise of all members is one of the block.
    let members = if let Some(Raw::Struct { members }) = m.ty(ty) { members.len() as u32 } else { 0 };
    let has = |d| m.is_decorated(id, d) || members > 0 && (0..members).all(|i| m.member_decoration(ty, i, d).is_some());
    Binding {
        id: id.0,
        name: cx.name(id),
        set: operand(Decoration::DescriptorSet),
        binding: operand(Decoration::Binding),
        kind: kind(&m, id, class, ty),
        count,
        ty: cx.type_ref(ty),
        size: if members > 0 { cx.types.size(&m, ty) } else { None },
        input_attachment_index: operand(Decoration::InputAttachmentIndex),
        non_writable: has(Decoration::NonWritable),
        non_readable: has(Decoration::NonReadable),
        coherent: has(Decoration::Coherent),
        volatile: has(Decoration::Volatile),
        restrict: has(Decoration::Restrict),
        counter: None,
        counter_of: None,
        aliases: Vec::new(),
        addresses: Vec::new(),
    }
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

pub(crate) fn kind(m: &Module<'_>, id: Id, class: StorageClass, ty: Id) -> DescriptorKind {
    match m.decoration(id, Decoration::BuiltIn).map(|d| BuiltIn(d.operand())) {
        Some(BuiltIn::SamplerHeapEXT) => return DescriptorKind::SamplerHeap,
        Some(BuiltIn::ResourceHeapEXT) => return DescriptorKind::ResourceHeap,
        _ => {}
    }
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

fn block(cx: &mut Cx<'_>, variable: Inst<'_>) -> BlockVariable {
    let m = cx.m;
    let ty = held_type(&m, variable);
    let members = if let Some(Raw::Struct { members }) = m.ty(ty) { members.len() as u32 } else { 0 };
    let offset = (0..members).filter_map(|i| m.member_decoration(ty, i, Decoration::Offset)).map(|d| d.operand()).min();
    let offset = offset.unwrap_or(0);
    BlockVariable {
        id: variable.word(2),
        name: cx.name(variable.id(2)),
        ty: cx.type_ref(ty),
        offset,
        size: cx.types.size(&m, ty).unwrap_or(0).saturating_sub(offset),
        addresses: Vec::new(),
    }
}

fn counters(cx: &Cx<'_>, all: &mut Globals) {
    let names = all.bindings.iter().rev().filter(|b| !b.name.is_empty()).map(|b| (b.name.clone(), Id(b.id)));
    let names: hlsl::ByName = names.collect();
    for i in 0..all.bindings.len() {
        let Some(b) = all.bindings.get(i).filter(|b| matches!(b.kind, DescriptorKind::StorageBuffer)) else { continue };
        let Some(counter) = hlsl::counter(&cx.m, Id(b.id), &b.name, &names) else { continue };
        let (own, other) = (b.id, all.position(Id(counter.id)));
        if let Some(other) = other.and_then(|o| all.bindings.get_mut(o as usize)) {
            other.counter_of = Some(own);
        }
        all.bindings[i].counter = Some(counter);
    }
}

/// Variables that share a set and binding. They lie together, since the bindings are sorted.
fn aliases(cx: &Cx<'_>, bindings: &mut [Binding]) {
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
