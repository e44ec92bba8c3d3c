//! What each decoration can be applied to (§3.2.20).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{BuiltIn, Capability, Class, Decoration, MemoryModel, Op};
use spirula_module::{Scalar, Shape, Type};

use super::Applied;
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};

rules! {
    group "decorations";
    /// Some decorations are for members of structures only.
    MEMBER_ONLY: "decoration-member-only", spec "§3.2.20";
    /// Some decorations are never for members of structures.
    NOT_MEMBER: "decoration-not-member", spec "§3.2.20";
    /// A decoration is applied to what its text says: a type, a variable, a constant, …
    TARGET: "decoration-target", spec "§3.2.20";
    /// Alignment and MaxByteOffset are for pointers, SaturatedConversion for conversions to integers,
    /// SaturatedToLargestFloat8NormalConversionEXT for those to 8-bit floating-point numbers, and LinkageAttributes for
    /// functions and variables. Elsewhere they say nothing.
    IDLE: "decoration-idle", warn spec "§3.2.20";
    /// Built-ins are variables or members of structures; WorkgroupSize is a constant.
    BUILT_IN: "built-in-target", spec "BuiltIn";
    /// Uniform and UniformId are about objects, not types or instructions without value.
    UNIFORM: "uniform-target", spec "Uniform";
    /// RelaxedPrecision is about objects and members, not types.
    RELAXED: "relaxed-precision-target", spec "§2.14";
    /// Coherent and Volatile are not for the Vulkan memory model, which has memory operands instead.
    VULKAN_MODEL: "decoration-vulkan-memory-model", spec "Coherent";
    /// Linkage is for functions and module-scope variables, and never for entry points.
    LINKAGE: "linkage-target", spec "LinkageAttributes";
    /// ArrayStrideIdEXT is for arrays of descriptors.
    STRIDE_ID: "array-stride-id-target", extension "SPV_EXT_descriptor_heap";
    /// OffsetIdEXT is for members of structures with descriptors.
    OFFSET_ID: "offset-id-target", extension "SPV_EXT_descriptor_heap";
}

/// Kinds of targets.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Target {
    Struct,
    ArrayOrPointer,
    /// A memory object declaration: variable or parameter of pointer type.
    Declaration,
    Variable,
    SpecConstant,
    /// Whatever is of pointer type.
    Pointer,
    /// A conversion to integers that does not saturate by itself.
    Conversion,
    /// What another module can link to.
    Linked,
    /// An array of 8-bit integers.
    Bytes,
    /// A conversion to 8-bit floating-point numbers.
    Float8Conversion,
    /// A function.
    Function,
    /// A parameter of a function.
    Parameter,
    /// A parameter that is a pointer.
    PointerParameter,
    /// A type of arrays of payloads.
    Payloads,
    /// A variable of images or samplers, or with handles of them.
    Handles,
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Target::Struct => "a structure type",
            Target::ArrayOrPointer => "an array or pointer type",
            Target::Declaration => "a variable, or a parameter of pointer type",
            Target::Variable => "a variable",
            Target::SpecConstant => "OpSpecConstantTrue, OpSpecConstantFalse or OpSpecConstant",
            Target::Pointer => "a pointer",
            Target::Linked => "a function or module-scope variable",
            Target::Function => "a function",
            Target::Parameter => "a parameter of a function",
            Target::PointerParameter => "a parameter of pointer type",
            Target::Payloads => "an OpTypeNodePayloadArrayAMDX",
            Target::Handles => "a variable of images or samplers",
            Target::Bytes => "an array of 8-bit integers",
            Target::Float8Conversion => "OpFConvert, OpConvertSToF or OpConvertUToF to 8-bit floating-point numbers",
            Target::Conversion => "a conversion to integers, other than OpSatConvertUToS and OpSatConvertSToU",
        }
    }
}

