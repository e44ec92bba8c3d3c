//! Which variables a function uses, and how.

use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_grammar::{Class, InstDesc, Op, op_table};
use spirula_module::{Function, IdTable, Module, Type, is_implicit_lod, zeros};

use crate::heaps::{self, Chain};

/// How a variable outside of functions is used: nothing, or these.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Access(u8);

impl Access {
    const NONE: Access = Access(0);
    const READ: Access = Access(1);
    const WRITE: Access = Access(2);
    const BOTH: Access = Access(3);

    pub(crate) fn or(self, other: Access) -> Access {
        Access(self.0 | other.0)
    }

    pub(crate) fn reads(self) -> bool {
        self.0 & Access::READ.0 != 0
    }

    pub(crate) fn writes(self) -> bool {
        self.0 & Access::WRITE.0 != 0
    }
}

/// Kinds of instructions that are used, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Kinds(u8);

impl Kinds {
    pub(crate) const SUBGROUPS: Kinds = Kinds(1);
    pub(crate) const DERIVATIVES: Kinds = Kinds(2);
    pub(crate) const DISCARDS: Kinds = Kinds(4);
    /// Instructions that we do not know.
    pub(crate) const UNKNOWN: Kinds = Kinds(8);
    /// Instructions that may name specialisation constants.
    const SPECIALISED: Kinds = Kinds(16);

    pub(crate) const fn or(self, other: Kinds) -> Kinds {
        Kinds(self.0 | other.0)
    }

    pub(crate) fn has(self, kind: Kinds) -> bool {
        self.0 & kind.0 != 0
    }
}

/// What functions use. Variables go by their positions among those that the index traces.
#[derive(Default)]
pub(crate) struct Lists {
    /// Variables with the access made.
    pub(crate) variables: Vec<(u32, Access)>,
    /// Image and sampler variables that are combined.
    pub(crate) combined: Vec<(u32, u32)>,
    /// Specialisation constants named in the body.
    pub(crate) constants: Vec<Id>,
    /// Access chains into descriptor heaps.
    pub(crate) heap_chains: Vec<Chain>,
    /// Chains that buffer pointers are made of, with the pointers' types.
    pub(crate) buffer_pointers: Vec<(Id, Id)>,
}

/// Lengths of the lists.
#[derive(Clone, Copy, Default)]
pub(crate) struct Lengths([usize; 5]);

impl Lists {
    pub(crate) fn clear(&mut self) {
        self.variables.clear();
        self.combined.clear();
        self.constants.clear();
        self.heap_chains.clear();
        self.buffer_pointers.clear();
    }

    fn lengths(&self) -> Lengths {
        Lengths([
            self.variables.len(),
            self.combined.len(),
            self.constants.len(),
            self.heap_chains.len(),
            self.buffer_pointers.len(),
        ])
    }

    /// The variables between two lengths.
    pub(crate) fn variables(&self, from: Lengths, to: Lengths) -> &[(u32, Access)] {
        part(&self.variables, from.0[0], to.0[0])
    }

    /// Adds what `other` has between two lengths, but for the variables.
    pub(crate) fn extend(&mut self, other: &Lists, from: Lengths, to: Lengths) {
        self.combined.extend_from_slice(part(&other.combined, from.0[1], to.0[1]));
        self.constants.extend_from_slice(part(&other.constants, from.0[2], to.0[2]));
        self.heap_chains.extend_from_slice(part(&other.heap_chains, from.0[3], to.0[3]));
        self.buffer_pointers.extend_from_slice(part(&other.buffer_pointers, from.0[4], to.0[4]));
    }
}

fn part<T>(list: &[T], from: usize, to: usize) -> &[T] {
    list.get(from..to).unwrap_or(&[])
}

/// What every function uses.
#[derive(Default)]
pub(crate) struct Usages {
    pub(crate) lists: Lists,
    /// For each function, where in the lists it begins, and one more for where the last one ends.
    pub(crate) functions: Vec<(Lengths, Kinds)>,
    /// The variable that a pointer, or a loaded image or sampler, comes from: by slot, its position plus 1.
    roots: Vec<u32>,
    /// By variable: the last place in the list that is its own, plus 1.
    places: Vec<u32>,
}

impl Usages {
    /// Finds out what every function uses. `is_special`: whether the module can be specialised at all.
    pub(crate) fn fill(&mut self, m: &Module<'_>, is_special: bool) {
        self.lists.clear();
        self.functions.clear();
        zeros(&mut self.roots, m.ids().slot_count(), 0);
        zeros(&mut self.places, m.traced_count(), 0);
        let ids = m.ids();
        let variables = m.global_variables().map(|v| v.id(2));
        for (id, at) in variables.filter_map(|id| Some((id, m.info(id).traced()?))) {
            set(ids, &mut self.roots, id, at as u32 + 1);
        }
        for f in m.functions() {
            let start = self.lists.lengths();
            let Usages { lists, roots, places, .. } = self;
            let first = start.0[0] as u32;
            let mut walk = Walk { m, ids, roots, places, first, is_special, lists, kinds: Kinds::default() };
            walk.function(f);
            let kinds = walk.kinds;
            shrink(&mut self.lists.combined, start.0[1]);
            shrink(&mut self.lists.constants, start.0[2]);
            self.functions.push((start, kinds));
        }
        self.functions.push((self.lists.lengths(), Kinds::default()));
    }

