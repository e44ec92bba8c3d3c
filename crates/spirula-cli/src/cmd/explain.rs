//! `spirula explain`.

use std::fmt::Write as _;

use clap::Args;
use spirula_diag::{Cite, Rule};
use spirula_val::rules;

use crate::cli::complain;
use crate::report::to_stdout;
use crate::{FAILED, OK, USAGE};

/// Explain a rule, or list all rules
#[derive(Args, Debug)]
pub(crate) struct ExplainCommand {
    /// Name of a rule or of a group, or a VUID; without it all rules are listed
    rule: Option<String>,
}

impl ExplainCommand {
    pub(crate) fn run(&self) -> u8 {
        let mut all: Vec<&Rule> = rules().collect();
        all.sort_by_key(|r| (r.group, r.name));
        let text = match &self.rule {
            None => list(&all),
            Some(name) => {
                let cited = |r: &&&Rule| matches!(r.cite, Cite::Vuid(v) if v == name);
                let named: Vec<&Rule> = all.iter().filter(|r| r.name == name || cited(r)).copied().collect();
                let group: Vec<&Rule> = all.iter().filter(|r| r.group == name).copied().collect();
                if !named.is_empty() {
                    named.iter().map(|r| page(r)).collect()
                } else if !group.is_empty() {
                    list(&group)
                } else {
                    complain(&unknown(name, &all));
                    return USAGE;
                }
            }
        };
        match to_stdout(text.as_bytes()) {
            Ok(_) => OK,
            Err(e) => {
                complain(&format!("cannot write to standard output: {e}"));
                FAILED
            }
        }
    }
}

fn page(rule: &Rule) -> String {
    let doc: Vec<&str> = rule.doc.lines().map(|l| l.strip_prefix(' ').unwrap_or(l)).collect();
    let (name, doc) = (rule.name, doc.join("\n"));
    format!(
        "{name}\n\n{}\n\nSource: {}\nGroup: {}\nLevel: {} (change it with --allow, --warn or --deny {name})\n",
        doc.trim(),
        rule.cite,
        rule.group,
        rule.severity,
    )
}

fn list(rules: &[&Rule]) -> String {
    let width = rules.iter().map(|r| r.name.len()).max().unwrap_or(0).min(44);
    let mut text = String::new();
    let mut group = "";
    for r in rules {
        if r.group != group {
            group = r.group;
            let _ = writeln!(text, "{group}");
        }
        let _ = writeln!(text, "  {:width$}  {}", r.name, first_sentence(r.doc));
    }
    text
}

/// The first sentence of a page, in one line.
fn first_sentence(doc: &str) -> String {
    let paragraph: Vec<&str> = doc.trim().lines().map(str::trim).take_while(|l| !l.is_empty()).collect();
    let paragraph = paragraph.join(" ");
    match paragraph.find(". ") {
        Some(end) => paragraph.get(..=end).unwrap_or(&paragraph).to_owned(),
        None => paragraph,
    }
}

fn unknown(name: &str, rules: &[&Rule]) -> String {
    let near: Vec<&str> = rules.iter().map(|r| r.name).filter(|n| n.contains(name)).take(5).collect();
    match near.as_slice() {
        [] => format!("no rule, group or VUID is called {name}; `spirula explain` lists them"),
        near => format!("no rule, group or VUID is called {name}; near: {}", near.join(", ")),
    }
}
