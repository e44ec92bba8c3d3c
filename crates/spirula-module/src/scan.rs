//! The one framing pass.

use alloc::vec::Vec;

use spirula_binary::{FrameError, Frames, HEADER_WORDS, Header, Id, Inst, LitStr};
use spirula_grammar::{CapSet, Capability, Decoration, ExtSet, Extension, InstDesc, Op, op_table};

use crate::cfg::{is_block_termination, is_merge};
use crate::decorations::DecorationTable;
use crate::entry::ModelSet;
use crate::functions::Function;
use crate::ids::{self, IdInfo, IdTable, UNKNOWN_NON_SEMANTIC};
use crate::{EntryPoint, TypeKey};

/// A set of the extensions that the grammar names.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ExtensionSet([u64; Extension::COUNT.div_ceil(64)]);

impl ExtensionSet {
    /// Adds a member.
    pub fn insert(&mut self, e: Extension) {
        self.0[e.index() / 64] |= 1 << (e.index() % 64);
    }

    /// Whether it is a member.
    #[inline]
    pub fn contains(&self, e: Extension) -> bool {
        self.0[e.index() / 64] >> (e.index() % 64) & 1 != 0
    }
}

/// A call from one function to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Call {
    /// Word offset of the `OpFunctionCall`.
    pub at: u32,
    /// The callee.
    pub callee: Id,
}

/// All that one pass over the words finds out. Reusable; see [`crate::Module`] for the questions it can answer.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(crate) header: Option<Header>,
    /// Word offset of each instruction.
    pub(crate) insts: Vec<u32>,
    pub(crate) ids: IdTable,
    pub(crate) functions: Vec<Function>,
    pub(crate) calls: Vec<Call>,
    /// Labels, merge instructions and block termination instructions in functions.
    pub(crate) control: Vec<u32>,
    pub(crate) entry_points: Vec<u32>,
    pub(crate) execution_modes: Vec<u32>,
    pub(crate) annotations: Vec<u32>,
    pub(crate) decorations: DecorationTable,
    /// Module-scope `OpVariable`s and `OpUntypedVariableKHR`s.
    pub(crate) globals: Vec<u32>,
    /// Instructions whose result id has been defined before.
    pub(crate) duplicates: Vec<u32>,
    pub(crate) capabilities: CapSet,
    pub(crate) extensions: ExtensionSet,
    pub(crate) memory_model: Option<u32>,
    pub(crate) broken: Option<FrameError>,
    /// Execution models that reach each function.
    pub(crate) models: Vec<ModelSet>,
    /// Number of traced ids, see [`IdInfo::traced`].
    pub(crate) traced: u32,
    work: Vec<u32>,
}

impl Index {
    /// An empty index.
    pub fn new() -> Index {
        Index::default()
    }

    /// Fills the index from a module's words.
    pub fn fill(&mut self, words: &[u32]) {
        self.clear();
        self.header = Header::read(words);
        let bound = self.header.map_or(0, |h| h.bound);
        self.ids.reset(bound, words.len());
        // Instructions have four or five words on average; only strings have many more.
        self.insts.reserve(words.len() / 5);
        let mut state = State::default();
        for frame in Frames::of(words) {
            match frame {
                Ok(inst) => self.instruction(inst, &mut state),
                Err(e) => self.broken = Some(e),
            }
        }
        if let Some(open) = state.open {
            self.close(open, words.len() as u32, false);
        }
        if state.sparse {
            self.define_sparse(words);
        }
        self.decorations.fill(words, &self.annotations, &self.ids);
        self.trace_built_ins(words);
        self.spread_models(words);
    }

    /// Constants that are built-ins are traced as variables are.
    fn trace_built_ins(&mut self, words: &[u32]) {
        if !self.decorations.may_have(Decoration::BuiltIn) {
            return;
        }
        for at in &self.annotations {
            let Some(inst) = Inst::at(words, *at) else { continue };
            let targets = match inst.op() {
                Op::Decorate if inst.word(2) == Decoration::BuiltIn.0 => &inst.words()[1..2],
                Op::GroupDecorate => inst.tail(2),
                _ => &[],
            };
            for target in targets {
                let id = Id(*target);
                let info = self.ids.get(id);
                let mut own = self.decorations.of_whole(words, &self.ids, id);
                if info.is_constant()
                    && !info.is_local()
                    && !info.is_traced()
                    && own.any(|d| d.decoration == Decoration::BuiltIn)
                {
                    let flags = info.flags | ids::TRACED;
                    self.ids.set(id, IdInfo { flags, extra: self.traced, ..info });
                    self.traced += 1;
                }
            }
        }
    }

