//! Variables.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, LinkageType, Op, StorageClass, Version};
use spirula_module::Type;

use super::describe;
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};
use crate::rules::pointers;
use crate::rules::types::holds_long_vectors;

rules! {
    group "memory";
    /// A variable is a pointer to its object.
    RESULT: "variable-result", spec "OpVariable";
    /// A variable holds an object, and there are none of type void.
    VOID: "variable-void", warn spec "OpVariable";
    /// A variable's storage class is that of its pointer type, and not Generic.
    CLASS: "variable-class", spec "OpVariable";
    /// Variables of a function have storage class Function, and only those.
    PLACE: "variable-place", spec "§2.4";
    /// A variable's initializer is a constant or a module-scope variable.
    INITIALIZER: "variable-initializer", spec "OpVariable";
    /// A variable's initializer has the type of its object.
    INITIALIZER_TYPE: "variable-initializer-type", spec "OpVariable";
    /// What comes from outside, or is handed from shader to shader, cannot be initialised.
    INITIALIZER_CLASS: "variable-initializer-class", spec "§3.2.7";
    /// A variable that another module defines is not initialised here.
    IMPORTED: "variable-imported", spec "§2.16.1";
    /// Booleans have no size, so that nobody outside of the shader can see a variable with them.
    BOOL: "variable-bool", spec "OpTypeBool";
    /// A Boolean in the Input or Output storage class is a built-in.
    BOOL_BUILT_IN: "variable-bool-built-in", spec "OpTypeBool";
    /// Nothing is allocated in the PhysicalStorageBuffer storage class: it is reached through addresses only.
    PHYSICAL: "variable-physical", spec "§2.16.1";
    /// Cooperative matrices and vectors live in registers: in variables of storage class Function or Private.
    COOPERATIVE: "variable-cooperative", extension "SPV_KHR_cooperative_matrix";
    /// 8-bit and 16-bit types need a capability for them, or one for their storage class.
    SMALL: "variable-small-type", spec "§3.2.30";
    /// Floating-point numbers of less than 8 bits are kept in the storage classes Function and Private only.
    SUB_BYTE: "variable-sub-byte", extension "SPV_EXT_ocp_microscaling_types";
    /// Vectors of more than four components live only in storage classes that are no interface.
    LONG_VECTOR: "variable-long-vector", extension "SPV_EXT_long_vector";
    /// A Block in Workgroup memory needs capability WorkgroupMemoryExplicitLayoutKHR.
    WORKGROUP_BLOCK: "variable-workgroup-block", extension "SPV_KHR_workgroup_memory_explicit_layout";
    /// The TileImageEXT storage class holds tile images only.
    TILE_IMAGE: "variable-tile-image", extension "SPV_EXT_shader_tile_image";
    /// An untyped variable says its Data Type where memory must be allocated for it.
    DATA_TYPE: "untyped-variable-data-type", extension "SPV_KHR_untyped_pointers";
    /// Untyped pointers to Workgroup memory need an explicit layout: the Data Type is a Block.
    UNTYPED_WORKGROUP: "untyped-variable-workgroup", extension "SPV_KHR_untyped_pointers";
    /// A variable that holds pointers to PhysicalStorageBuffer says whether they may alias. SPIR-V 1.6 revision 5 and
    /// later take silence for RestrictPointer, earlier texts did not.
    ALIASED_POINTER: "variable-aliased-pointer", warn extension "SPV_KHR_physical_storage_buffer";
}

pub(super) fn variable<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    cx.key(result)?;
    let Some((class, data)) = m.pointer(result).filter(|_| m.info(result).op == Op::TypePointer) else {
        return cx
            .fail_at(&RESULT, inst, 1, || format!("the Result Type {} is not OpTypePointer", describe(m, result)));
    };
    common(cx, inst, class, data, 4)
}

