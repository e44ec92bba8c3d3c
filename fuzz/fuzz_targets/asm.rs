#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| spirula_fuzz::asm(bytes));
