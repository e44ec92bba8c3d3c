//! Mode-setting instructions (§3.3.5): capabilities, entry points and execution modes.

use alloc::format;

use spirula_binary::{Id, Inst, Operands};
use spirula_diag::{Checked, Site, rules};
use spirula_grammar::{
    AddressingModel, Capability, Decoration, ExecutionMode as Mode, ExecutionModel as Model, FPFastMathMode,
    MemoryModel, Op,
};
use spirula_module::{EntryPoint, ModelSet, Module};

use crate::cx::{Cx, List, msg};
use crate::dispatch::{Table, rule_table};

rules! {
    group "modes";
    /// Two entry points with the same execution model must have different names.
    SAME_NAME: "entry-point-same-name", spec "OpEntryPoint";
    /// An execution mode can be set for certain execution models only.
    MODEL: "execution-mode-model", spec "§3.2.5";
    /// Modes whose operands are ids are set with `OpExecutionModeId`, all others with `OpExecutionMode`.
    WITH_ID: "execution-mode-operands", spec "OpExecutionModeId";
    /// Ids that are operands of a mode must be constants.
    CONSTANT: "execution-mode-constant", spec "OpExecutionModeId";
    /// A mode is set at most once for an entry point, or once for each width or type where it has one.
    TWICE: "execution-mode-twice", spec "§3.2.5";
    /// Some modes exclude each other.
    EXCLUSIVE: "execution-mode-exclusive", spec "§2.16.2";
    /// Fragment entry points set `OriginUpperLeft` or `OriginLowerLeft`, geometry entry points their input and output
    /// primitives.
    REQUIRED: "execution-mode-required", spec "§2.16.2";
    /// No dimension of a workgroup is 0.
    LOCAL_SIZE: "local-size-zero", spec "§3.2.5";
    /// `FPFastMathDefault` is for a floating-point scalar type, with a valid mask of modes.
    FAST_MATH: "fast-math-default", spec "§3.2.5";
    /// Where `FPFastMathDefault` is set, no instruction can be decorated with `NoContraction` or the mode `Fast`.
    FAST_MATH_TREE: "fast-math-default-decoration", spec "§2.16.1";
    /// `OpBeginInvocationInterlockEXT` and `OpEndInvocationInterlockEXT` need an interlock mode of the entry point.
    INTERLOCK: "invocation-interlock-mode", extension "SPV_EXT_fragment_shader_interlock";
    /// The sizes of `TileShadingRateQCOM` are powers of two.
    TILE_RATE: "tile-shading-rate", extension "SPV_QCOM_tile_shading";
    /// The memory model `VulkanMemoryModel` and its capability come together; addressing models need theirs.
    MEMORY_MODEL: "memory-model-capability", spec "OpMemoryModel";
    /// A capability that needs another one.
    CAPABILITY: "capability-needs", spec "§3.2.30";
    /// A module with the capability `BindlessTextureNV` has one `OpSamplerImageAddressingModeNV`.
    BINDLESS: "bindless-addressing-mode", extension "SPV_NV_bindless_texture";
}

pub(crate) const TABLE: Table = rule_table! {
    ExecutionMode | ExecutionModeId => execution_mode;
    MemoryModel => memory_model;
    Capability => capability;
};

const TESS: &[Model] = &[Model::TessellationControl, Model::TessellationEvaluation];
const WORKGROUP: &[Model] =
    &[Model::Kernel, Model::GLCompute, Model::MeshNV, Model::TaskNV, Model::MeshEXT, Model::TaskEXT];

