//! Shows what was found: people read standard error, machines standard output.

use std::io::{self, Write as _};

use spirula_text::render::{Finding, human, json, sarif, short};

use crate::cli::{Format, Global};
use crate::load::Unloaded;

/// What came out of one input.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// What is to be written for people, rendered.
    pub(crate) human: String,
    /// What is to be written for machines, rendered.
    pub(crate) machine: Vec<u8>,
    /// Findings that can only be rendered all together.
    pub(crate) kept: Vec<Finding>,
    pub(crate) errors: usize,
    pub(crate) warnings: usize,
    /// Exit code.
    pub(crate) code: u8,
    /// The environment that was validated for.
    pub(crate) env: Option<&'static str>,
}

/// How to render.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Style {
    format: Format,
    color: bool,
}

impl Style {
    pub(crate) fn of(global: &Global) -> Style {
        let choice = anstream::AutoStream::choice(&io::stderr());
        Style { format: global.format, color: choice != anstream::ColorChoice::Never }
    }

    /// Adds findings to an outcome.
    pub(crate) fn add(self, outcome: &mut Outcome, findings: Vec<Finding>) {
        for f in &findings {
            match f.severity {
                "error" => outcome.errors += 1,
                _ => outcome.warnings += 1,
            }
            match self.format {
                Format::Human | Format::Yaml | Format::Rust => {
                    outcome.human.push_str(&human(f, self.color));
                    outcome.human.push('\n');
                }
                Format::Short => {
                    outcome.human.push_str(&short(f));
                    outcome.human.push('\n');
                }
                Format::Json => {
                    outcome.machine.extend_from_slice(json(f).as_bytes());
                    outcome.machine.push(b'\n');
                }
                Format::Sarif => {}
            }
        }
        if self.format == Format::Sarif {
            outcome.kept.extend(findings);
        }
    }

    /// Adds why there is no module.
    pub(crate) fn add_unloaded(self, outcome: &mut Outcome, e: Unloaded) {
        outcome.code = e.code;
        self.add(outcome, e.findings);
    }

    /// The log of all findings that were kept; nothing for formats that need none.
    pub(crate) fn finish(self, kept: &[Finding]) -> Vec<u8> {
        match self.format {
            Format::Sarif => (sarif(kept, env!("CARGO_PKG_VERSION")) + "\n").into_bytes(),
            _ => Vec::new(),
        }
    }
}

/// Writes to standard error, colours as rendered. Errors there have nowhere to go.
pub(crate) fn to_stderr(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Writes to standard output. A reader that went away is no error; whoever gets `false` should stop.
pub(crate) fn to_stdout(bytes: &[u8]) -> Result<bool, io::Error> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => Ok(true),
        Err(e) if e.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(e) => Err(e),
    }
}

/// `1 error`, `2 errors`.
pub(crate) fn counted(n: usize, what: &str) -> String {
    format!("{n} {what}{}", if n == 1 { "" } else { "s" })
}
