//! Annotation instructions (§3.3.3).

mod blocks;
mod hlsl;
mod numeric;
mod parameters;
mod qualifiers;
mod targets;

use alloc::format;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Decoration, Op, OperandKind};
use spirula_module::Type;

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};

pub(crate) use blocks::{RULES as BLOCK_RULES, module as block_module};
pub(crate) use hlsl::RULES as HLSL_RULES;
pub(crate) use numeric::{RULES as NUMERIC_RULES, module as numeric_module};
pub(crate) use parameters::RULES as PARAMETER_RULES;
pub(crate) use qualifiers::{RULES as QUALIFIER_RULES, module as qualifier_module};
pub(crate) use targets::RULES as TARGET_RULES;

rules! {
    group "decorations";
    /// Members are decorated on structure types.
    STRUCTURE: "decorate-structure", spec "OpMemberDecorate";
    /// The decorated member exists.
    MEMBER: "decorate-member", spec "OpMemberDecorate";
    /// Decorations whose operands are ids are applied with OpDecorateId or OpMemberDecorateIdEXT, and only those.
    ID_OPERANDS: "decorate-id-operands", spec "OpDecorateId";
    /// Decorations whose operands are strings are applied with OpDecorateString or OpMemberDecorateString, and only
    /// those.
    STRING_OPERANDS: "decorate-string-operands", spec "OpDecorateString";
    /// The ids that a decoration takes are constants or variables.
    ID_CONSTANT: "decorate-id-constant", spec "OpDecorateId";
    /// The only decoration of members that takes an id is OffsetIdEXT.
    MEMBER_ID: "decorate-member-id", extension "SPV_EXT_descriptor_heap";
    /// Ids that OpMemberDecorateIdEXT takes are declared before the structure.
    MEMBER_ID_ORDER: "decorate-member-id-order", extension "SPV_EXT_descriptor_heap";
    /// What is applied to targets is a decoration group.
    GROUP: "decorate-group", spec "OpGroupDecorate";
    /// Decoration groups are no targets of other groups, nor of decorations that take ids or strings.
    GROUP_TARGET: "decorate-group-target", spec "OpDecorationGroup";
    /// What a group collects stands before it: a decoration behind the OpDecorationGroup is none of it.
    GROUP_ORDER: "decorate-group-order", warn spec "OpDecorationGroup";
    /// Each target is named once.
    GROUP_TWICE: "decorate-group-twice", spec "OpGroupDecorate";
}

pub(crate) const TABLE: Table = rule_table! {
    Decorate => decorate;
    DecorateId => decorate_id;
    DecorateString => decorate_string;
    MemberDecorate => member_decorate;
    MemberDecorateString => member_decorate_string;
    MemberDecorateIdEXT => member_decorate_id;
    GroupDecorate => group_decorate;
    GroupMemberDecorate => group_member_decorate;
};

/// One decoration as it reaches one target.
#[derive(Clone, Copy)]
pub(crate) struct Applied<'a> {
    /// The instruction that applies it: where mistakes are reported.
    pub(crate) inst: Inst<'a>,
    /// The word of that instruction that names the target.
    pub(crate) word: usize,
    /// The target.
    pub(crate) target: Id,
    /// The decoration.
    pub(crate) decoration: Decoration,
    /// Its operands.
    pub(crate) operands: &'a [u32],
}

/// What operands a decoration takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Takes {
    Ids,
    Strings,
    Others,
}

fn takes(decoration: Decoration) -> Takes {
    let Some(e) = OperandKind::Decoration.enumerant(decoration.0) else { return Takes::Others };
    match e.parameters() {
        [first, ..] if first.kind.is_id() => Takes::Ids,
        // A string together with something else is no string decoration.
        list if !list.is_empty() && list.iter().all(|o| o.kind == OperandKind::LiteralString) => Takes::Strings,
        _ => Takes::Others,
    }
}

/// AlignmentId and MaxByteOffsetId came before OpDecorateId, and are found with OpDecorate in many kernels.
fn came_before_ids(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::AlignmentId | Decoration::MaxByteOffsetId | Decoration::ConditionalINTEL)
}

fn is_group(cx: &Cx<'_>, id: Id) -> bool {
    cx.m.info(id).op == Op::DecorationGroup
}

