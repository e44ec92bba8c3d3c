//! The reference validator's verdicts, many modules to a process.

use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};

use super::{Subject, Verdict};

/// Modules that one process is given.
const CHUNK: usize = 500;

/// The verdict on each subject, in order.
pub fn judge(peer: &Path, env: &str, subjects: &[Subject], scratch: &Path) -> Result<Vec<Verdict>> {
    if scratch.exists() {
        fs::remove_dir_all(scratch)?;
    }
    let mut verdicts = Vec::with_capacity(subjects.len());
    // Parts still to be judged, the next one last: what breaks the process is halved until it stands alone.
    let mut todo: Vec<&[Subject]> = subjects.chunks(CHUNK).rev().collect();
    while let Some(part) = todo.pop() {
        let folder = scratch.join("modules");
        fs::create_dir_all(&folder)?;
        for (i, subject) in part.iter().enumerate() {
            let bytes: Vec<u8> = subject.words.iter().flat_map(|w| w.to_le_bytes()).collect();
            fs::write(folder.join(format!("{i}.spv")), bytes)?;
        }
        let out = Command::new(peer).args(["--target-env", env]).arg(&folder).output().context("running spirv-val")?;
        fs::remove_dir_all(&folder)?;
        if out.status.code().is_some() {
            let said = String::from_utf8_lossy(&out.stdout) + String::from_utf8_lossy(&out.stderr);
            verdicts.extend(read(&said, part.len()));
        } else if part.len() > 1 {
            let (first, second) = part.split_at(part.len() / 2);
            todo.extend([second, first]);
        } else {
            verdicts.push(Verdict::Crashed);
        }
    }
    Ok(verdicts)
}

/// Lines `error: FOLDER/N.spv:PLACE: MESSAGE`; nothing is said of a valid module.
fn read(said: &str, count: usize) -> Vec<Verdict> {
    let mut verdicts: Vec<Verdict> = std::iter::repeat_with(|| Verdict::Valid).take(count).collect();
    for line in said.lines() {
        let Some((file, rest)) = line.strip_prefix("error: ").and_then(|l| l.split_once(".spv:")) else { continue };
        let number = file.rsplit('/').next().and_then(|n| n.parse::<usize>().ok());
        let Some(verdict) = number.and_then(|n| verdicts.get_mut(n)) else { continue };
        if let (Verdict::Valid, Some((_, message))) = (&*verdict, rest.split_once(": ")) {
            *verdict = Verdict::Refused(message.to_owned());
        }
    }
    verdicts
}
