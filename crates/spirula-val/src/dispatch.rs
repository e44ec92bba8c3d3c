//! Which function judges which instruction: the validator's table of contents.
//!
//! Each file of `rules/` lists its instructions in a table of its own; here the tables become one, by opcode, when the
//! crate is compiled. An instruction listed twice in a layer does not compile.

use spirula_binary::Inst;
use spirula_diag::Checked;
use spirula_grammar::{InstDesc, Op, OperandKind};

use crate::cx::Cx;
use crate::rules::*;
use crate::signature::Signature;
use crate::{Client, grammar, signature};

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
const BY_CLASS: [Option<RuleFn>; Op::COUNT] = build(&[
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
    enqueue::TABLE,
    pipe::TABLE,
    non_uniform::TABLE,
    tensor::TABLE,
    graph::TABLE,
    reserved::TABLE,
    vendor::TABLE,
    ray::TABLE,
    ray::QUERY_TABLE,
    ray::HIT_OBJECT_TABLE,
    mesh::TABLE,
    cooperative_matrix::TABLE,
]);

/// Vulkan's further rules for instructions.
const VULKAN: [Option<RuleFn>; Op::COUNT] = build(vulkan::TABLES);

/// OpenCL's further rules for instructions.
const OPENCL: [Option<RuleFn>; Op::COUNT] = build(opencl::TABLES);

/// Rules that cut across the classes.
const ACROSS: [Option<RuleFn>; Op::COUNT] = build(&[pointers::TABLE]);

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

/// Which client's further rules hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Layer {
    None,
    Vulkan,
    OpenCl,
}

impl Layer {
    pub(crate) fn of(client: Client) -> Layer {
        match client {
            Client::Vulkan(_) => Layer::Vulkan,
            Client::OpenCl { .. } => Layer::OpenCl,
            Client::Universal | Client::OpenGl(_) => Layer::None,
        }
    }
}

/// All that the validator's tables know of an instruction, by its row in the grammar.
pub(crate) struct Row {
    /// Bit `i` tells that word `i`, of the mandatory ones, is an id other than result type and result.
    pub(crate) ids: u32,
    /// Bit `i` tells that word `i`, of the mandatory ones, is an enumerant or a mask.
    pub(crate) enums: u32,
    /// See [`layout::is_ordinary`].
    pub(crate) ordinary: bool,
    /// See [`layout::section_of`].
    pub(crate) section: Option<layout::Section>,
    /// Number of words at the start of which `ids` and `enums` tell all.
    pub(crate) front: u8,
    /// The kind of the first operand that may be left out, where those before it take a word each.
    pub(crate) optional: OperandKind,
    /// Whether the opcode needs neither capability, extension nor version.
    pub(crate) free: bool,
    signature: Option<&'static Signature>,
    rules: [Option<RuleFn>; 2],
    /// By [`Layer`].
    environment: [Option<RuleFn>; 3],
}

static ROWS: [Row; Op::COUNT] = {
    const NONE: Row = Row {
        ids: 0,
        enums: 0,
        ordinary: false,
        section: None,
        front: 1,
        optional: OperandKind::IdRef,
        free: false,
        signature: None,
        rules: [None; 2],
        environment: [None; 3],
    };
    let mut rows = [NONE; Op::COUNT];
    let mut i = 0;
    while i < rows.len() {
        let desc = &Op::all()[i];
        let (ids, enums) = grammar::masks(desc);
        rows[i] = Row {
            ids,
            enums,
            ordinary: layout::is_ordinary(desc),
            section: layout::section_of(desc),
            front: grammar::front(desc) as u8,
            optional: grammar::first_optional(desc),
            free: desc.is_free(),
            signature: signature::BY_ROW[i],
            rules: [BY_CLASS[i], ACROSS[i]],
            environment: [None, VULKAN[i], OPENCL[i]],
        };
        i += 1;
    }
    rows
};

impl Row {
    /// The row of an instruction.
    #[inline]
    pub(crate) fn of(desc: &InstDesc) -> &'static Row {
        &ROWS[usize::from(desc.row)]
    }

    /// Judges one instruction by its signature, its class's rules, then by the environment's.
    #[inline]
    pub(crate) fn judge<'a>(&self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
        if let Some(signature) = self.signature {
            signature::instruction(cx, inst, desc, signature)?;
        }
        if let Some(rule) = self.rules[0] {
            rule(cx, inst)?;
        }
        // Found easy by the class's rules: then the others have nothing to ask.
        if cx.easy == inst.offset() {
            return Ok(());
        }
        if let Some(rule) = self.rules[1] {
            rule(cx, inst)?;
        }
        match self.environment[cx.layer as usize] {
            Some(rule) => rule(cx, inst),
            None => Ok(()),
        }
    }
}

/// Whether some function judges the instruction.
#[cfg(test)]
pub(crate) fn has_rule(op: Op) -> bool {
    let row = &ROWS[row_of(op)];
    row.rules.iter().chain(&row.environment).any(Option::is_some)
}
