//! What the operands of instructions with few or odd operand types must be: for lists shorter than a function each.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::Checked;
use spirula_grammar::{AddressingModel, Op};
use spirula_module::{Module, Scalar, Shape, Type, TypeKey};

use crate::cx::{Cx, msg};
use crate::signature::{OPERAND, RESULT, describe};

/// What a type must be. Floating-point types are those without an encoding operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Is {
    /// The Result Type itself.
    Same,
    /// The Result Type, save for signedness.
    Like,
    /// Boolean scalar.
    Bool,
    /// Integer scalar of any width.
    Int,
    /// Integer scalar of any width, whose Signedness is 0.
    UInt,
    /// 32-bit integer scalar.
    Int32,
    /// 32-bit integer scalar, whose Signedness is 0.
    UInt32,
    /// 64-bit integer scalar, whose Signedness is 0, or two 32-bit ones.
    UInt64OrPair,
    /// 32-bit floating-point scalar.
    Float32,
    /// 32-bit floating-point vector of two components.
    Float32x2,
    /// 32-bit floating-point vector of three components.
    Float32x3,
    /// 4 columns of 3 components, 32-bit floating-point.
    Float32x3x4,
    /// Array of two 32-bit floating-point scalars.
    TwoFloat32,
    /// Array of two 32-bit floating-point vectors of three components.
    TwoFloat32x3,
    /// Array of three 32-bit floating-point vectors of three components.
    ThreeFloat32x3,
    /// 32-bit integer vector of two components.
    Int32x2,
    /// 32-bit integer vector of four components.
    Int32x4,
    /// 32-bit integer vector of four components, whose Signedness is 0.
    UInt32x4,
    /// Scalar or vector of numbers or Booleans.
    Value,
    /// Scalar or vector of integers.
    Ints,
    /// Scalar or vector of integers, whose Signedness is 0.
    UInts,
    /// Scalar or vector of floating-point numbers.
    Floats,
    /// Scalar or vector of Booleans.
    Bools,
    /// Integer scalar as wide as an address.
    Address,
    /// The type that this instruction declares.
    Type(Op),
    /// Pointer to the type that this instruction declares.
    PointerTo(Op),
    /// Any pointer.
    Pointer,
}

impl Is {
    fn wanted(self, m: Module<'_>) -> alloc::string::String {
        let text = match self {
            Is::Same => "the Result Type",
            Is::Like => "the Result Type, save for signedness",
            Is::Bool => "a Boolean scalar",
            Is::Int => "an integer scalar",
            Is::UInt => "an integer scalar of Signedness 0",
            Is::Int32 => "a 32-bit integer scalar",
            Is::UInt32 => "a 32-bit integer scalar of Signedness 0",
            Is::UInt64OrPair => "a 64-bit integer scalar, or a vector of 2 32-bit integers, of Signedness 0",
            Is::Float32 => "a 32-bit floating-point scalar",
            Is::Float32x2 => "a vector of 2 32-bit floats",
            Is::Float32x3 => "a vector of 3 32-bit floats",
            Is::Float32x3x4 => "a matrix of 4 columns of 3 32-bit floats",
            Is::TwoFloat32 => "an array of 2 32-bit floats",
            Is::TwoFloat32x3 => "an array of 2 vectors of 3 32-bit floats",
            Is::ThreeFloat32x3 => "an array of 3 vectors of 3 32-bit floats",
            Is::Int32x2 => "a vector of 2 32-bit integers",
            Is::Int32x4 => "a vector of 4 32-bit integers",
            Is::UInt32x4 => "a vector of 4 32-bit integers of Signedness 0",
            Is::Value => "a scalar or vector of integers, floats or Booleans",
            Is::Ints => "an integer or a vector of integers",
            Is::UInts => "an integer scalar or vector of Signedness 0",
            Is::Floats => "a floating-point number or a vector of them",
            Is::Bools => "a Boolean or a vector of Booleans",
            Is::Address => match address(m) {
                0 => "an integer scalar of 32 or 64 bits",
                width => return format!("an integer scalar of {width} bits, the addressing model's width"),
            },
            Is::Type(op) => return format!("declared by {op}"),
            Is::PointerTo(op) => return format!("a pointer to what {op} declares"),
            Is::Pointer => "a pointer",
        };
        text.into()
    }

