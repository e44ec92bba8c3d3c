//! Where device addresses can lead (SPV_KHR_physical_storage_buffer).

use alloc::collections::BTreeSet;
use alloc::vec::Vec;
use core::mem::size_of;

use spirula_grammar::{Capability, Op};

use crate::{Cx, TypeRef};

/// Structure types that physical pointers point to, in order of the pointers' declarations.
pub(crate) fn structures(cx: &mut Cx<'_, '_>) -> Vec<TypeRef> {
    let m = cx.m;
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    if !m.has(Capability::PhysicalStorageBufferAddresses) {
        return found;
    }
    for pointee in core::mem::take(&mut cx.survey.physical) {
        if m.info(pointee).op == Op::TypeStruct && seen.insert(pointee) && cx.budget.take(size_of::<TypeRef>()) {
            found.push(cx.type_ref(pointee));
        }
    }
    found
}
