//! Mode-setting instructions (§3.3.5).

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
