//! Debug information: DebugInfo, OpenCL.DebugInfo.100, NonSemantic.Shader.DebugInfo, NonSemantic.Graph.DebugInfo.

use alloc::format;
use alloc::string::String;

use spirula_binary::{Id, Inst};
use spirula_diag::{Checked, rules};
use spirula_grammar::{ExtSet, Op};
use spirula_module::{IdInfo, Module, Shape, Type as Of};

use super::{Ext, FIRST, lines, revision_of, shader_debug};
use crate::cx::{Cx, msg};

rules! {
    group "debug_info";
    /// An operand of a debug instruction refers to what the instruction describes: a string, a constant, or another
    /// debug instruction of the right kind.
    OPERAND: "debug-info-operand", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// An operand of an instruction of the set DebugInfo refers to what the instruction describes. A warning: the set is no
    /// longer in use, and its text describes operands rather than demanding them.
    PLAIN_OPERAND: "debug-info-plain-operand", warn ext_inst "DebugInfo";
    /// The Result Type of a debug instruction is void.
    RESULT: "debug-info-result-type", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// Scopes, declarations of variables and lines stand in functions; descriptions stand between the types and the
    /// functions.
    PLACE: "debug-info-place", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// An instruction or operand that a later revision of the set brought needs that revision.
    REVISION: "debug-info-revision", ext_inst "NonSemantic.Shader.DebugInfo.101";
}

/// What an operand must be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum W {
    /// Anything, and literals.
    Any,
    /// `OpString`.
    Str,
    /// `DebugSource`.
    Src,
    /// A lexical scope.
    Scope,
    /// Any debug type.
    Type,
    /// Any debug type, or `OpTypeVoid`.
    Return,
    /// The debug instruction with this number.
    Is(u32),
    /// `DebugTypeComposite` of a class or structure.
    Class,
    /// A member of a composite.
    Member,
    /// What a template makes.
    Target,
    /// A parameter of a template.
    Parameter,
    /// `DebugTypeMember`.
    Declared,
    /// Any constant.
    Value,
    /// `OpConstant`.
    Const,
    /// `OpConstant` greater than 0.
    Positive,
    /// 32-bit unsigned `OpConstant`.
    U32,
    /// 32-bit unsigned `OpConstant` from 1 to 4.
    Few,
    /// 32-bit unsigned constant or specialisation constant.
    U32Spec,
    /// Length of an array.
    Count,
    /// Index into a composite.
    Index,
    /// `OpFunction`.
    Function,
    /// What holds a global variable.
    Global,
    /// What holds a local variable.
    Variable,
    /// `OpGraphARM`.
    Graph,
    /// A value that is a tensor, or a composite of tensors.
    Tensor,
}

const NONE: u32 = 0;
const UNIT: u32 = 1;
const BASIC: u32 = 2;
const VECTOR: u32 = 6;
const FUNCTION_TYPE: u32 = 8;
const COMPOSITE: u32 = 10;
const MEMBER: u32 = 11;
const INHERITANCE: u32 = 12;
const GLOBAL: u32 = 18;
const DECLARATION: u32 = 19;
const FUNCTION: u32 = 20;
const BLOCK: u32 = 21;
const DISCRIMINATOR: u32 = 22;
const INLINED_AT: u32 = 25;
const LOCAL: u32 = 26;
const OPERATION: u32 = 30;
const EXPRESSION: u32 = 31;
const MACRO: u32 = 32;
const SOURCE: u32 = 35;

/// Operands in order, and those that a list at the end repeats.
type Row = (u32, &'static [W], &'static [W]);

use W::*;

