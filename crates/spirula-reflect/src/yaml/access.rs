//! Which descriptors and which members of blocks the entry points' call trees name.

use alloc::collections::{BTreeMap, BTreeSet};
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_grammar::Op;

use super::Build;
use super::model::{At, TypeDesc, kind};

/// Where a pointer points: a block or member, with so many of its array dimensions indexed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    block: At,
    dims: usize,
    /// Whether it is the variable itself, whose outer arrays are of descriptors.
    root: bool,
    /// Whether the variable holds push constants.
    push: bool,
    /// Whether it is what the member points to, not the member.
    loaded: bool,
}

/// Bytes that a place takes.
const PLACE: usize = 64;
/// Operations to look through for a constant offset.
const MAX_OPERATIONS: usize = 64;

struct Walk<'a, 'm> {
    build: &'a mut Build<'m>,
    /// What ids stand for, each place once.
    places: BTreeSet<(u32, Place)>,
    called: BTreeSet<u32>,
    variables: &'a BTreeMap<u32, At>,
    /// Positions of descriptors by id.
    descriptors: BTreeMap<u32, At>,
    accessed: BTreeSet<u32>,
    /// Functions to walk through, by index.
    todo: Vec<usize>,
    queued: BTreeSet<usize>,
}

/// Marks what is used, for variables with their blocks.
pub(super) fn mark(build: &mut Build<'_>, variables: &BTreeMap<u32, At>) {
    let m = build.m;
    let push: BTreeSet<At> = build.out.push_constants.iter().copied().collect();
    let place = |at: &At| {
        let push = push.contains(at);
        Place { block: *at, dims: 0, root: true, push, loaded: false }
    };
    let places = variables.iter().map(|(id, at)| (*id, place(at))).collect();
    let descriptors = build.out.descriptors.iter().enumerate().map(|(i, d)| (d.id, i)).collect();
    let mut walk = Walk {
        build,
        places,
        called: BTreeSet::new(),
        variables,
        descriptors,
        accessed: BTreeSet::new(),
        todo: Vec::new(),
        queued: BTreeSet::new(),
    };
    for e in m.entry_points() {
        walk.enqueue(e.function);
    }
    while let Some(f) = walk.todo.pop() {
        walk.queued.remove(&f);
        let Some(function) = m.functions().get(f) else { continue };
        for inst in m.insts(function.start..function.end) {
            if !walk.build.spend() {
                return;
            }
            walk.instruction(inst);
        }
    }
    let accessed = walk.accessed;
    for d in &mut build.out.descriptors {
        d.accessed = accessed.contains(&d.id);
    }
}

impl Walk<'_, '_> {
    fn enqueue(&mut self, function: Id) {
        if let Some(f) = self.build.m.info(function).function()
            && self.queued.insert(f)
        {
            self.todo.push(f);
        }
    }

    fn instruction(&mut self, inst: Inst<'_>) {
        match inst.op() {
            Op::AccessChain | Op::InBoundsAccessChain => self.chain(inst),
            Op::Load => self.load(inst),
            Op::FunctionCall => self.call(inst),
            _ => inst.tail(1).iter().for_each(|w| self.access(*w)),
        }
    }

    fn access(&mut self, id: u32) {
        if self.variables.contains_key(&id) {
            self.accessed.insert(id);
        }
    }

    /// Whether that is new.
    fn put(&mut self, id: u32, place: Place) -> bool {
        !self.places.contains(&(id, place)) && self.build.budget.take(PLACE) && self.places.insert((id, place))
    }

    fn of(&self, id: u32) -> Vec<Place> {
        let first = Place { block: 0, dims: 0, root: false, push: false, loaded: false };
        self.places.range((id, first)..).take_while(|p| p.0 == id).map(|p| p.1).collect()
    }

    /// Loaded pointers are followed from push constants only, and not out of arrays.
    fn load(&mut self, inst: Inst<'_>) {
        self.access(inst.word(3));
        for place in self.of(inst.word(3)) {
            let Some(desc) = self.desc(place.block) else { continue };
            if place.push && desc.flags & kind::REFERENCE != 0 && desc.array.dims.is_empty() {
                self.put(inst.word(2), Place { loaded: true, ..place });
            }
        }
    }

    fn desc(&self, block: At) -> Option<&TypeDesc> {
        self.build.out.blocks.get(block)?.ty.and_then(|t| self.build.out.types.get(t))
    }

