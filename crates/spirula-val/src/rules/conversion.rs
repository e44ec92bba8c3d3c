//! Conversion instructions (§3.3.11).

use alloc::format;

use spirula_binary::{Id, Inst, NumberKind};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{AddressingModel, Capability, Decoration, FPEncoding, StorageClass, Version};
use spirula_module::{Scalar, Shape, Type, TypeKey};

use super::{cooperative_matrix, small_types};
use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "conversion";
    /// A conversion of width changes the width: operand and Result Type have different component types.
    WIDTH: "conversion-width", spec "OpUConvert";
    /// `OpBitcast` takes and gives pointers, or scalars or vectors of numbers.
    BITCAST_TYPE: "bitcast-type", spec "OpBitcast";
    /// Where a bitcast has a pointer on one side, the other is a pointer or an integer scalar; from SPIR-V 1.5 on (or
    /// with `SPV_KHR_physical_storage_buffer`) a vector of 32-bit integers too.
    BITCAST_POINTER: "bitcast-pointer", spec "OpBitcast";
    /// A pointer to PhysicalStorageBuffer has 64 bits: opposite of it stands a 64-bit integer, or two of 32 bits.
    BITCAST_PHYSICAL: "bitcast-physical", extension "SPV_KHR_physical_storage_buffer";
    /// A bitcast changes the type: its operand has another one than the Result Type. Off by default, since compilers write such
    /// bitcasts where a conversion does nothing.
    BITCAST_SAME: "bitcast-same-type", allow spec "OpBitcast";
    /// A bitcast of a pointer to another pointer stays in the storage class.
    BITCAST_CLASS: "bitcast-storage-class", spec "OpBitcast";
    /// A bitcast keeps the total number of bits.
    BITCAST_BITS: "bitcast-bits", spec "OpBitcast";
    /// A bitcast of a cooperative matrix goes from integers to integers.
    BITCAST_MATRIX: "bitcast-cooperative-matrix", extension "SPV_KHR_cooperative_matrix";
    /// `OpConvertPtrToU` and `OpConvertUToPtr` convert between a pointer and an unsigned integer scalar.
    POINTER: "pointer-conversion-type", spec "OpConvertPtrToU";
    /// In the `PhysicalStorageBuffer64` addressing model, only pointers to `PhysicalStorageBuffer` are physical.
    PHYSICAL: "pointer-conversion-storage-class", extension "SPV_KHR_physical_storage_buffer";
    /// Pointers can be converted to integers and back only where the addressing model is not `Logical`.
    LOGICAL: "pointer-conversion-addressing-model", spec "OpConvertPtrToU";
    /// In the `PhysicalStorageBuffer64` addressing model, pointers are converted to and from 64-bit integers.
    POINTER_WIDTH: "pointer-conversion-width", vuid "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04710";
    /// A cast to or from `Generic` keeps the pointee, and its other side points to `Workgroup`, `CrossWorkgroup` or
    /// `Function`.
    GENERIC: "generic-cast", spec "OpPtrCastToGeneric";
    /// `OpConvertUToAccelerationStructureKHR` makes an acceleration structure of a 64-bit unsigned integer or a vector of
    /// two 32-bit ones.
    ACCELERATION: "acceleration-structure-conversion", extension "SPV_KHR_ray_tracing";
    /// `OpBitcastExtractEXT` takes bits of wider numbers: as many components as the Result Type, each of more bits.
    BIT_EXTRACT: "bitcast-extract", extension "SPV_EXT_ocp_microscaling_types";
    /// Vulkan's `OpBitcastExtractEXT` makes microscaling floats only.
    BIT_EXTRACT_RESULT: "bitcast-extract-result", vuid "VUID-StandaloneSpirv-Result-12468";
    /// Vulkan's `OpBitcastExtractEXT` reads integers only.
    BIT_EXTRACT_BASE: "bitcast-extract-base", vuid "VUID-StandaloneSpirv-Base-12469";
    /// Vulkan converts microscaling floats to and from other floats only, not integers.
    MICROSCALING: "microscaling-conversion", vuid "VUID-StandaloneSpirv-OpConvertFToU-12465";
    /// Vulkan's `OpFConvert` makes no microscaling floats.
    MICROSCALING_RESULT: "microscaling-result", vuid "VUID-StandaloneSpirv-OpFConvert-12466";
}

