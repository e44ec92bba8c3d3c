//! Group and subgroup instructions (§3.3.21).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
