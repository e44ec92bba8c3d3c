//! Blocks by path, and where device addresses lie in them (SPV_KHR_physical_storage_buffer).

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::mem::size_of;

use crate::fields::{Fields, Found};
use crate::model::*;
use crate::types::MEMBERS_AT_ONCE;
use crate::{Cx, TypeRef, budget::Budget};

/// Lays out the blocks of a report, and finds the device addresses in them.
pub(crate) fn lay_out<'m>(cx: &mut Cx<'_, 'm>, report: &mut Reflection<'m>) {
    let (mut todo, mut positions) = (core::mem::take(&mut cx.lists.todo), core::mem::take(&mut cx.lists.blocks));
    todo.clear();
    todo.extend(report.bindings.iter().map(|b| b.ty));
    todo.extend(report.push_constants.iter().chain(&report.shader_records).map(|b| b.ty));
    todo.extend(&report.buffer_references);
    positions.clear();
    positions.resize(report.types.len(), 0);
    let mut fields = Fields::of(&report.types, core::mem::take(&mut cx.lists.path));
    let mut next = 0;
    while let Some(&ty) = todo.get(next) {
        next += 1;
        let Some(position) = positions.get_mut(ty.0 as usize).filter(|p| **p == 0) else { continue };
        let Some(layout) = layout(cx, &mut fields, ty) else { continue };
        todo.extend(layout.addresses.iter().filter_map(|a| a.pointee));
        report.blocks.push(layout);
        *position = report.blocks.len() as u32;
    }
    cx.lists.path = fields.into_path();
    let position = |ty: TypeRef| positions.get(ty.0 as usize).and_then(|p| p.checked_sub(1));
    let addresses = |ty| position(ty).and_then(|at| report.blocks.get(at as usize)).map_or(&[][..], |b| &b.addresses);
    for b in &mut report.bindings {
        b.addresses = copied(&cx.budget, addresses(b.ty));
    }
    for b in report.push_constants.iter_mut().chain(&mut report.shader_records) {
        b.addresses = copied(&cx.budget, addresses(b.ty));
    }
    (cx.lists.todo, cx.lists.blocks) = (todo, positions);
}

/// The layout of a type; `None` where it is no block, or cannot be paid for.
fn layout<'m>(cx: &Cx<'_, 'm>, fields: &mut Fields<'_, 'm>, ty: TypeRef) -> Option<BlockLayout<'m>> {
    let Some(TypeKind::Struct { members, size }) = fields.kind(ty) else { return None };
    let is_block = size.is_some() || members.iter().any(|m| m.offset.is_some());
    if !is_block || !cx.budget.take(size_of::<BlockLayout<'_>>()) {
        return None;
    }
    let room = Vec::with_capacity(members.len().min(MEMBERS_AT_ONCE));
    let mut layout = BlockLayout { ty, size: *size, members: room, addresses: Vec::new() };
    fields.start(ty);
    fill(cx, fields, &mut layout);
    Some(layout)
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

/// As many of the addresses as the budget pays for.
fn copied<'m>(budget: &Budget, addresses: &[DeviceAddress<'m>]) -> Vec<DeviceAddress<'m>> {
    let cost = |a: &DeviceAddress<'_>| size_of::<DeviceAddress<'_>>() + a.path.len() + size_of_val(&*a.array_strides);
    addresses.iter().take_while(|a| budget.take(cost(a))).cloned().collect()
}
