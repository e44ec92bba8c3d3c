//! Cooperative matrices and vectors.

use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {};
