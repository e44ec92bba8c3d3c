//! The row types of the tables.

use core::fmt;

use crate::generated::caps::CAP_SETS;
use crate::generated::enums::{ENUM_NAME_RANGES, ENUM_RANGES};
use crate::generated::exts::{EXT_SET_MEMBERS, EXT_SETS, EXTENSIONS};
use crate::generated::operands;
use crate::text::{
    ENUM_NAMES, ENUM_TEXT, ENUMERANT_TEXT, ENUMERANTS, EXT_INST_TEXT, INST_TEXT, INSTS, Name, OP_NAMES, OP_TEXT,
    OPERAND_TEXT, OPERANDS,
};
use crate::{CapSet, Capability, Op};

pub use crate::generated::kinds::{Class, OperandKind};

/// A version of SPIR-V, ordered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Version {
    /// Major number, 1 for every version published so far.
    pub major: u8,
    /// Minor number.
    pub minor: u8,
}

impl Version {
    /// Version 1.`minor`.
    pub const fn v1(minor: u8) -> Version {
        Version { major: 1, minor }
    }

    /// Decodes the version word of a module header (§2.3): `0 | major | minor | 0`. The two reserved bytes are ignored.
    pub const fn from_word(word: u32) -> Version {
        Version { major: (word >> 16) as u8, minor: (word >> 8) as u8 }
    }

    /// Encodes the version word of a module header.
    pub const fn to_word(self) -> u32 {
        (self.major as u32) << 16 | (self.minor as u32) << 8
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// How often an operand occurs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Quantifier {
    /// Exactly once.
    One,
    /// At most once (`?` in the grammar).
    Optional,
    /// Any number of times (`*` in the grammar).
    Many,
}

/// What kinds of thing an operand can be (the grammar's categories).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Category {
    /// An `<id>`.
    Id,
    /// A literal number or string.
    Literal,
    /// One enumerant, in one word.
    ValueEnum,
    /// A mask of enumerants, in one word.
    BitEnum,
    /// A pair of the above.
    Composite,
}

/// One operand of an instruction or of an enumerant.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Operand {
    /// Its kind.
    pub kind: OperandKind,
    /// How often it occurs.
    pub quantifier: Quantifier,
    pub(crate) name: Name,
}

impl Operand {
    /// The label that follows a literal in `OpSwitch`: second half of a `PairLiteralIntegerIdRef`.
    pub const LABEL: &'static Operand = &OPERANDS[operands::LABEL];
    /// The member that follows a target in `OpGroupMemberDecorate`: second half of a `PairIdRefLiteralInteger`.
    pub const MEMBER: &'static Operand = &OPERANDS[operands::MEMBER];
    /// The block from which a value comes in `OpPhi`: second half of a `PairIdRefIdRef`.
    pub const PARENT: &'static Operand = &OPERANDS[operands::PARENT];
    /// [`PARENT`](Self::PARENT) in text: a phi with a variable that lacks its parent can be written, and is for a
    /// validator to judge.
    pub const OPTIONAL_PARENT: &'static Operand = &OPERANDS[operands::OPTIONAL_PARENT];
    /// The operands of an instruction that the grammar does not know: any number of ids.
    pub const ANY_IDS: &'static Operand = &OPERANDS[operands::ANY_IDS];

    /// Its name in the specification, or the empty string where the grammar gives none.
    pub fn name(&self) -> &'static str {
        self.name.of(OPERAND_TEXT)
    }

    /// Whether it is exactly one word of a literal number.
    pub(crate) const fn is_literal_word(&self) -> bool {
        let literal = matches!(self.kind, OperandKind::LiteralInteger | OperandKind::LiteralFloat);
        literal && matches!(self.quantifier, Quantifier::One)
    }
}

/// The minor number standing for "in no core version".
pub(crate) const NEVER: u8 = 0xff;

/// What an instruction, an enumerant or an extended instruction needs in order to be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Needs {
    pub(crate) caps: u16,
    pub(crate) exts: u16,
    pub(crate) min: u8,
    pub(crate) last: u8,
}

macro_rules! needs {
    () => {
        /// Capabilities of which one must be declared; empty where none is needed.
        #[inline]
        pub fn capabilities(&self) -> &'static CapSet {
            &CAP_SETS[self.needs.caps as usize]
        }

        /// Whether any capability is needed.
        #[inline]
        pub const fn needs_capability(&self) -> bool {
            self.needs.caps != 0
        }

        /// Extensions that bring it; it may also be in core, see [`min_version`](Self::min_version).
        pub fn extensions(&self) -> &'static [Extension] {
            let (first, count) = EXT_SETS[self.needs.exts as usize];
            &EXT_SET_MEMBERS[first as usize..first as usize + count as usize]
        }

        /// First core version that has it; `None` where only an extension or a capability brings it.
        pub fn min_version(&self) -> Option<Version> {
            (self.needs.min != NEVER).then(|| Version::v1(self.needs.min))
        }

        /// Last core version that has it, where it was removed.
        pub fn last_version(&self) -> Option<Version> {
            (self.needs.last != NEVER).then(|| Version::v1(self.needs.last))
        }

        /// True where it is in every version and needs neither a capability nor an extension.
        #[inline]
        pub const fn is_free(&self) -> bool {
            self.needs.caps == 0 && self.needs.min == 0 && self.needs.last == NEVER
        }
    };
}

