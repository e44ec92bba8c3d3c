//! Miscellaneous instructions (§3.3.1), clocks and helper invocations.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, ExecutionModel, Op, Scope};
use spirula_module::{ModelSet, Scalar, Shape};

use crate::cx::Cx;
use crate::dispatch::{Table, rule_table};
use crate::rules::scopes;

rules! {
    group "misc";
    /// `OpUndef` makes an object of any type but `OpTypeVoid`.
    UNDEF: "undef-void", spec "OpUndef";
    /// Function types are for `OpFunction`: there are no objects of them.
    UNDEF_FUNCTION: "undef-function", spec "OpTypeFunction";
    /// Images, samplers and the like cannot be undefined in Vulkan.
    UNDEF_OPAQUE: "undef-opaque", vuid "VUID-StandaloneSpirv-OpUndef-12464";
    /// Without a capability for arithmetic with 8-bit or 16-bit numbers, their undefined values cannot be made.
    UNDEF_SMALL: "undef-small-type", spec "§2.16.1";
    /// A clock is read as a 64-bit unsigned integer, or as two 32-bit ones.
    CLOCK_TYPE: "read-clock-type", extension "SPV_KHR_shader_clock";
    /// In Vulkan the clock of a subgroup or of the device can be read.
    CLOCK_SCOPE: "read-clock-scope", vuid "VUID-StandaloneSpirv-OpReadClockKHR-04652";
    /// In OpenCL the clock of a subgroup, of a workgroup or of the device can be read.
    CLOCK_SCOPE_CL: "read-clock-scope-opencl", environment "OpenCL cl_khr_kernel_clock";
    /// Helper invocations exist in fragment shaders only.
    HELPER: "helper-invocation-model", extension "SPV_EXT_demote_to_helper_invocation";
    /// `OpIsHelperInvocationEXT` gives a Boolean.
    HELPER_TYPE: "helper-invocation-type", extension "SPV_EXT_demote_to_helper_invocation";
}

/// Vulkan's further rules.
pub(crate) const VULKAN: Table = rule_table! {
    Undef => opaque_undef;
};

pub(crate) const TABLE: Table = rule_table! {
    Undef | PoisonKHR => undef;
    ReadClockKHR => read_clock;
    DemoteToHelperInvocation | IsHelperInvocationEXT => helper;
};

/// Vulkan's descriptors come from somewhere.
fn opaque_undef<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let op = cx.m.info(inst.id(1)).op;
    let opaque = matches!(
        op,
        Op::TypeImage | Op::TypeSampler | Op::TypeSampledImage | Op::TypeAccelerationStructureKHR | Op::TypeTensorARM
    );
    cx.check_at(!opaque, &UNDEF_OPAQUE, inst, 1, || format!("the Result Type {} is {op}", inst.id(1)))
}

fn undef<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    let ty = inst.id(1);
    cx.check_at(key.shape() != Shape::Void, &UNDEF, inst, 1, || format!("the Result Type {ty} is void"))?;
    cx.check_at(key.shape() != Shape::Function, &UNDEF_FUNCTION, inst, 1, || {
        format!("the Result Type {ty} is a function type")
    })?;
    let restricted = match (key.component_class(), key.width()) {
        (Scalar::Int, 8) => !cx.has(Capability::Int8) && cx.has(Capability::Shader),
        (Scalar::Int, 16) => !cx.has(Capability::Int16) && cx.has(Capability::Shader),
        (Scalar::Float, 16) => {
            !cx.has(Capability::Float16) && !cx.has(Capability::Float16Buffer) && cx.has(Capability::Shader)
        }
        _ => false,
    };
    cx.check_at(!restricted, &UNDEF_SMALL, inst, 1, || {
        format!(
            "the Result Type {ty} has {}-bit components, which can only be loaded, stored and converted",
            key.width()
        )
    })
}

fn read_clock<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let key = cx.result_key(inst)?;
    let unsigned = !key.is_signed() && key.component_class() == Scalar::Int;
    let one = key.shape() == Shape::Scalar && key.width() == 64;
    let two = key.shape() == Shape::Vector && key.count() == 2 && key.width() == 32;
    cx.check_at(unsigned && (one || two), &CLOCK_TYPE, inst, 1, || {
        format!("the Result Type {} is neither a 64-bit unsigned integer nor a vector of two 32-bit ones", inst.id(1))
    })?;
    let Some(scope) = scopes::scope(cx, inst, 3)? else { return Ok(()) };
    let device = matches!(scope, Scope::Subgroup | Scope::Device);
    let (fine, rule) = if cx.env.is_vulkan() {
        (device, &CLOCK_SCOPE)
    } else {
        (device || scope == Scope::Workgroup || !cx.env.is_opencl(), &CLOCK_SCOPE_CL)
    };
    cx.check_at(fine, rule, inst, 3, || format!("the clock of the scope {scope} cannot be read"))
}

fn helper<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.check_models(ModelSet::of(&[ExecutionModel::Fragment]), &HELPER, inst, |others| {
        format!("{} is reached by the execution model {others}", inst.op())
    })?;
    if inst.op() == Op::IsHelperInvocationEXT {
        let key = cx.result_key(inst)?;
        return cx.check_at(key.is_bool(), &HELPER_TYPE, inst, 1, || {
            format!("the Result Type {} is no Boolean", inst.id(1))
        });
    }
    Ok(())
}
