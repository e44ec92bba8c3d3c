//! Checks of the repository itself.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand};

/// Which crate may use which of ours (ARCHITECTURE.md, "Layers"). Crates for development only may use anything, and
/// nobody may use them.
static EDGES: &[(&str, &[&str])] = &[
    ("spirula-grammar", &[]),
    ("spirula-diag", &[]),
    ("spirula-binary", &["grammar"]),
    ("spirula-text", &["binary", "grammar", "diag"]),
    ("spirula-module", &["binary", "grammar", "diag"]),
    ("spirula-val", &["module", "binary", "grammar", "diag"]),
    ("spirula-reflect", &["module", "binary", "grammar"]),
    ("spirula", &["grammar", "diag", "binary", "text", "module", "val", "reflect"]),
    // The command line is thin: all it knows comes through the façade.
    ("spirula-cli", &["", "grammar", "diag", "binary", "text", "module", "val", "reflect"]),
];

static DEVELOPMENT: &[&str] = &["spirula-filetest", "spirula-bench", "xtask"];

/// Lines that a file has at most; of tests, half as many more.
const LINES: usize = 700;

/// Files that are longer, with their lengths: may only shrink.
static LONG: &[(&str, usize)] = &[("crates/spirula-val/src/rules/vulkan/builtins/mod.rs", 720)];

fn metadata() -> Metadata {
    MetadataCommand::new().manifest_path(crate::root().join("Cargo.toml")).no_deps().exec().expect("cargo metadata")
}

