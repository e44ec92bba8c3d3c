//! Outputs for transform feedback (Vulkan specification, appendix "Vulkan Environment for SPIR-V", XfbBuffer and Offset).

use alloc::format;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Capability, Decoration, StorageClass};
use spirula_module::{Module, Type};

use crate::cx::Cx;
use crate::rules::vulkan::builtins::without_arrays;

rules! {
    group "transform-feedback";
    /// An output with an `Offset` has `XfbBuffer` and `XfbStride` too, itself or through its block.
    BUFFER: "xfb-offset-buffer", vuid "VUID-StandaloneSpirv-Offset-04716";
    /// The offset of an output with 64-bit components is a multiple of 8.
    OFFSET_64: "xfb-offset-64", vuid "VUID-StandaloneSpirv-Offset-04687";
    /// The offset of an output with 32-bit components is a multiple of 4.
    OFFSET_32: "xfb-offset-32", vuid "VUID-StandaloneSpirv-Offset-04691";
    /// The first member of a block with captured 64-bit members starts at a multiple of 8.
    FIRST_64: "xfb-first-offset-64", vuid "VUID-StandaloneSpirv-Offset-04690";
    /// Captured outputs have 32-bit and 64-bit components only.
    WIDTH: "xfb-component-width", warn vuid "VUID-StandaloneSpirv-Offset-04692";
    /// All outputs of one buffer have the same `XfbStride`.
    STRIDE: "xfb-stride", vuid "VUID-StandaloneSpirv-XfbBuffer-04693";
    /// All outputs of one buffer belong to the same stream.
    STREAM: "xfb-stream", vuid "VUID-StandaloneSpirv-Stream-04694";
    /// Captured outputs of one buffer do not overlap.
    OVERLAP: "xfb-overlap", vuid "VUID-StandaloneSpirv-XfbBuffer-04696";
    /// All members of a block go to the same buffer.
    BLOCK_BUFFER: "xfb-block-buffer", vuid "VUID-StandaloneSpirv-XfbBuffer-04697";
}

/// An output variable or a member of an output block that is captured.
#[derive(Clone, Copy)]
struct Captured<'m> {
    at: Inst<'m>,
    word: usize,
    buffer: u32,
    stride: Option<u32>,
    stream: u32,
    /// Where it starts, and where it ends if that is known.
    range: Option<(u32, u32)>,
}

/// Judges the output interface of each entry point.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.env.is_vulkan() || !cx.has(Capability::TransformFeedback) {
        return;
    }
    let mut judged = alloc::collections::BTreeSet::new();
    for entry in cx.m.entry_points() {
        let mut all = Vec::new();
        let mut seen = alloc::collections::BTreeSet::new();
        for id in entry.interface.iter().map(|w| Id(*w)) {
            let output =
                cx.m.def(id).filter(|v| crate::rules::interface::class_of(cx.m, v.id(2)) == Some(StorageClass::Output));
            if let Some(variable) = output.filter(|_| seen.insert(id)) {
                let first = judged.insert(id);
                collect(cx, variable, first, &mut all).ok();
            }
        }
        together(cx, all);
    }
}

fn together(cx: &mut Cx<'_>, mut all: Vec<Captured<'_>>) {
    all.sort_by_key(|c| (c.buffer, c.range.map_or(u32::MAX, |r| r.0), c.at.offset(), c.word));
    for pair in all.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        if a.buffer != b.buffer {
            continue;
        }
        let buffer = a.buffer;
        if let (Some(x), Some(y)) = (a.stride, b.stride) {
            let text = || format!("XfbStride is {y}, but another output of the buffer {buffer} has {x}");
            cx.check_at(x == y, &STRIDE, b.at, b.word, text).ok();
        }
        let text = || format!("Stream is {}, but another output of the buffer {buffer} has {}", b.stream, a.stream);
        cx.check_at(a.stream == b.stream, &STREAM, b.at, b.word, text).ok();
        if let (Some((_, end)), Some((start, _))) = (a.range, b.range) {
            let text = || format!("Offset is {start}, but another output of the buffer {buffer} ends at {end}");
            cx.check_at(start >= end, &OVERLAP, b.at, b.word, text).ok();
        }
    }
}

