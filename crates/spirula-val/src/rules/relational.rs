//! Relational and logical instructions (§3.3.15).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
