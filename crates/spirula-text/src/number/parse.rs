//! Text → literal numbers.
//!
//! Integers are decimal, hexadecimal (`0x`) or octal (leading `0`). Floats are decimal or hexadecimal (`0x1.8p+3`), where
//! the exponent above the largest finite one stands for infinity and the NaNs. Digits that a format narrower than 32
//! bits, or a hexadecimal literal's format, has no room for are cut off, not rounded: that is what the reference
//! assembler does, and modules must come out the same.

use spirula_binary::{Number, NumberKind};
use spirula_grammar::FPEncoding;

/// Why a text is not a literal of its type.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum NumberError {
    /// It is not a number of this sort.
    Malformed,
    /// It has a minus sign, but the type is unsigned.
    Negative,
    /// The type cannot hold the value.
    OutOfRange,
    /// Literals of the type cannot be written as numbers.
    Unsupported,
}

use NumberError::{Malformed, Negative, OutOfRange, Unsupported};

/// Widest integer for which digits are taken: an instruction has at most 65,535 words.
pub(super) const MAX_WIDTH: u32 = 65_000 * 32;

fn sign(text: &[u8]) -> (bool, &[u8]) {
    match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    }
}

/// Splits off the radix prefix: 10, 16 or 8.
fn radix(text: &[u8]) -> Result<(u32, &[u8]), NumberError> {
    let (radix, digits) = match text {
        [b'0', b'x' | b'X', rest @ ..] => (16, rest),
        [b'0', rest @ ..] if !rest.is_empty() => (8, rest),
        _ => (10, text),
    };
    let fine = !digits.is_empty() && digits.iter().all(|b| (*b as char).is_digit(radix));
    if fine { Ok((radix, digits)) } else { Err(Malformed) }
}

fn small(digits: &[u8], radix: u32) -> Result<u64, NumberError> {
    digits.iter().try_fold(0u64, |v, b| {
        let digit = (*b as char).to_digit(radix).ok_or(Malformed)?;
        v.checked_mul(radix.into()).and_then(|v| v.checked_add(digit.into())).ok_or(OutOfRange)
    })
}

/// An unsigned 32-bit integer.
#[inline]
pub(crate) fn u32(text: &[u8]) -> Result<u32, NumberError> {
    // Short decimal numbers are nearly all there are.
    if let [first @ b'1'..=b'9', rest @ ..] = text
        && rest.len() < 9
        && rest.iter().all(u8::is_ascii_digit)
    {
        return Ok(rest.iter().fold(u32::from(first - b'0'), |v, b| v * 10 + u32::from(b - b'0')));
    }
    let (negative, text) = sign(text);
    let (radix, digits) = radix(text)?;
    if negative {
        return Err(Negative);
    }
    small(digits, radix).and_then(|v| v.try_into().map_err(|_| OutOfRange))
}

/// The number of an `!` token.
pub(crate) fn raw(text: &[u8]) -> Result<u32, NumberError> {
    match u32(text) {
        Err(Negative) if matches!(u32(text.get(1..).unwrap_or(&[])), Ok(0)) => Ok(0),
        other => other,
    }
}

/// A number of no declared type in one word, as in the operands behind an `!` token.
pub(crate) fn untyped(text: &[u8]) -> Result<u32, NumberError> {
    match u32(text) {
        Err(Negative) => {
            let (_, digits) = sign(text);
            let magnitude = u32(digits)?;
            if magnitude <= 1 << 31 { Ok(magnitude.wrapping_neg()) } else { Err(OutOfRange) }
        }
        Err(Malformed) => float(text, Number { width: 32, kind: NumberKind::Float }).map(|bits| bits as u32),
        other => other,
    }
}

