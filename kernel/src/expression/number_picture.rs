//! Numbers as pictures of fn:format-number show them (F&O 3.1 §4.7.5).

use super::atom::Atom;
use super::digits::Grouping;
use crate::template::Undecided;

/// What a picture says of numbers of one sign.
#[derive(Clone, Debug, Default)]
pub struct Half {
    /// Before the digits.
    pub prefix: String,
    /// Behind them.
    pub suffix: String,
    /// The power of ten that numbers are multiplied by, for a percent or per-mille sign.
    pub power: u32,
    /// So many digits before the point at least.
    pub integer: usize,
    /// The fewest and the most digits behind it.
    pub fraction: (usize, usize),
    /// The separators before the point.
    pub groups: Grouping,
    /// The places of separators behind it, by the digits to their left.
    pub fraction_groups: Vec<usize>,
}

/// A picture with the characters of its decimal format.
#[derive(Clone, Debug, Default)]
pub struct NumberPicture {
    /// For numbers that are not negative, and for those that are.
    pub halves: [Half; 2],
    /// The point.
    pub point: String,
    /// Between digits behind the point.
    pub separator: String,
    /// What is no number.
    pub nan: String,
    /// What is too large for digits.
    pub infinity: String,
}

impl NumberPicture {
    /// Append a number; none is written as what is no number.
    pub fn write(&self, number: Option<Atom<'_>>, out: &mut Vec<u8>) -> Result<(), Undecided> {
        let is_negative = match &number {
            None => false,
            Some(Atom::Double(value)) => value.is_sign_negative(),
            Some(Atom::Integer(value)) => *value < 0,
            Some(Atom::Decimal(value)) => value.is_negative(),
            Some(_) => return Err(Undecided),
        };
        let half = &self.halves[usize::from(is_negative)];
        let Some(digits) = number.and_then(|number| Digits::of(&number, half.power)) else {
            out.extend_from_slice(self.nan.as_bytes());
            return Ok(());
        };
        out.extend_from_slice(half.prefix.as_bytes());
        match digits {
            Digits::Infinite => out.extend_from_slice(self.infinity.as_bytes()),
            Digits::Finite(digits, point) => self.write_digits(half, digits, point, out),
        }
        out.extend_from_slice(half.suffix.as_bytes());
        Ok(())
    }

    fn write_digits(&self, half: &Half, digits: Vec<u8>, point: i64, out: &mut Vec<u8>) {
        let (digits, point) = rounded(digits, point, half.fraction.1);
        // Zeros that the number has before or behind its digits.
        let before = point.max(0) as usize;
        let (whole, part) = digits.split_at(before.min(digits.len()));
        let mut integer = whole.to_vec();
        integer.resize(before, b'0');
        let zeros = integer.iter().take_while(|&&digit| digit == b'0').count();
        let integer = &integer[zeros..];
        let mut padded = vec![b'0'; half.integer.saturating_sub(integer.len())];
        padded.extend_from_slice(integer);
        half.groups.write(&padded, out);
        let mut fraction = vec![b'0'; point.min(0).unsigned_abs() as usize];
        fraction.extend_from_slice(part);
        let end = fraction.iter().rposition(|&digit| digit != b'0').map_or(0, |last| last + 1);
        fraction.truncate(end);
        if fraction.len() < half.fraction.0 {
            fraction.resize(half.fraction.0, b'0');
        }
        if !fraction.is_empty() {
            out.extend_from_slice(self.point.as_bytes());
        }
        for (place, digit) in fraction.into_iter().enumerate() {
            if half.fraction_groups.contains(&place) {
                out.extend_from_slice(self.separator.as_bytes());
            }
            out.push(digit);
        }
    }
}

/// A number without its sign.
enum Digits {
    /// Its digits, and how many of them stand before the point.
    Finite(Vec<u8>, i64),
    Infinite,
}

