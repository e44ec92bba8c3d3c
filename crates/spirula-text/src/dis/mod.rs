//! The disassembler: words → text.

/// How to disassemble.
#[derive(Clone, Debug, Default)]
pub struct DisOptions {
    /// `%12` instead of names made from `OpName` and types.
    pub raw_ids: bool,
}

/// A place where the words are not what the grammar wants.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Damage {
    /// Offset in words.
    pub word: u32,
    /// What is wrong.
    pub message: String,
}

/// A module's text.
#[derive(Clone, Debug, Default)]
pub struct Disassembly {
    /// The text.
    pub text: String,
    /// What could not be printed as instructions and stands as raw words.
    pub damage: Vec<Damage>,
}

/// Disassembles a module.
pub fn disassemble(_words: &[u32], _options: &DisOptions) -> Disassembly {
    Disassembly::default()
}
