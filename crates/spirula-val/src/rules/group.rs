//! Group and subgroup instructions (§3.3.21).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Op, StorageClass};
use spirula_module::Shape;

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operand, operands, result};
use crate::rules::scopes::{self, Execution};
use crate::signature::describe;

rules! {
    group "group";
    /// An asynchronous copy is between Workgroup and CrossWorkgroup memory.
    COPY_STORAGE: "async-copy-storage", spec "OpGroupAsyncCopy";
    /// An asynchronous copy moves numbers, and source and destination have the same type.
    COPY_TYPE: "async-copy-type", spec "OpGroupAsyncCopy";
    /// LocalId is an integer scalar, or a vector of two or three.
    LOCAL_ID: "group-local-id", spec "OpGroupBroadcast";
}

pub(crate) const TABLE: Table = rule_table! {
    GroupAsyncCopy => async_copy;
    GroupWaitEvents => wait_events;
    GroupAll | GroupAny => vote;
    GroupBroadcast => broadcast;
    GroupIAdd | GroupUMin | GroupSMin | GroupUMax | GroupSMax => |cx, inst| arithmetic(cx, inst, Is::Ints);
    GroupIAddNonUniformAMD | GroupUMinNonUniformAMD | GroupSMinNonUniformAMD => amd_ints;
    GroupUMaxNonUniformAMD | GroupSMaxNonUniformAMD => amd_ints;
    GroupIMulKHR | GroupBitwiseAndKHR | GroupBitwiseOrKHR | GroupBitwiseXorKHR => |cx, inst| uniform(cx, inst, Is::Ints);
    GroupFAdd | GroupFMin | GroupFMax => |cx, inst| arithmetic(cx, inst, Is::Floats);
    GroupFAddNonUniformAMD | GroupFMinNonUniformAMD | GroupFMaxNonUniformAMD => |cx, inst| {
        scopes::execution(cx, inst, 3, Execution::Workgroup)?;
        arithmetic(cx, inst, Is::Floats)
    };
    GroupFMulKHR => |cx, inst| uniform(cx, inst, Is::Floats);
    GroupLogicalAndKHR | GroupLogicalOrKHR | GroupLogicalXorKHR => |cx, inst| uniform(cx, inst, Is::Bools);
    SubgroupBallotKHR => ballot;
    SubgroupFirstInvocationKHR => first_invocation;
    SubgroupReadInvocationKHR => read_invocation;
    SubgroupAllKHR | SubgroupAnyKHR | SubgroupAllEqualKHR => subgroup_vote;
    SubgroupShuffleINTEL | SubgroupShuffleXorINTEL => shuffle;
    SubgroupShuffleDownINTEL | SubgroupShuffleUpINTEL => shuffle_relative;
};

fn vote<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Any)?;
    result(cx, inst, Is::Bool)?;
    operand(cx, inst, 4, Is::Bool)
}

fn broadcast<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Any)?;
    result(cx, inst, Is::Value)?;
    operand(cx, inst, 4, Is::Same)?;
    let key = cx.key_at(inst, 5)?;
    let (m, id) = (cx.m, inst.id(5));
    let fits = key.is_int_scalar_or_vector() && key.count() <= 3;
    cx.check_at(fits, &LOCAL_ID, inst, 5, || {
        let ty = describe(m, m.type_id_of(id));
        format!("LocalId {id} has type {ty}, but must be an integer scalar or a vector of 2 or 3 integers")
    })
}

fn arithmetic<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, of: Is) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Any)?;
    result(cx, inst, of)?;
    operand(cx, inst, 5, Is::Same)
}

/// SPV_AMD_shader_ballot does not ask for equal signedness.
fn amd_ints<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Workgroup)?;
    result(cx, inst, Is::Ints)?;
    operand(cx, inst, 5, Is::Like)
}

/// SPV_KHR_uniform_group_instructions names the scopes that its instructions take.
fn uniform<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, of: Is) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Workgroup)?;
    result(cx, inst, of)?;
    operand(cx, inst, 5, Is::Same)
}

fn async_copy<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Any)?;
    result(cx, inst, Is::Type(Op::TypeEvent))?;
    let (destination, source) = (cx.type_at(inst, 4)?, cx.type_at(inst, 5)?);
    operand(cx, inst, 4, Is::Pointer)?;
    operand(cx, inst, 5, Is::Pointer)?;
    let m = cx.m;
    let (Some((to, data)), Some((from, copied))) = (m.pointer(destination), m.pointer(source)) else { return Ok(()) };
    cx.check_at(matches!(to, StorageClass::Workgroup | StorageClass::CrossWorkgroup), &COPY_STORAGE, inst, 4, || {
        format!("Destination points into {to}, but must point into Workgroup or CrossWorkgroup")
    })?;
    let number = |ty| Is::Ints.accepts(m, ty, ty) || Is::Floats.accepts(m, ty, ty);
    let typed = m.key(destination).shape() == Shape::Pointer && m.key(source).shape() == Shape::Pointer;
    cx.check_at(!typed || number(data), &COPY_TYPE, inst, 4, || {
        format!("Destination points to {}, but must point to integers or floats", describe(m, data))
    })?;
    cx.check_at(!typed || data == copied, &COPY_TYPE, inst, 5, || {
        format!("Source points to {}, but Destination to {}", describe(m, copied), describe(m, data))
    })?;
    let other = if to == StorageClass::Workgroup { StorageClass::CrossWorkgroup } else { StorageClass::Workgroup };
    cx.check_at(from == other, &COPY_STORAGE, inst, 5, || {
        format!("Destination points into {to}, so Source must point into {other}, but points into {from}")
    })?;
    operands(cx, inst, 6, &[Is::Address, Is::Address, Is::Type(Op::TypeEvent)])
}

fn wait_events<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 1, Execution::Any)?;
    operands(cx, inst, 2, &[Is::Int32, Is::PointerTo(Op::TypeEvent)])
}

fn ballot<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32x4)?;
    operand(cx, inst, 3, Is::Bool)
}

/// The extension says 32-bit scalars; front ends write vectors and other widths too, which drivers take.
fn first_invocation<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Value)?;
    operand(cx, inst, 3, Is::Same)
}

fn read_invocation<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    first_invocation(cx, inst)?;
    operand(cx, inst, 4, Is::Int32)
}

fn subgroup_vote<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    operand(cx, inst, 3, Is::Bool)
}

/// Result Type is a scalar or a vector, and what is shuffled has it.
fn shuffled<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, values: usize) -> Checked {
    result(cx, inst, Is::Value)?;
    for word in 3..3 + values {
        operand(cx, inst, word, Is::Same)?;
    }
    operand(cx, inst, 3 + values, Is::Int32)
}

fn shuffle<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    shuffled(cx, inst, 1)
}

fn shuffle_relative<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    shuffled(cx, inst, 2)
}
