use alloc::vec::Vec;

use spirula_grammar::{MAGIC, Op, Version};

use crate::{Header, Id};

/// Largest word count of one instruction (§2.17, it has 16 bits).
const MAX_WORDS: usize = 0xffff;

/// Writes a module, instruction after instruction.
#[derive(Clone, Debug, Default)]
pub struct Writer {
    words: Vec<u32>,
    /// Start of the instruction being written; 0 where none is.
    open: usize,
}

impl Writer {
    /// A writer that has written the header.
    pub fn new(header: Header) -> Writer {
        Writer { words: alloc::vec![MAGIC, header.version, header.generator, header.bound, header.schema], open: 0 }
    }

    /// A writer for instructions alone, without a header.
    pub fn without_header() -> Writer {
        Writer::default()
    }

    /// Starts an instruction.
    pub fn begin(&mut self, op: Op) -> &mut Self {
        self.open = self.words.len();
        self.words.push(u32::from(op.0));
        self
    }

    /// Appends one word.
    pub fn word(&mut self, word: u32) -> &mut Self {
        self.words.push(word);
        self
    }

    /// Appends words.
    pub fn words(&mut self, words: &[u32]) -> &mut Self {
        self.words.extend_from_slice(words);
        self
    }

    /// Appends an id.
    pub fn id(&mut self, id: Id) -> &mut Self {
        self.word(id.0)
    }

    /// Appends a literal string: its bytes, a NUL, zeros to the end of the word (§2.2.1).
    pub fn string(&mut self, bytes: &[u8]) -> &mut Self {
        let (whole, rest) = bytes.as_chunks::<4>();
        self.words.extend(whole.iter().map(|c| u32::from_le_bytes(*c)));
        let mut last = [0; 4];
        last[..rest.len()].copy_from_slice(rest);
        self.word(u32::from_le_bytes(last))
    }

    /// Ends the instruction that [`begin`](Self::begin) started.
    ///
    /// # Errors
    /// Where it has more than 65,535 words, which the word count cannot hold. The instruction is taken back.
    pub fn end(&mut self) -> Result<(), TooLong> {
        let count = self.words.len() - self.open;
        if count > MAX_WORDS {
            self.words.truncate(self.open);
            return Err(TooLong { words: count });
        }
        self.words[self.open] |= (count as u32) << 16;
        Ok(())
    }

    /// Writes a whole instruction of one-word operands.
    ///
    /// # Errors
    /// As [`end`](Self::end).
    pub fn inst(&mut self, op: Op, operands: &[u32]) -> Result<(), TooLong> {
        self.begin(op).words(operands);
        self.end()
    }

    /// Sets the version in the header.
    pub fn set_version(&mut self, version: Version) {
        if let Some(w) = self.words.get_mut(1) {
            *w = version.to_word();
        }
    }

    /// Sets the bound in the header.
    pub fn set_bound(&mut self, bound: u32) {
        if let Some(w) = self.words.get_mut(3) {
            *w = bound;
        }
    }

    /// Number of words so far.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether nothing was written.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The words.
    pub fn finish(self) -> Vec<u32> {
        self.words
    }
}

/// An instruction has more words than its word count can say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TooLong {
    /// How many it has.
    pub words: usize,
}

impl core::fmt::Display for TooLong {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "the instruction has {} words, but the word count cannot exceed {MAX_WORDS}", self.words)
    }
}

impl core::error::Error for TooLong {}
