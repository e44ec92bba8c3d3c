//! What the report is made of: descriptions in arenas, referring to each other by position.

use alloc::string::String;
use alloc::vec::Vec;

/// Bytes that one dimension of an array takes, with its text.
pub(super) const DIMENSION: usize = 16;

/// A position in an arena.
pub(super) type At = usize;

/// Bits of a type's flags.
pub(super) mod kind {
    pub(crate) const VOID: u32 = 0x1;
    pub(crate) const BOOL: u32 = 0x2;
    pub(crate) const INT: u32 = 0x4;
    pub(crate) const FLOAT: u32 = 0x8;
    pub(crate) const VECTOR: u32 = 0x100;
    pub(crate) const MATRIX: u32 = 0x200;
    pub(crate) const IMAGE: u32 = 0x1_0000;
    pub(crate) const SAMPLER: u32 = 0x2_0000;
    pub(crate) const SAMPLED_IMAGE: u32 = 0x4_0000;
    pub(crate) const BLOCK: u32 = 0x8_0000;
    pub(crate) const ACCELERATION_STRUCTURE: u32 = 0x10_0000;
    pub(crate) const STRUCT: u32 = 0x1000_0000;
    pub(crate) const ARRAY: u32 = 0x2000_0000;
    pub(crate) const REFERENCE: u32 = 0x4000_0000;
}

/// Bits of a decoration mask.
pub(super) mod decorated {
    pub(crate) const BLOCK: u32 = 0x1;
    pub(crate) const BUFFER_BLOCK: u32 = 0x2;
    pub(crate) const ROW_MAJOR: u32 = 0x4;
    pub(crate) const COLUMN_MAJOR: u32 = 0x8;
    pub(crate) const BUILT_IN: u32 = 0x10;
    pub(crate) const NO_PERSPECTIVE: u32 = 0x20;
    pub(crate) const FLAT: u32 = 0x40;
    pub(crate) const NON_WRITABLE: u32 = 0x80;
    pub(crate) const RELAXED_PRECISION: u32 = 0x100;
    pub(crate) const NON_READABLE: u32 = 0x200;
    pub(crate) const PATCH: u32 = 0x400;
    pub(crate) const PER_VERTEX: u32 = 0x800;
    pub(crate) const PER_TASK: u32 = 0x1000;
    pub(crate) const WEIGHT_TEXTURE: u32 = 0x2000;
    pub(crate) const BLOCK_MATCH_TEXTURE: u32 = 0x4000;
}

#[derive(Clone, Copy, Default)]
pub(super) struct Numeric {
    pub(super) width: u32,
    pub(super) signed: bool,
    pub(super) components: u32,
    pub(super) columns: u32,
    pub(super) rows: u32,
    pub(super) matrix_stride: u32,
}

#[derive(Clone, Copy, Default)]
pub(super) struct ImageTraits {
    pub(super) dim: u32,
    pub(super) depth: u32,
    pub(super) arrayed: u32,
    pub(super) multisampled: u32,
    pub(super) sampled: u32,
    pub(super) format: u32,
}

#[derive(Clone, Default)]
pub(super) struct ArrayTraits {
    pub(super) dims: Vec<u32>,
    pub(super) stride: u32,
}

impl ArrayTraits {
    /// Bytes that a copy takes, with its text.
    pub(super) fn cost(&self) -> usize {
        self.dims.len() * DIMENSION
    }
}

/// A type as it is used in one place: what it is made of is merged into it.
#[derive(Clone, Default)]
pub(super) struct TypeDesc {
    pub(super) id: u32,
    pub(super) op: u16,
    pub(super) name: Option<String>,
    pub(super) member_name: Option<String>,
    /// Storage class of a pointer; 0 for other members, -1 for types of variables.
    pub(super) class: i64,
    pub(super) flags: u32,
    pub(super) decorations: u32,
    pub(super) numeric: Numeric,
    pub(super) image: ImageTraits,
    pub(super) array: ArrayTraits,
    pub(super) members: Vec<At>,
    pub(super) member_count: usize,
    /// Refers to a pointer that was met before: its members are not listed again.
    pub(super) forward: bool,
    /// The structure that it is, is an array of, or points to.
    pub(super) structure: Option<u32>,
    /// The pointer on the way to the structure.
    pub(super) pointer: Option<u32>,
    /// Whether one of its dimensions has no bound.
    pub(super) runtime: bool,
}

