//! From the plan to Rust structures: fields, padding, alignment.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::RustOptions;
use super::names::{self, Scope, quoted};
use super::plan::{Chunk, Node, Part, Placed, Plan, Stride};
use super::shape::{Leaf, Scalar, Shape, kind, shape};
use crate::TypeRef;
use crate::model::{Member, Reflection, TypeKind};

/// Larger values are nothing to make on a stack.
const MAX_VALUE: u64 = 1 << 16;

/// A Rust type.
#[derive(Clone, Debug)]
pub(super) struct Expr {
    pub(super) text: String,
    /// All zeros, as an expression.
    pub(super) zero: String,
    pub(super) size: u64,
    pub(super) align: u64,
    /// What stands for it in the name of a structure.
    pub(super) short: String,
}

#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) offset: u64,
    pub(super) expr: Expr,
}

/// A Rust structure.
#[derive(Debug)]
pub(super) struct Def {
    pub(super) name: String,
    pub(super) docs: Vec<String>,
    pub(super) fields: Vec<Field>,
    pub(super) size: u64,
    pub(super) align: u64,
    /// Whether fields stand at addresses that their types would not have by themselves.
    pub(super) packed: bool,
    /// Constants: documentation, and the item behind `pub const`.
    pub(super) consts: Vec<(String, String)>,
    /// The element of the runtime array behind it: the name of its alias, its type and its size.
    pub(super) element: Option<(String, String, u64)>,
    /// Whether it is a wrapper around its first field, which may be converted into it.
    pub(super) wrapper: bool,
}

impl Def {
    /// Whether there is a constant with zeros in all fields.
    pub(super) fn has_zero(&self) -> bool {
        self.size <= MAX_VALUE
    }
}

pub(super) struct Layout<'a> {
    r: &'a Reflection<'a>,
    plan: &'a Plan,
    options: &'a RustOptions,
    types: Scope,
    /// Names of the nodes.
    names: Vec<String>,
    /// Structures of the nodes, as far as they are made.
    pub(super) defs: Vec<Option<Def>>,
    pub(super) wrappers: Vec<Def>,
    by_element: BTreeMap<(String, u64), usize>,
    pub(super) uses_addresses: bool,
}

