//! xs:date, xs:dateTime, xs:time and xs:dayTimeDuration of everyday size: years 1 to 9999, no finer than nanoseconds.

use super::atom::write_integer;

/// What a moment has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// xs:date
    Date,
    /// xs:dateTime
    DateTime,
    /// xs:time
    Time,
}

/// A date, a time of day, or both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// What it has: of a time the date is one that all times have, of a date the time is midnight.
    pub kind: Kind,
    /// The year.
    pub year: u16,
    /// The month.
    pub month: u8,
    /// The day of the month.
    pub day: u8,
    /// Since midnight.
    pub nanoseconds: u64,
    /// Minutes from UTC.
    pub zone: Option<i16>,
}

/// Year, month and day.
type Day = (u16, u8, u8);

const SECOND: u64 = 1_000_000_000;
const DAY: i128 = 86_400 * SECOND as i128;
/// Times are compared on this day.
const DAY_OF_TIMES: Day = (1972, 12, 31);

/// A part of a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    /// fn:year-from-…
    Year,
    /// fn:month-from-…
    Month,
    /// fn:day-from-…
    Day,
    /// fn:hours-from-…
    Hours,
    /// fn:minutes-from-…
    Minutes,
}

impl Moment {
    /// The moment of a text; None if it has none of that kind, or a rare one.
    pub fn read(text: &[u8], kind: Kind) -> Option<Self> {
        let ((year, month, day), rest) = match kind {
            Kind::Time => (DAY_OF_TIMES, text),
            Kind::Date | Kind::DateTime => day(text)?,
        };
        let (nanoseconds, rest) = match kind {
            Kind::Date => (0, rest),
            Kind::DateTime => time_of_day(rest.strip_prefix(b"T")?)?,
            Kind::Time => time_of_day(rest)?,
        };
        let zone = match rest {
            b"" => None,
            b"Z" => Some(0),
            [sign @ (b'+' | b'-'), a, b, b':', c, d] => {
                let (hours, minutes) = (digits(&[*a, *b])?, digits(&[*c, *d])?);
                if minutes > 59 || hours > 14 || (hours == 14 && minutes > 0) {
                    return None;
                }
                let all = (60 * hours + minutes) as i16;
                Some(if *sign == b'-' { -all } else { all })
            }
            _ => return None,
        };
        Some(Moment { kind, year, month, day, nanoseconds, zone })
    }

    /// The same as another kind: of a date its first instant. A time has no date, and a date no time.
    pub fn as_kind(self, kind: Kind) -> Option<Self> {
        Some(match (self.kind, kind) {
            (Kind::Time, Kind::Time) | (Kind::Date | Kind::DateTime, Kind::DateTime) => Moment { kind, ..self },
            (Kind::Date | Kind::DateTime, Kind::Date) => Moment { kind, nanoseconds: 0, ..self },
            (Kind::DateTime, Kind::Time) => self.on_day_of_times(),
            (Kind::Date, Kind::Time) | (Kind::Time, _) => return None,
        })
    }

    fn on_day_of_times(self) -> Self {
        let (year, month, day) = DAY_OF_TIMES;
        Moment { kind: Kind::Time, year, month, day, ..self }
    }

    /// A date with a time; None where both have a time zone, and not the same one.
    pub fn with_time(self, time: Moment) -> Option<Self> {
        let zone = match (self.zone, time.zone) {
            (Some(one), Some(other)) if one != other => return None,
            (one, other) => one.or(other),
        };
        Some(Moment { kind: Kind::DateTime, nanoseconds: time.nanoseconds, zone, ..self })
    }

