//! The walk over the text, instruction by instruction.

use spirula_binary::HEADER_WORDS;
use spirula_grammar::{self as g, InstDesc, MAGIC, MaskParameters, OperandKind, Quantifier, Version};

use super::error::{Done, Failed, MAX_ERRORS, shown};
use super::ids::{Ids, Index};
use super::lex::{Lexer, Mark, Name};
use super::lines::Lines;
use super::opcodes::Opcodes;
use super::record::Defs;
use super::{AsmError, AsmOptions, Assembled, SourceSpot};
use crate::dis::header::HeaderHints;
use crate::meaning::Meaning;

/// Largest word count of one instruction; it has 16 bits.
const MAX_WORDS: usize = 0xffff;

/// Version for the header where nothing says one.
const NEWEST: Version = Version::v1(6);

pub(super) struct Assembler<'t> {
    pub(super) text: &'t [u8],
    options: &'t AsmOptions,
    pub(super) lex: Lexer<'t>,
    pub(super) out: Vec<u32>,
    pub(super) ids: Ids,
    pub(super) defs: Defs,
    opcodes: Opcodes,
    pub(super) errors: Vec<AsmError>,
    pub(super) lines: Lines<'t>,
    /// Place of the error last reported.
    pub(super) error_at: usize,
    spots: Option<Vec<SourceSpot>>,
    version: Version,
    hints: HeaderHints,
    /// The operand last read.
    pub(super) token: Mark,
}

/// The instruction being written.
pub(super) struct Open {
    pub(super) desc: &'static InstDesc,
    /// Its first token.
    pub(super) mark: Mark,
    /// Its first word.
    pub(super) start: usize,
    /// Name of the result id; it is numbered when its place among the operands comes.
    pub(super) result_name: Option<Name>,
    pub(super) result: Option<Index>,
    pub(super) result_type: Option<Index>,
    /// The first and the last of the ids among the other operands.
    pub(super) first_id: Option<Index>,
    pub(super) last_id: Option<Index>,
    /// Whether any number of ids may follow the operands that the grammar names.
    pub(super) more_ids: bool,
}

impl Open {
    /// Notes an id among the operands.
    #[inline]
    pub(super) fn note(&mut self, operand: &g::Operand, id: Index) {
        if operand.kind == OperandKind::IdResultType {
            self.result_type = Some(id);
            return;
        }
        if self.first_id.is_none() {
            self.first_id = Some(id);
        }
        self.last_id = Some(id);
    }
}

/// Operands still to come.
pub(super) struct Shape {
    pub(super) base: &'static [g::Operand],
    /// Parameters of enumerants, which come first.
    pub(super) params: &'static [g::Operand],
    /// Parameters of a mask that are still to come.
    pub(super) mask: MaskParameters,
    /// The second half of a pair.
    pub(super) half: Option<&'static g::Operand>,
    /// Whether anything but `base` may be left.
    pub(super) more: bool,
}

impl Shape {
    /// The operand that comes next; lists stay until [`end_list`](Self::end_list).
    #[inline]
    fn next(&mut self) -> Option<&'static g::Operand> {
        if self.more {
            return self.next_of_all();
        }
        let (first, rest) = self.base.split_first()?;
        if first.quantifier != Quantifier::Many {
            self.base = rest;
        }
        Some(first)
    }

    #[inline(never)]
    fn next_of_all(&mut self) -> Option<&'static g::Operand> {
        if let Some(half) = self.half.take() {
            return Some(half);
        }
        if self.params.is_empty() {
            self.params = self.mask.next().unwrap_or(&[]);
        }
        self.more = !self.mask.is_empty() || !self.params.is_empty();
        let list = if self.params.is_empty() { &mut self.base } else { &mut self.params };
        let (first, rest) = list.split_first()?;
        if first.quantifier != Quantifier::Many {
            *list = rest;
        }
        Some(first)
    }

    fn end_list(&mut self) {
        let list = if self.params.is_empty() { &mut self.base } else { &mut self.params };
        *list = list.get(1..).unwrap_or(&[]);
    }
}

/// What outlives a window of the text.
pub(super) struct State {
    out: Vec<u32>,
    ids: Ids,
    defs: Defs,
    version: Version,
    hints: HeaderHints,
}

