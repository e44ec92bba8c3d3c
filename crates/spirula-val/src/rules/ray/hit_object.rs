//! Hit objects and thread reordering (SPV_EXT_shader_invocation_reorder, SPV_NV_shader_invocation_reorder).

use spirula_binary::Inst;
use spirula_diag::Checked;
use spirula_grammar::{ExecutionModel, Op, StorageClass};

use super::query::RAY_QUERY;
use super::{ACCELERATION_STRUCTURE, DATA, HINT_BITS, PAYLOAD, RAY, TRACING, flags, only, ray, time, variable};
use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operand, operands, result};

const EXT: Is = Is::PointerTo(Op::TypeHitObjectEXT);
const NV: Is = Is::PointerTo(Op::TypeHitObjectNV);
const ATTRIBUTE_EXT: &[StorageClass] = &[StorageClass::HitObjectAttributeEXT];
const ATTRIBUTE_NV: &[StorageClass] = &[StorageClass::HitObjectAttributeNV];
/// Acceleration structure, Ray Flags, Cull Mask, SBT Offset and Stride, Miss Index.
const TRACE: &[Is] = &[ACCELERATION_STRUCTURE, Is::Int32, Is::UInt32, Is::UInt32, Is::UInt32, Is::UInt32];
/// Hint and Bits.
const HINT: &[Is] = &[Is::Int32, Is::Int32];