impl Digits {
    /// The digits of a number times a power of ten; None of what is no number.
    fn of(number: &Atom<'_>, power: u32) -> Option<Self> {
        let mut text = Vec::new();
        match number {
            Atom::Double(value) if value.is_nan() => return None,
            Atom::Double(value) => {
                // As a double, and then by the shortest digits that read back.
                let value = value.abs() * f64::from(10u32.pow(power));
                if value.is_infinite() {
                    return Some(Digits::Infinite);
                }
                let text = format!("{value:e}");
                let (digits, exponent) = text.split_once('e')?;
                let exponent: i64 = exponent.parse().ok()?;
                return Some(Digits::Finite(digits.bytes().filter(|&byte| byte != b'.').collect(), exponent + 1));
            }
            other => other.write(&mut text),
        }
        let text = text.strip_prefix(b"-").unwrap_or(&text);
        let point = text.iter().position(|&byte| byte == b'.').unwrap_or(text.len());
        let digits = text.iter().copied().filter(|&byte| byte != b'.').collect();
        Some(Digits::Finite(digits, point as i64 + i64::from(power)))
    }
}

/// To so many digits behind the point, a half to the even neighbour.
fn rounded(mut digits: Vec<u8>, point: i64, most: usize) -> (Vec<u8>, i64) {
    let kept = point + most as i64;
    if kept >= digits.len() as i64 {
        return (digits, point);
    }
    let Ok(kept) = usize::try_from(kept) else { return (Vec::new(), point) };
    let is_even = kept == 0 || (digits[kept - 1] - b'0') % 2 == 0;
    let is_half = digits[kept] == b'5' && digits[kept + 1..].iter().all(|&digit| digit == b'0');
    let up = if is_half { !is_even } else { digits[kept] >= b'5' };
    digits.truncate(kept);
    if !up {
        return (digits, point);
    }
    for digit in digits.iter_mut().rev() {
        if *digit < b'9' {
            *digit += 1;
            return (digits, point);
        }
        *digit = b'0';
    }
    digits.insert(0, b'1');
    (digits, point + 1)
}

#[cfg(test)]
mod tests {
    use super::super::decimal::Decimal;
    use super::*;

    fn picture(integer: usize, fraction: (usize, usize), power: u32) -> NumberPicture {
        let groups = Grouping { places: vec![(3, ",".into())], regular: 3 };
        let half = Half { integer, fraction, groups, power, ..Half::default() };
        let negative = Half { prefix: "-".into(), ..half.clone() };
        let text = String::from;
        NumberPicture {
            halves: [half, negative],
            point: text("."),
            separator: text(","),
            nan: text("NaN"),
            infinity: text("Infinity"),
        }
    }

    fn written(picture: &NumberPicture, number: Option<Atom<'_>>) -> String {
        let mut out = Vec::new();
        picture.write(number, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn numbers_are_rounded_and_padded() {
        let two = picture(1, (2, 2), 0);
        for (value, text) in [
            (1234.5, "1,234.50"),
            (0.005, "0.00"),
            (0.015, "0.02"),
            (0.025, "0.02"),
            (999.999, "1,000.00"),
            (-0.0, "-0.00"),
            (0.0049, "0.00"),
            (1e-7, "0.00"),
            (1e22, "10,000,000,000,000,000,000,000.00"),
            (f64::NEG_INFINITY, "-Infinity"),
            (f64::NAN, "NaN"),
        ] {
            assert_eq!(written(&two, Some(Atom::Double(value))), text);
        }
        assert_eq!(written(&two, None), "NaN");
        assert_eq!(written(&two, Some(Atom::Integer(-7))), "-7.00");
        assert_eq!(written(&two, Some(Atom::Decimal(Decimal::read(b"0.995").unwrap()))), "1.00");
    }

    #[test]
    fn digits_that_need_not_be_there() {
        let some = picture(0, (0, 3), 0);
        assert_eq!(written(&some, Some(Atom::Double(0.5))), ".5");
        assert_eq!(written(&some, Some(Atom::Double(12.0))), "12");
        let percent = picture(1, (0, 1), 2);
        assert_eq!(written(&percent, Some(Atom::Decimal(Decimal::read(b"0.1234").unwrap()))), "12.3");
        assert_eq!(written(&percent, Some(Atom::Integer(12))), "1,200");
    }
}
