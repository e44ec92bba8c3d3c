//! The texts that tests of rules are put into.

use crate::cli::complain;
use crate::report::to_stdout;
use crate::{FAILED, OK, USAGE};

/// A module with gaps: lines `; @section` say where the lines of a test go.
#[derive(Clone, Copy, Debug)]
pub struct Prelude {
    /// Its name.
    pub name: &'static str,
    /// Its assembly.
    pub text: &'static str,
}

/// All preludes.
pub static PRELUDES: &[Prelude] = &[
    Prelude { name: "fragment", text: include_str!("../preludes/fragment.spvasm") },
    Prelude { name: "vertex", text: include_str!("../preludes/vertex.spvasm") },
    Prelude { name: "compute", text: include_str!("../preludes/compute.spvasm") },
    Prelude { name: "kernel", text: include_str!("../preludes/kernel.spvasm") },
    Prelude { name: "raygen", text: include_str!("../preludes/raygen.spvasm") },
];

/// Prints one.
pub(crate) fn show(name: &str) -> u8 {
    let Some(prelude) = PRELUDES.iter().find(|p| p.name == name) else {
        let names: Vec<&str> = PRELUDES.iter().map(|p| p.name).collect();
        complain(&format!("no prelude is called {name}; there are {}", names.join(", ")));
        return USAGE;
    };
    match to_stdout(prelude.text.as_bytes()) {
        Ok(_) => OK,
        Err(e) => {
            complain(&format!("cannot write to standard output: {e}"));
            FAILED
        }
    }
}
