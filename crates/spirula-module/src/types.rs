use spirula_binary::{Id, Inst, Number};
use spirula_grammar::{AccessQualifier, Dim, ImageFormat, Op, StorageClass};

/// Operands of an `OpTypeImage`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Image {
    /// Type of the components that reads give.
    pub sampled_type: Id,
    /// Dimensionality.
    pub dim: Dim,
    /// 0 not a depth image, 1 a depth image, 2 unknown.
    pub depth: u32,
    /// 1 for arrayed images.
    pub arrayed: u32,
    /// 1 for multisampled images.
    pub ms: u32,
    /// 0 known at run time only, 1 used with a sampler, 2 used without.
    pub sampled: u32,
    /// Format of the texels.
    pub format: ImageFormat,
    /// Access qualifier, for kernels.
    pub access: Option<AccessQualifier>,
}

impl Image {
    /// Reads an `OpTypeImage`.
    pub fn of(inst: Inst<'_>) -> Image {
        Image {
            sampled_type: inst.id(2),
            dim: Dim(inst.word(3)),
            depth: inst.word(4),
            arrayed: inst.word(5),
            ms: inst.word(6),
            sampled: inst.word(7),
            format: ImageFormat(inst.word(8)),
            access: inst.words().get(9).map(|a| AccessQualifier(*a)),
        }
    }
}

/// A type, one level deep: components are ids.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Type<'w> {
    /// `OpTypeVoid`
    Void,
    /// `OpTypeBool`
    Bool,
    /// `OpTypeInt`
    Int {
        /// Width in bits.
        width: u32,
        /// Signedness.
        signed: bool,
    },
    /// `OpTypeFloat`
    Float(Number),
    /// `OpTypeVector`
    Vector {
        /// Component type.
        component: Id,
        /// Number of components.
        count: u32,
    },
    /// `OpTypeMatrix`
    Matrix {
        /// Column type.
        column: Id,
        /// Number of columns.
        count: u32,
    },
    /// `OpTypeImage`
    Image(Image),
    /// `OpTypeSampler`
    Sampler,
    /// `OpTypeSampledImage`
    SampledImage {
        /// The image's type.
        image: Id,
    },
    /// `OpTypeArray`
    Array {
        /// Element type.
        element: Id,
        /// The constant that is its length.
        length: Id,
    },
    /// `OpTypeRuntimeArray`
    RuntimeArray {
        /// Element type.
        element: Id,
    },
    /// `OpTypeStruct`
    Struct {
        /// Types of the members.
        members: &'w [u32],
    },
    /// `OpTypePointer`
    Pointer {
        /// Storage class.
        class: StorageClass,
        /// What it points to.
        pointee: Id,
    },
    /// `OpTypeUntypedPointerKHR`
    UntypedPointer {
        /// Storage class.
        class: StorageClass,
    },
    /// `OpTypeFunction`
    Function {
        /// Return type.
        result: Id,
        /// Types of the parameters.
        parameters: &'w [u32],
    },
    /// `OpTypeAccelerationStructureKHR`
    AccelerationStructure,
    /// `OpTypeRayQueryKHR`
    RayQuery,
    /// `OpTypeCooperativeMatrixKHR`
    CooperativeMatrix {
        /// Component type.
        component: Id,
        /// Scope, a constant.
        scope: Id,
        /// Rows, a constant.
        rows: Id,
        /// Columns, a constant.
        columns: Id,
        /// Use, a constant.
        usage: Id,
    },
    /// `OpTypeVectorIdEXT`
    VectorId {
        /// Component type.
        component: Id,
        /// Number of components, a constant.
        count: Id,
    },
    /// `OpTypeBufferEXT`
    Buffer {
        /// Storage class.
        class: StorageClass,
    },
    /// Any other type.
    Other(Inst<'w>),
}

impl<'w> Type<'w> {
    /// Reads the type that `inst` declares.
    #[inline]
    pub fn of(inst: Inst<'w>) -> Type<'w> {
        match inst.op() {
            Op::TypeVoid => Type::Void,
            Op::TypeBool => Type::Bool,
            Op::TypeInt => Type::Int { width: inst.word(2), signed: inst.word(3) & 1 != 0 },
            Op::TypeFloat => Number::of_type(inst).map_or(Type::Other(inst), Type::Float),
            Op::TypeVector => Type::Vector { component: inst.id(2), count: inst.word(3) },
            Op::TypeMatrix => Type::Matrix { column: inst.id(2), count: inst.word(3) },
            Op::TypeImage => Type::Image(Image::of(inst)),
            Op::TypeSampler => Type::Sampler,
            Op::TypeSampledImage => Type::SampledImage { image: inst.id(2) },
            Op::TypeArray => Type::Array { element: inst.id(2), length: inst.id(3) },
            Op::TypeRuntimeArray => Type::RuntimeArray { element: inst.id(2) },
            Op::TypeStruct => Type::Struct { members: inst.tail(2) },
            Op::TypePointer => Type::Pointer { class: StorageClass(inst.word(2)), pointee: inst.id(3) },
            Op::TypeUntypedPointerKHR => Type::UntypedPointer { class: StorageClass(inst.word(2)) },
            Op::TypeFunction => Type::Function { result: inst.id(2), parameters: inst.tail(3) },
            Op::TypeAccelerationStructureKHR => Type::AccelerationStructure,
            Op::TypeRayQueryKHR => Type::RayQuery,
            Op::TypeCooperativeMatrixKHR => Type::CooperativeMatrix {
                component: inst.id(2),
                scope: inst.id(3),
                rows: inst.id(4),
                columns: inst.id(5),
                usage: inst.id(6),
            },
            Op::TypeVectorIdEXT => Type::VectorId { component: inst.id(2), count: inst.id(3) },
            Op::TypeBufferEXT => Type::Buffer { class: StorageClass(inst.word(2)) },
            _ => Type::Other(inst),
        }
    }
}

/// Whether an instruction samples an image at a level of detail that it takes from derivatives (§3.3.10).
pub const fn is_implicit_lod(op: Op) -> bool {
    matches!(
        op,
        Op::ImageSampleImplicitLod
            | Op::ImageSampleDrefImplicitLod
            | Op::ImageSampleProjImplicitLod
            | Op::ImageSampleProjDrefImplicitLod
            | Op::ImageSparseSampleImplicitLod
            | Op::ImageSparseSampleDrefImplicitLod
            | Op::ImageSparseSampleProjImplicitLod
            | Op::ImageSparseSampleProjDrefImplicitLod
    )
}
