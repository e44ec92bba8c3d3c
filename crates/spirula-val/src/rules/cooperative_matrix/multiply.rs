//! Products, transposition, reduction and functions of elements.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{CooperativeMatrixOperands as Operands, CooperativeMatrixReduce as R, Op};
use spirula_module::{Shape, Type};

use super::{component, extent, is_int32, may_be_equal, value};
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// The matrices of a product have one scope, and the sizes and uses that linear algebra demands.
    PRODUCT: "cooperative-matrix-product", extension "SPV_KHR_cooperative_matrix";
    /// Components are treated as signed only where they are integers.
    SIGNED: "cooperative-matrix-signed", extension "SPV_KHR_cooperative_matrix";
    /// A transposition swaps rows and columns.
    TRANSPOSE: "cooperative-matrix-transpose", extension "SPV_NV_cooperative_matrix2";
    /// A reduction is along rows, columns or both, or of 2 by 2 elements, and gives a matrix of the size that is left.
    REDUCE: "cooperative-matrix-reduce", extension "SPV_NV_cooperative_matrix2";
    /// The function of a reduction or of a per-element operation takes and gives the matrix's components.
    FUNCTION: "cooperative-matrix-function", extension "SPV_NV_cooperative_matrix2";
    /// `OpCooperativeMatrixGetCoordinateEXT` gives a vector of two 32-bit integers for a 32-bit index.
    COORDINATE: "cooperative-matrix-coordinate", extension "SPV_EXT_cooperative_matrix_maintenance1";
}

/// Extent of the cooperative matrix at `word` (1: the Result Type).
fn matrix(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<(Id, [Id; 4])> {
    let ty = if word == 1 { inst.id(1) } else { cx.type_at(inst, word)? };
    let of = extent(cx, ty);
    let m = cx.m;
    cx.check_at(of.is_some(), &PRODUCT, inst, word, || format!("{} is no cooperative matrix", describe(m, ty)))?;
    of.map(|e| (ty, e)).ok_or(Failed)
}

pub(super) fn mul_add(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let d = matrix(cx, inst, 1)?.1;
    let [a, b, c] = [matrix(cx, inst, 3)?.1, matrix(cx, inst, 4)?.1, matrix(cx, inst, 5)?.1];
    let pairs = [
        ("scope", 3, d[0], a[0]),
        ("scope", 4, d[0], b[0]),
        ("scope", 5, d[0], c[0]),
        ("number of rows", 3, d[1], a[1]),
        ("number of rows", 5, d[1], c[1]),
        ("number of columns", 4, d[2], b[2]),
        ("number of columns", 5, d[2], c[2]),
        ("inner size", 4, a[2], b[1]),
    ];
    for (what, word, x, y) in pairs {
        let ok = may_be_equal(cx, x, y);
        cx.check_at(ok, &PRODUCT, inst, word, || format!("the {what} {y} is not {x}"))?;
    }
    if inst.op() == Op::CooperativeMatrixMulAddNV {
        return Ok(());
    }
    for (word, usage, wanted) in [(3, a[3], 0), (4, b[3], 1), (5, c[3], 2), (1, d[3], 2)] {
        let ok = cx.m.fixed_u32(usage).is_none_or(|u| u == wanted);
        cx.check_at(ok, &PRODUCT, inst, word, || format!("the use {usage} is not {wanted}"))?;
    }
    if inst.words().len() > 6 { signed(cx, inst, inst.word(6)) } else { Ok(()) }
}

/// Components are said to be signed where they are integers.
fn signed(cx: &mut Cx<'_>, inst: Inst<'_>, operands: u32) -> Checked {
    for (flag, word) in [
        (Operands::MatrixASignedComponentsKHR, 3),
        (Operands::MatrixBSignedComponentsKHR, 4),
        (Operands::MatrixCSignedComponentsKHR, 5),
        (Operands::MatrixResultSignedComponentsKHR, 1),
    ] {
        if operands & flag.0 == 0 {
            continue;
        }
        let ty = if word == 1 { inst.id(1) } else { cx.type_at(inst, word)? };
        let m = cx.m;
        let ok = component(cx, ty).is_none_or(|c| m.key(c).is_int());
        cx.check_at(ok, &SIGNED, inst, word, || {
            format!("{} has no integers, but is said to be signed", describe(m, ty))
        })?;
    }
    Ok(())
}

pub(super) fn transpose(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (to, from) = (matrix(cx, inst, 1)?, matrix(cx, inst, 3)?);
    let (x, y) = (to.1, from.1);
    let ok = may_be_equal(cx, x[0], y[0]) && may_be_equal(cx, x[1], y[2]) && may_be_equal(cx, x[2], y[1]);
    let m = cx.m;
    cx.check_at(ok, &TRANSPOSE, inst, 3, || {
        format!("{} is not the transpose of {}", describe(m, from.0), describe(m, to.0))
    })?;
    let same = component(cx, to.0) == component(cx, from.0);
    cx.check_at(same, &TRANSPOSE, inst, 3, || "the component type changes")?;
    let uses =
        cx.m.fixed_u32(y[3]).is_none_or(|u| u == super::ACCUMULATOR) && cx.m.fixed_u32(x[3]).is_none_or(|u| u == 1);
    cx.check_at(uses, &TRANSPOSE, inst, 3, || "an accumulator is transposed to a matrix of the use B, only")
}

pub(super) fn reduce(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (to, from) = (matrix(cx, inst, 1)?, matrix(cx, inst, 3)?);
    let m = cx.m;
    let mask = inst.word(4);
    let known = mask != 0 && (mask & R::CooperativeMatrixReduce2x2.0 == 0 || mask == R::CooperativeMatrixReduce2x2.0);
    cx.check_at(known, &REDUCE, inst, 4, || format!("the reduction {mask:#x} is neither of rows or columns, nor 2x2"))?;
    let half = |a: Id, b: Id| match (m.fixed_u32(a), m.fixed_u32(b)) {
        (Some(a), Some(b)) => u64::from(a) * 2 == u64::from(b),
        _ => true,
    };
    let (x, y) = (to.1, from.1);
    let ok = match R(mask) {
        R::CooperativeMatrixReduce2x2 => half(x[1], y[1]) && half(x[2], y[2]),
        R::Row => may_be_equal(cx, x[1], y[1]),
        R::Column => may_be_equal(cx, x[2], y[2]),
        _ => true,
    };
    cx.check_at(ok, &REDUCE, inst, 1, || {
        format!("{} has not the size that the reduction leaves", describe(m, inst.id(1)))
    })?;
    let element = component(cx, from.0);
    let same = component(cx, to.0) == element && may_be_equal(cx, x[0], y[0]) && may_be_equal(cx, x[3], y[3]);
    cx.check_at(same, &REDUCE, inst, 1, || "the Result Type has another component type, scope or use than the matrix")?;
    let (result, parameters) = function(cx, inst, 5)?;
    let element = element.ok_or(Failed)?;
    let ok = result == element && parameters.len() == 2 && parameters.iter().all(|p| *p == element.0);
    cx.check_at(ok, &FUNCTION, inst, 5, || {
        format!("the function {} does not combine two values of {} to one", inst.id(5), describe(m, element))
    })
}

/// Result and parameter types of the function at `word`.
pub(super) fn function<'a>(cx: &mut Cx<'a>, inst: Inst<'_>, word: usize) -> Checked<(Id, &'a [u32])> {
    let id = inst.id(word);
    let def = cx.m.def(id).filter(|d| d.op() == Op::Function);
    cx.check_at(def.is_some(), &FUNCTION, inst, word, || format!("{id} is no function"))?;
    match def.and_then(|d| cx.m.ty(d.id(4))) {
        Some(Type::Function { result, parameters }) => Ok((result, parameters)),
        _ => Err(Failed),
    }
}

