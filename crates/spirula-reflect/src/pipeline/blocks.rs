//! Whether two blocks agree about the bytes that both of them have.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::model::{Member, Reflection, TypeKind};
use crate::rows::cell;
use crate::table::type_text;
use crate::{TypeRef, types};

/// A block, in its report.
#[derive(Clone, Copy)]
pub(super) struct Block<'r> {
    pub(super) report: &'r Reflection<'r>,
    pub(super) ty: TypeRef,
}

impl<'r> Block<'r> {
    fn kind(self, ty: TypeRef) -> Option<&'r TypeKind<'r>> {
        self.report.types.get(ty.0 as usize).map(|t| &t.kind)
    }

    /// Members with their offsets and ends, in order.
    fn members(self) -> Vec<(u32, u32, &'r Member<'r>)> {
        let Some(TypeKind::Struct { members, .. }) = self.kind(self.ty) else { return Vec::new() };
        let place = |m: &'r Member<'r>| {
            let offset = m.offset?;
            // A runtime array has no end.
            let end = m.size.filter(|s| *s > 0).map_or(u32::MAX, |s| offset.saturating_add(s));
            Some((offset, end, m))
        };
        let mut found: Vec<_> = members.iter().filter_map(place).collect();
        found.sort_by_key(|m| m.0);
        found
    }

    fn same(self, other: Block<'_>) -> bool {
        core::ptr::eq(self.report, other.report) && self.ty == other.ty
    }
}

/// The first place where two blocks differ, in words: what each has there.
pub(super) fn difference(a: Block<'_>, b: Block<'_>, budget: &mut u32) -> Option<(u32, String, String)> {
    let mut todo = alloc::vec![(a, b, 0u32)];
    while let Some((a, b, base)) = todo.pop() {
        if a.same(b) {
            continue;
        }
        let (left, right) = (a.members(), b.members());
        *budget = budget.saturating_sub((left.len() + right.len()) as u32 + 1);
        if *budget == 0 {
            return None;
        }
        let (mut i, mut j) = (0, 0);
        while let (Some((at, end, one)), Some((other_at, other_end, other))) = (left.get(i), right.get(j)) {
            if end <= other_at {
                i += 1;
            } else if other_end <= at {
                j += 1;
            } else if at == other_at && agree(a, one, b, other, base.saturating_add(*at), &mut todo) {
                (i, j) = (i + 1, j + 1);
            } else {
                let offset = base.saturating_add((*at).max(*other_at));
                return Some((offset, shown(a, one), shown(b, other)));
            }
        }
    }
    None
}

fn shown(block: Block<'_>, member: &Member<'_>) -> String {
    let order = if member.row_major == Some(true) { " (row major)" } else { "" };
    format!("{} `{}`{order}", cell(&type_text(block.report, member.ty)), cell(&member.name))
}

/// Whether two members at the same place have the same type; structures in them are left for later.
fn agree<'a, 'b>(
    a: Block<'a>,
    one: &Member<'_>,
    b: Block<'b>,
    other: &Member<'_>,
    at: u32,
    todo: &mut Vec<(Block<'a>, Block<'b>, u32)>,
) -> bool {
    let (mut x, mut y) = (one.ty, other.ty);
    for _ in 0..types::MAX_NESTING {
        match (a.kind(x), b.kind(y)) {
            // Arrays may be of different lengths: one side may not need all.
            (
                Some(TypeKind::Array { element: inner, stride, .. }),
                Some(TypeKind::Array { element: other_inner, stride: other_stride, .. }),
            ) if stride == other_stride => (x, y) = (*inner, *other_inner),
            _ => break,
        }
    }
    match (a.kind(x), b.kind(y)) {
        (Some(TypeKind::Struct { .. }), Some(TypeKind::Struct { .. })) => {
            todo.push((Block { ty: x, ..a }, Block { ty: y, ..b }, at));
            true
        }
        (
            Some(TypeKind::Matrix { component, columns, rows }),
            Some(TypeKind::Matrix { component: other_component, columns: other_columns, rows: other_rows }),
        ) => {
            let layout = |m: &Member<'_>| (m.matrix_stride, m.row_major);
            (columns, rows) == (other_columns, other_rows)
                && layout(one) == layout(other)
                && same_number(a.kind(*component), b.kind(*other_component))
        }
        (
            Some(TypeKind::Vector { component, count }),
            Some(TypeKind::Vector { component: other_component, count: other_count }),
        ) => count == other_count && same_number(a.kind(*component), b.kind(*other_component)),
        // What addresses lead to is not in the block.
        (Some(TypeKind::Pointer { class, .. }), Some(TypeKind::Pointer { class: other, .. })) => class == other,
        (one, other) => same_number(one, other),
    }
}

/// Whether two types are the same sort of number. The signs of integers are a matter of taste.
fn same_number(a: Option<&TypeKind<'_>>, b: Option<&TypeKind<'_>>) -> bool {
    match (a, b) {
        (Some(TypeKind::Int { width, .. }), Some(TypeKind::Int { width: other, .. })) => width == other,
        (
            Some(TypeKind::Float { width, encoding }),
            Some(TypeKind::Float { width: other, encoding: other_encoding }),
        ) => (width, encoding) == (other, other_encoding),
        _ => false,
    }
}
