use spirula_binary::{Frames, HEADER_WORDS, words_from_bytes};
use spirula_text::{AsmOptions, DisOptions, assemble, disassemble};

/// What can be cut into instructions comes back from its text word for word.
pub fn roundtrip(bytes: &[u8]) {
    let Ok(words) = words_from_bytes(bytes) else { return };
    let _ = disassemble(&words, &DisOptions::default());
    let text = disassemble(&words, &DisOptions { raw_ids: true, ..DisOptions::default() }).text;
    if words.len() >= HEADER_WORDS && Frames::of(&words).all(|i| i.is_ok()) {
        let options = AsmOptions { preserve_numeric_ids: true, keep_header: true, any_version: true, ..AsmOptions::default() };
        assert_eq!(assemble(text.as_bytes(), &options).as_deref(), Ok(&*words), "{text}");
    }
}
