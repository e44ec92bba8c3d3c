use alloc::vec::Vec;

use spirula_binary::Id;
use spirula_grammar::{Capability, Op};
use spirula_module::{BlockIdx, Cfg, DomTree, Function, Module, Structured, Use};

use crate::id_set::IdSet;
use crate::rules::reach::Later;

/// Control flow of the function being walked. Reused from function to function.
#[derive(Debug, Default)]
pub(crate) struct Flow {
    /// Blocks and branch edges.
    pub(crate) cfg: Cfg,
    /// Dominance by branch edges (§2.2.5): see [`dominators`](Self::dominators).
    dom: DomTree,
    has_dom: bool,
    /// Structured control flow (§2.11), where its rules apply and there is more than one block.
    pub(crate) structured: Structured,
    pub(crate) is_structured: bool,
    /// Pointers to PhysicalStorageBuffer that lead to a matrix or into one.
    pub(crate) into_matrix: IdSet,
    /// What is judged when the module ends.
    pub(crate) later: Vec<Later>,
    /// By row of the grammar, as bits: the opcodes whose needs the module is known to meet.
    pub(crate) met: [u64; Op::COUNT.div_ceil(64)],
    /// Which functions use which traced ids; whole when the module has been walked.
    pub(crate) uses: Uses,
}

/// For each traced id (a variable outside of functions, or a constant that is a built-in) and each function that uses it,
/// its first use, in order.
#[derive(Debug, Default)]
pub(crate) struct Uses {
    pub(crate) list: Vec<Use>,
    /// By position among the traced: index of the function that used it last, plus 1.
    last: Vec<u32>,
}

impl Uses {
    /// Prepares for a module.
    pub(crate) fn reset(&mut self) {
        self.list.clear();
        self.last.clear();
    }

    /// Takes a use.
    pub(crate) fn record(&mut self, m: &Module<'_>, id: Id, function: u32, at: u32) {
        if self.last.is_empty() {
            self.last.resize(m.traced_count(), 0);
        }
        if let Some(last) = m.info(id).traced().and_then(|at| self.last.get_mut(at))
            && *last != function + 1
        {
            *last = function + 1;
            self.list.push(Use { id, function, at });
        }
    }
}

impl Flow {
    /// Prepares for a module.
    pub(crate) fn reset(&mut self) {
        self.met.fill(0);
        self.into_matrix.clear();
        self.later.clear();
        self.uses.reset();
    }

    /// Prepares for a function.
    pub(crate) fn enter(&mut self, m: &Module<'_>, function: &Function) {
        self.cfg.build_function(m, function);
        self.has_dom = false;
        self.is_structured = self.cfg.len() > 1 && m.has(Capability::Shader);
        if self.is_structured {
            self.structured.build(m.words(), &self.cfg);
        }
    }

    /// Dominance by branch edges, found when it is first asked for.
    pub(crate) fn dominators(&mut self) -> &DomTree {
        if !self.has_dom {
            self.dom.build(&self.cfg);
            self.has_dom = true;
        }
        &self.dom
    }

    /// Whether the block at position `a` dominates the one at `b`. Positions are those in the function.
    #[inline]
    pub(crate) fn dominates(&mut self, a: u32, b: u32) -> bool {
        let (from, to) = (BlockIdx(a), BlockIdx(b));
        // The entry block dominates all. What dominates structurally does so over the branch edges, which are fewer.
        a == b
            || a == 0
            || (self.is_structured && self.dominates_structurally(from, to))
            || self.dominators().dominates(from, to)
    }

    /// Whether structural dominance tells already that `from` dominates `to`: because it dominates a block that every path
    /// to `to` comes through, or all that branch to one.
    fn dominates_structurally(&self, from: BlockIdx, to: BlockIdx) -> bool {
        let mut at = to;
        // The way from a Continue Target, which the loop's header leads to, back to the body is mostly as short.
        for _ in 0..8 {
            if self.structured.dominates(from, at) {
                return true;
            }
            match self.cfg.predecessors(at) {
                _ if at == BlockIdx::ENTRY => return false,
                [before] => at = *before,
                several => return several.len() <= 8 && several.iter().all(|p| self.structured.dominates(from, *p)),
            }
        }
        false
    }

    /// The block that a label starts, in this function.
    pub(crate) fn block_of(&self, label: Id) -> Option<BlockIdx> {
        self.cfg.block_of(label)
    }
}
