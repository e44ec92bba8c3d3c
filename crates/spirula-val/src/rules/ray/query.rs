//! Ray queries (SPV_KHR_ray_query and what extends it).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Op, RayQueryIntersection};

use super::{ACCELERATION_STRUCTURE, flags, ray};
use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operand, operands, result};

rules! {
    group "ray";
    /// Intersection is the result of a constant instruction: the candidate or the committed one.
    INTERSECTION: "ray-query-intersection", extension "SPV_KHR_ray_query";
}

pub(crate) const TABLE: Table = rule_table! {
    RayQueryInitializeKHR => initialize;
    RayQueryTerminateKHR | RayQueryConfirmIntersectionKHR => query_only;
    RayQueryGenerateIntersectionKHR => generate;
    RayQueryProceedKHR => |cx, inst| get(cx, inst, Is::Bool);
    RayQueryGetIntersectionCandidateAABBOpaqueKHR => |cx, inst| get(cx, inst, Is::Bool);
    RayQueryGetIntersectionFrontFaceKHR | RayQueryIsSphereHitNV | RayQueryIsLSSHitNV => |cx, inst| get(cx, inst, Is::Bool);
    RayQueryGetRayTMinKHR | RayQueryGetIntersectionTKHR => |cx, inst| get(cx, inst, Is::Float32);
    RayQueryGetIntersectionSphereRadiusNV | RayQueryGetIntersectionLSSHitValueNV => |cx, inst| get(cx, inst, Is::Float32);
    RayQueryGetRayFlagsKHR | RayQueryGetIntersectionTypeKHR => |cx, inst| get(cx, inst, Is::Int32);
    RayQueryGetIntersectionInstanceCustomIndexKHR => |cx, inst| get(cx, inst, Is::Int32);
    RayQueryGetIntersectionInstanceIdKHR => |cx, inst| get(cx, inst, Is::Int32);
    RayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR => |cx, inst| get(cx, inst, Is::Int32);
    RayQueryGetIntersectionGeometryIndexKHR => |cx, inst| get(cx, inst, Is::Int32);
    RayQueryGetIntersectionPrimitiveIndexKHR | RayQueryGetIntersectionClusterIdNV => |cx, inst| get(cx, inst, Is::Int32);
    RayQueryGetIntersectionBarycentricsKHR => |cx, inst| get(cx, inst, Is::Float32x2);
    RayQueryGetIntersectionObjectRayDirectionKHR => |cx, inst| get(cx, inst, Is::Float32x3);
    RayQueryGetIntersectionObjectRayOriginKHR => |cx, inst| get(cx, inst, Is::Float32x3);
    RayQueryGetWorldRayDirectionKHR | RayQueryGetWorldRayOriginKHR => |cx, inst| get(cx, inst, Is::Float32x3);
    RayQueryGetIntersectionSpherePositionNV => |cx, inst| get(cx, inst, Is::Float32x3);
    RayQueryGetIntersectionObjectToWorldKHR => |cx, inst| get(cx, inst, Is::Float32x3x4);
    RayQueryGetIntersectionWorldToObjectKHR => |cx, inst| get(cx, inst, Is::Float32x3x4);
    RayQueryGetIntersectionTriangleVertexPositionsKHR => |cx, inst| get(cx, inst, Is::ThreeFloat32x3);
    RayQueryGetIntersectionLSSPositionsNV => |cx, inst| get(cx, inst, Is::TwoFloat32x3);
    RayQueryGetIntersectionLSSRadiiNV => |cx, inst| get(cx, inst, Is::TwoFloat32);
};

pub(super) const RAY_QUERY: Is = Is::PointerTo(Op::TypeRayQueryKHR);

fn query_only<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operand(cx, inst, 1, RAY_QUERY)
}

fn initialize<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operands(cx, inst, 1, &[RAY_QUERY, ACCELERATION_STRUCTURE, Is::Int32, Is::Int32])?;
    flags(cx, inst, 3)?;
    ray(cx, inst, 5)
}

fn generate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operands(cx, inst, 1, &[RAY_QUERY, Is::Float32])
}

/// A query for a value; where the instruction has a further operand, that says of which intersection.
fn get<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, value: Is) -> Checked {
    operand(cx, inst, 3, RAY_QUERY)?;
    if inst.words().len() > 4 {
        operand(cx, inst, 4, Is::Int32)?;
        let (m, id) = (cx.m, inst.id(4));
        cx.check_at(m.info(id).is_constant(), &INTERSECTION, inst, 4, || {
            msg(format!("Intersection {id} is the result of {}, no constant instruction", m.info(id).op))
                .declared(m, id)
        })?;
        let value = m.fixed_u32(id);
        cx.check_at(
            value.is_none_or(|v| v <= RayQueryIntersection::RayQueryCommittedIntersectionKHR.0),
            &INTERSECTION,
            inst,
            4,
            || msg(format!("Intersection {id} is {}", value.unwrap_or(0))).declared(m, id),
        )?;
    }
    result(cx, inst, value)
}