fn wanted(decoration: Decoration) -> Option<Target> {
    Some(match decoration {
        Decoration::Block
        | Decoration::BufferBlock
        | Decoration::GLSLShared
        | Decoration::GLSLPacked
        | Decoration::CPacked
        | Decoration::TrackFinishWritingAMDX => Target::Struct,
        Decoration::ArrayStride => Target::ArrayOrPointer,
        Decoration::NoPerspective
        | Decoration::Flat
        | Decoration::Patch
        | Decoration::Centroid
        | Decoration::Sample
        | Decoration::Restrict
        | Decoration::Aliased
        | Decoration::Volatile
        | Decoration::Coherent
        | Decoration::NonWritable
        | Decoration::NonReadable
        | Decoration::Stream
        | Decoration::Component
        | Decoration::XfbBuffer
        | Decoration::XfbStride
        | Decoration::PerVertexKHR
        | Decoration::PerPrimitiveEXT
        | Decoration::PerViewNV
        | Decoration::PerTaskNV
        | Decoration::PassthroughNV
        | Decoration::RestrictPointer
        | Decoration::AliasedPointer => Target::Declaration,
        Decoration::Invariant
        | Decoration::Constant
        | Decoration::Location
        | Decoration::Index
        | Decoration::Binding
        | Decoration::DescriptorSet
        | Decoration::InputAttachmentIndex
        | Decoration::HitObjectShaderRecordBufferNV
        | Decoration::HitObjectShaderRecordBufferEXT => Target::Variable,
        Decoration::SpecId => Target::SpecConstant,
        Decoration::Alignment | Decoration::AlignmentId | Decoration::MaxByteOffset | Decoration::MaxByteOffsetId => {
            Target::Pointer
        }
        Decoration::SaturatedConversion => Target::Conversion,
        Decoration::LinkageAttributes => Target::Linked,
        Decoration::StallEnableALTERA
        | Decoration::StallFreeALTERA
        | Decoration::FuseLoopsInFunctionALTERA
        | Decoration::MathOpDSPModeALTERA
        | Decoration::InitiationIntervalALTERA
        | Decoration::MaxConcurrencyALTERA
        | Decoration::PipelineEnableALTERA => Target::Function,
        Decoration::ConduitKernelArgumentALTERA
        | Decoration::RegisterMapKernelArgumentALTERA
        | Decoration::StableKernelArgumentALTERA => Target::Parameter,
        Decoration::MMHostInterfaceAddressWidthALTERA
        | Decoration::MMHostInterfaceDataWidthALTERA
        | Decoration::MMHostInterfaceLatencyALTERA
        | Decoration::MMHostInterfaceReadWriteModeALTERA
        | Decoration::MMHostInterfaceMaxBurstALTERA
        | Decoration::MMHostInterfaceWaitRequestALTERA => Target::PointerParameter,
        Decoration::NodeMaxPayloadsAMDX
        | Decoration::NodeSharesPayloadLimitsWithAMDX
        | Decoration::PayloadNodeNameAMDX
        | Decoration::PayloadNodeBaseIndexAMDX
        | Decoration::PayloadNodeSparseArrayAMDX
        | Decoration::PayloadNodeArraySizeAMDX => Target::Payloads,
        Decoration::UTFEncodedKHR => Target::Bytes,
        Decoration::BindlessSamplerNV
        | Decoration::BindlessImageNV
        | Decoration::BoundSamplerNV
        | Decoration::BoundImageNV => Target::Handles,
        Decoration::SaturatedToLargestFloat8NormalConversionEXT => Target::Float8Conversion,
        _ => return None,
    })
}

/// A member cannot have it.
fn never_for_members(decoration: Decoration) -> bool {
    matches!(
        decoration,
        Decoration::SpecId
            | Decoration::Block
            | Decoration::BufferBlock
            | Decoration::ArrayStride
            | Decoration::ArrayStrideIdEXT
            | Decoration::GLSLShared
            | Decoration::GLSLPacked
            | Decoration::CPacked
            | Decoration::Aliased
            | Decoration::Constant
            | Decoration::Uniform
            | Decoration::UniformId
            | Decoration::SaturatedConversion
            | Decoration::Index
            | Decoration::Binding
            | Decoration::DescriptorSet
            | Decoration::FuncParamAttr
            | Decoration::FPRoundingMode
            | Decoration::FPFastMathMode
            | Decoration::LinkageAttributes
            | Decoration::NoContraction
            | Decoration::InputAttachmentIndex
            | Decoration::Alignment
            | Decoration::MaxByteOffset
            | Decoration::AlignmentId
            | Decoration::MaxByteOffsetId
            | Decoration::NoSignedWrap
            | Decoration::NoUnsignedWrap
            | Decoration::NonUniform
            | Decoration::RestrictPointer
            | Decoration::AliasedPointer
            | Decoration::CounterBuffer
            | Decoration::UTFEncodedKHR
            | Decoration::BankNV
            | Decoration::NodeMaxPayloadsAMDX
            | Decoration::NodeSharesPayloadLimitsWithAMDX
            | Decoration::PayloadNodeNameAMDX
            | Decoration::PayloadNodeBaseIndexAMDX
            | Decoration::PayloadNodeSparseArrayAMDX
            | Decoration::PayloadNodeArraySizeAMDX
            | Decoration::TrackFinishWritingAMDX
            | Decoration::MemberOffsetNV
            | Decoration::HitObjectShaderRecordBufferEXT
            | Decoration::HitObjectShaderRecordBufferNV
            | Decoration::SaturatedToLargestFloat8NormalConversionEXT
    )
}

