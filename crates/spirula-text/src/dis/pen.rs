//! Operands → text.

use core::fmt;

use spirula_binary::{Context as _, DecodeError, Id, Imported, Inst, LitStr, Number, NumberKind, Operand};
use spirula_grammar::{Category, ExtSet, Op, OperandKind};

use super::colour::{self, Colour};
use super::ids::LiteralTypes;
use super::names::Names;
use crate::number::print;

/// Why an instruction is printed as raw words.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Reason {
    /// Its words do not fit the grammar.
    Decode(DecodeError),
    /// An id is 0.
    ZeroId,
    /// An extended instruction's set is no `OpExtInstImport`.
    NotImported(Id),
    /// An extended instruction set that no assembler takes.
    UnknownSet,
    /// The string has bytes that no text has.
    NotUtf8,
    /// The bytes behind the string's NUL are not 0.
    Padding,
    /// The id is already that of a type or an import.
    Redefined(Id),
    /// The floating-point encoding has another width.
    Width(Number),
    /// The literal's bits are not those that its text would be read as.
    Literal(Number),
}

impl Reason {
    /// Whether the instruction is wrong, rather than merely unusual.
    pub(crate) fn is_damage(self) -> bool {
        !matches!(self, Reason::NotUtf8 | Reason::Padding | Reason::Literal(_) | Reason::Width(_))
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Decode(e) => e.fmt(f),
            Reason::ZeroId => f.write_str("0 is not an id"),
            Reason::NotImported(set) => write!(f, "{set} is not an OpExtInstImport"),
            Reason::UnknownSet => f.write_str("the extended instruction set is unknown"),
            Reason::Redefined(id) => write!(f, "{id} is already defined"),
            Reason::Width(Number { width, .. }) => write!(f, "the encoding is not one of {width} bits"),
            Reason::NotUtf8 => f.write_str("the string is not UTF-8"),
            Reason::Padding => f.write_str("the bytes after the string's NUL are not 0"),
            Reason::Literal(Number { width, kind }) => {
                let kind = match kind {
                    NumberKind::Unsigned => "unsigned",
                    NumberKind::Signed => "signed",
                    NumberKind::Float | NumberKind::Encoded(_) => "floating-point",
                };
                write!(f, "the literal is not in the form of a {width}-bit {kind} number")
            }
        }
    }
}

/// Appends operands to a text, each behind a space.
pub(crate) struct Pen<'a> {
    pub(crate) out: String,
    pub(crate) names: Option<&'a Names>,
    pub(crate) colour: bool,
}

