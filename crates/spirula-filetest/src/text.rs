//! `; test as` and `; test dis`.

use clap::Parser as _;
use spirula_cli::DisStyle;
use spirula_text::{AsmOptions, DisOptions, assemble, disassemble};

use crate::file::{Built, TestFile};
use crate::marks::{Found, bless, judge, marks, pair};

#[derive(clap::Parser, Debug)]
struct DisTest {
    #[command(flatten)]
    style: DisStyle,
    /// Show what is damaged as well.
    #[arg(long)]
    damage: bool,
}

/// The module as the disassembler prints it.
pub(crate) fn run_dis(file: &TestFile) -> Result<(), String> {
    let args = std::iter::once("test").chain(file.options.iter().map(String::as_str));
    let args = DisTest::try_parse_from(args).map_err(|e| format!("`; options:` makes no sense: {e}"))?;
    let built = file.build(file.asm_options()).map_err(|errors| format!("the text does not assemble: {errors:?}"))?;
    let made = disassemble(&built.words, &args.style.options(false));
    let mut lines: Vec<String> = made.text.lines().map(str::to_owned).collect();
    if args.damage {
        lines.extend(made.damage.iter().map(|d| format!("word {}: {}", d.word, d.message)));
    }
    file.compare(&lines)?;
    round_trip(&built)
}

#[derive(clap::Parser, Debug)]
struct AsTest {
    #[arg(long)]
    preserve_numeric_ids: bool,
}

/// The words of the text, or what is wrong in it.
pub(crate) fn run_as(file: &TestFile) -> Result<(), String> {
    let args = std::iter::once("test").chain(file.options.iter().map(String::as_str));
    let args = AsTest::try_parse_from(args).map_err(|e| format!("`; options:` makes no sense: {e}"))?;
    let options = AsmOptions { preserve_numeric_ids: args.preserve_numeric_ids, ..file.asm_options() };
    let body = file.lines.get(..file.body_end).unwrap_or(&file.lines);
    let expected = marks(body, 0);
    match file.build(options) {
        Ok(_) if !expected.is_empty() => judge(&expected, &[]),
        Ok(built) => {
            let rows = built.words.chunks(8).map(|row| {
                let row: Vec<String> = row.iter().map(|w| format!("{w:08x}")).collect();
                row.join(" ")
            });
            file.compare(&rows.collect::<Vec<_>>())?;
            round_trip(&built)
        }
        Err(errors) => {
            let found = errors.into_iter().map(|(line, message)| {
                let place = "somewhere".to_owned();
                Found { severity: "error".to_owned(), rule: String::new(), message, line, place }
            });
            let (mut missing, left) = pair(expected, found.collect());
            if crate::blessing() && !left.is_empty() {
                file.save(&bless(&file.lines, file.directives, &mut missing, left))?;
                return judge(&missing, &[]);
            }
            judge(&missing, &left)
        }
    }
}

/// `as(dis(x))` is `x`, whatever names are used.
fn round_trip(built: &Built) -> Result<(), String> {
    for raw_ids in [true, false] {
        let text = disassemble(&built.words, &DisOptions { raw_ids, ..DisOptions::default() }).text;
        let options = AsmOptions { preserve_numeric_ids: raw_ids, keep_header: true, ..AsmOptions::default() };
        match assemble(text.as_bytes(), &options) {
            Ok(words) if words == built.words || !raw_ids => {}
            Ok(_) => return Err("the disassembly assembles to another module".to_owned()),
            Err(errors) => {
                let first = errors.first().map(|e| format!("{}:{}: {}", e.line, e.column, e.message));
                return Err(format!("the disassembly does not assemble: {}", first.unwrap_or_default()));
            }
        }
    }
    Ok(())
}