    /// The same instant in another time zone; the same fields where one of the two is missing.
    pub fn in_zone(self, zone: Option<i16>) -> Option<Self> {
        let moved = match (self.zone, zone) {
            (Some(old), Some(new)) => {
                let apart = i128::from(new - old) * 60 * i128::from(SECOND);
                // Of a date, its first instant is moved.
                let moved = Moment { kind: Kind::DateTime, ..self }.plus(apart)?;
                if self.kind == Kind::Time {
                    moved.on_day_of_times()
                } else {
                    moved.as_kind(self.kind)?
                }
            }
            _ => self,
        };
        Some(Moment { zone, ..moved })
    }

    /// A part of it.
    pub fn field(&self, field: Field) -> i64 {
        let minutes = self.nanoseconds / SECOND / 60;
        match field {
            Field::Year => self.year.into(),
            Field::Month => self.month.into(),
            Field::Day => self.day.into(),
            Field::Hours => (minutes / 60) as i64,
            Field::Minutes => (minutes % 60) as i64,
        }
    }

    /// The difference to another moment in nanoseconds; None if only one has a time zone.
    pub fn since(&self, other: &Moment) -> Option<i128> {
        if self.kind != other.kind || self.zone.is_some() != other.zone.is_some() {
            return None;
        }
        Some(self.instant() - other.instant())
    }

    /// So many nanoseconds later, of a time perhaps on another day; None where that is in no year of four digits.
    pub fn plus(self, nanoseconds: i128) -> Option<Self> {
        let all = i128::from(days(self.year.into(), self.month.into(), self.day.into())) * DAY
            + i128::from(self.nanoseconds)
            + nanoseconds;
        if self.kind == Kind::Time {
            return Some(Moment { nanoseconds: all.rem_euclid(DAY) as u64, ..self });
        }
        let (year, month, day) = date_of(i64::try_from(all.div_euclid(DAY)).ok()?)?;
        // For a date, the day it falls on.
        let nanoseconds = if self.kind == Kind::Date { 0 } else { all.rem_euclid(DAY) as u64 };
        Some(Moment { year, month, day, nanoseconds, ..self })
    }

    fn instant(&self) -> i128 {
        let minutes = i64::from(self.zone.unwrap_or(0));
        let seconds = 86_400 * days(self.year.into(), self.month.into(), self.day.into()) - 60 * minutes;
        i128::from(seconds) * i128::from(SECOND) + i128::from(self.nanoseconds)
    }

    /// Append the canonical text.
    pub fn write(&self, out: &mut Vec<u8>) {
        if self.kind != Kind::Time {
            padded(self.year.into(), 4, out);
            for part in [self.month, self.day] {
                out.push(b'-');
                padded(part.into(), 2, out);
            }
        }
        if self.kind == Kind::DateTime {
            out.push(b'T');
        }
        if self.kind != Kind::Date {
            padded(self.field(Field::Hours) as u64, 2, out);
            out.push(b':');
            padded(self.field(Field::Minutes) as u64, 2, out);
            out.push(b':');
            padded(self.nanoseconds / SECOND % 60, 2, out);
            fraction(self.nanoseconds % SECOND, out);
        }
        match self.zone {
            None => {}
            Some(0) => out.push(b'Z'),
            Some(minutes) => {
                out.push(if minutes < 0 { b'-' } else { b'+' });
                padded(u64::from(minutes.unsigned_abs()) / 60, 2, out);
                out.push(b':');
                padded(u64::from(minutes.unsigned_abs()) % 60, 2, out);
            }
        }
    }
}

/// What follows from a date.
impl Moment {
    /// 1 for the first of January.
    pub fn day_in_year(&self) -> i64 {
        let year = i64::from(self.year);
        days(year, self.month.into(), self.day.into()) - days(year, 1, 1) + 1
    }

    /// 1 for Monday to 7 for Sunday.
    pub fn day_of_week(&self) -> i64 {
        // The first of March of the year 0 is a Wednesday, and has the number 1.
        (days(self.year.into(), self.month.into(), self.day.into()) + 1).rem_euclid(7) + 1
    }

