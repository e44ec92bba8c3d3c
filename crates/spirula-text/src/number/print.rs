//! Literal numbers → text.
//!
//! Integers are decimal up to 64 bits, and hexadecimal above. 32- and 64-bit floats are decimal with as many digits as tell every value apart (9 and 17),
//! trailing zeros left out; where decimal cannot say it (infinities, NaNs with their payload) or would not be short
//! (subnormal numbers) they are hexadecimal, as are all the narrower formats.

use core::fmt::Write as _;

use spirula_binary::{Number, NumberKind};
use spirula_grammar::FPEncoding;

use super::parse::MAX_WIDTH;

/// Layout of a binary floating-point format.
#[derive(Clone, Copy)]
struct Format {
    width: u32,
    exponent: u32,
    mantissa: u32,
}

const F16: Format = Format { width: 16, exponent: 5, mantissa: 10 };
const BF16: Format = Format { width: 16, exponent: 8, mantissa: 7 };
const E4M3: Format = Format { width: 8, exponent: 4, mantissa: 3 };
const E5M2: Format = Format { width: 8, exponent: 5, mantissa: 2 };
const E2M3: Format = Format { width: 6, exponent: 2, mantissa: 3 };
const E3M2: Format = Format { width: 6, exponent: 3, mantissa: 2 };
const E2M1: Format = Format { width: 4, exponent: 2, mantissa: 1 };
const F32: Format = Format { width: 32, exponent: 8, mantissa: 23 };
const F64: Format = Format { width: 64, exponent: 11, mantissa: 52 };

/// Whether text can carry a literal of the type with exactly these words: the type is one that literals can be written
/// for, and the bits above its width are what an assembler would put there.
pub(crate) fn is_exact(number: Number, words: &[u32]) -> bool {
    let Some(value) = value_of(words) else { return is_exact_wide(number, words) };
    let unused = 64u32.saturating_sub(number.width).min(63);
    match number.kind {
        NumberKind::Unsigned => number.width == 64 || (number.width < 64 && value >> number.width == 0),
        NumberKind::Signed => {
            // A one-word literal is extended to 32 bits, a two-word one to 64.
            let value = if words.len() == 1 { value as u32 as i32 as i64 } else { value as i64 };
            number.width == 64 || (1..64).contains(&number.width) && (value << unused) >> unused == value
        }
        NumberKind::Encoded(FPEncoding::Float8UnsignedE8M0EXT | FPEncoding::MXInt8EXT) => {
            number.width == 8 && value >> 8 == 0
        }
        NumberKind::Float | NumberKind::Encoded(_) => {
            format_of(number).is_some_and(|f| f.width == 64 || value >> f.width == 0)
        }
    }
}

/// Whether an integer of more than 64 bits has all its words, with the bits above it as the assembler makes them.
fn is_exact_wide(number: Number, words: &[u32]) -> bool {
    let integer = matches!(number.kind, NumberKind::Unsigned | NumberKind::Signed);
    if !integer || !(65..=MAX_WIDTH).contains(&number.width) || words.len() != number.words() {
        return false;
    }
    let (top, unused) = (words.last().copied().unwrap_or(0), unused_bits(number));
    let shifted = top << unused;
    top == if number.kind == NumberKind::Signed { (shifted as i32 >> unused) as u32 } else { shifted >> unused }
}

/// How many bits the last word of a literal has above the number.
fn unused_bits(number: Number) -> u32 {
    31 - number.width.wrapping_sub(1) % 32
}

/// Appends an integer of more than 64 bits in hexadecimal.
pub(crate) fn wide(out: &mut String, number: Number, words: &[u32]) {
    let [low @ .., top] = words else { return };
    // Bits above a negative number are not part of it.
    let unused = unused_bits(number);
    let top = top << unused >> unused;
    out.push_str("0x");
    let mut started = false;
    for word in [top].iter().chain(low.iter().rev()) {
        for i in (0..8).rev() {
            let digit = word >> (4 * i) & 15;
            started |= digit != 0;
            if started {
                out.push(char::from(HEX[digit as usize]));
            }
        }
    }
    if !started {
        out.push('0');
    }
}

