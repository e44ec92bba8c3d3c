//! The reference tools' own command lines: `spirv-as`, `spirv-dis`, `spirv-val`, `spirv-reflect`.
//!
//! Flags, defaults, the form of messages and exit codes are theirs, so that scripts and build systems that call them
//! need not change. The texts of diagnostics are ours.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::process::ExitCode;

use clap::{Args, Parser};
use spirula_binary::bytes_from_words;
use spirula_diag::Severity;
use spirula_text::render::{Finding, Subject};
use spirula_text::{AsmOptions, disassemble};
use spirula_val::{TargetEnv, Validator};

use super::compat_reflect::{SpirvReflect, reflect_file, spread};
use super::dis::DisStyle;
use super::output::Output;
use crate::bytes::Bytes;
use crate::inputs::Input;
use crate::load::{self, Loaded};
use crate::options::{EnvChoice, ValArgs};
use crate::report::{to_stderr, to_stdout};

/// What the tools' processes return where the library's result is passed through: `SPV_ERROR_INVALID_TEXT`.
const TEXT_ERROR: u8 = 251;
/// `SPV_ERROR_INVALID_BINARY`.
const BINARY_ERROR: u8 = 252;
/// Any other failure.
pub(super) const ERROR: u8 = 1;

/// Behave like one of the reference tools.
///
/// A link to `spirula` with the name of the tool does the same.
#[derive(Args, Debug)]
#[command(disable_help_flag = true)]
pub(crate) struct CompatCommand {
    /// spirv-as, spirv-dis, spirv-val or spirv-reflect
    tool: String,
    /// The tool's own options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    args: Vec<OsString>,
}

impl CompatCommand {
    pub(crate) fn run(&self) -> u8 {
        let mut args = vec![OsString::from(&self.tool)];
        args.extend(self.args.iter().cloned());
        tool(&self.tool, args).unwrap_or_else(|| {
            crate::cli::complain(&format!("{} is not one of spirv-as, spirv-dis, spirv-val, spirv-reflect", self.tool));
            crate::USAGE
        })
    }
}

/// Acts as the tool whose name the program was called by, if it was.
pub(crate) fn by_name(args: &[OsString]) -> Option<ExitCode> {
    let name = Path::new(args.first()?).file_stem()?.to_str()?;
    if !name.starts_with("spirv-") {
        return None;
    }
    let code = crate::panics::caught(|| tool(name, args.to_vec()));
    let code = code.unwrap_or_else(|message| {
        error(&message);
        Some(ERROR)
    });
    code.map(ExitCode::from)
}

fn tool(name: &str, args: Vec<OsString>) -> Option<u8> {
    Some(match name {
        "spirv-as" => parsed::<SpirvAs>(args, assemble_file),
        "spirv-dis" => parsed::<SpirvDis>(args, disassemble_file),
        "spirv-val" => parsed::<SpirvVal>(args, validate_file),
        "spirv-reflect" => parsed::<SpirvReflect>(spread(args), reflect_file),
        _ => return None,
    })
}

fn parsed<A: Parser>(args: Vec<OsString>, run: impl FnOnce(A) -> u8) -> u8 {
    match A::try_parse_from(args) {
        Ok(args) => run(args),
        Err(e) => {
            let _ = e.print();
            if e.use_stderr() { ERROR } else { crate::OK }
        }
    }
}

/// Create a SPIR-V module from assembly text.
#[derive(Parser, Debug)]
#[command(name = "spirv-as", version)]
struct SpirvAs {
    /// The text; - or nothing for standard input
    file: Option<String>,
    /// Where to write, - for standard output
    #[arg(short, default_value = "out.spv")]
    output: String,
    #[arg(long)]
    preserve_numeric_ids: bool,
    #[arg(long)]
    target_env: Option<TargetEnv>,
}

/// Disassemble a SPIR-V module.
#[derive(Parser, Debug)]
#[command(name = "spirv-dis", version)]
struct SpirvDis {
    /// The module; - or nothing for standard input
    file: Option<String>,
    /// Where to write, - for standard output
    #[arg(short, default_value = "-")]
    output: String,
    /// Colours in the text
    #[arg(long, overrides_with = "no_color")]
    color: bool,
    /// No colours, the default where the output is no terminal
    #[arg(long, overrides_with = "color")]
    no_color: bool,
    #[command(flatten)]
    style: DisStyle,
}

/// Validate a SPIR-V module, or all *.spv files of a directory.
#[derive(Parser, Debug)]
#[command(name = "spirv-val", version)]
struct SpirvVal {
    /// The module or directory; - or nothing for standard input
    file: Option<String>,
    #[command(flatten)]
    rules: ValArgs,
}

pub(super) fn input(file: Option<&str>) -> Input {
    match file {
        None | Some("-") => Input::stdin(),
        Some(path) => Input::file(path.into()),
    }
}

pub(super) fn error(message: &str) {
    to_stderr(&format!("error: {message}\n"));
}

pub(super) fn read(input: &Input) -> Option<Bytes> {
    match load::read(input) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            unreadable(input);
            None
        }
    }
}

