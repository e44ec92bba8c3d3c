//! Built-in variables (Vulkan specification, "Built-In Variables").

pub(crate) mod table;

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Failed, Rule, Site, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::{EntryPoint, ModelSet, Module, Type, Use};

use crate::cx::{Cx, msg};
use crate::rules::mode_setting::Modes;
use crate::signature::describe;

rules! {
    group "builtins";
    /// A built-in must be one that the Vulkan specification describes.
    UNKNOWN: "builtin-not-in-vulkan", vuid "VUID-StandaloneSpirv-BuiltIn-04668";
    /// Writing `Layer` before the geometry stage needs the capability `ShaderLayer` or `ShaderViewportIndexLayerEXT`.
    LAYER: "builtin-layer-capability", vuid "VUID-Layer-Layer-04273";
    /// Writing `ViewportIndex` before the geometry stage needs the capability `ShaderViewportIndex` or
    /// `ShaderViewportIndexLayerEXT`.
    VIEWPORT: "builtin-viewport-index-capability", vuid "VUID-ViewportIndex-ViewportIndex-04405";
    /// A fragment shader can read `PrimitiveId` only if a stage before it can provide it: one of the capabilities
    /// `Geometry`, `Tessellation`, `MeshShadingEXT` or `MeshShadingNV` is declared.
    PRIMITIVE_ID: "builtin-primitive-id-capability", vuid "VUID-PrimitiveId-Fragment-04333";
    /// A fragment shader that writes `FragDepth` must declare the execution mode `DepthReplacing`.
    FRAG_DEPTH: "builtin-frag-depth-replacing", vuid "VUID-FragDepth-FragDepth-04216";
    /// `WorkgroupSize` decorates a constant, not a variable.
    WORKGROUP_SIZE: "builtin-workgroup-size-constant", vuid "VUID-WorkgroupSize-WorkgroupSize-04426";
    /// `TessLevelInner` and `TessLevelOuter` are per patch: what they decorate must be decorated with `Patch` too.
    TESS_LEVEL: "builtin-tess-level-patch", vuid "VUID-StandaloneSpirv-TessLevelInner-10880";
    /// `CullPrimitiveEXT` occurs once in the interface of an entry point.
    CULL_ONCE: "builtin-cull-primitive-once", vuid "VUID-CullPrimitiveEXT-CullPrimitiveEXT-10591";
    /// The array decorated with `ViewportMaskPerViewNV` has at most 32 elements.
    VIEW_MASKS: "builtin-viewport-mask-per-view-size", vuid "VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04415";
    /// With `OutputPoints`, `PrimitiveIndicesNV` has as many elements as `OutputPrimitivesEXT` says.
    INDICES_POINTS: "builtin-primitive-indices-nv-points", vuid "VUID-PrimitiveIndicesNV-OutputPoints-04342";
    /// With `OutputLinesEXT`, `PrimitiveIndicesNV` has twice as many elements as `OutputPrimitivesEXT` says.
    INDICES_LINES: "builtin-primitive-indices-nv-lines", vuid "VUID-PrimitiveIndicesNV-OutputLinesNV-04343";
    /// With `OutputTrianglesEXT`, `PrimitiveIndicesNV` has three times as many elements as `OutputPrimitivesEXT` says.
    INDICES_TRIANGLES: "builtin-primitive-indices-nv-triangles", vuid "VUID-PrimitiveIndicesNV-OutputTrianglesNV-04344";
    /// Without the Vulkan memory model, a variable whose value may change between its reads within one ray-tracing
    /// shader must be decorated with `Volatile`.
    VOLATILE: "builtin-volatile-decoration", warn vuid "VUID-StandaloneSpirv-VulkanMemoryModel-04678";
    /// With the Vulkan memory model, loads of a variable whose value may change between its reads within one
    /// ray-tracing shader must use the memory operand `Volatile`.
    VOLATILE_LOAD: "builtin-volatile-load", warn vuid "VUID-StandaloneSpirv-VulkanMemoryModel-04679";
}