/// OpenCL.DebugInfo.100: literals where the shader set has constants.
static OPENCL: &[Row] = &[
    (UNIT, &[Any, Any, Is(SOURCE), Any], &[]),
    (BASIC, &[Str, Const, Any], &[]),
    (3, &[Type, Any, Any], &[]),
    (4, &[Type, Any], &[]),
    (5, &[Type], &[Count]),
    (VECTOR, &[Is(BASIC), Any], &[]),
    (7, &[Str, Type, Src, Any, Any, Scope], &[]),
    (FUNCTION_TYPE, &[Any, Return], &[Type]),
    (9, &[Str, Type, Src, Any, Any, Scope, Positive, Any], &[Const, Str]),
    (COMPOSITE, &[Str, Any, Src, Any, Any, Scope, Str, Const, Any], &[Member]),
    (MEMBER, &[Str, Type, Src, Any, Any, Is(COMPOSITE), Const, Const, Any], &[Const]),
    (INHERITANCE, &[Class, Class, Const, Const, Any], &[]),
    (13, &[Type, Is(COMPOSITE)], &[]),
    (14, &[Target], &[Parameter]),
    (15, &[Str, Type, Value, Src, Any, Any], &[]),
    (16, &[Str, Str, Src, Any, Any], &[]),
    (17, &[Str, Src, Any, Any], &[Parameter]),
    (GLOBAL, &[Str, Type, Src, Any, Any, Scope, Str, Global, Any, Declared], &[]),
    (DECLARATION, &[Str, Is(FUNCTION_TYPE), Src, Any, Any, Scope, Str, Any], &[]),
    (FUNCTION, &[Str, Is(FUNCTION_TYPE), Src, Any, Any, Scope, Str, Any, Any, Function, Is(DECLARATION)], &[]),
    (BLOCK, &[Src, Any, Any, Scope, Str], &[]),
    (DISCRIMINATOR, &[Src, Any, Scope], &[]),
    (23, &[Scope, Is(INLINED_AT)], &[]),
    (INLINED_AT, &[Any, Scope, Is(INLINED_AT)], &[]),
    (LOCAL, &[Str, Type, Src, Any, Any, Scope, Any, Any], &[]),
    (27, &[Any, Is(INLINED_AT)], &[]),
    (28, &[Is(LOCAL), Variable, Is(EXPRESSION)], &[]),
    (29, &[Is(LOCAL), Any, Is(EXPRESSION)], &[Index]),
    (EXPRESSION, &[], &[Is(OPERATION)]),
    (MACRO, &[Src, Any, Str, Str], &[]),
    (33, &[Src, Any, Is(MACRO)], &[]),
    (34, &[Str, Any, Src, Any, Any, Any, Scope], &[]),
    (SOURCE, &[Str, Str], &[]),
];

/// DebugInfo, where a source is an `OpSource`, which no operand can name.
static PLAIN: &[Row] = &[
    (BASIC, &[Str, Const, Any], &[]),
    (3, &[Type, Any, Any], &[]),
    (4, &[Type, Any], &[]),
    (5, &[Type], &[Const]),
    (VECTOR, &[Type, Any], &[]),
    (7, &[Str, Type, Any, Any, Any, Scope], &[]),
    (FUNCTION_TYPE, &[Return], &[Type]),
    (9, &[Str, Type, Any, Any, Any, Scope, Const, Any], &[Const, Str]),
    (COMPOSITE, &[Str, Any, Any, Any, Any, Scope, Const, Any], &[Member]),
    (MEMBER, &[Str, Type, Any, Any, Any, Is(COMPOSITE), Const, Const, Any], &[Const]),
    (INHERITANCE, &[Class, Class, Const, Const, Any], &[]),
    (13, &[Type, Is(COMPOSITE)], &[]),
    (14, &[Target], &[Parameter]),
    (15, &[Str, Type, Value, Any, Any, Any], &[]),
    (16, &[Str, Str, Any, Any, Any], &[]),
    (17, &[Str, Any, Any, Any], &[Parameter]),
    (GLOBAL, &[Str, Type, Any, Any, Any, Scope, Str, Global, Any, Declared], &[]),
    (DECLARATION, &[Str, Is(FUNCTION_TYPE), Any, Any, Any, Scope, Str, Any], &[]),
    (FUNCTION, &[Str, Is(FUNCTION_TYPE), Any, Any, Any, Scope, Str, Any, Any, Function, Is(DECLARATION)], &[]),
    (BLOCK, &[Any, Any, Any, Scope, Str], &[]),
    (DISCRIMINATOR, &[Any, Any, Scope], &[]),
    (23, &[Scope, Is(INLINED_AT)], &[]),
    (INLINED_AT, &[Any, Scope, Is(INLINED_AT)], &[]),
    (LOCAL, &[Str, Type, Any, Any, Any, Scope, Any], &[]),
    (27, &[Any, Is(INLINED_AT)], &[]),
    (28, &[Is(LOCAL), Variable, Is(EXPRESSION)], &[]),
    (29, &[Any, Is(EXPRESSION)], &[Index]),
    (EXPRESSION, &[], &[Is(OPERATION)]),
    (MACRO, &[Any, Any, Str, Str], &[]),
    (33, &[Any, Any, Is(MACRO)], &[]),
];

