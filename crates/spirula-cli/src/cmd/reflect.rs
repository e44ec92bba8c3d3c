//! `spirula reflect`.

use std::path::PathBuf;

use clap::Args;
use spirula_module::{Index, Module};
use spirula_reflect::Reflector;
use spirula_text::AsmOptions;
use spirula_text::render::Subject;
use spirula_val::{Options, Validator};

use super::convert::{Conversion, inputs_of};
use super::output::Output;
use super::pipeline::PipelineArgs;
use super::reflect_rust::{Modules, RustArgs};
use crate::cli::{Format, Global, InputArgs};
use crate::inputs::{Input, Wanted};
use crate::load::Unloaded;
use crate::report::{Outcome, Style};
use crate::{INVALID, OK, USAGE, load};

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
        if !self.rust.fits(global.format) {
            return USAGE;
        }
        let extension = match global.format {
            Format::Json | Format::Sarif => ".json",
            Format::Yaml => ".yaml",
            Format::Rust => ".rs",
            Format::Human | Format::Short => ".txt",
        };
        let result = inputs_of(&self.inputs, Wanted::Binary).and_then(|inputs| {
            let outputs = if self.stages.pipeline { 1 } else { inputs.len() };
            let output = Output::of(self.output.as_deref(), outputs, extension, false)?;
            if self.stages.pipeline {
                let (text, code) = self.stages.run(global, &inputs, !self.no_validate);
                let written = text.map_or(OK, |t| output.write("pipeline", "pipeline".as_ref(), t.as_bytes()).0);
                return Ok(code.max(written));
            }
            Ok(self.report(Conversion::new(&inputs, &self.inputs, &output, global), global.format))
        });
        result.unwrap_or_else(|code| code)
    }

    fn report(&self, job: Conversion<'_>, format: Format) -> u8 {
        let together = matches!(job.output, Output::Stdout) && job.inputs.len() > 1;
        let mut modules = Modules::default();
        job.run(
            Tools::default,
            |tools, input, outcome| self.one(input, format, job.style, tools, outcome),
            |input, text| match format {
                Format::Rust if together => modules.wrap(&input.name, text).into_bytes().into(),
                Format::Human | Format::Short if together => format!("{}\n{text}\n", input.name).into_bytes().into(),
                _ => text.as_bytes().into(),
            },
        )
    }

    fn one(
        &self,
        input: &Input,
        format: Format,
        style: Style,
        tools: &mut Tools,
        outcome: &mut Outcome,
    ) -> Result<Option<String>, Unloaded> {
        let bytes = load::read(input)?;
        let (bytes, left_out) = if self.no_validate { load::whole_words(&input.name, &bytes) } else { (&*bytes, None) };
        style.add(outcome, left_out.into_iter().collect());
        let loaded = load::module(&input.name, bytes, &AsmOptions::default())?;
        if !self.no_validate
            && let Err(report) = tools.validator.validate(&loaded.words)
        {
            outcome.code = INVALID;
            let subject = Subject::new(&input.name, &loaded.words, loaded.origin());
            let findings = report.diagnostics.iter().map(|d| subject.locate(d));
            style.add(outcome, findings.collect());
            return Ok(None);
        }
        if format == Format::Yaml {
            return Ok(Some(spirula_reflect::yaml(&Module::new(&loaded.words, &mut tools.index))));
        }
        let report = tools.reflector.reflect(&loaded.words);
        Ok(Some(match format {
            Format::Rust => self.rust.text(&report),
            Format::Json | Format::Sarif => serde_json::to_string(&report).unwrap_or_default() + "\n",
            Format::Yaml | Format::Human | Format::Short => spirula_reflect::table(&report),
        }))
    }
}

/// What one thread keeps from module to module.
struct Tools {
    validator: Validator,
    reflector: Reflector,
    index: Index,
}

impl Default for Tools {
    fn default() -> Tools {
        Tools { validator: Validator::new(None, Options::default()), reflector: Reflector::new(), index: Index::new() }
    }
}
