//! Instructions of extensions that ask little: kinds of operands, storage classes, constants.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Dim, ImageOperands, Op, StorageClass};
use spirula_module::{Module, Scalar, Shape, Type, TypeKey};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::Parts;
use crate::rules::operand::{Is, name_of, operand, operands, result};
use crate::rules::scopes::{self, Execution};
use crate::signature::{OPERAND, RESULT, describe};

rules! {
    group "vendor";
    /// OpSizeOf asks for the size of a concrete type: numbers, physical pointers and what is made of these. Booleans, void
    /// and opaque types have none.
    SIZE_OF: "size-of-concrete", spec "OpSizeOf";
    /// Memory is prefetched from CrossWorkgroup.
    PREFETCH_CLASS: "prefetch-class", extension "SPV_KHR_untyped_pointers";
    /// The operands RW (0 or 1), Locality (0 to 3) and Cache Type (0 or 1) of a prefetch are all there, or none.
    PREFETCH: "prefetch-operands", extension "SPV_KHR_untyped_pointers";
    /// What only the compiler can decide is given by constant instructions: sizes of blocks, kinds of prefetching, tables
    /// of bitwise functions.
    CONSTANT: "operand-constant", extension "SPV_INTEL_2d_block_io and others";
    /// Two-dimensional blocks are moved between CrossWorkgroup and Function memory: elements of 1, 2, 4 or 8 bytes, whole
    /// words in a row.
    BLOCK_2D: "block-2d-class", extension "SPV_INTEL_2d_block_io";
    /// A block is read and written through a pointer to the scalar that it consists of.
    BLOCK: "subgroup-block-type", extension "SPV_INTEL_subgroups";
    /// Blocks are read from and written to images whose Sampled is 0 or 2.
    BLOCK_IMAGE: "subgroup-block-image", extension "SPV_INTEL_subgroups";
    /// Arrays of variable length, and the state that frees them, are of the storage class Function.
    VLA: "variable-length-class", extension "SPV_INTEL_variable_length_array";
    /// Pointers are cast between CrossWorkgroup and the memory of device or host, with the same pointee.
    USM: "usm-cast", extension "SPV_ALTERA_usm_storage_classes";
    /// The mask, the pointers and the values of a gather or scatter have as many components, and the pointers lead to the
    /// values.
    MASKED: "masked-access-size", extension "SPV_INTEL_masked_gather_scatter";
    /// A footprint is a structure of six members: a Boolean, three vectors and two scalars of unsigned integers.
    FOOTPRINT: "image-footprint-type", extension "SPV_NV_shader_image_footprint";
    /// Footprints are those of images of two or three dimensions, neither arrayed nor multisampled.
    FOOTPRINT_IMAGE: "image-footprint-image", extension "SPV_NV_shader_image_footprint";
    /// A footprint's granularity is none of the reserved values, and of the image operands there are Bias, Lod, Grad and
    /// MinLod, Grad for two dimensions.
    FOOTPRINT_OPERANDS: "image-footprint-operands", extension "SPV_NV_shader_image_footprint";
    /// Fragments and their masks are fetched from multisampled images of the dimension 2D or SubpassData.
    FRAGMENT_IMAGE: "fragment-mask-image", extension "SPV_AMD_shader_fragment_mask";
    /// A buffer descriptor is for storage in Uniform or StorageBuffer.
    BUFFER: "type-buffer-class", extension "SPV_EXT_descriptor_heap";
    /// What continues a structure type or a composite stands directly behind what it continues.
    CONTINUED: "continued-place", extension "SPV_INTEL_long_composites";
    /// `OpLoopControlINTEL` stands directly before the branch that ends its block.
    LOOP_CONTROL: "loop-control-place", extension "SPV_INTEL_unstructured_loop_controls";
}

