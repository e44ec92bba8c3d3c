//! Atomic instructions (§3.3.18).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Capability, Decoration, Op, StorageClass};
use spirula_module::{Scalar, Shape, TypeKey};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::env::Client;
use crate::facts::without_arrays;
use crate::rules::memory;
use crate::rules::operand::{Is, operand, result};
use crate::rules::scopes;
use crate::signature::{OPERAND, RESULT, describe};

rules! {
    group "atomic";
    /// The Pointer of an atomic instruction is a pointer into memory that can be shared.
    POINTER: "atomic-pointer", spec "§2.16.1";
    /// The Pointer of an atomic instruction does not point into a `Block` of the Uniform storage class, which nothing
    /// writes; a `BufferBlock` there is a storage buffer.
    UNIFORM: "atomic-uniform-block", spec "§2.16.1";
    /// The Pointer of an atomic instruction does not point into the Function storage class where Shader is declared.
    NOT_FUNCTION: "atomic-function-storage", spec "§2.16.2";
    /// The Pointer of an atomic instruction points into a storage class that Vulkan takes for atomics.
    STORAGE_VULKAN: "vulkan-atomic-storage", vuid "VUID-StandaloneSpirv-None-04686";
    /// OpenCL takes atomics on Function, Workgroup and CrossWorkgroup, and from 2.0 on Generic.
    STORAGE_OPENCL: "opencl-atomic-storage", environment "OpenCL SPIR-V environment, storage class validation";
    /// What the Pointer of an atomic instruction points to has the type that is read or written.
    POINTEE: "atomic-pointee", spec "§3.3.18";
    /// Atomics on the type need a capability.
    TYPE_CAPABILITY: "atomic-type-capability", spec "§3.2.30";
    /// Flags are reached through typed pointers.
    FLAG_POINTER: "atomic-flag-pointer", spec "OpAtomicFlagTestAndSet";
}

pub(crate) const TABLE: Table = rule_table! {
    AtomicLoad => load;
    AtomicStore => store;
    AtomicExchange => exchange;
    AtomicCompareExchange | AtomicCompareExchangeWeak => compare_exchange;
    AtomicIIncrement | AtomicIDecrement => count;
    AtomicIAdd | AtomicISub | AtomicSMin | AtomicUMin | AtomicSMax | AtomicUMax => integer;
    AtomicAnd | AtomicOr | AtomicXor => integer;
    AtomicFAddEXT | AtomicFMinEXT | AtomicFMaxEXT => float;
    AtomicFlagTestAndSet => flag_test_and_set;
    AtomicFlagClear => flag_clear;
};

/// The pointer at `word` points to `data`, in memory for atomics. Untyped pointers take any type.
fn pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, data: Id) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let (m, id) = (cx.m, inst.id(word));
    let Some((class, pointee)) = m.pointer(ty) else {
        return cx.fail_at(&POINTER, inst, word, || {
            msg(format!("Pointer {id} has type {}, which is no pointer", describe(m, ty))).declared(m, id)
        });
    };
    let fits = pointee == data || m.key(ty).shape() == Shape::UntypedPointer;
    cx.check_at(fits, &POINTEE, inst, word, || {
        let (has, wanted) = (describe(m, pointee), describe(m, data));
        msg(format!("Pointer {id} points to {has}, but must point to {wanted}")).declared(m, id)
    })?;
    storage(cx, inst, word, class)
}

/// Of the Uniform storage class, only the structures are for atomics that are decorated BufferBlock.
fn not_a_block<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let m = cx.m;
    let Some(variable) = memory::root(m, inst.id(word)).filter(|i| i.op() == Op::Variable) else { return Ok(()) };
    let data = m.pointer(variable.id(1)).map_or(Id(0), |p| p.1);
    let (inner, _) = without_arrays(m, data);
    cx.check_at(!m.is_decorated(inner, Decoration::Block), &UNIFORM, inst, word, || {
        msg(format!("Pointer {} points into {}, a Block in Uniform", inst.id(word), variable.id(2)))
            .declared(m, variable.id(2))
    })
}

