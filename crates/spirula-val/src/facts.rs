//! What types contain: one set of bits per type, from one pass over the type declarations.

use alloc::vec::Vec;

use spirula_binary::{Id, Inst, NumberKind};
use spirula_grammar::{AddressingModel, Capability, Decoration, FPEncoding, Op, StorageClass};
use spirula_module::{Module, Shape, zeros};

/// What a type is or contains. Pointers are not followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Parts(pub(crate) u32);

impl Parts {
    pub(crate) const BOOL: Parts = Parts(1);
    pub(crate) const INT8: Parts = Parts(1 << 1);
    pub(crate) const INT16: Parts = Parts(1 << 2);
    pub(crate) const FLOAT16: Parts = Parts(1 << 3);
    pub(crate) const FLOAT8: Parts = Parts(1 << 4);
    /// Encodings of less than 8 bits.
    pub(crate) const FLOAT_SMALL: Parts = Parts(1 << 5);
    pub(crate) const WIDTH64: Parts = Parts(1 << 6);
    /// A pointer that the addressing model makes logical.
    pub(crate) const LOGICAL_POINTER: Parts = Parts(1 << 7);
    /// Any pointer.
    pub(crate) const POINTER: Parts = Parts(1 << 8);
    /// A pointer to the PhysicalStorageBuffer storage class.
    pub(crate) const PHYSICAL_STORAGE: Parts = Parts(1 << 9);
    pub(crate) const RUNTIME_ARRAY: Parts = Parts(1 << 10);
    /// Images, samplers, sampled images, acceleration structures, ray queries, tensors and other types without a
    /// value that could be laid out.
    pub(crate) const OPAQUE: Parts = Parts(1 << 11);
    /// An opaque type that stands for no descriptor.
    pub(crate) const NO_DESCRIPTOR: Parts = Parts(1 << 12);
    pub(crate) const COOPERATIVE_MATRIX: Parts = Parts(1 << 13);
    pub(crate) const COOPERATIVE_VECTOR: Parts = Parts(1 << 14);
    pub(crate) const MATRIX: Parts = Parts(1 << 15);
    /// A structure decorated Block.
    pub(crate) const BLOCK: Parts = Parts(1 << 16);
    /// A structure decorated BufferBlock.
    pub(crate) const BUFFER_BLOCK: Parts = Parts(1 << 17);
    /// A structure whose members are built-ins.
    pub(crate) const BUILT_IN: Parts = Parts(1 << 18);
    /// A vector of more than four components.
    pub(crate) const LONG_VECTOR: Parts = Parts(1 << 19);
    /// A vector whose number of components is a specialisation constant.
    pub(crate) const SPEC_VECTOR: Parts = Parts(1 << 20);
    /// An array whose length is a specialisation constant.
    pub(crate) const SPEC_ARRAY: Parts = Parts(1 << 21);
    /// Anything decorated Offset, ArrayStride, MatrixStride, or their `Id` variants, or a Block.
    pub(crate) const LAYOUT: Parts = Parts(1 << 22);
    pub(crate) const VOID: Parts = Parts(1 << 23);
    pub(crate) const STRUCT: Parts = Parts(1 << 24);
    pub(crate) const FLOAT: Parts = Parts(1 << 25);
    pub(crate) const INT: Parts = Parts(1 << 26);
    pub(crate) const UNTYPED_POINTER: Parts = Parts(1 << 27);

    /// An acceleration structure or a tensor with a shape: a descriptor, but not among the opaque types of the
    /// specification.
    pub(crate) const DESCRIPTOR: Parts = Parts(1 << 29);
    /// Something without a null value.
    pub(crate) const NO_NULL: Parts = Parts(1 << 28);

