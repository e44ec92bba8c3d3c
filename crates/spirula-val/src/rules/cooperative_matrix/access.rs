//! Loads and stores of cooperative matrices.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule, rules};
use spirula_grammar::{Capability, CooperativeMatrixLayout as L, MemoryAccess, Op, OperandKind, StorageClass};
use spirula_module::{Scalar, TypeKey};

use super::{component, constant, extent, is_int32, value};
use crate::cx::{Cx, msg};
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// A cooperative matrix is loaded and stored through a pointer to numbers, in a storage class that others see.
    POINTER: "cooperative-matrix-pointer", extension "SPV_KHR_cooperative_matrix";
    /// In Vulkan, a cooperative matrix is loaded and stored in `Workgroup`, `StorageBuffer` or `PhysicalStorageBuffer`.
    CLASS: "cooperative-matrix-storage-class", vuid "VUID-StandaloneSpirv-Pointer-08973";
    /// The layout of a cooperative matrix in memory is a constant, and has the stride and sizes that it demands.
    LAYOUT: "cooperative-matrix-layout", extension "SPV_KHR_cooperative_matrix";
    /// Rows or columns are stored a distance greater than 0 apart, and loaded one that is not negative. A warning, since
    /// the module is well formed and only what it does is wrong.
    STRIDE: "cooperative-matrix-stride", warn extension "SPV_KHR_cooperative_matrix";
    /// In shaders, a cooperative matrix is loaded from an array, and stored to one: the pointer points into it.
    ARRAY: "cooperative-matrix-array", extension "SPV_KHR_cooperative_matrix";
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

/// The pointer points into an array, as far as that can be told: from the variable that it comes from on.
fn into_array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    if !cx.has(Capability::Shader) || crate::rules::pointers::enters_array(cx.m, inst.id(word)) {
        return Ok(());
    }
    let (m, id) = (cx.m, inst.id(word));
    cx.fail_at(&ARRAY, inst, word, || msg(format!("{id} does not point into an array")).declared(m, id))
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
    into_array(cx, inst, 3)?;
    common(cx, inst, ty, 4, MemoryAccess::MakePointerAvailable)
}

pub(super) fn store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    pointer(cx, inst, 1)?;
    let ty = cx.type_at(inst, 2)?;
    let wanted = inst.op() == Op::CooperativeMatrixStoreNV;
    matrix(cx, inst, 2, ty, wanted)?;
    into_array(cx, inst, 1)?;
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
    // Kernels have further layouts, of vendors who publish no extension.
    let known = layout.is_none_or(|l| OperandKind::CooperativeMatrixLayout.enumerant(l.0).is_some());
    let known = known || !cx.has(Capability::Shader);
    cx.check_at(known, &LAYOUT, inst, at, || {
        format!("the layout {} is {}, which names none", inst.id(at), layout.map_or(0, |l| l.0))
    })?;
    let stride = inst.words().len() > at + 1;
    if stride {
        value(cx, &LAYOUT, inst, at + 1, "an integer (the stride)", is_int)?;
        if matches!(layout, Some(L::RowMajorKHR | L::ColumnMajorKHR)) {
            distance(cx, inst, at + 1)?;
        }
    }
    memory(cx, inst, at + 2, wrong)?;
    match layout {
        Some(L::RowMajorKHR | L::ColumnMajorKHR) => {
            cx.check(stride, &LAYOUT, inst, || "the layout needs the operand Stride")
        }
        Some(l @ (L::RowBlockedInterleavedARM | L::ColumnBlockedInterleavedARM)) => {
            cx.check(stride, &LAYOUT, inst, || "the layout needs the operand Stride")?;
            constant(cx, &LAYOUT, inst, at + 1, "the stride")?;
            interleaved(cx, inst, ty, at, l)
        }
        _ => Ok(()),
    }
}

/// The stride of rows or columns: greater than 0 where they are stored, not negative where they are loaded.
fn distance<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let Some(stride) = cx.m.int_constant(inst.id(word)).filter(|c| !c.spec) else { return Ok(()) };
    let least = u64::from(inst.op() == Op::CooperativeMatrixStoreKHR);
    let ok = stride.as_unsigned().is_some_and(|s| s >= least);
    cx.check_at(ok, &STRIDE, inst, word, || {
        format!("the stride {} is {}, but must be at least {least}", inst.id(word), stride.bits as i64)
    })
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
