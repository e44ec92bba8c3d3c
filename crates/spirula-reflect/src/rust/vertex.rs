//! A vertex shader's inputs as a structure: one vertex as it may lie in a buffer.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::layout::{Expr, Field, Layout, Size, array, fitted, scalar_expr};
use super::names::{self, Scope, quoted};
use super::print::Out;
use super::shape::Scalar;
use crate::locations::{Leaf, leaves};
use crate::model::{EntryPoint, Numeric, Reflection};

/// What becomes one field.
struct Attribute {
    name: String,
    location: u32,
    component: u32,
    expr: Expr,
    /// Locations that it covers.
    locations: Vec<u32>,
}

/// Writes the structure of one entry point, if it has attributes.
pub(super) fn vertex(
    r: &Reflection<'_>,
    point: &EntryPoint<'_>,
    alone: bool,
    layout: &mut Layout<'_>,
    out: &mut Out<'_>,
    budget: &mut u32,
) -> bool {
    let attributes = attributes(r, point, out.options.half, &mut { *budget });
    if attributes.is_empty() {
        return false;
    }
    let prefix = if alone { None } else { names::type_name(&point.name) };
    let name = layout.type_name(&format!("{}VertexInput", prefix.unwrap_or_default()));
    let mut scope = Scope::default();
    let mut constants = Scope::default();
    for taken in ["ZEROED", "ATTRIBUTES"] {
        constants.unique(taken, "_");
    }
    let (mut fields, mut consts, mut offsets): (Vec<Field>, Vec<_>, BTreeMap<u32, u64>) =
        (Vec::new(), Vec::new(), BTreeMap::new());
    let mut end = 0u64;
    for a in &attributes {
        // What shares a location has its place within the location's format.
        let shared = offsets.get(&a.location).map(|start| start + component_offset(a));
        let fresh = end.next_multiple_of(a.expr.align) + component_offset(a);
        let offset = shared.filter(|o| *o >= end).unwrap_or(fresh);
        let start = offset - component_offset(a);
        let bytes = a.expr.size / a.locations.len().max(1) as u64;
        for (i, location) in a.locations.iter().enumerate() {
            offsets.entry(*location).or_insert(start + bytes * i as u64);
        }
        end = offset + a.expr.size;
        let base = names::field_name(&a.name).unwrap_or_else(|| format!("location_{}", a.location));
        let field = scope.unique(&base, "_");
        let docs = if field == a.name || a.name.is_empty() { Vec::new() } else { [quoted(&a.name)].to_vec() };
        let constant = constants.unique(&format!("{}_LOCATION", field.to_ascii_uppercase()), "_");
        consts.push((format!("Location of `{field}`."), format!("{constant}: u32 = {}", a.location)));
        fields.push(Field { name: field, docs, offset, expr: a.expr.clone() });
    }
    let mut def = fitted(name, fields, Size::AtMost(u64::MAX), &mut scope);
    def.docs.push(format!("Vertex inputs of entry point {}, tightly packed.", quoted(&point.name)));
    def.consts = consts;
    out.def(&def, &table(r, point, &offsets, budget));
    true
}

fn component_offset(a: &Attribute) -> u64 {
    let scalar = a.expr.align;
    u64::from(a.component) * scalar / if scalar == 8 { 2 } else { 1 }
}

/// Attributes in order. An array or matrix is one field, unless it shares locations with something.
fn attributes(r: &Reflection<'_>, point: &EntryPoint<'_>, half: bool, budget: &mut u32) -> Vec<Attribute> {
    let all: Vec<Leaf> = point.inputs.iter().flat_map(|v| leaves(r, v, budget)).collect();
    let mut users: BTreeMap<u32, u32> = BTreeMap::new();
    for (location, _) in all.iter().flat_map(|l| l.each()) {
        *users.entry(location).or_default() += 1;
    }
    let mut found = Vec::new();
    for leaf in &all {
        let Some(scalar) = scalar(leaf) else { continue };
        let one = scalar_expr(scalar, half);
        let vector = leaf.components.map_or(one.clone(), |n| array(&one, n));
        let locations: Vec<u32> = leaf.each().map(|(l, _)| l).collect();
        let alone = leaf.component == 0 && locations.iter().all(|l| users.get(l) == Some(&1));
        if alone || leaf.dimensions.is_empty() {
            let expr = leaf.dimensions.iter().rev().fold(vector, |e, d| array(&e, *d));
            let (name, location, component) = (leaf.name.clone(), leaf.location, leaf.component);
            found.push(Attribute { name, location, component, expr, locations });
            continue;
        }
        found.extend(leaf.each().map(|(location, suffix)| Attribute {
            name: format!("{}{suffix}", leaf.name),
            location,
            component: leaf.component,
            expr: vector.clone(),
            locations: [location].to_vec(),
        }));
    }
    found.sort_by_key(|a| (a.location, a.component));
    found
}

fn scalar(leaf: &Leaf) -> Option<Scalar> {
    let bytes = leaf.width / 8;
    match leaf.numeric {
        Numeric::Uint | Numeric::Sint if matches!(bytes, 1 | 2 | 4 | 8) => {
            Some(Scalar::Int { bytes, signed: leaf.numeric == Numeric::Sint })
        }
        Numeric::Float if matches!(bytes, 2 | 4 | 8) => Some(Scalar::Float { bytes }),
        _ => None,
    }
}

/// The attributes as a constant.
fn table(r: &Reflection<'_>, point: &EntryPoint<'_>, offsets: &BTreeMap<u32, u64>, budget: &mut u32) -> Vec<String> {
    let all = crate::locations::attributes(r, point, budget);
    let known: Vec<_> = all.iter().filter_map(|a| Some((a, offsets.get(&a.location)?))).collect();
    let mut lines = [
        "/// Location, `VkFormat` and offset of each attribute.".to_string(),
        format!("pub const ATTRIBUTES: [VertexAttribute; {}] = [", known.len()),
    ]
    .to_vec();
    for (a, offset) in known {
        lines.push(format!(
            "    VertexAttribute {{ location: {}, format: {}, offset: {offset} }}, // {}",
            a.location, a.vk_format, a.format
        ));
    }
    lines.push("];".to_string());
    lines
}
