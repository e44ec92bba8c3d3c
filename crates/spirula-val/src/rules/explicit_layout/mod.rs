//! Explicit layout: offsets and strides of what other programs see (§2.2.2, and Vulkan's "Offset and Stride
//! Assignment").

mod check;
mod measure;

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::rules;
use spirula_grammar::{Capability, Decoration, Op, StorageClass, Version};
use spirula_module::Shape;

use crate::Client;
use crate::cx::{Cx, List, msg};
use crate::facts::{Parts, without_arrays};
use crate::rules::memory;
use check::Check;
use measure::Measures;

rules! {
    group "explicit-layout";
    /// Each member of a structure that is laid out explicitly has an Offset.
    OFFSET: "layout-offset-missing", spec "§2.2.2";
    /// Each array that is laid out explicitly has an ArrayStride.
    STRIDE: "layout-array-stride-missing", spec "§2.2.2";
    /// Each member that is a matrix, or an array of matrices, has a MatrixStride.
    MATRIX_STRIDE: "layout-matrix-stride-missing", spec "§2.2.2";
    /// Each member that is a matrix, or an array of matrices, is RowMajor or ColMajor.
    MAJORNESS: "layout-majorness-missing", spec "§2.2.2";
    /// An offset is a multiple of its member's alignment.
    ALIGNMENT: "layout-offset-alignment", environment "Vulkan, Offset and Stride Assignment";
    /// An array stride is a multiple of the array's alignment.
    STRIDE_ALIGNMENT: "layout-array-stride-alignment", environment "Vulkan, Offset and Stride Assignment";
    /// A matrix stride is a multiple of the matrix' alignment.
    MATRIX_ALIGNMENT: "layout-matrix-stride-alignment", environment "Vulkan, Offset and Stride Assignment";
    /// Members do not overlap; under the base and extended rules, nothing lies in the padding behind a structure, an
    /// array or a matrix.
    OVERLAP: "layout-overlap", spec "§2.2.2";
    /// Nothing lies in the padding behind a matrix either, unless the target has scalar layout: compilers that pack like
    /// Direct3D place members there.
    MATRIX_PADDING: "layout-matrix-padding", environment "Vulkan, Offset and Stride Assignment";
    /// Elements of an array do not overlap: the stride is as large as an element, and greater than 0.
    STRIDE_SIZE: "layout-array-stride-size", spec "§2.2.2";
    /// Columns (or rows) of a matrix do not overlap: the stride is as large as one, and greater than 0.
    MATRIX_SIZE: "layout-matrix-stride-size", spec "§2.2.2";
    /// A vector does not straddle a boundary of 16 bytes needlessly.
    STRADDLE: "layout-straddle", environment "Vulkan, Offset and Stride Assignment";
    /// A run-time array is the member with the largest offset.
    RUNTIME_ARRAY: "layout-runtime-array", spec "OpTypeRuntimeArray";
    /// A run-time array is the member with the largest offset.
    VULKAN_RUNTIME_ARRAY: "vulkan-layout-runtime-array", vuid "VUID-StandaloneSpirv-OpTypeRuntimeArray-04680";
    /// Objects that no other program sees are laid out by the implementation: their types have no layout decorations.
    INVALID: "vulkan-layout-not-allowed", vuid "VUID-StandaloneSpirv-None-10684";
}

/// Which alignments are asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Alignments {
    /// None: the SPIR-V specification alone does not say.
    None,
    Scalar,
    Base,
    Extended,
}

/// The rules for one storage class.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Ruleset {
    pub(super) alignments: Alignments,
    /// Vectors are aligned as their components are.
    pub(super) relaxed: bool,
}

