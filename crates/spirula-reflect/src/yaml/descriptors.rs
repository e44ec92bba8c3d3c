//! Variables behind descriptors.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{BuiltIn, Decoration, StorageClass};
use spirula_module::Type;

use super::blocks::Rule;
use super::model::{BlockVar, Descriptor, TypeDesc, decorated, kind};
use super::words;
use super::{Build, len};
use crate::bindings::held_type;

/// `VkDescriptorType`
pub(super) mod vk {
    pub(crate) const SAMPLER: u32 = 0;
    pub(crate) const COMBINED_IMAGE_SAMPLER: u32 = 1;
    pub(crate) const SAMPLED_IMAGE: u32 = 2;
    pub(crate) const STORAGE_IMAGE: u32 = 3;
    pub(crate) const UNIFORM_TEXEL_BUFFER: u32 = 4;
    pub(crate) const STORAGE_TEXEL_BUFFER: u32 = 5;
    pub(crate) const UNIFORM_BUFFER: u32 = 6;
    pub(crate) const STORAGE_BUFFER: u32 = 7;
    pub(crate) const INPUT_ATTACHMENT: u32 = 10;
    pub(crate) const ACCELERATION_STRUCTURE: u32 = 1_000_150_000;
}

/// Kinds of resource in the words of Direct3D.
mod resource {
    pub(crate) const UNDEFINED: u32 = 0;
    pub(crate) const SAMPLER: u32 = 1;
    pub(crate) const CBV: u32 = 2;
    pub(crate) const SRV: u32 = 4;
    pub(crate) const UAV: u32 = 8;
}

pub(super) fn all(build: &mut Build<'_>) {
    let m = build.m;
    let mut list: Vec<(Descriptor, Id)> = Vec::new();
    for v in m.global_variables() {
        let class = StorageClass(v.word(3));
        if matches!(class, StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer)
            && !is_heap(build, v.id(2))
            && build.may_grow(2 * len(&build.name(v.id(2))))
        {
            let d = descriptor(build, v);
            list.push((d, held_type(&m, v)));
        }
    }
    list.sort_by_key(|(d, _)| (d.binding, d.set, d.id));
    for (mut d, ty) in list {
        d.block = block(build, &d, ty);
        build.out.descriptors.push(d);
    }
    counters(build);
}

fn is_heap(build: &Build<'_>, id: Id) -> bool {
    matches!(
        build.operand(id, Decoration::BuiltIn).map(BuiltIn),
        Some(BuiltIn::ResourceHeapEXT | BuiltIn::SamplerHeapEXT)
    )
}

fn descriptor(build: &mut Build<'_>, v: Inst<'_>) -> Descriptor {
    let m = build.m;
    let id = v.id(2);
    let ty = build.root(held_type(&m, v));
    let desc = build.out.types.get(ty).cloned().unwrap_or_default();
    build.budget.take(desc.array.cost());
    let kind = vk_kind(&desc, StorageClass(v.word(3)));
    let (own, all) = decorations(build, id, &desc);
    let user_type = m.decoration(id, Decoration::UserTypeGOOGLE).and_then(|d| LitStr::read(d.operands));
    Descriptor {
        id: id.0,
        name: build.name(id),
        binding: build.operand(id, Decoration::Binding).unwrap_or(0),
        input_attachment: build.operand(id, Decoration::InputAttachmentIndex).unwrap_or(0),
        set: build.operand(id, Decoration::DescriptorSet).unwrap_or(0),
        // Of arrays of blocks only the block says so.
        decorations: if desc.array.dims.is_empty() { all } else { own },
        block_decorations: all,
        kind,
        resource: resource_kind(kind, all),
        image: desc.image,
        dims: desc.array.dims.clone(),
        counter_id: m.decoration(id, Decoration::CounterBuffer).map(|d| d.operand()),
        ty,
        binding_word: build.operand_word(id, Decoration::Binding),
        set_word: build.operand_word(id, Decoration::DescriptorSet),
        user_type: user_type.and_then(|t| words::user_type(&t.to_text())),
        ..Descriptor::default()
    }
}