#[test]
fn dependencies_are_those_of_the_design() {
    let edges: BTreeMap<&str, BTreeSet<String>> = EDGES
        .iter()
        .map(|(from, to)| {
            let full = |to: &&str| if to.is_empty() { "spirula".to_owned() } else { format!("spirula-{to}") };
            (*from, to.iter().map(full).collect())
        })
        .collect();
    let mut wrong = Vec::new();
    for package in &metadata().packages {
        if DEVELOPMENT.contains(&package.name.as_str()) {
            continue;
        }
        let Some(allowed) = edges.get(package.name.as_str()) else {
            wrong.push(format!("{} has no row in the list of edges", package.name));
            continue;
        };
        for dependency in package.dependencies.iter().filter(|d| d.name.starts_with("spirula")) {
            // Tests may use what they like.
            if dependency.kind != DependencyKind::Development && !allowed.contains(&dependency.name) {
                wrong.push(format!("{} may not use {}", package.name, dependency.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn crates_have_what_crates_need() {
    let mut wrong = Vec::new();
    for package in &metadata().packages {
        let name = package.name.as_str();
        let folder = package.manifest_path.parent().and_then(|p| p.file_name()).unwrap_or_default();
        if folder != name {
            wrong.push(format!("{name} lies in folder {folder}"));
        }
        if package.description.as_ref().is_none_or(String::is_empty) {
            wrong.push(format!("{name} has no description"));
        }
        let manifest = fs::read_to_string(&package.manifest_path).expect("a manifest");
        if !manifest.contains("[lints]\nworkspace = true") {
            wrong.push(format!("{name} does not take the workspace's lints"));
        }
        for target in package.targets.iter().filter(|t| t.is_lib() || t.is_bin()) {
            let text = fs::read_to_string(&target.src_path).expect("a target's source");
            if !text.starts_with("//!") {
                wrong.push(format!("{} has no crate documentation", target.src_path));
            }
            if target.is_lib() && !DEVELOPMENT.contains(&name) && !text.contains("#![forbid(unsafe_code)]") {
                wrong.push(format!("{} does not forbid unsafe code", target.src_path));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Files of the repository with one of these extensions.
fn files(extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![crate::root()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the repository").flatten() {
            let (path, name) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if path.is_dir() {
                if name != "target" && name != ".git" {
                    folders.push(path);
                }
            } else if path.extension().is_some_and(|e| extensions.iter().any(|x| e == *x)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Files that `cargo xtask codegen` writes; the few files beside them that tie them together are written by hand.
fn generated(path: &Path) -> bool {
    path.components().any(|c| c.as_os_str() == "generated") && !path.ends_with("mod.rs") && !path.ends_with("macros.rs")
}

fn is_test(path: &Path) -> bool {
    let named = path.file_stem().is_some_and(|s| s == "tests" || s.to_string_lossy().ends_with("_tests"));
    named || path.components().any(|c| c.as_os_str() == "tests")
}

fn most_lines(path: &Path) -> usize {
    match LONG.iter().find(|(long, _)| path.ends_with(long)) {
        Some((_, lines)) => *lines,
        None if is_test(path) => LINES * 3 / 2,
        None => LINES,
    }
}

#[test]
fn files_are_of_readable_length() {
    let long: Vec<String> = files(&["rs"])
        .iter()
        .filter(|p| !generated(p))
        .filter_map(|p| Some((p, fs::read_to_string(p).ok()?.lines().count())))
        .filter(|(p, lines)| *lines > most_lines(p))
        .map(|(p, lines)| format!("{}: {lines} lines", p.display()))
        .collect();
    assert!(long.is_empty(), "files of more than {LINES} lines: {long:#?}");
}

#[test]
fn lines_end_where_their_text_ends() {
    let mut wrong = Vec::new();
    for path in files(&["rs", "toml", "md", "tsv", "yml"]).into_iter().filter(|p| !generated(p)) {
        let text = fs::read_to_string(&path).expect("UTF-8");
        if !text.is_empty() && !text.ends_with('\n') {
            wrong.push(format!("{}: no newline at the end", path.display()));
        }
        let ends = |l: &str| l.ends_with([' ', '\t', '\r']);
        wrong.extend(
            text.lines().enumerate().filter(|(_, l)| ends(l)).map(|(n, _)| format!("{}:{}", path.display(), n + 1)),
        );
    }
    assert!(wrong.is_empty(), "spaces at the end of lines: {wrong:#?}");
}

#[test]
fn generated_files_say_so_and_agree() {
    let mut sources = BTreeSet::new();
    for path in files(&["rs"]).iter().filter(|p| generated(p)) {
        let text = fs::read_to_string(path).expect("UTF-8");
        let first = text.lines().next().unwrap_or_default().to_owned();
        assert!(first.starts_with("// Generated by `cargo xtask codegen` from "), "{}: {first}", path.display());
        assert!(first.ends_with("Do not edit by hand."), "{}: {first}", path.display());
        sources.insert(first);
    }
    assert_eq!(sources.len(), 1, "generated from different commits: {sources:#?}");
}

#[test]
fn documents_exist_and_their_links_lead_somewhere() {
    let root = crate::root();
    for name in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/disagreements.md"] {
        assert!(root.join(name).is_file(), "{name} is missing");
    }
    let lines = |name: &str| fs::read_to_string(root.join(name)).expect("a document").lines().count();
    assert!(lines("ARCHITECTURE.md") <= 300, "ARCHITECTURE.md has more than 300 lines");
    let mut wrong = Vec::new();
    for path in files(&["md"]) {
        let text = fs::read_to_string(&path).expect("UTF-8");
        for link in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let target = link.split('#').next().unwrap_or_default();
            let outside = target.is_empty() || target.contains("://");
            if !outside && !path.parent().is_some_and(|p| p.join(target).exists()) {
                wrong.push(format!("{}: {link}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "links to files that do not exist: {wrong:#?}");
}

#[test]
fn disagreements_are_explained() {
    let text = fs::read_to_string(crate::root().join("docs/disagreements.md")).expect("docs/disagreements.md");
    let headings: BTreeSet<&str> = text.lines().filter_map(|l| l.strip_prefix("## ")).collect();
    for suite in crate::conformance::ratchet::suites() {
        let table = crate::conformance::ratchet::Table::read(suite).expect("a table");
        for heading in table.headings() {
            assert!(
                headings.contains(heading),
                "tests/conformance/{suite}.tsv refers to `{heading}`, which is no heading"
            );
        }
    }
}

/// What a file under `tests/` says of rules: those that a line of it breaks, with the line's opcode, and the opcodes of
/// lines that break none.
fn told(text: &str, broken: &mut BTreeMap<String, BTreeSet<String>>, fine: &mut BTreeSet<String>) {
    for line in text.lines() {
        let code = line.split(';').next().unwrap_or_default();
        let opcode = code
            .split(|c: char| !c.is_alphanumeric())
            .find(|w| w.strip_prefix("Op").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase())));
        let mut any = false;
        for part in ["error[", "warning["].iter().flat_map(|mark| line.split(mark).skip(1)) {
            any = true;
            if let Some((rule, _)) = part.split_once(']') {
                broken.entry(rule.to_owned()).or_default().extend(opcode.map(str::to_owned));
            }
        }
        if !any {
            fine.extend(opcode.map(str::to_owned));
        }
    }
}

#[test]
fn every_rule_has_a_failing_and_a_passing_test() {
    let (mut broken, mut fine) = (BTreeMap::new(), BTreeSet::new());
    for path in files(&["spvasm", "cmd"]).iter().filter(|p| is_test(p)) {
        told(&fs::read_to_string(path).expect("UTF-8"), &mut broken, &mut fine);
    }
    let mut wrong = Vec::new();
    for rule in spirula_val::rules() {
        match broken.get(rule.name) {
            None => wrong.push(format!("{} is broken by no file under tests/", rule.name)),
            // No valid module contains what this rule forbids.
            Some(_) if rule.name == "opcode-reserved" => {}
            Some(opcodes) if !opcodes.is_empty() && opcodes.is_disjoint(&fine) => {
                wrong.push(format!("{}: no file under tests/ has {opcodes:?} in a line without a mark", rule.name));
            }
            Some(_) => {}
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
