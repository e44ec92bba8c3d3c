//! Identifiers: what shaders call things, as Rust may call them.

use alloc::collections::BTreeMap;
use alloc::format;
use alloc::string::{String, ToString};

/// Longer names are cut: a type's name stands at each of its uses.
const MAX_NAME: usize = 64;

/// Strict and reserved words of all editions. Some of them could be written `r#…`, but not all.
const KEYWORDS: [&str; 54] = [
    "Self", "abstract", "as", "async", "await", "become", "box", "break", "const", "continue", "crate", "do", "dyn",
    "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let", "loop", "macro",
    "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "self", "static", "struct", "super",
    "trait", "true", "try", "type", "typeof", "union", "unsafe", "unsized", "use", "virtual", "where", "while",
    "yield", "_",
];

/// Names that are taken within one scope.
#[derive(Default)]
pub(super) struct Scope {
    /// By name: the number that its next namesake is tried with.
    taken: BTreeMap<String, u32>,
}

impl Scope {
    /// `wanted`, or where that is taken, `wanted` with a number.
    pub(super) fn unique(&mut self, wanted: &str, separator: &str) -> String {
        let Some(next) = self.taken.get(wanted).copied() else {
            self.taken.insert(wanted.to_string(), 2);
            return wanted.to_string();
        };
        let mut number = next;
        loop {
            let name = format!("{wanted}{separator}{number}");
            number += 1;
            if !self.taken.contains_key(&name) {
                self.taken.insert(wanted.to_string(), number);
                self.taken.insert(name.clone(), 2);
                return name;
            }
        }
    }
}

/// Words of a name: runs of ASCII letters and digits, cut to a length that can be read.
fn words(name: &str) -> impl Iterator<Item = &str> {
    let end = name.char_indices().nth(MAX_NAME).map_or(name.len(), |(i, _)| i);
    name[..end].split(|c: char| !c.is_ascii_alphanumeric()).filter(|w| !w.is_empty())
}

/// An identifier, if `name` may be one.
fn finished(mut name: String) -> Option<String> {
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KEYWORDS.contains(&name.as_str()) {
        name.push('_');
    }
    (!name.is_empty()).then_some(name)
}

/// The name of a type: `light_info` → `LightInfo`. `None` where nothing of it can be kept.
pub(super) fn type_name(name: &str) -> Option<String> {
    // DXC's names of blocks: `type.ConstantBuffer.Camera`.
    let name = name.strip_prefix("type.").unwrap_or(name);
    let mut camel = String::new();
    for word in words(name) {
        camel.extend(word[..1].chars().map(|c| c.to_ascii_uppercase()));
        camel.push_str(&word[1..]);
    }
    finished(camel)
}

/// The name of a field: `modelViewProj` → `model_view_proj`. `None` where nothing of it can be kept.
pub(super) fn field_name(name: &str) -> Option<String> {
    let mut snake = String::new();
    for word in words(name) {
        let mut before = None;
        let mut letters = word.chars().peekable();
        if !snake.is_empty() {
            snake.push('_');
        }
        while let Some(c) = letters.next() {
            let boundary = before.is_some_and(|b: char| {
                let ends_acronym = b.is_ascii_uppercase() && letters.peek().is_some_and(char::is_ascii_lowercase);
                c.is_ascii_uppercase() && (!b.is_ascii_uppercase() || ends_acronym)
            });
            if boundary {
                snake.push('_');
            }
            snake.push(c.to_ascii_lowercase());
            before = Some(c);
        }
    }
    finished(snake)
}

/// A shader's own name for a comment: nothing of it can end the comment or change how the file looks.
pub(super) fn quoted(name: &str) -> String {
    let mut text = String::from("`");
    for c in name.chars().take(2 * MAX_NAME) {
        match c {
            '`' => text.push('\''),
            ' '..='~' => text.push(c),
            _ => text.extend(c.escape_unicode()),
        }
    }
    if name.chars().nth(2 * MAX_NAME).is_some() {
        text.push_str("...");
    }
    text.push('`');
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_in_snake_case() {
        let cases = [
            ("modelViewProj", "model_view_proj"),
            ("uMVPMatrix", "u_mvp_matrix"),
            ("MVP", "mvp"),
            ("light0Pos", "light0_pos"),
            ("a__b", "a_b"),
            ("2nd", "_2nd"),
            ("type", "type_"),
            ("Self", "self_"),
            ("größe", "gr_e"),
        ];
        for (name, field) in cases {
            assert_eq!(field_name(name).as_deref(), Some(field), "{name}");
        }
        assert_eq!(field_name("ß…"), None);
    }

    #[test]
    fn types_are_in_camel_case() {
        let cases = [
            ("type.ConstantBuffer.Camera", "ConstantBufferCamera"),
            ("gl_PerVertex", "GlPerVertex"),
            ("UBO", "UBO"),
            ("self", "Self_"),
            ("3D", "_3D"),
        ];
        for (name, ty) in cases {
            assert_eq!(type_name(name).as_deref(), Some(ty), "{name}");
        }
    }

    #[test]
    fn names_are_unique() {
        let mut scope = Scope::default();
        let all = ["a", "a", "a_2", "a", "a_2"].map(|n| scope.unique(n, "_"));
        assert_eq!(all, ["a", "a_2", "a_2_2", "a_3", "a_2_3"]);
    }

    #[test]
    fn comments_stay_comments() {
        assert_eq!(quoted("a\nb`\u{202e}"), "`a\\u{a}b'\\u{202e}`");
        assert!(quoted(&"x".repeat(1 << 16)).len() < 200);
    }
}
