//! Memory operands (§3.2.25).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{MemoryAccess, Op, StorageClass, Version};
use spirula_module::Shape;

use super::Pointer;
use crate::cx::{Cx, msg};
use crate::rules::scopes;

rules! {
    group "memory";
    /// MakePointerAvailable comes after a store: an instruction that only reads cannot have it, nor can the source of a
    /// copy.
    AVAILABLE: "memory-available", spec "§3.2.25";
    /// MakePointerVisible comes before a load: an instruction that only writes cannot have it, nor can the target of a
    /// copy.
    VISIBLE: "memory-visible", spec "§3.2.25";
    /// MakePointerAvailable and MakePointerVisible need NonPrivatePointer.
    NON_PRIVATE: "memory-non-private", spec "§3.2.25";
    /// NonPrivatePointer is for storage classes that several invocations share.
    NON_PRIVATE_CLASS: "memory-non-private-class", spec "§2.16.1";
    /// An alignment is a power of two.
    POWER: "memory-alignment-power", spec "§3.2.25";
    /// Accesses through physical pointers say how the address is aligned: nothing else tells.
    PHYSICAL_ALIGNED: "memory-physical-aligned", extension "SPV_KHR_physical_storage_buffer";
    /// Accesses through physical pointers say how the address is aligned: nothing else tells.
    VULKAN_PHYSICAL_ALIGNED: "vulkan-physical-aligned", vuid "VUID-StandaloneSpirv-PhysicalStorageBuffer64-04708";
    /// The alignment of a physical pointer is a multiple of the size of the largest scalar that is accessed.
    PHYSICAL_ALIGNMENT: "vulkan-physical-alignment", vuid "VUID-StandaloneSpirv-PhysicalStorageBuffer64-06314";
    /// A second mask of memory operands needs SPIR-V 1.4.
    TWO_MASKS: "memory-two-masks", spec "OpCopyMemory";
}

/// What an instruction does with the memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Does {
    Read,
    Write,
    /// Both: a copy with one mask.
    Copy,
}

/// Where the memory operands at `word` are nothing but an alignment, and a proper one: that. 0 where there are none.
#[inline]
pub(super) fn only_alignment(inst: Inst<'_>, word: usize) -> Option<u32> {
    match inst.tail(word) {
        [] => Some(0),
        [mask, alignment] if MemoryAccess(*mask) == MemoryAccess::Aligned => {
            alignment.is_power_of_two().then_some(*alignment)
        }
        _ => None,
    }
}

/// Judges a mask of memory operands at `word`, or its absence, for accesses through `pointers` to objects of type
/// `accessed` (`%0` where no type is known). Gives the position of the word behind the operands.
pub(super) fn operands<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    does: Does,
    pointers: &[Pointer],
    accessed: Id,
) -> Checked<usize> {
    let mask = MemoryAccess(inst.word(word));
    let mut next = word + 1;
    if mask.contains(MemoryAccess::Aligned) {
        let value = inst.word(next);
        cx.check_at(value.is_power_of_two(), &POWER, inst, next, || {
            format!("the alignment is {value}, no power of two")
        })?;
        aligned(cx, inst, next, value, pointers, accessed)?;
        next += 1;
    } else {
        needs_alignment(cx, inst, word, pointers)?;
    }
    if inst.words().len() <= word {
        return Ok(word);
    }
    let available = mask.contains(MemoryAccess::MakePointerAvailable);
    let visible = mask.contains(MemoryAccess::MakePointerVisible);
    let non_private = mask.contains(MemoryAccess::NonPrivatePointer);
    cx.check_at(!available || does != Does::Read, &AVAILABLE, inst, word, || "MakePointerAvailable on a read")?;
    cx.check_at(!visible || does != Does::Write, &VISIBLE, inst, word, || "MakePointerVisible on a write")?;
    next = made(cx, inst, word, next)?;
    if non_private {
        for p in pointers {
            shared_class(cx, inst, word, p.class)?;
        }
    }
    next += usize::from(mask.contains(MemoryAccess::AliasScopeINTELMask));
    next += usize::from(mask.contains(MemoryAccess::NoAliasINTELMask));
    Ok(next)
}

/// What is made available or visible, with the scopes from word `next` on. Gives the position of the word behind them.
fn made<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, next: usize) -> Checked<usize> {
    let mask = MemoryAccess(inst.word(word));
    let available = mask.contains(MemoryAccess::MakePointerAvailable);
    let visible = mask.contains(MemoryAccess::MakePointerVisible);
    let non_private = mask.contains(MemoryAccess::NonPrivatePointer);
    cx.check_at(non_private || !(available || visible), &NON_PRIVATE, inst, word, || {
        let name = if available { "MakePointerAvailable" } else { "MakePointerVisible" };
        format!("{name} without NonPrivatePointer")
    })?;
    let scopes = usize::from(available) + usize::from(visible);
    for at in next..next + scopes {
        scopes::memory(cx, inst, at)?;
    }
    Ok(next + scopes)
}

