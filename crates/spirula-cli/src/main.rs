//! The `spirula` program.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    spirula_cli::main(std::env::args_os().collect())
}
