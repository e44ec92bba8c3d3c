//! What the assembler and the disassembler must know of an id to read what refers to it.

use spirula_binary::{Imported, Number};

/// What an id is.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Meaning {
    #[default]
    Unknown,
    /// Defined, but nobody can tell what it is: by raw words, or by an instruction in error.
    Opaque,
    /// A value; the id of its type, or the type's place in the table.
    Value(u32),
    /// A type of numbers.
    Number(Number),
    /// Another type.
    Type,
    /// An extended instruction set.
    Set(Imported),
}

const OPAQUE: u32 = 1;
const TYPE: u32 = 2;
/// Codes from this on are positions in `others`.
const OTHERS: u32 = 3;
/// Marks the code of a value; the other bits are its type.
const VALUE: u32 = 1 << 31;

/// Packs meanings into one word each, of which a table has one for nearly each id of a module. 0 is
/// [`Meaning::Unknown`].
#[derive(Clone, Default, Debug)]
pub(crate) struct Meanings {
    /// Those that have no code of their own.
    others: Vec<Meaning>,
}

impl Meanings {
    #[inline]
    pub(crate) fn of(&self, code: u32) -> Meaning {
        match code {
            0 => Meaning::Unknown,
            OPAQUE => Meaning::Opaque,
            TYPE => Meaning::Type,
            code if code & VALUE != 0 => Meaning::Value(code & !VALUE),
            code => self.others.get((code - OTHERS) as usize).copied().unwrap_or_default(),
        }
    }

    #[inline]
    pub(crate) fn code(&mut self, meaning: Meaning) -> u32 {
        match meaning {
            Meaning::Unknown => 0,
            Meaning::Opaque => OPAQUE,
            Meaning::Type => TYPE,
            Meaning::Value(ty) if ty & VALUE == 0 => VALUE | ty,
            _ => {
                self.others.push(meaning);
                OTHERS + self.others.len() as u32 - 1
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_keep_what_meanings_hold() {
        let mut meanings = Meanings::default();
        let number = Number { width: 16, kind: spirula_binary::NumberKind::Signed };
        for meaning in [
            Meaning::Unknown,
            Meaning::Opaque,
            Meaning::Type,
            Meaning::Value(1),
            Meaning::Value(u32::MAX),
            Meaning::Number(number),
            Meaning::Set(Imported::Unknown),
        ] {
            let code = meanings.code(meaning);
            assert_eq!(meanings.of(code), meaning);
        }
    }
}
