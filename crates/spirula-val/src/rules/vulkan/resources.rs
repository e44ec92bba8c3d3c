//! Variables and accesses in Vulkan: resource and storage-class rules.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, ExecutionModel, Op, StorageClass};
use spirula_module::{ModelSet, Shape};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::{Parts, without_arrays};
use crate::rules::memory;

rules! {
    group "vulkan-resources";
    /// Variables with an initializer are in Output, Private, Function or Workgroup.
    INITIALIZER: "vulkan-initializer-class", vuid "VUID-StandaloneSpirv-OpVariable-04651";
    /// Workgroup memory can be initialised with OpConstantNull only.
    INITIALIZER_NULL: "vulkan-initializer-workgroup", vuid "VUID-StandaloneSpirv-OpVariable-04734";
    /// UniformConstant holds images, samplers, sampled images, acceleration structures, tensors, and arrays of them.
    UNIFORM_CONSTANT: "vulkan-uniform-constant-type", vuid "VUID-StandaloneSpirv-UniformConstant-04655";
    /// Only graphs have tensors with a shape.
    TENSOR_SHAPE: "vulkan-tensor-shape", warn vuid "VUID-RuntimeSpirv-OpTypeTensorARM-09902";
    /// The tensors of shaders have a rank.
    TENSOR_RANK: "vulkan-tensor-rank", warn vuid "VUID-RuntimeSpirv-OpTypeTensorARM-09907";
    /// Uniform and StorageBuffer hold structures, and arrays of them.
    BUFFER: "vulkan-buffer-type", vuid "VUID-StandaloneSpirv-Uniform-06807";
    /// PushConstant holds a structure.
    PUSH_CONSTANT: "vulkan-push-constant-type", vuid "VUID-StandaloneSpirv-PushConstant-06808";
    /// Push constants and storage buffers are decorated Block.
    BLOCK: "vulkan-block", vuid "VUID-StandaloneSpirv-PushConstant-06675";
    /// Uniform buffers are decorated Block, or BufferBlock.
    UNIFORM_BLOCK: "vulkan-uniform-block", vuid "VUID-StandaloneSpirv-Uniform-06676";
    /// Run-time arrays are in StorageBuffer, Uniform, UniformConstant or PhysicalStorageBuffer.
    RUNTIME_ARRAY: "vulkan-runtime-array-variable", vuid "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680";
    /// Arrays sized by a specialisation constant are not laid out explicitly, nor part of an interface. Compilers write
    /// such modules, and most consumers take the default size for the layout.
    SPEC_ARRAY: "vulkan-spec-sized-array", warn vuid "VUID-StandaloneSpirv-Function-04681";
    /// Vectors sized by a specialisation constant are not laid out explicitly, nor part of an interface.
    SPEC_VECTOR: "vulkan-spec-sized-vector", vuid "VUID-StandaloneSpirv-Function-12294";
    /// Invariant is for variables of the Input and Output storage classes.
    INVARIANT: "vulkan-invariant", vuid "VUID-StandaloneSpirv-Invariant-04677";
    /// Untyped variables outside of UniformConstant have a Data Type.
    UNTYPED_DATA: "vulkan-untyped-variable-data", vuid "VUID-StandaloneSpirv-OpUntypedVariableKHR-11167";
    /// Untyped variables in UniformConstant without Data Type are a descriptor heap.
    UNTYPED_HEAP: "vulkan-untyped-variable-heap", vuid "VUID-StandaloneSpirv-OpUntypedVariableKHR-11347";
    /// The sampler heap is in UniformConstant.
    SAMPLER_HEAP: "vulkan-sampler-heap-class", vuid "VUID-SamplerHeapEXT-SamplerHeapEXT-11239";
    /// The resource heap is in UniformConstant.
    RESOURCE_HEAP: "vulkan-resource-heap-class", vuid "VUID-ResourceHeapEXT-ResourceHeapEXT-11241";
    /// Tile attachments are two-dimensional images.
    TILE_ATTACHMENT: "vulkan-tile-attachment-dim", vuid "VUID-StandaloneSpirv-OpTypeImage-10693";
    /// Images, samplers and the like are never stored.
    STORE_OPAQUE: "vulkan-store-opaque", vuid "VUID-StandaloneSpirv-OpTypeImage-06924";
    /// Uniform blocks are read-only.
    STORE_UNIFORM: "vulkan-store-uniform", vuid "VUID-StandaloneSpirv-Uniform-06925";
    /// A sampler is loaded from a descriptor, or from the sampler heap.
    LOAD_SAMPLER: "vulkan-load-sampler", vuid "VUID-StandaloneSpirv-Result-11336";
    /// An image is loaded from a descriptor, or from the resource heap.
    LOAD_IMAGE: "vulkan-load-image", vuid "VUID-StandaloneSpirv-Result-11337";
    /// An acceleration structure is loaded from a descriptor, or from the resource heap.
    LOAD_ACCELERATION: "vulkan-load-acceleration-structure", vuid "VUID-StandaloneSpirv-Result-11339";
    /// Output is not for compute and ray-tracing shaders.
    OUTPUT: "vulkan-class-output", vuid "VUID-StandaloneSpirv-None-04644";
    /// Workgroup memory is for task, mesh and compute shaders.
    WORKGROUP: "vulkan-class-workgroup", vuid "VUID-StandaloneSpirv-None-04645";
    /// Tile images are for fragment shaders.
    TILE_IMAGE: "vulkan-class-tile-image", vuid "VUID-StandaloneSpirv-None-08720";
    /// Ray payloads are sent by ray generation, closest hit and miss shaders.
    RAY_PAYLOAD: "vulkan-class-ray-payload", vuid "VUID-StandaloneSpirv-RayPayloadKHR-04698";
    /// Ray payloads arrive in closest hit, any-hit and miss shaders.
    INCOMING_RAY_PAYLOAD: "vulkan-class-incoming-ray-payload", vuid "VUID-StandaloneSpirv-IncomingRayPayloadKHR-04699";
    /// Hit attributes are for intersection, any-hit and closest hit shaders.
    HIT_ATTRIBUTE: "vulkan-class-hit-attribute", vuid "VUID-StandaloneSpirv-HitAttributeKHR-04701";
    /// Hit attributes are written by intersection shaders only.
    HIT_ATTRIBUTE_WRITE: "vulkan-hit-attribute-write", vuid "VUID-StandaloneSpirv-HitAttributeKHR-04703";
    /// Attributes of hit objects are for ray generation, closest hit and miss shaders, which trace rays into them.
    HIT_OBJECT_ATTRIBUTE: "class-hit-object-attribute", extension "SPV_NV_shader_invocation_reorder";
    /// Callable data is sent by ray generation, closest hit, miss and callable shaders.
    CALLABLE_DATA: "vulkan-class-callable-data", vuid "VUID-StandaloneSpirv-CallableDataKHR-04704";
    /// Callable data arrives in callable shaders.
    INCOMING_CALLABLE_DATA: "vulkan-class-incoming-callable-data", vuid "VUID-StandaloneSpirv-IncomingCallableDataKHR-04705";
    /// The shader record is for ray-tracing shaders.
    SHADER_RECORD: "vulkan-class-shader-record", vuid "VUID-StandaloneSpirv-ShaderRecordBufferKHR-07119";
}

