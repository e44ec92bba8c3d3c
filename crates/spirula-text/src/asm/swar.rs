//! Eight bytes at a time, as a little-endian number. Counts are of bytes from the first one on, at most 8.

const ONES: u64 = u64::MAX / 255;
const HIGH: u64 = ONES << 7;

/// Eight times the same byte.
#[inline]
const fn each(b: u8) -> u64 {
    ONES * b as u64
}

/// How many of the bytes come before the first whose high bit is set in `found`.
#[inline]
fn before(found: u64) -> usize {
    (found & HIGH).trailing_zeros() as usize / 8
}

/// The two bytes behind the first `len`, of which there are at most seven; 0 stands behind the last.
#[inline]
pub(super) fn behind(eight: u64, len: usize) -> [u8; 2] {
    let rest = eight >> (8 * len);
    [rest as u8, (rest >> 8) as u8]
}

/// High bits of the bytes that are at least `least`, which is ASCII; of others than ASCII they are arbitrary.
#[inline]
fn at_least(eight: u64, least: u8) -> u64 {
    (eight | HIGH) - each(least)
}

/// High bits of the bytes that are `b`, which is ASCII.
#[inline]
fn equal(eight: u64, b: u8) -> u64 {
    let other = eight ^ each(b);
    !(((other & !HIGH) + !HIGH) | other)
}

/// How many bytes are spaces.
#[inline]
pub(super) fn spaces(eight: u64) -> usize {
    (eight ^ each(b' ')).trailing_zeros() as usize / 8
}

/// How many bytes certainly go on with a word: ASCII from `0` on without `;` and the backslash.
#[inline]
pub(super) fn plain(eight: u64) -> usize {
    before(!at_least(eight, b'0') | equal(eight, b';') | equal(eight, b'\\') | eight)
}

/// How many bytes are ASCII letters, digits or `_`.
#[inline]
pub(super) fn letters(eight: u64) -> usize {
    let lower = eight | each(0x20);
    let letter = at_least(lower, b'a') & !at_least(lower, b'z' + 1);
    let digit = at_least(eight, b'0') & !at_least(eight, b'9' + 1);
    before(!(letter | digit | equal(eight, b'_')) | eight)
}

/// Length and value of the decimal number of at most seven digits that the bytes start with; `None` where there is
/// none, and where its first digit is 0 and others follow.
#[inline]
pub(super) fn decimal(eight: u64) -> Option<(usize, u32)> {
    let digits = eight ^ each(b'0');
    let len = before(((digits & !HIGH) + each(0x7f - 9)) | digits);
    if len == 0 || len == 8 || len > 1 && digits & 0xff == 0 {
        return None;
    }
    // As if zeros came before, so that there are eight; then neighbours are joined, three times.
    let ones = digits << (64 - 8 * len);
    let pairs = (ones * 10 + (ones >> 8)) & 0x00ff_00ff_00ff_00ff;
    let fours = (pairs * 100 + (pairs >> 16)) & 0x0000_ffff_0000_ffff;
    Some((len, (fours * 10_000 + (fours >> 32)) as u32))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every byte in every place, between bytes that count and such that do not.
    fn check(count: impl Fn(u64) -> usize, counts: impl Fn(u8) -> bool, inside: u8, outside: u8) {
        for b in 0..=255 {
            for at in 0..8 {
                for behind in [inside, outside, 0, 0xff, b] {
                    let mut bytes = [inside; 8];
                    bytes[at] = b;
                    bytes[at + 1..].fill(behind);
                    let want = bytes.iter().position(|b| !counts(*b)).unwrap_or(8);
                    assert_eq!(count(u64::from_le_bytes(bytes)), want, "{bytes:?}");
                }
            }
        }
    }

    #[test]
    fn bytes_are_told_apart() {
        check(spaces, |b| b == b' ', b' ', b'x');
        check(plain, |b| b.is_ascii() && b >= b'0' && b != b';' && b != b'\\', b'z', b'\n');
        check(letters, |b| b.is_ascii_alphanumeric() || b == b'_', b'9', b' ');
    }

    #[test]
    fn numbers() {
        let cases: &[(&str, Option<(usize, u32)>)] = &[
            ("1 34567x", Some((1, 1))),
            ("0,345678", Some((1, 0))),
            ("01      ", None),
            ("        ", None),
            ("-1      ", None),
            ("1234567\n", Some((7, 1_234_567))),
            ("9999999\u{0}", Some((7, 9_999_999))),
            ("12345678", None),
            ("90\u{e9}\u{e9}99", Some((2, 90))),
            ("70:99999", Some((2, 70))),
            ("70/99999", Some((2, 70))),
        ];
        for (text, want) in cases {
            let bytes = text.as_bytes().first_chunk().expect("eight bytes");
            assert_eq!(decimal(u64::from_le_bytes(*bytes)), *want, "{text}");
        }
    }
}
