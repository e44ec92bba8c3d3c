//! The types that a report refers to, as it describes them.

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::{Id, LitStr, NumberKind};
use spirula_grammar::{BuiltIn, Dim, FPEncoding, ImageFormat, Op, StorageClass};
use spirula_module::{Module, Names, Type as Raw};

use crate::budget::Budget;
use crate::facts::{Flags, OfMember};
use crate::model::{Count, Image, Member, Text, Type, TypeKind};
use crate::types::{MEMBERS_AT_ONCE, TypeRef, Types, count, stride};
use crate::{Cx, hlsl, text};

/// Describes the types that were asked for, and those that they are made of.
pub(crate) fn types<'m>(cx: &mut Cx<'_, 'm>) -> Vec<Type<'m>> {
    let Cx { m, words, types, names, budget, lists, .. } = cx;
    // Parts of those come in addition.
    let mut list = Vec::with_capacity(types.asked_for().max(10));
    let mut describe = Describe { m, words, types, names, budget, offsets: &mut lists.offsets };
    while let Some(id) = describe.types.asked(list.len()) {
        let kind = describe.kind(id);
        let name = describe.names.get(words, describe.m.ids(), id).filter(|n| describe.budget.take(n.len()));
        list.push(Type { id: id.0, name: name.map(LitStr::text).unwrap_or_default(), kind });
    }
    list
}

struct Describe<'a, 'i, 'm> {
    m: &'a Module<'i>,
    /// The module's words, which names are borrowed from.
    words: &'m [u32],
    types: &'a mut Types,
    names: &'a Names,
    budget: &'a Budget,
    /// Those of a structure's members, sorted.
    offsets: &'a mut Vec<u32>,
}

impl<'m> Describe<'_, '_, 'm> {
    fn get(&mut self, ty: Id) -> TypeRef {
        self.types.get(self.m, self.budget, ty)
    }

    fn kind(&mut self, id: Id) -> TypeKind<'m> {
        let m = self.m;
        let Some(raw) = m.ty(id) else { return TypeKind::Other("undefined".into()) };
        match raw {
            Raw::Void => TypeKind::Void,
            Raw::Bool => TypeKind::Bool,
            Raw::Int { width, signed } => TypeKind::Int { width, signed },
            Raw::Float(n) => {
                let encoding = if let NumberKind::Encoded(e) = n.kind { Some(text(e, FPEncoding::name)) } else { None };
                TypeKind::Float { width: n.width, encoding }
            }
            Raw::Vector { component, count } => TypeKind::Vector { component: self.get(component), count },
            Raw::Matrix { column, count } => {
                let Some(Raw::Vector { component, count: rows }) = m.ty(column) else {
                    return TypeKind::Other("OpTypeMatrix".into());
                };
                TypeKind::Matrix { component: self.get(component), columns: count, rows }
            }
            Raw::Array { element, length } => {
                TypeKind::Array { element: self.get(element), count: count(m, length), stride: stride(m, id) }
            }
            Raw::RuntimeArray { element } => {
                TypeKind::Array { element: self.get(element), count: Count::Runtime, stride: stride(m, id) }
            }
            Raw::Struct { members } => self.structure(id, members),
            Raw::Pointer { class, pointee } => {
                TypeKind::Pointer { class: text(class, StorageClass::name), pointee: Some(self.get(pointee)) }
            }
            Raw::UntypedPointer { class } => {
                TypeKind::Pointer { class: text(class, StorageClass::name), pointee: None }
            }
            Raw::Image(image) => TypeKind::Image(self.image(&image)),
            Raw::SampledImage { image } => match m.ty(image) {
                Some(Raw::Image(image)) => TypeKind::SampledImage(self.image(&image)),
                _ => TypeKind::Other("OpTypeSampledImage".into()),
            },
            Raw::Sampler => TypeKind::Sampler,
            Raw::AccelerationStructure => TypeKind::AccelerationStructure,
            _ => TypeKind::Other(text(m.info(id).op, Op::name)),
        }
    }

    fn image(&mut self, image: &spirula_module::Image) -> Image {
        Image {
            sampled_type: self.get(image.sampled_type),
            dim: text(image.dim, Dim::name),
            format: text(image.format, ImageFormat::name),
            depth: [Some(false), Some(true)].get(image.depth as usize).copied().flatten(),
            arrayed: image.arrayed == 1,
            multisampled: image.ms == 1,
            sampled: [None, Some(true), Some(false)].get(image.sampled as usize).copied().flatten(),
        }
    }

    fn structure(&mut self, id: Id, types: &[u32]) -> TypeKind<'m> {
        let size = self.types.size(self.m, id);
        self.offsets.clear();
        self.offsets.extend(self.types.members(self.m, id, types.len()).iter().filter_map(OfMember::offset));
        self.offsets.sort_unstable();
        let mut members = Vec::with_capacity(types.len().min(MEMBERS_AT_ONCE));
        for (i, ty) in types.iter().enumerate() {
            let name = self.names.member(self.words, id, i as u32);
            if !self.budget.take(size_of::<Member<'_>>() + name.map_or(0, LitStr::len)) {
                break;
            }
            let own = self.types.members(self.m, id, types.len()).get(i).copied().unwrap_or_default();
            // A member is followed by the one with the next greater offset, whatever the order.
            let next = |o| self.offsets.get(self.offsets.partition_point(|x| *x <= o)).copied();
            let next = own.offset().and_then(next).or(size);
            let mut member = self.member(name.map(LitStr::text).unwrap_or_default(), &own, Id(*ty));
            member.padded_size = own.offset().zip(next).map(|(o, n)| n.saturating_sub(o));
            if own.flags.has(Flags::SEMANTIC) {
                member.semantics = hlsl::semantics(self.budget, self.m.member_decorations(id, i as u32));
            }
            members.push(member);
        }
        TypeKind::Struct { members, size }
    }

    fn member(&mut self, name: Text<'m>, own: &OfMember, ty: Id) -> Member<'m> {
        Member {
            name,
            ty: self.get(ty),
            offset: own.offset(),
            size: own.offset().and_then(|_| self.types.member_size(self.m, own, ty)),
            padded_size: None,
            matrix_stride: own.matrix_stride(),
            row_major: self.types.is_matrix(self.m, ty).then(|| own.flags.has(Flags::ROW_MAJOR)),
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
