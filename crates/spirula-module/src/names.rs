//! Debug names (§3.3.2), made on request.

use alloc::vec::Vec;

use spirula_binary::{Id, Inst, LitStr};
use spirula_grammar::Op;

use crate::{IdTable, Module, zeros};

/// `OpName` and `OpMemberName` by target.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// By slot: word offset of the last name of the target as a whole; 0 where it has none.
    own: Vec<u32>,
    /// Target and member, word offset; sorted.
    members: Vec<(u64, u32)>,
}

fn key(target: Id, member: u32) -> u64 {
    u64::from(target.0) << 32 | u64::from(member)
}

impl Names {
    /// Collects the names of a module.
    pub fn of(m: &Module<'_>) -> Names {
        let mut names = Names::default();
        names.clear(m.ids());
        m.global_insts().for_each(|i| names.add(m.ids(), i));
        names.sort();
        names
    }

    /// Forgets all names, for a module with these ids.
    pub fn clear(&mut self, ids: &IdTable) {
        zeros(&mut self.own, ids.slot_count(), 0);
        self.members.clear();
    }

    /// Takes an instruction that may be a name. [`sort`](Self::sort) ends the collection.
    #[inline]
    pub fn add(&mut self, ids: &IdTable, inst: Inst<'_>) {
        match inst.op() {
            Op::Name => {
                if let Some(own) = ids.slot(inst.id(1)).and_then(|s| self.own.get_mut(s)) {
                    *own = inst.offset();
                }
            }
            Op::MemberName => self.members.push((key(inst.id(1), inst.word(2)), inst.offset())),
            _ => {}
        }
    }

    /// Makes the names that were added ready to be looked up.
    pub fn sort(&mut self) {
        self.members.sort_unstable();
    }

    /// The last name that the module gives to `id`.
    pub fn get<'w>(&self, module: &'w [u32], ids: &IdTable, id: Id) -> Option<LitStr<'w>> {
        let at = ids.slot(id).and_then(|s| self.own.get(s)).copied().filter(|at| *at != 0)?;
        LitStr::read(Inst::at(module, at)?.tail(2))
    }

    /// The last name that the module gives to a member of a structure type.
    pub fn member<'w>(&self, module: &'w [u32], ty: Id, member: u32) -> Option<LitStr<'w>> {
        let wanted = key(ty, member);
        let end = self.members.partition_point(|r| r.0 <= wanted);
        let row = self.members.get(end.checked_sub(1)?).filter(|r| r.0 == wanted)?;
        LitStr::read(Inst::at(module, row.1)?.tail(3))
    }
}
