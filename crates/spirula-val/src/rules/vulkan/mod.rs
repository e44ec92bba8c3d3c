//! Vulkan's rules (Vulkan specification, appendix "Vulkan Environment for SPIR-V", and the interface chapters).

pub(crate) mod builtins;
pub(crate) mod decorations;
pub(crate) mod dynamic_indexing;
pub(crate) mod environment;
pub(crate) mod interfaces;
pub(crate) mod interpolation;
pub(crate) mod resources;
pub(crate) mod row_major;
pub(crate) mod transform;
pub(crate) mod view_index;

use crate::dispatch::Table;

/// Further rules for instructions. An instruction may stand in one table only.
pub(crate) const TABLES: &[Table] = &[resources::TABLE, crate::rules::misc::VULKAN, crate::rules::image::tile::VULKAN];
