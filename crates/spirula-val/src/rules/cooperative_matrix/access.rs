//! Loads and stores of cooperative matrices.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule, rules};
use spirula_grammar::{Capability, CooperativeMatrixLayout as L, MemoryAccess, Op, StorageClass};
use spirula_module::{Module, Scalar, Type, TypeKey};

use super::{component, constant, extent, is_int32, value};
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// A cooperative matrix is loaded and stored through a pointer to numbers, in a storage class that others see.
    POINTER: "cooperative-matrix-pointer", extension "SPV_KHR_cooperative_matrix";
    /// In Vulkan, a cooperative matrix is loaded and stored in `Workgroup`, `StorageBuffer` or `PhysicalStorageBuffer`.
    CLASS: "cooperative-matrix-storage-class", vuid "VUID-StandaloneSpirv-Pointer-08973";
    /// The layout of a cooperative matrix in memory is a constant, and has the stride and sizes that it demands.
    LAYOUT: "cooperative-matrix-layout", extension "SPV_KHR_cooperative_matrix";
    /// The rows (or columns) of a matrix are not stored to one and the same place: the stride is greater than 0.
    STRIDE: "cooperative-matrix-store-stride", warn extension "SPV_KHR_cooperative_matrix";
    /// A load makes nothing available, and a store makes nothing visible.
    ACCESS: "cooperative-matrix-memory-access", extension "SPV_KHR_cooperative_matrix";
}

/// Pointer to what a matrix is made of.
pub(super) fn pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let of = m.pointer(ty);
    cx.check_at(of.is_some(), &POINTER, inst, word, || {
        format!("{} has type {}, not a pointer", inst.id(word), describe(m, ty))
    })?;
    let (class, pointee) = of.ok_or(Failed)?;
    let vulkan =
        matches!(class, StorageClass::Workgroup | StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer);
    let rule: &'static Rule = if cx.env.is_vulkan() { &CLASS } else { &POINTER };
    let ok = vulkan || !cx.env.is_vulkan() && class == StorageClass::CrossWorkgroup;
    cx.check_at(ok, rule, inst, word, || format!("the pointer points to {class}"))?;
    let key = m.key(pointee);
    let number = matches!(key.component_class(), Scalar::Int | Scalar::Float | Scalar::EncodedFloat);
    let ok = pointee == Id(0) || number && key.is_scalar_or_vector();
    cx.check_at(ok, &POINTER, inst, word, || format!("the pointer points to {}, not to numbers", describe(m, pointee)))
}

/// The memory operands: `wrong` is the one that the instruction cannot have. Loads have their pointer behind the result.
pub(super) fn memory<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, wrong: MemoryAccess) -> Checked {
    let has = inst.word(word) & wrong.0 != 0;
    cx.check_at(!has, &ACCESS, inst, word, || format!("{} with {wrong}", inst.op()))?;
    let pointer = if inst.result().is_some() { 3 } else { 1 };
    crate::rules::memory::access_of_other(cx, inst, word, pointer)
}

fn is_bool(key: TypeKey) -> bool {
    key.is_bool()
}

fn is_int(key: TypeKey) -> bool {
    key.is_int()
}

pub(super) fn load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ty = inst.id(1);
    let wanted = inst.op() == Op::CooperativeMatrixLoadNV;
    matrix(cx, inst, 1, ty, wanted)?;
    pointer(cx, inst, 3)?;
    within_array(cx, inst, 3)?;
    common(cx, inst, ty, 4, MemoryAccess::MakePointerAvailable)
}

pub(super) fn store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    pointer(cx, inst, 1)?;
    within_array(cx, inst, 1)?;
    let ty = cx.type_at(inst, 2)?;
    let wanted = inst.op() == Op::CooperativeMatrixStoreNV;
    matrix(cx, inst, 2, ty, wanted)?;
    common(cx, inst, ty, 3, MemoryAccess::MakePointerVisible)
}

fn matrix<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id, nv: bool) -> Checked {
    let m = cx.m;
    let op = m.info(ty).op;
    let wanted = if nv { Op::TypeCooperativeMatrixNV } else { Op::TypeCooperativeMatrixKHR };
    cx.check_at(op == wanted, &POINTER, inst, word, || format!("{} is no {wanted}", describe(m, ty)))
}