pub(crate) const TABLE: Table = rule_table! {
    ConvertFToU | ConvertFToS | ConvertSToF | ConvertUToF => between_classes;
    UConvert | SConvert | FConvert => width;
    Bitcast => bitcast;
    ConvertPtrToU => pointer_to_int;
    ConvertUToPtr => int_to_pointer;
    PtrCastToGeneric => to_generic;
    GenericCastToPtr | GenericCastToPtrExplicit => from_generic;
    ConvertUToAccelerationStructureKHR => to_acceleration_structure;
    BitcastExtractEXT => bitcast_extract;
};

/// Whether the component's encoding is one of the microscaling formats.
fn is_microscaling(cx: &Cx<'_>, ty: Id) -> bool {
    matches!(
        encoding(cx, ty),
        Some(
            FPEncoding::Float6E2M3EXT
                | FPEncoding::Float6E3M2EXT
                | FPEncoding::Float4E2M1EXT
                | FPEncoding::Float8UnsignedE8M0EXT
                | FPEncoding::MXInt8EXT
        )
    )
}

/// The encoding of a floating-point scalar, or of a composite's components, where it has one.
pub(crate) fn encoding(cx: &Cx<'_>, ty: Id) -> Option<FPEncoding> {
    let key = cx.m.key(ty);
    if key.is_scalar_or_vector() && key.component_class() != Scalar::EncodedFloat {
        return None;
    }
    let scalar = component_type(cx, ty)?;
    match cx.m.ty(scalar)? {
        Type::Float(n) => match n.kind {
            NumberKind::Encoded(e) => Some(e),
            _ => None,
        },
        _ => None,
    }
}

/// The scalar type that a scalar, vector, matrix, cooperative matrix or vector is made of.
pub(crate) fn component_type(cx: &Cx<'_>, ty: Id) -> Option<Id> {
    let mut ty = ty;
    for _ in 0..3 {
        ty = match cx.m.ty(ty)? {
            Type::Vector { component, .. }
            | Type::CooperativeMatrix { component, .. }
            | Type::VectorId { component, .. } => component,
            Type::Matrix { column, .. } => column,
            Type::Other(inst) if cx.m.key(ty).shape() == Shape::CooperativeMatrix => inst.id(2),
            _ => return Some(ty),
        };
    }
    Some(ty)
}

pub(crate) fn between_classes(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    makes_small(cx, inst)?;
    let operand = cx.type_at(inst, 3)?;
    if cx.result_key(inst)?.shape() == Shape::CooperativeMatrix {
        cooperative_matrix::conversion(cx, inst, operand)?;
    }
    if cx.env.is_vulkan() {
        let bad = [(1, inst.id(1)), (3, operand)].into_iter().find(|(_, ty)| is_microscaling(cx, *ty));
        if let Some((word, ty)) = bad {
            let m = cx.m;
            return cx.fail_at(&MICROSCALING, inst, word, || {
                format!("{} has a microscaling encoding, which Vulkan converts to other floats only", describe(m, ty))
            });
        }
    }
    Ok(())
}

