//! Single operands.

use spirula_binary::{Imported, Number, NumberKind};
use spirula_grammar::{
    self as g, Category, ExtInstDesc, ExtSet, MaskParameters, Op, OperandKind, allowed_in_spec_constant_op,
};

use super::encode::{Assembler, Open, Shape, operand_name};
use super::error::{Done, Failed, shown};
use super::ids::Index;
use super::lex::{Mark, Quoted};
use super::record::import;
use crate::meaning::Meaning;
use crate::number::parse;

const U32: Number = Number { width: 32, kind: NumberKind::Unsigned };
const F32: Number = Number { width: 32, kind: NumberKind::Float };

impl<'t> Assembler<'t> {
    /// One operand, which starts with the byte `next`.
    #[inline]
    pub(super) fn operand(
        &mut self,
        next: u8,
        operand: &'static g::Operand,
        open: &mut Open,
        shape: &mut Shape,
    ) -> Done {
        let kind = operand.kind;
        match kind {
            OperandKind::LiteralInteger => self.integer()?,
            OperandKind::LiteralString => self.string_operand(next, open, operand)?,
            OperandKind::LiteralFloat => self.number(F32)?,
            OperandKind::LiteralContextDependentNumber => self.constant(open)?,
            OperandKind::PairLiteralIntegerIdRef => {
                self.case(open)?;
                shape.half = Some(g::Operand::LABEL);
                shape.more = true;
            }
            OperandKind::PairIdRefLiteralInteger => {
                self.id_operand(next, operand, open)?;
                shape.half = Some(g::Operand::MEMBER);
                shape.more = true;
            }
            OperandKind::PairIdRefIdRef => {
                self.id_operand(next, operand, open)?;
                shape.half = Some(g::Operand::OPTIONAL_PARENT);
                shape.more = true;
            }
            OperandKind::LiteralExtInstInteger => shape.base = self.ext_inst(open)?,
            OperandKind::LiteralSpecConstantOpInteger => shape.base = self.spec_op()?,
            _ => match kind.category() {
                Category::ValueEnum => {
                    let value = self.enumerant(kind)?;
                    if let Some(e) = kind.enumerant(value)
                        && !e.parameters().is_empty()
                    {
                        shape.params = e.parameters();
                        shape.more = true;
                    }
                }
                Category::BitEnum => {
                    let parameters = MaskParameters::of(kind, self.mask(kind)?);
                    if !parameters.is_empty() {
                        shape.mask = parameters;
                        shape.more = true;
                    }
                }
                _ => self.id_operand(next, operand, open)?,
            },
        }
        Ok(())
    }

    #[inline]
    fn id_operand(&mut self, next: u8, operand: &g::Operand, open: &mut Open) -> Done {
        let index = self.id(next, operand)?;
        open.note(operand, index);
        Ok(())
    }

    /// An id.
    #[inline]
    fn id(&mut self, next: u8, operand: &g::Operand) -> Done<Index> {
        if next == b'%'
            && let Some(name) = self.lex.id()
        {
            let index = self.ids.intern(name, self.text);
            self.out.push(self.ids.value(index));
            return Ok(index);
        }
        Err(self.no_id(next, operand))
    }

    #[cold]
    fn no_id(&mut self, next: u8, operand: &g::Operand) -> Failed {
        let mark = self.token;
        if next == b'%' {
            let word = self.word_at(mark);
            return self.bad_id(mark, word);
        }
        let word = self.lex.any();
        self.fail(mark, format!("{} is not an id, which {} has to be", shown(word), operand_name(operand)), None)
    }

    /// Reports a token that starts like an id but is none.
    #[cold]
    pub(super) fn bad_id(&mut self, mark: Mark, word: &[u8]) -> Failed {
        let help = "an id is `%` and letters, digits or `_`".to_owned();
        self.fail(mark, format!("{} is not an id", shown(word)), Some(help))
    }

