//! Control-flow instructions (§3.3.17) and the CFG rules of §2.16.1.

use alloc::format;

use spirula_binary::{Context, Id, Inst, Operands, view};
use spirula_diag::{Checked, Failed, Site, rules};
use spirula_grammar::{Capability, ExecutionMode, ExecutionModel, LoopControl, Op, OperandKind, StorageClass};
use spirula_module::{BlockIdx, Function, ModelSet, Shape, Type};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::flow::Flow;
use crate::signature::describe;

rules! {
    group "control-flow";
    /// A branch goes to a label of its own function.
    TARGET: "branch-target", spec "§2.16.1";
    /// The first block of a function is its entry point and the target of no branch.
    ENTRY_BLOCK: "branch-to-entry-block", spec "§2.16.1";
    /// A block stands before all blocks that it dominates.
    BLOCK_ORDER: "block-order", spec "§2.16.1";
    /// A merge instruction is the last but one of its block, directly before the branch that it is for.
    MERGE_PLACE: "merge-place", spec "§2.16.1";
    /// Merge Block and Continue Target are labels, neither is the header itself, and they differ.
    MERGE_TARGET: "merge-target", spec "§2.11.1";
    /// Loop controls that contradict each other must not be combined, and their numbers must make sense.
    LOOP_CONTROL: "loop-control", spec "§3.2.22";
    /// Flatten and DontFlatten are requests that contradict each other; nothing forbids them together.
    SELECTION_CONTROL: "selection-control", warn spec "§3.2.21";
    /// The condition of `OpBranchConditional` is a Boolean scalar.
    CONDITION: "branch-condition", spec "OpBranchConditional";
    /// There are no branch weights, or exactly two, which are not both 0 and whose sum has 32 bits at most.
    WEIGHTS: "branch-weights", spec "OpBranchConditional";
    /// From SPIR-V 1.6 on, True Label and False Label differ.
    SAME_LABELS: "branch-same-labels", spec "OpBranchConditional";
    /// The selector of `OpSwitch` is an integer scalar.
    SELECTOR: "switch-selector", spec "OpSwitch";
    /// Each literal of `OpSwitch` occurs once.
    DUPLICATE_LITERAL: "switch-duplicate-literal", spec "OpSwitch";
    /// An `OpPhi` has one pair of value and parent for each predecessor of its block.
    PHI_PARENTS: "phi-parents", spec "OpPhi";
    /// Each value of an `OpPhi` has the Result Type.
    PHI_VALUE: "phi-value-type", spec "OpPhi";
    /// The Result Type of `OpPhi` is not void, and in shaders no image, sampler or sampled image.
    PHI_TYPE: "phi-result-type", spec "OpPhi";
    /// `OpReturn` stands in functions that return void only.
    RETURN: "return-in-void", spec "OpReturn";
    /// The value of `OpReturnValue` has the function's return type, which is not void.
    RETURN_VALUE: "return-value-type", spec "OpReturnValue";
    /// `OpKill` is for the Fragment execution model.
    KILL: "kill-model", spec "OpKill";
    /// Lifetime instructions take a pointer into the Function storage class, and a size that fits its pointee.
    LIFETIME: "lifetime-pointer", spec "OpLifetimeStart";
    /// Under maximal reconvergence, True Label and False Label differ in every version.
    RECONVERGE_LABELS: "reconvergence-same-labels", extension "SPV_KHR_maximal_reconvergence";
    /// Under maximal reconvergence, a block with several predecessors is a merge block, a continue target, a loop header
    /// or a case.
    RECONVERGE_EARLY: "reconvergence-early", extension "SPV_KHR_maximal_reconvergence";
}

pub(crate) const TABLE: Table = rule_table! {
    Branch => branch;
    BranchConditional => branch_conditional;
    Switch => switch;
    LoopMerge => loop_merge;
    SelectionMerge => selection_merge;
    Phi => phi;
    Return => return_;
    ReturnValue => return_value;
    Kill => kill;
    LifetimeStart | LifetimeStop => lifetime;
};

