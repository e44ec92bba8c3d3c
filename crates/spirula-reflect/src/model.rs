//! The report.

use alloc::string::String;
use alloc::vec::Vec;

use crate::TypeRef;

/// Version of the report's shape. It grows when a field changes its meaning or goes; new fields do not change it.
pub const SCHEMA_VERSION: u32 = 1;

/// Puts the derives on every type of the report.
macro_rules! report {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $body:tt)*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, PartialEq, Eq, Debug)]
            #[cfg_attr(feature = "serde", derive(serde::Serialize))]
            #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
            pub $kind $name $body
        )*
    };
}

report! {
    /// All that a module wants from its host.
    pub struct Reflection {
        /// [`SCHEMA_VERSION`].
        pub schema: u32,
        /// Version of SPIR-V.
        pub version: VersionNumber,
        /// Generator word of the header: tool in the high half, its version in the low half.
        pub generator: u32,
        /// Addressing model.
        pub addressing_model: String,
        /// Memory model.
        pub memory_model: String,
        /// Where the module comes from, where it says so.
        pub source: Option<Source>,
        /// Types, each once; a `TypeRef` is a position here.
        pub types: Vec<Type>,
        /// Entry points.
        pub entry_points: Vec<EntryPoint>,
        /// Variables behind descriptors, whether used or not, by set and binding.
        pub bindings: Vec<Binding>,
        /// Push constant blocks.
        pub push_constants: Vec<BlockVariable>,
        /// Shader record blocks (ray tracing).
        pub shader_records: Vec<BlockVariable>,
        /// Specialisation constants.
        pub spec_constants: Vec<SpecConstant>,
        /// What is declared, but used by no entry point.
        pub unused: Unused,
        /// What the module requires of Vulkan.
        pub requirements: Requirements,
    }

    /// A version of SPIR-V or Vulkan.
    pub struct VersionNumber {
        /// Major number.
        pub major: u8,
        /// Minor number.
        pub minor: u8,
    }

    /// `OpSource`.
    pub struct Source {
        /// Language.
        pub language: String,
        /// Its version.
        pub version: u32,
        /// File name.
        pub file: Option<String>,
    }

    /// A type.
    pub struct Type {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: String,
        /// What it is.
        pub kind: TypeKind,
    }

    /// What a type is.
    pub enum TypeKind {
        /// `OpTypeVoid`
        Void,
        /// `OpTypeBool`
        Bool,
        /// `OpTypeInt`
        Int {
            /// Bits.
            width: u32,
            /// Signedness.
            signed: bool,
        },
        /// `OpTypeFloat`
        Float {
            /// Bits.
            width: u32,
            /// Encoding where it is not IEEE 754.
            encoding: Option<String>,
        },
        /// `OpTypeVector`
        Vector {
            /// Component type.
            component: TypeRef,
            /// Number of components.
            count: u32,
        },
        /// `OpTypeMatrix`
        Matrix {
            /// Component type.
            component: TypeRef,
            /// Number of columns.
            columns: u32,
            /// Number of rows.
            rows: u32,
        },
        /// `OpTypeArray` and `OpTypeRuntimeArray`
        Array {
            /// Element type.
            element: TypeRef,
            /// Number of elements.
            count: Count,
            /// `ArrayStride` in bytes.
            stride: Option<u32>,
        },
        /// `OpTypeStruct`
        Struct {
            /// Members in order.
            members: Vec<Member>,
            /// Size in bytes where all members have offsets: up to the end of the last one. A runtime array counts 0.
            size: Option<u32>,
        },
        /// `OpTypePointer`
        Pointer {
            /// Storage class.
            class: String,
            /// What it points to; `None` for untyped pointers.
            pointee: Option<TypeRef>,
        },
        /// `OpTypeImage`
        Image(Image),
        /// `OpTypeSampledImage`
        SampledImage(Image),
        /// `OpTypeSampler`
        Sampler,
        /// `OpTypeAccelerationStructureKHR`
        AccelerationStructure,
        /// Any other type, by its opcode's name.
        Other(String),
    }

    /// A number of elements.
    pub enum Count {
        /// Exactly this many.
        Fixed(u32),
        /// As many as a specialisation constant (or an operation on some) says.
        Spec {
            /// The constant's result id.
            id: u32,
            /// Value with the defaults, where it can be computed.
            default: Option<u32>,
        },
        /// Known at run time only.
        Runtime,
    }

    /// A member of a structure type.
    pub struct Member {
        /// Debug name; empty where it has none.
        pub name: String,
        /// Type.
        pub ty: TypeRef,
        /// `Offset` in bytes.
        pub offset: Option<u32>,
        /// Bytes that it occupies, where its layout is explicit; 0 for a runtime array.
        pub size: Option<u32>,
        /// Bytes to the next member, or to the end of the structure as its arrays would round it.
        pub padded_size: Option<u32>,
        /// `MatrixStride` in bytes, of the matrix or the array of matrices.
        pub matrix_stride: Option<u32>,
        /// `RowMajor`; `None` where it is no matrix.
        pub row_major: Option<bool>,
        /// Built-in that the member is.
        pub built_in: Option<String>,
        /// `Location`.
        pub location: Option<u32>,
        /// `Component`.
        pub component: Option<u32>,
        /// HLSL semantics.
        pub semantics: Vec<Semantic>,
        /// `NonWritable`.
        pub non_writable: bool,
        /// `NonReadable`.
        pub non_readable: bool,
        /// `Coherent`.
        pub coherent: bool,
    }

    /// Operands of an image type.
    pub struct Image {
        /// Component type of what is read.
        pub sampled_type: TypeRef,
        /// Dimensionality.
        pub dim: String,
        /// Format; `Unknown` where any will do.
        pub format: String,
        /// A depth image: `None` where the type leaves it open.
        pub depth: Option<bool>,
        /// Whether it has layers.
        pub arrayed: bool,
        /// Whether it is multisampled.
        pub multisampled: bool,
        /// With a sampler, without, or not known before run time.
        pub sampled: Option<bool>,
    }

    /// An HLSL semantic (SPV_GOOGLE_hlsl_functionality1).
    pub struct Semantic {
        /// As written.
        pub text: String,
        /// In upper case, without the index.
        pub name: String,
        /// Index; 0 where none is written.
        pub index: u32,
        /// Whether it is a system value (`SV_…`).
        pub system_value: bool,
    }

    /// An entry point.
    pub struct EntryPoint {
        /// Name.
        pub name: String,
        /// Result id of the function.
        pub id: u32,
        /// Execution model.
        pub model: String,
        /// Execution modes with their operands.
        pub modes: Vec<Mode>,
        /// Workgroup size, for the models that have one.
        pub workgroup_size: Option<[Dimension; 3]>,
        /// Input variables.
        pub inputs: Vec<InterfaceVariable>,
        /// Output variables.
        pub outputs: Vec<InterfaceVariable>,
        /// Other interface variables: ray payloads, hit attributes, callable data, task payloads.
        pub payloads: Vec<Payload>,
        /// The bindings that its call tree uses: positions in [`Reflection::bindings`], with the access made.
        pub bindings: Vec<BindingUse>,
        /// Positions in [`Reflection::push_constants`].
        pub push_constants: Vec<u32>,
        /// Positions in [`Reflection::shader_records`].
        pub shader_records: Vec<u32>,
        /// Bytes of Workgroup memory, without padding; `None` where a size is not known.
        pub workgroup_memory: Option<u32>,
        /// Positions in [`Reflection::spec_constants`] of those that its call tree, types and modes depend on.
        pub spec_constants: Vec<u32>,
        /// Semantics that occur more than once among its inputs, or among its outputs.
        pub duplicate_semantics: Vec<String>,
        /// Whether it uses subgroup operations.
        pub uses_subgroups: bool,
        /// Whether it uses derivatives, explicit or by implicit level of detail.
        pub uses_derivatives: bool,
        /// Whether it may discard fragments.
        pub uses_discard: bool,
    }

    /// An execution mode.
    pub struct Mode {
        /// Name.
        pub name: String,
        /// Operands as words; ids for `OpExecutionModeId`.
        pub operands: Vec<u32>,
    }

    /// One dimension of a workgroup.
    pub struct Dimension {
        /// Size, or its default.
        pub size: u32,
        /// `SpecId` of the constant that it is, where it can be specialised.
        pub spec_id: Option<u32>,
    }

    /// A variable of an entry point's interface, in storage class Input or Output.
    pub struct InterfaceVariable {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: String,
        /// Type of the variable, without the pointer.
        pub ty: TypeRef,
        /// `Location`.
        pub location: Option<u32>,
        /// `Component`.
        pub component: Option<u32>,
        /// `Index`, for dual-source blending.
        pub index: Option<u32>,
        /// Locations that it takes, where it has one.
        pub location_count: u32,
        /// Built-in that the variable is; members of a block have theirs in the type.
        pub built_in: Option<String>,
        /// Interpolation and auxiliary decorations.
        pub interpolation: Vec<String>,
        /// HLSL semantics.
        pub semantics: Vec<Semantic>,
        /// Whether the outermost array is one of vertices (or primitives), not of the variable itself.
        pub arrayed_per_vertex: bool,
    }

    /// A variable that passes data between stages in other ways than Input and Output.
    pub struct Payload {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: String,
        /// Storage class.
        pub class: String,
        /// Type.
        pub ty: TypeRef,
        /// `Location`.
        pub location: Option<u32>,
    }

    /// What a descriptor is.
    pub enum DescriptorKind {
        /// A sampler.
        Sampler,
        /// An image together with its sampler.
        CombinedImageSampler,
        /// An image read through a sampler.
        SampledImage,
        /// An image read and written without a sampler.
        StorageImage,
        /// A sampled image of dimensionality `Buffer`.
        UniformTexelBuffer,
        /// A storage image of dimensionality `Buffer`.
        StorageTexelBuffer,
        /// A uniform block.
        UniformBuffer,
        /// A storage block.
        StorageBuffer,
        /// An image of dimensionality `SubpassData`.
        InputAttachment,
        /// An acceleration structure.
        AccelerationStructure,
        /// A tensor.
        Tensor,
        /// The heap of samplers.
        SamplerHeap,
        /// The heap of all other resources.
        ResourceHeap,
        /// Something else.
        Other,
    }

    /// A variable behind a descriptor.
    pub struct Binding {
        /// Result id.
        pub id: u32,
        /// Debug name of the variable; empty where it has none.
        pub name: String,
        /// `DescriptorSet`.
        pub set: Option<u32>,
        /// `Binding`.
        pub binding: Option<u32>,
        /// What the descriptor is.
        pub kind: DescriptorKind,
        /// Number of descriptors: the product of the array dimensions.
        pub count: Count,
        /// Type of one descriptor: block, image, sampler …
        pub ty: TypeRef,
        /// Size in bytes of a block, up to the end of its last member.
        pub size: Option<u32>,
        /// `InputAttachmentIndex`.
        pub input_attachment_index: Option<u32>,
        /// What decorations of the variable, or of all members of its block, rule out or promise.
        pub non_writable: bool,
        /// See `non_writable`.
        pub non_readable: bool,
        /// `Coherent`.
        pub coherent: bool,
        /// `Volatile`.
        pub volatile: bool,
        /// `Restrict`.
        pub restrict: bool,
        /// The counter buffer that belongs to it.
        pub counter: Option<Counter>,
        /// The buffer whose counter it is.
        pub counter_of: Option<u32>,
        /// Other variables with the same set and binding, by id.
        pub aliases: Vec<u32>,
        /// Where device addresses lie in the block.
        pub addresses: Vec<DeviceAddress>,
    }

    /// A counter buffer, and how we know.
    pub struct Counter {
        /// Id of the counter variable.
        pub id: u32,
        /// What tells.
        pub evidence: CounterEvidence,
    }

    /// How a counter buffer was found.
    pub enum CounterEvidence {
        /// The `CounterBuffer` decoration.
        Decoration,
        /// The name that a compiler gives to counters: `counter.var.X` or `X@count`.
        Name,
    }

    /// A device address in a block.
    pub struct DeviceAddress {
        /// Where, as a path of members: `lights[].next`.
        pub path: String,
        /// Offset in bytes from the start of the block, at index 0 of all arrays on the way.
        pub offset: u32,
        /// Strides in bytes of the arrays on the way, the outermost first.
        pub array_strides: Vec<u32>,
        /// Whether a runtime array is on the way.
        pub in_runtime_array: bool,
        /// What it points to; `None` for untyped pointers.
        pub pointee: Option<TypeRef>,
        /// Alignment in bytes that accesses through it state, or that the pointee's largest scalar has.
        pub alignment: Option<u32>,
    }

    /// How an entry point uses a binding.
    pub struct BindingUse {
        /// Position in [`Reflection::bindings`].
        pub binding: u32,
        /// Whether it is read.
        pub read: bool,
        /// Whether it is written.
        pub written: bool,
        /// Samplers with which a sampled image is combined, by position in the bindings.
        pub samplers: Vec<u32>,
    }

    /// A push constant or shader record block.
    pub struct BlockVariable {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: String,
        /// Type of the block.
        pub ty: TypeRef,
        /// Smallest offset of a member.
        pub offset: u32,
        /// Bytes from there to the end of the last member.
        pub size: u32,
        /// Where device addresses lie in the block.
        pub addresses: Vec<DeviceAddress>,
    }

    /// A specialisation constant.
    pub struct SpecConstant {
        /// Result id.
        pub id: u32,
        /// `SpecId`; `None` for results of operations on such constants.
        pub spec_id: Option<u32>,
        /// Debug name; empty where it has none.
        pub name: String,
        /// Type as text: `bool`, `u32`, `i16`, `f64` …
        pub ty: String,
        /// Default value's bits, sign- or zero-extended.
        pub default: u64,
        /// Expressions over it, as text, of array lengths and workgroup sizes.
        pub expressions: Vec<String>,
    }

    /// Declared, but used by no entry point.
    pub struct Unused {
        /// Positions in [`Reflection::bindings`].
        pub bindings: Vec<u32>,
        /// Positions in [`Reflection::push_constants`].
        pub push_constants: Vec<u32>,
    }

    /// What the module requires of Vulkan.
    pub struct Requirements {
        /// Oldest Vulkan that takes the SPIR-V version.
        pub vulkan: VersionNumber,
        /// Declared capabilities.
        pub capabilities: Vec<String>,
        /// Declared SPIR-V extensions.
        pub extensions: Vec<String>,
        /// Features and device extensions, with their causes.
        pub features: Vec<Requirement>,
    }

    /// One thing that the device must have.
    pub struct Requirement {
        /// Feature, as Vulkan's structures spell it: any of these.
        pub features: Vec<String>,
        /// Device extensions that bring it where the Vulkan version does not.
        pub extensions: Vec<String>,
        /// Vulkan version that has it in core, if any.
        pub core: Option<VersionNumber>,
        /// The SPIR-V capability that asks for it.
        pub capability: String,
        /// The instruction that needs the capability: its text, shortened.
        pub cause: Option<String>,
        /// Variable that needs it: result id.
        pub variable: Option<u32>,
    }
}