/// Whether the encoding of a floating-point type goes with its width.
pub(crate) fn is_encodable(number: Number) -> bool {
    is_exact(number, &[0])
}

/// Appends the literal. What [`is_exact`] denies comes out as the value that all its words together have, or, above 64
/// bits, not at all.
pub(crate) fn number(out: &mut String, number: Number, words: &[u32]) {
    let Some(value) = value_of(words) else { return };
    match number.kind {
        NumberKind::Unsigned => unsigned(out, value),
        NumberKind::Signed if words.len() == 1 => signed(out, (value as u32 as i32).into()),
        NumberKind::Signed => signed(out, value as i64),
        NumberKind::Encoded(FPEncoding::Float8UnsignedE8M0EXT) => power(out, value as u8),
        NumberKind::Encoded(FPEncoding::MXInt8EXT) => fixed_point(out, value as u8),
        NumberKind::Float | NumberKind::Encoded(_) => match format_of(number) {
            Some(f) if f.width == 32 => f32(out, value as u32),
            Some(f) if f.width == 64 => f64(out, value),
            Some(f) => hexadecimal(out, f, value & ((1 << f.width) - 1)),
            None => {}
        },
    }
}

/// Appends an unsigned integer.
#[inline]
pub(crate) fn unsigned(out: &mut String, value: u64) {
    out.push_str(itoa::Buffer::new().format(value));
}

fn signed(out: &mut String, value: i64) {
    out.push_str(itoa::Buffer::new().format(value));
}

/// Appends `0x` and the word's eight hexadecimal digits.
pub(crate) fn word(out: &mut String, word: u32) {
    let mut text = *b"0x00000000";
    for (i, digit) in text.iter_mut().skip(2).enumerate() {
        *digit = HEX[(word >> (28 - 4 * i)) as usize & 15];
    }
    out.extend(text.map(char::from));
}

const HEX: &[u8; 16] = b"0123456789abcdef";

fn value_of(words: &[u32]) -> Option<u64> {
    match *words {
        [low] => Some(low.into()),
        [low, high] => Some(u64::from(high) << 32 | u64::from(low)),
        _ => None,
    }
}

fn format_of(number: Number) -> Option<Format> {
    match (number.kind, number.width) {
        (NumberKind::Float, 16) => Some(F16),
        (NumberKind::Float, 32) => Some(F32),
        (NumberKind::Float, 64) => Some(F64),
        (NumberKind::Encoded(FPEncoding::BFloat16KHR), 16) => Some(BF16),
        (NumberKind::Encoded(FPEncoding::Float8E4M3EXT), 8) => Some(E4M3),
        (NumberKind::Encoded(FPEncoding::Float8E5M2EXT), 8) => Some(E5M2),
        (NumberKind::Encoded(FPEncoding::Float6E2M3EXT), 6) => Some(E2M3),
        (NumberKind::Encoded(FPEncoding::Float6E3M2EXT), 6) => Some(E3M2),
        (NumberKind::Encoded(FPEncoding::Float4E2M1EXT), 4) => Some(E2M1),
        _ => None,
    }
}

/// Appends a 32-bit float.
pub(crate) fn f32(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    if value.is_normal() || value == 0.0 {
        decimal(out, value.into(), 9);
    } else {
        hexadecimal(out, F32, bits.into());
    }
}

fn f64(out: &mut String, bits: u64) {
    let value = f64::from_bits(bits);
    if value.is_normal() || value == 0.0 {
        decimal(out, value, 17);
    } else {
        hexadecimal(out, F64, bits);
    }
}

