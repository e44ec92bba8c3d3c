//! The type graph, and the sizes that explicit layout gives.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst, LitStr, Number, NumberKind};
use spirula_grammar::{BuiltIn, Decoration, Dim, FPEncoding, ImageFormat, Op, StorageClass};
use spirula_module::{Module, Names, Type as Raw};

use crate::budget::Budget;
use crate::facts::{Flags, OfMember};
use crate::model::{Count, Image, Member, Type, TypeKind};
use crate::{hlsl, spec, text};

/// A type, by its position in [`Reflection::types`](crate::Reflection::types).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeRef(pub u32);

/// A pointer in memory: only physical ones are kept there.
const POINTER: Layout = Layout { size: Some(8), members: 0, reference: 0, scalar: 8, widths: 0 };

/// Members that room is made for before it is known whether the budget pays for them.
const MEMBERS_AT_ONCE: usize = 64;

/// What explicit layout says of a type by itself.
#[derive(Clone, Copy, Default)]
struct Layout {
    /// Size in bytes, where the type has one without decorations of a member.
    size: Option<u32>,
    /// Where the decorations of its members begin, plus 1; 0 where it has none.
    members: u32,
    /// Position in the list plus 1.
    reference: u32,
    /// Bytes of the largest scalar in it, pointers included; 0 where there is none.
    scalar: u8,
    /// Widths in bits of the numbers in it, as a mask: 8, 16 and 64. And [`MATRIX`].
    widths: u8,
}

/// Among the widths: that it is a matrix, or an array of them.
const MATRIX: u8 = 1;
const WIDTHS: u8 = 8 | 16 | 64;

/// Types as they are asked for. Each is described once.
#[derive(Default)]
pub(crate) struct Types {
    /// By slot.
    layouts: Vec<Layout>,
    /// Decorations of members of structures, those of one structure together.
    members: Vec<OfMember>,
    ids: Vec<Id>,
    list: Vec<Type>,
    /// Sizes of the largest scalars, in the order of `list`.
    scalars: Vec<u8>,
    /// The reference for types that cannot be paid for.
    nothing: Option<TypeRef>,
}

impl Types {
    /// Forgets all types, for another module.
    pub(crate) fn reset(&mut self, m: &Module<'_>) {
        self.layouts.clear();
        self.layouts.resize(m.ids().slot_count(), Layout::default());
        self.members.clear();
        self.ids.clear();
        self.list.clear();
        self.scalars.clear();
        self.nothing = None;
    }

    /// Lays out the type that an instruction declares. Parts come before wholes, as they do in modules.
    pub(crate) fn lay_out(&mut self, m: &Module<'_>, inst: Inst<'_>) {
        let id = inst.id(1);
        // The first declaration counts.
        if m.info(id).def != inst.offset() {
            return;
        }
        let mut layout = Layout::default();
        match Raw::of(inst) {
            Raw::Int { width, .. } | Raw::Float(Number { width, .. }) => {
                layout.size = Some(width.div_ceil(8));
                layout.scalar = (width / 8).min(255) as u8;
                layout.widths = width as u8 & WIDTHS;
            }
            Raw::Vector { component, count } => {
                layout = self.part(m, component);
                layout.size = layout.size.and_then(|s| s.checked_mul(count));
            }
            Raw::Matrix { column, .. } => {
                layout = Layout { size: None, ..self.part(m, column) };
                layout.widths |= MATRIX;
            }
            Raw::Array { element, length } => {
                let size = || stride(m, id)?.checked_mul(spec::default_u32(m, length)?);
                layout = Layout { size: size(), ..self.part(m, element) };
            }
            Raw::RuntimeArray { element } => layout = Layout { size: Some(0), ..self.part(m, element) },
            Raw::Pointer { .. } | Raw::UntypedPointer { .. } => layout = POINTER,
            Raw::Struct { members } => layout = self.lay_out_members(m, id, members),
            _ => {}
        }
        if let Some(own) = m.ids().slot(id).and_then(|s| self.layouts.get_mut(s)) {
            *own = layout;
        }
    }

    fn lay_out_members(&mut self, m: &Module<'_>, id: Id, members: &[u32]) -> Layout {
        let mut layout = Layout { members: self.decorate(m, id, members.len()), ..Layout::default() };
        let mut size = Some(0u32);
        for (i, ty) in members.iter().enumerate() {
            let part = self.part(m, Id(*ty));
            layout.scalar = layout.scalar.max(part.scalar);
            layout.widths |= part.widths & WIDTHS;
            let own = self.members.get((layout.members as usize).wrapping_sub(1)..).and_then(|all| all.get(i));
            let end = || own?.offset()?.checked_add(self.member_size(m, own?, Id(*ty))?);
            size = size.zip(end()).map(|(size, end)| size.max(end));
        }
        layout.size = size;
        layout
    }

    /// Collects the decorations of the members of a structure. Returns where they begin, plus 1; 0 where there are none.
    fn decorate(&mut self, m: &Module<'_>, id: Id, count: usize) -> u32 {
        let start = self.members.len();
        for d in m.decorations(id) {
            let Some(member) = d.member.map(|member| member as usize).filter(|member| *member < count) else {
                continue;
            };
            self.members.resize(start + count, OfMember::default());
            self.members[start + member].add(&d);
        }
        if self.members.len() > start { start as u32 + 1 } else { 0 }
    }

