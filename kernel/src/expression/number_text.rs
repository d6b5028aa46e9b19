//! xs:double as xs:string (F&O 3.1 §19.1.2.2): the shortest digits that read back, plain from 1e-6 up to 1e6.

use std::io::Write;

/// Append a double.
pub fn write_double(value: f64, out: &mut Vec<u8>) {
    let size = value.abs();
    if (1e-6..1e6).contains(&size) {
        if size >= 1.0 && size.fract() == 0.0 {
            super::atom::write_integer(value as i64, out);
        } else {
            // Rust's own form has no exponent, and the shortest digits.
            let _ = write!(out, "{value}");
        }
    } else if size == 0.0 {
        out.extend_from_slice(if value.is_sign_negative() { b"-0" } else { b"0" });
    } else if value.is_nan() {
        out.extend_from_slice(b"NaN");
    } else if value.is_infinite() {
        out.extend_from_slice(if value > 0.0 { b"INF" } else { b"-INF" });
    } else {
        scientific(value, out);
    }
}

fn scientific(value: f64, out: &mut Vec<u8>) {
    let shortest = format!("{value:E}");
    match shortest.split_once('E') {
        Some((digits, exponent)) if !digits.contains('.') => {
            let _ = write!(out, "{digits}.0E{exponent}");
        }
        _ => out.extend_from_slice(shortest.as_bytes()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_as_the_language_writes_them() {
        for (value, text) in [
            (1.0, "1"),
            (-2.5, "-2.5"),
            (0.1 + 0.2, "0.30000000000000004"),
            (1e6, "1.0E6"),
            (999_999.0, "999999"),
            (1e-6, "0.000001"),
            (1.5e-7, "1.5E-7"),
            (-1e21, "-1.0E21"),
            (1.234e300, "1.234E300"),
            (5e-324, "5.0E-324"),
            (0.0, "0"),
            (-0.0, "-0"),
            (f64::NAN, "NaN"),
            (f64::NEG_INFINITY, "-INF"),
        ] {
            let mut out = Vec::new();
            write_double(value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
