//! Ids: bound, single definition, definition before use, scope (§2.4, §2.5.1, §2.16.1).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Class, ExtSet, InstDesc, Op, OpenClDebugInfo};
use spirula_module::IdInfo;

use super::{ext_inst, image};
use crate::cx::{Cx, msg};

rules! {
    group "ids";
    /// Every id is greater than 0 and less than the bound in the header.
    BOUND: "id-bound", spec "§2.3";
    /// Each id is the result of one instruction only.
    REDEFINED: "id-redefined", spec "§2.16.1";
    /// Every id that is used is the result of some instruction.
    UNDEFINED: "id-undefined", spec "§2.16.1";
    /// An id is defined before it is used, save for the forward references that §2.4 lists.
    FORWARD: "id-forward-reference", spec "§2.4";
    /// What a function defines can be used in that function only.
    SCOPE: "id-scope", spec "§2.16.1";
    /// The block that defines an id dominates every block that uses it.
    DOMINANCE: "id-dominance", spec "§2.5.1";
}

/// The result id of an instruction.
#[inline]
pub(crate) fn definition<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, id: Id, word: usize) -> Checked {
    let bound = cx.bound;
    if id.0 == 0 || id.0 >= bound {
        return out_of_bounds(cx, inst, id, word, bound);
    }
    if cx.m.has_duplicate_definitions() { only_definition(cx, inst, id, word) } else { Ok(()) }
}

#[cold]
fn only_definition(cx: &mut Cx<'_>, inst: Inst<'_>, id: Id, word: usize) -> Checked {
    let m = cx.m;
    cx.check_at(m.info(id).def == inst.offset(), &REDEFINED, inst, word, || {
        msg(format!("{id} is already the result of another instruction")).declared(m, id)
    })
}

#[cold]
fn out_of_bounds(cx: &mut Cx<'_>, inst: Inst<'_>, id: Id, word: usize, bound: u32) -> Checked {
    cx.fail_at(&BOUND, inst, word, || {
        if id.0 == 0 { "0 is not an id".into() } else { format!("{id} is not below the header's bound {bound}") }
    })
}

/// An id operand (not the result id).
#[inline]
pub(crate) fn usage<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, word: usize, id: Id) -> Checked {
    let info = cx.m.info(id);
    // Nearly always: defined before, outside of functions or earlier in the same block of this one.
    let before = info.def.wrapping_sub(1) < inst.offset() - 1;
    if before && info.is_at_hand(cx.start, cx.block) {
        return Ok(());
    }
    if before && info.is_traced() {
        cx.record_use(inst, id);
        return Ok(());
    }
    usage_in_detail(cx, inst, desc, word, id, info)
}

#[inline(never)]
fn usage_in_detail<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    desc: &'static InstDesc,
    word: usize,
    id: Id,
    info: IdInfo,
) -> Checked {
    // Mostly: defined before, in another block of this function.
    if info.is_plain_local(cx.start) && info.def < inst.offset() && cx.block != 0 {
        return match info.block() {
            Some(def) => dominance(cx, inst, desc, word, id, (def, cx.block - 1)),
            None => Ok(()),
        };
    }
    if !info.is_defined() {
        return undefined(cx, inst, word, id);
    }
    if info.op == Op::Function && !takes_functions(cx, inst, desc, word) {
        return super::universal::not_a_value(cx, inst, word);
    }
    if info.def >= inst.offset() {
        return forward(cx, inst, desc, word, id, info);
    }
    if info.op == Op::ExtInst {
        ext_inst::usage(cx, inst, word, id)?;
    } else if info.op == Op::SampledImage {
        image::sampled_image_usage(cx, inst, word, id, info)?;
    }
    if info.is_local() {
        return local(cx, inst, desc, word, id, info);
    }
    Ok(())
}

/// Whether an instruction may have a function as its operand at `word`. Those of extensions are judged by their own rules.
fn takes_functions(cx: &Cx<'_>, inst: Inst<'_>, desc: &'static InstDesc, word: usize) -> bool {
    match desc.op {
        Op::FunctionCall => word == 3,
        Op::ExtInst => !matches!(cx.m.info(inst.id(3)).ext_set(), Some(ExtSet::GlslStd450 | ExtSet::OpenClStd)),
        op => {
            op.0 >= 4096 && may_call(desc)
                || matches!(
                    desc.class,
                    Class::Annotation | Class::Debug | Class::ModeSetting | Class::DeviceSideEnqueue
                )
        }
    }
}

/// Whether an instruction of an extension may be about functions: those that calculate or access memory are not, but for
/// the ones that decode what they load.
fn may_call(desc: &InstDesc) -> bool {
    match desc.class {
        Class::Memory => matches!(desc.op, Op::CooperativeMatrixLoadTensorNV | Op::CooperativeMatrixStoreTensorNV),
        Class::Image | Class::Conversion | Class::Composite | Class::Arithmetic | Class::Bit | Class::Atomic => false,
        _ => true,
    }
}

