//! Arithmetic instructions (§3.3.13).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