/// Appends the words of a literal of type `number`.
pub(crate) fn literal(text: &[u8], number: Number, out: &mut Vec<u32>) -> Result<(), NumberError> {
    match number.kind {
        NumberKind::Unsigned => integer(text, number.width, false, out),
        NumberKind::Signed => integer(text, number.width, true, out),
        NumberKind::Float | NumberKind::Encoded(_) => {
            let bits = float(text, number)?;
            out.push(bits as u32);
            if number.width > 32 {
                out.push((bits >> 32) as u32);
            }
            Ok(())
        }
    }
}

fn integer(text: &[u8], width: u32, signed: bool, out: &mut Vec<u32>) -> Result<(), NumberError> {
    let (negative, text) = sign(text);
    let (radix, digits) = radix(text)?;
    if negative && !signed {
        return Err(Negative);
    }
    if width > 64 {
        return wide(digits, radix, width, signed, negative, out);
    }
    let magnitude = small(digits, radix)?;
    let all = if width == 0 { 0 } else { u64::MAX >> (64 - width) };
    let limit = match (negative, signed && radix != 16) {
        (true, _) => (all >> 1).saturating_add(1),
        (false, true) => all >> 1,
        (false, false) => all,
    };
    if magnitude > limit {
        return Err(OutOfRange);
    }
    let mut value = if negative { magnitude.wrapping_neg() } else { magnitude };
    if signed && width != 0 {
        value = ((value << (64 - width)) as i64 >> (64 - width)) as u64;
    }
    out.push(value as u32);
    if width > 32 {
        out.push((value >> 32) as u32);
    }
    Ok(())
}

/// An integer of more than 64 bits; decimal only as far as 128 bits go.
fn wide(
    digits: &[u8],
    radix: u32,
    width: u32,
    signed: bool,
    negative: bool,
    out: &mut Vec<u32>,
) -> Result<(), NumberError> {
    if width > MAX_WIDTH {
        return Err(Unsupported);
    }
    let start = out.len();
    let words = width.div_ceil(32) as usize;
    if radix == 16 {
        for chunk in digits.rchunks(8) {
            out.push(small(chunk, 16)? as u32);
        }
    } else {
        let value = digits.iter().try_fold(0u128, |v, b| {
            let digit = (*b as char).to_digit(radix).ok_or(Malformed)?;
            v.checked_mul(radix.into()).and_then(|v| v.checked_add(digit.into())).ok_or(OutOfRange)
        })?;
        out.extend((0..4).map(|i| (value >> (32 * i)) as u32));
    }
    let result = fit(out, start, words, width, (signed, negative, radix == 16));
    if result.is_err() {
        out.truncate(start);
    }
    result
}

/// Brings the magnitude in `out[start..]` to exactly `words` words, with its sign.
fn fit(
    out: &mut Vec<u32>,
    start: usize,
    words: usize,
    width: u32,
    (signed, negative, hexadecimal): (bool, bool, bool),
) -> Result<(), NumberError> {
    if out.iter().skip(start + words).any(|w| *w != 0) {
        return Err(OutOfRange);
    }
    out.resize(start + words, 0);
    let own = out.get_mut(start..).unwrap_or_default();
    let top_bits = (width - 1) % 32 + 1;
    let mask = u32::MAX >> (32 - top_bits);
    let Some((top, low)) = own.split_last_mut() else { return Err(Unsupported) };
    let top_set = *top >> (top_bits - 1) & 1 != 0;
    let smallest = *top == 1 << (top_bits - 1) && low.iter().all(|w| *w == 0);
    let top_may_be_set = if negative { smallest } else { hexadecimal };
    let too_big = signed && top_set && !top_may_be_set;
    if *top & !mask != 0 || too_big {
        return Err(OutOfRange);
    }
    if negative {
        let mut carry = true;
        for w in own.iter_mut() {
            let (sum, over) = (!*w).overflowing_add(carry.into());
            (*w, carry) = (sum, over);
        }
    } else if signed && top_set {
        *top |= !mask;
    }
    Ok(())
}

/// A binary floating-point format.
#[derive(Clone, Copy)]
struct Format {
    exponent: u32,
    mantissa: u32,
    bias: i64,
    special: Special,
}