/// `digits` significant digits, trailing zeros left out, in scientific notation where the exponent is below -4 or not
/// below `digits`.
fn decimal(out: &mut String, value: f64, digits: usize) {
    // Small whole numbers are the common case, and exact.
    if value.abs() < 1e8 && value == (value as i64) as f64 {
        if value.is_sign_negative() {
            out.push('-');
        }
        return unsigned(out, value.abs() as u64);
    }
    let mut text = Buffer::default();
    let exponent = match significant(value, digits as i32) {
        Some((number, exponent)) => {
            text.write(itoa::Buffer::new().format(number));
            exponent
        }
        None => text.write_exponential(value, digits),
    };
    let (first, rest) = text.text().split_at_checked(1).unwrap_or_default();
    let rest = rest.trim_end_matches('0');
    let sign = if value.is_sign_negative() { "-" } else { "" };
    out.push_str(sign);
    if exponent < -4 || exponent >= digits as i32 {
        out.push_str(first);
        if !rest.is_empty() {
            out.push('.');
            out.push_str(rest);
        }
        out.push_str(if exponent < 0 { "e-" } else { "e+" });
        if exponent.abs() < 10 {
            out.push('0');
        }
        unsigned(out, exponent.unsigned_abs().into());
    } else if exponent < 0 {
        out.push_str("0.");
        out.extend((1..-exponent).map(|_| '0'));
        out.push_str(first);
        out.push_str(rest);
    } else {
        let (whole, part) = rest.split_at_checked(exponent as usize).unwrap_or((rest, ""));
        out.push_str(first);
        out.push_str(whole);
        out.extend((whole.len()..exponent as usize).map(|_| '0'));
        if !part.is_empty() {
            out.push('.');
            out.push_str(part);
        }
    }
}

/// `[-]0x1.8p+3`; subnormal numbers are normalised, and the largest exponent stands for infinities and NaNs.
fn hexadecimal(out: &mut String, format: Format, bits: u64) {
    let Format { width, exponent: exponent_bits, mantissa: mantissa_bits } = format;
    let mantissa_mask = (1u64 << mantissa_bits) - 1;
    let mut mantissa = bits & mantissa_mask;
    let exponent_field = (bits >> mantissa_bits) as i32 & ((1 << exponent_bits) - 1);
    let bias = (1 << (exponent_bits - 1)) - 1;
    let mut exponent = exponent_field - bias;
    let is_zero = exponent_field == 0 && mantissa == 0;
    if is_zero {
        exponent = 0;
    } else if exponent_field == 0 {
        exponent += 1;
        while mantissa >> mantissa_bits == 0 {
            mantissa <<= 1;
            exponent -= 1;
        }
        mantissa &= mantissa_mask;
    }
    if bits >> (width - 1) & 1 != 0 {
        out.push('-');
    }
    out.push_str(if is_zero { "0x0" } else { "0x1" });
    let mut digits = mantissa << (64 - mantissa_bits);
    if digits != 0 {
        out.push('.');
    }
    while digits != 0 {
        out.push(HEX[(digits >> 60) as usize].into());
        digits <<= 4;
    }
    out.push_str(if exponent < 0 { "p-" } else { "p+" });
    unsigned(out, exponent.unsigned_abs().into());
}

/// A power of two: the byte is the exponent plus 127, and nothing else. The last one is NaN.
fn power(out: &mut String, bits: u8) {
    out.push_str(if bits < 127 { "0x1p-" } else { "0x1p+" });
    unsigned(out, (i32::from(bits) - 127).unsigned_abs().into());
}

/// A signed byte in units of 1/64.
fn fixed_point(out: &mut String, bits: u8) {
    // Every such value is a 32-bit float.
    let value = f32::from(bits as i8) / 64.0;
    hexadecimal(out, F32, value.to_bits().into());
}

