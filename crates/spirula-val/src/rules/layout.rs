//! Logical layout of a module (§2.4).

use spirula_binary::Inst;
use spirula_diag::{Checked, Site, rules};
use spirula_grammar::{Class, ExtSet, InstDesc, Op};
use spirula_module::{Function, is_block_termination};

use crate::cx::Cx;
use crate::dispatch::Row;

rules! {
    group "layout";
    /// The instructions of a module stand in a fixed order of sections: capabilities, extensions, imports, memory model,
    /// entry points, execution modes, debug, annotations, types with constants and variables, functions.
    ORDER: "layout-order", spec "§2.4";
    /// A module has exactly one `OpMemoryModel`.
    MEMORY_MODEL: "layout-memory-model", spec "§2.4";
    /// An instruction other than those of the sections before functions must stand in a block.
    OUTSIDE: "layout-outside-of-block", spec "§2.4";
    /// A function is `OpFunction`, its parameters, its blocks, `OpFunctionEnd`.
    FUNCTION: "layout-function", spec "§2.4";
    /// A block starts with `OpLabel` and ends with a termination instruction.
    BLOCK: "layout-block", spec "§2.4";
    /// Function declarations, which have no body, come before function definitions.
    DECLARATIONS_FIRST: "layout-declarations-first", spec "§2.4";
    /// Variables of a function are the first instructions of its first block.
    VARIABLES_FIRST: "layout-variables-first", spec "§2.4";
    /// Graphs come behind the functions; a graph is `OpGraphARM`, its inputs, body and outputs, `OpGraphEndARM`.
    GRAPH: "layout-graph", extension "SPV_ARM_graph";
    /// Lines and scopes of NonSemantic.Shader.DebugInfo come behind the variables and phis of their block.
    DEBUG_FIRST: "layout-debug-info-last", ext_inst "NonSemantic.Shader.DebugInfo.100";
    /// The phis of a block come before its other instructions.
    PHIS_FIRST: "layout-phis-first", spec "OpPhi";
}

/// The sections in order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Section {
    Capabilities,
    Extensions,
    Imports,
    MemoryModel,
    AddressingMode,
    EntryPoints,
    ExecutionModes,
    Sources,
    Names,
    Processed,
    Annotations,
    Types,
    Functions,
    Graphs,
}

impl Section {
    /// Whether its instructions stand in any number and order, so that all is known when the first one has come.
    fn is_list(self) -> bool {
        matches!(self, Section::Names | Section::Annotations | Section::Types)
    }

    fn name(self) -> &'static str {
        match self {
            Section::Capabilities => "capabilities",
            Section::Extensions => "extensions",
            Section::Imports => "imports of extended instruction sets",
            Section::MemoryModel => "the memory model",
            Section::AddressingMode => "the sampler and image addressing mode",
            Section::EntryPoints => "entry points",
            Section::ExecutionModes => "execution modes",
            Section::Sources => "strings and sources",
            Section::Names => "names",
            Section::Processed => "OpModuleProcessed",
            Section::Annotations => "annotations",
            Section::Types => "types, constants and global variables",
            Section::Functions => "functions",
            Section::Graphs => "graphs",
        }
    }
}

/// Where in a function we are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Place {
    Outside,
    /// Behind `OpFunction` or a parameter; whether more parameters may come.
    Head {
        parameters: bool,
    },
    Block(InBlock),
    /// Behind a termination instruction.
    Between,
    /// In a graph.
    Graph,
}

/// A block, as bits: whether it is its function's first, and what may still come in it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct InBlock(u8);

impl InBlock {
    const FIRST: InBlock = InBlock(1);
    const VARIABLES: InBlock = InBlock(2);
    const PHIS: InBlock = InBlock(4);
    /// Behind debug information that variables and phis do not follow.
    const DEBUG: InBlock = InBlock(8);

    const fn start(first: bool) -> InBlock {
        if first { InBlock(Self::FIRST.0 | Self::VARIABLES.0 | Self::PHIS.0) } else { Self::PHIS }
    }

    const fn has(self, bit: InBlock) -> bool {
        self.0 & bit.0 != 0
    }

    const fn with(self, bit: InBlock) -> InBlock {
        InBlock(self.0 | bit.0)
    }

    const fn without(self, bit: InBlock) -> InBlock {
        InBlock(self.0 & !bit.0)
    }

    /// Behind an instruction that neither variables nor phis may follow.
    const fn behind_others(self) -> InBlock {
        InBlock(self.0 & Self::FIRST.0)
    }
}

