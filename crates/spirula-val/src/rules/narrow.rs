//! Types narrower than 32 bits that a module may only store and convert (§2.16.1).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::Capability;
use spirula_module::{Scalar, Shape, Type, TypeKey};

use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "types";
    /// A module that may have 8-bit or 16-bit types by a storage capability only (`StorageBuffer8BitAccess` and the
    /// like) can load, store, copy and width-convert them; anything else needs `Int8`, `Int16` or `Float16`.
    NARROW: "narrow-type-use", spec "§2.16.1";
}

/// Whether the module has narrow types by a storage capability, so that a closer look is needed.
#[inline]
fn is_storage_only(cx: &Cx<'_>) -> bool {
    [
        Capability::StorageBuffer16BitAccess,
        Capability::UniformAndStorageBuffer16BitAccess,
        Capability::StoragePushConstant16,
        Capability::StorageInputOutput16,
        Capability::StorageBuffer8BitAccess,
        Capability::UniformAndStorageBuffer8BitAccess,
        Capability::StoragePushConstant8,
        Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
        Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
    ]
    .iter()
    .any(|c| cx.has(*c))
}

/// Whether the scalar, or the components of the vector or matrix, can be stored only.
fn is_narrow(cx: &Cx<'_>, key: TypeKey) -> bool {
    match (key.component_class(), key.width()) {
        (Scalar::Int, 8) => !cx.has(Capability::Int8),
        (Scalar::Int, 16) => !cx.has(Capability::Int16) && !cx.declares("SPV_AMD_gpu_shader_int16"),
        (Scalar::Float, 16) => {
            !cx.has(Capability::Float16)
                && !cx.has(Capability::Float16Buffer)
                && !cx.declares("SPV_AMD_gpu_shader_half_float")
        }
        _ => false,
    }
}

/// How many types are looked at before a structure counts as harmless.
const MOST: usize = 256;

/// Whether the type is or contains one that can be stored only.
pub(crate) fn is_limited(cx: &Cx<'_>, ty: Id) -> bool {
    if !is_storage_only(cx) {
        return false;
    }
    let mut todo = alloc::vec![ty];
    let mut left = MOST;
    while let Some(ty) = todo.pop() {
        left -= 1;
        if left == 0 {
            return false;
        }
        let key = cx.m.key(ty);
        match cx.m.ty(ty) {
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => todo.push(element),
            Some(Type::Struct { members }) => todo.extend(members.iter().take(left).map(|m| Id(*m))),
            _ if matches!(key.shape(), Shape::Scalar | Shape::Vector | Shape::Matrix) && is_narrow(cx, key) => {
                return true;
            }
            _ => {}
        }
    }
    false
}

/// The instruction's Result Type, and the values at `words`, do more than store narrow types.
#[inline]
pub(crate) fn check(cx: &mut Cx<'_>, inst: Inst<'_>, words: &[usize]) -> Checked {
    if !is_storage_only(cx) {
        return Ok(());
    }
    let values = words.iter().map(|w| (*w, cx.m.type_id_of(inst.id(*w))));
    let bad = core::iter::once((1, inst.id(1))).chain(values).find(|(_, ty)| is_limited(cx, *ty));
    let Some((word, ty)) = bad else { return Ok(()) };
    let (m, op) = (cx.m, inst.op());
    cx.fail_at(&NARROW, inst, word, || {
        format!("{op} uses {}, which the module's capabilities let it only store and width-convert", describe(m, ty))
    })
}
