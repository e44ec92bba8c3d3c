//! TOSA.001000.1: operators on tensors.

mod table;

use alloc::format;
use alloc::string::String;

use spirula_binary::Id;
use spirula_diag::{Checked, Failed, rules};
use spirula_grammar::{FPEncoding, Op, Tosa};
use spirula_module::{Scalar, Type};

use super::{Ext, FIRST};
use crate::cx::{Cx, msg};
use crate::rules::conversion::encoding;
use crate::rules::tensor::{Tensor, sizes, tensor};
use crate::signature::describe;
use table::{BF16, BOOL, E4M3, E5M2, Elements, F16, F32, Gives, I8, I16, I32, I64, Kind, NAMES, ROWS, Row, Shapes};

rules! {
    group "ext_inst";
    /// An operand is a constant of the right type where it is an attribute, and a tensor of the right rank where it is an
    /// input.
    OPERAND: "tosa-operand", ext_inst "TOSA.001000.1";
    /// The Result Type is a tensor of the right rank; operators with two outputs give a structure of two tensors.
    RESULT: "tosa-result-type", ext_inst "TOSA.001000.1";
    /// The element types of the operands and the Result Type are one of the combinations that the operator supports. A
    /// warning, since a consumer may support more of them.
    TYPES: "tosa-type-support", warn ext_inst "TOSA.001000.1";
    /// A zero point has the element type of what it is for. A warning, since published examples have others.
    ZERO: "tosa-zero-point", warn ext_inst "TOSA.001000.1";
    /// Ranks and shapes of operands and results go together as the operator's description says. A warning, since the
    /// module is well formed and only what it describes is wrong.
    SHAPES: "tosa-shapes", warn ext_inst "TOSA.001000.1";
    /// An axis is a dimension of the tensor; what dimensions are permuted to are dimensions of it, each once.
    AXIS: "tosa-axis", ext_inst "TOSA.001000.1";
    /// An enumerated attribute has one of the values that are listed. A warning, since converters write 0 where the attribute
    /// has no effect.
    ENUM: "tosa-enumerant", warn ext_inst "TOSA.001000.1";
}

/// Whether something judges the instruction with this number.
#[cfg(test)]
pub(super) fn is_judged(number: u32) -> bool {
    ROWS.get(number as usize).is_some()
}

/// Which combinations of element types are still possible.
struct Types {
    row: &'static Row,
    /// As bits, the combinations that fit so far.
    left: u32,
    /// Element type of each column; 0 where none was seen.
    chosen: [Elements; 4],
}

impl Types {
    fn new(row: &'static Row) -> Types {
        Types { row, left: (1 << row.types.len()) - 1, chosen: [0; 4] }
    }

    /// The combinations that are left.
    fn combinations(&self) -> impl Iterator<Item = (usize, &'static [Elements])> {
        let left = self.left;
        self.row.types.iter().copied().enumerate().filter(move |(i, _)| left >> i & 1 != 0)
    }

    /// The element types that a column may still have.
    fn possible(&self, column: usize) -> Elements {
        match self.chosen.get(column).copied().unwrap_or(0) {
            0 => self.combinations().fold(0, |all, (_, row)| all | row.get(column).copied().unwrap_or(0)),
            chosen => chosen,
        }
    }

    /// Takes the element type of an operand. Returns whether it fits.
    fn take(&mut self, column: usize, element: Elements) -> bool {
        if self.possible(column) & element == 0 {
            return false;
        }
        let fits = |row: &[Elements]| row.get(column).is_some_and(|e| e & element != 0);
        self.left = self.combinations().filter(|(_, row)| fits(row)).fold(0, |left, (i, _)| left | 1 << i);
        if let Some(chosen) = self.chosen.get_mut(column) {
            *chosen = element;
        }
        true
    }
}

/// The element type as a set; nothing for types that TOSA's are not mapped to.
fn element_of(cx: &Cx<'_>, ty: Id) -> Elements {
    let key = cx.m.key(ty);
    if key.is_bool() {
        return BOOL;
    }
    if key.is_int() && !key.is_signed() {
        return match key.width() {
            8 => I8,
            16 => I16,
            32 => I32,
            64 => I64,
            _ => 0,
        };
    }
    match (encoding(cx, ty), key.width()) {
        (Some(FPEncoding::BFloat16KHR), _) => BF16,
        (Some(FPEncoding::Float8E4M3EXT), _) => E4M3,
        (Some(FPEncoding::Float8E5M2EXT), _) => E5M2,
        (None, 16) if key.is_scalar(Scalar::Float) => F16,
        (None, 32) if key.is_scalar(Scalar::Float) => F32,
        _ => 0,
    }
}

