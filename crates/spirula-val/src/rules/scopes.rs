//! Scope and Memory Semantics operands (§3.2.24, §3.2.26, §2.18, and Vulkan's rules for them).

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, ExecutionModel, MemoryModel, MemorySemantics, Op, Scope};
use spirula_module::ModelSet;

use crate::cx::{Cx, msg};
use crate::env::Client;
use crate::rules::operand::name_of;

rules! {
    group "scopes";
    /// The id of a Scope has the type of a 32-bit integer scalar.
    SCOPE_TYPE: "scope-type", spec "§3.2.26";
    /// Modules with the capability Shader know their scopes at compile time: each is an OpConstant.
    SCOPE_CONSTANT: "scope-constant", spec "§2.16.2";
    /// A constant scope is one of the values that the specification lists.
    SCOPE_VALUE: "scope-value", spec "§3.2.26";
    /// A scope that needs a capability is used only where the capability is declared.
    SCOPE_CAPABILITY: "scope-capability", spec "§3.2.26";
    /// With the Vulkan memory model, Device scope needs the capability VulkanMemoryModelDeviceScope.
    DEVICE_SCOPE: "device-scope", spec "§3.2.26";
    /// Non-uniform group instructions work within a subgroup.
    EXECUTION_SUBGROUP: "execution-subgroup", spec "§3.3.24";
    /// The Scope for group operations is Subgroup.
    EXECUTION_SUBGROUP_VULKAN: "vulkan-group-scope", vuid "VUID-StandaloneSpirv-None-04642";
    /// Execution scope of the instruction is Workgroup or Subgroup.
    EXECUTION_SCOPE: "execution-scope", spec "§3.3.21";
    /// Scopes for execution are Workgroup or Subgroup.
    EXECUTION_SCOPE_VULKAN: "vulkan-execution-scope", vuid "VUID-StandaloneSpirv-None-04636";
    /// Workgroup as scope for execution is for stages that have workgroups.
    EXECUTION_WORKGROUP: "vulkan-execution-workgroup", vuid "VUID-StandaloneSpirv-None-04637";
    /// In stages without workgroups, a control barrier synchronises a subgroup at most.
    BARRIER_SUBGROUP: "vulkan-control-barrier-subgroup", vuid "VUID-StandaloneSpirv-OpControlBarrier-04682";
    /// Split barriers synchronise a workgroup or a subgroup.
    SPLIT_BARRIER_SCOPE: "vulkan-split-barrier-scope", vuid "VUID-StandaloneSpirv-OpControlBarrierArriveEXT-13553";
    /// CrossDevice is no scope for memory in Vulkan.
    MEMORY_SCOPE: "vulkan-memory-scope", vuid "VUID-StandaloneSpirv-None-04638";
    /// In tessellation control shaders with the GLSL450 memory model, the scope for memory is not Workgroup.
    MEMORY_TESSELLATION: "vulkan-memory-tessellation", vuid "VUID-StandaloneSpirv-ExecutionModel-07320";
    /// Workgroup as scope for memory is for stages that have workgroups.
    MEMORY_WORKGROUP: "vulkan-memory-workgroup", vuid "VUID-StandaloneSpirv-None-07321";
    /// ShaderCallKHR as scope for memory is for ray tracing stages.
    MEMORY_SHADER_CALL: "vulkan-memory-shader-call", vuid "VUID-StandaloneSpirv-None-04640";
    /// Within a single invocation there is nothing to order: such an access is Relaxed.
    MEMORY_INVOCATION: "vulkan-memory-invocation", vuid "VUID-StandaloneSpirv-None-04641";
    /// Subgroup as scope for memory needs a capability that brings subgroups.
    MEMORY_SUBGROUP: "vulkan-memory-subgroup", vuid "VUID-StandaloneSpirv-SubgroupVoteKHR-07951";
    /// The id of Memory Semantics has the type of a 32-bit integer scalar.
    SEMANTICS_TYPE: "semantics-type", spec "§3.2.24";
    /// Modules with the capability Shader know their memory semantics at compile time: each is an OpConstant.
    SEMANTICS_CONSTANT: "semantics-constant", spec "§2.16.2";
    /// Constant memory semantics have only bits that the specification lists.
    SEMANTICS_BITS: "semantics-bits", spec "§3.2.24";
    /// At most one of Acquire, Release, AcquireRelease and SequentiallyConsistent is set; Acquire and Release together
    /// are spelled AcquireRelease.
    ONE_ORDER: "semantics-one-order", spec "§3.2.24";
    /// At most one memory order bit is set.
    ONE_ORDER_VULKAN: "vulkan-semantics-one-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10865";
    /// The Vulkan memory model has no SequentiallyConsistent order.
    NO_SEQUENTIAL: "semantics-sequentially-consistent", spec "§3.2.24";
    /// Vulkan has no SequentiallyConsistent order.
    NO_SEQUENTIAL_VULKAN: "vulkan-sequentially-consistent", vuid "VUID-StandaloneSpirv-MemorySemantics-10866";
    /// A bit that needs a capability is set only where the capability is declared.
    SEMANTICS_CAPABILITY: "semantics-capability", spec "§3.2.24";
    /// Clearing a flag, or storing, does not acquire.
    FLAG_CLEAR_ORDER: "atomic-flag-clear-order", spec "OpAtomicFlagClear";
    /// A store does not acquire: its order is Release or Relaxed.
    STORE_ORDER: "vulkan-atomic-store-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10867";
    /// A load does not release: its order is Acquire or Relaxed.
    LOAD_ORDER: "vulkan-atomic-load-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10868";
    /// A memory barrier that orders nothing has no use: its order is not Relaxed.
    BARRIER_ORDER: "vulkan-memory-barrier-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10869";
    /// An order applies to memory of some storage class, which is named too.
    ORDER_WITHOUT_CLASS: "vulkan-order-without-class", vuid "VUID-StandaloneSpirv-MemorySemantics-10870";
    /// Storage classes are named for an order to apply to, which is not Relaxed.
    CLASS_WITHOUT_ORDER: "vulkan-class-without-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10871";
    /// Making available is part of a release.
    AVAILABLE_ORDER: "vulkan-make-available-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10872";
    /// Making visible is part of an acquire.
    VISIBLE_ORDER: "vulkan-make-visible-order", vuid "VUID-StandaloneSpirv-MemorySemantics-10873";
    /// Barriers access no memory that could be volatile.
    VOLATILE_BARRIER: "vulkan-volatile-barrier", vuid "VUID-StandaloneSpirv-MemorySemantics-13551";
    /// Arriving at a split barrier releases.
    ARRIVE_ORDER: "vulkan-barrier-arrive-order", vuid "VUID-StandaloneSpirv-MemorySemantics-13556";
    /// Waiting at a split barrier acquires.
    WAIT_ORDER: "vulkan-barrier-wait-order", vuid "VUID-StandaloneSpirv-MemorySemantics-13557";
    /// Where a compare-exchange does not store, it does not release.
    UNEQUAL_RELEASE: "unequal-release", spec "OpAtomicCompareExchange";
    /// Where a compare-exchange does not store, it does not release.
    UNEQUAL_RELEASE_VULKAN: "vulkan-unequal-release", vuid "VUID-StandaloneSpirv-UnequalMemorySemantics-10875";
    /// The order for Unequal is not stronger than the order for Equal.
    UNEQUAL_STRONGER: "unequal-stronger", spec "OpAtomicCompareExchange";
    /// The order for Unequal is not stronger than the order for Equal.
    UNEQUAL_STRONGER_VULKAN: "vulkan-unequal-stronger", vuid "VUID-StandaloneSpirv-UnequalMemorySemantics-10876";
    /// Unequal names no storage class that Equal does not name.
    UNEQUAL_CLASS: "vulkan-unequal-class", vuid "VUID-StandaloneSpirv-UnequalMemorySemantics-10877";
    /// Unequal makes nothing visible that Equal does not.
    UNEQUAL_VISIBLE: "vulkan-unequal-visible", vuid "VUID-StandaloneSpirv-UnequalMemorySemantics-10878";
    /// Unequal and Equal agree on Volatile.
    UNEQUAL_VOLATILE: "vulkan-unequal-volatile", vuid "VUID-StandaloneSpirv-UnequalMemorySemantics-10879";
}

