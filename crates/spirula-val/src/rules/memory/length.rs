//! `OpArrayLength`, `OpUntypedArrayLengthKHR`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Decoration, Op, StorageClass};
use spirula_module::Type;

use super::{Pointer, describe, pointer_at};
use crate::cx::{Cx, msg};
use crate::facts::Parts;

rules! {
    group "memory";
    /// The length of a run-time array is a 32-bit unsigned integer (or 64-bit, with capability Shader64BitIndexingEXT).
    RESULT: "array-length-result", spec "OpArrayLength";
    /// The pointer points to a structure whose last member is the run-time array.
    STRUCTURE: "array-length-structure", spec "OpArrayLength";
    /// The pointer is a logical one, which tells where the run-time array ends; an address does not.
    LOGICAL: "array-length-logical", spec "OpArrayLength";
    /// The structure of OpUntypedArrayLengthKHR is a Block: what a descriptor is for.
    BLOCK: "untyped-array-length-block", extension "SPV_KHR_untyped_pointers";
    /// The member is the structure's last one.
    MEMBER: "array-length-member", spec "OpArrayLength";
    /// A run-time array at the end of a uniform buffer has no length that could be asked for.
    VULKAN_UNIFORM: "vulkan-array-length-uniform", vuid "VUID-StandaloneSpirv-OpArrayLength-11805";
}

fn result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    let wide = key.width() == 64 && cx.has(Capability::Shader64BitIndexingEXT);
    let ok = key.is_int() && !key.is_signed() && (key.width() == 32 || wide);
    let m = cx.m;
    cx.check_at(ok, &RESULT, inst, 1, || {
        format!("the Result Type {} is not a 32-bit unsigned integer", describe(m, inst.id(1)))
    })
}

pub(super) fn array_length<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst)?;
    let pointer = pointer_at(cx, inst, 3, &STRUCTURE)?;
    structure(cx, inst, 3, pointer.pointee, 4)?;
    logical(cx, inst, 3, pointer)?;
    uniform(cx, inst, 3, pointer.class, pointer.pointee)
}

pub(super) fn untyped_array_length<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst)?;
    let pointer = pointer_at(cx, inst, 4, &STRUCTURE)?;
    let ty = inst.id(3);
    structure(cx, inst, 3, ty, 5)?;
    logical(cx, inst, 4, pointer)?;
    let m = cx.m;
    cx.check_at(m.is_decorated(ty, Decoration::Block), &BLOCK, inst, 3, || {
        msg(format!("the structure {ty} is not decorated Block")).declared(m, ty)
    })?;
    descriptor(cx, inst)?;
    uniform(cx, inst, 4, pointer.class, ty)
}

fn logical<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, pointer: Pointer) -> Checked {
    let ok = cx.parts(pointer.ty).any(Parts::LOGICAL_POINTER);
    cx.check_at(ok, &LOGICAL, inst, word, || format!("{} points to {}, physically", inst.id(word), pointer.class))
}

/// The pointer is a descriptor as a whole: what leads to a member behind the first one is none.
fn descriptor<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let Some(chain) = m.def(inst.id(4)) else { return Ok(()) };
    let member = matches!(chain.op(), Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR)
        && m.info(chain.id(3)).op == Op::TypeStruct
        && chain.words().len() > 5
        && m.fixed_u32(chain.id(5)).is_some_and(|n| n != 0);
    cx.check_at(!member, &STRUCTURE, inst, 4, || {
        format!("{} points to a member of {}, not to a descriptor", inst.id(4), chain.id(3))
    })
}

/// `ty` is a structure whose last member, a run-time array, is named at `member`.
fn structure<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id, member: usize) -> Checked {
    let m = cx.m;
    let Some(Type::Struct { members }) = m.ty(ty) else {
        return cx.fail_at(&STRUCTURE, inst, word, || {
            format!("{} does not lead to a structure, but to {}", inst.id(word), describe(m, ty))
        });
    };
    let last = Id(members.last().copied().unwrap_or(0));
    cx.check_at(m.info(last).op == Op::TypeRuntimeArray, &STRUCTURE, inst, word, || {
        msg(format!("the last member of {ty} is not a run-time array")).declared(m, ty)
    })?;
    let n = inst.word(member);
    cx.check_at(n as usize + 1 == members.len(), &MEMBER, inst, member, || {
        format!("member {n} is not the last member of {ty}, which is {}", members.len() - 1)
    })
}

fn uniform<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, class: StorageClass, ty: Id) -> Checked {
    let wrong = cx.env.is_vulkan() && class == StorageClass::Uniform && !cx.m.is_decorated(ty, Decoration::BufferBlock);
    cx.check_at(!wrong, &VULKAN_UNIFORM, inst, word, || {
        format!("{} points to a Block in the Uniform storage class", inst.id(word))
    })
}
