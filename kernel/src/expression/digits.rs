//! Integers in decimal digits with separators between them (F&O 3.1 §4.6.1).

use super::atom::write_integer;

/// Where separators stand among the digits of an integer.
#[derive(Clone, Debug, Default)]
pub struct Grouping {
    /// The separators, each with the number of digits to its right.
    pub places: Vec<(usize, String)>,
    /// The distance at which the first one repeats for ever, 0 if it does not.
    pub regular: usize,
}

impl Grouping {
    /// Append digits with their separators.
    pub fn write(&self, digits: &[u8], out: &mut Vec<u8>) {
        for (place, &digit) in digits.iter().enumerate() {
            let right = digits.len() - place;
            let separator = match self.regular {
                _ if place == 0 => None,
                0 => self.places.iter().find(|(position, _)| *position == right),
                size if right % size == 0 => self.places.first(),
                _ => None,
            };
            if let Some((_, separator)) = separator {
                out.extend_from_slice(separator.as_bytes());
            }
            out.push(digit);
        }
    }
}

/// A pattern such as `#,##0`.
#[derive(Clone, Debug, Default)]
pub struct DigitPattern {
    /// So many digits at least.
    pub least: usize,
    /// Their separators.
    pub groups: Grouping,
    /// Whether the suffix of an ordinal follows, in English.
    pub is_ordinal: bool,
}

impl DigitPattern {
    /// Append an integer.
    pub fn write(&self, value: i64, out: &mut Vec<u8>) {
        if value < 0 {
            out.push(b'-');
        }
        let mut digits = Vec::with_capacity(20);
        write_integer(value, &mut digits);
        let digits = digits.strip_prefix(b"-").unwrap_or(&digits);
        let mut padded = vec![b'0'; self.least.saturating_sub(digits.len())];
        padded.extend_from_slice(digits);
        self.groups.write(&padded, out);
        if self.is_ordinal {
            out.extend_from_slice(suffix(value.unsigned_abs()));
        }
    }
}

fn suffix(value: u64) -> &'static [u8] {
    match (value % 100, value % 10) {
        (11..=13, _) => b"th",
        (_, 1) => b"st",
        (_, 2) => b"nd",
        (_, 3) => b"rd",
        _ => b"th",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(pattern: &DigitPattern, value: i64) -> String {
        let mut out = Vec::new();
        pattern.write(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn digits_are_grouped_from_the_right() {
        let groups = Grouping { places: vec![(3, ",".into())], regular: 3 };
        let pattern = DigitPattern { least: 1, groups, is_ordinal: false };
        assert_eq!(written(&pattern, 1_234_567), "1,234,567");
        assert_eq!(written(&pattern, -123), "-123");
        assert_eq!(written(&pattern, i64::MIN), "-9,223,372,036,854,775,808");
        let groups = Grouping { places: vec![(1, "-".into()), (3, "·".into())], regular: 0 };
        let pattern = DigitPattern { least: 4, groups, is_ordinal: false };
        assert_eq!(written(&pattern, 12), "0·01-2");
        assert_eq!(written(&pattern, 1_234_567), "1234·56-7");
    }

    #[test]
    fn ordinals() {
        let pattern = DigitPattern { least: 1, groups: Grouping::default(), is_ordinal: true };
        let texts: Vec<_> = [1, 2, 3, 4, 11, 12, 13, 21, 111, 101].map(|value| written(&pattern, value)).into();
        assert_eq!(texts, ["1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "111th", "101st"]);
    }
}
