//! Reports on hostile modules: what a few words could ask for stays in proportion to them.

use std::time::Duration;

use cpu_time::ThreadTime;
use spirula_bench::alloc::{self, Counting};
use spirula_grammar::MAGIC;
use spirula_module::{Index, Module};
use spirula_reflect::{Reflection, RustOptions, Stage};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Memory that a report may take: this times the module …
const FACTOR: u64 = 16;
/// … and this.
const BASE: u64 = 16 << 20;
/// Far more than any report takes: the machine may do other work too.
const HANG: Duration = Duration::from_secs(20);

/// A module in the making.
struct Builder {
    words: Vec<u32>,
    debug: Vec<u32>,
    annotations: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    next: u32,
}

fn inst(into: &mut Vec<u32>, op: u32, operands: &[u32]) {
    into.push((operands.len() as u32 + 1) << 16 | op);
    into.extend(operands);
}

/// A string of this many characters.
fn string(length: usize) -> Vec<u32> {
    let mut words = vec![0x6161_6161; length / 4];
    words.push(0);
    words
}

impl Builder {
    fn new() -> Builder {
        let mut b = Builder {
            words: vec![MAGIC, 0x1_0600, 0, 0, 0],
            debug: Vec::new(),
            annotations: Vec::new(),
            globals: Vec::new(),
            functions: Vec::new(),
            next: 1,
        };
        // Shader, PhysicalStorageBufferAddresses; PhysicalStorageBuffer64 GLSL450.
        inst(&mut b.words, 17, &[1]);
        inst(&mut b.words, 17, &[5347]);
        inst(&mut b.words, 14, &[5348, 1]);
        b
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// An instruction with a result type, or none where that is 0, behind the globals.
    fn global(&mut self, op: u32, ty: u32, operands: &[u32]) -> u32 {
        let id = self.id();
        let head: &[u32] = if ty == 0 { &[id] } else { &[ty, id] };
        inst(&mut self.globals, op, &[head, operands].concat());
        id
    }

    fn uint(&mut self) -> u32 {
        self.global(21, 0, &[32, 0])
    }

    /// A structure whose members lie at offsets 0, 4, 8 …
    fn structure(&mut self, members: &[u32]) -> u32 {
        let id = self.global(30, 0, members);
        for i in 0..members.len() as u32 {
            inst(&mut self.annotations, 72, &[id, i, 35, 4 * i]);
        }
        id
    }

    /// A storage buffer variable.
    fn buffer(&mut self, ty: u32, set: u32, binding: u32) -> u32 {
        let pointer = self.global(32, 0, &[12, ty]);
        let id = self.global(59, pointer, &[12]);
        inst(&mut self.annotations, 71, &[id, 34, set]);
        inst(&mut self.annotations, 71, &[id, 33, binding]);
        id
    }

    /// Structures of two structures of two structures.
    fn nest(&mut self, leaf: u32, depth: u32) -> u32 {
        (0..depth).fold(leaf, |part, _| self.structure(&[part, part]))
    }

    fn name(&mut self, id: u32, name: &[u32]) {
        inst(&mut self.debug, 5, &[&[id], name].concat());
    }

    fn entry_point(&mut self, function: u32, interface: &[u32]) {
        inst(&mut self.words, 15, &[&[5, function, 0x6e69_616d, 0], interface].concat());
        inst(&mut self.words, 16, &[function, 17, 1, 1, 1]);
    }

    /// A function, with a body made by `body`.
    fn function(&mut self, void: u32, ty: u32, body: impl FnOnce(&mut Builder)) -> u32 {
        let id = self.id();
        let label = self.id();
        inst(&mut self.functions, 54, &[void, id, 0, ty]);
        inst(&mut self.functions, 248, &[label]);
        body(self);
        inst(&mut self.functions, 253, &[]);
        inst(&mut self.functions, 56, &[]);
        id
    }

    fn finish(mut self) -> Vec<u32> {
        self.words[3] = self.next;
        [self.words, self.debug, self.annotations, self.globals, self.functions].concat()
    }
}

/// Modules by name, each with `n` of what makes it hostile.
type Family = (&'static str, fn(u32) -> Vec<u32>);

static FAMILIES: &[Family] = &[
    ("structures of structures", |n| {
        let mut b = Builder::new();
        let leaf = b.uint();
        let block = b.nest(leaf, n.min(2000));
        b.buffer(block, 0, 0);
        b.finish()
    }),
    ("many blocks of structures of structures", |n| {
        let mut b = Builder::new();
        let leaf = b.uint();
        let mut part = b.nest(leaf, 30);
        for i in 0..n {
            part = b.structure(&[part]);
            b.buffer(part, 0, i);
        }
        b.finish()
    }),
    ("long names in structures of structures", |n| {
        let mut b = Builder::new();
        let leaf = b.uint();
        let mut part = leaf;
        for _ in 0..40 {
            part = b.structure(&[part, part]);
            let name = string(n as usize);
            b.name(part, &name);
            inst(&mut b.debug, 6, &[&[part, 0], &name[..]].concat());
            inst(&mut b.debug, 6, &[&[part, 1], &name[..]].concat());
        }
        let v = b.buffer(part, 0, 0);
        b.name(v, &string(n as usize));
        b.finish()
    }),
    ("device addresses in structures of structures", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let target = b.structure(&[uint]);
        let pointer = b.global(32, 0, &[5349, target]);
        let block = b.nest(pointer, 24);
        for i in 0..n {
            b.buffer(block, 0, i);
        }
        b.finish()
    }),
    ("entry points that use everything", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let void = b.global(19, 0, &[]);
        let ty = b.global(33, 0, &[void]);
        let block = b.structure(&[uint]);
        let all: Vec<u32> = (0..n).map(|i| b.buffer(block, 0, i)).collect();
        let user = b.function(void, ty, |b| {
            for v in &all {
                let id = b.id();
                inst(&mut b.functions, 61, &[block, id, *v]);
            }
        });
        for _ in 0..n {
            let f = b.function(void, ty, |b| {
                let id = b.id();
                inst(&mut b.functions, 57, &[void, id, user]);
            });
            b.entry_point(f, &[]);
        }
        b.finish()
    }),
    ("interfaces that list one variable with a long name", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let void = b.global(19, 0, &[]);
        let ty = b.global(33, 0, &[void]);
        let pointer = b.global(32, 0, &[1, uint]);
        let v = b.global(59, pointer, &[1]);
        b.name(v, &string(4 * n as usize));
        inst(&mut b.annotations, 71, &[v, 30, 0]);
        let f = b.function(void, ty, |_| {});
        b.entry_point(f, &vec![v; n as usize]);
        b.finish()
    }),
    ("members without layout", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let block = b.global(30, 0, &vec![uint; (4 * n as usize).min(65_000)]);
        for i in 0..n.div_ceil(64) {
            let outer = b.global(30, 0, &[block, uint]);
            b.buffer(outer, 0, i);
        }
        b.finish()
    }),
    ("expressions of expressions", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let constant = b.global(50, uint, &[7]);
        inst(&mut b.annotations, 71, &[constant, 1, 0]);
        b.name(constant, &string(200));
        let mut sum = constant;
        for i in 0..n {
            sum = b.global(52, uint, &[128, sum, sum]);
            let array = b.global(28, 0, &[uint, sum]);
            let block = b.structure(&[array]);
            b.buffer(block, 0, i);
        }
        b.finish()
    }),
    ("arrays of arrays", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let length = b.global(43, uint, &[2]);
        let mut part = uint;
        for i in 0..n {
            part = b.global(28, 0, &[part, length]);
            b.buffer(part, 0, i);
        }
        b.finish()
    }),
    ("one set and binding", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let block = b.structure(&[uint]);
        for _ in 0..n {
            let v = b.buffer(block, 0, 0);
            b.name(v, &[0x6161_6161, 0x6161_6161, 0]);
        }
        b.finish()
    }),
    ("one function called with every variable", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let void = b.global(19, 0, &[]);
        let block = b.structure(&[uint]);
        let zero = b.global(43, uint, &[0]);
        let pointer = b.global(32, 0, &[12, block]);
        let part = b.global(32, 0, &[12, uint]);
        let plain = b.global(33, 0, &[void]);
        let ty = b.global(33, 0, &[void, pointer]);
        let all: Vec<u32> = (0..n).map(|i| b.buffer(block, 0, i)).collect();
        let (callee, parameter) = (b.id(), b.id());
        inst(&mut b.functions, 54, &[void, callee, 0, ty]);
        inst(&mut b.functions, 55, &[pointer, parameter]);
        let label = b.id();
        inst(&mut b.functions, 248, &[label]);
        for _ in 0..n {
            let id = b.id();
            inst(&mut b.functions, 65, &[part, id, parameter, zero]);
        }
        inst(&mut b.functions, 253, &[]);
        inst(&mut b.functions, 56, &[]);
        let main = b.function(void, plain, |b| {
            for v in &all {
                let id = b.id();
                inst(&mut b.functions, 57, &[void, id, callee, *v]);
            }
        });
        b.entry_point(main, &[]);
        b.finish()
    }),
    ("vertex shaders with inputs of many locations", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let void = b.global(19, 0, &[]);
        let ty = b.global(33, 0, &[void]);
        let length = b.global(43, uint, &[1000]);
        let array = b.global(28, 0, &[uint, length]);
        let block = b.global(30, 0, &vec![array; n as usize]);
        let pointer = b.global(32, 0, &[1, block]);
        for i in 0..n {
            let v = b.global(59, pointer, &[1]);
            b.name(v, &string(100));
            inst(&mut b.annotations, 71, &[v, 30, i % 3]);
            let f = b.function(void, ty, |_| {});
            inst(&mut b.words, 15, &[0, f, 0x6e69_616d, 0, v]);
        }
        b.finish()
    }),
    ("entry points that use one variable with a long name", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let void = b.global(19, 0, &[]);
        let block = b.structure(&[uint]);
        let ty = b.global(33, 0, &[void]);
        let v = b.buffer(block, 0, 0);
        b.name(v, &string(16 * n as usize));
        for _ in 0..n {
            let f = b.function(void, ty, |b| {
                let id = b.id();
                inst(&mut b.functions, 61, &[block, id, v]);
            });
            b.entry_point(f, &[]);
        }
        b.finish()
    }),
    ("push constants of many shapes", |n| {
        let mut b = Builder::new();
        let uint = b.uint();
        let float = b.global(22, 0, &[32]);
        let void = b.global(19, 0, &[]);
        let ty = b.global(33, 0, &[void]);
        for i in 0..n {
            let block = b.structure(&vec![if i % 2 == 0 { uint } else { float }; (i % 64) as usize + 1]);
            let pointer = b.global(32, 0, &[9, block]);
            let v = b.global(59, pointer, &[9]);
            let f = b.function(void, ty, |b| {
                let id = b.id();
                inst(&mut b.functions, 61, &[block, id, v]);
            });
            b.entry_point(f, &[]);
        }
        b.finish()
    }),
    ("empty structures", |n| {
        let mut b = Builder::new();
        let members: Vec<u32> = (0..n.min(60_000)).map(|_| b.global(30, 0, &[])).collect();
        let block = b.structure(&members);
        b.buffer(block, 0, 0);
        b.finish()
    }),
];