/// Decorations of a variable, and those that all members of its block share with it.
fn decorations(build: &Build<'_>, id: Id, desc: &TypeDesc) -> (u32, u32) {
    let m = build.m;
    let own = m.own_decorations(id).fold(0, |mask, d| {
        mask | match d.decoration {
            Decoration::NonWritable => decorated::NON_WRITABLE,
            Decoration::NonReadable => decorated::NON_READABLE,
            Decoration::RelaxedPrecision => decorated::RELAXED_PRECISION,
            Decoration::WeightTextureQCOM => decorated::WEIGHT_TEXTURE,
            Decoration::BlockMatchTextureQCOM => decorated::BLOCK_MATCH_TEXTURE,
            _ => 0,
        }
    });
    let mut all = own;
    if let Some(ty) = desc.structure
        && let Some(Type::Struct { members }) = m.ty(Id(ty))
        && !members.is_empty()
        && (0..members.len() as u32).all(|i| m.member_decoration(Id(ty), i, Decoration::NonWritable).is_some())
    {
        all |= decorated::NON_WRITABLE;
    }
    (own, all)
}

/// What a descriptor with an image of these traits is.
pub(super) fn image_kind(desc: &TypeDesc) -> u32 {
    const BUFFER: u32 = 5;
    const SUBPASS: u32 = 6;
    match (desc.image.dim, desc.image.sampled) {
        (SUBPASS, _) => vk::INPUT_ATTACHMENT,
        (BUFFER, 2) => vk::STORAGE_TEXEL_BUFFER,
        (BUFFER, _) => vk::UNIFORM_TEXEL_BUFFER,
        (_, 2) => vk::STORAGE_IMAGE,
        _ if desc.flags & kind::SAMPLED_IMAGE != 0 => vk::COMBINED_IMAGE_SAMPLER,
        _ => vk::SAMPLED_IMAGE,
    }
}

fn vk_kind(desc: &TypeDesc, class: StorageClass) -> u32 {
    if desc.flags & kind::STRUCT != 0 {
        let storage = class == StorageClass::StorageBuffer || desc.decorations & decorated::BUFFER_BLOCK != 0;
        return if storage { vk::STORAGE_BUFFER } else { vk::UNIFORM_BUFFER };
    }
    if desc.flags & kind::IMAGE != 0 {
        return image_kind(desc);
    }
    if desc.flags & kind::ACCELERATION_STRUCTURE != 0 {
        return vk::ACCELERATION_STRUCTURE;
    }
    vk::SAMPLER
}

fn resource_kind(kind: u32, decorations: u32) -> u32 {
    match kind {
        vk::SAMPLER => resource::SAMPLER,
        vk::COMBINED_IMAGE_SAMPLER => resource::SAMPLER | resource::SRV,
        vk::SAMPLED_IMAGE | vk::UNIFORM_TEXEL_BUFFER | vk::ACCELERATION_STRUCTURE => resource::SRV,
        vk::STORAGE_BUFFER if decorations & decorated::NON_WRITABLE != 0 => resource::SRV,
        vk::STORAGE_IMAGE | vk::STORAGE_TEXEL_BUFFER | vk::STORAGE_BUFFER => resource::UAV,
        vk::UNIFORM_BUFFER => resource::CBV,
        _ => resource::UNDEFINED,
    }
}

fn block(build: &mut Build<'_>, d: &Descriptor, ty: Id) -> usize {
    if build.out.types.get(d.ty).is_some_and(|t| t.structure.is_some()) {
        let rule = if d.kind == vk::STORAGE_BUFFER { Rule::Storage } else { Rule::Uniform };
        let at = build.block(Id(d.id), ty, rule);
        if let Some(b) = build.out.blocks.get_mut(at) {
            b.decorations = d.block_decorations;
        }
        return at;
    }
    build.out.blocks.push(BlockVar { used: true, ..BlockVar::default() });
    build.out.blocks.len() - 1
}

/// Pairs buffers with their counters.
fn counters(build: &mut Build<'_>) {
    let by_id: BTreeMap<u32, usize> = build.out.descriptors.iter().enumerate().map(|(i, d)| (d.id, i)).collect();
    for d in &mut build.out.descriptors {
        d.counter = d.counter_id.and_then(|c| by_id.get(&c).copied());
    }
}
