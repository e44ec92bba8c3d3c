//! Function instructions (§3.3.9).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Decoration, ExecutionModel, FunctionControl, LinkageType, Op, StorageClass};
use spirula_module::{EntryPoint, Module, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::{Parts, without_arrays};
use crate::signature::describe;

rules! {
    group "functions";
    /// A function has a function type, and its Result Type is what that type returns.
    TYPE: "function-type", spec "OpFunction";
    /// A function has the parameters that its type lists, in order.
    PARAMETER: "function-parameter", spec "OpFunctionParameter";
    /// A function without blocks is one that another module defines: it is decorated LinkageAttributes Import.
    DECLARATION: "function-declaration", spec "§2.16.1";
    /// A function with blocks is not imported.
    DEFINITION: "function-definition", spec "§2.16.1";
    /// A function is declared or defined, not both: none is imported under the name of one that the module exports.
    TWO_WAYS: "function-declared-and-defined", spec "§2.16.1";
    /// The name of what a module exports tells it from everything else that the module exports. A warning, since it is
    /// the linker that sees to it.
    EXPORTED_TWICE: "linkage-name-twice", warn spec "§2.13";
    /// A call names a function of the module.
    CALLEE: "call-function", spec "OpFunctionCall";
    /// A call has the Result Type that the function returns.
    CALL_RESULT: "call-result", spec "OpFunctionCall";
    /// A call passes as many arguments as the function has parameters.
    CALL_COUNT: "call-arguments", spec "OpFunctionCall";
    /// Each argument has the type of its parameter.
    CALL_ARGUMENT: "call-argument-type", spec "OpFunctionCall";
    /// A function that is not to be optimised is not to be inlined either.
    OPT_NONE: "function-opt-none", extension "SPV_EXT_optnone";
    /// An entry point is a function of the module, which returns nothing and, but for kernels, takes nothing.
    ENTRY_POINT: "entry-point-function", spec "OpEntryPoint";
    /// Execution modes are for entry points.
    MODE: "execution-mode-target", spec "OpExecutionMode";
    /// A parameter that points into PhysicalStorageBuffer is decorated Aliased or Restrict. SPIR-V 1.6 revision 5 and
    /// later take silence for Restrict, earlier texts did not.
    ALIASED: "parameter-aliased", warn extension "SPV_KHR_physical_storage_buffer";
    /// A parameter that points to pointers into PhysicalStorageBuffer is decorated AliasedPointer or RestrictPointer.
    /// SPIR-V 1.6 revision 5 and later take silence for RestrictPointer, earlier texts did not.
    ALIASED_POINTER: "parameter-aliased-pointer", warn extension "SPV_KHR_physical_storage_buffer";
}

pub(crate) const TABLE: Table = rule_table! {
    Function => function;
    FunctionParameter => parameter;
    FunctionCall => call;
};

fn function_type<'a>(cx: &Cx<'a>, function: Inst<'a>) -> Option<(Id, &'a [u32])> {
    match cx.m.ty(function.id(4))? {
        Type::Function { result, parameters } => Some((result, parameters)),
        _ => None,
    }
}

fn function<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    cx.def(inst.id(4))?;
    let Some((result, parameters)) = function_type(cx, inst) else {
        return cx.fail_at(&TYPE, inst, 4, || format!("the Function Type {} is not OpTypeFunction", inst.id(4)));
    };
    cx.check_at(result == inst.id(1), &TYPE, inst, 1, || {
        format!("the Result Type is {}, but {} returns {}", describe(m, inst.id(1)), inst.id(4), describe(m, result))
    })?;
    let control = FunctionControl(inst.word(3));
    let both = control.contains(FunctionControl::OptNoneEXT) && control.contains(FunctionControl::Inline);
    cx.check_at(!both, &OPT_NONE, inst, 3, || "OptNoneEXT and Inline exclude each other")?;
    let Some(here) = cx.here else { return Ok(()) };
    let has_body = here.function.has_body();
    let given = m.insts(inst.offset()..here.function.body).filter(|i| i.op() == Op::FunctionParameter).count();
    // A function that names none of its parameters is taken as it is: nothing can refer to them. One too many is reported
    // itself.
    cx.check(given >= parameters.len() || given == 0, &PARAMETER, inst, || {
        format!("the function has {given} parameters, but {} lists {}", inst.id(4), parameters.len())
    })?;
    linkage(cx, inst, has_body)
}

