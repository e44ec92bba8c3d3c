//! Work graphs: shaders that enqueue payloads for other shaders (SPV_AMDX_shader_enqueue).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Decoration, ExecutionMode as Mode, Op, Scope, StorageClass};
use spirula_module::{EntryPoint, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::mode_setting::{Modes, reached};
use crate::rules::operand::{Is, operand, operands, result};
use crate::rules::ray::variable;
use crate::rules::scopes;
use crate::rules::universal::type_operand;
use crate::signature::describe;

rules! {
    group "enqueue";
    /// An array of payloads says how many there are at most. A warning, since tests of producers leave it out.
    MOST: "payload-array-max", warn extension "SPV_AMDX_shader_enqueue";
    /// An array of payloads that is allocated says how many nodes there are, unless the nodes are sparse.
    ARRAY: "payload-array-limits", extension "SPV_AMDX_shader_enqueue";
    /// Names of nodes are string constants, numbers of payloads and nodes are integers.
    OPERANDS: "payload-decoration-operands", extension "SPV_AMDX_shader_enqueue";
    /// Payloads share the limits of another array of payloads, one that has limits of its own.
    SHARED: "payload-shared-limits", extension "SPV_AMDX_shader_enqueue";
    /// The arguments of an indirect dispatch are a scalar, or a vector of two or three, of unsigned integers of at most 32
    /// bits.
    DISPATCH: "payload-dispatch-type", extension "SPV_AMDX_shader_enqueue";
    /// Payloads are allocated for an invocation or a workgroup.
    VISIBILITY: "payload-visibility", extension "SPV_AMDX_shader_enqueue";
    /// What is enqueued, or measured, is an array of payloads; what is enqueued was allocated.
    PAYLOAD: "payload-pointer", extension "SPV_AMDX_shader_enqueue";
    /// The Payload Type is an array of payloads, and the Node Index is within its nodes.
    VALID: "payload-valid-type", extension "SPV_AMDX_shader_enqueue";
    /// Writing to the payload that came in is finished where it is decorated TrackFinishWritingAMDX, not in coalescing
    /// shaders.
    FINISH: "payload-finish-writing", extension "SPV_AMDX_shader_enqueue";
    /// What shares its input is no entry for the API. A warning, since tests of producers leave it out.
    SHARES: "node-shares-input", warn extension "SPV_AMDX_shader_enqueue";
    /// Operands of modes of nodes are a Boolean, a string or integers.
    MODE: "node-mode-operands", extension "SPV_AMDX_shader_enqueue";
}

pub(crate) const TABLE: Table = rule_table! {
    AllocateNodePayloadsAMDX => allocate;
    EnqueueNodePayloadsAMDX => |cx, inst| payload(cx, inst, 1);
    NodePayloadArrayLengthAMDX => |cx, inst| { result(cx, inst, Is::UInt32)?; payload(cx, inst, 3) };
    IsNodePayloadValidAMDX => is_valid;
    FinishWritingNodePayloadAMDX => finish;
    TypeNodePayloadArrayAMDX => |cx, inst| type_operand(cx, inst, 2).map(drop);
};

fn allocate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::PointerTo(Op::TypeNodePayloadArrayAMDX))?;
    let m = cx.m;
    let Some((class, array)) = m.pointer(inst.id(1)) else { return Ok(()) };
    cx.check_at(class == StorageClass::NodePayloadAMDX, &PAYLOAD, inst, 1, || {
        format!("the Result Type {} points into {class}", inst.id(1))
    })?;
    operands(cx, inst, 4, &[Is::Int, Is::Int])?;
    let visibility = scopes::scope(cx, inst, 3)?;
    let fits = visibility.is_none_or(|s| matches!(s, Scope::Invocation | Scope::Workgroup));
    cx.check_at(fits, &VISIBILITY, inst, 3, || {
        format!("payloads are allocated for the scope {}", visibility.unwrap_or_default())
    })?;
    let limited = m.is_decorated(array, Decoration::PayloadNodeArraySizeAMDX)
        || m.is_decorated(array, Decoration::PayloadNodeSparseArrayAMDX);
    cx.check_at(limited, &ARRAY, inst, 1, || {
        let what =
            format!("{array} is allocated, but has neither PayloadNodeArraySizeAMDX nor PayloadNodeSparseArrayAMDX");
        msg(what).declared(m, array)
    })
}

