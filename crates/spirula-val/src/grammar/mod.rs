//! Tier 1: what the grammar's tables say of an instruction, in one routine.
//!
//! Word counts, operand kinds, enumerants; capabilities, extensions and versions that the opcode and its enumerants need;
//! and, since they are at hand, the ids among the operands.

mod needs;

use alloc::format;

use spirula_binary::{
    Context, DecodeError, DecodeErrorKind, Id, Imported, Inst, LitStr, Number, NumberKind, Operands, unknown_bits,
};
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{
    Category, InstDesc, MaskParameters, Op, Operand, OperandKind, Quantifier, allowed_in_spec_constant_op,
};

use crate::cx::Cx;
use crate::dispatch::Row;
use crate::rules::{ssa, universal};

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
    MISSING: "operand-missing", own "§3.3";
    /// An instruction has no words beyond its last operand.
    EXTRA: "operand-extra", own "§3.3";
    /// An operand is an enumerant that its kind knows.
    ENUMERANT: "enumerant-unknown", spec "§3.2";
    /// A literal string ends with a NUL within its instruction.
    STRING: "string-unterminated", spec "§2.2.1";
    /// An extended instruction is one of its set.
    EXT_INST: "ext-inst-unknown", spec "OpExtInst";
    /// `OpSpecConstantOp` applies one of the opcodes that it lists.
    SPEC_OP: "spec-constant-op-opcode", spec "OpSpecConstantOp";
    /// Where a literal number is narrower than its words, the bits above it are 0, or repeat its sign.
    LITERAL_BITS: "literal-high-bits", spec "§2.2.1";
    /// The type that tells the size of a literal is an integer or floating-point type.
    LITERAL_TYPE: "literal-type", spec "§2.2.1";
}

/// Number of words of an instruction, the first one included, that tell by their place what they are.
pub(crate) const fn front(desc: &InstDesc) -> usize {
    if desc.has_plain_start() {
        return desc.min_words as usize;
    }
    let (list, mut count) = (desc.operands(), 0);
    if desc.has_string_tail() {
        return list.len();
    }
    while count < list.len() && matches!(list[count].quantifier, Quantifier::One) {
        // Enumerants may have parameters, which come right behind them.
        let kind = list[count].kind;
        if !matches!(kind.category(), Category::Id) && !matches!(kind, OperandKind::LiteralInteger) {
            break;
        }
        count += 1;
    }
    1 + count
}

/// Which of the words at the [`front`] of an instruction are ids (other than result type and result), and which enumerants
/// or masks: bit `i` stands for word `i`.
pub(crate) const fn masks(desc: &InstDesc) -> (u32, u32) {
    let (mut ids, mut enums) = (0, 0);
    let end = front(desc);
    assert!(end <= 32);
    let mut word = 1;
    while word < end {
        let kind = desc.operands()[word - 1].kind;
        match kind.category() {
            Category::Id if !matches!(kind, OperandKind::IdResult | OperandKind::IdResultType) => ids |= 1 << word,
            Category::ValueEnum | Category::BitEnum => enums |= 1 << word,
            _ => {}
        }
        word += 1;
    }
    (ids, enums)
}

/// The kind of the first operand that may be left out.
pub(crate) const fn first_optional(desc: &InstDesc) -> OperandKind {
    let (list, at) = (desc.operands(), desc.min_words as usize - 1);
    if desc.has_plain_start() && at < list.len() { list[at].kind } else { OperandKind::IdRef }
}

/// Judges the words of one instruction.
#[inline]
pub(crate) fn instruction<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, row: &Row) -> Checked {
    let needs = if row.free { Ok(()) } else { needs::instruction(cx, inst, desc) };
    let operands = if desc.has_plain_start() {
        plain(cx, inst, desc, row)
    } else if desc.has_string_tail() {
        string_tail(cx, inst, desc, row)
    } else {
        other(cx, inst, desc, row)
    };
    needs?;
    operands
}

