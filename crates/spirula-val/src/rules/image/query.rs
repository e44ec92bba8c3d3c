//! Queries.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Dim, Op};
use spirula_module::{Image, Scalar, Type};

use super::{FLOAT, Kinds, OPERAND, RESULT, SHAPE, coordinate, dims, plane, qcom};
use crate::cx::Cx;
use crate::rules::derivative;
use crate::signature::describe;

rules! {
    group "image";
    /// In Vulkan, sizes by level, levels of detail and numbers of levels are asked of images that are used with a sampler.
    SAMPLED: "image-query-sampled", vuid "VUID-StandaloneSpirv-OpImageQuerySizeLod-04659";
    /// `OpImage` takes the image out of a sampled image: its Result Type is the image's type.
    IMAGE: "image-of-sampled-image", spec "OpImage";
}

const LEVELS: [Dim; 4] = [Dim::Dim1D, Dim::Dim2D, Dim::Dim3D, Dim::Cube];

pub(super) fn image(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ok = matches!(m.ty(inst.id(1)), Some(Type::Image(_)));
    cx.check_at(ok, &IMAGE, inst, 1, || format!("the Result Type {} is no image", describe(m, inst.id(1))))?;
    let ty = cx.type_at(inst, 3)?;
    match m.ty(ty) {
        Some(Type::SampledImage { image }) => cx.check_at(image == inst.id(1), &IMAGE, inst, 1, || {
            format!(
                "the Result Type is {}, but the sampled image is made of {}",
                describe(m, inst.id(1)),
                describe(m, image)
            )
        }),
        _ => cx
            .fail_at(&OPERAND, inst, 3, || format!("{} has type {}, not a sampled image", inst.id(3), describe(m, ty))),
    }
}

fn int_scalar(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let ok = cx.result_key(inst)?.is_int();
    let m = cx.m;
    cx.check_at(ok, &RESULT, inst, 1, || format!("the Result Type is {}, not an integer", describe(m, inst.id(1))))
}

pub(super) fn format_or_order(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    int_scalar(cx, inst)?;
    let image = super::image(cx, inst, 3)?;
    let tile = image.dim == Dim::TileImageDataEXT;
    cx.check_at(!tile, &SHAPE, inst, 3, || format!("{} on a tile image", inst.op()))
}

/// The size of an image has a component for each dimension and one for the layers.
fn size_components(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image) -> Checked {
    let key = cx.result_key(inst)?;
    let m = cx.m;
    cx.check_at(key.is_int_scalar_or_vector(), &RESULT, inst, 1, || {
        format!("the Result Type is {}, not an integer or a vector of integers", describe(m, inst.id(1)))
    })?;
    let need = if image.dim == Dim::Cube { 2 } else { plane(image) } + u32::from(image.arrayed == 1);
    cx.check_at(key.count() == need, &RESULT, inst, 1, || {
        format!("the Result Type has {} components, but the image's size has {need}", key.count())
    })
}

/// Multisampled images have no levels of detail.
fn single(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image) -> Checked {
    cx.check_at(image.ms == 0, &SHAPE, inst, 3, || "the image is multisampled")
}

fn sampled(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image) -> Checked {
    let ok = image.sampled == 1 || !cx.env.is_vulkan();
    cx.check_at(ok, &SAMPLED, inst, 3, || format!("the image's Sampled operand is {}", image.sampled))
}

pub(super) fn size_lod(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let image = super::image(cx, inst, 3)?;
    dims(cx, inst, 3, image, &LEVELS)?;
    single(cx, inst, image)?;
    sampled(cx, inst, image)?;
    size_components(cx, inst, image)?;
    let level = cx.key_at(inst, 4)?;
    let ok = level.is_int() && (level.width() == 32 || cx.has(Capability::Kernel) && level.width() == 64);
    let m = cx.m;
    cx.check_at(ok, &OPERAND, inst, 4, || {
        format!("the level of detail has type {}, not a 32-bit integer", describe(m, m.type_id_of(inst.id(4))))
    })
}

pub(super) fn size(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let image = super::image(cx, inst, 3)?;
    dims(cx, inst, 3, image, &[Dim::Dim1D, Dim::Dim2D, Dim::Dim3D, Dim::Cube, Dim::Buffer, Dim::Rect])?;
    let whole = !LEVELS.contains(&image.dim) || image.ms == 1 || image.sampled != 1;
    cx.check_at(whole, &SHAPE, inst, 3, || "the image has levels of detail; OpImageQuerySizeLod gives a level's size")?;
    size_components(cx, inst, image)
}

pub(super) fn lod<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let key = cx.result_key(inst)?;
    let ok = key.is_float_scalar_or_vector() && key.component_class() == Scalar::Float;
    cx.check_at(ok && key.count() == 2, &RESULT, inst, 1, || {
        format!("the Result Type is {}, not a vector of two floats", describe(m, inst.id(1)))
    })?;
    qcom::plain_texture(cx, inst, 3)?;
    let image = super::sampled_image(cx, inst, 3)?;
    dims(cx, inst, 3, image, &LEVELS)?;
    single(cx, inst, image)?;
    derivative::uses_derivatives(cx, inst)?;
    let kinds = if cx.has(Capability::Kernel) { Kinds { float: true, int: true } } else { FLOAT };
    coordinate(cx, inst, 4, kinds, plane(image))?;
    Ok(())
}

pub(super) fn levels_or_samples(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    int_scalar(cx, inst)?;
    let image = super::image(cx, inst, 3)?;
    if inst.op() == Op::ImageQueryLevels {
        dims(cx, inst, 3, image, &LEVELS)?;
        single(cx, inst, image)?;
        return sampled(cx, inst, image);
    }
    dims(cx, inst, 3, image, &[Dim::Dim2D])?;
    cx.check_at(image.ms == 1, &SHAPE, inst, 3, || "the image is not multisampled")
}
