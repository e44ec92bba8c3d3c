//! OpenCL.std.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{AddressingModel, MemoryModel, OpenClStd as C, StorageClass};
use spirula_module::{Scalar, Shape, TypeKey};

use super::{Ext, FIRST, ext_signatures};
use crate::cx::Cx;
use crate::signature::{Con, Signature};

rules! {
    group "ext_inst";
    /// Loads and stores of vectors, and `prefetch`, compute with the size of pointers: the addressing model is physical.
    PHYSICAL: "opencl-physical-addressing", ext_inst "OpenCL.std vloadn";
    /// The `half_` and `native_` functions are for 32-bit floats, and what halves are loaded to is 32 bits wide. A warning, since front ends call them with others.
    FLOAT: "opencl-float-width", warn ext_inst "OpenCL.std half_cos";
    /// OpenCL.std is imported where the memory model is OpenCL. A warning, since nothing in its instructions depends on it.
    MODEL: "opencl-instructions-memory-model", warn ext_inst "OpenCL.std";
}

static SIGNATURES: [Option<&Signature>; 205] = ext_signatures! { OpenClStd, 205;
    acos acosh acospi asin asinh asinpi atan atan2 atanh atanpi atan2pi cbrt ceil copysign cos cosh cospi erfc erf exp
        exp2 exp10 expm1 fabs fdim floor fma fmax fmin fmod hypot lgamma log log2 log10 log1p logb mad maxmag minmag
        nextafter pow powr remainder rint round rsqrt sin sinh sinpi sqrt tan tanh tanpi tgamma trunc half_cos
        half_divide half_exp half_exp2 half_exp10 half_log half_log2 half_log10 half_powr half_recip half_rsqrt
        half_sin half_sqrt half_tan native_cos native_divide native_exp native_exp2 native_exp10 native_log
        native_log2 native_log10 native_powr native_recip native_rsqrt native_sin native_sqrt native_tan fclamp
        degrees fmax_common fmin_common mix radians step smoothstep sign => Float: Same, Same, Same;
    ilogb => Int32: FloatCount;
    ldexp pown rootn => Float: Same, Int32Count;
    nan => Float: IntCount;
    cross => FloatX3Or4: Same, Same;
    distance fast_distance => FloatScalar: FloatOfUpTo4, SamePrev;
    length fast_length => FloatScalar: FloatOfUpTo4;
    normalize fast_normalize => FloatUpTo4: Same;
    s_abs s_abs_diff s_add_sat u_add_sat s_hadd u_hadd s_rhadd u_rhadd s_clamp u_clamp clz ctz s_mad_hi u_mad_sat
        s_mad_sat s_max u_max s_min u_min s_mul_hi rotate s_sub_sat u_sub_sat popcount u_abs u_abs_diff u_mul_hi
        u_mad_hi => Int: Same, Same, Same;
    s_mad24 u_mad24 s_mul24 u_mul24 => Int32: Same, Same, Same;
    bitselect => Number: Same, Same, Same;
    select => Number: Same, Same, IntCount;
};

pub(super) fn import(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let model = cx.m.memory_model();
    if cx.m.memory_model_inst().is_none() {
        return Ok(());
    }
    cx.check_at(model == MemoryModel::OpenCL, &MODEL, inst, 2, || {
        format!("OpenCL.std is for the memory model OpenCL, but the module declares {model}")
    })
}

pub(super) fn instruction(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let number = ext.inst.word(4);
    if let Some(signature) = SIGNATURES.get(number as usize).copied().flatten() {
        ext.signature(cx, signature)?;
        // Integers beside floats: what is selected by, and what a NaN is made of.
        let ints = match C(number) {
            C::select => 2,
            C::nan => 0,
            n if (C::half_cos..=C::native_tan).contains(&n) => return float(cx, ext),
            _ => return Ok(()),
        };
        let (result, c) = (cx.result_key(ext.inst)?, cx.key_at(ext.inst, FIRST + ints)?);
        return ext.operand(cx, ints, result.width() == c.width(), "integers as wide as the Result Type's components");
    }
    match FURTHER.iter().find(|(n, _)| *n == C(number)) {
        Some((_, rule)) => rule(cx, ext),
        None => Ok(()),
    }
}

fn float(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let width = cx.result_key(ext.inst)?.width();
    cx.check_at(width == 32, &FLOAT, ext.inst, 1, || {
        format!("{} gives 32-bit floats, but those of the Result Type have {width} bits", ext.desc.name())
    })
}

/// Instructions that no signature states.
static FURTHER: &[(C, super::RuleFn)] = &[
    (C::fract, |cx, ext| stores(cx, ext, false)),
    (C::modf, |cx, ext| stores(cx, ext, false)),
    (C::sincos, |cx, ext| stores(cx, ext, false)),
    (C::frexp, |cx, ext| stores(cx, ext, true)),
    (C::lgamma_r, |cx, ext| stores(cx, ext, true)),
    (C::remquo, |cx, ext| stores(cx, ext, true)),
    (C::u_upsample, upsample),
    (C::s_upsample, upsample),
    (C::vloadn, load),
    (C::vload_half, load),
    (C::vload_halfn, load),
    (C::vloada_halfn, load),
    (C::vstoren, store),
    (C::vstore_half, store),
    (C::vstore_half_r, store),
    (C::vstore_halfn, store),
    (C::vstore_halfn_r, store),
    (C::vstorea_halfn, store),
    (C::vstorea_halfn_r, store),
    (C::shuffle, shuffle),
    (C::shuffle2, shuffle),
    (C::printf, printf),
    (C::prefetch, prefetch),
];

