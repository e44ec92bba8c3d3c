//! Prints the report.

use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::Write as _;

use spirula_grammar::{BuiltIn, Dim, ExecutionModel, ImageFormat, SourceLanguage, StorageClass};

use super::model::{ArrayTraits, At, HeapAccess, ImageTraits, Numeric, Report};
use super::words;

/// Anchors in order of use, by position in the arena.
#[derive(Default)]
struct Anchors {
    numbers: BTreeMap<At, usize>,
    order: Vec<At>,
}

impl Anchors {
    fn add(&mut self, at: At) -> bool {
        let next = self.order.len();
        let new = self.numbers.insert(at, next);
        if let Some(old) = new {
            self.numbers.insert(at, old);
            return false;
        }
        self.order.push(at);
        true
    }

    fn number(&self, at: At) -> usize {
        self.numbers.get(&at).copied().unwrap_or(0)
    }

    /// Adds what a node is made of, and then the node.
    fn add_tree(&mut self, at: At, members: impl Fn(At) -> Vec<At>) {
        let mut todo = alloc::vec![(at, false)];
        while let Some((at, done)) = todo.pop() {
            if done {
                self.add(at);
            } else if !self.numbers.contains_key(&at) {
                todo.push((at, true));
                todo.extend(members(at).into_iter().rev().map(|m| (m, false)));
            }
        }
    }
}

struct Printer<'r> {
    r: &'r Report,
    out: String,
    types: Anchors,
    blocks: Anchors,
    descriptors: Anchors,
    interface: Anchors,
}

pub(super) fn print(r: &Report) -> String {
    let mut p = Printer {
        r,
        out: String::new(),
        types: Anchors::default(),
        blocks: Anchors::default(),
        descriptors: Anchors::default(),
        interface: Anchors::default(),
    };
    p.anchor_types();
    p.anchor_rest();
    p.line("%YAML 1.1\n---");
    p.all_types();
    p.all_blocks();
    p.all_descriptors();
    p.all_interface();
    p.module();
    p.heaps();
    if r.cut_off {
        p.line("# cut off: a report on all of it would be far larger than the module");
    }
    p.line("...");
    p.out
}

