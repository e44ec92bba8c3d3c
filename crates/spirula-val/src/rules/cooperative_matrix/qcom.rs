//! `SPV_QCOM_cooperative_matrix_conversion`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_module::{Scalar, Type, TypeKey};

use super::{extent, is_int32, value};
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// Arrays are cast and cut as arrays of 32-bit integers, or of 32-bit or 16-bit floats, of fitting lengths.
    ARRAY: "qcom-array-conversion", extension "SPV_QCOM_cooperative_matrix_conversion";
    /// Where an array is cut is a multiple of the length of what is cut out of it.
    START: "qcom-sub-array-start", warn vuid "VUID-RuntimeSpirv-OpExtractSubArrayQCOM-12354";
    /// A cooperative matrix is made of, or taken apart into, arrays that hold one of its rows or columns.
    MATRIX: "qcom-matrix-conversion", extension "SPV_QCOM_cooperative_matrix_conversion";
}

/// Element type and length of an array type.
fn array(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, ty: Id) -> Checked<(Id, Option<u32>)> {
    let m = cx.m;
    let of = match m.ty(ty) {
        Some(Type::Array { element, length }) => Some((element, m.fixed_u32(length))),
        _ => None,
    };
    cx.check_at(of.is_some(), &ARRAY, inst, word, || format!("{} is no array", describe(m, ty)))?;
    of.ok_or(Failed)
}

fn is_element(key: TypeKey) -> bool {
    key.is_int() && key.width() == 32 || key.is_scalar(Scalar::Float) && matches!(key.width(), 16 | 32)
}

fn element(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, ty: Id) -> Checked {
    let m = cx.m;
    cx.check_at(is_element(m.key(ty)), &ARRAY, inst, word, || {
        format!("the elements are {}, not 32-bit integers or 32-bit or 16-bit floats", describe(m, ty))
    })
}

pub(super) fn bit_cast(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let from = cx.type_at(inst, 3)?;
    let (a, n) = array(cx, inst, 1, inst.id(1))?;
    let (b, k) = array(cx, inst, 3, from)?;
    element(cx, inst, 1, a)?;
    element(cx, inst, 3, b)?;
    let bits = |n: Option<u32>, ty: Id| n.map(|n| u64::from(n) * u64::from(m.key(ty).width()));
    let ok = bits(n, a).zip(bits(k, b)).is_none_or(|(x, y)| x == y);
    cx.check_at(ok, &ARRAY, inst, 3, || {
        format!("{} has not the size of {}", describe(m, from), describe(m, inst.id(1)))
    })
}

pub(super) fn sub_array(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let from = cx.type_at(inst, 3)?;
    let (a, length) = array(cx, inst, 1, inst.id(1))?;
    let (b, _) = array(cx, inst, 3, from)?;
    cx.check_at(a == b, &ARRAY, inst, 3, || format!("the elements are {}, not {}", describe(m, b), describe(m, a)))?;
    element(cx, inst, 3, b)?;
    value(cx, &ARRAY, inst, 4, "a 32-bit integer", is_int32)?;
    let (Some(start), Some(length)) = (m.fixed_u32(inst.id(4)), length.filter(|_| cx.env.is_vulkan())) else {
        return Ok(());
    };
    cx.check_at(length == 0 || start.is_multiple_of(length), &START, inst, 4, || {
        format!("Start Index is {start}, no multiple of the {length} elements that are cut out")
    })
}

pub(super) fn construct(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let source = cx.type_at(inst, 3)?;
    row(cx, inst, (1, inst.id(1)), (3, source))
}

pub(super) fn extract(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let source = cx.type_at(inst, 3)?;
    row(cx, inst, (3, source), (1, inst.id(1)))
}

/// An array holds a row (of an `A` matrix or an accumulator) or a column (of a `B` matrix).
fn row(cx: &mut Cx<'_>, inst: Inst<'_>, matrix: (usize, Id), holder: (usize, Id)) -> Checked {
    let m = cx.m;
    let (word, ty) = matrix;
    let khr = match m.ty(ty) {
        Some(Type::CooperativeMatrix { component, .. }) => Some(component),
        _ => None,
    };
    cx.check_at(khr.is_some(), &MATRIX, inst, word, || format!("{} is no cooperative matrix", describe(m, ty)))?;
    let (component, of) = (khr.ok_or(Failed)?, extent(cx, ty).ok_or(Failed)?);
    let (held, length) = array(cx, inst, holder.0, holder.1)?;
    let Some(usage) = m.fixed_u32(of[3]) else { return Ok(()) };
    let accumulator = usage == super::ACCUMULATOR;
    let key = m.key(component);
    let int = key.is_int() && key.width() == if accumulator { 32 } else { 8 };
    let ok = int || key.is_scalar(Scalar::Float) && matches!(key.width(), 16 | 32);
    cx.check_at(ok, &MATRIX, inst, word, || format!("the matrix has components of {}", describe(m, component)))?;
    let inner = m.fixed_u32(if usage == 1 { of[1] } else { of[2] });
    let bits = inner.map(|n| n.wrapping_mul(key.width()));
    cx.check_at(accumulator || bits.is_none_or(|b| b == 256), &MATRIX, inst, word, || {
        format!("a row or column has {} bits, not 256", bits.unwrap_or(0))
    })?;
    let unsigned = is_int32(m.key(held)) && !m.key(held).is_signed();
    let packed = match (accumulator, key.width()) {
        (false, _) => Some(8),
        (true, 16) => inner.map(|n| n / 2),
        (true, _) => inner,
    };
    let fits = |wanted: Option<u32>| length.zip(wanted).is_none_or(|(a, b)| a == b);
    let ok = held == component && fits(inner) || unsigned && fits(packed);
    cx.check_at(ok, &MATRIX, inst, holder.0, || {
        format!("{} does not hold a row or column of {}", describe(m, holder.1), describe(m, ty))
    })
}