/// Which models a mode is for (§3.2.5); modes that are not listed are for all.
static MODELS: &[(&[Mode], &[Model])] = &[
    (
        &[
            Mode::Invocations,
            Mode::InputPoints,
            Mode::InputLines,
            Mode::InputLinesAdjacency,
            Mode::InputTrianglesAdjacency,
            Mode::OutputLineStrip,
            Mode::OutputTriangleStrip,
        ],
        &[Model::Geometry],
    ),
    (
        &[
            Mode::SpacingEqual,
            Mode::SpacingFractionalEven,
            Mode::SpacingFractionalOdd,
            Mode::VertexOrderCw,
            Mode::VertexOrderCcw,
            Mode::PointMode,
            Mode::Quads,
            Mode::Isolines,
        ],
        TESS,
    ),
    (&[Mode::Triangles], &[Model::Geometry, Model::TessellationControl, Model::TessellationEvaluation]),
    (&[Mode::OutputPoints], &[Model::Geometry, Model::MeshNV, Model::MeshEXT]),
    (
        &[Mode::OutputVertices],
        &[Model::Geometry, Model::TessellationControl, Model::TessellationEvaluation, Model::MeshNV, Model::MeshEXT],
    ),
    (&[Mode::OutputLinesEXT, Mode::OutputTrianglesEXT, Mode::OutputPrimitivesEXT], &[Model::MeshNV, Model::MeshEXT]),
    (
        &[
            Mode::PixelCenterInteger,
            Mode::OriginUpperLeft,
            Mode::OriginLowerLeft,
            Mode::EarlyFragmentTests,
            Mode::DepthReplacing,
            Mode::DepthGreater,
            Mode::DepthLess,
            Mode::DepthUnchanged,
            Mode::PostDepthCoverage,
            Mode::StencilRefReplacingEXT,
            Mode::EarlyAndLateFragmentTestsAMD,
            Mode::StencilRefUnchangedFrontAMD,
            Mode::StencilRefGreaterFrontAMD,
            Mode::StencilRefLessFrontAMD,
            Mode::StencilRefUnchangedBackAMD,
            Mode::StencilRefGreaterBackAMD,
            Mode::StencilRefLessBackAMD,
            Mode::PixelInterlockOrderedEXT,
            Mode::PixelInterlockUnorderedEXT,
            Mode::SampleInterlockOrderedEXT,
            Mode::SampleInterlockUnorderedEXT,
            Mode::ShadingRateInterlockOrderedEXT,
            Mode::ShadingRateInterlockUnorderedEXT,
            Mode::NonCoherentColorAttachmentReadEXT,
            Mode::NonCoherentDepthAttachmentReadEXT,
            Mode::NonCoherentStencilAttachmentReadEXT,
            Mode::RequireFullQuadsKHR,
            Mode::NonCoherentTileAttachmentReadQCOM,
        ],
        &[Model::Fragment],
    ),
    (&[Mode::LocalSizeHint, Mode::LocalSizeHintId, Mode::VecTypeHint, Mode::ContractionOff], &[Model::Kernel]),
    (&[Mode::LocalSize, Mode::LocalSizeId], WORKGROUP),
    (
        &[
            Mode::MaxWorkgroupSizeINTEL,
            Mode::MaxWorkDimINTEL,
            Mode::NoGlobalOffsetINTEL,
            Mode::NumSIMDWorkitemsINTEL,
            Mode::SchedulerTargetFmaxMhzINTEL,
        ],
        &[Model::Kernel],
    ),
    (&[Mode::CoalescingAMDX, Mode::TileShadingRateQCOM], &[Model::GLCompute]),
    (
        &[Mode::IsApiEntryAMDX, Mode::StaticNumWorkgroupsAMDX, Mode::MaxNumWorkgroupsAMDX, Mode::ShaderIndexAMDX],
        &[Model::GLCompute, Model::MeshEXT],
    ),
    (&[Mode::QuadDerivativesKHR], &[Model::Fragment, Model::GLCompute]),
    (
        &[Mode::DerivativeGroupQuadsKHR, Mode::DerivativeGroupLinearKHR],
        &[Model::GLCompute, Model::MeshNV, Model::TaskNV, Model::MeshEXT, Model::TaskEXT],
    ),
];