/// The id at `word` is a label of the function being walked.
fn label<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let id = inst.id(word);
    let info = cx.m.info(id);
    if info.op != Op::Label {
        let m = cx.m;
        return cx.fail_at(&TARGET, inst, word, || msg(format!("{id} is not the label of a block")).declared(m, id));
    }
    let Some(here) = cx.here else { return Err(Failed) };
    if here.function.contains(info.def) && info.block() == Some(0) {
        return cx.fail_at(&ENTRY_BLOCK, inst, word, || {
            format!("{id} is the entry block of its function, which no branch may go to")
        });
    }
    Ok(())
}

fn branch<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    label(cx, inst, 1)
}

fn branch_conditional<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let it = view::BranchConditional::of(inst);
    let key = cx.key_at(inst, 1)?;
    cx.check_at(key.is_bool(), &CONDITION, inst, 1, || format!("Condition {} is no Boolean scalar", it.condition))?;
    label(cx, inst, 2)?;
    label(cx, inst, 3)?;
    let weights = inst.tail(4);
    let fine = match weights {
        [] => true,
        [a, b] => a.checked_add(*b).is_some_and(|sum| sum != 0),
        _ => false,
    };
    cx.check_at(fine, &WEIGHTS, inst, 4, || {
        format!("there are {} branch weights with values {weights:?}", weights.len())
    })?;
    if it.true_label != it.false_label {
        return Ok(());
    }
    if cx.version >= spirula_grammar::Version::v1(6) {
        return cx.fail_at(&SAME_LABELS, inst, 3, || format!("True Label and False Label are both {}", it.true_label));
    }
    if reconverges_maximally(cx) {
        return cx
            .fail_at(&RECONVERGE_LABELS, inst, 3, || format!("True Label and False Label are both {}", it.true_label));
    }
    Ok(())
}

fn switch<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let it = view::Switch::of(inst);
    let key = cx.key_at(inst, 1)?;
    cx.check_at(key.is_int(), &SELECTOR, inst, 1, || format!("Selector {} is no integer scalar", it.selector))?;
    let limit = cx.options.limits.switch_branches;
    let m = cx.m;
    let words = m.type_of(it.selector).and_then(|ty| m.number(ty)).map_or(1, |n| n.words());
    let pairs = it.targets.len() / (words + 1);
    cx.check(pairs <= limit as usize, &super::limits::SWITCH_BRANCHES, inst, || {
        format!("the instruction has {pairs} pairs of literal and label, more than {limit}")
    })?;
    let mut labels = Operands::new(inst, &m).filter_map(Result::ok).filter(|o| o.kind == OperandKind::IdRef).skip(1);
    labels.try_for_each(|o| label(cx, inst, o.at as usize))?;
    duplicate_literals(cx, inst, it.targets, words)
}

fn duplicate_literals<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, targets: &'a [u32], words: usize) -> Checked {
    let literal = |pair: &[u32]| match *pair {
        [low, high, _] => u64::from(low) | u64::from(high) << 32,
        [low, ..] => u64::from(low),
        [] => 0,
    };
    let pairs = || targets.chunks_exact(words + 1).map(literal);
    // Compilers write the literals in order; only others need a sorted copy.
    if words > 2 || pairs().is_sorted_by(|a, b| a < b) {
        return Ok(());
    }
    let mut sorted = cx.collect(pairs());
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(w) => {
            let value = w[0];
            cx.fail(&DUPLICATE_LITERAL, inst, || format!("the literal {value} occurs more than once"))
        }
        None => Ok(()),
    }
}

/// A merge instruction stands directly before the termination instruction of its block.
fn merge_place<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, fits: &[Op]) -> Checked {
    let next = cx.m.inst_at(inst.offset() + inst.words().len() as u32);
    let op = next.map(|n| n.op());
    cx.check(op.is_some_and(|op| fits.contains(&op)), &MERGE_PLACE, inst, || match op {
        Some(op) => format!("the merge instruction is followed by {op}, not by the branch that it is for"),
        None => "the merge instruction is followed by nothing".into(),
    })
}

