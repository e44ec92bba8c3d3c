//! Prints the tables of `spirula-grammar`.

use std::fmt::Write as _;

use anyhow::{Context, Result};

use super::json;
use super::model::{Interner, Model, class_ident, ident};
use super::sets::SETS;

type File = (&'static str, String);

struct Tables<'m> {
    model: &'m Model,
    cap_sets: Interner<Vec<u16>>,
    ext_sets: Interner<Vec<u16>>,
    /// All operand rows; shapes are runs in it.
    operands: Vec<String>,
    shapes: std::collections::BTreeMap<Vec<String>, usize>,
}

pub fn grammar_files(model: &Model) -> Result<Vec<File>> {
    let mut t = Tables {
        model,
        cap_sets: Interner::new(vec![vec![]]),
        ext_sets: Interner::new(vec![vec![]]),
        operands: vec![],
        shapes: Default::default(),
    };
    let ops = ops(&mut t)?;
    let enums = enums(&mut t)?;
    let extinst = extinst(&mut t)?;
    let (caps, exts, operands) = (caps(&t)?, exts(&t), operands(&t));
    macro_rules! at {
        ($f:literal) => {
            concat!("crates/spirula-grammar/src/generated/", $f)
        };
    }
    Ok(vec![
        (at!("mod.rs"), module(model)),
        (at!("kinds.rs"), kinds(model)),
        (at!("ops.rs"), ops),
        (at!("enums.rs"), enums),
        (at!("extinst.rs"), extinst),
        (at!("caps.rs"), caps),
        (at!("exts.rs"), exts),
        (at!("operands.rs"), operands),
    ])
}

fn module(model: &Model) -> String {
    let mut s = String::new();
    for m in ["caps", "enums", "extinst", "exts", "kinds", "operands", "ops"] {
        writeln!(s, "pub(crate) mod {m};").ok();
    }
    writeln!(s, "pub(crate) const GRAMMAR_COMMIT: &str = {:?};", model.commit).ok();
    s
}

impl Tables<'_> {
    /// `first, count` of a run of operands.
    fn shape(&mut self, ops: &[json::Operand], set: Option<usize>) -> Result<(usize, usize)> {
        let rows = ops
            .iter()
            .map(|o| {
                let quantifier = match o.quantifier.as_deref() {
                    None => "One",
                    Some("?") => "Optional",
                    Some("*") => "Many",
                    Some(q) => anyhow::bail!("unknown quantifier {q}"),
                };
                let kind = &self.model.kind(&o.kind, set)?.ident;
                let name = o.name.replace(['\n', '\''], " ");
                Ok(format!("o({kind}, {quantifier}, {:?})", name.trim()))
            })
            .collect::<Result<Vec<_>>>()?;
        let count = rows.len();
        if count == 0 {
            return Ok((0, 0));
        }
        if let Some(&at) = self.shapes.get(&rows) {
            return Ok((at, count));
        }
        let at = self.operands.len();
        self.operands.extend(rows.iter().cloned());
        self.shapes.insert(rows, at);
        Ok((at, count))
    }

    fn needs(&mut self, n: &json::Needs) -> Result<String> {
        let mut caps = n.capabilities.iter().map(|c| self.model.capability(c)).collect::<Result<Vec<_>>>()?;
        caps.sort();
        caps.dedup();
        let mut exts = n
            .extensions
            .iter()
            .map(|e| self.model.extensions.iter().position(|x| x == e).map(|i| i as u16).context("extension"))
            .collect::<Result<Vec<_>>>()?;
        exts.sort();
        let (caps, exts) = (self.cap_sets.add(caps), self.ext_sets.add(exts));
        let min = match n.version.as_deref() {
            None => "0".to_string(),
            Some("None") => "NEVER".to_string(),
            Some(v) => minor(v)?,
        };
        let last = n.last_version.as_deref().map_or(Ok("NEVER".to_string()), minor)?;
        Ok(format!("n({caps}, {exts}, {min}, {last})"))
    }
}

fn minor(v: &str) -> Result<String> {
    Ok(v.strip_prefix("1.").context("a version that is not 1.x")?.to_string())
}

