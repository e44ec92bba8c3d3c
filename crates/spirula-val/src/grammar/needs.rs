//! Capabilities, extensions and versions (§2.21 and the "Enabling Capabilities" and "Missing before" columns of §3).

use alloc::format;
use alloc::string::String;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{
    BuiltIn, CapSet, Capability, Class, Enumerant, Extension, GroupOperation, InstDesc, Op, OperandKind, Version,
};

use crate::cx::{Cx, msg};

rules! {
    group "requirements";
    /// An instruction or enumerant needs one of its enabling capabilities to be declared, or implied by a declared one.
    CAPABILITY: "missing-capability", spec "§2.16.1";
    /// What no core version contains needs an extension that brings it.
    EXTENSION: "missing-extension", spec "§3";
    /// What a later version of SPIR-V brought needs that version, or an extension.
    VERSION: "wrong-version", spec "§3";
    /// What a version of SPIR-V removed cannot be used from that version on.
    REMOVED: "removed-in-version", spec "§3";
}

/// The opcode's own needs, which are judged once for each opcode, unless they are not met.
#[inline]
pub(super) fn instruction(cx: &mut Cx<'_>, inst: Inst<'_>, desc: &'static InstDesc) -> Checked {
    let row = usize::from(desc.row);
    if cx.flow.met[row / 64] >> (row % 64) & 1 != 0 {
        return Ok(());
    }
    let reported = cx.out.len();
    opcode(cx, inst, desc)?;
    if cx.out.len() == reported {
        cx.flow.met[row / 64] |= 1 << (row % 64);
    }
    Ok(())
}

fn opcode(cx: &mut Cx<'_>, inst: Inst<'_>, desc: &'static InstDesc) -> Checked {
    let caps = if has_extension_in_place_of_capability(cx, desc.op) { &CapSet::EMPTY } else { desc.capabilities() };
    let has_cap = caps.is_empty() || cx.m.capabilities().intersects(caps);
    let min = desc.min_version();
    if has_cap && desc.last_version().is_none() && min.is_some_and(|v| v <= cx.version) {
        return Ok(());
    }
    if is_subsumed(cx, desc.op) {
        return Ok(());
    }
    let needs = Needs { caps, exts: desc.extensions(), min, last: desc.last_version() };
    check(cx, inst, 0, &needs, || desc.name().into())
}

/// The needs of an enumerant.
#[inline]
pub(super) fn enumerant(
    cx: &mut Cx<'_>,
    inst: Inst<'_>,
    word: usize,
    kind: OperandKind,
    e: &'static Enumerant,
) -> Checked {
    if e.is_free() { Ok(()) } else { one(cx, inst, word, kind, e) }
}

/// The needs of every bit of a mask.
#[inline]
pub(super) fn mask(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, kind: OperandKind, value: u32) -> Checked {
    match value & !kind.mask_bits().free {
        0 => Ok(()),
        left => bits(cx, inst, word, kind, left),
    }
}

fn bits(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, kind: OperandKind, mut left: u32) -> Checked {
    let mut result = Ok(());
    while left != 0 {
        let bit = left & left.wrapping_neg();
        left &= !bit;
        if let Some(e) = kind.enumerant(bit) {
            result = result.and(one(cx, inst, word, kind, e));
        }
    }
    result
}

fn one(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, kind: OperandKind, e: &'static Enumerant) -> Checked {
    let declared = !e.needs_capability() || cx.m.capabilities().intersects(e.capabilities());
    if declared && e.last_version().is_none() && e.min_version().is_some_and(|v| v <= cx.version) {
        return Ok(());
    }
    let whole_group = kind == OperandKind::GroupOperation && GroupOperation(e.value) <= GroupOperation::ExclusiveScan;
    let free = whole_group && has_extension_in_place_of_capability(cx, inst.op());
    let caps =
        if !free && has_capabilities_of_its_own(kind, e.value, inst) { e.capabilities() } else { &CapSet::EMPTY };
    let needs = Needs { caps, exts: e.extensions(), min: e.min_version(), last: e.last_version() };
    check(cx, inst, word, &needs, || format!("{} {}", kind.name(), e.name()))
}

/// With SPV_GOOGLE_user_type, "all features of SPV_GOOGLE_decorate_string can be used without explicitly declaring" that
/// one, which the grammar does not list.
fn is_subsumed(cx: &Cx<'_>, op: Op) -> bool {
    matches!(op, Op::DecorateString | Op::MemberDecorateString) && cx.m.has_extension("SPV_GOOGLE_user_type")
}

/// SPV_AMD_shader_ballot adds the non-uniform group instructions without asking for the Groups capability.
fn has_extension_in_place_of_capability(cx: &Cx<'_>, op: Op) -> bool {
    (Op::GroupIAddNonUniformAMD.0..=Op::GroupSMaxNonUniformAMD.0).contains(&op.0)
        && cx.m.has_extension("SPV_AMD_shader_ballot")
}

