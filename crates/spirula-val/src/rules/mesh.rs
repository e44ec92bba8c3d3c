//! Mesh shading (SPV_EXT_mesh_shader, SPV_NV_mesh_shader).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, Site, rules};
use spirula_grammar::{Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::{EntryPoint, ModelSet, Module, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::without_arrays;
use crate::rules::operand::{Is, operands};
use crate::rules::ray::variable;
use crate::rules::reach::{Later, Needs};

rules! {
    group "mesh";
    /// Task shaders emit mesh tasks, mesh shaders set their outputs.
    MODEL: "mesh-model", extension "SPV_EXT_mesh_shader";
    /// The Payload of OpEmitMeshTasksEXT is a variable in the TaskPayloadWorkgroupEXT storage class.
    PAYLOAD: "mesh-payload", extension "SPV_EXT_mesh_shader";
    /// Variables in the TaskPayloadWorkgroupEXT storage class are for task and mesh shaders.
    PAYLOAD_MODEL: "mesh-payload-model", extension "SPV_EXT_mesh_shader";
    /// An entry point has at most one variable in the TaskPayloadWorkgroupEXT storage class in its interface.
    ONE_PAYLOAD: "mesh-one-payload", extension "SPV_EXT_mesh_shader";
    /// A payload comes from the task shader: mesh shaders only read it.
    PAYLOAD_WRITE: "mesh-payload-write", extension "SPV_EXT_mesh_shader";
    /// A mesh shader does not set more vertices than its execution mode OutputVertices allows.
    VERTICES: "mesh-vertex-count", extension "SPV_EXT_mesh_shader";
    /// A mesh shader does not set more primitives than its execution mode OutputPrimitivesEXT allows.
    PRIMITIVES: "mesh-primitive-count", extension "SPV_EXT_mesh_shader";
    /// Mesh shaders have arrays as outputs: an element for each vertex or primitive.
    OUTPUT_ARRAY: "mesh-output-array", extension "SPV_EXT_mesh_shader";
    /// What there is once per primitive is an output of mesh shaders and an input of fragment shaders.
    PER_PRIMITIVE: "per-primitive-storage", extension "SPV_EXT_mesh_shader";
    /// What there is once per view is an output of mesh shaders, what there is once per task an output of task shaders and
    /// an input of mesh shaders.
    PER_VIEW: "per-view-storage", extension "SPV_NV_mesh_shader";
    /// In mesh shaders, what there is once per primitive is an output.
    PER_PRIMITIVE_VULKAN: "vulkan-per-primitive-storage", vuid "VUID-PrimitiveId-PrimitiveId-04336";
    /// Packed indices are written to multiples of four.
    INDEX_OFFSET: "mesh-index-offset", extension "SPV_NV_mesh_shader";
    /// Mesh shaders say how many vertices and primitives they put out at most.
    LIMITS: "mesh-limits", extension "SPV_EXT_mesh_shader";
    /// Mesh shaders say whether they put out points, lines or triangles.
    TOPOLOGY: "mesh-topology", extension "SPV_EXT_mesh_shader";
    /// Mesh shaders of the older extension, too, set limits and a topology. A warning, since consumers do without.
    OLDER_MODES: "mesh-modes-nv", warn extension "SPV_NV_mesh_shader";
    /// A mesh shader writes its outputs when it has said how many there are: before that, its first block writes none.
    UNSET: "vulkan-mesh-outputs-unset", warn vuid "VUID-StandaloneSpirv-MeshEXT-07106";
    /// Mesh shaders do not read their outputs.
    READ_OUTPUT: "vulkan-mesh-read-output", vuid "VUID-StandaloneSpirv-MeshEXT-07107";
}

pub(crate) const TABLE: Table = rule_table! {
    EmitMeshTasksEXT => emit_tasks;
    SetMeshOutputsEXT => set_outputs;
    WritePackedPrimitiveIndices4x8NV => write_packed;
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
    operands(cx, inst, 1, &[Is::UInt32, Is::UInt32])?;
    let offset = cx.m.fixed_u32(inst.id(1));
    cx.check_at(offset.is_none_or(|o| o.is_multiple_of(4)), &INDEX_OFFSET, inst, 1, || {
        format!("Index Offset is {}, no multiple of 4", offset.unwrap_or(0))
    })
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

/// What is read through the pointer at `word` is no output of a mesh shader.
pub(crate) fn read<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let id = inst.id(word);
    if !cx.models_here().contains(ExecutionModel::MeshEXT) || cx.m.class_of(id) != Some(StorageClass::Output) {
        return Ok(());
    }
    cx.fail_at(&READ_OUTPUT, inst, word, || format!("{id} points into Output, which mesh shaders do not read"))
}

/// A write through the pointer at `word`, which points to TaskPayloadWorkgroupEXT.
pub(crate) fn payload_write(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let reached = cx.models_here().contains(ExecutionModel::MeshEXT);
    cx.check_at(!reached, &PAYLOAD_WRITE, inst, word, || {
        format!("{} points to TaskPayloadWorkgroupEXT, which mesh shaders do not write to", inst.id(word))
    })
}

/// Judges entry points with mesh shading's execution models, and fragment shaders behind them.
pub(crate) fn module(cx: &mut Cx<'_>) {
    use ExecutionModel as E;
    if !cx.has(Capability::MeshShadingEXT) && !cx.has(Capability::MeshShadingNV) {
        return;
    }
    for e in cx.m.entry_points() {
        let judged = match e.model {
            E::TaskEXT => {
                let results = [one_payload(cx, e), interface(cx, e)];
                cx.all(results)
            }
            E::MeshEXT => {
                let results = [one_payload(cx, e), modes(cx, e), interface(cx, e), first_block(cx, e)];
                cx.all(results)
            }
            E::Fragment => {
                let results = [no_payload(cx, e), interface(cx, e)];
                cx.all(results)
            }
            E::MeshNV => {
                let results = [no_payload(cx, e), modes(cx, e), interface(cx, e)];
                cx.all(results)
            }
            _ => {
                let results = [no_payload(cx, e), interface(cx, e)];
                cx.all(results)
            }
        };
        judged.ok();
    }
}

fn is_payload(m: Module<'_>, variable: Id) -> bool {
    m.pointer(m.type_id_of(variable)).is_some_and(|p| p.0 == StorageClass::TaskPayloadWorkgroupEXT)
}

fn no_payload<'a>(cx: &mut Cx<'a>, e: EntryPoint<'a>) -> Checked {
    let m = cx.m;
    let payload = e.interface.iter().map(|id| Id(*id)).find(|id| is_payload(m, *id));
    let at = m.def(e.function).unwrap_or(e.inst);
    cx.check(payload.is_none(), &PAYLOAD_MODEL, at, || {
        let id = payload.unwrap_or_default();
        msg(format!("{id} in TaskPayloadWorkgroupEXT is in the interface of an entry point for {}", e.model))
            .declared(m, id)
    })
}

fn one_payload<'a>(cx: &mut Cx<'a>, e: EntryPoint<'a>) -> Checked {
    let m = cx.m;
    let payloads = e.interface.iter().filter(|id| is_payload(m, Id(**id))).count();
    cx.check(payloads <= 1, &ONE_PAYLOAD, e.inst, || {
        format!("the interface has {payloads} variables in TaskPayloadWorkgroupEXT, but must have one at most")
    })
}

