//! Comparing pointers: `OpPtrEqual`, `OpPtrNotEqual`, `OpPtrDiff`; and `OpGenericPtrMemSemantics`.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{AddressingModel, Capability, Decoration, Op, StorageClass};
use spirula_module::Shape;

use super::{Pointer, chain, describe, pointer_at};
use crate::cx::{Cx, msg};

rules! {
    group "memory";
    /// A comparison of pointers gives a Boolean, their difference an integer.
    RESULT: "pointer-compare-result", spec "OpPtrEqual";
    /// Pointers are compared with pointers of the same type.
    OPERANDS: "pointer-compare-operands", spec "OpPtrEqual";
    /// Logical pointers are compared only where a variable-pointers capability is declared.
    CAPABILITY: "pointer-compare-capability", spec "§2.16.1";
    /// Logical pointers that are compared point to StorageBuffer or, with capability VariablePointers, Workgroup.
    CLASS: "pointer-compare-class", spec "§2.16.1";
    /// Pointers to PhysicalStorageBuffer are not compared; their addresses as integers can be.
    PHYSICAL: "pointer-compare-physical", spec "§2.16.1";
    /// Where the storage class is laid out explicitly, the difference of two pointers is counted in steps of their type's
    /// ArrayStride, as OpPtrAccessChain goes. A warning, since the layout of the array itself tells as much.
    STRIDE: "pointer-difference-stride", warn spec "OpPtrDiff";
    /// The memory semantics of a generic pointer are a 32-bit unsigned integer.
    GENERIC: "generic-pointer-semantics", spec "OpGenericPtrMemSemantics";
}

pub(super) fn compare<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let diff = inst.op() == Op::PtrDiff;
    let key = cx.result_key(inst)?;
    let ok = if diff { key.is_int() } else { key.is_bool() };
    cx.check_at(ok, &RESULT, inst, 1, || {
        let wanted = if diff { "an integer scalar" } else { "a Boolean" };
        format!("the Result Type {} is not {wanted}", inst.id(1))
    })?;
    let a = pointer_at(cx, inst, 3, &OPERANDS)?;
    let b = pointer_at(cx, inst, 4, &OPERANDS)?;
    let m = cx.m;
    let mixed = !diff && (a.is_untyped() || b.is_untyped());
    let same = if mixed { a.class == b.class } else { a.ty == b.ty };
    cx.check_at(same, &OPERANDS, inst, 4, || {
        format!("{} has type {}, but {} has {}", inst.id(3), describe(m, a.ty), inst.id(4), describe(m, b.ty))
    })?;
    for (word, class) in [(3, a.class), (4, b.class)] {
        let physical = class == StorageClass::PhysicalStorageBuffer;
        cx.check_at(!physical, &PHYSICAL, inst, word, || {
            msg(format!("{} points to PhysicalStorageBuffer", inst.id(word)))
                .help("convert the pointers with OpConvertPtrToU and compare the integers")
        })?;
    }
    if diff {
        elements(cx, inst, a)?;
    }
    let logical = matches!(m.addressing_model(), AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64);
    if !logical { Ok(()) } else { logical_class(cx, inst, a.class) }
}

/// What is counted between two pointers are elements: of a type that arrays can be of, a known distance apart.
fn elements<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, pointer: Pointer) -> Checked {
    let m = cx.m;
    let ok = !matches!(m.key(pointer.pointee).shape(), Shape::Void | Shape::Function);
    cx.check_at(ok, &OPERANDS, inst, 3, || {
        let of = describe(m, pointer.pointee);
        format!("{} points to {of}, of which there are no arrays", inst.id(3))
    })?;
    let block = m.is_decorated(pointer.pointee, Decoration::Block);
    if block || m.is_decorated(pointer.pointee, Decoration::BufferBlock) || chain::has_stride(cx, pointer) {
        return Ok(());
    }
    cx.fail_at(&STRIDE, inst, 3, || {
        msg(format!("the type {} of {} has no ArrayStride", pointer.ty, inst.id(3)))
            .declared(m, pointer.ty)
            .help("decorate the pointer type ArrayStride, with the distance of its elements in bytes")
    })
}

fn logical_class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass) -> Checked {
    let any = cx.has(Capability::VariablePointersStorageBuffer);
    cx.check(any, &CAPABILITY, inst, || {
        format!("{} of logical pointers without a variable-pointers capability", inst.op())
    })?;
    let ok = match class {
        StorageClass::StorageBuffer => true,
        StorageClass::Workgroup => cx.has(Capability::VariablePointers),
        _ => false,
    };
    cx.check_at(ok, &CLASS, inst, 3, || {
        let help = match class {
            StorageClass::Workgroup => "pointers to Workgroup need capability VariablePointers",
            _ => "only pointers to StorageBuffer and Workgroup can be compared",
        };
        msg(format!("{} points to {class}", inst.id(3))).help(help)
    })
}

pub(super) fn generic_semantics<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    let ok = key.is_int() && key.width() == 32 && !key.is_signed();
    cx.check_at(ok, &GENERIC, inst, 1, || format!("the Result Type {} is not a 32-bit unsigned integer", inst.id(1)))?;
    let pointer = pointer_at(cx, inst, 3, &GENERIC)?;
    cx.check_at(pointer.class == StorageClass::Generic, &GENERIC, inst, 3, || {
        format!("{} points to {}, not to Generic", inst.id(3), pointer.class)
    })
}
