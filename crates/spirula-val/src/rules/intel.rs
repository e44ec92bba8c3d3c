//! Decorations, modes and types of Intel's extensions.

use alloc::format;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, Site, rules};
use spirula_grammar::{Capability, Class, Decoration, ExecutionMode as Mode, Op, StorageClass};
use spirula_module::EntryPoint;

use crate::cx::{Cx, msg};
use crate::rules::annotation::Applied;
use crate::rules::mode_setting::Modes;
use crate::signature::describe;

rules! {
    group "intel";
    /// How loads and stores are cached is said of pointers to memory that is cached, once for each level.
    CACHE: "cache-control-target", extension "SPV_INTEL_cache_controls";
    /// What the host has access to is a variable of the module.
    HOST: "host-access-target", extension "SPV_INTEL_global_variable_host_access";
    /// No two variables have the same name for the host.
    HOST_NAME: "host-access-name", extension "SPV_INTEL_global_variable_host_access";
    /// An error is a positive number, and that of an instruction whose result is of floats.
    ERROR: "max-error-target", extension "SPV_INTEL_fp_max_error";
    /// A kernel's workgroups have no more dimensions, and are no larger, than it says.
    SIZES: "kernel-workgroup-limits", extension "SPV_INTEL_kernel_attributes";
    /// How variables are initialized, or that they are in a register map, is said of variables of the module.
    GLOBAL: "fpga-variable", extension "SPV_ALTERA_global_variable_fpga_decorations";
    /// What has a location in buffers is a pointer.
    LOCATION: "buffer-location-target", extension "SPV_ALTERA_fpga_buffer_location";
    /// An argument has a conduit or is in a register map, not both.
    ARGUMENT: "fpga-argument", extension "SPV_ALTERA_fpga_argument_interfaces";
    /// Invocations are initiated every so many cycles: one at least.
    INTERVAL: "initiation-interval", extension "SPV_ALTERA_fpga_invocation_pipelining_attributes";
    /// Memory is saved before an array of variable length is made. A warning, since translators make them without.
    SAVED: "variable-length-saved", warn extension "SPV_INTEL_variable_length_array";
    /// A number of registers is an integer.
    REGISTERS: "maximum-registers", extension "SPV_INTEL_maximum_registers";
    /// Nothing is computed with integers of four bits.
    INT4: "int4-use", extension "SPV_INTEL_int4";
    /// Variables of a single integer of four bits are in Private or Function; elsewhere there are vectors with an even
    /// number of components.
    INT4_VARIABLE: "int4-variable", extension "SPV_INTEL_int4";
}

