//! Structured control flow (§2.11). The rules are for modules with the Shader capability, but for one.
//!
//! That a construct which contains a header contains its merge block, too, needs no rule: it follows from the dominance
//! that §2.11.1 demands. Were a merge block outside, the construct's own merge block or Continue Target would have to be
//! dominated by the inner header, although a declaration leads to it past that header.

use alloc::format;

use spirula_binary::{Id, Inst, Operands};
use spirula_diag::{Site, rules};
use spirula_grammar::{Capability, Op, OperandKind};
use spirula_module::{BlockIdx, ConstructIdx, ConstructKind, Function, Header};

use super::control_flow::{RECONVERGE_EARLY, reconverges_maximally};
use crate::cx::{Cx, msg};
use crate::flow::Flow;

rules! {
    group "structured";
    /// A block is the merge block of one header only.
    MERGE_TWICE: "merge-block-twice", spec "§2.11.1";
    /// A header strictly structurally dominates its merge block.
    MERGE_DOMINATED: "merge-block-dominated", spec "§2.11.1";
    /// Every back edge goes to a loop header.
    BACK_EDGE: "back-edge", spec "§2.11.1";
    /// Exactly one back edge goes to each loop header.
    ONE_BACK_EDGE: "loop-one-back-edge", spec "§2.11.1";
    /// A loop header structurally dominates its Continue Target, which dominates the back-edge block, which post-dominates
    /// the Continue Target.
    CONTINUE: "loop-continue-target", spec "§2.11.1";
    /// An `OpSwitch`, and an `OpBranchConditional` whose labels differ and are no merge blocks or Continue Targets, needs
    /// an `OpSelectionMerge` before it.
    SELECTION: "selection-merge-missing", spec "§2.16.2";
    /// Where one label of an `OpBranchConditional` is another case of an enclosing switch, §2.16.2 asks for an
    /// `OpSelectionMerge` too, but §2.11.3 lets the branch leave its case that way, and no consumer objects.
    SELECTION_CASE: "selection-merge-missing-at-case", warn spec "§2.16.2";
    /// A branch leaves a construct only in the ways of §2.11.3: to its merge block, by continue or break of the innermost
    /// loop, by break of the innermost switch, or from case to case.
    EXIT: "construct-exit", spec "§2.11.3";
    /// A branch enters a construct at its header only.
    ENTER: "construct-enter", spec "§2.11.3";
    /// Only blocks of a loop branch to its Continue Target.
    CONTINUE_FROM: "loop-continue-from-outside", spec "§2.11.3";
    /// The header of a switch structurally dominates all its cases.
    CASE_DOMINATED: "switch-case-dominated", spec "§2.11.3";
    /// A case falls through to at most one other case, and at most one falls through to it.
    FALL_THROUGH: "switch-fall-through", spec "§2.11.3";
    /// A case that falls through stands directly before the one that it falls through to in the list of targets, and equal
    /// targets stand together.
    CASE_ORDER: "switch-case-order", spec "§2.11.3";
}

pub(crate) fn function<'a>(cx: &mut Cx<'a>, function: &'a Function) {
    if !cx.flow.is_structured {
        if !cx.has(Capability::Shader) {
            kernel_merges(cx);
        }
        return;
    }
    let flow = core::mem::take(cx.flow);
    super::limits::nesting(cx, function, flow.structured.nesting_depth());
    let mut walk = Walk { cx, flow: &flow };
    walk.back_edges();
    // Constructs are what the rules mean only where the declarations keep theirs.
    if walk.declarations() {
        walk.selections();
        if walk.edges() {
            walk.switches();
        }
    }
    if reconverges_maximally(cx) {
        early_reconvergence(cx, &flow);
    }
    *cx.flow = flow;
}

/// Kernels need no structure. Of the rules for what they declare all the same, this one is told without it.
fn kernel_merges(cx: &mut Cx<'_>) {
    let merge = |cx: &Cx<'_>, b| cx.flow.cfg.block(b).and_then(|b| b.merge());
    if !cx.flow.cfg.indices().any(|b| merge(cx, b).is_some()) {
        return;
    }
    let first = cx.filled(cx.flow.cfg.len() as usize, 0);
    for block in cx.flow.cfg.indices() {
        let Some(inst) = merge(cx, block).and_then(|at| cx.m.inst_at(at)) else { continue };
        let Some(seen) = cx.flow.block_of(inst.id(1)).and_then(|b| first.get_mut(b.index())) else { continue };
        if *seen == 0 {
            *seen = inst.offset();
        } else {
            declared_twice(cx, inst.offset(), inst.id(1), *seen);
        }
    }
}

