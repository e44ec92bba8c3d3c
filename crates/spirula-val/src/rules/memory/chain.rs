//! Access chains with typed pointers.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Capability, Decoration, Op, StorageClass};
use spirula_module::Module;

use super::{Pointer, describe, not_a_texel, pointer_at};
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};
use crate::rules::limits::CHAIN_INDEXES;

rules! {
    group "memory";
    /// An access chain starts at a pointer and gives a pointer.
    BASE: "access-chain-base", spec "OpAccessChain";
    /// An access chain does not change the storage class.
    CLASS: "access-chain-class", spec "OpAccessChain";
    /// The Result Type points to the type that the indexes lead to.
    RESULT: "access-chain-result", spec "OpAccessChain";
    /// Indexes are integer scalars.
    INDEX_TYPE: "access-chain-index-type", spec "OpAccessChain";
    /// Indexes select parts of composites: none may be left when a type without parts is reached.
    TOO_DEEP: "access-chain-too-deep", spec "OpAccessChain";
    /// The member of a structure is chosen by a constant: otherwise the result would have no type.
    MEMBER_CONSTANT: "access-chain-member-constant", spec "OpAccessChain";
    /// The chosen member exists.
    MEMBER_RANGE: "access-chain-member-range", spec "OpAccessChain";
    /// Constant indexes are not negative, as far as logical pointers are concerned.
    NEGATIVE: "access-chain-negative-index", spec "§2.16.1";
    /// The Element of OpPtrAccessChain is an integer scalar.
    ELEMENT: "ptr-access-chain-element", spec "OpPtrAccessChain";
    /// Stepping from element to element needs a stride: the pointer's type is decorated ArrayStride where the storage
    /// class is laid out explicitly.
    STRIDE: "ptr-access-chain-stride", spec "OpPtrAccessChain";
    /// A pointer to an element of an array steps by the array's stride: where its type is decorated ArrayStride, the array
    /// is so too, with the same distance. A warning, since compilers keep one pointer type for arrays of several strides.
    ELEMENT_STRIDE: "access-chain-array-stride", warn spec "OpAccessChain";
    /// There is no element before or behind a block.
    BLOCK_ELEMENT: "ptr-access-chain-block", spec "OpPtrAccessChain";
    /// OpPtrAccessChain starts at a pointer to Workgroup, StorageBuffer or PhysicalStorageBuffer.
    VULKAN_CLASS: "vulkan-ptr-access-chain-class", vuid "VUID-StandaloneSpirv-Base-07650";
    /// OpPtrAccessChain on Workgroup memory needs capability VariablePointers.
    VULKAN_WORKGROUP: "vulkan-ptr-access-chain-workgroup", vuid "VUID-StandaloneSpirv-Base-07651";
    /// OpPtrAccessChain on storage buffers needs a variable-pointers capability.
    VULKAN_STORAGE: "vulkan-ptr-access-chain-storage", vuid "VUID-StandaloneSpirv-Base-07652";
}

pub(super) fn access_chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    let Some((class, pointee)) = m.pointer(result).filter(|p| p.1 != Id(0)) else {
        cx.key(result)?;
        return cx
            .fail_at(&RESULT, inst, 1, || format!("the Result Type {} is not OpTypePointer", describe(m, result)));
    };
    let base = pointer_at(cx, inst, 3, &BASE)?;
    cx.check_at(!base.is_untyped(), &BASE, inst, 3, || {
        msg(format!("{} is an untyped pointer", inst.id(3))).help("use OpUntypedAccessChainKHR")
    })?;
    cx.check_at(class == base.class, &CLASS, inst, 1, || {
        format!("the Result Type points to {class}, but the Base {} to {}", inst.id(3), base.class)
    })?;
    let by_element = matches!(inst.op(), Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
    if by_element {
        element(cx, inst, 4, base, base.pointee)?;
    }
    let parts = cx.parts(result);
    let judged = if by_element { Parts::PHYSICAL_STORAGE.or(Parts::LOGICAL_POINTER) } else { Parts::PHYSICAL_STORAGE };
    if parts.any(Parts::EASY) && !parts.any(judged) {
        cx.easy = inst.offset();
    } else {
        not_a_texel(cx, inst, 3, base)?;
    }
    let first = if by_element { 5 } else { 4 };
    let (holder, reached) = walk(cx, inst, first, base.pointee, result)?;
    cx.check_at(reached == pointee, &RESULT, inst, 1, || {
        msg(format!(
            "the Result Type points to {}, but the indexes lead to {}",
            describe(m, pointee),
            describe(m, reached)
        ))
    })?;
    if cx.facts.has_strided_pointers() && matches!(m.info(holder).op, Op::TypeArray | Op::TypeRuntimeArray) {
        return element_stride(cx, inst, holder);
    }
    Ok(())
}

