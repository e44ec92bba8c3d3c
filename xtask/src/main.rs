//! Development tasks: `cargo xtask TASK`.
#![allow(clippy::print_stdout, clippy::print_stderr, missing_docs, unreachable_pub)]

mod bench;
mod codegen;
mod conformance;
mod docs;
mod edits;
mod peers;
mod perf;
mod schema;
#[cfg(test)]
mod tidy;

use std::path::{Path, PathBuf};

use clap::Parser;

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Development tasks of Spirula")]
enum Task {
    /// Compares reports on real modules with those of `spirv-cross --reflect`, where that is installed
    Oracle(conformance::oracle::Args),
    /// Compares verdicts on valid test cases with one thing changed with those of spirv-val
    Edits(edits::Args),
    /// Writes (or checks) the tables generated from Khronos' machine-readable grammar
    Codegen(codegen::Args),
    /// Runs the conformance suites and compares with the checked-in ratchet tables
    Conformance(conformance::Args),
    /// Writes (or checks) the generated pages: docs/rules.md, docs/support.md, docs/*.schema.json
    Docs(docs::Args),
    /// Compares speed and memory with other tools
    Bench(bench::Args),
    /// Gates instruction counts and allocations of pinned modules
    Perf(perf::Args),
}

fn main() -> anyhow::Result<()> {
    match Task::parse() {
        Task::Codegen(args) => codegen::run(&args),
        Task::Conformance(args) => conformance::run(&args),
        Task::Oracle(args) => conformance::oracle::run(&args),
        Task::Edits(args) => edits::run(&args),
        Task::Docs(args) => docs::run(&args),
        Task::Bench(args) => bench::run(&args),
        Task::Perf(args) => perf::run(&args),
    }
}

/// Root folder of the workspace.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask lies in the workspace").to_path_buf()
}

/// Where build outputs go.
pub fn target_dir() -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root().join("target"), PathBuf::from)
}
