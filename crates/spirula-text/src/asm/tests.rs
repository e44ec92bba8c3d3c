use spirula_grammar::Version;

use super::*;

fn errors(text: &[u8]) -> Vec<AsmError> {
    assemble(text, &AsmOptions::default()).expect_err("should not assemble")
}

/// The words after the header.
fn body(text: &str) -> Vec<u32> {
    body_with(text, &AsmOptions::default())
}

fn body_with(text: &str, options: &AsmOptions) -> Vec<u32> {
    match assemble(text.as_bytes(), options) {
        Ok(words) => words.get(5..).unwrap_or(&[]).to_vec(),
        Err(errors) => panic!("{text}: {errors:#?}"),
    }
}

fn header(text: &str, options: &AsmOptions) -> Vec<u32> {
    assemble(text.as_bytes(), options).map(|w| w.get(..5).unwrap_or(&[]).to_vec()).unwrap_or_default()
}

#[test]
fn instructions() {
    let cases: &[(&str, &[u32])] = &[
        ("", &[]),
        ("; only a comment", &[]),
        ("OpNop", &[0x0001_0000]),
        ("OpNop OpNop ; and\r\n\tOpNop", &[0x0001_0000; 3]),
        ("%1=OpTypeVoid", &[0x0002_0013, 1]),
        ("%a = OpTypeVoid\n%b = OpTypeFunction %a %a\n", &[0x0002_0013, 1, 0x0004_0021, 2, 1, 1]),
        // Ids are numbered where they stand among the words: the type first, then the result.
        ("%9 = OpUndef %4", &[0x0003_0001, 1, 2]),
        ("%a\n=\nOpTypeVoid", &[0x0002_0013, 1]),
        ("OpCapability Shader", &[0x0002_0011, 1]),
        ("OpMemoryModel Logical GLSL450", &[0x0003_000e, 0, 1]),
        ("OpEntryPoint Kernel %m \"m\" %a %b", &[0x0006_000f, 6, 1, 0x6d, 2, 3]),
        ("%f = OpFunction %t None %g", &[0x0005_0036, 1, 2, 0, 3]),
        ("%f = OpFunction %t Inline|Const|None %g", &[0x0005_0036, 1, 2, 9, 3]),
        // Parameters of a mask come in the order of its bits.
        ("OpStore %p %v Aligned|Volatile 16", &[0x0005_003e, 1, 2, 3, 16]),
        ("%l = OpImageSampleExplicitLod %t %i %c Grad %x %y", &[0x0008_0058, 1, 2, 3, 4, 4, 5, 6]),
        ("OpDecorate %x LinkageAttributes \"f\" Import", &[0x0005_0047, 1, 41, 0x66, 1]),
        ("OpDecorate %x BuiltIn Position", &[0x0004_0047, 1, 11, 0]),
        ("OpGroupMemberDecorate %g %a 0 %b 7", &[0x0006_004b, 1, 2, 0, 3, 7]),
        // An alias.
        ("OpDecorateStringGOOGLE %x UserSemantic \"s\"", &[0x0004_1600, 1, 5635, 0x73]),
        ("OpDecorateString %x HlslSemanticGOOGLE \"s\"", &[0x0004_1600, 1, 5635, 0x73]),
        ("%s = OpSpecConstantOp %t IAdd %a %b", &[0x0006_0034, 1, 2, 128, 3, 4]),
        ("%s = OpSpecConstantOp %t CompositeExtract %a 0 1", &[0x0007_0034, 1, 2, 81, 3, 0, 1]),
        ("%p = OpPhi %t %a %b %c %d", &[0x0007_00f5, 1, 2, 3, 4, 5, 6]),
        ("OpSource GLSL 450 %f \"x\"", &[0x0005_0003, 2, 450, 1, 0x78]),
        ("OpLine %f 010 0x10", &[0x0004_0008, 1, 8, 16]),
    ];
    for (text, words) in cases {
        assert_eq!(body(text), *words, "{text}");
    }
}

