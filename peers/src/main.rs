//! Speed of reflection next to other crates, in this process, and next to `spirv-cross --reflect`, process by process.
//!
//! Modules are those of a folder that the peer reports on without an error or a panic. Each crate reports on each a few
//! times in a row, processes take turns; the least time counts. Ratios are of the sums, and the geometric mean of those of
//! single modules.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use clap::Parser;
use spirula_reflect::Reflector;

#[derive(Parser)]
struct Args {
    /// Folder with binary modules
    modules: PathBuf,
    /// Take every Nth module only
    #[arg(long, value_name = "N", default_value_t = 1)]
    every: usize,
    /// Our program, for the comparison of processes; without it that is left out
    #[arg(long, value_name = "PATH")]
    spirula: Option<PathBuf>,
    /// Runs of each
    #[arg(long, value_name = "N", default_value_t = 5)]
    runs: usize,
}

struct Input {
    path: PathBuf,
    bytes: Vec<u8>,
    words: Vec<u32>,
}

fn main() -> anyhow::Result<()> {
    let args = Args::parse();
    // A panic of a peer is a module that it does not take.
    std::panic::set_hook(Box::new(|_| {}));
    let inputs = inputs(&args)?;
    println!("{} modules", inputs.len());
    let mut reflector = Reflector::new();
    compare("spirq 1.3, all resources", &args, &inputs, &mut reflector, |i| {
        let mut config = spirq::ReflectConfig::new();
        config.spv(i.words.as_slice()).ref_all_rscs(true);
        config.reflect().ok().map(|points| points.len())
    });
    compare("spirq 1.3, used resources", &args, &inputs, &mut reflector, |i| {
        spirq::ReflectConfig::new().spv(i.words.as_slice()).reflect().ok().map(|points| points.len())
    });
    compare("rspirv-reflect 0.9", &args, &inputs, &mut reflector, |i| {
        let report = rspirv_reflect::Reflection::new_from_spirv(&i.bytes).ok()?;
        report.get_push_constant_range().ok()?;
        report.get_descriptor_sets().ok().map(|sets| sets.len())
    });
    if let Some(program) = &args.spirula {
        processes(program, &args, &inputs)?;
    }
    Ok(())
}

fn inputs(args: &Args) -> anyhow::Result<Vec<Input>> {
    let mut paths: Vec<PathBuf> = walkdir::WalkDir::new(&args.modules)
        .into_iter()
        .flatten()
        .map(walkdir::DirEntry::into_path)
        .filter(|p| p.extension().is_some_and(|e| e == "spv"))
        .collect();
    paths.sort();
    let mut inputs = Vec::new();
    for path in paths.into_iter().step_by(args.every) {
        let bytes = std::fs::read(&path)?;
        if let Ok(words) = spirula_binary::words_from_bytes(&bytes) {
            let words = words.into_owned();
            inputs.push(Input { path, bytes, words });
        }
    }
    Ok(inputs)
}

fn ours(input: &Input, reflector: &mut Reflector) -> usize {
    reflector.reflect(&input.words).entry_points.len()
}

fn time<T>(work: impl FnOnce() -> T) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}

fn compare(
    name: &str,
    args: &Args,
    inputs: &[Input],
    reflector: &mut Reflector,
    peer: impl Fn(&Input) -> Option<usize>,
) {
    let (mut sums, mut logs, mut count) = ([Duration::ZERO; 2], 0.0, 0usize);
    for input in inputs {
        if !matches!(catch_unwind(AssertUnwindSafe(|| peer(input))), Ok(Some(_))) {
            continue;
        }
        let mut least = [Duration::MAX; 2];
        // In a row, so that neither finds the caches and the allocator as the other left them.
        for _ in 0..args.runs {
            least[0] = least[0].min(time(|| ours(input, reflector)));
        }
        for _ in 0..args.runs {
            least[1] = least[1].min(time(|| peer(input)));
        }
        sums = [sums[0] + least[0], sums[1] + least[1]];
        logs += (least[1].as_secs_f64() / least[0].as_secs_f64().max(1e-9)).ln();
        count += 1;
    }
    show(name, count, sums, Some(logs));
}

fn show(name: &str, count: usize, [ours, theirs]: [Duration; 2], logs: Option<f64>) {
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64().max(1e-9);
    let mean = logs.map_or(String::new(), |l| format!(", geometric mean {:.1} x", (l / count.max(1) as f64).exp()));
    println!("{name}: {count} modules, {ours:.1?} against {theirs:.1?}: {ratio:.1} x{mean}");
}

/// One process per module for each.
fn processes(program: &Path, args: &Args, inputs: &[Input]) -> anyhow::Result<()> {
    let peer = "spirv-cross";
    if Command::new(peer).arg("--help").stdout(Stdio::null()).stderr(Stdio::null()).status().is_err() {
        println!("{peer} is not there, skipped");
        return Ok(());
    }
    let run = |command: &mut Command| -> Option<Duration> {
        let started = Instant::now();
        let status = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
        status.success().then(|| started.elapsed())
    };
    let (mut sums, mut logs, mut count) = ([Duration::ZERO; 2], 0.0, 0usize);
    for input in inputs {
        let mut least = [Duration::MAX; 2];
        for _ in 0..args.runs {
            let ours = run(Command::new(program).args(["reflect", "--format", "json"]).arg(&input.path));
            let theirs = run(Command::new(peer).arg(&input.path).arg("--reflect"));
            let (Some(ours), Some(theirs)) = (ours, theirs) else { break };
            least = [least[0].min(ours), least[1].min(theirs)];
        }
        if least[1] == Duration::MAX {
            continue;
        }
        sums = [sums[0] + least[0], sums[1] + least[1]];
        logs += (least[1].as_secs_f64() / least[0].as_secs_f64().max(1e-9)).ln();
        count += 1;
    }
    show("spirv-cross --reflect, process by process, ours with validation", count, sums, Some(logs));
    // As a tool uses it: all modules in one process, where theirs takes one each.
    let files: Vec<&Path> = inputs.iter().map(|i| i.path.as_path()).collect();
    let list = std::env::temp_dir().join("spirula-peers.txt");
    let text: String = files.iter().map(|f| format!("{}\n", f.display())).collect();
    std::fs::write(&list, text)?;
    let batch = (0..args.runs)
        .map(|_| {
            time(|| {
                let list = format!("@{}", list.display());
                let mut ours = Command::new(program);
                ours.args(["reflect", "--format", "json", "-q", &list]);
                ours.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status()
            })
        })
        .min()
        .unwrap_or_default();
    let theirs = inputs.iter().filter_map(|i| run(Command::new(peer).arg(&i.path).arg("--reflect"))).sum();
    show("spirv-cross --reflect, one process each, ours one process for all", inputs.len(), [batch, theirs], None);
    Ok(())
}