/// Label of the block being walked.
fn own_label(cx: &Cx<'_>) -> Option<Id> {
    let block = cx.here?.block?;
    cx.flow.cfg.block(BlockIdx(block)).map(|b| b.label)
}

fn merge_target<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, what: &'static str) -> Checked {
    let (m, id) = (cx.m, inst.id(word));
    if m.info(id).op != Op::Label {
        return cx.fail_at(&MERGE_TARGET, inst, word, || {
            msg(format!("{what} {id} is not the label of a block")).declared(m, id)
        });
    }
    Ok(())
}

/// The header is not its own merge block: it strictly dominates that one. Selections of kernels need no structure.
fn own_merge<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let own = own_label(cx);
    let fine = own != Some(inst.id(1)) || inst.op() == Op::SelectionMerge && !cx.has(Capability::Shader);
    cx.check_at(fine, &MERGE_TARGET, inst, 1, || "Merge Block is the header itself")
}

fn selection_merge<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    merge_target(cx, inst, 1, "Merge Block")?;
    own_merge(cx, inst)?;
    let (flatten, dont) = (1, 2);
    let control = inst.word(2);
    cx.check_at(
        control & flatten == 0 || control & dont == 0,
        &SELECTION_CONTROL,
        inst,
        2,
        || "Flatten and DontFlatten contradict each other",
    )?;
    merge_place(cx, inst, &[Op::BranchConditional, Op::Switch])
}

fn loop_merge<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let it = view::LoopMerge::of(inst);
    merge_target(cx, inst, 1, "Merge Block")?;
    merge_target(cx, inst, 2, "Continue Target")?;
    cx.check_at(it.merge_block != it.continue_target, &MERGE_TARGET, inst, 2, || {
        format!("Merge Block and Continue Target are both {}", it.merge_block)
    })?;
    own_merge(cx, inst)?;
    loop_control(cx, inst, it.loop_control)?;
    merge_place(cx, inst, &[Op::Branch, Op::BranchConditional])
}

fn loop_control<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, control: LoopControl) -> Checked {
    let has = |bit: LoopControl| control.contains(bit);
    let dont = has(LoopControl::DontUnroll);
    for (bit, name) in [
        (LoopControl::Unroll, "Unroll"),
        (LoopControl::PeelCount, "PeelCount"),
        (LoopControl::PartialCount, "PartialCount"),
    ] {
        cx.check_at(!(dont && has(bit)), &LOOP_CONTROL, inst, 3, || {
            format!("{name} and DontUnroll exclude each other")
        })?;
    }
    if has(LoopControl::IterationMultiple) {
        // Parameters follow the mask in the order of the bits.
        let below = control.0 & (LoopControl::IterationMultiple.0 - 1);
        let with_one = LoopControl::DependencyLength.0 | LoopControl::MinIterations.0 | LoopControl::MaxIterations.0;
        let at = 4 + (below & with_one).count_ones() as usize;
        cx.check_at(inst.word(at) != 0, &LOOP_CONTROL, inst, at, || "IterationMultiple is 0")?;
    }
    Ok(())
}

fn phi<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let result = inst.id(1);
    let key = cx.result_key(inst)?;
    cx.check_at(key.shape() != Shape::Void, &PHI_TYPE, inst, 1, || "the Result Type is void")?;
    if key.shape() == Shape::Other
        && cx.has(spirula_grammar::Capability::Shader)
        && !cx.options.before_hlsl_legalization
    {
        let opaque = matches!(cx.m.ty(result), Some(Type::Image(_) | Type::Sampler | Type::SampledImage { .. }));
        let m = cx.m;
        cx.check_at(!opaque, &PHI_TYPE, inst, 1, || format!("the Result Type is {}", describe(m, result)))?;
    }
    let pairs = inst.tail(3);
    if !pairs.len().is_multiple_of(2) {
        return cx.fail(&PHI_PARENTS, inst, || "the last value has no parent");
    }
    for (i, [value, _]) in pairs.as_chunks::<2>().0.iter().enumerate() {
        let info = cx.m.info(Id(*value));
        let word = 3 + 2 * i;
        let ty = if info.def < inst.offset() { cx.type_at(inst, word)? } else { info.ty };
        let m = cx.m;
        cx.check_at(ty == result, &PHI_VALUE, inst, word, || {
            msg(format!("%{value} has type {}, but the Result Type is {}", describe(m, ty), describe(m, result)))
        })?;
    }
    phi_parents(cx, inst, pairs)
}

