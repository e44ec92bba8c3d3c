//! Extension instructions (§3.3.4).

use alloc::format;

use spirula_binary::{Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::Version;

use super::ext_inst;
use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};

rules! {
    group "extensions";
    /// An extension needs the version of SPIR-V that its text requires ("Dependencies").
    VERSION: "extension-version", spec "OpExtension";
    /// As `extension-version`, for extensions whose requirement front ends have long ignored and consumers do not enforce.
    VERSION_IGNORED: "extension-version-ignored", warn spec "OpExtension";
}

pub(crate) const TABLE: Table = rule_table! {
    Extension => extension;
    ExtInstImport => ext_inst::import;
    ExtInst | ExtInstWithForwardRefsKHR => ext_inst::instruction;
};

/// Extensions that require a later SPIR-V than 1.0, with its minor version; sorted.
static NEEDS: &[(&str, u8)] = &[
    ("SPV_AMDX_shader_enqueue", 4),
    ("SPV_ARM_cooperative_matrix_layouts", 6),
    ("SPV_EXT_long_vector", 3),
    ("SPV_EXT_mesh_shader", 4),
    ("SPV_EXT_opacity_micromap", 4),
    ("SPV_EXT_physical_storage_buffer", 3),
    ("SPV_EXT_shader_invocation_reorder", 4),
    ("SPV_EXT_shader_subgroup_partitioned", 3),
    ("SPV_KHR_cooperative_matrix", 3),
    ("SPV_KHR_float_controls2", 2),
    ("SPV_KHR_opacity_micromap", 4),
    ("SPV_KHR_physical_storage_buffer", 3),
    ("SPV_KHR_quad_control", 3),
    ("SPV_KHR_ray_cull_mask", 4),
    ("SPV_KHR_ray_tracing", 4),
    ("SPV_KHR_ray_tracing_position_fetch", 4),
    ("SPV_KHR_subgroup_rotate", 3),
    ("SPV_KHR_subgroup_uniform_control_flow", 3),
    ("SPV_KHR_vulkan_memory_model", 3),
    ("SPV_KHR_workgroup_memory_explicit_layout", 4),
    ("SPV_NV_cluster_acceleration_structure", 4),
    ("SPV_NV_cooperative_matrix", 3),
    ("SPV_NV_cooperative_matrix2", 6),
    ("SPV_NV_cooperative_matrix_decode_vector", 6),
    ("SPV_NV_cooperative_vector", 6),
    ("SPV_NV_displacement_micromap", 4),
    ("SPV_NV_linear_swept_spheres", 4),
    ("SPV_NV_ray_tracing_motion_blur", 4),
    ("SPV_NV_shader_invocation_reorder", 4),
    ("SPV_NV_shader_sm_builtins", 3),
    ("SPV_NV_shader_subgroup_partitioned", 3),
    ("SPV_NV_tensor_addressing", 6),
    ("SPV_QCOM_cooperative_matrix_conversion", 3),
    ("SPV_QCOM_image_processing", 4),
    ("SPV_QCOM_image_processing2", 4),
    ("SPV_QCOM_image_processing3", 4),
    ("SPV_QCOM_subgroup_size", 1),
];

/// Those of them whose requirement consumers enforce.
static ENFORCED: &[&str] = &[
    "SPV_EXT_mesh_shader",
    "SPV_EXT_shader_invocation_reorder",
    "SPV_KHR_opacity_micromap",
    "SPV_KHR_vulkan_memory_model",
    "SPV_KHR_workgroup_memory_explicit_layout",
    "SPV_NV_cluster_acceleration_structure",
    "SPV_NV_linear_swept_spheres",
    "SPV_NV_shader_invocation_reorder",
    "SPV_QCOM_cooperative_matrix_conversion",
    "SPV_QCOM_image_processing",
    "SPV_QCOM_image_processing2",
    "SPV_QCOM_image_processing3",
];

fn extension<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let Some(name) = LitStr::read(inst.tail(1)) else { return Ok(()) };
    let Some((name, minor)) = NEEDS.iter().find(|(n, _)| name.eq_bytes(n.as_bytes())) else { return Ok(()) };
    let (needed, version) = (Version::v1(*minor), cx.version);
    let rule = if ENFORCED.contains(name) { &VERSION } else { &VERSION_IGNORED };
    cx.check_at(version >= needed, rule, inst, 1, || {
        format!("{name} requires SPIR-V {needed}, but the module is SPIR-V {version}")
    })
}
