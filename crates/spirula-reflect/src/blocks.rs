//! Blocks by path, and where device addresses lie in them (SPV_KHR_physical_storage_buffer).

use alloc::collections::{BTreeMap, VecDeque};
use alloc::vec::Vec;
use core::mem::size_of;

use crate::fields::{Fields, Found};
use crate::model::*;
use crate::types::Types;
use crate::{TypeRef, budget::Budget};

/// The layouts of blocks, and the device addresses in each, by type.
#[derive(Default)]
pub(crate) struct Blocks {
    pub(crate) list: Vec<BlockLayout>,
    /// Positions in the list.
    by_type: BTreeMap<TypeRef, usize>,
}

/// Lays out these types, and what device addresses in them point to.
pub(crate) fn of(budget: &Budget, types: &Types, roots: impl Iterator<Item = TypeRef>) -> Blocks {
    let mut blocks = Blocks::default();
    let mut todo: VecDeque<TypeRef> = roots.collect();
    while let Some(ty) = todo.pop_front() {
        let size = match types.described().get(ty.0 as usize).map(|t| &t.kind) {
            Some(TypeKind::Struct { members, size })
                if size.is_some() || members.iter().any(|m| m.offset.is_some()) =>
            {
                *size
            }
            _ => continue,
        };
        if blocks.by_type.contains_key(&ty) || !budget.take(size_of::<BlockLayout>()) {
            continue;
        }
        let (members, addresses) = block(budget, types, ty);
        todo.extend(addresses.iter().filter_map(|a| a.pointee));
        blocks.by_type.insert(ty, blocks.list.len());
        blocks.list.push(BlockLayout { ty, size, members, addresses });
    }
    blocks
}

fn block(budget: &Budget, types: &Types, ty: TypeRef) -> (Vec<BlockMember>, Vec<DeviceAddress>) {
    let (mut members, mut addresses) = (Vec::new(), Vec::new());
    let mut fields = Fields::of(types.described(), ty);
    while let Some(found) = fields.step() {
        let strings = fields.path().len() + size_of_val(fields.strides());
        if !budget.take(size_of::<BlockMember>() + strings) {
            break;
        }
        let member = found.member;
        members.push(BlockMember {
            path: fields.path().into(),
            offset: found.offset,
            size: member.size,
            padded_size: found.padded_size,
            ty: member.ty,
            array_strides: fields.strides().into(),
            matrix_stride: member.matrix_stride,
            row_major: member.row_major,
        });
        if member.offset.is_some()
            && let Some(address) = address(types, &fields, &found)
        {
            if !budget.take(size_of::<DeviceAddress>() + strings) {
                break;
            }
            addresses.push(address);
        }
    }
    addresses.sort_by_key(|a| a.offset);
    (members, addresses)
}

fn address(types: &Types, fields: &Fields<'_>, found: &Found<'_>) -> Option<DeviceAddress> {
    let TypeKind::Pointer { class, pointee } = &types.described().get(found.element.0 as usize)?.kind else {
        return None;
    };
    (class == "PhysicalStorageBuffer").then(|| DeviceAddress {
        path: fields.path().into(),
        offset: found.offset,
        array_strides: fields.strides().into(),
        in_runtime_array: found.in_runtime_array,
        pointee: *pointee,
        alignment: pointee.and_then(|p| types.largest_scalar(p)),
    })
}

impl Blocks {
    /// The device addresses in a block.
    pub(crate) fn addresses(&self, budget: &Budget, ty: TypeRef) -> Vec<DeviceAddress> {
        let Some(block) = self.by_type.get(&ty).and_then(|at| self.list.get(*at)) else { return Vec::new() };
        let cost = |a: &DeviceAddress| size_of::<DeviceAddress>() + a.path.len() + size_of_val(&*a.array_strides);
        block.addresses.iter().take_while(|a| budget.take(cost(a))).cloned().collect()
    }
}
