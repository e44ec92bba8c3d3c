//! Execution modes of stages that work together: tessellation, and geometry shaders behind it.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Rule, Site};
use spirula_grammar::{ExecutionMode as Mode, ExecutionModel as Model};

use super::{GEOMETRY_INPUT, Link, NO_PATCH_SIZE, NO_SUBDIVISION, PATCH_SIZE, SUBDIVISION, Side, TESSELLATION_MODE};

const SUBDIVISIONS: &[Mode] = &[Mode::Triangles, Mode::Quads, Mode::Isolines];
const SPACINGS: &[Mode] = &[Mode::SpacingEqual, Mode::SpacingFractionalEven, Mode::SpacingFractionalOdd];
const ORDERS: &[Mode] = &[Mode::VertexOrderCw, Mode::VertexOrderCcw];

pub(super) fn judge(link: &mut Link<'_, '_>) {
    let both = link.find(Model::TessellationControl).zip(link.find(Model::TessellationEvaluation));
    let Some((control, evaluation)) = both else { return };
    let told = agree(link, control, evaluation, SUBDIVISIONS, &SUBDIVISION);
    if !told {
        let text = format!("{} does not say how to subdivide", link.name(evaluation));
        let other = link.entry_of(control, format!("{} does not say it either", link.name(control)));
        link.fail_stage(&NO_SUBDIVISION, evaluation, text, other);
    }
    agree(link, control, evaluation, SPACINGS, &TESSELLATION_MODE);
    agree(link, control, evaluation, ORDERS, &TESSELLATION_MODE);
    patch_size(link, control, evaluation);
    if let Some(geometry) = link.find(Model::Geometry) {
        geometry_input(link, evaluation, geometry);
    }
}

/// The first of some modes that a stage has.
fn mode<'m>(link: &Link<'_, 'm>, stage: usize, modes: &[Mode]) -> Option<(Mode, Inst<'m>)> {
    let stage = link.stage(stage);
    stage.module.execution_modes(stage.entry.function).find(|(mode, _)| modes.contains(mode))
}

/// Stages that both have one of some modes must have the same. Gives whether one of them has any.
fn agree(link: &mut Link<'_, '_>, control: usize, evaluation: usize, modes: &[Mode], rule: &'static Rule) -> bool {
    let (first, second) = (mode(link, control, modes), mode(link, evaluation, modes));
    if let (Some((first, at_first)), Some((second, at))) = (first, second)
        && first != second
    {
        let text = format!("{} has the mode {second}", link.name(evaluation));
        let there = format!("{} has the mode {first}", link.name(control));
        let other = Some(Side { stage: control, at: Site::at(at_first.offset()), text: there });
        link.fail(rule, evaluation, Site::at(at.offset()), text, other);
    }
    first.is_some() || second.is_some()
}

fn patch_size(link: &mut Link<'_, '_>, control: usize, evaluation: usize) {
    let sizes = [Mode::OutputVertices];
    match (mode(link, control, &sizes), mode(link, evaluation, &sizes)) {
        (None, None) => {
            let text = format!("{} does not give the size of its patches", link.name(control));
            let other = link.entry_of(evaluation, format!("{} does not give it either", link.name(evaluation)));
            link.fail_stage(&NO_PATCH_SIZE, control, text, other);
        }
        (Some((_, first)), Some((_, second))) if first.word(3) != second.word(3) => {
            let text = format!("{} has patches of {}", link.name(evaluation), second.word(3));
            let there = format!("{} has patches of {}", link.name(control), first.word(3));
            let other = Some(Side { stage: control, at: Site::at(first.offset()), text: there });
            link.fail(&PATCH_SIZE, evaluation, Site::at(second.offset()), text, other);
        }
        _ => {}
    }
}

/// What tessellation makes, a geometry shader must take.
fn geometry_input(link: &mut Link<'_, '_>, evaluation: usize, geometry: usize) {
    let control = link.find(Model::TessellationControl);
    let points = mode(link, evaluation, &[Mode::PointMode]).or_else(|| mode(link, control?, &[Mode::PointMode]));
    let subdivision = mode(link, evaluation, SUBDIVISIONS).or_else(|| mode(link, control?, SUBDIVISIONS));
    let (made, taken) = match (points, subdivision) {
        (Some(_), _) => ("points", &[Mode::InputPoints][..]),
        (_, Some((Mode::Isolines, _))) => ("lines", &[Mode::InputLines, Mode::InputLinesAdjacency][..]),
        (_, Some(_)) => ("triangles", &[Mode::Triangles, Mode::InputTrianglesAdjacency][..]),
        _ => return,
    };
    let inputs = [
        Mode::InputPoints,
        Mode::InputLines,
        Mode::InputLinesAdjacency,
        Mode::Triangles,
        Mode::InputTrianglesAdjacency,
    ];
    let Some((input, at)) = mode(link, geometry, &inputs).filter(|(m, _)| !taken.contains(m)) else { return };
    let text = format!("{} has the mode {input}", link.name(geometry));
    let other = link.entry_of(evaluation, format!("{} makes {made}", link.name(evaluation)));
    link.fail(&GEOMETRY_INPUT, geometry, Site::at(at.offset()), text, other);
}
