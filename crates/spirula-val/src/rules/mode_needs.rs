//! Execution modes that an entry point needs because of another mode or of a capability.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, ExecutionMode as Mode};
use spirula_module::EntryPoint;

use crate::cx::Cx;
use crate::rules::mode_setting::Modes;

rules! {
    group "modes";
    /// A coverage mask behind the depth test needs that test to come before the shader: `PostDepthCoverage` goes with
    /// `EarlyFragmentTests`. A warning, since compilers set the one mode without the other.
    POST_DEPTH: "post-depth-coverage", warn extension "SPV_KHR_post_depth_coverage";
    /// Early and late fragment tests of what replaces depth or stencil values say how these change.
    EARLY_AND_LATE: "early-and-late-tests", extension "SPV_AMD_shader_early_and_late_fragment_tests";
    /// A module with the capability `PoisonFreezeKHR` sets `ArithmeticPoisonKHR` for all its entry points.
    POISON: "arithmetic-poison-mode", extension "SPV_KHR_poison_freeze";
}

/// Judges an entry point.
pub(crate) fn entry_point<'a>(cx: &mut Cx<'a>, modes: &Modes<'a>, entry: &EntryPoint<'a>) -> Checked {
    if cx.has(Capability::SampleMaskPostDepthCoverage)
        && let Some(mode) = modes.find(entry.function, Mode::PostDepthCoverage)
    {
        let early = modes.find(entry.function, Mode::EarlyFragmentTests).is_some();
        cx.check_at(early, &POST_DEPTH, mode, 2, || {
            format!("{} sets PostDepthCoverage without EarlyFragmentTests", entry.function)
        })?;
    }
    if let Some(mode) = modes.find(entry.function, Mode::EarlyAndLateFragmentTestsAMD) {
        early_and_late(cx, modes, entry, mode)?;
    }
    if cx.has(Capability::PoisonFreezeKHR) {
        let poison = modes.find(entry.function, Mode::ArithmeticPoisonKHR).is_some();
        cx.check(poison, &POISON, entry.inst, || {
            format!(
                "{} does not set ArithmeticPoisonKHR, which PoisonFreezeKHR asks of all entry points",
                entry.function
            )
        })?;
    }
    Ok(())
}

fn early_and_late<'a>(cx: &mut Cx<'a>, modes: &Modes<'a>, entry: &EntryPoint<'a>, mode: Inst<'a>) -> Checked {
    let has = |mode: Mode| modes.find(entry.function, mode).is_some();
    let depth = [Mode::DepthGreater, Mode::DepthLess, Mode::DepthUnchanged].map(has).contains(&true);
    let stencil = [
        Mode::StencilRefUnchangedFrontAMD,
        Mode::StencilRefGreaterFrontAMD,
        Mode::StencilRefLessFrontAMD,
        Mode::StencilRefUnchangedBackAMD,
        Mode::StencilRefGreaterBackAMD,
        Mode::StencilRefLessBackAMD,
    ];
    let stencil = stencil.map(has).contains(&true);
    for (replacing, says) in [(Mode::DepthReplacing, depth), (Mode::StencilRefReplacingEXT, stencil)] {
        cx.check_at(!has(replacing) || says, &EARLY_AND_LATE, mode, 2, || {
            format!("{} sets {replacing}, but no mode says how the value changes", entry.function)
        })?;
    }
    Ok(())
}
