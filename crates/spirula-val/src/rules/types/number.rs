//! `OpTypeInt`, `OpTypeFloat`: widths and what they need (§2.16.1).

use alloc::format;

use spirula_binary::{Inst, Number, NumberKind, encoding_width};
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability, FPEncoding};

use crate::cx::{Cx, msg};

rules! {
    group "types";
    /// Integers are 32 bits wide; capabilities add 8, 16 and 64 bits, and some vendors' any width.
    INT_WIDTH: "type-int-width", spec "§2.16.1";
    /// An integer type's signedness is 0 or 1, and in kernels always 0.
    SIGNEDNESS: "type-int-signedness", spec "§2.16.3";
    /// Floating-point numbers are 32 bits wide; capabilities add 16 and 64 bits, and encodings others.
    FLOAT_WIDTH: "type-float-width", spec "§2.16.1";
    /// A floating-point encoding has a width of its own.
    ENCODING: "type-float-encoding", spec "OpTypeFloat";
}

const STORAGE16: [Capability; 5] = [
    Capability::StorageBuffer16BitAccess,
    Capability::UniformAndStorageBuffer16BitAccess,
    Capability::StoragePushConstant16,
    Capability::StorageInputOutput16,
    Capability::WorkgroupMemoryExplicitLayout16BitAccessKHR,
];

const STORAGE8: [Capability; 4] = [
    Capability::StorageBuffer8BitAccess,
    Capability::UniformAndStorageBuffer8BitAccess,
    Capability::StoragePushConstant8,
    Capability::WorkgroupMemoryExplicitLayout8BitAccessKHR,
];

pub(super) fn int<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let (width, signedness) = (inst.word(2), inst.word(3));
    cx.check_at(signedness <= 1, &SIGNEDNESS, inst, 3, || format!("the signedness is {signedness}, not 0 or 1"))?;
    let kernel = cx.has(Capability::Kernel);
    cx.check_at(signedness == 0 || !kernel, &SIGNEDNESS, inst, 3, || {
        msg("the signedness is 1, but the capability Kernel is declared")
            .help("instructions say whether they take signed numbers")
    })?;
    let any = |caps: &[Capability]| caps.iter().any(|c| cx.has(*c));
    let arbitrary = any(&[Capability::ArbitraryPrecisionIntegersALTERA]);
    let (ok, help) = match width {
        32 => (true, ""),
        8 => {
            (any(&[Capability::Int8]) || any(&STORAGE8), "8-bit integers need capability Int8 or one for 8-bit storage")
        }
        16 => (
            any(&[Capability::Int16]) || any(&STORAGE16) || cx.declares("SPV_AMD_gpu_shader_int16"),
            "16-bit integers need capability Int16 or one for 16-bit storage",
        ),
        64 => (any(&[Capability::Int64]), "64-bit integers need capability Int64"),
        4 => (any(&[Capability::Int4TypeINTEL]), "4-bit integers need capability Int4TypeINTEL"),
        _ => (false, "the widths are 8, 16, 32 and 64"),
    };
    cx.check_at(ok || (arbitrary && width > 0), &INT_WIDTH, inst, 2, || {
        msg(format!("an integer type of {width} bits")).help(help)
    })
}

pub(super) fn float<'a>(cx: &mut Cx<'a>, inst: Inst<'a>) -> Checked {
    let width = inst.word(2);
    if let Some(Number { kind: NumberKind::Encoded(encoding), .. }) = Number::of_type(inst) {
        return encoded(cx, inst, width, encoding);
    }
    let any = |caps: &[Capability]| caps.iter().any(|c| cx.has(*c));
    let (ok, help) = match width {
        32 => (true, ""),
        16 => (
            any(&[Capability::Float16, Capability::Float16Buffer])
                || any(&STORAGE16)
                || cx.declares("SPV_AMD_gpu_shader_half_float")
                || cx.declares("SPV_AMD_gpu_shader_half_float_fetch"),
            "16-bit floating-point numbers need capability Float16 or one for 16-bit storage",
        ),
        64 => (any(&[Capability::Float64]), "64-bit floating-point numbers need capability Float64"),
        8 => (false, "8-bit floating-point numbers need an encoding"),
        _ => (false, "without an encoding the widths are 16, 32 and 64"),
    };
    cx.check_at(ok, &FLOAT_WIDTH, inst, 2, || msg(format!("a floating-point type of {width} bits")).help(help))
}

fn encoded<'a>(cx: &mut Cx<'a>, inst: Inst<'a>, width: u32, encoding: FPEncoding) -> Checked {
    let Some(own) = encoding_width(encoding) else { return Ok(()) };
    cx.check_at(width == own, &ENCODING, inst, 2, || format!("{encoding} is {own} bits wide, not {width}"))
}