pub(crate) const TABLE: Table = rule_table! {
    SizeOf => size_of;
    FreezeKHR | FPGARegALTERA => |cx, inst| operand(cx, inst, 3, Is::Same);
    ArithmeticFenceEXT => |cx, inst| { operand(cx, inst, 3, Is::Same)?; result(cx, inst, Is::Floats) };
    UntypedPrefetchKHR => prefetch;
    SubgroupBlockPrefetchINTEL => block_prefetch;
    UntypedGroupAsyncCopyKHR => async_copy;
    ConvertFToBF16INTEL => |cx, inst| { width(cx, inst, 1, Is::Ints, 16)?; as_many(cx, inst, Is::Floats, 32) };
    ConvertBF16ToFINTEL => |cx, inst| { width(cx, inst, 1, Is::Floats, 32)?; as_many(cx, inst, Is::Ints, 16) };
    UCountLeadingZerosINTEL | UCountTrailingZerosINTEL | UMul32x16INTEL => |cx, inst| width(cx, inst, 1, Is::UInts, 32);
    BitwiseFunctionINTEL => bitwise_function;
    SubgroupBlockReadINTEL | SubgroupBlockWriteINTEL => block;
    SubgroupImageBlockReadINTEL | SubgroupImageMediaBlockReadINTEL => |cx, inst| block_image(cx, inst, 3);
    SubgroupImageBlockWriteINTEL | SubgroupImageMediaBlockWriteINTEL => |cx, inst| block_image(cx, inst, 1);
    Subgroup2DBlockLoadINTEL | Subgroup2DBlockLoadTransformINTEL | Subgroup2DBlockLoadTransposeINTEL
        | Subgroup2DBlockPrefetchINTEL => |cx, inst| block_2d(cx, inst, (5, 10), 6);
    Subgroup2DBlockStoreINTEL => |cx, inst| block_2d(cx, inst, (6, 5), 7);
    SubgroupMatrixMultiplyAccumulateINTEL => multiply_accumulate;
    VariableLengthArrayINTEL | UntypedVariableLengthArrayINTEL => variable_length;
    SaveMemoryINTEL => |cx, inst| class_of_result(cx, inst, &VLA, StorageClass::Function);
    RestoreMemoryINTEL => |cx, inst| class(cx, inst, 1, &VLA, StorageClass::Function);
    MaskedGatherINTEL | MaskedScatterINTEL => masked;
    PtrCastToCrossWorkgroupALTERA | CrossWorkgroupCastToPtrALTERA => usm_cast;
    TaskSequenceCreateALTERA => |cx, inst| result(cx, inst, Is::Type(Op::TypeTaskSequenceALTERA));
    TaskSequenceGetALTERA => |cx, inst| operand(cx, inst, 3, Is::Type(Op::TypeTaskSequenceALTERA));
    TaskSequenceAsyncALTERA | TaskSequenceReleaseALTERA => |cx, inst| operand(cx, inst, 1, Is::Type(Op::TypeTaskSequenceALTERA));
    ArbitraryFloatGTALTERA | ArbitraryFloatGEALTERA | ArbitraryFloatLTALTERA | ArbitraryFloatLEALTERA
        | ArbitraryFloatEQALTERA => |cx, inst| result(cx, inst, Is::Bool);
    ArbitraryFloatCastALTERA | ArbitraryFloatCastFromIntALTERA | ArbitraryFloatCastToIntALTERA
        | ArbitraryFloatAddALTERA | ArbitraryFloatSubALTERA | ArbitraryFloatMulALTERA | ArbitraryFloatDivALTERA
        | ArbitraryFloatRecipALTERA | ArbitraryFloatRSqrtALTERA | ArbitraryFloatCbrtALTERA
        | ArbitraryFloatHypotALTERA | ArbitraryFloatSqrtALTERA => |cx, inst| result(cx, inst, Is::Int);
    ArbitraryFloatLogINTEL | ArbitraryFloatLog2INTEL | ArbitraryFloatLog10INTEL | ArbitraryFloatLog1pINTEL | ArbitraryFloatExpINTEL | ArbitraryFloatExp2INTEL | ArbitraryFloatExp10INTEL | ArbitraryFloatExpm1INTEL | ArbitraryFloatSinINTEL | ArbitraryFloatCosINTEL | ArbitraryFloatSinPiINTEL | ArbitraryFloatCosPiINTEL | ArbitraryFloatASinINTEL | ArbitraryFloatASinPiINTEL | ArbitraryFloatACosINTEL | ArbitraryFloatACosPiINTEL | ArbitraryFloatATanINTEL | ArbitraryFloatATanPiINTEL | ArbitraryFloatATan2INTEL | ArbitraryFloatPowINTEL | ArbitraryFloatPowRINTEL | ArbitraryFloatPowNINTEL => |cx, inst| result(cx, inst, Is::Int);
    ArbitraryFloatSinCosINTEL | ArbitraryFloatSinCosPiALTERA | FixedSinCosALTERA | FixedSinCosPiALTERA => sine_and_cosine;
    FixedSqrtALTERA | FixedRecipALTERA | FixedRsqrtALTERA | FixedSinALTERA | FixedCosALTERA | FixedSinPiALTERA
        | FixedCosPiALTERA | FixedLogALTERA | FixedExpALTERA => |cx, inst| result(cx, inst, Is::Int);
    ImageSampleFootprintNV => footprint;
    FragmentMaskFetchAMD | FragmentFetchAMD => fragment;
    ConvertUToImageNV => |cx, inst| from_handle(cx, inst, Op::TypeImage);
    ConvertUToSamplerNV => |cx, inst| from_handle(cx, inst, Op::TypeSampler);
    ConvertUToSampledImageNV => |cx, inst| from_handle(cx, inst, Op::TypeSampledImage);
    ConvertImageToUNV => |cx, inst| to_handle(cx, inst, Op::TypeImage);
    ConvertSamplerToUNV => |cx, inst| to_handle(cx, inst, Op::TypeSampler);
    ConvertSampledImageToUNV => |cx, inst| to_handle(cx, inst, Op::TypeSampledImage);
    TypeBufferEXT => buffer;
    LoopControlINTEL => loop_control;
    TypeStructContinuedINTEL => |cx, inst| continued(cx, inst, Op::TypeStruct);
    ConstantCompositeContinuedINTEL => |cx, inst| continued(cx, inst, Op::ConstantComposite);
    SpecConstantCompositeContinuedINTEL => |cx, inst| continued(cx, inst, Op::SpecConstantComposite);
    CompositeConstructContinuedINTEL => |cx, inst| continued(cx, inst, Op::CompositeConstruct);
};

