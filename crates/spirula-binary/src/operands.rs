//! The interpreter of operand shapes: one instruction's words → operands.

use core::fmt;

use spirula_grammar::{
    self as g, Category, ExtSet, MaskParameters, Op, OperandKind, Quantifier, allowed_in_spec_constant_op,
};

use crate::{Id, Inst, LitStr, Number, NumberKind};

/// What an `OpExtInstImport` brings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Imported {
    /// A set of the grammar.
    Known(ExtSet),
    /// Another set: the operands of its instructions are taken to be ids.
    Unknown,
}

/// What decoding needs to know of the instructions before.
pub trait Context {
    /// The number type that the type `ty` is, where it is an `OpTypeInt` or `OpTypeFloat`.
    fn number(&self, ty: Id) -> Option<Number>;
    /// Result type of the instruction that defines `id`.
    fn type_of(&self, id: Id) -> Option<Id>;
    /// The set that `id` imports, where it is an `OpExtInstImport`.
    fn imported(&self, id: Id) -> Option<Imported>;
}

/// One operand of an instruction. Pairs arrive as their two parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Operand<'w> {
    /// Kind; never a pair.
    pub kind: OperandKind,
    /// Name in the specification, perhaps empty.
    pub name: &'static str,
    /// Its words.
    pub words: &'w [u32],
    /// Position of its first word within the instruction.
    pub at: u32,
    /// For literal numbers, their type. One-word literals that depend on no type are unsigned 32-bit (or float).
    pub number: Option<Number>,
}

impl<'w> Operand<'w> {
    /// First word.
    #[inline]
    pub fn word(&self) -> u32 {
        self.words.first().copied().unwrap_or(0)
    }

    /// The id, where it is one.
    #[inline]
    pub fn id(&self) -> Option<Id> {
        self.kind.is_id().then(|| Id(self.word()))
    }

    /// The string, where it is one.
    pub fn string(&self) -> Option<LitStr<'w>> {
        if self.kind == OperandKind::LiteralString { LitStr::read(self.words) } else { None }
    }
}

/// Why an instruction's words do not fit its shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DecodeErrorKind {
    /// The grammar does not know the opcode.
    UnknownOpcode,
    /// The instruction ends before a mandatory operand.
    Missing,
    /// Words are left after the last operand.
    TooManyWords,
    /// No NUL ends the string before the instruction ends.
    UnterminatedString,
    /// The kind has no such value.
    UnknownEnumerant {
        /// The value.
        value: u32,
    },
    /// The mask has bits that the kind does not know.
    UnknownBits {
        /// The unknown ones.
        bits: u32,
    },
    /// The set has no instruction with this number.
    UnknownExtInst {
        /// The set.
        set: ExtSet,
        /// The number.
        number: u32,
    },
    /// `OpSpecConstantOp` names an opcode that it cannot apply.
    NotASpecConstantOp {
        /// The opcode's word.
        op: u32,
    },
    /// The literal's type is not a known number type, so its size is unknown.
    UnknownLiteralType {
        /// The id that should give the type.
        id: Id,
    },
}

/// Why, and where, an instruction's words do not fit its shape.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DecodeError {
    /// What is wrong.
    pub kind: DecodeErrorKind,
    /// Position within the instruction of the word that is wrong (or missing).
    pub at: u32,
    /// The operand that was expected there, if any.
    pub expected: Option<&'static g::Operand>,
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = |f: &mut fmt::Formatter<'_>| match self.expected {
            Some(o) if !o.name().is_empty() => write!(f, "{} ({})", o.name(), o.kind.name()),
            Some(o) => f.write_str(o.kind.name()),
            None => f.write_str("operand"),
        };
        match self.kind {
            DecodeErrorKind::UnknownOpcode => f.write_str("unknown opcode"),
            DecodeErrorKind::Missing => {
                f.write_str("the instruction ends before its operand ")?;
                name(f)
            }
            DecodeErrorKind::TooManyWords => {
                write!(f, "the instruction has words after its last operand, from word {} on", self.at)
            }
            DecodeErrorKind::UnterminatedString => {
                f.write_str("no NUL ends the string ")?;
                name(f)
            }
            DecodeErrorKind::UnknownEnumerant { value } => {
                write!(f, "{value} is not a value of ")?;
                f.write_str(self.expected.map_or("the operand", |o| o.kind.name()))
            }
            DecodeErrorKind::UnknownBits { bits } => {
                write!(f, "{bits:#x} are not bits of ")?;
                f.write_str(self.expected.map_or("the operand", |o| o.kind.name()))
            }
            DecodeErrorKind::UnknownExtInst { set, number } => {
                write!(f, "{} has no instruction {number}", set.name())
            }
            DecodeErrorKind::NotASpecConstantOp { op } => match u16::try_from(op).ok().and_then(|op| Op(op).name()) {
                Some(n) => write!(f, "OpSpecConstantOp cannot apply {n}"),
                None => write!(f, "OpSpecConstantOp cannot apply opcode {op}"),
            },
            DecodeErrorKind::UnknownLiteralType { id } => {
                write!(
                    f,
                    "the size of the literal is unknown, since {id} is not, or has not, an integer or floating-point type"
                )
            }
        }
    }
}

