//! Universal validation rules (§2.16.1) that belong to no instruction class.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_module::TypeKey;

use crate::cx::{Cx, msg};

rules! {
    group "ids";
    /// An operand that is read has a value: an instruction with a type gives it, and it is no type, label, string or the like.
    VALUE: "operand-value", spec "§2.16.1";
    /// Where an instruction is made of a type, the operand is the id of a type declaration.
    TYPE: "operand-no-type", spec "§2.16.1";
    /// A Result Type must be the id of a type declaration.
    RESULT_TYPE: "result-type", spec "§2.16.1";
}

/// Reports that the id at `word` is defined, but is no value.
#[cold]
pub(crate) fn no_value(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<Id> {
    let (m, id) = (cx.m, inst.id(word));
    let what = m.info(id).op;
    cx.fail_at(&VALUE, inst, word, || {
        msg(format!("{id} is the result of {what}, which has no type, but a value is needed")).declared(m, id)
    })?;
    Err(Failed)
}

/// Reports a function where a value is needed.
#[cold]
pub(crate) fn not_a_value(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let (m, id) = (cx.m, inst.id(word));
    cx.fail_at(&VALUE, inst, word, || {
        msg(format!("{id} is a function, but a value is needed")).declared(m, id).help("call it with OpFunctionCall")
    })
}

/// The result type is a type.
#[inline]
pub(crate) fn result_type(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let ty = inst.id(1);
    let info = cx.m.info(ty);
    if info.is_type() || !info.is_defined() {
        return Ok(());
    }
    let m = cx.m;
    cx.fail_at(&RESULT_TYPE, inst, 1, || {
        msg(format!("the Result Type {ty} is the result of {}, not a type", info.op)).declared(m, ty)
    })
}

/// Key of the type that the operand at `word` is. `Err` where it is undefined or broken (silently), or no type
/// (reported).
pub(crate) fn type_operand(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<TypeKey> {
    let id = inst.id(word);
    let info = cx.m.info(id);
    if info.is_type() || !info.is_defined() {
        return cx.key(id);
    }
    let m = cx.m;
    cx.fail_at(&TYPE, inst, word, || {
        msg(format!("{id} is the result of {}, but a type is needed", info.op)).declared(m, id)
    })?;
    Err(Failed)
}
