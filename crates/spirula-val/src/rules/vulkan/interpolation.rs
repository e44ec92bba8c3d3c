//! Decorations of inputs and outputs that depend on the stage (Vulkan Environment for SPIR-V).

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, ExecutionModel as Model, Op, StorageClass};
use spirula_module::{EntryPoint, Scalar, Type, TypeKey};

use crate::cx::Cx;
use crate::rules::interface::class_of;
use crate::rules::vulkan::builtins::without_arrays;

rules! {
    group "interfaces";
    /// Integers and doubles cannot be interpolated: as inputs of fragment shaders they are decorated with `Flat`.
    FLAT: "input-flat", vuid "VUID-StandaloneSpirv-Flat-04744";
    /// Integers and doubles in a block cannot be interpolated either: the member, or the whole block, is decorated with
    /// `Flat`.
    FLAT_MEMBER: "input-flat-member", warn environment "Vulkan: Interpolation Decorations";
    /// Only inputs of tessellation control and geometry shaders with a `Component` are arrays of arrays.
    INPUT_ARRAYS: "component-input-arrays", vuid "VUID-StandaloneSpirv-Execution-10584";
    /// Only outputs of mesh shaders with a `Component` are arrays of arrays.
    OUTPUT_ARRAYS: "component-output-arrays", vuid "VUID-StandaloneSpirv-Execution-10585";
    /// `ViewportRelativeNV` decorates the built-in `Layer` of vertex, tessellation evaluation and geometry shaders.
    RELATIVE: "viewport-relative-layer", warn vuid "VUID-StandaloneSpirv-ViewportRelativeNV-04672";
    /// An entry point with `ViewportRelativeNV` has `ViewportIndex` or `ViewportMaskNV` too.
    RELATIVE_INDEX: "viewport-relative-index", warn vuid "VUID-StandaloneSpirv-ViewportRelativeNV-04673";
    /// A tile attachment has a descriptor set and a binding.
    TILE_BINDING: "tile-attachment-binding", vuid "VUID-StandaloneSpirv-TileAttachmentQCOM-10695";
    /// Whether a tile attachment is sampled or stored to is known.
    TILE_SAMPLED: "tile-attachment-sampled", vuid "VUID-StandaloneSpirv-OpTypeImage-10694";
    /// A tile attachment has no `Component`.
    TILE_COMPONENT: "tile-attachment-component", vuid "VUID-StandaloneSpirv-TileAttachmentQCOM-10696";
}

/// Judges global variables, and the interface of each entry point.
pub(crate) fn module(cx: &mut Cx<'_>) {
    // The extension's own rules, in any environment.
    if cx.has(Capability::TileShadingQCOM) {
        for variable in cx.m.global_variables() {
            resource(cx, variable).ok();
        }
    }
    if !cx.env.is_vulkan() {
        return;
    }
    let told = cx.filled(cx.m.ids().slot_count(), false);
    for entry in cx.m.entry_points() {
        let listed = cx.listed(entry.interface);
        for id in &listed {
            let Some(variable) = cx.m.def(*id).filter(|v| v.op() == Op::Variable) else { continue };
            let class = class_of(cx.m, *id);
            if entry.model == Model::Fragment && class == Some(StorageClass::Input) {
                let told = cx.m.ids().slot(*id).and_then(|s| told.get_mut(s));
                if told.is_some_and(|t| !core::mem::replace(t, true)) {
                    flat(cx, variable).ok();
                }
            }
            arrays(cx, &entry, variable, class).ok();
            relative(cx, &entry, &listed, variable).ok();
        }
    }
}

fn resource(cx: &mut Cx<'_>, variable: Inst<'_>) -> Checked {
    let (m, id) = (cx.m, variable.id(2));
    let class = StorageClass(variable.word(3));
    let has = |d| m.is_decorated(id, d);
    if class == StorageClass::TileAttachmentQCOM {
        let bound = has(Decoration::DescriptorSet) && has(Decoration::Binding);
        cx.check(bound, &TILE_BINDING, variable, || format!("{id} lacks DescriptorSet or Binding"))?;
        cx.check(!has(Decoration::Component), &TILE_COMPONENT, variable, || format!("{id} has a Component"))?;
        let image = m.pointer(variable.id(1)).map(|(_, ty)| without_arrays(m, ty)).and_then(|ty| m.ty(ty));
        if let Some(Type::Image(image)) = image {
            let sampled = image.sampled;
            cx.check(matches!(sampled, 1 | 2), &TILE_SAMPLED, variable, || {
                format!("the image of {id} has the Sampled operand {sampled}, not 1 or 2")
            })?;
        }
    }
    Ok(())
}

