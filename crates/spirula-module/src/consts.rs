//! Values of constants.

use spirula_binary::Id;
use spirula_grammar::Op;

use crate::Module;

/// The value of an integer constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IntConstant {
    /// The bits, sign-extended from the type's width where it is signed, else zero-extended.
    pub bits: u64,
    /// Whether the type is signed.
    pub signed: bool,
    /// Whether this is the default value of a specialisation constant, so that the value in use may differ.
    pub spec: bool,
}

impl IntConstant {
    /// The value, where it is not negative.
    pub fn as_unsigned(self) -> Option<u64> {
        (!self.signed || self.bits as i64 >= 0).then_some(self.bits)
    }

    /// The value as a 32-bit index or count, where it fits.
    pub fn as_u32(self) -> Option<u32> {
        self.as_unsigned()?.try_into().ok()
    }
}

impl Module<'_> {
    /// The value of an integer constant of at most 64 bits: `OpConstant`, `OpSpecConstant` (its default) or
    /// `OpConstantNull`. `None` for anything else; `OpSpecConstantOp` is not evaluated.
    pub fn int_constant(&self, id: Id) -> Option<IntConstant> {
        let info = self.info(id);
        if !info.is_constant() {
            return None;
        }
        let key = self.key(info.ty);
        if !key.is_int() {
            return None;
        }
        let inst = self.inst_at(info.def)?;
        let raw = match info.op {
            Op::ConstantNull => 0,
            Op::Constant | Op::SpecConstant => u64::from(inst.word(3)) | u64::from(inst.word(4)) << 32,
            _ => return None,
        };
        let unused = 64u32.checked_sub(key.width()).filter(|u| *u < 64)?;
        let bits = if key.is_signed() { ((raw << unused) as i64 >> unused) as u64 } else { raw << unused >> unused };
        Some(IntConstant { bits, signed: key.is_signed(), spec: info.op == Op::SpecConstant })
    }

    /// The value of an integer constant that no specialisation can change, as a 32-bit number.
    pub fn fixed_u32(&self, id: Id) -> Option<u32> {
        let info = self.info(id);
        // Nearly all are unsigned and of this very width.
        if info.op == Op::Constant && self.key(info.ty).is_u32() {
            let words = self.words().get(info.def as usize..)?;
            let [head, _, _, value, ..] = words else { return None };
            return (head >> 16 >= 4).then_some(*value);
        }
        self.int_constant(id).filter(|c| !c.spec)?.as_u32()
    }
}
