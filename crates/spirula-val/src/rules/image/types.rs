//! `OpTypeImage`, `OpTypeSampledImage`, `OpSampledImage`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, Dim, ImageFormat, Version};
use spirula_module::{Image, Scalar, Shape, Type};

use super::{OPERAND, SAMPLED, SHAPE, image};
use crate::cx::Cx;
use crate::rules::universal;
use crate::signature::describe;

rules! {
    group "image";
    /// The Sampled Type of an image is void or a numerical scalar.
    SAMPLED_TYPE: "type-image-sampled-type", spec "OpTypeImage";
    /// Vulkan's images have a Sampled Type of 32-bit floats, or of 32-bit or 64-bit integers.
    SAMPLED_TYPE_VULKAN: "type-image-sampled-type-vulkan", vuid "VUID-StandaloneSpirv-OpTypeImage-04656";
    /// Vulkan's images are used either with a sampler or without: Sampled is 1 or 2.
    SAMPLED_VULKAN: "type-image-sampled-vulkan", vuid "VUID-StandaloneSpirv-OpTypeImage-04657";
    /// Vulkan has no images of the dimensionality `Rect`.
    RECT: "type-image-rect", vuid "VUID-StandaloneSpirv-OpTypeImage-09638";
    /// Depth, Arrayed, MS and Sampled have the values that the specification lists.
    LITERAL: "type-image-literal", spec "OpTypeImage";
    /// An image of the dimensionality `SubpassData` is used without a sampler and has the format `Unknown`.
    SUBPASS: "type-image-subpass", spec "OpTypeImage";
    /// Vulkan's input attachments are not arrayed and used without a sampler.
    SUBPASS_VULKAN: "type-image-subpass-vulkan", vuid "VUID-StandaloneSpirv-OpTypeImage-06214";
    /// An image of the dimensionality `TileImageDataEXT` has a Sampled Type, no depth, layers or format, and no sampler.
    TILE: "type-image-tile", extension "SPV_EXT_shader_tile_image";
    /// A multisampled image that is used without a sampler needs the capability `StorageImageMultisample`.
    MULTISAMPLED: "type-image-storage-multisample", spec "OpTypeImage";
    /// The Image Format has components of the Sampled Type's kind.
    FORMAT: "type-image-format", vuid "VUID-StandaloneSpirv-Image-04965";
    /// `OpTypeSampledImage` is made of an image that can be used with a sampler.
    SAMPLED_IMAGE: "type-sampled-image", spec "OpTypeSampledImage";
    /// Vulkan's sampled images are made of images whose Sampled operand is 1.
    SAMPLED_IMAGE_VULKAN: "type-sampled-image-vulkan", vuid "VUID-StandaloneSpirv-OpTypeSampledImage-06671";
    /// Handles of bindless samplers and images have 32 or 64 bits.
    ADDRESSING: "sampler-image-addressing-mode", extension "SPV_NV_bindless_texture";
    /// `OpSampledImage` combines an image and a sampler to the sampled image of that image's type.
    COMBINE: "sampled-image-operands", spec "OpSampledImage";
}

/// `OpTypeImage`.
pub(crate) fn type_image(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let image = Image::of(inst);
    literals(cx, inst, image)?;
    let sampled = universal::type_operand(cx, inst, 2)?;
    let m = cx.m;
    let void = sampled.shape() == Shape::Void;
    let number = sampled.shape() == Shape::Scalar && sampled.component_class() != Scalar::Bool;
    cx.check_at(void || number, &SAMPLED_TYPE, inst, 2, || {
        format!("the Sampled Type is {}, neither void nor a number", describe(m, image.sampled_type))
    })?;
    if cx.env.is_vulkan() {
        vulkan(cx, inst, image)?;
    }
    match image.dim {
        Dim::SubpassData => subpass(cx, inst, image)?,
        Dim::TileImageDataEXT => tile(cx, inst, image, void)?,
        _ => {
            let needs = image.ms == 1 && image.sampled == 2 && !cx.has(Capability::StorageImageMultisample);
            cx.check(
                !needs,
                &MULTISAMPLED,
                inst,
                || "a multisampled image without sampler needs StorageImageMultisample",
            )?;
        }
    }
    Ok(())
}

