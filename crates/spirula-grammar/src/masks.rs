//! What the bits of a mask are, taken together.

use crate::desc::{Category, Operand, OperandKind};

/// The bits of a kind of mask.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MaskBits {
    /// Bits that the grammar knows.
    pub known: u32,
    /// Those that every module may set: they need no capability, extension or version.
    pub free: u32,
    /// Those that parameters follow.
    pub with_parameters: u32,
    /// Those of the free ones that nothing follows, or one literal word.
    pub plain: u32,
}

const NO_BITS: MaskBits = MaskBits { known: 0, free: 0, with_parameters: 0, plain: 0 };

/// By operand kind; all 0 for what is no mask.
static MASK_BITS: [MaskBits; OperandKind::ALL.len()] = {
    let mut all = [NO_BITS; OperandKind::ALL.len()];
    let mut k = 0;
    while k < all.len() {
        if matches!(OperandKind::ALL[k].category(), Category::BitEnum) {
            all[k] = bits_of(OperandKind::ALL[k]);
        }
        k += 1;
    }
    all
};

const fn bits_of(kind: OperandKind) -> MaskBits {
    let mut bits = NO_BITS;
    let list = kind.enumerants();
    let mut i = 0;
    while i < list.len() {
        let e = &list[i];
        bits.known |= e.value;
        if e.is_free() {
            bits.free |= e.value;
        }
        if e.count != 0 {
            bits.with_parameters |= e.value;
        }
        let parameters = e.parameters();
        if e.is_free() && (parameters.is_empty() || parameters.len() == 1 && parameters[0].is_literal_word()) {
            bits.plain |= e.value;
        }
        i += 1;
    }
    bits
}

impl MaskBits {
    /// Where the mask has bits and all of them are [`plain`](Self::plain): the words that it takes with what follows it.
    #[inline]
    pub fn plain_words(&self, mask: u32) -> Option<usize> {
        (mask != 0 && mask & !self.plain == 0).then(|| 1 + (mask & self.with_parameters).count_ones() as usize)
    }
}

impl OperandKind {
    /// What the bits of a mask of this kind are; none is known where the kind is no mask.
    #[inline]
    pub fn mask_bits(self) -> &'static MaskBits {
        &MASK_BITS[self as usize]
    }
}

/// The operands that follow a mask: the parameters of its bits, from the lowest bit up. Each item is the list of one bit,
/// and none is empty.
#[derive(Clone, Copy, Debug)]
pub struct MaskParameters {
    kind: OperandKind,
    left: u32,
}

impl MaskParameters {
    /// No parameters.
    pub const NONE: MaskParameters = MaskParameters { kind: OperandKind::IdRef, left: 0 };

    /// Those of `mask`. Bits that the grammar does not know have none.
    #[inline]
    pub fn of(kind: OperandKind, mask: u32) -> MaskParameters {
        MaskParameters { kind, left: mask & kind.mask_bits().with_parameters }
    }

    /// Whether none is left.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.left == 0
    }
}

impl Iterator for MaskParameters {
    type Item = &'static [Operand];

    #[inline]
    fn next(&mut self) -> Option<&'static [Operand]> {
        if self.left == 0 {
            return None;
        }
        let bit = self.left & self.left.wrapping_neg();
        self.left &= !bit;
        self.kind.enumerant(bit).map(|e| e.parameters())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ImageOperands, MemoryAccess};

    #[test]
    fn parameters_come_in_the_order_of_the_bits() {
        let mask = ImageOperands::MinLod.0 | ImageOperands::Bias.0 | ImageOperands::NonPrivateTexel.0;
        let lists = MaskParameters::of(OperandKind::ImageOperands, mask);
        let of = |bit: ImageOperands| OperandKind::ImageOperands.enumerant(bit.0).map(|e| e.parameters());
        assert!(lists.map(Some).eq([of(ImageOperands::Bias), of(ImageOperands::MinLod)]));
        assert!(MaskParameters::of(OperandKind::StorageClass, 1).is_empty());
    }

    #[test]
    fn bits_are_those_of_the_enumerants() {
        let access = OperandKind::MemoryAccess.mask_bits();
        assert_eq!(access.free & 7, 7, "Volatile, Aligned and Nontemporal are free");
        assert_eq!(access.with_parameters & 7, MemoryAccess::Aligned.0);
        assert_eq!(access.plain & 7, 7);
        assert_eq!(access.free & MemoryAccess::NonPrivatePointer.0, 0);
        assert_eq!(OperandKind::ImageOperands.mask_bits().plain & ImageOperands::Bias.0, 0, "an id follows");
        assert_eq!(access.known >> 31, 0);
        assert_eq!(access.plain_words(2), Some(2));
        assert_eq!(access.plain_words(8), None);
        assert_eq!(OperandKind::IdRef.mask_bits().plain_words(0), None, "no mask");
        for kind in OperandKind::ALL.iter().filter(|k| k.category() == Category::BitEnum) {
            let none = kind.enumerant(0);
            assert!(none.is_none_or(|e| e.parameters().is_empty()), "{kind:?} without a bit has parameters");
        }
    }
}
