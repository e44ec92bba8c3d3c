//! A module together with what it was read from: the look-ups that turn word offsets into what people can read.

use std::cell::{OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet};

use spirula_binary::{Context, Frames, HEADER_WORDS, Id, Imported, Inst, LitStr, Number};
use spirula_diag::{Cite, Diagnostic, Site};
use spirula_grammar::{ExtSet, Op};

use super::finding::{Finding, IdName, Place, Related};
use super::line;
use super::source::SourceMap;
use crate::dis::ids::IdMap;
use crate::dis::{Names, listing};

/// Longest piece of a line that is shown.
const LONGEST_LINE: usize = 400;

/// The text that a module was assembled from.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'a> {
    /// The text.
    pub text: &'a [u8],
    /// For every instruction the word that it starts at and its line (from 1), in ascending order of words.
    pub lines: &'a [(u32, u32)],
}

/// A module that diagnostics speak of.
#[derive(Debug)]
pub struct Subject<'a> {
    file: &'a str,
    words: &'a [u32],
    origin: Option<Origin<'a>>,
    tables: OnceCell<Tables<'a>>,
    text_lines: OnceCell<Vec<&'a [u8]>>,
    /// For every entry point, the functions that it reaches.
    reached: OnceCell<Vec<BTreeSet<u32>>>,
    /// Names of ids that nothing defines.
    undefined: RefCell<BTreeMap<u32, String>>,
}

/// What is looked up; made when the first finding is located.
#[derive(Debug, Default)]
struct Tables<'a> {
    /// Offset of every instruction.
    starts: Vec<u32>,
    /// What the disassembler calls ids.
    names: Option<Names>,
    /// By id, the offset of the instruction that defines it; the first one's, where there are several.
    definitions: IdMap<u32>,
    /// Every function: first word, word behind it, id, the functions that it calls.
    functions: Vec<Function>,
    /// Entry points: function and name.
    entry_points: Vec<(u32, LitStr<'a>)>,
    source: SourceMap<'a>,
}

#[derive(Debug)]
struct Function {
    start: u32,
    end: u32,
    id: u32,
    calls: Vec<u32>,
}

impl<'a> Subject<'a> {
    /// A module in an input called `file`, and the text that it was assembled from, if it was.
    pub fn new(file: &'a str, words: &'a [u32], origin: Option<Origin<'a>>) -> Subject<'a> {
        Subject {
            file,
            words,
            origin,
            tables: OnceCell::new(),
            text_lines: OnceCell::new(),
            reached: OnceCell::new(),
            undefined: RefCell::default(),
        }
    }

    /// The input's name.
    pub fn file(&self) -> &'a str {
        self.file
    }

    /// Looks up everything that can be said about a diagnostic.
    pub fn locate(&self, d: &Diagnostic) -> Finding {
        let mut found = Finding::bare(self.file, d);
        found.place = self.place(d.at);
        self.name_undefined(d.at, &found.place);
        found.message = self.name_ids(&d.message, &mut found.ids);
        found.cite = Some(self.cite(d));
        found.entry_points = self.entry_points_of(d.at.word);
        found.related = d
            .notes
            .iter()
            .map(|n| Related {
                message: self.name_ids(&n.text, &mut found.ids),
                file: None,
                place: n.at.map(|at| self.place(at)).unwrap_or_default(),
            })
            .collect();
        found
    }

    /// Where the rule stands; with the instruction where it is the instruction's own text.
    fn cite(&self, d: &Diagnostic) -> String {
        let op = Inst::at(self.words, d.at.word).map(|i| i.op());
        match (d.rule.cite, op) {
            (Cite::Own(_), Some(op)) => format!("{}, {op}", d.rule.cite),
            (cite, _) => cite.to_string(),
        }
    }

    /// An id of assembled text that nothing defines has a name only where it is used.
    fn name_undefined(&self, at: Site, place: &Place) {
        let Some(id) = Inst::at(self.words, at.word).map(|i| i.word(usize::from(at.operand))) else { return };
        if at.operand == 0 || self.origin.is_none() || self.tables().definition(id).is_some() {
            return;
        }
        let token = place.asm_span.and_then(|(start, end)| place.asm.as_deref()?.get(start..end)?.strip_prefix('%'));
        if let Some(token) = token {
            self.undefined.borrow_mut().insert(id, token.to_owned());
        }
    }

