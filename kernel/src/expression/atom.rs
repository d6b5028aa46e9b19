//! Atomic values, and conversions between them.

use std::borrow::Cow;

use super::decimal::Decimal;
use super::moment::{write_duration, Kind, Moment};
use super::number_text::write_double;
use crate::characters::is_space;
use crate::number::{short_integer, to_double};
use crate::template::Undecided;

/// An atomic value. Texts are UTF-8.
#[derive(Clone, Debug)]
pub enum Atom<'a> {
    /// xs:untypedAtomic: the type of values of input nodes.
    Untyped(Cow<'a, [u8]>),
    /// xs:string
    Text(Cow<'a, [u8]>),
    /// xs:integer
    Integer(i64),
    /// xs:decimal
    Decimal(Decimal),
    /// xs:double
    Double(f64),
    /// xs:boolean
    Boolean(bool),
    /// xs:date, xs:dateTime or xs:time
    Moment(Moment),
    /// xs:dayTimeDuration, in nanoseconds
    Duration(i128),
    /// A node of the record, by its row: only where items are wanted (`Evaluation::items`), and in slots.
    Node(usize),
}

/// The values of an expression.
#[derive(Clone, Debug, Default)]
pub enum Value<'a> {
    /// None.
    #[default]
    Empty,
    /// One.
    One(Atom<'a>),
    /// Several.
    Many(Vec<Atom<'a>>),
}

impl<'a> Value<'a> {
    /// A position.
    pub fn position(number: usize) -> Self {
        Value::One(Atom::Integer(number as i64))
    }

    /// Add a value.
    pub fn push(&mut self, atom: Atom<'a>) {
        *self = match std::mem::take(self) {
            Value::Empty => Value::One(atom),
            Value::One(first) => Value::Many(vec![first, atom]),
            Value::Many(mut atoms) => {
                atoms.push(atom);
                Value::Many(atoms)
            }
        }
    }

    /// The values, in their order.
    pub fn atoms(&self) -> &[Atom<'a>] {
        match self {
            Value::Empty => &[],
            Value::One(atom) => std::slice::from_ref(atom),
            Value::Many(atoms) => atoms,
        }
    }

    /// Owned copies of the values.
    pub fn into_atoms(self) -> Vec<Atom<'a>> {
        match self {
            Value::Empty => Vec::new(),
            Value::One(atom) => vec![atom],
            Value::Many(atoms) => atoms,
        }
    }

    /// Owned copies of the values, independent of any document.
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Value::Empty => Value::Empty,
            Value::One(atom) => Value::One(atom.into_owned()),
            Value::Many(atoms) => Value::Many(atoms.into_iter().map(Atom::into_owned).collect()),
        }
    }

    /// The only value, None if there is none.
    #[inline(always)]
    pub fn single(self) -> Result<Option<Atom<'a>>, Undecided> {
        match self {
            Value::Empty => Ok(None),
            Value::One(atom) => Ok(Some(atom)),
            Value::Many(_) => Err(Undecided),
        }
    }
}

impl<'a> Atom<'a> {
    /// Where an argument must be a moment of a kind: untyped values become one, others are an error.
    pub fn moment(self, kind: Kind) -> Result<Moment, Undecided> {
        match self {
            Atom::Untyped(_) => self.to_moment(kind),
            Atom::Moment(moment) if moment.kind == kind => Ok(moment),
            _ => Err(Undecided),
        }
    }

