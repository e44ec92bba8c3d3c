//! What the words say of ids, as far as text ⇄ words needs it.

use std::collections::HashMap;

use spirula_binary::{Context, Header, Id, Imported, Inst, LitStr, Number};
use spirula_grammar::{Class, ExtSet, InstDesc, Op};

use crate::meaning::{Meaning, Meanings};

/// A table by id. Ids that are not larger than the header's bound, as far as the module justifies that, are indices into
/// a vector; the others, which only a few modules have, go into a map. So the size depends on the words that are there
/// and not on the values that some of them have.
///
/// For integers and tuples of them the vector costs no time where no id is: the system's memory is zero.
#[derive(Clone, Default, Debug)]
pub(crate) struct IdMap<T> {
    dense: Vec<T>,
    sparse: HashMap<u32, T>,
}

impl<T: Copy + Default> IdMap<T> {
    /// An empty table for a module.
    pub(crate) fn new(module: &[u32]) -> IdMap<T> {
        let bound = Header::read(module).map_or(0, |h| h.bound) as usize;
        IdMap { dense: vec![T::default(); bound.min(module.len().max(1 << 12))], sparse: HashMap::new() }
    }

    /// The entry of `id`, or the default.
    #[inline]
    pub(crate) fn get(&self, id: Id) -> T {
        match self.dense.get(id.index()) {
            Some(v) => *v,
            None => self.get_beyond(id),
        }
    }

    #[cold]
    fn get_beyond(&self, id: Id) -> T {
        self.sparse.get(&id.0).copied().unwrap_or_default()
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
        self.sparse.insert(id.0, value);
    }
}

/// The decoder's context: number types, types of values, imported sets. As assemblers have it, the first definition
/// stands, except that a type or an import replaces a value.
#[derive(Clone, Debug)]
pub(crate) struct LiteralTypes {
    /// Meanings in short; there is one for nearly each id of a module.
    codes: IdMap<u32>,
    meanings: Meanings,
}

impl LiteralTypes {
    /// An empty table for a module.
    pub(crate) fn new(module: &[u32]) -> LiteralTypes {
        LiteralTypes { codes: IdMap::new(module), meanings: Meanings::default() }
    }

    #[inline]
    fn get(&self, id: Id) -> Meaning {
        self.meanings.of(self.codes.get(id))
    }

    #[inline]
    fn set(&mut self, id: Id, meaning: Meaning) {
        let code = self.meanings.code(meaning);
        self.codes.set(id, code);
    }

    /// Notes what `inst`, of which `desc` is the row, says. False where it is a second definition that contradicts the
    /// first, so that no assembler takes it.
    #[inline]
    pub(crate) fn note(&mut self, inst: Inst<'_>, desc: &InstDesc) -> bool {
        match desc.result_word() {
            2 => {
                if matches!(self.get(inst.id(2)), Meaning::Unknown) {
                    self.set(inst.id(2), Meaning::Value(inst.id(1).0));
                }
                true
            }
            1 if desc.class == Class::TypeDeclaration => {
                let first = !matches!(self.get(inst.id(1)), Meaning::Number(_) | Meaning::Type | Meaning::Opaque);
                if first {
                    self.set(inst.id(1), Number::of_type(inst).map_or(Meaning::Type, Meaning::Number));
                }
                first
            }
            1 if desc.op == Op::ExtInstImport => {
                let first = !matches!(self.get(inst.id(1)), Meaning::Set(_) | Meaning::Opaque);
                if first && let Some(name) = LitStr::read(inst.tail(2)) {
                    let set = ExtSet::from_name(&name.to_bytes()).map_or(Imported::Unknown, Imported::Known);
                    self.set(inst.id(1), Meaning::Set(set));
                }
                first
            }
            _ => true,
        }
    }

    /// Notes that `inst` is printed as raw words.
    pub(crate) fn note_raw(&mut self, inst: Inst<'_>) {
        if let Some(id) = inst.result()
            && matches!(self.get(id), Meaning::Unknown)
        {
            self.set(id, Meaning::Opaque);
        }
    }
}

impl Context for LiteralTypes {
    #[inline]
    fn number(&self, ty: Id) -> Option<Number> {
        if let Meaning::Number(n) = self.get(ty) { Some(n) } else { None }
    }

    #[inline]
    fn type_of(&self, id: Id) -> Option<Id> {
        if let Meaning::Value(ty) = self.get(id) { Some(Id(ty)) } else { None }
    }

    #[inline]
    fn imported(&self, id: Id) -> Option<Imported> {
        if let Meaning::Set(set) = self.get(id) { Some(set) } else { None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_ids_cost_nothing() {
        let mut map = IdMap::new(&[0, 0, 0, u32::MAX, 0, 0]);
        map.set(Id(u32::MAX), 1);
        map.set(Id(7), 2);
        map.set(Id(4095), 3);
        assert_eq!([u32::MAX, 7, 4095, 4096, 8].map(|id| map.get(Id(id))), [1, 2, 3, 0, 0]);
        assert!(map.dense.len() <= 4096);
    }
}
