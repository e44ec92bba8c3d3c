//! The type graph, and the sizes that explicit layout gives.

use alloc::string::String;
use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, Inst};
use spirula_grammar::{Decoration, Op};
use spirula_module::{Module, Type as Raw};

use crate::budget::Budget;
use crate::facts::{Flags, OfMember};
use crate::model::{Count, Type};
use crate::spec;

/// A type, by its position in [`Reflection::types`](crate::Reflection::types).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TypeRef(pub u32);

/// A pointer in memory: only physical ones are kept there.
const POINTER: Layout = Layout { size: Some(8), members: 0, reference: 0, scalar: 8, widths: 0 };

/// Members that room is made for before it is known whether the budget pays for them.
pub(crate) const MEMBERS_AT_ONCE: usize = 64;

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
    /// Slots with a layout or a reference.
    touched: Vec<usize>,
    /// Decorations of members of structures, those of one structure together.
    members: Vec<OfMember>,
    /// Those asked for.
    ids: Vec<Id>,
    /// The reference for types that cannot be paid for.
    nothing: Option<TypeRef>,
}

impl Types {
    /// Forgets all types, for another module.
    pub(crate) fn reset(&mut self, m: &Module<'_>) {
        // There are far fewer types than ids.
        for slot in self.touched.drain(..) {
            self.layouts.get_mut(slot).into_iter().for_each(|l| *l = Layout::default());
        }
        if self.layouts.len() < m.ids().slot_count() {
            self.layouts.resize(m.ids().slot_count(), Layout::default());
        }
        self.members.clear();
        self.ids.clear();
        self.nothing = None;
    }

    /// Lays out the type that an instruction declares: one of numbers. Parts come before wholes, as they do in modules.
    pub(crate) fn lay_out(&mut self, m: &Module<'_>, inst: Inst<'_>) {
        let id = inst.id(1);
        // The first declaration counts.
        if m.info(id).def != inst.offset() {
            return;
        }
        let part = || self.part(m, inst.id(2));
        let layout = match inst.op() {
            Op::TypeInt | Op::TypeFloat => {
                let (width, scalar) = (inst.word(2), (inst.word(2) / 8).min(255) as u8);
                Layout { size: Some(width.div_ceil(8)), scalar, widths: width as u8 & WIDTHS, ..Layout::default() }
            }
            Op::TypeVector => {
                let part = part();
                Layout { size: part.size.and_then(|s| s.checked_mul(inst.word(3))), ..part }
            }
            Op::TypeMatrix => {
                let part = part();
                Layout { size: None, widths: part.widths | MATRIX, ..part }
            }
            Op::TypeArray => {
                let size = || stride(m, id)?.checked_mul(spec::default_u32(m, inst.id(3))?);
                Layout { size: size(), ..part() }
            }
            Op::TypeRuntimeArray => Layout { size: Some(0), ..part() },
            Op::TypeStruct => self.lay_out_members(m, id, inst.tail(2)),
            _ => return,
        };
        if let Some((slot, own)) = m.ids().slot(id).and_then(|s| Some((s, self.layouts.get_mut(s)?))) {
            *own = layout;
            self.touched.push(slot);
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
    pub(crate) fn largest_scalar(&self, m: &Module<'_>, ty: TypeRef) -> Option<u32> {
        let id = *self.ids.get(ty.0 as usize)?;
        Some(self.part(m, id).scalar).filter(|s| *s != 0).map(u32::from)
    }

    /// Whether a type is a matrix, or an array of them.
    pub(crate) fn is_matrix(&self, m: &Module<'_>, ty: Id) -> bool {
        self.layout(m, ty).widths & MATRIX != 0
    }

    /// The decorations of the members of a structure; none where no member is decorated.
    pub(crate) fn members(&self, m: &Module<'_>, ty: Id, count: usize) -> &[OfMember] {
        let start = self.layout(m, ty).members as usize;
        start.checked_sub(1).and_then(|start| self.members.get(start..start + count)).unwrap_or(&[])
    }

    /// Bytes that a member of a structure occupies.
    pub(crate) fn member_size(&self, m: &Module<'_>, own: &OfMember, ty: Id) -> Option<u32> {
        if m.info(ty).op != Op::TypeMatrix {
            return self.size(m, ty);
        }
        let Some(Raw::Matrix { column, count }) = m.ty(ty) else { return None };
        let vectors = if own.flags.has(Flags::ROW_MAJOR) { m.key(column).count() } else { count };
        own.matrix_stride()?.checked_mul(vectors)
    }

    /// How many types were asked for so far.
    pub(crate) fn asked_for(&self) -> usize {
        self.ids.len()
    }

    /// The type that a reference means.
    pub(crate) fn asked(&self, at: usize) -> Option<Id> {
        self.ids.get(at).copied()
    }

    /// The reference to a type. It and all that it is made of will be in the report.
    pub(crate) fn get(&mut self, m: &Module<'_>, budget: &Budget, ty: Id) -> TypeRef {
        let next = self.ids.len() as u32;
        match m.ids().slot(ty).and_then(|s| Some((s, &mut self.layouts.get_mut(s)?.reference))) {
            Some((_, at)) if *at != 0 => TypeRef(*at - 1),
            Some((slot, at)) if budget.take(size_of::<Type<'_>>() + size_of::<Id>()) => {
                *at = next + 1;
                self.ids.push(ty);
                self.touched.push(slot);
                TypeRef(next)
            }
            // Undefined types are all the same.
            _ => *self.nothing.get_or_insert_with(|| {
                self.ids.push(Id(0));
                TypeRef(next)
            }),
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
