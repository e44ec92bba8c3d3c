//! Which functions use what is defined outside of functions.

use alloc::vec;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, Operands};
use spirula_grammar::{Category, Op};

use crate::Module;

/// A function uses an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Use {
    /// The id.
    pub id: Id,
    /// Index of the function.
    pub function: u32,
    /// Word offset of the first instruction of the function that uses the id.
    pub at: u32,
}

impl Module<'_> {
    /// For each of the ids and each function that uses it, its first use, in order of the functions. Debug information
    /// and other instructions without semantics do not count.
    pub fn uses_of(&self, ids: impl Iterator<Item = Id>) -> Vec<Use> {
        let mut last = vec![UNWANTED; 0];
        for slot in ids.filter_map(|id| self.ids().slot(id)) {
            if last.is_empty() {
                last.resize(self.ids().slot_count(), UNWANTED);
            }
            if let Some(l) = last.get_mut(slot) {
                *l = NOT_YET;
            }
        }
        let mut uses = Vec::new();
        if last.is_empty() {
            return uses;
        }
        for (index, function) in self.functions().iter().enumerate() {
            let index = index as u32;
            for inst in self.insts(function.body_words()) {
                // The words tell quickly that nearly all instructions use none; only then the operands are decoded.
                let candidate = inst.tail(1).iter().any(|w| {
                    let l = self.ids().slot(Id(*w)).and_then(|s| last.get(s)).copied().unwrap_or(UNWANTED);
                    l != UNWANTED && l != index
                });
                if candidate {
                    self.collect(inst, index, &mut last, &mut uses);
                }
            }
        }
        uses
    }

    #[cold]
    fn collect(&self, inst: Inst<'_>, function: u32, last: &mut [u32], uses: &mut Vec<Use>) {
        if inst.op() == Op::ExtInst && self.info(inst.id(3)).is_non_semantic() {
            return;
        }
        for operand in Operands::new(inst, self).map_while(Result::ok) {
            if operand.kind.category() != Category::Id {
                continue;
            }
            let id = Id(operand.word());
            if let Some(l) = self.ids().slot(id).and_then(|s| last.get_mut(s))
                && *l != UNWANTED
                && *l != function
            {
                *l = function;
                uses.push(Use { id, function, at: inst.offset() });
            }
        }
    }
}

const UNWANTED: u32 = u32::MAX;
const NOT_YET: u32 = u32::MAX - 1;
