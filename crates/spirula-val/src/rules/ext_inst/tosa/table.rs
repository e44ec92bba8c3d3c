//! What the instructions of TOSA take and give: one row for each, in the order of their numbers.

use spirula_grammar::Tosa;

/// A set of element types.
pub(super) type Elements = u16;

pub(super) const BOOL: Elements = 1;
pub(super) const I8: Elements = 1 << 1;
pub(super) const I16: Elements = 1 << 2;
pub(super) const I32: Elements = 1 << 3;
/// What TOSA's 48-bit integers are mapped to.
pub(super) const I64: Elements = 1 << 4;
pub(super) const E4M3: Elements = 1 << 5;
pub(super) const E5M2: Elements = 1 << 6;
pub(super) const F16: Elements = 1 << 7;
pub(super) const BF16: Elements = 1 << 8;
pub(super) const F32: Elements = 1 << 9;

/// The element types in the specification's words, by bit.
pub(super) const NAMES: [&str; 10] = [
    "OpTypeBool",
    "OpTypeInt 8 0",
    "OpTypeInt 16 0",
    "OpTypeInt 32 0",
    "OpTypeInt 64 0",
    "OpTypeFloat 8 Float8E4M3EXT",
    "OpTypeFloat 8 Float8E5M2EXT",
    "OpTypeFloat 16",
    "OpTypeFloat 16 BFloat16KHR",
    "OpTypeFloat 32",
];

/// What an operand must be. Constants are results of constant instructions. `column` is a column of the row's table of
/// element types; operands of one column have one element type. A rank or length of 0 may be any.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Constant Boolean.
    Flag,
    /// Constant 32-bit integer: a dimension of the instruction's first tensor.
    Axis,
    /// Constant 32-bit integer: one of the enumerants from 1 to this.
    Enum(u32),
    /// Constant 32-bit integer: the `acc_type_t` of a column.
    Accumulator { column: usize },
    /// Constant scalar.
    Scalar { column: usize },
    /// Tensor.
    Tensor { column: usize, rank: u32 },
    /// Tensor of other elements than any column's.
    Other { of: Elements, rank: u32 },
    /// Constant tensor of rank 1.
    List { column: usize, length: u32 },
    /// Constant tensor of one element, a zero point.
    Zero { column: usize },
    /// Constant tensor of rank 1, of other elements than any column's.
    OtherList { of: Elements, length: u32 },
    /// Constant tensor of rank 1 of 32-bit integers, as many as the first tensor has dimensions, times this.
    Dimensions(u32),
}

/// What the Result Type is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Gives {
    Tensor {
        column: usize,
        rank: u32,
    },
    Other {
        of: Elements,
        rank: u32,
    },
    /// A structure of two tensors.
    Pair {
        column: usize,
        rank: u32,
    },
}

/// How shapes go together, as far as the set says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shapes {
    Free,
    /// The tensors that are operands have one rank.
    Operands,
    /// The result has the rank of the first tensor.
    Rank,
    /// The result has the shape of the first tensor.
    Shape,
    /// The result has one dimension less than the first tensor.
    OneLess,
}

pub(super) struct Row {
    pub(super) operands: &'static [Kind],
    pub(super) gives: Gives,
    pub(super) shapes: Shapes,
    /// Combinations of element types: in each, a set for each column.
    pub(super) types: &'static [&'static [Elements]],
}

use Kind::{Axis, Dimensions, Enum, Flag};

const fn tensor(column: usize, rank: u32) -> Kind {
    Kind::Tensor { column, rank }
}

const fn list(column: usize, length: u32) -> Kind {
    Kind::List { column, length }
}

const fn zero(column: usize) -> Kind {
    Kind::Zero { column }
}

const fn scalar(column: usize) -> Kind {
    Kind::Scalar { column }
}

const fn acc(column: usize) -> Kind {
    Kind::Accumulator { column }
}

const fn sizes(length: u32) -> Kind {
    Kind::OtherList { of: I32, length }
}

const fn gives(column: usize, rank: u32) -> Gives {
    Gives::Tensor { column, rank }
}

const NAN: Kind = Enum(2);
const ROUNDING: Kind = Enum(3);
const BOOLS: Gives = Gives::Other { of: BOOL, rank: 0 };
const INDICES: Kind = Kind::Other { of: I32, rank: 2 };

const FLOATS: Elements = F16 | BF16 | F32;
const INTS: Elements = I8 | I16 | I32;
const NUMBERS: Elements = INTS | FLOATS;
const DATA: Elements = NUMBERS | E4M3 | E5M2;
const ALL: Elements = DATA | BOOL;
const POOLED: Elements = DATA & !I32;

/// Input and accumulator.
static AVERAGE: &[&[Elements]] = &[&[I8 | I16, I32], &[E4M3 | E5M2, F16], &[F16, F16 | F32], &[BF16, F32], &[F32, F32]];
/// Input, weight, bias and output, accumulator.
static CONVOLUTION: &[&[Elements]] = &[
    &[I8, I8, I32, I32],
    &[I16, I8, I64, I64],
    &[E4M3, E4M3, F16, F16],
    &[E5M2, E5M2, F16, F16],
    &[F16, F16, F16, F16 | F32],
    &[BF16, BF16, BF16, F32],
    &[F32, F32, F32, F32],
];
/// Input and output.
static PRODUCT: &[&[Elements]] =
    &[&[I8, I32], &[I16, I64], &[E4M3 | E5M2, F16], &[F16, F16 | F32], &[BF16, F32], &[F32, F32]];
