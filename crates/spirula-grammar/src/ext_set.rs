//! Extended instruction sets.

use crate::desc::ExtInstDesc;
use crate::generated::extinst::{EXT_INST_RANGES, EXT_SET_NAMES};
use crate::text::EXT_INSTS;

pub use crate::generated::extinst::ExtSet;

impl ExtSet {
    /// Start of the names of sets whose instructions have no semantic effect (SPV_KHR_non_semantic_info).
    pub const NON_SEMANTIC: &str = "NonSemantic.";

    /// The set that an `OpExtInstImport` with this name brings. Sets whose name ends in a revision number
    /// (`NonSemantic.ClspvReflection.5`) are found whatever the revision. `None` for sets that the grammar lacks.
    pub fn from_name(name: &[u8]) -> Option<ExtSet> {
        EXT_SET_NAMES
            .iter()
            .find(|(n, prefix, _)| if *prefix { name.starts_with(n.as_bytes()) } else { name == n.as_bytes() })
            .map(|e| e.2)
    }

    /// The name with which it is imported, without revision.
    pub fn name(self) -> &'static str {
        EXT_SET_NAMES[self as usize].0
    }

    /// Its instructions in ascending order of number.
    pub fn instructions(self) -> &'static [ExtInstDesc] {
        let (first, count) = EXT_INST_RANGES[self as usize];
        &EXT_INSTS[first as usize..first as usize + count as usize]
    }

    /// The instruction with this number.
    #[inline]
    pub fn instruction(self, number: u32) -> Option<&'static ExtInstDesc> {
        let all = self.instructions();
        // Sets number their instructions from 0 or 1 without gaps, and what was added later from 100 on.
        let (first, last) = (all.first()?.number, all.last()?.number);
        let found = |at: usize| all.get(at).filter(|e| e.number == number);
        found(number.wrapping_sub(first) as usize)
            .or_else(|| found((all.len() - 1).wrapping_sub(last.wrapping_sub(number) as usize)))
            .or_else(|| all.binary_search_by_key(&number, |e| e.number).ok().map(|i| &all[i]))
    }

    /// The instruction with this name.
    #[inline]
    pub fn instruction_by_name(self, name: impl AsRef<[u8]>) -> Option<&'static ExtInstDesc> {
        crate::names::ext_inst(self as usize, name.as_ref()).map(|i| &EXT_INSTS[i])
    }

    /// Whether instructions of the set have no semantic effect (its name starts with [`NON_SEMANTIC`](Self::NON_SEMANTIC)).
    #[inline]
    pub const fn is_non_semantic(self) -> bool {
        NON_SEMANTIC_SETS >> self as u32 & 1 != 0
    }
}

/// Bit `i` tells whether the name of set `i` says that its instructions have no semantic effect.
const NON_SEMANTIC_SETS: u32 = {
    let (mut all, mut set) = (0, 0);
    while set < EXT_SET_NAMES.len() {
        let name = EXT_SET_NAMES[set].0.as_bytes();
        let (prefix, mut i) = (ExtSet::NON_SEMANTIC.as_bytes(), 0);
        while i < prefix.len() && i < name.len() && name[i] == prefix[i] {
            i += 1;
        }
        if i == prefix.len() {
            all |= 1 << EXT_SET_NAMES[set].2 as u32;
        }
        set += 1;
    }
    all
};
