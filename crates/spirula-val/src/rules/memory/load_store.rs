//! `OpLoad`, `OpStore`.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Decoration, ExecutionModel, Op, StorageClass};
use spirula_module::{ModelSet, Module, Shape, Type};

use super::access::{self, Does};
use super::{POINTER, describe, no_ray_object, not_a_texel, pointer_at, root};
use crate::cx::{Cx, msg};
use crate::facts::Parts;
use crate::rules::pointers;

rules! {
    group "memory";
    /// A load gives the type that the pointer points to.
    LOAD_TYPE: "load-type", spec "OpLoad";
    /// What is loaded has a size: it contains no run-time array.
    LOAD_SIZE: "load-runtime-array", spec "OpLoad";
    /// With storage capabilities alone, 8-bit and 16-bit objects are loaded and stored as scalars, vectors or matrices;
    /// whole structures or arrays of them cannot be.
    SMALL: "load-store-small-type", spec "§2.16.1";
    /// A store takes an object of the type that the pointer points to. With --relax-struct-store, structures with the
    /// same members and layout are taken for the same.
    STORE_TYPE: "store-type", spec "OpStore";
    /// Void has no value to be stored.
    STORE_VOID: "store-void", spec "OpStore";
    /// Some storage classes are read-only.
    READ_ONLY: "store-read-only", spec "§3.2.7";
    /// Attributes of a hit are written by intersection shaders only.
    HIT_ATTRIBUTE: "hit-attribute-write", extension "SPV_KHR_ray_tracing";
}

pub(super) fn load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    match access::only_alignment(inst, 4) {
        Some(alignment) if cx.reads_easily(inst, 3, inst.id(1), alignment) => Ok(()),
        _ => any_load(cx, inst),
    }
}

fn any_load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let result = inst.id(1);
    cx.key(result)?;
    let pointer = pointer_at(cx, inst, 3, &POINTER)?;
    no_ray_object(cx, inst, 3, pointer)?;
    let m = cx.m;
    not_a_texel(cx, inst, 3, pointer)?;
    if pointer.is_untyped() {
        pointers::untyped_matrix(cx, inst, 3, result)?;
        let data = !matches!(m.key(result).shape(), Shape::Void | Shape::Function);
        cx.check_at(data, &LOAD_TYPE, inst, 1, || format!("the Result Type {result} has no values to load"))?;
    } else {
        let void = m.key(result).shape() == Shape::Void;
        cx.check_at(!void, &LOAD_TYPE, inst, 1, || format!("the Result Type {result} is void"))?;
        cx.check_at(pointer.pointee == result, &LOAD_TYPE, inst, 1, || {
            msg(format!(
                "the Result Type is {}, but {} points to {}",
                describe(m, result),
                inst.id(3),
                describe(m, pointer.pointee)
            ))
            .declared(m, inst.id(3))
        })?;
    }
    let parts = cx.parts(result);
    cx.check_at(!parts.any(Parts::RUNTIME_ARRAY), &LOAD_SIZE, inst, 1, || {
        format!("the Result Type {} is or contains a run-time array", describe(m, result))
    })?;
    small(cx, inst, 1, result)?;
    access::operands(cx, inst, 4, Does::Read, &[pointer], result)?;
    Ok(())
}

/// Storage capabilities do not allow aggregates of small scalars to be loaded or stored.
fn small<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id) -> Checked {
    let parts = cx.parts(ty);
    if !parts.any(Parts::SMALL) || !cx.has(Capability::Shader) {
        return Ok(());
    }
    let aggregate = matches!(cx.m.key(ty).shape(), Shape::Struct | Shape::Array);
    let without = (parts.any(Parts::INT8) && !cx.has(Capability::Int8))
        || (parts.any(Parts::INT16) && !cx.has(Capability::Int16))
        || (parts.any(Parts::FLOAT16) && !cx.has(Capability::Float16));
    cx.check_at(!(aggregate && without), &SMALL, inst, word, || {
        format!("{ty} is an aggregate with 8-bit or 16-bit parts, for which only storage capabilities are declared")
    })
}

pub(super) fn store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let writable = match cx.m.class_of(inst.id(1)) {
        Some(StorageClass::Function | StorageClass::Private) => true,
        // Where these are easy at all, nothing but kernels is about.
        Some(StorageClass::CrossWorkgroup | StorageClass::Workgroup | StorageClass::Generic) => true,
        _ => false,
    };
    match access::only_alignment(inst, 3) {
        Some(alignment) if writable && cx.reads_easily(inst, 1, cx.m.type_id_of(inst.id(2)), alignment) => Ok(()),
        _ => any_store(cx, inst),
    }
}

