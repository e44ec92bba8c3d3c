//! `spirula as`.

use std::path::PathBuf;

use clap::Args;
use spirula_binary::bytes_from_words;
use spirula_grammar::Version;
use spirula_text::AsmOptions;
use spirula_val::TargetEnv;

use super::convert::{Conversion, inputs_of};
use super::output::Output;
use crate::cli::{Global, InputArgs};
use crate::inputs::Wanted;
use crate::load;

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
        let result = inputs_of(&self.inputs, Wanted::Text).and_then(|inputs| {
            let output = Output::of(self.output.as_deref(), inputs.len(), ".spv", true)?;
            let job = Conversion::new(&inputs, &self.inputs, &output, global);
            Ok(job.run(
                || (),
                |(), input, _| load::assembled_input(input, &options).map(Some),
                |_, words| bytes_from_words(words),
            ))
        });
        result.unwrap_or_else(|code| code)
    }
}
