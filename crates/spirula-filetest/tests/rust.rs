//! What `spirula reflect --format rust` writes is compiled: with that, its assertions of offsets and sizes are checked.
//! And it is used, as a host would.

use std::path::{Path, PathBuf};
use std::process::Command;

/// A folder that goes when the test ends.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("spirula-rust-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder to write to");
        Folder(folder)
    }

    /// Compiles a text; warnings are errors.
    fn compile(&self, text: &str, options: &[&str]) -> PathBuf {
        let (source, target) = (self.0.join("source.rs"), self.0.join("target"));
        std::fs::write(&source, text).expect("a file to write to");
        let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
        let mut command = Command::new(rustc);
        command.args(["--edition=2024", "-Dwarnings"]).args(options);
        run(command.arg("-o").arg(&target).arg(&source));
        target
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}

fn run(command: &mut Command) {
    let output = command.output().expect("a program that runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn structures_compile() {
    let text = spirula_filetest::rust_structures().expect("all modules assemble");
    Folder::new("compile").compile(&text, &["--crate-type=lib", "--emit=metadata"]);
    // If the modules had no structures, there would be nothing to check.
    assert!(text.matches("assert!").count() > 100);
}

/// A host that fills blocks, and looks at where its values come to lie.
const HOST: &str = "
fn floats<T, const N: usize>(value: T) -> [f32; N] {
    assert_eq!(size_of::<T>(), 4 * N);
    let bytes = &value as *const T as *const [f32; N];
    // SAFETY: as many bytes, and floats may have any.
    unsafe { bytes.read_unaligned() }
}

fn main() {
    use of_rust_layout::{Camera, LightInfo};
    let sun = LightInfo { colour: [7.0, 8.0, 9.0], ..Default::default() };
    let camera = Camera { eye: [1.0, 2.0, 3.0], exposure: 4.0, weights: [5.0.into(); 3], sun, ..Camera::ZEROED };
    let all: [f32; 84] = floats(camera);
    assert_eq!(all[112 / 4..128 / 4], [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(all[192 / 4..240 / 4], [5.0, 0.0, 0.0, 0.0].repeat(3));
    assert_eq!(all[256 / 4..268 / 4], [7.0, 8.0, 9.0]);

    use of_rust_references::{Args, DeviceAddress, Node};
    let root: DeviceAddress<Node> = DeviceAddress::new(0x1234_5678_9abc);
    let args = Args { root, slots: DeviceAddress::new(16), ..Default::default() };
    let parts: [u64; 6] = floats::<_, 12>(args).as_chunks().0.iter().map(|p: &[f32; 2]| {
        u64::from(p[0].to_bits()) | u64::from(p[1].to_bits()) << 32
    }).collect::<Vec<u64>>().try_into().unwrap();
    assert_eq!(parts, [0, 0, root.0, 0, 0, 16]);

    use of_rust_tight::{Block, Wide};
    let block = Block { first: Wide { big: 1, small: 2 }, numbers_last: 6.0, behind_numbers: 7.0, ..Default::default() };
    assert_eq!(floats::<_, 53>(block)[80 / 4..88 / 4], [6.0, 7.0]);
    assert_eq!((format!(\"{:?}\", block.first), { block.first.big }), (\"Wide { big: 1, small: 2 }\".to_owned(), 1));
}
";

#[test]
fn structures_can_be_used() {
    let text = spirula_filetest::rust_structures().expect("all modules assemble");
    let folder = Folder::new("use");
    let program = folder.compile(&format!("#![allow(dead_code)]\n{text}{HOST}"), &[]);
    run(&mut Command::new(program));
}
