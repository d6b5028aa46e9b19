//! Tuples of a FLWOR expression that are gathered before the next clause: sorted, grouped, or only counted.

use rustc_hash::FxHashMap;

use super::atom::{Atom, Value};
use super::comparison::value_holds;
use super::evaluation::{Evaluation, SortedTuple, Sorting};
use super::sorting::{Keys, Order};
use super::Expression;
use crate::plan::Comparison;
use crate::template::Undecided;

/// More groups by other keys than texts are left to code, which hashes them.
const MOST_COMPARED: usize = 64;

/// Tuples, and what becomes of them.
#[derive(Clone, Debug)]
pub struct Gathering {
    /// How they are sorted; None: tuples with equal keys become one group, in which values follow each other.
    pub orders: Option<Vec<Order>>,
    /// The slots of the values of a tuple; of a group, those of its keys come first.
    pub slots: Vec<usize>,
    /// The slot of the position of each.
    pub position: Option<usize>,
    /// Ends in `Tuple`.
    pub tuples: Expression,
}

/// Takes values with their slots.
pub type TakeValues<'t, 'a> = &'t mut dyn FnMut(&mut dyn Iterator<Item = (usize, Value<'a>)>) -> Result<(), Undecided>;

impl Gathering {
    /// Call a function with the values of each tuple or group, in order.
    pub fn each<'a>(&'a self, evaluation: &Evaluation<'a, '_>, take: TakeValues<'_, 'a>) -> Result<(), Undecided> {
        let sorting = Sorting::default();
        let inside = Evaluation { sorting: Some(&sorting), ..*evaluation };
        inside.each(&self.tuples, &mut |_| Err(Undecided))?;
        let mut tuples = sorting.tuples.into_inner();
        match &self.orders {
            Some(orders) => Keys::sort(&mut tuples, orders)?,
            None => tuples = grouped(tuples)?,
        }
        for (before, (keys, values)) in tuples.into_iter().enumerate() {
            let keys = if self.orders.is_none() { keys.0 } else { Vec::new() };
            let keys = keys.into_iter().map(|key| key.map_or(Value::Empty, Value::One));
            let position = self.position.map(|slot| (slot, Value::position(before + 1)));
            take(&mut self.slots.iter().copied().zip(keys.chain(values)).chain(position))?;
        }
        Ok(())
    }
}

/// Tuples with equal keys as one, in the order of the first of each.
fn grouped(tuples: Vec<SortedTuple>) -> Result<Vec<SortedTuple>, Undecided> {
    let mut groups: Vec<SortedTuple> = Vec::new();
    let mut by_text: FxHashMap<Vec<u8>, usize> = FxHashMap::default();
    for (keys, values) in tuples {
        let keys = Keys(keys.0.into_iter().map(|key| key.map(as_key)).collect());
        let place = match &keys.0[..] {
            [Some(Atom::Text(text))] => by_text.get(&**text).copied(),
            _ => None,
        };
        let place = match place {
            Some(place) => Some(place),
            None => found(&groups, &keys)?,
        };
        if let Some(place) = place {
            for (before, value) in groups[place].1.iter_mut().zip(values) {
                value.into_atoms().into_iter().for_each(|atom| before.push(atom));
            }
            continue;
        }
        if let [Some(Atom::Text(text))] = &keys.0[..] {
            by_text.insert(text.to_vec(), groups.len());
        }
        groups.push((keys, values));
    }
    Ok(groups)
}

/// The place of a group with the same keys, unless all keys are texts that are hashed.
fn found(groups: &[SortedTuple], keys: &Keys<'_>) -> Result<Option<usize>, Undecided> {
    for (place, (others, _)) in groups.iter().enumerate() {
        let mut are_same = true;
        for (other, key) in others.0.iter().zip(&keys.0) {
            are_same = are_same && is_same(other.as_ref(), key.as_ref())?;
        }
        if are_same {
            return Ok(Some(place));
        }
        if place >= MOST_COMPARED && !matches!(&keys.0[..], [Some(Atom::Text(_))]) {
            return Err(Undecided);
        }
        if matches!((&others.0[..], &keys.0[..]), ([Some(Atom::Text(_))], [Some(Atom::Text(_))])) {
            // The others are of its kind, or were compared before: it would have been found by its hash.
            return Ok(None);
        }
    }
    Ok(None)
}

/// A grouping key: an untyped value is a string.
fn as_key(atom: Atom<'static>) -> Atom<'static> {
    match atom {
        Atom::Untyped(text) => Atom::Text(text),
        other => other,
    }
}

/// Whether two keys are the same; values of different types are left to code.
fn is_same(left: Option<&Atom<'_>>, right: Option<&Atom<'_>>) -> Result<bool, Undecided> {
    match (left, right) {
        (None, None) => Ok(true),
        (None, _) | (_, None) => Ok(false),
        (Some(Atom::Double(a)), Some(Atom::Double(b))) => Ok(a == b || (a.is_nan() && b.is_nan())),
        (Some(Atom::Double(_)), _) | (_, Some(Atom::Double(_))) => Err(Undecided),
        (Some(a), Some(b)) => value_holds(Comparison::Equal, a, b),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn groups(keys: Vec<Option<Atom<'static>>>) -> Result<Vec<usize>, Undecided> {
        let one = |key| (Keys(vec![key]), vec![Value::One(Atom::Integer(1))]);
        Ok(grouped(keys.into_iter().map(one).collect())?.iter().map(|(_, values)| values[0].atoms().len()).collect())
    }

    fn text(text: &'static str) -> Option<Atom<'static>> {
        Some(Atom::Text(text.as_bytes().into()))
    }

    #[test]
    fn equal_keys_are_one_group() {
        let untyped = |text: &'static str| Some(Atom::Untyped(text.as_bytes().into()));
        assert_eq!(groups(vec![text("a"), untyped("b"), untyped("a"), None, text("b"), None]).unwrap(), [2, 2, 2]);
        let numbers = [f64::NAN, 0.0, -0.0, f64::NAN].map(|number| Some(Atom::Double(number)));
        assert_eq!(groups(numbers.to_vec()).unwrap(), [2, 2]);
        assert!(groups(vec![text("a"), Some(Atom::Integer(1))]).is_err());
        assert!(groups(vec![Some(Atom::Integer(1)), text("a"), text("b")]).is_err());
        assert_eq!(groups(vec![None, text("a"), text("b"), text("a")]).unwrap(), [1, 2, 1]);
    }
}
