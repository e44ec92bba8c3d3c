//! Straight code, branches, loops, switches, calls.

use spirula_grammar::Op;

use super::build::Builder;

/// A chain of `n` integer and float operations.
pub(super) fn arithmetic(b: &mut Builder, n: u32) {
    let c = b.compute();
    b.open(&c);
    let (uint, float) = (b.uint(), b.float());
    let first = b.load(&c, 0);
    let (mut i, mut f) = (first, b.op(Op::ConvertUToF, float, &[first]));
    for k in 0..n {
        match k % 8 {
            0 => i = b.op(Op::IAdd, uint, &[i, first]),
            1 => i = b.op(Op::IMul, uint, &[i, i]),
            2 => f = b.op(Op::FAdd, float, &[f, f]),
            3 => i = b.op(Op::BitwiseXor, uint, &[i, first]),
            4 => f = b.op(Op::FMul, float, &[f, f]),
            5 => i = b.op(Op::ShiftLeftLogical, uint, &[i, first]),
            6 => f = b.op(Op::FNegate, float, &[f]),
            _ => i = b.op(Op::ConvertFToU, uint, &[f]),
        }
    }
    b.store(&c, 1, i);
    b.close();
}

/// A condition on element `k` of the buffer.
fn condition(b: &mut Builder, value: u32, k: u32) -> u32 {
    let (bool, limit) = (b.ty(Op::TypeBool, &[]), b.constant(k));
    b.op(Op::ULessThan, bool, &[value, limit])
}

/// `n` selections in a row, each with a phi behind it.
pub(super) fn branches(b: &mut Builder, n: u32) {
    let c = b.compute();
    b.open(&c);
    let uint = b.uint();
    let mut value = b.load(&c, 0);
    for k in 0..n {
        let cond = condition(b, value, k);
        let (yes, no, merge) = (b.id(), b.id(), b.id());
        b.act(Op::SelectionMerge, &[merge, 0]);
        b.act(Op::BranchConditional, &[cond, yes, no]);
        b.label(yes);
        let one = b.op(Op::IAdd, uint, &[value, value]);
        b.act(Op::Branch, &[merge]);
        b.label(no);
        let other = b.op(Op::Not, uint, &[value]);
        b.act(Op::Branch, &[merge]);
        b.label(merge);
        value = b.op(Op::Phi, uint, &[one, yes, other, no]);
    }
    b.store(&c, 1, value);
    b.close();
}

/// `n` counted loops in a row.
pub(super) fn loops(b: &mut Builder, n: u32) {
    let c = b.compute();
    b.open(&c);
    let before = b.id();
    b.act(Op::Branch, &[before]);
    b.label(before);
    let mut from = before;
    let mut value = b.load(&c, 0);
    for k in 0..n {
        (value, from) = counted(b, value, from, k);
    }
    b.store(&c, 1, value);
    b.close();
}

/// One loop. Returns the value after it and the block that the code then is in.
fn counted(b: &mut Builder, value: u32, from: u32, k: u32) -> (u32, u32) {
    let (uint, zero, one) = (b.uint(), b.constant(0), b.constant(1));
    let (head, body, next, merge) = (b.id(), b.id(), b.id(), b.id());
    let (counter, counter2, value2) = (b.id(), b.id(), b.id());
    b.act(Op::Branch, &[head]);
    b.label(head);
    b.act(Op::Phi, &[uint, counter, zero, from, counter2, next]);
    let sum = b.op(Op::Phi, uint, &[value, from, value2, next]);
    let cond = condition(b, counter, 16 + k % 7);
    b.act(Op::LoopMerge, &[merge, next, 0]);
    b.act(Op::BranchConditional, &[cond, body, merge]);
    b.label(body);
    b.act(Op::IAdd, &[uint, value2, sum, counter]);
    b.act(Op::Branch, &[next]);
    b.label(next);
    b.act(Op::IAdd, &[uint, counter2, counter, one]);
    b.act(Op::Branch, &[head]);
    b.label(merge);
    (sum, merge)
}

/// Selections nested `n` deep.
pub(super) fn nest(b: &mut Builder, n: u32) {
    let c = b.compute();
    b.open(&c);
    let value = b.load(&c, 0);
    let mut merges = Vec::new();
    for k in 0..n {
        let cond = condition(b, value, k);
        let (yes, merge) = (b.id(), b.id());
        b.act(Op::SelectionMerge, &[merge, 0]);
        b.act(Op::BranchConditional, &[cond, yes, merge]);
        b.label(yes);
        merges.push(merge);
    }
    b.store(&c, 1, value);
    for merge in merges.into_iter().rev() {
        b.act(Op::Branch, &[merge]);
        b.label(merge);
    }
    b.close();
}

/// A switch with `n` cases.
pub(super) fn switch(b: &mut Builder, n: u32) {
    let c = b.compute();
    b.open(&c);
    let uint = b.uint();
    let value = b.load(&c, 0);
    let (merge, default) = (b.id(), b.id());
    let cases: Vec<u32> = (0..n).map(|_| b.id()).collect();
    b.act(Op::SelectionMerge, &[merge, 0]);
    let mut operands = vec![value, default];
    cases.iter().enumerate().for_each(|(k, label)| operands.extend([k as u32 * 3, *label]));
    b.act(Op::Switch, &operands);
    let mut incoming = Vec::new();
    for label in cases.iter().copied().chain([default]) {
        b.label(label);
        incoming.extend([b.op(Op::IAdd, uint, &[value, value]), label]);
        b.act(Op::Branch, &[merge]);
    }
    b.label(merge);
    let result = b.op(Op::Phi, uint, &incoming);
    b.store(&c, 1, result);
    b.close();
}

/// `n` functions, each calling the one before it twice.
pub(super) fn calls(b: &mut Builder, n: u32) {
    let c = b.compute();
    let uint = b.uint();
    let signature = b.ty(Op::TypeFunction, &[uint, uint]);
    let mut callee = None;
    for _ in 0..n {
        let (function, parameter, label) = (b.id(), b.id(), b.id());
        b.act(Op::Function, &[uint, function, 0, signature]);
        b.act(Op::FunctionParameter, &[uint, parameter]);
        b.label(label);
        let mut value = b.op(Op::IAdd, uint, &[parameter, parameter]);
        for _ in 0..2 {
            value = callee.map_or(value, |f| b.op(Op::FunctionCall, uint, &[f, value]));
        }
        b.act(Op::ReturnValue, &[value]);
        b.act(Op::FunctionEnd, &[]);
        callee = Some(function);
    }
    b.open(&c);
    let mut value = b.load(&c, 0);
    if let Some(f) = callee {
        value = b.op(Op::FunctionCall, uint, &[f, value]);
    }
    b.store(&c, 1, value);
    b.close();
}