/// An instruction.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct InstDesc {
    pub(crate) name: Name,
    pub(crate) first: u16,
    pub(crate) count: u8,
    /// Section of the specification that defines it (§3.3.1 – §3.3.27).
    pub class: Class,
    /// Number of words it has at least, the first one included.
    pub min_words: u8,
    pub(crate) flags: u16,
    /// Opcode.
    pub op: Op,
    /// Position of the row among all instructions, `0..Op::COUNT`.
    pub row: u16,
    pub(crate) needs: Needs,
}

pub(crate) const HAS_TYPE: u16 = 1;
pub(crate) const HAS_RESULT: u16 = 2;
pub(crate) const FIXED: u16 = 4;
pub(crate) const ID_TAIL: u16 = 16;
pub(crate) const LITERAL_TAIL: u16 = 32;
pub(crate) const TYPE: u16 = 64;
pub(crate) const CONSTANT: u16 = 128;
pub(crate) const PLAIN: u16 = 256;
pub(crate) const STRING_TAIL: u16 = 512;
const RESULTS: u16 = HAS_TYPE | HAS_RESULT;

impl InstDesc {
    needs!();

    /// Its name with the `Op` prefix.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name.of(INST_TEXT)
    }

    /// Its operands in order, result type and result id included.
    #[inline]
    pub const fn operands(&self) -> &'static [Operand] {
        OPERANDS.as_slice().split_at(self.first as usize).1.split_at(self.count as usize).0
    }

    /// Whether its first operand is an `IdResultType`.
    #[inline]
    pub const fn has_result_type(&self) -> bool {
        self.flags & HAS_TYPE != 0
    }

    /// Whether it has an `IdResult`.
    #[inline]
    pub const fn has_result(&self) -> bool {
        self.flags & HAS_RESULT != 0
    }

    /// Word position of the result id within the instruction: 1, 2, or 0 where there is none.
    #[inline]
    pub const fn result_word(&self) -> usize {
        match self.flags & RESULTS {
            HAS_RESULT => 1,
            RESULTS => 2,
            _ => 0,
        }
    }

    /// Whether every operand takes exactly one word, so that the instruction has exactly
    /// [`min_words`](Self::min_words) words, save for a list at its end (see the two below).
    #[inline]
    pub const fn is_fixed(&self) -> bool {
        self.flags & FIXED != 0
    }

    /// Whether, after operands of one word each, a list of ids ends the instruction.
    #[inline]
    pub const fn has_id_tail(&self) -> bool {
        self.flags & ID_TAIL != 0
    }

    /// Whether, after operands of one word each, a list of one-word literals ends the instruction.
    #[inline]
    pub const fn has_literal_tail(&self) -> bool {
        self.flags & LITERAL_TAIL != 0
    }

    /// Whether, after operands of one word each, a string ends the instruction.
    #[inline]
    pub const fn has_string_tail(&self) -> bool {
        self.flags & STRING_TAIL != 0
    }

    /// Whether it declares a type and names it by its result id.
    #[inline]
    pub const fn is_type(&self) -> bool {
        self.flags & TYPE != 0
    }

    /// Whether it is a constant instruction (§3.3.7), specialisation constants included.
    #[inline]
    pub const fn is_constant(&self) -> bool {
        self.flags & CONSTANT != 0
    }

    /// Whether the mandatory operands come first and take exactly one word each, and none has parameters: what follows
    /// word [`min_words`](Self::min_words) is optional.
    #[inline]
    pub const fn has_plain_start(&self) -> bool {
        self.flags & PLAIN != 0
    }
}

/// By opcode: its row, or a number that no row has.
static OP_ROWS: [u16; INSTS[INSTS.len() - 1].op.0 as usize + 1] = {
    let mut rows = [u16::MAX; INSTS[INSTS.len() - 1].op.0 as usize + 1];
    let mut i = 0;
    while i < INSTS.len() {
        rows[INSTS[i].op.0 as usize] = i as u16;
        i += 1;
    }
    rows
};

