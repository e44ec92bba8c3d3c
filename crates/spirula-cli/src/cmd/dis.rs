//! `spirula dis`.

use std::ops::ControlFlow;
use std::path::PathBuf;

use clap::Args;
use spirula_text::render::Finding;
use spirula_text::{AsmOptions, Damage, DisOptions, disassemble, disassemble_to};

use super::output::Output;
use crate::batch::Batch;
use crate::cli::{Global, InputArgs, complain};
use crate::inputs::{Input, Wanted, expand};
use crate::report::{Outcome, Style, to_stderr, to_stdout};
use crate::{FAILED, INVALID, OK, USAGE, load};

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
        let inputs = match self.inputs.paths() {
            Ok(paths) => expand(paths, Wanted::Binary),
            Err(message) => {
                complain(&message);
                return USAGE;
            }
        };
        let output = match Output::of(self.output.as_deref(), inputs.len(), ".spvasm", false) {
            Ok(output) => output,
            Err(code) => return code,
        };
        let color = matches!(output, Output::Stdout)
            && anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
        let options = self.style.options(color);
        let style = Style::of(global);
        let (mut code, mut kept) = (OK, Vec::new());
        // Several results are kept until it is their turn.
        let alone = (inputs.len() == 1).then_some(&output);
        let batch = Batch { count: inputs.len(), jobs: self.inputs.jobs, progress: !global.quiet };
        batch.run(
            || (),
            |(), i| inputs.get(i).map(|input| one(input, &options, style, alone)).unwrap_or_default(),
            |i, message| {
                let mut outcome = Outcome { code: FAILED, ..Outcome::default() };
                let name = inputs.get(i).map_or("", |i| &i.name);
                style.add(&mut outcome, vec![Finding::of_input(name, "internal", message, None)]);
                (outcome, None)
            },
            |i, (outcome, text)| {
                code = code.max(outcome.code);
                to_stderr(&outcome.human);
                let _ = to_stdout(&outcome.machine);
                kept.extend(outcome.kept);
                let (Some(text), Some(input)) = (text, inputs.get(i)) else { return ControlFlow::Continue(()) };
                let (result, more) = output.write(&input.name, text.as_bytes());
                code = code.max(result);
                if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        let _ = to_stdout(&style.finish(&kept));
        code
    }
}

/// Disassembles one input. With an output, writes the text there as it comes, else returns it.
fn one(input: &Input, options: &DisOptions, style: Style, output: Option<&Output>) -> (Outcome, Option<String>) {
    let mut outcome = Outcome::default();
    let bytes = match load::read(input) {
        Ok(bytes) => bytes,
        Err(e) => {
            outcome.code = e.code;
            style.add(&mut outcome, e.findings);
            return (outcome, None);
        }
    };
    match load::module(&input.name, &bytes, &AsmOptions::default()) {
        Ok(loaded) => {
            let Some(output) = output else {
                let made = disassemble(&loaded.words, options);
                report(&mut outcome, style, input, &made.damage);
                return (outcome, Some(made.text));
            };
            let mut damage = Vec::new();
            let (code, _) = output.write_with(&input.name, |to| {
                damage = disassemble_to(&loaded.words, options, to)?;
                Ok(())
            });
            report(&mut outcome, style, input, &damage);
            outcome.code = outcome.code.max(code);
            (outcome, None)
        }
        Err(e) => {
            outcome.code = e.code;
            style.add(&mut outcome, e.findings);
            (outcome, None)
        }
    }
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
