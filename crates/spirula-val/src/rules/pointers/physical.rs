//! Pointers to matrices in the PhysicalStorageBuffer storage class (§2.16.1).
//!
//! How a matrix is laid out stands at the member of a structure. A pointer to one, or into one, therefore has to come
//! from a structure, and cannot be handed on.

use alloc::format;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, Operands};
use spirula_diag::rules;
use spirula_grammar::{Capability, Class, Op, StorageClass};
use spirula_module::{Module, Shape};

use super::flow::{base_word, enters_matrix};
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};
use crate::flow::filled;

rules! {
    group "pointers";
    /// A pointer to PhysicalStorageBuffer that points to a matrix, or into one, comes from an access chain that starts at
    /// a structure: only there the layout of the matrix is known.
    MATRIX: "physical-pointer-matrix", extension "SPV_KHR_physical_storage_buffer";
    /// A pointer to a matrix or into one is only loaded from and stored to.
    MATRIX_USE: "physical-pointer-matrix-use", extension "SPV_KHR_physical_storage_buffer";
}

/// Judges a module.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let parts = cx.facts.all();
    if !cx.has(Capability::PhysicalStorageBufferAddresses) || !parts.any(Parts::MATRIX) {
        return;
    }
    let m = cx.m;
    let mut into = core::mem::take(&mut cx.flow.scratch.flags);
    filled(&mut into, m.ids().slot_count(), false);
    let mut any = false;
    for function in m.functions() {
        for inst in m.insts(function.start..function.end) {
            if let Some(ty) = inst.result_type()
                && cx.parts(ty).any(Parts::PHYSICAL_STORAGE)
                && is_physical(m, ty)
                && produced(cx, inst, &into)
                && let Some(slot) = m.ids().slot(inst.id(2)).and_then(|s| into.get_mut(s))
            {
                (*slot, any) = (true, true);
            }
            // The words tell quickly that nearly all instructions use none; only then the operands are decoded.
            if any && !is_access(inst.op()) && inst.tail(1).iter().any(|w| is_marked(m, &into, Id(*w))) {
                used(cx, inst, &into);
            }
        }
    }
    cx.flow.scratch.flags = into;
}

/// What may use them, and takes no pointer besides.
fn is_access(op: Op) -> bool {
    matches!(op, Op::Load | Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain)
}

fn is_physical(m: Module<'_>, ty: Id) -> bool {
    matches!(m.pointer(ty), Some((StorageClass::PhysicalStorageBuffer, _)))
}

fn is_marked(m: Module<'_>, into: &[bool], id: Id) -> bool {
    m.ids().slot(id).and_then(|s| into.get(s)).copied().unwrap_or(false)
}

/// Whether the pointer that an instruction produces is to a matrix or into one.
fn produced<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, into: &[bool]) -> bool {
    let m = cx.m;
    let pointee = m.pointer(inst.id(1)).map_or(Id(0), |p| p.1);
    let to_matrix = m.key(without_arrays(m, pointee).0).shape() == Shape::Matrix;
    let chain = base_word(inst.op()).filter(|_| inst.op() != Op::CopyObject);
    let Some(word) = chain else {
        cx.check(!to_matrix, &MATRIX, inst, || {
            msg(format!("{} gives a pointer to {pointee}, which is a matrix or an array of matrices", inst.op()))
                .help("put the matrix into a structure, and point to that")
        })
        .ok();
        return false;
    };
    let base = inst.id(word);
    if is_marked(m, into, base) {
        return true;
    }
    if !to_matrix && !enters_matrix(m, inst) {
        return false;
    }
    let start = if word == 3 { m.pointer(m.type_id_of(base)).map_or(Id(0), |p| p.1) } else { inst.id(3) };
    let from_structure = m.key(without_arrays(m, start).0).shape() == Shape::Struct;
    // Where the base is a pointer to a matrix, that one has been reported.
    let known = m.key(without_arrays(m, start).0).shape() == Shape::Matrix;
    cx.check_at(from_structure || known, &MATRIX, inst, word, || {
        format!("the access chain leads to a matrix, but starts at {base}, which does not point to a structure")
    })
    .ok();
    from_structure
}

/// What uses a pointer to a matrix or into one.
#[cold]
fn used<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, into: &[bool]) {
    let m = cx.m;
    let skipped = inst.desc().is_none_or(|d| matches!(d.class, Class::Debug | Class::Annotation));
    if skipped || inst.op() == Op::ExtInst && is_non_semantic(m, inst) {
        return;
    }
    let wrong: Vec<usize> = Operands::new(inst, &m)
        .flatten()
        .filter(|o| o.id().is_some_and(|id| Some(id) != inst.result() && is_marked(m, into, id)))
        .map(|o| o.at as usize)
        .filter(|at| {
            !(inst.op() == Op::Store && *at == 1)
                && base_word(inst.op()).is_none_or(|w| w != *at || inst.op() == Op::CopyObject)
        })
        .collect();
    for word in wrong {
        cx.fail_at(&MATRIX_USE, inst, word, || {
            msg(format!("{} points to a matrix or into one, but is used by {}", inst.id(word), inst.op()))
                .help("only OpLoad and OpStore know the layout of the matrix")
        })
        .ok();
    }
}

fn is_non_semantic(m: Module<'_>, inst: Inst<'_>) -> bool {
    m.info(inst.id(3)).ext_set().is_some_and(|s| s.is_non_semantic())
}
