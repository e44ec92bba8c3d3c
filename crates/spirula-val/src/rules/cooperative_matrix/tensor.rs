//! `SPV_NV_tensor_addressing`, and loads and stores through it.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{MemoryAccess, Op, StorageClass, TensorAddressingOperands as T};
use spirula_module::Type;

use super::access::{memory, pointer};
use super::multiply::function;
use super::{component, constant, is_int32, value};
use crate::cx::Cx;
use crate::signature::describe;

rules! {
    group "cooperative_matrix";
    /// A tensor layout or view has 1 to 5 dimensions, a known clamp mode, and a permutation of its dimensions.
    TYPE: "tensor-layout-type", extension "SPV_NV_tensor_addressing";
    /// An instruction on a tensor layout or view gives the type it takes, with an operand for each dimension.
    SET: "tensor-layout-operands", extension "SPV_NV_tensor_addressing";
    /// A load or store through a tensor layout has a layout, and the view and functions that its operands announce.
    ADDRESSING: "tensor-addressing", extension "SPV_NV_cooperative_matrix2";
    /// The function that decodes a block gives the matrix's components for a pointer and two arrays of coordinates.
    DECODE: "tensor-decode-function", extension "SPV_NV_cooperative_matrix2";
}

fn dimensions<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked<Option<u32>> {
    value(cx, &TYPE, inst, 2, "a 32-bit integer", is_int32)?;
    constant(cx, &TYPE, inst, 2, "Dim")?;
    let dim = cx.m.fixed_u32(inst.id(2));
    cx.check_at(dim.is_none_or(|d| (1..=5).contains(&d)), &TYPE, inst, 2, || format!("Dim is {}", dim.unwrap_or(0)))?;
    Ok(dim)
}

pub(super) fn layout_type<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    dimensions(cx, inst)?;
    value(cx, &TYPE, inst, 3, "a 32-bit integer", is_int32)?;
    constant(cx, &TYPE, inst, 3, "ClampMode")?;
    let mode = cx.m.fixed_u32(inst.id(3));
    cx.check_at(mode.is_none_or(|m| m <= 4), &TYPE, inst, 3, || format!("{} is no clamp mode", mode.unwrap_or(0)))
}

pub(super) fn view_type<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let dim = dimensions(cx, inst)?;
    value(cx, &TYPE, inst, 3, "a Boolean", |k| k.is_bool())?;
    constant(cx, &TYPE, inst, 3, "HasDimensions")?;
    let permutation = inst.tail(4);
    let count = permutation.len();
    cx.check(dim.is_none_or(|d| d as usize == count), &TYPE, inst, || {
        format!("{count} values of a permutation of {} dimensions", dim.unwrap_or(0))
    })?;
    let mut seen = 0u32;
    for (i, p) in permutation.iter().enumerate() {
        value(cx, &TYPE, inst, 4 + i, "a 32-bit integer", is_int32)?;
        constant(cx, &TYPE, inst, 4 + i, "the permutation's value")?;
        let Some(p) = cx.m.fixed_u32(Id(*p)) else { return Ok(()) };
        let bit = 1u32.checked_shl(p).unwrap_or(0);
        let ok = (p as usize) < count && bit != 0 && seen & bit == 0;
        cx.check_at(ok, &TYPE, inst, 4 + i, || format!("{p} is not in range or occurs twice"))?;
        seen |= bit;
    }
    Ok(())
}

/// Whether the instruction makes or changes a view, not a layout.
fn is_view(op: Op) -> bool {
    matches!(
        op,
        Op::CreateTensorViewNV | Op::TensorViewSetDimensionNV | Op::TensorViewSetStrideNV | Op::TensorViewSetClipNV
    )
}

pub(super) fn create<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let wanted = if is_view(inst.op()) { Op::TypeTensorViewNV } else { Op::TypeTensorLayoutNV };
    let m = cx.m;
    let ok = m.info(inst.id(1)).op == wanted;
    cx.check_at(ok, &SET, inst, 1, || format!("the Result Type {} is no {wanted}", describe(m, inst.id(1))))
}

pub(super) fn set<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    create(cx, inst)?;
    let m = cx.m;
    let ty = cx.type_at(inst, 3)?;
    cx.check_at(ty == inst.id(1), &SET, inst, 3, || {
        format!("{} has type {}, not the Result Type", inst.id(3), describe(m, ty))
    })?;
    let dim = m.def(inst.id(1)).and_then(|d| m.fixed_u32(d.id(2)));
    let each = match inst.op() {
        Op::TensorLayoutSetClampValueNV | Op::TensorViewSetClipNV => None,
        Op::TensorLayoutSliceNV => dim.map(|d| d.saturating_mul(2)),
        _ => dim,
    };
    let given = inst.tail(4).len();
    cx.check(each.is_none_or(|n| n as usize == given), &SET, inst, || {
        format!("{given} operands for {} dimensions", dim.unwrap_or(0))
    })?;
    (4..4 + given).try_for_each(|word| value(cx, &SET, inst, word, "a 32-bit integer", is_int32))
}

fn layout<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked<Option<u32>> {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    let def = m.def(ty).filter(|d| d.op() == Op::TypeTensorLayoutNV);
    cx.check_at(def.is_some(), &ADDRESSING, inst, word, || {
        format!("{} has type {}, not a tensor layout", inst.id(word), describe(m, ty))
    })?;
    Ok(def.and_then(|d| m.fixed_u32(d.id(2))))
}

