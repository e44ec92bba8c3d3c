//! `OpCopyMemory`, `OpCopyMemorySized`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, StorageClass};
use spirula_module::Shape;

use super::{POINTER, Pointer, access, describe, load_store, no_ray_object, not_a_texel, pointer_at};
use crate::cx::{Cx, msg};
use crate::facts::Parts;

rules! {
    group "memory";
    /// What is copied is not void, and has a size.
    VOID: "copy-void", spec "OpCopyMemory";
    /// Source and target point to the same type.
    TYPE: "copy-type", spec "OpCopyMemory";
    /// At least one pointer of OpCopyMemory tells the type that is copied; else OpCopyMemorySized must be used.
    TYPED: "copy-untyped", extension "SPV_KHR_untyped_pointers";
    /// Storage capabilities do not allow 8-bit and 16-bit objects to be copied.
    SMALL: "copy-small-type", spec "§2.16.1";
    /// The size of a copy is an integer scalar.
    SIZE: "copy-size", spec "OpCopyMemorySized";
    /// A constant size is greater than 0.
    SIZE_VALUE: "copy-size-value", spec "OpCopyMemorySized";
    /// A size that is no multiple of 4 (or of 2) bytes needs 8-bit (or 16-bit) types in both storage classes.
    SIZE_MULTIPLE: "copy-size-multiple", extension "SPV_KHR_untyped_pointers";
    /// A size that is no multiple of 4 (or of 2) bytes needs 8-bit (or 16-bit) types in both storage classes.
    VULKAN_SIZE_MULTIPLE: "vulkan-copy-size-multiple", vuid "VUID-RuntimeSpirv-Size-11165";
}

fn not_void<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, pointer: Pointer) -> Checked {
    let void = !pointer.is_untyped() && cx.m.key(pointer.pointee).shape() == Shape::Void;
    cx.check_at(!void, &VOID, inst, word, || format!("{} points to void", inst.id(word)))
}

pub(super) fn copy_memory<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let target = pointer_at(cx, inst, 1, &POINTER)?;
    let source = pointer_at(cx, inst, 2, &POINTER)?;
    not_a_texel(cx, inst, 1, target)?;
    not_a_texel(cx, inst, 2, source)?;
    not_void(cx, inst, 1, target)?;
    not_void(cx, inst, 2, source)?;
    no_ray_object(cx, inst, 1, target)?;
    no_ray_object(cx, inst, 2, source)?;
    let m = cx.m;
    cx.check(!(target.is_untyped() && source.is_untyped()), &TYPED, inst, || {
        msg("both pointers are untyped, so that nothing tells how much to copy").help("use OpCopyMemorySized")
    })?;
    let both = !target.is_untyped() && !source.is_untyped();
    cx.check(!both || target.pointee == source.pointee, &TYPE, inst, || {
        format!(
            "the target {} points to {}, but the source {} to {}",
            inst.id(1),
            describe(m, target.pointee),
            inst.id(2),
            describe(m, source.pointee)
        )
    })?;
    let copied = if target.is_untyped() { source.pointee } else { target.pointee };
    let parts = cx.parts(copied);
    cx.check(!parts.any(Parts::RUNTIME_ARRAY), &VOID, inst, || {
        format!("{} is or contains a run-time array, which has no fixed size", describe(m, copied))
    })?;
    load_store::writable(cx, inst, 1, target.class)?;
    small(cx, inst, parts)?;
    access::of_copy(cx, inst, 3, target, source, copied)
}

/// Without the full capabilities, objects with small parts are not copied.
fn small<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, parts: Parts) -> Checked {
    if !parts.any(Parts::SMALL) || !cx.has(Capability::Shader) {
        return Ok(());
    }
    let without = (parts.any(Parts::INT8) && !cx.has(Capability::Int8))
        || (parts.any(Parts::INT16) && !cx.has(Capability::Int16))
        || (parts.any(Parts::FLOAT16) && !cx.has(Capability::Float16));
    cx.check(
        !without,
        &SMALL,
        inst,
        || "the copied object has 8-bit or 16-bit parts, for which only storage capabilities are declared",
    )
}

pub(super) fn copy_memory_sized<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let target = pointer_at(cx, inst, 1, &POINTER)?;
    let source = pointer_at(cx, inst, 2, &POINTER)?;
    not_a_texel(cx, inst, 1, target)?;
    not_a_texel(cx, inst, 2, source)?;
    no_ray_object(cx, inst, 1, target)?;
    no_ray_object(cx, inst, 2, source)?;
    let key = cx.key_at(inst, 3)?;
    let size = inst.id(3);
    cx.check_at(key.is_int(), &SIZE, inst, 3, || format!("the Size {size} is not an integer scalar"))?;
    if let Some(value) = cx.m.int_constant(size).filter(|v| !v.spec) {
        cx.check_at(value.bits != 0, &SIZE_VALUE, inst, 3, || format!("the Size {size} is 0"))?;
        cx.check_at(value.as_unsigned().is_some(), &SIZE_VALUE, inst, 3, || {
            format!("the Size {size} is {}", value.bits as i64)
        })?;
        multiple(cx, inst, value.bits, target.class, source.class)?;
    }
    load_store::writable(cx, inst, 1, target.class)?;
    let parts = [target, source].iter().fold(Parts::default(), |p, t| p.or(cx.parts(t.pointee)));
    small(cx, inst, parts)?;
    let copied = [target, source].iter().find(|p| !p.is_untyped()).map_or(Id(0), |p| p.pointee);
    access::of_copy(cx, inst, 4, target, source, copied)
}

/// What a size must be a multiple of, given what the storage class can hold: 1, 2 or 4 bytes.
fn unit(cx: &Cx<'_>, class: StorageClass) -> u64 {
    let has = |c| cx.has(c);
    let (eight, sixteen) = match class {
        StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => (
            has(Capability::StorageBuffer8BitAccess) || has(Capability::UniformAndStorageBuffer8BitAccess),
            has(Capability::StorageBuffer16BitAccess) || has(Capability::UniformAndStorageBuffer16BitAccess),
        ),
        StorageClass::Uniform => {
            (has(Capability::UniformAndStorageBuffer8BitAccess), has(Capability::UniformAndStorageBuffer16BitAccess))
        }
        StorageClass::PushConstant => (has(Capability::StoragePushConstant8), has(Capability::StoragePushConstant16)),
        StorageClass::Input | StorageClass::Output => (false, has(Capability::StorageInputOutput16)),
        StorageClass::Workgroup => (
            has(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR),
            has(Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR),
        ),
        StorageClass::Function | StorageClass::Private => (false, false),
        _ => (true, true),
    };
    let eight = eight || has(Capability::Int8);
    let sixteen = sixteen || has(Capability::Int16) || has(Capability::Float16);
    if eight {
        1
    } else if sixteen {
        2
    } else {
        4
    }
}

fn multiple<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, size: u64, target: StorageClass, source: StorageClass) -> Checked {
    if !cx.has(Capability::Shader) {
        return Ok(());
    }
    let unit = unit(cx, target).max(unit(cx, source));
    let rule: &'static Rule = if cx.env.is_vulkan() { &VULKAN_SIZE_MULTIPLE } else { &SIZE_MULTIPLE };
    cx.check_at(size.is_multiple_of(unit), rule, inst, 3, || {
        format!("the Size is {size}, but from {source} to {target} only multiples of {unit} bytes can be copied")
    })
}
