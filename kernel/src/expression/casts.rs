//! Casts of atomic values, and whether a value has a type.

use super::atom::{trimmed, Atom};
use super::functions::Target;
use super::moment::{read_duration, Kind};
use crate::number::to_double;
use crate::template::Undecided;

/// Whether a text is certainly not a value of a type.
pub fn is_none(target: Target, text: &[u8]) -> bool {
    match target {
        Target::Double => to_double(text).is_none(),
        // For texts that are not numbers, that is certain whatever their length.
        Target::Integer => !is_number(trimmed(text), false),
        Target::Decimal => !is_number(trimmed(text), true),
        Target::Boolean => !matches!(trimmed(text), b"true" | b"false" | b"0" | b"1"),
        Target::Date | Target::DateTime | Target::Time => !is_made_of(text, b"-:.+TZ"),
        Target::Duration => !is_made_of(text, b"-.PDTHMS"),
        Target::String => false,
    }
}

/// Whether a text has characters, and none but digits and some others.
fn is_made_of(text: &[u8], others: &[u8]) -> bool {
    let text = trimmed(text);
    !text.is_empty() && text.iter().all(|byte| byte.is_ascii_digit() || others.contains(byte))
}

/// Digits, with an optional sign and point.
fn is_number(text: &[u8], may_have_point: bool) -> bool {
    let digits = text.strip_prefix(b"+").or(text.strip_prefix(b"-")).unwrap_or(text);
    let points = digits.iter().filter(|&&byte| byte == b'.').count();
    digits.len() > points
        && points <= usize::from(may_have_point)
        && digits.iter().all(|byte| byte.is_ascii_digit() || *byte == b'.')
}

/// Whether a value has a type, or one derived from it.
pub fn is_of(target: Target, atom: &Atom<'_>) -> bool {
    match atom {
        Atom::Text(_) => target == Target::String,
        Atom::Integer(_) => matches!(target, Target::Integer | Target::Decimal),
        Atom::Decimal(_) => target == Target::Decimal,
        Atom::Double(_) => target == Target::Double,
        Atom::Boolean(_) => target == Target::Boolean,
        Atom::Moment(moment) => {
            target
                == match moment.kind {
                    Kind::Date => Target::Date,
                    Kind::DateTime => Target::DateTime,
                    Kind::Time => Target::Time,
                }
        }
        Atom::Duration(_) => target == Target::Duration,
        Atom::Untyped(_) | Atom::Node(_) => false,
    }
}

/// A value as one of another type.
pub fn cast<'a>(target: Target, atom: Atom<'a>) -> Result<Atom<'a>, Undecided> {
    let in_doubt =
        |_| Undecided { is_error: matches!(&atom, Atom::Untyped(text) | Atom::Text(text) if is_none(target, text)) };
    Ok(match target {
        Target::Double => Atom::Double(atom.to_double().map_err(in_doubt)?),
        Target::Integer => Atom::Integer(atom.to_integer().map_err(in_doubt)?),
        Target::Decimal => Atom::Decimal(atom.to_decimal().map_err(in_doubt)?),
        Target::String => Atom::Text(atom.into_text()),
        Target::Boolean => Atom::Boolean(atom.to_boolean().map_err(in_doubt)?),
        Target::Date => Atom::Moment(atom.to_moment(Kind::Date).map_err(in_doubt)?),
        Target::DateTime => Atom::Moment(atom.to_moment(Kind::DateTime).map_err(in_doubt)?),
        Target::Time => Atom::Moment(atom.to_moment(Kind::Time).map_err(in_doubt)?),
        Target::Duration => match atom {
            Atom::Untyped(ref text) | Atom::Text(ref text) => {
                Atom::Duration(read_duration(trimmed(text)).ok_or(Undecided).map_err(in_doubt)?)
            }
            duration @ Atom::Duration(_) => duration,
            _ => return Err(Undecided),
        },
    })
}
