//! Specialisation constants (§2.12).

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{Decoration, Op};
use spirula_module::{Module, Type};

use crate::Cx;
use crate::model::{SpecConstant, SpecOperand, SpecOperation, Text};
use crate::types::scalar_name;

/// Steps that the evaluation of one expression may take.
const MAX_STEPS: usize = 1024;

/// Expressions are cut off beyond this length; the operations are listed too.
const MAX_TEXT: usize = 256;
/// Bytes of the longest name of a scalar type.
const MAX_SCALAR_NAME: usize = 8;

/// Whether an instruction gives a constant that specialisation changes.
pub(crate) fn is_special(op: Op) -> bool {
    (Op::SpecConstantTrue..=Op::SpecConstantOp).contains(&op)
}

/// Whether an instruction gives a scalar that specialisation itself changes.
pub(crate) fn is_scalar(op: Op) -> bool {
    matches!(op, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse)
}

/// All specialisation constants that have a `SpecId`.
pub(crate) fn constants<'m>(cx: &Cx<'_, 'm>) -> Vec<SpecConstant<'m>> {
    let m = &cx.m;
    let scalars = cx.survey.special.iter().copied().filter(|i| is_scalar(i.op()));
    let mut all: Vec<SpecConstant<'m>> = scalars
        .filter_map(|inst| Some((inst, m.decoration(inst.id(2), Decoration::SpecId)?.operand())))
        .take_while(|_| cx.budget.take(size_of::<SpecConstant<'_>>() + MAX_SCALAR_NAME))
        .map(|(inst, spec_id)| {
            let id = inst.id(2);
            SpecConstant {
                id: id.0,
                spec_id: Some(spec_id),
                name: cx.name(id),
                ty: scalar_name(m, inst.id(1)),
                default: default_bits(m, inst),
                expressions: Vec::new(),
            }
        })
        .collect();
    let mut by_id: Vec<(u32, usize)> = all.iter().enumerate().map(|(i, c)| (c.id, i)).collect();
    by_id.sort_unstable();
    for length in cx.survey.special_lengths.iter().copied().filter(|l| m.info(*l).op == Op::SpecConstantOp) {
        let expression = expression(cx, length);
        for leaf in leaves(m, length) {
            if let Ok(at) = by_id.binary_search_by_key(&leaf.0, |c| c.0)
                && cx.budget.take(size_of::<String>() + expression.len())
            {
                all[by_id[at].1].expressions.push(expression.clone());
            }
        }
    }
    all
}

/// Operations on specialisation constants.
pub(crate) fn operations(cx: &Cx<'_, '_>) -> Vec<SpecOperation> {
    let m = &cx.m;
    let mut all = Vec::new();
    for inst in cx.survey.special.iter().filter(|i| !is_scalar(i.op())) {
        if !cx.budget.take(size_of::<SpecOperation>() + MAX_SCALAR_NAME + 2 * size_of_val(inst.words())) {
            break;
        }
        let op = if inst.op() == Op::SpecConstantOp { Op(inst.word(3) as u16) } else { inst.op() };
        let operands = if inst.op() == Op::SpecConstantOp { inst.tail(4) } else { inst.tail(3) };
        let ids = match op {
            Op::CompositeExtract => 1,
            Op::CompositeInsert | Op::VectorShuffle => 2,
            _ => operands.len(),
        };
        let operand =
            |(i, word): (usize, &u32)| if i < ids { operand(m, Id(*word)) } else { SpecOperand::Literal(*word) };
        all.push(SpecOperation {
            id: inst.word(2),
            op: crate::text(op, Op::name),
            ty: scalar_name(m, inst.id(1)),
            operands: operands.iter().enumerate().map(operand).collect(),
            default: default_u32(m, inst.id(2)),
        });
    }
    all
}

fn operand(m: &Module<'_>, id: Id) -> SpecOperand {
    match m.fixed_u32(id) {
        Some(value) => SpecOperand::Value(value),
        None if m.info(id).is_spec_constant() => SpecOperand::Constant(id.0),
        None => SpecOperand::Other(id.0),
    }
}

fn default_bits(m: &Module<'_>, inst: Inst<'_>) -> u64 {
    match inst.op() {
        Op::SpecConstantTrue => 1,
        Op::SpecConstant => m
            .int_constant(inst.id(2))
            .map_or_else(|| u64::from(inst.word(3)) | u64::from(inst.word(4)) << 32, |c| c.bits),
        _ => 0,
    }
}

/// Value of an integer constant with all defaults, operations included; `None` where it does not fit.
pub(crate) fn default_u32(m: &Module<'_>, id: Id) -> Option<u32> {
    if let Some(value) = m.fixed_u32(id) {
        return Some(value);
    }
    let value = evaluate(m, id)?;
    let ty = m.type_id_of(id);
    let is_signed = matches!(m.ty(ty), Some(Type::Int { signed: true, .. }));
    if is_signed { u32::try_from(value).ok() } else { u32::try_from(unsigned(value, m.key(ty).width())).ok() }
}

/// Evaluates an integer constant expression with all defaults: a stack of its own, and a bound on the steps. Values are
/// kept sign-extended from the width of their types.
fn evaluate(m: &Module<'_>, id: Id) -> Option<i64> {
    enum Step<'m> {
        Enter(Id),
        Apply(Inst<'m>),
    }
    let (mut todo, mut values): (Vec<Step<'_>>, Vec<i64>) = (alloc::vec![Step::Enter(id)], Vec::new());
    for _ in 0..MAX_STEPS {
        let Some(step) = todo.pop() else { return values.pop() };
        match step {
            Step::Enter(id) => {
                let width = m.key_of(id).width();
                if let Some(c) = m.int_constant(id) {
                    values.push(signed(c.bits as i64, width));
                    continue;
                }
                let inst = m.def(id)?;
                match inst.op() {
                    Op::ConstantTrue | Op::SpecConstantTrue => values.push(1),
                    Op::ConstantFalse | Op::SpecConstantFalse => values.push(0),
                    Op::SpecConstantOp => {
                        todo.push(Step::Apply(inst));
                        todo.extend(inst.tail(4).iter().rev().map(|o| Step::Enter(Id(*o))));
                    }
                    _ => return None,
                }
            }
            Step::Apply(inst) => {
                let operands = values.split_off(values.len().checked_sub(inst.tail(4).len())?);
                let width = m.key_of(inst.id(4)).width();
                let value = apply(Op(inst.word(3) as u16), width, &operands)?;
                values.push(signed(value, m.key(inst.id(1)).width()));
            }
        }
    }
    None
}

/// The low bits of a value, sign-extended.
fn signed(value: i64, width: u32) -> i64 {
    match width {
        1..64 => value << (64 - width) >> (64 - width),
        _ => value,
    }
}

/// The low bits of a value, zero-extended.
fn unsigned(value: i64, width: u32) -> u64 {
    match width {
        1..64 => value as u64 & ((1 << width) - 1),
        _ => value as u64,
    }
}

/// The operations that array lengths are made of, on values of so many bits (none for Booleans), which are
/// sign-extended. What is above the width in the result does not matter.
fn apply(op: Op, width: u32, operands: &[i64]) -> Option<i64> {
    let u = |v: &i64| unsigned(*v, width);
    // The sign follows the second operand.
    let modulo = |a: i64, b: i64| a.checked_rem(b).map(|r| if r != 0 && (r < 0) != (b < 0) { r + b } else { r });
    Some(match (op, operands) {
        (Op::IAdd, [a, b]) => a.wrapping_add(*b),
        (Op::ISub, [a, b]) => a.wrapping_sub(*b),
        (Op::IMul, [a, b]) => a.wrapping_mul(*b),
        (Op::UDiv, [a, b]) => u(a).checked_div(u(b))? as i64,
        (Op::UMod, [a, b]) => u(a).checked_rem(u(b))? as i64,
        (Op::SDiv, [a, b]) => a.checked_div(*b)?,
        (Op::SRem, [a, b]) => a.checked_rem(*b)?,
        (Op::SMod, [a, b]) => modulo(*a, *b)?,
        (Op::ShiftLeftLogical, [a, b]) => a.checked_shl((*b).try_into().ok()?)?,
        (Op::ShiftRightLogical, [a, b]) => u(a).checked_shr((*b).try_into().ok()?)? as i64,
        (Op::ShiftRightArithmetic, [a, b]) => a.checked_shr((*b).try_into().ok()?)?,
        (Op::BitwiseOr, [a, b]) => a | b,
        (Op::BitwiseXor, [a, b]) => a ^ b,
        (Op::BitwiseAnd, [a, b]) => a & b,
        (Op::Not, [a]) => !a,
        (Op::SNegate, [a]) => a.wrapping_neg(),
        (Op::UConvert, [a]) => u(a) as i64,
        (Op::SConvert, [a]) => *a,
        (Op::Select, [c, a, b]) => {
            if *c != 0 {
                *a
            } else {
                *b
            }
        }
        (Op::IEqual | Op::LogicalEqual, [a, b]) => i64::from(a == b),
        (Op::INotEqual | Op::LogicalNotEqual, [a, b]) => i64::from(a != b),
        (Op::ULessThan, [a, b]) => i64::from(u(a) < u(b)),
        (Op::ULessThanEqual, [a, b]) => i64::from(u(a) <= u(b)),
        (Op::UGreaterThan, [a, b]) => i64::from(u(a) > u(b)),
        (Op::UGreaterThanEqual, [a, b]) => i64::from(u(a) >= u(b)),
        (Op::SLessThan, [a, b]) => i64::from(a < b),
        (Op::SLessThanEqual, [a, b]) => i64::from(a <= b),
        (Op::SGreaterThan, [a, b]) => i64::from(a > b),
        (Op::SGreaterThanEqual, [a, b]) => i64::from(a >= b),
        (Op::LogicalAnd, [a, b]) => i64::from(*a != 0 && *b != 0),
        (Op::LogicalOr, [a, b]) => i64::from(*a != 0 || *b != 0),
        (Op::LogicalNot, [a]) => i64::from(*a == 0),
        _ => return None,
    })
}

/// The specialisation constants that an expression depends on.
pub(crate) fn leaves(m: &Module<'_>, id: Id) -> Vec<Id> {
    let (mut todo, mut found) = (alloc::vec![id], Vec::new());
    for _ in 0..MAX_STEPS {
        let Some(id) = todo.pop() else { break };
        let Some(inst) = m.def(id) else { continue };
        match inst.op() {
            Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse => found.push(id),
            Op::SpecConstantOp => todo.extend(inst.tail(4).iter().map(|o| Id(*o))),
            Op::SpecConstantComposite => todo.extend(inst.tail(3).iter().map(|o| Id(*o))),
            _ => {}
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// An expression as text: `IAdd(N, 4)`.
fn expression(cx: &Cx<'_, '_>, id: Id) -> String {
    enum Step {
        Show(Id),
        Text(&'static str),
    }
    let m = &cx.m;
    let (mut todo, mut text) = (alloc::vec![Step::Show(id)], String::new());
    while text.len() < MAX_TEXT {
        match todo.pop() {
            None => return text,
            Some(Step::Text(s)) => text += s,
            Some(Step::Show(id)) => match m.def(id) {
                Some(inst) if inst.op() == Op::SpecConstantOp => {
                    let name = Op(inst.word(3) as u16).name().unwrap_or("?");
                    text += name.strip_prefix("Op").unwrap_or(name);
                    todo.push(Step::Text(")"));
                    for (i, o) in inst.tail(4).iter().enumerate().rev() {
                        todo.push(Step::Show(Id(*o)));
                        todo.push(Step::Text(if i == 0 { "(" } else { ", " }));
                    }
                }
                Some(_) => match m.fixed_u32(id) {
                    Some(v) => text += &v.to_string(),
                    None => text += &named(cx, id),
                },
                None => text += "?",
            },
        }
    }
    text + "…"
}

fn named<'m>(cx: &Cx<'_, 'm>, id: Id) -> Text<'m> {
    let name = cx.names.get(cx.words, cx.m.ids(), id).filter(|n| !n.is_empty() && n.len() < MAX_TEXT);
    name.map_or_else(|| format!("{id}").into(), LitStr::text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_and_widths() {
        // OpSMod takes the sign of the divisor, OpSRem that of the dividend.
        assert_eq!(apply(Op::SMod, 32, &[2, -3]), Some(-1));
        assert_eq!(apply(Op::SMod, 32, &[-2, 3]), Some(1));
        assert_eq!(apply(Op::SMod, 32, &[-2, -3]), Some(-2));
        assert_eq!(apply(Op::SRem, 32, &[-2, 3]), Some(-2));
        assert_eq!(apply(Op::UDiv, 32, &[-2, 2]), Some(0x7fff_ffff));
        assert_eq!(apply(Op::UDiv, 64, &[-2, 2]), Some(0x7fff_ffff_ffff_ffff));
        assert_eq!(apply(Op::ULessThan, 32, &[1, -1]), Some(1));
        assert_eq!(apply(Op::SLessThan, 32, &[1, -1]), Some(0));
        assert_eq!(apply(Op::SDiv, 32, &[1, 0]), None);
        assert_eq!((signed(0xffff_fffd, 32), unsigned(-3, 32)), (-3, 0xffff_fffd));
        assert_eq!((signed(1, 0), signed(i64::MIN, 64)), (1, i64::MIN));
    }
}
