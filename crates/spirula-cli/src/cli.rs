//! The command line.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::PathBuf;

use clap::{ArgMatches, Args, CommandFactory as _, FromArgMatches, Parser, Subcommand, ValueEnum};

use crate::cmd;

/// The SPIR-V toolkit: assemble, disassemble, validate and reflect SPIR-V.
#[derive(Parser, Debug)]
#[command(name = "spirula", version, about, max_term_width = 110, after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "Exit code: 0 all inputs are valid, 1 an input is invalid, 2 usage, 3 I/O or internal error; \
                          for several inputs the worst of all.";

/// Options of every subcommand.
#[derive(Args, Clone, Debug)]
pub(crate) struct Global {
    /// When to use colours; NO_COLOR and CLICOLOR_FORCE are honoured
    #[arg(long, global = true, value_enum, default_value_t = Color::Auto, value_name = "WHEN")]
    pub(crate) color: Color,
    /// How to show diagnostics: human and short go to standard error, json and sarif to standard output
    #[arg(long, global = true, value_enum, default_value_t = Format::Human)]
    pub(crate) format: Format,
    /// No summary, no notes, no progress
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Say more: one line per input
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub(crate) verbose: u8,
}

/// When to use colours.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Color {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How to show diagnostics.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    /// With context, for people.
    Human,
    /// One line each.
    Short,
    /// JSON lines: one object per diagnostic.
    Json,
    /// One SARIF 2.1.0 log.
    Sarif,
    /// `reflect` only: the YAML of SPIRV-Reflect. Diagnostics as human.
    Yaml,
    /// `reflect` only: Rust structures with the layout of the module's blocks. Diagnostics as human.
    Rust,
}

/// What to read.
#[derive(Args, Clone, Debug)]
pub(crate) struct InputArgs {
    /// Files, directories (recursively), @LIST (a file with one input per line), or - for standard input; binary of
    /// either byte order, hex and assembly are told apart by content
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Number of threads [default: one per core]
    #[arg(short, long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub(crate) jobs: Option<u16>,
}

impl InputArgs {
    /// The inputs; standard input where there are none and somebody pipes into it.
    pub(crate) fn paths(&self) -> Result<Vec<PathBuf>, String> {
        if !self.inputs.is_empty() {
            return Ok(self.inputs.clone());
        }
        if std::io::stdin().is_terminal() {
            return Err("no input: give files, directories, @LIST, or - for standard input".to_owned());
        }
        Ok(vec![PathBuf::from("-")])
    }
}

#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Validate modules
    Val(Later<Box<cmd::val::ValCommand>>),
    /// Assemble text into a module
    As(Later<cmd::asm::AsCommand>),
    /// Disassemble a module
    Dis(Later<cmd::dis::DisCommand>),
    /// Report what a module wants from its host
    Reflect(Later<cmd::reflect::ReflectCommand>),
    /// Explain a rule, or list all rules
    Explain(Later<cmd::explain::ExplainCommand>),
    /// Behave like one of the reference tools: spirv-as, spirv-dis, spirv-val or spirv-reflect with their own options
    Compat(Later<cmd::compat::CompatCommand>),
}

/// Options that are described to the parser where their subcommand is asked for: all of them are most of what a short
/// run would do.
#[derive(Debug)]
pub(crate) struct Later<T>(T);

impl<T: Args> Args for Later<T> {
    fn augment_args(command: clap::Command) -> clap::Command {
        command.defer(T::augment_args)
    }

    fn augment_args_for_update(command: clap::Command) -> clap::Command {
        command.defer(T::augment_args_for_update)
    }
}

impl<T: FromArgMatches> FromArgMatches for Later<T> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Later<T>, clap::Error> {
        T::from_arg_matches(matches).map(Later)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// Runs a command line, program name included.
pub(crate) fn run(args: Vec<OsString>) -> u8 {
    let matches = match Cli::command().try_get_matches_from(args) {
        Ok(matches) => matches,
        Err(e) => {
            let _ = e.print();
            return u8::try_from(e.exit_code()).unwrap_or(crate::USAGE);
        }
    };
    let cli = match Cli::from_arg_matches(&matches) {
        Ok(cli) => cli,
        Err(e) => {
            let _ = e.print();
            return crate::USAGE;
        }
    };
    cli.global.color.apply();
    let of_reflect = match cli.global.format {
        Format::Yaml => Some("yaml"),
        Format::Rust => Some("rust"),
        _ => None,
    };
    if let Some(format) = of_reflect.filter(|_| !matches!(cli.command, Command::Reflect(_))) {
        complain(&format!("--format {format} is for reflect only"));
        return crate::USAGE;
    }
    let done = crate::panics::caught(|| match &cli.command {
        Command::Val(Later(c)) => {
            let levels = matches.subcommand().map(|(_, m)| crate::options::levels(m)).unwrap_or_default();
            c.run(&cli.global, levels)
        }
        Command::As(Later(c)) => c.run(&cli.global),
        Command::Dis(Later(c)) => c.run(&cli.global),
        Command::Reflect(Later(c)) => c.run(&cli.global),
        Command::Explain(Later(c)) => c.run(),
        Command::Compat(Later(c)) => c.run(),
    });
    done.unwrap_or_else(|message| {
        complain(&message);
        crate::FAILED
    })
}

impl Color {
    fn apply(self) {
        match self {
            // anstream itself looks at the terminal, NO_COLOR and CLICOLOR_FORCE.
            Color::Auto => {}
            Color::Always => anstream::ColorChoice::Always.write_global(),
            Color::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// Says on standard error what keeps the program from working.
pub(crate) fn complain(message: &str) {
    use std::io::Write as _;
    let style = anstyle::AnsiColor::Red.on_default().bold();
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {message}");
}
