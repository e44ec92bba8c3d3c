//! Mutants: modules with something wrong, made from valid ones and a seed.

use spirula_binary::{Frames, HEADER_WORDS};

/// SplitMix64: small, and the same everywhere for ever.
#[derive(Clone, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`; 0 where `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next_u64() % n.max(1) as u64) as usize
    }
}

/// Numbers that are at the edge of something.
static EDGES: &[u32] = &[
    0,
    1,
    2,
    3,
    4,
    7,
    8,
    16,
    31,
    32,
    33,
    63,
    64,
    65,
    127,
    128,
    255,
    256,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x3f_ffff,
    0x40_0000,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_fff0,
    0xffff_ffff,
];

/// One mutant of `module`, with `other` to borrow instructions from.
pub fn mutant(module: &[u32], other: &[u32], rng: &mut Rng) -> Vec<u32> {
    let mut words = module.to_vec();
    for _ in 0..=rng.below(4) {
        step(&mut words, other, rng);
    }
    words
}

fn step(words: &mut Vec<u32>, other: &[u32], rng: &mut Rng) {
    let insts = ranges(words);
    let at = HEADER_WORDS.min(words.len()) + rng.below(words.len().saturating_sub(HEADER_WORDS));
    let Some(inst) = insts.get(rng.below(insts.len())).cloned() else {
        words.truncate(rng.below(words.len() + 1));
        return;
    };
    match rng.below(16) {
        0 => set(words, at, |w, r| w ^ 1 << r.below(32), rng),
        1 => set(words, at, |_, r| EDGES[r.below(EDGES.len())], rng),
        2 => set(words, at, |w, r| w.wrapping_add(r.below(7) as u32).wrapping_sub(3), rng),
        // Another operand of the module in this place: ids of the wrong kind.
        3 | 4 => {
            let from = words.get(HEADER_WORDS + rng.below(words.len().saturating_sub(HEADER_WORDS))).copied();
            let operand = inst.start + 1 + rng.below(inst.len().saturating_sub(1));
            set(words, operand, |w, _| from.unwrap_or(w), rng);
        }
        // Another opcode, then another word count.
        5 => set(words, inst.start, |w, r| w & 0xffff_0000 | r.below(450) as u32, rng),
        6 => set(words, inst.start, |w, r| w & 0xffff | (r.below(8) as u32) << 16, rng),
        7 => drop(words.drain(inst)),
        8 => insert(words, inst.start, &module_part(words, &insts, rng)),
        9 => {
            let theirs = ranges(other);
            let part = module_part(other, &theirs, rng);
            insert(words, inst.start, &part);
        }
        // An instruction goes to another place.
        10 => {
            let part: Vec<u32> = words.drain(inst).collect();
            let rest = ranges(words);
            let to = rest.get(rng.below(rest.len())).map_or(words.len(), |r| r.start);
            insert(words, to, &part);
        }
        11 => words.truncate(at),
        12 => set(words, 3, |_, r| EDGES[r.below(EDGES.len())], rng),
        13 => set(words, rng.clone().below(HEADER_WORDS), |_, r| r.next_u64() as u32, rng),
        // A word more or less inside of an instruction, with the right word count.
        14 => {
            let value = rng.next_u64() as u32 & 0x3f;
            words.insert(inst.end, value);
            set(words, inst.start, |w, _| w.wrapping_add(0x1_0000), rng);
        }
        _ => {
            if inst.len() > 1 {
                words.remove(inst.start + 1 + rng.below(inst.len() - 1));
                set(words, inst.start, |w, _| w.wrapping_sub(0x1_0000), rng);
            }
        }
    }
}

/// Word ranges of the instructions.
fn ranges(words: &[u32]) -> Vec<std::ops::Range<usize>> {
    let frames = Frames::of(words).filter_map(Result::ok);
    frames.map(|i| i.offset() as usize..i.offset() as usize + i.words().len()).collect()
}

fn module_part(words: &[u32], insts: &[std::ops::Range<usize>], rng: &mut Rng) -> Vec<u32> {
    insts.get(rng.below(insts.len())).and_then(|r| words.get(r.clone())).unwrap_or_default().to_vec()
}

fn set(words: &mut [u32], at: usize, new: impl FnOnce(u32, &mut Rng) -> u32, rng: &mut Rng) {
    if let Some(word) = words.get_mut(at) {
        *word = new(*word, rng);
    }
}

fn insert(words: &mut Vec<u32>, at: usize, part: &[u32]) {
    let at = at.min(words.len());
    words.splice(at..at, part.iter().copied());
}
