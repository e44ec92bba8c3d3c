//! The sets of AMD.

use spirula_diag::{Checked, rules};
use spirula_grammar::{
    AmdExplicitVertexParameter, AmdGcnShader, AmdShaderBallot, ExecutionModel as Model, ExtSet, StorageClass,
};
use spirula_module::{ModelSet, Scalar, Shape};

use alloc::format;

use super::{Ext, FIRST};
use crate::cx::Cx;

rules! {
    group "ext_inst";
    /// Some instructions of AMD's sets are for the stages of graphics and compute pipelines, or for fragments only.
    MODEL: "amd-instruction-model", extension "SPV_AMD_gcn_shader";
    /// Offsets and masks of swizzles, and the number of a vertex, are constants within a range.
    CONSTANT: "amd-constant-operand", extension "SPV_AMD_shader_ballot";
}

const CLASSIC: &[Model] = &[
    Model::Fragment,
    Model::Geometry,
    Model::GLCompute,
    Model::TessellationControl,
    Model::TessellationEvaluation,
    Model::Vertex,
];

pub(super) fn instruction(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let number = ext.inst.word(4);
    match ext.set {
        ExtSet::AmdGcnShader => gcn(cx, ext, AmdGcnShader(number)),
        ExtSet::AmdShaderBallot => ballot(cx, ext, AmdShaderBallot(number)),
        ExtSet::AmdExplicitVertexParameter => at_vertex(cx, ext, AmdExplicitVertexParameter(number)),
        ExtSet::AmdTrinaryMinMax => of_three(cx, ext, number),
        _ => Ok(()),
    }
}

fn models(cx: &mut Cx<'_>, ext: Ext<'_>, allowed: &[Model]) -> Checked {
    let name = ext.desc.name();
    cx.check_models(ModelSet::of(allowed), &MODEL, ext.inst, |others| {
        format!("{name} is reached from an entry point of the model {others}")
    })
}

fn gcn(cx: &mut Cx<'_>, ext: Ext<'_>, number: AmdGcnShader) -> Checked {
    let result = cx.result_key(ext.inst)?;
    let float = result.component_class() == Scalar::Float && result.width() == 32;
    match number {
        AmdGcnShader::TimeAMD => {
            let ok = result.is_int() && result.width() == 64 && !result.is_signed();
            ext.result(cx, ok, "a 64-bit unsigned integer")?;
        }
        AmdGcnShader::CubeFaceIndexAMD => {
            ext.result(cx, float && result.shape() == Shape::Scalar, "a 32-bit floating-point number")?;
        }
        _ => {
            let pair = result.shape() == Shape::Vector && result.count() == 2;
            ext.result(cx, float && pair, "a vector of two 32-bit floating-point numbers")?;
        }
    }
    if number != AmdGcnShader::TimeAMD {
        let ty = cx.type_at(ext.inst, FIRST)?;
        // The text of one of the two asks for a pointer; compilers give the vector itself.
        let data = cx.m.pointer(ty).map_or(ty, |p| p.1);
        let key = cx.m.key(data);
        let three = key.shape() == Shape::Vector && key.count() == 3;
        let ok = three && key.component_class() == Scalar::Float && key.width() == 32;
        ext.operand(cx, 0, ok, "a vector of three 32-bit floating-point numbers")?;
    }
    models(cx, ext, CLASSIC)
}

