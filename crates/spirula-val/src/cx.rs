//! What a rule function gets: facts, questions, and a way to say that something is wrong.

use alloc::string::String;
use alloc::vec::Vec;
use core::ops::Deref;

use bumpalo::Bump;
use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, Diagnostic, Failed, Rule, Severity, Site};
use spirula_grammar::{Capability, Op, Version};
use spirula_module::{Function, ModelSet, Module, TypeKey};

use crate::dispatch::Layer;
use crate::facts::{Parts, TypeFacts};
use crate::flow::Flow;
use crate::id_set::IdSet;
use crate::rules::ext_inst::lines::SourceLines;
use crate::rules::universal;
use crate::{Options, TargetEnv};

/// What all rules share and none changes. Bodies can be checked in parallel over one of these.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shared<'a> {
    /// The module's index.
    pub(crate) m: Module<'a>,
    /// The environment.
    pub(crate) env: TargetEnv,
    /// Its further rules for instructions.
    pub(crate) layer: Layer,
    /// The user's options.
    pub(crate) options: &'a Options,
    /// The module's version.
    pub(crate) version: Version,
    /// The header's bound.
    pub(crate) bound: u32,
    /// Pointer types that `OpTypeForwardPointer` announces, with the word offset where.
    pub(crate) forward_pointers: &'a [(Id, u32)],
    /// What types contain.
    pub(crate) facts: &'a TypeFacts,
    /// The lines of its source texts.
    pub(crate) sources: &'a SourceLines,
}

/// A place in a function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct InFunction<'a> {
    /// The function.
    pub(crate) function: &'a Function,
    /// Its position among the module's functions.
    pub(crate) index: usize,
    /// Position of the block being walked; `None` before the first label.
    pub(crate) block: Option<u32>,
}

/// The state of one walk: over the instructions outside of functions, or over one function.
pub(crate) struct Cx<'a> {
    shared: Shared<'a>,
    /// The function being walked, if any.
    pub(crate) here: Option<InFunction<'a>>,
    /// Word offset of the function being walked, and position of the block plus 1; 0 outside.
    pub(crate) start: u32,
    /// See `start`.
    pub(crate) block: u32,
    /// See [`models_here`](Self::models_here).
    models: ModelSet,
    /// Control flow of the function being walked.
    pub(crate) flow: &'a mut Flow,
    /// Ids whose definition failed.
    pub(crate) poison: &'a mut IdSet,
    /// Word offset of the last access or access chain that was found easy: see [`Parts::EASY`]. Neither the environment's
    /// rules nor those for pointers have anything to ask of it.
    pub(crate) easy: u32,
    /// Memory for lists.
    arena: &'a Bump,
    /// Whether derivatives may be 16 bits wide, once that was asked.
    pub(crate) half_derivatives: Option<bool>,
    pub(crate) out: &'a mut Vec<Diagnostic>,
}

/// A list that lives no longer than the walk, in memory that the validator keeps.
pub(crate) type List<'a, T> = bumpalo::collections::Vec<'a, T>;

impl<'a> Deref for Cx<'a> {
    type Target = Shared<'a>;

    #[inline]
    fn deref(&self) -> &Shared<'a> {
        &self.shared
    }
}

/// The text of a diagnostic with what helps to understand it. Made only when a rule fails.
#[derive(Debug, Default)]
pub(crate) struct Message {
    text: String,
    notes: Vec<(Site, String)>,
    help: Option<String>,
}

impl Message {
    /// Points to the instruction that defines `id`, where there is one.
    pub(crate) fn declared(self, m: Module<'_>, id: Id) -> Message {
        match m.info(id).def {
            0 => self,
            at => self.note(Site::at(at), "declared here"),
        }
    }

    /// Adds a related site.
    pub(crate) fn note(mut self, at: Site, text: impl Into<String>) -> Message {
        self.notes.push((at, text.into()));
        self
    }

    /// Adds what the author of the module can do.
    pub(crate) fn help(mut self, text: impl Into<String>) -> Message {
        self.help = Some(text.into());
        self
    }
}

/// Starts a message.
pub(crate) fn msg(text: impl Into<String>) -> Message {
    Message { text: text.into(), ..Message::default() }
}

impl From<String> for Message {
    fn from(text: String) -> Message {
        msg(text)
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        msg(text)
    }
}

