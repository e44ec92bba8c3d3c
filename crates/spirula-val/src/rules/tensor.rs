//! Tensors: `SPV_ARM_tensors`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Op, TensorOperands as T};
use spirula_module::{Scalar, Shape, Type, TypeKey};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::scopes;
use crate::signature::describe;

rules! {
    group "tensor";
    /// The element type of a tensor is a scalar; its rank is a constant of at least 1; its shape is a constant array of
    /// as many sizes, each at least 1.
    TYPE: "type-tensor", extension "SPV_ARM_tensors";
    /// Tensors that are read, written and asked for their size have a rank.
    RANKED: "tensor-ranked", extension "SPV_ARM_tensors";
    /// What is read from or written to a tensor is a scalar of its element type, or an array of such scalars.
    ELEMENT: "tensor-element", extension "SPV_ARM_tensors";
    /// Coordinates into a tensor are an array of as many integers as the tensor has dimensions.
    COORDINATES: "tensor-coordinates", extension "SPV_ARM_tensors";
    /// Tensor operands stand with the instruction that they are for.
    OPERANDS: "tensor-operands", extension "SPV_ARM_tensors";
    /// The dimension whose size is asked for is an integer constant less than the tensor's rank.
    DIMENSION: "tensor-dimension", extension "SPV_ARM_tensors";
    /// Only tensors with a shape have constants, made of elements or of tensors with one dimension less.
    CONSTANT: "tensor-constant", extension "SPV_ARM_tensors";
}

pub(crate) const TABLE: Table = rule_table! {
    TypeTensorARM => tensor_type;
    TensorReadARM => read;
    TensorWriteARM => write;
    TensorQuerySizeARM => query_size;
};

/// What an `OpTypeTensorARM` says.
#[derive(Clone, Copy)]
pub(crate) struct Tensor {
    pub(crate) element: Id,
    pub(crate) rank: Option<Id>,
    shape: Option<Id>,
}

pub(crate) fn tensor(cx: &Cx<'_>, ty: Id) -> Option<Tensor> {
    let def = cx.m.def(ty).filter(|d| d.op() == Op::TypeTensorARM)?;
    let at = |i: usize| def.words().get(i).map(|w| Id(*w));
    Some(Tensor { element: def.id(2), rank: at(3), shape: at(4) })
}

/// The sizes along the dimensions, outermost first, where the shape is a list of constants.
pub(crate) fn sizes<'a>(cx: &Cx<'a>, t: Tensor) -> Option<&'a [u32]> {
    let def = cx.m.def(t.shape?)?;
    matches!(def.op(), Op::ConstantComposite | Op::SpecConstantComposite).then(|| def.tail(3))
}

fn is_number(key: TypeKey) -> bool {
    key.shape() == Shape::Scalar
}

fn tensor_type(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let t = Tensor { element: inst.id(2), rank: inst.words().get(3).map(|w| Id(*w)), shape: None };
    let number = is_number(super::universal::type_operand(cx, inst, 2)?);
    cx.check_at(number, &TYPE, inst, 2, || format!("the element type is {}", describe(m, t.element)))?;
    let Some(rank) = t.rank else { return Ok(()) };
    let key = cx.key_at(inst, 3)?;
    cx.check_at(m.info(rank).is_constant(), &TYPE, inst, 3, || format!("the rank {rank} is no constant"))?;
    cx.check_at(key.is_int(), &TYPE, inst, 3, || format!("the rank {rank} is no integer scalar"))?;
    let value = m.int_constant(rank);
    let positive = value.is_none_or(|v| v.spec || v.as_unsigned().is_some_and(|v| v > 0));
    cx.check_at(positive, &TYPE, inst, 3, || "the rank is not greater than 0")?;
    if inst.words().len() > 4 { shape(cx, inst, rank) } else { Ok(()) }
}

fn shape(cx: &mut Cx<'_>, inst: Inst<'_>, rank: Id) -> Checked {
    let m = cx.m;
    let id = inst.id(4);
    let ty = cx.type_at(inst, 4)?;
    cx.check_at(m.info(id).is_constant(), &TYPE, inst, 4, || format!("the shape {id} is no constant"))?;
    let ok = match m.ty(ty) {
        Some(Type::Array { element, length }) => m.key(element).is_int() && equal(cx, length, rank),
        _ => false,
    };
    cx.check_at(ok, &TYPE, inst, 4, || {
        format!("the shape has type {}, not an array of an integer for each dimension", describe(m, ty))
    })?;
    let t = Tensor { element: Id(0), rank: None, shape: Some(id) };
    let sizes = sizes(cx, t).unwrap_or(&[]);
    let zero = sizes.iter().position(|s| m.int_constant(Id(*s)).is_some_and(|v| !v.spec && v.bits == 0));
    cx.check_at(zero.is_none(), &TYPE, inst, 4, || format!("the size of dimension {} is 0", zero.unwrap_or(0)))
}

