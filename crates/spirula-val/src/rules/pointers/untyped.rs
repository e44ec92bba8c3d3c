//! Matrices behind untyped pointers (SPV_KHR_untyped_pointers).
//!
//! How a matrix is laid out stands at the member of a structure, so that an untyped pointer to one has to come from there.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Op};
use spirula_module::{Module, Shape};

use super::flow::{base_word, enters_matrix};
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};

rules! {
    group "pointers";
    /// An untyped pointer through which a matrix, an array of matrices or a column is accessed comes from an access chain
    /// whose Base Type is a structure: only there the layout of the matrix is known.
    MATRIX: "untyped-pointer-matrix", extension "SPV_KHR_untyped_pointers";
}

/// How many access chains are gone back.
const FAR: usize = 64;

/// An object of type `ty` is accessed through the untyped pointer at `word`.
#[cold]
pub(crate) fn matrix<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id) -> Checked {
    if !cx.facts.all().any(Parts::MATRIX) || !cx.has(Capability::Shader) {
        return Ok(());
    }
    let m = cx.m;
    let Some(pointer) = m.def(inst.id(word)) else { return Ok(()) };
    let whole = m.key(without_arrays(m, ty).0).shape() == Shape::Matrix;
    let column = m.key(ty).shape() == Shape::Vector && enters_matrix(m, pointer);
    cx.check_at(!(whole || column) || comes_from_structure(m, pointer), &MATRIX, inst, word, || {
        msg(format!(
            "a matrix or a part of one is accessed through {}, to which no access chain leads from a structure",
            inst.id(word)
        ))
        .declared(m, inst.id(word))
        .help("use the structure that the matrix is a member of as Base Type of OpUntypedAccessChainKHR")
    })
}

/// Whether access chains lead from a structure to the pointer.
fn comes_from_structure(m: Module<'_>, pointer: Inst<'_>) -> bool {
    let mut inst = pointer;
    for _ in 0..FAR {
        let Some(word) = base_word(inst.op()) else { return false };
        let base = inst.id(word);
        let start = match inst.op() {
            Op::CopyObject => Id(0),
            _ if word == 3 => m.pointer(m.type_id_of(base)).map_or(Id(0), |p| p.1),
            _ => inst.id(3),
        };
        if m.key(without_arrays(m, start).0).shape() == Shape::Struct {
            return true;
        }
        let Some(before) = m.def(base) else { return true };
        inst = before;
    }
    true
}
