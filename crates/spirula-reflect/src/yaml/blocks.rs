//! Block variables: offsets, sizes and padding.

use alloc::collections::BTreeSet;
use alloc::vec::Vec;

use spirula_binary::{Id, LitStr};
use spirula_grammar::Decoration;

use super::model::{ArrayTraits, At, BlockVar, decorated, kind};
use super::{Build, len};

/// How the sizes of a block are rounded.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Structures end on 16 bytes.
    Uniform,
    /// No rounding; the block itself has no size.
    Storage,
    /// No rounding.
    Push,
}

/// A member that is to be described.
struct Todo {
    parent: At,
    structure: Id,
    index: u32,
    ty: At,
    /// Offset of the structure in the variable, or in what the last pointer points to; `None` below arrays, where it has
    /// no single value.
    base: Option<u32>,
}

impl Build<'_> {
    /// Lists the members of a variable's block.
    pub(super) fn block(&mut self, variable: Id, ty: Id, rule: Rule) -> At {
        let root_type = self.root(ty);
        let first = self.out.blocks.len();
        let name = self.name(variable).filter(|n| self.budget.take(4 * n.len()));
        let used = rule == Rule::Push;
        self.may_grow(0);
        self.out.blocks.push(BlockVar { name, used, ty: Some(root_type), ..BlockVar::default() });
        let mut todo = Vec::new();
        if let Some(desc) = self.out.types.get(root_type)
            && let Some(structure) = desc.structure
        {
            enter(&mut todo, first, Id(structure), &desc.members, Some(0));
        }
        let mut pointers = BTreeSet::new();
        while let Some(next) = todo.pop() {
            self.add_member(&next, &mut todo, &mut pointers);
        }
        self.sizes(first, rule);
        first
    }

    fn add_member(&mut self, of: &Todo, todo: &mut Vec<Todo>, pointers: &mut BTreeSet<u32>) {
        let Some(desc) = self.out.types.get(of.ty).cloned() else { return };
        let mut var = self.member(of.structure, of.index, of.ty);
        if !self.may_grow(len(&var.name) + desc.array.cost()) {
            todo.clear();
            return;
        }
        var.absolute_offset = of.base.map_or(0, |b| b.saturating_add(var.offset));
        var.numeric = desc.numeric;
        if !desc.runtime && desc.flags & kind::REFERENCE == 0 {
            var.array = desc.array.clone();
        }
        let block = self.out.blocks.len();
        if let Some(structure) = desc.structure {
            if let Some(pointer) = desc.pointer {
                var.recursive = !pointers.insert(pointer);
                if !var.recursive {
                    let root = self.root(Id(structure));
                    let base = if desc.array.dims.is_empty() { Some(0) } else { None };
                    if let Some(pointee) = self.out.types.get(root) {
                        enter(todo, block, Id(structure), &pointee.members, base);
                    }
                }
            } else {
                let base = if desc.array.dims.is_empty() { of.base.map(|_| var.absolute_offset) } else { None };
                enter(todo, block, Id(structure), &desc.members, base);
            }
        }
        self.out.blocks.push(var);
        if let Some(parent) = self.out.blocks.get_mut(of.parent) {
            parent.members.push(block);
        }
    }

    fn member(&mut self, structure: Id, i: u32, ty: At) -> BlockVar {
        let m = self.m;
        let mut var = BlockVar { ty: Some(ty), ..BlockVar::default() };
        var.name = self.names.member(m.words(), structure, i).map(LitStr::to_text);
        for d in m.member_decorations(structure, i) {
            match d.decoration {
                Decoration::Offset => var.offset = d.operand(),
                Decoration::RowMajor => var.decorations |= decorated::ROW_MAJOR,
                Decoration::ColMajor => var.decorations |= decorated::COLUMN_MAJOR,
                Decoration::NonWritable => var.decorations |= decorated::NON_WRITABLE,
                Decoration::NonReadable => var.decorations |= decorated::NON_READABLE,
                Decoration::RelaxedPrecision => var.decorations |= decorated::RELAXED_PRECISION,
                _ => {}
            }
        }
        var
    }

    /// Sizes of all blocks from `first` on: members come behind what they are members of.
    fn sizes(&mut self, first: At, rule: Rule) {
        for at in (first..self.out.blocks.len()).rev() {
            let Some(var) = self.out.blocks.get(at) else { continue };
            let members = var.members.clone();
            let (own, is_struct) = self.own_size(var);
            let end = if is_struct { self.pad(&members, rule) } else { 0 };
            let Some(var) = self.out.blocks.get_mut(at) else { continue };
            var.size = match own {
                Some(size) => size,
                None if at == first && rule == Rule::Storage => 0,
                None => end,
            };
            var.padded_size = var.size;
            if at == first && rule == Rule::Push {
                let offsets = members.iter().filter_map(|m| self.out.blocks.get(*m)).map(|m| m.offset);
                let offset = offsets.min().unwrap_or(0);
                if let Some(var) = self.out.blocks.get_mut(at) {
                    var.offset = offset;
                }
            }
        }
    }

    /// Size that a variable has by its type alone, and whether it is a structure with members to be padded.
    fn own_size(&self, var: &BlockVar) -> (Option<u32>, bool) {
        let Some(desc) = var.ty.and_then(|t| self.out.types.get(t)) else { return (Some(0), false) };
        let is_struct = desc.structure.is_some();
        if desc.flags & kind::REFERENCE != 0 {
            return (Some(if desc.array.dims.is_empty() { 8 } else { 0 }), is_struct);
        }
        if !var.array.dims.is_empty() {
            return (Some(array_size(&var.array)), is_struct);
        }
        if is_struct {
            return (None, true);
        }
        if desc.runtime {
            return (Some(0), false);
        }
        let n = &var.numeric;
        let bytes = n.width / 8;
        let size = if desc.flags & kind::MATRIX != 0 {
            let vectors = if var.decorations & decorated::ROW_MAJOR != 0 { n.rows } else { n.columns };
            vectors.wrapping_mul(n.matrix_stride)
        } else if desc.flags & kind::VECTOR != 0 {
            n.components.wrapping_mul(bytes)
        } else {
            bytes
        };
        (Some(size), false)
    }

    /// Gives members their padded sizes; the end of the structure.
    fn pad(&mut self, members: &[At], rule: Rule) -> u32 {
        let mut sorted: Vec<(u32, At)> =
            members.iter().filter_map(|m| self.out.blocks.get(*m).map(|v| (v.offset, *m))).collect();
        sorted.sort_by_key(|m| m.0);
        let mut end = 0;
        for (i, (offset, at)) in sorted.iter().enumerate() {
            let next = sorted.get(i + 1).map(|n| n.0);
            let Some(var) = self.out.blocks.get_mut(*at) else { continue };
            let own_end = offset.wrapping_add(var.size);
            var.padded_size = match next {
                _ if rule != Rule::Uniform => var.size,
                Some(next) => next.wrapping_sub(*offset),
                None => own_end.checked_next_multiple_of(16).unwrap_or(own_end).wrapping_sub(*offset),
            };
            var.size = var.size.min(var.padded_size);
            end = offset.wrapping_add(var.padded_size);
        }
        end
    }
}

fn array_size(array: &ArrayTraits) -> u32 {
    array.dims.iter().fold(array.stride, |size, d| size.wrapping_mul(*d))
}

fn enter(todo: &mut Vec<Todo>, parent: At, structure: Id, members: &[At], base: Option<u32>) {
    let members = members.iter().enumerate().rev();
    todo.extend(members.map(|(i, ty)| Todo { parent, structure, index: i as u32, ty: *ty, base }));
}