/// Peak of memory and the time that an operation takes.
fn measure(work: impl FnOnce() -> usize) -> (u64, Duration) {
    let started = ThreadTime::now();
    alloc::start();
    std::hint::black_box(work());
    (alloc::counts().peak, started.elapsed())
}

/// All entry points as stages of one pipeline.
fn pipeline(report: &Reflection<'_>) -> String {
    let stages: Vec<Stage<'_>> =
        (0..report.entry_points.len()).map(|entry_point| Stage { module: "module", report, entry_point }).collect();
    spirula_reflect::pipeline_table(&spirula_reflect::merge(&stages))
}

#[test]
fn reports_stay_in_proportion() {
    for (name, make) in FAMILIES {
        for n in [4, 16, 64, 128, 256, 512, 1024, 2048, 4096] {
            let words = make(n);
            let bytes = 4 * words.len() as u64;
            let mut index = Index::new();
            index.fill(&words);
            let module = Module::new(&words, &mut index);
            let report = spirula_reflect::reflect(&module);
            let runs = [
                ("reflect", measure(|| spirula_reflect::reflect(&module).types.len())),
                ("table", measure(|| spirula_reflect::table(&report).len())),
                (
                    "json",
                    measure(|| {
                        let report = spirula_reflect::reflect(&module);
                        serde_json::to_string(&report).map_or(0, |t| t.len())
                    }),
                ),
                ("yaml", measure(|| spirula_reflect::yaml(&module).len())),
                ("rust", measure(|| spirula_reflect::rust(&report, &RustOptions::default()).len())),
                ("pipeline", measure(|| pipeline(&report).len())),
            ];
            for (what, (peak, time)) in runs {
                let limit = FACTOR * bytes + BASE;
                assert!(peak <= limit, "{name}, {n}: {what} takes {peak} bytes for a module of {bytes}");
                assert!(time < HANG, "{name}, {n}: {what} takes {time:?}");
            }
        }
    }
}

/// What is left out is said.
#[test]
fn what_is_cut_off_is_said() {
    let words = FAMILIES[0].1(100);
    let mut index = Index::new();
    let module = Module::new(&words, &mut index);
    let report = spirula_reflect::reflect(&module);
    assert!(report.notes.iter().any(|n| matches!(n.kind, spirula_reflect::NoteKind::LeftOut)));
    assert!(spirula_reflect::table(&report).contains("left out"));
    assert!(spirula_reflect::yaml(&module).contains("# cut off"));
}