/// The text wants a pointer; the compilers of OpenCL give the pointer's type.
fn size_of<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32)?;
    if cx.m.key(inst.id(3)).is_pointer() {
        return Ok(());
    }
    operand(cx, inst, 3, Is::Pointer)?;
    let (m, id) = (cx.m, inst.id(3));
    let Some((_, pointee)) = m.pointer(m.type_id_of(id)) else { return Ok(()) };
    let sizeless = Parts::VOID.or(Parts::BOOL).or(Parts::OPAQUE).or(Parts::LOGICAL_POINTER);
    cx.check_at(!cx.parts(pointee).any(sizeless), &SIZE_OF, inst, 3, || {
        msg(format!("{id} points to {}, which is or contains what has no size", describe(m, pointee))).declared(m, id)
    })
}

/// The operand at `word` points into a storage class.
fn class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, rule: &'static Rule, wanted: StorageClass) -> Checked {
    operand(cx, inst, word, Is::Pointer)?;
    let ty = cx.type_at(inst, word)?;
    let (m, id) = (cx.m, inst.id(word));
    let Some((class, _)) = m.pointer(ty) else { return Ok(()) };
    cx.check_at(class == wanted, rule, inst, word, || {
        msg(format!("{} {id} points into {class}, but must point into {wanted}", name_of(inst, word))).declared(m, id)
    })
}