/// A decoration of a member.
pub(super) fn of_member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, decoration: Decoration) -> Checked {
    if cx.env.is_vulkan() {
        crate::rules::vulkan::decorations::glsl(cx, inst, word, decoration)?;
    }
    cx.check_at(!never_for_members(decoration), &NOT_MEMBER, inst, word, || {
        format!("{decoration} cannot be applied to a member of a structure")
    })?;
    let built_in =
        (decoration == Decoration::BuiltIn && inst.op() == Op::MemberDecorate).then(|| BuiltIn(inst.word(4)));
    let heap = matches!(built_in, Some(BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT));
    cx.check_at(!heap, &BUILT_IN, inst, word, || {
        format!("{} is for variables, not for members of structures", built_in.unwrap_or_default())
    })?;
    if cx.env.is_vulkan() {
        crate::rules::vulkan::decorations::member(cx, inst, decoration)?;
    }
    vulkan_model(cx, inst, word, decoration)
}

fn vulkan_model<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, decoration: Decoration) -> Checked {
    let banned = matches!(decoration, Decoration::Coherent | Decoration::Volatile);
    cx.check_at(!banned || cx.m.memory_model() != MemoryModel::Vulkan, &VULKAN_MODEL, inst, word, || {
        msg(format!("{decoration} under the Vulkan memory model"))
            .help("say it at the accesses: MakePointerAvailable, MakePointerVisible, Volatile")
    })
}

fn target_rule<'a>(cx: &mut Cx<'a>, a: Applied<'a>, ok: bool, rule: &'static Rule, wanted: &str) -> Checked {
    let (m, target) = (cx.m, a.target);
    let op = m.info(target).op;
    cx.check_at(ok, rule, a.inst, a.word, || {
        msg(format!("{} is applied to {target}, the result of {op}, but must be applied to {wanted}", a.decoration))
            .declared(m, target)
    })
}

/// A decoration of a target as a whole.
pub(super) fn of_whole<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    if cx.env.is_vulkan() {
        crate::rules::vulkan::decorations::glsl(cx, a.inst, a.word, a.decoration)?;
    }
    let member_only = match a.decoration {
        Decoration::RowMajor
        | Decoration::ColMajor
        | Decoration::MatrixStride
        | Decoration::PayloadDispatchIndirectAMDX
        | Decoration::OffsetIdEXT => true,
        // Variables that transform feedback captures, or that are atomic counters, have offsets in GLSL.
        Decoration::Offset => !matches!(cx.m.info(a.target).op, Op::Variable | Op::UntypedVariableKHR),
        _ => false,
    };
    // Through a group it reaches whatever else the group is for.
    let grouped = a.inst.op() == Op::GroupDecorate;
    cx.check_at(!member_only || grouped, &MEMBER_ONLY, a.inst, a.word, || {
        format!("{} is for members of structures, but is applied to {} as a whole", a.decoration, a.target)
    })?;
    // Groups of kernels reach parameters that point to constant memory too.
    let exempt = grouped
        && a.decoration == Decoration::Constant
        && !cx.has(Capability::Shader)
        && cx.m.info(a.target).op == Op::FunctionParameter;
    if let Some(kind) = wanted(a.decoration).filter(|_| !exempt) {
        let ok = fits(cx, a.target, kind);
        let idle = matches!(kind, Target::Pointer | Target::Conversion | Target::Linked | Target::Float8Conversion);
        target_rule(cx, a, ok, if idle { &IDLE } else { &TARGET }, kind.name())?;
    }
    vulkan_model(cx, a.inst, a.word, a.decoration)?;
    match a.decoration {
        Decoration::BuiltIn => built_in(cx, a)?,
        Decoration::Uniform | Decoration::UniformId => uniform(cx, a)?,
        Decoration::RelaxedPrecision => {
            let ok = !cx.m.info(a.target).is_type();
            target_rule(cx, a, ok, &RELAXED, "an object or a member")?;
        }
        Decoration::LinkageAttributes => linkage(cx, a)?,
        Decoration::ArrayStrideIdEXT => stride_id(cx, a)?,
        _ => {}
    }
    if cx.env.is_vulkan() { crate::rules::vulkan::decorations::whole(cx, a) } else { Ok(()) }
}

