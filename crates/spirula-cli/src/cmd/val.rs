//! `spirula val`.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::time::Instant;

use clap::Args;
use spirula_binary::Frames;
use spirula_diag::{Diagnostic, Severity};
use spirula_grammar::Op;
use spirula_text::AsmOptions;
use spirula_text::render::{Finding, Subject};
use spirula_val::{Options, Report, TargetEnv, Valid, Validator};

use super::convert::inputs_of;
use crate::batch::Batch;
use crate::cli::{Global, InputArgs, complain};
use crate::inputs::{Input, Wanted};
use crate::options::ValArgs;
use crate::report::{Outcome, Style, counted, to_stderr, to_stdout};
use crate::{FAILED, INVALID, OK, USAGE, load};

/// Words of function bodies from which on several threads are worth their start.
const WORTH_SHARING: usize = 1 << 16;

/// Validate modules.
///
/// All violations of every module are reported. Directories are searched for *.spv, *.spvasm and files that start with
/// the magic number.
#[derive(Args, Debug)]
pub(crate) struct ValCommand {
    #[command(flatten)]
    inputs: InputArgs,
    #[command(flatten)]
    rules: ValArgs,
    /// Most diagnostics to show per module; 0 for all
    #[arg(long, value_name = "N", default_value_t = 100)]
    max_errors: usize,
    /// The modules are the stages of one pipeline: compare the interfaces between them, in Vulkan's rules
    #[arg(long)]
    link: bool,
    /// With --link: entry point of a module that has several; may be repeated
    #[arg(long, value_name = "NAME", requires = "link")]
    entry: Vec<String>,
    /// Print the text that tests with `prelude: NAME` are put into, and exit
    #[arg(long, value_name = "NAME")]
    show_prelude: Option<String>,
}

impl ValCommand {
    pub(crate) fn run(&self, global: &Global, levels: Vec<(String, Severity)>) -> u8 {
        if let Some(name) = &self.show_prelude {
            return crate::prelude::show(name);
        }
        let started = Instant::now();
        let inputs = match inputs_of(&self.inputs, Wanted::All) {
            Ok(inputs) => inputs,
            Err(code) => return code,
        };
        let job = Job {
            env: self.rules.env(),
            options: self.rules.options(levels),
            asm: AsmOptions {
                version: self.rules.env().map(|e| e.version),
                any_version: true,
                ..AsmOptions::default()
            },
            style: Style::of(global),
            max: if self.max_errors == 0 { usize::MAX } else { self.max_errors },
            verbose: global.verbose > 0,
            // Several modules are shared out as wholes.
            jobs: if inputs.len() == 1 { self.inputs.jobs } else { Some(1) },
        };
        let mut total = Total { code: OK, ..Total::default() };
        if self.link {
            return self.linked(&job, &inputs, total, global, started);
        }
        let batch = Batch { count: inputs.len(), jobs: self.inputs.jobs, progress: !global.quiet };
        batch.run(
            || job.validator(),
            |validator, i| inputs.get(i).map(|input| job.check(validator, input)).unwrap_or_default(),
            |i, message| job.unloaded(load::Unloaded::internal(inputs.get(i), message)),
            |_, outcome| total.take(outcome),
        );
        total.end(&job, global, started)
    }

    fn linked(&self, job: &Job, inputs: &[Input], mut total: Total, global: &Global, started: Instant) -> u8 {
        if job.env.is_some_and(|e| !e.is_vulkan()) {
            complain("--link compares stages in Vulkan's rules: --target-env must be a version of Vulkan");
            return USAGE;
        }
        match super::link::run(job, inputs, &self.entry, &mut total) {
            Ok(()) => total.end(job, global, started),
            Err(code) => code,
        }
    }
}

/// What is the same for all inputs.
pub(super) struct Job {
    pub(super) env: Option<TargetEnv>,
    pub(super) options: Options,
    /// How to assemble: whatever a version lacks is for the validator to judge.
    asm: AsmOptions,
    style: Style,
    max: usize,
    verbose: bool,
    /// Threads for the bodies of one large module, as for a batch.
    jobs: Option<u16>,
}

impl Job {
    pub(super) fn validator(&self) -> Validator {
        Validator::new(self.env, self.options.clone())
    }

    fn check(&self, validator: &mut Validator, input: &Input) -> Outcome {
        match load::read(input) {
            Ok(bytes) => self.check_bytes(validator, input, &bytes).0,
            Err(e) => self.unloaded(e),
        }
    }