/// NonSemantic.Shader.DebugInfo.
static SHADER: &[Row] = &[
    (UNIT, &[U32, U32, Is(SOURCE), U32], &[]),
    (BASIC, &[Str, Const, U32, U32, U32], &[]),
    (3, &[Type, U32, U32], &[]),
    (4, &[Type, U32], &[]),
    (5, &[Type], &[Count]),
    (VECTOR, &[Is(BASIC), Few], &[]),
    (7, &[Str, Type, Src, U32, U32, Scope], &[]),
    (FUNCTION_TYPE, &[U32, Return], &[Type]),
    (9, &[Str, Type, Src, U32, U32, Scope, Positive, U32], &[Const, Str]),
    (COMPOSITE, &[Str, U32, Src, U32, U32, Scope, Str, Const, U32], &[Member]),
    (MEMBER, &[Str, Type, Src, U32, U32, Const, Const, U32], &[Const]),
    (INHERITANCE, &[Class, Const, Const, U32], &[]),
    (13, &[Type, Is(COMPOSITE)], &[]),
    (14, &[Target], &[Parameter]),
    (15, &[Str, Type, Value, Src, U32, U32], &[]),
    (16, &[Str, Str, Src, U32, U32], &[]),
    (17, &[Str, Src, U32, U32], &[Parameter]),
    (GLOBAL, &[Str, Type, Src, U32, U32, Scope, Str, Global, U32, Declared], &[]),
    (DECLARATION, &[Str, Is(FUNCTION_TYPE), Src, U32, U32, Scope, Str, U32], &[]),
    (FUNCTION, &[Str, Is(FUNCTION_TYPE), Src, U32, U32, Scope, Str, U32, U32, Is(DECLARATION)], &[]),
    (BLOCK, &[Src, U32, U32, Scope, Str], &[]),
    (DISCRIMINATOR, &[Src, U32, Scope], &[]),
    (23, &[Scope, Is(INLINED_AT)], &[]),
    (INLINED_AT, &[U32, Scope, Is(INLINED_AT)], &[]),
    (LOCAL, &[Str, Type, Src, U32, U32, Scope, U32, U32], &[]),
    (27, &[Any, Is(INLINED_AT)], &[]),
    (28, &[Is(LOCAL), Variable, Is(EXPRESSION)], &[Index]),
    (29, &[Is(LOCAL), Any, Is(EXPRESSION)], &[Index]),
    (OPERATION, &[U32], &[U32]),
    (EXPRESSION, &[], &[Is(OPERATION)]),
    (MACRO, &[Src, U32, Str, Str], &[]),
    (33, &[Src, U32, Is(MACRO)], &[]),
    (34, &[Str, U32, Src, Any, U32, U32, Scope], &[]),
    (SOURCE, &[Str, Str], &[]),
    (101, &[Is(FUNCTION), Function], &[]),
    (102, &[Str], &[]),
    (103, &[Src, U32, U32, U32, U32], &[]),
    (105, &[Str, U32], &[]),
    (106, &[Str], &[]),
    (107, &[Is(FUNCTION), Is(UNIT), Str, Str], &[]),
    (108, &[Is(VECTOR), Few, Any], &[]),
    (109, &[Is(BASIC), U32Spec], &[]),
    (110, &[Is(BASIC), U32Spec, U32Spec, U32Spec, U32Spec], &[]),
];

