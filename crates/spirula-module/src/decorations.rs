//! Decorations by target (§3.3.3).

use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_grammar::{Decoration, Op};

use crate::ids::{IdTable, zeros};

/// `member` of an entry that decorates its target as a whole. Sorts behind all members.
const WHOLE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Word offset of the instruction that decorates.
    at: u32,
    member: u32,
}

/// Entries by target, in compressed rows: those of the target numbered `t` are `rows[starts[t - 1]..starts[t]]`, by
/// member, then in order of appearance.
#[derive(Clone, Debug, Default)]
pub(crate) struct DecorationTable {
    /// By slot: the number of the target, from 1 on in order of appearance; 0 where nothing decorates it.
    targets: Vec<u32>,
    starts: Vec<u32>,
    rows: Vec<Entry>,
    /// Decorations that occur, by value modulo 64: most are known from it not to.
    kinds: u64,
}

/// Calls `f` for every target of an annotation instruction.
fn for_each_target(inst: Inst<'_>, mut f: impl FnMut(Id, u32)) {
    match inst.op() {
        Op::Decorate | Op::DecorateId | Op::DecorateString => f(inst.id(1), WHOLE),
        Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT => f(inst.id(1), inst.word(2)),
        Op::GroupDecorate => inst.tail(2).iter().for_each(|t| f(Id(*t), WHOLE)),
        Op::GroupMemberDecorate => inst.tail(2).as_chunks::<2>().0.iter().for_each(|[t, member]| f(Id(*t), *member)),
        _ => {}
    }
}

impl DecorationTable {
    /// Fills the table from the annotation instructions at these word offsets.
    pub(crate) fn fill(&mut self, module: &[u32], annotations: &[u32], ids: &IdTable) {
        self.rows.clear();
        self.starts.clear();
        self.kinds = 0;
        if annotations.is_empty() {
            self.targets.clear();
            return;
        }
        zeros(&mut self.targets, ids.slot_count(), 0);
        // The first is the start of the first row, in the end.
        self.starts.push(0);
        let insts = || annotations.iter().filter_map(|at| Inst::at(module, *at));
        let mut total = 0u32;
        for inst in insts() {
            for_each_target(inst, |target, _| {
                if let Some(number) = ids.slot(target).and_then(|s| self.targets.get_mut(s)) {
                    if *number == 0 {
                        *number = self.starts.len() as u32;
                        self.starts.push(0);
                    }
                    self.starts[*number as usize] += 1;
                    total += 1;
                }
            });
            if let Some(d) = plain(module, Entry { at: inst.offset(), member: WHOLE }) {
                self.kinds |= 1 << (d.decoration.0 % 64);
            }
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += core::mem::replace(start, sum);
        }
        self.rows.resize(total as usize, Entry { at: 0, member: WHOLE });
        // Each start moves up while its row fills, so that afterwards it is the end of the row.
        for inst in insts() {
            for_each_target(inst, |target, member| {
                if let Some(next) = self.number(ids.slot(target)).and_then(|t| self.starts.get_mut(t)) {
                    if let Some(row) = self.rows.get_mut(*next as usize) {
                        *row = Entry { at: inst.offset(), member };
                    }
                    *next += 1;
                }
            });
        }
        self.sort_rows();
    }

    fn sort_rows(&mut self) {
        for pair in self.starts.windows(2) {
            if let Some(row) = self.rows.get_mut(pair[0] as usize..pair[1] as usize)
                && !row.is_sorted_by_key(|e| e.member)
            {
                row.sort_unstable_by_key(|e| (e.member, e.at));
            }
        }
    }

    /// Whether the decoration may occur in the module.
    #[inline]
    pub(crate) fn may_have(&self, decoration: Decoration) -> bool {
        self.kinds >> (decoration.0 % 64) & 1 != 0
    }

    /// Number of the target; `None` where nothing decorates it.
    fn number(&self, slot: Option<usize>) -> Option<usize> {
        let number = self.targets.get(slot?).copied()? as usize;
        (number != 0).then_some(number)
    }

    fn row(&self, slot: Option<usize>) -> &[Entry] {
        let range = self.number(slot).and_then(|t| match self.starts.get(t - 1..) {
            Some(&[start, end, ..]) => Some(start as usize..end as usize),
            _ => None,
        });
        range.and_then(|r| self.rows.get(r)).unwrap_or(&[])
    }