fn any_store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let pointer = pointer_at(cx, inst, 1, &POINTER)?;
    no_ray_object(cx, inst, 1, pointer)?;
    let object = cx.type_at(inst, 2)?;
    cx.key(object)?;
    let m = cx.m;
    let void = m.key(object).shape() == Shape::Void;
    cx.check_at(!void, &STORE_VOID, inst, 2, || format!("the Object {} has type void", inst.id(2)))?;
    if !pointer.is_untyped() {
        let void = m.key(pointer.pointee).shape() == Shape::Void;
        cx.check_at(!void, &STORE_VOID, inst, 1, || format!("{} points to void", inst.id(1)))?;
    }
    writable(cx, inst, 1, pointer.class)?;
    not_a_texel(cx, inst, 1, pointer)?;
    if pointer.is_untyped() {
        pointers::untyped_matrix(cx, inst, 1, object)?;
    }
    if !pointer.is_untyped() && pointer.pointee != object {
        let same = cx.options.relax_struct_store && same_structure(m, pointer.pointee, object);
        cx.check_at(same, &STORE_TYPE, inst, 2, || {
            msg(format!(
                "the Object {} has type {}, but {} points to {}",
                inst.id(2),
                describe(m, object),
                inst.id(1),
                describe(m, pointer.pointee)
            ))
            .declared(m, inst.id(2))
        })?;
    }
    small(cx, inst, 2, object)?;
    access::operands(cx, inst, 3, Does::Write, &[pointer], object)?;
    Ok(())
}

/// The storage class is one that a module can write to (§3.2.7).
pub(crate) fn writable(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, class: StorageClass) -> Checked {
    let read_only = match class {
        StorageClass::UniformConstant | StorageClass::Input | StorageClass::PushConstant => true,
        StorageClass::ShaderRecordBufferKHR => cx.env.is_vulkan() || cx.has(Capability::RayTracingKHR),
        StorageClass::HitAttributeKHR => return hit_attribute(cx, inst, word),
        StorageClass::TaskPayloadWorkgroupEXT => return crate::rules::mesh::payload_write(cx, inst, word),
        _ => false,
    };
    cx.check_at(!read_only, &READ_ONLY, inst, word, || {
        format!("{} points to {class}, which is read-only", inst.id(word))
    })
}

fn hit_attribute(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked {
    if cx.env.is_vulkan() {
        return crate::rules::vulkan::resources::hit_attribute_write(cx, inst, word);
    }
    let id = inst.id(word);
    cx.check_models(ModelSet::of(&[ExecutionModel::IntersectionKHR]), &HIT_ATTRIBUTE, inst, |others| {
        format!("{id} points to HitAttributeKHR, but {others} reaches the instruction that writes to it")
    })
}

/// Whether two structure types have the same members, layouts included. Bounded, whatever the types.
pub(crate) fn same_structure(m: Module<'_>, a: Id, b: Id) -> bool {
    let mut left = alloc::vec![(a, b)];
    let mut steps = 0;
    while let Some((a, b)) = left.pop() {
        steps += 1;
        if steps > 4096 {
            return false;
        }
        if a == b {
            continue;
        }
        match (m.ty(a), m.ty(b)) {
            (Some(Type::Struct { members: x }), Some(Type::Struct { members: y })) => {
                if x.len() != y.len() || !same_member_layout(m, a, b) {
                    return false;
                }
                left.extend(x.iter().zip(y).map(|(x, y)| (Id(*x), Id(*y))));
            }
            (Some(Type::Array { element: x, length: n }), Some(Type::Array { element: y, length: o })) if n == o => {
                left.push((x, y));
            }
            _ => return false,
        }
    }
    true
}

/// Whether the layout decorations of two structures' members are the same.
fn same_member_layout(m: Module<'_>, a: Id, b: Id) -> bool {
    let layout = |ty| {
        m.decorations(ty).filter(|d| {
            d.member.is_some()
                && matches!(
                    d.decoration,
                    Decoration::Offset | Decoration::MatrixStride | Decoration::RowMajor | Decoration::ColMajor
                )
        })
    };
    // Only a layout that both spell out can differ.
    layout(a).all(|x| {
        let mut others = layout(b).filter(|y| y.member == x.member).peekable();
        others.peek().is_none() || others.any(|y| y.decoration == x.decoration && y.operands == x.operands)
    })
}

/// Whether the variable behind a pointer has a decoration.
pub(super) fn root_variable<'a>(m: Module<'a>, pointer: Id) -> Option<Inst<'a>> {
    root(m, pointer).filter(|i| matches!(i.op(), Op::Variable | Op::UntypedVariableKHR))
}
