//! The decorations that a report asks for, of one target, collected at once.

use spirula_binary::Id;
use spirula_grammar::Decoration;
use spirula_module::{Decorated, Module};

/// Decorations without operands, one bit each.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Flags(u16);

impl Flags {
    pub(crate) const NON_WRITABLE: Flags = Flags(1);
    pub(crate) const NON_READABLE: Flags = Flags(1 << 1);
    pub(crate) const COHERENT: Flags = Flags(1 << 2);
    pub(crate) const VOLATILE: Flags = Flags(1 << 3);
    pub(crate) const RESTRICT: Flags = Flags(1 << 4);
    pub(crate) const ROW_MAJOR: Flags = Flags(1 << 5);
    /// `UserSemantic`, which has an operand; but there may be several.
    pub(crate) const SEMANTIC: Flags = Flags(1 << 6);
    // Those of `INTERPOLATION`, in its order.
    const FLAT: Flags = Flags(1 << 7);
    const NO_PERSPECTIVE: Flags = Flags(1 << 8);
    const CENTROID: Flags = Flags(1 << 9);
    const SAMPLE: Flags = Flags(1 << 10);
    pub(crate) const PATCH: Flags = Flags(1 << 11);
    const INVARIANT: Flags = Flags(1 << 12);
    pub(crate) const PER_VERTEX: Flags = Flags(1 << 13);
    const PER_PRIMITIVE: Flags = Flags(1 << 14);
    const PER_VIEW: Flags = Flags(1 << 15);

    fn of(decoration: Decoration) -> Flags {
        match decoration {
            Decoration::NonWritable => Flags::NON_WRITABLE,
            Decoration::NonReadable => Flags::NON_READABLE,
            Decoration::Coherent => Flags::COHERENT,
            Decoration::Volatile => Flags::VOLATILE,
            Decoration::Restrict => Flags::RESTRICT,
            Decoration::RowMajor => Flags::ROW_MAJOR,
            Decoration::UserSemantic => Flags::SEMANTIC,
            Decoration::Patch => Flags::PATCH,
            Decoration::PerVertexKHR => Flags::PER_VERTEX,
            Decoration::Flat => Flags::FLAT,
            Decoration::NoPerspective => Flags::NO_PERSPECTIVE,
            Decoration::Centroid => Flags::CENTROID,
            Decoration::Sample => Flags::SAMPLE,
            Decoration::Invariant => Flags::INVARIANT,
            Decoration::PerPrimitiveEXT => Flags::PER_PRIMITIVE,
            Decoration::PerViewNV => Flags::PER_VIEW,
            _ => Flags(0),
        }
    }

    pub(crate) fn or(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    pub(crate) fn has(self, flag: Flags) -> bool {
        self.0 & flag.0 != 0
    }

    /// Those that say how values are interpolated, or between which stages they pass.
    pub(crate) fn interpolation(self) -> impl Iterator<Item = Decoration> {
        let own = self.0 / Flags::FLAT.0;
        let count = u16::BITS - own.leading_zeros();
        INTERPOLATION.into_iter().take(count as usize).zip(0..).filter(move |(_, at)| own >> at & 1 != 0).map(|i| i.0)
    }
}

const INTERPOLATION: [Decoration; 9] = [
    Decoration::Flat,
    Decoration::NoPerspective,
    Decoration::Centroid,
    Decoration::Sample,
    Decoration::Patch,
    Decoration::Invariant,
    Decoration::PerVertexKHR,
    Decoration::PerPrimitiveEXT,
    Decoration::PerViewNV,
];

/// The first operand of the first decoration of a kind.
type Operand = Option<u32>;

/// Decorations of a variable.
#[derive(Default)]
pub(crate) struct OfVariable {
    pub(crate) set: Operand,
    pub(crate) binding: Operand,
    pub(crate) input_attachment_index: Operand,
    pub(crate) counter: Operand,
    pub(crate) location: Operand,
    pub(crate) component: Operand,
    pub(crate) index: Operand,
    pub(crate) built_in: Operand,
    pub(crate) flags: Flags,
}

impl OfVariable {
    pub(crate) fn new(m: &Module<'_>, id: Id) -> OfVariable {
        let mut all = OfVariable::default();
        m.own_decorations(id).for_each(|d| all.add(&d));
        all
    }

    fn add(&mut self, d: &Decorated<'_>) {
        let operand = match d.decoration {
            Decoration::DescriptorSet => &mut self.set,
            Decoration::Binding => &mut self.binding,
            Decoration::InputAttachmentIndex => &mut self.input_attachment_index,
            Decoration::CounterBuffer => &mut self.counter,
            Decoration::Location => &mut self.location,
            Decoration::Component => &mut self.component,
            Decoration::Index => &mut self.index,
            Decoration::BuiltIn => &mut self.built_in,
            other => {
                self.flags = self.flags.or(Flags::of(other));
                return;
            }
        };
        operand.get_or_insert(d.operand());
    }
}

/// Decorations of a member of a structure. There may be many of them: what is not there is 0, and a bit tells.
#[derive(Clone, Copy, Default)]
pub(crate) struct OfMember {
    offset: u32,
    matrix_stride: u32,
    built_in: u32,
    location: u32,
    component: u32,
    pub(crate) flags: Flags,
    has: u8,
}

const OFFSET: u8 = 1;
const MATRIX_STRIDE: u8 = 2;
const BUILT_IN: u8 = 4;
const LOCATION: u8 = 8;
const COMPONENT: u8 = 16;

impl OfMember {
    pub(crate) fn add(&mut self, d: &Decorated<'_>) {
        let (operand, bit) = match d.decoration {
            Decoration::Offset => (&mut self.offset, OFFSET),
            Decoration::MatrixStride => (&mut self.matrix_stride, MATRIX_STRIDE),
            Decoration::BuiltIn => (&mut self.built_in, BUILT_IN),
            Decoration::Location => (&mut self.location, LOCATION),
            Decoration::Component => (&mut self.component, COMPONENT),
            other => {
                self.flags = self.flags.or(Flags::of(other));
                return;
            }
        };
        if self.has & bit == 0 {
            self.has |= bit;
            *operand = d.operand();
        }
    }

    fn get(&self, operand: u32, bit: u8) -> Option<u32> {
        (self.has & bit != 0).then_some(operand)
    }

    pub(crate) fn offset(&self) -> Option<u32> {
        self.get(self.offset, OFFSET)
    }

    pub(crate) fn matrix_stride(&self) -> Option<u32> {
        self.get(self.matrix_stride, MATRIX_STRIDE)
    }

    pub(crate) fn built_in(&self) -> Option<u32> {
        self.get(self.built_in, BUILT_IN)
    }

    pub(crate) fn location(&self) -> Option<u32> {
        self.get(self.location, LOCATION)
    }

    pub(crate) fn component(&self) -> Option<u32> {
        self.get(self.component, COMPONENT)
    }
}

/// What decorations of all members say; nothing where there are none.
pub(crate) fn of_all(members: &[OfMember]) -> Flags {
    members.iter().map(|m| m.flags).reduce(|all, own| Flags(all.0 & own.0)).unwrap_or_default()
}