    /// As an operand of arithmetic: xs:untypedAtomic becomes xs:double.
    #[inline(always)]
    pub fn number(self) -> Result<Atom<'static>, Undecided> {
        match self {
            Atom::Untyped(text) => to_double(&text).map(Atom::Double).ok_or(Undecided),
            Atom::Integer(value) => Ok(Atom::Integer(value)),
            Atom::Decimal(value) => Ok(Atom::Decimal(value)),
            Atom::Double(value) => Ok(Atom::Double(value)),
            Atom::Text(_) | Atom::Boolean(_) | Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_) => Err(Undecided),
        }
    }

    /// Whether tables and windows know its type.
    pub fn is_plain(&self) -> bool {
        !matches!(self, Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_))
    }

    /// A number promoted to xs:double.
    #[inline(always)]
    pub fn promoted(&self) -> Result<f64, Undecided> {
        match self {
            Atom::Integer(value) => Ok(*value as f64),
            Atom::Decimal(value) => Ok(value.to_double()),
            Atom::Double(value) => Ok(*value),
            _ => Err(Undecided),
        }
    }

    /// A cast to xs:double.
    pub fn to_double(&self) -> Result<f64, Undecided> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => to_double(text).ok_or(Undecided),
            Atom::Boolean(value) => Ok(f64::from(u8::from(*value))),
            number => number.promoted(),
        }
    }

    /// A cast to xs:integer.
    pub fn to_integer(&self) -> Result<i64, Undecided> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => short_integer(trimmed(text)).ok_or(Undecided),
            Atom::Integer(value) => Ok(*value),
            Atom::Decimal(value) => value.truncated().ok_or(Undecided),
            Atom::Double(value) => whole(*value).ok_or(Undecided),
            Atom::Boolean(value) => Ok(i64::from(*value)),
            Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_) => Err(Undecided),
        }
    }

    /// A cast to xs:decimal.
    pub fn to_decimal(&self) -> Result<Decimal, Undecided> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => Decimal::read(trimmed(text)).ok_or(Undecided),
            Atom::Integer(value) => Ok(Decimal::from(*value)),
            Atom::Decimal(value) => Ok(*value),
            // A double has up to a thousand digits as a decimal; whole numbers are converted directly.
            Atom::Double(value) if value.fract() == 0.0 => whole(*value).map(Decimal::from).ok_or(Undecided),
            Atom::Double(_) => Err(Undecided),
            Atom::Boolean(value) => Ok(Decimal::from(i64::from(*value))),
            Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_) => Err(Undecided),
        }
    }

    /// A cast to xs:boolean.
    pub fn to_boolean(&self) -> Result<bool, Undecided> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => match trimmed(text) {
                b"true" | b"1" => Ok(true),
                b"false" | b"0" => Ok(false),
                _ => Err(Undecided),
            },
            Atom::Boolean(value) => Ok(*value),
            other => other.is_true(),
        }
    }

    /// A cast to xs:date, xs:dateTime or xs:time.
    pub fn to_moment(&self, kind: Kind) -> Result<Moment, Undecided> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => Moment::read(trimmed(text), kind).ok_or(Undecided),
            Atom::Moment(moment) => moment.as_kind(kind).ok_or(Undecided),
            _ => Err(Undecided),
        }
    }

    /// The effective boolean value.
    pub fn is_true(&self) -> Result<bool, Undecided> {
        Ok(match self {
            Atom::Untyped(text) | Atom::Text(text) => !text.is_empty(),
            Atom::Integer(value) => *value != 0,
            Atom::Decimal(value) => !value.is_zero(),
            Atom::Double(value) => *value != 0.0 && !value.is_nan(),
            Atom::Boolean(value) => *value,
            Atom::Moment(_) | Atom::Duration(_) => return Err(Undecided),
            Atom::Node(_) => true,
        })
    }

    /// A cast to xs:string.
    pub fn into_text(self) -> Cow<'a, [u8]> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => text,
            other => {
                let mut out = Vec::new();
                other.write(&mut out);
                Cow::Owned(out)
            }
        }
    }

    /// An argument that must be an xs:string: untyped values are converted, others are an error.
    pub fn string(self) -> Result<Cow<'a, [u8]>, Undecided> {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => Ok(text),
            _ => Err(Undecided),
        }
    }

    /// An owned copy of the value, independent of any document.
    pub fn into_owned(self) -> Atom<'static> {
        match self {
            Atom::Untyped(text) => Atom::Untyped(text.into_owned().into()),
            Atom::Text(text) => Atom::Text(text.into_owned().into()),
            Atom::Integer(value) => Atom::Integer(value),
            Atom::Decimal(value) => Atom::Decimal(value),
            Atom::Double(value) => Atom::Double(value),
            Atom::Boolean(value) => Atom::Boolean(value),
            Atom::Moment(value) => Atom::Moment(value),
            Atom::Duration(value) => Atom::Duration(value),
            Atom::Node(row) => Atom::Node(row),
        }
    }

    /// Append the canonical string.
    pub fn write(&self, out: &mut Vec<u8>) {
        match self {
            Atom::Untyped(text) | Atom::Text(text) => out.extend_from_slice(text),
            Atom::Integer(value) => write_integer(*value, out),
            Atom::Decimal(value) => value.write(out),
            Atom::Double(value) => write_double(*value, out),
            Atom::Boolean(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
            Atom::Moment(value) => value.write(out),
            Atom::Duration(value) => write_duration(*value, out),
            // Nothing asks for the text of a node that has not been atomized.
            Atom::Node(_) => {}
        }
    }
}

/// Append an integer.
pub fn write_integer(value: i64, out: &mut Vec<u8>) {
    let mut digits = [0u8; 20];
    let mut place = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        place -= 1;
        digits[place] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(&digits[place..]);
}

/// The integral part of a double.
pub fn whole(value: f64) -> Option<i64> {
    // 2^63 is a double, and the first that is too large.
    (value.abs() < 9_223_372_036_854_775_808.0).then(|| value.trunc() as i64)
}

/// Trimmed of white space.
pub fn trimmed(text: &[u8]) -> &[u8] {
    let start = text.iter().position(|&byte| !is_space(byte)).unwrap_or(text.len());
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_written_to_the_last_digit() {
        for value in [0, 7, -7, 10, i64::MAX, i64::MIN] {
            let mut out = Vec::new();
            write_integer(value, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), value.to_string());
        }
    }

    #[test]
    fn doubles_that_are_no_integers_of_ours() {
        assert_eq!(whole(-7.9), Some(-7));
        assert_eq!(whole(9.3e18), None);
        assert_eq!(whole(f64::NAN), None);
    }
}
