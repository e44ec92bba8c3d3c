//! From the command line to a list of inputs.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use spirula_grammar::MAGIC;
use spirula_text::render::Finding;

/// One thing to work on.
#[derive(Debug)]
pub(crate) struct Input {
    /// What it is called in messages.
    pub(crate) name: String,
    /// Where its result goes below a folder of results: its place in the folder that was named, or its file's name.
    pub(crate) place: PathBuf,
    pub(crate) source: Source,
}

impl Input {
    pub(crate) fn file(path: PathBuf) -> Input {
        let place = path.file_name().unwrap_or_default().into();
        Input { name: path.to_string_lossy().into_owned(), place, source: Source::File(path) }
    }

    pub(crate) fn stdin() -> Input {
        Input { name: "<stdin>".to_owned(), place: "stdin".into(), source: Source::Stdin }
    }
}

/// Where an input's bytes are.
#[derive(Debug)]
pub(crate) enum Source {
    File(PathBuf),
    Stdin,
    /// Nowhere: why, and the exit code.
    Missing(Box<Finding>, u8),
}

/// Which files of a directory count.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Wanted {
    /// Modules in any form.
    All,
    /// Assembly alone.
    Text,
    /// Binary modules alone.
    Binary,
}

/// Expands directories and lists, in order; what is in a directory is sorted by name.
pub(crate) fn expand(paths: Vec<PathBuf>, wanted: Wanted) -> Vec<Input> {
    let mut found = Vec::new();
    let mut queue: VecDeque<PathBuf> = paths.into();
    let mut lists = 0;
    while let Some(path) = queue.pop_front() {
        let name = path.to_string_lossy().into_owned();
        if name == "-" {
            found.push(Input::stdin());
        } else if let Some(list) = name.strip_prefix('@') {
            lists += 1;
            match read_list(list, lists) {
                Ok(lines) => lines.into_iter().rev().for_each(|l| queue.push_front(l)),
                Err(message) => found.push(missing(list, "io", message, crate::FAILED)),
            }
        } else if path.is_dir() {
            walk(&path, wanted, &mut found);
        } else {
            found.push(Input::file(path));
        }
    }
    found
}

fn missing(name: &str, rule: &str, message: String, code: u8) -> Input {
    let finding = Finding::of_input(name, rule, message, None);
    Input { name: name.to_owned(), place: PathBuf::new(), source: Source::Missing(Box::new(finding), code) }
}

/// Lists may name lists; a bound on their number ends circles.
fn read_list(list: &str, count: u32) -> Result<Vec<PathBuf>, String> {
    if count > 1000 {
        return Err("more than 1000 lists: do they name each other?".to_owned());
    }
    let text = if list == "-" { std::io::read_to_string(std::io::stdin()) } else { std::fs::read_to_string(list) };
    let text = text.map_err(|e| format!("cannot read the list: {e}"))?;
    Ok(text.lines().map(str::trim).filter(|l| !l.is_empty()).map(PathBuf::from).collect())
}

fn walk(dir: &Path, wanted: Wanted, found: &mut Vec<Input>) {
    let before = found.len();
    for entry in walkdir::WalkDir::new(dir).follow_links(true).sort_by_file_name() {
        match entry {
            Ok(e) if e.file_type().is_file() => {
                if counts(e.path(), wanted) {
                    let place = e.path().strip_prefix(dir).unwrap_or(e.path()).to_owned();
                    found.push(Input { place, ..Input::file(e.into_path()) });
                }
            }
            Ok(_) => {}
            Err(e) => {
                let name = e.path().unwrap_or(dir).to_string_lossy().into_owned();
                let why = match (e.loop_ancestor(), e.io_error()) {
                    (Some(above), _) => format!("a link back to {}, which is not followed", above.display()),
                    (None, Some(e)) => format!("cannot read: {e}"),
                    (None, None) => format!("cannot read: {e}"),
                };
                found.push(missing(&name, "io", why, crate::FAILED));
            }
        }
    }
    if found.len() == before {
        let what = match wanted {
            Wanted::All => "module (*.spv, *.spvasm, or a file that starts with the magic number)",
            Wanted::Text => "assembly (*.spvasm)",
            Wanted::Binary => "binary module (*.spv, or a file that starts with the magic number)",
        };
        let message = format!("the directory contains no {what}");
        found.push(missing(&dir.to_string_lossy(), "no-modules", message, crate::INVALID));
    }
}

/// Whether a file of a directory is taken: by its extension, or because it starts with the magic number.
fn counts(path: &Path, wanted: Wanted) -> bool {
    match path.extension().and_then(|e| e.to_str()) {
        Some("spvasm") => wanted != Wanted::Binary,
        Some("spv") => wanted != Wanted::Text,
        _ if wanted == Wanted::Text => false,
        _ => {
            let mut first = [0; 4];
            let read = File::open(path).and_then(|mut f| f.read_exact(&mut first));
            let word = u32::from_le_bytes(first);
            read.is_ok() && (word == MAGIC || word == MAGIC.swap_bytes())
        }
    }
}
