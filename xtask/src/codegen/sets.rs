//! The extended instruction sets: which file, which name in `OpExtInstImport`, which name in Rust.

pub struct Set {
    pub file: &'static str,
    /// Name of the Rust type that holds its instruction numbers, and of its `ExtSet` variant.
    pub ident: &'static str,
    pub import: &'static str,
    /// The import name ends in a revision number.
    pub revisioned: bool,
}

const fn set(file: &'static str, ident: &'static str, import: &'static str, revisioned: bool) -> Set {
    Set { file, ident, import, revisioned }
}

/// Longer names first where one is the beginning of another.
pub const SETS: &[Set] = &[
    set("glsl.std.450", "GlslStd450", "GLSL.std.450", false),
    set("opencl.std.100", "OpenClStd", "OpenCL.std", false),
    set("debuginfo", "DebugInfo", "DebugInfo", false),
    set("opencl.debuginfo.100", "OpenClDebugInfo", "OpenCL.DebugInfo.100", false),
    set("nonsemantic.shader.debuginfo.100", "ShaderDebugInfo100", "NonSemantic.Shader.DebugInfo.100", false),
    set("nonsemantic.shader.debuginfo", "ShaderDebugInfo", "NonSemantic.Shader.DebugInfo", true),
    set("nonsemantic.debugprintf", "DebugPrintf", "NonSemantic.DebugPrintf", false),
    set("nonsemantic.debugbreak", "DebugBreak", "NonSemantic.DebugBreak", false),
    set("nonsemantic.clspvreflection", "ClspvReflection", "NonSemantic.ClspvReflection.", true),
    set("nonsemantic.vkspreflection", "VkspReflection", "NonSemantic.VkspReflection.", true),
    set("nonsemantic.graph.debuginfo", "GraphDebugInfo", "NonSemantic.Graph.DebugInfo.", true),
    set("spv-amd-gcn-shader", "AmdGcnShader", "SPV_AMD_gcn_shader", false),
    set("spv-amd-shader-ballot", "AmdShaderBallot", "SPV_AMD_shader_ballot", false),
    set(
        "spv-amd-shader-explicit-vertex-parameter",
        "AmdExplicitVertexParameter",
        "SPV_AMD_shader_explicit_vertex_parameter",
        false,
    ),
    set("spv-amd-shader-trinary-minmax", "AmdTrinaryMinMax", "SPV_AMD_shader_trinary_minmax", false),
    set("tosa.001000.1", "Tosa", "TOSA.001000.1", false),
    set("arm.motion-engine.100", "ArmMotionEngine", "Arm.MotionEngine.100", false),
    set("arm.experimental-ml-operations", "ArmExperimentalMl", "Arm.ExperimentalMLOperations", true),
];
