//! `; test reflect`.

use clap::Parser as _;
use spirula_module::{Index, Module};
use spirula_reflect::{Reflection, RustOptions, Stage};
use spirula_text::AsmOptions;
use spirula_val::{Options, Validator};

use crate::file::{Built, TestFile};

#[derive(clap::Parser, Debug)]
struct ReflectTest {
    /// Show one field of the report as JSON, not the table.
    #[arg(long)]
    part: Option<String>,
    /// Show the YAML of SPIRV-Reflect.
    #[arg(long, conflicts_with = "part")]
    yaml: bool,
    /// Show the Rust structures.
    #[arg(long, conflicts_with = "part")]
    rust: bool,
    /// … with the traits of bytemuck.
    #[arg(long, requires = "rust")]
    bytemuck: bool,
    /// … with the types of the crate half.
    #[arg(long, requires = "rust")]
    half: bool,
    /// The file's modules, each behind a line `; stage: NAME`, are one pipeline.
    #[arg(long)]
    pipeline: bool,
    /// The module is not valid, and is not to be.
    #[arg(long)]
    no_validate: bool,
}

/// What reflection says of the module, which must be valid.
pub(crate) fn run(file: &TestFile) -> Result<(), String> {
    let args = std::iter::once("test").chain(file.options.iter().map(String::as_str));
    let args = ReflectTest::try_parse_from(args).map_err(|e| format!("`; options:` makes no sense: {e}"))?;
    if args.pipeline {
        return pipeline(file, args.part.as_deref());
    }
    let built = file.build(file.asm_options()).map_err(|errors| format!("the text does not assemble: {errors:?}"))?;
    if !args.no_validate
        && let Err(report) = Validator::new(file.env, Options::default()).validate(&built.words)
    {
        let messages: Vec<&str> = report.diagnostics.iter().map(|d| d.message.as_str()).collect();
        return Err(format!("the module is not valid: {messages:?}"));
    }
    let mut index = Index::new();
    let module = Module::new(&built.words, &mut index);
    let text = match &args.part {
        _ if args.yaml => spirula_reflect::yaml(&module),
        _ if args.rust => {
            let options = RustOptions { bytemuck: args.bytemuck, half: args.half, derives: Vec::new() };
            spirula_reflect::rust(&spirula_reflect::reflect(&module), &options)
        }
        None => spirula_reflect::table(&spirula_reflect::reflect(&module)),
        Some(part) => {
            part_of(&serde_json::to_value(spirula_reflect::reflect(&module)).map_err(|e| e.to_string())?, part)?
        }
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    file.compare(&lines)
}

/// What the modules of a file want together.
fn pipeline(file: &TestFile, part: Option<&str>) -> Result<(), String> {
    let built = crate::link::parts(file)?;
    for (name, b) in &built {
        if let Err(report) = Validator::new(file.env, Options::default()).validate(&b.words) {
            let messages: Vec<&str> = report.diagnostics.iter().map(|d| d.message.as_str()).collect();
            return Err(format!("{name} is not valid: {messages:?}"));
        }
    }
    let report = |b: &Built| spirula_reflect::reflect(&Module::new(&b.words, &mut Index::new()));
    let reports: Vec<(&str, Reflection)> = built.iter().map(|(name, b)| (name.as_str(), report(b))).collect();
    let stages = reports.iter().flat_map(|(module, report)| {
        (0..report.entry_points.len()).map(move |entry_point| Stage { module, report, entry_point })
    });
    let pipeline = spirula_reflect::merge(&stages.collect::<Vec<_>>());
    let text = match part {
        None => spirula_reflect::pipeline_table(&pipeline),
        Some(part) => part_of(&serde_json::to_value(&pipeline).map_err(|e| e.to_string())?, part)?,
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    file.compare(&lines)
}

/// One field of a report as JSON.
fn part_of(report: &serde_json::Value, part: &str) -> Result<String, String> {
    let part = report.get(part).ok_or_else(|| format!("the report has no `{part}`"))?;
    serde_json::to_string_pretty(part).map_err(|e| e.to_string())
}

/// The Rust structures of a test's module, or of one that is no test.
pub(crate) fn rust_structures(path: &std::path::Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let words = match TestFile::parse(path, &bytes) {
        // The stages of a pipeline are tested as modules elsewhere.
        Ok(file) if file.options.iter().any(|o| o == "--pipeline") => return Ok(String::new()),
        Ok(file) => file.build(file.asm_options()).map_err(|e| format!("{e:?}"))?.words,
        Err(_) => spirula_text::assemble(&bytes, &AsmOptions::default()).map_err(|e| format!("{e:?}"))?,
    };
    let mut index = Index::new();
    let report = spirula_reflect::reflect(&Module::new(&words, &mut index));
    Ok(spirula_reflect::rust(&report, &RustOptions::default()))
}
