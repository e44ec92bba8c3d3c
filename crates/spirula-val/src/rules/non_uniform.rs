//! Non-uniform instructions (§3.3.24), SPV_KHR_quad_control, SPV_KHR_subgroup_rotate, SPV_EXT_shader_subgroup_partitioned.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{GroupOperation, Op, Version};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::rules::operand::{Is, name_of, operand, operands, result};
use crate::rules::scopes::{self, Execution};

rules! {
    group "non_uniform";
    /// ClusterSize is given for ClusteredReduce and is the result of a constant instruction.
    CLUSTER: "cluster-size", spec "§3.3.24";
    /// Values rotate within clusters of 1, 2, 4, … invocations.
    ROTATE_CLUSTER: "rotate-cluster-size", extension "SPV_KHR_subgroup_rotate";
    /// Partitioned operations take the partition as a ballot behind the value.
    BALLOT: "partition-ballot", extension "SPV_EXT_shader_subgroup_partitioned";
    /// The operand is the result of a constant instruction; for some instructions, before SPIR-V 1.5 only.
    CONSTANT: "group-constant-operand", spec "§3.3.24";
    /// Values are swapped across a quad horizontally (0), vertically (1) or diagonally (2).
    SWAP: "quad-swap-direction", spec "OpGroupNonUniformQuadSwap";
    /// Partitioned operations are for arithmetic only.
    PARTITIONED: "partitioned-operation", extension "SPV_EXT_shader_subgroup_partitioned";
    /// Ballots are counted by Reduce, InclusiveScan or ExclusiveScan.
    BIT_COUNT: "vulkan-ballot-bit-count", vuid "VUID-StandaloneSpirv-OpGroupNonUniformBallotBitCount-04685";
}

pub(crate) const TABLE: Table = rule_table! {
    GroupNonUniformElect => elect;
    GroupNonUniformAll | GroupNonUniformAny => vote;
    GroupNonUniformAllEqual => all_equal;
    GroupNonUniformBroadcast | GroupNonUniformShuffle | GroupNonUniformShuffleXor => exchange;
    GroupNonUniformShuffleUp | GroupNonUniformShuffleDown => exchange;
    GroupNonUniformQuadBroadcast => exchange;
    GroupNonUniformQuadSwap => quad_swap;
    GroupNonUniformBroadcastFirst => broadcast_first;
    GroupNonUniformBallot => ballot;
    GroupNonUniformInverseBallot => inverse_ballot;
    GroupNonUniformBallotBitExtract => bit_extract;
    GroupNonUniformBallotBitCount => bit_count;
    GroupNonUniformBallotFindLSB | GroupNonUniformBallotFindMSB => bit_find;
    GroupNonUniformIAdd | GroupNonUniformIMul | GroupNonUniformSMin | GroupNonUniformSMax => ints;
    GroupNonUniformBitwiseAnd | GroupNonUniformBitwiseOr | GroupNonUniformBitwiseXor => ints;
    GroupNonUniformUMin | GroupNonUniformUMax => uints;
    GroupNonUniformFAdd | GroupNonUniformFMul | GroupNonUniformFMin | GroupNonUniformFMax => floats;
    GroupNonUniformLogicalAnd | GroupNonUniformLogicalOr | GroupNonUniformLogicalXor => bools;
    GroupNonUniformRotateKHR => rotate;
    GroupNonUniformQuadAllKHR | GroupNonUniformQuadAnyKHR => quad_vote;
    GroupNonUniformPartitionEXT => partition;
};

fn elect<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Subgroup)?;
    result(cx, inst, Is::Bool)
}

fn vote<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    elect(cx, inst)?;
    operand(cx, inst, 4, Is::Bool)
}

fn all_equal<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    elect(cx, inst)?;
    operand(cx, inst, 4, Is::Value)
}

fn broadcast_first<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Subgroup)?;
    result(cx, inst, Is::Value)?;
    operand(cx, inst, 4, Is::Same)
}

fn exchange<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    broadcast_first(cx, inst)?;
    operand(cx, inst, 5, Is::UInt)?;
    let needs_constant = match inst.op() {
        Op::GroupNonUniformBroadcast | Op::GroupNonUniformQuadBroadcast => cx.version < Version::v1(5),
        Op::GroupNonUniformQuadSwap => true,
        _ => false,
    };
    if needs_constant { constant(cx, inst, 5) } else { Ok(()) }
}

fn quad_swap<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    exchange(cx, inst)?;
    let direction = cx.m.int_constant(inst.id(5)).filter(|c| !c.spec).map_or(0, |c| c.bits);
    cx.check_at(direction <= 2, &SWAP, inst, 5, || format!("Direction is {direction}, but must be 0, 1 or 2"))
}

