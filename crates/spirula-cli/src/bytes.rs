//! The bytes of an input.

use std::fs::File;
use std::io::{self, Read as _};
use std::ops::Deref;
use std::path::Path;

use memmap2::MmapMut;

/// Files from this size on are read into large pages, where the system has them: to be handed page by page takes it
/// longer than the reading.
const LARGE: usize = 1 << 20;

/// Size of a large page.
const PAGE: usize = 2 << 20;

/// The bytes of an input, in memory of its own.
#[derive(Debug)]
pub(crate) enum Bytes {
    Some(Vec<u8>),
    /// Anonymous memory; where in it the bytes are.
    Many(MmapMut, std::ops::Range<usize>),
}

impl Bytes {
    /// Reads a file.
    pub(crate) fn of_file(path: &Path) -> io::Result<Bytes> {
        let mut file = File::open(path)?;
        let about = file.metadata()?;
        let len = usize::try_from(about.len()).unwrap_or(usize::MAX);
        if about.is_file()
            && len >= LARGE
            && let Some((mut map, range)) = large_pages(len)
        {
            let mut filled = 0;
            while let Some(free) = map.get_mut(range.start + filled..range.end).filter(|f| !f.is_empty()) {
                match file.read(free) {
                    Ok(0) => break,
                    Ok(n) => filled += n,
                    Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                    Err(e) => return Err(e),
                }
            }
            // Where the file grew meanwhile, the rest is read below.
            if filled < len || file.read(&mut [0])? == 0 {
                return Ok(Bytes::Many(map, range.start..range.start + filled));
            }
            return std::fs::read(path).map(Bytes::Some);
        }
        let mut bytes = Vec::with_capacity(if about.is_file() { len.saturating_add(1) } else { 0 });
        file.read_to_end(&mut bytes)?;
        Ok(Bytes::Some(bytes))
    }
}

/// Memory for `len` bytes that starts where a large page does, if there is so much. None of it is touched yet.
fn large_pages(len: usize) -> Option<(MmapMut, std::ops::Range<usize>)> {
    let map = MmapMut::map_anon(len.checked_next_multiple_of(PAGE)?.checked_add(PAGE)?).ok()?;
    // Without large pages, small ones do.
    #[cfg(target_os = "linux")]
    map.advise(memmap2::Advice::HugePage).ok();
    let start = map.as_ptr().align_offset(PAGE);
    Some((map, start..start.checked_add(len)?))
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Some(bytes) => bytes,
            Bytes::Many(map, range) => map.get(range.clone()).unwrap_or(&[]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_every_size_are_whole() {
        let path = std::env::temp_dir().join(format!("spirula-bytes-{}", std::process::id()));
        for len in [0, 1, LARGE - 1, LARGE, PAGE, PAGE + 1, 2 * PAGE + 7] {
            let written: Vec<u8> = (0..len).map(|i| (i % 251) as u8).collect();
            std::fs::write(&path, &written).expect("temporary files can be written");
            assert!(*Bytes::of_file(&path).expect("it is there") == *written, "{len} bytes");
        }
        std::fs::remove_file(&path).expect("it is there");
        assert!(Bytes::of_file(&path).is_err());
    }
}