fn kinds(model: &Model) -> String {
    let mut s = String::from("use crate::desc::Category;\n\n");
    s += "/// Section of the specification that defines an instruction (§3.3.1 – §3.3.27).\n";
    s += "#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\n#[repr(u8)]\npub enum Class {\n";
    for (id, heading) in &model.classes {
        writeln!(s, "    /// {heading}\n    {id},").ok();
    }
    s += "}\n\nimpl Class {\n    /// Heading of the section.\n    pub fn heading(self) -> &'static str {\n        match self {\n";
    for (id, heading) in &model.classes {
        writeln!(s, "            Class::{id} => {heading:?},").ok();
    }
    s += "        }\n    }\n}\n\n/// Kind of an operand.\n#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]\n#[repr(u8)]\npub enum OperandKind {\n";
    for k in &model.kinds {
        writeln!(s, "    {},", k.ident).ok();
    }
    s += "}\n\nimpl OperandKind {\n    /// All kinds, in the order of their discriminants.\n    pub const ALL: &'static [OperandKind] = &[\n";
    for k in &model.kinds {
        writeln!(s, "        OperandKind::{},", k.ident).ok();
    }
    s += "    ];\n\n    /// Its category.\n    #[inline]\n    pub const fn category(self) -> Category {\n        CATEGORIES[self as usize]\n    }\n\n";
    s += "    /// Its name in the grammar.\n    pub fn name(self) -> &'static str {\n        NAMES[self as usize]\n    }\n}\n\n";
    s += "const CATEGORIES: &[Category] = &[\n";
    for k in &model.kinds {
        writeln!(s, "    Category::{},", k.category).ok();
    }
    s += "];\n\nconst NAMES: &[&str] = &[\n";
    for k in &model.kinds {
        writeln!(s, "    {:?},", k.name).ok();
    }
    s += "];\n";
    s
}

fn ops(t: &mut Tables<'_>) -> Result<String> {
    let mut s = String::from(
        "use crate::desc::{CONSTANT, FIXED, HAS_RESULT, HAS_TYPE, ID_TAIL, InstDesc, LITERAL_TAIL, NEVER, Needs, PLAIN, STRING_TAIL, TYPE};\nuse crate::text::{Name, Named};\nuse super::kinds::Class::{self, *};\n\n\
         /// An opcode.\n#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]\npub struct Op(pub u16);\n\nimpl Op {\n",
    );
    for i in &t.model.insts {
        writeln!(s, "    pub const {}: Op = Op({});", i.opname.trim_start_matches("Op"), i.opcode).ok();
    }
    s += "}\n\nconst fn n(caps: u16, exts: u16, min: u8, last: u8) -> Needs {\n    Needs { caps, exts, min, last }\n}\n\n";
    s += "#[allow(clippy::too_many_arguments)]\nconst fn i(row: u16, opcode: u16, name: &'static str, class: Class, flags: u16, min_words: u8, first: u16, count: u8, needs: Needs) -> (&'static str, InstDesc) {\n    (name, InstDesc { name: Name::UNSET, first, count, class, min_words, flags, op: Op(opcode), row, needs })\n}\n\nconst fn v(name: &'static str, value: u16) -> (&'static str, Named<u16>) {\n    (name, Named { name: Name::UNSET, value })\n}\n\n";
    let model = t.model;
    writeln!(
        s,
        "pub(crate) const INST_COUNT: usize = {};\n\npub(crate) const INST_ROWS: &[(&str, InstDesc)] = &[",
        model.insts.len()
    )
    .ok();
    for (row, i) in model.insts.iter().enumerate() {
        let class = class_ident(i.class.as_deref().context("an instruction without class")?);
        let flags = flags(model, i)?;
        let one = |o: &&json::Operand| o.quantifier.is_none();
        let words =
            1 + i.operands.iter().filter(one).map(|o| if o.kind.starts_with("Pair") { 2 } else { 1 }).sum::<usize>();
        let (first, count) = t.shape(&i.operands, None)?;
        let needs = t.needs(&i.needs)?;
        writeln!(
            s,
            "    i({row}, {}, {:?}, {class}, {flags}, {words}, {first}, {count}, {needs}),",
            i.opcode, i.opname
        )
        .ok();
    }
    s += "];\n\n";
    let mut names: Vec<(&str, u32)> = model
        .insts
        .iter()
        .flat_map(|i| std::iter::once(&i.opname).chain(&i.aliases).map(|n| (n.trim_start_matches("Op"), i.opcode)))
        .collect();
    names.sort();
    s += "/// Without `Op`, aliases included, sorted.\npub(crate) const OP_NAME_ROWS: &[(&str, Named<u16>)] = &[\n";
    for (n, op) in names {
        writeln!(s, "    v({n:?}, {op}),").ok();
    }
    s += "];\n";
    Ok(s)
}

