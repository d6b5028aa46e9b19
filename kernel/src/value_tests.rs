//! Tests of values below a complete element, on its rows.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::number::to_double;
use crate::plan::{Comparison, Constant, ValueTests, MOST_TOGETHER};
use crate::row_paths::NamedRows;

/// The result of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No value passes.
    Fails,
    /// A value that must be a number is none, and none before it passes: an error of the query, which raises it.
    Open,
    /// A value passes.
    Holds,
}

/// The combined result of several tests: one that fails decides.
#[inline(always)]
pub fn all(tests: &[ValueTests], named: NamedRows<'_>, row: usize) -> Verdict {
    let mut found = Verdict::Holds;
    for same in tests {
        match together(same, named, row) {
            Verdict::Fails => return Verdict::Fails,
            Verdict::Open => found = Verdict::Open,
            Verdict::Holds => {}
        }
    }
    found
}

/// The results of tests of the same values for the element of a row.
fn together(tests: &ValueTests, named: NamedRows<'_>, row: usize) -> Verdict {
    let ValueTests { values, comparisons } = tests;
    let everything = u32::MAX >> (MOST_TOGETHER - comparisons.len());
    let mut deciding = Deciding { comparisons, held: 0, open: 0, everything };
    let is_read =
        comparisons.iter().any(|(comparison, _)| !matches!(comparison, Comparison::Exists | Comparison::Absent));
    let _ = named.follow(&values.path, row, &mut |element| {
        if let Some(attribute) = &values.attribute {
            return match named.attribute(attribute, element) {
                Some(row) => deciding.compare(named.rows.value(row)),
                None => ControlFlow::Continue(()),
            };
        }
        if values.text {
            return named.texts(element, &mut |text| deciding.compare(named.rows.value(text)));
        }
        if !is_read {
            return deciding.compare(b"");
        }
        deciding.compare(&string_value(named, element))
    });
    if comparisons.iter().any(|(comparison, _)| *comparison == Comparison::Absent) {
        return if deciding.held | deciding.open == 0 { Verdict::Holds } else { Verdict::Fails };
    }
    if deciding.held | deciding.open != everything {
        return Verdict::Fails;
    }
    if deciding.open != 0 {
        return Verdict::Open;
    }
    Verdict::Holds
}

/// The comparisons that hold or are open for the values so far, as bits.
struct Deciding<'a> {
    comparisons: &'a [(Comparison, Constant)],
    held: u32,
    open: u32,
    everything: u32,
}

impl Deciding<'_> {
    #[inline(always)]
    fn compare(&mut self, value: &[u8]) -> ControlFlow<()> {
        let mut number = None;
        for (place, (comparison, constant)) in self.comparisons.iter().enumerate() {
            let bit = 1 << place;
            if (self.held | self.open) & bit != 0 {
                continue;
            }
            let holds = match constant {
                Constant::Text(text) => comparison.holds(value, text.as_bytes()),
                Constant::Number(constant) => match *number.get_or_insert_with(|| to_double(value)) {
                    Some(actual) => comparison.holds(actual, *constant),
                    None => {
                        self.open |= bit;
                        continue;
                    }
                },
            };
            self.held |= u32::from(holds) << place;
        }
        if self.held | self.open == self.everything {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}

/// The string value of the element of a row.
pub fn string_value(named: NamedRows<'_>, row: usize) -> Cow<'_, [u8]> {
    let mut found: Cow<'_, [u8]> = Cow::Borrowed(b"");
    for text in named.all_texts(row) {
        if found.is_empty() {
            found = Cow::Borrowed(named.rows.value(text));
        } else {
            found.to_mut().extend_from_slice(named.rows.value(text));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::{Names, Resolved};
    use crate::plan::ValuesBelow;
    use crate::row_paths::PathStep;
    use crate::rows::{kind, Rows};

    fn sample(names: &mut Names, texts: &[&str]) -> Rows {
        let mut rows = Rows::default();
        let item = names.add(Resolved::new("".into(), "item", ""));
        let price = names.add(Resolved::new("".into(), "price", ""));
        let (item, price) = (names.tell(item).0, names.tell(price).0);
        rows.push(item << 3 | kind::ELEMENT, 0);
        for text in texts {
            let row = rows.push(price << 3 | kind::ELEMENT, 0);
            rows.text(row, text.as_bytes());
            rows.end_text();
            rows.close(row);
        }
        rows.close(0);
        rows
    }

    type Comparisons = Vec<(Comparison, Constant)>;

    fn tests_of(name: &str, comparisons: Comparisons) -> ValueTests {
        let values = ValuesBelow { path: vec![PathStep::child("", name)], text: false, attribute: None };
        ValueTests { values, comparisons }
    }

    fn decided(texts: &[&str], comparisons: Comparisons) -> Verdict {
        let mut names = Names::default();
        let rows = sample(&mut names, texts);
        all(&[tests_of("price", comparisons)], NamedRows { rows: &rows.columns(), names: &names }, 0)
    }

    fn more_than(number: f64) -> (Comparison, Constant) {
        (Comparison::Greater, Constant::Number(number))
    }

    #[test]
    fn one_value_is_enough() {
        assert_eq!(decided(&["12", "40"], vec![more_than(30.0)]), Verdict::Holds);
        assert_eq!(decided(&["12", "40"], vec![more_than(50.0)]), Verdict::Fails);
        assert_eq!(decided(&["12", "40"], vec![(Comparison::Equal, Constant::Text("12".into()))]), Verdict::Holds);
    }

    #[test]
    fn what_is_no_number_leaves_it_open_unless_it_is_decided_before() {
        assert_eq!(decided(&["40", "x"], vec![more_than(30.0)]), Verdict::Holds);
        assert_eq!(decided(&["x", "40"], vec![more_than(30.0)]), Verdict::Open);
        assert_eq!(decided(&["12", "x"], vec![more_than(30.0)]), Verdict::Open);
    }

    #[test]
    fn each_of_several_tests_may_hold_for_another_value() {
        let texts = ["12", "40", "x"];
        assert_eq!(decided(&texts, vec![more_than(30.0), (Comparison::Less, Constant::Number(20.0))]), Verdict::Holds);
        assert_eq!(decided(&texts, vec![more_than(30.0), more_than(50.0)]), Verdict::Open);
        let never = (Comparison::Equal, Constant::Text("y".into()));
        assert_eq!(decided(&texts, vec![more_than(50.0), never]), Verdict::Fails);
    }

    #[test]
    fn no_value_holds_for_nothing() {
        let mut names = Names::default();
        let rows = sample(&mut names, &["12"]);
        let other = tests_of("name", vec![(Comparison::NotEqual, Constant::Text("x".into()))]);
        assert_eq!(all(&[other], NamedRows { rows: &rows.columns(), names: &names }, 0), Verdict::Fails);
    }
}