/// The stride of a pointer to an element of the array `holder` is the array's.
#[cold]
fn element_stride<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, holder: Id) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    let Some(stride) = m.decoration(result, Decoration::ArrayStride) else { return Ok(()) };
    if m.is_decorated(holder, Decoration::ArrayStrideIdEXT) {
        return Ok(());
    }
    let own = m.decoration(holder, Decoration::ArrayStride).map(|d| d.operand());
    cx.check_at(own == Some(stride.operand()), &ELEMENT_STRIDE, inst, 1, || {
        let text = match own {
            Some(own) => format!("the array {holder} has ArrayStride {own}"),
            None => format!("the array {holder} has no ArrayStride"),
        };
        msg(format!("the Result Type {result} has ArrayStride {}, but {text}", stride.operand())).declared(m, holder)
    })
}

/// Follows the indexes from word `first` on through a type. Gives the type that the last one leads into, 0 where there is no
/// index, and the type that it leads to.
pub(super) fn walk<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, first: usize, base: Id, result: Id) -> Checked<(Id, Id)> {
    let limit = cx.options.limits.access_chain_indexes as usize;
    let given = inst.words().len().saturating_sub(first);
    cx.check(given <= limit, &CHAIN_INDEXES, inst, || format!("there are {given} indexes, more than {limit}"))?;
    let (mut holder, mut ty) = (Id(0), base);
    for word in first..inst.words().len() {
        let index = inst.id(word);
        let key = cx.key_at(inst, word)?;
        cx.check_at(key.is_int(), &INDEX_TYPE, inst, word, || format!("the index {index} is not an integer scalar"))?;
        (holder, ty) = (ty, step(cx, inst, word, ty, result)?);
    }
    Ok((holder, ty))
}

/// The part of a type that the index at `word` selects.
fn step<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id, result: Id) -> Checked<Id> {
    let info = cx.m.info(ty);
    let small = small_constant(cx.m, inst.id(word));
    match info.op {
        Op::TypeStruct => {
            let members = cx.m.inst_at(info.def).map_or(&[][..], |i| i.tail(2));
            return match small.and_then(|n| members.get(n as usize)) {
                Some(member) => Ok(Id(*member)),
                None => other_member(cx, inst, word, ty, members),
            };
        }
        Op::TypeVector
        | Op::TypeVectorIdEXT
        | Op::TypeMatrix
        | Op::TypeArray
        | Op::TypeRuntimeArray
        | Op::TypeCooperativeMatrixKHR
        | Op::TypeCooperativeMatrixNV
        | Op::TypeNodePayloadArrayAMDX => {}
        _ => {
            let m = cx.m;
            cx.fail_at(&TOO_DEEP, inst, word, || {
                format!("the index {} is applied to {}, which has no parts", inst.id(word), describe(m, ty))
            })?;
            return Err(Failed);
        }
    }
    if small.is_none() {
        not_negative(cx, inst, word, result)?;
    }
    // The type of the parts is the first operand of each.
    Ok(cx.m.words().get(info.def as usize + 2).map_or(Id(0), |w| Id(*w)))
}

/// The value of an `OpConstant` of one word that is not negative, whatever its signedness: what nearly all constant
/// indexes are.
fn small_constant(m: Module<'_>, index: Id) -> Option<u32> {
    let info = m.info(index);
    let at = info.def as usize;
    match m.words().get(at..at + 4) {
        Some([first, _, _, value]) if info.op == Op::Constant && first >> 16 == 4 && *value as i32 >= 0 => Some(*value),
        _ => None,
    }
}

fn not_negative<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, result: Id) -> Checked {
    let index = inst.id(word);
    if cx.m.info(index).op != Op::Constant || !cx.m.key_of(index).is_signed() {
        return Ok(());
    }
    let exempt = matches!(inst.op(), Op::PtrAccessChain | Op::InBoundsPtrAccessChain)
        || cx.has(Capability::VariablePointersStorageBuffer)
        || crate::rules::pointers::is_relaxed(cx);
    if exempt || !cx.parts(result).any(Parts::LOGICAL_POINTER) {
        return Ok(());
    }
    let Some(c) = cx.m.int_constant(index).filter(|c| c.as_unsigned().is_none()) else { return Ok(()) };
    cx.fail_at(&NEGATIVE, inst, word, || format!("the index {index} is {}", c.bits as i64))
}

