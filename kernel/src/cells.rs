//! Values of rows in a table: the Rust side of `xylem.plan.result_template`, which defines the meaning of cells.

use crate::expression::{Atom, Expression, Kind};
use crate::number::{short_integer, to_double, trimmed};
use crate::template::{Reach, Undecided, ValueOf, Values};

/// Ends a cell.
pub const END_OF_CELL: u8 = 0x1F;
/// Marks a cell without a value.
pub const NULL: u8 = 0x1E;
/// Ends a member of a list.
pub const END_OF_MEMBER: u8 = 0x1D;
/// Delimits the values that fill a hole of a template.
pub const HOLE: u8 = 0x1C;

/// The required type of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Any text.
    Text,
    /// An xs:integer of a number of bits.
    Integer(u32),
    /// An xs:double.
    Double,
    /// Any text: NaN if it is not a number.
    Number,
    /// An xs:decimal.
    Decimal,
    /// An xs:date.
    Date,
    /// An xs:dateTime.
    DateTime,
    /// An xs:boolean.
    Boolean,
}

/// The source of a cell's value.
#[derive(Clone, Debug)]
pub enum Content {
    /// A constant; None for no value.
    Constant(Option<String>),
    /// The input.
    Values(Values),
    /// The number of nodes.
    Count(Reach, ValueOf),
    /// An expression over the record.
    Computed(Expression),
}

/// One value of a row.
#[derive(Clone, Debug)]
pub struct Cell {
    /// Its source.
    pub content: Content,
    /// The required type of each text.
    pub reading: Reading,
    /// Whether it may have any number of members.
    pub is_list: bool,
    /// The placeholder for a missing value; None for null.
    pub missing: Option<String>,
}

/// Whether no text contains the separators of cells: only XML 1.1 allows these characters.
pub fn is_plain(text: &[u8]) -> bool {
    !text.iter().any(|byte| (END_OF_MEMBER..=END_OF_CELL).contains(byte))
}

impl Reading {
    /// Whether a column of this type takes a computed value unchanged. Others are left to the query.
    pub fn takes(self, atom: &Atom) -> bool {
        match self {
            Reading::Text => true,
            Reading::Integer(_) => matches!(atom, Atom::Integer(_)),
            Reading::Double | Reading::Number => matches!(atom, Atom::Double(_) | Atom::Integer(_) | Atom::Decimal(_)),
            Reading::Decimal => matches!(atom, Atom::Decimal(_) | Atom::Integer(_)),
            Reading::Date | Reading::DateTime => matches!(atom, Atom::Moment(moment) if moment.kind != Kind::Time),
            Reading::Boolean => matches!(atom, Atom::Boolean(_)),
        }
    }

    /// Normalise a text, which extends from an index to the end, into a form that every reader of tables takes. Wrong
    /// texts and rare spellings are left to the query.
    pub fn settle(self, out: &mut Vec<u8>, start: usize) -> Result<(), Undecided> {
        let text = trimmed(&out[start..]);
        match self {
            Reading::Text => return Ok(()),
            Reading::Integer(bits) => {
                let number = short_integer(text).ok_or(Undecided)?;
                let most = 1i64.checked_shl(bits - 1).filter(|most| *most > 0).unwrap_or(i64::MAX);
                if number >= most || number < -most {
                    return Err(Undecided);
                }
                return replace(out, start, number.to_string().as_bytes());
            }
            Reading::Double => {
                to_double(text).ok_or(Undecided)?;
            }
            Reading::Number if to_double(text).is_none() => return replace(out, start, b"NaN"),
            Reading::Number => {}
            Reading::Decimal if !is_decimal(text) => return Err(Undecided),
            Reading::Decimal => {}
            Reading::Date => {
                let date = text.strip_suffix(b"Z").unwrap_or(text).to_vec();
                return if is_date(&date) { replace(out, start, &date) } else { Err(Undecided) };
            }
            Reading::DateTime => {
                let moment = with_zone(text).ok_or(Undecided)?;
                return replace(out, start, &moment);
            }
            Reading::Boolean => {
                let value: &[u8] = match text {
                    b"true" | b"1" => b"true",
                    b"false" | b"0" => b"false",
                    _ => return Err(Undecided),
                };
                return replace(out, start, value);
            }
        }
        let text = text.strip_prefix(b"+").unwrap_or(text);
        if text.len() < out.len() - start {
            let text = text.to_vec();
            return replace(out, start, &text);
        }
        Ok(())
    }
}

fn replace(out: &mut Vec<u8>, start: usize, text: &[u8]) -> Result<(), Undecided> {
    out.truncate(start);
    out.extend_from_slice(text);
    Ok(())
}

