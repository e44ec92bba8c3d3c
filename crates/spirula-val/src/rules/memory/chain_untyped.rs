//! Access chains with untyped pointers (SPV_KHR_untyped_pointers).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Decoration, Op};
use spirula_module::Shape;

use super::{chain, describe, load_store, pointer_at};
use crate::cx::{Cx, msg};
use crate::facts::without_arrays;

rules! {
    group "memory";
    /// An untyped access chain gives an untyped pointer.
    RESULT: "untyped-access-chain-result", extension "SPV_KHR_untyped_pointers";
    /// The Base Type is a type of data; only where it is stepped over, by OpUntypedPtrAccessChainKHR, may that be pointers.
    BASE_TYPE: "untyped-access-chain-base-type", extension "SPV_KHR_untyped_pointers";
    /// An array of blocks is an array of descriptors: it can be stepped into only as what the variable declares.
    BLOCK_ARRAY: "untyped-access-chain-block-array", extension "SPV_KHR_untyped_pointers";
}

pub(super) fn access_chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    cx.key(result)?;
    let Some((class, _)) = m.pointer(result).filter(|p| p.1 == Id(0)) else {
        return cx.fail_at(&RESULT, inst, 1, || {
            format!("the Result Type {} is not OpTypeUntypedPointerKHR", describe(m, result))
        });
    };
    let base_type = inst.id(3);
    cx.def(base_type)?;
    let by_element = matches!(inst.op(), Op::UntypedPtrAccessChainKHR | Op::UntypedInBoundsPtrAccessChainKHR);
    let ok = m.info(base_type).is_type()
        && (by_element || !m.key(base_type).is_pointer())
        && !matches!(m.key(base_type).shape(), Shape::Void | Shape::Function);
    cx.check_at(ok, &BASE_TYPE, inst, 3, || {
        msg(format!("the Base Type {base_type} is not a type of data, or is a pointer type")).declared(m, base_type)
    })?;
    let base = pointer_at(cx, inst, 4, &chain::BASE)?;
    cx.check_at(class == base.class, &chain::CLASS, inst, 1, || {
        format!("the Result Type points to {class}, but the Base {} to {}", inst.id(4), base.class)
    })?;
    block_array(cx, inst, base_type)?;
    if by_element {
        chain::element(cx, inst, 5, base, base_type)?;
    }
    chain::walk(cx, inst, if by_element { 6 } else { 5 }, base_type, result)?;
    Ok(())
}

/// Whether the type is an array of blocks.
fn is_block_array(cx: &Cx<'_>, ty: Id) -> bool {
    let m = cx.m;
    if !matches!(m.key(ty).shape(), Shape::Array | Shape::RuntimeArray) {
        return false;
    }
    let (inner, _) = without_arrays(m, ty);
    m.is_decorated(inner, Decoration::Block) || m.is_decorated(inner, Decoration::BufferBlock)
}

fn block_array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, base_type: Id) -> Checked {
    let m = cx.m;
    let base = m.def(inst.id(4));
    let variable = base.filter(|i| matches!(i.op(), Op::Variable | Op::UntypedVariableKHR));
    let data = variable.map_or(Id(0), |v| data_type(cx, v));
    let declares = is_block_array(cx, data);
    let asks = is_block_array(cx, base_type);
    cx.check_at(!(declares || asks) || data == base_type, &BLOCK_ARRAY, inst, 3, || {
        let root = load_store::root_variable(m, inst.id(4)).and_then(|v| v.result()).unwrap_or_default();
        msg(format!(
            "the Base Type is {}, but the data of {} is {}",
            describe(m, base_type),
            inst.id(4),
            describe(m, data)
        ))
        .declared(m, root)
    })
}

/// The type of a variable's object; `%0` where an untyped variable names none.
pub(super) fn data_type(cx: &Cx<'_>, variable: Inst<'_>) -> Id {
    match variable.op() {
        Op::Variable => cx.m.pointer(variable.id(1)).map_or(Id(0), |p| p.1),
        _ => variable.id(4),
    }
}
