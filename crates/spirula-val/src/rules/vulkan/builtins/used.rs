//! What depends on the models that reach a function which uses a built-in.

use alloc::format;
use alloc::string::String;

use spirula_binary::Inst;
use spirula_diag::{Checked, Failed};
use spirula_grammar::{BuiltIn, Capability, Decoration, ExecutionModel, Op, StorageClass};
use spirula_module::{ModelSet, Use};

use super::{
    CHANGING, LAYER, Object, PRIMITIVE_ID, VIEWPORT, VOLATILE, VOLATILE_LOAD, What, has, is_interface, list, with,
};
use crate::cx::Cx;
use crate::rules::memory;

/// What depends on the models that reach a function which uses it.
pub(super) fn used(cx: &mut Cx<'_>, o: &Object, u: Use) -> Checked {
    let models = cx.m.models_reaching(u.function as usize);
    let inst = cx.m.inst_at(u.at).ok_or(Failed)?;
    let (id, builtin) = (o.id, o.builtin);
    let within = |of: &[ExecutionModel]| models.and(ModelSet::of(of));
    for demand in o.row.demands {
        match &demand.what {
            What::Models(allowed) => {
                let others = models.without(ModelSet::of(allowed));
                cx.check(others.is_empty(), demand.rule, inst, || {
                    format!("{id}, the built-in {builtin}, is used within the execution model {others}")
                })?;
            }
            What::Class(of, classes) if !of.is_empty() && is_interface(o) => {
                let (Some(class), models) = (o.class, within(of)) else { continue };
                cx.check(models.is_empty() || classes.contains(&class), demand.rule, inst, || {
                    let list = list(classes);
                    format!("{id}, the built-in {builtin}, is in {class}, but within the execution model {models} must be in {list}")
                })?;
            }
            What::With(of, decoration) if !within(of).is_empty() && o.class != Some(StorageClass::Input) => {
                // What lacks the decoration is the declaration.
                let at = cx.def(o.member.map_or(id, |(block, _)| block))?;
                with(cx, o, at, demand.rule, *decoration)?;
            }
            _ => {}
        }
    }
    capabilities(cx, o, inst, models)?;
    volatile(cx, o, u, models)
}

fn capabilities(cx: &mut Cx<'_>, o: &Object, inst: Inst<'_>, models: ModelSet) -> Checked {
    use Capability as C;
    let (rule, of, needed): (_, &[ExecutionModel], &[Capability]) = match o.builtin {
        BuiltIn::Layer => (
            &LAYER,
            &[ExecutionModel::Vertex, ExecutionModel::TessellationEvaluation],
            &[C::ShaderLayer, C::ShaderViewportIndexLayerEXT],
        ),
        BuiltIn::ViewportIndex => (
            &VIEWPORT,
            &[ExecutionModel::Vertex, ExecutionModel::TessellationEvaluation],
            &[C::ShaderViewportIndex, C::ShaderViewportIndexLayerEXT],
        ),
        BuiltIn::PrimitiveId => (
            &PRIMITIVE_ID,
            &[ExecutionModel::Fragment],
            &[C::Geometry, C::Tessellation, C::MeshShadingEXT, C::MeshShadingNV],
        ),
        _ => return Ok(()),
    };
    let of = models.and(ModelSet::of(of));
    let ok = of.is_empty() || needed.iter().any(|c| cx.has(*c));
    let builtin = o.builtin;
    cx.check(ok, rule, inst, || {
        let mut list = String::new();
        for c in needed {
            list += &format!("{}{c}", if list.is_empty() { "" } else { ", " });
        }
        format!("{builtin} is used within the execution model {of}, but none of these capabilities is declared: {list}")
    })
}

/// Ray-tracing shaders can move to another subgroup between two instructions.
fn volatile(cx: &mut Cx<'_>, o: &Object, u: Use, models: ModelSet) -> Checked {
    let changing = CHANGING.contains(&o.builtin) || o.builtin == BuiltIn::RayTmaxKHR;
    if !changing {
        return Ok(());
    }
    let of: &[ExecutionModel] = if o.builtin == BuiltIn::RayTmaxKHR {
        &[ExecutionModel::IntersectionKHR]
    } else {
        &[
            ExecutionModel::RayGenerationKHR,
            ExecutionModel::ClosestHitKHR,
            ExecutionModel::MissKHR,
            ExecutionModel::IntersectionKHR,
            ExecutionModel::CallableKHR,
        ]
    };
    let of = models.and(ModelSet::of(of));
    if of.is_empty() {
        return Ok(());
    }
    let (id, builtin) = (o.id, o.builtin);
    if !cx.has(Capability::VulkanMemoryModel) {
        let site = cx.def(id)?;
        return cx.check(has(cx.m, o, Decoration::Volatile), &VOLATILE, site, || {
            format!("{id}, the built-in {builtin}, is used within the execution model {of}, but is not decorated with Volatile")
        });
    }
    // The use is the function's first; each load must be volatile.
    let m = cx.m;
    let of_it = |i: &Inst<'_>| i.op() == Op::Load && memory::root(m, i.id(3)).is_some_and(|v| v.id(2) == id);
    for inst in m.insts(m.functions()[u.function as usize].body_words()).filter(of_it) {
        cx.check(inst.word(4) & 1 != 0, &VOLATILE_LOAD, inst, || {
            format!("{id}, the built-in {builtin}, is loaded within the execution model {of} without the memory operand Volatile")
        })?;
    }
    Ok(())
}