#[cold]
fn declared_twice(cx: &mut Cx<'_>, at: u32, merge: Id, before: u32) {
    cx.fail_site(&MERGE_TWICE, Site::operand(at, 1), || {
        msg(format!("{merge} is the merge block of another header already")).note(Site::at(before), "declared here")
    })
    .ok();
}

struct Walk<'c, 'a> {
    cx: &'c mut Cx<'a>,
    flow: &'c Flow,
}

impl Walk<'_, '_> {
    fn label(&self, block: BlockIdx) -> spirula_binary::Id {
        self.flow.cfg.block(block).map_or(spirula_binary::Id(0), |b| b.label)
    }

    fn label_site(&self, block: BlockIdx) -> Site {
        Site::at(self.flow.cfg.block(block).map_or(0, |b| b.start))
    }

    fn terminator(&self, block: BlockIdx) -> Site {
        let at = self.flow.cfg.block(block).and_then(|b| b.terminator());
        at.map_or_else(|| self.label_site(block), Site::at)
    }

    fn back_edges(&mut self) {
        for &(from, to) in self.flow.structured.back_edges() {
            let is_loop = self.flow.structured.header_at(to).is_some_and(|h| h.kind == ConstructKind::Loop);
            // Branches to the entry block are wrong in themselves.
            if !is_loop && to != BlockIdx::ENTRY {
                let (site, label) = (self.terminator(from), self.label(to));
                self.cx
                    .fail_site(&BACK_EDGE, site, || {
                        format!("this branch back to {label} is a loop, but {label} has no OpLoopMerge")
                    })
                    .ok();
            }
        }
    }

    /// Returns whether all headers keep the rules of §2.11.1.
    fn declarations(&mut self) -> bool {
        let mut fine = self.merge_twice();
        if !fine {
            return false;
        }
        for h in self.flow.structured.headers() {
            if self.flow.structured.is_reachable(h.block) {
                fine &= self.header(h);
            }
        }
        fine
    }

    fn merge_twice(&mut self) -> bool {
        let headers = self.flow.structured.headers();
        let first = self.cx.filled(self.flow.cfg.len() as usize, 0);
        let mut fine = true;
        for h in headers {
            let Some(seen) = h.merge.and_then(|b| first.get_mut(b.index())) else { continue };
            if *seen == 0 {
                *seen = h.inst;
                continue;
            }
            fine = false;
            declared_twice(self.cx, h.inst, h.merge_id, *seen);
        }
        fine
    }

    fn header(&mut self, h: &Header) -> bool {
        let s = &self.flow.structured;
        // The header as its own merge block is what `merge-target` is about.
        let Some(merge) = h.merge.filter(|m| *m != h.block) else { return false };
        if !s.strictly_dominates(h.block, merge) {
            let header = self.label(h.block);
            let outer =
                s.innermost_loop(h.block).and_then(|c| s.declaration(c)).filter(|l| l.continue_target == Some(merge));
            let text = || {
                let m = msg(format!(
                    "the header {header} does not strictly structurally dominate its merge block {}",
                    h.merge_id
                ));
                match outer {
                    Some(l) => m
                        .note(Site::operand(l.inst, 2), "it is the Continue Target of this loop")
                        .help("give the header a merge block of its own that branches to the Continue Target"),
                    None => m,
                }
            };
            return self.cx.fail_site(&MERGE_DOMINATED, Site::operand(h.inst, 1), text).is_ok();
        }
        if h.kind != ConstructKind::Loop {
            return true;
        }
        if h.back_edges != 1 {
            let text = || format!("{} back edges go to this loop's header, not exactly one", h.back_edges);
            return self.cx.fail_site(&ONE_BACK_EDGE, Site::at(h.inst), text).is_ok();
        }
        if !h.has_proper_continue {
            let (Some(target), Some(back)) = (h.continue_target, h.back_edge_block) else { return false };
            let (continue_, back_label) = (h.continue_id, self.label(back));
            let why = if !s.dominates(h.block, target) {
                format!("the loop's header does not structurally dominate its Continue Target {continue_}")
            } else if !s.dominates(target, back) {
                format!("paths lead to the back-edge block {back_label} past the Continue Target {continue_}")
            } else {
                format!(
                    "the back-edge block {back_label} does not structurally post dominate the Continue Target {continue_}"
                )
            };
            return self.cx.fail_site(&CONTINUE, Site::operand(h.inst, 2), || why).is_ok();
        }
        self.continue_from(h)
    }

