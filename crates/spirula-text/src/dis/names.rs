//! Names for ids that people can read.

use core::hash::BuildHasher as _;

use hashbrown::{DefaultHashBuilder, HashTable};
use spirula_binary::{Context as _, Frames, Id, Inst, LitStr};
use spirula_grammar::{AccessQualifier, BuiltIn, Decoration, FPEncoding, Op, OperandKind, StorageClass};

use super::ids::{IdMap, LiteralTypes};
use crate::number::print;

/// Names from `OpName`, built-in variables, types and constants: `%main`, `%gl_Position`, `%v4float`, `%uint_3`.
///
/// No two ids have the same name. Ids without a name keep their number.
#[derive(Clone, Debug)]
pub struct Names {
    /// All names, each behind ` %`.
    text: String,
    /// Where they are in it.
    spans: Vec<Span>,
    /// For each id the position of its span from [`FIRST`] on, or [`NUMBER`]; 0 where nothing is known.
    slots: IdMap<u32>,
}

/// Where a name is in the text.
#[derive(Clone, Copy, Debug)]
struct Span {
    start: u32,
    len: u32,
}

/// Marks an id that is called by its number, so that no other id may be called that.
const NUMBER: u32 = 1;
/// The slot of the first name.
const FIRST: u32 = 2;

/// Longer names are not used: types name other types, so their names could grow without bound, and one long name used
/// often would make the text of a small module arbitrarily large.
const LONGEST: usize = 255;

impl Names {
    /// Names the ids of a module.
    pub fn of(module: &[u32]) -> Names {
        let mut naming = Naming::new(module);
        for inst in Frames::of(module).map_while(Result::ok) {
            naming.instruction(inst);
        }
        naming.names
    }

    /// The name of `id`, without `%`; `None` where its number is all there is.
    pub fn get(&self, id: Id) -> Option<&str> {
        self.spelling(id).and_then(|s| s.get(2..))
    }

    /// The name of `id` as it stands between operands: ` %name`.
    #[inline]
    pub(crate) fn spelling(&self, id: Id) -> Option<&str> {
        let span = self.slots.get(id).checked_sub(FIRST)?;
        let Span { start, len } = *self.spans.get(span as usize)?;
        self.text.get(start as usize..start as usize + len as usize)
    }
}

/// A name that is in use.
#[derive(Clone, Copy)]
struct Used {
    start: u32,
    len: u32,
    /// The number to try next behind it, should it be wanted again.
    next: u32,
}

/// [`Names`] in the making.
struct Naming {
    names: Names,
    types: LiteralTypes,
    used: HashTable<Used>,
    hasher: DefaultHashBuilder,
    /// The name being made.
    name: String,
    /// Whether a name looks like a number.
    any_numeral: bool,
}

impl Naming {
    fn new(module: &[u32]) -> Naming {
        Naming {
            names: Names { text: String::new(), spans: Vec::new(), slots: IdMap::new(module) },
            types: LiteralTypes::new(module),
            used: HashTable::new(),
            hasher: DefaultHashBuilder::default(),
            name: String::new(),
            any_numeral: false,
        }
    }

    #[inline]
    fn instruction(&mut self, inst: Inst<'_>) {
        let op = inst.op();
        match op {
            Op::Name => self.op_name(inst),
            Op::Decorate => self.decorate(inst),
            Op::Constant | Op::ConstantTrue | Op::ConstantFalse => self.derive(inst),
            _ => {
                let Some(at) = op.desc().map(|d| d.result_word()) else { return };
                // Types have a result and no type; so have labels and a few others, which get their number below.
                if at == 1 && op != Op::Label {
                    self.derive(inst);
                } else if at != 0 {
                    self.keep_number(inst.id(at));
                }
            }
        }
    }

    fn op_name(&mut self, inst: Inst<'_>) {
        if let Some(name) = LitStr::read(inst.tail(2)) {
            self.name.clear();
            sanitize(&mut self.name, &name.to_bytes());
            if self.name.len() <= LONGEST {
                self.assign(inst.id(1));
            } else {
                self.keep_number(inst.id(1));
            }
        }
    }

    fn decorate(&mut self, inst: Inst<'_>) {
        if Decoration(inst.word(2)) == Decoration::BuiltIn && inst.words().len() > 3 {
            self.name.clear();
            if builtin(&mut self.name, BuiltIn(inst.word(3))) {
                self.assign(inst.id(1));
            }
        }
    }

    fn derive(&mut self, inst: Inst<'_>) {
        let Some(desc) = inst.desc() else { return };
        // Of what there is to name, only types say anything of others.
        if desc.result_word() == 1 {
            self.types.note(inst, desc);
        }
        let id = inst.id(desc.result_word());
        if self.names.slots.get(id) != 0 {
            return;
        }
        self.name.clear();
        if self.describe(inst) && self.name.len() <= LONGEST {
            self.assign(id);
        } else {
            self.keep_number(id);
        }
    }

