//! Diagnostics: what a rule is, where something is wrong, and who listens.
//!
//! A [`Diagnostic`] addresses the module by word offset ([`Site`]) and knows nothing of files, names or source lines:
//! those are looked up when it is shown. The crate renders nothing.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Severity {
    /// Not shown unless asked for.
    Allow,
    /// Worth a look; the module is valid.
    Warning,
    /// The module is invalid.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Allow => "allow",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// Where a rule comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Cite {
    /// The SPIR-V specification: a section (`§2.16.1`) or the instruction or enumerant whose text states the rule.
    Spec(&'static str),
    /// The text of the very instruction that breaks the rule, in this section of the SPIR-V specification.
    Own(&'static str),
    /// A valid-usage id of the Vulkan specification.
    Vuid(&'static str),
    /// An extension's own text, where the unified specification does not contain it.
    Extension(&'static str),
    /// An extended instruction set's specification: set and instruction.
    ExtInst(&'static str),
    /// A client environment other than Vulkan: the OpenCL or OpenGL SPIR-V environment specification.
    Environment(&'static str),
}

impl fmt::Display for Cite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cite::Spec(s) | Cite::Own(s) => write!(f, "SPIR-V {s}"),
            Cite::Vuid(s) | Cite::Extension(s) | Cite::ExtInst(s) | Cite::Environment(s) => f.write_str(s),
        }
    }
}

/// A rule: the identity of everything that can be found wrong.
#[derive(Debug)]
pub struct Rule {
    /// Its name, in kebab case: what `--deny` takes and test marks contain.
    pub name: &'static str,
    /// Group under which it can be allowed or denied together with others.
    pub group: &'static str,
    /// Where it comes from.
    pub cite: Cite,
    /// How bad a violation is by default.
    pub severity: Severity,
    /// Its user page, as Markdown.
    pub doc: &'static str,
}

impl PartialEq for Rule {
    fn eq(&self, other: &Rule) -> bool {
        core::ptr::eq(self, other)
    }
}

impl Eq for Rule {}

/// A place in a module: the universal address of everything that can be wrong.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Site {
    /// Offset in words from the start of the module of the instruction's first word (or, before the first instruction,
    /// of the header word).
    pub word: u32,
    /// Which word of the instruction, counted from its first; 0 for the instruction as a whole.
    pub operand: u16,
}

impl Site {
    /// The instruction that starts at `word`, as a whole.
    pub const fn at(word: u32) -> Site {
        Site { word, operand: 0 }
    }

    /// One word of the instruction that starts at `word`.
    pub const fn operand(word: u32, operand: u16) -> Site {
        Site { word, operand }
    }
}

/// A further place that helps to understand a diagnostic.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Note {
    /// Where; `None` for general advice.
    pub at: Option<Site>,
    /// What there is to see: "declared here".
    pub text: String,
}

/// One finding.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// The rule that is broken.
    pub rule: &'static Rule,
    /// The rule's severity, or what the user's options made of it.
    pub severity: Severity,
    /// Where.
    pub at: Site,
    /// What is wrong, with the value, in the words of the specification; no trailing full stop. Ids appear as `%12`;
    /// whoever shows the message may add their names.
    pub message: String,
    /// Related sites, then advice.
    pub notes: Vec<Note>,
    /// What the author of the module can do, where that can be said.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A finding without notes, at the rule's default severity.
    #[cold]
    pub fn new(rule: &'static Rule, at: Site, message: String) -> Diagnostic {
        Diagnostic { rule, severity: rule.severity, at, message, notes: Vec::new(), help: None }
    }

    /// Adds a related site.
    pub fn note(mut self, at: Site, text: impl Into<String>) -> Diagnostic {
        self.notes.push(Note { at: Some(at), text: text.into() });
        self
    }

    /// Adds what the author can do.
    pub fn help(mut self, text: impl Into<String>) -> Diagnostic {
        self.help = Some(text.into());
        self
    }
}

/// Who listens to findings.
pub trait Sink {
    /// Takes one finding. Returns whether more are wanted.
    fn report(&mut self, diagnostic: Diagnostic) -> bool;
}

/// Keeps everything.
impl Sink for Vec<Diagnostic> {
    fn report(&mut self, diagnostic: Diagnostic) -> bool {
        self.push(diagnostic);
        true
    }
}

/// The zero-sized "this was already reported": the error of everything that reports into a [`Sink`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Failed;

/// Result of a check that reports into a [`Sink`].
pub type Checked<T = ()> = Result<T, Failed>;

/// Defines rules as constants, and the list of all of them in this place.
///
/// ```
/// spirula_diag::rules! {
///     group "composite";
///     /// A literal index must select an existing part of the type it steps into.
///     INDEX_RANGE: "composite-index-range", spec "OpCompositeExtract";
///     /// Older front ends did otherwise.
///     ODD_ORDER: "odd-order", warn vuid "VUID-StandaloneSpirv-None-04633";
/// }
/// assert_eq!(RULES.len(), 2);
/// ```
#[macro_export]
macro_rules! rules {
    (group $group:literal; $($(#[doc = $doc:literal])+ $id:ident: $name:literal, $how:ident $($kind:ident)? $cite:literal;)*) => {
        $(
            $(#[doc = $doc])+
            pub(crate) static $id: $crate::Rule = $crate::Rule {
                name: $name,
                group: $group,
                cite: $crate::rules!(@cite $how $($kind)? $cite),
                severity: $crate::rules!(@severity $how),
                doc: concat!($($doc, "\n"),+),
            };
        )*

        /// The rules defined here.
        pub(crate) static RULES: &[&$crate::Rule] = &[$(&$id),*];
    };
    (@severity warn) => { $crate::Severity::Warning };
    (@severity allow) => { $crate::Severity::Allow };
    (@severity $kind:ident) => { $crate::Severity::Error };
    (@cite warn $kind:ident $cite:literal) => { $crate::rules!(@cite $kind $cite) };
    (@cite allow $kind:ident $cite:literal) => { $crate::rules!(@cite $kind $cite) };
    (@cite spec $cite:literal) => { $crate::Cite::Spec($cite) };
    (@cite own $cite:literal) => { $crate::Cite::Own($cite) };
    (@cite vuid $cite:literal) => { $crate::Cite::Vuid($cite) };
    (@cite extension $cite:literal) => { $crate::Cite::Extension($cite) };
    (@cite ext_inst $cite:literal) => { $crate::Cite::ExtInst($cite) };
    (@cite environment $cite:literal) => { $crate::Cite::Environment($cite) };
}
