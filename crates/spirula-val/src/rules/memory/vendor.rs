//! Memory instructions of vendors' extensions.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, Rule, rules};
use spirula_grammar::{BuiltIn, Capability, Decoration, MemoryAccess, Op, RawAccessChainOperands, StorageClass};
use spirula_module::Shape;

use super::access::{self, Does};
use super::{describe, load_store, pointer_at};
use crate::cx::{Cx, msg};

rules! {
    group "memory";
    /// A raw access chain gives a typed pointer to a scalar or vector in a buffer.
    RAW_RESULT: "raw-access-chain-result", extension "SPV_NV_raw_access_chains";
    /// The stride of a raw access chain is a 32-bit integer constant; index and offset are 32-bit integers.
    RAW_OPERANDS: "raw-access-chain-operands", extension "SPV_NV_raw_access_chains";
    /// Robustness is per component or per element, not both.
    RAW_ROBUSTNESS: "raw-access-chain-robustness", extension "SPV_NV_raw_access_chains";
    /// What a raw access chain leads to ends within its stride.
    RAW_STRIDE: "raw-access-chain-stride", extension "SPV_NV_raw_access_chains";
    /// A raw access chain starts at a buffer: a Block in StorageBuffer, a BufferBlock in Uniform, or an array of them.
    RAW_BASE: "raw-access-chain-base", extension "SPV_NV_raw_access_chains";
    /// A raw access chain is loaded from and stored to, and nothing else; an alignment is the size of a component at
    /// least.
    RAW_USE: "raw-access-chain-use", extension "SPV_NV_raw_access_chains";
    /// Each access through a raw access chain says how it is aligned. A warning, since consumers do without.
    RAW_ALIGNED: "raw-access-chain-aligned", warn extension "SPV_NV_raw_access_chains";
    /// Predicated accesses are of scalars and vectors of numbers.
    PREDICATED_TYPE: "predicated-access-type", extension "SPV_INTEL_predicated_io";
    /// The predicate is a Boolean scalar.
    PREDICATE: "predicated-access-predicate", extension "SPV_INTEL_predicated_io";
    /// The default value has the Result Type.
    PREDICATED_DEFAULT: "predicated-access-default", extension "SPV_INTEL_predicated_io";
    /// The pointer points to the type that is loaded or stored.
    PREDICATED_POINTER: "predicated-access-pointer", extension "SPV_INTEL_predicated_io";
    /// Predicated accesses are never volatile.
    PREDICATED_VOLATILE: "predicated-access-volatile", extension "SPV_INTEL_predicated_io";
    /// The data of a buffer descriptor is in the Uniform or StorageBuffer storage class.
    BUFFER_CLASS: "buffer-pointer-class", extension "SPV_EXT_descriptor_heap";
    /// The descriptor of a buffer is found through an untyped pointer into the resource heap.
    BUFFER_HEAP: "buffer-pointer-heap", extension "SPV_EXT_descriptor_heap";
}

pub(super) fn raw_access_chain<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    cx.key(result)?;
    let typed = m.info(result).op == Op::TypePointer;
    cx.check_at(typed, &RAW_RESULT, inst, 1, || {
        format!("the Result Type {} is not OpTypePointer", describe(m, result))
    })?;
    let Some((class, pointee)) = m.pointer(result) else { return Ok(()) };
    let ok = matches!(class, StorageClass::StorageBuffer | StorageClass::PhysicalStorageBuffer | StorageClass::Uniform);
    cx.check_at(ok, &RAW_RESULT, inst, 1, || format!("the Result Type {result} points to {class}"))?;
    let ok = !matches!(
        m.key(pointee).shape(),
        Shape::Array | Shape::RuntimeArray | Shape::Matrix | Shape::Struct | Shape::CooperativeMatrix
    );
    cx.check_at(ok, &RAW_RESULT, inst, 1, || format!("the Result Type {result} points to {}", describe(m, pointee)))?;
    let constant = m.info(inst.id(4)).op == Op::Constant;
    cx.check_at(constant, &RAW_OPERANDS, inst, 4, || {
        msg(format!("the stride {} is not an OpConstant", inst.id(4))).declared(m, inst.id(4))
    })?;
    for (word, name) in [(4, "stride"), (5, "index"), (6, "offset")] {
        let key = cx.key_at(inst, word)?;
        cx.check_at(key.is_int() && key.width() == 32, &RAW_OPERANDS, inst, word, || {
            format!("the {name} {} is not a 32-bit integer", inst.id(word))
        })?;
    }
    let mask = RawAccessChainOperands(inst.word(7));
    let both = mask.contains(RawAccessChainOperands::RobustnessPerComponentNV)
        && mask.contains(RawAccessChainOperands::RobustnessPerElementNV);
    cx.check_at(
        !both,
        &RAW_ROBUSTNESS,
        inst,
        7,
        || "RobustnessPerComponentNV and RobustnessPerElementNV exclude each other",
    )?;
    let physical = class == StorageClass::PhysicalStorageBuffer && mask.0 != 0;
    cx.check_at(!physical, &RAW_ROBUSTNESS, inst, 7, || format!("robustness of a pointer to {class}"))?;
    raw_stride(cx, inst, mask, pointee)?;
    raw_base(cx, inst)
}

