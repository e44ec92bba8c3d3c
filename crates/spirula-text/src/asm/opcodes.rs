//! Opcodes by name. A module repeats few of them, so that those that came before are looked for first.

use spirula_grammar::{InstDesc, Op};

const SLOTS: usize = 256;

/// Instructions by their names, which start with `Op`, one for each slot.
pub(super) struct Opcodes {
    slots: [Slot; SLOTS],
}

#[derive(Clone, Copy)]
struct Slot {
    key: Key,
    desc: Option<&'static InstDesc>,
}

/// A name of 4 to 24 bytes, whole: its length, its ends, which may overlap, and what lies between them.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Key {
    len: usize,
    first: u64,
    middle: u64,
    last: u64,
}

impl Key {
    #[inline]
    fn of(name: &[u8]) -> Option<Key> {
        let len = name.len();
        if let (Some(first), Some(last)) = (name.first_chunk(), name.last_chunk()) {
            let middle = match name.get(8..16) {
                Some(middle) if len > 16 => u64::from_le_bytes(*middle.first_chunk()?),
                _ => 0,
            };
            let key = Key { len, first: u64::from_le_bytes(*first), middle, last: u64::from_le_bytes(*last) };
            return (len <= 24).then_some(key);
        }
        let (first, last) = (u32::from_le_bytes(*name.first_chunk()?), u32::from_le_bytes(*name.last_chunk()?));
        Some(Key { len, first: first.into(), middle: 0, last: last.into() })
    }

    /// Names differ in the middle as well as at the end.
    #[inline]
    fn slot(&self) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(29)).wrapping_add(self.middle) ^ self.len as u64;
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 56) as usize % SLOTS
    }
}

impl Opcodes {
    pub(super) fn new() -> Opcodes {
        Opcodes { slots: [Slot { key: Key { len: 0, first: 0, middle: 0, last: 0 }, desc: None }; SLOTS] }
    }

    /// The instruction with this name.
    #[inline]
    pub(super) fn find(&mut self, name: &[u8]) -> Option<&'static InstDesc> {
        match Key::of(name) {
            Some(key) if self.slots[key.slot()].key == key => self.slots[key.slot()].desc,
            key => self.look_up(name, key),
        }
    }

    #[inline(never)]
    fn look_up(&mut self, name: &[u8], key: Option<Key>) -> Option<&'static InstDesc> {
        let desc = Op::from_name(name).filter(|_| name.starts_with(b"Op"))?.desc();
        if let Some(key) = key {
            self.slots[key.slot()] = Slot { key, desc };
        }
        desc
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_found_twice() {
        let mut opcodes = Opcodes::new();
        for (name, op) in Op::names() {
            let name = format!("Op{name}");
            for _ in 0..2 {
                assert_eq!(opcodes.find(name.as_bytes()).map(|d| d.op), Some(op), "{name}");
            }
            assert!(opcodes.find(&name.as_bytes()[2..]).is_none(), "{name} without its prefix");
            assert!(opcodes.find(format!("{name}_").as_bytes()).is_none());
        }
        assert!(opcodes.find(b"").is_none() && opcodes.find(b"Op").is_none());
    }
}
