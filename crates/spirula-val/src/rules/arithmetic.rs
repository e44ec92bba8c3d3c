//! Arithmetic instructions (§3.3.13) whose rules no signature states.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Op};
use spirula_module::{Scalar, Shape, Type, TypeKey};

use super::conversion::encoding;
use super::cooperative_matrix;
use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::{describe, is_ints};

rules! {
    group "arithmetic";
    /// The operands and the Result Type of a product of vectors and matrices fit each other: floating-point, of one
    /// component type, with the sizes that linear algebra demands.
    PRODUCT: "matrix-product", spec "OpMatrixTimesMatrix";
    /// An extended arithmetic instruction gives a structure of two members of one integer type, which its operands have.
    EXTENDED: "extended-arithmetic", spec "OpIAddCarry";
    /// The operands of an integer dot product are vectors of integers of one size, or 32-bit integers with a packed
    /// vector format; the Result Type is an integer scalar at least as wide as their components.
    DOT: "integer-dot-product", extension "SPV_KHR_integer_dot_product";
    /// The operands of an integer dot product have one type, but for products of mixed signedness. A warning where they
    /// differ in nothing but signedness, since no consumer objects.
    DOT_ALIKE: "integer-dot-product-alike", warn extension "SPV_KHR_integer_dot_product";
    /// Integer dot products of some operand types need a further capability.
    DOT_CAPABILITY: "integer-dot-product-capability", extension "SPV_KHR_integer_dot_product";
    /// A mixed float dot product takes two vectors of one narrow float type and accumulates in the Result Type.
    FLOAT_DOT: "mixed-float-dot-product", extension "SPV_VALVE_mixed_float_dot_product";
    /// Floats with an encoding (bfloat16, 8-bit floats and smaller) are for conversions, dot products and cooperative
    /// matrices; other instructions do not compute with them.
    ENCODED: "encoded-float-arithmetic", extension "SPV_KHR_bfloat16";
}

pub(crate) const TABLE: Table = rule_table! {
    FNegate | FAdd | FSub | FMul | FDiv | FRem | FMod | FmaKHR | QuantizeToF16 | VectorTimesScalar
        | MatrixTimesScalar => no_encoding;
    VectorTimesMatrix => vector_times_matrix;
    MatrixTimesVector => matrix_times_vector;
    MatrixTimesMatrix => matrix_times_matrix;
    OuterProduct => outer_product;
    Dot => dot;
    IAddCarry | ISubBorrow | UMulExtended | SMulExtended => extended;
    SDot | UDot | SUDot | SDotAccSat | UDotAccSat | SUDotAccSat => integer_dot;
    FDot2MixAcc32VALVE | FDot2MixAcc16VALVE | FDot4MixAcc32VALVE => float_dot;
};

/// The Result Type's encoding, where the instruction has none.
pub(crate) fn no_encoding(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.result_key(inst)?;
    nv_product(cx, inst)?;
    let encoded = key.component_class() == Scalar::EncodedFloat;
    let (m, op) = (cx.m, inst.op());
    cx.check_at(!encoded, &ENCODED, inst, 1, || {
        format!("{op} cannot compute with {}, whose floats have an encoding", describe(m, inst.id(1)))
    })
}

/// Matrices of `SPV_NV_cooperative_matrix` have no product component by component.
fn nv_product(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let nv = inst.op() == Op::FMul && cx.m.info(inst.id(1)).op == Op::TypeCooperativeMatrixNV;
    cx.check_at(!nv, &PRODUCT, inst, 1, || "OpFMul on an OpTypeCooperativeMatrixNV")
}

fn dot(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    if cx.has(Capability::BFloat16DotProductKHR) {
        return Ok(());
    }
    no_encoding(cx, inst)
}

/// Fails with what the operand or Result Type at `word` must be.
#[cold]
fn product(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, must: &str) -> Checked {
    let m = cx.m;
    cx.fail_at(&PRODUCT, inst, word, || {
        if word == 1 {
            msg(format!("the Result Type is {}, but must be {must}", describe(m, inst.id(1))))
        } else {
            let id = inst.id(word);
            msg(format!("{id} has type {}, but must be {must}", describe(m, m.type_id_of(id)))).declared(m, id)
        }
    })
}

/// Whether two numbers of components or columns differ; 0 stands for those that a constant states.
fn differ(a: u32, b: u32) -> bool {
    a != b && a != 0 && b != 0
}

fn is_float(key: TypeKey, shape: Shape) -> bool {
    let long = shape == Shape::Vector && key.shape() == Shape::CooperativeVector;
    (key.shape() == shape || long) && key.component_class() == Scalar::Float
}

/// The keys of the Result Type and both operands, after the shapes were judged.
fn shapes(cx: &mut Cx<'_>, inst: Inst<'_>, shapes: [Shape; 3]) -> Checked<[TypeKey; 3]> {
    let keys = [cx.result_key(inst)?, cx.key_at(inst, 3)?, cx.key_at(inst, 4)?];
    for (i, key) in keys.iter().enumerate() {
        let word = if i == 0 { 1 } else { i + 2 };
        if !is_float(*key, shapes[i]) {
            let what = if shapes[i] == Shape::Matrix { "a matrix of floats" } else { "a vector of floats" };
            product(cx, inst, word, what)?;
            return Err(spirula_diag::Failed);
        }
        if key.width() != keys[0].width() {
            product(cx, inst, word, "of the Result Type's component type")?;
        }
    }
    Ok(keys)
}

