//! Suite `real`: modules of real applications. Round trip, disassembly, verdicts, reports that leave nothing out.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use spirula_binary::words_from_bytes;
use spirula_text::{AsmOptions, DisOptions};

use super::engine::{self, Diff};
use super::val::{Pool, share};
use super::{Run, corpus};

#[derive(Deserialize)]
struct Module {
    file: String,
    spirv_val: BTreeMap<String, Judged>,
    dis_sha256: Option<String>,
}

#[derive(Deserialize)]
struct Judged {
    env: String,
    ok: bool,
    msg: Option<String>,
    ok_with: Option<String>,
}

#[derive(Serialize, Default)]
struct Counters {
    modules: u64,
    round_trip: u64,
    dis_cases: u64,
    dis_identical: u64,
    valid_cases: u64,
    valid_accepted: u64,
    invalid_cases: u64,
    invalid_refused: u64,
    reflect_cases: u64,
    reflected: u64,
}

/// What one module comes to.
#[derive(Default)]
struct Outcome {
    counters: Counters,
    diffs: Vec<Diff>,
}

impl Outcome {
    fn diff(&mut self, module: &Module, kind: String, reference: Option<&String>, ours: String, place: String) {
        let reference = reference.cloned().unwrap_or_default();
        self.diffs.push(Diff { id: module.file.clone(), kind, result: String::new(), reference, ours, place });
    }
}

pub fn run(folder: &Path, filter: Option<&str>) -> Result<Run> {
    let manifest = corpus::text(&folder.join("manifest.jsonl"))?;
    let mut modules: Vec<Module> = engine::parse_lines(&manifest)?;
    modules.retain(|m| filter.is_none_or(|f| m.file.contains(f)));
    let outcomes = engine::run(&modules, |m| &m.file, Pool::default, |pool, m| judge(pool, folder, m));
    let mut all = Outcome::default();
    for (module, outcome) in modules.iter().zip(outcomes) {
        match outcome {
            Ok(outcome) => {
                let outcome = outcome?;
                add(&mut all.counters, &outcome.counters);
                all.diffs.extend(outcome.diffs);
            }
            Err(panic) => all.diff(module, "panic".to_owned(), None, panic, module.file.clone()),
        }
    }
    all.counters.modules = modules.len() as u64;
    Ok(Run { line: line(&all.counters), counters: super::counters(&all.counters)?, diffs: all.diffs })
}

fn judge(pool: &mut Pool, folder: &Path, module: &Module) -> Result<Outcome> {
    let path = folder.join(&module.file);
    let bytes = fs::read(&path).with_context(|| module.file.clone())?;
    let place = path.display().to_string();
    let mut out = Outcome::default();
    if let Ok(words) = words_from_bytes(&bytes) {
        texts(&mut out, module, &words, &place);
    }
    let mut accepted = false;
    for (kind, judged) in &module.spirv_val {
        let case = (judged.env.as_str(), judged.ok, judged.msg.as_ref());
        accepted |= verdict(&mut out, pool, module, kind, case, &[], &bytes, &place)?;
        if let Some(with) = judged.ok_with.as_ref().filter(|_| !judged.ok) {
            let flags: Vec<&str> = with.split_whitespace().collect();
            let case = (judged.env.as_str(), true, None);
            accepted |= verdict(&mut out, pool, module, &format!("{kind}+"), case, &flags, &bytes, &place)?;
        }
    }
    if accepted && let Ok(words) = words_from_bytes(&bytes) {
        reflect(&mut out, module, &words, &place);
    }
    Ok(out)
}

