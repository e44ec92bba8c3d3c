//! What Vulkan demands of entry points and their modes (appendix "Vulkan Environment for SPIR-V").

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, Failed, Rule, rules};
use spirula_grammar::{BuiltIn, Capability, ExecutionMode as Mode, ExecutionModel as Model, Op, StorageClass};
use spirula_module::{EntryPoint, ModelSet, Type};

use crate::Client;
use crate::cx::Cx;
use crate::rules::mode_setting::{Modes, workgroup_size};

rules! {
    group "vulkan";
    /// Vulkan knows the addressing models `Logical` and `PhysicalStorageBuffer64`.
    ADDRESSING: "vulkan-addressing-model", vuid "VUID-StandaloneSpirv-None-04635";
    /// The origin of `FragCoord` is the upper left in Vulkan.
    ORIGIN: "vulkan-origin-lower-left", vuid "VUID-StandaloneSpirv-OriginLowerLeft-04653";
    /// Pixel centres lie at half-integer coordinates in Vulkan.
    PIXEL_CENTER: "vulkan-pixel-center-integer", vuid "VUID-StandaloneSpirv-PixelCenterInteger-04654";
    /// `LocalSizeId` needs Vulkan 1.3 (or the feature maintenance4).
    LOCAL_SIZE_ID: "vulkan-local-size-id", vuid "VUID-RuntimeSpirv-LocalSizeId-06434";
    /// Compute, mesh and task shaders say how large their workgroups are: `LocalSize`, `LocalSizeId`,
    /// `TileShadingRateQCOM`, or a constant decorated with `WorkgroupSize`.
    WORKGROUP: "vulkan-workgroup-size", vuid "VUID-StandaloneSpirv-None-10685";
    /// A mesh shader outputs vertices.
    MESH_VERTICES: "vulkan-mesh-output-vertices", vuid "VUID-StandaloneSpirv-MeshEXT-07330";
    /// A mesh shader outputs primitives.
    MESH_PRIMITIVES: "vulkan-mesh-output-primitives", vuid "VUID-StandaloneSpirv-MeshEXT-07331";
    /// A module has mesh shaders of one kind: `MeshEXT` and `TaskEXT`, or `MeshNV` and `TaskNV`.
    MESH_KINDS: "vulkan-mesh-kinds", vuid "VUID-StandaloneSpirv-MeshEXT-07102";
    /// `NonCoherentTileAttachmentReadQCOM` is for fragment shaders.
    TILE_READ: "vulkan-tile-attachment-read", vuid "VUID-StandaloneSpirv-Execution-10687";
    /// `TileShadingRateQCOM` is for compute shaders.
    TILE_RATE: "vulkan-tile-shading-rate", vuid "VUID-StandaloneSpirv-Execution-10688";
    /// `TileShadingRateQCOM` takes the place of `LocalSize` and `LocalSizeId`.
    TILE_SIZE: "vulkan-tile-shading-size", vuid "VUID-StandaloneSpirv-TileShadingRateQCOM-10692";
    /// The capability `TileShadingQCOM` is for compute and fragment shaders.
    TILE_STAGES: "vulkan-tile-shading-stages", vuid "VUID-StandaloneSpirv-TileShadingQCOM-10686";
    /// The function of an entry point takes and returns nothing.
    SIGNATURE: "vulkan-entry-point-signature", vuid "VUID-StandaloneSpirv-None-04633";
    /// Storage classes of kernels do not exist in Vulkan.
    STORAGE_CLASS: "vulkan-storage-class", vuid "VUID-StandaloneSpirv-None-04643";
    /// With `MaximallyReconvergesKHR`, no instruction is used that may shuffle invocations anew.
    REPACK: "vulkan-maximal-reconvergence", vuid "VUID-StandaloneSpirv-MaximallyReconvergesKHR-09565";
    /// The capability `SplitBarrierEXT` is for compute shaders.
    SPLIT_BARRIER: "vulkan-split-barrier-stages", vuid "VUID-StandaloneSpirv-SplitBarrierEXT-13552";
    /// The capability `ShaderEnqueueAMDX` is for compute and mesh shaders.
    ENQUEUE: "vulkan-shader-enqueue-stages", warn vuid "VUID-RuntimeSpirv-ShaderEnqueueAMDX-09191";
    /// A module with graphs has no shaders.
    GRAPH: "vulkan-graph-shaders", warn vuid "VUID-RuntimeSpirv-GraphARM-09922";
}

