//! Decorations of types taken together: built-in members, blocks, and what cannot be given twice.

use alloc::format;

use spirula_binary::{Id, Inst};
use spirula_diag::{Site, rules};
use spirula_grammar::{Decoration, ExecutionModel, Op, StorageClass};
use spirula_module::{Decorated, Type};

use super::qualifiers::{INTERPOLATION, excluded};
use crate::cx::{Cx, msg};
use crate::facts::{Parts, without_arrays};

rules! {
    group "decorations";
    /// Either all members of a structure are built-ins, or none.
    MIXED: "built-in-mixed", spec "§2.16.1";
    /// An entry point has one object per storage class whose structure has built-in members.
    BUILT_IN_OBJECTS: "built-in-objects", spec "§2.16.1";
    /// Inputs and outputs with built-in members are blocks.
    BUILT_IN_BLOCK: "built-in-block", spec "§3.2.20";
    /// A Block or BufferBlock is no part of another one.
    NESTED: "block-nested", spec "§2.16.2";
    /// A structure is a Block or a BufferBlock, not both.
    BOTH: "block-both", spec "§2.16.2";
    /// An array of blocks is an array of descriptors, which has no stride.
    BLOCK_STRIDE: "block-array-stride", spec "§2.2.2";
    /// A module has either storage buffers in StorageBuffer or ones decorated BufferBlock. A warning, since no consumer
    /// is known to mind.
    BUFFERS: "buffers-old-and-new", warn spec "§2.16.1";
    /// A decoration is given once.
    TWICE: "decoration-twice", spec "§3.2.20";
    /// A member is RowMajor or ColMajor, not both.
    MAJORNESS: "row-and-col-major", spec "RowMajor";
    /// A member has an Offset or an OffsetIdEXT, not both.
    OFFSETS: "offset-twice", extension "SPV_EXT_descriptor_heap";
}

/// So many decorations of one target are compared with another.
const FEW: usize = 16;

/// Decorations of §3.2.20 that a target has once. Left out are those that may come several times, with other operands:
/// attributes of parameters, and uniformity in several scopes.
const ONCE: u64 = {
    let several = (1 << 12) | (1 << Decoration::UniformId.0) | (1 << Decoration::FuncParamAttr.0);
    ((1 << (Decoration::MaxByteOffsetId.0 + 1)) - 1) & !several
};

/// The bit that decorations of extensions share which have none of their own: with other operands they may say another
/// thing, so that only two with the same are judged.
const OTHER: u64 = 1 << 62;

/// The bit of a decoration that comes once; 0 for others.
fn once(decoration: Decoration) -> u64 {
    match decoration {
        Decoration::NoSignedWrap => 1 << 48,
        Decoration::NoUnsignedWrap => 1 << 49,
        Decoration::NonUniform => 1 << 50,
        Decoration::PerPrimitiveEXT => 1 << 51,
        Decoration::PerVertexKHR => 1 << 52,
        Decoration::RestrictPointer => 1 << 53,
        Decoration::AliasedPointer => 1 << 54,
        Decoration::CounterBuffer => 1 << 55,
        Decoration::PerTaskNV => 1 << 56,
        Decoration::PerViewNV => 1 << 57,
        Decoration::ViewportRelativeNV => 1 << 58,
        Decoration::PassthroughNV => 1 << 59,
        Decoration::OffsetIdEXT => 1 << 63,
        // Semantics and levels of caches have rules of their own.
        Decoration::UserSemantic | Decoration::CacheControlLoadINTEL | Decoration::CacheControlStoreINTEL => 0,
        other if other.0 > Decoration::MaxByteOffsetId.0 => OTHER,
        other => 1u64.checked_shl(other.0).unwrap_or(0) & ONCE,
    }
}

/// Judges the types and entry points of a module.
pub(crate) fn module(cx: &mut Cx<'_>) {
    let m = cx.m;
    repeated(cx);
    for inst in m.global_insts() {
        match inst.op() {
            Op::TypeStruct => structure(cx, inst),
            Op::TypeArray | Op::TypeRuntimeArray => array(cx, inst),
            _ => {}
        }
    }
    objects(cx);
    old_and_new_buffers(cx);
}