fn flags(model: &Model, i: &json::Instruction) -> Result<String> {
    let operands = &i.operands;
    let mut flags = vec![];
    let has = |kind: &str| operands.iter().any(|o| o.kind == kind);
    if has("IdResultType") {
        flags.push("HAS_TYPE");
    }
    if has("IdResult") {
        flags.push("HAS_RESULT");
    }
    if i.opname.starts_with("OpType") && has("IdResult") {
        flags.push("TYPE");
    }
    if (i.opname.starts_with("OpConstant") || i.opname.starts_with("OpSpecConstant")) && has("IdResult") {
        flags.push("CONSTANT");
    }
    let mut one_word = vec![];
    for o in operands {
        let kind = model.kind(&o.kind, None)?;
        let literal = matches!(o.kind.as_str(), "LiteralInteger" | "LiteralFloat");
        let plain = !kind.enumerants.is_empty() && kind.enumerants.iter().all(|e| e.parameters.is_empty());
        one_word.push(kind.category == "Id" || literal || plain);
    }
    let is_one = |i: usize| one_word[i] && operands[i].quantifier.is_none();
    let ones = (0..operands.len()).take_while(|i| is_one(*i)).count();
    if operands[ones..].iter().all(|o| o.quantifier.is_some()) {
        flags.push("PLAIN");
    }
    let strings = operands.iter().filter(|o| o.kind == "LiteralString").count();
    if strings == 1 && ones + 1 == operands.len() && operands[ones].quantifier.is_none() {
        flags.push("STRING_TAIL");
    }
    let all_but_last = (0..operands.len().saturating_sub(1)).all(is_one);
    match operands.last() {
        None => flags.push("FIXED"),
        Some(_) if !all_but_last => {}
        Some(_) if is_one(operands.len() - 1) => flags.push("FIXED"),
        Some(o) if o.quantifier.as_deref() == Some("*") => match o.kind.as_str() {
            "IdRef" => flags.extend(["FIXED", "ID_TAIL"]),
            "LiteralInteger" => flags.extend(["FIXED", "LITERAL_TAIL"]),
            _ => {}
        },
        Some(_) => {}
    }
    Ok(if flags.is_empty() { "0".into() } else { flags.join(" | ") })
}

fn enums(t: &mut Tables<'_>) -> Result<String> {
    let model = t.model;
    let mut s =
        String::from("use crate::desc::{Enumerant, NEVER, Needs, OperandKind};\nuse crate::text::{Name, Named};\n\n");
    s += "const fn n(caps: u16, exts: u16, min: u8, last: u8) -> Needs {\n    Needs { caps, exts, min, last }\n}\n\n";
    s += "const fn e(value: u32, name: &'static str, first: u16, count: u8, needs: Needs) -> (&'static str, Enumerant) {\n    (name, Enumerant { value, name: Name::UNSET, first, count, needs })\n}\n\nconst fn v(name: &'static str, value: u32) -> (&'static str, Named<u32>) {\n    (name, Named { name: Name::UNSET, value })\n}\n\n";
    s += "macro_rules! open_enum {\n    ($name:ident) => {\n        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]\n        pub struct $name(pub u32);\n\n        impl $name {\n            /// The operand kind of which this is a value.\n            pub const KIND: OperandKind = OperandKind::$name;\n\n            /// Canonical name of the value (of a single bit, for a mask); `None` where the grammar has none.\n            pub fn name(self) -> Option<&'static str> {\n                Self::KIND.enumerant(self.0).map(|e| e.name())\n            }\n\n            /// Whether all bits of `mask` are set.\n            #[inline]\n            pub const fn contains(self, mask: $name) -> bool {\n                self.0 & mask.0 == mask.0\n            }\n        }\n\n        impl From<u32> for $name {\n            #[inline]\n            fn from(value: u32) -> Self {\n                $name(value)\n            }\n        }\n\n        impl core::fmt::Debug for $name {\n            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {\n                core::fmt::Display::fmt(self, f)\n            }\n        }\n\n        impl core::fmt::Display for $name {\n            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {\n                Self::KIND.fmt_value(self.0, f)\n            }\n        }\n    };\n}\n\n";
    let (mut rows, mut ranges, mut names, mut name_ranges) = (String::new(), vec![], vec![], vec![]);
    let mut count = 0;
    for k in &model.kinds {
        ranges.push((count, k.enumerants.len()));
        count += k.enumerants.len();
        if !k.enumerants.is_empty() {
            writeln!(s, "open_enum!({0});\nimpl {0} {{", k.ident).ok();
            writeln!(rows, "    // {}", k.ident).ok();
        }
        let mut own: Vec<(&str, u32)> = vec![];
        for e in &k.enumerants {
            let value = e.value()?;
            writeln!(s, "    pub const {}: Self = Self({value:#x});", ident(&e.enumerant, &k.name)).ok();
            let (first, count) = t.shape(&e.parameters, k.set)?;
            writeln!(rows, "    e({value:#x}, {:?}, {first}, {count}, {}),", e.enumerant, t.needs(&e.needs)?).ok();
            own.extend(std::iter::once(&e.enumerant).chain(&e.aliases).map(|n| (n.as_str(), value)));
        }
        if !k.enumerants.is_empty() {
            s += "}\n\n";
        }
        own.sort();
        name_ranges.push((names.len(), own.len()));
        names.extend(own);
    }
    writeln!(
        s,
        "/// By operand kind, ascending by value.\npub(crate) const ENUMERANT_ROWS: &[(&str, Enumerant)] = &[\n{rows}];\n"
    )
    .ok();
    writeln!(s, "pub(crate) static ENUM_RANGES: &[(u16, u16)] = &{ranges:?};\n").ok();
    s += "/// By operand kind, sorted by name, aliases included.\npub(crate) const ENUM_NAME_ROWS: &[(&str, Named<u32>)] = &[\n";
    for (n, v) in names {
        writeln!(s, "    v({n:?}, {v:#x}),").ok();
    }
    writeln!(s, "];\n\npub(crate) static ENUM_NAME_RANGES: &[(u16, u16)] = &{name_ranges:?};").ok();
    Ok(s)
}

