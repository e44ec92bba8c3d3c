//! The validator: every rule with its citation, all errors in one run.
#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

#[cfg(test)]
mod coverage;
mod cx;
mod dispatch;
mod env;
mod facts;
mod finish;
mod flow;
mod grammar;
mod id_set;
pub mod link;
mod options;
mod rules;
mod shares;
mod signature;
mod walk;

use alloc::vec::Vec;

use bumpalo::Bump;
use spirula_binary::Id;
use spirula_diag::{Diagnostic, Rule, Severity};
use spirula_grammar::{Capability, Op};
use spirula_module::{Index, Module};

use crate::cx::Shared;
use crate::dispatch::Layer;
use crate::facts::TypeFacts;
use crate::flow::Flow;
use crate::id_set::IdSet;
use crate::rules::ext_inst::lines::SourceLines;

pub use env::{Client, ENVIRONMENTS, TargetEnv, UnknownEnv};
pub use options::{DescriptorLayout, Limits, Options};
pub use shares::Bodies;

/// Validates modules for one environment. Owns all scratch memory, so that a warm validator does not allocate.
#[derive(Debug)]
pub struct Validator {
    env: Option<TargetEnv>,
    options: Options,
    index: Index,
    flow: Flow,
    poison: IdSet,
    forward_pointers: Vec<(Id, u32)>,
    arena: Bump,
    facts: TypeFacts,
    sources: SourceLines,
    shares: Vec<shares::State>,
}

/// What was found wrong.
#[derive(Clone, Debug)]
pub struct Report {
    /// The environment that was used, where it had to be chosen from the module too.
    pub env: TargetEnv,
    /// The findings in order of their place in the module: at least one is an error.
    pub diagnostics: Vec<Diagnostic>,
}

/// The proof that words are a valid module.
#[derive(Debug)]
pub struct Valid<'w> {
    /// The words.
    pub words: &'w [u32],
    /// The environment for which they are valid.
    pub env: TargetEnv,
    /// Findings that are not errors.
    pub warnings: Vec<Diagnostic>,
}

impl Validator {
    /// A validator for `env`; `None` chooses by each module: a module with capability `Shader` is validated for the
    /// newest Vulkan that takes its version, one with `Kernel` for OpenCL, any other by the SPIR-V specification alone.
    pub fn new(env: Option<TargetEnv>, options: Options) -> Validator {
        Validator {
            env,
            options,
            index: Index::new(),
            flow: Flow::default(),
            poison: IdSet::default(),
            forward_pointers: Vec::new(),
            arena: Bump::new(),
            facts: TypeFacts::default(),
            sources: SourceLines::default(),
            shares: Vec::new(),
        }
    }

    /// Validates one module.
    ///
    /// # Errors
    /// All findings, where at least one of them is an error.
    pub fn validate<'w>(&mut self, words: &'w [u32]) -> Result<Valid<'w>, Report> {
        self.validate_shared(words, 1, |_| {})
    }

    /// Validates one module, of which `run` may check the function bodies on threads of its own. There are at most
    /// `shares` shares, of about the same size; those that `run` leaves unchecked are checked here.
    ///
    /// The result is that of [`validate`](Self::validate), in the same order, however the work was done. It pays for
    /// modules with several functions and hundreds of kilobytes.
    ///
    /// ```
    /// # use spirula_val::{Bodies, Options, Report, Valid, Validator};
    /// fn on_threads<'w>(validator: &mut Validator, words: &'w [u32], threads: usize) -> Result<Valid<'w>, Report> {
    ///     validator.validate_shared(words, threads, |shares| {
    ///         std::thread::scope(|scope| shares.iter_mut().for_each(|share| drop(scope.spawn(|| share.check()))));
    ///     })
    /// }
    /// // With rayon: `validator.validate_shared(words, n, |shares| shares.par_iter_mut().for_each(Bodies::check))`.
    /// # assert!(on_threads(&mut Validator::new(None, Options::default()), &[], 2).is_err());
    /// ```
    ///
    /// # Errors
    /// All findings, where at least one of them is an error.
    pub fn validate_shared<'w>(
        &mut self,
        words: &'w [u32],
        shares: usize,
        run: impl FnOnce(&mut [Bodies<'_>]),
    ) -> Result<Valid<'w>, Report> {
        let m = Module::new(words, &mut self.index);
        let env = self.env.unwrap_or_else(|| environment_of(&m));
        self.poison.clear();
        self.flow.reset();
        self.forward_pointers.clear();
        let announcements = m.global_insts().filter(|i| i.op() == Op::TypeForwardPointer);
        self.forward_pointers.extend(announcements.map(|i| (i.id(1), i.offset())));
        self.facts.fill(m);
        self.sources.fill(m);
        let shared = Shared {
            m,
            env,
            layer: Layer::of(env.client),
            options: &self.options,
            version: m.version(),
            bound: m.header().map_or(0, |h| h.bound),
            forward_pointers: &self.forward_pointers,
            facts: &self.facts,
            sources: &self.sources,
        };
        let mut diagnostics: Vec<Diagnostic> = Vec::new();
        let states = &mut self.shares;
        walk::module(shared, &self.arena, &mut self.flow, &mut self.poison, &mut diagnostics, |cx, layout| {
            shares::walk(cx, layout, states, shares, run);
        });
        self.recycle();
        diagnostics.sort_by_key(|d| d.at.word);
        if diagnostics.iter().any(|d| d.severity == Severity::Error) {
            return Err(Report { env, diagnostics });
        }
        Ok(Valid { words, env, warnings: diagnostics })
    }
}

impl Validator {
    /// Makes the arena one piece, large enough for the same module again.
    fn recycle(&mut self) {
        let used = self.arena.allocated_bytes();
        self.arena.reset();
        if self.arena.allocated_bytes() < used {
            self.arena = Bump::with_capacity(used);
        }
    }
}

/// The environment that a module is most likely made for.
fn environment_of(m: &Module<'_>) -> TargetEnv {
    let version = m.version();
    if m.has(Capability::Shader) {
        let vulkan = ENVIRONMENTS.iter().rfind(|e| e.is_vulkan());
        return vulkan.copied().unwrap_or(TargetEnv::universal(6));
    }
    if m.has(Capability::Kernel) {
        let mut opencl = ENVIRONMENTS.iter().filter(|e| matches!(e.client, Client::OpenCl { embedded: false, .. }));
        return opencl.rfind(|e| e.version >= version).copied().unwrap_or(TargetEnv::universal(6));
    }
    TargetEnv::universal(6)
}

/// All rules that the validator knows.
pub fn rules() -> impl Iterator<Item = &'static Rule> {
    rules::ALL.iter().flat_map(|list| list.iter().copied())
}
