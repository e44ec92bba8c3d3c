//! Constant values that are stored to built-ins: indices of vertices, and shading rates.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{BuiltIn, Decoration, ExecutionMode, ExecutionModel as Model, Op};
use spirula_module::ModelSet;

use super::{Object, array_levels};
use crate::cx::Cx;

rules! {
    group "builtins";
    /// The indices of a primitive's vertices are below the number of vertices that the mesh shader puts out.
    VERTEX: "mesh-vertex-index", warn vuid "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-12337";
    /// What there is once per primitive is indexed below the number of primitives that the mesh shader puts out.
    PRIMITIVE: "mesh-primitive-index", warn vuid "VUID-PrimitiveTriangleIndicesEXT-PrimitiveTriangleIndicesEXT-07057";
    /// A shading rate spans two pixels vertically, or four.
    VERTICAL: "shading-rate-vertical", warn vuid "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04487";
    /// A shading rate spans two pixels horizontally, or four.
    HORIZONTAL: "shading-rate-horizontal", warn vuid "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04488";
    /// A shading rate has only the bits that SPIR-V names.
    BITS: "shading-rate-bits", warn vuid "VUID-PrimitiveShadingRateKHR-PrimitiveShadingRateKHR-04489";
}

/// How many vertices and primitives the mesh shaders of a module put out at most, where that is known.
#[derive(Clone, Copy, Default)]
struct Most {
    vertices: Option<u32>,
    primitives: Option<u32>,
}

fn is_indices(builtin: BuiltIn) -> bool {
    matches!(
        builtin,
        BuiltIn::PrimitivePointIndicesEXT
            | BuiltIn::PrimitiveLineIndicesEXT
            | BuiltIn::PrimitiveTriangleIndicesEXT
            | BuiltIn::PrimitiveIndicesNV
    )
}

/// Judges the functions of modules with such built-ins.
pub(super) fn module(cx: &mut Cx<'_>, objects: &[Object]) {
    let wanted = |o: &&Object| is_indices(o.builtin) || o.builtin == BuiltIn::PrimitiveShadingRateKHR;
    let mut found = objects.iter().filter(wanted).map(|o| o.id);
    let Some(first) = found.next() else { return };
    let last = found.next_back().unwrap_or(first);
    let m = cx.m;
    let (mut constant, mut counts) = (cx.list(), Counts::default());
    for inst in m.functions().iter().flat_map(|f| m.insts(f.body_words())) {
        match inst.op() {
            Op::Store if m.info(inst.id(2)).is_constant() => constant.push(inst),
            Op::AccessChain | Op::InBoundsAccessChain
                if (first..=last).contains(&inst.id(3)) && m.info(inst.id(4)).is_constant() =>
            {
                constant.push(inst);
            }
            Op::SetMeshOutputsEXT => counts.add(cx, inst),
            _ => {}
        }
    }
    if constant.is_empty() {
        return;
    }
    let most = counts.most(cx);
    for inst in constant {
        if inst.op() == Op::Store {
            stored(cx, objects, inst, most).ok();
        } else {
            element(cx, objects, inst, most).ok();
        }
    }
}

/// The largest numbers that mesh shaders set, where all are constants.
#[derive(Default)]
struct Counts {
    any: bool,
    unknown: [bool; 2],
    largest: [u32; 2],
}

impl Counts {
    fn add(&mut self, cx: &Cx<'_>, inst: Inst<'_>) {
        self.any = true;
        for i in 0..2 {
            match cx.m.fixed_u32(inst.id(i + 1)) {
                Some(n) => self.largest[i] = self.largest[i].max(n),
                None => self.unknown[i] = true,
            }
        }
    }

    /// What the execution modes allow, or, where it is known, what is set.
    fn most(&self, cx: &Cx<'_>) -> Most {
        let m = cx.m;
        let mesh = ModelSet::of(&[Model::MeshEXT, Model::MeshNV]);
        let mut most = Most::default();
        for entry in m.entry_points().filter(|e| mesh.contains(e.model)) {
            for (mode, inst) in m.execution_modes(entry.function) {
                match mode {
                    ExecutionMode::OutputVertices => most.vertices = most.vertices.max(Some(inst.word(3))),
                    ExecutionMode::OutputPrimitivesEXT => most.primitives = most.primitives.max(Some(inst.word(3))),
                    _ => {}
                }
            }
        }
        let set = |i: usize| Some(self.largest[i]).filter(|_| self.any && !self.unknown[i]);
        most.vertices = set(0).or(most.vertices);
        most.primitives = set(1).or(most.primitives);
        most
    }
}