    #[inline]
    fn integer(&mut self) -> Done {
        if let Some(value) = self.lex.small_number() {
            self.out.push(value);
            return Ok(());
        }
        let word = self.lex.word();
        match parse::u32(word) {
            Ok(value) => {
                self.out.push(value);
                Ok(())
            }
            Err(error) => Err(self.bad_number(self.token, word, U32, error)),
        }
    }

    /// A literal of a known type.
    fn number(&mut self, number: Number) -> Done {
        let word = self.lex.word();
        match parse::literal(word, number, &mut self.out) {
            Ok(()) => Ok(()),
            Err(error) => Err(self.bad_number(self.token, word, number, error)),
        }
    }

    /// The value of a constant: a literal of its result type.
    fn constant(&mut self, open: &Open) -> Done {
        match open.result_type.map(|ty| self.def(ty)) {
            Some(Meaning::Number(number)) => self.number(number),
            Some(Meaning::Opaque) => {
                self.lex.any();
                Ok(())
            }
            _ => {
                self.lex.any();
                let message = format!(
                    "the literal's size is unknown, since the result type of {} is not defined before as an integer or floating-point type",
                    open.desc.name()
                );
                Err(self.fail(self.token, message, None))
            }
        }
    }

    /// A literal of an `OpSwitch`: one of its selector's type.
    fn case(&mut self, open: &Open) -> Done {
        let def = match open.first_id.map(|selector| self.def(selector)) {
            Some(Meaning::Value(ty)) => self.def(ty),
            Some(Meaning::Opaque) => Meaning::Opaque,
            _ => Meaning::Unknown,
        };
        match def {
            Meaning::Number(n) if matches!(n.kind, NumberKind::Signed | NumberKind::Unsigned) => self.number(n),
            Meaning::Opaque => {
                self.lex.any();
                Ok(())
            }
            _ => {
                self.lex.any();
                let message = "the literal's size is unknown, since the selector is not defined before as a value of integer type";
                Err(self.fail(self.token, message.to_owned(), None))
            }
        }
    }

    fn string_operand(&mut self, next: u8, open: &Open, operand: &g::Operand) -> Done {
        let bytes = self.string(next, || operand_name(operand))?;
        if open.desc.op == Op::ExtInstImport
            && let Some(name) = bytes
            && import(name).is_none()
        {
            let help = self.nearest(name, ExtSet::ALL.iter().map(|s| s.name()));
            let message = format!("the extended instruction set {} is unknown", shown(name));
            return Err(self.fail(self.token, message, help));
        }
        Ok(())
    }