/// Storage buffers are declared in one way: with their storage class, or with `BufferBlock` in Uniform as before 1.3.
fn old_and_new_buffers(cx: &mut Cx<'_>) {
    let m = cx.m;
    let is_old = |i: &Inst<'_>| i.op() == Op::Decorate && i.word(2) == Decoration::BufferBlock.0;
    let Some(old) = m.annotations().find(is_old) else { return };
    let is_new = |v: &Inst<'_>| StorageClass(v.word(3)) == StorageClass::StorageBuffer;
    if let Some(new) = m.global_variables().find(is_new) {
        cx.fail(&BUFFERS, old, || {
            msg(format!("{} is a BufferBlock, but {} is in StorageBuffer", old.id(1), new.id(2))).declared(m, new.id(2))
        })
        .ok();
    }
}

fn structure<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    let (m, id) = (cx.m, inst.id(1));
    let parts = cx.parts(id);
    let inner = inst.tail(2).iter().fold(Parts::default(), |p, t| p.or(cx.parts(Id(*t))));
    if parts.any(Parts::BUILT_IN) {
        mixed(cx, inst);
    }
    let (block, buffer) = (m.is_decorated(id, Decoration::Block), m.is_decorated(id, Decoration::BufferBlock));
    cx.check(!(block && buffer), &BOTH, inst, || format!("{id} is decorated both Block and BufferBlock")).ok();
    let nested = (block || buffer) && inner.any(Parts::BLOCK.or(Parts::BUFFER_BLOCK));
    cx.check(!nested, &NESTED, inst, || format!("{id} is a block, and contains another one")).ok();
    let mut before = (None, 0);
    for d in m.decorations(id).filter(|d| d.member.is_some()) {
        member(cx, inst, d, &mut before);
    }
}

/// What decorates the same target twice, as a whole.
fn repeated(cx: &mut Cx<'_>) {
    let m = cx.m;
    let (mut target, mut seen) = (Id(0), 0);
    // What groups lead to is not looked at.
    for inst in m.annotations_by_target().filter(|i| matches!(i.op(), Op::Decorate | Op::DecorateId)) {
        if inst.id(1) != target {
            (target, seen) = (inst.id(1), 0);
        }
        let bit = once(Decoration(inst.word(2)));
        // Arrays are judged with their other stride decorations.
        let elsewhere = || matches!(m.info(target).op, Op::TypeArray | Op::TypeRuntimeArray);
        if seen & bit != 0 && !elsewhere() && (bit != OTHER || is_said_before(cx, inst)) {
            repeated_by(cx, inst);
        }
        seen |= bit;
    }
}

/// Whether one of the decorations before says the same of the same target.
#[cold]
fn is_said_before(cx: &Cx<'_>, inst: Inst<'_>) -> bool {
    let before = cx.m.own_decorations(inst.id(1)).map(|d| d.inst).filter(|i| i.offset() < inst.offset());
    before.take(FEW).any(|i| i.tail(1) == inst.tail(1))
}

#[cold]
fn repeated_by(cx: &mut Cx<'_>, inst: Inst<'_>) {
    let (m, id) = (cx.m, inst.id(1));
    let decoration = Decoration(inst.word(2));
    let first = m.own_decorations(id).find(|d| d.decoration == decoration).map_or(0, |d| d.inst.offset());
    // Where the target is: that is what the two make invalid.
    let at = m.def(id).unwrap_or(inst);
    cx.fail(&TWICE, at, || {
        msg(format!("{id} is decorated {decoration} twice"))
            .note(Site::at(first), "here")
            .note(Site::at(inst.offset()), "and here")
    })
    .ok();
}

/// Decorations come by member, so that those of one member stand together: `before` is the member, and those of its
/// decorations that come once.
fn member<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, d: Decorated<'a>, before: &mut (Option<u32>, u64)) {
    let bit = once(d.decoration);
    if before.0 != d.member {
        *before = (d.member, bit);
        return;
    }
    let others = before.1;
    before.1 |= bit;
    let excluding = match d.decoration {
        Decoration::RowMajor | Decoration::ColMajor => once(Decoration::RowMajor) | once(Decoration::ColMajor),
        Decoration::Offset | Decoration::OffsetIdEXT => once(Decoration::Offset) | once(Decoration::OffsetIdEXT),
        Decoration::Flat | Decoration::NoPerspective => once(Decoration::Flat) | once(Decoration::NoPerspective),
        Decoration::Patch | Decoration::Centroid | Decoration::Sample => {
            once(Decoration::Patch) | once(Decoration::Centroid) | once(Decoration::Sample)
        }
        _ => bit,
    };
    if others & excluding != 0 {
        conflict(cx, inst, d);
    }
}

