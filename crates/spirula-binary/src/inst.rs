use core::fmt;

use spirula_grammar::{InstDesc, Op};

use crate::HEADER_WORDS;

/// An `<id>`. Its text is the assembler's: `%7`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Id(pub u32);

impl Id {
    /// As an index into tables.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl From<u32> for Id {
    #[inline]
    fn from(word: u32) -> Id {
        Id(word)
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%{}", self.0)
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// One instruction: a view of its words in the module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Inst<'w> {
    words: &'w [u32],
    offset: u32,
}

impl<'w> Inst<'w> {
    /// The instruction that starts at word `offset` of a module, where one whole instruction stands there.
    #[inline]
    pub fn at(module: &'w [u32], offset: u32) -> Option<Inst<'w>> {
        let rest = module.get(offset as usize..)?;
        let words = rest.get(..(*rest.first()? >> 16) as usize)?;
        if words.is_empty() { None } else { Some(Inst { words, offset }) }
    }

    /// An instruction that stands for the one at word `offset` of a module, made of words from elsewhere: what
    /// `OpSpecConstantOp` applies, as an instruction by itself.
    pub fn standing_for(words: &'w [u32], offset: u32) -> Option<Inst<'w>> {
        let count = (*words.first()? >> 16) as usize;
        let words = words.get(..count)?;
        if words.is_empty() { None } else { Some(Inst { words, offset }) }
    }

    /// Opcode (low half of the first word).
    #[inline]
    pub fn op(self) -> Op {
        Op(self.word(0) as u16)
    }

    /// The grammar's row; `None` for unknown opcodes.
    #[inline]
    pub fn desc(self) -> Option<&'static InstDesc> {
        self.op().desc()
    }

    /// All words, the first one included. Never empty.
    #[inline]
    pub fn words(self) -> &'w [u32] {
        self.words
    }

    /// Word `i`, or 0 where there are fewer.
    #[inline]
    pub fn word(self, i: usize) -> u32 {
        self.words.get(i).copied().unwrap_or(0)
    }

    /// Word `i` as an id; `%0` (never a valid id) where there are fewer.
    #[inline]
    pub fn id(self, i: usize) -> Id {
        Id(self.word(i))
    }

    /// The words from `i` on; empty where there are fewer.
    #[inline]
    pub fn tail(self, i: usize) -> &'w [u32] {
        self.words.get(i..).unwrap_or(&[])
    }

    /// Offset of the first word from the start of the module, in words.
    #[inline]
    pub fn offset(self) -> u32 {
        self.offset
    }

    /// Result id, where the instruction has one.
    #[inline]
    pub fn result(self) -> Option<Id> {
        let at = self.desc()?.result_word();
        if at == 0 { None } else { self.words.get(at).map(|w| Id(*w)) }
    }

    /// Result type, where the instruction has one.
    #[inline]
    pub fn result_type(self) -> Option<Id> {
        if self.desc()?.has_result_type() { self.words.get(1).map(|w| Id(*w)) } else { None }
    }
}

impl fmt::Debug for Inst<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{} {:?}", self.op(), self.offset, &self.words[1..])
    }
}

/// Where the words stop being a sequence of instructions.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FrameError {
    /// The word count is 0.
    ZeroLength {
        /// Offset of the instruction in words.
        offset: u32,
    },
    /// The word count goes beyond the end of the module.
    PastEnd {
        /// Offset of the instruction in words.
        offset: u32,
        /// Its word count.
        count: u32,
        /// Words that are left, the first one included.
        left: u32,
    },
}

impl FrameError {
    /// Offset in words of the instruction that cannot be framed.
    pub fn offset(self) -> u32 {
        match self {
            FrameError::ZeroLength { offset } | FrameError::PastEnd { offset, .. } => offset,
        }
    }
}

impl fmt::Display for FrameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameError::ZeroLength { .. } => f.write_str("the instruction's word count is 0"),
            FrameError::PastEnd { count, left, .. } => {
                write!(f, "the instruction's word count is {count}, but only {left} words are left in the module")
            }
        }
    }
}

impl core::error::Error for FrameError {}

/// Cuts a module's words into instructions (§2.2.1). Ends at the first one that cannot be framed, after reporting it.
#[derive(Clone, Debug)]
pub struct Frames<'w> {
    module: &'w [u32],
    next: usize,
}

impl<'w> Frames<'w> {
    /// The instructions of a whole module: starts behind the header.
    pub fn of(module: &'w [u32]) -> Frames<'w> {
        Frames { module, next: HEADER_WORDS.min(module.len()) }
    }

    /// Starts at word `offset`, which must be the first word of an instruction.
    pub fn from(module: &'w [u32], offset: u32) -> Frames<'w> {
        Frames { module, next: (offset as usize).min(module.len()) }
    }
}

impl<'w> Iterator for Frames<'w> {
    type Item = Result<Inst<'w>, FrameError>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        let rest = self.module.get(self.next..)?;
        let first = *rest.first()?;
        let (offset, count) = (self.next as u32, (first >> 16) as usize);
        match rest.get(..count) {
            Some(words) if count != 0 => {
                self.next += count;
                Some(Ok(Inst { words, offset }))
            }
            _ => {
                self.next = self.module.len();
                Some(Err(if count == 0 {
                    FrameError::ZeroLength { offset }
                } else {
                    FrameError::PastEnd { offset, count: count as u32, left: rest.len() as u32 }
                }))
            }
        }
    }
}
