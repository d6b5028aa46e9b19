//! The arithmetic operators (F&O 3.1 §4.2): integers and decimals exactly, doubles by IEEE 754.

use super::atom::{whole, Atom};
use super::decimal::Decimal;
use crate::template::Undecided;

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `div`
    Divide,
    /// `idiv`
    IntegerDivide,
    /// `mod`
    Modulo,
}

/// Apply an operator to two numbers.
#[inline(always)]
pub fn applied(operator: Operator, left: &Atom<'_>, right: &Atom<'_>) -> Result<Atom<'static>, Undecided> {
    match (left, right) {
        (Atom::Double(a), Atom::Double(b)) => of_doubles(operator, *a, *b),
        (Atom::Integer(a), Atom::Integer(b)) => of_integers(operator, *a, *b),
        (Atom::Double(_), _) | (_, Atom::Double(_)) => of_doubles(operator, left.promoted()?, right.promoted()?),
        _ => of_decimals(operator, exact(left)?, exact(right)?).ok_or(Undecided),
    }
}

fn exact(number: &Atom<'_>) -> Result<Decimal, Undecided> {
    match number {
        Atom::Integer(value) => Ok(Decimal::from(*value)),
        Atom::Decimal(value) => Ok(*value),
        _ => Err(Undecided),
    }
}

fn of_integers(operator: Operator, a: i64, b: i64) -> Result<Atom<'static>, Undecided> {
    let found = match operator {
        Operator::Add => a.checked_add(b),
        Operator::Subtract => a.checked_sub(b),
        Operator::Multiply => a.checked_mul(b),
        Operator::IntegerDivide => a.checked_div(b),
        Operator::Modulo => a.checked_rem(b),
        Operator::Divide => {
            return Decimal::from(a).divide(Decimal::from(b)).map(Atom::Decimal).ok_or(Undecided);
        }
    };
    found.map(Atom::Integer).ok_or(Undecided)
}

fn of_decimals(operator: Operator, a: Decimal, b: Decimal) -> Option<Atom<'static>> {
    match operator {
        Operator::Add => a.plus(b).map(Atom::Decimal),
        Operator::Subtract => a.subtract(b).map(Atom::Decimal),
        Operator::Multiply => a.multiply(b).map(Atom::Decimal),
        Operator::Divide => a.divide(b).map(Atom::Decimal),
        Operator::IntegerDivide => a.integer_divide(b).map(Atom::Integer),
        Operator::Modulo => a.modulo(b).map(Atom::Decimal),
    }
}

#[inline(always)]
fn of_doubles(operator: Operator, a: f64, b: f64) -> Result<Atom<'static>, Undecided> {
    Ok(Atom::Double(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo => a % b,
        Operator::IntegerDivide if b == 0.0 || b.is_nan() => return Err(Undecided),
        Operator::IntegerDivide => return whole(a / b).map(Atom::Integer).ok_or(Undecided),
    }))
}

/// Unary minus.
pub fn negated(number: Atom<'static>) -> Result<Atom<'static>, Undecided> {
    Ok(match number {
        Atom::Integer(value) => Atom::Integer(value.checked_neg().ok_or(Undecided)?),
        Atom::Decimal(value) => Atom::Decimal(value.negate().ok_or(Undecided)?),
        Atom::Double(value) => Atom::Double(-value),
        _ => return Err(Undecided),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(operator: Operator, a: Atom<'static>, b: Atom<'static>) -> String {
        applied(operator, &a, &b).map_or("?".into(), |found| String::from_utf8(found.into_text().into_owned()).unwrap())
    }

    #[test]
    fn integers_do_not_overflow() {
        let (most, two) = (|| Atom::Integer(i64::MAX), || Atom::Integer(2));
        assert_eq!(shown(Operator::Multiply, most(), two()), "?");
        assert_eq!(shown(Operator::Add, most(), two()), "?");
        assert_eq!(shown(Operator::IntegerDivide, Atom::Integer(-7), two()), "-3");
        assert_eq!(shown(Operator::Modulo, Atom::Integer(-7), two()), "-1");
        assert_eq!(shown(Operator::Divide, Atom::Integer(7), two()), "3.5");
        assert_eq!(shown(Operator::Divide, Atom::Integer(7), Atom::Integer(0)), "?");
    }

    #[test]
    fn doubles_never_fail_but_by_idiv() {
        let (one, zero) = (|| Atom::Double(1.0), || Atom::Integer(0));
        assert_eq!(shown(Operator::Divide, one(), zero()), "INF");
        assert_eq!(shown(Operator::Modulo, one(), zero()), "NaN");
        assert_eq!(shown(Operator::Modulo, one(), Atom::Double(f64::INFINITY)), "1");
        assert_eq!(shown(Operator::IntegerDivide, one(), zero()), "?");
        assert_eq!(shown(Operator::IntegerDivide, Atom::Double(7.5), Atom::Double(f64::INFINITY)), "0");
    }
}
