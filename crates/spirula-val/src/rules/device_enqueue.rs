//! Device-side enqueue instructions (§3.3.22).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
