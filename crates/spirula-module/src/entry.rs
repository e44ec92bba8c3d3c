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
    pub fn of(models: &[ExecutionModel]) -> ModelSet {
        models.iter().fold(ModelSet::EMPTY, |set, m| set.with(*m))
    }

    /// The set with one more model.
    pub fn with(self, model: ExecutionModel) -> ModelSet {
        let all = ExecutionModel::KIND.enumerants();
        match all.iter().position(|e| e.value == model.0) {
            Some(i) => ModelSet(self.0 | 1 << i),
            None => self,
        }
    }

    /// Whether the model is a member.
    pub fn contains(self, model: ExecutionModel) -> bool {
        self.0 & ModelSet::EMPTY.with(model).0 != 0
    }

    /// Whether there is no member.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The members of both.
    #[must_use]
    pub fn and(self, other: ModelSet) -> ModelSet {
        ModelSet(self.0 & other.0)
    }

    /// The members of either.
    #[must_use]
    pub fn or(self, other: ModelSet) -> ModelSet {
        ModelSet(self.0 | other.0)
    }

    /// The members that `other` lacks.
    #[must_use]
    pub fn without(self, other: ModelSet) -> ModelSet {
        ModelSet(self.0 & !other.0)
    }

    /// The members in the grammar's order.
    pub fn iter(self) -> impl Iterator<Item = ExecutionModel> {
        let all = ExecutionModel::KIND.enumerants().iter().enumerate();
        all.filter(move |(i, _)| self.0 >> i & 1 != 0).map(|(_, e)| ExecutionModel(e.value))
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
