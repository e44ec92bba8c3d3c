//! What `cargo xtask perf` runs: `perf count` prints allocations, `perf run` does every measured operation once (under
//! callgrind, which collects inside of `spirula_collected` alone), `perf write DIR` writes the modules.
#![allow(clippy::print_stdout, reason = "its output is what it is for")]

use spirula_bench::alloc::{self, Counting};
use spirula_bench::modules;
use spirula_bench::ops::{OPERATIONS, Operation};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The frame that callgrind collects in.
#[inline(never)]
fn spirula_collected(operation: &mut Operation<'_>) -> usize {
    std::hint::black_box(operation())
}

/// The frame after which callgrind writes what it has; it cannot do both for the same.
#[inline(never)]
fn spirula_measured(operation: &mut Operation<'_>) -> usize {
    std::hint::black_box(spirula_collected(operation))
}

fn main() -> std::io::Result<()> {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_default();
    let modules = modules::measured();
    if mode == "write" {
        let folder = std::path::PathBuf::from(args.next().unwrap_or_default());
        for m in modules.iter().chain(&modules::seeds()) {
            let bytes: Vec<u8> = m.words.iter().flat_map(|w| w.to_le_bytes()).collect();
            std::fs::write(folder.join(format!("{}.{}.spv", m.name, m.env)), bytes)?;
        }
        return Ok(());
    }
    for m in &modules {
        let instructions = spirula_binary::Frames::of(&m.words).count();
        for (name, prepare) in OPERATIONS {
            let mut operation = prepare(m);
            // The first call is cold: it grows what later calls reuse.
            alloc::start();
            std::hint::black_box(operation());
            let cold = alloc::counts();
            alloc::start();
            spirula_measured(&mut operation);
            let warm = alloc::counts();
            if mode == "count" {
                println!(
                    "{}\t{name}\t{instructions}\t{}\t{}\t{}",
                    m.name, cold.allocations, warm.allocations, cold.peak
                );
            }
        }
    }
    Ok(())
}