    fn validate<'w>(&self, validator: &mut Validator, words: &'w [u32]) -> Result<Valid<'w>, Report> {
        let shares = if body_words(words) < WORTH_SHARING { 1 } else { crate::batch::threads(self.jobs) };
        validator.validate_shared(words, shares, crate::batch::on_threads)
    }

    /// Validates what was read from an input, and gives the module.
    pub(super) fn check_bytes<'b>(
        &self,
        validator: &mut Validator,
        input: &Input,
        bytes: &'b [u8],
    ) -> (Outcome, Option<load::Loaded<'b>>) {
        let mut outcome = Outcome::default();
        let loaded = match load::module(&input.name, bytes, &self.asm) {
            Ok(loaded) => loaded,
            Err(e) => return (self.unloaded(e), None),
        };
        let (env, diagnostics, code) = match self.validate(validator, &loaded.words) {
            Ok(valid) => (valid.env, valid.warnings, OK),
            Err(report) => (report.env, report.diagnostics, INVALID),
        };
        outcome.env = Some(env.name());
        outcome.code = code;
        if !diagnostics.is_empty() {
            let subject = Subject::new(&input.name, &loaded.words, loaded.origin());
            self.show(&subject, &diagnostics, &mut outcome);
        }
        if self.verbose {
            let verdict = if code == OK { "valid" } else { "invalid" };
            outcome.human.push_str(&format!("{}: {verdict} ({})\n", input.name, env.name()));
        }
        (outcome, Some(loaded))
    }

    fn show(&self, subject: &Subject<'_>, diagnostics: &[Diagnostic], outcome: &mut Outcome) {
        let shown = diagnostics.iter().filter(|d| d.severity != Severity::Allow);
        self.add(outcome, subject.file(), shown.map(|d| (d.severity, || subject.locate(d))));
    }

    /// Adds findings, as many as are to be shown; the others are not looked up.
    pub(super) fn add<F: Fn() -> Finding>(
        &self,
        outcome: &mut Outcome,
        file: &str,
        found: impl Iterator<Item = (Severity, F)> + Clone,
    ) {
        let findings: Vec<Finding> = found.clone().take(self.max).map(|(_, locate)| locate()).collect();
        self.style.add(outcome, findings);
        // What is not shown still counts.
        for (severity, _) in found.skip(self.max) {
            match severity {
                Severity::Error => outcome.errors += 1,
                _ => outcome.warnings += 1,
            }
        }
        let hidden = (outcome.errors + outcome.warnings).saturating_sub(self.max);
        if hidden > 0 {
            let more = counted(hidden, "more diagnostic");
            outcome.human.push_str(&format!("{file}: {more} not shown; see --max-errors\n"));
        }
    }

    pub(super) fn unloaded(&self, e: load::Unloaded) -> Outcome {
        let mut outcome = Outcome::default();
        self.style.add_unloaded(&mut outcome, e);
        outcome
    }
}

/// Words from the first function to the end.
fn body_words(words: &[u32]) -> usize {
    let mut insts = Frames::of(words).map_while(Result::ok);
    insts.find(|i| i.op() == Op::Function).map_or(0, |i| words.len().saturating_sub(i.offset() as usize))
}

/// Writes to standard output; the exit code where that fails.
fn write_or_fail(bytes: &[u8]) -> u8 {
    match to_stdout(bytes) {
        Ok(_) => OK,
        Err(e) => {
            complain(&format!("cannot write to standard output: {e}"));
            FAILED
        }
    }
}

/// All outcomes together.
#[derive(Default)]
pub(super) struct Total {
    kept: Vec<Finding>,
    pub(super) code: u8,
    /// The stages that were compared, and whether they fit.
    pub(super) stages: Option<(String, bool)>,
    modules: usize,
    invalid: usize,
    unread: usize,
    errors: usize,
    warnings: usize,
    envs: BTreeMap<&'static str, usize>,
}

impl Total {
    pub(super) fn take(&mut self, outcome: Outcome) -> ControlFlow<()> {
        self.modules += 1;
        match outcome.code {
            OK => {}
            INVALID => self.invalid += 1,
            _ => self.unread += 1,
        }
        self.findings(outcome)
    }

    /// Takes what was found, in one module or between several.
    pub(super) fn findings(&mut self, outcome: Outcome) -> ControlFlow<()> {
        self.code = self.code.max(outcome.code);
        self.errors += outcome.errors;
        self.warnings += outcome.warnings;
        self.kept.extend(outcome.kept);
        if let Some(env) = outcome.env {
            *self.envs.entry(env).or_default() += 1;
        }
        if !outcome.human.is_empty() {
            to_stderr(&outcome.human);
        }
        if outcome.machine.is_empty() {
            return ControlFlow::Continue(());
        }
        match to_stdout(&outcome.machine) {
            Ok(true) => ControlFlow::Continue(()),
            Ok(false) => ControlFlow::Break(()),
            Err(e) => {
                complain(&format!("cannot write to standard output: {e}"));
                self.code = FAILED;
                ControlFlow::Break(())
            }
        }
    }

    /// Shows what can only be shown at the end. Gives the exit code.
    fn end(mut self, job: &Job, global: &Global, started: Instant) -> u8 {
        self.code = self.code.max(write_or_fail(&job.style.finish(&self.kept)));
        if !global.quiet {
            to_stderr(&self.summary(job.env, global.verbose > 0, started));
        }
        self.code
    }

    /// The line at the end.
    fn summary(&self, env: Option<TargetEnv>, timed: bool, started: Instant) -> String {
        let mut parts = Vec::new();
        let valid = self.modules - self.invalid - self.unread;
        for (n, what) in [(valid, "valid"), (self.invalid, "invalid"), (self.unread, "failed")] {
            if n > 0 || (what == "valid" && self.modules == 0) {
                parts.push(format!("{n} {what}"));
            }
        }
        let mut line = format!("{}: {}", counted(self.modules, "module"), parts.join(", "));
        if self.errors + self.warnings > 0 {
            let errors = counted(self.errors, "error");
            line.push_str(&format!(" ({errors}, {})", counted(self.warnings, "warning")));
        }
        let envs: Vec<String> = match self.envs.len() {
            1 => self.envs.keys().map(|e| (*e).to_owned()).collect(),
            _ => self.envs.iter().map(|(e, n)| format!("{e} ×{n}")).collect(),
        };
        if !envs.is_empty() {
            let chosen = if env.is_none() { "; environment chosen from the module: " } else { "; environment: " };
            line.push_str(chosen);
            line.push_str(&envs.join(", "));
        }
        if let Some((stages, fit)) = &self.stages {
            line.push_str(&format!("; the stages {stages} {}", if *fit { "fit" } else { "do not fit" }));
        }
        if timed {
            line.push_str(&format!("; {:.3} s", started.elapsed().as_secs_f64()));
        }
        line + "\n"
    }
}
