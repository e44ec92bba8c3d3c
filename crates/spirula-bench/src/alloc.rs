//! An allocator that counts, thread by thread.
//!
//! A binary or test that measures says `#[global_allocator] static A: Counting = Counting;`.
#![allow(unsafe_code, reason = "`GlobalAlloc` can be implemented in no other way; everything is passed on to `System`")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// What happened on this thread since [`start`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Counts {
    /// Allocations and reallocations.
    pub allocations: u64,
    /// Most bytes that were held at one time, beyond those held at the start.
    pub peak: u64,
}

#[derive(Clone, Copy)]
struct State {
    allocations: u64,
    held: i64,
    peak: i64,
}

thread_local! {
    static STATE: Cell<State> = const { Cell::new(State { allocations: 0, held: 0, peak: 0 }) };
}

/// Counts from zero on this thread.
pub fn start() {
    STATE.with(|s| s.set(State { allocations: 0, held: 0, peak: 0 }));
}

/// What happened on this thread since [`start`].
pub fn counts() -> Counts {
    let s = STATE.with(Cell::get);
    Counts { allocations: s.allocations, peak: s.peak.max(0) as u64 }
}

fn count(allocations: u64, bytes: i64) {
    // The thread may be ending; what it frees then is of no interest.
    let _ = STATE.try_with(|cell| {
        let mut s = cell.get();
        s.allocations += allocations;
        s.held += bytes;
        s.peak = s.peak.max(s.held);
        cell.set(s);
    });
}

/// The system's allocator, counting.
#[derive(Debug)]
pub struct Counting;

// SAFETY: every call is passed on to `System` unchanged, and counting neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: as the caller promised us.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(1, layout.size() as i64);
        // SAFETY: as the caller promised us.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        count(0, -(layout.size() as i64));
        // SAFETY: as the caller promised us.
        unsafe { System.dealloc(ptr, layout) }
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(1, size as i64 - layout.size() as i64);
        // SAFETY: as the caller promised us.
        unsafe { System.realloc(ptr, layout, size) }
    }
}