fn collect<'a>(cx: &mut Cx<'a>, variable: Inst<'a>, first: bool, all: &mut Vec<Captured<'a>>) -> Checked {
    let m = cx.m;
    let id = variable.id(2);
    let Some((_, pointee)) = m.pointer(variable.id(1)) else { return Ok(()) };
    let block = without_arrays(m, pointee);
    let own = |d| m.decoration(id, d).or_else(|| m.decoration(block, d)).map(|d| d.operand());
    let stream = own(Decoration::Stream).unwrap_or(0);
    let (buffer, stride) = (own(Decoration::XfbBuffer), own(Decoration::XfbStride));
    let Some(Type::Struct { members }) = m.ty(block) else {
        let offset = m.decoration(id, Decoration::Offset).map(|d| d.operand());
        let captured = Captured { at: variable, word: 0, buffer: buffer.unwrap_or(0), stride, stream, range: None };
        return one(cx, captured, buffer.is_some() && stride.is_some(), offset, pointee, first, all);
    };
    let def = cx.def(block)?;
    let mut used: Option<u32> = None;
    let (mut any_64, mut lowest) = (false, None);
    for (index, member) in members.iter().enumerate() {
        let of = |d| m.member_decoration(block, index as u32, d).map(|d| d.operand());
        let own_buffer = of(Decoration::XfbBuffer).or(buffer);
        let own_stride = of(Decoration::XfbStride).or(stride);
        let word = index + 2;
        let Some(own) = own_buffer else {
            let offset = of(Decoration::Offset);
            cx.check_at(!first || offset.is_none(), &BUFFER, def, word, || {
                format!("member {index} of {block} has an Offset, but no XfbBuffer")
            })?;
            continue;
        };
        if let Some(other) = used.filter(|u| *u != own && first) {
            return cx.fail_at(&BLOCK_BUFFER, def, word, || {
                format!("member {index} of {block} goes to the buffer {own}, but another member to {other}")
            });
        }
        used = Some(own);
        let offset = of(Decoration::Offset);
        let size = size_of(m, Id(*member));
        if let Some(offset) = offset {
            lowest = lowest.or(Some((offset, word)));
            any_64 |= size.is_some_and(|s| s.1 == 64);
        }
        let stream = of(Decoration::Stream).unwrap_or(stream);
        let captured = Captured { at: def, word, buffer: own, stride: own_stride, stream, range: None };
        one(cx, captured, own_stride.is_some(), offset, Id(*member), first, all)?;
    }
    if let Some((offset, word)) = lowest.filter(|_| any_64 && first) {
        cx.check_at(offset % 8 == 0, &FIRST_64, def, word, || {
            format!("the first Offset of {block} is {offset}, no multiple of 8, but it has 64-bit members")
        })?;
    }
    Ok(())
}

fn one<'a>(
    cx: &mut Cx<'a>,
    mut captured: Captured<'a>,
    complete: bool,
    offset: Option<u32>,
    ty: Id,
    first: bool,
    all: &mut Vec<Captured<'a>>,
) -> Checked {
    let m = cx.m;
    let (at, word) = (captured.at, captured.word);
    if let Some(offset) = offset {
        if first && !complete {
            return cx.fail_at(&BUFFER, at, word, || "there is an Offset, but not both of XfbBuffer and XfbStride");
        }
        let (size, widest) = size_of(m, ty).ok_or(Failed)?;
        if first {
            cx.check_at(matches!(widest, 32 | 64), &WIDTH, at, word, || {
                format!("the output has an Offset, but components of {widest} bits")
            })?;
            let (rule, align) = match widest {
                64 => (&OFFSET_64, 8),
                32 => (&OFFSET_32, 4),
                _ => (&WIDTH, 1),
            };
            cx.check_at(offset % align == 0, rule, at, word, || {
                format!("Offset is {offset}, no multiple of {align}, but there are {widest}-bit components")
            })?;
        }
        captured.range = Some((offset, offset.saturating_add(size)));
    }
    if complete || captured.range.is_some() {
        all.push(captured);
    }
    Ok(())
}

/// Bytes that a tightly packed value takes, and the width of its widest component. `None` for types without size.
fn size_of(m: Module<'_>, ty: Id) -> Option<(u32, u32)> {
    let (mut size, mut widest) = (0u32, 0);
    // A stack in place of recursion, with how often each type occurs.
    let mut work = alloc::vec![(ty, 1u32)];
    for _ in 0..1024 {
        let Some((ty, times)) = work.pop() else { return Some((size, widest)) };
        match m.ty(ty)? {
            Type::Array { element, length } => {
                work.push((element, times.saturating_mul(m.int_constant(length)?.as_u32()?)));
            }
            Type::Matrix { column, count } => work.push((column, times.saturating_mul(count))),
            Type::Struct { members } => work.extend(members.iter().take(256).map(|t| (Id(*t), times))),
            _ => {
                let key = m.key(ty);
                if !key.is_scalar_or_vector() || key.width() == 0 {
                    return None;
                }
                widest = widest.max(key.width());
                size = size.saturating_add((key.width() / 8 * key.count()).saturating_mul(times));
            }
        }
    }
    None
}
