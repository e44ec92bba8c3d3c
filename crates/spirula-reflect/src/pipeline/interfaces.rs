//! What is handed from each stage to the next.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::vec::Vec;

use super::{Merge, Stage, rank, stage_kind};
use crate::locations::{Leaf, leaves};
use crate::model::{InterfaceValue, InterfaceVariable, NamedValue, Numeric, PipelineKind, StageInterface};

/// The interfaces between graphics stages that follow each other.
pub(super) fn interfaces(merge: &Merge<'_>, budget: &mut u32) -> Vec<StageInterface> {
    let mut graphics: Vec<usize> = (0..merge.stages.len())
        .filter(|s| stage_kind(merge.stages[*s].model()).is_some_and(|k| k.kind == PipelineKind::Graphics))
        .collect();
    graphics.dedup_by_key(|s| rank(merge.stages[*s].model()));
    let pairs = graphics.windows(2).map(|w| (w[0], w[1]));
    let all = pairs.map(|(from, to)| StageInterface {
        from: from as u32,
        to: to as u32,
        values: values(merge.stages[from], merge.stages[to], budget),
    });
    all.filter(|i| !i.values.is_empty()).collect()
}

fn values(from: Stage<'_>, to: Stage<'_>, budget: &mut u32) -> Vec<InterfaceValue> {
    let outputs = from.point().map_or(&[][..], |p| &p.outputs);
    let inputs = to.point().map_or(&[][..], |p| &p.inputs);
    let mut values: BTreeMap<(bool, u32, u32), InterfaceValue> = BTreeMap::new();
    let mut add = |stage: Stage<'_>, variable: &InterfaceVariable<'_>, is_input: bool| {
        let per_patch = variable.interpolation.iter().any(|i| i == "Patch");
        for leaf in leaves(stage.report, variable, budget) {
            for (location, suffix) in leaf.each() {
                let name = if leaf.name.is_empty() { format!("%{}", variable.id) } else { leaf.name.clone() };
                let named = Some(NamedValue { name: name + &suffix, ty: vector(&leaf) });
                let component = leaf.component;
                let value = values.entry((per_patch, location, component)).or_insert_with(|| InterfaceValue {
                    location,
                    component,
                    per_patch,
                    output: None,
                    input: None,
                });
                *(if is_input { &mut value.input } else { &mut value.output }) = named;
            }
        }
    };
    outputs.iter().for_each(|v| add(from, v, false));
    inputs.iter().for_each(|v| add(to, v, true));
    values.into_values().collect()
}

fn vector(leaf: &Leaf) -> alloc::string::String {
    let letter = match leaf.numeric {
        Numeric::Uint => 'u',
        Numeric::Sint => 'i',
        Numeric::Float => 'f',
    };
    match leaf.components {
        Some(n) => format!("{letter}{}x{n}", leaf.width),
        None => format!("{letter}{}", leaf.width),
    }
}