#[test]
fn literals_follow_their_type() {
    let cases: &[(&str, &[u32])] = &[
        ("%t = OpTypeInt 8 1 %c = OpConstant %t -1", &[0x0004_0015, 1, 8, 1, 0x0004_002b, 1, 2, u32::MAX]),
        ("%t = OpTypeInt 64 0 %c = OpConstant %t 1", &[0x0004_0015, 1, 64, 0, 0x0005_002b, 1, 2, 1, 0]),
        ("%t = OpTypeFloat 16 %c = OpSpecConstant %t 1", &[0x0003_0016, 1, 16, 0x0004_0032, 1, 2, 0x3c00]),
        (
            "%t = OpTypeFloat 16 BFloat16KHR %c = OpConstant %t -1.5",
            &[0x0004_0016, 1, 16, 0, 0x0004_002b, 1, 2, 0xbfc0],
        ),
        (
            "%t = OpTypeInt 64 1 %s = OpUndef %t OpSwitch %s %d -1 %a 5 %b",
            &[0x0004_0015, 1, 64, 1, 0x0003_0001, 1, 2, 0x0009_00fb, 2, 3, u32::MAX, u32::MAX, 4, 5, 0, 5],
        ),
        (
            "%t = OpTypeInt 128 0 %c = OpConstant %t 0x100000000000000000000000f",
            &[0x0004_0015, 1, 128, 0, 0x0007_002b, 1, 2, 0xf, 0, 0, 1],
        ),
        // The type may be spelt by raw words too.
        ("!0x00040015 %t !64 !0 %c = OpConstant %t 1", &[0x0004_0015, 1, 64, 0, 0x0005_002b, 1, 2, 1, 0]),
    ];
    for (text, words) in cases {
        assert_eq!(body(text), *words, "{text}");
    }
}

