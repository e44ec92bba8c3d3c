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
    let limit = cx.options.limits.global_variables;
    let others =
        |i: &spirula_binary::Inst<'_>| i.op() != Op::Variable || StorageClass(i.word(3)) != StorageClass::Function;
    if let Some(over) = cx.m.global_variables().filter(others).nth(limit as usize) {
        cx.fail(&GLOBAL_VARIABLES, over, || format!("the module has more than {limit} variables outside of functions"))
            .ok();
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
