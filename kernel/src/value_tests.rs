//! Tests of values below a complete element, on its rows.

use std::borrow::Cow;
use std::ops::ControlFlow;

use crate::number::to_double;
use crate::plan::{Constant, ValueTest};
use crate::row_paths::NamedRows;

/// What a test comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// No value compares so.
    Fails,
    /// A value that must be a number is none, and none before it compares so: an error of the query, which raises it.
    Open,
    /// A value compares so.
    Holds,
}

/// What several tests come to together: one that fails decides.
#[inline(always)]
pub fn all(tests: &[ValueTest], named: NamedRows<'_>, row: usize) -> Verdict {
    let mut found = Verdict::Holds;
    for test in tests {
        match verdict(test, named, row) {
            Verdict::Fails => return Verdict::Fails,
            Verdict::Open => found = Verdict::Open,
            Verdict::Holds => {}
        }
    }
    found
}

/// What a test comes to for the element of a row.
pub fn verdict(test: &ValueTest, named: NamedRows<'_>, row: usize) -> Verdict {
    let outcome = named.follow(&test.path, row, &mut |element| {
        if let Some(attribute) = &test.attribute {
            return match named.attribute(attribute, element) {
                Some(row) => compare(test, named.rows.value(row)),
                None => ControlFlow::Continue(()),
            };
        }
        if test.text {
            return named.texts(element, &mut |text| compare(test, named.rows.value(text)));
        }
        compare(test, &string_value(named, element))
    });
    match outcome {
        ControlFlow::Continue(()) => Verdict::Fails,
        ControlFlow::Break(verdict) => verdict,
    }
}

fn compare(test: &ValueTest, value: &[u8]) -> ControlFlow<Verdict> {
    let holds = match &test.constant {
        Constant::Text(text) => test.comparison.holds(value, text.as_bytes()),
        Constant::Number(number) => match to_double(value) {
            Some(actual) => test.comparison.holds(actual, *number),
            None => return ControlFlow::Break(Verdict::Open),
        },
    };
    if holds {
        ControlFlow::Break(Verdict::Holds)
    } else {
        ControlFlow::Continue(())
    }
}

fn string_value(named: NamedRows<'_>, row: usize) -> Cow<'_, [u8]> {
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
    use crate::plan::Comparison;
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

    fn test(comparison: Comparison, constant: Constant) -> ValueTest {
        ValueTest { path: vec![PathStep::child("", "price")], text: false, attribute: None, comparison, constant }
    }

    fn decided(texts: &[&str], test: &ValueTest) -> Verdict {
        let mut names = Names::default();
        let rows = sample(&mut names, texts);
        verdict(test, NamedRows { rows: &rows, names: &names }, 0)
    }

    #[test]
    fn one_value_is_enough() {
        let more_than = |number| test(Comparison::Greater, Constant::Number(number));
        assert_eq!(decided(&["12", "40"], &more_than(30.0)), Verdict::Holds);
        assert_eq!(decided(&["12", "40"], &more_than(50.0)), Verdict::Fails);
        assert_eq!(decided(&["12", "40"], &test(Comparison::Equal, Constant::Text("12".into()))), Verdict::Holds);
    }

    #[test]
    fn what_is_no_number_leaves_it_open_unless_it_is_decided_before() {
        let more = test(Comparison::Greater, Constant::Number(30.0));
        assert_eq!(decided(&["40", "x"], &more), Verdict::Holds);
        assert_eq!(decided(&["x", "40"], &more), Verdict::Open);
        assert_eq!(decided(&["12", "x"], &more), Verdict::Open);
    }

    #[test]
    fn no_value_holds_for_nothing() {
        let other = ValueTest {
            path: vec![PathStep::child("", "name")],
            ..test(Comparison::NotEqual, Constant::Text("x".into()))
        };
        assert_eq!(decided(&["12"], &other), Verdict::Fails);
    }
}