fn linkage<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, has_body: bool) -> Checked {
    let id = inst.id(2);
    let imported =
        cx.m.own_decorations(id)
            .filter(|d| d.decoration == Decoration::LinkageAttributes)
            .any(|d| d.operands.last() == Some(&LinkageType::Import.0));
    cx.check(has_body || imported, &DECLARATION, inst, || {
        msg(format!("{id} has no blocks, but is not decorated LinkageAttributes Import"))
    })?;
    cx.check(!has_body || !imported, &DEFINITION, inst, || {
        msg(format!("{id} has blocks, but is decorated LinkageAttributes Import"))
    })
}

fn parameter<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let Some(here) = cx.here else { return Ok(()) };
    let Some(function) = m.inst_at(here.function.start) else { return Ok(()) };
    let Some((_, types)) = function_type(cx, function) else { return Ok(()) };
    let before = m.insts(here.function.start..inst.offset());
    let n = before.filter(|i| i.op() == Op::FunctionParameter).count();
    let Some(wanted) = types.get(n).map(|t| Id(*t)) else {
        let first = n == types.len();
        return cx
            .check(!first, &PARAMETER, inst, || format!("parameter {n}, but {} lists {n} in all", function.id(4)));
    };
    cx.check_at(wanted == inst.id(1), &PARAMETER, inst, 1, || {
        let (has, ty) = (describe(m, inst.id(1)), function.id(4));
        format!("parameter {n} has type {has}, but {ty} lists {}", describe(m, wanted))
    })?;
    if cx.parts(inst.id(1)).any(Parts::POINTER) { physical(cx, inst) } else { Ok(()) }
}

/// Aliasing of parameters that are physical pointers, or point to such.
fn physical<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, id) = (cx.m, inst.id(2));
    let Some((class, pointee)) = m.pointer(inst.id(1)) else { return Ok(()) };
    let has = |d| m.is_decorated(id, d);
    if class == StorageClass::PhysicalStorageBuffer {
        let says = has(Decoration::Aliased) || has(Decoration::Restrict);
        return cx.check(says, &ALIASED, inst, || {
            msg(format!("{id} points to PhysicalStorageBuffer, but is decorated neither Aliased nor Restrict"))
                .help("SPIR-V 1.6 takes it for Restrict; older consumers refuse it")
        });
    }
    let (inner, _) = without_arrays(m, pointee);
    if !m.key(inner).is_pointer() || !cx.parts(inner).any(Parts::PHYSICAL_STORAGE) {
        return Ok(());
    }
    let says = has(Decoration::AliasedPointer) || has(Decoration::RestrictPointer);
    cx.check(says, &ALIASED_POINTER, inst, || {
        msg(format!("{id} leads to pointers into PhysicalStorageBuffer, but is decorated neither AliasedPointer nor RestrictPointer"))
            .help("SPIR-V 1.6 takes it for RestrictPointer; older consumers refuse it")
    })
}

fn call<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, callee) = (cx.m, inst.id(3));
    let info = m.info(callee);
    cx.check_at(info.op == Op::Function, &CALLEE, inst, 3, || {
        msg(format!("{callee} is the result of {}, not of OpFunction", info.op)).declared(m, callee)
    })?;
    cx.def(callee)?;
    let Some(function) = m.def(callee) else { return Ok(()) };
    let Some((result, parameters)) = function_type(cx, function) else { return Ok(()) };
    cx.check_at(result == inst.id(1), &CALL_RESULT, inst, 1, || {
        msg(format!("the Result Type is {}, but {callee} returns {}", describe(m, inst.id(1)), describe(m, result)))
            .declared(m, callee)
    })?;
    let given = inst.tail(4).len();
    cx.check(given == parameters.len(), &CALL_COUNT, inst, || {
        msg(format!("{given} arguments for {callee}, which has {} parameters", parameters.len())).declared(m, callee)
    })?;
    for (n, wanted) in parameters.iter().enumerate() {
        let (word, wanted) = (n + 4, Id(*wanted));
        let ty = cx.type_at(inst, word)?;
        let relaxed = cx.options.before_hlsl_legalization || cx.options.relax_logical_pointer;
        let ok = ty == wanted || (relaxed && matching_pointers(m, ty, wanted));
        cx.check_at(ok, &CALL_ARGUMENT, inst, word, || {
            let (has, want) = (describe(m, ty), describe(m, wanted));
            msg(format!("argument {n}, {}, has type {has}, but the parameter has type {want}", inst.id(word)))
                .declared(m, callee)
        })?;
    }
    Ok(())
}