fn raw_stride<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    mask: RawAccessChainOperands,
    pointee: spirula_binary::Id,
) -> Checked {
    let m = cx.m;
    let Some(stride) = m.fixed_u32(inst.id(4)) else { return Ok(()) };
    let by_element = mask.contains(RawAccessChainOperands::RobustnessPerElementNV);
    cx.check_at(stride != 0 || !by_element, &RAW_STRIDE, inst, 4, || "RobustnessPerElementNV with a stride of 0")?;
    let Some(offset) = m.fixed_u32(inst.id(6)).filter(|_| stride != 0) else { return Ok(()) };
    let key = m.key(pointee);
    let end = u64::from(offset) + u64::from(key.width() / 8) * u64::from(key.count().max(1));
    cx.check_at(end <= u64::from(stride), &RAW_STRIDE, inst, 6, || {
        format!("what is pointed to ends at {end}, but the stride is {stride}")
    })
}

fn raw_base<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let base = pointer_at(cx, inst, 3, &RAW_BASE)?;
    let m = cx.m;
    let wanted = match base.class {
        StorageClass::StorageBuffer => Decoration::Block,
        StorageClass::Uniform => Decoration::BufferBlock,
        _ => return Ok(()),
    };
    let (inner, _) = crate::facts::without_arrays(m, base.pointee);
    cx.check_at(base.is_untyped() || m.is_decorated(inner, wanted), &RAW_BASE, inst, 3, || {
        format!("the Base {} points to {}, which is not decorated {wanted}", inst.id(3), describe(m, base.pointee))
    })
}

/// What uses the results of raw access chains.
pub(crate) fn module(cx: &mut Cx<'_>) {
    if !cx.has(Capability::RawAccessChainsNV) {
        return;
    }
    let m = cx.m;
    let is_raw = |id| m.info(id).op == Op::RawAccessChainNV;
    for function in m.functions() {
        for inst in m.insts(function.body_words()).filter(|i| i.tail(1).iter().any(|w| is_raw(spirula_binary::Id(*w))))
        {
            raw_use(cx, inst);
        }
    }
}

fn raw_use<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) {
    let m = cx.m;
    let (pointer, mask) = match inst.op() {
        Op::Load => (3, 4),
        Op::Store => (1, 3),
        Op::ExtInst if m.info(inst.id(3)).ext_set().is_none_or(|s| s.is_non_semantic()) => return,
        _ => (0, 0),
    };
    for operand in spirula_binary::Operands::new(inst, &m).flatten() {
        let word = operand.at as usize;
        let Some(id) = operand.id().filter(|id| Some(*id) != inst.result()) else { continue };
        if m.info(id).op != Op::RawAccessChainNV {
            continue;
        }
        let aligned = MemoryAccess(inst.word(mask)).contains(MemoryAccess::Aligned);
        let pointee = m.pointer(m.type_id_of(id)).map_or(spirula_binary::Id(0), |p| p.1);
        let size = m.key(pointee).width() / 8;
        let (rule, fits) = match (word == pointer, aligned) {
            (true, true) => (&RAW_USE, inst.word(mask + 1) >= size),
            (true, false) => (&RAW_ALIGNED, false),
            (false, _) => (&RAW_USE, false),
        };
        cx.check_at(fits, rule, inst, word, || {
            if word == pointer {
                format!("an access through {id} needs Aligned with {size} at least")
            } else {
                format!("{id} is used by {}, but is only loaded from and stored to", inst.op())
            }
        })
        .ok();
    }
}

