//! Resources that are picked by an index which is no constant (Vulkan Environment for SPIR-V).
//!
//! Compilers leave most of these capabilities out, and devices that lack the features are rare, so that the rules are off
//! unless somebody asks for them.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Rule, Severity, rules};
use spirula_grammar::{Capability as C, Decoration, Dim, Op, StorageClass};
use spirula_module::{Image, Module, Type};

use crate::cx::{Cx, msg};
use crate::facts::without_arrays;

rules! {
    group "dynamic-indexing";
    /// Without `UniformBufferArrayDynamicIndexing`, uniform buffers of an array are picked by constants.
    UNIFORM: "dynamic-index-uniform-buffer", allow vuid "VUID-StandaloneSpirv-UniformBufferArrayDynamicIndexing-10127";
    /// Without `SampledImageArrayDynamicIndexing`, samplers and sampled images of an array are picked by constants.
    SAMPLED: "dynamic-index-sampled-image", allow vuid "VUID-StandaloneSpirv-SampledImageArrayDynamicIndexing-10128";
    /// Without `StorageBufferArrayDynamicIndexing`, storage buffers of an array are picked by constants.
    BUFFER: "dynamic-index-storage-buffer", allow vuid "VUID-StandaloneSpirv-StorageBufferArrayDynamicIndexing-10129";
    /// Without `StorageImageArrayDynamicIndexing`, storage images of an array are picked by constants.
    IMAGE: "dynamic-index-storage-image", allow vuid "VUID-StandaloneSpirv-StorageImageArrayDynamicIndexing-10130";
    /// Without `InputAttachmentArrayDynamicIndexing`, input attachments of an array are picked by constants.
    ATTACHMENT: "dynamic-index-input-attachment", allow vuid "VUID-StandaloneSpirv-InputAttachmentArrayDynamicIndexing-10131";
    /// Without `UniformTexelBufferArrayDynamicIndexing`, uniform texel buffers of an array are picked by constants.
    UNIFORM_TEXEL: "dynamic-index-uniform-texel-buffer", allow vuid "VUID-StandaloneSpirv-UniformTexelBufferArrayDynamicIndexing-10132";
    /// Without `StorageTexelBufferArrayDynamicIndexing`, storage texel buffers of an array are picked by constants.
    STORAGE_TEXEL: "dynamic-index-storage-texel-buffer", allow vuid "VUID-StandaloneSpirv-StorageTexelBufferArrayDynamicIndexing-10133";
}

/// A rule with the capability that lifts it, and the one for indices that are not uniform.
struct Kind(&'static Rule, C, C);

const KINDS: [Kind; 7] = [
    Kind(&UNIFORM, C::UniformBufferArrayDynamicIndexing, C::UniformBufferArrayNonUniformIndexing),
    Kind(&SAMPLED, C::SampledImageArrayDynamicIndexing, C::SampledImageArrayNonUniformIndexing),
    Kind(&BUFFER, C::StorageBufferArrayDynamicIndexing, C::StorageBufferArrayNonUniformIndexing),
    Kind(&IMAGE, C::StorageImageArrayDynamicIndexing, C::StorageImageArrayNonUniformIndexing),
    Kind(&ATTACHMENT, C::InputAttachmentArrayDynamicIndexing, C::InputAttachmentArrayNonUniformIndexing),
    Kind(&UNIFORM_TEXEL, C::UniformTexelBufferArrayDynamicIndexing, C::UniformTexelBufferArrayNonUniformIndexing),
    Kind(&STORAGE_TEXEL, C::StorageTexelBufferArrayDynamicIndexing, C::StorageTexelBufferArrayNonUniformIndexing),
];

/// Judges all access chains, where the rules are on.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let wanted = |k: &Kind| cx.options.severity(k.0) != Severity::Allow && !cx.has(k.1) && !cx.has(k.2);
    if !cx.env.is_vulkan() || !KINDS.iter().any(wanted) {
        return;
    }
    let m = cx.m;
    for inst in m.functions().iter().flat_map(|f| m.insts(f.body_words())) {
        if matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain) && inst.words().len() > 4 {
            chain(cx, inst);
        }
    }
}

fn chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    let m = cx.m;
    let (base, index) = (inst.id(3), inst.id(4));
    let Some((class, ty)) = m.pointer(m.type_id_of(base)).filter(|_| m.info(base).op == Op::Variable) else { return };
    let (inner, arrays) = without_arrays(m, ty);
    if arrays == 0 || m.info(index).is_constant() {
        return;
    }
    let Some(Kind(rule, dynamic, not_uniform)) = kind(m, class, inner).map(|k| &KINDS[k]) else { return };
    if cx.has(*dynamic) || cx.has(*not_uniform) {
        return;
    }
    let text = || {
        msg(format!("{base}, an array of resources, is indexed with {index}, which is no constant"))
            .help(format!("that needs capability {dynamic}"))
    };
    cx.fail_at(rule, inst, 4, text).ok();
}

/// Position in the table of kinds of what a storage class holds.
fn kind(m: Module<'_>, class: StorageClass, ty: Id) -> Option<usize> {
    match class {
        StorageClass::Uniform if m.is_decorated(ty, Decoration::BufferBlock) => Some(2),
        StorageClass::Uniform => Some(0),
        StorageClass::StorageBuffer => Some(2),
        StorageClass::UniformConstant => match m.ty(ty)? {
            Type::Sampler => Some(1),
            Type::SampledImage { image } => match m.ty(image)? {
                Type::Image(Image { dim: Dim::Buffer, .. }) => Some(5),
                _ => Some(1),
            },
            Type::Image(Image { dim: Dim::SubpassData, .. }) => Some(4),
            Type::Image(Image { dim: Dim::Buffer, sampled, .. }) => Some(if sampled == 1 { 5 } else { 6 }),
            Type::Image(Image { sampled, .. }) => Some(if sampled == 1 { 1 } else { 3 }),
            _ => None,
        },
        _ => None,
    }
}
