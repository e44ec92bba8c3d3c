//! What the words say of ids, as far as text ⇄ words needs it.

use std::collections::HashMap;

use spirula_binary::{Context, Id, Imported, Inst, LitStr, Number};
use spirula_grammar::{Class, ExtSet, InstDesc, Op};

/// A table by id. Ids that are not larger than the module justifies are indices into a vector that grows as they
/// occur; the others, which only a few modules have, go into a map. So the size depends on the words that are there and
/// not on the values that some of them have.
#[derive(Clone, Debug)]
pub(crate) struct IdMap<T> {
    dense: Vec<T>,
    limit: usize,
    sparse: HashMap<u32, T>,
}

impl<T: Copy + Default> IdMap<T> {
    /// An empty table for a module of `words` words.
    pub(crate) fn new(words: usize) -> IdMap<T> {
        IdMap { dense: Vec::new(), limit: words.max(1 << 12), sparse: HashMap::new() }
    }

    /// The entry of `id`, or the default.
    #[inline]
    pub(crate) fn get(&self, id: Id) -> T {
        match self.dense.get(id.index()) {
            Some(v) => *v,
            None if id.index() < self.limit => T::default(),
            None => self.sparse.get(&id.0).copied().unwrap_or_default(),
        }
    }

    /// Sets the entry of `id`.
    #[inline]
    pub(crate) fn set(&mut self, id: Id, value: T) {
        match self.dense.get_mut(id.index()) {
            Some(v) => *v = value,
            None => self.set_beyond(id, value),
        }
    }

    #[cold]
    fn set_beyond(&mut self, id: Id, value: T) {
        if id.index() < self.limit {
            let len = (id.index() + 1).max(2 * self.dense.len()).min(self.limit);
            self.dense.resize(len, T::default());
            if let Some(v) = self.dense.get_mut(id.index()) {
                *v = value;
            }
        } else {
            self.sparse.insert(id.0, value);
        }
    }
}

/// What an id is. As assemblers have it, the first definition stands, except that a type or an import replaces a value.
#[derive(Clone, Copy, Default, Debug)]
enum Meaning {
    #[default]
    Unknown,
    /// Defined in raw words: assemblers may or may not know it.
    Raw,
    /// A value; its type.
    Value(Id),
    Number(Number),
    /// A type of something else than numbers.
    Type,
    Set(Imported),
}

/// The decoder's context: number types, types of values, imported sets.
#[derive(Clone, Debug)]
pub(crate) struct LiteralTypes(IdMap<Meaning>);

impl LiteralTypes {
    /// An empty table for a module of `words` words.
    pub(crate) fn new(words: usize) -> LiteralTypes {
        LiteralTypes(IdMap::new(words))
    }

    /// Notes what `inst`, of which `desc` is the row, says. False where it is a second definition that contradicts the
    /// first, so that no assembler takes it.
    #[inline]
    pub(crate) fn note(&mut self, inst: Inst<'_>, desc: &InstDesc) -> bool {
        match desc.result_word() {
            2 => {
                if matches!(self.0.get(inst.id(2)), Meaning::Unknown) {
                    self.0.set(inst.id(2), Meaning::Value(inst.id(1)));
                }
                true
            }
            1 if desc.class == Class::TypeDeclaration => {
                let first = !matches!(self.0.get(inst.id(1)), Meaning::Number(_) | Meaning::Type | Meaning::Raw);
                if first {
                    self.0.set(inst.id(1), Number::of_type(inst).map_or(Meaning::Type, Meaning::Number));
                }
                first
            }
            1 if desc.op == Op::ExtInstImport => {
                let first = !matches!(self.0.get(inst.id(1)), Meaning::Set(_) | Meaning::Raw);
                if first && let Some(name) = LitStr::read(inst.tail(2)) {
                    let set = ExtSet::from_name(&name.to_bytes()).map_or(Imported::Unknown, Imported::Known);
                    self.0.set(inst.id(1), Meaning::Set(set));
                }
                first
            }
            _ => true,
        }
    }

    /// Notes that `inst` is printed as raw words.
    pub(crate) fn note_raw(&mut self, inst: Inst<'_>) {
        if let Some(id) = inst.result()
            && matches!(self.0.get(id), Meaning::Unknown)
        {
            self.0.set(id, Meaning::Raw);
        }
    }
}

impl Context for LiteralTypes {
    #[inline]
    fn number(&self, ty: Id) -> Option<Number> {
        if let Meaning::Number(n) = self.0.get(ty) { Some(n) } else { None }
    }

    #[inline]
    fn type_of(&self, id: Id) -> Option<Id> {
        if let Meaning::Value(ty) = self.0.get(id) { Some(ty) } else { None }
    }

    #[inline]
    fn imported(&self, id: Id) -> Option<Imported> {
        if let Meaning::Set(set) = self.0.get(id) { Some(set) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_ids_cost_nothing() {
        let mut map = IdMap::new(100);
        map.set(Id(u32::MAX), 1);
        map.set(Id(7), 2);
        map.set(Id(4095), 3);
        assert_eq!([u32::MAX, 7, 4095, 4096, 8].map(|id| map.get(Id(id))), [1, 2, 3, 0, 0]);
        assert!(map.dense.len() <= 4096);
    }
}