fn literals(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image) -> Checked {
    let all =
        [("Depth", image.depth, 2), ("Arrayed", image.arrayed, 1), ("MS", image.ms, 1), ("Sampled", image.sampled, 2)];
    for (i, (name, value, most)) in all.into_iter().enumerate() {
        cx.check_at(value <= most, &LITERAL, inst, 4 + i, || format!("{name} is {value}, but must be at most {most}"))?;
    }
    Ok(())
}

fn vulkan(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image) -> Checked {
    let m = cx.m;
    let sampled = m.key(image.sampled_type);
    let ok = matches!((sampled.component_class(), sampled.width()), (Scalar::Int, 32 | 64) | (Scalar::Float, 32))
        || sampled.is_scalar(Scalar::Float) && sampled.width() == 16 && cx.has(Capability::Float16ImageAMD);
    cx.check_at(ok && sampled.shape() == Shape::Scalar, &SAMPLED_TYPE_VULKAN, inst, 2, || {
        format!("the Sampled Type is {}", describe(m, image.sampled_type))
    })?;
    let rect = image.dim == Dim::Rect;
    cx.check_at(!rect, &RECT, inst, 3, || "the dimensionality is Rect")?;
    if image.dim != Dim::SubpassData && image.dim != Dim::TileImageDataEXT {
        cx.check_at(image.sampled != 0, &SAMPLED_VULKAN, inst, 7, || "Sampled is 0")?;
    }
    if let Some(kind) = kind_of(image.format) {
        let ok = match kind {
            Kind::Float => sampled.component_class() == Scalar::Float,
            Kind::Signed | Kind::Unsigned => {
                // A 32-bit type of either signedness: what a read makes of the bits is up to SignExtend and ZeroExtend.
                sampled.component_class() == Scalar::Int
            }
        };
        let wide = matches!(image.format, ImageFormat::R64i | ImageFormat::R64ui);
        let ok = ok && (kind == Kind::Float || wide == (sampled.width() == 64));
        cx.check_at(ok, &FORMAT, inst, 8, || {
            format!("the format {} does not fit to the Sampled Type {}", image.format, describe(m, image.sampled_type))
        })?;
    }
    Ok(())
}

/// What the components of a format are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Float,
    Signed,
    Unsigned,
}

/// Kind of the components; `None` for `Unknown` and formats that are not known.
pub(super) fn kind_of(format: ImageFormat) -> Option<Kind> {
    use ImageFormat as F;
    Some(match format {
        F::Unknown => return None,
        F::Rgba32i | F::Rgba16i | F::Rgba8i | F::R32i | F::Rg32i | F::Rg16i | F::Rg8i | F::R16i | F::R8i | F::R64i => {
            Kind::Signed
        }
        F::Rgba32ui
        | F::Rgba16ui
        | F::Rgba8ui
        | F::R32ui
        | F::Rgb10a2ui
        | F::Rg32ui
        | F::Rg16ui
        | F::Rg8ui
        | F::R16ui
        | F::R8ui
        | F::R64ui => Kind::Unsigned,
        F::Rgba32f
        | F::Rgba16f
        | F::R32f
        | F::Rgba8
        | F::Rgba8Snorm
        | F::Rg32f
        | F::Rg16f
        | F::R11fG11fB10f
        | F::R16f
        | F::Rgba16
        | F::Rgb10A2
        | F::Rg16
        | F::Rg8
        | F::R16
        | F::R8
        | F::Rgba16Snorm
        | F::Rg16Snorm
        | F::Rg8Snorm
        | F::R16Snorm
        | F::R8Snorm => Kind::Float,
        _ => return None,
    })
}

fn subpass(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image) -> Checked {
    let rule: &'static Rule = if cx.env.is_vulkan() { &SUBPASS_VULKAN } else { &SUBPASS };
    cx.check_at(image.sampled == 2, rule, inst, 7, || {
        format!("an image of the dimensionality SubpassData has Sampled {}, not 2", image.sampled)
    })?;
    let arrayed = cx.env.is_vulkan() && image.arrayed != 0;
    cx.check_at(!arrayed, rule, inst, 5, || "an image of the dimensionality SubpassData is arrayed")?;
    cx.check_at(image.format == ImageFormat::Unknown, &SUBPASS, inst, 8, || {
        format!("an image of the dimensionality SubpassData has the format {}, not Unknown", image.format)
    })
}

