//! Structured control flow of one function (§2.11): facts about what it declares, whether or not it keeps the rules.

use alloc::vec::Vec;
use core::{fmt, ops::Range};

use spirula_binary::{Id, Inst};
use spirula_grammar::Op;

use crate::cfg::{BlockIdx, Cfg, Edges, NONE, is_function_termination};
use crate::domtree::DomTree;
use crate::nesting::Nesting;

/// A header block, by position in [`Structured::headers`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct HeaderIdx(pub u32);

/// A construct, by position in [`Structured::constructs`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstructIdx(pub u32);

impl ConstructIdx {
    #[inline]
    pub(crate) fn some(raw: u32) -> Option<ConstructIdx> {
        (raw != NONE).then_some(ConstructIdx(raw))
    }
}

/// The kinds of structured control-flow constructs (§2.11.2).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ConstructKind {
    /// Of a header block with `OpSelectionMerge` that does not end with `OpSwitch`.
    Selection,
    /// Of a header block with `OpSelectionMerge` that ends with `OpSwitch`.
    Switch,
    /// Of a header block with `OpLoopMerge`.
    Loop,
    /// Of a loop's Continue Target.
    Continue,
    /// Of a target or the default of an `OpSwitch`.
    Case,
}

impl fmt::Display for ConstructKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ConstructKind::Selection => "selection construct",
            ConstructKind::Switch => "switch construct",
            ConstructKind::Loop => "loop construct",
            ConstructKind::Continue => "continue construct",
            ConstructKind::Case => "case construct",
        })
    }
}

/// A block with a merge instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// The block.
    pub block: BlockIdx,
    /// Kind of its own construct: selection, switch or loop.
    pub kind: ConstructKind,
    /// Offset of the merge instruction in words.
    pub inst: u32,
    /// Merge Block operand.
    pub merge_id: Id,
    /// Merge block, where the operand is a block of the function.
    pub merge: Option<BlockIdx>,
    /// Continue Target operand of a loop header, else `%0`.
    pub continue_id: Id,
    /// Continue target, where the operand is a block of the function.
    pub continue_target: Option<BlockIdx>,
    /// The first block with a back edge to a loop header.
    pub back_edge_block: Option<BlockIdx>,
    /// Number of back edges to the block.
    pub back_edges: u32,
    /// Its selection, switch or loop construct.
    pub construct: ConstructIdx,
    /// The continue construct of a loop that has a continue target.
    pub continue_construct: Option<ConstructIdx>,
    /// Whether the loop keeps the rules that make its continue construct one: the header structurally dominates the
    /// continue target, that dominates the back-edge block, and that post dominates the continue target (§2.11.1).
    /// Where it does not, the continue construct has no blocks.
    pub has_proper_continue: bool,
    cases: (u32, u32),
}

impl Header {
    /// Whether header block, continue target and back-edge block are one.
    pub fn is_single_block_loop(&self) -> bool {
        let block = Some(self.block);
        self.kind == ConstructKind::Loop && self.continue_target == block && self.back_edge_block == block
    }

    /// The case constructs of a switch header, one for each block that is a target or the default, the merge block left
    /// out, by first appearance (the default comes first).
    pub fn cases(&self) -> impl ExactSizeIterator<Item = ConstructIdx> + use<> {
        (self.cases.0..self.cases.1).map(ConstructIdx)
    }

    fn case_range(&self) -> Range<usize> {
        self.cases.0 as usize..self.cases.1 as usize
    }
}

/// A structured control-flow construct (§2.11.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Construct {
    /// Its kind.
    pub kind: ConstructKind,
    /// Its header block; of a continue construct the continue target, of a case construct the target or default.
    pub header: BlockIdx,
    /// The header block whose merge instruction brings it about.
    pub declared_by: HeaderIdx,
}

