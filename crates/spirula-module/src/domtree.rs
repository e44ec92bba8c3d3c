//! Dominance (§2.2.5).

use alloc::vec::Vec;

use crate::cfg::{BlockIdx, Cfg, Edges, NONE};

/// One block's place in the tree. Intervals are half-open.
#[derive(Clone, Copy, Debug)]
struct Node {
    /// Position in a preorder walk of the dominator tree; [`NONE`] for unreachable blocks.
    pre: u32,
    /// Where the block's subtree ends in that walk.
    end: u32,
    /// The same two for the depth-first search.
    dfs: u32,
    dfs_end: u32,
    idom: u32,
}

const UNREACHED: Node = Node { pre: NONE, end: 0, dfs: NONE, dfs_end: 0, idom: NONE };

/// Reachability from the entry block and dominance over the branch edges of a function, or over any other [`Edges`].
///
/// Lengauer and Tarjan's algorithm with path compression: O(edges · log blocks) on every graph, without recursion.
/// Kept between functions, it allocates only when one is larger than all before.
#[derive(Clone, Debug, Default)]
pub struct DomTree {
    nodes: Vec<Node>,
    dfs_order: Vec<BlockIdx>,
    dom_order: Vec<BlockIdx>,
    work: Work,
}

/// Tables by position in the depth-first search.
#[derive(Clone, Debug, Default)]
struct Work {
    verts: Vec<Vert>,
    /// Blocks on the way to the one being visited.
    visiting: Vec<Visit>,
    path: Vec<u32>,
    #[cfg(test)]
    steps: u64,
}

/// A block being visited, and which of the edges are still to be followed from it.
#[derive(Clone, Copy, Debug)]
struct Visit {
    block: BlockIdx,
    dfs: u32,
    next: u32,
    end: u32,
}

#[derive(Clone, Copy, Debug)]
struct Vert {
    /// The parent in the search; once the vertex is linked, an ancestor in the forest of the linked ones.
    ancestor: u32,
    /// Vertex of least semi-dominator on the path to the ancestor, and that semi-dominator.
    best: u32,
    best_semi: u32,
    semi: u32,
    idom: u32,
    /// First of the vertices whose semi-dominator this is, and the next with the same one.
    bucket: u32,
    next: u32,
    /// Size of the subtree in the dominator tree.
    size: u32,
}

impl DomTree {
    /// An empty tree.
    pub fn new() -> DomTree {
        DomTree::default()
    }

    /// Becomes the dominator tree of `cfg` over its branch edges.
    pub fn build(&mut self, cfg: &Cfg) {
        self.build_over(cfg.len(), BlockIdx::ENTRY, cfg.branch_edges(), cfg.reversed_branch_edges());
    }

    /// Becomes the dominator tree of the blocks below `len` that `edges` lead to from `root`. `reversed` are the same
    /// edges turned round. Edges to and from other blocks are left out.
    pub(crate) fn build_over(&mut self, len: u32, root: BlockIdx, edges: &Edges, reversed: &Edges) {
        self.nodes.clear();
        self.nodes.resize(len as usize, UNREACHED);
        self.dfs_order.clear();
        self.dom_order.clear();
        self.work.verts.clear();
        if root.0 >= len {
            return;
        }
        self.dfs_order.reserve(len as usize);
        self.work.verts.reserve(len as usize);
        self.search(root, edges);
        if len > 1 {
            self.find_dominators(reversed);
        }
        self.number();
    }

    /// Enters a block that has not been visited.
    fn visit(&mut self, block: BlockIdx, parent: u32, edges: &Edges) -> Visit {
        let dfs = self.dfs_order.len() as u32;
        if let Some(node) = self.nodes.get_mut(block.index()) {
            node.dfs = dfs;
        }
        self.dfs_order.push(block);
        let (best, semi) = (dfs, dfs);
        let vert =
            Vert { ancestor: parent, best, best_semi: semi, semi, idom: NONE, bucket: NONE, next: NONE, size: 1 };
        self.work.verts.push(vert);
        let (next, end) = edges.range(block);
        Visit { block, dfs, next, end }
    }

    fn search(&mut self, root: BlockIdx, edges: &Edges) {
        self.work.visiting.clear();
        let mut at = self.visit(root, NONE, edges);
        loop {
            self.work.step();
            let Some(to) = edges.to_in(at.next, at.end) else {
                let dfs_end = self.dfs_order.len() as u32;
                if let Some(node) = self.nodes.get_mut(at.block.index()) {
                    node.dfs_end = dfs_end;
                }
                match self.work.visiting.pop() {
                    Some(before) => at = before,
                    None => return,
                }
                continue;
            };
            at.next += 1;
            if self.nodes.get(to.index()).is_some_and(|n| n.dfs == NONE) {
                self.work.visiting.push(at);
                at = self.visit(to, at.dfs, edges);
            }
        }
    }

    fn find_dominators(&mut self, reversed: &Edges) {
        for w in (1..self.dfs_order.len() as u32).rev() {
            let parent = self.work.verts[w as usize].ancestor;
            let semi = match reversed.of(self.dfs_order[w as usize]) {
                [_] => parent,
                preds => self.semi_dominator(w, parent, preds),
            };
            let listed = semi != parent;
            let next = if listed { core::mem::replace(&mut self.work.verts[semi as usize].bucket, w) } else { NONE };
            let vert = &mut self.work.verts[w as usize];
            (vert.semi, vert.best_semi, vert.next) = (semi, semi, next);
            if !listed {
                vert.idom = parent;
            }
            // From here on `w` is linked.
            let mut v = core::mem::replace(&mut self.work.verts[parent as usize].bucket, NONE);
            while v != NONE {
                let (u, least) = self.work.eval(v, w);
                let vert = &mut self.work.verts[v as usize];
                vert.idom = if least < vert.semi { u } else { parent };
                v = vert.next;
            }
        }
        let verts = &mut self.work.verts;
        for w in 1..verts.len() {
            let Vert { idom, semi, .. } = verts[w];
            if idom != semi {
                verts[w].idom = verts[idom as usize].idom;
            }
        }
    }

