//! Ray tracing and ray query instructions.

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
