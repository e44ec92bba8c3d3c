//! Where variable pointers come from and lead to.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Site, rules};
use spirula_grammar::{Capability, Decoration, Op};
use spirula_module::{Module, Shape, Type};

use crate::cx::{Cx, msg};
use crate::facts::{Parts, is_logical, without_arrays};
use crate::rules::memory;

rules! {
    group "pointers";
    /// A variable pointer does not point to a matrix, or to something that contains one.
    MATRIX: "variable-pointer-matrix", spec "§2.16.1";
    /// A variable pointer does not point to a column of a matrix, or to a component of a column.
    COLUMN: "variable-pointer-column", spec "§2.16.1";
    /// Without capability VariablePointers, a variable pointer is chosen from pointers into one structure.
    SAME_STRUCTURE: "variable-pointer-structure", spec "§2.16.1";
    /// A variable pointer does not point to an array of blocks, which is an array of descriptors.
    BLOCK_ARRAY: "variable-pointer-block-array", spec "§2.16.1";
    /// The length of a run-time array is not asked through a variable pointer.
    LENGTH: "variable-pointer-length", spec "§2.16.1";
}

/// What is known of the pointers of a module, by slot.
struct Flow<'a> {
    /// Whether it is a variable pointer.
    varies: &'a mut [bool],
    /// Word offset of the access chain that led into a matrix; 0 where none did.
    into_matrix: &'a mut [u32],
}

/// Judges the variable pointers of a module.
pub(crate) fn variable_pointers(cx: &mut Cx<'_>) {
    if !cx.has(Capability::VariablePointersStorageBuffer) || super::is_relaxed(cx) {
        return;
    }
    let m = cx.m;
    let slots = m.ids().slot_count();
    let mut flow = Flow { varies: cx.filled(slots, false), into_matrix: cx.filled(slots, 0) };
    let nulls = m.global_insts().filter(|i| i.op() == Op::ConstantNull && is_logical_pointer(m, i.id(1)));
    for null in nulls {
        flow.mark(m, null.id(2));
        pointed_to(cx, null, null.id(2));
    }
    // Calls carry variable pointers from function to function. A chain of calls longer than this is not followed.
    for _ in 0..16 {
        if !flow.spread(m) {
            break;
        }
    }
    // What leads into matrices may be passed on to functions that stand before.
    for _ in 0..4 {
        if !flow.enter_matrices(m) {
            break;
        }
    }
    for inst in bodies(m) {
        judge(cx, &flow, inst);
    }
}

/// The instructions from the first function on.
fn bodies<'a>(m: Module<'a>) -> impl Iterator<Item = Inst<'a>> {
    m.functions().iter().flat_map(move |f| m.insts(f.start..f.end))
}

fn is_logical_pointer(m: Module<'_>, ty: Id) -> bool {
    m.pointer(ty).is_some_and(|p| is_logical(p.0, m.addressing_model()))
}

/// The base of an access chain or copy, by word.
pub(super) fn base_word(op: Op) -> Option<usize> {
    match op {
        Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain => Some(3),
        Op::CopyObject => Some(3),
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR => Some(4),
        _ => None,
    }
}

impl Flow<'_> {
    fn varies(&self, m: Module<'_>, id: Id) -> bool {
        m.ids().slot(id).and_then(|s| self.varies.get(s)).copied().unwrap_or(false)
    }

    fn leads_into_matrix(&self, m: Module<'_>, id: Id) -> Option<u32> {
        m.ids().slot(id).and_then(|s| self.into_matrix.get(s)).copied().filter(|at| *at != 0)
    }

    /// Marks an id as variable pointer. Returns whether that is new.
    fn mark(&mut self, m: Module<'_>, id: Id) -> bool {
        match m.ids().slot(id).and_then(|s| self.varies.get_mut(s)) {
            Some(varies) => !core::mem::replace(varies, true),
            None => false,
        }
    }

    /// One pass over the functions. Returns whether something changed.
    fn spread(&mut self, m: Module<'_>) -> bool {
        let mut changed = false;
        for inst in bodies(m) {
            let op = inst.op();
            let source = matches!(
                op,
                Op::Select | Op::Phi | Op::FunctionCall | Op::PtrAccessChain | Op::UntypedPtrAccessChainKHR | Op::Load
            );
            if let Some(result) = inst.result()
                && (source || base_word(op).is_some_and(|w| self.varies(m, inst.id(w))))
                && is_logical_pointer(m, inst.id(1))
            {
                changed |= self.mark(m, result);
            }
            if op == Op::FunctionCall {
                changed |= self.arguments(m, inst);
            }
        }
        changed
    }

    /// One pass that notes which pointers lead into matrices. Returns whether something changed.
    fn enter_matrices(&mut self, m: Module<'_>) -> bool {
        let mut changed = false;
        for inst in bodies(m) {
            if inst.op() == Op::FunctionCall {
                for (argument, parameter) in inst.tail(4).iter().zip(parameters(m, inst.id(3))) {
                    if let Some(at) = self.leads_into_matrix(m, Id(*argument)) {
                        changed |= self.note(m, parameter, at);
                    }
                }
                continue;
            }
            let (Some(word), Some(result)) = (base_word(inst.op()), inst.result()) else { continue };
            let at =
                if enters_matrix(m, inst) { Some(inst.offset()) } else { self.leads_into_matrix(m, inst.id(word)) };
            if let Some(at) = at {
                changed |= self.note(m, result, at);
            }
        }
        changed
    }

    fn note(&mut self, m: Module<'_>, id: Id, at: u32) -> bool {
        match m.ids().slot(id).and_then(|s| self.into_matrix.get_mut(s)) {
            Some(slot) if *slot == 0 => {
                *slot = at;
                true
            }
            _ => false,
        }
    }

    fn arguments(&mut self, m: Module<'_>, call: Inst<'_>) -> bool {
        let mut changed = false;
        for (argument, parameter) in call.tail(4).iter().zip(parameters(m, call.id(3))) {
            if self.varies(m, Id(*argument)) {
                changed |= self.mark(m, parameter);
            }
        }
        changed
    }
}

