//! Decorations of numeric instructions: rounding, wrapping, fast math; and scopes of uniformity.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, Class, Decoration, ExtSet, FPFastMathMode, FPRoundingMode, Op, Scope, StorageClass};
use spirula_module::{Scalar, Shape};

use super::Applied;
use crate::cx::{Cx, msg};

rules! {
    group "decorations";
    /// FPRoundingMode decorates conversions of width whose result is only stored, as 16-bit floating-point numbers.
    ROUNDING: "fp-rounding-mode", spec "§2.16.2";
    /// In kernels, divisions and square roots have a rounding mode only with capability RoundedDivideSqrtINTEL.
    ROUNDING_DIVIDE: "fp-rounding-mode-divide", extension "SPV_INTEL_rounded_divide_sqrt";
    /// The rounding modes are to the nearest even and towards zero.
    VULKAN_ROUNDING: "vulkan-fp-rounding-mode", vuid "VUID-StandaloneSpirv-FPRoundingMode-04675";
    /// Only additions, subtractions, multiplications, left shifts and negations of integers can wrap.
    WRAP: "no-wrap-target", spec "NoSignedWrap";
    /// FPFastMathMode is about instructions that compute with floating-point numbers.
    FAST_MATH_TARGET: "fast-math-target", extension "SPV_KHR_float_controls2";
    /// AllowTransform includes AllowReassoc and AllowContract.
    FAST_MATH: "fast-math-transform", spec "§3.2.15";
    /// NoContraction and FPFastMathMode exclude each other.
    FAST_CONTRACTION: "fast-math-and-contraction", extension "SPV_KHR_float_controls2";
    /// The scope of uniformity is a constant of 32-bit integer type, with a value of the table of scopes.
    UNIFORM_SCOPE: "uniform-id-scope", spec "UniformId";
    /// Execution scopes are Workgroup and Subgroup.
    VULKAN_UNIFORM_SCOPE: "vulkan-uniform-id-scope", vuid "VUID-StandaloneSpirv-None-04636";
}

pub(super) fn decoration<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    match a.decoration {
        Decoration::FPRoundingMode => rounding(cx, a),
        Decoration::NoSignedWrap | Decoration::NoUnsignedWrap => wrap(cx, a),
        Decoration::FPFastMathMode => fast_math(cx, a),
        _ => Ok(()),
    }
}

fn rounding<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let Some(def) = cx.m.def(a.target) else { return Ok(()) };
    let op = def.op();
    if !cx.has(Capability::Shader) {
        let divide = op == Op::FDiv || (op == Op::ExtInst && is_sqrt(cx, def));
        return cx.check(!divide || cx.has(Capability::RoundedDivideSqrtINTEL), &ROUNDING_DIVIDE, def, || {
            format!("{} is decorated FPRoundingMode", a.target)
        });
    }
    cx.check(op == Op::FConvert, &ROUNDING, def, || {
        format!("{} is decorated FPRoundingMode, but is the result of {op}, not of OpFConvert", a.target)
    })?;
    let mode = FPRoundingMode(a.operands.first().copied().unwrap_or(0));
    let ok = !cx.env.is_vulkan() || matches!(mode, FPRoundingMode::RTE | FPRoundingMode::RTZ);
    cx.check(ok, &VULKAN_ROUNDING, def, || format!("{} is decorated FPRoundingMode {mode}", a.target))
}

fn is_sqrt(cx: &Cx<'_>, inst: Inst<'_>) -> bool {
    let set = cx.m.info(inst.id(3)).ext_set();
    set.and_then(|s| s.instruction(inst.word(4))).is_some_and(|i| i.name() == "sqrt")
}

fn wrap<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let Some(def) = cx.m.def(a.target) else { return Ok(()) };
    let op = if def.op() == Op::SpecConstantOp { Op(def.word(3) as u16) } else { def.op() };
    // That a negation is never decorated NoUnsignedWrap is not held against a module: consumers take it.
    let ok = match op {
        Op::IAdd | Op::ISub | Op::IMul | Op::ShiftLeftLogical | Op::SNegate => true,
        Op::ExtInst => extended_wrap(cx, def),
        _ => false,
    };
    cx.check(ok, &WRAP, def, || format!("{} is decorated {}, but is the result of {op}", a.target, a.decoration))
}

/// Whether the extended instruction accepts the decoration, as far as its set is known.
fn extended_wrap(cx: &Cx<'_>, inst: Inst<'_>) -> bool {
    let Some(set) = cx.m.info(inst.id(3)).ext_set() else { return true };
    let absolute = || set.instruction(inst.word(4)).is_some_and(|i| matches!(i.name(), "SAbs" | "s_abs"));
    !matches!(set, ExtSet::GlslStd450 | ExtSet::OpenClStd) || absolute()
}

fn fast_math<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let ok = computes_with_floats(cx, a.target);
    let op = cx.m.info(a.target).op;
    cx.check_at(ok, &FAST_MATH_TARGET, a.inst, a.word, || {
        format!("{} is the result of {op}, which computes with no floating-point numbers", a.target)
    })?;
    let mode = FPFastMathMode(a.operands.first().copied().unwrap_or(0));
    let needs = mode.contains(FPFastMathMode::AllowTransform);
    let has = mode.contains(FPFastMathMode::AllowReassoc) && mode.contains(FPFastMathMode::AllowContract);
    cx.check(!needs || has, &FAST_MATH, a.inst, || "AllowTransform without both AllowReassoc and AllowContract")?;
    let both = cx.has(Capability::FloatControls2) && cx.m.is_decorated(a.target, Decoration::NoContraction);
    cx.check(!both, &FAST_CONTRACTION, a.inst, || format!("{} is decorated NoContraction and FPFastMathMode", a.target))
}