fn decorate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let decoration = Decoration(inst.word(2));
    let kind = takes(decoration);
    cx.check_at(kind != Takes::Ids || came_before_ids(decoration), &ID_OPERANDS, inst, 2, || {
        msg(format!("{decoration} takes an id")).help("use OpDecorateId")
    })?;
    // Translators of kernels apply string decorations like any other.
    let kernel = !cx.has(Capability::Shader);
    cx.check_at(kind != Takes::Strings || kernel || !is_founding(decoration), &STRING_OPERANDS, inst, 2, || {
        msg(format!("{decoration} takes a string")).help("use OpDecorateString")
    })?;
    if is_group(cx, inst.id(1)) {
        let (m, id) = (cx.m, inst.id(1));
        cx.check_at(m.info(id).def > inst.offset(), &GROUP_ORDER, inst, 1, || {
            msg(format!("the group {id} is declared before this decoration of it")).declared(m, id)
        })?;
        return if cx.env.is_vulkan() {
            crate::rules::vulkan::decorations::glsl(cx, inst, 2, decoration)
        } else {
            Ok(())
        };
    }
    let applied = Applied { inst, word: 1, target: inst.id(1), decoration, operands: inst.tail(3) };
    one(cx, applied)
}

/// The string decorations that no instruction but the string ones applies. Vendors apply theirs with OpDecorate.
fn is_founding(decoration: Decoration) -> bool {
    matches!(decoration, Decoration::UserSemantic | Decoration::UserTypeGOOGLE)
}

fn decorate_id<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let decoration = Decoration(inst.word(2));
    cx.check_at(takes(decoration) == Takes::Ids, &ID_OPERANDS, inst, 2, || {
        msg(format!("{decoration} takes no ids")).help("use OpDecorate")
    })?;
    let target = inst.id(1);
    cx.check_at(!is_group(cx, target), &GROUP_TARGET, inst, 1, || format!("{target} is a decoration group"))?;
    id_operands(cx, inst, 3, decoration)?;
    let applied = Applied { inst, word: 1, target, decoration, operands: inst.tail(3) };
    if decoration == Decoration::CounterBuffer { hlsl::counter(cx, applied) } else { one(cx, applied) }
}

fn id_operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, first: usize, decoration: Decoration) -> Checked {
    let core = matches!(
        decoration,
        Decoration::UniformId
            | Decoration::AlignmentId
            | Decoration::MaxByteOffsetId
            | Decoration::ArrayStrideIdEXT
            | Decoration::OffsetIdEXT
    );
    if !core {
        return Ok(());
    }
    let m = cx.m;
    for word in first..inst.words().len() {
        let id = inst.id(word);
        let info = m.info(id);
        let ok = info.is_constant() || matches!(info.op, Op::Variable | Op::UntypedVariableKHR);
        cx.check_at(ok, &ID_CONSTANT, inst, word, || {
            msg(format!("{id} is the result of {}, not a constant or variable", info.op)).declared(m, id)
        })?;
        if matches!(decoration, Decoration::ArrayStrideIdEXT | Decoration::OffsetIdEXT) {
            let key = m.key(info.ty);
            let wide = key.width() == 64 && cx.has(Capability::Shader64BitIndexingEXT);
            cx.check_at(key.is_int() && (key.width() == 32 || wide), &ID_CONSTANT, inst, word, || {
                msg(format!("{id} is not a 32-bit integer")).declared(m, id)
            })?;
        }
    }
    Ok(())
}

fn decorate_string<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (decoration, target) = (Decoration(inst.word(2)), inst.id(1));
    cx.check_at(!is_group(cx, target), &GROUP_TARGET, inst, 1, || format!("{target} is a decoration group"))?;
    strings(cx, inst, decoration)?;
    let applied = Applied { inst, word: 1, target, decoration, operands: inst.tail(3) };
    if decoration == Decoration::UserSemantic { hlsl::semantic(cx, applied) } else { one(cx, applied) }
}

fn strings<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, decoration: Decoration) -> Checked {
    let word = if inst.op() == Op::DecorateString { 2 } else { 3 };
    cx.check_at(takes(decoration) == Takes::Strings, &STRING_OPERANDS, inst, word, || {
        let help = if takes(decoration) == Takes::Ids { "use OpDecorateId" } else { "use OpDecorate" };
        msg(format!("{decoration} takes no strings")).help(help)
    })
}

/// The structure and member that an instruction decorates.
fn member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let ty = inst.id(word);
    let m = cx.m;
    let Some(Type::Struct { members }) = m.ty(ty) else {
        let op = m.info(ty).op;
        return cx.fail_at(&STRUCTURE, inst, word, || {
            msg(format!("{ty} is the result of {op}, not of OpTypeStruct")).declared(m, ty)
        });
    };
    let n = inst.word(word + 1);
    cx.check_at((n as usize) < members.len(), &MEMBER, inst, word + 1, || {
        msg(format!("member {n}, but the structure {ty} has {} members", members.len())).declared(m, ty)
    })
}

