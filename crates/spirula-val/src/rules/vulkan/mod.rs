//! Vulkan's rules (Vulkan specification, appendix "Vulkan Environment for SPIR-V", and the interface chapters).

pub(crate) mod builtins;
pub(crate) mod environment;
pub(crate) mod interfaces;

use crate::dispatch::Table;

/// Further rules for instructions. An instruction may stand in one table only.
pub(crate) const TABLES: &[Table] = &[crate::rules::mesh::VULKAN];
