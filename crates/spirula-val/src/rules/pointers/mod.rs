//! Logical pointers, and variable pointers among them (§2.16.1).

mod flow;
mod physical;
mod untyped;

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Op, StorageClass};

use crate::cx::{Cx, msg};
use crate::dispatch::{Table, rule_table};
use crate::facts::{Parts, is_logical};

pub(crate) use flow::{RULES as FLOW_RULES, enters_array, variable_pointers};
pub(crate) use physical::{RULES as PHYSICAL_RULES, module as physical_pointers};
pub(crate) use untyped::{RULES as UNTYPED_RULES, matrix as untyped_matrix};

rules! {
    group "pointers";
    /// Variables hold logical pointers only where a variable-pointers capability allows it, and then in Function and
    /// Private.
    VARIABLE: "logical-pointer-variable", spec "§2.16.1";
    /// Few instructions take logical pointers: they are names of places more than values.
    OPERAND: "logical-pointer-operand", spec "§2.16.1";
    /// Few instructions give logical pointers, and only with a variable-pointers capability those that choose among
    /// several.
    RESULT: "logical-pointer-result", spec "§2.16.1";
    /// Functions return logical pointers to StorageBuffer or Workgroup, and only with a variable-pointers capability.
    RETURN: "logical-pointer-return", spec "§2.16.1";
    /// Pointers that are passed to functions point to UniformConstant, Function, Private, Workgroup or AtomicCounter;
    /// with variable pointers also to StorageBuffer.
    ARGUMENT_CLASS: "logical-pointer-argument-class", spec "§2.16.1";
    /// What is passed to a function is a variable or parameter as a whole, not a part of one.
    ARGUMENT: "logical-pointer-argument", spec "§2.16.1";
}

/// Judged in addition to the rules of the instruction's class.
pub(crate) const TABLE: Table = rule_table! {
    Select | Phi | Load | ConstantNull | CompositeExtract | ConvertUToPtr | CopyLogical => result;
    Bitcast => bitcast;
    PtrAccessChain | InBoundsPtrAccessChain => chain;
    UntypedPtrAccessChainKHR | UntypedInBoundsPtrAccessChainKHR => untyped_chain;
    Store => stored;
    ReturnValue => returned;
    CompositeConstruct | CompositeInsert | ConvertPtrToU | GroupNonUniformBroadcast => operands;
    FunctionCall => call;
    AccessChain | InBoundsAccessChain | FunctionParameter | CopyObject | Undef | PoisonKHR => physical::given;
};

/// Whether the user has waived these rules.
pub(crate) fn is_relaxed(cx: &Cx<'_>) -> bool {
    cx.options.relax_logical_pointer || cx.options.before_hlsl_legalization
}

/// Whether variable pointers to the class are allowed.
fn may_vary(cx: &Cx<'_>, class: StorageClass) -> bool {
    match class {
        StorageClass::StorageBuffer => cx.has(Capability::VariablePointersStorageBuffer),
        StorageClass::Workgroup => cx.has(Capability::VariablePointers),
        _ => false,
    }
}

/// Storage class of the logical pointer that the operand at `word` is, if it is one.
fn class_at(cx: &Cx<'_>, inst: Inst<'_>, word: usize) -> Option<StorageClass> {
    let ty = cx.m.type_id_of(inst.id(word));
    if !cx.m.key(ty).is_pointer() {
        return None;
    }
    cx.m.pointer(ty).map(|p| p.0).filter(|c| is_logical(*c, cx.m.addressing_model()))
}

fn result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if !cx.result_key(inst)?.is_pointer() { Ok(()) } else { pointer_result(cx, inst) }
}

