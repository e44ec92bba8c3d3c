//! `; test reflect`.

use std::sync::OnceLock;

use boon::{Compiler, SchemaIndex, Schemas};
use clap::Parser as _;
use serde_json::Value;
use spirula_module::{Index, Module};
use spirula_reflect::{Reflection, Reflector, RustOptions, Stage};
use spirula_text::AsmOptions;
use spirula_val::{Options, Validator};

use crate::file::TestFile;

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
    let report = spirula_reflect::reflect(&module);
    let json = serde_json::to_value(&report).map_err(|e| e.to_string())?;
    fits_schema("reflection", &json)?;
    let text = match &args.part {
        _ if args.yaml => spirula_reflect::yaml(&module),
        _ if args.rust => {
            let options = RustOptions { bytemuck: args.bytemuck, half: args.half, derives: Vec::new() };
            spirula_reflect::rust(&report, &options)
        }
        None => spirula_reflect::table(&report),
        Some(part) => part_of(&json, part)?,
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
    let mut reflector = Reflector::new();
    let reports = built.iter().map(|(name, b)| (name.as_str(), reflector.reflect(&b.words)));
    let reports: Vec<(&str, Reflection<'_>)> = reports.collect();
    let stages = reports.iter().flat_map(|(module, report)| {
        (0..report.entry_points.len()).map(move |entry_point| Stage { module, report, entry_point })
    });
    let pipeline = spirula_reflect::merge(&stages.collect::<Vec<_>>());
    let json = serde_json::to_value(&pipeline).map_err(|e| e.to_string())?;
    fits_schema("pipeline", &json)?;
    let text = match part {
        None => spirula_reflect::pipeline_table(&pipeline),
        Some(part) => part_of(&json, part)?,
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    file.compare(&lines)
}

/// One field of a report as JSON.
fn part_of(report: &Value, part: &str) -> Result<String, String> {
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

/// The schemas of reports, by name.
static SCHEMAS: [(&str, &str); 2] = [
    ("reflection", include_str!("../../../docs/reflection.schema.json")),
    ("pipeline", include_str!("../../../docs/pipeline.schema.json")),
];

/// Whether a report is what `docs/NAME.schema.json` says.
fn fits_schema(name: &str, report: &Value) -> Result<(), String> {
    static COMPILED: OnceLock<(Schemas, Vec<SchemaIndex>)> = OnceLock::new();
    let (schemas, indices) = COMPILED.get_or_init(|| {
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        for (name, text) in SCHEMAS {
            let schema: Value = serde_json::from_str(text).expect("JSON");
            compiler.add_resource(name, schema).expect("a name that is not taken");
        }
        let compiled = SCHEMAS.iter().map(|(name, _)| compiler.compile(name, &mut schemas).expect("a schema"));
        let indices = compiled.collect();
        (schemas, indices)
    });
    let index = SCHEMAS.iter().position(|s| s.0 == name).and_then(|i| indices.get(i)).ok_or("no such schema")?;
    schemas.validate(report, *index).map_err(|e| format!("the report does not fit docs/{name}.schema.json: {e}"))
}

#[cfg(test)]
mod tests {
    use spirula_text::assemble;

    use super::*;

    fn report(text: &str) -> Value {
        let words = assemble(text.as_bytes(), &AsmOptions::default()).expect("an example assembles");
        let mut index = Index::new();
        serde_json::to_value(spirula_reflect::reflect(&Module::new(&words, &mut index))).expect("JSON")
    }

    fn examples() -> Vec<Value> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples");
        let files = walkdir::WalkDir::new(folder).into_iter().flatten();
        let files = files.filter(|f| f.path().extension().is_some_and(|e| e == "spvasm"));
        files.map(|f| report(&std::fs::read_to_string(f.path()).expect("an example"))).collect()
    }

    #[test]
    fn reports_on_the_examples_fit_the_schema() {
        let all = examples();
        assert!(all.len() >= 3);
        for report in all {
            assert_eq!(fits_schema("reflection", &report), Ok(()));
        }
    }

    #[test]
    fn what_is_no_pipeline_does_not_fit_its_schema() {
        let pipeline = serde_json::to_value(spirula_reflect::merge(&[])).expect("JSON");
        assert_eq!(fits_schema("pipeline", &pipeline), Ok(()));
        for key in pipeline.as_object().expect("an object").keys() {
            let mut other = pipeline.clone();
            other[key] = serde_json::json!([{ "surprise": 1 }]);
            assert!(fits_schema("pipeline", &other).is_err(), "with another {key}");
        }
        assert!(fits_schema("reflection", &pipeline).is_err());
    }

    /// Every field is in the schema, and every one of them must be there.
    #[test]
    fn what_does_not_fit_the_schema_is_seen() {
        for report in examples() {
            let (mut more, mut version) = (report.clone(), report.clone());
            more["bindings"] = serde_json::json!([{ "surprise": 1 }]);
            assert!(fits_schema("reflection", &more).is_err());
            version["schema"] = serde_json::json!(2);
            assert!(fits_schema("reflection", &version).is_err());
            for key in report.as_object().expect("an object").keys() {
                let mut less = report.clone();
                less.as_object_mut().expect("an object").remove(key);
                assert!(fits_schema("reflection", &less).is_err(), "without {key}");
                let mut other = report.clone();
                other[key] = serde_json::json!({ "surprise": 1 });
                assert!(fits_schema("reflection", &other).is_err(), "with another {key}");
            }
        }
    }
}
