//! The signatures, in the order of the specification.

use spirula_grammar::Op;

use super::{Con, Kinds, Signature};

/// `IAdd ISub => Int: Like, Like;`, with `cooperative` in front where cooperative matrices and vectors are taken too.
macro_rules! signatures {
    ($($(#$coop:ident)? $($op:ident)+ => $result:ident $(: $($con:ident),+)?;)*) => {
        &[$((
            &[$(Op::$op),+],
            Signature {
                result: Con::$result,
                surely: Kinds::of(Con::$result),
                operands: &[$($(Con::$con),+)?],
                cooperative: signatures!(@$($coop)?),
            },
        )),*]
    };
    (@) => { false };
    (@cooperative) => { true };
}

static TABLE: &[(&[Op], Signature)] = signatures! {
    // §3.3.11 Conversion
    #cooperative ConvertFToU => Unsigned: FloatCount;
    #cooperative ConvertFToS => Int: FloatCount;
    #cooperative ConvertSToF ConvertUToF => Float: IntCount;
    #cooperative UConvert => Unsigned: IntCount;
    #cooperative SConvert => Int: IntCount;
    #cooperative FConvert => Float: FloatCount;
    QuantizeToF16 RoundFToTF32INTEL => Float32: Same;
    SatConvertSToU SatConvertUToS => Int: IntCount;

    // §3.3.13 Arithmetic
    #cooperative SNegate => Int: Like;
    #cooperative FNegate => Float: Same;
    #cooperative IAdd ISub IMul SDiv => Int: Like, Like;
    #cooperative UDiv => Unsigned: Same, Same;
    UMod => Unsigned: Same, Same;
    SRem SMod => Int: Like, Like;
    #cooperative FAdd FSub FMul FDiv => Float: Same, Same;
    FRem FMod => Float: Same, Same;
    FmaKHR => Float: Same, Same, Same;
    VectorTimesScalar => FloatVector: Same, Component;
    #cooperative MatrixTimesScalar => Matrix: Same, Component;
    Dot => FloatScalar: VectorOf, SamePrev;
    UCountLeadingZerosINTEL UCountTrailingZerosINTEL => Unsigned: Same;
    UAddSatINTEL USubSatINTEL UAverageINTEL UAverageRoundedINTEL => Unsigned: Same, Same;
    AbsISubINTEL => Unsigned: Like, Like;
    AbsUSubINTEL => Unsigned: Same, Same;
    IMul32x16INTEL => Int32: Same, Same;
    UMul32x16INTEL => Unsigned: Same, Same;
    IAddSatINTEL ISubSatINTEL IAverageINTEL IAverageRoundedINTEL => Int: Same, Same;

    // §3.3.14 Bit
    ShiftRightLogical ShiftRightArithmetic ShiftLeftLogical => Int: Like, IntCount;
    BitwiseOr BitwiseXor BitwiseAnd => Int: Like, Like;
    Not => Int: Like;
    BitFieldInsert => Int: Same, Same, IntScalar, IntScalar;
    BitFieldSExtract BitFieldUExtract => Int: Same, IntScalar, IntScalar;
    BitReverse => Int: Same;
    BitCount => Int: IntCount;

    // §3.3.15 Relational and Logical
    Any All => BoolScalar: BoolVector;
    IsNan IsInf IsFinite IsNormal SignBitSet => Bool: FloatCount;
    LessOrGreater Ordered Unordered => Bool: FloatCount, SamePrev;
    LogicalEqual LogicalNotEqual LogicalOr LogicalAnd => Bool: Same, Same;
    LogicalNot => Bool: Same;
    IEqual INotEqual UGreaterThan SGreaterThan UGreaterThanEqual SGreaterThanEqual ULessThan SLessThan ULessThanEqual
        SLessThanEqual => Bool: IntCount, LikePrev;
    FOrdEqual FUnordEqual FOrdNotEqual FUnordNotEqual FOrdLessThan FUnordLessThan FOrdGreaterThan FUnordGreaterThan
        FOrdLessThanEqual FUnordLessThanEqual FOrdGreaterThanEqual FUnordGreaterThanEqual => Bool: FloatCount, SamePrev;
};

pub(super) const fn by_row() -> [Option<&'static Signature>; Op::COUNT] {
    let mut all = [None; Op::COUNT];
    let rows = Op::all();
    let mut t = 0;
    while t < TABLE.len() {
        let mut i = 0;
        while i < TABLE[t].0.len() {
            let mut row = 0;
            while rows[row].op.0 != TABLE[t].0[i].0 {
                row += 1;
            }
            assert!(all[row].is_none(), "an instruction has two signatures");
            all[row] = Some(&TABLE[t].1);
            i += 1;
        }
        t += 1;
    }
    all
}
