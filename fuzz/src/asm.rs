use spirula_text::{AsmOptions, DisOptions, assemble, disassemble};

/// Any text either assembles or is refused with a place inside of it; what assembles can be disassembled.
pub fn asm(text: &[u8]) {
    match assemble(text, &AsmOptions::default()) {
        Ok(words) => drop(disassemble(&words, &DisOptions::default())),
        Err(errors) => {
            assert!(!errors.is_empty());
            assert!(errors.iter().all(|e| e.line > 0 && e.column > 0 && e.span.end <= text.len()), "{errors:?}");
        }
    }
}
