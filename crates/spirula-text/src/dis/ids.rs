//! What the words say of ids, as far as text ⇄ words needs it.

use std::collections::HashMap;

use spirula_binary::{Context, Id, Imported, Inst, LitStr, Number};
use spirula_grammar::{ExtSet, InstDesc, Op};

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

#[derive(Clone, Copy, Default, Debug)]
enum Meaning {
    #[default]
    Unknown,
    /// A value; its type.
    Value(Id),
    Number(Number),
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

    /// Notes what `inst`, of which `desc` is the row, says.
    #[inline]
    pub(crate) fn note(&mut self, inst: Inst<'_>, desc: &InstDesc) {
        let at = desc.result_word();
        if at == 2 {
            self.0.set(inst.id(2), Meaning::Value(inst.id(1)));
        } else if at == 1 {
            self.note_type(inst);
        }
    }

    /// Notes what `inst` says where it is a number type or an import.
    #[inline]
    pub(crate) fn note_type(&mut self, inst: Inst<'_>) {
        match inst.op() {
            Op::TypeInt | Op::TypeFloat => {
                if let Some(n) = Number::of_type(inst) {
                    self.0.set(inst.id(1), Meaning::Number(n));
                }
            }
            Op::ExtInstImport => {
                if let Some(name) = LitStr::read(inst.tail(2)) {
                    let set = ExtSet::from_name(&name.to_bytes()).map_or(Imported::Unknown, Imported::Known);
                    self.0.set(inst.id(1), Meaning::Set(set));
                }
            }
            _ => {}
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