/// The names of a set of element types, for messages.
#[cold]
fn names(of: Elements) -> String {
    let mut text = String::new();
    for (_, name) in NAMES.iter().enumerate().filter(|(i, _)| of >> i & 1 != 0) {
        if !text.is_empty() {
            text.push_str(" or ");
        }
        text.push_str(name);
    }
    text
}

/// The rank, where it is known.
fn rank_of(cx: &Cx<'_>, t: Tensor) -> Option<u32> {
    cx.m.fixed_u32(t.rank?)
}

/// The number of elements of a tensor of rank 1, where it is known.
fn length_of(cx: &Cx<'_>, t: Tensor) -> Option<u32> {
    match sizes(cx, t) {
        Some(&[length]) => cx.m.fixed_u32(Id(length)),
        _ => None,
    }
}

pub(super) fn instruction(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let Some(row) = ROWS.get(ext.inst.word(4) as usize) else { return Ok(()) };
    let mut walk = Walk { ext, row, types: Types::new(row), first: None };
    walk.first(cx);
    for i in 0..ext.inst.tail(FIRST).len() {
        let Some(kind) = row.operands.get(i).or(row.operands.last()) else { break };
        walk.operand(cx, i, *kind)?;
    }
    walk.result(cx)?;
    walk.shapes(cx)?;
    match Tosa(ext.inst.word(4)) {
        Tosa::TABLE => walk.table(cx),
        Tosa::TRANSPOSE => walk.permutation(cx),
        _ => Ok(()),
    }
}

/// One instruction as it is judged, operand by operand.
struct Walk<'w> {
    ext: Ext<'w>,
    row: &'static Row,
    types: Types,
    /// Position of the first operand that is a tensor, and the tensor.
    first: Option<(usize, Tensor)>,
}

fn is_input(kind: &Kind) -> bool {
    matches!(kind, Kind::Tensor { .. } | Kind::Other { .. })
}

