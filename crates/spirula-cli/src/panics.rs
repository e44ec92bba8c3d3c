//! A panic in one input must not take the batch with it.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Keeps what panics say for [`caught`] instead of printing it.
pub(crate) fn install() {
    std::panic::set_hook(Box::new(|info| {
        LAST.with(|last| *last.borrow_mut() = info.to_string());
    }));
}

/// Calls `f`. A panic in it becomes the error, and says where it happened.
pub(crate) fn caught<T>(f: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(f)).map_err(|_| {
        let said = LAST.with(|last| std::mem::take(&mut *last.borrow_mut()));
        format!("internal error, please report it: {}", said.replace('\n', " "))
    })
}