/// Whether a text is an xs:decimal with digits on both sides of its point, and no more than a table holds.
fn is_decimal(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let point = digits.iter().position(|&byte| byte == b'.');
    let (whole, part) = point.map_or((digits, None), |at| (&digits[..at], Some(&digits[at + 1..])));
    let are_digits = |text: &[u8], most: usize| (1..=most).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    are_digits(whole, 20) && part.is_none_or(|part| are_digits(part, 18))
}

fn number(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + u32::from(byte - b'0')))
}

/// Whether a text is an xs:date of the years 1 to 9999, without a time zone.
fn is_date(text: &[u8]) -> bool {
    if text.len() != 10 || text[4] != b'-' || text[7] != b'-' {
        return false;
    }
    let (Some(year), Some(month), Some(day)) = (number(&text[..4]), number(&text[5..7]), number(&text[8..])) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let days = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    year > 0 && (1..=days).contains(&day)
}

/// An xs:dateTime of the years 1 to 9999, no finer than microseconds; UTC if it has no time zone.
fn with_zone(text: &[u8]) -> Option<Vec<u8>> {
    let (date, rest) = text.split_at_checked(10)?;
    let (time, rest) = rest.split_at_checked(9)?;
    let is_time = time[0] == b'T' && time[3] == b':' && time[6] == b':';
    let in_range = number(&time[1..3])? < 24 && number(&time[4..6])? < 60 && number(&time[7..9])? < 60;
    if !is_date(date) || !is_time || !in_range {
        return None;
    }
    let mut zone = rest;
    if let Some(fraction) = rest.strip_prefix(b".") {
        let digits = fraction.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=6).contains(&digits) {
            return None;
        }
        zone = &fraction[digits..];
    }
    let mut moment = text[..text.len() - zone.len()].to_vec();
    match zone {
        b"" | b"Z" => moment.push(b'Z'),
        [b'+' | b'-', hours @ .., b':', ten, one] if hours.len() == 2 => {
            if number(hours)? > 13 || number(&[*ten, *one])? > 59 {
                return None;
            }
            moment.extend_from_slice(zone);
        }
        _ => return None,
    }
    Some(moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(reading: Reading, text: &str) -> Option<String> {
        let mut out = b"before".to_vec();
        out.extend_from_slice(text.as_bytes());
        reading.settle(&mut out, 6).ok().map(|()| String::from_utf8(out.split_off(6)).unwrap())
    }

    #[test]
    fn values_are_written_in_one_way() {
        for (reading, text, written) in [
            (Reading::Text, " a ", " a "),
            (Reading::Integer(64), " +007\n", "7"),
            (Reading::Integer(8), "-128", "-128"),
            (Reading::Double, " +1.5e3", "1.5e3"),
            (Reading::Double, "-INF", "-INF"),
            (Reading::Number, "many", "NaN"),
            (Reading::Decimal, "+12.50", "12.50"),
            (Reading::Date, " 2024-02-29Z", "2024-02-29"),
            (Reading::DateTime, "2024-02-29T23:59:59.5", "2024-02-29T23:59:59.5Z"),
            (Reading::DateTime, "2024-02-29T23:59:59-05:30", "2024-02-29T23:59:59-05:30"),
            (Reading::Boolean, " 1 ", "true"),
        ] {
            assert_eq!(settled(reading, text).as_deref(), Some(written), "{reading:?} {text}");
        }
    }

    #[test]
    fn what_is_wrong_or_unusual_is_left_to_the_query() {
        for (reading, text) in [
            (Reading::Integer(64), "1.0"),
            (Reading::Integer(64), ""),
            (Reading::Integer(8), "128"),
            (Reading::Double, "inf"),
            (Reading::Decimal, "1e3"),
            (Reading::Decimal, ".5"),
            (Reading::Decimal, "0.1234567890123456789"),
            (Reading::Date, "2023-02-29"),
            (Reading::Date, "0000-01-01"),
            (Reading::Date, "-2023-01-01"),
            (Reading::Date, "2023-01-01+01:00"),
            (Reading::DateTime, "2024-01-01T24:00:00"),
            (Reading::DateTime, "2024-01-01T00:00:00.1234567"),
            (Reading::DateTime, "2024-01-01T00:00:00+14:01"),
            (Reading::DateTime, "2024-01-01"),
            (Reading::Boolean, "True"),
        ] {
            assert_eq!(settled(reading, text), None, "{reading:?} {text}");
        }
        assert!(!is_plain(b"a\x1eb"));
    }
}
