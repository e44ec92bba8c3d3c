//! Where the reference programs are.

use std::path::{Path, PathBuf};

/// The program `name` in a folder, or on PATH where none is given.
pub fn find(folder: Option<&Path>, name: &str) -> Option<PathBuf> {
    match folder {
        Some(folder) => Some(folder.join(name)).filter(|p| p.is_file()),
        None => std::env::split_paths(&std::env::var_os("PATH")?).map(|p| p.join(name)).find(|p| is_program(p)),
    }
}

/// Scripts that start the real program would be measured too.
fn is_program(path: &Path) -> bool {
    std::fs::read(path).is_ok_and(|bytes| !bytes.starts_with(b"#!"))
}