impl State {
    /// At the start of a text, the comments of which say `hints`. It gives about so many words, at least.
    pub(super) fn new(options: &AsmOptions, hints: HeaderHints, ids: Ids, words: usize) -> State {
        let hinted = hints.version.map(Version::from_word).filter(|v| (Version::v1(0)..=NEWEST).contains(v));
        let version = options.version.or(hinted).unwrap_or(NEWEST);
        let mut out = Vec::with_capacity(words + HEADER_WORDS);
        out.extend([0; HEADER_WORDS]);
        State { out, ids, defs: Defs::default(), version, hints }
    }
}

impl<'t> Assembler<'t> {
    /// Goes on with `text`; if it is `cut`, more follows.
    pub(super) fn new(text: &'t [u8], cut: bool, options: &'t AsmOptions, state: State, map: bool) -> Assembler<'t> {
        let State { out, mut ids, defs, version, hints } = state;
        ids.expect_text(text.len());
        let lex = Lexer::new(text, cut);
        Assembler {
            text,
            options,
            out,
            ids,
            defs,
            opcodes: Opcodes::new(),
            errors: Vec::new(),
            lines: Lines::new(text),
            error_at: 0,
            spots: map.then(Vec::new),
            version,
            hints,
            token: lex.mark(),
            lex,
        }
    }

    /// Assembles a whole text.
    pub(super) fn run(mut self) -> Result<Assembled, Vec<AsmError>> {
        while let Some(next) = self.lex.skip() {
            let mark = self.lex.mark();
            let start = self.out.len();
            self.token = mark;
            if self.instruction(next, mark).is_err() {
                self.out.truncate(start);
                if self.errors.len() >= MAX_ERRORS {
                    break;
                }
                self.recover(mark);
            } else if let Some(spots) = &mut self.spots {
                let span = mark.start..self.lex.end().max(mark.start);
                let line = self.lines.line(mark.start);
                spots.push(SourceSpot { word: start as u32, line, span });
            }
        }
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        self.header();
        Ok(Assembled { words: self.out, spots: self.spots.unwrap_or_default() })
    }

    /// Assembles the instructions that are whole. Returns where they end, with what the next window needs; `None` where
    /// one is wrong.
    pub(super) fn run_window(mut self) -> Option<(usize, State)> {
        let done = loop {
            let before = self.lex.pos();
            let start = self.out.len();
            let Some(next) = self.lex.skip() else { break before };
            let mark = self.lex.mark();
            self.token = mark;
            let wrong = self.instruction(next, mark).is_err();
            if self.lex.is_cut() || wrong && self.lex.is_cut_behind_space() {
                self.out.truncate(start);
                break before;
            }
            if wrong {
                return None;
            }
        };
        let Assembler { out, ids, defs, version, hints, .. } = self;
        Some((done, State { out, ids, defs, version, hints }))
    }

    /// The module, once all windows are assembled.
    pub(super) fn finish(mut self) -> Vec<u32> {
        self.header();
        self.out
    }

    fn header(&mut self) {
        let mut header = [MAGIC, self.version.to_word(), self.options.generator, self.ids.bound(), 0];
        if self.options.keep_header {
            let HeaderHints { version, generator, bound, schema } = self.hints;
            let version = version.filter(|_| self.options.version.is_none());
            for (word, hint) in header.iter_mut().skip(1).zip([version, generator, bound, schema]) {
                *word = hint.unwrap_or(*word);
            }
        }
        if let Some(first) = self.out.first_chunk_mut() {
            *first = header;
        }
    }

    /// After an error: goes on where an instruction starts, rightly or wrongly, on a later line.
    #[cold]
    fn recover(&mut self, mark: Mark) {
        if self.lex.pos() == mark.start {
            self.lex.any();
        }
        let error_line = self.lines.line(self.error_at);
        let mut line = error_line;
        while let Some(next) = self.lex.skip() {
            let now = self.lines.line(self.lex.pos());
            let first = now > line;
            line = line.max(now);
            if line > error_line && (self.lex.at_instruction(next) || first && self.lex.resembles_instruction(next)) {
                break;
            }
            self.lex.any();
        }
    }

    fn instruction(&mut self, next: u8, mark: Mark) -> Done {
        match next {
            b'O' => {
                let word = self.lex.word();
                self.named(mark, word, None)
            }
            b'%' => self.assignment(mark),
            b'!' => {
                let start = self.out.len();
                self.raw_operands(None)?;
                self.too_long(mark, start)?;
                self.whole()?;
                self.record_raw(start);
                Ok(())
            }
            _ => {
                let word = self.lex.any();
                let message = format!("an instruction cannot start with {}", shown(word));
                let help = "an instruction starts with the name of an opcode or with `%id =`".to_owned();
                Err(self.fail(mark, message, Some(help)))
            }
        }
    }

    fn assignment(&mut self, mark: Mark) -> Done {
        let Some(name) = self.lex.assigned_id() else { return Err(self.unassigned(mark)) };
        let next = self.lex.skip();
        let at = self.lex.mark();
        if next != Some(b'O') {
            let word = self.lex.any();
            let message = match next {
                None => "no instruction follows `=`".to_owned(),
                Some(_) => format!("{} follows `=` in place of an instruction", shown(word)),
            };
            let mark = if next.is_none() { mark } else { at };
            return Err(self.fail_at(mark, self.lex.pos(), message, None));
        }
        let word = self.lex.word();
        let done = self.named(at, word, Some((name, mark)));
        if done.is_err() && !self.lex.is_cut_behind_space() {
            let index = self.ids.intern(name, self.text);
            if self.def(index) == Meaning::Unknown {
                self.define(index, Meaning::Opaque);
            }
        }
        done
    }

    /// Reports a token that starts like an id before `=` and is not.
    #[cold]
    fn unassigned(&mut self, mark: Mark) -> Failed {
        let Some(name) = self.lex.id() else {
            let word = self.word_at(mark);
            return self.bad_id(mark, word);
        };
        self.lex.skip();
        let message = format!("no `=` follows the result id %{}", String::from_utf8_lossy(name.of(self.text)));
        self.fail_at(mark, self.lex.end(), message, None)
    }

    /// The text of the token that was just read from `mark` on.
    pub(super) fn word_at(&self, mark: Mark) -> &'t [u8] {
        self.text.get(mark.start..self.lex.end()).unwrap_or(&[])
    }

    /// An instruction that starts with an opcode's name, at `mark`; its result id stands before.
    fn named(&mut self, mark: Mark, word: &'t [u8], result: Option<(Name, Mark)>) -> Done {
        let Some(desc) = self.opcodes.find(word) else {
            if word == b"OpUnknown" {
                return self.unknown_instruction(mark, result.is_some());
            }
            return Err(self.unknown_opcode(mark, word));
        };
        self.token = mark;
        if !self.options.any_version && !self.has(desc) {
            let message = format!("version {} has no {}", self.version, desc.name());
            let help = desc.min_version().map(|v| format!("it came with version {v}"));
            return Err(self.fail(mark, message, help));
        }
        if result.is_some() != desc.has_result() {
            return Err(self.wrong_result(mark, desc, result.map(|r| r.0.of(self.text))));
        }
        let start = self.out.len();
        self.out.push(0);
        let mut open = Open {
            desc,
            mark: result.map_or(mark, |r| r.1),
            start,
            result_name: result.map(|r| r.0),
            result: None,
            result_type: None,
            first_id: None,
            last_id: None,
            more_ids: false,
        };
        self.operands(&mut open)?;
        let count = self.too_long(open.mark, start)?;
        if let Some(first) = self.out.get_mut(start) {
            *first = count << 16 | u32::from(desc.op.0);
        }
        self.whole()?;
        self.record(&open)
    }

    /// Whether the instruction that was just read is certainly at its end; nothing may be made of it before.
    #[inline]
    pub(super) fn whole(&self) -> Done {
        if self.lex.is_cut() { Err(Failed) } else { Ok(()) }
    }

    #[cold]
    fn wrong_result(&mut self, mark: Mark, desc: &InstDesc, result: Option<&[u8]>) -> Failed {
        let name = desc.name();
        match result {
            Some(r) => {
                let r = String::from_utf8_lossy(r);
                self.fail(mark, format!("{name} has no result that %{r} could be"), None)
            }
            None => {
                let help = format!("write `%id = {name} …`");
                self.fail(mark, format!("{name} needs a result id before it"), Some(help))
            }
        }
    }

    /// Whether the version has the instruction; one that a capability or an extension brings may be there in any.
    fn has(&self, desc: &InstDesc) -> bool {
        desc.min_version().is_none_or(|v| v <= self.version) || desc.needs_capability() || !desc.extensions().is_empty()
    }

    /// The word count, where the instruction from `start` on can say it.
    pub(super) fn too_long(&mut self, mark: Mark, start: usize) -> Done<u32> {
        let count = self.out.len() - start;
        if count > MAX_WORDS && self.out.get(start) == Some(&0) {
            let message = format!("the instruction has {count} words, but a word count cannot exceed {MAX_WORDS}");
            return Err(self.fail_at(mark, self.lex.end(), message, None));
        }
        Ok(count as u32)
    }

    fn operands(&mut self, open: &mut Open) -> Done {
        let mut shape =
            Shape { base: open.desc.operands(), params: &[], mask: MaskParameters::NONE, half: None, more: false };
        loop {
            let Some(operand) = shape.next() else {
                if !core::mem::take(&mut open.more_ids) {
                    break;
                }
                shape.base = std::slice::from_ref(g::Operand::ANY_IDS);
                continue;
            };
            if operand.kind == OperandKind::IdResult {
                self.result(open);
                continue;
            }
            if operand.kind.is_id() && self.small_id(operand, open) {
                continue;
            }
            let next = self.next_operand();
            match next {
                Some(b'!') => return self.raw_operands(Some(open)),
                Some(next) => {
                    self.token = self.lex.mark();
                    self.operand(next, operand, open, &mut shape)?;
                }
                None => match operand.quantifier {
                    Quantifier::One => return Err(self.missing(open, operand)),
                    Quantifier::Optional => {}
                    Quantifier::Many => shape.end_list(),
                },
            }
        }
        match self.lex.skip() {
            Some(b'!') | None => Ok(()),
            Some(next) if self.lex.at_instruction(next) => Ok(()),
            // On a line of its own it is rather an instruction that starts wrong.
            Some(_) if self.lex.is_line_end_between(self.token.start, self.lex.pos()) => Ok(()),
            Some(_) => Err(self.leftover(open)),
        }
    }

    /// The short way for an id that is a small number; false, having done nothing, where it is none or an instruction
    /// starts with it.
    #[inline]
    fn small_id(&mut self, operand: &g::Operand, open: &mut Open) -> bool {
        let next = self.lex.skip();
        let mark = self.lex.mark();
        let Some(number) = next.filter(|b| *b == b'%').and_then(|_| self.lex.small_id()) else { return false };
        self.token = mark;
        let index = self.ids.numeric(number);
        self.out.push(self.ids.value(index));
        open.note(operand, index);
        true
    }

    /// First byte of the token that comes next, unless an instruction starts with it.
    #[inline]
    pub(super) fn next_operand(&mut self) -> Option<u8> {
        let next = self.lex.skip()?;
        if self.lex.at_instruction(next) { None } else { Some(next) }
    }

    /// Writes the result id.
    #[inline]
    pub(super) fn result(&mut self, open: &mut Open) {
        if let Some(name) = open.result_name
            && open.result.is_none()
        {
            let index = self.ids.intern(name, self.text);
            self.out.push(self.ids.value(index));
            open.result = Some(index);
        }
    }

    #[cold]
    fn missing(&mut self, open: &Open, operand: &g::Operand) -> Failed {
        let name = operand_name(operand);
        let same_line =
            !self.lex.is_line_end_between(self.token.start, self.lex.pos()) && self.lex.peek() == Some(b'O');
        let help = (same_line && operand.kind == OperandKind::LiteralSpecConstantOpInteger)
            .then(|| "OpSpecConstantOp takes the name without `Op`".to_owned());
        self.fail_at(self.token, self.lex.end(), format!("{} lacks its operand {name}", open.desc.name()), help)
    }

    #[cold]
    fn leftover(&mut self, open: &Open) -> Failed {
        let mark = self.lex.mark();
        let word = self.lex.any();
        self.fail(mark, format!("{} is one operand too many for {}", shown(word), open.desc.name()), None)
    }
}

/// What an operand is called in messages.
pub(super) fn operand_name(operand: &g::Operand) -> String {
    match operand.name() {
        "" => operand.kind.name().to_owned(),
        name => format!("{name} ({})", operand.kind.name()),
    }
}