pub(crate) fn width(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let operand = cx.type_at(inst, 3)?;
    let (from, to) = (cx.key(operand)?, cx.result_key(inst)?);
    if to.shape() == Shape::CooperativeMatrix {
        cooperative_matrix::conversion(cx, inst, operand)?;
    }
    let changes = from.width() != to.width()
        || from.component_class() != to.component_class()
        || encoding(cx, operand) != encoding(cx, inst.id(1));
    let m = cx.m;
    // Cooperative matrices change their use by a conversion to the very same component type.
    let use_only = component_type(cx, operand) == component_type(cx, inst.id(1));
    let coop = to.shape() == Shape::CooperativeMatrix && operand != inst.id(1) && use_only;
    cx.check_at(changes || coop, &WIDTH, inst, 3, || {
        format!("the operand's component type is that of the Result Type, {}", describe(m, inst.id(1)))
    })?;
    if cx.env.is_vulkan() && to.component_class() == Scalar::EncodedFloat {
        let bad = is_microscaling(cx, inst.id(1));
        return cx.check_at(!bad, &MICROSCALING_RESULT, inst, 1, || {
            format!("the Result Type {} has a microscaling encoding", describe(m, inst.id(1)))
        });
    }
    Ok(())
}

/// What storage capabilities alone bring is not made by conversions other than of width.
fn makes_small(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.result_key(inst)?;
    let (need, extension) = match (key.component_class(), key.width()) {
        (Scalar::Int, 8) => (Capability::Int8, ""),
        (Scalar::Int, 16) => (Capability::Int16, "SPV_AMD_gpu_shader_int16"),
        (Scalar::Float, 16) => (Capability::Float16, "SPV_AMD_gpu_shader_half_float"),
        _ => return Ok(()),
    };
    let shader = cx.has(Capability::Shader) && !cx.has(Capability::Kernel);
    if cx.has(need) || !shader || !extension.is_empty() && cx.declares(extension) {
        return Ok(());
    }
    let m = cx.m;
    cx.fail_at(&small_types::USE, inst, 1, || format!("making {} needs the capability {need}", describe(m, inst.id(1))))
}

fn is_number(key: TypeKey) -> bool {
    let number = matches!(key.component_class(), Scalar::Int | Scalar::Float | Scalar::EncodedFloat);
    number && matches!(key.shape(), Shape::Scalar | Shape::Vector | Shape::CooperativeMatrix | Shape::CooperativeVector)
}

pub(crate) fn bitcast(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    makes_small(cx, inst)?;
    let operand = cx.type_at(inst, 3)?;
    let (from, to) = (cx.key(operand)?, cx.result_key(inst)?);
    let m = cx.m;
    cx.check_at(to.is_pointer() || is_number(to), &BITCAST_TYPE, inst, 1, || {
        format!("the Result Type is {}, neither a pointer nor made of numbers", describe(m, inst.id(1)))
    })?;
    cx.check_at(from.is_pointer() || is_number(from), &BITCAST_TYPE, inst, 3, || {
        format!("{} has type {}, neither a pointer nor made of numbers", inst.id(3), describe(m, operand))
    })?;
    cx.check_at(operand != inst.id(1), &BITCAST_SAME, inst, 3, || {
        format!("{} has the Result Type already, {}", inst.id(3), describe(m, operand))
    })?;
    match (to.is_pointer(), from.is_pointer()) {
        (true, true) => bitcast_class(cx, inst, operand),
        (true, false) => {
            bitcast_pointer(cx, inst, 3, operand, from)?;
            bitcast_physical(cx, inst, 3, inst.id(1), from)
        }
        (false, true) => {
            bitcast_pointer(cx, inst, 1, inst.id(1), to)?;
            bitcast_physical(cx, inst, 1, operand, to)
        }
        (false, false) => bitcast_bits(cx, inst, operand, from, to),
    }
}

/// A pointer stays in its storage class.
fn bitcast_class(cx: &mut Cx<'_>, inst: Inst<'_>, operand: Id) -> Checked {
    let class = |ty| cx.m.pointer(ty).map(|p| p.0).unwrap_or(StorageClass::Generic);
    let (to, from) = (class(inst.id(1)), class(operand));
    cx.check_at(to == from, &BITCAST_CLASS, inst, 3, || {
        msg(format!("{} points to {from}, but the Result Type to {to}", inst.id(3)))
            .help("OpPtrCastToGeneric and OpGenericCastToPtr change the storage class")
    })
}