fn member_decorate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    member(cx, inst, 1)?;
    let decoration = Decoration(inst.word(3));
    let kind = takes(decoration);
    cx.check_at(kind != Takes::Strings || !is_founding(decoration), &STRING_OPERANDS, inst, 3, || {
        msg(format!("{decoration} takes a string")).help("use OpMemberDecorateString")
    })?;
    targets::of_member(cx, inst, 3, decoration)?;
    cx.check_at(kind != Takes::Ids, &ID_OPERANDS, inst, 3, || format!("{decoration} takes an id"))
}

fn member_decorate_string<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    member(cx, inst, 1)?;
    let decoration = Decoration(inst.word(3));
    strings(cx, inst, decoration)?;
    targets::of_member(cx, inst, 3, decoration)?;
    if decoration == Decoration::UserSemantic { hlsl::member_semantic(cx, inst) } else { Ok(()) }
}

fn member_decorate_id<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    member(cx, inst, 1)?;
    let decoration = Decoration(inst.word(3));
    let m = cx.m;
    cx.check_at(takes(decoration) == Takes::Ids, &ID_OPERANDS, inst, 3, || format!("{decoration} takes no ids"))?;
    cx.check_at(decoration == Decoration::OffsetIdEXT, &MEMBER_ID, inst, 3, || {
        format!("{decoration} cannot be applied to a member")
    })?;
    id_operands(cx, inst, 4, decoration)?;
    let structure = m.info(inst.id(1)).def;
    for word in 4..inst.words().len() {
        let id = inst.id(word);
        cx.check_at(m.info(id).def < structure, &MEMBER_ID_ORDER, inst, word, || {
            msg(format!("{id} is declared after the structure {}", inst.id(1))).declared(m, id)
        })?;
    }
    targets::offset_id(cx, inst)
}

/// Largest number of decorations times targets of a group that are gone through one by one.
const MANY: usize = 1 << 16;

fn group<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, id) = (cx.m, inst.id(1));
    let op = m.info(id).op;
    cx.check_at(op == Op::DecorationGroup, &GROUP, inst, 1, || {
        msg(format!("{id} is the result of {op}, not of OpDecorationGroup")).declared(m, id)
    })
}

fn group_decorate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    group(cx, inst)?;
    let m = cx.m;
    for word in 2..inst.words().len() {
        let target = inst.id(word);
        cx.check_at(!is_group(cx, target), &GROUP_TARGET, inst, word, || format!("{target} is a decoration group"))?;
    }
    twice(cx, inst)?;
    let count = m.own_decorations(inst.id(1)).count();
    if count.saturating_mul(inst.words().len()) > MANY {
        return Ok(());
    }
    for word in 2..inst.words().len() {
        for d in m.own_decorations(inst.id(1)) {
            let target = inst.id(word);
            one(cx, Applied { inst, word, target, decoration: d.decoration, operands: d.operands })?;
        }
    }
    Ok(())
}

/// No target of a group occurs twice.
fn twice<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let mut targets = cx.collect(inst.tail(2).iter().copied());
    targets.sort_unstable();
    let again = targets.windows(2).find(|w| w[0] == w[1]).map(|w| Id(w[0]));
    cx.check(again.is_none(), &GROUP_TWICE, inst, || {
        format!("the target {} occurs more than once", again.unwrap_or_default())
    })
}

fn group_member_decorate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    group(cx, inst)?;
    let m = cx.m;
    for word in (2..inst.words().len()).step_by(2) {
        member(cx, inst, word)?;
    }
    let count = m.own_decorations(inst.id(1)).count();
    if count.saturating_mul(inst.words().len()) > MANY {
        return Ok(());
    }
    for d in m.own_decorations(inst.id(1)) {
        targets::of_member(cx, inst, 1, d.decoration)?;
    }
    Ok(())
}

/// Judges one decoration of one target.
fn one<'a>(cx: &mut Cx<'a>, applied: Applied<'a>) -> Checked {
    targets::of_whole(cx, applied)?;
    if applied.decoration == Decoration::FuncParamAttr {
        return parameters::attribute(cx, applied);
    }
    qualifiers::qualifier(cx, applied)?;
    numeric::decoration(cx, applied)
}

/// The string of a string decoration, at `word`.
fn string<'a>(inst: Inst<'a>, word: usize) -> Option<LitStr<'a>> {
    LitStr::read(inst.tail(word))
}
