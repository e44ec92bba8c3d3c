//! Descriptor set layouts.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::blocks::{Block, difference};
use super::{Merge, flag_names};
use crate::model::*;
use crate::rows::cell;
use crate::{TypeRef, table};

/// A variable, as a stage uses it.
#[derive(Clone, Copy)]
struct Use<'r> {
    stage: usize,
    report: &'r Reflection<'r>,
    variable: &'r Binding<'r>,
    read: bool,
    written: bool,
}

impl Use<'_> {
    fn is_of_same_module(&self, other: &Use<'_>) -> bool {
        core::ptr::eq(self.report, other.report)
    }
}

/// The layouts of all sets.
pub(super) fn sets(merge: &mut Merge<'_>) -> Vec<SetLayout> {
    let mut by_place: BTreeMap<(u32, u32), Vec<Use<'_>>> = BTreeMap::new();
    let mut nowhere = Vec::new();
    for (stage, s) in merge.stages.iter().enumerate() {
        if super::stage_kind(s.model()).is_none() {
            continue;
        }
        for used in s.point().map_or(&[][..], |p| &p.bindings) {
            let Some(variable) = s.report.bindings.get(used.binding as usize) else { continue };
            let own = Use { stage, report: s.report, variable, read: used.read, written: used.written };
            match (variable.set, variable.binding, &variable.kind) {
                // Heaps are bound as a whole, without a layout.
                (_, _, DescriptorKind::SamplerHeap | DescriptorKind::ResourceHeap) => {}
                (Some(set), Some(binding), _) => by_place.entry((set, binding)).or_default().push(own),
                _ => nowhere.push(own),
            }
        }
    }
    for u in nowhere {
        let message = format!("the variable {} of {} has no set and binding", named(&u), merge.who(u.stage));
        merge.conflict(ConflictSeverity::Error, ConflictKind::NoBinding, &[u.stage], message);
    }
    let mut sets: Vec<SetLayout> = Vec::new();
    for ((set, binding), uses) in &by_place {
        let layout = layout(merge, *set, *binding, uses);
        match sets.last_mut().filter(|s| s.set == *set) {
            Some(s) => s.bindings.push(layout),
            None => sets.push(SetLayout { set: *set, bindings: alloc::vec![layout] }),
        }
    }
    sets
}

fn named(u: &Use<'_>) -> String {
    if u.variable.name.is_empty() { format!("%{}", u.variable.id) } else { format!("`{}`", cell(&u.variable.name)) }
}

fn layout(merge: &mut Merge<'_>, set: u32, binding: u32, uses: &[Use<'_>]) -> LayoutBinding {
    let before = merge.conflicts.len();
    let (kind, mutable) = kinds(merge, uses);
    if !mutable {
        compare(merge, uses);
    }
    for c in &mut merge.conflicts[before..] {
        (c.set, c.binding) = (Some(set), Some(binding));
        c.message = format!("set {set}, binding {binding}: {}", c.message);
    }
    let flags = uses.iter().fold(0, |all, u| all | merge.flag(u.stage));
    let (descriptor_type, vk_descriptor_type) =
        if mutable { ("MUTABLE_EXT", 1_000_351_000) } else { descriptor_type(&kind) };
    LayoutBinding {
        binding,
        kind,
        descriptor_type: descriptor_type.to_string(),
        vk_descriptor_type,
        count: uses.iter().filter_map(|u| known(&u.variable.count)).max().unwrap_or(1),
        unbounded: uses.iter().any(|u| matches!(u.variable.count, Count::Runtime)),
        specialised: uses.iter().any(|u| matches!(u.variable.count, Count::Spec { .. })),
        stages: flag_names(flags),
        vk_stages: flags,
        read: uses.iter().any(|u| u.read),
        written: uses.iter().any(|u| u.written),
        size: uses.iter().filter_map(|u| u.variable.size).max(),
        uses: uses
            .iter()
            .map(|u| LayoutUse {
                stage: u.stage as u32,
                id: u.variable.id,
                name: merge.name(&u.variable.name),
                kind: u.variable.kind.clone(),
            })
            .collect(),
    }
}

/// The kind that serves all uses, and whether only mutable descriptors do. Combined image samplers serve images and
/// samplers, too.
fn kinds(merge: &mut Merge<'_>, uses: &[Use<'_>]) -> (DescriptorKind, bool) {
    use DescriptorKind::{CombinedImageSampler, Other, SampledImage, Sampler};
    let Some(first) = uses.first() else { return (Other, false) };
    let sampling = |k: &DescriptorKind| matches!(k, CombinedImageSampler | SampledImage | Sampler);
    let mut kind = first.variable.kind.clone();
    let mut mutable = false;
    for u in uses {
        let own = &u.variable.kind;
        if *own == kind {
            continue;
        }
        if sampling(own) && sampling(&kind) {
            kind = CombinedImageSampler;
            continue;
        }
        // One module does it on purpose, and so does a heap of descriptors.
        let heap = |u: &Use<'_>| matches!(u.variable.count, Count::Runtime);
        let meant = first.is_of_same_module(u) || heap(first) && heap(u);
        if meant && mutable {
            continue;
        }
        let message = format!(
            "{} of {} is {}, but {} of {} is {}{}",
            named(first),
            merge.who(first.stage),
            with_article(table::kind(&first.variable.kind)),
            named(u),
            merge.who(u.stage),
            with_article(table::kind(own)),
            if meant { ": only mutable descriptors serve both" } else { "" },
        );
        let severity = if meant { ConflictSeverity::Warning } else { ConflictSeverity::Error };
        merge.conflict(severity, ConflictKind::DescriptorKind, &[first.stage, u.stage], message);
        mutable = true;
        if !meant {
            break;
        }
    }
    (kind, mutable)
}