/// The execution modes that every mesh shader needs.
fn modes<'a>(cx: &mut Cx<'a>, e: EntryPoint<'a>) -> Checked {
    use ExecutionMode as M;
    let (mut vertices, mut primitives, mut topologies) = (false, false, 0);
    for (mode, _) in cx.m.execution_modes(e.function) {
        match mode {
            M::OutputVertices => vertices = true,
            M::OutputPrimitivesEXT => primitives = true,
            M::OutputPoints | M::OutputLinesEXT | M::OutputTrianglesEXT => topologies += 1,
            _ => {}
        }
    }
    let older = e.model == ExecutionModel::MeshNV;
    let (limits, topology): (&'static Rule, &'static Rule) =
        if older { (&OLDER_MODES, &OLDER_MODES) } else { (&LIMITS, &TOPOLOGY) };
    cx.check(vertices && primitives, limits, e.inst, || {
        let missing = if vertices { M::OutputPrimitivesEXT } else { M::OutputVertices };
        format!("{} is a {} entry point without the execution mode {missing}", e.function, e.model)
    })?;
    // That there are not several is a rule of execution modes.
    cx.check(topologies > 0, topology, e.inst, || {
        format!(
            "{} is a {} entry point with none of the execution modes OutputPoints, OutputLinesEXT and \
             OutputTrianglesEXT",
            e.function, e.model
        )
    })
}