pub(super) fn untyped_variable<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    cx.key(result)?;
    let Some((class, _)) = m.pointer(result).filter(|_| m.info(result).op == Op::TypeUntypedPointerKHR) else {
        return cx.fail_at(&RESULT, inst, 1, || {
            format!("the Result Type {} is not OpTypeUntypedPointerKHR", describe(m, result))
        });
    };
    let data = inst.id(4);
    if inst.words().len() > 4 {
        cx.def(data)?;
        let ok = m.info(data).is_type() && m.info(data).op != Op::TypeFunction;
        cx.check_at(ok, &DATA_TYPE, inst, 4, || format!("the Data Type {data} is not a type of data"))?;
    } else {
        let needed = matches!(class, StorageClass::Function | StorageClass::Private | StorageClass::Workgroup);
        cx.check(!needed, &DATA_TYPE, inst, || format!("a variable in {class} without Data Type"))?;
    }
    let explicit = cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR);
    if class == StorageClass::Workgroup && cx.has(Capability::Shader) && explicit {
        let block = cx.m.is_decorated(data, Decoration::Block) && m.info(data).op == Op::TypeStruct;
        cx.check_at(block, &UNTYPED_WORKGROUP, inst, 4, || {
            format!("the Data Type {} is not a structure decorated Block", describe(m, data))
        })?;
    }
    common(cx, inst, class, data, 5)
}

/// Rules for both kinds of variables. `data` is the object's type, `%0` where none is named.
fn common<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, initializer: usize) -> Checked {
    place(cx, inst, class)?;
    if inst.words().len() > initializer {
        initialised(cx, inst, class, data, initializer)?;
    }
    let parts = cx.parts(data);
    cx.check_at(!parts.any(Parts::VOID), &VOID, inst, 1, || format!("the object of {} has type void", inst.id(2)))?;
    let cooperative = parts.any(Parts::COOPERATIVE_MATRIX.or(Parts::COOPERATIVE_VECTOR)) && is_cooperative(cx, parts);
    let local = matches!(class, StorageClass::Function | StorageClass::Private);
    cx.check_at(local || !cooperative, &COOPERATIVE, inst, 3, || {
        format!("a variable in {class} with a cooperative matrix or vector")
    })?;
    if parts.any(Parts::BOOL) {
        boolean(cx, inst, class, data)?;
    }
    if parts.any(Parts::LONG_VECTOR) && cx.has(Capability::LongVectorEXT) {
        long_vector(cx, inst, class, parts)?;
    }
    if cx.has(Capability::Shader) {
        shader(cx, inst, class, data, parts)?;
    }
    pointers::variable(cx, inst, class, parts)?;
    if parts.any(Parts::PHYSICAL_STORAGE) { aliased_pointer(cx, inst, data) } else { Ok(()) }
}

/// Vectors of more than four components. Those whose number is specialised are taken for short ones.
fn long_vector<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, parts: Parts) -> Checked {
    let kernels = matches!(class, StorageClass::CrossWorkgroup | StorageClass::Generic);
    let ok = kernels || holds_long_vectors(class);
    cx.check_at(ok || parts.any(Parts::SPEC_VECTOR), &LONG_VECTOR, inst, 3, || {
        format!("{} is or contains a vector of more than 4 components in {class}", inst.id(2))
    })
}

/// A vector whose length is an id is a cooperative vector only where that capability is declared.
fn is_cooperative(cx: &Cx<'_>, parts: Parts) -> bool {
    parts.any(Parts::COOPERATIVE_MATRIX)
        || cx.has(Capability::CooperativeVectorNV) && !cx.has(Capability::LongVectorEXT)
}

fn place<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, pointer: StorageClass) -> Checked {
    let class = StorageClass(inst.word(3));
    cx.check_at(class == pointer, &CLASS, inst, 3, || {
        format!("the storage class is {class}, but the Result Type {} points to {pointer}", inst.id(1))
    })?;
    cx.check_at(class != StorageClass::Generic, &CLASS, inst, 3, || "a variable in Generic")?;
    cx.check_at(class != StorageClass::PhysicalStorageBuffer, &PHYSICAL, inst, 3, || {
        msg("a variable in PhysicalStorageBuffer").help("such memory is reached through addresses only")
    })?;
    let inside = cx.here.is_some();
    let local = class == StorageClass::Function;
    // Code sections may hold what functions declare.
    cx.check_at(inside == local, &PLACE, inst, 3, || {
        if inside {
            format!("a variable of a function in {class}, not in Function")
        } else {
            "a variable in Function outside of functions".into()
        }
    })
}

