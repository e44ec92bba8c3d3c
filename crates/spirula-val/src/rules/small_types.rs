//! What 8-bit and 16-bit objects can be used for where only storage capabilities are declared (§2.16.1, "Data rules").

use alloc::format;

use spirula_binary::{Inst, Operands};
use spirula_diag::rules;
use spirula_grammar::{Capability, Class, ExtSet, Op};
use spirula_module::Module;

use crate::cx::{Cx, msg};
use crate::facts::Parts;
use crate::signature::describe;

rules! {
    group "types";
    /// With storage capabilities alone, 8-bit and 16-bit objects are loaded, stored, copied and converted to another
    /// width, but not calculated with.
    USE: "small-type-use", spec "§2.16.1";
    /// With storage capabilities alone, there are no constants of 8-bit and 16-bit types.
    CONSTANT: "small-type-constant", spec "§2.16.1";
}

/// The small types that no capability of their own allows.
fn limited(cx: &Cx<'_>) -> Parts {
    let mut parts = Parts::default();
    for (part, capability, extension) in [
        (Parts::INT8, Capability::Int8, ""),
        (Parts::INT16, Capability::Int16, "SPV_AMD_gpu_shader_int16"),
        (Parts::FLOAT16, Capability::Float16, "SPV_AMD_gpu_shader_half_float"),
    ] {
        let used = cx.facts.all().any(part);
        if used && !cx.has(capability) && (extension.is_empty() || !cx.declares(extension)) {
            parts = parts.or(part);
        }
    }
    parts
}

/// Judges the uses of small objects in all functions.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.has(Capability::Shader) || cx.has(Capability::Kernel) {
        return;
    }
    let limited = limited(cx);
    if limited == Parts::default() {
        return;
    }
    constants(cx, limited);
    let m = cx.m;
    for function in m.functions() {
        for inst in m.insts(function.body_words()) {
            if !may_use(m, inst) {
                operands(cx, inst, limited);
            }
        }
    }
}

fn constants(cx: &mut Cx<'_>, limited: Parts) {
    let m = cx.m;
    for inst in m.global_insts() {
        let ty = inst.id(1);
        if !inst.desc().is_some_and(|d| d.class == Class::ConstantCreation)
            || !cx.parts(ty).any(limited)
            || m.key(ty).is_pointer()
        {
            continue;
        }
        cx.fail(&CONSTANT, inst, || {
            msg(format!("a constant of {}, for which only storage capabilities are declared", describe(m, ty)))
                .help("make it from a 32-bit constant, by a conversion")
        })
        .ok();
    }
}

/// The instructions that take small objects.
fn may_use(m: Module<'_>, inst: Inst<'_>) -> bool {
    let debug = matches!(inst.desc().map(|d| d.class), Some(Class::Debug | Class::Annotation));
    let listed =
        matches!(inst.op(), Op::CopyObject | Op::Store | Op::FConvert | Op::SConvert | Op::UConvert | Op::Load);
    if inst.op() == Op::ExtInst {
        // Debug information and the like do not calculate.
        return !matches!(m.info(inst.id(3)).ext_set(), Some(ExtSet::GlslStd450 | ExtSet::OpenClStd));
    }
    debug || listed || inst.desc().is_some_and(|d| matches!(d.class, Class::ControlFlow) && inst.op() != Op::Phi)
}

fn operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, limited: Parts) {
    let m = cx.m;
    for operand in Operands::new(inst, &m).flatten() {
        let Some(id) = operand.id() else { continue };
        let ty = m.type_id_of(id);
        // Constants may be folded into whatever uses them.
        if inst.result() == Some(id) || !cx.parts(ty).any(limited) || m.info(id).is_constant() {
            continue;
        }
        cx.fail_at(&USE, inst, operand.at as usize, || {
            msg(format!(
                "{} uses {id}, which is or contains 8-bit or 16-bit numbers, but only storage capabilities are declared",
                inst.op()
            ))
            .declared(m, id)
            .help("convert it to 32 bits first")
        })
        .ok();
    }
}
