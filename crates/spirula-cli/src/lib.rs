//! The `spirula` program as a library, so that the file tests read options exactly as the program does.
//!
//! Exit codes: 0 everything is valid, 1 an input is invalid, 2 usage, 3 I/O or internal error; in a batch the worst.
#![forbid(unsafe_code)]

mod batch;
mod bytes;
mod cli;
mod cmd;
mod hex;
mod inputs;
mod load;
mod options;
mod panics;
mod prelude;
mod report;

use std::ffi::OsString;
use std::process::ExitCode;

pub use cmd::dis::DisStyle;
pub use cmd::link::located;
pub use load::{Content, sniff};
pub use options::ValArgs;
pub use prelude::{PRELUDES, Prelude};
pub use spirula_grammar::Version;

/// Runs the program: the command line, program name included, to the exit code.
pub fn main(args: Vec<OsString>) -> ExitCode {
    panics::install();
    if let Some(code) = cmd::compat::by_name(&args) {
        return code;
    }
    ExitCode::from(cli::run(args))
}

/// Exit code: every input is valid.
const OK: u8 = 0;
/// Exit code: an input is invalid.
const INVALID: u8 = 1;
/// Exit code: the command line makes no sense.
const USAGE: u8 = 2;
/// Exit code: something could not be read or written, or the program itself is at fault.
const FAILED: u8 = 3;