impl Walk<'_> {
    fn first(&mut self, cx: &Cx<'_>) {
        let at = self.row.operands.iter().position(is_input);
        self.first = at.and_then(|i| {
            let id = self.ext.inst.tail(FIRST).get(i)?;
            Some((i, tensor(cx, cx.m.type_id_of(Id(*id)))?))
        });
    }

    fn operand(&mut self, cx: &mut Cx<'_>, i: usize, kind: Kind) -> Checked {
        let (ext, word) = (self.ext, FIRST + i);
        let ty = cx.type_at(ext.inst, word)?;
        if !is_input(&kind) {
            constant(cx, ext, i)?;
        }
        match kind {
            Kind::Flag => must(cx, ext, i, cx.m.key(ty).is_bool(), || "a Boolean scalar".into()),
            Kind::Axis | Kind::Enum(_) | Kind::Accumulator { .. } => {
                must(cx, ext, i, element_of(cx, ty) == I32, || NAMES[3].into())?;
                self.number(cx, i, kind)
            }
            Kind::Scalar { column } => self.element(cx, word, ty, column),
            Kind::Tensor { column, rank } => {
                let t = with_rank(cx, ext, i, ty, rank)?;
                self.element(cx, word, t.element, column)
            }
            Kind::Other { of, rank } => {
                let t = with_rank(cx, ext, i, ty, rank)?;
                must(cx, ext, i, element_of(cx, t.element) & of != 0, || format!("a tensor of {}", names(of)))
            }
            Kind::List { column, length } => {
                let t = with_length(cx, ext, i, ty, length)?;
                self.element(cx, word, t.element, column)
            }
            Kind::Zero { column } => {
                let t = with_length(cx, ext, i, ty, 1)?;
                self.zero(cx, word, t.element, column)
            }
            Kind::OtherList { of, length } => {
                let t = with_length(cx, ext, i, ty, length)?;
                must(cx, ext, i, element_of(cx, t.element) & of != 0, || format!("a tensor of {}", names(of)))
            }
            Kind::Dimensions(each) => {
                let rank = self.first.and_then(|(_, t)| rank_of(cx, t)).unwrap_or(0);
                let t = with_length(cx, ext, i, ty, rank.saturating_mul(each))?;
                must(cx, ext, i, element_of(cx, t.element) == I32, || format!("a tensor of {}", NAMES[3]))
            }
        }
    }

    /// The value of an attribute that is a number.
    fn number(&mut self, cx: &mut Cx<'_>, i: usize, kind: Kind) -> Checked {
        let (inst, word) = (self.ext.inst, FIRST + i);
        let Some(value) = cx.m.fixed_u32(inst.id(word)) else { return Ok(()) };
        let name = self.ext.desc.operands().get(i).map_or("operand", |o| o.name());
        match kind {
            Kind::Axis => {
                let rank = self.first.and_then(|(_, t)| rank_of(cx, t)).unwrap_or(u32::MAX);
                cx.check_at(value < rank, &AXIS, inst, word, || format!("{name} is {value}, but the rank is {rank}"))
            }
            Kind::Enum(last) => cx.check_at((1..=last).contains(&value), &ENUM, inst, word, || {
                format!("{name} is {value}, but its values are 1 to {last}")
            }),
            Kind::Accumulator { column } => {
                let element = match value {
                    1 => I32,
                    2 => F16,
                    3 => F32,
                    4 => I64,
                    _ => 0,
                };
                let fits = self.types.take(column, element);
                cx.check_at(fits, &TYPES, inst, word, || format!("{name} is {value}, which the operator does not take"))
            }
            _ => Ok(()),
        }
    }

    /// The element type `ty` of what stands at `word` is one that its column may have.
    fn element(&mut self, cx: &mut Cx<'_>, word: usize, ty: Id, column: usize) -> Checked {
        let (ext, m) = (self.ext, cx.m);
        let possible = self.types.possible(column);
        let fits = self.types.take(column, element_of(cx, ty));
        cx.check_at(fits, &TYPES, ext.inst, word, || {
            let what = if word == 1 { "the Result Type".into() } else { format!("{}", ext.inst.id(word)) };
            format!("the element type of {what} is {}, but must be {}", describe(m, ty), names(possible))
        })
    }

    /// The element type `ty` of a zero point.
    fn zero(&self, cx: &mut Cx<'_>, word: usize, ty: Id, column: usize) -> Checked {
        let (inst, m) = (self.ext.inst, cx.m);
        let possible = self.types.possible(column);
        cx.check_at(possible & element_of(cx, ty) != 0, &ZERO, inst, word, || {
            format!("the element type of {} is {}, but must be {}", inst.id(word), describe(m, ty), names(possible))
        })
    }

    fn result(&mut self, cx: &mut Cx<'_>) -> Checked {
        let (m, inst) = (cx.m, self.ext.inst);
        let ty = inst.id(1);
        let (members, rank) = match self.row.gives {
            Gives::Tensor { rank, .. } | Gives::Other { rank, .. } => ([ty, ty], rank),
            Gives::Pair { rank, .. } => match m.ty(ty) {
                Some(Type::Struct { members: &[a, b] }) => ([Id(a), Id(b)], rank),
                _ => ([Id(0); 2], rank),
            },
        };
        for member in members {
            let t = tensor(cx, member).filter(|t| rank == 0 || rank_of(cx, *t).is_none_or(|r| r == rank));
            cx.check_at(t.is_some(), &RESULT, inst, 1, || {
                let what = if members[0] == ty { "a tensor" } else { "a structure of two tensors" };
                let of = if rank == 0 { String::new() } else { format!(" of rank {rank}") };
                format!("the Result Type of {} is {}, but must be {what}{of}", self.ext.desc.name(), describe(m, ty))
            })?;
            let Some(t) = t else { return Err(Failed) };
            match self.row.gives {
                Gives::Tensor { column, .. } | Gives::Pair { column, .. } => self.element(cx, 1, t.element, column)?,
                Gives::Other { of, .. } => cx.check_at(element_of(cx, t.element) & of != 0, &TYPES, inst, 1, || {
                    let has = describe(m, t.element);
                    format!("the element type of the Result Type is {has}, but must be {}", names(of))
                })?,
            }
        }
        Ok(())
    }

    fn shapes(&self, cx: &mut Cx<'_>) -> Checked {
        let (m, inst) = (cx.m, self.ext.inst);
        let Some((at, first)) = self.first else { return Ok(()) };
        let Some(rank) = rank_of(cx, first) else { return Ok(()) };
        if self.row.shapes == Shapes::Operands {
            for i in at + 1..inst.tail(FIRST).len() {
                let kind = self.row.operands.get(i).or(self.row.operands.last());
                let other = tensor(cx, m.type_id_of(inst.id(FIRST + i))).filter(|_| kind.is_some_and(is_input));
                let other = other.and_then(|t| rank_of(cx, t)).unwrap_or(rank);
                cx.check_at(other == rank, &SHAPES, inst, FIRST + i, || {
                    let (id, of) = (inst.id(FIRST + i), inst.id(FIRST + at));
                    format!("{id} has the rank {other}, but {of} has {rank}")
                })?;
            }
            return Ok(());
        }
        let Some(result) = tensor(cx, inst.id(1)) else { return Ok(()) };
        let wanted = match self.row.shapes {
            Shapes::Rank | Shapes::Shape => rank,
            Shapes::OneLess => rank.saturating_sub(1),
            Shapes::Free | Shapes::Operands => return Ok(()),
        };
        let given = rank_of(cx, result).unwrap_or(wanted);
        cx.check_at(given == wanted, &SHAPES, inst, 1, || {
            format!(
                "the Result Type has the rank {given}, but must have {wanted}, as {} has {rank}",
                inst.id(FIRST + at)
            )
        })?;
        if self.row.shapes != Shapes::Shape {
            return Ok(());
        }
        let (Some(from), Some(to)) = (sizes(cx, first), sizes(cx, result)) else { return Ok(()) };
        let differ = |(a, b): (&u32, &u32)| m.fixed_u32(Id(*a)).zip(m.fixed_u32(Id(*b))).is_some_and(|(a, b)| a != b);
        let dimension = from.iter().zip(to).position(differ);
        cx.check_at(dimension.is_none(), &SHAPES, inst, 1, || {
            let at_fault = dimension.unwrap_or(0);
            format!("the Result Type has another size than {} in dimension {at_fault}", inst.id(FIRST + at))
        })
    }

    /// The list of `TABLE` has an element for each value of 8 bits, or 513 for 16 bits.
    fn table(&self, cx: &mut Cx<'_>) -> Checked {
        let inst = self.ext.inst;
        let wanted = if self.types.chosen[0] == I8 { 256 } else { 513 };
        let ty = cx.type_at(inst, FIRST + 1)?;
        with_length(cx, self.ext, 1, ty, wanted).map(|_| ())
    }
}

