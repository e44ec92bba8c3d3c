//! Entry points, and which execution models reach which function.

use core::fmt;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::{ExecutionModel, Op};

/// An entry point, as its `OpEntryPoint` (or a variant of it) declares it.
#[derive(Clone, Copy, Debug)]
pub struct EntryPoint<'w> {
    /// The declaring instruction.
    pub inst: Inst<'w>,
    /// Execution model.
    pub model: ExecutionModel,
    /// The function.
    pub function: Id,
    /// Name; `None` where the string is broken.
    pub name: Option<LitStr<'w>>,
    /// Interface ids.
    pub interface: &'w [u32],
}

impl<'w> EntryPoint<'w> {
    /// Reads an `OpEntryPoint` or `OpConditionalEntryPointINTEL`.
    pub fn of(inst: Inst<'w>) -> EntryPoint<'w> {
        let at = if inst.op() == Op::ConditionalEntryPointINTEL { 2 } else { 1 };
        let name = LitStr::read(inst.tail(at + 2));
        let interface = name.map_or(&[][..], |n| inst.tail(at + 2 + n.word_count()));
        EntryPoint { inst, model: ExecutionModel(inst.word(at)), function: inst.id(at + 1), name, interface }
    }
}

/// A set of execution models.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct ModelSet(pub(crate) u32);

impl ModelSet {
    /// No model.
    pub const EMPTY: ModelSet = ModelSet(0);

    /// The set of these models. Unknown ones are left out.
    pub const fn of(models: &[ExecutionModel]) -> ModelSet {
        let mut set = ModelSet::EMPTY;
        let mut i = 0;
        while i < models.len() {
            set = set.with(models[i]);
            i += 1;
        }
        set
    }

    /// The set with one more model.
    #[inline]
    pub const fn with(self, model: ExecutionModel) -> ModelSet {
        ModelSet(self.0 | bit(model))
    }

    /// Whether the model is a member.
    #[inline]
    pub fn contains(self, model: ExecutionModel) -> bool {
        self.0 & bit(model) != 0
    }

    /// Whether there is no member.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members of both.
    #[must_use]
    #[inline]
    pub fn and(self, other: ModelSet) -> ModelSet {
        ModelSet(self.0 & other.0)
    }

    /// The members of either.
    #[must_use]
    #[inline]
    pub fn or(self, other: ModelSet) -> ModelSet {
        ModelSet(self.0 | other.0)
    }

    /// The members that `other` lacks.
    #[must_use]
    #[inline]
    pub fn without(self, other: ModelSet) -> ModelSet {
        ModelSet(self.0 & !other.0)
    }

    /// The members in the grammar's order.
    pub fn iter(self) -> impl Iterator<Item = ExecutionModel> {
        let all = ExecutionModel::KIND.enumerants().iter().map(|e| ExecutionModel(e.value));
        all.filter(move |m| self.contains(*m))
    }
}

/// The bit of a model: the core ones by value, then those of extensions; 0 for unknown ones.
const fn bit(model: ExecutionModel) -> u32 {
    match model.0 {
        v @ 0..=6 => 1 << v,
        v @ 5267..=5268 => 1 << (v - 5267 + 7),
        v @ 5313..=5318 => 1 << (v - 5313 + 9),
        v @ 5364..=5365 => 1 << (v - 5364 + 15),
        _ => 0,
    }
}

impl fmt::Debug for ModelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

impl fmt::Display for ModelSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, m) in self.iter().enumerate() {
            write!(f, "{}{m}", if i == 0 { "" } else { ", " })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_of_the_grammar_has_a_bit_of_its_own() {
        let all = ExecutionModel::KIND.enumerants();
        let set = all.iter().fold(ModelSet::EMPTY, |s, e| s.with(ExecutionModel(e.value)));
        assert_eq!(set.0.count_ones() as usize, all.len());
        assert_eq!(set.iter().count(), all.len());
    }
}
