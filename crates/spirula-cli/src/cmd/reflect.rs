//! `spirula reflect`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use spirula_module::{Index, Module};
use spirula_text::AsmOptions;
use spirula_text::render::{Finding, Subject};
use spirula_val::{Options, Validator};

use super::output::Output;
use super::pipeline::PipelineArgs;
use super::reflect_rust::{Modules, RustArgs};
use crate::batch::Batch;
use crate::cli::{Format, Global, InputArgs, complain};
use crate::inputs::{Input, Wanted, expand};
use crate::report::{Outcome, Style, to_stderr, to_stdout};
use crate::{FAILED, INVALID, OK, USAGE, load};

/// Report what a module wants from its host.
///
/// Entry points with the resources that their call trees use, bindings, interface variables, block layouts,
/// specialisation constants, HLSL semantics, device addresses, and what the module requires of Vulkan. The default is a
/// table; `--format json` writes one JSON object per module and line, `--format yaml` the report of SPIRV-Reflect,
/// `--format rust` Rust structures with the layout of the module's blocks. With `--pipeline`, what the modules as stages of
/// one pipeline want together.
#[derive(Args, Debug)]
pub(crate) struct ReflectCommand {
    #[command(flatten)]
    inputs: InputArgs,
    /// Where to write; FOLDER/ for one file per input, - for standard output
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Do not validate: report on an invalid module as far as it can be understood; notes say what is left out
    #[arg(long)]
    no_validate: bool,
    #[command(flatten)]
    rust: RustArgs,
    #[command(flatten)]
    stages: PipelineArgs,
}

impl ReflectCommand {
    pub(crate) fn run(&self, global: &Global) -> u8 {
        let inputs = match self.inputs.paths() {
            Ok(paths) => expand(paths, Wanted::Binary),
            Err(message) => {
                complain(&message);
                return USAGE;
            }
        };
        if !self.rust.fits(global.format) {
            return USAGE;
        }
        let extension = match global.format {
            Format::Json | Format::Sarif => ".json",
            Format::Yaml => ".yaml",
            Format::Rust => ".rs",
            Format::Human | Format::Short => ".txt",
        };
        let outputs = if self.stages.pipeline { 1 } else { inputs.len() };
        let output = match Output::of(self.output.as_deref(), outputs, extension, false) {
            Ok(output) => output,
            Err(code) => return code,
        };
        if self.stages.pipeline {
            let (text, code) = self.stages.run(global, &inputs, !self.no_validate);
            let written = text.map_or(OK, |t| output.write("pipeline", t.as_bytes()).0);
            return code.max(written);
        }
        let style = Style::of(global);
        let named = inputs.len() > 1 && matches!(global.format, Format::Human | Format::Short);
        let (mut code, mut modules) = (OK, Modules::default());
        let batch = Batch { count: inputs.len(), jobs: self.inputs.jobs, progress: !global.quiet };
        batch.run(
            || (Validator::new(None, Options::default()), Index::new()),
            |(validator, index), i| {
                inputs.get(i).map(|input| self.one(input, global.format, style, validator, index)).unwrap_or_default()
            },
            |i, message| {
                let mut outcome = Outcome { code: FAILED, ..Outcome::default() };
                let name = inputs.get(i).map_or("", |i| &i.name);
                style.add(&mut outcome, vec![Finding::of_input(name, "internal", message, None)]);
                (outcome, None)
            },
            |i, (outcome, text)| {
                code = code.max(outcome.code);
                to_stderr(&outcome.human);
                let _ = to_stdout(&outcome.machine);
                let (Some(text), Some(input)) = (text, inputs.get(i)) else { return ControlFlow::Continue(()) };
                let text = match (&output, global.format) {
                    (Output::Stdout, Format::Rust) if inputs.len() > 1 => modules.wrap(&input.name, &text),
                    (Output::Stdout, _) if named => format!("{}\n{text}\n", input.name),
                    _ => text,
                };
                let (result, more) = output.write(&input.name, text.as_bytes());
                code = code.max(result);
                if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        code
    }

    fn one(
        &self,
        input: &Input,
        format: Format,
        style: Style,
        validator: &mut Validator,
        index: &mut Index,
    ) -> (Outcome, Option<String>) {
        let mut outcome = Outcome::default();
        let bytes = match load::read(input) {
            Ok(bytes) => bytes,
            Err(e) => {
                outcome.code = e.code;
                style.add(&mut outcome, e.findings);
                return (outcome, None);
            }
        };
        let loaded = match load::module(&input.name, &bytes, &AsmOptions::default()) {
            Ok(loaded) => loaded,
            Err(e) => {
                outcome.code = e.code;
                style.add(&mut outcome, e.findings);
                return (outcome, None);
            }
        };
        if !self.no_validate
            && let Err(report) = validator.validate(&loaded.words)
        {
            outcome.code = INVALID;
            let subject = Subject::new(&input.name, &loaded.words, loaded.origin());
            let findings = report.diagnostics.iter().map(|d| subject.locate(d));
            style.add(&mut outcome, findings.collect());
            return (outcome, None);
        }
        let module = Module::new(&loaded.words, index);
        let text = match format {
            Format::Yaml => spirula_reflect::yaml(&module),
            Format::Rust => self.rust.text(&spirula_reflect::reflect(&module)),
            Format::Json | Format::Sarif => {
                serde_json::to_string(&spirula_reflect::reflect(&module)).unwrap_or_default() + "\n"
            }
            Format::Human | Format::Short => spirula_reflect::table(&spirula_reflect::reflect(&module)),
        };
        (outcome, Some(text))
    }
}
