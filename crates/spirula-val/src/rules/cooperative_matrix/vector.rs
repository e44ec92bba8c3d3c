//! `SPV_NV_cooperative_vector`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{
    Capability, ComponentType, CooperativeVectorMatrixLayout as Layout, MemoryAccess, Op, OperandKind, StorageClass,
};
use spirula_module::{Scalar, Shape, Type, TypeKey};

use super::access::memory;
use super::{constant, is_int32, may_be_equal, value};
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// Cooperative vectors are loaded, stored and accumulated through pointers to arrays, at integer offsets.
    ACCESS: "cooperative-vector-access", extension "SPV_NV_cooperative_vector";
    /// The product of a matrix and a cooperative vector has sizes, types and interpretations that fit.
    PRODUCT: "cooperative-vector-product", extension "SPV_NV_cooperative_vector";
    /// Matrices laid out in rows or columns are not transposed as they are read. A warning, since compilers do not look.
    TRANSPOSED: "cooperative-vector-transposed", warn extension "SPV_NV_cooperative_vector";
    /// A matrix of 8-bit floats is laid out for inferencing or training.
    LAYOUT: "cooperative-vector-matrix-layout", warn vuid "VUID-RuntimeSpirv-OpCooperativeVectorMatrixMulNV-10090";
    /// Sums of components are accumulated as 16-bit or 32-bit floats in a storage buffer.
    REDUCE: "cooperative-vector-reduce-sum", warn vuid "VUID-RuntimeSpirv-OpCooperativeVectorReduceSumAccumulateNV-10092";
    /// The outer product of vectors of 16-bit floats is accumulated in a matrix of 16-bit or 32-bit floats, which is laid out
    /// for training in a storage buffer.
    OUTER: "cooperative-vector-outer-product",
        warn vuid "VUID-RuntimeSpirv-OpCooperativeVectorOuterProductAccumulateNV-10093";
}

fn is_vector(key: TypeKey) -> bool {
    matches!(key.shape(), Shape::CooperativeVector | Shape::Vector)
}

/// Whether any vector is taken for a cooperative one: the two are of one kind where long vectors are declared.
fn any_vector(cx: &Cx<'_>) -> fn(TypeKey) -> bool {
    if cx.has(Capability::LongVectorEXT) { is_vector } else { is_cooperative }
}

fn is_offset(key: TypeKey) -> bool {
    key.is_int() && matches!(key.width(), 32 | 64)
}

fn pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let ok = match m.pointer(ty) {
        Some((_, Id(0))) => true,
        Some((_, pointee)) => matches!(m.ty(pointee), Some(Type::Array { .. } | Type::RuntimeArray { .. })),
        None => false,
    };
    cx.check_at(ok, &ACCESS, inst, word, || {
        format!("{} has type {}, not a pointer to an array", inst.id(word), describe(m, ty))
    })?;
    // What is multiplied comes from outside of the workgroup.
    let multiplies = matches!(inst.op(), Op::CooperativeVectorMatrixMulNV | Op::CooperativeVectorMatrixMulAddNV);
    let class = m.pointer(ty).map_or(StorageClass::Generic, |p| p.0);
    let ok = match class {
        StorageClass::CrossWorkgroup | StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => true,
        StorageClass::Workgroup => !multiplies,
        _ => false,
    };
    cx.check_at(ok, &ACCESS, inst, word, || format!("{} points to {class}", inst.id(word)))
}

/// The operand at `word`, where its value is known, is one of an enumeration.
fn known<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, kind: OperandKind) -> Checked {
    let value = cx.m.fixed_u32(inst.id(word));
    let ok = value.is_none_or(|v| kind.enumerant(v).is_some());
    cx.check_at(ok, &PRODUCT, inst, word, || format!("{} is no {}", value.unwrap_or(0), kind.name()))
}

