//! `cargo xtask conformance`: other people's test cases, judged in one process.

mod asm;
pub mod corpus;
pub mod engine;
mod flags;
pub mod oracle;
pub mod ratchet;
mod real;
mod reflect;
mod show;
pub mod val;

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::{Map, Value};

use engine::Diff;
use ratchet::Table;

#[derive(clap::Args)]
pub struct Args {
    /// Folder that holds NAME.tar.xz or an unpacked NAME/ for each suite
    #[arg(long, value_name = "DIR")]
    corpus: PathBuf,
    /// Run this suite only (may be repeated): asm, val, real, reflect
    #[arg(long, value_name = "NAME")]
    suite: Vec<String>,
    /// Write the counters as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Do not compare with the checked-in tables
    #[arg(long)]
    no_ratchet: bool,
    /// Write the tables anew
    #[arg(long, conflicts_with_all = ["no_ratchet", "filter"])]
    bless: bool,
    /// Mark the picked differences in the tables as ones where the reference is wrong; HEADING is the heading in
    /// docs/disagreements.md that says why. Picks by --kind, --result, --message
    #[arg(long, value_name = "HEADING", conflicts_with_all = ["no_ratchet", "bless", "filter"])]
    ledger: Option<String>,
    /// Run only the cases whose id contains this (implies --no-ratchet)
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// List this many differing cases, with what the reference says
    #[arg(long, value_name = "N")]
    list: Option<usize>,
    /// Show the N largest groups of differing cases
    #[arg(long, value_name = "N")]
    groups: Option<usize>,
    /// In lists and groups: only differences of this kind (accepts, refuses, vuid, index, cascade, line, words, text, …)
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// In lists and groups: only invalid cases that we accept
    #[arg(long)]
    only_missed: bool,
    /// In lists and groups: only cases whose result name contains this
    #[arg(long, value_name = "TEXT")]
    result: Option<String>,
    /// In lists and groups: only cases where the reference's message or ours contains this
    #[arg(long, value_name = "TEXT")]
    message: Option<String>,
}

/// What a suite's run comes to.
pub struct Run {
    /// The counters, by the names that the JSON has.
    counters: Map<String, Value>,
    /// One line for people.
    line: String,
    /// Cases that differ, in order.
    diffs: Vec<Diff>,
}

struct Suite {
    name: &'static str,
    run: fn(&Path, Option<&str>) -> Result<Run>,
}

static SUITES: &[Suite] = &[
    Suite { name: "asm", run: asm::run },
    Suite { name: "val", run: val::run },
    Suite { name: "real", run: real::run },
    Suite { name: "reflect", run: reflect::run },
];

pub fn run(args: &Args) -> Result<()> {
    if let Some(name) = args.suite.iter().find(|n| !ratchet::suites().contains(n.as_str())) {
        bail!("there is no suite `{name}`; the suites are {:?}", ratchet::suites());
    }
    let mut json = Map::new();
    let mut failed = Vec::new();
    for suite in SUITES.iter().filter(|s| args.suite.is_empty() || args.suite.iter().any(|n| n == s.name)) {
        let Some(folder) = corpus::suite(&args.corpus, suite.name)? else {
            println!("{:8} not in {}, skipped", suite.name, args.corpus.display());
            continue;
        };
        let started = std::time::Instant::now();
        let mut run = (suite.run)(&folder, args.filter.as_deref())?;
        let mut table = Table::read(suite.name)?;
        if suite.name != "asm" {
            run.counters.insert("ledger".to_owned(), table.ledger().into());
        }
        println!("{:8} {}; {:.1} s", suite.name, run.line, started.elapsed().as_secs_f64());
        show::show(args, &run.diffs);
        if let Some(heading) = &args.ledger {
            table.mark(&show::picked(args, &run.diffs), heading)?;
        } else if args.bless {
            table.bless(&run.diffs)?;
        } else if !args.no_ratchet && args.filter.is_none() && !table.agrees(&run.diffs) {
            failed.push(suite.name);
        }
        json.insert(suite.name.to_owned(), run.counters.into());
    }
    if let Some(file) = &args.json {
        std::fs::write(file, format!("{:#}\n", Value::from(json)))
            .with_context(|| format!("writing {}", file.display()))?;
    }
    if !failed.is_empty() {
        bail!("suites that do not agree with their ratchet tables: {}", failed.join(", "));
    }
    Ok(())
}

/// A struct of counters as a map.
fn counters<T: serde::Serialize>(of: &T) -> Result<Map<String, Value>> {
    match serde_json::to_value(of)? {
        Value::Object(map) => Ok(map),
        other => bail!("counters are no object: {other}"),
    }
}
