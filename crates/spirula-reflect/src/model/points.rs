//! Entry points, and what each uses.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Term, Text};
use crate::TypeRef;
use crate::model::{DescriptorKind, Semantic};

report! {
    /// An entry point.
    pub struct EntryPoint<'m> {
        /// Name.
        pub name: Text<'m>,
        /// Result id of the function.
        pub id: u32,
        /// Execution model.
        pub model: Term,
        /// Execution modes with their operands.
        pub modes: Vec<Mode>,
        /// Workgroup size, for the models that have one.
        pub workgroup_size: Option<[Dimension; 3]>,
        /// Input variables.
        pub inputs: Vec<InterfaceVariable<'m>>,
        /// Output variables.
        pub outputs: Vec<InterfaceVariable<'m>>,
        /// Other interface variables: ray payloads, hit attributes, callable data, task payloads.
        pub payloads: Vec<Payload<'m>>,
        /// The bindings that its call tree uses: positions in [`Reflection::bindings`], with the access made.
        pub bindings: Vec<BindingUse>,
        /// Positions in [`Reflection::push_constants`].
        pub push_constants: Vec<u32>,
        /// Positions in [`Reflection::shader_records`].
        pub shader_records: Vec<u32>,
        /// Bytes of Workgroup memory, without padding; `None` where a size is not known.
        pub workgroup_memory: Option<u32>,
        /// The Workgroup variables that its call tree uses.
        pub workgroup_variables: Vec<WorkgroupVariable<'m>>,
        /// What its call tree takes from descriptor heaps through arrays of a known type.
        pub heap_accesses: Vec<HeapAccess>,
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
        pub name: Term,
        /// Operands as words; ids for `OpExecutionModeId`.
        pub operands: Vec<u32>,
    }

    /// One dimension of a workgroup.
    pub struct Dimension {
        /// Size, or its default.
        pub size: u32,
        /// `SpecId` of the constant that it is, where it can be specialised.
        pub spec_id: Option<u32>,
        /// Result id of the specialisation constant, or of the operation on some, that it is.
        pub constant: Option<u32>,
    }

    /// A variable of an entry point's interface, in storage class Input or Output.
    pub struct InterfaceVariable<'m> {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
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
        pub built_in: Option<Term>,
        /// Interpolation and auxiliary decorations.
        pub interpolation: Vec<Term>,
        /// HLSL semantics.
        pub semantics: Vec<Semantic>,
        /// Whether the outermost array is one of vertices (or primitives), not of the variable itself.
        pub arrayed_per_vertex: bool,
        /// Whether the entry point's call tree names it.
        pub used: bool,
    }

    /// A variable that passes data between stages in other ways than Input and Output.
    pub struct Payload<'m> {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
        /// Storage class.
        pub class: Term,
        /// Type.
        pub ty: TypeRef,
        /// `Location`.
        pub location: Option<u32>,
        /// Bytes, without padding where the layout is not explicit; `None` where that is not known.
        pub size: Option<u32>,
    }

    /// A variable in Workgroup memory.
    pub struct WorkgroupVariable<'m> {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
        /// Type.
        pub ty: TypeRef,
        /// Bytes, without padding where the layout is not explicit; `None` where that is not known.
        pub size: Option<u32>,
    }

    /// An array that an entry point lays over a descriptor heap (SPV_EXT_descriptor_heap).
    pub struct HeapAccess {
        /// Result id of the heap.
        pub heap: u32,
        /// Result id of the array's type.
        pub array: u32,
        /// `ArrayStride`, where it is a number.
        pub stride: Option<u32>,
        /// What the descriptors are.
        pub kind: DescriptorKind,
        /// Type of one descriptor, or of the block in the buffer behind it.
        pub ty: TypeRef,
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
}
