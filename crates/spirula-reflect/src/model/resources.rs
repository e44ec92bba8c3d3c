//! What the host provides for: descriptors, blocks, specialisation constants.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Term, Text};
use crate::TypeRef;
use crate::model::Count;

report! {
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
    pub struct Binding<'m> {
        /// Result id.
        pub id: u32,
        /// Debug name of the variable; empty where it has none.
        pub name: Text<'m>,
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
        pub addresses: Vec<DeviceAddress<'m>>,
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
    pub struct DeviceAddress<'m> {
        /// Where, as a path of members: `lights[].next`.
        pub path: Text<'m>,
        /// Offset in bytes from the start of the block, at index 0 of all arrays on the way.
        pub offset: u32,
        /// Strides in bytes of the arrays on the way, the outermost first.
        pub array_strides: Vec<u32>,
        /// Whether a runtime array is on the way.
        pub in_runtime_array: bool,
        /// What it points to; `None` for untyped pointers.
        pub pointee: Option<TypeRef>,
        /// Alignment in bytes that accesses through it must have at least: the size of the pointee's largest scalar.
        pub alignment: Option<u32>,
    }

    /// The members of a block, at all depths.
    pub struct BlockLayout<'m> {
        /// The structure type.
        pub ty: TypeRef,
        /// Size in bytes, up to the end of the last member. A runtime array counts 0.
        pub size: Option<u32>,
        /// Members, each before what it is made of.
        pub members: Vec<BlockMember<'m>>,
        /// Where device addresses lie in it, by offset.
        pub addresses: Vec<DeviceAddress<'m>>,
    }

    /// A member of a block, at any depth.
    pub struct BlockMember<'m> {
        /// Path of members: `lights[].position`.
        pub path: Text<'m>,
        /// Offset in bytes from the start of the block, at index 0 of all arrays on the way.
        pub offset: u32,
        /// Bytes that it occupies; 0 for a runtime array.
        pub size: Option<u32>,
        /// Bytes to what comes next: a member, the next element of the array that it is in, or the end of the block.
        pub padded_size: Option<u32>,
        /// Type.
        pub ty: TypeRef,
        /// Strides in bytes of the arrays on the way, its own included, the outermost first.
        pub array_strides: Vec<u32>,
        /// `MatrixStride` in bytes, of the matrix or the array of matrices.
        pub matrix_stride: Option<u32>,
        /// `RowMajor`; `None` where it is no matrix.
        pub row_major: Option<bool>,
    }

    /// A push constant or shader record block.
    pub struct BlockVariable<'m> {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
        /// Type of the block.
        pub ty: TypeRef,
        /// Smallest offset of a member.
        pub offset: u32,
        /// Bytes from there to the end of the last member.
        pub size: u32,
        /// Where device addresses lie in the block.
        pub addresses: Vec<DeviceAddress<'m>>,
    }

    /// A specialisation constant.
    pub struct SpecConstant<'m> {
        /// Result id.
        pub id: u32,
        /// `SpecId`; `None` for results of operations on such constants.
        pub spec_id: Option<u32>,
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
        /// Type as text: `bool`, `u32`, `i16`, `f64` …
        pub ty: String,
        /// Default value's bits, sign- or zero-extended.
        pub default: u64,
        /// Expressions over it, as text, of array lengths and workgroup sizes.
        pub expressions: Vec<String>,
    }

    /// An operation on specialisation constants (`OpSpecConstantOp`, `OpSpecConstantComposite`).
    pub struct SpecOperation {
        /// Result id.
        pub id: u32,
        /// The operation, by its opcode's name; `OpSpecConstantComposite` puts its operands together.
        pub op: Term,
        /// Type as text; empty where it is no scalar.
        pub ty: String,
        /// Operands.
        pub operands: Vec<SpecOperand>,
        /// Value with the defaults, where it is an integer or Boolean that can be computed.
        pub default: Option<u32>,
    }

    /// An operand of an operation on specialisation constants.
    pub enum SpecOperand {
        /// A specialisation constant or another operation: its result id.
        Constant(u32),
        /// A fixed number.
        Value(u32),
        /// Any other fixed constant, by its result id.
        Other(u32),
        /// A literal: an index of a composite.
        Literal(u32),
    }
}
