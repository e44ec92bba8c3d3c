//! One side of an interface: the variables of a storage class, and the locations that they take.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_diag::Site;
use spirula_grammar::{BuiltIn, Decoration, Op, StorageClass};
use spirula_module::{Module, Shape, Type, TypeKey};

use super::Stage;
use crate::rules::vulkan::interfaces::is_arrayed;

/// No device has as many locations; larger variables are not followed further.
const MOST_LOCATIONS: u32 = 4096;
/// Components that all variables of a side together may take; what is beyond is not compared.
const MOST_SLOTS: usize = 1 << 16;

/// What is matched as one: a variable, or a member of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unit {
    pub(super) variable: Id,
    /// The block's type, and which member of it.
    pub(super) member: Option<(Id, u32)>,
    /// The declaration.
    pub(super) at: Site,
    /// Type without the array of vertices.
    pub(super) ty: Id,
    pub(super) location: u32,
    pub(super) component: u32,
    pub(super) patch: bool,
    pub(super) per_primitive: bool,
}

/// One component that a unit takes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Slot {
    pub(super) location: u32,
    pub(super) component: u32,
    pub(super) patch: bool,
    /// Position among the units.
    pub(super) unit: usize,
    /// Type of the number that is there.
    pub(super) scalar: Id,
}

/// A built-in of the interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltInUnit {
    pub(super) builtin: BuiltIn,
    pub(super) variable: Id,
    pub(super) at: Site,
    /// Type without the array of vertices.
    pub(super) ty: Id,
}

/// All inputs or all outputs of a stage.
#[derive(Debug, Default)]
pub(super) struct Surface {
    pub(super) units: Vec<Unit>,
    /// In order of location and component.
    pub(super) slots: Vec<Slot>,
    pub(super) builtins: Vec<BuiltInUnit>,
}

impl Surface {
    /// Collects the variables of a storage class from a stage's interface.
    pub(super) fn of(stage: Stage<'_>, class: StorageClass) -> Surface {
        let mut surface = Surface::default();
        surface.add(stage, class, |_| true);
        // What a geometry shader passes through is an output too.
        if class == StorageClass::Output {
            let m = stage.module;
            surface.add(stage, StorageClass::Input, |v| {
                let own = m.is_decorated(v.id(2), Decoration::PassthroughNV);
                own || m.pointer(v.id(1)).is_some_and(|(_, ty)| {
                    m.decorations(inner(m, ty)).any(|d| d.decoration == Decoration::PassthroughNV)
                })
            });
        }
        surface.slots.sort_unstable();
        surface
    }

