//! Which location and component of an interface holds what, and the vertex input that follows from it.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::model::{Count, EntryPoint, InterfaceVariable, Numeric, Reflection, TypeKind, VertexAttribute};
use crate::{TypeRef, types};

/// Vectors that a report may list, over all of its interfaces: arrays can have more than the module has words, and no
/// device has nearly as many locations.
pub(crate) const MAX_VECTORS: u32 = 1 << 14;

/// Characters of a path that are kept.
const MAX_NAME: usize = 128;

/// Types that the walk through one variable may visit.
const MAX_VISITS: usize = 1 << 12;

/// A scalar, vector or matrix of an interface, or an array of such.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Leaf {
    /// Path: name of the variable, or of the block's members.
    pub(crate) name: String,
    pub(crate) location: u32,
    pub(crate) component: u32,
    pub(crate) numeric: Numeric,
    /// Bits of a scalar.
    pub(crate) width: u32,
    /// `None` for a scalar.
    pub(crate) components: Option<u32>,
    /// Numbers of array elements, the outermost first, then the columns of a matrix.
    pub(crate) dimensions: Vec<u32>,
}

impl Leaf {
    /// Locations that one vector takes.
    pub(crate) fn step(&self) -> u32 {
        1 + u32::from(self.width == 64 && self.components.unwrap_or(1) > 2)
    }

    /// Number of vectors.
    pub(crate) fn vectors(&self) -> u32 {
        self.dimensions.iter().fold(1, |n, d| n.saturating_mul(*d))
    }

    /// The location of each of its vectors, with the suffix that tells it from the others.
    pub(crate) fn each(&self) -> impl Iterator<Item = (u32, String)> + '_ {
        let step = self.step();
        (0..self.vectors()).map(move |i| {
            let (mut rest, mut suffix) = (i, String::new());
            for d in self.dimensions.iter().rev() {
                suffix.insert_str(0, &format!("[{}]", rest % d));
                rest /= d;
            }
            (self.location.saturating_add(i.saturating_mul(step)), suffix)
        })
    }
}

struct Place {
    name: String,
    ty: TypeRef,
    location: Option<u32>,
    component: u32,
}

/// The user-defined leaves of a variable: none where it is built in, and none that have more vectors than `budget`.
pub(crate) fn leaves(r: &Reflection<'_>, v: &InterfaceVariable<'_>, budget: &mut u32) -> Vec<Leaf> {
    let mut found: Vec<Leaf> = Vec::new();
    if v.built_in.is_some() || *budget == 0 {
        return found;
    }
    let mut ty = v.ty;
    if v.arrayed_per_vertex
        && let Some(TypeKind::Array { element, .. }) = kind(r, ty)
    {
        ty = *element;
    }
    let mut todo = alloc::vec![Place {
        name: cut(&v.name).to_string(),
        ty,
        location: v.location,
        component: v.component.unwrap_or(0),
    }];
    for _ in 0..MAX_VISITS {
        let Some(place) = todo.pop().filter(|_| *budget > 0) else { break };
        let Some(leaf) = step(r, place, &mut todo) else { continue };
        // Once something does not fit, nothing does: no device has so many locations.
        let Some(left) = budget.checked_sub(leaf.vectors()) else {
            *budget = 0;
            break;
        };
        *budget = left;
        found.push(leaf);
    }
    found
}

fn kind<'r>(r: &'r Reflection<'_>, ty: TypeRef) -> Option<&'r TypeKind<'r>> {
    r.types.get(ty.0 as usize).map(|t| &t.kind)
}

