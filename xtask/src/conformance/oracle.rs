//! `cargo xtask oracle`: reports on real modules next to those of `spirv-cross --reflect`.
//!
//! Compared are the descriptors of each kind with set, binding and block size, push constants with their offsets, and the
//! locations of inputs and outputs, for all modules of the suite `real` that are valid shaders. Nothing runs where
//! spirv-cross is not installed.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::Result;
use serde_json::Value;
use spirula_binary::words_from_bytes;
use spirula_module::{Index, Module};
use spirula_reflect::{DescriptorKind, InterfaceVariable, Reflection, TypeKind};
use spirula_val::{Options, Validator};

use super::val::share;
use super::{corpus, engine};

#[derive(clap::Args)]
pub struct Args {
    /// Folder that holds the suite `real`, unpacked or as real.tar.xz
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Compare every Nth module only
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// List this many modules that differ
    #[arg(long, value_name = "N", default_value_t = 0)]
    list: usize,
    /// Fail where fewer modules, in percent, are equal
    #[arg(long, value_name = "PERCENT", default_value_t = 99.5)]
    least: f64,
}

const PROGRAM: &str = "spirv-cross";

/// What is compared: a list of numbers as text for each kind of thing.
type Facts = BTreeMap<&'static str, Vec<String>>;

enum Outcome {
    /// Invalid, or no shader.
    Skipped,
    /// They report an error.
    Refused,
    Equal,
    /// What differs: the thing, theirs, ours.
    Differs(Vec<(&'static str, String, String)>),
}

pub fn run(args: &Args) -> Result<()> {
    if Command::new(PROGRAM).arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        println!("oracle: {PROGRAM} is not installed, nothing is compared");
        return Ok(());
    }
    let Some(real) = corpus::suite(&args.corpus, "real")? else {
        println!("oracle: no suite `real` in {}, nothing is compared", args.corpus.display());
        return Ok(());
    };
    let mut files: Vec<String> = Vec::new();
    for line in corpus::text(&real.join("manifest.jsonl"))?.lines() {
        let entry: Value = serde_json::from_str(line)?;
        files.extend(entry["file"].as_str().map(str::to_owned));
    }
    let files: Vec<String> = files.into_iter().step_by(args.every.max(1)).collect();
    let state = || Validator::new(None, Options::default());
    let outcomes = engine::run(&files, |f| f, state, |validator, f| compare(validator, &real.join(f)));
    report(args, &files, outcomes)
}

fn report(args: &Args, files: &[String], outcomes: Vec<Result<Result<Outcome>, String>>) -> Result<()> {
    let (mut equal, mut differ, mut refused, mut skipped) = (0u64, 0u64, 0u64, 0u64);
    let mut groups: BTreeMap<&str, u64> = BTreeMap::new();
    for (file, outcome) in files.iter().zip(outcomes) {
        match outcome.map_err(anyhow::Error::msg)?? {
            Outcome::Skipped => skipped += 1,
            Outcome::Refused => refused += 1,
            Outcome::Equal => equal += 1,
            Outcome::Differs(all) => {
                differ += 1;
                for (what, theirs, ours) in &all {
                    *groups.entry(what).or_default() += 1;
                    if differ <= args.list as u64 {
                        println!("{file}: {what}: theirs [{theirs}], ours [{ours}]");
                    }
                }
            }
        }
    }
    println!("oracle: modules equal {}", share(equal, equal + differ));
    println!("  {refused} that {PROGRAM} refuses, {skipped} invalid or no shaders");
    for (what, count) in groups {
        println!("  {what} differ in {count}");
    }
    let percent = 100.0 * equal as f64 / (equal + differ).max(1) as f64;
    anyhow::ensure!(percent >= args.least, "fewer than {} % are equal", args.least);
    Ok(())
}

fn compare(validator: &mut Validator, path: &Path) -> Result<Outcome> {
    let bytes = std::fs::read(path)?;
    let Ok(words) = words_from_bytes(&bytes) else { return Ok(Outcome::Skipped) };
    let mut index = Index::new();
    let module = Module::new(&words, &mut index);
    let kernel = |e: spirula_module::EntryPoint<'_>| e.model.to_string() == "Kernel";
    if module.entry_points().next().is_none() || module.entry_points().any(kernel) {
        return Ok(Outcome::Skipped);
    }
    if validator.validate(&words).is_err() {
        return Ok(Outcome::Skipped);
    }
    let output = Command::new(PROGRAM).arg(path).arg("--reflect").stdin(Stdio::null()).output()?;
    let Ok(theirs) = serde_json::from_slice::<Value>(&output.stdout) else { return Ok(Outcome::Refused) };
    if !output.status.success() {
        return Ok(Outcome::Refused);
    }
    let (theirs, ours) = (their_facts(&theirs), our_facts(&spirula_reflect::reflect(&module)));
    let empty = Vec::new();
    let differ: Vec<_> = KINDS
        .iter()
        .map(|(kind, _)| (*kind, theirs.get(kind).unwrap_or(&empty), ours.get(kind).unwrap_or(&empty)))
        .filter(|(_, theirs, ours)| theirs != ours)
        .map(|(kind, theirs, ours)| (kind, theirs.join(", "), ours.join(", ")))
        .collect();
    Ok(if differ.is_empty() { Outcome::Equal } else { Outcome::Differs(differ) })
}

/// Kinds of things, with the numbers of each that are compared.
static KINDS: &[(&str, &[&str])] = &[
    ("textures", &["set", "binding"]),
    ("separate_images", &["set", "binding"]),
    ("separate_samplers", &["set", "binding"]),
    ("images", &["set", "binding"]),
    ("subpass_inputs", &["set", "binding"]),
    ("acceleration_structures", &["set", "binding"]),
    ("ubos", &["set", "binding", "block_size"]),
    ("ssbos", &["set", "binding", "block_size"]),
    ("push_constants", &["offsets"]),
    ("inputs", &["location"]),
    ("outputs", &["location"]),
];

fn their_facts(report: &Value) -> Facts {
    let mut facts = Facts::new();
    for (kind, numbers) in KINDS {
        for thing in report[*kind].as_array().into_iter().flatten() {
            let value = |n: &&str| if *n == "offsets" { offsets(report, thing) } else { thing[*n].to_string() };
            let values: Vec<String> = numbers.iter().map(value).collect();
            if *numbers == ["location"] && thing["location"].is_null() {
                continue;
            }
            facts.entry(kind).or_default().push(values.join(":"));
        }
    }
    facts.values_mut().for_each(|all| all.sort());
    facts
}

/// Offsets of the members of a push constant block: its size is not in their report.
fn offsets(report: &Value, thing: &Value) -> String {
    let members = thing["type"].as_str().and_then(|ty| report["types"][ty]["members"].as_array());
    let offsets = members.into_iter().flatten().map(|m| m["offset"].to_string());
    offsets.collect::<Vec<_>>().join("+")
}

fn our_facts(r: &Reflection<'_>) -> Facts {
    let mut facts = Facts::new();
    let number = |n: Option<u32>| n.map_or("null".to_owned(), |n| n.to_string());
    for b in &r.bindings {
        let kind = match b.kind {
            DescriptorKind::CombinedImageSampler => "textures",
            DescriptorKind::UniformTexelBuffer => {
                let combined = matches!(r.types.get(b.ty.0 as usize).map(|t| &t.kind), Some(TypeKind::SampledImage(_)));
                if combined { "textures" } else { "separate_images" }
            }
            DescriptorKind::SampledImage => "separate_images",
            DescriptorKind::Sampler => "separate_samplers",
            DescriptorKind::StorageImage | DescriptorKind::StorageTexelBuffer => "images",
            DescriptorKind::InputAttachment => "subpass_inputs",
            DescriptorKind::AccelerationStructure => "acceleration_structures",
            DescriptorKind::UniformBuffer => "ubos",
            DescriptorKind::StorageBuffer => "ssbos",
            _ => continue,
        };
        let mut fact = format!("{}:{}", number(b.set), number(b.binding));
        if matches!(kind, "ubos" | "ssbos") {
            fact = format!("{fact}:{}", number(b.size));
        }
        facts.entry(kind).or_default().push(fact);
    }
    // Theirs is about the first entry point.
    let point = r.entry_points.first();
    for b in &r.push_constants {
        let members = match r.types.get(b.ty.0 as usize).map(|t| &t.kind) {
            Some(TypeKind::Struct { members, .. }) => members.as_slice(),
            _ => &[],
        };
        let offsets: Vec<String> = members.iter().map(|m| number(m.offset)).collect();
        facts.entry("push_constants").or_default().push(offsets.join("+"));
    }
    let locations = |list: &[InterfaceVariable<'_>]| -> Vec<String> {
        list.iter().filter_map(|v| v.location).map(|l| l.to_string()).collect()
    };
    facts.insert("inputs", point.map_or(Vec::new(), |p| locations(&p.inputs)));
    facts.insert("outputs", point.map_or(Vec::new(), |p| locations(&p.outputs)));
    facts.values_mut().for_each(|all| all.sort());
    facts
}
