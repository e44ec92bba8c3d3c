//! What deserves a look.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use spirula_grammar::{Decoration, Op, SourceLanguage};

use crate::Cx;
use crate::model::*;

/// Notes of one kind that are made.
const MAX_NOTES: usize = 100;

/// All notes about a report.
pub(crate) fn of(cx: &Cx<'_, '_>, r: &Reflection<'_>) -> Vec<Note> {
    let mut notes: Vec<Note> = collisions(&r.bindings).take(MAX_NOTES).collect();
    for point in &r.entry_points {
        notes.extend(point.duplicate_semantics.iter().map(|s| Note {
            kind: NoteKind::DuplicateSemantic,
            text: format!("{} {}: the semantic {s} occurs more than once", point.model, point.name),
            ids: Vec::new(),
        }));
        if notes.len() > 2 * MAX_NOTES {
            break;
        }
    }
    let unused = r.unused.bindings.iter().filter_map(|i| r.bindings.get(*i as usize));
    let unused = unused.filter_map(|b| Some((b, b.counter_of?))).take(MAX_NOTES);
    notes.extend(unused.map(|(b, of)| Note {
        kind: NoteKind::UnusedCounter,
        text: format!("the counter buffer {} is used by no entry point", called(b)),
        ids: alloc::vec![b.id, of],
    }));
    notes.extend(no_semantics(cx, r));
    notes.extend(left_out(cx, r));
    notes
}

/// How a variable is called: by its name, or its id.
fn called(b: &Binding<'_>) -> String {
    if b.name.is_empty() { format!("%{}", b.id) } else { b.name.chars().take(80).collect() }
}

fn collisions(bindings: &[Binding<'_>]) -> impl Iterator<Item = Note> {
    let groups = bindings.chunk_by(|a, b| a.set == b.set && a.binding == b.binding);
    groups.filter(|g| g.len() > 1).filter_map(|group| {
        let (set, binding) = (group[0].set.unwrap_or(0), group[0].binding?);
        let names: Vec<String> = group.iter().map(called).take(4).collect();
        let more = if group.len() > names.len() { " and more" } else { "" };
        Some(Note {
            kind: NoteKind::BindingCollision,
            text: format!("{}{more} share set {set}, binding {binding}", names.join(", ")),
            ids: group.iter().map(|b| b.id).take(16).collect(),
        })
    })
}

/// Compilers of HLSL keep semantics on demand only.
fn no_semantics(cx: &Cx<'_, '_>, r: &Reflection<'_>) -> Option<Note> {
    let language = cx.survey.source?.word(1);
    let mut variables = r.entry_points.iter().flat_map(|p| p.inputs.iter().chain(&p.outputs));
    let missing = SourceLanguage(language) == SourceLanguage::HLSL
        && variables.any(|v| v.location.is_some())
        && !(cx.m.may_be_decorated(Decoration::UserSemantic)
            && cx.m.annotations().any(|i| match i.op() {
                Op::DecorateString => Decoration(i.word(2)) == Decoration::UserSemantic,
                Op::MemberDecorateString => Decoration(i.word(3)) == Decoration::UserSemantic,
                _ => false,
            }));
    missing.then(|| Note {
        kind: NoteKind::NoSemantics,
        text: "the module comes from HLSL, but says no semantics: compile with -fspv-reflect (DXC) or \
               -fhlsl_functionality1 (glslc)"
            .into(),
        ids: Vec::new(),
    })
}

/// What could not be understood, or was too much.
fn left_out(cx: &Cx<'_, '_>, r: &Reflection<'_>) -> Vec<Note> {
    let m = &cx.m;
    let note = |text: String, ids| Note { kind: NoteKind::LeftOut, text, ids };
    let mut notes = Vec::new();
    if cx.budget.is_exceeded() {
        notes.push(note(
            "a report on all of it would be far larger than the module: part of it is left out".into(),
            Vec::new(),
        ));
    }
    if let Some(error) = m.broken() {
        notes.push(note(format!("instructions behind word {} cannot be read", error.offset()), Vec::new()));
    }
    if cx.unknown {
        notes.push(note("there are unknown instructions: what they use is not known".into(), Vec::new()));
    }
    if m.header().is_none() {
        notes.push(note("there is no header".into(), Vec::new()));
    }
    let undefined = |ty: crate::TypeRef| {
        r.types.get(ty.0 as usize).is_none_or(|t| matches!(&t.kind, TypeKind::Other(name) if name == "undefined"))
    };
    let blocks = r.push_constants.iter().chain(&r.shader_records).map(|b| (b.id, b.ty));
    let untyped = r.bindings.iter().map(|b| (b.id, b.ty)).chain(blocks).filter(|v| undefined(v.1));
    // Untyped variables need not say what they hold.
    let untyped = untyped.filter(|v| m.info(spirula_binary::Id(v.0)).op == Op::Variable);
    let untyped: Vec<u32> = untyped.map(|v| v.0).take(MAX_NOTES).collect();
    if !untyped.is_empty() && !cx.budget.is_exceeded() {
        notes.push(note("variables whose types are not defined".into(), untyped));
    }
    let nameless: Vec<u32> =
        m.entry_points().filter(|e| e.name.is_none()).map(|e| e.function.0).take(MAX_NOTES).collect();
    if !nameless.is_empty() {
        notes.push(note("entry points whose names do not end".into(), nameless));
    }
    let bodiless = r.entry_points.iter().filter(|p| m.info(spirula_binary::Id(p.id)).function().is_none());
    let bodiless: Vec<u32> = bodiless.map(|p| p.id).take(MAX_NOTES).collect();
    if !bodiless.is_empty() {
        notes.push(note("entry points without a function: what they use is not known".into(), bodiless));
    }
    notes
}
