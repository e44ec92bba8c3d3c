//! User-defined variables: locations, components, types, decorations.

use alloc::format;
use alloc::string::{String, ToString as _};
use alloc::vec::Vec;

use spirula_diag::Rule;
use spirula_grammar::{Decoration, ExecutionModel as Model, StorageClass};
use spirula_module::Module;

use super::surface::{Fit, Slot, Surface, Unit, describe, fit};
use super::{DECORATIONS, INTERPOLATION, Link, MISSING, SHAPE, Side, TYPE, VECTOR_SIZE};

/// Two stages that follow each other.
struct Pair<'s, 'l, 'm> {
    link: &'s mut Link<'l, 'm>,
    before: usize,
    after: usize,
    outputs: Surface,
    inputs: Surface,
}

/// Compares the inputs of a stage with the outputs of the one before.
pub(super) fn judge(link: &mut Link<'_, '_>, before: usize, after: usize) {
    if matches!(link.stage(before).entry.model, Model::TaskEXT | Model::TaskNV) {
        return; // Tasks hand over a payload.
    }
    let outputs = Surface::of(link.stage(before), StorageClass::Output);
    let inputs = Surface::of(link.stage(after), StorageClass::Input);
    let mut slots: Vec<(usize, Slot)> = inputs.slots.iter().map(|s| (s.unit, *s)).collect();
    slots.sort_unstable();
    let mut pair = Pair { link, before, after, outputs, inputs };
    for index in 0..pair.inputs.units.len() {
        let start = slots.partition_point(|s| s.0 < index);
        let own = &slots[start..start + slots[start..].partition_point(|s| s.0 == index)];
        let unit = pair.inputs.units[index];
        if pair.components(unit, own) {
            pair.whole(unit);
        }
    }
}

impl<'m> Pair<'_, '_, 'm> {
    fn modules(&self) -> (Module<'m>, Module<'m>) {
        (self.link.stage(self.before).module, self.link.stage(self.after).module)
    }

    fn fail(&mut self, rule: &'static Rule, input: Unit, text: String, output: Option<(Unit, String)>) {
        let other = match output {
            Some((unit, text)) => Some(Side { stage: self.before, at: unit.at, text }),
            None => {
                let text = format!("{} has no output there", self.link.name(self.before));
                self.link.entry_of(self.before, text)
            }
        };
        self.link.fail(rule, self.after, input.at, text, other);
    }

    /// Every component of an input must be there, with the same type.
    fn components(&mut self, input: Unit, slots: &[(usize, Slot)]) -> bool {
        let (before, after) = self.modules();
        for (_, slot) in slots {
            let Slot { location, component, patch, .. } = *slot;
            let what = name("input", input);
            let Some(there) = self.outputs.slot(patch, location, component) else {
                return self.missing(input, slot);
            };
            let (theirs, output) = (there.scalar, self.outputs.units[there.unit]);
            if before.key(theirs) != after.key(slot.scalar) {
                let ours = describe(after, slot.scalar);
                let place = place(location, component);
                let theirs = describe(before, theirs);
                let text = format!("{what} is {ours} in {place}");
                let other = format!("{} is {theirs} there", name("output", output));
                self.fail(&TYPE, input, text, Some((output, other)));
                return false;
            }
            if output.per_primitive != input.per_primitive {
                let text = format!("{what} {} PerPrimitiveEXT", has(input.per_primitive));
                let other = format!("{} {} it", name("output", output), has(output.per_primitive));
                self.fail(&DECORATIONS, input, text, Some((output, other)));
                return false;
            }
        }
        true
    }

    fn missing(&mut self, input: Unit, slot: &Slot) -> bool {
        let Slot { location, component, patch, .. } = *slot;
        let what = name("input", input);
        if let Some(there) = self.outputs.slot(!patch, location, component) {
            let output = self.outputs.units[there.unit];
            let text = format!("{what} in {} {} Patch", place(location, component), has(patch));
            let other = format!("{} {} it", name("output", output), has(!patch));
            self.fail(&DECORATIONS, input, text, Some((output, other)));
            return false;
        }
        let near = self.outputs.at_location(location).copied();
        let before = self.modules().0;
        let other = near.map(|unit| {
            let text = format!("{} is {} and does not reach it", name("output", unit), describe(before, unit.ty));
            (unit, text)
        });
        self.fail(&MISSING, input, format!("{what} takes {}", place(location, component)), other);
        false
    }

    /// An input whose components are all there should match one output.
    fn whole(&mut self, input: Unit) {
        let (before, after) = self.modules();
        let there = self.outputs.slot(input.patch, input.location, input.component);
        let Some(output) = there.map(|s| self.outputs.units[s.unit]) else { return };
        let what = name("input", input);
        let starts = (output.location, output.component) == (input.location, input.component);
        let fit = if starts { fit((before, output.ty), (after, input.ty)) } else { Fit::Not };
        let types = || {
            let ours = describe(after, input.ty);
            let theirs = describe(before, output.ty);
            (format!("{what} is {ours}"), format!("{} is {theirs}", name("output", output)))
        };
        match fit {
            Fit::Same => {}
            Fit::Longer if self.link.maintenance4 => {}
            Fit::Longer => {
                let (text, other) = types();
                self.fail(&VECTOR_SIZE, input, text, Some((output, other)));
            }
            Fit::Not if starts => {
                let (text, other) = types();
                self.fail(&SHAPE, input, text, Some((output, other)));
            }
            Fit::Not => {
                let text = format!("{what} starts at {}", place(input.location, input.component));
                let start = place(output.location, output.component);
                let other = format!("{} starts at {start}", name("output", output));
                self.fail(&SHAPE, input, text, Some((output, other)));
            }
        }
        self.interpolation(input, output);
    }

    fn interpolation(&mut self, input: Unit, output: Unit) {
        let (before, after) = self.modules();
        if self.link.stage(self.after).entry.model != Model::Fragment {
            return;
        }
        let (ours, theirs) = (interpolation(after, input), interpolation(before, output));
        if ours != theirs {
            let text = format!("{} has {}", name("input", input), words(&ours));
            let other = format!("{} has {}", name("output", output), words(&theirs));
            self.fail(&INTERPOLATION, input, text, Some((output, other)));
        }
    }
}

/// The interpolation decorations of a unit.
fn interpolation(m: Module<'_>, unit: Unit) -> Vec<Decoration> {
    let all = [Decoration::Flat, Decoration::NoPerspective, Decoration::Centroid, Decoration::Sample];
    let has = |d: &Decoration| {
        let member = unit.member.is_some_and(|(block, index)| m.member_decoration(block, index, *d).is_some());
        member || m.is_decorated(unit.variable, *d)
    };
    all.into_iter().filter(has).collect()
}

fn words(decorations: &[Decoration]) -> String {
    if decorations.is_empty() {
        return "no interpolation decoration".to_string();
    }
    let names: Vec<String> = decorations.iter().map(|d| d.to_string()).collect();
    names.join(" and ")
}

fn has(decorated: bool) -> &'static str {
    if decorated { "is decorated with" } else { "is not decorated with" }
}

fn place(location: u32, component: u32) -> String {
    format!("component {component} of location {location}")
}

fn name(what: &str, unit: Unit) -> String {
    match unit.member {
        Some((block, index)) => format!("member {index} of {block}, in the {what} {},", unit.variable),
        None => format!("the {what} {}", unit.variable),
    }
}
