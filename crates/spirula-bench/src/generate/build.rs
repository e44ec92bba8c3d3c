//! Sections of a module, filled in any order.

use std::collections::BTreeMap;

use spirula_binary::{Header, Writer};
use spirula_grammar::{Op, Version};

/// Sections of the logical layout (§2.4) that the generators use.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Section {
    Capabilities,
    Imports,
    MemoryModel,
    EntryPoints,
    Modes,
    Debug,
    Names,
    Decorations,
    Types,
    Functions,
}

#[derive(Default)]
pub(super) struct Builder {
    sections: BTreeMap<Section, Writer>,
    /// Types and constants by their words, so that none is declared twice.
    unique: BTreeMap<Vec<u32>, u32>,
    last_id: u32,
}

/// Words of a literal string.
pub(super) fn string(text: &str) -> Vec<u32> {
    let mut w = Writer::without_header();
    w.string(text.as_bytes());
    w.finish()
}

impl Builder {
    pub(super) fn id(&mut self) -> u32 {
        self.last_id += 1;
        self.last_id
    }

    pub(super) fn put(&mut self, section: Section, op: Op, operands: &[u32]) {
        let writer = self.sections.entry(section).or_insert_with(Writer::without_header);
        writer.inst(op, operands).expect("generated instructions are short");
    }

    /// A type or constant: one instruction per distinct content. `typed`: the first operand is the result type.
    pub(super) fn declare(&mut self, op: Op, typed: bool, operands: &[u32]) -> u32 {
        let key: Vec<u32> = [&[u32::from(op.0)], operands].concat();
        if let Some(id) = self.unique.get(&key) {
            return *id;
        }
        let id = self.id();
        let mut words = operands.to_vec();
        words.insert(usize::from(typed), id);
        self.put(Section::Types, op, &words);
        self.unique.insert(key, id);
        id
    }

    pub(super) fn ty(&mut self, op: Op, operands: &[u32]) -> u32 {
        self.declare(op, false, operands)
    }

    pub(super) fn void(&mut self) -> u32 {
        self.ty(Op::TypeVoid, &[])
    }

    pub(super) fn uint(&mut self) -> u32 {
        self.ty(Op::TypeInt, &[32, 0])
    }

    pub(super) fn float(&mut self) -> u32 {
        self.ty(Op::TypeFloat, &[32])
    }

    pub(super) fn vec4(&mut self) -> u32 {
        let float = self.float();
        self.ty(Op::TypeVector, &[float, 4])
    }

    pub(super) fn constant(&mut self, value: u32) -> u32 {
        let uint = self.uint();
        self.declare(Op::Constant, true, &[uint, value])
    }

    /// An instruction in a function; returns its result.
    pub(super) fn op(&mut self, op: Op, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let words = [&[ty, id], operands].concat();
        self.put(Section::Functions, op, &words);
        id
    }

    /// An instruction in a function without a result.
    pub(super) fn act(&mut self, op: Op, operands: &[u32]) {
        self.put(Section::Functions, op, operands);
    }

    pub(super) fn label(&mut self, id: u32) {
        self.act(Op::Label, &[id]);
    }

    /// A shader's start: capabilities, memory model, a compute entry point with a storage buffer of `uint`.
    /// Leaves the entry point's function open in its first block.
    pub(super) fn compute(&mut self) -> Compute {
        self.put(Section::Capabilities, Op::Capability, &[1]);
        self.put(Section::MemoryModel, Op::MemoryModel, &[0, 1]);
        let (void, uint) = (self.void(), self.uint());
        let array = self.ty(Op::TypeRuntimeArray, &[uint]);
        let block = self.ty(Op::TypeStruct, &[array]);
        let pointer = self.ty(Op::TypePointer, &[12, block]);
        let element = self.ty(Op::TypePointer, &[12, uint]);
        let variable = self.id();
        self.put(Section::Types, Op::Variable, &[pointer, variable, 12]);
        self.put(Section::Decorations, Op::Decorate, &[array, 6, 4]);
        self.put(Section::Decorations, Op::Decorate, &[block, 2]);
        self.put(Section::Decorations, Op::MemberDecorate, &[block, 0, 35, 0]);
        self.put(Section::Decorations, Op::Decorate, &[variable, 34, 0]);
        self.put(Section::Decorations, Op::Decorate, &[variable, 33, 0]);
        let main = self.id();
        self.put(Section::Modes, Op::ExecutionMode, &[main, 17, 64, 1, 1]);
        let signature = self.ty(Op::TypeFunction, &[void]);
        Compute { main, signature, element, variable }
    }

    pub(super) fn open(&mut self, c: &Compute) {
        self.open_with(c, &[]);
    }

    /// As [`open`](Self::open), with further variables in the interface.
    pub(super) fn open_with(&mut self, c: &Compute, interface: &[u32]) {
        let void = self.void();
        let entry = [&[5, c.main], &string("main")[..], &[c.variable], interface].concat();
        self.put(Section::EntryPoints, Op::EntryPoint, &entry);
        self.act(Op::Function, &[void, c.main, 0, c.signature]);
        let label = self.id();
        self.label(label);
    }

    pub(super) fn close(&mut self) {
        self.act(Op::Return, &[]);
        self.act(Op::FunctionEnd, &[]);
    }

    /// Loads element `i` of the storage buffer.
    pub(super) fn load(&mut self, c: &Compute, i: u32) -> u32 {
        let (zero, at, uint) = (self.constant(0), self.constant(i), self.uint());
        let pointer = self.op(Op::AccessChain, c.element, &[c.variable, zero, at]);
        self.op(Op::Load, uint, &[pointer])
    }

    /// Stores to element `i` of the storage buffer.
    pub(super) fn store(&mut self, c: &Compute, i: u32, value: u32) {
        let (zero, at) = (self.constant(0), self.constant(i));
        let pointer = self.op(Op::AccessChain, c.element, &[c.variable, zero, at]);
        self.act(Op::Store, &[pointer, value]);
    }

    /// The module, of SPIR-V 1.`minor`.
    pub(super) fn finish(self, minor: u8) -> Vec<u32> {
        let header = Header { version: Version::v1(minor).to_word(), generator: 0, bound: self.last_id + 1, schema: 0 };
        let mut all = Writer::new(header);
        for section in self.sections.into_values() {
            all.words(&section.finish());
        }
        all.finish()
    }
}

/// Ids of a compute shader's frame.
pub(super) struct Compute {
    pub(super) main: u32,
    signature: u32,
    element: u32,
    variable: u32,
}
