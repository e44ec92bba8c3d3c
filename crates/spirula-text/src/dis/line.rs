//! One instruction → one line.

use spirula_binary::{Id, Inst, LitStr, Number, NumberKind, Operands};
use spirula_grammar::{ExtSet, Op};

use super::colour;
use super::ids::LiteralTypes;
use super::names::Names;
use super::pen::{Pen, Reason};
use crate::number::print;

const SPACES: &str = "                                                                ";

/// Appends `n` spaces.
pub(crate) fn spaces(out: &mut String, mut n: usize) {
    while n > 0 {
        let now = n.min(SPACES.len());
        out.push_str(&SPACES[..now]);
        n -= now;
    }
}

/// Prints instructions, one after another in the order of the module.
pub(crate) struct Printer<'a> {
    pub(crate) pen: Pen<'a>,
    pub(crate) types: LiteralTypes,
    /// Column of the opcodes of instructions without result.
    pub(crate) indent: usize,
    /// Write the operands of `OpUnknown(…)` as numbers rather than as `!…`.
    pub(crate) as_unknown: bool,
}

impl<'a> Printer<'a> {
    pub(crate) fn new(module: &[u32], names: Option<&'a Names>) -> Printer<'a> {
        Printer {
            pen: Pen { out: String::new(), names, colour: false },
            types: LiteralTypes::new(module),
            indent: 0,
            as_unknown: false,
        }
    }

    /// Prints `inst`, its opcode moved `nesting` columns to the right. As raw words where text cannot carry it.
    #[inline]
    pub(crate) fn instruction(&mut self, inst: Inst<'_>, nesting: usize) -> Option<Reason> {
        let start = self.pen.out.len();
        match self.try_instruction(inst, nesting) {
            Ok(()) => None,
            Err(reason) => {
                self.pen.out.truncate(start);
                self.raw(inst, nesting);
                self.types.note_raw(inst);
                Some(reason)
            }
        }
    }

    fn try_instruction(&mut self, inst: Inst<'_>, nesting: usize) -> Result<(), Reason> {
        let Some(desc) = inst.desc() else {
            return self.operands(inst);
        };
        let result = desc.result_word();
        if result == 0 || result >= inst.words().len() {
            spaces(&mut self.pen.out, self.indent);
        } else {
            self.result(inst.id(result))?;
        }
        spaces(&mut self.pen.out, nesting);
        self.pen.out.push_str(desc.name());
        if !self.quick(inst, desc)? {
            self.operands(inst)?;
        }
        if desc.result_word() == 1 {
            check_definition(inst)?;
        }
        if !self.types.note(inst, desc) {
            return Err(Reason::Redefined(inst.id(1)));
        }
        Ok(())
    }

    fn result(&mut self, id: Id) -> Result<(), Reason> {
        if id.0 == 0 {
            return Err(Reason::ZeroId);
        }
        let mut digits = itoa::Buffer::new();
        let name = match self.pen.names.and_then(|n| n.get(id)) {
            Some(name) => name,
            None => digits.format(id.0),
        };
        // `%` before and ` = ` behind.
        spaces(&mut self.pen.out, self.indent.saturating_sub(name.len() + 4));
        if self.pen.colour {
            self.pen.out.push_str(colour::RESULT);
        }
        self.pen.out.push('%');
        self.pen.out.push_str(name);
        if self.pen.colour {
            self.pen.out.push_str(colour::RESET);
        }
        self.pen.out.push_str(" = ");
        Ok(())
    }

    fn operands(&mut self, inst: Inst<'_>) -> Result<(), Reason> {
        for operand in Operands::new(inst, &self.types) {
            self.pen.operand(inst, &operand.map_err(Reason::Decode)?, &self.types)?;
        }
        Ok(())
    }

    fn raw(&mut self, inst: Inst<'_>, nesting: usize) {
        spaces(&mut self.pen.out, self.indent + nesting);
        // Words alone would be read as further operands of the instruction before, where it takes any number.
        self.pen.out.push_str("OpUnknown(");
        print::unsigned(&mut self.pen.out, inst.op().0.into());
        self.pen.out.push_str(", ");
        print::unsigned(&mut self.pen.out, inst.words().len() as u64);
        self.pen.out.push(')');
        if self.as_unknown {
            for word in inst.tail(1) {
                self.pen.out.push(' ');
                print::unsigned(&mut self.pen.out, (*word).into());
            }
        } else {
            if inst.words().len() > 1 {
                self.pen.out.push(' ');
            }
            raw_words(&mut self.pen.out, inst.tail(1));
        }
    }
}

/// Whether assemblers take a type or import as it is written.
fn check_definition(inst: Inst<'_>) -> Result<(), Reason> {
    match inst.op() {
        Op::ExtInstImport => match LitStr::read(inst.tail(2)).map(|n| n.to_bytes()) {
            Some(name) if ExtSet::from_name(&name).is_some() || name.starts_with(b"NonSemantic.") => Ok(()),
            _ => Err(Reason::UnknownSet),
        },
        Op::TypeFloat => match Number::of_type(inst) {
            Some(n) if matches!(n.kind, NumberKind::Encoded(_)) && !print::is_encodable(n) => Err(Reason::Width(n)),
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}

/// Appends words in the form that stands for any word: `!0x00020011 !0x00000001`.
pub(crate) fn raw_words(out: &mut String, words: &[u32]) {
    for (i, word) in words.iter().enumerate() {
        out.push_str(if i == 0 { "!" } else { " !" });
        print::word(out, *word);
    }
}
