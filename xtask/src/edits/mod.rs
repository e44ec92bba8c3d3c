//! `cargo xtask edits`: valid test cases with one thing changed, judged by the reference validator and by ours.
//!
//! The conformance suites tell what other people thought of testing. An operand, an enumerant or an instruction changed at
//! random asks what nobody thought of: a group that only the reference refuses may be a rule that is missing here, one that
//! only we refuse a false alarm. The specification decides, not the reference.

mod edit;
mod peer;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use spirula_bench::mutate::Rng;
use spirula_binary::words_from_bytes;

use crate::conformance::val::{Case, Pool};
use crate::conformance::{corpus, engine};

#[derive(clap::Args)]
pub struct Args {
    /// Folder that holds the suite `val`, unpacked or as val.tar.xz
    #[arg(long, value_name = "DIR", default_value = "../shared/corpus")]
    corpus: PathBuf,
    /// Folder with spirv-val; without it, it is looked for on PATH
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Where the changes come from: the same seed makes the same ones
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Changed modules per test case
    #[arg(long, value_name = "N", default_value_t = 8)]
    count: usize,
    /// At most so many cases of one test function
    #[arg(long, value_name = "N", default_value_t = 8)]
    cases: usize,
    /// Only cases with this in their name
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// Examples per group of differences
    #[arg(long, value_name = "N", default_value_t = 1)]
    list: usize,
}

/// A module to judge.
struct Subject {
    case: usize,
    /// What was changed; nothing in the case itself, by which both must agree for its changes to count.
    change: Option<String>,
    words: Vec<u32>,
}

pub fn run(args: &Args) -> Result<()> {
    let Some(folder) = corpus::suite(&args.corpus, "val")? else {
        bail!("there is no suite `val` in {}", args.corpus.display());
    };
    let peer = crate::peers::find(args.peers.as_deref(), "spirv-val").context("spirv-val was not found")?;
    let text = corpus::text(&folder.join("cases.jsonl"))?;
    let mut cases = engine::parse_lines::<Case<'_>>(&text)?;
    let mut taken: HashMap<String, usize> = HashMap::new();
    cases.retain(|c| {
        let plain = c.valid && c.options.is_empty() && c.dup_of.is_none() && !c.api_only;
        plain && args.only.as_deref().is_none_or(|o| c.id.contains(o)) && {
            let of_function = taken.entry(function(&c.id)).or_default();
            *of_function += 1;
            *of_function <= args.cases
        }
    });
    let mut environments: BTreeMap<&str, Vec<Subject>> = BTreeMap::new();
    for (case, c) in cases.iter().enumerate() {
        let bytes = fs::read(folder.join("spv").join(&*c.spv)).with_context(|| c.spv.to_string())?;
        let Ok(words) = words_from_bytes(&bytes) else { continue };
        let mut rng = Rng(args.seed ^ (case as u64) << 20);
        let subjects = environments.entry(&c.env).or_default();
        subjects.push(Subject { case, change: None, words: words.to_vec() });
        for _ in 0..args.count {
            if let Some((change, words)) = edit::one(&words, &mut rng) {
                subjects.push(Subject { case, change: Some(change), words });
            }
        }
    }
    let scratch = crate::target_dir().join("edits");
    let mut tally = Tally::default();
    for (env, subjects) in &environments {
        let theirs = peer::judge(&peer, env, subjects, &scratch)?;
        tally.compare(env, &cases, subjects, &theirs)?;
    }
    tally.print(args.list, &scratch)
}

/// The test function of a case: its name without the parameter's and the call's numbers.
fn function(id: &str) -> String {
    let name = id.split('#').next().unwrap_or(id);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '/').to_owned()
}

/// What a verdict of the reference is.
enum Verdict {
    Valid,
    Refused(String),
    /// It broke off.
    Crashed,
}

struct Difference<'a> {
    env: &'a str,
    case: &'a str,
    change: &'a str,
    said: String,
    words: &'a [u32],
}

#[derive(Default)]
struct Tally<'a> {
    same: u64,
    crashed: u64,
    theirs: BTreeMap<String, Vec<Difference<'a>>>,
    ours: BTreeMap<String, Vec<Difference<'a>>>,
}

impl<'a> Tally<'a> {
    fn compare(
        &mut self,
        env: &'a str,
        cases: &'a [Case<'_>],
        subjects: &'a [Subject],
        theirs: &[Verdict],
    ) -> Result<()> {
        let mut pool = Pool::default();
        let mut unfit: HashSet<usize> = HashSet::new();
        for (subject, theirs) in subjects.iter().zip(theirs) {
            let bytes: Vec<u8> = subject.words.iter().flat_map(|w| w.to_le_bytes()).collect();
            let ours = pool.verdict::<&str>(env, &[], &bytes)?;
            let Some(change) = &subject.change else {
                // Only what both take is worth changing: the rest is known to the conformance run.
                if ours.errors != 0 || !matches!(theirs, Verdict::Valid) {
                    unfit.insert(subject.case);
                }
                continue;
            };
            if unfit.contains(&subject.case) {
                continue;
            }
            let (groups, group, said) = match theirs {
                Verdict::Crashed => {
                    self.crashed += 1;
                    continue;
                }
                Verdict::Refused(said) if ours.errors == 0 => (&mut self.theirs, normal(said), said.clone()),
                Verdict::Valid if ours.errors != 0 => {
                    let first = ours.text.lines().next().unwrap_or_default();
                    let rule = first.trim_start_matches('[').split(']').next().unwrap_or_default();
                    (&mut self.ours, rule.to_owned(), first.to_owned())
                }
                _ => {
                    self.same += 1;
                    continue;
                }
            };
            let case = cases.get(subject.case).map_or("", |c| &c.id);
            groups.entry(group).or_default().push(Difference { env, case, change, said, words: &subject.words });
        }
        Ok(())
    }

    /// Prints the groups, large ones first, and keeps the examples' modules in `scratch`.
    fn print(self, list: usize, scratch: &std::path::Path) -> Result<()> {
        let differ = |groups: &BTreeMap<String, Vec<Difference<'_>>>| groups.values().map(Vec::len).sum::<usize>();
        let (theirs, ours) = (differ(&self.theirs), differ(&self.ours));
        println!("edits: {} same verdicts, {theirs} refused by the reference alone, {ours} by us alone", self.same);
        println!("  the reference broke off on {}", self.crashed);
        let mut number = 0;
        for (whose, groups) in [("the reference", self.theirs), ("us", self.ours)] {
            println!("\nrefused by {whose} alone");
            let mut groups: Vec<_> = groups.into_iter().collect();
            groups.sort_by_key(|(_, differences)| std::cmp::Reverse(differences.len()));
            for (group, differences) in groups {
                println!("{:5} {group}", differences.len());
                for d in differences.iter().take(list) {
                    let file = scratch.join(format!("{number}.spv"));
                    number += 1;
                    fs::write(&file, d.words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>())?;
                    println!("      {} --target-env {}: {} of {}", file.display(), d.env, d.change, d.case);
                    println!("      {}", d.said);
                }
            }
        }
        Ok(())
    }
}

/// A message without what differs between modules: its quoted names and its numbers.
fn normal(message: &str) -> String {
    let mut out = String::new();
    let mut quoted = false;
    for c in message.chars().take(120) {
        quoted ^= c == '\'';
        if quoted || c.is_ascii_digit() {
            if !out.ends_with('#') {
                out.push('#');
            }
        } else {
            out.push(c);
        }
    }
    out
}
