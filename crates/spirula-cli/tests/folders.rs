//! Folders with what is no file: links to nowhere and back, pipes.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const MODULE: &str =
    "OpCapability Kernel\nOpCapability Addresses\nOpCapability Linkage\nOpMemoryModel Physical64 OpenCL\n";

/// An empty folder of that name.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Exit code and standard error of the program, run in a folder.
fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_spirula"));
    let output = command.current_dir(folder).args(args).stdin(Stdio::null()).output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

fn pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[test]
fn what_cannot_be_read_costs_no_other_module() {
    let folder = folder("links");
    fs::write(folder.join("module.spvasm"), MODULE).unwrap();
    symlink("nowhere", folder.join("nowhere.spv")).unwrap();
    symlink(".", folder.join("round")).unwrap();
    symlink("module.spvasm", folder.join("twice.spvasm")).unwrap();
    let (code, said) = run(&folder, &["val", "--format", "short", "."]);
    let expected = "\
./nowhere.spv: error[io]: cannot read: No such file or directory (os error 2)
./round: error[io]: a link back to ., which is not followed
4 modules: 2 valid, 2 failed (2 errors, 0 warnings); environment chosen from the module: spv1.6
";
    assert_eq!((code, said.as_str()), (Some(3), expected));
}

#[test]
fn pipes_are_read_where_they_are_named() {
    let folder = folder("pipes");
    fs::write(folder.join("module.spvasm"), MODULE).unwrap();
    pipe(&folder.join("pipe.spvasm"));
    // Nobody writes into it: to open it would never end.
    let (code, said) = run(&folder, &["val", "."]);
    assert_eq!((code, said.as_str()), (Some(0), "1 module: 1 valid; environment chosen from the module: spv1.6\n"));
    let mut val = Command::new(env!("CARGO_BIN_EXE_spirula"));
    let mut val = val.current_dir(&folder).args(["val", "-q", "pipe.spvasm"]).spawn().unwrap();
    fs::write(folder.join("pipe.spvasm"), MODULE).unwrap();
    assert_eq!(val.wait().unwrap().code(), Some(0));
}

#[test]
fn results_keep_their_place_in_the_folder() {
    let folder = folder("places");
    for below in ["a", "b"] {
        fs::create_dir_all(folder.join("in").join(below)).unwrap();
        fs::write(folder.join("in").join(below).join("same.x.spvasm"), MODULE).unwrap();
    }
    assert_eq!(run(&folder, &["as", "in", "-o", "out"]).0, Some(2), "several inputs, and not a folder yet");
    assert_eq!(run(&folder, &["as", "in", "-o", "out/"]), (Some(0), String::new()));
    assert_eq!(run(&folder, &["dis", "out", "-o", "text/"]), (Some(0), String::new()));
    for file in ["out/a/same.x.spv", "out/b/same.x.spv", "text/a/same.x.spvasm", "text/b/same.x.spvasm"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
}
