//! What a module requires of Vulkan.

mod causes;
mod table;

use alloc::vec::Vec;
use core::mem::size_of;

use spirula_binary::LitStr;
use spirula_grammar::Capability;

use crate::model::{Cause, ExtensionRequirement, Requirement, Requirements, Term, Text, VersionNumber};
use crate::{Cx, text};
use table::{EXTENSIONS, NONE, Row};

/// A requirement in the making.
struct Wanted<'m> {
    row: &'static Row,
    causes: Vec<Cause<'m>>,
}

pub(crate) fn of<'m>(cx: &Cx<'_, 'm>) -> Requirements<'m> {
    let m = &cx.m;
    let declared = &cx.lists.capabilities;
    let extensions = cx.survey.extensions.iter().copied();
    let extensions = extensions.take_while(|e| cx.budget.take(size_of::<Text<'_>>() + e.len())).map(LitStr::text);
    let extensions: Vec<Text<'m>> = extensions.collect();
    let rows = declared.iter().filter_map(|c| table::row(*c));
    let mut wanted: Vec<Wanted<'_>> = rows.map(|row| Wanted { row, causes: Vec::new() }).collect();
    causes::find(cx, &mut wanted);
    let minor = m.version().minor;
    // Vulkan 1.0 takes SPIR-V 1.0, 1.1 takes 1.3, 1.2 takes 1.5, 1.3 takes 1.6.
    let vulkan = [0, 1, 1, 1, 2, 2].get(usize::from(minor)).copied().unwrap_or(3);
    Requirements {
        vulkan: VersionNumber { major: 1, minor: vulkan },
        capabilities: declared.iter().map(|c| text(*c, Capability::name)).collect(),
        device_extensions: EXTENSIONS
            .iter()
            .filter(|e| extensions.iter().any(|own| own == e.0))
            .map(|(extension, device_extension, core)| ExtensionRequirement {
                extension: Term::Borrowed(extension),
                device_extension: Term::Borrowed(device_extension),
                core: version(*core),
            })
            .collect(),
        extensions,
        features: wanted.into_iter().map(requirement).collect(),
    }
}

fn version(minor: u8) -> Option<VersionNumber> {
    (minor != NONE).then_some(VersionNumber { major: 1, minor })
}

fn requirement(wanted: Wanted<'_>) -> Requirement<'_> {
    let (capability, features, extensions, core) = wanted.row;
    Requirement {
        features,
        extensions,
        core: version(*core),
        capability: text(*capability, Capability::name),
        causes: wanted.causes,
    }
}