fn vector_times_matrix(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let [result, vector, matrix] = shapes(cx, inst, [Shape::Vector, Shape::Vector, Shape::Matrix])?;
    if differ(matrix.count(), result.count()) {
        return product(cx, inst, 4, "a matrix with as many columns as the Result Type has components");
    }
    if differ(matrix.rows(), vector.count()) {
        return product(cx, inst, 4, "a matrix whose columns have as many components as the vector");
    }
    Ok(())
}

fn matrix_times_vector(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let [result, matrix, vector] = shapes(cx, inst, [Shape::Vector, Shape::Matrix, Shape::Vector])?;
    if differ(matrix.rows(), result.count()) {
        return product(cx, inst, 3, "a matrix whose columns are of the Result Type");
    }
    if differ(matrix.count(), vector.count()) {
        return product(cx, inst, 4, "a vector with as many components as the matrix has columns");
    }
    Ok(())
}

fn matrix_times_matrix(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let [result, left, right] = shapes(cx, inst, [Shape::Matrix; 3])?;
    if differ(left.rows(), result.rows()) {
        return product(cx, inst, 3, "a matrix whose columns are those of the Result Type");
    }
    if differ(right.count(), result.count()) {
        return product(cx, inst, 4, "a matrix with as many columns as the Result Type");
    }
    if differ(left.count(), right.rows()) {
        return product(cx, inst, 4, "a matrix with as many rows as the left one has columns");
    }
    Ok(())
}

fn outer_product(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let [result, left, right] = shapes(cx, inst, [Shape::Matrix, Shape::Vector, Shape::Vector])?;
    if differ(left.count(), result.rows()) {
        return product(cx, inst, 3, "of the Result Type's column type");
    }
    if differ(right.count(), result.count()) {
        return product(cx, inst, 4, "a vector with as many components as the Result Type has columns");
    }
    Ok(())
}

fn extended(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let ty = inst.id(1);
    let member = match m.ty(ty) {
        Some(Type::Struct { members: &[a, b] }) if a == b => Some(Id(a)),
        _ => None,
    };
    let key = member.map_or(TypeKey::NONE, |t| m.key(t));
    // Signedness matters for the unsigned ones.
    let signed = inst.op() == Op::SMulExtended || !key.is_signed();
    cx.check_at(is_ints(key) && signed, &EXTENDED, inst, 1, || {
        let kind = if inst.op() == Op::SMulExtended { "an integer" } else { "an unsigned integer" };
        format!(
            "the Result Type is {}, but must be a structure of two members of the same type, {kind} scalar or vector",
            describe(m, ty)
        )
    })?;
    for word in [3, 4] {
        let operand = cx.type_at(inst, word)?;
        cx.check_at(member == Some(operand), &EXTENDED, inst, word, || {
            let id = inst.id(word);
            let wanted = member.map_or_else(Default::default, |t| describe(m, t));
            msg(format!("{id} has type {}, but the members of the Result Type have {wanted}", describe(m, operand)))
                .declared(m, id)
        })?;
    }
    Ok(())
}

