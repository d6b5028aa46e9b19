//! xs:decimal with up to 38 digits, exactly; larger results are left undecided.

use std::cmp::Ordering;

/// A number as a multiple of `10^-scale`.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    units: i128,
    scale: u32,
}

/// Number of digits of a non-terminating quotient, and the minimum after the point.
const PRECISION: i32 = 34;
const FRACTION: i32 = 22;
const MOST_DIGITS: usize = 38;

impl From<i64> for Decimal {
    fn from(value: i64) -> Self {
        Decimal { units: value.into(), scale: 0 }
    }
}

impl Decimal {
    /// The decimal of a text: digits, optional sign and point.
    pub fn read(text: &[u8]) -> Option<Self> {
        let (is_negative, digits) = match text {
            [b'-', rest @ ..] => (true, rest),
            [b'+', rest @ ..] => (false, rest),
            _ => (false, text),
        };
        let (mut units, mut scale, mut number, mut has_point) = (0i128, 0u32, 0usize, false);
        for &byte in digits {
            match byte {
                b'0'..=b'9' => {
                    units = units.checked_mul(10)?.checked_add(i128::from(byte - b'0'))?;
                    scale += u32::from(has_point);
                    number += 1;
                }
                b'.' if !has_point => has_point = true,
                _ => return None,
            }
        }
        if number == 0 || scale as usize > MOST_DIGITS {
            return None;
        }
        Some(Decimal { units: if is_negative { -units } else { units }, scale })
    }

    /// A multiple of 10^-scale.
    pub fn of_units(units: i128, scale: u32) -> Self {
        Decimal { units, scale }
    }

    /// Round to a number of fraction digits; a half goes up, or to the even neighbour.
    pub fn rounded(&self, digits: u32, to_even: bool) -> Option<Self> {
        if self.scale <= digits {
            return Some(*self);
        }
        let unit = 10i128.checked_pow(self.scale - digits)?;
        let (whole, rest) = (self.units.div_euclid(unit), self.units.rem_euclid(unit));
        let up = rest > unit - rest || (rest == unit - rest && (!to_even || whole & 1 == 1));
        Some(Decimal { units: whole + i128::from(up), scale: digits })
    }

    /// Whether it is zero.
    pub fn is_zero(&self) -> bool {
        self.units == 0
    }

    /// Whether it is less than zero.
    pub fn is_negative(&self) -> bool {
        self.units < 0
    }

    /// The nearest double.
    pub fn to_double(&self) -> f64 {
        const EXACT: i128 = 1 << 53;
        if -EXACT < self.units && self.units < EXACT && self.scale <= 15 {
            // Both are exact as doubles, so the quotient is the nearest one. There is no negative zero.
            return self.units as f64 / 10f64.powi(self.scale as i32);
        }
        let mut text = Vec::new();
        self.write(&mut text);
        std::str::from_utf8(&text).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
    }

    /// The integral part.
    pub fn truncated(&self) -> Option<i64> {
        i64::try_from(self.units.checked_div(power(self.scale)?)?).ok()
    }

