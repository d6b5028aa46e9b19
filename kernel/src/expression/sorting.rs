//! `order by` (XQuery 3.1 §3.12.8), strings by code points.

use std::cmp::Ordering;

use super::atom::Atom;
use super::comparison::value_holds;
use crate::plan::Comparison;
use crate::template::Undecided;

/// The comparison of a key.
#[derive(Clone, Copy, Debug)]
pub struct Order {
    /// Whether the greatest comes first.
    pub is_descending: bool,
    /// Whether a missing value is greater than all values.
    pub is_empty_greatest: bool,
}

/// The keys of a tuple, None for a missing one.
#[derive(Clone, Debug)]
pub struct Keys<'a>(pub Vec<Option<Atom<'a>>>);

impl<'a> Keys<'a> {
    /// Owned copies of the keys, independent of any document.
    pub fn into_owned(self) -> Keys<'static> {
        Keys(self.0.into_iter().map(|key| key.map(Atom::into_owned)).collect())
    }

    /// Whether all keys are comparable.
    pub fn check(&self, orders: &[Order]) -> Result<(), Undecided> {
        self.compare(self, orders).map(|_| ())
    }

    /// Sort tuples, stably.
    pub fn sort<T>(tuples: &mut [(Keys<'a>, T)], orders: &[Order]) -> Result<(), Undecided> {
        // If any keys are incomparable, some are incomparable with the first ones: that is found before sorting.
        let mut firsts: Vec<Option<Atom<'a>>> = vec![None; orders.len()];
        for (keys, _) in tuples.iter() {
            keys.check(orders)?;
            for (first, key) in firsts.iter_mut().zip(&keys.0) {
                match (&first, key) {
                    (Some(first), Some(key)) => order_of(first, key).map(|_| ())?,
                    (None, Some(key)) => *first = Some(key.clone()),
                    _ => {}
                }
            }
        }
        let mut is_undecided = false;
        tuples.sort_by(|(a, _), (b, _)| {
            a.compare(b, orders).unwrap_or_else(|_| {
                is_undecided = true;
                Ordering::Equal
            })
        });
        if is_undecided {
            return Err(Undecided);
        }
        Ok(())
    }

    fn compare(&self, other: &Self, orders: &[Order]) -> Result<Ordering, Undecided> {
        for (order, (left, right)) in orders.iter().zip(self.0.iter().zip(&other.0)) {
            let found = match (left, right) {
                (None, None) => Ordering::Equal,
                (None, Some(_)) if order.is_empty_greatest => Ordering::Greater,
                (None, Some(_)) => Ordering::Less,
                (Some(_), None) if order.is_empty_greatest => Ordering::Less,
                (Some(_), None) => Ordering::Greater,
                (Some(left), Some(right)) => match (is_nan(left), is_nan(right)) {
                    (true, true) => Ordering::Equal,
                    // NaN sorts next to missing values, on the same side of all others.
                    (is_left, is_right) if is_left != is_right => {
                        order_of(left, right)?;
                        if is_left == order.is_empty_greatest {
                            Ordering::Greater
                        } else {
                            Ordering::Less
                        }
                    }
                    _ => order_of(left, right)?,
                },
            };
            let found = if order.is_descending { found.reverse() } else { found };
            if found != Ordering::Equal {
                return Ok(found);
            }
        }
        Ok(Ordering::Equal)
    }
}

fn is_nan(atom: &Atom<'_>) -> bool {
    matches!(atom, Atom::Double(value) if value.is_nan())
}

fn order_of(left: &Atom<'_>, right: &Atom<'_>) -> Result<Ordering, Undecided> {
    if value_holds(Comparison::Less, left, right)? {
        return Ok(Ordering::Less);
    }
    Ok(if value_holds(Comparison::Greater, left, right)? { Ordering::Greater } else { Ordering::Equal })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(values: &[Option<f64>], order: Order) -> Vec<Option<f64>> {
        let mut tuples: Vec<_> = values.iter().map(|&value| (Keys(vec![value.map(Atom::Double)]), value)).collect();
        Keys::sort(&mut tuples, &[order]).unwrap();
        tuples.into_iter().map(|(_, value)| value).collect()
    }

    #[test]
    fn nothing_and_nan_stand_at_one_end() {
        let values = [Some(1.0), None, Some(f64::NAN), Some(-1.0)];
        let is_ordered = |found: Vec<Option<f64>>, expected: [&str; 4]| {
            assert_eq!(found.iter().map(|value| format!("{value:?}")).collect::<Vec<_>>(), expected);
        };
        let order = |is_descending, is_empty_greatest| Order { is_descending, is_empty_greatest };
        is_ordered(sorted(&values, order(false, false)), ["None", "Some(NaN)", "Some(-1.0)", "Some(1.0)"]);
        is_ordered(sorted(&values, order(false, true)), ["Some(-1.0)", "Some(1.0)", "Some(NaN)", "None"]);
        is_ordered(sorted(&values, order(true, false)), ["Some(1.0)", "Some(-1.0)", "Some(NaN)", "None"]);
        is_ordered(sorted(&values, order(true, true)), ["None", "Some(NaN)", "Some(1.0)", "Some(-1.0)"]);
    }

    #[test]
    fn what_does_not_compare_is_not_sorted() {
        let order = Order { is_descending: false, is_empty_greatest: false };
        let mut tuples = vec![(Keys(vec![Some(Atom::Integer(1))]), 0), (Keys(vec![Some(Atom::Boolean(true))]), 1)];
        assert!(Keys::sort(&mut tuples, &[order]).is_err());
    }
}
