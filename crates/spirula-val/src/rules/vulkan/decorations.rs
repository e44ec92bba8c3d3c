//! What Vulkan says of decorations.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, Dim, ExecutionModel, Op, StorageClass, Version};
use spirula_module::{Module, Scalar, Shape, Type};

use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};
use crate::rules::annotation::Applied;

rules! {
    group "vulkan-decorations";
    /// `InputAttachmentIndex` decorates variables of the storage class `UniformConstant`.
    ATTACHMENT: "input-attachment-class", vuid "VUID-StandaloneSpirv-InputAttachmentIndex-06678";
    /// What is decorated with `InputAttachmentIndex` is an image of the dimension `SubpassData`, or an array of such.
    ATTACHMENT_TYPE: "input-attachment-type", environment "Vulkan: Fragment Input Attachment Interface";
    /// An array of input attachments says which is its first.
    ATTACHMENT_INDEX: "input-attachment-index", warn vuid "VUID-RuntimeSpirv-OpTypeImage-09644";
    /// An entry point reads one aspect of an input attachment through one variable.
    ATTACHMENT_TWICE: "input-attachment-twice", warn vuid "VUID-RuntimeSpirv-OpEntryPoint-08727";
    /// GLSL's own layouts do not exist in Vulkan.
    GLSL: "vulkan-glsl-layout", vuid "VUID-StandaloneSpirv-GLSLShared-04669";
    /// Flat, NoPerspective, Sample and Centroid are for inputs and outputs.
    INTERPOLATION: "vulkan-interpolation-class", vuid "VUID-StandaloneSpirv-Flat-04670";
    /// Outputs of fragment shaders are not interpolated.
    FRAGMENT_OUTPUT: "vulkan-interpolation-fragment-output", vuid "VUID-StandaloneSpirv-Flat-06201";
    /// Inputs of vertex shaders are not interpolated.
    VERTEX_INPUT: "vulkan-interpolation-vertex-input", vuid "VUID-StandaloneSpirv-Flat-06202";
    /// PerVertexKHR is for inputs of fragment shaders.
    PER_VERTEX: "vulkan-per-vertex", vuid "VUID-StandaloneSpirv-PerVertexKHR-06777";
    /// Inputs decorated PerVertexKHR are arrays: one element for each vertex.
    PER_VERTEX_ARRAY: "vulkan-per-vertex-array", vuid "VUID-StandaloneSpirv-Input-06778";
    /// Location and Component are for interfaces between shader stages.
    LOCATION_CLASS: "vulkan-location-class", vuid "VUID-StandaloneSpirv-Location-06672";
    /// Built-ins have no Location and no Component.
    LOCATION_BUILT_IN: "vulkan-location-built-in", vuid "VUID-StandaloneSpirv-Location-04915";
    /// DescriptorSet and Binding are for resources.
    DESCRIPTOR_CLASS: "vulkan-descriptor-class", vuid "VUID-StandaloneSpirv-DescriptorSet-06491";
    /// Resources have a DescriptorSet and a Binding, or are a descriptor heap.
    RESOURCE: "vulkan-descriptor-missing", vuid "VUID-StandaloneSpirv-UniformConstant-06677";
    /// A location has the components 0 to 3.
    COMPONENT: "vulkan-component", vuid "VUID-StandaloneSpirv-Component-04920";
    /// A vector ends within its location.
    COMPONENT_FIT: "vulkan-component-fit", vuid "VUID-StandaloneSpirv-Component-04921";
    /// A vector of 64-bit numbers ends within its location.
    COMPONENT_FIT_64: "vulkan-component-fit-64", vuid "VUID-StandaloneSpirv-Component-04922";
    /// 64-bit numbers start at component 0 or 2.
    COMPONENT_EVEN: "vulkan-component-even", vuid "VUID-StandaloneSpirv-Component-04923";
    /// Vectors of three and four 64-bit numbers take more than a location, and so have no Component.
    COMPONENT_WIDE: "vulkan-component-wide", vuid "VUID-StandaloneSpirv-Component-07703";
    /// Only scalars and vectors, and arrays of them, have a Component.
    COMPONENT_TYPE: "vulkan-component-type", vuid "VUID-StandaloneSpirv-Component-10583";
}