fn predicated<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, word: usize, predicate: usize, mask: usize) -> Checked {
    let (m, ty) = (cx.m, if word == 1 { inst.id(1) } else { cx.type_at(inst, word)? });
    let key = cx.key(ty)?;
    let ok = key.is_int_scalar_or_vector() || key.is_float_scalar_or_vector();
    cx.check_at(ok, &PREDICATED_TYPE, inst, word, || {
        format!("{} is neither a number nor a vector of numbers", describe(m, ty))
    })?;
    let key = cx.key_at(inst, predicate)?;
    cx.check_at(key.is_bool(), &PREDICATE, inst, predicate, || {
        format!("the Predicate {} is not a Boolean scalar", inst.id(predicate))
    })?;
    let volatile = MemoryAccess(inst.word(mask)).contains(MemoryAccess::Volatile);
    cx.check_at(!volatile, &PREDICATED_VOLATILE, inst, mask, || format!("Volatile on {}", inst.op()))
}

pub(super) fn predicated_load<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    predicated(cx, inst, 1, 4, 6)?;
    let pointer = pointer_at(cx, inst, 3, &PREDICATED_POINTER)?;
    points_to(cx, inst, 3, pointer, inst.id(1))?;
    let default = cx.type_at(inst, 5)?;
    cx.check_at(default == inst.id(1), &PREDICATED_DEFAULT, inst, 5, || {
        format!("the Default Value {} has type {default}, not the Result Type {}", inst.id(5), inst.id(1))
    })?;
    access::operands(cx, inst, 6, Does::Read, &[pointer], inst.id(1))?;
    Ok(())
}

pub(super) fn predicated_store<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    predicated(cx, inst, 2, 3, 4)?;
    let pointer = pointer_at(cx, inst, 1, &PREDICATED_POINTER)?;
    let object = cx.type_at(inst, 2)?;
    points_to(cx, inst, 1, pointer, object)?;
    load_store::writable(cx, inst, 1, pointer.class)?;
    access::operands(cx, inst, 4, Does::Write, &[pointer], object)?;
    Ok(())
}

fn points_to<'a>(
    cx: &mut Cx<'a>,
    inst: Inst<'a>,
    word: usize,
    pointer: super::Pointer,
    ty: spirula_binary::Id,
) -> Checked {
    let m = cx.m;
    let rule: &'static Rule = &PREDICATED_POINTER;
    cx.check_at(pointer.is_untyped() || pointer.pointee == ty, rule, inst, word, || {
        format!("{} points to {}, not to {}", inst.id(word), describe(m, pointer.pointee), describe(m, ty))
    })
}

pub(super) fn buffer_pointer<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (m, result) = (cx.m, inst.id(1));
    cx.key(result)?;
    let class = m.pointer(result).map(|p| p.0);
    let ok = matches!(class, Some(StorageClass::Uniform | StorageClass::StorageBuffer));
    cx.check_at(ok, &BUFFER_CLASS, inst, 1, || {
        format!("the Result Type {} is not a pointer to Uniform or StorageBuffer", describe(m, result))
    })?;
    let buffer = pointer_at(cx, inst, 3, &BUFFER_HEAP)?;
    let heap = super::root(m, inst.id(3)).and_then(|i| i.result()).is_some_and(|variable| {
        m.decoration(variable, Decoration::BuiltIn).is_some_and(|d| BuiltIn(d.operand()) == BuiltIn::ResourceHeapEXT)
    });
    cx.check_at(buffer.is_untyped() && heap, &BUFFER_HEAP, inst, 3, || {
        format!("{} is not an untyped pointer into a variable decorated BuiltIn ResourceHeapEXT", inst.id(3))
    })
}