    fn tables(&self) -> &Tables<'a> {
        self.tables.get_or_init(|| Tables::of(self.words, self.origin.is_none()))
    }

    fn place(&self, at: Site) -> Place {
        let byte = u64::from(at.word) * 4 + u64::from(at.operand) * 4;
        let mut place = Place {
            word: Some(at.word),
            byte: Some(byte),
            operand: (at.operand != 0).then_some(at.operand),
            ..Place::default()
        };
        let Ok(ordinal) = self.tables().starts.binary_search(&at.word) else { return place };
        place.instruction = u32::try_from(ordinal + 1).ok();
        let Some(inst) = Inst::at(self.words, at.word) else { return place };
        self.show_line(inst, at, &mut place);
        let from = self.function_at(at.word).map_or(HEADER_WORDS as u32, |f| f.start);
        place.source = self.tables().source.place(self.words, from, at.word);
        place
    }

    /// Fills in the instruction's text.
    fn show_line(&self, inst: Inst<'a>, at: Site, place: &mut Place) {
        let context = Decoding(self);
        let operand = (at.operand != 0).then(|| line::operands_before(inst, at.operand, &context));
        let (text, number) = match self.own_line(at.word) {
            Some((number, text)) => (text, Some(number)),
            None => (listing::one(inst, self.tables().names.as_ref(), |id| context.definition(id)), None),
        };
        let text = tame(&text);
        let span = line::operand_span(inst, &text, operand);
        place.line = number;
        place.column = number.and_then(|_| u32::try_from(span.start + 1).ok());
        place.asm_span = Some((span.start, span.end));
        place.asm = Some(text);
    }

    /// The line of the input's text that the instruction at `word` stands in, and its number.
    fn own_line(&self, word: u32) -> Option<(u32, String)> {
        let origin = self.origin?;
        let i = origin.lines.binary_search_by_key(&word, |l| l.0).ok()?;
        let number = origin.lines.get(i)?.1;
        let lines = self.text_lines.get_or_init(|| origin.text.split(|b| *b == b'\n').collect());
        let line = lines.get(number.checked_sub(1)? as usize)?;
        Some((number, String::from_utf8_lossy(line).into_owned()))
    }

    /// The name of an id: what stands before the `=` in the input's own text, or else what the disassembler calls it.
    fn name(&self, id: u32) -> Option<String> {
        let tables = self.tables();
        if self.origin.is_some() {
            let Some(definition) = tables.definition(id) else {
                return self.undefined.borrow().get(&id).cloned();
            };
            let (_, line) = self.own_line(definition)?;
            let first = line.trim_start().split(|c: char| c.is_whitespace() || c == '=').next()?;
            return first.strip_prefix('%').filter(|n| !n.is_empty()).map(str::to_owned);
        }
        tables.names.as_ref()?.get(Id(id)).map(str::to_owned)
    }

    /// Adds names to the ids of a message. In a binary `%12` becomes `%12 (%color)`. Ids of assembled text have numbers
    /// that its author never saw: there the name replaces the number.
    fn name_ids(&self, message: &str, ids: &mut Vec<IdName>) -> String {
        let mut out = String::with_capacity(message.len() + 16);
        let mut rest = message;
        while let Some(at) = rest.find('%') {
            let (before, from) = rest.split_at(at);
            out.push_str(before);
            let digits = from.get(1..).unwrap_or("");
            let len = digits.bytes().take_while(u8::is_ascii_digit).count();
            let (token, after) = from.split_at(1 + len);
            rest = after;
            // `%1a` is no id.
            let ends = !after.starts_with(|c: char| c.is_alphanumeric() || c == '_');
            let named = token.get(1..).and_then(|d| d.parse().ok()).filter(|_| ends);
            match named.and_then(|id| Some((id, self.name(id)?))) {
                None => out.push_str(token),
                Some((id, name)) => {
                    let name = format!("%{name}");
                    if self.origin.is_some() {
                        out.push_str(&name);
                    } else {
                        out.push_str(&format!("{token} ({name})"));
                    }
                    if !ids.iter().any(|i| i.id == id) {
                        ids.push(IdName { id, name });
                    }
                }
            }
        }
        out + rest
    }

    fn function_at(&self, word: u32) -> Option<&Function> {
        let functions = &self.tables().functions;
        let i = functions.partition_point(|f| f.start <= word).checked_sub(1)?;
        functions.get(i).filter(|f| word < f.end)
    }

    /// The entry points that can reach the function which `word` is in.
    fn entry_points_of(&self, word: u32) -> Vec<String> {
        let Some(target) = self.function_at(word).map(|f| f.id) else { return Vec::new() };
        let reached = self.reached.get_or_init(|| self.tables().reached());
        let mut found: Vec<String> = Vec::new();
        for ((_, name), functions) in self.tables().entry_points.iter().zip(reached) {
            if functions.contains(&target) {
                found.push(name.to_text());
            }
        }
        found.dedup();
        found
    }
}

