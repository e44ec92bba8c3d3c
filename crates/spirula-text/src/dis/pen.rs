//! Operands → text.

use core::fmt;

use spirula_binary::{Context as _, DecodeError, Id, Imported, Inst, LitStr, Number, NumberKind, Operand};
use spirula_grammar::{Category, ExtInstDesc, ExtSet, Op, OperandKind};

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
    /// Appends a decoded operand.
    pub(crate) fn operand(&mut self, inst: Inst<'_>, o: &Operand<'_>, types: &LiteralTypes) -> Result<(), Reason> {
        match o.kind {
            OperandKind::IdResult => {}
            OperandKind::LiteralString => return o.string().map_or(Ok(()), |s| self.string(s)),
            OperandKind::LiteralExtInstInteger => {
                let set = inst.id((o.at as usize).saturating_sub(1));
                match types.imported(set) {
                    None => return Err(Reason::NotImported(set)),
                    Some(Imported::Unknown) => self.literal_integer(o.word()),
                    Some(Imported::Known(set)) => match set.instruction(o.word()) {
                        Some(e) => self.ext_inst(set, e),
                        None => self.literal_integer(o.word()),
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
                    self.name(o.kind.enumerant(o.word()).map_or("", |e| e.name()));
                }
                Category::BitEnum => {
                    self.mask(o.kind, o.word());
                }
                Category::Literal | Category::Composite => {
                    let number = o.number.unwrap_or(Number { width: 32, kind: NumberKind::Unsigned });
                    return self.literal(number, o.words);
                }
            },
        }
        Ok(())
    }

    /// Appends an id.
    #[inline]
    pub(crate) fn id(&mut self, id: Id) -> Result<(), Reason> {
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

    /// Appends an enumerant's name.
    #[inline]
    pub(crate) fn name(&mut self, name: &str) {
        self.out.push(' ');
        self.out.push_str(name);
    }

    #[inline]
    pub(crate) fn coloured(&mut self, colour: Colour, print: impl FnOnce(&mut String)) {
        self.out.push(' ');
        if self.colour {
            self.out.push_str(colour);
        }
        print(&mut self.out);
        if self.colour {
            self.out.push_str(colour::RESET);
        }
    }

    /// Appends an unsigned 32-bit number.
    #[inline]
    pub(crate) fn literal_integer(&mut self, word: u32) {
        self.coloured(colour::NUMBER, |out| print::unsigned(out, word.into()));
    }

    /// Appends a mask's names; false, perhaps having appended some, where a bit has none.
    pub(crate) fn mask(&mut self, kind: OperandKind, mask: u32) -> bool {
        if mask == 0 {
            self.name(kind.enumerant(0).map_or("None", |e| e.name()));
        }
        let mut separator = " ";
        for bit in bits(mask) {
            let Some(e) = kind.enumerant(bit) else { return false };
            self.out.push_str(separator);
            self.out.push_str(e.name());
            separator = "|";
        }
        true
    }

    /// Appends an extended instruction's name.
    pub(crate) fn ext_inst(&mut self, set: ExtSet, e: &ExtInstDesc) {
        if goes_by_number(set) {
            self.literal_integer(e.number);
        } else {
            self.coloured(colour::NUMBER, |out| out.push_str(e.name()));
        }
    }

    /// Appends a literal number.
    pub(crate) fn literal(&mut self, number: Number, words: &[u32]) -> Result<(), Reason> {
        if !print::is_exact(number, words) {
            return Err(Reason::Literal(number));
        }
        let print = if words.len() > 2 { print::wide } else { print::number };
        self.coloured(colour::NUMBER, |out| print(out, number, words));
        Ok(())
    }

    /// Appends a string in quotes.
    pub(crate) fn string(&mut self, string: LitStr<'_>) -> Result<(), Reason> {
        if !string.is_padded_with_zeros() {
            return Err(Reason::Padding);
        }
        let bytes = string.to_bytes();
        let text = simdutf8::basic::from_utf8(&bytes).map_err(|_| Reason::NotUtf8)?;
        self.out.push_str(" \"");
        if self.colour {
            self.out.push_str(colour::STRING);
        }
        let mut plain = text;
        while let Some(at) = memchr::memchr2(b'"', b'\\', plain.as_bytes()) {
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

/// The bits that are set, from the lowest.
fn bits(mask: u32) -> impl Iterator<Item = u32> {
    let mut left = mask;
    core::iter::from_fn(move || {
        let bit = left & left.wrapping_neg();
        left &= !bit;
        (bit != 0).then_some(bit)
    })
}

/// Sets of which other tools that read text do not know the names: their instructions are written as numbers.
fn goes_by_number(set: ExtSet) -> bool {
    matches!(set, ExtSet::DebugPrintf | ExtSet::DebugBreak)
}
