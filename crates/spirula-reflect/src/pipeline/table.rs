//! A pipeline as text for people.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use crate::model::*;
use crate::rows::{Rows, opt, vec};
use crate::table::kind;

/// A pipeline as text with aligned columns.
pub fn pipeline_table(p: &Pipeline) -> String {
    let mut out = Rows::default();
    let title = match p.kind {
        PipelineKind::Graphics => "Graphics pipeline",
        PipelineKind::Compute => "Compute pipeline",
        PipelineKind::RayTracing => "Ray tracing pipeline",
        PipelineKind::Other => "No pipeline",
    };
    out.line(title);
    let stages = p.stages.iter().map(|s| vec(&[&s.model, &s.module, &s.entry_point]));
    out.rows("stages", &["stage", "module", "entry point"], stages.collect());
    for set in &p.sets {
        out.line("");
        out.line(&format!("Set {}", set.set));
        let header = ["binding", "name", "kind", "count", "bytes", "access", "stages"];
        out.rows("", &header, set.bindings.iter().map(binding).collect());
    }
    push_constants(&mut out, &p.push_constants);
    vertex_inputs(&mut out, &p.vertex_inputs);
    for i in &p.interfaces {
        let name = |stage: u32| p.stages.get(stage as usize).map_or("", |s| &s.model);
        out.line("");
        out.line(&format!("From {} to {}", name(i.from), name(i.to)));
        out.rows("", &["location", "output", "type", "input", "type"], i.values.iter().map(value).collect());
    }
    if !p.conflicts.is_empty() {
        out.line("");
        out.line("Conflicts");
        for c in &p.conflicts {
            let severity = match c.severity {
                ConflictSeverity::Error => "error",
                ConflictSeverity::Warning => "warning",
            };
            out.line(&format!("  {severity}: {}", c.message));
        }
    }
    out.text
}

fn binding(b: &LayoutBinding) -> Vec<String> {
    let mut names: Vec<&str> = b.uses.iter().map(|u| u.name.as_str()).filter(|n| !n.is_empty()).collect();
    names.sort_unstable();
    names.dedup();
    let count = match (b.unbounded, b.specialised) {
        (true, _) => "unbounded".to_string(),
        (_, true) => format!("{} (spec)", b.count),
        _ => b.count.to_string(),
    };
    let access = match (b.read, b.written) {
        (true, true) => "read, write",
        (true, false) => "read",
        (false, true) => "write",
        (false, false) => "",
    };
    let stages = b.stages.join(" ");
    let kind = if b.descriptor_type == "MUTABLE_EXT" { "mutable" } else { kind(&b.kind) };
    vec(&[&b.binding.to_string(), &names.join(", "), kind, &count, &opt(b.size), access, &stages])
}

fn push_constants(out: &mut Rows, p: &PushConstantRanges) {
    let row = |r: &PushConstantRange, what: &str| {
        vec(&[&r.offset.to_string(), &r.size.to_string(), &r.stages.join(" "), what])
    };
    let mut rows: Vec<Vec<String>> = p.ranges.iter().map(|r| row(r, "")).collect();
    if rows.len() > 1 {
        rows.extend(p.merged.iter().map(|r| row(r, "all in one")));
    }
    if !rows.is_empty() {
        out.line("");
        out.line("Push constant ranges");
        out.rows("", &["offset", "bytes", "stages", ""], rows);
    }
}

fn vertex_inputs(out: &mut Rows, attributes: &[VertexAttribute]) {
    if attributes.is_empty() {
        return;
    }
    out.line("");
    out.line("Vertex inputs");
    let rows = attributes.iter().map(|a| {
        let semantics: Vec<&str> = a.semantics.iter().map(|s| s.text.as_str()).collect();
        vec(&[&place(a.location, a.component), &a.name, &a.format, &semantics.join(" ")])
    });
    let rows = rows.collect();
    out.rows("", &["location", "name", "format", "semantic"], rows);
}

fn place(location: u32, component: u32) -> String {
    if component == 0 { location.to_string() } else { format!("{location}.{component}") }
}

fn value(v: &InterfaceValue) -> Vec<String> {
    let place = place(v.location, v.component) + if v.per_patch { " (patch)" } else { "" };
    let side = |s: &Option<NamedValue>, none: &str| match s {
        Some(s) => (s.name.clone(), s.ty.clone()),
        None => (none.to_string(), String::new()),
    };
    let (output, output_type) = side(&v.output, "(not written)");
    let (input, input_type) = side(&v.input, "(not read)");
    vec(&[&place, &output, &output_type, &input, &input_type])
}