#[cold]
fn conflict<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, d: Decorated<'a>) {
    let id = inst.id(1);
    let n = d.member.unwrap_or(0);
    let same = cx.m.member_decorations(id, n);
    for e in same.filter(|e| e.inst.offset() < d.inst.offset() || e.group.is_some() != d.group.is_some()).take(FEW) {
        let note = || Site::at(e.inst.offset());
        let alike = once(d.decoration) != OTHER || e.inst.tail(3) == d.inst.tail(3);
        if e.decoration == d.decoration && e.inst != d.inst && alike {
            let text =
                || msg(format!("member {n} of {id} is decorated {} twice", d.decoration)).note(note(), "and here");
            cx.fail(&TWICE, inst, text).ok();
        }
        let pair = |a, b| (e.decoration == a && d.decoration == b) || (e.decoration == b && d.decoration == a);
        if pair(Decoration::RowMajor, Decoration::ColMajor) {
            cx.fail(&MAJORNESS, inst, || format!("member {n} of {id} is decorated both RowMajor and ColMajor")).ok();
        }
        let (x, y) = (d.decoration, e.decoration);
        if excluded(x).contains(&y) || excluded(y).contains(&x) {
            cx.fail(&INTERPOLATION, inst, || format!("member {n} of {id} is decorated both {y} and {x}")).ok();
        }
        if pair(Decoration::Offset, Decoration::OffsetIdEXT) {
            cx.fail(&OFFSETS, inst, || format!("member {n} of {id} is decorated both Offset and OffsetIdEXT")).ok();
        }
    }
}

fn mixed<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    let (m, id) = (cx.m, inst.id(1));
    let members = inst.tail(2).len() as u32;
    let mut built_in = m
        .decorations(id)
        .filter(|d| d.decoration == Decoration::BuiltIn)
        .filter_map(|d| d.member)
        .filter(|n| *n < members)
        .peekable();
    if built_in.peek().is_none() {
        return;
    }
    // They come in order of members.
    let mut next = 0;
    for n in built_in {
        if n == next {
            next += 1;
        } else if n > next {
            break;
        }
    }
    cx.check(next == members, &MIXED, inst, || {
        format!("member {next} of {id} is no built-in, but others are: all members must be, or none")
    })
    .ok();
}

fn array<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    let (m, id) = (cx.m, inst.id(1));
    let mut strides = m
        .own_decorations(id)
        .filter(|d| matches!(d.decoration, Decoration::ArrayStride | Decoration::ArrayStrideIdEXT));
    if strides.next().is_none() {
        return;
    }
    if strides.next().is_some() {
        cx.fail(&TWICE, inst, || format!("{id} has two array strides")).ok();
    }
    let (inner, _) = without_arrays(m, id);
    let block = m.is_decorated(inner, Decoration::Block) || m.is_decorated(inner, Decoration::BufferBlock);
    cx.check(!block, &BLOCK_STRIDE, inst, || format!("{id} has an array stride, but its elements {inner} are blocks"))
        .ok();
}

/// One object with built-in members per storage class and entry point.
fn objects(cx: &mut Cx<'_>) {
    let m = cx.m;
    for entry in m.entry_points() {
        // Mesh shaders have one for their vertices and one for their primitives.
        if matches!(entry.model, ExecutionModel::MeshEXT | ExecutionModel::MeshNV | ExecutionModel::TaskNV) {
            continue;
        }
        let mut seen: [Option<Id>; 2] = [None; 2];
        for variable in entry.interface.iter().filter_map(|v| m.def(Id(*v))) {
            if variable.op() != Op::Variable {
                continue;
            }
            let at = match StorageClass(variable.word(3)) {
                StorageClass::Input => 0,
                StorageClass::Output => 1,
                _ => continue,
            };
            let Some((_, data)) = m.pointer(variable.id(1)) else { continue };
            let (inner, arrays) = without_arrays(m, data);
            if !matches!(m.ty(inner), Some(Type::Struct { .. })) || !cx.parts(inner).any(Parts::BUILT_IN) {
                continue;
            }
            let id = variable.id(2);
            let block = arrays > 0 || m.is_decorated(inner, Decoration::Block);
            cx.check(block, &BUILT_IN_BLOCK, variable, || {
                msg(format!("{id} has built-in members, but its type {inner} is not decorated Block"))
                    .declared(m, inner)
            })
            .ok();
            let Some(first) = seen[at].replace(id).filter(|f| *f != id) else { continue };
            let Some(function) = m.def(entry.function) else { continue };
            let class = StorageClass(variable.word(3));
            cx.fail(&BUILT_IN_OBJECTS, function, || {
                format!("the entry point has {first} and {id}, both structures with built-in members in {class}")
            })
            .ok();
        }
    }
}
