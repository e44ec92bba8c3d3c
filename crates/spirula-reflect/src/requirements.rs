//! What a module requires of Vulkan.

use alloc::string::{String, ToString};
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{BuiltIn, Capability, Decoration, Op, OperandKind};

use crate::model::{Requirement, Requirements, VersionNumber};
use crate::{Cx, text};

/// A capability, the features of which any brings it, the device extension, and the Vulkan 1.x that has it in core
/// (`NONE` where none has).
type Row = (Capability, &'static [&'static str], &'static [&'static str], u8);

const NONE: u8 = u8::MAX;

/// Capabilities that ask for a feature or an extension (Vulkan, "Capabilities").
static TABLE: &[Row] = &[
    (Capability::Geometry, &["geometryShader"], &[], 0),
    (Capability::Tessellation, &["tessellationShader"], &[], 0),
    (Capability::Float64, &["shaderFloat64"], &[], 0),
    (Capability::Int64, &["shaderInt64"], &[], 0),
    (Capability::Int16, &["shaderInt16"], &[], 0),
    (Capability::Float16, &["shaderFloat16"], &["VK_KHR_shader_float16_int8"], 2),
    (Capability::Int8, &["shaderInt8"], &["VK_KHR_shader_float16_int8"], 2),
    (Capability::TessellationPointSize, &["shaderTessellationAndGeometryPointSize"], &[], 0),
    (Capability::GeometryPointSize, &["shaderTessellationAndGeometryPointSize"], &[], 0),
    (Capability::ImageGatherExtended, &["shaderImageGatherExtended"], &[], 0),
    (Capability::StorageImageMultisample, &["shaderStorageImageMultisample"], &[], 0),
    (Capability::UniformBufferArrayDynamicIndexing, &["shaderUniformBufferArrayDynamicIndexing"], &[], 0),
    (Capability::SampledImageArrayDynamicIndexing, &["shaderSampledImageArrayDynamicIndexing"], &[], 0),
    (Capability::StorageBufferArrayDynamicIndexing, &["shaderStorageBufferArrayDynamicIndexing"], &[], 0),
    (Capability::StorageImageArrayDynamicIndexing, &["shaderStorageImageArrayDynamicIndexing"], &[], 0),
    (Capability::ClipDistance, &["shaderClipDistance"], &[], 0),
    (Capability::CullDistance, &["shaderCullDistance"], &[], 0),
    (Capability::ImageCubeArray, &["imageCubeArray"], &[], 0),
    (Capability::SampledCubeArray, &["imageCubeArray"], &[], 0),
    (Capability::SampleRateShading, &["sampleRateShading"], &[], 0),
    (Capability::SparseResidency, &["shaderResourceResidency"], &[], 0),
    (Capability::MinLod, &["shaderResourceMinLod"], &[], 0),
    (
        Capability::StorageImageReadWithoutFormat,
        &["shaderStorageImageReadWithoutFormat"],
        &["VK_KHR_format_feature_flags2"],
        3,
    ),
    (
        Capability::StorageImageWriteWithoutFormat,
        &["shaderStorageImageWriteWithoutFormat"],
        &["VK_KHR_format_feature_flags2"],
        3,
    ),
    (Capability::MultiViewport, &["multiViewport"], &[], 0),
    (Capability::DrawParameters, &["shaderDrawParameters"], &["VK_KHR_shader_draw_parameters"], 1),
    (Capability::MultiView, &["multiview"], &["VK_KHR_multiview"], 1),
    (Capability::DeviceGroup, &[], &["VK_KHR_device_group"], 1),
    (Capability::VariablePointersStorageBuffer, &["variablePointersStorageBuffer"], &["VK_KHR_variable_pointers"], 1),
    (Capability::VariablePointers, &["variablePointers"], &["VK_KHR_variable_pointers"], 1),
    (Capability::StencilExportEXT, &[], &["VK_EXT_shader_stencil_export"], NONE),
    (Capability::SubgroupBallotKHR, &[], &["VK_EXT_shader_subgroup_ballot"], NONE),
    (Capability::SubgroupVoteKHR, &[], &["VK_EXT_shader_subgroup_vote"], NONE),
    (Capability::ShaderClockKHR, &["shaderSubgroupClock", "shaderDeviceClock"], &["VK_KHR_shader_clock"], NONE),
    (Capability::StorageBuffer16BitAccess, &["storageBuffer16BitAccess"], &["VK_KHR_16bit_storage"], 1),
    (
        Capability::UniformAndStorageBuffer16BitAccess,
        &["uniformAndStorageBuffer16BitAccess"],
        &["VK_KHR_16bit_storage"],
        1,
    ),
    (Capability::StoragePushConstant16, &["storagePushConstant16"], &["VK_KHR_16bit_storage"], 1),
    (Capability::StorageInputOutput16, &["storageInputOutput16"], &["VK_KHR_16bit_storage"], 1),
    (Capability::StorageBuffer8BitAccess, &["storageBuffer8BitAccess"], &["VK_KHR_8bit_storage"], 2),
    (
        Capability::UniformAndStorageBuffer8BitAccess,
        &["uniformAndStorageBuffer8BitAccess"],
        &["VK_KHR_8bit_storage"],
        2,
    ),
    (Capability::StoragePushConstant8, &["storagePushConstant8"], &["VK_KHR_8bit_storage"], 2),
    (Capability::GroupNonUniform, &["VK_SUBGROUP_FEATURE_BASIC_BIT"], &[], 1),
    (Capability::GroupNonUniformVote, &["VK_SUBGROUP_FEATURE_VOTE_BIT"], &[], 1),
    (Capability::GroupNonUniformArithmetic, &["VK_SUBGROUP_FEATURE_ARITHMETIC_BIT"], &[], 1),
    (Capability::GroupNonUniformBallot, &["VK_SUBGROUP_FEATURE_BALLOT_BIT"], &[], 1),
    (Capability::GroupNonUniformShuffle, &["VK_SUBGROUP_FEATURE_SHUFFLE_BIT"], &[], 1),
    (Capability::GroupNonUniformShuffleRelative, &["VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT"], &[], 1),
    (Capability::GroupNonUniformClustered, &["VK_SUBGROUP_FEATURE_CLUSTERED_BIT"], &[], 1),
    (Capability::GroupNonUniformQuad, &["VK_SUBGROUP_FEATURE_QUAD_BIT"], &[], 1),
    (Capability::GroupNonUniformRotateKHR, &["shaderSubgroupRotate"], &["VK_KHR_shader_subgroup_rotate"], 4),
    (Capability::ShaderViewportIndexLayerEXT, &[], &["VK_EXT_shader_viewport_index_layer"], NONE),
    (Capability::ShaderViewportIndex, &["shaderOutputViewportIndex"], &["VK_EXT_shader_viewport_index_layer"], 2),
    (Capability::ShaderLayer, &["shaderOutputLayer"], &["VK_EXT_shader_viewport_index_layer"], 2),
    (
        Capability::FragmentShaderSampleInterlockEXT,
        &["fragmentShaderSampleInterlock"],
        &["VK_EXT_fragment_shader_interlock"],
        NONE,
    ),
    (
        Capability::FragmentShaderPixelInterlockEXT,
        &["fragmentShaderPixelInterlock"],
        &["VK_EXT_fragment_shader_interlock"],
        NONE,
    ),
    (
        Capability::DemoteToHelperInvocation,
        &["shaderDemoteToHelperInvocation"],
        &["VK_EXT_shader_demote_to_helper_invocation"],
        3,
    ),
    (Capability::FragmentDensityEXT, &["fragmentDensityMap"], &["VK_EXT_fragment_density_map"], NONE),
    (Capability::FragmentShadingRateKHR, &["pipelineFragmentShadingRate"], &["VK_KHR_fragment_shading_rate"], NONE),
    (Capability::FragmentBarycentricKHR, &["fragmentShaderBarycentric"], &["VK_KHR_fragment_shader_barycentric"], NONE),
    (Capability::MeshShadingEXT, &["meshShader"], &["VK_EXT_mesh_shader"], NONE),
    (Capability::MeshShadingNV, &["meshShader"], &["VK_NV_mesh_shader"], NONE),
    (Capability::RayTracingKHR, &["rayTracingPipeline"], &["VK_KHR_ray_tracing_pipeline"], NONE),
    (Capability::RayQueryKHR, &["rayQuery"], &["VK_KHR_ray_query"], NONE),
    (Capability::RayCullMaskKHR, &["rayTracingMaintenance1"], &["VK_KHR_ray_tracing_maintenance1"], NONE),
    (
        Capability::RayTracingPositionFetchKHR,
        &["rayTracingPositionFetch"],
        &["VK_KHR_ray_tracing_position_fetch"],
        NONE,
    ),
    (Capability::VulkanMemoryModel, &["vulkanMemoryModel"], &["VK_KHR_vulkan_memory_model"], 2),
    (Capability::VulkanMemoryModelDeviceScope, &["vulkanMemoryModelDeviceScope"], &["VK_KHR_vulkan_memory_model"], 2),
    (Capability::PhysicalStorageBufferAddresses, &["bufferDeviceAddress"], &["VK_KHR_buffer_device_address"], 2),
    (Capability::RuntimeDescriptorArray, &["runtimeDescriptorArray"], &["VK_EXT_descriptor_indexing"], 2),
    (
        Capability::InputAttachmentArrayDynamicIndexing,
        &["shaderInputAttachmentArrayDynamicIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::UniformTexelBufferArrayDynamicIndexing,
        &["shaderUniformTexelBufferArrayDynamicIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::StorageTexelBufferArrayDynamicIndexing,
        &["shaderStorageTexelBufferArrayDynamicIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::UniformBufferArrayNonUniformIndexing,
        &["shaderUniformBufferArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::SampledImageArrayNonUniformIndexing,
        &["shaderSampledImageArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::StorageBufferArrayNonUniformIndexing,
        &["shaderStorageBufferArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::StorageImageArrayNonUniformIndexing,
        &["shaderStorageImageArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::InputAttachmentArrayNonUniformIndexing,
        &["shaderInputAttachmentArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::UniformTexelBufferArrayNonUniformIndexing,
        &["shaderUniformTexelBufferArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::StorageTexelBufferArrayNonUniformIndexing,
        &["shaderStorageTexelBufferArrayNonUniformIndexing"],
        &["VK_EXT_descriptor_indexing"],
        2,
    ),
    (
        Capability::Int64Atomics,
        &["shaderBufferInt64Atomics", "shaderSharedInt64Atomics", "shaderImageInt64Atomics"],
        &["VK_KHR_shader_atomic_int64"],
        2,
    ),
    (Capability::Int64ImageEXT, &["shaderImageInt64Atomics"], &["VK_EXT_shader_image_atomic_int64"], NONE),
    (
        Capability::AtomicFloat32AddEXT,
        &["shaderBufferFloat32AtomicAdd", "shaderSharedFloat32AtomicAdd", "shaderImageFloat32AtomicAdd"],
        &["VK_EXT_shader_atomic_float"],
        NONE,
    ),
    (
        Capability::AtomicFloat64AddEXT,
        &["shaderBufferFloat64AtomicAdd", "shaderSharedFloat64AtomicAdd"],
        &["VK_EXT_shader_atomic_float"],
        NONE,
    ),
    (
        Capability::DenormPreserve,
        &["shaderDenormPreserveFloat16", "shaderDenormPreserveFloat32", "shaderDenormPreserveFloat64"],
        &["VK_KHR_shader_float_controls"],
        2,
    ),
    (
        Capability::DenormFlushToZero,
        &["shaderDenormFlushToZeroFloat16", "shaderDenormFlushToZeroFloat32", "shaderDenormFlushToZeroFloat64"],
        &["VK_KHR_shader_float_controls"],
        2,
    ),
    (
        Capability::SignedZeroInfNanPreserve,
        &[
            "shaderSignedZeroInfNanPreserveFloat16",
            "shaderSignedZeroInfNanPreserveFloat32",
            "shaderSignedZeroInfNanPreserveFloat64",
        ],
        &["VK_KHR_shader_float_controls"],
        2,
    ),
    (
        Capability::RoundingModeRTE,
        &["shaderRoundingModeRTEFloat16", "shaderRoundingModeRTEFloat32", "shaderRoundingModeRTEFloat64"],
        &["VK_KHR_shader_float_controls"],
        2,
    ),
    (
        Capability::RoundingModeRTZ,
        &["shaderRoundingModeRTZFloat16", "shaderRoundingModeRTZFloat32", "shaderRoundingModeRTZFloat64"],
        &["VK_KHR_shader_float_controls"],
        2,
    ),
    (Capability::FloatControls2, &["shaderFloatControls2"], &["VK_KHR_shader_float_controls2"], 4),
    (
        Capability::WorkgroupMemoryExplicitLayoutKHR,
        &["workgroupMemoryExplicitLayout"],
        &["VK_KHR_workgroup_memory_explicit_layout"],
        NONE,
    ),
    (Capability::ExpectAssumeKHR, &["shaderExpectAssume"], &["VK_KHR_shader_expect_assume"], 4),
    (Capability::DotProduct, &["shaderIntegerDotProduct"], &["VK_KHR_shader_integer_dot_product"], 3),
    (Capability::CooperativeMatrixKHR, &["cooperativeMatrix"], &["VK_KHR_cooperative_matrix"], NONE),
    (Capability::BitInstructions, &["shaderMaintenance9"], &["VK_KHR_maintenance9"], NONE),
    (Capability::QuadControlKHR, &["shaderQuadControl"], &["VK_KHR_shader_quad_control"], NONE),
    (Capability::UntypedPointersKHR, &["shaderUntypedPointers"], &["VK_KHR_shader_untyped_pointers"], NONE),
    (Capability::DescriptorHeapEXT, &["descriptorHeap"], &["VK_EXT_descriptor_heap"], NONE),
];

pub(crate) fn of(cx: &Cx<'_>) -> Requirements {
    let m = &cx.m;
    let declared: Vec<Capability> =
        m.global_insts().filter(|i| i.op() == Op::Capability).map(|i| Capability(i.word(1))).collect();
    let extensions = m.global_insts().filter(|i| i.op() == Op::Extension);
    let minor = m.version().minor;
    // Vulkan 1.0 takes SPIR-V 1.0, 1.1 takes 1.3, 1.2 takes 1.5, 1.3 takes 1.6.
    let vulkan = [0, 1, 1, 1, 2, 2].get(usize::from(minor)).copied().unwrap_or(3);
    Requirements {
        vulkan: VersionNumber { major: 1, minor: vulkan },
        capabilities: declared.iter().map(text).collect(),
        extensions: extensions.filter_map(|i| LitStr::read(i.tail(1))).map(LitStr::to_text).collect(),
        features: declared.iter().filter_map(|c| requirement(cx, *c)).collect(),
    }
}

fn requirement(cx: &Cx<'_>, capability: Capability) -> Option<Requirement> {
    let (_, features, extensions, core) = TABLE.iter().find(|r| r.0 == capability)?;
    let strings = |list: &[&str]| list.iter().map(|s| s.to_string()).collect();
    let cause = cause(cx, capability);
    Some(Requirement {
        features: strings(features),
        extensions: strings(extensions),
        core: (*core != NONE).then_some(VersionNumber { major: 1, minor: *core }),
        capability: text(capability),
        variable: cause.as_ref().and_then(|c| c.1).map(|id| id.0),
        cause: cause.map(|c| c.0),
    })
}

/// The first instruction that needs the capability: its text, and the variable that it is about.
fn cause(cx: &Cx<'_>, capability: Capability) -> Option<(String, Option<Id>)> {
    let m = &cx.m;
    if let Some(inst) = m.annotations().find(|i| built_in_of(*i).is_some_and(|b| built_in_needs(b, capability))) {
        let built_in = built_in_of(inst).map(text).unwrap_or_default();
        return Some((alloc::format!("{} {} BuiltIn {built_in}", inst.op(), inst.id(1)), Some(inst.id(1))));
    }
    let all = m.inst_offsets().iter().filter_map(|at| m.inst_at(*at));
    let needs =
        |i: &Inst<'_>| i.desc().is_some_and(|d| d.capabilities().contains(capability)) || type_needs(*i, capability);
    let inst = all.into_iter().find(needs)?;
    Some((alloc::format!("{}", inst.op()), inst.result()))
}

fn built_in_of(inst: Inst<'_>) -> Option<BuiltIn> {
    let at = match inst.op() {
        Op::Decorate => 2,
        Op::MemberDecorate => 3,
        _ => return None,
    };
    (Decoration(inst.word(at)) == Decoration::BuiltIn).then(|| BuiltIn(inst.word(at + 1)))
}

fn built_in_needs(built_in: BuiltIn, capability: Capability) -> bool {
    OperandKind::BuiltIn.enumerant(built_in.0).is_some_and(|e| e.capabilities().contains(capability))
}

/// Scalar types ask for capabilities by their width.
fn type_needs(inst: Inst<'_>, capability: Capability) -> bool {
    let wanted = match (inst.op(), inst.word(2)) {
        (Op::TypeInt, 8) => Capability::Int8,
        (Op::TypeInt, 16) => Capability::Int16,
        (Op::TypeInt, 64) => Capability::Int64,
        (Op::TypeFloat, 16) => Capability::Float16,
        (Op::TypeFloat, 64) => Capability::Float64,
        _ => return false,
    };
    wanted == capability
}
