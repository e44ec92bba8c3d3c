//! The report for people.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

use crate::TypeRef;
use crate::model::*;
use crate::rows::{MAX_ROWS, Rows, cell, opt, vec};

/// Names of variables that are shown with their block.
const MAX_NAMES: usize = 4;

/// The report as text with aligned columns.
pub fn table(r: &Reflection<'_>) -> String {
    let mut out = Out { r, rows: Rows::default() };
    out.head();
    for point in &r.entry_points {
        out.entry_point(point);
    }
    out.unused();
    out.counters();
    out.blocks();
    out.spec_constants();
    out.requirements();
    out.notes();
    out.rows.text
}

struct Out<'r> {
    r: &'r Reflection<'r>,
    rows: Rows,
}

impl Out<'_> {
    fn line(&mut self, text: &str) {
        self.rows.line(text);
    }

    fn rows(&mut self, title: &str, header: &[&str], rows: Vec<Vec<String>>) {
        self.rows.rows(title, header, rows);
    }

    fn head(&mut self) {
        let r = self.r;
        let source = r.source.as_ref().map_or(String::new(), |s| format!(", from {} {}", s.language, s.version));
        self.line(&format!(
            "SPIR-V {}.{}, {} {}{source}",
            r.version.major, r.version.minor, r.addressing_model, r.memory_model
        ));
    }

    fn entry_point(&mut self, p: &EntryPoint<'_>) {
        self.line("");
        self.line(&format!("{} {}", p.model, p.name));
        if let Some(size) = &p.workgroup_size {
            let part = |d: &Dimension| d.spec_id.map_or(d.size.to_string(), |id| format!("{} (spec {id})", d.size));
            self.line(&format!("  workgroup size {} x {} x {}", part(&size[0]), part(&size[1]), part(&size[2])));
        }
        let modes: Vec<&str> = p.modes.iter().map(|m| &*m.name).collect();
        if !modes.is_empty() {
            self.line(&format!("  modes {}", modes.join(", ")));
        }
        let used = [
            (p.uses_subgroups, "subgroup operations"),
            (p.uses_derivatives, "derivatives"),
            (p.uses_discard, "discard"),
        ];
        let used: Vec<&str> = used.iter().filter(|u| u.0).map(|u| u.1).collect();
        if !used.is_empty() {
            self.line(&format!("  uses {}", used.join(", ")));
        }
        if let Some(bytes) = p.workgroup_memory.filter(|b| *b > 0) {
            self.line(&format!("  workgroup memory {bytes} bytes"));
        }
        let header = ["location", "name", "type", "built-in", "interpolation", "semantic"];
        self.rows("inputs", &header, p.inputs.iter().map(|v| self.variable(v)).collect());
        self.rows("outputs", &header, p.outputs.iter().map(|v| self.variable(v)).collect());
        let payloads =
            p.payloads.iter().map(|v| vec(&[&opt(v.location), &v.name, &self.ty(v.ty), &opt(v.size), &v.class]));
        self.rows("payloads", &["location", "name", "type", "bytes", "class"], payloads.collect());
        let by_id = |id| self.r.bindings.iter().find(|b| b.id == id).map_or_else(|| format!("%{id}"), called);
        let heaps = p.heap_accesses.iter().take(MAX_ROWS + 1);
        let heaps = heaps.map(|h| vec(&[&by_id(h.heap), kind(&h.kind), &self.ty(h.ty), &opt(h.stride)])).collect();
        self.bindings_of(p);
        self.rows("from descriptor heaps", &["heap", "kind", "type", "stride"], heaps);
        for s in &p.duplicate_semantics {
            self.line(&format!("  the semantic {s} occurs more than once"));
        }
    }

    fn bindings_of(&mut self, p: &EntryPoint<'_>) {
        let rows = p.bindings.iter().filter_map(|u| {
            let b = self.r.bindings.get(u.binding as usize)?;
            let access = match (u.read, u.written) {
                (true, true) => "read, write",
                (true, false) => "read",
                (false, true) => "write",
                (false, false) => "",
            };
            let with = u.samplers.iter().filter_map(|s| self.r.bindings.get(*s as usize)).take(MAX_NAMES);
            let with: Vec<String> = with.map(called).collect();
            let with = if with.is_empty() { String::new() } else { format!(" with {}", with.join(", ")) };
            Some(self.binding(b, &format!("{access}{with}")))
        });
        let rows = rows.collect();
        self.rows("bindings", &["set", "binding", "name", "kind", "count", "type", "bytes", "access"], rows);
        let blocks = |list: &[u32], all: &[BlockVariable<'_>]| -> Vec<Vec<String>> {
            let own = list.iter().filter_map(|i| all.get(*i as usize));
            own.map(|b| vec(&[&b.name, &self.ty(b.ty), &b.offset.to_string(), &b.size.to_string()])).collect()
        };
        let (push, records) =
            (blocks(&p.push_constants, &self.r.push_constants), blocks(&p.shader_records, &self.r.shader_records));
        self.rows("push constants", &["name", "type", "offset", "bytes"], push);
        self.rows("shader records", &["name", "type", "offset", "bytes"], records);
    }

    fn variable(&self, v: &InterfaceVariable<'_>) -> Vec<String> {
        let location = match (v.location, v.component) {
            (Some(l), Some(c)) => format!("{l}.{c}"),
            (l, _) => opt(l),
        };
        let semantics: Vec<&str> = v.semantics.iter().map(|s| s.text.as_str()).collect();
        let built_in = v.built_in.clone().unwrap_or_default();
        vec(&[&location, &v.name, &self.ty(v.ty), &built_in, &v.interpolation.join(" "), &semantics.join(" ")])
    }

    fn binding(&self, b: &Binding<'_>, access: &str) -> Vec<String> {
        let count = count(&b.count);
        // A heap holds descriptors of any type.
        let is_heap = matches!(b.kind, DescriptorKind::SamplerHeap | DescriptorKind::ResourceHeap);
        let ty = if is_heap { String::new() } else { self.ty(b.ty) };
        vec(&[&opt(b.set), &opt(b.binding), &b.name, kind(&b.kind), &count, &ty, &opt(b.size), access])
    }

    fn unused(&mut self) {
        let rows = self.r.unused.bindings.iter().filter_map(|i| self.r.bindings.get(*i as usize));
        let rows: Vec<Vec<String>> = rows.map(|b| self.binding(b, "")).collect();
        if !rows.is_empty() {
            self.line("");
            self.line("Not used by any entry point");
            self.rows("bindings", &["set", "binding", "name", "kind", "count", "type", "bytes"], rows);
        }
    }

    fn counters(&mut self) {
        let r = self.r;
        let by_id = |id| r.bindings.iter().find(|b| b.id == id).map_or_else(|| format!("%{id}"), called);
        let pairs = r.bindings.iter().filter_map(|b| Some((b, b.counter.as_ref()?))).take(MAX_ROWS + 1);
        let rows: Vec<Vec<String>> = pairs
            .map(|(b, c)| {
                let evidence = match c.evidence {
                    CounterEvidence::Decoration => "decoration",
                    CounterEvidence::Name => "name",
                };
                vec(&[&called(b), &by_id(c.id), evidence])
            })
            .collect();
        if !rows.is_empty() {
            self.line("");
            self.line("Counter buffers");
            self.rows("", &["buffer", "counter", "known by"], rows);
        }
    }

    fn blocks(&mut self) {
        let r = self.r;
        let bindings = r.bindings.iter().map(|b| (&b.name, b.ty));
        let others = r.push_constants.iter().chain(&r.shader_records).map(|b| (&b.name, b.ty));
        let mut variables: Vec<_> = bindings.chain(others).collect();
        variables.sort_by_key(|v| v.1);
        for block in &r.blocks {
            let first = variables.partition_point(|v| v.1 < block.ty);
            let own: Vec<_> = variables[first..].iter().take_while(|v| v.1 == block.ty).collect();
            let rows: Vec<Vec<String>> = block.members.iter().take(MAX_ROWS + 1).map(|m| self.member(m)).collect();
            if rows.is_empty() {
                continue;
            }
            let names: Vec<&str> = own.iter().map(|v| &**v.0).filter(|n| !n.is_empty()).take(MAX_NAMES).collect();
            self.line("");
            self.line(&format!("Block {} {}", self.ty(block.ty), cell(&names.join(", "))));
            self.rows("members", &["offset", "bytes", "path", "type", "matrix stride"], rows);
            let addresses = block.addresses.iter().take(MAX_ROWS + 1);
            let rows = addresses.map(|a| {
                let to = a.pointee.map_or("untyped".to_string(), |t| self.ty(t));
                vec(&[&a.offset.to_string(), &a.path, &to, &opt(a.alignment)])
            });
            let rows = rows.collect();
            self.rows("device addresses", &["offset", "path", "points to", "aligned to"], rows);
        }
    }

    fn member(&self, m: &BlockMember<'_>) -> Vec<String> {
        let matrix = m.matrix_stride.map_or(String::new(), |s| {
            format!("{s} {}", if m.row_major == Some(true) { "row major" } else { "column major" })
        });
        vec(&[&m.offset.to_string(), &opt(m.size), &m.path, &self.ty(m.ty), &matrix])
    }

    fn spec_constants(&mut self) {
        let rows: Vec<Vec<String>> = self
            .r
            .spec_constants
            .iter()
            .map(|c| vec(&[&opt(c.spec_id), &c.name, &c.ty, &format!("{:#x}", c.default), &c.expressions.join("; ")]))
            .collect();
        if !rows.is_empty() {
            self.line("");
            self.line("Specialisation constants");
            self.rows("", &["id", "name", "type", "default bits", "array lengths"], rows);
        }
    }

    fn requirements(&mut self) {
        let q = &self.r.requirements;
        let declares = |name: &str| q.capabilities.iter().any(|c| c == name);
        if declares("Kernel") && !declares("Shader") {
            return;
        }
        self.line("");
        self.line(&format!("Requires Vulkan {}.{} or newer", q.vulkan.major, q.vulkan.minor));
        let rows = q.features.iter().map(|f| {
            let core = f.core.as_ref().map_or(String::new(), |v| format!("core in {}.{}", v.major, v.minor));
            let cause = f.causes.iter().find(|c| c.variable.is_some()).or(f.causes.first());
            let cause = cause.map_or(String::new(), because);
            vec(&[&f.features.join(" or "), &f.extensions.join(" or "), &core, &f.capability, &cause])
        });
        let rows = rows.collect();
        self.rows("features", &["feature", "extension", "", "capability", "because of"], rows);
    }

    fn notes(&mut self) {
        // Entry points list their duplicates themselves.
        let notes: Vec<&Note> =
            self.r.notes.iter().filter(|n| !matches!(n.kind, NoteKind::DuplicateSemantic)).collect();
        if !notes.is_empty() {
            self.line("");
            self.line("Notes");
            notes.iter().take(MAX_ROWS).for_each(|n| self.line(&format!("  {}", n.text)));
        }
    }

    /// A type as people write it.
    fn ty(&self, ty: TypeRef) -> String {
        let mut suffix = String::new();
        let mut at = ty;
        // Arrays of arrays and pointers to pointers are few; what is deeper is not worth a cell.
        for _ in 0..8 {
            let Some(t) = self.r.types.get(at.0 as usize) else { break };
            match &t.kind {
                TypeKind::Array { element, count: c, .. } => {
                    let _ = write!(suffix, "[{}]", if matches!(c, Count::Runtime) { String::new() } else { count(c) });
                    at = *element;
                }
                TypeKind::Pointer { pointee: Some(p), .. } => {
                    suffix.insert(0, '*');
                    at = *p;
                }
                _ => return self.plain(t) + &suffix,
            }
        }
        String::from("…") + &suffix
    }

    /// The scalar that a vector or matrix is made of. In modules that are not valid, it may be anything, even the vector.
    fn component(&self, ty: TypeRef) -> String {
        match self.r.types.get(ty.0 as usize) {
            Some(t) if matches!(t.kind, TypeKind::Bool | TypeKind::Int { .. } | TypeKind::Float { .. }) => {
                self.plain(t)
            }
            _ => "…".into(),
        }
    }

    fn plain(&self, t: &Type<'_>) -> String {
        match &t.kind {
            TypeKind::Void => "void".into(),
            TypeKind::Bool => "bool".into(),
            TypeKind::Int { width, signed } => format!("{}{width}", if *signed { 'i' } else { 'u' }),
            TypeKind::Float { width, .. } => format!("f{width}"),
            TypeKind::Vector { component, count } => format!("{}x{count}", self.component(*component)),
            TypeKind::Matrix { component, columns, rows } => format!("{} {columns}x{rows}", self.component(*component)),
            TypeKind::Struct { .. } if t.name.is_empty() => format!("struct %{}", t.id),
            TypeKind::Struct { .. } => t.name.to_string(),
            TypeKind::Pointer { .. } => "pointer".into(),
            TypeKind::Image(i) | TypeKind::SampledImage(i) => {
                let arrayed = if i.arrayed { " array" } else { "" };
                let ms = if i.multisampled { " multisampled" } else { "" };
                format!("{}{arrayed}{ms} {}", i.dim, i.format)
            }
            TypeKind::Sampler => "sampler".into(),
            TypeKind::AccelerationStructure => "acceleration structure".into(),
            TypeKind::Array { .. } => "array".into(),
            TypeKind::Other(name) => name.to_string(),
        }
    }
}