/// A constant table by opcode, `[T; Op::LIMIT]`: a `const fn(&InstDesc) -> T` makes the entry of each known opcode, `$unknown`
/// is that of all others. A look-up needs no search for the instruction's row.
#[macro_export]
macro_rules! op_table {
    ($unknown:expr, $row:path) => {{
        let mut table = [$unknown; $crate::Op::LIMIT];
        let mut i = 0;
        while i < $crate::Op::COUNT {
            let desc = &$crate::Op::all()[i];
            table[desc.op.0 as usize] = $row(desc);
            i += 1;
        }
        table
    }};
}

impl Op {
    /// The instruction's row, or `None` for an opcode that the grammar does not know.
    #[inline]
    pub fn desc(self) -> Option<&'static InstDesc> {
        INSTS.get(usize::from(*OP_ROWS.get(usize::from(self.0))?))
    }

    /// The name with the `Op` prefix.
    pub fn name(self) -> Option<&'static str> {
        self.desc().map(|d| d.name())
    }

    /// Looks an opcode up by its name, canonical or alias, with or without the `Op` prefix.
    #[inline]
    pub fn from_name(name: impl AsRef<[u8]>) -> Option<Op> {
        let name = name.as_ref();
        crate::names::op(name.strip_prefix(b"Op").unwrap_or(name)).map(|i| Op(OP_NAMES[i].value))
    }

    /// Every name the grammar knows with its opcode, without the `Op` prefix, aliases included, sorted by name.
    pub fn names() -> impl ExactSizeIterator<Item = (&'static str, Op)> {
        OP_NAMES.iter().map(|n| (n.name.of(OP_TEXT), Op(n.value)))
    }

    /// Number of known instructions.
    pub const COUNT: usize = crate::generated::ops::INST_COUNT;

    /// One more than the largest known opcode: the length of a table by opcode ([`op_table!`](crate::op_table)).
    pub const LIMIT: usize = INSTS[Op::COUNT - 1].op.0 as usize + 1;

    /// Every known instruction in ascending order of opcode.
    pub const fn all() -> &'static [InstDesc] {
        &INSTS
    }
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.name() {
            Some(n) => f.write_str(n),
            None => write!(f, "Op{}", self.0),
        }
    }
}

/// One enumerant of an operand kind.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Enumerant {
    /// Its value; for a mask, the bit (or 0 for `None`).
    pub value: u32,
    pub(crate) name: Name,
    pub(crate) first: u16,
    pub(crate) count: u8,
    pub(crate) needs: Needs,
}

impl Enumerant {
    needs!();

    /// Its canonical name.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name.of(ENUMERANT_TEXT)
    }

    /// Operands that follow when it is used.
    #[inline]
    pub const fn parameters(&self) -> &'static [Operand] {
        OPERANDS.as_slice().split_at(self.first as usize).1.split_at(self.count as usize).0
    }
}

impl OperandKind {
    /// Enumerants of the kind in ascending order of value; empty where it is not an enumeration.
    pub const fn enumerants(self) -> &'static [Enumerant] {
        let (first, count) = ENUM_RANGES[self as usize];
        ENUMERANTS.as_slice().split_at(first as usize).1.split_at(count as usize).0
    }

    /// The enumerant with this value; for a mask, `value` is one bit (or 0).
    #[inline]
    pub fn enumerant(self, value: u32) -> Option<&'static Enumerant> {
        let all = self.enumerants();
        // Small values come without gaps in most kinds.
        if let Some(e) = all.get(value as usize)
            && e.value == value
        {
            return Some(e);
        }
        all.binary_search_by_key(&value, |e| e.value).ok().map(|i| &all[i])
    }

    /// Names of the kind with their values, aliases included, sorted by name.
    pub fn names(self) -> impl ExactSizeIterator<Item = (&'static str, u32)> {
        let (first, count) = ENUM_NAME_RANGES[self as usize];
        ENUM_NAMES[first as usize..first as usize + count as usize].iter().map(|n| (n.name.of(ENUM_TEXT), n.value))
    }

    /// Looks a value up by its name, canonical or alias.
    #[inline]
    pub fn value_of(self, name: impl AsRef<[u8]>) -> Option<u32> {
        crate::names::enumerant(self as usize, name.as_ref()).map(|i| ENUM_NAMES[i].value)
    }

    /// Writes a value by name; masks as `A|B`, what the grammar does not know as a number.
    pub fn fmt_value(self, value: u32, f: &mut dyn fmt::Write) -> fmt::Result {
        if let Some(e) = self.enumerant(value) {
            return f.write_str(e.name());
        }
        if self.category() != Category::BitEnum {
            return write!(f, "{value}");
        }
        let (mut left, mut first) = (value, true);
        while left != 0 {
            let bit = left & left.wrapping_neg();
            if !core::mem::take(&mut first) {
                f.write_char('|')?;
            }
            match self.enumerant(bit) {
                Some(e) => f.write_str(e.name())?,
                None => write!(f, "{bit:#x}")?,
            }
            left &= !bit;
        }
        Ok(())
    }

    /// Whether the kind is an `<id>` of any sort.
    #[inline]
    pub fn is_id(self) -> bool {
        self.category() as u8 == Category::Id as u8
    }
}

