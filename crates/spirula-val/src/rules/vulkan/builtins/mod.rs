//! Built-in variables (Vulkan specification, "Built-In Variables").

mod entries;
pub(crate) mod table;
mod types;
mod used;
mod values;

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, ExecutionMode, ExecutionModel, Op, StorageClass};
use spirula_module::{ModelSet, Module, Type};

use crate::cx::{Cx, List};
use crate::signature::describe;

use entries::entry_points;
use types::{Ty, array_size, is, name, typed};
use used::used;
pub(crate) use values::RULES as VALUE_RULES;

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
    /// A fragment shader that writes `FragStencilRefEXT` must declare the execution mode `StencilRefReplacingEXT`.
    STENCIL_REF: "builtin-frag-stencil-ref-replacing", warn environment "Vulkan: FragStencilRefEXT";
    /// Where each vertex has a built-in, in the inputs of tessellation and geometry shaders and the outputs of tessellation
    /// control and mesh shaders, its variable is an array.
    VERTICES: "builtin-vertices-array", warn environment "Vulkan: Built-In Variables";
    /// `WorkgroupSize` decorates a constant, not a variable.
    WORKGROUP_SIZE: "builtin-workgroup-size-constant", vuid "VUID-WorkgroupSize-WorkgroupSize-04426";
    /// With `TileShadingRateQCOM`, a variable decorated with `WorkgroupSize` is an input.
    WORKGROUP_SIZE_TILE: "builtin-workgroup-size-tile", vuid "VUID-WorkgroupSize-TileShadingRateQCOM-10635";
    /// `PositionPerViewNV` is an array by view: only constants index it.
    POSITION_INDEX: "builtin-position-per-view-index", warn vuid "VUID-PositionPerViewNV-PositionPerViewNV-04326";
    /// `ViewportMaskPerViewNV` is an array by view: only constants index it.
    MASK_INDEX: "builtin-viewport-mask-per-view-index", warn vuid "VUID-ViewportMaskPerViewNV-ViewportMaskPerViewNV-04417";
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

/// What the specification demands of one built-in.
struct Row {
    builtin: BuiltIn,
    demands: &'static [Demand],
}

struct Demand {
    rule: &'static Rule,
    what: What,
}

enum What {
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
    view_indexes(cx, &objects);
    values::module(cx, &objects);
    let is_object = |id: Id| objects.binary_search_by_key(&id, |o| o.id).is_ok();
    let mut uses = cx.collect(cx.flow.uses.list.iter().filter(|u| is_object(u.id)).copied());
    uses.sort_unstable_by_key(|u| (u.at, u.id));
    for u in uses {
        let first = objects.partition_point(|o| o.id < u.id);
        for object in objects[first..].iter().take_while(|o| o.id == u.id) {
            used(cx, object, u).ok();
        }
    }
}

/// All built-ins that the module contains, by id.
fn collect<'a>(cx: &mut Cx<'a>) -> List<'a, Object> {
    let m = cx.m;
    let mut all = cx.list();
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
                member(cx, inst, (inst.id(1), inst.word(2)), BuiltIn(inst.word(4)));
            }
            Op::GroupMemberDecorate => {
                structs = true;
                group_members(cx, inst);
            }
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

