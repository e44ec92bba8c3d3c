//! What task shaders hand to mesh shaders.

use alloc::format;

use spirula_binary::Id;
use spirula_diag::Site;
use spirula_grammar::{ExecutionModel as Model, Op, StorageClass};

use super::surface::{Fit, describe, fit};
use super::{Link, PAYLOAD, Side, Stage};

/// The payload variable of a stage: it, its type, where it is declared.
fn payload(stage: Stage<'_>) -> Option<(Id, Id, Site)> {
    let m = stage.module;
    let variables = stage.entry.interface.iter().filter_map(|w| m.def(Id(*w)));
    let is_payload = |class: u32| StorageClass(class) == StorageClass::TaskPayloadWorkgroupEXT;
    let variable = variables.filter(|v| v.op() == Op::Variable).find(|v| is_payload(v.word(3)))?;
    let (_, ty) = m.pointer(variable.id(1))?;
    Some((variable.id(2), ty, Site::at(variable.offset())))
}

pub(super) fn judge(link: &mut Link<'_, '_>, before: usize, after: usize) {
    let (task, mesh) = (link.stage(before), link.stage(after));
    if (task.entry.model, mesh.entry.model) != (Model::TaskEXT, Model::MeshEXT) {
        return;
    }
    let Some((id, ty, at)) = payload(mesh) else { return };
    let Some((given, given_ty, given_at)) = payload(task) else {
        let other = link.entry_of(before, format!("{} has none", link.name(before)));
        link.fail(&PAYLOAD, after, at, format!("the payload {id} comes from the task shader"), other);
        return;
    };
    if fit((task.module, given_ty), (mesh.module, ty)) != Fit::Same {
        let text = format!("the payload {id} is {}", describe(mesh.module, ty));
        let theirs = describe(task.module, given_ty);
        let there = format!("the payload {given} is {theirs} and differs");
        link.fail(&PAYLOAD, after, at, text, Some(Side { stage: before, at: given_at, text: there }));
    }
}
