//! Aggregates from any row up to now, for overlapping windows.
//!
//! A result is that of the function itself, to the last bit: sums come from running totals only if every partial sum is
//! exact, whatever the order of additions; else from the values.

use std::collections::VecDeque;

use super::{Folding, Query, Slot};
use crate::expression::{applied_average, Aggregate, Atom, Fold};

/// Multiples of 2^-20 whose absolute values add up to less than 2^32 are summed by doubles without rounding.
const SCALE: f64 = 1_048_576.0;
const EXACT: i128 = 1 << 52;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Double,
    Other,
}

/// A value with the totals before it.
#[derive(Clone, Debug)]
struct Entry<O> {
    value: Slot<O>,
    /// The sum of the values before it, in units of 2^-20 for doubles.
    total: i128,
    /// The same for absolute values.
    size: i128,
}

/// One aggregate.
#[derive(Debug)]
pub struct Range<O> {
    /// The position of the first row whose values are kept.
    first: u64,
    /// For each row kept, the number of values before its own.
    begins: VecDeque<u64>,
    entries: VecDeque<Entry<O>>,
    /// The number of values before the first one kept.
    gone: u64,
    total: i128,
    size: i128,
    kind: Option<Kind>,
    /// The number of values up to the last one that running totals, or the queue, do not cover.
    unsure: u64,
    /// The values that no later one beats, by their numbers.
    best: VecDeque<(u64, f64, i64)>,
    /// The last row with an error.
    failure: Option<(u64, O)>,
}

impl<O: Clone> Range<O> {
    /// Begin with the row at a position.
    pub fn new(first: u64) -> Self {
        Range {
            first,
            begins: VecDeque::new(),
            entries: VecDeque::new(),
            gone: 0,
            total: 0,
            size: 0,
            kind: None,
            unsure: 0,
            best: VecDeque::new(),
            failure: None,
        }
    }

    fn count(&self) -> u64 {
        self.gone + self.entries.len() as u64
    }

    /// The values of the next row.
    pub fn add(&mut self, folding: Folding, position: u64, values: Result<Vec<Slot<O>>, O>) {
        match values {
            Ok(values) => {
                self.begins.push_back(self.count());
                for value in values {
                    self.add_value(folding, value);
                }
            }
            Err(failure) => {
                *self = Range::new(position + 1);
                self.failure = Some((position, failure));
            }
        }
    }

    fn add_value(&mut self, folding: Folding, value: Slot<O>) {
        let number = self.count();
        let value = match value {
            // For all aggregates except a count, untyped values are doubles.
            Slot::Atom(atom @ Atom::Untyped(_)) if folding != Folding::Count => {
                Slot::Atom(atom.clone().number().unwrap_or(atom))
            }
            other => other,
        };
        let (kind, integer, double) = match value {
            Slot::Atom(Atom::Integer(value)) => (Kind::Integer, value, value as f64),
            Slot::Atom(Atom::Double(value)) => (Kind::Double, 0, value),
            _ => (Kind::Other, 0, 0.0),
        };
        let is_new = self.kind != Some(kind);
        if is_new && self.kind.is_some() || kind == Kind::Other {
            self.unsure = number + 1;
        }
        self.kind = Some(kind);
        let (total, size) = (self.total, self.size);
        match folding {
            Folding::Count => {}
            Folding::Of(Aggregate::Sum | Aggregate::Average) => match units(kind, integer, double) {
                Some(units) => {
                    self.total += units;
                    self.size += units.abs();
                }
                None => self.unsure = number + 1,
            },
            Folding::Of(aggregate) => {
                if kind == Kind::Other || double.is_nan() {
                    self.unsure = number + 1;
                } else {
                    self.take_extreme(aggregate == Aggregate::Greatest, number, kind, double, integer);
                }
            }
        }
        self.entries.push_back(Entry { value, total, size });
    }

