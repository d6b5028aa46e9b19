//! Texts as xs:double (XSD 1.1 part 2 §3.3.5), for comparisons with numbers.

use crate::characters::is_space;

/// The number of a text, None if it is not a number.
#[inline(always)]
pub fn to_double(text: &[u8]) -> Option<f64> {
    match short_decimal(text) {
        Some(number) => Some(number),
        None => any_double(text),
    }
}

/// Powers of ten that are exact as doubles, like all integers below 2^53.
const TENS: [f64; 16] = [1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15];

/// What most numbers look like: up to 15 digits, perhaps a sign and a point. The quotient of two doubles that are exact is
/// the double nearest to the number (Clinger, How to Read Floating Point Numbers Accurately, 1990, §3).
#[inline(always)]
fn short_decimal(text: &[u8]) -> Option<f64> {
    let (is_negative, digits) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    let mut mantissa = 0u64;
    let mut point = None;
    for (place, &byte) in digits.iter().enumerate() {
        let digit = byte.wrapping_sub(b'0');
        if digit < 10 {
            mantissa = 10 * mantissa + u64::from(digit);
        } else if byte == b'.' && point.is_none() {
            point = Some(place);
        } else {
            return None;
        }
    }
    let decimals = match point {
        None if digits.len() > 15 => return None,
        None => 0,
        Some(_) if digits.len() == 1 => return None,
        Some(place) => digits.len() - place - 1,
    };
    let size = mantissa as f64 / TENS[decimals];
    Some(if is_negative { -size } else { size })
}

fn any_double(text: &[u8]) -> Option<f64> {
    let text = trimmed(text);
    match text {
        b"INF" | b"+INF" => return Some(f64::INFINITY),
        b"-INF" => return Some(f64::NEG_INFINITY),
        b"NaN" => return Some(f64::NAN),
        _ => {}
    }
    // Rust also parses "inf", "nan" and "infinity"; everything else it parses is xs:double.
    if text.iter().any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

/// An xs:integer of at most 18 digits, without white space around it; None for anything else.
pub fn short_integer(text: &[u8]) -> Option<i64> {
    let (is_negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        _ => (false, text),
    };
    if digits.is_empty() || digits.len() > 18 {
        return None;
    }
    let mut value = 0;
    for digit in digits {
        if !digit.is_ascii_digit() {
            return None;
        }
        value = value * 10 + i64::from(digit - b'0');
    }
    Some(if is_negative { -value } else { value })
}

/// A text without surrounding white space.
#[inline(always)]
pub fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers() {
        for (text, number) in
            [("0", 0), ("-17", -17), ("+5", 5), ("007", 7), ("999999999999999999", 999_999_999_999_999_999)]
        {
            assert_eq!(short_integer(text.as_bytes()), Some(number), "{text}");
        }
        for text in ["", "-", "1.0", " 1", "1_0", "1e3", "1234567890123456789", "\u{661}"] {
            assert_eq!(short_integer(text.as_bytes()), None, "{text}");
        }
    }

    #[test]
    fn numbers() {
        for (text, number) in
            [("1", 1.0), (" -1.5e3\n", -1500.0), (".5", 0.5), ("5.", 5.0), ("+2", 2.0), ("INF", f64::INFINITY)]
        {
            assert_eq!(to_double(text.as_bytes()), Some(number), "{text}");
        }
        assert!(to_double(b"NaN").unwrap().is_nan());
    }

    #[test]
    fn short_ones_are_read_as_any_others() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let digits = format!("{:0width$}", (state >> 11) % 10u64.pow(15), width = (state % 16) as usize);
            let place = (state >> 33) as usize % (digits.len() + 1);
            let sign = if state & 512 == 0 { "" } else { "-" };
            for text in [format!("{sign}{digits}"), format!("{sign}{}.{}", &digits[..place], &digits[place..])] {
                let expected: f64 = text.parse().unwrap();
                assert_eq!(to_double(text.as_bytes()).unwrap().to_bits(), expected.to_bits(), "{text}");
            }
        }
        assert_eq!(to_double(b"-0").unwrap().to_bits(), (-0.0f64).to_bits());
    }

    #[test]
    fn no_numbers() {
        for text in
            ["", " ", "x", "1x", "inf", "nan", "infinity", "1e", "e5", ".", "1 2", "0x10", "1_000", "--1", "+-1"]
        {
            assert_eq!(to_double(text.as_bytes()), None, "{text}");
        }
    }
}
