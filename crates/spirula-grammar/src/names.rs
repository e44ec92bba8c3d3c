//! Names → rows: hash tables over the generated lists of names, filled by the compiler.

use crate::generated::enums::{ENUM_NAME_RANGES, ENUM_NAME_ROWS};
use crate::generated::extinst::{EXT_INST_RANGES, EXT_INST_ROWS};
use crate::generated::ops::OP_NAME_ROWS;
use crate::text::{ENUM_NAMES, ENUM_TEXT, EXT_INSTS, OP_NAMES, OP_TEXT};

/// Where a table's names are among all of them: opcodes have one space, enumerants one for each kind of operand,
/// extended instructions one for each set.
type Space = usize;

/// Open addressing with steps of one: each slot has a row's number + 1, or 0. At least as many slots are empty as are
/// taken, so that few steps are needed and each search ends.
struct Table<const SLOTS: usize>([u16; SLOTS]);

static OPS: Table<2048> = {
    let mut table = Table::new();
    let mut i = 0;
    while i < OP_NAME_ROWS.len() {
        table.insert(0, OP_NAME_ROWS[i].0, i);
        i += 1;
    }
    table
};

static ENUMS: Table<4096> = {
    let mut table = Table::new();
    let mut kind = 0;
    while kind < ENUM_NAME_RANGES.len() {
        let (first, count) = ENUM_NAME_RANGES[kind];
        let mut i = first as usize;
        while i < first as usize + count as usize {
            table.insert(kind, ENUM_NAME_ROWS[i].0, i);
            i += 1;
        }
        kind += 1;
    }
    table
};

static EXT: Table<2048> = {
    let mut table = Table::new();
    let mut set = 0;
    while set < EXT_INST_RANGES.len() {
        let (first, count) = EXT_INST_RANGES[set];
        let mut i = first as usize;
        while i < first as usize + count as usize {
            table.insert(set, EXT_INST_ROWS[i].0, i);
            i += 1;
        }
        set += 1;
    }
    table
};

/// The row of an opcode's name, which is without its prefix.
#[inline]
pub(crate) fn op(name: &[u8]) -> Option<usize> {
    OPS.find(0, name, |row| OP_NAMES.get(row).is_some_and(|n| same(n.name.of(OP_TEXT).as_bytes(), name)))
}

/// The row of a name of an operand kind.
#[inline]
pub(crate) fn enumerant(kind: Space, name: &[u8]) -> Option<usize> {
    let (first, count) = *ENUM_NAME_RANGES.get(kind)?;
    let own = first as usize..first as usize + count as usize;
    ENUMS.find(kind, name, |row| {
        own.contains(&row) && ENUM_NAMES.get(row).is_some_and(|n| same(n.name.of(ENUM_TEXT).as_bytes(), name))
    })
}

/// The row of a name of an extended instruction set.
#[inline]
pub(crate) fn ext_inst(set: Space, name: &[u8]) -> Option<usize> {
    let (first, count) = *EXT_INST_RANGES.get(set)?;
    let own = first as usize..first as usize + count as usize;
    EXT.find(set, name, |row| own.contains(&row) && EXT_INSTS.get(row).is_some_and(|x| same(x.name().as_bytes(), name)))
}

impl<const SLOTS: usize> Table<SLOTS> {
    const fn new() -> Self {
        assert!(SLOTS.is_power_of_two());
        Table([0; SLOTS])
    }

    const fn insert(&mut self, space: Space, name: &str, row: usize) {
        let mut slot = hash(space, name.as_bytes()) as usize % SLOTS;
        while self.0[slot] != 0 {
            slot = (slot + 1) % SLOTS;
        }
        assert!(row < SLOTS / 2);
        self.0[slot] = row as u16 + 1;
    }

    #[inline]
    fn find(&self, space: Space, name: &[u8], is: impl Fn(usize) -> bool) -> Option<usize> {
        let mut slot = hash(space, name) as usize % SLOTS;
        loop {
            let row = (self.0[slot] as usize).checked_sub(1)?;
            if is(row) {
                return Some(row);
            }
            slot = (slot + 1) % SLOTS;
        }
    }
}