pub(crate) const TABLE: Table = rule_table! {
    HitObjectIsEmptyEXT | HitObjectIsHitEXT | HitObjectIsMissEXT => |cx, inst| get(cx, inst, EXT, Is::Bool);
    HitObjectIsEmptyNV | HitObjectIsHitNV | HitObjectIsMissNV => |cx, inst| get(cx, inst, NV, Is::Bool);
    HitObjectIsSphereHitNV | HitObjectIsLSSHitNV => |cx, inst| get(cx, inst, NV, Is::Bool);
    HitObjectGetHitKindEXT | HitObjectGetPrimitiveIndexEXT => |cx, inst| get(cx, inst, EXT, Is::Int32);
    HitObjectGetGeometryIndexEXT | HitObjectGetInstanceIdEXT => |cx, inst| get(cx, inst, EXT, Is::Int32);
    HitObjectGetInstanceCustomIndexEXT | HitObjectGetRayFlagsEXT => |cx, inst| get(cx, inst, EXT, Is::Int32);
    HitObjectGetShaderBindingTableRecordIndexEXT => |cx, inst| get(cx, inst, EXT, Is::Int32);
    HitObjectGetHitKindNV | HitObjectGetPrimitiveIndexNV => |cx, inst| get(cx, inst, NV, Is::Int32);
    HitObjectGetGeometryIndexNV | HitObjectGetInstanceIdNV => |cx, inst| get(cx, inst, NV, Is::Int32);
    HitObjectGetInstanceCustomIndexNV | HitObjectGetClusterIdNV => |cx, inst| get(cx, inst, NV, Is::Int32);
    HitObjectGetShaderBindingTableRecordIndexNV => |cx, inst| get(cx, inst, NV, Is::Int32);
    HitObjectGetCurrentTimeEXT | HitObjectGetRayTMinEXT | HitObjectGetRayTMaxEXT => |cx, inst| get(cx, inst, EXT, Is::Float32);
    HitObjectGetCurrentTimeNV | HitObjectGetRayTMinNV | HitObjectGetRayTMaxNV => |cx, inst| get(cx, inst, NV, Is::Float32);
    HitObjectGetSphereRadiusNV => |cx, inst| get(cx, inst, NV, Is::Float32);
    HitObjectGetObjectRayOriginEXT | HitObjectGetObjectRayDirectionEXT => |cx, inst| get(cx, inst, EXT, Is::Float32x3);
    HitObjectGetWorldRayOriginEXT | HitObjectGetWorldRayDirectionEXT => |cx, inst| get(cx, inst, EXT, Is::Float32x3);
    HitObjectGetObjectRayOriginNV | HitObjectGetObjectRayDirectionNV => |cx, inst| get(cx, inst, NV, Is::Float32x3);
    HitObjectGetWorldRayOriginNV | HitObjectGetWorldRayDirectionNV => |cx, inst| get(cx, inst, NV, Is::Float32x3);
    HitObjectGetSpherePositionNV => |cx, inst| get(cx, inst, NV, Is::Float32x3);
    HitObjectGetObjectToWorldEXT | HitObjectGetWorldToObjectEXT => |cx, inst| get(cx, inst, EXT, Is::Float32x3x4);
    HitObjectGetObjectToWorldNV | HitObjectGetWorldToObjectNV => |cx, inst| get(cx, inst, NV, Is::Float32x3x4);
    HitObjectGetIntersectionTriangleVertexPositionsEXT => |cx, inst| get(cx, inst, EXT, Is::ThreeFloat32x3);
    HitObjectGetLSSPositionsNV => |cx, inst| get(cx, inst, NV, Is::TwoFloat32x3);
    HitObjectGetLSSRadiiNV => |cx, inst| get(cx, inst, NV, Is::TwoFloat32);
    HitObjectGetShaderRecordBufferHandleEXT => |cx, inst| get(cx, inst, EXT, Is::Int32x2);
    HitObjectGetShaderRecordBufferHandleNV => |cx, inst| get(cx, inst, NV, Is::Int32x2);
    HitObjectRecordEmptyEXT => |cx, inst| on(cx, inst, EXT);
    HitObjectRecordEmptyNV => |cx, inst| on(cx, inst, NV);
    HitObjectGetAttributesEXT => |cx, inst| attributes(cx, inst, EXT, ATTRIBUTE_EXT);
    HitObjectGetAttributesNV => |cx, inst| attributes(cx, inst, NV, ATTRIBUTE_NV);
    HitObjectSetShaderBindingTableRecordIndexEXT => set_record_index;
    HitObjectExecuteShaderEXT => |cx, inst| execute(cx, inst, EXT);
    HitObjectExecuteShaderNV => |cx, inst| execute(cx, inst, NV);
    HitObjectReorderExecuteShaderEXT => reorder_execute;
    ReorderThreadWithHintEXT | ReorderThreadWithHintNV => reorder_hint;
    ReorderThreadWithHitObjectEXT => |cx, inst| reorder(cx, inst, EXT);
    ReorderThreadWithHitObjectNV => |cx, inst| reorder(cx, inst, NV);
    HitObjectTraceRayEXT => |cx, inst| trace(cx, inst, EXT, false);
    HitObjectTraceRayNV => |cx, inst| trace(cx, inst, NV, false);
    HitObjectTraceRayMotionEXT => |cx, inst| trace(cx, inst, EXT, true);
    HitObjectTraceRayMotionNV => |cx, inst| trace(cx, inst, NV, true);
    HitObjectTraceReorderExecuteEXT => |cx, inst| trace_reorder(cx, inst, false);
    HitObjectTraceMotionReorderExecuteEXT => |cx, inst| trace_reorder(cx, inst, true);
    HitObjectRecordFromQueryEXT => record_from_query;
    HitObjectRecordMissEXT | HitObjectRecordMissMotionEXT => record_miss;
    HitObjectRecordMissNV | HitObjectRecordMissMotionNV => record_miss_nv;
    HitObjectRecordHitNV | HitObjectRecordHitMotionNV => record_hit;
    HitObjectRecordHitWithIndexNV | HitObjectRecordHitWithIndexMotionNV => record_hit_with_index;
};

/// A query for a value of the hit object at word 3.
fn get<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, object: Is, value: Is) -> Checked {
    only(cx, inst, TRACING)?;
    operand(cx, inst, 3, object)?;
    result(cx, inst, value)
}

/// The hit object at word 1.
fn on<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, object: Is) -> Checked {
    only(cx, inst, TRACING)?;
    operand(cx, inst, 1, object)
}

fn attributes<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, object: Is, classes: &[StorageClass]) -> Checked {
    on(cx, inst, object)?;
    variable(cx, inst, 2, &DATA, classes)
}

