//! The pinned modules: what speed and allocations are gated on, and what mutants are made of.

use spirula_text::{AsmOptions, assemble};

use crate::generate::FAMILIES;

/// A module of ours.
#[derive(Clone, Debug)]
pub struct Pinned {
    /// Name.
    pub name: String,
    /// Environment in which it is valid.
    pub env: &'static str,
    /// Its words.
    pub words: Vec<u32>,
}

macro_rules! texts {
    ($($name:literal: $env:literal),* $(,)?) => {
        &[$(($name, $env, include_str!(concat!("../modules/", $name, ".spvasm")))),*]
    };
}

/// Small modules as text: a shader for most stages, a kernel. Compiled from shaders that were written for this.
static TEXTS: &[(&str, &str, &str)] = texts![
    "skin.vert": "vulkan1.3",
    "lit.frag": "vulkan1.3",
    "scan.comp": "vulkan1.3",
    "image.comp": "vulkan1.3",
    "pointer.comp": "vulkan1.3",
    "trace.rgen": "vulkan1.3",
    "grass.mesh": "vulkan1.3",
    "literals": "opencl2.2",
];

/// The small modules that are kept as text.
///
/// # Panics
/// Where one does not assemble.
pub fn texts() -> Vec<Pinned> {
    TEXTS
        .iter()
        .map(|(name, env, text)| {
            let words = assemble(
                text.as_bytes(),
                &AsmOptions {
                    preserve_numeric_ids: true,
                    keep_header: true,
                    any_version: true,
                    ..AsmOptions::default()
                },
            )
            .unwrap_or_else(|e| panic!("{name} does not assemble: {e:?}"));
            Pinned { name: (*name).to_owned(), env, words }
        })
        .collect()
}

/// Generated modules: every family in these sizes.
pub fn generated(sizes: &[u32]) -> Vec<Pinned> {
    let one = |family: &'static crate::generate::Family, n: &u32| Pinned {
        name: format!("{}-{n}", family.name),
        env: family.env,
        words: family.module(*n),
    };
    FAMILIES.iter().flat_map(|f| sizes.iter().map(move |n| one(f, n))).collect()
}

/// The modules that `cargo xtask perf` measures: the texts, and five large ones.
pub fn measured() -> Vec<Pinned> {
    let large = [("arithmetic", 4000), ("branches", 1000), ("types", 200), ("chains", 800), ("debug", 2000)];
    let mut all = texts();
    for (name, n) in large {
        let family = FAMILIES.iter().filter(|f| f.name == name);
        all.extend(family.map(|f| Pinned { name: format!("{name}-{n}"), env: f.env, words: f.module(n) }));
    }
    all
}

/// The modules that mutants are made of: small, and many kinds.
pub fn seeds() -> Vec<Pinned> {
    let mut all = texts();
    all.extend(generated(&[0, 1, 3, 8]));
    all
}