    /// A pointer through which loads and stores raise no question but that of the type, and in PhysicalStorageBuffer that
    /// of the alignment: to a common storage class, in which every execution model can read, and to what has no parts with
    /// rules of their own.
    pub(crate) const EASY: Parts = Parts(1 << 30);
    /// A pointer to what holds pointers to PhysicalStorageBuffer: those are judged when they are loaded or stored.
    pub(crate) const TO_PHYSICAL: Parts = Parts(1 << 31);

    /// What has rules of its own where it is loaded or stored, besides small types in shaders.
    const UNEASY: Parts = Parts::RUNTIME_ARRAY
        .or(Parts::OPAQUE)
        .or(Parts::NO_DESCRIPTOR)
        .or(Parts::DESCRIPTOR)
        .or(Parts::LOGICAL_POINTER)
        .or(Parts::VOID);

    /// 8-bit and 16-bit integers and floating-point numbers.
    pub(crate) const SMALL: Parts = Parts(0b1_1110);

    #[inline]
    pub(crate) const fn or(self, other: Parts) -> Parts {
        Parts(self.0 | other.0)
    }

    /// Whether any of `other` is there.
    #[inline]
    pub(crate) const fn any(self, other: Parts) -> bool {
        self.0 & other.0 != 0
    }
}

/// The bits of all types, by slot of the id.
#[derive(Debug, Default)]
pub(crate) struct TypeFacts {
    parts: Vec<u32>,
    all: Parts,
    /// Whether any pointer type is decorated ArrayStride.
    strided: bool,
    /// The type of unsigned 32-bit integers; 0 where there is none.
    uint: Id,
}

impl TypeFacts {
    /// Goes over the type declarations of a module.
    pub(crate) fn fill(&mut self, m: Module<'_>) {
        self.all = Parts::default();
        self.strided = false;
        self.uint = Id(0);
        zeros(&mut self.parts, m.ids().slot_count(), 0);
        let addressing = m.addressing_model();
        for inst in m.global_insts() {
            let declared = inst.result().filter(|_| inst.desc().is_some_and(|d| d.is_type()));
            // What holds a pointer that is declared later on knows it by its announcement.
            let announced = (inst.op() == Op::TypeForwardPointer).then(|| inst.id(1));
            let Some(id) = declared.or(announced) else { continue };
            let parts = self.of_type(m, inst, id, addressing);
            self.strided |= inst.op() == Op::TypePointer && m.is_decorated(id, Decoration::ArrayStride);
            self.all = self.all.or(parts);
            if m.key(id).is_u32() {
                self.uint = id;
            }
            if let Some(slot) = m.ids().slot(id).and_then(|s| self.parts.get_mut(s)) {
                *slot = parts.0;
            }
        }
    }

    /// The type of unsigned 32-bit integers: that of most constants. 0 where there is none.
    #[inline]
    pub(crate) fn uint(&self) -> Id {
        self.uint
    }

    /// What any type of the module is or contains.
    pub(crate) fn all(&self) -> Parts {
        self.all
    }

    /// Whether any pointer type of the module says how far its elements are apart.
    #[inline]
    pub(crate) fn has_strided_pointers(&self) -> bool {
        self.strided
    }

    /// What the type is or contains; nothing for what is no type.
    #[inline]
    pub(crate) fn parts(&self, m: Module<'_>, ty: Id) -> Parts {
        m.ids().slot(ty).and_then(|s| self.parts.get(s)).map_or(Parts::default(), |p| Parts(*p))
    }

    /// Whether accesses through the pointer are easy. The type that it points to may come later; then they are not.
    fn easy(&self, m: Module<'_>, inst: Inst<'_>) -> Parts {
        let class = StorageClass(inst.word(2));
        let kernel = !m.has(Capability::Shader) && m.addressing_model() != AddressingModel::Logical;
        let common = match class {
            StorageClass::Function | StorageClass::Private => true,
            StorageClass::CrossWorkgroup | StorageClass::Workgroup | StorageClass::Generic => kernel,
            StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer => !kernel,
            _ => false,
        };
        let read_only = matches!(class, StorageClass::Input | StorageClass::Uniform | StorageClass::PushConstant);
        let pointee = m.info(inst.id(3));
        let known = inst.op() == Op::TypePointer && pointee.is_type() && pointee.def < inst.offset();
        let uneasy = if kernel { Parts::UNEASY } else { Parts::UNEASY.or(Parts::SMALL) };
        let parts = self.parts(m, inst.id(3));
        if !known || !(common || read_only && !kernel) || parts.any(uneasy) {
            return Parts::default();
        }
        if parts.any(Parts::PHYSICAL_STORAGE) { Parts::EASY.or(Parts::TO_PHYSICAL) } else { Parts::EASY }
    }

