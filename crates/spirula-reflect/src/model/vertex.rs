//! What vertex shaders read.

use alloc::string::String;
use alloc::vec::Vec;

use super::Semantic;

report! {
    /// What the components of a vector are.
    #[derive(Copy)]
    pub enum Numeric {
        /// Unsigned integers.
        Uint,
        /// Signed integers.
        Sint,
        /// Floating-point numbers.
        Float,
    }

    /// What a vertex shader reads from one location: an attribute, for which the host has a format.
    pub struct VertexAttribute {
        /// Location.
        pub location: u32,
        /// The first component that is read.
        pub component: u32,
        /// Name of the variable or member, of several where they share the location.
        pub name: String,
        /// What the components are.
        pub numeric: Numeric,
        /// Bits of a component.
        pub width: u32,
        /// Components of the format, from the location's first one on.
        pub components: u32,
        /// The `VkFormat` with exactly these components, without its prefix; normalised or smaller ones serve as well.
        pub format: String,
        /// Number of the format.
        pub vk_format: u32,
        /// HLSL semantics.
        pub semantics: Vec<Semantic>,
    }
}
