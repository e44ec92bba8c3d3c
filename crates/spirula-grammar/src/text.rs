//! Names in tables.
//!
//! A table of `&str` is a table of addresses, and all of them have to be adjusted whenever a program with the table is
//! started. Rows of the grammar's tables say instead where their name lies in the text of all of the table's names.

/// Where a name lies in the text of its table.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Name(u32);

impl Name {
    /// What generated rows have, before their table is made.
    pub(crate) const UNSET: Name = Name(0);

    pub(crate) const fn new(start: usize, len: usize) -> Name {
        assert!(start < 1 << 24 && len < 1 << 8);
        Name((start as u32) << 8 | len as u32)
    }

    /// The name, in the text of its own table.
    #[inline]
    pub(crate) fn of(self, text: &'static str) -> &'static str {
        let (start, len) = ((self.0 >> 8) as usize, (self.0 & 0xff) as usize);
        text.get(start..start + len).unwrap_or("")
    }
}

/// A name that stands for a value.
#[derive(Clone, Copy)]
pub(crate) struct Named<T> {
    pub(crate) name: Name,
    pub(crate) value: T,
}

/// Makes a table, and the text of its names, from generated pairs of name and row.
macro_rules! named_table {
    ($table:ident: $row:ty, $text:ident, $rows:path) => {
        pub(crate) static $table: [$row; $rows.len()] = {
            let (mut table, mut at, mut i) = ([$rows[0].1; $rows.len()], 0, 0);
            while i < $rows.len() {
                table[i] = $rows[i].1;
                table[i].name = Name::new(at, $rows[i].0.len());
                at += $rows[i].0.len();
                i += 1;
            }
            table
        };

        pub(crate) static $text: &str = {
            const LEN: usize = {
                let (mut len, mut i) = (0, 0);
                while i < $rows.len() {
                    len += $rows[i].0.len();
                    i += 1;
                }
                len
            };
            const ALL: [u8; LEN] = {
                let (mut all, mut at, mut i) = ([0; LEN], 0, 0);
                while i < $rows.len() {
                    let (_, rest) = all.split_at_mut(at);
                    rest.split_at_mut($rows[i].0.len()).0.copy_from_slice($rows[i].0.as_bytes());
                    at += $rows[i].0.len();
                    i += 1;
                }
                all
            };
            match core::str::from_utf8(&ALL) {
                Ok(text) => text,
                Err(_) => panic!("the names are strings"),
            }
        };
    };
}

use crate::desc::{Enumerant, ExtInstDesc, InstDesc, Operand};
use crate::generated::enums::{ENUM_NAME_ROWS, ENUMERANT_ROWS};
use crate::generated::extinst::EXT_INST_ROWS;
use crate::generated::operands::OPERAND_ROWS;
use crate::generated::ops::{INST_ROWS, OP_NAME_ROWS};

named_table!(INSTS: InstDesc, INST_TEXT, INST_ROWS);
named_table!(OP_NAMES: Named<u16>, OP_TEXT, OP_NAME_ROWS);
named_table!(OPERANDS: Operand, OPERAND_TEXT, OPERAND_ROWS);
named_table!(ENUMERANTS: Enumerant, ENUMERANT_TEXT, ENUMERANT_ROWS);
named_table!(ENUM_NAMES: Named<u32>, ENUM_TEXT, ENUM_NAME_ROWS);
named_table!(EXT_INSTS: ExtInstDesc, EXT_INST_TEXT, EXT_INST_ROWS);
