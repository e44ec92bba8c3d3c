//! Cooperative matrices: `SPV_KHR_cooperative_matrix`, `SPV_NV_cooperative_matrix2` and their kin.

pub(super) mod access;
pub(crate) mod callback;
pub(super) mod multiply;
pub(super) mod qcom;
pub(super) mod tensor;
pub(crate) mod types;
pub(super) mod vector;

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, Op};
use spirula_module::{Type, TypeKey};

use super::conversion;
use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// Cooperative matrices that an instruction combines element by element have the same scope, rows, columns and use.
    EXTENT: "cooperative-matrix-extent", extension "SPV_KHR_cooperative_matrix";
    /// The length of a cooperative matrix type is an unsigned 32-bit integer.
    LENGTH: "cooperative-matrix-length", extension "SPV_KHR_cooperative_matrix";
    /// A conversion keeps a cooperative matrix's use. With the capability `CooperativeMatrixConversionsNV` (or its `EXT`
    /// successor), an accumulator can become the `A` or `B` of a multiplication.
    USE: "cooperative-matrix-use", extension "SPV_NV_cooperative_matrix2";
    /// `OpCooperativeMatrixConvertUseEXT` turns an accumulator into an `A` or `B` matrix, or back, and changes nothing
    /// else.
    CONVERT_USE: "cooperative-matrix-convert-use", extension "SPV_EXT_cooperative_matrix_maintenance1";
}

pub(crate) const TABLE: Table = rule_table! {
    TypeCooperativeMatrixKHR | TypeCooperativeMatrixNV => types::matrix;
    TypeVectorIdEXT => types::vector;
    CooperativeMatrixConvertUseEXT => convert_use;
    CooperativeMatrixLengthKHR | CooperativeMatrixLengthNV => length;
    CooperativeMatrixMulAddKHR | CooperativeMatrixMulAddNV => multiply::mul_add;
    CooperativeMatrixTransposeNV => multiply::transpose;
    CooperativeMatrixReduceEXT => multiply::reduce;
    CooperativeMatrixPerElementOpEXT => multiply::per_element;
    CooperativeMatrixGetCoordinateEXT => multiply::coordinate;
    CooperativeMatrixLoadKHR | CooperativeMatrixLoadNV => access::load;
    CooperativeMatrixStoreKHR | CooperativeMatrixStoreNV => access::store;
    CooperativeMatrixLoadTensorNV => tensor::load;
    CooperativeMatrixStoreTensorNV => tensor::store;
    TypeTensorLayoutNV => tensor::layout_type;
    TypeTensorViewNV => tensor::view_type;
    CreateTensorLayoutNV | CreateTensorViewNV => tensor::create;
    TensorLayoutSetDimensionNV | TensorLayoutSetStrideNV | TensorLayoutSetBlockSizeNV | TensorLayoutSliceNV
        | TensorLayoutSetClampValueNV | TensorViewSetDimensionNV | TensorViewSetStrideNV
        | TensorViewSetClipNV => tensor::set;
    CooperativeVectorLoadNV | CooperativeVectorStoreNV => vector::access;
    CooperativeVectorMatrixMulNV | CooperativeVectorMatrixMulAddNV => vector::multiply;
    CooperativeVectorOuterProductAccumulateNV => vector::outer_product;
    CooperativeVectorReduceSumAccumulateNV => vector::reduce_sum;
    BitCastArrayQCOM => qcom::bit_cast;
    CompositeConstructCoopMatQCOM => qcom::construct;
    CompositeExtractCoopMatQCOM => qcom::extract;
    ExtractSubArrayQCOM => qcom::sub_array;
};

/// Scope, rows, columns and use of a cooperative matrix type. The use is `%0` for the NV type.
pub(crate) fn extent(cx: &Cx<'_>, ty: Id) -> Option<[Id; 4]> {
    match cx.m.ty(ty)? {
        Type::CooperativeMatrix { scope, rows, columns, usage, .. } => Some([scope, rows, columns, usage]),
        Type::Other(inst) if inst.op() == Op::TypeCooperativeMatrixNV => {
            Some([inst.id(3), inst.id(4), inst.id(5), Id(0)])
        }
        _ => None,
    }
}