    /// Makes the name that a type or constant has by itself; false where it has none.
    fn describe(&mut self, inst: Inst<'_>) -> bool {
        match inst.op() {
            Op::TypeVoid => self.name.push_str("void"),
            Op::TypeBool => self.name.push_str("bool"),
            Op::TypeInt => self.integer(inst.word(2), inst.word(3) != 0),
            Op::TypeFloat => self.float(inst),
            Op::TypeVector => {
                self.numbered("v", inst.word(3));
                self.part(inst.id(2));
            }
            Op::TypeMatrix => {
                self.numbered("mat", inst.word(3));
                self.part(inst.id(2));
            }
            Op::TypeArray => {
                self.name.push_str("_arr_");
                self.part(inst.id(2));
                self.name.push('_');
                self.part(inst.id(3));
            }
            Op::TypeRuntimeArray => {
                self.name.push_str("_runtimearr_");
                self.part(inst.id(2));
            }
            Op::TypeNodePayloadArrayAMDX => {
                self.name.push_str("_payloadarr_");
                self.part(inst.id(2));
            }
            Op::TypePointer => {
                self.enumerant("_ptr_", StorageClass::KIND, inst.word(2));
                self.name.push('_');
                self.part(inst.id(3));
            }
            Op::TypeUntypedPointerKHR => self.enumerant("_ptr_", StorageClass::KIND, inst.word(2)),
            Op::TypePipe => self.enumerant("Pipe", AccessQualifier::KIND, inst.word(2)),
            Op::TypeStruct => self.numbered("_struct_", inst.word(1)),
            Op::TypeOpaque => {
                self.name.push_str("Opaque_");
                if let Some(name) = LitStr::read(inst.tail(2)) {
                    sanitize(&mut self.name, &name.to_bytes());
                }
            }
            Op::TypeEvent => self.name.push_str("Event"),
            Op::TypeDeviceEvent => self.name.push_str("DeviceEvent"),
            Op::TypeReserveId => self.name.push_str("ReserveId"),
            Op::TypeQueue => self.name.push_str("Queue"),
            Op::TypePipeStorage => self.name.push_str("PipeStorage"),
            Op::TypeNamedBarrier => self.name.push_str("NamedBarrier"),
            Op::ConstantTrue => self.name.push_str("true"),
            Op::ConstantFalse => self.name.push_str("false"),
            Op::Constant => return self.constant(inst),
            _ => return false,
        }
        true
    }

    fn integer(&mut self, width: u32, signed: bool) {
        let root = match width {
            8 => "char",
            16 => "short",
            32 => "int",
            64 => "long",
            _ => return self.numbered(if signed { "i" } else { "u" }, width),
        };
        if !signed {
            self.name.push('u');
        }
        self.name.push_str(root);
    }

    fn float(&mut self, inst: Inst<'_>) {
        if inst.words().len() > 3 {
            match FPEncoding(inst.word(3)) {
                FPEncoding::BFloat16KHR => return self.name.push_str("bfloat16"),
                FPEncoding::Float8E4M3EXT => return self.name.push_str("fp8e4m3"),
                FPEncoding::Float8E5M2EXT => return self.name.push_str("fp8e5m2"),
                FPEncoding::Float6E2M3EXT => return self.name.push_str("fp6e2m3"),
                FPEncoding::Float6E3M2EXT => return self.name.push_str("fp6e3m2"),
                FPEncoding::Float4E2M1EXT => return self.name.push_str("fp4e2m1"),
                FPEncoding::Float8UnsignedE8M0EXT => return self.name.push_str("fp8e8m0"),
                FPEncoding::MXInt8EXT => return self.name.push_str("mxint8"),
                _ => {}
            }
        }
        match inst.word(2) {
            16 => self.name.push_str("half"),
            32 => self.name.push_str("float"),
            64 => self.name.push_str("double"),
            width => self.numbered("fp", width),
        }
    }

    fn constant(&mut self, inst: Inst<'_>) -> bool {
        let Some(number) = self.types.number(inst.id(1)) else { return false };
        self.part(inst.id(1));
        self.name.push('_');
        let start = self.name.len();
        print::number(&mut self.name, number, inst.tail(3));
        // A minus sign must not make two values alike.
        let value = self.name.split_off(start);
        self.name.extend(value.bytes().map(|b| match b {
            b'-' => 'n',
            b'.' | b'+' => '_',
            _ => b.into(),
        }));
        true
    }

    fn numbered(&mut self, prefix: &str, number: u32) {
        self.name.push_str(prefix);
        print::unsigned(&mut self.name, number.into());
    }

    fn enumerant(&mut self, prefix: &str, kind: OperandKind, value: u32) {
        match kind.enumerant(value) {
            Some(e) => {
                self.name.push_str(prefix);
                self.name.push_str(e.name());
            }
            None => self.numbered(prefix, value),
        }
    }

