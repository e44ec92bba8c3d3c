//! The reference tools' flags → our options.

use anyhow::{Context, Result, bail};
use spirula_text::{AsmOptions, DisOptions};
use spirula_val::{DescriptorLayout, Options, TargetEnv};

/// Options of `spirv-val`. A `--target-env` among them goes to `env`.
pub fn val<S: AsRef<str>>(flags: &[S], env: &mut TargetEnv) -> Result<Options> {
    let mut o = Options::default();
    let mut rest = flags.iter().map(AsRef::as_ref).flat_map(|f| f.splitn(2, '='));
    while let Some(flag) = rest.next() {
        let limit = match flag {
            "--max-struct-members" => &mut o.limits.struct_members,
            "--max-struct-depth" => &mut o.limits.struct_depth,
            "--max-local-variables" => &mut o.limits.local_variables,
            "--max-global-variables" => &mut o.limits.global_variables,
            "--max-switch-branches" => &mut o.limits.switch_branches,
            "--max-function-args" => &mut o.limits.function_args,
            "--max-control-flow-nesting-depth" => &mut o.limits.control_flow_nesting_depth,
            "--max-access-chain-indexes" => &mut o.limits.access_chain_indexes,
            "--max-id-bound" => &mut o.limits.id_bound,
            "--sampler-descriptor-layout" | "--image-descriptor-layout" | "--buffer-descriptor-layout" => {
                let layout = Some(layout(rest.next().context("no value")?)?);
                match flag {
                    "--sampler-descriptor-layout" => o.sampler_descriptor = layout,
                    "--image-descriptor-layout" => o.image_descriptor = layout,
                    _ => o.buffer_descriptor = layout,
                }
                continue;
            }
            "--target-env" => {
                let name = rest.next().context("no value")?;
                *env = name.parse().with_context(|| name.to_owned())?;
                continue;
            }
            _ => {
                *switch(&mut o, flag)? = true;
                continue;
            }
        };
        *limit = rest.next().context("no value")?.parse().with_context(|| flag.to_owned())?;
    }
    Ok(o)
}

fn switch<'o>(o: &'o mut Options, flag: &str) -> Result<&'o mut bool> {
    Ok(match flag {
        "--relax-block-layout" => &mut o.relax_block_layout,
        "--uniform-buffer-standard-layout" => &mut o.uniform_buffer_standard_layout,
        "--scalar-block-layout" => &mut o.scalar_block_layout,
        "--workgroup-scalar-block-layout" => &mut o.workgroup_scalar_block_layout,
        "--skip-block-layout" => &mut o.skip_block_layout,
        "--relax-struct-store" => &mut o.relax_struct_store,
        "--relax-logical-pointer" => &mut o.relax_logical_pointer,
        "--before-hlsl-legalization" => &mut o.before_hlsl_legalization,
        "--allow-localsizeid" => &mut o.allow_local_size_id,
        "--allow-offset-texture-operand" => &mut o.allow_offset_texture_operand,
        "--allow-vulkan-32-bit-bitwise" => &mut o.allow_vulkan_32_bit_bitwise,
        _ => bail!("unknown flag of spirv-val: {flag}"),
    })
}

fn layout(text: &str) -> Result<DescriptorLayout> {
    let (size, align) = text.split_once(':').with_context(|| format!("not SIZE:ALIGN: {text}"))?;
    Ok(DescriptorLayout { size: size.parse()?, align: align.parse()? })
}

/// Options of `spirv-as`.
pub fn asm<S: AsRef<str>>(flags: &[S], env: &str) -> Result<AsmOptions> {
    let env: TargetEnv = env.parse().with_context(|| env.to_owned())?;
    let mut o = AsmOptions { version: Some(env.version), ..AsmOptions::default() };
    for flag in flags.iter().map(AsRef::as_ref) {
        match flag {
            "--preserve-numeric-ids" => o.preserve_numeric_ids = true,
            _ => bail!("unknown flag of spirv-as: {flag}"),
        }
    }
    Ok(o)
}

/// Options of `spirv-dis`; `None` where we do not have one of them.
pub fn dis<S: AsRef<str>>(flags: &[S]) -> Option<DisOptions> {
    let mut o = DisOptions::default();
    for flag in flags.iter().map(AsRef::as_ref) {
        match flag {
            "--raw-id" => o.raw_ids = true,
            "--no-indent" => o.no_indent = true,
            "--no-header" => o.no_header = true,
            "--offsets" => o.offsets = true,
            "--comment" => o.comment = true,
            "--nested-indent" => o.nested_indent = true,
            "--reorder-blocks" => o.reorder_blocks = true,
            "--handle-unknown-opcodes" => o.handle_unknown_opcodes = true,
            _ => return None,
        }
    }
    Some(o)
}