/// A decoration of a member.
pub(crate) fn member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, decoration: Decoration) -> Checked {
    if !matches!(decoration, Decoration::Location | Decoration::Component) || inst.op() != Op::MemberDecorate {
        return Ok(());
    }
    let (of, index) = (inst.id(1), inst.word(2));
    if cx.parts(of).any(Parts::BUILT_IN) {
        let built_in = cx.m.member_decoration(of, index, Decoration::BuiltIn).is_some();
        cx.check_at(!built_in, &LOCATION_BUILT_IN, inst, 3, || {
            format!("member {index} of {of} is decorated both BuiltIn and {decoration}")
        })?;
    }
    if decoration == Decoration::Location {
        return Ok(());
    }
    let ty = match cx.m.ty(inst.id(1)) {
        Some(Type::Struct { members }) => members.get(inst.word(2) as usize).map(|t| Id(*t)),
        _ => None,
    };
    let (Some(ty), Some(def)) = (ty, cx.m.def(inst.id(1))) else { return Ok(()) };
    component(cx, def, inst.word(4), ty)
}

pub(crate) fn glsl<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, decoration: Decoration) -> Checked {
    let glsl = matches!(decoration, Decoration::GLSLShared | Decoration::GLSLPacked);
    cx.check_at(!glsl, &GLSL, inst, word, || {
        msg(format!("{decoration} is not for Vulkan")).help("decorate members Offset and arrays ArrayStride")
    })
}

/// A decoration of a target as a whole.
pub(crate) fn whole<'a>(cx: &mut Cx<'a>, a: Applied<'a>) -> Checked {
    let m = cx.m;
    let Some((class, pointee)) = m.pointer(m.type_id_of(a.target)) else { return Ok(()) };
    let Some(def) = m.def(a.target) else { return Ok(()) };
    match a.decoration {
        Decoration::Flat | Decoration::NoPerspective | Decoration::Sample | Decoration::Centroid => {
            let ok = matches!(class, StorageClass::Input | StorageClass::Output);
            class_rule(cx, a, ok, &INTERPOLATION, class)
        }
        Decoration::PerVertexKHR => {
            class_rule(cx, a, class == StorageClass::Input, &PER_VERTEX, class)?;
            let array = matches!(m.key(pointee).shape(), Shape::Array | Shape::RuntimeArray);
            cx.check(array, &PER_VERTEX_ARRAY, def, || {
                format!("{} is decorated PerVertexKHR, but is no array", a.target)
            })
        }
        Decoration::BuiltIn => {
            let built_in = BuiltIn(a.operands.first().copied().unwrap_or(0));
            crate::rules::vulkan::resources::heap_class(cx, def, built_in, class)
        }
        Decoration::InputAttachmentIndex => attachment(cx, def, class, pointee),
        Decoration::Location | Decoration::Component => location(cx, a, def, class, pointee),
        Decoration::DescriptorSet | Decoration::Binding => {
            let ok = matches!(
                class,
                StorageClass::StorageBuffer
                    | StorageClass::Uniform
                    | StorageClass::UniformConstant
                    | StorageClass::TileAttachmentQCOM
            );
            class_rule(cx, a, ok, &DESCRIPTOR_CLASS, class)
        }
        _ => Ok(()),
    }
}

fn class_rule<'a>(cx: &mut Cx<'a>, a: Applied<'a>, ok: bool, rule: &'static Rule, class: StorageClass) -> Checked {
    let m = cx.m;
    cx.check_at(ok, rule, a.inst, a.word, || {
        msg(format!("{} is applied to {}, which is in {class}", a.decoration, a.target)).declared(m, a.target)
    })
}

