use core::fmt;

use spirula_grammar::FPEncoding;

/// What a number's bits mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumberKind {
    /// `OpTypeInt` with signedness 0.
    Unsigned,
    /// `OpTypeInt` with signedness 1.
    Signed,
    /// `OpTypeFloat` without an encoding operand: IEEE 754.
    Float,
    /// `OpTypeFloat` with an encoding operand.
    Encoded(FPEncoding),
}

/// Type of a literal number whose size depends on context (§2.2.1, "Literal").
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    /// Width in bits, as declared.
    pub width: u32,
    /// What the bits mean.
    pub kind: NumberKind,
}

impl Number {
    /// Words that a literal of the type takes.
    #[inline]
    pub fn words(self) -> usize {
        self.width.div_ceil(32).max(1) as usize
    }

    /// Reads it off an `OpTypeInt` or `OpTypeFloat`; `None` for anything else.
    #[inline]
    pub fn of_type(inst: crate::Inst<'_>) -> Option<Number> {
        use spirula_grammar::Op;
        let kind = match inst.op() {
            Op::TypeInt if inst.word(3) & 1 != 0 => NumberKind::Signed,
            Op::TypeInt => NumberKind::Unsigned,
            Op::TypeFloat if inst.words().len() > 3 => NumberKind::Encoded(FPEncoding(inst.word(3))),
            Op::TypeFloat => NumberKind::Float,
            _ => return None,
        };
        Some(Number { width: inst.word(2), kind })
    }
}

/// The width in bits that a floating-point encoding has; `None` for those that the grammar does not know.
pub fn encoding_width(encoding: FPEncoding) -> Option<u32> {
    Some(match encoding {
        FPEncoding::BFloat16KHR => 16,
        FPEncoding::Float8E4M3EXT
        | FPEncoding::Float8E5M2EXT
        | FPEncoding::Float8UnsignedE8M0EXT
        | FPEncoding::MXInt8EXT => 8,
        FPEncoding::Float6E2M3EXT | FPEncoding::Float6E3M2EXT => 6,
        FPEncoding::Float4E2M1EXT => 4,
        _ => return None,
    })
}

/// Looks for a byte among the four of a word: 0 where there is none; else the lowest bit that is set is the top bit of the
/// first one, counted from the low-order byte.
#[inline]
pub fn find_byte(word: u32, byte: u8) -> u32 {
    let w = word ^ u32::from_ne_bytes([byte; 4]);
    w.wrapping_sub(0x0101_0101) & !w & 0x8080_8080
}

/// Position of the first word that has a byte of zeros. Long strings go by eight words at a time.
#[inline]
fn first_with_nul(words: &[u32]) -> Option<usize> {
    const AT_A_TIME: usize = 8;
    let find = |words: &[u32]| words.iter().position(|w| find_byte(*w, 0) != 0);
    let start = words.len().min(AT_A_TIME);
    if let Some(at) = find(&words[..start]) {
        return Some(at);
    }
    let (chunks, _) = words[start..].as_chunks::<AT_A_TIME>();
    let without = chunks.iter().take_while(|c| c.iter().fold(0, |all, w| all | find_byte(*w, 0)) == 0).count();
    let from = start + without * AT_A_TIME;
    find(&words[from..]).map(|at| from + at)
}

/// A literal string (§2.2.1): bytes, NUL-terminated, four to a word, the first in the low-order byte.
///
/// The bytes are whatever stands there; UTF-8 is expected by the specification, not by this type.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct LitStr<'w> {
    words: &'w [u32],
    len: usize,
}

impl<'w> LitStr<'w> {
    /// Reads the string at the start of `words`; `None` where no NUL ends it.
    #[inline]
    pub fn read(words: &'w [u32]) -> Option<LitStr<'w>> {
        let last = first_with_nul(words)?;
        let at = find_byte(words[last], 0).trailing_zeros() as usize / 8;
        Some(LitStr { words: &words[..=last], len: last * 4 + at })
    }

    /// Words it takes, the one with the NUL included.
    #[inline]
    pub fn word_count(self) -> usize {
        self.words.len()
    }

    /// Its words.
    pub fn words(self) -> &'w [u32] {
        self.words
    }

    /// Length in bytes without the NUL.
    pub fn len(self) -> usize {
        self.len
    }

    /// Whether it has no bytes before the NUL.
    pub fn is_empty(self) -> bool {
        self.len == 0
    }

    /// The bytes without the NUL.
    pub fn bytes(self) -> impl Iterator<Item = u8> + 'w {
        self.words.iter().flat_map(|w| w.to_le_bytes()).take(self.len)
    }

    /// Whether the bytes behind the NUL in the last word are all zero, as the specification wants.
    pub fn is_padded_with_zeros(self) -> bool {
        self.words.last().is_none_or(|w| w >> (self.len % 4 * 8) == 0)
    }

    /// Whether the bytes are `other`.
    #[inline]
    pub fn eq_bytes(self, other: &[u8]) -> bool {
        self.len == other.len() && self.bytes().eq(other.iter().copied())
    }

    /// The bytes, borrowed where the host is little-endian.
    #[cfg(feature = "alloc")]
    pub fn to_bytes(self) -> alloc::borrow::Cow<'w, [u8]> {
        #[cfg(target_endian = "little")]
        {
            alloc::borrow::Cow::Borrowed(&bytemuck::cast_slice(self.words)[..self.len])
        }
        #[cfg(not(target_endian = "little"))]
        {
            alloc::borrow::Cow::Owned(self.bytes().collect())
        }
    }

    /// As text, with replacement characters where the bytes are not UTF-8.
    #[cfg(feature = "alloc")]
    pub fn to_text(self) -> alloc::string::String {
        self.text().into_owned()
    }

    /// The same, borrowed where the bytes are UTF-8 and the host is little-endian.
    #[cfg(feature = "alloc")]
    pub fn text(self) -> alloc::borrow::Cow<'w, str> {
        use alloc::borrow::Cow;
        match self.to_bytes() {
            Cow::Borrowed(bytes) => match core::str::from_utf8(bytes) {
                Ok(text) => Cow::Borrowed(text),
                Err(_) => alloc::string::String::from_utf8_lossy(bytes),
            },
            Cow::Owned(bytes) => Cow::Owned(alloc::string::String::from_utf8_lossy(&bytes).into_owned()),
        }
    }
}

impl fmt::Debug for LitStr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        for b in self.bytes() {
            write!(f, "{}", core::ascii::escape_default(b))?;
        }
        f.write_str("\"")
    }
}
