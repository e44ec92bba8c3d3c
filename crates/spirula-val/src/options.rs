use alloc::string::String;
use alloc::vec::Vec;

use spirula_diag::{Rule, Severity};

/// Universal limits (§2.17); each is the largest number allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Members of a structure.
    pub struct_members: u32,
    /// Nesting depth of structures.
    pub struct_depth: u32,
    /// Local variables of a function.
    pub local_variables: u32,
    /// Variables outside of functions.
    pub global_variables: u32,
    /// Literal and label pairs of an `OpSwitch`.
    pub switch_branches: u32,
    /// Parameters of a function type, and arguments of a call.
    pub function_args: u32,
    /// Nesting depth of structured control flow.
    pub control_flow_nesting_depth: u32,
    /// Indexes of an access chain or of composite instructions.
    pub access_chain_indexes: u32,
    /// The header's bound.
    pub id_bound: u32,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            struct_members: 16_383,
            struct_depth: 255,
            local_variables: 524_287,
            global_variables: 65_535,
            switch_branches: 16_383,
            function_args: 255,
            control_flow_nesting_depth: 1_023,
            access_chain_indexes: 255,
            id_bound: 4_194_303,
        }
    }
}

/// Size and alignment in bytes that a descriptor type has in a descriptor heap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DescriptorLayout {
    /// Size.
    pub size: u32,
    /// Alignment.
    pub align: u32,
}

/// How to validate, apart from the environment. The names follow the reference tool's flags.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// Limits of §2.17.
    pub limits: Limits,
    /// VK_KHR_relaxed_block_layout's rules (Vulkan 1.1 has them anyway).
    pub relax_block_layout: bool,
    /// std430 rules for uniform buffers (VK_KHR_uniform_buffer_standard_layout).
    pub uniform_buffer_standard_layout: bool,
    /// Scalar rules for blocks (VK_EXT_scalar_block_layout).
    pub scalar_block_layout: bool,
    /// Scalar rules for explicitly laid out workgroup memory.
    pub workgroup_scalar_block_layout: bool,
    /// No checks of block layout at all.
    pub skip_block_layout: bool,
    /// `OpStore` between structures that differ only in decorations.
    pub relax_struct_store: bool,
    /// Relaxed rules for logical pointers.
    pub relax_logical_pointer: bool,
    /// The module comes from an HLSL front end and is to be legalised later.
    pub before_hlsl_legalization: bool,
    /// The `LocalSizeId` execution mode (Vulkan 1.3 with maintenance4 has it anyway).
    pub allow_local_size_id: bool,
    /// `Offset` image operands on instructions other than gathers (VK_KHR_maintenance8).
    pub allow_offset_texture_operand: bool,
    /// Bit instructions with operands that are not 32 bits wide (VK_KHR_maintenance9).
    pub allow_vulkan_32_bit_bitwise: bool,
    /// Size and alignment of sampler descriptors.
    pub sampler_descriptor: Option<DescriptorLayout>,
    /// Size and alignment of image descriptors.
    pub image_descriptor: Option<DescriptorLayout>,
    /// Size and alignment of buffer descriptors.
    pub buffer_descriptor: Option<DescriptorLayout>,
    /// Rules or groups whose severity differs from their own; later entries win.
    pub levels: Vec<(String, Severity)>,
    /// Turn every warning into an error.
    pub deny_warnings: bool,
}

impl Options {
    /// Severity of a rule under these options.
    pub fn severity(&self, rule: &Rule) -> Severity {
        let named = self.levels.iter().rev().find(|(name, _)| name == rule.name || name == rule.group);
        let severity = named.map_or(rule.severity, |(_, s)| *s);
        if severity == Severity::Warning && self.deny_warnings { Severity::Error } else { severity }
    }
}
