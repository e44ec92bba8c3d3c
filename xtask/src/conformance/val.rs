//! Suite `val`: verdicts of the reference validator's own test cases.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use spirula_binary::{Frames, words_from_bytes};
use spirula_diag::{Cite, Diagnostic, Severity};
use spirula_val::{TargetEnv, Validator};

use super::engine::{self, Diff};
use super::{Run, corpus, flags};

/// A test case of the suite.
#[derive(Deserialize)]
pub struct Case<'a> {
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    #[serde(borrow)]
    pub env: Cow<'a, str>,
    pub options: Vec<Cow<'a, str>>,
    pub valid: bool,
    #[serde(borrow)]
    result: Cow<'a, str>,
    vuid: Vec<String>,
    message: Option<String>,
    index: Option<u32>,
    #[serde(borrow)]
    pub spv: Cow<'a, str>,
    pub dup_of: Option<String>,
    #[serde(default)]
    pub api_only: bool,
}

#[derive(Serialize, Default)]
struct Counters {
    valid_cases: u64,
    valid_accepted: u64,
    invalid_cases: u64,
    invalid_refused: u64,
    functions: u64,
    functions_right: u64,
    vuid_cases: u64,
    vuid_matched: u64,
    index_cases: u64,
    index_matched: u64,
    errors_on_invalid: f64,
    by_result: BTreeMap<String, ByResult>,
}

#[derive(Serialize, Default)]
struct ByResult {
    cases: u64,
    refused: u64,
}

/// Our verdict.
#[derive(Default)]
pub struct Verdict {
    /// Number of errors; 0 for valid.
    pub errors: usize,
    /// The errors for people, one a line, at most a few.
    pub text: String,
    vuids: Vec<&'static str>,
    /// Instructions that errors stand at, by ordinal from 1.
    ordinals: Vec<u32>,
}

/// Validators by environment and options: each is warm after its first module.
#[derive(Default)]
pub struct Pool(HashMap<(String, String), Validator>);

impl Pool {
    /// Validates `bytes`.
    pub fn verdict<S: AsRef<str>>(&mut self, env: &str, options: &[S], bytes: &[u8]) -> Result<Verdict> {
        let key = (env.to_owned(), options.iter().map(AsRef::as_ref).collect::<Vec<_>>().join(" "));
        if !self.0.contains_key(&key) {
            let mut env: TargetEnv = env.parse().with_context(|| env.to_owned())?;
            let options = flags::val(options, &mut env)?;
            self.0.insert(key.clone(), Validator::new(Some(env), options));
        }
        let validator = self.0.get_mut(&key).context("just inserted")?;
        Ok(match words_from_bytes(bytes) {
            Err(e) => Verdict { errors: 1, text: e.to_string(), ..Verdict::default() },
            Ok(words) => match validator.validate(&words) {
                Ok(_) => Verdict::default(),
                Err(report) => verdict(&words, &report.diagnostics),
            },
        })
    }
}

fn verdict(words: &[u32], found: &[Diagnostic]) -> Verdict {
    let errors: Vec<&Diagnostic> = found.iter().filter(|d| d.severity == Severity::Error).collect();
    let mut v = Verdict { errors: errors.len(), ..Verdict::default() };
    let mut sites: Vec<u32> = errors.iter().map(|d| d.at.word).collect();
    sites.sort_unstable();
    let mut next = sites.into_iter().peekable();
    for (i, inst) in Frames::of(words).enumerate() {
        let offset = inst.map_or_else(|e| e.offset(), |i| i.offset());
        while next.next_if(|s| *s < offset).is_some() {}
        while next.next_if(|s| *s == offset).is_some() {
            v.ordinals.push(i as u32 + 1);
        }
        if next.peek().is_none() {
            break;
        }
    }
    for d in &errors {
        if let Cite::Vuid(vuids) = d.rule.cite {
            v.vuids.extend(vuids.split([' ', ',']));
        }
    }
    for d in errors.iter().take(5) {
        v.text += &format!("[{}] word {}: {}\n", d.rule.name, d.at.word, d.message);
    }
    v
}

