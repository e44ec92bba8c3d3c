//! Describes types: one tree for each type of a variable.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, LitStr};
use spirula_grammar::Decoration;
use spirula_module::{Image, Type};

use super::model::{At, DIMENSION, ImageTraits, Numeric, TypeDesc, decorated, kind};
use super::{Build, len};
use crate::spec;

enum Step {
    /// Merge a type into a description.
    Merge(At, Id),
    /// Give the description the type's name: after all that it is made of.
    Name(At, Id),
}

impl Build<'_> {
    /// The description of a variable's type. Each type has one.
    pub(super) fn root(&mut self, ty: Id) -> At {
        if let Some(at) = self.roots.get(&ty.0) {
            return *at;
        }
        if !self.may_grow(0) {
            return self.nothing();
        }
        let at = self.new_type(TypeDesc { class: -1, ..TypeDesc::default() });
        self.roots.insert(ty.0, at);
        let mut pointers = BTreeMap::new();
        let mut todo = alloc::vec![Step::Merge(at, ty)];
        while let Some(step) = todo.pop() {
            // Types may be declared to contain themselves; each step may leave one behind.
            if !self.spend() || !self.budget.take(size_of::<Step>()) {
                break;
            }
            match step {
                Step::Merge(at, ty) => self.merge(at, ty, &mut todo, &mut pointers),
                Step::Name(at, ty) => {
                    let name = self.name(ty).filter(|n| self.budget.take(4 * n.len()));
                    if let (Some(desc), true) = (self.out.types.get_mut(at), name.is_some()) {
                        desc.name = name;
                    }
                }
            }
        }
        at
    }

    fn nothing(&mut self) -> At {
        let at = self.nothing.unwrap_or_else(|| self.new_type(TypeDesc { class: -1, ..TypeDesc::default() }));
        *self.nothing.insert(at)
    }

    fn new_type(&mut self, desc: TypeDesc) -> At {
        self.out.types.push(desc);
        self.out.types.len() - 1
    }

    /// Debug name of an id; there, but empty, where it is named so.
    pub(super) fn name(&self, id: Id) -> Option<String> {
        self.names.get(self.m.words(), self.m.ids(), id).map(LitStr::to_text)
    }

    fn merge(&mut self, at: At, ty: Id, todo: &mut Vec<Step>, pointers: &mut BTreeMap<u32, At>) {
        let m = self.m;
        let decorations = block_decorations(self, ty);
        let op = m.info(ty).op.0;
        let Some(desc) = self.out.types.get_mut(at) else { return };
        if desc.id == 0 {
            (desc.id, desc.op) = (ty.0, op);
        }
        desc.decorations |= decorations;
        todo.push(Step::Name(at, ty));
        match m.ty(ty) {
            Some(Type::Void) => desc.flags |= kind::VOID,
            Some(Type::Bool) => desc.flags |= kind::BOOL,
            Some(Type::Int { width, signed }) => {
                desc.flags |= kind::INT;
                (desc.numeric.width, desc.numeric.signed) = (width, signed);
            }
            Some(Type::Float(n)) => {
                desc.flags |= kind::FLOAT;
                desc.numeric.width = n.width;
            }
            Some(Type::Vector { component, count }) => {
                desc.flags |= kind::VECTOR;
                desc.numeric.components = count;
                todo.push(Step::Merge(at, component));
            }
            Some(Type::Matrix { column, count }) => {
                desc.flags |= kind::MATRIX;
                desc.numeric.columns = count;
                desc.numeric.rows = m.key(column).count();
                todo.push(Step::Merge(at, column));
            }
            Some(Type::Image(image)) => {
                desc.flags |= kind::IMAGE;
                desc.image = image_traits(image);
                todo.push(Step::Merge(at, image.sampled_type));
            }
            Some(Type::Sampler) => desc.flags |= kind::SAMPLER,
            Some(Type::SampledImage { image }) => {
                desc.flags |= kind::SAMPLED_IMAGE;
                todo.push(Step::Merge(at, image));
            }
            Some(Type::Array { element, length }) => {
                let count = spec::default_u32(&m, length).unwrap_or(0);
                self.array(at, ty, count, false);
                todo.push(Step::Merge(at, element));
            }
            Some(Type::RuntimeArray { element }) => {
                self.array(at, ty, 0, true);
                todo.push(Step::Merge(at, element));
            }
            Some(Type::Struct { members }) => self.structure(at, ty, members, todo),
            Some(Type::Pointer { class, pointee }) => self.pointer(at, ty, class.0, pointee, todo, pointers),
            Some(Type::AccelerationStructure) => desc.flags |= kind::ACCELERATION_STRUCTURE,
            _ => {}
        }
    }

    fn array(&mut self, at: At, ty: Id, count: u32, runtime: bool) {
        let stride = self.m.decoration(ty, Decoration::ArrayStride).map_or(0, |d| d.operand());
        if !self.budget.take(DIMENSION) {
            return;
        }
        let Some(desc) = self.out.types.get_mut(at) else { return };
        desc.flags |= kind::ARRAY;
        desc.array.dims.push(count);
        desc.array.stride = stride;
        desc.runtime |= runtime;
    }

    fn structure(&mut self, at: At, ty: Id, members: &[u32], todo: &mut Vec<Step>) {
        let m = self.m;
        let mut list = Vec::new();
        for (i, _) in members.iter().enumerate() {
            let member_name = self.names.member(m.words(), ty, i as u32).map(LitStr::to_text);
            if !self.may_grow(len(&member_name)) {
                break;
            }
            let stride = m.member_decoration(ty, i as u32, Decoration::MatrixStride).map_or(0, |d| d.operand());
            let numeric = Numeric { matrix_stride: stride, ..Numeric::default() };
            list.push(self.new_type(TypeDesc { member_name, numeric, ..TypeDesc::default() }));
        }
        todo.extend(list.iter().zip(members).rev().map(|(at, ty)| Step::Merge(*at, Id(*ty))));
        let Some(desc) = self.out.types.get_mut(at) else { return };
        desc.flags |= kind::STRUCT | kind::BLOCK;
        desc.structure = Some(ty.0);
        desc.member_count = list.len();
        desc.members = list;
    }

    fn pointer(
        &mut self,
        at: At,
        ty: Id,
        class: u32,
        pointee: Id,
        todo: &mut Vec<Step>,
        pointers: &mut BTreeMap<u32, At>,
    ) {
        let met = pointers.get(&ty.0).and_then(|p| self.out.types.get(*p)).cloned();
        let Some(desc) = self.out.types.get_mut(at) else { return };
        desc.flags |= kind::REFERENCE;
        desc.class = class.into();
        desc.pointer = Some(ty.0);
        if let Some(met) = met {
            desc.flags |= met.flags;
            desc.decorations |= met.decorations;
            desc.name = met.name;
            desc.numeric = met.numeric;
            desc.member_count = met.member_count;
            desc.forward = met.member_count != 0;
            desc.structure = met.structure;
        } else {
            pointers.insert(ty.0, at);
            todo.push(Step::Merge(at, pointee));
        }
    }
}

fn image_traits(image: Image) -> ImageTraits {
    ImageTraits {
        dim: image.dim.0,
        depth: image.depth,
        arrayed: image.arrayed,
        multisampled: image.ms,
        sampled: image.sampled,
        format: image.format.0,
    }
}

fn block_decorations(build: &Build<'_>, ty: Id) -> u32 {
    build.m.own_decorations(ty).fold(0, |mask, d| {
        mask | match d.decoration {
            Decoration::Block => decorated::BLOCK,
            Decoration::BufferBlock => decorated::BUFFER_BLOCK,
            _ => 0,
        }
    })
}