impl<'a> Layout<'a> {
    /// `hints` are names for structures that have none of their own.
    pub(super) fn of(
        r: &'a Reflection<'a>,
        plan: &'a Plan,
        options: &'a RustOptions,
        hints: &BTreeMap<TypeRef, &str>,
    ) -> Layout<'a> {
        let mut types = Scope::default();
        for reserved in ["DeviceAddress", "VertexAttribute"] {
            types.unique(reserved, "");
        }
        let name = |node: &Node| {
            let ty = r.types.get(node.ty.0 as usize);
            let own = ty.and_then(|t| names::type_name(&t.name));
            let hint = || hints.get(&node.ty).and_then(|h| names::type_name(h));
            let name = own.or_else(hint).unwrap_or_else(|| format!("Struct{}", ty.map_or(0, |t| t.id)));
            types.unique(&name, "")
        };
        let names = plan.nodes.iter().map(name).collect();
        let mut layout = Layout {
            r,
            plan,
            options,
            types,
            names,
            defs: plan.nodes.iter().map(|_| None).collect(),
            wrappers: Vec::new(),
            by_element: BTreeMap::new(),
            uses_addresses: false,
        };
        for node in plan.order.iter().rev() {
            layout.defs[*node] = Some(layout.structure(*node));
        }
        layout
    }

    /// A name for another type.
    pub(super) fn type_name(&mut self, wanted: &str) -> String {
        self.types.unique(wanted, "")
    }

    fn structure(&mut self, node: usize) -> Def {
        let plan = self.plan;
        let own = &plan.nodes[node];
        let members = match kind(self.r, own.ty) {
            Some(TypeKind::Struct { members, .. }) => &members[..],
            _ => &[],
        };
        let mut scope = Scope::default();
        let mut fields = Vec::new();
        for p in &own.placed {
            let Some(member) = members.get(p.member) else { continue };
            self.member(p, member, &mut scope, &mut fields);
        }
        let mut docs = Vec::new();
        for member in &own.overlapping {
            let Some(m) = members.get(*member) else { continue };
            let at = m.offset.unwrap_or(0);
            docs.push(format!("{} at byte {at} overlaps other members and is left out.", quoted(&m.name)));
        }
        let end = fields.iter().map(|f: &Field| f.offset + f.expr.size).max().unwrap_or(0);
        let size = match (&own.tail, own.stride) {
            (Some(t), _) => Size::Exactly(t.offset),
            (None, Stride::All(s)) if s >= end && s <= own.room => Size::Exactly(s),
            _ => Size::AtMost(own.room),
        };
        let mut def = fitted(self.names[node].clone(), fields, size, &mut scope);
        def.docs = docs;
        if let Some(t) = &own.tail
            && let Some(member) = members.get(t.member)
        {
            self.tail(t, member, &mut def);
        }
        def
    }

    /// The fields that one member is.
    fn member(&mut self, p: &Placed, member: &Member<'_>, scope: &mut Scope, fields: &mut Vec<Field>) {
        let base = names::field_name(&member.name).unwrap_or_else(|| format!("member_{}", p.member));
        let chunks = p.shape.chunks(p.room);
        let whole = chunks.len() == 1;
        for (i, chunk) in chunks.iter().enumerate() {
            let mut expr = self.chunk(&p.shape, chunk);
            if expr.size > chunk.room {
                expr = bytes(chunk.room);
            }
            let name = if i == 0 { scope.unique(&base, "_") } else { scope.unique(&format!("{base}_last"), "_") };
            let mut docs = Vec::new();
            if i == 0 && name != member.name && !member.name.is_empty() {
                docs.push(quoted(&member.name));
            }
            docs.extend(self.remarks(&p.shape));
            if !whole {
                let what = if i == 0 { "All but the last element" } else { "The last element" };
                docs.push(format!("{what}: the next member lies in the last one's padding."));
            }
            fields.push(Field { name, docs, offset: p.offset + chunk.at, expr });
        }
    }

    /// What the Rust type does not say.
    fn remarks(&self, shape: &Shape) -> Vec<String> {
        let mut remarks = Vec::new();
        let scalar = match shape.leaf {
            Leaf::Numeric { scalar, .. } => Some(scalar),
            Leaf::Matrix { scalar, vectors, per, row_major, .. } => {
                let (order, what) = if row_major { ("Row", "rows") } else { ("Column", "columns") };
                remarks.push(format!("{order}-major matrix: {vectors} {what} of {per} components."));
                Some(scalar)
            }
            Leaf::Bytes(_) => {
                remarks.push("Has no explicit layout, or no counterpart in Rust.".to_string());
                None
            }
            _ => None,
        };
        match scalar {
            Some(Scalar::Float { bytes: 2 }) if !self.options.half => remarks.push("Bits of `f16`.".to_string()),
            Some(Scalar::BFloat) if !self.options.half => remarks.push("Bits of `bf16`.".to_string()),
            Some(Scalar::Float8) => remarks.push("Bits of an 8-bit floating-point number.".to_string()),
            _ => {}
        }
        if shape.dimensions.iter().any(|d| d.specialised) {
            remarks.push("Length with the defaults of the specialisation constants.".to_string());
        }
        remarks
    }

    fn tail(&mut self, t: &Placed, member: &Member<'_>, def: &mut Def) {
        let Some(stride) = t.shape.dimensions.first().map(|d| d.stride) else { return };
        let name = names::field_name(&member.name).unwrap_or_else(|| format!("member_{}", t.member));
        let upper = name.to_ascii_uppercase();
        let shown = if member.name.is_empty() { format!("member {}", t.member) } else { quoted(&member.name) };
        let element = self.elements(&t.shape, 1);
        let element = if element.size == u64::from(stride) { element } else { bytes(u64::from(stride)) };
        let alias = self.types.unique(&format!("{}Element", def.name), "");
        def.docs.push(format!(
            "The runtime array {shown} follows: any number of [`{alias}`] from [`Self::{upper}_OFFSET`] on."
        ));
        def.docs.extend(self.remarks(&t.shape));
        def.consts.push((
            format!("Bytes from the start to the runtime array {shown}."),
            format!("{upper}_OFFSET: usize = {}", t.offset),
        ));
        def.consts.push((
            format!("Bytes from one element of {shown} to the next."),
            format!("{upper}_STRIDE: usize = {stride}"),
        ));
        def.element = Some((alias, element.text, element.size));
    }

    fn chunk(&mut self, shape: &Shape, chunk: &Chunk) -> Expr {
        match (&chunk.what, shape.leaf) {
            (Part::Array { dimension, count }, _) => {
                let inner = self.elements(shape, dimension + 1);
                let inner = self.strided(inner, shape.dimensions[*dimension].stride);
                array(&inner, *count)
            }
            (Part::Leaf, leaf) => self.leaf(leaf),
            (Part::Vectors(n), Leaf::Matrix { scalar, per, stride, .. }) => self.matrix(scalar, *n, per, stride),
            (Part::LastVector, Leaf::Matrix { scalar, per, .. }) => array(&self.scalar(scalar), per),
            // The others are parts of matrices only.
            _ => bytes(chunk.room),
        }
    }

    /// The leaf within all dimensions from `first` on, without those before; with its stride if there is one before.
    fn elements(&mut self, shape: &Shape, first: usize) -> Expr {
        let mut expr = self.leaf(shape.leaf);
        for d in shape.dimensions.iter().skip(first).rev() {
            let element = self.strided(expr, d.stride);
            expr = array(&element, d.count.unwrap_or(0));
        }
        match shape.dimensions.get(first.wrapping_sub(1)) {
            Some(d) => self.strided(expr, d.stride),
            None => expr,
        }
    }

    /// A type that takes `stride` bytes.
    fn strided(&mut self, expr: Expr, stride: u32) -> Expr {
        let stride = u64::from(stride);
        if expr.size == stride {
            return expr;
        }
        if expr.size > stride {
            return bytes(stride);
        }
        let key = (expr.text.clone(), stride);
        let index = match self.by_element.get(&key) {
            Some(index) => *index,
            None => {
                let name = self.types.unique(&format!("{}Stride{stride}", expr.short), "_");
                let mut scope = Scope::default();
                let docs = Vec::new();
                let fields = alloc::vec![Field { name: scope.unique("value", ""), docs, offset: 0, expr }];
                let mut def = fitted(name, fields, Size::Exactly(stride), &mut scope);
                def.wrapper = true;
                def.docs.push(format!("An array element of {stride} bytes."));
                self.wrappers.push(def);
                self.by_element.insert(key, self.wrappers.len() - 1);
                self.wrappers.len() - 1
            }
        };
        named(&self.wrappers[index])
    }

    fn leaf(&mut self, leaf: Leaf) -> Expr {
        match leaf {
            Leaf::Numeric { scalar, count: None } => self.scalar(scalar),
            Leaf::Numeric { scalar, count: Some(n) } => array(&self.scalar(scalar), n),
            Leaf::Matrix { scalar, vectors, per, stride, .. } => self.matrix(scalar, vectors, per, stride),
            Leaf::Struct(ty) => {
                let def = self.plan.node(ty).and_then(|n| self.defs[n].as_ref());
                def.map_or_else(|| bytes(0), named)
            }
            Leaf::Address(pointee) => self.address(pointee),
            Leaf::Bytes(n) => bytes(u64::from(n)),
        }
    }

    fn scalar(&self, scalar: Scalar) -> Expr {
        scalar_expr(scalar, self.options.half)
    }

    fn matrix(&mut self, scalar: Scalar, vectors: u32, per: u32, stride: u32) -> Expr {
        let one = self.scalar(scalar);
        let bytes = scalar.bytes();
        // Padded vectors are just longer ones.
        let vector = if stride.is_multiple_of(bytes) && stride / bytes >= per {
            array(&one, stride / bytes)
        } else {
            let vector = array(&one, per);
            self.strided(vector, stride)
        };
        array(&vector, vectors)
    }

    fn address(&mut self, pointee: Option<TypeRef>) -> Expr {
        self.uses_addresses = true;
        let text = format!("DeviceAddress<{}>", self.pointee(pointee, 4));
        Expr { text, zero: "DeviceAddress::NULL".to_string(), size: 8, align: 8, short: "Address".to_string() }
    }

    /// What an address leads to; `()` where that has no Rust type. Arrays are the element that they begin with.
    fn pointee(&mut self, pointee: Option<TypeRef>, depth: u32) -> String {
        let nothing = || "()".to_string();
        let Some(shape) = pointee.and_then(|p| shape(self.r, p, None)) else { return nothing() };
        match shape.leaf {
            // Their own contents may not be made yet, since they may lead back here: the name will do.
            Leaf::Struct(ty) => self.plan.node(ty).map_or_else(nothing, |n| self.names[n].clone()),
            Leaf::Address(inner) if depth > 0 => format!("DeviceAddress<{}>", self.pointee(inner, depth - 1)),
            Leaf::Numeric { .. } => self.leaf(shape.leaf).text,
            _ => nothing(),
        }
    }
}

