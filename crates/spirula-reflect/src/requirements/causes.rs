//! Which instructions and variables need a capability.

use alloc::collections::BTreeMap;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_grammar::{
    AddressingModel, BuiltIn, CapSet, Capability, Class, Decoration, Dim, ExecutionMode, ExecutionModel, ImageFormat,
    InstDesc, MemoryModel, Op, OperandKind, Scope, StorageClass, op_table,
};
use spirula_module::{Image, Module, Type as Raw};

use super::Wanted;
use crate::bindings::{held_type, kind};
use crate::model::{Cause, DescriptorKind, Term};
use crate::types::MAX_NESTING;
use crate::{Cx, text};

/// Causes that are listed of each capability.
const MAX_CAUSES: usize = 4;
/// Instructions that a value is followed back to its variable.
const MAX_STEPS: usize = 32;

/// Finds what needs the capabilities, in one pass over the module.
pub(super) fn find<'m>(cx: &Cx<'_, 'm>, wanted: &mut [Wanted<'m>]) {
    if wanted.is_empty() {
        return;
    }
    let mut open = CapSet::EMPTY;
    wanted.iter().for_each(|w| _ = open.insert(w.row.0));
    let reasons = wanted.iter().fold(Reasons(0), |all, w| all.or(Reasons::of(w.row.0)));
    let mut search = Search { cx, open, reasons, wanted, idle: [0; 3], holders: None };
    for at in cx.m.inst_offsets() {
        let op = cx.m.words().get(*at as usize).map_or(0, |first| *first as u16);
        if !REASONS.get(usize::from(op)).is_some_and(|r| r.meets(reasons)) {
            continue;
        }
        if search.open == CapSet::EMPTY {
            break;
        }
        cx.m.inst_at(*at).into_iter().for_each(|inst| search.instruction(inst));
    }
}

/// Why instructions need capabilities, one bit each.
#[derive(Clone, Copy)]
struct Reasons(u8);

impl Reasons {
    /// By what they are, or by their enumerants.
    const OPERANDS: Reasons = Reasons(1);
    const INDEX: Reasons = Reasons(2);
    const FORMAT: Reasons = Reasons(4);
    const VARIABLE_POINTER: Reasons = Reasons(8);
    const ATOMIC: Reasons = Reasons(16);
    const SMALL_NUMBER: Reasons = Reasons(32);

    const fn or(self, other: Reasons) -> Reasons {
        Reasons(self.0 | other.0)
    }

    fn meets(self, other: Reasons) -> bool {
        self.0 & other.0 != 0
    }

    /// Those that there can be for a capability.
    fn of(capability: Capability) -> Reasons {
        use Capability as C;
        let other = match capability {
            c if INDEXING.contains(&c) => Reasons::INDEX,
            c if SMALL_NUMBERS.contains(&c) => Reasons::SMALL_NUMBER,
            C::StorageImageReadWithoutFormat | C::StorageImageWriteWithoutFormat => Reasons::FORMAT,
            C::VariablePointers | C::VariablePointersStorageBuffer => Reasons::VARIABLE_POINTER,
            C::VulkanMemoryModelDeviceScope | C::Int64Atomics | C::Int64ImageEXT => Reasons::ATOMIC,
            _ => Reasons(0),
        };
        Reasons::OPERANDS.or(other)
    }
}

/// By opcode.
static REASONS: [Reasons; Op::LIMIT] = op_table!(Reasons(0), reasons);

const fn reasons(desc: &InstDesc) -> Reasons {
    let own = if desc.needs_capability() { Reasons::OPERANDS } else { Reasons(0) };
    own.or(match desc.op {
        Op::TypeInt
        | Op::TypeFloat
        | Op::Decorate
        | Op::MemberDecorate
        | Op::ExecutionMode
        | Op::ExecutionModeId
        | Op::EntryPoint
        | Op::MemoryModel
        | Op::TypePointer
        | Op::TypeImage
        | Op::Variable
        | Op::UntypedVariableKHR => Reasons::OPERANDS,
        Op::AccessChain | Op::InBoundsAccessChain => Reasons::INDEX,
        Op::ImageRead | Op::ImageSparseRead | Op::ImageWrite => Reasons::FORMAT,
        Op::Phi | Op::Select | Op::FunctionCall | Op::PtrAccessChain | Op::Load => Reasons::VARIABLE_POINTER,
        Op::ControlBarrier | Op::MemoryBarrier => Reasons::ATOMIC,
        _ if matches!(desc.class, Class::Atomic) => Reasons::ATOMIC,
        _ => Reasons(0),
    })
}

