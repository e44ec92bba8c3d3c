//! Tier 2: types of operands and results, one line per group of instructions.

mod table;

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{InstDesc, Op};
use spirula_module::{Module, Scalar, Shape, TypeKey};

use crate::cx::{Cx, msg};

rules! {
    group "types";
    /// The Result Type is of the kind that the instruction produces.
    RESULT: "result-type-kind", spec "§3.3";
    /// An operand's type is of the kind that the instruction takes, and fits the Result Type or the other operands.
    OPERAND: "operand-type", spec "§3.3";
}

/// What a type must be. "Scalar or vector" includes cooperative matrices and vectors where `cooperative` says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(dead_code)] // the table decides which are used
pub(crate) enum Con {
    /// Anything with a type.
    Any,
    /// Scalar or vector of integers.
    Int,
    /// Scalar or vector of floating-point numbers.
    Float,
    /// Scalar or vector of Booleans.
    Bool,
    /// Scalar or vector of integers or floating-point numbers.
    Number,
    /// Integer scalar.
    IntScalar,
    /// Floating-point scalar.
    FloatScalar,
    /// Boolean scalar.
    BoolScalar,
    /// Vector of integers.
    IntVector,
    /// Vector of floating-point numbers.
    FloatVector,
    /// Matrix of floating-point numbers.
    Matrix,
    /// The Result Type itself.
    Same,
    /// Integer class, with the Result Type's width and number of components; signedness may differ.
    Like,
    /// The Result Type's component type.
    Component,
    /// Integers, as many as the Result Type has components.
    IntCount,
    /// Floating-point numbers, as many as the Result Type has components.
    FloatCount,
    /// Booleans, as many as the Result Type has components.
    BoolCount,
    /// The type of the operand before.
    SamePrev,
    /// As [`Like`](Con::Like), compared with the operand before.
    LikePrev,
    /// A vector whose component type is the Result Type.
    VectorOf,
}

impl Con {
    /// In words, for messages.
    fn wanted(self) -> &'static str {
        match self {
            Con::Any => "a type",
            Con::Int => "an integer scalar or vector",
            Con::Float => "a floating-point scalar or vector",
            Con::Bool => "a Boolean scalar or vector",
            Con::Number => "an integer or floating-point scalar or vector",
            Con::IntScalar => "an integer scalar",
            Con::FloatScalar => "a floating-point scalar",
            Con::BoolScalar => "a Boolean scalar",
            Con::IntVector => "a vector of integers",
            Con::FloatVector => "a vector of floating-point numbers",
            Con::Matrix => "a matrix of floating-point numbers",
            Con::Same => "the Result Type",
            Con::Like => "an integer type with the width and number of components of the Result Type",
            Con::Component => "the component type of the Result Type",
            Con::IntCount => "an integer scalar or vector with as many components as the Result Type",
            Con::FloatCount => "a floating-point scalar or vector with as many components as the Result Type",
            Con::BoolCount => "a Boolean scalar or vector with as many components as the Result Type",
            Con::SamePrev => "the type of the operand before",
            Con::LikePrev => "an integer type with the width and number of components of the operand before",
            Con::VectorOf => "a vector whose components are of the Result Type",
        }
    }

    /// Whether a type (its id and key) is what is wanted, given the Result Type and the operand before.
    #[inline]
    fn accepts(self, cooperative: bool, ty: (Id, TypeKey), result: (Id, TypeKey), prev: (Id, TypeKey)) -> bool {
        let (id, key) = ty;
        let many = key.is_scalar_or_vector()
            || cooperative && matches!(key.shape(), Shape::CooperativeMatrix | Shape::CooperativeVector);
        let class = key.component_class();
        let float = matches!(class, Scalar::Float | Scalar::EncodedFloat);
        let as_many = |other: TypeKey| key.shape() == other.shape() && key.count() == other.count();
        match self {
            Con::Any => true,
            Con::Int => many && class == Scalar::Int,
            Con::Float => many && float,
            Con::Bool => many && class == Scalar::Bool,
            Con::Number => many && (float || class == Scalar::Int),
            Con::IntScalar => key.is_int(),
            Con::FloatScalar => key.is_float(),
            Con::BoolScalar => key.is_bool(),
            Con::IntVector => key.shape() == Shape::Vector && class == Scalar::Int,
            Con::FloatVector => key.shape() == Shape::Vector && float,
            Con::Matrix => key.shape() == Shape::Matrix && float,
            Con::Same => id == result.0,
            Con::Like => id == result.0 || many && key.unsigned() == result.1.unsigned() && class == Scalar::Int,
            Con::Component => key == result.1.component() || key.unsigned() == result.1.component() && key.is_int(),
            Con::IntCount => many && class == Scalar::Int && as_many(result.1),
            Con::FloatCount => many && float && as_many(result.1),
            Con::BoolCount => many && class == Scalar::Bool && as_many(result.1),
            Con::SamePrev => id == prev.0,
            Con::LikePrev => id == prev.0 || many && key.unsigned() == prev.1.unsigned() && class == Scalar::Int,
            Con::VectorOf => key.shape() == Shape::Vector && key.component() == result.1.unsigned(),
        }
    }
}

