//! Finds a suite's data: an unpacked folder, or an archive that is unpacked once.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::UNIX_EPOCH;

use anyhow::{Context, Result, ensure};

/// The folder of suite `name` below `dir`; `None` where there is neither a folder nor an archive.
pub fn suite(dir: &Path, name: &str) -> Result<Option<PathBuf>> {
    let folder = dir.join(name);
    if folder.is_dir() {
        return Ok(Some(folder));
    }
    let archive = dir.join(format!("{name}.tar.xz"));
    let Ok(meta) = fs::metadata(&archive) else { return Ok(None) };
    let time = meta.modified()?.duration_since(UNIX_EPOCH).unwrap_or_default().as_nanos();
    let stamp = format!("{} {} {time}", archive.canonicalize()?.display(), meta.len());
    let cache = crate::target_dir().join("corpus");
    let (unpacked, stamp_file) = (cache.join(name), cache.join(format!("{name}.stamp")));
    if fs::read_to_string(&stamp_file).is_ok_and(|s| s == stamp) && unpacked.is_dir() {
        return Ok(Some(unpacked));
    }
    unpack(&archive, &cache, name)?;
    fs::write(stamp_file, stamp)?;
    Ok(Some(unpacked))
}

/// Unpacks into a folder of its own first, so that an interrupted run leaves nothing half done.
fn unpack(archive: &Path, cache: &Path, name: &str) -> Result<()> {
    let scratch = cache.join(format!(".{name}.{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let status = Command::new("tar")
        .args(["-xJf".as_ref(), archive.as_os_str(), "-C".as_ref(), scratch.as_os_str()])
        .status()
        .context("running tar")?;
    ensure!(status.success(), "unpacking {} failed", archive.display());
    let to = cache.join(name);
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    fs::rename(scratch.join(name), &to).with_context(|| format!("{} holds no folder {name}", archive.display()))?;
    fs::remove_dir_all(scratch)?;
    Ok(())
}

/// The text of a file; empty where it does not exist (parts of a suite may be absent).
pub fn text(path: &Path) -> Result<String> {
    match fs::read_to_string(path) {
        Ok(text) => Ok(text),
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => Ok(String::new()),
        Err(e) => Err(e).with_context(|| format!("reading {}", path.display())),
    }
}