/// Capabilities for the indexing of arrays of descriptors.
const INDEXING: [Capability; 14] = [
    Capability::UniformBufferArrayDynamicIndexing,
    Capability::UniformBufferArrayNonUniformIndexing,
    Capability::StorageBufferArrayDynamicIndexing,
    Capability::StorageBufferArrayNonUniformIndexing,
    Capability::StorageImageArrayDynamicIndexing,
    Capability::StorageImageArrayNonUniformIndexing,
    Capability::InputAttachmentArrayDynamicIndexing,
    Capability::InputAttachmentArrayNonUniformIndexing,
    Capability::UniformTexelBufferArrayDynamicIndexing,
    Capability::UniformTexelBufferArrayNonUniformIndexing,
    Capability::StorageTexelBufferArrayDynamicIndexing,
    Capability::StorageTexelBufferArrayNonUniformIndexing,
    Capability::SampledImageArrayDynamicIndexing,
    Capability::SampledImageArrayNonUniformIndexing,
];

/// Capabilities for numbers of 16 and 8 bits in memory that is shared with the host.
const SMALL_NUMBERS: [Capability; 7] = [
    Capability::StorageBuffer16BitAccess,
    Capability::StorageBuffer8BitAccess,
    Capability::UniformAndStorageBuffer16BitAccess,
    Capability::UniformAndStorageBuffer8BitAccess,
    Capability::StoragePushConstant16,
    Capability::StoragePushConstant8,
    Capability::StorageInputOutput16,
];

struct Search<'a, 'i, 'm> {
    cx: &'a Cx<'i, 'm>,
    wanted: &'a mut [Wanted<'m>],
    /// Those that may have more causes.
    open: CapSet,
    reasons: Reasons,
    /// Decorations, built-ins and storage classes below 64 that need none of `open`, one bit each.
    idle: [u64; 3],
    /// Types of images and the like, with a variable that holds one; made when it is asked for.
    holders: Option<BTreeMap<u32, Id>>,
}

fn holders(m: &Module<'_>) -> BTreeMap<u32, Id> {
    let mut holders = BTreeMap::new();
    for v in m.global_variables().filter(|v| StorageClass(v.word(3)) == StorageClass::UniformConstant) {
        let mut ty = held_type(m, v);
        for _ in 0..MAX_NESTING {
            match m.ty(ty) {
                Some(Raw::Array { element, .. } | Raw::RuntimeArray { element }) => ty = element,
                Some(Raw::SampledImage { image }) => ty = image,
                _ => break,
            }
        }
        holders.entry(ty.0).or_insert(v.id(2));
    }
    holders
}

