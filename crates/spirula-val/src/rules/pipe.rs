//! Pipe instructions (§3.3.23).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{AccessQualifier, Op, StorageClass};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, name_of, operand, operands, result};
use crate::rules::scopes::{self, Execution};
use crate::signature::describe;

rules! {
    group "pipe";
    /// Pipe is a pipe that can be read, or written, as the instruction does.
    PIPE: "pipe-access", spec "§3.3.23";
    /// Packets are read and written through typed pointers to the Generic storage class.
    POINTER: "pipe-pointer", spec "§3.3.23";
    /// Pipe Storage comes from OpConstantPipeStorage.
    STORAGE: "pipe-storage", spec "OpCreatePipeFromPipeStorage";
}

pub(crate) const TABLE: Table = rule_table! {
    ReadPipe | WritePipe => transfer;
    ReservedReadPipe | ReservedWritePipe => reserved_transfer;
    ReserveReadPipePackets | ReserveWritePipePackets => |cx, inst| reserve(cx, inst, 3);
    GroupReserveReadPipePackets | GroupReserveWritePipePackets => group_reserve;
    CommitReadPipe | CommitWritePipe => |cx, inst| commit(cx, inst, 1);
    GroupCommitReadPipe | GroupCommitWritePipe => group_commit;
    IsValidReserveId => is_valid;
    GetNumPipePackets | GetMaxPipePackets => packets;
    ConstantPipeStorage => constant_storage;
    CreatePipeFromPipeStorage => create;
    ReadPipeBlockingALTERA | WritePipeBlockingALTERA => |cx, inst| operands(cx, inst, 3, SIZE);
};

const RESERVE_ID: Is = Is::Type(Op::TypeReserveId);
/// Packet Size and Packet Alignment.
const SIZE: &[Is] = &[Is::Int32, Is::Int32];

/// The pipe at `word`, and whether it can be used as the instruction does.
fn pipe<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    use AccessQualifier as A;
    let ty = cx.type_at(inst, word)?;
    let (m, id) = (cx.m, inst.id(word));
    let access = m.def(ty).filter(|t| t.op() == Op::TypePipe).map(|t| A(t.word(2)));
    let wanted: &[A] = match inst.op() {
        Op::ReadPipe
        | Op::ReservedReadPipe
        | Op::ReserveReadPipePackets
        | Op::CommitReadPipe
        | Op::GroupReserveReadPipePackets
        | Op::GroupCommitReadPipe => &[A::ReadOnly],
        Op::GetNumPipePackets | Op::GetMaxPipePackets => &[A::ReadOnly, A::WriteOnly],
        _ => &[A::WriteOnly],
    };
    cx.check_at(access.is_some_and(|a| wanted.contains(&a)), &PIPE, inst, word, || {
        let is = access.map_or_else(|| format!("has type {}", describe(m, ty)), |a| format!("is a {a} pipe"));
        let wanted = match wanted {
            [a] => format!("{a}"),
            _ => format!("{} or {}", A::ReadOnly, A::WriteOnly),
        };
        msg(format!("{} {id} {is}, but must be a {wanted} pipe", name_of(inst, word))).declared(m, id)
    })
}

fn pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let (m, id) = (cx.m, inst.id(word));
    let generic = m.info(ty).op == Op::TypePointer && m.pointer(ty).is_some_and(|p| p.0 == StorageClass::Generic);
    cx.check_at(generic, &POINTER, inst, word, || {
        let ty = describe(m, ty);
        msg(format!("Pointer {id} has type {ty}, but must be a typed pointer to Generic")).declared(m, id)
    })
}

fn transfer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    pipe(cx, inst, 3)?;
    pointer(cx, inst, 4)?;
    operands(cx, inst, 5, SIZE)
}

fn reserved_transfer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    pipe(cx, inst, 3)?;
    operands(cx, inst, 4, &[RESERVE_ID, Is::Int32])?;
    pointer(cx, inst, 6)?;
    operands(cx, inst, 7, SIZE)
}

fn reserve<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    result(cx, inst, RESERVE_ID)?;
    pipe(cx, inst, word)?;
    operand(cx, inst, word + 1, Is::Int32)?;
    operands(cx, inst, word + 2, SIZE)
}

fn group_reserve<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Any)?;
    reserve(cx, inst, 4)
}

fn commit<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    pipe(cx, inst, word)?;
    operand(cx, inst, word + 1, RESERVE_ID)?;
    operands(cx, inst, word + 2, SIZE)
}

fn group_commit<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 1, Execution::Any)?;
    commit(cx, inst, 2)
}

fn is_valid<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    operand(cx, inst, 3, RESERVE_ID)
}

fn packets<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    pipe(cx, inst, 3)?;
    operands(cx, inst, 4, SIZE)
}

fn constant_storage<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Type(Op::TypePipeStorage))
}

fn create<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Type(Op::TypePipe))?;
    operand(cx, inst, 3, Is::Type(Op::TypePipeStorage))?;
    let (m, id) = (cx.m, inst.id(3));
    cx.check_at(m.info(id).op == Op::ConstantPipeStorage, &STORAGE, inst, 3, || {
        msg(format!("Pipe Storage {id} is the result of {}, not of OpConstantPipeStorage", m.info(id).op))
            .declared(m, id)
    })
}