/// Tensors of more dimensions than this are not looked at for permutations.
const MOST: u32 = 32;

impl Walk<'_> {
    /// The list of `TRANSPOSE` has each dimension once.
    fn permutation(&self, cx: &mut Cx<'_>) -> Checked {
        let (m, inst) = (cx.m, self.ext.inst);
        let rank = self.first.and_then(|(_, t)| rank_of(cx, t)).unwrap_or(MOST);
        let Some(list) = m.def(inst.id(FIRST)).filter(|d| d.op() == Op::ConstantComposite && rank < MOST) else {
            return Ok(());
        };
        let mut seen = 0_u32;
        for value in list.tail(3).iter().filter_map(|id| m.fixed_u32(Id(*id))) {
            cx.check_at(value < rank, &AXIS, inst, FIRST, || {
                format!("{} names the dimension {value}, but the rank is {rank}", inst.id(FIRST))
            })?;
            cx.check_at(seen >> value & 1 == 0, &AXIS, inst, FIRST, || {
                format!("{} names the dimension {value} twice", inst.id(FIRST))
            })?;
            seen |= 1 << value;
        }
        Ok(())
    }
}

/// Fails unless `ok` with what operand `i` must be.
fn must(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize, ok: bool, what: impl FnOnce() -> String) -> Checked {
    let (m, id) = (cx.m, ext.inst.id(FIRST + i));
    cx.check_at(ok, &OPERAND, ext.inst, FIRST + i, || {
        let name = ext.desc.operands().get(i).or(ext.desc.operands().last()).map_or("operand", |o| o.name());
        let has = describe(m, m.type_id_of(id));
        msg(format!("{name} {id} of {} has type {has}, but must be {}", ext.desc.name(), what())).declared(m, id)
    })
}

/// Operand `i` is the result of a constant instruction, among which are those of graphs.
fn constant(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize) -> Checked {
    let (m, id) = (cx.m, ext.inst.id(FIRST + i));
    let info = m.info(id);
    cx.check_at(info.is_constant() || info.op == Op::GraphConstantARM, &OPERAND, ext.inst, FIRST + i, || {
        let name = ext.desc.operands().get(i).map_or("operand", |o| o.name());
        msg(format!("{name} {id} of {} is the result of {}, no constant instruction", ext.desc.name(), info.op))
            .declared(m, id)
    })
}

/// The type `ty` of operand `i` as a tensor of a rank. Where the rank is not known, it may be any.
fn with_rank(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize, ty: Id, rank: u32) -> Checked<Tensor> {
    let of = tensor(cx, ty);
    let fits = of.is_some_and(|t| rank == 0 || rank_of(cx, t).is_none_or(|r| r == rank));
    must(cx, ext, i, fits, || if rank == 0 { "a tensor".into() } else { format!("a tensor of rank {rank}") })?;
    of.ok_or(Failed)
}

/// The type `ty` of operand `i` as a tensor of rank 1 with so many elements.
fn with_length(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize, ty: Id, length: u32) -> Checked<Tensor> {
    let t = with_rank(cx, ext, i, ty, 1)?;
    let fits = length == 0 || length_of(cx, t).is_none_or(|l| l == length);
    must(cx, ext, i, fits, || format!("a tensor of rank 1 and shape [{length}]"))?;
    Ok(t)
}
