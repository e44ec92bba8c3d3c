//! The operations that are measured and attacked.

use spirula_binary::Frames;
use spirula_module::{Index, Module};
use spirula_text::{AsmOptions, DisOptions, assemble, disassemble};
use spirula_val::{Options, Validator};

use crate::modules::Pinned;

/// A prepared operation: each call does it once more.
pub type Operation<'m> = Box<dyn FnMut() -> usize + 'm>;

/// Prepares an operation for a module.
pub type Prepare = fn(&Pinned) -> Operation<'_>;

/// All operations by name.
pub static OPERATIONS: &[(&str, Prepare)] = &[
    ("scan", scan),
    ("dis", dis),
    ("dis-raw", dis_raw),
    ("as", asm),
    ("val", val),
    ("val-universal", val_universal),
    ("index", index),
    ("reflect", reflect),
];

fn scan(m: &Pinned) -> Operation<'_> {
    Box::new(|| Frames::of(&m.words).filter_map(Result::ok).fold(0, |n, i| n + usize::from(i.result().is_some())))
}

fn dis(m: &Pinned) -> Operation<'_> {
    Box::new(|| disassemble(&m.words, &DisOptions::default()).text.len())
}

/// Options for text that assembles to the same words.
fn raw() -> DisOptions {
    DisOptions { raw_ids: true, ..DisOptions::default() }
}

fn dis_raw(m: &Pinned) -> Operation<'_> {
    Box::new(|| disassemble(&m.words, &raw()).text.len())
}

fn asm(m: &Pinned) -> Operation<'_> {
    let text = disassemble(&m.words, &raw()).text;
    let options =
        AsmOptions { preserve_numeric_ids: true, keep_header: true, any_version: true, ..AsmOptions::default() };
    Box::new(move || assemble(text.as_bytes(), &options).map_or(0, |w| w.len()))
}

fn val(m: &Pinned) -> Operation<'_> {
    let mut validator = Validator::new(m.env.parse().ok(), Options::default());
    Box::new(move || usize::from(validator.validate(&m.words).is_ok()))
}

fn val_universal(m: &Pinned) -> Operation<'_> {
    let mut validator = Validator::new("spv1.6".parse().ok(), Options::default());
    Box::new(move || usize::from(validator.validate(&m.words).is_ok()))
}

fn index(m: &Pinned) -> Operation<'_> {
    let mut index = Index::new();
    Box::new(move || Module::new(&m.words, &mut index).entry_points().count())
}

fn reflect(m: &Pinned) -> Operation<'_> {
    let mut reflector = spirula_reflect::Reflector::new();
    Box::new(move || reflector.reflect(&m.words).entry_points.len())
}
