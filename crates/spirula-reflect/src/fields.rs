//! The members of a block, flattened, by path.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::TypeRef;
use crate::model::{Member, Reflection, Type, TypeKind};
use crate::types::MAX_NESTING;

/// One member at any depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field<'r, 'm> {
    /// Path of members: `lights[].position`.
    pub path: String,
    /// Offset in bytes from the start of the block, at index 0 of all arrays on the way.
    pub offset: u32,
    /// The member.
    pub member: &'r Member<'m>,
    /// Strides in bytes of the arrays on the way, its own included, the outermost first; 0 where one has none.
    pub array_strides: Vec<u32>,
    /// Whether a runtime array is among them.
    pub in_runtime_array: bool,
}

/// Iterates over the members of a block and, behind each, over the members of what it holds: depth first, in order.
///
/// Structures of structures can have more members than the module has words: take only as many as you need.
#[derive(Clone, Debug)]
pub struct Fields<'r, 'm> {
    types: &'r [Type<'m>],
    /// Path to where we are, and the strides on it.
    path: String,
    strides: Vec<u32>,
    levels: Vec<Level<'r, 'm>>,
}

/// A structure that is being gone through.
#[derive(Clone, Debug)]
struct Level<'r, 'm> {
    ty: TypeRef,
    members: &'r [Member<'m>],
    next: usize,
    base: u32,
    /// Lengths of the path and of the strides up to here.
    path: usize,
    strides: usize,
    runtime: bool,
    /// Bytes from its start to what comes behind it, and to its own end.
    room: Option<u32>,
    size: Option<u32>,
}

/// What a step comes to, without the path and strides.
pub(crate) struct Found<'r, 'm> {
    pub(crate) offset: u32,
    pub(crate) member: &'r Member<'m>,
    pub(crate) in_runtime_array: bool,
    /// Bytes to what comes next: a member, an element, or the end of the block.
    pub(crate) padded_size: Option<u32>,
    /// The innermost type, with the arrays off.
    pub(crate) element: TypeRef,
}

/// Structures below longer paths are not entered.
const MAX_PATH: usize = 1 << 12;

impl<'m> Reflection<'m> {
    /// The members of a structure type, at all depths.
    pub fn fields(&self, block: TypeRef) -> Fields<'_, 'm> {
        let mut fields = Fields::of(&self.types, String::new());
        fields.start(block);
        fields
    }
}

impl<'r, 'm> Fields<'r, 'm> {
    /// Of no block yet; paths are made in the given string.
    pub(crate) fn of(types: &'r [Type<'m>], path: String) -> Fields<'r, 'm> {
        Fields { types, path, strides: Vec::new(), levels: Vec::new() }
    }

    /// The string that paths were made in.
    pub(crate) fn into_path(self) -> String {
        self.path
    }

    /// Starts over with a block.
    pub(crate) fn start(&mut self, block: TypeRef) {
        self.path.clear();
        self.strides.clear();
        self.levels.clear();
        self.enter(block, 0, false, None);
    }

    /// Path of what the last step came to.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// Strides of the arrays on that path.
    pub(crate) fn strides(&self) -> &[u32] {
        &self.strides
    }

    pub(crate) fn kind(&self, ty: TypeRef) -> Option<&'r TypeKind<'m>> {
        self.types.get(ty.0 as usize).map(|t| &t.kind)
    }

    fn enter(&mut self, ty: TypeRef, base: u32, runtime: bool, room: Option<u32>) {
        if let Some(TypeKind::Struct { members, size }) = self.kind(ty)
            && self.levels.len() < MAX_NESTING
            && self.path.len() <= MAX_PATH
            // Structures that contain themselves are not valid.
            && self.levels.iter().all(|l| l.ty != ty)
        {
            let (path, strides) = (self.path.len(), self.strides.len());
            self.levels.push(Level {
                ty,
                members,
                next: 0,
                base,
                path,
                strides,
                runtime,
                room: room.or(*size),
                size: *size,
            });
        }
    }

    /// One member further.
    pub(crate) fn step(&mut self) -> Option<Found<'r, 'm>> {
        let (index, member, offset, mut in_runtime_array, padded_size) = loop {
            let level = self.levels.last_mut()?;
            let Some(member) = level.members.get(level.next) else {
                self.levels.pop();
                continue;
            };
            self.path.truncate(level.path);
            self.strides.truncate(level.strides);
            level.next += 1;
            let offset = level.base.saturating_add(member.offset.unwrap_or(0));
            break (level.next - 1, member, offset, level.runtime, padded(level, member));
        };
        if !self.path.is_empty() {
            self.path.push('.');
        }
        if member.name.is_empty() {
            let _ = write!(self.path, "_{index}");
        } else {
            self.path += &member.name;
        }
        let (mut element, mut room) = (member.ty, padded_size);
        for _ in 0..MAX_NESTING {
            let Some(TypeKind::Array { element: inner, count, stride }) = self.kind(element) else { break };
            self.path += "[]";
            self.strides.push(stride.unwrap_or(0));
            room = *stride;
            in_runtime_array |= matches!(count, crate::model::Count::Runtime);
            element = *inner;
        }
        self.enter(element, offset, in_runtime_array, room);
        Some(Found { offset, member, in_runtime_array, padded_size, element })
    }
}

/// The last member of a structure ends where the structure's room does.
fn padded(level: &Level<'_, '_>, member: &Member<'_>) -> Option<u32> {
    let (offset, padded) = member.offset.zip(member.padded_size)?;
    if offset.checked_add(padded) == level.size { level.room?.checked_sub(offset) } else { Some(padded) }
}

impl<'r, 'm> Iterator for Fields<'r, 'm> {
    type Item = Field<'r, 'm>;

    fn next(&mut self) -> Option<Field<'r, 'm>> {
        let Found { offset, member, in_runtime_array, .. } = self.step()?;
        Some(Field { path: self.path.clone(), offset, member, array_strides: self.strides.clone(), in_runtime_array })
    }
}