/// NonSemantic.Graph.DebugInfo.
static GRAPH: &[Row] = &[(1, &[Graph, Str], &[]), (2, &[Is(1), Str], &[Any]), (3, &[Tensor, Str, U32Spec], &[])];

/// Position of each instruction's row, by number.
struct ByNumber([u8; 111]);

impl ByNumber {
    const NO_ROW: u8 = u8::MAX;

    const fn new(rows: &[Row]) -> ByNumber {
        let mut all = [Self::NO_ROW; 111];
        let mut i = 0;
        while i < rows.len() {
            assert!(all[rows[i].0 as usize] == Self::NO_ROW, "an instruction has two rows");
            all[rows[i].0 as usize] = i as u8;
            i += 1;
        }
        ByNumber(all)
    }

    #[inline]
    fn find(&self, rows: &'static [Row], number: u32) -> Option<&'static Row> {
        rows.get(usize::from(*self.0.get(number as usize)?))
    }
}

static PLAIN_BY_NUMBER: ByNumber = ByNumber::new(PLAIN);
static OPENCL_BY_NUMBER: ByNumber = ByNumber::new(OPENCL);
static SHADER_BY_NUMBER: ByNumber = ByNumber::new(SHADER);
static GRAPH_BY_NUMBER: ByNumber = ByNumber::new(GRAPH);

pub(super) fn instruction(cx: &mut Cx<'_>, ext: Ext<'_>) -> Checked {
    let m = cx.m;
    let number = ext.inst.word(4);
    let result = m.key(ext.inst.id(1)).shape();
    cx.check_at(result == Shape::Void, &RESULT, ext.inst, 1, || {
        format!("the Result Type of {} is not void", ext.desc.name())
    })?;
    let row = match ext.set {
        ExtSet::DebugInfo => PLAIN_BY_NUMBER.find(PLAIN, number),
        ExtSet::OpenClDebugInfo => OPENCL_BY_NUMBER.find(OPENCL, number),
        ExtSet::GraphDebugInfo => GRAPH_BY_NUMBER.find(GRAPH, number),
        _ => {
            revision(cx, ext, number)?;
            SHADER_BY_NUMBER.find(SHADER, number)
        }
    };
    place(cx, ext, number)?;
    if ext.set == ExtSet::GraphDebugInfo {
        graph(cx, ext, number)?;
    }
    let Some((_, wants, list)) = row else { return Ok(()) };
    for (i, word) in ext.inst.tail(FIRST).iter().enumerate() {
        let want = match wants.get(i) {
            Some(want) => *want,
            None if list.is_empty() => break,
            None => list[(i - wants.len()) % list.len()],
        };
        if want != Any && !is(cx, ext, Id(*word), want) {
            return bad(cx, ext, i, want);
        }
    }
    match ext.set {
        ExtSet::ShaderDebugInfo100 | ExtSet::ShaderDebugInfo => {
            if shader_debug::judges(number) {
                shader_debug::instruction(cx, ext)?;
            }
            lines::instruction(cx, ext.inst)
        }
        _ => Ok(()),
    }
}

/// `DebugOperation` and `DebugTensor` of a graph.
fn graph(cx: &mut Cx<'_>, ext: Ext<'_>, number: u32) -> Checked {
    let m = cx.m;
    let fail = |cx: &mut Cx<'_>, i: usize, text: &str| cx.fail_at(&OPERAND, ext.inst, FIRST + i, || text);
    if number == 3 && ext.inst.words().len() < FIRST + 3 {
        let ty = m.type_id_of(ext.inst.id(FIRST));
        let composite = matches!(m.ty(ty), Some(Of::Array { .. } | Of::RuntimeArray { .. } | Of::Struct { .. }));
        if composite {
            return fail(cx, 0, "the tensor is of a composite type, so that an index is needed");
        }
    }
    Ok(())
}

/// The graphs of a module: where each starts, and where it ends.
pub(crate) type Graphs = [(u32, u32)];

/// A `DebugOperation` describes instructions of the graph that it names. Judged when all graphs are known, which are in
/// the order of their places.
pub(crate) fn graph_operation(cx: &mut Cx<'_>, inst: Inst<'_>, graphs: &Graphs) -> Checked {
    let m = cx.m;
    if inst.word(4) != 2 {
        return Ok(());
    }
    let Some(described) = debug(m, ExtSet::GraphDebugInfo, inst.id(FIRST)) else { return Ok(()) };
    let start = m.info(described.id(FIRST)).def;
    let at = graphs.partition_point(|g| g.0 < start);
    let Some((_, end)) = graphs.get(at).filter(|g| g.0 == start).copied() else { return Ok(()) };
    for (i, id) in inst.tail(FIRST + 2).iter().enumerate() {
        let within = (start..end).contains(&m.info(Id(*id)).def);
        cx.check_at(within, &OPERAND, inst, FIRST + 2 + i, || {
            format!("{} is not of the graph that is described", Id(*id))
        })?;
    }
    Ok(())
}

/// An instruction that no revision has.
pub(super) fn results_in_void<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let void = cx.m.key(inst.id(1)).shape() == Shape::Void;
    cx.check_at(void, &RESULT, inst, 1, || "the Result Type of an instruction for debug information is not void")
}

