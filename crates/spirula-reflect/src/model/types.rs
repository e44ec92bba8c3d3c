//! Types.

use alloc::string::String;
use alloc::vec::Vec;

use super::{Term, Text};
use crate::TypeRef;

report! {
    /// A type.
    pub struct Type<'m> {
        /// Result id.
        pub id: u32,
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
        /// What it is.
        pub kind: TypeKind<'m>,
    }

    /// What a type is.
    pub enum TypeKind<'m> {
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
            encoding: Option<Term>,
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
            members: Vec<Member<'m>>,
            /// Size in bytes where all members have offsets: up to the end of the last one. A runtime array counts 0.
            size: Option<u32>,
        },
        /// `OpTypePointer`
        Pointer {
            /// Storage class.
            class: Term,
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
        Other(Term),
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
    pub struct Member<'m> {
        /// Debug name; empty where it has none.
        pub name: Text<'m>,
        /// Type.
        pub ty: TypeRef,
        /// `Offset` in bytes.
        pub offset: Option<u32>,
        /// Bytes that it occupies, where its layout is explicit; 0 for a runtime array.
        pub size: Option<u32>,
        /// Bytes to the next member, or to the end of the structure.
        pub padded_size: Option<u32>,
        /// `MatrixStride` in bytes, of the matrix or the array of matrices.
        pub matrix_stride: Option<u32>,
        /// `RowMajor`; `None` where it is no matrix.
        pub row_major: Option<bool>,
        /// Built-in that the member is.
        pub built_in: Option<Term>,
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
        pub dim: Term,
        /// Format; `Unknown` where any will do.
        pub format: Term,
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
}
