//! Ray tracing (SPV_KHR_ray_tracing, SPV_NV_ray_tracing, motion blur, displacement micromaps).

mod hit_object;
mod query;
mod values;

use alloc::format;
use alloc::string::String;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, ExecutionMode, ExecutionModel, Op, RayFlags, StorageClass};
use spirula_module::ModelSet;

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, name_of, operand, operands, result};
use crate::rules::vulkan::resources::class_models;

pub(crate) use hit_object::TABLE as HIT_OBJECT_TABLE;
pub(crate) use query::{RULES as QUERY_RULES, TABLE as QUERY_TABLE};
pub(crate) use values::RULES as VALUE_RULES;

rules! {
    group "ray";
    /// Each ray tracing instruction is for the stages that its extension lists.
    MODEL: "ray-model", extension "SPV_KHR_ray_tracing";
    /// Payload, callable data and attributes are variables in the storage classes meant for them.
    DATA: "ray-data", extension "SPV_KHR_ray_tracing";
    /// A payload that is named by number is a constant.
    DATA_ID: "ray-data-id", extension "SPV_NV_ray_tracing";
    /// A hint for reordering comes with the number of its bits.
    HINT_BITS: "ray-reorder-hint", extension "SPV_EXT_shader_invocation_reorder";
    /// The ray flag ForceOpacityMicromap2StateKHR needs the capability RayTracingOpacityMicromapKHR.
    MICROMAP_FLAG: "ray-micromap-flag", extension "SPV_KHR_opacity_micromap";
    /// Whether micromaps are used is said by a Boolean constant.
    MICROMAP_MODE: "opacity-micromap-mode", extension "SPV_KHR_opacity_micromap";
}

pub(crate) const TABLE: Table = rule_table! {
    TraceRayKHR | TraceRayMotionNV | TraceNV | TraceMotionNV => trace;
    ExecuteCallableKHR | ExecuteCallableNV => execute_callable;
    ReportIntersectionKHR => report_intersection;
    IgnoreIntersectionKHR | TerminateRayKHR | IgnoreIntersectionNV | TerminateRayNV => any_hit;
    FetchMicroTriangleVertexPositionNV | FetchMicroTriangleVertexBarycentricNV => micro_triangle;
};

const ACCELERATION_STRUCTURE: Is = Is::Type(Op::TypeAccelerationStructureKHR);

/// Acceleration Structure, Ray Flags, Cull Mask, SBT Offset, SBT Stride, Miss Index.
const TRACE: &[Is] = &[ACCELERATION_STRUCTURE, Is::Int32, Is::Int32, Is::Int32, Is::Int32, Is::Int32];
/// Ray Origin, Ray Tmin, Ray Direction, Ray Tmax.
const RAY: &[Is] = &[Is::Float32x3, Is::Float32, Is::Float32x3, Is::Float32];
const PAYLOAD: &[StorageClass] = &[StorageClass::RayPayloadKHR, StorageClass::IncomingRayPayloadKHR];
const CALLABLE: &[StorageClass] = &[StorageClass::CallableDataKHR, StorageClass::IncomingCallableDataKHR];

/// Stages that trace rays.
const TRACING: &[ExecutionModel] =
    &[ExecutionModel::RayGenerationKHR, ExecutionModel::ClosestHitKHR, ExecutionModel::MissKHR];

fn only<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, models: &[ExecutionModel]) -> Checked {
    cx.check_models(ModelSet::of(models), &MODEL, inst, |others| {
        format!("{} is for {}, but {others} reaches it", inst.op(), ModelSet::of(models))
    })
}

/// The operand at `word` is an `OpVariable` in one of the storage classes.
pub(crate) fn variable<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    rule: &'static Rule,
    classes: &[StorageClass],
) -> Checked {
    let (m, id) = (cx.m, inst.id(word));
    let def = cx.def_at(inst, word)?;
    // Both have their storage class at word 3.
    let is_variable = matches!(def.op(), Op::Variable | Op::UntypedVariableKHR);
    let fits = is_variable && classes.contains(&StorageClass(def.word(3)));
    cx.check_at(fits, rule, inst, word, || {
        let mut wanted = String::new();
        for (i, class) in classes.iter().enumerate() {
            wanted.push_str(if i == 0 { "" } else { " or " });
            wanted.push_str(&format!("{class}"));
        }
        let is = if is_variable { format!("in {}", StorageClass(def.word(3))) } else { format!("of {}", def.op()) };
        msg(format!("{} {id} is a result {is}, but must be a variable in {wanted}", name_of(inst, word)))
            .declared(m, id)
    })?;
    if cx.env.is_vulkan() { class_models(cx, inst, word) } else { Ok(()) }
}

