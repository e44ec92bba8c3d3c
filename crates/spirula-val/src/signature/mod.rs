//! Tier 2: types of operands and results, one line per group of instructions.

mod table;

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, ExtInstDesc, InstDesc, Op};
use spirula_module::{Module, Scalar, Shape, TypeKey};

use crate::cx::{Cx, msg};
use crate::rules::{cooperative_matrix, ext_inst};

rules! {
    group "types";
    /// The Result Type is of the kind that the instruction produces.
    RESULT: "result-type-kind", own "§3.3";
    /// An operand's type is of the kind that the instruction takes, and fits the Result Type or the other operands.
    OPERAND: "operand-type", own "§3.3";
}

/// What a type must be. Vectors may be long; "scalar or vector" includes cooperative matrices where `cooperative` says so.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Con {
    /// Scalar or vector of integers.
    Int,
    /// Scalar or vector of integers with signedness 0.
    Unsigned,
    /// Scalar or vector of 32-bit integers.
    Int32,
    /// Scalar or vector of floating-point numbers.
    Float,
    /// Scalar or vector of 16-bit or 32-bit floating-point numbers.
    Float16Or32,
    /// Scalar or vector of 32-bit floating-point numbers.
    Float32,
    /// Scalar or vector of Booleans.
    Bool,
    /// Scalar or vector of integers or floating-point numbers.
    Number,
    /// Integer scalar.
    IntScalar,
    /// 32-bit integer scalar.
    Int32Scalar,
    /// Floating-point scalar.
    FloatScalar,
    /// 64-bit floating-point scalar.
    Float64Scalar,
    /// Boolean scalar.
    BoolScalar,
    /// Vector of floating-point numbers.
    FloatVector,
    /// Vector of Booleans.
    BoolVector,
    /// Vector of two 32-bit floating-point numbers.
    Float32x2,
    /// Vector of four 32-bit floating-point numbers.
    Float32x4,
    /// Vector of two 32-bit integers.
    Int32x2,
    /// Vector of three floating-point numbers.
    FloatX3,
    /// Vector of three or four floating-point numbers.
    FloatX3Or4,
    /// Floating-point scalar or vector of at most four.
    FloatUpTo4,
    /// Matrix of floating-point numbers.
    Matrix,
    /// Matrix with as many rows as columns.
    SquareMatrix,
    /// The Result Type itself.
    Same,
    /// Integer class, with the Result Type's width and number of components; signedness may differ.
    Like,
    /// The Result Type's component type.
    Component,
    /// Integers, as many as the Result Type has components.
    IntCount,
    /// 32-bit integers, as many as the Result Type has components.
    Int32Count,
    /// Floating-point numbers, as many as the Result Type has components.
    FloatCount,
    /// The type of the operand before.
    SamePrev,
    /// As [`Like`](Con::Like), compared with the operand before.
    LikePrev,
    /// A vector whose component type is the Result Type.
    VectorOf,
    /// The Result Type or a vector of it.
    FloatOf,
    /// The Result Type or a vector of at most four of it.
    FloatOfUpTo4,
    /// A square matrix whose component type is the Result Type.
    SquareOf,
}

