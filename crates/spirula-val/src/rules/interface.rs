//! Interfaces of entry points (OpEntryPoint, Interface).

use alloc::format;

use spirula_binary::Id;
use spirula_diag::{Rule, Site, rules};
use spirula_grammar::{Capability, Decoration, Op, StorageClass, Version};
use spirula_module::{EntryPoint, Module, Use};

use crate::cx::{Cx, msg};
use crate::rules::mode_setting::reached;

rules! {
    group "interfaces";
    /// The interface of an entry point lists global variables: until SPIR-V 1.3 those of the storage classes `Input` and
    /// `Output`.
    VARIABLE: "interface-variable", spec "OpEntryPoint";
    /// The interface of an entry point lists all variables that its call tree uses: until SPIR-V 1.3 those of the storage
    /// classes `Input` and `Output`, from 1.4 on all global variables.
    MISSING: "interface-missing", spec "OpEntryPoint";
    /// From SPIR-V 1.4 on, an interface lists a variable once.
    TWICE: "interface-twice", spec "OpEntryPoint";
    /// With explicit layout, either all or none of an entry point's `Workgroup` variables are blocks.
    WORKGROUP_BLOCKS: "workgroup-blocks", extension "SPV_KHR_workgroup_memory_explicit_layout";
    /// Where an entry point has several blocks in `Workgroup`, they share memory: all are decorated `Aliased`.
    WORKGROUP_ALIASED: "workgroup-aliased", extension "SPV_KHR_workgroup_memory_explicit_layout";
    /// An entry point uses at most one variable of the storage class `PushConstant`.
    PUSH_CONSTANTS: "push-constant-once", vuid "VUID-StandaloneSpirv-OpEntryPoint-06674";
    /// An entry point lists at most one variable of the storage class `PushConstant`.
    PUSH_CONSTANTS_LISTED: "push-constant-listed-once", vuid "VUID-StandaloneSpirv-OpVariable-06673";
    /// An entry point has at most one variable of the storage class `IncomingRayPayloadKHR`.
    RAY_PAYLOAD: "incoming-ray-payload-once", vuid "VUID-StandaloneSpirv-IncomingRayPayloadKHR-04700";
    /// An entry point has at most one variable of the storage class `HitAttributeKHR`.
    HIT_ATTRIBUTE: "hit-attribute-once", vuid "VUID-StandaloneSpirv-HitAttributeKHR-04702";
    /// An entry point has at most one variable of the storage class `IncomingCallableDataKHR`.
    CALLABLE_DATA: "incoming-callable-data-once", vuid "VUID-StandaloneSpirv-IncomingCallableDataKHR-04706";
}

/// Work that the call trees of all entry points together may cost; nothing real comes near it.
const BUDGET: usize = 1 << 27;

/// Judges the interfaces of all entry points.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    let all = cx.version >= Version::v1(4);
    let uses = core::mem::take(&mut cx.flow.uses);
    let mut budget = BUDGET;
    let mut listed = cx.list();
    for entry in m.entry_points() {
        listed.clear();
        listed.extend(entry.interface.iter().map(|w| Id(*w)));
        listed.sort_unstable();
        list(cx, &entry, &listed, all);
        if cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR) {
            workgroup(cx, &entry, &listed);
        }
        let cost = m.functions().len() + uses.list.len();
        if uses.list.is_empty() || budget < cost {
            continue;
        }
        budget -= cost;
        used(cx, &entry, &listed, &uses.list, all);
    }
    cx.flow.uses = uses;
}

/// The `Workgroup` variables that an entry point lists, where their layout may be explicit. Untyped ones are apart: with
/// them, blocks need not be aliased.
fn workgroup(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, listed: &[Id]) {
    let m = cx.m;
    let Some(at) = m.def(entry.function) else { return };
    let (mut blocks, mut other, mut alone) = (0, None, None);
    for id in listed.iter().filter(|id| class_of(m, **id) == Some(StorageClass::Workgroup)) {
        let Some(variable) = m.def(*id).filter(|v| v.op() == Op::Variable) else { continue };
        let data = m.pointer(variable.id(1)).map_or(Id(0), |p| p.1);
        if !m.is_decorated(data, Decoration::Block) {
            other = Some(*id);
            continue;
        }
        blocks += 1;
        if !m.is_decorated(*id, Decoration::Aliased) && !cx.has(Capability::UntypedPointersKHR) {
            alone = Some(*id);
        }
    }
    if let Some(id) = other.filter(|_| blocks > 0) {
        let text =
            || msg(format!("{id} is no block, but other Workgroup variables of the interface are")).declared(m, id);
        cx.fail(&WORKGROUP_BLOCKS, at, text).ok();
    }
    if let Some(id) = alone.filter(|_| blocks > 1) {
        let text =
            || msg(format!("{id} is not decorated Aliased, but is one of {blocks} Workgroup blocks")).declared(m, id);
        cx.fail(&WORKGROUP_ALIASED, at, text).ok();
    }
}

