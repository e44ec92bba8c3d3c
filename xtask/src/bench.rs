//! `cargo xtask bench`: speed and memory next to other tools, on the corpus' large modules and on all of it.
//!
//! Wall times are medians of alternating runs, one core each (`-j1`), whole processes; a batch uses all cores. The ratio
//! of CPU times stands beside that of wall times, for machines that do other work too. Peaks are the processes' largest
//! resident sets. Peers are found in `--peers DIR` or on PATH; none is installed.
//!
//! Last comes the speed of reading alone, in this process: cutting the words into instructions, and filling an index.

use std::fs::File;
use std::io::BufRead;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use spirula_binary::{Frames, words_from_bytes};
use spirula_module::{Index, Module};
use wait4::Wait4;

use crate::conformance::corpus;

#[derive(clap::Args)]
pub struct Args {
    /// Folder with spirv-as, spirv-dis and spirv-val; without it they are looked for on PATH
    #[arg(long, value_name = "DIR")]
    peers: Option<PathBuf>,
    /// Measures this program, not one that is built for it: another build of it, or an older one
    #[arg(long, value_name = "FILE")]
    program: Option<PathBuf>,
    /// Folder that holds the suite `real`, unpacked or as real.tar.xz
    #[arg(long, value_name = "DIR", default_value = "../shared/corpus")]
    corpus: PathBuf,
    /// Runs of each tool per module
    #[arg(long, value_name = "N", default_value_t = 7)]
    runs: usize,
    /// Leave out the whole corpus as one batch
    #[arg(long)]
    no_batch: bool,
}

/// Large modules of the corpus; a folder stands for its largest module.
static LARGE: &[&str] = &[
    "big/synth_uber_1200.spv",
    "big/synth_uber_400.spv",
    "big/synth_uber_400_debuginfo.spv",
    "big/synth_uber_400_opt.spv",
    "big/lux_pathocl_O0.spv",
    "libclc",
    "nvpro-gltf-renderer",
    "naga-out-asm",
];

/// One run of a process.
#[derive(Clone, Copy)]
struct Sample {
    wall: Duration,
    /// User and system time.
    cpu: Duration,
    peak: u64,
}

pub fn run(args: &Args) -> Result<()> {
    let Some(real) = corpus::suite(&args.corpus, "real")? else {
        println!("bench: no suite `real` in {}, nothing to measure", args.corpus.display());
        return Ok(());
    };
    let ours = match &args.program {
        Some(program) => program.canonicalize()?,
        None => build()?,
    };
    let modules = modules(&real)?;
    let scratch = crate::target_dir().join("bench");
    std::fs::create_dir_all(&scratch)?;
    for operation in ["dis", "as", "val"] {
        let name = format!("spirv-{operation}");
        let Some(peer) = crate::peers::find(args.peers.as_deref(), &name) else {
            println!("{operation}: {name} was not found, skipped");
            continue;
        };
        println!("\n{operation}: spirula against {} ({})", peer.display(), version(&peer));
        heading("module");
        for (module, env) in &modules {
            large(args, operation, &ours, &peer, (module, env), &scratch)?;
        }
    }
    if !args.no_batch
        && let Some(peer) = crate::peers::find(args.peers.as_deref(), "spirv-val")
    {
        batch(&ours, &peer, &real)?;
    }
    // This process grows by the modules, so that comes behind all others.
    scan(&modules, args.runs)
}

/// How fast words become instructions, and an index: the first time, when its memory is new, and again.
fn scan(modules: &[(PathBuf, String)], runs: usize) -> Result<()> {
    println!("\nscan, in GB/s (median of {runs})");
    println!("{:40} {:>9} {:>9} {:>9}", "module", "frames", "new index", "index");
    for (module, _) in modules {
        let bytes = std::fs::read(module)?;
        let words = words_from_bytes(&bytes)?;
        let speed = |work: &mut dyn FnMut() -> usize| {
            let mut times: Vec<Duration> = (0..runs.max(1)).map(|_| timed(work)).collect();
            times.sort();
            bytes.len() as f64 / times[times.len() / 2].as_secs_f64() / 1e9
        };
        let frames = speed(&mut || Frames::of(&words).map_while(Result::ok).filter(|i| i.result().is_some()).count());
        let cold = speed(&mut || Module::new(&words, &mut Index::new()).entry_points().count());
        let mut index = Index::new();
        let warm = speed(&mut || Module::new(&words, &mut index).entry_points().count());
        println!("{:40} {frames:9.2} {cold:9.2} {warm:9.2}", shown(module));
    }
    Ok(())
}

fn timed(work: &mut dyn FnMut() -> usize) -> Duration {
    let started = Instant::now();
    std::hint::black_box(work());
    started.elapsed()
}

fn shown(module: &Path) -> String {
    module.file_name().unwrap_or_default().to_string_lossy().chars().take(40).collect()
}

fn build() -> Result<PathBuf> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo)
        .current_dir(crate::root())
        .args(["build", "--quiet", "--release", "--package", "spirula-cli"])
        .status()?;
    ensure!(status.success(), "building spirula-cli failed");
    Ok(crate::target_dir().join("release/spirula"))
}

fn version(peer: &Path) -> String {
    let out = Command::new(peer).arg("--version").output();
    let text = out.map(|o| String::from_utf8_lossy(&o.stdout).into_owned()).unwrap_or_default();
    text.lines().next().unwrap_or("unknown version").to_owned()
}