    fn of_type(&self, m: Module<'_>, inst: Inst<'_>, id: Id, addressing: AddressingModel) -> Parts {
        let component = |word: usize| self.parts(m, inst.id(word));
        match inst.op() {
            Op::TypeVoid => Parts::VOID.or(Parts::NO_NULL),
            Op::TypeBool => Parts::BOOL,
            Op::TypeInt | Op::TypeFloat => number(inst),
            Op::TypeVector => {
                let long = if inst.word(3) > 4 { Parts::LONG_VECTOR } else { Parts::default() };
                component(2).or(long)
            }
            Op::TypeVectorIdEXT => component(2).or(Parts::COOPERATIVE_VECTOR).or(vector_id(m, inst)),
            Op::TypeMatrix => component(2).or(Parts::MATRIX),
            Op::TypeArray => {
                let spec = m.info(inst.id(3)).is_spec_constant();
                let spec = if spec { Parts::SPEC_ARRAY } else { Parts::default() };
                component(2).or(spec).or(laid_out(m, id))
            }
            Op::TypeNodePayloadArrayAMDX => component(2).or(laid_out(m, id)),
            Op::TypeRuntimeArray => component(2).or(Parts::RUNTIME_ARRAY).or(Parts::NO_NULL).or(laid_out(m, id)),
            Op::TypeStruct => {
                let members = inst.tail(2).iter().fold(Parts::STRUCT, |p, t| p.or(self.parts(m, Id(*t))));
                members.or(structure(m, id))
            }
            Op::TypePointer | Op::TypeUntypedPointerKHR => pointer(inst, addressing).or(self.easy(m, inst)),
            Op::TypeForwardPointer => pointer(inst, addressing),
            Op::TypeCooperativeMatrixKHR | Op::TypeCooperativeMatrixNV => component(2).or(Parts::COOPERATIVE_MATRIX),
            Op::TypeImage | Op::TypeSampler | Op::TypeBufferEXT => Parts::OPAQUE.or(Parts::NO_NULL),
            Op::TypeAccelerationStructureKHR => Parts::DESCRIPTOR.or(Parts::NO_NULL),
            // With a shape it is a composite.
            Op::TypeTensorARM if inst.words().len() > 4 => Parts::DESCRIPTOR,
            Op::TypeTensorARM => Parts::OPAQUE,
            Op::TypeFunction => Parts::NO_NULL,
            Op::TypeEvent | Op::TypeDeviceEvent | Op::TypeReserveId | Op::TypeQueue => {
                Parts::OPAQUE.or(Parts::NO_DESCRIPTOR)
            }
            Op::TypeOpaque | Op::TypePipe | Op::TypePipeStorage | Op::TypeNamedBarrier => {
                Parts::OPAQUE.or(Parts::NO_DESCRIPTOR).or(Parts::NO_NULL)
            }
            // Not loaded or stored as a whole.
            Op::TypeRayQueryKHR | Op::TypeHitObjectEXT | Op::TypeHitObjectNV => Parts::NO_DESCRIPTOR.or(Parts::NO_NULL),
            Op::TypeSampledImage => Parts::OPAQUE.or(Parts::NO_DESCRIPTOR).or(Parts::NO_NULL),
            _ => Parts::NO_NULL,
        }
    }
}

