//! Modules written as hexadecimal text: 32-bit words or bytes, with `0x`, `x` or no prefix, between blanks and commas.

use spirula_grammar::MAGIC;

/// Whether the text begins as a module written in hexadecimal does.
pub(crate) fn looks_like_hex(bytes: &[u8]) -> bool {
    let mut tokens = tokens(bytes);
    let Some((_, first)) = tokens.next() else { return false };
    let (digits, prefixed) = strip(first);
    let swapped = MAGIC.swap_bytes();
    let value = |d: &[u8]| parse(d).filter(|_| d.len() <= 8);
    match value(digits) {
        Some(v) if v == MAGIC || v == swapped => return true,
        // Streams without blanks.
        None if !prefixed => return digits.get(..8).and_then(parse).is_some_and(|v| v == MAGIC || v == swapped),
        Some(v) if digits.len() <= 2 && (v == 0x07 || v == 0x03) => {}
        _ => return false,
    }
    // Bytes: the second one settles it.
    let second = tokens.next().and_then(|(_, t)| parse(strip(t).0));
    matches!((parse(digits), second), (Some(0x07), Some(0x23)) | (Some(0x03), Some(0x02)))
}

/// The bytes that the text denotes; the error is a byte offset in the text and what is wrong there.
pub(crate) fn read_hex(text: &[u8]) -> Result<Vec<u8>, (usize, String)> {
    let mut out = Vec::with_capacity(text.len() / 2);
    let mut style: Option<(bool, bool)> = None;
    let mut stream = Vec::new();
    for (at, token) in tokens(text) {
        let (digits, prefixed) = strip(token);
        let shown = String::from_utf8_lossy(token.get(..20).unwrap_or(token)).into_owned();
        if digits.is_empty() || !digits.iter().all(u8::is_ascii_hexdigit) {
            return Err((at, format!("`{shown}` is not a hexadecimal number")));
        }
        let (wants_prefix, words) = *style.get_or_insert((prefixed, digits.len() > 2));
        if wants_prefix != prefixed {
            let has = if prefixed { "has a" } else { "lacks the" };
            return Err((at, format!("`{shown}` {has} prefix, unlike the first number")));
        }
        if !prefixed {
            stream.extend_from_slice(digits);
            continue;
        }
        let value = parse(digits).filter(|v| words || *v <= 0xff);
        let Some(value) = value else {
            return Err((at, format!("`{shown}` does not fit in {}", if words { "a 32-bit word" } else { "a byte" })));
        };
        if words {
            out.extend_from_slice(&value.to_be_bytes());
        } else {
            out.push(value as u8);
        }
    }
    if stream.len() % 2 != 0 {
        return Err((text.len(), "an odd number of hexadecimal digits".to_owned()));
    }
    out.extend(stream.chunks_exact(2).filter_map(|pair| parse(pair).map(|v| v as u8)));
    Ok(out)
}

fn tokens(text: &[u8]) -> impl Iterator<Item = (usize, &[u8])> {
    let base = text.as_ptr() as usize;
    text.split(|b| b.is_ascii_whitespace() || *b == b',')
        .filter(|t| !t.is_empty())
        .map(move |t| (t.as_ptr() as usize - base, t))
}

/// The digits, and whether a prefix stood before them.
fn strip(token: &[u8]) -> (&[u8], bool) {
    match token {
        [b'0', b'x' | b'X', digits @ ..] | [b'x' | b'X', digits @ ..] => (digits, true),
        _ => (token, false),
    }
}

fn parse(digits: &[u8]) -> Option<u32> {
    std::str::from_utf8(digits).ok().filter(|d| !d.starts_with('+')).and_then(|d| u32::from_str_radix(d, 16).ok())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LE: [u8; 8] = [3, 2, 0x23, 7, 0, 6, 1, 0];
    const BE: [u8; 8] = [7, 0x23, 2, 3, 0, 1, 6, 0];

    #[test]
    fn all_forms() {
        for (text, bytes) in [
            ("0x07230203, 0x00010600", BE),
            ("X7230203,\nX10600", BE),
            ("0x03 0x02 0x23 0x07 0x00 0x06 0x01 0x00", LE),
            ("03 02 23 07 00 06 01 00", LE),
            ("  0302230700060100\n", LE),
            ("07230203 00010600", BE),
        ] {
            assert!(looks_like_hex(text.as_bytes()), "{text}");
            assert_eq!(read_hex(text.as_bytes()).unwrap(), bytes, "{text}");
        }
    }

    #[test]
    fn other_text() {
        for text in ["", "OpNop", "; 07230203", "0x17230203", "07 24", "hello"] {
            assert!(!looks_like_hex(text.as_bytes()), "{text}");
        }
    }

    #[test]
    fn mistakes() {
        assert_eq!(read_hex(b"0x07230203 00010600").unwrap_err().0, 11);
        assert_eq!(read_hex(b"0x07230203 0x0001060g").unwrap_err().0, 11);
        assert!(read_hex(b"0723020").is_err());
    }
}