impl core::error::Error for DecodeError {}

/// Iterates over the operands of one instruction. Ends after the first error.
#[derive(Clone)]
pub struct Operands<'w, 'c, C: ?Sized> {
    inst: Inst<'w>,
    context: &'c C,
    /// Position of the next word.
    at: usize,
    /// Operands still to come, the innermost list first.
    params: &'static [g::Operand],
    base: &'static [g::Operand],
    /// Parameters of a mask that are still to come.
    mask: MaskParameters,
    /// The second half of a pair.
    half: Option<&'static g::Operand>,
    failed: bool,
    /// Later revisions of a non-semantic set may add operands to an instruction: ids, as all of theirs.
    may_grow: bool,
}

const U32: Number = Number { width: 32, kind: NumberKind::Unsigned };
const F32: Number = Number { width: 32, kind: NumberKind::Float };

impl<'w, 'c, C: Context + ?Sized> Operands<'w, 'c, C> {
    /// The operands of `inst`.
    pub fn new(inst: Inst<'w>, context: &'c C) -> Self {
        let desc = inst.desc();
        Operands {
            inst,
            context,
            at: 1,
            params: &[],
            base: desc.map_or(&[], |d| d.operands()),
            mask: MaskParameters::NONE,
            half: None,
            failed: false,
            may_grow: false,
        }
    }

    /// Position within the instruction of the word that comes next.
    pub fn position(&self) -> usize {
        self.at
    }

