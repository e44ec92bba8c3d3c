//! Capabilities and extensions of SPIR-V, and what they ask of Vulkan.

use spirula_grammar::Capability;

/// A capability, the features of which any brings it, the device extension, and the Vulkan 1.x that has it in core
/// (`NONE` where none has).
pub(super) type Row = (Capability, &'static [&'static str], &'static [&'static str], u8);

pub(super) const NONE: u8 = u8::MAX;

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

/// By the value of a capability, where that is small: the position of its row plus 1.
static SMALL: [u8; 128] = {
    let mut all = [0; 128];
    let mut i = 0;
    while i < TABLE.len() {
        let value = TABLE[i].0.0 as usize;
        if value < all.len() {
            all[value] = i as u8 + 1;
        }
        i += 1;
    }
    all
};

/// The row of a capability; `None` where it asks for nothing.
pub(super) fn row(capability: Capability) -> Option<&'static Row> {
    match SMALL.get(capability.0 as usize) {
        // Most modules declare nothing else.
        Some(at) => TABLE.get(usize::from(*at).checked_sub(1)?),
        None => TABLE.iter().find(|r| r.0 == capability),
    }
}

/// SPIR-V extensions that stand for no capability of the table above: the device extension, and the Vulkan 1.x that has
/// it in core (Vulkan, "SPIR-V Extensions").
pub(super) static EXTENSIONS: &[(&str, &str, u8)] = &[
    ("SPV_AMD_gcn_shader", "VK_AMD_gcn_shader", NONE),
    ("SPV_AMD_gpu_shader_half_float", "VK_AMD_gpu_shader_half_float", NONE),
    ("SPV_AMD_gpu_shader_int16", "VK_AMD_gpu_shader_int16", NONE),
    ("SPV_AMD_shader_ballot", "VK_AMD_shader_ballot", NONE),
    ("SPV_AMD_shader_explicit_vertex_parameter", "VK_AMD_shader_explicit_vertex_parameter", NONE),
    ("SPV_AMD_shader_fragment_mask", "VK_AMD_shader_fragment_mask", NONE),
    ("SPV_AMD_shader_image_load_store_lod", "VK_AMD_shader_image_load_store_lod", NONE),
    ("SPV_AMD_shader_trinary_minmax", "VK_AMD_shader_trinary_minmax", NONE),
    ("SPV_AMD_texture_gather_bias_lod", "VK_AMD_texture_gather_bias_lod", NONE),
    ("SPV_EXT_descriptor_indexing", "VK_EXT_descriptor_indexing", 2),
    ("SPV_GOOGLE_decorate_string", "VK_GOOGLE_decorate_string", NONE),
    ("SPV_GOOGLE_hlsl_functionality1", "VK_GOOGLE_hlsl_functionality1", NONE),
    ("SPV_GOOGLE_user_type", "VK_GOOGLE_user_type", NONE),
    ("SPV_KHR_maximal_reconvergence", "VK_KHR_shader_maximal_reconvergence", NONE),
    ("SPV_KHR_non_semantic_info", "VK_KHR_shader_non_semantic_info", 3),
    ("SPV_KHR_relaxed_extended_instruction", "VK_KHR_shader_relaxed_extended_instruction", NONE),
    ("SPV_KHR_storage_buffer_storage_class", "VK_KHR_storage_buffer_storage_class", 1),
    ("SPV_KHR_subgroup_uniform_control_flow", "VK_KHR_shader_subgroup_uniform_control_flow", NONE),
    ("SPV_KHR_terminate_invocation", "VK_KHR_shader_terminate_invocation", 3),
];