/// Whether something judges the instruction with this number.
#[cfg(test)]
pub(super) fn is_judged(number: u32) -> bool {
    SIGNATURES.get(number as usize).is_some_and(Option::is_some) || FURTHER.iter().any(|(n, _)| n.0 == number)
}

/// Instructions that store a second result through their last operand.
fn stores(cx: &mut Cx<'_>, ext: Ext<'_>, int: bool) -> Checked {
    let result = cx.result_key(ext.inst)?;
    ext.result(cx, result.is_float_scalar_or_vector(), "a floating-point number or a vector of them")?;
    let last = if C(ext.inst.word(4)) == C::remquo { 2 } else { 1 };
    for i in 0..last {
        let ty = cx.type_at(ext.inst, FIRST + i)?;
        ext.operand(cx, i, ty == ext.inst.id(1), "of the Result Type")?;
    }
    let (class, pointee) = ext.pointer(cx, last)?;
    ext.operand(cx, last, is_writable(class), "a pointer to Generic, CrossWorkgroup, Workgroup or Function")?;
    if pointee == Id(0) {
        return Ok(());
    }
    if int {
        let key = cx.m.key(pointee);
        let ok = key.is_int_scalar_or_vector() && key.width() == 32;
        ext.operand(cx, last, ok, "a pointer to 32-bit integers")?;
        ext.operand(
            cx,
            last,
            key.count() == result.count(),
            "a pointer to as many integers as the result has components",
        )
    } else {
        ext.operand(cx, last, pointee == ext.inst.id(1), "a pointer to the Result Type")
    }
}

fn is_writable(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Generic | StorageClass::CrossWorkgroup | StorageClass::Workgroup | StorageClass::Function
    )
}

fn upsample(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let result = cx.result_key(ext.inst)?;
    ext.result(cx, result.is_int_scalar_or_vector(), "an integer or a vector of integers")?;
    ext.result(cx, matches!(result.width(), 16 | 32 | 64), "integers of 16, 32 or 64 bits")?;
    let (hi, lo) = (cx.type_at(ext.inst, FIRST)?, cx.type_at(ext.inst, FIRST + 1)?);
    ext.operand(cx, 1, hi == lo, "of the type of hi")?;
    let key = cx.key(hi)?;
    let ok = key.is_int_scalar_or_vector() && key.count() == result.count();
    ext.operand(cx, 0, ok, "as many integers as the Result Type")?;
    ext.operand(cx, 0, key.width() * 2 == result.width(), "integers half as wide as the Result Type")
}

/// The addressing model is physical, and operand `i` is of the type `size_t`.
fn size_t(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize) -> Checked {
    let (name, model) = (ext.desc.name(), cx.m.addressing_model());
    let width = match model {
        AddressingModel::Physical32 => 32,
        AddressingModel::Physical64 => 64,
        _ => 0,
    };
    cx.check(width != 0, &PHYSICAL, ext.inst, || format!("{name} under the {model} addressing model"))?;
    let key = cx.key_at(ext.inst, FIRST + i)?;
    let must = if width == 32 { "a 32-bit integer scalar (size_t)" } else { "a 64-bit integer scalar (size_t)" };
    ext.operand(cx, i, key.is_int() && key.width() == width, must)
}

fn is_half(key: TypeKey) -> bool {
    key.is_scalar(Scalar::Float) && key.width() == 16
}

fn load(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let number = C(ext.inst.word(4));
    let result = cx.result_key(ext.inst)?;
    let vector = result.shape() == Shape::Vector;
    match number {
        C::vload_half => ext.result(cx, result.is_float(), "a floating-point scalar")?,
        C::vloadn => ext.result(
            cx,
            vector && matches!(result.component_class(), Scalar::Int | Scalar::Float),
            "a vector of integers or floats",
        )?,
        _ => ext.result(cx, vector && result.component_class() == Scalar::Float, "a vector of floats")?,
    }
    if number != C::vloadn {
        float(cx, ext)?;
    }
    size_t(cx, ext, 0)?;
    let (class, pointee) = ext.pointer(cx, 1)?;
    let readable = is_writable(class) || class == StorageClass::UniformConstant;
    ext.operand(cx, 1, readable, "a pointer to UniformConstant, Generic, CrossWorkgroup, Workgroup or Function")?;
    let key = cx.m.key(pointee);
    if pointee == Id(0) {
    } else if number == C::vloadn {
        ext.operand(cx, 1, key == result.component(), "a pointer to the Result Type's component type")?;
    } else {
        ext.operand(cx, 1, is_half(key), "a pointer to a 16-bit float")?;
    }
    if number != C::vload_half {
        let n = ext.inst.word(FIRST + 2);
        cx.check_at(n == result.count(), &super::OPERAND, ext.inst, FIRST + 2, || {
            format!("n is {n}, but the Result Type has {} components", result.count())
        })?;
    }
    Ok(())
}