fn ballot(cx: &mut Cx<'_>, ext: Ext<'_>, number: AmdShaderBallot) -> Checked {
    let inst = ext.inst;
    let result = cx.result_key(inst)?;
    if number == AmdShaderBallot::MbcntAMD {
        ext.result(cx, result.is_int() && result.width() == 32 && !result.is_signed(), "a 32-bit unsigned integer")?;
        // The source language has a mask of 64 bits.
        let key = cx.key_at(inst, FIRST)?;
        return ext.operand(cx, 0, key.is_int() && !key.is_signed() && key.width() >= 32, "an unsigned integer");
    }
    let ok = matches!(result.shape(), Shape::Scalar | Shape::Vector);
    ext.result(cx, ok, "a scalar or vector")?;
    let same = cx.type_at(inst, FIRST)? == inst.id(1);
    ext.operand(cx, 0, same, "of the Result Type")?;
    if number == AmdShaderBallot::WriteInvocationAMD {
        let same = cx.type_at(inst, FIRST + 1)? == inst.id(1);
        ext.operand(cx, 1, same, "of the Result Type")?;
        let key = cx.key_at(inst, FIRST + 2)?;
        return ext.operand(cx, 2, key.is_int() && key.width() == 32 && !key.is_signed(), "a 32-bit unsigned integer");
    }
    let (count, end) = if number == AmdShaderBallot::SwizzleInvocationsAMD { (4, 4) } else { (3, 32) };
    let key = cx.key_at(inst, FIRST + 1)?;
    let vector = key.shape() == Shape::Vector && key.count() == count;
    let ok = vector && key.component_class() == Scalar::Int && !key.is_signed();
    ext.operand(
        cx,
        1,
        ok,
        if count == 4 { "a vector of four unsigned integers" } else { "a vector of three unsigned integers" },
    )?;
    let m = cx.m;
    let id = inst.id(FIRST + 1);
    let parts = m.info(id).is_constant().then(|| m.def(id)).flatten();
    cx.check_at(parts.is_some(), &CONSTANT, inst, FIRST + 1, || format!("{id} is not a constant"))?;
    let composite = parts.filter(|d| d.op() == spirula_grammar::Op::ConstantComposite);
    let large = composite
        .and_then(|d| d.tail(3).iter().find_map(|p| m.fixed_u32(spirula_binary::Id(*p)).filter(|v| *v >= end)));
    cx.check_at(large.is_none(), &CONSTANT, inst, FIRST + 1, || {
        format!("{id} has the component {}, which is not less than {end}", large.unwrap_or(0))
    })
}

fn at_vertex(cx: &mut Cx<'_>, ext: Ext<'_>, number: AmdExplicitVertexParameter) -> Checked {
    if number != AmdExplicitVertexParameter::InterpolateAtVertexAMD {
        return Ok(());
    }
    let inst = ext.inst;
    let result = cx.result_key(inst)?;
    ext.result(cx, matches!(result.shape(), Shape::Scalar | Shape::Vector), "a scalar or vector")?;
    // Inline assembly in the source language gives the value of the input.
    let value = cx.type_at(inst, FIRST)? == inst.id(1);
    if !value {
        let (class, pointee) = ext.pointer(cx, 0)?;
        ext.operand(cx, 0, class == StorageClass::Input, "a pointer to Input")?;
        ext.operand(cx, 0, pointee == inst.id(1), "a pointer to the Result Type")?;
    }
    let key = cx.key_at(inst, FIRST + 1)?;
    ext.operand(cx, 1, key.is_int(), "an integer")?;
    let id = inst.id(FIRST + 1);
    let value = cx.m.fixed_u32(id);
    let ok = cx.m.info(id).is_constant() && value.is_none_or(|v| v <= 2);
    cx.check_at(ok, &CONSTANT, inst, FIRST + 1, || format!("the vertex {id} is not one of the constants 0, 1 and 2"))?;
    models(cx, ext, &[Model::Fragment])
}

/// Least, greatest or middle of three: of floats, unsigned and signed integers in turn.
fn of_three(cx: &mut Cx<'_>, ext: Ext<'_>, number: u32) -> Checked {
    let result = cx.result_key(ext.inst)?;
    let many = matches!(result.shape(), Shape::Scalar | Shape::Vector);
    let int = result.component_class() == Scalar::Int;
    let (ok, must) = match number % 3 {
        1 => (result.component_class() == Scalar::Float, "floating-point numbers"),
        2 => (int && !result.is_signed(), "unsigned integers"),
        _ => (int && result.is_signed(), "signed integers"),
    };
    ext.result(cx, many && ok, must)?;
    for i in 0..3 {
        let same = cx.type_at(ext.inst, FIRST + i)? == ext.inst.id(1);
        ext.operand(cx, i, same, "of the Result Type")?;
    }
    Ok(())
}
