//! One change to a module.

use spirula_bench::mutate::Rng;
use spirula_binary::{Frames, HEADER_WORDS, Inst, Operand, Operands};
use spirula_grammar::{Category, InstDesc, Op, OperandKind};
use spirula_module::{Index, Module};

/// Numbers that mean something somewhere.
static NUMBERS: &[u32] = &[0, 1, 2, 3, 4, 5, 8, 16, 32, 64];

/// How often another instruction is looked for, where one has nothing to change.
const TRIES: usize = 20;

/// A module with one thing changed, and what that is; `None` where nothing was found.
pub fn one(words: &[u32], rng: &mut Rng) -> Option<(String, Vec<u32>)> {
    let mut index = Index::new();
    let m = Module::new(words, &mut index);
    let insts: Vec<Inst<'_>> = Frames::of(words).flatten().collect();
    let change = rng.below(100);
    for _ in 0..TRIES {
        let at = rng.below(insts.len());
        let inst = *insts.get(at)?;
        let Some(desc) = inst.desc().filter(|d| !matches!(d.class, spirula_grammar::Class::Debug)) else { continue };
        let changed = match change {
            0..35 => id(m, inst, rng),
            35..55 => enumerant(m, inst, rng),
            55..67 => literal(m, inst, rng),
            67..77 => Some(replaced(words, inst, 1, &[])).filter(|_| !matches!(inst.op(), Op::Function | Op::Label)),
            77..82 => Some(replaced(words, inst, 0, inst.words())).filter(|_| desc.result_word() == 0),
            82..87 => insts.get(at + 1).map(|next| swapped(words, inst, *next)),
            87..90 => Some(version(words, rng)),
            _ => opcode(words, inst, desc, rng),
        };
        if let Some(changed) = changed.filter(|c| c != words) {
            let what = match change {
                0..35 => "another id",
                35..55 => "another enumerant",
                55..67 => "another number",
                67..77 => "left out",
                77..82 => "twice",
                82..87 => "behind the next instruction",
                87..90 => return Some(("another version".to_owned(), changed)),
                _ => "another opcode",
            };
            return Some((format!("{}: {what}", inst.op()), changed));
        }
    }
    None
}

fn operands<'m>(m: Module<'m>, inst: Inst<'m>, wanted: impl Fn(&Operand<'m>) -> bool) -> Vec<Operand<'m>> {
    Operands::new(inst, &m).map_while(Result::ok).filter(|o| wanted(o)).collect()
}

fn pick<'a, T>(all: &'a [T], rng: &mut Rng) -> Option<&'a T> {
    all.get(rng.below(all.len()))
}

fn with(m: Module<'_>, inst: Inst<'_>, at: u32, new: u32) -> Vec<u32> {
    let mut words = m.words().to_vec();
    if let Some(word) = words.get_mut((inst.offset() + at) as usize) {
        *word = new;
    }
    words
}

/// Another id in the place of one: mostly of its own kind, a type for a type and a constant for a constant.
fn id(m: Module<'_>, inst: Inst<'_>, rng: &mut Rng) -> Option<Vec<u32>> {
    let of = operands(m, inst, |o| o.kind.category() == Category::Id && o.kind != OperandKind::IdResult);
    let operand = pick(&of, rng)?;
    let old = m.info(operand.id()?);
    let alike = rng.below(10) != 0;
    let ids: Vec<u32> = Frames::of(m.words())
        .flatten()
        .filter_map(|i| i.result())
        .filter(|id| {
            let new = m.info(*id);
            !alike
                || (new.is_type(), new.is_constant(), new.ty.0 == 0)
                    == (old.is_type(), old.is_constant(), old.ty.0 == 0)
        })
        .map(|id| id.0)
        .collect();
    Some(with(m, inst, operand.at, *pick(&ids, rng)?))
}

/// Another enumerant with as many operands, or one bit of a mask more or less.
fn enumerant(m: Module<'_>, inst: Inst<'_>, rng: &mut Rng) -> Option<Vec<u32>> {
    let of = operands(m, inst, |o| matches!(o.kind.category(), Category::ValueEnum | Category::BitEnum));
    let operand = pick(&of, rng)?;
    let new = pick(operand.kind.enumerants(), rng)?;
    if operand.kind.category() == Category::BitEnum {
        return new.parameters().is_empty().then(|| with(m, inst, operand.at, operand.word() ^ new.value));
    }
    let old = operand.kind.enumerant(operand.word())?;
    (old.parameters().len() == new.parameters().len()).then(|| with(m, inst, operand.at, new.value))
}

fn literal(m: Module<'_>, inst: Inst<'_>, rng: &mut Rng) -> Option<Vec<u32>> {
    let of = operands(m, inst, |o| o.kind.category() == Category::Literal && o.kind != OperandKind::LiteralString);
    let operand = pick(&of, rng)?;
    let old = operand.word();
    let near = [old.wrapping_add(1), old.saturating_sub(1), old.wrapping_mul(2)];
    let new = if rng.below(4) == 0 { pick(&near, rng)? } else { pick(NUMBERS, rng)? };
    Some(with(m, inst, operand.at, *new))
}

/// The words with `drop` instructions from `inst` on left out, and `new` in their place.
fn replaced(words: &[u32], inst: Inst<'_>, drop: usize, new: &[u32]) -> Vec<u32> {
    let start = inst.offset() as usize;
    let (before, after) = words.split_at(start);
    [before, new, after.get(drop * inst.words().len()..).unwrap_or(&[])].concat()
}

fn swapped(words: &[u32], inst: Inst<'_>, next: Inst<'_>) -> Vec<u32> {
    let (start, end) = (inst.offset() as usize, next.offset() as usize + next.words().len());
    let (before, rest) = words.split_at(start);
    [before, next.words(), inst.words(), rest.get(end - start..).unwrap_or(&[])].concat()
}

fn version(words: &[u32], rng: &mut Rng) -> Vec<u32> {
    let mut words = words.to_vec();
    if let Some(version) = words.get_mut(..HEADER_WORDS).and_then(|h| h.get_mut(1)) {
        *version = 0x1_0000 | (rng.below(7) as u32) << 8;
    }
    words
}

/// Another instruction with operands of the same kinds.
fn opcode(words: &[u32], inst: Inst<'_>, desc: &InstDesc, rng: &mut Rng) -> Option<Vec<u32>> {
    let shape = |d: &InstDesc| d.operands().iter().map(|o| (o.kind, o.quantifier)).collect::<Vec<_>>();
    let own = shape(desc);
    let others: Vec<u16> = Op::all().iter().filter(|d| d.op != desc.op && shape(d) == own).map(|d| d.op.0).collect();
    let mut words = words.to_vec();
    let first = words.get_mut(inst.offset() as usize)?;
    *first = *first & 0xffff_0000 | u32::from(*pick(&others, rng)?);
    Some(words)
}