    fn clear(&mut self) {
        self.insts.clear();
        self.functions.clear();
        self.calls.clear();
        self.control.clear();
        self.entry_points.clear();
        self.execution_modes.clear();
        self.annotations.clear();
        self.globals.clear();
        self.duplicates.clear();
        self.capabilities = CapSet::EMPTY;
        self.extensions = ExtensionSet::default();
        self.memory_model = None;
        self.broken = None;
        self.traced = 0;
    }

    #[inline]
    fn instruction(&mut self, inst: Inst<'_>, state: &mut State) {
        self.insts.push(inst.offset());
        let Some(row) = ROWS.get(usize::from(inst.op().0)) else { return };
        if row.flags & LISTED != 0 {
            self.list(inst, state);
        }
        if row.result != 0
            && let Some(id) = inst.words().get(usize::from(row.result))
        {
            self.define(inst, row, Id(*id), state);
        }
    }

    /// Takes an instruction of one of the opcodes that the index lists.
    fn list(&mut self, inst: Inst<'_>, state: &mut State) {
        let at = inst.offset();
        match inst.op() {
            Op::Capability | Op::ConditionalCapabilityINTEL => self.capability(inst),
            Op::Extension | Op::ConditionalExtensionINTEL => self.extension(inst),
            Op::MemoryModel => self.memory_model = self.memory_model.or(Some(at)),
            Op::EntryPoint | Op::ConditionalEntryPointINTEL => self.entry_points.push(at),
            Op::ExecutionMode | Op::ExecutionModeId => self.execution_modes.push(at),
            Op::Function => self.open(inst, state),
            Op::FunctionEnd => {
                if let Some(open) = state.open.take() {
                    self.close(open, at + inst.words().len() as u32, true);
                }
            }
            Op::Label => {
                if let Some(open) = &mut state.open {
                    if open.blocks == 0 {
                        open.body = at;
                    }
                    open.blocks += 1;
                    self.control.push(at);
                }
            }
            op if is_merge(op) || is_block_termination(op) => self.control.push(at),
            Op::FunctionCall if state.open.is_some() => self.calls.push(Call { at, callee: inst.id(3) }),
            Op::Variable | Op::UntypedVariableKHR if state.open.is_none() => self.globals.push(at),
            Op::FunctionCall | Op::Variable | Op::UntypedVariableKHR => {}
            _ => self.annotations.push(at),
        }
    }

    fn open(&mut self, inst: Inst<'_>, state: &mut State) {
        if let Some(open) = state.open.take() {
            self.close(open, inst.offset(), false);
        }
        state.open = Some(Open {
            inst: inst.offset(),
            id: inst.id(2),
            first_inst: self.insts.len() as u32 - 1,
            first_call: self.calls.len() as u32,
            first_control: self.control.len() as u32,
            ..Open::default()
        });
    }

    #[inline]
    fn define(&mut self, inst: Inst<'_>, row: &Row, id: Id, state: &mut State) {
        match &state.open {
            _ if !self.ids.is_dense(id) => {
                // No id reaches the bound of a valid module; whoever judges sees that by itself.
                self.ids.announce_sparse(id);
                state.sparse = true;
            }
            Some(open) if inst.op() != Op::Function && row.flags & ids::TYPE == 0 => {
                let info = local(inst, row, open.blocks);
                self.enter(id, info);
            }
            None if row.flags & (ids::TYPE | SPECIAL) == 0 => {
                let mut info = local(inst, row, 0);
                info.flags &= !(ids::LOCAL | ids::LIMITED);
                self.enter(id, info);
            }
            open => {
                let block = open.as_ref().map(|o| o.blocks);
                self.define_at(inst, row, id, block, self.functions.len() as u32);
            }
        }
    }

    #[inline]
    fn enter(&mut self, id: Id, info: IdInfo) {
        if !self.ids.define(id, info) {
            self.duplicates.push(info.def);
        }
    }