impl<'a> Tables<'a> {
    fn of(words: &'a [u32], needs_names: bool) -> Tables<'a> {
        let names = needs_names.then(|| Names::of(words));
        let mut tables = Tables { names, definitions: IdMap::new(words), ..Tables::default() };
        let mut end = HEADER_WORDS as u32;
        for inst in Frames::of(words) {
            let inst = match inst {
                Ok(inst) => inst,
                // The broken instruction itself is a place too.
                Err(e) => {
                    tables.starts.push(e.offset());
                    break;
                }
            };
            tables.starts.push(inst.offset());
            end = inst.offset().saturating_add(inst.words().len() as u32);
            if let Some(id) = inst.result().filter(|id| tables.definitions.get(*id) == 0) {
                tables.definitions.set(id, inst.offset());
            }
            tables.take(inst, end);
        }
        if let Some(f) = tables.functions.last_mut().filter(|f| f.end == u32::MAX) {
            f.end = end;
        }
        tables
    }

    /// Offset of the instruction that defines an id.
    fn definition(&self, id: u32) -> Option<u32> {
        Some(self.definitions.get(Id(id))).filter(|at| *at != 0)
    }

    /// For every entry point, the functions of its call graph.
    fn reached(&self) -> Vec<BTreeSet<u32>> {
        let by_id: BTreeMap<u32, &Function> = self.functions.iter().map(|f| (f.id, f)).collect();
        let from = |entry: u32| {
            let mut seen = BTreeSet::from([entry]);
            let mut queue = vec![entry];
            while let Some(id) = queue.pop() {
                let calls = by_id.get(&id).map_or(&[][..], |f| &f.calls);
                queue.extend(calls.iter().filter(|c| seen.insert(**c)));
            }
            seen
        };
        // Each costs a walk over the functions; nobody reads a list of more.
        self.entry_points.iter().take(64).map(|(entry, _)| from(*entry)).collect()
    }

    fn take(&mut self, inst: Inst<'a>, end: u32) {
        match inst.op() {
            Op::EntryPoint => {
                if let Some(name) = LitStr::read(inst.tail(3)) {
                    self.entry_points.push((inst.word(2), name));
                }
            }
            Op::Function => {
                let start = inst.offset();
                if let Some(open) = self.functions.last_mut().filter(|f| f.end == u32::MAX) {
                    open.end = start;
                }
                self.functions.push(Function { start, end: u32::MAX, id: inst.word(2), calls: Vec::new() });
            }
            Op::FunctionEnd => {
                if let Some(f) = self.functions.last_mut().filter(|f| f.end == u32::MAX) {
                    f.end = end;
                }
            }
            Op::FunctionCall => {
                if let Some(f) = self.functions.last_mut().filter(|f| f.end == u32::MAX) {
                    f.calls.push(inst.word(3));
                }
            }
            _ => self.source.take(inst),
        }
    }
}

/// What decoding an instruction needs to know of the others.
struct Decoding<'s, 'a>(&'s Subject<'a>);

impl<'a> Decoding<'_, 'a> {
    fn definition(&self, id: Id) -> Option<Inst<'a>> {
        Inst::at(self.0.words, self.0.tables().definition(id.0)?)
    }
}

impl Context for Decoding<'_, '_> {
    fn number(&self, ty: Id) -> Option<Number> {
        Number::of_type(self.definition(ty)?)
    }

    fn type_of(&self, id: Id) -> Option<Id> {
        self.definition(id)?.result_type()
    }

    fn imported(&self, id: Id) -> Option<Imported> {
        let import = self.definition(id).filter(|i| i.op() == Op::ExtInstImport)?;
        let set = ExtSet::from_name(&LitStr::read(import.tail(2))?.to_bytes());
        Some(set.map_or(Imported::Unknown, Imported::Known))
    }
}

/// One line of bounded length without control characters, whatever strings it contains.
fn tame(line: &str) -> String {
    let mut out: String = line.chars().take(LONGEST_LINE).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if line.chars().nth(LONGEST_LINE).is_some() {
        out.push('…');
    }
    out
}
