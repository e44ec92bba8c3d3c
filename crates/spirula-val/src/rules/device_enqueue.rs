//! Device-side enqueue instructions (§3.3.22).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Op, StorageClass};
use spirula_module::{Module, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, name_of, operand, operands, result};
use crate::signature::describe;

rules! {
    group "device_enqueue";
    /// An ND-range is the structure that OpBuildNDRange describes.
    ND_RANGE: "nd-range-type", spec "OpBuildNDRange";
    /// Work sizes are an integer, or an array of two or three, as wide as an address.
    WORK_SIZE: "work-size-type", spec "OpBuildNDRange";
    /// The events that are waited for, and the one that results, are given by pointers to OpTypeDeviceEvent. A warning,
    /// since older front ends wrote OpTypeEvent.
    EVENT_TYPE: "enqueue-event-type", warn spec "OpEnqueueKernel";
    /// A kernel that is enqueued returns nothing and takes a pointer to 8-bit integers, then pointers to Workgroup. A warning, since no front end is known to be checked for it.
    INVOKE: "enqueue-invoke", warn spec "OpEnqueueKernel";
    /// What is enqueued, or asked about, is a function.
    FUNCTION: "enqueue-function", spec "OpEnqueueKernel";
    /// Param is a pointer to an 8-bit integer.
    PARAM: "enqueue-param", warn spec "OpEnqueueKernel";
    /// There is one Local Size for each pointer to Workgroup that the kernel takes.
    LOCAL_SIZE: "enqueue-local-size", spec "OpEnqueueKernel";
    /// The event whose status is set is one that OpCreateUserEvent made, and the one whose profiling information is captured
    /// is not: that was made by an enqueued command. A warning, since translators' own examples do otherwise.
    ORIGIN: "event-origin", warn spec "OpSetUserEventStatus";
    /// Profiling information is written to 8-bit integers in CrossWorkgroup.
    PROFILING: "profiling-value", spec "OpCaptureEventProfilingInfo";
}

pub(crate) const TABLE: Table = rule_table! {
    EnqueueMarker => enqueue_marker;
    EnqueueKernel => enqueue_kernel;
    GetKernelNDrangeSubGroupCount | GetKernelNDrangeMaxSubGroupSize => nd_range_query;
    GetKernelWorkGroupSize | GetKernelPreferredWorkGroupSizeMultiple | GetKernelMaxNumSubgroups => kernel_query;
    GetKernelLocalSizeForSubgroupCount => local_size;
    RetainEvent | ReleaseEvent => |cx, inst| operand(cx, inst, 1, EVENT);
    CreateUserEvent => |cx, inst| result(cx, inst, EVENT);
    IsValidEvent => is_valid;
    SetUserEventStatus => set_status;
    CaptureEventProfilingInfo => capture;
    GetDefaultQueue => |cx, inst| result(cx, inst, QUEUE);
    BuildNDRange => build_nd_range;
};

const EVENT: Is = Is::Type(Op::TypeDeviceEvent);
const QUEUE: Is = Is::Type(Op::TypeQueue);

/// Num Events, Wait Events and Ret Event from `word` on.
fn events<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    operand(cx, inst, word, Is::Int32)?;
    for word in [word + 1, word + 2] {
        let ty = cx.type_at(inst, word)?;
        let m = cx.m;
        cx.check_at(Is::PointerTo(Op::TypeDeviceEvent).accepts(m, ty, ty), &EVENT_TYPE, inst, word, || {
            let (name, ty) = (name_of(inst, word), describe(m, ty));
            format!("{name} {} has type {ty}, but must be a pointer to OpTypeDeviceEvent", inst.id(word))
        })?;
    }
    Ok(())
}

fn enqueue_marker<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    operand(cx, inst, 3, QUEUE)?;
    events(cx, inst, 4)
}

fn enqueue_kernel<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    operands(cx, inst, 3, &[QUEUE, Is::Int])?;
    nd_range(cx, inst, 5)?;
    events(cx, inst, 6)?;
    let Some(locals) = invoke(cx, inst, 9)? else { return Ok(()) };
    let given = inst.tail(13).len();
    cx.check_at(given == locals, &LOCAL_SIZE, inst, 9, || {
        format!("Invoke {} takes {locals} pointers to Workgroup, but there are {given} Local Sizes", inst.id(9))
    })?;
    for word in 13..inst.words().len() {
        operand(cx, inst, word, Is::Int)?;
    }
    Ok(())
}

fn nd_range_query<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    nd_range(cx, inst, 3)?;
    invoke(cx, inst, 4).map(|_| ())
}

fn kernel_query<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    invoke(cx, inst, 3).map(|_| ())
}

fn local_size<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    operand(cx, inst, 3, Is::Int32)?;
    invoke(cx, inst, 4).map(|_| ())
}

/// Pointer to 8-bit integers.
fn to_bytes(m: Module<'_>, ty: Id) -> bool {
    m.pointer(ty).is_some_and(|(_, pointee)| {
        let key = m.key(pointee);
        m.info(ty).op == Op::TypeUntypedPointerKHR || key.is_int() && key.width() == 8
    })
}

