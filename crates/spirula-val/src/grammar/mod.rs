//! Tier 1: what the grammar's tables say of an instruction, in one routine.
//!
//! Word counts, operand kinds, enumerants; capabilities, extensions and versions that the opcode and its enumerants need;
//! and, since they are at hand, the ids among the operands.

mod needs;

use alloc::format;

use spirula_binary::{DecodeError, DecodeErrorKind, Id, Inst, Number, NumberKind, Operands, unknown_bits};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{Category, InstDesc, Operand, OperandKind};

use crate::cx::Cx;
use crate::rules::ssa;

pub(crate) use needs::RULES as NEEDS_RULES;

rules! {
    group "grammar";
    /// The words of the module are a sequence of whole instructions.
    FRAMING: "framing", spec "§2.3";
    /// The header is whole, and its fields are what the specification allows.
    HEADER: "header", spec "§2.3";
    /// The module's version is one that the environment takes.
    ENVIRONMENT_VERSION: "environment-version", spec "§2.3";
    /// The header's bound is greater than 0 and within the limit.
    BOUND: "header-bound", spec "§2.17";
    /// The opcode is one of SPIR-V's or of a registered extension.
    OPCODE: "opcode-unknown", spec "§3.3";
    /// An instruction has all operands that its grammar demands.
    MISSING: "operand-missing", spec "§3.3";
    /// An instruction has no words beyond its last operand.
    EXTRA: "operand-extra", spec "§3.3";
    /// An operand is an enumerant that its kind knows.
    ENUMERANT: "enumerant-unknown", spec "§3.2";
    /// A literal string ends with a NUL within its instruction.
    STRING: "string-unterminated", spec "§2.2.1";
    /// An extended instruction is one of its set.
    EXT_INST: "ext-inst-unknown", spec "OpExtInst";
    /// `OpSpecConstantOp` applies one of the opcodes that it lists.
    SPEC_OP: "spec-constant-op-opcode", spec "OpSpecConstantOp";
    /// The unused high-order bits of a literal number narrower than its words are 0, or repeat the sign.
    LITERAL_BITS: "literal-high-bits", spec "§2.2.1";
    /// The type that tells the size of a literal is an integer or floating-point type.
    LITERAL_TYPE: "literal-type", spec "§2.2.1";
}

/// Judges the words of one instruction.
#[inline]
pub(crate) fn instruction<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    let needs = if desc.is_free() { Ok(()) } else { needs::instruction(cx, inst, desc) };
    let operands = if desc.has_plain_start() { plain(cx, inst, desc) } else { full(cx, inst, desc) };
    needs?;
    operands
}

/// Instructions whose mandatory operands take one word each; with nothing behind them, or a list of ids or literals.
#[inline]
fn plain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    let words = inst.words();
    let min = usize::from(desc.min_words);
    if words.len() != min && (words.len() < min || !(desc.has_id_tail() || desc.has_literal_tail())) {
        return full(cx, inst, desc);
    }
    let mut result = Ok(());
    for (i, (o, word)) in desc.operands().iter().zip(&words[1..min]).enumerate() {
        let one = match o.kind.category() {
            Category::Id => id(cx, inst, desc, i + 1, o.kind, Id(*word)),
            Category::ValueEnum | Category::BitEnum => enumerant(cx, inst, i + 1, o, *word),
            _ => Ok(()),
        };
        result = result.and(one);
    }
    if desc.has_id_tail() {
        for (i, word) in words[min..].iter().enumerate() {
            result = result.and(ssa::usage(cx, inst, desc, min + i, Id(*word)));
        }
    }
    result
}

/// An enumerant or mask without parameters.
#[inline]
fn enumerant<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, at: usize, o: &'static Operand, value: u32) -> Checked {
    // Most masks are empty, and most kinds have no needs for that.
    if value == 0 && o.kind.category() == Category::BitEnum {
        return Ok(());
    }
    let known = match o.kind.category() {
        Category::ValueEnum => o.kind.enumerant(value).is_some(),
        _ => unknown_bits(o.kind, value).is_none(),
    };
    if !known {
        return full_error(cx, inst);
    }
    needs::enumerant(cx, inst, at, o.kind, value)
}

