//! Which function judges which instruction: the validator's table of contents.
//!
//! Each file of `rules/` lists its instructions in a table of its own; here the tables become one, by opcode, when the
//! crate is compiled. An instruction listed twice in a layer does not compile.

use spirula_binary::Inst;
use spirula_diag::Checked;
use spirula_grammar::{InstDesc, Op};

use crate::cx::Cx;
use crate::rules::*;

/// A function that judges one instruction.
pub(crate) type RuleFn = for<'a, 'b> fn(&mut Cx<'a>, Inst<'a>) -> Checked;

/// Instructions with the functions that judge them.
pub(crate) type Table = &'static [(Op, RuleFn)];

/// `Load => load; IAdd | ISub => add;`
macro_rules! rule_table {
    ($($($op:ident)|+ => $f:expr;)*) => {
        &[$($((spirula_grammar::Op::$op, $f as crate::dispatch::RuleFn),)+)*]
    };
}
pub(crate) use rule_table;

/// The instruction classes, in the order of §3.3.
static BY_CLASS: [Option<RuleFn>; Op::COUNT] = build(&[
    misc::TABLE,
    debug::TABLE,
    annotation::TABLE,
    extension::TABLE,
    mode_setting::TABLE,
    types::TABLE,
    constant::TABLE,
    memory::TABLE,
    function::TABLE,
    image::TABLE,
    conversion::TABLE,
    composite::TABLE,
    arithmetic::TABLE,
    bit::TABLE,
    relational::TABLE,
    derivative::TABLE,
    control_flow::TABLE,
    atomic::TABLE,
    primitive::TABLE,
    barrier::TABLE,
    group::TABLE,
    device_enqueue::TABLE,
    pipe::TABLE,
    non_uniform::TABLE,
    tensor::TABLE,
    graph::TABLE,
    reserved::TABLE,
    ray::TABLE,
    ray::QUERY_TABLE,
    ray::HIT_OBJECT_TABLE,
    mesh::TABLE,
    cooperative_matrix::TABLE,
]);

/// Vulkan's further rules for instructions.
static VULKAN: [Option<RuleFn>; Op::COUNT] = build(vulkan::TABLES);

/// OpenCL's further rules for instructions.
static OPENCL: [Option<RuleFn>; Op::COUNT] = build(opencl::TABLES);
/// Rules that cut across the classes.
static ACROSS: [Option<RuleFn>; Op::COUNT] = build(&[pointers::TABLE]);

const fn build(tables: &[Table]) -> [Option<RuleFn>; Op::COUNT] {
    let mut all: [Option<RuleFn>; Op::COUNT] = [None; Op::COUNT];
    let mut t = 0;
    while t < tables.len() {
        let mut i = 0;
        while i < tables[t].len() {
            let row = row_of(tables[t][i].0);
            assert!(all[row].is_none(), "an instruction has two rule functions in one layer");
            all[row] = Some(tables[t][i].1);
            i += 1;
        }
        t += 1;
    }
    all
}

const fn row_of(op: Op) -> usize {
    let rows = Op::all();
    let (mut low, mut high) = (0, rows.len());
    while low < high {
        let middle = (low + high) / 2;
        if rows[middle].op.0 < op.0 {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    assert!(rows[low].op.0 == op.0, "an opcode without a row");
    low
}

/// Judges one instruction by its class's rules, then by the environment's.
#[inline]
pub(crate) fn instruction<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
    let row = usize::from(desc.row);
    if let Some(rule) = BY_CLASS[row] {
        rule(cx, inst)?;
    }
    if let Some(rule) = ACROSS[row] {
        rule(cx, inst)?;
    }
    if cx.env.is_vulkan()
        && let Some(rule) = VULKAN[row]
    {
        rule(cx, inst)?;
    }
    if cx.env.is_opencl()
        && let Some(rule) = OPENCL[row]
    {
        rule(cx, inst)?;
    }
    Ok(())
}

/// Whether some function judges the instruction.
#[cfg(test)]
pub(crate) fn has_rule(op: Op) -> bool {
    let row = row_of(op);
    BY_CLASS[row].is_some() || VULKAN[row].is_some()
}
