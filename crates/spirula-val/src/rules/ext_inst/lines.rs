//! Lines and columns of NonSemantic.Shader.DebugInfo lie within the source text that the module carries.

use alloc::format;
use alloc::vec::Vec;

use spirula_binary::{Id, Inst, LitStr};
use spirula_diag::{Checked, rules};
use spirula_grammar::{ExtSet, Op, ShaderDebugInfo};
use spirula_module::Module;

use super::FIRST;
use crate::cx::Cx;

const SOURCE: u32 = ShaderDebugInfo::DebugSource.0;
const SOURCE_CONTINUED: u32 = ShaderDebugInfo::DebugSourceContinued.0;
const LINE_RANGE: u32 = ShaderDebugInfo::DebugLine.0;

rules! {
    group "debug_info";
    /// A line is one of the source's, and a column one of the line's, where the module carries the source's text.
    LINE: "debug-info-line", ext_inst "NonSemantic.Shader.DebugInfo.100 DebugSource";
    /// A `DebugLine` starts at line 1 or later, and ends where it starts or behind that.
    RANGE: "debug-info-line-range", ext_inst "NonSemantic.Shader.DebugInfo.100 DebugLine";
}

/// The lengths of the lines of each source whose text the module carries, in bytes.
#[derive(Debug, Default)]
pub(crate) struct SourceLines {
    /// Source, where its lines start in `lengths`, and where they end.
    rows: Vec<(Id, usize, usize)>,
    lengths: Vec<u32>,
}

impl SourceLines {
    /// Goes over the sources of a module.
    pub(crate) fn fill(&mut self, m: Module<'_>) {
        self.rows.clear();
        self.lengths.clear();
        let imports = m.global_insts().take_while(|i| i.op() != Op::MemoryModel);
        if !imports.into_iter().any(|i| i.op() == Op::ExtInstImport && is_set(m, i.id(1))) {
            return;
        }
        let mut open = false;
        for inst in m.global_insts().filter(|i| i.op() == Op::ExtInst && is_set(m, i.id(3))) {
            match inst.word(4) {
                SOURCE => {
                    // An empty text is what tools write that have none.
                    let given = text(m, inst.id(FIRST + 1)).filter(|t| !t.is_empty());
                    open = given.is_some();
                    let start = self.lengths.len();
                    if let Some(given) = given {
                        self.lengths.push(0);
                        self.append(given);
                        self.rows.push((inst.id(2), start, self.lengths.len()));
                    }
                }
                SOURCE_CONTINUED if open => {
                    if let Some(more) = text(m, inst.id(FIRST)) {
                        self.append(more);
                    }
                    if let Some(row) = self.rows.last_mut() {
                        row.2 = self.lengths.len();
                    }
                }
                _ => {}
            }
        }
        self.rows.sort_unstable();
    }

    fn of(&self, source: Id) -> Option<&[u32]> {
        let at = self.rows.partition_point(|r| r.0 < source);
        let row = self.rows.get(at).filter(|r| r.0 == source)?;
        self.lengths.get(row.1..row.2)
    }

    /// Appends to the last line, and what follows it.
    fn append(&mut self, text: LitStr<'_>) {
        let (mut open, mut start) = (self.lengths.pop().unwrap_or(0), 0);
        let (pairs, last) = text.words().as_chunks::<2>();
        let last = last.first().map(|word| [*word, 0]);
        for (i, [first, second]) in pairs.iter().copied().chain(last).enumerate() {
            // What stands behind the string's end in its last word is none of it.
            for at in
                line_ends(u64::from(second) << 32 | u64::from(first)).map(|b| 8 * i + b).filter(|at| *at < text.len())
            {
                self.lengths.push(open.saturating_add((at - start) as u32));
                (open, start) = (0, at + 1);
            }
        }
        self.lengths.push(open.saturating_add((text.len() - start) as u32));
    }
}

/// Which of eight bytes, counted from the low-order one, are line ends.
#[inline]
fn line_ends(eight: u64) -> impl Iterator<Item = usize> {
    const LOW: u64 = u64::from_ne_bytes([0x7f; 8]);
    let others = eight ^ u64::from_ne_bytes([b'\n'; 8]);
    // The top bit of each byte that is 0: adding carries into it where any other bit is set.
    let mut ends = !(((others & LOW) + LOW) | others | LOW);
    core::iter::from_fn(move || {
        let at = (ends != 0).then(|| ends.trailing_zeros() as usize / 8)?;
        ends &= ends - 1;
        Some(at)
    })
}