/// The state of the layout machine.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Layout {
    section: Section,
    place: Place,
    memory_models: u32,
    defined: bool,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout { section: Section::Capabilities, place: Place::Outside, memory_models: 0, defined: false }
    }
}

/// The section in which an instruction stands; `None` for those that stand in blocks.
pub(crate) const fn section_of(desc: &InstDesc) -> Option<Section> {
    Some(match desc.op {
        Op::Capability | Op::ConditionalCapabilityINTEL => Section::Capabilities,
        Op::Extension | Op::ConditionalExtensionINTEL => Section::Extensions,
        Op::ExtInstImport => Section::Imports,
        Op::MemoryModel => Section::MemoryModel,
        Op::SamplerImageAddressingModeNV => Section::AddressingMode,
        Op::EntryPoint | Op::ConditionalEntryPointINTEL => Section::EntryPoints,
        Op::ExecutionMode | Op::ExecutionModeId => Section::ExecutionModes,
        Op::String | Op::SourceExtension | Op::Source | Op::SourceContinued => Section::Sources,
        Op::Name | Op::MemberName => Section::Names,
        Op::ModuleProcessed => Section::Processed,
        Op::Function | Op::FunctionParameter | Op::FunctionEnd | Op::Label => Section::Functions,
        Op::ConstantPipeStorage
        | Op::ConstantFunctionPointerINTEL
        | Op::AsmTargetINTEL
        | Op::AsmINTEL
        | Op::ConstantStringAMDX
        | Op::SpecConstantStringAMDX
        | Op::GraphConstantARM => Section::Types,
        Op::GraphARM | Op::GraphInputARM | Op::GraphSetOutputARM | Op::GraphEndARM | Op::GraphEntryPointARM => {
            Section::Graphs
        }
        // SPV_INTEL_memory_access_aliasing: decorations name them, so that they stand among the annotations.
        Op::AliasDomainDeclINTEL | Op::AliasScopeDeclINTEL | Op::AliasScopeListDeclINTEL => Section::Annotations,
        _ if matches!(desc.class, Class::Annotation) => Section::Annotations,
        _ if desc.is_type() || matches!(desc.class, Class::TypeDeclaration | Class::ConstantCreation) => Section::Types,
        _ => return None,
    })
}

/// Whether the instruction stands in blocks, wherever after their variables and phis.
pub(crate) const fn is_ordinary(desc: &InstDesc) -> bool {
    let skeleton = matches!(desc.op, Op::Label | Op::FunctionEnd | Op::Function | Op::FunctionParameter);
    let anywhere = matches!(
        desc.op,
        Op::Line
            | Op::NoLine
            | Op::Variable
            | Op::UntypedVariableKHR
            | Op::Phi
            | Op::ExtInst
            | Op::ExtInstWithForwardRefsKHR
    );
    !skeleton && !anywhere && !is_block_termination(desc.op) && section_of(desc).is_none()
}