    /// Whether some function has instructions of a kind.
    pub(crate) fn have(&self, kind: Kinds) -> bool {
        self.functions.iter().any(|f| f.1.has(kind))
    }
}

/// Sorts what stands behind `start`, and drops what is there twice.
fn shrink<T: Ord + Copy>(list: &mut Vec<T>, start: usize) {
    let tail = list.get_mut(start..).unwrap_or_default();
    tail.sort_unstable();
    let mut kept = 0;
    for i in 0..tail.len() {
        if kept == 0 || tail[i] != tail[kept - 1] {
            tail[kept] = tail[i];
            kept += 1;
        }
    }
    list.truncate(start + kept);
}

fn set(ids: &IdTable, roots: &mut [u32], id: Id, root: u32) {
    if let Some(r) = ids.slot(id).and_then(|s| roots.get_mut(s)) {
        *r = root;
    }
}

struct Walk<'w> {
    m: &'w Module<'w>,
    ids: &'w IdTable,
    roots: &'w mut [u32],
    places: &'w mut [u32],
    /// Where the function's variables begin in the list.
    first: u32,
    is_special: bool,
    lists: &'w mut Lists,
    kinds: Kinds,
}

/// What an instruction does with variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Action {
    /// Nothing.
    Nothing,
    /// Accesses what the operand points to.
    Access,
    /// The same; the result comes from there, too: what is done with a loaded image or the like is done to its variable.
    Load,
    /// Makes a pointer or the like from the operand.
    Derive,
    /// An untyped access chain: of a heap, perhaps.
    UntypedChain,
    /// An `OpBufferPointerEXT`.
    BufferPointer,
    /// Combines an image with a sampler.
    Combine,
    CopyMemory,
    /// Anything else that names a variable, from the operand on, may do with it what it likes.
    Others,
}

/// An action with what else it means.
#[derive(Clone, Copy)]
struct Row {
    action: Action,
    /// The operand's word.
    at: u8,
    access: Access,
    kinds: Kinds,
}

const UNKNOWN: Row = Row { action: Action::Nothing, at: 0, access: Access::NONE, kinds: Kinds::UNKNOWN };

/// By opcode.
static ROWS: [Row; Op::LIMIT] = op_table!(UNKNOWN, row);

const fn row(desc: &InstDesc) -> Row {
    let none = Access::NONE;
    let (action, at, access) = match desc.op {
        Op::Load => (Action::Load, 3, Access::READ),
        Op::Store | Op::ImageWrite | Op::AtomicStore | Op::AtomicFlagClear => (Action::Access, 1, Access::WRITE),
        Op::CopyMemory | Op::CopyMemorySized => (Action::CopyMemory, 1, none),
        Op::AtomicLoad => (Action::Access, 3, Access::READ),
        Op::SampledImage => (Action::Combine, 3, none),
        Op::Kill | Op::TerminateInvocation | Op::DemoteToHelperInvocation => {
            return Row { action: Action::Nothing, at: 0, access: none, kinds: Kinds::DISCARDS };
        }
        Op::AccessChain
        | Op::InBoundsAccessChain
        | Op::PtrAccessChain
        | Op::InBoundsPtrAccessChain
        | Op::CopyObject
        | Op::ImageTexelPointer
        | Op::Image
        | Op::ArrayLength => return Row { action: Action::Derive, at: 3, access: none, kinds: Kinds::SPECIALISED },
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR => {
            return Row { action: Action::UntypedChain, at: 4, access: none, kinds: Kinds::SPECIALISED };
        }
        Op::BufferPointerEXT => {
            return Row { action: Action::BufferPointer, at: 3, access: none, kinds: Kinds::SPECIALISED };
        }
        Op::Label | Op::Branch | Op::BranchConditional | Op::LoopMerge | Op::SelectionMerge | Op::Return => {
            return Row { action: Action::Nothing, at: 0, access: none, kinds: Kinds::SPECIALISED };
        }
        _ => return by_class(desc),
    };
    Row { action, at, access, kinds: Kinds(0) }
}

