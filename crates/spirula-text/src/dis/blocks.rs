//! The order and depth of a function's blocks.

use std::collections::HashMap;

use spirula_binary::{Frames, Inst, Operands};
use spirula_grammar::{Category, Op};

use super::ids::LiteralTypes;

/// One block: its words, and how deep it is nested.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Block {
    /// First word of its `OpLabel`.
    pub(crate) start: u32,
    /// Behind its last word.
    pub(crate) end: u32,
    /// Depth in half levels: what is nested in a construct is two deeper than its header, the continue target of a loop
    /// one.
    pub(crate) depth: u32,
}

/// The blocks of one function body in the order of the module, with the edges between them.
struct Graph {
    blocks: Vec<Block>,
    edges: Vec<Edges>,
    targets: Vec<usize>,
}

/// Where control goes from a block: positions of blocks.
#[derive(Clone, Copy, Default, Debug)]
struct Edges {
    merge: Option<usize>,
    continue_target: Option<usize>,
    first: usize,
    count: usize,
    /// Whether the branch has a condition.
    divides: bool,
}

/// Cuts the body between words `start` (of the first `OpLabel`) and `end` into blocks; reordered as constructs nest if
/// `reorder`, else in the order of the module.
pub(crate) fn arrange(words: &[u32], start: u32, end: u32, types: &LiteralTypes, reorder: bool) -> Vec<Block> {
    let mut graph = Graph::of(words, start, end, types);
    let order = graph.order();
    graph.set_depths(&order);
    if !reorder {
        return graph.blocks;
    }
    order.iter().filter_map(|i| graph.blocks.get(*i)).copied().collect()
}

impl Graph {
    fn of(words: &[u32], start: u32, end: u32, types: &LiteralTypes) -> Graph {
        let mut graph = Graph { blocks: Vec::new(), edges: Vec::new(), targets: Vec::new() };
        let body = || Frames::from(words, start).map_while(Result::ok).take_while(|i| i.offset() < end);
        let mut by_label = HashMap::new();
        for inst in body().filter(|i| i.op() == Op::Label) {
            by_label.entry(inst.word(1)).or_insert(graph.blocks.len());
            graph.blocks.push(Block { start: inst.offset(), end, depth: 0 });
            graph.edges.push(Edges::default());
        }
        let starts: Vec<u32> = graph.blocks.iter().skip(1).map(|b| b.start).collect();
        graph.blocks.iter_mut().zip(starts).for_each(|(b, next)| b.end = next);
        let mut block = 0usize;
        for inst in body() {
            match inst.op() {
                Op::Label => block += 1,
                _ => graph.edges_of(block.saturating_sub(1), inst, &by_label, types),
            }
        }
        graph
    }

    fn edges_of(&mut self, block: usize, inst: Inst<'_>, by_label: &HashMap<u32, usize>, types: &LiteralTypes) {
        let Some(edges) = self.edges.get_mut(block) else { return };
        let target = |i: usize| by_label.get(&inst.word(i)).copied();
        let first = self.targets.len();
        match inst.op() {
            Op::SelectionMerge => return edges.merge = target(1),
            Op::LoopMerge => {
                edges.merge = target(1);
                edges.continue_target = target(2);
                return;
            }
            Op::Branch => self.targets.extend(target(1)),
            Op::BranchConditional => self.targets.extend([2, 3].into_iter().filter_map(target)),
            Op::Switch => {
                let ids = Operands::new(inst, types).map_while(Result::ok);
                let labels = ids.filter(|o| o.kind.category() == Category::Id).skip(1);
                self.targets.extend(labels.filter_map(|o| by_label.get(&o.word()).copied()));
            }
            _ => return,
        }
        (edges.first, edges.count) = (first, self.targets.len() - first);
        edges.divides = inst.op() != Op::Branch;
    }

    fn targets(&self, edges: Edges) -> &[usize] {
        self.targets.get(edges.first..edges.first + edges.count).unwrap_or(&[])
    }

    /// Blocks in reverse postorder: a header, what it nests with the first branch first, the continue target, the merge
    /// block. What cannot be reached comes last.
    fn order(&self) -> Vec<usize> {
        let mut postorder = Vec::with_capacity(self.blocks.len());
        let mut visited = vec![false; self.blocks.len()];
        let mut stack: Vec<(usize, bool)> = Vec::new();
        let roots = 0..self.blocks.len();
        let mut ends = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((block, done)) = stack.pop() {
                if done {
                    postorder.push(block);
                    continue;
                }
                if visited.get(block).copied().unwrap_or(true) {
                    continue;
                }
                visited[block] = true;
                let edges = self.edges.get(block).copied().unwrap_or_default();
                stack.push((block, true));
                // The last one pushed is visited first and so comes last.
                stack.extend(self.targets(edges).iter().map(|t| (*t, false)));
                stack.extend(edges.continue_target.map(|t| (t, false)));
                stack.extend(edges.merge.map(|t| (t, false)));
            }
            ends.push(postorder.len());
        }
        // One tree after the other, each in reverse postorder.
        let mut order = Vec::with_capacity(postorder.len());
        let mut from = 0;
        for end in ends {
            order.extend(postorder.get(from..end).unwrap_or(&[]).iter().rev());
            from = end;
        }
        order
    }

    fn set_depths(&mut self, order: &[usize]) {
        let mut depths: Vec<Option<u32>> = vec![None; self.blocks.len()];
        for block in order.iter().copied() {
            let depth = *depths[block].get_or_insert(0);
            let edges = self.edges.get(block).copied().unwrap_or_default();
            let mut set = |target: usize, depth: u32| {
                if let Some(d) = depths.get_mut(target) {
                    d.get_or_insert(depth);
                }
            };
            if let Some(merge) = edges.merge {
                set(merge, depth);
            }
            if let Some(target) = edges.continue_target {
                set(target, depth + 1);
            }
            let inner = if edges.merge.is_some() || edges.divides { depth + 2 } else { depth };
            for target in self.targets(edges) {
                set(*target, inner);
            }
        }
        self.blocks.iter_mut().zip(depths).for_each(|(b, d)| b.depth = d.unwrap_or(0));
    }
}