fn initialised<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, word: usize) -> Checked {
    let id = inst.id(word);
    cx.def(id)?;
    let (m, info) = (cx.m, cx.m.info(id));
    let variable = matches!(info.op, Op::Variable | Op::UntypedVariableKHR) && !info.is_local();
    let undefined = matches!(info.op, Op::Undef | Op::PoisonKHR) && !info.is_local();
    let other = matches!(info.op, Op::Function) && cx.has(Capability::FunctionPointersINTEL);
    cx.check_at(info.is_constant() || variable || other || undefined, &INITIALIZER, inst, word, || {
        msg(format!(
            "the initializer {id} is the result of {}, neither a constant nor a variable outside of functions",
            info.op
        ))
        .declared(m, id)
    })?;
    let read_only = match class {
        StorageClass::Input
        | StorageClass::PushConstant
        | StorageClass::TaskPayloadWorkgroupEXT
        | StorageClass::ShaderRecordBufferKHR
        | StorageClass::HitObjectAttributeNV
        | StorageClass::HitObjectAttributeEXT => true,
        // The older extension for ray tracing does not say so.
        StorageClass::CallableDataKHR
        | StorageClass::IncomingCallableDataKHR
        | StorageClass::RayPayloadKHR
        | StorageClass::IncomingRayPayloadKHR
        | StorageClass::HitAttributeKHR => cx.has(Capability::RayTracingKHR),
        _ => false,
    };
    cx.check_at(!read_only, &INITIALIZER_CLASS, inst, word, || format!("a variable in {class} with an initializer"))?;
    let ty = cx.type_at(inst, word)?;
    cx.check_at(ty == data, &INITIALIZER_TYPE, inst, word, || {
        format!("the initializer {id} has type {}, but the object has type {}", describe(m, ty), describe(m, data))
    })?;
    let result = inst.id(2);
    let linkage = m.decoration(result, Decoration::LinkageAttributes);
    let imported = linkage.is_some_and(|d| d.operands.last() == Some(&LinkageType::Import.0));
    cx.check_at(!imported, &IMPORTED, inst, word, || {
        format!("{result} has an initializer, but is decorated LinkageAttributes Import")
    })
}

fn shader<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, parts: Parts) -> Checked {
    if parts.any(Parts::SMALL.or(Parts::FLOAT_SMALL)) || cx.parts(inst.id(1)).any(Parts::POINTER) {
        small(cx, inst, class, data, parts)?;
    }
    if class == StorageClass::Workgroup {
        let (inner, _) = without_arrays(cx.m, data);
        let block = cx.m.is_decorated(inner, Decoration::Block);
        let ok = !block || cx.version < Version::v1(4) || cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR);
        cx.check_at(ok, &WORKGROUP_BLOCK, inst, 3, || {
            format!("{inner} is decorated Block, which Workgroup memory cannot hold without that capability")
        })?;
    }
    if class == StorageClass::TileImageEXT {
        let (inner, _) = without_arrays(cx.m, data);
        let tile = matches!(cx.m.ty(inner), Some(Type::Image(i)) if i.dim == spirula_grammar::Dim::TileImageDataEXT);
        cx.check_at(tile, &TILE_IMAGE, inst, 3, || format!("{inner} is not an image with Dim TileImageDataEXT"))?;
    }
    Ok(())
}

fn boolean<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id) -> Checked {
    let m = cx.m;
    let hidden = matches!(
        class,
        StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::Private
            | StorageClass::Function
            | StorageClass::UniformConstant
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::NodePayloadAMDX
            | StorageClass::HitObjectAttributeNV
            | StorageClass::HitObjectAttributeEXT
            | StorageClass::TaskPayloadWorkgroupEXT
    );
    let (inner, _) = without_arrays(m, data);
    let laid_out = class == StorageClass::Workgroup
        && cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR)
        && cx.parts(inner).any(Parts::BLOCK);
    if hidden && !laid_out {
        return Ok(());
    }
    if matches!(class, StorageClass::Input | StorageClass::Output) {
        let id = inst.id(2);
        let ok = m.is_decorated(id, Decoration::BuiltIn) || cx.parts(inner).any(Parts::BUILT_IN);
        return cx.check_at(ok, &BOOL_BUILT_IN, inst, 3, || {
            msg(format!("{id} is or contains a Boolean in {class}, but is not a built-in"))
                .help("pass it as an integer")
        });
    }
    cx.check_at(false, &BOOL, inst, 3, || {
        msg(format!("{} is or contains a Boolean, which {class} would show to others", inst.id(2)))
            .help("use an integer instead")
    })
}