/// Judges one entry point with its modes.
pub(crate) fn entry_point(cx: &mut Cx<'_>, modes: &Modes<'_>, entry: &EntryPoint<'_>) {
    if !cx.env.is_vulkan() {
        return;
    }
    signature(cx, entry).ok();
    plain_modes(cx, modes, entry).ok();
    workgroup(cx, modes, entry).ok();
    tiles(cx, modes, entry).ok();
    let compute = ModelSet::of(&[Model::GLCompute]);
    let stages: [(&'static Rule, Capability, ModelSet); 3] = [
        (&SPLIT_BARRIER, Capability::SplitBarrierEXT, compute),
        (&ENQUEUE, Capability::ShaderEnqueueAMDX, compute.with(Model::MeshEXT)),
        (&GRAPH, Capability::GraphARM, ModelSet::EMPTY),
    ];
    for (rule, capability, models) in stages {
        if cx.has(capability) && !models.contains(entry.model) {
            let text = || format!("the capability {capability} is declared, but {} is an entry point", entry.model);
            cx.fail(rule, entry.inst, text).ok();
        }
    }
    if matches!(entry.model, Model::MeshEXT | Model::TaskEXT)
        && (cx.m.has_model(Model::MeshNV) || cx.m.has_model(Model::TaskNV))
    {
        let text = || format!("{} stands beside an entry point with MeshNV or TaskNV", entry.model);
        cx.fail(&MESH_KINDS, entry.inst, text).ok();
    }
}

fn signature(cx: &mut Cx<'_>, entry: &EntryPoint<'_>) -> Checked {
    let function = cx.m.def(entry.function).filter(|f| f.op() == Op::Function).ok_or(Failed)?;
    let (result, parameters) = match cx.m.ty(function.id(4)) {
        Some(Type::Function { result, parameters }) => (result, parameters),
        _ => return Ok(()),
    };
    let void = |ty| cx.m.info(ty).op == Op::TypeVoid;
    let fine = void(result) && void(function.id(1)) && parameters.is_empty();
    cx.check(fine, &SIGNATURE, entry.inst, || {
        format!("the function {} of the entry point takes parameters or returns a value", entry.function)
    })
}

/// What concerns the module as a whole.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.env.is_vulkan() {
        return;
    }
    for inst in cx.m.global_insts() {
        if !matches!(inst.op(), Op::TypePointer | Op::TypeUntypedPointerKHR) {
            continue;
        }
        let class = StorageClass(inst.word(2));
        let foreign = matches!(
            class,
            StorageClass::CrossWorkgroup
                | StorageClass::Generic
                | StorageClass::AtomicCounter
                | StorageClass::CodeSectionINTEL
                | StorageClass::DeviceOnlyALTERA
                | StorageClass::HostOnlyALTERA
        );
        cx.check_at(!foreign, &STORAGE_CLASS, inst, 2, || format!("Vulkan has no storage class {class}")).ok();
    }
    repack(cx);
}

fn repack(cx: &mut Cx<'_>) {
    let m = cx.m;
    let reconverges = |i: &Inst<'_>| Mode(i.word(2)) == Mode::MaximallyReconvergesKHR;
    // Few entry points have the mode, and most of those no calls.
    for mode in m.execution_mode_insts().filter(reconverges).take(64) {
        let reached = crate::rules::mode_setting::reached(cx, mode.id(1));
        for (function, _) in m.functions().iter().zip(reached).filter(|(_, reached)| *reached) {
            let shuffles = |i: &Inst<'_>| {
                matches!(
                    i.op(),
                    Op::TraceRayKHR
                        | Op::TraceRayMotionNV
                        | Op::ExecuteCallableKHR
                        | Op::ReportIntersectionKHR
                        | Op::ReorderThreadWithHintNV
                        | Op::ReorderThreadWithHitObjectNV
                        | Op::HitObjectTraceRayNV
                        | Op::HitObjectTraceRayMotionNV
                        | Op::HitObjectExecuteShaderNV
                        | Op::ReorderThreadWithHintEXT
                        | Op::ReorderThreadWithHitObjectEXT
                        | Op::HitObjectTraceRayEXT
                        | Op::HitObjectTraceRayMotionEXT
                        | Op::HitObjectExecuteShaderEXT
                        | Op::HitObjectReorderExecuteShaderEXT
                        | Op::HitObjectTraceReorderExecuteEXT
                        | Op::HitObjectTraceMotionReorderExecuteEXT
                )
            };
            if let Some(inst) = m.insts(function.body_words()).find(shuffles) {
                let entry = mode.id(1);
                let text = || format!("{} is used, but the entry point {entry} is MaximallyReconvergesKHR", inst.op());
                cx.fail(&REPACK, inst, text).ok();
            }
        }
    }
}