/// Models (empty: all), modes of which at most one can be set, and whether one must be.
static GROUPS: &[(&[Model], &[Mode], bool)] = &[
    (&[Model::Fragment], &[Mode::OriginUpperLeft, Mode::OriginLowerLeft], true),
    (&[Model::Fragment], &[Mode::DepthGreater, Mode::DepthLess, Mode::DepthUnchanged], false),
    (
        &[Model::Fragment],
        &[Mode::StencilRefUnchangedFrontAMD, Mode::StencilRefGreaterFrontAMD, Mode::StencilRefLessFrontAMD],
        false,
    ),
    (
        &[Model::Fragment],
        &[Mode::StencilRefUnchangedBackAMD, Mode::StencilRefGreaterBackAMD, Mode::StencilRefLessBackAMD],
        false,
    ),
    (&[Model::Fragment], INTERLOCKS, false),
    (TESS, &[Mode::SpacingEqual, Mode::SpacingFractionalEven, Mode::SpacingFractionalOdd], false),
    (TESS, &[Mode::Triangles, Mode::Quads, Mode::Isolines], false),
    (TESS, &[Mode::VertexOrderCw, Mode::VertexOrderCcw], false),
    (
        &[Model::Geometry],
        &[
            Mode::InputPoints,
            Mode::InputLines,
            Mode::InputLinesAdjacency,
            Mode::Triangles,
            Mode::InputTrianglesAdjacency,
        ],
        true,
    ),
    (&[Model::Geometry], &[Mode::OutputPoints, Mode::OutputLineStrip, Mode::OutputTriangleStrip], true),
    (&[Model::MeshNV, Model::MeshEXT], &[Mode::OutputPoints, Mode::OutputLinesEXT, Mode::OutputTrianglesEXT], false),
    (&[], &[Mode::MaximumRegistersINTEL, Mode::MaximumRegistersIdINTEL, Mode::NamedMaximumRegistersINTEL], false),
    (&[], &[Mode::CoalescingAMDX, Mode::StaticNumWorkgroupsAMDX, Mode::MaxNumWorkgroupsAMDX], false),
    (&[], &[Mode::DerivativeGroupQuadsKHR, Mode::DerivativeGroupLinearKHR], false),
    (&[Model::Kernel], &[Mode::LocalSize, Mode::LocalSizeId, Mode::LocalSizeHint, Mode::LocalSizeHintId], false),
];

const INTERLOCKS: &[Mode] = &[
    Mode::PixelInterlockOrderedEXT,
    Mode::PixelInterlockUnorderedEXT,
    Mode::SampleInterlockOrderedEXT,
    Mode::SampleInterlockUnorderedEXT,
    Mode::ShadingRateInterlockOrderedEXT,
    Mode::ShadingRateInterlockUnorderedEXT,
];

/// Modes that are set for one width or type each.
const BY_OPERAND: &[Mode] = &[
    Mode::DenormPreserve,
    Mode::DenormFlushToZero,
    Mode::SignedZeroInfNanPreserve,
    Mode::RoundingModeRTE,
    Mode::RoundingModeRTZ,
    Mode::RoundingModeRTPINTEL,
    Mode::RoundingModeRTNINTEL,
    Mode::FloatingPointModeALTINTEL,
    Mode::FloatingPointModeIEEEINTEL,
    Mode::FPFastMathDefault,
];

/// Models of the entry points that a function is. Nothing calls entry points, so that the models which reach them are
/// their own.
fn models_of(m: Module<'_>, function: Id) -> ModelSet {
    m.info(function).function().map_or(ModelSet::EMPTY, |index| m.models_reaching(index))
}

/// The execution modes by entry point.
pub(crate) struct Modes<'m>(List<'m, (Id, Inst<'m>)>);

impl<'m> Modes<'m> {
    pub(crate) fn of_module(cx: &Cx<'m>) -> Modes<'m> {
        let mut all = cx.collect(cx.m.execution_mode_insts().map(|i| (i.id(1), i)));
        all.sort_unstable_by_key(|(id, i)| (*id, i.offset()));
        Modes(all)
    }

    pub(crate) fn of(&self, entry: Id) -> impl Iterator<Item = (Mode, Inst<'m>)> {
        let first = self.0.partition_point(|(id, _)| *id < entry);
        self.0[first..].iter().take_while(move |(id, _)| *id == entry).map(|(_, i)| (Mode(i.word(2)), *i))
    }

    pub(crate) fn find(&self, entry: Id, mode: Mode) -> Option<Inst<'m>> {
        self.of(entry).find(|(found, _)| *found == mode).map(|(_, inst)| inst)
    }
}

fn execution_mode<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let mode = Mode(inst.word(2));
    let models = models_of(cx.m, inst.id(1));
    if models.is_empty() {
        return Ok(()); // Reported where the entry points are judged.
    }
    if let Some((_, allowed)) = MODELS.iter().find(|(modes, _)| modes.contains(&mode)) {
        let allowed = ModelSet::of(allowed);
        let other = models.without(allowed);
        // A function may be an entry point of several models; one of them must be right.
        cx.check_at(!models.and(allowed).is_empty(), &MODEL, inst, 2, || {
            format!("the execution mode {mode} is for the execution model {allowed}, but the entry point has {other}")
        })?;
    }
    operands(cx, inst, mode)?;
    match mode {
        Mode::LocalSize => {
            let sizes = inst.tail(3);
            cx.check(!sizes.contains(&0), &LOCAL_SIZE, inst, || format!("a dimension of LocalSize {sizes:?} is 0"))?;
        }
        Mode::LocalSizeId => {
            let value = |word: usize| cx.m.int_constant(inst.id(word)).filter(|c| !c.spec).map(|c| c.bits);
            let sizes = [value(3), value(4), value(5)];
            cx.check(!sizes.contains(&Some(0)), &LOCAL_SIZE, inst, || "a dimension of LocalSizeId is 0")?;
        }
        Mode::FPFastMathDefault => fast_math_default(cx, inst)?,
        Mode::TileShadingRateQCOM => {
            let powers = [inst.word(3), inst.word(4)].iter().all(|n| n.is_power_of_two());
            cx.check(powers, &TILE_RATE, inst, || {
                format!("the sizes {} and {} of TileShadingRateQCOM are not powers of two", inst.word(3), inst.word(4))
            })?;
        }
        _ => {}
    }
    Ok(())
}

