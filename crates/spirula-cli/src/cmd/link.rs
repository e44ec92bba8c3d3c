//! `spirula val --link`: the stages of one pipeline against each other.

use spirula_diag::Diagnostic;
use spirula_module::{EntryPoint, Index, Module};
use spirula_text::render::{Finding, Subject};
use spirula_val::TargetEnv;
use spirula_val::link::{self, Mismatch, Stage};

use super::val::{Job, Total};
use crate::cli::complain;
use crate::inputs::Input;
use crate::load::{self, Loaded};
use crate::report::Outcome;
use crate::{INVALID, OK, USAGE};

/// Validates the modules one by one and, where all are valid, against each other. The error is the exit code where the
/// stages cannot be told.
pub(super) fn run(job: &Job, inputs: &[Input], entries: &[String], total: &mut Total) -> Result<(), u8> {
    let mut validator = job.validator();
    let bytes: Vec<_> = inputs.iter().map(load::read).collect();
    let mut loaded: Vec<Loaded<'_>> = Vec::new();
    for (input, bytes) in inputs.iter().zip(&bytes) {
        let (outcome, module) = match bytes {
            Ok(bytes) => job.check_bytes(&mut validator, input, bytes),
            Err(e) => (job.unloaded(e.clone()), None),
        };
        loaded.extend(module);
        if total.take(outcome).is_break() {
            return Ok(());
        }
    }
    if total.code != OK {
        return Ok(());
    }
    let mut indices: Vec<Index> = loaded.iter().map(|_| Index::new()).collect();
    let modules: Vec<Module<'_>> = loaded.iter().zip(&mut indices).map(|(l, i)| Module::new(&l.words, i)).collect();
    let subjects: Vec<Subject<'_>> =
        inputs.iter().zip(&loaded).map(|(i, l)| Subject::new(&i.name, &l.words, l.origin())).collect();
    let mut stages = Vec::new();
    let mut of: Vec<&Subject<'_>> = Vec::new();
    for ((input, module), subject) in inputs.iter().zip(&modules).zip(&subjects) {
        let chosen = choose(module, entries).map_err(|message| {
            complain(&format!("{}: {message}", input.name));
            USAGE
        })?;
        of.extend(chosen.iter().map(|_| subject));
        stages.extend(chosen.into_iter().map(|entry| Stage { module: *module, entry }));
    }
    let newest = TargetEnv::vulkan(u8::MAX);
    let found = link::check(&stages, job.env.unwrap_or(newest), &job.options);
    let mut outcome = Outcome::default();
    job.add(&mut outcome, "between the stages", found.iter().map(|m| (m.diagnostic.severity, || located(m, &of))));
    outcome.code = if outcome.errors > 0 { INVALID } else { OK };
    let names: Vec<String> = stages.iter().map(|s| s.entry.model.to_string()).collect();
    total.stages = Some((names.join(", "), outcome.code == OK));
    let _ = total.findings(outcome);
    Ok(())
}

/// The entry points of a module that are stages of the pipeline: those that are named, or else the only one.
pub(super) fn choose<'m>(module: &Module<'m>, names: &[String]) -> Result<Vec<EntryPoint<'m>>, String> {
    let all: Vec<EntryPoint<'m>> = module.entry_points().collect();
    let name =
        |e: &EntryPoint<'_>| e.name.map(|n| String::from_utf8_lossy(&n.to_bytes()).into_owned()).unwrap_or_default();
    let chosen: Vec<EntryPoint<'m>> = all.iter().filter(|e| names.contains(&name(e))).copied().collect();
    if !chosen.is_empty() {
        return Ok(chosen);
    }
    match all.as_slice() {
        [] => Err("the module has no entry point".to_owned()),
        [one] => Ok(vec![*one]),
        several => {
            let mut models: Vec<_> = several.iter().map(|e| e.model.0).collect();
            models.sort_unstable();
            if names.is_empty() && models.windows(2).all(|w| w[0] != w[1]) {
                return Ok(all); // A whole pipeline in one module.
            }
            let each: Vec<String> = several.iter().map(|e| format!("{} ({})", name(e), e.model)).collect();
            Err(format!("choose among its entry points with --entry NAME: {}", each.join(", ")))
        }
    }
}

/// Looks up everything that can be said about a mismatch, given the module of each stage.
pub fn located(mismatch: &Mismatch, of: &[&Subject<'_>]) -> Finding {
    let locate = |stage: usize, diagnostic: &Diagnostic| match of.get(stage) {
        Some(subject) => subject.locate(diagnostic),
        None => Finding::of_input("", diagnostic.rule.name, diagnostic.message.clone(), None),
    };
    let found = locate(mismatch.stage, &mismatch.diagnostic);
    match &mismatch.other {
        Some(side) => {
            let there = Diagnostic::new(mismatch.diagnostic.rule, side.at, side.text.clone());
            found.against(locate(side.stage, &there))
        }
        None => found,
    }
}
