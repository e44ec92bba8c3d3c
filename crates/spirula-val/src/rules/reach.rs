//! What instructions ask of the entry points that reach them, beyond the execution model.
//!
//! Such instructions are noted while the functions are walked, and judged when the module ends: one search through the
//! calls per kind of need, however many instructions there are.

use spirula_binary::Inst;
use spirula_module::EntryPoint;

use crate::cx::{Cx, List};
use crate::rules::{derivative, mesh};

/// What an instruction needs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Needs {
    /// An execution mode that forms derivative groups.
    DerivativeGroup,
    /// Limits of mesh outputs that its constant counts keep to.
    MeshCounts,
}

/// An instruction with such a need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Later {
    pub(crate) needs: Needs,
    /// Position of its function among the module's functions.
    pub(crate) function: usize,
    /// Its word offset.
    pub(crate) inst: u32,
}

impl<'a> Cx<'a> {
    /// Has a need judged when the module ends. One instruction per kind and function is enough where all are alike.
    pub(crate) fn later(&mut self, needs: Needs, inst: Inst<'a>) {
        let Some(here) = self.here else { return };
        let alike = needs != Needs::MeshCounts
            && self.flow.later.iter().rev().take(4).any(|l| l.needs == needs && l.function == here.index);
        if !alike {
            self.flow.later.push(Later { needs, function: here.index, inst: inst.offset() });
        }
    }
}

/// Judges what was noted.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if cx.flow.later.is_empty() {
        return;
    }
    let all = cx.collect(cx.flow.later.iter().copied());
    let any = |needs| all.iter().any(|l| l.needs == needs);
    if any(Needs::DerivativeGroup) {
        let m = cx.m;
        let reached = reached(cx, |e| !derivative::has_groups(m, e));
        for l in all.iter().filter(|l| l.needs == Needs::DerivativeGroup) {
            if let Some(e) = reached.get(l.function).copied().flatten() {
                derivative::without_groups(cx, *l, e).ok();
            }
        }
    }
    if any(Needs::MeshCounts) {
        // Several mesh shaders in one module are few; past that, the search is not worth its time.
        let m = cx.m;
        for e in m.entry_points().filter(|e| e.model == spirula_grammar::ExecutionModel::MeshEXT).take(8) {
            let reached = reached(cx, |other| other.inst.offset() == e.inst.offset());
            for l in all.iter().filter(|l| l.needs == Needs::MeshCounts) {
                if reached.get(l.function).copied().flatten().is_some() {
                    mesh::counts(cx, *l, e).ok();
                }
            }
        }
    }
}

/// By function: one of the chosen entry points whose call tree contains it, if any.
fn reached<'a>(cx: &Cx<'a>, chosen: impl Fn(EntryPoint<'a>) -> bool) -> List<'a, Option<EntryPoint<'a>>> {
    let m = cx.m;
    let mut reached = cx.collect(m.functions().iter().map(|_| None));
    let mut open = cx.list();
    for e in m.entry_points().filter(|e| chosen(*e)) {
        open.extend(m.info(e.function).function());
        while let Some(f) = open.pop() {
            let Some(slot @ None) = reached.get_mut(f) else { continue };
            *slot = Some(e);
            if let Some(function) = m.functions().get(f) {
                open.extend(m.calls(function).iter().filter_map(|c| m.info(c.callee).function()));
            }
        }
    }
    reached
}