/// The built-in that a pointer leads to, itself or to an element of it.
fn target<'o>(cx: &Cx<'_>, objects: &'o [Object], pointer: Id) -> Option<&'o Object> {
    let m = cx.m;
    let chain = m.def(pointer).filter(|i| matches!(i.op(), Op::AccessChain | Op::InBoundsAccessChain));
    let base = chain.map_or(pointer, |c| c.id(3));
    let first = objects.partition_point(|o| o.id < base);
    objects[first..].iter().take_while(|o| o.id == base).find(|o| match (o.member, chain) {
        (None, _) => true,
        (Some((_, member)), Some(chain)) => {
            let outer = m.pointer(m.type_id_of(base)).map_or(Id(0), |(_, ty)| ty);
            let at = 4 + array_levels(m, outer);
            at < chain.words().len() && m.fixed_u32(chain.id(at)) == Some(member)
        }
        _ => false,
    })
}

fn stored<'a>(cx: &mut Cx<'a>, objects: &[Object], inst: Inst<'a>, most: Most) -> Checked {
    let Some(o) = target(cx, objects, inst.id(1)) else { return Ok(()) };
    let indices = is_indices(o.builtin);
    if !indices && o.builtin != BuiltIn::PrimitiveShadingRateKHR {
        return Ok(());
    }
    let (m, value) = (cx.m, inst.id(2));
    let parts: &[u32] = match m.def(value) {
        Some(c) if c.op() == Op::ConstantComposite => c.tail(3),
        _ => &[value.0],
    };
    for part in parts.iter().filter_map(|p| m.fixed_u32(Id(*p))) {
        if indices {
            index(cx, o, inst, part, most)?;
        } else {
            rate(cx, inst, part)?;
        }
    }
    Ok(())
}

fn index<'a>(cx: &mut Cx<'a>, o: &Object, inst: Inst<'a>, value: u32, most: Most) -> Checked {
    let Some(vertices) = most.vertices else { return Ok(()) };
    let builtin = o.builtin;
    cx.check_at(value < vertices, &VERTEX, inst, 2, || {
        format!("the index {value} of a vertex is stored to {builtin}, but there are {vertices} vertices at most")
    })
}

fn rate<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, value: u32) -> Checked {
    // Vertical2Pixels and Vertical4Pixels, Horizontal2Pixels and Horizontal4Pixels.
    let breach: Option<(&'static Rule, &str)> = match value {
        _ if value & !0xf != 0 => Some((&BITS, "bits without meaning")),
        _ if value & 3 == 3 => Some((&VERTICAL, "both Vertical2Pixels and Vertical4Pixels")),
        _ if value & 12 == 12 => Some((&HORIZONTAL, "both Horizontal2Pixels and Horizontal4Pixels")),
        _ => None,
    };
    match breach {
        Some((rule, what)) => cx.fail_at(rule, inst, 2, || format!("the shading rate {value:#x} has {what}")),
        None => Ok(()),
    }
}

/// A constant index into what there is once per primitive.
fn element<'a>(cx: &mut Cx<'a>, objects: &[Object], inst: Inst<'a>, most: Most) -> Checked {
    let Some(primitives) = most.primitives else { return Ok(()) };
    let (m, base) = (cx.m, inst.id(3));
    let first = objects.partition_point(|o| o.id < base);
    let Some(o) = objects.get(first).filter(|o| o.id == base) else { return Ok(()) };
    // Those of Nvidia's have several elements for each primitive.
    let per_primitive = is_indices(o.builtin) && o.builtin != BuiltIn::PrimitiveIndicesNV
        || m.is_decorated(base, Decoration::PerPrimitiveEXT);
    let at = if inst.words().len() > 4 { m.fixed_u32(inst.id(4)) } else { None };
    let Some(value) =
        at.filter(|_| per_primitive && array_levels(m, m.pointer(m.type_id_of(base)).map_or(Id(0), |p| p.1)) > 0)
    else {
        return Ok(());
    };
    cx.check_at(value < primitives, &PRIMITIVE, inst, 4, || {
        format!("{base} is indexed with {value}, but there are {primitives} primitives at most")
    })
}
