//! Types packed into a word, for comparisons that must be cheap.

use spirula_binary::{Inst, Number, NumberKind};
use spirula_grammar::Op;

use crate::ids::IdTable;

/// What a type is, roughly (§2.2.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Shape {
    /// Not a type, or a type whose declaration is broken.
    None,
    /// `OpTypeVoid`.
    Void,
    /// Boolean, integer or floating-point scalar.
    Scalar,
    /// `OpTypeVector` of scalars.
    Vector,
    /// `OpTypeMatrix`.
    Matrix,
    /// `OpTypePointer`.
    Pointer,
    /// `OpTypeUntypedPointerKHR`.
    UntypedPointer,
    /// `OpTypeArray`.
    Array,
    /// `OpTypeRuntimeArray`.
    RuntimeArray,
    /// `OpTypeStruct`.
    Struct,
    /// `OpTypeFunction`.
    Function,
    /// A cooperative matrix (KHR or NV).
    CooperativeMatrix,
    /// `OpTypeVectorIdEXT` (formerly `OpTypeCooperativeVectorNV`): a vector whose length is an id.
    CooperativeVector,
    /// Any other type: images, samplers, opaque and reserved ones.
    Other,
}

/// Class of a scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Scalar {
    /// No scalar.
    None,
    /// `OpTypeBool`.
    Bool,
    /// `OpTypeInt`.
    Int,
    /// `OpTypeFloat` without encoding operand.
    Float,
    /// `OpTypeFloat` with an encoding operand (bfloat16, float8, …).
    EncodedFloat,
}

/// A type in one word: shape, component class, signedness, width, and counts.
///
/// Two scalar, vector or matrix types are the same type exactly if their keys are equal (save for encoded floats,
/// whose encoding the key does not hold). For other shapes the key holds the shape alone, and for cooperative matrices
/// and vectors the component's class and width too.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct TypeKey(pub u32);

const SCALAR_SHIFT: u32 = 4;
const SIGNED: u32 = 1 << 7;
const WIDTH_SHIFT: u32 = 8;
const COUNT_SHIFT: u32 = 20;
const ROWS_SHIFT: u32 = 28;

impl TypeKey {
    /// Not a type.
    pub const NONE: TypeKey = TypeKey(0);

    const fn of_shape(shape: Shape) -> TypeKey {
        TypeKey(shape as u32)
    }

    fn scalar(class: Scalar, width: u32, signed: bool) -> TypeKey {
        let signed = if signed { SIGNED } else { 0 };
        TypeKey(
            Shape::Scalar as u32
                | (class as u32) << SCALAR_SHIFT
                | signed
                | (width & 0xfff) << WIDTH_SHIFT
                | 1 << COUNT_SHIFT,
        )
    }

    /// Reads the type that `inst` declares; component types must be in `ids` already.
    pub(crate) fn of(inst: Inst<'_>, ids: &IdTable) -> TypeKey {
        let component = |word: usize| ids.key(inst.id(word));
        match inst.op() {
            Op::TypeVoid => TypeKey::of_shape(Shape::Void),
            Op::TypeBool => TypeKey::scalar(Scalar::Bool, 0, false),
            Op::TypeInt | Op::TypeFloat => match Number::of_type(inst) {
                Some(Number { width, kind: NumberKind::Float }) => TypeKey::scalar(Scalar::Float, width, false),
                Some(Number { width, kind: NumberKind::Encoded(_) }) => {
                    TypeKey::scalar(Scalar::EncodedFloat, width, false)
                }
                Some(Number { width, kind }) => TypeKey::scalar(Scalar::Int, width, kind == NumberKind::Signed),
                None => TypeKey::NONE,
            },
            Op::TypeVector => match component(2) {
                k if k.shape() == Shape::Scalar => k.with(Shape::Vector, inst.word(3), 0),
                _ => TypeKey::of_shape(Shape::Other),
            },
            Op::TypeMatrix => match component(2) {
                k if k.shape() == Shape::Vector => k.with(Shape::Matrix, inst.word(3), k.count()),
                _ => TypeKey::of_shape(Shape::Other),
            },
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => {
                component(2).with(Shape::CooperativeMatrix, 0, 0)
            }
            Op::TypeVectorIdEXT => component(2).with(Shape::CooperativeVector, 0, 0),
            Op::TypePointer => TypeKey::of_shape(Shape::Pointer),
            Op::TypeUntypedPointerKHR => TypeKey::of_shape(Shape::UntypedPointer),
            Op::TypeArray => TypeKey::of_shape(Shape::Array),
            Op::TypeRuntimeArray => TypeKey::of_shape(Shape::RuntimeArray),
            Op::TypeStruct => TypeKey::of_shape(Shape::Struct),
            Op::TypeFunction => TypeKey::of_shape(Shape::Function),
            _ => TypeKey::of_shape(Shape::Other),
        }
    }

