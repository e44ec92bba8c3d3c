//! Debug instructions (§3.3.2).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::Op;
use spirula_module::Type;

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};

rules! {
    group "debug";
    /// `OpSourceContinued` follows the `OpSource` or `OpSourceContinued` whose text it continues.
    CONTINUED: "source-continued", spec "OpSourceContinued";
    /// `OpMemberName` names a member that the structure has.
    MEMBER: "member-name", spec "OpMemberName";
    /// The file of `OpSource` is an `OpString`.
    SOURCE: "source-file", spec "OpSource";
    /// The file of `OpLine` is an `OpString`.
    LINE: "line-file", spec "OpLine";
}

pub(crate) const TABLE: Table = rule_table! {
    SourceContinued => source_continued;
    MemberName => member_name;
    Line => line;
    Source => source;
};

fn source_continued<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let all = cx.m.inst_offsets();
    let at = all.partition_point(|o| *o < inst.offset());
    let before = at.checked_sub(1).and_then(|i| cx.m.inst_at(*all.get(i)?)).map(|i| i.op());
    let fine = matches!(before, Some(Op::Source | Op::SourceContinued));
    cx.check(fine, &CONTINUED, inst, || "OpSourceContinued does not follow OpSource or OpSourceContinued")
}

/// `OpMemberName`: a member of a structure type.
fn member_name<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, ty, n) = (cx.m, inst.id(1), inst.word(2));
    let Some(Type::Struct { members }) = m.ty(ty) else {
        let op = m.info(ty).op;
        return cx.fail_at(&MEMBER, inst, 1, || format!("{ty} is the result of {op}, not of OpTypeStruct"));
    };
    cx.check_at((n as usize) < members.len(), &MEMBER, inst, 2, || {
        format!("member {n}, but the structure {ty} has {} members", members.len())
    })
}

/// `OpLine`: in a file, which is a string.
fn line<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let op = cx.m.info(inst.id(1)).op;
    cx.check_at(op == Op::String, &LINE, inst, 1, || {
        format!("the file {} is the result of {op}, not of OpString", inst.id(1))
    })
}

/// `OpSource`: the file, if any, is a string.
fn source<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let op = cx.m.info(inst.id(3)).op;
    let fine = inst.words().len() <= 3 || op == Op::String;
    cx.check_at(fine, &SOURCE, inst, 3, || format!("the file {} is the result of {op}, not of OpString", inst.id(3)))
}
