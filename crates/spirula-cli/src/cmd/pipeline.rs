//! `spirula reflect --pipeline`: what several stages together want from their host.

use clap::Args;
use spirula_module::{EntryPoint, Index, Module};
use spirula_reflect::{ConflictKind, ConflictSeverity, Pipeline, Reflection, Stage};
use spirula_text::AsmOptions;
use spirula_text::render::Subject;
use spirula_val::link;
use spirula_val::{Options, TargetEnv, Validator};

use super::link::{choose, located};
use crate::bytes::Bytes;
use crate::cli::{Format, Global, complain};
use crate::inputs::Input;
use crate::load::{self, Loaded, Unloaded};
use crate::report::{Outcome, Style, to_stderr, to_stdout};
use crate::{INVALID, OK, USAGE};

/// Which stages make the pipeline.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of --pipeline")]
pub(crate) struct PipelineArgs {
    /// The modules are the stages of one pipeline: report its descriptor set layouts, push constant ranges, vertex inputs
    /// and interfaces, and what conflicts; exit code 1 where no pipeline can be made of the stages
    #[arg(long)]
    pub(crate) pipeline: bool,
    /// Entry point of a module that has several; may be repeated
    #[arg(long, value_name = "NAME", requires = "pipeline")]
    entry: Vec<String>,
    /// warnings: exit code 1 for conflicts that Vulkan allows, too
    #[arg(long, value_name = "WHAT", value_parser = ["warnings"], requires = "pipeline")]
    deny: Option<String>,
}

/// A module with all that is known of it.
struct Known<'b> {
    input: &'b Input,
    module: Module<'b>,
    report: Reflection<'b>,
    subject: Subject<'b>,
}

impl PipelineArgs {
    /// Reports on the pipeline. Gives the text, where there is one, and the exit code.
    pub(crate) fn run(&self, global: &Global, inputs: &[Input], validate: bool) -> (Option<String>, u8) {
        if matches!(global.format, Format::Yaml | Format::Rust | Format::Sarif) {
            complain("--pipeline is for --format human, short and json");
            return (None, USAGE);
        }
        let style = Style::of(global);
        let mut outcome = Outcome::default();
        let pipeline = self.merged(style, inputs, validate, &mut outcome);
        to_stderr(&outcome.human);
        let _ = to_stdout(&outcome.machine);
        let pipeline = match pipeline {
            Ok(Some(pipeline)) => pipeline,
            Ok(None) => return (None, outcome.code),
            Err(code) => return (None, code),
        };
        let text = match global.format {
            Format::Json => serde_json::to_string(&pipeline).unwrap_or_default() + "\n",
            _ => spirula_reflect::pipeline_table(&pipeline),
        };
        (Some(text), outcome.code.max(self.judged(&pipeline, outcome.warnings)))
    }

    /// The exit code for what conflicts.
    fn judged(&self, pipeline: &Pipeline, warnings: usize) -> u8 {
        let errors = pipeline.conflicts.iter().any(|c| c.severity == ConflictSeverity::Error);
        let denied = self.deny.is_some() && (warnings > 0 || !pipeline.conflicts.is_empty());
        if errors || denied { INVALID } else { OK }
    }

    /// The pipeline; `None` where a module is not what it should be, and the exit code as error where the stages cannot
    /// be told.
    fn merged(
        &self,
        style: Style,
        inputs: &[Input],
        validate: bool,
        outcome: &mut Outcome,
    ) -> Result<Option<Pipeline>, u8> {
        let bytes: Vec<_> = inputs.iter().map(load::read).collect();
        let mut loaded: Vec<Loaded<'_>> = Vec::new();
        for (input, bytes) in inputs.iter().zip(&bytes) {
            loaded.extend(load(style, input, bytes, validate, outcome));
        }
        if loaded.len() < inputs.len() {
            return Ok(None);
        }
        let mut indices: Vec<Index> = loaded.iter().map(|_| Index::new()).collect();
        let parts = inputs.iter().zip(&loaded).zip(&mut indices);
        let known = parts.map(|((input, l), index)| {
            let module = Module::new(&l.words, index);
            let subject = Subject::new(&input.name, &l.words, l.origin());
            Known { input, module, report: spirula_reflect::reflect(&module), subject }
        });
        let known: Vec<Known<'_>> = known.collect();
        let mut chosen: Vec<(&Known<'_>, EntryPoint<'_>)> = Vec::new();
        for k in &known {
            let entries = choose(&k.module, &self.entry).map_err(|message| {
                complain(&format!("{}: {message}", k.input.name));
                USAGE
            })?;
            chosen.extend(entries.into_iter().map(|e| (k, e)));
        }
        let pipeline = spirula_reflect::merge(&chosen.iter().filter_map(|(k, e)| stage(k, e)).collect::<Vec<_>>());
        if validate && !pipeline.conflicts.iter().any(|c| is_of_stages(c.kind)) {
            interfaces(style, &chosen, outcome);
        }
        Ok(Some(pipeline))
    }
}

/// Reads a module. It must be valid, unless that is not asked for.
fn load<'b>(
    style: Style,
    input: &Input,
    bytes: &'b Result<Bytes, Unloaded>,
    validate: bool,
    outcome: &mut Outcome,
) -> Option<Loaded<'b>> {
    let loaded = match bytes {
        Ok(bytes) => load::module(&input.name, bytes, &AsmOptions::default()),
        Err(e) => Err(e.clone()),
    };
    let loaded = loaded
        .map_err(|e| {
            outcome.code = outcome.code.max(e.code);
            style.add(outcome, e.findings);
        })
        .ok()?;
    if let Err(report) = Validator::new(None, Options::default()).validate(&loaded.words) {
        outcome.code = outcome.code.max(INVALID);
        let subject = Subject::new(&input.name, &loaded.words, loaded.origin());
        style.add(outcome, report.diagnostics.iter().map(|d| subject.locate(d)).collect());
        if validate {
            return None;
        }
    }
    Some(loaded)
}

fn stage<'k>(known: &'k Known<'_>, entry: &EntryPoint<'_>) -> Option<Stage<'k>> {
    let same = |p: &spirula_reflect::EntryPoint<'_>| p.id == entry.function.0 && p.model == entry.model.to_string();
    let entry_point = known.report.entry_points.iter().position(same)?;
    Some(Stage { module: &known.input.name, report: &known.report, entry_point })
}

/// Whether a conflict makes it pointless to compare the stages' interfaces.
fn is_of_stages(kind: ConflictKind) -> bool {
    matches!(kind, ConflictKind::StageTwice | ConflictKind::StageKinds | ConflictKind::NoStage)
}

/// What `spirula val --link` says.
fn interfaces(style: Style, chosen: &[(&Known<'_>, EntryPoint<'_>)], outcome: &mut Outcome) {
    let stages: Vec<link::Stage<'_>> =
        chosen.iter().map(|(k, entry)| link::Stage { module: k.module, entry: *entry }).collect();
    let of: Vec<&Subject<'_>> = chosen.iter().map(|(k, _)| &k.subject).collect();
    let before = outcome.errors;
    let found = link::check(&stages, TargetEnv::vulkan(u8::MAX), &Options::default());
    style.add(outcome, found.iter().map(|m| located(m, &of)).collect());
    if outcome.errors > before {
        outcome.code = outcome.code.max(INVALID);
    }
}