    /// A quoted string; returns its bytes where they stand so in the text.
    pub(super) fn string(&mut self, next: u8, wanted: impl Fn() -> String) -> Done<Option<&'t [u8]>> {
        let mark = self.token;
        if next != b'"' {
            let word = self.lex.any();
            let message = format!("{} is not a quoted string, which {} has to be", shown(word), wanted());
            return Err(self.fail(mark, message, None));
        }
        match self.lex.quoted() {
            Quoted::Plain(bytes) => {
                push_string(&mut self.out, bytes);
                Ok(Some(bytes))
            }
            Quoted::Escaped(text) => {
                push_string(&mut self.out, &unescaped(text));
                Ok(None)
            }
            Quoted::Nul => Err(self.nul(mark)),
            Quoted::Open => Err(self.fail(mark, "no quote ends the string".to_owned(), None)),
            Quoted::Trailing => {
                let word = shown(self.word_at(mark));
                Err(self.fail(mark, format!("text follows the string's closing quote: {word}"), None))
            }
        }
    }

    #[cold]
    fn nul(&mut self, mark: Mark) -> Failed {
        let help = "NUL ends a literal string in the module, so what follows would be lost".to_owned();
        self.fail(mark, "the string contains a NUL byte".to_owned(), Some(help))
    }

    fn enumerant(&mut self, kind: OperandKind) -> Done<u32> {
        let word = self.lex.word();
        let Some(value) = kind.value_of(word) else {
            let word = if word.is_empty() { self.lex.any() } else { word };
            return Err(self.unknown_enumerant(self.token, kind, word));
        };
        self.out.push(value);
        Ok(value)
    }

    fn mask(&mut self, kind: OperandKind) -> Done<u32> {
        let word = self.lex.word();
        if let Some(value) = kind.value_of(word) {
            self.out.push(value);
            return Ok(value);
        }
        let mut mask = 0;
        for part in word.split(|b| *b == b'|') {
            let Some(bit) = kind.value_of(part) else {
                let part = if word.is_empty() { self.lex.any() } else { part };
                return Err(self.unknown_enumerant(self.token, kind, part));
            };
            mask |= bit;
        }
        self.out.push(mask);
        Ok(mask)
    }

    /// The name or number of an extended instruction; returns its operands.
    fn ext_inst(&mut self, open: &mut Open) -> Done<&'static [g::Operand]> {
        let word = self.lex.word();
        let set = match open.last_id.map(|set| self.def(set)) {
            Some(Meaning::Set(Imported::Known(set))) => Some(set),
            Some(Meaning::Set(Imported::Unknown) | Meaning::Opaque) => None,
            _ => {
                let message = "the operand Set is not defined before as an extended instruction set".to_owned();
                return Err(self.fail(self.token, message, None));
            }
        };
        if let Some(set) = set {
            // Non-semantic instructions may get further operands in later versions of their set.
            open.more_ids = set.is_non_semantic();
            if let Some(inst) = ext_inst(set, word) {
                self.out.push(inst.number);
                return Ok(inst.operands());
            }
        }
        if let Ok(number) = parse::u32(word) {
            self.out.push(number);
            return Ok(set
                .and_then(|s| s.instruction(number))
                .map_or(std::slice::from_ref(g::Operand::ANY_IDS), |i| i.operands()));
        }
        match set {
            Some(set) => Err(self.unknown_ext_inst(self.token, set, word)),
            None => {
                let message = format!("{} names no instruction, since the names in the set are unknown", shown(word));
                Err(self.fail(self.token, message, Some("write its number".to_owned())))
            }
        }
    }

    /// The opcode of an `OpSpecConstantOp`, without `Op`; returns its operands.
    fn spec_op(&mut self) -> Done<&'static [g::Operand]> {
        let word = self.lex.word();
        let known = Op::from_name(word).filter(|op| !word.starts_with(b"Op") && allowed_in_spec_constant_op(*op));
        let Some(op) = known else {
            return Err(self.unknown_spec_op(self.token, word));
        };
        self.out.push(op.0.into());
        let desc = op.desc();
        let results = desc.map_or(0, |d| usize::from(d.has_result_type()) + usize::from(d.has_result()));
        Ok(desc.and_then(|d| d.operands().get(results..)).unwrap_or(&[]))
    }
}

/// The instruction of this name. Version 100 of the shaders' debug set is also used with what later ones added.
fn ext_inst(set: ExtSet, name: &[u8]) -> Option<&'static ExtInstDesc> {
    set.instruction_by_name(name).or_else(|| match set {
        ExtSet::ShaderDebugInfo100 => ExtSet::ShaderDebugInfo.instruction_by_name(name),
        _ => None,
    })
}

/// What a string with escapes says: whatever follows a backslash stands for itself.
fn unescaped(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some((plain, escaped)) = memchr::memchr(b'\\', rest).and_then(|at| rest.split_at_checked(at)) {
        bytes.extend_from_slice(plain);
        bytes.extend(escaped.get(1));
        rest = escaped.get(2..).unwrap_or(&[]);
    }
    bytes.extend_from_slice(rest);
    bytes
}

/// Appends a literal string: its bytes, a NUL, zeros to the end of the word.
#[inline]
fn push_string(out: &mut Vec<u32>, bytes: &[u8]) {
    let (whole, rest) = bytes.as_chunks::<4>();
    out.extend(whole.iter().map(|c| u32::from_le_bytes(*c)));
    let last = rest.iter().rev().fold(0, |word, b| word << 8 | u32::from(*b));
    out.push(last);
}
