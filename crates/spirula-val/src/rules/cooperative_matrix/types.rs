//! Types of cooperative matrices, and vectors whose length is an id.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{
    BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel as Model, FPEncoding, Op, OperandKind, Scope,
};
use spirula_module::{Scalar, Shape};

use super::{ACCUMULATOR, constant, is_int32, value};
use crate::cx::{Cx, msg};
use crate::rules::conversion::encoding;
use crate::rules::universal::type_operand;
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// The components of a cooperative matrix are numbers; its scope, sizes and use are integer constants.
    TYPE: "type-cooperative-matrix", extension "SPV_KHR_cooperative_matrix";
    /// Cooperative matrices of floats with an encoding need a capability.
    ENCODED: "type-cooperative-matrix-encoding", extension "SPV_EXT_float8";
    /// In Vulkan, the scope of a cooperative matrix is `Workgroup` or `Subgroup`.
    SCOPE: "type-cooperative-matrix-scope", vuid "VUID-StandaloneSpirv-Scope-12243";
    /// Where a cooperative matrix has the scope `Workgroup`, the workgroup's size is known before its type is declared:
    /// by an execution mode of each entry point of a shader that has workgroups, or the built-in WorkgroupSize.
    WORKGROUP: "type-cooperative-matrix-workgroup", extension "SPV_NV_cooperative_matrix2";
    /// The components of a long vector are scalars, and their number is a 32-bit integer constant.
    VECTOR: "type-vector-id", extension "SPV_EXT_long_vector";
    /// Only conversions of cooperative matrices are decorated to transpose.
    TRANSPOSE: "cooperative-matrix-transpose-target", extension "SPV_EXT_cooperative_matrix_maintenance1";
}

/// `OpTypeCooperativeMatrixKHR` and its NV form.
pub(super) fn matrix(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let key = type_operand(cx, inst, 2)?;
    let number = matches!(key.component_class(), Scalar::Int | Scalar::Float | Scalar::EncodedFloat);
    cx.check_at(number && key.shape() == Shape::Scalar, &TYPE, inst, 2, || {
        format!("the component type is {}, not a number", describe(m, inst.id(2)))
    })?;
    let need = match encoding(cx, inst.id(2)) {
        Some(FPEncoding::BFloat16KHR) => Some(Capability::BFloat16CooperativeMatrixKHR),
        Some(FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT) => Some(Capability::Float8CooperativeMatrixEXT),
        _ => None,
    };
    let lacks = need.filter(|c| !cx.has(*c));
    cx.check_at(lacks.is_none(), &ENCODED, inst, 2, || {
        format!(
            "the components {} need the capability {}",
            describe(m, inst.id(2)),
            lacks.unwrap_or(Capability::Matrix)
        )
    })?;
    for word in 3..inst.words().len() {
        value(cx, &TYPE, inst, word, "an integer", |k| k.is_int())?;
        constant(cx, &TYPE, inst, word, "the operand")?;
    }
    if inst.op() == Op::TypeCooperativeMatrixKHR {
        let usage = m.fixed_u32(inst.id(6));
        cx.check_at(usage.is_none_or(|u| u <= ACCUMULATOR), &TYPE, inst, 6, || {
            format!("the use {} is {}, not 0, 1 or 2", inst.id(6), usage.unwrap_or(0))
        })?;
    }
    let scope = m.fixed_u32(inst.id(3)).map(Scope);
    let known = scope.is_none_or(|s| OperandKind::Scope.enumerant(s.0).is_some());
    cx.check_at(known, &TYPE, inst, 3, || {
        format!("the scope {} is {}, which names none", inst.id(3), scope.map_or(0, |s| s.0))
    })?;
    let ok = !cx.env.is_vulkan() || matches!(scope, None | Some(Scope::Workgroup | Scope::Subgroup));
    cx.check_at(ok, &SCOPE, inst, 3, || format!("the scope is {}", scope.unwrap_or(Scope::Device)))?;
    if scope == Some(Scope::Workgroup) { workgroup(cx, inst) } else { Ok(()) }
}

/// How many execution modes are looked at.
const MOST: usize = 1 << 10;

fn workgroup(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let sizes = m.execution_mode_insts().take(MOST).filter(|i| ExecutionMode(i.word(2)) == ExecutionMode::LocalSizeId);
    let late = sizes.flat_map(|i| i.tail(3)).map(|w| Id(*w)).find(|id| m.info(*id).def > inst.offset());
    cx.check_at(late.is_none(), &WORKGROUP, inst, 3, || {
        format!("the size {} of the workgroup is declared behind the type", late.unwrap_or_default())
    })?;
    let sizes = |mode| matches!(mode, ExecutionMode::LocalSize | ExecutionMode::LocalSizeId);
    let sized =
        cx.collect(m.execution_mode_insts().take(MOST).filter(|i| sizes(ExecutionMode(i.word(2)))).map(|i| i.id(1)));
    let decorates = |i: &Inst<'_>| i.op() == Op::Decorate && Decoration(i.word(2)) == Decoration::BuiltIn;
    let constant = || m.annotations().any(|i| decorates(&i) && BuiltIn(i.word(3)) == BuiltIn::WorkgroupSize);
    // Kernels may leave it to the host.
    let has_workgroups =
        |model| matches!(model, Model::GLCompute | Model::TaskEXT | Model::MeshEXT | Model::TaskNV | Model::MeshNV);
    let entries = m.entry_points().take(MOST).filter(|e| has_workgroups(e.model));
    let without = entries.map(|e| e.function).find(|f| !sized.contains(f));
    cx.check_at(without.is_none() || constant(), &WORKGROUP, inst, 3, || {
        let entry = without.unwrap_or_default();
        msg(format!("the scope is Workgroup, but the entry point {entry} does not say how large that is"))
            .help("set the execution mode LocalSize or LocalSizeId")
    })
}

/// `OpTypeVectorIdEXT`.
pub(super) fn vector(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let scalar = type_operand(cx, inst, 2)?.shape() == Shape::Scalar;
    let number = m.key(inst.id(2)).component_class() != Scalar::Bool || cx.has(Capability::LongVectorEXT);
    cx.check_at(scalar && number, &VECTOR, inst, 2, || {
        format!("the component type is {}, not a scalar", describe(m, inst.id(2)))
    })?;
    value(cx, &VECTOR, inst, 3, "a 32-bit integer", is_int32)?;
    constant(cx, &VECTOR, inst, 3, "the number of components")?;
    cx.check_at(m.fixed_u32(inst.id(3)) != Some(0), &VECTOR, inst, 3, || "a vector of 0 components")
}

/// Judges what is decorated as a conversion that transposes.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.has(Capability::CooperativeMatrixConversionsEXT) {
        return;
    }
    let m = cx.m;
    let decorates = m.annotations().filter(|i| i.op() == Op::Decorate);
    for inst in decorates.filter(|i| Decoration(i.word(2)) == Decoration::CooperativeMatrixTransposeEXT) {
        let target = m.info(inst.id(1));
        let converts = matches!(
            target.op,
            Op::ConvertFToU
                | Op::ConvertFToS
                | Op::ConvertSToF
                | Op::ConvertUToF
                | Op::UConvert
                | Op::SConvert
                | Op::FConvert
                | Op::CooperativeMatrixConvertUseEXT
        );
        let ok = converts && m.key(target.ty).shape() == Shape::CooperativeMatrix;
        cx.check_at(ok, &TRANSPOSE, inst, 1, || format!("{} is no conversion of a cooperative matrix", inst.id(1)))
            .ok();
    }
}