    fn define_at(&mut self, inst: Inst<'_>, row: &Row, id: Id, block: Option<u32>, function: u32) {
        let mut info = local(inst, row, block.unwrap_or(0));
        if block.is_none() || info.op == Op::Function {
            info.flags &= !(ids::LOCAL | ids::LIMITED);
        }
        if info.op == Op::Function {
            info.extra = function;
            info.flags |= ids::LIMITED;
        } else if block.is_none() && matches!(info.op, Op::Variable | Op::UntypedVariableKHR) {
            info.flags |= ids::TRACED;
            info.extra = self.traced;
            self.traced += 1;
        } else if block.is_none() && info.op == Op::ExtInstImport {
            info.extra = LitStr::read(inst.tail(2)).map_or(0, import);
        }
        if info.is_type() {
            info.extra = TypeKey::of(inst, &self.ids).0;
        }
        self.enter(id, info);
    }

    /// Second pass for ids that the dense part of the table does not hold.
    #[cold]
    fn define_sparse(&mut self, words: &[u32]) {
        self.ids.seal();
        let (mut function, mut labels) = (0, 0);
        for inst in Frames::of(words).map_while(Result::ok) {
            while self.functions.get(function).is_some_and(|f| f.end <= inst.offset()) {
                function += 1;
                labels = 0;
            }
            let open = self.functions.get(function).filter(|f| f.contains(inst.offset()));
            labels += u32::from(open.is_some() && inst.op() == Op::Label);
            let block = open.map(|_| labels);
            let (Some(row), Some(id)) = (ROWS.get(usize::from(inst.op().0)), inst.result()) else { continue };
            if self.ids.is_dense(id) {
                self.complete_type(inst, id);
            } else {
                self.define_at(inst, row, id, block, function as u32);
            }
        }
    }

    /// The key of a type may depend on one that the first pass did not find.
    fn complete_type(&mut self, inst: Inst<'_>, id: Id) {
        if !inst.desc().is_some_and(|d| d.is_type()) {
            return;
        }
        let key = TypeKey::of(inst, &self.ids).0;
        let info = self.ids.get(id);
        if info.def == inst.offset() {
            self.ids.set(id, IdInfo { extra: key, ..info });
        }
    }

    fn close(&mut self, open: Open, end: u32, closed: bool) {
        self.functions.push(Function {
            id: open.id,
            start: open.inst,
            end,
            first_inst: open.first_inst,
            end_inst: self.insts.len() as u32,
            body: if open.blocks == 0 { end } else { open.body },
            blocks: open.blocks,
            closed,
            first_call: open.first_call,
            end_call: self.calls.len() as u32,
            first_control: open.first_control,
            end_control: self.control.len() as u32,
        });
    }

    fn capability(&mut self, inst: Inst<'_>) {
        let at = if inst.op() == Op::Capability { 1 } else { 2 };
        self.capabilities.declare(Capability(inst.word(at)));
    }

    fn extension(&mut self, inst: Inst<'_>) {
        let at = if inst.op() == Op::Extension { 1 } else { 2 };
        let Some(name) = LitStr::read(inst.tail(at)) else { return };
        // No extension has a longer name.
        let mut buffer = [0; 96];
        if let Some(known) = short(name, &mut buffer).and_then(Extension::from_name) {
            self.extensions.insert(known);
        }
    }

    /// For each function, the models of the entry points whose call trees contain it. Each function's set grows at
    /// most as often as there are models, so the work is linear in the calls.
    fn spread_models(&mut self, words: &[u32]) {
        self.models.clear();
        self.models.resize(self.functions.len(), ModelSet::EMPTY);
        self.work.clear();
        for at in &self.entry_points {
            let Some(inst) = Inst::at(words, *at) else { continue };
            let entry = EntryPoint::of(inst);
            if let Some(f) = self.ids.get(entry.function).function() {
                self.models[f] = self.models[f].with(entry.model);
                self.work.push(f as u32);
            }
        }
        while let Some(f) = self.work.pop() {
            let (set, function) = (self.models[f as usize], self.functions[f as usize]);
            for call in &self.calls[function.first_call as usize..function.end_call as usize] {
                let Some(callee) = self.ids.get(call.callee).function() else { continue };
                let grown = self.models[callee].or(set);
                if grown != self.models[callee] {
                    self.models[callee] = grown;
                    self.work.push(callee as u32);
                }
            }
        }
    }
}

