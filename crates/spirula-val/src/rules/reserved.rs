//! Instructions of extensions that belong to no other file: assumptions, interlocks, aborts.

use alloc::format;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, ExecutionModel};
use spirula_module::{ModelSet, Module, Shape, Type};

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};
use crate::facts::Parts;
use crate::rules::operand::{Is, operand, operands};
use crate::signature::{RESULT, describe};

rules! {
    group "reserved";
    /// The instruction is for fragment shaders.
    FRAGMENT: "fragment-only", spec "§3.3.17";
    /// The opcode is reserved: no version and no extension gives it a meaning.
    OPCODE: "opcode-reserved", spec "§3.3.10";
    /// OpExpectKHR is for integers and Booleans.
    EXPECT: "expect-type", extension "SPV_KHR_expect_assume";
    /// Message Type is one of numbers, or of what is made of them: it has a size.
    ABORT_CONCRETE: "abort-message-concrete", extension "SPV_KHR_abort";
    /// In shaders, Message Type is laid out explicitly: Offset on the members of structures, ArrayStride on arrays. A
    /// warning, since compilers give types without.
    ABORT_LAYOUT: "abort-message-layout", warn extension "SPV_KHR_abort";
    /// The type of Message has the same structure as Message Type.
    ABORT: "abort-message-type", extension "SPV_KHR_abort";
}

pub(crate) const TABLE: Table = rule_table! {
    AssumeTrueKHR => assume;
    ExpectKHR => expect;
    TerminateInvocation | BeginInvocationInterlockEXT | EndInvocationInterlockEXT => fragment;
    AbortKHR => abort;
    ImageSparseSampleProjImplicitLod | ImageSparseSampleProjExplicitLod | ImageSparseSampleProjDrefImplicitLod
        | ImageSparseSampleProjDrefExplicitLod => reserved;
};

fn fragment<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.check_models(ModelSet::EMPTY.with(ExecutionModel::Fragment), &FRAGMENT, inst, |models| {
        format!("{} is for Fragment, but {models} reaches it", inst.op())
    })
}

fn reserved<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.fail(&OPCODE, inst, || format!("{} is reserved", inst.op()))
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

fn abort<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let wanted = inst.id(1);
    let m = cx.m;
    cx.key(wanted).or_else(|e| {
        if m.info(wanted).is_type() || !m.info(wanted).is_defined() {
            return Err(e);
        }
        cx.fail_at(&RESULT, inst, 1, || format!("Message Type {wanted} is not a type")).map(|()| Default::default())
    })?;
    // Run-time arrays are left alone: nothing logically matches them.
    let abstract_parts = Parts::VOID
        .or(Parts::BOOL)
        .or(Parts::LOGICAL_POINTER)
        .or(Parts::OPAQUE)
        .or(Parts::DESCRIPTOR)
        .or(Parts::COOPERATIVE_MATRIX);
    cx.check_at(!cx.parts(wanted).any(abstract_parts), &ABORT_CONCRETE, inst, 1, || {
        format!("Message Type {} is or contains what has no size", describe(m, wanted))
    })?;
    let composite = matches!(m.key(wanted).shape(), Shape::Array | Shape::Struct);
    let laid_out = !composite || cx.parts(wanted).any(Parts::LAYOUT) || !cx.has(Capability::Shader);
    cx.check_at(laid_out, &ABORT_LAYOUT, inst, 1, || {
        format!("Message Type {} has no explicit layout", describe(m, wanted))
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
