//! What `spirula reflect --format rust` writes is compiled: with that, its assertions of offsets and sizes are checked.

use std::process::Command;

#[test]
fn structures_compile() {
    let text = spirula_filetest::rust_structures().expect("all modules assemble");
    let folder = std::env::temp_dir().join(format!("spirula-rust-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    let source = folder.join("structures.rs");
    std::fs::write(&source, &text).expect("a file to write to");
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let mut command = Command::new(rustc);
    command.args(["--edition=2024", "--crate-type=lib", "--emit=metadata", "-Dwarnings", "--out-dir"]);
    let output = command.arg(&folder).arg(&source).output().expect("rustc runs");
    let _ = std::fs::remove_dir_all(&folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // If the modules had no structures, there would be nothing to check.
    assert!(text.matches("assert!").count() > 100);
}
