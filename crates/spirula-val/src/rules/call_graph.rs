//! Entry points and calls (§2.16.1, "Entry Point" and "Functions").

use alloc::format;

use spirula_diag::{Site, rules};
use spirula_grammar::{Capability, Op};

use crate::cx::{Cx, msg};

rules! {
    group "calls";
    /// A module has an entry point, unless it declares the Linkage capability.
    ENTRY_POINT: "entry-point-missing", spec "§2.16.1";
    /// No function is called that is an entry point.
    CALLED: "entry-point-called", spec "§2.16.1";
    /// The static call graph of an entry point has no cycle: no function calls itself, directly or through others.
    RECURSION: "recursion", vuid "VUID-StandaloneSpirv-None-04634";
}

pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    let has_graph = m.global_insts().any(|i| i.op() == Op::GraphEntryPointARM);
    if m.entry_points().next().is_none() && !has_graph && !cx.has(Capability::Linkage) {
        let at = Site::at(m.memory_model_inst().map_or(0, |i| i.offset()));
        cx.fail_site(&ENTRY_POINT, at, || {
            msg("the module has no entry point").help("declare the Linkage capability for a module without")
        })
        .ok();
    }
    if m.functions().iter().all(|f| m.calls(f).is_empty()) {
        return;
    }
    called(cx);
    if cx.env.is_vulkan() {
        recursion(cx);
    }
}

fn called(cx: &mut Cx<'_>) {
    let m = cx.m;
    let is_entry = cx.filled(m.functions().len(), 0);
    for e in m.entry_points() {
        if let Some(f) = m.info(e.function).function().and_then(|f| is_entry.get_mut(f)) {
            *f = e.inst.offset();
        }
    }
    for call in m.functions().iter().flat_map(|f| m.calls(f)) {
        let entry = m.info(call.callee).function().and_then(|f| is_entry.get(f)).copied().unwrap_or(0);
        if entry != 0 {
            cx.fail_site(&CALLED, Site::at(call.at), || {
                msg(format!("{} is an entry point and cannot be called", call.callee))
                    .note(Site::at(entry), "declared as entry point here")
            })
            .ok();
        }
    }
}

/// Depth-first search over the functions that entry points reach, with a stack of its own.
fn recursion(cx: &mut Cx<'_>) {
    const UNSEEN: u32 = 0;
    const OPEN: u32 = 1;
    const DONE: u32 = 2;
    let m = cx.m;
    let functions = m.functions();
    let state = cx.filled(functions.len(), UNSEEN);
    let mut stack = cx.list();
    for root in 0..functions.len() {
        if state[root] != UNSEEN || m.models_reaching(root).is_empty() {
            continue;
        }
        state[root] = OPEN;
        stack.push((root, 0));
        while let Some((f, next)) = stack.last_mut() {
            let Some(call) = m.calls(&functions[*f]).get(*next) else {
                state[*f] = DONE;
                stack.pop();
                continue;
            };
            *next += 1;
            let Some(callee) = m.info(call.callee).function().filter(|c| *c < functions.len()) else { continue };
            match state[callee] {
                UNSEEN => {
                    state[callee] = OPEN;
                    stack.push((callee, 0));
                }
                OPEN => {
                    cx.fail_site(&RECURSION, Site::at(call.at), || {
                        msg(format!("this call of {} closes a cycle in the call graph of an entry point", call.callee))
                            .note(Site::at(functions[callee].start), "the function that is entered again")
                    })
                    .ok();
                }
                _ => {}
            }
        }
    }
}
