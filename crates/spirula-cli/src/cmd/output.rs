//! Where results of `as` and `dis` go.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::{IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};

use crate::cli::complain;
use crate::report::to_stdout;
use crate::{FAILED, OK, USAGE};

/// Where to write.
#[derive(Clone, Debug)]
pub(crate) enum Output {
    Stdout,
    File(PathBuf),
    /// One file per input, with this extension.
    Folder(PathBuf, &'static str, RefCell<BTreeSet<OsString>>),
}

impl Output {
    /// Reads `-o`. Several inputs need a folder, and binary is not for terminals.
    pub(crate) fn of(o: Option<&Path>, inputs: usize, extension: &'static str, binary: bool) -> Result<Output, u8> {
        match o {
            Some(path) if path.as_os_str() != "-" => {
                let folder = path.is_dir() || path.to_string_lossy().ends_with(['/', std::path::MAIN_SEPARATOR]);
                if folder {
                    std::fs::create_dir_all(path).map_err(|e| {
                        complain(&format!("cannot make {}: {e}", path.display()));
                        FAILED
                    })?;
                    return Ok(Output::Folder(path.to_owned(), extension, RefCell::default()));
                }
                if inputs > 1 {
                    complain("several inputs need a folder to write to: -o FOLDER/");
                    return Err(USAGE);
                }
                Ok(Output::File(path.to_owned()))
            }
            _ if binary && std::io::stdout().is_terminal() => {
                complain("a binary module is not for a terminal: name a file with -o FILE");
                Err(USAGE)
            }
            _ if binary && inputs > 1 => {
                complain("several inputs need a folder to write to: -o FOLDER/");
                Err(USAGE)
            }
            _ => Ok(Output::Stdout),
        }
    }

    /// Writes one input's result. Returns the exit code, and whether anybody still reads.
    pub(crate) fn write(&self, input: &str, bytes: &[u8]) -> (u8, bool) {
        let (path, result) = match self {
            Output::Stdout => match to_stdout(bytes) {
                Ok(more) => return (OK, more),
                Err(e) => ("standard output".to_owned(), Err(e)),
            },
            Output::File(path) => (path.display().to_string(), write_file(path, bytes)),
            Output::Folder(folder, extension, written) => {
                let stem = Path::new(input).file_stem().unwrap_or("stdin".as_ref());
                let mut name = stem.to_owned();
                name.push(extension);
                let path = folder.join(&name);
                if !written.borrow_mut().insert(name) {
                    complain(&format!("{input} is not written: {} is already another input's", path.display()));
                    return (FAILED, true);
                }
                (path.display().to_string(), write_file(&path, bytes))
            }
        };
        match result {
            Ok(()) => (OK, true),
            Err(e) => {
                complain(&format!("cannot write {path}: {e}"));
                (FAILED, true)
            }
        }
    }
}

fn write_file(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = std::fs::File::create(path)?;
    file.write_all(bytes)
}

/// Words as little-endian bytes.
pub(crate) fn to_bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}