fn revision(cx: &mut Cx<'_>, ext: Ext<'_>, number: u32) -> Checked {
    let late = number >= 109 || number == BASIC && ext.inst.words().len() > FIRST + 4;
    if !late {
        return Ok(());
    }
    let has = revision_of(cx, ext.inst.id(3)).unwrap_or(100).max(100);
    cx.check_at(has >= 101, &REVISION, ext.inst, 4, || {
        format!("{} needs revision 101 of the set, but revision {has} is imported", ext.desc.name())
    })
}

fn place(cx: &mut Cx<'_>, ext: Ext<'_>, number: u32) -> Checked {
    let local = match ext.set {
        // For the other instructions of DebugInfo the text only recommends a place.
        ExtSet::GraphDebugInfo | ExtSet::DebugInfo => return Ok(()),
        ExtSet::OpenClDebugInfo => matches!(number, 23 | 24 | 28 | 29),
        // Instructions of lines that the reference's producers write between functions are harmless there.
        _ => matches!(number, 23 | 24 | 28 | 29 | 101 | 103 | 104),
    };
    let name = || ext.desc.name();
    if local {
        cx.check(cx.here.is_some(), &PLACE, ext.inst, || format!("{} stands outside of a function", name()))?;
        let entry = number != 101 || cx.here.is_some_and(|h| h.block == Some(0));
        return cx
            .check(entry, &PLACE, ext.inst, || format!("{} stands outside of the function's first block", name()));
    }
    // A constant that describes an inlined function may come with the function.
    let inside = cx.here.is_some() && number != INLINED_AT && number != NONE;
    cx.check(!inside, &PLACE, ext.inst, || format!("{} stands in a function", name()))
}

/// The debug instruction that `id` is the result of.
fn debug<'a>(m: Module<'a>, set: ExtSet, id: Id) -> Option<Inst<'a>> {
    let inst = m.def(id).filter(|i| matches!(i.op(), Op::ExtInst | Op::ExtInstWithForwardRefsKHR))?;
    is_of_set(m, inst.id(3), set).then_some(inst)
}

/// Whether an imported set is `set`, or another revision of it.
fn is_of_set(m: Module<'_>, import: Id, set: ExtSet) -> bool {
    let family = |s: ExtSet| if s == ExtSet::ShaderDebugInfo { ExtSet::ShaderDebugInfo100 } else { s };
    m.info(import).ext_set().is_some_and(|its| family(its) == family(set))
}