/// The first `digits` digits of a number as an integer, rounded half to even, and the decimal exponent of the first one;
/// `None` where that does not fit into 128 bits, which only takes very large and very small numbers.
fn significant(value: f64, digits: i32) -> Option<(u64, i32)> {
    let bits = value.to_bits();
    let mut mantissa = u128::from(bits & ((1 << 52) - 1) | 1 << 52);
    let zeros = mantissa.trailing_zeros();
    mantissa >>= zeros;
    let binary = (bits >> 52 & 0x7ff) as i32 - 1075 + zeros as i32;
    let limit = 10u128.pow(digits as u32);
    // Base-10 logarithm of the highest bit, perhaps one too low.
    let mut exponent = ((binary + mantissa.ilog2() as i32) * 1233) >> 12;
    loop {
        let scale = digits - 1 - exponent;
        let power = 10u128.checked_pow(scale.unsigned_abs())?;
        let (up, down) = if scale < 0 { (1, power) } else { (power, 1) };
        let number = mantissa.checked_mul(up)?;
        let (rounded, is_above) = if binary < 0 {
            if down != 1 || binary < -127 {
                return None;
            }
            let (quotient, rest) = (number >> -binary, number & ((1 << -binary) - 1));
            let half = 1 << (-binary - 1);
            (quotient + u128::from(rest > half || rest == half && quotient & 1 != 0), quotient >= limit)
        } else {
            let number = if number.leading_zeros() as i32 > binary { number << binary } else { return None };
            let (quotient, rest) = if down == 1 { (number, 0) } else { (number / down, number % down) };
            (quotient + u128::from(2 * rest > down || 2 * rest == down && quotient & 1 != 0), quotient >= limit)
        };
        if is_above {
            exponent += 1;
        } else if rounded < limit / 10 {
            return None;
        } else if rounded == limit {
            return Some(((limit / 10) as u64, exponent + 1));
        } else {
            return Some((rounded as u64, exponent));
        }
    }
}

/// Digits of one number.
#[derive(Default)]
struct Buffer {
    text: [u8; 32],
    len: usize,
}

impl Buffer {
    fn text(&self) -> &str {
        self.text.get(..self.len).and_then(|t| core::str::from_utf8(t).ok()).unwrap_or("")
    }

    fn write(&mut self, s: &str) {
        // Cannot fail: there is room for 17 digits.
        let _ = self.write_str(s);
    }

    /// Writes the first `digits` digits of the number and returns its decimal exponent.
    #[cold]
    fn write_exponential(&mut self, value: f64, digits: usize) -> i32 {
        let mut text = Buffer::default();
        let _ = write!(text, "{:.*e}", digits - 1, value.abs());
        let (mantissa, exponent) = text.text().split_once('e').unwrap_or_default();
        mantissa.split('.').for_each(|part| self.write(part));
        exponent.parse().unwrap_or(0)
    }
}