    fn chain(&mut self, inst: Inst<'_>) {
        self.access(inst.word(3));
        self.byte_offset(inst);
        for mut place in self.of(inst.word(3)) {
            if !self.build.spend() {
                return;
            }
            self.use_block(place.block);
            let mut known = true;
            for index in inst.tail(4) {
                let index = self.build.m.int_constant(Id(*index)).and_then(|c| c.as_u32());
                match self.step(place, index) {
                    Some(next) => place = next,
                    None => {
                        known = false;
                        break;
                    }
                }
            }
            if known {
                self.put(inst.word(2), place);
                if !inst.tail(4).is_empty() {
                    self.use_all(place.block);
                }
            }
        }
    }

    /// One index further.
    fn step(&mut self, place: Place, index: Option<u32>) -> Option<Place> {
        let desc = self.desc(place.block)?;
        if place.dims < desc.array.dims.len() {
            return (!desc.runtime || place.root).then_some(Place { dims: place.dims + 1, ..place });
        }
        if desc.flags & kind::STRUCT == 0 || (desc.flags & kind::REFERENCE != 0 && !place.loaded) {
            return None;
        }
        let members = &self.build.out.blocks.get(place.block)?.members;
        let next = Place { block: *members.get(index? as usize)?, dims: 0, loaded: false, root: false, ..place };
        self.use_block(next.block);
        Some(next)
    }

    fn use_block(&mut self, block: At) {
        if let Some(b) = self.build.out.blocks.get_mut(block) {
            b.used = true;
        }
    }

    /// What is named as a whole is used with all its members, but not with what these point to.
    fn use_all(&mut self, block: At) {
        let mut todo = alloc::vec![block];
        while let Some(block) = todo.pop() {
            if !self.build.spend() {
                return;
            }
            self.use_block(block);
            let whole = self.desc(block).is_some_and(|d| d.flags & kind::REFERENCE == 0);
            if let Some(b) = self.build.out.blocks.get(block).filter(|_| whole) {
                todo.extend(b.members.iter().copied());
            }
        }
    }

    fn byte_offset(&mut self, inst: Inst<'_>) {
        let Some(descriptor) = self.descriptors.get(&inst.word(3)).copied() else { return };
        let [_, word] = inst.tail(4) else { return };
        let offset = self.constant_part(Id(*word));
        let Some(d) = self.build.out.descriptors.get_mut(descriptor) else { return };
        if let (Some("ByteAddressBuffer" | "RWByteAddressBuffer"), Some(offset)) = (d.user_type, offset)
            && let Err(at) = d.byte_offsets.binary_search(&offset)
        {
            d.byte_offsets.insert(at, offset);
        }
    }

    /// The constant that an index adds to what is not known before run time.
    fn constant_part(&self, id: Id) -> Option<u32> {
        let m = self.build.m;
        let (mut id, mut shifts, mut sum) = (id, Vec::new(), None);
        for _ in 0..MAX_OPERATIONS {
            if let Some(c) = m.int_constant(id).and_then(|c| c.as_u32()) {
                sum = Some(add(sum, c));
                break;
            }
            let Some(inst) = m.def(id) else { break };
            let (a, b) = (inst.id(3), inst.id(4));
            let (ca, cb) = (m.int_constant(a).and_then(|c| c.as_u32()), m.int_constant(b).and_then(|c| c.as_u32()));
            match (inst.op(), ca, cb) {
                (Op::IAdd, _, Some(c)) => (id, sum) = (a, Some(add(sum, c))),
                (Op::IAdd, Some(c), None) => (id, sum) = (b, Some(add(sum, c))),
                (Op::ShiftRightLogical, _, Some(c)) => {
                    shifts.push((sum.take(), c));
                    id = a;
                }
                _ => break,
            }
        }
        while let Some((outer, by)) = shifts.pop() {
            let inner = sum.and_then(|s: u32| s.checked_shr(by));
            sum = match (outer, inner) {
                (Some(a), Some(b)) => Some(a.wrapping_add(b)),
                (a, b) => a.or(b),
            };
        }
        sum
    }

    fn call(&mut self, inst: Inst<'_>) {
        let m = self.build.m;
        let callee = inst.id(3);
        inst.tail(4).iter().for_each(|w| self.access(*w));
        let Some(f) = m.info(callee).function() else { return };
        let Some(function) = m.functions().get(f) else { return };
        let parameters = m
            .insts(function.start..function.end)
            .skip(1)
            .take_while(|i| i.op() == Op::FunctionParameter)
            .map(|i| i.word(2));
        let mut news = self.called.insert(callee.0);
        for (argument, parameter) in inst.tail(4).iter().zip(parameters) {
            for place in self.of(*argument) {
                news |= self.put(parameter, place);
            }
        }
        if news {
            self.enqueue(callee);
        }
    }
}

fn add(sum: Option<u32>, c: u32) -> u32 {
    sum.unwrap_or(0).wrapping_add(c)
}
