//! Relational and logical instructions (§3.3.15) whose rules no signature states.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{AddressingModel, Capability, Version};
use spirula_module::{Scalar, Shape, Type};

use super::arithmetic::ENCODED;
use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "relational";
    /// `OpSelect` gives a scalar, vector or pointer; from SPIR-V 1.4 on any composite.
    SELECT_RESULT: "select-result-type", spec "OpSelect";
    /// `OpSelect`'s condition is a Boolean scalar, or a vector with as many components as the Result Type.
    SELECT_CONDITION: "select-condition", spec "OpSelect";
    /// Both objects of `OpSelect` have the Result Type.
    SELECT_OBJECT: "select-object", spec "OpSelect";
    /// Under the `Logical` addressing model, `OpSelect` on pointers needs a variable-pointers capability.
    SELECT_POINTER: "select-pointer", spec "§2.16.1";
}

pub(crate) const TABLE: Table = rule_table! {
    Select => select;
    FOrdEqual | FUnordEqual | FOrdNotEqual | FUnordNotEqual | FOrdLessThan | FUnordLessThan | FOrdGreaterThan
        | FUnordGreaterThan | FOrdLessThanEqual | FUnordLessThanEqual | FOrdGreaterThanEqual
        | FUnordGreaterThanEqual | LessOrGreater | Ordered | Unordered | IsNan | IsInf | IsFinite | IsNormal
        | SignBitSet => no_encoding;
};

fn no_encoding(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.key_at(inst, 3)?;
    let (m, op) = (cx.m, inst.op());
    cx.check_at(key.component_class() != Scalar::EncodedFloat, &ENCODED, inst, 3, || {
        format!("{op} cannot read {}, whose floats have an encoding", describe(m, m.type_id_of(inst.id(3))))
    })
}

pub(crate) fn select(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let key = cx.result_key(inst)?;
    let m = cx.m;
    let ty = inst.id(1);
    let ok = match key.shape() {
        Shape::Scalar | Shape::Vector | Shape::CooperativeVector => true,
        Shape::Pointer | Shape::UntypedPointer => {
            let variable = cx.has(Capability::VariablePointers)
                || cx.has(Capability::VariablePointersStorageBuffer)
                || cx.m.addressing_model() != AddressingModel::Logical;
            cx.check_at(
                variable,
                &SELECT_POINTER,
                inst,
                1,
                || "selecting pointers needs the capability VariablePointers or VariablePointersStorageBuffer",
            )?;
            true
        }
        Shape::Matrix | Shape::Array | Shape::Struct | Shape::CooperativeMatrix => cx.version >= Version::v1(4),
        Shape::Other => {
            matches!(m.ty(ty), Some(Type::Vector { .. }))
                || cx.has(Capability::BindlessTextureNV)
                    && matches!(m.ty(ty), Some(Type::Image(_) | Type::SampledImage { .. } | Type::Sampler))
        }
        _ => false,
    };
    cx.check_at(ok, &SELECT_RESULT, inst, 1, || {
        format!("OpSelect cannot give {} in SPIR-V {}", describe(m, ty), m.version())
    })?;
    let condition = cx.key_at(inst, 3)?;
    let fits = match condition.shape() {
        Shape::Scalar => key.shape() != Shape::Vector || cx.version >= Version::v1(4),
        Shape::Vector => key.shape() == Shape::Vector && key.count() == condition.count(),
        Shape::CooperativeVector => key.shape() == Shape::CooperativeVector,
        _ => false,
    };
    cx.check_at(fits && condition.component_class() == Scalar::Bool, &SELECT_CONDITION, inst, 3, || {
        let id = inst.id(3);
        msg(format!(
            "the condition {id} has type {}, which fits not to {}",
            describe(m, m.type_id_of(id)),
            describe(m, ty)
        ))
        .declared(m, id)
    })?;
    for word in [4, 5] {
        let object = cx.type_at(inst, word)?;
        cx.check_at(object == ty, &SELECT_OBJECT, inst, word, || {
            let id = inst.id(word);
            msg(format!("{id} has type {}, but must have the Result Type, {}", describe(m, object), describe(m, ty)))
                .declared(m, id)
        })?;
    }
    Ok(())
}