/// Structured control flow of one function.
///
/// "Structurally" is over structured control-flow edges: branch edges, merge edges and continue edges (§2.2.5). Only
/// structurally reachable blocks belong to constructs. Everything here takes O((words + blocks) · log) to build and,
/// unless said otherwise, O(1) to ask. Kept between functions, it allocates only when one is larger than all before.
#[derive(Clone, Debug, Default)]
pub struct Structured {
    edges: Edges,
    reversed: Edges,
    dom: DomTree,
    /// Empty, so that everything post dominates everything, where no continue construct asks.
    post: DomTree,
    headers: Vec<Header>,
    header_of: Vec<u32>,
    constructs: Vec<Construct>,
    /// The cases of each switch in the order of the dominator tree; parallel to `constructs`.
    sorted_cases: Vec<ConstructIdx>,
    back_edges: Vec<(BlockIdx, BlockIdx)>,
    nesting: Nesting,
    nesting_depth: u32,
    /// By block: the last thing that met it.
    marks: Vec<u32>,
}

impl Structured {
    /// No facts.
    pub fn new() -> Structured {
        Structured::default()
    }

    /// Reads what `cfg`, built from the same `words`, declares.
    pub fn build(&mut self, words: &[u32], cfg: &Cfg) {
        self.find_headers(words, cfg);
        self.make_edges(words, cfg);
        let len = cfg.len();
        self.reversed.reverse_of(&self.edges, len + 1);
        self.dom.build_over(len, BlockIdx::ENTRY, &self.edges, &self.reversed);
        self.find_back_edges(cfg);
        let rows = if self.asks_post_dominance() { len + 1 } else { 0 };
        self.post.build_over(rows, BlockIdx(len), &self.reversed, &self.edges);
        self.find_continues();
        self.find_cases(cfg);
        self.measure_depth(cfg);
        let mut nesting = core::mem::take(&mut self.nesting);
        nesting.build(self, len);
        self.nesting = nesting;
    }

    fn find_headers(&mut self, words: &[u32], cfg: &Cfg) {
        self.headers.clear();
        self.constructs.clear();
        self.header_of.clear();
        self.header_of.resize(cfg.blocks().len(), NONE);
        if !cfg.has_merges() {
            return;
        }
        for (i, block) in cfg.blocks().iter().enumerate() {
            let Some(inst) = block.merge().and_then(|at| Inst::at(words, at)) else { continue };
            let is_switch = || block.terminator().and_then(|at| Inst::at(words, at)).map(Inst::op) == Some(Op::Switch);
            let kind = match inst.op() {
                Op::LoopMerge => ConstructKind::Loop,
                _ if is_switch() => ConstructKind::Switch,
                _ => ConstructKind::Selection,
            };
            let continue_id = if kind == ConstructKind::Loop { inst.id(2) } else { Id(0) };
            let (block, index) = (BlockIdx(i as u32), HeaderIdx(self.headers.len() as u32));
            let construct = self.add(kind, block, index);
            if let Some(slot) = self.header_of.get_mut(i) {
                *slot = index.0;
            }
            self.headers.push(Header {
                block,
                kind,
                inst: inst.offset(),
                merge_id: inst.id(1),
                merge: cfg.block_of(inst.id(1)),
                continue_id,
                continue_target: cfg.block_of(continue_id),
                back_edge_block: None,
                back_edges: 0,
                construct,
                continue_construct: None,
                has_proper_continue: false,
                cases: (0, 0),
            });
        }
    }

    fn add(&mut self, kind: ConstructKind, header: BlockIdx, declared_by: HeaderIdx) -> ConstructIdx {
        self.constructs.push(Construct { kind, header, declared_by });
        ConstructIdx(self.constructs.len() as u32 - 1)
    }