const ACQUIRE: u32 = MemorySemantics::Acquire.0;
const RELEASE: u32 = MemorySemantics::Release.0;
const ACQUIRE_RELEASE: u32 = MemorySemantics::AcquireRelease.0;
const SEQUENTIAL: u32 = MemorySemantics::SequentiallyConsistent.0;
const ORDERS: u32 = ACQUIRE | RELEASE | ACQUIRE_RELEASE | SEQUENTIAL;
const AVAILABLE: u32 = MemorySemantics::MakeAvailable.0;
const VISIBLE: u32 = MemorySemantics::MakeVisible.0;
const VOLATILE: u32 = MemorySemantics::Volatile.0;
const OUTPUT: u32 = MemorySemantics::OutputMemory.0;
const UNIFORM: u32 = MemorySemantics::UniformMemory.0;
/// The storage classes that Vulkan supports.
const CLASSES: u32 = UNIFORM | MemorySemantics::WorkgroupMemory.0 | MemorySemantics::ImageMemory.0 | OUTPUT;

/// All bits that the table of §3.2.24 lists.
const KNOWN: u32 = 0xffde;

/// Stages that have workgroups.
const WITH_WORKGROUPS: &[ExecutionModel] = &[
    ExecutionModel::TaskNV,
    ExecutionModel::MeshNV,
    ExecutionModel::TaskEXT,
    ExecutionModel::MeshEXT,
    ExecutionModel::TessellationControl,
    ExecutionModel::GLCompute,
];