/// The parents of a phi are exactly the predecessors of its block, each once.
fn phi_parents<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, pairs: &'a [u32]) -> Checked {
    let Some(block) = cx.here.and_then(|h| h.block).map(BlockIdx) else { return Err(Failed) };
    let count = cx.flow.cfg.predecessors(block).len();
    if pairs.len() / 2 > 8 || count > 8 {
        return many_parents(cx, inst, pairs, block);
    }
    let parents = || pairs.as_chunks::<2>().0.iter().map(|p| Id(p[1]));
    for (i, parent) in parents().enumerate() {
        let is_predecessor = |flow: &Flow, b| flow.cfg.predecessors(block).contains(&b);
        let again = parents().take(i).any(|x| x == parent);
        one_parent(cx, inst, parent, 4 + 2 * i, is_predecessor, again)?;
    }
    // As many different predecessors as there are edges are all of them.
    if pairs.len() / 2 == count {
        return Ok(());
    }
    // A block that branches here twice is one parent.
    let flow = &cx.flow;
    let named = |p: &BlockIdx| parents().any(|id| flow.block_of(id) == Some(*p));
    match flow.cfg.predecessors(block).iter().find(|p| !named(p)).copied() {
        Some(p) => missing_parent(cx, inst, p),
        None => Ok(()),
    }
}

/// Blocks with very many predecessors: compares sorted lists.
fn many_parents<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, pairs: &'a [u32], block: BlockIdx) -> Checked {
    let mut wanted = cx.collect(cx.flow.cfg.predecessors(block).iter().copied());
    wanted.sort_unstable();
    wanted.dedup();
    let mut seen = cx.collect(wanted.iter().map(|_| false));
    for (i, [_, parent]) in pairs.as_chunks::<2>().0.iter().enumerate() {
        let parent = Id(*parent);
        let at = cx.flow.block_of(parent).and_then(|b| wanted.binary_search(&b).ok());
        let again = at.is_some_and(|at| core::mem::replace(&mut seen[at], true));
        one_parent(cx, inst, parent, 4 + 2 * i, |_, _| at.is_some(), again)?;
    }
    match seen.iter().position(|s| !s) {
        Some(at) => missing_parent(cx, inst, wanted[at]),
        None => Ok(()),
    }
}

fn one_parent<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    parent: Id,
    word: usize,
    is_predecessor: impl Fn(&Flow, BlockIdx) -> bool,
    again: bool,
) -> Checked {
    let m = cx.m;
    let Some(block) = cx.flow.block_of(parent) else {
        return cx.fail_at(&PHI_PARENTS, inst, word, || {
            msg(format!("{parent} is not the label of a block of this function")).declared(m, parent)
        });
    };
    let fits = is_predecessor(cx.flow, block);
    cx.check_at(fits, &PHI_PARENTS, inst, word, || {
        msg(format!("{parent} is not a predecessor of the phi's block")).declared(m, parent)
    })?;
    cx.check_at(!again, &PHI_PARENTS, inst, word, || format!("the parent {parent} occurs more than once"))?;
    let value = inst.id(word - 1);
    match cx.m.info(value).block() {
        Some(def) if !cx.flow.dominates(def, block.0) => super::ssa::not_dominated(cx, inst, word - 1, value),
        _ => Ok(()),
    }
}