pub(super) fn per_element(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (to, from) = (matrix(cx, inst, 1)?, matrix(cx, inst, 3)?);
    let m = cx.m;
    cx.check_at(to.0 == from.0, &FUNCTION, inst, 3, || {
        format!("the matrix has type {}, not the Result Type {}", describe(m, from.0), describe(m, to.0))
    })?;
    let element = component(cx, to.0).ok_or(Failed)?;
    let (result, parameters) = function(cx, inst, 4)?;
    let given = inst.words().len().saturating_sub(5);
    let ok = parameters.len() == 3 + given && result == element;
    cx.check_at(ok, &FUNCTION, inst, 4, || {
        format!(
            "the function {} takes {} values and gives {}, but must take {} and give {}",
            inst.id(4),
            parameters.len(),
            describe(m, result),
            3 + given,
            describe(m, element)
        )
    })?;
    for (i, p) in parameters.iter().enumerate() {
        let (word, wanted) = match i {
            0 | 1 => {
                let ok = is_int32(m.key(Id(*p)));
                cx.check_at(ok, &FUNCTION, inst, 4, || format!("the function's parameter {i} is no 32-bit integer"))?;
                continue;
            }
            2 => (4, element),
            _ => {
                let ty = cx.type_at(inst, 2 + i)?;
                if let Some(of) = component(cx, ty) {
                    cx.check_at(ty == from.0, &FUNCTION, inst, 2 + i, || {
                        format!(
                            "{} has type {}, not the matrix's type {}",
                            inst.id(2 + i),
                            describe(m, ty),
                            describe(m, from.0)
                        )
                    })?;
                    (2 + i, of)
                } else {
                    (2 + i, ty)
                }
            }
        };
        cx.check_at(*p == wanted.0, &FUNCTION, inst, word, || {
            format!("the function's parameter {i} has type {}, not {}", describe(m, Id(*p)), describe(m, wanted))
        })?;
    }
    Ok(())
}

pub(super) fn coordinate(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let key = cx.result_key(inst)?;
    let ok = key.shape() == Shape::Vector && key.is_int_scalar_or_vector() && key.count() == 2 && key.width() == 32;
    cx.check_at(ok, &COORDINATE, inst, 1, || format!("the Result Type is {}", describe(m, inst.id(1))))?;
    let ty = cx.type_at(inst, 3)?;
    let khr = matches!(m.ty(ty), Some(Type::CooperativeMatrix { .. }));
    cx.check_at(khr, &COORDINATE, inst, 3, || format!("{} is no OpTypeCooperativeMatrixKHR", describe(m, ty)))?;
    value(cx, &COORDINATE, inst, 4, "a 32-bit integer", is_int32)
}