impl Con {
    /// In words, for messages.
    fn wanted(self) -> &'static str {
        match self {
            Con::Int => "an integer or a vector of integers",
            Con::Unsigned => "an unsigned integer or a vector of them",
            Con::Int32 => "a 32-bit integer or a vector of them",
            Con::Float => "a floating-point number or a vector of them",
            Con::Float16Or32 => "a 16-bit or 32-bit floating-point number or a vector of them",
            Con::Float32 => "a 32-bit floating-point number or a vector of them",
            Con::Bool => "a Boolean or a vector of Booleans",
            Con::Number => "a number or a vector of numbers",
            Con::IntScalar => "an integer scalar",
            Con::Int32Scalar => "a 32-bit integer scalar",
            Con::FloatScalar => "a floating-point scalar",
            Con::Float64Scalar => "a 64-bit floating-point scalar",
            Con::BoolScalar => "a Boolean scalar",
            Con::FloatVector => "a vector of floating-point numbers",
            Con::BoolVector => "a vector of Booleans",
            Con::Float32x2 => "a vector of two 32-bit floating-point numbers",
            Con::Float32x4 => "a vector of four 32-bit floating-point numbers",
            Con::Int32x2 => "a vector of two 32-bit integers",
            Con::FloatX3 => "a vector of three floating-point numbers",
            Con::FloatX3Or4 => "a vector of three or four floating-point numbers",
            Con::FloatUpTo4 => "a floating-point scalar, or a vector of at most four floating-point numbers",
            Con::Matrix => "a matrix of floating-point numbers",
            Con::SquareMatrix => "a square matrix",
            Con::Same => "the Result Type",
            Con::Like => "an integer type with the width and number of components of the Result Type",
            Con::Component => "the component type of the Result Type",
            Con::IntCount => "an integer or a vector of integers, with as many components as the Result Type",
            Con::Int32Count => "a 32-bit integer or a vector of them, with as many components as the Result Type",
            Con::FloatCount => {
                "a floating-point number or a vector of them, with as many components as the Result Type"
            }
            Con::SamePrev => "the type of the operand before",
            Con::LikePrev => "an integer type with the width and number of components of the operand before",
            Con::VectorOf => "a vector whose components are of the Result Type",
            Con::FloatOf => "the Result Type, or a vector with components of it",
            Con::FloatOfUpTo4 => "the Result Type, or a vector of at most four of it",
            Con::SquareOf => "a square matrix with components of the Result Type",
        }
    }

    /// Whether a type (its id and key) is what is wanted, given the Result Type and the operand before.
    #[inline]
    fn accepts(self, cooperative: bool, ty: (Id, TypeKey), result: (Id, TypeKey), prev: (Id, TypeKey)) -> bool {
        let (id, key) = ty;
        let vector = matches!(key.shape(), Shape::Vector | Shape::CooperativeVector);
        let many = vector || key.shape() == Shape::Scalar || cooperative && key.shape() == Shape::CooperativeMatrix;
        let class = key.component_class();
        let float = matches!(class, Scalar::Float | Scalar::EncodedFloat);
        let int = class == Scalar::Int;
        let as_many = |other: TypeKey| key.shape() == other.shape() && key.count() == other.count();
        match self {
            Con::Int => many && int,
            Con::Unsigned => many && int && !key.is_signed(),
            Con::Int32 => many && int && key.width() == 32,
            Con::Float => many && float,
            Con::Float16Or32 => many && class == Scalar::Float && matches!(key.width(), 16 | 32),
            Con::Float32 => many && class == Scalar::Float && key.width() == 32,
            Con::Bool => many && class == Scalar::Bool,
            Con::Number => many && (float || int),
            Con::IntScalar => key.is_int(),
            Con::Int32Scalar => key.is_int() && key.width() == 32,
            Con::FloatScalar => key.is_float(),
            Con::Float64Scalar => key.is_float() && key.width() == 64,
            Con::BoolScalar => key.is_bool(),
            Con::FloatVector => vector && float,
            Con::BoolVector => vector && class == Scalar::Bool,
            Con::Float32x2 => vector && float && key.width() == 32 && key.count() == 2,
            Con::Float32x4 => vector && float && key.width() == 32 && key.count() == 4,
            Con::Int32x2 => vector && int && key.width() == 32 && key.count() == 2,
            Con::FloatX3 => vector && float && key.count() == 3,
            Con::FloatX3Or4 => vector && float && matches!(key.count(), 3 | 4),
            Con::FloatUpTo4 => many && float && key.count() <= 4,
            Con::Matrix => {
                key.shape() == Shape::Matrix && float || cooperative && key.shape() == Shape::CooperativeMatrix
            }
            Con::SquareMatrix => key.shape() == Shape::Matrix && key.rows() == key.count(),
            Con::Same => id == result.0,
            Con::Like => id == result.0 || many && int && key.unsigned() == result.1.unsigned(),
            Con::Component => key.shape() == Shape::Scalar && key == result.1.component(),
            Con::IntCount => many && int && as_many(result.1),
            Con::Int32Count => many && int && key.width() == 32 && as_many(result.1),
            Con::FloatCount => many && float && as_many(result.1),
            Con::SamePrev => id == prev.0,
            Con::LikePrev => id == prev.0 || many && int && key.unsigned() == prev.1.unsigned(),
            Con::VectorOf => vector && key.component() == result.1.unsigned(),
            Con::FloatOf => id == result.0 || vector && float && key.component() == result.1,
            Con::FloatOfUpTo4 => id == result.0 || vector && float && key.component() == result.1 && key.count() <= 4,
            Con::SquareOf => key.shape() == Shape::Matrix && key.rows() == key.count() && key.component() == result.1,
        }
    }

    /// Whether the constraint compares with the Result Type.
    fn is_relative(self) -> bool {
        matches!(
            self,
            Con::Same
                | Con::Like
                | Con::Component
                | Con::IntCount
                | Con::Int32Count
                | Con::FloatCount
                | Con::VectorOf
                | Con::FloatOf
                | Con::FloatOfUpTo4
                | Con::SquareOf
        )
    }
}

