//! Instructions of extended instruction sets, one file for each set or family of sets.

pub(super) mod amd;
pub(super) mod debug;
pub(super) mod glsl;
pub(crate) mod lines;
pub(super) mod opencl;
pub(super) mod reflection;
pub(super) mod shader_debug;
pub(super) mod tosa;

use alloc::format;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{ExtInstDesc, ExtSet, Op, Quantifier, StorageClass, Version};

use crate::cx::{Cx, msg};
use crate::signature::{Form, Signature, describe, operands};

rules! {
    group "ext_inst";
    /// `OpExtInst` names the result of an `OpExtInstImport` as its set.
    SET: "ext-inst-set", spec "OpExtInst";
    /// A set whose name starts with `NonSemantic.` is imported with the extension `SPV_KHR_non_semantic_info`, or from
    /// SPIR-V 1.6 on.
    NON_SEMANTIC: "non-semantic-import", extension "SPV_KHR_non_semantic_info";
    /// Only non-semantic instructions may use the result of a non-semantic instruction.
    NON_SEMANTIC_USE: "non-semantic-use", extension "SPV_KHR_non_semantic_info";
    /// `OpExtInstWithForwardRefsKHR` is for instructions of non-semantic sets.
    FORWARD: "forward-refs-set", extension "SPV_KHR_relaxed_extended_instruction";
    /// The name of a set that exists in revisions ends with the revision's number, one that is known.
    REVISION: "ext-inst-set-revision", spec "OpExtInstImport";
    /// An instruction of a set needs a capability.
    CAPABILITY: "ext-inst-capability", spec "OpExtInst";
    /// The Result Type of an instruction of a set is of the kind that it produces.
    RESULT: "ext-inst-result-type", spec "OpExtInst";
    /// An instruction of a set has no operands beyond those that the set describes.
    SURPLUS: "ext-inst-surplus", spec "§2.16.1";
    /// An operand of an instruction of a set is of the kind that it takes, and fits the Result Type and the others.
    OPERAND: "ext-inst-operand", spec "OpExtInst";
}

/// Word of the first operand of an instruction of a set.
pub(crate) const FIRST: usize = 5;

/// `OpExtInstImport`.
pub(super) fn import(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let Some(name) = LitStr::read(inst.tail(2)) else { return Ok(()) };
    let imported = cx.m.info(inst.id(1));
    let known = cx.version >= Version::v1(6) || cx.declares("SPV_KHR_non_semantic_info");
    cx.check(!imported.is_non_semantic() || known, &NON_SEMANTIC, inst, || {
        msg("the set is non-semantic, but SPV_KHR_non_semantic_info is not declared")
            .help("declare it with OpExtension, or use SPIR-V 1.6")
    })?;
    let Some(set) = imported.ext_set() else { return Ok(()) };
    if set == ExtSet::OpenClStd {
        return opencl::import(cx, inst);
    }
    let revisions = match set {
        ExtSet::ShaderDebugInfo | ExtSet::ShaderDebugInfo100 => 100..=u32::MAX,
        ExtSet::ClspvReflection => 1..=7,
        ExtSet::GraphDebugInfo => 1..=1,
        ExtSet::ArmExperimentalMl => 1..=u32::MAX,
        _ => return Ok(()),
    };
    match revision(name, set) {
        Some(r) if revisions.contains(&r) => Ok(()),
        Some(r) => cx.fail_at(&REVISION, inst, 2, || format!("revision {r} of {} is not known", set.name())),
        None => cx.fail_at(&REVISION, inst, 2, || format!("no revision number follows {}", set.name())),
    }
}

/// The number at the end of a set's name, behind a full stop.
pub(crate) fn revision(name: LitStr<'_>, set: ExtSet) -> Option<u32> {
    let stem = set.name().trim_end_matches(".100").trim_end_matches('.').len();
    let mut bytes = name.bytes().skip(stem);
    if bytes.next() != Some(b'.') {
        return None;
    }
    let mut number: Option<u32> = None;
    for b in bytes {
        let digit = u32::from(b.wrapping_sub(b'0'));
        if digit > 9 {
            return None;
        }
        number = Some(number.unwrap_or(0).checked_mul(10)?.checked_add(digit)?);
    }
    number
}