/// Which of the two instructions sets the mode, and that its ids are constants.
fn operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, mode: Mode) -> Checked {
    let Some(e) = Mode::KIND.enumerant(mode.0) else { return Ok(()) };
    let with_id = e.parameters().iter().any(|p| p.kind.is_id());
    if with_id != (inst.op() == Op::ExecutionModeId) {
        return cx.fail_at(&WITH_ID, inst, 2, || {
            let wanted = if with_id { "OpExecutionModeId" } else { "OpExecutionMode" };
            format!("the execution mode {mode} is set with {wanted}, not {}", inst.op())
        });
    }
    if !with_id || mode == Mode::FPFastMathDefault {
        return Ok(());
    }
    let m = cx.m;
    for operand in Operands::new(inst, &m).map_while(Result::ok).filter(|o| o.at >= 3 && o.kind.is_id()) {
        let id = Id(operand.word());
        let info = m.info(id);
        let ok = info.is_constant() || !info.is_defined();
        cx.check_at(ok, &CONSTANT, inst, operand.at as usize, || {
            msg(format!("the operand {id} of {mode} is not a constant")).declared(m, id)
        })?;
    }
    Ok(())
}

fn fast_math_default(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let (ty, mask) = (inst.id(3), inst.id(4));
    cx.check_at(m.key(ty).is_float(), &FAST_MATH, inst, 3, || {
        format!("the Target Type {ty} of FPFastMathDefault is not a floating-point scalar type")
    })?;
    let info = m.info(mask);
    let key = m.key_of(mask);
    let fixed = info.is_constant() && !info.is_spec_constant() && key.is_int() && key.width() == 32;
    cx.check_at(fixed || !info.is_defined(), &CONSTANT, inst, 4, || {
        msg(format!("the Fast-Math Mode {mask} is no 32-bit integer constant, or can be specialised")).declared(m, mask)
    })?;
    let Some(bits) = m.int_constant(mask).filter(|c| !c.spec).map(|c| c.bits as u32) else { return Ok(()) };
    let known = FPFastMathMode::KIND.enumerants().iter().fold(0, |all, e| all | e.value);
    let transform = FPFastMathMode::AllowTransform.0;
    let needed = FPFastMathMode::AllowReassoc.0 | FPFastMathMode::AllowContract.0;
    let what = if bits & !known != 0 {
        "is no valid mask"
    } else if bits & FPFastMathMode::Fast.0 != 0 {
        "contains Fast"
    } else if bits & transform != 0 && bits & needed != needed {
        "contains AllowTransform, but not both of AllowReassoc and AllowContract"
    } else {
        return Ok(());
    };
    cx.fail_at(&FAST_MATH, inst, 4, || format!("the Fast-Math Mode {bits:#x} of FPFastMathDefault {what}"))
}

