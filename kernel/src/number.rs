//! Texts as xs:double (XSD 1.1 part 2 §3.3.5): what a comparison with a number needs.

use crate::characters::is_space;

/// The number a text stands for, None where it stands for none.
pub fn to_double(text: &[u8]) -> Option<f64> {
    let text = trimmed(text);
    match text {
        b"INF" | b"+INF" => return Some(f64::INFINITY),
        b"-INF" => return Some(f64::NEG_INFINITY),
        b"NaN" => return Some(f64::NAN),
        _ => {}
    }
    // Rust reads "inf", "nan" and "infinity" too; everything else it reads is xs:double.
    if text.iter().any(|byte| byte.is_ascii_alphabetic() && !matches!(byte, b'e' | b'E')) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn no_numbers() {
        for text in
            ["", " ", "x", "1x", "inf", "nan", "infinity", "1e", "e5", ".", "1 2", "0x10", "1_000", "--1", "+-1"]
        {
            assert_eq!(to_double(text.as_bytes()), None, "{text}");
        }
    }
}