/// What the pass does with an opcode.
#[derive(Clone, Copy)]
struct Row {
    /// Flags of what it defines in a function; and the marks below.
    flags: u16,
    /// Word of its result; 0 where it has none.
    result: u8,
}

/// Marks the opcodes that [`Index::list`] takes.
const LISTED: u16 = 1 << 15;
/// Marks those with a result type.
const TYPED: u16 = 1 << 14;
/// Marks those of which more is to be known, where they stand outside of functions.
const SPECIAL: u16 = 1 << 13;

/// By opcode; nothing for those that the grammar does not know.
static ROWS: [Row; Op::LIMIT] = op_table!(Row { flags: 0, result: 0 }, row);

const fn row(desc: &InstDesc) -> Row {
    let op = desc.op;
    let special = matches!(op, Op::Function | Op::Variable | Op::UntypedVariableKHR | Op::ExtInstImport);
    let flags = ids::LOCAL
        | if is_listed(op) { LISTED } else { 0 }
        | if desc.has_result_type() { TYPED } else { 0 }
        | if special { SPECIAL } else { 0 }
        | if desc.is_type() { ids::TYPE } else { 0 }
        | if desc.is_constant() { ids::CONSTANT } else { 0 }
        | if matches!(op, Op::ExtInst | Op::SampledImage) { ids::LIMITED } else { 0 };
    Row { flags, result: desc.result_word() as u8 }
}

const fn is_listed(op: Op) -> bool {
    is_merge(op)
        || is_block_termination(op)
        || matches!(
            op,
            Op::Capability
                | Op::ConditionalCapabilityINTEL
                | Op::Extension
                | Op::ConditionalExtensionINTEL
                | Op::MemoryModel
                | Op::EntryPoint
                | Op::ConditionalEntryPointINTEL
                | Op::ExecutionMode
                | Op::ExecutionModeId
                | Op::Decorate
                | Op::MemberDecorate
                | Op::DecorateId
                | Op::DecorateString
                | Op::MemberDecorateString
                | Op::MemberDecorateIdEXT
                | Op::GroupDecorate
                | Op::GroupMemberDecorate
                | Op::Function
                | Op::Label
                | Op::FunctionCall
                | Op::Variable
                | Op::UntypedVariableKHR
                | Op::FunctionEnd
        )
}

/// What is known of an id that is defined in a function, behind as many labels as `block` says.
#[inline]
fn local(inst: Inst<'_>, row: &Row, block: u32) -> IdInfo {
    let ty = if row.flags & TYPED != 0 { inst.id(1) } else { Id(0) };
    IdInfo { def: inst.offset(), ty, op: inst.op(), flags: row.flags & !(LISTED | TYPED | SPECIAL), extra: block }
}

#[derive(Default)]
struct State {
    open: Option<Open>,
    sparse: bool,
}

#[derive(Default)]
struct Open {
    inst: u32,
    id: Id,
    first_inst: u32,
    first_call: u32,
    first_control: u32,
    body: u32,
    blocks: u32,
}

/// Copies a short string out of its words, without allocating.
fn short<'b>(s: LitStr<'_>, buffer: &'b mut [u8]) -> Option<&'b [u8]> {
    let (to, _) = buffer.as_chunks_mut();
    to.iter_mut().zip(s.words()).for_each(|(to, from)| *to = from.to_le_bytes());
    buffer.get(..s.len())
}

/// What [`IdInfo::extra`] tells of the set with this name.
fn import(name: LitStr<'_>) -> u32 {
    let mut buffer = [0; 96];
    match short(name, &mut buffer).and_then(ExtSet::from_name) {
        Some(set) => set as u32 + 1,
        None if name.bytes().take(ExtSet::NON_SEMANTIC.len()).eq(ExtSet::NON_SEMANTIC.bytes()) => UNKNOWN_NON_SEMANTIC,
        None => 0,
    }
}

const _: () = assert!(HEADER_WORDS > 0, "word offset 0 must not be an instruction: it means `not defined`");
