//! Memory instructions (§3.3.8).

mod access;
mod chain;
mod chain_untyped;
mod compare;
mod copy;
mod length;
mod load_store;
mod variable;
mod vendor;

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule, rules};
use spirula_grammar::{AddressingModel, Op, StorageClass};
use spirula_module::Module;

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};

pub(crate) use access::{RULES as ACCESS_RULES, of_other as access_of_other};
pub(crate) use chain::{BASE as CHAIN_BASE, CLASS as CHAIN_CLASS, RULES as CHAIN_RULES};
pub(crate) use chain_untyped::RULES as UNTYPED_RULES;
pub(crate) use compare::RULES as COMPARE_RULES;
pub(crate) use copy::RULES as COPY_RULES;
pub(crate) use length::RULES as LENGTH_RULES;
pub(crate) use load_store::{RULES as LOAD_STORE_RULES, same_structure, writable};
pub(crate) use variable::{RULES as VARIABLE_RULES, heap};
pub(crate) use vendor::{RULES as VENDOR_RULES, module as raw_access_chains};

rules! {
    group "memory";
    /// Memory is accessed through a pointer.
    POINTER: "memory-pointer", spec "§2.16.1";
    /// A pointer to a texel is for atomic instructions: nothing else reads or writes through it.
    TEXEL: "texel-pointer-use", spec "OpImageTexelPointer";
    /// A ray query is neither loaded nor stored nor copied. A warning, since front ends do so before they legalise their
    /// output.
    RAY_QUERY: "memory-ray-query", warn extension "SPV_KHR_ray_query";
    /// A hit object is neither loaded nor stored nor copied. A warning for the same reason.
    HIT_OBJECT: "memory-hit-object", warn extension "SPV_EXT_shader_invocation_reorder";
}

pub(crate) const TABLE: Table = rule_table! {
    Variable => variable::variable;
    UntypedVariableKHR => variable::untyped_variable;
    Load => load_store::load;
    Store => load_store::store;
    CopyMemory => copy::copy_memory;
    CopyMemorySized => copy::copy_memory_sized;
    AccessChain | InBoundsAccessChain | PtrAccessChain | InBoundsPtrAccessChain => chain::access_chain;
    UntypedAccessChainKHR | UntypedInBoundsAccessChainKHR | UntypedPtrAccessChainKHR
        | UntypedInBoundsPtrAccessChainKHR => chain_untyped::access_chain;
    ArrayLength => length::array_length;
    UntypedArrayLengthKHR => length::untyped_array_length;
    PtrEqual | PtrNotEqual | PtrDiff => compare::compare;
    GenericPtrMemSemantics => compare::generic_semantics;
    RawAccessChainNV => vendor::raw_access_chain;
    PredicatedLoadINTEL => vendor::predicated_load;
    PredicatedStoreINTEL => vendor::predicated_store;
    BufferPointerEXT => vendor::buffer_pointer;
};

/// The pointer at a word of an instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointer {
    /// Its type.
    pub(crate) ty: Id,
    /// Storage class.
    pub(crate) class: StorageClass,
    /// What it points to; `%0` for untyped pointers.
    pub(crate) pointee: Id,
}

impl Pointer {
    pub(crate) fn is_untyped(&self) -> bool {
        self.pointee == Id(0)
    }
}

/// The operand at `word` is a pointer.
pub(crate) fn pointer_at<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, rule: &'static Rule) -> Checked<Pointer> {
    let ty = cx.type_at(inst, word)?;
    let m = cx.m;
    match m.pointer(ty) {
        Some((class, pointee)) => Ok(Pointer { ty, class, pointee }),
        None => {
            let id = inst.id(word);
            cx.fail_at(rule, inst, word, || {
                msg(format!("{id} has type {}, which is not a pointer", describe(m, ty))).declared(m, id)
            })?;
            Err(Failed)
        }
    }
}

/// What is accessed other than atomically is not a texel.
#[inline]
fn not_a_texel<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, pointer: Pointer) -> Checked {
    if pointer.class == StorageClass::Image { no_texel(cx, inst, word) } else { Ok(()) }
}

#[cold]
fn no_texel<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let (m, id) = (cx.m, inst.id(word));
    let texel = matches!(m.info(id).op, Op::ImageTexelPointer | Op::UntypedImageTexelPointerEXT);
    cx.check_at(!texel, &TEXEL, inst, word, || {
        msg(format!("{id} points to a texel, but is used by {}", inst.op())).declared(m, id)
    })
}

/// The pointer at `word` does not point to a ray query or a hit object.
fn no_ray_object<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, pointer: Pointer) -> Checked {
    let rule: &'static Rule = match cx.m.info(pointer.pointee).op {
        Op::TypeRayQueryKHR => &RAY_QUERY,
        Op::TypeHitObjectEXT | Op::TypeHitObjectNV => &HIT_OBJECT,
        _ => return Ok(()),
    };
    let op = cx.m.info(pointer.pointee).op;
    cx.fail_at(rule, inst, word, || {
        format!("{} points to a type from {op}, which is handled as a whole", inst.id(word))
    })
}

pub(crate) fn describe(m: Module<'_>, ty: Id) -> String {
    crate::signature::describe(m, ty)
}

/// How many definitions are gone back to find where a pointer comes from. Nobody writes chains as long.
const FAR: usize = 64;

/// Where a pointer comes from: what access chains, copies and the like start at.
pub(crate) fn root<'a>(m: Module<'a>, pointer: Id) -> Option<Inst<'a>> {
    let mut inst = m.def(pointer)?;
    for _ in 0..FAR {
        let base = match inst.op() {
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::CopyObject
            | Op::CopyLogical
            | Op::ImageTexelPointer => inst.id(3),
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
            | Op::UntypedImageTexelPointerEXT => inst.id(4),
            _ => return Some(inst),
        };
        inst = m.def(base)?;
    }
    None
}

/// Whether pointers to the class are physical pointers to a storage buffer, and so need `Aligned`.
pub(crate) fn is_physical_storage(cx: &Cx<'_>, class: StorageClass) -> bool {
    class == StorageClass::PhysicalStorageBuffer && cx.m.addressing_model() == AddressingModel::PhysicalStorageBuffer64
}
