//! No two declarations of the same type (§2.8).

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Site, rules};
use spirula_grammar::Op;

use crate::cx::{Cx, msg};

rules! {
    group "types";
    /// A type that is neither an aggregate nor a pointer is declared once: declaring it again would make a second type
    /// that nothing tells apart from the first.
    DUPLICATE: "type-duplicate", spec "§2.8";
}

/// Finds types that are declared twice.
pub(crate) fn unique(cx: &mut Cx<'_>) {
    let m = cx.m;
    if cx.declares("SPV_VALIDATOR_ignore_type_decl_unique") {
        return;
    }
    let mut types = cx.collect(m.global_insts().filter(|i| must_be_unique(*i)));
    let key = |i: &Inst<'_>| (i.word(0), i.offset());
    types.sort_unstable_by(|a, b| a.word(0).cmp(&b.word(0)).then(a.tail(2).cmp(b.tail(2))).then(key(a).cmp(&key(b))));
    for pair in types.windows(2) {
        let [first, second] = pair else { continue };
        if first.word(0) != second.word(0) || first.tail(2) != second.tail(2) {
            continue;
        }
        let (a, b) = (first.id(1), second.id(1));
        if a != b {
            cx.fail_site(&DUPLICATE, Site::at(second.offset()), || {
                msg(format!("{b} declares the same type as {a}")).note(Site::at(first.offset()), "declared here")
            })
            .ok();
        }
    }
}

fn must_be_unique(inst: Inst<'_>) -> bool {
    let aggregate = matches!(
        inst.op(),
        Op::TypeArray
            | Op::TypeRuntimeArray
            | Op::TypeStruct
            | Op::TypePointer
            | Op::TypeUntypedPointerKHR
            | Op::TypeForwardPointer
            | Op::TypeNodePayloadArrayAMDX
    );
    !aggregate && inst.desc().is_some_and(|d| d.is_type())
}