fn plain_modes(cx: &mut Cx<'_>, modes: &Modes<'_>, entry: &EntryPoint<'_>) -> Checked {
    let mut result = Ok(());
    let maintenance4 = cx.options.allow_local_size_id || matches!(cx.env.client, Client::Vulkan(3..));
    for (mode, inst) in modes.of(entry.function) {
        let zero = entry.model == Model::MeshEXT && inst.word(3) == 0;
        let (rule, what): (&'static Rule, _) = match mode {
            Mode::OriginLowerLeft => (&ORIGIN, "Vulkan has no OriginLowerLeft"),
            Mode::PixelCenterInteger => (&PIXEL_CENTER, "Vulkan has no PixelCenterInteger"),
            Mode::LocalSizeId if !maintenance4 => (&LOCAL_SIZE_ID, "LocalSizeId needs Vulkan 1.3 or maintenance4"),
            Mode::OutputVertices if zero => (&MESH_VERTICES, "OutputVertices is 0"),
            Mode::OutputPrimitivesEXT if zero => (&MESH_PRIMITIVES, "OutputPrimitivesEXT is 0"),
            _ => continue,
        };
        result = result.and(cx.fail(rule, inst, || what));
    }
    result
}

fn workgroup(cx: &mut Cx<'_>, modes: &Modes<'_>, entry: &EntryPoint<'_>) -> Checked {
    if !matches!(entry.model, Model::GLCompute | Model::MeshEXT | Model::TaskEXT | Model::MeshNV | Model::TaskNV) {
        return Ok(());
    }
    let constant = workgroup_size(cx.m);
    let sized = modes
        .of(entry.function)
        .find(|(mode, _)| matches!(*mode, Mode::LocalSize | Mode::LocalSizeId | Mode::TileShadingRateQCOM));
    let any_size = constant.is_some() || cx.m.annotations().any(|i| is_workgroup_size(&i));
    let nv = matches!(entry.model, Model::MeshNV | Model::TaskNV);
    cx.check(sized.is_some() || any_size || nv, &WORKGROUP, entry.inst, || {
        format!("the entry point with the execution model {} has no workgroup size", entry.model)
    })
}

fn is_workgroup_size(inst: &Inst<'_>) -> bool {
    use spirula_grammar::Decoration;
    inst.op() == Op::Decorate && inst.word(2) == Decoration::BuiltIn.0 && inst.word(3) == BuiltIn::WorkgroupSize.0
}

fn tiles(cx: &mut Cx<'_>, modes: &Modes<'_>, entry: &EntryPoint<'_>) -> Checked {
    let model = entry.model;
    let has = |mode| modes.find(entry.function, mode).is_some();
    let stage = matches!(model, Model::GLCompute | Model::Fragment);
    cx.check(stage || !cx.has(Capability::TileShadingQCOM), &TILE_STAGES, entry.inst, || {
        format!("the capability TileShadingQCOM is declared, but an entry point has the execution model {model}")
    })?;
    let read = has(Mode::NonCoherentTileAttachmentReadQCOM);
    cx.check(!read || model == Model::Fragment, &TILE_READ, entry.inst, || {
        format!("NonCoherentTileAttachmentReadQCOM is set for the execution model {model}")
    })?;
    let rate = has(Mode::TileShadingRateQCOM);
    cx.check(!rate || model == Model::GLCompute, &TILE_RATE, entry.inst, || {
        format!("TileShadingRateQCOM is set for the execution model {model}")
    })?;
    let sized = has(Mode::LocalSize) || has(Mode::LocalSizeId);
    cx.check(!rate || !sized, &TILE_SIZE, entry.inst, || "TileShadingRateQCOM is set beside a local size")
}
