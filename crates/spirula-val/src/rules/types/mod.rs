//! Type declarations (§3.3.6).

mod number;
mod unique;

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, Decoration, Op, StorageClass};
use spirula_module::{Scalar, Shape};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::Parts;

pub(crate) use number::RULES as NUMBER_RULES;
pub(crate) use unique::{RULES as UNIQUE_RULES, unique};

rules! {
    group "types";
    /// The components of a vector are scalars: Booleans, integers or floating-point numbers.
    VECTOR: "type-vector", spec "OpTypeVector";
    /// A vector has 2, 3 or 4 components; capability Vector16 adds 8 and 16, LongVectorEXT any number from 1 on.
    VECTOR_COUNT: "type-vector-count", spec "§2.16.1";
    /// The columns of a matrix are vectors of floating-point numbers, and no long ones.
    MATRIX: "type-matrix", spec "OpTypeMatrix";
    /// A matrix has 2, 3 or 4 columns.
    MATRIX_COUNT: "type-matrix-count", spec "§2.16.1";
    /// The elements of an array have a type with values: not void.
    ARRAY: "type-array", spec "OpTypeArray";
    /// The length of an array is an integer constant of at least 1.
    ARRAY_LENGTH: "type-array-length", spec "OpTypeArray";
    /// The members of a structure have types with values: neither void nor a function type.
    STRUCT: "type-struct", spec "OpTypeStruct";
    /// A structure type with built-in members must not be a member of another structure.
    BUILT_IN_NESTED: "built-in-nested", spec "§2.16.1";
    /// Without capability DescriptorHeapEXT, structures must not contain opaque types.
    STRUCT_OPAQUE: "vulkan-struct-opaque", vuid "VUID-StandaloneSpirv-None-04667";
    /// With capability DescriptorHeapEXT, the only opaque types in structures are those of descriptors.
    STRUCT_DESCRIPTORS: "vulkan-struct-descriptors", vuid "VUID-StandaloneSpirv-DescriptorHeapEXT-11482";
    /// A run-time array is the last member of a structure decorated Block or BufferBlock, or an array of resources.
    RUNTIME_ARRAY: "vulkan-runtime-array", vuid "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680";
    /// A pointer points to a type.
    POINTER: "type-pointer", spec "OpTypePointer";
    /// Untyped pointers point to storage classes that are laid out explicitly.
    UNTYPED_CLASS: "vulkan-untyped-pointer-class", vuid "VUID-StandaloneSpirv-OpTypeUntypedPointerKHR-11417";
    /// Vectors of more than four components live only in storage classes that are no interface.
    LONG_VECTOR_CLASS: "vulkan-long-vector-class", vuid "VUID-StandaloneSpirv-Type-12297";
    /// The pointer type that is announced is declared as a pointer to a structure, with the same storage class.
    FORWARD_POINTER: "type-forward-pointer", spec "OpTypeForwardPointer";
    /// In Vulkan, only pointers to the PhysicalStorageBuffer storage class can be announced.
    FORWARD_CLASS: "vulkan-forward-pointer-class", vuid "VUID-StandaloneSpirv-OpTypeForwardPointer-04711";
    /// A function returns a type and takes types other than void.
    FUNCTION: "type-function", spec "OpTypeFunction";
    /// A function returns void, a concrete or abstract type, or a pointer: no image, sampler, event or other opaque type,
    /// nor anything that contains one. Off by default, since compilers write such functions where they leave them to be
    /// inlined.
    FUNCTION_OPAQUE: "type-function-opaque", allow spec "OpTypeFunction";
    /// The PhysicalStorageBuffer storage class needs the addressing model PhysicalStorageBuffer64: only that model says
    /// how large its addresses are.
    PHYSICAL_MODEL: "physical-storage-buffer-model", spec "§2.16.1";
    /// A ray query or a hit object is one of a single invocation: pointers to it are of the storage class Private or
    /// Function.
    RAY_OBJECT: "ray-object-class", extension "SPV_KHR_ray_query, SPV_EXT_shader_invocation_reorder";
    /// Booleans have no size and no bit pattern, so that they are not kept where addresses are physical.
    PHYSICAL_BOOL: "physical-pointer-bool", spec "OpTypeBool";
    /// Functions are pointed to only with the capability for function pointers.
    FUNCTION_TYPE_USE: "function-type-use", spec "OpTypeFunction";
}

pub(crate) const TABLE: Table = rule_table! {
    TypeInt => number::int;
    TypeFloat => number::float;
    TypeVector => vector;
    TypeMatrix => matrix;
    TypeArray => array;
    TypeRuntimeArray => runtime_array;
    TypeStruct => structure;
    TypePointer => pointer;
    TypeUntypedPointerKHR => untyped_pointer;
    TypeForwardPointer => forward_pointer;
    TypeFunction => function;
};

