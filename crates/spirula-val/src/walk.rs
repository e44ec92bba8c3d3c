//! The fused walk: the only loop over instructions.

use alloc::format;
use alloc::vec::Vec;
use core::ops::Range;

use bumpalo::Bump;
use spirula_binary::Inst;
use spirula_diag::{Diagnostic, Site};
use spirula_grammar::{MAGIC, Op, Version};
use spirula_module::Function;

use crate::cx::{Cx, Shared};
use crate::dispatch::Row;
use crate::flow::Flow;
use crate::id_set::IdSet;
use crate::rules::layout::Layout;
use crate::{finish, grammar};

/// The newest version of SPIR-V that exists.
const NEWEST: Version = Version::v1(6);

/// Judges a whole module; `bodies` walks its functions.
pub(crate) fn module<'a>(
    shared: Shared<'a>,
    arena: &'a Bump,
    flow: &'a mut Flow,
    poison: &'a mut IdSet,
    out: &'a mut Vec<Diagnostic>,
    bodies: impl FnOnce(&mut Cx<'a>, &mut Layout),
) {
    let mut cx = Cx::new(shared, arena, flow, poison, out);
    if !header(&mut cx) {
        return;
    }
    let mut layout = Layout::default();
    for inst in cx.m.global_insts() {
        instruction(&mut cx, &mut layout, inst);
    }
    bodies(&mut cx, &mut layout);
    let end = cx.m.words().len() as u32;
    let behind = cx.m.functions().last().map_or(end, |f| f.end);
    between(&mut cx, &mut layout, behind..end);
    if let Some(e) = cx.m.broken() {
        cx.fail_site(&grammar::FRAMING, Site::at(e.offset()), || format!("{e}")).ok();
    } else {
        layout.end(&mut cx);
        finish::module(&mut cx);
    }
}

/// Judges some of the functions, and what stands before each.
pub(crate) fn functions(cx: &mut Cx<'_>, layout: &mut Layout, range: Range<usize>) {
    let functions = cx.m.functions();
    let before = range.start.checked_sub(1).and_then(|i| functions.get(i)).map(|f| f.end);
    let mut next = before.or(functions.first().map(|f| f.start)).unwrap_or(0);
    for (index, function) in functions.iter().enumerate().take(range.end).skip(range.start) {
        between(cx, layout, next..function.start);
        body(cx, layout, function, index);
        next = function.end;
    }
}

/// Instructions that stand behind a function and before the next one.
fn between<'a>(cx: &mut Cx<'a>, layout: &mut Layout, words: Range<u32>) {
    for inst in cx.m.insts(words) {
        instruction(cx, layout, inst);
    }
}

fn body<'a>(cx: &mut Cx<'a>, layout: &mut Layout, function: &'a Function, index: usize) {
    let m = cx.m;
    cx.flow.enter(&m, function);
    cx.enter(Some((function, index)));
    for inst in m.insts(function.start..function.end) {
        if inst.op() == Op::Label {
            cx.next_block();
        }
        instruction(cx, layout, inst);
    }
    finish::function(cx, function);
    cx.enter(None);
}

#[inline]
fn instruction<'a>(cx: &mut Cx<'a>, layout: &mut Layout, inst: Inst<'a>) {
    let Some(desc) = inst.desc() else {
        grammar::unknown_opcode(cx, inst);
        return;
    };
    let row = Row::of(desc);
    let placed = layout.step(cx, inst, desc, row);
    let judged = grammar::instruction(cx, inst, desc, row).and(placed).and_then(|()| row.judge(cx, inst, desc));
    if judged.is_err() {
        grammar::poison(cx, inst.result());
    }
}

/// Judges the header (§2.3). Returns whether the instructions behind it make sense.
fn header(cx: &mut Cx<'_>) -> bool {
    let words = cx.m.words();
    let Some(h) = cx.m.header().filter(|_| words.first() == Some(&MAGIC)) else {
        cx.fail_site(&grammar::HEADER, Site::at(0), || match words.first() {
            Some(&MAGIC) => format!("the module has {} words, fewer than the 5 of its header", words.len()),
            Some(w) => format!("the first word is {w:#010x}, not the magic number {MAGIC:#010x}"),
            None => "the module is empty".into(),
        })
        .ok();
        return false;
    };
    let version = h.version();
    if h.version & 0xff00_00ff != 0 || version > NEWEST || version < Version::v1(0) {
        let text =
            || format!("the version word {:#010x} names no version of SPIR-V; the newest is {NEWEST}", h.version);
        cx.fail_site(&grammar::HEADER, Site::at(1), text).ok();
    } else if version > cx.env.version {
        let (name, newest) = (cx.env.name(), cx.env.version);
        let text = || format!("the module is SPIR-V {version}, but {name} takes at most {newest}");
        cx.fail_site(&grammar::ENVIRONMENT_VERSION, Site::at(1), text).ok();
    }
    let limit = cx.options.limits.id_bound;
    if h.bound == 0 || h.bound > limit {
        let text = || format!("the bound is {}, but must be from 1 to {limit}", h.bound);
        cx.fail_site(&grammar::BOUND, Site::at(3), text).ok();
    }
    true
}
