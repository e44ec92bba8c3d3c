//! Control-flow facts against their definitions taken literally, on graphs small enough for that, and their cost on
//! graphs that are not.

use alloc::vec;
use alloc::vec::Vec;

use spirula_binary::{Context, Id, Imported, Number, NumberKind, Writer};
use spirula_grammar::Op;

use crate::{BlockIdx, Cfg, ConstructIdx, ConstructKind, DomTree, Edges, Structured};

#[derive(Clone, Debug)]
enum Merge {
    No,
    Selection(u32),
    Loop(u32, u32),
}

#[derive(Clone, Debug)]
enum End {
    Branch(u32),
    Cond(u32, u32),
    Switch(Vec<u32>),
    Return,
}

type Program = Vec<(Merge, End)>;

const LABEL: u32 = 10;

struct Selector(u32);

impl Context for Selector {
    fn number(&self, _: Id) -> Option<Number> {
        (self.0 != 0).then_some(Number { width: self.0, kind: NumberKind::Signed })
    }
    fn type_of(&self, _: Id) -> Option<Id> {
        Some(Id(1))
    }
    fn imported(&self, _: Id) -> Option<Imported> {
        None
    }
}

fn words_of(program: &Program, width: u32) -> Vec<u32> {
    let mut w = Writer::without_header();
    for (i, (merge, end)) in program.iter().enumerate() {
        w.inst(Op::Label, &[LABEL + i as u32]).unwrap();
        w.inst(Op::Nop, &[]).unwrap();
        match merge {
            Merge::No => {}
            Merge::Selection(m) => w.inst(Op::SelectionMerge, &[LABEL + m, 0]).unwrap(),
            Merge::Loop(m, c) => w.inst(Op::LoopMerge, &[LABEL + m, LABEL + c, 0]).unwrap(),
        }
        match end {
            End::Branch(to) => w.inst(Op::Branch, &[LABEL + to]).unwrap(),
            End::Cond(a, b) => w.inst(Op::BranchConditional, &[2, LABEL + a, LABEL + b]).unwrap(),
            End::Return => w.inst(Op::Return, &[]).unwrap(),
            End::Switch(targets) => {
                w.begin(Op::Switch).word(3).word(LABEL + targets[0]);
                for (k, t) in targets[1..].iter().enumerate() {
                    w.words(&vec![k as u32; (width / 32) as usize]).word(LABEL + t);
                }
                w.end().unwrap();
            }
        }
    }
    w.inst(Op::FunctionEnd, &[]).unwrap();
    w.finish()
}

#[derive(Default)]
struct Facts {
    cfg: Cfg,
    structured: Structured,
}

impl Facts {
    fn build(&mut self, program: &Program) {
        let words = words_of(program, 32);
        self.cfg.build(&words, 0..words.len() as u32, 1 << 20, &Selector(32));
        assert_eq!(self.cfg.len() as usize, program.len());
        self.structured.build(&words, &self.cfg);
    }
}

fn random(state: &mut u64) -> impl FnMut(u32) -> u32 {
    |below| {
        *state ^= *state << 13;
        *state ^= *state >> 7;
        *state ^= *state << 17;
        ((*state >> 20) % u64::from(below)) as u32
    }
}

fn random_program(rng: &mut impl FnMut(u32) -> u32) -> Program {
    let n = 1 + rng(9);
    (0..n)
        .map(|_| {
            let merge = match rng(4) {
                0 => Merge::Selection(rng(n)),
                1 => Merge::Loop(rng(n), rng(n)),
                _ => Merge::No,
            };
            let end = match rng(7) {
                0 | 1 => End::Branch(rng(n)),
                2 | 3 => End::Cond(rng(n), rng(n)),
                4 => End::Switch((0..1 + rng(4)).map(|_| rng(n)).collect()),
                _ => End::Return,
            };
            (merge, end)
        })
        .collect()
}

/// A program that keeps the rules.
struct Builder<'r> {
    rng: &'r mut dyn FnMut(u32) -> u32,
    blocks: Program,
    loops: Vec<(u32, u32)>,
}

