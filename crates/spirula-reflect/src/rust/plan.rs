//! Which structures there will be, and how much room each has wherever it is used.
//!
//! A Rust structure is as large as a multiple of its alignment, while SPIR-V's end with their last member, and the next
//! member may follow at once. So every structure is given the size that fits all of its uses: owners are looked at
//! before what they own, and hand down the room that they have.

use alloc::collections::BTreeMap;
use alloc::vec::Vec;

use super::shape::{Leaf, Shape, kind, shape};
use crate::TypeRef;
use crate::model::{Reflection, TypeKind};

/// A member with a place of its own.
pub(super) struct Placed {
    /// Position among the members of the type.
    pub(super) member: usize,
    pub(super) offset: u64,
    pub(super) shape: Shape,
    /// Bytes up to the next member.
    pub(super) room: u64,
}

/// A structure.
pub(super) struct Node {
    pub(super) ty: TypeRef,
    /// In order of their offsets.
    pub(super) placed: Vec<Placed>,
    /// Members that overlap one that is placed.
    pub(super) overlapping: Vec<usize>,
    /// The runtime array at the end.
    pub(super) tail: Option<Placed>,
    /// Bytes up to the end of the last component of the last member.
    pub(super) least: u64,
    /// Bytes that every use has room for.
    pub(super) room: u64,
    /// Stride of the arrays of it, as long as all agree.
    pub(super) stride: Stride,
}

/// What is known of the arrays of a structure.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stride {
    None,
    All(u64),
    Different,
}

/// The structures that are reachable, in the order in which they were found.
pub(super) struct Plan {
    pub(super) nodes: Vec<Node>,
    by_type: BTreeMap<TypeRef, usize>,
    /// Owners before what they own.
    pub(super) order: Vec<usize>,
}

/// A part of a member that is laid out as one field.
pub(super) struct Chunk {
    /// Bytes from the start of the member.
    pub(super) at: u64,
    pub(super) room: u64,
    pub(super) what: Part,
}

pub(super) enum Part {
    /// An array: the dimension that it starts with, and how many elements of it.
    Array { dimension: usize, count: u32 },
    /// The leaf itself.
    Leaf,
    /// The first vectors of a matrix.
    Vectors(u32),
    /// The last vector of a matrix, without what pads it.
    LastVector,
}

impl Shape {
    /// Cuts a member into what fits `room`: the padding of a last element may hold the next member.
    pub(super) fn chunks(&self, mut room: u64) -> Vec<Chunk> {
        let (mut chunks, mut at) = (Vec::new(), 0);
        for (dimension, d) in self.dimensions.iter().enumerate() {
            let (count, stride) = (d.count.unwrap_or(0), u64::from(d.stride));
            if u64::from(count) * stride <= room {
                chunks.push(Chunk { at, room, what: Part::Array { dimension, count } });
                return chunks;
            }
            let before = u64::from(count - 1) * stride;
            if count > 1 {
                chunks.push(Chunk { at, room: before, what: Part::Array { dimension, count: count - 1 } });
            }
            at += before;
            room = room.saturating_sub(before);
        }
        match self.leaf {
            Leaf::Matrix { vectors, stride, .. } if vectors > 1 && u64::from(vectors) * u64::from(stride) > room => {
                let before = u64::from(vectors - 1) * u64::from(stride);
                chunks.push(Chunk { at, room: before, what: Part::Vectors(vectors - 1) });
                let room = room.saturating_sub(before);
                chunks.push(Chunk { at: at + before, room, what: Part::LastVector });
            }
            _ => chunks.push(Chunk { at, room, what: Part::Leaf }),
        }
        chunks
    }
}

impl Plan {
    pub(super) fn of(r: &Reflection<'_>, roots: impl Iterator<Item = TypeRef>) -> Plan {
        let mut plan = Plan { nodes: Vec::new(), by_type: BTreeMap::new(), order: Vec::new() };
        for root in roots {
            plan.enter(r, root);
        }
        let mut next = 0;
        while next < plan.nodes.len() {
            plan.members(r, next);
            next += 1;
        }
        plan.sort();
        for i in (0..plan.order.len()).rev() {
            plan.place(plan.order[i]);
        }
        for i in 0..plan.order.len() {
            plan.hand_down(plan.order[i]);
        }
        plan
    }

    pub(super) fn node(&self, ty: TypeRef) -> Option<usize> {
        self.by_type.get(&ty).copied()
    }

    /// Adds a structure with explicit layout.
    fn enter(&mut self, r: &Reflection<'_>, ty: TypeRef) {
        let Some(TypeKind::Struct { size: Some(_), .. }) = kind(r, ty) else { return };
        let next = self.nodes.len();
        if *self.by_type.entry(ty).or_insert(next) == next {
            self.nodes.push(Node {
                ty,
                placed: Vec::new(),
                overlapping: Vec::new(),
                tail: None,
                least: 0,
                room: u64::MAX,
                stride: Stride::None,
            });
        }
    }