/// What stands opposite of a pointer.
fn bitcast_pointer(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, ty: Id, key: TypeKey) -> Checked {
    let vectors = cx.version >= Version::v1(5) || cx.m.has_extension("SPV_KHR_physical_storage_buffer");
    let vector = key.is_int_scalar_or_vector() && key.width() == 32 && key.count() > 1;
    let m = cx.m;
    cx.check_at(key.is_int() || vectors && vector, &BITCAST_POINTER, inst, word, || {
        let or = if vectors { ", an integer scalar or a vector of 32-bit integers" } else { " or an integer scalar" };
        format!("{} stands opposite of a pointer, where only another pointer{or} can stand", describe(m, ty))
    })
}

/// What stands opposite of a physical pointer has as many bits as an address.
fn bitcast_physical(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, pointer: Id, key: TypeKey) -> Checked {
    let m = cx.m;
    let physical = matches!(m.pointer(pointer), Some((StorageClass::PhysicalStorageBuffer, _)));
    let bits = key.width() * key.count();
    cx.check_at(!physical || bits == 64, &BITCAST_PHYSICAL, inst, word, || {
        format!("{bits} bits stand opposite of a pointer to PhysicalStorageBuffer, which has 64")
    })
}

/// The components of cooperative matrices stay integers.
fn bitcast_matrix(cx: &mut Cx<'_>, inst: Inst<'_>, operand: Id) -> Checked {
    let m = cx.m;
    for (word, ty) in [(1, inst.id(1)), (3, operand)] {
        let Some(Type::CooperativeMatrix { component, .. }) = m.ty(ty) else { continue };
        cx.check_at(m.key(component).is_int(), &BITCAST_MATRIX, inst, word, || {
            format!("{} has components other than integers", describe(m, ty))
        })?;
    }
    Ok(())
}

fn bitcast_bits(cx: &mut Cx<'_>, inst: Inst<'_>, operand: Id, from: TypeKey, to: TypeKey) -> Checked {
    let m = cx.m;
    if from.shape() == Shape::CooperativeMatrix || to.shape() == Shape::CooperativeMatrix {
        cooperative_matrix::conversion(cx, inst, operand)?;
        bitcast_matrix(cx, inst, operand)?;
    }
    let long = |k: TypeKey| k.shape() == Shape::CooperativeVector;
    let equal = if long(from) || long(to) {
        let bits = |cx: &Cx<'_>, ty: Id, key: TypeKey| match cx.m.ty(ty) {
            Some(Type::VectorId { count, .. }) => cx.m.fixed_u32(count).map(|c| c.wrapping_mul(key.width())),
            _ => Some(key.count() * key.width()),
        };
        match (bits(cx, operand, from), bits(cx, inst.id(1), to)) {
            (Some(a), Some(b)) => a == b,
            _ => true,
        }
    } else if from.is_scalar_or_vector() && to.is_scalar_or_vector() {
        from.width() * from.count() == to.width() * to.count()
    } else {
        from.shape() == to.shape() && from.width() == to.width()
    };
    cx.check_at(equal, &BITCAST_BITS, inst, 3, || {
        format!("the operand's type {} has not as many bits as {}", describe(m, operand), describe(m, inst.id(1)))
    })
}

/// Pointers that can be converted: physical ones.
fn physical(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, pointer: Id, int: (usize, TypeKey)) -> Checked {
    match cx.m.addressing_model() {
        AddressingModel::Logical => {
            cx.fail(&LOGICAL, inst, || format!("{} under the Logical addressing model", inst.op()))
        }
        AddressingModel::PhysicalStorageBuffer64 => {
            let class = cx.m.pointer(pointer).map(|p| p.0);
            cx.check_at(class.is_none_or(|c| c == StorageClass::PhysicalStorageBuffer), &PHYSICAL, inst, word, || {
                format!("the pointer points to {}", class.unwrap_or(StorageClass::Generic))
            })?;
            cx.check_at(!cx.env.is_vulkan() || int.1.width() == 64, &POINTER_WIDTH, inst, int.0, || {
                format!("the integer has {} bits", int.1.width())
            })
        }
        _ => Ok(()),
    }
}

