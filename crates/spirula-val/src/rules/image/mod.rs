//! Image instructions (§3.3.10), and the types of images.

pub(super) mod access;
pub(super) mod operands;
pub(super) mod qcom;
pub(super) mod query;
pub(super) mod sample;
pub(crate) mod tile;
pub(super) mod types;

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Capability, Dim, Op};
use spirula_module::{IdInfo, Image, Scalar, Type, TypeKey};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "image";
    /// The image or sampled image that an instruction uses has the type that the instruction takes.
    OPERAND: "image-operand-type", spec "§3.3.10";
    /// The Result Type of an image instruction is of the kind that the instruction gives.
    RESULT: "image-result-type", spec "§3.3.10";
    /// The components of what is read or written have the image's Sampled Type.
    SAMPLED_TYPE: "image-sampled-type", spec "§3.3.10";
    /// The image has a dimensionality, and is single- or multisampled, as the instruction demands.
    SHAPE: "image-shape", spec "§3.3.10";
    /// An image is used with or without a sampler, as its type's Sampled operand says.
    SAMPLED: "image-sampled", spec "§3.3.10";
    /// A coordinate has as many components as the image's dimensions and layers need, of the type that the instruction
    /// takes.
    COORDINATE: "image-coordinate", spec "§3.3.10";
    /// The result of `OpSampledImage` is used in the block that makes it, by image instructions only.
    SAMPLED_IMAGE_USE: "sampled-image-use", spec "OpSampledImage";
}

pub(crate) const TABLE: Table = rule_table! {
    TypeImage => types::type_image;
    TypeSampledImage => types::type_sampled_image;
    SamplerImageAddressingModeNV => types::addressing_mode;
    SampledImage => types::sampled_image;
    ImageSampleImplicitLod | ImageSampleExplicitLod | ImageSampleProjImplicitLod | ImageSampleProjExplicitLod
        | ImageSparseSampleImplicitLod | ImageSparseSampleExplicitLod => sample::color;
    ImageSampleDrefImplicitLod | ImageSampleDrefExplicitLod | ImageSampleProjDrefImplicitLod
        | ImageSampleProjDrefExplicitLod | ImageSparseSampleDrefImplicitLod
        | ImageSparseSampleDrefExplicitLod => sample::depth;
    ImageGather | ImageDrefGather | ImageSparseGather | ImageSparseDrefGather => sample::gather;
    ImageFetch | ImageSparseFetch => access::fetch;
    ImageRead | ImageSparseRead => access::read;
    ImageWrite => access::write;
    ImageTexelPointer | UntypedImageTexelPointerEXT => access::texel_pointer;
    ImageSparseTexelsResident => access::resident;
    Image => query::image;
    ImageQueryFormat | ImageQueryOrder => query::format_or_order;
    ImageQuerySizeLod => query::size_lod;
    ImageQuerySize => query::size;
    ImageQueryLod => query::lod;
    ImageQueryLevels | ImageQuerySamples => query::levels_or_samples;
    ImageSampleWeightedQCOM => qcom::weighted;
    ImageBoxFilterQCOM => qcom::box_filter;
    ImageBlockMatchSSDQCOM | ImageBlockMatchSADQCOM | ImageBlockMatchGatherSSDQCOM
        | ImageBlockMatchGatherSADQCOM => qcom::block_match;
    ImageBlockMatchWindowSSDQCOM | ImageBlockMatchWindowSADQCOM => qcom::block_match_window;
    ImageGatherQCOM => qcom::gather;
    ColorAttachmentReadEXT => tile::color;
    DepthAttachmentReadEXT | StencilAttachmentReadEXT => tile::depth_or_stencil;
};

/// The image type that a type is, or is sampled from.
pub(crate) fn image_of(cx: &Cx<'_>, ty: Id) -> Option<Image> {
    match cx.m.ty(ty)? {
        Type::Image(image) => Some(image),
        Type::SampledImage { image } => match cx.m.ty(image)? {
            Type::Image(image) => Some(image),
            _ => None,
        },
        _ => None,
    }
}

