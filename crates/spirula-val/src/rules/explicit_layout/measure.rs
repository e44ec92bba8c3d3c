//! Sizes and alignments of types.

use spirula_binary::{Id, Inst};
use spirula_grammar::{Capability, Decoration, Op};
use spirula_module::{Decorated, Shape, Type};

use super::Alignments;
use crate::cx::{Cx, List};

/// How a matrix member is laid out.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct MatrixLayout {
    pub(super) stride: Option<u32>,
    pub(super) row_major: bool,
}

/// Where a member lies, by its decorations.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Placement {
    /// `Some(None)` where the value is not known.
    pub(super) offset: Option<Option<u32>>,
    pub(super) matrix: MatrixLayout,
    /// Whether it is decorated RowMajor or ColMajor.
    pub(super) has_majorness: bool,
}

impl Placement {
    fn take(&mut self, cx: &Cx<'_>, d: Decorated<'_>) {
        match d.decoration {
            Decoration::Offset => drop(self.offset.get_or_insert(Some(d.operand()))),
            Decoration::OffsetIdEXT => drop(self.offset.get_or_insert_with(|| constant(cx, Id(d.operand())))),
            Decoration::MatrixStride => self.matrix.stride = Some(d.operand()),
            Decoration::RowMajor => (self.matrix.row_major, self.has_majorness) = (true, true),
            Decoration::ColMajor => self.has_majorness = true,
            _ => {}
        }
    }
}

/// Alignments of a type: for row-major matrices in place 1, else in place 0.
#[derive(Clone, Copy, Debug, Default)]
struct Measure {
    scalar: u32,
    base: [u32; 2],
    extended: [u32; 2],
    /// Size in bytes of scalars, vectors and structures.
    size: u64,
    /// Of a structure: position of its first member among the placements.
    first: usize,
}

/// The measures of all types. They are few among the ids, so that they have a table of their own.
pub(super) struct Measures<'a> {
    /// The types, sorted.
    types: List<'a, Id>,
    /// By position in `types`.
    all: &'a mut [Measure],
    /// Of the members of all structures, those of one together.
    placements: List<'a, Placement>,
    /// Bytes of the handles of images and samplers, where they have one size (SPV_NV_bindless_texture); else 0.
    handle: u32,
}

