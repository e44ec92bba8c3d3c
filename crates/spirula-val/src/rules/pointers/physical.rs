//! Pointers to matrices in the PhysicalStorageBuffer storage class (§2.16.1).
//!
//! How a matrix is laid out stands at the member of a structure. A pointer to one, or into one, therefore has to come
//! from a structure, and cannot be handed on.

use alloc::format;

use spirula_binary::{Id, Inst, Operands};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Class, Op, StorageClass};
use spirula_module::{Module, Shape};

use super::flow::{base_word, enters_matrix};
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};

rules! {
    group "pointers";
    /// A pointer to PhysicalStorageBuffer that points to a matrix, or into one, comes from an access chain that starts at
    /// a structure: only there the layout of the matrix is known.
    MATRIX: "physical-pointer-matrix", extension "SPV_KHR_physical_storage_buffer";
    /// A pointer to a matrix or into one is only loaded from and stored to.
    MATRIX_USE: "physical-pointer-matrix-use", extension "SPV_KHR_physical_storage_buffer";
}

/// An instruction that may give a pointer to PhysicalStorageBuffer. Remembers whether it leads into a matrix.
#[inline]
pub(super) fn given<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let all = cx.facts.all();
    if !all.any(Parts::MATRIX) || !all.any(Parts::PHYSICAL_STORAGE) || !is_physical(cx, inst.id(1)) {
        return Ok(());
    }
    if produced(cx, inst)? {
        let m = cx.m;
        cx.flow.into_matrix.insert(inst.id(2), m.ids());
    }
    Ok(())
}

/// Judges the uses of what leads into matrices, once all is known that does.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if cx.flow.into_matrix.is_empty() {
        return;
    }
    let m = cx.m;
    for function in m.functions() {
        for inst in m.insts(function.start..function.end) {
            // The words tell quickly that nearly all instructions use none; only then the operands are decoded.
            if !is_access(inst.op()) && inst.tail(1).iter().any(|w| is_marked(cx, Id(*w))) {
                used(cx, inst);
            }
        }
    }
}

/// What may use them, and takes no pointer besides.
fn is_access(op: Op) -> bool {
    matches!(op, Op::Load | Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain)
}

fn is_physical(cx: &Cx<'_>, ty: Id) -> bool {
    // Structures that hold such pointers have the part, too.
    let holds = cx.parts(ty).any(Parts::PHYSICAL_STORAGE);
    holds && matches!(cx.m.pointer(ty), Some((StorageClass::PhysicalStorageBuffer, _)))
}

fn is_marked(cx: &Cx<'_>, id: Id) -> bool {
    cx.flow.into_matrix.contains(id, cx.m.ids())
}

/// Whether the pointer that an instruction produces is to a matrix or into one.
fn produced<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked<bool> {
    let m = cx.m;
    let to_matrix = |m: Module<'_>| {
        let pointee = m.pointer(inst.id(1)).map_or(Id(0), |p| p.1);
        (m.key(without_arrays(m, pointee).0).shape() == Shape::Matrix).then_some(pointee)
    };
    let chain = base_word(inst.op()).filter(|_| inst.op() != Op::CopyObject);
    let Some(word) = chain else {
        let Some(pointee) = to_matrix(m) else { return Ok(false) };
        cx.fail(&MATRIX, inst, || {
            msg(format!("{} gives a pointer to {pointee}, which is a matrix or an array of matrices", inst.op()))
                .help("put the matrix into a structure, and point to that")
        })?;
        return Ok(false);
    };
    let base = inst.id(word);
    if is_marked(cx, base) {
        return Ok(true);
    }
    let start = if word == 3 { m.pointer(m.type_id_of(base)).map_or(Id(0), |p| p.1) } else { inst.id(3) };
    // Most chains start where no matrix is.
    if !cx.parts(start).any(Parts::MATRIX) || to_matrix(m).is_none() && !enters_matrix(m, inst) {
        return Ok(false);
    }
    let from_structure = m.key(without_arrays(m, start).0).shape() == Shape::Struct;
    // Where the base is a pointer to a matrix, that one has been reported.
    let known = m.key(without_arrays(m, start).0).shape() == Shape::Matrix;
    cx.check_at(from_structure || known, &MATRIX, inst, word, || {
        format!("the access chain leads to a matrix, but starts at {base}, which does not point to a structure")
    })?;
    Ok(from_structure)
}

/// What uses a pointer to a matrix or into one.
#[cold]
fn used<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    let m = cx.m;
    let skipped = inst.desc().is_none_or(|d| matches!(d.class, Class::Debug | Class::Annotation));
    if skipped || inst.op() == Op::ExtInst && m.info(inst.id(3)).is_non_semantic() {
        return;
    }
    for operand in Operands::new(inst, &m).flatten() {
        let word = operand.at as usize;
        let marked = operand.id().is_some_and(|id| Some(id) != inst.result() && is_marked(cx, id));
        let allowed = inst.op() == Op::Store && word == 1
            || base_word(inst.op()).is_some_and(|w| w == word && inst.op() != Op::CopyObject);
        cx.check_at(!marked || allowed, &MATRIX_USE, inst, word, || {
            msg(format!("{} points to a matrix or into one, but is used by {}", inst.id(word), inst.op()))
                .help("only OpLoad and OpStore know the layout of the matrix")
        })
        .ok();
    }
}
