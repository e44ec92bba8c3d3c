//! Bytes → words.

use core::fmt;

use spirula_grammar::MAGIC;

/// Why bytes are not the words of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WordsError {
    /// There are no bytes.
    Empty,
    /// The length is not a multiple of four.
    OddLength {
        /// The length in bytes.
        len: usize,
    },
    /// The first word is the magic number in neither byte order.
    NotSpirv {
        /// The first word, read in little-endian order; shorter inputs are padded with zeros.
        first: u32,
    },
}

impl fmt::Display for WordsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WordsError::Empty => f.write_str("the input is empty"),
            WordsError::OddLength { len } => {
                write!(f, "a module is a sequence of 4-byte words, but there are {len} bytes")
            }
            WordsError::NotSpirv { first } => {
                write!(f, "the first word is {first:#010x}, not the magic number {MAGIC:#010x} in either byte order")
            }
        }
    }
}

impl core::error::Error for WordsError {}

/// The little-endian bytes of words, as files have them: borrowed where the host has the same order.
#[cfg(feature = "alloc")]
pub fn bytes_from_words(words: &[u32]) -> alloc::borrow::Cow<'_, [u8]> {
    use alloc::borrow::Cow;
    if cfg!(target_endian = "little") {
        Cow::Borrowed(bytemuck::cast_slice(words))
    } else {
        Cow::Owned(words.iter().flat_map(|w| w.to_le_bytes()).collect())
    }
}

/// The words of a module in the host's byte order, whatever order the bytes are in (§3.1).
///
/// Borrows where the bytes are aligned and in the host's order; otherwise copies.
///
/// # Errors
/// Where the bytes are empty, not whole words, or do not start with the magic number.
#[cfg(feature = "alloc")]
pub fn words_from_bytes(bytes: &[u8]) -> Result<alloc::borrow::Cow<'_, [u32]>, WordsError> {
    use alloc::borrow::Cow;
    if bytes.is_empty() {
        return Err(WordsError::Empty);
    }
    let mut first = [0; 4];
    first.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    let read: fn([u8; 4]) -> u32 = match (u32::from_le_bytes(first), u32::from_be_bytes(first)) {
        (MAGIC, _) => u32::from_le_bytes,
        (_, MAGIC) => u32::from_be_bytes,
        (first, _) => return Err(WordsError::NotSpirv { first }),
    };
    if !bytes.len().is_multiple_of(4) {
        return Err(WordsError::OddLength { len: bytes.len() });
    }
    if u32::from_ne_bytes(first) == MAGIC
        && let Ok(words) = bytemuck::try_cast_slice(bytes)
    {
        return Ok(Cow::Borrowed(words));
    }
    Ok(Cow::Owned(bytes.as_chunks::<4>().0.iter().map(|c| read(*c)).collect()))
}
