//! Capabilities that a client environment takes.

use alloc::format;

use spirula_binary::Inst;
use spirula_diag::{Checked, rules};
use spirula_grammar::{Capability as C, Extension};

use crate::Client;
use crate::cx::Cx;

rules! {
    group "environment";
    /// A capability must be one that Vulkan takes, in core or through a declared extension.
    VULKAN: "vulkan-capability", environment "Vulkan: Vulkan Environment for SPIR-V, Capabilities";
    /// A capability must be one that the version and profile of OpenCL takes, or that an extension brings.
    OPENCL: "opencl-capability", environment "OpenCL SPIR-V Environment: Validation Rules";
}

/// Judges a declared capability by the environment.
pub(crate) fn capability(cx: &mut Cx<'_>, inst: Inst<'_>, cap: C) -> Checked {
    let (fine, rule) = match cx.env.client {
        Client::Universal => return Ok(()),
        Client::Vulkan(_) => (!never_in_graphics(cap), &VULKAN),
        // Which capabilities an OpenGL implementation takes is its own matter.
        Client::OpenGl(_) => return Ok(()),
        Client::OpenCl { version, embedded } => (opencl(cx, cap, version, embedded), &OPENCL),
    };
    if fine || brought(cx, cap) {
        return Ok(());
    }
    let name = cx.env.name();
    cx.fail_at(rule, inst, 1, || format!("{name} does not take the capability {cap}"))
}

/// Whether a declared extension brings the capability.
fn brought(cx: &Cx<'_>, cap: C) -> bool {
    let by = |e: &Extension| cx.m.extensions().contains(*e);
    C::KIND.enumerant(cap.0).is_some_and(|e| e.extensions().iter().any(by))
}

/// Kernels' capabilities, with all that imply them, and a few that no version of Vulkan has.
fn never_in_graphics(cap: C) -> bool {
    let implies = |other| cap.implied().is_some_and(|all| all.contains(other));
    matches!(cap, C::Linkage | C::Groups | C::AtomicStorage | C::ImageRect | C::SampledRect)
        || implies(C::Kernel)
        || implies(C::Addresses)
}

/// The capabilities of OpenCL's profiles.
fn opencl(cx: &Cx<'_>, cap: C, version: u8, embedded: bool) -> bool {
    match cap {
        C::Addresses | C::Float16Buffer | C::Int8 | C::Int16 | C::Kernel | C::Linkage | C::Vector16 => true,
        C::Float16 | C::Float64 | C::ImageBasic => true,
        C::Int64 => !embedded,
        C::LiteralSampler | C::Sampled1D | C::Image1D | C::SampledBuffer | C::ImageBuffer => cx.has(C::ImageBasic),
        C::ImageReadWrite => version >= 20 && cx.has(C::ImageBasic),
        C::DeviceEnqueue | C::GenericPointer | C::Groups | C::Pipes => version >= 20,
        C::PipeStorage | C::SubgroupDispatch => version >= 22,
        // What shaders have, kernels do not.
        _ => !matches!(cap, C::Matrix) && !cap.implied().is_some_and(|all| all.contains(C::Shader)),
    }
}
