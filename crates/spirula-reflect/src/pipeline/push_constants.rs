//! Push constant ranges.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::blocks::{Block, difference};
use super::{Merge, flag_names};
use crate::model::{BlockVariable, ConflictKind, ConflictSeverity, PushConstantRange, PushConstantRanges};

pub(super) fn ranges(merge: &mut Merge<'_>) -> PushConstantRanges {
    let mut blocks: Vec<(usize, &BlockVariable<'_>)> = Vec::new();
    for (i, stage) in merge.stages.iter().enumerate() {
        let Some(point) = stage.point() else { continue };
        let used = point.push_constants.iter().filter_map(|p| stage.report.push_constants.get(*p as usize));
        blocks.extend(used.filter(|b| b.size > 0).map(|b| (i, b)));
    }
    disagreements(merge, &blocks);
    // A stage may stand in one range only, so what several entry points of one stage use is put together.
    let mut by_flag: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    for (stage, b) in &blocks {
        let (from, to) = (b.offset & !3, b.offset.saturating_add(b.size).checked_next_multiple_of(4).unwrap_or(!3));
        let range = by_flag.entry(merge.flag(*stage)).or_insert((from, to));
        *range = (range.0.min(from), range.1.max(to));
    }
    let mut by_range: BTreeMap<(u32, u32), u32> = BTreeMap::new();
    for (flag, range) in &by_flag {
        *by_range.entry(*range).or_default() |= flag;
    }
    let all = by_flag.iter().map(|(flag, (from, to))| (*flag, *from, *to));
    let merged = all.reduce(|a, b| (a.0 | b.0, a.1.min(b.1), a.2.max(b.2)));
    PushConstantRanges {
        per_stage: by_flag.iter().map(|(flag, (from, to))| range(*flag, *from, *to)).collect(),
        ranges: by_range.iter().map(|((from, to), flags)| range(*flags, *from, *to)).collect(),
        merged: merged.map(|(flags, from, to)| range(flags, from, to)),
    }
}

fn range(flags: u32, from: u32, to: u32) -> PushConstantRange {
    PushConstantRange { stages: flag_names(flags), vk_stages: flags, offset: from, size: to - from }
}

fn disagreements(merge: &mut Merge<'_>, blocks: &[(usize, &BlockVariable<'_>)]) {
    for (i, (stage, own)) in blocks.iter().enumerate() {
        for (other_stage, other) in &blocks[..i] {
            let a = Block { report: merge.stages[*other_stage].report, ty: other.ty };
            let b = Block { report: merge.stages[*stage].report, ty: own.ty };
            merge.comparisons = merge.comparisons.saturating_sub(1);
            if merge.comparisons == 0 {
                return;
            }
            let Some((offset, left, right)) = difference(a, b, &mut merge.comparisons) else { continue };
            let (left_who, right_who) = (merge.who(*other_stage), merge.who(*stage));
            let message =
                format!("the push constants at byte {offset} are {left} for {left_who}, but {right} for {right_who}");
            let kind = ConflictKind::PushConstants;
            merge.conflict(ConflictSeverity::Warning, kind, &[*other_stage, *stage], message);
        }
    }
}
