//! A module → lines.

use core::fmt::Write as _;

use spirula_binary::{FrameError, Frames, HEADER_WORDS, Inst};
use spirula_grammar::MAGIC;

use super::line::{Printer, raw_words, spaces};
use super::names::Names;
use super::pen::Reason;
use super::{Damage, DisOptions, Disassembly, colour, header};

/// Column of the opcodes.
const INDENT: usize = 15;

pub(crate) fn disassemble(words: &[u32], options: &DisOptions) -> Disassembly {
    let Some(header) = header::of(words) else { return not_a_module(words) };
    let names = (!options.raw_ids).then(|| Names::of(words));
    let mut listing = Listing::new(words, names.as_ref(), options);
    if !options.no_header {
        header::print(&mut listing.printer.pen.out, &header);
    }
    listing.module(words);
    Disassembly { text: listing.printer.pen.out, damage: listing.damage }
}

pub(crate) fn one(words: &[u32], inst: Inst<'_>, names: Option<&Names>) -> String {
    let mut printer = Printer::new(words.len(), names);
    // Only what stands before can matter, and of that only types, imports and what selectors are.
    for before in Frames::of(words).map_while(Result::ok).take_while(|i| i.offset() < inst.offset()) {
        if let Some(desc) = before.desc() {
            printer.types.note(before, desc);
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

/// A module's text in the making.
struct Listing<'a> {
    printer: Printer<'a>,
    options: &'a DisOptions,
    damage: Vec<Damage>,
    /// Where the line begins.
    line: usize,
    comments: Column,
}

impl<'a> Listing<'a> {
    fn new(words: &[u32], names: Option<&'a Names>, options: &'a DisOptions) -> Listing<'a> {
        let mut printer = Printer::new(words.len(), names);
        printer.pen.out.reserve(words.len() * 12);
        printer.pen.colour = options.colour;
        printer.as_unknown = options.handle_unknown_opcodes;
        printer.indent = if options.no_indent { 0 } else { INDENT };
        Listing { printer, options, damage: Vec::new(), line: 0, comments: Column::default() }
    }

    fn module(&mut self, words: &[u32]) {
        for inst in Frames::of(words) {
            match inst {
                Ok(inst) => self.instruction(inst, 0),
                Err(e) => self.rest(words, e),
            }
        }
    }

    #[inline]
    fn instruction(&mut self, inst: Inst<'_>, nesting: usize) {
        self.line = self.printer.pen.out.len();
        let raw = self.printer.instruction(inst, nesting);
        if self.options.offsets {
            self.comment(|out| {
                let _ = write!(out, "{:#010x}", inst.offset() * 4);
            });
        }
        if let Some(reason) = raw {
            self.reason(inst, reason);
        }
        self.end_line();
    }

    #[inline]
    fn end_line(&mut self) {
        self.printer.pen.out.push('\n');
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

    /// Appends to the line's comment.
    fn comment(&mut self, print: impl FnOnce(&mut String)) {
        let out = &mut self.printer.pen.out;
        let line = out.get(self.line..).unwrap_or("");
        let column = self.comments.next(visible_len(line));
        spaces(out, column);
        out.push_str("; ");
        if self.options.colour {
            out.push_str(colour::COMMENT);
        }
        print(out);
        if self.options.colour {
            out.push_str(colour::RESET);
        }
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
