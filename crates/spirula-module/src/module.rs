use spirula_binary::{Context, FrameError, Frames, Header, Id, Imported, Inst, Number};
use spirula_grammar::{
    AddressingModel, CapSet, Capability, Decoration, ExecutionMode, ExecutionModel, MemoryModel, Op, StorageClass,
    Version,
};

use crate::decorations::{Decorated, Decorations};
use crate::entry::ModelSet;
use crate::functions::Function;
use crate::ids::{IdInfo, IdTable};
use crate::scan::{Call, ExtensionSet, Index};
use crate::{EntryPoint, Type, TypeKey};

/// A module: its words with the index made from them.
#[derive(Clone, Copy, Debug)]
pub struct Module<'m> {
    words: &'m [u32],
    index: &'m Index,
}

impl<'m> Module<'m> {
    /// Fills `index` from `words`.
    pub fn new(words: &'m [u32], index: &'m mut Index) -> Module<'m> {
        index.fill(words);
        Module { words, index }
    }

    /// All words, the header included.
    #[inline]
    pub fn words(&self) -> &'m [u32] {
        self.words
    }

    /// The header; `None` where the module is too short for one.
    pub fn header(&self) -> Option<Header> {
        self.index.header
    }

    /// The SPIR-V version that the header names; 1.0 without header.
    pub fn version(&self) -> Version {
        self.index.header.map_or(Version::v1(0), |h| h.version())
    }

    /// Where the words stop being instructions, if they do.
    pub fn broken(&self) -> Option<FrameError> {
        self.index.broken
    }

    /// Word offsets of all instructions.
    #[inline]
    pub fn inst_offsets(&self) -> &'m [u32] {
        &self.index.insts
    }

    /// The instruction that starts at a word offset.
    #[inline]
    pub fn inst_at(&self, word: u32) -> Option<Inst<'m>> {
        Inst::at(self.words, word)
    }

    /// Instructions from a word offset to (not including) another.
    pub fn insts(&self, words: core::ops::Range<u32>) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let before_end = self.words.get(..words.end as usize).unwrap_or(self.words);
        Frames::from(before_end, words.start).map_while(Result::ok)
    }

    /// The instructions outside of functions: those before the first `OpFunction`.
    pub fn global_insts(&self) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let end = self.index.functions.first().map_or(self.words.len() as u32, |f| f.start);
        Frames::of(self.words.get(..end as usize).unwrap_or(self.words)).map_while(Result::ok)
    }

    /// The table of ids.
    #[inline]
    pub fn ids(&self) -> &'m IdTable {
        &self.index.ids
    }

    /// What is known of an id; all zero where it is not defined.
    #[inline]
    pub fn info(&self, id: Id) -> IdInfo {
        self.index.ids.get(id)
    }

    /// Number of traced ids: [`IdInfo::traced`] is below it.
    pub fn traced_count(&self) -> usize {
        self.index.traced as usize
    }

    /// The instruction that defines an id.
    #[inline]
    pub fn def(&self, id: Id) -> Option<Inst<'m>> {
        match self.info(id).def {
            0 => None,
            at => self.inst_at(at),
        }
    }

    /// Result type of the instruction that defines an id; `%0` where there is none.
    #[inline]
    pub fn type_id_of(&self, value: Id) -> Id {
        self.info(value).ty
    }

    /// Key of a type; `NONE` where the id is no type.
    #[inline]
    pub fn key(&self, ty: Id) -> TypeKey {
        self.index.ids.key(ty)
    }

    /// Key of a value's type.
    #[inline]
    pub fn key_of(&self, value: Id) -> TypeKey {
        self.key(self.type_id_of(value))
    }

    /// A type by its id; `None` where the id is no type.
    #[inline]
    pub fn ty(&self, ty: Id) -> Option<Type<'m>> {
        let info = self.info(ty);
        if info.is_type() { self.inst_at(info.def).map(Type::of) } else { None }
    }

    /// A value's type.
    pub fn type_of_value(&self, value: Id) -> Option<Type<'m>> {
        self.ty(self.type_id_of(value))
    }

    /// Storage class and pointee of a pointer type; the pointee is `%0` for untyped pointers.
    #[inline]
    pub fn pointer(&self, ty: Id) -> Option<(StorageClass, Id)> {
        let info = self.info(ty);
        let at = info.def as usize;
        match info.op {
            Op::TypePointer => match self.words.get(at..at + 4)? {
                [_, _, class, pointee] => Some((StorageClass(*class), Id(*pointee))),
                _ => None,
            },
            Op::TypeUntypedPointerKHR => self.words.get(at + 2).map(|class| (StorageClass(*class), Id(0))),
            _ => None,
        }
    }

    /// Storage class of the pointer that a value is; `None` where it is no pointer.
    #[inline]
    pub fn class_of(&self, value: Id) -> Option<StorageClass> {
        let info = self.info(self.type_id_of(value));
        let pointer = matches!(info.op, Op::TypePointer | Op::TypeUntypedPointerKHR);
        if pointer { self.words.get(info.def as usize + 2).map(|class| StorageClass(*class)) } else { None }
    }

    /// Whether an instruction defines an id which was defined before.
    #[inline]
    pub fn has_duplicate_definitions(&self) -> bool {
        !self.index.duplicates.is_empty()
    }

    /// Instructions that define an id which was defined before.
    pub fn duplicate_definitions(&self) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let words = self.words;
        self.index.duplicates.iter().filter_map(move |at| Inst::at(words, *at))
    }

    /// The declared capabilities with all that they imply.
    #[inline]
    pub fn capabilities(&self) -> &'m CapSet {
        &self.index.capabilities
    }

    /// Whether a capability is declared or implied.
    #[inline]
    pub fn has(&self, cap: Capability) -> bool {
        self.index.capabilities.contains(cap)
    }

    /// The declared extensions, of those that the grammar names.
    #[inline]
    pub fn extensions(&self) -> &'m ExtensionSet {
        &self.index.extensions
    }

    /// Whether an extension is declared, by name.
    pub fn has_extension(&self, name: &str) -> bool {
        spirula_grammar::Extension::from_name(name.as_bytes()).is_some_and(|e| self.index.extensions.contains(e))
    }

    /// The `OpMemoryModel`.
    pub fn memory_model_inst(&self) -> Option<Inst<'m>> {
        self.index.memory_model.and_then(|at| self.inst_at(at))
    }

    /// Addressing model; `Logical` where none is declared.
    pub fn addressing_model(&self) -> AddressingModel {
        self.memory_model_inst().map_or(AddressingModel::Logical, |i| AddressingModel(i.word(1)))
    }

    /// Memory model; `Simple` where none is declared.
    pub fn memory_model(&self) -> MemoryModel {
        self.memory_model_inst().map_or(MemoryModel::Simple, |i| MemoryModel(i.word(2)))
    }

    /// All decorations of a target and its members, by member, then in order of appearance.
    pub fn decorations(&self, target: Id) -> Decorations<'m> {
        self.index.decorations.of(self.words, &self.index.ids, target)
    }

    /// The annotation instructions once for each of their targets, those of one target together.
    pub fn annotations_by_target(&self) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let (words, index) = (self.words, self.index);
        index.decorations.by_target().filter_map(move |at| Inst::at(words, at))
    }

    /// The decorations of a target as a whole.
    pub fn own_decorations(&self, target: Id) -> Decorations<'m> {
        self.index.decorations.of_whole(self.words, &self.index.ids, target)
    }

    /// The decorations of one member of a structure type.
    pub fn member_decorations(&self, ty: Id, member: u32) -> Decorations<'m> {
        self.index.decorations.of_member(self.words, &self.index.ids, ty, member)
    }

    /// The first application of a decoration to a target as a whole.
    #[inline]
    pub fn decoration(&self, target: Id, decoration: Decoration) -> Option<Decorated<'m>> {
        if !self.index.decorations.may_have(decoration) {
            return None;
        }
        self.own_decorations(target).find(|d| d.decoration == decoration)
    }

    /// The first application of a decoration to a member.
    #[inline]
    pub fn member_decoration(&self, ty: Id, member: u32, decoration: Decoration) -> Option<Decorated<'m>> {
        if !self.index.decorations.may_have(decoration) {
            return None;
        }
        self.member_decorations(ty, member).find(|d| d.decoration == decoration)
    }

    /// Whether something may have a decoration: most that nothing has are known quickly not to occur.
    #[inline]
    pub fn may_be_decorated(&self, decoration: Decoration) -> bool {
        self.index.decorations.may_have(decoration)
    }

    /// Whether a target as a whole has a decoration.
    #[inline]
    pub fn is_decorated(&self, target: Id, decoration: Decoration) -> bool {
        self.decoration(target, decoration).is_some()
    }

    /// The annotation instructions (§3.3.3), but for `OpDecorationGroup`.
    pub fn annotations(&self) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let words = self.words;
        self.index.annotations.iter().filter_map(move |at| Inst::at(words, *at))
    }

    /// The entry points.
    pub fn entry_points(&self) -> impl Iterator<Item = EntryPoint<'m>> + use<'m> {
        let words = self.words;
        self.index.entry_points.iter().filter_map(move |at| Inst::at(words, *at)).map(EntryPoint::of)
    }

    /// The `OpExecutionMode` and `OpExecutionModeId` instructions.
    pub fn execution_mode_insts(&self) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let words = self.words;
        self.index.execution_modes.iter().filter_map(move |at| Inst::at(words, *at))
    }

    /// The execution modes of an entry point: mode, its instruction.
    pub fn execution_modes(&self, entry_point: Id) -> impl Iterator<Item = (ExecutionMode, Inst<'m>)> + use<'m> {
        self.execution_mode_insts().filter(move |i| i.id(1) == entry_point).map(|i| (ExecutionMode(i.word(2)), i))
    }

    /// The functions in order.
    #[inline]
    pub fn functions(&self) -> &'m [Function] {
        &self.index.functions
    }

    /// The function that an `OpFunction` id names.
    pub fn function(&self, id: Id) -> Option<&'m Function> {
        self.index.functions.get(self.info(id).function()?)
    }

    /// Calls made by a function.
    pub fn calls(&self, function: &Function) -> &'m [Call] {
        self.index.calls.get(function.first_call as usize..function.end_call as usize).unwrap_or(&[])
    }

    /// Labels, merge instructions and block termination instructions of a function.
    pub fn control(&self, function: &Function) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let words = self.words;
        let range = function.first_control as usize..function.end_control as usize;
        let offsets = self.index.control.get(range).unwrap_or(&[]);
        offsets.iter().filter_map(move |at| Inst::at(words, *at))
    }

    /// Models of the entry points whose call trees contain the function with this index.
    #[inline]
    pub fn models_reaching(&self, function: usize) -> ModelSet {
        self.index.models.get(function).copied().unwrap_or_default()
    }

    /// Whether the call tree of the function `root` contains the function with the index `function`.
    ///
    /// Searches the call graph anew each time: for rare questions only.
    pub fn reaches(&self, root: Id, function: usize) -> bool {
        let Some(root) = self.info(root).function() else { return false };
        let mut seen = alloc::vec![false; self.index.functions.len()];
        let mut work = alloc::vec![root];
        while let Some(f) = work.pop() {
            if f == function {
                return true;
            }
            if seen.get(f) != Some(&false) {
                continue;
            }
            seen[f] = true;
            let calls = self.index.functions.get(f).map_or(&[][..], |f| self.calls(f));
            work.extend(calls.iter().filter_map(|c| self.info(c.callee).function()));
        }
        false
    }

    /// Whether the type is an 8-bit integer.
    pub fn is_int8(&self, ty: Id) -> bool {
        let key = self.key(ty);
        key.is_int() && key.width() == 8
    }

    /// Models of all entry points.
    pub fn models(&self) -> ModelSet {
        self.entry_points().fold(ModelSet::EMPTY, |s, e| s.with(e.model))
    }

    /// Whether some entry point has the model.
    pub fn has_model(&self, model: ExecutionModel) -> bool {
        self.models().contains(model)
    }

    /// The variables outside of functions.
    pub fn global_variables(&self) -> impl Iterator<Item = Inst<'m>> + use<'m> {
        let words = self.words;
        self.index.globals.iter().filter_map(move |at| Inst::at(words, *at))
    }
}

impl Context for Module<'_> {
    #[inline]
    fn number(&self, ty: Id) -> Option<Number> {
        let info = self.info(ty);
        match info.op {
            Op::TypeInt | Op::TypeFloat => self.inst_at(info.def).and_then(Number::of_type),
            _ => None,
        }
    }

    #[inline]
    fn type_of(&self, id: Id) -> Option<Id> {
        Some(self.info(id).ty).filter(|ty| ty.0 != 0)
    }

    #[inline]
    fn imported(&self, id: Id) -> Option<Imported> {
        let info = self.info(id);
        if info.op != Op::ExtInstImport {
            return None;
        }
        Some(info.ext_set().map_or(Imported::Unknown, Imported::Known))
    }
}
