//! Lines and columns of NonSemantic.Shader.DebugInfo lie within the source text that the module carries.

use alloc::format;

use spirula_binary::{Id, Inst, LitStr, find_byte};
use spirula_diag::{Checked, rules};
use spirula_grammar::{ExtSet, Op};

use super::FIRST;
use crate::cx::{Cx, List};

rules! {
    group "debug_info";
    /// A line is one of the source's, and a column one of the line's, where the module carries the source's text.
    LINE: "debug-info-line", ext_inst "NonSemantic.Shader.DebugInfo.100 DebugSource";
    /// A `DebugLine` starts at line 1 or later, and ends where it starts or behind that.
    RANGE: "debug-info-line-range", ext_inst "NonSemantic.Shader.DebugInfo.100 DebugLine";
}

/// The lengths of the lines of each source, in bytes.
struct Sources<'a> {
    /// Source, where its lines start in `lengths`, and where they end.
    rows: List<'a, (Id, usize, usize)>,
    lengths: List<'a, u32>,
}

impl Sources<'_> {
    fn of(&self, source: Id) -> Option<&[u32]> {
        let at = self.rows.partition_point(|r| r.0 < source);
        let row = self.rows.get(at).filter(|r| r.0 == source)?;
        self.lengths.get(row.1..row.2)
    }

    fn append(&mut self, text: LitStr<'_>) {
        for word in text.words() {
            // Most words hold four bytes of one line.
            if let Some(last) = self.lengths.last_mut()
                && find_byte(*word, 0) == 0
                && find_byte(*word, b'\n') == 0
            {
                *last = last.saturating_add(4);
                continue;
            }
            for byte in word.to_le_bytes().into_iter().take_while(|b| *b != 0) {
                if byte == b'\n' {
                    self.lengths.push(0);
                } else if let Some(last) = self.lengths.last_mut() {
                    *last = last.saturating_add(1);
                }
            }
        }
    }
}

fn is_set(cx: &Cx<'_>, set: Id) -> bool {
    matches!(cx.m.info(set).ext_set(), Some(ExtSet::ShaderDebugInfo100 | ExtSet::ShaderDebugInfo))
}

fn text<'a>(cx: &Cx<'a>, id: Id) -> Option<LitStr<'a>> {
    cx.m.def(id).filter(|d| d.op() == Op::String).and_then(|d| LitStr::read(d.tail(2)))
}

fn sources<'a>(cx: &Cx<'a>) -> Sources<'a> {
    let mut all = Sources { rows: cx.list(), lengths: cx.list() };
    let mut open = false;
    for inst in cx.m.global_insts().filter(|i| i.op() == Op::ExtInst && is_set(cx, i.id(3))) {
        match inst.word(4) {
            35 => {
                // An empty text is what tools write that have none.
                let given = text(cx, inst.id(FIRST + 1)).filter(|t| t.bytes().next().is_some());
                open = given.is_some();
                let start = all.lengths.len();
                if let Some(given) = given {
                    all.lengths.push(0);
                    all.append(given);
                    all.rows.push((inst.id(2), start, all.lengths.len()));
                }
            }
            102 if open => {
                if let Some(more) = text(cx, inst.id(FIRST)) {
                    all.append(more);
                }
                if let Some(row) = all.rows.last_mut() {
                    row.2 = all.lengths.len();
                }
            }
            _ => {}
        }
    }
    all.rows.sort_unstable();
    all
}

/// Judges the module's lines and columns.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    let imports = m.global_insts().take_while(|i| i.op() != Op::MemoryModel);
    if !imports.into_iter().any(|i| i.op() == Op::ExtInstImport && is_set(cx, i.id(1))) {
        return;
    }
    let sources = sources(cx);
    for inst in m.inst_offsets().iter().filter_map(|at| m.inst_at(*at)) {
        if inst.op() == Op::ExtInst && is_set(cx, inst.id(3)) {
            judge(cx, inst, &sources).ok();
        }
    }
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

fn judge(cx: &mut Cx<'_>, inst: Inst<'_>, sources: &Sources<'_>) -> Checked {
    let number = |cx: &Cx<'_>, i: usize| cx.m.fixed_u32(inst.id(FIRST + i));
    if inst.word(4) == 103 {
        let [start, end, from, to] = [1, 2, 3, 4].map(|i| number(cx, i));
        let (Some(start), Some(end), Some(from), Some(to)) = (start, end, from, to) else { return Ok(()) };
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
    let (Some(line), Some(column)) = (number(cx, at + 1), number(cx, at + 2)) else { return Ok(()) };
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