/// Ray tracing stages.
pub(crate) const RAY_TRACING: &[ExecutionModel] = &[
    ExecutionModel::RayGenerationKHR,
    ExecutionModel::IntersectionKHR,
    ExecutionModel::AnyHitKHR,
    ExecutionModel::ClosestHitKHR,
    ExecutionModel::MissKHR,
    ExecutionModel::CallableKHR,
];

/// The value of a Scope or Memory Semantics operand; `None` where it is not known before run time.
fn constant(
    cx: &mut Cx<'_>,
    inst: Inst<'_>,
    word: usize,
    (bad_type, not_constant): (&'static Rule, &'static Rule),
) -> Checked<Option<u32>> {
    let key = cx.key_at(inst, word)?;
    let (m, id) = (cx.m, inst.id(word));
    cx.check_at(key.is_int() && key.width() == 32, bad_type, inst, word, || {
        let ty = crate::signature::describe(m, m.type_id_of(id));
        msg(format!("{} {id} has type {ty}, but must be a 32-bit integer scalar", name_of(inst, word))).declared(m, id)
    })?;
    let info = m.info(id);
    if info.is_constant() && !info.is_spec_constant() {
        return Ok(m.int_constant(id).map(|c| c.bits as u32));
    }
    // The cooperative matrix extensions allow any constant instruction.
    let any_constant = cx.has(Capability::CooperativeMatrixNV) || cx.has(Capability::CooperativeMatrixKHR);
    if cx.has(Capability::Shader) && !(any_constant && info.is_constant()) {
        cx.fail_at(not_constant, inst, word, || {
            msg(format!(
                "{} {id} is the result of {}, but must be of an OpConstant where Shader is declared",
                name_of(inst, word),
                info.op
            ))
            .declared(m, id)
        })?;
    }
    Ok(None)
}

/// The value of a Scope operand, checked for what is true of all scopes.
pub(crate) fn scope(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<Option<Scope>> {
    let Some(value) = constant(cx, inst, word, (&SCOPE_TYPE, &SCOPE_CONSTANT))? else { return Ok(None) };
    let Some(e) = Scope::KIND.enumerant(value) else {
        cx.fail_at(&SCOPE_VALUE, inst, word, || format!("{value} is no Scope"))?;
        return Ok(None);
    };
    let caps = e.capabilities();
    let lacks = e.needs_capability() && !cx.m.capabilities().intersects(caps);
    if lacks && !is_of_wrong_model(cx, Scope(value)) {
        cx.fail_at(&SCOPE_CAPABILITY, inst, word, || {
            let names = caps.iter().filter_map(|c| c.name()).collect::<Vec<_>>().join(" or ");
            format!("Scope {} needs the capability {names}", e.name())
        })?;
    }
    Ok(Some(Scope(value)))
}

/// Whether Vulkan's rule for the scope is broken anyway, of which a missing capability is but a consequence.
fn is_of_wrong_model(cx: &Cx<'_>, scope: Scope) -> bool {
    scope == Scope::ShaderCallKHR
        && cx.env.is_vulkan()
        && !cx.models_here().without(ModelSet::of(RAY_TRACING)).is_empty()
}

/// Which execution scopes an instruction takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Execution {
    /// Subgroup only.
    Subgroup,
    /// Workgroup or Subgroup.
    Workgroup,
    /// As the environment says.
    Any,
}

