//! Barrier instructions (§3.3.20).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{ExecutionModel, Op, Version};
use spirula_module::ModelSet;

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operand, result};
use crate::rules::scopes::{self, Execution};

rules! {
    group "barrier";
    /// Before SPIR-V 1.3, control barriers are for the stages that have workgroups.
    EARLY_MODELS: "control-barrier-models", spec "OpControlBarrier";
}

pub(crate) const TABLE: Table = rule_table! {
    ControlBarrier | ControlBarrierArriveEXT | ControlBarrierWaitEXT => control;
    MemoryBarrier => memory;
    NamedBarrierInitialize => named_initialize;
    MemoryNamedBarrier => named;
};

fn control<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let models = models(cx, inst);
    let execution = scopes::execution(cx, inst, 1, Execution::Any);
    let memory = scope_and_semantics(cx, inst, 2);
    cx.all([models, execution, memory])
}

fn models<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    use ExecutionModel as E;
    if inst.op() != Op::ControlBarrier || cx.version >= Version::v1(3) {
        return Ok(());
    }
    let fits =
        ModelSet::of(&[E::TessellationControl, E::GLCompute, E::Kernel, E::TaskNV, E::MeshNV, E::TaskEXT, E::MeshEXT]);
    cx.check_models(fits, &EARLY_MODELS, inst, |models| {
        format!("OpControlBarrier cannot be used in {models} before SPIR-V 1.3")
    })
}

fn scope_and_semantics<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let memory = scopes::memory(cx, inst, word)?;
    scopes::semantics(cx, inst, word + 1, memory)?;
    Ok(())
}

fn memory<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scope_and_semantics(cx, inst, 1)
}

fn named_initialize<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Type(Op::TypeNamedBarrier))?;
    operand(cx, inst, 3, Is::Int32)
}

fn named<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operand(cx, inst, 1, Is::Type(Op::TypeNamedBarrier))?;
    scope_and_semantics(cx, inst, 2)
}
