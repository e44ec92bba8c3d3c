//! `spirula explain`.

use std::fmt::Write as _;

use clap::Args;
use spirula_diag::{Cite, Rule};
use spirula_val::rules;

use crate::cli::complain;
use crate::report::to_stdout;
use crate::{FAILED, OK, USAGE};

/// Explain a rule, or list all rules
///
/// Rules come in groups, which --allow, --warn and --deny of val take too.
#[derive(Args, Debug)]
pub(crate) struct ExplainCommand {
    /// Name of a rule, of a group or of an instruction that states rules (OpLoad), or a VUID; without it all rules are
    /// listed
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
                let of_instruction: Vec<&Rule> = all.iter().filter(|r| instruction(r) == Some(name)).copied().collect();
                if !named.is_empty() {
                    named.iter().map(|r| page(r)).collect::<Vec<_>>().join("\n")
                } else if !group.is_empty() {
                    list(&group)
                } else if !of_instruction.is_empty() {
                    list(&of_instruction)
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

/// The instruction whose description states a rule.
fn instruction(rule: &Rule) -> Option<&'static str> {
    match rule.cite {
        Cite::Spec(place) => Some(place).filter(|p| p.starts_with("Op")),
        _ => None,
    }
}

fn unknown(name: &str, rules: &[&Rule]) -> String {
    match near(name, rules).as_slice() {
        [] => format!("no rule, group or VUID is called {name}; `spirula explain` lists them"),
        near => format!("no rule, group or VUID is called {name}; near: {}", near.join(", ")),
    }
}

/// Names of rules and groups, and VUIDs, that may be meant, the nearest first.
pub(crate) fn near(name: &str, rules: &[&Rule]) -> Vec<&'static str> {
    let vuid = |r: &&Rule| match r.cite {
        Cite::Vuid(v) => Some(v),
        _ => None,
    };
    let names = rules.iter().flat_map(|r| [Some(r.name), Some(r.group), vuid(r), instruction(r)]).flatten();
    let asked = name.to_lowercase();
    let mut found: Vec<(u32, &str)> = names
        .filter_map(|n| {
            let known = n.to_lowercase();
            let part = asked.len() > 2 && (known.contains(&asked) || asked.contains(&known));
            let likeness = strsim::jaro_winkler(&asked, &known) + if part { 1.0 } else { 0.0 };
            (likeness > 0.88).then_some(((likeness * 1000.0) as u32, n))
        })
        .collect();
    found.sort_unstable_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    found.dedup_by_key(|f| f.1);
    found.into_iter().map(|(_, n)| n).take(5).collect()
}
