//! Debug names (§3.3.2), made on request.

use alloc::vec::Vec;

use spirula_binary::{Frames, Id, Inst, LitStr};
use spirula_grammar::Op;

/// `OpName` and `OpMemberName` by target.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Target, member (`u32::MAX` for the target as a whole), word offset; sorted.
    rows: Vec<(u32, u32, u32)>,
}

impl Names {
    /// Collects the names of a module.
    pub fn of(module: &[u32]) -> Names {
        let mut rows = Vec::new();
        for inst in Frames::of(module).map_while(Result::ok) {
            match inst.op() {
                Op::Name => rows.push((inst.word(1), u32::MAX, inst.offset())),
                Op::MemberName => rows.push((inst.word(1), inst.word(2), inst.offset())),
                Op::Function => break,
                _ => {}
            }
        }
        rows.sort_unstable();
        Names { rows }
    }

    /// The last name that the module gives to `id`.
    pub fn get<'w>(&self, module: &'w [u32], id: Id) -> Option<LitStr<'w>> {
        self.find(module, id.0, u32::MAX)
    }

    /// The last name that the module gives to a member of a structure type.
    pub fn member<'w>(&self, module: &'w [u32], ty: Id, member: u32) -> Option<LitStr<'w>> {
        if member == u32::MAX { None } else { self.find(module, ty.0, member) }
    }

    fn find<'w>(&self, module: &'w [u32], id: u32, member: u32) -> Option<LitStr<'w>> {
        let end = self.rows.partition_point(|r| (r.0, r.1) <= (id, member));
        let row = self.rows.get(end.checked_sub(1)?).filter(|r| (r.0, r.1) == (id, member))?;
        let inst = Inst::at(module, row.2)?;
        LitStr::read(inst.tail(if inst.op() == Op::Name { 2 } else { 3 }))
    }
}