/// Reports what is wrong with an instruction that is known not to decode.
#[cold]
fn full_error<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    match Operands::new(inst, &m).find_map(Result::err) {
        Some(e) => decode_error(cx, inst, e),
        None => Err(Failed),
    }
}

#[inline]
fn id<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, word: usize, kind: OperandKind, id: Id) -> Checked {
    match kind {
        OperandKind::IdResult => ssa::definition(cx, inst, id, word),
        OperandKind::IdResultType => {
            ssa::usage(cx, inst, desc, word, id)?;
            crate::rules::universal::result_type(cx, inst)
        }
        _ => ssa::usage(cx, inst, desc, word, id),
    }
}

/// Any instruction, operand by operand.
fn full<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    let m = cx.m;
    let mut result = Ok(());
    for operand in Operands::new(inst, &m) {
        let operand = match operand {
            Ok(o) => o,
            Err(e) => return decode_error(cx, inst, e),
        };
        let word = operand.at as usize;
        match operand.kind.category() {
            Category::Id => result = result.and(id(cx, inst, desc, word, operand.kind, Id(operand.word()))),
            Category::ValueEnum | Category::BitEnum => {
                result = result.and(needs::enumerant(cx, inst, word, operand.kind, operand.word()));
            }
            _ => {
                if let Some(number) = operand.number
                    && number.width % 32 != 0
                {
                    result = result.and(high_bits(cx, inst, &operand, number));
                }
            }
        }
    }
    result
}

/// Literals of fewer bits than their words have.
#[cold]
fn high_bits(cx: &mut Cx<'_>, inst: Inst<'_>, operand: &spirula_binary::Operand<'_>, number: Number) -> Checked {
    let Some(last) = operand.words.last() else { return Ok(()) };
    let unused = 32 - number.width % 32;
    let signed = ((*last << unused) as i32 >> unused) as u32;
    let wanted = if number.kind == NumberKind::Signed { signed } else { *last << unused >> unused };
    cx.check_at(*last == wanted, &LITERAL_BITS, inst, operand.at as usize, || {
        format!(
            "the word {last:#010x} of a literal of {} bits has other high-order bits than {wanted:#010x}",
            number.width
        )
    })
}

#[cold]
fn decode_error<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, e: DecodeError) -> Checked {
    let rule = match e.kind {
        DecodeErrorKind::UnknownOpcode => &OPCODE,
        DecodeErrorKind::Missing => &MISSING,
        DecodeErrorKind::TooManyWords => &EXTRA,
        DecodeErrorKind::UnterminatedString => &STRING,
        DecodeErrorKind::UnknownEnumerant { .. } | DecodeErrorKind::UnknownBits { .. } => &ENUMERANT,
        DecodeErrorKind::UnknownExtInst { .. } => &EXT_INST,
        DecodeErrorKind::NotASpecConstantOp { .. } => &SPEC_OP,
        // An undefined id says more than that its type is unknown.
        DecodeErrorKind::UnknownLiteralType { id } => {
            let broken = !cx.m.info(id).is_defined() || cx.poison.contains(id, cx.m.ids());
            if broken && let Some(desc) = inst.desc() {
                ssa::usage(cx, inst, desc, e.at as usize, id)?;
                return Err(Failed);
            }
            &LITERAL_TYPE
        }
    };
    cx.fail_at(rule, inst, e.at as usize, || format!("{e}"))?;
    Err(Failed)
}

/// An opcode that the grammar does not know.
#[cold]
pub(crate) fn unknown_opcode(cx: &mut Cx<'_>, inst: Inst<'_>) {
    cx.fail(&OPCODE, inst, || format!("{} is not an opcode of SPIR-V", inst.op().0)).ok();
}

/// Poisons what a failed instruction would have defined.
#[cold]
pub(crate) fn poison(cx: &mut Cx<'_>, result: Option<Id>) {
    if let Some(id) = result {
        cx.poison.insert(id, cx.m.ids());
    }
}
