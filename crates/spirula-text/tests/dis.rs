//! Texts that the disassembler must give back as they are, once assembled.
//!
//! Each file in `tests/dis` begins with `; options:` and options of the disassembler; what follows is the text. After a
//! change that is wanted, `BLESS=1` writes the new texts.

use std::fs;
use std::io;
use std::path::Path;

use spirula_text::{AsmOptions, DisOptions, Names, assemble, disassemble, disassemble_one, disassemble_to};

fn options(line: &str) -> DisOptions {
    let has = |name: &str| line.split_whitespace().any(|o| o == name);
    DisOptions {
        raw_ids: has("raw-id"),
        no_indent: has("no-indent"),
        no_header: has("no-header"),
        offsets: has("offsets"),
        comment: has("comment"),
        nested_indent: has("nested-indent"),
        reorder_blocks: has("reorder-blocks"),
        handle_unknown_opcodes: has("handle-unknown-opcodes"),
        colour: false,
    }
}

#[test]
fn texts_come_back() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/dis");
    let mut count = 0;
    for entry in fs::read_dir(folder).expect("tests/dis") {
        let path = entry.expect("entry").path();
        let file = fs::read_to_string(&path).expect("text");
        let (first, text) = file.split_once('\n').expect("options");
        let options = options(first.strip_prefix("; options:").expect("options"));
        let asm = AsmOptions { preserve_numeric_ids: true, keep_header: true, ..AsmOptions::default() };
        let words = assemble(text.as_bytes(), &asm).unwrap_or_else(|e| panic!("{}: {e:?}", path.display()));
        let ours = disassemble(&words, &options).text;
        if ours != text && std::env::var_os("BLESS").is_some() {
            fs::write(&path, format!("{first}\n{ours}")).expect("written");
        } else {
            assert_eq!(ours, text, "{}", path.display());
        }
        if !options.reorder_blocks {
            let raw = DisOptions { raw_ids: true, ..DisOptions::default() };
            let again = assemble(disassemble(&words, &raw).text.as_bytes(), &asm);
            assert_eq!(again.as_ref(), Ok(&words), "{}", path.display());
        }
        count += 1;
    }
    assert!(count > 5);
}

/// Takes so many writes, then fails.
struct Writer(Vec<String>, usize);

impl io::Write for Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len() == self.1 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        self.0.push(String::from_utf8(bytes.to_vec()).expect("whole characters"));
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn text_in_pieces_is_the_same() {
    let words = [&HEADER[..], &[0x0002_0014, 7, 0x0001_ffff].repeat(20_000), &[0x0009_0000]].concat();
    let options = DisOptions { offsets: true, comment: true, ..DisOptions::default() };
    let whole = disassemble(&words, &options);
    let mut all = Writer(Vec::new(), usize::MAX);
    let damage = disassemble_to(&words, &options, &mut all).expect("written");
    assert_eq!((all.0.concat(), damage), (whole.text, whole.damage));
    assert!(all.0.len() > 10 && all.0.iter().all(|piece| piece.len() < 70_000 && piece.ends_with('\n')));

    let mut two = Writer(Vec::new(), 2);
    let error = disassemble_to(&words, &options, &mut two).expect_err("the third write fails");
    assert_eq!((error.kind(), &two.0[..]), (io::ErrorKind::StorageFull, &all.0[..2]));
}

fn dis(words: &[u32]) -> spirula_text::Disassembly {
    disassemble(words, &DisOptions { raw_ids: true, no_header: true, no_indent: true, ..DisOptions::default() })
}

const HEADER: [u32; 5] = [0x0723_0203, 0x0001_0600, 0, 100, 0];

#[test]
fn damage_is_told_and_reading_goes_on() {
    let cases: &[(&[u32], &str)] = &[
        (&[0x0001_ffff], "unknown opcode"),
        (&[0x0002_0011, 0xffff], "65535 is not a value of Capability"),
        (&[0x0002_0014, 0], "0 is not an id"),
        (&[0x0001_0014], "the instruction ends before its operand"),
        (&[0x0003_0007, 1, 0x6161_6161], "no NUL ends the string"),
        (&[0x0004_002b, 1, 2, 3], "the size of the literal is unknown"),
        (&[0x0005_000c, 1, 2, 3, 4], "%3 is not an OpExtInstImport"),
    ];
    for (inst, reason) in cases {
        let words = [&HEADER[..], inst, &[0x0001_0000]].concat();
        let dis = dis(&words);
        assert_eq!(dis.damage.len(), 1, "{reason}");
        assert!(dis.damage[0].message.starts_with(reason), "{}", dis.damage[0].message);
        assert_eq!(dis.damage[0].word, 5);
        assert!(dis.text.starts_with("OpUnknown(") && dis.text.contains(reason), "{}", dis.text);
        assert!(dis.text.ends_with("\nOpNop\n"), "{}", dis.text);
    }
}