#[test]
fn strings() {
    let cases: &[(&str, &[u32])] = &[
        (r#"OpSourceExtension """#, &[0x0002_0004, 0]),
        (r#"OpSourceExtension "abcd""#, &[0x0003_0004, 0x6463_6261, 0]),
        (r#"OpSourceExtension "\"\n\\""#, &[0x0002_0004, 0x005c_6e22]),
        ("OpSourceExtension \"a\nb\"", &[0x0002_0004, 0x0062_0a61]),
        ("OpSourceExtension \"a;b\";c", &[0x0002_0004, 0x0062_3b61]),
        ("OpSourceExtension \"Op=%\" OpNop", &[0x0003_0004, 0x253d_704f, 0, 0x0001_0000]),
        (r#"OpSourceExtension "a"b c"d""#, &[]),
    ];
    for (text, words) in cases.iter().take(6) {
        assert_eq!(body(text), *words, "{text}");
    }
    // Bytes are bytes, whether they are UTF-8 or not.
    let text = b"OpSourceContinued \"\xe2\x82\"";
    assert_eq!(
        assemble(text, &AsmOptions::default()).map(|w| w.get(5..).map(<[u32]>::to_vec)),
        Ok(Some(vec![0x0002_0002, 0x82e2]))
    );
    let e = errors(b"OpSourceExtension \"a\0b\"");
    assert!(e.iter().any(|e| e.message.contains("NUL") && e.column == 19), "{e:?}");
    assert!(!errors(b"OpSourceExtension \"abc").is_empty());
    assert!(!errors(b"OpSourceExtension \"abc\\").is_empty());
    assert!(!errors(b"OpSourceExtension \"abc\"x").is_empty());
}

#[test]
fn extended_instructions() {
    let glsl = "%e = OpExtInstImport \"GLSL.std.450\"\n";
    let import = [0x0006_000b, 1, 0x4c53_4c47, 0x6474_732e, 0x3035_342e, 0];
    let with = |rest: &[u32]| import.iter().chain(rest).copied().collect::<Vec<_>>();
    assert_eq!(body(&format!("{glsl}%r = OpExtInst %t %e Sqrt %x")), with(&[0x0006_000c, 2, 3, 1, 31, 4]));
    assert_eq!(body(&format!("{glsl}%r = OpExtInst %t %e 31 %x")), with(&[0x0006_000c, 2, 3, 1, 31, 4]));
    let unknown = "%e = OpExtInstImport \"NonSemantic.A\" %r = OpExtInst %t %e 7 %x %y";
    assert_eq!(body(unknown).last_chunk(), Some(&[0x0007_000c, 2, 3, 1, 7, 4, 5]));
    let raw = "%e = OpExtInstImport !0x78 %r = OpExtInst %t %e 7 %x";
    assert_eq!(body(raw), [0x0003_000b, 1, 0x78, 0x0006_000c, 2, 3, 1, 7, 4]);
    let spelt = "OpUnknown(11, 3) %e !0x78 %r = OpExtInst %t %e 7 %x";
    assert_eq!(body(spelt), [0x0003_000b, 1, 0x78, 0x0006_000c, 2, 3, 1, 7, 4]);
    // What a later version of a non-semantic set adds.
    let more = "%e = OpExtInstImport \"NonSemantic.Shader.DebugInfo.100\" %r = OpExtInst %t %e DebugSource %a %b %c";
    assert_eq!(body(more).last_chunk(), Some(&[0x0008_000c, 2, 3, 1, 35, 4, 5, 6]));
    for (text, part) in [
        (format!("{glsl}%r = OpExtInst %t %e Sqrtt %x"), "Sqrtt"),
        (format!("{glsl}%r = OpExtInst %t %x Sqrt %x"), "Set"),
        (format!("{glsl}%r = OpExtInst %t %e Sqrt 5"), "`5`"),
        (format!("{glsl}%e = OpExtInstImport \"OpenCL.std\""), "%e"),
        ("%e = OpExtInstImport \"GLSL.std.45\"".to_owned(), "GLSL.std.45"),
    ] {
        let e = errors(text.as_bytes());
        assert!(e.iter().any(|e| e.message.contains(part)), "{text}: {e:?}");
    }
}

#[test]
fn raw_words() {
    let cases: &[(&str, &[u32])] = &[
        ("!0x00010000", &[0x0001_0000]),
        ("!010 !-0 !+5 !4294967295", &[8, 0, 5, u32::MAX]),
        ("OpCapability !5000", &[0x0002_0011, 5000]),
        ("%r = OpConstant !7 !8 9", &[0x0005_002b, 7, 1, 8, 9]),
        (
            "OpMemoryModel !0 \"abc\" 5 -7 1.5 %a OpNop",
            &[0x0007_000e, 0, 0x0063_6261, 5, 0xffff_fff9, 0x3fc0_0000, 1, 0x0001_0000],
        ),
        // With the operands complete, a raw word starts an instruction.
        ("OpMemoryModel Logical GLSL450 !0x00010000", &[0x0003_000e, 0, 1, 0x0001_0000]),
        ("!0x00020013 %a %b = OpTypeBool", &[0x0002_0013, 1, 0x0002_0014, 2]),
        ("%s = OpSpecConstantOp %t !5 %a 7", &[0x0006_0034, 1, 2, 5, 3, 7]),
        ("OpUnknown(40000, 3) %a !7", &[0x0003_9c40, 1, 7]),
        ("OpUnknown ( 255 , 1 )\nOpNop", &[0x0001_00ff, 0x0001_0000]),
        ("OpUnknown(9,3) \"abcd\"", &[0x0003_0009, 0x6463_6261, 0]),
    ];
    for (text, words) in cases {
        assert_eq!(body(text), *words, "{text}");
    }
    for text in [
        "!",
        "!x",
        "!5!",
        "!4294967296",
        "!-1",
        "!1 %a = !2",
        "OpMemoryModel !0 OpenCL",
        "OpMemoryModel !0 5000000000",
        "%a = !5",
        "%a = OpUnknown(1, 1)",
        "OpUnknown",
        "OpUnknown(",
        "OpUnknown(1",
        "OpUnknown(1,",
        "OpUnknown(1, 2",
        "OpUnknown(1, 0)",
        "OpUnknown(70000, 1)",
        "OpUnknown(1, 2)",
        "OpUnknown(1, 2) 3 4",
        "OpUnknown(1, 2) \"abcd\"",
    ] {
        assert!(!errors(text.as_bytes()).is_empty(), "{text}");
    }
}

#[test]
fn headers() {
    let default = AsmOptions::default();
    let kept = AsmOptions { keep_header: true, ..AsmOptions::default() };
    let old = AsmOptions { version: Some(Version::v1(0)), generator: 3, ..AsmOptions::default() };
    let text = "; SPIR-V\n; Version: 1.3\n; Generator: Google Clspv; 2\n; Bound: 77\n; Schema: 0\n%a = OpTypeVoid";
    assert_eq!(header(text, &default), [0x0723_0203, 0x0001_0300, 0x0007_0000, 2, 0]);
    assert_eq!(header(text, &kept), [0x0723_0203, 0x0001_0300, 0x0015_0002, 77, 0]);
    assert_eq!(header(text, &old), [0x0723_0203, 0x0001_0000, 3, 2, 0]);
    assert_eq!(header("OpNop ; Version: 1.3", &default), [0x0723_0203, 0x0001_0600, 0x0007_0000, 1, 0]);
    assert_eq!(header("; Version: 9.9\n", &default), [0x0723_0203, 0x0001_0600, 0x0007_0000, 1, 0]);
    let newer = "%r = OpPtrEqual %t %a %b";
    assert!(assemble(newer.as_bytes(), &old).is_err_and(|e| e.iter().any(|e| e.message.contains("1.0"))));
    assert!(assemble(newer.as_bytes(), &AsmOptions { any_version: true, ..old }).is_ok());
}

#[test]
fn numeric_ids() {
    let keep = AsmOptions { preserve_numeric_ids: true, ..AsmOptions::default() };
    let cases: &[(&str, &[u32], u32)] = &[
        ("%7 = OpTypeVoid %3 = OpTypeBool", &[0x0002_0013, 7, 0x0002_0014, 3], 8),
        // Names fill the gaps, numbers that come later included.
        ("%a = OpTypeVoid %b = OpTypeBool %2 = OpTypeEvent", &[0x0002_0013, 1, 0x0002_0014, 3, 0x0002_0022, 2], 4),
        ("%4294967295 = OpTypeVoid %a = OpTypeBool", &[0x0002_0013, u32::MAX, 0x0002_0014, 1], u32::MAX),
        ("%0x10 = OpTypeVoid %x = OpUndef %16", &[0x0002_0013, 16, 0x0003_0001, 16, 1], 17),
        ("%4294967296 = OpTypeVoid", &[0x0002_0013, 1], 2),
    ];
    for (text, words, bound) in cases {
        assert_eq!(body_with(text, &keep), *words, "{text}");
        assert_eq!(header(text, &keep).get(3), Some(bound), "{text}");
    }
    assert_eq!(body("%7 = OpTypeVoid %07 = OpTypeBool"), [0x0002_0013, 1, 0x0002_0014, 2]);
}

#[test]
fn every_error_is_reported() {
    let text =
        b"OpCapability Shadr\n%1 = OpTypeIn 32 0\n%2 = OpConstant %1 5\nOpName %2 x\n  OpKill 7 8\nfoo\n%3 OpTypeVoid
%4 = OpTypeVoid\nOpMemoryModel Logical\nOpFoo";
    let found = errors(text);
    let places: Vec<_> = found.iter().map(|e| (e.line, e.column)).collect();
    assert_eq!(places, [(1, 14), (2, 6), (4, 11), (5, 10), (6, 1), (7, 1), (9, 15), (10, 1)], "{found:#?}");
    let helps: Vec<_> = found.iter().filter_map(|e| e.help.as_deref()).collect();
    assert!(helps.contains(&"did you mean `Shader`?"), "{helps:?}");
    assert!(helps.contains(&"did you mean `OpTypeInt`?"), "{helps:?}");
    for e in &found {
        assert!(text.get(e.span.clone()).is_some_and(|t| !t.is_empty()), "{e:?}");
    }
}

#[test]
fn refused() {
    for text in [
        "5 = OpTypeVoid",
        "%a! = OpTypeVoid",
        "% = OpTypeVoid",
        "%a%b = OpTypeVoid",
        "%a = OpNop",
        "OpTypeVoid",
        "OpTypeVoid %1",
        "%1",
        "%1 =",
        "OpCapability 1",
        "OpCapability",
        "%f = OpFunction %t 0x1 %g",
        "%f = OpFunction %t Inline| %g",
        "%f = OpFunction %t %g",
        "OpName %x",
        "OpName \"x\"",
        "OpLine %f -1 1",
        "OpLine %f 1.5 1",
        "OpLine %f 4294967296 1",
        "%t = OpTypeInt 32 0 %t = OpTypeInt 16 0",
        "%t = OpTypeFloat 32 BFloat16KHR",
        "%t = OpTypeFloat 32 !9999",
        "%c = OpConstant %t 1",
        "%t = OpTypeVoid %c = OpConstant %t 1",
        "OpSwitch %s %d 1 %a",
        "%t = OpTypeFloat 32 %s = OpUndef %t OpSwitch %s %d 1 %a",
        "%t = OpTypeInt 32 0 %s = OpUndef %t OpSwitch %s %d 1",
        "%s = OpSpecConstantOp %t OpIAdd %a %b",
        "%s = OpSpecConstantOp %t FunctionCall %a",
        "%t = OpTypeInt 4294967295 0 %c = OpConstant %t 1",
        "OpNop,",
        "(",
        "=",
        "\"x\"",
        "\\",
        "\u{1f600}",
    ] {
        assert!(!errors(text.as_bytes()).is_empty(), "{text}");
    }
}

#[test]
fn too_long() {
    let mut text = "%s = OpTypeStruct".to_owned();
    text.extend((0..65_533).map(|_| " %m"));
    assert_eq!(body(&text).first(), Some(&0xffff_001e));
    text.push_str(" %m");
    let e = errors(text.as_bytes());
    assert!(e.iter().any(|e| e.message.contains("65536")), "{e:?}");
}

#[test]
fn places() {
    let text = "; comment\nOpNop\n\n%a = OpTypeVoid ; here\n%s =\n  OpTypeStruct %a\n    %a\nOpName %a \"x\ny\"\n!65536 !65536\n";
    let made = assemble_with_map(text.as_bytes(), &AsmOptions::default()).unwrap_or_default();
    let lines: Vec<_> = made.spots.iter().map(|s| (s.word, s.line)).collect();
    assert_eq!(lines, [(5, 2), (6, 4), (8, 5), (12, 8), (15, 10)]);
    let texts: Vec<_> = made.spots.iter().filter_map(|s| text.get(s.span.clone())).collect();
    assert_eq!(
        texts,
        ["OpNop", "%a = OpTypeVoid", "%s =\n  OpTypeStruct %a\n    %a", "OpName %a \"x\ny\"", "!65536 !65536"]
    );
    assert_eq!(made.spot(4), None);
    assert_eq!(made.spot(11).map(|s| s.line), Some(5));
    assert_eq!(made.spot(12).map(|s| s.line), Some(8));
}

/// Mutants of a text must neither panic nor hang.
#[test]
fn no_text_is_harmful() {
    let seed = b"; Version: 1.5\nOpCapability Shader\n%e = OpExtInstImport \"GLSL.std.450\"\nOpEntryPoint Vertex %m \"m\" %7
OpStore %p %v Aligned|Volatile 16\n%t = OpTypeInt 64 1\n%c = OpConstant %t -5\nOpSwitch %c %d 1 %a 2 %b\nOpUnknown(5, 3) !7 1.5
%r = OpExtInst %t %e FMix %x %y %z\n%f = OpTypeFloat 16\n%g = OpConstant %f 0x1.8p+3\n%s = OpSpecConstantOp %t IAdd %c %c
%h = OpTypeInt 128 1\n%i = OpConstant %h -0x123456789abcdef0123\n";
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut random = |n: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as usize % n
    };
    let alphabet = b"%!\"\\;=|()\n -+.,0x1p9eO\0\xff";
    for i in 0..10_000 {
        let mut text = seed.to_vec();
        for _ in 0..1 + random(4) {
            let at = random(text.len());
            match random(4) {
                0 => drop(text.remove(at)),
                1 => text.insert(at, alphabet[random(alphabet.len())]),
                2 => text[at] = alphabet[random(alphabet.len())],
                _ => {
                    let end = at + random(text.len() - at);
                    text.drain(at..end);
                }
            }
            if text.is_empty() {
                text.push(b'%');
            }
        }
        let options = AsmOptions { preserve_numeric_ids: i % 2 == 0, keep_header: i % 3 == 0, ..AsmOptions::default() };
        match assemble_with_map(&text, &options) {
            Ok(made) => assert!(made.words.len() <= 5 + text.len()),
            Err(errors) => {
                assert!(!errors.is_empty());
                assert!(errors.iter().all(|e| e.line >= 1 && e.column >= 1 && text.get(e.span.clone()).is_some()));
            }
        }
    }
}

#[test]
fn long_texts_take_linear_time() {
    let n = 1 << 18;
    for (unit, tail) in
        [(" ", "OpNop"), ("\n", "OpNop"), ("%a ", ""), ("%a\n", "="), ("!1 ", ""), ("a\n", ""), ("\"", "")]
    {
        let text = unit.repeat(n) + tail;
        let made = assemble(text.as_bytes(), &AsmOptions { preserve_numeric_ids: true, ..AsmOptions::default() });
        assert!(made.is_err_and(|e| e.len() <= 1000) || unit.trim().is_empty() || unit == "!1 ");
    }
    let digits = format!("%t = OpTypeFloat 32\n%c = OpConstant %t 0x{}p+1", "1".repeat(n));
    assert!(assemble(digits.as_bytes(), &AsmOptions::default()).is_ok());
}
