//! The report.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::TypeRef;

/// Version of the report's shape. It grows when a field changes its meaning or goes; new fields do not change it.
pub const SCHEMA_VERSION: u32 = 1;

/// A word of the specification's, such as an enumerant's name; owned only where it is a number that no name is known for,
/// or several names.
pub type Term = Cow<'static, str>;

/// What a module says, such as a name: borrowed from its words wherever they are UTF-8 and nothing is added.
pub type Text<'m> = Cow<'m, str>;

/// Puts the derives on every type of the report.
macro_rules! report {
    ($($(#[$meta:meta])* pub $kind:ident $name:ident $(<$module:lifetime>)? { $($body:tt)* })*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, PartialEq, Eq, Debug)]
            #[cfg_attr(feature = "serde", derive(serde::Serialize))]
            #[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            #[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
            pub $kind $name $(<$module>)? { $($body)* }
        )*
    };
}

mod pipeline;
mod points;
mod resources;
mod types;
mod vertex;

pub use pipeline::*;
pub use points::*;
pub use resources::*;
pub use types::*;
pub use vertex::*;

report! {
    /// All that a module wants from its host.
    pub struct Reflection<'m> {
        /// [`SCHEMA_VERSION`].
        pub schema: u32,
        /// Version of SPIR-V.
        pub version: VersionNumber,
        /// Generator word of the header: tool in the high half, its version in the low half.
        pub generator: u32,
        /// Addressing model.
        pub addressing_model: Term,
        /// Memory model.
        pub memory_model: Term,
        /// Where the module comes from, where it says so.
        pub source: Option<Source<'m>>,
        /// Types, each once; a `TypeRef` is a position here.
        pub types: Vec<Type<'m>>,
        /// Entry points.
        pub entry_points: Vec<EntryPoint<'m>>,
        /// Variables behind descriptors, whether used or not, by set and binding.
        pub bindings: Vec<Binding<'m>>,
        /// Push constant blocks.
        pub push_constants: Vec<BlockVariable<'m>>,
        /// Shader record blocks (ray tracing).
        pub shader_records: Vec<BlockVariable<'m>>,
        /// Members by path of every structure type that is a block or that physical pointers point to.
        pub blocks: Vec<BlockLayout<'m>>,
        /// Structure types that physical pointers of the module point to: where device addresses lead.
        pub buffer_references: Vec<TypeRef>,
        /// Specialisation constants.
        pub spec_constants: Vec<SpecConstant<'m>>,
        /// Operations on specialisation constants, operands before what is made of them.
        pub spec_operations: Vec<SpecOperation>,
        /// What is declared, but used by no entry point.
        pub unused: Unused,
        /// What the module requires of Vulkan.
        pub requirements: Requirements<'m>,
        /// What deserves a look: collisions, duplicates, what is missing, and what this report leaves out.
        pub notes: Vec<Note>,
    }

    /// A version of SPIR-V or Vulkan.
    pub struct VersionNumber {
        /// Major number.
        pub major: u8,
        /// Minor number.
        pub minor: u8,
    }

    /// `OpSource`.
    pub struct Source<'m> {
        /// Language.
        pub language: Term,
        /// Its version.
        pub version: u32,
        /// File name.
        pub file: Option<Text<'m>>,
    }

    /// Something that deserves a look.
    pub struct Note {
        /// What it is about.
        pub kind: NoteKind,
        /// In words.
        pub text: String,
        /// Result ids of the variables concerned.
        pub ids: Vec<u32>,
    }

    /// What a note is about.
    pub enum NoteKind {
        /// Variables share a set and binding.
        BindingCollision,
        /// A semantic occurs more than once among the inputs, or among the outputs, of an entry point.
        DuplicateSemantic,
        /// The module comes from HLSL, but says no semantics.
        NoSemantics,
        /// A counter buffer that no entry point uses.
        UnusedCounter,
        /// The report leaves something out.
        LeftOut,
    }

    /// Declared, but used by no entry point.
    #[derive(Default)]
    pub struct Unused {
        /// Positions in [`Reflection::bindings`].
        pub bindings: Vec<u32>,
        /// Positions in [`Reflection::push_constants`].
        pub push_constants: Vec<u32>,
        /// Positions in [`Reflection::shader_records`].
        pub shader_records: Vec<u32>,
        /// Positions in [`Reflection::spec_constants`].
        pub spec_constants: Vec<u32>,
    }

    /// What the module requires of Vulkan.
    pub struct Requirements<'m> {
        /// Oldest Vulkan that takes the SPIR-V version.
        pub vulkan: VersionNumber,
        /// Declared capabilities.
        pub capabilities: Vec<Term>,
        /// Declared SPIR-V extensions.
        pub extensions: Vec<Text<'m>>,
        /// Device extensions that these ask for.
        pub device_extensions: Vec<ExtensionRequirement>,
        /// Features and device extensions, with their causes.
        pub features: Vec<Requirement<'m>>,
    }

    /// One thing that the device must have.
    pub struct Requirement<'m> {
        /// Feature, as Vulkan's structures spell it: any of these.
        pub features: &'static [&'static str],
        /// Device extensions that bring it where the Vulkan version does not.
        pub extensions: &'static [&'static str],
        /// Vulkan version that has it in core, if any.
        pub core: Option<VersionNumber>,
        /// The SPIR-V capability that asks for it.
        pub capability: Term,
        /// The first few instructions that need the capability; none where we do not see why it is declared.
        pub causes: Vec<Cause<'m>>,
    }

    /// An instruction that needs a capability.
    pub struct Cause<'m> {
        /// Its text, shortened.
        pub text: Text<'m>,
        /// Its offset in the module, in words.
        pub word: u32,
        /// Result id of the variable that it is about.
        pub variable: Option<u32>,
        /// The variable's debug name; empty where it has none.
        pub name: Text<'m>,
    }

    /// A device extension that a SPIR-V extension asks for.
    pub struct ExtensionRequirement {
        /// The SPIR-V extension.
        pub extension: Term,
        /// The device extension.
        pub device_extension: Term,
        /// Vulkan version that has it in core, if any.
        pub core: Option<VersionNumber>,
    }
}