pub(crate) const TABLE: Table = rule_table! {
    Variable | UntypedVariableKHR => variable;
    Load => load;
    Store => store;
    AccessChain | InBoundsAccessChain => chain;
    AtomicLoad => atomic_load;
    AtomicStore | AtomicFlagClear => atomic_store;
    AtomicExchange | AtomicCompareExchange | AtomicCompareExchangeWeak => chain;
    AtomicIIncrement | AtomicIDecrement | AtomicIAdd | AtomicISub | AtomicFlagTestAndSet => chain;
    AtomicSMin | AtomicUMin | AtomicSMax | AtomicUMax | AtomicAnd | AtomicOr | AtomicXor => chain;
    AtomicFAddEXT | AtomicFMinEXT | AtomicFMaxEXT => chain;
    CopyMemory | CopyMemorySized => copy;
};

fn variable<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, id) = (cx.m, inst.id(2));
    let class = StorageClass(inst.word(3));
    let untyped = inst.op() == Op::UntypedVariableKHR;
    let data = if untyped { inst.id(4) } else { m.pointer(inst.id(1)).map_or(Id(0), |p| p.1) };
    if untyped && inst.words().len() <= 4 {
        return untyped_variable(cx, inst, class);
    }
    let initializer = if untyped { 5 } else { 4 };
    let uneasy = Parts::RUNTIME_ARRAY.or(Parts::SPEC_VECTOR);
    if class == StorageClass::Function && !cx.parts(data).any(uneasy) && !m.is_decorated(id, Decoration::Invariant) {
        return Ok(());
    }
    if inst.words().len() > initializer {
        initialised(cx, inst, class, initializer)?;
    }
    let (inner, arrays) = without_arrays(m, data);
    let held = of_class(cx, inst, class, data, (inner, arrays));
    runtime_array(cx, inst, class, data, inner, arrays)?;
    held?;
    spec_sized(cx, inst, class, data, inner)?;
    let invariant = m.is_decorated(id, Decoration::Invariant)
        || m.decorations(inner).any(|d| d.decoration == Decoration::Invariant && d.member.is_some());
    let ok = !invariant || matches!(class, StorageClass::Input | StorageClass::Output);
    cx.check(ok, &INVARIANT, inst, || format!("{id} or a member is decorated Invariant, but {id} is in {class}"))
}

