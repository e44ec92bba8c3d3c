//! The table of ids.

use alloc::vec;
use alloc::vec::Vec;

use spirula_binary::Id;
use spirula_grammar::{ExtSet, Op};

use crate::TypeKey;

/// What is known of an id.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct IdInfo {
    /// Word offset of the defining instruction; 0 where the id is not defined.
    pub def: u32,
    /// Result type; `%0` where the defining instruction has none.
    pub ty: Id,
    /// Opcode of the defining instruction.
    pub op: Op,
    pub(crate) flags: u16,
    /// Types: their key. Imports: the set plus 1. Functions: their index. Traced: their position among the traced. In a
    /// function body: the block's position, plus 1.
    pub(crate) extra: u32,
}

pub(crate) const TYPE: u16 = 1;
pub(crate) const CONSTANT: u16 = 2;
pub(crate) const LOCAL: u16 = 4;
pub(crate) const TRACED: u16 = 8;
pub(crate) const LIMITED: u16 = 16;

impl IdInfo {
    /// Whether the defining instruction declares a type.
    #[inline]
    pub fn is_type(&self) -> bool {
        self.flags & TYPE != 0
    }

    /// Whether the defining instruction is a constant instruction (§3.3.7), specialisation constants included.
    #[inline]
    pub fn is_constant(&self) -> bool {
        self.flags & CONSTANT != 0
    }

    /// Whether the defining instruction is a specialisation-constant instruction.
    pub fn is_spec_constant(&self) -> bool {
        matches!(
            self.op,
            Op::SpecConstantTrue
                | Op::SpecConstantFalse
                | Op::SpecConstant
                | Op::SpecConstantComposite
                | Op::SpecConstantOp
                | Op::SpecConstantCompositeReplicateEXT
                | Op::SpecConstantStringAMDX
                | Op::SpecConstantDataKHR
        )
    }

    /// Whether it is defined within a function: a parameter, a label, or in a block.
    #[inline]
    pub fn is_local(&self) -> bool {
        self.flags & LOCAL != 0
    }

    /// Whether it is a variable outside of functions, or a constant decorated `BuiltIn`: it matters which functions use
    /// those.
    #[inline]
    pub fn is_traced(&self) -> bool {
        self.flags & TRACED != 0
    }

    /// For what is traced: its position among the traced, in no particular order.
    #[inline]
    pub fn traced(&self) -> Option<usize> {
        self.is_traced().then_some(self.extra as usize)
    }

    /// Whether it is a function, or the result of an `OpExtInst` or `OpSampledImage` in a block: who may use those is
    /// limited.
    #[inline]
    pub fn is_limited(&self) -> bool {
        self.flags & LIMITED != 0
    }

    /// Whether it can be used by whatever stands behind it in the block with position `block_plus_one - 1` of the function
    /// that starts at word `function`, without another question: defined there, by a parameter or in the entry block, or
    /// outside of functions and not traced.
    #[inline]
    pub fn is_at_hand(&self, function: u32, block_plus_one: u32) -> bool {
        match self.flags & (LOCAL | TRACED | LIMITED) {
            0 => true,
            // Parameters, and what the entry block defines, reach every block.
            LOCAL => (self.extra == block_plus_one || self.extra <= 1) && self.def > function,
            _ => false,
        }
    }

    /// Whether it is local to the function that starts at word `function`, or to a later one, and nothing limits who may use
    /// it there.
    #[inline]
    pub fn is_plain_local(&self, function: u32) -> bool {
        self.flags & (LOCAL | LIMITED) == LOCAL && self.def > function
    }

    /// For what is defined within a block (or is a label): the position of the block in its function, from 0.
    /// `None` for parameters and for everything outside of functions.
    #[inline]
    pub fn block(&self) -> Option<u32> {
        if self.is_local() { self.extra.checked_sub(1) } else { None }
    }

    /// For an `OpFunction`: the function's index.
    #[inline]
    pub fn function(&self) -> Option<usize> {
        (self.op == Op::Function).then_some(self.extra as usize)
    }
    /// Whether an instruction defines the id.
    #[inline]
    pub fn is_defined(&self) -> bool {
        self.def != 0
    }

    /// The set that an `OpExtInstImport` brings, where the grammar knows it.
    #[inline]
    pub fn ext_set(&self) -> Option<ExtSet> {
        if self.op == Op::ExtInstImport {
            ExtSet::ALL.get((self.extra as usize).wrapping_sub(1)).copied()
        } else {
            None
        }
    }

    /// Whether it is an `OpExtInstImport` of a set without semantics, as its name says: `NonSemantic.…`, known to the grammar
    /// or not (SPV_KHR_non_semantic_info).
    #[inline]
    pub fn is_non_semantic(&self) -> bool {
        self.op == Op::ExtInstImport
            && match self.ext_set() {
                Some(set) => set.is_non_semantic(),
                None => self.extra == UNKNOWN_NON_SEMANTIC,
            }
    }
}

/// In `extra`, a set that the grammar does not know, but whose name says that it has no semantics.
pub(crate) const UNKNOWN_NON_SEMANTIC: u32 = u32::MAX;

/// A slot of the table: [`IdInfo`] as plain numbers, of which [`zeros`] can be had untouched.
type Slot = (u32, u32, u16, u16, u32);

