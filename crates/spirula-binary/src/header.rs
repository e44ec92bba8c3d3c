use spirula_grammar::Version;

/// Number of words before the first instruction (§2.3).
pub const HEADER_WORDS: usize = 5;

/// The words before the first instruction (§2.3), as they stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Header {
    /// Version word: `0 | major | minor | 0`.
    pub version: u32,
    /// Generator's magic number: tool in the high half, its own version in the low half.
    pub generator: u32,
    /// Bound: every id is greater than 0 and less than this.
    pub bound: u32,
    /// Instruction schema, reserved, 0.
    pub schema: u32,
}

impl Header {
    /// Reads the header of a module; `None` where there are fewer than [`HEADER_WORDS`] words.
    pub fn read(words: &[u32]) -> Option<Header> {
        match *words {
            [_magic, version, generator, bound, schema, ..] => Some(Header { version, generator, bound, schema }),
            _ => None,
        }
    }

    /// The version that the version word names.
    pub fn version(&self) -> Version {
        Version::from_word(self.version)
    }
}