/// The parameters of a function.
fn parameters(m: Module<'_>, function: Id) -> impl Iterator<Item = Id> {
    let range = m.function(function).map_or(0..0, |f| f.start..f.body);
    m.insts(range).filter(|i| i.op() == Op::FunctionParameter).map(|i| i.id(2))
}

fn judge<'a>(cx: &mut Cx<'a>, flow: &Flow<'_>, inst: Inst<'a>) {
    let m = cx.m;
    match inst.op() {
        Op::Select | Op::Phi => {
            chosen(cx, flow, inst);
            let (first, step) = if inst.op() == Op::Phi { (3, 2) } else { (4, 1) };
            for word in (first..inst.words().len()).step_by(step) {
                column(cx, flow, inst.id(word));
                block_array(cx, inst, word);
            }
        }
        Op::Store => column(cx, flow, inst.id(2)),
        Op::ReturnValue => column(cx, flow, inst.id(1)),
        Op::CompositeConstruct => inst.tail(3).iter().for_each(|o| column(cx, flow, Id(*o))),
        Op::FunctionCall => {
            for (argument, parameter) in inst.tail(4).iter().zip(parameters(m, inst.id(3))) {
                if flow.varies(m, parameter) {
                    column(cx, flow, Id(*argument));
                }
            }
        }
        Op::ArrayLength | Op::UntypedArrayLengthKHR => {
            let word = if inst.op() == Op::ArrayLength { 3 } else { 4 };
            let varies = flow.varies(m, inst.id(word));
            cx.check_at(!varies, &LENGTH, inst, word, || format!("{} is a variable pointer", inst.id(word))).ok();
        }
        _ => {}
    }
    chain(cx, flow, inst);
    if inst.op() == Op::Load && flow.varies(m, inst.id(3)) {
        accessed(cx, inst, 3, inst.id(1));
    }
    if inst.op() == Op::Store && flow.varies(m, inst.id(1)) {
        accessed(cx, inst, 1, m.type_id_of(inst.id(2)));
    }
    if let Some(result) = inst.result()
        && flow.varies(m, result)
    {
        pointed_to(cx, inst, result);
    }
}

/// Through an untyped variable pointer, no matrix is accessed.
fn accessed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id) {
    let untyped = cx.parts(cx.m.type_id_of(inst.id(word))).any(Parts::UNTYPED_POINTER);
    let ok = !untyped || !cx.parts(ty).any(Parts::MATRIX);
    cx.check_at(ok, &MATRIX, inst, word, || {
        format!("a matrix, or what contains one, is accessed through the variable pointer {}", inst.id(word))
    })
    .ok();
}

/// What a variable pointer points to.
fn pointed_to<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, result: Id) {
    let m = cx.m;
    let Some((_, pointee)) = m.pointer(inst.id(1)).filter(|p| p.1 != Id(0)) else { return };
    let matrix = cx.parts(pointee).any(Parts::MATRIX);
    cx.check(!matrix, &MATRIX, inst, || {
        format!("the variable pointer {result} points to {pointee}, which is or contains a matrix")
    })
    .ok();
    let (inner, arrays) = without_arrays(m, pointee);
    let block = m.is_decorated(inner, Decoration::Block) || m.is_decorated(inner, Decoration::BufferBlock);
    cx.check(arrays == 0 || !block, &BLOCK_ARRAY, inst, || {
        format!("the variable pointer {result} points to {pointee}, an array of {inner}, which is decorated Block")
    })
    .ok();
}