/// Whether two pointer types differ only in decorations of what they point to.
fn matching_pointers(m: Module<'_>, a: Id, b: Id) -> bool {
    match (m.pointer(a), m.pointer(b)) {
        (Some((_, p)), Some((_, q))) => crate::rules::memory::same_structure(m, p, q) && same_stride(m, a, b),
        _ => false,
    }
}

/// Whether two pointer types step by the same stride, where both say one.
fn same_stride(m: Module<'_>, a: Id, b: Id) -> bool {
    let stride = |ty| m.decoration(ty, Decoration::ArrayStride).map(|d| d.operand());
    match (stride(a), stride(b)) {
        (Some(x), Some(y)) => x == y,
        _ => true,
    }
}

/// One name that a module imports or exports.
#[derive(Clone, Copy)]
struct Linked<'a> {
    name: &'a [u32],
    imported: bool,
    inst: Inst<'a>,
}

/// The names that a module imports and exports, against each other.
pub(crate) fn linkage_names(cx: &mut Cx<'_>) {
    let m = cx.m;
    if !m.may_be_decorated(Decoration::LinkageAttributes) {
        return;
    }
    let linked =
        |inst: Inst<'_>| inst.op() == Op::Decorate && Decoration(inst.word(2)) == Decoration::LinkageAttributes;
    let mut names = cx.collect(m.annotations().filter(|i| linked(*i)).filter_map(|inst| {
        let (way, name) = inst.tail(3).split_last()?;
        Some(Linked { name, imported: LinkageType(*way) == LinkageType::Import, inst })
    }));
    names.sort_unstable_by(|a, b| a.name.cmp(b.name).then(a.inst.offset().cmp(&b.inst.offset())));
    for pair in names.windows(2) {
        let &[first, second] = pair else { continue };
        if first.name == second.name && first.inst.id(1) != second.inst.id(1) {
            same_name(cx, first, second).ok();
        }
    }
}

#[cold]
fn same_name<'a>(cx: &mut Cx<'a>, first: Linked<'a>, second: Linked<'a>) -> Checked {
    let m = cx.m;
    let (a, b) = (first.inst.id(1), second.inst.id(1));
    let functions = m.info(a).op == Op::Function && m.info(b).op == Op::Function;
    let both = functions && first.imported != second.imported;
    let text = |what: &str| msg(format!("{a} and {b} are {what} under the same name")).declared(m, a).declared(m, b);
    cx.check_at(!both, &TWO_WAYS, second.inst, 1, || text("imported and exported"))?;
    let exported = !first.imported && !second.imported;
    cx.check_at(!exported, &EXPORTED_TWICE, second.inst, 1, || text("exported"))
}

/// What entry points and execution modes refer to.
pub(crate) fn entry_points(cx: &mut Cx<'_>) {
    let m = cx.m;
    for entry in m.entry_points() {
        entry_point(cx, &entry).ok();
    }
    let mut functions = cx.collect(m.entry_points().map(|e| e.function));
    functions.sort_unstable();
    for inst in m.execution_mode_insts() {
        let target = inst.id(1);
        let known = !m.info(target).is_defined() || functions.binary_search(&target).is_ok();
        cx.check_at(known, &MODE, inst, 1, || format!("{target} is not an entry point")).ok();
    }
}

fn entry_point<'a>(cx: &mut Cx<'a>, entry: &EntryPoint<'a>) -> Checked {
    let (m, id) = (cx.m, entry.function);
    let info = m.info(id);
    let word = if entry.inst.op() == Op::EntryPoint { 2 } else { 3 };
    cx.check_at(info.op == Op::Function || !info.is_defined(), &ENTRY_POINT, entry.inst, word, || {
        msg(format!("{id} is the result of {}, not of OpFunction", info.op)).declared(m, id)
    })?;
    // Vulkan says the same in a rule of its own.
    if cx.env.is_vulkan() || info.op != Op::Function {
        return Ok(());
    }
    let Some(function) = m.def(id) else { return Ok(()) };
    let Some((result, parameters)) = function_type(cx, function) else { return Ok(()) };
    cx.check_at(m.info(result).op == Op::TypeVoid, &ENTRY_POINT, entry.inst, word, || {
        msg(format!("{id} returns {}, but an entry point returns nothing", describe(m, result))).declared(m, id)
    })?;
    let ok = entry.model == ExecutionModel::Kernel || parameters.is_empty();
    cx.check_at(ok, &ENTRY_POINT, entry.inst, word, || {
        msg(format!("{id} has parameters, but only kernels take any")).declared(m, id)
    })
}
