//! The stages of one pipeline against each other (Vulkan specification, "Shader Interfaces").
//!
//! What a single module can do wrong is the validator's matter: stages are expected to be valid. What stages share by
//! descriptors and push constants depends on the pipeline's layout and is not judged here. Stages of ray tracing
//! pipelines meet at run time only, through shader binding tables: between them there is nothing to judge.

mod builtins;
mod compare;
mod modes;
mod payload;
mod stages;
mod surface;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_diag::{Diagnostic, Rule, Severity, Site, rules};
use spirula_grammar::ExecutionModel as Model;
use spirula_module::{EntryPoint, Module};

use crate::{Client, Options, TargetEnv};

rules! {
    group "link";
    /// A pipeline has each of its stages once (ray tracing pipelines apart).
    STAGE_ONCE: "link-stage-once", environment "Vulkan: VkGraphicsPipelineCreateInfo, pStages";
    /// A pipeline is made of graphics stages, of ray tracing stages, or of one compute shader.
    STAGE_KIND: "link-stage-kind", environment "Vulkan: Pipelines";
    /// Mesh and task shaders replace vertex, tessellation and geometry shaders; a pipeline has the ones or the others.
    MESH_OR_VERTEX: "link-mesh-or-vertex", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-02095";
    /// Task and mesh shaders are both those of `SPV_EXT_mesh_shader` or both those of `SPV_NV_mesh_shader`.
    MESH_KIND: "link-mesh-kind", vuid "VUID-VkGraphicsPipelineCreateInfo-TaskNV-07063";
    /// A tessellation control shader needs a tessellation evaluation shader.
    NO_EVALUATION: "link-tessellation-evaluation", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00729";
    /// A tessellation evaluation shader needs a tessellation control shader.
    NO_CONTROL: "link-tessellation-control", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00730";
    /// One of the tessellation shaders says how to subdivide: `Triangles`, `Quads` or `Isolines`.
    NO_SUBDIVISION: "link-subdivision-missing", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00732";
    /// Tessellation shaders that both say how to subdivide say the same.
    SUBDIVISION: "link-subdivision", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00733";
    /// One of the tessellation shaders gives the size of the output patch: `OutputVertices`.
    NO_PATCH_SIZE: "link-patch-size-missing", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00734";
    /// Tessellation shaders that both give the size of the output patch give the same.
    PATCH_SIZE: "link-patch-size", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00735";
    /// Tessellation shaders that both choose a spacing or an order of vertices choose the same.
    TESSELLATION_MODE: "link-tessellation-mode", environment "Vulkan: Tessellation";
    /// A geometry shader behind tessellation takes the primitives that tessellation makes.
    GEOMETRY_INPUT: "link-geometry-input", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-00739";
    /// Every location and component that an input takes is declared by an output of the preceding stage.
    MISSING: "link-input-missing", vuid "VUID-RuntimeSpirv-OpEntryPoint-08743";
    /// An input and the output that it matches have the same type and width in each component.
    TYPE: "link-type", vuid "VUID-RuntimeSpirv-OpEntryPoint-07754";
    /// An input and the output that it matches are decorated alike, but for interpolation: `Patch` and `PerPrimitiveEXT`
    /// on both or on none.
    DECORATIONS: "link-decorations", vuid "VUID-RuntimeSpirv-OpVariable-08746";
    /// An input matches one output that starts at the same location and component and has an equivalent type. Devices
    /// take what fits component by component, too.
    SHAPE: "link-shape", warn environment "Vulkan: Interface Matching";
    /// Before Vulkan 1.3, or without the feature `maintenance4`, an output vector has no more components than the input
    /// that it matches.
    VECTOR_SIZE: "link-vector-size", warn vuid "VUID-RuntimeSpirv-maintenance4-06817";
    /// Interpolation decorations of a fragment shader's input and of the output that it matches need to agree only for
    /// separately compiled pipeline libraries, on devices without
    /// `graphicsPipelineLibraryIndependentInterpolationDecoration`.
    INTERPOLATION: "link-interpolation", allow environment "Vulkan: Interface Matching";
    /// A built-in that tessellation and geometry shaders take from the preceding stage is an output there.
    BUILTIN_MISSING: "link-builtin-missing", vuid "VUID-RuntimeSpirv-OpVariable-08746";
    /// Built-ins that are handed from stage to stage have the same type on both sides.
    BUILTIN_TYPE: "link-builtin-type", vuid "VUID-RuntimeSpirv-OpVariable-08746";
    /// A fragment shader behind a geometry shader reads `PrimitiveId` only if the geometry shader writes it.
    PRIMITIVE_ID: "link-primitive-id-geometry", vuid "VUID-PrimitiveId-Fragment-04331";
    /// A fragment shader behind a mesh shader reads `PrimitiveId` only if the mesh shader writes it.
    PRIMITIVE_ID_MESH: "link-primitive-id-mesh", vuid "VUID-PrimitiveId-Fragment-04332";
    /// The stages before the rasteriser choose viewports by `ViewportMaskNV` or by `ViewportIndex`, not by both.
    VIEWPORT: "link-viewport-mask", vuid "VUID-StandaloneSpirv-ViewportMaskNV-04674";
    /// A mesh shader behind a task shader does not declare `DrawIndex`.
    DRAW_INDEX: "link-draw-index", vuid "VUID-VkGraphicsPipelineCreateInfo-pStages-09631";
    /// A mesh shader that uses a task payload needs a task shader that emits one, of the same type.
    PAYLOAD: "link-task-payload", vuid "VUID-RuntimeSpirv-MeshEXT-12380";
}

