//! abs, floor, ceiling and round (F&O 3.1 §4.4), to whole numbers and to fraction digits.

use super::atom::Atom;
use super::decimal::Decimal;
use crate::template::Undecided;

/// How to round a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Absolute value.
    Absolute,
    /// Down.
    Floor,
    /// Up.
    Ceiling,
    /// To the nearest, half up.
    Nearest,
}

/// A number, rounded.
pub fn rounded(rounding: Rounding, number: &Atom<'_>) -> Result<Atom<'static>, Undecided> {
    match number {
        Atom::Integer(value) if rounding == Rounding::Absolute => {
            value.checked_abs().map(Atom::Integer).ok_or(Undecided)
        }
        Atom::Integer(value) => Ok(Atom::Integer(*value)),
        Atom::Decimal(value) => of_decimal(rounding, *value).map(Atom::Decimal).ok_or(Undecided),
        Atom::Double(value) => Ok(Atom::Double(of_double(rounding, *value))),
        _ => Err(Undecided),
    }
}

fn of_decimal(rounding: Rounding, value: Decimal) -> Option<Decimal> {
    match rounding {
        Rounding::Absolute => value.absolute(),
        Rounding::Floor => value.floor(),
        Rounding::Ceiling => value.negate()?.floor()?.negate(),
        Rounding::Nearest => value.plus(Decimal::read(b"0.5")?)?.floor(),
    }
}

fn of_double(rounding: Rounding, value: f64) -> f64 {
    match rounding {
        Rounding::Absolute => value.abs(),
        // The result has the sign of the argument, even if it is zero.
        Rounding::Floor => value.floor().copysign(value),
        Rounding::Ceiling => value.ceil().copysign(value),
        Rounding::Nearest => {
            let below = value.floor();
            // The difference is exact: if a double has fraction digits, those of its floor end before.
            let up = value - below >= 0.5;
            if up {
                (below + 1.0).copysign(value)
            } else {
                below.copysign(value)
            }
        }
    }
}

/// Most fraction digits: with more, the numbers below would be too long.
const MOST_DIGITS: u32 = 15;

/// A number rounded to a number of fraction digits; a half goes up, or to the even neighbour.
pub fn rounded_to(number: &Atom<'_>, digits: u32, to_even: bool) -> Result<Atom<'static>, Undecided> {
    match number {
        _ if digits > MOST_DIGITS => Err(Undecided),
        Atom::Integer(value) => Ok(Atom::Integer(*value)),
        Atom::Decimal(value) => value.rounded(digits, to_even).map(Atom::Decimal).ok_or(Undecided),
        Atom::Double(value) => double_to(*value, digits, to_even).map(Atom::Double).ok_or(Undecided),
        _ => Err(Undecided),
    }
}

/// A double is a multiple of 2^-k: times 10^digits, it is divided by that exactly.
fn double_to(value: f64, digits: u32, to_even: bool) -> Option<f64> {
    const WHOLE_FROM: f64 = 9_007_199_254_740_992.0;
    if !value.is_finite() || value == 0.0 || value.abs() >= WHOLE_FROM {
        return Some(value);
    }
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) & 0x7FF, bits & ((1 << 52) - 1));
    if exponent == 0 {
        return Some(0f64.copysign(value));
    }
    let units = u128::from(fraction | 1 << 52) * 10u128.pow(digits);
    // Below 2^53, so there are binary fraction digits.
    let places = 1075 - exponent;
    if places > 120 {
        return Some(0f64.copysign(value));
    }
    let (whole, rest, half) = (units >> places, units & ((1 << places) - 1), 1u128 << places >> 1);
    let is_negative = value < 0.0;
    let goes_away = rest > half || (places > 0 && rest == half && if to_even { whole & 1 == 1 } else { !is_negative });
    let found = Decimal::of_units(i128::try_from(whole + u128::from(goes_away)).ok()?, digits).to_double();
    Some(found.copysign(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_behind_the_point() {
        for (value, digits, up, even) in [
            (2.345, 2, 2.35, 2.35),
            (1.005, 2, 1.0, 1.0),
            (0.125, 2, 0.13, 0.12),
            (-0.125, 2, -0.12, -0.12),
            (-0.375, 2, -0.37, -0.38),
            (2.5, 0, 3.0, 2.0),
            (1e-300, 3, 0.0, 0.0),
            (123_456_789.987_654_33, 3, 123_456_789.988, 123_456_789.988),
            (7.0, 15, 7.0, 7.0),
        ] {
            assert_eq!(double_to(value, digits, false), Some(up), "{value}");
            assert_eq!(double_to(value, digits, true), Some(even), "{value}");
        }
        assert_eq!(double_to(-0.001, 2, false).map(f64::to_bits), Some((-0.0f64).to_bits()));
    }

    #[test]
    fn half_goes_up_and_signs_stay() {
        for (value, nearest) in
            [(2.5, 3.0), (-2.5, -2.0), (0.499_999_999_999_999_94, 0.0), (-0.5, -0.0), (1e300, 1e300)]
        {
            assert_eq!(of_double(Rounding::Nearest, value).to_bits(), f64::to_bits(nearest), "{value}");
        }
        assert_eq!(of_double(Rounding::Ceiling, -0.5).to_bits(), (-0.0f64).to_bits());
        assert!(of_double(Rounding::Floor, f64::NAN).is_nan());
    }
}
