//! Constant operands of instructions that trace rays (Vulkan Environment for SPIR-V).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Op, RayFlags};
use spirula_module::Module;

use crate::cx::Cx;

rules! {
    group "ray";
    /// Rays that skip triangles and bounding boxes alike hit nothing. What the specification says of tracing, it says of ray
    /// queries (…OpRayQueryInitializeKHR-06889) and of hit objects too.
    SKIP: "ray-flags-skip", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06552";
    /// Of the ray flags that skip triangles, or those that face one way, one is set at most.
    CULL: "ray-flags-cull", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06892";
    /// Of the ray flags that say how opaque geometry is treated, one is set at most.
    OPAQUE: "ray-flags-opaque", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06893";
    /// A ray starts and goes where it can be followed: its origin and direction are finite.
    FINITE: "ray-finite", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06355";
    /// A ray extends forward: the ends of its interval are not negative.
    NEGATIVE: "ray-interval-negative", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06356";
    /// A ray's interval starts before it ends.
    INTERVAL: "ray-interval-empty", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06357";
    /// No number of a ray is NaN.
    NAN: "ray-nan", warn vuid "VUID-RuntimeSpirv-OpTraceRayKHR-06358";
    /// The time of a ray lies between 0 and 1.
    TIME: "ray-time", warn vuid "VUID-RuntimeSpirv-OpTraceRayMotionNV-06366";
    /// The kind of hit that an intersection shader reports is below 128; the others are for triangles.
    HIT_KIND: "ray-hit-kind", warn vuid "VUID-RuntimeSpirv-OpReportIntersectionKHR-06998";
}

/// Constant Ray Flags at `word`.
pub(super) fn flags<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, value: u32) -> Checked {
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    let of = |flags: &[RayFlags]| flags.iter().fold(0, |bits, f| bits | f.0);
    let one = |set: u32| (value & set).count_ones() <= 1;
    use RayFlags as F;
    let groups: [(&'static Rule, u32); 3] = [
        (&SKIP, of(&[F::SkipTrianglesKHR, F::SkipAABBsKHR])),
        (&CULL, of(&[F::SkipTrianglesKHR, F::CullBackFacingTrianglesKHR, F::CullFrontFacingTrianglesKHR])),
        (&OPAQUE, of(&[F::OpaqueKHR, F::NoOpaqueKHR, F::CullOpaqueKHR, F::CullNoOpaqueKHR])),
    ];
    for (rule, set) in groups {
        cx.check_at(one(set), rule, inst, word, || {
            format!("the Ray Flags {value:#x} have {:#x}, of which one bit can be set", value & set)
        })?;
    }
    Ok(())
}

/// The numbers of a constant that no specialisation changes: `f` is called for each. Vectors have one level only.
fn numbers(m: Module<'_>, id: Id, mut f: impl FnMut(f32)) {
    let Some(def) = m.def(id) else { return };
    let single = |c: Inst<'_>| (c.op() == Op::Constant).then(|| f32::from_bits(c.word(3)));
    match def.op() {
        Op::ConstantComposite => {
            def.tail(3).iter().filter_map(|c| m.def(Id(*c)).and_then(single)).for_each(f);
        }
        Op::ConstantNull => f(0.0),
        _ => {
            if let Some(n) = single(def) {
                f(n);
            }
        }
    }
}

fn number(m: Module<'_>, id: Id) -> Option<f32> {
    let mut found = None;
    numbers(m, id, |n| found = Some(n));
    found
}

/// Ray Origin, Ray Tmin, Ray Direction and Ray Tmax from `word` on, which are of 32-bit floats.
pub(super) fn ray<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    let m = cx.m;
    for at in word..word + 4 {
        let (mut nan, mut infinite, mut negative) = (false, false, false);
        numbers(m, inst.id(at), |n| {
            nan |= n.is_nan();
            infinite |= n.is_infinite();
            negative |= n < 0.0;
        });
        let end = (at - word) % 2 == 1;
        let id = inst.id(at);
        cx.check_at(!nan, &NAN, inst, at, || format!("{id} is NaN"))?;
        cx.check_at(end || !infinite, &FINITE, inst, at, || format!("{id} is infinite"))?;
        cx.check_at(!end || !negative, &NEGATIVE, inst, at, || format!("{id} is negative"))?;
    }
    let (Some(min), Some(max)) = (number(m, inst.id(word + 1)), number(m, inst.id(word + 3))) else { return Ok(()) };
    cx.check_at(min <= max, &INTERVAL, inst, word + 1, || format!("Ray Tmin is {min}, but Ray Tmax {max}"))
}

/// Current Time at `word`.
pub(super) fn time<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let time = number(cx.m, inst.id(word)).filter(|_| cx.env.is_vulkan());
    let fits = time.is_none_or(|t| (0.0..=1.0).contains(&t));
    cx.check_at(fits, &TIME, inst, word, || format!("the time of the ray is {}", time.unwrap_or_default()))
}

/// Hit Kind at `word`.
pub(super) fn hit_kind<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let kind = cx.m.fixed_u32(inst.id(word)).filter(|_| cx.env.is_vulkan());
    let fits = kind.is_none_or(|k| k < 128);
    cx.check_at(fits, &HIT_KIND, inst, word, || {
        format!("Hit Kind is {}, but 127 is the last", kind.unwrap_or_default())
    })
}