/// The built-in that a variable is decorated with stands for a heap.
pub(crate) fn heap_class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, built_in: BuiltIn, class: StorageClass) -> Checked {
    let id = inst.id(2);
    let rule: &'static Rule = match built_in {
        BuiltIn::SamplerHeapEXT => &SAMPLER_HEAP,
        BuiltIn::ResourceHeapEXT => &RESOURCE_HEAP,
        _ => return Ok(()),
    };
    cx.check_at(class == StorageClass::UniformConstant, rule, inst, 3, || format!("the heap {id} is in {class}"))
}

fn untyped_variable<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass) -> Checked {
    let id = inst.id(2);
    if class != StorageClass::UniformConstant {
        return cx.fail(&UNTYPED_DATA, inst, || format!("{id} is in {class}, but has no Data Type"));
    }
    let heap = memory::heap(cx, id).is_some();
    cx.check(heap, &UNTYPED_HEAP, inst, || {
        format!("{id} has no Data Type, but is decorated BuiltIn neither SamplerHeapEXT nor ResourceHeapEXT")
    })
}

fn initialised<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, word: usize) -> Checked {
    let ok = matches!(
        class,
        StorageClass::Output | StorageClass::Private | StorageClass::Function | StorageClass::Workgroup
    );
    cx.check_at(ok, &INITIALIZER, inst, word, || format!("{} is in {class}, but has an initializer", inst.id(2)))?;
    let null = class != StorageClass::Workgroup || cx.m.info(inst.id(word)).op == Op::ConstantNull;
    cx.check_at(null, &INITIALIZER_NULL, inst, word, || {
        format!("{} is in Workgroup, but its initializer is not OpConstantNull", inst.id(2))
    })
}

/// What a storage class can hold.
fn of_class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, (inner, arrays): (Id, u32)) -> Checked {
    let (m, id) = (cx.m, inst.id(2));
    let describe = |ty| memory::describe(m, ty);
    let is_struct = m.key(inner).shape() == Shape::Struct;
    match class {
        StorageClass::UniformConstant => {
            let ok = matches!(
                m.info(inner).op,
                Op::TypeImage
                    | Op::TypeSampler
                    | Op::TypeSampledImage
                    | Op::TypeAccelerationStructureKHR
                    | Op::TypeTensorARM
            );
            let heap = memory::heap(cx, id).is_some();
            cx.check(ok && arrays <= 1 || heap, &UNIFORM_CONSTANT, inst, || {
                format!("{id} is in UniformConstant, but holds {}", describe(data))
            })?;
            if m.info(inner).op == Op::TypeTensorARM { tensor(cx, inst, inner) } else { Ok(()) }
        }
        StorageClass::Uniform | StorageClass::StorageBuffer => {
            cx.check(is_struct && arrays <= 1, &BUFFER, inst, || {
                format!("{id} is in {class}, but holds {}", describe(data))
            })?;
            blocks(cx, inst, class, inner)
        }
        StorageClass::PushConstant => {
            let ok = m.key(data).shape() == Shape::Struct || (is_struct && cx.has(Capability::PushConstantBanksNV));
            cx.check(ok, &PUSH_CONSTANT, inst, || format!("{id} is in PushConstant, but holds {}", describe(data)))?;
            blocks(cx, inst, class, inner)
        }
        StorageClass::TileAttachmentQCOM => {
            let image = match m.ty(inner) {
                Some(spirula_module::Type::SampledImage { image }) => m.ty(image),
                other => other,
            };
            let ok = !matches!(image, Some(spirula_module::Type::Image(i)) if i.dim != spirula_grammar::Dim::Dim2D);
            cx.check(ok, &TILE_ATTACHMENT, inst, || format!("{id} is in {class}, but its image is not 2D"))
        }
        _ => Ok(()),
    }
}

