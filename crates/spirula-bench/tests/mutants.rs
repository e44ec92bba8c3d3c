//! Robustness: whatever the words, nothing panics, nothing hangs, memory stays in proportion.
//!
//! The number of mutants is bounded, and each is made from a seed, so a failure names what repeats it:
//! `SPIRULA_MUTANTS=N` sets the number (CI: 200,000), `SPIRULA_FIRST=N` starts with mutant N.

use std::fmt::Write as _;
use std::io::{Write as _, sink, stderr};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use spirula_bench::alloc::{self, Counting};
use spirula_bench::modules::{self, Pinned};
use spirula_bench::mutate::{Rng, mutant};
use spirula_binary::{Frames, HEADER_WORDS};
use spirula_diag::Diagnostic;
use spirula_grammar::{ExecutionModel as Model, MAGIC};
use spirula_module::{EntryPoint, Index, Module};
use spirula_reflect::{Reflection, RustOptions};
use spirula_text::{AsmOptions, DisOptions, assemble, disassemble, disassemble_to};
use spirula_val::link::{Stage, check};
use spirula_val::{Bodies, Options, Report, TargetEnv, Valid, Validator};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory that an operation may use: this times its input …
const FACTOR: u64 = 32;
/// … and this.
const BASE: u64 = 16 << 20;
/// A mutant that takes longer than this hangs. Far more than any needs: the machine may do other work too.
const HANG: Duration = Duration::from_secs(60);
/// What a report may use instead: this times the module, and [`BASE`].
const REPORT_FACTOR: u64 = 16;

fn findings(result: Result<Valid<'_>, Report>) -> Vec<Diagnostic> {
    match result {
        Ok(valid) => valid.warnings,
        Err(report) => report.diagnostics,
    }
}

/// Compares the module's interfaces with themselves, as if each entry point were each stage.
fn linked(module: &Module<'_>) -> usize {
    let models = [Model::Vertex, Model::TessellationControl, Model::TessellationEvaluation, Model::Geometry];
    let mut found = 0;
    for entry in module.entry_points().take(4) {
        let models = models.into_iter().chain([Model::Fragment]);
        let stages: Vec<Stage<'_>> =
            models.map(|model| Stage { module: *module, entry: EntryPoint { model, ..entry } }).collect();
        found += check(&stages, TargetEnv::vulkan(4), &Options::default()).len();
    }
    found
}

struct Attack {
    validators: Vec<Validator>,
    index: Index,
}

impl Attack {
    fn new() -> Attack {
        let env = |name: &str| Some(name.parse::<TargetEnv>().expect("a known name"));
        let envs = [env("spv1.6"), env("vulkan1.3"), env("opencl2.2"), None];
        let validators = envs.into_iter().map(|e| Validator::new(e, Options::default())).collect();
        Attack { validators, index: Index::new() }
    }

