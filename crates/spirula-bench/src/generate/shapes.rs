//! Types, constants, access chains, debug information, and a kernel.

use spirula_grammar::Op;

use super::build::{Builder, Section, string};

/// `n` structures with decorated members, each inside a uniform buffer of its own.
pub(super) fn types(b: &mut Builder, n: u32) {
    let c = b.compute();
    let (uint, vec4, float) = (b.uint(), b.vec4(), b.float());
    let mut loads = Vec::new();
    for k in 0..n {
        let members = [vec4, float, uint, float, uint];
        // One structure per buffer, though they look alike: structures need not be unique.
        let block = b.id();
        b.put(Section::Types, Op::TypeStruct, &[&[block], &members[..]].concat());
        b.put(Section::Names, Op::Name, &[&[block], &string(&format!("Block{k}"))[..]].concat());
        for (m, offset) in [0, 16, 20, 24, 28].into_iter().enumerate() {
            let name = string(["color", "weight", "index", "bias", "flags"][m]);
            b.put(Section::Names, Op::MemberName, &[&[block, m as u32], &name[..]].concat());
            b.put(Section::Decorations, Op::MemberDecorate, &[block, m as u32, 35, offset]);
        }
        b.put(Section::Decorations, Op::Decorate, &[block, 2]);
        let pointer = b.ty(Op::TypePointer, &[2, block]);
        let variable = b.id();
        b.put(Section::Types, Op::Variable, &[pointer, variable, 2]);
        b.put(Section::Decorations, Op::Decorate, &[variable, 34, 1]);
        b.put(Section::Decorations, Op::Decorate, &[variable, 33, k]);
        loads.push(variable);
    }
    let member = b.ty(Op::TypePointer, &[2, uint]);
    let two = b.constant(2);
    let mut value = b.constant(0);
    // The entry point's interface lists all of them.
    b.open_with(&c, &loads);
    for variable in loads {
        let pointer = b.op(Op::AccessChain, member, &[variable, two]);
        let part = b.op(Op::Load, uint, &[pointer]);
        value = b.op(Op::IAdd, uint, &[value, part]);
    }
    b.store(&c, 1, value);
    b.close();
}

/// An array nested `n` deep (one element a level, at least one), and a composite constant of it.
pub(super) fn arrays(b: &mut Builder, n: u32) {
    let c = b.compute();
    let (uint, one) = (b.uint(), b.constant(1));
    let (mut types, mut value) = (vec![uint], b.constant(7));
    for level in 0..n.max(1) as usize {
        let ty = b.ty(Op::TypeArray, &[types[level], one]);
        types.push(ty);
        value = b.declare(Op::ConstantComposite, true, &[ty, value]);
    }
    b.open(&c);
    // No instruction takes more than 255 indexes.
    let mut level = types.len() - 1;
    while level > 0 {
        let path = vec![0; level.min(255)];
        level -= path.len();
        value = b.op(Op::CompositeExtract, types[level], &[&[value], &path[..]].concat());
    }
    b.store(&c, 1, value);
    b.close();
}

/// `n` loads and stores through access chains into a local structure.
pub(super) fn chains(b: &mut Builder, n: u32) {
    let c = b.compute();
    let (uint, vec4, float) = (b.uint(), b.vec4(), b.float());
    let four = b.constant(4);
    let row = b.ty(Op::TypeArray, &[vec4, four]);
    let record = b.ty(Op::TypeStruct, &[row, uint]);
    let local = b.ty(Op::TypePointer, &[7, record]);
    let part = b.ty(Op::TypePointer, &[7, vec4]);
    let component = b.ty(Op::TypePointer, &[7, float]);
    b.open(&c);
    let variable = b.op(Op::Variable, local, &[7]);
    for k in 0..n {
        let (zero, at, lane) = (b.constant(0), b.constant(k % 4), b.constant(k / 4 % 4));
        let from = b.op(Op::AccessChain, part, &[variable, zero, at]);
        let vector = b.op(Op::Load, vec4, &[from]);
        let shuffled = b.op(Op::VectorShuffle, vec4, &[vector, vector, 3, 2, 5, 4]);
        b.act(Op::Store, &[from, shuffled]);
        let to = b.op(Op::AccessChain, component, &[variable, zero, at, lane]);
        let scalar = b.op(Op::CompositeExtract, float, &[shuffled, k % 4]);
        b.act(Op::Store, &[to, scalar]);
    }
    let value = b.load(&c, 0);
    b.store(&c, 1, value);
    b.close();
}

/// Names, strings and a line for each of `n` instructions.
pub(super) fn debug(b: &mut Builder, n: u32) {
    let c = b.compute();
    let uint = b.uint();
    let file = b.id();
    b.put(Section::Debug, Op::String, &[&[file], &string("shaders/particles/simulate.comp")[..]].concat());
    let source = string("void main() {\n    // generated\n}\n");
    b.put(Section::Debug, Op::Source, &[&[2, 450, file], &source[..]].concat());
    b.put(Section::Names, Op::Name, &[&[c.main], &string("main")[..]].concat());
    b.open(&c);
    let mut value = b.load(&c, 0);
    for k in 0..n {
        b.act(Op::Line, &[file, k + 1, 5]);
        value = b.op(Op::IAdd, uint, &[value, value]);
        b.put(Section::Names, Op::Name, &[&[value], &string(&format!("value_after_step_{k}"))[..]].concat());
    }
    b.act(Op::NoLine, &[]);
    b.store(&c, 1, value);
    b.close();
}

/// An OpenCL kernel with `n` loads, operations and stores through pointers.
pub(super) fn kernel(b: &mut Builder, n: u32) {
    for capability in [4, 5, 6] {
        b.put(Section::Capabilities, Op::Capability, &[capability]);
    }
    let set = b.id();
    b.put(Section::Imports, Op::ExtInstImport, &[&[set], &string("OpenCL.std")[..]].concat());
    b.put(Section::MemoryModel, Op::MemoryModel, &[1, 2]);
    let (void, uint, float) = (b.void(), b.uint(), b.float());
    let pointer = b.ty(Op::TypePointer, &[5, float]);
    let signature = b.ty(Op::TypeFunction, &[void, pointer, uint]);
    let (main, buffer, size, label) = (b.id(), b.id(), b.id(), b.id());
    b.put(Section::EntryPoints, Op::EntryPoint, &[&[6, main], &string("simulate")[..]].concat());
    b.put(Section::Names, Op::Name, &[&[buffer], &string("buffer")[..]].concat());
    b.act(Op::Function, &[void, main, 0, signature]);
    b.act(Op::FunctionParameter, &[pointer, buffer]);
    b.act(Op::FunctionParameter, &[uint, size]);
    b.label(label);
    for k in 0..n {
        let at = b.constant(k % 64);
        let element = b.op(Op::InBoundsPtrAccessChain, pointer, &[buffer, at]);
        let value = b.op(Op::Load, float, &[element, 2, 4]);
        // OpenCL.std `sqrt`
        let root = b.op(Op::ExtInst, float, &[set, 61, value]);
        b.act(Op::Store, &[element, root, 2, 4]);
    }
    b.close();
}
