//! Rules that need more than one instruction: what is judged when a function, or the module, has been walked.

use spirula_module::Function;

use crate::cx::Cx;
use crate::rules;

/// Judged at the end of each function.
pub(crate) static FUNCTION: &[for<'a> fn(&mut Cx<'a>, &'a Function)] =
    &[rules::control_flow::function, rules::structured::function, rules::limits::function];

/// Judged at the end of the module.
#[rustfmt::skip] // one line each
pub(crate) static MODULE: &[for<'a> fn(&mut Cx<'a>)] = &[
    rules::types::unique,
    rules::annotation::block_module,
    rules::annotation::numeric_module,
    rules::annotation::qualifier_module,
    rules::vulkan::decorations::module,
    rules::function::linkage_names,
    rules::function::entry_points,
    rules::explicit_layout::module,
    rules::small_types::module,
    rules::pointers::variable_pointers,
    rules::pointers::physical_pointers,
    rules::memory::raw_access_chains,
    rules::call_graph::module,
    rules::graph::module,
    rules::cooperative_matrix::types::module,
    rules::cooperative_matrix::callback::module,
    rules::image::tile::module,
    rules::reach::module,
    rules::mesh::module,
    rules::enqueue::module,
    rules::intel::module,
    rules::ray::module,
    rules::limits::module,
    rules::mode_setting::module,
    rules::interface::module,
    rules::vulkan::environment::module,
    rules::vulkan::resources::module,
    rules::vulkan::interfaces::module,
    rules::vulkan::interpolation::module,
    rules::vulkan::row_major::module,
    rules::vulkan::transform::module,
    rules::vulkan::view_index::module,
    rules::vulkan::dynamic_indexing::module,
    rules::vulkan::builtins::module,
];

pub(crate) fn function<'a>(cx: &mut Cx<'a>, function: &'a Function) {
    for rule in FUNCTION {
        rule(cx, function);
    }
}

pub(crate) fn module(cx: &mut Cx<'_>) {
    for rule in MODULE {
        rule(cx);
    }
}