impl Builder<'_> {
    fn block(&mut self) -> u32 {
        self.blocks.push((Merge::No, End::Return));
        self.blocks.len() as u32 - 1
    }

    fn set(&mut self, block: u32, merge: Merge, end: End) {
        self.blocks[block as usize] = (merge, end);
    }

    /// Fills what lies between two blocks.
    fn fill(&mut self, from: u32, to: u32, depth: u32) {
        match if depth == 0 { 0 } else { (self.rng)(7) } {
            1 => {
                let mid = self.block();
                self.fill(from, mid, depth - 1);
                self.fill(mid, to, depth - 1);
            }
            2 | 3 => {
                let (then, merge) = (self.block(), self.block());
                self.set(from, Merge::Selection(merge), End::Cond(then, merge));
                self.fill(then, merge, depth - 1);
                self.fill(merge, to, depth - 1);
            }
            4 => {
                let merge = self.block();
                let cases: Vec<u32> = (0..3).map(|_| self.block()).collect();
                self.set(
                    from,
                    Merge::Selection(merge),
                    End::Switch(vec![merge, cases[0], cases[1], cases[1], cases[2]]),
                );
                for (i, case) in cases.iter().enumerate() {
                    let falls = i < 2 && (self.rng)(3) == 0;
                    self.fill(*case, if falls { cases[i + 1] } else { merge }, depth - 1);
                }
                self.fill(merge, to, depth - 1);
            }
            5 => self.fill_loop(from, to, depth),
            6 if !self.loops.is_empty() => {
                let (merge, continue_target) = self.loops[self.loops.len() - 1];
                let out = if (self.rng)(2) == 0 { merge } else { continue_target };
                self.set(from, Merge::No, End::Cond(out, to));
            }
            _ => self.set(from, Merge::No, End::Branch(to)),
        }
    }

    fn fill_loop(&mut self, from: u32, to: u32, depth: u32) {
        let (header, merge) = (self.block(), self.block());
        self.set(from, Merge::No, End::Branch(header));
        if (self.rng)(3) == 0 {
            self.set(header, Merge::Loop(merge, header), End::Cond(header, merge));
        } else {
            let (body, target, back) = (self.block(), self.block(), self.block());
            self.set(header, Merge::Loop(merge, target), End::Cond(body, merge));
            self.loops.push((merge, target));
            self.fill(body, target, depth - 1);
            self.loops.pop();
            let outer = core::mem::take(&mut self.loops);
            self.fill(target, back, depth - 1);
            self.loops = outer;
            let end = if (self.rng)(2) == 0 { End::Branch(header) } else { End::Cond(header, merge) };
            self.set(back, Merge::No, end);
        }
        self.fill(merge, to, depth - 1);
    }
}

fn structured_program(rng: &mut impl FnMut(u32) -> u32) -> Program {
    let mut b = Builder { rng, blocks: Vec::new(), loops: Vec::new() };
    let (first, last) = (b.block(), b.block());
    b.fill(first, last, 4);
    b.blocks
}

/// The definitions, taken literally.
struct Naive {
    branches: Vec<Vec<u32>>,
    edges: Vec<Vec<u32>>,
    ends: Vec<bool>,
}

impl Naive {
    fn of(program: &Program) -> Naive {
        let branches: Vec<Vec<u32>> = program
            .iter()
            .map(|(_, end)| match end {
                End::Branch(a) => vec![*a],
                End::Cond(a, b) => vec![*a, *b],
                End::Switch(targets) => targets.clone(),
                End::Return => vec![],
            })
            .collect();
        let mut edges = branches.clone();
        for (row, (merge, _)) in edges.iter_mut().zip(program) {
            match merge {
                Merge::No => {}
                Merge::Selection(m) => row.push(*m),
                Merge::Loop(m, c) => row.extend([*m, *c]),
            }
        }
        let ends = program.iter().map(|(_, end)| matches!(end, End::Return)).collect();
        Naive { branches, edges, ends }
    }

    /// What edges lead to from `from` if `without` is not there.
    fn reach(edges: &[Vec<u32>], from: u32, without: Option<u32>) -> Vec<bool> {
        let mut seen = vec![false; edges.len()];
        let mut todo = if Some(from) == without { vec![] } else { vec![from] };
        while let Some(b) = todo.pop() {
            if Some(b) != without && !core::mem::replace(&mut seen[b as usize], true) {
                todo.extend(&edges[b as usize]);
            }
        }
        seen
    }