fn class_of_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, rule: &'static Rule, wanted: StorageClass) -> Checked {
    result(cx, inst, Is::Pointer)?;
    let Some((class, _)) = cx.m.pointer(inst.id(1)) else { return Ok(()) };
    cx.check_at(class == wanted, rule, inst, 1, || {
        format!("the Result Type {} points into {class}, but must point into {wanted}", inst.id(1))
    })
}

/// Operands from `first` on are what constant instructions with the wanted type give.
fn constants<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, words: core::ops::Range<usize>, is: Is) -> Checked {
    for word in words.start..words.end.min(inst.words().len()) {
        operand(cx, inst, word, is)?;
        let (m, id) = (cx.m, inst.id(word));
        cx.check_at(m.info(id).is_constant(), &CONSTANT, inst, word, || {
            let name = name_of(inst, word);
            msg(format!("{name} {id} is the result of {}, no constant instruction", m.info(id).op)).declared(m, id)
        })?;
    }
    Ok(())
}

fn prefetch<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    class(cx, inst, 1, &PREFETCH_CLASS, StorageClass::CrossWorkgroup)?;
    operand(cx, inst, 2, Is::Int)?;
    constants(cx, inst, 3..6, Is::Int)?;
    let given = inst.tail(3).len();
    cx.check(given == 0 || given >= 3, &PREFETCH, inst, || {
        format!("{given} of the operands RW, Locality and Cache Type, which stand together")
    })?;
    for (word, most) in [(3, 1), (4, 3), (5, 1)] {
        let Some(value) = cx.m.int_constant(inst.id(word)).filter(|c| given > 0 && !c.spec) else { continue };
        cx.check_at(value.as_unsigned().is_some_and(|v| v <= most), &PREFETCH, inst, word, || {
            let (name, id) = (name_of(inst, word), inst.id(word));
            format!("{name} {id} is {}, but must be at most {most}", value.bits as i64)
        })?;
    }
    Ok(())
}

fn block_prefetch<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    class(cx, inst, 1, &PREFETCH_CLASS, StorageClass::CrossWorkgroup)?;
    constants(cx, inst, 2..3, Is::UInt32)?;
    let m = cx.m;
    let ty = cx.type_at(inst, 1)?;
    let pointee = m.pointer(ty).map_or(spirula_binary::Id(0), |p| p.1);
    let ok = pointee == spirula_binary::Id(0) || m.key(pointee).is_int();
    cx.check_at(ok, &OPERAND, inst, 1, || {
        format!("{} points to {}, but must point to an integer", inst.id(1), describe(m, pointee))
    })
}

fn async_copy<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Any)?;
    result(cx, inst, Is::Type(Op::TypeEvent))?;
    let untyped = Is::Type(Op::TypeUntypedPointerKHR);
    operands(cx, inst, 4, &[untyped, untyped])?;
    let (m, destination, source) = (cx.m, cx.type_at(inst, 4)?, cx.type_at(inst, 5)?);
    let (Some((to, _)), Some((from, _))) = (m.pointer(destination), m.pointer(source)) else { return Ok(()) };
    let other = match to {
        StorageClass::Workgroup => Some(StorageClass::CrossWorkgroup),
        StorageClass::CrossWorkgroup => Some(StorageClass::Workgroup),
        _ => None,
    };
    let rule = &crate::rules::group::COPY_STORAGE;
    cx.check_at(other == Some(from), rule, inst, 4, || {
        format!("the copy is from {from} to {to}, but must be between Workgroup and CrossWorkgroup")
    })?;
    operands(cx, inst, 6, &[Is::Address, Is::Address, Is::Address, Is::Type(Op::TypeEvent)])
}

/// The type at `word` (the Result Type for 1) is of a kind, with components of a width.
fn width<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, is: Is, wanted: u32) -> Checked {
    let (ty, rule) = if word == 1 { (inst.id(1), &RESULT) } else { (cx.type_at(inst, word)?, &OPERAND) };
    let key = cx.key(ty)?;
    let m = cx.m;
    cx.check_at(is.accepts(m, ty, ty) && key.width() == wanted, rule, inst, word, || {
        let what = if is == Is::Floats { "floats" } else { "integers" };
        let name = if word == 1 { "the Result Type" } else { name_of(inst, word) };
        format!("{name} is {}, but must be of {wanted}-bit {what}", describe(m, ty))
    })
}

