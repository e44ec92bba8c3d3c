//! `; test reflect`.

use clap::Parser as _;
use spirula_module::{Index, Module};
use spirula_reflect::RustOptions;
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
    /// The module is not valid, and is not to be.
    #[arg(long)]
    no_validate: bool,
}

/// What reflection says of the module, which must be valid.
pub(crate) fn run(file: &TestFile) -> Result<(), String> {
    let args = std::iter::once("test").chain(file.options.iter().map(String::as_str));
    let args = ReflectTest::try_parse_from(args).map_err(|e| format!("`; options:` makes no sense: {e}"))?;
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
            let report = serde_json::to_value(spirula_reflect::reflect(&module)).map_err(|e| e.to_string())?;
            let part = report.get(part).ok_or_else(|| format!("the report has no `{part}`"))?;
            serde_json::to_string_pretty(part).map_err(|e| e.to_string())?
        }
    };
    let lines: Vec<String> = text.lines().map(str::to_owned).collect();
    file.compare(&lines)
}

/// The Rust structures of a test's module, or of one that is no test.
pub(crate) fn rust_structures(path: &std::path::Path) -> Result<String, String> {
    let bytes = std::fs::read(path).map_err(|e| e.to_string())?;
    let words = match TestFile::parse(path, &bytes) {
        Ok(file) => file.build(file.asm_options()).map_err(|e| format!("{e:?}"))?.words,
        Err(_) => spirula_text::assemble(&bytes, &AsmOptions::default()).map_err(|e| format!("{e:?}"))?,
    };
    let mut index = Index::new();
    let report = spirula_reflect::reflect(&Module::new(&words, &mut index));
    Ok(spirula_reflect::rust(&report, &RustOptions::default()))
}
