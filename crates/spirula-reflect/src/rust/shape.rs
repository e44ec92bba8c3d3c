//! What a member is in memory: arrays of arrays of something.

use alloc::vec::Vec;

use crate::TypeRef;
use crate::model::{Count, Member, Reflection, TypeKind};

/// Arrays nested deeper than this are shown as bytes: a type's text would grow with each level.
const MAX_DIMENSIONS: usize = 16;

/// One dimension of an array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Dimension {
    /// Number of elements; for one that is specialised, its default. `None` where only the host knows.
    pub(super) count: Option<u32>,
    pub(super) stride: u32,
    /// Whether specialisation may change the number.
    pub(super) specialised: bool,
}

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scalar {
    Int {
        bytes: u32,
        signed: bool,
    },
    Float {
        bytes: u32,
    },
    /// `BFloat16KHR`
    BFloat,
    /// One byte of an encoding that Rust has no type for.
    Float8,
}

impl Scalar {
    pub(super) fn bytes(self) -> u32 {
        match self {
            Scalar::Int { bytes, .. } | Scalar::Float { bytes } => bytes,
            Scalar::BFloat => 2,
            Scalar::Float8 => 1,
        }
    }
}

/// What an array consists of, or what a member is that is no array.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Leaf {
    /// A scalar (`count` is `None`) or a vector.
    Numeric {
        scalar: Scalar,
        count: Option<u32>,
    },
    /// Columns, or rows where it is row major: `vectors` times `per` scalars.
    Matrix {
        scalar: Scalar,
        vectors: u32,
        per: u32,
        stride: u32,
        row_major: bool,
    },
    Struct(TypeRef),
    /// A physical pointer, and what it points to where it says so.
    Address(Option<TypeRef>),
    /// What has a size, and no counterpart.
    Bytes(u32),
}

/// The shape of a member, the outermost dimension first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    pub(super) dimensions: Vec<Dimension>,
    pub(super) leaf: Leaf,
}

pub(super) fn kind<'r>(r: &'r Reflection<'_>, ty: TypeRef) -> Option<&'r TypeKind<'r>> {
    r.types.get(ty.0 as usize).map(|t| &t.kind)
}

pub(super) fn scalar(r: &Reflection<'_>, ty: TypeRef) -> Option<Scalar> {
    match kind(r, ty)? {
        TypeKind::Int { width, signed } if matches!(width, 8 | 16 | 32 | 64) => {
            Some(Scalar::Int { bytes: width / 8, signed: *signed })
        }
        TypeKind::Float { width, encoding: None } if matches!(width, 16 | 32 | 64) => {
            Some(Scalar::Float { bytes: width / 8 })
        }
        TypeKind::Float { width: 16, encoding: Some(e) } if e == "BFloat16KHR" => Some(Scalar::BFloat),
        TypeKind::Float { width: 8, .. } => Some(Scalar::Float8),
        _ => None,
    }
}

/// The shape of a type; `member` is where it stands, if matrices have their layout from there. `None` where it has no
/// layout, or is nothing that lies in memory.
pub(super) fn shape(r: &Reflection<'_>, mut ty: TypeRef, member: Option<&Member<'_>>) -> Option<Shape> {
    let mut dimensions = Vec::new();
    while let TypeKind::Array { element, count, stride } = kind(r, ty)? {
        let (count, specialised) = match count {
            Count::Fixed(n) => (Some(*n), false),
            Count::Spec { default, .. } => (Some((*default)?), true),
            Count::Runtime => (None, false),
        };
        // Only the outermost can be sized by the host.
        if dimensions.len() == MAX_DIMENSIONS || count.is_none() && !dimensions.is_empty() {
            return None;
        }
        dimensions.push(Dimension { count, stride: (*stride)?, specialised });
        ty = *element;
    }
    Some(Shape { dimensions, leaf: leaf(r, ty, member)? })
}

fn leaf(r: &Reflection<'_>, ty: TypeRef, member: Option<&Member<'_>>) -> Option<Leaf> {
    Some(match kind(r, ty)? {
        TypeKind::Int { .. } | TypeKind::Float { .. } => Leaf::Numeric { scalar: scalar(r, ty)?, count: None },
        TypeKind::Vector { component, count } => Leaf::Numeric { scalar: scalar(r, *component)?, count: Some(*count) },
        TypeKind::Matrix { component, columns, rows } => {
            let member = member?;
            let row_major = member.row_major == Some(true);
            let (vectors, per) = if row_major { (*rows, *columns) } else { (*columns, *rows) };
            Leaf::Matrix { scalar: scalar(r, *component)?, vectors, per, stride: member.matrix_stride?, row_major }
        }
        TypeKind::Struct { size: Some(_), .. } => Leaf::Struct(ty),
        TypeKind::Pointer { class, pointee } if class == "PhysicalStorageBuffer" => Leaf::Address(*pointee),
        TypeKind::Pointer { .. } => Leaf::Bytes(8),
        _ => return None,
    })
}