    fn dominates(edges: &[Vec<u32>], a: u32, b: u32) -> bool {
        !Naive::reach(edges, 0, Some(a))[b as usize]
    }

    fn post_dominates(&self, b: u32, a: u32) -> bool {
        !Naive::reach(&self.edges, a, Some(b)).iter().zip(&self.ends).any(|(reached, ends)| *reached && *ends)
    }

    fn back_edges(&self) -> Vec<(u32, u32)> {
        fn visit(n: &Naive, b: u32, seen: &mut [bool], path: &mut Vec<u32>, out: &mut Vec<(u32, u32)>) {
            seen[b as usize] = true;
            path.push(b);
            out.extend(n.branches[b as usize].iter().filter(|to| path.contains(to)).map(|to| (b, *to)));
            for to in &n.edges[b as usize] {
                if !seen[*to as usize] {
                    visit(n, *to, seen, path, out);
                }
            }
            path.pop();
        }
        let mut out = Vec::new();
        visit(self, 0, &mut vec![false; self.edges.len()], &mut Vec::new(), &mut out);
        out.sort_unstable();
        out.dedup();
        out
    }
}

fn check_dominance(program: &Program, facts: &Facts, dom: &DomTree) {
    let naive = Naive::of(program);
    let s = &facts.structured;
    let n = program.len() as u32;
    let (reached, structurally) = (Naive::reach(&naive.branches, 0, None), Naive::reach(&naive.edges, 0, None));
    for b in 0..n {
        assert_eq!(dom.is_reachable(BlockIdx(b)), reached[b as usize]);
        assert_eq!(s.is_reachable(BlockIdx(b)), structurally[b as usize]);
        for a in 0..n {
            let (x, y) = (BlockIdx(a), BlockIdx(b));
            assert_eq!(dom.dominates(x, y), Naive::dominates(&naive.branches, a, b), "{a} dom {b} in {program:?}");
            assert_eq!(s.dominates(x, y), Naive::dominates(&naive.edges, a, b), "{a} sdom {b} in {program:?}");
            if let Some(found) = s.post_dominates(y, x).filter(|_| structurally[a as usize]) {
                assert_eq!(found, naive.post_dominates(b, a), "{b} spdom {a} in {program:?}");
            }
        }
        let strict: Vec<BlockIdx> =
            (0..n).map(BlockIdx).filter(|a| reached[b as usize] && dom.strictly_dominates(*a, BlockIdx(b))).collect();
        let idom = strict.iter().copied().find(|a| strict.iter().all(|other| dom.dominates(*other, *a)));
        assert_eq!(dom.immediate_dominator(BlockIdx(b)), idom);
    }
    let mut back: Vec<(u32, u32)> = s.back_edges().iter().map(|(a, b)| (a.0, b.0)).collect();
    back.sort_unstable();
    assert_eq!(back, naive.back_edges(), "{program:?}");
}

/// The constructs that contain the block, by the definitions.
fn containing(program: &Program, s: &Structured, block: BlockIdx) -> Vec<ConstructIdx> {
    let naive = Naive::of(program);
    let dom = |a: BlockIdx| Naive::dominates(&naive.edges, a.0, block.0);
    if !s.is_reachable(block) {
        return Vec::new();
    }
    let contains = |i: &u32| {
        let c = s.constructs()[*i as usize];
        let d = s.header(c.declared_by).unwrap();
        let before_merge = !d.merge.is_some_and(dom);
        let in_continue = || {
            let (c, e) = (d.continue_target.unwrap(), d.back_edge_block);
            d.has_proper_continue && dom(c) && before_merge && naive.post_dominates(e.unwrap().0, block.0)
        };
        match c.kind {
            ConstructKind::Continue => in_continue(),
            ConstructKind::Loop => dom(c.header) && before_merge && !in_continue(),
            _ => dom(c.header) && before_merge,
        }
    };
    (0..s.constructs().len() as u32).filter(contains).map(ConstructIdx).collect()
}

