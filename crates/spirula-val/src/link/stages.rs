//! Which stages a pipeline has.

use alloc::format;
use alloc::vec::Vec;

use spirula_grammar::ExecutionModel as Model;

use super::{Link, MESH_KIND, MESH_OR_VERTEX, NO_CONTROL, NO_EVALUATION, STAGE_KIND, STAGE_ONCE, Stage};

/// Kinds of pipelines.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Graphics,
    RayTracing,
    Compute,
    Other,
}

fn kind(model: Model) -> Kind {
    match model {
        Model::RayGenerationKHR
        | Model::IntersectionKHR
        | Model::AnyHitKHR
        | Model::ClosestHitKHR
        | Model::MissKHR
        | Model::CallableKHR => Kind::RayTracing,
        Model::GLCompute => Kind::Compute,
        _ if rank(model).is_some() => Kind::Graphics,
        _ => Kind::Other,
    }
}

/// Place of a graphics stage in its pipeline.
fn rank(model: Model) -> Option<u8> {
    Some(match model {
        Model::Vertex => 0,
        Model::TessellationControl => 1,
        Model::TessellationEvaluation => 2,
        Model::Geometry => 3,
        Model::TaskEXT | Model::TaskNV => 4,
        Model::MeshEXT | Model::MeshNV => 5,
        Model::Fragment => 6,
        _ => return None,
    })
}

/// Pairs of stages that follow each other, as positions.
pub(super) fn neighbours(stages: &[Stage<'_>]) -> Vec<(usize, usize)> {
    let mut order: Vec<(u8, usize)> =
        stages.iter().enumerate().filter_map(|(i, s)| Some((rank(s.entry.model)?, i))).collect();
    order.sort_unstable();
    order.windows(2).map(|pair| (pair[0].1, pair[1].1)).collect()
}

/// Judges which stages there are. False where it makes no sense to compare them.
pub(super) fn judge(link: &mut Link<'_, '_>) -> bool {
    let before = link.found.len();
    let Some(first) = link.stages.first() else { return false };
    let expected = kind(first.entry.model);
    for index in 0..link.stages.len() {
        let model = link.stage(index).entry.model;
        let kind = kind(model);
        if kind == Kind::Other {
            let text = format!("{} is for no pipeline of Vulkan", link.name(index));
            link.fail_stage(&STAGE_KIND, index, text, None);
            continue;
        }
        if kind != expected {
            let text = format!("{} cannot be in a pipeline with other kinds of shaders", link.name(index));
            let other = link.entry_of(0, format!("{} is of another kind", link.name(0)));
            link.fail_stage(&STAGE_KIND, index, text, other);
            continue;
        }
        let earlier = link.find(model).filter(|e| *e < index && kind != Kind::RayTracing);
        if let Some(earlier) = earlier {
            let text = format!("{} is the second of its stage", link.name(index));
            let other = link.entry_of(earlier, format!("{} is the first", link.name(earlier)));
            link.fail_stage(&STAGE_ONCE, index, text, other);
        }
    }
    if expected == Kind::Graphics && link.found.len() == before {
        companions(link);
    }
    link.found.len() == before
}

/// Stages that need or forbid each other.
fn companions(link: &mut Link<'_, '_>) {
    let find = |models: &[Model]| models.iter().find_map(|m| link.find(*m));
    let mesh = find(&[Model::MeshEXT, Model::MeshNV, Model::TaskEXT, Model::TaskNV]);
    let vertex = find(&[Model::Vertex, Model::TessellationControl, Model::TessellationEvaluation, Model::Geometry]);
    let ext = find(&[Model::MeshEXT, Model::TaskEXT]);
    let nv = find(&[Model::MeshNV, Model::TaskNV]);
    let control = link.find(Model::TessellationControl);
    let evaluation = link.find(Model::TessellationEvaluation);
    if let (Some(mesh), Some(vertex)) = (mesh, vertex) {
        let text = format!("{} is in a pipeline with {}", link.name(mesh), link.stage(vertex).entry.model);
        let other = link.entry_of(vertex, format!("{} belongs to the other kind of pipeline", link.name(vertex)));
        link.fail_stage(&MESH_OR_VERTEX, mesh, text, other);
    }
    if let (Some(ext), Some(nv)) = (ext, nv) {
        let text = format!("{} is in a pipeline with {}", link.name(nv), link.stage(ext).entry.model);
        let other = link.entry_of(ext, format!("{} is of SPV_EXT_mesh_shader", link.name(ext)));
        link.fail_stage(&MESH_KIND, nv, text, other);
    }
    match (control, evaluation) {
        (Some(control), None) => {
            let text = format!("{} is in a pipeline without TessellationEvaluation", link.name(control));
            link.fail_stage(&NO_EVALUATION, control, text, None);
        }
        (None, Some(evaluation)) => {
            let text = format!("{} is in a pipeline without TessellationControl", link.name(evaluation));
            link.fail_stage(&NO_CONTROL, evaluation, text, None);
        }
        _ => {}
    }
}
