//! Comparisons of atomic values (XQuery 3.1 §3.7.1, §3.7.2), strings by code points.

use std::cmp::Ordering;

use super::atom::Atom;
use crate::number::to_double;
use crate::plan::Comparison;
use crate::template::Undecided;

/// A value comparison: untyped values are strings.
pub fn value_holds(comparison: Comparison, left: &Atom<'_>, right: &Atom<'_>) -> Result<bool, Undecided> {
    match (left, right) {
        (Atom::Untyped(a) | Atom::Text(a), Atom::Untyped(b) | Atom::Text(b)) => Ok(comparison.holds(a, b)),
        (Atom::Boolean(a), Atom::Boolean(b)) => Ok(comparison.holds(a, b)),
        (Atom::Integer(a), Atom::Integer(b)) => Ok(comparison.holds(a, b)),
        (Atom::Double(a), Atom::Double(b)) => Ok(comparison.holds(*a, *b)),
        (Atom::Double(_), _) | (_, Atom::Double(_)) => Ok(comparison.holds(left.promoted()?, right.promoted()?)),
        (Atom::Integer(_) | Atom::Decimal(_), Atom::Integer(_) | Atom::Decimal(_)) => {
            let order = left.to_decimal()?.compare(right.to_decimal()?).ok_or(Undecided)?;
            Ok(comparison.holds(order, Ordering::Equal))
        }
        (Atom::Moment(a), Atom::Moment(b)) => Ok(comparison.holds(a.since(b).ok_or(Undecided)?, 0)),
        (Atom::Duration(a), Atom::Duration(b)) => Ok(comparison.holds(a, b)),
        _ => Err(Undecided),
    }
}

/// A pair of a general comparison: an untyped value takes the type of the other one.
#[inline(always)]
pub fn pair_holds(comparison: Comparison, left: &Atom<'_>, right: &Atom<'_>) -> Result<bool, Undecided> {
    match (left, right) {
        (Atom::Untyped(text), Atom::Integer(_) | Atom::Decimal(_) | Atom::Double(_)) => {
            Ok(comparison.holds(to_double(text).ok_or(Undecided)?, right.promoted()?))
        }
        (Atom::Integer(_) | Atom::Decimal(_) | Atom::Double(_), Atom::Untyped(text)) => {
            Ok(comparison.holds(left.promoted()?, to_double(text).ok_or(Undecided)?))
        }
        (Atom::Untyped(_), Atom::Boolean(value)) => Ok(comparison.holds(left.to_boolean()?, *value)),
        (Atom::Boolean(value), Atom::Untyped(_)) => Ok(comparison.holds(*value, right.to_boolean()?)),
        (Atom::Untyped(_), Atom::Moment(moment)) => {
            value_holds(comparison, &Atom::Moment(left.to_moment(moment.kind)?), right)
        }
        (Atom::Moment(moment), Atom::Untyped(_)) => {
            value_holds(comparison, left, &Atom::Moment(right.to_moment(moment.kind)?))
        }
        _ => value_holds(comparison, left, right),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn untyped(text: &'static str) -> Atom<'static> {
        Atom::Untyped(text.as_bytes().into())
    }

    #[test]
    fn untyped_values_are_what_they_are_compared_with() {
        let (ten, nine) = (untyped("10"), untyped("9"));
        assert!(pair_holds(Comparison::Less, &ten, &nine).unwrap());
        assert!(pair_holds(Comparison::Greater, &ten, &Atom::Integer(9)).unwrap());
        assert!(pair_holds(Comparison::Equal, &untyped(" 10 "), &Atom::Integer(10)).unwrap());
        assert!(pair_holds(Comparison::Equal, &untyped("x"), &Atom::Integer(9)).is_err());
        assert!(value_holds(Comparison::Equal, &ten, &Atom::Integer(10)).is_err());
        assert!(pair_holds(Comparison::Equal, &untyped("1"), &Atom::Boolean(true)).unwrap());
    }
}