    /// Makes the structured control-flow edges, and edges from function terminations to a block behind the last.
    fn make_edges(&mut self, words: &[u32], cfg: &Cfg) {
        self.edges.clear();
        // Besides the branches: two for each loop, one for each other header and each termination.
        self.edges.reserve(cfg.blocks().len(), cfg.branch_edges().len() + cfg.blocks().len());
        for (i, block) in cfg.blocks().iter().enumerate() {
            let at = BlockIdx(i as u32);
            self.edges.extend(cfg.successors(at));
            if let Some(header) = self.header_at(at) {
                let (merge, continue_target) = (header.merge, header.continue_target);
                merge.into_iter().chain(continue_target).for_each(|to| self.edges.push(to));
            }
            let last = block.terminator().and_then(|at| Inst::at(words, at));
            if last.is_some_and(|inst| is_function_termination(inst.op())) {
                self.edges.push(BlockIdx(cfg.len()));
            }
            self.edges.end_row();
        }
        self.edges.end_row();
    }

    fn clear_marks(&mut self, len: usize) {
        self.marks.clear();
        self.marks.resize(len, NONE);
    }

    /// Marks the block; whether `mark` was not its mark before.
    fn mark(&mut self, block: BlockIdx, mark: u32) -> bool {
        self.marks.get_mut(block.index()).is_some_and(|m| core::mem::replace(m, mark) != mark)
    }

    fn find_back_edges(&mut self, cfg: &Cfg) {
        self.back_edges.clear();
        self.clear_marks(cfg.blocks().len());
        for from in cfg.indices() {
            for to in cfg.successors(from) {
                // One edge, however often the branch states it.
                if !self.is_back_edge(from, *to) || !self.mark(*to, from.0) {
                    continue;
                }
                self.back_edges.push((from, *to));
                let index = self.header_of.get(to.index()).copied().unwrap_or(NONE);
                if let Some(header) = self.headers.get_mut(index as usize) {
                    header.back_edges += 1;
                    if header.kind == ConstructKind::Loop {
                        header.back_edge_block.get_or_insert(from);
                    }
                }
            }
        }
    }

    /// Post dominance matters to continue constructs alone, and not to those that are one block, as most are.
    fn asks_post_dominance(&self) -> bool {
        self.headers.iter().any(|h| match (h.continue_target, h.back_edge_block) {
            (Some(target), Some(back)) => {
                (target != back || self.dom.interval(target).len() > 1)
                    && self.dom.dominates(h.block, target)
                    && self.dom.dominates(target, back)
            }
            _ => false,
        })
    }

    fn find_continues(&mut self) {
        for i in 0..self.headers.len() {
            let Some(header) = self.headers.get(i).copied() else { continue };
            let Some(target) = header.continue_target else { continue };
            let construct = self.add(ConstructKind::Continue, target, HeaderIdx(i as u32));
            let proper = header.back_edge_block.is_some_and(|back| {
                self.dom.dominates(header.block, target)
                    && self.dom.dominates(target, back)
                    && self.post.dominates(back, target)
            });
            if let Some(header) = self.headers.get_mut(i) {
                header.continue_construct = Some(construct);
                header.has_proper_continue = proper;
            }
        }
    }

    fn find_cases(&mut self, cfg: &Cfg) {
        self.clear_marks(cfg.blocks().len());
        for i in 0..self.headers.len() {
            let Some(header) = self.headers.get(i).copied() else { continue };
            if header.kind != ConstructKind::Switch {
                continue;
            }
            let first = self.constructs.len() as u32;
            for target in cfg.successors(header.block) {
                if Some(*target) != header.merge && self.mark(*target, i as u32) {
                    self.add(ConstructKind::Case, *target, HeaderIdx(i as u32));
                }
            }
            let cases = (first, self.constructs.len() as u32);
            if let Some(header) = self.headers.get_mut(i) {
                header.cases = cases;
            }
        }
        self.sorted_cases.clear();
        self.sorted_cases.extend((0..self.constructs.len() as u32).map(ConstructIdx));
        let (constructs, dom) = (&self.constructs, &self.dom);
        for header in &self.headers {
            if let Some(cases) = self.sorted_cases.get_mut(header.case_range()) {
                cases.sort_unstable_by_key(|c| constructs.get(c.0 as usize).map(|c| dom.interval(c.header).start));
            }
        }
    }