/// A type that a built-in demands.
pub(super) enum Ty {
    Bool,
    /// Integer scalar of any width.
    Int,
    Int32,
    Float32,
    Vector(u32, &'static Ty),
    Matrix4x3,
    Array(&'static Ty, Option<u64>),
}

/// What the specification demands of one built-in.
pub(super) struct Row {
    builtin: BuiltIn,
    demands: &'static [Demand],
}

pub(super) struct Demand {
    rule: &'static Rule,
    what: What,
}

pub(super) enum What {
    /// Only these models use it.
    Models(&'static [ExecutionModel]),
    /// Where one of the models (any, if none is listed) uses it, it has one of these storage classes.
    Class(&'static [ExecutionModel], &'static [StorageClass]),
    /// Its type.
    Type(&'static Ty),
    /// Its type in modules with mesh shaders: this as a block's member, or an array of it.
    MeshType(&'static Ty),
    /// Where one of the models (any, if none is listed) uses it, it has this decoration too.
    With(&'static [ExecutionModel], Decoration),
    /// Mesh shaders with it in their interface have this mode.
    Mode(ExecutionMode),
    /// In mesh shaders its array, or that of its block, is as large as `OutputPrimitivesEXT`.
    Size { block: bool },
}

/// A built-in in the module.
struct Object {
    /// The variable or constant, decorated itself or through its type.
    id: Id,
    /// `None` for constants.
    class: Option<StorageClass>,
    builtin: BuiltIn,
    row: &'static Row,
    /// The member that is decorated, with its structure type.
    member: Option<(Id, u32)>,
}

/// Stages whose variables have one more array level, for vertices or primitives.
const ARRAYED_STAGES: &[ExecutionModel] = &[
    ExecutionModel::TessellationControl,
    ExecutionModel::TessellationEvaluation,
    ExecutionModel::Geometry,
    ExecutionModel::MeshEXT,
    ExecutionModel::MeshNV,
];

/// Built-ins that exist for each vertex or primitive.
const ARRAYED: &[BuiltIn] = &[
    BuiltIn::Position,
    BuiltIn::PointSize,
    BuiltIn::ClipDistance,
    BuiltIn::CullDistance,
    BuiltIn::PositionPerViewNV,
    BuiltIn::ClipDistancePerViewNV,
    BuiltIn::CullDistancePerViewNV,
    BuiltIn::LayerPerViewNV,
    BuiltIn::ViewportMaskNV,
    BuiltIn::ViewportMaskPerViewNV,
    BuiltIn::CullPrimitiveEXT,
];

/// Built-ins that exist for each primitive of a mesh shader, and once in other stages.
const PER_PRIMITIVE: &[BuiltIn] =
    &[BuiltIn::PrimitiveId, BuiltIn::Layer, BuiltIn::ViewportIndex, BuiltIn::PrimitiveShadingRateKHR];

/// Built-ins that only variables can be.
const NO_MEMBERS: &[BuiltIn] = &[
    BuiltIn::NumSubgroups,
    BuiltIn::SubgroupId,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Built-ins whose value may change while a ray-tracing shader runs.
const CHANGING: &[BuiltIn] = &[
    BuiltIn::SMIDNV,
    BuiltIn::WarpIDNV,
    BuiltIn::SubgroupSize,
    BuiltIn::SubgroupLocalInvocationId,
    BuiltIn::SubgroupEqMask,
    BuiltIn::SubgroupGeMask,
    BuiltIn::SubgroupGtMask,
    BuiltIn::SubgroupLeMask,
    BuiltIn::SubgroupLtMask,
];

/// Judges all built-ins of a module.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.env.is_vulkan() {
        return;
    }
    let objects = collect(cx);
    if objects.is_empty() {
        return;
    }
    for object in &objects {
        definition(cx, object).ok();
    }
    entry_points(cx, &objects);
    for u in cx.m.uses_of(objects.iter().map(|o| o.id)) {
        let first = objects.partition_point(|o| o.id < u.id);
        for object in objects[first..].iter().take_while(|o| o.id == u.id) {
            used(cx, object, u).ok();
        }
    }
}

/// All built-ins that the module contains, by id.
fn collect(cx: &mut Cx<'_>) -> Vec<Object> {
    let m = cx.m;
    let mut all = Vec::new();
    let mut structs = false;
    for inst in m.annotations() {
        match inst.op() {
            Op::Decorate if inst.word(2) == Decoration::BuiltIn.0 => {
                own(cx, &mut all, inst, inst.id(1), BuiltIn(inst.word(3)));
            }
            Op::GroupDecorate => {
                for target in inst.tail(2) {
                    let through = m.own_decorations(Id(*target)).filter(|d| d.group == Some(inst));
                    for d in through.filter(|d| d.decoration == Decoration::BuiltIn) {
                        own(cx, &mut all, inst, Id(*target), BuiltIn(d.operand()));
                    }
                }
            }
            Op::MemberDecorate if inst.word(3) == Decoration::BuiltIn.0 => {
                structs = true;
                member(cx, inst);
            }
            Op::GroupMemberDecorate => structs = true,
            _ => {}
        }
    }
    if structs {
        for variable in m.global_variables() {
            blocks(m, variable, &mut all);
        }
    }
    all.sort_by_key(|o| o.id);
    all
}

fn own(cx: &mut Cx<'_>, all: &mut Vec<Object>, inst: Inst<'_>, id: Id, builtin: BuiltIn) {
    let info = cx.m.info(id);
    let class = match info.op {
        Op::Variable => cx.m.def(id).map(|v| StorageClass(v.word(3))),
        _ if info.is_constant() => None,
        _ => return,
    };
    match row_of(builtin) {
        Some(row) => all.push(Object { id, class, builtin, row, member: None }),
        None => unknown(cx, inst, builtin),
    }
}

fn unknown(cx: &mut Cx<'_>, inst: Inst<'_>, builtin: BuiltIn) {
    // What extensions to Vulkan's own list bring.
    if matches!(
        builtin,
        BuiltIn::SamplerHeapEXT
            | BuiltIn::ResourceHeapEXT
            | BuiltIn::SecondaryPositionNV
            | BuiltIn::SecondaryViewportMaskNV
            | BuiltIn::RemainingRecursionLevelsAMDX
            | BuiltIn::HitMicroTriangleVertexPositionsNV
            | BuiltIn::HitMicroTriangleVertexBarycentricsNV
            | BuiltIn::HitKindFrontFacingMicroTriangleNV
            | BuiltIn::HitKindBackFacingMicroTriangleNV
    ) {
        return;
    }
    cx.fail(&UNKNOWN, inst, || format!("the built-in {builtin} is none of Vulkan's")).ok();
}

/// A decorated member: its type is judged where the structure is declared.
fn member(cx: &mut Cx<'_>, inst: Inst<'_>) {
    let (ty, index, builtin) = (inst.id(1), inst.word(2), BuiltIn(inst.word(4)));
    let Some(row) = row_of(builtin) else { return unknown(cx, inst, builtin) };
    let Some(Type::Struct { members }) = cx.m.ty(ty) else { return };
    let (Some(member), Ok(at)) = (members.get(index as usize), cx.def(ty)) else { return };
    // A mask for each view, and each mask is an array.
    let per_view = builtin == BuiltIn::ViewportMaskPerViewNV;
    for demand in row.demands {
        let (What::Type(want) | What::MeshType(want)) = demand.what else { continue };
        if NO_MEMBERS.contains(&builtin) {
            let text = || format!("member {index} of {ty} is decorated with {builtin}, but only a variable can be");
            cx.fail(demand.rule, inst, text).ok();
            continue;
        }
        let block = cx.m.is_decorated(ty, Decoration::Block);
        if builtin == BuiltIn::CullPrimitiveEXT && !block && matches!(demand.what, What::MeshType(_)) {
            let text = || format!("member {index} of {ty} is decorated with {builtin}, but {ty} is no Block");
            cx.fail(demand.rule, at, text).ok();
        }
        if is_for_mesh(cx.m, row) == matches!(demand.what, What::MeshType(_)) {
            typed(cx, demand.rule, at, index as usize + 2, Id(*member), want, per_view, || {
                format!("member {index} of {ty}, the built-in {builtin},")
            })
            .ok();
        }
    }
}

/// Built-ins in the block that a variable's type is.
fn blocks(m: Module<'_>, variable: Inst<'_>, all: &mut Vec<Object>) {
    let Some((class, pointee)) = m.pointer(variable.id(1)) else { return };
    let block = without_arrays(m, pointee);
    if m.info(block).op != Op::TypeStruct {
        return;
    }
    for d in m.decorations(block) {
        if let (Decoration::BuiltIn, Some(index)) = (d.decoration, d.member) {
            let builtin = BuiltIn(d.operand());
            let Some(row) = row_of(builtin) else { continue };
            let id = variable.id(2);
            all.push(Object { id, class: Some(class), builtin, row, member: Some((block, index)) });
        }
    }
}

fn row_of(builtin: BuiltIn) -> Option<&'static Row> {
    table::TABLE.iter().find(|r| r.builtin == builtin)
}

/// The element type of arrays of arrays. Bounded, since types may be cyclic.
pub(crate) fn without_arrays(m: Module<'_>, mut ty: Id) -> Id {
    for _ in 0..16 {
        match m.ty(ty) {
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => ty = element,
            _ => break,
        }
    }
    ty
}

/// Whether a built-in with types of its own for mesh shaders is to be judged by those.
fn is_for_mesh(m: Module<'_>, row: &Row) -> bool {
    row.demands.iter().any(|d| matches!(d.what, What::MeshType(_)))
        && (m.has_model(ExecutionModel::MeshEXT) || !row.demands.iter().any(|d| matches!(d.what, What::Type(_))))
}

/// What does not depend on who uses it.
fn definition<'a>(cx: &mut Cx<'a>, object: &Object) -> Checked {
    let m = cx.m;
    let def = cx.def(object.id)?;
    let (id, builtin) = (object.id, object.builtin);
    if builtin == BuiltIn::WorkgroupSize && object.class.is_some() && !m.has(Capability::TileShadingQCOM) {
        cx.fail(&WORKGROUP_SIZE, def, || format!("{id}, decorated with WorkgroupSize, is a variable, not a constant"))?;
    }
    let of_mesh = is_for_mesh(m, object.row);
    let mut result = Ok(());
    for demand in object.row.demands {
        let judged = match &demand.what {
            What::Class([], classes) => class_is(cx, object, def, demand.rule, classes),
            // Whatever the models, these are the only classes.
            What::Class(_, classes) if classes.len() == 2 && !is_interface(object) => {
                class_is(cx, object, def, demand.rule, classes)
            }
            What::Type(want) if object.member.is_none() && !of_mesh => own_type(cx, object, def, demand.rule, want),
            What::MeshType(want) if object.member.is_none() && of_mesh => mesh_type(cx, object, def, demand.rule, want),
            What::With([], decoration) => with(cx, object, def, demand.rule, *decoration),
            _ => Ok(()),
        };
        result = result.and(judged);
    }
    let tess_level = matches!(builtin, BuiltIn::TessLevelInner | BuiltIn::TessLevelOuter);
    if tess_level && !has(m, object, Decoration::Patch) {
        return cx.fail(&TESS_LEVEL, def, || format!("{id} is decorated with {builtin}, but not with Patch"));
    }
    if builtin == BuiltIn::ViewportMaskPerViewNV
        && let Some(size) = array_size(m, type_of(m, object))
        && size > 32
    {
        return cx.fail(&VIEW_MASKS, def, || format!("the array decorated with {builtin} has {size} elements"));
    }
    result
}

fn is_interface(object: &Object) -> bool {
    matches!(object.class, None | Some(StorageClass::Input | StorageClass::Output))
}

/// Type of the decorated variable, constant or member.
fn type_of(m: Module<'_>, object: &Object) -> Id {
    let ty = m.type_id_of(object.id);
    if let Some((block, index)) = object.member {
        return match m.ty(block) {
            Some(Type::Struct { members }) => members.get(index as usize).map_or(Id(0), |t| Id(*t)),
            _ => Id(0),
        };
    }
    m.pointer(ty).map_or(ty, |(_, pointee)| pointee)
}

/// Storage classes are named by the pointer type of a block, and by the variable itself otherwise.
fn class_is(cx: &mut Cx<'_>, o: &Object, def: Inst<'_>, rule: &'static Rule, classes: &[StorageClass]) -> Checked {
    let Some(class) = o.class.filter(|c| !classes.contains(c)) else { return Ok(()) };
    let at = if o.member.is_some() { cx.def(def.id(1))? } else { def };
    let (id, builtin) = (o.id, o.builtin);
    cx.fail(rule, at, || {
        format!("the variable {id} with the built-in {builtin} has the storage class {class}, not {}", list(classes))
    })
}

fn list(classes: &[StorageClass]) -> String {
    match classes {
        [one] => format!("{one}"),
        [one, two] => format!("{one} or {two}"),
        _ => String::new(),
    }
}

fn own_type(cx: &mut Cx<'_>, o: &Object, def: Inst<'_>, rule: &'static Rule, want: &'static Ty) -> Checked {
    let m = cx.m;
    let models = m.models();
    let arrayed = if ARRAYED.contains(&o.builtin) {
        models.is_empty() || !models.and(ModelSet::of(ARRAYED_STAGES)).is_empty()
    } else {
        PER_PRIMITIVE.contains(&o.builtin) && models.contains(ExecutionModel::MeshNV)
    };
    let (id, builtin) = (o.id, o.builtin);
    typed(cx, rule, def, 1, type_of(m, o), want, arrayed, || format!("{id}, decorated with the built-in {builtin},"))
}

/// A variable of a mesh shader: an array, unless another stage of the module uses it.
fn mesh_type(cx: &mut Cx<'_>, o: &Object, def: Inst<'_>, rule: &'static Rule, want: &'static Ty) -> Checked {
    let (id, builtin, ty) = (o.id, o.builtin, type_of(cx.m, o));
    if o.class == Some(StorageClass::Input) || cx.m.models() != ModelSet::of(&[ExecutionModel::MeshEXT]) {
        return typed(cx, rule, def, 1, ty, want, true, || format!("{id}, decorated with the built-in {builtin},"));
    }
    let element = match cx.m.ty(ty) {
        Some(Type::Array { element, .. }) => element,
        _ => Id(0),
    };
    if is(cx.m, element, want) {
        return Ok(());
    }
    let m = cx.m;
    cx.fail_at(rule, def, 1, || {
        let ty = describe(m, ty);
        format!("{id}, decorated with the built-in {builtin}, has type {ty}, not an array of {}", name(want))
    })
}

#[allow(clippy::too_many_arguments)]
fn typed(
    cx: &mut Cx<'_>,
    rule: &'static Rule,
    at: Inst<'_>,
    word: usize,
    ty: Id,
    want: &'static Ty,
    arrayed: bool,
    what: impl Fn() -> String,
) -> Checked {
    let m = cx.m;
    if is(m, ty, want) {
        return Ok(());
    }
    if arrayed
        && let Some(Type::Array { element, .. } | Type::RuntimeArray { element }) = m.ty(ty)
        && is(m, element, want)
    {
        return Ok(());
    }
    if !m.info(ty).is_type() {
        return Err(Failed);
    }
    cx.fail_at(rule, at, word, || format!("{} has type {}, not {}", what(), describe(m, ty), name(want)))
}

/// Whether a type is the one that is wanted.
fn is(m: Module<'_>, ty: Id, want: &Ty) -> bool {
    let key = m.key(ty);
    match want {
        Ty::Bool => key.is_bool(),
        Ty::Int => key.is_int(),
        Ty::Int32 => key.is_int() && key.width() == 32,
        Ty::Float32 => key.is_scalar(spirula_module::Scalar::Float) && key.width() == 32,
        Ty::Vector(count, component) => match m.ty(ty) {
            Some(Type::Vector { component: c, count: n }) => n == *count && is(m, c, component),
            _ => false,
        },
        Ty::Matrix4x3 => {
            key.shape() == spirula_module::Shape::Matrix
                && key.count() == 4
                && key.rows() == 3
                && key.component_class() == spirula_module::Scalar::Float
                && key.width() == 32
        }
        Ty::Array(element, size) => match m.ty(ty) {
            Some(Type::Array { element: e, length }) => {
                let fits = size.is_none_or(|s| m.int_constant(length).is_none_or(|c| c.spec || c.bits == s));
                fits && is(m, e, element)
            }
            _ => false,
        },
    }
}

fn name(want: &Ty) -> String {
    match want {
        Ty::Bool => "a Boolean".into(),
        Ty::Int => "an integer".into(),
        Ty::Int32 => "a 32-bit integer".into(),
        Ty::Float32 => "a 32-bit float".into(),
        Ty::Vector(count, Ty::Float32) => format!("a vector of {count} 32-bit floats"),
        Ty::Vector(count, _) => format!("a vector of {count} 32-bit integers"),
        Ty::Matrix4x3 => "a matrix of 4 columns of 3 32-bit floats".into(),
        Ty::Array(element, None) => format!("an array, each element {}", name(element)),
        Ty::Array(element, Some(size)) => format!("an array of {size} elements, each {}", name(element)),
    }
}

/// Number of elements of an array type whose size no specialisation changes.
fn array_size(m: Module<'_>, ty: Id) -> Option<u64> {
    match m.ty(ty) {
        Some(Type::Array { length, .. }) => m.int_constant(length).filter(|c| !c.spec)?.as_unsigned(),
        _ => None,
    }
}

/// Whether the variable, or the member, is decorated; what decorates the variable or the block holds for members too.
fn has(m: Module<'_>, o: &Object, decoration: Decoration) -> bool {
    m.is_decorated(o.id, decoration)
        || o.member.is_some_and(|(block, index)| {
            m.member_decoration(block, index, decoration).is_some() || m.is_decorated(block, decoration)
        })
}

fn with(cx: &mut Cx<'_>, o: &Object, at: Inst<'_>, rule: &'static Rule, decoration: Decoration) -> Checked {
    let (id, builtin) = (o.id, o.builtin);
    cx.check(has(cx.m, o, decoration), rule, at, || {
        format!("{id} has the built-in {builtin}, but is not decorated with {decoration}")
    })
}

/// What depends on the models that reach a function which uses it.
fn used(cx: &mut Cx<'_>, o: &Object, u: Use) -> Checked {
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
                with(cx, o, inst, demand.rule, *decoration)?;
            }
            _ => {}
        }
    }
    capabilities(cx, o, inst, models)?;
    volatile(cx, o, inst, models)
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
fn volatile(cx: &mut Cx<'_>, o: &Object, inst: Inst<'_>, models: ModelSet) -> Checked {
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
    let is_volatile = inst.op() != Op::Load || inst.word(4) & 1 != 0;
    cx.check(is_volatile, &VOLATILE_LOAD, inst, || {
        format!("{id}, the built-in {builtin}, is loaded within the execution model {of} without the memory operand Volatile")
    })
}

/// What depends on the execution modes of an entry point with the built-in in its interface.
fn entry_points(cx: &mut Cx<'_>, objects: &[Object]) {
    let modes = Modes::of_module(cx.m);
    for entry in cx.m.entry_points() {
        let mesh = matches!(entry.model, ExecutionModel::MeshEXT | ExecutionModel::MeshNV);
        if !mesh && entry.model != ExecutionModel::Fragment {
            continue;
        }
        let mut culls = 0;
        for word in entry.interface {
            let first = objects.partition_point(|o| o.id < Id(*word));
            for o in objects[first..].iter().take_while(|o| o.id == Id(*word)) {
                if !mesh {
                    frag_depth(cx, &modes, o, &entry).ok();
                } else {
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

fn frag_depth(cx: &mut Cx<'_>, modes: &Modes<'_>, o: &Object, entry: &EntryPoint<'_>) -> Checked {
    if o.builtin != BuiltIn::FragDepth || mode(modes, entry, ExecutionMode::DepthReplacing).is_some() {
        return Ok(());
    }
    let m = cx.m;
    let writes = m.uses_of(core::iter::once(o.id)).into_iter().any(|u| {
        let fragment = m.models_reaching(u.function as usize).contains(ExecutionModel::Fragment);
        fragment && m.inst_at(u.at).is_some_and(|i| i.op() != Op::Load)
    });
    let function = cx.def(entry.function)?;
    cx.check(!writes, &FRAG_DEPTH, function, || "FragDepth is written, but DepthReplacing is not declared")
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
