//! The bodies of one module in shares, which may be checked on several threads.
//!
//! A body depends on others only through what failed: where nothing is wrong, shares find exactly what one walk finds.
//! Where something is, the walk is repeated in one go, so that the report does not depend on how the work was shared.

use alloc::vec::Vec;
use core::ops::Range;

use bumpalo::Bump;
use spirula_diag::{Diagnostic, Severity};

use crate::cx::{Cx, Shared};
use crate::flow::Flow;
use crate::id_set::IdSet;
use crate::rules::layout::Layout;
use crate::walk;

/// Memory of one share. Kept by the validator.
#[derive(Debug, Default)]
pub(crate) struct State {
    flow: Flow,
    poison: IdSet,
    out: Vec<Diagnostic>,
    arena: Bump,
    done: bool,
}

/// Some of a module's function bodies: a unit of work that can be sent to another thread.
#[derive(Debug)]
pub struct Bodies<'a> {
    shared: Shared<'a>,
    functions: Range<usize>,
    layout: Layout,
    state: &'a mut State,
}

impl Bodies<'_> {
    /// Checks the bodies. What is found goes to the validator that made the share.
    pub fn check(&mut self) {
        let state = &mut *self.state;
        let mut cx = Cx::new(self.shared, &state.arena, &mut state.flow, &mut state.poison, &mut state.out);
        walk::functions(&mut cx, &mut self.layout, self.functions.clone());
        state.arena.reset();
        state.done = true;
    }

    /// How many functions there are.
    pub fn functions(&self) -> usize {
        self.functions.len()
    }
}

/// Walks all functions: in shares, which `run` is to check, as long as they find nothing wrong.
pub(crate) fn walk<'a>(
    cx: &mut Cx<'a>,
    layout: &mut Layout,
    states: &mut Vec<State>,
    shares: usize,
    run: impl FnOnce(&mut [Bodies<'_>]),
) {
    let all = 0..cx.m.functions().len();
    let shares = shares.min(all.len());
    // Rules whose errors were made warnings leave states behind that a share cannot know.
    let lowered = cx.options.levels.iter().any(|(_, level)| *level != Severity::Error);
    // The layout behind a function without an end is not what the next share begins with.
    let open = cx.m.functions().iter().any(|f| !f.closed);
    if shares < 2 || open || lowered || !cx.poison.is_empty() || cx.out.iter().any(is_error) {
        return walk::functions(cx, layout, all);
    }
    states.resize_with(shares.max(states.len()), State::default);
    states.iter_mut().for_each(|s| s.done = false);
    {
        let mut bodies = split(**cx, layout, &cx.flow.into_matrix, &mut states[..shares]);
        run(&mut bodies);
        bodies.iter_mut().filter(|b| !b.state.done).for_each(Bodies::check);
    }
    let used = || states.iter().filter(|s| s.done);
    if used().any(|s| !s.poison.is_empty() || s.out.iter().any(is_error)) || repeats(cx.out, used().map(|s| &s.out)) {
        return walk::functions(cx, layout, all);
    }
    for state in states.iter_mut().filter(|s| s.done) {
        cx.out.append(&mut state.out);
        cx.flow.later.append(&mut state.flow.later);
        cx.flow.uses.list.append(&mut state.flow.uses.list);
        cx.flow.into_matrix.add(&state.flow.into_matrix);
    }
    *layout = layout.behind(cx.m.functions());
}

fn is_error(d: &Diagnostic) -> bool {
    d.severity == Severity::Error
}

/// Whether shares report what an earlier one reported shortly before: one walk would have told it once.
fn repeats<'d>(before: &[Diagnostic], shares: impl Iterator<Item = &'d Vec<Diagnostic>>) -> bool {
    let mut all: Vec<&Diagnostic> = before.iter().collect();
    for out in shares {
        for d in out {
            if all.iter().rev().take(8).any(|e| e.rule == d.rule && e.at == d.at) {
                return true;
            }
            all.push(d);
        }
    }
    false
}

/// Shares of about the same number of words, in order.
fn split<'s>(shared: Shared<'s>, layout: &Layout, into_matrix: &IdSet, states: &'s mut [State]) -> Vec<Bodies<'s>> {
    let functions = shared.m.functions();
    let words = |range: Range<usize>| functions[range].iter().map(|f| u64::from(f.end - f.start)).sum::<u64>();
    let (mut left, mut next, mut shares) = (words(0..functions.len()), 0, states.len());
    let mut bodies = Vec::with_capacity(shares);
    for state in states {
        let fair = left.div_ceil(shares.max(1) as u64);
        let start = next;
        let mut taken = 0;
        while next < functions.len() && (shares == 1 || taken < fair) {
            taken += words(next..next + 1);
            next += 1;
        }
        left -= taken;
        shares -= 1;
        if start == next {
            continue;
        }
        state.flow.reset();
        state.flow.into_matrix.add(into_matrix);
        state.poison.clear();
        state.out.clear();
        let layout = layout.behind(&functions[..start]);
        bodies.push(Bodies { shared, functions: start..next, layout, state });
    }
    bodies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_can_be_sent_to_threads() {
        fn is_send<T: Send>() {}
        is_send::<Bodies<'static>>();
    }
}
