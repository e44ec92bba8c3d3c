//! Extension instructions (§3.3.4).

use super::ext_inst;
use crate::dispatch::{Table, rule_table};

pub(crate) const TABLE: Table = rule_table! {
    ExtInstImport => ext_inst::import;
    ExtInst | ExtInstWithForwardRefsKHR => ext_inst::instruction;
};