    /// Of equal values the first stays in front: the function returns that one.
    fn take_extreme(&mut self, is_max: bool, number: u64, kind: Kind, double: f64, integer: i64) {
        if self.unsure == number + 1 {
            self.best.clear();
        }
        let is_beaten = |&(_, other, whole): &(u64, f64, i64)| match (kind, is_max) {
            (Kind::Integer, true) => whole < integer,
            (Kind::Integer, false) => whole > integer,
            (_, true) => other < double,
            (_, false) => other > double,
        };
        while self.best.back().is_some_and(is_beaten) {
            self.best.pop_back();
        }
        self.best.push_back((number, double, integer));
    }

    /// The aggregate of the values from the row at a position on.
    pub fn result<Q: Query<Object = O>>(&self, number: usize, folding: Folding, start: u64, query: &mut Q) -> Slot<O> {
        if let Some((position, failure)) = &self.failure {
            if start <= *position {
                return Slot::Object(failure.clone());
            }
        }
        let place = start.saturating_sub(self.first) as usize;
        let begin = self.begins.get(place).copied().unwrap_or(self.count());
        let count = self.count() - begin;
        let Folding::Of(aggregate) = folding else { return Slot::Atom(Atom::Integer(count as i64)) };
        if begin >= self.unsure && count > 0 {
            if let Some(atom) = self.known(aggregate, begin, count) {
                return Slot::Atom(atom);
            }
        }
        let values = self.entries.range((begin - self.gone) as usize..).map(|entry| &entry.value);
        match folded(aggregate, values.clone()) {
            Some(found) => found.map_or(Slot::Empty, Slot::Atom),
            None => Slot::Object(query.folded(number, values.cloned().collect())),
        }
    }

    fn known(&self, aggregate: Aggregate, begin: u64, count: u64) -> Option<Atom<'static>> {
        if !matches!(aggregate, Aggregate::Sum | Aggregate::Average) {
            let place = self.best.partition_point(|&(number, ..)| number < begin);
            let &(_, double, integer) = self.best.get(place)?;
            return Some(if self.kind == Some(Kind::Integer) { Atom::Integer(integer) } else { Atom::Double(double) });
        }
        let before = &self.entries[(begin - self.gone) as usize];
        let units = self.total - before.total;
        let total = if self.kind == Some(Kind::Integer) {
            Atom::Integer(i64::try_from(units).ok()?)
        } else if self.size - before.size < EXACT {
            Atom::Double(units as f64 / SCALE)
        } else {
            return None;
        };
        match aggregate {
            Aggregate::Sum => Some(total),
            _ => applied_average(&total, count as i64).ok(),
        }
    }

    /// No start before a position will be requested.
    pub fn forget(&mut self, before: u64) {
        while self.first < before && !self.begins.is_empty() {
            self.begins.pop_front();
            self.first += 1;
        }
        let begin = self.begins.front().copied().unwrap_or(self.count());
        let values = (begin - self.gone) as usize;
        self.entries.drain(..values);
        self.gone = begin;
        while self.best.front().is_some_and(|&(number, ..)| number < begin) {
            self.best.pop_front();
        }
    }

    /// The number of values kept.
    pub fn len(&self) -> usize {
        self.entries.len()
    }
}

/// An exact number of units; None if there is none.
fn units(kind: Kind, integer: i64, double: f64) -> Option<i128> {
    match kind {
        Kind::Integer => Some(integer.into()),
        Kind::Other => None,
        Kind::Double => {
            let scaled = double * SCALE;
            // A negative zero is no sum of units, and infinities are none either.
            let is_plain = double.abs() < 2_147_483_648.0 && !(double == 0.0 && double.is_sign_negative());
            (is_plain && scaled.fract() == 0.0).then_some(scaled as i128)
        }
    }
}

/// The aggregate of some values, in order; None if the query must compute it.
fn folded<'v, O: 'v>(aggregate: Aggregate, values: impl Iterator<Item = &'v Slot<O>>) -> Option<Option<Atom<'static>>> {
    let mut fold = Fold::default();
    for value in values {
        let Slot::Atom(atom) = value else { return None };
        fold.add(aggregate, atom.clone()).ok()?;
    }
    Some(match (aggregate, fold.value()) {
        (Aggregate::Sum, None) => Some(Atom::Integer(0)),
        (Aggregate::Average, Some(total)) => Some(applied_average(&total, fold.count).ok()?),
        (_, value) => value,
    })
}
