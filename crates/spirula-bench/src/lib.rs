//! What the benchmarks and the robustness tests share: modules of our own, measured operations, mutants, and an
//! allocator that counts.

pub mod alloc;
pub mod generate;
pub mod modules;
pub mod mutate;
pub mod ops;