#[cold]
fn missing_parent(cx: &mut Cx<'_>, inst: Inst<'_>, p: BlockIdx) -> Checked {
    let (m, label) = (cx.m, cx.flow.cfg.block(p).map_or(Id(0), |b| b.label));
    cx.fail(&PHI_PARENTS, inst, || {
        msg(format!("the predecessor {label} of the phi's block has no pair")).declared(m, label)
    })
}

fn return_<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let Some(here) = cx.here else { return Err(Failed) };
    let ty = cx.m.type_id_of(here.function.id);
    let m = cx.m;
    cx.check(cx.key(ty)?.shape() == Shape::Void, &RETURN, inst, || {
        format!("the function returns {}, so that a value must be returned", describe(m, ty))
    })
}

fn return_value<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let Some(here) = cx.here else { return Err(Failed) };
    let wanted = cx.m.type_id_of(here.function.id);
    let ty = cx.type_at(inst, 1)?;
    let m = cx.m;
    cx.check_at(cx.key(ty)?.shape() != Shape::Void, &RETURN_VALUE, inst, 1, || "the value has type void")?;
    cx.check_at(ty == wanted, &RETURN_VALUE, inst, 1, || {
        format!("{} has type {}, but the function returns {}", inst.id(1), describe(m, ty), describe(m, wanted))
    })
}

fn kill<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    cx.check_models(ModelSet::of(&[ExecutionModel::Fragment]), &KILL, inst, |models| {
        format!("OpKill is reached by entry points of {models}, but is for Fragment only")
    })
}

fn lifetime<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let ty = cx.type_at(inst, 1)?;
    let (m, pointer) = (cx.m, cx.m.pointer(ty));
    let Some((class, pointee)) = pointer else {
        return cx.fail_at(&LIFETIME, inst, 1, || {
            format!("Pointer {} has type {}, not a pointer type", inst.id(1), describe(m, ty))
        });
    };
    cx.check_at(class == StorageClass::Function, &LIFETIME, inst, 1, || {
        format!("Pointer {} points into {class}, not Function", inst.id(1))
    })?;
    // Compilers write pointers to bytes where the source language's pointer has no type.
    let void = pointee.0 == 0 || cx.key(pointee)?.shape() == Shape::Void || m.is_int8(pointee);
    cx.check_at(inst.word(2) == 0 || void, &LIFETIME, inst, 2, || {
        format!("Size is {}, but must be 0 for a pointer to {}", inst.word(2), describe(m, pointee))
    })
}

/// Whether an entry point that reaches this function asks for maximal reconvergence.
pub(crate) fn reconverges_maximally(cx: &Cx<'_>) -> bool {
    let Some(here) = cx.here else { return false };
    let m = cx.m;
    m.execution_mode_insts()
        .any(|i| ExecutionMode(i.word(2)) == ExecutionMode::MaximallyReconvergesKHR && m.reaches(i.id(1), here.index))
}

/// What is judged of a whole function's branches.
pub(crate) fn function<'a>(cx: &mut Cx<'a>, _: &'a Function) {
    // Where every block is branched to from one before it, a path leads there through earlier blocks alone, so that no
    // later block dominates it.
    let cfg = &cx.flow.cfg;
    let in_order = |b| cfg.predecessors(b).iter().any(|p| *p < b);
    if !cfg.indices().skip(1).all(in_order) {
        block_order(cx);
    }
}

fn block_order(cx: &mut Cx<'_>) {
    for block in cx.flow.cfg.indices() {
        let Some(dominator) = cx.flow.dominators().immediate_dominator(block).filter(|d| *d > block) else { continue };
        let (Some(b), Some(d)) = (cx.flow.cfg.block(block).copied(), cx.flow.cfg.block(dominator).copied()) else {
            continue;
        };
        cx.fail_site(&BLOCK_ORDER, Site::at(b.start), || {
            msg(format!("the block {} stands before {}, which dominates it", b.label, d.label))
                .note(Site::at(d.start), "this block dominates it")
        })
        .ok();
    }
}
