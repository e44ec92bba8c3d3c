//! What entry points take from descriptor heaps (SPV_EXT_descriptor_heap).

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst};
use spirula_grammar::{BuiltIn, Decoration};
use spirula_module::{Module, Type as Raw};

use crate::bindings::kind_of_type;
use crate::model::{DescriptorKind, HeapAccess};
use crate::{Cx, types};

/// An access chain into a heap: array type, heap, result.
pub(crate) type Chain = (Id, Id, Id);

/// Whether an untyped access chain goes into a heap.
pub(crate) fn chain(m: &Module<'_>, inst: Inst<'_>) -> Option<Chain> {
    let (array, heap) = (inst.id(3), inst.id(4));
    let built_in = BuiltIn(m.decoration(heap, Decoration::BuiltIn)?.operand());
    matches!(built_in, BuiltIn::SamplerHeapEXT | BuiltIn::ResourceHeapEXT).then(|| (array, heap, inst.id(2)))
}

/// The accesses of a call tree, each once. `pointers`: results of `OpBufferPointerEXT`, by the chain they come from.
pub(crate) fn accesses(cx: &mut Cx<'_, '_>, chains: &[Chain], pointers: &[(Id, Id)]) -> Vec<HeapAccess> {
    let m = cx.m;
    let mut seen: Vec<Chain> = chains.to_vec();
    seen.sort_unstable();
    seen.dedup_by_key(|c| (c.0, c.1));
    let mut pointers = pointers.to_vec();
    pointers.sort_unstable();
    let mut list = Vec::new();
    for (array, heap, result) in seen {
        let (Some(Raw::RuntimeArray { element } | Raw::Array { element, .. }), true) =
            (m.ty(array), cx.budget.take(size_of::<HeapAccess>()))
        else {
            continue;
        };
        let (ty, kind) = match m.ty(element) {
            Some(Raw::Buffer { class }) => {
                let pointer = pointers.get(pointers.partition_point(|p| p.0 < result)).filter(|p| p.0 == result);
                let pointer = pointer.and_then(|p| m.pointer(p.1));
                let uniform = class == spirula_grammar::StorageClass::Uniform;
                let kind = if uniform { DescriptorKind::UniformBuffer } else { DescriptorKind::StorageBuffer };
                (pointer.map_or(element, |p| p.1), kind)
            }
            _ => (element, kind_of_type(&m, spirula_grammar::StorageClass::UniformConstant, element)),
        };
        let ty = cx.type_ref(ty);
        list.push(HeapAccess { heap: heap.0, array: array.0, stride: types::stride(&m, array), kind, ty });
    }
    list
}
