//! Called by the name of a reference tool, the program is that tool.
#![cfg(unix)]
#![allow(clippy::unwrap_used)]

use std::os::unix::process::CommandExt as _;
use std::process::Command;

#[test]
fn name_of_the_program() {
    let run = |name: &str, args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_spirula")).arg0(name).args(args).output().unwrap();
        (output.status.code(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = run("/usr/bin/spirv-val", &["nowhere.spv"]);
    assert_eq!((code, said.as_str()), (Some(1), "error: cannot read 'nowhere.spv'\n"));
    assert_eq!(run("spirv-dis", &["--raw-id", "nowhere.spv"]).0, Some(1));
    assert_eq!(run("spirv-as", &["--no-such-flag"]).0, Some(1));
    assert_eq!(run("spirula", &["--no-such-flag"]).0, Some(2));
}
