//! What `as`, `dis` and `reflect` have in common: each input becomes one output.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::output::Output;
use crate::batch::Batch;
use crate::cli::{Global, InputArgs, complain};
use crate::inputs::{Input, Wanted, expand};
use crate::load::Unloaded;
use crate::report::{Outcome, Style, to_stderr, to_stdout};
use crate::{OK, USAGE};

/// Turns inputs into outputs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Conversion<'a> {
    pub(super) inputs: &'a [Input],
    pub(super) output: &'a Output,
    pub(super) style: Style,
    batch: Batch,
}

/// The inputs that are named; the exit code where they cannot be told.
pub(super) fn inputs_of(args: &InputArgs, wanted: Wanted) -> Result<Vec<Input>, u8> {
    args.paths().map(|paths| expand(paths, wanted)).map_err(|message| {
        complain(&message);
        USAGE
    })
}

impl<'a> Conversion<'a> {
    pub(super) fn new(inputs: &'a [Input], args: &InputArgs, output: &'a Output, global: &Global) -> Conversion<'a> {
        let batch = Batch { count: inputs.len(), jobs: args.jobs, progress: !global.quiet };
        Conversion { inputs, output, style: Style::of(global), batch }
    }

    /// Makes a result of every input, on all threads, and writes the bytes that `finish` makes of the results, in
    /// order. Gives the exit code.
    pub(super) fn run<S, T: Send>(
        self,
        state: impl Fn() -> S + Sync,
        convert: impl Fn(&mut S, &Input, &mut Outcome) -> Result<Option<T>, Unloaded> + Sync,
        mut finish: impl for<'t> FnMut(&Input, &'t T) -> Cow<'t, [u8]>,
    ) -> u8 {
        let (mut code, mut kept) = (OK, Vec::new());
        self.batch.run(
            state,
            |state, i| {
                let mut outcome = Outcome::default();
                let made = self.inputs.get(i).map_or(Ok(None), |input| convert(state, input, &mut outcome));
                let made = made.unwrap_or_else(|e| {
                    self.style.add_unloaded(&mut outcome, e);
                    None
                });
                (outcome, made)
            },
            |i, message| {
                let mut outcome = Outcome::default();
                self.style.add_unloaded(&mut outcome, Unloaded::internal(self.inputs.get(i), message));
                (outcome, None)
            },
            |i, (outcome, made)| {
                code = code.max(outcome.code);
                to_stderr(&outcome.human);
                let _ = to_stdout(&outcome.machine);
                kept.extend(outcome.kept);
                let (Some(made), Some(input)) = (made, self.inputs.get(i)) else { return ControlFlow::Continue(()) };
                let (result, more) = self.output.write(&input.name, &input.place, &finish(input, &made));
                code = code.max(result);
                if more { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
            },
        );
        let _ = to_stdout(&self.style.finish(&kept));
        code
    }
}
