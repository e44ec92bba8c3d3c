//! Image operands (§3.2.14).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Dim, ImageOperands as O, Op};
use spirula_module::{Image, Shape, Type, TypeKey, is_implicit_lod};

use super::types::{Kind, kind_of};
use super::{is_sparse, plane, types};
use crate::cx::{Cx, msg};
use crate::rules::operand::may_be;
use crate::rules::scopes;
use crate::signature::describe;

rules! {
    group "image";
    /// An image operand stands with the instructions and images that it is for.
    PLACE: "image-operand-place", spec "§3.2.14";
    /// The value of an image operand has the type that the operand demands.
    TYPE: "image-operand-value", spec "§3.2.14";
    /// Sampling at an explicit level of detail says which: with `Lod` or with `Grad`.
    LEVEL: "image-operand-level", spec "OpImageSampleExplicitLod";
    /// Only one of `ConstOffset`, `Offset`, `ConstOffsets` and `Offsets` can stand in an instruction.
    OFFSETS: "image-operand-offsets", spec "§3.2.14";
    /// What reads or writes a multisampled image says which sample.
    SAMPLE: "image-operand-sample", spec "§3.2.14";
    /// `MakeTexelAvailable` is for writes and `MakeTexelVisible` for reads, with `NonPrivateTexel`.
    AVAILABLE: "image-operand-availability", spec "§3.2.14";
    /// Vulkan has the `Offset` operand for gathers only, unless maintenance8 is there.
    OFFSET_VULKAN: "image-operand-offset-vulkan", vuid "VUID-RuntimeSpirv-Offset-10213";
    /// Offsets are for images that are sampled or fetched from, not for storage images.
    OFFSET_STORAGE: "image-operand-offset-storage", warn vuid "VUID-StandaloneSpirv-Offset-04865";
    /// `ZeroExtend` gives unsigned integers.
    EXTEND: "image-operand-extend", spec "§3.2.14";
}

fn is_explicit(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleExplicitLod
            | Op::ImageSampleDrefExplicitLod
            | Op::ImageSampleProjExplicitLod
            | Op::ImageSampleProjDrefExplicitLod
            | Op::ImageSparseSampleExplicitLod
            | Op::ImageSparseSampleDrefExplicitLod
    )
}

fn is_gather(op: Op) -> bool {
    matches!(
        op,
        Op::ImageGather | Op::ImageDrefGather | Op::ImageSparseGather | Op::ImageSparseDrefGather | Op::ImageGatherQCOM
    )
}

/// Gathers for which `SPV_AMD_texture_gather_bias_lod` allows a level of detail.
fn gathers_levels(cx: &Cx<'_>, op: Op) -> bool {
    is_gather(op)
        && !matches!(op, Op::ImageDrefGather | Op::ImageSparseDrefGather)
        && cx.has(Capability::ImageGatherBiasLodAMD)
}

fn is_fetch(op: Op) -> bool {
    matches!(op, Op::ImageFetch | Op::ImageSparseFetch)
}

fn is_read(op: Op) -> bool {
    matches!(op, Op::ImageRead | Op::ImageSparseRead)
}

/// Reads the operands behind the mask one after the other.
struct Reader<'w> {
    inst: Inst<'w>,
    image: Image,
    mask: u32,
    next: usize,
}

impl Reader<'_> {
    fn has(&self, bit: O) -> bool {
        self.mask & bit.0 != 0
    }

    fn take(&mut self, bit: O) -> Option<usize> {
        self.has(bit).then(|| {
            self.next += 1;
            self.next - 1
        })
    }

    fn place(&self, cx: &mut Cx<'_>, word: usize, ok: bool, what: &str) -> Checked {
        let op = self.inst.op();
        cx.check_at(ok, &PLACE, self.inst, word, || format!("the image operand {what}: {op}"))
    }

    fn value(&self, cx: &mut Cx<'_>, word: usize, ok: bool, what: &str) -> Checked {
        let m = cx.m;
        cx.check_at(ok, &TYPE, self.inst, word, || {
            let id = self.inst.id(word);
            msg(format!("{id} has type {}, but {what}", describe(m, m.type_id_of(id)))).declared(m, id)
        })
    }

    /// The image is one with levels of detail.
    fn levels(&self, cx: &mut Cx<'_>, word: usize, name: &str) -> Checked {
        let ok = matches!(self.image.dim, Dim::Dim1D | Dim::Dim2D | Dim::Dim3D | Dim::Cube) && self.image.ms == 0;
        let (dim, ms) = (self.image.dim, self.image.ms);
        cx.check_at(ok, &PLACE, self.inst, word, || {
            format!(
                "the image operand {name} on an image of the dimensionality {dim} with MS {ms}, which has no levels"
            )
        })
    }
}

