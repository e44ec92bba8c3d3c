//! Suite `reflect`: SPIRV-Reflect's own reports, compared field by field.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde::Serialize;
use serde_yaml_ng::Value;
use spirula_binary::words_from_bytes;
use spirula_module::{Index, Module};

use super::Run;
use super::engine::{self, Diff};
use super::val::share;

#[derive(Serialize, Default)]
struct Counters {
    modules: u64,
    equal: u64,
    fields: u64,
    fields_equal: u64,
}

struct Pair {
    name: String,
    module: PathBuf,
    report: PathBuf,
}

#[derive(Default)]
struct Outcome {
    fields: u64,
    equal: u64,
    /// Fields that differ: path, theirs, ours.
    differ: Vec<(String, String, String)>,
}

pub fn run(folder: &Path, filter: Option<&str>) -> Result<Run> {
    let mut pairs = Vec::new();
    find(folder, folder, &mut pairs)?;
    pairs.retain(|p| filter.is_none_or(|f| p.name.contains(f)));
    pairs.sort_by(|a, b| a.name.cmp(&b.name));
    let outcomes = engine::run(&pairs, |p| &p.name, || (), |(), p| judge(p));
    let mut c = Counters { modules: pairs.len() as u64, ..Counters::default() };
    let mut diffs = Vec::new();
    for (pair, outcome) in pairs.iter().zip(outcomes) {
        let diff = |kind: String, reference, ours| {
            let place = pair.module.display().to_string();
            Diff { id: pair.name.clone(), kind, result: String::new(), reference, ours, place }
        };
        match outcome {
            Err(panic) => diffs.push(diff("panic".to_owned(), String::new(), panic)),
            Ok(outcome) => {
                let outcome = outcome?;
                c.fields += outcome.fields;
                c.fields_equal += outcome.equal;
                c.equal += u64::from(outcome.differ.is_empty());
                diffs.extend(outcome.differ.into_iter().map(|(path, theirs, ours)| diff(kind(&path), theirs, ours)));
            }
        }
    }
    let line = format!("modules equal {}; fields equal {}", share(c.equal, c.modules), share(c.fields_equal, c.fields));
    Ok(Run { line, counters: super::counters(&c)?, diffs })
}

fn find(root: &Path, folder: &Path, pairs: &mut Vec<Pair>) -> Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            find(root, &path, pairs)?;
        } else if path.extension().is_some_and(|e| e == "yaml") {
            let name = path.strip_prefix(root)?.with_extension("").to_string_lossy().into_owned();
            pairs.push(Pair { name, module: path.with_extension(""), report: path });
        }
    }
    Ok(())
}

/// Our report in SPIRV-Reflect's form.
fn report(words: &[u32]) -> Option<String> {
    let mut index = Index::new();
    Some(spirula_reflect::yaml(&Module::new(words, &mut index)))
}

fn judge(pair: &Pair) -> Result<Outcome> {
    let bytes = fs::read(&pair.module).with_context(|| pair.name.clone())?;
    let mut theirs = BTreeMap::new();
    leaves(serde_yaml_ng::from_str(&fs::read_to_string(&pair.report)?)?, String::new(), &mut theirs);
    let mut out = Outcome { fields: theirs.len() as u64, ..Outcome::default() };
    let Some(text) = words_from_bytes(&bytes).ok().and_then(|w| report(&w)) else {
        out.differ.push(("absent".to_owned(), String::new(), "no report".to_owned()));
        return Ok(out);
    };
    let mut ours = BTreeMap::new();
    leaves(serde_yaml_ng::from_str(&text).context("our report")?, String::new(), &mut ours);
    for (path, theirs) in &theirs {
        let found = ours.remove(path);
        if found.as_ref() == Some(theirs) {
            out.equal += 1;
        } else {
            let ours = found.unwrap_or_else(|| "absent".to_owned());
            out.differ.push((path.clone(), theirs.clone(), ours));
        }
    }
    out.differ.extend(ours.into_iter().map(|(path, ours)| (path, "absent".to_owned(), ours)));
    Ok(out)
}

/// A field's path without positions: what differs in one element of a list mostly differs in all.
fn kind(path: &str) -> String {
    let parts = path.split('[').enumerate();
    parts
        .map(|(i, part)| {
            if i == 0 { part.to_owned() } else { format!("[{}", part.trim_start_matches(|c: char| c.is_ascii_digit())) }
        })
        .collect()
}

/// The scalars of a tree by path.
fn leaves(value: Value, path: String, into: &mut BTreeMap<String, String>) {
    match value {
        Value::Sequence(items) if !items.is_empty() => {
            items.into_iter().enumerate().for_each(|(i, v)| leaves(v, format!("{path}[{i}]"), into));
        }
        Value::Mapping(map) if !map.is_empty() => {
            for (key, v) in map {
                let key = key.as_str().map_or_else(|| format!("{key:?}"), str::to_owned);
                let path = if path.is_empty() { key } else { format!("{path}.{key}") };
                leaves(v, path, into);
            }
        }
        Value::Tagged(tagged) => leaves(tagged.value, path, into),
        other => {
            into.insert(path, format!("{other:?}"));
        }
    }
}
