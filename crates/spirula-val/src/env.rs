//! Target environments as data.

use core::fmt;
use core::str::FromStr;

use spirula_grammar::Version;

/// The client API that defines further rules.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Client {
    /// The SPIR-V specification alone.
    Universal,
    /// Vulkan, by minor version 1.0 – 1.4.
    Vulkan(u8),
    /// OpenCL, by version times ten (12, 20, 21, 22).
    OpenCl {
        /// Version times ten.
        version: u8,
        /// The embedded profile.
        embedded: bool,
    },
    /// OpenGL, by version times ten (40, 41, 42, 43, 45).
    OpenGl(u8),
}

/// What a module is validated for: a client API and the newest SPIR-V version that it takes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TargetEnv {
    /// The client.
    pub client: Client,
    /// Newest version of SPIR-V that the environment takes.
    pub version: Version,
    name: &'static str,
}

const fn env(name: &'static str, client: Client, minor: u8) -> TargetEnv {
    TargetEnv { client, version: Version::v1(minor), name }
}

const fn cl(version: u8, embedded: bool) -> Client {
    Client::OpenCl { version, embedded }
}

/// All environments by name.
pub static ENVIRONMENTS: &[TargetEnv] = &[
    env("spv1.0", Client::Universal, 0),
    env("spv1.1", Client::Universal, 1),
    env("spv1.2", Client::Universal, 2),
    env("spv1.3", Client::Universal, 3),
    env("spv1.4", Client::Universal, 4),
    env("spv1.5", Client::Universal, 5),
    env("spv1.6", Client::Universal, 6),
    env("vulkan1.0", Client::Vulkan(0), 0),
    env("vulkan1.1", Client::Vulkan(1), 3),
    env("vulkan1.1spv1.4", Client::Vulkan(1), 4),
    env("vulkan1.2", Client::Vulkan(2), 5),
    env("vulkan1.3", Client::Vulkan(3), 6),
    env("vulkan1.4", Client::Vulkan(4), 6),
    env("opencl1.2", cl(12, false), 0),
    env("opencl1.2embedded", cl(12, true), 0),
    env("opencl2.0", cl(20, false), 0),
    env("opencl2.0embedded", cl(20, true), 0),
    env("opencl2.1", cl(21, false), 0),
    env("opencl2.1embedded", cl(21, true), 0),
    env("opencl2.2", cl(22, false), 2),
    env("opencl2.2embedded", cl(22, true), 2),
    env("opengl4.0", Client::OpenGl(40), 0),
    env("opengl4.1", Client::OpenGl(41), 0),
    env("opengl4.2", Client::OpenGl(42), 0),
    env("opengl4.3", Client::OpenGl(43), 0),
    env("opengl4.5", Client::OpenGl(45), 0),
];

impl TargetEnv {
    /// The SPIR-V specification alone, up to version 1.`minor` (at most 6).
    pub fn universal(minor: u8) -> TargetEnv {
        ENVIRONMENTS[usize::from(minor.min(6))]
    }

    /// Vulkan 1.`minor` (at most 4).
    pub fn vulkan(minor: u8) -> TargetEnv {
        *ENVIRONMENTS.iter().find(|e| e.client == Client::Vulkan(minor.min(4))).unwrap_or(&ENVIRONMENTS[0])
    }

    /// The environment's name, as `--target-env` takes it.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether the client is Vulkan.
    #[inline]
    pub fn is_vulkan(&self) -> bool {
        matches!(self.client, Client::Vulkan(_))
    }

    /// Whether the client is OpenCL.
    #[inline]
    pub fn is_opencl(&self) -> bool {
        matches!(self.client, Client::OpenCl { .. })
    }

    /// Whether the client is OpenGL.
    #[inline]
    pub fn is_opengl(&self) -> bool {
        matches!(self.client, Client::OpenGl(_))
    }
}

impl fmt::Display for TargetEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// The name is no environment's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UnknownEnv;

impl fmt::Display for UnknownEnv {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unknown target environment; the known ones are")?;
        ENVIRONMENTS.iter().try_for_each(|e| write!(f, " {}", e.name))
    }
}

impl core::error::Error for UnknownEnv {}

impl FromStr for TargetEnv {
    type Err = UnknownEnv;

    fn from_str(s: &str) -> Result<TargetEnv, UnknownEnv> {
        ENVIRONMENTS.iter().find(|e| e.name == s).copied().ok_or(UnknownEnv)
    }
}