/// Where the mask behind the memory operands stands.
pub(super) fn behind_memory(inst: Inst<'_>, at: usize) -> usize {
    let mask = inst.word(at);
    let with_value = [
        MemoryAccess::Aligned,
        MemoryAccess::MakePointerAvailable,
        MemoryAccess::MakePointerVisible,
        MemoryAccess::AliasScopeINTELMask,
        MemoryAccess::NoAliasINTELMask,
    ];
    at + 1 + with_value.iter().filter(|b| mask & b.0 != 0).count()
}

pub(super) fn load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let element = component(cx, inst.id(1));
    cx.check_at(element.is_some(), &ADDRESSING, inst, 1, || {
        format!("{} is no cooperative matrix", describe(m, inst.id(1)))
    })?;
    pointer_only(cx, inst, 3)?;
    let ty = cx.type_at(inst, 4)?;
    cx.check_at(ty == inst.id(1), &ADDRESSING, inst, 4, || {
        format!("the object has type {}, not the Result Type", describe(m, ty))
    })?;
    let dim = layout(cx, inst, 5)?;
    memory(cx, inst, 6, MemoryAccess::MakePointerAvailable)?;
    operands(cx, inst, behind_memory(inst, 6), element.ok_or(Failed)?, dim)
}

pub(super) fn store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    pointer_only(cx, inst, 1)?;
    let ty = cx.type_at(inst, 2)?;
    let element = component(cx, ty);
    cx.check_at(element.is_some(), &ADDRESSING, inst, 2, || format!("{} is no cooperative matrix", describe(m, ty)))?;
    let dim = layout(cx, inst, 3)?;
    memory(cx, inst, 4, MemoryAccess::MakePointerVisible)?;
    operands(cx, inst, behind_memory(inst, 4), element.ok_or(Failed)?, dim)
}

/// A pointer to numbers, save that a decoding function may read anything.
fn pointer_only<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    match m.pointer(ty) {
        Some((_, pointee))
            if matches!(m.ty(pointee), Some(Type::Struct { .. } | Type::Array { .. } | Type::RuntimeArray { .. })) =>
        {
            Ok(())
        }
        _ => pointer(cx, inst, word),
    }
}

fn operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, at: usize, element: Id, dim: Option<u32>) -> Checked {
    let mask = inst.word(at);
    let mut next = at + 1;
    let m = cx.m;
    if mask & T::TensorView.0 != 0 {
        let ty = cx.type_at(inst, next)?;
        let ok = m.info(ty).op == Op::TypeTensorViewNV;
        cx.check_at(ok, &ADDRESSING, inst, next, || {
            format!("{} has type {}, not a tensor view", inst.id(next), describe(m, ty))
        })?;
        next += 1;
    }
    if mask & T::DecodeFunc.0 != 0 {
        let (result, parameters) = function(cx, inst, next)?;
        cx.check_at(result == element, &DECODE, inst, next, || {
            format!("the function gives {}, not {}", describe(m, result), describe(m, element))
        })?;
        decode(cx, inst, next, parameters, dim)?;
        next += 1;
    }
    let vector = T::DecodeVectorFunc;
    if mask & vector.0 != 0 {
        let with = mask & T::DecodeFunc.0 != 0;
        cx.check_at(with, &ADDRESSING, inst, at, || "DecodeVectorFunc without DecodeFunc")?;
        let (result, parameters) = function(cx, inst, next)?;
        let (of, count) = match m.ty(result) {
            Some(Type::Vector { component, count }) => (component == element, Some(count)),
            Some(Type::VectorId { component, count }) => (component == element, m.fixed_u32(count)),
            _ => (false, None),
        };
        cx.check_at(of, &DECODE, inst, next, || {
            format!("the function gives {}, not a vector of {}", describe(m, result), describe(m, element))
        })?;
        let ok = matches!(count, None | Some(2 | 4 | 8));
        cx.check_at(ok, &DECODE, inst, next, || {
            format!("the function gives {} components, not 2, 4 or 8", count.unwrap_or(0))
        })?;
        decode(cx, inst, next, parameters, dim)?;
    }
    Ok(())
}

fn decode<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, parameters: &[u32], dim: Option<u32>) -> Checked {
    let m = cx.m;
    let &[pointer, block, within] = parameters else {
        return cx
            .fail_at(&DECODE, inst, word, || format!("the function takes {} values, not three", parameters.len()));
    };
    let physical = m.pointer(Id(pointer)).is_some_and(|p| p.0 == StorageClass::PhysicalStorageBuffer);
    cx.check_at(physical, &DECODE, inst, word, || {
        format!(
            "the function's first parameter is {}, not a pointer to PhysicalStorageBuffer",
            describe(m, Id(pointer))
        )
    })?;
    for p in [block, within] {
        let ok = match m.ty(Id(p)) {
            Some(Type::Array { element, length }) => {
                is_int32(m.key(element)) && dim.zip(m.fixed_u32(length)).is_none_or(|(a, b)| a == b)
            }
            _ => false,
        };
        cx.check_at(ok, &DECODE, inst, word, || {
            format!(
                "the function's parameter of type {} is no array of a 32-bit integer for each dimension",
                describe(m, Id(p))
            )
        })?;
    }
    Ok(())
}
