//! NonSemantic.DebugPrintf and NonSemantic.ClspvReflection.

use alloc::format;

use spirula_binary::{Id, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::{ClspvReflection, ExecutionModel, Op, StorageClass};

use super::{Ext, FIRST, revision_of};
use crate::cx::{Cx, msg};

rules! {
    group "ext_inst";
    /// The format of a `DebugPrintf` is an `OpString`.
    FORMAT: "debug-printf-format", ext_inst "NonSemantic.DebugPrintf DebugPrintf";
    /// `DebugPrintf` and `DebugBreak` give nothing: their Result Type is void.
    DEBUG_RESULT: "debug-printf-result", ext_inst "NonSemantic.DebugPrintf DebugPrintf";
    /// An instruction or operand that a later revision of the reflection set brought needs that revision.
    REVISION: "clspv-reflection-revision", ext_inst "NonSemantic.ClspvReflection";
    /// An operand of a reflection instruction refers to a string, an unsigned 32-bit constant, a kernel's function, or
    /// another reflection instruction of the same set, as its description says.
    OPERAND: "clspv-reflection-operand", ext_inst "NonSemantic.ClspvReflection";
    /// Reflection instructions give nothing: their Result Type is void.
    RESULT: "clspv-reflection-result", ext_inst "NonSemantic.ClspvReflection";
    /// `Kernel` describes an entry point of the model `GLCompute` by its function and name.
    KERNEL: "clspv-reflection-kernel", ext_inst "NonSemantic.ClspvReflection Kernel";
}

/// `DebugBreak`, and what is true of `DebugPrintf` too.
pub(super) fn results_in_void(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let op = cx.m.info(ext.inst.id(1)).op;
    cx.check_at(op == Op::TypeVoid, &DEBUG_RESULT, ext.inst, 1, || {
        format!("the Result Type of {} is {op}, not OpTypeVoid", ext.desc.name())
    })
}

pub(super) fn printf(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    results_in_void(cx, ext)?;
    let id = ext.inst.id(FIRST);
    let op = cx.m.info(id).op;
    cx.check_at(op == Op::String, &FORMAT, ext.inst, FIRST, || format!("{id} is the result of {op}, not of OpString"))
}

/// The revision that brought an instruction.
fn since(number: u32) -> u32 {
    match number {
        0..=24 => 1,
        25 => 2,
        26..=33 => 3,
        34 | 35 => 4,
        36..=40 => 5,
        // Those of revisions 6 and 7 came before the revisions were counted up.
        _ => 1,
    }
}

pub(super) fn clspv(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let Some(revision) = revision_of(cx, ext.inst.id(3)) else { return Ok(()) };
    let number = ext.inst.word(4);
    let void = cx.m.info(ext.inst.id(1)).op == Op::TypeVoid;
    cx.check_at(void, &RESULT, ext.inst, 1, || format!("the Result Type {} is not void", ext.inst.id(1)))?;
    let name = ext.desc.name();
    cx.check_at(since(number) <= revision, &REVISION, ext.inst, 4, || {
        format!("{name} needs revision {} of the set, but revision {revision} is imported", since(number))
    })?;
    let is_kernel = ClspvReflection(number) == ClspvReflection::Kernel;
    for (i, word) in ext.inst.tail(FIRST).iter().enumerate() {
        let operand = ext.desc.operands().get(i).or(ext.desc.operands().last()).map_or("", |o| o.name());
        if is_kernel && i == 0 {
            kernel(cx, ext)?;
        } else if is_kernel && i >= 2 && revision < 5 {
            return cx.fail_at(&REVISION, ext.inst, FIRST + i, || {
                format!("{operand} needs revision 5 of the set, but revision {revision} is imported")
            });
        } else {
            self::operand(cx, ext, i, Id(*word), operand)?;
        }
    }
    Ok(())
}

fn operand(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize, id: Id, name: &str) -> Checked {
    let m = cx.m;
    let info = m.info(id);
    let (ok, must) = match name {
        "Name" | "Type Name" | "Data" | "FormatString" | "Attributes" => (info.op == Op::String, "an OpString"),
        "Decl" | "Kernel" => (is_own(cx, ext, id, ClspvReflection::Kernel), "a Kernel instruction of the same set"),
        "ArgInfo" => {
            (is_own(cx, ext, id, ClspvReflection::ArgumentInfo), "an ArgumentInfo instruction of the same set")
        }
        "Variable" => {
            let class = m.def(id).filter(|d| d.op() == Op::Variable).map(|d| StorageClass(d.word(3)));
            (class == Some(StorageClass::Workgroup), "an OpVariable in Workgroup")
        }
        _ => {
            let key = m.key(info.ty);
            let ok = info.op == Op::Constant && key.is_int() && key.width() == 32 && !key.is_signed();
            (ok, "an OpConstant of an unsigned 32-bit integer type")
        }
    };
    cx.check_at(ok, &OPERAND, ext.inst, FIRST + i, || {
        msg(format!("{name} {id} of {} is the result of {}, but must be {must}", ext.desc.name(), info.op))
            .declared(m, id)
    })
}

/// Whether `id` is the result of this instruction of the same import.
fn is_own(cx: &Cx<'_>, ext: Ext<'_>, id: Id, wanted: ClspvReflection) -> bool {
    cx.m.def(id).is_some_and(|d| {
        matches!(d.op(), Op::ExtInst | Op::ExtInstWithForwardRefsKHR)
            && d.id(3) == ext.inst.id(3)
            && d.word(4) == wanted.0
    })
}

/// Modules with more entry points than this are not looked through for each kernel.
const MOST: usize = 1 << 12;

fn kernel(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let m = cx.m;
    let function = ext.inst.id(FIRST);
    let name = m.def(ext.inst.id(FIRST + 1)).filter(|d| d.op() == Op::String).and_then(|d| LitStr::read(d.tail(2)));
    let op = m.info(function).op;
    cx.check_at(op == Op::Function, &KERNEL, ext.inst, FIRST, || format!("{function} is the result of {op}"))?;
    if m.entry_points().nth(MOST).is_some() {
        return Ok(());
    }
    let (mut found, mut named, mut compute) = (false, false, true);
    for entry in m.entry_points().filter(|e| e.function == function) {
        found = true;
        named |= entry.name.is_some() && entry.name == name;
        compute &= entry.model == ExecutionModel::GLCompute;
    }
    cx.check_at(found, &KERNEL, ext.inst, FIRST, || format!("{function} is no entry point"))?;
    cx.check_at(compute, &KERNEL, ext.inst, FIRST, || {
        format!("{function} is an entry point of another model than GLCompute")
    })?;
    cx.check_at(named || name.is_none(), &KERNEL, ext.inst, FIRST + 1, || {
        format!("{function} has no entry point of the name {}", ext.inst.id(FIRST + 1))
    })
}
