//! Findings for people.

use std::fmt::Write as _;
use std::ops::Range;

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::finding::{Finding, Place, SourcePlace};

/// Width to which source lines are cut.
const WIDTH: usize = 160;

/// A finding with its context, several lines; with ANSI colours if `color`. Ends in a newline.
pub fn human(finding: &Finding, color: bool) -> String {
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    let level = match finding.severity {
        "error" => Level::ERROR,
        "warning" => Level::WARNING,
        _ => Level::NOTE,
    };
    let mut group = Group::with_title(level.primary_title(one_line(&finding.message)).id(finding.rule.as_str()));
    match snippet(&finding.file, &finding.place, AnnotationKind::Primary, None) {
        Some(s) => group = group.element(s),
        None => group = group.element(annotate_snippets::Origin::path(place_of(finding))),
    }
    for r in &finding.related {
        let file = r.file.as_deref().unwrap_or(&finding.file);
        group = match snippet(file, &r.place, AnnotationKind::Context, Some(&r.message)) {
            Some(s) => group.element(s),
            None => group.element(Level::NOTE.message(one_line(&r.message))),
        };
    }
    if let Some(s) = finding.place.source.as_ref().and_then(source_snippet) {
        group = group.element(s);
    }
    for text in facts(finding) {
        group = group.element(Level::NOTE.no_name().message(text));
    }
    if let Some(help) = &finding.help {
        group = group.element(Level::HELP.message(one_line(help)));
    }
    let mut text = renderer.decor_style(DecorStyle::Ascii).term_width(WIDTH).render(&[group]);
    text.push('\n');
    text
}

/// A finding in one line, without the newline: `FILE:PLACE: error[rule]: message`. The place is `LINE:COLUMN` in text,
/// and the instruction's ordinal in a binary.
pub fn short(finding: &Finding) -> String {
    format!("{}: {}[{}]: {}", place_of(finding), finding.severity, finding.rule, one_line(&finding.message))
}

/// The file and, as closely as it is known, the place in it.
fn place_of(finding: &Finding) -> String {
    let place = &finding.place;
    match (place.line, place.column, place.instruction, place.byte) {
        (Some(line), Some(column), ..) => format!("{}:{line}:{column}", finding.file),
        (_, _, Some(instruction), _) => format!("{}:{instruction}", finding.file),
        (.., Some(byte)) => format!("{}: byte {byte}", finding.file),
        _ => finding.file.clone(),
    }
}

/// The instruction's line with the guilty part underlined.
fn snippet<'a>(
    file: &'a str,
    place: &'a Place,
    kind: AnnotationKind,
    label: Option<&'a str>,
) -> Option<Snippet<'a, annotate_snippets::Annotation<'a>>> {
    let asm = place.asm.as_deref()?;
    let number = place.line.or(place.instruction)?;
    let (start, end) = place.asm_span?;
    let span = Range { start: start.min(asm.len()), end: end.min(asm.len()) };
    let mark = kind.span(span).label(label);
    Some(Snippet::source(asm).line_start(number as usize).path(file).annotation(mark))
}

/// The shader's own line, where the module embeds it.
fn source_snippet(source: &SourcePlace) -> Option<Snippet<'_, annotate_snippets::Annotation<'_>>> {
    let text = source.text.as_deref().filter(|t| !t.trim().is_empty())?;
    let indent = text.len() - text.trim_start().len();
    // Columns are counted from 1 by some producers and from 0 by others; only ranges are worth underlining.
    let one_line = source.end_line == source.line && source.end_column > source.column;
    let range = (source.column.saturating_sub(1) as usize, source.end_column.saturating_sub(1) as usize);
    let span = match text.get(range.0..range.1) {
        Some(part) if one_line && !part.trim().is_empty() => range.0..range.1,
        _ => indent..text.trim_end().len(),
    };
    let mark = AnnotationKind::Context.span(span).label("compiled from here");
    Some(Snippet::source(text).line_start(source.line as usize).path(source.file.as_str()).annotation(mark))
}

/// Lines below the snippet.
fn facts(finding: &Finding) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    if let Some(cite) = &finding.cite {
        let _ = write!(line, "rule: {cite}");
    }
    if finding.place.line.is_none()
        && let Some(byte) = finding.place.byte.filter(|_| finding.place.asm.is_some())
    {
        let _ = write!(line, "{}at byte {byte:#x}", if line.is_empty() { "" } else { "; " });
    }
    if !line.is_empty() {
        lines.push(line);
    }
    if let Some(source) = finding.place.source.as_ref().filter(|s| s.text.is_none()) {
        lines.push(format!("compiled from {}:{}", source.file, source.line));
    }
    if !finding.entry_points.is_empty() {
        lines.push(format!("reached from entry point {}", finding.entry_points.join(", ")));
    }
    lines
}

/// Text of a message without line breaks and control characters.
fn one_line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
