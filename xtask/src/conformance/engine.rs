//! Runs cases in parallel: results in order, panics caught and named, endless cases named too.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Result;
use rayon::prelude::*;
use serde::Deserialize;

/// A case that runs for longer than this is named on stderr while it still runs.
const SLOW: Duration = Duration::from_secs(20);

thread_local! {
    static PANIC: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A difference between us and the reference.
pub struct Diff {
    /// Case.
    pub id: String,
    /// What differs: one word, the ratchet table's second column.
    pub kind: String,
    /// The reference's result name, where it has one.
    pub result: String,
    /// What the reference says.
    pub reference: String,
    /// What we say.
    pub ours: String,
    /// Where to look.
    pub place: String,
}

/// Parses one JSON object a line.
pub fn parse_lines<'a, T: Deserialize<'a> + Send>(text: &'a str) -> Result<Vec<T>> {
    let lines: Vec<&str> = text.lines().collect();
    Ok(lines.into_par_iter().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Applies `work` to all cases. A panic becomes the error of its case.
pub fn run<C: Sync, S, R: Send>(
    cases: &[C],
    name: impl Fn(&C) -> &str + Sync,
    state: impl Fn() -> S + Sync + Send,
    work: impl Fn(&mut S, &C) -> R + Sync + Send,
) -> Vec<Result<R, String>> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| PANIC.with(|p| *p.borrow_mut() = info.to_string())));
    let running: Vec<Mutex<Option<(usize, Instant)>>> =
        (0..rayon::current_num_threads()).map(|_| Mutex::new(None)).collect();
    let done = AtomicBool::new(false);
    let results = std::thread::scope(|scope| {
        scope.spawn(|| watch(&running, &done, |i| name(&cases[i])));
        let results = (0..cases.len())
            .into_par_iter()
            .map_init(&state, |s, i| {
                let slot = rayon::current_thread_index().and_then(|t| running.get(t));
                let set = |v| slot.into_iter().for_each(|s| *s.lock().expect("no panic while locked") = v);
                set(Some((i, Instant::now())));
                let result = catch_unwind(AssertUnwindSafe(|| work(s, &cases[i])));
                set(None);
                result.map_err(|_| {
                    *s = state();
                    PANIC.with(|p| std::mem::take(&mut *p.borrow_mut()))
                })
            })
            .collect();
        done.store(true, Ordering::Relaxed);
        results
    });
    std::panic::set_hook(hook);
    results
}

fn watch<'a>(running: &[Mutex<Option<(usize, Instant)>>], done: &AtomicBool, name: impl Fn(usize) -> &'a str) {
    let mut told = Vec::new();
    while !done.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(20));
        for slot in running {
            let Some((case, since)) = *slot.lock().expect("no panic while locked") else { continue };
            if since.elapsed() > SLOW && !told.contains(&case) {
                told.push(case);
                eprintln!("still running after {} s: {}", SLOW.as_secs(), name(case));
            }
        }
    }
}