/// How far in a construct is.
fn rank(s: &Structured, c: ConstructIdx) -> (u32, u32) {
    let (c, d) = (s.construct(c).unwrap(), s.declaration(c).unwrap());
    let depth = (0..s.header_of_len()).filter(|b| s.dominates(BlockIdx(*b), c.header)).count() as u32;
    let within = match c.kind {
        ConstructKind::Case => 0,
        ConstructKind::Continue if d.block == c.header => 3,
        ConstructKind::Continue => 1,
        _ => 2,
    };
    (depth, within)
}

fn check_constructs(program: &Program, facts: &Facts, nests: bool) {
    let s = &facts.structured;
    for b in facts.cfg.indices() {
        let mut all = containing(program, s, b);
        for i in 0..s.constructs().len() as u32 {
            let (c, expected) = (ConstructIdx(i), all.contains(&ConstructIdx(i)));
            assert_eq!(s.contains(c, b), expected, "{c:?} {b} in {program:?}");
        }
        all.retain(|c| {
            let (c, d) = (s.construct(*c).unwrap(), s.declaration(*c).unwrap());
            c.kind != ConstructKind::Case || s.strictly_dominates(d.block, c.header)
        });
        let best = |kind: Option<ConstructKind>| {
            let of_kind = all.iter().filter(|c| kind.is_none_or(|k| s.construct(**c).unwrap().kind == k));
            of_kind.map(|c| rank(s, *c)).max()
        };
        let ranked = |c: Option<ConstructIdx>| c.map(|c| rank(s, c));
        assert_eq!(ranked(s.innermost(b)), best(None), "around {b} in {program:?}");
        assert_eq!(ranked(s.innermost_switch(b)), best(Some(ConstructKind::Switch)), "around {b} in {program:?}");
        if nests {
            assert_eq!(ranked(s.innermost_loop(b)), best(Some(ConstructKind::Loop)), "around {b} in {program:?}");
            check_parents(s, b, &all, program);
        }
    }
}

/// Where constructs nest, going up from the innermost one meets all.
fn check_parents(s: &Structured, b: BlockIdx, all: &[ConstructIdx], program: &Program) {
    let mut up = Vec::new();
    let mut next = s.innermost(b);
    while let Some(c) = next {
        up.push(c);
        next = s.parent(c);
    }
    up.sort_unstable();
    assert_eq!(up, all, "around {b} in {program:?}");
    for header in s.headers() {
        let expected = header.cases().find(|c| s.contains(*c, b));
        assert_eq!(s.case_of(header, b), expected);
    }
}

#[test]
fn definitions_on_any_graph() {
    let (mut facts, mut dom) = (Facts::default(), DomTree::new());
    let mut seed = 0x9e37_79b9_7f4a_7c15;
    let mut rng = random(&mut seed);
    for _ in 0..3000 {
        let program = random_program(&mut rng);
        facts.build(&program);
        dom.build(&facts.cfg);
        check_dominance(&program, &facts, &dom);
        check_constructs(&program, &facts, false);
    }
}

#[test]
fn definitions_on_structured_programs() {
    let (mut facts, mut dom) = (Facts::default(), DomTree::new());
    let mut seed = 0x2545_f491_4f6c_dd1d;
    let mut rng = random(&mut seed);
    let mut loops = 0;
    for _ in 0..300 {
        let program = structured_program(&mut rng);
        if program.len() > 60 {
            continue;
        }
        facts.build(&program);
        dom.build(&facts.cfg);
        check_dominance(&program, &facts, &dom);
        check_constructs(&program, &facts, true);
        for header in facts.structured.headers().iter().filter(|h| h.kind == ConstructKind::Loop) {
            loops += 1;
            assert!(header.has_proper_continue && header.back_edges == 1, "{header:?} in {program:?}");
        }
    }
    assert!(loops > 100);
}