/// What the largest exponent means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Special {
    /// Infinity and the NaNs.
    Ieee,
    /// Numbers, save that the largest mantissa is NaN.
    OneNan,
    /// Numbers.
    Nothing,
}

const fn format(exponent: u32, mantissa: u32, special: Special) -> Format {
    Format { exponent, mantissa, bias: (1 << (exponent - 1)) - 1, special }
}

fn format_of(number: Number) -> Option<Format> {
    Some(match (number.kind, number.width) {
        (NumberKind::Float, 16) => format(5, 10, Special::Ieee),
        (NumberKind::Float, 32) => format(8, 23, Special::Ieee),
        (NumberKind::Float, 64) => format(11, 52, Special::Ieee),
        (NumberKind::Encoded(FPEncoding::BFloat16KHR), 16) => format(8, 7, Special::Ieee),
        (NumberKind::Encoded(FPEncoding::Float8E5M2EXT), 8) => format(5, 2, Special::Ieee),
        (NumberKind::Encoded(FPEncoding::Float8E4M3EXT), 8) => format(4, 3, Special::OneNan),
        (NumberKind::Encoded(FPEncoding::Float6E2M3EXT), 6) => format(2, 3, Special::Nothing),
        (NumberKind::Encoded(FPEncoding::Float6E3M2EXT), 6) => format(3, 2, Special::Nothing),
        (NumberKind::Encoded(FPEncoding::Float4E2M1EXT), 4) => format(2, 1, Special::Nothing),
        _ => return None,
    })
}

/// A finite number: ± `mantissa` · 2^(`exponent` - 63), the mantissa's top bit set unless it is zero.
#[derive(Clone, Copy)]
struct Parts {
    negative: bool,
    mantissa: u64,
    exponent: i64,
    /// Hexadecimal text may spell infinities and NaNs.
    hexadecimal: bool,
}

/// The bits of a float.
fn float(text: &[u8], number: Number) -> Result<u64, NumberError> {
    if let Some(format) = format_of(number) {
        let (negative, digits) = sign(text);
        if let [b'0', b'x' | b'X', rest @ ..] = digits {
            return encode(hexadecimal(rest, negative)?, format);
        }
        return match number.width {
            64 => finite(decimal::<f64>(text)?, f64::is_finite).map(f64::to_bits),
            32 => single(text).map(|v| v.to_bits().into()),
            _ => encode(Parts::of(single(text)?), format),
        };
    }
    let parts = |text| match sign(text) {
        (negative, [b'0', b'x' | b'X', rest @ ..]) => hexadecimal(rest, negative),
        _ => single(text).map(Parts::of),
    };
    match (number.kind, number.width) {
        (NumberKind::Encoded(FPEncoding::Float8UnsignedE8M0EXT), 8) => power_of_two(parts(text)?),
        (NumberKind::Encoded(FPEncoding::MXInt8EXT), 8) => fixed_point(parts(text)?),
        _ => Err(Unsupported),
    }
}

fn single(text: &[u8]) -> Result<f32, NumberError> {
    finite(decimal::<f32>(text)?, f32::is_finite)
}

fn finite<F: Copy>(value: F, is_finite: fn(F) -> bool) -> Result<F, NumberError> {
    if is_finite(value) { Ok(value) } else { Err(OutOfRange) }
}

/// A decimal float; the standard library would also take `inf` and `nan`.
fn decimal<F: core::str::FromStr>(text: &[u8]) -> Result<F, NumberError> {
    let fine = text.iter().all(|b| matches!(b, b'0'..=b'9' | b'+' | b'-' | b'.' | b'e' | b'E'));
    let text = core::str::from_utf8(text).map_err(|_| Malformed)?;
    if fine { text.parse().map_err(|_| Malformed) } else { Err(Malformed) }
}

