//! The short way for operands of the usual shapes.
//!
//! [`Operands`](spirula_binary::Operands) decodes everything and says what is wrong; this prints, directly from the
//! words, what is most of every module, and leaves whatever it does not know to the decoder.

use spirula_binary::{Context as _, Imported, Inst, LitStr};
use spirula_grammar::{Category, InstDesc, MaskParameters, Operand, OperandKind, Quantifier};

use super::line::Printer;
use super::pen::Reason;

/// Whether it was printed.
type Printed = Result<bool, Reason>;

impl Printer<'_> {
    /// Prints the operands of `inst`; false, having printed nothing, where the decoder must look at it.
    #[inline]
    pub(crate) fn quick(&mut self, inst: Inst<'_>, desc: &'static InstDesc) -> Printed {
        let start = self.pen.out.len();
        let mut words = inst.tail(1);
        if self.list(desc.operands(), &mut words, inst)? && words.is_empty() {
            return Ok(true);
        }
        self.pen.out.truncate(start);
        Ok(false)
    }

    #[inline]
    fn list(&mut self, operands: &'static [Operand], words: &mut &[u32], inst: Inst<'_>) -> Printed {
        for o in operands {
            let printed = match o.quantifier {
                Quantifier::One => self.one(o.kind, words, inst)?,
                Quantifier::Optional => words.is_empty() || self.one(o.kind, words, inst)?,
                Quantifier::Many => {
                    let mut all = true;
                    while all && !words.is_empty() {
                        all = self.one(o.kind, words, inst)?;
                    }
                    all
                }
            };
            if !printed {
                return Ok(false);
            }
        }
        Ok(true)
    }

    #[inline]
    fn one(&mut self, kind: OperandKind, words: &mut &[u32], inst: Inst<'_>) -> Printed {
        let Some((&word, rest)) = words.split_first() else { return Ok(false) };
        match kind {
            OperandKind::IdResult => {}
            OperandKind::LiteralInteger => self.pen.literal_integer(word),
            OperandKind::LiteralString => return self.quick_string(words),
            OperandKind::LiteralContextDependentNumber => return self.quick_number(words, inst),
            OperandKind::LiteralExtInstInteger => {
                *words = rest;
                return self.quick_ext_inst(word, words, inst);
            }
            OperandKind::PairIdRefIdRef => {
                let Some((&second, rest)) = rest.split_first() else { return Ok(false) };
                self.pen.id(word.into())?;
                self.pen.id(second.into())?;
                *words = rest;
                return Ok(true);
            }
            _ => match kind.category() {
                Category::Id => self.pen.id(word.into())?,
                Category::ValueEnum => {
                    let Some(e) = kind.enumerant(word) else { return Ok(false) };
                    self.pen.name(e.name());
                    *words = rest;
                    return self.parameters(e.parameters(), words, inst);
                }
                Category::BitEnum => {
                    *words = rest;
                    return self.quick_mask(kind, word, words, inst);
                }
                Category::Literal | Category::Composite => return Ok(false),
            },
        }
        *words = rest;
        Ok(true)
    }

    fn quick_mask(&mut self, kind: OperandKind, mask: u32, words: &mut &[u32], inst: Inst<'_>) -> Printed {
        if !self.pen.mask(kind, mask) {
            return Ok(false);
        }
        for parameters in MaskParameters::of(kind, mask) {
            if !self.nested(parameters, words, inst)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Parameters of an enumerant: ids and literals, so that this goes no deeper.
    #[inline]
    fn parameters(&mut self, operands: &'static [Operand], words: &mut &[u32], inst: Inst<'_>) -> Printed {
        if operands.is_empty() { Ok(true) } else { self.nested(operands, words, inst) }
    }

    #[inline(never)]
    fn nested(&mut self, operands: &'static [Operand], words: &mut &[u32], inst: Inst<'_>) -> Printed {
        self.list(operands, words, inst)
    }

    fn quick_string(&mut self, words: &mut &[u32]) -> Printed {
        let Some(string) = LitStr::read(words) else { return Ok(false) };
        self.pen.string(string)?;
        *words = words.get(string.word_count()..).unwrap_or(&[]);
        Ok(true)
    }

    fn quick_number(&mut self, words: &mut &[u32], inst: Inst<'_>) -> Printed {
        let Some(number) = self.types.number(inst.id(1)) else { return Ok(false) };
        let Some((own, rest)) = words.split_at_checked(number.words()) else { return Ok(false) };
        self.pen.literal(number, own)?;
        *words = rest;
        Ok(true)
    }

    fn quick_ext_inst(&mut self, number: u32, words: &mut &[u32], inst: Inst<'_>) -> Printed {
        let Some(Imported::Known(set)) = self.types.imported(inst.id(3)) else { return Ok(false) };
        let Some(e) = set.instruction(number) else { return Ok(false) };
        self.pen.ext_inst(set, e);
        // What OpExtInst itself says of the operands is replaced by what the set says.
        Ok(self.nested(e.operands(), words, inst)? && words.is_empty())
    }
}
