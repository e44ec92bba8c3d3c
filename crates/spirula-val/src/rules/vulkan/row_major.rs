//! Pointers into row-major matrices under physical addressing (Vulkan Environment for SPIR-V).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::rules;
use spirula_grammar::{AddressingModel, Decoration, Op};
use spirula_module::{Module, Type};

use crate::cx::{Cx, msg};
use crate::id_set::IdSet;

rules! {
    group "pointers";
    /// Under physical addressing, a pointer into a row-major matrix, whose columns are not in one piece, is only loaded
    /// from and stored through.
    ROW_MAJOR: "row-major-pointer", vuid "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04709";
}

/// Judges all functions.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    let physical = m.addressing_model() == AddressingModel::PhysicalStorageBuffer64;
    let row_major = |i: Inst<'_>| i.op() == Op::MemberDecorate && Decoration(i.word(3)) == Decoration::RowMajor;
    if !cx.env.is_vulkan() || !physical || !m.annotations().any(row_major) {
        return;
    }
    let mut into = IdSet::default();
    for function in m.functions() {
        for inst in m.insts(function.start..function.end) {
            if let Some(word) = other_use(m, inst, &into) {
                let pointer = inst.id(word);
                let text = || {
                    let text = format!("{pointer} points into a row-major matrix, but is used by {}", inst.op());
                    msg(text).declared(m, pointer)
                };
                cx.fail_at(&ROW_MAJOR, inst, word, text).ok();
            }
            if matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain) && leads_into(m, inst) {
                into.insert(inst.id(2), m.ids());
            }
        }
    }
}

/// The word at which an instruction uses such a pointer otherwise than to load from or store through it.
fn other_use(m: Module<'_>, inst: Inst<'_>, into: &IdSet) -> Option<usize> {
    if into.is_empty() {
        return None;
    }
    let end = inst.words().len();
    let words = match inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject | Op::ConvertPtrToU | Op::Bitcast => 3..4,
        Op::Store => 2..3,
        Op::CopyMemory | Op::CopyMemorySized => 1..3,
        Op::FunctionCall | Op::Select => 4..end,
        Op::Phi => 3..end,
        Op::ReturnValue => 1..2,
        _ => return None,
    };
    words.into_iter().find(|w| into.contains(inst.id(*w), m.ids()))
}

/// Whether the indexes of an access chain go through a row-major member into its matrix.
fn leads_into(m: Module<'_>, chain: Inst<'_>) -> bool {
    let Some((_, mut ty)) = m.pointer(m.type_id_of(chain.id(3))) else { return false };
    let mut row_major = false;
    for word in 4..chain.words().len() {
        match m.ty(ty) {
            Some(Type::Struct { members }) => {
                let member = m.int_constant(chain.id(word)).and_then(|c| c.as_u32());
                let Some((member, next)) = member.and_then(|i| Some((i, members.get(i as usize)?))) else {
                    return false;
                };
                row_major = m.member_decoration(ty, member, Decoration::RowMajor).is_some();
                ty = Id(*next);
            }
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => ty = element,
            Some(Type::Matrix { .. }) => return row_major,
            _ => return false,
        }
    }
    false
}
