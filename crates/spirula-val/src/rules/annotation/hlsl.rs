//! `CounterBuffer` and `UserSemantic` (SPV_GOOGLE_hlsl_functionality1, SPIR-V 1.4).

use alloc::format;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Decoration, Op, StorageClass};

use super::{Applied, string};
use crate::cx::{Cx, msg};

rules! {
    group "hlsl";
    /// CounterBuffer decorates a variable in Uniform.
    COUNTER_TARGET: "counter-buffer-target", spec "CounterBuffer";
    /// The counter that CounterBuffer names is a variable in Uniform.
    COUNTER: "counter-buffer-counter", spec "CounterBuffer";
    /// The text of CounterBuffer knows the Uniform storage class only. Newer HLSL compilers use StorageBuffer, which
    /// consumers accept.
    COUNTER_CLASS: "counter-buffer-storage-class", warn spec "CounterBuffer";
    /// The counter is declared behind the buffer that it belongs to. HLSL compilers have written that for years, and
    /// nothing forbids it; but some validators since 2025 refuse it.
    COUNTER_ORDER: "counter-buffer-order", warn extension "SPV_GOOGLE_hlsl_functionality1";
    /// UserSemantic decorates a variable in Input or Output, or a member of a structure.
    SEMANTIC_TARGET: "user-semantic-target", spec "UserSemantic";
    /// A target can have several semantics, but each of them once.
    SEMANTIC_TWICE: "user-semantic-twice", spec "UserSemantic";
    /// Semantics are compared without regard to case, so that these are the same one twice.
    SEMANTIC_CASE: "user-semantic-case", warn spec "UserSemantic";
}

fn class_of(cx: &Cx<'_>, variable: Id) -> Option<StorageClass> {
    let info = cx.m.info(variable);
    if !matches!(info.op, Op::Variable | Op::UntypedVariableKHR) {
        return None;
    }
    cx.m.def(variable).map(|i| StorageClass(i.word(3)))
}

pub(super) fn counter<'a>(cx: &mut Cx<'a>, applied: Applied<'a>) -> Checked {
    let Applied { inst, target, .. } = applied;
    let counter = inst.id(3);
    let m = cx.m;
    for (word, id, rule) in [(1, target, &COUNTER_TARGET), (3, counter, &COUNTER)] {
        let class = class_of(cx, id);
        let op = m.info(id).op;
        cx.check_at(class.is_some(), rule, inst, word, || {
            msg(format!("{id} is the result of {op}, not of OpVariable")).declared(m, id)
        })?;
        if class == Some(StorageClass::StorageBuffer) {
            cx.fail_at(&COUNTER_CLASS, inst, word, || {
                msg(format!("{id} is in StorageBuffer")).help("Uniform is what the specification knows")
            })?;
            continue;
        }
        let class = class.unwrap_or(StorageClass::Uniform);
        cx.check_at(class == StorageClass::Uniform, rule, inst, word, || {
            msg(format!("{id} is in {class}, not in Uniform")).declared(m, id)
        })?;
    }
    if m.info(counter).def > m.info(target).def {
        cx.fail_at(&COUNTER_ORDER, inst, 3, || {
            msg(format!("the counter {counter} is declared after the buffer {target}"))
                .declared(m, counter)
                .help("declare the counter first, so that every consumer takes the module")
        })?;
    }
    Ok(())
}

pub(super) fn semantic<'a>(cx: &mut Cx<'a>, applied: Applied<'a>) -> Checked {
    let Applied { inst, target, .. } = applied;
    let m = cx.m;
    let class = class_of(cx, target);
    let op = m.info(target).op;
    cx.check_at(class.is_some(), &SEMANTIC_TARGET, inst, 1, || {
        msg(format!("{target} is the result of {op}, not of OpVariable"))
            .declared(m, target)
            .help("members are decorated with OpMemberDecorateString")
    })?;
    let class = class.unwrap_or(StorageClass::Input);
    cx.check_at(matches!(class, StorageClass::Input | StorageClass::Output), &SEMANTIC_TARGET, inst, 1, || {
        msg(format!("{target} is in {class}, not in Input or Output")).declared(m, target)
    })?;
    again(cx, inst, 3, |cx| {
        let others = cx.m.own_decorations(target).filter(|d| d.decoration == Decoration::UserSemantic);
        others.map(|d| d.inst).take_while(|i| i.offset() < inst.offset()).take(64).find_map(|i| same(inst, i, 3))
    })
}

pub(super) fn member_semantic<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    again(cx, inst, 4, |cx| {
        let others = cx.m.member_decorations(inst.id(1), inst.word(2));
        let others = others.filter(|d| d.decoration == Decoration::UserSemantic).map(|d| d.inst);
        others.take_while(|i| i.offset() < inst.offset()).take(64).find_map(|i| same(inst, i, 4))
    })
}

/// How two semantics are the same.
#[derive(Clone, Copy)]
enum Same<'a> {
    Exactly(Inst<'a>),
    ButForCase(Inst<'a>),
}

fn same<'a>(a: Inst<'a>, b: Inst<'a>, word: usize) -> Option<Same<'a>> {
    if b.op() != a.op() {
        return None;
    }
    let (x, y) = (string(a, word)?, string(b, word)?);
    if x == y {
        return Some(Same::Exactly(b));
    }
    let folded = |s: LitStr<'a>| s.bytes().map(|c| c.to_ascii_lowercase());
    (x.len() == y.len() && folded(x).eq(folded(y))).then_some(Same::ButForCase(b))
}

fn again<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, find: impl Fn(&Cx<'a>) -> Option<Same<'a>>) -> Checked {
    let Some(found) = find(cx) else { return Ok(()) };
    let text = || string(inst, word).map(|s| format!("{s:?}")).unwrap_or_default();
    let at = |i: Inst<'a>| spirula_diag::Site::at(i.offset());
    match found {
        Same::Exactly(other) => cx.fail_at(&SEMANTIC_TWICE, inst, word, || {
            msg(format!("the semantic {} is given twice", text())).note(at(other), "given here too")
        }),
        Same::ButForCase(other) => cx.fail_at(&SEMANTIC_CASE, inst, word, || {
            msg(format!("the semantic {} is given twice, in different case", text())).note(at(other), "given here too")
        }),
    }
}