fn constant<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize) -> Checked {
    let (m, id) = (cx.m, inst.id(word));
    cx.check_at(m.info(id).is_constant(), &CONSTANT, inst, word, || {
        let (name, op) = (name_of(inst, word), inst.op());
        let text = format!("{name} {id} of {op} is the result of {}, no constant instruction", m.info(id).op);
        let m = msg(text).declared(m, id);
        if op == Op::GroupNonUniformQuadSwap { m } else { m.help("from SPIR-V 1.5 on it need not be constant") }
    })
}

fn ballot<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Subgroup)?;
    result(cx, inst, Is::UInt32x4)?;
    operand(cx, inst, 4, Is::Bool)
}

fn inverse_ballot<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    elect(cx, inst)?;
    operand(cx, inst, 4, Is::UInt32x4)
}

fn bit_extract<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    inverse_ballot(cx, inst)?;
    operand(cx, inst, 5, Is::UInt)
}

fn bit_count<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Subgroup)?;
    result(cx, inst, Is::UInt)?;
    operand(cx, inst, 5, Is::UInt32x4)?;
    let operation = GroupOperation(inst.word(4));
    let partitioned = matches!(
        operation,
        GroupOperation::PartitionedReduceEXT
            | GroupOperation::PartitionedInclusiveScanEXT
            | GroupOperation::PartitionedExclusiveScanEXT
    );
    cx.check_at(!partitioned, &PARTITIONED, inst, 4, || format!("Operation is {operation}, which counts no ballots"))?;
    if !cx.env.is_vulkan() {
        return Ok(());
    }
    let takes =
        matches!(operation, GroupOperation::Reduce | GroupOperation::InclusiveScan | GroupOperation::ExclusiveScan);
    cx.check_at(takes, &BIT_COUNT, inst, 4, || {
        format!("Operation is {operation}, but must be Reduce, InclusiveScan or ExclusiveScan")
    })
}

fn bit_find<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Subgroup)?;
    result(cx, inst, Is::UInt)?;
    operand(cx, inst, 4, Is::UInt32x4)
}

fn ints<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    arithmetic(cx, inst, Is::Ints)
}

fn uints<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    arithmetic(cx, inst, Is::UInts)
}

fn floats<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    arithmetic(cx, inst, Is::Floats)
}

fn bools<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    arithmetic(cx, inst, Is::Bools)
}

fn arithmetic<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, of: Is) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Subgroup)?;
    result(cx, inst, of)?;
    operand(cx, inst, 5, Is::Same)?;
    let given = inst.words().len() > 6;
    let operation = GroupOperation(inst.word(4));
    match operation {
        GroupOperation::PartitionedReduceEXT
        | GroupOperation::PartitionedInclusiveScanEXT
        | GroupOperation::PartitionedExclusiveScanEXT => {
            cx.check_at(given, &BALLOT, inst, 4, || format!("{operation} needs a ballot behind the Value"))?;
            operands(cx, inst, 6, &[Is::Int32x4])
        }
        _ => {
            let clustered = operation == GroupOperation::ClusteredReduce;
            cx.check_at(
                given || !clustered,
                &CLUSTER,
                inst,
                4,
                || "ClusteredReduce needs a ClusterSize behind the Value",
            )?;
            cluster_size(cx, inst)
        }
    }
}

/// The ClusterSize at word 6, where it is given.
fn cluster_size<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if inst.words().len() <= 6 {
        return Ok(());
    }
    operand(cx, inst, 6, Is::UInt)?;
    let (m, id) = (cx.m, inst.id(6));
    cx.check_at(m.info(id).is_constant(), &CLUSTER, inst, 6, || {
        msg(format!("ClusterSize {id} is the result of {}, no constant instruction", m.info(id).op)).declared(m, id)
    })
}

fn rotate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    scopes::execution(cx, inst, 3, Execution::Workgroup)?;
    result(cx, inst, Is::Value)?;
    operands(cx, inst, 4, &[Is::Same, Is::UInt])?;
    cluster_size(cx, inst)?;
    let size = if inst.words().len() > 6 { cx.m.fixed_u32(inst.id(6)) } else { None };
    cx.check_at(size.is_none_or(u32::is_power_of_two), &ROTATE_CLUSTER, inst, 6, || {
        format!("ClusterSize is {}, no power of two", size.unwrap_or(0))
    })
}

fn quad_vote<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Bool)?;
    operand(cx, inst, 3, Is::Bool)
}

fn partition<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    result(cx, inst, Is::Int32x4)?;
    operand(cx, inst, 3, Is::Value)
}
