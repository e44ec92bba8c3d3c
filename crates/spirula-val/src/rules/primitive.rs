//! Primitive instructions (§3.3.19).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{ExecutionModel, Op};
use spirula_module::ModelSet;

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operand};

rules! {
    group "primitive";
    /// Only geometry shaders emit vertices and end primitives.
    MODEL: "primitive-model", spec "§3.3.19";
    /// Stream is the result of a constant instruction.
    STREAM: "stream-constant", spec "§3.3.19";
}

pub(crate) const TABLE: Table = rule_table! {
    EmitVertex | EndPrimitive | EmitStreamVertex | EndStreamPrimitive => primitive;
};

fn primitive<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.check_models(ModelSet::of(&[ExecutionModel::Geometry]), &MODEL, inst, |models| {
        format!("{} is for Geometry, but {models} reaches it", inst.op())
    })?;
    if !matches!(inst.op(), Op::EmitStreamVertex | Op::EndStreamPrimitive) {
        return Ok(());
    }
    operand(cx, inst, 1, Is::Int)?;
    let (m, id) = (cx.m, inst.id(1));
    cx.check_at(m.info(id).is_constant(), &STREAM, inst, 1, || {
        msg(format!("Stream {id} is the result of {}, no constant instruction", m.info(id).op)).declared(m, id)
    })
}