    fn semi_dominator(&mut self, w: u32, parent: u32, preds: &[BlockIdx]) -> u32 {
        let mut semi = parent;
        for from in preds {
            let from = self.nodes.get(from.index()).map_or(NONE, |n| n.dfs);
            self.work.step();
            // What comes before in the search is not linked yet, and is its own candidate.
            let candidate = if from <= w || from == NONE { from } else { self.work.eval(from, w + 1).1 };
            semi = semi.min(candidate);
        }
        semi
    }

    /// Numbers the dominator tree. A dominator comes before what it dominates in the search, so no walk is needed.
    fn number(&mut self) {
        let verts = &mut self.work.verts;
        for w in (1..verts.len()).rev() {
            let Vert { idom, size, .. } = verts[w];
            verts[idom as usize].size += size;
        }
        self.dom_order.resize(verts.len(), BlockIdx(0));
        for w in 0..verts.len() {
            let Vert { idom, size, .. } = verts[w];
            // `bucket`, empty by now, is the position that the vertex's next child takes.
            let pre = match verts.get_mut(idom as usize) {
                Some(dominator) => {
                    dominator.bucket += size;
                    dominator.bucket - size
                }
                None => 0,
            };
            verts[w].bucket = pre + 1;
            let block = self.dfs_order[w];
            self.dom_order[pre as usize] = block;
            let idom = self.dfs_order.get(idom as usize).map_or(NONE, |b| b.0);
            if let Some(node) = self.nodes.get_mut(block.index()) {
                (node.pre, node.end, node.idom) = (pre, pre + size, idom);
            }
        }
    }

    #[inline]
    fn node(&self, block: BlockIdx) -> Node {
        self.nodes.get(block.index()).copied().unwrap_or(UNREACHED)
    }

    /// Whether edges lead from the entry block to the block.
    #[inline]
    pub fn is_reachable(&self, block: BlockIdx) -> bool {
        self.node(block).pre != NONE
    }

    /// Whether every path from the entry block to `b` includes `a`. As the definition has it, everything dominates
    /// an unreachable block, and an unreachable block dominates no reachable one.
    #[inline]
    pub fn dominates(&self, a: BlockIdx, b: BlockIdx) -> bool {
        let (a, b) = (self.node(a), self.node(b).pre);
        b == NONE || (a.pre <= b && b < a.end)
    }

    /// Whether `a` dominates `b` and they are different blocks.
    #[inline]
    pub fn strictly_dominates(&self, a: BlockIdx, b: BlockIdx) -> bool {
        a != b && self.dominates(a, b)
    }

    /// The strict dominator of the block that every other one dominates; `None` for the entry block and unreachable ones.
    #[inline]
    pub fn immediate_dominator(&self, block: BlockIdx) -> Option<BlockIdx> {
        BlockIdx::some(self.node(block).idom)
    }

    /// The reachable blocks so that every block is followed by all that it dominates.
    pub fn preorder(&self) -> &[BlockIdx] {
        &self.dom_order
    }

    /// Position in [`preorder`](Self::preorder) of the block and of what follows the blocks it dominates; an empty range
    /// for unreachable blocks.
    pub fn interval(&self, block: BlockIdx) -> core::ops::Range<u32> {
        let node = self.node(block);
        if node.pre == NONE { 0..0 } else { node.pre..node.end }
    }

    /// Whether `a` is `b` or an ancestor of it in the depth-first search that went along the edges in order.
    #[inline]
    pub fn is_search_ancestor(&self, a: BlockIdx, b: BlockIdx) -> bool {
        let (a, b) = (self.node(a), self.node(b).dfs);
        b != NONE && a.dfs <= b && b < a.dfs_end
    }

    #[cfg(test)]
    pub(crate) fn take_steps(&mut self) -> u64 {
        core::mem::take(&mut self.work.steps)
    }
}

impl Work {
    #[inline]
    fn step(&mut self) {
        #[cfg(test)]
        {
            self.steps += 1;
        }
    }

    /// Vertex of least semi-dominator on the path from `v` to the root of its tree in the forest, that root left out, and
    /// that semi-dominator. The vertices from `linked` on, of which `v` is one, are linked to their ancestors.
    fn eval(&mut self, v: u32, linked: u32) -> (u32, u32) {
        self.path.clear();
        let (mut x, mut up) = (v, self.verts[v as usize].ancestor);
        while up >= linked {
            self.path.push(x);
            x = up;
            up = self.verts[x as usize].ancestor;
        }
        let Vert { mut best, mut best_semi, ancestor, .. } = self.verts[x as usize];
        while let Some(x) = self.path.pop() {
            self.step();
            let vert = &mut self.verts[x as usize];
            vert.ancestor = ancestor;
            if best_semi < vert.best_semi {
                (vert.best, vert.best_semi) = (best, best_semi);
            } else {
                (best, best_semi) = (vert.best, vert.best_semi);
            }
        }
        (best, best_semi)
    }
}
