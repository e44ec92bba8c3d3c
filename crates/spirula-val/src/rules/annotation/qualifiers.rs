//! Memory qualifiers and aliasing: NonWritable, Restrict, Aliased and the like.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{Capability, Decoration, ExecutionMode, Op, StorageClass, Version};
use spirula_module::{Shape, Type};

use super::Applied;
use crate::cx::{Cx, msg};
use crate::facts::without_arrays;

rules! {
    group "decorations";
    /// NonWritable is for storage images, buffers and, from SPIR-V 1.4 on, private and function variables.
    NON_WRITABLE: "non-writable-target", spec "NonWritable";
    /// NonReadable is for storage images and buffers.
    NON_READABLE: "non-readable-target", spec "NonReadable";
    /// Index is for variables of the Output storage class.
    INDEX_CLASS: "index-class", spec "Index";
    /// Restrict and Aliased exclude each other, and so do RestrictPointer and AliasedPointer.
    RESTRICT_ALIASED: "restrict-aliased", spec "§2.18.2";
    /// Component is for variables of the Input and Output storage classes.
    COMPONENT_CLASS: "component-class", spec "Component";
    /// Where reads of colour attachments are not coherent, no tile image is decorated Coherent.
    TILE_COHERENT: "tile-image-coherent", extension "SPV_EXT_shader_tile_image";
    /// PerVertexKHR is for inputs.
    PER_VERTEX: "per-vertex-class", extension "SPV_KHR_fragment_shader_barycentric";
    /// What a geometry shader passes through is an input.
    PASSTHROUGH: "passthrough-class", extension "SPV_NV_geometry_shader_passthrough";
    /// What is relative to the viewport is an output.
    VIEWPORT: "viewport-relative-class", extension "SPV_NV_viewport_array2";
    /// Banks are those of push constants.
    BANK: "push-constant-bank-class", extension "SPV_NV_push_constant_bank";
    /// Flat and NoPerspective exclude each other, and so do Patch, Centroid and Sample.
    INTERPOLATION: "interpolation-both", warn spec "§2.16.2";
}

/// What excludes a decoration of how values are interpolated, each pair once.
pub(super) fn excluded(decoration: Decoration) -> &'static [Decoration] {
    match decoration {
        Decoration::Flat => &[Decoration::NoPerspective],
        Decoration::Patch => &[Decoration::Centroid, Decoration::Sample],
        Decoration::Centroid => &[Decoration::Sample],
        _ => &[],
    }
}

pub(super) fn qualifier<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    match a.decoration {
        Decoration::NonWritable | Decoration::NonReadable => unaccessed(cx, a),
        Decoration::Index => index(cx, a),
        Decoration::Aliased => excludes(cx, a, &RESTRICT_ALIASED, Decoration::Restrict),
        Decoration::AliasedPointer => excludes(cx, a, &RESTRICT_ALIASED, Decoration::RestrictPointer),
        Decoration::Flat | Decoration::Patch | Decoration::Centroid => {
            excluded(a.decoration).iter().try_for_each(|other| excludes(cx, a, &INTERPOLATION, *other))
        }
        Decoration::Component => component(cx, a),
        Decoration::PerVertexKHR => per_vertex(cx, a),
        Decoration::Coherent => coherent(cx, a),
        Decoration::PassthroughNV => in_class(cx, a, &PASSTHROUGH, StorageClass::Input),
        Decoration::ViewportRelativeNV | Decoration::SecondaryViewportRelativeNV => {
            in_class(cx, a, &VIEWPORT, StorageClass::Output)
        }
        Decoration::CacheControlLoadINTEL
        | Decoration::CacheControlStoreINTEL
        | Decoration::HostAccessINTEL
        | Decoration::InitModeALTERA
        | Decoration::ImplementInRegisterMapALTERA
        | Decoration::BufferLocationALTERA
        | Decoration::ConduitKernelArgumentALTERA
        | Decoration::InitiationIntervalALTERA
        | Decoration::FPMaxErrorDecorationINTEL => crate::rules::intel::decoration(cx, a),
        Decoration::BankNV | Decoration::MemberOffsetNV => in_class(cx, a, &BANK, StorageClass::PushConstant),
        _ => Ok(()),
    }
}

fn excludes<'a>(cx: &mut Cx<'a>, a: Applied<'a>, rule: &'static Rule, other: Decoration) -> Checked {
    let m = cx.m;
    let Some(def) = m.def(a.target) else { return Ok(()) };
    let both = m.is_decorated(a.target, other);
    cx.check(!both, rule, def, || {
        msg(format!("{} is decorated both {} and {other}", a.target, a.decoration))
            .note(spirula_diag::Site::at(a.inst.offset()), "decorated here")
    })
}

/// What a pointer type points to, through arrays and further pointers that are no physical ones.
fn held(cx: &Cx<'_>, target: Id) -> Option<Id> {
    let m = cx.m;
    let def = m.def(target)?;
    let data = match def.op() {
        Op::UntypedVariableKHR => def.id(4),
        _ => m.pointer(def.id(1))?.1,
    };
    Some(without_arrays(m, data).0)
}

