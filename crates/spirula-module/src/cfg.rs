//! Blocks and branch edges of one function (§2.2.5).

use alloc::vec::Vec;
use core::{fmt, ops::Range};

use spirula_binary::{Context, Id, Inst};
use spirula_grammar::Op;

use crate::{Function, Module, zeros};

/// Stands for "none" in tables of `u32`.
pub(crate) const NONE: u32 = u32::MAX;

/// A block of a function: its position among the function's blocks, in order of appearance. The entry block is 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockIdx(pub u32);

impl BlockIdx {
    /// The entry block.
    pub const ENTRY: BlockIdx = BlockIdx(0);

    /// As an index into tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    #[inline]
    pub(crate) fn some(raw: u32) -> Option<BlockIdx> {
        (raw != NONE).then_some(BlockIdx(raw))
    }
}

impl fmt::Display for BlockIdx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "bb{}", self.0)
    }
}

impl fmt::Debug for BlockIdx {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What of a block its instructions say. All positions are word offsets from the start of the module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Its `OpLabel`'s result id.
    pub label: Id,
    /// Offset of its `OpLabel`.
    pub start: u32,
    /// Where it ends: behind its block termination instruction, or, where it has none, at the next `OpLabel` or the end
    /// of the body.
    pub end: u32,
    /// 0 where there is none: an `OpLabel` comes before either.
    merge: u32,
    terminator: u32,
}

impl Block {
    /// Its words.
    pub fn range(&self) -> Range<u32> {
        self.start..self.end
    }

    /// Offset of its first merge instruction, wherever in the block that stands.
    #[inline]
    pub fn merge(&self) -> Option<u32> {
        (self.merge != 0).then_some(self.merge)
    }

    /// Offset of its block termination instruction.
    #[inline]
    pub fn terminator(&self) -> Option<u32> {
        (self.terminator != 0).then_some(self.terminator)
    }
}

/// Edges between blocks, by the block they start at.
#[derive(Clone, Debug, Default)]
pub struct Edges {
    /// One more than there are rows, once filled.
    start: Vec<u32>,
    to: Vec<BlockIdx>,
}

impl Edges {
    /// The blocks that edges from `from` lead to; empty for blocks that do not exist.
    #[inline]
    pub fn of(&self, from: BlockIdx) -> &[BlockIdx] {
        match self.start.get(from.index()..) {
            Some(&[a, b, ..]) => self.to.get(a as usize..b as usize).unwrap_or(&[]),
            _ => &[],
        }
    }

    /// The edges from `from` as positions in the list of all edges, see [`to_in`](Self::to_in).
    #[inline]
    pub(crate) fn range(&self, from: BlockIdx) -> (u32, u32) {
        match self.start.get(from.index()..) {
            Some(&[a, b, ..]) => (a, b),
            _ => (0, 0),
        }
    }

    /// Where the edge at `at` leads, if it comes before the edge at `end`.
    #[inline]
    pub(crate) fn to_in(&self, at: u32, end: u32) -> Option<BlockIdx> {
        if at < end { self.to.get(at as usize).copied() } else { None }
    }

    /// Number of edges.
    pub fn len(&self) -> usize {
        self.to.len()
    }

    /// Whether there are no edges.
    pub fn is_empty(&self) -> bool {
        self.to.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        self.start.clear();
        self.to.clear();
        self.start.push(0);
    }

    /// Makes room for so many rows and edges.
    pub(crate) fn reserve(&mut self, rows: usize, edges: usize) {
        self.start.reserve(rows + 1);
        self.to.reserve(edges);
    }

    /// Adds an edge to the row that [`end_row`](Self::end_row) will end.
    #[inline]
    pub(crate) fn push(&mut self, to: BlockIdx) {
        self.to.push(to);
    }

    #[inline]
    pub(crate) fn extend(&mut self, to: &[BlockIdx]) {
        self.to.extend_from_slice(to);
    }