impl Parts {
    fn of(value: f32) -> Parts {
        let bits = value.to_bits();
        let fraction = u64::from(bits & 0x7f_ffff);
        let field = i64::from(bits >> 23 & 0xff);
        let (mantissa, exponent) = if field == 0 { (fraction, -126) } else { (fraction | 1 << 23, field - 127) };
        Parts::normal(value.is_sign_negative(), mantissa << 40, exponent, false)
    }

    fn normal(negative: bool, mantissa: u64, exponent: i64, hexadecimal: bool) -> Parts {
        let shift = mantissa.leading_zeros();
        if mantissa == 0 {
            return Parts { negative, mantissa, exponent: 0, hexadecimal };
        }
        Parts { negative, mantissa: mantissa << shift, exponent: exponent - i64::from(shift), hexadecimal }
    }
}

/// What follows `0x`: digits with at most one point, `p`, a decimal exponent.
fn hexadecimal(text: &[u8], negative: bool) -> Result<Parts, NumberError> {
    let at = text.iter().position(|b| matches!(b, b'p' | b'P')).ok_or(Malformed)?;
    let (digits, power) = text.split_at_checked(at).ok_or(Malformed)?;
    let (minus, power) = sign(power.get(1..).unwrap_or(&[]));
    if power.is_empty() || !power.iter().all(u8::is_ascii_digit) {
        return Err(Malformed);
    }
    // Saturating: no text is long enough to bring a larger exponent back into range.
    let power = power.iter().fold(0i64, |v, b| v.saturating_mul(10).saturating_add((b - b'0').into())).min(1 << 48);
    let mut exponent = 63;
    let (mut mantissa, mut seen, mut any) = (0u64, false, false);
    for b in digits {
        if *b == b'.' {
            if core::mem::replace(&mut seen, true) {
                return Err(Malformed);
            }
            continue;
        }
        let digit = (*b as char).to_digit(16).ok_or(Malformed)?;
        any = true;
        if mantissa >> 60 == 0 {
            mantissa = mantissa << 4 | u64::from(digit);
            exponent -= i64::from(seen) * 4;
        } else {
            exponent += i64::from(!seen) * 4;
        }
    }
    if !any {
        return Err(Malformed);
    }
    Ok(Parts::normal(negative, mantissa, exponent + if minus { -power } else { power }, true))
}

fn encode(parts: Parts, format: Format) -> Result<u64, NumberError> {
    let Format { exponent, mantissa, bias, special } = format;
    let sign = u64::from(parts.negative) << (exponent + mantissa);
    if parts.mantissa == 0 {
        return Ok(sign);
    }
    let largest = (1i64 << exponent) - 1;
    let field = parts.exponent + bias;
    if field < 1 {
        let kept = parts.mantissa >> (63 - mantissa);
        let shift = u32::try_from(1 - field).unwrap_or(u32::MAX);
        return Ok(sign | kept.checked_shr(shift).unwrap_or(0));
    }
    let fraction = parts.mantissa << 1 >> (64 - mantissa);
    let infinity = (largest as u64) << mantissa;
    match special {
        Special::Ieee if field >= largest && !parts.hexadecimal => Err(OutOfRange),
        Special::Ieee if field > largest => Ok(sign | infinity),
        Special::OneNan if field == largest && !parts.hexadecimal => {
            // The largest finite number is the one before NaN; what lies between them is out of range.
            let top = 0b111u64 << 61;
            if parts.mantissa > top { Err(OutOfRange) } else { Ok(sign | infinity | fraction) }
        }
        _ if field > largest => Err(OutOfRange),
        _ => Ok(sign | (field as u64) << mantissa | fraction),
    }
}

/// An exponent alone, in 8 bits biased by 127; all ones is NaN.
fn power_of_two(parts: Parts) -> Result<u64, NumberError> {
    if parts.negative {
        return Err(Negative);
    }
    let field = u64::try_from(parts.exponent + 127).map_err(|_| OutOfRange)?;
    if parts.mantissa == 0 || field > if parts.hexadecimal { 255 } else { 254 } {
        return Err(OutOfRange);
    }
    Ok(field)
}