fn fits(cx: &Cx<'_>, target: Id, kind: Target) -> bool {
    let m = cx.m;
    let info = m.info(target);
    let variable = matches!(info.op, Op::Variable | Op::UntypedVariableKHR);
    match kind {
        Target::Struct => info.op == Op::TypeStruct,
        Target::ArrayOrPointer => matches!(
            info.op,
            Op::TypeArray
                | Op::TypeRuntimeArray
                | Op::TypePointer
                | Op::TypeUntypedPointerKHR
                | Op::TypeNodePayloadArrayAMDX
        ),
        Target::Declaration => {
            let derived = matches!(info.op, Op::FunctionParameter | Op::BufferPointerEXT | Op::RawAccessChainNV);
            variable || derived && m.key(info.ty).is_pointer()
        }
        Target::Variable => variable,
        Target::Function => info.op == Op::Function,
        Target::Parameter => info.op == Op::FunctionParameter,
        Target::PointerParameter => info.op == Op::FunctionParameter && m.key(info.ty).is_pointer(),
        Target::Payloads => info.op == Op::TypeNodePayloadArrayAMDX,
        Target::SpecConstant => {
            matches!(info.op, Op::SpecConstantTrue | Op::SpecConstantFalse | Op::SpecConstant | Op::SpecConstantDataKHR)
        }
        // With MaskedGatherScatterINTEL there are vectors of pointers.
        Target::Pointer => m.key(info.ty).is_pointer() || m.has(Capability::MaskedGatherScatterINTEL),
        Target::Handles => variable && m.pointer(info.ty).is_none_or(|p| cx.parts(p.1).any(Parts::OPAQUE)),
        Target::Float8Conversion => {
            let converts = matches!(info.op, Op::FConvert | Op::ConvertSToF | Op::ConvertUToF);
            let key = m.key(info.ty);
            converts && key.component_class() == Scalar::EncodedFloat && key.width() == 8
        }
        Target::Linked => variable || info.op == Op::Function,
        Target::Bytes => match m.ty(target) {
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => {
                m.key(element).is_int() && m.key(element).width() == 8
            }
            _ => false,
        },
        Target::Conversion => {
            let converts = info.op.desc().is_some_and(|d| d.class == Class::Conversion);
            let saturates = matches!(info.op, Op::SatConvertUToS | Op::SatConvertSToU);
            converts && !saturates && m.key(info.ty).component_class() == Scalar::Int
        }
    }
}

fn built_in<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let info = cx.m.info(a.target);
    let built_in = BuiltIn(a.operands.first().copied().unwrap_or(0));
    if built_in == BuiltIn::WorkgroupSize && cx.has(Capability::Shader) {
        return target_rule(cx, a, info.is_constant(), &BUILT_IN, "a constant");
    }
    let ok = matches!(info.op, Op::Variable | Op::UntypedVariableKHR);
    target_rule(cx, a, ok, &BUILT_IN, "a variable or a member of a structure")
}

fn uniform<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let ty = m.type_id_of(a.target);
    let ok = ty != Id(0) && m.key(ty).shape() != Shape::Void;
    target_rule(cx, a, ok, &UNIFORM, "an object with a value")?;
    if a.decoration == Decoration::UniformId { super::numeric::uniform_scope(cx, a) } else { Ok(()) }
}

fn linkage<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let info = m.info(a.target);
    let ok = match info.op {
        Op::Function => true,
        Op::Variable | Op::UntypedVariableKHR => !info.is_local(),
        _ => true,
    };
    target_rule(cx, a, ok, &LINKAGE, "a function or module-scope variable")?;
    let entry = info.op == Op::Function && m.entry_points().any(|e| e.function == a.target);
    cx.check_at(!entry, &LINKAGE, a.inst, a.word, || format!("{} is an entry point", a.target))
}

fn stride_id<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let array = matches!(cx.m.info(a.target).op, Op::TypeArray | Op::TypeRuntimeArray);
    let (inner, _) = without_arrays(cx.m, a.target);
    let ok = array && cx.parts(inner).any(Parts::OPAQUE.or(Parts::DESCRIPTOR));
    target_rule(cx, a, ok, &STRIDE_ID, "an array of descriptors")?;
    let stride = a.operands.first().map(|w| Id(*w)).unwrap_or_default();
    cx.check_at(cx.m.fixed_u32(stride) != Some(0), &STRIDE_ID, a.inst, a.word, || format!("the stride {stride} is 0"))
}

/// `OffsetIdEXT` on a member.
pub(super) fn offset_id<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ok = match cx.m.ty(inst.id(1)) {
        Some(Type::Struct { members }) => {
            members.iter().any(|t| cx.parts(Id(*t)).any(Parts::OPAQUE.or(Parts::DESCRIPTOR)))
        }
        _ => true,
    };
    cx.check_at(ok, &OFFSET_ID, inst, 1, || format!("the structure {} has no descriptors", inst.id(1)))?;
    let m = cx.m;
    let value = m.fixed_u32(inst.id(4));
    let before = m.decorations(inst.id(1)).take_while(|d| d.member.is_some_and(|n| n < inst.word(2))).take(64);
    let mut offsets = before.filter(|d| d.decoration == Decoration::OffsetIdEXT).map(|d| m.fixed_u32(Id(d.operand())));
    let taken = value.is_some() && offsets.any(|o| o == value);
    cx.check_at(!taken, &OFFSET_ID, inst, 4, || {
        format!("another member of {} has the offset {}", inst.id(1), value.unwrap_or(0))
    })
}