/// A set of types, whatever their width and number of components: by [`TypeKey::kind`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kinds(u128);

impl Kinds {
    /// The scalars and vectors of which the constraint asks nothing more than to be that.
    pub(crate) const fn of(con: Con) -> Kinds {
        let (scalar, vector, class) = match con {
            Con::Int => (true, true, Scalar::Int),
            Con::Float => (true, true, Scalar::Float),
            Con::Bool => (true, true, Scalar::Bool),
            Con::FloatScalar => (true, false, Scalar::Float),
            Con::BoolScalar => (true, false, Scalar::Bool),
            Con::FloatVector => (false, true, Scalar::Float),
            _ => return Kinds(0),
        };
        Kinds(
            (scalar as u128) << TypeKey::kind_of(Shape::Scalar, class)
                | (vector as u128) << TypeKey::kind_of(Shape::Vector, class),
        )
    }

    #[inline]
    fn has(self, key: TypeKey) -> bool {
        self.0 >> key.kind() & 1 != 0
    }
}

/// The signature of a group of instructions with a Result Type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signature {
    /// What the Result Type must be.
    pub(crate) result: Con,
    /// What the Result Type may be without another question: most are.
    pub(crate) surely: Kinds,
    /// What the operands behind the result id must be; those of an instruction that ends earlier are skipped.
    pub(crate) operands: &'static [Con],
    /// Whether cooperative matrices are taken too.
    pub(crate) cooperative: bool,
}

/// Whose operands a signature speaks of.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Those of a core instruction.
    Core(&'static InstDesc),
    /// Those of an instruction of an extended set, which break rules of their own.
    Ext(&'static ExtInstDesc),
}

impl Form {
    /// Word of the first operand that a signature speaks of.
    #[inline]
    fn first(self) -> usize {
        match self {
            Form::Core(_) => 3,
            Form::Ext(_) => ext_inst::FIRST,
        }
    }

    /// What the operand at `word` is called.
    fn name(self, word: usize) -> &'static str {
        let (operands, base) = match self {
            Form::Core(desc) => (desc.operands(), 1),
            Form::Ext(desc) => (desc.operands(), ext_inst::FIRST),
        };
        match operands.get(word - base).map_or("", |o| o.name()) {
            "" => "operand",
            name => name,
        }
    }

    /// The rules about Result Type and operands.
    fn rules(self) -> (&'static Rule, &'static Rule) {
        match self {
            Form::Core(_) => (&RESULT, &OPERAND),
            Form::Ext(_) => (&ext_inst::RESULT, &ext_inst::OPERAND),
        }
    }
}