/// A tensor in a module with shaders and without graphs.
fn tensor<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, ty: Id) -> Checked {
    let (id, words) = (inst.id(2), cx.def(ty)?.words().len());
    if cx.has(Capability::GraphARM) || cx.m.entry_points().next().is_none() {
        return Ok(());
    }
    cx.check(words > 3, &TENSOR_RANK, inst, || format!("the tensor {id} of a shader has no rank"))?;
    cx.check(words <= 4, &TENSOR_SHAPE, inst, || format!("the tensor {id} of a shader has a shape"))
}

fn blocks<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, inner: Id) -> Checked {
    let m = cx.m;
    let block = m.is_decorated(inner, Decoration::Block);
    if class == StorageClass::Uniform {
        let ok = block || m.is_decorated(inner, Decoration::BufferBlock);
        return cx.check(ok, &UNIFORM_BLOCK, inst, || {
            msg(format!("the structure {inner} of {} is decorated neither Block nor BufferBlock", inst.id(2)))
                .declared(m, inner)
        });
    }
    cx.check(block, &BLOCK, inst, || {
        msg(format!("the structure {inner} of {}, in {class}, is not decorated Block", inst.id(2))).declared(m, inner)
    })
}

fn runtime_array<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    class: StorageClass,
    data: Id,
    inner: Id,
    arrays: u32,
) -> Checked {
    if !cx.parts(data).any(Parts::RUNTIME_ARRAY) {
        return Ok(());
    }
    let (m, id) = (cx.m, inst.id(2));
    if arrays > 0 && m.info(data).op == Op::TypeRuntimeArray {
        let ok = cx.has(Capability::RuntimeDescriptorArray);
        cx.check(ok, &RUNTIME_ARRAY, inst, || {
            msg(format!("{id} is a run-time array of resources")).help("that needs capability RuntimeDescriptorArray")
        })?;
        let ok = matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::UniformConstant);
        cx.check(ok, &RUNTIME_ARRAY, inst, || format!("{id} is a run-time array in {class}"))?;
    }
    if m.key(inner).shape() != Shape::Struct || !cx.parts(inner).any(Parts::RUNTIME_ARRAY) {
        return Ok(());
    }
    let ok = matches!(
        class,
        StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::UniformConstant
    );
    cx.check(ok, &RUNTIME_ARRAY, inst, || format!("{id} ends with a run-time array, but is in {class}"))?;
    let block = m.is_decorated(inner, Decoration::Block);
    let buffer_block = class == StorageClass::Uniform && m.is_decorated(inner, Decoration::BufferBlock);
    cx.check(block || buffer_block || class == StorageClass::UniformConstant, &RUNTIME_ARRAY, inst, || {
        format!("{id} ends with a run-time array, but its structure {inner} is not decorated Block")
    })
}

fn spec_sized<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, inner: Id) -> Checked {
    let (m, parts) = (cx.m, cx.parts(data));
    if parts.any(Parts::SPEC_ARRAY) {
        spec_sized_array(cx, inst, class, data, inner)?;
    }
    if !parts.any(Parts::SPEC_VECTOR) {
        return Ok(());
    }
    let free = match class {
        StorageClass::Function | StorageClass::Private => true,
        StorageClass::Workgroup => !m.is_decorated(inner, Decoration::Block),
        _ => false,
    };
    cx.check(free, &SPEC_VECTOR, inst, || {
        format!("{} contains a vector sized by a specialisation constant, but is in {class}", inst.id(2))
    })
}

/// An array sized by a specialisation constant is the type of its variable, not a part of it, in what others see.
fn spec_sized_array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, inner: Id) -> Checked {
    let m = cx.m;
    let free = match class {
        StorageClass::Function | StorageClass::Private => true,
        StorageClass::Workgroup => !m.is_decorated(inner, Decoration::Block),
        _ => false,
    };
    let element = |ty| m.def(ty).filter(|i| matches!(i.op(), Op::TypeArray | Op::TypeRuntimeArray)).map(|i| i.id(2));
    // Interface variables of some stages have a level of arrays of their own.
    let levels = if matches!(class, StorageClass::Input | StorageClass::Output) { 2 } else { 1 };
    let mut part = data;
    for _ in 0..levels {
        part = element(part).unwrap_or(part);
    }
    cx.check(free || !cx.parts(part).any(Parts::SPEC_ARRAY), &SPEC_ARRAY, inst, || {
        format!("{} contains an array sized by a specialisation constant, but is in {class}", inst.id(2))
    })
}

