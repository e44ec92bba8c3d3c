//! What must not depend on `ViewIndex` in mesh shaders (Vulkan Environment for SPIR-V).
//!
//! Dependence is followed through instructions that compute, forward and within a function: what goes through memory,
//! calls or loops is not seen, so that nothing is refused wrongly.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{BuiltIn, Class, Decoration, ExecutionModel as Model, Op, StorageClass};

use crate::cx::Cx;
use crate::id_set::IdSet;

rules! {
    group "mesh";
    /// How many vertices and primitives a mesh shader makes does not depend on `ViewIndex`.
    COUNTS: "mesh-counts-view", vuid "VUID-StandaloneSpirv-MeshEXT-07108";
    /// Which indices of primitives are written does not depend on `ViewIndex`.
    ELEMENT: "mesh-index-element-view", vuid "VUID-StandaloneSpirv-MeshEXT-07109";
    /// The indices of primitives do not depend on `ViewIndex`.
    VALUE: "mesh-index-value-view", vuid "VUID-StandaloneSpirv-MeshEXT-07110";
    /// Which part of a variable in Workgroup or Private memory is accessed does not depend on `ViewIndex`.
    MEMORY: "mesh-memory-view", vuid "VUID-StandaloneSpirv-MeshEXT-07111";
}

/// The built-ins that hold indices of primitives.
const INDICES: [BuiltIn; 3] =
    [BuiltIn::PrimitivePointIndicesEXT, BuiltIn::PrimitiveLineIndicesEXT, BuiltIn::PrimitiveTriangleIndicesEXT];

/// Judges the functions that mesh shaders reach.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    if !cx.env.is_vulkan() || !m.has_model(Model::MeshEXT) {
        return;
    }
    let view = m
        .global_variables()
        .map(|v| v.id(2))
        .find(|id| m.decoration(*id, Decoration::BuiltIn).is_some_and(|d| BuiltIn(d.operand()) == BuiltIn::ViewIndex));
    let Some(view) = view else { return };
    let mut depends = IdSet::default();
    depends.insert(view, m.ids());
    for (index, function) in m.functions().iter().enumerate() {
        if m.models_reaching(index).contains(Model::MeshEXT) {
            for inst in m.insts(function.start..function.end) {
                follow(cx, inst, &mut depends);
                judge(cx, inst, &depends).ok();
            }
        }
    }
}

/// Whether the id at `word` depends.
fn is_dependent(cx: &Cx<'_>, inst: Inst<'_>, word: usize, depends: &IdSet) -> bool {
    depends.contains(inst.id(word), cx.m.ids())
}

/// Adds the result of an instruction that computes with what depends.
fn follow(cx: &Cx<'_>, inst: Inst<'_>, depends: &mut IdSet) {
    let Some(desc) = inst.desc() else { return };
    let words = match inst.op() {
        Op::Load | Op::CopyObject | Op::CompositeExtract => 3..4,
        Op::CompositeConstruct | Op::Select => 3..inst.words().len(),
        _ => match desc.class {
            Class::Arithmetic | Class::Bit | Class::Conversion | Class::RelationalAndLogical => 3..inst.words().len(),
            _ => return,
        },
    };
    if let Some(result) = inst.result()
        && words.into_iter().any(|w| is_dependent(cx, inst, w, depends))
    {
        depends.insert(result, cx.m.ids());
    }
}

fn judge<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, depends: &IdSet) -> Checked {
    match inst.op() {
        Op::SetMeshOutputsEXT => {
            for word in 1..3 {
                let ok = !is_dependent(cx, inst, word, depends);
                cx.check_at(ok, &COUNTS, inst, word, || format!("the count {} depends on ViewIndex", inst.id(word)))?;
            }
            Ok(())
        }
        Op::AccessChain | Op::InBoundsAccessChain => {
            let base = inst.id(3);
            let Some(word) = (4..inst.words().len()).find(|w| is_dependent(cx, inst, *w, depends)) else {
                return Ok(());
            };
            let text = || format!("the index {} into {base} depends on ViewIndex", inst.id(word));
            cx.check_at(!is_indices(cx, base), &ELEMENT, inst, word, text)?;
            let class = crate::rules::interface::class_of(cx.m, base);
            let shared = matches!(class, Some(StorageClass::Workgroup | StorageClass::Private));
            cx.check_at(!shared, &MEMORY, inst, word, text)
        }
        Op::Store => {
            let base = cx.m.def(inst.id(1)).filter(|p| matches!(p.op(), Op::AccessChain | Op::InBoundsAccessChain));
            let base = base.map_or(inst.id(1), |p| p.id(3));
            let ok = !is_indices(cx, base) || !is_dependent(cx, inst, 2, depends);
            cx.check_at(ok, &VALUE, inst, 2, || {
                format!("the value {}, which is stored to {base}, depends on ViewIndex", inst.id(2))
            })
        }
        _ => Ok(()),
    }
}

/// Whether a variable holds indices of primitives.
fn is_indices(cx: &Cx<'_>, variable: Id) -> bool {
    cx.m.decoration(variable, Decoration::BuiltIn).is_some_and(|d| INDICES.contains(&BuiltIn(d.operand())))
}