fn storage<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, class: StorageClass) -> Checked {
    use StorageClass as S;
    if class == S::Uniform {
        not_a_block(cx, inst, word)?;
    }
    if class == S::TaskPayloadWorkgroupEXT && inst.op() != Op::AtomicLoad {
        crate::rules::mesh::payload_write(cx, inst, word)?;
    }
    let text = || format!("Pointer {} points into {class}", inst.id(word));
    if cx.env.is_vulkan() {
        let takes = matches!(
            class,
            S::Uniform
                | S::Workgroup
                | S::Image
                | S::StorageBuffer
                | S::PhysicalStorageBuffer
                | S::TaskPayloadWorkgroupEXT
        );
        return cx.check_at(takes, &STORAGE_VULKAN, inst, word, || {
            format!(
                "{}, but atomics take Uniform, Workgroup, Image, StorageBuffer, PhysicalStorageBuffer and \
                 TaskPayloadWorkgroupEXT",
                text()
            )
        });
    }
    let shared = matches!(
        class,
        S::Uniform
            | S::StorageBuffer
            | S::PhysicalStorageBuffer
            | S::Workgroup
            | S::CrossWorkgroup
            | S::Generic
            | S::AtomicCounter
            | S::Image
            | S::Function
            | S::TaskPayloadWorkgroupEXT
    );
    cx.check_at(shared, &POINTER, inst, word, || format!("{}, which atomics do not take", text()))?;
    let local = class == S::Function && cx.has(Capability::Shader);
    cx.check_at(!local, &NOT_FUNCTION, inst, word, || {
        format!("{}, which atomics do not take where Shader is declared", text())
    })?;
    if let Client::OpenCl { version, .. } = cx.env.client {
        let takes =
            matches!(class, S::Function | S::Workgroup | S::CrossWorkgroup) || class == S::Generic && version >= 20;
        cx.check_at(takes, &STORAGE_OPENCL, inst, word, || format!("{}, which atomics do not take in OpenCL", text()))?;
    }
    Ok(())
}

/// The scope at `word` and the semantics behind it.
fn scope_and_semantics<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let memory = scopes::memory(cx, inst, word)?;
    scopes::semantics(cx, inst, word + 1, memory)?;
    Ok(())
}

/// 64-bit integers need a capability; floats and the vectors of SPV_NV_shader_atomic_fp16_vector are judged by `float`.
fn width<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, key: TypeKey) -> Checked {
    let lacks = key.is_int() && key.width() == 64 && !cx.has(Capability::Int64Atomics);
    cx.check(!lacks, &TYPE_CAPABILITY, inst, || "64-bit atomics need the capability Int64Atomics")
}

/// Whether the type is a vector of 2 or 4 halves that SPV_NV_shader_atomic_fp16_vector takes.
fn is_half_vector(cx: &Cx<'_>, key: TypeKey) -> bool {
    cx.has(Capability::AtomicFloat16VectorNV)
        && key.shape() == Shape::Vector
        && key.component_class() == Scalar::Float
        && key.width() == 16
        && matches!(key.count(), 2 | 4)
}

fn is_number(key: TypeKey) -> bool {
    key.is_int() || key.is_scalar(Scalar::Float)
}

#[cold]
fn bad_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, wanted: &str) -> Checked<TypeKey> {
    let m = cx.m;
    cx.fail_at(&RESULT, inst, 1, || format!("the Result Type is {}, but must be {wanted}", describe(m, inst.id(1))))?;
    Err(Failed)
}

fn number_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked<TypeKey> {
    let key = cx.result_key(inst)?;
    let half_vector = inst.op() == Op::AtomicExchange && is_half_vector(cx, key);
    if is_number(key) || half_vector { Ok(key) } else { bad_result(cx, inst, "an integer or floating-point scalar") }
}

fn int_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked<TypeKey> {
    let key = cx.result_key(inst)?;
    if key.is_int() { Ok(key) } else { bad_result(cx, inst, "an integer scalar") }
}

fn load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = number_result(cx, inst)?;
    width(cx, inst, key)?;
    pointer(cx, inst, 3, inst.id(1))?;
    scope_and_semantics(cx, inst, 4)
}

fn exchange<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    load(cx, inst)?;
    operand(cx, inst, 6, Is::Same)
}

fn count<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = int_result(cx, inst)?;
    width(cx, inst, key)?;
    pointer(cx, inst, 3, inst.id(1))?;
    scope_and_semantics(cx, inst, 4)
}

