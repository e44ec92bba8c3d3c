//! Mesh shading (SPV_EXT_mesh_shader, SPV_NV_mesh_shader).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, Site, rules};
use spirula_grammar::{ExecutionMode, ExecutionModel, StorageClass};
use spirula_module::{EntryPoint, ModelSet};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, operands};
use crate::rules::ray::variable;
use crate::rules::reach::{Later, Needs};

rules! {
    group "mesh";
    /// Task shaders emit mesh tasks, mesh shaders set their outputs.
    MODEL: "mesh-model", extension "SPV_EXT_mesh_shader";
    /// The Payload of OpEmitMeshTasksEXT is a variable in the TaskPayloadWorkgroupEXT storage class.
    PAYLOAD: "mesh-payload", extension "SPV_EXT_mesh_shader";
    /// An entry point has at most one variable in the TaskPayloadWorkgroupEXT storage class in its interface.
    ONE_PAYLOAD: "mesh-one-payload", extension "SPV_EXT_mesh_shader";
    /// A mesh shader does not set more vertices than its execution mode OutputVertices allows.
    VERTICES: "mesh-vertex-count", extension "SPV_EXT_mesh_shader";
    /// A mesh shader does not set more primitives than its execution mode OutputPrimitivesEXT allows.
    PRIMITIVES: "mesh-primitive-count", extension "SPV_EXT_mesh_shader";
    /// Mesh shaders do not read their outputs.
    READ_OUTPUT: "vulkan-mesh-read-output", vuid "VUID-StandaloneSpirv-MeshEXT-07107";
}

pub(crate) const TABLE: Table = rule_table! {
    EmitMeshTasksEXT => emit_tasks;
    SetMeshOutputsEXT => set_outputs;
    WritePackedPrimitiveIndices4x8NV => write_packed;
};

/// Vulkan's further rules.
pub(crate) const VULKAN: Table = rule_table! {
    Load | AtomicLoad => read;
};

fn only<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, model: ExecutionModel) -> Checked {
    cx.check_models(ModelSet::EMPTY.with(model), &MODEL, inst, |models| {
        format!("{} is for {model}, but {models} reaches it", inst.op())
    })
}

fn emit_tasks<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, ExecutionModel::TaskEXT)?;
    operands(cx, inst, 1, &[Is::UInt32, Is::UInt32, Is::UInt32])?;
    if inst.words().len() > 4 {
        variable(cx, inst, 4, &PAYLOAD, &[StorageClass::TaskPayloadWorkgroupEXT])?;
    }
    Ok(())
}

fn set_outputs<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, ExecutionModel::MeshEXT)?;
    operands(cx, inst, 1, &[Is::UInt32, Is::UInt32])?;
    let known = |word| cx.m.fixed_u32(inst.id(word)).is_some();
    if known(1) || known(2) {
        cx.later(Needs::MeshCounts, inst);
    }
    Ok(())
}

fn write_packed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    only(cx, inst, ExecutionModel::MeshNV)?;
    operands(cx, inst, 1, &[Is::UInt32, Is::UInt32])
}

/// The constant counts of an `OpSetMeshOutputsEXT`, next to the limits of an entry point that reaches it.
pub(crate) fn counts<'a>(cx: &mut Cx<'a>, at: Later, e: EntryPoint<'a>) -> Checked {
    let Some(inst) = cx.m.inst_at(at.inst) else { return Ok(()) };
    let vertices = count(cx, inst, 1, e, (ExecutionMode::OutputVertices, &VERTICES));
    let primitives = count(cx, inst, 2, e, (ExecutionMode::OutputPrimitivesEXT, &PRIMITIVES));
    vertices.and(primitives)
}

fn count<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    e: EntryPoint<'a>,
    (mode, rule): (ExecutionMode, &'static Rule),
) -> Checked {
    let limit = cx.m.execution_modes(e.function).find(|(m, _)| *m == mode);
    let (Some(count), Some((_, limit))) = (cx.m.fixed_u32(inst.id(word)), limit) else { return Ok(()) };
    cx.check_at(count <= limit.word(3), rule, inst, word, || {
        msg(format!("the count {count} is above the entry point's {mode} {}", limit.word(3)))
            .note(Site::at(limit.offset()), "declared here")
    })
}

fn read<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ty = cx.type_at(inst, 3)?;
    let output = cx.m.pointer(ty).is_some_and(|p| p.0 == StorageClass::Output);
    if !output || !cx.models_here().contains(ExecutionModel::MeshEXT) {
        return Ok(());
    }
    cx.fail_at(&READ_OUTPUT, inst, 3, || format!("{} points into Output, which mesh shaders do not read", inst.id(3)))
}

/// Entry points have one payload at most.
pub(crate) fn module(cx: &mut Cx<'_>) {
    use ExecutionModel as E;
    for e in cx.m.entry_points().filter(|e| matches!(e.model, E::TaskEXT | E::MeshEXT)) {
        one_payload(cx, e).ok();
    }
}

fn one_payload<'a>(cx: &mut Cx<'a>, e: EntryPoint<'a>) -> Checked {
    let m = cx.m;
    let is_payload = |id: &&u32| {
        let ty = m.type_id_of(spirula_binary::Id(**id));
        m.pointer(ty).is_some_and(|p| p.0 == StorageClass::TaskPayloadWorkgroupEXT)
    };
    let payloads = e.interface.iter().filter(is_payload).count();
    cx.check(payloads <= 1, &ONE_PAYLOAD, e.inst, || {
        format!("the interface has {payloads} variables in TaskPayloadWorkgroupEXT, but must have one at most")
    })
}