/// What is at a place, or for structures the places of its members.
fn step(r: &Reflection<'_>, place: Place, todo: &mut Vec<Place>) -> Option<Leaf> {
    let (mut ty, mut dimensions) = (place.ty, Vec::new());
    while let Some(TypeKind::Array { element, count, .. }) = kind(r, ty) {
        if dimensions.len() == types::MAX_NESTING {
            return None;
        }
        dimensions.push(match count {
            Count::Fixed(n) | Count::Spec { default: Some(n), .. } => *n,
            _ => 1,
        });
        ty = *element;
    }
    let (component, components) = match kind(r, ty) {
        Some(TypeKind::Struct { .. }) => {
            members(r, place, ty, &dimensions, todo);
            return None;
        }
        Some(TypeKind::Vector { component, count }) => (*component, Some(*count)),
        Some(TypeKind::Matrix { component, columns, rows }) => {
            dimensions.push(*columns);
            (*component, Some(*rows))
        }
        _ => (ty, None),
    };
    let (numeric, width) = match kind(r, component) {
        Some(TypeKind::Int { width, signed: true }) => (Numeric::Sint, *width),
        Some(TypeKind::Int { width, signed: false }) => (Numeric::Uint, *width),
        Some(TypeKind::Float { width, encoding: None }) => (Numeric::Float, *width),
        _ => return None,
    };
    let Place { name, location: Some(location), component, .. } = place else { return None };
    Some(Leaf { name, location, component, numeric, width, components, dimensions })
}

fn members(r: &Reflection<'_>, place: Place, ty: TypeRef, dimensions: &[u32], todo: &mut Vec<Place>) {
    let Some(TypeKind::Struct { members, .. }) = kind(r, ty) else { return };
    if members.iter().any(|m| m.built_in.is_some()) {
        return;
    }
    let first = todo.len();
    // Members follow each other, unless they say where they are.
    let mut next = place.location;
    'elements: for element in 0..dimensions.iter().fold(1u32, |n, d| n.saturating_mul(*d)) {
        for (i, member) in members.iter().enumerate() {
            if todo.len() - first >= MAX_VISITS {
                break 'elements;
            }
            let location = member.location.filter(|_| element == 0).or(next);
            let own = if member.name.is_empty() { format!("_{i}") } else { cut(&member.name).to_string() };
            let index = if dimensions.is_empty() { String::new() } else { format!("[{element}]") };
            let name = if place.name.is_empty() { own } else { format!("{}{index}.{own}", cut(&place.name)) };
            todo.push(Place { name, ty: member.ty, location, component: member.component.unwrap_or(0) });
            next = location.map(|l| l.saturating_add(count(r, member.ty)));
        }
    }
    todo[first..].reverse();
}

/// Names of names grow with each level; nobody reads such long ones.
fn cut(name: &str) -> &str {
    name.char_indices().nth(MAX_NAME).map_or(name, |(i, _)| &name[..i])
}

/// Locations that a type takes.
fn count(r: &Reflection<'_>, ty: TypeRef) -> u32 {
    let (mut todo, mut total) = (alloc::vec![(ty, 1u32)], 0u32);
    for _ in 0..MAX_VISITS {
        let Some((ty, times)) = todo.pop() else { break };
        match kind(r, ty) {
            Some(TypeKind::Vector { component, count }) => {
                let wide = matches!(
                    kind(r, *component),
                    Some(TypeKind::Int { width: 64, .. } | TypeKind::Float { width: 64, .. })
                );
                total = total.saturating_add(times.saturating_mul(1 + u32::from(wide && *count > 2)));
            }
            Some(TypeKind::Matrix { component, columns, rows }) => {
                let wide = matches!(kind(r, *component), Some(TypeKind::Float { width: 64, .. }));
                let each = 1 + u32::from(wide && *rows > 2);
                total = total.saturating_add(times.saturating_mul(columns.saturating_mul(each)));
            }
            Some(TypeKind::Array { element, count, .. }) => {
                let n = if let Count::Fixed(n) | Count::Spec { default: Some(n), .. } = count { *n } else { 1 };
                todo.push((*element, times.saturating_mul(n)));
            }
            Some(TypeKind::Struct { members, .. }) => todo.extend(members.iter().map(|m| (m.ty, times))),
            _ => total = total.saturating_add(times),
        }
    }
    total
}