/// `SPV_INTEL_masked_gather_scatter` has vectors of pointers, which convert component by component.
fn is_int_or_vector(cx: &Cx<'_>, key: TypeKey) -> bool {
    key.is_int() || cx.has(Capability::MaskedGatherScatterINTEL) && key.is_int_scalar_or_vector()
}

fn is_pointer_or_vector(cx: &Cx<'_>, ty: Id, key: TypeKey) -> bool {
    key.is_pointer()
        || cx.has(Capability::MaskedGatherScatterINTEL)
            && matches!(cx.m.ty(ty), Some(Type::Vector { component, .. }) if cx.m.key(component).is_pointer())
}

pub(crate) fn pointer_to_int(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let operand = cx.type_at(inst, 3)?;
    let (from, to) = (cx.key(operand)?, cx.result_key(inst)?);
    let m = cx.m;
    cx.check_at(is_int_or_vector(cx, to) && !to.is_signed(), &POINTER, inst, 1, || {
        format!("the Result Type is {}, but must be an unsigned integer scalar", describe(m, inst.id(1)))
    })?;
    cx.check_at(is_pointer_or_vector(cx, operand, from), &POINTER, inst, 3, || {
        format!("{} has type {}, but must be a pointer", inst.id(3), describe(m, operand))
    })?;
    physical(cx, inst, 3, operand, (1, to))
}

pub(crate) fn int_to_pointer(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let operand = cx.type_at(inst, 3)?;
    let (from, to) = (cx.key(operand)?, cx.result_key(inst)?);
    let m = cx.m;
    cx.check_at(is_pointer_or_vector(cx, inst.id(1), to), &POINTER, inst, 1, || {
        format!("the Result Type is {}, but must be a pointer", describe(m, inst.id(1)))
    })?;
    let fits = match m.ty(inst.id(1)) {
        Some(Type::Vector { count, .. }) => from.shape() == Shape::Vector && from.count() == count,
        _ => from.is_int(),
    };
    cx.check_at(fits && from.component_class() == Scalar::Int && !from.is_signed(), &POINTER, inst, 3, || {
        format!("{} has type {}, but must be an unsigned integer scalar", inst.id(3), describe(m, operand))
    })?;
    physical(cx, inst, 1, inst.id(1), (3, from))
}

fn is_specific(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::Function
            | StorageClass::CodeSectionINTEL
            | StorageClass::DeviceOnlyALTERA
            | StorageClass::HostOnlyALTERA
    )
}