fn tile(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image, void: bool) -> Checked {
    cx.check_at(!void, &TILE, inst, 2, || "the Sampled Type of a tile image is void")?;
    cx.check_at(image.depth == 0, &TILE, inst, 4, || "a tile image has Depth other than 0")?;
    cx.check_at(image.arrayed == 0, &TILE, inst, 5, || "a tile image is arrayed")?;
    cx.check_at(image.sampled == 2, &TILE, inst, 7, || "a tile image has Sampled other than 2")?;
    cx.check_at(image.format == ImageFormat::Unknown, &TILE, inst, 8, || "a tile image has a format")
}

/// `OpTypeSampledImage`.
pub(crate) fn type_sampled_image(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let Some(Type::Image(image)) = m.ty(inst.id(2)) else {
        return cx.fail_at(&SAMPLED_IMAGE, inst, 2, || format!("{} is no OpTypeImage", describe(m, inst.id(2))));
    };
    let dim = image.dim;
    let plain = !matches!(dim, Dim::SubpassData | Dim::TileImageDataEXT);
    cx.check_at(plain, &SAMPLED_IMAGE, inst, 2, || format!("the image has the dimensionality {dim}"))?;
    let rule: &'static Rule = if cx.env.is_vulkan() { &SAMPLED_IMAGE_VULKAN } else { &SAMPLED_IMAGE };
    let ok = image.sampled == 1 || image.sampled == 0 && !cx.env.is_vulkan();
    cx.check_at(ok, rule, inst, 2, || format!("the image's Sampled operand is {}", image.sampled))?;
    let buffer = dim == Dim::Buffer && cx.version >= Version::v1(6);
    cx.check_at(
        !buffer,
        &SAMPLED_IMAGE,
        inst,
        2,
        || "the image has the dimensionality Buffer, which SPIR-V 1.6 excludes",
    )
}

/// `OpSampledImage`.
pub(super) fn sampled_image(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let Some(Type::SampledImage { image: wanted }) = m.ty(inst.id(1)) else {
        return cx
            .fail_at(&COMBINE, inst, 1, || format!("the Result Type {} is no sampled image", describe(m, inst.id(1))));
    };
    let image = image(cx, inst, 3)?;
    let ok = if cx.env.is_vulkan() { image.sampled == 1 } else { image.sampled != 2 };
    cx.check_at(ok, &SAMPLED, inst, 3, || format!("the image's Sampled operand is {}", image.sampled))?;
    let plain = !matches!(image.dim, Dim::SubpassData | Dim::TileImageDataEXT);
    cx.check_at(plain, &SHAPE, inst, 3, || format!("the image has the dimensionality {}", image.dim))?;
    let ty = cx.type_at(inst, 3)?;
    cx.check_at(match_but_depth(cx, ty, wanted), &COMBINE, inst, 3, || {
        format!("the image has type {}, but the Result Type is made of {}", describe(m, ty), describe(m, wanted))
    })?;
    let sampler = cx.type_at(inst, 4)?;
    cx.check_at(m.ty(sampler) == Some(Type::Sampler), &OPERAND, inst, 4, || {
        format!("{} has type {}, not a sampler", inst.id(4), describe(m, sampler))
    })
}

/// Whether two image types are the same but for the Depth operand.
fn match_but_depth(cx: &Cx<'_>, a: Id, b: Id) -> bool {
    if a == b {
        return true;
    }
    match (cx.m.ty(a), cx.m.ty(b)) {
        (Some(Type::Image(a)), Some(Type::Image(b))) => Image { depth: 0, ..a } == Image { depth: 0, ..b },
        _ => false,
    }
}

/// `OpSamplerImageAddressingModeNV`.
pub(super) fn addressing_mode(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let bits = inst.word(1);
    cx.check_at(matches!(bits, 32 | 64), &ADDRESSING, inst, 1, || format!("handles have {bits} bits"))
}
