//! Debug instructions (§3.3.2).

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::Op;

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};

rules! {
    group "debug";
    /// `OpSourceContinued` follows the `OpSource` or `OpSourceContinued` whose text it continues.
    CONTINUED: "source-continued", spec "OpSourceContinued";
}

pub(crate) const TABLE: Table = rule_table! {
    SourceContinued => source_continued;
};

fn source_continued<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let all = cx.m.inst_offsets();
    let at = all.partition_point(|o| *o < inst.offset());
    let before = at.checked_sub(1).and_then(|i| cx.m.inst_at(*all.get(i)?)).map(|i| i.op());
    let fine = matches!(before, Some(Op::Source | Op::SourceContinued));
    cx.check(fine, &CONTINUED, inst, || "OpSourceContinued does not follow OpSource or OpSourceContinued")
}
