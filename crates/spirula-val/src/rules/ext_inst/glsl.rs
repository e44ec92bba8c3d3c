//! GLSL.std.450.

use alloc::format;

use spirula_diag::{Checked, rules};
use spirula_grammar::{ExecutionModel, GlslStd450 as G, StorageClass};
use spirula_module::{ModelSet, Scalar, Shape, Type};

use super::{Ext, FIRST, ext_signatures};
use crate::cx::Cx;
use crate::rules::arithmetic::ENCODED;
use crate::rules::{memory, vulkan};
use crate::signature::{Con, Signature, describe, is_floats, is_ints};

rules! {
    group "ext_inst";
    /// The specification took `IMix` out again.
    IMIX: "glsl-imix", ext_inst "GLSL.std.450 IMix";
    /// `eta` has the type of the components of `I` and `N`. A warning, since the text said otherwise before, and front ends
    /// kept to that.
    ETA: "refract-eta", warn ext_inst "GLSL.std.450 Refract";
    /// The interpolation functions are for fragment shaders.
    FRAGMENT: "interpolate-model", ext_inst "GLSL.std.450 InterpolateAtCentroid";
}

static SIGNATURES: [Option<&Signature>; 82] = ext_signatures! { GlslStd450, 82;
    Round RoundEven Trunc FAbs FSign Floor Ceil Fract Sqrt InverseSqrt Normalize => Float: Same;
    SAbs SSign => Int: Like;
    Radians Degrees Sin Cos Tan Asin Acos Atan Sinh Cosh Tanh Asinh Acosh Atanh Exp Log Exp2 Log2 => Float16Or32: Same;
    Atan2 Pow => Float16Or32: Same, Same;
    Determinant => FloatScalar: SquareOf;
    MatrixInverse => SquareMatrix: Same;
    FMin FMax NMin NMax Step Reflect => Float: Same, Same;
    UMin SMin UMax SMax => Int: Like, Like;
    FClamp NClamp FMix SmoothStep Fma FaceForward => Float: Same, Same, Same;
    UClamp SClamp => Int: Like, Like, Like;
    Ldexp => Float: Same, IntCount;
    PackSnorm4x8 PackUnorm4x8 => Int32Scalar: Float32x4;
    PackSnorm2x16 PackUnorm2x16 PackHalf2x16 => Int32Scalar: Float32x2;
    PackDouble2x32 => Float64Scalar: Int32x2;
    UnpackSnorm2x16 UnpackUnorm2x16 UnpackHalf2x16 => Float32x2: Int32Scalar;
    UnpackSnorm4x8 UnpackUnorm4x8 => Float32x4: Int32Scalar;
    UnpackDouble2x32 => Int32x2: Float64Scalar;
    Length => FloatScalar: FloatOf;
    Distance => FloatScalar: FloatOf, SamePrev;
    Cross => FloatX3: Same, Same;
    Refract => Float: Same, Same, FloatScalar;
    FindILsb => Int: Like;
    FindUMsb FindSMsb => Int32: Int32Count;
};

pub(super) fn instruction(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let number = ext.inst.word(4);
    let result = cx.result_key(ext.inst)?;
    let name = ext.desc.name();
    let m = cx.m;
    cx.check_at(result.component_class() != Scalar::EncodedFloat, &ENCODED, ext.inst, 1, || {
        format!("{name} cannot compute with {}, whose floats have an encoding", describe(m, ext.inst.id(1)))
    })?;
    if let Some(signature) = SIGNATURES.get(number as usize).copied().flatten() {
        let scalars = result.shape() != Shape::CooperativeMatrix;
        ext.result(cx, scalars, "a scalar or vector")?;
        ext.signature(cx, signature)?;
        return if G(number) == G::Refract { refract(cx, ext) } else { Ok(()) };
    }
    match FURTHER.iter().find(|(n, _)| *n == G(number)) {
        Some((_, rule)) => rule(cx, ext),
        None => Ok(()),
    }
}

/// Instructions that no signature states.
static FURTHER: &[(G, super::RuleFn)] = &[
    (G::Modf, |cx, ext| pointer(cx, ext, false)),
    (G::Frexp, |cx, ext| pointer(cx, ext, true)),
    (G::ModfStruct, |cx, ext| structure(cx, ext, false)),
    (G::FrexpStruct, |cx, ext| structure(cx, ext, true)),
    (G::IMix, |cx, ext| cx.fail_at(&IMIX, ext.inst, 4, || "the set has no IMix any more")),
    (G::InterpolateAtCentroid, interpolate),
    (G::InterpolateAtSample, interpolate),
    (G::InterpolateAtOffset, interpolate),
];

