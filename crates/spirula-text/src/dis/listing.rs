//! A module → lines.

use core::fmt::Write as _;
use std::io;

use spirula_binary::{FrameError, Frames, HEADER_WORDS, Header, Id, Inst};
use spirula_grammar::{MAGIC, Op};

use super::blocks::{self, Block};
use super::line::{Printer, raw_words, spaces};
use super::names::Names;
use super::notes::Notes;
use super::pen::Reason;
use super::{Damage, DisOptions, Disassembly, colour, header};
use crate::number::print;

/// Column of the opcodes.
const INDENT: usize = 15;

pub(crate) fn disassemble(words: &[u32], options: &DisOptions) -> Disassembly {
    let Some(header) = header::of(words) else { return not_a_module(words) };
    let names = (!options.raw_ids).then(|| Names::of(words));
    let mut listing = Listing::new(words, names.as_ref(), options, None);
    listing.module(words, &header);
    Disassembly { text: listing.printer.pen.out, damage: listing.damage }
}

pub(crate) fn disassemble_to(words: &[u32], options: &DisOptions, to: &mut dyn io::Write) -> io::Result<Vec<Damage>> {
    let Some(header) = header::of(words) else {
        let Disassembly { text, damage } = not_a_module(words);
        return to.write_all(text.as_bytes()).map(|()| damage);
    };
    let names = (!options.raw_ids).then(|| Names::of(words));
    let mut listing = Listing::new(words, names.as_ref(), options, Some(to));
    listing.module(words, &header);
    listing.pass_on();
    listing.written.map(|()| listing.damage)
}

/// Prints one instruction. `definition` gives the instruction that defines an id.
pub(crate) fn one<'w>(inst: Inst<'w>, names: Option<&Names>, definition: impl Fn(Id) -> Option<Inst<'w>>) -> String {
    let mut printer = Printer::new(&[], names);
    // Only what stands before can matter: the type of a literal, a selector and its type, an imported set, and an earlier
    // definition of the same id. All are among the first operands.
    let before = |id| definition(id).filter(|d| d.offset() < inst.offset());
    for id in (1..=3).map(|word| inst.id(word)) {
        let defined = before(id);
        let ty = defined.and_then(|d| d.result_type()).and_then(before);
        for known in [ty, defined].into_iter().flatten() {
            if let Some(desc) = known.desc() {
                printer.types.note(known, desc);
            }
        }
    }
    printer.instruction(inst, 0);
    printer.pen.out
}

fn not_a_module(words: &[u32]) -> Disassembly {
    let message = match words.first() {
        Some(magic) if *magic != MAGIC => {
            format!("the first word is {magic:#010x}, not the magic number {MAGIC:#010x}")
        }
        _ => format!("a header has {HEADER_WORDS} words, but the module has {}", words.len()),
    };
    Disassembly { text: format!("; {message}\n"), damage: vec![Damage { word: 0, message }] }
}

/// Deeper nesting is not shown, lest the text of a deeply nested module be mostly spaces.
const DEEPEST: u32 = 64;

/// Text of so many bytes is passed on.
const PIECE: usize = 1 << 16;

/// A module's text in the making.
struct Listing<'a> {
    printer: Printer<'a>,
    options: &'a DisOptions,
    damage: Vec<Damage>,
    /// Where the text goes in pieces; without it, it is kept.
    to: Option<&'a mut dyn io::Write>,
    /// Length of the pieces.
    piece: usize,
    written: io::Result<()>,
    /// Where the line begins.
    line: usize,
    comments: Column,
    notes: Option<Notes>,
    /// The comment in the making; kept for its memory.
    said: String,
}