    /// The week of ISO 8601: the first of a year has its first Thursday.
    pub fn week_in_year(&self) -> i64 {
        let number = days(self.year.into(), self.month.into(), self.day.into());
        let thursday = number + 4 - self.day_of_week();
        let year = match i64::from(self.year) {
            year if thursday < days(year, 1, 1) => year - 1,
            year if thursday >= days(year + 1, 1, 1) => year + 1,
            year => year,
        };
        (thursday - days(year, 1, 1)) / 7 + 1
    }
}

fn digits(text: &[u8]) -> Option<u32> {
    text.iter().try_fold(0, |sum, byte| byte.is_ascii_digit().then(|| 10 * sum + u32::from(byte - b'0')))
}

fn days_in(year: u32, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days since the beginning of March of the year 0.
fn days(year: i64, month: i64, day: i64) -> i64 {
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day
}

/// The date of a number of days, as counted by `days`.
fn date_of(number: i64) -> Option<(u16, u8, u8)> {
    // A Gregorian year is never shorter than this on average: the guess is late by at most one.
    let mut year = (number * 400).div_euclid(146_097);
    while days(year + 1, 3, 1) <= number {
        year += 1;
    }
    while days(year, 3, 1) > number {
        year -= 1;
    }
    let within = number - days(year, 3, 1);
    let month = (5 * within + 2) / 153;
    let day = within - (153 * month + 2) / 5 + 1;
    let (year, month) = if month < 10 { (year, month + 3) } else { (year + 1, month - 9) };
    let year = u16::try_from(year).ok().filter(|year| (1..=9999).contains(year))?;
    Some((year, month as u8, day as u8))
}

/// The day that a text begins with, and the rest.
fn day(text: &[u8]) -> Option<(Day, &[u8])> {
    let (date, rest) = text.split_at_checked(10)?;
    if date[4] != b'-' || date[7] != b'-' {
        return None;
    }
    let (year, month, day) = (digits(&date[..4])?, digits(&date[5..7])?, digits(&date[8..])?);
    if year == 0 || !(1..=12).contains(&month) || !(1..=days_in(year, month)).contains(&day) {
        return None;
    }
    Some(((year as u16, month as u8, day as u8), rest))
}

fn time_of_day(text: &[u8]) -> Option<(u64, &[u8])> {
    let (time, rest) = text.split_at_checked(8)?;
    if time[2] != b':' || time[5] != b':' {
        return None;
    }
    let (hours, minutes, seconds) = (digits(&time[..2])?, digits(&time[3..5])?, digits(&time[6..])?);
    if hours > 23 || minutes > 59 || seconds > 59 {
        return None;
    }
    let (part, rest) = read_fraction(rest)?;
    Some((u64::from(3600 * hours + 60 * minutes + seconds) * SECOND + part, rest))
}

/// Nanoseconds after a point, if there is one.
fn read_fraction(text: &[u8]) -> Option<(u64, &[u8])> {
    let Some(rest) = text.strip_prefix(b".") else { return Some((0, text)) };
    let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if !(1..=9).contains(&length) {
        return None;
    }
    Some((u64::from(digits(&rest[..length])?) * 10u64.pow(9 - length as u32), &rest[length..]))
}

fn padded(number: u64, width: usize, out: &mut Vec<u8>) {
    let start = out.len();
    write_integer(number as i64, out);
    while out.len() - start < width {
        out.insert(start, b'0');
    }
}

fn fraction(nanoseconds: u64, out: &mut Vec<u8>) {
    if nanoseconds > 0 {
        out.push(b'.');
        padded(nanoseconds, 9, out);
        while out.last() == Some(&b'0') {
            out.pop();
        }
    }
}

/// A part of an xs:dayTimeDuration, with its sign; None for a part that it does not have.
pub fn duration_field(field: Field, nanoseconds: i128) -> Option<i64> {
    let minutes = nanoseconds / (60 * i128::from(SECOND));
    let found = match field {
        Field::Day => minutes / (24 * 60),
        Field::Hours => minutes / 60 % 24,
        Field::Minutes => minutes % 60,
        Field::Year | Field::Month => return None,
    };
    i64::try_from(found).ok()
}

/// The nanoseconds of an xs:dayTimeDuration; None if a text is none of ordinary size.
pub fn read_duration(text: &[u8]) -> Option<i128> {
    let (sign, text) = text.strip_prefix(b"-").map_or((1, text), |rest| (-1, rest));
    let mut rest = text.strip_prefix(b"P")?;
    let (mut total, mut units, mut has_part) = (0i128, [(b'D', 86_400u64)].as_slice(), false);
    loop {
        if let Some(time) = rest.strip_prefix(b"T") {
            if units.len() != 1 && !units.is_empty() {
                return None;
            }
            (rest, units, has_part) = (time, &[(b'H', 3600), (b'M', 60), (b'S', 1)], false);
        }
        if rest.is_empty() {
            return has_part.then_some(sign * total);
        }
        let length = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if !(1..=9).contains(&length) {
            return None;
        }
        let number = digits(&rest[..length])?;
        let (part, behind) = read_fraction(&rest[length..])?;
        let (&unit, behind) = behind.split_first()?;
        if rest[length] == b'.' && unit != b'S' {
            return None;
        }
        let place = units.iter().position(|&(letter, _)| letter == unit)?;
        total += i128::from(number) * i128::from(units[place].1 * SECOND) + i128::from(part);
        units = if unit == b'D' { &[] } else { &units[place + 1..] };
        (rest, has_part) = (behind, true);
    }
}

/// Append the canonical text of an xs:dayTimeDuration.
pub fn write_duration(nanoseconds: i128, out: &mut Vec<u8>) {
    if nanoseconds < 0 {
        out.push(b'-');
    }
    let all = nanoseconds.unsigned_abs();
    let seconds = (all / u128::from(SECOND)) as u64;
    let part = (all % u128::from(SECOND)) as u64;
    out.push(b'P');
    let whole = |number: u64, unit: u8, out: &mut Vec<u8>| {
        if number > 0 {
            write_integer(number as i64, out);
            out.push(unit);
        }
    };
    whole(seconds / 86_400, b'D', out);
    if seconds % 86_400 > 0 || part > 0 || all == 0 {
        out.push(b'T');
        whole(seconds / 3600 % 24, b'H', out);
        whole(seconds / 60 % 60, b'M', out);
        if seconds % 60 > 0 || part > 0 || all == 0 {
            write_integer((seconds % 60) as i64, out);
            fraction(part, out);
            out.push(b'S');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moment(text: &str) -> Moment {
        let kind = match (text.contains('T'), text.contains(':') && text.as_bytes()[2] == b':') {
            (true, _) => Kind::DateTime,
            (false, true) => Kind::Time,
            (false, false) => Kind::Date,
        };
        Moment::read(text.as_bytes(), kind).unwrap()
    }

    #[test]
    fn what_is_read_is_written() {
        for text in
            ["2024-02-29", "0001-01-01Z", "2024-01-01-05:30", "2024-01-01T00:00:00.5+14:00", "23:59:59", "00:00:00.25Z"]
        {
            let mut out = Vec::new();
            moment(text).write(&mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
        for text in ["2023-02-29", "2023-13-01", "0000-01-01", "2023-1-01", "2023-01-01+14:01", "2023-01-01 "] {
            assert_eq!(Moment::read(text.as_bytes(), Kind::Date), None, "{text}");
        }
        assert_eq!(Moment::read(b"2024-01-01T24:00:00", Kind::DateTime), None);
    }

    #[test]
    fn moments_are_compared_in_utc() {
        let since = |a: &str, b: &str| moment(a).since(&moment(b));
        assert_eq!(since("2024-03-01", "2024-02-28"), Some(2 * 86_400 * i128::from(SECOND)));
        assert_eq!(since("2024-01-01T00:00:00+01:00", "2023-12-31T23:00:00Z"), Some(0));
        assert_eq!(since("2024-01-01", "2024-01-01Z"), None);
        assert_eq!(since("2001-01-01", "2000-01-01"), Some(366 * 86_400 * i128::from(SECOND)));
    }

    #[test]
    fn days_are_added_over_months_and_years() {
        let day = 86_400 * i128::from(SECOND);
        for (text, days, later) in [
            ("2024-02-28", 1, "2024-02-29"),
            ("2023-02-28", 1, "2023-03-01"),
            ("2024-12-31", 1, "2025-01-01"),
            ("2025-01-01", -1, "2024-12-31"),
            ("2000-03-01", -366, "1999-03-01"),
            ("2024-01-01T12:00:00Z", 60, "2024-03-01T12:00:00Z"),
        ] {
            assert_eq!(moment(text).plus(days * day), Some(moment(later)), "{text}");
        }
        assert_eq!(moment("2024-01-01").plus(-1), Some(moment("2023-12-31")));
        assert_eq!(moment("9999-12-31").plus(day), None);
        assert_eq!(moment("0001-01-01").plus(-day), None);
        for number in days(1, 1, 1)..days(9999, 12, 31) {
            let (year, month, day) = date_of(number).unwrap();
            assert_eq!(days(year.into(), month.into(), day.into()), number);
        }
    }

    #[test]
    fn times_go_round_the_day() {
        let hour = 3600 * i128::from(SECOND);
        assert_eq!(moment("23:30:00Z").plus(hour), Some(moment("00:30:00Z")));
        assert_eq!(moment("00:30:00").plus(-25 * hour), Some(moment("23:30:00")));
        assert_eq!(moment("23:30:00-05:00").in_zone(Some(0)), Some(moment("04:30:00Z")));
        assert_eq!(moment("2024-01-01T00:30:00Z").in_zone(Some(-60)), Some(moment("2023-12-31T23:30:00-01:00")));
        assert_eq!(moment("2024-01-01+02:00").in_zone(Some(0)), Some(moment("2023-12-31Z")));
        assert_eq!(moment("2024-01-01").in_zone(Some(60)), Some(moment("2024-01-01+01:00")));
        assert_eq!(moment("2024-01-01").with_time(moment("12:00:00Z")), Some(moment("2024-01-01T12:00:00Z")));
        assert_eq!(moment("2024-01-01+01:00").with_time(moment("12:00:00Z")), None);
        assert_eq!(moment("2024-01-01").as_kind(Kind::Time), None);
    }

    #[test]
    fn weeks_begin_on_mondays() {
        for (text, week, day, in_year) in [
            ("2024-01-01", 1, 1, 1),
            ("2023-01-01", 52, 7, 1),
            ("2020-12-31", 53, 4, 366),
            ("2018-12-31", 1, 1, 365),
            ("2000-02-29", 9, 2, 60),
        ] {
            let moment = moment(text);
            assert_eq!(
                (moment.week_in_year(), moment.day_of_week(), moment.day_in_year()),
                (week, day, in_year),
                "{text}"
            );
        }
    }

    #[test]
    fn durations() {
        for (text, canonical) in [
            ("PT60S", "PT1M"),
            ("P1DT25H", "P2DT1H"),
            ("-PT0.50S", "-PT0.5S"),
            ("PT0S", "PT0S"),
            ("P0D", "PT0S"),
            ("PT1H1M1.001S", "PT1H1M1.001S"),
        ] {
            let mut out = Vec::new();
            write_duration(read_duration(text.as_bytes()).unwrap(), &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), canonical);
        }
        for text in ["P", "PT", "P1DT", "PT1", "P1H", "PT1M1H", "PT1.5M", "P1Y", "P1D1D", "1D"] {
            assert_eq!(read_duration(text.as_bytes()), None, "{text}");
        }
    }
}
