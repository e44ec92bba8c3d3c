//! Bytes → tokens.

use super::swar;

/// Classes of bytes.
const SPACE: u8 = 1;
const STOP: u8 = 2;
const ID: u8 = 4;
const QUOTE: u8 = 8;
const COMMENT: u8 = 16;

static CLASS: [u8; 256] = {
    let mut t = [0; 256];
    let mut i = 0;
    while i < 256 {
        t[i] = match i as u8 {
            b' ' | b'\t' | b'\r' | b'\n' | 0x0b | 0x0c | 0 => SPACE | STOP,
            b';' => COMMENT | STOP,
            b',' | b'(' | b')' => STOP,
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
}

/// A quoted string.
pub(super) enum Quoted<'t> {
    /// Its bytes are those between the quotes.
    Plain(&'t [u8]),
    /// Its bytes are those between the quotes, once the escapes are resolved.
    Escaped(&'t [u8]),
    /// A NUL byte is among its bytes.
    Nul,
    /// No quote ends it.
    Open,
    /// Something follows the last quote.
    Trailing,
}

/// An id in the text, without its `%`.
#[derive(Clone, Copy)]
pub(super) struct Name {
    start: usize,
    end: usize,
    number: u32,
}

/// Stands for no number; those of few digits are smaller.
const NO_NUMBER: u32 = u32::MAX;

impl Name {
    /// Its value, where it is a decimal number of few digits without leading zeros.
    #[inline]
    pub(super) fn number(self) -> Option<u32> {
        (self.number != NO_NUMBER).then_some(self.number)
    }

    /// Its text.
    #[inline]
    pub(super) fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start..self.end).unwrap_or(&[])
    }
}

/// What was found at a `%`, so that it is not looked for again.
#[derive(Clone, Copy)]
struct Seen {
    name: Name,
    /// The token that follows.
    next: usize,
    /// Whether that is `=`.
    assigned: bool,
}

/// Reads tokens; cheap to copy, so that a look ahead can be taken back.
#[derive(Clone, Copy)]
pub(super) struct Lexer<'t> {
    text: &'t [u8],
    /// Whether more text follows, so that what reaches the end may not be whole.
    cut: bool,
    pos: usize,
    /// The place where a token was last found to start.
    ready: usize,
    /// End of the token last taken.
    end: usize,
    seen: Seen,
}

impl<'t> Lexer<'t> {
    pub(super) fn new(text: &'t [u8], cut: bool) -> Lexer<'t> {
        let seen = Seen { name: Name { start: 0, end: 0, number: NO_NUMBER }, next: 0, assigned: false };
        Lexer { text, cut, pos: 0, ready: usize::MAX, end: 0, seen }
    }

    #[inline]
    pub(super) fn pos(&self) -> usize {
        self.pos
    }

    /// Whether what was read last may not be whole.
    #[inline]
    pub(super) fn is_cut(&self) -> bool {
        self.cut && self.pos >= self.text.len()
    }

    /// Whether no token is left of a text that is cut: what seems wrong may only lack its end.
    pub(super) fn is_cut_behind_space(&self) -> bool {
        self.cut && self.token_from(self.pos) >= self.text.len()
    }

    /// End of the token last taken.
    #[inline]
    pub(super) fn end(&self) -> usize {
        self.end
    }

    #[inline]
    pub(super) fn mark(&self) -> Mark {
        Mark { start: self.pos }
    }

    #[inline]
    fn rest(&self) -> &'t [u8] {
        self.text.get(self.pos..).unwrap_or(&[])
    }

    /// The eight bytes from `at` on, unless the text ends before.
    #[inline]
    fn eight(&self, at: usize) -> Option<u64> {
        self.text.get(at..)?.first_chunk().map(|b| u64::from_le_bytes(*b))
    }

