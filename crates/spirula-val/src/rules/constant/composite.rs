//! Constants made of constants.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Op};
use spirula_module::Type;

use crate::cx::{Cx, msg};

rules! {
    group "constants";
    /// A composite constant has a composite type.
    RESULT: "constant-composite-result", spec "OpConstantComposite";
    /// The constituents of a composite constant are constants, or undefined values.
    CONSTANTS: "constant-composite-constituents", spec "OpConstantComposite";
    /// A constant that cannot be specialised is not made of specialisation constants; OpSpecConstantComposite can.
    NO_SPEC: "constant-composite-spec", spec "OpConstantComposite";
    /// There is one constituent for each component, column, element or member.
    COUNT: "constant-composite-count", spec "OpConstantComposite";
    /// Each constituent has the type of the part that it gives.
    TYPE: "constant-composite-type", spec "OpConstantComposite";
}

/// What the parts of a composite are.
enum Parts<'w> {
    /// All of one type; how many, where that is known.
    Same(Id, Option<u32>),
    Members(&'w [u32]),
}

fn parts_of<'a>(cx: &Cx<'a>, ty: Id) -> Option<Parts<'a>> {
    Some(match cx.m.ty(ty)? {
        Type::Vector { component, count } => Parts::Same(component, Some(count)),
        Type::VectorId { component, count } => Parts::Same(component, cx.m.fixed_u32(count)),
        Type::Matrix { column, count } => Parts::Same(column, Some(count)),
        Type::Array { element, length } => Parts::Same(element, cx.m.fixed_u32(length)),
        Type::CooperativeMatrix { component, .. } => Parts::Same(component, Some(1)),
        Type::Struct { members } => Parts::Members(members),
        Type::Other(inst) if inst.op() == Op::TypeCooperativeMatrixNV => Parts::Same(inst.id(2), Some(1)),
        // A tensor constant of a graph has no constituents with a rule here.
        _ => return None,
    })
}

fn result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked<Option<Parts<'a>>> {
    let ty = inst.id(1);
    cx.key(ty)?;
    if cx.m.info(ty).op == Op::TypeTensorARM {
        crate::rules::tensor::constituents(cx, inst)?;
        return Ok(None);
    }
    let parts = parts_of(cx, ty);
    let m = cx.m;
    cx.check_at(parts.is_some(), &RESULT, inst, 1, || {
        msg(format!("the Result Type {ty} is not a composite type")).declared(m, ty)
    })?;
    Ok(parts)
}

/// The constituent at `word` is a constant.
fn constant<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let id = inst.id(word);
    cx.def(id)?;
    let (m, info) = (cx.m, cx.m.info(id));
    let undefined = matches!(info.op, Op::Undef | Op::PoisonKHR);
    cx.check_at(info.is_constant() || undefined, &CONSTANTS, inst, word, || {
        msg(format!("constituent {id} is the result of {}, not a constant", info.op)).declared(m, id)
    })?;
    let spec = matches!(inst.op(), Op::SpecConstantComposite | Op::SpecConstantCompositeReplicateEXT);
    cx.check_at(spec || !info.is_spec_constant(), &NO_SPEC, inst, word, || {
        msg(format!("constituent {id} is a specialisation constant")).declared(m, id)
    })
}

fn typed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, wanted: Id, n: usize) -> Checked {
    let id = inst.id(word);
    let m = cx.m;
    let ty = cx.type_at(inst, word)?;
    cx.check_at(ty == wanted, &TYPE, inst, word, || {
        msg(format!("constituent {n}, {id}, has type {ty}, but this part of {} has type {wanted}", inst.id(1)))
            .declared(m, id)
    })
}

pub(super) fn composite<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let parts = result(cx, inst)?;
    let constituents = inst.tail(3).len();
    let mut judged = Ok(());
    for word in 3..inst.words().len() {
        let one = constant(cx, inst, word);
        judged = judged.and(one);
    }
    judged?;
    let Some(parts) = parts else { return Ok(()) };
    let count = match parts {
        Parts::Same(_, count) => count.map(|n| n as usize),
        Parts::Members(members) => Some(members.len()),
    };
    // With that capability, OpConstantCompositeContinuedINTEL may bring the rest.
    let continued = cx.has(Capability::LongCompositesINTEL);
    if let Some(count) = count {
        cx.check(constituents == count || (continued && constituents < count), &COUNT, inst, || {
            format!("{constituents} constituents, but {} has {count} parts", inst.id(1))
        })?;
    }
    for n in 0..constituents {
        let wanted = match parts {
            Parts::Same(ty, _) => ty,
            Parts::Members(members) => Id(members.get(n).copied().unwrap_or(0)),
        };
        typed(cx, inst, n + 3, wanted, n)?;
    }
    Ok(())
}

pub(super) fn replicate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let parts = result(cx, inst)?;
    constant(cx, inst, 3)?;
    match parts {
        Some(Parts::Same(ty, _)) => typed(cx, inst, 3, ty, 0),
        Some(Parts::Members(members)) => {
            for ty in members {
                typed(cx, inst, 3, Id(*ty), 0)?;
            }
            Ok(())
        }
        None => Ok(()),
    }
}
