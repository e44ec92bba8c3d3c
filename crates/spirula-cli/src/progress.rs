//! How far a batch has come, on a line of the terminal that goes away again.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

/// Between two looks of the line.
const TICK: Duration = Duration::from_millis(200);

/// The line.
pub(crate) struct Progress {
    /// How many there are; `None` where nothing is to be shown.
    all: Option<usize>,
    done: usize,
    start: Instant,
    /// When it was written last.
    last: Instant,
    shown: bool,
}

impl Progress {
    /// Of `all` inputs. Nothing is shown where nobody would have the time to read it.
    pub(crate) fn new(all: usize, wanted: bool) -> Progress {
        let now = Instant::now();
        let all = (wanted && all >= 200 && std::io::stderr().is_terminal()).then_some(all);
        Progress { all, done: 0, start: now, last: now, shown: false }
    }

    /// One more is done.
    pub(crate) fn step(&mut self) {
        self.done += 1;
        let Some(all) = self.all.filter(|_| self.last.elapsed() >= TICK) else { return };
        let left = self.start.elapsed().mul_f64(all.saturating_sub(self.done) as f64 / self.done as f64).as_secs();
        let _ = write!(std::io::stderr(), "\r\x1b[K{}/{all} modules, {left} s left", self.done);
        self.last = Instant::now();
        self.shown = true;
    }

    /// Makes room for other output.
    pub(crate) fn clear(&mut self) {
        if std::mem::take(&mut self.shown) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.clear();
    }
}
