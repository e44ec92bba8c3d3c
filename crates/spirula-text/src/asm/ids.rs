//! Names → ids.

use core::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use super::lex::{Lexer, Name};

/// Position of an id among the distinct ids of the text, in order of appearance.
pub(super) type Index = u32;

/// Numbers to a block.
const BLOCK: usize = 1 << 10;

/// Numbers below this are small in any text.
const SMALL: u32 = 1 << 18;

/// Numbers the ids of a module.
pub(super) struct Ids {
    names: HashTable<Named>,
    hasher: DefaultHashBuilder,
    /// All names, one behind the other.
    letters: Vec<u8>,
    /// For ids that are small decimal numbers, their index + 1, in blocks, so that gaps cost little.
    small: Vec<Option<Box<[Index; BLOCK]>>>,
    /// Numbers from this on go into `large`.
    small_limit: u32,
    large: HashMap<u32, Index>,
    count: u32,
    /// With preserved numbers, the value of each id; otherwise it is the index + 1.
    preserved: Option<Preserved>,
}

/// An id with a name.
struct Named {
    start: usize,
    len: usize,
    index: Index,
}

impl Named {
    fn name<'l>(&self, letters: &'l [u8]) -> &'l [u8] {
        letters.get(self.start..self.start + self.len).unwrap_or(&[])
    }
}

struct Preserved {
    values: Vec<u32>,
    /// All numbers that the text uses, ascending.
    taken: Vec<u32>,
    /// Where in `taken` the next free value is compared.
    cursor: usize,
    next: u32,
    highest: u32,
}

impl Ids {
    /// No ids yet. Keeping their numbers needs the whole text.
    pub(super) fn new(whole_to_preserve: Option<&[u8]>) -> Ids {
        Ids {
            names: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            letters: Vec::new(),
            small: Vec::new(),
            small_limit: SMALL,
            large: HashMap::new(),
            count: 0,
            preserved: whole_to_preserve.map(Preserved::new),
        }
    }

    /// Makes ready for `len` more bytes of text. Memory stays within a few times the text, whatever the numbers are.
    pub(super) fn expect_text(&mut self, len: usize) {
        self.small_limit = self.small_limit.saturating_add(u32::try_from(len / 4 + 64).unwrap_or(u32::MAX));
    }

    /// The index of the id with this name.
    #[inline]
    pub(super) fn intern(&mut self, name: Name, text: &[u8]) -> Index {
        match name.number() {
            Some(n) => self.numeric(n),
            None => self.named(name.of(text)),
        }
    }

    #[inline(never)]
    fn named(&mut self, name: &[u8]) -> Index {
        if name.first().is_some_and(u8::is_ascii_digit) {
            let number = match canonical(name) {
                None if self.preserved.is_some() => number(name),
                n => n,
            };
            if let Some(n) = number {
                return self.numeric(n);
            }
        }
        let Ids { names, hasher, letters, .. } = self;
        let hash = hasher.hash_one(name);
        if let Some(found) = names.find(hash, |n| n.name(letters) == name) {
            return found.index;
        }
        let index = self.count;
        let new = Named { start: letters.len(), len: name.len(), index };
        letters.extend_from_slice(name);
        names.insert_unique(hash, new, |n| hasher.hash_one(n.name(letters)));
        self.count += 1;
        if let Some(p) = &mut self.preserved {
            p.name();
        }
        index
    }

    /// The index of the id that is called by this number.
    #[inline]
    pub(super) fn numeric(&mut self, number: u32) -> Index {
        match self.small(number) {
            Some(index) => index,
            None => self.numeric_slowly(number),
        }
    }

    #[inline]
    fn small(&self, number: u32) -> Option<Index> {
        let block = self.small.get(number as usize / BLOCK)?.as_ref()?;
        block.get(number as usize % BLOCK)?.checked_sub(1)
    }

    #[inline(never)]
    fn numeric_slowly(&mut self, number: u32) -> Index {
        if let Some(found) = self.large.get(&number) {
            return *found;
        }
        let next = self.count;
        if number < self.small_limit {
            let block = number as usize / BLOCK;
            if block >= self.small.len() {
                self.small.resize(block + 1, None);
            }
            if let Some(block) = self.small.get_mut(block) {
                let block = block.get_or_insert_with(|| Box::new([0; BLOCK]));
                block[number as usize % BLOCK] = next + 1;
            }
        } else {
            self.large.insert(number, next);
        }
        self.count += 1;
        if let Some(p) = &mut self.preserved {
            p.number(number);
        }
        next
    }

    /// The id in the module.
    #[inline]
    pub(super) fn value(&self, index: Index) -> u32 {
        match &self.preserved {
            None => index + 1,
            Some(p) => p.values.get(index as usize).copied().unwrap_or(0),
        }
    }

    /// The index of the id with this value, where the text can have named it.
    pub(super) fn index_of(&self, value: u32) -> Option<Index> {
        match &self.preserved {
            None => value.checked_sub(1).filter(|i| *i < self.count),
            Some(_) => self.small(value).or_else(|| self.large.get(&value).copied()),
        }
    }

    /// One more than the largest id.
    pub(super) fn bound(&self) -> u32 {
        match &self.preserved {
            None => self.count + 1,
            Some(p) => p.highest.saturating_add(1),
        }
    }
}

impl Preserved {
    fn new(text: &[u8]) -> Preserved {
        let mut lexer = Lexer::new(text, false);
        let mut taken = Vec::new();
        while let Some(b) = lexer.skip() {
            if b == b'%' {
                taken.extend(lexer.id().and_then(|name| name.number().or_else(|| number(name.of(text)))));
            } else {
                lexer.any();
            }
            // Ids mostly repeat: keep the list short without sorting too often.
            if taken.len() == taken.capacity() {
                tidy(&mut taken);
            }
        }
        tidy(&mut taken);
        Preserved { values: Vec::new(), taken, cursor: 0, next: 1, highest: 0 }
    }

    fn number(&mut self, number: u32) {
        self.values.push(number);
        self.highest = self.highest.max(number);
    }

    /// Gives a name the smallest free value.
    fn name(&mut self) {
        while let Some(t) = self.taken.get(self.cursor).filter(|t| **t <= self.next) {
            if *t == self.next {
                self.next += 1;
            }
            self.cursor += 1;
        }
        self.values.push(self.next);
        self.highest = self.highest.max(self.next);
        self.next += 1;
    }
}

fn tidy(list: &mut Vec<u32>) {
    list.sort_unstable();
    list.dedup();
    if list.len() * 2 > list.capacity() {
        list.reserve(list.len() + 64);
    }
}

/// The value of a decimal number without leading zeros.
#[inline]
fn canonical(name: &[u8]) -> Option<u32> {
    if name.len() > 9 || matches!(name, [b'0', _, ..]) {
        return None;
    }
    let mut value = 0;
    for b in name {
        let digit = b.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        value = value * 10 + u32::from(digit);
    }
    Some(value)
}

/// The value of a name that is a number in any notation.
fn number(name: &[u8]) -> Option<u32> {
    crate::number::parse::u32(name).ok()
}