fn pointer_result<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    physical::given(cx, inst)?;
    let Some((class, _)) = cx.m.pointer(inst.id(1)) else { return Ok(()) };
    if is_relaxed(cx) || !is_logical(class, cx.m.addressing_model()) {
        return Ok(());
    }
    let from = if inst.op() == Op::Load { class_at(cx, inst, 3) } else { None };
    let ok = from.is_none_or(|c| matches!(c, StorageClass::Function | StorageClass::Private));
    cx.check_at(ok, &RESULT, inst, 1, || {
        format!("a logical pointer is loaded from {}", from.unwrap_or(StorageClass::Generic))
    })?;
    let listed = matches!(
        inst.op(),
        Op::Select
            | Op::Phi
            | Op::Load
            | Op::ConstantNull
            | Op::FunctionCall
            | Op::PtrAccessChain
            | Op::UntypedPtrAccessChainKHR
            | Op::InBoundsPtrAccessChain
            | Op::UntypedInBoundsPtrAccessChainKHR
    );
    cx.check_at(listed && may_vary(cx, class), &RESULT, inst, 1, || {
        let text = format!("{} gives a logical pointer to {class}", inst.op());
        match class {
            StorageClass::StorageBuffer => msg(text).help("that needs capability VariablePointersStorageBuffer"),
            StorageClass::Workgroup => msg(text).help("that needs capability VariablePointers"),
            _ => msg(text),
        }
    })
}

fn one_operand<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, listed: bool) -> Checked {
    let Some(class) = class_at(cx, inst, word) else { return Ok(()) };
    cx.check_at(listed && may_vary(cx, class), &OPERAND, inst, word, || {
        format!("the operand {} of {} is a logical pointer to {class}", inst.id(word), inst.op())
    })
}

fn bitcast<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if !is_relaxed(cx) {
        one_operand(cx, inst, 3, false)?;
    }
    result(cx, inst)
}

fn chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_relaxed(cx) {
        return physical::given(cx, inst);
    }
    one_operand(cx, inst, 3, inst.op() == Op::PtrAccessChain)?;
    result(cx, inst)
}

fn untyped_chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_relaxed(cx) {
        return Ok(());
    }
    one_operand(cx, inst, 4, inst.op() == Op::UntypedPtrAccessChainKHR)?;
    result(cx, inst)
}

/// A pointer that is stored goes where variables may hold pointers.
fn stored<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_relaxed(cx) || class_at(cx, inst, 2).is_none() { Ok(()) } else { stored_pointer(cx, inst) }
}

fn stored_pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    one_operand(cx, inst, 2, true)?;
    let to = class_at(cx, inst, 1);
    let ok = to.is_none_or(|c| matches!(c, StorageClass::Function | StorageClass::Private));
    cx.check_at(ok, &OPERAND, inst, 2, || {
        format!("the logical pointer {} is stored to {}", inst.id(2), to.unwrap_or(StorageClass::Generic))
    })
}

fn returned<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_relaxed(cx) { Ok(()) } else { one_operand(cx, inst, 1, true) }
}

fn operands<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_relaxed(cx) {
        return Ok(());
    }
    let listed = inst.op() != Op::ConvertPtrToU;
    for word in 3..inst.words().len() {
        // The literals of OpCompositeInsert may look like ids.
        if inst.op() == Op::CompositeInsert && word > 4 {
            break;
        }
        one_operand(cx, inst, word, listed)?;
    }
    Ok(())
}

/// The pointers among a call's arguments.
fn call<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    if is_relaxed(cx) {
        return physical::given(cx, inst);
    }
    for word in 4..inst.words().len() {
        if let Some(class) = class_at(cx, inst, word) {
            argument(cx, inst, word, class)?;
        }
    }
    if cx.result_key(inst)?.is_pointer() { result(cx, inst) } else { Ok(()) }
}