    /// Branches to the Continue Target come from within the loop.
    fn continue_from(&mut self, h: &Header) -> bool {
        let (s, Some(target)) = (&self.flow.structured, h.continue_target) else { return false };
        if h.is_single_block_loop() {
            return true;
        }
        for &from in self.flow.cfg.predecessors(target) {
            if s.is_reachable(from) && !s.is_back_edge(from, target) && !s.contains(h.construct, from) {
                let site = self.terminator(from);
                let text = || {
                    msg(format!(
                        "this branch goes to the Continue Target {} of a loop that its block does not belong to",
                        h.continue_id
                    ))
                    .note(Site::at(h.inst), "the loop")
                };
                return self.cx.fail_site(&CONTINUE_FROM, site, text).is_ok();
            }
        }
        true
    }

    /// Divergent branches have a merge instruction.
    fn selections(&mut self) {
        let declared = self.cx.filled(self.flow.cfg.len() as usize, false);
        for h in self.flow.structured.headers() {
            for b in [h.merge, h.continue_target].into_iter().flatten() {
                declared[b.index()] = true;
            }
        }
        for block in self.flow.cfg.indices() {
            let Some(b) = self.flow.cfg.block(block) else { continue };
            let Some(inst) = b.terminator().and_then(|at| self.cx.m.inst_at(at)) else { continue };
            let merge = b.merge().and_then(|at| self.cx.m.inst_at(at)).map(|i| i.op());
            let needs = match inst.op() {
                Op::Switch => merge != Some(Op::SelectionMerge),
                Op::BranchConditional => {
                    let is_declared = |word| self.flow.block_of(inst.id(word)).is_some_and(|b| declared[b.index()]);
                    merge != Some(Op::SelectionMerge) && inst.id(2) != inst.id(3) && !is_declared(2) && !is_declared(3)
                }
                _ => false,
            };
            if needs && self.flow.structured.is_reachable(block) {
                let text = || {
                    msg(format!("{} needs an OpSelectionMerge directly before it", inst.op()))
                        .help("declare the block where its paths come together again")
                };
                let is_case =
                    inst.op() == Op::BranchConditional && [2, 3].iter().any(|w| self.is_other_case(block, inst.id(*w)));
                self.cx.fail(if is_case { &SELECTION_CASE } else { &SELECTION }, inst, text).ok();
            }
        }
    }

    /// Whether a label is another case of the innermost switch around a block.
    fn is_other_case(&self, from: BlockIdx, label: spirula_binary::Id) -> bool {
        let s = &self.flow.structured;
        let switch = s.innermost_switch(from).and_then(|c| s.declaration(c));
        let to = self.flow.block_of(label);
        switch.zip(to).is_some_and(|(h, to)| {
            let case = s.case_of(h, to);
            case != s.case_of(h, from) && case.and_then(|c| s.construct(c)).is_some_and(|c| c.header == to)
        })
    }

    fn describe(&self, c: ConstructIdx) -> (ConstructKind, Site) {
        let s = &self.flow.structured;
        let kind = s.construct(c).map_or(ConstructKind::Selection, |c| c.kind);
        (kind, s.declaration(c).map_or(Site::at(0), |h| Site::at(h.inst)))
    }

    /// Every branch edge leaves and enters constructs as it may. Returns whether all do.
    fn edges(&mut self) -> bool {
        let mut fine = true;
        for from in self.flow.cfg.indices() {
            if !self.flow.structured.is_reachable(from) {
                continue;
            }
            for &to in self.flow.cfg.successors(from) {
                fine &= self.exit(from, to) && self.enter(from, to);
            }
        }
        fine
    }

    fn exit(&mut self, from: BlockIdx, to: BlockIdx) -> bool {
        let s = &self.flow.structured;
        let Some(inner) = s.innermost(from).filter(|c| !s.contains(*c, to)) else { return true };
        if s.is_back_edge(from, to) || self.leaves_properly(inner, from, to) {
            return true;
        }
        let (kind, at) = self.describe(inner);
        let (site, label) = (self.terminator(from), self.label(to));
        let text = || {
            msg(format!("this branch to {label} leaves a {kind} in none of the ways that §2.11.3 allows"))
                .note(at, format!("the {kind}"))
                .help("go to its merge block, break out of or continue the innermost loop, or break out of the innermost switch")
        };
        self.cx.fail_site(&EXIT, site, text).is_ok()
    }