/// Instructions whose mandatory operands take one word each, whatever is behind them.
#[inline]
fn plain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, row: &Row) -> Checked {
    let words = inst.words();
    let min = usize::from(desc.min_words);
    if words.len() < min {
        return malformed(cx, inst);
    }
    let result = at_front(cx, inst, desc, row);
    if words.len() == min || desc.has_literal_tail() {
        return result;
    }
    let pairs = row.optional == OperandKind::PairIdRefIdRef && (words.len() - min).is_multiple_of(2);
    if desc.has_id_tail() || pairs {
        return ids_from(cx, inst, desc, min).and(result);
    }
    // Most of what may be left out are masks of memory operands.
    if row.optional.mask_bits().plain_words(words[min]) == Some(words.len() - min) {
        return result;
    }
    result.and(behind(cx, inst, desc, &desc.operands()[min - 1..], min))
}

/// The words from `first` on, which are ids.
#[inline]
fn ids_from<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, first: usize) -> Checked {
    let mut fine = true;
    for (i, word) in inst.tail(first).iter().enumerate() {
        fine &= ssa::usage(cx, inst, desc, first + i, Id(*word)).is_ok();
    }
    if fine { Ok(()) } else { Err(Failed) }
}

/// Instructions that end in a string, behind operands of one word each.
fn string_tail<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, row: &Row) -> Checked {
    let at = desc.operands().len();
    let string = LitStr::read(inst.tail(at));
    if string.is_none_or(|s| at + s.word_count() != inst.words().len()) {
        return malformed(cx, inst);
    }
    at_front(cx, inst, desc, row)
}

/// The words that tell by their place what they are.
#[inline(always)]
fn at_front<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, row: &Row) -> Checked {
    let mut fine = results(cx, inst, desc).is_ok();
    for word in bits(row.ids) {
        fine &= ssa::usage(cx, inst, desc, word, inst.id(word)).is_ok();
    }
    for word in bits(row.enums) {
        fine &= enumerant(cx, inst, word, &desc.operands()[word - 1], inst.word(word)).is_ok();
    }
    if fine { Ok(()) } else { Err(Failed) }
}

/// Positions of the bits that are set.
#[inline]
fn bits(mut mask: u32) -> impl Iterator<Item = usize> {
    core::iter::from_fn(move || {
        let bit = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (bit < 32).then_some(bit as usize)
    })
}

/// Result type and result id.
#[inline(always)]
fn results<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    let typed = if desc.has_result_type() { result_type(cx, inst, desc) } else { Ok(()) };
    match desc.result_word() {
        0 => typed,
        word => typed.and(ssa::definition(cx, inst, inst.id(word), word)),
    }
}

#[inline(always)]
fn result_type<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    let info = cx.m.info(inst.id(1));
    if info.is_type() && info.def < inst.offset() { Ok(()) } else { other_result_type(cx, inst, desc) }
}

#[cold]
fn other_result_type<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    ssa::usage(cx, inst, desc, 1, inst.id(1))?;
    universal::result_type(cx, inst)
}

/// An enumerant or mask without parameters.
#[inline]
fn enumerant<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, at: usize, o: &'static Operand, value: u32) -> Checked {
    if o.kind.category() == Category::BitEnum {
        return match unknown_bits(o.kind, value) {
            None => needs::mask(cx, inst, at, o.kind, value),
            Some(_) => malformed(cx, inst),
        };
    }
    match o.kind.enumerant(value) {
        Some(e) => needs::enumerant(cx, inst, at, o.kind, e),
        None => malformed(cx, inst),
    }
}

/// Instructions of another form.
fn other<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, row: &Row) -> Checked {
    let (front, len) = (usize::from(row.front), inst.words().len());
    if len < front {
        return malformed(cx, inst);
    }
    let result = at_front(cx, inst, desc, row);
    // Operands of another instruction stand behind its number.
    let list = match desc.op {
        Op::ExtInst | Op::ExtInstWithForwardRefsKHR if len > front => ext_operands(cx, inst),
        Op::SpecConstantOp if len > front => spec_operands(inst),
        _ => return result.and(behind(cx, inst, desc, &desc.operands()[front - 1..], front)),
    };
    match list {
        Some((list, may_grow)) => result.and(Stream { inst, desc, at: front + 1 }.all(cx, list, may_grow)),
        None => malformed(cx, inst),
    }
}