    fn layout(&self, m: &Module<'_>, ty: Id) -> Layout {
        m.ids().slot(ty).and_then(|s| self.layouts.get(s)).copied().unwrap_or_default()
    }

    /// What the layout of a type says of what is made of it.
    fn part(&self, m: &Module<'_>, ty: Id) -> Layout {
        // Pointers may be declared behind what is made of them.
        if m.key(ty).is_pointer() {
            return POINTER;
        }
        Layout { members: 0, reference: 0, ..self.layout(m, ty) }
    }

    /// Size in bytes of a type laid out by itself; `None` where that takes a member's decorations, or has no meaning.
    pub(crate) fn size(&self, m: &Module<'_>, ty: Id) -> Option<u32> {
        self.part(m, ty).size
    }

    /// Whether a type has numbers of so many bits, 8, 16 or 64, in it.
    pub(crate) fn has_width(&self, m: &Module<'_>, ty: Id, width: u8) -> bool {
        self.layout(m, ty).widths & width != 0
    }

    /// Size of the largest scalar in a type: what every access through a pointer to it must be aligned to at least.
    pub(crate) fn largest_scalar(&self, ty: TypeRef) -> Option<u32> {
        self.scalars.get(ty.0 as usize).copied().filter(|s| *s != 0).map(u32::from)
    }

    /// The decorations of the members of a structure; none where no member is decorated.
    pub(crate) fn members(&self, m: &Module<'_>, ty: Id, count: usize) -> &[OfMember] {
        let start = self.layout(m, ty).members as usize;
        start.checked_sub(1).and_then(|start| self.members.get(start..start + count)).unwrap_or(&[])
    }

    /// Bytes that a member of a structure occupies.
    fn member_size(&self, m: &Module<'_>, own: &OfMember, ty: Id) -> Option<u32> {
        match m.ty(ty)? {
            Raw::Matrix { column, count } => {
                let vectors = if own.flags.has(Flags::ROW_MAJOR) { m.key(column).count() } else { count };
                own.matrix_stride()?.checked_mul(vectors)
            }
            _ => self.size(m, ty),
        }
    }

    /// The reference to a type. It and all that it is made of will be in the report.
    pub(crate) fn get(&mut self, m: &Module<'_>, budget: &Budget, ty: Id) -> TypeRef {
        let next = self.ids.len() as u32;
        match m.ids().slot(ty).and_then(|s| self.layouts.get_mut(s)).map(|l| &mut l.reference) {
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
            self.scalars.push(self.part(m, id).scalar);
        }
    }

    /// The types described, which are given away.
    pub(crate) fn take(&mut self) -> Vec<Type> {
        core::mem::take(&mut self.list)
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

    fn structure(&mut self, m: &Module<'_>, names: &Names, budget: &Budget, id: Id, types: &[u32]) -> TypeKind {
        let size = self.size(m, id);
        let offsets = self.sorted_offsets(m, id, types.len());
        let mut members = Vec::with_capacity(types.len().min(MEMBERS_AT_ONCE));
        for (i, ty) in types.iter().enumerate() {
            let name = names.member(m.words(), id, i as u32);
            if !budget.take(size_of::<Member>() + name.map_or(0, LitStr::len)) {
                break;
            }
            let own = self.members(m, id, types.len()).get(i).copied().unwrap_or_default();
            // A member is followed by the one with the next greater offset, whatever the order.
            let next = own.offset().and_then(|o| offsets.get(offsets.partition_point(|x| *x <= o)).copied()).or(size);
            let name = name.map(LitStr::to_text).unwrap_or_default();
            let mut member = self.member(m, budget, name, &own, Id(*ty));
            member.padded_size = own.offset().zip(next).map(|(o, n)| n.saturating_sub(o));
            if own.flags.has(Flags::SEMANTIC) {
                member.semantics = hlsl::semantics(budget, m.member_decorations(id, i as u32));
            }
            members.push(member);
        }
        TypeKind::Struct { members, size }
    }

    /// The offsets of members in ascending order.
    fn sorted_offsets(&self, m: &Module<'_>, id: Id, count: usize) -> Vec<u32> {
        let mut offsets: Vec<u32> = self.members(m, id, count).iter().filter_map(OfMember::offset).collect();
        offsets.sort_unstable();
        offsets
    }

    fn member(&mut self, m: &Module<'_>, budget: &Budget, name: String, own: &OfMember, ty: Id) -> Member {
        Member {
            name,
            ty: self.get(m, budget, ty),
            offset: own.offset(),
            size: own.offset().and_then(|_| self.member_size(m, own, ty)),
            padded_size: None,
            matrix_stride: own.matrix_stride(),
            row_major: (self.layout(m, ty).widths & MATRIX != 0).then(|| own.flags.has(Flags::ROW_MAJOR)),
            built_in: own.built_in().map(|b| text(BuiltIn(b), BuiltIn::name)),
            location: own.location(),
            component: own.component(),
            semantics: Vec::new(),
            non_writable: own.flags.has(Flags::NON_WRITABLE),
            non_readable: own.flags.has(Flags::NON_READABLE),
            coherent: own.flags.has(Flags::COHERENT),
        }
    }
}

/// Arrays nested deeper than this are not looked through.
pub(crate) const MAX_NESTING: usize = 255;

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
