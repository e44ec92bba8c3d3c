//! Which construct is the innermost around each block.
//!
//! A walk of the structural dominator tree keeps a list of the constructs that the current block is in: a construct
//! enters it at its header block and leaves it at the merge block, and both are undone where the walk leaves the block's
//! subtree. What intervals of the tree cannot say, whether a block of a loop is in its continue construct, is asked of
//! the last in the list.

use alloc::vec::Vec;

use crate::cfg::{BlockIdx, NONE};
use crate::structured::{ConstructIdx, ConstructKind, Header, Structured};

/// A list of constructs, linked both ways into a ring through its own end marks, so that a construct can leave from
/// anywhere and come back.
#[derive(Clone, Debug, Default)]
struct Ring {
    links: Vec<(u32, u32)>,
}

impl Ring {
    fn reset(&mut self, len: u32) {
        self.links.clear();
        self.links.extend((0..len).map(|i| (i, i)));
    }

    fn prev(&self, i: u32) -> u32 {
        self.links.get(i as usize).map_or(i, |l| l.0)
    }

    fn join(&mut self, prev: u32, next: u32) {
        if let Some(l) = self.links.get_mut(prev as usize) {
            l.1 = next;
        }
        if let Some(l) = self.links.get_mut(next as usize) {
            l.0 = prev;
        }
    }

    /// Puts `i` before the end mark.
    fn append(&mut self, i: u32, end: u32) {
        let last = self.prev(end);
        self.join(last, i);
        self.join(i, end);
    }

    /// Takes `i` out. It remembers its place.
    fn unlink(&mut self, i: u32) {
        let (prev, next) = self.links.get(i as usize).copied().unwrap_or((i, i));
        self.join(prev, next);
    }

    /// Undoes the last `unlink`.
    fn relink(&mut self, i: u32) {
        let (prev, next) = self.links.get(i as usize).copied().unwrap_or((i, i));
        self.join(prev, i);
        self.join(i, next);
    }
}

#[derive(Clone, Copy, Debug)]
struct Undo {
    construct: u32,
    entered: bool,
    /// Position in the walk where the subtree ends.
    end: u32,
}

#[derive(Clone, Copy, Debug)]
struct Around {
    any: u32,
    in_loop: u32,
    in_switch: u32,
}

const NOWHERE: Around = Around { any: NONE, in_loop: NONE, in_switch: NONE };

/// By block and by construct, what is around.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nesting {
    blocks: Vec<Around>,
    parents: Vec<u32>,
    /// The same for loop constructs: the innermost other loop construct around.
    outer_loops: Vec<u32>,
    all: Ring,
    /// Loop constructs and switch constructs, each in a ring of their own.
    breakable: Ring,
    inside: Vec<bool>,
    undo: Vec<Undo>,
    /// Constructs by header block and by merge block, as lists.
    by_header: Vec<u32>,
    by_merge: Vec<u32>,
    next: Vec<(u32, u32)>,
    #[cfg(test)]
    steps: u64,
}

impl Nesting {
    pub(crate) fn build(&mut self, facts: &Structured, blocks: u32) {
        let constructs = facts.constructs().len() as u32;
        self.blocks.clear();
        self.blocks.resize(blocks as usize, NOWHERE);
        self.parents.clear();
        self.parents.resize(constructs as usize, NONE);
        if constructs == 0 {
            return;
        }
        self.outer_loops.clear();
        self.outer_loops.resize(constructs as usize, NONE);
        self.inside.clear();
        self.inside.resize(constructs as usize, false);
        self.undo.clear();
        self.all.reset(constructs + 1);
        self.breakable.reset(constructs + 2);
        self.list(facts, blocks);
        for (at, block) in facts.dominators().preorder().iter().enumerate() {
            self.leave_subtrees(at as u32, facts);
            self.enter(*block, facts);
        }
    }

    /// Fills the lists so that constructs of one header block come with the outer ones first.
    fn list(&mut self, facts: &Structured, blocks: u32) {
        for heads in [&mut self.by_header, &mut self.by_merge] {
            heads.clear();
            heads.resize(blocks as usize, NONE);
        }
        self.next.clear();
        self.next.resize(facts.constructs().len(), (NONE, NONE));
        for rank in (0..4).rev() {
            for (i, c) in facts.constructs().iter().enumerate() {
                let Some(declaration) = facts.header(c.declared_by) else { continue };
                let own = match c.kind {
                    ConstructKind::Case if !facts.strictly_dominates(declaration.block, c.header) => continue,
                    ConstructKind::Continue if !declaration.has_proper_continue => continue,
                    ConstructKind::Case => 0,
                    ConstructKind::Continue if declaration.block == c.header => 3,
                    ConstructKind::Continue => 1,
                    _ => 2,
                };
                if own == rank {
                    self.list_one(i, c.header, declaration);
                }
            }
        }
    }