    #[cold]
    fn fail(
        &mut self,
        kind: DecodeErrorKind,
        expected: Option<&'static g::Operand>,
    ) -> Option<Result<Operand<'w>, DecodeError>> {
        self.failed = true;
        Some(Err(DecodeError { kind, at: self.at as u32, expected }))
    }

    /// The operand that the next words should be; `None` where the instruction should end.
    fn expected(&mut self) -> Option<&'static g::Operand> {
        if let Some(half) = self.half.take() {
            return Some(half);
        }
        loop {
            let from_params = !self.params.is_empty();
            let list = if from_params { &mut self.params } else { &mut self.base };
            if let Some((first, rest)) = list.split_first() {
                match first.quantifier {
                    Quantifier::Many => {
                        if self.at < self.inst.words().len() {
                            return Some(first);
                        }
                        *list = rest;
                        continue;
                    }
                    Quantifier::Optional if self.at >= self.inst.words().len() => {
                        *list = rest;
                        continue;
                    }
                    _ => {
                        *list = rest;
                        // Parameters of a mask come before what follows the mask, even if a list of one bit is used up.
                        return Some(first);
                    }
                }
            }
            return None;
        }
    }

    /// Decodes one operand at the current position.
    fn decode(&mut self, o: &'static g::Operand) -> Option<Result<Operand<'w>, DecodeError>> {
        let words = self.inst.tail(self.at);
        if words.is_empty() {
            return self.fail(DecodeErrorKind::Missing, Some(o));
        }
        let mut kind = o.kind;
        let mut number = None;
        let mut len = 1;
        match kind {
            OperandKind::LiteralString => match LitStr::read(words) {
                Some(s) => len = s.word_count(),
                None => return self.fail(DecodeErrorKind::UnterminatedString, Some(o)),
            },
            OperandKind::LiteralInteger => number = Some(U32),
            OperandKind::LiteralFloat => number = Some(F32),
            OperandKind::LiteralContextDependentNumber => {
                let ty = self.inst.id(1);
                let Some(n) = self.context.number(ty) else {
                    return self.fail(DecodeErrorKind::UnknownLiteralType { id: ty }, Some(o));
                };
                (number, len) = (Some(n), n.words());
            }
            OperandKind::PairLiteralIntegerIdRef => {
                let selector = self.inst.id(1);
                let n = self.context.type_of(selector).and_then(|ty| self.context.number(ty));
                let Some(n) = n.filter(|n| matches!(n.kind, NumberKind::Signed | NumberKind::Unsigned)) else {
                    return self.fail(DecodeErrorKind::UnknownLiteralType { id: selector }, Some(o));
                };
                (kind, number, len) = (OperandKind::LiteralInteger, Some(n), n.words());
                self.half = Some(g::Operand::LABEL);
            }
            OperandKind::PairIdRefLiteralInteger => {
                kind = OperandKind::IdRef;
                self.half = Some(g::Operand::MEMBER);
            }
            OperandKind::PairIdRefIdRef => {
                kind = OperandKind::IdRef;
                self.half = Some(g::Operand::PARENT);
            }
            OperandKind::LiteralExtInstInteger => return self.ext_inst(o, words),
            OperandKind::LiteralSpecConstantOpInteger => return self.spec_op(o, words),
            _ => match kind.category() {
                Category::ValueEnum => match kind.enumerant(words[0]) {
                    Some(e) => {
                        if !e.parameters().is_empty() {
                            self.params = e.parameters();
                        }
                    }
                    None => return self.fail(DecodeErrorKind::UnknownEnumerant { value: words[0] }, Some(o)),
                },
                Category::BitEnum => {
                    if let Some(bits) = unknown_bits(kind, words[0]) {
                        return self.fail(DecodeErrorKind::UnknownBits { bits }, Some(o));
                    }
                    self.mask = MaskParameters::of(kind, words[0]);
                }
                _ => {}
            },
        }
        let Some(own) = words.get(..len) else {
            return self.fail(DecodeErrorKind::Missing, Some(o));
        };
        Some(Ok(self.take(o, kind, own, number)))
    }

    fn take(
        &mut self,
        o: &'static g::Operand,
        kind: OperandKind,
        words: &'w [u32],
        number: Option<Number>,
    ) -> Operand<'w> {
        let at = self.at as u32;
        self.at += words.len();
        Operand { kind, name: o.name(), words, at, number }
    }

    fn ext_inst(&mut self, o: &'static g::Operand, words: &'w [u32]) -> Option<Result<Operand<'w>, DecodeError>> {
        // The set is the operand before: OpExtInst's third, after result type and result id.
        let set = self.inst.id(self.at - 1);
        self.base = match self.context.imported(set) {
            Some(Imported::Known(set)) => match set.instruction(words[0]) {
                Some(e) => {
                    self.may_grow = set.is_non_semantic();
                    e.operands()
                }
                // Non-semantic sets may grow without a new name.
                None if set.is_non_semantic() => core::slice::from_ref(g::Operand::ANY_IDS),
                None => return self.fail(DecodeErrorKind::UnknownExtInst { set, number: words[0] }, Some(o)),
            },
            Some(Imported::Unknown) | None => core::slice::from_ref(g::Operand::ANY_IDS),
        };
        Some(Ok(self.take(o, o.kind, &words[..1], Some(U32))))
    }

    fn spec_op(&mut self, o: &'static g::Operand, words: &'w [u32]) -> Option<Result<Operand<'w>, DecodeError>> {
        let op = u16::try_from(words[0]).map(Op).ok().filter(|op| allowed_in_spec_constant_op(*op));
        let Some(desc) = op.and_then(Op::desc) else {
            return self.fail(DecodeErrorKind::NotASpecConstantOp { op: words[0] }, Some(o));
        };
        let results = usize::from(desc.has_result_type()) + usize::from(desc.has_result());
        self.base = desc.operands().get(results..).unwrap_or(&[]);
        Some(Ok(self.take(o, o.kind, &words[..1], Some(U32))))
    }
}

/// The bits of `mask` that `kind` does not know, if any.
#[inline]
pub fn unknown_bits(kind: OperandKind, mask: u32) -> Option<u32> {
    let unknown = mask & !kind.mask_bits().known;
    (unknown != 0).then_some(unknown)
}

impl<'w, C: Context + ?Sized> Iterator for Operands<'w, '_, C> {
    type Item = Result<Operand<'w>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        if self.at == 1 && self.inst.desc().is_none() {
            return self.fail(DecodeErrorKind::UnknownOpcode, None);
        }
        if self.half.is_none()
            && self.params.is_empty()
            && let Some(parameters) = self.mask.next()
        {
            self.params = parameters;
        }
        match self.expected() {
            Some(o) => self.decode(o),
            None if self.may_grow && self.at < self.inst.words().len() => self.decode(g::Operand::ANY_IDS),
            None if self.at < self.inst.words().len() => self.fail(DecodeErrorKind::TooManyWords, None),
            None => None,
        }
    }
}