impl Search<'_, '_, '_> {
    fn instruction(&mut self, inst: Inst<'_>) {
        let Some(desc) = inst.desc() else { return };
        if desc.needs_capability() && desc.capabilities().intersects(&self.open) {
            self.all(inst, |c| desc.capabilities().contains(c));
        }
        match inst.op() {
            Op::TypeInt | Op::TypeFloat => self.number(inst),
            Op::Decorate => self.decoration(inst, 2),
            Op::MemberDecorate => self.decoration(inst, 3),
            Op::ExecutionMode | Op::ExecutionModeId => self.operand(inst, OperandKind::ExecutionMode, 2),
            Op::EntryPoint => self.operand(inst, OperandKind::ExecutionModel, 1),
            Op::MemoryModel => {
                self.operand(inst, OperandKind::AddressingModel, 1);
                self.operand(inst, OperandKind::MemoryModel, 2);
            }
            Op::TypePointer => self.operand(inst, OperandKind::StorageClass, 2),
            Op::TypeImage => self.image(inst),
            Op::Variable | Op::UntypedVariableKHR => self.variable(inst),
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(inst),
            Op::ImageRead | Op::ImageSparseRead => {
                self.without_format(inst, inst.id(3), Capability::StorageImageReadWithoutFormat);
            }
            Op::ImageWrite => self.without_format(inst, inst.id(1), Capability::StorageImageWriteWithoutFormat),
            Op::Phi | Op::Select | Op::FunctionCall | Op::PtrAccessChain | Op::Load => self.variable_pointer(inst),
            Op::ControlBarrier => self.scopes(inst, &[inst.id(1), inst.id(2)]),
            Op::MemoryBarrier => self.scopes(inst, &[inst.id(1)]),
            _ if desc.class == Class::Atomic => self.atomic(inst),
            _ => {}
        }
    }

    fn all(&mut self, inst: Inst<'_>, needs: impl Fn(Capability) -> bool) {
        let (cx, mut text) = (self.cx, None);
        for w in self.wanted.iter_mut().filter(|w| w.causes.len() < MAX_CAUSES && needs(w.row.0)) {
            let variable = variable(&cx.m, inst).or_else(|| {
                inst.desc().filter(|d| d.is_type())?;
                self.holders.get_or_insert_with(|| holders(&cx.m)).get(&inst.word(1)).copied()
            });
            if w.causes.iter().any(|c| c.variable == variable.map(|v| v.0) && variable.is_some()) {
                continue;
            }
            let text: &String = text.get_or_insert_with(|| shown(inst));
            let name = variable.map(|v| cx.name(v)).unwrap_or_default();
            w.causes.push(Cause {
                text: text.clone().into(),
                word: inst.offset(),
                variable: variable.map(|v| v.0),
                name,
            });
            if w.causes.len() == MAX_CAUSES {
                self.open.remove(w.row.0);
            }
        }
    }

    fn one(&mut self, inst: Inst<'_>, capability: Capability) {
        if self.open.contains(capability) {
            self.all(inst, |c| c == capability);
        }
    }

    fn operand(&mut self, inst: Inst<'_>, kind: OperandKind, at: usize) {
        let value = inst.word(at);
        let kinds = [OperandKind::Decoration, OperandKind::BuiltIn, OperandKind::StorageClass];
        let known = kinds.iter().position(|k| *k == kind).and_then(|k| self.idle.get_mut(k)).filter(|_| value < 64);
        if known.as_ref().is_some_and(|idle| **idle >> value & 1 != 0) {
            return;
        }
        match kind.enumerant(value) {
            Some(e) if e.capabilities().intersects(&self.open) => self.all(inst, |c| e.capabilities().contains(c)),
            // What is open only gets less.
            _ => known.into_iter().for_each(|idle| *idle |= 1 << value),
        }
    }

    fn decoration(&mut self, inst: Inst<'_>, at: usize) {
        self.operand(inst, OperandKind::Decoration, at);
        if Decoration(inst.word(at)) == Decoration::BuiltIn {
            self.operand(inst, OperandKind::BuiltIn, at + 1);
        }
    }

    /// Scalar types ask for capabilities by their width.
    fn number(&mut self, inst: Inst<'_>) {
        match (inst.op(), inst.word(2)) {
            (Op::TypeInt, 8) => self.one(inst, Capability::Int8),
            (Op::TypeInt, 16) => self.one(inst, Capability::Int16),
            (Op::TypeInt, 64) => self.one(inst, Capability::Int64),
            (Op::TypeFloat, 16) => self.one(inst, Capability::Float16),
            (Op::TypeFloat, 64) => self.one(inst, Capability::Float64),
            _ => {}
        }
    }

    fn image(&mut self, inst: Inst<'_>) {
        let Some(Raw::Image(Image { dim, arrayed, ms, sampled, .. })) = self.cx.m.ty(inst.id(1)) else { return };
        self.operand(inst, OperandKind::Dim, 3);
        self.operand(inst, OperandKind::ImageFormat, 8);
        if (dim, arrayed) == (Dim::Cube, 1) {
            self.one(inst, if sampled == 2 { Capability::ImageCubeArray } else { Capability::SampledCubeArray });
        }
        if ms == 1 && sampled == 2 {
            self.one(inst, Capability::StorageImageMultisample);
        }
    }

    fn variable(&mut self, inst: Inst<'_>) {
        let class = StorageClass(inst.word(3));
        if class == StorageClass::Function {
            return;
        }
        let m = &self.cx.m;
        self.operand(inst, OperandKind::StorageClass, 3);
        let ty = held_type(m, inst);
        if self.open.contains(Capability::RuntimeDescriptorArray)
            && matches!(class, StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer)
            && matches!(m.ty(ty), Some(Raw::RuntimeArray { .. }))
        {
            self.one(inst, Capability::RuntimeDescriptorArray);
        }
        if self.reasons.meets(Reasons::SMALL_NUMBER) {
            self.small_numbers(inst, class, ty);
        }
    }

    /// Numbers of 16 and 8 bits in memory that is shared with the host.
    fn small_numbers(&mut self, inst: Inst<'_>, class: StorageClass, ty: Id) {
        use Capability as C;
        let m = self.cx.m;
        let mut block = ty;
        for _ in 0..MAX_NESTING {
            let Some(Raw::Array { element, .. } | Raw::RuntimeArray { element }) = m.ty(block) else { break };
            block = element;
        }
        let (has16, has8) = (self.cx.types.has_width(&m, ty, 16), self.cx.types.has_width(&m, ty, 8));
        let storage = class == StorageClass::StorageBuffer || m.is_decorated(block, Decoration::BufferBlock);
        let of_class = match class {
            StorageClass::Uniform | StorageClass::StorageBuffer if storage => {
                Some((C::StorageBuffer16BitAccess, C::StorageBuffer8BitAccess))
            }
            StorageClass::Uniform => {
                Some((C::UniformAndStorageBuffer16BitAccess, C::UniformAndStorageBuffer8BitAccess))
            }
            StorageClass::PushConstant => Some((C::StoragePushConstant16, C::StoragePushConstant8)),
            StorageClass::Input | StorageClass::Output => Some((C::StorageInputOutput16, C::StorageInputOutput16)),
            _ => None,
        };
        if let Some((for16, for8)) = of_class {
            self.all(inst, |c| has16 && c == for16 || has8 && c == for8);
        }
    }

    /// An array of descriptors that is indexed.
    fn chain(&mut self, inst: Inst<'_>) {
        use Capability as C;
        let m = &self.cx.m;
        let Some(of) = m.def(inst.id(3)).filter(|v| v.op() == Op::Variable) else { return };
        let class = StorageClass(of.word(3));
        if !matches!(class, StorageClass::UniformConstant | StorageClass::Uniform | StorageClass::StorageBuffer)
            || m.info(inst.id(4)).is_constant()
        {
            return;
        }
        let Some(Raw::Array { element, .. } | Raw::RuntimeArray { element }) = m.ty(held_type(m, of)) else { return };
        let (dynamic, non_uniform) = match kind(m, of.id(2), class, element) {
            DescriptorKind::UniformBuffer => {
                (C::UniformBufferArrayDynamicIndexing, C::UniformBufferArrayNonUniformIndexing)
            }
            DescriptorKind::StorageBuffer => {
                (C::StorageBufferArrayDynamicIndexing, C::StorageBufferArrayNonUniformIndexing)
            }
            DescriptorKind::StorageImage => {
                (C::StorageImageArrayDynamicIndexing, C::StorageImageArrayNonUniformIndexing)
            }
            DescriptorKind::InputAttachment => {
                (C::InputAttachmentArrayDynamicIndexing, C::InputAttachmentArrayNonUniformIndexing)
            }
            DescriptorKind::UniformTexelBuffer => {
                (C::UniformTexelBufferArrayDynamicIndexing, C::UniformTexelBufferArrayNonUniformIndexing)
            }
            DescriptorKind::StorageTexelBuffer => {
                (C::StorageTexelBufferArrayDynamicIndexing, C::StorageTexelBufferArrayNonUniformIndexing)
            }
            _ => (C::SampledImageArrayDynamicIndexing, C::SampledImageArrayNonUniformIndexing),
        };
        let marked = |id| m.is_decorated(id, Decoration::NonUniform);
        let differs = marked(inst.id(2)) || marked(inst.id(4));
        self.all(inst, |c| c == dynamic || differs && c == non_uniform);
    }

    fn without_format(&mut self, inst: Inst<'_>, image: Id, capability: Capability) {
        if let Some(Raw::Image(i)) = self.cx.m.type_of_value(image)
            && i.format == ImageFormat::Unknown
            && i.dim != Dim::SubpassData
        {
            self.one(inst, capability);
        }
    }

    fn variable_pointer(&mut self, inst: Inst<'_>) {
        match self.cx.m.pointer(inst.id(1)).map(|p| p.0) {
            Some(StorageClass::StorageBuffer) => {
                self.all(inst, |c| {
                    matches!(c, Capability::VariablePointers | Capability::VariablePointersStorageBuffer)
                });
            }
            Some(StorageClass::Workgroup) => self.one(inst, Capability::VariablePointers),
            _ => {}
        }
    }

    fn scopes(&mut self, inst: Inst<'_>, scopes: &[Id]) {
        if scopes.iter().any(|s| self.cx.m.fixed_u32(*s).map(Scope) == Some(Scope::Device)) {
            self.one(inst, Capability::VulkanMemoryModelDeviceScope);
        }
    }

    fn atomic(&mut self, inst: Inst<'_>) {
        let m = &self.cx.m;
        let at = if matches!(inst.op(), Op::AtomicStore | Op::AtomicFlagClear) { 1 } else { 3 };
        let pointer = inst.id(at);
        self.scopes(inst, &[inst.id(at + 1)]);
        let Some((class, Raw::Int { width: 64, .. })) =
            m.pointer(m.type_id_of(pointer)).and_then(|p| Some((p.0, m.ty(p.1)?)))
        else {
            return;
        };
        self.all(inst, |c| {
            c == Capability::Int64Atomics || class == StorageClass::Image && c == Capability::Int64ImageEXT
        });
    }
}