fn integer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    count(cx, inst)?;
    operand(cx, inst, 6, Is::Same)
}

fn compare_exchange<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = int_result(cx, inst)?;
    width(cx, inst, key)?;
    pointer(cx, inst, 3, inst.id(1))?;
    let memory = scopes::memory(cx, inst, 4)?;
    let equal = scopes::semantics(cx, inst, 5, memory)?;
    if let Some(unequal) = scopes::semantics(cx, inst, 6, memory)? {
        scopes::unequal(cx, inst, 6, equal, unequal)?;
    }
    operand(cx, inst, 7, Is::Same)?;
    operand(cx, inst, 8, Is::Same)
}

fn store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ty = cx.type_at(inst, 1)?;
    let (m, id) = (cx.m, inst.id(1));
    let Some((class, pointee)) = m.pointer(ty) else {
        return cx.fail_at(&POINTER, inst, 1, || {
            msg(format!("Pointer {id} has type {}, which is no pointer", describe(m, ty))).declared(m, id)
        });
    };
    let value = cx.type_at(inst, 4)?;
    let data = if m.key(ty).shape() == Shape::UntypedPointer { value } else { pointee };
    let key = cx.key(data)?;
    cx.check_at(is_number(key), &POINTEE, inst, 1, || {
        let ty = describe(m, data);
        msg(format!("OpAtomicStore writes {ty}, but must write an integer or floating-point scalar")).declared(m, id)
    })?;
    width(cx, inst, key)?;
    storage(cx, inst, 1, class)?;
    scope_and_semantics(cx, inst, 2)?;
    cx.check_at(value == data, &OPERAND, inst, 4, || {
        let (has, wanted) = (describe(m, value), describe(m, data));
        msg(format!("Value {} has type {has}, but Pointer points to {wanted}", inst.id(4))).declared(m, inst.id(4))
    })
}

/// Atomic addition, minimum and maximum of floats, each width with a capability of its own.
fn float<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    use Capability as C;
    let key = cx.result_key(inst)?;
    let half_vector = is_half_vector(cx, key);
    if !key.is_scalar(Scalar::Float) && !half_vector {
        return bad_result(cx, inst, "a floating-point scalar").map(|_| ());
    }
    let add = inst.op() == Op::AtomicFAddEXT;
    let cap = match (key.width(), add) {
        _ if half_vector => C::AtomicFloat16VectorNV,
        (16, true) => C::AtomicFloat16AddEXT,
        (16, false) => C::AtomicFloat16MinMaxEXT,
        (64, true) => C::AtomicFloat64AddEXT,
        (64, false) => C::AtomicFloat64MinMaxEXT,
        (_, true) => C::AtomicFloat32AddEXT,
        (_, false) => C::AtomicFloat32MinMaxEXT,
    };
    cx.check(cx.has(cap), &TYPE_CAPABILITY, inst, || {
        let name = cap.name().unwrap_or_default();
        format!("{} on {}-bit floats needs the capability {name}", inst.op(), key.width())
    })?;
    pointer(cx, inst, 3, inst.id(1))?;
    scope_and_semantics(cx, inst, 4)?;
    operand(cx, inst, 6, Is::Same)
}

/// The pointer to a flag.
fn flag<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = cx.type_at(inst, word)?;
    let (m, id) = (cx.m, inst.id(word));
    let pointee = match m.pointer(ty) {
        Some((class, pointee)) if m.key(ty).shape() == Shape::Pointer => {
            storage(cx, inst, word, class)?;
            pointee
        }
        _ => {
            return cx.fail_at(&FLAG_POINTER, inst, word, || {
                msg(format!("Pointer {id} has type {}, but must be a typed pointer", describe(m, ty))).declared(m, id)
            });
        }
    };
    cx.check_at(Is::Int32.accepts(m, pointee, pointee), &POINTEE, inst, word, || {
        let ty = describe(m, pointee);
        msg(format!("Pointer {id} points to {ty}, but must point to a 32-bit integer")).declared(m, id)
    })
}

fn flag_test_and_set<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    flag(cx, inst, 3)?;
    scope_and_semantics(cx, inst, 4)
}

fn flag_clear<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    flag(cx, inst, 1)?;
    scope_and_semantics(cx, inst, 2)
}