/// Two's complement in 8 bits, scaled by 1/64.
fn fixed_point(parts: Parts) -> Result<u64, NumberError> {
    let magnitude = match parts.exponent + 6 {
        _ if parts.mantissa == 0 => 0,
        ..0 => 0,
        whole @ 0..=7 => parts.mantissa >> (63 - whole),
        _ => return Err(OutOfRange),
    };
    if magnitude > 127 + u64::from(parts.negative) {
        return Err(OutOfRange);
    }
    Ok(if parts.negative { magnitude.wrapping_neg() & 0xff } else { magnitude })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(kind: NumberKind, width: u32, text: &str) -> Result<Vec<u32>, NumberError> {
        let mut out = Vec::new();
        literal(text.as_bytes(), Number { width, kind }, &mut out).map(|()| out)
    }

    #[test]
    fn integers() {
        use NumberKind::{Signed as S, Unsigned as U};
        let good: &[(NumberKind, u32, &str, &[u32])] = &[
            (U, 32, "0", &[0]),
            (U, 32, "4294967295", &[u32::MAX]),
            (U, 32, "0xFFFFffff", &[u32::MAX]),
            (U, 32, "017", &[15]),
            (U, 32, "+3", &[3]),
            (S, 8, "-128", &[0xffff_ff80]),
            (S, 8, "0xff", &[0xffff_ffff]),
            (S, 8, "-0x80", &[0xffff_ff80]),
            (S, 16, "-0", &[0]),
            (U, 16, "0xffff", &[0xffff]),
            (S, 48, "-1", &[u32::MAX, u32::MAX]),
            (U, 64, "0x8000000000000001", &[1, 0x8000_0000]),
            (S, 64, "-9223372036854775808", &[0, 0x8000_0000]),
            (U, 128, "340282366920938463463374607431768211455", &[u32::MAX; 4]),
            (S, 128, "-1", &[u32::MAX; 4]),
            (S, 96, "-0x800000000000000000000000", &[0, 0, 0x8000_0000]),
            (S, 72, "0xff0000000000000001", &[1, 0, u32::MAX]),
            (U, 160, "0x100000000000000000000000000000002", &[2, 0, 0, 0, 1]),
        ];
        for (kind, width, text, expected) in good {
            assert_eq!(words(*kind, *width, text).as_deref(), Ok(*expected), "{text}");
        }
        let bad: &[(NumberKind, u32, &str, NumberError)] = &[
            (U, 32, "-0", Negative),
            (U, 32, "4294967296", OutOfRange),
            (U, 16, "65536", OutOfRange),
            (S, 8, "128", OutOfRange),
            (S, 8, "0x100", OutOfRange),
            (S, 8, "-129", OutOfRange),
            (S, 64, "9223372036854775808", OutOfRange),
            (S, 96, "0x1800000000000000000000000", OutOfRange),
            (S, 96, "-0x800000000000000000000001", OutOfRange),
            (U, 32, "0x", Malformed),
            (U, 32, "08", Malformed),
            (U, 32, "1.5", Malformed),
            (U, 32, "5u", Malformed),
            (U, 32, "", Malformed),
            (U, u32::MAX, "1", Unsupported),
        ];
        for (kind, width, text, expected) in bad {
            assert_eq!(words(*kind, *width, text), Err(*expected), "{text}");
        }
    }

    #[test]
    fn floats() {
        use NumberKind::{Encoded, Float as F};
        const B: NumberKind = Encoded(FPEncoding::BFloat16KHR);
        const E4: NumberKind = Encoded(FPEncoding::Float8E4M3EXT);
        const E5: NumberKind = Encoded(FPEncoding::Float8E5M2EXT);
        const E8: NumberKind = Encoded(FPEncoding::Float8UnsignedE8M0EXT);
        const MX: NumberKind = Encoded(FPEncoding::MXInt8EXT);
        let good: &[(NumberKind, u32, &str, &[u32])] = &[
            (F, 32, "1", &[0x3f80_0000]),
            (F, 32, "-.5", &[0xbf00_0000]),
            (F, 32, "1.e+5", &[0x47c3_5000]),
            (F, 32, "-0", &[0x8000_0000]),
            (F, 32, "+0x1p+0", &[0x3f80_0000]),
            (F, 32, "0x1.fffffep-1", &[0x3f7f_ffff]),
            (F, 32, "16777215", &[0x4b7f_ffff]),
            (F, 32, "0x1p+128", &[0x7f80_0000]),
            (F, 32, "-0x1.0002p+128", &[0xff80_0100]),
            (F, 32, "0x1p+9999999999999999999999", &[0x7f80_0000]),
            (F, 32, "0x1p-149", &[1]),
            (F, 32, "0x1p-150", &[0]),
            (F, 32, "0x.8p0", &[0x3f00_0000]),
            (F, 32, "0x00000000000000000000010p-4", &[0x3f80_0000]),
            (F, 32, "0x100000000000000000000p-80", &[0x3f80_0000]),
            (F, 64, "0.1", &[0x9999_999a, 0x3fb9_9999]),
            (F, 64, "0x1.123456789abcdp1024", &[0x6789_abcd, 0x7ff1_2345]),
            (F, 64, "5e-324", &[1, 0]),
            (F, 16, "0.3", &[0x34cc]),
            (F, 16, "65535", &[0x7bff]),
            (F, 16, "0x1.804p+16", &[0x7e01]),
            (F, 16, "0x1p-24", &[1]),
            (B, 16, "0.1", &[0x3dcc]),
            (B, 16, "0x1.8p+128", &[0x7fc0]),
            (B, 16, "1e-40", &[1]),
            (E4, 8, "448", &[0x7e]),
            (E4, 8, "0x1.ep8", &[0x7f]),
            (E4, 8, "-0x1p-9", &[0x81]),
            (E5, 8, "57344", &[0x7b]),
            (E5, 8, "0x1.8p16", &[0x7e]),
            (Encoded(FPEncoding::Float4E2M1EXT), 4, "-0x1.8p+0", &[0xb]),
            (Encoded(FPEncoding::Float6E2M3EXT), 6, "0x1.6p+0", &[0xb]),
            (Encoded(FPEncoding::Float6E3M2EXT), 6, "0x1.cp-2", &[7]),
            (E8, 8, "0x1p+4", &[0x83]),
            (E8, 8, "0x1p-127", &[0]),
            (E8, 8, "0x1p+128", &[0xff]),
            (MX, 8, "1", &[0x40]),
            (MX, 8, "-0x1.2p-2", &[0xee]),
            (MX, 8, "-2", &[0x80]),
        ];
        for (kind, width, text, expected) in good {
            assert_eq!(words(*kind, *width, text).as_deref(), Ok(*expected), "{text}");
        }
        let bad: &[(NumberKind, u32, &str, NumberError)] = &[
            (F, 32, "inf", Malformed),
            (F, 32, "nan", Malformed),
            (F, 32, "-+1", Malformed),
            (F, 32, "1e", Malformed),
            (F, 32, "0x1", Malformed),
            (F, 32, "0x1p", Malformed),
            (F, 32, "0xp1", Malformed),
            (F, 32, "0x1.0.0p1", Malformed),
            (F, 32, "1e40", OutOfRange),
            (F, 64, "1e400", OutOfRange),
            (F, 16, "65536", OutOfRange),
            (F, 24, "1", Unsupported),
            (F, 128, "1", Unsupported),
            (E4, 8, "449", OutOfRange),
            (E4, 8, "0x1p9", OutOfRange),
            (E5, 8, "65536", OutOfRange),
            (E8, 8, "0", OutOfRange),
            (E8, 8, "-1", Negative),
            (MX, 8, "2", OutOfRange),
        ];
        for (kind, width, text, expected) in bad {
            assert_eq!(words(*kind, *width, text), Err(*expected), "{text}");
        }
    }
}