/// Entry points with the same model and name.
fn names(cx: &mut Cx<'_>) {
    let mut all = cx.collect(cx.m.entry_points().filter(|e| e.name.is_some()));
    let compare = |a: &EntryPoint<'_>, b: &EntryPoint<'_>| {
        let names = || match (a.name, b.name) {
            (Some(a), Some(b)) => a.bytes().cmp(b.bytes()),
            _ => core::cmp::Ordering::Equal,
        };
        a.model.0.cmp(&b.model.0).then_with(names)
    };
    all.sort_unstable_by(|a, b| compare(a, b).then(a.inst.offset().cmp(&b.inst.offset())));
    for pair in all.windows(2) {
        if compare(&pair[0], &pair[1]).is_eq() && pair[1].inst.op() == Op::EntryPoint {
            let first = Site::at(pair[0].inst.offset());
            let text = || {
                let text = "another entry point with this execution model has the same name";
                msg(text).note(first, "declared here")
            };
            cx.fail(&SAME_NAME, pair[1].inst, text).ok();
        }
    }
}

/// Modes of one entry point, taken together.
fn groups(cx: &mut Cx<'_>, modes: &Modes<'_>, entry: &EntryPoint<'_>) -> Checked {
    let mut result = Ok(());
    let modes = cx.collect(modes.of(entry.function));
    for (models, group, required) in GROUPS {
        if !models.is_empty() && !models.contains(&entry.model) {
            continue;
        }
        let count = modes.iter().filter(|(mode, _)| group.contains(mode)).count();
        let model = entry.model;
        let list = || {
            let mut text = alloc::string::String::new();
            for mode in *group {
                text += &format!("{}{mode}", if text.is_empty() { "" } else { ", " });
            }
            text
        };
        if count > 1 {
            let text = || format!("the entry point sets {count} of the execution modes {}", list());
            result = result.and(cx.fail(&EXCLUSIVE, entry.inst, text));
        }
        if count == 0 && *required && entry.model != Model::Kernel {
            let text = || format!("an entry point with the execution model {model} must set one of {}", list());
            result = result.and(cx.fail(&REQUIRED, entry.inst, text));
        }
    }
    result.and(repeated(cx, &modes))
}

fn repeated(cx: &mut Cx<'_>, modes: &[(Mode, Inst<'_>)]) -> Checked {
    let mut result = Ok(());
    // Sorted, so that equal modes are neighbours.
    let mut sorted = cx.list();
    for (mode, inst) in modes {
        sorted.push((mode.0, if BY_OPERAND.contains(mode) { inst.word(3) } else { 0 }, *inst));
    }
    sorted.sort_unstable_by_key(|(mode, operand, inst)| (*mode, *operand, inst.offset()));
    for pair in sorted.windows(2) {
        if pair[0].0 == pair[1].0 && pair[0].1 == pair[1].1 {
            let (mode, again) = (Mode(pair[1].0), pair[1].2);
            let text = || format!("the execution mode {mode} is set a second time for this entry point");
            result = result.and(cx.fail(&TWICE, again, text));
        }
    }
    let has = |mode: Mode, width: Option<u32>| {
        modes.iter().find(|(found, inst)| *found == mode && width.is_none_or(|w| inst.word(3) == w))
    };
    for (mode, inst) in modes {
        let other = match *mode {
            Mode::DenormFlushToZero => has(Mode::DenormPreserve, Some(inst.word(3))),
            Mode::RoundingModeRTZ => has(Mode::RoundingModeRTE, Some(inst.word(3))),
            Mode::FPFastMathDefault => {
                has(Mode::ContractionOff, None).or_else(|| has(Mode::SignedZeroInfNanPreserve, None))
            }
            _ => None,
        };
        if let Some((other, _)) = other {
            let text = || format!("the execution modes {mode} and {other} exclude each other");
            result = result.and(cx.fail(&EXCLUSIVE, *inst, text));
        }
    }
    result
}