#[test]
fn what_text_cannot_carry_is_not_damage() {
    for inst in [
        [0x0003_0007, 1, 0x0100_0061], // padding that is not zero
        [0x0003_0007, 1, 0x0000_00ff], // not UTF-8
    ] {
        let words = [&HEADER[..], &inst].concat();
        let dis = dis(&words);
        assert_eq!(dis.damage, []);
        assert!(dis.text.starts_with("OpUnknown(7, 3) !0x00000001 !0x"), "{}", dis.text);
    }
}

#[test]
fn words_that_are_no_module() {
    for words in [&[][..], &HEADER[..4], &[1, 2, 3, 4, 5]] {
        let dis = disassemble(words, &DisOptions::default());
        assert_eq!(dis.damage.len(), 1);
        assert_eq!(dis.damage[0].word, 0);
    }
    // Framing that cannot be read: the rest stands as words.
    let dis = dis(&[&HEADER[..], &[0x0001_0000, 7, 0x0001_0000]].concat());
    assert_eq!(dis.damage.len(), 1);
    assert!(dis.text.starts_with("OpNop\n!0x00000007 !0x00010000  ; "), "{}", dis.text);
}

#[test]
fn size_does_not_depend_on_what_words_say() {
    let mut words = HEADER.to_vec();
    words[3] = u32::MAX;
    for id in (1..40_000u32).rev() {
        words.extend([0x0002_0014, u32::MAX - id * 50_000]);
        words.extend([0x0003_0005, id, 0x61]);
    }
    let text = disassemble(&words, &DisOptions::default()).text;
    assert!(text.contains("%a_39997 "));
}

#[test]
fn blocks_come_in_the_order_of_the_constructs() {
    let text = "%1 = OpTypeVoid\n%2 = OpTypeBool\n%3 = OpTypeFunction %1\n%4 = OpConstantTrue %2\n\
        %5 = OpFunction %1 None %3\n%6 = OpLabel\nOpSelectionMerge %9 None\nOpBranchConditional %4 %7 %8\n\
        %9 = OpLabel\nOpReturn\n%8 = OpLabel\nOpBranch %9\n%7 = OpLabel\nOpBranch %9\n\
        %10 = OpLabel\nOpUnreachable\nOpFunctionEnd\n";
    let asm = AsmOptions { preserve_numeric_ids: true, ..AsmOptions::default() };
    let words = assemble(text.as_bytes(), &asm).expect("words");
    let options = DisOptions { raw_ids: true, no_indent: true, reorder_blocks: true, ..DisOptions::default() };
    let text = disassemble(&words, &options).text;
    let labels: Vec<&str> = text.lines().filter_map(|l| l.strip_suffix(" = OpLabel")).collect();
    assert_eq!(labels, ["%6", "%7", "%8", "%9", "%10"]);
}

#[test]
fn single_instructions_and_colours() {
    let words = assemble(b"OpName %1 \"n\"\n%1 = OpTypeInt 32 0\n%2 = OpConstant %1 7\n", &AsmOptions::default());
    let words = words.expect("words");
    let names = Names::of(&words);
    assert_eq!(disassemble_one(&words, 12, None).as_deref(), Some("%2 = OpConstant %1 7"));
    assert_eq!(disassemble_one(&words, 12, Some(&names)).as_deref(), Some("%n_7 = OpConstant %n 7"));
    assert_eq!(disassemble_one(&words, 99, None), None);
    let colour = disassemble(&words, &DisOptions { colour: true, offsets: true, ..DisOptions::default() }).text;
    let mut plain = String::new();
    for (i, part) in colour.split('\x1b').enumerate() {
        plain.push_str(if i == 0 { part } else { part.split_once('m').expect("escape sequence").1 });
    }
    assert_eq!(plain, disassemble(&words, &DisOptions { offsets: true, ..DisOptions::default() }).text);
}