fn own(cx: &mut Cx<'_>, all: &mut List<'_, Object>, inst: Inst<'_>, id: Id, builtin: BuiltIn) {
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

/// Members that a group makes built-ins.
fn group_members(cx: &mut Cx<'_>, inst: Inst<'_>) {
    let m = cx.m;
    for target in inst.tail(2).chunks_exact(2) {
        let (ty, index) = (Id(target[0]), target[1]);
        let through = m.decorations(ty).filter(|d| d.group == Some(inst) && d.member == Some(index));
        for d in through.filter(|d| d.decoration == Decoration::BuiltIn) {
            member(cx, inst, (ty, index), BuiltIn(d.operand()));
        }
    }
}

/// A decorated member: its type is judged where the structure is declared.
fn member(cx: &mut Cx<'_>, inst: Inst<'_>, (ty, index): (Id, u32), builtin: BuiltIn) {
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
fn blocks(m: Module<'_>, variable: Inst<'_>, all: &mut List<'_, Object>) {
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

/// How many arrays stand within one another.
fn array_levels(m: Module<'_>, mut ty: Id) -> usize {
    for levels in 0..16 {
        match m.ty(ty) {
            Some(Type::Array { element, .. } | Type::RuntimeArray { element }) => ty = element,
            _ => return levels,
        }
    }
    16
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
    if builtin == BuiltIn::WorkgroupSize
        && object.class.is_some_and(|c| c != StorageClass::Input)
        && m.execution_mode_insts().any(|i| ExecutionMode(i.word(2)) == ExecutionMode::TileShadingRateQCOM)
    {
        cx.fail(&WORKGROUP_SIZE_TILE, def, || format!("{id}, decorated with WorkgroupSize, is no Input"))?;
    }
    let of_mesh = is_for_mesh(m, object.row);
    let no_interface = if is_interface(object) { None } else { class_of_any_model(object) };
    let mut result = Ok(());
    for demand in object.row.demands {
        let judged = match &demand.what {
            What::Class([], classes) => class_is(cx, object, def, demand.rule, classes),
            What::Class(_, classes) if no_interface == Some(demand.rule) => {
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

/// Arrays by view are indexed by constants.
fn view_indexes(cx: &mut Cx<'_>, objects: &[Object]) {
    let by_view = |o: &&Object| matches!(o.builtin, BuiltIn::PositionPerViewNV | BuiltIn::ViewportMaskPerViewNV);
    let Some(last) = objects.iter().rev().find(by_view) else { return };
    let m = cx.m;
    for inst in m.functions().iter().flat_map(|f| m.insts(f.body_words())) {
        if !matches!(inst.op(), Op::AccessChain | Op::InBoundsAccessChain) || inst.id(3) > last.id {
            continue;
        }
        let Some(o) = objects.iter().filter(by_view).find(|o| o.id == inst.id(3)) else { continue };
        // Before the index of the view stand those of the vertex and of the block's member.
        let outer = m.pointer(m.type_id_of(o.id)).map_or(Id(0), |(_, ty)| ty);
        let arrays = array_levels(m, outer);
        let word = match o.member {
            None => 4 + arrays.saturating_sub(1),
            Some((_, member)) => {
                let at = 4 + arrays;
                if m.fixed_u32(inst.id(at)) != Some(member) {
                    continue;
                }
                at + 1
            }
        };
        if word >= inst.words().len() {
            continue;
        }
        let rule = if o.builtin == BuiltIn::PositionPerViewNV { &POSITION_INDEX } else { &MASK_INDEX };
        let (constant, builtin) = (m.info(inst.id(word)).is_constant(), o.builtin);
        let text = || format!("the index {} of {builtin} is no constant", inst.id(word));
        cx.check_at(constant, rule, inst, word, text).ok();
    }
}

/// The rule that a variable breaks which is neither input nor output, whatever the models: the one that allows both, or
/// else the first that names a storage class.
fn class_of_any_model(object: &Object) -> Option<&'static Rule> {
    let classes = || {
        object.row.demands.iter().filter_map(|d| match d.what {
            What::Class(_, classes) => Some((classes.len(), d.rule)),
            _ => None,
        })
    };
    let both = classes().find(|c| c.0 == 2);
    both.or_else(|| classes().next().filter(|_| object.member.is_none())).map(|c| c.1)
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

#[cfg(test)]
mod tests {
    use alloc::format;

    use super::table::TABLE;

    #[test]
    fn names_of_rules_set_the_vendor_apart() {
        for row in &TABLE {
            let name = row.builtin.name().expect("a built-in of the grammar");
            let vendors = ["AMDX", "AMD", "ARM", "EXT", "KHR", "NV", "QCOM"];
            let Some(vendor) = vendors.iter().find(|v| name.ends_with(**v)) else { continue };
            let part = format!("-{}-", vendor.to_lowercase());
            assert!(row.demands.iter().all(|d| d.rule.name.contains(&part)), "{name}");
        }
    }
}