/// The operand has as many components as the Result Type.
fn as_many<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, is: Is, wanted: u32) -> Checked {
    width(cx, inst, 3, is, wanted)?;
    let (key, result) = (cx.key_at(inst, 3)?, cx.result_key(inst)?);
    let same = (key.shape(), key.count()) == (result.shape(), result.count());
    cx.check_at(same, &OPERAND, inst, 3, || {
        format!("{} has {} components, but the Result Type has {}", name_of(inst, 3), key.count(), result.count())
    })
}

fn sine_and_cosine<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    let m = cx.m;
    cx.check_at(two_ints(key), &RESULT, inst, 1, || {
        format!("the Result Type is {}, but must be a vector of 2 integers", describe(m, inst.id(1)))
    })
}

fn two_ints(key: TypeKey) -> bool {
    key.shape() == Shape::Vector && key.component_class() == Scalar::Int && key.count() == 2
}

fn bitwise_function<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Ints)?;
    operands(cx, inst, 3, &[Is::Same, Is::Same, Is::Same])?;
    constants(cx, inst, 6..7, Is::Int32)
}

/// A block of the scalars to which a pointer points.
fn block<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (at, value) = match inst.op() {
        Op::SubgroupBlockReadINTEL => (3, cx.result_key(inst)?),
        _ => (1, cx.key_at(inst, 2)?),
    };
    operand(cx, inst, at, Is::Type(Op::TypePointer))?;
    let pointer = cx.type_at(inst, at)?;
    let m = cx.m;
    let Some((_, pointee)) = m.pointer(pointer) else { return Ok(()) };
    let key = m.key(pointee);
    let fits = matches!(value.shape(), Shape::Scalar | Shape::Vector) && value.component() == key;
    cx.check_at(fits, &BLOCK, inst, at, || {
        let (id, pointee) = (inst.id(at), describe(m, pointee));
        format!("{} {id} points to {pointee}, which is not the scalar that the block consists of", name_of(inst, at))
    })
}

/// A block of an image, which stands at word `at`; its coordinate follows.
fn block_image<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, at: usize) -> Checked {
    operands(cx, inst, at, &[Is::Type(Op::TypeImage), Is::Ints])?;
    let ty = cx.type_at(inst, at)?;
    let Some(Type::Image(image)) = cx.m.ty(ty) else { return Ok(()) };
    cx.check_at(matches!(image.sampled, 0 | 2), &BLOCK_IMAGE, inst, at, || {
        format!("Image {} has a type whose Sampled is {}, but must be 0 or 2", inst.id(at), image.sampled)
    })
}

/// Blocks of two dimensions: words of the pointers into CrossWorkgroup and Function memory, and of the memory's extent.
fn block_2d<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, pointers: (usize, usize), extent: usize) -> Checked {
    constants(cx, inst, 1..5, Is::Int32)?;
    let (size, width) = (cx.m.fixed_u32(inst.id(1)), cx.m.fixed_u32(inst.id(2)));
    let sized = size.is_none_or(|n| matches!(n, 1 | 2 | 4 | 8));
    cx.check_at(sized, &BLOCK_2D, inst, 1, || format!("the Element Size is {}", size.unwrap_or(0)))?;
    let per = match size {
        Some(1) => 4,
        Some(2) => 2,
        _ => 1,
    };
    cx.check_at(width.is_none_or(|n| n.is_multiple_of(per)), &BLOCK_2D, inst, 2, || {
        format!("the Block Width is {}, which is no multiple of {per}", width.unwrap_or(0))
    })?;
    class(cx, inst, pointers.0, &BLOCK_2D, StorageClass::CrossWorkgroup)?;
    if inst.words().len() > pointers.1 {
        class(cx, inst, pointers.1, &BLOCK_2D, StorageClass::Function)?;
    }
    operands(cx, inst, extent, &[Is::Int, Is::Int, Is::Int])?;
    let word = extent + 3;
    let key = cx.key_at(inst, word)?;
    let m = cx.m;
    cx.check_at(two_ints(key), &OPERAND, inst, word, || {
        let ty = describe(m, m.type_id_of(inst.id(word)));
        format!("Coordinate {} has type {ty}, but must be a vector of 2 integers", inst.id(word))
    })
}