/// Reports on a module that is valid in some environment, in all forms: a panic is the case's, and nothing is left out.
fn reflect(out: &mut Outcome, module: &Module, words: &[u32], place: &str) {
    let mut index = spirula_module::Index::new();
    let m = spirula_module::Module::new(words, &mut index);
    let report = spirula_reflect::reflect(&m);
    let yaml = spirula_reflect::yaml(&m);
    out.counters.reflect_cases = 1;
    let left_out = report.notes.iter().find(|n| matches!(n.kind, spirula_reflect::NoteKind::LeftOut));
    let problem = if let Some(note) = left_out {
        Some(note.text.clone())
    } else if report.entry_points.len() != m.entry_points().count() || spirula_reflect::table(&report).is_empty() {
        Some("an incomplete report".to_owned())
    } else {
        yaml.contains("# cut off").then(|| "the YAML form is cut off".to_owned())
    };
    match problem {
        None => out.counters.reflected = 1,
        Some(ours) => out.diff(module, "reflect".to_owned(), None, ours, place.to_owned()),
    }
}

fn texts(out: &mut Outcome, module: &Module, words: &[u32], place: &str) {
    let raw = spirula_text::disassemble(words, &DisOptions { raw_ids: true, ..DisOptions::default() });
    let asm = AsmOptions { preserve_numeric_ids: true, keep_header: true, any_version: true, ..AsmOptions::default() };
    match spirula_text::assemble(raw.text.as_bytes(), &asm) {
        Ok(back) if back == words => out.counters.round_trip = 1,
        Ok(back) => {
            let at = back.iter().zip(words).position(|(a, b)| a != b).unwrap_or(back.len().min(words.len()));
            out.diff(module, "round-trip".to_owned(), None, format!("differs at word {at}"), place.to_owned());
        }
        Err(errors) => {
            let ours = errors.first().map_or_else(String::new, |e| format!("line {}: {}", e.line, e.message));
            out.diff(module, "round-trip".to_owned(), None, ours, place.to_owned());
        }
    }
    let Some(theirs) = &module.dis_sha256 else { return };
    out.counters.dis_cases = 1;
    let ours = spirula_text::disassemble(words, &DisOptions::default()).text;
    let hash: String = Sha256::digest(&ours).iter().map(|b| format!("{b:02x}")).collect();
    if hash == *theirs {
        out.counters.dis_identical = 1;
    } else {
        out.diff(module, "text".to_owned(), None, String::new(), place.to_owned());
    }
}

#[expect(clippy::too_many_arguments, reason = "one caller, twice")]
fn verdict(
    out: &mut Outcome,
    pool: &mut Pool,
    module: &Module,
    kind: &str,
    (env, valid, message): (&str, bool, Option<&String>),
    flags: &[&str],
    bytes: &[u8],
    place: &str,
) -> Result<bool> {
    let ours = pool.verdict(env, flags, bytes)?;
    let accepted = ours.errors == 0;
    let c = &mut out.counters;
    if valid {
        c.valid_cases += 1;
        c.valid_accepted += u64::from(accepted);
    } else {
        c.invalid_cases += 1;
        c.invalid_refused += u64::from(!accepted);
    }
    if accepted != valid {
        let what = if accepted { "accepts" } else { "refuses" };
        let place = format!("--target-env {env} {} {place}", flags.join(" "));
        out.diff(module, format!("{what}:{kind}"), message, ours.text, place);
    }
    Ok(accepted)
}

fn add(to: &mut Counters, from: &Counters) {
    to.round_trip += from.round_trip;
    to.dis_cases += from.dis_cases;
    to.dis_identical += from.dis_identical;
    to.valid_cases += from.valid_cases;
    to.valid_accepted += from.valid_accepted;
    to.invalid_cases += from.invalid_cases;
    to.invalid_refused += from.invalid_refused;
    to.reflect_cases += from.reflect_cases;
    to.reflected += from.reflected;
}

fn line(c: &Counters) -> String {
    format!(
        "round trip {}; same text {}; valid accepted {}; invalid refused {}; reflected {}",
        share(c.round_trip, c.modules),
        share(c.dis_identical, c.dis_cases),
        share(c.valid_accepted, c.valid_cases),
        share(c.invalid_refused, c.invalid_cases),
        share(c.reflected, c.reflect_cases)
    )
}