fn argument<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, class: StorageClass) -> Checked {
    let (m, id) = (cx.m, inst.id(word));
    let ok = match class {
        StorageClass::UniformConstant
        | StorageClass::Function
        | StorageClass::Private
        | StorageClass::Workgroup
        | StorageClass::AtomicCounter
        // SPV_KHR_ray_tracing adds it to the list.
        | StorageClass::ShaderRecordBufferKHR => true,
        StorageClass::StorageBuffer => may_vary(cx, class),
        _ => false,
    };
    cx.check_at(ok, &ARGUMENT_CLASS, inst, word, || {
        let text = format!("the argument {id} is a pointer to {class}");
        if class == StorageClass::StorageBuffer {
            msg(text).help("passing it needs capability VariablePointersStorageBuffer")
        } else {
            msg(text)
        }
    })?;
    if may_vary(cx, class) {
        return Ok(());
    }
    let op = m.info(id).op;
    // A part of what lies in UniformConstant can be named as well as the whole.
    if class == StorageClass::UniformConstant {
        return Ok(());
    }
    let whole = matches!(op, Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter | Op::BufferPointerEXT);
    let ok = whole || is_element_of_resources(cx, inst.id(word));
    cx.check_at(ok, &ARGUMENT, inst, word, || {
        msg(format!("the argument {id} is the result of {op}, not a variable or parameter"))
            .declared(m, id)
            .help("copy the object to a variable of the function and pass that")
    })
}

/// Whether a pointer is an element of an array of images or samplers that is a variable or parameter.
fn is_element_of_resources(cx: &Cx<'_>, pointer: spirula_binary::Id) -> bool {
    let m = cx.m;
    let Some(inst) = m.def(pointer) else { return false };
    let base = match inst.op() {
        Op::AccessChain | Op::InBoundsAccessChain => inst.id(3),
        Op::UntypedAccessChainKHR | Op::UntypedInBoundsAccessChainKHR => inst.id(4),
        _ => return false,
    };
    let pointee = m.pointer(inst.id(1)).map_or(spirula_binary::Id(0), |p| p.1);
    let resource = cx.parts(pointee).any(Parts::OPAQUE.or(Parts::DESCRIPTOR));
    let whole = matches!(m.info(base).op, Op::Variable | Op::UntypedVariableKHR | Op::FunctionParameter);
    resource && whole
}

/// What variables may hold logical pointers.
pub(crate) fn variable<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, class: StorageClass, parts: Parts) -> Checked {
    if !parts.any(Parts::LOGICAL_POINTER) || is_relaxed(cx) {
        return Ok(());
    }
    let any = cx.has(Capability::VariablePointersStorageBuffer);
    let id = inst.id(2);
    cx.check_at(any, &VARIABLE, inst, 1, || {
        msg(format!("{id} holds a logical pointer")).help("that needs a variable-pointers capability")
    })?;
    held(cx, inst)?;
    let ok = matches!(class, StorageClass::Function | StorageClass::Private);
    cx.check_at(ok, &VARIABLE, inst, 3, || format!("{id} holds a logical pointer, but is in {class}"))
}

/// The pointers that a variable holds are ones that can vary.
fn held<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let m = cx.m;
    let data = if inst.op() == Op::Variable { m.pointer(inst.id(1)).map(|p| p.1) } else { Some(inst.id(4)) };
    let mut left = cx.collect([data.unwrap_or_default()]);
    let mut steps = 0;
    while let Some(ty) = left.pop() {
        steps += 1;
        if steps > 256 {
            break;
        }
        match m.ty(ty) {
            Some(spirula_module::Type::Struct { members }) => {
                left.extend(members.iter().map(|t| spirula_binary::Id(*t)));
            }
            Some(spirula_module::Type::Array { element, .. } | spirula_module::Type::RuntimeArray { element }) => {
                left.push(element)
            }
            Some(spirula_module::Type::Pointer { class, .. } | spirula_module::Type::UntypedPointer { class })
                if is_logical(class, m.addressing_model()) =>
            {
                cx.check_at(may_vary(cx, class), &VARIABLE, inst, 1, || {
                    format!("{} holds a logical pointer to {class}", inst.id(2))
                })?;
            }
            _ => {}
        }
    }
    Ok(())
}