fn set_record_index<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    on(cx, inst, EXT)?;
    operand(cx, inst, 2, Is::Int32)
}

fn execute<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, object: Is) -> Checked {
    on(cx, inst, object)?;
    variable(cx, inst, 2, &DATA, PAYLOAD)
}

fn generation<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, &[ExecutionModel::RayGenerationKHR])
}

fn reorder_execute<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    generation(cx, inst)?;
    execute(cx, inst, EXT)?;
    hint(cx, inst, 3)
}

/// Hint and Bits at the end of an instruction, or neither.
fn hint<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    cx.check(inst.words().len() != word + 1, &HINT_BITS, inst, || "a hint without the number of its bits")?;
    operands(cx, inst, word, HINT)
}

fn reorder_hint<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    generation(cx, inst)?;
    operands(cx, inst, 1, HINT)
}

fn reorder<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, object: Is) -> Checked {
    generation(cx, inst)?;
    operand(cx, inst, 1, object)?;
    hint(cx, inst, 2)
}

/// Traces a ray into a hit object. Returns, by its error, whether that was fine.
fn trace<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, object: Is, motion: bool) -> Checked {
    on(cx, inst, object)?;
    operands(cx, inst, 2, TRACE)?;
    flags(cx, inst, 3)?;
    ray(cx, inst, 8)?;
    if motion {
        time(cx, inst, 12)?;
    }
    variable(cx, inst, 12 + usize::from(motion), &DATA, PAYLOAD)
}

fn trace_reorder<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, motion: bool) -> Checked {
    generation(cx, inst)?;
    trace(cx, inst, EXT, motion)?;
    hint(cx, inst, 13 + usize::from(motion))
}

fn record_from_query<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    on(cx, inst, EXT)?;
    operands(cx, inst, 2, &[RAY_QUERY, Is::Int32])?;
    variable(cx, inst, 4, &DATA, ATTRIBUTE_EXT)?;
    operands(cx, inst, 5, &[Is::UInt32])
}

/// Hit Object, Ray Flags, Miss Index, the ray, and Current Time where there is motion.
fn record_miss<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    on(cx, inst, EXT)?;
    operands(cx, inst, 2, &[Is::Int32, Is::UInt32])?;
    flags(cx, inst, 2)?;
    operands(cx, inst, 4, RAY)?;
    operands(cx, inst, 8, &[Is::Float32])
}

/// Hit Object, SBT Index, the ray, and Current Time where there is motion.
fn record_miss_nv<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    on(cx, inst, NV)?;
    operand(cx, inst, 2, Is::UInt32)?;
    operands(cx, inst, 3, RAY)?;
    operands(cx, inst, 7, &[Is::Float32])
}

/// Acceleration Structure, Instance Id, Primitive Id, Geometry Index, Hit Kind.
const HIT: &[Is] = &[Is::Type(Op::TypeAccelerationStructureKHR), Is::Int32, Is::Int32, Is::Int32, Is::UInt32];

fn record_hit<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    on(cx, inst, NV)?;
    operands(cx, inst, 2, HIT)?;
    operands(cx, inst, 7, &[Is::UInt32, Is::UInt32])?;
    ray_and_attributes(cx, inst, 9, inst.op() == Op::HitObjectRecordHitMotionNV)
}

fn record_hit_with_index<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    on(cx, inst, NV)?;
    operands(cx, inst, 2, HIT)?;
    operand(cx, inst, 7, Is::UInt32)?;
    ray_and_attributes(cx, inst, 8, inst.op() == Op::HitObjectRecordHitWithIndexMotionNV)
}

/// The ray from `word` on, Current Time where there is motion, and the attributes.
fn ray_and_attributes<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, motion: bool) -> Checked {
    operands(cx, inst, word, RAY)?;
    if motion {
        operand(cx, inst, word + 4, Is::Float32)?;
    }
    variable(cx, inst, word + 4 + usize::from(motion), &DATA, ATTRIBUTE_NV)
}
