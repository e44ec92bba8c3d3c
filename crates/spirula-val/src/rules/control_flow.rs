//! Control-flow instructions (§3.3.17).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