/// A member that is chosen in a less common way, or wrongly.
fn other_member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id, members: &'a [u32]) -> Checked<Id> {
    let (m, index) = (cx.m, inst.id(word));
    let op = m.info(index).op;
    let constant = if op == Op::Constant { m.int_constant(index) } else { None };
    let Some(value) = constant else {
        cx.fail_at(&MEMBER_CONSTANT, inst, word, || {
            msg(format!("the index {index} into the structure {ty} is the result of {op}, not of OpConstant"))
                .declared(m, index)
        })?;
        return Err(Failed);
    };
    match value.as_unsigned().and_then(|n| members.get(usize::try_from(n).ok()?)) {
        Some(member) => Ok(Id(*member)),
        None => {
            let rule = if value.as_unsigned().is_none() { &NEGATIVE } else { &MEMBER_RANGE };
            cx.fail_at(rule, inst, word, || {
                let n = value.bits as i64;
                msg(format!("the index {index} is {n}, but the structure {ty} has {} members", members.len()))
                    .declared(m, ty)
            })?;
            Err(Failed)
        }
    }
}

/// The Element of `OpPtrAccessChain` and the like; `data` is what the base points to.
pub(super) fn element<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, base: Pointer, data: Id) -> Checked {
    let (m, element) = (cx.m, inst.id(word));
    let key = cx.key_at(inst, word)?;
    cx.check_at(key.is_int(), &ELEMENT, inst, word, || format!("the Element {element} is not an integer scalar"))?;
    let block = m.is_decorated(data, Decoration::Block) || m.is_decorated(data, Decoration::BufferBlock);
    if block && cx.env.is_vulkan() {
        let other = m.int_constant(element).is_some_and(|c| !c.spec && c.bits != 0);
        cx.check_at(!other, &BLOCK_ELEMENT, inst, word, || {
            format!("the Element {element} is not 0, but {data} is decorated Block or BufferBlock")
        })?;
    }
    stride(cx, inst, base, block)?;
    if cx.env.is_vulkan() { vulkan_class(cx, inst, base.class) } else { Ok(()) }
}

/// The storage classes whose composite objects have an explicit layout.
fn is_laid_out(cx: &Cx<'_>, class: StorageClass, m: Module<'_>, pointee: Id) -> bool {
    match class {
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PhysicalStorageBuffer
        | StorageClass::PushConstant => true,
        StorageClass::Workgroup => {
            let (inner, _) = without_arrays(m, pointee);
            cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR) && cx.parts(inner).any(Parts::LAYOUT)
        }
        _ => false,
    }
}

/// Whether the type of a pointer says how far elements are apart, or need not do so.
pub(super) fn has_stride(cx: &Cx<'_>, base: Pointer) -> bool {
    let m = cx.m;
    !cx.has(Capability::Shader)
        || !is_laid_out(cx, base.class, m, base.pointee)
        || m.is_decorated(base.ty, Decoration::ArrayStride)
        || m.is_decorated(base.ty, Decoration::ArrayStrideIdEXT)
}

fn stride<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, base: Pointer, block: bool) -> Checked {
    let m = cx.m;
    // A typed pointer to a block has no stride.
    let block = block && !base.is_untyped();
    let untyped = matches!(inst.op(), Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR);
    let word = if untyped { 4 } else { 3 };
    cx.check_at(block || has_stride(cx, base), &STRIDE, inst, word, || {
        msg(format!("the type {} of the Base {} has no ArrayStride", base.ty, inst.id(word)))
            .declared(m, base.ty)
            .help("decorate the pointer type ArrayStride, with the distance of its elements in bytes")
    })
}

fn vulkan_class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass) -> Checked {
    let untyped = matches!(inst.op(), Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR);
    let base = inst.id(if untyped { 4 } else { 3 });
    let text = || format!("the Base {base} points to {class}");
    match class {
        StorageClass::PhysicalStorageBuffer => Ok(()),
        StorageClass::Workgroup => cx.check(cx.has(Capability::VariablePointers), &VULKAN_WORKGROUP, inst, text),
        StorageClass::StorageBuffer => {
            cx.check(cx.has(Capability::VariablePointersStorageBuffer), &VULKAN_STORAGE, inst, text)
        }
        _ => cx.fail(&VULKAN_CLASS, inst, text),
    }
}