fn attachment<'a>(cx: &mut Cx<'a>, def: Inst<'a>, class: StorageClass, pointee: Id) -> Checked {
    let (m, id) = (cx.m, def.id(2));
    // The table of storage classes lists tile attachments beside them.
    let ok = matches!(class, StorageClass::UniformConstant | StorageClass::TileAttachmentQCOM);
    cx.check(ok, &ATTACHMENT, def, || {
        format!("{id} is decorated with InputAttachmentIndex, but has the storage class {class}")
    })?;
    let (inner, _) = without_arrays(m, pointee);
    cx.check(pointee == Id(0) || is_subpass(m, inner), &ATTACHMENT_TYPE, def, || {
        let ty = crate::signature::describe(m, inner);
        msg(format!("{id} is decorated with InputAttachmentIndex, but is {ty}, no image of SubpassData"))
            .declared(m, inner)
    })
}

fn is_subpass(m: Module<'_>, ty: Id) -> bool {
    matches!(m.ty(ty), Some(Type::Image(i)) if i.dim == Dim::SubpassData)
}

fn location<'a>(cx: &mut Cx<'a>, a: Applied<'a>, def: Inst<'a>, class: StorageClass, pointee: Id) -> Checked {
    let ok = matches!(
        class,
        StorageClass::Input
            | StorageClass::Output
            | StorageClass::RayPayloadKHR
            | StorageClass::IncomingRayPayloadKHR
            | StorageClass::HitAttributeKHR
            | StorageClass::HitObjectAttributeNV
            | StorageClass::HitObjectAttributeEXT
            | StorageClass::CallableDataKHR
            | StorageClass::IncomingCallableDataKHR
            | StorageClass::ShaderRecordBufferKHR
    ) || (class == StorageClass::TileImageEXT && a.decoration == Decoration::Location);
    cx.check(ok, &LOCATION_CLASS, def, || format!("{} is decorated {}, but is in {class}", a.target, a.decoration))?;
    let members = cx.parts(without_arrays(cx.m, pointee).0).any(Parts::BUILT_IN);
    let built_in = members || cx.m.is_decorated(a.target, Decoration::BuiltIn);
    cx.check(!built_in, &LOCATION_BUILT_IN, def, || {
        format!("{} is decorated both BuiltIn and {}", a.target, a.decoration)
    })?;
    if a.decoration != Decoration::Component || pointee == Id(0) {
        return Ok(());
    }
    component(cx, def, a.operands.first().copied().unwrap_or(0), pointee)
}

/// Whether a Component fits its type. Mistakes are reported at `def`.
fn component<'a>(cx: &mut Cx<'a>, def: Inst<'a>, value: u32, ty: Id) -> Checked {
    let (inner, _) = without_arrays(cx.m, ty);
    let key = cx.m.key(inner);
    let id = def.result().unwrap_or_default();
    cx.check(key.is_scalar_or_vector(), &COMPONENT_TYPE, def, || {
        format!("{id} has a Component, but {inner} is neither a scalar nor a vector")
    })?;
    cx.check(value <= 3, &COMPONENT, def, || format!("{id} has Component {value}"))?;
    let count = key.count();
    if key.width() <= 32 {
        return cx.check(count + value <= 4, &COMPONENT_FIT, def, || {
            format!("{id} has {count} components from Component {value} on, but a location ends with 3")
        });
    }
    cx.check(count <= 2, &COMPONENT_WIDE, def, || format!("{id} has {count} 64-bit components and a Component"))?;
    cx.check(value.is_multiple_of(2), &COMPONENT_EVEN, def, || {
        format!("{id} has 64-bit components and Component {value}")
    })?;
    cx.check(2 * count + value <= 4, &COMPONENT_FIT_64, def, || {
        format!("{id} has {count} 64-bit components from Component {value} on, but a location ends with 3")
    })
}

