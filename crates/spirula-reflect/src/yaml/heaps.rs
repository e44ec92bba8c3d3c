//! What entry points take from descriptor heaps (SPV_EXT_descriptor_heap).

use alloc::collections::{BTreeMap, BTreeSet};

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{BuiltIn, Decoration, Op, StorageClass};
use spirula_module::Type;

use super::descriptors::{image_kind, vk};
use super::model::{EntryHeaps, HeapAccess};
use super::{Build, len};

/// Stride of arrays that do not say theirs as a number.
const UNSPECIFIED: u32 = u32::MAX;

pub(super) fn all(build: &mut Build<'_>) {
    let m = build.m;
    for e in m.entry_points() {
        if !build.may_grow(e.name.map_or(0, |n| n.to_text().len())) {
            break;
        }
        let mut heaps = EntryHeaps { entry: e.name.map(LitStr::to_text).unwrap_or_default(), ..EntryHeaps::default() };
        if m.has(spirula_grammar::Capability::DescriptorHeapEXT) {
            entry(build, e.function, &mut heaps);
        }
        build.out.heaps.push(heaps);
    }
}

fn entry(build: &mut Build<'_>, root: Id, heaps: &mut EntryHeaps) {
    let m = build.m;
    let Some(root) = m.info(root).function() else { return };
    let (mut todo, mut walked, mut seen) = (alloc::vec![root], BTreeSet::from([root]), BTreeSet::new());
    while let Some(f) = todo.pop() {
        let Some(f) = m.functions().get(f) else { continue };
        let body = || m.insts(f.start..f.end);
        let mut pointers = BTreeMap::new();
        for i in body().filter(|i| i.op() == Op::BufferPointerEXT) {
            pointers.entry(i.word(3)).or_insert(i.id(1));
        }
        for inst in body() {
            if !build.spend() {
                return;
            }
            if inst.op() == Op::FunctionCall {
                todo.extend(m.info(inst.id(3)).function().filter(|f| walked.insert(*f)));
            } else if is_chain(inst.op()) {
                access(build, inst, &pointers, &mut seen, heaps);
            }
        }
    }
}

fn is_chain(op: Op) -> bool {
    matches!(op, Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR)
}

fn access(
    build: &mut Build<'_>,
    inst: Inst<'_>,
    pointers: &BTreeMap<u32, Id>,
    seen: &mut BTreeSet<(u32, u32)>,
    heaps: &mut EntryHeaps,
) {
    let m = build.m;
    let (array, heap) = (inst.id(3), inst.id(4));
    let built_in = build.operand(heap, Decoration::BuiltIn).map(BuiltIn);
    let Some(Type::RuntimeArray { element }) = m.ty(array) else { return };
    if !seen.insert((array.0, heap.0)) {
        return;
    }
    let stride = build.operand(array, Decoration::ArrayStride).unwrap_or(UNSPECIFIED);
    let name = build.name(heap);
    if !build.may_grow(len(&name)) {
        return;
    }
    let mut access = HeapAccess { heap: name, array: array.0, stride, kind: None, ty: 0 };
    match built_in {
        Some(BuiltIn::SamplerHeapEXT) => {
            access.ty = build.root(element);
            heaps.samplers.push(access);
        }
        Some(BuiltIn::ResourceHeapEXT) => {
            let (ty, kind) = resource(build, inst.id(2), element, pointers);
            access.ty = build.root(ty);
            access.kind =
                Some(kind.unwrap_or_else(|| build.out.types.get(access.ty).map_or(vk::SAMPLED_IMAGE, image_kind)));
            heaps.resources.push(access);
        }
        _ => {}
    }
}

/// What lies in the heap: the element itself, or for a buffer what it is made a pointer to.
fn resource(build: &Build<'_>, chain: Id, element: Id, pointers: &BTreeMap<u32, Id>) -> (Id, Option<u32>) {
    let m = build.m;
    let Some(Type::Buffer { class }) = m.ty(element) else {
        let structure = matches!(m.ty(element), Some(Type::AccelerationStructure));
        return (element, structure.then_some(vk::ACCELERATION_STRUCTURE));
    };
    let kind = if class == StorageClass::Uniform { vk::UNIFORM_BUFFER } else { vk::STORAGE_BUFFER };
    let pointee = pointers.get(&chain.0).and_then(|p| m.pointer(*p)).map(|p| p.1);
    (pointee.filter(|p| p.0 != 0).unwrap_or(element), Some(kind))
}
