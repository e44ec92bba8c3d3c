//! Types that built-ins have.

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule};
use spirula_module::{Module, Type};

use crate::cx::Cx;
use crate::signature::describe;

/// A type that a built-in demands.
pub(super) enum Ty {
    Bool,
    /// Integer scalar of any width.
    Int,
    Int32,
    Float32,
    Vector(u32, &'static Ty),
    Matrix4x3,
    Array(&'static Ty, Option<u64>),
    /// Either: the specification names the one, compilers declare the other.
    Either(&'static Ty, &'static Ty),
}

#[allow(clippy::too_many_arguments)]
pub(super) fn typed(
    cx: &mut Cx<'_>,
    rule: &'static Rule,
    at: Inst<'_>,
    word: usize,
    ty: Id,
    want: &'static Ty,
    arrayed: bool,
    what: impl Fn() -> String,
) -> Checked {
    let m = cx.m;
    if is(m, ty, want) {
        return Ok(());
    }
    if arrayed
        && let Some(Type::Array { element, .. } | Type::RuntimeArray { element }) = m.ty(ty)
        && is(m, element, want)
    {
        return Ok(());
    }
    if !m.info(ty).is_type() {
        return Err(Failed);
    }
    cx.fail_at(rule, at, word, || format!("{} has type {}, not {}", what(), describe(m, ty), name(want)))
}

/// Whether a type is the one that is wanted.
pub(super) fn is(m: Module<'_>, ty: Id, want: &Ty) -> bool {
    let key = m.key(ty);
    match want {
        Ty::Bool => key.is_bool(),
        Ty::Int => key.is_int(),
        Ty::Int32 => key.is_int() && key.width() == 32,
        Ty::Float32 => key.is_scalar(spirula_module::Scalar::Float) && key.width() == 32,
        Ty::Vector(count, component) => match m.ty(ty) {
            Some(Type::Vector { component: c, count: n }) => n == *count && is(m, c, component),
            _ => false,
        },
        Ty::Matrix4x3 => {
            key.shape() == spirula_module::Shape::Matrix
                && key.count() == 4
                && key.rows() == 3
                && key.component_class() == spirula_module::Scalar::Float
                && key.width() == 32
        }
        Ty::Array(element, size) => match m.ty(ty) {
            Some(Type::Array { element: e, length }) => {
                let fits = size.is_none_or(|s| m.int_constant(length).is_none_or(|c| c.spec || c.bits == s));
                fits && is(m, e, element)
            }
            _ => false,
        },
        Ty::Either(one, other) => is(m, ty, one) || is(m, ty, other),
    }
}

pub(super) fn name(want: &Ty) -> String {
    match want {
        Ty::Bool => "a Boolean".into(),
        Ty::Int => "an integer".into(),
        Ty::Int32 => "a 32-bit integer".into(),
        Ty::Float32 => "a 32-bit float".into(),
        Ty::Vector(count, Ty::Float32) => format!("a vector of {count} 32-bit floats"),
        Ty::Vector(count, _) => format!("a vector of {count} 32-bit integers"),
        Ty::Matrix4x3 => "a matrix of 4 columns of 3 32-bit floats".into(),
        Ty::Array(element, None) => format!("an array, each element {}", name(element)),
        Ty::Either(one, other) => format!("{} or {}", name(one), name(other)),
        Ty::Array(element, Some(size)) => format!("an array of {size} elements, each {}", name(element)),
    }
}

/// Number of elements of an array type whose size no specialisation changes.
pub(super) fn array_size(m: Module<'_>, ty: Id) -> Option<u64> {
    match m.ty(ty) {
        Some(Type::Array { length, .. }) => m.int_constant(length).filter(|c| !c.spec)?.as_unsigned(),
        _ => None,
    }
}
