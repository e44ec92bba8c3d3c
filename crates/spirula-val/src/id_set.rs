use alloc::vec::Vec;

use spirula_binary::Id;
use spirula_module::IdTable;

/// A set of ids, which is mostly empty and then costs nothing.
#[derive(Debug, Default)]
pub(crate) struct IdSet {
    any: bool,
    bits: Vec<u64>,
}

impl IdSet {
    pub(crate) fn clear(&mut self) {
        self.any = false;
        self.bits.clear();
    }

    pub(crate) fn is_empty(&self) -> bool {
        !self.any
    }

    #[cold]
    pub(crate) fn insert(&mut self, id: Id, ids: &IdTable) {
        let Some(slot) = ids.slot(id) else { return };
        self.bits.resize(self.bits.len().max(ids.slot_count().div_ceil(64)), 0);
        self.bits[slot / 64] |= 1 << (slot % 64);
        self.any = true;
    }

    /// Adds the ids of a set of the same module.
    pub(crate) fn add(&mut self, other: &IdSet) {
        if !other.any {
            return;
        }
        self.bits.resize(self.bits.len().max(other.bits.len()), 0);
        self.bits.iter_mut().zip(&other.bits).for_each(|(to, from)| *to |= from);
        self.any = true;
    }

    #[inline]
    pub(crate) fn contains(&self, id: Id, ids: &IdTable) -> bool {
        self.any && self.find(id, ids)
    }

    #[cold]
    fn find(&self, id: Id, ids: &IdTable) -> bool {
        ids.slot(id).and_then(|s| Some(self.bits.get(s / 64)? >> (s % 64) & 1 != 0)).unwrap_or(false)
    }
}