impl IdInfo {
    #[inline]
    fn pack(self) -> Slot {
        (self.def, self.ty.0, self.op.0, self.flags, self.extra)
    }

    #[inline]
    fn unpack(&(def, ty, op, flags, extra): &Slot) -> IdInfo {
        IdInfo { def, ty: Id(ty), op: Op(op), flags, extra }
    }
}

/// A table of `len` zeros in a reused vector. Large pieces of new memory come from the system as zeros: those are not
/// written, and what no one asks for never takes any room.
pub fn zeros<T: Clone>(table: &mut Vec<T>, len: usize, zero: T) {
    if table.capacity() < len {
        *table = vec![zero; len.max(2 * table.capacity())];
        table.truncate(len);
    } else {
        table.clear();
        table.resize(len, zero);
    }
}

/// Information by id.
///
/// The header's bound is trusted only up to a small multiple of the module's size. Ids beyond are found through a sorted
/// list of those that are really defined, so that a huge bound costs nothing.
#[derive(Clone, Debug, Default)]
pub struct IdTable {
    dense: Vec<Slot>,
    /// Defined ids for which `dense` is too short, sorted.
    sparse: Vec<(u32, Slot)>,
}

/// Ids below this are always kept in the dense part, whatever the module's size.
const ALWAYS_DENSE: usize = 1 << 14;

impl IdTable {
    /// Empties the table for a module of `words` words with this bound.
    pub(crate) fn reset(&mut self, bound: u32, words: usize) {
        self.sparse.clear();
        zeros(&mut self.dense, (bound as usize).min(words + ALWAYS_DENSE), Slot::default());
    }

    /// Announces a defined id that the dense part does not hold.
    #[cold]
    pub(crate) fn announce_sparse(&mut self, id: Id) {
        self.sparse.push((id.0, Slot::default()));
    }

    /// Ends the announcements.
    pub(crate) fn seal(&mut self) {
        self.sparse.sort_unstable();
        self.sparse.dedup();
    }

    /// Whether the id lies in the dense part.
    #[inline]
    pub(crate) fn is_dense(&self, id: Id) -> bool {
        id.index() < self.dense.len()
    }

    /// Position of the id in tables by id, `0..slot_count()`. `None` for ids that cannot be defined.
    #[inline]
    pub fn slot(&self, id: Id) -> Option<usize> {
        if self.is_dense(id) { Some(id.index()) } else { self.sparse_place(id).map(|at| self.dense.len() + at) }
    }

    #[cold]
    fn sparse_place(&self, id: Id) -> Option<usize> {
        self.sparse.binary_search_by_key(&id.0, |s| s.0).ok()
    }

    /// The id at a slot.
    pub fn id_at(&self, slot: usize) -> Id {
        match slot.checked_sub(self.dense.len()) {
            None => Id(slot as u32),
            Some(at) => Id(self.sparse.get(at).map_or(0, |s| s.0)),
        }
    }

    /// Number of slots.
    #[inline]
    pub fn slot_count(&self) -> usize {
        self.dense.len() + self.sparse.len()
    }

    /// What is known of the id; all zero for undefined ones.
    #[inline]
    pub fn get(&self, id: Id) -> IdInfo {
        // A reference as long as it can be: whoever wants a part only reads that alone.
        IdInfo::unpack(match self.dense.get(id.index()) {
            Some(slot) => slot,
            None => self.get_sparse(id),
        })
    }

    #[cold]
    fn get_sparse(&self, id: Id) -> &Slot {
        self.sparse_place(id).and_then(|at| self.sparse.get(at)).map_or(&(0, 0, 0, 0, 0), |s| &s.1)
    }

    #[inline]
    fn place(&mut self, id: Id) -> Option<&mut Slot> {
        if self.is_dense(id) { self.dense.get_mut(id.index()) } else { self.sparse_place_mut(id) }
    }

    #[cold]
    fn sparse_place_mut(&mut self, id: Id) -> Option<&mut Slot> {
        let at = self.sparse_place(id)?;
        self.sparse.get_mut(at).map(|s| &mut s.1)
    }

    /// Defines an id. Returns whether it can be defined and was not yet.
    #[inline]
    pub(crate) fn define(&mut self, id: Id, info: IdInfo) -> bool {
        self.place(id).filter(|s| s.0 == 0).map(|s| *s = info.pack()).is_some()
    }

    /// Changes what is known of an id.
    pub(crate) fn set(&mut self, id: Id, info: IdInfo) {
        if let Some(slot) = self.place(id) {
            *slot = info.pack();
        }
    }

    /// Key of the type `id`; `NONE` where it is no type.
    #[inline]
    pub fn key(&self, id: Id) -> TypeKey {
        let info = self.get(id);
        if info.is_type() { TypeKey(info.extra) } else { TypeKey::NONE }
    }

    /// All defined ids in ascending order with what is known of them.
    pub fn iter(&self) -> impl Iterator<Item = (Id, IdInfo)> {
        let dense = self.dense.iter().enumerate().map(|(id, slot)| (Id(id as u32), IdInfo::unpack(slot)));
        let sparse = self.sparse.iter().map(|(id, slot)| (Id(*id), IdInfo::unpack(slot)));
        dense.chain(sparse).filter(|(_, i)| i.is_defined())
    }
}