fn payload<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    operand(cx, inst, word, Is::Pointer)?;
    let m = cx.m;
    let id = inst.id(word);
    let ty = cx.type_at(inst, word)?;
    let Some((class, data)) = m.pointer(ty).filter(|p| p.1 != Id(0)) else { return Ok(()) };
    let array = m.info(data).op == Op::TypeNodePayloadArrayAMDX && class == StorageClass::NodePayloadAMDX;
    cx.check_at(array, &PAYLOAD, inst, word, || {
        msg(format!("{id} points to {} in {class}, not to an array of payloads", describe(m, data))).declared(m, id)
    })?;
    let came_in = inst.op() == Op::EnqueueNodePayloadsAMDX && m.info(id).op == Op::Variable;
    cx.check_at(!came_in, &PAYLOAD, inst, word, || {
        msg(format!("{id} is enqueued, but was not allocated")).declared(m, id)
    })
}

fn is_valid<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    operand(cx, inst, 4, Is::Int)?;
    let m = cx.m;
    let array = inst.id(3);
    cx.check_at(m.info(array).op == Op::TypeNodePayloadArrayAMDX, &VALID, inst, 3, || {
        msg(format!("the Payload Type {array} is no OpTypeNodePayloadArrayAMDX")).declared(m, array)
    })?;
    let size = m.decoration(array, Decoration::PayloadNodeArraySizeAMDX).and_then(|d| m.fixed_u32(Id(d.operand())));
    let index = m.fixed_u32(inst.id(4));
    let within = index.zip(size).is_none_or(|(index, size)| index < size);
    cx.check_at(within, &VALID, inst, 4, || {
        format!("the Node Index is {}, but there are {} nodes", index.unwrap_or(0), size.unwrap_or(0))
    })
}

fn finish<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    variable(cx, inst, 3, &PAYLOAD, &[StorageClass::NodePayloadAMDX])?;
    let m = cx.m;
    let Some((_, data)) = m.pointer(cx.type_at(inst, 3)?) else { return Ok(()) };
    let structure = match m.ty(data) {
        Some(Type::Other(i)) if i.op() == Op::TypeNodePayloadArrayAMDX => i.id(2),
        _ => data,
    };
    cx.check_at(m.is_decorated(structure, Decoration::TrackFinishWritingAMDX), &FINISH, inst, 3, || {
        msg(format!("{structure} is not decorated TrackFinishWritingAMDX")).declared(m, structure)
    })
}

fn is_string(cx: &Cx<'_>, id: Id) -> bool {
    matches!(cx.m.info(id).op, Op::ConstantStringAMDX | Op::SpecConstantStringAMDX)
}

/// Decorations of arrays of payloads, and of what is in them.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.has(Capability::ShaderEnqueueAMDX) {
        return;
    }
    let m = cx.m;
    for inst in m.global_insts() {
        match inst.op() {
            Op::TypeNodePayloadArrayAMDX => array(cx, inst).ok(),
            Op::TypeStruct => members(cx, inst).ok(),
            _ => None,
        };
    }
}