/// Judges the image operands of an instruction, whose mask stands at `at` where it has one.
pub(super) fn check(cx: &mut Cx<'_>, inst: Inst<'_>, at: usize, image: Image) -> Checked {
    let mask = inst.words().get(at).copied();
    let op = inst.op();
    let sample = is_fetch(op) || is_read(op) || op == Op::ImageWrite;
    let needs = sample && image.ms == 1 && mask.unwrap_or(0) & O::Sample.0 == 0;
    cx.check(!needs, &SAMPLE, inst, || "the image is multisampled, but the operand Sample is missing")?;
    let says = mask.unwrap_or(0) & (O::Lod.0 | O::Grad.0) != 0;
    cx.check(says || !is_explicit(op), &LEVEL, inst, || format!("{op} with neither Lod nor Grad"))?;
    let Some(mask) = mask else { return Ok(()) };
    let mut r = Reader { inst, image, mask, next: at + 1 };
    levels(cx, &mut r)?;
    offsets(cx, &mut r)?;
    rest(cx, &mut r, at)
}

fn levels(cx: &mut Cx<'_>, r: &mut Reader<'_>) -> Checked {
    let op = r.inst.op();
    if let Some(word) = r.take(O::Bias) {
        let ok = is_implicit_lod(op) || gathers_levels(cx, op);
        r.place(cx, word, ok, "Bias is for implicit levels of detail")?;
        let key = cx.key_at(r.inst, word)?;
        r.value(cx, word, is_float32(cx, key), "Bias is a 32-bit float")?;
        r.levels(cx, word, "Bias")?;
    }
    if let Some(word) = r.take(O::Lod) {
        let amd =
            gathers_levels(cx, op) || (is_read(op) || op == Op::ImageWrite) && cx.has(Capability::ImageReadWriteLodAMD);
        let place = is_explicit(op) || is_fetch(op) || amd;
        r.place(cx, word, place, "Lod is for explicit levels of detail and fetches")?;
        let key = cx.key_at(r.inst, word)?;
        if is_explicit(op) || is_gather(op) {
            r.value(cx, word, is_float32(cx, key), "Lod is a 32-bit float")?;
        } else {
            r.value(cx, word, is_int32(cx, key), "Lod is a 32-bit integer")?;
        }
        r.levels(cx, word, "Lod")?;
    }
    if r.has(O::Grad) {
        let word = r.next;
        r.next += 2;
        r.place(cx, word, is_explicit(op), "Grad is for explicit levels of detail")?;
        for word in [word, word + 1] {
            let key = cx.key_at(r.inst, word)?;
            let float = key.is_float_scalar_or_vector() && (key.width() == 32 || is_half(cx, key));
            r.value(cx, word, float, "gradients are 32-bit floats")?;
            r.value(
                cx,
                word,
                key.count() == plane(r.image),
                "gradients have a component for each dimension of the image",
            )?;
        }
        r.place(cx, word, r.image.ms == 0, "Grad is for images with one sample")?;
    }
    Ok(())
}

fn is_half(cx: &Cx<'_>, key: TypeKey) -> bool {
    key.width() == 16 && cx.has(Capability::Float16ImageAMD)
}

fn is_float32(cx: &Cx<'_>, key: TypeKey) -> bool {
    key.is_float() && (key.width() == 32 || is_half(cx, key))
}

fn is_int32(cx: &Cx<'_>, key: TypeKey) -> bool {
    key.is_int() && (key.width() == 32 || super::narrow(cx, key, true))
}

fn offsets(cx: &mut Cx<'_>, r: &mut Reader<'_>) -> Checked {
    let op = r.inst.op();
    let all = O::ConstOffset.0 | O::Offset.0 | O::ConstOffsets.0 | O::Offsets.0;
    let several = (r.mask & all).count_ones() > 1;
    cx.check_at(!several, &OFFSETS, r.inst, r.next, || "several image operands with offsets")?;
    for bit in [O::ConstOffset, O::Offset] {
        let Some(word) = r.take(bit) else { continue };
        r.place(cx, word, r.image.dim != Dim::Cube, "with an offset is not for cube images")?;
        let storage = cx.env.is_vulkan() && r.image.sampled == 2;
        cx.check_at(!storage, &OFFSET_STORAGE, r.inst, word, || format!("{bit} on an image whose Sampled is 2"))?;
        let key = cx.key_at(r.inst, word)?;
        let int = key.is_int_scalar_or_vector() && (key.width() == 32 || super::narrow(cx, key, true));
        r.value(cx, word, int, "offsets are 32-bit integers")?;
        r.value(cx, word, key.count() == plane(r.image), "offsets have a component for each dimension of the image")?;
        if bit == O::ConstOffset {
            let constant = cx.m.info(r.inst.id(word)).is_constant();
            r.value(cx, word, constant, "ConstOffset is a constant")?;
        } else if cx.env.is_vulkan() && !cx.options.allow_offset_texture_operand && !cx.options.before_hlsl_legalization
        {
            cx.check_at(is_gather(op), &OFFSET_VULKAN, r.inst, word, || format!("the image operand Offset with {op}"))?;
        }
    }
    if let Some(word) = r.take(O::ConstOffsets) {
        gather_offsets(cx, r, word)?;
        let constant = cx.m.info(r.inst.id(word)).is_constant();
        r.value(cx, word, constant, "ConstOffsets is a constant")?;
    }
    Ok(())
}

