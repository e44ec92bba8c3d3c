//! Command lines: what the program prints, and its exit code.

use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

/// One command and what is expected of it.
#[derive(Default, Debug)]
struct Step {
    /// Lines before the command, kept as they are.
    comments: Vec<String>,
    command: String,
    /// Expected lines: `> ` standard output, `! ` standard error, `= ` exit code.
    expected: Vec<String>,
}

pub(crate) fn run(path: &Path, program: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let (steps, rest) = parse(&text)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let name = path.file_stem().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    let scratch = std::env::temp_dir().join(format!("spirula-{name}-{}", std::process::id()));
    std::fs::create_dir_all(&scratch).map_err(|e| e.to_string())?;
    let done = play(&steps, folder, program, &scratch);
    let _ = std::fs::remove_dir_all(&scratch);
    let done = done?;
    let wrong = steps.iter().zip(&done).find(|(step, found)| !same(&step.expected, found));
    let Some((step, found)) = wrong else { return Ok(()) };
    if crate::blessing() {
        return std::fs::write(path, show(&steps, &done, &rest)).map_err(|e| e.to_string());
    }
    Err(format!("$ {}\n{}", step.command, crate::file::difference(&step.expected, found)))
}

fn parse(text: &str) -> Result<(Vec<Step>, Vec<String>), String> {
    let mut steps: Vec<Step> = Vec::new();
    let mut comments = Vec::new();
    for line in text.lines() {
        if let Some(command) = line.strip_prefix("$ ") {
            let comments = std::mem::take(&mut comments);
            steps.push(Step { comments, command: command.to_owned(), expected: Vec::new() });
        } else if line.starts_with(['>', '!', '=']) {
            let step = steps.last_mut().ok_or("output before the first command")?;
            step.expected.push(line.to_owned());
        } else {
            comments.push(line.to_owned());
        }
    }
    Ok((steps, comments))
}

fn play(steps: &[Step], folder: &Path, program: &Path, scratch: &Path) -> Result<Vec<Vec<String>>, String> {
    steps
        .iter()
        .map(|s| one(&s.command, folder, program, scratch).map_err(|e| format!("$ {}\n{e}", s.command)))
        .collect()
}

/// Runs one command in `folder`. `spirula` is the program, `$TMP` a folder to write to; `NAME=value` before it sets a
/// variable, `< FILE` behind it gives standard input.
fn one(command: &str, folder: &Path, program: &Path, scratch: &Path) -> Result<Vec<String>, String> {
    let tmp = scratch.to_string_lossy().into_owned();
    let mut run = Command::new(program);
    run.current_dir(folder).stdin(Stdio::null());
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "RUST_BACKTRACE"] {
        run.env_remove(name);
    }
    let mut words = command.split_whitespace().map(|w| w.replace("$TMP", &tmp)).peekable();
    while let Some((name, value)) = words.peek().and_then(|w| w.split_once('=')) {
        run.env(name, value);
        words.next();
    }
    if words.next().as_deref() != Some("spirula") {
        return Err("commands are those of `spirula`".to_owned());
    }
    while let Some(word) = words.next() {
        if word == "<" {
            let file = folder.join(words.next().ok_or("no file behind `<`")?);
            run.stdin(std::fs::File::open(&file).map_err(|e| format!("{}: {e}", file.display()))?);
        } else {
            run.arg(word);
        }
    }
    let output = run.output().map_err(|e| e.to_string())?;
    let mut lines = Vec::new();
    for (mark, bytes) in [('>', &output.stdout), ('!', &output.stderr)] {
        let text = String::from_utf8_lossy(bytes).replace(&tmp, "$TMP");
        lines.extend(text.lines().map(|l| format!("{mark} {}", l.replace('\x1b', "␛")).trim_end().to_owned()));
    }
    lines.push(format!("= {}", output.status.code().unwrap_or(-1)));
    Ok(lines)
}

/// Whether lines are as expected; `[..]` in an expected line stands for anything.
fn same(expected: &[String], found: &[String]) -> bool {
    expected.len() == found.len() && expected.iter().zip(found).all(|(e, f)| fits(e, f))
}

fn fits(expected: &str, found: &str) -> bool {
    match expected.split_once("[..]") {
        None => expected == found,
        Some((before, after)) => found.strip_prefix(before).is_some_and(|rest| {
            let ends = (0..=rest.len()).filter_map(|i| rest.get(i..));
            ends.into_iter().any(|rest| fits(after, rest))
        }),
    }
}

fn show(steps: &[Step], done: &[Vec<String>], rest: &[String]) -> String {
    let mut text = String::new();
    for (step, found) in steps.iter().zip(done) {
        step.comments.iter().for_each(|c| {
            let _ = writeln!(text, "{c}");
        });
        let _ = writeln!(text, "$ {}", step.command);
        let lines = if same(&step.expected, found) { &step.expected } else { found };
        lines.iter().for_each(|l| {
            let _ = writeln!(text, "{l}");
        });
    }
    rest.iter().for_each(|l| {
        let _ = writeln!(text, "{l}");
    });
    text
}
