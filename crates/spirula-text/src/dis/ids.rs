//! What the words say of ids, as far as text ⇄ words needs it.

use std::collections::HashMap;

use spirula_binary::{Context, Header, Id, Imported, Inst, LitStr, Number};
use spirula_grammar::{Class, ExtSet, InstDesc, Op};

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
pub(crate) struct LiteralTypes {
    /// Meanings in short; there is one for nearly each id of a module.
    codes: IdMap<u32>,
    /// Those that have no code of their own.
    others: Vec<Meaning>,
}

const RAW: u32 = 1;
const TYPE: u32 = 2;
/// Codes from this on are positions in `others`.
const OTHERS: u32 = 3;
/// Marks the code of a value; the other bits are its type.
const VALUE: u32 = 1 << 31;

impl LiteralTypes {
    /// An empty table for a module.
    pub(crate) fn new(module: &[u32]) -> LiteralTypes {
        LiteralTypes { codes: IdMap::new(module), others: Vec::new() }
    }

    #[inline]
    fn get(&self, id: Id) -> Meaning {
        match self.codes.get(id) {
            0 => Meaning::Unknown,
            RAW => Meaning::Raw,
            TYPE => Meaning::Type,
            code if code & VALUE != 0 => Meaning::Value(Id(code & !VALUE)),
            code => self.others.get((code - OTHERS) as usize).copied().unwrap_or_default(),
        }
    }

    #[inline]
    fn set(&mut self, id: Id, meaning: Meaning) {
        let code = match meaning {
            Meaning::Unknown => 0,
            Meaning::Raw => RAW,
            Meaning::Type => TYPE,
            Meaning::Value(ty) if ty.0 & VALUE == 0 => VALUE | ty.0,
            _ => {
                self.others.push(meaning);
                OTHERS + self.others.len() as u32 - 1
            }
        };
        self.codes.set(id, code);
    }

    /// Notes what `inst`, of which `desc` is the row, says. False where it is a second definition that contradicts the
    /// first, so that no assembler takes it.
    #[inline]
    pub(crate) fn note(&mut self, inst: Inst<'_>, desc: &InstDesc) -> bool {
        match desc.result_word() {
            2 => {
                if matches!(self.get(inst.id(2)), Meaning::Unknown) {
                    self.set(inst.id(2), Meaning::Value(inst.id(1)));
                }
                true
            }
            1 if desc.class == Class::TypeDeclaration => {
                let first = !matches!(self.get(inst.id(1)), Meaning::Number(_) | Meaning::Type | Meaning::Raw);
                if first {
                    self.set(inst.id(1), Number::of_type(inst).map_or(Meaning::Type, Meaning::Number));
                }
                first
            }
            1 if desc.op == Op::ExtInstImport => {
                let first = !matches!(self.get(inst.id(1)), Meaning::Set(_) | Meaning::Raw);
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
            self.set(id, Meaning::Raw);
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
        if let Meaning::Value(ty) = self.get(id) { Some(ty) } else { None }
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

    #[test]
    fn meanings_keep_what_they_hold() {
        let mut types = LiteralTypes::new(&[0, 0, 0, 10, 0]);
        let number = Number { width: 16, kind: spirula_binary::NumberKind::Signed };
        types.set(Id(1), Meaning::Number(number));
        types.set(Id(2), Meaning::Value(Id(1)));
        types.set(Id(3), Meaning::Value(Id(u32::MAX)));
        types.set(Id(4), Meaning::Set(Imported::Unknown));
        types.set(Id(5), Meaning::Type);
        types.set(Id(6), Meaning::Raw);
        assert_eq!(types.number(Id(1)), Some(number));
        assert_eq!([2, 3, 5, 7].map(|id| types.type_of(Id(id))), [Some(Id(1)), Some(Id(u32::MAX)), None, None]);
        assert_eq!(types.imported(Id(4)), Some(Imported::Unknown));
        assert!(matches!([5, 6, 7].map(|id| types.get(Id(id))), [Meaning::Type, Meaning::Raw, Meaning::Unknown]));
    }
}
