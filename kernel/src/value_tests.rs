//! Tests of values below a complete element, on its rows.

use std::borrow::Cow;

use crate::names::Names;
use crate::number::to_double;
use crate::plan::{Constant, ValueTest};
use crate::rows::{kind, Rows};

const KIND_MASK: u32 = 7;

/// Whether a test may hold for the element of a row: some value compares so, or cannot be decided here.
pub fn may_hold(test: &ValueTest, rows: &Rows, names: &Names, row: u32) -> bool {
    reaches(test, &test.path, rows, names, row as usize)
}

fn reaches(test: &ValueTest, path: &[(String, String)], rows: &Rows, names: &Names, row: usize) -> bool {
    let Some((step, rest)) = path.split_first() else {
        return value_holds(test, rows, names, row);
    };
    children(rows, row)
        .any(|child| is_named(rows, names, child, kind::ELEMENT, step) && reaches(test, rest, rows, names, child))
}

fn value_holds(test: &ValueTest, rows: &Rows, names: &Names, row: usize) -> bool {
    if let Some(attribute) = &test.attribute {
        return children(rows, row)
            .filter(|&child| is_named(rows, names, child, kind::ATTRIBUTE, attribute))
            .any(|child| compares(test, rows.value(child)));
    }
    if test.text {
        return children(rows, row)
            .filter(|&child| rows.codes[child] == kind::TEXT)
            .any(|child| compares(test, rows.value(child)));
    }
    compares(test, &string_value(rows, row))
}

fn compares(test: &ValueTest, value: &[u8]) -> bool {
    match &test.constant {
        Constant::Text(text) => test.comparison.holds(value, text.as_bytes()),
        // What is no number is an error of the query, which raises it.
        Constant::Number(number) => to_double(value).is_none_or(|actual| test.comparison.holds(actual, *number)),
    }
}

/// The attributes and children of an element.
fn children(rows: &Rows, row: usize) -> impl Iterator<Item = usize> + '_ {
    let end = rows.ends[row] as usize;
    let mut next = row + 1;
    std::iter::from_fn(move || {
        if next >= end {
            return None;
        }
        let child = next;
        next = rows.ends[child] as usize;
        Some(child)
    })
}

fn is_named(rows: &Rows, names: &Names, row: usize, kind: u32, (uri, local): &(String, String)) -> bool {
    let code = rows.codes[row];
    if code & KIND_MASK != kind {
        return false;
    }
    let (actual_uri, actual_local, _) = names.in_table(code >> 3);
    **actual_local == **local && **actual_uri == **uri
}

fn string_value(rows: &Rows, row: usize) -> Cow<'_, [u8]> {
    let texts = (row + 1..rows.ends[row] as usize).filter(|&other| rows.codes[other] == kind::TEXT);
    let mut found: Cow<'_, [u8]> = Cow::Borrowed(b"");
    for text in texts {
        if found.is_empty() {
            found = Cow::Borrowed(rows.value(text));
        } else {
            found.to_mut().extend_from_slice(rows.value(text));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Resolved;
    use crate::plan::Comparison;

    fn sample(names: &mut Names) -> Rows {
        let mut rows = Rows::default();
        let item = names.add(Resolved::new("".into(), "item", ""));
        let price = names.add(Resolved::new("".into(), "price", ""));
        let (item, price) = (names.tell(item).0, names.tell(price).0);
        rows.push(item << 3 | kind::ELEMENT, 0);
        for text in [&b"12"[..], b"40"] {
            let row = rows.push(price << 3 | kind::ELEMENT, 0);
            rows.text(row, text);
            rows.end_text();
            rows.close(row);
        }
        rows.close(0);
        rows
    }

    fn test(comparison: Comparison, constant: Constant) -> ValueTest {
        ValueTest { path: vec![("".into(), "price".into())], text: false, attribute: None, comparison, constant }
    }

    #[test]
    fn one_value_is_enough() {
        let mut names = Names::default();
        let rows = sample(&mut names);
        assert!(may_hold(&test(Comparison::Greater, Constant::Number(30.0)), &rows, &names, 0));
        assert!(!may_hold(&test(Comparison::Greater, Constant::Number(50.0)), &rows, &names, 0));
        assert!(may_hold(&test(Comparison::Equal, Constant::Text("12".into())), &rows, &names, 0));
    }

    #[test]
    fn no_value_holds_for_nothing() {
        let mut names = Names::default();
        let rows = sample(&mut names);
        let other = ValueTest {
            path: vec![("".into(), "name".into())],
            ..test(Comparison::NotEqual, Constant::Text("x".into()))
        };
        assert!(!may_hold(&other, &rows, &names, 0));
    }
}
