//! The properties that the fuzz targets check, one function each.

mod asm;
mod roundtrip;
mod val;

pub use asm::asm;
pub use roundtrip::roundtrip;
pub use val::val;
