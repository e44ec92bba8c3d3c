//! Ids far above what the module's size justifies are known as well as others.
#![allow(clippy::unwrap_used, missing_docs)]

use spirula_binary::{Header, Id, Writer};
use spirula_grammar::{Op, Version};
use spirula_module::{Index, Module, Shape};

const FAR: u32 = 4_000_000;

fn module(blocks: u32) -> Vec<u32> {
    let version = Version::v1(5).to_word();
    let mut w = Writer::new(Header { version, generator: 0, bound: FAR + blocks + 100, schema: 0 });
    w.inst(Op::TypeFloat, &[FAR, 32]).unwrap();
    w.inst(Op::TypeVector, &[1, FAR, 4]).unwrap();
    w.inst(Op::TypeVoid, &[2]).unwrap();
    w.inst(Op::TypeFunction, &[3, 2]).unwrap();
    w.inst(Op::Function, &[2, FAR + 1, 0, 3]).unwrap();
    for block in 0..blocks {
        w.inst(Op::Label, &[FAR + 10 + block]).unwrap();
        w.inst(if block + 1 < blocks { Op::Nop } else { Op::Return }, &[]).unwrap();
    }
    w.inst(Op::FunctionEnd, &[]).unwrap();
    w.finish()
}

#[test]
fn types_of_far_components() {
    let (words, mut index) = (module(1), Index::default());
    let module = Module::new(&words, &mut index);
    let vector = module.key(Id(1));
    assert_eq!((vector.shape(), vector.count(), vector.width()), (Shape::Vector, 4, 32));
}

#[test]
fn far_blocks() {
    // So many that counting each from the start of the function would be noticed.
    let blocks = 100_000;
    let (words, mut index) = (module(blocks), Index::default());
    let module = Module::new(&words, &mut index);
    for block in [0, 1, blocks - 1] {
        assert_eq!(module.info(Id(FAR + 10 + block)).block(), Some(block));
    }
    assert_eq!(module.info(Id(FAR + 1)).function(), Some(0));
}