impl<'a> Measures<'a> {
    /// One pass over the types: what a type is made of comes before it.
    pub(super) fn of(cx: &Cx<'a>) -> Measures<'a> {
        let declarations = || cx.m.global_insts().filter(|i| i.desc().is_some_and(|d| d.is_type()));
        let mut types = cx.collect(declarations().map(|i| i.id(1)));
        types.sort_unstable();
        types.dedup();
        let all = cx.filled(types.len(), Measure::default());
        let mut measures = Measures { all, types, placements: cx.list(), handle: handle_size(cx) };
        for inst in declarations() {
            let measure = measures.measure(cx, inst);
            if let Some(place) = measures.position(inst.id(1)).and_then(|p| measures.all.get_mut(p)) {
                *place = measure;
            }
        }
        measures
    }

    /// Number of types.
    pub(super) fn len(&self) -> usize {
        self.types.len()
    }

    /// Position of a type in tables of as many rows as there are types.
    pub(super) fn position(&self, ty: Id) -> Option<usize> {
        self.types.binary_search(&ty).ok()
    }

    /// Where the members of a structure lie.
    pub(super) fn placements(&self, structure: Inst<'_>) -> &[Placement] {
        let first = self.position(structure.id(1)).and_then(|p| self.all.get(p)).map_or(0, |m| m.first);
        self.placements.get(first..first + structure.tail(2).len()).unwrap_or(&[])
    }

    fn get(&self, cx: &Cx<'_>, ty: Id) -> Measure {
        // A pointer may be announced, and so come behind the structure with it.
        if cx.m.key(ty).is_pointer() {
            return even(8, 8);
        }
        self.position(ty).and_then(|p| self.all.get(p)).copied().unwrap_or_default()
    }

    fn measure(&mut self, cx: &Cx<'_>, inst: Inst<'_>) -> Measure {
        let m = cx.m;
        let key = m.key(inst.id(1));
        match key.shape() {
            Shape::Scalar => {
                let bytes = if key.width() == 0 { 4 } else { key.width().div_ceil(8) };
                even(bytes, u64::from(bytes))
            }
            Shape::Vector | Shape::CooperativeVector => self.vector(cx, inst),
            Shape::Matrix => self.matrix(cx, inst),
            Shape::Array | Shape::RuntimeArray => {
                let element = self.get(cx, inst.id(2));
                Measure { extended: element.extended.map(|a| a.next_multiple_of(16)), size: 0, ..element }
            }
            Shape::Struct => self.structure(cx, inst),
            Shape::Pointer | Shape::UntypedPointer => even(8, 8),
            _ => match (descriptor(cx, inst.op()), inst.op()) {
                (Measure { size: 0, .. }, Op::TypeSampler | Op::TypeImage | Op::TypeSampledImage)
                    if self.handle != 0 =>
                {
                    even(self.handle, self.handle.into())
                }
                (measure, _) => measure,
            },
        }
    }

    fn vector(&self, cx: &Cx<'_>, inst: Inst<'_>) -> Measure {
        let component = self.get(cx, inst.id(2)).scalar;
        let count = match cx.m.ty(inst.id(1)) {
            Some(Type::VectorId { count, .. }) => cx.m.fixed_u32(count).unwrap_or(0),
            _ => inst.word(3),
        };
        let base = component * vector_factor(count);
        let size = u64::from(component) * u64::from(count);
        Measure { scalar: component, base: [base; 2], extended: [base; 2], size, first: 0 }
    }

    fn matrix(&self, cx: &Cx<'_>, inst: Inst<'_>) -> Measure {
        let key = cx.m.key(inst.id(1));
        let component = key.width().div_ceil(8);
        let base = [component * vector_factor(key.rows()), component * vector_factor(key.count())];
        Measure { scalar: component, base, extended: base.map(|a| a.next_multiple_of(16)), size: 0, first: 0 }
    }

    fn structure(&mut self, cx: &Cx<'_>, inst: Inst<'_>) -> Measure {
        let (first, members) = (self.placements.len(), inst.tail(2));
        self.placements.resize(first + members.len(), Placement::default());
        for d in cx.m.decorations(inst.id(1)) {
            if let Some(place) = d.member.and_then(|n| self.placements.get_mut(first.checked_add(n as usize)?)) {
                place.take(cx, d);
            }
        }
        let mut all = Measure { first, ..even(1, 0) };
        for (ty, Placement { offset, matrix, .. }) in members.iter().zip(self.placements.get(first..).unwrap_or(&[])) {
            let ty = Id(*ty);
            let member = self.get(cx, ty);
            let major = usize::from(matrix.row_major);
            all.scalar = all.scalar.max(member.scalar);
            all.base = [all.base[0].max(member.base[major]); 2];
            all.extended = [all.extended[0].max(member.extended[major]); 2];
            let end = offset.flatten().map(|o| u64::from(o) + self.size(cx, ty, *matrix));
            all.size = all.size.max(end.unwrap_or(0));
        }
        all.extended = all.extended.map(|a| a.next_multiple_of(16));
        all
    }

    /// Alignment of a type.
    pub(super) fn alignment(&self, cx: &Cx<'_>, ty: Id, layout: MatrixLayout, wanted: Alignments) -> u32 {
        let measure = self.get(cx, ty);
        let major = usize::from(layout.row_major);
        match wanted {
            Alignments::None => 1,
            Alignments::Scalar => measure.scalar.max(1),
            Alignments::Base => measure.base[major].max(1),
            Alignments::Extended => measure.extended[major].max(1),
        }
    }

    /// Size of a type in bytes, without padding behind it.
    pub(super) fn size(&self, cx: &Cx<'_>, ty: Id, layout: MatrixLayout) -> u64 {
        let m = cx.m;
        let (mut ty, mut size) = (ty, 0u64);
        for _ in 0..256 {
            match m.ty(ty) {
                Some(Type::Array { element, length }) => {
                    let count = m.fixed_u32(length).unwrap_or(1).max(1);
                    let stride = u64::from(stride_of(cx, ty).flatten().unwrap_or(0));
                    size = size.saturating_add(u64::from(count - 1).saturating_mul(stride));
                    ty = element;
                }
                Some(Type::RuntimeArray { .. }) => return size,
                Some(Type::Matrix { .. }) => {
                    let key = m.key(ty);
                    let (lines, length) =
                        if layout.row_major { (key.rows(), key.count()) } else { (key.count(), key.rows()) };
                    let stride = u64::from(layout.stride.unwrap_or(0));
                    let line = u64::from(length) * u64::from(key.width().div_ceil(8));
                    return size.saturating_add(u64::from(lines.max(1) - 1) * stride).saturating_add(line);
                }
                _ => break,
            }
        }
        size.saturating_add(self.get(cx, ty).size)
    }
}

fn even(alignment: u32, size: u64) -> Measure {
    Measure { scalar: alignment, base: [alignment; 2], extended: [alignment; 2], size, first: 0 }
}

/// Base alignment of a vector in components. For vectors of more than four the specification has no more than their
/// components' alignment.
fn vector_factor(count: u32) -> u32 {
    match count {
        2 => 2,
        3 | 4 => 4,
        _ => 1,
    }
}

/// Bytes of a handle as `OpSamplerImageAddressingModeNV` has it, where bindless images and samplers are numbers.
fn handle_size(cx: &Cx<'_>) -> u32 {
    if !cx.has(Capability::BindlessTextureNV) {
        return 0;
    }
    cx.m.global_insts().find(|i| i.op() == Op::SamplerImageAddressingModeNV).map_or(0, |i| i.word(1) / 8)
}

fn descriptor(cx: &Cx<'_>, op: Op) -> Measure {
    let layout = match op {
        Op::TypeSampler => cx.options.sampler_descriptor,
        Op::TypeImage | Op::TypeSampledImage => cx.options.image_descriptor,
        Op::TypeBufferEXT | Op::TypeAccelerationStructureKHR | Op::TypeTensorARM => cx.options.buffer_descriptor,
        _ => None,
    };
    layout.map_or(even(1, 0), |l| even(l.align.max(1), u64::from(l.size)))
}

/// The value of a constant that a decoration names: `None` where specialisation or the implementation chooses it.
fn constant(cx: &Cx<'_>, id: Id) -> Option<u32> {
    if cx.m.info(id).op == Op::ConstantSizeOfEXT {
        let ty = cx.m.def(id)?.id(3);
        let layout = descriptor(cx, cx.m.info(ty).op);
        return u32::try_from(layout.size.next_multiple_of(u64::from(layout.scalar.max(1)))).ok().filter(|s| *s > 0);
    }
    cx.m.fixed_u32(id)
}

/// The array stride of a type: `None` where there is none, `Some(None)` where its value is not known.
pub(super) fn stride_of(cx: &Cx<'_>, ty: Id) -> Option<Option<u32>> {
    cx.m.own_decorations(ty).find_map(|d| match d.decoration {
        Decoration::ArrayStride => Some(Some(d.operand())),
        Decoration::ArrayStrideIdEXT => Some(constant(cx, Id(d.operand()))),
        _ => None,
    })
}