#[test]
fn blocks_and_edges() {
    let program = vec![
        (Merge::Selection(3), End::Switch(vec![3, 1, 2, 1])),
        (Merge::No, End::Branch(3)),
        (Merge::No, End::Branch(77)),
        (Merge::No, End::Return),
    ];
    let words = words_of(&program, 64);
    let mut cfg = Cfg::new();
    // Tables by id or sorted lists: no difference.
    for dense in [0, 12, 1000] {
        cfg.build(&words, 0..words.len() as u32, dense, &Selector(64));
        assert_eq!(cfg.len(), 4);
        assert_eq!(cfg.successors(BlockIdx(0)), [3, 1, 2, 1].map(BlockIdx));
        assert_eq!(cfg.predecessors(BlockIdx(1)), [0, 0].map(BlockIdx));
        assert_eq!(cfg.predecessors(BlockIdx(3)), [0, 1].map(BlockIdx));
        assert_eq!(cfg.successors(BlockIdx(4)), []);
        let [stray] = cfg.strays() else { panic!("{:?}", cfg.strays()) };
        assert_eq!((stray.from, stray.target), (BlockIdx(2), Id(LABEL + 77)));
        let block = cfg.blocks()[0];
        assert_eq!((block.merge(), block.terminator()), (Some(3), Some(6)));
        assert_eq!(block.range(), 0..18);
        assert_eq!(cfg.block_at(17), Some(BlockIdx(0)));
        assert_eq!(cfg.block_at(18), Some(BlockIdx(1)));
        assert_eq!(cfg.block_at(words.len() as u32 - 1), None);
    }
    // Without a type for the selector only the default is known.
    cfg.build(&words, 0..words.len() as u32, 1000, &Selector(0));
    assert_eq!(cfg.successors(BlockIdx(0)), [BlockIdx(3)]);
    let (start, end) = (5, 2);
    cfg.build(&words, start..end, 1000, &Selector(32));
    assert!(cfg.is_empty());
}

#[test]
fn unended_and_twice_labelled_blocks() {
    let mut w = Writer::without_header();
    for op in [Op::Label, Op::Label] {
        w.inst(op, &[LABEL]).unwrap();
    }
    w.inst(Op::Branch, &[LABEL]).unwrap();
    w.inst(Op::Nop, &[]).unwrap();
    let words = w.finish();
    let mut cfg = Cfg::new();
    cfg.build(&words, 0..words.len() as u32, 1000, &Selector(32));
    assert_eq!(cfg.blocks()[0].range(), 0..2);
    assert_eq!(cfg.blocks()[0].terminator(), None);
    assert_eq!(cfg.blocks()[1].range(), 2..6);
    assert_eq!(cfg.successors(BlockIdx(1)), [BlockIdx(0)]);
}

#[test]
fn nesting_depth_counts_in_program_order() {
    let mut facts = Facts::default();
    let one = |then: u32, merge: u32| (Merge::Selection(merge), End::Cond(then, merge));
    facts.build(&vec![one(1, 3), one(2, 2), (Merge::No, End::Branch(3)), one(4, 4), (Merge::No, End::Return)]);
    assert_eq!(facts.structured.nesting_depth(), 2);
    facts.build(&vec![(Merge::No, End::Return)]);
    assert_eq!(facts.structured.nesting_depth(), 0);
}

#[test]
fn random_words() {
    let mut facts = Facts::default();
    let mut dom = DomTree::new();
    let mut seed = 0xdead_beef_1234_5678;
    let mut rng = random(&mut seed);
    let ops = [Op::Label, Op::Branch, Op::BranchConditional, Op::Switch, Op::LoopMerge, Op::SelectionMerge, Op::Return];
    for _ in 0..3000 {
        let mut words = vec![0x0002_00f8, 1];
        for _ in 0..rng(30) {
            let count = 1 + rng(6);
            words.push(count << 16 | u32::from(ops[rng(ops.len() as u32) as usize].0));
            words.extend((1..count).map(|_| rng(8)));
        }
        words.truncate(words.len() - rng(2) as usize);
        facts.cfg.build(&words, 0..words.len() as u32 + rng(3), rng(10), &Selector(32 * rng(4)));
        dom.build(&facts.cfg);
        facts.structured.build(&words, &facts.cfg);
        for b in facts.cfg.indices() {
            facts.structured.innermost_loop(b);
            facts.structured.headers().iter().for_each(|h| _ = facts.structured.case_of(h, b));
        }
    }
}