/// Whether what the grammar lists as an enumerant's capabilities is what its use needs.
///
/// What a capability lists is what it implies. The built-ins `PointSize`, `ClipDistance` and `CullDistance` stand in the
/// per-vertex block that front ends declare whole: the capabilities are for modules that *use* them (§3.2.30: "Uses the
/// ClipDistance BuiltIn"), so that decorating the member alone needs none.
fn has_capabilities_of_its_own(kind: OperandKind, value: u32, inst: Inst<'_>) -> bool {
    match kind {
        OperandKind::Capability => false,
        OperandKind::BuiltIn if inst.desc().is_some_and(|d| d.class == Class::Annotation) => {
            !matches!(BuiltIn(value), BuiltIn::PointSize | BuiltIn::ClipDistance | BuiltIn::CullDistance)
        }
        _ => true,
    }
}

/// Whether a declared capability is of an extension that brings an instruction without being listed with it.
fn is_brought_by_capability(cx: &Cx<'_>, needs: &Needs) -> bool {
    let of_extension = |c: Capability| {
        let e = Capability::KIND.enumerant(c.0);
        cx.has(c) && e.is_some_and(|e| e.extensions().iter().any(|x| cx.m.extensions().contains(*x)))
    };
    needs.exts.is_empty() && needs.caps.iter().any(of_extension)
}

/// Whether a declared capability comes with one of the same extensions.
fn is_of_extension(cx: &Cx<'_>, needs: &Needs) -> bool {
    let shares = |c: Capability| {
        let e = Capability::KIND.enumerant(c.0);
        cx.has(c) && e.is_some_and(|e| e.extensions().iter().any(|x| needs.exts.contains(x)))
    };
    needs.caps.iter().any(shares)
}

/// Whether the capabilities that are declared are all of SPIR-V itself, so that none of them stands for an extension.
fn is_core_capability(cx: &Cx<'_>, needs: &Needs) -> bool {
    let core = |c: Capability| {
        let e = Capability::KIND.enumerant(c.0);
        e.is_some_and(|e| e.min_version().is_some_and(|min| min <= cx.version))
    };
    !needs.exts.is_empty() && needs.caps.iter().filter(|c| cx.has(*c)).all(core)
}

struct Needs {
    caps: &'static CapSet,
    exts: &'static [Extension],
    min: Option<Version>,
    last: Option<Version>,
}

fn check(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, needs: &Needs, what: impl Fn() -> String) -> Checked {
    if let Some(last) = needs.last
        && cx.version > last
    {
        let version = cx.version;
        return cx.fail_at(&REMOVED, inst, word, || {
            format!("{} is not in SPIR-V {version}; {last} was the last version with it", what())
        });
    }
    let has_extension = needs.exts.iter().any(|e| cx.m.extensions().contains(*e));
    if !needs.caps.is_empty() && !cx.m.capabilities().intersects(needs.caps) {
        let list = list(needs.caps.iter().filter_map(|c| c.name()));
        return cx.fail_at(&CAPABILITY, inst, word, || {
            msg(format!("{} needs the capability {list}", what()))
                .help("declare it with OpCapability, if the target has it")
        });
    }
    if has_extension {
        return Ok(());
    }
    match needs.min {
        Some(min) if min <= cx.version => Ok(()),
        // A declared capability brings it, and has needs of its own.
        _ if needs.min.is_none() && !needs.caps.is_empty() && !is_core_capability(cx, needs) => Ok(()),
        _ if needs.min.is_some() && !needs.caps.is_empty() && is_brought_by_capability(cx, needs) => Ok(()),
        // The capability of the same extension lacks it, too: one report is enough.
        _ if needs.min.is_some() && !needs.exts.is_empty() && is_of_extension(cx, needs) => Ok(()),
        Some(min) => too_early(cx, inst, word, needs, min, &what),
        None if needs.exts.is_empty() => Ok(()),
        None => {
            let list = list(needs.exts.iter().map(|e| e.name()));
            cx.fail_at(&EXTENSION, inst, word, || {
                msg(format!("{} needs the extension {list}", what()))
                    .help("declare it with OpExtension, if the target has it")
            })
        }
    }
}

#[cold]
fn too_early(
    cx: &mut Cx<'_>,
    inst: Inst<'_>,
    word: usize,
    needs: &Needs,
    min: Version,
    what: &impl Fn() -> String,
) -> Checked {
    let version = cx.version;
    let rule: &'static Rule = if needs.exts.is_empty() { &VERSION } else { &EXTENSION };
    cx.fail_at(rule, inst, word, || {
        let or = if needs.exts.is_empty() {
            String::new()
        } else {
            format!(" or the extension {}", list(needs.exts.iter().map(|e| e.name())))
        };
        format!("{} needs SPIR-V {min}{or}, but the module is SPIR-V {version}", what())
    })
}

fn list<'s>(names: impl Iterator<Item = &'s str>) -> String {
    let mut all = String::new();
    for name in names {
        if !all.is_empty() {
            all.push_str(" or ");
        }
        all.push_str(name);
    }
    all
}
