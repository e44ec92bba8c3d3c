//! `OpSpecConstantOp`: an operation on constants, judged by the rules of the instruction that it applies.

use alloc::format;

use spirula_binary::{Inst, Operands};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, Op, Version};

use crate::cx::{Cx, msg};
use crate::dispatch::Row;
use crate::rules::memory;

rules! {
    group "constants";
    /// Some opcodes can be applied only where capability Kernel, or Shader, is declared.
    CAPABILITY: "spec-constant-op-capability", spec "OpSpecConstantOp";
    /// OpUConvert can be applied from SPIR-V 1.4 on; before, it needs capability Kernel.
    VERSION: "spec-constant-op-version", spec "OpSpecConstantOp";
    /// The operands are constants, undefined values or, as the base of an access chain, module-scope variables.
    CONSTANTS: "spec-constant-op-operands", spec "OpSpecConstantOp";
}

/// The opcodes for kernels only.
fn is_for_kernels(op: Op) -> bool {
    matches!(
        op,
        Op::ConvertFToS
            | Op::ConvertSToF
            | Op::ConvertFToU
            | Op::ConvertUToF
            | Op::ConvertPtrToU
            | Op::ConvertUToPtr
            | Op::GenericCastToPtr
            | Op::PtrCastToGeneric
            | Op::Bitcast
            | Op::FNegate
            | Op::FAdd
            | Op::FSub
            | Op::FMul
            | Op::FDiv
            | Op::FRem
            | Op::FMod
    ) || is_access_chain(op)
}

fn is_access_chain(op: Op) -> bool {
    matches!(
        op,
        Op::AccessChain
            | Op::InBoundsAccessChain
            | Op::PtrAccessChain
            | Op::InBoundsPtrAccessChain
            | Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    )
}

pub(super) fn spec_constant_op<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let op = Op(inst.word(3) as u16);
    needs(cx, inst, op)?;
    constants(cx, inst, op)?;
    // The base of an access chain may be a null pointer: what the indexes lead to is left to the consumer.
    if is_access_chain(op) { access_chain(cx, inst, op) } else { applied(cx, inst, op) }
}

/// An access chain starts at a pointer, gives a pointer, and stays in the storage class.
fn access_chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, op: Op) -> Checked {
    let ok = cx.result_key(inst)?.is_pointer();
    cx.check_at(ok, &memory::POINTER, inst, 1, || format!("the Result Type {} is not a pointer type", inst.id(1)))?;
    let untyped = matches!(
        op,
        Op::UntypedAccessChainKHR
            | Op::UntypedInBoundsAccessChainKHR
            | Op::UntypedPtrAccessChainKHR
            | Op::UntypedInBoundsPtrAccessChainKHR
    );
    let word = if untyped { 5 } else { 4 };
    let base = memory::pointer_at(cx, inst, word, &memory::CHAIN_BASE)?;
    let class = cx.m.pointer(inst.id(1)).map_or(base.class, |p| p.0);
    cx.check_at(class == base.class, &memory::CHAIN_CLASS, inst, 1, || {
        format!("the Result Type points to {class}, but the Base {} to {}", inst.id(word), base.class)
    })
}

fn needs<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, op: Op) -> Checked {
    let kernel = cx.has(Capability::Kernel);
    if is_for_kernels(op) {
        return cx.check_at(kernel, &CAPABILITY, inst, 3, || format!("{op} needs capability Kernel here"));
    }
    if op == Op::QuantizeToF16 {
        let ok = cx.has(Capability::Shader);
        return cx.check_at(ok, &CAPABILITY, inst, 3, || format!("{op} needs capability Shader here"));
    }
    if op == Op::UConvert {
        let version = cx.version;
        let ok = kernel || version >= Version::v1(4) || cx.declares("SPV_AMD_gpu_shader_int16");
        return cx.check_at(ok, &VERSION, inst, 3, || {
            msg(format!("{op} here needs SPIR-V 1.4 or capability Kernel, but the module is SPIR-V {version}"))
        });
    }
    Ok(())
}

fn constants<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, op: Op) -> Checked {
    let m = cx.m;
    for operand in Operands::new(inst, &m).flatten() {
        let word = operand.at as usize;
        let Some(id) = operand.id().filter(|_| word >= 4) else { continue };
        let info = m.info(id);
        cx.def(id)?;
        let base = is_access_chain(op) && matches!(info.op, Op::Variable | Op::UntypedVariableKHR) && !info.is_local();
        let undefined = matches!(info.op, Op::Undef | Op::PoisonKHR);
        let typed =
            matches!(op, Op::AccessChain | Op::InBoundsAccessChain | Op::PtrAccessChain | Op::InBoundsPtrAccessChain);
        // Whether other instructions take a type is a matter of their own rules.
        let ok = info.is_constant() || undefined || base || info.is_type() && !typed;
        cx.check_at(ok, &CONSTANTS, inst, word, || {
            msg(format!("{id} is the result of {}, not a constant", info.op)).declared(m, id)
        })?;
    }
    Ok(())
}

/// Judges the instruction as if it stood by itself, in place of this one.
fn applied<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, op: Op) -> Checked {
    let Some(desc) = op.desc() else { return Ok(()) };
    let count = inst.words().len() - 1;
    let mut words = cx.collect([(count as u32) << 16 | u32::from(op.0), inst.word(1), inst.word(2)]);
    words.extend_from_slice(inst.tail(4));
    let Some(alone) = Inst::standing_for(words.into_bump_slice(), inst.offset()) else { return Ok(()) };
    let before = cx.out.len();
    let judged = Row::of(desc).judge(cx, alone, desc);
    // The opcode takes a word of its own.
    for d in cx.out.iter_mut().skip(before) {
        if d.at.word == inst.offset() && d.at.operand >= 3 {
            d.at.operand += 1;
        }
    }
    judged
}