/// A scope for execution.
pub(crate) fn execution<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, takes: Execution) -> Checked {
    let Some(scope) = scope(cx, inst, word)? else { return Ok(()) };
    let vulkan = cx.env.is_vulkan();
    if scope == Scope::Subgroup {
        return Ok(());
    }
    let non_uniform = takes == Execution::Subgroup || vulkan && inst.op() == Op::GroupNonUniformRotateKHR;
    if non_uniform {
        let rule = if vulkan { &EXECUTION_SUBGROUP_VULKAN } else { &EXECUTION_SUBGROUP };
        return cx.fail_at(rule, inst, word, || {
            format!("the Execution scope of {} is {scope}, but must be Subgroup", inst.op())
        });
    }
    let split = matches!(inst.op(), Op::ControlBarrierArriveEXT | Op::ControlBarrierWaitEXT);
    if scope != Scope::Workgroup && (vulkan || takes == Execution::Workgroup) {
        let rule = match (vulkan, split) {
            (true, true) => &SPLIT_BARRIER_SCOPE,
            (true, false) => &EXECUTION_SCOPE_VULKAN,
            _ => &EXECUTION_SCOPE,
        };
        return cx.fail_at(rule, inst, word, || {
            format!("the Execution scope of {} is {scope}, but must be Workgroup or Subgroup", inst.op())
        });
    }
    if vulkan && scope == Scope::Workgroup { execution_workgroup(cx, inst) } else { Ok(()) }
}

fn execution_workgroup<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let fits = ModelSet::of(WITH_WORKGROUPS);
    let barrier = if inst.op() == Op::ControlBarrier {
        // Callable shaders are not among those that the rule for barriers lists.
        cx.check_models(fits.with(ExecutionModel::CallableKHR), &BARRIER_SUBGROUP, inst, |models| {
            format!("the Execution scope of OpControlBarrier is Workgroup, but must be Subgroup in {models}")
        })
    } else {
        Ok(())
    };
    let any = cx.check_models(fits, &EXECUTION_WORKGROUP, inst, |models| {
        format!("the Execution scope is Workgroup, which {models} does not have")
    });
    barrier.and(any)
}

/// A scope for memory. Returns it where it is known.
pub(crate) fn memory(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize) -> Checked<Option<Scope>> {
    let Some(scope) = scope(cx, inst, word)? else { return Ok(None) };
    let missing = scope == Scope::Device
        && cx.has(Capability::VulkanMemoryModel)
        && !cx.has(Capability::VulkanMemoryModelDeviceScope);
    cx.check_at(!missing, &DEVICE_SCOPE, inst, word, || {
        msg("Device scope with the Vulkan memory model needs the capability VulkanMemoryModelDeviceScope")
            .help("use QueueFamily, or declare the capability")
    })?;
    if cx.env.is_vulkan() {
        vulkan_memory(cx, inst, word, scope)?;
    }
    Ok(Some(scope))
}

fn vulkan_memory(cx: &mut Cx<'_>, inst: Inst<'_>, word: usize, scope: Scope) -> Checked {
    match scope {
        Scope::CrossDevice => cx.fail_at(&MEMORY_SCOPE, inst, word, || {
            "the scope for memory is CrossDevice, but Vulkan takes Device, QueueFamily, Workgroup, ShaderCallKHR, \
             Subgroup and Invocation"
        }),
        Scope::Subgroup => {
            let known = cx.env.client != Client::Vulkan(0)
                || cx.has(Capability::SubgroupVoteKHR)
                || cx.has(Capability::SubgroupBallotKHR)
                || cx.has(Capability::GroupNonUniform);
            cx.check_at(known, &MEMORY_SUBGROUP, inst, word, || {
                "the scope for memory is Subgroup, which needs SubgroupVoteKHR, SubgroupBallotKHR or GroupNonUniform"
            })
        }
        Scope::Workgroup => {
            if cx.m.memory_model() == MemoryModel::GLSL450 {
                let here = cx.models_here();
                cx.check_at(!here.contains(ExecutionModel::TessellationControl), &MEMORY_TESSELLATION, inst, word, || {
                    "the scope for memory is Workgroup, which TessellationControl does not take with memory model GLSL450"
                })?;
            }
            cx.check_models(ModelSet::of(WITH_WORKGROUPS), &MEMORY_WORKGROUP, inst, |models| {
                format!("the scope for memory is Workgroup, which {models} does not have")
            })
        }
        Scope::ShaderCallKHR => cx.check_models(ModelSet::of(RAY_TRACING), &MEMORY_SHADER_CALL, inst, |models| {
            format!("the scope for memory is ShaderCallKHR, which {models} does not have")
        }),
        _ => Ok(()),
    }
}