/// One stage of a pipeline: a module, and the entry point in it.
#[derive(Clone, Copy, Debug)]
pub struct Stage<'m> {
    /// The module.
    pub module: Module<'m>,
    /// One of its entry points.
    pub entry: EntryPoint<'m>,
}

/// What does not fit together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mismatch {
    /// Position of the stage whose module the diagnostic addresses.
    pub stage: usize,
    /// What is wrong on this side.
    pub diagnostic: Diagnostic,
    /// The other side.
    pub other: Option<Side>,
}

/// The other side of a mismatch. Ids in its text are those of its own module.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Side {
    /// Position of the stage.
    pub stage: usize,
    /// Where in its module.
    pub at: Site,
    /// What there is to see.
    pub text: String,
}

/// Judges the stages of one pipeline, in any order. The environment says which version of Vulkan.
///
/// The findings are in order of the pipeline's stages.
pub fn check(stages: &[Stage<'_>], env: TargetEnv, options: &Options) -> Vec<Mismatch> {
    let maintenance4 = !matches!(env.client, Client::Vulkan(minor) if minor < 3);
    let mut link = Link { stages, options, maintenance4, found: Vec::new() };
    if !stages::judge(&mut link) {
        return link.found;
    }
    for (before, after) in stages::neighbours(stages) {
        compare::judge(&mut link, before, after);
        builtins::judge(&mut link, before, after);
        payload::judge(&mut link, before, after);
    }
    builtins::viewports(&mut link);
    modes::judge(&mut link);
    link.found
}

/// The state of one check.
struct Link<'s, 'm> {
    stages: &'s [Stage<'m>],
    options: &'s Options,
    /// Whether outputs may be longer vectors than the inputs.
    maintenance4: bool,
    found: Vec<Mismatch>,
}

impl<'m> Link<'_, 'm> {
    fn stage(&self, index: usize) -> Stage<'m> {
        self.stages[index]
    }

    /// The first stage of a model.
    fn find(&self, model: Model) -> Option<usize> {
        self.stages.iter().position(|s| s.entry.model == model)
    }

    /// Reports what is wrong at a place of a stage's module.
    #[cold]
    fn fail(&mut self, rule: &'static Rule, stage: usize, at: Site, text: String, other: Option<Side>) {
        let severity = self.options.severity(rule);
        if severity == Severity::Allow {
            return;
        }
        let mut diagnostic = Diagnostic::new(rule, at, text);
        diagnostic.severity = severity;
        self.found.push(Mismatch { stage, diagnostic, other });
    }

    /// Reports what is wrong with a stage as a whole.
    #[cold]
    fn fail_stage(&mut self, rule: &'static Rule, stage: usize, text: String, other: Option<Side>) {
        let at = Site::at(self.stage(stage).entry.inst.offset());
        self.fail(rule, stage, at, text, other);
    }

    /// The other side, where it is a stage as a whole.
    fn entry_of(&self, stage: usize, text: impl Into<String>) -> Option<Side> {
        let at = Site::at(self.stage(stage).entry.inst.offset());
        Some(Side { stage, at, text: text.into() })
    }

    /// How messages call a stage.
    fn name(&self, stage: usize) -> String {
        let entry = self.stage(stage).entry;
        format!("the {} shader {}", entry.model, entry.function)
    }
}
