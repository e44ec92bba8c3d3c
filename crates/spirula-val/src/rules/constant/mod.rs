//! Constants (§3.3.7).

mod composite;
mod spec_op;

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Decoration, Op, SamplerAddressingMode};
use spirula_module::{Scalar, Shape, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::Parts;
use crate::signature::describe;

pub(crate) use composite::RULES as COMPOSITE_RULES;
pub(crate) use spec_op::RULES as SPEC_OP_RULES;

rules! {
    group "constants";
    /// True and false are constants of Boolean type.
    BOOL: "constant-bool", spec "OpConstantTrue";
    /// A constant sampler has sampler type, and its Param is 0 or 1: whether coordinates are normalized.
    SAMPLER: "constant-sampler", spec "OpConstantSampler";
    /// Only normalized coordinates can be repeated: Repeat and RepeatMirrored go with Param 1. A warning, since OpenCL
    /// lets such samplers be written, and leaves undefined what they give.
    COORDINATES: "constant-sampler-coordinates", warn spec "§3.2.8";
    /// Only numbers, Booleans, pointers, events, queues and composites of these have a null value.
    NULL: "constant-null", spec "OpConstantNull";
    /// A pointer to the PhysicalStorageBuffer storage class has no null constant; compare its address with 0 instead.
    NULL_PHYSICAL: "constant-null-physical", spec "§2.16.1";
    /// Constant data is an array of integers without ArrayStride, packed into as many words as they need.
    DATA: "constant-data", extension "SPV_KHR_constant_data";
    /// The size of a descriptor type is a 32-bit or 64-bit integer.
    SIZE_OF: "constant-size-of", extension "SPV_EXT_descriptor_heap";
}

pub(crate) const TABLE: Table = rule_table! {
    ConstantTrue | ConstantFalse | SpecConstantTrue | SpecConstantFalse => boolean;
    ConstantSampler => sampler;
    ConstantNull => null;
    ConstantComposite | SpecConstantComposite => composite::composite;
    ConstantCompositeReplicateEXT | SpecConstantCompositeReplicateEXT => composite::replicate;
    SpecConstantOp => spec_op::spec_constant_op;
    ConstantSizeOfEXT => size_of;
    ConstantDataKHR | SpecConstantDataKHR => data;
};

fn boolean<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    cx.check_at(key.is_bool(), &BOOL, inst, 1, || {
        format!("the Result Type {} of {} is not a Boolean type", inst.id(1), inst.op())
    })
}

fn sampler<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ok = cx.m.info(inst.id(1)).op == Op::TypeSampler;
    cx.check_at(ok, &SAMPLER, inst, 1, || format!("the Result Type {} is not OpTypeSampler", inst.id(1)))?;
    let (mode, param) = (SamplerAddressingMode(inst.word(3)), inst.word(4));
    cx.check_at(param <= 1, &SAMPLER, inst, 4, || format!("Param is {param}, not 0 or 1"))?;
    let repeats = matches!(mode, SamplerAddressingMode::Repeat | SamplerAddressingMode::RepeatMirrored);
    cx.check_at(param == 1 || !repeats, &COORDINATES, inst, 3, || {
        format!("{mode} needs normalized coordinates, but Param is 0")
    })
}

fn null<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ty = inst.id(1);
    cx.key(ty)?;
    let (m, parts) = (cx.m, cx.parts(ty));
    cx.check_at(!parts.any(Parts::PHYSICAL_STORAGE), &NULL_PHYSICAL, inst, 1, || {
        msg(format!("{ty} is or contains a pointer to PhysicalStorageBuffer, which has no null value"))
            .declared(m, ty)
            .help("use OpConvertUToPtr of a 64-bit 0")
    })?;
    let ok = !parts.any(Parts::NO_NULL) && !crate::rules::tensor::is_without_shape(cx, ty);
    cx.check_at(ok, &NULL, inst, 1, || msg(format!("the Result Type {ty} has no null value")).declared(m, ty))
}

fn size_of<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    let ok = key.shape() == Shape::Scalar && key.component_class() == Scalar::Int && matches!(key.width(), 32 | 64);
    cx.check_at(ok, &SIZE_OF, inst, 1, || format!("the Result Type {} is not a 32-bit or 64-bit integer", inst.id(1)))?;
    let ty = inst.id(3);
    cx.def(ty)?;
    let m = cx.m;
    let ok = matches!(
        m.info(ty).op,
        Op::TypeImage
            | Op::TypeSampler
            | Op::TypeBufferEXT
            | Op::TypeAccelerationStructureKHR
            | Op::TypeTensorARM
            | Op::TypeSampledImage
    );
    cx.check_at(ok, &SIZE_OF, inst, 3, || msg(format!("{ty} is not the type of a descriptor")).declared(m, ty))
}

fn data<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, ty) = (cx.m, inst.id(1));
    cx.key(ty)?;
    let element = match m.ty(ty) {
        Some(Type::Array { element, length }) if m.key(element).is_int() => Some((m.key(element), length)),
        _ => None,
    };
    let Some((element, length)) = element else {
        return cx.fail_at(&DATA, inst, 1, || {
            msg(format!("the Result Type {} is not an array of integers", describe(m, ty))).declared(m, ty)
        });
    };
    let stride = m.is_decorated(ty, Decoration::ArrayStride);
    cx.check_at(!stride, &DATA, inst, 1, || {
        msg(format!("the Result Type {ty} is decorated ArrayStride")).declared(m, ty)
    })?;
    let has = inst.tail(3).len() as u64;
    cx.check(has > 0, &DATA, inst, || "there is no data")?;
    let Some(length) = m.fixed_u32(length) else { return Ok(()) };
    let needs = (u64::from(length) * u64::from(element.width())).div_ceil(32);
    cx.check(has == needs, &DATA, inst, || {
        format!("{has} words of data, but {length} integers of {} bits need {needs}", element.width())
    })
}