/// Whether something judges the instruction with this number.
#[cfg(test)]
pub(super) fn is_judged(number: u32) -> bool {
    SIGNATURES.get(number as usize).is_some_and(Option::is_some) || FURTHER.iter().any(|(n, _)| n.0 == number)
}

fn refract(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let (result, eta) = (cx.result_key(ext.inst)?, cx.key_at(ext.inst, FIRST + 2)?);
    cx.check_at(eta == result.component(), &ETA, ext.inst, FIRST + 2, || {
        format!("eta has {} bits, but the components of the Result Type have {}", eta.width(), result.width())
    })
}

fn same(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let x = cx.type_at(ext.inst, FIRST)?;
    ext.operand(cx, 0, x == ext.inst.id(1), "of the Result Type")
}

/// `Modf` and `Frexp`, which store a second result.
fn pointer(cx: &mut Cx<'_>, ext: Ext<'_>, int: bool) -> Checked {
    let result = cx.result_key(ext.inst)?;
    ext.result(cx, is_floats(result), "a floating-point number or a vector of them")?;
    same(cx, ext)?;
    let (class, pointee) = ext.pointer(cx, 1)?;
    memory::writable(cx, ext.inst, FIRST + 1, class)?;
    if cx.env.is_vulkan() {
        vulkan::resources::not_uniform(cx, ext.inst, FIRST + 1)?;
    }
    if int {
        let key = cx.m.key(pointee);
        let small = key.width() == 16 && cx.declares("SPV_AMD_gpu_shader_int16");
        let ok = is_ints(key) && (key.width() == 32 || small);
        ext.operand(cx, 1, ok, "a pointer to 32-bit integers")?;
        ext.operand(cx, 1, key.count() == result.count(), "a pointer to as many integers as x has components")
    } else {
        ext.operand(cx, 1, pointee == ext.inst.id(1), "a pointer to the Result Type")
    }
}

/// `ModfStruct` and `FrexpStruct`, which give two results.
fn structure(cx: &mut Cx<'_>, ext: Ext<'_>, int: bool) -> Checked {
    let members = match cx.m.ty(ext.inst.id(1)) {
        Some(Type::Struct { members: &[a, b] }) => Some((spirula_binary::Id(a), spirula_binary::Id(b))),
        _ => None,
    };
    let (first, second) = members.unwrap_or_default();
    let (a, b) = (cx.m.key(first), cx.m.key(second));
    if int {
        let small = b.width() == 16 && cx.declares("SPV_AMD_gpu_shader_int16");
        let ints = is_ints(b) && (b.width() == 32 || small) && b.count() == a.count();
        let ok = is_floats(a) && ints;
        ext.result(cx, ok, "a structure of floats and as many 32-bit integers")?;
    } else {
        let ok = is_floats(a) && first == second;
        ext.result(cx, ok, "a structure of two members of one floating-point type")?;
    }
    let x = cx.type_at(ext.inst, FIRST)?;
    ext.operand(cx, 0, x == first, "of the type of the Result Type's first member")
}

fn interpolate(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let result = cx.result_key(ext.inst)?;
    let half = result.width() == 16 && cx.declares("SPV_AMD_gpu_shader_half_float");
    let ok = result.is_float_scalar_or_vector() && (result.width() == 32 || half && result.width() == 16);
    ext.result(cx, ok, if half { "16-bit or 32-bit floats" } else { "32-bit floats" })?;
    // The operand may be a value that the source language's input was loaded to, until HLSL is legalised.
    let loaded = cx.options.before_hlsl_legalization;
    if !loaded {
        let (class, pointee) = ext.pointer(cx, 0)?;
        ext.operand(cx, 0, class == StorageClass::Input, "a pointer to Input")?;
        ext.operand(cx, 0, pointee == ext.inst.id(1), "a pointer to the Result Type")?;
    }
    let number = G(ext.inst.word(4));
    if number != G::InterpolateAtCentroid {
        let key = cx.key_at(ext.inst, FIRST + 1)?;
        if number == G::InterpolateAtSample {
            ext.operand(cx, 1, key.is_int() && key.width() == 32, "a 32-bit integer scalar")?;
        } else {
            let ok = key.shape() == Shape::Vector && key.component_class() == Scalar::Float;
            let width = key.width() == 32 || half && key.width() == 16;
            ext.operand(cx, 1, ok && key.count() == 2 && width, "a vector of two 32-bit floats")?;
        }
    }
    let name = ext.desc.name();
    cx.check_models(ModelSet::of(&[ExecutionModel::Fragment]), &FRAGMENT, ext.inst, |others| {
        format!("{name} is reached from an entry point of the model {others}")
    })
}
