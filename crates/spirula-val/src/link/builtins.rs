//! Built-ins that are handed from stage to stage.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_grammar::{BuiltIn, ExecutionModel as Model, Op, StorageClass};
use spirula_module::Module;

use super::surface::{Fit, Surface, describe, fit};
use super::{BUILTIN_MISSING, BUILTIN_TYPE, DRAW_INDEX, Link, PRIMITIVE_ID, PRIMITIVE_ID_MESH, Side, VIEWPORT};

/// Built-ins that the stages before the fragment shader take from each other; all others come from elsewhere.
const HANDED_ON: [BuiltIn; 6] = [
    BuiltIn::Position,
    BuiltIn::PointSize,
    BuiltIn::ClipDistance,
    BuiltIn::CullDistance,
    BuiltIn::TessLevelOuter,
    BuiltIn::TessLevelInner,
];

pub(super) fn judge(link: &mut Link<'_, '_>, before: usize, after: usize) {
    let outputs = Surface::of(link.stage(before), StorageClass::Output);
    let inputs = Surface::of(link.stage(after), StorageClass::Input);
    let model = link.stage(after).entry.model;
    match model {
        Model::Fragment => primitive_id(link, before, after, &outputs, &inputs),
        Model::MeshEXT => draw_index(link, before, after, &inputs),
        Model::TessellationControl | Model::TessellationEvaluation | Model::Geometry => {
            handed_on(link, before, after, &outputs, &inputs);
        }
        _ => {}
    }
}

fn handed_on(link: &mut Link<'_, '_>, before: usize, after: usize, outputs: &Surface, inputs: &Surface) {
    let (theirs, ours) = (link.stage(before).module, link.stage(after).module);
    for input in inputs.builtins.iter().filter(|b| HANDED_ON.contains(&b.builtin)) {
        let Some(output) = outputs.builtins.iter().find(|o| o.builtin == input.builtin) else {
            let text = format!("the input {} takes {}", input.variable, input.builtin);
            let other = link.entry_of(before, format!("{} does not give it", link.name(before)));
            link.fail(&BUILTIN_MISSING, after, input.at, text, other);
            continue;
        };
        if fit((theirs, output.ty), (ours, input.ty)) != Fit::Same {
            let ty = describe(ours, input.ty);
            let text = format!("{} of the input {} is {ty}", input.builtin, input.variable);
            let ty = describe(theirs, output.ty);
            let there = format!("{} of the output {} is {ty}", output.builtin, output.variable);
            let other = Some(Side { stage: before, at: output.at, text: there });
            link.fail(&BUILTIN_TYPE, after, input.at, text, other);
        }
    }
}

/// `PrimitiveId` comes from the pipeline, unless a stage before makes the primitives.
fn primitive_id(link: &mut Link<'_, '_>, before: usize, after: usize, outputs: &Surface, inputs: &Surface) {
    let rule = match link.stage(before).entry.model {
        Model::Geometry => &PRIMITIVE_ID,
        Model::MeshEXT | Model::MeshNV => &PRIMITIVE_ID_MESH,
        _ => return,
    };
    let module = link.stage(after).module;
    let of = |s: &Surface| s.builtins.iter().find(|b| b.builtin == BuiltIn::PrimitiveId).copied();
    let Some(input) = of(inputs).filter(|i| is_read(module, i.variable)) else { return };
    if of(outputs).is_none() {
        let text = format!("the input {} is PrimitiveId, and is read", input.variable);
        let other = link.entry_of(before, format!("{} does not give it", link.name(before)));
        link.fail(rule, after, input.at, text, other);
    }
}

fn draw_index(link: &mut Link<'_, '_>, before: usize, after: usize, inputs: &Surface) {
    if link.stage(before).entry.model != Model::TaskEXT {
        return;
    }
    if let Some(input) = inputs.builtins.iter().find(|b| b.builtin == BuiltIn::DrawIndex) {
        let text = format!("the input {} is DrawIndex", input.variable);
        let other = link.entry_of(before, format!("{} comes before", link.name(before)));
        link.fail(&DRAW_INDEX, after, input.at, text, other);
    }
}

/// Viewports are chosen in one way.
pub(super) fn viewports(link: &mut Link<'_, '_>) {
    let find = |builtin: BuiltIn| {
        let of = |(i, s): (usize, &super::Stage<'_>)| {
            let outputs = Surface::of(*s, StorageClass::Output);
            outputs.builtins.into_iter().find(|b| b.builtin == builtin).map(|b| (i, b))
        };
        link.stages.iter().enumerate().filter(|(_, s)| s.entry.model != Model::Fragment).find_map(of)
    };
    let (Some((stage, mask)), Some((other, index))) = (find(BuiltIn::ViewportMaskNV), find(BuiltIn::ViewportIndex))
    else {
        return;
    };
    let text = format!("the output {} is ViewportMaskNV", mask.variable);
    let there = format!("the output {} is ViewportIndex", index.variable);
    link.fail(&VIEWPORT, stage, mask.at, text, Some(Side { stage: other, at: index.at, text: there }));
}

/// Whether some instruction of a function reads a variable.
fn is_read(m: Module<'_>, variable: Id) -> bool {
    let reads = |i: Inst<'_>| match i.op() {
        Op::Load | Op::CopyObject => i.id(3) == variable,
        Op::AccessChain | Op::InBoundsAccessChain => i.id(3) == variable,
        Op::CopyMemory | Op::CopyMemorySized => i.id(2) == variable,
        Op::FunctionCall => i.tail(4).contains(&variable.0),
        _ => false,
    };
    let start = m.functions().first().map_or(u32::MAX, |f| f.start);
    m.insts(start..u32::MAX).any(reads)
}