/// A string, or nothing where there is none.
fn quoted(text: Option<&str>) -> String {
    let Some(text) = text else { return String::new() };
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(out, "\\u{:04x}", u32::from(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

fn dims(dims: &[u32]) -> String {
    dims.iter().fold(String::new(), |mut s, d| {
        let _ = write!(s, "{d},");
        s
    })
}

impl Printer<'_> {
    fn line(&mut self, text: &str) {
        self.out += text;
        self.out.push('\n');
    }

    fn put(&mut self, text: core::fmt::Arguments<'_>) {
        let _ = self.out.write_fmt(text);
        self.out.push('\n');
    }

    fn anchor_type(&mut self, at: At) {
        let types = &self.r.types;
        self.types.add_tree(at, |t| types.get(t).filter(|t| !t.forward).map(|t| t.members.clone()).unwrap_or_default());
    }

    fn anchor_types(&mut self) {
        let r = self.r;
        let blocks = r.descriptors.iter().map(|d| (Some(d.ty), d.block));
        for (ty, block) in blocks.chain(r.push_constants.iter().map(|b| (None, *b))) {
            if let Some(ty) = ty {
                self.anchor_type(ty);
            }
            let mut todo = alloc::vec![block];
            while let Some(block) = todo.pop() {
                let Some(b) = r.blocks.get(block) else { continue };
                if let Some(ty) = b.ty {
                    self.anchor_type(ty);
                }
                todo.extend(b.members.iter().rev());
            }
        }
        for top in r.inputs.iter().chain(&r.outputs) {
            let mut todo = alloc::vec![*top];
            while let Some(var) = todo.pop() {
                let Some(v) = r.interface.get(var) else { continue };
                if let Some(ty) = v.ty {
                    self.anchor_type(ty);
                }
                todo.extend(v.members.iter().rev());
            }
        }
        for access in r.heaps.iter().flat_map(|h| h.resources.iter().chain(&h.samplers)) {
            self.anchor_type(access.ty);
        }
    }

    fn anchor_rest(&mut self) {
        let r = self.r;
        for block in r.descriptors.iter().map(|d| d.block).chain(r.push_constants.iter().copied()) {
            // Recursive ones are not listed.
            self.blocks.add_tree(block, |b| {
                let all = r.blocks.get(b).map(|b| b.members.as_slice()).unwrap_or_default();
                all.iter().copied().filter(|m| r.blocks.get(*m).is_some_and(|m| !m.recursive)).collect()
            });
        }
        for var in r.inputs.iter().chain(&r.outputs) {
            self.interface.add_tree(*var, |v| r.interface.get(v).map(|v| v.members.clone()).unwrap_or_default());
        }
    }

    fn numeric(&mut self, n: &Numeric, indent: &str) {
        let signed = u32::from(n.signed);
        self.put(format_args!("{indent}numeric:"));
        self.put(format_args!("{indent}  scalar: {{ width: {}, signedness: {signed} }}", n.width));
        self.put(format_args!("{indent}  vector: {{ component_count: {} }}", n.components));
        self.put(format_args!(
            "{indent}  matrix: {{ column_count: {}, row_count: {}, stride: {} }}",
            n.columns, n.rows, n.matrix_stride
        ));
    }

    fn image(&mut self, i: &ImageTraits, indent: &str) {
        self.put(format_args!(
            "{indent}image: {{ dim: {}, depth: {}, arrayed: {}, ms: {}, sampled: {}, image_format: {} }} # dim={} \
             image_format={}",
            i.dim,
            i.depth,
            i.arrayed,
            i.multisampled,
            i.sampled,
            i.format,
            Dim(i.dim),
            ImageFormat(i.format)
        ));
    }

    fn array(&mut self, a: &ArrayTraits, indent: &str) {
        let text = dims(&a.dims);
        let count = a.dims.len();
        self.put(format_args!("{indent}array: {{ dims_count: {count}, dims: [{text}], stride: {} }}", a.stride));
    }

    fn all_types(&mut self) {
        self.line("all_type_descriptions:");
        let r = self.r;
        for (n, at) in self.types.order.clone().into_iter().enumerate() {
            let Some(t) = r.types.get(at) else { continue };
            self.put(format_args!("  - &td{n}\n    id: {}\n    op: {}", t.id, t.op));
            self.put(format_args!("    type_name: {}", quoted(t.name.as_deref())));
            self.put(format_args!("    struct_member_name: {}", quoted(t.member_name.as_deref())));
            match u32::try_from(t.class) {
                Ok(class) => self.put(format_args!("    storage_class: {class} # {}", StorageClass(class))),
                Err(_) => self.line("    storage_class: -1 # NOT APPLICABLE"),
            }
            let flags = words::mask(t.flags, words::TYPE_FLAGS);
            self.put(format_args!("    type_flags: 0x{:08x} # {flags}", t.flags));
            let mask = words::mask(t.decorations, words::DECORATIONS);
            self.put(format_args!("    decoration_flags: 0x{:08x} # {mask}\n    traits:", t.decorations));
            self.numeric(&t.numeric, "      ");
            self.image(&t.image, "      ");
            self.array(&t.array, "      ");
            self.put(format_args!("    member_count: {}\n    members:", t.member_count));
            if t.forward {
                self.line("    - [forward pointer]");
                continue;
            }
            for m in &t.members {
                let n = self.types.number(*m);
                self.put(format_args!("      - *td{n}"));
            }
        }
    }

    fn type_alias(&mut self, ty: Option<At>, indent: &str) {
        match ty {
            Some(ty) => {
                let n = self.types.number(ty);
                self.put(format_args!("{indent}type_description: *td{n}"));
            }
            None => self.put(format_args!("{indent}type_description:")),
        }
    }

    fn all_blocks(&mut self) {
        self.line("all_block_variables:");
        let r = self.r;
        for (n, at) in self.blocks.order.clone().into_iter().enumerate() {
            let Some(b) = r.blocks.get(at) else { continue };
            self.put(format_args!("  - &bv{n}\n    name: {}", quoted(b.name.as_deref())));
            self.put(format_args!("    offset: {}\n    absolute_offset: {}", b.offset, b.absolute_offset));
            self.put(format_args!("    size: {}\n    padded_size: {}", b.size, b.padded_size));
            let mask = words::mask(b.decorations, words::DECORATIONS);
            self.put(format_args!("    decorations: 0x{:08x} # {mask}", b.decorations));
            self.numeric(&b.numeric, "    ");
            self.array(&b.array, "    ");
            self.line(if b.used { "    flags: 0x00000000 # NONE" } else { "    flags: 0x00000001 # UNUSED " });
            self.put(format_args!("    member_count: {}\n    members:", b.members.len()));
            for m in &b.members {
                if r.blocks.get(*m).is_some_and(|m| m.recursive) {
                    self.line("      - [recursive]");
                } else {
                    let n = self.blocks.number(*m);
                    self.put(format_args!("      - *bv{n}"));
                }
            }
            self.type_alias(b.ty, "    ");
        }
    }

    fn all_descriptors(&mut self) {
        self.line("all_descriptor_bindings:");
        let r = self.r;
        for (i, d) in r.descriptors.iter().enumerate() {
            if let Some(counter) = d.counter
                && self.descriptors.add(counter)
            {
                self.descriptor(counter);
            }
            if self.descriptors.add(i) {
                self.descriptor(i);
            } else {
                let n = self.descriptors.number(i);
                self.put(format_args!("  - *db{n}"));
            }
        }
    }

    fn descriptor(&mut self, at: At) {
        let r = self.r;
        let Some(d) = r.descriptors.get(at) else { return };
        let n = self.descriptors.number(at);
        self.put(format_args!("  - &db{n}\n    spirv_id: {}\n    name: {}", d.id, quoted(d.name.as_deref())));
        self.put(format_args!("    binding: {}", d.binding));
        self.put(format_args!("    input_attachment_index: {}\n    set: {}", d.input_attachment, d.set));
        let mask = words::mask(d.decorations, words::DECORATIONS);
        self.put(format_args!("    decoration_flags: 0x{:08x} # {mask}", d.decorations));
        self.put(format_args!("    descriptor_type: {} # {}", d.kind, words::descriptor(d.kind)));
        self.put(format_args!("    resource_type: {} # {}", d.resource, words::resource(d.resource)));
        self.image(&d.image, "    ");
        let name = r.blocks.get(d.block).and_then(|b| b.name.as_deref());
        let block = self.blocks.number(d.block);
        self.put(format_args!("    block: *bv{block} # {}", quoted(name)));
        self.put(format_args!("    array: {{ dims_count: {}, dims: [{}] }}", d.dims.len(), dims(&d.dims)));
        self.put(format_args!("    accessed: {}", u32::from(d.accessed)));
        self.put(format_args!("    uav_counter_id: {}", d.counter_id.unwrap_or(u32::MAX)));
        match d.counter {
            Some(counter) => {
                let text = self.descriptor_alias(counter);
                self.put(format_args!("    uav_counter_binding: {text}"));
            }
            None => self.line("    uav_counter_binding:"),
        }
        if let Some((last, offsets)) = d.byte_offsets.split_last() {
            self.out += "    ByteAddressBuffer offsets: [";
            for o in offsets {
                let _ = write!(self.out, "{o}, ");
            }
            self.put(format_args!("{last}]"));
        }
        self.type_alias(Some(d.ty), "    ");
        self.put(format_args!("    word_offset: {{ binding: {}, set: {} }}", d.binding_word, d.set_word));
        if let Some(user) = d.user_type {
            self.put(format_args!("    user_type: {user}"));
        }
    }

    fn descriptor_alias(&self, at: At) -> String {
        let name = self.r.descriptors.get(at).and_then(|d| d.name.as_deref());
        alloc::format!("*db{} # {}", self.descriptors.number(at), quoted(name))
    }

    fn all_interface(&mut self) {
        self.line("all_interface_variables:");
        let r = self.r;
        for (n, at) in self.interface.order.clone().into_iter().enumerate() {
            let Some(v) = r.interface.get(at) else { continue };
            self.put(format_args!("  - &iv{n}\n    spirv_id: {}\n    name: {}", v.id, quoted(v.name.as_deref())));
            self.put(format_args!("    location: {}", v.location));
            self.put(format_args!("    storage_class: {} # {}", v.class, StorageClass(v.class)));
            self.put(format_args!("    semantic: {}", quoted(v.semantic.as_deref())));
            let mask = words::mask(v.decorations, words::DECORATIONS);
            self.put(format_args!("    decoration_flags: 0x{:08x} # {mask}", v.decorations));
            self.built_in(at);
            self.numeric(&v.numeric, "    ");
            self.array(&v.array, "    ");
            self.put(format_args!("    member_count: {}\n    members:", v.members.len()));
            for m in &v.members {
                let text = self.interface_alias(*m);
                self.put(format_args!("      - {text}"));
            }
            self.put(format_args!("    format: {}", v.format));
            self.type_alias(v.ty, "    ");
            self.put(format_args!("    word_offset: {{ location: {} }}", v.location_word));
        }
    }

    fn interface_alias(&self, at: At) -> String {
        let name = self.r.interface.get(at).and_then(|v| v.name.as_deref());
        alloc::format!("*iv{} # {}", self.interface.number(at), quoted(name))
    }

    fn built_in(&mut self, at: At) {
        let r = self.r;
        let Some(v) = r.interface.get(at) else { return };
        if v.decorations & super::model::decorated::BLOCK != 0 {
            let of = |m: &At| r.interface.get(*m).and_then(|m| m.built_in);
            let (mut numbers, mut names) = (String::new(), String::new());
            for (i, m) in v.members.iter().enumerate() {
                let comma = if i == 0 { "" } else { ", " };
                match of(m) {
                    Some(b) => {
                        let _ = write!(numbers, "{comma}{b}");
                        let _ = write!(names, "{comma}{}", BuiltIn(b));
                    }
                    None => {
                        let _ = write!(numbers, "{comma}-1");
                        let _ = write!(names, "{comma}???");
                    }
                }
            }
            self.put(format_args!("    built_in: {numbers} # [{names}]"));
            return;
        }
        match v.built_in {
            Some(b) => self.put(format_args!("    built_in: {b} # {}", BuiltIn(b))),
            None => self.line("    built_in: -1 # ??? (-1)"),
        }
    }

    fn module(&mut self) {
        let r = self.r;
        self.put(format_args!("module:\n  generator: {}", r.generator));
        self.put(format_args!("  entry_point_name: {}", quoted(r.entry_name.as_deref())));
        self.put(format_args!("  entry_point_id: {}", r.entry_id));
        self.put(format_args!("  source_language: {} # {}", r.language, SourceLanguage(r.language)));
        self.put(format_args!("  source_language_version: {}", r.language_version));
        self.put(format_args!("  spirv_execution_model: {} # {}", r.model, ExecutionModel(r.model)));
        let (stage, name) = words::stage(r.model);
        self.put(format_args!("  shader_stage: 0x{stage:08x} # {name}"));
        self.put(format_args!("  descriptor_binding_count: {}\n  descriptor_bindings:", r.descriptors.len()));
        for i in 0..r.descriptors.len() {
            let text = self.descriptor_alias(i);
            self.put(format_args!("    - {text}"));
        }
        self.sets();
        self.put(format_args!("  input_variable_count: {},\n  input_variables:", r.inputs.len()));
        for v in &r.inputs {
            let text = self.interface_alias(*v);
            self.put(format_args!("    - {text}"));
        }
        self.put(format_args!("  output_variable_count: {},\n  output_variables:", r.outputs.len()));
        for v in &r.outputs {
            let text = self.interface_alias(*v);
            self.put(format_args!("    - {text}"));
        }
        self.put(format_args!("  push_constant_count: {},\n  push_constants:", r.push_constants.len()));
        for b in &r.push_constants {
            let name = r.blocks.get(*b).and_then(|b| b.name.as_deref());
            let n = self.blocks.number(*b);
            self.put(format_args!("    - *bv{n} # {}", quoted(name)));
        }
        let count = r.spec_constants.len();
        self.put(format_args!("  specialization_constant_count: {count},\n  specialization_constants:"));
        for c in &r.spec_constants {
            self.put(format_args!("      - name: {}", quoted(c.name.as_deref())));
            self.put(format_args!("        spirv_id: {}\n        constant_id: {}", c.id, c.constant_id));
        }
    }

    fn sets(&mut self) {
        let mut sets: BTreeMap<u32, Vec<At>> = BTreeMap::new();
        for (i, d) in self.r.descriptors.iter().enumerate() {
            sets.entry(d.set).or_default().push(i);
        }
        self.put(format_args!("  descriptor_set_count: {}\n  descriptor_sets:", sets.len()));
        for (set, bindings) in sets {
            self.put(format_args!("  - set: {set}\n    binding_count: {}\n    bindings:", bindings.len()));
            for b in bindings {
                let text = self.descriptor_alias(b);
                self.put(format_args!("      - {text}"));
            }
        }
    }

    fn heaps(&mut self) {
        self.line("entry_point_heap_accesses:");
        let r = self.r;
        for h in &r.heaps {
            self.put(format_args!("  - entry: {}", quoted(Some(&h.entry))));
            self.put(format_args!("    resource_heap_access_count: {}", h.resources.len()));
            self.line("    resource_heap_accesses:");
            h.resources.iter().for_each(|a| self.heap_access(a));
            self.put(format_args!("    sampler_heap_access_count: {}", h.samplers.len()));
            self.line("    sampler_heap_accesses:");
            h.samplers.iter().for_each(|a| self.heap_access(a));
        }
    }

    fn heap_access(&mut self, a: &HeapAccess) {
        self.put(format_args!("      - heap_name: {}", quoted(a.heap.as_deref())));
        self.put(format_args!("        runtime_array_type_id: {}", a.array));
        if a.stride == u32::MAX {
            self.put(format_args!("        stride: {} # UNSPECIFIED", a.stride));
        } else {
            self.put(format_args!("        stride: {}", a.stride));
        }
        if let Some(kind) = a.kind {
            self.put(format_args!("        descriptor_type: {kind} # {}", words::descriptor(kind)));
        }
        self.type_alias(Some(a.ty), "        ");
    }
}