#[cold]
fn undefined(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, id: Id) -> Checked {
    let bound = cx.m.header().map_or(0, |h| h.bound);
    if id.0 == 0 || id.0 >= bound {
        return out_of_bounds(cx, inst, id, word, bound);
    }
    cx.fail_at(&UNDEFINED, inst, word, || format!("no instruction defines {id}"))
}

fn forward<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, word: usize, id: Id, info: IdInfo) -> Checked {
    if may_be_forward(cx, inst, desc, word, id, info) {
        return scope_of_forward(cx, inst, desc, word, id, info);
    }
    let m = cx.m;
    cx.fail_at(&FORWARD, inst, word, || {
        let text = if info.def == inst.offset() { "its own result" } else { "defined only later" };
        msg(format!("{id} is {text}, but must be defined before this use")).declared(m, id)
    })
}

/// The forward references that §2.4 allows.
fn may_be_forward(cx: &Cx<'_>, inst: Inst<'_>, desc: &InstDesc, word: usize, id: Id, info: IdInfo) -> bool {
    match desc.op {
        Op::EntryPoint
        | Op::ConditionalEntryPointINTEL
        | Op::ExecutionMode
        | Op::ExecutionModeId
        | Op::Name
        | Op::MemberName => true,
        Op::ConditionalCapabilityINTEL | Op::ConditionalExtensionINTEL => true,
        Op::Branch | Op::LoopMerge | Op::SelectionMerge | Op::TypeForwardPointer | Op::GraphEntryPointARM => true,
        Op::BranchConditional | Op::Switch => word >= 2,
        Op::Phi => word >= 3,
        Op::ExtInstWithForwardRefsKHR => word >= 5,
        Op::ExtInst => word >= 5 && takes_forward_references(cx, inst, word),
        // The group itself comes first; what it is applied to may come later.
        Op::GroupDecorate | Op::GroupMemberDecorate => word >= 2,
        _ if desc.class == Class::Annotation => true,
        _ if info.op == Op::Function => true,
        // Until it is declared, an announced pointer type is good for declaring others.
        _ if info.op == Op::TypePointer => desc.is_type() && is_announced(cx, inst, id),
        _ => false,
    }
}

/// Debug information may refer to what comes later: in OpenCL's set that are functions, and the members of a composite
/// type, whose own operands name the type.
fn takes_forward_references(cx: &Cx<'_>, inst: Inst<'_>, word: usize) -> bool {
    match cx.m.info(inst.id(3)).ext_set() {
        Some(ExtSet::DebugInfo) => true,
        Some(ExtSet::OpenClDebugInfo) => match OpenClDebugInfo(inst.word(4)) {
            OpenClDebugInfo::DebugTypeComposite | OpenClDebugInfo::DebugFunction => word >= 14,
            _ => false,
        },
        _ => false,
    }
}

/// Whether an `OpTypeForwardPointer` before `inst` announces the pointer type.
#[cold]
fn is_announced(cx: &Cx<'_>, inst: Inst<'_>, pointer: Id) -> bool {
    cx.forward_pointers.iter().any(|(id, at)| *id == pointer && *at < inst.offset())
}

/// A local id that is used before its definition must still be of the same function.
fn scope_of_forward<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    desc: &'static InstDesc,
    word: usize,
    id: Id,
    info: IdInfo,
) -> Checked {
    match cx.here {
        Some(here) if info.is_local() && !here.function.contains(info.def) && desc.class != Class::Debug => {
            foreign(cx, inst, word, id)
        }
        _ => Ok(()),
    }
}

#[cold]
fn foreign(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, id: Id) -> Checked {
    let m = cx.m;
    cx.fail_at(&SCOPE, inst, word, || msg(format!("{id} belongs to another function")).declared(m, id))
}

fn local<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, word: usize, id: Id, info: IdInfo) -> Checked {
    let Some(here) = cx.here else {
        return if desc.class == Class::Debug || desc.class == Class::Annotation {
            Ok(())
        } else {
            foreign(cx, inst, word, id)
        };
    };
    if !here.function.contains(info.def) {
        return foreign(cx, inst, word, id);
    }
    match (info.block(), here.block) {
        (Some(def), Some(at)) if def != at => dominance(cx, inst, desc, word, id, (def, at)),
        _ => Ok(()),
    }
}

/// A definition in another block of the same function.
fn dominance<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    desc: &'static InstDesc,
    word: usize,
    id: Id,
    (def, at): (u32, u32),
) -> Checked {
    if desc.op == Op::Phi || cx.flow.dominates(def, at) || cx.m.info(id).op == Op::Label || desc.class == Class::Debug {
        return Ok(());
    }
    not_dominated(cx, inst, word, id)
}

/// Reports a definition that does not dominate its use.
#[cold]
pub(crate) fn not_dominated(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, id: Id) -> Checked {
    let m = cx.m;
    cx.fail_at(&DOMINANCE, inst, word, || {
        msg(format!("{id} is not defined on every path to here: the block that defines it does not dominate this one"))
            .declared(m, id)
            .help("carry the value through OpPhi, or through a variable")
    })
}