/// The signature of a group of instructions with a Result Type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    /// What the Result Type must be.
    pub(crate) result: Con,
    /// What the operands behind the result id must be; those of an instruction that ends earlier are skipped.
    pub(crate) operands: &'static [Con],
    /// Whether cooperative matrices and vectors are taken too.
    pub(crate) cooperative: bool,
}

static BY_ROW: [Option<&'static Signature>; Op::COUNT] = table::by_row();

/// Judges an instruction by its signature, where it has one.
#[inline]
pub(crate) fn instruction<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    match BY_ROW[usize::from(desc.row)] {
        Some(signature) => operands(cx, inst, desc, signature, 3),
        None => Ok(()),
    }
}

fn operands<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    desc: &'static InstDesc,
    s: &'static Signature,
    first: usize,
) -> Checked {
    let result = (inst.id(1), cx.result_key(inst)?);
    if !s.result.accepts(s.cooperative, result, result, result) {
        return bad_result(cx, inst, s.result);
    }
    let mut prev = result;
    for (i, con) in s.operands.iter().enumerate() {
        let word = first + i;
        if word >= inst.words().len() {
            break;
        }
        let id = cx.type_at(inst, word)?;
        let ty = (id, cx.key(id)?);
        if !con.accepts(s.cooperative, ty, result, prev) {
            return bad_operand(cx, inst, desc, word, *con);
        }
        prev = ty;
    }
    Ok(())
}

#[cold]
fn bad_result(cx: &mut Cx<'_>, inst: Inst<'_>, wanted: Con) -> Checked {
    let m = cx.m;
    cx.fail_at(&RESULT, inst, 1, || {
        msg(format!("the Result Type is {}, but must be {}", describe(m, inst.id(1)), wanted.wanted()))
    })
}

#[cold]
fn bad_operand(cx: &mut Cx<'_>, inst: Inst<'_>, desc: &'static InstDesc, word: usize, wanted: Con) -> Checked {
    let m = cx.m;
    cx.fail_at(&OPERAND, inst, word, || {
        let id = inst.id(word);
        let name =
            desc.operands().get(word - 1).map_or("operand", |o| if o.name.is_empty() { "operand" } else { o.name });
        let result = if matches!(
            wanted,
            Con::Same | Con::Like | Con::Component | Con::IntCount | Con::FloatCount | Con::BoolCount | Con::VectorOf
        ) {
            format!(", {}", describe(m, inst.id(1)))
        } else {
            String::new()
        };
        msg(format!(
            "{name} {id} has type {}, but must have {}{result}",
            describe(m, m.type_id_of(id)),
            wanted.wanted()
        ))
        .declared(m, id)
    })
}

/// A type in words: `%5 (vector of 4 32-bit floats)`. For messages.
#[cold]
pub(crate) fn describe(m: Module<'_>, ty: Id) -> String {
    let key = m.key(ty);
    let component = match key.component_class() {
        Scalar::Bool => "Boolean".into(),
        Scalar::Int if key.is_signed() => format!("{}-bit signed integer", key.width()),
        Scalar::Int => format!("{}-bit integer", key.width()),
        Scalar::Float | Scalar::EncodedFloat => format!("{}-bit float", key.width()),
        Scalar::None => String::new(),
    };
    let text = match key.shape() {
        Shape::None => return format!("{ty}"),
        Shape::Scalar => component,
        Shape::Vector => format!("vector of {} {component}s", key.count()),
        Shape::Matrix => format!("matrix of {} columns of {} {component}s", key.count(), key.rows()),
        Shape::CooperativeMatrix => format!("cooperative matrix of {component}s"),
        Shape::CooperativeVector => format!("cooperative vector of {component}s"),
        Shape::Void => "void".into(),
        Shape::Pointer => match m.pointer(ty) {
            Some((class, _)) => format!("pointer to {class}"),
            None => "pointer".into(),
        },
        Shape::UntypedPointer => "untyped pointer".into(),
        Shape::Array => "array".into(),
        Shape::RuntimeArray => "runtime array".into(),
        Shape::Struct => "structure".into(),
        Shape::Function => "function type".into(),
        Shape::Other => format!("{}", m.info(ty).op),
    };
    format!("{ty} ({text})")
}

/// Whether the instruction has a signature.
#[cfg(test)]
pub(crate) fn has_signature(op: Op) -> bool {
    op.desc().is_some_and(|d| BY_ROW[usize::from(d.row)].is_some())
}
