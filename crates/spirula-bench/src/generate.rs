//! Generated modules: deterministic, of any size, each with one thing in abundance. All are valid.

mod build;
mod flow;
mod shapes;

use build::Builder;

/// A family of generated modules.
pub struct Family {
    /// Name.
    pub name: &'static str,
    /// Environment in which its modules are valid.
    pub env: &'static str,
    make: fn(&mut Builder, u32),
}

impl Family {
    /// The module with `n` of what the family has in abundance.
    pub fn module(&self, n: u32) -> Vec<u32> {
        let mut b = Builder::default();
        (self.make)(&mut b, n);
        b.finish(if self.env == "opencl2.2" { 2 } else { 5 })
    }
}

/// All families.
pub static FAMILIES: &[Family] = &[
    Family { name: "arithmetic", env: "vulkan1.3", make: flow::arithmetic },
    Family { name: "branches", env: "vulkan1.3", make: flow::branches },
    Family { name: "loops", env: "vulkan1.3", make: flow::loops },
    Family { name: "nest", env: "vulkan1.3", make: flow::nest },
    Family { name: "switch", env: "vulkan1.3", make: flow::switch },
    Family { name: "calls", env: "vulkan1.3", make: flow::calls },
    Family { name: "types", env: "vulkan1.3", make: shapes::types },
    Family { name: "arrays", env: "vulkan1.3", make: shapes::arrays },
    Family { name: "chains", env: "vulkan1.3", make: shapes::chains },
    Family { name: "debug", env: "vulkan1.3", make: shapes::debug },
    Family { name: "kernel", env: "opencl2.2", make: shapes::kernel },
];