fn memory_model<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (addressing, memory) = (AddressingModel(inst.word(1)), MemoryModel(inst.word(2)));
    let has = cx.has(Capability::VulkanMemoryModel);
    let uses = memory == MemoryModel::Vulkan;
    if has && !uses {
        return cx.fail_at(&MEMORY_MODEL, inst, 2, || {
            format!("the capability VulkanMemoryModel is declared, but the memory model is {memory}")
        });
    }
    let opencl = cx.env.is_opencl();
    if opencl && !matches!(addressing, AddressingModel::Physical32 | AddressingModel::Physical64) {
        return cx.fail_at(&super::opencl::ADDRESSING, inst, 1, || {
            format!("the addressing model is {addressing}, but OpenCL needs Physical32 or Physical64")
        });
    }
    if opencl && memory != MemoryModel::OpenCL {
        return cx.fail_at(&super::opencl::MEMORY, inst, 2, || {
            format!("the memory model is {memory}, but OpenCL needs OpenCL")
        });
    }
    if cx.env.is_vulkan() && !matches!(addressing, AddressingModel::Logical | AddressingModel::PhysicalStorageBuffer64)
    {
        return cx.fail_at(&super::vulkan::environment::ADDRESSING, inst, 1, || {
            format!("the addressing model is {addressing}, but Vulkan needs Logical or PhysicalStorageBuffer64")
        });
    }
    Ok(())
}

fn capability<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let cap = Capability(inst.word(1));
    let cooperative = cap == Capability::CooperativeMatrixKHR;
    if cooperative && cx.has(Capability::Shader) && !cx.has(Capability::VulkanMemoryModel) {
        return cx.fail_at(&CAPABILITY, inst, 1, || {
            format!("{cap} and Shader are declared, but VulkanMemoryModel, which they need together, is not")
        });
    }
    super::environment::capability(cx, inst, cap)
}

/// Judged at the end of the module: what concerns the functions that an entry point reaches.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let modes = Modes::of_module(cx);
    names(cx);
    for entry in cx.m.entry_points() {
        groups(cx, &modes, &entry).ok();
        super::mode_needs::entry_point(cx, &modes, &entry).ok();
        super::intel::entry_point(cx, &modes, &entry).ok();
        super::enqueue::entry_point(cx, &modes, &entry).ok();
        super::derivative::group_sizes(cx, &modes, &entry).ok();
        super::vulkan::environment::entry_point(cx, &modes, &entry);
    }
    bindless(cx);
    workgroup_sizes(cx);
    interlocks(cx);
    fast_math_trees(cx);
}

/// Bindless textures need to know how large their handles are.
fn bindless(cx: &mut Cx<'_>) {
    if !cx.has(Capability::BindlessTextureNV) {
        return;
    }
    let modes = cx.m.global_insts().filter(|i| i.op() == Op::SamplerImageAddressingModeNV);
    let count = modes.count();
    if count != 1
        && let Some(at) = cx.m.memory_model_inst()
    {
        let text = || format!("the module has {count} OpSamplerImageAddressingModeNV, but needs one");
        cx.fail(&BINDLESS, at, text).ok();
    }
}

/// A constant `WorkgroupSize` has no zero.
fn workgroup_sizes(cx: &mut Cx<'_>) {
    if let Some((id, sizes)) = workgroup_size(cx.m)
        && sizes.contains(&Some(0))
        && let Some(def) = cx.m.def(id)
    {
        cx.fail(&LOCAL_SIZE, def, || format!("a dimension of {id}, decorated with WorkgroupSize, is 0")).ok();
    }
}

/// The constant that is decorated with `WorkgroupSize`, with those of its components that no specialisation changes.
pub(crate) fn workgroup_size(m: Module<'_>) -> Option<(Id, [Option<u64>; 3])> {
    let size = |i: &Inst<'_>| {
        i.op() == Op::Decorate
            && i.word(2) == Decoration::BuiltIn.0
            && i.word(3) == spirula_grammar::BuiltIn::WorkgroupSize.0
    };
    let id = m.annotations().find(size)?.id(1);
    let def = m.def(id).filter(|d| matches!(d.op(), Op::ConstantComposite | Op::SpecConstantComposite))?;
    let value = |word: usize| m.int_constant(def.id(word)).filter(|c| !c.spec).map(|c| c.bits);
    Some((id, [value(3), value(4), value(5)]))
}

/// Which functions an entry point reaches, by index.
pub(crate) fn reached<'a>(cx: &Cx<'a>, entry: Id) -> List<'a, bool> {
    let m = cx.m;
    let mut seen = cx.collect(m.functions().iter().map(|_| false));
    let mut work = cx.collect(m.info(entry).function());
    while let Some(index) = work.pop() {
        let (Some(seen), Some(function)) = (seen.get_mut(index), m.functions().get(index)) else { continue };
        if core::mem::replace(seen, true) {
            continue;
        }
        work.extend(m.calls(function).iter().filter_map(|c| m.info(c.callee).function()));
    }
    seen
}