fn number(inst: Inst<'_>) -> Parts {
    let width = inst.word(2);
    let class = if inst.op() == Op::TypeInt { Parts::INT } else { Parts::FLOAT };
    let encoding = match spirula_binary::Number::of_type(inst).map(|n| n.kind) {
        Some(NumberKind::Encoded(e)) => Some(e),
        _ => None,
    };
    let small =
        matches!(encoding, Some(FPEncoding::Float6E2M3EXT | FPEncoding::Float6E3M2EXT | FPEncoding::Float4E2M1EXT));
    let size = match (inst.op(), width) {
        (Op::TypeInt, 8) => Parts::INT8,
        (Op::TypeInt, 16) => Parts::INT16,
        (Op::TypeFloat, _) if small => Parts::FLOAT_SMALL,
        (Op::TypeFloat, 16) if encoding.is_none() => Parts::FLOAT16,
        (Op::TypeFloat, 8) => Parts::FLOAT8,
        (_, 64) => Parts::WIDTH64,
        _ => Parts::default(),
    };
    class.or(size)
}

fn vector_id(m: Module<'_>, inst: Inst<'_>) -> Parts {
    let count = inst.id(3);
    if m.info(count).is_spec_constant() {
        return Parts::SPEC_VECTOR.or(Parts::LONG_VECTOR);
    }
    if m.fixed_u32(count).is_some_and(|n| n > 4) { Parts::LONG_VECTOR } else { Parts::default() }
}

fn laid_out(m: Module<'_>, id: Id) -> Parts {
    let stride = |d: Decoration| matches!(d, Decoration::ArrayStride | Decoration::ArrayStrideIdEXT);
    if m.own_decorations(id).any(|d| stride(d.decoration)) { Parts::LAYOUT } else { Parts::default() }
}

fn structure(m: Module<'_>, id: Id) -> Parts {
    m.decorations(id).fold(Parts::default(), |parts, d| {
        let more = match (d.decoration, d.member) {
            (Decoration::Block, None) => Parts::BLOCK.or(Parts::LAYOUT),
            (Decoration::BufferBlock, None) => Parts::BUFFER_BLOCK.or(Parts::LAYOUT),
            (Decoration::Offset | Decoration::MatrixStride | Decoration::OffsetIdEXT, Some(_)) => Parts::LAYOUT,
            (Decoration::BuiltIn, Some(_)) => Parts::BUILT_IN,
            _ => Parts::default(),
        };
        parts.or(more)
    })
}

/// Whether pointers to the storage class are logical pointers under the addressing model.
pub(crate) fn is_logical(class: StorageClass, addressing: AddressingModel) -> bool {
    match addressing {
        AddressingModel::Logical => true,
        AddressingModel::PhysicalStorageBuffer64 => class != StorageClass::PhysicalStorageBuffer,
        _ => false,
    }
}

fn pointer(inst: Inst<'_>, addressing: AddressingModel) -> Parts {
    let class = StorageClass(inst.word(2));
    let logical = if is_logical(class, addressing) { Parts::LOGICAL_POINTER } else { Parts::default() };
    let physical =
        if class == StorageClass::PhysicalStorageBuffer { Parts::PHYSICAL_STORAGE } else { Parts::default() };
    let untyped = if inst.op() == Op::TypeUntypedPointerKHR { Parts::UNTYPED_POINTER } else { Parts::default() };
    Parts::POINTER.or(logical).or(physical).or(untyped)
}

/// The type without the arrays around it, and how many there were. Bounded even where arrays contain themselves.
pub(crate) fn without_arrays(m: Module<'_>, ty: Id) -> (Id, u32) {
    let (mut ty, mut depth) = (ty, 0);
    while matches!(m.key(ty).shape(), Shape::Array | Shape::RuntimeArray) && depth < 256 {
        let Some(element) = m.def(ty).map(|i| i.id(2)) else { break };
        ty = element;
        depth += 1;
    }
    (ty, depth)
}