/// Whether two constants are the same or have values that differ by specialisation at most.
pub(crate) fn may_be_equal(cx: &Cx<'_>, a: Id, b: Id) -> bool {
    a == b
        || match (cx.m.fixed_u32(a), cx.m.fixed_u32(b)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
}

/// Two cooperative matrix types have the same scope, rows, columns and use.
#[cold]
pub(crate) fn same_extent(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, a: Id, b: Id) -> Checked {
    if let (Some(Type::VectorId { count: x, .. }), Some(Type::VectorId { count: y, .. })) = (cx.m.ty(a), cx.m.ty(b)) {
        let (m, ok) = (cx.m, may_be_equal(cx, x, y));
        return cx.check_at(ok, &EXTENT, inst, word, || {
            format!("{} has another number of components than {}", describe(m, b), describe(m, a))
        });
    }
    let (Some(x), Some(y)) = (extent(cx, a), extent(cx, b)) else { return Ok(()) };
    let names = ["scope", "number of rows", "number of columns", "use"];
    for ((x, y), name) in x.iter().zip(y).zip(names) {
        if !may_be_equal(cx, *x, y) {
            let m = cx.m;
            return cx.fail_at(&EXTENT, inst, word, || {
                msg(format!("{} has another {name} than {}", describe(m, b), describe(m, a)))
            });
        }
    }
    Ok(())
}

/// The KHR uses: A, B, accumulator.
pub(crate) const ACCUMULATOR: u32 = 2;

/// Whether a use is known not to be the wanted one.
fn is_accumulator(cx: &Cx<'_>, usage: Id) -> Option<bool> {
    cx.m.fixed_u32(usage).map(|u| u == ACCUMULATOR)
}

/// Extents of the Result Type and the operand of a conversion.
pub(crate) fn conversion(cx: &mut Cx<'_>, inst: Inst<'_>, operand: Id) -> Checked {
    let (Some(to), Some(from)) = (extent(cx, inst.id(1)), extent(cx, operand)) else {
        let m = cx.m;
        return cx.fail_at(&EXTENT, inst, 3, || {
            format!("{} is no cooperative matrix, but {} is", describe(m, operand), describe(m, inst.id(1)))
        });
    };
    let m = cx.m;
    let transposes = conversion::transposes(cx, inst);
    let [scope, rows, columns, usage] = to;
    let (rows, columns) = if transposes { (columns, rows) } else { (rows, columns) };
    let fits =
        may_be_equal(cx, scope, from[0]) && may_be_equal(cx, rows, from[1]) && may_be_equal(cx, columns, from[2]);
    cx.check_at(fits, &EXTENT, inst, 3, || {
        let turned = if transposes { ", transposed" } else { "" };
        format!(
            "the operand's {} has another scope or size than {}{turned}",
            describe(m, operand),
            describe(m, inst.id(1))
        )
    })?;
    let becomes = match (is_accumulator(cx, from[3]), is_accumulator(cx, usage)) {
        (Some(a), Some(b)) => a && !b || a != b && !transposes,
        _ => true,
    };
    let converts = inst.op() != Op::Bitcast
        && (cx.has(Capability::CooperativeMatrixConversionsNV) || cx.has(Capability::CooperativeMatrixConversionsEXT));
    let ok = if transposes { becomes } else { may_be_equal(cx, usage, from[3]) || converts && becomes };
    cx.check_at(ok, &USE, inst, 3, || {
        format!("a matrix of the use {} cannot become one of the use {usage} here", from[3])
    })
}

/// `OpCooperativeMatrixConvertUseEXT`.
pub(crate) fn convert_use(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let operand = cx.type_at(inst, 3)?;
    let m = cx.m;
    let khr = |ty| matches!(m.ty(ty), Some(Type::CooperativeMatrix { .. }));
    for (word, ty) in [(1, inst.id(1)), (3, operand)] {
        cx.check_at(khr(ty), &CONVERT_USE, inst, word, || {
            format!("{} is no OpTypeCooperativeMatrixKHR", describe(m, ty))
        })?;
    }
    let (Some(Type::CooperativeMatrix { component: to, .. }), Some(Type::CooperativeMatrix { component: from, .. })) =
        (m.ty(inst.id(1)), m.ty(operand))
    else {
        return Ok(());
    };
    let same = m.key(to).unsigned() == m.key(from).unsigned();
    cx.check_at(same, &CONVERT_USE, inst, 3, || {
        format!("the component type changes from {} to {}", describe(m, from), describe(m, to))
    })?;
    let (Some(to), Some(from)) = (extent(cx, inst.id(1)), extent(cx, operand)) else { return Ok(()) };
    let [_, rows, columns, _] = from;
    let (rows, columns) = if conversion::transposes(cx, inst) { (columns, rows) } else { (rows, columns) };
    let fits = may_be_equal(cx, to[0], from[0]) && may_be_equal(cx, to[1], rows) && may_be_equal(cx, to[2], columns);
    cx.check_at(fits, &EXTENT, inst, 3, || {
        format!("{} has another scope or size than {}", describe(m, operand), describe(m, inst.id(1)))
    })?;
    let changes = to[3] != from[3]
        && match (is_accumulator(cx, to[3]), is_accumulator(cx, from[3])) {
            (Some(a), Some(b)) => a != b,
            _ => true,
        };
    cx.check_at(changes, &CONVERT_USE, inst, 3, || {
        format!("the use goes from {} to {}, but one of them must be MatrixAccumulatorKHR", from[3], to[3])
    })?;
    // The older of the two extensions knows one direction.
    let back = is_accumulator(cx, to[3]) == Some(true) && !cx.has(Capability::CooperativeMatrixConversionsEXT);
    cx.check_at(!back, &CONVERT_USE, inst, 3, || {
        format!("the use goes from {} to {}, but only accumulators are converted", from[3], to[3])
    })
}

/// The component type of a cooperative matrix type.
pub(crate) fn component(cx: &Cx<'_>, ty: Id) -> Option<Id> {
    match cx.m.ty(ty)? {
        Type::CooperativeMatrix { component, .. } => Some(component),
        Type::Other(inst) if inst.op() == Op::TypeCooperativeMatrixNV => Some(inst.id(2)),
        _ => None,
    }
}

/// `OpCooperativeMatrixLengthKHR` and its NV form.
pub(crate) fn length(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let key = cx.result_key(inst)?;
    let ok = key.is_int() && key.width() == 32 && !key.is_signed();
    cx.check_at(ok, &LENGTH, inst, 1, || format!("the Result Type is {}", describe(m, inst.id(1))))?;
    let wanted = if inst.op() == Op::CooperativeMatrixLengthNV {
        Op::TypeCooperativeMatrixNV
    } else {
        Op::TypeCooperativeMatrixKHR
    };
    let op = m.info(inst.id(3)).op;
    cx.check_at(op == wanted, &LENGTH, inst, 3, || format!("{} is the result of {op}, not of {wanted}", inst.id(3)))
}

/// Fails unless `word` names a value of the type that the test accepts.
fn value(
    cx: &mut Cx<'_>,
    rule: &'static Rule,
    inst: Inst<'_>,
    word: usize,
    must: &str,
    test: fn(TypeKey) -> bool,
) -> Checked {
    let ok = test(cx.key_at(inst, word)?);
    let m = cx.m;
    cx.check_at(ok, rule, inst, word, || {
        let id = inst.id(word);
        format!("{id} has type {}, but must be {must}", describe(m, m.type_id_of(id)))
    })
}

/// Fails unless `word` names a constant.
fn constant(cx: &mut Cx<'_>, rule: &'static Rule, inst: Inst<'_>, word: usize, what: &str) -> Checked {
    let id = inst.id(word);
    let ok = cx.m.info(id).is_constant();
    cx.check_at(ok, rule, inst, word, || format!("{what} {id} is no constant"))
}

fn is_int32(key: TypeKey) -> bool {
    key.is_int() && key.width() == 32
}