// --- accesses ---

/// The pointer at `word` is to a storage class of the execution models that reach this place.
pub(crate) fn class_models(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    // Most pointers are to classes that all models have.
    if cx.parts(cx.m.type_id_of(inst.id(word))).any(Parts::EASY) {
        return Ok(());
    }
    let Some(class) = cx.m.class_of(inst.id(word)) else { return Ok(()) };
    if matches!(class, StorageClass::Function | StorageClass::Input | StorageClass::Uniform | StorageClass::Private) {
        return Ok(());
    }
    let Some((rule, allowed)) = models_of(class) else { return Ok(()) };
    if cx.models_here().without(allowed).is_empty() {
        return Ok(());
    }
    let id = inst.id(word);
    cx.check_models(allowed, rule, inst, |others| {
        format!("{id} points to {class}, which entry points with execution model {others} do not have")
    })
}

/// Variables are used in the stages that there are for their storage class, whatever the instruction. Outside of Vulkan
/// that is a matter of ray tracing alone.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let vulkan = cx.env.is_vulkan();
    if !vulkan && !cx.has(Capability::RayTracingKHR) && !cx.has(Capability::RayTracingNV) {
        return;
    }
    let m = cx.m;
    let uses = cx.collect(cx.flow.uses.list.iter().copied());
    // Accesses have been judged where they stand.
    let mut judged = cx.collect(cx.out.iter().map(|d| (d.at.word, d.rule.name)));
    judged.sort_unstable();
    for u in uses {
        let class = m.class_of(u.id).unwrap_or(StorageClass::Function);
        if matches!(class, StorageClass::Output | StorageClass::Workgroup) && !vulkan {
            continue; // Only Vulkan restricts them.
        }
        let (Some((rule, allowed)), Some(inst)) = (models_of(class), m.inst_at(u.at)) else { continue };
        let others = m.models_reaching(u.function as usize).without(allowed);
        if others.is_empty() || judged.binary_search(&(inst.offset(), rule.name)).is_ok() {
            continue;
        }
        let text = || format!("{} is in {class}, which entry points with execution model {others} do not have", u.id);
        cx.fail(rule, inst, text).ok();
    }
}

fn models_of(class: StorageClass) -> Option<(&'static Rule, ModelSet)> {
    use ExecutionModel as M;
    let of = |models: &[M]| ModelSet::of(models);
    let compute = [M::GLCompute, M::TaskEXT, M::MeshEXT, M::TaskNV, M::MeshNV];
    Some(match class {
        StorageClass::Output => (
            &OUTPUT,
            of(&[
                M::Vertex,
                M::TessellationControl,
                M::TessellationEvaluation,
                M::Geometry,
                M::Fragment,
                M::Kernel,
                M::TaskNV,
                M::MeshNV,
                M::TaskEXT,
                M::MeshEXT,
            ]),
        ),
        StorageClass::Workgroup => (&WORKGROUP, of(&compute)),
        StorageClass::TileImageEXT => (&TILE_IMAGE, of(&[M::Fragment])),
        StorageClass::RayPayloadKHR => (&RAY_PAYLOAD, of(&[M::RayGenerationKHR, M::ClosestHitKHR, M::MissKHR])),
        StorageClass::IncomingRayPayloadKHR => {
            (&INCOMING_RAY_PAYLOAD, of(&[M::ClosestHitKHR, M::AnyHitKHR, M::MissKHR]))
        }
        StorageClass::HitAttributeKHR => (&HIT_ATTRIBUTE, of(&[M::IntersectionKHR, M::AnyHitKHR, M::ClosestHitKHR])),
        StorageClass::CallableDataKHR => {
            (&CALLABLE_DATA, of(&[M::RayGenerationKHR, M::ClosestHitKHR, M::MissKHR, M::CallableKHR]))
        }
        StorageClass::HitObjectAttributeNV | StorageClass::HitObjectAttributeEXT => {
            (&HIT_OBJECT_ATTRIBUTE, of(&[M::RayGenerationKHR, M::ClosestHitKHR, M::MissKHR]))
        }
        StorageClass::IncomingCallableDataKHR => (&INCOMING_CALLABLE_DATA, of(&[M::CallableKHR])),
        StorageClass::ShaderRecordBufferKHR => (
            &SHADER_RECORD,
            of(&[M::RayGenerationKHR, M::IntersectionKHR, M::AnyHitKHR, M::ClosestHitKHR, M::MissKHR, M::CallableKHR]),
        ),
        _ => return None,
    })
}

