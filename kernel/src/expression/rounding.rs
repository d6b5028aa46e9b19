//! abs, floor, ceiling and round (F&O 3.1 §4.4), to whole numbers.

use super::atom::Atom;
use super::decimal::Decimal;
use crate::template::Undecided;

/// How a number is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rounding {
    /// Its sign is taken away.
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
        // The result has the sign of the argument, be it zero.
        Rounding::Floor => value.floor().copysign(value),
        Rounding::Ceiling => value.ceil().copysign(value),
        Rounding::Nearest => {
            let below = value.floor();
            // The difference is exact: where a double has digits behind the point, those of its floor end before.
            let up = value - below >= 0.5;
            if up {
                (below + 1.0).copysign(value)
            } else {
                below.copysign(value)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