pub(super) fn access<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    if inst.op() == Op::CooperativeVectorLoadNV {
        let ok = any_vector(cx)(cx.result_key(inst)?);
        cx.check_at(ok, &ACCESS, inst, 1, || format!("{} is no cooperative vector", describe(m, inst.id(1))))?;
        pointer(cx, inst, 3)?;
        value(cx, &ACCESS, inst, 4, "a 32-bit or 64-bit integer", is_offset)?;
        return memory(cx, inst, 5, MemoryAccess::MakePointerAvailable);
    }
    pointer(cx, inst, 1)?;
    value(cx, &ACCESS, inst, 2, "a 32-bit or 64-bit integer", is_offset)?;
    let vector = any_vector(cx);
    value(cx, &ACCESS, inst, 3, "a cooperative vector", vector)?;
    memory(cx, inst, 4, MemoryAccess::MakePointerVisible)
}

/// A constant 32-bit integer.
fn interpretation<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    value(cx, &PRODUCT, inst, word, "a 32-bit integer", is_int32)?;
    constant(cx, &PRODUCT, inst, word, "the interpretation")?;
    known(cx, inst, word, OperandKind::ComponentType)
}

/// The length of a vector is the constant at `word`.
fn length<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, ty: Id, word: usize) -> Checked {
    let size = inst.id(word);
    let ok = match cx.m.ty(ty) {
        Some(Type::VectorId { count, .. }) => may_be_equal(cx, count, size),
        Some(Type::Vector { count, .. }) => cx.m.fixed_u32(size).is_none_or(|s| s == count),
        _ => true,
    };
    let m = cx.m;
    cx.check_at(ok, &PRODUCT, inst, word, || format!("{} has not {size} components", describe(m, ty)))
}

pub(super) fn multiply<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let bias = inst.op() == Op::CooperativeVectorMatrixMulAddNV;
    let result = cx.result_key(inst)?;
    let vector = any_vector(cx);
    cx.check_at(vector(result), &PRODUCT, inst, 1, || format!("{} is no cooperative vector", describe(m, inst.id(1))))?;
    value(cx, &PRODUCT, inst, 3, "a cooperative vector", vector)?;
    interpretation(cx, inst, 4)?;
    pointer(cx, inst, 5)?;
    value(cx, &PRODUCT, inst, 6, "a 32-bit or 64-bit integer", is_offset)?;
    interpretation(cx, inst, 7)?;
    let mut next = 8;
    if bias {
        pointer(cx, inst, 8)?;
        value(cx, &PRODUCT, inst, 9, "a 32-bit or 64-bit integer", is_offset)?;
        interpretation(cx, inst, 10)?;
        next = 11;
    }
    for word in next..next + 3 {
        value(cx, &PRODUCT, inst, word, "a 32-bit integer", is_int32)?;
        constant(cx, &PRODUCT, inst, word, "the size or layout")?;
    }
    value(cx, &PRODUCT, inst, next + 3, "a Boolean", |k| k.is_bool())?;
    constant(cx, &PRODUCT, inst, next + 3, "Transpose")?;
    known(cx, inst, next + 2, OperandKind::CooperativeVectorMatrixLayout)?;
    transposed(cx, inst, next + 2)?;
    if cx.env.is_vulkan() {
        layout(cx, inst, next + 2)?;
    }
    length(cx, inst, inst.id(1), next)?;
    let packed = [ComponentType::SignedInt8PackedNV, ComponentType::UnsignedInt8PackedNV];
    let reads = m.fixed_u32(inst.id(4));
    if !packed.iter().any(|p| reads.is_none_or(|r| r == p.0)) {
        length(cx, inst, m.type_id_of(inst.id(3)), next + 1)?;
    }
    match inst.words().get(next + 4) {
        // The stride is an operand of its own, in front of the cooperative matrix operands.
        Some(_) => value(cx, &PRODUCT, inst, next + 4, "a 32-bit integer", is_int32),
        None => Ok(()),
    }
}

/// Only optimal layouts, at `word`, can be transposed.
fn transposed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let m = cx.m;
    let transposes = m.info(inst.id(word + 1)).op == Op::ConstantTrue;
    let layout = m.fixed_u32(inst.id(word)).map(Layout);
    let plain = matches!(layout, Some(Layout::RowMajorNV | Layout::ColumnMajorNV));
    cx.check_at(!(transposes && plain), &TRANSPOSED, inst, word + 1, || {
        format!("a matrix of the layout {} is not transposed", layout.unwrap_or_default())
    })
}

