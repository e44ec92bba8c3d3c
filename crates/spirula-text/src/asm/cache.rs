//! A small direct-mapped cache in front of the grammar's name tables.

const SLOTS: usize = 1024;

/// Remembers what names of a module mean. `tag` separates name spaces.
pub(super) struct Cache<'t, V> {
    slots: Vec<Option<(u32, &'t [u8], V)>>,
}

impl<'t, V: Copy> Cache<'t, V> {
    pub(super) fn new() -> Cache<'t, V> {
        Cache { slots: Vec::new() }
    }

    /// What `name` means, or else what `look_up` finds.
    #[inline]
    pub(super) fn get(&mut self, tag: u32, name: &'t [u8], look_up: impl FnOnce(&'t str) -> Option<V>) -> Option<V> {
        let slot = slot(tag, name);
        if let Some(Some((t, n, value))) = self.slots.get(slot)
            && *t == tag
            && *n == name
        {
            return Some(*value);
        }
        let value = look_up(core::str::from_utf8(name).ok()?)?;
        if self.slots.is_empty() {
            self.slots.resize(SLOTS, None);
        }
        if let Some(s) = self.slots.get_mut(slot) {
            *s = Some((tag, name, value));
        }
        Some(value)
    }
}

/// Both ends and the length tell the grammar's names apart well enough.
#[inline]
fn slot(tag: u32, name: &[u8]) -> usize {
    let (head, tail) = match (name.first_chunk::<4>(), name.last_chunk::<8>(), name.last_chunk::<4>()) {
        (_, Some(tail), _) => {
            let middle = name.get(name.len() / 2).copied().unwrap_or(0);
            (u64::from(middle), u64::from_le_bytes(*tail))
        }
        (Some(head), _, Some(tail)) => (u32::from_le_bytes(*head).into(), u32::from_le_bytes(*tail).into()),
        _ => (0, name.iter().fold(0, |h, b| h << 8 | u64::from(*b))),
    };
    let mixed = (tail ^ head << 40 ^ (name.len() as u64) << 56 ^ u64::from(tag)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> 54) as usize % SLOTS
}