    #[inline]
    pub(crate) fn end_row(&mut self) {
        self.start.push(self.to.len() as u32);
    }

    /// Becomes `other` turned round, with `rows` rows. Edges of a row are in the order of the blocks they came from.
    pub(crate) fn reverse_of(&mut self, other: &Edges, rows: u32) {
        self.start.clear();
        self.start.resize(rows as usize + 1, 0);
        self.to.clear();
        self.to.resize(other.to.len(), BlockIdx(0));
        for to in &other.to {
            if let Some(n) = self.start.get_mut(to.index()).filter(|_| to.0 < rows) {
                *n += 1;
            }
        }
        let mut sum = 0;
        for n in &mut self.start {
            sum += *n;
            *n = sum;
        }
        // Every row's start is now its end; filling rows from the back turns it into the start.
        for from in (0..other.start.len().saturating_sub(1) as u32).rev() {
            for to in other.of(BlockIdx(from)).iter().rev() {
                if let Some(at) = self.start.get_mut(to.index()).filter(|_| to.0 < rows) {
                    *at -= 1;
                    if let Some(slot) = self.to.get_mut(*at as usize) {
                        *slot = BlockIdx(from);
                    }
                }
            }
        }
    }
}

/// Whether `op` is a function termination instruction (§2.2.5 and the extensions that add to its list).
#[inline]
pub const fn is_function_termination(op: Op) -> bool {
    matches!(
        op,
        Op::Return
            | Op::ReturnValue
            | Op::Kill
            | Op::Unreachable
            | Op::TerminateInvocation
            | Op::IgnoreIntersectionKHR
            | Op::TerminateRayKHR
            | Op::EmitMeshTasksEXT
            | Op::AbortKHR
    )
}

/// Whether `op` is a branch instruction (§2.2.5).
#[inline]
pub const fn is_branch(op: Op) -> bool {
    matches!(op, Op::Branch | Op::BranchConditional | Op::Switch)
}

/// Whether `op` is a block termination instruction (§2.2.5).
#[inline]
pub const fn is_block_termination(op: Op) -> bool {
    is_branch(op) || is_function_termination(op)
}

/// Whether `op` is a merge instruction (§2.2.5).
#[inline]
pub const fn is_merge(op: Op) -> bool {
    matches!(op, Op::SelectionMerge | Op::LoopMerge)
}

/// The targets of a branch instruction as they are stated, an `OpSwitch`'s default first. Duplicates are kept.
#[derive(Clone, Debug)]
pub struct Targets<'w> {
    words: &'w [u32],
    at: usize,
    step: usize,
}

impl<'w> Targets<'w> {
    /// The targets of `inst`; none where it is not a branch instruction.
    ///
    /// How many words an `OpSwitch`'s literals have is up to the type of its selector. Where that is not a number, only
    /// the default is known to be a target.
    pub fn of<C: Context + ?Sized>(inst: Inst<'w>, context: &C) -> Targets<'w> {
        let words = inst.words();
        let (at, step, end) = match inst.op() {
            Op::Branch => (1, 1, 2),
            Op::BranchConditional => (2, 1, 4),
            Op::Switch => match context.type_of(inst.id(1)).and_then(|ty| context.number(ty)) {
                Some(n) => (2, n.words() + 1, words.len()),
                None => (2, 1, 3),
            },
            _ => (0, 1, 0),
        };
        Targets { words: words.get(..end.min(words.len())).unwrap_or(&[]), at, step }
    }
}

impl Iterator for Targets<'_> {
    type Item = Id;

    #[inline]
    fn next(&mut self) -> Option<Id> {
        let id = *self.words.get(self.at)?;
        self.at = self.at.saturating_add(self.step);
        Some(Id(id))
    }
}

/// A branch to an id that is no block of the function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Stray {
    /// The block that branches.
    pub from: BlockIdx,
    /// Offset of the branch instruction in words.
    pub terminator: u32,
    /// The id.
    pub target: Id,
}