/// A decoration of a target as a whole.
pub(crate) fn decoration<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    match a.decoration {
        Decoration::CacheControlLoadINTEL | Decoration::CacheControlStoreINTEL => cache(cx, a),
        Decoration::HostAccessINTEL => {
            let m = cx.m;
            let info = m.info(a.target);
            let ok = matches!(info.op, Op::Variable | Op::UntypedVariableKHR) && !info.is_local();
            cx.check_at(ok, &HOST, a.inst, a.word, || {
                msg(format!("{} is no variable of the module", a.target)).declared(m, a.target)
            })
        }
        Decoration::FPMaxErrorDecorationINTEL => {
            let m = cx.m;
            let float = m.key(m.type_id_of(a.target)).is_float_scalar_or_vector();
            // Calls may be of any function.
            let call = m.info(a.target).op == Op::FunctionCall;
            cx.check_at(float || call, &ERROR, a.inst, a.word, || {
                msg(format!("{} has an error, but is not of floats", a.target)).declared(m, a.target)
            })?;
            let most = f32::from_bits(a.operands.first().copied().unwrap_or(0));
            cx.check_at(most > 0.0, &ERROR, a.inst, a.word, || format!("the error is {most}"))
        }
        Decoration::InitModeALTERA | Decoration::ImplementInRegisterMapALTERA => {
            let m = cx.m;
            let info = m.info(a.target);
            let global = matches!(info.op, Op::Variable | Op::UntypedVariableKHR) && !info.is_local();
            let least = if info.op == Op::Variable { 4 } else { 5 };
            let initialized = m.def(a.target).is_some_and(|d| d.words().len() > least);
            let ok = global && (initialized || a.decoration != Decoration::InitModeALTERA);
            cx.check_at(ok, &GLOBAL, a.inst, a.word, || {
                msg(format!("{} is no variable of the module, or not initialized", a.target)).declared(m, a.target)
            })
        }
        Decoration::BufferLocationALTERA => {
            let m = cx.m;
            let ok = m.key(m.type_id_of(a.target)).is_pointer();
            cx.check_at(ok, &LOCATION, a.inst, a.word, || {
                msg(format!("{} is no pointer", a.target)).declared(m, a.target)
            })
        }
        Decoration::ConduitKernelArgumentALTERA => {
            let both = cx.m.is_decorated(a.target, Decoration::RegisterMapKernelArgumentALTERA);
            cx.check_at(!both, &ARGUMENT, a.inst, a.word, || {
                format!("{} is decorated RegisterMapKernelArgumentALTERA, too", a.target)
            })
        }
        Decoration::InitiationIntervalALTERA => {
            let some = a.operands.first().is_none_or(|cycles| *cycles != 0);
            cx.check_at(some, &INTERVAL, a.inst, a.word, || "an interval of 0 cycles")
        }
        _ => Ok(()),
    }
}

fn cache<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let ty = m.type_id_of(a.target);
    let is_pointer = m.key(ty).is_pointer();
    cx.check_at(is_pointer, &CACHE, a.inst, a.word, || {
        msg(format!("{} is decorated {}, but is no pointer", a.target, a.decoration)).declared(m, a.target)
    })?;
    let class = m.pointer(ty).map(|p| p.0);
    let loads = a.decoration == Decoration::CacheControlLoadINTEL;
    let ok = class.is_none_or(|c| {
        matches!(c, StorageClass::Function | StorageClass::CrossWorkgroup | StorageClass::Generic)
            || loads && c == StorageClass::UniformConstant
    });
    cx.check_at(ok, &CACHE, a.inst, a.word, || {
        format!(
            "{} is decorated {}, but points into {}",
            a.target,
            a.decoration,
            class.unwrap_or(StorageClass::Generic)
        )
    })?;
    let level = a.operands.first().copied();
    let same = |d: &spirula_module::Decorated<'_>| {
        d.decoration == a.decoration && d.operands.first().copied() == level && d.inst.offset() < a.inst.offset()
    };
    let earlier = m.decorations(a.target).find(same);
    cx.check_at(earlier.is_none(), &CACHE, a.inst, a.word, || {
        let at = Site::at(earlier.map_or(0, |d| d.inst.offset()));
        msg(format!("{} is decorated {} again for the same level", a.target, a.decoration)).note(at, "decorated here")
    })
}

/// Judges the modes of an entry point.
pub(crate) fn entry_point<'a>(cx: &mut Cx<'a>, modes: &Modes<'a>, entry: &EntryPoint<'a>) -> Checked {
    let m = cx.m;
    if let Some(inst) = modes.find(entry.function, Mode::MaximumRegistersIdINTEL) {
        let ok = m.key_of(inst.id(3)).is_int();
        cx.check_at(ok, &REGISTERS, inst, 3, || format!("{} is no integer", inst.id(3))).ok();
    }
    let size = modes.find(entry.function, Mode::LocalSize);
    if let Some(inst) = modes.find(entry.function, Mode::MaxWorkDimINTEL) {
        let most = inst.word(3);
        cx.check_at(most <= 3, &SIZES, inst, 3, || format!("there are no {most} dimensions"))?;
        let beyond = size.is_some_and(|s| (most..3).any(|i| s.word(3 + i as usize) != 1));
        cx.check_at(!beyond, &SIZES, inst, 3, || format!("LocalSize has a size in a dimension beyond {most}"))?;
    }
    if let Some(inst) = modes.find(entry.function, Mode::MaxWorkgroupSizeINTEL) {
        let larger = size.and_then(|s| (3..6).find(|i| s.word(*i) > inst.word(*i)));
        cx.check(larger.is_none(), &SIZES, inst, || {
            let (i, given) = (larger.unwrap_or(3), size.unwrap_or(inst));
            format!("LocalSize has {}, but at most {} are allowed", given.word(i), inst.word(i))
        })?;
    }
    Ok(())
}

