//! The checks of one type after the other.

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Rule, Site};
use spirula_grammar::{Decoration, Op};
use spirula_module::{Shape, Type};

use super::measure::{MatrixLayout, Measures, Placement, stride_of};
use super::{
    ALIGNMENT, Alignments, MAJORNESS, MATRIX_ALIGNMENT, MATRIX_PADDING, MATRIX_SIZE, MATRIX_STRIDE, OFFSET, OVERLAP,
    RUNTIME_ARRAY, Root, Ruleset, STRADDLE, STRIDE, STRIDE_ALIGNMENT, STRIDE_SIZE, VULKAN_RUNTIME_ARRAY,
};
use crate::cx::{Cx, List, Message, msg};
use crate::facts::{Parts, without_arrays};

/// A type to be judged, at a place within its object.
#[derive(Clone, Copy)]
struct Item {
    ty: Id,
    /// Offset of the place, modulo 16: straddling depends on it.
    at: u32,
    layout: MatrixLayout,
}

pub(super) struct Check<'c> {
    pub(super) measures: &'c Measures<'c>,
    /// By position of the type: a bit for each ruleset and place under which the type was judged.
    pub(super) seen: &'c mut [u64],
}

/// A member of a structure.
struct Member {
    n: u32,
    ty: Id,
    offset: u32,
    layout: MatrixLayout,
}