impl Ruleset {
    /// A number for tables of what was judged.
    pub(super) fn number(self) -> u32 {
        match self.alignments {
            Alignments::None => 0,
            Alignments::Scalar => 1,
            Alignments::Base => 2,
            Alignments::Extended => 3,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self.alignments {
            Alignments::None => "the specification's",
            Alignments::Scalar => "scalar",
            Alignments::Base => "base (std430)",
            Alignments::Extended => "extended (std140)",
        }
    }
}

/// A type that is laid out explicitly.
#[derive(Clone, Copy, Debug)]
pub(super) struct Root {
    pub(super) ty: Id,
    pub(super) class: StorageClass,
    /// The variable, pointer type or access that says so.
    pub(super) via: Inst0,
}

/// Where a root comes from: id (`%0` where it has none) and word offset.
pub(super) type Inst0 = (Id, u32);

/// Judges the layouts of a module.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if cx.options.skip_block_layout || !cx.has(Capability::Shader) {
        return;
    }
    let mut roots = cx.list();
    global(cx, &mut roots);
    untyped(cx, &mut roots);
    if roots.is_empty() {
        return;
    }
    let measures = Measures::of(cx);
    let mut check = Check { measures: &measures, seen: cx.filled(measures.len(), 0) };
    for root in roots {
        let rules = ruleset(cx, root);
        check.root(cx, root, rules);
    }
}

fn ruleset(cx: &Cx<'_>, root: Root) -> Ruleset {
    let Client::Vulkan(minor) = cx.env.client else { return Ruleset { alignments: Alignments::None, relaxed: true } };
    let relaxed = cx.options.relax_block_layout || minor >= 1;
    let scalar = match root.class {
        StorageClass::Workgroup => cx.options.workgroup_scalar_block_layout,
        _ => cx.options.scalar_block_layout,
    };
    let (inner, _) = without_arrays(cx.m, root.ty);
    let uniform = root.class == StorageClass::Uniform && !cx.m.is_decorated(inner, Decoration::BufferBlock);
    let alignments = if root.class == StorageClass::ShaderRecordBufferKHR {
        // Read from shader binding tables, whose records have the layout that the application gives them.
        Alignments::Scalar
    } else if scalar {
        Alignments::Scalar
    } else if uniform && !cx.options.uniform_buffer_standard_layout {
        Alignments::Extended
    } else {
        Alignments::Base
    };
    Ruleset { alignments, relaxed }
}

/// Whether objects in a storage class are laid out explicitly.
fn is_explicit(cx: &Cx<'_>, class: StorageClass) -> bool {
    match class {
        StorageClass::Uniform
        | StorageClass::StorageBuffer
        | StorageClass::PushConstant
        | StorageClass::PhysicalStorageBuffer
        | StorageClass::ShaderRecordBufferKHR => true,
        StorageClass::Workgroup => cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR),
        _ => false,
    }
}

/// Roots among variables and types.
fn global(cx: &mut Cx<'_>, roots: &mut List<'_, Root>) {
    let m = cx.m;
    for variable in m.global_variables() {
        let class = StorageClass(variable.word(3));
        let data = data_type(cx, variable);
        not_allowed(cx, variable, class, data);
        let (inner, _) = without_arrays(m, data);
        let block = cx.parts(inner).any(Parts::BLOCK.or(Parts::BUFFER_BLOCK)) && m.key(inner).shape() == Shape::Struct;
        let own = m.is_decorated(inner, Decoration::Block)
            || m.is_decorated(inner, Decoration::BufferBlock) && (class == StorageClass::Uniform || cx.env.is_vulkan());
        if block && own && is_explicit(cx, class) {
            // Arrays of blocks are arrays of descriptors.
            roots.push(Root { ty: inner, class, via: (variable.id(2), variable.offset()) });
        }
    }
    if !cx.has(Capability::PhysicalStorageBufferAddresses) {
        return;
    }
    for pointer in m.global_insts().filter(|i| i.op() == Op::TypePointer) {
        if StorageClass(pointer.word(2)) == StorageClass::PhysicalStorageBuffer {
            let ty = pointer.id(3);
            roots.push(Root { ty, class: StorageClass::PhysicalStorageBuffer, via: (pointer.id(1), pointer.offset()) });
        }
    }
}

fn data_type(cx: &Cx<'_>, variable: Inst<'_>) -> Id {
    match variable.op() {
        Op::Variable => cx.m.pointer(variable.id(1)).map_or(Id(0), |p| p.1),
        _ => variable.id(4),
    }
}

