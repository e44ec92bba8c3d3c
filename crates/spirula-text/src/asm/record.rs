//! What later literals and extended instructions need to know of the instructions before.

use spirula_binary::{Imported, Inst, LitStr, Number, NumberKind, encoding_width};
use spirula_grammar::{Class, ExtSet, FPEncoding, Op};

use super::encode::{Assembler, Open};
use super::error::Done;
use super::ids::Index;
use crate::meaning::{Meaning, Meanings};

/// The table grows by so many entries at a time.
const DEFS: usize = 1 << 10;

/// What ids are.
#[derive(Default)]
pub(super) struct Defs {
    /// In short; there is one for nearly each id of a module.
    codes: Vec<u32>,
    meanings: Meanings,
}

impl Defs {
    #[inline]
    fn get(&self, index: Index) -> Meaning {
        self.codes.get(index as usize).map_or(Meaning::Unknown, |code| self.meanings.of(*code))
    }

    #[inline]
    fn set(&mut self, index: Index, meaning: Meaning) {
        let code = self.meanings.code(meaning);
        if self.codes.len() <= index as usize {
            self.codes.resize(index as usize + 1 + DEFS, 0);
        }
        if let Some(c) = self.codes.get_mut(index as usize) {
            *c = code;
        }
    }
}

/// What the name in an `OpExtInstImport` brings; `None` where it is neither known nor non-semantic.
pub(super) fn import(name: &[u8]) -> Option<Imported> {
    match ExtSet::from_name(name) {
        Some(set) => Some(Imported::Known(set)),
        None if name.starts_with(ExtSet::NON_SEMANTIC.as_bytes()) => Some(Imported::Unknown),
        None => None,
    }
}

impl<'t> Assembler<'t> {
    #[inline]
    pub(super) fn def(&self, index: Index) -> Meaning {
        self.defs.get(index)
    }

    pub(super) fn define(&mut self, index: Index, def: Meaning) {
        self.defs.set(index, def);
    }

    /// Remembers what the instruction just written defines.
    #[inline]
    pub(super) fn record(&mut self, open: &Open) -> Done {
        let Some(result) = open.result else { return Ok(()) };
        let desc = open.desc;
        if desc.class == Class::TypeDeclaration {
            return self.record_type(open, result);
        }
        if let Some(ty) = open.result_type {
            if self.def(result) == Meaning::Unknown {
                self.define(result, Meaning::Value(ty));
            }
        } else if desc.op == Op::ExtInstImport {
            return self.record_import(open, result);
        }
        Ok(())
    }

    fn record_type(&mut self, open: &Open, result: Index) -> Done {
        if matches!(self.def(result), Meaning::Number(_) | Meaning::Type) {
            let message = format!("%{} is already a type", self.name_of_result(open));
            return Err(self.fail_at(open.mark, self.lex.end(), message, None));
        }
        let number = Inst::at(&self.out, open.start as u32).and_then(Number::of_type);
        if open.desc.op == Op::TypeFloat
            && let Some(Number { width, kind: NumberKind::Encoded(encoding) }) = number
        {
            self.check_encoding(open, width, encoding)?;
        }
        self.define(result, number.map_or(Meaning::Type, Meaning::Number));
        Ok(())
    }

    fn check_encoding(&mut self, open: &Open, width: u32, encoding: FPEncoding) -> Done {
        let message = match encoding_width(encoding) {
            Some(w) if w == width => return Ok(()),
            Some(w) => {
                let name = spirula_grammar::OperandKind::FPEncoding.enumerant(encoding.0).map_or("", |e| e.name());
                format!("floats in encoding {name} have {w} bits, not {width}")
            }
            None => format!("{:#x} is not a value of FPEncoding", encoding.0),
        };
        Err(self.fail_at(open.mark, self.lex.end(), message, None))
    }

    fn record_import(&mut self, open: &Open, result: Index) -> Done {
        if matches!(self.def(result), Meaning::Set(_)) {
            let message = format!("%{} already imports an extended instruction set", self.name_of_result(open));
            return Err(self.fail_at(open.mark, self.lex.end(), message, None));
        }
        // A name that was written is already judged; one of raw words may be anything.
        let name = self.out.get(open.start + 2..).and_then(LitStr::read).map(|s| s.to_bytes().into_owned());
        let set = name.as_deref().and_then(import).unwrap_or(Imported::Unknown);
        self.define(result, Meaning::Set(set));
        Ok(())
    }

    fn name_of_result(&self, open: &Open) -> String {
        open.result_name.map_or(String::new(), |n| String::from_utf8_lossy(n.of(self.text)).into_owned())
    }

    /// Remembers what the instructions spelt by raw words from `start` on define.
    pub(super) fn record_raw(&mut self, start: usize) {
        let mut at = start;
        while let Some(inst) = Inst::at(&self.out, at as u32) {
            at += inst.words().len();
            let Some(result) = inst.result().and_then(|id| self.ids.index_of(id.0)) else { continue };
            if self.def(result) != Meaning::Unknown {
                continue;
            }
            let ty = inst.result_type().and_then(|id| self.ids.index_of(id.0));
            let def = match (Number::of_type(inst), ty) {
                (Some(number), _) => Meaning::Number(number),
                (_, Some(ty)) => Meaning::Value(ty),
                _ if inst.op() == Op::ExtInstImport => {
                    let name = LitStr::read(inst.tail(2)).map(|s| s.to_bytes());
                    Meaning::Set(name.as_deref().and_then(import).unwrap_or(Imported::Unknown))
                }
                _ => continue,
            };
            self.define(result, def);
        }
    }
}