/// Storage class of a variable, typed or not.
pub(crate) fn class_of(m: Module<'_>, variable: Id) -> Option<StorageClass> {
    let def = m.def(variable)?;
    matches!(def.op(), Op::Variable | Op::UntypedVariableKHR).then(|| StorageClass(def.word(3)))
}

fn list(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, listed: &[Id], all: bool) {
    let m = cx.m;
    for pair in listed.windows(2) {
        if all && pair[0] == pair[1] {
            let text = || format!("the interface lists {} twice", pair[0]);
            cx.fail(&TWICE, entry.inst, text).ok();
        }
    }
    let mut counts = [0usize; ONCE.len()];
    for id in listed {
        let info = m.info(*id);
        let Some(def) = m.def(*id) else { continue };
        let at = Site::at(entry.inst.offset());
        let variable = matches!(info.op, Op::Variable | Op::UntypedVariableKHR);
        if !variable {
            let text = || {
                let text = format!("the interface lists {id}, which is no variable, but the result of {}", info.op);
                msg(text).declared(m, *id)
            };
            cx.fail_site(&VARIABLE, at, text).ok();
            continue;
        }
        let class = StorageClass(def.word(3));
        let fine = if all {
            class != StorageClass::Function
        } else {
            matches!(class, StorageClass::Input | StorageClass::Output)
        };
        if !fine {
            let text = || msg(format!("the interface lists {id}, a variable of {class}")).note(at, "listed here");
            cx.fail(&VARIABLE, def, text).ok();
        }
        if let Some(n) = ONCE.iter().position(|(c, _)| *c == class) {
            counts[n] += 1;
        }
    }
    if cx.env.is_vulkan() {
        for ((class, rule), count) in ONCE.iter().zip(counts) {
            if count > 1 && !(*class == StorageClass::PushConstant && banks(m)) {
                let text = || format!("the interface lists {count} variables of {class}");
                cx.fail(rule, entry.inst, text).ok();
            }
        }
    }
}

/// Storage classes of which Vulkan allows one variable in an interface.
static ONCE: [(StorageClass, &Rule); 4] = [
    (StorageClass::PushConstant, &PUSH_CONSTANTS_LISTED),
    (StorageClass::IncomingRayPayloadKHR, &RAY_PAYLOAD),
    (StorageClass::HitAttributeKHR, &HIT_ATTRIBUTE),
    (StorageClass::IncomingCallableDataKHR, &CALLABLE_DATA),
];

/// Whether several variables of push constants are allowed.
fn banks(m: Module<'_>) -> bool {
    m.has(Capability::PushConstantBanksNV)
}

fn used(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, listed: &[Id], uses: &[Use], all: bool) {
    let m = cx.m;
    let reached = reached(cx, entry.function);
    let mut missing = cx.list();
    let (mut push_constant, mut several) = (None, false);
    for u in uses.iter().filter(|u| reached.get(u.function as usize) == Some(&true)) {
        let Some(class) = class_of(m, u.id) else { continue };
        if class == StorageClass::PushConstant {
            several |= push_constant.is_some_and(|first| first != u.id);
            push_constant = Some(u.id);
        }
        let interface = all || matches!(class, StorageClass::Input | StorageClass::Output);
        if interface && listed.binary_search(&u.id).is_err() {
            missing.push(u.id);
        }
    }
    missing.sort_unstable();
    missing.dedup();
    for id in missing {
        if let Some(def) = m.def(id) {
            let entry_point = entry.function;
            let text = || {
                let at = Site::at(entry.inst.offset());
                let text = format!("the entry point {entry_point} uses {id}, but does not list it in its interface");
                msg(text).note(at, "this is the entry point")
            };
            cx.fail(&MISSING, def, text).ok();
        }
    }
    if several && cx.env.is_vulkan() && !banks(m) {
        let text = || format!("the entry point {} uses more than one variable of PushConstant", entry.function);
        cx.fail(&PUSH_CONSTANTS, entry.inst, text).ok();
    }
}
