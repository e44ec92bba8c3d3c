//! How to validate: the reference tool's flags under their own names, and the levels of rules.

use clap::{ArgMatches, Args};
use spirula_diag::{Cite, Severity};
use spirula_val::{DescriptorLayout, Limits, Options, TargetEnv, rules};

/// Options of validation.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Rules")]
pub struct ValArgs {
    /// Environment to validate for: spv1.0 … spv1.6, vulkan1.0 … vulkan1.4, vulkan1.1spv1.4, opencl…, opengl…; auto
    /// chooses by each module: Vulkan for capability Shader, OpenCL for Kernel, else SPIR-V alone
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = env_or_auto)]
    pub target_env: EnvChoice,
    /// Do not report violations of a rule, of a group of rules, or of a VUID
    #[arg(long, value_name = "RULE|GROUP", value_parser = known_rule)]
    pub allow: Vec<String>,
    /// Report violations as warnings
    #[arg(long, value_name = "RULE|GROUP", value_parser = known_rule)]
    pub warn: Vec<String>,
    /// Report violations as errors; "warnings" turns all warnings into errors
    #[arg(long, value_name = "RULE|GROUP", value_parser = known_rule)]
    pub deny: Vec<String>,

    /// VK_KHR_relaxed_block_layout: vectors in blocks may be aligned to their component (always so from Vulkan 1.1 on)
    #[arg(long)]
    pub relax_block_layout: bool,
    /// VK_KHR_uniform_buffer_standard_layout: std430 in uniform buffers
    #[arg(long)]
    pub uniform_buffer_standard_layout: bool,
    /// VK_EXT_scalar_block_layout: everything in blocks may be aligned to its scalars
    #[arg(long)]
    pub scalar_block_layout: bool,
    /// Scalar layout in Workgroup blocks
    #[arg(long)]
    pub workgroup_scalar_block_layout: bool,
    /// Do not check the layout of blocks
    #[arg(long)]
    pub skip_block_layout: bool,
    /// OpStore between structures that differ only in decorations
    #[arg(long)]
    pub relax_struct_store: bool,
    /// Pointers to pointers, and functions that return pointers, under logical addressing
    #[arg(long)]
    pub relax_logical_pointer: bool,
    /// The module comes from an HLSL front end and is still to be legalised
    #[arg(long)]
    pub before_hlsl_legalization: bool,
    /// LocalSizeId where the environment lacks it
    #[arg(long)]
    pub allow_localsizeid: bool,
    /// Offset image operands where the environment lacks them
    #[arg(long)]
    pub allow_offset_texture_operand: bool,
    /// Bit instructions on other widths than 32 where the environment lacks them
    #[arg(long)]
    pub allow_vulkan_32_bit_bitwise: bool,
    /// Size and alignment of sampler descriptors in a descriptor heap
    #[arg(long, value_name = "SIZE:ALIGN", value_parser = layout)]
    pub sampler_descriptor_layout: Option<DescriptorLayout>,
    /// Size and alignment of image descriptors in a descriptor heap
    #[arg(long, value_name = "SIZE:ALIGN", value_parser = layout)]
    pub image_descriptor_layout: Option<DescriptorLayout>,
    /// Size and alignment of buffer descriptors in a descriptor heap
    #[arg(long, value_name = "SIZE:ALIGN", value_parser = layout)]
    pub buffer_descriptor_layout: Option<DescriptorLayout>,

    /// Most members of a structure
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_struct_members: Option<u32>,
    /// Deepest nesting of structures
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_struct_depth: Option<u32>,
    /// Most local variables of a function
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_local_variables: Option<u32>,
    /// Most global variables
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_global_variables: Option<u32>,
    /// Most branches of an OpSwitch
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_switch_branches: Option<u32>,
    /// Most parameters of a function
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_function_args: Option<u32>,
    /// Deepest nesting of structured control flow
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_control_flow_nesting_depth: Option<u32>,
    /// Most indexes of an access chain
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_access_chain_indexes: Option<u32>,
    /// Largest id bound
    #[arg(long, value_name = "N", help_heading = "Limits")]
    pub max_id_bound: Option<u32>,
}

/// The environment that was asked for; `None` is for each module to say.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EnvChoice(pub Option<TargetEnv>);

fn env_or_auto(name: &str) -> Result<EnvChoice, String> {
    if name == "auto" {
        return Ok(EnvChoice(None));
    }
    name.parse().map(|e| EnvChoice(Some(e))).map_err(|e: spirula_val::UnknownEnv| e.to_string())
}

fn layout(text: &str) -> Result<DescriptorLayout, String> {
    let (size, align) = text.split_once(':').ok_or("want SIZE:ALIGN")?;
    let number = |s: &str| s.parse().map_err(|_| format!("`{s}` is not a number"));
    let (size, align): (u32, u32) = (number(size)?, number(align)?);
    if !align.is_power_of_two() {
        return Err(format!("alignment {align} is not a power of two"));
    }
    if size % align != 0 {
        return Err(format!("size {size} is not a multiple of alignment {align}"));
    }
    Ok(DescriptorLayout { size, align })
}