/// Whether two integer constants can be equal; their types may differ.
fn equal(cx: &Cx<'_>, a: Id, b: Id) -> bool {
    a == b || cx.m.fixed_u32(a).zip(cx.m.fixed_u32(b)).is_none_or(|(a, b)| a == b)
}

/// The type of the ranked tensor at `word`, with its rank.
fn ranked(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<(Tensor, Id)> {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let of = tensor(cx, ty);
    let rank = of.and_then(|t| t.rank);
    cx.check_at(rank.is_some(), &RANKED, inst, word, || {
        let id = inst.id(word);
        msg(format!("{id} has type {}, not a tensor with a rank", describe(m, ty))).declared(m, id)
    })?;
    of.zip(rank).ok_or(Failed)
}

fn element(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, ty: Id, t: Tensor) -> Checked {
    let m = cx.m;
    let of = match m.ty(ty) {
        Some(Type::Array { element, .. }) => element,
        _ => ty,
    };
    cx.check_at(of == t.element, &ELEMENT, inst, word, || {
        format!("{} is neither the element type {} nor an array of it", describe(m, ty), describe(m, t.element))
    })
}

fn coordinates(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, rank: Id) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let ok = match m.ty(ty) {
        Some(Type::Array { element, length }) => {
            let key = m.key(element);
            key.is_scalar(Scalar::Int) && equal(cx, length, rank)
        }
        _ => false,
    };
    cx.check_at(ok, &COORDINATES, inst, word, || {
        format!("the coordinates have type {}, not an array of an integer for each dimension", describe(m, ty))
    })
}

fn read(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (t, rank) = ranked(cx, inst, 3)?;
    element(cx, inst, 1, inst.id(1), t)?;
    coordinates(cx, inst, 4, rank)?;
    let mask = inst.word(5);
    let wrong = mask & T::MakeElementAvailableARM.0 != 0;
    cx.check_at(!wrong, &OPERANDS, inst, 5, || "MakeElementAvailableARM with a read")?;
    let bounds = usize::from(mask & T::OutOfBoundsValueARM.0 != 0);
    needs_non_private(cx, inst, 5, T::MakeElementVisibleARM)?;
    made(cx, inst, 5, 6 + bounds, T::MakeElementVisibleARM)?;
    if mask & T::OutOfBoundsValueARM.0 != 0 {
        let m = cx.m;
        let ty = cx.type_at(inst, 6)?;
        cx.check_at(ty == t.element, &OPERANDS, inst, 6, || {
            format!("the value out of bounds has type {}, not {}", describe(m, ty), describe(m, t.element))
        })?;
        let constant = m.info(inst.id(6)).is_constant();
        cx.check_at(constant, &OPERANDS, inst, 6, || "the value out of bounds is no constant")?;
    }
    Ok(())
}

fn needs_non_private(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, bit: T) -> Checked {
    let mask = inst.word(word);
    let ok = mask & bit.0 == 0 || mask & T::NonPrivateElementARM.0 != 0;
    cx.check_at(ok, &OPERANDS, inst, word, || format!("{bit} without NonPrivateElementARM"))
}

fn write(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (t, rank) = ranked(cx, inst, 1)?;
    coordinates(cx, inst, 2, rank)?;
    let ty = cx.type_at(inst, 3)?;
    element(cx, inst, 3, ty, t)?;
    for bit in [T::OutOfBoundsValueARM, T::MakeElementVisibleARM] {
        let wrong = inst.word(4) & bit.0 != 0;
        cx.check_at(!wrong, &OPERANDS, inst, 4, || format!("{bit} with a write"))?;
    }
    needs_non_private(cx, inst, 4, T::MakeElementAvailableARM)?;
    made(cx, inst, 4, 5, T::MakeElementAvailableARM)?;
    let m = cx.m;
    let loaded = m.def(inst.id(1)).filter(|d| d.op() == Op::Load).map(|d| d.id(3));
    let from = loaded.filter(|id| m.is_decorated(*id, spirula_grammar::Decoration::NonWritable));
    cx.check_at(from.is_none(), &OPERANDS, inst, 1, || {
        let from = from.unwrap_or_default();
        crate::cx::msg(format!("the tensor {from} is written to, but is decorated NonWritable")).declared(m, from)
    })
}

