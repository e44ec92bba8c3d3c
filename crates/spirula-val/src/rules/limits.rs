//! Universal limits (§2.17).

use alloc::format;

use spirula_diag::{Site, rules};
use spirula_grammar::{Op, StorageClass};
use spirula_module::Function;

use crate::cx::Cx;

rules! {
    group "limits";
    /// An `OpSwitch` has at most 16,383 pairs of literal and label.
    SWITCH_BRANCHES: "limit-switch-branches", spec "§2.17";
    /// A module has at most 65,535 variables outside of functions.
    GLOBAL_VARIABLES: "limit-global-variables", spec "§2.17";
    /// A function has at most 524,287 variables.
    LOCAL_VARIABLES: "limit-local-variables", spec "§2.17";
    /// A structure has at most 16,383 members.
    STRUCT_MEMBERS: "limit-struct-members", spec "§2.17";
    /// Structures nest at most 255 deep.
    STRUCT_DEPTH: "limit-struct-depth", spec "§2.17";
    /// A function type has at most 255 parameters.
    FUNCTION_ARGS: "limit-function-parameters", spec "§2.17";
    /// An access chain has at most 255 indexes.
    CHAIN_INDEXES: "limit-access-chain-indexes", spec "§2.17";
    /// Structured control flow nests at most 1,023 deep.
    NESTING: "limit-control-flow-nesting", spec "§2.17";
}

pub(crate) fn function<'a>(cx: &mut Cx<'a>, function: &'a Function) {
    let limit = cx.options.limits.local_variables;
    // Each variable has four words at least.
    if (function.end - function.start) / 4 > limit {
        let variables = cx.m.insts(function.start..function.end).filter(|i| i.op() == Op::Variable);
        if let Some(over) = variables.into_iter().nth(limit as usize) {
            cx.fail(&LOCAL_VARIABLES, over, || format!("the function has more than {limit} variables")).ok();
        }
    }
}

pub(crate) fn module(cx: &mut Cx<'_>) {
    types(cx);
    let limit = cx.options.limits.global_variables;
    let others =
        |i: &spirula_binary::Inst<'_>| i.op() != Op::Variable || StorageClass(i.word(3)) != StorageClass::Function;
    if let Some(over) = cx.m.global_variables().filter(others).nth(limit as usize) {
        cx.fail(&GLOBAL_VARIABLES, over, || format!("the module has more than {limit} variables outside of functions"))
            .ok();
    }
}

/// Limits of types.
fn types(cx: &mut Cx<'_>) {
    let limits = cx.options.limits;
    let m = cx.m;
    let mut structs = 0u32;
    for inst in m.global_insts() {
        let (rule, count, limit, what) = match inst.op() {
            Op::TypeStruct => {
                structs += 1;
                (&STRUCT_MEMBERS, inst.tail(2).len(), limits.struct_members, "structure has")
            }
            Op::TypeFunction => (&FUNCTION_ARGS, inst.tail(3).len(), limits.function_args, "function type has"),
            _ => continue,
        };
        if count > limit as usize {
            let noun = if inst.op() == Op::TypeStruct { "members" } else { "parameters" };
            cx.fail(rule, inst, || format!("the {what} {count} {noun}, more than {limit}")).ok();
        }
    }
    // Structures cannot nest deeper than there are any.
    if structs > limits.struct_depth {
        depth(cx, limits.struct_depth);
    }
}

/// Depth of each structure, in order of declaration: members come before, save for pointers, which do not count.
fn depth(cx: &mut Cx<'_>, limit: u32) {
    let m = cx.m;
    let depths = cx.filled(m.ids().slot_count(), 0u32);
    for inst in m.global_insts() {
        let parts = match inst.op() {
            Op::TypeStruct => inst.tail(2),
            Op::TypeArray | Op::TypeRuntimeArray => inst.words().get(2..3).unwrap_or(&[]),
            _ => continue,
        };
        let slot = |id: u32| m.ids().slot(spirula_binary::Id(id));
        let inner = parts.iter().filter_map(|p| depths.get(slot(*p)?)).max().copied().unwrap_or(0);
        let own = inner + u32::from(inst.op() == Op::TypeStruct);
        if own == limit + 1 && inst.op() == Op::TypeStruct {
            cx.fail(&STRUCT_DEPTH, inst, || format!("structures nest {own} deep, more than {limit}")).ok();
        }
        if let Some(d) = slot(inst.word(1)).and_then(|s| depths.get_mut(s)) {
            *d = own;
        }
    }
}

/// Nesting depth, known once the function's structure is.
pub(crate) fn nesting(cx: &mut Cx<'_>, function: &Function, depth: u32) {
    let limit = cx.options.limits.control_flow_nesting_depth;
    if depth > limit {
        cx.fail_site(&NESTING, Site::at(function.start), || {
            format!("control flow nests {depth} deep, more than {limit}")
        })
        .ok();
    }
}
