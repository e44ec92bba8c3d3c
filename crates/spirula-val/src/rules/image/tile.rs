//! `SPV_EXT_shader_tile_image`.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Dim, ExecutionModel, Op};
use spirula_module::ModelSet;

use super::{OPERAND, RESULT, SHAPE, texel};
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "image";
    /// Attachments are read in fragment shaders.
    MODEL: "tile-image-model", extension "SPV_EXT_shader_tile_image";
}

pub(super) fn color(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let image = super::image(cx, inst, 3)?;
    let tile = image.dim == Dim::TileImageDataEXT;
    cx.check_at(tile, &SHAPE, inst, 3, || format!("the image has the dimensionality {}", image.dim))?;
    texel(cx, inst, image, 0)?;
    common(cx, inst, 4)
}

pub(super) fn depth_or_stencil(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.result_key(inst)?;
    let m = cx.m;
    let depth = inst.op() == Op::DepthAttachmentReadEXT;
    let ok = key.width() == 32 && if depth { key.is_float() } else { key.is_int() };
    cx.check_at(ok, &RESULT, inst, 1, || {
        let must = if depth { "a 32-bit float" } else { "a 32-bit integer" };
        format!("the Result Type is {}, not {must}", describe(m, inst.id(1)))
    })?;
    common(cx, inst, 3)
}

fn common(cx: &mut Cx<'_>, inst: Inst<'_>, sample: usize) -> Checked {
    if inst.words().len() > sample {
        let key = cx.key_at(inst, sample)?;
        cx.check_at(key.is_int() && key.width() == 32, &OPERAND, inst, sample, || "the sample is no 32-bit integer")?;
    }
    let op = inst.op();
    cx.check_models(ModelSet::of(&[ExecutionModel::Fragment]), &MODEL, inst, |others| {
        format!("{op} is reached from an entry point of the model {others}")
    })
}