/// The operand at `word` is a constant that numbers a payload.
fn payload_id<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    operand(cx, inst, word, Is::Int32)?;
    let (m, id) = (cx.m, inst.id(word));
    cx.check_at(m.info(id).is_constant(), &DATA_ID, inst, word, || {
        format!("{} {id} is the result of {}, no constant instruction", name_of(inst, word), m.info(id).op)
    })
}

/// A constant Ray Flags at `word` has no bit whose capability is missing, nor bits that exclude one another.
fn flags<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let Some(value) = cx.m.fixed_u32(inst.id(word)) else { return Ok(()) };
    let micromap = value & RayFlags::ForceOpacityMicromap2StateKHR.0 != 0;
    let has = cx.has(Capability::RayTracingOpacityMicromapKHR)
        && (cx.has(Capability::RayQueryKHR) || cx.has(Capability::RayTracingKHR));
    cx.check_at(
        !micromap || has,
        &MICROMAP_FLAG,
        inst,
        word,
        || "ForceOpacityMicromap2StateKHR needs RayTracingOpacityMicromapKHR, and RayQueryKHR or RayTracingKHR",
    )?;
    values::flags(cx, inst, word, value)
}

/// Ray Origin, Ray Tmin, Ray Direction, Ray Tmax from `word` on.
fn ray<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    operands(cx, inst, word, RAY)?;
    values::ray(cx, inst, word)
}

/// Current Time at `word`.
fn time<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    operand(cx, inst, word, Is::Float32)?;
    values::time(cx, inst, word)
}

fn trace<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, TRACING)?;
    operands(cx, inst, 1, TRACE)?;
    flags(cx, inst, 2)?;
    ray(cx, inst, 7)?;
    let moving = matches!(inst.op(), Op::TraceRayMotionNV | Op::TraceMotionNV);
    if moving {
        time(cx, inst, 11)?;
    }
    let payload = if moving { 12 } else { 11 };
    match inst.op() {
        Op::TraceNV | Op::TraceMotionNV => payload_id(cx, inst, payload),
        _ => variable(cx, inst, payload, &DATA, PAYLOAD),
    }
}

fn execute_callable<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    use ExecutionModel as E;
    only(cx, inst, &[E::RayGenerationKHR, E::ClosestHitKHR, E::MissKHR, E::CallableKHR])?;
    if inst.op() == Op::ExecuteCallableNV {
        operand(cx, inst, 1, Is::Int32)?;
        return payload_id(cx, inst, 2);
    }
    operand(cx, inst, 1, Is::UInt32)?;
    variable(cx, inst, 2, &DATA, CALLABLE)
}

fn report_intersection<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, &[ExecutionModel::IntersectionKHR])?;
    result(cx, inst, Is::Bool)?;
    operands(cx, inst, 3, &[Is::Float32, Is::UInt32])?;
    values::hit_kind(cx, inst, 4)
}

fn any_hit<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, &[ExecutionModel::AnyHitKHR])
}

fn micro_triangle<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    use ExecutionModel as E;
    only(cx, inst, &[E::RayGenerationKHR, E::MeshNV, E::MeshEXT, E::GLCompute])?;
    let position = inst.op() == Op::FetchMicroTriangleVertexPositionNV;
    result(cx, inst, if position { Is::Float32x3 } else { Is::Float32x2 })?;
    operands(cx, inst, 3, &[ACCELERATION_STRUCTURE, Is::Int32, Is::Int32, Is::Int32, Is::Int32x2])
}

/// Judges the execution mode for opacity micromaps.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    let is = |i: &Inst<'_>| ExecutionMode(i.word(2)) == ExecutionMode::OpacityMicromapIdKHR;
    for mode in m.execution_mode_insts().filter(is) {
        let id = mode.id(3);
        let info = m.info(id);
        let fits = info.is_constant() && m.key(info.ty).is_bool() || !info.is_defined();
        cx.check_at(fits, &MICROMAP_MODE, mode, 3, || {
            msg(format!("OpacityMicromapIdKHR takes a Boolean constant, but {id} is none")).declared(m, id)
        })
        .ok();
    }
}
