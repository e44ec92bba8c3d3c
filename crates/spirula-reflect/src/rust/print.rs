//! Rust as text.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::RustOptions;
use super::layout::Def;

pub(super) struct Out<'a> {
    pub(super) options: &'a RustOptions,
    pub(super) text: String,
}

impl Out<'_> {
    pub(super) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    fn docs(&mut self, indent: &str, docs: &[String]) {
        for d in docs {
            self.line(&format!("{indent}/// {d}"));
        }
    }

    /// Derives of every structure.
    fn derives(&self) -> String {
        let mut all: Vec<&str> = ["Clone", "Copy", "Debug"].to_vec();
        if self.options.bytemuck {
            all.extend(["bytemuck::Pod", "bytemuck::Zeroable"]);
        }
        for derive in self.options.derives.iter().map(String::as_str) {
            if !all.contains(&derive) {
                all.push(derive);
            }
        }
        format!("#[derive({})]", all.join(", "))
    }

    /// A structure, its constants and the assertions of its layout; `more` are further items of its `impl`.
    pub(super) fn def(&mut self, def: &Def, more: &[String]) {
        let name = &def.name;
        self.line("");
        self.docs("", &def.docs);
        if def.packed {
            self.line("/// Packed: the module has members, or an end, where Rust's alignment would have padding.");
        }
        let derives = self.derives();
        self.line(&derives);
        self.line(&match def.packed {
            true => format!("#[repr(C, packed({}))]", def.align),
            false => String::from("#[repr(C)]"),
        });
        if def.fields.is_empty() {
            self.line(&format!("pub struct {name} {{}}"));
        } else {
            self.line(&format!("pub struct {name} {{"));
            for f in &def.fields {
                self.docs("    ", &f.docs);
                self.line(&format!("    pub {}: {},", f.name, f.expr.text));
            }
            self.line("}");
        }
        self.items(def, more);
        self.assertions(def);
        if let Some((alias, element, size)) = &def.element {
            self.line("");
            self.line(&format!("/// Element of the runtime array behind [`{name}`]."));
            self.line(&format!("pub type {alias} = {element};"));
            self.line("");
            self.line(&format!("const _: () = assert!(::core::mem::size_of::<{alias}>() == {size});"));
        }
    }

    fn items(&mut self, def: &Def, more: &[String]) {
        let name = &def.name;
        if def.consts.is_empty() && more.is_empty() && !def.has_zero() {
            return;
        }
        self.line("");
        self.line(&format!("impl {name} {{"));
        for (doc, item) in &def.consts {
            self.line(&format!("    /// {doc}"));
            self.line(&format!("    pub const {item};"));
        }
        more.iter().for_each(|l| self.line(&format!("    {l}")));
        if def.has_zero() {
            self.line("    /// All zeros.");
            if def.fields.is_empty() {
                self.line("    pub const ZEROED: Self = Self {};");
            } else {
                self.line("    pub const ZEROED: Self = Self {");
                def.fields.iter().for_each(|f| self.line(&format!("        {}: {},", f.name, f.expr.zero)));
                self.line("    };");
            }
        }
        self.line("}");
        if def.has_zero() && !self.options.derives.iter().any(|d| d.rsplit(':').next() == Some("Default")) {
            self.implement(&format!("::core::default::Default for {name}"), "fn default() -> Self", "Self::ZEROED");
        }
        if let (true, true, Some(value)) = (def.wrapper, def.has_zero(), def.fields.first()) {
            let ty = &value.expr.text;
            let function = format!("fn from(value: {ty}) -> Self");
            self.implement(
                &format!("::core::convert::From<{ty}> for {name}"),
                &function,
                "Self { value, ..Self::ZEROED }",
            );
        }
    }

    fn implement(&mut self, what: &str, function: &str, body: &str) {
        self.line("");
        self.line(&format!("impl {what} {{"));
        self.line(&format!("    {function} {{"));
        self.line(&format!("        {body}"));
        self.line("    }");
        self.line("}");
    }

    fn assertions(&mut self, def: &Def) {
        let name = &def.name;
        self.line("");
        self.line("const _: () = {");
        self.line(&format!("    assert!(::core::mem::size_of::<{name}>() == {});", def.size));
        for f in def.fields.iter().filter(|f| !f.name.starts_with("_pad")) {
            self.line(&format!("    assert!(::core::mem::offset_of!({name}, {}) == {});", f.name, f.offset));
        }
        self.line("};");
    }

    pub(super) fn device_address(&mut self) {
        self.text.push_str(DEVICE_ADDRESS);
        if self.options.bytemuck {
            self.text.push_str(DEVICE_ADDRESS_BYTEMUCK);
        }
    }

    pub(super) fn vertex_attribute(&mut self) {
        self.text.push_str(VERTEX_ATTRIBUTE);
    }
}

const VERTEX_ATTRIBUTE: &str = "
/// Where a vertex shader's input lies in a vertex.
#[derive(Clone, Copy, Debug)]
pub struct VertexAttribute {
    pub location: u32,
    /// Number of a `VkFormat`.
    pub format: i32,
    /// Bytes from the start of the vertex.
    pub offset: u32,
}
";

const DEVICE_ADDRESS: &str = "
/// The device address of a `T`: a `VkDeviceAddress` that knows what it leads to.
#[repr(transparent)]
pub struct DeviceAddress<T>(pub u64, ::core::marker::PhantomData<fn() -> T>);

impl<T> DeviceAddress<T> {
    /// Leads nowhere.
    pub const NULL: Self = Self::new(0);

    pub const fn new(address: u64) -> Self {
        Self(address, ::core::marker::PhantomData)
    }
}

impl<T> Clone for DeviceAddress<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for DeviceAddress<T> {}

impl<T> ::core::default::Default for DeviceAddress<T> {
    fn default() -> Self {
        Self::NULL
    }
}

impl<T> ::core::fmt::Debug for DeviceAddress<T> {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        write!(f, \"{:#x}\", self.0)
    }
}

impl<T> PartialEq for DeviceAddress<T> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<T> Eq for DeviceAddress<T> {}

impl<T> ::core::hash::Hash for DeviceAddress<T> {
    fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

const _: () = assert!(::core::mem::size_of::<DeviceAddress<()>>() == 8);
";

const DEVICE_ADDRESS_BYTEMUCK: &str = "
// SAFETY: a transparent wrapper around a u64; nothing of T is kept.
unsafe impl<T> bytemuck::Zeroable for DeviceAddress<T> {}
// SAFETY: the same.
unsafe impl<T: 'static> bytemuck::Pod for DeviceAddress<T> {}
";