/// What is not written, or not read.
fn unaccessed<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let variable = matches!(m.info(a.target).op, Op::Variable | Op::UntypedVariableKHR);
    let writes = a.decoration == Decoration::NonWritable;
    let Some(def) = m.def(a.target).filter(|d| d.op() != Op::RawAccessChainNV) else { return Ok(()) };
    let Some((class, _)) = m.pointer(def.id(1)) else { return Ok(()) };
    let Some(inner) = held(cx, a.target) else { return Ok(()) };
    let ok = match class {
        StorageClass::UniformConstant => match m.ty(inner) {
            Some(Type::Image(image)) => image.sampled == 2,
            Some(Type::Other(i)) => i.op() == Op::TypeTensorARM,
            _ => inner == Id(0),
        },
        StorageClass::Uniform if def.op() == Op::BufferPointerEXT => !writes,
        StorageClass::Uniform | StorageClass::StorageBuffer => {
            let block = m.is_decorated(inner, Decoration::Block) || m.is_decorated(inner, Decoration::BufferBlock);
            inner == Id(0) || m.key(inner).shape() == Shape::Struct && (block || !variable)
        }
        StorageClass::PhysicalStorageBuffer => true,
        StorageClass::Private | StorageClass::Function => writes && cx.version >= Version::v1(4),
        StorageClass::TileAttachmentQCOM => true,
        _ => false,
    };
    cx.check(ok, if writes { &NON_WRITABLE } else { &NON_READABLE }, def, || {
        msg(format!(
            "{} is decorated {}, but points to {} in {class}",
            a.target,
            a.decoration,
            crate::signature::describe(m, inner)
        ))
        .note(spirula_diag::Site::at(a.inst.offset()), "decorated here")
    })
}

fn component<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let Some(def) = m.def(a.target) else { return Ok(()) };
    let Some((class, _)) = m.pointer(def.id(1)) else { return Ok(()) };
    let ok = matches!(class, StorageClass::Input | StorageClass::Output);
    cx.check(ok, &COMPONENT_CLASS, def, || format!("{} is decorated Component, but is in {class}", a.target))
}

fn coherent<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    if m.class_of(a.target) != Some(StorageClass::TileImageEXT) {
        return Ok(());
    }
    let is = |i: &Inst<'_>| ExecutionMode(i.word(2)) == ExecutionMode::NonCoherentColorAttachmentReadEXT;
    let mode = m.execution_mode_insts().find(is);
    cx.check_at(mode.is_none(), &TILE_COHERENT, a.inst, a.word, || {
        let at = spirula_diag::Site::at(mode.map_or(0, |i| i.offset()));
        msg(format!("{} is a tile image decorated Coherent", a.target)).note(at, "reads are not coherent")
    })
}

fn in_class<'a>(cx: &mut Cx<'a>, a: Applied<'a>, rule: &'static Rule, wanted: StorageClass) -> Checked {
    let m = cx.m;
    let Some((class, _)) = m.pointer(m.type_id_of(a.target)) else { return Ok(()) };
    cx.check_at(class == wanted, rule, a.inst, a.word, || {
        msg(format!("{} is decorated {}, but is in {class}, not in {wanted}", a.target, a.decoration))
            .declared(m, a.target)
    })
}

fn per_vertex<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let Some((class, _)) = m.pointer(m.type_id_of(a.target)) else { return Ok(()) };
    // The older extension knows outputs, too.
    let older = || class == StorageClass::Output && m.has_extension("SPV_NV_fragment_shader_barycentric");
    cx.check_at(class == StorageClass::Input || older(), &PER_VERTEX, a.inst, a.word, || {
        msg(format!("{} is decorated PerVertexKHR, but is in {class}", a.target)).declared(m, a.target)
    })
}

/// Members of outputs are not decorated `PerVertexKHR`.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    if !cx.has(Capability::FragmentBarycentricKHR) || m.has_extension("SPV_NV_fragment_shader_barycentric") {
        return;
    }
    for variable in m.global_insts().filter(|i| i.op() == Op::Variable) {
        let Some((StorageClass::Output, ty)) = m.pointer(variable.id(1)) else { continue };
        let (inner, _) = without_arrays(m, ty);
        let member = m.decorations(inner).find(|d| d.decoration == Decoration::PerVertexKHR && d.member.is_some());
        let Some(member) = member else { continue };
        cx.fail(&PER_VERTEX, variable, || {
            msg(format!("{} has a member that is decorated PerVertexKHR, but is in Output", variable.id(2)))
                .note(spirula_diag::Site::at(member.inst.offset()), "decorated here")
        })
        .ok();
    }
}

fn index<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let Some(def) = m.def(a.target) else { return Ok(()) };
    let Some((class, _)) = m.pointer(def.id(1)) else { return Ok(()) };
    // Modules for no client API carry the decoration on inputs too.
    let ok = class == StorageClass::Output || !cx.env.is_vulkan();
    cx.check(ok, &INDEX_CLASS, def, || format!("{} is decorated Index, but is in {class}", a.target))
}
