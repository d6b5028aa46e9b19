//! A row: for each column its values, as texts.

use crate::cells::{END_OF_CELL, END_OF_MEMBER};
use crate::expression::{Atom, Value};

/// The values of one item.
#[derive(Clone, Debug, Default)]
pub struct Row {
    bytes: Vec<u8>,
    /// End of each value.
    ends: Vec<u32>,
    /// The number of values up to the end of each column.
    columns: Vec<u32>,
}

impl Row {
    /// Read the row of some columns at the beginning of a text: lists in the form of `crate::cells`. Returns the rest
    /// of the text.
    pub fn read<'t>(&mut self, text: &'t [u8], columns: usize) -> &'t [u8] {
        self.clear();
        let mut rest = text;
        for _ in 0..columns {
            let end = memchr::memchr(END_OF_CELL, rest).unwrap_or(rest.len());
            let mut cell = &rest[..end];
            while let Some(member) = memchr::memchr(END_OF_MEMBER, cell) {
                self.add(&cell[..member]);
                cell = &cell[member + 1..];
            }
            self.end_column();
            rest = rest.get(end + 1..).unwrap_or_default();
        }
        rest
    }

    /// Clear it.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
        self.columns.clear();
    }

    /// Add a value to the current column.
    pub fn add(&mut self, value: &[u8]) {
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u32);
    }

    /// Begin the next column.
    pub fn end_column(&mut self) {
        self.columns.push(self.ends.len() as u32);
    }

    /// Its size.
    pub fn size(&self) -> usize {
        self.bytes.len() + 4 * (self.ends.len() + self.columns.len())
    }

    /// The texts of a column.
    pub fn texts(&self, column: usize) -> impl ExactSizeIterator<Item = &[u8]> {
        let first = if column == 0 { 0 } else { self.columns[column - 1] as usize };
        (first..self.columns[column] as usize).map(move |place| {
            let start = if place == 0 { 0 } else { self.ends[place - 1] as usize };
            &self.bytes[start..self.ends[place] as usize]
        })
    }

    /// The values of a column: untyped, like those of nodes.
    pub fn value(&self, column: usize) -> Value<'_> {
        let mut texts = self.texts(column).map(|text| Atom::Untyped(text.into()));
        match texts.len() {
            0 => Value::Empty,
            1 => texts.next().map_or(Value::Empty, Value::One),
            _ => Value::Many(texts.collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_have_any_number_of_values() {
        let mut row = Row::default();
        let rest = row.read(b"a\x1d\x1d\x1f\x1fbc\x1d\x1fd\x1d\x1f", 3);
        assert_eq!(rest, b"d\x1d\x1f");
        assert_eq!(row.texts(0).collect::<Vec<_>>(), [b"a".as_slice(), b""]);
        assert_eq!(row.texts(1).len(), 0);
        assert_eq!(row.texts(2).collect::<Vec<_>>(), [b"bc"]);
    }
}