impl core::fmt::Write for Buffer {
    fn write_str(&mut self, s: &str) -> core::fmt::Result {
        let to = self.text.get_mut(self.len..self.len + s.len()).ok_or(core::fmt::Error)?;
        to.copy_from_slice(s.as_bytes());
        self.len += s.len();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(kind: NumberKind, width: u32, words: &[u32]) -> String {
        let mut out = String::new();
        number(&mut out, Number { width, kind }, words);
        out
    }

    #[test]
    fn floats() {
        let cases: &[(u32, &str)] = &[
            (0, "0"),
            (0x8000_0000, "-0"),
            (0x3f80_0000, "1"),
            (0xbdcc_cccd, "-0.100000001"),
            (0x4996_b438, "1234567"),
            (0x4e93_2c06, "1.23456794e+09"),
            (0x38d1_b717, "9.99999975e-05"),
            (0x3a83_126f, "0.00100000005"),
            (0x4cbe_bc21, "100000008"),
            (0x4b80_0001, "16777218"),
            (0x0000_0001, "0x1p-149"),
            (0x7f80_0000, "0x1p+128"),
            (0xffc0_0001, "-0x1.800002p+128"),
            (0x7f7f_ffff, "3.40282347e+38"),
        ];
        for (bits, expected) in cases {
            assert_eq!(text(NumberKind::Float, 32, &[*bits]), *expected);
            if !expected.contains('x') {
                assert_eq!(expected.parse::<f32>().map(f32::to_bits), Ok(*bits));
            }
        }
        assert_eq!(text(NumberKind::Float, 64, &[0x9999_999a, 0x3fb9_9999]), "0.10000000000000001");
        assert_eq!(text(NumberKind::Float, 64, &[1, 0]), "0x1p-1074");
        assert_eq!(text(NumberKind::Float, 16, &[0x3c00]), "0x1p+0");
        assert_eq!(text(NumberKind::Float, 16, &[0xfe01]), "-0x1.804p+16");
        assert_eq!(text(NumberKind::Float, 16, &[1]), "0x1p-24");
        assert_eq!(text(NumberKind::Encoded(FPEncoding::BFloat16KHR), 16, &[0x8000]), "-0x0p+0");
        assert_eq!(text(NumberKind::Encoded(FPEncoding::Float8E4M3EXT), 8, &[0x7f]), "0x1.ep+8");
        assert_eq!(text(NumberKind::Encoded(FPEncoding::Float4E2M1EXT), 4, &[0xb]), "-0x1.8p+0");
        assert_eq!(text(NumberKind::Encoded(FPEncoding::Float6E2M3EXT), 6, &[1]), "0x1p-3");
        assert_eq!(text(NumberKind::Encoded(FPEncoding::Float8UnsignedE8M0EXT), 8, &[0]), "0x1p-127");
        assert_eq!(text(NumberKind::Encoded(FPEncoding::MXInt8EXT), 8, &[0xee]), "-0x1.2p-2");
    }

    #[test]
    fn exactness() {
        let exact = |kind, width, words: &[u32]| is_exact(Number { width, kind }, words);
        assert!(exact(NumberKind::Unsigned, 16, &[0xffff]));
        assert!(!exact(NumberKind::Unsigned, 16, &[0x1_0000]));
        assert!(exact(NumberKind::Signed, 16, &[0xffff_8000]));
        assert!(!exact(NumberKind::Signed, 16, &[0x8000]));
        assert!(exact(NumberKind::Signed, 48, &[0, 0xffff_8000]));
        assert!(exact(NumberKind::Unsigned, 128, &[0, 0, 0, u32::MAX]));
        assert!(!exact(NumberKind::Unsigned, 128, &[0, 0, 0]));
        assert!(!exact(NumberKind::Unsigned, 70, &[0, 0, 0x40]));
        assert!(exact(NumberKind::Signed, 70, &[0, 0, 0xffff_ffe0]));
        assert!(!exact(NumberKind::Signed, 70, &[0, 0, 0x20]));
        assert!(!exact(NumberKind::Float, 128, &[0, 0, 0, 0]));
        assert!(!exact(NumberKind::Float, 16, &[0x1_0000]));
        assert!(exact(NumberKind::Float, 64, &[0, 0xffff_ffff]));
        assert!(!exact(NumberKind::Float, 8, &[0]));
        assert!(!exact(NumberKind::Signed, 0, &[0]));
    }

    #[test]
    fn wide_integers() {
        let text = |kind, width, words: &[u32]| {
            let mut out = String::new();
            wide(&mut out, Number { width, kind }, words);
            out
        };
        assert_eq!(text(NumberKind::Unsigned, 96, &[0; 3]), "0x0");
        assert_eq!(text(NumberKind::Unsigned, 96, &[0x89, 0, 0x1f]), "0x1f0000000000000089");
        assert_eq!(text(NumberKind::Unsigned, 65, &[7, 0, 0]), "0x7");
        assert_eq!(text(NumberKind::Signed, 70, &[0, 0, 0xffff_ffe0]), "0x200000000000000000");
    }

    #[test]
    fn the_short_way_agrees_with_the_long_one() {
        let mut bits = 0x9e37_79b9_7f4a_7c15u64;
        let mut tried = 0;
        for _ in 0..200_000 {
            bits ^= bits << 13;
            bits ^= bits >> 7;
            bits ^= bits << 17;
            for (value, digits) in [(f32::from_bits(bits as u32).into(), 9), (f64::from_bits(bits), 17)] {
                check(value, digits, &mut tried);
            }
            // Halves, and numbers of usual size.
            check(f64::from(bits as u32 >> 3) / 64.0, 9, &mut tried);
            check((bits as u32 as f32 / 1e7).into(), 9, &mut tried);
            check(bits as f64 / 1e18, 17, &mut tried);
        }
        assert!(tried > 600_000, "{tried}");
    }

    fn check(value: f64, digits: usize, tried: &mut u32) {
        if !value.is_normal() {
            return;
        }
        if let Some((number, exponent)) = significant(value, digits as i32) {
            let mut long = Buffer::default();
            assert_eq!(long.write_exponential(value, digits), exponent, "{value}");
            assert_eq!(long.text(), number.to_string(), "{value}");
            *tried += 1;
        }
    }
}