    fn list_one(&mut self, i: usize, header: BlockIdx, declaration: &Header) {
        let Some(next) = self.next.get_mut(i) else { return };
        if let Some(head) = self.by_header.get_mut(header.index()) {
            next.0 = core::mem::replace(head, i as u32);
        }
        if let Some(head) = declaration.merge.and_then(|m| self.by_merge.get_mut(m.index())) {
            next.1 = core::mem::replace(head, i as u32);
        }
    }

    /// The end mark of the ring of `breakable` that the construct belongs to.
    fn ring(&self, construct: u32, facts: &Structured) -> Option<u32> {
        let len = facts.constructs().len() as u32;
        match facts.construct(ConstructIdx(construct))?.kind {
            ConstructKind::Loop => Some(len),
            ConstructKind::Switch => Some(len + 1),
            _ => None,
        }
    }

    fn leave_subtrees(&mut self, at: u32, facts: &Structured) {
        while let Some(undo) = self.undo.pop_if(|u| u.end <= at) {
            self.step();
            let (c, ring) = (undo.construct, self.ring(undo.construct, facts));
            if undo.entered {
                self.all.unlink(c);
            } else {
                self.all.relink(c);
            }
            match ring {
                Some(_) if undo.entered => self.breakable.unlink(c),
                Some(_) => self.breakable.relink(c),
                None => {}
            }
            self.set_inside(c, !undo.entered);
        }
    }

    fn set_inside(&mut self, construct: u32, inside: bool) {
        if let Some(i) = self.inside.get_mut(construct as usize) {
            *i = inside;
        }
    }

    fn enter(&mut self, block: BlockIdx, facts: &Structured) {
        let end = facts.dominators().interval(block).end;
        let mut c = self.by_merge.get(block.index()).copied().unwrap_or(NONE);
        while c != NONE {
            self.step();
            if self.inside.get(c as usize) == Some(&true) {
                self.all.unlink(c);
                if self.ring(c, facts).is_some() {
                    self.breakable.unlink(c);
                }
                self.set_inside(c, false);
                self.undo.push(Undo { construct: c, entered: false, end });
            }
            c = self.next.get(c as usize).map_or(NONE, |n| n.1);
        }
        let mut c = self.by_header.get(block.index()).copied().unwrap_or(NONE);
        while c != NONE {
            self.step();
            let around = self.around(block, facts);
            if let Some(parent) = self.parents.get_mut(c as usize) {
                *parent = around.any;
            }
            if let Some(outer) = self.outer_loops.get_mut(c as usize) {
                *outer = around.in_loop;
            }
            // Nothing is in a construct whose merge block dominates its header block.
            let merge = facts.declaration(ConstructIdx(c)).and_then(|d| d.merge);
            if !merge.is_some_and(|merge| facts.dominates(merge, block)) {
                self.all.append(c, facts.constructs().len() as u32);
                if let Some(ring) = self.ring(c, facts) {
                    self.breakable.append(c, ring);
                }
                self.set_inside(c, true);
                self.undo.push(Undo { construct: c, entered: true, end });
            }
            c = self.next.get(c as usize).map_or(NONE, |n| n.0);
        }
        let around = self.around(block, facts);
        if let Some(slot) = self.blocks.get_mut(block.index()) {
            *slot = around;
        }
    }

    /// What is around the block, by the lists as they are.
    fn around(&mut self, block: BlockIdx, facts: &Structured) -> Around {
        let len = facts.constructs().len() as u32;
        let mut any = self.all.prev(len);
        // A loop and its continue construct have the block between them, so one step or two find it.
        while any != len && !facts.contains_within(ConstructIdx(any), block) {
            self.step();
            any = self.all.prev(any);
        }
        let mut in_loop = self.breakable.prev(len);
        if in_loop != len && !facts.contains_within(ConstructIdx(in_loop), block) {
            in_loop = self.outer_loops.get(in_loop as usize).copied().unwrap_or(NONE);
        }
        let in_switch = self.breakable.prev(len + 1);
        let known = |c| if c < len { c } else { NONE };
        Around { any: known(any), in_loop: known(in_loop), in_switch: known(in_switch) }
    }

    fn at(&self, block: BlockIdx) -> Around {
        self.blocks.get(block.index()).copied().unwrap_or(NOWHERE)
    }

    pub(crate) fn innermost(&self, block: BlockIdx) -> Option<ConstructIdx> {
        ConstructIdx::some(self.at(block).any)
    }

    pub(crate) fn innermost_loop(&self, block: BlockIdx) -> Option<ConstructIdx> {
        ConstructIdx::some(self.at(block).in_loop)
    }

    pub(crate) fn innermost_switch(&self, block: BlockIdx) -> Option<ConstructIdx> {
        ConstructIdx::some(self.at(block).in_switch)
    }

    pub(crate) fn parent(&self, construct: ConstructIdx) -> Option<ConstructIdx> {
        ConstructIdx::some(self.parents.get(construct.0 as usize).copied().unwrap_or(NONE))
    }

    #[inline]
    fn step(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }

    #[cfg(test)]
    pub(crate) fn take_steps(&mut self) -> u64 {
        core::mem::take(&mut self.steps)
    }
}
