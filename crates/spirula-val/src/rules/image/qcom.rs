//! `SPV_QCOM_image_processing` and its successors.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Decoration, Dim, Op};
use spirula_module::{Scalar, Shape};

use super::RESULT;
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "image";
    /// A texture of weights or for block matching is used by the instructions that it is decorated for, only.
    TEXTURE: "qcom-texture-use", extension "SPV_QCOM_image_processing";
    /// Image processing instructions take textures (and samplers) that are decorated for them.
    DECORATION: "qcom-texture-decoration", extension "SPV_QCOM_image_processing";
    /// Coordinates and sizes of image processing are pairs: of floats, or of unsigned integers where blocks are matched.
    PAIR: "qcom-image-coordinate", extension "SPV_QCOM_image_processing";
    /// The mode of `OpImageGatherQCOM` is a constant of a known mode, whose capability is declared.
    MODE: "qcom-gather-mode", extension "SPV_QCOM_image_processing3";
}

/// How far loads and access chains are followed to the variable.
const MOST: usize = 32;

/// Whether the image, sampled image or sampler has the decoration, or what it was loaded from.
fn is_decorated(cx: &Cx<'_>, id: Id, decoration: Decoration) -> bool {
    let mut id = id;
    for _ in 0..MOST {
        if cx.m.is_decorated(id, decoration) {
            return true;
        }
        let Some(def) = cx.m.def(id) else { return false };
        id = match def.op() {
            Op::Load | Op::CopyObject | Op::AccessChain | Op::InBoundsAccessChain | Op::SampledImage | Op::Image => {
                def.id(3)
            }
            _ => return false,
        };
    }
    false
}

/// Whether the module can have such textures at all.
fn any(cx: &Cx<'_>) -> bool {
    cx.has(Capability::TextureSampleWeightedQCOM)
        || cx.has(Capability::TextureBlockMatchQCOM)
        || cx.has(Capability::TextureBlockMatch2QCOM)
        || cx.has(Capability::TextureBoxFilterQCOM)
}

/// The texture at `word` is not one of the special ones.
#[inline]
pub(super) fn plain_texture(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    if any(cx) { plain(cx, inst, word) } else { Ok(()) }
}

#[cold]
fn plain(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let id = inst.id(word);
    let special = [Decoration::WeightTextureQCOM, Decoration::BlockMatchTextureQCOM]
        .into_iter()
        .find(|d| is_decorated(cx, id, *d));
    cx.check_at(special.is_none(), &TEXTURE, inst, word, || {
        format!(
            "{id} is decorated with {}, which {} does not take",
            special.unwrap_or(Decoration::WeightTextureQCOM),
            inst.op()
        )
    })
}

fn decorated(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, decoration: Decoration) -> Checked {
    let ok = is_decorated(cx, inst.id(word), decoration);
    cx.check_at(ok, &DECORATION, inst, word, || format!("{} is not decorated with {decoration}", inst.id(word)))
}

/// The Result Type is a vector of four floats.
fn four(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.result_key(inst)?;
    let m = cx.m;
    let ok = key.shape() == Shape::Vector
        && matches!(key.component_class(), Scalar::Int | Scalar::Float)
        && key.count() == 4;
    cx.check_at(ok, &RESULT, inst, 1, || {
        format!("the Result Type is {}, not a vector of four integers or floats", describe(m, inst.id(1)))
    })
}

/// The texture at `word` is a sampled image, not multisampled.
fn texture(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let image = super::sampled_image(cx, inst, word)?;
    cx.check_at(image.ms == 0, &super::SHAPE, inst, word, || "the image is multisampled")
}

/// A pair of floats, or of unsigned integers.
fn pair(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, float: bool) -> Checked {
    let key = cx.key_at(inst, word)?;
    let of = if float { key.is_float_scalar_or_vector() } else { key.is_int_scalar_or_vector() && !key.is_signed() };
    let m = cx.m;
    cx.check_at(of && key.shape() == Shape::Vector && key.count() == 2, &PAIR, inst, word, || {
        let numbers = if float { "floats" } else { "unsigned integers" };
        let ty = describe(m, m.type_id_of(inst.id(word)));
        format!("{} has type {ty}, but must be a vector of two {numbers}", inst.id(word))
    })
}

pub(super) fn weighted(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    four(cx, inst)?;
    plain_texture(cx, inst, 3)?;
    texture(cx, inst, 3)?;
    texture(cx, inst, 5)?;
    pair(cx, inst, 4, true)?;
    decorated(cx, inst, 5, Decoration::WeightTextureQCOM)
}

pub(super) fn box_filter(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    four(cx, inst)?;
    plain_texture(cx, inst, 3)?;
    texture(cx, inst, 3)?;
    pair(cx, inst, 4, true)?;
    pair(cx, inst, 5, true)
}

pub(super) fn block_match(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    four(cx, inst)?;
    texture(cx, inst, 3)?;
    texture(cx, inst, 5)?;
    for word in [4, 6, 7] {
        pair(cx, inst, word, false)?;
    }
    decorated(cx, inst, 3, Decoration::BlockMatchTextureQCOM)?;
    decorated(cx, inst, 5, Decoration::BlockMatchTextureQCOM)
}

pub(super) fn block_match_window(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    block_match(cx, inst)?;
    for word in [3, 5] {
        // A combined image and sampler is decorated as a whole.
        let id = inst.id(word);
        let sampler = match cx.m.def(id) {
            Some(def) if def.op() == Op::SampledImage => def.id(4),
            _ => id,
        };
        let ok = is_decorated(cx, sampler, Decoration::BlockMatchSamplerQCOM);
        cx.check_at(ok, &DECORATION, inst, word, || format!("{sampler} is not decorated with BlockMatchSamplerQCOM"))?;
    }
    Ok(())
}

pub(super) fn gather(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    plain_texture(cx, inst, 3)?;
    let image = super::sampled_image(cx, inst, 3)?;
    super::texel(cx, inst, image, 4)?;
    super::dims(cx, inst, 3, image, &[Dim::Dim2D])?;
    cx.check_at(image.ms == 0, &super::SHAPE, inst, 3, || "the image is multisampled")?;
    super::coordinate(cx, inst, 4, super::FLOAT, super::plane(image) + u32::from(image.arrayed == 1))?;
    for (word, name) in [(5, "the component"), (6, "the mode")] {
        let key = cx.key_at(inst, word)?;
        cx.check_at(key.is_int() && key.width() == 32, &MODE, inst, word, || format!("{name} is no 32-bit integer"))?;
    }
    let Some(mode) = cx.m.int_constant(inst.id(6)).and_then(|c| c.as_u32()) else {
        return cx.fail_at(&MODE, inst, 6, || format!("the mode {} is no constant", inst.id(6)));
    };
    cx.check_at(mode <= 3, &MODE, inst, 6, || format!("{mode} is no mode of OpImageGatherQCOM"))?;
    let need = if mode == 0 { Capability::ImageGatherLinearQCOM } else { Capability::ImageGatherExtendedModesQCOM };
    cx.check_at(cx.has(need), &MODE, inst, 6, || format!("the mode {mode} needs the capability {need}"))?;
    super::operands::check(cx, inst, 7, image)
}
