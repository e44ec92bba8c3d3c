//! `spirula reflect --format rust`.

use std::collections::BTreeSet;
use std::path::Path;

use clap::Args;
use spirula_reflect::{Reflection, RustOptions};

use crate::cli::{Format, complain};

/// How Rust structures are to be.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of --format rust")]
pub(crate) struct RustArgs {
    /// Derive Pod and Zeroable of the crate bytemuck (with its features derive and min_const_generics)
    #[arg(long)]
    bytemuck: bool,
    /// Use f16 and bf16 of the crate half instead of u16
    #[arg(long)]
    half: bool,
    /// Derive this trait, too; may be given several times
    #[arg(long, value_name = "PATH", value_parser = path)]
    derive: Vec<String>,
}

/// A path such as `serde::Serialize`: nothing else belongs into the generated text.
fn path(text: &str) -> Result<String, String> {
    let word = |w: &str| {
        !w.is_empty()
            && !w.starts_with(|c: char| c.is_ascii_digit())
            && w.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let absolute = text.strip_prefix("::").unwrap_or(text);
    if absolute.split("::").all(word) {
        Ok(text.to_owned())
    } else {
        Err("not a path such as serde::Serialize".to_owned())
    }
}

impl RustArgs {
    /// Complains where the options are for another format than that which was chosen.
    pub(crate) fn fits(&self, format: Format) -> bool {
        let any = self.bytemuck || self.half || !self.derive.is_empty();
        if any && format != Format::Rust {
            complain("--bytemuck, --half and --derive are for --format rust only");
            return false;
        }
        true
    }

    /// The module's structures.
    pub(crate) fn text(&self, report: &Reflection<'_>) -> String {
        let options = RustOptions { bytemuck: self.bytemuck, half: self.half, derives: self.derive.clone() };
        spirula_reflect::rust(report, &options)
    }
}

/// Names of the Rust modules that were written so far.
#[derive(Default)]
pub(crate) struct Modules(BTreeSet<String>);

impl Modules {
    /// The text as a module of its own, named after the input.
    pub(crate) fn wrap(&mut self, input: &str, text: &str) -> String {
        let file = Path::new(input).file_name().unwrap_or_default().to_string_lossy().into_owned();
        let stem = file.strip_suffix(".spv").or(file.strip_suffix(".spvasm")).unwrap_or(&file);
        let kept = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
        // The prefix keeps it from being a keyword, or from starting with a digit.
        let plain = format!("shader_{}", stem.chars().map(kept).collect::<String>());
        let numbered = (2..).map(|n| format!("{plain}_{n}"));
        let name = std::iter::once(plain.clone()).chain(numbered).find(|n| !self.0.contains(n)).unwrap_or_default();
        let module = format!("pub mod {name} {{\n{text}}}\n");
        self.0.insert(name);
        module
    }
}