/// The image type of the sampled image at `word`.
fn sampled_image(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<Image> {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let ok = matches!(m.ty(ty), Some(Type::SampledImage { .. }));
    cx.check_at(ok, &OPERAND, inst, word, || {
        let id = inst.id(word);
        msg(format!("{id} has type {}, not a sampled image", describe(m, ty))).declared(m, id)
    })?;
    image_of(cx, ty).ok_or(Failed)
}

/// The type of the image at `word`.
fn image(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<Image> {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let ok = matches!(m.ty(ty), Some(Type::Image(_)));
    cx.check_at(ok, &OPERAND, inst, word, || {
        let id = inst.id(word);
        msg(format!("{id} has type {}, not an image", describe(m, ty))).declared(m, id)
    })?;
    image_of(cx, ty).ok_or(Failed)
}

/// Whether the instruction also tells whether texels are resident.
fn is_sparse(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
            | Op::ImageSparseGather
            | Op::ImageSparseDrefGather
            | Op::ImageSparseFetch
            | Op::ImageSparseRead
    )
}

/// The type of the texel that the instruction gives: the Result Type, or the second member of a sparse one's structure.
fn texel_type(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked<Id> {
    if !is_sparse(inst.op()) {
        return Ok(inst.id(1));
    }
    let m = cx.m;
    let texel = match m.ty(inst.id(1)) {
        Some(Type::Struct { members: &[code, texel] }) if m.key(Id(code)).is_int() => Some(Id(texel)),
        _ => None,
    };
    cx.check_at(texel.is_some(), &RESULT, inst, 1, || {
        format!("the Result Type is {}, not a structure of an integer and a texel", describe(m, inst.id(1)))
    })?;
    texel.ok_or(Failed)
}

/// The texel is of `components` numbers (1, 4, or 0 for any number) of the Sampled Type.
fn texel(cx: &mut Cx<'_>, inst: Inst<'_>, image: Image, components: u32) -> Checked<Id> {
    let ty = texel_type(cx, inst)?;
    let key = cx.key(ty)?;
    let m = cx.m;
    let number = matches!(key.component_class(), Scalar::Int | Scalar::Float) && key.is_scalar_or_vector();
    let fits = components == 0 || key.count() == components;
    cx.check_at(number && fits, &RESULT, inst, 1, || {
        let must = match components {
            0 => "a scalar or vector of integers or floats",
            1 => "an integer or float",
            _ => "a vector of four integers or floats",
        };
        format!("the texel has type {}, not {must}", describe(m, ty))
    })?;
    sampled_type(cx, inst, 1, key, image)?;
    // What a comparison gives has the Sampled Type, which is a number then.
    let compares = components == 1 || matches!(inst.op(), Op::ImageDrefGather | Op::ImageSparseDrefGather);
    let void = m.key(image.sampled_type).component_class() == Scalar::None;
    cx.check_at(!(compares && void), &SAMPLED_TYPE, inst, 1, || "the image's Sampled Type is void")?;
    Ok(ty)
}

/// The components of `key`, at `word`, have the image's Sampled Type, unless that is void.
fn sampled_type(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, key: TypeKey, image: Image) -> Checked {
    let m = cx.m;
    let sampled = m.key(image.sampled_type);
    let half = cx.has(Capability::Float16ImageAMD) && key.width() == 16 && sampled.width() == 32;
    let ok = sampled.component_class() == Scalar::None
        || key.component() == sampled
        || half && key.component_class() == sampled.component_class();
    cx.check_at(ok, &SAMPLED_TYPE, inst, word, || {
        format!("the image's Sampled Type is {}, another than that of the components", describe(m, image.sampled_type))
    })
}

/// Components of a coordinate for the image's dimensions, without its layer.
fn plane(image: Image) -> u32 {
    match image.dim {
        Dim::Dim1D | Dim::Buffer => 1,
        Dim::Dim2D | Dim::Rect | Dim::SubpassData | Dim::TileImageDataEXT => 2,
        Dim::Dim3D | Dim::Cube => 3,
        _ => 0,
    }
}

/// What the components of a coordinate may be.
#[derive(Clone, Copy)]
struct Kinds {
    float: bool,
    int: bool,
}

const FLOAT: Kinds = Kinds { float: true, int: false };
const INT: Kinds = Kinds { float: false, int: true };

/// The coordinate at `word` has at least `least` components of the kinds.
fn coordinate(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, kinds: Kinds, least: u32) -> Checked<TypeKey> {
    let key = cx.key_at(inst, word)?;
    let m = cx.m;
    let float = kinds.float && key.is_float_scalar_or_vector();
    let int = kinds.int && key.is_int_scalar_or_vector();
    let half = float && key.width() == 16 && cx.has(Capability::Float16ImageAMD);
    let wide = int && key.width() == 64 && cx.has(Capability::Kernel);
    let ok = (float || int) && (key.width() == 32 || half || wide || narrow(cx, key, int));
    cx.check_at(ok, &COORDINATE, inst, word, || {
        let what = match kinds {
            Kinds { float: true, int: true } => "32-bit integers or floats",
            Kinds { float: true, .. } => "32-bit floats",
            _ => "32-bit integers",
        };
        format!("the coordinate has type {}, not {what}", describe(m, m.type_id_of(inst.id(word))))
    })?;
    cx.check_at(key.count() >= least, &COORDINATE, inst, word, || {
        format!("the coordinate has {} components, but the image needs {least}", key.count())
    })?;
    Ok(key)
}

/// Texel coordinates of other widths, which `SPV_AMD_gpu_shader_int16` and the like bring.
fn narrow(cx: &Cx<'_>, key: TypeKey, int: bool) -> bool {
    int && key.width() == 16 && cx.declares("SPV_AMD_gpu_shader_int16")
}

/// Fails unless the image's dimensionality is among these.
fn dims(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, image: Image, allowed: &[Dim]) -> Checked {
    cx.check_at(allowed.contains(&image.dim), &SHAPE, inst, word, || {
        format!("{} on an image of the dimensionality {}", inst.op(), image.dim)
    })
}

/// An image or sampled image stands where no image instruction stands, or leaves its block.
///
/// Called for operands that `OpSampledImage` made, wherever they are used.
#[cold]
pub(crate) fn sampled_image_usage(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, id: Id, info: IdInfo) -> Checked {
    if cx.has(Capability::BindlessTextureNV) {
        return Ok(());
    }
    let Some(desc) = inst.desc() else { return Ok(()) };
    let annotates = matches!(desc.class, spirula_grammar::Class::Debug | spirula_grammar::Class::Annotation);
    if annotates || matches!(inst.op(), Op::ExtInst | Op::ExtInstWithForwardRefsKHR) {
        return Ok(());
    }
    let m = cx.m;
    let takes = takes_sampled_image(inst.op());
    cx.check_at(takes, &SAMPLED_IMAGE_USE, inst, word, || {
        msg(format!("{} does not take a sampled image, which {id} is", inst.op())).declared(m, id)
    })?;
    let same = cx.here.is_none_or(|h| h.block == info.block());
    cx.check_at(same, &SAMPLED_IMAGE_USE, inst, word, || {
        msg(format!("{id} is made in another block")).declared(m, id).help("repeat the OpSampledImage in this block")
    })
}

fn takes_sampled_image(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageGather
            | Op::ImageDrefGather
            | Op::Image
            | Op::ImageQueryLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
            | Op::ImageSparseGather
            | Op::ImageSparseDrefGather
            | Op::ImageSampleFootprintNV
            | Op::ImageSampleWeightedQCOM
            | Op::ImageBoxFilterQCOM
            | Op::ImageBlockMatchSSDQCOM
            | Op::ImageBlockMatchSADQCOM
            | Op::ImageBlockMatchWindowSSDQCOM
            | Op::ImageBlockMatchWindowSADQCOM
            | Op::ImageBlockMatchGatherSSDQCOM
            | Op::ImageBlockMatchGatherSADQCOM
            | Op::ImageGatherQCOM
            | Op::CopyObject
            | Op::ConvertSampledImageToUNV
    )
}
