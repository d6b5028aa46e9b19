//! What the template of a loop writes for a unit, and which of that can be taken without asking the query.
//!
//! Order keys and values of an aggregate are written as the values of holes (`holes.rs`), each with its type. They are taken
//! only if they go together with those of all other units: the query would have an error otherwise, or another answer.

use crate::cells::{END_OF_CELL, END_OF_MEMBER, HOLE, NULL};
use crate::number::to_double;

/// What is written for a unit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Items, however many.
    Items,
    /// At most one item.
    Item,
    /// Items that are nodes, each behind a hole.
    Several,
    /// Items, each behind the keys by which it is ordered.
    Keyed,
    /// Values that can be added.
    Numbers,
    /// Values that can be compared.
    Comparable,
}

/// Values of one family can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Family {
    Number,
    Text,
    Other(u8),
}

/// What units have given so far.
#[derive(Debug)]
pub struct UnitRows {
    rows: Rows,
    /// Of each key, or of the values.
    families: Vec<Option<Family>>,
}

impl UnitRows {
    /// Nothing has been given.
    pub fn new(rows: Rows) -> Self {
        UnitRows { rows, families: Vec::new() }
    }

    /// Whether what a unit gives can be taken.
    pub fn takes(&mut self, text: &[u8], items: u64) -> bool {
        match self.rows {
            Rows::Items => true,
            Rows::Item => items <= 1,
            Rows::Several => is_one_each(text, items),
            Rows::Keyed => is_one_each(text, items) && self.takes_keys(text),
            Rows::Numbers | Rows::Comparable => self.takes_values(text),
        }
    }

    fn takes_keys(&mut self, text: &[u8]) -> bool {
        for hole in holes(text) {
            for (place, cell) in cells(hole).enumerate() {
                let mut members = members(cell);
                let Some(member) = members.next() else { continue };
                if members.next().is_some() || !self.goes_with(place, family(member)) {
                    return false;
                }
            }
        }
        true
    }

    fn takes_values(&mut self, text: &[u8]) -> bool {
        for hole in holes(text) {
            for member in cells(hole).flat_map(members) {
                // Untyped values become doubles.
                let family = match family(member) {
                    Family::Text if member.first() == Some(&NULL) => Family::Text,
                    Family::Text if to_double(member).is_none() => return false,
                    Family::Text => Family::Number,
                    other => other,
                };
                let is_known = family == Family::Number || (family == Family::Text && self.rows == Rows::Comparable);
                if !is_known || !self.goes_with(0, family) {
                    return false;
                }
            }
        }
        true
    }

    fn goes_with(&mut self, place: usize, family: Family) -> bool {
        if self.families.len() <= place {
            self.families.resize(place + 1, None);
        }
        *self.families[place].get_or_insert(family) == family
    }
}

/// The holes in a text.
fn holes(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == HOLE).skip(1).step_by(2)
}

/// Whether one item stands behind each hole.
fn is_one_each(text: &[u8], items: u64) -> bool {
    let mut written = text.split(|&byte| byte == HOLE).step_by(2).skip(1);
    items == holes(text).count() as u64 && written.all(|item| !item.is_empty())
}

/// The cells of a hole, which begins with its number.
fn cells(hole: &[u8]) -> impl Iterator<Item = &[u8]> {
    let count = hole.iter().filter(|&&byte| byte == END_OF_CELL).count();
    hole.get(1..).unwrap_or_default().split(|&byte| byte == END_OF_CELL).take(count)
}

/// The values of a cell, each with its end behind it.
fn members(cell: &[u8]) -> impl Iterator<Item = &[u8]> {
    let count = cell.iter().filter(|&&byte| byte == END_OF_MEMBER).count();
    cell.split(|&byte| byte == END_OF_MEMBER).take(count)
}

fn family(member: &[u8]) -> Family {
    match member {
        [NULL, b'i' | b'd' | b'f', ..] => Family::Number,
        [NULL, letter, ..] if *letter != b's' => Family::Other(*letter),
        _ => Family::Text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(rows: Rows, texts: &[&str]) -> Vec<bool> {
        let mut made = UnitRows::new(rows);
        texts.iter().map(|text| made.takes(text.as_bytes(), u64::from(!text.is_empty()))).collect()
    }

    #[test]
    fn keys_go_with_those_of_other_units() {
        let texts = [
            "\x1c0\x1f\x1f\x1c<a/>",
            "\x1c0\x1ei5\x1d\x1fx\x1d\x1f\x1c<a/>",
            "\x1c0\x1ef1.5\x1d\x1f\x1esx\x1d\x1f\x1c<a/>",
            "\x1c0x\x1d\x1fx\x1d\x1f\x1c<a/>",
            "\x1c0\x1ei5\x1d\x1ei5\x1d\x1f\x1f\x1c<a/>",
            "",
        ];
        assert_eq!(taken(Rows::Keyed, &texts), [true, true, true, false, false, true]);
    }

    #[test]
    fn one_item_stands_behind_each_hole() {
        let mut made = UnitRows::new(Rows::Several);
        let one = "\x1c0\x1f\x1c<a/>";
        assert!(made.takes(b"", 0) && made.takes(one.as_bytes(), 1) && made.takes([one, one].concat().as_bytes(), 2));
        assert!(!made.takes([one, "<b/>\x1c0\x1f\x1c"].concat().as_bytes(), 2));
        assert!(!made.takes("\x1c0\x1f\x1c".as_bytes(), 0) && !made.takes([one, "<b/>"].concat().as_bytes(), 2));
    }

    #[test]
    fn values_are_numbers_where_they_are_added() {
        let hole = |members: &str| format!("\x1c0{members}\x1f\x1c<v/>");
        let two = hole("1\x1d") + &hole("\x1ei2\x1d");
        let texts = [&two, &hole("x\x1d"), &hole("\x1esx\x1d"), &hole("\x1ebtrue\x1d"), &hole("")];
        let texts: Vec<&str> = texts.into_iter().map(String::as_str).collect();
        assert_eq!(taken(Rows::Numbers, &texts), [true, false, false, false, true]);
        assert_eq!(taken(Rows::Comparable, &texts), [true, false, false, false, true]);
        assert_eq!(taken(Rows::Comparable, &[&hole("\x1esx\x1d"), &hole("\x1esy\x1d"), &hole("1\x1d")]), [
            true, true, false
        ]);
    }
}