/// The attributes that a vertex shader reads: one for each location, in order.
pub fn vertex_attributes(r: &Reflection<'_>, point: &EntryPoint<'_>) -> Vec<VertexAttribute> {
    attributes(r, point, &mut { MAX_VECTORS })
}

/// The same within a budget of vectors.
pub(crate) fn attributes(r: &Reflection<'_>, point: &EntryPoint<'_>, budget: &mut u32) -> Vec<VertexAttribute> {
    let mut all: Vec<VertexAttribute> = Vec::new();
    if point.model != "Vertex" {
        return all;
    }
    for v in &point.inputs {
        // Those of the variable stand at its first location.
        let mut semantics = v.semantics.clone();
        for leaf in leaves(r, v, budget) {
            for (location, suffix) in leaf.each() {
                let per = if leaf.width == 64 { 2 } else { 1 };
                all.push(VertexAttribute {
                    location,
                    component: leaf.component,
                    name: format!("{}{suffix}", leaf.name),
                    numeric: leaf.numeric,
                    width: leaf.width,
                    // Formats begin with the first component of a location.
                    components: leaf.component / per + leaf.components.unwrap_or(1),
                    format: String::new(),
                    vk_format: 0,
                    semantics: core::mem::take(&mut semantics),
                });
            }
        }
    }
    all.sort_by_key(|a| (a.location, a.component));
    all.dedup_by(|later, first| {
        let same = later.location == first.location;
        if same {
            first.components = first.components.max(later.components);
            first.name.push_str(", ");
            first.name.push_str(&later.name);
            first.semantics.append(&mut later.semantics);
        }
        same
    });
    for a in &mut all {
        (a.vk_format, a.format) = vk_format(a.numeric, a.width, a.components);
    }
    all
}

/// A `VkFormat` with exactly these components: its number and its name; 0 where there is none.
pub(crate) fn vk_format(numeric: Numeric, width: u32, components: u32) -> (u32, String) {
    let undefined = (0, String::from("UNDEFINED"));
    // Number of the unsigned format with one component, and the steps to more components.
    let (first, steps): (u32, [u32; 4]) = match width {
        8 => (13, [0, 7, 14, 28]),
        16 => (74, [0, 7, 14, 21]),
        32 => (98, [0, 3, 6, 9]),
        64 => (110, [0, 3, 6, 9]),
        _ => return undefined,
    };
    let Some(step) = components.checked_sub(1).and_then(|c| steps.get(c as usize)) else { return undefined };
    let (kind, name) = match numeric {
        Numeric::Uint => (0, "UINT"),
        Numeric::Sint => (1, "SINT"),
        Numeric::Float if width == 8 => return undefined,
        Numeric::Float => (2, "SFLOAT"),
    };
    let mut text: String =
        ["R", "G", "B", "A"].iter().take(components as usize).map(|c| format!("{c}{width}")).collect();
    text.push('_');
    text.push_str(name);
    (first + step + kind, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_have_the_numbers_of_vulkan() {
        let cases = [
            (Numeric::Uint, 8, 1, 13, "R8_UINT"),
            (Numeric::Sint, 8, 2, 21, "R8G8_SINT"),
            (Numeric::Uint, 8, 3, 27, "R8G8B8_UINT"),
            (Numeric::Sint, 8, 4, 42, "R8G8B8A8_SINT"),
            (Numeric::Float, 16, 1, 76, "R16_SFLOAT"),
            (Numeric::Float, 16, 4, 97, "R16G16B16A16_SFLOAT"),
            (Numeric::Float, 32, 3, 106, "R32G32B32_SFLOAT"),
            (Numeric::Sint, 32, 4, 108, "R32G32B32A32_SINT"),
            (Numeric::Float, 64, 4, 121, "R64G64B64A64_SFLOAT"),
            (Numeric::Float, 8, 1, 0, "UNDEFINED"),
            (Numeric::Float, 32, 5, 0, "UNDEFINED"),
        ];
        for (numeric, width, components, number, name) in cases {
            assert_eq!(vk_format(numeric, width, components), (number, name.into()));
        }
    }
}
