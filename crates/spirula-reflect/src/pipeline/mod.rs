//! What the stages of one pipeline want together: set layouts, push constant ranges, vertex inputs, and what passes
//! between the stages.
//!
//! Only what an entry point's call tree uses counts: Vulkan wants no more of a pipeline layout. A conflict is an error
//! where no pipeline layout fits, and a warning where one does, though the stages hardly mean the same.

mod blocks;
mod descriptors;
mod interfaces;
mod push_constants;
mod table;

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::locations::{MAX_VECTORS, attributes};
use crate::model::*;
use crate::rows::cell;

pub use table::pipeline_table;

/// A stage of a pipeline: a module's report, and the entry point in it.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'r> {
    /// What the module is called.
    pub module: &'r str,
    /// The report.
    pub report: &'r Reflection<'r>,
    /// Position in [`Reflection::entry_points`].
    pub entry_point: usize,
}

impl<'r> Stage<'r> {
    fn point(&self) -> Option<&'r EntryPoint<'r>> {
        self.report.entry_points.get(self.entry_point)
    }

    fn model(&self) -> &'r str {
        self.point().map_or("", |p| &p.model)
    }
}

/// An execution model as a stage of Vulkan.
struct StageKind {
    model: &'static str,
    flag: &'static str,
    bit: u32,
    kind: PipelineKind,
}

static STAGES: [StageKind; 16] = {
    use PipelineKind::{Compute, Graphics, RayTracing};
    const fn stage(model: &'static str, flag: &'static str, bit: u32, kind: PipelineKind) -> StageKind {
        StageKind { model, flag, bit, kind }
    }
    // Graphics stages in the order in which they run.
    [
        stage("Vertex", "VERTEX", 0x1, Graphics),
        stage("TessellationControl", "TESSELLATION_CONTROL", 0x2, Graphics),
        stage("TessellationEvaluation", "TESSELLATION_EVALUATION", 0x4, Graphics),
        stage("Geometry", "GEOMETRY", 0x8, Graphics),
        stage("TaskEXT", "TASK", 0x40, Graphics),
        stage("TaskNV", "TASK", 0x40, Graphics),
        stage("MeshEXT", "MESH", 0x80, Graphics),
        stage("MeshNV", "MESH", 0x80, Graphics),
        stage("Fragment", "FRAGMENT", 0x10, Graphics),
        stage("GLCompute", "COMPUTE", 0x20, Compute),
        stage("RayGenerationKHR", "RAYGEN", 0x100, RayTracing),
        stage("AnyHitKHR", "ANY_HIT", 0x200, RayTracing),
        stage("ClosestHitKHR", "CLOSEST_HIT", 0x400, RayTracing),
        stage("MissKHR", "MISS", 0x800, RayTracing),
        stage("IntersectionKHR", "INTERSECTION", 0x1000, RayTracing),
        stage("CallableKHR", "CALLABLE", 0x2000, RayTracing),
    ]
};

fn rank(model: &str) -> usize {
    let known = STAGES.iter().position(|s| s.model == model);
    // The shader binding table orders ray tracing stages, not their kind.
    known.map_or(STAGES.len(), |at| if STAGES[at].kind == PipelineKind::RayTracing { 10 } else { at })
}

fn stage_kind(model: &str) -> Option<&'static StageKind> {
    STAGES.iter().find(|s| s.model == model)
}

/// The state of one merge.
struct Merge<'r> {
    /// In the order of the report.
    stages: Vec<Stage<'r>>,
    conflicts: Vec<Conflict>,
    /// What comparisons of blocks may still cost.
    comparisons: u32,
    /// Bytes that names of variables may still take: each use repeats the name.
    names: usize,
    left_out: bool,
}

/// Members that comparisons of blocks may visit. More than this are not compared.
const MAX_COMPARISONS: u32 = 1 << 18;
const MAX_NAMES: usize = 1 << 22;

