//! No instruction is forgotten: each has a signature, a rule function, or stands here with the reason why it needs none.

extern crate std;

use std::collections::BTreeSet;
use std::format;
use std::string::String;
use std::vec::Vec;

use spirula_grammar::{ExtSet, Op};

use crate::rules::ext_inst;
use crate::{dispatch, signature};

/// Instructions without a signature and without a rule function, by reason. A name that ends in `*` stands for all that
/// begin with it.
static NO_FURTHER_RULES: &[(&str, &[&str])] = &[
    (
        "the grammar says all that there is: kinds of operands, capabilities, versions",
        &[
            "Nop",
            "TypeVoid",
            "TypeBool",
            "TypeSampler",
            "TypeOpaque",
            "TypeEvent",
            "TypeDeviceEvent",
            "TypeReserveId",
            "TypeQueue",
            "TypePipe",
            "TypePipeStorage",
            "TypeNamedBarrier",
            "TypeRayQueryKHR",
            "TypeHitObjectNV",
            "TypeHitObjectEXT",
            "TypeAccelerationStructureKHR",
            "TypeTaskSequenceALTERA",
            "ConstantStringAMDX",
            "SpecConstantStringAMDX",
            "SourceExtension",
            "Name",
            "String",
            "NoLine",
            "ModuleProcessed",
        ],
    ),
    ("the grammar ties the literal to the width of the Result Type", &["Constant", "SpecConstant"]),
    ("functions and blocks are judged as a whole when they end", &["FunctionEnd", "Label", "Unreachable"]),
    ("its target, a group, is judged with each of the group's uses", &["DecorationGroup"]),
    (
        "entry points are judged when the module ends: rules/mode_setting.rs, rules/interface.rs",
        &["EntryPoint", "ConditionalEntryPointINTEL"],
    ),
    ("graphs are judged as a whole: rules/graph.rs", &["GraphInputARM", "GraphSetOutputARM", "GraphEndARM"]),
    (
        "the extension's text is not published in the registry, so that nothing beyond the grammar can be cited",
        &[
            "ConstantFunctionPointerINTEL",
            "FunctionPointerCallINTEL",
            "AsmTargetINTEL",
            "AsmINTEL",
            "AsmCallINTEL",
            "AliasDomainDeclINTEL",
            "AliasScopeDeclINTEL",
            "AliasScopeListDeclINTEL",
            "ConditionalCapabilityINTEL",
            "ConditionalExtensionINTEL",
            "ConditionalCopyObjectINTEL",
            "SpecConstantTargetINTEL",
            "SpecConstantArchitectureINTEL",
            "SpecConstantCapabilitiesINTEL",
            "ConvertHandleToImageINTEL",
            "ConvertHandleToSamplerINTEL",
            "ConvertHandleToSampledImageINTEL",
            "TypeBufferSurfaceINTEL",
        ],
    ),
    (
        "SPV_INTEL_device_side_avc_motion_estimation: opaque states of one vendor's video unit, handed through; a driver \
         that takes them judges them",
        &["SubgroupAvc*", "TypeAvc*", "TypeVmeImageINTEL", "VmeImageINTEL"],
    ),
];

/// The reason why an instruction needs no rules.
fn reason(name: &str) -> Option<&'static str> {
    let stands = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(start) => name.starts_with(start),
        None => name == *pattern,
    };
    NO_FURTHER_RULES.iter().find(|(_, names)| names.iter().any(stands)).map(|(reason, _)| *reason)
}

fn is_judged(op: Op) -> bool {
    dispatch::has_rule(op) || signature::has_signature(op)
}

#[test]
fn no_instruction_is_forgotten() {
    let plain = |d: &spirula_grammar::InstDesc| String::from(d.name().strip_prefix("Op").unwrap_or(d.name()));
    let forgotten: Vec<String> =
        Op::all().iter().filter(|d| !is_judged(d.op) && reason(&plain(d)).is_none()).map(plain).collect();
    assert!(forgotten.is_empty(), "neither a signature nor a rule nor a reason: {forgotten:#?}");
    let both: Vec<String> =
        Op::all().iter().filter(|d| is_judged(d.op) && reason(&plain(d)).is_some()).map(plain).collect();
    assert!(both.is_empty(), "a reason to have no rule, but a rule: {both:#?}");
}

#[test]
fn the_list_names_instructions_once() {
    let names: BTreeSet<String> = Op::all().iter().map(|d| d.name().replacen("Op", "", 1)).collect();
    let mut seen = BTreeSet::new();
    for pattern in NO_FURTHER_RULES.iter().flat_map(|(_, names)| *names) {
        assert!(seen.insert(*pattern), "{pattern} stands in the list twice");
        let known = match pattern.strip_suffix('*') {
            Some(start) => names.iter().any(|n| n.starts_with(start)),
            None => names.contains(*pattern),
        };
        assert!(known, "{}", format!("no instruction is called {pattern}"));
    }
}

#[test]
fn no_extended_instruction_is_forgotten() {
    let mut wrong = Vec::new();
    for set in [ExtSet::GlslStd450, ExtSet::OpenClStd, ExtSet::Tosa] {
        for desc in set.instructions() {
            if ext_inst::is_judged(set, desc.number) != Some(true) {
                wrong.push(format!("{} {}", set.name(), desc.name()));
            }
        }
    }
    assert!(wrong.is_empty(), "neither a signature nor a rule: {wrong:#?}");
}