/// The names of the set bits, for messages.
#[cold]
fn bits(value: u32) -> String {
    let mut text = String::new();
    if MemorySemantics::KIND.fmt_value(value, &mut text).is_err() || text.is_empty() {
        return format!("{value:#x}");
    }
    text
}

/// Memory semantics, for memory of scope `memory`. Returns them where they are known.
pub(crate) fn semantics<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    memory: Option<Scope>,
) -> Checked<Option<u32>> {
    let Some(value) = constant(cx, inst, word, (&SEMANTICS_TYPE, &SEMANTICS_CONSTANT))? else { return Ok(None) };
    let vulkan = cx.env.is_vulkan();
    let orders = value & ORDERS;
    if orders.count_ones() > 1 {
        let rule = if vulkan { &ONE_ORDER_VULKAN } else { &ONE_ORDER };
        cx.fail_at(rule, inst, word, || {
            format!("{} has several memory orders, {}", name_of(inst, word), bits(orders))
        })?;
    }
    if orders & SEQUENTIAL != 0 && (vulkan || cx.m.memory_model() == MemoryModel::Vulkan) {
        let rule = if vulkan { &NO_SEQUENTIAL_VULKAN } else { &NO_SEQUENTIAL };
        cx.fail_at(rule, inst, word, || format!("{} is SequentiallyConsistent", name_of(inst, word)))?;
    }
    cx.check_at(value & !KNOWN == 0, &SEMANTICS_BITS, inst, word, || {
        format!("{} has the unknown bits {:#x}", name_of(inst, word), value & !KNOWN)
    })?;
    semantics_capabilities(cx, inst, word, value)?;
    let flag_clear = inst.op() == Op::AtomicFlagClear && value & (ACQUIRE | ACQUIRE_RELEASE) != 0;
    cx.check_at(!flag_clear, &FLAG_CLEAR_ORDER, inst, word, || {
        format!("OpAtomicFlagClear has the memory order {}", bits(orders))
    })?;
    if vulkan {
        vulkan_semantics(cx, inst, word, value, memory)?;
    }
    Ok(Some(value))
}

/// Bits need the capabilities that the table of §3.2.24 names. `AtomicCounterMemory` is let through, since front ends
/// set it in barriers for all memory.
fn semantics_capabilities<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, value: u32) -> Checked {
    let model = value & (OUTPUT | AVAILABLE | VISIBLE | VOLATILE);
    if model != 0 && !cx.has(Capability::VulkanMemoryModel) {
        cx.fail_at(&SEMANTICS_CAPABILITY, inst, word, || {
            format!("{} {} needs the capability VulkanMemoryModel", name_of(inst, word), bits(model))
        })?;
    }
    if value & UNIFORM != 0 && !cx.has(Capability::Shader) {
        cx.fail_at(&SEMANTICS_CAPABILITY, inst, word, || {
            format!("{} UniformMemory needs the capability Shader", name_of(inst, word))
        })?;
    }
    Ok(())
}

fn is_barrier(op: Op) -> bool {
    matches!(
        op,
        Op::ControlBarrier
            | Op::MemoryBarrier
            | Op::MemoryNamedBarrier
            | Op::ControlBarrierArriveEXT
            | Op::ControlBarrierWaitEXT
    )
}

