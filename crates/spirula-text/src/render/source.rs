//! Where an instruction comes from in the shader's source: `OpLine`, and `DebugLine` of NonSemantic.Shader.DebugInfo.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use spirula_binary::{Frames, Inst, LitStr};
use spirula_grammar::Op;

use super::finding::SourcePlace;

// NonSemantic.Shader.DebugInfo.100 and .101 number these alike.
const DEBUG_SOURCE: u32 = 35;
const DEBUG_SOURCE_CONTINUED: u32 = 102;
const DEBUG_LINE: u32 = 103;
const DEBUG_NO_LINE: u32 = 104;

/// What the module says of its source.
#[derive(Debug, Default)]
pub(super) struct SourceMap<'a> {
    /// `OpString`s.
    strings: BTreeMap<u32, LitStr<'a>>,
    /// Pieces of embedded source by the id of the file's name.
    texts: BTreeMap<u32, Vec<LitStr<'a>>>,
    /// The file that `OpSourceContinued` adds to.
    last_text: Option<u32>,
    /// Imports of NonSemantic.Shader.DebugInfo.
    sets: BTreeSet<u32>,
    /// `DebugSource`s: name and pieces of text, by their ids.
    sources: BTreeMap<u32, (u32, Vec<u32>)>,
    last_source: Option<u32>,
    /// 32-bit `OpConstant`s, made on demand where there is a set that uses them.
    constants: BTreeMap<u32, u32>,
    cursor: Cell<Option<Cursor>>,
}

/// Where a walk ended.
#[derive(Clone, Copy, Debug)]
struct Cursor {
    from: u32,
    next: u32,
    /// What holds before `next`.
    current: Option<Span>,
}

#[derive(Clone, Copy, Debug)]
struct Span {
    file: u32,
    lines: (u32, u32),
    columns: (u32, u32),
}

impl<'a> SourceMap<'a> {
    /// Notes what one instruction says.
    pub(super) fn take(&mut self, inst: Inst<'a>) {
        match inst.op() {
            Op::String => {
                if let Some(text) = LitStr::read(inst.tail(2)) {
                    self.strings.entry(inst.word(1)).or_insert(text);
                }
            }
            Op::Source => {
                self.last_text = (inst.words().len() > 3).then(|| inst.word(3));
                self.add_text(inst.tail(4));
            }
            Op::SourceContinued => self.add_text(inst.tail(1)),
            Op::ExtInstImport if brings_debug_lines(inst) => {
                self.sets.insert(inst.word(1));
            }
            Op::Constant if !self.sets.is_empty() && inst.words().len() == 4 => {
                self.constants.insert(inst.word(2), inst.word(3));
            }
            Op::ExtInst if self.sets.contains(&inst.word(3)) => self.take_debug(inst),
            _ => {}
        }
    }

    fn add_text(&mut self, words: &'a [u32]) {
        if let (Some(file), Some(text)) = (self.last_text, LitStr::read(words)) {
            self.texts.entry(file).or_default().push(text);
        }
    }

    fn take_debug(&mut self, inst: Inst<'a>) {
        match inst.word(4) {
            DEBUG_SOURCE => {
                self.last_source = Some(inst.word(2));
                let text = inst.tail(6).first().copied().into_iter().collect();
                self.sources.insert(inst.word(2), (inst.word(5), text));
            }
            DEBUG_SOURCE_CONTINUED => {
                if let Some((_, text)) = self.last_source.and_then(|s| self.sources.get_mut(&s)) {
                    text.push(inst.word(5));
                }
            }
            _ => {}
        }
    }

    /// Where the instruction at `word` comes from, seen by walking the words from `from` on: the start of its function,
    /// or of the module.
    pub(super) fn place(&self, words: &'a [u32], from: u32, word: u32) -> Option<SourcePlace> {
        if self.strings.is_empty() {
            return None;
        }
        // Findings come in the order of the words, so that the walk goes on where the last one ended.
        let last = self.cursor.get().filter(|c| c.from == from && c.next <= word);
        let mut current = last.and_then(|c| c.current);
        let mut next = last.map_or(from, |c| c.next);
        for inst in Frames::from(words, next).map_while(Result::ok) {
            next = inst.offset();
            if next > word {
                break;
            }
            self.cursor.set(Some(Cursor { from, next, current }));
            match inst.op() {
                Op::Line => {
                    let (line, column) = (inst.word(2), inst.word(3));
                    current = Some(Span { file: inst.word(1), lines: (line, line), columns: (column, column) });
                }
                Op::NoLine | Op::FunctionEnd => current = None,
                Op::ExtInst if self.sets.contains(&inst.word(3)) => match inst.word(4) {
                    DEBUG_LINE => current = self.debug_line(inst),
                    DEBUG_NO_LINE => current = None,
                    _ => {}
                },
                _ => {}
            }
            if next == word {
                break;
            }
            if is_terminator(inst.op()) {
                current = None;
            }
        }
        self.resolve(current?)
    }

    fn debug_line(&self, inst: Inst<'_>) -> Option<Span> {
        let number = |i| self.constants.get(&inst.word(i)).copied();
        Some(Span {
            file: inst.word(5),
            lines: (number(6)?, number(7).unwrap_or(0)),
            columns: (number(8).unwrap_or(0), number(9).unwrap_or(0)),
        })
    }

    fn resolve(&self, span: Span) -> Option<SourcePlace> {
        let (name, text) = match self.sources.get(&span.file) {
            Some((name, pieces)) => {
                let pieces: Vec<LitStr<'_>> = pieces.iter().filter_map(|p| self.strings.get(p).copied()).collect();
                (*name, line_of(&pieces, span.lines.0))
            }
            None => (span.file, self.texts.get(&span.file).and_then(|t| line_of(t, span.lines.0))),
        };
        Some(SourcePlace {
            file: self.strings.get(&name)?.to_text(),
            line: span.lines.0,
            column: span.columns.0,
            end_line: span.lines.1.max(span.lines.0),
            end_column: span.columns.1,
            text,
        })
    }
}

/// Whether an `OpExtInstImport` imports NonSemantic.Shader.DebugInfo.
fn brings_debug_lines(import: Inst<'_>) -> bool {
    LitStr::read(import.tail(2)).is_some_and(|n| n.to_bytes().starts_with(b"NonSemantic.Shader.DebugInfo"))
}

/// Line `n` (from 1) of a text in pieces, which may be cut anywhere.
fn line_of(pieces: &[LitStr<'_>], n: u32) -> Option<String> {
    let mut newlines = n.checked_sub(1)?;
    let mut line = Vec::new();
    let mut found = false;
    for b in pieces.iter().flat_map(|p| p.bytes()) {
        match (newlines, b) {
            (0, b'\n') => return Some(text(&line)),
            (0, _) => {
                found = true;
                line.push(b);
            }
            (_, b'\n') => newlines -= 1,
            _ => {}
        }
    }
    found.then(|| text(&line))
}

fn text(line: &[u8]) -> String {
    String::from_utf8_lossy(line).chars().filter(|c| *c == '\t' || !c.is_control()).take(400).collect()
}

/// Whether the instruction ends a block, and with it the range of a line.
fn is_terminator(op: Op) -> bool {
    use spirula_grammar::Class;
    op.desc().is_some_and(|d| d.class == Class::ControlFlow)
        && !matches!(
            op,
            Op::Label | Op::Phi | Op::LoopMerge | Op::SelectionMerge | Op::LifetimeStart | Op::LifetimeStop
        )
}
