//! What the grammar does not guide: `!` tokens with what follows them, and `OpUnknown`.

use spirula_binary::{Number, NumberKind};

use super::encode::{Assembler, Open};
use super::error::{Done, shown};
use super::lex::Mark;
use crate::number::parse;

impl<'t> Assembler<'t> {
    /// From a `!` token to the next instruction, tokens are encoded by their looks: raw words, ids, strings, and
    /// numbers of one word.
    pub(super) fn raw_operands(&mut self, mut open: Option<&mut Open>) -> Done {
        while let Some(next) = self.next_operand() {
            self.loose(next)?;
            // A raw result type is followed by the result id, as any other.
            if let Some(open) = &mut open
                && open.result.is_none()
            {
                self.result(open);
            }
        }
        Ok(())
    }

    /// One token, encoded by its looks.
    fn loose(&mut self, next: u8) -> Done {
        self.token = self.lex.mark();
        match next {
            b'!' => {
                let word = self.lex.word();
                let Ok(value) = parse::raw(word.get(1..).unwrap_or(&[])) else {
                    let help = "a raw word is `!` and an integer of 32 bits".to_owned();
                    return Err(self.fail(self.token, format!("{} is not a raw word", shown(word)), Some(help)));
                };
                self.out.push(value);
            }
            b'%' => {
                let Some(name) = self.lex.id() else {
                    let word = self.word_at(self.token);
                    return Err(self.bad_id(self.token, word));
                };
                let index = self.ids.intern(name, self.text);
                self.out.push(self.ids.value(index));
            }
            b'"' => {
                self.string(next, String::new)?;
            }
            _ => {
                let word = self.lex.any();
                match parse::untyped(word) {
                    Ok(value) => self.out.push(value),
                    Err(parse::NumberError::OutOfRange) => {
                        let number = Number { width: 32, kind: NumberKind::Signed };
                        return Err(self.bad_number(self.token, word, number, parse::NumberError::OutOfRange));
                    }
                    Err(_) => {
                        let message = format!("{} cannot stand where operands are not typed", shown(word));
                        let help = "after a `!` token come ids, strings, 32-bit numbers and further `!` tokens";
                        return Err(self.fail(self.token, message, Some(help.to_owned())));
                    }
                }
            }
        }
        Ok(())
    }

    /// `OpUnknown(opcode, words)` and its operands; the name is just read.
    pub(super) fn unknown_instruction(&mut self, mark: Mark, assigned: bool) -> Done {
        if assigned {
            let help = "write its result id among its operands".to_owned();
            return Err(self.fail(mark, "OpUnknown cannot be assigned".to_owned(), Some(help)));
        }
        self.punctuation(mark, b'(')?;
        let op = self.half_word(mark, "the opcode")?;
        self.punctuation(mark, b',')?;
        let count = self.half_word(mark, "the word count")?;
        if count == 0 {
            return Err(self.fail(self.token, "an instruction has at least one word".to_owned(), None));
        }
        self.punctuation(mark, b')')?;
        let start = self.out.len();
        self.out.push(u32::from(count) << 16 | u32::from(op));
        loop {
            let words = self.out.len() - start;
            let next = self.next_operand();
            match next {
                _ if words > usize::from(count) => {
                    let message = format!("OpUnknown has {words} words, not {count}");
                    return Err(self.fail_at(self.token, self.lex.end(), message, None));
                }
                _ if words == usize::from(count) => break,
                Some(next) => self.loose(next)?,
                None => {
                    let message = format!("OpUnknown has {words} words, not {count}");
                    return Err(self.fail_at(mark, self.lex.end(), message, None));
                }
            }
        }
        self.whole()?;
        self.record_raw(start);
        Ok(())
    }

    fn punctuation(&mut self, mark: Mark, wanted: u8) -> Done {
        let next = self.lex.skip();
        if self.lex.eat(wanted) {
            return Ok(());
        }
        let at = if next.is_some() { self.lex.mark() } else { mark };
        self.lex.any();
        let message = format!("OpUnknown lacks its `{}`", char::from(wanted));
        Err(self.fail(at, message, Some("it is written `OpUnknown(opcode, words)`".to_owned())))
    }

    fn half_word(&mut self, mark: Mark, what: &str) -> Done<u16> {
        let next = self.lex.skip();
        self.token = if next.is_some() { self.lex.mark() } else { mark };
        let word = self.lex.word();
        parse::u32(word).ok().and_then(|v| v.try_into().ok()).ok_or(()).map_err(|()| {
            let message = format!("{what} of OpUnknown has to be a 16-bit number, not {}", shown(word));
            self.fail(self.token, message, None)
        })
    }
}