fn extinst(t: &mut Tables<'_>) -> Result<String> {
    let model = t.model;
    let mut s = String::from("use crate::desc::{ExtInstDesc, NEVER, NOT_ONLY_IDS, Needs};\nuse crate::text::Name;\n\n");
    s += "const fn n(caps: u16, exts: u16, min: u8, last: u8) -> Needs {\n    Needs { caps, exts, min, last }\n}\n\n";
    s += "const fn x(number: u32, name: &'static str, first: u16, count: u8, ids: u8, needs: Needs) -> (&'static str, ExtInstDesc) {\n    (name, ExtInstDesc { name: Name::UNSET, number, first, count, ids, needs })\n}\n\n";
    s += "/// An extended instruction set of the grammar.\n#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]\n#[repr(u8)]\npub enum ExtSet {\n";
    for set in SETS {
        writeln!(s, "    /// `{}`\n    {},", set.import, set.ident).ok();
    }
    s += "}\n\nimpl ExtSet {\n    /// All sets.\n    pub const ALL: &'static [ExtSet] = &[\n";
    for set in SETS {
        writeln!(s, "        ExtSet::{},", set.ident).ok();
    }
    s += "    ];\n}\n\n/// Import name, whether a revision follows it, set.\npub(crate) static EXT_SET_NAMES: &[(&str, bool, ExtSet)] = &[\n";
    for set in SETS {
        writeln!(s, "    ({:?}, {}, ExtSet::{}),", set.import, set.revisioned, set.ident).ok();
    }
    s += "];\n\nmacro_rules! ext_enum {\n    ($name:ident) => {\n        /// Number of an instruction of the set.\n        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]\n        pub struct $name(pub u32);\n    };\n}\n\n";
    let (mut rows, mut ranges, mut count) = (String::new(), vec![], 0);
    for (n, (set, insts)) in SETS.iter().zip(&model.ext).enumerate() {
        ranges.push((count, insts.len()));
        count += insts.len();
        writeln!(s, "ext_enum!({0});\nimpl {0} {{", set.ident).ok();
        writeln!(rows, "    // {}", set.import).ok();
        for i in insts {
            writeln!(s, "    pub const {}: Self = Self({});", ident(&i.opname, "N"), i.opcode).ok();
            let (first, count) = t.shape(&i.operands, Some(n))?;
            let needs = t.needs(&i.needs)?;
            let ids = least_ids(model, n, &i.operands)?.map_or("NOT_ONLY_IDS".into(), |n| n.to_string());
            writeln!(rows, "    x({}, {:?}, {first}, {count}, {ids}, {needs}),", i.opcode, i.opname).ok();
        }
        s += "}\n\n";
    }
    writeln!(
        s,
        "/// By set, ascending by number.\npub(crate) const EXT_INST_ROWS: &[(&str, ExtInstDesc)] = &[\n{rows}];\n"
    )
    .ok();
    writeln!(s, "pub(crate) static EXT_INST_RANGES: &[(u16, u16)] = &{ranges:?};").ok();
    Ok(s)
}