impl Check<'_> {
    pub(super) fn root(&mut self, cx: &mut Cx<'_>, root: Root, rules: Ruleset) {
        let mut work = cx.collect([Item { ty: root.ty, at: 0, layout: MatrixLayout::default() }]);
        while let Some(item) = work.pop() {
            match cx.m.ty(item.ty) {
                Some(Type::Struct { .. }) => {
                    if self.is_new(item, rules)
                        && let Some(inst) = cx.m.def(item.ty)
                    {
                        self.structure(cx, inst, item.at, root, rules, &mut work);
                    }
                }
                Some(Type::Array { .. } | Type::RuntimeArray { .. }) => {
                    // Arrays of arrays, which may even contain themselves, are judged once per place.
                    let inst = cx.m.def(item.ty);
                    let nested = inst.is_some_and(|i| is_array(cx, i.id(2)) || cx.parts(i.id(2)).any(Parts::STRUCT));
                    if let Some(inst) = inst
                        && (!nested || self.is_new(item, rules))
                    {
                        self.array(cx, inst, item, root, rules, &mut work);
                    }
                }
                Some(Type::Matrix { .. }) => self.matrix(cx, item, root, rules),
                _ => {}
            }
        }
    }

    fn is_new(&mut self, item: Item, rules: Ruleset) -> bool {
        let bit = 1u64 << ((rules.number() * 16 + item.at % 16) % 64);
        match self.measures.position(item.ty).and_then(|p| self.seen.get_mut(p)) {
            Some(seen) => {
                let new = *seen & bit == 0;
                *seen |= bit;
                new
            }
            None => false,
        }
    }

    fn structure(
        &mut self,
        cx: &mut Cx<'_>,
        inst: Inst<'_>,
        at: u32,
        root: Root,
        rules: Ruleset,
        work: &mut List<'_, Item>,
    ) {
        let mut members = cx.list();
        for (n, (ty, placement)) in inst.tail(2).iter().zip(self.measures.placements(inst)).enumerate() {
            let (n, ty) = (n as u32, Id(*ty));
            if !decorated(cx, inst, (n, ty), *placement, root, rules) {
                return;
            }
            let layout = placement.matrix;
            match placement.offset.flatten() {
                Some(offset) => {
                    members.push(Member { n, ty, offset, layout });
                    work.push(Item { ty, at: at.wrapping_add(offset) % 16, layout });
                }
                None => work.push(Item { ty, at: 0, layout }),
            }
        }
        members.sort_unstable_by_key(|m| (m.offset, m.n));
        let mut before: Option<&Member> = None;
        for member in &members {
            if !self.placed(cx, inst, member, at, before, root, rules) {
                return;
            }
            before = Some(member);
        }
        runtime_array(cx, inst, &members, root, rules);
    }

    /// Whether a member stands where it may, given where the one before ends.
    #[allow(clippy::too_many_arguments)]
    fn placed(
        &self,
        cx: &mut Cx<'_>,
        inst: Inst<'_>,
        member: &Member,
        at: u32,
        before: Option<&Member>,
        root: Root,
        rules: Ruleset,
    ) -> bool {
        let Member { n, ty, offset, layout } = *member;
        let id = inst.id(1);
        let vector = matches!(cx.m.key(ty).shape(), Shape::Vector | Shape::CooperativeVector);
        let wanted = match rules.alignments {
            Alignments::Base | Alignments::Extended if vector && rules.relaxed => Alignments::Scalar,
            other => other,
        };
        let alignment = self.measures.alignment(cx, ty, layout, wanted);
        if !offset.is_multiple_of(alignment) {
            let text =
                format!("member {n} of {id} has Offset {offset}, which is no multiple of its alignment {alignment}");
            return report(cx, inst, &ALIGNMENT, root, rules, text);
        }
        let (end, padded) = before.map_or((0, 0), |b| self.end(cx, b, rules));
        let matrix = before.is_some_and(|b| cx.m.key(b.ty).shape() == Shape::Matrix);
        if u64::from(offset) < padded && u64::from(offset) >= end && matrix {
            let text =
                format!("member {n} of {id} has Offset {offset}, in the padding of a matrix that ends at {padded}");
            report(cx, inst, &MATRIX_PADDING, root, rules, text);
        } else if u64::from(offset) < padded {
            let end = padded;
            let text = format!("member {n} of {id} has Offset {offset}, but the member before ends at {end}");
            return report(cx, inst, &OVERLAP, root, rules, text);
        }
        let size = self.measures.size(cx, ty, layout);
        let strict = matches!(rules.alignments, Alignments::Base | Alignments::Extended);
        if strict && vector && straddles(u64::from(at) + u64::from(offset), size) {
            let text = format!(
                "member {n} of {id}, a vector of {size} bytes, straddles a boundary of 16 bytes at Offset {offset}"
            );
            return report(cx, inst, &STRADDLE, root, rules, text);
        }
        true
    }

    /// The offset behind a member, and the first one that the next member may have.
    fn end(&self, cx: &Cx<'_>, member: &Member, rules: Ruleset) -> (u64, u64) {
        let end = u64::from(member.offset).saturating_add(self.measures.size(cx, member.ty, member.layout));
        let padded = matches!(cx.m.key(member.ty).shape(), Shape::Array | Shape::Struct | Shape::Matrix);
        let strict = matches!(rules.alignments, Alignments::Base | Alignments::Extended);
        if !(padded && strict) {
            return (end, end);
        }
        let alignment = self.measures.alignment(cx, member.ty, member.layout, rules.alignments);
        (end, end.checked_next_multiple_of(u64::from(alignment)).unwrap_or(u64::MAX))
    }

    fn array(
        &mut self,
        cx: &mut Cx<'_>,
        inst: Inst<'_>,
        item: Item,
        root: Root,
        rules: Ruleset,
        work: &mut List<'_, Item>,
    ) {
        let (id, element) = (inst.id(1), inst.id(2));
        let block = |ty| cx.m.is_decorated(ty, Decoration::Block) || cx.m.is_decorated(ty, Decoration::BufferBlock);
        if block(without_arrays(cx.m, id).0) {
            return;
        }
        let Some(stride) = stride_of(cx, id) else {
            report(cx, inst, &STRIDE, root, rules, format!("the array {id} has no ArrayStride"));
            return;
        };
        let Some(stride) = stride else {
            work.push(Item { ty: element, at: 0, layout: item.layout });
            return;
        };
        if stride == 0 {
            report(cx, inst, &STRIDE_SIZE, root, rules, format!("the array {id} has ArrayStride 0"));
            return;
        }
        let alignment = self.measures.alignment(cx, id, item.layout, rules.alignments);
        if !stride.is_multiple_of(alignment) {
            let text =
                format!("the array {id} has ArrayStride {stride}, which is no multiple of its alignment {alignment}");
            report(cx, inst, &STRIDE_ALIGNMENT, root, rules, text);
            return;
        }
        let size = self.measures.size(cx, element, item.layout);
        if u64::from(stride) < size {
            let text = format!("the array {id} has ArrayStride {stride}, but its elements have {size} bytes");
            report(cx, inst, &STRIDE_SIZE, root, rules, text);
            return;
        }
        self.elements(cx, inst, item, stride, work);
    }

    /// Each place modulo 16 at which an element can stand.
    fn elements(&self, cx: &Cx<'_>, inst: Inst<'_>, item: Item, stride: u32, work: &mut List<'_, Item>) {
        let element = inst.id(2);
        let many = cx.parts(element).any(Parts::STRUCT);
        let length = if inst.op() == Op::TypeArray { cx.m.fixed_u32(inst.id(3)).unwrap_or(16) } else { 1 };
        let mut at = item.at;
        for _ in 0..length.min(16) {
            work.push(Item { ty: element, at, layout: item.layout });
            at = at.wrapping_add(stride) % 16;
            if !many || at == item.at {
                break;
            }
        }
    }

    fn matrix(&self, cx: &mut Cx<'_>, item: Item, root: Root, rules: Ruleset) {
        let (Some(stride), Some(inst)) = (item.layout.stride, cx.m.def(item.ty)) else { return };
        let id = item.ty;
        let alignment = self.measures.alignment(cx, id, item.layout, rules.alignments);
        if !stride.is_multiple_of(alignment) {
            let text =
                format!("the matrix {id} has MatrixStride {stride}, which is no multiple of its alignment {alignment}");
            report(cx, inst, &MATRIX_ALIGNMENT, root, rules, text);
            return;
        }
        let key = cx.m.key(id);
        let length = if item.layout.row_major { key.count() } else { key.rows() };
        let line = length * key.width().div_ceil(8);
        if stride < line {
            let text = format!("the matrix {id} has MatrixStride {stride}, but its rows or columns have {line} bytes");
            report(cx, inst, &MATRIX_SIZE, root, rules, text);
        }
    }
}