/// The capabilities that a storage class needs for small types: 8-bit, 16-bit.
fn storage_capabilities(class: StorageClass, buffer_block: bool) -> (Option<Capability>, Option<Capability>) {
    match class {
        StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => {
            (Some(Capability::StorageBuffer8BitAccess), Some(Capability::StorageBuffer16BitAccess))
        }
        StorageClass::Uniform if buffer_block => {
            (Some(Capability::StorageBuffer8BitAccess), Some(Capability::StorageBuffer16BitAccess))
        }
        StorageClass::Uniform => {
            (Some(Capability::UniformAndStorageBuffer8BitAccess), Some(Capability::UniformAndStorageBuffer16BitAccess))
        }
        StorageClass::PushConstant | StorageClass::ShaderRecordBufferKHR => {
            (Some(Capability::StoragePushConstant8), Some(Capability::StoragePushConstant16))
        }
        StorageClass::Input | StorageClass::Output => (None, Some(Capability::StorageInputOutput16)),
        StorageClass::Workgroup => (
            Some(Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR),
            Some(Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR),
        ),
        _ => (None, None),
    }
}

fn small<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, data: Id, parts: Parts) -> Checked {
    let m = cx.m;
    let ok = !parts.any(Parts::FLOAT_SMALL) || matches!(class, StorageClass::Function | StorageClass::Private);
    cx.check_at(ok, &SUB_BYTE, inst, 3, || {
        format!("{} is or contains floating-point numbers of less than 8 bits in {class}", inst.id(2))
    })?;
    let int8 = parts.any(Parts::INT8) && !cx.has(Capability::Int8);
    let int16 = parts.any(Parts::INT16) && !cx.has(Capability::Int16) && !cx.declares("SPV_AMD_gpu_shader_int16");
    let float16 =
        parts.any(Parts::FLOAT16) && !cx.has(Capability::Float16) && !cx.declares("SPV_AMD_gpu_shader_half_float");
    if !(int8 || int16 || float16) {
        return Ok(());
    }
    let (inner, _) = without_arrays(m, data);
    let buffer_block = m.is_decorated(inner, Decoration::BufferBlock);
    let (for8, for16) = storage_capabilities(class, buffer_block);
    for (wrong, width, storage) in [(int8, 8, for8), (int16 || float16, 16, for16)] {
        let ok = !wrong || storage.is_some_and(|c| cx.has(c));
        cx.check_at(ok, &SMALL, inst, 3, || {
            let text = format!("{} is or contains {width}-bit numbers in {class}", inst.id(2));
            match storage {
                Some(c) => msg(text).help(format!("declare capability {c}, or the one of the type itself")),
                None => msg(text).help("declare the capability of the type itself"),
            }
        })?;
    }
    Ok(())
}

fn aliased_pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, data: Id) -> Checked {
    let (m, id) = (cx.m, inst.id(2));
    let (inner, _) = without_arrays(m, data);
    if !m.key(inner).is_pointer() {
        return Ok(());
    }
    let says = m.is_decorated(id, Decoration::AliasedPointer) || m.is_decorated(id, Decoration::RestrictPointer);
    cx.check(says, &ALIASED_POINTER, inst, || {
        msg(format!(
            "{id} holds pointers to PhysicalStorageBuffer, but is decorated neither AliasedPointer nor RestrictPointer"
        ))
        .help("SPIR-V 1.6 takes it for RestrictPointer; older consumers refuse it")
    })
}

/// Whether the variable is the heap that a built-in stands for.
pub(crate) fn heap(cx: &Cx<'_>, variable: Id) -> Option<BuiltIn> {
    let built_in = BuiltIn(cx.m.decoration(variable, Decoration::BuiltIn)?.operand());
    matches!(built_in, BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT).then_some(built_in)
}
