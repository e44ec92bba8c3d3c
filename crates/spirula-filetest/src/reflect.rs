//! `; test reflect`.

use clap::Parser as _;
use spirula_module::{Index, Module};
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