/// The layout, at `word`, of a matrix whose interpretation is 8-bit floats.
fn layout<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let m = cx.m;
    let small = [ComponentType::FloatE4M3NV, ComponentType::FloatE5M2NV];
    let optimal = [Layout::InferencingOptimalNV, Layout::TrainingOptimalNV];
    let is_small = m.fixed_u32(inst.id(7)).is_some_and(|v| small.contains(&ComponentType(v)));
    let fits = m.fixed_u32(inst.id(word)).is_none_or(|v| optimal.contains(&Layout(v)));
    cx.check_at(fits || !is_small, &LAYOUT, inst, word, || {
        format!("{} is no layout for inferencing or training, which 8-bit floats need", inst.id(word))
    })
}

/// What is accumulated, through the pointer at word 1, is in a storage buffer.
fn accumulates<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, rule: &'static Rule) -> Checked {
    let class = cx.m.class_of(inst.id(1)).unwrap_or(StorageClass::StorageBuffer);
    let ok = matches!(class, StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer);
    cx.check_at(ok, rule, inst, 1, || format!("{} points to {class}", inst.id(1)))
}

/// The components of the vector at `word` are floats of one of the widths.
fn floats<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, rule: &'static Rule, widths: &[u32]) -> Checked {
    let key = cx.key_at(inst, word)?;
    let ok = key.component_class() == Scalar::Float && widths.contains(&key.width());
    let m = cx.m;
    cx.check_at(ok, rule, inst, word, || {
        format!("{} has type {}", inst.id(word), describe(m, m.type_id_of(inst.id(word))))
    })
}

fn is_cooperative(key: TypeKey) -> bool {
    key.shape() == Shape::CooperativeVector
}

pub(super) fn outer_product<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    pointer(cx, inst, 1)?;
    value(cx, &ACCESS, inst, 2, "a 32-bit or 64-bit integer", is_offset)?;
    value(cx, &ACCESS, inst, 3, "a cooperative vector", is_cooperative)?;
    value(cx, &ACCESS, inst, 4, "a cooperative vector", is_cooperative)?;
    for word in [5, 6] {
        value(cx, &ACCESS, inst, word, "a 32-bit integer", is_int32)?;
        constant(cx, &ACCESS, inst, word, "the layout or interpretation")?;
    }
    known(cx, inst, 5, OperandKind::CooperativeVectorMatrixLayout)?;
    known(cx, inst, 6, OperandKind::ComponentType)?;
    let (a, b) = (cx.key_at(inst, 3)?, cx.key_at(inst, 4)?);
    cx.check_at(a.component() == b.component(), &ACCESS, inst, 4, || {
        format!("{} and {} have different components", inst.id(3), inst.id(4))
    })?;
    if cx.env.is_vulkan() {
        accumulates(cx, inst, &OUTER)?;
        floats(cx, inst, 3, &OUTER, &[16])?;
        floats(cx, inst, 4, &OUTER, &[16])?;
        let m = cx.m;
        let training = m.fixed_u32(inst.id(5)).is_none_or(|v| Layout(v) == Layout::TrainingOptimalNV);
        cx.check_at(training, &OUTER, inst, 5, || format!("{} is not the layout for training", inst.id(5)))?;
        let kinds = [ComponentType::Float16NV, ComponentType::Float32NV];
        let float = m.fixed_u32(inst.id(6)).is_none_or(|v| kinds.contains(&ComponentType(v)));
        cx.check_at(float, &OUTER, inst, 6, || format!("{} is neither 16-bit nor 32-bit floats", inst.id(6)))?;
    }
    match inst.words().get(7) {
        Some(_) => value(cx, &ACCESS, inst, 7, "a 32-bit integer", is_int32),
        None => Ok(()),
    }
}

pub(super) fn reduce_sum<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    pointer(cx, inst, 1)?;
    value(cx, &ACCESS, inst, 2, "a 32-bit or 64-bit integer", is_offset)?;
    value(cx, &ACCESS, inst, 3, "a cooperative vector", is_cooperative)?;
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    accumulates(cx, inst, &REDUCE)?;
    floats(cx, inst, 3, &REDUCE, &[16, 32])
}