/// The length and 24 bytes of a name, both ends and the middle, tell names apart well enough.
#[inline]
const fn hash(space: Space, name: &[u8]) -> u64 {
    const ODD: [u64; 3] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f, 0x1656_67b1_9e37_79f9];
    let (first, last) = match (name.first_chunk(), name.last_chunk()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => (short(name), 0),
    };
    let middle = match name.split_at_checked(name.len() / 2) {
        Some((_, rest)) if name.len() > 16 => match rest.first_chunk() {
            Some(middle) => u64::from_le_bytes(*middle),
            None => 0,
        },
        _ => 0,
    };
    let own = (space as u64) << 8 ^ name.len() as u64;
    let mixed = (first ^ middle.rotate_left(23)).wrapping_mul(ODD[0]) ^ (last ^ own).wrapping_mul(ODD[1]);
    (mixed ^ mixed >> 29).wrapping_mul(ODD[2]) >> 40
}

/// Whether two names are the same; most are too short for a call to be worth while.
#[inline]
fn same(a: &[u8], b: &[u8]) -> bool {
    let eights = |name: &[u8]| {
        let (first, last) = (name.first_chunk()?, name.last_chunk()?);
        Some((u64::from_le_bytes(*first), u64::from_le_bytes(*last)))
    };
    if a.len() != b.len() {
        return false;
    }
    match (eights(a), eights(b)) {
        (Some(a), Some(b)) if a != b => false,
        (Some(_), _) if a.len() <= 16 => true,
        (None, None) => short(a) == short(b),
        _ => a == b,
    }
}

/// Fewer than eight bytes: names of the same length are the same where these are.
#[inline]
const fn short(name: &[u8]) -> u64 {
    if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
        return u32::from_le_bytes(*first) as u64 | (u32::from_le_bytes(*last) as u64) << 32;
    }
    let (mut all, mut i) = (0, 0);
    while i < name.len() {
        all = all << 8 | name[i] as u64;
        i += 1;
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How many slots are looked at for the names on average, times 100.
    fn steps<const SLOTS: usize>(
        table: &Table<SLOTS>,
        names: impl Iterator<Item = (Space, &'static str, usize)>,
    ) -> usize {
        let (mut steps, mut count) = (0, 0);
        for (space, name, row) in names {
            let home = hash(space, name.as_bytes()) as usize % SLOTS;
            steps += (0..).position(|i| table.0[(home + i) % SLOTS] as usize == row + 1).expect("it is there") + 1;
            count += 1;
        }
        steps * 100 / count
    }

    fn spaces(ranges: &'static [(u16, u16)]) -> impl Iterator<Item = (Space, usize)> {
        let range =
            |(space, r): (usize, &(u16, u16))| (r.0 as usize..(r.0 + r.1) as usize).map(move |row| (space, row));
        ranges.iter().enumerate().flat_map(range)
    }

    #[test]
    fn few_steps_are_needed() {
        assert!(steps(&OPS, OP_NAME_ROWS.iter().enumerate().map(|(row, n)| (0, n.0, row))) < 150);
        assert!(steps(&ENUMS, spaces(ENUM_NAME_RANGES).map(|(kind, row)| (kind, ENUM_NAME_ROWS[row].0, row))) < 150);
        assert!(steps(&EXT, spaces(EXT_INST_RANGES).map(|(set, row)| (set, EXT_INST_ROWS[row].0, row))) < 150);
    }

    #[test]
    fn every_name_is_found_in_its_space() {
        for (row, name) in OP_NAME_ROWS.iter().enumerate() {
            assert_eq!(op(name.0.as_bytes()), Some(row));
        }
        for (kind, row) in spaces(ENUM_NAME_RANGES) {
            assert_eq!(enumerant(kind, ENUM_NAME_ROWS[row].0.as_bytes()), Some(row));
        }
        for (set, row) in spaces(EXT_INST_RANGES) {
            // The first of a name counts.
            let found = ext_inst(set, EXT_INST_ROWS[row].0.as_bytes()).expect("it is there");
            assert!(found <= row && EXT_INST_ROWS[found].0 == EXT_INST_ROWS[row].0);
        }
        assert_eq!([op(b""), op(b"x"), op(b"OpNop"), op(&[0xff; 40])], [None; 4]);
        assert_eq!(enumerant(0, b"Shader"), None);
    }
}
