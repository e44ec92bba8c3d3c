//! Extension instructions (§3.3.4).

use alloc::format;

use spirula_binary::{Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::Version;

use super::ext_inst;
use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};

rules! {
    group "extensions";
    /// Some extensions build upon a later version of SPIR-V than the module's.
    VERSION: "extension-version", extension "SPV_KHR_workgroup_memory_explicit_layout";
    /// `OpExtInstWithForwardRefsKHR` has at least one operand that is defined later; without any, `OpExtInst` does.
    FORWARD: "ext-inst-forward", extension "SPV_KHR_relaxed_extended_instruction";
}

pub(crate) const TABLE: Table = rule_table! {
    Extension => extension;
    ExtInstImport => ext_inst::import;
    ExtInst => ext_inst::instruction;
    ExtInstWithForwardRefsKHR => with_forward_references;
};

fn extension<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let version = cx.version;
    if version >= Version::v1(4) {
        return Ok(());
    }
    let explicit = b"SPV_KHR_workgroup_memory_explicit_layout";
    let wrong = LitStr::read(inst.tail(1)).is_some_and(|s| s.eq_bytes(explicit));
    cx.check_at(!wrong, &VERSION, inst, 1, || {
        msg(format!("the extension needs SPIR-V 1.4, but the module is SPIR-V {version}"))
    })
}

fn with_forward_references<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let later = inst.tail(5).iter().any(|w| cx.m.info((*w).into()).def > inst.offset());
    cx.check(later, &FORWARD, inst, || msg("no operand is defined later").help("use OpExtInst"))?;
    ext_inst::instruction(cx, inst)
}