/// The number of ids that an instruction of a set takes at least, where its operands are ids, of which those that may be
/// left out come last.
fn least_ids(model: &Model, set: usize, operands: &[json::Operand]) -> Result<Option<usize>> {
    for o in operands {
        if model.kind(&o.kind, Some(set))?.category != "Id" {
            return Ok(None);
        }
    }
    let least = operands.iter().take_while(|o| o.quantifier.is_none()).count();
    Ok(operands[least..].iter().all(|o| o.quantifier.is_some()).then_some(least))
}

fn caps(t: &Tables<'_>) -> Result<String> {
    let mut s = String::from("use crate::CapSet;\n\n");
    writeln!(s, "pub(crate) const CAPABILITY_COUNT: usize = {};\n", t.model.capabilities.len()).ok();
    let list =
        |set: &[u16]| set.iter().map(|&c| t.model.capabilities[c as usize].as_str()).collect::<Vec<_>>().join(" ");
    s += "/// By dense index: the capability and all that it implies.\npub(crate) static IMPLIED: &[CapSet] = &[\n";
    for set in t.model.implied()? {
        writeln!(s, "    CapSet::of(&{set:?}), // {}", list(&set)).ok();
    }
    s += "];\n\n/// The distinct requirements: one member must be declared.\npub(crate) static CAP_SETS: &[CapSet] = &[\n";
    for set in &t.cap_sets.items {
        writeln!(s, "    CapSet::of(&{set:?}), // {}", list(set)).ok();
    }
    s += "];\n";
    Ok(s)
}

fn exts(t: &Tables<'_>) -> String {
    let mut s =
        String::from("use crate::desc::Extension;\n\nconst fn x(i: u16) -> Extension {\n    Extension(i)\n}\n\n");
    s += "/// Sorted.\npub(crate) static EXTENSIONS: &[&str] = &[\n";
    for e in &t.model.extensions {
        writeln!(s, "    {e:?},").ok();
    }
    s += "];\n\n/// Members of the sets below.\npub(crate) static EXT_SET_MEMBERS: &[Extension] = &[\n";
    let (mut ranges, mut first) = (String::new(), 0);
    for set in &t.ext_sets.items {
        let items: String = set.iter().map(|e| format!("x({e}), ")).collect();
        if !set.is_empty() {
            writeln!(s, "    {}", items.trim_end()).ok();
        }
        let names: Vec<_> = set.iter().map(|e| t.model.extensions[*e as usize].as_str()).collect();
        writeln!(ranges, "    ({first}, {}), // {}", set.len(), names.join(" ")).ok();
        first += set.len();
    }
    writeln!(s, "];\n\n/// Runs of members.\npub(crate) static EXT_SETS: &[(u16, u16)] = &[\n{ranges}];").ok();
    s
}

fn operands(t: &Tables<'_>) -> String {
    let mut s = String::from(
        "use crate::desc::{Operand, Quantifier::{self, *}};\nuse super::kinds::OperandKind::{self, *};\nuse crate::text::Name;\n\n\
         const fn o(kind: OperandKind, quantifier: Quantifier, name: &'static str) -> (&'static str, Operand) {\n    (name, Operand { kind, quantifier, name: Name::UNSET })\n}\n\n\
         /// Operand shapes; instructions and enumerants refer to runs of it.\npub(crate) const OPERAND_ROWS: &[(&str, Operand)] = &[\n",
    );
    for row in &t.operands {
        writeln!(s, "    {row},").ok();
    }
    s += "    // What the grammar's files do not list by itself.\n";
    for (_, row) in OWN_OPERANDS {
        writeln!(s, "    {row},").ok();
    }
    s += "];\n\n";
    for (i, (name, _)) in OWN_OPERANDS.iter().enumerate() {
        writeln!(s, "pub(crate) const {name}: usize = {};", t.operands.len() + i).ok();
    }
    s
}

/// Second halves of pairs, and operands of instructions that the grammar does not know.
const OWN_OPERANDS: &[(&str, &str)] = &[
    ("LABEL", "o(IdRef, One, \"Label\")"),
    ("MEMBER", "o(LiteralInteger, One, \"Member\")"),
    ("PARENT", "o(IdRef, One, \"Parent\")"),
    ("OPTIONAL_PARENT", "o(IdRef, Optional, \"Parent\")"),
    ("ANY_IDS", "o(IdRef, Many, \"Operand\")"),
];
