//! `SPV_EXT_shader_tile_image`.

use alloc::collections::BTreeSet;
use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Decoration, Dim, ExecutionModel, Op, StorageClass, Version};
use spirula_module::{ModelSet, Type};

use super::{OPERAND, RESULT, SHAPE, texel};
use crate::cx::{Cx, List, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "image";
    /// A tile image's variable has a Location of its own.
    LOCATION: "tile-image-location", vuid "VUID-StandaloneSpirv-TileImageEXT-08723";
    /// Tile attachments are not queried.
    QUERY: "tile-attachment-query", vuid "VUID-StandaloneSpirv-TileAttachmentQCOM-10697";
    /// Tile attachments are written by compute shaders only.
    WRITE: "tile-attachment-write", warn environment "Vulkan: Tile Attachment Interface";
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

/// Vulkan's further rules.
pub(crate) const VULKAN: Table = rule_table! {
    ImageQuerySizeLod | ImageQuerySize | ImageQueryLod | ImageQueryLevels | ImageQuerySamples => query;
    ImageWrite => write;
};

/// Whether the image at `word` has been loaded from a tile attachment.
fn is_attachment<'a>(cx: &Cx<'a>, inst: Inst<'a>, word: usize) -> Checked<bool> {
    let mut loaded = cx.def_at(inst, word)?;
    if loaded.op() == Op::Image {
        loaded = cx.def_at(loaded, 3)?;
    }
    let class = cx.m.pointer(cx.m.type_id_of(loaded.id(3))).filter(|_| loaded.op() == Op::Load).map(|p| p.0);
    Ok(class == Some(StorageClass::TileAttachmentQCOM))
}

fn query<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, tile) = (cx.m, is_attachment(cx, inst, 3)?);
    cx.check_at(!tile, &QUERY, inst, 3, || {
        msg(format!("{} is loaded from TileAttachmentQCOM", inst.id(3))).declared(m, inst.id(3))
    })
}

fn write<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if !cx.has(Capability::TileShadingQCOM) || !is_attachment(cx, inst, 1)? {
        return Ok(());
    }
    cx.check_models(ModelSet::of(&[ExecutionModel::GLCompute]), &WRITE, inst, |others| {
        format!("a tile attachment is written, which is reached from an entry point of the model {others}")
    })
}

/// Judges the variables of tile images.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    if !cx.env.is_vulkan() || !cx.has(Capability::TileImageColorReadAccessEXT) {
        return;
    }
    let is = |i: &Inst<'_>| i.op() == Op::Variable && StorageClass(i.word(3)) == StorageClass::TileImageEXT;
    for inst in m.global_variables().filter(is) {
        let (id, located) = (inst.id(2), m.is_decorated(inst.id(2), Decoration::Location));
        cx.check_at(located, &LOCATION, inst, 2, || format!("{id} has no Location")).ok();
    }
    // Entry points have locations of their own. Before version 1.4 they do not list tile images.
    if cx.version >= Version::v1(4) {
        for entry in m.entry_points() {
            let listed = cx.listed(entry.interface);
            let listed = cx.collect(listed.iter().filter_map(|id| m.def(*id)).filter(is));
            locations(cx, listed);
        }
    } else if m.entry_points().count() == 1 {
        let all = cx.collect(m.global_variables().filter(is));
        locations(cx, all);
    }
}

/// No two of the variables share a location.
fn locations<'a>(cx: &mut Cx<'a>, variables: List<'a, Inst<'a>>) {
    let m = cx.m;
    let mut known: BTreeSet<u32> = BTreeSet::new();
    for inst in variables {
        let id = inst.id(2);
        let Some(location) = m.decoration(id, Decoration::Location) else { continue };
        let first = location.operand();
        let count = match m.pointer(inst.id(1)).and_then(|p| m.ty(p.1)) {
            Some(Type::Array { length, .. }) => m.fixed_u32(length).unwrap_or(1).min(MOST),
            _ => 1,
        };
        for n in first..first.saturating_add(count) {
            let new = known.insert(n);
            if cx.check_at(new, &LOCATION, inst, 2, || format!("{id} shares the Location {n}")).is_err() {
                break;
            }
        }
    }
}

/// How many elements of an array of tile images are looked at.
const MOST: u32 = 1 << 10;
