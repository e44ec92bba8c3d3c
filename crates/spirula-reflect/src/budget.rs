//! How much a report may hold.
//!
//! A few words can ask for a report larger than any memory: structures of structures have more members than the module
//! has words, and every entry point may use every variable. So everything that goes into a report is charged for, and
//! what a module of this size cannot pay for is left out.

use core::cell::Cell;

/// Bytes that the report on any module may take …
const BASE: usize = 3 << 20;
/// … and this many for each byte of the module.
const FACTOR: usize = 3;

/// What is left to spend.
pub(crate) struct Budget {
    left: Cell<usize>,
    spent_all: Cell<bool>,
}

impl Budget {
    pub(crate) fn of(words: &[u32]) -> Budget {
        let left = words.len().saturating_mul(4 * FACTOR).saturating_add(BASE);
        Budget { left: Cell::new(left), spent_all: Cell::new(false) }
    }

    /// Pays for so many bytes; whether that was possible. Once something did not fit, nothing does.
    pub(crate) fn take(&self, bytes: usize) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) => {
                self.left.set(left);
                true
            }
            None => {
                self.left.set(0);
                self.spent_all.set(true);
                false
            }
        }
    }

    /// Whether something was left out.
    pub(crate) fn is_exceeded(&self) -> bool {
        self.spent_all.get()
    }
}
