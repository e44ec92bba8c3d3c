//! Where device addresses lie in blocks (SPV_KHR_physical_storage_buffer).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, LitStr};
use spirula_grammar::{Decoration, StorageClass};
use spirula_module::{Module, Type as Raw};

use crate::Cx;
use crate::model::DeviceAddress;
use crate::types::stride;

/// Members that one block's search may visit: blocks of blocks of blocks can have more leaves than words.
const MAX_VISITS: usize = 1 << 14;

struct Place {
    ty: Id,
    path: String,
    offset: u32,
    strides: Vec<u32>,
    runtime: bool,
}

/// All device addresses in a block, in order of their offsets.
pub(crate) fn of_block(cx: &mut Cx<'_>, block: Id) -> Vec<DeviceAddress> {
    let m = cx.m;
    let mut found = Vec::new();
    if !m.has(spirula_grammar::Capability::PhysicalStorageBufferAddresses) {
        return found;
    }
    let mut todo =
        alloc::vec![Place { ty: block, path: String::new(), offset: 0, strides: Vec::new(), runtime: false }];
    for _ in 0..MAX_VISITS {
        let Some(place) = todo.pop() else { break };
        match m.ty(place.ty) {
            Some(Raw::Struct { members }) => members_of(cx, &place, members, &mut todo),
            Some(Raw::Array { element, .. }) => todo.push(element_of(&m, place, element, false)),
            Some(Raw::RuntimeArray { element }) => todo.push(element_of(&m, place, element, true)),
            Some(Raw::Pointer { class: StorageClass::PhysicalStorageBuffer, pointee }) => found.push(DeviceAddress {
                path: place.path,
                offset: place.offset,
                array_strides: place.strides,
                in_runtime_array: place.runtime,
                pointee: Some(cx.types.get(&m, pointee)),
                alignment: alignment(&m, pointee),
            }),
            Some(Raw::UntypedPointer { class: StorageClass::PhysicalStorageBuffer }) => found.push(DeviceAddress {
                path: place.path,
                offset: place.offset,
                array_strides: place.strides,
                in_runtime_array: place.runtime,
                pointee: None,
                alignment: None,
            }),
            _ => {}
        }
    }
    found.sort_by_key(|a| a.offset);
    found
}

fn members_of(cx: &Cx<'_>, place: &Place, members: &[u32], todo: &mut Vec<Place>) {
    let m = &cx.m;
    for (i, member) in members.iter().enumerate().take(MAX_VISITS) {
        let i = i as u32;
        let Some(offset) = m.member_decoration(place.ty, i, Decoration::Offset) else { continue };
        let Some(offset) = place.offset.checked_add(offset.operand()) else { continue };
        let name = cx.names.member(m.words(), place.ty, i).map(LitStr::to_text).filter(|n| !n.is_empty());
        let name = name.unwrap_or_else(|| format!("_{i}"));
        let path = if place.path.is_empty() { name } else { format!("{}.{name}", place.path) };
        todo.push(Place { ty: Id(*member), path, offset, strides: place.strides.clone(), runtime: place.runtime });
    }
}

fn element_of(m: &Module<'_>, mut place: Place, element: Id, runtime: bool) -> Place {
    place.path += "[]";
    place.strides.push(stride(m, place.ty).unwrap_or(0));
    place.runtime |= runtime;
    place.ty = element;
    place
}

/// Size of the largest scalar in a type: what every access through a pointer to it must be aligned to at least.
fn alignment(m: &Module<'_>, ty: Id) -> Option<u32> {
    let (mut todo, mut largest) = (alloc::vec![ty], 0);
    for _ in 0..MAX_VISITS {
        let Some(ty) = todo.pop() else { break };
        match m.ty(ty) {
            Some(Raw::Int { width, .. }) => largest = largest.max(width / 8),
            Some(Raw::Float(n)) => largest = largest.max(n.width / 8),
            Some(Raw::Pointer { .. } | Raw::UntypedPointer { .. }) => largest = largest.max(8),
            Some(Raw::Vector { component, .. }) => todo.push(component),
            Some(Raw::Matrix { column, .. }) => todo.push(column),
            Some(Raw::Array { element, .. } | Raw::RuntimeArray { element }) => todo.push(element),
            Some(Raw::Struct { members }) => todo.extend(members.iter().map(|t| Id(*t))),
            _ => {}
        }
    }
    (largest != 0).then_some(largest)
}