    /// Appends the name that `id` has so far.
    fn part(&mut self, id: Id) {
        match self.names.get(id) {
            Some(name) => self.name.push_str(name),
            None => print::unsigned(&mut self.name, id.0.into()),
        }
    }

    fn keep_number(&mut self, id: Id) {
        if self.names.slots.get(id) != 0 {
            return;
        }
        if self.any_numeral {
            self.name.clear();
            print::unsigned(&mut self.name, id.0.into());
            if self.find().is_some() {
                return self.assign(id);
            }
        }
        self.names.slots.set(id, NUMBER);
    }

    fn find(&self) -> Option<Used> {
        let (text, name) = (self.names.text.as_bytes(), self.name.as_bytes());
        self.used.find(self.hasher.hash_one(name), |u| u.name(text) == name).copied()
    }

    /// Whether the name in the making is some other id's number.
    fn is_number_in_use(&self) -> bool {
        let Some(id) = numeral(&self.name) else { return false };
        self.names.slots.get(id) == NUMBER
    }

    /// Gives `id` the name in the making, with a number behind it where it is in use.
    fn assign(&mut self, id: Id) {
        if self.names.slots.get(id) != 0 {
            return;
        }
        if numeral(&self.name).is_some() {
            self.any_numeral = true;
        }
        let base = self.name.len();
        let taken = self.find().is_some() || self.is_number_in_use() && self.store().is_some();
        if taken {
            let mut next = self.find().map_or(0, |u| u.next);
            loop {
                self.name.truncate(base);
                self.name.push('_');
                print::unsigned(&mut self.name, next.into());
                next += 1;
                if self.find().is_none() {
                    break;
                }
            }
            self.continue_at(base, next);
        }
        let Some(slot) = self.store() else { return };
        self.names.slots.set(id, slot);
    }

    /// Remembers which number to try next behind the first `base` bytes of the name in the making.
    fn continue_at(&mut self, base: usize, next: u32) {
        let (text, name) = (self.names.text.as_bytes(), self.name.as_bytes());
        let name = name.get(..base).unwrap_or(name);
        let hash = self.hasher.hash_one(name);
        if let Some(used) = self.used.find_mut(hash, |u| u.name(text) == name) {
            used.next = next;
        }
    }

    /// Keeps the name in the making and returns its slot.
    fn store(&mut self) -> Option<u32> {
        let start = self.names.text.len();
        self.names.text.push_str(" %");
        self.names.text.push_str(&self.name);
        let span = Span { start: u32::try_from(start).ok()?, len: u32::try_from(self.names.text.len() - start).ok()? };
        let slot = FIRST + u32::try_from(self.names.spans.len()).ok()?;
        self.names.spans.push(span);
        let (text, hasher) = (self.names.text.as_bytes(), &self.hasher);
        self.used.insert_unique(
            hasher.hash_one(self.name.as_bytes()),
            Used { start: span.start, len: span.len, next: 0 },
            |u| hasher.hash_one(u.name(text)),
        );
        Some(slot)
    }
}

impl Used {
    fn name(self, text: &[u8]) -> &[u8] {
        text.get(self.start as usize + 2..self.start as usize + self.len as usize).unwrap_or(&[])
    }
}

/// The id whose number this is.
fn numeral(name: &str) -> Option<Id> {
    if !name.starts_with(|c: char| c.is_ascii_digit()) || name.len() > 1 && name.starts_with('0') {
        return None;
    }
    name.parse().ok().map(Id)
}

/// Appends the bytes with those replaced that no name in text can have; never nothing.
fn sanitize(out: &mut String, bytes: &[u8]) {
    if bytes.is_empty() {
        out.push('_');
    }
    out.extend(bytes.iter().map(|b| if b.is_ascii_alphanumeric() { char::from(*b) } else { '_' }));
}

/// Names of built-in variables are GLSL's as far as OpenGL and OpenCL had them at the beginning; later ones have none.
fn builtin(out: &mut String, builtin: BuiltIn) -> bool {
    let Some(name) = builtin.name() else { return false };
    match builtin.0 {
        0..=29 | 42 | 43 | 4425 => {
            out.push_str("gl_");
            match (name, name.strip_suffix("Id")) {
                (_, Some("Workgroup")) => out.push_str("WorkGroupID"),
                (_, Some(stem)) => {
                    out.push_str(stem);
                    out.push_str("ID");
                }
                ("NumWorkgroups", _) => out.push_str("NumWorkGroups"),
                ("WorkgroupSize", _) => out.push_str("WorkGroupSize"),
                _ => out.push_str(name),
            }
        }
        30..=41 => out.push_str(name),
        4416..=4420 => {
            out.push_str(name);
            if !name.ends_with("KHR") {
                out.push_str("KHR");
            }
        }
        _ => return false,
    }
    true
}
