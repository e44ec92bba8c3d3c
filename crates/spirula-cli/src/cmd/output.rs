//! Where results of `as`, `dis` and `reflect` go.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, IsTerminal as _, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::cli::complain;
use crate::{FAILED, OK, USAGE};

/// Where to write.
#[derive(Debug)]
pub(crate) enum Output {
    Stdout,
    File(PathBuf),
    /// One file per input, with this extension; what was found in a folder keeps its place in it.
    Folder(PathBuf, &'static str, Mutex<BTreeSet<OsString>>),
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
                    return Ok(Output::Folder(path.to_owned(), extension, Mutex::default()));
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

    /// Writes the result of the input of that name and place. Returns the exit code, and whether anybody still reads.
    pub(crate) fn write(&self, name: &str, place: &Path, bytes: &[u8]) -> (u8, bool) {
        self.write_with(name, place, |to| to.write_all(bytes))
    }

    /// Lets `write` write the result of the input of that name and place. Returns the exit code, and whether anybody
    /// still reads.
    pub(crate) fn write_with(
        &self,
        name: &str,
        place: &Path,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> (u8, bool) {
        let (path, result) = match self {
            Output::Stdout => {
                let mut out = io::stdout().lock();
                match write(&mut out).and_then(|()| out.flush()) {
                    Err(e) if e.kind() == io::ErrorKind::BrokenPipe => return (OK, false),
                    result => ("standard output".to_owned(), result),
                }
            }
            Output::File(path) => (path.display().to_string(), write_file(path, write)),
            Output::Folder(folder, extension, written) => {
                let mut place = place.with_extension("").into_os_string();
                place.push(extension);
                let path = folder.join(&place);
                if !written.lock().unwrap_or_else(PoisonError::into_inner).insert(place) {
                    complain(&format!("{name} is not written: {} is already another input's", path.display()));
                    return (FAILED, true);
                }
                let made = path.parent().map_or(Ok(()), std::fs::create_dir_all);
                let result = made.and_then(|()| write_file(&path, write));
                (path.display().to_string(), result)
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

/// Writes a file anew. One that is there is written over and cut to its new length afterwards: file systems write out at
/// once what was emptied first, which takes longer than to assemble it.
fn write_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<()> {
    let file = File::options().write(true).create(true).truncate(false).open(path)?;
    let old = file.metadata().map_or(0, |m| if m.is_file() { m.len() } else { 0 });
    let mut over = Over { file, old, written: 0 };
    let done = write(&mut over);
    done.and(over.cut())
}

/// A file that is written over.
struct Over {
    file: File,
    /// Its length before.
    old: u64,
    written: u64,
}

impl Over {
    /// Ends the file where writing ended.
    fn cut(&mut self) -> io::Result<()> {
        let longer = std::mem::take(&mut self.old) > self.written;
        if longer { self.file.set_len(self.written) } else { Ok(()) }
    }
}

impl Drop for Over {
    fn drop(&mut self) {
        // After a panic too nothing is left of what was there.
        let _ = self.cut();
    }
}

impl Write for Over {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let n = self.file.write(bytes)?;
        self.written += n as u64;
        Ok(n)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_what_was_there() {
        let path = std::env::temp_dir().join(format!("spirula-output-{}", std::process::id()));
        let write = |text: &str| write_file(&path, |to| to.write_all(text.as_bytes()));
        for text in ["some text", "short", "", "longer again"] {
            write(text).expect("it can be written");
            assert_eq!(std::fs::read_to_string(&path).expect("it can be read"), text);
        }
        let broken = write_file(&path, |to| to.write_all(b"half").and(Err(io::ErrorKind::Other.into())));
        assert!(broken.is_err());
        assert_eq!(std::fs::read_to_string(&path).expect("it can be read"), "half");
        std::fs::remove_file(&path).expect("it can be removed");
    }
}