    /// The limit's words (§2.17): in program order, branches seen whose merge block is not.
    fn measure_depth(&mut self, cfg: &Cfg) {
        self.clear_marks(cfg.blocks().len());
        let (mut depth, mut most) = (0u32, 0);
        for block in cfg.indices() {
            // The mark counts the headers before that wait for the block.
            let waiting = self.marks.get(block.index()).map_or(0, |m| m.wrapping_add(1));
            depth = depth.saturating_sub(waiting);
            let Some(header) = self.header_at(block) else { continue };
            depth += 1;
            most = most.max(depth);
            match header.merge {
                Some(merge) if merge > block => {
                    if let Some(m) = self.marks.get_mut(merge.index()) {
                        *m = m.wrapping_add(1);
                    }
                }
                // It was seen before.
                _ => depth -= 1,
            }
        }
        self.nesting_depth = most;
    }

    /// The header blocks in order of appearance.
    pub fn headers(&self) -> &[Header] {
        &self.headers
    }

    /// One header block.
    #[inline]
    pub fn header(&self, header: HeaderIdx) -> Option<&Header> {
        self.headers.get(header.0 as usize)
    }

    /// What the block is as a header block.
    #[inline]
    pub fn header_at(&self, block: BlockIdx) -> Option<&Header> {
        self.headers.get(*self.header_of.get(block.index())? as usize)
    }

    /// All constructs: first those of the header blocks, parallel to [`headers`](Self::headers), then the continue
    /// constructs, then the case constructs.
    pub fn constructs(&self) -> &[Construct] {
        &self.constructs
    }

    /// One construct.
    #[inline]
    pub fn construct(&self, construct: ConstructIdx) -> Option<&Construct> {
        self.constructs.get(construct.0 as usize)
    }

    /// The header block that declares the construct.
    #[inline]
    pub fn declaration(&self, construct: ConstructIdx) -> Option<&Header> {
        self.header(self.construct(construct)?.declared_by)
    }

    /// Back edges `(from, to)`, each once, in order of appearance: branch edges from structurally reachable blocks to
    /// themselves or an ancestor in a depth-first search over structured control-flow edges.
    pub fn back_edges(&self) -> &[(BlockIdx, BlockIdx)] {
        &self.back_edges
    }

    /// Whether the branch edge from `from` to `to` is a back edge.
    #[inline]
    pub fn is_back_edge(&self, from: BlockIdx, to: BlockIdx) -> bool {
        self.dom.is_search_ancestor(to, from)
    }

    /// Whether structured control-flow edges lead from the entry block to the block.
    #[inline]
    pub fn is_reachable(&self, block: BlockIdx) -> bool {
        self.dom.is_reachable(block)
    }

    /// Whether `a` structurally dominates `b`; everything does where `b` is structurally unreachable.
    #[inline]
    pub fn dominates(&self, a: BlockIdx, b: BlockIdx) -> bool {
        self.dom.dominates(a, b)
    }

    /// Whether `a` strictly structurally dominates `b`.
    #[inline]
    pub fn strictly_dominates(&self, a: BlockIdx, b: BlockIdx) -> bool {
        self.dom.strictly_dominates(a, b)
    }

    /// Whether `b` structurally post dominates `a`, where that was found out; everything does where no path leads from
    /// `a` to a function termination instruction.
    #[cfg(test)]
    pub(crate) fn post_dominates(&self, b: BlockIdx, a: BlockIdx) -> Option<bool> {
        self.asks_post_dominance().then(|| self.post.dominates(b, a))
    }

    /// The tree of structural dominance.
    pub fn dominators(&self) -> &DomTree {
        &self.dom
    }