/// The revision of the set that an import brings.
fn revision_of(cx: &Cx<'_>, import: Id) -> Option<u32> {
    let set = cx.m.info(import).ext_set()?;
    revision(LitStr::read(cx.m.def(import)?.tail(2))?, set)
}

/// An instruction uses the result of an `OpExtInst`, which is not of a non-semantic set unless the user is too.
#[cold]
pub(crate) fn usage(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, id: Id) -> Checked {
    let Some(def) = cx.m.def(id) else { return Ok(()) };
    if !cx.m.info(def.id(3)).is_non_semantic() {
        return Ok(());
    }
    let by_ext_inst = matches!(inst.op(), Op::ExtInst | Op::ExtInstWithForwardRefsKHR);
    let annotates = inst
        .desc()
        .is_some_and(|d| matches!(d.class, spirula_grammar::Class::Debug | spirula_grammar::Class::Annotation));
    let ok = annotates || by_ext_inst && cx.m.info(inst.id(3)).is_non_semantic();
    let m = cx.m;
    cx.check_at(ok, &NON_SEMANTIC_USE, inst, word, || {
        msg(format!("{id} is the result of a non-semantic instruction, which has no meaning to {}", inst.op()))
            .declared(m, id)
    })
}

/// One instruction of a set.
#[derive(Clone, Copy)]
struct Ext<'w> {
    inst: Inst<'w>,
    set: ExtSet,
    desc: &'static ExtInstDesc,
}

/// `OpExtInst` and `OpExtInstWithForwardRefsKHR`.
pub(super) fn instruction<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let info = cx.m.info(inst.id(3));
    cx.check_at(info.op == Op::ExtInstImport, &SET, inst, 3, || {
        format!("{} is the result of {}, not of OpExtInstImport", inst.id(3), info.op)
    })?;
    if inst.op() == Op::ExtInstWithForwardRefsKHR {
        let ok = cx.m.info(inst.id(3)).is_non_semantic();
        cx.check_at(ok, &FORWARD, inst, 3, || format!("the set {} has instructions with a meaning", inst.id(3)))?;
        let forward = inst.tail(FIRST).iter().any(|w| cx.m.info(Id(*w)).def >= inst.offset());
        cx.check(
            forward,
            &FORWARD,
            inst,
            || "no operand is defined later, so that OpExtInst is the instruction to use",
        )?;
    }
    let Some(set) = info.ext_set() else { return Ok(()) };
    // What later revisions brought is known too, so as to say which revision it needs.
    let newest = if set == ExtSet::ShaderDebugInfo100 { ExtSet::ShaderDebugInfo } else { set };
    let number = inst.word(4);
    let Some(desc) = set.instruction(number).or_else(|| newest.instruction(number)) else {
        let debug = newest == ExtSet::ShaderDebugInfo;
        return if debug { debug::results_in_void(cx, inst) } else { Ok(()) };
    };
    let caps = desc.capabilities();
    cx.check_at(!desc.needs_capability() || cx.m.capabilities().intersects(caps), &CAPABILITY, inst, 4, || {
        let list = caps.iter().filter_map(|c| c.name()).next().unwrap_or("");
        msg(format!("{} {} needs the capability {list}", set.name(), desc.name())).help("declare it with OpCapability")
    })?;
    if matches!(set, ExtSet::ClspvReflection | ExtSet::DebugInfo | ExtSet::OpenClDebugInfo) {
        surplus(cx, inst, desc)?;
    }
    let ext = Ext { inst, set, desc };
    match set {
        ExtSet::GlslStd450 => glsl::instruction(cx, ext),
        ExtSet::OpenClStd => opencl::instruction(cx, ext),
        ExtSet::DebugInfo
        | ExtSet::OpenClDebugInfo
        | ExtSet::ShaderDebugInfo100
        | ExtSet::ShaderDebugInfo
        | ExtSet::GraphDebugInfo => debug::instruction(cx, ext),
        ExtSet::AmdGcnShader
        | ExtSet::AmdShaderBallot
        | ExtSet::AmdExplicitVertexParameter
        | ExtSet::AmdTrinaryMinMax => amd::instruction(cx, ext),
        ExtSet::DebugPrintf => reflection::printf(cx, ext),
        ExtSet::DebugBreak => reflection::results_in_void(cx, ext),
        ExtSet::ClspvReflection => reflection::clspv(cx, ext),
        ExtSet::Tosa => tosa::instruction(cx, ext),
        _ => Ok(()),
    }
}

