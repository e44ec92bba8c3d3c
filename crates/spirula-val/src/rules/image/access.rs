//! Fetches, reads, writes, pointers to texels.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule, rules};
use spirula_grammar::{AccessQualifier, Capability, Dim, ExecutionModel, ImageFormat, Op, StorageClass};
use spirula_module::{Image, ModelSet, Scalar, Shape, Type};

use super::{
    COORDINATE, INT, Kinds, OPERAND, RESULT, SAMPLED, SAMPLED_TYPE, SHAPE, coordinate, image, image_of, operands,
    plane, qcom, sampled_type, texel,
};
use crate::cx::{Cx, msg};
use crate::rules::operand::may_be;
use crate::signature::describe;

rules! {
    group "image";
    /// Access to a storage image of some dimensionality needs that dimensionality's capability.
    STORAGE: "storage-image-capability", spec "OpImageRead";
    /// In Vulkan, reading or writing a storage image without a format needs a capability.
    FORMAT: "storage-image-format", spec "OpImageRead";
    /// An image that is WriteOnly is not read, and one that is ReadOnly not written. A warning, since the specification says
    /// so of the qualifiers and not of the instructions.
    QUALIFIER: "image-access-qualifier", warn spec "§3.2.17";
    /// In Vulkan, what is written to an image with a format has as many components as the format at least.
    WRITTEN: "image-write-components", warn vuid "VUID-RuntimeSpirv-OpImageWrite-07112";
    /// In Vulkan, what is read from an image is a vector of four components.
    FOUR: "image-read-components", vuid "VUID-StandaloneSpirv-Result-04780";
    /// Input attachments are read in fragment shaders.
    SUBPASS_MODEL: "subpass-model", spec "OpImageRead";
    /// In Vulkan, an input attachment is read at the constant coordinate (0, 0).
    SUBPASS: "subpass-coordinate", vuid "VUID-StandaloneSpirv-SubpassData-04660";
    /// `OpImageTexelPointer` points to a texel of an image: into the storage class `Image`, at the Sampled Type.
    POINTER: "texel-pointer", spec "OpImageTexelPointer";
    /// In Vulkan, atomic access is to images of the formats R64i, R64ui, R32f, R32i, R32ui.
    POINTER_FORMAT: "texel-pointer-format", vuid "VUID-StandaloneSpirv-OpImageTexelPointer-04658";
    /// In Vulkan, atomic access through untyped pointers is to images of the formats R64i, R64ui, R32f, R32i, R32ui.
    UNTYPED_POINTER_FORMAT: "untyped-texel-pointer-format",
        vuid "VUID-StandaloneSpirv-OpUntypedImageTexelPointerEXT-11416";
}

/// Reads and writes take coordinates of either kind.
const TEXEL: Kinds = Kinds { float: true, int: true };

/// Components of a coordinate without sampler: faces and layers of a cube count together.
fn layered(image: Image) -> u32 {
    plane(image) + u32::from(image.arrayed == 1 && !matches!(image.dim, Dim::SubpassData | Dim::Cube))
}

pub(super) fn fetch(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    qcom::plain_texture(cx, inst, 3)?;
    let image = image(cx, inst, 3)?;
    texel(cx, inst, image, 4)?;
    let cube = image.dim == Dim::Cube;
    cx.check_at(!cube, &SHAPE, inst, 3, || "a fetch from a cube image")?;
    let known = image.sampled == 1 || image.sampled == 0 && cx.has(Capability::Kernel);
    cx.check_at(known, &SAMPLED, inst, 3, || format!("the image's Sampled operand is {}, not 1", image.sampled))?;
    coordinate(cx, inst, 4, INT, layered(image))?;
    operands::check(cx, inst, 5, image)?;
    access_kind(cx, inst, 5, 3, image)
}

/// The image's access qualifier, where its type has one, is not the one that forbids the access.
fn qualifier(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, image: Image, wrong: AccessQualifier) -> Checked {
    let m = cx.m;
    cx.check_at(image.access != Some(wrong), &QUALIFIER, inst, word, || {
        msg(format!("{} on an image that is {wrong}", inst.op())).declared(m, m.type_id_of(inst.id(word)))
    })
}

/// What reads and writes demand of the image alike.
fn storage(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, image: Image) -> Checked {
    if image.dim == Dim::TileImageDataEXT {
        return cx.fail_at(&SHAPE, inst, word, || format!("{} on a tile image", inst.op()));
    }
    cx.check_at(
        image.sampled != 1,
        &SAMPLED,
        inst,
        word,
        || "the image's Sampled operand is 1, so that it needs a sampler",
    )?;
    if image.sampled != 2 {
        return Ok(());
    }
    let need = match image.dim {
        Dim::Dim1D => Some(Capability::Image1D),
        Dim::Rect => Some(Capability::ImageRect),
        Dim::Buffer => Some(Capability::ImageBuffer),
        Dim::Cube if image.arrayed == 1 => Some(Capability::ImageCubeArray),
        _ if image.ms == 1 && image.arrayed == 1 && image.dim != Dim::SubpassData => Some(Capability::ImageMSArray),
        _ => None,
    };
    match need {
        Some(c) if !cx.has(c) => {
            cx.fail_at(&STORAGE, inst, word, || format!("{} on this image needs the capability {c}", inst.op()))
        }
        _ => Ok(()),
    }
}

