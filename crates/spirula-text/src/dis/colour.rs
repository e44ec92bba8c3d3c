//! Colours: ANSI escape sequences.

/// An escape sequence that sets a colour.
pub(crate) type Colour = &'static str;

/// Result ids: blue.
pub(crate) const RESULT: Colour = "\x1b[34m";
/// Other ids: yellow.
pub(crate) const ID: Colour = "\x1b[33m";
/// Numbers and instructions named by number: red.
pub(crate) const NUMBER: Colour = "\x1b[31m";
/// Strings: green.
pub(crate) const STRING: Colour = "\x1b[32m";
/// Comments: grey.
pub(crate) const COMMENT: Colour = "\x1b[90m";
/// Back to the terminal's own colour.
pub(crate) const RESET: Colour = "\x1b[0m";