/// Invoke, Param, Param Size and Param Align from `word` on. Returns how many pointers to Workgroup the kernel takes,
/// if it is a kernel that can be enqueued.
fn invoke<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked<Option<usize>> {
    let def = cx.def_at(inst, word)?;
    let m = cx.m;
    cx.check_at(def.op() == Op::Function, &FUNCTION, inst, word, || {
        msg(format!("Invoke {} is the result of {}, not of OpFunction", inst.id(word), def.op()))
            .declared(m, inst.id(word))
    })?;
    let locals = match m.ty(def.id(4)) {
        Some(Type::Function { result, parameters: [first, locals @ ..] }) => {
            let workgroup = |ty: &u32| m.pointer(Id(*ty)).is_some_and(|p| p.0 == StorageClass::Workgroup);
            let fits = m.info(result).op == Op::TypeVoid && to_bytes(m, Id(*first)) && locals.iter().all(workgroup);
            fits.then_some(locals.len())
        }
        _ => None,
    };
    let fits = locals.is_some();
    cx.check_at(fits, &INVOKE, inst, word, || {
        msg(format!(
            "Invoke {} must be a function without result that takes a pointer to 8-bit integers, then pointers to Workgroup",
            inst.id(word)
        ))
        .declared(m, inst.id(word))
    })?;
    let param = cx.type_at(inst, word + 1)?;
    cx.check_at(to_bytes(m, param), &PARAM, inst, word + 1, || {
        let ty = describe(m, param);
        format!("Param {} has type {ty}, but must be a pointer to an 8-bit integer", inst.id(word + 1))
    })?;
    operands(cx, inst, word + 2, &[Is::Int32, Is::Int32])?;
    Ok(locals)
}

fn is_valid<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    operand(cx, inst, 3, EVENT)
}

/// The event at word 1 is not the result of one of these instructions. Where it came through memory, nothing is known.
fn origin<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, not: &[Op]) -> Checked {
    let (m, id) = (cx.m, inst.id(1));
    let op = m.info(id).op;
    cx.check_at(!not.contains(&op), &ORIGIN, inst, 1, || {
        msg(format!("Event {id} of {} is the result of {op}", inst.op())).declared(m, id)
    })
}

fn set_status<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operands(cx, inst, 1, &[EVENT, Is::Int32])?;
    origin(cx, inst, &[Op::ConstantNull])
}

fn capture<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operands(cx, inst, 1, &[EVENT, Is::Int])?;
    origin(cx, inst, &[Op::ConstantNull, Op::CreateUserEvent])?;
    let ty = cx.type_at(inst, 3)?;
    let m = cx.m;
    let fits = to_bytes(m, ty) && m.pointer(ty).is_some_and(|p| p.0 == StorageClass::CrossWorkgroup);
    cx.check_at(fits, &PROFILING, inst, 3, || {
        let ty = describe(m, ty);
        format!("Value {} has type {ty}, but must point to 8-bit integers in CrossWorkgroup", inst.id(3))
    })
}

/// The type of an ND-range: a 32-bit integer, then three arrays of three integers as wide as an address.
fn is_nd_range(m: Module<'_>, ty: Id) -> bool {
    let Some(Type::Struct { members: [dimensions, offset, global, local] }) = m.ty(ty) else { return false };
    let sizes = |ty: &u32| {
        matches!(m.ty(Id(*ty)), Some(Type::Array { element, length })
        if m.fixed_u32(length) == Some(3) && Is::Address.accepts(m, element, element))
    };
    Is::Int32.accepts(m, Id(*dimensions), Id(0)) && [offset, global, local].into_iter().all(sizes)
}

fn nd_range<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    cx.check_at(is_nd_range(m, ty), &ND_RANGE, inst, word, || {
        format!("{} {} has type {}, which is no ND-range", name_of(inst, word), inst.id(word), describe(m, ty))
    })
}

fn build_nd_range<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    cx.result_key(inst)?;
    cx.check_at(is_nd_range(m, inst.id(1)), &ND_RANGE, inst, 1, || {
        format!("the Result Type is {}, which is no ND-range", describe(m, inst.id(1)))
    })?;
    let size = cx.type_at(inst, 3)?;
    let fits = match m.ty(size) {
        Some(Type::Array { element, length }) => {
            matches!(m.fixed_u32(length), Some(2 | 3)) && Is::Address.accepts(m, element, element)
        }
        _ => Is::Address.accepts(m, size, size),
    };
    cx.check_at(fits, &WORK_SIZE, inst, 3, || {
        let ty = describe(m, size);
        format!("GlobalWorkSize has type {ty}, but must be an integer, or an array of 2 or 3, as wide as an address")
    })?;
    for word in 4..=5 {
        let ty = cx.type_at(inst, word)?;
        cx.check_at(ty == size, &WORK_SIZE, inst, word, || {
            format!(
                "{} has type {}, but GlobalWorkSize has {}",
                name_of(inst, word),
                describe(m, ty),
                describe(m, size)
            )
        })?;
    }
    Ok(())
}