/// The operands of an extended instruction, and whether more ids may follow; `None` where its set does not have it.
#[inline]
fn ext_operands<'a>(cx: &Cx<'a>, inst: Inst<'a>) -> Option<(&'static [Operand], bool)> {
    // All operands of a set that is not known, or that may have grown, are ids.
    let Some(Imported::Known(set)) = cx.m.imported(inst.id(3)) else { return Some((&[], true)) };
    match set.instruction(inst.word(4)) {
        Some(e) if e.takes_ids(inst.words().len() - 5) => Some((&[], true)),
        Some(e) => Some((e.operands(), set.is_non_semantic())),
        None => set.is_non_semantic().then_some((&[], true)),
    }
}

/// The operands of the instruction that `OpSpecConstantOp` applies; `None` where it cannot apply it.
fn spec_operands(inst: Inst<'_>) -> Option<(&'static [Operand], bool)> {
    let op = u16::try_from(inst.word(3)).map(Op).ok().filter(|op| allowed_in_spec_constant_op(*op))?;
    let desc = op.desc()?;
    let results = usize::from(desc.has_result_type()) + usize::from(desc.has_result());
    Some((desc.operands().get(results..)?, false))
}

/// The operands of `list`, which start at word `at` and end the instruction.
fn behind<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    desc: &'static InstDesc,
    list: &'static [Operand],
    at: usize,
) -> Checked {
    Stream { inst, desc, at }.all(cx, list, false)
}

/// Judges operands from word to word. Whoever wants the operands themselves takes [`Operands`]; this is the short way
/// for what is judged as it comes.
struct Stream<'a> {
    inst: Inst<'a>,
    desc: &'static InstDesc,
    at: usize,
}

/// The words do not fit the operands that they should be: `malformed` says why.
struct Misfit;

impl<'a> Stream<'a> {
    fn all(&mut self, cx: &mut Cx<'a>, list: &'static [Operand], may_grow: bool) -> Checked {
        let mut judged = Ok(());
        if self.list(cx, list, &mut judged).is_err() {
            return malformed(cx, self.inst);
        }
        let rest = self.inst.tail(self.at);
        if !rest.is_empty() && !may_grow {
            return malformed(cx, self.inst);
        }
        ids_from(cx, self.inst, self.desc, self.at).and(judged)
    }

    /// Operands of an instruction, or parameters of an enumerant. The tables nest no deeper than that.
    fn list(&mut self, cx: &mut Cx<'a>, list: &'static [Operand], judged: &mut Checked) -> Result<(), Misfit> {
        let end = self.inst.words().len();
        for o in list {
            match o.quantifier {
                Quantifier::One => self.operand(cx, o, judged)?,
                Quantifier::Optional if self.at >= end => {}
                Quantifier::Optional => self.operand(cx, o, judged)?,
                Quantifier::Many => {
                    while self.at < end {
                        self.operand(cx, o, judged)?;
                    }
                }
            }
        }
        Ok(())
    }

    #[inline]
    fn operand(&mut self, cx: &mut Cx<'a>, o: &'static Operand, judged: &mut Checked) -> Result<(), Misfit> {
        // Most operands are ids.
        if o.kind.is_id() && self.at < self.inst.words().len() {
            *judged = judged.and(ssa::usage(cx, self.inst, self.desc, self.at, self.inst.id(self.at)));
            self.at += 1;
            return Ok(());
        }
        self.one(cx, o, judged)
    }

