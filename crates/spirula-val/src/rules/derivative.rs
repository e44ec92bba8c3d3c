//! Derivative instructions (§3.3.16).

use alloc::format;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::{ExecutionMode, ExecutionModel, Op};
use spirula_module::{EntryPoint, ModelSet, Module};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::mode_setting::{Modes, workgroup_size};
use crate::rules::operand::{Is, operand, result};
use crate::rules::reach::{Later, Needs};
use crate::signature::describe;

rules! {
    group "derivative";
    /// Derivatives are taken of 32-bit floats; of 16-bit floats too with SPV_AMD_gpu_shader_half_float.
    WIDTH: "derivative-width", spec "§3.3.16";
    /// Derivatives exist in fragment shaders, and in compute, task and mesh shaders that form derivative groups.
    MODEL: "derivative-model", spec "§3.3.16";
    /// Compute, task and mesh shaders say with an execution mode how derivative groups are formed.
    MODE: "derivative-group-mode", extension "SPV_KHR_compute_shader_derivatives";
    /// With `DerivativeGroupQuadsKHR`, the first two dimensions of the workgroup are multiples of 2.
    QUADS: "derivative-group-quads", vuid "VUID-StandaloneSpirv-DerivativeGroupQuadsKHR-10151";
    /// With `DerivativeGroupLinearKHR`, the workgroup has a multiple of 4 invocations.
    LINEAR: "derivative-group-linear", vuid "VUID-StandaloneSpirv-DerivativeGroupLinearKHR-10152";
}

pub(crate) const TABLE: Table = rule_table! {
    DPdx | DPdy | Fwidth | DPdxFine | DPdyFine | FwidthFine | DPdxCoarse | DPdyCoarse | FwidthCoarse => derivative;
};

/// Whether the extension is declared that takes derivatives of 16-bit floats. The grammar does not name it.
fn takes_halves(cx: &mut Cx<'_>) -> bool {
    if let Some(known) = cx.half_derivatives {
        return known;
    }
    let mut names = cx.m.global_insts().filter(|i| i.op() == Op::Extension).filter_map(|i| LitStr::read(i.tail(1)));
    let found = names.any(|n| n.eq_bytes(b"SPV_AMD_gpu_shader_half_float"));
    cx.half_derivatives = Some(found);
    found
}

fn derivative<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    result(cx, inst, Is::Floats)?;
    let half = key.width() == 16 && takes_halves(cx);
    let m = cx.m;
    cx.check_at(key.width() == 32 || half, &WIDTH, inst, 1, || {
        format!("the Result Type is {}, but its components must be 32 bits wide", describe(m, inst.id(1)))
    })?;
    operand(cx, inst, 3, Is::Same)?;
    uses_derivatives(cx, inst)
}

/// Models that may form derivative groups.
const GROUPED: &[ExecutionModel] = &[ExecutionModel::GLCompute, ExecutionModel::TaskEXT, ExecutionModel::MeshEXT];

/// What takes derivatives, explicitly or not, is for stages that have them.
pub(crate) fn uses_derivatives<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let here = cx.models_here();
    if here == ModelSet::EMPTY.with(ExecutionModel::Fragment) || here.is_empty() {
        return Ok(());
    }
    let grouped = ModelSet::of(GROUPED);
    cx.check_models(grouped.with(ExecutionModel::Fragment), &MODEL, inst, |models| {
        format!("{} needs derivatives, which {models} does not have", inst.op())
    })?;
    if !here.and(grouped).is_empty() {
        cx.later(Needs::DerivativeGroup, inst);
    }
    Ok(())
}

/// Whether the entry point forms derivative groups where it must say so.
pub(crate) fn has_groups(m: Module<'_>, e: EntryPoint<'_>) -> bool {
    !GROUPED.contains(&e.model)
        || m.execution_modes(e.function).any(|(mode, _)| {
            matches!(mode, ExecutionMode::DerivativeGroupQuadsKHR | ExecutionMode::DerivativeGroupLinearKHR)
        })
}

pub(crate) fn without_groups<'a>(cx: &mut Cx<'a>, at: Later, e: EntryPoint<'a>) -> Checked {
    let Some(inst) = cx.m.inst_at(at.inst) else { return Ok(()) };
    cx.fail(&MODE, inst, || {
        msg(format!(
            "{} needs DerivativeGroupQuadsKHR or DerivativeGroupLinearKHR in the {} entry point {}",
            inst.op(),
            e.model,
            e.function
        ))
        .note(spirula_diag::Site::at(e.inst.offset()), "entry point here")
    })
}

/// Size of the workgroup of an entry point, as far as it is fixed, and the instruction that states it.
fn workgroup<'a>(cx: &Cx<'a>, modes: &Modes<'a>, function: Id) -> Option<(Inst<'a>, [Option<u64>; 3])> {
    let m = cx.m;
    if let Some((id, sizes)) = workgroup_size(m) {
        return Some((m.def(id)?, sizes));
    }
    modes.of(function).find_map(|(mode, inst)| match mode {
        ExecutionMode::LocalSize => Some((inst, [3, 4, 5].map(|w| Some(u64::from(inst.word(w)))))),
        ExecutionMode::LocalSizeId => {
            let value = |w| m.int_constant(inst.id(w)).filter(|c| !c.spec).map(|c| c.bits);
            Some((inst, [3, 4, 5].map(value)))
        }
        _ => None,
    })
}

/// Derivative groups fill the workgroup of an entry point.
pub(crate) fn group_sizes<'a>(cx: &mut Cx<'a>, modes: &Modes<'a>, entry: &EntryPoint<'a>) -> Checked {
    let function = entry.function;
    let quads = modes.find(function, ExecutionMode::DerivativeGroupQuadsKHR).is_some();
    let linear = modes.find(function, ExecutionMode::DerivativeGroupLinearKHR).is_some();
    if !quads && !linear {
        return Ok(());
    }
    let Some((at, sizes)) = workgroup(cx, modes, function) else { return Ok(()) };
    if quads {
        let odd = sizes[..2].iter().flatten().any(|n| n % 2 != 0);
        cx.check(!odd, &QUADS, at, || {
            let [x, y, _] = sizes.map(|n| n.unwrap_or(0));
            format!("the workgroup size is {x} by {y}, but both must be multiples of 2")
        })?;
    }
    if linear && let [Some(x), Some(y), Some(z)] = sizes {
        let count = x.wrapping_mul(y).wrapping_mul(z);
        cx.check(count % 4 == 0, &LINEAR, at, || format!("the workgroup has {count} invocations, no multiple of 4"))?;
    }
    Ok(())
}