/// An extension that the grammar names, as a dense index.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Extension(pub(crate) u16);

impl Extension {
    /// Its name, as `OpExtension` spells it.
    pub fn name(self) -> &'static str {
        EXTENSIONS[self.0 as usize]
    }

    /// Looks an extension up by its name. `None` where nothing in the grammar depends on it.
    pub fn from_name(name: &[u8]) -> Option<Extension> {
        EXTENSIONS.binary_search_by_key(&name, |e| e.as_bytes()).ok().map(|i| Extension(i as u16))
    }

    /// Position among all extensions of the grammar, `0..Extension::COUNT`.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// Number of extensions that the grammar names.
    pub const COUNT: usize = EXTENSIONS.len();
}

impl fmt::Debug for Extension {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An instruction of an extended instruction set.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct ExtInstDesc {
    pub(crate) name: Name,
    /// Its number in the set.
    pub number: u32,
    pub(crate) first: u16,
    pub(crate) count: u8,
    /// Number of ids that it takes at least, where ids are all that it takes.
    pub(crate) ids: u8,
    pub(crate) needs: Needs,
}

/// In place of a number of ids.
pub(crate) const NOT_ONLY_IDS: u8 = u8::MAX;

impl ExtInstDesc {
    needs!();

    /// Whether operands of `words` words can only be so many ids.
    #[inline]
    pub fn takes_ids(&self, words: usize) -> bool {
        (usize::from(self.ids)..=usize::from(self.count)).contains(&words)
    }

    /// Its name.
    #[inline]
    pub fn name(&self) -> &'static str {
        self.name.of(EXT_INST_TEXT)
    }

    /// The operands after the instruction number.
    #[inline]
    pub fn operands(&self) -> &'static [Operand] {
        &OPERANDS[self.first as usize..self.first as usize + self.count as usize]
    }
}

/// Capabilities by value: which of the second table's pages holds the value, and there the dense index plus 1. The first
/// page is empty.
static CAPABILITY_PAGES: ([u8; CAPABILITY_PAGE_COUNT], [[u16; 64]; USED_CAPABILITY_PAGES + 1]) = {
    let (mut pages, mut rows) = ([0; CAPABILITY_PAGE_COUNT], [[0; 64]; USED_CAPABILITY_PAGES + 1]);
    let all = OperandKind::Capability.enumerants();
    let (mut i, mut used) = (0, 0);
    while i < all.len() {
        let value = all[i].value as usize;
        if pages[value / 64] == 0 {
            used += 1;
            pages[value / 64] = used;
        }
        rows[pages[value / 64] as usize][value % 64] = i as u16 + 1;
        i += 1;
    }
    (pages, rows)
};

const CAPABILITY_PAGE_COUNT: usize = {
    let all = OperandKind::Capability.enumerants();
    all[all.len() - 1].value as usize / 64 + 1
};

const USED_CAPABILITY_PAGES: usize = {
    let all = OperandKind::Capability.enumerants();
    let (mut i, mut used) = (1, 1);
    while i < all.len() {
        used += (all[i].value / 64 != all[i - 1].value / 64) as usize;
        i += 1;
    }
    used
};

impl Capability {
    /// Position among all capabilities of the grammar, ascending by value; `None` for unknown ones.
    ///
    /// For a capability that is known when the code is compiled, so is the position.
    #[inline]
    pub fn dense_index(self) -> Option<usize> {
        let page = *CAPABILITY_PAGES.0.get(self.0 as usize / 64)? as usize;
        let dense = CAPABILITY_PAGES.1[page][self.0 as usize % 64];
        (dense != 0).then(|| dense as usize - 1)
    }

    /// All capabilities of the grammar, ascending by value.
    pub fn all() -> impl ExactSizeIterator<Item = Capability> {
        OperandKind::Capability.enumerants().iter().map(|e| Capability(e.value))
    }

    /// The capability itself and everything it implicitly declares, transitively; `None` for unknown ones.
    pub fn implied(self) -> Option<&'static CapSet> {
        self.dense_index().map(|i| &crate::generated::caps::IMPLIED[i])
    }
}

macro_rules! debug_by_name {
    ($($row:ident)*) => {$(
        impl fmt::Debug for $row {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($row)).field("name", &self.name()).finish_non_exhaustive()
            }
        }
    )*};
}

debug_by_name!(Operand InstDesc Enumerant ExtInstDesc);
