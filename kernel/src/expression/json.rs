//! Maps, arrays and values in the json output method (Serialization 3.1 §9), without indentation.

use super::atom::{write_integer, Atom};
use super::evaluation::Evaluation;
use super::Expression;
use crate::template::{Reach, Undecided};

/// A value that is written as JSON.
#[derive(Clone, Debug)]
pub enum Json {
    /// One atomic value, or null.
    Value(Expression),
    /// Distinct keys and their values.
    Map(Vec<(String, Json)>),
    /// Its members.
    Array(Vec<Member>),
    /// One of two, by a condition.
    When(Expression, Box<[Json; 2]>),
}

/// Members of an array.
#[derive(Clone, Debug)]
pub enum Member {
    /// A single member.
    One(Json),
    /// Each atomic value is a member.
    Values(Expression),
    /// The members for each of some elements, in a loop over them.
    Each(Reach, Vec<Member>),
    /// One of two lists, by a condition.
    When(Expression, [Vec<Member>; 2]),
}

impl Json {
    /// Append it.
    pub fn write<'a>(&'a self, evaluation: &Evaluation<'a, '_>, out: &mut Vec<u8>) -> Result<(), Undecided> {
        match self {
            Json::Value(expression) => match evaluation.one(expression)? {
                Some(atom) => write_atom(&atom, out)?,
                None => out.extend_from_slice(b"null"),
            },
            Json::Map(entries) => {
                out.push(b'{');
                for (number, (key, value)) in entries.iter().enumerate() {
                    if number > 0 {
                        out.push(b',');
                    }
                    write_text(key.as_bytes(), out);
                    out.push(b':');
                    value.write(evaluation, out)?;
                }
                out.push(b'}');
            }
            Json::Array(members) => {
                out.push(b'[');
                let start = out.len();
                write_members(members, evaluation, start, out)?;
                out.push(b']');
            }
            Json::When(test, choices) => choices[usize::from(!evaluation.truth(test)?)].write(evaluation, out)?,
        }
        Ok(())
    }
}

/// Append members of an array whose first one begins at an index.
fn write_members<'a>(
    members: &'a [Member],
    evaluation: &Evaluation<'a, '_>,
    start: usize,
    out: &mut Vec<u8>,
) -> Result<(), Undecided> {
    for member in members {
        match member {
            Member::One(json) => {
                set_off(start, out);
                json.write(evaluation, out)?;
            }
            Member::Values(expression) => evaluation.each(expression, &mut |atom| {
                set_off(start, out);
                write_atom(&atom, out)
            })?,
            Member::Each(reach, inner) => {
                evaluation.each_turn(reach, None, &mut |turn| write_members(inner, turn, start, out))?;
            }
            Member::When(test, choices) => {
                write_members(&choices[usize::from(!evaluation.truth(test)?)], evaluation, start, out)?;
            }
        }
    }
    Ok(())
}

fn set_off(start: usize, out: &mut Vec<u8>) {
    if out.len() > start {
        out.push(b',');
    }
}

/// Append an atomic value; numbers that JSON does not have are an error.
pub fn write_atom(atom: &Atom<'_>, out: &mut Vec<u8>) -> Result<(), Undecided> {
    match atom {
        Atom::Untyped(text) | Atom::Text(text) => write_text(text, out),
        Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_) => return Err(Undecided),
        Atom::Double(value) if !value.is_finite() => return Err(Undecided),
        // Any form is allowed, so whole numbers are written as such.
        Atom::Double(value) if (1e6..1e15).contains(&value.abs()) && value.fract() == 0.0 => {
            write_integer(*value as i64, out);
        }
        other => other.write(out),
    }
    Ok(())
}

/// Append a string with its quotation marks.
fn write_text(text: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    let mut done = 0;
    for (place, &byte) in text.iter().enumerate() {
        // 80 to 9F are two bytes in UTF-8, of which the first is C2.
        let is_control = byte == 0xC2 && text.get(place + 1).is_some_and(|&next| next < 0xA0);
        if byte >= 0x20 && !matches!(byte, b'"' | b'\\' | b'/' | 0x7F) && !is_control {
            continue;
        }
        out.extend_from_slice(&text[done..place]);
        done = place + 1;
        let short = match byte {
            b'"' | b'\\' | b'/' => byte,
            0x08 => b'b',
            0x0C => b'f',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                let code = if is_control { text[place + 1] } else { byte };
                done += usize::from(is_control);
                out.extend_from_slice(format!("\\u{code:04X}").as_bytes());
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
    out.extend_from_slice(&text[done..]);
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_escaped() {
        let mut out = Vec::new();
        write_text("a/\"\\\n\u{1}\u{7f}\u{85}é".as_bytes(), &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), r#""a\/\"\\\n\u0001\u007F\u0085é""#);
    }

    #[test]
    fn numbers_that_json_has_not() {
        let mut out = Vec::new();
        assert!(write_atom(&Atom::Double(f64::NAN), &mut out).is_err());
        assert!(write_atom(&Atom::Double(1e6), &mut out).is_ok());
        assert_eq!(out, b"1000000");
    }
}