/// Four offsets, one for each texel of a gather.
fn gather_offsets(cx: &mut Cx<'_>, r: &Reader<'_>, word: usize) -> Checked {
    r.place(cx, word, is_gather(r.inst.op()), "with four offsets is for gathers")?;
    r.place(cx, word, r.image.dim != Dim::Cube, "with an offset is not for cube images")?;
    let ty = cx.type_at(r.inst, word)?;
    let m = cx.m;
    let (element, length) = match m.ty(ty) {
        Some(Type::Array { element, length }) => (element, may_be(m, length, 4)),
        _ => (Id(0), false),
    };
    r.value(cx, word, length, "the offsets are an array of four")?;
    let key = m.key(element);
    let ok = key.shape() == Shape::Vector && key.is_int_scalar_or_vector() && key.width() == 32 && key.count() == 2;
    r.value(cx, word, ok, "the offsets are vectors of two 32-bit integers")
}

fn rest(cx: &mut Cx<'_>, r: &mut Reader<'_>, at: usize) -> Checked {
    let op = r.inst.op();
    if let Some(word) = r.take(O::Sample) {
        let place = is_fetch(op) || is_read(op) || op == Op::ImageWrite;
        r.place(cx, word, place, "Sample is for fetches, reads and writes")?;
        r.place(cx, word, r.image.ms == 1, "Sample is for multisampled images")?;
        let key = cx.key_at(r.inst, word)?;
        r.value(cx, word, is_int32(cx, key), "Sample is a 32-bit integer")?;
    }
    if let Some(word) = r.take(O::MinLod) {
        let place = is_implicit_lod(op) || r.has(O::Grad);
        r.place(cx, word, place, "MinLod is for implicit levels of detail and gradients")?;
        let key = cx.key_at(r.inst, word)?;
        r.value(cx, word, is_float32(cx, key), "MinLod is a 32-bit float")?;
        r.levels(cx, word, "MinLod")?;
    }
    let private = !r.has(O::NonPrivateTexel);
    for (bit, ok) in [(O::MakeTexelAvailable, op == Op::ImageWrite), (O::MakeTexelVisible, is_read(op))] {
        let Some(word) = r.take(bit) else { continue };
        cx.check_at(ok, &AVAILABLE, r.inst, at, || format!("{bit} with {op}"))?;
        cx.check_at(!private, &AVAILABLE, r.inst, at, || format!("{bit} without NonPrivateTexel"))?;
        scopes::memory(cx, r.inst, word)?;
    }
    if let Some(word) = r.take(O::Offsets) {
        gather_offsets(cx, r, word)?;
    }
    if r.mask & (O::SignExtend.0 | O::ZeroExtend.0) != 0 {
        extend(cx, r, at)?;
    }
    Ok(())
}

/// `SignExtend` and `ZeroExtend` say what the texel's integers are.
fn extend(cx: &mut Cx<'_>, r: &Reader<'_>, at: usize) -> Checked {
    let inst = r.inst;
    let ty = match inst.op() {
        Op::ImageWrite => cx.type_at(inst, 3)?,
        op if is_sparse(op) => super::texel_type(cx, inst)?,
        _ => inst.id(1),
    };
    let key = cx.key(ty)?;
    let zero = r.has(O::ZeroExtend);
    cx.check_at(!(zero && key.is_signed()), &EXTEND, inst, at, || "ZeroExtend, but the integers are signed")?;
    format_fits(cx, inst, at, r.image, Some(if zero { Kind::Unsigned } else { Kind::Signed }))
}

/// In Vulkan, an access to an image with a format is of the format's signedness.
pub(super) fn format_fits(cx: &mut Cx<'_>, inst: Inst<'_>, at: usize, image: Image, access: Option<Kind>) -> Checked {
    let Some(format) = kind_of(image.format).filter(|k| *k != Kind::Float) else { return Ok(()) };
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    let signed = if cx.m.key(image.sampled_type).is_signed() { Kind::Signed } else { Kind::Unsigned };
    let access = access.unwrap_or(signed);
    cx.check_at(access == format, &types::FORMAT, inst, at, || {
        format!("the image format {} is {format:?}, but the access {access:?}", image.format)
    })
}

/// Whether the mask at `at` says of which signedness the integers are.
pub(super) fn says_signedness(inst: Inst<'_>, at: usize) -> bool {
    inst.word(at) & (O::SignExtend.0 | O::ZeroExtend.0) != 0
}