    /// The greatest integer that is not greater.
    pub fn floor(&self) -> Option<Self> {
        Some(Decimal { units: self.units.div_euclid(power(self.scale)?), scale: 0 })
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Option<Self> {
        let (a, b, scale) = aligned(self, other)?;
        Some(Decimal { units: a.checked_add(b)?, scale })
    }

    /// The difference.
    pub fn subtract(self, other: Self) -> Option<Self> {
        self.plus(other.negate()?)
    }

    /// The product.
    pub fn multiply(self, other: Self) -> Option<Self> {
        let scale = self.scale + other.scale;
        (scale as usize <= MOST_DIGITS).then_some(())?;
        Some(Decimal { units: self.units.checked_mul(other.units)?, scale })
    }

    /// The negated number.
    pub fn negate(self) -> Option<Self> {
        Some(Decimal { units: self.units.checked_neg()?, scale: self.scale })
    }

    /// The absolute value.
    pub fn absolute(self) -> Option<Self> {
        Some(Decimal { units: self.units.checked_abs()?, scale: self.scale })
    }

    /// The quotient: exact if it terminates within the available digits, else rounded to them, half to even.
    pub fn divide(self, other: Self) -> Option<Self> {
        let (dividend, divisor) = (self.units.unsigned_abs(), other.units.unsigned_abs());
        if divisor == 0 {
            return None;
        }
        if dividend == 0 {
            return Some(Decimal { units: 0, scale: 0 });
        }
        let magnitude = self.magnitude() - other.magnitude();
        let precision = PRECISION.max(magnitude + 1 + FRACTION);
        if precision > PRECISION || digits(dividend) as i32 >= precision {
            return None;
        }
        let (mut quotient, mut rest) = (dividend / divisor, dividend % divisor);
        let mut scale = self.scale as i64 - other.scale as i64;
        while rest != 0 && (digits(quotient) as i32) < precision {
            rest = rest.checked_mul(10)?;
            quotient = quotient * 10 + rest / divisor;
            rest %= divisor;
            scale += 1;
        }
        if rest != 0 {
            match (rest.checked_mul(2)?).cmp(&divisor) {
                Ordering::Greater => quotient += 1,
                Ordering::Equal => quotient += quotient % 2,
                Ordering::Less => {}
            }
        }
        while scale < 0 {
            quotient = quotient.checked_mul(10)?;
            scale += 1;
        }
        let units = i128::try_from(quotient).ok()?;
        let is_negative = (self.units < 0) != (other.units < 0);
        (scale as usize <= 2 * MOST_DIGITS).then_some(())?;
        Some(Decimal { units: if is_negative { -units } else { units }, scale: scale as u32 })
    }

    /// The integral part of the quotient.
    pub fn integer_divide(self, other: Self) -> Option<i64> {
        let (a, b, _) = aligned(self, other)?;
        i64::try_from(a.checked_div(b)?).ok()
    }

    /// The remainder of such a division; it has the sign of the dividend.
    pub fn modulo(self, other: Self) -> Option<Self> {
        let (a, b, scale) = aligned(self, other)?;
        Some(Decimal { units: a.checked_rem(b)?, scale })
    }

    /// Compare two numbers.
    pub fn compare(self, other: Self) -> Option<Ordering> {
        let (a, b, _) = aligned(self, other)?;
        Some(a.cmp(&b))
    }

    /// Append the canonical form: no exponent, no trailing zeros, no negative zero.
    pub fn write(&self, out: &mut Vec<u8>) {
        let (mut units, mut scale) = (self.units, self.scale as usize);
        while scale > 0 && units % 10 == 0 {
            units /= 10;
            scale -= 1;
        }
        if units < 0 {
            out.push(b'-');
        }
        let digits = units.unsigned_abs().to_string();
        if scale == 0 {
            out.extend_from_slice(digits.as_bytes());
            return;
        }
        let digits = format!("{digits:0>width$}", width = scale + 1);
        let (before, behind) = digits.split_at(digits.len() - scale);
        out.extend_from_slice(before.as_bytes());
        out.push(b'.');
        out.extend_from_slice(behind.as_bytes());
    }

    /// The exponent of its first digit.
    fn magnitude(&self) -> i32 {
        digits(self.units.unsigned_abs()) as i32 - 1 - self.scale as i32
    }
}

fn digits(number: u128) -> u32 {
    number.checked_ilog10().map_or(1, |exponent| exponent + 1)
}

fn power(exponent: u32) -> Option<i128> {
    10i128.checked_pow(exponent)
}

fn aligned(a: Decimal, b: Decimal) -> Option<(i128, i128, u32)> {
    let scale = a.scale.max(b.scale);
    Some((a.units.checked_mul(power(scale - a.scale)?)?, b.units.checked_mul(power(scale - b.scale)?)?, scale))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Decimal {
        Decimal::read(text.as_bytes()).unwrap()
    }

    fn shown(value: Option<Decimal>) -> String {
        let mut out = Vec::new();
        value.unwrap().write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn they_are_written_without_zeros_at_the_end() {
        for (text, canonical) in
            [("1.50", "1.5"), ("-0.0", "0"), ("+5", "5"), (".05", "0.05"), ("100", "100"), ("5.", "5")]
        {
            assert_eq!(shown(Some(read(text))), canonical);
        }
        for text in ["", ".", "1e3", "1.2.3", "--1", "INF"] {
            assert!(Decimal::read(text.as_bytes()).is_none(), "{text}");
        }
    }

    #[test]
    fn quotients_end_or_have_34_digits() {
        assert_eq!(shown(read("1").divide(read("8"))), "0.125");
        assert_eq!(shown(read("10").divide(read("2"))), "5");
        assert_eq!(shown(read("-1").divide(read("3"))), "-0.3333333333333333333333333333333333");
        assert_eq!(shown(read("2").divide(read("3"))), "0.6666666666666666666666666666666667");
        assert_eq!(shown(read("1").divide(read("0.001"))), "1000");
        assert!(read("1").divide(read("0")).is_none());
    }

    #[test]
    fn sums_and_products_are_exact() {
        assert_eq!(shown(read("0.1").plus(read("0.2"))), "0.3");
        assert_eq!(shown(read("1.5").multiply(read("-0.25"))), "-0.375");
        assert_eq!(shown(read("-7.5").modulo(read("2"))), "-1.5");
        assert_eq!(read("-7.5").integer_divide(read("2")), Some(-3));
        assert!(read("99999999999999999999").multiply(read("99999999999999999999")).is_none());
    }

    #[test]
    fn the_nearest_double() {
        for text in ["0.1", "123456789.123456789", "0.000000000000000000001", "12345678901234567890123"] {
            assert_eq!(read(text).to_double(), text.parse::<f64>().unwrap(), "{text}");
        }
    }
}
