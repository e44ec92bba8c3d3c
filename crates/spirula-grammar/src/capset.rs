use crate::Capability;
use crate::generated::caps::{CAPABILITY_COUNT, IMPLIED};

const WORDS: usize = CAPABILITY_COUNT.div_ceil(64);

/// A set of the capabilities that the grammar knows, as a dense bit set.
///
/// Unknown capabilities cannot be members; [`CapSet::insert`] says so by returning `false`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CapSet([u64; WORDS]);

impl CapSet {
    /// The set without members.
    pub const EMPTY: CapSet = CapSet([0; WORDS]);

    pub(crate) const fn of(dense: &[u16]) -> CapSet {
        let mut words = [0; WORDS];
        let mut i = 0;
        while i < dense.len() {
            words[dense[i] as usize / 64] |= 1 << (dense[i] % 64);
            i += 1;
        }
        CapSet(words)
    }

    /// Adds `cap` alone. Returns whether the grammar knows it.
    pub fn insert(&mut self, cap: Capability) -> bool {
        match cap.dense_index() {
            Some(i) => {
                self.0[i / 64] |= 1 << (i % 64);
                true
            }
            None => false,
        }
    }

    /// Adds `cap` and every capability it implies, transitively (§3.2.30, "Implicitly Declares").
    /// Returns whether the grammar knows it.
    pub fn declare(&mut self, cap: Capability) -> bool {
        match cap.dense_index() {
            Some(i) => {
                self.union(&IMPLIED[i]);
                true
            }
            None => false,
        }
    }

    /// Adds all members of `other`.
    pub fn union(&mut self, other: &CapSet) {
        for (a, b) in self.0.iter_mut().zip(other.0) {
            *a |= b;
        }
    }

    /// Removes `cap` if present.
    pub fn remove(&mut self, cap: Capability) {
        if let Some(i) = cap.dense_index() {
            self.0[i / 64] &= !(1 << (i % 64));
        }
    }

    /// Whether `cap` is a member.
    #[inline]
    pub fn contains(&self, cap: Capability) -> bool {
        cap.dense_index().is_some_and(|i| self.0[i / 64] >> (i % 64) & 1 != 0)
    }

    /// Whether the two sets share a member: "one of these is declared".
    #[inline]
    pub fn intersects(&self, other: &CapSet) -> bool {
        self.0.iter().zip(other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether the set has no members.
    pub fn is_empty(&self) -> bool {
        *self == CapSet::EMPTY
    }

    /// The members in ascending order of their value.
    pub fn iter(&self) -> impl Iterator<Item = Capability> + '_ {
        (0..CAPABILITY_COUNT).filter(|i| self.0[i / 64] >> (i % 64) & 1 != 0).filter_map(|i| Capability::all().nth(i))
    }
}
