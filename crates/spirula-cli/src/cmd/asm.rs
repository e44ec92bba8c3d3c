//! `spirula as`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use spirula_binary::bytes_from_words;
use spirula_grammar::Version;
use spirula_text::AsmOptions;
use spirula_text::render::Finding;
use spirula_val::TargetEnv;

use super::output::Output;
use crate::batch::Batch;
use crate::cli::{Global, InputArgs, complain};
use crate::inputs::{Wanted, expand};
use crate::report::{Outcome, Style, to_stderr, to_stdout};
use crate::{FAILED, OK, USAGE, load};

/// Assemble text into a module.
///
/// All errors of a text are reported. The module is little-endian.
#[derive(Args, Debug)]
pub(crate) struct AsCommand {
    #[command(flatten)]
    inputs: InputArgs,
    /// Where to write; FOLDER/ for several inputs, - for standard output
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Keep %12 as id 12 instead of numbering ids in order of appearance
    #[arg(long)]
    preserve_numeric_ids: bool,
    /// Take generator, bound and schema from the comments at the start of a disassembly; with --preserve-numeric-ids, what
    /// `spirula dis --raw-id` printed becomes the same module again, byte for byte
    #[arg(long)]
    keep_header: bool,
    /// Environment whose newest SPIR-V version goes into the header [default: what a `; Version:` comment says, else the
    /// newest]
    #[arg(long, value_name = "NAME")]
    target_env: Option<TargetEnv>,
}

impl AsCommand {
    pub(crate) fn run(&self, global: &Global) -> u8 {
        let options = AsmOptions {
            preserve_numeric_ids: self.preserve_numeric_ids,
            keep_header: self.keep_header,
            any_version: self.keep_header,
            version: self.target_env.map(|e| -> Version { e.version }),
            ..AsmOptions::default()
        };
        let inputs = match self.inputs.paths() {
            Ok(paths) => expand(paths, Wanted::Text),
            Err(message) => {
                complain(&message);
                return USAGE;
            }
        };
        let output = match Output::of(self.output.as_deref(), inputs.len(), ".spv", true) {
            Ok(output) => output,
            Err(code) => return code,
        };
        let style = Style::of(global);
        let mut code = OK;
        let mut kept = Vec::new();
        let batch = Batch { count: inputs.len(), jobs: self.inputs.jobs, progress: !global.quiet };
        batch.run(
            || (),
            |(), i| {
                let mut outcome = Outcome::default();
                let Some(input) = inputs.get(i) else { return (outcome, None) };
                match load::assembled_input(input, &options) {
                    Ok(words) => (outcome, Some(words)),
                    Err(e) => {
                        outcome.code = e.code;
                        style.add(&mut outcome, e.findings);
                        (outcome, None)
                    }
                }
            },
            |i, message| {
                let mut outcome = Outcome { code: FAILED, ..Outcome::default() };
                let name = inputs.get(i).map_or("", |i| &i.name);
                style.add(&mut outcome, vec![Finding::of_input(name, "internal", message, None)]);
                (outcome, None)
            },
            |i, (outcome, words)| {
                code = code.max(outcome.code);
                to_stderr(&outcome.human);
                let _ = to_stdout(&outcome.machine);
                kept.extend(outcome.kept);
                let (Some(words), Some(input)) = (words, inputs.get(i)) else { return ControlFlow::Continue(()) };
                let (result, more) = output.write(&input.name, &bytes_from_words(&words));
                code = code.max(result);
                if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        let _ = to_stdout(&style.finish(&kept));
        code
    }
}