fn vulkan_semantics<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, value: u32, memory: Option<Scope>) -> Checked {
    let op = inst.op();
    let (orders, classes) = (value & ORDERS, value & CLASSES);
    let breach: Option<(&'static Rule, &str)> = if op == Op::AtomicStore && orders & (ACQUIRE | ACQUIRE_RELEASE) != 0 {
        Some((&STORE_ORDER, "an order that a store does not take"))
    } else if op == Op::AtomicLoad && orders & (RELEASE | ACQUIRE_RELEASE) != 0 {
        Some((&LOAD_ORDER, "an order that a load does not take"))
    } else if op == Op::MemoryBarrier && orders == 0 {
        Some((&BARRIER_ORDER, "no memory order, which a memory barrier needs"))
    } else if op == Op::ControlBarrierArriveEXT && orders & !RELEASE != 0 {
        Some((&ARRIVE_ORDER, "an order other than Release"))
    } else if op == Op::ControlBarrierWaitEXT && orders & !ACQUIRE != 0 {
        Some((&WAIT_ORDER, "an order other than Acquire"))
    } else if orders != 0 && memory == Some(Scope::Invocation) {
        Some((&MEMORY_INVOCATION, "a memory order, although the scope for memory is Invocation"))
    } else if orders != 0 && classes == 0 {
        Some((&ORDER_WITHOUT_CLASS, "a memory order, but no storage class to which it applies"))
    } else if orders == 0 && classes != 0 {
        Some((&CLASS_WITHOUT_ORDER, "storage classes, but no memory order"))
    } else if value & AVAILABLE != 0 && orders & (RELEASE | ACQUIRE_RELEASE) == 0 {
        Some((&AVAILABLE_ORDER, "MakeAvailable, but an order that does not release"))
    } else if value & VISIBLE != 0 && orders & (ACQUIRE | ACQUIRE_RELEASE) == 0 {
        Some((&VISIBLE_ORDER, "MakeVisible, but an order that does not acquire"))
    } else if value & VOLATILE != 0 && is_barrier(op) {
        Some((&VOLATILE_BARRIER, "the bit Volatile, although a barrier accesses nothing"))
    } else {
        None
    };
    match breach {
        None => Ok(()),
        Some((rule, what)) => {
            cx.fail_at(rule, inst, word, || format!("{} {} has {what}", name_of(inst, word), bits(value)))
        }
    }
}

/// How strong a single memory order is.
fn strength(value: u32) -> u32 {
    match value & ORDERS {
        0 => 0,
        SEQUENTIAL => 3,
        ACQUIRE_RELEASE => 2,
        _ => 1,
    }
}

/// The semantics of a compare-exchange whose comparison fails, next to those of one that succeeds.
pub(crate) fn unequal<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, equal: Option<u32>, unequal: u32) -> Checked {
    let vulkan = cx.env.is_vulkan();
    if unequal & (RELEASE | ACQUIRE_RELEASE) != 0 {
        let rule = if vulkan { &UNEQUAL_RELEASE_VULKAN } else { &UNEQUAL_RELEASE };
        cx.fail_at(rule, inst, word, || format!("Unequal is {}, which releases", bits(unequal)))?;
    }
    let Some(equal) = equal else { return Ok(()) };
    if strength(unequal) > strength(equal) {
        let rule = if vulkan { &UNEQUAL_STRONGER_VULKAN } else { &UNEQUAL_STRONGER };
        cx.fail_at(rule, inst, word, || {
            format!(
                "Unequal has the order {}, which is stronger than Equal's {}",
                bits(unequal & ORDERS),
                bits(equal & ORDERS)
            )
        })?;
    }
    if !vulkan {
        return Ok(());
    }
    let more = unequal & !equal;
    let breach: Option<(&'static Rule, u32)> = if more & CLASSES != 0 {
        Some((&UNEQUAL_CLASS, more & CLASSES))
    } else if more & VISIBLE != 0 {
        Some((&UNEQUAL_VISIBLE, VISIBLE))
    } else if (unequal ^ equal) & VOLATILE != 0 {
        Some((&UNEQUAL_VOLATILE, VOLATILE))
    } else {
        None
    };
    match breach {
        None => Ok(()),
        Some((rule, what)) => cx.fail_at(rule, inst, word, || {
            format!("Equal is {} and Unequal {}, which differ in {}", bits(equal), bits(unequal), bits(what))
        }),
    }
}