static MUL: &[&[Elements]] = &[&[INTS, I32], &[F16, F16], &[BF16, BF16], &[F32, F32]];
static TABLE: &[&[Elements]] = &[&[I8, I8], &[I16, I32]];
static RESIZE: &[&[Elements]] = &[&[I8, I8 | I32], &[I16, I16 | I64], &[F16, F16], &[BF16, BF16], &[F32, F32]];
static CAST: &[&[Elements]] = &[
    &[BOOL, INTS],
    &[I8, BOOL | I16 | I32 | FLOATS],
    &[I16, BOOL | I8 | I32 | FLOATS],
    &[I32, BOOL | I8 | I16 | FLOATS],
    &[BF16, INTS | E4M3 | E5M2 | F32],
    &[E4M3 | E5M2, FLOATS],
    &[F16, INTS | E4M3 | E5M2 | F32],
    &[F32, INTS | E4M3 | E5M2 | BF16 | F16],
];
static RESCALE: &[&[Elements]] = &[&[INTS | I64, INTS]];

/// `NAME: operands => result, shapes, types`.
macro_rules! rows {
    ($($name:ident: [$($operand:expr),*] => $gives:expr, $shapes:ident, $types:expr;)*) => {{
        const ORDER: &[u32] = &[$(Tosa::$name.0),*];
        let mut i = 0;
        while i < ORDER.len() {
            assert!(ORDER[i] as usize == i, "a row stands at another place than its number");
            i += 1;
        }
        &[$(Row { operands: &[$($operand),*], gives: $gives, shapes: Shapes::$shapes, types: $types }),*]
    }};
}