/// What is not interpolated.
const FINE: [Decoration; 3] = [Decoration::Flat, Decoration::PerVertexKHR, Decoration::PerPrimitiveEXT];

fn flat(cx: &mut Cx<'_>, variable: Inst<'_>) -> Checked {
    let (m, id) = (cx.m, variable.id(2));
    let Some((_, pointee)) = m.pointer(variable.id(1)) else { return Ok(()) };
    if FINE.iter().any(|d| m.is_decorated(id, *d)) {
        return Ok(());
    }
    let builtin = m.is_decorated(id, Decoration::BuiltIn);
    if let Some(Type::Struct { members }) = m.ty(without_arrays(m, pointee)).filter(|_| !builtin) {
        return flat_members(cx, variable, without_arrays(m, pointee), members);
    }
    // SampleMask, an array, is not interpolated.
    let key = m.key(if builtin { pointee } else { without_arrays(m, pointee) });
    cx.check(!is_whole(key), &FLAT, variable, || {
        let what = if key.component_class() == Scalar::Int { "integers" } else { "64-bit floats" };
        format!("{id}, an input of a fragment shader, has {what}, but is not decorated with Flat")
    })
}

/// Whether there is nothing between two values.
fn is_whole(key: TypeKey) -> bool {
    let class = key.component_class();
    class == Scalar::Int || class == Scalar::Float && key.width() == 64
}

fn flat_members(cx: &mut Cx<'_>, variable: Inst<'_>, ty: Id, members: &[u32]) -> Checked {
    let (m, id) = (cx.m, variable.id(2));
    for (index, member) in members.iter().enumerate() {
        let has = |d| m.member_decoration(ty, index as u32, d).is_some();
        if !is_whole(m.key(without_arrays(m, Id(*member)))) || FINE.iter().any(|d| has(*d)) {
            continue;
        }
        cx.check(has(Decoration::BuiltIn), &FLAT_MEMBER, variable, || {
            format!("member {index} of {id}, an input of a fragment shader, is not decorated with Flat")
        })?;
    }
    Ok(())
}

fn arrays(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, variable: Inst<'_>, class: Option<StorageClass>) -> Checked {
    let (m, id) = (cx.m, variable.id(2));
    let (rule, fine) = match class {
        Some(StorageClass::Input) => {
            // The outer array of a fragment shader's PerVertexKHR input holds the vertices.
            let vertices = m.is_decorated(id, Decoration::PerVertexKHR);
            let model =
                matches!(entry.model, Model::TessellationControl | Model::TessellationEvaluation | Model::Geometry);
            (&INPUT_ARRAYS, vertices || model)
        }
        Some(StorageClass::Output) => {
            let model = matches!(entry.model, Model::MeshNV | Model::MeshEXT | Model::TessellationControl);
            (&OUTPUT_ARRAYS, model)
        }
        _ => return Ok(()),
    };
    if fine || !m.is_decorated(id, Decoration::Component) {
        return Ok(());
    }
    let element = m.pointer(variable.id(1)).and_then(|(_, ty)| match m.ty(ty)? {
        Type::Array { element, .. } => Some(element),
        _ => None,
    });
    let nested = element.is_some_and(|e| matches!(m.ty(e), Some(Type::Array { .. })));
    let model = entry.model;
    cx.check(!nested, rule, variable, || {
        format!("{id} has a Component and is an array of arrays, but the execution model is {model}")
    })
}

fn relative(cx: &mut Cx<'_>, entry: &EntryPoint<'_>, listed: &[Id], variable: Inst<'_>) -> Checked {
    let (m, id) = (cx.m, variable.id(2));
    if !m.is_decorated(id, Decoration::ViewportRelativeNV) {
        return Ok(());
    }
    let builtin = |id| m.decoration(id, Decoration::BuiltIn).map(|d| BuiltIn(d.operand()));
    let stage = matches!(entry.model, Model::Vertex | Model::TessellationEvaluation | Model::Geometry);
    cx.check(stage && builtin(id) == Some(BuiltIn::Layer), &RELATIVE, variable, || {
        format!("{id} is decorated with ViewportRelativeNV, but is not Layer in a stage that sets it")
    })?;
    let index = listed.iter().any(|id| matches!(builtin(*id), Some(BuiltIn::ViewportIndex | BuiltIn::ViewportMaskNV)));
    cx.check(index, &RELATIVE_INDEX, entry.inst, || {
        format!("{id} is decorated with ViewportRelativeNV, but neither ViewportIndex nor ViewportMaskNV is in the interface")
    })
}