fn common<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, ty: Id, at: usize, wrong: MemoryAccess) -> Checked {
    if matches!(inst.op(), Op::CooperativeMatrixLoadNV | Op::CooperativeMatrixStoreNV) {
        value(cx, &LAYOUT, inst, at, "an integer (the stride)", is_int)?;
        value(cx, &LAYOUT, inst, at + 1, "a Boolean (whether columns are contiguous)", is_bool)?;
        constant(cx, &LAYOUT, inst, at + 1, "Column Major")?;
        return memory(cx, inst, at + 2, wrong);
    }
    value(cx, &LAYOUT, inst, at, "a 32-bit integer (the layout)", is_int32)?;
    constant(cx, &LAYOUT, inst, at, "the layout")?;
    let layout = cx.m.fixed_u32(inst.id(at)).map(L);
    let known = layout.is_none_or(|l| L::KIND.enumerant(l.0).is_some());
    cx.check_at(known, &LAYOUT, inst, at, || format!("{} is no layout", layout.unwrap_or_default().0))?;
    let stride = inst.words().len() > at + 1;
    if stride {
        value(cx, &LAYOUT, inst, at + 1, "an integer (the stride)", is_int)?;
    }
    memory(cx, inst, at + 2, wrong)?;
    match layout {
        Some(L::RowMajorKHR | L::ColumnMajorKHR) => {
            cx.check(stride, &LAYOUT, inst, || "the layout needs the operand Stride")?;
            least_stride(cx, inst, at + 1)
        }
        Some(l @ (L::RowBlockedInterleavedARM | L::ColumnBlockedInterleavedARM)) => {
            cx.check(stride, &LAYOUT, inst, || "the layout needs the operand Stride")?;
            constant(cx, &LAYOUT, inst, at + 1, "the stride")?;
            interleaved(cx, inst, ty, at, l)
        }
        _ => Ok(()),
    }
}

/// Rows or columns may be loaded from the same place, but not stored there; neither goes backwards.
fn least_stride<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, at: usize) -> Checked {
    let Some(stride) = cx.m.int_constant(inst.id(at)).filter(|c| !c.spec) else { return Ok(()) };
    let loads = inst.op() == Op::CooperativeMatrixLoadKHR;
    let text = || format!("the stride is {}", stride.bits as i64);
    cx.check_at(stride.as_unsigned().is_some(), &LAYOUT, inst, at, text)?;
    cx.check_at(loads || stride.bits != 0, &STRIDE, inst, at, text)
}

/// In shaders, the pointer leads into an array: what it points to is followed by more of the kind.
fn within_array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    if !cx.has(Capability::Shader) {
        return Ok(());
    }
    let m = cx.m;
    let is_array = |ty| matches!(m.ty(ty), Some(Type::Array { .. } | Type::RuntimeArray { .. }));
    let mut next = m.def(inst.id(word));
    // What is neither an access chain nor a variable may lead anywhere.
    for _ in 0..16 {
        let Some(at) = next else { return Ok(()) };
        match at.op() {
            Op::AccessChain | Op::InBoundsAccessChain if !steps_through_array(m, at) => next = m.def(at.id(3)),
            Op::Variable if m.pointer(at.id(1)).is_some_and(|p| !is_array(p.1)) => break,
            _ => return Ok(()),
        }
    }
    cx.fail_at(&POINTER, inst, word, || format!("{} points into no array", inst.id(word)))
}

/// Whether the indexes of an access chain, which starts at a pointer to a type, lead through an array.
fn steps_through_array(m: Module<'_>, chain: Inst<'_>) -> bool {
    let mut ty = m.pointer(m.type_id_of(chain.id(3))).map(|p| p.1);
    for index in chain.tail(4) {
        ty = match ty.and_then(|t| m.ty(t)) {
            Some(Type::Struct { members }) => {
                m.fixed_u32(Id(*index)).and_then(|n| members.get(n as usize)).map(|t| Id(*t))
            }
            Some(Type::Vector { .. } | Type::VectorId { .. }) => return false,
            // An array, or what is not understood.
            _ => return true,
        };
    }
    false
}

/// `SPV_ARM_cooperative_matrix_layouts`: the matrix consists of whole blocks.
fn interleaved<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, ty: Id, at: usize, layout: L) -> Checked {
    let m = cx.m;
    let (Some(of), Some(element), Some(stride)) = (extent(cx, ty), component(cx, ty), m.fixed_u32(inst.id(at + 1)))
    else {
        return Ok(());
    };
    cx.check_at(matches!(stride, 1 | 2 | 4), &LAYOUT, inst, at + 1, || format!("the stride is {stride}"))?;
    let bytes = m.key(element).width() / 8;
    let along = 16u32.checked_div(bytes).unwrap_or(0);
    let (rows, columns) = match layout {
        L::RowBlockedInterleavedARM => (4, along.saturating_mul(stride)),
        _ => (stride.saturating_mul(4), along),
    };
    for (size, block, what) in [(of[1], rows, "rows"), (of[2], columns, "columns")] {
        let ok = block == 0 || m.fixed_u32(size).is_none_or(|n| n.is_multiple_of(block));
        cx.check_at(ok, &LAYOUT, inst, at, || format!("the number of {what} {size} is no multiple of {block}"))?;
    }
    Ok(())
}