pub(super) fn read(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    qcom::plain_texture(cx, inst, 3)?;
    let image = image(cx, inst, 3)?;
    let subpass = image.dim == Dim::SubpassData;
    if subpass {
        cx.check_models(ModelSet::of(&[ExecutionModel::Fragment]), &SUBPASS_MODEL, inst, |others| {
            format!("an input attachment is read from an entry point of the model {others}")
        })?;
    }
    qualifier(cx, inst, 3, image, AccessQualifier::WriteOnly)?;
    let sparse = inst.op() == Op::ImageSparseRead;
    cx.check_at(!(subpass && sparse), &SHAPE, inst, 3, || "OpImageSparseRead from an input attachment")?;
    storage(cx, inst, 3, image)?;
    let ty = texel(cx, inst, image, 0)?;
    let four = !cx.env.is_vulkan() || m.key(ty).count() == 4;
    cx.check_at(four, &FOUR, inst, 1, || format!("the texel has type {}", describe(m, ty)))?;
    coordinate(cx, inst, 4, TEXEL, layered(image))?;
    if subpass && cx.env.is_vulkan() {
        cx.check_at(is_zero(cx, inst.id(4)), &SUBPASS, inst, 4, || {
            format!("the coordinate {} is not the constant (0, 0)", inst.id(4))
        })?;
    }
    let unknown = cx.env.is_vulkan() && image.format == ImageFormat::Unknown && image.sampled == 2 && !subpass;
    let ok = !unknown || cx.has(Capability::StorageImageReadWithoutFormat);
    cx.check_at(ok, &FORMAT, inst, 3, || "the image has no format, which needs StorageImageReadWithoutFormat")?;
    operands::check(cx, inst, 5, image)?;
    access_kind(cx, inst, 5, 3, image)
}

/// Without `SignExtend` or `ZeroExtend`, the Sampled Type says what the integers are.
fn access_kind(cx: &mut Cx<'_>, inst: Inst<'_>, mask: usize, word: usize, image: Image) -> Checked {
    if operands::says_signedness(inst, mask) {
        return Ok(());
    }
    operands::format_fits(cx, inst, word, image, None)
}

/// Whether the id is a constant vector of two zeros.
fn is_zero(cx: &Cx<'_>, id: Id) -> bool {
    let Some(def) = cx.m.def(id) else { return false };
    match def.op() {
        Op::ConstantNull => true,
        Op::ConstantComposite => {
            def.tail(3).iter().all(|c| cx.m.int_constant(Id(*c)).is_some_and(|v| v.bits == 0 && !v.spec))
        }
        _ => false,
    }
}

pub(super) fn write(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    qcom::plain_texture(cx, inst, 1)?;
    let image = image(cx, inst, 1)?;
    let subpass = image.dim == Dim::SubpassData;
    cx.check_at(!subpass, &SHAPE, inst, 1, || "OpImageWrite to an input attachment")?;
    storage(cx, inst, 1, image)?;
    qualifier(cx, inst, 1, image, AccessQualifier::ReadOnly)?;
    coordinate(cx, inst, 2, TEXEL, layered(image))?;
    let key = cx.key_at(inst, 3)?;
    let number = matches!(key.component_class(), Scalar::Int | Scalar::Float) && key.is_scalar_or_vector();
    cx.check_at(number, &OPERAND, inst, 3, || {
        format!("the texel has type {}, not integers or floats", describe(m, m.type_id_of(inst.id(3))))
    })?;
    sampled_type(cx, inst, 3, key, image)?;
    let needs = if cx.env.is_vulkan() { components(image.format) } else { 0 };
    cx.check_at(key.count() >= needs, &WRITTEN, inst, 3, || {
        format!("the texel has {} components, but the format {} has {needs}", key.count(), image.format)
    })?;
    let unknown = cx.env.is_vulkan() && image.format == ImageFormat::Unknown && image.sampled == 2;
    let ok = !unknown || cx.has(Capability::StorageImageWriteWithoutFormat);
    cx.check_at(ok, &FORMAT, inst, 1, || "the image has no format, which needs StorageImageWriteWithoutFormat")?;
    operands::check(cx, inst, 4, image)?;
    access_kind(cx, inst, 4, 1, image)
}