    fn add(&mut self, stage: Stage<'_>, class: StorageClass, wanted: impl Fn(Inst<'_>) -> bool) {
        let m = stage.module;
        // Before SPIR-V 1.4 a variable may be listed twice.
        let listed: BTreeSet<Id> = stage.entry.interface.iter().map(|w| Id(*w)).collect();
        let variables = listed.into_iter().filter_map(|id| m.def(id)).filter(|v| v.op() == Op::Variable);
        for variable in variables.filter(|v| StorageClass(v.word(3)) == class && wanted(*v)) {
            self.variable(stage, variable, class);
        }
    }

    /// The slot of a place, where something takes it.
    pub(super) fn slot(&self, patch: bool, location: u32, component: u32) -> Option<&Slot> {
        let key = |s: &Slot| (s.location, s.component, s.patch);
        let at = self.slots.partition_point(|s| key(s) < (location, component, patch));
        self.slots.get(at).filter(|s| key(s) == (location, component, patch))
    }

    /// Any unit that takes a part of a location.
    pub(super) fn at_location(&self, location: u32) -> Option<&Unit> {
        let at = self.slots.partition_point(|s| s.location < location);
        self.slots.get(at).filter(|s| s.location == location).and_then(|s| self.units.get(s.unit))
    }

    fn variable(&mut self, stage: Stage<'_>, variable: Inst<'_>, class: StorageClass) {
        let (m, id) = (stage.module, variable.id(2));
        let Some((_, mut ty)) = m.pointer(variable.id(1)) else { return };
        let whole = inner(m, ty);
        let any = |d: Decoration| {
            m.is_decorated(id, d) || m.decorations(whole).any(|x| x.member.is_some() && x.decoration == d)
        };
        let patch = any(Decoration::Patch);
        if is_arrayed(m, stage.entry.model, id, class, patch)
            && let Some(Type::Array { element, .. } | Type::RuntimeArray { element }) = m.ty(ty)
        {
            ty = element;
        }
        let at = Site::at(variable.offset());
        if let Some(d) = m.decoration(id, Decoration::BuiltIn) {
            self.builtins.push(BuiltInUnit { builtin: BuiltIn(d.operand()), variable: id, at, ty });
            return;
        }
        if m.is_decorated(id, Decoration::PerTaskNV) {
            return; // Laid out by offsets.
        }
        let value = |d| m.decoration(id, d).map(|d| d.operand());
        let per_primitive = m.is_decorated(id, Decoration::PerPrimitiveEXT);
        let unit = Unit { variable: id, member: None, at, ty, location: 0, component: 0, patch, per_primitive };
        let is_block = m.is_decorated(ty, Decoration::Block);
        let location = value(Decoration::Location);
        match (m.ty(ty), location) {
            (Some(Type::Struct { members }), location) if is_block || location.is_none() => {
                self.members(m, unit, members, location);
            }
            (_, Some(location)) => {
                let component = value(Decoration::Component).unwrap_or(0);
                self.take(m, Unit { location, component, ..unit });
            }
            _ => {}
        }
    }

    /// The members of a block: each has its own location, or they follow each other from the variable's on.
    fn members(&mut self, m: Module<'_>, unit: Unit, members: &[u32], location: Option<u32>) {
        let block = unit.ty;
        let mut next = location;
        for (index, ty) in members.iter().enumerate() {
            let (index, ty) = (index as u32, Id(*ty));
            let value = |d| m.member_decoration(block, index, d).map(|d| d.operand());
            let at = match m.info(block).def {
                0 => unit.at,
                word => Site::operand(word, (index + 2).min(u32::from(u16::MAX)) as u16),
            };
            if let Some(builtin) = value(Decoration::BuiltIn) {
                self.builtins.push(BuiltInUnit { builtin: BuiltIn(builtin), variable: unit.variable, at, ty });
                continue;
            }
            let Some(location) = value(Decoration::Location).or(next) else { continue };
            let component = value(Decoration::Component).unwrap_or(0);
            let per_primitive = unit.per_primitive || value(Decoration::PerPrimitiveEXT).is_some();
            let member = Some((block, index));
            let end = self.take(m, Unit { member, at, ty, location, component, per_primitive, ..unit });
            next = next.map(|_| end);
        }
    }

    /// Takes what a unit needs and gives the location behind it. An explicit stack in place of recursion: types may be
    /// deep.
    fn take(&mut self, m: Module<'_>, unit: Unit) -> u32 {
        let index = self.units.len();
        self.units.push(unit);
        let mut next = unit.location;
        let mut work = alloc::vec![unit.ty];
        let mut steps = 0;
        while let Some(ty) = work.pop() {
            steps += 1;
            if next.saturating_sub(unit.location) > MOST_LOCATIONS || steps > MOST_LOCATIONS {
                break;
            }
            match m.ty(ty) {
                Some(Type::Array { element, length }) => {
                    let count = m.int_constant(length).and_then(|c| c.as_u32()).unwrap_or(1);
                    work.extend((0..count.min(MOST_LOCATIONS)).map(|_| element));
                }
                Some(Type::RuntimeArray { element }) => work.push(element),
                Some(Type::Matrix { column, count }) => work.extend((0..count.min(16)).map(|_| column)),
                Some(Type::Struct { members }) => {
                    work.extend(members.iter().rev().take(MOST_LOCATIONS as usize).map(|t| Id(*t)));
                }
                Some(Type::Vector { component, count }) => {
                    next = self.numbers(m, component, count.min(16), next, unit, index);
                }
                Some(_) => next = self.numbers(m, ty, 1, next, unit, index),
                None => {}
            }
        }
        next
    }

    /// Takes so many numbers of a type, and gives the next location.
    fn numbers(&mut self, m: Module<'_>, scalar: Id, count: u32, location: u32, unit: Unit, index: usize) -> u32 {
        let words = if m.key(scalar).width() == 64 { 2 } else { 1 };
        let (mut location, mut component) = (location, unit.component);
        for _ in 0..count * words {
            if component > 3 {
                location = location.saturating_add(1);
                component = 0;
            }
            if self.slots.len() < MOST_SLOTS {
                self.slots.push(Slot { location, component, patch: unit.patch, unit: index, scalar });
            }
            component += 1;
        }
        location.saturating_add(1)
    }
}