/// A block, or a member of one.
#[derive(Clone, Default)]
pub(super) struct BlockVar {
    pub(super) name: Option<String>,
    pub(super) offset: u32,
    pub(super) absolute_offset: u32,
    pub(super) size: u32,
    pub(super) padded_size: u32,
    pub(super) decorations: u32,
    pub(super) numeric: Numeric,
    pub(super) array: ArrayTraits,
    pub(super) used: bool,
    pub(super) members: Vec<At>,
    pub(super) ty: Option<At>,
    /// Points back to what contains it: its members are not listed.
    pub(super) recursive: bool,
}

#[derive(Clone, Default)]
pub(super) struct Descriptor {
    pub(super) id: u32,
    pub(super) name: Option<String>,
    pub(super) binding: u32,
    pub(super) input_attachment: u32,
    pub(super) set: u32,
    pub(super) decorations: u32,
    pub(super) block_decorations: u32,
    pub(super) kind: u32,
    pub(super) resource: u32,
    pub(super) image: ImageTraits,
    pub(super) block: At,
    pub(super) dims: Vec<u32>,
    pub(super) accessed: bool,
    pub(super) counter_id: Option<u32>,
    pub(super) counter: Option<At>,
    pub(super) ty: At,
    pub(super) binding_word: u32,
    pub(super) set_word: u32,
    pub(super) user_type: Option<&'static str>,
    /// Words of a byte address buffer that are read or written at constant offsets.
    pub(super) byte_offsets: Vec<u32>,
}

#[derive(Clone, Default)]
pub(super) struct InterfaceVar {
    pub(super) id: u32,
    pub(super) name: Option<String>,
    pub(super) location: u32,
    pub(super) class: u32,
    pub(super) semantic: Option<String>,
    pub(super) decorations: u32,
    /// `None` where the variable is no built-in.
    pub(super) built_in: Option<u32>,
    pub(super) numeric: Numeric,
    pub(super) array: ArrayTraits,
    pub(super) members: Vec<At>,
    pub(super) format: u32,
    pub(super) ty: Option<At>,
    pub(super) location_word: u32,
}

pub(super) struct SpecConstant {
    pub(super) name: Option<String>,
    pub(super) id: u32,
    pub(super) constant_id: u32,
}

/// A heap as an entry point uses it, for one kind of descriptor.
pub(super) struct HeapAccess {
    pub(super) heap: Option<String>,
    pub(super) array: u32,
    pub(super) stride: u32,
    /// Kind of descriptor; `None` in the heap of samplers.
    pub(super) kind: Option<u32>,
    pub(super) ty: At,
}

#[derive(Default)]
pub(super) struct EntryHeaps {
    pub(super) entry: String,
    pub(super) resources: Vec<HeapAccess>,
    pub(super) samplers: Vec<HeapAccess>,
}

/// The whole report.
#[derive(Default)]
pub(super) struct Report {
    pub(super) types: Vec<TypeDesc>,
    pub(super) blocks: Vec<BlockVar>,
    pub(super) descriptors: Vec<Descriptor>,
    pub(super) interface: Vec<InterfaceVar>,
    pub(super) inputs: Vec<At>,
    pub(super) outputs: Vec<At>,
    pub(super) push_constants: Vec<At>,
    pub(super) spec_constants: Vec<SpecConstant>,
    pub(super) heaps: Vec<EntryHeaps>,
    pub(super) entry_name: Option<String>,
    pub(super) entry_id: u32,
    pub(super) model: u32,
    pub(super) generator: u32,
    pub(super) language: u32,
    pub(super) language_version: u32,
    /// Whether something was left out because it was too much.
    pub(super) cut_off: bool,
}
