//! Pipe instructions (§3.3.23).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
