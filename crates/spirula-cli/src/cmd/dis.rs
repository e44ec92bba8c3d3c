//! `spirula dis`.

use std::path::PathBuf;

use clap::Args;
use spirula_text::render::Finding;
use spirula_text::{AsmOptions, Damage, DisOptions, disassemble, disassemble_to};

use super::convert::{Conversion, inputs_of};
use super::output::Output;
use crate::cli::{Global, InputArgs};
use crate::inputs::{Input, Wanted};
use crate::load::Unloaded;
use crate::report::{Outcome, Style};
use crate::{INVALID, load};

/// Disassemble a module.
///
/// Goes on after damage: what cannot be read as an instruction is printed as raw words that assemble back to the same
/// module, the reason is a diagnostic, and the exit code is 1.
#[derive(Args, Debug)]
pub(crate) struct DisCommand {
    #[command(flatten)]
    inputs: InputArgs,
    /// Where to write; FOLDER/ for one file per input, - for standard output
    #[arg(short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    style: DisStyle,
}

/// What the disassembler's text looks like: the reference tool's options under their own names.
#[derive(Args, Clone, Debug, Default)]
pub struct DisStyle {
    /// Ids as numbers instead of names made from OpName and types
    #[arg(long)]
    pub raw_id: bool,
    /// Start every line at the left margin
    #[arg(long)]
    pub no_indent: bool,
    /// Leave out the comments that show the header
    #[arg(long)]
    pub no_header: bool,
    /// Show every instruction's offset in bytes
    #[arg(long)]
    pub offsets: bool,
    /// Add comments that tell sections, decorations and names
    #[arg(long)]
    pub comment: bool,
    /// Indent blocks by their depth in structured control flow
    #[arg(long)]
    pub nested_indent: bool,
    /// Order blocks as structured control flow nests
    #[arg(long)]
    pub reorder_blocks: bool,
    /// Print instructions that cannot be decoded as OpUnknown
    #[arg(long)]
    pub handle_unknown_opcodes: bool,
}

impl DisStyle {
    /// The disassembler's options.
    pub fn options(&self, colour: bool) -> DisOptions {
        DisOptions {
            raw_ids: self.raw_id,
            no_indent: self.no_indent,
            no_header: self.no_header,
            offsets: self.offsets,
            comment: self.comment,
            nested_indent: self.nested_indent,
            reorder_blocks: self.reorder_blocks,
            handle_unknown_opcodes: self.handle_unknown_opcodes,
            colour,
        }
    }
}

impl DisCommand {
    pub(crate) fn run(&self, global: &Global) -> u8 {
        let result = inputs_of(&self.inputs, Wanted::Binary).and_then(|inputs| {
            let output = Output::of(self.output.as_deref(), inputs.len(), ".spvasm", false)?;
            Ok(self.disassemble(Conversion::new(&inputs, &self.inputs, &output, global)))
        });
        result.unwrap_or_else(|code| code)
    }

    fn disassemble(&self, job: Conversion<'_>) -> u8 {
        let color = matches!(job.output, Output::Stdout)
            && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        let options = self.style.options(color);
        // Several results are kept until it is their turn.
        let alone = (job.inputs.len() == 1).then_some(job.output);
        job.run(
            || (),
            |(), input, outcome| one(input, &options, job.style, alone, outcome),
            |_, text| text.as_bytes().into(),
        )
    }
}

/// Disassembles one input. With an output, writes the text there as it comes, else returns it.
fn one(
    input: &Input,
    options: &DisOptions,
    style: Style,
    output: Option<&Output>,
    outcome: &mut Outcome,
) -> Result<Option<String>, Unloaded> {
    let bytes = load::read(input)?;
    let loaded = load::module(&input.name, &bytes, &AsmOptions::default())?;
    let Some(output) = output else {
        let made = disassemble(&loaded.words, options);
        report(outcome, style, input, &made.damage);
        return Ok(Some(made.text));
    };
    let mut damage = Vec::new();
    let (code, _) = output.write_with(&input.name, &input.place, |to| {
        damage = disassemble_to(&loaded.words, options, to)?;
        Ok(())
    });
    report(outcome, style, input, &damage);
    outcome.code = outcome.code.max(code);
    Ok(None)
}

fn report(outcome: &mut Outcome, style: Style, input: &Input, damage: &[Damage]) {
    if damage.is_empty() {
        return;
    }
    outcome.code = INVALID;
    let findings = damage.iter().map(|d| {
        let mut f = Finding::of_input(&input.name, "damaged", d.message.clone(), Some(u64::from(d.word) * 4));
        f.place.word = Some(d.word);
        f
    });
    style.add(outcome, findings.collect());
}