/// The id at `word` must be a type.
fn a_type<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, rule: &'static Rule) -> Checked<Id> {
    let id = inst.id(word);
    let (m, info) = (cx.m, cx.m.info(id));
    cx.def(id).map(drop).or_else(|e| if info.def > inst.offset() { Ok(()) } else { Err(e) })?;
    cx.check_at(info.is_type(), rule, inst, word, || {
        msg(format!("{id} is the result of {}, not a type", info.op)).declared(m, id)
    })?;
    if info.is_type() { Ok(id) } else { Err(spirula_diag::Failed) }
}

fn vector<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let component = a_type(cx, inst, 2, &VECTOR)?;
    let key = cx.m.key(component);
    let scalar = key.shape() == Shape::Scalar || (key.is_pointer() && cx.has(Capability::MaskedGatherScatterINTEL));
    cx.check_at(scalar, &VECTOR, inst, 2, || format!("the component type {component} is not a scalar type"))?;
    let n = inst.word(3);
    let ok = match n {
        2..=4 => true,
        8 | 16 if cx.has(Capability::Vector16) => true,
        _ => n > 0 && (cx.has(Capability::LongVectorEXT) || cx.m.has(Capability::VectorAnyINTEL)),
    };
    cx.check_at(ok, &VECTOR_COUNT, inst, 3, || {
        let help = if matches!(n, 8 | 16) { "8 and 16 components need capability Vector16" } else { "use 2, 3 or 4" };
        msg(format!("a vector of {n} components")).help(help)
    })
}

fn matrix<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let column = a_type(cx, inst, 2, &MATRIX)?;
    let key = cx.m.key(column);
    let vector = matches!(key.shape(), Shape::Vector);
    let ok = vector && matches!(key.component_class(), Scalar::Float | Scalar::EncodedFloat);
    cx.check_at(ok, &MATRIX, inst, 2, || {
        format!("the column type {column} is not a vector of floating-point numbers")
    })?;
    let rows = key.count();
    cx.check_at((2..=4).contains(&rows) || !cx.has(Capability::LongVectorEXT), &MATRIX, inst, 2, || {
        format!("the column type {column} has {rows} components, but a column has 2, 3 or 4")
    })?;
    let n = inst.word(3);
    cx.check_at((2..=4).contains(&n), &MATRIX_COUNT, inst, 3, || format!("a matrix of {n} columns; it has 2, 3 or 4"))
}

/// The element type of an array.
fn element<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let element = a_type(cx, inst, 2, &ARRAY)?;
    let ok = !matches!(cx.m.key(element).shape(), Shape::Void | Shape::Function);
    cx.check_at(ok, &ARRAY, inst, 2, || format!("the element type {element} has no values to make an array of"))?;
    let vulkan = cx.env.is_vulkan() && cx.m.info(element).op == Op::TypeRuntimeArray;
    cx.check_at(!vulkan, &RUNTIME_ARRAY, inst, 2, || {
        format!("the element type {element} is a run-time array, which cannot be nested in an array")
    })
}

fn array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    element(cx, inst)?;
    let length = inst.id(3);
    cx.def(length)?;
    let (m, info) = (cx.m, cx.m.info(length));
    let int = info.is_constant() && cx.m.key(info.ty).is_int();
    cx.check_at(int, &ARRAY_LENGTH, inst, 3, || {
        msg(format!("the length {length} is not a constant of integer type")).declared(m, length)
    })?;
    // What a specialisation constant defaults to has no bearing on validity (§2.12).
    let Some(value) = cx.m.int_constant(length).filter(|v| !v.spec) else { return Ok(()) };
    let ok = value.as_unsigned().is_some_and(|n| n > 0);
    cx.check_at(ok, &ARRAY_LENGTH, inst, 3, || {
        let n = value.as_unsigned().map_or(value.bits as i64, |n| n as i64);
        msg(format!("the length {length} is {n}, but an array has at least 1 element")).declared(m, length)
    })
}

fn runtime_array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    element(cx, inst)
}

