//! Variables of the first entry point's interface.

use alloc::vec::Vec;

use spirula_binary::{Id, LitStr};
use spirula_grammar::{Decoration, Op, StorageClass};
use spirula_module::{Decorations, EntryPoint};

use super::model::{At, InterfaceVar, Numeric, TypeDesc, decorated, kind};
use super::{Build, len};
use crate::bindings::held_type;

const NO_LOCATION: u32 = u32::MAX;

pub(super) fn all(build: &mut Build<'_>) {
    let m = build.m;
    let Some(entry) = m.entry_points().next() else { return };
    for class in [StorageClass::Input, StorageClass::Output] {
        for id in of_class(build, &entry, class) {
            let Some(inst) = m.def(id).filter(|_| build.may_grow(len(&build.name(id)))) else { continue };
            let at = variable(build, id, held_type(&m, inst), class);
            let list = if class == StorageClass::Input { &mut build.out.inputs } else { &mut build.out.outputs };
            list.push(at);
        }
    }
}

fn of_class(build: &Build<'_>, entry: &EntryPoint<'_>, class: StorageClass) -> Vec<Id> {
    let m = build.m;
    let all = entry.interface.iter().map(|i| Id(*i));
    all.filter(|i| m.def(*i).is_some_and(|v| v.op() == Op::Variable && v.word(3) == class.0)).collect()
}

fn variable(build: &mut Build<'_>, id: Id, ty: Id, class: StorageClass) -> At {
    let root = build.root(ty);
    let desc = build.out.types.get(root).cloned().unwrap_or_default();
    build.budget.take(desc.array.cost());
    let mut var = of_type(&desc, root, class);
    var.id = id.0;
    var.name = build.name(id);
    var.built_in = None;
    var.location = NO_LOCATION;
    decorate(&mut var, build.m.own_decorations(id));
    var.location_word = build.operand_word(id, Decoration::Location);
    if desc.decorations & decorated::BLOCK != 0 && desc.array.dims.is_empty() {
        var.decorations |= decorated::BLOCK;
    }
    let top = push(build, var);
    let mut todo = alloc::vec![(top, desc)];
    while let Some((at, desc)) = todo.pop() {
        members(build, at, &desc, class, &mut todo);
    }
    block_built_ins(build, top);
    top
}

fn push(build: &mut Build<'_>, var: InterfaceVar) -> At {
    build.out.interface.push(var);
    build.out.interface.len() - 1
}

fn members(build: &mut Build<'_>, of: At, desc: &TypeDesc, class: StorageClass, todo: &mut Vec<(At, TypeDesc)>) {
    let mut list = Vec::new();
    for (i, member) in desc.members.iter().enumerate() {
        if !build.may_grow(0) {
            break;
        }
        // Below arrays nothing is said but that there are members.
        if !desc.array.dims.is_empty() {
            list.push(push(build, InterfaceVar { built_in: Some(0), ..InterfaceVar::default() }));
            continue;
        }
        let own = build.out.types.get(*member).cloned().unwrap_or_default();
        if !build.budget.take(own.array.cost() + len(&own.name)) {
            break;
        }
        let mut var = of_type(&own, *member, class);
        var.built_in = Some(0);
        if let Some(structure) = desc.structure {
            decorate(&mut var, build.m.member_decorations(Id(structure), i as u32));
        }
        let at = push(build, var);
        list.push(at);
        todo.push((at, own));
    }
    if let Some(var) = build.out.interface.get_mut(of) {
        var.members = list;
    }
}

fn of_type(desc: &TypeDesc, at: At, class: StorageClass) -> InterfaceVar {
    InterfaceVar {
        class: class.0,
        numeric: desc.numeric,
        array: desc.array.clone(),
        format: if desc.flags & kind::STRUCT == 0 { format(&desc.numeric, desc.flags) } else { 0 },
        ty: Some(at),
        ..InterfaceVar::default()
    }
}

fn decorate(var: &mut InterfaceVar, decorations: Decorations<'_>) {
    for d in decorations {
        match d.decoration {
            Decoration::Location => var.location = d.operand(),
            Decoration::BuiltIn => {
                var.built_in = Some(d.operand());
                var.decorations |= decorated::BUILT_IN;
            }
            Decoration::UserSemantic => var.semantic = LitStr::read(d.operands).map(LitStr::to_text),
            Decoration::Flat => var.decorations |= decorated::FLAT,
            Decoration::NoPerspective => var.decorations |= decorated::NO_PERSPECTIVE,
            Decoration::Patch => var.decorations |= decorated::PATCH,
            Decoration::PerVertexKHR => var.decorations |= decorated::PER_VERTEX,
            Decoration::PerTaskNV => var.decorations |= decorated::PER_TASK,
            Decoration::RelaxedPrecision => var.decorations |= decorated::RELAXED_PRECISION,
            Decoration::NonWritable => var.decorations |= decorated::NON_WRITABLE,
            Decoration::NonReadable => var.decorations |= decorated::NON_READABLE,
            _ => {}
        }
    }
}

/// A block of built-ins is one itself.
fn block_built_ins(build: &mut Build<'_>, top: At) {
    let Some(var) = build.out.interface.get(top) else { return };
    let any = var.array.dims.is_empty()
        && var
            .members
            .iter()
            .any(|m| build.out.interface.get(*m).is_some_and(|v| v.decorations & decorated::BUILT_IN != 0));
    if let Some(var) = build.out.interface.get_mut(top)
        && any
    {
        var.decorations |= decorated::BUILT_IN;
    }
}

/// `VkFormat` of one element.
fn format(n: &Numeric, flags: u32) -> u32 {
    let components = n.components.max(1);
    // Number of the format with one unsigned component, steps to the next component, to signed, and to floating point.
    let (first, step, signed, float) = match n.width {
        8 => (13, 7, 1, None),
        16 => (74, 7, 1, Some(2)),
        32 => (98, 3, 1, Some(2)),
        64 => (110, 3, 1, Some(2)),
        _ => return 0,
    };
    // The alpha formats of 8 bits lie behind those in reversed order.
    let skipped = if n.width == 8 && components == 4 { 7 } else { 0 };
    let kind = if flags & kind::FLOAT != 0 {
        let Some(float) = float else { return 0 };
        float
    } else if flags & kind::INT == 0 {
        return 0;
    } else if n.signed {
        signed
    } else {
        0
    };
    if components > 4 { 0 } else { first + step * (components - 1) + skipped + kind }
}