    /// Whether the type `ty` is what is wanted; `result` is the instruction's Result Type.
    #[inline]
    pub(crate) fn accepts(self, m: Module<'_>, ty: Id, result: Id) -> bool {
        let key = m.key(ty);
        let int = |width| key.is_int() && key.width() == width;
        let unsigned = !key.is_signed();
        match self {
            Is::Same => ty == result,
            Is::Like => key.unsigned() == m.key(result).unsigned(),
            Is::Bool => key.is_bool(),
            Is::Int => key.is_int(),
            Is::UInt => key.is_int() && unsigned,
            Is::Int32 => int(32),
            Is::UInt32 => int(32) && unsigned,
            Is::UInt64OrPair => unsigned && (int(64) || vector(key, Scalar::Int, 2)),
            Is::Float32 => key.is_scalar(Scalar::Float) && key.width() == 32,
            Is::Float32x2 => vector(key, Scalar::Float, 2),
            Is::Float32x3 => vector(key, Scalar::Float, 3),
            Is::Float32x3x4 => {
                key.shape() == Shape::Matrix
                    && key.component_class() == Scalar::Float
                    && (key.width(), key.count(), key.rows()) == (32, 4, 3)
            }
            Is::TwoFloat32 => array(m, ty, 2, Is::Float32),
            Is::TwoFloat32x3 => array(m, ty, 2, Is::Float32x3),
            Is::ThreeFloat32x3 => array(m, ty, 3, Is::Float32x3),
            Is::Int32x2 => vector(key, Scalar::Int, 2),
            Is::Int32x4 => vector(key, Scalar::Int, 4),
            Is::UInt32x4 => unsigned && vector(key, Scalar::Int, 4),
            Is::Value => many(key) && matches!(key.component_class(), Scalar::Int | Scalar::Float | Scalar::Bool),
            Is::Ints => many(key) && key.component_class() == Scalar::Int,
            Is::UInts => many(key) && key.component_class() == Scalar::Int && unsigned,
            Is::Floats => many(key) && key.component_class() == Scalar::Float,
            Is::Bools => many(key) && key.component_class() == Scalar::Bool,
            Is::Address => match address(m) {
                0 => int(32) || int(64),
                width => int(width),
            },
            Is::Type(op) => m.info(ty).op == op,
            Is::PointerTo(op) => {
                m.info(ty).op == Op::TypePointer && m.pointer(ty).is_some_and(|p| m.info(p.1).op == op)
            }
            Is::Pointer => key.is_pointer(),
        }
    }
}

/// Scalar or vector, whose length may be an id.
#[inline]
fn many(key: TypeKey) -> bool {
    matches!(key.shape(), Shape::Scalar | Shape::Vector | Shape::CooperativeVector)
}

/// A vector of `count` 32-bit components of a class.
fn vector(key: TypeKey, class: Scalar, count: u32) -> bool {
    key.shape() == Shape::Vector && key.component_class() == class && (key.width(), key.count()) == (32, count)
}

/// Whether a constant has the value, or may be specialised to have it.
pub(crate) fn may_be(m: Module<'_>, constant: Id, value: u32) -> bool {
    match m.int_constant(constant).filter(|c| !c.spec) {
        Some(c) => c.as_u32() == Some(value),
        None => m.info(constant).is_spec_constant(),
    }
}

fn array(m: Module<'_>, ty: Id, wanted: u32, of: Is) -> bool {
    match m.ty(ty) {
        Some(Type::Array { element, length }) => may_be(m, length, wanted) && of.accepts(m, element, element),
        _ => false,
    }
}

/// Width of the integers that hold addresses; 0 for logical addressing.
pub(crate) fn address(m: Module<'_>) -> u32 {
    match m.addressing_model() {
        AddressingModel::Physical32 => 32,
        AddressingModel::Physical64 | AddressingModel::PhysicalStorageBuffer64 => 64,
        _ => 0,
    }
}

/// The operand at `word` is a value of the wanted type.
#[inline]
pub(crate) fn operand<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, is: Is) -> Checked {
    let ty = cx.type_at(inst, word)?;
    cx.key(ty)?;
    if is.accepts(cx.m, ty, inst.id(1)) { Ok(()) } else { bad_operand(cx, inst, word, is) }
}

/// The operands from `first` on are of the wanted types. Stops where the instruction does.
pub(crate) fn operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, first: usize, wanted: &[Is]) -> Checked {
    let given = inst.words().len().saturating_sub(first);
    for (i, is) in wanted.iter().take(given).enumerate() {
        operand(cx, inst, first + i, *is)?;
    }
    Ok(())
}

/// The Result Type is as wanted.
#[inline]
pub(crate) fn result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, is: Is) -> Checked {
    let ty = inst.id(1);
    cx.result_key(inst)?;
    if is.accepts(cx.m, ty, ty) { Ok(()) } else { bad_result(cx, inst, is) }
}

/// The name that the specification gives to the operand at `word`.
#[cold]
pub(crate) fn name_of(inst: Inst<'_>, word: usize) -> &'static str {
    let operand = inst.desc().and_then(|d| d.operands().get(word.wrapping_sub(1)));
    operand.map_or("operand", |o| if o.name().is_empty() { "operand" } else { o.name() })
}

#[cold]
fn bad_operand<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, is: Is) -> Checked {
    let m = cx.m;
    cx.fail_at(&OPERAND, inst, word, || {
        let (id, name) = (inst.id(word), name_of(inst, word));
        let ty = describe(m, m.type_id_of(id));
        msg(format!("{name} {id} has type {ty}, but must be {}", is.wanted(m))).declared(m, id)
    })
}

#[cold]
fn bad_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, is: Is) -> Checked {
    let m = cx.m;
    cx.fail_at(&RESULT, inst, 1, || {
        msg(format!("the Result Type is {}, but must be {}", describe(m, inst.id(1)), is.wanted(m)))
    })
}
