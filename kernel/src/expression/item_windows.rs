//! Window clauses over the items of one record (XQuery 3.1 §3.12.4).

use super::atom::{Atom, Value};
use super::evaluation::Evaluation;
use super::gathered::TakeValues;
use super::Expression;
use crate::template::Undecided;

/// Conditions of windows that are tried for many more items than there are belong to code.
const MOST_TRIED: usize = 4_096;
const TRIED_FOR_EACH: usize = 64;

/// A window clause.
#[derive(Clone, Debug)]
pub struct Windows {
    /// Whether windows overlap.
    pub are_sliding: bool,
    /// The slot of the items of a window.
    pub slot: usize,
    /// Whether windows that are open at the end are dropped.
    pub only_ended: bool,
    /// The items.
    pub items: Expression,
    /// Where windows start.
    pub start: Bounds,
    /// Where they end; None: before the next one starts.
    pub end: Option<Bounds>,
}

/// One condition of a window clause.
#[derive(Clone, Debug)]
pub struct Bounds {
    /// The slots of the item, its position, the item before it and the one behind it.
    pub slots: [Option<usize>; 4],
    /// The condition.
    pub when: Expression,
}

impl Bounds {
    /// The values of its variables at an item.
    fn values<'i, 'a>(
        &'i self,
        items: &'i [Atom<'a>],
        place: usize,
    ) -> impl Iterator<Item = (usize, Value<'a>)> + use<'i, 'a> {
        let item = |place: Option<usize>| place.and_then(|place| items.get(place)).cloned();
        let found = [
            item(Some(place)).map_or(Value::Empty, Value::One),
            Value::position(place + 1),
            item(place.checked_sub(1)).map_or(Value::Empty, Value::One),
            item(Some(place + 1)).map_or(Value::Empty, Value::One),
        ];
        self.slots.iter().zip(found).filter_map(|(slot, value)| slot.map(|slot| (slot, value)))
    }
}

impl Windows {
    /// Call a function with the values of each window.
    pub fn each<'a>(&'a self, evaluation: &Evaluation<'a, '_>, take: TakeValues<'_, 'a>) -> Result<(), Undecided> {
        let items = evaluation.all_items(&self.items)?.into_atoms();
        let most = MOST_TRIED + TRIED_FOR_EACH * items.len();
        let mut tried = 0;
        let mut holds = |start: usize, end: Option<usize>| {
            tried += 1;
            if tried > most {
                return Err(Undecided);
            }
            self.holds(evaluation, &items, start, end)
        };
        let mut first = 0;
        while first < items.len() {
            if !holds(first, None)? {
                first += 1;
                continue;
            }
            let mut last = first;
            let is_ended = loop {
                match &self.end {
                    Some(_) if holds(first, Some(last))? => break true,
                    None if last + 1 < items.len() && holds(last + 1, None)? => break true,
                    _ if last + 1 == items.len() => break self.end.is_none(),
                    _ => last += 1,
                }
            };
            if is_ended || !self.only_ended {
                let mut window = Value::Empty;
                items[first..=last].iter().for_each(|item| window.push(item.clone()));
                let start = self.start.values(&items, first);
                let end = self.end.iter().flat_map(|end| end.values(&items, last));
                take(&mut start.chain(end).chain(std::iter::once((self.slot, window))))?;
            }
            first = if self.are_sliding { first + 1 } else { last + 1 };
        }
        Ok(())
    }

    /// Whether a window may start at an item, or one that started there ends at another.
    fn holds<'a>(
        &'a self,
        evaluation: &Evaluation<'a, '_>,
        items: &[Atom<'a>],
        start: usize,
        end: Option<usize>,
    ) -> Result<bool, Undecided> {
        let mut found = false;
        let mut values = self.start.values(items, start);
        match (end, &self.end) {
            (Some(place), Some(end)) => {
                let mut values = values.chain(end.values(items, place));
                evaluation.with_all(&mut values, &mut |inside| {
                    found = inside.truth(&end.when)?;
                    Ok(())
                })?;
            }
            _ => evaluation.with_all(&mut values, &mut |inside| {
                found = inside.truth(&self.start.when)?;
                Ok(())
            })?,
        }
        Ok(found)
    }
}
