//! Places in the text → lines and columns.

/// Counts lines from the place that was asked for last, so that asking in order costs one pass over the text.
pub(super) struct Lines<'t> {
    text: &'t [u8],
    at: usize,
    /// Number of the line that `at` is in, from 1.
    line: u32,
}

impl<'t> Lines<'t> {
    pub(super) fn new(text: &'t [u8]) -> Lines<'t> {
        Lines { text, at: 0, line: 1 }
    }

    /// Line of a place, from 1.
    pub(super) fn line(&mut self, place: usize) -> u32 {
        let ends = |from, to| memchr::memchr_iter(b'\n', self.text.get(from..to).unwrap_or(&[])).count() as u32;
        self.line = self.line + ends(self.at, place) - ends(place, self.at);
        self.at = place;
        self.line
    }

    /// Column of a place in bytes, from 1; goes back to the start of the line.
    pub(super) fn column(&self, place: usize) -> u32 {
        let before = self.text.get(..place).unwrap_or(&[]);
        let column = before.len() - memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
        column as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forwards_and_back() {
        let mut lines = Lines::new(b"ab\n\ncd");
        let places = [0, 2, 3, 4, 6, 5, 3, 0].map(|place| (lines.line(place), lines.column(place)));
        assert_eq!(places, [(1, 1), (1, 3), (2, 1), (3, 1), (3, 3), (3, 2), (2, 1), (1, 1)]);
    }
}
