//! Instructions of extensions that belong to no other file: assumptions, helper invocations, interlocks, clocks, aborts.

use alloc::format;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, Site, rules};
use spirula_grammar::{Capability, ExecutionMode, ExecutionModel, Scope};
use spirula_module::{EntryPoint, ModelSet, Module, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operand, operands, result};
use crate::rules::reach::{Later, Needs};
use crate::rules::scopes;
use crate::signature::{RESULT, describe};

rules! {
    group "reserved";
    /// The instruction is for fragment shaders.
    FRAGMENT: "fragment-only", spec "§3.3.17";
    /// An interlock needs an execution mode that says what it orders.
    INTERLOCK: "interlock-mode", extension "SPV_EXT_fragment_shader_interlock";
    /// OpExpectKHR is for integers and Booleans.
    EXPECT: "expect-type", extension "SPV_KHR_expect_assume";
    /// The type of Message has the same structure as Message Type.
    ABORT: "abort-message-type", extension "SPV_KHR_abort";
    /// The Scope of OpReadClockKHR is Subgroup or Device, or Workgroup in kernels.
    CLOCK_SCOPE: "read-clock-scope", extension "SPV_KHR_shader_clock";
    /// The Scope of OpReadClockKHR is Subgroup or Device.
    CLOCK_SCOPE_VULKAN: "vulkan-read-clock-scope", vuid "VUID-StandaloneSpirv-OpReadClockKHR-04652";
}

pub(crate) const TABLE: Table = rule_table! {
    AssumeTrueKHR => assume;
    ExpectKHR => expect;
    TerminateInvocation | DemoteToHelperInvocation => fragment;
    IsHelperInvocationEXT => is_helper;
    BeginInvocationInterlockEXT | EndInvocationInterlockEXT => interlock;
    ReadClockKHR => read_clock;
    AbortKHR => abort;
};

fn fragment<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.check_models(ModelSet::EMPTY.with(ExecutionModel::Fragment), &FRAGMENT, inst, |models| {
        format!("{} is for Fragment, but {models} reaches it", inst.op())
    })
}

fn assume<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operand(cx, inst, 1, Is::Bool)
}

fn expect<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.result_key(inst)?;
    let m = cx.m;
    cx.check_at(
        Is::Ints.accepts(m, inst.id(1), inst.id(1)) || Is::Bools.accepts(m, inst.id(1), inst.id(1)),
        &EXPECT,
        inst,
        1,
        || format!("the Result Type is {}, but must be of integers or Booleans", describe(m, inst.id(1))),
    )?;
    operands(cx, inst, 3, &[Is::Same, Is::Same])
}

fn is_helper<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    fragment(cx, inst)
}

fn interlock<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    fragment(cx, inst)?;
    cx.later(Needs::Interlock, inst);
    Ok(())
}

pub(crate) fn has_interlock(m: Module<'_>, e: EntryPoint<'_>) -> bool {
    use ExecutionMode as M;
    e.model != ExecutionModel::Fragment
        || m.execution_modes(e.function).any(|(mode, _)| {
            matches!(
                mode,
                M::PixelInterlockOrderedEXT
                    | M::PixelInterlockUnorderedEXT
                    | M::SampleInterlockOrderedEXT
                    | M::SampleInterlockUnorderedEXT
                    | M::ShadingRateInterlockOrderedEXT
                    | M::ShadingRateInterlockUnorderedEXT
            )
        })
}

pub(crate) fn without_interlock<'a>(cx: &mut Cx<'a>, at: Later, e: EntryPoint<'a>) -> Checked {
    let Some(inst) = cx.m.inst_at(at.inst) else { return Ok(()) };
    cx.fail(&INTERLOCK, inst, || {
        msg(format!("{} needs an interlock execution mode in the entry point {}", inst.op(), e.function))
            .note(Site::at(e.inst.offset()), "entry point here")
    })
}

fn read_clock<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if let Some(scope) = scopes::scope(cx, inst, 3)? {
        let vulkan = cx.env.is_vulkan();
        // Kernels have workgroup-wide clocks too.
        let fits = match scope {
            Scope::Subgroup | Scope::Device => true,
            Scope::Workgroup => !vulkan && !cx.has(Capability::Shader),
            _ => false,
        };
        let rule: &'static Rule = if vulkan { &CLOCK_SCOPE_VULKAN } else { &CLOCK_SCOPE };
        cx.check_at(fits, rule, inst, 3, || format!("the Scope is {scope}, but must be Subgroup or Device"))?;
    }
    result(cx, inst, Is::UInt64OrPair)
}

fn abort<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let wanted = inst.id(1);
    let m = cx.m;
    cx.key(wanted).or_else(|e| {
        if m.info(wanted).is_type() || !m.info(wanted).is_defined() {
            return Err(e);
        }
        cx.fail_at(&RESULT, inst, 1, || format!("Message Type {wanted} is not a type")).map(|()| Default::default())
    })?;
    let given = cx.type_at(inst, 2)?;
    cx.check_at(logically_match(m, given, wanted), &ABORT, inst, 2, || {
        let (given, wanted) = (describe(m, given), describe(m, wanted));
        format!("Message has type {given}, which does not match Message Type {wanted}")
    })
}

/// Whether two types logically match, as `OpCopyLogical` defines it. What is nested too deep counts as matching.
fn logically_match(m: Module<'_>, a: Id, b: Id) -> bool {
    let mut open: Vec<(Id, Id)> = Vec::from([(a, b)]);
    let mut left = 1 << 12;
    while let Some((a, b)) = open.pop() {
        left -= 1;
        if a == b {
            continue;
        }
        if left == 0 {
            return true;
        }
        match (m.ty(a), m.ty(b)) {
            (Some(Type::Array { element: x, length: n }), Some(Type::Array { element: y, length: k })) => {
                let same = n == k || m.fixed_u32(n).is_some() && m.fixed_u32(n) == m.fixed_u32(k);
                if !same {
                    return false;
                }
                open.push((x, y));
            }
            (Some(Type::Struct { members: x }), Some(Type::Struct { members: y })) if x.len() == y.len() => {
                open.extend(x.iter().zip(y).map(|(x, y)| (Id(*x), Id(*y))));
            }
            _ => return false,
        }
    }
    true
}
