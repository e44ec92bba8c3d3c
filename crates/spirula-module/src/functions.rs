use core::ops::Range;

use spirula_binary::Id;

/// A function: where its instructions are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Function {
    /// Result id of its `OpFunction`.
    pub id: Id,
    /// Word offset of its `OpFunction`.
    pub start: u32,
    /// Word offset behind its `OpFunctionEnd`, or behind its last instruction where that is missing.
    pub end: u32,
    /// Position of its `OpFunction` among the module's instructions.
    pub first_inst: u32,
    /// Position behind its last instruction.
    pub end_inst: u32,
    /// Word offset of its first `OpLabel`; equal to `end` for a declaration, which has no body.
    pub body: u32,
    /// Number of its labels.
    pub blocks: u32,
    /// Whether an `OpFunctionEnd` ends it.
    pub closed: bool,
    pub(crate) first_call: u32,
    pub(crate) end_call: u32,
    pub(crate) first_control: u32,
    pub(crate) end_control: u32,
}

impl Function {
    /// Whether it has a body.
    #[inline]
    pub fn has_body(&self) -> bool {
        self.blocks != 0
    }

    /// Word offsets from its first label to its end.
    pub fn body_words(&self) -> Range<u32> {
        self.body..self.end
    }

    /// Word offset of its `OpFunctionEnd`, or behind its last instruction where that is missing.
    pub fn end_of_body(&self) -> u32 {
        // OpFunctionEnd is one word.
        if self.closed { self.end - 1 } else { self.end }
    }

    /// Whether the word offset lies within it.
    #[inline]
    pub fn contains(&self, word: u32) -> bool {
        self.start <= word && word < self.end
    }
}