fn array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let id = inst.id(1);
    cx.check(m.is_decorated(id, Decoration::NodeMaxPayloadsAMDX), &MOST, inst, || {
        format!("{id} is not decorated NodeMaxPayloadsAMDX")
    })?;
    for decorated in m.decorations(id) {
        let other = Id(decorated.operand());
        let (rule, ok) = match decorated.decoration {
            Decoration::NodeMaxPayloadsAMDX
            | Decoration::PayloadNodeBaseIndexAMDX
            | Decoration::PayloadNodeArraySizeAMDX => {
                (&OPERANDS, m.info(other).is_constant() && m.key_of(other).is_int())
            }
            Decoration::PayloadNodeNameAMDX => (&OPERANDS, is_string(cx, other)),
            Decoration::NodeSharesPayloadLimitsWithAMDX => {
                let owner = other != id && m.info(other).op == Op::TypeNodePayloadArrayAMDX;
                (&SHARED, owner && !m.is_decorated(other, Decoration::NodeSharesPayloadLimitsWithAMDX))
            }
            _ => continue,
        };
        cx.check(ok, rule, inst, || {
            msg(format!("{id} is decorated {} with {other}, which is not fit for it", decorated.decoration))
                .declared(m, other)
        })?;
    }
    Ok(())
}

fn members<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let id = inst.id(1);
    for (i, member) in (0..).zip(inst.tail(2)) {
        if m.member_decoration(id, i, Decoration::PayloadDispatchIndirectAMDX).is_none() {
            continue;
        }
        let key = m.key(Id(*member));
        let ok = key.is_int_scalar_or_vector() && key.count() <= 3 && key.width() <= 32 && !key.is_signed();
        cx.check(ok, &DISPATCH, inst, || {
            format!("member {i} of {id} is {}, but has the arguments of a dispatch", describe(m, Id(*member)))
        })?;
    }
    Ok(())
}

/// Judges the modes of an entry point.
pub(crate) fn entry_point<'a>(cx: &mut Cx<'a>, modes: &Modes<'a>, entry: &EntryPoint<'a>) -> Checked {
    if !cx.has(Capability::ShaderEnqueueAMDX) {
        return Ok(());
    }
    let m = cx.m;
    for (mode, inst) in cx.collect(modes.of(entry.function)) {
        let wanted: &[Is] = match mode {
            Mode::IsApiEntryAMDX => &[Is::Bool],
            Mode::MaxNodeRecursionAMDX | Mode::ShaderIndexAMDX => &[Is::Int],
            Mode::StaticNumWorkgroupsAMDX | Mode::MaxNumWorkgroupsAMDX => &[Is::Int, Is::Int, Is::Int],
            Mode::SharesInputWithAMDX => {
                cx.check_at(is_string(cx, inst.id(3)), &MODE, inst, 3, || {
                    msg(format!("the Node Name {} is no string constant", inst.id(3))).declared(m, inst.id(3))
                })?;
                let entry = modes.find(entry.function, Mode::IsApiEntryAMDX).map(|i| m.info(i.id(3)).op);
                let no_entry = entry.is_some_and(|op| !matches!(op, Op::ConstantTrue));
                cx.check(no_entry, &SHARES, inst, || "SharesInputWithAMDX needs IsApiEntryAMDX with false")?;
                continue;
            }
            _ => continue,
        };
        for (i, is) in wanted.iter().enumerate() {
            let id = inst.id(3 + i);
            let ty = m.type_id_of(id);
            cx.check_at(is.accepts(m, ty, ty), &MODE, inst, 3 + i, || {
                msg(format!("the operand {id} of {mode} has type {}", describe(m, ty))).declared(m, id)
            })?;
        }
    }
    if modes.find(entry.function, Mode::CoalescingAMDX).is_none() {
        return Ok(());
    }
    let reached = reached(cx, entry.function);
    for (function, _) in m.functions().iter().zip(reached).filter(|(_, reached)| *reached) {
        let finishes = m.insts(function.body_words()).find(|i| i.op() == Op::FinishWritingNodePayloadAMDX);
        let Some(inst) = finishes else { continue };
        cx.fail(&FINISH, inst, || format!("{}, which is coalescing, reaches {}", entry.function, inst.op()))?;
    }
    Ok(())
}