/// How a variable is called: by its name, or its id.
fn called(b: &Binding<'_>) -> String {
    if b.name.is_empty() { format!("%{}", b.id) } else { cell(&b.name) }
}

fn because(c: &Cause<'_>) -> String {
    if c.name.is_empty() { c.text.to_string() } else { format!("{} ({})", c.text, c.name) }
}

fn count(c: &Count) -> String {
    match c {
        Count::Fixed(n) => n.to_string(),
        Count::Spec { default: Some(d), .. } => format!("{d} (spec)"),
        Count::Spec { .. } => "spec".into(),
        Count::Runtime => "unbounded".into(),
    }
}

/// A type as people write it.
pub(crate) fn type_text(r: &Reflection<'_>, ty: TypeRef) -> String {
    Out { r, rows: Rows::default() }.ty(ty)
}

pub(crate) fn kind(k: &DescriptorKind) -> &'static str {
    match k {
        DescriptorKind::Sampler => "sampler",
        DescriptorKind::CombinedImageSampler => "combined image sampler",
        DescriptorKind::SampledImage => "sampled image",
        DescriptorKind::StorageImage => "storage image",
        DescriptorKind::UniformTexelBuffer => "uniform texel buffer",
        DescriptorKind::StorageTexelBuffer => "storage texel buffer",
        DescriptorKind::UniformBuffer => "uniform buffer",
        DescriptorKind::StorageBuffer => "storage buffer",
        DescriptorKind::InputAttachment => "input attachment",
        DescriptorKind::AccelerationStructure => "acceleration structure",
        DescriptorKind::Tensor => "tensor",
        DescriptorKind::SamplerHeap => "sampler heap",
        DescriptorKind::ResourceHeap => "resource heap",
        DescriptorKind::Other => "other",
    }
}