fn multiply_accumulate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Value)?;
    constants(cx, inst, 3..4, Is::Int32)?;
    operands(cx, inst, 4, &[Is::Value, Is::Value, Is::Value])
}

fn variable_length<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (op, length) = match inst.op() {
        Op::VariableLengthArrayINTEL => (Op::TypePointer, 3),
        _ => (Op::TypeUntypedPointerKHR, 4),
    };
    result(cx, inst, Is::Type(op))?;
    class_of_result(cx, inst, &VLA, StorageClass::Function)?;
    operand(cx, inst, length, Is::Int)
}

/// Number of components of the vector type of the value at `word`; 0 for other types.
fn components(m: Module<'_>, inst: Inst<'_>, word: usize) -> u32 {
    match m.type_of_value(inst.id(word)) {
        Some(Type::Vector { count, .. }) => count,
        _ => 0,
    }
}

fn masked<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let gather = inst.op() == Op::MaskedGatherINTEL;
    let (pointers, mask) = if gather { (3, 5) } else { (2, 4) };
    let value = match (gather, cx.m.ty(inst.id(1))) {
        (true, Some(Type::Vector { count, .. })) => count,
        (true, _) => return result(cx, inst, Is::Type(Op::TypeVector)),
        (false, _) => {
            operand(cx, inst, 1, Is::Type(Op::TypeVector))?;
            components(cx.m, inst, 1)
        }
    };
    operands(cx, inst, pointers, &[Is::Type(Op::TypeVector)])?;
    operand(cx, inst, mask, Is::Bools)?;
    for word in [pointers, mask] {
        let count = components(cx.m, inst, word);
        cx.check_at(count == value, &MASKED, inst, word, || {
            format!("{} {} has {count} components, but there are {value} values", name_of(inst, word), inst.id(word))
        })?;
    }
    let m = cx.m;
    let values = if gather { inst.id(1) } else { cx.type_at(inst, 1)? };
    let element = |ty| match m.ty(ty) {
        Some(Type::Vector { component, .. }) => component,
        _ => spirula_binary::Id(0),
    };
    let pointed = m.pointer(element(cx.type_at(inst, pointers)?)).map(|p| p.1);
    let fits = pointed.is_none_or(|p| p == spirula_binary::Id(0) || p == element(values));
    cx.check_at(fits, &MASKED, inst, pointers, || {
        format!("{} points to something else than the components of {values}", inst.id(pointers))
    })?;
    let fill = if gather { cx.type_at(inst, 6)? } else { values };
    cx.check_at(fill == values || fill == element(values), &MASKED, inst, 6, || {
        format!("{} has type {fill}, neither {values} nor its components'", inst.id(6))
    })
}

fn usm_cast<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Type(Op::TypePointer))?;
    operand(cx, inst, 3, Is::Type(Op::TypePointer))?;
    let (m, ty) = (cx.m, cx.type_at(inst, 3)?);
    let (Some((to, new)), Some((from, old))) = (m.pointer(inst.id(1)), m.pointer(ty)) else { return Ok(()) };
    let usm = |c| matches!(c, StorageClass::DeviceOnlyALTERA | StorageClass::HostOnlyALTERA);
    let fits = match inst.op() {
        Op::PtrCastToCrossWorkgroupALTERA => usm(from) && to == StorageClass::CrossWorkgroup,
        _ => from == StorageClass::CrossWorkgroup && usm(to),
    };
    cx.check(fits, &USM, inst, || format!("{} casts from {from} to {to}", inst.op()))?;
    cx.check(new == old, &USM, inst, || {
        format!("the cast is from a pointer to {} to a pointer to {}", describe(m, old), describe(m, new))
    })
}