impl<'a> Cx<'a> {
    pub(crate) fn new(
        shared: Shared<'a>,
        arena: &'a Bump,
        flow: &'a mut Flow,
        poison: &'a mut IdSet,
        out: &'a mut Vec<Diagnostic>,
    ) -> Cx<'a> {
        Cx {
            shared,
            here: None,
            start: 0,
            block: 0,
            models: ModelSet::EMPTY,
            flow,
            poison,
            easy: 0,
            arena,
            half_derivatives: None,
            out,
        }
    }

    // --- lists ---

    /// An empty list.
    pub(crate) fn list<T>(&self) -> List<'a, T> {
        List::new_in(self.arena)
    }

    /// A list of what an iterator gives.
    pub(crate) fn collect<T>(&self, items: impl IntoIterator<Item = T>) -> List<'a, T> {
        List::from_iter_in(items, self.arena)
    }

    /// A table of `len` equal items. Its memory is not free before the walk ends, so all of a kind together must not be
    /// longer than the module.
    pub(crate) fn filled<T: Copy>(&self, len: usize, item: T) -> &'a mut [T] {
        self.arena.alloc_slice_fill_copy(len, item)
    }

    /// The ids that an entry point lists, sorted, each once.
    pub(crate) fn listed(&self, interface: &[u32]) -> List<'a, Id> {
        let mut listed = self.collect(interface.iter().map(|w| Id(*w)));
        listed.sort_unstable();
        listed.dedup();
        listed
    }

    // --- saying that something is wrong ---

    /// Reports that `inst` breaks `rule`. The message is made only if the rule's severity shows it.
    ///
    /// `Err` if the finding is an error, so that `?` leaves the rule function; `Ok` if it is a warning or allowed.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        inst: Inst<'_>,
        message: impl FnOnce() -> M,
    ) -> Checked {
        self.fail_site(rule, Site::at(inst.offset()), message)
    }

    /// Like [`fail`](Self::fail), naming the guilty word of the instruction.
    #[cold]
    #[inline(never)]
    pub(crate) fn fail_at<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        inst: Inst<'_>,
        word: usize,
        message: impl FnOnce() -> M,
    ) -> Checked {
        self.fail_site(rule, Site::operand(inst.offset(), word.min(u16::MAX as usize) as u16), message)
    }

    /// Like [`fail`](Self::fail), for any site.
    #[cold]
    pub(crate) fn fail_site<M: Into<Message>>(
        &mut self,
        rule: &'static Rule,
        at: Site,
        message: impl FnOnce() -> M,
    ) -> Checked {
        let severity = self.options.severity(rule);
        if severity == Severity::Allow {
            return Ok(());
        }
        let known = self.out.iter().rev().take(8).any(|d| d.rule == rule && d.at == at);
        if !known {
            let Message { text, notes, help } = message().into();
            let mut d = Diagnostic::new(rule, at, text);
            d.severity = severity;
            d.help = help;
            self.out.push(notes.into_iter().fold(d, |d, (at, text)| d.note(at, text)));
        }
        if severity == Severity::Error { Err(Failed) } else { Ok(()) }
    }

    /// Fails unless `ok`.
    #[inline]
    pub(crate) fn check<M: Into<Message>>(
        &mut self,
        ok: bool,
        rule: &'static Rule,
        inst: Inst<'_>,
        message: impl FnOnce() -> M,
    ) -> Checked {
        if ok { Ok(()) } else { self.fail(rule, inst, message) }
    }

    /// Fails unless `ok`, naming the guilty word.
    #[inline]
    pub(crate) fn check_at<M: Into<Message>>(
        &mut self,
        ok: bool,
        rule: &'static Rule,
        inst: Inst<'_>,
        word: usize,
        message: impl FnOnce() -> M,
    ) -> Checked {
        if ok { Ok(()) } else { self.fail_at(rule, inst, word, message) }
    }

    // --- questions that know of failures before ---

    /// The instruction that defines the id at `word`. `Err`, silently, where it is undefined or its definition failed:
    /// that was reported already.
    #[inline]
    pub(crate) fn def_at(&self, inst: Inst<'_>, word: usize) -> Checked<Inst<'a>> {
        self.def(inst.id(word))
    }

    /// The instruction that defines an id; `Err` as for [`def_at`](Self::def_at).
    #[inline]
    pub(crate) fn def(&self, id: Id) -> Checked<Inst<'a>> {
        if self.poison.contains(id, self.m.ids()) {
            return Err(Failed);
        }
        self.m.def(id).ok_or(Failed)
    }

    /// Type id of the value at `word`. `Err` where the id is undefined or its definition failed (silently), or where it
    /// is no value (reported).
    #[inline]
    pub(crate) fn type_at(&mut self, inst: Inst<'_>, word: usize) -> Checked<Id> {
        let id = inst.id(word);
        let info = self.m.info(id);
        if info.ty.0 == 0 {
            return if info.is_defined() { universal::no_value(self, inst, word) } else { Err(Failed) };
        }
        if self.poison.contains(id, self.m.ids()) { Err(Failed) } else { Ok(info.ty) }
    }

    /// Key of the type of the value at `word`; `Err` as for [`type_at`](Self::type_at).
    #[inline]
    pub(crate) fn key_at(&mut self, inst: Inst<'_>, word: usize) -> Checked<TypeKey> {
        let ty = self.type_at(inst, word)?;
        self.key(ty)
    }

    /// Key of a type; `Err`, silently, where it is undefined or broken.
    #[inline]
    pub(crate) fn key(&self, ty: Id) -> Checked<TypeKey> {
        match self.m.key(ty) {
            TypeKey::NONE => Err(Failed),
            key => Ok(key),
        }
    }

    /// Key of the instruction's result type (word 1).
    #[inline]
    pub(crate) fn result_key(&self, inst: Inst<'_>) -> Checked<TypeKey> {
        self.key(inst.id(1))
    }

    /// Whether an extension is declared, by name, whether or not the grammar knows it. For paths that are rarely taken.
    #[cold]
    pub(crate) fn declares(&self, name: &str) -> bool {
        let mut declarations = self.m.global_insts().take_while(|i| {
            !matches!(i.op(), Op::MemoryModel | Op::EntryPoint) && i.desc().is_none_or(|d| !d.is_type())
        });
        declarations.by_ref().take(1 << 10).any(|i| {
            let at = match i.op() {
                Op::Extension => 1,
                Op::ConditionalExtensionINTEL => 2,
                _ => return false,
            };
            LitStr::read(i.tail(at)).is_some_and(|s| s.bytes().eq(name.bytes()))
        })
    }

    /// What a type is or contains.
    #[inline]
    pub(crate) fn parts(&self, ty: Id) -> Parts {
        self.facts.parts(self.m, ty)
    }

    /// Whether the value at `word` is a pointer through which an object of the type can be read with an alignment, or
    /// without one where that is 0, and nothing has to be asked but that: see [`Parts::EASY`]. Mostly, other rules need not
    /// ask again: [`easy`](Self::easy) tells.
    #[inline]
    pub(crate) fn reads_easily(&mut self, inst: Inst<'_>, word: usize, object: Id, alignment: u32) -> bool {
        let ty = self.m.type_id_of(inst.id(word));
        let parts = self.parts(ty);
        let easy = self.poison.is_empty()
            && parts.any(Parts::EASY)
            && self.m.pointer(ty).is_some_and(|p| p.1 == object)
            && (!parts.any(Parts::PHYSICAL_STORAGE) || self.aligns(object, alignment));
        if easy && !parts.any(Parts::TO_PHYSICAL) {
            self.easy = inst.offset();
        }
        easy
    }

    /// Whether the alignment is surely a multiple of the size of every scalar in a type.
    #[inline]
    pub(crate) fn aligns(&self, ty: Id, alignment: u32) -> bool {
        let large = Parts::WIDTH64.or(Parts::POINTER);
        alignment != 0 && (alignment.is_multiple_of(8) || alignment.is_multiple_of(4) && !self.parts(ty).any(large))
    }

    /// Remembers that the function being walked uses a variable outside of functions. Debug information and other
    /// instructions without semantics do not count.
    #[inline(never)]
    pub(crate) fn record_use(&mut self, inst: Inst<'_>, id: Id) {
        let Some(here) = self.here else { return };
        let silent = match inst.op() {
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR => self.m.info(inst.id(3)).is_non_semantic(),
            _ => false,
        };
        if !silent {
            let m = self.m;
            self.flow.uses.record(&m, id, here.index as u32, inst.offset());
        }
    }

    // --- where we are ---

    /// Whether a capability is declared or implied.
    #[inline]
    pub(crate) fn has(&self, cap: Capability) -> bool {
        self.m.has(cap)
    }

    /// Execution models whose entry points reach the function being walked; empty outside of functions, and for
    /// functions that no entry point reaches.
    #[inline]
    pub(crate) fn models_here(&self) -> ModelSet {
        self.models
    }

    /// Enters a function, or leaves it.
    pub(crate) fn enter(&mut self, function: Option<(&'a Function, usize)>) {
        self.here = function.map(|(function, index)| InFunction { function, index, block: None });
        self.start = function.map_or(0, |(f, _)| f.start);
        self.models = function.map_or(ModelSet::EMPTY, |(_, index)| self.m.models_reaching(index));
        self.block = 0;
    }

    /// Enters the next block of the function.
    pub(crate) fn next_block(&mut self) {
        if let Some(here) = &mut self.here {
            here.block = Some(self.block);
        }
        self.block += 1;
    }

    /// Fails unless every execution model that reaches the function being walked is among `allowed`.
    #[inline]
    pub(crate) fn check_models<M: Into<Message>>(
        &mut self,
        allowed: ModelSet,
        rule: &'static Rule,
        inst: Inst<'_>,
        message: impl FnOnce(ModelSet) -> M,
    ) -> Checked {
        let others = self.models_here().without(allowed);
        if others.is_empty() { Ok(()) } else { self.fail(rule, inst, || message(others)) }
    }

    /// Runs several checks of one instruction, all of them; `Err` if one failed.
    pub(crate) fn all<const N: usize>(&mut self, results: [Checked; N]) -> Checked {
        if results.iter().all(|r| r.is_ok()) { Ok(()) } else { Err(Failed) }
    }
}