    /// Runs everything on `words`. Returns what is wrong.
    fn run(&mut self, words: &[u32], mutant: u64) -> Result<(), String> {
        let bytes = words.len() as u64 * 4;
        let text = within("dis", bytes, || disassemble(words, &DisOptions::default()).text)?;
        let raw = within("dis --raw-id", bytes, || {
            disassemble(words, &DisOptions { raw_ids: true, ..DisOptions::default() }).text
        })?;
        for text in [&text, &raw] {
            let options = AsmOptions {
                preserve_numeric_ids: true,
                keep_header: true,
                any_version: true,
                ..AsmOptions::default()
            };
            let back = within("as", text.len() as u64, || assemble(text.as_bytes(), &options))?;
            if std::ptr::eq(text, &raw) && framed(words) {
                match back {
                    Ok(back) if back == words => {}
                    Ok(_) => return Err("as(dis(x)) is not x".to_owned()),
                    Err(e) => return Err(format!("as(dis(x)) fails: {:?}", e.first())),
                }
            }
        }
        let n = self.validators.len() as u64;
        let validator = &mut self.validators[(mutant % n) as usize];
        let whole = within("val", bytes, || findings(validator.validate(words)))?;
        let backwards = |shares: &mut [Bodies<'_>]| shares.iter_mut().rev().for_each(Bodies::check);
        let shared = within("val in shares", bytes, || findings(validator.validate_shared(words, 3, backwards)))?;
        if let Some(i) = (0..whole.len().max(shared.len())).find(|i| whole.get(*i) != shared.get(*i)) {
            let (whole, shared) = (whole.get(i), shared.get(i));
            return Err(format!("the findings depend on how the work was shared: {whole:?} and {shared:?}"));
        }
        let index = &mut self.index;
        within("index", bytes, || index.fill(words))?;
        within("link", bytes, || linked(&Module::new(words, index)))?;
        let limit = REPORT_FACTOR * bytes + BASE;
        let report = limited("reflect", bytes, limit, || spirula_reflect::reflect(&Module::new(words, index)))?;
        within("reflect, Rust", bytes, || drop(spirula_reflect::rust(&report, &RustOptions::default())))?;
        within("reflect --pipeline", bytes, || drop(merged(&report)))?;
        limited("reflect, table", bytes, limit, || spirula_reflect::table(&report))?;
        limited("reflect, YAML", bytes, limit, || spirula_reflect::yaml(&Module::new(words, index)))?;
        Ok(())
    }
}

/// All entry points as stages of one pipeline.
fn merged(report: &Reflection<'_>) -> String {
    let stage = |entry_point| spirula_reflect::Stage { module: "mutant", report, entry_point };
    let stages: Vec<_> = (0..report.entry_points.len()).map(stage).collect();
    spirula_reflect::pipeline_table(&spirula_reflect::merge(&stages))
}

/// Whether the words can be cut into instructions to the end.
fn framed(words: &[u32]) -> bool {
    words.first() == Some(&MAGIC) && words.len() >= HEADER_WORDS && Frames::of(words).all(|i| i.is_ok())
}

/// Runs one operation; what it does wrong is the error.
fn within<T>(name: &str, input: u64, work: impl FnOnce() -> T) -> Result<T, String> {
    limited(name, input, FACTOR * input + BASE, work)
}

fn limited<T>(name: &str, input: u64, limit: u64, work: impl FnOnce() -> T) -> Result<T, String> {
    alloc::start();
    let result = catch_unwind(AssertUnwindSafe(work)).map_err(|_| format!("{name} panics"))?;
    let peak = alloc::counts().peak;
    if peak > limit { Err(format!("{name} uses {peak} bytes for {input} bytes of input")) } else { Ok(result) }
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

fn make(seeds: &[Pinned], n: u64) -> Vec<u32> {
    let mut rng = Rng(n);
    let (a, b) = (rng.below(seeds.len()), rng.below(seeds.len()));
    mutant(&seeds[a].words, &seeds[b].words, &mut rng)
}

#[test]
fn mutants() {
    let seeds = modules::seeds();
    assert!(seeds.len() >= 50, "{} modules", seeds.len());
    let (first, count) = (number("SPIRULA_FIRST", 0), number("SPIRULA_MUTANTS", 20_000));
    let next = AtomicU64::new(first);
    let failures = Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    let now: Vec<Mutex<Option<(u64, Instant)>>> = (0..threads).map(|_| Mutex::new(None)).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let watch = scope.spawn(|| watch(&now, &done));
        let workers: Vec<_> = now
            .iter()
            .map(|slot| {
                scope.spawn(|| {
                    let mut attack = Attack::new();
                    loop {
                        let n = next.fetch_add(1, Ordering::Relaxed);
                        if n >= first + count {
                            break;
                        }
                        *slot.lock().expect("no panic while locked") = Some((n, Instant::now()));
                        let words = make(&seeds, n);
                        if let Err(what) = attack.run(&words, n) {
                            failures.lock().expect("no panic while locked").push((n, what));
                            attack = Attack::new();
                        }
                        *slot.lock().expect("no panic while locked") = None;
                    }
                })
            })
            .collect();
        workers.into_iter().for_each(|w| w.join().expect("panics are caught"));
        done.store(true, Ordering::Relaxed);
        watch.join().expect("the watch does not panic");
    });
    report(failures.into_inner().expect("no panic while locked"));
}

/// Ends the process where a mutant hangs: a thread cannot be stopped.
fn watch(now: &[Mutex<Option<(u64, Instant)>>], done: &AtomicBool) {
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(50));
        for slot in now {
            if let Some((n, since)) = *slot.lock().expect("no panic while locked")
                && since.elapsed() > HANG
            {
                // Not `eprintln`, which the test harness keeps until a test ends.
                let _ = writeln!(stderr(), "mutant {n} hangs; SPIRULA_FIRST={n} SPIRULA_MUTANTS=1 repeats it");
                std::process::exit(101);
            }
        }
    }
}

fn report(mut failures: Vec<(u64, String)>) {
    failures.sort();
    let mut text = String::new();
    for (n, what) in failures.iter().take(20) {
        writeln!(text, "mutant {n}: {what}").expect("writing to a string");
    }
    assert!(
        failures.is_empty(),
        "{} mutants, repeat one with SPIRULA_FIRST=N SPIRULA_MUTANTS=1:\n{text}",
        failures.len()
    );
}

