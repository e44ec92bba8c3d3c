//! What depends on the execution modes of an entry point with the built-in in its interface.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, Site};
use spirula_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::EntryPoint;

use super::types::array_size;
use super::{
    CULL_ONCE, FRAG_DEPTH, INDICES_LINES, INDICES_POINTS, INDICES_TRIANGLES, Object, STENCIL_REF, VERTICES, What,
    array_levels,
};
use crate::cx::{Cx, msg};
use crate::rules::mode_setting::{Modes, reached};
use crate::rules::vulkan::interfaces::is_arrayed;

/// What depends on the execution modes of an entry point with the built-in in its interface.
pub(super) fn entry_points(cx: &mut Cx<'_>, objects: &[Object]) {
    let modes = Modes::of_module(cx);
    for entry in cx.m.entry_points() {
        let mesh = matches!(entry.model, ExecutionModel::MeshEXT | ExecutionModel::MeshNV);
        let fragment = entry.model == ExecutionModel::Fragment;
        let arrayed = super::ARRAYED_STAGES.contains(&entry.model);
        if !arrayed && !fragment {
            continue;
        }
        let mut culls = 0;
        for word in entry.interface {
            let first = objects.partition_point(|o| o.id < Id(*word));
            for o in objects[first..].iter().take_while(|o| o.id == Id(*word)) {
                if fragment {
                    replaced(cx, &modes, o, &entry).ok();
                    continue;
                }
                // Of MeshEXT, the extension's own rule speaks.
                if entry.model != ExecutionModel::MeshEXT {
                    vertices(cx, o, &entry).ok();
                }
                if mesh {
                    culls += u32::from(o.builtin == BuiltIn::CullPrimitiveEXT);
                    mesh_sizes(cx, &modes, o, &entry).ok();
                }
            }
        }
        if culls > 1 {
            let text = || format!("CullPrimitiveEXT is {culls} times in the interface");
            cx.fail(&CULL_ONCE, entry.inst, text).ok();
        }
    }
}

fn mode(modes: &Modes<'_>, entry: &EntryPoint<'_>, mode: ExecutionMode) -> Option<u32> {
    modes.find(entry.function, mode).map(|inst| inst.word(3))
}

/// What exists for each vertex has an array level for the vertices.
fn vertices(cx: &mut Cx<'_>, o: &Object, entry: &EntryPoint<'_>) -> Checked {
    let each = [BuiltIn::Position, BuiltIn::PointSize, BuiltIn::ClipDistance, BuiltIn::CullDistance];
    let (m, id, builtin, model) = (cx.m, o.id, o.builtin, entry.model);
    let interface = |c: &StorageClass| matches!(*c, StorageClass::Input | StorageClass::Output);
    let Some(class) = o.class.filter(interface).filter(|_| each.contains(&builtin)) else { return Ok(()) };
    if !is_arrayed(m, model, id, class, m.is_decorated(id, Decoration::Patch)) {
        return Ok(());
    }
    let levels = array_levels(m, m.pointer(m.type_id_of(id)).map_or(Id(0), |(_, ty)| ty));
    let own = o.member.is_none() && matches!(builtin, BuiltIn::ClipDistance | BuiltIn::CullDistance);
    let at = cx.def(id)?;
    cx.check(levels > usize::from(own), &VERTICES, at, || {
        format!("{id}, with the built-in {builtin}, has no array for the vertices that {model} has in {class}")
    })
}

/// A fragment shader that writes a depth or a stencil reference declares that it does.
fn replaced(cx: &mut Cx<'_>, modes: &Modes<'_>, o: &Object, entry: &EntryPoint<'_>) -> Checked {
    let (rule, needed): (&'static Rule, _) = match o.builtin {
        BuiltIn::FragDepth => (&FRAG_DEPTH, ExecutionMode::DepthReplacing),
        BuiltIn::FragStencilRefEXT => (&STENCIL_REF, ExecutionMode::StencilRefReplacingEXT),
        _ => return Ok(()),
    };
    if mode(modes, entry, needed).is_some() {
        return Ok(());
    }
    let m = cx.m;
    // Other entry points may write what this one lists.
    let reached = reached(cx, entry.function);
    let users = cx.collect(cx.flow.uses.list.iter().filter(|u| u.id == o.id).map(|u| u.function as usize));
    let writes = users
        .iter()
        .filter(|f| reached.get(**f) == Some(&true))
        .any(|f| m.insts(m.functions()[*f].body_words()).any(|i| may_write(i, o)));
    let function = cx.def(entry.function)?;
    let builtin = o.builtin;
    cx.check(!writes, rule, function, || format!("{builtin} is written, but {needed} is not declared"))
}

/// Whether an instruction writes an object, or finds a pointer into the block that it stands in.
fn may_write(inst: Inst<'_>, o: &Object) -> bool {
    match inst.op() {
        Op::Store | Op::CopyMemory | Op::CopyMemorySized => inst.id(1) == o.id,
        Op::AccessChain | Op::InBoundsAccessChain => o.member.is_some() && inst.id(3) == o.id,
        Op::FunctionCall => inst.tail(4).contains(&o.id.0),
        _ => false,
    }
}

fn mesh_sizes(cx: &mut Cx<'_>, modes: &Modes<'_>, o: &Object, entry: &EntryPoint<'_>) -> Checked {
    let m = cx.m;
    let def = cx.def(o.id)?;
    let builtin = o.builtin;
    let primitives = mode(modes, entry, ExecutionMode::OutputPrimitivesEXT).map(u64::from);
    let outer = m.pointer(m.type_id_of(o.id)).and_then(|(_, ty)| array_size(m, ty));
    let size_is = |cx: &mut Cx<'_>, rule: &'static Rule, factor: u64, at: Inst<'_>| match (primitives, outer) {
        (Some(n), Some(size)) if size != n * factor => cx.fail(rule, at, || {
            let text = format!("the array of {builtin} has {size} elements, but OutputPrimitivesEXT is {n}");
            msg(text).note(Site::at(entry.inst.offset()), "for this entry point")
        }),
        _ => Ok(()),
    };
    if entry.model == ExecutionModel::MeshNV {
        if builtin != BuiltIn::PrimitiveIndicesNV {
            return Ok(());
        }
        let has = |wanted| mode(modes, entry, wanted).is_some();
        return if has(ExecutionMode::OutputPoints) {
            size_is(cx, &INDICES_POINTS, 1, def)
        } else if has(ExecutionMode::OutputLinesEXT) {
            size_is(cx, &INDICES_LINES, 2, def)
        } else if has(ExecutionMode::OutputTrianglesEXT) {
            size_is(cx, &INDICES_TRIANGLES, 3, def)
        } else {
            Ok(())
        };
    }
    if o.class != Some(StorageClass::Output) {
        return Ok(());
    }
    for demand in o.row.demands {
        match demand.what {
            What::Mode(wanted) => {
                cx.check(mode(modes, entry, wanted).is_some(), demand.rule, def, || {
                    format!("{builtin} is in the interface of {}, which has no execution mode {wanted}", entry.function)
                })?;
            }
            What::Size { block } if block == o.member.is_some() => {
                let at = match o.member {
                    Some((ty, _)) => cx.def(ty)?,
                    None => def,
                };
                size_is(cx, demand.rule, 1, at)?;
            }
            _ => {}
        }
    }
    Ok(())
}