/// The mask of memory operands at `word`, or its absence, of an instruction that accesses memory in a way of its own,
/// through the pointer at `pointer`.
pub(crate) fn of_other<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, pointer: usize) -> Checked {
    let is_aligned = MemoryAccess(inst.word(word)).contains(MemoryAccess::Aligned);
    let pointer = super::pointer_at(cx, inst, pointer, &super::POINTER)?;
    if is_aligned {
        let value = inst.word(word + 1);
        cx.check_at(value.is_power_of_two(), &POWER, inst, word + 1, || {
            format!("the alignment is {value}, no power of two")
        })?;
        aligned(cx, inst, word + 1, value, &[pointer], pointer.pointee)?;
    } else if cx.env.is_vulkan() {
        needs_alignment(cx, inst, word, &[pointer])?;
    }
    made(cx, inst, word, word + 1 + usize::from(is_aligned)).map(drop)
}

fn shared_class<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, class: StorageClass) -> Checked {
    let ok = matches!(
        class,
        StorageClass::Uniform
            | StorageClass::Workgroup
            | StorageClass::CrossWorkgroup
            | StorageClass::Generic
            | StorageClass::Image
            | StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::TaskPayloadWorkgroupEXT
    );
    cx.check_at(ok, &NON_PRIVATE_CLASS, inst, word, || {
        format!("NonPrivatePointer on a pointer to {class}, which no other invocation can reach")
    })
}

fn needs_alignment<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, pointers: &[Pointer]) -> Checked {
    let physical = pointers.iter().any(|p| super::is_physical_storage(cx, p.class));
    let rule: &'static Rule = if cx.env.is_vulkan() { &VULKAN_PHYSICAL_ALIGNED } else { &PHYSICAL_ALIGNED };
    cx.check_at(!physical, rule, inst, word, || {
        msg("an access through a pointer to PhysicalStorageBuffer without Aligned")
            .help("add the memory operand Aligned with the alignment that the address has")
    })
}

fn aligned<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    value: u32,
    pointers: &[Pointer],
    accessed: Id,
) -> Checked {
    if !cx.env.is_vulkan() || !pointers.iter().any(|p| super::is_physical_storage(cx, p.class)) {
        return Ok(());
    }
    if cx.aligns(accessed, value) {
        return Ok(());
    }
    let largest = largest_scalar(cx, accessed);
    let ok = largest == 0 || value.is_multiple_of(largest);
    cx.check_at(ok, &PHYSICAL_ALIGNMENT, inst, word, || {
        msg(format!("the alignment is {value}, but the largest scalar that is accessed has {largest} bytes"))
            .help(format!("an alignment of at least {largest} must be known"))
    })
}

/// Size in bytes of the largest scalar in a type; 0 where there is none.
pub(crate) fn largest_scalar(cx: &Cx<'_>, ty: Id) -> u32 {
    let mut largest = 0;
    // Each type once: `seen` keeps shared members from being gone through again and again.
    let (mut work, mut seen) = (cx.collect([ty]), cx.list());
    while let Some(ty) = work.pop() {
        let key = cx.m.key(ty);
        let Some(inst) = cx.m.def(ty) else { continue };
        match key.shape() {
            Shape::Pointer | Shape::UntypedPointer => largest = largest.max(8),
            Shape::Array | Shape::RuntimeArray => work.push(inst.id(2)),
            Shape::Struct => {
                if !seen.contains(&ty) {
                    seen.push(ty);
                    work.extend(inst.tail(2).iter().map(|t| Id(*t)));
                }
            }
            _ => largest = largest.max(key.width() / 8),
        }
        if largest >= 8 || seen.len() > 64 {
            break;
        }
    }
    largest
}

/// The masks of a copy: one for both sides, or one for each.
pub(super) fn of_copy<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    target: Pointer,
    source: Pointer,
    copied: Id,
) -> Checked {
    if inst.words().len() <= word {
        operands(cx, inst, word, Does::Copy, &[target, source], copied)?;
        return Ok(());
    }
    let masks = second_mask(inst, word);
    let Some(second) = masks else {
        operands(cx, inst, word, Does::Copy, &[target, source], copied)?;
        return Ok(());
    };
    let version = cx.version;
    cx.check_at(version >= Version::v1(4), &TWO_MASKS, inst, second, || {
        format!("{} with two masks of memory operands, but the module is SPIR-V {version}", inst.op())
    })?;
    operands(cx, inst, word, Does::Write, &[target], copied)?;
    operands(cx, inst, second, Does::Read, &[source], copied)?;
    Ok(())
}

/// Where the second mask of memory operands stands, if there is one.
fn second_mask(inst: Inst<'_>, word: usize) -> Option<usize> {
    debug_assert!(matches!(inst.op(), Op::CopyMemory | Op::CopyMemorySized));
    let mask = MemoryAccess(inst.word(word));
    let with_operand = [
        MemoryAccess::Aligned,
        MemoryAccess::MakePointerAvailable,
        MemoryAccess::MakePointerVisible,
        MemoryAccess::AliasScopeINTELMask,
        MemoryAccess::NoAliasINTELMask,
    ];
    let operands = with_operand.iter().filter(|m| mask.contains(**m)).count();
    let next = word + 1 + operands;
    (next < inst.words().len()).then_some(next)
}
