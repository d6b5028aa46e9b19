//! The values of one column for one element, as far as tests read them.

use std::ops::ControlFlow;

use super::ColumnTest;
use crate::number::to_double;
use crate::plan::{Comparison, Constant, ValuesBelow};
use crate::row_paths::NamedRows;
use crate::value_tests::{string_value, Verdict};

/// A column.
pub struct Column {
    /// The source of its values.
    pub values: ValuesBelow,
    /// Whether values are compared with numbers, and with texts.
    is_number: bool,
    is_text: bool,
    /// The element of the cached values.
    element: u64,
    /// Whether there is a value.
    pub is_there: bool,
    /// The values as numbers, up to the first that is not one.
    numbers: Vec<f64>,
    /// The largest and the smallest of them, ignoring NaN.
    pub most: f64,
    pub least: f64,
    /// Whether a value is not a number.
    pub is_open: bool,
    /// The values, end to end, and where each ends.
    characters: Vec<u8>,
    ends: Vec<usize>,
}

impl Column {
    pub fn new(values: ValuesBelow) -> Self {
        Column {
            values,
            is_number: false,
            is_text: false,
            element: 0,
            is_there: false,
            numbers: Vec::new(),
            most: f64::NEG_INFINITY,
            least: f64::INFINITY,
            is_open: false,
            characters: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// A test will read the column this way.
    pub fn expect(&mut self, test: &ColumnTest) {
        match (test.comparison, &test.constant) {
            (Comparison::Exists | Comparison::Absent, _) => {}
            (_, Constant::Number(_)) => self.is_number = true,
            (_, Constant::Text(_)) => self.is_text = true,
        }
        // Values cached so far may lack what it needs.
        self.element = 0;
    }

    /// Read the values of an element, unless they are cached.
    #[inline(always)]
    pub fn read(&mut self, element: u64, named: NamedRows<'_>, row: usize) {
        if self.element != element {
            self.element = element;
            self.read_now(named, row);
        }
    }

    fn read_now(&mut self, named: NamedRows<'_>, row: usize) {
        self.is_there = false;
        self.is_open = false;
        self.numbers.clear();
        self.characters.clear();
        self.ends.clear();
        (self.most, self.least) = (f64::NEG_INFINITY, f64::INFINITY);
        let values =
            std::mem::replace(&mut self.values, ValuesBelow { path: Vec::new(), text: false, attribute: None });
        let is_read = self.is_number || self.is_text;
        let _ = named.follow(&values.path, row, &mut |element| {
            if let Some(attribute) = &values.attribute {
                if let Some(row) = named.attribute(attribute, element) {
                    self.take(named.rows.value(row));
                }
            } else if values.text {
                let _ = named.texts(element, &mut |text| {
                    self.take(named.rows.value(text));
                    ControlFlow::<()>::Continue(())
                });
            } else if is_read {
                self.take(&string_value(named, element));
            } else {
                self.is_there = true;
            }
            ControlFlow::<()>::Continue(())
        });
        self.values = values;
    }

    #[inline(always)]
    fn take(&mut self, value: &[u8]) {
        self.is_there = true;
        if self.is_number && !self.is_open {
            match to_double(value) {
                None => self.is_open = true,
                Some(number) => {
                    self.numbers.push(number);
                    self.most = self.most.max(number);
                    self.least = self.least.min(number);
                }
            }
        }
        if self.is_text {
            self.characters.extend_from_slice(value);
            self.ends.push(self.characters.len());
        }
    }

    /// The values as text.
    pub fn texts(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts.zip(&self.ends).map(|(start, &end)| &self.characters[start..end])
    }

    /// The result of a test.
    #[inline(always)]
    pub fn verdict(&self, comparison: Comparison, constant: &Constant) -> Verdict {
        let holds = match (comparison, constant) {
            (Comparison::Exists, _) => self.is_there,
            (Comparison::Absent, _) => !self.is_there,
            (_, Constant::Text(text)) => self.texts().any(|value| comparison.holds(value, text.as_bytes())),
            (_, Constant::Number(number)) => self.numbers.iter().any(|&value| comparison.holds(value, *number)),
        };
        match constant {
            _ if holds => Verdict::Holds,
            Constant::Number(_) if self.is_open && !matches!(comparison, Comparison::Exists | Comparison::Absent) => {
                Verdict::Open
            }
            _ => Verdict::Fails,
        }
    }
}
