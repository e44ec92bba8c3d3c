//! `cargo xtask perf`: instruction counts (callgrind) and allocations of pinned modules, gated.
//!
//! Counts are the same on every machine, within a little, so a shared runner can gate them; wall times are for
//! `cargo xtask bench` and people.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail, ensure};

#[derive(clap::Args)]
pub struct Args {
    /// Fail where a count is worse than the checked-in one by more than the tolerance
    #[arg(long, conflicts_with = "bless")]
    check: bool,
    /// Write the counts as the new checked-in ones
    #[arg(long)]
    bless: bool,
}

/// Relative growth of a count that is let pass.
const TOLERANCE: f64 = 0.02;

#[derive(Clone, Copy, PartialEq)]
struct Counts {
    /// SPIR-V instructions of the module.
    size: u64,
    /// Machine instructions of a warm call.
    instructions: u64,
    /// Allocations of the first call.
    cold: u64,
    /// Allocations of a call after it.
    warm: u64,
}

type Table = BTreeMap<(String, String), Counts>;

pub fn run(args: &Args) -> Result<()> {
    if Command::new("valgrind").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!("perf: valgrind is not installed, skipped");
        return Ok(());
    }
    let now = measure(&build()?)?;
    let file = crate::root().join("crates/spirula-bench/perf.tsv");
    let before = read(&fs::read_to_string(&file).unwrap_or_default())?;
    print(&now);
    if args.bless {
        return Ok(fs::write(file, write(&now))?);
    }
    let (worse, better) = compare(&before, &now);
    better.iter().for_each(|line| println!("better: {line}"));
    worse.iter().for_each(|line| println!("WORSE: {line}"));
    if !better.is_empty() {
        println!("`cargo xtask perf --bless` keeps what is better from getting lost again");
    }
    if args.check && !worse.is_empty() {
        bail!("{} counts are worse than those in {}", worse.len(), file.display());
    }
    Ok(())
}

fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(crate::root())
        .args(["build", "--quiet", "--release", "--package", "spirula-bench", "--bin", "perf"])
        .status()?;
    ensure!(status.success(), "building spirula-bench failed");
    Ok(crate::target_dir().join("release/perf"))
}

/// Runs the binary twice: once counting allocations, once under callgrind, which writes one file per measured call.
fn measure(binary: &Path) -> Result<Table> {
    let out = Command::new(binary).arg("count").stderr(Stdio::inherit()).output()?;
    ensure!(out.status.success(), "{} failed", binary.display());
    let lines = String::from_utf8(out.stdout)?;
    let folder = crate::target_dir().join(format!("perf.{}", std::process::id()));
    fs::create_dir_all(&folder)?;
    let out = Command::new("valgrind")
        .args(["--tool=callgrind", "--collect-atstart=no", "--toggle-collect=*spirula_collected*"])
        .args(["--dump-after=*spirula_measured*", "--compress-strings=no"])
        .arg(format!("--callgrind-out-file={}/out", folder.display()))
        .arg(binary)
        .arg("run")
        .output()?;
    ensure!(out.status.success(), "callgrind failed: {}", String::from_utf8_lossy(&out.stderr));
    let mut table = Table::new();
    // The calls of the cold run are not in that frame, so the files are numbered as the lines are.
    for (i, line) in lines.lines().enumerate() {
        let columns: Vec<&str> = line.split('\t').collect();
        let [module, operation, size, cold, warm, _peak] = columns[..] else { bail!("not a line of counts: {line}") };
        let instructions = total(&folder.join(format!("out.{}", i + 1)))?;
        let counts = Counts { size: size.parse()?, instructions, cold: cold.parse()?, warm: warm.parse()? };
        table.insert((module.to_owned(), operation.to_owned()), counts);
    }
    fs::remove_dir_all(folder)?;
    Ok(table)
}

/// The instructions that one of callgrind's files sums up to.
fn total(file: &Path) -> Result<u64> {
    let text = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let line = text.lines().find_map(|l| l.strip_prefix("totals:").or_else(|| l.strip_prefix("summary:")));
    Ok(line.with_context(|| format!("no totals in {}", file.display()))?.trim().parse()?)
}

fn read(text: &str) -> Result<Table> {
    let mut table = Table::new();
    for line in text.lines().filter(|l| !l.starts_with('#')) {
        let columns: Vec<&str> = line.split('\t').collect();
        let [module, operation, size, instructions, cold, warm] = columns[..] else { bail!("not six columns: {line}") };
        let counts = Counts {
            size: size.parse()?,
            instructions: instructions.parse()?,
            cold: cold.parse()?,
            warm: warm.parse()?,
        };
        table.insert((module.to_owned(), operation.to_owned()), counts);
    }
    Ok(table)
}

fn write(table: &Table) -> String {
    let mut text =
        "# module, operation, SPIR-V instructions, machine instructions (warm), allocations cold, warm\n".to_owned();
    for ((module, operation), c) in table {
        writeln!(text, "{module}\t{operation}\t{}\t{}\t{}\t{}", c.size, c.instructions, c.cold, c.warm)
            .expect("writing to a string");
    }
    text
}

fn print(table: &Table) {
    println!(
        "{:16} {:14} {:>7} {:>12} {:>8} {:>6} {:>6}",
        "module", "operation", "size", "instr.", "each", "cold", "warm"
    );
    for ((module, operation), c) in table {
        let each = c.instructions as f64 / c.size as f64;
        println!("{module:16} {operation:14} {:7} {:12} {each:8.1} {:6} {:6}", c.size, c.instructions, c.cold, c.warm);
    }
}

/// What is worse, and what is better, than before.
fn compare(before: &Table, now: &Table) -> (Vec<String>, Vec<String>) {
    let (mut worse, mut better) = (Vec::new(), Vec::new());
    for ((module, operation), c) in now {
        let Some(old) = before.get(&(module.clone(), operation.clone())) else {
            worse.push(format!("{module} {operation} is not in the table"));
            continue;
        };
        let pairs = [
            ("instructions", old.instructions, c.instructions),
            ("cold", old.cold, c.cold),
            ("warm", old.warm, c.warm),
        ];
        for (what, old, new) in pairs {
            let line = format!("{module} {operation} {what}: {new} instead of {old}");
            if new as f64 > old as f64 * (1.0 + TOLERANCE) {
                worse.push(line);
            } else if (new as f64) < old as f64 * (1.0 - TOLERANCE) {
                better.push(line);
            }
        }
    }
    let gone = before.keys().filter(|k| !now.contains_key(*k));
    worse.extend(gone.map(|(module, operation)| format!("{module} {operation} is no longer measured")));
    (worse, better)
}

#[cfg(test)]
mod tests {
    use super::{Counts, Table, compare, read, write};

    #[test]
    fn tables_survive_and_growth_is_found() {
        let key = || ("m".to_owned(), "op".to_owned());
        let counts = |instructions| Counts { size: 10, instructions, cold: 3, warm: 0 };
        let before = Table::from([(key(), counts(1000))]);
        assert!(read(&write(&before)).is_ok_and(|t| t == before));
        assert_eq!(compare(&before, &Table::from([(key(), counts(1019))])), (vec![], vec![]));
        assert_eq!(compare(&before, &Table::from([(key(), counts(1021))])).0.len(), 1);
        assert_eq!(compare(&before, &Table::from([(key(), counts(900))])).1.len(), 1);
    }
}
