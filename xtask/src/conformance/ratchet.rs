//! The checked-in tables of cases that are known to differ. They may only shrink.
//!
//! A line is `case id TAB kind of difference TAB todo`, or, where we hold the reference to be wrong, `… TAB ledger TAB
//! heading in docs/disagreements.md that explains it`.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, bail};

use super::engine::Diff;

/// How many lines of a list are shown.
const SHOWN: usize = 20;

type Key = (String, String);

/// One suite's table.
pub struct Table {
    path: PathBuf,
    entries: BTreeMap<Key, String>,
}

impl Table {
    /// Reads the table of suite `name`; an absent file is an empty table.
    pub fn read(name: &str) -> Result<Table> {
        let path = crate::root().join("tests/conformance").join(format!("{name}.tsv"));
        let mut entries = BTreeMap::new();
        for line in super::corpus::text(&path)?.lines().filter(|l| !l.starts_with('#')) {
            let mut columns = line.splitn(3, '\t');
            let (Some(id), Some(kind), Some(status)) = (columns.next(), columns.next(), columns.next()) else {
                bail!("{}: not three columns: {line}", path.display());
            };
            if status != "todo" && !status.starts_with("ledger\t") {
                bail!("{}: neither `todo` nor `ledger TAB heading`: {line}", path.display());
            }
            entries.insert((id.to_owned(), kind.to_owned()), status.to_owned());
        }
        Ok(Table { path, entries })
    }

    /// Number of entries where we hold the reference to be wrong.
    pub fn ledger(&self) -> u64 {
        self.entries.values().filter(|s| s.starts_with("ledger")).count() as u64
    }

    /// Headings of docs/disagreements.md that the table refers to.
    #[cfg(test)]
    pub fn headings(&self) -> BTreeSet<&str> {
        self.entries.values().filter_map(|s| s.strip_prefix("ledger\t")).collect()
    }

    /// Whether the run agrees with the table; says on stdout where it does not.
    pub fn agrees(&self, diffs: &[Diff]) -> bool {
        let now: BTreeMap<Key, &Diff> = diffs.iter().map(|d| (key(d), d)).collect();
        let grown: Vec<_> = now.iter().filter(|(k, _)| !self.entries.contains_key(*k)).collect();
        let gone: Vec<_> = self.entries.keys().filter(|k| !now.contains_key(*k)).collect();
        let file = self.path.display();
        if !grown.is_empty() {
            println!("  {} differences are not in {file}:", grown.len());
            for ((id, kind), d) in grown.iter().take(SHOWN) {
                println!("    {id}\t{kind}\t{}", d.ours.lines().next().unwrap_or_default());
            }
        }
        if !gone.is_empty() {
            println!("  {} entries of {file} no longer differ; run with --bless to drop them:", gone.len());
            gone.iter().take(SHOWN).for_each(|(id, kind)| println!("    {id}\t{kind}"));
        }
        grown.is_empty() && gone.is_empty()
    }

    /// Writes the table anew, keeping what is said of entries that stay. Says what it added.
    pub fn bless(&mut self, diffs: &[Diff]) -> Result<()> {
        let before = std::mem::take(&mut self.entries);
        let mut grown = Vec::new();
        for d in diffs {
            let status = before.get(&key(d)).cloned().unwrap_or_else(|| {
                grown.push(format!("    {}\t{}", d.id, d.kind));
                "todo".to_owned()
            });
            self.entries.insert(key(d), status);
        }
        let gone = before.keys().filter(|k| !self.entries.contains_key(*k)).count();
        println!("  blessed: {} entries, {gone} dropped, {} ADDED", self.entries.len(), grown.len());
        grown.iter().take(SHOWN).for_each(|line| println!("{line}"));
        self.write()
    }

    /// Marks entries as ones where we hold the reference to be wrong.
    pub fn mark(&mut self, diffs: &[&Diff], heading: &str) -> Result<()> {
        for d in diffs {
            self.entries.insert(key(d), format!("ledger\t{heading}"));
        }
        println!("  marked: {} entries", diffs.len());
        self.write()
    }

    fn write(&self) -> Result<()> {
        let mut text = "# case id, kind of difference, todo or ledger + heading in docs/disagreements.md\n".to_owned();
        for ((id, kind), status) in &self.entries {
            writeln!(text, "{id}\t{kind}\t{status}")?;
        }
        fs::write(&self.path, text).with_context(|| format!("writing {}", self.path.display()))
    }
}

fn key(d: &Diff) -> Key {
    (d.id.clone(), d.kind.clone())
}

/// Suites that have a table.
pub fn suites() -> BTreeSet<&'static str> {
    super::SUITES.iter().map(|s| s.name).collect()
}