fn interlocks(cx: &mut Cx<'_>) {
    let m = cx.m;
    let caps = [
        Capability::FragmentShaderSampleInterlockEXT,
        Capability::FragmentShaderPixelInterlockEXT,
        Capability::FragmentShaderShadingRateInterlockEXT,
    ];
    if !caps.iter().any(|c| m.has(*c)) {
        return;
    }
    let is = |i: Inst<'_>| matches!(i.op(), Op::BeginInvocationInterlockEXT | Op::EndInvocationInterlockEXT);
    let uses = cx.collect(m.functions().iter().map(|f| m.insts(f.body_words()).any(is)));
    let lacking = |e: &EntryPoint<'_>| {
        e.model == Model::Fragment && !m.execution_modes(e.function).any(|(mode, _)| INTERLOCKS.contains(&mode))
    };
    for entry in m.entry_points().filter(lacking).take(64) {
        let reached = reached(cx, entry.function);
        let Some(index) = uses.iter().zip(reached).position(|(uses, reached)| *uses && reached) else { continue };
        let Some(at) = m.functions().get(index).and_then(|f| m.inst_at(f.start)) else { continue };
        let text = || format!("the entry point {} reaches this function, but sets no interlock mode", entry.function);
        cx.fail(&INTERLOCK, at, text).ok();
    }
}

/// How many decorated instructions are looked at.
const MOST: usize = 256;

fn fast_math_trees(cx: &mut Cx<'_>) {
    let m = cx.m;
    if !m.has(Capability::FloatControls2) {
        return;
    }
    let guilty = |i: &Inst<'_>| {
        i.op() == Op::Decorate
            && (i.word(2) == Decoration::NoContraction.0
                || i.word(2) == Decoration::FPFastMathMode.0 && i.word(3) & FPFastMathMode::Fast.0 != 0)
    };
    let mut targets = cx.list();
    for inst in m.annotations().filter(guilty).take(MOST) {
        if m.info(inst.id(1)).op == Op::DecorationGroup {
            let uses = m.annotations().filter(|i| i.op() == Op::GroupDecorate && i.id(1) == inst.id(1));
            targets.extend(uses.flat_map(|i| i.tail(2)).take(MOST).map(|w| (Id(*w), Decoration(inst.word(2)))));
        } else {
            targets.push((inst.id(1), Decoration(inst.word(2))));
        }
    }
    targets.truncate(MOST);
    if targets.is_empty() {
        return;
    }
    let has_default =
        |e: &EntryPoint<'_>| m.execution_modes(e.function).any(|(mode, _)| mode == Mode::FPFastMathDefault);
    let mut entries = m.entry_points().filter(has_default).take(64).peekable();
    if entries.peek().is_none() {
        return;
    }
    // Found once for all: it takes a look at the whole module.
    let mut uses = m.uses_of(targets.iter().map(|t| t.0).filter(|id| !m.info(*id).is_local()));
    uses.sort_unstable_by_key(|u| (u.id, u.function));
    for entry in entries {
        let reached = reached(cx, entry.function);
        for (target, decoration) in &targets {
            let def = m.info(*target).def;
            let index = m.functions().partition_point(|f| f.end <= def);
            let inside = m.functions().get(index).is_some_and(|f| f.contains(def));
            let guilty = if inside {
                (reached.get(index) == Some(&true)).then_some(def)
            } else {
                // A specialisation constant counts where it is used.
                let of_target = uses.partition_point(|u| u.id < *target)..;
                let mut uses = uses[of_target].iter().take_while(|u| u.id == *target);
                uses.find(|u| reached.get(u.function as usize) == Some(&true)).map(|u| u.at)
            };
            if let Some(at) = guilty.and_then(|at| m.inst_at(at)) {
                let text = || {
                    let entry = entry.function;
                    format!(
                        "the decoration {decoration} excludes FPFastMathDefault, which the entry point {entry} sets"
                    )
                };
                cx.fail(&FAST_MATH_TREE, at, text).ok();
            }
        }
    }
}
