//! NonSemantic.Shader.DebugInfo: what operands say beyond what they refer to.

use alloc::format;

use spirula_binary::{Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::{FPEncoding, Op};

use super::{Ext, FIRST};
use crate::cx::Cx;

rules! {
    group "debug_info";
    /// A build identifier has at least 32 lowercase hexadecimal digits and nothing else.
    IDENTIFIER: "debug-build-identifier", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// `DebugFunctionDefinition` names the function that it stands in.
    DEFINITION: "debug-function-definition", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// An operation of an expression has as many operands as the table of operations says.
    OPERATION: "debug-operation-operands", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// An encoding is given for floating-point types, which have its size.
    ENCODING: "debug-type-encoding", ext_inst "NonSemantic.Shader.DebugInfo.101";
}

const BASIC: u32 = 2;
const DEBUG_OPERATION: u32 = 30;
const FUNCTION_DEFINITION: u32 = 101;
const BUILD_IDENTIFIER: u32 = 105;
/// Of the table Base Type Attribute Encodings.
const FLOAT: u32 = 3;

/// The few instructions of the set that are judged here, by number.
const JUDGED: u128 = 1 << BASIC | 1 << DEBUG_OPERATION | 1 << FUNCTION_DEFINITION | 1 << BUILD_IDENTIFIER;

/// Whether [`instruction`] has something to say.
#[inline]
pub(super) fn judges(number: u32) -> bool {
    1u128.checked_shl(number).is_some_and(|bit| JUDGED & bit != 0)
}

#[cold]
pub(super) fn instruction(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    match ext.inst.word(4) {
        BASIC if ext.inst.words().len() > FIRST + 4 => encoding(cx, ext.inst),
        DEBUG_OPERATION => operation(cx, ext.inst),
        FUNCTION_DEFINITION => definition(cx, ext.inst),
        BUILD_IDENTIFIER => identifier(cx, ext.inst),
        _ => Ok(()),
    }
}

/// Numbers of operands, by operation: Deref, Plus, Minus, PlusUconst, BitPiece, Swap, Xderef, StackValue, Constu, Fragment.
const OPERANDS: [usize; 10] = [0, 0, 0, 1, 2, 0, 0, 0, 1, 2];

fn operation(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let Some(code) = cx.m.fixed_u32(inst.id(FIRST)) else { return Ok(()) };
    let Some(wanted) = OPERANDS.get(code as usize).copied() else { return Ok(()) };
    let given = inst.tail(FIRST + 1).len();
    cx.check(given == wanted, &OPERATION, inst, || {
        format!("the operation {code} has {given} operands, but must have {wanted}")
    })
}

fn identifier(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let text = cx.m.def(inst.id(FIRST)).filter(|d| d.op() == Op::String).and_then(|d| LitStr::read(d.tail(2)));
    let Some(text) = text else { return Ok(()) };
    let digits = text.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
    cx.check_at(digits && text.len() >= 32, &IDENTIFIER, inst, FIRST, || {
        let what = if digits { "digits, fewer than 32" } else { "characters, not all lowercase hexadecimal digits" };
        format!("the identifier has {} {what}", text.len())
    })
}

fn definition(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let Some(here) = cx.here else { return Ok(()) };
    let named = inst.id(FIRST + 1);
    // Tools that inline or remove the function leave no function to name.
    let fits = named == here.function.id || cx.m.info(named).op != Op::Function;
    cx.check_at(fits, &DEFINITION, inst, FIRST + 1, || {
        format!("Definition is {named}, but the instruction stands in {}", here.function.id)
    })
}

fn encoding(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let m = cx.m;
    let number = |i: usize| m.fixed_u32(inst.id(FIRST + i));
    let (Some(size), Some(class), Some(encoding)) = (number(1), number(2), number(4)) else { return Ok(()) };
    cx.check_at(class == FLOAT, &ENCODING, inst, FIRST + 4, || {
        format!("an FPEncoding is given, but Encoding is {class}, not that of a floating-point type")
    })?;
    let wanted = match FPEncoding(encoding) {
        FPEncoding::BFloat16KHR => 16,
        FPEncoding::Float8E4M3EXT | FPEncoding::Float8E5M2EXT => 8,
        _ => size,
    };
    cx.check_at(size == wanted, &ENCODING, inst, FIRST + 1, || {
        format!("Size is {size}, but must be {wanted} with the FPEncoding {}", FPEncoding(encoding))
    })
}