/// Sets whose instructions grow by no operands without a revision that is asked for elsewhere. Instructions with
/// semantics are read with the grammar.
fn surplus<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static ExtInstDesc) -> Checked {
    let operands = desc.operands();
    let closed = operands.last().is_none_or(|o| o.quantifier != Quantifier::Many);
    let given = inst.tail(FIRST).len();
    cx.check(!closed || given <= operands.len(), &SURPLUS, inst, || {
        format!("{} has {given} operands, but takes {} at most", desc.name(), operands.len())
    })
}

/// A function that judges one instruction of a set.
type RuleFn = fn(&mut Cx<'_>, Ext<'_>) -> Checked;

/// Whether something judges an instruction of a set; `None` for sets that are not judged one by one.
#[cfg(test)]
pub(crate) fn is_judged(set: ExtSet, number: u32) -> Option<bool> {
    match set {
        ExtSet::GlslStd450 => Some(glsl::is_judged(number)),
        ExtSet::OpenClStd => Some(opencl::is_judged(number)),
        ExtSet::Tosa => Some(tosa::is_judged(number)),
        _ => None,
    }
}

impl Ext<'_> {
    /// Judges Result Type and operands by a signature.
    fn signature(&self, cx: &mut Cx<'_>, s: &'static Signature) -> Checked {
        operands(cx, self.inst, s, Form::Ext(self.desc))
    }

    /// Fails unless `ok` with what the Result Type must be.
    fn result(&self, cx: &mut Cx<'_>, ok: bool, must: &str) -> Checked {
        let (m, name) = (cx.m, self.desc.name());
        cx.check_at(ok, &RESULT, self.inst, 1, || {
            format!("the Result Type of {name} is {}, but must be {must}", describe(m, self.inst.id(1)))
        })
    }

    /// Fails unless `ok` with what operand `i` must be.
    fn operand(&self, cx: &mut Cx<'_>, i: usize, ok: bool, must: &str) -> Checked {
        let (m, id) = (cx.m, self.inst.id(FIRST + i));
        cx.check_at(ok, &OPERAND, self.inst, FIRST + i, || {
            let name = self.desc.operands().get(i).map_or("operand", |o| o.name());
            let has = match m.type_id_of(id) {
                Id(0) => format!("is the result of {}", m.info(id).op),
                ty => format!("has type {}", describe(m, ty)),
            };
            msg(format!("{name} {id} of {} {has}, but must be {must}", self.desc.name())).declared(m, id)
        })
    }

    /// Storage class and pointee of the pointer that is operand `i`; the pointee is `%0` for untyped pointers.
    fn pointer(&self, cx: &mut Cx<'_>, i: usize) -> Checked<(StorageClass, Id)> {
        let ty = cx.type_at(self.inst, FIRST + i)?;
        let pointer = cx.m.pointer(ty);
        self.operand(cx, i, pointer.is_some(), "a pointer")?;
        pointer.ok_or(Failed)
    }
}

/// Builds a table by instruction number: `A B => Float: Same, Same;`.
macro_rules! ext_signatures {
    ($set:ident, $count:literal; $($($name:ident)+ => $result:ident $(: $($con:ident),+)?;)*) => {{
        const ROWS: &[(&[u32], Signature)] = &[$((
            &[$(spirula_grammar::$set::$name.0),+],
            Signature {
                result: Con::$result,
                surely: crate::signature::Kinds::of(Con::$result),
                operands: &[$($(Con::$con),+)?],
                cooperative: true,
            },
        )),*];
        const BY_NUMBER: [Option<&Signature>; $count] = {
            let mut all: [Option<&Signature>; $count] = [None; $count];
            let mut r = 0;
            while r < ROWS.len() {
                let mut i = 0;
                while i < ROWS[r].0.len() {
                    assert!(all[ROWS[r].0[i] as usize].is_none(), "an instruction has two signatures");
                    all[ROWS[r].0[i] as usize] = Some(&ROWS[r].1);
                    i += 1;
                }
                r += 1;
            }
            all
        };
        BY_NUMBER
    }};
}
use ext_signatures;
