//! The index of a module: immutable facts, no judgement.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;
