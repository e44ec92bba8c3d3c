//! What several stages together want from their host.

use alloc::string::String;
use alloc::vec::Vec;

use super::{DescriptorKind, VertexAttribute};

report! {
    /// What the stages of one pipeline want together.
    pub struct Pipeline {
        /// [`SCHEMA_VERSION`](crate::SCHEMA_VERSION).
        pub schema: u32,
        /// What the pipeline is for.
        pub kind: PipelineKind,
        /// Stages in the order in which they run; ray tracing stages in the order in which they were given.
        pub stages: Vec<PipelineStage>,
        /// One descriptor set layout each.
        pub sets: Vec<SetLayout>,
        /// Push constant ranges.
        pub push_constants: PushConstantRanges,
        /// What the vertex shader reads.
        pub vertex_inputs: Vec<VertexAttribute>,
        /// What is handed from each stage to the next.
        pub interfaces: Vec<StageInterface>,
        /// What does not fit together.
        pub conflicts: Vec<Conflict>,
    }

    /// What a pipeline is for.
    #[derive(Copy)]
    pub enum PipelineKind {
        /// Drawing.
        Graphics,
        /// Compute.
        Compute,
        /// Ray tracing.
        RayTracing,
        /// Nothing that Vulkan has a pipeline for, or several of these.
        Other,
    }

    /// A stage.
    pub struct PipelineStage {
        /// Name of the module.
        pub module: String,
        /// Name of the entry point.
        pub entry_point: String,
        /// Its execution model.
        pub model: String,
        /// `VkShaderStageFlagBits`: the name between `VK_SHADER_STAGE_` and `_BIT`.
        pub flag: String,
        /// Its value.
        pub vk_flag: u32,
    }

    /// One descriptor set.
    pub struct SetLayout {
        /// Its number.
        pub set: u32,
        /// Its bindings, in order.
        pub bindings: Vec<LayoutBinding>,
    }

    /// A binding of a descriptor set, as the stages together want it.
    pub struct LayoutBinding {
        /// Its number.
        pub binding: u32,
        /// What the descriptors are. A binding that is an image for one variable and a sampler for another is both.
        pub kind: DescriptorKind,
        /// `VkDescriptorType`, without its prefix: of those that fit, the plainest. `MUTABLE_EXT` where the uses have
        /// nothing else in common.
        pub descriptor_type: String,
        /// Its value.
        pub vk_descriptor_type: u32,
        /// Descriptors that are needed: the largest number of any stage, with the defaults of specialisation constants.
        pub count: u32,
        /// Whether a stage leaves the number to the host, which needs a variable count or enough of them.
        pub unbounded: bool,
        /// Whether specialisation constants decide the number.
        pub specialised: bool,
        /// Flags of the stages that use it.
        pub stages: Vec<String>,
        /// The same as `VkShaderStageFlags`.
        pub vk_stages: u32,
        /// Whether a stage reads it.
        pub read: bool,
        /// Whether a stage writes it.
        pub written: bool,
        /// Bytes that a buffer must have at least: the largest block of any stage.
        pub size: Option<u32>,
        /// The variables behind it.
        pub uses: Vec<LayoutUse>,
    }

    /// A variable behind a binding.
    pub struct LayoutUse {
        /// The stage: position in [`Pipeline::stages`].
        pub stage: u32,
        /// Result id of the variable.
        pub id: u32,
        /// Its debug name; empty where it has none.
        pub name: String,
        /// What it is.
        pub kind: DescriptorKind,
    }

    /// Push constants. No stage may be in two ranges of one pipeline layout: use `ranges` or `merged`.
    pub struct PushConstantRanges {
        /// For each stage that has push constants, what it uses.
        pub per_stage: Vec<PushConstantRange>,
        /// The same, with stages of equal ranges in one.
        pub ranges: Vec<PushConstantRange>,
        /// One range for all of them.
        pub merged: Option<PushConstantRange>,
    }

    /// A range of push constants. Offset and size are multiples of 4.
    pub struct PushConstantRange {
        /// Flags of the stages.
        pub stages: Vec<String>,
        /// The same as `VkShaderStageFlags`.
        pub vk_stages: u32,
        /// First byte.
        pub offset: u32,
        /// Bytes.
        pub size: u32,
    }

    /// What one stage hands to the next.
    pub struct StageInterface {
        /// The stage that writes: position in [`Pipeline::stages`].
        pub from: u32,
        /// The stage that reads.
        pub to: u32,
        /// Vectors in order of their locations. Whether they fit is what `spirula val --link` judges.
        pub values: Vec<InterfaceValue>,
    }

    /// A vector at one location and component.
    pub struct InterfaceValue {
        /// Location.
        pub location: u32,
        /// First component.
        pub component: u32,
        /// Whether it is one of the patch, not of each vertex.
        pub per_patch: bool,
        /// The output: name and type; `None` where nothing writes it.
        pub output: Option<NamedValue>,
        /// The input: name and type; `None` where nothing reads it.
        pub input: Option<NamedValue>,
    }

    /// One side of an interface.
    pub struct NamedValue {
        /// Name of the variable, its id where it has none, or path of the member.
        pub name: String,
        /// Type of the vector: `f32x4`.
        pub ty: String,
    }

    /// What does not fit together.
    pub struct Conflict {
        /// Whether Vulkan can make no such pipeline, or it only looks like a mistake.
        pub severity: ConflictSeverity,
        /// What it is about.
        pub kind: ConflictKind,
        /// Positions of the stages concerned.
        pub stages: Vec<u32>,
        /// The set, where it is about a descriptor.
        pub set: Option<u32>,
        /// The binding.
        pub binding: Option<u32>,
        /// In words.
        pub message: String,
    }

    /// How bad a conflict is.
    #[derive(Copy)]
    pub enum ConflictSeverity {
        /// No pipeline layout, or no pipeline, fits.
        Error,
        /// Vulkan allows it, but hardly anybody means it.
        Warning,
    }

    /// What a conflict is about.
    #[derive(Copy)]
    pub enum ConflictKind {
        /// Two entry points of one stage.
        StageTwice,
        /// Stages that are of different kinds of pipelines.
        StageKinds,
        /// A stage that no pipeline has.
        NoStage,
        /// A variable lacks its set or binding.
        NoBinding,
        /// The stages want different kinds of descriptors.
        DescriptorKind,
        /// They want different numbers of descriptors.
        DescriptorCount,
        /// They want different images.
        ImageType,
        /// They have different ideas of the block.
        BlockLayout,
        /// They have blocks of different sizes.
        BlockSize,
        /// They have different ideas of the push constants.
        PushConstants,
        /// The report leaves something out.
        LeftOut,
    }
}
