//! `; test val`.

use clap::Parser as _;
use spirula_cli::ValArgs;
use spirula_text::render::{Finding, Origin, Subject};
use spirula_val::Validator;

use crate::file::{Built, TestFile};
use crate::marks::{Found, bless, judge, marks, pair};

/// The options of a test.
#[derive(clap::Parser, Debug)]
struct Options {
    #[command(flatten)]
    rules: ValArgs,
}

pub(crate) fn run(file: &TestFile) -> Result<(), String> {
    let built = file.build(file.asm_options()).map_err(|errors| {
        let each = errors.iter().map(|(line, message)| match line {
            Some(line) => format!("  line {}: {message}", line + 1),
            None => format!("  {message}"),
        });
        format!("the text does not assemble:\n{}", each.collect::<Vec<_>>().join("\n"))
    })?;
    let args = std::iter::once("test").chain(file.options.iter().map(String::as_str));
    let options = Options::try_parse_from(args).map_err(|e| format!("`; options:` makes no sense: {e}"))?;
    let mut validator = Validator::new(file.env.or(options.rules.env()), options.rules.options(Vec::new()));
    let diagnostics = match validator.validate(&built.words) {
        Ok(valid) => valid.warnings,
        Err(report) => report.diagnostics,
    };
    let origin = Origin { text: built.text.as_bytes(), lines: &built.lines };
    let subject = Subject::new("", &built.words, Some(origin));
    let found = diagnostics.iter().map(|d| found(&subject.locate(d), &built)).collect();
    let (mut missing, left) = pair(marks(&file.lines, 0), found);
    if crate::blessing() && !left.is_empty() {
        file.save(&bless(&file.lines, file.directives, &mut missing, left))?;
        return judge(&missing, &[]);
    }
    judge(&missing, &left)
}

pub(crate) fn found(finding: &Finding, built: &Built) -> Found {
    let word = finding.place.word.unwrap_or(0);
    // Words in hexadecimal have a line each, headers included.
    let at = built.lines.binary_search_by_key(&word, |l| l.0).ok().and_then(|i| built.lines.get(i));
    let text_line = at.map(|l| l.1);
    let line = text_line.and_then(|l| built.origin.get(l.saturating_sub(1) as usize).copied().flatten());
    let place = match (text_line, &finding.place.asm) {
        (Some(_), Some(asm)) => format!("in the prelude at `{}`", asm.trim()),
        _ => format!("at word {word} (a mark that stands alone in a line matches it)"),
    };
    Found {
        severity: finding.severity.to_owned(),
        rule: finding.rule.clone(),
        message: finding.message.clone(),
        line,
        place,
    }
}
