//! `; test link`: the modules of a file, each behind a line `; stage: NAME`, against each other.

use clap::Parser as _;
use spirula_cli::{ValArgs, located};
use spirula_module::{Index, Module};
use spirula_text::render::{Origin, Subject};
use spirula_val::link::{Stage, check};
use spirula_val::{TargetEnv, Validator};

use crate::file::{Built, TestFile};
use crate::marks::{bless, judge, marks, pair};

/// The options of a test.
#[derive(clap::Parser, Debug)]
struct Options {
    #[command(flatten)]
    rules: ValArgs,
}

pub(crate) fn run(file: &TestFile) -> Result<(), String> {
    let args = std::iter::once("test").chain(file.options.iter().map(String::as_str));
    let options = Options::try_parse_from(args).map_err(|e| format!("`; options:` makes no sense: {e}"))?;
    let options = options.rules.options(Vec::new());
    let built = parts(file)?;
    let env = file.env.unwrap_or(TargetEnv::vulkan(u8::MAX));
    let mut validator = Validator::new(Some(env), options.clone());
    let subjects: Vec<Subject<'_>> = built
        .iter()
        .map(|(name, b)| Subject::new(name, &b.words, Some(Origin { text: b.text.as_bytes(), lines: &b.lines })))
        .collect();
    for (subject, (_, b)) in subjects.iter().zip(&built) {
        if let Err(report) = validator.validate(&b.words) {
            let each: Vec<String> = report.diagnostics.iter().map(|d| subject.locate(d).message).collect();
            return Err(format!("a stage is invalid by itself:\n  {}", each.join("\n  ")));
        }
    }
    let mut indices: Vec<Index> = built.iter().map(|_| Index::new()).collect();
    let mut stages = Vec::new();
    let mut of = Vec::new();
    for (i, ((_, b), index)) in built.iter().zip(&mut indices).enumerate() {
        let module = Module::new(&b.words, index);
        for entry in module.entry_points() {
            stages.push(Stage { module, entry });
            of.push(i);
        }
    }
    let by_stage: Vec<&Subject<'_>> = of.iter().filter_map(|i| subjects.get(*i)).collect();
    let mut all = Vec::new();
    for mismatch in check(&stages, env, &options) {
        let (_, b) = of.get(mismatch.stage).and_then(|i| built.get(*i)).ok_or("a mismatch of no stage")?;
        all.push(crate::val::found(&located(&mismatch, &by_stage), b));
    }
    let (mut missing, left) = pair(marks(&file.lines, 0), all);
    if crate::blessing() && !left.is_empty() {
        file.save(&bless(&file.lines, file.directives, &mut missing, left))?;
        return judge(&missing, &[]);
    }
    judge(&missing, &left)
}

/// The modules. Each is built from the file with the lines of the others left empty, so that lines keep their numbers.
pub(crate) fn parts(file: &TestFile) -> Result<Vec<(String, Built)>, String> {
    let starts: Vec<usize> =
        (0..).zip(&file.lines).filter(|(_, l)| l.starts_with("; stage:")).map(|(i, _)| i).collect();
    let first = *starts.first().ok_or("the file has no line `; stage: NAME`")?;
    let ends = starts.iter().skip(1).copied().chain([file.lines.len()]);
    starts
        .iter()
        .zip(ends)
        .map(|(start, end)| {
            let keep = |i: usize| i < first || (*start..end).contains(&i);
            let lines = file.lines.iter().enumerate().map(|(i, l)| if keep(i) { l.as_str() } else { "" });
            let text = lines.collect::<Vec<_>>().join("\n");
            let part = TestFile::parse(&file.path, text.as_bytes())?;
            let name = file.lines.get(*start).map_or("", |l| l.trim_start_matches("; stage:").trim());
            let built = part.build(part.asm_options()).map_err(|errors| {
                let each = errors.iter().map(|(line, m)| format!("  line {}: {m}", line.map_or(0, |l| l + 1)));
                format!("a stage does not assemble:\n{}", each.collect::<Vec<_>>().join("\n"))
            })?;
            Ok((name.to_owned(), built))
        })
        .collect()
}