/// The signatures by row of the grammar.
pub(crate) const BY_ROW: [Option<&'static Signature>; Op::COUNT] = table::by_row();

/// Judges a core instruction by its signature.
pub(crate) fn instruction(cx: &mut Cx<'_>, inst: Inst<'_>, desc: &'static InstDesc, s: &'static Signature) -> Checked {
    operands(cx, inst, s, Form::Core(desc))
}

/// Whether the instruction is for cooperative vectors, which fewer instructions take than vectors that are just long.
#[cold]
fn takes_cooperative_vectors(cx: &Cx<'_>, inst: Inst<'_>, s: &Signature, form: Form) -> bool {
    if cx.has(Capability::LongVectorEXT) || !cx.has(Capability::CooperativeVectorNV) {
        return true;
    }
    match form {
        Form::Core(_) => {
            s.cooperative
                || matches!(
                    inst.op(),
                    Op::VectorTimesScalar
                        | Op::ShiftRightLogical
                        | Op::ShiftRightArithmetic
                        | Op::ShiftLeftLogical
                        | Op::BitwiseOr
                        | Op::BitwiseXor
                        | Op::BitwiseAnd
                        | Op::Not
                )
        }
        Form::Ext(desc) => [
            "FMin", "UMin", "SMin", "NMin", "FMax", "UMax", "SMax", "NMax", "FClamp", "UClamp", "SClamp", "NClamp",
            "Step", "Exp", "Log", "Tanh", "Atan", "Fma",
        ]
        .contains(&desc.name()),
    }
}

/// Judges the Result Type and the operands of an instruction of this form.
pub(crate) fn operands(cx: &mut Cx<'_>, inst: Inst<'_>, s: &'static Signature, form: Form) -> Checked {
    let result = (inst.id(1), cx.result_key(inst)?);
    if !s.surely.has(result.1) {
        let refused = result.1.shape() == Shape::CooperativeVector && !takes_cooperative_vectors(cx, inst, s, form);
        if refused || !s.result.accepts(s.cooperative, result, result, result) {
            return bad_result(cx, inst, s.result, form);
        }
    }
    let mut prev = result;
    for (i, con) in s.operands.iter().enumerate() {
        let word = form.first() + i;
        if word >= inst.words().len() {
            break;
        }
        let id = cx.type_at(inst, word)?;
        let same = match con {
            Con::Same | Con::Like => result,
            Con::SamePrev | Con::LikePrev => prev,
            _ => (Id(0), TypeKey::NONE),
        };
        if id == same.0 {
            prev = same;
            continue;
        }
        let ty = (id, cx.key(id)?);
        if !con.accepts(s.cooperative, ty, result, prev) {
            return bad_operand(cx, inst, form, word, *con);
        }
        if id != result.0
            && (ty.1.shape() == Shape::CooperativeMatrix && *con == Con::Like
                || ty.1.shape() == Shape::CooperativeVector && con.is_relative())
        {
            cooperative_matrix::same_extent(cx, inst, word, result.0, id)?;
        }
        prev = ty;
    }
    Ok(())
}

#[cold]
fn bad_result(cx: &mut Cx<'_>, inst: Inst<'_>, wanted: Con, form: Form) -> Checked {
    let m = cx.m;
    cx.fail_at(form.rules().0, inst, 1, || {
        msg(format!("the Result Type is {}, but must be {}", describe(m, inst.id(1)), wanted.wanted()))
    })
}

#[cold]
fn bad_operand(cx: &mut Cx<'_>, inst: Inst<'_>, form: Form, word: usize, wanted: Con) -> Checked {
    let m = cx.m;
    cx.fail_at(form.rules().1, inst, word, || {
        let id = inst.id(word);
        let name = form.name(word);
        let result = if wanted.is_relative() { format!(", {}", describe(m, inst.id(1))) } else { String::new() };
        msg(format!(
            "{name} {id} has type {}, but must have {}{result}",
            describe(m, m.type_id_of(id)),
            wanted.wanted()
        ))
        .declared(m, id)
    })
}

/// Whether it is a scalar or a vector, perhaps a long one, of integers.
pub(crate) fn is_ints(key: TypeKey) -> bool {
    key.is_int_scalar_or_vector() || key.shape() == Shape::CooperativeVector && key.component_class() == Scalar::Int
}

/// Whether it is a scalar or a vector, perhaps a long one, of floating-point numbers.
pub(crate) fn is_floats(key: TypeKey) -> bool {
    key.is_float_scalar_or_vector() || key.shape() == Shape::CooperativeVector && key.component_class() == Scalar::Float
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
