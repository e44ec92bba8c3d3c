//! Input and output variables.

use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_grammar::{BuiltIn, Decoration, ExecutionModel, StorageClass};
use spirula_module::{Module, Type as Raw};

use crate::bindings::held_type;
use crate::facts::{Flags, OfVariable};
use crate::fields::Fields;
use crate::model::{InterfaceVariable, Type, TypeKind};
use crate::types::MAX_NESTING;
use crate::{Cx, hlsl, spec, text};

pub(crate) fn variable<'m>(
    cx: &mut Cx<'_, 'm>,
    model: ExecutionModel,
    variable: Inst<'_>,
    used: bool,
) -> InterfaceVariable<'m> {
    let m = cx.m;
    let (id, class) = (variable.id(2), StorageClass(variable.word(3)));
    let ty = held_type(&m, variable);
    let own = OfVariable::new(&m, id);
    let per_vertex = is_per_vertex(model, class, &own);
    let element = match m.ty(ty) {
        Some(Raw::Array { element, .. } | Raw::RuntimeArray { element }) if per_vertex => element,
        _ => ty,
    };
    InterfaceVariable {
        id: id.0,
        name: cx.name(id),
        ty: cx.type_ref(ty),
        location: own.location,
        component: own.component,
        index: own.index,
        location_count: locations(&m, element),
        built_in: own.built_in.map(|b| text(BuiltIn(b), BuiltIn::name)),
        interpolation: own.flags.interpolation().map(|d| text(d, Decoration::name)).collect(),
        semantics: if own.flags.has(Flags::SEMANTIC) {
            hlsl::semantics(&cx.budget, m.own_decorations(id))
        } else {
            Vec::new()
        },
        arrayed_per_vertex: per_vertex && element != ty,
        used,
    }
}

/// Whether the outermost array of a variable counts vertices or primitives (Vulkan, "Interface Matching").
fn is_per_vertex(model: ExecutionModel, class: StorageClass, own: &OfVariable) -> bool {
    let patch = own.flags.has(Flags::PATCH);
    match (model, class) {
        (ExecutionModel::TessellationControl, _) => !patch,
        (ExecutionModel::TessellationEvaluation | ExecutionModel::Geometry, StorageClass::Input) => !patch,
        (ExecutionModel::MeshEXT | ExecutionModel::MeshNV, StorageClass::Output) => true,
        (ExecutionModel::Fragment, StorageClass::Input) => own.flags.has(Flags::PER_VERTEX),
        _ => false,
    }
}

/// Types that one variable's count of locations may visit.
const MAX_VISITS: usize = 4096;

/// Locations that a type takes (Vulkan, "Location and Component Assignment"): 64-bit vectors of three or four components
/// take two, all else one for each vector.
fn locations(m: &Module<'_>, ty: Id) -> u32 {
    // Nearly all are scalars or vectors, for which no list is needed.
    match m.key(ty) {
        key if key.is_scalar_or_vector() => 1 + u32::from(key.width() == 64 && key.count() > 2),
        _ => locations_of_parts(m, ty),
    }
}

fn locations_of_parts(m: &Module<'_>, ty: Id) -> u32 {
    let (mut todo, mut total) = (alloc::vec![(ty, 1u32)], 0u32);
    for _ in 0..MAX_VISITS {
        let Some((ty, times)) = todo.pop() else { break };
        match m.ty(ty) {
            Some(Raw::Vector { count, .. }) => {
                let wide = m.key(ty).width() == 64 && count > 2;
                total = total.saturating_add(times.saturating_mul(1 + u32::from(wide)));
            }
            Some(Raw::Matrix { column, count }) => todo.push((column, times.saturating_mul(count))),
            Some(Raw::Array { element, length }) => {
                todo.push((element, times.saturating_mul(spec::default_u32(m, length).unwrap_or(1))));
            }
            Some(Raw::Struct { members }) => todo.extend(members.iter().map(|t| (Id(*t), times)).take(MAX_NESTING)),
            _ => total = total.saturating_add(times),
        }
    }
    total
}

/// Members of one block that are searched for semantics.
const MAX_MEMBERS: usize = 100;

/// Semantics that occur more than once, compared without regard to case.
pub(crate) fn duplicates(types: &[Type<'_>], variables: &[InterfaceVariable<'_>], found: &mut Vec<String>) {
    let mut all: Vec<(&str, u32)> = Vec::new();
    let mut members = Fields::of(types, String::new());
    for v in variables {
        all.extend(v.semantics.iter().map(|s| (s.name.as_str(), s.index)));
        let mut ty = v.ty;
        for _ in 0..MAX_NESTING {
            let Some(TypeKind::Array { element, .. }) = types.get(ty.0 as usize).map(|t| &t.kind) else { break };
            ty = *element;
        }
        members.start(ty);
        let found = core::iter::from_fn(|| members.step()).take(MAX_MEMBERS);
        all.extend(found.flat_map(|f| &f.member.semantics).map(|s| (s.name.as_str(), s.index)));
    }
    all.sort_unstable();
    for same in all.chunk_by(|a, b| a == b).filter(|same| same.len() > 1) {
        let (name, index) = same[0];
        found.push(alloc::format!("{name}{index}"));
    }
}