/// Compares each use with the first of its kind. What is found is legal, and suspicious.
fn compare(merge: &mut Merge<'_>, uses: &[Use<'_>]) {
    let mut firsts: Vec<Use<'_>> = Vec::new();
    for u in uses {
        let Some(first) = firsts.iter().find(|f| f.variable.kind == u.variable.kind).copied() else {
            firsts.push(*u);
            continue;
        };
        // What a module declares twice, it means twice.
        if first.is_of_same_module(u) {
            continue;
        }
        let (one, other) = (&first.variable.count, &u.variable.count);
        let (kind, what) = if let (Some(a), Some(b)) = (known(one), known(other))
            && a != b
        {
            (ConflictKind::DescriptorCount, Some((format!("has {a} descriptors"), format!("has {b}"))))
        // Shaders that choose among many descriptors see the same ones as different things on purpose.
        } else if matches!((one, other), (Count::Fixed(1), Count::Fixed(1))) {
            contents(&first, u, &mut merge.comparisons)
        } else {
            continue;
        };
        let Some((left, right)) = what else { continue };
        let (who, other_who) = (merge.who(first.stage), merge.who(u.stage));
        let message = format!("{} of {who} {left}, but {} of {other_who} {right}", named(&first), named(u));
        merge.conflict(ConflictSeverity::Warning, kind, &[first.stage, u.stage], message);
    }
}

/// How the contents of one descriptor differ for two variables.
fn contents(a: &Use<'_>, b: &Use<'_>, budget: &mut u32) -> (ConflictKind, Option<(String, String)>) {
    if let (Some(one), Some(other)) = (image(a), image(b)) {
        return (ConflictKind::ImageType, images(one, other));
    }
    let (Some(size), Some(other_size)) = (a.variable.size, b.variable.size) else {
        return (ConflictKind::BlockLayout, None);
    };
    let (one, other) = (Block { report: a.report, ty: a.variable.ty }, Block { report: b.report, ty: b.variable.ty });
    if let Some((at, left, right)) = difference(one, other, budget) {
        return (ConflictKind::BlockLayout, Some((format!("has {left} at byte {at}"), format!("has {right} there"))));
    }
    let sizes = (format!("is a block of {size} bytes"), format!("is one of {other_size} bytes"));
    (ConflictKind::BlockSize, (size != other_size).then_some(sizes))
}

fn images(one: (String, Option<&str>), other: (String, Option<&str>)) -> Option<(String, String)> {
    if one.0 != other.0 {
        return Some((format!("is {}", with_article(&one.0)), format!("is {}", with_article(&other.0))));
    }
    // Without a format in the shader, any will do.
    let (format, other_format) = one.1.zip(other.1).filter(|(x, y)| x != y)?;
    Some((format!("has format {format}"), format!("has format {other_format}")))
}

/// What an image view must be, in words, and the format that it must have, where the shader wants one.
fn image<'r>(u: &Use<'r>) -> Option<(String, Option<&'r str>)> {
    let kind = |ty: TypeRef| u.report.types.get(ty.0 as usize).map(|t| &t.kind);
    let (TypeKind::Image(i) | TypeKind::SampledImage(i)) = kind(u.variable.ty)? else { return None };
    let numbers = match kind(i.sampled_type) {
        Some(TypeKind::Int { signed: true, .. }) => "signed integer ",
        Some(TypeKind::Int { signed: false, .. }) => "unsigned integer ",
        _ => "",
    };
    let arrayed = if i.arrayed { " array" } else { "" };
    let multisampled = if i.multisampled { "multisampled " } else { "" };
    let format = Some(&*i.format).filter(|f| *f != "Unknown");
    Some((format!("{multisampled}{numbers}{}{arrayed} image", i.dim), format))
}

fn with_article(text: &str) -> String {
    let an = text.starts_with(['a', 'i', 'o']) || text.starts_with("unsigned");
    format!("{} {text}", if an { "an" } else { "a" })
}

fn known(count: &Count) -> Option<u32> {
    match count {
        Count::Fixed(n) | Count::Spec { default: Some(n), .. } => Some(*n),
        _ => None,
    }
}

/// `VkDescriptorType`: name and value.
fn descriptor_type(kind: &DescriptorKind) -> (&'static str, u32) {
    match kind {
        DescriptorKind::Sampler => ("SAMPLER", 0),
        DescriptorKind::CombinedImageSampler => ("COMBINED_IMAGE_SAMPLER", 1),
        DescriptorKind::SampledImage => ("SAMPLED_IMAGE", 2),
        DescriptorKind::StorageImage => ("STORAGE_IMAGE", 3),
        DescriptorKind::UniformTexelBuffer => ("UNIFORM_TEXEL_BUFFER", 4),
        DescriptorKind::StorageTexelBuffer => ("STORAGE_TEXEL_BUFFER", 5),
        DescriptorKind::UniformBuffer => ("UNIFORM_BUFFER", 6),
        DescriptorKind::StorageBuffer => ("STORAGE_BUFFER", 7),
        DescriptorKind::InputAttachment => ("INPUT_ATTACHMENT", 10),
        DescriptorKind::AccelerationStructure => ("ACCELERATION_STRUCTURE_KHR", 1_000_150_000),
        DescriptorKind::Tensor => ("TENSOR_ARM", 1_000_460_000),
        DescriptorKind::SamplerHeap | DescriptorKind::ResourceHeap | DescriptorKind::Other => ("", u32::MAX),
    }
}