fn known_rule(name: &str) -> Result<String, String> {
    let known =
        |r: &spirula_diag::Rule| r.name == name || r.group == name || matches!(r.cite, Cite::Vuid(v) if v == name);
    if name == "warnings" || rules().any(known) {
        return Ok(name.to_owned());
    }
    let all: Vec<&spirula_diag::Rule> = rules().collect();
    let near = crate::cmd::explain::near(name, &all);
    let hint = near.first().map(|n| format!("; is {n} meant?")).unwrap_or_default();
    Err(format!("no rule, group or VUID has this name{hint} (`spirula explain` lists them)"))
}

/// The levels that a command line sets, in its order, as later ones win.
pub(crate) fn levels(matches: &ArgMatches) -> Vec<(String, Severity)> {
    let mut found: Vec<(usize, &String, Severity)> = Vec::new();
    for (name, level) in [("allow", Severity::Allow), ("warn", Severity::Warning), ("deny", Severity::Error)] {
        let (Ok(Some(values)), Some(indices)) = (matches.try_get_many::<String>(name), matches.indices_of(name)) else {
            continue;
        };
        found.extend(indices.zip(values).map(|(i, v)| (i, v, level)));
    }
    found.sort_by_key(|f| f.0);
    found.into_iter().map(|(_, name, level)| (name.clone(), level)).collect()
}

impl ValArgs {
    /// The environment; `None` for automatic choice.
    pub fn env(&self) -> Option<TargetEnv> {
        self.target_env.0
    }

    /// The validator's options. `levels` are the rules' levels in the order in which they were given; where that is not
    /// known, they are taken from the arguments as allow, warn, deny.
    pub fn options(&self, levels: Vec<(String, Severity)>) -> Options {
        let mut levels = levels;
        if levels.is_empty() {
            let each = |names: &[String], l| names.iter().map(|n| (n.clone(), l)).collect::<Vec<_>>();
            levels.extend(each(&self.allow, Severity::Allow));
            levels.extend(each(&self.warn, Severity::Warning));
            levels.extend(each(&self.deny, Severity::Error));
        }
        let deny_warnings = levels.iter().any(|(name, level)| name == "warnings" && *level == Severity::Error);
        levels.retain(|(name, _)| name != "warnings");
        Options {
            limits: self.limits(),
            relax_block_layout: self.relax_block_layout,
            uniform_buffer_standard_layout: self.uniform_buffer_standard_layout,
            scalar_block_layout: self.scalar_block_layout,
            workgroup_scalar_block_layout: self.workgroup_scalar_block_layout,
            skip_block_layout: self.skip_block_layout,
            relax_struct_store: self.relax_struct_store,
            relax_logical_pointer: self.relax_logical_pointer,
            before_hlsl_legalization: self.before_hlsl_legalization,
            allow_local_size_id: self.allow_localsizeid,
            allow_offset_texture_operand: self.allow_offset_texture_operand,
            allow_vulkan_32_bit_bitwise: self.allow_vulkan_32_bit_bitwise,
            sampler_descriptor: self.sampler_descriptor_layout,
            image_descriptor: self.image_descriptor_layout,
            buffer_descriptor: self.buffer_descriptor_layout,
            levels: levels.into_iter().flat_map(|(name, level)| by_rule(name).map(move |n| (n, level))).collect(),
            deny_warnings,
        }
    }

    fn limits(&self) -> Limits {
        let d = Limits::default();
        Limits {
            struct_members: self.max_struct_members.unwrap_or(d.struct_members),
            struct_depth: self.max_struct_depth.unwrap_or(d.struct_depth),
            local_variables: self.max_local_variables.unwrap_or(d.local_variables),
            global_variables: self.max_global_variables.unwrap_or(d.global_variables),
            switch_branches: self.max_switch_branches.unwrap_or(d.switch_branches),
            function_args: self.max_function_args.unwrap_or(d.function_args),
            control_flow_nesting_depth: self.max_control_flow_nesting_depth.unwrap_or(d.control_flow_nesting_depth),
            access_chain_indexes: self.max_access_chain_indexes.unwrap_or(d.access_chain_indexes),
            id_bound: self.max_id_bound.unwrap_or(d.id_bound),
        }
    }
}

/// A name as it is; a VUID as the rules that cite it.
fn by_rule(name: String) -> std::vec::IntoIter<String> {
    if !name.starts_with("VUID-") {
        return vec![name].into_iter();
    }
    let citing = rules().filter(|r| matches!(r.cite, Cite::Vuid(v) if v == name)).map(|r| r.name.to_owned());
    citing.collect::<Vec<_>>().into_iter()
}