impl<'a> Listing<'a> {
    fn new(
        words: &[u32],
        names: Option<&'a Names>,
        options: &'a DisOptions,
        to: Option<&'a mut dyn io::Write>,
    ) -> Listing<'a> {
        let mut printer = Printer::new(words, names);
        let piece = if to.is_some() { PIECE } else { usize::MAX };
        // A piece becomes longer by a line, which is rarely long.
        printer.pen.out.reserve((words.len() * 12).min(piece.saturating_add(PIECE / 4)));
        printer.pen.colour = options.colour;
        printer.as_unknown = options.handle_unknown_opcodes;
        printer.indent = if options.no_indent { 0 } else { INDENT };
        let notes = options.comment.then(|| Notes::new(words));
        Listing {
            printer,
            options,
            damage: Vec::new(),
            to,
            piece,
            written: Ok(()),
            line: 0,
            comments: Column::default(),
            notes,
            said: String::new(),
        }
    }

    fn module(&mut self, words: &[u32], header: &Header) {
        if !self.options.no_header {
            header::print(&mut self.printer.pen.out, header);
        }
        let by_block = self.options.nested_indent || self.options.reorder_blocks;
        let mut frames = Frames::of(words);
        while self.written.is_ok()
            && let Some(inst) = frames.next()
        {
            match inst {
                Ok(inst) if by_block && inst.op() == Op::Label => {
                    let end = self.body(words, inst);
                    frames = Frames::from(words, end);
                }
                Ok(inst) => self.instruction(inst, 0),
                Err(e) => self.rest(words, e),
            }
        }
    }

    /// Prints a function's blocks, of which `first` is the first label, and returns where they end.
    fn body(&mut self, words: &[u32], first: Inst<'_>) -> u32 {
        let mut end = first.offset();
        for inst in Frames::from(words, end).map_while(Result::ok) {
            if matches!(inst.op(), Op::FunctionEnd | Op::Function) {
                break;
            }
            // What selectors are must be known before their blocks come in another order.
            if let Some(desc) = inst.desc() {
                self.printer.types.note(inst, desc);
            }
            end = inst.offset() + inst.words().len() as u32;
        }
        let blocks = blocks::arrange(words, first.offset(), end, &self.printer.types, self.options.reorder_blocks);
        for block in blocks {
            self.block(words, block);
        }
        end
    }

    fn block(&mut self, words: &[u32], block: Block) {
        let nested = self.options.nested_indent;
        let depth = if nested { 2 * block.depth.min(DEEPEST) as usize } else { 0 };
        let mut nesting = depth;
        if nested {
            self.end_line();
        }
        for inst in Frames::from(words, block.start).map_while(Result::ok).take_while(|i| i.offset() < block.end) {
            self.instruction(inst, nesting);
            nesting = if nested { depth + 2 } else { 0 };
        }
    }

    #[inline]
    fn instruction(&mut self, inst: Inst<'_>, nesting: usize) {
        if self.notes.is_some() {
            self.heading(inst);
        }
        self.line = self.printer.pen.out.len();
        let raw = self.printer.instruction(inst, nesting);
        if self.options.offsets || self.notes.is_some() {
            self.comment(inst, raw.is_none());
        }
        if let Some(reason) = raw {
            self.reason(inst, reason);
        }
        self.end_line();
    }

    #[inline]
    fn end_line(&mut self) {
        self.printer.pen.out.push('\n');
        if self.printer.pen.out.len() >= self.piece {
            self.pass_on();
        }
    }

    /// Writes what there is, unless it is kept.
    #[inline(never)]
    fn pass_on(&mut self) {
        if let Some(to) = &mut self.to {
            if self.written.is_ok() {
                self.written = to.write_all(self.printer.pen.out.as_bytes());
            }
            self.printer.pen.out.clear();
        }
    }

    #[cold]
    fn reason(&mut self, inst: Inst<'_>, reason: Reason) {
        if self.options.handle_unknown_opcodes {
            // What tools that read this form know it by.
            self.printer.pen.out.push_str(concat!("  ; note: ID bound may be ", "incorrect after reassembly"));
        } else {
            let _ = write!(self.printer.pen.out, "  ; {reason}");
        }
        if reason.is_damage() {
            self.damage.push(Damage { word: inst.offset(), message: reason.to_string() });
        }
    }

    /// Prints words that are no instructions, from an instruction that cannot be framed to the end.
    #[cold]
    fn rest(&mut self, words: &[u32], error: FrameError) {
        let rest = words.get(error.offset() as usize..).unwrap_or(&[]);
        for (i, words) in rest.chunks(8).enumerate() {
            spaces(&mut self.printer.pen.out, self.printer.indent);
            raw_words(&mut self.printer.pen.out, words);
            if i == 0 {
                let _ = write!(self.printer.pen.out, "  ; {error}");
            }
            self.end_line();
        }
        self.damage.push(Damage { word: error.offset(), message: error.to_string() });
    }

    /// Prints the line that announces a section or function.
    fn heading(&mut self, inst: Inst<'_>) {
        let function = inst.op() == Op::Function;
        let heading = self.notes.as_mut().and_then(|n| n.heading(inst));
        if heading.is_none() && !function {
            return;
        }
        let Printer { pen, indent, .. } = &mut self.printer;
        pen.out.push_str(if function && self.options.nested_indent { "\n\n" } else { "\n" });
        spaces(&mut pen.out, *indent);
        if self.options.colour {
            pen.out.push_str(colour::COMMENT);
        }
        pen.out.push_str("; ");
        match heading {
            Some(heading) => pen.out.push_str(heading),
            None => {
                pen.out.push_str("Function ");
                match pen.names.and_then(|n| n.get(inst.id(2))) {
                    Some(name) => pen.out.push_str(name),
                    None => print::unsigned(&mut pen.out, inst.word(2).into()),
                }
            }
        }
        if self.options.colour {
            pen.out.push_str(colour::RESET);
        }
        pen.out.push('\n');
    }

    /// Appends the comment on an instruction, if there is anything to say.
    fn comment(&mut self, inst: Inst<'_>, decoded: bool) {
        let mut comment = core::mem::take(&mut self.said);
        if self.options.offsets {
            let _ = write!(comment, "{:#010x}", u64::from(inst.offset()) * 4);
        }
        if let (Some(notes), true) = (&mut self.notes, decoded) {
            if inst.op() == Op::Name {
                separate(&mut comment);
                let _ = write!(comment, "id {}", inst.id(1));
            } else if inst.op() == Op::Decorate {
                notes.decorate(inst.id(1), self.printer.pen.out.get(self.line..).unwrap_or(""));
            } else if let Some(id) = inst.result() {
                for decoration in notes.take(id) {
                    separate(&mut comment);
                    comment.push_str(decoration);
                }
            }
        }
        let out = &mut self.printer.pen.out;
        if comment.is_empty() {
            self.comments = Column::default();
        } else {
            let len = visible_len(out.get(self.line..).unwrap_or(""));
            spaces(out, self.comments.next(len));
            if self.options.colour {
                out.push_str(colour::COMMENT);
            }
            out.push_str("; ");
            out.push_str(&comment);
            if self.options.colour {
                out.push_str(colour::RESET);
            }
        }
        comment.clear();
        self.said = comment;
    }
}

/// Puts a comma between two comments.
fn separate(comment: &mut String) {
    if !comment.is_empty() {
        comment.push_str(", ");
    }
}

/// Where comments stand: one below the other as long as every line has one, but not too far out.
#[derive(Default)]
struct Column {
    last: usize,
}

impl Column {
    /// The number of spaces between a line of `len` characters and its comment.
    fn next(&mut self, len: usize) -> usize {
        let column = (len.max(50) + 2).next_multiple_of(4).max(self.last);
        self.last = column.min(256);
        column - len
    }
}

/// Length of a line without escape sequences.
fn visible_len(line: &str) -> usize {
    let mut parts = line.split('\x1b');
    let first = parts.next().map_or(0, str::len);
    first + parts.map(|p| p.find('m').map_or(p.len(), |at| p.len() - at - 1)).sum::<usize>()
}