fn store(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let number = C(ext.inst.word(4));
    ext.result(cx, cx.result_key(ext.inst)?.shape() == Shape::Void, "void")?;
    let data = cx.key_at(ext.inst, FIRST)?;
    let float = data.component_class() == Scalar::Float && matches!(data.width(), 32 | 64);
    match number {
        C::vstoren => {
            let ok = data.shape() == Shape::Vector && matches!(data.component_class(), Scalar::Int | Scalar::Float);
            ext.operand(cx, 0, ok, "a vector of integers or floats")?;
        }
        C::vstore_half | C::vstore_half_r => {
            ext.operand(cx, 0, float && data.shape() == Shape::Scalar, "a 32-bit or 64-bit float")?;
        }
        _ => ext.operand(cx, 0, float && data.shape() == Shape::Vector, "a vector of 32-bit or 64-bit floats")?,
    }
    size_t(cx, ext, 1)?;
    let (class, pointee) = ext.pointer(cx, 2)?;
    ext.operand(cx, 2, is_writable(class), "a pointer to Generic, CrossWorkgroup, Workgroup or Function")?;
    let key = cx.m.key(pointee);
    match number {
        _ if pointee == Id(0) => Ok(()),
        C::vstoren => ext.operand(cx, 2, key == data.component(), "a pointer to the type of data's components"),
        _ => ext.operand(cx, 2, is_half(key), "a pointer to a 16-bit float"),
    }
}

fn is_shuffled(key: TypeKey) -> bool {
    key.shape() == Shape::Vector && matches!(key.component_class(), Scalar::Int | Scalar::Float)
}

fn shuffle(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let sizes = |key: TypeKey| matches!(key.count(), 2 | 4 | 8 | 16);
    let result = cx.result_key(ext.inst)?;
    ext.result(cx, is_shuffled(result), "a vector of integers or floats")?;
    ext.result(cx, sizes(result), "a vector of 2, 4, 8 or 16 components")?;
    let x = cx.key_at(ext.inst, FIRST)?;
    ext.operand(cx, 0, is_shuffled(x), "a vector of integers or floats")?;
    ext.operand(cx, 0, sizes(x), "a vector of 2, 4, 8 or 16 components")?;
    ext.operand(cx, 0, x.component() == result.component(), "a vector with the Result Type's component type")?;
    let mask = if C(ext.inst.word(4)) == C::shuffle2 {
        let (x, y) = (cx.type_at(ext.inst, FIRST)?, cx.type_at(ext.inst, FIRST + 1)?);
        ext.operand(cx, 1, x == y, "of the type of x")?;
        2
    } else {
        1
    };
    let key = cx.key_at(ext.inst, FIRST + mask)?;
    let ints = key.shape() == Shape::Vector && key.component_class() == Scalar::Int;
    ext.operand(cx, mask, ints, "a vector of integers")?;
    ext.operand(cx, mask, key.count() == result.count(), "a vector with as many components as the Result Type")?;
    ext.operand(cx, mask, key.width() == result.width(), "a vector of integers as wide as the Result Type's components")
}

fn printf(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let result = cx.result_key(ext.inst)?;
    ext.result(cx, result.is_int() && result.width() == 32, "a 32-bit integer")?;
    let (class, pointee) = ext.pointer(cx, 0)?;
    if cx.declares("SPV_EXT_relaxed_printf_string_address_space") {
        let ok = is_writable(class) || class == StorageClass::UniformConstant;
        ext.operand(cx, 0, ok, "a pointer to UniformConstant, Generic, CrossWorkgroup, Workgroup or Function")?;
    } else {
        ext.operand(cx, 0, class == StorageClass::UniformConstant, "a pointer to UniformConstant")?;
    }
    let element = match cx.m.ty(pointee) {
        // A pointer to the string as a whole is what OpenCL C compilers make of it.
        Some(spirula_module::Type::Array { element, .. }) => element,
        _ => pointee,
    };
    let key = cx.m.key(element);
    ext.operand(cx, 0, pointee == Id(0) || key.is_int() && key.width() == 8, "a pointer to 8-bit integers")
}

fn prefetch(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    ext.result(cx, cx.result_key(ext.inst)?.shape() == Shape::Void, "void")?;
    let (class, pointee) = ext.pointer(cx, 0)?;
    ext.operand(cx, 0, class == StorageClass::CrossWorkgroup, "a pointer to CrossWorkgroup")?;
    let key = cx.m.key(pointee);
    let data = key.is_int_scalar_or_vector() || key.is_float_scalar_or_vector();
    ext.operand(cx, 0, data || pointee == Id(0), "a pointer to an integer or float, or a vector of them")?;
    size_t(cx, ext, 1)
}
