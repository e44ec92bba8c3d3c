//! Validates shaders before a driver sees them.
//!
//! Drivers may crash on invalid modules, and say little of what is wrong. The function that makes the device's module
//! takes a [`Valid`] here, so that it cannot be called with words that nobody validated.
//!
//! With `ash`, `create_info` becomes
//! `device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(valid.words), None)`; with `wgpu`,
//! `device.create_shader_module_passthrough` takes `valid.words` in the same way.
//!
//! `cargo run -p spirula --example create_shader_module -- a.vert.spv a.frag.spv`

#![allow(clippy::print_stdout, clippy::print_stderr)] // a program

use std::process::ExitCode;

use spirula::module::{Index, Module};
use spirula::text::render::{Subject, human};
use spirula::val::link::{Stage, check};
use spirula::val::{Options, TargetEnv, Valid, Validator};

/// What `VkShaderModuleCreateInfo` asks for.
struct CreateInfo<'w> {
    /// In bytes.
    code_size: usize,
    code: &'w [u32],
}

/// The proof in, the create-info out.
fn create_info<'w>(valid: &Valid<'w>) -> CreateInfo<'w> {
    CreateInfo { code_size: size_of_val(valid.words), code: valid.words }
}

fn main() -> ExitCode {
    let files: Vec<String> = std::env::args().skip(1).collect();
    match run(&files) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            eprint!("{text}");
            ExitCode::FAILURE
        }
    }
}

fn run(files: &[String]) -> Result<(), String> {
    let env = TargetEnv::vulkan(3);
    let options = Options::default();
    // One for all modules: it keeps its memory.
    let mut validator = Validator::new(Some(env), options.clone());
    let mut modules = Vec::new();
    for file in files {
        let bytes = std::fs::read(file).map_err(|e| format!("{file}: {e}\n"))?;
        let words = spirula::words_from_bytes(&bytes).map_err(|e| format!("{file}: {e}\n"))?.into_owned();
        let valid = validator.validate(&words).map_err(|report| {
            let subject = Subject::new(file, &words, None);
            report.diagnostics.iter().map(|d| human(&subject.locate(d), false)).collect::<String>()
        })?;
        let info = create_info(&valid);
        println!("{file}: {} bytes for {}, beginning with {:#010x}", info.code_size, valid.env, info.code[0]);
        modules.push(words);
    }
    fit(&modules, env, &options)
}

/// The modules are the stages of one pipeline: do they fit together?
fn fit(modules: &[Vec<u32>], env: TargetEnv, options: &Options) -> Result<(), String> {
    let mut indices: Vec<Index> = modules.iter().map(|_| Index::new()).collect();
    let modules: Vec<Module<'_>> = modules.iter().zip(&mut indices).map(|(w, index)| Module::new(w, index)).collect();
    let stages: Vec<Stage<'_>> =
        modules.iter().flat_map(|m| m.entry_points().map(|entry| Stage { module: *m, entry })).collect();
    let found = check(&stages, env, options);
    let text: String = found
        .iter()
        .map(|m| {
            let other = m.other.as_ref().map(|o| format!("; there {}", o.text)).unwrap_or_default();
            format!("{}: {}{other}\n", m.diagnostic.severity, m.diagnostic.message)
        })
        .collect();
    if text.is_empty() { Ok(()) } else { Err(text) }
}