fn unreadable(input: &Input) -> u8 {
    error(&format!("cannot read '{}'", input.name));
    ERROR
}

/// Writes the result; a colon and the reason where that fails.
pub(super) fn write(path: &str, bytes: &[u8]) -> u8 {
    let output = if path == "-" { Output::Stdout } else { Output::File(path.into()) };
    match output.write("", "".as_ref(), bytes) {
        (crate::OK, _) => crate::OK,
        _ => ERROR,
    }
}

fn assemble_file(args: SpirvAs) -> u8 {
    let input = input(args.file.as_deref());
    let options = AsmOptions {
        preserve_numeric_ids: args.preserve_numeric_ids,
        version: args.target_env.map(|e| e.version),
        ..AsmOptions::default()
    };
    match load::assembled_input(&input, &options) {
        Ok(words) => write(&args.output, &bytes_from_words(&words)),
        Err(e) if e.code == crate::FAILED => unreadable(&input),
        Err(e) => {
            if let Some(f) = e.findings.first() {
                let place = (f.place.line.unwrap_or(0), f.place.column.unwrap_or(0));
                error(&format!("{}: {}: {}", place.0, place.1, f.message));
            }
            TEXT_ERROR
        }
    }
}

/// The module of a file that must be binary or hex.
pub(super) fn module<'b>(input: &Input, bytes: &'b [u8]) -> Option<Loaded<'b>> {
    match load::module(&input.name, bytes, &AsmOptions::default()) {
        Ok(loaded) => Some(loaded),
        Err(e) => {
            if let Some(f) = e.findings.first() {
                error(&format!("{}: {}", input.name, f.message));
            }
            None
        }
    }
}

fn disassemble_file(args: SpirvDis) -> u8 {
    let input = input(args.file.as_deref());
    let Some(bytes) = read(&input) else { return ERROR };
    let Some(loaded) = module(&input, &bytes) else { return ERROR };
    let terminal = args.output == "-" && std::io::stdout().is_terminal();
    let options = args.style.options(args.color || (terminal && !args.no_color));
    let made = disassemble(&loaded.words, &options);
    match made.damage.first() {
        Some(damage) => {
            error(&format!("{}: {}", ordinal(&loaded.words, damage.word), damage.message));
            BINARY_ERROR
        }
        None => write(&args.output, made.text.as_bytes()),
    }
}

/// Number of the instruction that starts at `word`, from 1; 0 for the header.
fn ordinal(words: &[u32], word: u32) -> usize {
    spirula_binary::Frames::of(words)
        .map_while(Result::ok)
        .take_while(|i| i.offset() <= word)
        .count()
        .max(usize::from(word >= spirula_binary::HEADER_WORDS as u32))
}

fn validate_file(mut args: SpirvVal) -> u8 {
    if args.rules.target_env == EnvChoice(None) {
        args.rules.target_env = EnvChoice(Some(TargetEnv::universal(6)));
    }
    let mut validator = Validator::new(args.rules.env(), args.rules.options(Vec::new()));
    let path = args.file.as_deref().map(Path::new);
    let Some(folder) = path.filter(|p| p.is_dir()) else {
        return validate_one(&mut validator, &input(args.file.as_deref()));
    };
    let mut code = crate::OK;
    for entry in walkdir::WalkDir::new(folder).sort_by_file_name().into_iter().flatten() {
        if entry.file_type().is_file() && entry.path().extension().is_some_and(|e| e == "spv") {
            let name = entry.path().to_string_lossy().into_owned();
            code = code.max(validate_one(&mut validator, &input(Some(&name))));
        }
    }
    code
}

/// Validates one module and shows its warnings and its first error.
fn validate_one(validator: &mut Validator, input: &Input) -> u8 {
    let Some(bytes) = read(input) else { return ERROR };
    let Some(loaded) = module(input, &bytes) else { return ERROR };
    let (diagnostics, code) = match validator.validate(&loaded.words) {
        Ok(valid) => (valid.warnings, crate::OK),
        Err(report) => (report.diagnostics, ERROR),
    };
    let subject = Subject::new(&input.name, &loaded.words, None);
    for d in &diagnostics {
        match d.severity {
            Severity::Allow => {}
            Severity::Warning => {
                let _ = to_stdout(form(&subject.locate(d)).as_bytes());
            }
            Severity::Error => {
                to_stderr(&form(&subject.locate(d)));
                break;
            }
        }
    }
    code
}

/// `error: FILE:INDEX: text`, and below it the instruction.
fn form(f: &Finding) -> String {
    let index = f.place.instruction.unwrap_or(0);
    let place = if f.file == "<stdin>" { format!("line {index}") } else { format!("{}:{index}", f.file) };
    let vuid = f.vuid.map(|v| format!("[{v}] ")).unwrap_or_default();
    let asm = f.place.asm.as_ref().map(|a| format!("  {}\n", a.trim())).unwrap_or_default();
    format!("{}: {place}: {vuid}{}\n{asm}\n", f.severity, f.message)
}