fn nested_loops(n: u32) -> Program {
    // Block 2i is a header whose body is the next one, 2i + 1 its merge block, 2n.. the continue targets.
    let mut p = Vec::new();
    for i in 0..n {
        let inner = if i + 1 < n { 2 * i + 2 } else { 2 * n + i };
        p.push((Merge::Loop(2 * i + 1, 2 * n + i), End::Branch(inner)));
        p.push((Merge::No, if i == 0 { End::Return } else { End::Branch(2 * n + i - 1) }));
    }
    p.extend((0..n).map(|i| (Merge::No, End::Cond(2 * i, 2 * i + 1))));
    p
}

/// Each loop in the continue construct of the one before.
fn loops_in_continues(n: u32) -> Program {
    // Blocks 4i: header, continue target, back-edge block, merge block.
    (0..n)
        .flat_map(|i| {
            let at = 4 * i;
            [
                (Merge::Loop(at + 3, at + 1), End::Branch(at + 1)),
                (Merge::No, End::Branch(if i + 1 < n { at + 4 } else { at + 2 })),
                (Merge::No, End::Cond(at, at + 3)),
                (Merge::No, if i == 0 { End::Return } else { End::Branch(at - 2) }),
            ]
        })
        .collect()
}

fn single_block_loops(n: u32) -> Program {
    let mut p = vec![(Merge::No, End::Branch(1))];
    p.extend((1..=n).map(|i| (Merge::Loop(i + 1, i), End::Cond(i, i + 1))));
    p.push((Merge::No, End::Return));
    p
}

fn ladder(n: u32) -> Program {
    // Two ways down, crossing at every rung, and back from the end to every rung.
    let mut p: Program = (0..n)
        .map(|i| (Merge::No, if i + 2 < n { End::Cond(i + 1, i + 2) } else { End::Branch((i + 1).min(n - 1)) }))
        .collect();
    p.push((Merge::Selection(n + 1), End::Switch((0..n).collect())));
    p.push((Merge::No, End::Return));
    p[n as usize - 1].1 = End::Branch(n);
    p
}

fn same_merge(n: u32) -> Program {
    let mut p: Program = (0..n).map(|i| (Merge::Selection(n), End::Cond(i + 1, n))).collect();
    p.push((Merge::No, End::Return));
    p
}

fn wide_switch(n: u32) -> Program {
    let mut p = vec![(Merge::Selection(n + 1), End::Switch((1..=n).collect()))];
    p.extend((1..=n).map(|_| (Merge::No, End::Branch(n + 1))));
    p.push((Merge::No, End::Return));
    p
}

type Shape = fn(u32) -> Program;

#[test]
fn cost_doubles_with_size() {
    let shapes: [(&str, Shape); 6] = [
        ("nested loops", nested_loops),
        ("loops in continues", loops_in_continues),
        ("single-block loops", single_block_loops),
        ("ladder", ladder),
        ("same merge", same_merge),
        ("wide switch", wide_switch),
    ];
    let (mut facts, mut dom) = (Facts::default(), DomTree::new());
    for (name, shape) in shapes {
        let mut cost = |n| {
            facts.build(&shape(n));
            dom.build(&facts.cfg);
            dom.take_steps() + facts.structured.take_steps()
        };
        let (small, large) = (cost(2000), cost(4000));
        assert!(small > 2000 && large < small * 5 / 2, "{name}: {small} steps, twice as large {large}");
        cost(10_000);
    }
}

#[test]
fn deep_nests_are_known() {
    let mut facts = Facts::default();
    for shape in [nested_loops, loops_in_continues] {
        facts.build(&shape(10_000));
        let s = &facts.structured;
        assert_eq!(s.headers().len(), 10_000);
        assert!(s.headers().iter().all(|h| h.has_proper_continue && h.back_edges == 1));
        let mut depth = 0;
        let mut next = Some(s.headers()[9_999].construct);
        while let Some(c) = next {
            depth += 1;
            next = s.parent(c);
        }
        assert_eq!(depth, 10_000);
    }
}

#[test]
fn edges_of_no_rows() {
    let edges = Edges::default();
    assert_eq!(edges.of(BlockIdx(0)), []);
    let mut reversed = Edges::default();
    reversed.reverse_of(&edges, 0);
    assert!(reversed.is_empty());
}
