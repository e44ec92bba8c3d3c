//! Suite `asm`: the reference assembler's and disassembler's own test cases.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use spirula_binary::words_from_bytes;

use super::engine::{self, Diff};
use super::val::share;
use super::{Run, corpus, flags};

#[derive(Deserialize)]
struct Case<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    env: Cow<'a, str>,
    #[serde(default)]
    options: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    result: Cow<'a, str>,
    text: Option<String>,
    words: Option<Cow<'a, str>>,
    message: Option<String>,
    pos: Option<Pos>,
    #[serde(default)]
    api_only: bool,
}

#[derive(Deserialize)]
struct Pos {
    line: u32,
    column: u32,
}

#[derive(Serialize, Default)]
struct Counters {
    asm_ok_cases: u64,
    asm_ok_identical: u64,
    asm_fail_cases: u64,
    asm_fail_refused: u64,
    asm_fail_same_line: u64,
    dis_cases: u64,
    dis_identical: u64,
}

/// What a case comes to.
enum Outcome {
    /// Not judged: an option that we do not have, or no text to compare with.
    Skipped,
    Same,
    Differs(&'static str, String),
}

pub fn run(folder: &Path, filter: Option<&str>) -> Result<Run> {
    let mut texts = Vec::new();
    for file in ["cases.jsonl", "from_val.jsonl", "from_opt.jsonl"] {
        texts.push(corpus::text(&folder.join(file))?);
    }
    let mut cases: Vec<Case<'_>> = Vec::new();
    for text in &texts {
        cases.extend(engine::parse_lines::<Case<'_>>(text)?);
    }
    cases.retain(|c| !c.api_only && (c.kind == "asm" || c.kind == "dis") && filter.is_none_or(|f| c.id.contains(f)));
    let outcomes = engine::run(&cases, |c| &c.id, || (), |(), c| judge(c));
    let mut counters = Counters::default();
    let mut diffs = Vec::new();
    for (case, outcome) in cases.iter().zip(outcomes) {
        let outcome = match outcome {
            Ok(outcome) => outcome?,
            Err(panic) => Outcome::Differs("panic", panic),
        };
        count(&mut counters, case, &outcome);
        if let Outcome::Differs(kind, ours) = outcome {
            diffs.push(diff(case, kind, ours));
        }
    }
    Ok(Run { line: line(&counters), counters: super::counters(&counters)?, diffs })
}

fn count(c: &mut Counters, case: &Case<'_>, outcome: &Outcome) {
    let same = u64::from(matches!(outcome, Outcome::Same));
    match outcome {
        Outcome::Skipped => {}
        _ if case.kind == "dis" => {
            c.dis_cases += 1;
            c.dis_identical += same;
        }
        _ if case.words.is_some() => {
            c.asm_ok_cases += 1;
            c.asm_ok_identical += same;
        }
        _ => {
            c.asm_fail_cases += 1;
            c.asm_fail_refused += u64::from(matches!(outcome, Outcome::Same | Outcome::Differs("line", _)));
            c.asm_fail_same_line += same;
        }
    }
}

fn judge(case: &Case<'_>) -> Result<Outcome> {
    if case.kind == "asm" { assemble(case) } else { disassemble(case) }
}

fn assemble(case: &Case<'_>) -> Result<Outcome> {
    let text = case.text.as_ref().context("an assembler case without text")?;
    let ours = spirula_text::assemble(text.as_bytes(), &flags::asm(&case.options, &case.env)?);
    Ok(match (ours, &case.words) {
        (Ok(ours), Some(theirs)) => {
            let theirs = words(theirs)?;
            if ours == theirs {
                return Ok(Outcome::Same);
            }
            let at = ours.iter().zip(&theirs).position(|(a, b)| a != b).unwrap_or(ours.len().min(theirs.len()));
            let word = |of: &[u32]| of.get(at).map_or_else(|| "none".to_owned(), |w| format!("{w:08x}"));
            Outcome::Differs("words", format!("word {at}: {} (reference: {})", word(&ours), word(&theirs)))
        }
        (Err(errors), Some(_)) => Outcome::Differs("refuses", shown(&errors)),
        (Ok(_), None) => Outcome::Differs("accepts", String::new()),
        (Err(errors), None) => {
            let line = case.pos.as_ref().map(|p| p.line + 1);
            if line.is_none_or(|line| errors.iter().any(|e| e.line == line)) {
                Outcome::Same
            } else {
                Outcome::Differs("line", shown(&errors))
            }
        }
    })
}

fn shown(errors: &[spirula_text::AsmError]) -> String {
    errors.iter().take(5).map(|e| format!("{}:{}: {}\n", e.line, e.column, e.message)).collect()
}

fn disassemble(case: &Case<'_>) -> Result<Outcome> {
    let (Some(theirs), Some(options)) = (&case.text, flags::dis(&case.options)) else { return Ok(Outcome::Skipped) };
    let bytes: Vec<u8> =
        words(case.words.as_ref().context("no words")?)?.into_iter().flat_map(u32::to_le_bytes).collect();
    let ours = match words_from_bytes(&bytes) {
        Ok(words) => spirula_text::disassemble(&words, &options).text,
        Err(e) => return Ok(Outcome::Differs("text", e.to_string())),
    };
    if ours == *theirs {
        return Ok(Outcome::Same);
    }
    let mut lines = ours.lines().zip(theirs.lines()).enumerate();
    Ok(Outcome::Differs(
        "text",
        match lines.find(|(_, (a, b))| a != b) {
            Some((n, (a, b))) => format!("line {}: {a}\n  (reference: {b})", n + 1),
            None => format!("{} bytes (reference: {})", ours.len(), theirs.len()),
        },
    ))
}

fn words(text: &str) -> Result<Vec<u32>> {
    text.split_ascii_whitespace().map(|w| u32::from_str_radix(w, 16).with_context(|| w.to_owned())).collect()
}

fn diff(case: &Case<'_>, kind: &str, ours: String) -> Diff {
    let pos = case.pos.as_ref().map_or_else(String::new, |p| format!("{}:{}: ", p.line + 1, p.column + 1));
    Diff {
        id: case.id.to_string(),
        kind: kind.to_owned(),
        result: case.result.to_string(),
        reference: format!("{pos}{}", case.message.as_deref().unwrap_or_default()),
        ours,
        place: format!("--target-env {} {}", case.env, case.options.join(" ")),
    }
}

fn line(c: &Counters) -> String {
    format!(
        "same words {}; failures refused {}, on the same line {}; same text {}",
        share(c.asm_ok_identical, c.asm_ok_cases),
        share(c.asm_fail_refused, c.asm_fail_cases),
        share(c.asm_fail_same_line, c.asm_fail_cases),
        share(c.dis_identical, c.dis_cases)
    )
}
