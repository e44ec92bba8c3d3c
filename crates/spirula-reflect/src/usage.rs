//! Which variables a function uses, and how.

use alloc::vec::Vec;

use spirula_binary::{Id, Inst, view};
use spirula_grammar::{Class, Op};
use spirula_module::{Function, Module, Type};

use crate::heaps::{self, Chain};

/// How a variable outside of functions is used.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Access {
    pub(crate) read: bool,
    pub(crate) written: bool,
}

/// What one function uses.
#[derive(Clone, Default)]
pub(crate) struct Usage {
    /// Variables with the access made; sorted by id, each once.
    pub(crate) variables: Vec<(Id, Access)>,
    /// Image and sampler variables that are combined.
    pub(crate) combined: Vec<(Id, Id)>,
    /// Specialisation constants named in the body.
    pub(crate) constants: Vec<Id>,
    /// Access chains into descriptor heaps.
    pub(crate) heap_chains: Vec<Chain>,
    /// Chains that buffer pointers are made of, with the pointers' types.
    pub(crate) buffer_pointers: Vec<(Id, Id)>,
    pub(crate) subgroups: bool,
    pub(crate) derivatives: bool,
    pub(crate) discards: bool,
    /// Whether it has instructions that we do not know.
    pub(crate) unknown: bool,
}

const READ: Access = Access { read: true, written: false };
const WRITE: Access = Access { read: false, written: true };
const BOTH: Access = Access { read: true, written: true };
const NONE: Access = Access { read: false, written: false };

/// Finds out what every function uses.
pub(crate) fn of_functions(m: &Module<'_>, is_special: bool) -> Vec<Usage> {
    // The variable that a pointer, or a loaded image or sampler, comes from, by slot.
    let mut roots = alloc::vec![Id(0); m.ids().slot_count()];
    for v in m.global_variables() {
        set(m, &mut roots, v.id(2), v.id(2));
    }
    m.functions().iter().map(|f| function(m, f, &mut roots, is_special)).collect()
}

fn set(m: &Module<'_>, roots: &mut [Id], id: Id, root: Id) {
    if let Some(r) = m.ids().slot(id).and_then(|s| roots.get_mut(s)) {
        *r = root;
    }
}

fn function(m: &Module<'_>, f: &Function, roots: &mut [Id], is_special: bool) -> Usage {
    let mut walk = Walk { m, roots, is_special, usage: Usage::default() };
    for inst in m.insts(f.start..f.end) {
        walk.instruction(inst);
    }
    let mut usage = walk.usage;
    usage.variables.sort_unstable_by_key(|v| v.0);
    usage.variables.dedup_by(|later, first| {
        let same = later.0 == first.0;
        if same {
            first.1.read |= later.1.read;
            first.1.written |= later.1.written;
        }
        same
    });
    usage.combined.sort_unstable();
    usage.combined.dedup();
    usage.constants.sort_unstable();
    usage.constants.dedup();
    usage
}

struct Walk<'w, 'm> {
    m: &'w Module<'m>,
    roots: &'w mut [Id],
    /// Whether the module can be specialised at all.
    is_special: bool,
    usage: Usage,
}

impl Walk<'_, '_> {
    fn root(&self, id: Id) -> Id {
        self.m.ids().slot(id).and_then(|s| self.roots.get(s)).copied().unwrap_or_default()
    }

    fn derive(&mut self, result: Id, from: Id) {
        let root = self.root(from);
        set(self.m, self.roots, result, root);
    }

    fn access(&mut self, pointer: Id, access: Access) {
        let root = self.root(pointer);
        if root.0 != 0 {
            self.usage.variables.push((root, access));
        }
    }

    fn instruction(&mut self, inst: Inst<'_>) {
        match inst.op() {
            Op::Load => {
                let it = view::Load::of(inst);
                // Loading a storage image reads nothing of it yet.
                let storage = matches!(self.m.ty(it.result_type), Some(Type::Image(i)) if i.sampled == 2);
                self.access(it.pointer, if storage { NONE } else { READ });
                // An image, sampler or the like: what is done with it is done to its variable.
                self.derive(it.result, it.pointer);
            }
            Op::Store => self.access(inst.id(1), WRITE),
            Op::CopyMemory | Op::CopyMemorySized => {
                self.access(inst.id(1), WRITE);
                self.access(inst.id(2), READ);
            }
            Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::CopyObject
            | Op::ImageTexelPointer
            | Op::Image
            | Op::ArrayLength => self.touch_and_derive(inst, 3),
            Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR => {
                self.touch_and_derive(inst, 4);
                self.usage.heap_chains.extend(heaps::chain(self.m, inst));
            }
            Op::BufferPointerEXT => {
                self.touch_and_derive(inst, 3);
                self.usage.buffer_pointers.extend(heaps::buffer_pointer(inst));
            }
            Op::SampledImage => {
                let it = view::SampledImage::of(inst);
                let (image, sampler) = (self.root(it.image), self.root(it.sampler));
                if image.0 != 0 && sampler.0 != 0 {
                    self.usage.combined.push((image, sampler));
                }
                self.derive(it.result, it.image);
            }
            Op::ImageWrite => self.access(inst.id(1), WRITE),
            Op::AtomicStore | Op::AtomicFlagClear => self.access(inst.id(1), WRITE),
            Op::AtomicLoad => self.access(inst.id(3), READ),
            Op::Kill | Op::TerminateInvocation | Op::DemoteToHelperInvocation => self.usage.discards = true,
            _ => self.by_class(inst),
        }
    }

    fn touch_and_derive(&mut self, inst: Inst<'_>, base: usize) {
        let base = inst.id(base);
        self.access(base, NONE);
        self.derive(inst.id(2), base);
        self.constants(inst);
    }

    fn by_class(&mut self, inst: Inst<'_>) {
        let Some(desc) = inst.desc() else {
            self.usage.unknown = true;
            return;
        };
        match desc.class {
            Class::Atomic => self.access(inst.id(3), BOTH),
            Class::Image => {
                if implicit_lod(inst.op()) {
                    self.usage.derivatives = true;
                }
                self.access(inst.id(3), READ);
            }
            Class::Derivative => self.usage.derivatives = true,
            Class::Group | Class::NonUniform => {
                self.usage.subgroups = true;
                self.others(inst, desc.has_result());
            }
            Class::Debug | Class::Annotation => {}
            _ => self.others(inst, desc.has_result()),
        }
        self.constants(inst);
    }

    /// Anything else that names a variable may do with it what it likes.
    fn others(&mut self, inst: Inst<'_>, has_result: bool) {
        let first = if has_result { 3 } else { 1 };
        let desc = inst.desc();
        let ids_only = desc.is_some_and(|d| d.is_fixed() && d.has_id_tail())
            || desc.is_some_and(|d| d.is_fixed() && !d.has_literal_tail());
        if !ids_only && inst.op() != Op::ExtInst {
            return;
        }
        for word in inst.tail(first) {
            let info = self.m.info(Id(*word));
            if self.m.key(info.ty).is_pointer() {
                self.access(Id(*word), BOTH);
            }
        }
    }

    fn constants(&mut self, inst: Inst<'_>) {
        if !self.is_special {
            return;
        }
        for word in inst.tail(3) {
            if self.m.info(Id(*word)).is_spec_constant() {
                self.usage.constants.push(Id(*word));
            }
        }
    }
}

/// Whether an image instruction takes its level of detail from derivatives.
fn implicit_lod(op: Op) -> bool {
    op.name().is_some_and(|n| n.contains("ImplicitLod")) || op == Op::ImageQueryLod
}
