//! Runs everything under `tests/`: one test per file, named after its path. `tests/README.md` describes the files.
//!
//! `cargo test -p spirula-filetest` runs the modules; the command lines under `tests/cli` are run by `spirula-cli`'s own
//! tests, which know where the program is. With `BLESS=1` in the environment, what is expected is brought in line with
//! what happens, where that can be done without losing a mark.
#![forbid(unsafe_code)]

mod command;
mod file;
mod link;
mod marks;
mod reflect;
mod text;
mod val;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};

use crate::file::{Kind, TestFile};

/// The repository's `tests` folder.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests")
}

/// Whether expectations are to be updated.
fn blessing() -> bool {
    std::env::var_os("BLESS").is_some_and(|v| !v.is_empty() && v != "0")
}

/// Runs the tests that are modules.
pub fn run_modules() -> ExitCode {
    run("spvasm", |path| {
        let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
        let file = TestFile::parse(path, &bytes)?;
        match file.kind {
            Kind::Val => val::run(&file),
            Kind::Link => link::run(&file),
            Kind::Dis => text::run_dis(&file),
            Kind::As => text::run_as(&file),
            Kind::Reflect => reflect::run(&file),
        }
    })
}

/// The Rust structures of all examples and of all modules that test reflection, each in a module of its own.
pub fn rust_structures() -> Result<String, String> {
    let mut text = String::new();
    for folder in [root().join("reflect"), root().join("../examples")] {
        let mut paths: Vec<PathBuf> = std::fs::read_dir(&folder)
            .map_err(|e| format!("{}: {e}", folder.display()))?
            .filter_map(|e| Some(e.ok()?.path()))
            .filter(|p| p.extension().is_some_and(|x| x == "spvasm"))
            .collect();
        paths.sort();
        for path in paths {
            let found = reflect::rust_structures(&path).map_err(|e| format!("{}: {e}", path.display()))?;
            let name = path.file_stem().unwrap_or_default().to_string_lossy().replace('-', "_");
            text += &format!("pub mod of_{name} {{\n{found}}}\n\n");
        }
    }
    Ok(text)
}

/// Runs the tests that are command lines of `program`.
pub fn run_commands(program: &str) -> ExitCode {
    let program = PathBuf::from(program);
    run("cmd", move |path| command::run(path, &program))
}

fn run(extension: &str, test: impl Fn(&Path) -> Result<(), String> + Clone + Send + 'static) -> ExitCode {
    let args = Arguments::from_args();
    let root = root();
    let files = walkdir::WalkDir::new(&root).sort_by_file_name().into_iter().filter_map(Result::ok);
    let files = files.filter(|e| e.file_type().is_file() && e.path().extension().is_some_and(|x| x == extension));
    let trials = files.map(|e| {
        let path = e.into_path();
        let name = path.strip_prefix(&root).unwrap_or(&path).with_extension("");
        let name = name.to_string_lossy().replace('\\', "/");
        let test = test.clone();
        // Files that belong to command lines are inputs, not tests.
        let input = name.starts_with("cli/") && extension == "spvasm";
        let file = format!("tests/{name}.{extension}");
        (!input).then(|| Trial::test(name, move || test(&path).map_err(|e| Failed::from(format!("{file}:\n{e}")))))
    });
    let trials: Vec<Trial> = trials.flatten().collect();
    if trials.is_empty() && args.filter.is_none() {
        return ExitCode::SUCCESS;
    }
    libtest_mimic::run(&args, trials).exit_code()
}