/// Judges what needs the module's entry points and all decorations of a variable.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.env.is_vulkan() {
        return;
    }
    let m = cx.m;
    for variable in m.global_variables() {
        resource(cx, variable);
    }
    for entry in m.entry_points() {
        for variable in entry.interface.iter().filter_map(|v| m.def(Id(*v))) {
            interpolated(cx, variable, entry.model);
        }
        // Before version 1.4, interfaces do not list them.
        if cx.has(Capability::InputAttachment) && cx.version >= Version::v1(4) {
            attachments(cx, entry.interface);
        }
    }
}

/// Input attachments of an entry point: where two have one number, one is for depth and the other for stencil.
fn attachments(cx: &mut Cx<'_>, interface: &[u32]) {
    let m = cx.m;
    let mut all = cx.list();
    for id in cx.listed(interface) {
        let index = m.decoration(id, Decoration::InputAttachmentIndex).map(|d| d.operand());
        let (Some(first), Some((_, ty))) = (index, m.pointer(m.type_id_of(id))) else { continue };
        let Some(Type::Image(image)) = m.ty(without_arrays(m, ty).0) else { continue };
        let class = m.key(image.sampled_type).component_class();
        let count = match m.ty(ty) {
            Some(Type::Array { length, .. }) => m.fixed_u32(length).unwrap_or(1).min(64),
            _ => 1,
        };
        all.extend((0..count).map(|i| (first.saturating_add(i), class == Scalar::Float, id)));
    }
    all.sort_unstable();
    for pair in all.windows(2) {
        let ((a, float, one), (b, other, two)) = (pair[0], pair[1]);
        if a == b && float == other && one != two {
            let Some(at) = m.def(two) else { continue };
            cx.fail(&ATTACHMENT_TWICE, at, || format!("{one} and {two} are both the input attachment {a}")).ok();
        }
    }
}

fn resource<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    if !matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR) {
        return;
    }
    let (m, id, class) = (cx.m, inst.id(2), StorageClass(inst.word(3)));
    let is = matches!(class, StorageClass::Uniform | StorageClass::UniformConstant | StorageClass::StorageBuffer);
    if !is || crate::rules::memory::heap(cx, id).is_some() {
        return;
    }
    if let Some((StorageClass::UniformConstant, ty)) = m.pointer(inst.id(1)).filter(|_| inst.op() == Op::Variable)
        && let (inner, 1..) = without_arrays(m, ty)
    {
        let indexed = !is_subpass(m, inner) || m.is_decorated(id, Decoration::InputAttachmentIndex);
        let text = || format!("{id} is an array of input attachments, but is not decorated InputAttachmentIndex");
        cx.check(indexed, &ATTACHMENT_INDEX, inst, text).ok();
    }
    for needed in [Decoration::DescriptorSet, Decoration::Binding] {
        let has = m.is_decorated(id, needed);
        cx.check(has, &RESOURCE, inst, || format!("{id} is in {class}, but is not decorated {needed}")).ok();
        if !has {
            break;
        }
    }
}

fn interpolated<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, model: ExecutionModel) {
    if !matches!(inst.op(), Op::Variable | Op::UntypedVariableKHR) {
        return;
    }
    let (m, id) = (cx.m, inst.id(2));
    let class = StorageClass(inst.word(3));
    let wrong = model != ExecutionModel::Fragment && m.is_decorated(id, Decoration::PerVertexKHR);
    cx.check(!wrong, &PER_VERTEX, inst, || {
        format!("{id} is decorated PerVertexKHR, but is listed by an entry point with execution model {model}")
    })
    .ok();
    let rule: &'static Rule = match (model, class) {
        (ExecutionModel::Fragment, StorageClass::Output) => &FRAGMENT_OUTPUT,
        (ExecutionModel::Vertex, StorageClass::Input) => &VERTEX_INPUT,
        _ => return,
    };
    let found = m.own_decorations(id).map(|d| d.decoration).find(|d| {
        matches!(*d, Decoration::Flat | Decoration::NoPerspective | Decoration::Sample | Decoration::Centroid)
    });
    if let Some(d) = found {
        cx.fail(rule, inst, || format!("{id} is decorated {d}, but is in {class} of a {model} shader")).ok();
    }
}
