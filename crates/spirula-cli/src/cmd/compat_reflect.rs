//! The command line of `spirv-reflect`.
//!
//! What is known of its output are its reports in YAML. Without `-y` the table is ours. What it prints for an option that
//! no report shows is not guessed: the option is refused.

use std::borrow::Cow;
use std::ffi::OsString;

use clap::Parser;
use spirula_module::{Index, Module};

use super::compat::{ERROR, error, input, module, read, write};
use crate::OK;

/// Report the bindings, blocks and interface of a module.
#[derive(Parser, Debug)]
#[command(name = "spirv-reflect", version)]
pub(super) struct SpirvReflect {
    /// The module; - for standard input
    file: String,
    /// As YAML; else as a table, which is ours
    #[arg(short, long)]
    yaml: bool,
    /// 0 or 1: the YAML is always complete, as with 1
    #[arg(short, long, value_name = "LEVEL", default_value_t = 0)]
    verbosity: u32,
    /// Print the name of the first entry point
    #[arg(short, long)]
    entrypoint: bool,
    /// Print its stage, by the short name that the YAML has
    #[arg(short, long)]
    stage: bool,
    /// Print the source file
    #[arg(short = 'f', long = "file")]
    source_file: bool,
    /// [-fcb] Flatten constant buffers; our table always lists members by path
    #[arg(long = "flatten_cbuffers")]
    flatten_cbuffers: bool,
    /// Where to write, - for standard output
    #[arg(short, long, default_value = "-")]
    output: String,
}

/// Spells `-fcb` out: one dash and several letters are several options to us.
pub(super) fn spread(args: Vec<OsString>) -> Vec<OsString> {
    let spell = |arg: OsString| if arg == "-fcb" { "--flatten_cbuffers".into() } else { arg };
    args.into_iter().map(spell).collect()
}

pub(super) fn reflect_file(args: SpirvReflect) -> u8 {
    if let Some(problem) = args.problem() {
        error(problem);
        return ERROR;
    }
    let input = input(Some(&args.file));
    let Some(bytes) = read(&input) else { return ERROR };
    let Some(loaded) = module(&input, &bytes) else { return ERROR };
    let mut index = Index::new();
    let module = Module::new(&loaded.words, &mut index);
    let text = if args.entrypoint || args.stage || args.source_file {
        args.one_fact(&module)
    } else if args.yaml {
        spirula_reflect::yaml(&module)
    } else {
        spirula_reflect::table(&spirula_reflect::reflect(&module))
    };
    match write(&args.output, text.as_bytes()) {
        OK => OK,
        _ => ERROR,
    }
}

impl SpirvReflect {
    fn problem(&self) -> Option<&'static str> {
        let facts = [self.entrypoint, self.stage, self.source_file].into_iter().filter(|f| *f).count();
        if self.verbosity > 1 {
            Some("a verbosity above 1 is not known: its output is not documented")
        } else if facts > 1 || facts == 1 && self.yaml {
            Some("-e, -s, -f and -y go one at a time: how they combine is not documented")
        } else {
            None
        }
    }

    fn one_fact(&self, module: &Module<'_>) -> String {
        let report = spirula_reflect::reflect(module);
        let text = if self.entrypoint {
            report.entry_points.into_iter().next().map(|e| e.name.into_owned())
        } else if self.source_file {
            report.source.and_then(|s| s.file).map(Cow::into_owned)
        } else {
            // The line `shader_stage: 0x00000020 # CS` of the YAML.
            let yaml = spirula_reflect::yaml(module);
            let stage = yaml.lines().find_map(|l| l.strip_prefix("  shader_stage: "));
            stage.and_then(|s| s.split_once("# ")).map(|s| s.1.to_owned())
        };
        text.unwrap_or_default() + "\n"
    }
}
