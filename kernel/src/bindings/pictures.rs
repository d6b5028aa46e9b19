//! Pictures as the tuples Python hands over: a word first that says of what they are.

use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::expression::unknown;
use super::template::word;
use crate::expression::{DigitPattern, Grouping, Half, Kind, MomentPicture, NumberPicture, Part, Picture, Piece};

type GroupingTuple = (Vec<(usize, String)>, usize);
type DigitsTuple = (usize, GroupingTuple, bool);
type HalfTuple = (String, String, u32, usize, (usize, usize), GroupingTuple, Vec<usize>);

/// ("number", half, half, point, separator, nan, infinity), ("integer", digits) or ("moment", kind, [piece…])
pub fn picture(tuple: &Bound<'_, PyTuple>) -> PyResult<Picture> {
    Ok(match word(tuple)?.as_str() {
        "number" => {
            let halves = [half(tuple.get_item(1)?.extract()?), half(tuple.get_item(2)?.extract()?)];
            let [point, separator, nan, infinity]: [String; 4] = tuple.get_slice(3, 7).to_list().extract()?;
            Picture::Number(Box::new(NumberPicture { halves, point, separator, nan, infinity }))
        }
        "integer" => Picture::Integer(digits(tuple.get_item(1)?.extract()?)),
        "moment" => {
            let kind = match tuple.get_item(1)?.extract::<String>()?.as_str() {
                "date" => Kind::Date,
                "dateTime" => Kind::DateTime,
                "time" => Kind::Time,
                other => return Err(unknown(other)),
            };
            let pieces: Vec<Bound<'_, PyTuple>> = tuple.get_item(2)?.extract()?;
            Picture::Moment(kind, MomentPicture(pieces.iter().map(piece).collect::<PyResult<_>>()?))
        }
        other => return Err(unknown(other)),
    })
}

/// ("text", text), ("digits", part, digits, modulus), ("name", part, names), ("fraction", least, most) or
/// ("zone", prefix, digits of the hour, separator, has minutes, UTC)
fn piece(tuple: &Bound<'_, PyTuple>) -> PyResult<Piece> {
    Ok(match word(tuple)?.as_str() {
        "text" => Piece::Text(tuple.get_item(1)?.extract()?),
        "digits" => Piece::Number(part(tuple)?, digits(tuple.get_item(2)?.extract()?), tuple.get_item(3)?.extract()?),
        "name" => Piece::Name(part(tuple)?, tuple.get_item(2)?.extract()?),
        "fraction" => Piece::Fraction(tuple.get_item(1)?.extract()?, tuple.get_item(2)?.extract()?),
        "zone" => {
            let (_, prefix, hours, separator, has_minutes, utc): (String, String, usize, String, bool, Option<String>) =
                tuple.extract()?;
            Piece::Zone(prefix, hours, separator, has_minutes, utc)
        }
        other => return Err(unknown(other)),
    })
}

/// By the letter that pictures have for it.
fn part(tuple: &Bound<'_, PyTuple>) -> PyResult<Part> {
    Ok(match tuple.get_item(1)?.extract::<String>()?.as_str() {
        "Y" => Part::Year,
        "M" => Part::Month,
        "D" => Part::Day,
        "d" => Part::DayInYear,
        "F" => Part::Weekday,
        "W" => Part::Week,
        "H" => Part::Hour,
        "h" => Part::HalfDayHour,
        "P" => Part::HalfDay,
        "m" => Part::Minute,
        "s" => Part::Second,
        other => return Err(unknown(other)),
    })
}

fn half(tuple: HalfTuple) -> Half {
    let (prefix, suffix, power, integer, fraction, groups, fraction_groups) = tuple;
    Half { prefix, suffix, power, integer, fraction, groups: grouping(groups), fraction_groups }
}

fn digits((least, groups, is_ordinal): DigitsTuple) -> DigitPattern {
    DigitPattern { least, groups: grouping(groups), is_ordinal }
}

fn grouping((places, regular): GroupingTuple) -> Grouping {
    Grouping { places, regular }
}