/// Merges the stages of one pipeline. They may be given in any order.
pub fn merge(stages: &[Stage<'_>]) -> Pipeline {
    let mut stages = stages.to_vec();
    stages.retain(|s| s.point().is_some());
    stages.sort_by_key(|s| rank(s.model()));
    let mut merge =
        Merge { stages, conflicts: Vec::new(), comparisons: MAX_COMPARISONS, names: MAX_NAMES, left_out: false };
    let kind = merge.judge_stages();
    let sets = descriptors::sets(&mut merge);
    let push_constants = push_constants::ranges(&mut merge);
    let mut vectors = MAX_VECTORS;
    let vertex = merge.stages.iter().find(|s| s.model() == "Vertex");
    let vertex_inputs = vertex.and_then(|s| Some(attributes(s.report, s.point()?, &mut vectors))).unwrap_or_default();
    let interfaces = interfaces::interfaces(&merge, &mut vectors);
    if merge.left_out || merge.comparisons == 0 || vectors == 0 {
        let message = "the stages are too large: names or locations are left out, or blocks not compared".to_string();
        merge.conflict(ConflictSeverity::Warning, ConflictKind::LeftOut, &[], message);
    }
    Pipeline {
        schema: SCHEMA_VERSION,
        kind,
        stages: merge.stages.iter().map(described).collect(),
        sets,
        push_constants,
        vertex_inputs,
        interfaces,
        conflicts: merge.conflicts,
    }
}

fn described(s: &Stage<'_>) -> PipelineStage {
    let known = stage_kind(s.model());
    PipelineStage {
        module: s.module.to_string(),
        entry_point: s.point().map_or(String::new(), |p| p.name.to_string()),
        model: s.model().to_string(),
        flag: known.map_or("", |k| k.flag).to_string(),
        vk_flag: known.map_or(0, |k| k.bit),
    }
}

/// `VkShaderStageFlags` as names, in the order of the bits.
fn flag_names(flags: u32) -> Vec<String> {
    let mut found: Vec<(u32, &str)> = STAGES.iter().filter(|s| flags & s.bit != 0).map(|s| (s.bit, s.flag)).collect();
    found.sort_unstable();
    found.dedup();
    found.into_iter().map(|s| s.1.to_string()).collect()
}

impl Merge<'_> {
    fn flag(&self, stage: usize) -> u32 {
        stage_kind(self.stages[stage].model()).map_or(0, |k| k.bit)
    }

    /// How messages call a stage.
    fn who(&self, stage: usize) -> String {
        let s = &self.stages[stage];
        format!("{} `{}` of {}", s.model(), cell(s.point().map_or("", |p| &p.name)), s.module)
    }

    /// A name for the report; nothing where all of them together are too long.
    fn name(&mut self, name: &str) -> String {
        match self.names.checked_sub(name.len()) {
            Some(left) => {
                self.names = left;
                name.to_string()
            }
            None => {
                self.left_out = true;
                String::new()
            }
        }
    }

    fn conflict(&mut self, severity: ConflictSeverity, kind: ConflictKind, stages: &[usize], message: String) {
        let stages = stages.iter().map(|s| *s as u32).collect();
        self.conflicts.push(Conflict { severity, kind, stages, set: None, binding: None, message });
    }

    /// Whether the stages can be of one pipeline at all, and of which kind.
    fn judge_stages(&mut self) -> PipelineKind {
        use ConflictSeverity::Error;
        let models: Vec<&str> = self.stages.iter().map(Stage::model).collect();
        let mut kind = None;
        for (i, model) in models.iter().enumerate() {
            let Some(own) = stage_kind(model) else {
                let message = format!("{} is no stage of a Vulkan pipeline", self.who(i));
                self.conflict(Error, ConflictKind::NoStage, &[i], message);
                continue;
            };
            let (first, expected) = *kind.get_or_insert((i, own.kind));
            if expected != own.kind {
                let message = format!("{} and {} are of different kinds of pipelines", self.who(first), self.who(i));
                self.conflict(Error, ConflictKind::StageKinds, &[first, i], message);
            } else if own.kind != PipelineKind::RayTracing
                && let Some(other) = models[..i].iter().position(|m| stage_kind(m).is_some_and(|k| k.bit == own.bit))
            {
                let message = format!("{} and {} are the same stage", self.who(other), self.who(i));
                self.conflict(Error, ConflictKind::StageTwice, &[other, i], message);
            }
        }
        let has = |bits: u32| models.iter().position(|m| stage_kind(m).is_some_and(|k| k.bit & bits != 0));
        if let (Some(old), Some(mesh)) = (has(0xF), has(0xC0)) {
            let message = format!("{} and {} exclude each other", self.who(old), self.who(mesh));
            self.conflict(Error, ConflictKind::StageKinds, &[old, mesh], message);
        }
        kind.map_or(PipelineKind::Other, |k| k.1)
    }
}
