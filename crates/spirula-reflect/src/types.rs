//! The type graph, and the sizes that explicit layout gives.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, LitStr, NumberKind};
use spirula_grammar::{BuiltIn, Decoration, Dim, FPEncoding, ImageFormat, Op, StorageClass};
use spirula_module::{Module, Names, Type as Raw};

use crate::model::{Count, Image, Member, Type, TypeKind};
use crate::{budget::Budget, hlsl, spec, text};

/// A type, by its position in [`Reflection::types`](crate::Reflection::types).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeRef(pub u32);

/// Bytes of a pointer in memory: only physical ones are kept there.
const POINTER_SIZE: u32 = 8;

/// What explicit layout says of a type by itself.
#[derive(Clone, Copy, Default)]
struct Layout {
    /// Size in bytes, where the type has one without decorations of a member.
    size: Option<u32>,
    /// Bytes of the largest scalar in it, pointers included; 0 where there is none.
    scalar: u8,
    /// Widths in bits of the numbers in it, as a mask: 8, 16 and 64.
    widths: u8,
}

/// Types as they are asked for. Each is described once.
#[derive(Default)]
pub(crate) struct Types {
    /// By slot: the position in `list` plus 1.
    refs: Vec<u32>,
    layouts: Vec<Layout>,
    ids: Vec<Id>,
    list: Vec<Type>,
    /// Sizes of the largest scalars, in the order of `list`.
    scalars: Vec<u8>,
    /// The reference for types that cannot be paid for.
    nothing: Option<TypeRef>,
}

impl Types {
    /// Lays out all types, in order of declaration, so that parts come before wholes.
    pub(crate) fn of(m: &Module<'_>) -> Types {
        let slots = m.ids().slot_count();
        let mut types =
            Types { refs: alloc::vec![0; slots], layouts: alloc::vec![Layout::default(); slots], ..Types::default() };
        for inst in m.global_insts() {
            let Some(id) = inst.desc().filter(|d| d.is_type()).and_then(|_| inst.result()) else { continue };
            let size = types.natural_size(m, id);
            let (scalar, widths) = types.scalars(m, id);
            if let Some(layout) = m.ids().slot(id).and_then(|s| types.layouts.get_mut(s)) {
                *layout = Layout { size, scalar, widths };
            }
        }
        types
    }

    /// Size in bytes of a type laid out by itself; `None` where that takes a member's decorations, or has no meaning.
    pub(crate) fn size(&self, m: &Module<'_>, ty: Id) -> Option<u32> {
        // Pointers may be declared behind what is made of them.
        if m.key(ty).is_pointer() {
            return Some(POINTER_SIZE);
        }
        m.ids().slot(ty).and_then(|s| self.layouts.get(s))?.size
    }

    fn natural_size(&self, m: &Module<'_>, ty: Id) -> Option<u32> {
        match m.ty(ty)? {
            Raw::Int { width, .. } => Some(width.div_ceil(8)),
            Raw::Float(n) => Some(n.width.div_ceil(8)),
            Raw::Vector { component, count } => self.size(m, component)?.checked_mul(count),
            Raw::Array { length, .. } => stride(m, ty)?.checked_mul(spec::default_u32(m, length)?),
            Raw::RuntimeArray { .. } => Some(0),
            Raw::Pointer { .. } | Raw::UntypedPointer { .. } => Some(POINTER_SIZE),
            Raw::Struct { members } => {
                let mut end = 0u32;
                for (i, member) in members.iter().enumerate() {
                    let offset = m.member_decoration(ty, i as u32, Decoration::Offset)?.operand();
                    end = end.max(offset.checked_add(self.member_size(m, ty, i as u32, Id(*member))?)?);
                }
                Some(end)
            }
            _ => None,
        }
    }

    fn layout(&self, m: &Module<'_>, ty: Id) -> Layout {
        m.ids().slot(ty).and_then(|s| self.layouts.get(s)).copied().unwrap_or_default()
    }

    /// Size of the largest scalar, and the widths of numbers.
    fn scalars(&self, m: &Module<'_>, ty: Id) -> (u8, u8) {
        let part = |id| {
            // Pointers may be declared behind what is made of them.
            if m.key(id).is_pointer() {
                return (POINTER_SIZE as u8, 0);
            }
            let part = self.layout(m, id);
            (part.scalar, part.widths)
        };
        match m.ty(ty) {
            Some(Raw::Int { width, .. }) => ((width / 8).min(255) as u8, (width & 0x58) as u8),
            Some(Raw::Float(n)) => ((n.width / 8).min(255) as u8, (n.width & 0x58) as u8),
            Some(Raw::Vector { component: part_of, .. } | Raw::Matrix { column: part_of, .. }) => part(part_of),
            Some(Raw::Array { element, .. } | Raw::RuntimeArray { element }) => part(element),
            Some(Raw::Struct { members }) => {
                members.iter().map(|t| part(Id(*t))).fold((0, 0), |all, one| (all.0.max(one.0), all.1 | one.1))
            }
            Some(Raw::Pointer { .. } | Raw::UntypedPointer { .. }) => (POINTER_SIZE as u8, 0),
            _ => (0, 0),
        }
    }