/// Whether an instruction takes or gives floating-point numbers. Those that hand values on, whatever they are, are not
/// looked at.
fn computes_with_floats(cx: &Cx<'_>, target: spirula_binary::Id) -> bool {
    let m = cx.m;
    let info = m.info(target);
    let Some(class) = info.op.desc().map(|d| d.class) else { return true };
    if !matches!(class, Class::Arithmetic | Class::Bit | Class::RelationalAndLogical | Class::Conversion) {
        return true;
    }
    let is_float = |ty| matches!(m.key(ty).component_class(), Scalar::Float | Scalar::EncodedFloat | Scalar::None);
    let operands = m.def(target).map_or(&[][..], |def| def.tail(3));
    is_float(info.ty) || operands.iter().any(|w| is_float(m.type_id_of(spirula_binary::Id(*w))))
}

/// The scope of `UniformId`.
pub(super) fn uniform_scope<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let (Some(def), Some(scope)) = (m.def(a.target), a.operands.first().map(|w| spirula_binary::Id(*w))) else {
        return Ok(());
    };
    let key = m.key_of(scope);
    cx.check(key.is_int() && key.width() == 32, &UNIFORM_SCOPE, def, || {
        format!("the scope {scope} of UniformId is not a 32-bit integer")
    })?;
    let Some(value) = m.int_constant(scope).filter(|v| !v.spec) else { return Ok(()) };
    let known = value.as_u32().is_some_and(|v| spirula_grammar::OperandKind::Scope.enumerant(v).is_some());
    cx.check(known && value.as_u32() != Some(Scope::Invocation.0), &UNIFORM_SCOPE, def, || {
        format!("the scope {scope} of UniformId is {}", value.bits as i64)
    })?;
    let execution = [Some(Scope::Workgroup.0), Some(Scope::Subgroup.0)].contains(&value.as_u32());
    let rule: &'static Rule = &VULKAN_UNIFORM_SCOPE;
    cx.check(!cx.env.is_vulkan() || execution, rule, def, || {
        format!("the scope {scope} of UniformId is neither Workgroup nor Subgroup")
    })
}

/// What uses the results of conversions with a rounding mode: stores only.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    let is_mode = |i: &Inst<'_>| i.op() == Op::Decorate && Decoration(i.word(2)) == Decoration::FPRoundingMode;
    if !cx.has(Capability::Shader) || !m.annotations().any(|i| is_mode(&i)) {
        return;
    }
    let decorated = cx.filled(m.ids().slot_count(), false);
    for target in m.annotations().filter(is_mode).map(|i| i.id(1)) {
        if let Some(d) = m.ids().slot(target).and_then(|s| decorated.get_mut(s)) {
            *d = m.info(target).op == Op::FConvert;
        }
    }
    let is = |id| m.ids().slot(id).and_then(|s| decorated.get(s)).copied().unwrap_or(false);
    for function in m.functions() {
        for inst in m.insts(function.body_words()) {
            if inst.op() == Op::Store && is(inst.id(2)) {
                stored(cx, inst);
                continue;
            }
            for operand in spirula_binary::Operands::new(inst, &m).flatten() {
                let Some(id) = operand.id().filter(|id| is(*id)) else { continue };
                if inst.result() == Some(id) {
                    continue;
                }
                if let Some(def) = m.def(id) {
                    cx.fail(&ROUNDING, def, || {
                        msg(format!("{id} is decorated FPRoundingMode, but is used by {}, not only stored", inst.op()))
                            .note(spirula_diag::Site::at(inst.offset()), "used here")
                    })
                    .ok();
                }
            }
        }
    }
}

fn stored<'a>(cx: &mut Cx<'a>, store: Inst<'a>) {
    let m = cx.m;
    let (id, pointer) = (store.id(2), m.pointer(m.type_id_of(store.id(1))));
    let (Some(def), Some((class, pointee))) = (m.def(id), pointer) else { return };
    let key = if pointee.0 == 0 { m.key_of(id) } else { m.key(pointee) };
    let half = key.is_float_scalar_or_vector() && key.width() == 16 && key.shape() != Shape::Matrix;
    cx.check(half, &ROUNDING, def, || {
        msg(format!("{id} is decorated FPRoundingMode, but is not stored as 16-bit floating-point numbers"))
            .note(spirula_diag::Site::at(store.offset()), "stored here")
    })
    .ok();
    let ok = matches!(
        class,
        StorageClass::StorageBuffer
            | StorageClass::PhysicalStorageBuffer
            | StorageClass::Uniform
            | StorageClass::Output
            | StorageClass::PushConstant
            | StorageClass::Input
    );
    cx.check(ok, &ROUNDING, def, || {
        msg(format!("{id} is decorated FPRoundingMode, but is stored to {class}"))
            .note(spirula_diag::Site::at(store.offset()), "stored here")
    })
    .ok();
}