/// A scalar, or what stands for it.
pub(super) fn scalar_expr(scalar: Scalar, half: bool) -> Expr {
    let (text, zero) = match scalar {
        Scalar::Int { bytes, signed } => (format!("{}{}", if signed { 'i' } else { 'u' }, bytes * 8), "0"),
        Scalar::Float { bytes: 2 } if half => ("half::f16".to_string(), "half::f16::ZERO"),
        Scalar::BFloat if half => ("half::bf16".to_string(), "half::bf16::ZERO"),
        Scalar::Float { bytes: 2 } | Scalar::BFloat => ("u16".to_string(), "0"),
        Scalar::Float8 => ("u8".to_string(), "0"),
        Scalar::Float { bytes } => (format!("f{}", bytes * 8), "0.0"),
    };
    let bytes = u64::from(scalar.bytes());
    let short = text.rsplit(':').next().unwrap_or("").to_ascii_uppercase();
    Expr { text, zero: zero.to_string(), size: bytes, align: bytes, short }
}

pub(super) fn array(element: &Expr, count: u32) -> Expr {
    Expr {
        text: format!("[{}; {count}]", element.text),
        // What there is none of needs no value, and a type that is too large for one has none.
        zero: if count == 0 { "[]".to_string() } else { format!("[{}; {count}]", element.zero) },
        size: element.size.saturating_mul(u64::from(count)),
        align: element.align,
        short: format!("{}x{count}", element.short),
    }
}