/// Blocks and branch edges of one function. Kept between functions, it allocates only when one is larger than all before.
#[derive(Clone, Debug, Default)]
pub struct Cfg {
    blocks: Vec<Block>,
    succs: Edges,
    preds: Edges,
    strays: Vec<Stray>,
    /// By id: an epoch and the block that it labels, where that epoch is the current one.
    labels: Vec<[u32; 2]>,
    epoch: u32,
    dense_bound: u32,
    /// Label ids from `dense_bound` on with their blocks, sorted.
    sparse: Vec<(u32, u32)>,
    has_merges: bool,
    /// Whether an instruction now would be in the last block.
    open: bool,
}

impl Cfg {
    /// An empty graph.
    pub fn new() -> Cfg {
        Cfg::default()
    }

    /// Reads the function whose instructions, from the first `OpLabel` up to and without `OpFunctionEnd`, are at `body`.
    ///
    /// It ends sooner where an `OpFunctionEnd` is among them. Label ids below `dense_bound` are found through a table
    /// that grows up to it, others through a sorted list.
    #[cfg(test)]
    pub(crate) fn build<C: Context + ?Sized>(
        &mut self,
        words: &[u32],
        body: Range<u32>,
        dense_bound: u32,
        context: &C,
    ) {
        let mut end = body.end.min(words.len() as u32);
        self.begin(dense_bound);
        for inst in spirula_binary::Frames::from(words.get(..end as usize).unwrap_or(&[]), body.start) {
            match inst {
                Ok(inst) if inst.op() != Op::FunctionEnd => self.push(inst),
                Ok(inst) => {
                    end = inst.offset();
                    break;
                }
                Err(_) => break,
            }
        }
        self.finish(words, end, context);
    }

    /// Reads a function of a module.
    pub fn build_function(&mut self, module: &Module<'_>, function: &Function) {
        let words = module.words();
        // A table as large as the module is paid for by the module, whatever bound it claims.
        let bound = module.header().map_or(0, |h| h.bound);
        self.begin(bound.min(words.len() as u32));
        module.control(function).for_each(|inst| self.push(inst));
        self.finish(words, function.end_of_body(), module);
    }

    /// Starts a function for callers that walk its instructions anyway: [`push`](Self::push) them, then
    /// [`finish`](Self::finish).
    pub fn begin(&mut self, dense_bound: u32) {
        self.blocks.clear();
        self.strays.clear();
        self.succs.clear();
        self.preds.clear();
        self.sparse.clear();
        self.dense_bound = dense_bound;
        self.has_merges = false;
        self.open = false;
        self.epoch = self.epoch.wrapping_add(1);
        if self.epoch == 0 {
            self.labels.clear();
            self.epoch = 1;
        }
        if self.labels.len() < dense_bound as usize {
            zeros(&mut self.labels, dense_bound as usize, [0; 2]);
        }
    }

    /// The next instruction. Only `OpLabel`, merge instructions and block termination instructions need be given.
    #[inline]
    pub fn push(&mut self, inst: Inst<'_>) {
        let op = inst.op();
        if op == Op::Label {
            self.label(inst);
        } else if self.open {
            if is_merge(op) {
                self.has_merges = true;
                if let Some(block) = self.blocks.last_mut().filter(|b| b.merge == 0) {
                    block.merge = inst.offset();
                }
            } else if is_block_termination(op) {
                self.open = false;
                if let Some(block) = self.blocks.last_mut() {
                    block.terminator = inst.offset();
                    block.end = inst.offset() + inst.words().len() as u32;
                }
            }
        }
    }