    /// Takes the token of `len` bytes that comes next.
    #[inline]
    fn take(&mut self, len: usize) -> &'t [u8] {
        let (start, end) = (self.pos, self.pos + len);
        self.pos = end;
        self.end = end;
        self.text.get(start..end).unwrap_or(&[])
    }

    /// The byte that comes next.
    #[inline]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.get(self.pos).copied()
    }

    /// Skips white space and comments; returns the byte that comes next.
    #[inline]
    pub(super) fn skip(&mut self) -> Option<u8> {
        if self.ready != self.pos {
            self.pos = self.token_from(self.pos);
            self.ready = self.pos;
        }
        self.peek()
    }

    /// Where the first token from `at` on starts.
    #[inline]
    fn token_from(&self, at: usize) -> usize {
        // One space, or none, stands before most tokens.
        let at = at + usize::from(self.text.get(at) == Some(&b' '));
        match self.text.get(at) {
            Some(b) if class(*b) & (SPACE | COMMENT) != 0 => self.token_behind_space(at),
            _ => at,
        }
    }

    #[inline(never)]
    fn token_behind_space(&self, at: usize) -> usize {
        let at = self.behind_space(at);
        if self.text.get(at) == Some(&b';') { self.token_behind_comments(at) } else { at }
    }

    #[inline(never)]
    fn token_behind_comments(&self, mut at: usize) -> usize {
        while self.text.get(at) == Some(&b';') {
            let rest = self.text.get(at..).unwrap_or(&[]);
            at = self.behind_space(at + memchr::memchr(b'\n', rest).unwrap_or(rest.len()));
        }
        at
    }

    #[inline]
    fn behind_space(&self, mut at: usize) -> usize {
        while let Some(b) = self.text.get(at).filter(|b| class(**b) & SPACE != 0) {
            at += 1;
            // Lines are mostly indented.
            while *b == b'\n'
                && let Some(eight) = self.eight(at)
            {
                let spaces = swar::spaces(eight);
                at += spaces;
                if spaces < 8 {
                    break;
                }
            }
        }
        at
    }

    /// Takes `b` if it comes next.
    #[inline]
    pub(super) fn eat(&mut self, b: u8) -> bool {
        let found = self.peek() == Some(b);
        if found {
            self.take(1);
        }
        found
    }

    /// Takes everything up to the next white space, comment or punctuation that is not quoted.
    #[inline]
    pub(super) fn word(&mut self) -> &'t [u8] {
        let mut at = self.pos;
        while let Some(eight) = self.eight(at) {
            let plain = swar::plain(eight);
            at += plain;
            if plain < 8 {
                break;
            }
        }
        while let Some(b) = self.text.get(at) {
            match class(*b) {
                c if c & STOP != 0 => break,
                QUOTE => return self.quoted_word(at - self.pos),
                _ => at += 1,
            }
        }
        self.take(at - self.pos)
    }

    /// Goes on with a word in which a quote or backslash stands at `len`.
    #[cold]
    fn quoted_word(&mut self, mut len: usize) -> &'t [u8] {
        let rest = self.rest();
        let mut quoted = false;
        while let Some(b) = rest.get(len) {
            match b {
                b'\\' => len += 1,
                b'"' => quoted = !quoted,
                b if !quoted && class(*b) & STOP != 0 => break,
                _ if quoted => {
                    let special = rest.get(len + 1..).and_then(|r| memchr::memchr2(b'"', b'\\', r));
                    len += special.unwrap_or(rest.len());
                }
                _ => {}
            }
            len += 1;
        }
        self.take(len.min(rest.len()))
    }

    /// Takes a single byte of punctuation or a word.
    pub(super) fn any(&mut self) -> &'t [u8] {
        let word = self.word();
        if !word.is_empty() || self.rest().is_empty() {
            return word;
        }
        self.take(1)
    }

    /// Takes a decimal number of few digits without leading zeros, if one comes next and nothing follows it directly.
    #[inline]
    pub(super) fn small_number(&mut self) -> Option<u32> {
        let eight = self.eight(self.pos)?;
        let (len, value) = swar::decimal(eight)?;
        let [after, _] = swar::behind(eight, len);
        if class(after) & STOP == 0 {
            return None;
        }
        self.take(len);
        Some(value)
    }

    /// Looks at the id at `%`, which comes next, and at what follows it. Says whether that is `=`.
    #[inline]
    fn look_at_id(&mut self) -> bool {
        if self.seen.name.start != self.pos + 1 {
            self.seen = self.id_from(self.pos + 1);
        }
        self.seen.assigned
    }

    /// The id whose name starts at `start`.
    #[inline]
    fn id_from(&self, start: usize) -> Seen {
        if let Some(eight) = self.eight(start)
            && let Some((len, number)) = swar::decimal(eight)
        {
            let (end, [after, next]) = (start + len, swar::behind(eight, len));
            let name = Name { start, end, number };
            if after == b' ' && class(next) & (SPACE | COMMENT) == 0 {
                return Seen { name, next: end + 1, assigned: next == b'=' };
            }
            if class(after) & ID == 0 {
                return self.behind_id(name);
            }
        }
        self.long_id_from(start)
    }

    #[inline(never)]
    fn long_id_from(&self, start: usize) -> Seen {
        let mut end = start;
        while let Some(eight) = self.eight(end) {
            let letters = swar::letters(eight);
            end += letters;
            if letters < 8 {
                break;
            }
        }
        while self.text.get(end).is_some_and(|b| class(*b) & ID != 0) {
            end += 1;
        }
        self.behind_id(Name { start, end, number: NO_NUMBER })
    }

    #[inline(never)]
    fn behind_id(&self, name: Name) -> Seen {
        let next = self.token_from(name.end);
        Seen { name, next, assigned: self.text.get(next) == Some(&b'=') }
    }

    /// Takes the id at `%`, which comes next, where it is a number of few digits without leading zeros, a space or line end
    /// follows, and then something else than `=`, as with nearly all operands.
    #[inline]
    pub(super) fn small_id(&mut self) -> Option<u32> {
        let start = self.pos + 1;
        let eight = self.eight(start)?;
        let (len, number) = swar::decimal(eight)?;
        let (end, [after, next]) = (start + len, swar::behind(eight, len));
        let (pos, next) = match after {
            b' ' if class(next) & (SPACE | COMMENT) == 0 => (end + 1, next),
            b'\n' => {
                let pos = self.token_behind_space(end);
                (pos, self.text.get(pos).copied()?)
            }
            _ => return None,
        };
        if next == b'=' {
            return None;
        }
        (self.end, self.pos, self.ready) = (end, pos, pos);
        Some(number)
    }

    /// Takes the id at `%`, which comes next; `None` where the token is not one or may not be whole.
    #[inline]
    pub(super) fn id(&mut self) -> Option<Name> {
        self.look_at_id();
        let Seen { name, next, .. } = self.seen;
        let ends = next != name.end || self.text.get(next).is_none_or(|b| class(*b) & STOP != 0 || *b == b'=');
        if !ends || name.start == name.end {
            self.word();
            return None;
        }
        self.end = name.end;
        (self.pos, self.ready) = (next, next);
        if self.is_cut() { None } else { Some(name) }
    }

    /// Takes the id at `%`, which comes next, together with a `=` that follows; `None`, having taken nothing, where one of
    /// them is not there.
    #[inline]
    pub(super) fn assigned_id(&mut self) -> Option<Name> {
        let found = self.look_at_id() && self.seen.name.start < self.seen.name.end;
        if !found {
            return None;
        }
        self.end = self.seen.next + 1;
        self.pos = self.end;
        Some(self.seen.name)
    }

    /// Whether an instruction starts with the token that comes next: an opcode's name or `%id =`.
    #[inline]
    pub(super) fn at_instruction(&mut self, next: u8) -> bool {
        match next {
            b'%' => self.look_at_id(),
            b'O' => matches!(self.rest(), [_, b'p', b'A'..=b'Z', ..]),
            _ => false,
        }
    }

    /// Whether the token that comes next, the first of its line, looks like the start of a misspelt instruction: a bare
    /// word, or an id before an opcode.
    pub(super) fn resembles_instruction(&self, next: u8) -> bool {
        let mut ahead = *self;
        match next {
            b'%' => {
                ahead.id().is_some()
                    && ahead.skip().is_some_and(|b| ahead.at_instruction(b))
                    && !self.is_line_end_between(self.pos, ahead.pos)
            }
            _ => next.is_ascii_alphabetic(),
        }
    }

    /// Whether a line ends between two places.
    pub(super) fn is_line_end_between(&self, from: usize, to: usize) -> bool {
        self.text.get(from..to).is_some_and(|t| t.contains(&b'\n'))
    }

    /// Takes the quoted string at `"`, which comes next.
    #[inline]
    pub(super) fn quoted(&mut self) -> Quoted<'t> {
        let rest = self.text.get(self.pos + 1..).unwrap_or(&[]);
        let Some(len) = memchr::memchr3(b'"', b'\\', 0, rest) else {
            self.word();
            return Quoted::Open;
        };
        let ends = rest.get(len + 1).is_none_or(|b| class(*b) & STOP != 0);
        match rest.get(..len) {
            Some(bytes) if rest.get(len) == Some(&b'"') && ends => {
                self.take(len + 2);
                Quoted::Plain(bytes)
            }
            _ => self.quoted_slowly(len),
        }
    }

    /// Goes on with a string in which a quote, backslash or NUL stands at `from`.
    #[inline(never)]
    fn quoted_slowly(&mut self, from: usize) -> Quoted<'t> {
        let [_, rest @ ..] = self.word() else { return Quoted::Open };
        // Quotes toggle: the word ended at a delimiter outside them, or at the end of the text.
        let (mut open, mut escapes, mut closed_at) = (true, false, None);
        let mut i = from;
        while let Some(at) = rest.get(i..).and_then(|r| memchr::memchr2(b'"', b'\\', r)) {
            i += at;
            if rest.get(i) == Some(&b'"') {
                open = !open;
                closed_at = Some(i);
            } else {
                (i, escapes) = (i + 1, true);
            }
            i += 1;
        }
        match closed_at {
            _ if open => Quoted::Open,
            Some(at) if at + 1 == rest.len() => {
                let bytes = rest.get(..at).unwrap_or(&[]);
                match escapes {
                    _ if memchr::memchr(0, bytes).is_some() => Quoted::Nul,
                    true => Quoted::Escaped(bytes),
                    false => Quoted::Plain(bytes),
                }
            }
            _ => Quoted::Trailing,
        }
    }
}
