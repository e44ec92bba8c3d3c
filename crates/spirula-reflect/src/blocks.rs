//! Blocks by path, and where device addresses lie in them (SPV_KHR_physical_storage_buffer).

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::mem::size_of;

use crate::fields::{Fields, Found};
use crate::model::*;
use crate::types::MEMBERS_AT_ONCE;
use crate::{Cx, TypeRef, budget::Budget};

/// The layouts of blocks, and the device addresses in each, by type.
#[derive(Default)]
pub(crate) struct Blocks<'m> {
    pub(crate) list: Vec<BlockLayout<'m>>,
    /// By type: the position in the list, plus 1.
    positions: Vec<u32>,
}

/// Lays out the blocks of a report, and finds the device addresses in them.
pub(crate) fn lay_out<'m>(cx: &Cx<'_, 'm>, report: &mut Reflection<'m>) {
    let roots = report.bindings.iter().map(|b| b.ty);
    let roots = roots.chain(report.push_constants.iter().chain(&report.shader_records).map(|b| b.ty));
    let roots = roots.chain(report.buffer_references.iter().copied());
    let mut todo = Vec::with_capacity(report.bindings.len() + 8);
    todo.extend(roots);
    let blocks = of(cx, &report.types, todo);
    for b in &mut report.bindings {
        b.addresses = blocks.addresses(&cx.budget, b.ty);
    }
    for b in report.push_constants.iter_mut().chain(&mut report.shader_records) {
        b.addresses = blocks.addresses(&cx.budget, b.ty);
    }
    report.blocks = blocks.list;
}

/// Lays out these types, and what device addresses in them point to.
fn of<'m>(cx: &Cx<'_, 'm>, types: &[Type<'m>], mut todo: Vec<TypeRef>) -> Blocks<'m> {
    let mut blocks = Blocks::default();
    if todo.is_empty() {
        return blocks;
    }
    blocks.positions.resize(types.len(), 0);
    let mut fields = Fields::of(types);
    let mut next = 0;
    while let Some(&ty) = todo.get(next) {
        next += 1;
        let (size, count) = match fields.kind(ty) {
            Some(TypeKind::Struct { members, size })
                if size.is_some() || members.iter().any(|m| m.offset.is_some()) =>
            {
                (*size, members.len())
            }
            _ => continue,
        };
        let Some(position) = blocks.positions.get_mut(ty.0 as usize).filter(|p| **p == 0) else { continue };
        if !cx.budget.take(size_of::<BlockLayout<'_>>()) {
            continue;
        }
        *position = blocks.list.len() as u32 + 1;
        fields.start(ty);
        let members = Vec::with_capacity(count.min(MEMBERS_AT_ONCE));
        let mut layout = BlockLayout { ty, size, members, addresses: Vec::new() };
        fill(cx, &mut fields, &mut layout);
        todo.extend(layout.addresses.iter().filter_map(|a| a.pointee));
        blocks.list.push(layout);
    }
    blocks
}

fn fill<'m>(cx: &Cx<'_, 'm>, fields: &mut Fields<'_, 'm>, layout: &mut BlockLayout<'m>) {
    while let Some(found) = fields.step() {
        let strings = fields.path().len() + size_of_val(fields.strides());
        if !cx.budget.take(size_of::<BlockMember<'_>>() + strings) {
            break;
        }
        let member = found.member;
        layout.members.push(BlockMember {
            path: path(fields, &found),
            offset: found.offset,
            size: member.size,
            padded_size: found.padded_size,
            ty: member.ty,
            array_strides: fields.strides().into(),
            matrix_stride: member.matrix_stride,
            row_major: member.row_major,
        });
        if member.offset.is_some()
            && let Some(address) = address(cx, fields, &found)
        {
            if !cx.budget.take(size_of::<DeviceAddress<'_>>() + strings) {
                break;
            }
            layout.addresses.push(address);
        }
    }
    layout.addresses.sort_by_key(|a| a.offset);
}

/// The path, which at the first level is the member's name.
fn path<'m>(fields: &Fields<'_, 'm>, found: &Found<'_, 'm>) -> Text<'m> {
    let name = &found.member.name;
    if fields.path().len() == name.len() { name.clone() } else { Cow::Owned(fields.path().into()) }
}

fn address<'m>(cx: &Cx<'_, 'm>, fields: &Fields<'_, 'm>, found: &Found<'_, 'm>) -> Option<DeviceAddress<'m>> {
    let TypeKind::Pointer { class, pointee } = fields.kind(found.element)? else {
        return None;
    };
    (class == "PhysicalStorageBuffer").then(|| DeviceAddress {
        path: path(fields, found),
        offset: found.offset,
        array_strides: fields.strides().into(),
        in_runtime_array: found.in_runtime_array,
        pointee: *pointee,
        alignment: pointee.and_then(|p| cx.types.largest_scalar(&cx.m, p)),
    })
}

impl<'m> Blocks<'m> {
    /// The device addresses in a block.
    pub(crate) fn addresses(&self, budget: &Budget, ty: TypeRef) -> Vec<DeviceAddress<'m>> {
        let position = self.positions.get(ty.0 as usize).and_then(|p| p.checked_sub(1));
        let Some(block) = position.and_then(|at| self.list.get(at as usize)) else { return Vec::new() };
        let cost =
            |a: &DeviceAddress<'_>| size_of::<DeviceAddress<'_>>() + a.path.len() + size_of_val(&*a.array_strides);
        block.addresses.iter().take_while(|a| budget.take(cost(a))).cloned().collect()
    }
}
