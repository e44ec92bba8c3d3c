//! Work is linear, or nearly so, in the words.

use std::time::Duration;

use cpu_time::ThreadTime;
use spirula_bench::generate::{FAMILIES, Family};
use spirula_bench::modules::Pinned;
use spirula_bench::ops::{OPERATIONS, Prepare};

/// Four times the size may take this many times as long: quadratic work would take sixteen times.
const MOST: f64 = 9.0;

/// Time on the processor of a warm call; the least of a few, since other load disturbs caches.
fn time(prepare: Prepare, module: &Pinned) -> Duration {
    let mut operation = prepare(module);
    let once = |operation: &mut dyn FnMut() -> usize| {
        let started = ThreadTime::now();
        std::hint::black_box(operation());
        started.elapsed()
    };
    (0..4).map(|_| once(&mut operation)).min().unwrap_or_default()
}

fn module(family: &Family, n: u32) -> Pinned {
    Pinned { name: family.name.to_owned(), env: family.env, words: family.module(n) }
}

#[test]
fn work_grows_with_the_words() {
    for family in FAMILIES {
        // Nesting and indexes are limited (§2.17); what is beyond a limit is not looked at further.
        let n = if family.name == "nest" { 250 } else { 4000 };
        let (small, large) = (module(family, n), module(family, 4 * n));
        for (name, prepare) in OPERATIONS {
            let ratio = || time(*prepare, &large).as_secs_f64() / time(*prepare, &small).as_secs_f64().max(2e-5);
            let least = std::iter::repeat_with(ratio).take(5).find(|r| *r < MOST);
            assert!(
                least.is_some(),
                "{name} of {}: four times the size takes more than {MOST} times as long",
                family.name
            );
        }
    }
}