    /// The ways out of the innermost construct `inner` of `from` (§2.11.3).
    fn leaves_properly(&self, inner: ConstructIdx, from: BlockIdx, to: BlockIdx) -> bool {
        let s = &self.flow.structured;
        let Some(construct) = s.construct(inner) else { return true };
        let Some(declaration) = s.declaration(inner) else { return true };
        let merges_at = |h: &Header| h.merge == Some(to);
        // From the back-edge block to the loop's merge block.
        let of_back_edge = |h: &Header| h.back_edge_block == Some(from) && merges_at(h);
        match construct.kind {
            ConstructKind::Continue => return of_back_edge(declaration),
            ConstructKind::Selection | ConstructKind::Switch | ConstructKind::Loop if merges_at(declaration) => {
                return true;
            }
            ConstructKind::Case
                if s.case_of(declaration, to).is_some_and(|c| s.construct(c).is_some_and(|c| c.header == to)) =>
            {
                return true;
            }
            _ => {}
        }
        let in_continue = self.within_continue(inner);
        if in_continue.is_some_and(|h| !of_back_edge(h) && (merges_at(h) || h.block == to)) {
            return false;
        }
        if in_continue.is_some_and(of_back_edge) {
            return true;
        }
        let of = |c: Option<ConstructIdx>| c.and_then(|c| s.declaration(c));
        if of(s.innermost_loop(from)).is_some_and(|h| merges_at(h) || h.continue_target == Some(to)) {
            return true;
        }
        // Breaking from the innermost switch must not leave a loop that lies within it.
        let switch = s.innermost_switch(from);
        of(switch).is_some_and(|h| merges_at(h) && s.innermost_loop(from).is_none_or(|l| s.contains(l, to)))
    }

    /// The loop in whose continue construct a construct lies, if that is nearer than any loop construct.
    fn within_continue(&self, inner: ConstructIdx) -> Option<&Header> {
        let s = &self.flow.structured;
        let mut at = Some(inner);
        // Breaks out of deep nests are judged by the loop alone.
        for _ in 0..64 {
            let c = at?;
            match s.construct(c)?.kind {
                ConstructKind::Continue => return s.declaration(c),
                ConstructKind::Loop => return None,
                _ => at = s.parent(c),
            }
        }
        None
    }

    fn enter(&mut self, from: BlockIdx, to: BlockIdx) -> bool {
        let s = &self.flow.structured;
        let mut at = s.innermost(to);
        while let Some(c) = at.filter(|c| !s.contains(*c, from)) {
            let Some(construct) = s.construct(c) else { break };
            let named =
                matches!(construct.kind, ConstructKind::Selection | ConstructKind::Switch | ConstructKind::Loop);
            if named && construct.header != to {
                let (kind, declared) = self.describe(c);
                let (site, label) = (self.terminator(from), self.label(to));
                let header = self.label(construct.header);
                let text = || {
                    msg(format!("this branch to {label} enters a {kind} elsewhere than at its header {header}"))
                        .note(declared, format!("the {kind}"))
                };
                return self.cx.fail_site(&ENTER, site, text).is_ok();
            }
            at = s.parent(c);
        }
        true
    }

    fn switches(&mut self) {
        let switches = self.flow.structured.headers().iter().filter(|h| h.kind == ConstructKind::Switch);
        for h in switches {
            if self.flow.structured.is_reachable(h.block) {
                self.switch(h);
            }
        }
    }

    fn switch(&mut self, h: &Header) {
        let s = &self.flow.structured;
        let site = self.terminator(h.block);
        let Some(inst) = self.cx.m.inst_at(site.word).filter(|i| i.op() == Op::Switch) else { return };
        for case in h.cases() {
            let Some(c) = s.construct(case) else { continue };
            if s.is_reachable(c.header) && !s.dominates(h.block, c.header) {
                let label = self.label(c.header);
                self.cx
                    .fail(&CASE_DOMINATED, inst, || {
                        format!("the case {label} is not structurally dominated by the block of its OpSwitch")
                    })
                    .ok();
                return;
            }
        }
        let falls = self.cx.filled(h.cases().len(), NO_CASE);
        if self.fall_through(h, inst, falls) {
            self.case_order(h, inst, falls);
        }
    }