    fn one(&mut self, cx: &mut Cx<'a>, o: &'static Operand, judged: &mut Checked) -> Result<(), Misfit> {
        let (inst, at) = (self.inst, self.at);
        let Some(&word) = inst.words().get(at) else { return Err(Misfit) };
        self.at += 1;
        match o.kind.category() {
            Category::Id => *judged = judged.and(ssa::usage(cx, inst, self.desc, at, Id(word))),
            Category::Literal => self.literal(cx, o.kind, judged)?,
            Category::ValueEnum => {
                let e = o.kind.enumerant(word).ok_or(Misfit)?;
                *judged = judged.and(needs::enumerant(cx, inst, at, o.kind, e));
                self.list(cx, e.parameters(), judged)?;
            }
            Category::BitEnum => {
                if unknown_bits(o.kind, word).is_some() {
                    return Err(Misfit);
                }
                *judged = judged.and(needs::mask(cx, inst, at, o.kind, word));
                for parameters in MaskParameters::of(o.kind, word) {
                    self.list(cx, parameters, judged)?;
                }
            }
            Category::Composite => self.pair(cx, o.kind, word, judged)?,
        }
        Ok(())
    }

    /// A pair, whose first word has been taken.
    fn pair(&mut self, cx: &mut Cx<'a>, kind: OperandKind, first: u32, judged: &mut Checked) -> Result<(), Misfit> {
        let inst = self.inst;
        if kind == OperandKind::PairLiteralIntegerIdRef {
            let selector = cx.m.number(cx.m.type_id_of(inst.id(1)));
            let number = selector.filter(|n| matches!(n.kind, NumberKind::Signed | NumberKind::Unsigned));
            self.number(cx, number.ok_or(Misfit)?, judged)?;
        } else {
            *judged = judged.and(ssa::usage(cx, inst, self.desc, self.at - 1, Id(first)));
        }
        let second = *inst.words().get(self.at).ok_or(Misfit)?;
        self.at += 1;
        if kind != OperandKind::PairIdRefLiteralInteger {
            *judged = judged.and(ssa::usage(cx, inst, self.desc, self.at - 1, Id(second)));
        }
        Ok(())
    }

    /// A literal number, whose first word has been taken.
    fn number(&mut self, cx: &mut Cx<'a>, number: Number, judged: &mut Checked) -> Result<(), Misfit> {
        let first = self.at - 1;
        self.at = first + number.words();
        let Some(words) = self.inst.words().get(first..self.at) else { return Err(Misfit) };
        if !number.width.is_multiple_of(32) {
            *judged = judged.and(high_bits(cx, self.inst, first, words, number));
        }
        Ok(())
    }

    /// A literal, whose first word has been taken.
    fn literal(&mut self, cx: &mut Cx<'a>, kind: OperandKind, judged: &mut Checked) -> Result<(), Misfit> {
        match kind {
            OperandKind::LiteralString => {
                let first = self.at - 1;
                self.at = first + LitStr::read(self.inst.tail(first)).ok_or(Misfit)?.word_count();
            }
            OperandKind::LiteralContextDependentNumber => {
                let number = cx.m.number(self.inst.id(1)).ok_or(Misfit)?;
                self.number(cx, number, judged)?;
            }
            _ => {}
        }
        Ok(())
    }
}

/// Reports what is wrong with an instruction that is known not to decode.
#[cold]
fn malformed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    match Operands::new(inst, &m).find_map(Result::err) {
        Some(e) => decode_error(cx, inst, e),
        None => Err(Failed),
    }
}

/// Literals of fewer bits than their words have.
#[cold]
fn high_bits(cx: &mut Cx<'_>, inst: Inst<'_>, at: usize, words: &[u32], number: Number) -> Checked {
    let Some(last) = words.last() else { return Ok(()) };
    let unused = 32 - number.width % 32;
    let signed = ((*last << unused) as i32 >> unused) as u32;
    let wanted = if number.kind == NumberKind::Signed { signed } else { *last << unused >> unused };
    cx.check_at(*last == wanted, &LITERAL_BITS, inst, at, || {
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