/// The number of a debug instruction, of which `info` tells where it is; `u32::MAX` where it is something else.
#[inline]
fn number_of(m: Module<'_>, ext: Ext<'_>, info: &IdInfo) -> u32 {
    // Most operands are constants and strings.
    if !matches!(info.op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR) {
        return u32::MAX;
    }
    let Some([head, _, _, set, number, ..]) = m.words().get(info.def as usize..) else { return u32::MAX };
    let same = *set == ext.inst.word(3) || is_of_set(m, Id(*set), ext.set);
    if head >> 16 > 4 && same { *number } else { u32::MAX }
}

/// Whether a type is a tensor, or a composite of nothing else.
fn is_of_tensors(m: Module<'_>, ty: Id) -> bool {
    let is_tensor = |ty: Id| m.info(ty).op == Op::TypeTensorARM;
    match m.ty(ty) {
        Some(Of::Array { element, .. } | Of::RuntimeArray { element }) => is_tensor(element),
        Some(Of::Struct { members }) => members.iter().all(|t| is_tensor(Id(*t))),
        _ => is_tensor(ty),
    }
}

fn is(cx: &Cx<'_>, ext: Ext<'_>, id: Id, want: W) -> bool {
    let m = cx.m;
    let info = m.info(id);
    // Most operands are strings, and numbers in constants, which are told by less than this.
    let inst = || debug(m, ext.set, id);
    let number = || number_of(m, ext, &info);
    let none = || number() == NONE;
    let key = || m.key(info.ty);
    match want {
        Any => true,
        Str => info.op == Op::String,
        Src => number() == SOURCE,
        Scope => matches!(number(), UNIT | FUNCTION | BLOCK | DISCRIMINATOR | COMPOSITE | 36 | NONE),
        Type => is_type_or_none(number()),
        Return => info.op == Op::TypeVoid || is_type_or_none(number()),
        Is(FUNCTION) => matches!(number(), FUNCTION | NONE),
        Is(n) => number() == n,
        Class => number() == COMPOSITE && inst().is_some_and(|i| is_class(cx, ext.set, i)),
        Member => {
            let n = number();
            matches!(n, MEMBER | FUNCTION | INHERITANCE | DECLARATION | GLOBAL | 14) || is_type(n)
        }
        Target => matches!(number(), COMPOSITE | FUNCTION),
        Parameter => matches!(number(), 15..=17),
        Declared => matches!(number(), MEMBER | NONE),
        Value => info.is_constant() || none(),
        Const => info.op == Op::Constant || none(),
        Positive => {
            let greater = || m.int_constant(id).is_some_and(|c| c.bits != 0 && c.as_unsigned().is_some());
            none() || info.op == Op::Constant && greater()
        }
        U32 => info.op == Op::Constant && (info.ty == cx.facts.uint() || key().is_u32()),
        Few => {
            let value = if info.op == Op::Constant { m.fixed_u32(id) } else { None };
            key().width() == 32 && !key().is_signed() && value.is_some_and(|v| (1..=4).contains(&v))
        }
        U32Spec => info.is_constant() && key().is_u32(),
        Count => {
            let constant = match ext.set {
                ExtSet::OpenClDebugInfo => info.op == Op::Constant,
                _ => info.is_constant(),
            };
            let zero = ext.set == ExtSet::OpenClDebugInfo && m.int_constant(id).is_some_and(|c| c.bits == 0);
            none()
                || constant && !zero && key().is_int() && matches!(key().width(), 32 | 64)
                || is_variable(number()) && inst().is_some_and(|i| is_length(cx, ext.set, i))
        }
        Index => is_variable(number()) || info.is_constant() && key().is_int(),
        Function => info.op == Op::Function || none(),
        Global => matches!(info.op, Op::Variable | Op::UntypedVariableKHR) || info.is_constant() || none(),
        Variable => matches!(info.op, Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter) || none(),
        Graph => info.op == Op::GraphARM,
        Tensor => is_of_tensors(m, info.ty),
    }
}