/// Storage classes and pointees of Result Type and operand, which must both be pointers.
fn casts(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked<[(StorageClass, Id); 2]> {
    let operand = cx.type_at(inst, 3)?;
    let m = cx.m;
    let (to, from) = (m.pointer(inst.id(1)), m.pointer(operand));
    cx.check_at(to.is_some(), &GENERIC, inst, 1, || {
        format!("the Result Type is {}, but must be a pointer", describe(m, inst.id(1)))
    })?;
    cx.check_at(from.is_some(), &GENERIC, inst, 3, || {
        format!("{} has type {}, but must be a pointer", inst.id(3), describe(m, operand))
    })?;
    match (to, from) {
        (Some(to), Some(from)) => Ok([to, from]),
        _ => Err(spirula_diag::Failed),
    }
}

fn cast(
    cx: &mut Cx<'_>,
    inst: Inst<'_>,
    to: bool,
    from: bool,
    pointees: [Id; 2],
    classes: [StorageClass; 2],
) -> Checked {
    let m = cx.m;
    cx.check_at(to, &GENERIC, inst, 1, || format!("the Result Type points to {}", classes[0]))?;
    cx.check_at(from, &GENERIC, inst, 3, || {
        msg(format!("the pointer {} points to {}", inst.id(3), classes[1])).declared(m, inst.id(3))
    })?;
    let same = pointees[0] == pointees[1] || pointees.contains(&Id(0));
    cx.check_at(same, &GENERIC, inst, 3, || {
        format!(
            "the pointer's pointee is {}, that of the Result Type {}",
            describe(m, pointees[1]),
            describe(m, pointees[0])
        )
    })
}

pub(crate) fn to_generic(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let [to, from] = casts(cx, inst)?;
    cast(cx, inst, to.0 == StorageClass::Generic, is_specific(from.0), [to.1, from.1], [to.0, from.0])
}

pub(crate) fn from_generic(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let [to, from] = casts(cx, inst)?;
    cast(cx, inst, is_specific(to.0), from.0 == StorageClass::Generic, [to.1, from.1], [to.0, from.0])?;
    if let Some(class) = inst.words().get(4).map(|w| StorageClass(*w)) {
        cx.check_at(is_specific(class), &GENERIC, inst, 4, || format!("the storage class is {class}"))?;
        cx.check_at(class == to.0, &GENERIC, inst, 4, || {
            format!("the storage class is {class}, but the Result Type points to {}", to.0)
        })?;
    }
    Ok(())
}

fn to_acceleration_structure(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let operand = cx.type_at(inst, 3)?;
    let m = cx.m;
    cx.check_at(m.ty(inst.id(1)) == Some(Type::AccelerationStructure), &ACCELERATION, inst, 1, || {
        format!("the Result Type is {}", describe(m, inst.id(1)))
    })?;
    let key = cx.key(operand)?;
    let unsigned = key.is_int_scalar_or_vector() && !key.is_signed();
    let ok = unsigned && matches!((key.width(), key.count()), (64, 1) | (32, 2));
    cx.check_at(ok, &ACCELERATION, inst, 3, || format!("{} has type {}", inst.id(3), describe(m, operand)))
}

fn bitcast_extract(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let base = cx.type_at(inst, 3)?;
    let (from, to) = (cx.key(base)?, cx.result_key(inst)?);
    let offset = cx.key_at(inst, 4)?;
    let m = cx.m;
    let fail: &'static Rule = &BIT_EXTRACT;
    cx.check_at(is_number(to) && to.is_scalar_or_vector(), fail, inst, 1, || {
        format!("the Result Type is {}, but must be a number or a vector of numbers", describe(m, inst.id(1)))
    })?;
    cx.check_at(is_number(from) && from.is_scalar_or_vector(), fail, inst, 3, || {
        format!("Base has type {}, but must be a number or a vector of numbers", describe(m, base))
    })?;
    cx.check_at(from.count() == to.count(), fail, inst, 3, || {
        format!("Base has {} components, the Result Type {}", from.count(), to.count())
    })?;
    cx.check_at(from.width() > to.width(), fail, inst, 3, || {
        format!("Base has {} bits by component, not more than the {} of the Result Type", from.width(), to.width())
    })?;
    cx.check_at(offset.is_int(), fail, inst, 4, || format!("Offset {} is not an integer scalar", inst.id(4)))?;
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    let encoding = encoding(cx, inst.id(1));
    let small =
        matches!(encoding, Some(FPEncoding::Float6E2M3EXT | FPEncoding::Float6E3M2EXT | FPEncoding::Float4E2M1EXT));
    cx.check_at(small, &BIT_EXTRACT_RESULT, inst, 1, || format!("the Result Type is {}", describe(m, inst.id(1))))?;
    cx.check_at(from.component_class() == Scalar::Int, &BIT_EXTRACT_BASE, inst, 3, || {
        format!("Base has type {}", describe(m, base))
    })
}

/// Whether the instruction's result is decorated as a conversion that transposes.
pub(crate) fn transposes(cx: &Cx<'_>, inst: Inst<'_>) -> bool {
    cx.has(Capability::CooperativeMatrixConversionsEXT)
        && inst.result().is_some_and(|id| cx.m.is_decorated(id, Decoration::CooperativeMatrixTransposeEXT))
}
