//! Sampling and gathering.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Dim, Op};
use spirula_module::{Image, is_implicit_lod};

use super::{FLOAT, Kinds, SHAPE, coordinate, dims, operands, plane, qcom, sampled_image, texel};
use crate::cx::Cx;
use crate::rules::derivative;
use crate::signature::describe;

rules! {
    group "image";
    /// The depth-comparison reference is a 32-bit float.
    DREF: "image-dref", spec "OpImageSampleDrefImplicitLod";
    /// Vulkan compares depths in no images of the dimensionality `3D`, and gathers from `2D`, `Cube` and `Rect` only.
    DREF_DIM: "image-dref-dim", vuid "VUID-StandaloneSpirv-OpImage-04777";
    /// The component that a gather reads is a 32-bit integer.
    COMPONENT: "image-gather-component", spec "OpImageGather";
    /// In Vulkan, the component that a gather reads is a constant.
    COMPONENT_CONSTANT: "image-gather-component-constant", vuid "VUID-StandaloneSpirv-OpImageGather-04664";
}

fn is_projective(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
    )
}

/// The image of a sampling instruction, and its coordinate.
fn common<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked<Image> {
    qcom::plain_texture(cx, inst, 3)?;
    let image = sampled_image(cx, inst, 3)?;
    implicit(cx, inst)?;
    cx.check_at(image.ms == 0, &SHAPE, inst, 3, || format!("{} on a multisampled image", inst.op()))?;
    cx.check_at(image.dim != Dim::Buffer, &SHAPE, inst, 3, || format!("{} on a texel buffer", inst.op()))?;
    if is_projective(inst.op()) {
        dims(cx, inst, 3, image, &[Dim::Dim1D, Dim::Dim2D, Dim::Dim3D, Dim::Rect])?;
        cx.check_at(image.arrayed == 0, &SHAPE, inst, 3, || format!("{} on an arrayed image", inst.op()))?;
    }
    let extra = u32::from(is_projective(inst.op())) + u32::from(image.arrayed == 1);
    // Kernels address texels with integers too.
    let kinds = match inst.op() {
        Op::ImageSampleExplicitLod if cx.has(Capability::Kernel) => Kinds { float: true, int: true },
        _ => FLOAT,
    };
    coordinate(cx, inst, 4, kinds, plane(image) + extra)?;
    Ok(image)
}

fn implicit<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_implicit_lod(inst.op()) { derivative::uses_derivatives(cx, inst) } else { Ok(()) }
}

pub(super) fn color<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let image = common(cx, inst)?;
    texel(cx, inst, image, 4)?;
    operands::check(cx, inst, 5, image)
}

fn dref(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.key_at(inst, 5)?;
    let m = cx.m;
    cx.check_at(key.is_float() && key.width() == 32, &DREF, inst, 5, || {
        format!("Dref has type {}, not a 32-bit float", describe(m, m.type_id_of(inst.id(5))))
    })
}

pub(super) fn depth<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let image = common(cx, inst)?;
    texel(cx, inst, image, 1)?;
    dref(cx, inst)?;
    let solid = cx.env.is_vulkan() && image.dim == Dim::Dim3D;
    cx.check_at(!solid, &DREF_DIM, inst, 3, || "the image has the dimensionality 3D")?;
    operands::check(cx, inst, 6, image)
}

pub(super) fn gather(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    qcom::plain_texture(cx, inst, 3)?;
    let image = sampled_image(cx, inst, 3)?;
    texel(cx, inst, image, 4)?;
    cx.check_at(image.ms == 0, &SHAPE, inst, 3, || format!("{} on a multisampled image", inst.op()))?;
    let flat = matches!(image.dim, Dim::Dim2D | Dim::Cube | Dim::Rect);
    let rule = if cx.env.is_vulkan() { &DREF_DIM } else { &SHAPE };
    cx.check_at(flat, rule, inst, 3, || format!("{} on an image of the dimensionality {}", inst.op(), image.dim))?;
    coordinate(cx, inst, 4, FLOAT, plane(image) + u32::from(image.arrayed == 1))?;
    if matches!(inst.op(), Op::ImageGather | Op::ImageSparseGather) {
        let key = cx.key_at(inst, 5)?;
        cx.check_at(key.is_int() && key.width() == 32, &COMPONENT, inst, 5, || {
            format!("the component has type {}, not a 32-bit integer", describe(m, m.type_id_of(inst.id(5))))
        })?;
        let constant = m.info(inst.id(5)).is_constant() || !cx.env.is_vulkan();
        cx.check_at(constant, &COMPONENT_CONSTANT, inst, 5, || format!("the component {} is no constant", inst.id(5)))?;
    } else {
        dref(cx, inst)?;
    }
    operands::check(cx, inst, 6, image)
}