/// Access chains into matrices that start at a variable pointer.
fn chain<'a>(cx: &mut Cx<'a>, flow: &Flow<'_>, inst: Inst<'a>) {
    let m = cx.m;
    let Some(word) = base_word(inst.op()) else { return };
    let base = inst.id(word);
    let wrong = flow.varies(m, base) && enters_matrix(m, inst);
    cx.check_at(!wrong, &COLUMN, inst, word, || {
        format!("{base} is a variable pointer, from which the indexes lead into a matrix")
    })
    .ok();
}

/// Whether the indexes of an access chain lead into a matrix.
pub(super) fn enters_matrix(m: Module<'_>, inst: Inst<'_>) -> bool {
    enters(m, inst, |shape| shape == Shape::Matrix)
}

/// How many access chains are gone back from a pointer.
const FAR: usize = 64;

/// Whether a pointer leads into an array; true where its origin is not a variable of which that is known.
pub(crate) fn enters_array(m: Module<'_>, pointer: Id) -> bool {
    let Some(mut inst) = m.def(pointer) else { return true };
    for _ in 0..FAR {
        let Some(word) = base_word(inst.op()) else { return inst.op() != Op::Variable };
        let by_element = !matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain | Op::CopyObject);
        if by_element || enters(m, inst, |shape| matches!(shape, Shape::Array | Shape::RuntimeArray)) {
            return true;
        }
        let Some(before) = m.def(inst.id(word)) else { return true };
        inst = before;
    }
    true
}

/// Whether an index of an access chain is applied to a type of a shape.
fn enters(m: Module<'_>, inst: Inst<'_>, is: fn(Shape) -> bool) -> bool {
    let (mut ty, first) = match inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain => (m.pointer(m.type_id_of(inst.id(3))).map(|p| p.1), 4),
        Op::PtrAccessChain | Op::InBoundsPtrAccessChain => (m.pointer(m.type_id_of(inst.id(3))).map(|p| p.1), 5),
        Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => (Some(inst.id(3)), 5),
        Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR => (Some(inst.id(3)), 6),
        _ => return false,
    };
    for index in inst.tail(first) {
        let Some(now) = ty else { return false };
        if is(m.key(now).shape()) {
            return true;
        }
        ty = part(m, now, Id(*index));
    }
    false
}

/// The part of an array or structure that an index selects.
fn part(m: Module<'_>, ty: Id, index: Id) -> Option<Id> {
    match m.ty(ty) {
        Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => Some(element),
        Some(Type::Struct { members }) => m.fixed_u32(index).and_then(|n| members.get(n as usize)).map(|t| Id(*t)),
        _ => None,
    }
}

/// A pointer into a matrix becomes a variable pointer: that is reported where the matrix is entered.
fn column<'a>(cx: &mut Cx<'a>, flow: &Flow<'_>, pointer: Id) {
    if let Some(at) = flow.leads_into_matrix(cx.m, pointer) {
        cx.fail_site(&COLUMN, Site::at(at), || {
            format!("{pointer} points into a matrix, but becomes a variable pointer")
        })
        .ok();
    }
}

/// An untyped variable that is an array of blocks is not chosen.
fn block_array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) {
    let m = cx.m;
    let Some(variable) = m.def(inst.id(word)).filter(|i| i.op() == Op::UntypedVariableKHR) else { return };
    let (inner, arrays) = without_arrays(m, variable.id(4));
    let block = m.is_decorated(inner, Decoration::Block) || m.is_decorated(inner, Decoration::BufferBlock);
    cx.check_at(arrays == 0 || !block, &BLOCK_ARRAY, inst, word, || {
        format!("{} is an array of {inner}, which is decorated Block", inst.id(word))
    })
    .ok();
}

/// Without the larger capability, a choice is among pointers into one object.
fn chosen<'a>(cx: &mut Cx<'a>, flow: &Flow<'_>, inst: Inst<'a>) {
    let m = cx.m;
    if cx.has(Capability::VariablePointers) || !inst.result().is_some_and(|r| flow.varies(m, r)) {
        return;
    }
    let (first, step) = if inst.op() == Op::Phi { (3, 2) } else { (4, 1) };
    let mut known: Option<Id> = None;
    for word in (first..inst.words().len()).step_by(step) {
        let root = memory::root(m, inst.id(word));
        let declaration = matches!(
            root.map(|i| i.op()),
            Some(Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter | Op::BufferPointerEXT)
        );
        let Some(id) = root.and_then(|r| r.result()).filter(|_| declaration) else { continue };
        let other = *known.get_or_insert(id);
        if other != id {
            cx.fail_at(&SAME_STRUCTURE, inst, word, || {
                msg(format!("the pointer is chosen from pointers into {other} and into {id}"))
                    .help("that needs capability VariablePointers")
            })
            .ok();
            return;
        }
    }
}