    /// Word offsets of the annotation instructions, by target.
    pub(crate) fn by_target(&self) -> impl Iterator<Item = u32> + '_ {
        self.rows.iter().map(|e| e.at)
    }

    pub(crate) fn of<'m>(&'m self, module: &'m [u32], ids: &'m IdTable, target: Id) -> Decorations<'m> {
        let entries = self.row(ids.slot(target));
        Decorations { module, table: self, ids, entries, group: None }
    }

    pub(crate) fn of_member<'m>(
        &'m self,
        module: &'m [u32],
        ids: &'m IdTable,
        target: Id,
        member: u32,
    ) -> Decorations<'m> {
        let row = self.row(ids.slot(target));
        if row.first().is_some_and(|e| e.member == member) && row.last().is_some_and(|e| e.member == member) {
            // Nearly always, but for structures.
            return Decorations { module, table: self, ids, entries: row, group: None };
        }
        let start = row.partition_point(|e| e.member < member);
        let count = row[start..].partition_point(|e| e.member == member);
        Decorations { module, table: self, ids, entries: &row[start..start + count], group: None }
    }

    pub(crate) fn of_whole<'m>(&'m self, module: &'m [u32], ids: &'m IdTable, target: Id) -> Decorations<'m> {
        self.of_member(module, ids, target, WHOLE)
    }
}

/// One decoration of one target.
#[derive(Clone, Copy, Debug)]
pub struct Decorated<'m> {
    /// The decoration.
    pub decoration: Decoration,
    /// The structure member it is for; `None` where it is for the target as a whole.
    pub member: Option<u32>,
    /// Words behind the decoration: literals, ids, or a string.
    pub operands: &'m [u32],
    /// The instruction that names the decoration: `OpDecorate` and its kin.
    pub inst: Inst<'m>,
    /// The `OpGroupDecorate` or `OpGroupMemberDecorate` through which it reaches the target.
    pub group: Option<Inst<'m>>,
}

impl Decorated<'_> {
    /// First operand, or 0.
    #[inline]
    pub fn operand(&self) -> u32 {
        self.operands.first().copied().unwrap_or(0)
    }
}

/// Iterates over decorations of one target.
#[derive(Clone, Debug)]
pub struct Decorations<'m> {
    module: &'m [u32],
    table: &'m DecorationTable,
    ids: &'m IdTable,
    entries: &'m [Entry],
    /// The group being gone through: what applies it, for which member, what is left of it.
    group: Option<(Inst<'m>, u32, &'m [Entry])>,
}

impl<'m> Iterator for Decorations<'m> {
    type Item = Decorated<'m>;

    fn next(&mut self) -> Option<Decorated<'m>> {
        loop {
            if let Some((via, member, left)) = &mut self.group {
                let (via, member) = (*via, *member);
                match left.split_first() {
                    Some((first, rest)) => {
                        *left = rest;
                        // A group of groups is no group: only plain decorations count.
                        if let Some(d) = plain(self.module, *first) {
                            return Some(Decorated { member: member_of(member), group: Some(via), ..d });
                        }
                    }
                    None => self.group = None,
                }
                continue;
            }
            let (first, rest) = self.entries.split_first()?;
            self.entries = rest;
            if let Some(d) = plain(self.module, *first) {
                return Some(d);
            }
            if let Some(via) = Inst::at(self.module, first.at) {
                self.group = Some((via, first.member, self.table.row(self.ids.slot(via.id(1)))));
            }
        }
    }
}

fn member_of(member: u32) -> Option<u32> {
    (member != WHOLE).then_some(member)
}

fn plain(module: &[u32], entry: Entry) -> Option<Decorated<'_>> {
    let inst = Inst::at(module, entry.at)?;
    let at = match inst.op() {
        Op::Decorate | Op::DecorateId | Op::DecorateString => 2,
        Op::MemberDecorate | Op::MemberDecorateString | Op::MemberDecorateIdEXT => 3,
        _ => return None,
    };
    Some(Decorated {
        decoration: Decoration(inst.word(at)),
        member: member_of(entry.member),
        operands: inst.tail(at + 1),
        inst,
        group: None,
    })
}
