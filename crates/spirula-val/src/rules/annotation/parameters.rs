//! Attributes of functions' parameters and results (§3.2.18).

use alloc::format;

use spirula_diag::{Checked, rules};
use spirula_grammar::{Decoration, FunctionParameterAttribute as Attribute, Op};

use super::Applied;
use crate::cx::{Cx, msg};
use crate::facts::Parts;
use crate::signature::describe;

rules! {
    group "decorations";
    /// An attribute of a parameter, or of what a function returns, is given once. Off by default, since
    /// translators of kernels repeat them.
    TWICE: "parameter-attribute-twice", allow spec "§3.2.18";
    /// A value is extended with zeros or with its sign, not both: Zext and Sext exclude each other.
    EXTENDED: "parameter-attribute-extension", spec "§3.2.18";
    /// ByVal, NoAlias, NoCapture, NoWrite and NoReadWrite are about the memory that a parameter points to: they decorate
    /// parameters of pointer type, never the function itself. Images and other opaque types pass: to compilers of kernels
    /// they are pointers.
    POINTER: "parameter-attribute-pointer", spec "§3.2.18";
    /// Sret marks the function's first parameter, a pointer: the address of what the source program's function returns.
    SRET: "parameter-attribute-sret", spec "§3.2.18";
}

/// One `FuncParamAttr` of one target.
pub(super) fn attribute<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let attribute = Attribute(a.operands.first().copied().unwrap_or(0));
    let excluded = match attribute {
        Attribute::Zext => Some(Attribute::Sext),
        Attribute::Sext => Some(Attribute::Zext),
        _ => None,
    };
    let all = m.own_decorations(a.target).filter(|d| d.decoration == Decoration::FuncParamAttr);
    // What a group brings comes to the target where the group is applied.
    let before = all.filter(|d| d.group.unwrap_or(d.inst).offset() < a.inst.offset());
    let (mut twice, mut both) = (false, false);
    for other in before.map(|d| Attribute(d.operand())) {
        twice |= other == attribute;
        both |= Some(other) == excluded;
    }
    cx.check_at(!twice, &TWICE, a.inst, a.word, || {
        msg(format!("{} has the attribute {attribute} already", a.target)).declared(m, a.target)
    })?;
    cx.check_at(!both, &EXTENDED, a.inst, a.word, || {
        msg(format!("{} has both attributes, Zext and Sext", a.target)).declared(m, a.target)
    })?;
    match attribute {
        Attribute::ByVal | Attribute::NoAlias | Attribute::NoCapture | Attribute::NoWrite | Attribute::NoReadWrite => {
            pointer(cx, a, attribute)
        }
        Attribute::Sret => sret(cx, a),
        _ => Ok(()),
    }
}

fn pointer<'a>(cx: &mut Cx<'a>, a: Applied<'a>, attribute: Attribute) -> Checked {
    let (m, info) = (cx.m, cx.m.info(a.target));
    let whole = info.op == Op::Function;
    cx.check_at(!whole, &POINTER, a.inst, a.word, || {
        msg(format!("{} is a function, but {attribute} is for parameters", a.target)).declared(m, a.target)
    })?;
    let opaque = cx.parts(info.ty).any(Parts::OPAQUE.or(Parts::NO_NULL));
    let ok = info.op != Op::FunctionParameter || m.key(info.ty).is_pointer() || opaque;
    cx.check_at(ok, &POINTER, a.inst, a.word, || {
        let ty = describe(m, info.ty);
        msg(format!("{} has type {ty}, but {attribute} is for parameters of pointer type", a.target))
            .declared(m, a.target)
    })
}

fn sret<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let (m, info) = (cx.m, cx.m.info(a.target));
    let parameter = info.op == Op::FunctionParameter;
    let ok = parameter && m.key(info.ty).is_pointer();
    cx.check_at(ok, &SRET, a.inst, a.word, || {
        msg(format!("{} is no parameter of pointer type", a.target)).declared(m, a.target)
    })?;
    let function = m.functions().iter().find(|f| f.contains(info.def));
    let first = function.and_then(|f| m.insts(f.start..f.end).find(|i| i.op() == Op::FunctionParameter));
    cx.check_at(first.is_none_or(|i| i.result() == Some(a.target)), &SRET, a.inst, a.word, || {
        msg(format!("{} is not the first parameter of its function", a.target)).declared(m, a.target)
    })
}
