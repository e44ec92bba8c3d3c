//! The header as comments, and back.

use core::fmt::Write as _;

use spirula_binary::Header;
use spirula_grammar::{MAGIC, Version};

/// Who generates modules: the tool ids of the SPIR-V registry, in order from 0, vendor and tool.
const GENERATORS: [&str; 52] = [
    "Khronos",
    "LunarG",
    "Valve",
    "Codeplay",
    "NVIDIA",
    "ARM",
    "Khronos LLVM/SPIR-V Translator",
    "Khronos SPIR-V Tools Assembler",
    "Khronos Glslang Reference Front End",
    "Qualcomm",
    "AMD",
    "Intel",
    "Imagination",
    "Google Shaderc over Glslang",
    "Google spiregg",
    "Google rspirv",
    "X-LEGEND Mesa-IR/SPIR-V Translator",
    "Khronos SPIR-V Tools Linker",
    "Wine VKD3D Shader Compiler",
    "Tellusim Clay Shader Compiler",
    "W3C WebGPU Group WHLSL Shader Translator",
    "Google Clspv",
    "LLVM MLIR SPIR-V Serializer",
    "Google Tint Compiler",
    "Google ANGLE Shader Compiler",
    "Netease Games Messiah Shader Compiler",
    "Xenia Xenia Emulator Microcode Translator",
    "Embark Studios Rust GPU Compiler Backend",
    "gfx-rs community Naga",
    "Mikkosoft Productions MSP Shader Compiler",
    "SpvGenTwo community SpvGenTwo SPIR-V IR Tools",
    "Google Skia SkSL",
    "TornadoVM Beehive SPIRV Toolkit",
    "DragonJoker ShaderWriter",
    "Rayan Hatout SPIRVSmith",
    "Saarland University Shady",
    "Taichi Graphics Taichi",
    "heroseh Hero C Compiler",
    "Meta SparkSL",
    "SirLynix Nazara ShaderLang Compiler",
    "Khronos Slang Compiler",
    "Zig Software Foundation Zig Compiler",
    "Rendong Liang spq",
    "LLVM LLVM SPIR-V Backend",
    "Robert Konrad Kongruent",
    "Kitsunebi Games Nuvk SPIR-V Emitter and DLSL compiler",
    "Nintendo",
    "ARM",
    "Goopax",
    "Icyllis Milica Arc3D Shader Compiler",
    "Isochron Pred",
    "apilatosba Apila Jai Compiler",
];

/// Name of the tool with a registered id.
pub(crate) fn generator_name(tool: u32) -> Option<&'static str> {
    GENERATORS.get(tool as usize).copied()
}

/// Appends the header as comment lines. Where the usual ones do not say all of it, one more has its words.
pub(crate) fn print(out: &mut String, header: &Header) {
    let start = out.len();
    let version = header.version();
    let _ = write!(out, "; SPIR-V\n; Version: {version}\n; Generator: ");
    let _ = match generator_name(header.generator >> 16) {
        Some(name) => out.write_str(name),
        None => write!(out, "Unknown({})", header.generator >> 16),
    };
    let _ = writeln!(out, "; {}\n; Bound: {}\n; Schema: {}", header.generator & 0xffff, header.bound, header.schema);
    let (hints, _) = HeaderHints::read(out.as_bytes().get(start..).unwrap_or_default());
    if hints.header() != Some(*header) {
        let Header { version, generator, bound, schema } = *header;
        let _ = writeln!(out, "; Header: {version:#010x} {generator:#010x} {bound:#010x} {schema:#010x}");
    }
}

/// What the comments at the beginning of a text say of the header.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct HeaderHints {
    /// Version word.
    pub(crate) version: Option<u32>,
    /// Generator word.
    pub(crate) generator: Option<u32>,
    /// Bound.
    pub(crate) bound: Option<u32>,
    /// Schema.
    pub(crate) schema: Option<u32>,
}

impl HeaderHints {
    /// Reads the comment lines that a text begins with. Says too whether something follows them.
    pub(crate) fn read(text: &[u8]) -> (HeaderHints, bool) {
        let mut hints = HeaderHints::default();
        for line in text.split(|b| *b == b'\n') {
            let line = line.trim_ascii();
            if line.is_empty() {
                continue;
            }
            let Some(comment) = line.strip_prefix(b";") else { return (hints, true) };
            let Ok(comment) = core::str::from_utf8(comment) else { continue };
            if let Some((key, value)) = comment.split_once(':') {
                hints.line(key.trim(), value.trim());
            }
        }
        (hints, false)
    }

    fn line(&mut self, key: &str, value: &str) {
        match key {
            "Version" => self.version = version(value).or(self.version),
            "Generator" => self.generator = generator(value).or(self.generator),
            "Bound" => self.bound = value.parse().ok().or(self.bound),
            "Schema" => self.schema = value.parse().ok().or(self.schema),
            "Header" => {
                let mut words =
                    value.split_ascii_whitespace().map_while(|w| u32::from_str_radix(w.strip_prefix("0x")?, 16).ok());
                if let [Some(version), Some(generator), Some(bound), Some(schema)] = [(); 4].map(|()| words.next()) {
                    *self = HeaderHints::from(Header { version, generator, bound, schema });
                }
            }
            _ => {}
        }
    }

    /// The header, where all of it is said.
    pub(crate) fn header(&self) -> Option<Header> {
        Some(Header { version: self.version?, generator: self.generator?, bound: self.bound?, schema: self.schema? })
    }
}

impl From<Header> for HeaderHints {
    fn from(h: Header) -> HeaderHints {
        HeaderHints {
            version: Some(h.version),
            generator: Some(h.generator),
            bound: Some(h.bound),
            schema: Some(h.schema),
        }
    }
}

fn version(value: &str) -> Option<u32> {
    let (major, minor) = value.split_once('.')?;
    Some(Version { major: major.parse().ok()?, minor: minor.parse().ok()? }.to_word())
}

fn generator(value: &str) -> Option<u32> {
    let (name, version) = value.rsplit_once(';')?;
    let version: u16 = version.trim().parse().ok()?;
    let name = name.trim();
    let tool: u16 = match name.strip_prefix("Unknown(").and_then(|n| n.strip_suffix(')')) {
        Some(number) => number.parse().ok()?,
        None => GENERATORS.iter().position(|g| *g == name)?.try_into().ok()?,
    };
    Some(u32::from(tool) << 16 | u32::from(version))
}

/// Whether the words begin with the magic number and have a whole header.
pub(crate) fn of(words: &[u32]) -> Option<Header> {
    if words.first() == Some(&MAGIC) { Header::read(words) } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_header_survives() {
        let words = [0, 1, 0x0001_0600, 0x0001_0604, 0xff01_0600, 5 << 16, 47 << 16 | 3, 0xffff_ffff];
        for version in words {
            for generator in words {
                let header = Header { version, generator, bound: u32::MAX, schema: generator };
                let mut text = String::new();
                print(&mut text, &header);
                assert_eq!(HeaderHints::read(text.as_bytes()).0.header(), Some(header), "{text}");
            }
        }
        let mut text = String::new();
        print(&mut text, &Header { version: 0x0001_0500, generator: 8 << 16 | 11, bound: 9, schema: 0 });
        let usual =
            "; SPIR-V\n; Version: 1.5\n; Generator: Khronos Glslang Reference Front End; 11\n; Bound: 9\n; Schema: 0\n";
        assert_eq!(text, usual);
    }
}
