//! `docs/rules.md` and `docs/support.md`, made from the rules themselves, and the schemas of reports.
//!
//! `xtask/vuids.tsv` lists the valid-usage ids of the Vulkan specification that a module alone can break, with a reason
//! where no rule states one. A reason for what has a rule, and an id that has neither, are errors.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};
use spirula_diag::{Cite, Rule, Severity};

#[derive(clap::Args)]
pub struct Args {
    /// Compare with the files in docs/ instead of writing them
    #[arg(long)]
    check: bool,
    /// Table of the Vulkan specification's valid-usage ids (id, file, text, separated by tabs): ids that
    /// xtask/vuids.tsv lacks are added to it, or reported with --check
    #[arg(long, value_name = "FILE")]
    vuids: Option<PathBuf>,
}

const LIST: &str = "xtask/vuids.tsv";

pub fn run(args: &Args) -> anyhow::Result<()> {
    let path = crate::root().join(LIST);
    let text = fs::read_to_string(&path).with_context(|| format!("reading {LIST}"))?;
    let mut reasons: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines().filter(|l| !l.starts_with('#') && !l.is_empty()) {
        let (id, reason) = line.split_once('\t').unwrap_or((line, ""));
        reasons.insert(id.to_owned(), reason.to_owned());
    }
    if let Some(file) = &args.vuids {
        complete(&mut reasons, file, args.check)?;
        if !args.check {
            let head: String = text.lines().filter(|l| l.starts_with('#')).fold(String::new(), |s, l| s + l + "\n");
            let rows = reasons.iter().fold(head, |s, (id, reason)| s + format!("{id}\t{reason}").trim_end() + "\n");
            fs::write(&path, rows)?;
        }
    }
    let rules: Vec<&'static Rule> = spirula_val::rules().collect();
    let problems = problems(&rules, &reasons);
    if !problems.is_empty() {
        bail!("{}", problems.join("\n"));
    }
    put("docs/rules.md", &rules_page(&rules), args.check)?;
    put("docs/support.md", &support_page(&rules, &reasons), args.check)?;
    crate::schema::all()?.iter().try_for_each(|(file, text)| put(file, text, args.check))
}

fn put(name: &str, text: &str, check: bool) -> anyhow::Result<()> {
    let path = crate::root().join(name);
    if !check {
        return fs::write(&path, text).with_context(|| format!("writing {name}"));
    }
    if fs::read_to_string(&path).unwrap_or_default() != text {
        bail!("{name} is not up to date: run `cargo xtask docs`");
    }
    Ok(())
}

/// Whether a valid-usage id is one that the list must contain: those of a module alone, and those of built-ins.
fn is_wanted(id: &str) -> bool {
    let family = id.split('-').nth(1).unwrap_or_default();
    family != "RuntimeSpirv" && !family.starts_with("Vk") && !family.starts_with("vk")
}

fn complete(reasons: &mut BTreeMap<String, String>, file: &PathBuf, check: bool) -> anyhow::Result<()> {
    let table = fs::read_to_string(file).with_context(|| format!("reading {}", file.display()))?;
    let ids: BTreeSet<&str> = table
        .lines()
        .filter_map(|l| l.split('\t').next())
        .filter(|id| id.starts_with("VUID-") && is_wanted(id))
        .collect();
    let missing: Vec<&str> = ids.into_iter().filter(|id| !reasons.contains_key(*id)).collect();
    if check && !missing.is_empty() {
        bail!("{LIST} lacks {}", missing.join(", "));
    }
    reasons.extend(missing.into_iter().map(|id| (id.to_owned(), String::new())));
    Ok(())
}

/// The valid-usage ids that rules cite.
fn cited(rules: &[&'static Rule]) -> BTreeMap<&'static str, Vec<&'static Rule>> {
    let mut all: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in rules {
        if let Cite::Vuid(id) = rule.cite {
            all.entry(id).or_default().push(rule);
        }
    }
    all
}

fn problems(rules: &[&'static Rule], reasons: &BTreeMap<String, String>) -> Vec<String> {
    let cited = cited(rules);
    let mut problems = Vec::new();
    let mut names = BTreeSet::new();
    for rule in rules {
        if !names.insert(rule.name) {
            problems.push(format!("two rules have the name {}", rule.name));
        }
    }
    for (id, reason) in reasons {
        match (cited.get(id.as_str()), reason.is_empty()) {
            (None, true) => problems.push(format!("{id} has neither a rule nor a reason in {LIST}")),
            (Some(rules), false) => problems.push(format!("{id} has the rule {} and a reason not to", rules[0].name)),
            _ => {}
        }
    }
    for (id, rules) in &cited {
        if is_wanted(id) && !reasons.contains_key(*id) {
            problems.push(format!("{} cites {id}, which {LIST} lacks", rules[0].name));
        }
    }
    problems
}

fn rules_page(rules: &[&'static Rule]) -> String {
    let mut groups: BTreeMap<&str, Vec<&Rule>> = BTreeMap::new();
    for rule in rules {
        groups.entry(rule.group).or_default().push(rule);
    }
    let mut page = String::from(
        "# Rules of the validator\n\nMade by `cargo xtask docs`: do not edit. `spirula explain RULE` prints one entry.\n",
    );
    let _ =
        writeln!(page, "There are {} rules. `--allow`, `--warn` and `--deny` take a rule or a group.\n", rules.len());
    for (group, rules) in &groups {
        let _ = writeln!(page, "- [{group}](#{group}) ({})", rules.len());
    }
    for (group, rules) in &groups {
        let _ = writeln!(page, "\n## {group}");
        for rule in rules {
            let severity = match rule.severity {
                Severity::Error => String::new(),
                other => format!(" ({other})"),
            };
            let _ = writeln!(page, "\n### {}{severity}\n\n{}\n\n*{}*", rule.name, paragraph(rule.doc), rule.cite);
        }
    }
    page
}

/// Documentation comments carry a space at the start of each line.
fn paragraph(doc: &str) -> String {
    doc.lines().map(str::trim).collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn support_page(rules: &[&'static Rule], reasons: &BTreeMap<String, String>) -> String {
    let cited = cited(rules);
    let covered = reasons.values().filter(|r| r.is_empty()).count();
    let mut page = String::from("# Vulkan's valid-usage ids\n\nMade by `cargo xtask docs`: do not edit.\n\n");
    let _ = writeln!(
        page,
        "Of the {} valid-usage ids that concern a module alone or a built-in, {covered} are stated by a rule. The others \
         say why not.\n\n| id | rule, or why there is none |\n|---|---|",
        reasons.len()
    );
    for (id, reason) in reasons {
        let what = match cited.get(id.as_str()) {
            Some(rules) => rules.iter().map(|r| format!("[{0}](rules.md#{0})", r.name)).collect::<Vec<_>>().join(", "),
            None => reason.clone(),
        };
        let _ = writeln!(page, "| {id} | {what} |");
    }
    page
}
