//! What one pass over the instructions outside of functions finds.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use spirula_binary::{Frames, Id, Inst, LitStr};
use spirula_grammar::{CapSet, Capability, Op, StorageClass};
use spirula_module::{Module, Names};

use crate::reflector::Lists;
use crate::spec;
use crate::types::Types;

/// Instructions outside of functions that a report is made of, in order.
#[derive(Default)]
pub(crate) struct Survey<'m> {
    /// The first `OpSource`.
    pub(crate) source: Option<Inst<'m>>,
    /// Names of extensions.
    pub(crate) extensions: Vec<LitStr<'m>>,
    /// Constants that specialisation changes.
    pub(crate) special: Vec<Inst<'m>>,
    /// Lengths of arrays that specialisation may change.
    pub(crate) special_lengths: Vec<Id>,
    /// What physical pointers point to.
    pub(crate) physical: Vec<Id>,
}

impl<'m> Survey<'m> {
    /// Makes the pass over a module's words, in which the types are laid out and the names collected.
    pub(crate) fn of(
        m: &Module<'_>,
        words: &'m [u32],
        types: &mut Types,
        names: &mut Names,
        lists: &mut Lists,
    ) -> Survey<'m> {
        let in_front_of_functions = m.functions().first().and_then(|f| words.get(..f.start as usize)).unwrap_or(words);
        let mut all = Survey::default();
        let (mut in_front, mut capabilities) = (true, Capabilities::default());
        lists.capabilities.clear();
        names.clear(m.ids());
        types.reset(m);
        for inst in Frames::of(in_front_of_functions).map_while(Result::ok) {
            match inst.op() {
                Op::Name | Op::MemberName => names.add(m.ids(), inst),
                Op::Capability if in_front && capabilities.add(Capability(inst.word(1))) => {
                    lists.capabilities.push(Capability(inst.word(1)));
                }
                Op::MemoryModel => in_front = false,
                Op::Extension => all.extensions.extend(LitStr::read(inst.tail(1))),
                Op::Source => all.source = all.source.or(Some(inst)),
                op if spec::is_special(op) => all.special.push(inst),
                Op::TypeInt
                | Op::TypeFloat
                | Op::TypeVector
                | Op::TypeMatrix
                | Op::TypeRuntimeArray
                | Op::TypeStruct => {
                    types.lay_out(m, inst);
                }
                Op::TypeArray => {
                    types.lay_out(m, inst);
                    all.special_lengths.extend(Some(inst.id(3)).filter(|length| m.info(*length).is_spec_constant()));
                }
                Op::TypePointer if StorageClass(inst.word(2)) == StorageClass::PhysicalStorageBuffer => {
                    all.physical.push(inst.id(3));
                }
                _ => {}
            }
        }
        names.sort();
        all
    }
}

/// More capabilities than any module has are not kept.
const MAX_CAPABILITIES: usize = 1 << 12;

/// Capabilities so far.
#[derive(Default)]
struct Capabilities {
    known: CapSet,
    /// Those that the grammar does not know.
    unknown: BTreeSet<Capability>,
    count: usize,
}

impl Capabilities {
    /// Whether a capability is new.
    fn add(&mut self, capability: Capability) -> bool {
        let new = !self.known.contains(capability)
            && self.count < MAX_CAPABILITIES
            && (self.known.insert(capability) || self.unknown.insert(capability));
        self.count += usize::from(new);
        new
    }
}
