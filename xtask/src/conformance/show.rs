//! Shows differences to whoever works on them. What the reference says goes to stdout only, never into a file.

use std::collections::BTreeMap;

use super::Args;
use super::engine::Diff;

/// The differences that the options pick.
pub fn picked<'d>(args: &Args, diffs: &'d [Diff]) -> Vec<&'d Diff> {
    let message = |d: &Diff, m: &str| d.reference.contains(m) || d.ours.contains(m);
    diffs
        .iter()
        .filter(|d| args.kind.as_ref().is_none_or(|k| d.kind.starts_with(k.as_str())))
        .filter(|d| !args.only_missed || d.kind.starts_with("accepts"))
        .filter(|d| args.result.as_ref().is_none_or(|r| d.result.contains(r.as_str())))
        .filter(|d| args.message.as_ref().is_none_or(|m| message(d, m)))
        .collect()
}

/// Lists and groups the differences as the options ask.
pub fn show(args: &Args, diffs: &[Diff]) {
    let picked = picked(args, diffs);
    if let Some(n) = args.groups {
        let what = if args.only_missed { "missed" } else { "differing" };
        println!("  {} {what}; by kind:", picked.len());
        group(&picked, n, |d| format!("{} {}", d.kind, d.result));
        println!("  by test function or folder:");
        group(&picked, n, |d| function(&d.id).to_owned());
        println!("  by what the reference says:");
        group(&picked, n, |d| pattern(&d.reference));
        println!("  by what we say:");
        group(&picked, n, |d| pattern(&d.ours));
    }
    for d in picked.iter().take(args.list.unwrap_or(0)) {
        println!("  {} [{}] {}", d.id, d.kind, d.place);
        if !d.reference.is_empty() {
            println!("      reference: {} {}", d.result, indented(&d.reference));
        }
        if !d.ours.is_empty() {
            println!("      ours:      {}", indented(&d.ours));
        }
    }
}

fn indented(text: &str) -> String {
    text.trim_end().replace('\n', "\n        ")
}

fn group(diffs: &[&Diff], n: usize, key: impl Fn(&Diff) -> String) {
    let mut groups: BTreeMap<String, (usize, &str)> = BTreeMap::new();
    for d in diffs {
        groups.entry(key(d)).or_insert((0, &d.id)).0 += 1;
    }
    let mut groups: Vec<_> = groups.into_iter().filter(|(k, _)| !k.is_empty()).collect();
    groups.sort_by_key(|(_, (count, _))| std::cmp::Reverse(*count));
    for (key, (count, example)) in groups.into_iter().take(n) {
        println!("    {count:6}  {key}   (e.g. {example})");
    }
}

/// The test function without what a parameterised test adds before and after; of a file, its folder.
fn function(id: &str) -> &str {
    if id.ends_with(".spv") {
        return id.rsplit_once('/').map_or(id, |(folder, _)| folder);
    }
    let id = id.split('#').next().unwrap_or(id);
    let Some(dot) = id.find('.') else { return id };
    let start = id[..dot].rfind('/').map_or(0, |i| i + 1);
    let end = id[dot..].find('/').map_or(id.len(), |i| dot + i);
    &id[start..end]
}

/// A message's first line with numbers and quoted parts taken out.
fn pattern(message: &str) -> String {
    let mut out = String::new();
    let mut chars = message.lines().next().unwrap_or_default().chars().peekable();
    while let Some(c) = chars.next() {
        if c == '\'' || c == '[' {
            let close = if c == '[' { ']' } else { '\'' };
            out.push('…');
            while chars.next().is_some_and(|c| c != close) {}
        } else if c.is_ascii_digit() {
            out.push('#');
            while chars.next_if(char::is_ascii_digit).is_some() {}
        } else {
            out.push(c);
        }
    }
    out.chars().take(160).collect()
}

#[cfg(test)]
mod tests {
    use super::{function, pattern};

    #[test]
    fn names_of_parameterised_tests() {
        assert_eq!(function("Foo/Suite.Name/12#3"), "Suite.Name");
        assert_eq!(function("Suite.Name#0"), "Suite.Name");
        assert_eq!(function("tint/x.spv"), "tint");
    }

    #[test]
    fn patterns_of_messages() {
        assert_eq!(pattern("id '5[%x]' has width 16\nmore"), "id … has width #");
    }
}