    fn label(&mut self, inst: Inst<'_>) {
        let (start, label) = (inst.offset(), inst.id(1));
        self.close(start);
        let block = self.blocks.len() as u32;
        self.blocks.push(Block { label, start, end: start, merge: 0, terminator: 0 });
        self.open = true;
        if label.0 >= self.dense_bound {
            self.sparse.push((label.0, block));
            return;
        }
        // Where two blocks have one label, the id means the first.
        if let Some(slot) = self.labels.get_mut(label.index())
            && slot[0] != self.epoch
        {
            *slot = [self.epoch, block];
        }
    }

    fn close(&mut self, end: u32) {
        if self.open
            && let Some(block) = self.blocks.last_mut()
        {
            block.end = end;
        }
    }

    /// Ends a function whose body ends at word `end`: makes the edges.
    pub fn finish<C: Context + ?Sized>(&mut self, words: &[u32], end: u32, context: &C) {
        self.close(end);
        self.open = false;
        self.sparse.sort_unstable();
        for i in 0..self.blocks.len() as u32 {
            let terminator = self.blocks.get(i as usize).map_or(0, |b| b.terminator);
            if let Some(inst) = Inst::at(words, terminator).filter(|_| terminator != 0) {
                for target in Targets::of(inst, context) {
                    match self.block_of(target) {
                        Some(to) => self.succs.push(to),
                        None => self.strays.push(Stray { from: BlockIdx(i), terminator, target }),
                    }
                }
            }
            self.succs.end_row();
        }
        self.preds.reverse_of(&self.succs, self.blocks.len() as u32);
    }

    /// The blocks in order of appearance.
    pub fn blocks(&self) -> &[Block] {
        &self.blocks
    }

    /// One block.
    #[inline]
    pub fn block(&self, block: BlockIdx) -> Option<&Block> {
        self.blocks.get(block.index())
    }

    /// Number of blocks.
    #[inline]
    pub fn len(&self) -> u32 {
        self.blocks.len() as u32
    }

    /// Whether there are no blocks.
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// All blocks' indices in order of appearance.
    pub fn indices(&self) -> impl ExactSizeIterator<Item = BlockIdx> + DoubleEndedIterator + use<> {
        (0..self.len()).map(BlockIdx)
    }

    /// The block that `label` labels. Where several blocks do, the first.
    #[inline]
    pub fn block_of(&self, label: Id) -> Option<BlockIdx> {
        if label.0 < self.dense_bound {
            let [epoch, block] = *self.labels.get(label.index())?;
            return (epoch == self.epoch).then_some(BlockIdx(block));
        }
        let at = self.sparse.partition_point(|s| s.0 < label.0);
        self.sparse.get(at).filter(|s| s.0 == label.0).map(|s| BlockIdx(s.1))
    }

    /// The block whose words word `offset` is among.
    pub fn block_at(&self, offset: u32) -> Option<BlockIdx> {
        let i = self.blocks.partition_point(|b| b.start <= offset).checked_sub(1)?;
        (offset < self.blocks.get(i)?.end).then_some(BlockIdx(i as u32))
    }

    /// Targets of the block's branch instruction in the order stated, an `OpSwitch`'s default first, duplicates kept,
    /// [`strays`](Self::strays) left out.
    #[inline]
    pub fn successors(&self, block: BlockIdx) -> &[BlockIdx] {
        self.succs.of(block)
    }

    /// Blocks that branch to the block, in order of appearance; one that states it several times comes as often.
    #[inline]
    pub fn predecessors(&self, block: BlockIdx) -> &[BlockIdx] {
        self.preds.of(block)
    }

    /// The branch edges.
    pub fn branch_edges(&self) -> &Edges {
        &self.succs
    }

    /// The branch edges turned round.
    pub fn reversed_branch_edges(&self) -> &Edges {
        &self.preds
    }

    /// Branches to ids that are no blocks of the function, in order of appearance.
    pub fn strays(&self) -> &[Stray] {
        &self.strays
    }

    /// Whether a block has a merge instruction.
    pub fn has_merges(&self) -> bool {
        self.has_merges
    }
}