fn footprint<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    operands(cx, inst, 3, &[Is::Type(Op::TypeSampledImage), Is::Floats, Is::Int, Is::Bool])?;
    constants(cx, inst, 6..7, Is::Bool)?;
    let (m, sampled) = (cx.m, cx.type_at(inst, 3)?);
    if let Some(Type::SampledImage { image }) = m.ty(sampled)
        && let Some(Type::Image(image)) = m.ty(image)
    {
        footprint_operands(cx, inst, image.dim)?;
        let fits = matches!(image.dim, Dim::Dim2D | Dim::Dim3D) && (image.arrayed, image.ms) == (0, 0);
        cx.check_at(fits, &FOOTPRINT_IMAGE, inst, 3, || {
            let (arrayed, ms) = (image.arrayed, image.ms);
            format!("the image has Dim {}, Arrayed {arrayed} and MS {ms}", image.dim)
        })?;
    }
    let count = cx.key_at(inst, 4)?.count();
    let members = match m.ty(inst.id(1)) {
        Some(Type::Struct { members }) => members,
        _ => return result(cx, inst, Is::Type(Op::TypeStruct)),
    };
    let uints = |key: TypeKey, n: u32| {
        key.component_class() == Scalar::Int && !key.is_signed() && key.count() == n && key.shape() != Shape::Matrix
    };
    let fits = |index: usize, key: TypeKey| match index {
        0 => key.is_bool(),
        1 | 2 => uints(key, count),
        3 => uints(key, 2),
        _ => uints(key, 1),
    };
    let wrong = members.iter().enumerate().position(|(i, ty)| !fits(i, m.key(spirula_binary::Id(*ty))));
    cx.check_at(members.len() == 6 && wrong.is_none(), &FOOTPRINT, inst, 1, || match wrong {
        Some(index) => format!("member {index} of the Result Type is not what a footprint has there"),
        None => format!("the Result Type has {} members, but a footprint has 6", members.len()),
    })
}

/// Granularity and image operands, for images of a dimension.
fn footprint_operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, dim: Dim) -> Checked {
    let flat = dim == Dim::Dim2D;
    let known = |n| if flat { matches!(n, 1..=7 | 11..=15) } else { matches!(n, 1 | 3 | 10..=14) };
    let granularity = cx.m.fixed_u32(inst.id(5));
    cx.check_at(granularity.is_none_or(known), &FOOTPRINT_OPERANDS, inst, 5, || {
        format!("the Granularity {} is reserved for Dim {dim}", granularity.unwrap_or(0))
    })?;
    let (bias, lod, grad, least) =
        (ImageOperands::Bias.0, ImageOperands::Lod.0, ImageOperands::Grad.0, ImageOperands::MinLod.0);
    let mask = inst.word(7);
    let fits = mask & !(bias | least) == 0 || mask == lod || flat && mask & !least == grad;
    cx.check_at(fits, &FOOTPRINT_OPERANDS, inst, 7, || {
        format!("the image operands {} do not go together for a footprint of Dim {dim}", ImageOperands(mask))
    })
}