impl Pen<'_> {
    /// Appends an operand of one word; false, having done nothing, where its kind may take more than that.
    #[inline]
    pub(crate) fn simple(&mut self, kind: OperandKind, word: u32) -> Result<bool, Reason> {
        match kind {
            OperandKind::IdResult => {}
            OperandKind::LiteralInteger => self.literal_integer(word),
            _ => match kind.category() {
                Category::Id => self.id(Id(word))?,
                Category::ValueEnum => match kind.enumerant(word) {
                    Some(e) if e.parameters().is_empty() => self.name(e.name),
                    _ => return Ok(false),
                },
                Category::BitEnum if word == 0 => self.mask(kind, 0),
                _ => return Ok(false),
            },
        }
        Ok(true)
    }

    /// Appends a decoded operand.
    pub(crate) fn operand(&mut self, inst: Inst<'_>, o: &Operand<'_>, types: &LiteralTypes) -> Result<(), Reason> {
        match o.kind {
            OperandKind::IdResult => {}
            OperandKind::LiteralString => return self.string(o.words),
            OperandKind::LiteralExtInstInteger => {
                let set = inst.id((o.at as usize).saturating_sub(1));
                match types.imported(set) {
                    None => return Err(Reason::NotImported(set)),
                    Some(Imported::Unknown) => self.literal_integer(o.word()),
                    Some(Imported::Known(set)) => match set.instruction(o.word()) {
                        Some(e) if !goes_by_number(set) => self.coloured(colour::NUMBER, |out| out.push_str(e.name)),
                        _ => self.literal_integer(o.word()),
                    },
                }
            }
            OperandKind::LiteralSpecConstantOpInteger => {
                let name = Op(o.word() as u16).name().unwrap_or_default();
                self.coloured(colour::NUMBER, |out| out.push_str(name.strip_prefix("Op").unwrap_or(name)));
            }
            _ => match o.kind.category() {
                Category::Id => return self.id(Id(o.word())),
                Category::ValueEnum => {
                    self.name(o.kind.enumerant(o.word()).map_or("", |e| e.name));
                }
                Category::BitEnum => self.mask(o.kind, o.word()),
                Category::Literal | Category::Composite => return self.number(o),
            },
        }
        Ok(())
    }

    #[inline]
    fn id(&mut self, id: Id) -> Result<(), Reason> {
        if id.0 == 0 {
            return Err(Reason::ZeroId);
        }
        if self.colour {
            self.out.push_str(colour::ID);
        }
        match self.names.and_then(|n| n.spelling(id)) {
            Some(name) => self.out.push_str(name),
            None => {
                self.out.push_str(" %");
                print::unsigned(&mut self.out, id.0.into());
            }
        }
        if self.colour {
            self.out.push_str(colour::RESET);
        }
        Ok(())
    }

    #[inline]
    fn name(&mut self, name: &str) {
        self.out.push(' ');
        self.out.push_str(name);
    }

    #[inline]
    fn coloured(&mut self, colour: Colour, print: impl FnOnce(&mut String)) {
        self.out.push(' ');
        if self.colour {
            self.out.push_str(colour);
        }
        print(&mut self.out);
        if self.colour {
            self.out.push_str(colour::RESET);
        }
    }

    #[inline]
    fn literal_integer(&mut self, word: u32) {
        self.coloured(colour::NUMBER, |out| print::unsigned(out, word.into()));
    }

    fn mask(&mut self, kind: OperandKind, mask: u32) {
        if mask == 0 {
            return self.name(kind.enumerant(0).map_or("None", |e| e.name));
        }
        let mut left = mask;
        let mut separator = ' ';
        while left != 0 {
            let bit = left & left.wrapping_neg();
            self.out.push(separator);
            self.out.push_str(kind.enumerant(bit).map_or("", |e| e.name));
            separator = '|';
            left &= !bit;
        }
    }

    fn number(&mut self, o: &Operand<'_>) -> Result<(), Reason> {
        let number = o.number.unwrap_or(Number { width: 32, kind: NumberKind::Unsigned });
        if !print::is_exact(number, o.words) {
            return Err(Reason::Literal(number));
        }
        self.coloured(colour::NUMBER, |out| print::number(out, number, o.words));
        Ok(())
    }

    fn string(&mut self, words: &[u32]) -> Result<(), Reason> {
        let Some(string) = LitStr::read(words) else { return Ok(()) };
        if !string.is_padded_with_zeros() {
            return Err(Reason::Padding);
        }
        let bytes = string.to_bytes();
        let text = core::str::from_utf8(&bytes).map_err(|_| Reason::NotUtf8)?;
        self.out.push_str(" \"");
        if self.colour {
            self.out.push_str(colour::STRING);
        }
        let mut plain = text;
        while let Some(at) = plain.bytes().position(|b| b == b'"' || b == b'\\') {
            let (before, rest) = plain.split_at_checked(at).unwrap_or((plain, ""));
            let (special, rest) = rest.split_at_checked(1).unwrap_or((rest, ""));
            self.out.push_str(before);
            self.out.push('\\');
            self.out.push_str(special);
            plain = rest;
        }
        self.out.push_str(plain);
        if self.colour {
            self.out.push_str(colour::RESET);
        }
        self.out.push('"');
        Ok(())
    }
}

/// Sets of which other tools that read text do not know the names: their instructions are written as numbers.
fn goes_by_number(set: ExtSet) -> bool {
    matches!(set, ExtSet::DebugPrintf | ExtSet::DebugBreak)
}