pub fn run(folder: &Path, filter: Option<&str>) -> Result<Run> {
    let texts = [corpus::text(&folder.join("cases.jsonl"))?, corpus::text(&folder.join("extra_cases.jsonl"))?];
    let mut cases: Vec<Case<'_>> = Vec::new();
    for text in &texts {
        cases.extend(engine::parse_lines::<Case<'_>>(text)?);
    }
    cases.retain(|c| c.dup_of.is_none() && !c.api_only && filter.is_none_or(|f| c.id.contains(f)));
    let spv = folder.join("spv");
    let verdicts = engine::run(
        &cases,
        |c| &c.id,
        Pool::default,
        |pool, c| {
            let bytes = fs::read(spv.join(&*c.spv)).with_context(|| c.spv.to_string())?;
            pool.verdict(&c.env, &c.options, &bytes)
        },
    );
    let mut counters = Counters::default();
    let mut functions: BTreeMap<&str, bool> = BTreeMap::new();
    let mut diffs = Vec::new();
    let mut errors = 0;
    for (case, verdict) in cases.iter().zip(verdicts) {
        let place = format!("--target-env {} {} {}", case.env, case.options.join(" "), spv.join(&*case.spv).display());
        let mut diff = |kind: &str, ours: String| {
            diffs.push(Diff {
                id: case.id.to_string(),
                kind: kind.to_owned(),
                result: case.result.to_string(),
                reference: reference(case),
                ours,
                place: place.clone(),
            });
        };
        let verdict = match verdict {
            Ok(v) => v?,
            Err(panic) => {
                diff("panic", panic);
                // Neither accepted nor refused: counts as wrong either way.
                Verdict { errors: usize::from(case.valid), ..Verdict::default() }
            }
        };
        let right = (verdict.errors == 0) == case.valid;
        let function = case.id.split('#').next().unwrap_or_default();
        *functions.entry(function).or_insert(true) &= right;
        count(&mut counters, case, &verdict, &mut diff);
        if !case.valid {
            errors += verdict.errors;
        }
    }
    counters.functions = functions.len() as u64;
    counters.functions_right = functions.values().filter(|r| **r).count() as u64;
    counters.errors_on_invalid =
        if counters.invalid_refused == 0 { 0.0 } else { errors as f64 / counters.invalid_refused as f64 };
    Ok(Run { line: line(&counters), counters: super::counters(&counters)?, diffs })
}

fn count(counters: &mut Counters, case: &Case<'_>, ours: &Verdict, diff: &mut dyn FnMut(&str, String)) {
    let refused = ours.errors != 0;
    let by_result = counters.by_result.entry(case.result.to_string()).or_default();
    by_result.cases += 1;
    by_result.refused += u64::from(refused);
    if case.valid {
        counters.valid_cases += 1;
        counters.valid_accepted += u64::from(!refused);
        if refused {
            diff("refuses", ours.text.clone());
        }
        return;
    }
    counters.invalid_cases += 1;
    counters.invalid_refused += u64::from(refused);
    if !refused {
        diff("accepts", String::new());
    }
    if !case.vuid.is_empty() {
        counters.vuid_cases += 1;
        let matched = ours.vuids.iter().any(|v| case.vuid.iter().any(|c| c == v));
        counters.vuid_matched += u64::from(matched);
        if refused && !matched {
            diff("vuid", ours.text.clone());
        }
    }
    if refused && let Some(index) = case.index.filter(|i| *i != 0) {
        counters.index_cases += 1;
        let matched = ours.ordinals.contains(&index);
        counters.index_matched += u64::from(matched);
        if !matched {
            diff("index", format!("instructions {:?} (reference: {index})\n{}", ours.ordinals, ours.text));
        }
    }
}

fn reference(case: &Case<'_>) -> String {
    let index = case.index.filter(|i| *i != 0).map_or_else(String::new, |i| format!("(instruction {i}) "));
    format!("{}{index}", case.message.as_deref().unwrap_or_default().trim_end())
}

fn line(c: &Counters) -> String {
    format!(
        "valid accepted {}; invalid refused {}; functions right {}; VUID {}; instruction {}; errors per refused case {:.2}",
        share(c.valid_accepted, c.valid_cases),
        share(c.invalid_refused, c.invalid_cases),
        share(c.functions_right, c.functions),
        share(c.vuid_matched, c.vuid_cases),
        share(c.index_matched, c.index_cases),
        c.errors_on_invalid
    )
}

/// `part/whole (percent)`.
pub fn share(part: u64, whole: u64) -> String {
    format!("{part}/{whole} ({:.2} %)", if whole == 0 { 100.0 } else { 100.0 * part as f64 / whole as f64 })
}