    /// The same component class and width in another shape.
    fn with(self, shape: Shape, count: u32, rows: u32) -> TypeKey {
        let kept = self.0 & (0xf << SCALAR_SHIFT | 0xfff << WIDTH_SHIFT);
        TypeKey(shape as u32 | kept | count.min(0xff) << COUNT_SHIFT | (rows & 0xf) << ROWS_SHIFT)
    }

    /// Shape and class of the components as one number below 128.
    #[inline]
    pub fn kind(self) -> u32 {
        self.0 & 0x7f
    }

    /// What [`kind`](Self::kind) is of types with this shape and class.
    pub const fn kind_of(shape: Shape, class: Scalar) -> u32 {
        shape as u32 | (class as u32) << SCALAR_SHIFT
    }

    /// Shape.
    #[inline]
    pub fn shape(self) -> Shape {
        const SHAPES: [Shape; 16] = [
            Shape::None,
            Shape::Void,
            Shape::Scalar,
            Shape::Vector,
            Shape::Matrix,
            Shape::Pointer,
            Shape::UntypedPointer,
            Shape::Array,
            Shape::RuntimeArray,
            Shape::Struct,
            Shape::Function,
            Shape::CooperativeMatrix,
            Shape::CooperativeVector,
            Shape::Other,
            Shape::Other,
            Shape::Other,
        ];
        SHAPES[(self.0 & 0xf) as usize]
    }

    /// Class of the scalar itself or of the components.
    #[inline]
    pub fn component_class(self) -> Scalar {
        match self.0 >> SCALAR_SHIFT & 7 {
            1 => Scalar::Bool,
            2 => Scalar::Int,
            3 => Scalar::Float,
            4 => Scalar::EncodedFloat,
            _ => Scalar::None,
        }
    }

    /// Width in bits of the scalar or the components; 0 for Booleans and what has none.
    #[inline]
    pub fn width(self) -> u32 {
        self.0 >> WIDTH_SHIFT & 0xfff
    }

    /// 1 for a scalar, the component count of a vector, the column count of a matrix, else 0; 255 stands for more, too.
    #[inline]
    pub fn count(self) -> u32 {
        self.0 >> COUNT_SHIFT & 0xff
    }

    /// Rows of a matrix (components of each column), else 0.
    #[inline]
    pub fn rows(self) -> u32 {
        self.0 >> ROWS_SHIFT
    }

    /// Whether the integer scalar or component is signed.
    #[inline]
    pub fn is_signed(self) -> bool {
        self.0 & SIGNED != 0
    }

    /// The key without signedness: what "same width and number of components" compares.
    #[inline]
    pub fn unsigned(self) -> TypeKey {
        TypeKey(self.0 & !SIGNED)
    }

    /// Key of the scalar that this is or is made of; `NONE` where there is none.
    #[inline]
    pub fn component(self) -> TypeKey {
        if self.component_class() == Scalar::None {
            return TypeKey::NONE;
        }
        TypeKey(Shape::Scalar as u32 | self.0 & (0xf << SCALAR_SHIFT | 0xfff << WIDTH_SHIFT) | 1 << COUNT_SHIFT)
    }

    /// Whether it is a scalar or a vector.
    #[inline]
    pub fn is_scalar_or_vector(self) -> bool {
        matches!(self.0 & 0xf, 2 | 3)
    }

    /// Scalar or vector of integers.
    #[inline]
    pub fn is_int_scalar_or_vector(self) -> bool {
        self.is_scalar_or_vector() && self.component_class() == Scalar::Int
    }

    /// Scalar or vector of floating-point numbers, whatever the encoding.
    #[inline]
    pub fn is_float_scalar_or_vector(self) -> bool {
        self.is_scalar_or_vector() && matches!(self.component_class(), Scalar::Float | Scalar::EncodedFloat)
    }

    /// Scalar or vector of Booleans.
    #[inline]
    pub fn is_bool_scalar_or_vector(self) -> bool {
        self.is_scalar_or_vector() && self.component_class() == Scalar::Bool
    }

    /// Scalar of this class.
    #[inline]
    pub fn is_scalar(self, class: Scalar) -> bool {
        self.shape() == Shape::Scalar && self.component_class() == class
    }

    /// Whether it is an integer scalar.
    #[inline]
    pub fn is_int(self) -> bool {
        self.is_scalar(Scalar::Int)
    }

    /// Whether it is the unsigned integer of 32 bits.
    #[inline]
    pub fn is_u32(self) -> bool {
        self.is_int() && self.width() == 32 && !self.is_signed()
    }

    /// Whether it is a Boolean scalar.
    #[inline]
    pub fn is_bool(self) -> bool {
        self.is_scalar(Scalar::Bool)
    }

    /// Whether it is a floating-point scalar, whatever the encoding.
    #[inline]
    pub fn is_float(self) -> bool {
        self.is_scalar(Scalar::Float) || self.is_scalar(Scalar::EncodedFloat)
    }

    /// Whether it is a pointer, typed or not.
    #[inline]
    pub fn is_pointer(self) -> bool {
        matches!(self.shape(), Shape::Pointer | Shape::UntypedPointer)
    }
}