impl Layout {
    /// Takes the next instruction.
    #[inline]
    pub(crate) fn step<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, row: &Row) -> Checked {
        match self.place {
            Place::Block(at) if row.ordinary => {
                self.place = Place::Block(at.behind_others());
                Ok(())
            }
            // One more of a section that may have many.
            Place::Outside if row.section == Some(self.section) && self.section.is_list() => Ok(()),
            Place::Block(at) => self.in_block(cx, inst, desc, at),
            Place::Graph => self.in_graph(cx, inst, desc),
            _ => self.elsewhere(cx, inst, desc),
        }
    }

    /// An instruction behind `OpGraphARM` and up to `OpGraphEndARM`.
    fn in_graph<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
        let allowed = matches!(
            desc.op,
            Op::GraphInputARM
                | Op::GraphSetOutputARM
                | Op::GraphEndARM
                | Op::ExtInst
                | Op::ExtInstWithForwardRefsKHR
                | Op::CompositeExtract
                | Op::Line
                | Op::NoLine
        );
        if desc.op == Op::GraphEndARM {
            self.place = Place::Outside;
        }
        cx.check(allowed, &GRAPH, inst, || alloc::format!("{} cannot stand in a graph", desc.name()))
    }

    fn in_block<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, at: InBlock) -> Checked {
        let first = at.has(InBlock::FIRST);
        match desc.op {
            Op::Line | Op::NoLine => return Ok(()),
            Op::Variable | Op::UntypedVariableKHR => {
                self.place = Place::Block(at.without(InBlock::PHIS).without(InBlock::DEBUG));
                behind_debug(cx, inst, at)?;
                return cx.check(at.has(InBlock::VARIABLES), &VARIABLES_FIRST, inst, || {
                    if first {
                        "OpVariable stands behind other instructions of its block"
                    } else {
                        "OpVariable stands in a block that is not the first of its function"
                    }
                });
            }
            Op::Phi => {
                self.place = Place::Block(at.without(InBlock::VARIABLES).without(InBlock::DEBUG));
                behind_debug(cx, inst, at)?;
                return cx.check(at.has(InBlock::PHIS) && !first, &PHIS_FIRST, inst, || {
                    if first {
                        "OpPhi stands in the entry block of its function, which has no predecessors"
                    } else {
                        "OpPhi stands behind other instructions of its block"
                    }
                });
            }
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR if is_debug_or_non_semantic(cx, inst) => {
                // Scopes and lines of OpenCL are for the phis, too; non-semantic instructions stand behind them.
                let kept = match debug_information(cx, inst) {
                    Some(ExtSet::ShaderDebugInfo100 | ExtSet::ShaderDebugInfo) => at.with(InBlock::DEBUG),
                    Some(_) => at,
                    None => at.behind_others(),
                };
                self.place = Place::Block(kept);
                return Ok(());
            }
            op if is_block_termination(op) => {
                self.place = Place::Between;
                return Ok(());
            }
            Op::Label => {
                self.place = Place::Block(InBlock::start(false));
                return cx.fail(&BLOCK, inst, || "the block before this label has no termination instruction");
            }
            Op::FunctionEnd => {
                self.place = Place::Outside;
                return cx.fail(&BLOCK, inst, || "the function's last block has no termination instruction");
            }
            Op::Function => {
                self.place = Place::Head { parameters: true };
                return cx.fail(&FUNCTION, inst, || "the function before has no OpFunctionEnd");
            }
            Op::FunctionParameter => {
                return cx.fail(&FUNCTION, inst, || "OpFunctionParameter stands behind the first block's label");
            }
            _ => {}
        }
        self.place = Place::Block(at.behind_others());
        match section_of(desc) {
            Some(_) if desc.op != Op::ConstantPipeStorage => {
                cx.fail(&ORDER, inst, || alloc::format!("{} cannot stand in a block", desc.name()))
            }
            _ => Ok(()),
        }
    }

    fn elsewhere<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
        match desc.op {
            Op::Function => self.function(cx, inst),
            Op::FunctionParameter => cx.check(
                self.place == (Place::Head { parameters: true }),
                &FUNCTION,
                inst,
                || "OpFunctionParameter does not stand behind OpFunction or another parameter",
            ),
            Op::Label => self.label(cx, inst),
            Op::FunctionEnd => {
                let was = core::mem::replace(&mut self.place, Place::Outside);
                match was {
                    Place::Outside => cx.fail(&FUNCTION, inst, || "OpFunctionEnd without OpFunction"),
                    Place::Head { .. } => cx.check(
                        !self.defined,
                        &DECLARATIONS_FIRST,
                        inst,
                        || "this function has no body, but one with a body came before",
                    ),
                    _ => {
                        self.defined = true;
                        Ok(())
                    }
                }
            }
            _ => self.in_section(cx, inst, desc),
        }
    }

    fn function<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
        let late = self.section == Section::Graphs;
        self.section = self.section.max(Section::Functions);
        let was = core::mem::replace(&mut self.place, Place::Head { parameters: true });
        cx.check(!late, &GRAPH, inst, || "a function stands behind graphs")?;
        cx.check(was == Place::Outside, &FUNCTION, inst, || "the function before has no OpFunctionEnd")
    }

    fn label<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
        match self.place {
            Place::Outside => cx.fail(&OUTSIDE, inst, || "OpLabel stands outside of a function"),
            was => {
                self.place = Place::Block(InBlock::start(matches!(was, Place::Head { .. })));
                Ok(())
            }
        }
    }

    /// An instruction that is no part of a function's skeleton, outside of a block.
    fn in_section<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc) -> Checked {
        let section = match desc.op {
            Op::Line | Op::NoLine => Some(self.section.max(Section::Types)),
            Op::Variable | Op::UntypedVariableKHR | Op::Undef | Op::PoisonKHR => Some(Section::Types),
            Op::ExtInst | Op::ExtInstWithForwardRefsKHR if is_debug_or_non_semantic(cx, inst) => {
                Some(self.section.max(Section::Types))
            }
            _ => section_of(desc),
        };
        let name = desc.name();
        match (section, self.place) {
            (None, Place::Outside) => cx.fail(&OUTSIDE, inst, || alloc::format!("{name} stands outside of a block")),
            (None, Place::Head { .. }) => {
                cx.fail(&BLOCK, inst, || alloc::format!("{name} stands before the function's first label"))
            }
            (None, _) => cx.fail(&BLOCK, inst, || {
                alloc::format!("{name} stands between two blocks, behind a termination instruction")
            }),
            (Some(section), Place::Outside) => self.enter_section(cx, inst, desc, section),
            // Lines and debug information stand between blocks too, and behind the parameters that they are for.
            (Some(_), _) if matches!(desc.op, Op::Line | Op::NoLine) => Ok(()),
            (Some(_), place) if matches!(desc.op, Op::ExtInst | Op::ExtInstWithForwardRefsKHR) => {
                let fine = debug_information(cx, inst).is_some();
                let head = matches!(place, Place::Head { .. });
                cx.check(fine, &BLOCK, inst, || {
                    let place =
                        if head { "before the function's first label" } else { "behind a termination instruction" };
                    alloc::format!("{name} stands outside of blocks, {place}")
                })
            }
            (Some(_), _) => cx.fail(&ORDER, inst, || alloc::format!("{name} cannot stand within a function")),
        }
    }

    fn enter_section<'a>(
        &mut self,
        cx: &mut Cx<'a>,
        inst: Inst<'a>,
        desc: &'static InstDesc,
        section: Section,
    ) -> Checked {
        if section == Section::Graphs {
            if desc.op == Op::GraphARM {
                self.place = Place::Graph;
            }
            let begins = matches!(desc.op, Op::GraphARM | Op::GraphEntryPointARM);
            cx.check(begins, &GRAPH, inst, || alloc::format!("{} stands outside of a graph", desc.name()))?;
        }
        self.enter(cx, inst, desc, section)
    }

    fn enter<'a>(&mut self, cx: &mut Cx<'a>, inst: Inst<'a>, desc: &'static InstDesc, section: Section) -> Checked {
        if desc.op == Op::MemoryModel {
            self.memory_models += 1;
            if self.memory_models > 1 {
                return cx.fail(&MEMORY_MODEL, inst, || "the module has a second OpMemoryModel");
            }
        }
        let before = self.section;
        if section < before {
            return cx.fail(&ORDER, inst, || {
                alloc::format!("{} belongs to {}, but {} came before", desc.name(), section.name(), before.name())
            });
        }
        self.section = section;
        if section > Section::MemoryModel && self.memory_models == 0 {
            self.memory_models = 1;
            return cx.fail(&MEMORY_MODEL, inst, || "no OpMemoryModel stands before this instruction");
        }
        Ok(())
    }

    /// Takes the end of the module.
    /// The state behind some functions that are as they should be, given the state before them.
    pub(crate) fn behind(self, functions: &[Function]) -> Layout {
        if functions.is_empty() {
            return self;
        }
        let defined = self.defined || functions.iter().any(|f| f.body < f.end);
        Layout { section: self.section.max(Section::Functions), place: Place::Outside, defined, ..self }
    }

    pub(crate) fn end(&mut self, cx: &mut Cx<'_>) {
        let end = Site::at(cx.m.inst_offsets().last().copied().unwrap_or(0));
        if self.memory_models == 0 {
            cx.fail_site(&MEMORY_MODEL, end, || "the module has no OpMemoryModel").ok();
        }
        if self.place != Place::Outside {
            cx.fail_site(&FUNCTION, end, || "the module ends within a function: OpFunctionEnd is missing").ok();
        }
    }
}

/// Whether an `OpExtInst` is of a kind that may stand outside of blocks: debug information and non-semantic ones.
fn is_debug_or_non_semantic(cx: &Cx<'_>, inst: Inst<'_>) -> bool {
    let set = cx.m.info(inst.id(3));
    set.is_non_semantic() || matches!(set.ext_set(), Some(ExtSet::DebugInfo | ExtSet::OpenClDebugInfo))
}

/// The set of debug information that an `OpExtInst` is of.
fn debug_information(cx: &Cx<'_>, inst: Inst<'_>) -> Option<ExtSet> {
    cx.m.info(inst.id(3)).ext_set().filter(|set| {
        matches!(
            set,
            ExtSet::DebugInfo | ExtSet::OpenClDebugInfo | ExtSet::ShaderDebugInfo100 | ExtSet::ShaderDebugInfo
        )
    })
}

/// A variable or phi does not stand behind debug information of its block.
fn behind_debug(cx: &mut Cx<'_>, inst: Inst<'_>, at: InBlock) -> Checked {
    cx.check(!at.has(InBlock::DEBUG), &DEBUG_FIRST, inst, || {
        alloc::format!("{} stands behind debug information of its block", inst.op())
    })
}