    /// Whether a type has numbers of so many bits, 8, 16 or 64, in it.
    pub(crate) fn has_width(&self, m: &Module<'_>, ty: Id, width: u8) -> bool {
        self.layout(m, ty).widths & width != 0
    }

    /// Size of the largest scalar in a type: what every access through a pointer to it must be aligned to at least.
    pub(crate) fn largest_scalar(&self, ty: TypeRef) -> Option<u32> {
        self.scalars.get(ty.0 as usize).copied().filter(|s| *s != 0).map(u32::from)
    }

    /// Bytes that a member of a structure occupies.
    pub(crate) fn member_size(&self, m: &Module<'_>, owner: Id, index: u32, ty: Id) -> Option<u32> {
        match m.ty(ty)? {
            Raw::Matrix { column, count } => {
                let stride = m.member_decoration(owner, index, Decoration::MatrixStride)?.operand();
                let rows = m.key(column).count();
                let vectors = if is_row_major(m, owner, index) { rows } else { count };
                stride.checked_mul(vectors)
            }
            _ => self.size(m, ty),
        }
    }

    /// The reference to a type. It and all that it is made of will be in the report.
    pub(crate) fn get(&mut self, m: &Module<'_>, budget: &Budget, ty: Id) -> TypeRef {
        let next = self.ids.len() as u32;
        match m.ids().slot(ty).and_then(|s| self.refs.get_mut(s)) {
            Some(at) if *at != 0 => TypeRef(*at - 1),
            Some(at) if budget.take(size_of::<Type>() + size_of::<Id>()) => {
                *at = next + 1;
                self.ids.push(ty);
                TypeRef(next)
            }
            // Undefined types are all the same.
            _ => *self.nothing.get_or_insert_with(|| {
                self.ids.push(Id(0));
                TypeRef(next)
            }),
        }
    }

    /// The types described so far.
    pub(crate) fn described(&self) -> &[Type] {
        &self.list
    }

    /// Describes the types that were asked for, and those that they are made of.
    pub(crate) fn describe(&mut self, m: &Module<'_>, names: &Names, budget: &Budget) {
        while let Some(&id) = self.ids.get(self.list.len()) {
            let kind = self.kind(m, names, budget, id);
            let name = names.get(m.words(), id).filter(|n| budget.take(n.len()));
            self.list.push(Type { id: id.0, name: name.map(LitStr::to_text).unwrap_or_default(), kind });
            self.scalars.push(if m.key(id).is_pointer() { POINTER_SIZE as u8 } else { self.layout(m, id).scalar });
        }
    }

    pub(crate) fn finish(self) -> Vec<Type> {
        self.list
    }

    fn kind(&mut self, m: &Module<'_>, names: &Names, budget: &Budget, id: Id) -> TypeKind {
        let Some(raw) = m.ty(id) else { return TypeKind::Other("undefined".into()) };
        match raw {
            Raw::Void => TypeKind::Void,
            Raw::Bool => TypeKind::Bool,
            Raw::Int { width, signed } => TypeKind::Int { width, signed },
            Raw::Float(n) => {
                let encoding = if let NumberKind::Encoded(e) = n.kind { Some(text(e, FPEncoding::name)) } else { None };
                TypeKind::Float { width: n.width, encoding }
            }
            Raw::Vector { component, count } => TypeKind::Vector { component: self.get(m, budget, component), count },
            Raw::Matrix { column, count } => {
                let Some(Raw::Vector { component, count: rows }) = m.ty(column) else {
                    return TypeKind::Other("OpTypeMatrix".into());
                };
                TypeKind::Matrix { component: self.get(m, budget, component), columns: count, rows }
            }
            Raw::Array { element, length } => TypeKind::Array {
                element: self.get(m, budget, element),
                count: count(m, length),
                stride: stride(m, id),
            },
            Raw::RuntimeArray { element } => {
                TypeKind::Array { element: self.get(m, budget, element), count: Count::Runtime, stride: stride(m, id) }
            }
            Raw::Struct { members } => self.structure(m, names, budget, id, members),
            Raw::Pointer { class, pointee } => TypeKind::Pointer {
                class: text(class, StorageClass::name),
                pointee: Some(self.get(m, budget, pointee)),
            },
            Raw::UntypedPointer { class } => {
                TypeKind::Pointer { class: text(class, StorageClass::name), pointee: None }
            }
            Raw::Image(image) => TypeKind::Image(self.image(m, budget, &image)),
            Raw::SampledImage { image } => match m.ty(image) {
                Some(Raw::Image(image)) => TypeKind::SampledImage(self.image(m, budget, &image)),
                _ => TypeKind::Other("OpTypeSampledImage".into()),
            },
            Raw::Sampler => TypeKind::Sampler,
            Raw::AccelerationStructure => TypeKind::AccelerationStructure,
            _ => TypeKind::Other(text(m.info(id).op, Op::name)),
        }
    }