fn structure<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let mut judged = Ok(());
    let mut parts = Parts::default();
    for word in 2..inst.words().len() {
        let one = member(cx, inst, word);
        judged = judged.and(one);
        parts = parts.or(cx.parts(inst.id(word)));
    }
    judged?;
    if parts.any(Parts::BUILT_IN) {
        let inner = inst.tail(2).iter().find(|t| cx.parts(Id(**t)).any(Parts::BUILT_IN));
        let inner = Id(inner.copied().unwrap_or(0));
        cx.fail(&BUILT_IN_NESTED, inst, || {
            msg(format!("the structure contains {inner}, whose members are built-ins")).declared(m, inner)
        })?;
    }
    if cx.env.is_vulkan() { vulkan_structure(cx, inst, parts) } else { Ok(()) }
}

fn member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = a_type(cx, inst, word, &STRUCT)?;
    let ok = !matches!(cx.m.key(ty).shape(), Shape::Void | Shape::Function);
    let n = word - 2;
    cx.check_at(ok, &STRUCT, inst, word, || format!("member {n} has type {ty}, which has no values"))
}

fn vulkan_structure<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, parts: Parts) -> Checked {
    if parts.any(Parts::OPAQUE) {
        let m = cx.m;
        let heap = cx.has(Capability::DescriptorHeapEXT);
        let wrong = |p: Parts| p.any(if heap { Parts::NO_DESCRIPTOR } else { Parts::OPAQUE });
        // An acceleration structure or the like that a pointer leads to is no part; an array of them is.
        let at = (2..inst.words().len()).find(|w| wrong(cx.parts(inst.id(*w))));
        if let Some(word) = at {
            let ty = inst.id(word);
            let rule = if heap { &STRUCT_DESCRIPTORS } else { &STRUCT_OPAQUE };
            cx.fail_at(rule, inst, word, || {
                msg(format!("member {} is or contains an opaque type, {ty}", word - 2)).declared(m, ty)
            })?;
        }
    }
    if parts.any(Parts::RUNTIME_ARRAY) { runtime_array_member(cx, inst) } else { Ok(()) }
}

fn runtime_array_member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let last = inst.words().len() - 1;
    for word in 2..=last {
        let ty = inst.id(word);
        let direct = m.info(ty).op == Op::TypeRuntimeArray;
        cx.check_at(!direct || word == last, &RUNTIME_ARRAY, inst, word, || {
            format!("member {} is a run-time array, but not the last member", word - 2)
        })?;
        if direct {
            let id = inst.id(1);
            let block = m.is_decorated(id, Decoration::Block) || m.is_decorated(id, Decoration::BufferBlock);
            cx.check_at(block, &RUNTIME_ARRAY, inst, word, || {
                msg(format!("{id} contains a run-time array, but is decorated neither Block nor BufferBlock"))
                    .help("decorate the structure Block")
            })?;
        }
    }
    Ok(())
}

fn pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let pointee = a_type(cx, inst, 3, &POINTER)?;
    let class = StorageClass(inst.word(2));
    storage_class(cx, inst, class)?;
    if cx.m.info(pointee).op == Op::TypeFunction && !cx.has(Capability::FunctionPointersINTEL) {
        return cx.fail_at(&FUNCTION_TYPE_USE, inst, 3, || {
            format!("{pointee} is a function type, which cannot be pointed to without capability FunctionPointersINTEL")
        });
    }
    let parts = cx.parts(pointee);
    let own = matches!(class, StorageClass::Private | StorageClass::Function);
    let op = cx.m.info(pointee).op;
    let object = matches!(op, Op::TypeRayQueryKHR | Op::TypeHitObjectEXT | Op::TypeHitObjectNV);
    cx.check_at(own || !object, &RAY_OBJECT, inst, 2, || {
        format!("{pointee} is the result of {op}, but is pointed to in {class}")
    })?;
    let boolean = class == StorageClass::PhysicalStorageBuffer && parts.any(Parts::BOOL);
    cx.check_at(!boolean, &PHYSICAL_BOOL, inst, 3, || {
        msg(format!("{pointee} is or contains a Boolean, but {class} is addressed physically"))
            .help("use an integer instead")
    })?;
    if !cx.env.is_vulkan() || !parts.any(Parts::LONG_VECTOR) {
        return Ok(());
    }
    cx.check_at(holds_long_vectors(class), &LONG_VECTOR_CLASS, inst, 3, || {
        format!("{pointee} is or contains a vector of more than 4 components, which {class} cannot hold")
    })
}

/// Whether a storage class of shaders, no interface, may hold vectors of more than four components.
pub(super) fn holds_long_vectors(class: StorageClass) -> bool {
    matches!(
        class,
        StorageClass::Function
            | StorageClass::Private
            | StorageClass::Uniform
            | StorageClass::Workgroup
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::PushConstant
            | StorageClass::ShaderRecordBufferKHR
    )
}