/// The decorations that a member needs.
fn decorated(
    cx: &mut Cx<'_>,
    inst: Inst<'_>,
    (n, ty): (u32, Id),
    placement: Placement,
    root: Root,
    rules: Ruleset,
) -> bool {
    let id = inst.id(1);
    if placement.offset.is_none() {
        return report(cx, inst, &OFFSET, root, rules, format!("member {n} of {id} has no Offset"));
    }
    let (inner, _) = without_arrays(cx.m, ty);
    if cx.m.key(inner).shape() != Shape::Matrix {
        return true;
    }
    if placement.matrix.stride.is_none() {
        return report(cx, inst, &MATRIX_STRIDE, root, rules, format!("member {n} of {id} has no MatrixStride"));
    }
    if !placement.has_majorness {
        let text = format!("member {n} of {id} is decorated neither RowMajor nor ColMajor");
        return report(cx, inst, &MAJORNESS, root, rules, text);
    }
    true
}

fn is_array(cx: &Cx<'_>, ty: Id) -> bool {
    matches!(cx.m.key(ty).shape(), Shape::Array | Shape::RuntimeArray)
}

/// Whether a vector improperly straddles.
fn straddles(at: u64, size: u64) -> bool {
    if size == 0 {
        return false;
    }
    if size <= 16 { at / 16 != (at + size - 1) / 16 } else { !at.is_multiple_of(16) }
}

fn runtime_array(cx: &mut Cx<'_>, inst: Inst<'_>, members: &[Member], root: Root, rules: Ruleset) {
    let is_runtime = |m: &Member| cx.m.info(m.ty).op == Op::TypeRuntimeArray;
    let Some(array) = members.iter().find(|m| is_runtime(m)) else { return };
    let last = members.last().map_or(0, |m| m.offset);
    if array.offset < last {
        let rule: &'static Rule = if cx.env.is_vulkan() { &VULKAN_RUNTIME_ARRAY } else { &RUNTIME_ARRAY };
        let text = format!(
            "member {} of {}, a run-time array, has Offset {}, but another has {last}",
            array.n,
            inst.id(1),
            array.offset
        );
        report(cx, inst, rule, root, rules, text);
    }
}

/// Reports at the type; gives `false`.
#[cold]
fn report(cx: &mut Cx<'_>, inst: Inst<'_>, rule: &'static Rule, root: Root, rules: Ruleset, text: String) -> bool {
    let class = root.class;
    let (id, at) = root.via;
    cx.fail(rule, inst, || -> Message {
        let message =
            msg(text).note(Site::at(at), format!("used in {class} through {id}, with {} rules", rules.name()));
        match rules.alignments {
            Alignments::Base | Alignments::Extended => {
                message.help("the scalar layout would be laxer, if the target has it")
            }
            _ => message,
        }
    })
    .ok();
    false
}