    fn image(&mut self, m: &Module<'_>, budget: &Budget, image: &spirula_module::Image) -> Image {
        Image {
            sampled_type: self.get(m, budget, image.sampled_type),
            dim: text(image.dim, Dim::name),
            format: text(image.format, ImageFormat::name),
            depth: [Some(false), Some(true)].get(image.depth as usize).copied().flatten(),
            arrayed: image.arrayed == 1,
            multisampled: image.ms == 1,
            sampled: [None, Some(true), Some(false)].get(image.sampled as usize).copied().flatten(),
        }
    }

    fn structure(&mut self, m: &Module<'_>, names: &Names, budget: &Budget, id: Id, members: &[u32]) -> TypeKind {
        let size = self.size(m, id);
        let offset = |i: usize| m.member_decoration(id, i as u32, Decoration::Offset).map(|d| d.operand());
        // A member is followed by the one with the next greater offset, whatever the order.
        let mut offsets: Vec<u32> = (0..members.len()).filter_map(offset).collect();
        offsets.sort_unstable();
        let members = members.iter().enumerate().map_while(|(i, member)| {
            let name = names.member(m.words(), id, i as u32);
            if !budget.take(size_of::<Member>() + name.map_or(0, LitStr::len)) {
                return None;
            }
            let name = name.map(LitStr::to_text).unwrap_or_default();
            let own = offset(i);
            let next = own.and_then(|o| offsets.get(offsets.partition_point(|x| *x <= o)).copied()).or(size);
            let padded_size = own.zip(next).map(|(o, n)| n.saturating_sub(o));
            Some(self.member(m, budget, name, (id, i as u32), Id(*member), (own, padded_size)))
        });
        TypeKind::Struct { members: members.collect(), size }
    }

    fn member(
        &mut self,
        m: &Module<'_>,
        budget: &Budget,
        name: String,
        (owner, i): (Id, u32),
        ty: Id,
        (offset, padded_size): (Option<u32>, Option<u32>),
    ) -> Member {
        let operand = |d| m.member_decoration(owner, i, d).map(|d| d.operand());
        let has = |d| m.member_decoration(owner, i, d).is_some();
        let matrix = innermost_is_matrix(m, ty);
        Member {
            name,
            ty: self.get(m, budget, ty),
            offset,
            size: offset.and_then(|_| self.member_size(m, owner, i, ty)),
            padded_size,
            matrix_stride: operand(Decoration::MatrixStride),
            row_major: matrix.then(|| is_row_major(m, owner, i)),
            built_in: operand(Decoration::BuiltIn).map(|b| text(BuiltIn(b), BuiltIn::name)),
            location: operand(Decoration::Location),
            component: operand(Decoration::Component),
            semantics: hlsl::semantics(budget, m.member_decorations(owner, i)),
            non_writable: has(Decoration::NonWritable),
            non_readable: has(Decoration::NonReadable),
            coherent: has(Decoration::Coherent),
        }
    }
}

/// Whether a type is a matrix, or an array of them.
fn innermost_is_matrix(m: &Module<'_>, mut ty: Id) -> bool {
    for _ in 0..MAX_NESTING {
        match m.info(ty).op {
            Op::TypeMatrix => return true,
            Op::TypeArray | Op::TypeRuntimeArray => ty = m.def(ty).map_or(Id(0), |i| i.id(2)),
            _ => return false,
        }
    }
    false
}

/// Arrays nested deeper than this are not looked through.
pub(crate) const MAX_NESTING: usize = 255;

fn is_row_major(m: &Module<'_>, owner: Id, member: u32) -> bool {
    m.member_decoration(owner, member, Decoration::RowMajor).is_some()
}

/// `ArrayStride` of an array type.
pub(crate) fn stride(m: &Module<'_>, array: Id) -> Option<u32> {
    m.decoration(array, Decoration::ArrayStride).map(|d| d.operand())
}

/// A number of elements, from the constant that is an array's length.
pub(crate) fn count(m: &Module<'_>, length: Id) -> Count {
    match m.fixed_u32(length) {
        Some(n) => Count::Fixed(n),
        None => Count::Spec { id: length.0, default: spec::default_u32(m, length) },
    }
}

/// Name of a scalar type as Rust would write it.
pub(crate) fn scalar_name(m: &Module<'_>, ty: Id) -> String {
    match m.ty(ty) {
        Some(Raw::Bool) => "bool".into(),
        Some(Raw::Int { width, signed }) => alloc::format!("{}{width}", if signed { 'i' } else { 'u' }),
        Some(Raw::Float(n)) => alloc::format!("f{}", n.width),
        _ => String::new(),
    }
}