/// The element type of arrays of arrays.
fn inner(m: Module<'_>, ty: Id) -> Id {
    crate::rules::vulkan::builtins::without_arrays(m, ty)
}

/// A type in words. For messages.
#[cold]
pub(super) fn describe(m: Module<'_>, ty: Id) -> String {
    match m.ty(ty) {
        Some(Type::Array { element, length }) => {
            let element = crate::signature::describe(m, element);
            let count = m.fixed_u32(length).map_or_else(|| format!("{length}"), |n| format!("{n}"));
            format!("{ty} (array of {count} {element})")
        }
        _ => crate::signature::describe(m, ty),
    }
}

/// How far two types of different modules agree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fit {
    /// They are equivalent.
    Same,
    /// They are vectors of the same component type, and the first has more components.
    Longer,
    /// They differ.
    Not,
}

/// Compares the type of an output with that of an input. Names, decorations and lengths that can be specialised do not
/// count. An explicit stack and a budget: types may be deep, and shared parts are compared again.
pub(super) fn fit(output: (Module<'_>, Id), input: (Module<'_>, Id)) -> Fit {
    let ((a, b), mut budget) = ((output.0, input.0), 1 << 14);
    let mut work = alloc::vec![(output.1, input.1)];
    let is_vector = |k: TypeKey| k.shape() == Shape::Vector;
    let mut longer = false;
    while let Some((x, y)) = work.pop() {
        budget -= 1;
        if budget == 0 {
            return Fit::Same;
        }
        match (a.ty(x), b.ty(y)) {
            (Some(Type::Array { element: e, length: n }), Some(Type::Array { element: f, length: m })) => {
                if a.fixed_u32(n).zip(b.fixed_u32(m)).is_some_and(|(n, m)| n != m) {
                    return Fit::Not;
                }
                work.push((e, f));
            }
            (Some(Type::RuntimeArray { element: e }), Some(Type::RuntimeArray { element: f })) => work.push((e, f)),
            (Some(Type::Struct { members: e }), Some(Type::Struct { members: f })) => {
                if e.len() != f.len() {
                    return Fit::Not;
                }
                work.extend(e.iter().zip(f).map(|(e, f)| (Id(*e), Id(*f))));
            }
            (Some(Type::Vector { component: e, count: n }), Some(Type::Vector { component: f, count: m })) => {
                let top = x == output.1 && is_vector(a.key(x));
                if n != m && !(top && n > m) {
                    return Fit::Not;
                }
                longer = n != m;
                work.push((e, f));
            }
            (Some(Type::Pointer { class: c, .. }), Some(Type::Pointer { class: d, .. })) if c == d => {}
            _ if a.key(x) == b.key(y) && a.info(x).op == b.info(y).op => {}
            _ => return Fit::Not,
        }
    }
    if longer { Fit::Longer } else { Fit::Same }
}