/// Judged at the end of the module.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if cx.has(Capability::GlobalVariableHostAccessINTEL) {
        names(cx);
    }
    if cx.has(Capability::VariableLengthArrayINTEL) || cx.has(Capability::UntypedVariableLengthArrayINTEL) {
        saved(cx);
    }
    if cx.has(Capability::Int4TypeINTEL) {
        small(cx);
    }
}

/// What dominates an instruction stands before it.
fn saved(cx: &mut Cx<'_>) {
    let m = cx.m;
    let is_array = |i: &Inst<'_>| matches!(i.op(), Op::VariableLengthArrayINTEL | Op::UntypedVariableLengthArrayINTEL);
    for function in m.functions() {
        let unsaved = m.insts(function.body_words()).take_while(|i| i.op() != Op::SaveMemoryINTEL);
        for inst in unsaved.filter(is_array) {
            cx.fail(&SAVED, inst, || "no OpSaveMemoryINTEL stands before the array").ok();
        }
    }
}

fn names(cx: &mut Cx<'_>) {
    let is = |i: &Inst<'_>| i.op() == Op::Decorate && Decoration(i.word(2)) == Decoration::HostAccessINTEL;
    let mut all = cx.collect(cx.m.global_insts().filter(is).filter_map(|i| Some((LitStr::read(i.tail(4))?, i))));
    all.sort_by(|a, b| a.0.bytes().cmp(b.0.bytes()).then(a.1.offset().cmp(&b.1.offset())));
    for pair in all.windows(2) {
        if pair[0].0.bytes().eq(pair[1].0.bytes()) {
            let first = Site::at(pair[0].1.offset());
            cx.fail(&HOST_NAME, pair[1].1, || msg("another variable has the same name").note(first, "decorated here"))
                .ok();
        }
    }
}

fn small(cx: &mut Cx<'_>) {
    let m = cx.m;
    let is_small = |ty: Id| m.key(ty).is_int_scalar_or_vector() && m.key(ty).width() == 4;
    for inst in m.global_insts().filter(|i| i.op() == Op::Variable) {
        let Some((class, ty)) = m.pointer(inst.id(1)).filter(|p| is_small(p.1)) else { continue };
        let inner = matches!(class, StorageClass::Private | StorageClass::Function);
        let pairs = m.key(ty).count().is_multiple_of(2) && !m.key(ty).is_int();
        cx.check(inner || pairs, &INT4_VARIABLE, inst, || format!("the variable is of {} in {class}", describe(m, ty)))
            .ok();
    }
    for function in m.functions() {
        for inst in m.insts(function.body_words()) {
            let computes = inst.op() != Op::Select
                && inst.desc().is_some_and(|d| {
                    matches!(
                        d.class,
                        Class::Arithmetic
                            | Class::Bit
                            | Class::RelationalAndLogical
                            | Class::Atomic
                            | Class::Group
                            | Class::NonUniform
                    )
                })
                && !matches!(inst.op(), Op::CooperativeMatrixMulAddKHR | Op::CooperativeMatrixLengthKHR);
            if !computes {
                continue;
            }
            let operand = spirula_binary::Operands::new(inst, &m)
                .flatten()
                .filter_map(|o| o.id())
                .find(|id| Some(*id) != inst.result() && is_small(m.type_id_of(*id)));
            let Some(id) = operand else { continue };
            cx.fail(&INT4, inst, || format!("{} is used with {id}, an integer of four bits", inst.op())).ok();
        }
    }
}