/// Where the mask at `word` makes elements available or visible, the scope for which stands at `scope`.
fn made(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, scope: usize, bit: T) -> Checked {
    if inst.word(word) & bit.0 == 0 { Ok(()) } else { scopes::scope(cx, inst, scope).map(drop) }
}

fn query_size(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ok = cx.result_key(inst)?.is_int();
    cx.check_at(ok, &ELEMENT, inst, 1, || format!("the Result Type is {}, not an integer", describe(m, inst.id(1))))?;
    let (_, rank) = ranked(cx, inst, 3)?;
    let id = inst.id(4);
    let ok = cx.key_at(inst, 4)?.is_int() && m.info(id).is_constant();
    cx.check_at(ok, &DIMENSION, inst, 4, || format!("the dimension {id} is no integer constant"))?;
    let (dimension, rank) = (m.fixed_u32(id), m.fixed_u32(rank));
    let ok = dimension.zip(rank).is_none_or(|(d, r)| d < r);
    cx.check_at(ok, &DIMENSION, inst, 4, || format!("the dimension {id} is not less than the rank"))
}

/// Whether a type is a tensor without a shape, which has no constants.
pub(crate) fn is_without_shape(cx: &Cx<'_>, ty: Id) -> bool {
    tensor(cx, ty).is_some_and(|t| t.shape.is_none())
}

/// The constituents of a tensor constant: elements, or tensors with the inner dimensions.
pub(crate) fn constituents(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = inst.id(1);
    let Some(t) = tensor(cx, ty) else { return Ok(()) };
    let rank = t.rank.and_then(|r| m.fixed_u32(r));
    cx.check_at(t.shape.is_some(), &CONSTANT, inst, 1, || format!("{} has no shape", describe(m, ty)))?;
    let outer = sizes(cx, t);
    let given = inst.tail(3).len();
    if !matches!(inst.op(), Op::ConstantCompositeReplicateEXT | Op::SpecConstantCompositeReplicateEXT) {
        let wanted = outer.and_then(|s| s.first()).and_then(|s| m.fixed_u32(Id(*s)));
        cx.check(wanted.is_none_or(|w| w as usize == given), &CONSTANT, inst, || {
            format!("{given} constituents, but the outermost dimension has {}", wanted.unwrap_or(0))
        })?;
    }
    for word in 3..3 + given {
        let part = cx.type_at(inst, word)?;
        // A rank that is specialised later may be 1.
        if rank == Some(1) || rank.is_none() && part == t.element {
            cx.check_at(part == t.element, &CONSTANT, inst, word, || {
                format!("the constituent has type {}, not {}", describe(m, part), describe(m, t.element))
            })?;
        } else {
            inner(cx, inst, word, part, (t, rank, outer))?;
        }
    }
    Ok(())
}

fn inner(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, part: Id, of: (Tensor, Option<u32>, Option<&[u32]>)) -> Checked {
    let m = cx.m;
    let (t, rank, outer) = of;
    let p = tensor(cx, part);
    cx.check_at(p.is_some(), &CONSTANT, inst, word, || {
        format!("the constituent has type {}, not a tensor", describe(m, part))
    })?;
    let p = p.ok_or(Failed)?;
    cx.check_at(p.element == t.element, &CONSTANT, inst, word, || {
        format!("the constituent's elements are {}, not {}", describe(m, p.element), describe(m, t.element))
    })?;
    let depth = p.rank.and_then(|r| m.fixed_u32(r));
    let ok = rank.zip(depth).is_none_or(|(r, d)| d.checked_add(1) == Some(r));
    cx.check_at(ok, &CONSTANT, inst, word, || format!("the constituent has {} dimensions", depth.unwrap_or(0)))?;
    if let (Some(outer), Some(sizes)) = (outer, sizes(cx, p)) {
        let same = outer.iter().skip(1).zip(sizes).all(|(a, b)| equal(cx, Id(*a), Id(*b)));
        cx.check_at(same, &CONSTANT, inst, word, || "the constituent has not the sizes of the inner dimensions")?;
    }
    Ok(())
}