fn is_type_or_none(number: u32) -> bool {
    is_type(number) || number == NONE
}

fn is_variable(number: u32) -> bool {
    matches!(number, GLOBAL | LOCAL)
}

fn is_type(number: u32) -> bool {
    matches!(number, 2..=10 | 12..=17 | 108..=110)
}

/// Whether numbers are literals in the set, where others have constants.
fn has_literals(set: ExtSet) -> bool {
    matches!(set, ExtSet::OpenClDebugInfo | ExtSet::DebugInfo)
}

/// Whether a `DebugTypeComposite` describes a class or a structure.
fn is_class(cx: &Cx<'_>, set: ExtSet, composite: Inst<'_>) -> bool {
    let tag = composite.word(FIRST + 1);
    let tag = if has_literals(set) { Some(tag) } else { cx.m.fixed_u32(Id(tag)) };
    matches!(tag, Some(0 | 1))
}

/// Whether a debug variable can be the length of an array: an unsigned integer of 32 or 64 bits.
fn is_length(cx: &Cx<'_>, set: ExtSet, variable: Inst<'_>) -> bool {
    let Some(ty) = debug(cx.m, set, variable.id(FIRST + 1)).filter(|t| t.word(4) == BASIC) else { return false };
    let size = cx.m.fixed_u32(ty.id(FIRST + 1));
    let encoding = ty.word(FIRST + 2);
    let encoding = if has_literals(set) { Some(encoding) } else { cx.m.fixed_u32(Id(encoding)) };
    matches!(size, Some(32 | 64)) && encoding == Some(6)
}

#[cold]
fn bad(cx: &mut Cx<'_>, ext: Ext<'_>, i: usize, want: W) -> Checked {
    let m = cx.m;
    let id = ext.inst.id(FIRST + i);
    let must: String = match want {
        Any => "anything".into(),
        Str => "a string".into(),
        Src => "a DebugSource".into(),
        Scope => "a lexical scope".into(),
        Type => "a debug type".into(),
        Return => "a debug type or void".into(),
        Is(n) => format!("a {}", ext.set.instruction(n).map_or("debug instruction", |d| d.name())),
        Class => "a DebugTypeComposite of a class or structure".into(),
        Member => "a DebugTypeMember, DebugFunction or DebugTypeInheritance".into(),
        Target => "a DebugTypeComposite or DebugFunction".into(),
        Parameter => "a parameter of a template".into(),
        Declared => "a DebugTypeMember".into(),
        Value => "a constant".into(),
        Const => "an OpConstant".into(),
        Positive => "an OpConstant greater than 0".into(),
        U32 => "an OpConstant of an unsigned 32-bit integer type".into(),
        Few => "an OpConstant of an unsigned 32-bit integer type, from 1 to 4".into(),
        U32Spec => "a constant of an unsigned 32-bit integer type".into(),
        Count => "an integer constant or a debug variable of an unsigned integer type".into(),
        Index => "an integer constant".into(),
        Function => "an OpFunction".into(),
        Global => "a variable or constant".into(),
        Variable => "a variable or function parameter".into(),
        Graph => "an OpGraphARM".into(),
        Tensor => "a tensor, or a composite of tensors".into(),
    };
    let rule = if ext.set == ExtSet::DebugInfo { &PLAIN_OPERAND } else { &OPERAND };
    cx.fail_at(rule, ext.inst, FIRST + i, || {
        let operands = ext.desc.operands();
        let name = operands.get(i).or(operands.last()).map_or("operand", |o| o.name());
        let what = match debug(m, ext.set, id) {
            Some(inst) => ext.set.instruction(inst.word(4)).map_or("a debug instruction", |d| d.name()).into(),
            None => format!("{}", m.info(id).op),
        };
        msg(format!("{name} {id} of {} is the result of {what}, but must be {must}", ext.desc.name())).declared(m, id)
    })
}