fn integer_dot(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let [result, a, b] = [cx.result_key(inst)?, cx.key_at(inst, 3)?, cx.key_at(inst, 4)?];
    let accumulates = matches!(inst.op(), Op::SDotAccSat | Op::UDotAccSat | Op::SUDotAccSat);
    let unsigned = matches!(inst.op(), Op::UDot | Op::UDotAccSat);
    let bad = |cx: &mut Cx<'_>, word: usize, text: &str| {
        cx.fail_at(&DOT, inst, word, || {
            let ty = if word == 1 { inst.id(1) } else { m.type_id_of(inst.id(word)) };
            format!("{} {text}", describe(m, ty))
        })
    };
    if !result.is_int() || unsigned && result.is_signed() {
        let what = if unsigned { "is no unsigned integer scalar" } else { "is no integer scalar" };
        return bad(cx, 1, what);
    }
    for (word, key) in [(3, a), (4, b)] {
        let int = key.component_class() == Scalar::Int;
        if !int || !(key.is_scalar_or_vector() || key.shape() == Shape::CooperativeVector) {
            return bad(cx, word, "is neither a vector of integers nor a packed 32-bit integer");
        }
        if word == 4 && key.shape() != a.shape() {
            return bad(cx, 4, "is of another kind than the first operand's type");
        }
        let second = word == 4 && matches!(inst.op(), Op::SUDot | Op::SUDotAccSat);
        if (unsigned || second) && key.shape() == Shape::Vector && key.is_signed() {
            return bad(cx, word, "must have unsigned components");
        }
    }
    let mixed = matches!(inst.op(), Op::SUDot | Op::SUDotAccSat);
    cx.check_at(mixed || a.is_signed() == b.is_signed(), &DOT_ALIKE, inst, 4, || {
        let [x, y] = [3, 4].map(|word| describe(m, m.type_id_of(inst.id(word))));
        format!("{y} has another signedness than {x}, the first operand's type")
    })?;
    if a.shape() == Shape::Scalar {
        packed_dot(cx, inst, [result, a, b], if accumulates { 6 } else { 5 })?;
    } else {
        let long = a.shape() == Shape::CooperativeVector;
        let (x, y) = (m.type_id_of(inst.id(3)), m.type_id_of(inst.id(4)));
        if long && x != y {
            cooperative_matrix::same_extent(cx, inst, 4, x, y)?;
        }
        if a.count() != b.count() {
            return bad(cx, 4, "has another number of components than the first operand");
        }
        if a.width() != b.width() {
            return bad(cx, 4, "has components of another width than the first operand");
        }
        if result.width() < a.width() {
            return bad(cx, 1, "is narrower than the components of the operands");
        }
        let bytes = a.width() == 8 && a.count() == 4;
        let ok = cx.has(Capability::DotProductInputAll) || bytes && cx.has(Capability::DotProductInput4x8Bit);
        cx.check_at(ok, &DOT_CAPABILITY, inst, 3, || {
            let or = if bytes { "DotProductInput4x8Bit or " } else { "" };
            format!(
                "operands of type {} need the capability {or}DotProductInputAll",
                describe(m, m.type_id_of(inst.id(3)))
            )
        })?;
    }
    if accumulates {
        let ty = cx.type_at(inst, 5)?;
        cx.check_at(ty == inst.id(1), &DOT, inst, 5, || {
            format!("the accumulator has type {}, but must have the Result Type", describe(m, ty))
        })?;
    }
    Ok(())
}

/// Two 32-bit integers that hold four bytes each.
fn packed_dot(cx: &mut Cx<'_>, inst: Inst<'_>, keys: [TypeKey; 3], format: usize) -> Checked {
    let [result, a, b] = keys;
    cx.check_at(a.width() == 32 && b.width() == 32, &DOT, inst, 3, || {
        format!("packed operands must have 32 bits, but have {} and {}", a.width(), b.width())
    })?;
    let ok = cx.has(Capability::DotProductInput4x8BitPacked);
    cx.check_at(ok, &DOT_CAPABILITY, inst, 3, || "packed operands need the capability DotProductInput4x8BitPacked")?;
    let given = inst.words().len() > format;
    cx.check(given, &DOT, inst, || "integer scalars as operands need the Packed Vector Format operand")?;
    cx.check_at(result.width() >= 8, &DOT, inst, 1, || {
        format!("the Result Type has {} bits, fewer than the components of the operands", result.width())
    })
}

fn float_dot(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let [result, a] = [cx.result_key(inst)?, cx.key_at(inst, 3)?];
    cx.key_at(inst, 4)?;
    let (x, y, acc) = (m.type_id_of(inst.id(3)), m.type_id_of(inst.id(4)), cx.type_at(inst, 5)?);
    let (count, width, to) = match inst.op() {
        Op::FDot2MixAcc32VALVE => (2, 16, 32),
        Op::FDot2MixAcc16VALVE => (2, 16, 16),
        _ => (4, 8, 32),
    };
    let vector = a.shape() == Shape::Vector
        && matches!(a.component_class(), Scalar::Float | Scalar::EncodedFloat)
        && a.width() == width
        && a.count() == count;
    cx.check_at(vector, &FLOAT_DOT, inst, 3, || {
        format!("Vector 1 has type {}, but must be a vector of {count} {width}-bit floats", describe(m, x))
    })?;
    let b = m.key(y);
    let alike = if count == 4 { a == b } else { x == y };
    cx.check_at(alike, &FLOAT_DOT, inst, 4, || {
        format!("Vector 2 has type {}, but Vector 1 has {}", describe(m, y), describe(m, x))
    })?;
    let encoded = encoding(cx, x);
    let result_ok = result.is_float()
        && result.width() == to
        && if to == 16 { encoding(cx, inst.id(1)) == encoded } else { encoding(cx, inst.id(1)).is_none() };
    cx.check_at(result_ok, &FLOAT_DOT, inst, 1, || {
        format!("the Result Type is {}, but must be a {to}-bit float of the right encoding", describe(m, inst.id(1)))
    })?;
    cx.check_at(acc == inst.id(1), &FLOAT_DOT, inst, 5, || {
        format!("the accumulator has type {}, but must have the Result Type", describe(m, acc))
    })?;
    let need = match (to, encoded) {
        (16, None) => Capability::DotProductFloat16AccFloat16VALVE,
        (16, Some(_)) => Capability::DotProductBFloat16AccVALVE,
        (_, _) if width == 8 => Capability::DotProductFloat8AccFloat32VALVE,
        (_, None) => Capability::DotProductFloat16AccFloat32VALVE,
        (_, Some(_)) => Capability::DotProductBFloat16AccVALVE,
    };
    cx.check_at(cx.has(need), &DOT_CAPABILITY, inst, 3, || format!("{} needs the capability {need}", describe(m, x)))
}