/// `op` with these operands.
fn inst(op: u32, operands: &[u32]) -> Vec<u32> {
    [&[(operands.len() as u32 + 1) << 16 | op], operands].concat()
}

fn hostile() -> Vec<(&'static str, Vec<u32>)> {
    let header = [MAGIC, 0x1_0600, 0, 100, 0];
    let with = |insts: &[Vec<u32>]| [&header[..], &insts.concat()].concat();
    let start = || vec![inst(17, &[1]), inst(14, &[0, 1])];
    let mut bound = with(&start());
    bound[3] = u32::MAX;
    let mut large_id = with(&[start(), vec![inst(19, &[u32::MAX - 1]), inst(20, &[0x7fff_ffff])]].concat());
    large_id[3] = u32::MAX;
    // Arrays of arrays: 4 words a level, far beyond every limit.
    let deep = |levels: u32| {
        let mut insts = start();
        insts.push(inst(21, &[1, 32, 0]));
        insts.push(inst(43, &[1, 2, 2]));
        insts.extend((0..levels).map(|k| inst(28, &[k + 3, if k == 0 { 1 } else { k + 2 }, 2])));
        insts.push(inst(32, &[levels + 3, 7, levels + 2]));
        let mut words = with(&insts);
        words[3] = levels + 4;
        words
    };
    vec![
        ("no words", vec![]),
        ("one word", vec![MAGIC]),
        ("header alone", header.to_vec()),
        ("bound 0xFFFFFFFF", bound),
        ("ids near 0xFFFFFFFF", large_id),
        ("word count 0", with(&[start(), vec![vec![19]]].concat())),
        ("word count beyond the end", with(&[start(), vec![vec![0xffff_0013]]].concat())),
        ("string without end", with(&[start(), vec![inst(5, &[1, 0x6161_6161, 0x6161_6161])]].concat())),
        ("string of invalid UTF-8", with(&[start(), vec![inst(5, &[1, 0xfffe_fdfc, 0])]].concat())),
        ("types that contain each other", with(&[start(), vec![inst(30, &[5, 6]), inst(30, &[6, 5])]].concat())),
        ("a pointer to itself", with(&[start(), vec![inst(32, &[5, 7, 5]), inst(59, &[5, 6, 7])]].concat())),
        ("a constant made of itself", with(&[start(), vec![inst(19, &[1]), inst(44, &[1, 5, 5])]].concat())),
        ("deep array nesting in few words", deep(100)),
        ("deeper array nesting", deep(100_000)),
    ]
}

#[test]
fn hostile_modules() {
    let mut attack = Attack::new();
    for (name, words) in hostile() {
        for n in 0..4 {
            let started = Instant::now();
            attack.run(&words, n).unwrap_or_else(|what| panic!("{name}: {what}"));
            assert!(started.elapsed() < HANG, "{name} takes {:?}", started.elapsed());
        }
    }
}

/// A text may be long, where a name that is is used often; who wants it in pieces needs no memory for all of it.
#[test]
fn text_in_pieces_takes_little_memory() {
    let start = [MAGIC, 0x1_0600, 0, 100, 0, 0x0002_0011, 1, 0x0003_000e, 0, 1];
    let name = inst(5, &[&[1][..], &[0x6161_6161; 63], &[0]].concat());
    let words = [&start[..], &name, &inst(249, &[1]).repeat(300_000)].concat();
    let bytes = words.len() as u64 * 4;
    let text = disassemble(&words, &DisOptions::default()).text.len() as u64;
    assert!(text > 30 * bytes);
    let result = limited("dis in pieces", bytes, FACTOR * bytes + BASE, || {
        let damage = disassemble_to(&words, &DisOptions::default(), &mut sink()).expect("a sink takes everything");
        (damage.len(), alloc::counts().peak)
    });
    let (damage, peak) = result.expect("within the limit");
    assert!(damage == 0 && peak < 4 * bytes, "{damage} {peak}");
}

#[test]
fn what_mutants_are_made_of_is_valid() {
    for m in modules::seeds().iter().chain(&modules::measured()) {
        let mut validator = Validator::new(m.env.parse().ok(), Options::default());
        if let Err(report) = validator.validate(&m.words) {
            panic!("{}: {:#?}", m.name, report.diagnostics.first());
        }
    }
}

#[test]
fn nested_blocks_and_long_lists() {
    let mut attack = Attack::new();
    for family in spirula_bench::generate::FAMILIES {
        let words = family.module(2000);
        let started = Instant::now();
        attack.run(&words, 1).unwrap_or_else(|what| panic!("{} of 2000: {what}", family.name));
        assert!(started.elapsed() < HANG, "{} of 2000 takes {:?}", family.name, started.elapsed());
    }
}