    /// Finds for each case the case that it falls through to (position among the switch's cases); of the others `falls` is
    /// left as it is. Returns whether each does so at most once.
    fn fall_through(&mut self, h: &Header, inst: Inst<'_>, falls: &mut [u32]) -> bool {
        let s = &self.flow.structured;
        let Some(first) = h.cases().next().map(|c| c.0) else { return false };
        let from = self.cx.filled(falls.len(), NO_CASE);
        for case in h.cases() {
            let Some(c) = s.construct(case) else { continue };
            for &p in self.flow.cfg.predecessors(c.header) {
                let Some(source) = s.case_of(h, p).filter(|x| *x != case && p != h.block) else { continue };
                let (source, target) = (source.0 - first, case.0 - first);
                let (Some(to), Some(back)) = (falls.get_mut(source as usize), from.get_mut(target as usize)) else {
                    continue;
                };
                let many = *to != NO_CASE && *to != target || *back != NO_CASE && *back != source;
                (*to, *back) = (target, source);
                if many {
                    let (site, label) = (self.terminator(p), self.label(c.header));
                    let text = || {
                        msg(format!(
                            "this branch to the case {label} is a second fall-through from or to the same case"
                        ))
                        .note(Site::at(inst.offset()), "the switch")
                    };
                    self.cx.fail_site(&FALL_THROUGH, site, text).ok();
                    return false;
                }
            }
        }
        true
    }

    fn case_order(&mut self, h: &Header, inst: Inst<'_>, falls: &[u32]) {
        let places = self.cx.filled(falls.len(), None);
        if self.places(h, inst, places) {
            self.falls_in_order(h, inst, falls, places);
        }
    }

    /// Finds the first and last position of each case in the list of targets. Returns whether equal labels stand together.
    fn places(&mut self, h: &Header, inst: Inst<'_>, places: &mut [Option<(u32, u32)>]) -> bool {
        let s = &self.flow.structured;
        let Some(first) = h.cases().next().map(|c| c.0) else { return false };
        let m = self.cx.m;
        let labels = Operands::new(inst, &m).filter_map(Result::ok).filter(|o| o.kind == OperandKind::IdRef).skip(2);
        for (at, o) in (0u32..).zip(labels) {
            let block = o.id().and_then(|id| self.flow.block_of(id));
            let case = block.and_then(|b| s.case_of(h, b)).map(|c| (c.0 - first) as usize);
            let Some(place) = case.and_then(|c| places.get_mut(c)) else { continue };
            match place {
                Some((_, last)) if *last + 1 != at => {
                    let text = || format!("the targets with label %{} do not stand together", o.word());
                    return self.cx.fail_at(&CASE_ORDER, inst, o.at as usize, text).is_ok();
                }
                Some((_, last)) => *last = at,
                None => *place = Some((at, at)),
            }
        }
        true
    }

    fn falls_in_order(&mut self, h: &Header, inst: Inst<'_>, falls: &[u32], places: &[Option<(u32, u32)>]) {
        let Some(first) = h.cases().next().map(|c| c.0) else { return };
        let place = |c: u32| places.get(c as usize).copied().flatten();
        for (source, &target) in (0u32..).zip(falls).filter(|f| *f.1 != NO_CASE) {
            // Through a default that is no target, the next case counts.
            let target =
                if place(target).is_some() { target } else { falls.get(target as usize).copied().unwrap_or(NO_CASE) };
            let (Some(from), Some(to)) = (place(source), place(target)) else { continue };
            if from.1 + 1 != to.0 {
                let name = |c: u32| {
                    self.flow
                        .structured
                        .construct(ConstructIdx(first + c))
                        .map(|c| self.label(c.header))
                        .unwrap_or_default()
                };
                let (from, to) = (name(source), name(target));
                let text = || {
                    format!(
                        "the case {from} falls through to {to}, but does not stand directly before it in the list of targets"
                    )
                };
                self.cx.fail(&CASE_ORDER, inst, text).ok();
                return;
            }
        }
    }
}

/// Position of a case that does not exist.
const NO_CASE: u32 = u32::MAX;

/// Blocks with several predecessors are where paths are declared to come together.
fn early_reconvergence(cx: &mut Cx<'_>, flow: &Flow) {
    let s = &flow.structured;
    let mut fine = cx.collect(flow.cfg.indices().map(|_| false));
    for h in s.headers() {
        for b in [h.merge, h.continue_target, (h.kind == ConstructKind::Loop).then_some(h.block)].into_iter().flatten()
        {
            fine[b.index()] = true;
        }
        for c in h.cases().filter_map(|c| s.construct(c)) {
            fine[c.header.index()] = true;
        }
    }
    for block in flow.cfg.indices() {
        let predecessors = flow.cfg.predecessors(block);
        let several = predecessors.iter().any(|p| *p != predecessors[0]);
        if several
            && !fine[block.index()]
            && s.is_reachable(block)
            && let Some(b) = flow.cfg.block(block)
        {
            let text = || {
                format!(
                    "paths come together in {}, which is no merge block, Continue Target, loop header or case",
                    b.label
                )
            };
            cx.fail_site(&RECONVERGE_EARLY, Site::at(b.start), text).ok();
        }
    }
}
