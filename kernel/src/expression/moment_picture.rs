//! Dates and times as pictures show them, in English and the Gregorian calendar (F&O 3.1 §9.8).

use super::digits::DigitPattern;
use super::moment::{Field, Moment};

/// A number in a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The year.
    Year,
    /// The month.
    Month,
    /// The day of the month.
    Day,
    /// The day of the year.
    DayInYear,
    /// 1 for Monday to 7 for Sunday.
    Weekday,
    /// The week of ISO 8601.
    Week,
    /// 0 to 23
    Hour,
    /// 1 to 12
    HalfDayHour,
    /// 1 before noon, 2 after it
    HalfDay,
    /// The minute.
    Minute,
    /// The whole second.
    Second,
}

/// A piece of a picture.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Always the same.
    Text(String),
    /// A number in digits, without what is more than a modulus, if there is one.
    Number(Part, DigitPattern, Option<i64>),
    /// A name, of which there is one for each number from 1 on.
    Name(Part, Vec<String>),
    /// Digits of fractional seconds: the fewest and the most.
    Fraction(usize, Option<usize>),
    /// The time zone: what stands before it, the digits of its hours, what separates its minutes, and whether these are
    /// always there; what UTC is written as, if not so.
    Zone(String, usize, String, bool, Option<String>),
}

/// A picture.
#[derive(Clone, Debug, Default)]
pub struct MomentPicture(pub Vec<Piece>);

impl MomentPicture {
    /// Append a moment, which has all that the picture asks for.
    pub fn write(&self, moment: &Moment, out: &mut Vec<u8>) {
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Number(part, pattern, modulus) => {
                    let number = number(moment, *part);
                    pattern.write(modulus.map_or(number, |modulus| number % modulus), out);
                }
                Piece::Name(part, names) => {
                    let place = (number(moment, *part) - 1) as usize;
                    out.extend_from_slice(names.get(place).map_or(b"", String::as_bytes));
                }
                Piece::Fraction(least, most) => fraction(moment.nanoseconds % 1_000_000_000, *least, *most, out),
                Piece::Zone(prefix, hours, separator, has_minutes, utc) => match (moment.zone, utc) {
                    (None, _) => {}
                    (Some(0), Some(utc)) => out.extend_from_slice(utc.as_bytes()),
                    (Some(minutes), _) => {
                        let (size, rest) = (minutes.unsigned_abs() / 60, minutes.unsigned_abs() % 60);
                        let sign = if minutes < 0 { '-' } else { '+' };
                        let mut text = format!("{prefix}{sign}{size:0hours$}");
                        if *has_minutes || rest > 0 {
                            text.push_str(&format!("{separator}{rest:02}"));
                        }
                        out.extend_from_slice(text.as_bytes());
                    }
                },
            }
        }
    }
}

fn number(moment: &Moment, part: Part) -> i64 {
    let hour = moment.field(Field::Hours);
    match part {
        Part::Year => moment.field(Field::Year),
        Part::Month => moment.field(Field::Month),
        Part::Day => moment.field(Field::Day),
        Part::DayInYear => moment.day_in_year(),
        Part::Weekday => moment.day_of_week(),
        Part::Week => moment.week_in_year(),
        Part::Hour => hour,
        Part::HalfDayHour => (hour + 11) % 12 + 1,
        Part::HalfDay => 1 + hour / 12,
        Part::Minute => moment.field(Field::Minutes),
        Part::Second => (moment.nanoseconds / 1_000_000_000 % 60) as i64,
    }
}

/// Digits behind the point, cut off and not rounded.
fn fraction(nanoseconds: u64, least: usize, most: Option<usize>, out: &mut Vec<u8>) {
    let digits = format!("{nanoseconds:09}");
    let kept = digits[..most.unwrap_or(9).min(9)].trim_end_matches('0');
    out.extend_from_slice(kept.as_bytes());
    out.resize(out.len() + least.saturating_sub(kept.len()), b'0');
}

#[cfg(test)]
mod tests {
    use super::super::digits::Grouping;
    use super::super::moment::Kind;
    use super::*;

    fn written(text: &str, pieces: Vec<Piece>) -> String {
        let mut out = Vec::new();
        let moment = Moment::read(text.as_bytes(), Kind::DateTime).unwrap();
        MomentPicture(pieces).write(&moment, &mut out);
        String::from_utf8(out).unwrap()
    }

    fn digits(least: usize) -> DigitPattern {
        DigitPattern { least, groups: Grouping::default(), is_ordinal: false }
    }

    #[test]
    fn numbers_and_names() {
        let names = vec!["am".into(), "pm".into()];
        let pieces = vec![
            Piece::Number(Part::Year, digits(2), Some(100)),
            Piece::Text("/".into()),
            Piece::Number(Part::HalfDayHour, digits(1), None),
            Piece::Name(Part::HalfDay, names),
        ];
        assert_eq!(written("2003-01-01T00:05:00", pieces.clone()), "03/12am");
        assert_eq!(written("2003-01-01T13:05:00", pieces), "03/1pm");
    }

    #[test]
    fn fractions_and_zones() {
        let zone = |utc: Option<&str>| Piece::Zone("GMT".into(), 2, ":".into(), false, utc.map(String::from));
        let pieces = vec![Piece::Fraction(1, Some(3)), zone(None)];
        assert_eq!(written("2003-01-01T00:05:00.1239-05:30", pieces.clone()), "123GMT-05:30");
        assert_eq!(written("2003-01-01T00:05:00Z", pieces.clone()), "0GMT+00");
        assert_eq!(written("2003-01-01T00:05:00.5", pieces), "5");
        assert_eq!(written("2003-01-01T00:05:00Z", vec![zone(Some("Z"))]), "Z");
    }
}