fn fragment<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if inst.op() == Op::FragmentMaskFetchAMD {
        result(cx, inst, Is::UInt32)?;
    } else {
        let key = cx.result_key(inst)?;
        let four = key.shape() == Shape::Vector
            && key.count() == 4
            && matches!(key.component_class(), Scalar::Int | Scalar::Float);
        cx.check_at(four, &RESULT, inst, 1, || "the Result Type must be a vector of 4 numbers")?;
    }
    operands(cx, inst, 3, &[Is::Type(Op::TypeImage), Is::Ints, Is::Int])?;
    let ty = cx.type_at(inst, 3)?;
    let Some(Type::Image(image)) = cx.m.ty(ty) else { return Ok(()) };
    let fits = image.ms == 1 && matches!(image.dim, Dim::Dim2D | Dim::SubpassData);
    cx.check_at(fits, &FRAGMENT_IMAGE, inst, 3, || {
        format!("Image {} has a type of Dim {} and MS {}", inst.id(3), image.dim, image.ms)
    })?;
    let sampled = cx.m.key(image.sampled_type);
    let component = cx.result_key(inst)?;
    let same = sampled.shape() == Shape::Void
        || component.component_class() == sampled.component_class()
            && component.width() == sampled.width()
            && component.is_signed() == sampled.is_signed();
    let (m, fetches) = (cx.m, inst.op() == Op::FragmentFetchAMD);
    cx.check_at(!fetches || same, &FRAGMENT_IMAGE, inst, 1, || {
        format!("the components of {} are not the Sampled Type {}", inst.id(1), describe(m, image.sampled_type))
    })?;
    let (given, least) = (cx.key_at(inst, 4)?.count().max(1), 2 + u32::from(image.arrayed == 1));
    cx.check_at(given >= least, &FRAGMENT_IMAGE, inst, 4, || {
        format!("the Coordinate has {given} components, but needs {least}")
    })
}

/// Whether a type can hold a handle: 64 bits, in one or two integers, or 32 bits, as the module's addressing mode says.
fn is_handle(m: Module<'_>, ty: spirula_binary::Id) -> bool {
    let mode = m.global_insts().take(1 << 10).find(|i| i.op() == Op::SamplerImageAddressingModeNV).map(|i| i.word(1));
    mode != Some(32) && Is::UInt64OrPair.accepts(m, ty, ty) || mode != Some(64) && Is::UInt32.accepts(m, ty, ty)
}

fn from_handle<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, made: Op) -> Checked {
    // Compilers make images of texels, which have no sampler, with the instruction for sampled images.
    let image = made == Op::TypeSampledImage && cx.m.info(inst.id(1)).op == Op::TypeImage;
    if !image {
        result(cx, inst, Is::Type(made))?;
    }
    let (ty, m) = (cx.type_at(inst, 3)?, cx.m);
    cx.check_at(is_handle(m, ty), &OPERAND, inst, 3, || {
        format!(
            "Operand {} has type {}, but must be an unsigned integer as wide as handles",
            inst.id(3),
            describe(m, ty)
        )
    })
}

fn to_handle<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, from: Op) -> Checked {
    operand(cx, inst, 3, Is::Type(from))?;
    cx.result_key(inst)?;
    let m = cx.m;
    cx.check_at(is_handle(m, inst.id(1)), &RESULT, inst, 1, || {
        format!("the Result Type is {}, but must be an unsigned integer as wide as handles", describe(m, inst.id(1)))
    })
}

fn buffer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let class = StorageClass(inst.word(2));
    let fits = matches!(class, StorageClass::Uniform | StorageClass::StorageBuffer);
    cx.check_at(fits, &BUFFER, inst, 2, || {
        format!("the Storage Class is {class}, but must be Uniform or StorageBuffer")
    })
}

fn continued<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, what: Op) -> Checked {
    let offsets = cx.m.inst_offsets();
    let before = offsets.partition_point(|at| *at < inst.offset()).checked_sub(1).and_then(|i| offsets.get(i));
    let before = before.and_then(|at| cx.m.inst_at(*at)).map(|i| i.op());
    let fits = before.is_some_and(|op| op == what || op == inst.op());
    cx.check(fits, &CONTINUED, inst, || format!("{} does not follow {what} or its own kind", inst.op()))
}

fn loop_control<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let next = cx.m.inst_at(inst.offset() + inst.words().len() as u32);
    let fits = next.is_some_and(|n| matches!(n.op(), Op::Branch | Op::BranchConditional));
    cx.check(fits, &LOOP_CONTROL, inst, || match next {
        Some(next) => format!("behind {} stands {}, not a branch", inst.op(), next.op()),
        None => format!("nothing stands behind {}", inst.op()),
    })
}