/// Rules for the storage class of any pointer type.
fn storage_class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass) -> Checked {
    if class != StorageClass::PhysicalStorageBuffer {
        return Ok(());
    }
    let model = cx.m.addressing_model();
    cx.check_at(model == spirula_grammar::AddressingModel::PhysicalStorageBuffer64, &PHYSICAL_MODEL, inst, 2, || {
        msg(format!("the storage class is PhysicalStorageBuffer, but the addressing model is {model}"))
            .help("declare the addressing model PhysicalStorageBuffer64 in OpMemoryModel")
    })
}

fn untyped_pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let class = StorageClass(inst.word(2));
    storage_class(cx, inst, class)?;
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    let ok = matches!(
        class,
        StorageClass::Image
            | StorageClass::UniformConstant
            | StorageClass::Workgroup
            | StorageClass::StorageBuffer
            | StorageClass::Uniform
            | StorageClass::PushConstant
            | StorageClass::PhysicalStorageBuffer
    );
    cx.check_at(ok, &UNTYPED_CLASS, inst, 2, || format!("an untyped pointer to {class}, which has no explicit layout"))
}

fn forward_pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let id = inst.id(1);
    let (m, info) = (cx.m, cx.m.info(id));
    let class = StorageClass(inst.word(2));
    cx.check_at(info.op == Op::TypePointer, &FORWARD_POINTER, inst, 1, || {
        msg(format!("{id} is the result of {}, not of OpTypePointer", info.op)).declared(m, id)
    })?;
    let Some((actual, pointee)) = m.pointer(id) else { return Ok(()) };
    cx.check_at(m.def(id).is_none_or(|d| d.offset() >= inst.offset()), &FORWARD_POINTER, inst, 1, || {
        msg(format!("{id} is declared before it is announced")).declared(m, id)
    })?;
    cx.check_at(actual == class, &FORWARD_POINTER, inst, 2, || {
        msg(format!("the storage class is {class}, but {id} is declared with {actual}")).declared(m, id)
    })?;
    if m.info(pointee).is_defined() {
        let is_struct = m.info(pointee).op == Op::TypeStruct;
        cx.check_at(is_struct, &FORWARD_POINTER, inst, 1, || {
            msg(format!("{id} points to {pointee}, which is not a structure")).declared(m, id)
        })?;
    }
    let ok = !cx.env.is_vulkan() || class == StorageClass::PhysicalStorageBuffer;
    cx.check_at(ok, &FORWARD_CLASS, inst, 2, || {
        format!("a forward declaration of a pointer to {class}; only PhysicalStorageBuffer can be announced")
    })
}

fn function<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let result = a_type(cx, inst, 2, &FUNCTION)?;
    let ok = cx.m.key(result).shape() != Shape::Function;
    cx.check_at(ok, &FUNCTION, inst, 2, || format!("the return type {result} is a function type"))?;
    // Before legalization, functions of HLSL hand resources on.
    let opaque = cx.parts(result).any(Parts::OPAQUE) && !cx.options.before_hlsl_legalization;
    cx.check_at(!opaque, &FUNCTION_OPAQUE, inst, 2, || {
        format!("the return type {result} is or contains an opaque type, which no function returns")
    })?;
    for word in 3..inst.words().len() {
        let ty = a_type(cx, inst, word, &FUNCTION)?;
        let ok = !matches!(cx.m.key(ty).shape(), Shape::Void | Shape::Function);
        cx.check_at(ok, &FUNCTION, inst, word, || {
            format!("parameter {} has type {ty}, which has no values", word - 3)
        })?;
    }
    let class = result_class(cx, result);
    pointers_of_result(cx, inst, class)
}

/// Storage class of a logical pointer that functions of the type return.
fn result_class(cx: &Cx<'_>, result: Id) -> Option<StorageClass> {
    let logical = cx.parts(result).any(Parts::LOGICAL_POINTER) && cx.m.key(result).is_pointer();
    if logical { cx.m.pointer(result).map(|p| p.0) } else { None }
}

/// What logical pointers a function may return (§2.16.1).
fn pointers_of_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: Option<StorageClass>) -> Checked {
    let Some(class) = class else { return Ok(()) };
    if cx.options.relax_logical_pointer || cx.options.before_hlsl_legalization {
        return Ok(());
    }
    let any = cx.has(Capability::VariablePointersStorageBuffer);
    let ok = match class {
        StorageClass::StorageBuffer => any,
        StorageClass::Workgroup => cx.has(Capability::VariablePointers),
        _ => false,
    };
    cx.check_at(ok, &super::pointers::RETURN, inst, 2, || {
        format!("the return type is a logical pointer to {class}, which no declared capability allows to be returned")
    })
}