fn largest(path: &Path) -> Result<PathBuf> {
    if path.is_file() {
        return Ok(path.to_owned());
    }
    let files =
        std::fs::read_dir(path)?.filter_map(|e| Some((e.as_ref().ok()?.metadata().ok()?.len(), e.ok()?.path())));
    Ok(files.filter(|(_, p)| p.extension().is_some_and(|e| e == "spv")).max().context("an empty folder")?.1)
}

/// The large modules with the environments to validate them in. The manifest is not read whole: a process starts as
/// a copy of this one, whose own peak would count as its.
fn modules(real: &Path) -> Result<Vec<(PathBuf, String)>> {
    let found: Vec<PathBuf> = LARGE.iter().filter_map(|module| largest(&real.join(module)).ok()).collect();
    let mut envs = vec!["spv1.6".to_owned(); found.len()];
    for line in std::io::BufReader::new(File::open(real.join("manifest.jsonl"))?).lines() {
        let line = line?;
        for (module, env) in found.iter().zip(&mut envs) {
            if let Some(found) = environment(&line, module) {
                *env = found;
            }
        }
    }
    Ok(found.into_iter().zip(envs).collect())
}

/// The environment in which the corpus has the module as valid, a client's rather than the universal one: there is most
/// to check, and nobody stops at an error.
fn environment(line: &str, module: &Path) -> Option<String> {
    let name = format!("{}/{}", module.parent()?.file_name()?.to_str()?, module.file_name()?.to_str()?);
    if !line.contains(&name) {
        return None;
    }
    let entry: serde_json::Value = serde_json::from_str(line).ok()?;
    let of = |kind: &str| {
        let judged = &entry["spirv_val"][kind];
        judged["ok"].as_bool()?.then(|| judged["env"].as_str().map(str::to_owned))?
    };
    of("client").or_else(|| of("universal"))
}

fn large(
    args: &Args,
    operation: &str,
    ours: &Path,
    peer: &Path,
    (module, env): (&Path, &str),
    scratch: &Path,
) -> Result<()> {
    let mut input = module.to_owned();
    if operation == "as" {
        input = scratch.join("text.spvasm");
        let mut dis = Command::new(ours);
        sample(dis.arg("dis").arg("--raw-id").arg(module).arg("-o").arg(&input))?;
    }
    let (mut mine, mut theirs) = (Vec::new(), Vec::new());
    for i in 0..=args.runs {
        let mut a = Command::new(ours);
        a.arg(operation).arg(&input);
        let mut b = Command::new(peer);
        b.arg(&input);
        if operation == "val" {
            a.args(["-j1", "--target-env", env]);
            b.args(["--target-env", env]);
        } else {
            a.arg("-o").arg(scratch.join("ours"));
            b.arg("-o").arg(scratch.join("theirs"));
        }
        let (a, b) = (sample(&mut a)?, sample(&mut b)?);
        // The first pair warms caches.
        if i > 0 {
            mine.push(a);
            theirs.push(b);
        }
    }
    line(&shown(module), median(mine), median(theirs));
    Ok(())
}

fn line(name: &str, a: Sample, b: Sample) {
    let ms = |s: Sample| s.wall.as_secs_f64() * 1e3;
    let mib = |s: Sample| s.peak as f64 / f64::from(1 << 20);
    let cpu = b.cpu.as_secs_f64() / a.cpu.as_secs_f64().max(1e-6);
    println!("{name:40} {:9.1} {:9.1} {:6.1} {cpu:6.1} {:8.1} {:8.1}", ms(a), ms(b), ms(b) / ms(a), mib(a), mib(b));
}

fn heading(of: &str) {
    println!("{of:40} {:>9} {:>9} {:>6} {:>6} {:>8} {:>8}", "ms", "theirs", "×", "× CPU", "MiB", "theirs");
}

fn median(mut samples: Vec<Sample>) -> Sample {
    samples.sort_by_key(|s| s.wall);
    samples[samples.len() / 2]
}

/// The whole corpus: ours as one process; theirs once per file, and with the folder as argument.
fn batch(ours: &Path, peer: &Path, real: &Path) -> Result<()> {
    println!("\nval, the whole corpus ({}), all cores", real.display());
    heading("");
    let mut mine = Vec::new();
    for _ in 0..3 {
        mine.push(sample(Command::new(ours).arg("val").arg(real))?);
    }
    let mine = median(mine);
    let folder = sample(Command::new(peer).arg(real))?;
    line("against its folder mode", mine, folder);
    let files = files(real)?;
    let mut sum = Sample { wall: Duration::ZERO, cpu: Duration::ZERO, peak: 0 };
    for file in &files {
        let one = sample(Command::new(peer).arg(file))?;
        sum = Sample { wall: sum.wall + one.wall, cpu: sum.cpu + one.cpu, peak: sum.peak.max(one.peak) };
    }
    line(&format!("against one process per file ({})", files.len()), mine, sum);
    Ok(())
}

fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|e| e == "spv") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn sample(command: &mut Command) -> Result<Sample> {
    let started = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(File::create("/dev/null")?)
        .stderr(File::create("/dev/null")?)
        .spawn()
        .with_context(|| format!("{command:?}"))?;
    let usage = child.wait4()?.rusage;
    Ok(Sample { wall: started.elapsed(), cpu: usage.utime + usage.stime, peak: usage.maxrss })
}
