//! Debug names (§3.3.2), made on request.

use alloc::vec::Vec;

use spirula_binary::{Frames, Id, Inst, LitStr};
use spirula_grammar::Op;

/// `OpName` and `OpMemberName` by target.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Target and what of it ([`key`]), word offset; sorted.
    rows: Vec<(u64, u32)>,
}

/// `member` of a name of the target as a whole.
const WHOLE: u32 = u32::MAX;

/// The target, with its own name first and then those of its members, as modules have them.
fn key(target: u32, member: u32) -> u64 {
    u64::from(target) << 32 | u64::from(member.wrapping_add(1))
}

impl Names {
    /// Collects the names of a module.
    pub fn of(module: &[u32]) -> Names {
        let mut names = Names::default();
        let insts = Frames::of(module).map_while(Result::ok).take_while(|i| i.op() != Op::Function);
        insts.for_each(|i| names.add(i));
        names.sort();
        names
    }

    /// Forgets all names.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// Takes an instruction that may be a name. [`sort`](Self::sort) ends the collection.
    #[inline]
    pub fn add(&mut self, inst: Inst<'_>) {
        match inst.op() {
            Op::Name => self.rows.push((key(inst.word(1), WHOLE), inst.offset())),
            Op::MemberName => self.rows.push((key(inst.word(1), inst.word(2)), inst.offset())),
            _ => {}
        }
    }

    /// Makes the names that were added ready to be looked up.
    pub fn sort(&mut self) {
        self.rows.sort_unstable();
    }

    /// The last name that the module gives to `id`.
    pub fn get<'w>(&self, module: &'w [u32], id: Id) -> Option<LitStr<'w>> {
        self.find(module, id.0, WHOLE)
    }

    /// The last name that the module gives to a member of a structure type.
    pub fn member<'w>(&self, module: &'w [u32], ty: Id, member: u32) -> Option<LitStr<'w>> {
        if member == WHOLE { None } else { self.find(module, ty.0, member) }
    }

    fn find<'w>(&self, module: &'w [u32], id: u32, member: u32) -> Option<LitStr<'w>> {
        let wanted = key(id, member);
        let end = self.rows.partition_point(|r| r.0 <= wanted);
        let row = self.rows.get(end.checked_sub(1)?).filter(|r| r.0 == wanted)?;
        let inst = Inst::at(module, row.1)?;
        LitStr::read(inst.tail(if inst.op() == Op::Name { 2 } else { 3 }))
    }
}