    /// Reads the members of a structure, and adds the structures that they hold or point to.
    fn members(&mut self, r: &Reflection<'_>, node: usize) {
        let Some(TypeKind::Struct { members, .. }) = kind(r, self.nodes[node].ty) else { return };
        let mut placed: Vec<Placed> = Vec::new();
        for (member, m) in members.iter().enumerate() {
            let (Some(offset), Some(size)) = (m.offset, m.size) else { continue };
            let unknown = Shape { dimensions: Vec::new(), leaf: Leaf::Bytes(size) };
            let shape = shape(r, m.ty, Some(m)).unwrap_or(unknown);
            match shape.leaf {
                Leaf::Struct(ty) => self.enter(r, ty),
                Leaf::Address(Some(pointee)) => self.enter_pointee(r, pointee),
                _ => {}
            }
            placed.push(Placed { member, offset: u64::from(offset), shape, room: 0 });
        }
        placed.sort_by_key(|p| p.offset);
        let runtime = |p: &Placed| p.shape.dimensions.first().is_some_and(|d| d.count.is_none());
        self.nodes[node].tail = placed.iter().position(runtime).map(|i| placed.remove(i));
        // A second one is not valid, and nothing would be known of it.
        placed.retain(|p| !runtime(p));
        self.nodes[node].placed = placed;
    }

    fn enter_pointee(&mut self, r: &Reflection<'_>, mut ty: TypeRef) {
        for _ in 0..crate::types::MAX_NESTING {
            match kind(r, ty) {
                Some(TypeKind::Array { element, .. }) => ty = *element,
                Some(TypeKind::Pointer { pointee: Some(pointee), .. }) => ty = *pointee,
                _ => break,
            }
        }
        self.enter(r, ty);
    }

    /// Structures that a structure holds, once for each member.
    fn held(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let node = &self.nodes[node];
        node.placed.iter().chain(&node.tail).filter_map(|p| match p.shape.leaf {
            Leaf::Struct(ty) => self.node(ty),
            _ => None,
        })
    }

    /// Finds the order. What holds itself, which no valid module's types do, holds bytes instead.
    fn sort(&mut self) {
        let mut owners = alloc::vec![0usize; self.nodes.len()];
        for node in 0..self.nodes.len() {
            self.held(node).for_each(|h| owners[h] += 1);
        }
        let mut order: Vec<usize> = (0..self.nodes.len()).filter(|n| owners[*n] == 0).collect();
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for held in self.held(node).collect::<Vec<_>>() {
                owners[held] -= 1;
                if owners[held] == 0 {
                    order.push(held);
                }
            }
        }
        for node in (0..self.nodes.len()).filter(|n| owners[*n] != 0) {
            self.nodes[node].placed.clear();
            self.nodes[node].tail = None;
            order.push(node);
        }
        self.order = order;
    }

    /// Bytes that a member takes at least: its last element has no padding.
    fn least(&self, shape: &Shape) -> u64 {
        let leaf = match shape.leaf {
            Leaf::Numeric { scalar, count } => u64::from(scalar.bytes()) * u64::from(count.unwrap_or(1)),
            Leaf::Matrix { scalar, vectors, per, stride, .. } => {
                u64::from(vectors.saturating_sub(1)) * u64::from(stride) + u64::from(per) * u64::from(scalar.bytes())
            }
            Leaf::Struct(ty) => self.node(ty).map_or(0, |n| self.nodes[n].least),
            Leaf::Address(_) => 8,
            Leaf::Bytes(n) => u64::from(n),
        };
        shape.dimensions.iter().rev().fold(leaf, |inner, d| match d.count {
            Some(0) => 0,
            Some(n) => (u64::from(n - 1) * u64::from(d.stride)).saturating_add(inner),
            None => inner,
        })
    }

    /// Sorts out members that overlap.
    fn place(&mut self, node: usize) {
        let mut placed: Vec<Placed> = Vec::new();
        let (mut end, mut overlapping) = (0, Vec::new());
        for p in core::mem::take(&mut self.nodes[node].placed) {
            if p.offset < end {
                overlapping.push(p.member);
                continue;
            }
            end = p.offset.saturating_add(self.least(&p.shape));
            placed.push(p);
        }
        let tail = self.nodes[node].tail.take_if(|t| t.offset < end).map(|t| t.member);
        overlapping.extend(tail);
        let own = &mut self.nodes[node];
        own.least = own.tail.as_ref().map_or(end, |t| t.offset);
        (own.placed, own.overlapping) = (placed, overlapping);
    }

    /// Tells the structures that a structure holds how much room it has for them.
    fn hand_down(&mut self, node: usize) {
        let own = &self.nodes[node];
        let end = own.tail.as_ref().map_or(own.room, |t| t.offset);
        let mut limits: Vec<(usize, u64, bool)> = Vec::new();
        let mut rooms = Vec::new();
        for (i, p) in own.placed.iter().enumerate() {
            let room = own.placed.get(i + 1).map_or(end, |next| next.offset).saturating_sub(p.offset);
            rooms.push(room);
            let Leaf::Struct(ty) = p.shape.leaf else { continue };
            let Some(held) = self.node(ty) else { continue };
            for chunk in p.shape.chunks(room) {
                match (chunk.what, p.shape.dimensions.last()) {
                    (Part::Array { .. }, Some(d)) => limits.push((held, u64::from(d.stride), true)),
                    _ => limits.push((held, chunk.room, false)),
                }
            }
        }
        if let Some(t) = &own.tail
            && let (Leaf::Struct(ty), Some(d)) = (t.shape.leaf, t.shape.dimensions.last())
            && let Some(held) = self.node(ty)
        {
            limits.push((held, u64::from(d.stride), true));
        }
        for (p, room) in self.nodes[node].placed.iter_mut().zip(rooms) {
            p.room = room;
        }
        for (held, room, is_stride) in limits {
            let held = &mut self.nodes[held];
            // Where it does not fit at all, there will be bytes.
            if room < held.least {
                continue;
            }
            held.room = held.room.min(room);
            if is_stride {
                held.stride = match held.stride {
                    Stride::None => Stride::All(room),
                    Stride::All(s) if s == room => held.stride,
                    _ => Stride::Different,
                };
            }
        }
    }
}