/// How many components a format has; none where that is not known.
fn components(format: ImageFormat) -> u32 {
    use ImageFormat as F;
    match format {
        F::Rgba32f | F::Rgba16f | F::Rgba16 | F::Rgba16Snorm | F::Rgba8 | F::Rgba8Snorm | F::Rgb10A2 => 4,
        F::Rgba32i | F::Rgba16i | F::Rgba8i | F::Rgba32ui | F::Rgba16ui | F::Rgba8ui | F::Rgb10a2ui => 4,
        F::R11fG11fB10f => 3,
        F::Rg32f | F::Rg16f | F::Rg16 | F::Rg16Snorm | F::Rg8 | F::Rg8Snorm => 2,
        F::Rg32i | F::Rg16i | F::Rg8i | F::Rg32ui | F::Rg16ui | F::Rg8ui => 2,
        F::Unknown => 0,
        _ => 1,
    }
}

pub(super) fn texel_pointer(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let typed = inst.op() == Op::ImageTexelPointer;
    let (class, pointee) = match (m.pointer(inst.id(1)), typed) {
        (Some((class, pointee)), true) if pointee != Id(0) => (class, pointee),
        (Some((class, pointee)), false) => (class, pointee),
        _ => {
            return cx
                .fail_at(&POINTER, inst, 1, || format!("the Result Type {} is no pointer", describe(m, inst.id(1))));
        }
    };
    cx.check_at(class == StorageClass::Image, &POINTER, inst, 1, || {
        format!("the Result Type points to {class}, not Image")
    })?;
    let key = m.key(pointee);
    let number = matches!(key.component_class(), Scalar::Int | Scalar::Float) && key.is_scalar_or_vector();
    let vector = key.shape() == Shape::Vector && !cx.has(Capability::AtomicFloat16VectorNV);
    let ok = pointee == Id(0) || key.shape() == Shape::Void || number && !vector;
    cx.check_at(ok, &POINTER, inst, 1, || format!("the Result Type points to {}, not a number", describe(m, pointee)))?;
    // The untyped form names the image's type in an operand of its own.
    let first = if typed { 3 } else { 4 };
    let ty = if typed {
        let pointer = cx.type_at(inst, 3)?;
        m.pointer(pointer).map(|p| p.1)
    } else {
        Some(inst.id(3))
    };
    let image = ty.filter(|t| matches!(m.ty(*t), Some(Type::Image(_)))).and_then(|t| image_of(cx, t));
    cx.check_at(image.is_some(), &POINTER, inst, 3, || format!("{} is no pointer to an image", inst.id(3)))?;
    let image = image.ok_or(Failed)?;
    if typed {
        let same = image.sampled_type == pointee || key.shape() == Shape::Vector;
        cx.check_at(same, &SAMPLED_TYPE, inst, 1, || {
            format!(
                "the Result Type points to {}, but the Sampled Type is {}",
                describe(m, pointee),
                describe(m, image.sampled_type)
            )
        })?;
    }
    let plain = !matches!(image.dim, Dim::SubpassData | Dim::TileImageDataEXT);
    cx.check_at(plain, &SHAPE, inst, 3, || format!("{} on an image of the dimensionality {}", inst.op(), image.dim))?;
    position(cx, inst, first, image)?;
    formats(cx, inst, image, typed)
}

/// Coordinate and sample of a pointer to a texel.
fn position(cx: &mut Cx<'_>, inst: Inst<'_>, first: usize, image: Image) -> Checked {
    let need = layered(image);
    let (m, key) = (cx.m, cx.key_at(inst, first + 1)?);
    // Of any width, other than where texels are read and written.
    cx.check_at(key.is_int_scalar_or_vector(), &COORDINATE, inst, first + 1, || {
        format!("the coordinate has type {}, not integers", describe(m, m.type_id_of(inst.id(first + 1))))
    })?;
    cx.check_at(key.count() == need, &COORDINATE, inst, first + 1, || {
        format!("the coordinate has {} components, but the image needs {need}", key.count())
    })?;
    let sample = cx.key_at(inst, first + 2)?;
    cx.check_at(sample.is_int(), &POINTER, inst, first + 2, || "the sample is no integer")?;
    let zero = image.ms == 1 || may_be(cx.m, inst.id(first + 2), 0);
    cx.check_at(
        zero,
        &POINTER,
        inst,
        first + 2,
        || "the image is not multisampled, but the sample is not the constant 0",
    )
}

fn formats(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image, typed: bool) -> Checked {
    use ImageFormat as F;
    let plain = matches!(image.format, F::R64i | F::R64ui | F::R32f | F::R32i | F::R32ui);
    let half = cx.has(Capability::AtomicFloat16VectorNV) && matches!(image.format, F::Rg16f | F::Rgba16f);
    let rule: &'static Rule = if typed { &POINTER_FORMAT } else { &UNTYPED_POINTER_FORMAT };
    cx.check_at(plain || half || !cx.env.is_vulkan(), rule, inst, 3, || {
        format!("the image has the format {}", image.format)
    })
}

pub(super) fn resident(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let ok = cx.result_key(inst)?.is_bool();
    cx.check_at(ok, &RESULT, inst, 1, || "the Result Type is no Boolean")?;
    let ok = cx.key_at(inst, 3)?.is_int();
    cx.check_at(ok, &OPERAND, inst, 3, || "the resident code is no integer")
}
