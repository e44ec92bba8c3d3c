//! Texts that are read piece by piece.
//!
//! A window holds as much as fits. The instructions that certainly end in it are assembled; what is left moves to its
//! start, and it is filled up. Nothing of an instruction that reaches the end of the window is kept but numbers of ids,
//! which come out the same when it is read again.

use std::io::{self, Read};

use super::AsmOptions;
use super::encode::{Assembler, State};
use super::ids::Ids;
use crate::dis::header::HeaderHints;

/// Size of the window; it grows where an instruction does not fit.
pub(super) const SIZE: usize = 1 << 17;

/// The bytes that are read and not assembled yet.
struct Window<'r> {
    from: &'r mut dyn Read,
    bytes: Vec<u8>,
    filled: usize,
    /// Whether nothing follows.
    last: bool,
}

impl Window<'_> {
    /// Reads on behind what there is, which is more than half of the window only where that has to grow.
    fn fill(&mut self) -> io::Result<()> {
        if self.filled * 2 > self.bytes.len() {
            self.bytes.resize(self.bytes.len() * 2, 0);
        }
        while let Some(free) = self.bytes.get_mut(self.filled..).filter(|f| !f.is_empty()) {
            match self.from.read(free) {
                Ok(0) => {
                    self.last = true;
                    break;
                }
                Ok(n) => self.filled += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(())
    }

    fn text(&self) -> &[u8] {
        self.bytes.get(..self.filled).unwrap_or(&self.bytes)
    }

    /// Drops the first `done` bytes.
    fn advance(&mut self, done: usize) {
        self.bytes.copy_within(done..self.filled, 0);
        self.filled -= done;
    }
}

pub(super) fn assemble(from: &mut dyn Read, options: &AsmOptions, size: usize) -> io::Result<Option<Vec<u32>>> {
    let mut window = Window { from, bytes: vec![0; size], filled: 0, last: false };
    window.fill()?;
    // What the comments at the start say must be known first; numbers to be kept, all of them.
    let mut hints = HeaderHints::read(window.text());
    while !window.last && (!hints.1 || options.preserve_numeric_ids) {
        window.fill()?;
        hints = HeaderHints::read(window.text());
    }
    let ids = Ids::new(options.preserve_numeric_ids.then(|| window.text()));
    // Large vectors grow without being copied, so that a guess that is too small for a large module costs little.
    let mut state = State::new(options, hints.0, ids, if window.last { window.filled / 8 } else { size });
    loop {
        let assembler = Assembler::new(window.text(), !window.last, options, state, false);
        let Some((done, next)) = assembler.run_window() else { return Ok(None) };
        state = next;
        if window.last {
            return Ok(Some(Assembler::new(&[], false, options, state, false).finish()));
        }
        window.advance(done);
        window.fill()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Something of everything, so that every cut happens.
    const TEXT: &str = r#"; SPIR-V
; Version: 1.5
  ; Bound: 99

OpCapability Shader ; a comment
%glsl = OpExtInstImport "GLSL.std.450"
%opencl = OpExtInstImport
   "OpenCL.std"
OpMemoryModel Logical GLSL450 OpEntryPoint GLCompute %main "ma\"in" %9 %o ; Op
%12
=
OpString "OpNop %3 = \\
%1 = OpTypeVoid ; \" as äöü"
OpSource GLSL 450 %12 "a
b"
OpDecorate %9 LinkageAttributes "f" Import
%void=OpTypeVoid
%u = OpTypeInt 32 0 %f = OpTypeFloat 32 %long = OpTypeInt 64 1
%c = OpConstant %u 4000000000
%1234567 = OpConstant %long -5
%12345678 = OpConstant %f 1.5e3
%12345679 = OpConstant %f -0x1.8p+3
%s = OpSpecConstantOp %u IAdd %c %c
!0x00040015 %444 !64 !0
%d = OpConstant %444 0x1ffffffff
OpUnknown(65535, 3) !1 2
%p = OpTypePointer Function %u
%ft = OpTypeFunction %void %u
%main = OpFunction %void Inline|Const %ft
%x = OpFunctionParameter %u
%l = OpLabel
%v = OpVariable %p Function
OpStore %v %c Aligned|Volatile 16
%r = OpExtInst %f %glsl Sqrt %12345678
OpSelectionMerge %m None
OpSwitch %x %m 1 %m 70000 %m
%m = OpLabel OpReturn
OpFunctionEnd"#;

    fn pieces(text: &str, options: &AsmOptions, size: usize) -> Option<Vec<u32>> {
        assemble(&mut text.as_bytes(), options, size).expect("memory can be read")
    }

    #[test]
    fn every_cut_gives_the_same_words() {
        for preserve_numeric_ids in [false, true] {
            let options = AsmOptions { preserve_numeric_ids, keep_header: true, ..AsmOptions::default() };
            let whole = super::super::assemble(TEXT.as_bytes(), &options).unwrap_or_else(|e| panic!("{e:?}"));
            for size in 1..TEXT.len() + 2 {
                assert_eq!(pieces(TEXT, &options, size).as_ref(), Some(&whole), "{size}");
            }
        }
    }

    #[test]
    fn every_end_and_every_start_are_judged_alike() {
        let options = AsmOptions::default();
        for at in (0..TEXT.len()).filter(|at| TEXT.is_char_boundary(*at)) {
            let (start, end) = TEXT.split_at(at);
            for text in [start, end] {
                let whole = super::super::assemble(text.as_bytes(), &options).ok();
                assert_eq!(pieces(text, &options, 1 + at % 97), whole, "{text}");
            }
        }
    }

    #[test]
    fn errors_of_reading_are_told() {
        struct Broken;
        impl Read for Broken {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::ErrorKind::ConnectionReset.into())
            }
        }
        let mut text = "OpNop ".repeat(1000);
        let mut from = text.as_bytes().chain(Broken);
        let error = assemble(&mut from, &AsmOptions::default(), 64).expect_err("it cannot be read to the end");
        assert_eq!(error.kind(), io::ErrorKind::ConnectionReset);
        // An error in the text comes first.
        text.insert_str(600, "OpNope ");
        let mut from = text.as_bytes().chain(Broken);
        assert!(matches!(assemble(&mut from, &AsmOptions::default(), 64), Ok(None)));
    }
}
