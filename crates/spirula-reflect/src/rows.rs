//! Text with aligned columns.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write as _;

/// Rows of one list that are shown, and of all together.
pub(crate) const MAX_ROWS: usize = 400;
const MAX_ALL_ROWS: usize = 5000;
/// Characters of a cell.
const MAX_CELL: usize = 100;

/// Lines of text, some of them in columns.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) text: String,
    /// Rows so far.
    shown: usize,
}

impl Rows {
    pub(crate) fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    /// Rows with their columns aligned; the header is left out where there are no rows.
    pub(crate) fn rows(&mut self, title: &str, header: &[&str], mut rows: Vec<Vec<String>>) {
        if rows.is_empty() {
            return;
        }
        if !title.is_empty() {
            self.line(&format!("  {title}"));
        }
        let shown = rows.len().min(MAX_ROWS).min(MAX_ALL_ROWS - self.shown);
        let more = rows.len() > shown;
        rows.truncate(shown);
        self.shown += shown;
        let all: Vec<Vec<String>> =
            core::iter::once(header.iter().map(|h| h.to_string()).collect()).chain(rows).collect();
        let widths: Vec<usize> = (0..header.len())
            .map(|c| all.iter().filter_map(|r| r.get(c)).map(|s| s.chars().count()).max().unwrap_or(0))
            .collect();
        for row in all {
            let mut line = String::from("    ");
            for (cell, width) in row.iter().zip(&widths) {
                let _ = write!(line, "{cell:width$}  ");
            }
            self.line(&line);
        }
        if more {
            self.line("    … and more, which --format json lists");
        }
    }
}

pub(crate) fn vec(cells: &[&str]) -> Vec<String> {
    cells.iter().map(|c| cell(c)).collect()
}

/// What fits into a cell.
pub(crate) fn cell(text: &str) -> String {
    match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_string(),
    }
}

pub(crate) fn opt(value: Option<u32>) -> String {
    value.map_or(String::new(), |v| v.to_string())
}