/// Roots among accesses through untyped pointers, and variables of functions.
fn untyped(cx: &mut Cx<'_>, roots: &mut List<'_, Root>) {
    let m = cx.m;
    // Without a client API nothing says that the types of accesses lay out what they reach.
    if !cx.env.is_vulkan() {
        return;
    }
    let untyped = cx.has(Capability::UntypedPointersKHR);
    for function in m.functions() {
        // Behind the variables, only untyped pointers bring types of their own.
        for inst in m.insts(function.body_words()).take_while(|i| untyped || may_stand_before_variables(i.op())) {
            if inst.op() == Op::Variable {
                let data = data_type(cx, inst);
                not_allowed(cx, inst, StorageClass::Function, data);
            } else if untyped && let Some((word, ty)) = access(cx, inst) {
                accessed(cx, inst, word, ty, roots);
            }
        }
    }
}

/// What may stand in a function before or among its variables.
fn may_stand_before_variables(op: Op) -> bool {
    matches!(op, Op::Label | Op::Variable | Op::UntypedVariableKHR | Op::Line | Op::NoLine | Op::ExtInst | Op::Nop)
}

/// Word of the pointer and accessed type of an access that brings a type of its own.
fn access(cx: &Cx<'_>, inst: Inst<'_>) -> Option<(usize, Id)> {
    let m = cx.m;
    Some(match inst.op() {
        Op::UntypedAccessChainKHR
        | Op::UntypedInBoundsAccessChainKHR
        | Op::UntypedPtrAccessChainKHR
        | Op::UntypedInBoundsPtrAccessChainKHR => (4, inst.id(3)),
        Op::UntypedArrayLengthKHR => (4, inst.id(3)),
        Op::Load | Op::AtomicLoad => (3, inst.id(1)),
        Op::Store => (1, m.type_id_of(inst.id(2))),
        Op::BufferPointerEXT => (2, m.pointer(inst.id(1)).map(|p| p.1)?),
        _ => return None,
    })
}

fn accessed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, ty: Id, roots: &mut List<'_, Root>) {
    let m = cx.m;
    let pointer = if inst.op() == Op::BufferPointerEXT { inst.id(1) } else { m.type_id_of(inst.id(word)) };
    let Some((class, pointee)) = m.pointer(pointer) else { return };
    if inst.op() != Op::BufferPointerEXT && pointee != Id(0) {
        return;
    }
    let heap = class == StorageClass::UniformConstant
        && memory::root(m, inst.id(word)).and_then(|v| v.result()).is_some_and(|v| memory::heap(cx, v).is_some());
    let composite = matches!(m.key(ty).shape(), Shape::Array | Shape::RuntimeArray | Shape::Struct);
    if composite && (heap || is_explicit(cx, class)) {
        let (inner, _) = without_arrays(m, ty);
        let block = m.is_decorated(inner, Decoration::Block) || m.is_decorated(inner, Decoration::BufferBlock);
        let ty = if block { inner } else { ty };
        roots.push(Root { ty, class, via: (inst.result().unwrap_or_default(), inst.offset()) });
    }
}

/// Layout decorations on what the implementation lays out.
fn not_allowed<'a>(cx: &mut Cx<'a>, variable: Inst<'a>, class: StorageClass, data: Id) {
    if !cx.env.is_vulkan() {
        return;
    }
    let m = cx.m;
    let inside = cx.parts(data).any(Parts::LAYOUT);
    if !inside && !m.is_decorated(variable.id(1), Decoration::ArrayStride) {
        return;
    }
    let wrong = match class {
        // Before, nothing forbade it.
        StorageClass::Function | StorageClass::Private => cx.version > Version::v1(4),
        StorageClass::Workgroup => {
            let (inner, _) = without_arrays(m, data);
            let block = m.is_decorated(inner, Decoration::Block);
            !(block && cx.has(Capability::WorkgroupMemoryExplicitLayoutKHR))
        }
        StorageClass::UniformConstant => memory::heap(cx, variable.id(2)).is_none(),
        _ => false,
    };
    let ty = if inside { data } else { variable.id(1) };
    cx.check(!wrong, &INVALID, variable, || {
        msg(format!("{} is in {class}, but its type {ty} has layout decorations", variable.id(2)))
            .declared(m, ty)
            .help("declare the type a second time, without Block, Offset, ArrayStride and MatrixStride")
    })
    .ok();
}