/// The block that runs whatever happens: it writes no outputs before it has set how many there are. What a called function
/// does is not followed.
fn first_block<'a>(cx: &mut Cx<'a>, e: EntryPoint<'a>) -> Checked {
    let m = cx.m;
    let function = m.info(e.function).function().and_then(|f| m.functions().get(f));
    let Some(function) = function.filter(|_| cx.env.is_vulkan()) else { return Ok(()) };
    let body = m.insts(function.body_words()).skip_while(|i| i.op() == Op::Label);
    let before = |i: &Inst<'_>| !matches!(i.op(), Op::Label | Op::SetMeshOutputsEXT | Op::FunctionCall);
    for inst in body.take_while(before).filter(|i| matches!(i.op(), Op::Store | Op::CopyMemory)) {
        let id = inst.id(1);
        cx.check(m.class_of(id) != Some(StorageClass::Output), &UNSET, inst, || {
            format!("{id} points into Output, but the numbers of vertices and primitives are not set yet")
        })?;
    }
    Ok(())
}

/// The variables of an entry point: outputs are arrays, and what there is once per primitive is where it belongs.
fn interface<'a>(cx: &mut Cx<'a>, e: EntryPoint<'a>) -> Checked {
    let m = cx.m;
    let (mesh, mut judged) = (e.model == ExecutionModel::MeshEXT, Ok(()));
    for id in e.interface.iter().map(|w| Id(*w)) {
        let Some((class, ty)) = m.def(id).filter(|v| v.op() == Op::Variable).and_then(|v| m.pointer(v.id(1))) else {
            continue;
        };
        let Some(variable) = m.def(id) else { continue };
        if mesh && class == StorageClass::Output {
            judged = judged.and(cx.check(is_array(m, ty), &OUTPUT_ARRAY, variable, || {
                format!("{id} is an output of the mesh shader {}, but has no array", e.function)
            }));
        }
        for decoration in PER_SOMETHING {
            judged = judged.and(per_something(cx, &e, variable, (class, ty), *decoration));
        }
    }
    judged
}

/// Decorations of what there is once for each of something.
const PER_SOMETHING: &[Decoration] = &[Decoration::PerPrimitiveEXT, Decoration::PerViewNV, Decoration::PerTaskNV];

/// The storage class in which an entry point has what is decorated so.
fn wanted(decoration: Decoration, model: ExecutionModel) -> Option<StorageClass> {
    use ExecutionModel as E;
    match (decoration, model) {
        (Decoration::PerPrimitiveEXT, E::MeshEXT | E::MeshNV) => Some(StorageClass::Output),
        (Decoration::PerPrimitiveEXT, E::Fragment) => Some(StorageClass::Input),
        (Decoration::PerViewNV, E::MeshNV) => Some(StorageClass::Output),
        (Decoration::PerTaskNV, E::TaskNV) => Some(StorageClass::Output),
        (Decoration::PerTaskNV, E::MeshNV) => Some(StorageClass::Input),
        _ => None,
    }
}

/// Whether a variable, or a member of its type, stands where what is decorated so may stand.
fn per_something<'a>(
    cx: &mut Cx<'a>,
    e: &EntryPoint<'a>,
    variable: Inst<'a>,
    (class, ty): (StorageClass, Id),
    decoration: Decoration,
) -> Checked {
    let (m, id, wanted) = (cx.m, variable.id(2), wanted(decoration, e.model));
    if Some(class) == wanted {
        return Ok(());
    }
    let (inner, _) = without_arrays(m, ty);
    // Structures that are copied elsewhere take the decorations of their members with them.
    let interface = matches!(class, StorageClass::Input | StorageClass::Output);
    let has = m.is_decorated(id, decoration)
        || interface && m.decorations(inner).any(|d| d.decoration == decoration && d.member.is_some());
    let vulkan = e.model == ExecutionModel::MeshEXT && cx.env.is_vulkan();
    let rule = match decoration {
        Decoration::PerPrimitiveEXT if vulkan => &PER_PRIMITIVE_VULKAN,
        Decoration::PerPrimitiveEXT => &PER_PRIMITIVE,
        _ => &PER_VIEW,
    };
    cx.check(!has, rule, variable, || {
        let text = format!("{id} is or has what is decorated {decoration} in {class}");
        match wanted {
            Some(wanted) => format!("{text}, but must be in {wanted} in {}", e.model),
            None => format!("{text}, but there is none in {}", e.model),
        }
    })
}

/// Whether the type is an array, or a structure that contains one.
fn is_array(m: Module<'_>, ty: Id) -> bool {
    let array = |ty: Id| matches!(m.ty(ty), Some(Type::Array { .. } | Type::RuntimeArray { .. }));
    match m.ty(ty) {
        Some(Type::Struct { members }) => members.iter().any(|t| array(Id(*t))),
        _ => array(ty),
    }
}