fn bytes(count: u64) -> Expr {
    Expr {
        text: format!("[u8; {count}]"),
        zero: format!("[0; {count}]"),
        size: count,
        align: 1,
        short: format!("Bytes{count}"),
    }
}

fn named(def: &Def) -> Expr {
    let name = &def.name;
    Expr { text: name.clone(), zero: format!("{name}::ZEROED"), size: def.size, align: def.align, short: name.clone() }
}

/// How large a structure is to be.
pub(super) enum Size {
    Exactly(u64),
    /// As its alignment wants it, if that is not more than this.
    AtMost(u64),
}

/// A structure with these fields, which stand in the order of their offsets: the greatest alignment at which all is in
/// its place, and padding for the gaps.
pub(super) fn fitted(name: String, fields: Vec<Field>, size: Size, scope: &mut Scope) -> Def {
    let natural = fields.iter().map(|f| f.expr.align).max().unwrap_or(1);
    let mut align = natural;
    for f in &fields {
        while f.offset % align.min(f.expr.align) != 0 {
            align /= 2;
        }
    }
    let end = fields.iter().map(|f| f.offset.saturating_add(f.expr.size)).max().unwrap_or(0);
    let size = match size {
        Size::Exactly(size) => size.max(end),
        Size::AtMost(most) => {
            let rounded = |align| end.checked_next_multiple_of(align).unwrap_or(end);
            while align > 1 && rounded(align) > most {
                align /= 2;
            }
            rounded(align)
        }
    };
    while size % align != 0 {
        align /= 2;
    }
    let mut padded: Vec<Field> = Vec::new();
    let mut cursor = 0;
    let mut pads = 0;
    let mut pad = |cursor: u64, to: u64, padded: &mut Vec<Field>| {
        if to > cursor {
            let name = scope.unique(&format!("_pad{pads}"), "_");
            pads += 1;
            padded.push(Field { name, docs: Vec::new(), offset: cursor, expr: bytes(to - cursor) });
        }
    };
    for f in fields {
        pad(cursor, f.offset, &mut padded);
        cursor = f.offset.saturating_add(f.expr.size);
        padded.push(f);
    }
    pad(cursor, size, &mut padded);
    Def {
        name,
        docs: Vec::new(),
        fields: padded,
        size,
        align,
        packed: align < natural,
        consts: Vec::new(),
        element: None,
        wrapper: false,
    }
}