/// The variable that an instruction is about: the one it decorates or declares, or that it reads, writes or indexes.
fn variable(m: &Module<'_>, inst: Inst<'_>) -> Option<Id> {
    let is_variable = |id: Id| matches!(m.info(id).op, Op::Variable | Op::UntypedVariableKHR);
    let desc = inst.desc()?;
    if desc.is_type() || matches!(inst.op(), Op::MemoryModel | Op::EntryPoint | Op::ExecutionMode) {
        return None;
    }
    let mut id = match inst.op() {
        Op::Decorate => return Some(inst.id(1)).filter(|id| is_variable(*id)),
        Op::Variable | Op::UntypedVariableKHR => return inst.result(),
        _ if desc.has_result() => inst.id(3),
        _ => inst.id(1),
    };
    for _ in 0..MAX_STEPS {
        if is_variable(id) {
            return Some(id);
        }
        let def = m.def(id)?;
        id = match def.op() {
            Op::Load
            | Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::CopyObject
            | Op::SampledImage
            | Op::Image
            | Op::ImageTexelPointer => def.id(3),
            Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => def.id(4),
            _ => return None,
        };
    }
    None
}

/// An instruction, shortened.
fn shown(inst: Inst<'_>) -> String {
    let op = inst.op();
    let mut shown = String::with_capacity(64);
    if let Some(id) = inst.result().filter(|_| !matches!(op, Op::TypeInt | Op::TypeFloat)) {
        number(&mut shown, "%", id.0);
        shown += " = ";
    }
    shown += &text(op, Op::name);
    let mut word = |term: Term| {
        shown.push(' ');
        shown += &term;
    };
    match op {
        Op::EntryPoint => word(text(ExecutionModel(inst.word(1)), ExecutionModel::name)),
        Op::MemoryModel => {
            word(text(AddressingModel(inst.word(1)), AddressingModel::name));
            word(text(MemoryModel(inst.word(2)), MemoryModel::name));
        }
        Op::TypeInt | Op::TypeFloat => number(&mut shown, " ", inst.word(2)),
        Op::ExecutionMode => {
            number(&mut shown, " %", inst.word(1));
            shown.push(' ');
            shown += &text(ExecutionMode(inst.word(2)), ExecutionMode::name);
        }
        Op::Decorate | Op::MemberDecorate => decoration(&mut shown, inst),
        _ => {}
    }
    shown
}

fn decoration(shown: &mut String, inst: Inst<'_>) {
    let at = if inst.op() == Op::Decorate { 2 } else { 3 };
    number(shown, " %", inst.word(1));
    if inst.op() == Op::MemberDecorate {
        number(shown, " ", inst.word(2));
    }
    let decoration = Decoration(inst.word(at));
    shown.push(' ');
    *shown += &text(decoration, Decoration::name);
    if decoration == Decoration::BuiltIn {
        shown.push(' ');
        *shown += &text(BuiltIn(inst.word(at + 1)), BuiltIn::name);
    }
}

/// Adds a number behind something; formatting it takes several times as long.
fn number(shown: &mut String, before: &str, value: u32) {
    *shown += before;
    let mut place = 1;
    while value / place >= 10 {
        place *= 10;
    }
    while place > 0 {
        shown.push(char::from(b'0' + (value / place % 10) as u8));
        place /= 10;
    }
}
