//! Functions that are called for the elements of cooperative matrices.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::rules;
use spirula_grammar::{Capability, Class, Op, TensorAddressingOperands as T};

use crate::cx::{Cx, msg};
use crate::rules::mode_setting::reached;

rules! {
    group "cooperative_matrix";
    /// Functions that decode, combine or change the elements of a cooperative matrix, and what they call, have no
    /// instructions in which invocations take part together.
    TANGLED: "cooperative-matrix-callback", extension "SPV_NV_cooperative_matrix2";
}

/// How many functions are followed.
const MOST: usize = 64;

/// Judges the functions that instructions for cooperative matrices call.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let capabilities = [
        Capability::CooperativeMatrixReductionsEXT,
        Capability::CooperativeMatrixPerElementOperationsEXT,
        Capability::CooperativeMatrixBlockLoadsNV,
    ];
    if !capabilities.iter().any(|c| cx.has(*c)) {
        return;
    }
    let m = cx.m;
    let mut called = cx.list();
    for function in m.functions() {
        called.extend(m.insts(function.body_words()).flat_map(callbacks).flatten());
    }
    called.sort_unstable();
    called.dedup();
    for callback in called.iter().take(MOST) {
        let reached = reached(cx, *callback);
        for (function, _) in m.functions().iter().zip(reached).filter(|(_, reached)| *reached) {
            let Some(inst) = m.insts(function.body_words()).find(|i| is_tangled(*i)) else { continue };
            cx.fail(&TANGLED, inst, || {
                let what = format!("{} is reached from {callback}, which a cooperative matrix calls", inst.op());
                msg(what).declared(m, *callback)
            })
            .ok();
        }
    }
}

/// The functions that an instruction calls for elements.
fn callbacks(inst: Inst<'_>) -> [Option<Id>; 2] {
    match inst.op() {
        Op::CooperativeMatrixReduceEXT => [Some(inst.id(5)), None],
        Op::CooperativeMatrixPerElementOpEXT => [Some(inst.id(4)), None],
        Op::CooperativeMatrixLoadTensorNV => {
            let at = super::tensor::behind_memory(inst, 6);
            let mask = inst.word(at);
            let mut next = at + 1 + usize::from(mask & T::TensorView.0 != 0);
            let mut operand = |bit: T| {
                (mask & bit.0 != 0).then(|| {
                    next += 1;
                    inst.id(next - 1)
                })
            };
            [operand(T::DecodeFunc), operand(T::DecodeVectorFunc)]
        }
        _ => [None, None],
    }
}

/// Whether invocations take part in the instruction together.
fn is_tangled(inst: Inst<'_>) -> bool {
    let class = inst.desc().map(|d| d.class);
    matches!(class, Some(Class::Group | Class::NonUniform | Class::Derivative))
        || matches!(
            inst.op(),
            Op::ControlBarrier
                | Op::ImageSampleImplicitLod
                | Op::ImageSampleDrefImplicitLod
                | Op::ImageSampleProjImplicitLod
                | Op::ImageSampleProjDrefImplicitLod
                | Op::CooperativeMatrixLoadKHR
                | Op::CooperativeMatrixStoreKHR
                | Op::CooperativeMatrixMulAddKHR
                | Op::CooperativeMatrixLoadTensorNV
                | Op::CooperativeMatrixStoreTensorNV
                | Op::CooperativeMatrixReduceEXT
                | Op::CooperativeMatrixTransposeNV
                | Op::CooperativeMatrixPerElementOpEXT
        )
}
