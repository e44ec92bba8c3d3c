//! The members of a block, flattened, by path.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use crate::TypeRef;
use crate::model::{Member, Reflection, TypeKind};

/// One member at any depth.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Field<'r> {
    /// Path of members: `lights[].position`.
    pub path: String,
    /// Offset in bytes from the start of the block, at index 0 of all arrays on the way.
    pub offset: u32,
    /// The member.
    pub member: &'r Member,
}

/// Iterates over the members of a block and, behind each, over the members of what it holds: depth first, in order.
///
/// Structures of structures can have more members than the module has words: take only as many as you need.
#[derive(Clone, Debug)]
pub struct Fields<'r> {
    report: &'r Reflection,
    todo: Vec<(String, u32, &'r Member)>,
}

impl Reflection {
    /// The members of a structure type, at all depths.
    pub fn fields(&self, block: TypeRef) -> Fields<'_> {
        let mut fields = Fields { report: self, todo: Vec::new() };
        fields.enter("", 0, block);
        fields
    }
}

impl<'r> Fields<'r> {
    fn enter(&mut self, path: &str, base: u32, ty: TypeRef) {
        let Some(TypeKind::Struct { members, .. }) = self.report.types.get(ty.0 as usize).map(|t| &t.kind) else {
            return;
        };
        for (i, member) in members.iter().enumerate().rev() {
            let name = if member.name.is_empty() { format!("_{i}") } else { member.name.clone() };
            let path = if path.is_empty() { name } else { format!("{path}.{name}") };
            self.todo.push((path, base.saturating_add(member.offset.unwrap_or(0)), member));
        }
    }
}

impl<'r> Iterator for Fields<'r> {
    type Item = Field<'r>;

    fn next(&mut self) -> Option<Field<'r>> {
        let (mut path, offset, member) = self.todo.pop()?;
        let mut ty = member.ty;
        for _ in 0..crate::types::MAX_NESTING {
            match self.report.types.get(ty.0 as usize).map(|t| &t.kind) {
                Some(TypeKind::Array { element, .. }) => {
                    path += "[]";
                    ty = *element;
                }
                _ => break,
            }
        }
        self.enter(&path, offset, ty);
        Some(Field { path, offset, member })
    }
}