    /// Whether the block belongs to the construct, as §2.11.2 defines it.
    ///
    /// Of a continue construct, blocks that the loop's merge block dominates are left out too: where the loop keeps the
    /// rules there are none.
    pub fn contains(&self, construct: ConstructIdx, block: BlockIdx) -> bool {
        let Some(c) = self.construct(construct) else { return false };
        let Some(declaration) = self.header(c.declared_by) else { return false };
        if !self.is_reachable(block)
            || !self.dom.dominates(c.header, block)
            || declaration.merge.is_some_and(|merge| self.dom.dominates(merge, block))
        {
            return false;
        }
        self.contains_within(construct, block)
    }

    /// The same for blocks that the construct's header block dominates and the merge block does not.
    #[inline]
    pub(crate) fn contains_within(&self, construct: ConstructIdx, block: BlockIdx) -> bool {
        let Some(c) = self.construct(construct) else { return false };
        match c.kind {
            ConstructKind::Selection | ConstructKind::Switch | ConstructKind::Case => true,
            ConstructKind::Loop => !self.in_continue(c.declared_by, block),
            ConstructKind::Continue => self.in_continue(c.declared_by, block),
        }
    }

    /// For blocks that the loop's merge block does not dominate.
    fn in_continue(&self, header: HeaderIdx, block: BlockIdx) -> bool {
        let Some(header) = self.header(header) else { return false };
        let (Some(target), Some(back)) = (header.continue_target, header.back_edge_block) else { return false };
        header.has_proper_continue && self.dom.dominates(target, block) && self.post.dominates(back, block)
    }

    /// The innermost construct that contains the block: of all that do, one whose header block all the others' header
    /// blocks dominate. Of those with one header block a selection, switch or loop construct is within a continue
    /// construct, and that within case constructs; the continue construct of a single-block loop is within that loop.
    ///
    /// Case constructs whose header block the `OpSwitch`'s block does not dominate are passed over.
    #[inline]
    pub fn innermost(&self, block: BlockIdx) -> Option<ConstructIdx> {
        self.nesting.innermost(block)
    }

    /// The innermost loop construct that contains the block; where loops overlap without nesting, one of the outer ones
    /// may come instead, or none.
    #[inline]
    pub fn innermost_loop(&self, block: BlockIdx) -> Option<ConstructIdx> {
        self.nesting.innermost_loop(block)
    }

    /// The innermost switch construct that contains the block.
    #[inline]
    pub fn innermost_switch(&self, block: BlockIdx) -> Option<ConstructIdx> {
        self.nesting.innermost_switch(block)
    }

    /// The construct around a construct: the innermost other one that contains its header block.
    #[inline]
    pub fn parent(&self, construct: ConstructIdx) -> Option<ConstructIdx> {
        self.nesting.parent(construct)
    }

    /// The case construct of `header`'s `OpSwitch` that contains the block. O(log cases).
    pub fn case_of(&self, header: &Header, block: BlockIdx) -> Option<ConstructIdx> {
        if !self.is_reachable(block) {
            return None;
        }
        let at = self.dom.interval(block).start;
        let start = |c: &ConstructIdx| self.construct(*c).map_or(0, |c| self.dom.interval(c.header).start);
        let cases = self.sorted_cases.get(header.case_range())?;
        let case = *cases.get(cases.partition_point(|c| start(c) <= at).checked_sub(1)?)?;
        self.contains(case, block).then_some(case)
    }

    /// Control-flow nesting depth (§2.17): in order of appearance, the most header blocks whose merge block has yet to
    /// come.
    pub fn nesting_depth(&self) -> u32 {
        self.nesting_depth
    }

    #[cfg(test)]
    pub(crate) fn header_of_len(&self) -> u32 {
        self.header_of.len() as u32
    }

    #[cfg(test)]
    pub(crate) fn take_steps(&mut self) -> u64 {
        self.dom.take_steps() + self.post.take_steps() + self.nesting.take_steps()
    }
}
