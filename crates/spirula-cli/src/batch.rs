//! Many inputs at once: work in parallel, results in order.

use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use spirula_val::Bodies;

/// Stack of a worker.
const STACK: usize = 16 << 20;

/// Threads to use; one per core where nothing is said.
pub(crate) fn threads(jobs: Option<u16>) -> usize {
    jobs.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from)
}

/// Checks each share of a module's bodies on a thread of its own. One that cannot start leaves its share to the caller.
pub(crate) fn on_threads(shares: &mut [Bodies<'_>]) {
    thread::scope(|scope| {
        for share in shares {
            let _ = thread::Builder::new().stack_size(STACK).spawn_scoped(scope, || share.check());
        }
    });
}

/// How to run a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Batch {
    /// Number of inputs.
    pub(crate) count: usize,
    /// Threads; `None` for one per core.
    pub(crate) jobs: Option<u16>,
    /// Whether a progress bar may be shown.
    pub(crate) progress: bool,
}

impl Batch {
    /// Calls `work` for every number below `count`, on several threads each of which has a state of its own, and `take`
    /// on this thread for the results in order, until it breaks.
    ///
    /// A panic in `work` goes to `failed` instead, and costs the thread its state. A single input needs no further
    /// thread.
    pub(crate) fn run<S, T: Send>(
        self,
        state: impl Fn() -> S + Sync,
        work: impl Fn(&mut S, usize) -> T + Sync,
        failed: impl Fn(usize, String) -> T + Sync,
        mut take: impl FnMut(usize, T) -> ControlFlow<()>,
    ) {
        if self.count == 1 {
            let result = crate::panics::caught(|| work(&mut state(), 0)).unwrap_or_else(|message| failed(0, message));
            let _ = take(0, result);
            return;
        }
        let threads = threads(self.jobs).min(self.count);
        let next = AtomicUsize::new(0);
        let (send, receive) = mpsc::sync_channel::<(usize, T)>(threads * 64);
        let worker = |send: mpsc::SyncSender<(usize, T)>| {
            let mut own = state();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                if i >= self.count {
                    return;
                }
                let result = crate::panics::caught(|| work(&mut own, i)).unwrap_or_else(|message| {
                    own = state();
                    failed(i, message)
                });
                if send.send((i, result)).is_err() {
                    return;
                }
            }
        };
        thread::scope(|scope| {
            let worker = &worker;
            for n in 0..threads {
                let send = send.clone();
                let started = thread::Builder::new()
                    .name(format!("worker {n}"))
                    .stack_size(STACK)
                    .spawn_scoped(scope, move || worker(send));
                if started.is_err() && n == 0 {
                    return;
                }
            }
            drop(send);
            self.collect(receive, &mut take);
        });
    }

    /// Puts results back into order.
    fn collect<T>(self, receive: mpsc::Receiver<(usize, T)>, take: &mut impl FnMut(usize, T) -> ControlFlow<()>) {
        let bar = self.bar();
        let mut waiting = BTreeMap::new();
        let mut next = 0;
        for (i, result) in receive {
            waiting.insert(i, result);
            bar.inc(1);
            while let Some(result) = waiting.remove(&next) {
                if bar.suspend(|| take(next, result)).is_break() {
                    return;
                }
                next += 1;
            }
        }
        bar.finish_and_clear();
    }

    fn bar(self) -> ProgressBar {
        // Fewer are done before anybody has read the bar.
        if !self.progress || self.count < 200 || !std::io::stderr().is_terminal() {
            return ProgressBar::hidden();
        }
        let bar = ProgressBar::new(self.count as u64);
        if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} modules, {eta} left") {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        bar
    }
}