fn is_set(m: Module<'_>, set: Id) -> bool {
    matches!(m.info(set).ext_set(), Some(ExtSet::ShaderDebugInfo100 | ExtSet::ShaderDebugInfo))
}

fn text<'a>(m: Module<'a>, id: Id) -> Option<LitStr<'a>> {
    m.def(id).filter(|d| d.op() == Op::String).and_then(|d| LitStr::read(d.tail(2)))
}

/// Operand of the source of an instruction that a line and a column follow.
fn source_of(number: u32) -> Option<usize> {
    Some(match number {
        7 | 9 | 10 | 11 | 18 | 19 | 20 | 26 => 2,
        15 => 3,
        16 => 2,
        17 => 1,
        21 => 0,
        _ => return None,
    })
}

/// Judges the lines and columns of an instruction whose operands are of the right kinds.
pub(super) fn instruction(cx: &mut Cx<'_>, inst: Inst<'_>) -> Checked {
    let (m, sources) = (cx.m, cx.sources);
    let uint = cx.facts.uint();
    let number = |i: usize| {
        let id = inst.id(FIRST + i);
        let info = m.info(id);
        // Most are of the type that most constants have.
        match m.words().get(info.def as usize..) {
            Some([head, _, _, value, ..]) if info.op == Op::Constant && info.ty == uint && head >> 16 > 3 => {
                Some(*value)
            }
            _ => m.fixed_u32(id),
        }
    };
    if inst.word(4) == LINE_RANGE {
        let numbers = (number(1), number(2), number(3), number(4));
        let (Some(start), Some(end), Some(from), Some(to)) = numbers else { return Ok(()) };
        cx.check_at(start > 0, &RANGE, inst, FIRST + 1, || "lines are counted from 1, but this one starts at 0")?;
        cx.check_at(start <= end, &RANGE, inst, FIRST + 2, || format!("it ends at line {end}, before line {start}"))?;
        cx.check_at(start != end || from <= to, &RANGE, inst, FIRST + 4, || {
            format!("it ends at column {to}, before column {from}")
        })?;
        let Some(lines) = sources.of(inst.id(FIRST)) else { return Ok(()) };
        position(cx, inst, (FIRST + 1, start), (FIRST + 3, from), lines)?;
        return position(cx, inst, (FIRST + 2, end), (FIRST + 4, to), lines);
    }
    let Some(at) = source_of(inst.word(4)) else { return Ok(()) };
    let (Some(line), Some(column)) = (number(at + 1), number(at + 2)) else { return Ok(()) };
    let Some(lines) = sources.of(inst.id(FIRST + at)) else { return Ok(()) };
    position(cx, inst, (FIRST + at + 1, line), (FIRST + at + 2, column), lines)
}

/// A line and a column, each with the word that states it.
fn position(cx: &mut Cx<'_>, inst: Inst<'_>, line: (usize, u32), column: (usize, u32), lines: &[u32]) -> Checked {
    let (word, line) = line;
    let Some(index) = (line as usize).checked_sub(1) else { return Ok(()) };
    let length = lines.get(index).copied();
    cx.check_at(length.is_some(), &LINE, inst, word, || format!("line {line} of a source that has {}", lines.len()))?;
    // The column behind the last character is where the line ends.
    let most = length.unwrap_or(u32::MAX).saturating_add(1);
    cx.check_at(column.1 <= most, &LINE, inst, column.0, || {
        format!("column {} of line {line}, which ends at column {most}", column.1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_found_wherever_they_stand() {
        for text in [*b"\n\x0b\n\n\x8a\0x\n", *b"abcdefgh", *b"\n\n\n\n\n\n\n\n", *b"a\n\x09\x0b\xff\n\x01\x0a"] {
            let wanted: alloc::vec::Vec<usize> = (0..8).filter(|i| text[*i] == b'\n').collect();
            assert_eq!(line_ends(u64::from_le_bytes(text)).collect::<alloc::vec::Vec<usize>>(), wanted);
        }
    }
}
