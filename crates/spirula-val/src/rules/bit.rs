//! Bit instructions (§3.3.14).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::Capability;

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};
use crate::signature::describe;

rules! {
    group "bit";
    /// Vulkan's bit-field instructions, `OpBitReverse` and `OpBitCount` take 32-bit integers only, unless the capability
    /// or feature of maintenance9 is there.
    WIDTH: "bit-field-width", vuid "VUID-RuntimeSpirv-None-10824";
    /// The components that bits are counted into are wide enough to hold the width of those counted.
    COUNT: "bit-count-width", spec "OpBitCount";
}

pub(crate) const TABLE: Table = rule_table! {
    BitFieldInsert | BitFieldSExtract | BitFieldUExtract | BitReverse => base_width;
    BitCount => bit_count;
};

fn bit_count(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (to, from) = (cx.result_key(inst)?.width(), cx.key_at(inst, 3)?.width());
    // Integers of 8 bits hold any width there is; narrower ones come with extensions.
    let fits = to >= 32 || from < 1 << to;
    cx.check_at(fits, &COUNT, inst, 1, || {
        format!("the Result Type's components have {to} bits, too few to hold the width {from} of those of Base")
    })?;
    base_width(cx, inst)
}

fn base_width(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    if !cx.env.is_vulkan() || cx.options.allow_vulkan_32_bit_bitwise || cx.has(Capability::Kernel) {
        return Ok(());
    }
    let key = cx.key_at(inst, 3)?;
    let m = cx.m;
    cx.check_at(key.width() == 32, &WIDTH, inst, 3, || {
        format!("Base has type {}, but its components must have 32 bits", describe(m, m.type_id_of(inst.id(3))))
    })
}
