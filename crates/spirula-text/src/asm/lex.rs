//! Bytes → tokens.

/// Classes of bytes.
const SPACE: u8 = 1;
const STOP: u8 = 2;
const ID: u8 = 4;
const QUOTE: u8 = 8;

static CLASS: [u8; 256] = {
    let mut t = [0; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = match i as u8 {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0 => SPACE | STOP,
            b';' | b',' | b'(' | b')' => STOP,
            b'_' | b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' => ID,
            b'"' | b'\\' => QUOTE,
            _ => 0,
        };
        i += 1;
    }
    t
};

#[inline]
fn class(b: u8) -> u8 {
    CLASS[b as usize]
}

/// A place in the text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mark {
    pub(super) start: usize,
    pub(super) line: u32,
    pub(super) column: u32,
}

/// A quoted string.
pub(super) enum Quoted<'t> {
    /// Its bytes are those between the quotes.
    Plain(&'t [u8]),
    /// Its bytes are those between the quotes, once the escapes are resolved.
    Escaped(&'t [u8]),
    /// No quote ends it.
    Open,
    /// Something follows the last quote.
    Trailing,
}

/// Reads tokens; cheap to copy, so that a look ahead can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    pos: usize,
    line: u32,
    line_start: usize,
    /// Where the id that was looked at last starts and ends, so that it is not scanned again.
    id: (usize, usize),
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8]) -> Lexer<'t> {
        Lexer { text, pos: 0, line: 1, line_start: 0, id: (usize::MAX, 0) }
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    #[inline]
    pub(super) fn line(&self) -> u32 {
        self.line
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        let column = (self.pos - self.line_start) as u32 + 1;
        Mark { start: self.pos, line: self.line, column }
    }

    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.text.get(self.pos..).unwrap_or(&[])
    }

    /// The byte that comes next.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    /// Skips white space and comments; returns the byte that comes next.
    #[inline]
    pub(super) fn skip(&mut self) -> Option<u8> {
        loop {
            let b = *self.text.get(self.pos)?;
            if class(b) & SPACE != 0 {
                self.pos += 1;
                if b == b'\n' {
                    self.line += 1;
                    self.line_start = self.pos;
                    // Lines are mostly indented.
                    while self.rest().starts_with(b"        ") {
                        self.pos += 8;
                    }
                }
            } else if b == b';' {
                self.pos += self.rest().iter().position(|b| *b == b'\n').unwrap_or(self.rest().len());
            } else {
                return Some(b);
            }
        }
    }

    /// Takes `b` if it comes next.
    #[inline]
    pub(super) fn eat(&mut self, b: u8) -> bool {
        let found = self.peek() == Some(b);
        self.pos += usize::from(found);
        found
    }

    /// Takes everything up to the next white space, comment or punctuation that is not quoted.
    #[inline]
    pub(super) fn word(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let mut len = 0;
        while let Some(b) = rest.get(len) {
            match class(*b) {
                c if c & STOP != 0 => break,
                QUOTE => return self.quoted_word(len),
                _ => len += 1,
            }
        }
        self.pos += len;
        rest.get(..len).unwrap_or(&[])
    }

    /// Goes on with a word in which a quote or backslash stands at `len`.
    #[cold]
    fn quoted_word(&mut self, mut len: usize) -> &'t [u8] {
        let rest = self.rest();
        let mut quoted = false;
        let (mut lines, mut line_start) = (0, 0);
        while let Some(b) = rest.get(len) {
            match b {
                b'\\' => len += 1,
                b'"' => quoted = !quoted,
                b'\n' if quoted => (lines, line_start) = (lines + 1, self.pos + len + 1),
                b if !quoted && class(*b) & STOP != 0 => break,
                _ => {}
            }
            len += 1;
        }
        len = len.min(rest.len());
        if lines > 0 {
            (self.line, self.line_start) = (self.line + lines, line_start);
        }
        self.pos += len;
        rest.get(..len).unwrap_or(&[])
    }

    /// Takes a single byte of punctuation or a word.
    pub(super) fn any(&mut self) -> &'t [u8] {
        let rest = self.rest();
        let word = self.word();
        if !word.is_empty() || rest.is_empty() {
            return word;
        }
        self.pos += 1;
        rest.get(..1).unwrap_or(&[])
    }

    /// End of the id at `%`, which comes next.
    #[inline]
    fn id_end(&mut self) -> usize {
        if self.id.0 != self.pos {
            let mut end = self.pos + 1;
            while self.text.get(end).is_some_and(|b| class(*b) & ID != 0) {
                end += 1;
            }
            self.id = (self.pos, end);
        }
        self.id.1
    }

    /// Takes the id at `%`, which comes next: its name, or `None` where the token is not one.
    #[inline]
    pub(super) fn id(&mut self) -> Option<&'t [u8]> {
        let end = self.id_end();
        let ends = self.text.get(end).is_none_or(|b| class(*b) & STOP != 0 || *b == b'=');
        let name = self.text.get(self.pos + 1..end).filter(|n| ends && !n.is_empty());
        if name.is_some() {
            self.pos = end;
        } else {
            self.word();
        }
        name
    }

    /// Whether an instruction starts with the token that comes next: an opcode's name or `%id =`.
    #[inline]
    pub(super) fn at_instruction(&mut self, next: u8) -> bool {
        match next {
            b'O' => matches!(self.rest(), [_, b'p', b'A'..=b'Z', ..]),
            b'%' => {
                let end = self.id_end();
                // Nearly always one space at most stands between an id and what follows.
                let after = end + usize::from(self.text.get(end) == Some(&b' '));
                match self.text.get(after) {
                    Some(b'=') => true,
                    Some(b) if class(*b) & SPACE != 0 || *b == b';' => {
                        let mut ahead = Lexer { pos: after, ..*self };
                        ahead.skip() == Some(b'=')
                    }
                    _ => false,
                }
            }
            _ => false,
        }
    }

    /// Whether the token that comes next, the first of its line, looks like the start of a misspelt instruction: a bare
    /// word, or an id before an opcode.
    pub(super) fn resembles_instruction(&self, next: u8) -> bool {
        let mut ahead = *self;
        match next {
            b'%' => {
                ahead.id().is_some() && ahead.skip().is_some_and(|b| ahead.at_instruction(b)) && ahead.line == self.line
            }
            _ => next.is_ascii_alphabetic(),
        }
    }

    /// Takes the quoted string at `"`, which comes next.
    #[inline]
    pub(super) fn quoted(&mut self) -> Quoted<'t> {
        let rest = self.text.get(self.pos + 1..).unwrap_or(&[]);
        let Some(len) = rest.iter().position(|b| matches!(*b, b'"' | b'\\' | b'\n')) else {
            self.word();
            return Quoted::Open;
        };
        let ends = rest.get(len + 1).is_none_or(|b| class(*b) & STOP != 0);
        match rest.get(..len) {
            Some(bytes) if rest.get(len) == Some(&b'"') && ends => {
                self.pos += len + 2;
                Quoted::Plain(bytes)
            }
            _ => self.quoted_slowly(),
        }
    }

    #[cold]
    fn quoted_slowly(&mut self) -> Quoted<'t> {
        let [_, rest @ ..] = self.word() else { return Quoted::Open };
        // Quotes toggle: the word ended at a delimiter outside them, or at the end of the text.
        let (mut open, mut escapes, mut closed_at) = (true, false, None);
        let mut i = 0;
        while let Some(b) = rest.get(i) {
            match b {
                b'\\' => (i, escapes) = (i + 1, true),
                b'"' => {
                    open = !open;
                    closed_at = Some(i);
                }
                _ => {}
            }
            i += 1;
        }
        match closed_at {
            _ if open => Quoted::Open,
            Some(at) if at + 1 == rest.len() => {
                let bytes = rest.get(..at).unwrap_or(&[]);
                if escapes { Quoted::Escaped(bytes) } else { Quoted::Plain(bytes) }
            }
            _ => Quoted::Trailing,
        }
    }
}