/// Hit attributes are written by intersection shaders.
pub(crate) fn hit_attribute_write(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    class_models(cx, inst, word)?;
    let id = inst.id(word);
    cx.check_models(ModelSet::of(&[ExecutionModel::IntersectionKHR]), &HIT_ATTRIBUTE_WRITE, inst, |others| {
        format!("{id} points to HitAttributeKHR, but entry points with execution model {others} write it")
    })
}

fn chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    class_models(cx, inst, 3)
}

fn atomic_load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    crate::rules::mesh::read(cx, inst, 3)?;
    class_models(cx, inst, 3)
}

fn atomic_store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    class_models(cx, inst, 1)
}

fn copy<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    crate::rules::mesh::read(cx, inst, 2)?;
    class_models(cx, inst, 1)?;
    class_models(cx, inst, 2)?;
    let target = cx.m.pointer(cx.m.type_id_of(inst.id(1))).map_or(Id(0), |p| p.1);
    not_opaque(cx, inst, 1, target)?;
    not_uniform(cx, inst, 1)
}

fn load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    crate::rules::mesh::read(cx, inst, 3)?;
    class_models(cx, inst, 3)?;
    let m = cx.m;
    let (rule, heap): (&'static Rule, BuiltIn) = match m.info(inst.id(1)).op {
        Op::TypeSampler => (&LOAD_SAMPLER, BuiltIn::SamplerHeapEXT),
        Op::TypeImage => (&LOAD_IMAGE, BuiltIn::ResourceHeapEXT),
        Op::TypeAccelerationStructureKHR => (&LOAD_ACCELERATION, BuiltIn::ResourceHeapEXT),
        _ => return Ok(()),
    };
    if !cx.has(Capability::DescriptorHeapEXT) {
        return Ok(());
    }
    let Some(variable) = memory::root(m, inst.id(3)) else { return Ok(()) };
    if !matches!(variable.op(), Op::Variable | Op::UntypedVariableKHR) {
        return Ok(());
    }
    let id = variable.id(2);
    let class = StorageClass(variable.word(3));
    let local = rule == &LOAD_ACCELERATION && matches!(class, StorageClass::Private | StorageClass::Function);
    let bound = m.is_decorated(id, Decoration::Binding) && m.is_decorated(id, Decoration::DescriptorSet);
    let ok = local
        || bound
        || memory::heap(cx, id) == Some(heap)
        || matches!(class, StorageClass::TileImageEXT | StorageClass::TileAttachmentQCOM);
    cx.check_at(ok, rule, inst, 3, || {
        format!("{} is derived from {id}, which has no DescriptorSet and Binding and is not BuiltIn {heap}", inst.id(3))
    })
}

fn store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    class_models(cx, inst, 1)?;
    let object = cx.m.type_id_of(inst.id(2));
    not_opaque(cx, inst, 2, object)?;
    not_uniform(cx, inst, 1)
}

/// What is stored is no image, sampler or the like.
fn not_opaque<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, object: Id) -> Checked {
    let m = cx.m;
    let (inner, _) = without_arrays(m, object);
    let opaque = matches!(
        m.info(inner).op,
        Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage | Op::TypeAccelerationStructureKHR | Op::TypeTensorARM
    );
    cx.check_at(!opaque, &STORE_OPAQUE, inst, word, || {
        format!("an object of the type {} cannot be stored", memory::describe(m, object))
    })
}

/// Nothing writes to uniform blocks.
pub(crate) fn not_uniform(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    let m = cx.m;
    if m.class_of(inst.id(word)) != Some(StorageClass::Uniform) {
        return Ok(());
    }
    let Some(variable) = memory::root(m, inst.id(word)) else { return Ok(()) };
    let data = match variable.op() {
        Op::Variable => m.pointer(variable.id(1)).map_or(Id(0), |p| p.1),
        Op::UntypedVariableKHR if variable.words().len() > 4 => variable.id(4),
        _ => return Ok(()),
    };
    let (inner, _) = without_arrays(m, data);
    cx.check_at(!m.is_decorated(inner, Decoration::Block), &STORE_UNIFORM, inst, word, || {
        format!("{} points into {}, a Block in the Uniform storage class", inst.id(word), variable.id(2))
    })
}