const fn by_class(desc: &InstDesc) -> Row {
    let ids_only = desc.is_fixed() && (desc.has_id_tail() || !desc.has_literal_tail());
    let others = if ids_only || matches!(desc.op, Op::ExtInst) { Action::Others } else { Action::Nothing };
    let first = if desc.has_result() { 3 } else { 1 };
    let none = Access::NONE;
    let (action, at, access, kinds) = match desc.class {
        Class::Atomic => (Action::Access, 3, Access::BOTH, Kinds(0)),
        Class::Image if is_implicit_lod(desc.op) || matches!(desc.op, Op::ImageQueryLod) => {
            (Action::Access, 3, Access::READ, Kinds::DERIVATIVES)
        }
        Class::Image => (Action::Access, 3, Access::READ, Kinds(0)),
        Class::Derivative => (Action::Nothing, 0, none, Kinds::DERIVATIVES),
        // They do not take pointers, nor do the others that go without a look at their operands.
        Class::Debug | Class::Annotation | Class::Arithmetic | Class::Bit => (Action::Nothing, 0, none, Kinds(0)),
        Class::RelationalAndLogical if !matches!(desc.op, Op::Select) => (Action::Nothing, 0, none, Kinds(0)),
        Class::Group | Class::NonUniform => (others, first, Access::BOTH, Kinds::SUBGROUPS),
        _ => (others, first, Access::BOTH, Kinds(0)),
    };
    Row { action, at, access, kinds: kinds.or(Kinds::SPECIALISED) }
}

impl Walk<'_> {
    fn function(&mut self, f: &Function) {
        let mut kinds = Kinds::default();
        for inst in self.m.insts(f.start..f.end) {
            let row = ROWS.get(usize::from(inst.op().0)).unwrap_or(&UNKNOWN);
            kinds = kinds.or(row.kinds);
            self.act(inst, row);
            if self.is_special && row.kinds.has(Kinds::SPECIALISED) {
                self.constants(inst);
            }
        }
        self.kinds = kinds;
    }

    #[inline]
    fn act(&mut self, inst: Inst<'_>, row: &Row) {
        let at = usize::from(row.at);
        match row.action {
            Action::Nothing => {}
            Action::Access => self.enter(self.root(inst.id(at)), row.access),
            Action::Load => {
                let root = self.root(inst.id(at));
                // Loading a storage image reads nothing of it yet.
                let reads = root != 0 && !self.is_storage_image(inst.id(1));
                self.derive(inst, root, if reads { row.access } else { Access::NONE });
            }
            Action::Derive => self.derive(inst, self.root(inst.id(at)), row.access),
            Action::Others => inst.tail(at).iter().for_each(|word| self.other(Id(*word), row.access)),
            Action::UntypedChain => {
                self.lists.heap_chains.extend(heaps::chain(self.m, inst));
                self.derive(inst, self.root(inst.id(at)), row.access);
            }
            Action::BufferPointer => {
                self.lists.buffer_pointers.push((inst.id(3), inst.id(1)));
                self.derive(inst, self.root(inst.id(at)), row.access);
            }
            Action::Combine => self.combine(inst),
            Action::CopyMemory => {
                self.enter(self.root(inst.id(1)), Access::WRITE);
                self.enter(self.root(inst.id(2)), Access::READ);
            }
        }
    }

    /// Notes an access to what a result is made from.
    #[inline]
    fn derive(&mut self, inst: Inst<'_>, root: u32, access: Access) {
        if root != 0 {
            self.enter(root, access);
            set(self.ids, self.roots, inst.id(2), root);
        }
    }

    fn combine(&mut self, inst: Inst<'_>) {
        let (image, sampler) = (self.root(inst.id(3)), self.root(inst.id(4)));
        if image != 0 {
            set(self.ids, self.roots, inst.id(2), image);
            if sampler != 0 {
                self.lists.combined.push((image - 1, sampler - 1));
            }
        }
    }

    #[inline]
    fn other(&mut self, id: Id, access: Access) {
        let root = self.root(id);
        if root != 0 && self.m.key_of(id).is_pointer() {
            self.enter(root, access);
        }
    }

    fn is_storage_image(&self, ty: Id) -> bool {
        // Nearly all that is loaded is no image.
        self.m.info(ty).op == Op::TypeImage && matches!(self.m.ty(ty), Some(Type::Image(image)) if image.sampled == 2)
    }

    #[inline]
    fn root(&self, id: Id) -> u32 {
        self.ids.slot(id).and_then(|s| self.roots.get(s)).copied().unwrap_or(0)
    }

    /// Notes an access to the variable that is a root; 0 is none.
    #[inline]
    fn enter(&mut self, root: u32, access: Access) {
        let Some(variable) = root.checked_sub(1) else { return };
        let Some(place) = self.places.get_mut(variable as usize) else { return };
        let own = place.checked_sub(1).filter(|p| *p >= self.first);
        match own.and_then(|p| self.lists.variables.get_mut(p as usize)) {
            Some(known) => known.1 = known.1.or(access),
            None => {
                self.lists.variables.push((variable, access));
                *place = self.lists.variables.len() as u32;
            }
        }
    }

    fn constants(&mut self, inst: Inst<'_>) {
        let constants = inst.tail(3).iter().map(|w| Id(*w)).filter(|id| self.m.info(*id).is_spec_constant());
        self.lists.constants.extend(constants);
    }
}