pub(super) static ROWS: &[Row] = rows! {
    ARGMAX: [Axis, NAN, tensor(0, 0)] => Gives::Other { of: I32, rank: 0 }, OneLess, &[&[POOLED]];
    AVG_POOL2D: [sizes(2), sizes(2), sizes(4), acc(1), tensor(0, 4), zero(0), zero(0)]
        => gives(0, 4), Free, AVERAGE;
    CONV2D: [sizes(4), sizes(2), sizes(2), acc(3), Flag, tensor(0, 4), tensor(1, 4), tensor(2, 1), zero(0),
        zero(1)] => gives(2, 4), Free, CONVOLUTION;
    CONV3D: [sizes(6), sizes(3), sizes(3), acc(3), Flag, tensor(0, 5), tensor(1, 5), tensor(2, 1), zero(0),
        zero(1)] => gives(2, 5), Free, CONVOLUTION;
    DEPTHWISE_CONV2D: [sizes(4), sizes(2), sizes(2), acc(3), Flag, tensor(0, 4), tensor(1, 4), tensor(2, 1),
        zero(0), zero(1)] => gives(2, 0), Free, CONVOLUTION;
    FFT2D: [Flag, Flag, tensor(0, 3), tensor(0, 3)] => Gives::Pair { column: 0, rank: 3 }, Free, &[&[F32]];
    MATMUL: [tensor(0, 3), tensor(0, 3), zero(0), zero(0)] => gives(1, 3), Free, PRODUCT;
    MAX_POOL2D: [sizes(2), sizes(2), sizes(4), NAN, tensor(0, 4)] => gives(0, 4), Free, &[&[POOLED]];
    RFFT2D: [Flag, tensor(0, 3)] => Gives::Pair { column: 0, rank: 3 }, Free, &[&[F32]];
    TRANSPOSE_CONV2D: [sizes(4), sizes(2), acc(3), Flag, tensor(0, 4), tensor(1, 4), tensor(2, 1), zero(0),
        zero(1)] => gives(2, 4), Free, CONVOLUTION;
    CLAMP: [scalar(0), scalar(0), NAN, tensor(0, 0)] => gives(0, 0), Shape, &[&[I8 | I16 | FLOATS]];
    ERF: [tensor(0, 0)] => gives(0, 0), Shape, &[&[FLOATS]];
    SIGMOID: [tensor(0, 0)] => gives(0, 0), Shape, &[&[FLOATS]];
    TANH: [tensor(0, 0)] => gives(0, 0), Shape, &[&[FLOATS]];
    ADD: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[I32 | FLOATS]];
    ARITHMETIC_RIGHT_SHIFT: [Flag, tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[INTS]];
    BITWISE_AND: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[INTS]];
    BITWISE_OR: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[INTS]];
    BITWISE_XOR: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[INTS]];
    INTDIV: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[I32]];
    LOGICAL_AND: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[BOOL]];
    LOGICAL_LEFT_SHIFT: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[INTS]];
    LOGICAL_RIGHT_SHIFT: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[INTS]];
    LOGICAL_OR: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[BOOL]];
    LOGICAL_XOR: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[BOOL]];
    MAXIMUM: [NAN, tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[I32 | FLOATS]];
    MINIMUM: [NAN, tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[I32 | FLOATS]];
    MUL: [tensor(0, 0), tensor(0, 0), Kind::OtherList { of: I8, length: 1 }] => gives(1, 0), Operands, MUL;
    POW: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[FLOATS]];
    SUB: [tensor(0, 0), tensor(0, 0)] => gives(0, 0), Operands, &[&[I32 | FLOATS]];
    TABLE: [tensor(0, 0), list(0, 0)] => gives(1, 0), Free, TABLE;
    ABS: [tensor(0, 0)] => gives(0, 0), Free, &[&[I32 | FLOATS]];
    BITWISE_NOT: [tensor(0, 0)] => gives(0, 0), Free, &[&[INTS]];
    CEIL: [tensor(0, 0)] => gives(0, 0), Free, &[&[FLOATS]];
    CLZ: [tensor(0, 0)] => gives(0, 0), Free, &[&[I32]];
    COS: [tensor(0, 0)] => gives(0, 0), Shape, &[&[FLOATS]];
    EXP: [tensor(0, 0)] => gives(0, 0), Free, &[&[FLOATS]];
    FLOOR: [tensor(0, 0)] => gives(0, 0), Free, &[&[FLOATS]];
    LOG: [tensor(0, 0)] => gives(0, 0), Free, &[&[FLOATS]];
    LOGICAL_NOT: [tensor(0, 0)] => gives(0, 0), Free, &[&[BOOL]];
    NEGATE: [tensor(0, 0), zero(0), zero(0)] => gives(0, 0), Free, &[&[NUMBERS]];
    RECIPROCAL: [tensor(0, 0)] => gives(0, 0), Free, &[&[FLOATS]];
    RSQRT: [tensor(0, 0)] => gives(0, 0), Free, &[&[FLOATS]];
    SIN: [tensor(0, 0)] => gives(0, 0), Shape, &[&[FLOATS]];
    SELECT: [Kind::Other { of: BOOL, rank: 0 }, tensor(0, 0), tensor(0, 0)] => gives(0, 0), Free, &[&[NUMBERS | BOOL]];
    EQUAL: [tensor(0, 0), tensor(0, 0)] => BOOLS, Operands, &[&[I32 | FLOATS]];
    GREATER: [tensor(0, 0), tensor(0, 0)] => BOOLS, Operands, &[&[I32 | FLOATS]];
    GREATER_EQUAL: [tensor(0, 0), tensor(0, 0)] => BOOLS, Operands, &[&[I32 | FLOATS]];
    REDUCE_ALL: [Axis, tensor(0, 0)] => gives(0, 0), Rank, &[&[BOOL]];
    REDUCE_ANY: [Axis, tensor(0, 0)] => gives(0, 0), Rank, &[&[BOOL]];
    REDUCE_MAX: [Axis, NAN, tensor(0, 0)] => gives(0, 0), Rank, &[&[NUMBERS]];
    REDUCE_MIN: [Axis, NAN, tensor(0, 0)] => gives(0, 0), Rank, &[&[NUMBERS]];
    REDUCE_PRODUCT: [Axis, tensor(0, 0)] => gives(0, 0), Rank, &[&[FLOATS]];
    REDUCE_SUM: [Axis, tensor(0, 0)] => gives(0, 0), Rank, &[&[I32 | FLOATS]];
    CONCAT: [Axis, tensor(0, 0)] => gives(0, 0), Operands, &[&[ALL]];
    PAD: [tensor(0, 0), Dimensions(2), list(0, 1)] => gives(0, 0), Free, &[&[ALL]];
    RESHAPE: [tensor(0, 0), sizes(0)] => gives(0, 0), Free, &[&[ALL]];
    REVERSE: [Axis, tensor(0, 0)] => gives(0, 0), Shape, &[&[ALL]];
    SLICE: [tensor(0, 0), Dimensions(1), Dimensions(1)] => gives(0, 0), Free, &[&[ALL]];
    TILE: [tensor(0, 0), Dimensions(1)] => gives(0, 0), Rank, &[&[ALL]];
    TRANSPOSE: [Dimensions(1), tensor(0, 0)] => gives(0, 0), Rank, &[&[ALL]];
    GATHER: [tensor(0, 3), INDICES] => gives(0, 3), Free, &[&[DATA]];
    SCATTER: [tensor(0, 3), INDICES, tensor(0, 3)] => gives(0, 3), Free, &[&[DATA]];
    RESIZE: [Enum(2), tensor(0, 4), sizes(4), sizes(2), sizes(2)] => gives(1, 4), Free, RESIZE;
    CAST: [tensor(0, 0)] => gives(1, 0), Free, CAST;
    RESCALE: [Flag, ROUNDING, Flag, Flag, Flag, tensor(0, 0), Kind::OtherList { of: I16 | I32, length: 0 },
        Kind::OtherList { of: I8, length: 0 }, zero(0), zero(1)] => gives(1, 0), Shape, RESCALE;
};
