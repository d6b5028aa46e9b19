//! Finds the conjunctions of tests that may hold for the values of columns: sets of them by value, and their
//! intersection.
//!
//! The bounds that tests put on a column cut its values into stretches. Each stretch has the set of conjunctions whose
//! lower bounds are reached by a largest value in it, and the set of those whose upper bounds are met by a smallest
//! value in it: with several values, one may pass one bound and another the other. Conjunctions with equal texts are
//! found by the text. All other tests are evaluated: each conjunction that the index finds is tested in full.

use rustc_hash::FxHashMap;

use super::bits::Bits;
use super::column::Column;
use super::{ColumnTest, Taker};
use crate::plan::{Comparison, Constant};
use crate::value_tests::Verdict;

/// A column is not cut into more stretches: sets grow with their number, and tests decide the rest.
const MOST_STRETCHES: usize = 512;

/// The index over the takers of one step.
pub struct Index {
    columns: Vec<u32>,
    of_column: Vec<OfColumn>,
    /// For each conjunction, in the order of takers: its taker, and which of its alternatives.
    conjunctions: Vec<(u32, u32)>,
    all: Bits,
    /// Those that may hold.
    candidates: Bits,
    scratch: Bits,
}

#[derive(Default)]
struct OfColumn {
    /// Those that need a value, and those that need its absence.
    needs: Bits,
    absent: Bits,
    has_absent: bool,
    bounds: Option<Bounds>,
    texts: Option<Texts>,
}

struct Bounds {
    /// The starts of stretches, except the first.
    starts: Vec<f64>,
    lower: Vec<Bits>,
    upper: Vec<Bits>,
}

struct Texts {
    by_text: FxHashMap<Box<[u8]>, Vec<u32>>,
    /// Those without a test for equality with a text.
    others: Bits,
}

impl Index {
    /// The index over some takers, by their numbers.
    pub fn new(takers: &[Option<Taker>]) -> Self {
        let mut conjunctions = Vec::new();
        for (number, taker) in takers.iter().enumerate() {
            let alternatives = taker.as_ref().map_or(0, |taker| taker.alternatives.len());
            conjunctions.extend((0..alternatives as u32).map(|alternative| (number as u32, alternative)));
        }
        let tests: Vec<&[ColumnTest]> =
            takers.iter().flatten().flat_map(|taker| taker.alternatives.iter().map(Vec::as_slice)).collect();
        let mut columns: Vec<u32> = tests.iter().copied().flatten().map(|test| test.column).collect();
        columns.sort_unstable();
        columns.dedup();
        let of_column = columns.iter().map(|&column| OfColumn::new(column, &tests)).collect();
        let (all, none) = (Bits::full(tests.len()), Bits::empty(tests.len()));
        Index { columns, of_column, conjunctions, all, candidates: none.clone(), scratch: none }
    }

    /// The columns that it reads.
    pub fn columns(&self) -> &[u32] {
        &self.columns
    }

    /// Call a function with each taker that takes an element with these column values, and with the verdict.
    pub fn matching(&mut self, takers: &[Option<Taker>], columns: &[Column], found: &mut impl FnMut(&Taker, Verdict)) {
        // If no test has narrowed the takers yet, the first sets need not be intersected with all of them.
        let mut is_all = true;
        for (place, of_column) in self.of_column.iter().enumerate() {
            let column = &columns[self.columns[place] as usize];
            if !of_column.narrow(column, &self.all, &mut is_all, &mut self.candidates, &mut self.scratch) {
                return;
            }
        }
        if is_all {
            self.candidates.copy(&self.all);
        }
        let mut tell = |last: Option<(u32, Verdict)>| match last {
            None | Some((_, Verdict::Fails)) => {}
            Some((number, verdict)) => {
                if let Some(taker) = &takers[number as usize] {
                    found(taker, verdict);
                }
            }
        };
        let mut last: Option<(u32, Verdict)> = None;
        self.candidates.each(&mut |place| {
            let (number, alternative) = self.conjunctions[place];
            let Some(taker) = &takers[number as usize] else { return };
            let verdict = decided(&taker.alternatives[alternative as usize], columns);
            match &mut last {
                Some((before, best)) if *before == number => *best = either(*best, verdict),
                _ => {
                    tell(last);
                    last = Some((number, verdict));
                }
            }
        });
        tell(last);
    }
}

/// The combined result of alternatives: one that holds decides.
fn either(one: Verdict, other: Verdict) -> Verdict {
    match (one, other) {
        (Verdict::Holds, _) | (_, Verdict::Holds) => Verdict::Holds,
        (Verdict::Open, _) | (_, Verdict::Open) => Verdict::Open,
        _ => Verdict::Fails,
    }
}

#[inline(always)]
fn decided(tests: &[ColumnTest], columns: &[Column]) -> Verdict {
    let mut found = Verdict::Holds;
    for test in tests {
        match columns[test.column as usize].verdict(test.comparison, &test.constant) {
            Verdict::Fails => return Verdict::Fails,
            Verdict::Open => found = Verdict::Open,
            Verdict::Holds => {}
        }
    }
    found
}

impl OfColumn {
    fn new(column: u32, conjunctions: &[&[ColumnTest]]) -> Self {
        let size = conjunctions.len();
        let mut made = OfColumn { needs: Bits::empty(size), absent: Bits::empty(size), ..OfColumn::default() };
        let (mut lowest, mut highest, mut texts) = (Vec::new(), Vec::new(), Vec::new());
        for (number, tests) in conjunctions.iter().enumerate() {
            let (mut low, mut high, mut text) = (f64::NEG_INFINITY, f64::INFINITY, None);
            for test in tests.iter().filter(|test| test.column == column) {
                match test.comparison {
                    Comparison::Absent => {
                        made.absent.insert(number);
                        made.has_absent = true;
                        continue;
                    }
                    _ => made.needs.insert(number),
                }
                match (test.comparison, &test.constant) {
                    (Comparison::Equal, Constant::Number(bound)) => {
                        low = low.max(*bound);
                        high = high.min(*bound);
                    }
                    (Comparison::Greater | Comparison::GreaterOrEqual, Constant::Number(bound)) => {
                        low = low.max(*bound);
                    }
                    (Comparison::Less | Comparison::LessOrEqual, Constant::Number(bound)) => high = high.min(*bound),
                    (Comparison::Equal, Constant::Text(wanted)) => text = Some(wanted.as_bytes()),
                    _ => {}
                }
            }
            lowest.push(low);
            highest.push(high);
            texts.push(text);
        }
        made.bounds = Bounds::new(&lowest, &highest);
        made.texts = Texts::new(&texts);
        made
    }

    /// Keep only the candidates that may hold for the values; returns whether there are any.
    #[inline(always)]
    fn narrow(
        &self,
        column: &Column,
        all: &Bits,
        is_all: &mut bool,
        candidates: &mut Bits,
        scratch: &mut Bits,
    ) -> bool {
        // A value that is not a number leaves every bound open; NaN alone has no largest.
        if let (Some(bounds), false, true) = (&self.bounds, column.is_open, column.least <= column.most) {
            let (lower, upper) =
                (&bounds.lower[bounds.stretch(column.most)], &bounds.upper[bounds.stretch(column.least)]);
            let is_left = if std::mem::take(is_all) {
                candidates.become_common(lower, upper)
            } else {
                candidates.keep(lower) && candidates.keep(upper)
            };
            if !is_left {
                return false;
            }
        }
        let is_plain = column.is_there && !self.has_absent && self.texts.is_none();
        if std::mem::replace(is_all, *is_all && is_plain) && !is_plain {
            candidates.copy(all);
        }
        if !column.is_there {
            candidates.drop(&self.needs);
            return true;
        }
        if self.has_absent {
            candidates.drop(&self.absent);
        }
        let Some(texts) = &self.texts else { return true };
        scratch.copy(&texts.others);
        for value in column.texts() {
            for &number in texts.by_text.get(value).map_or(&[][..], Vec::as_slice) {
                scratch.insert(number as usize);
            }
        }
        candidates.keep(scratch)
    }
}

impl Bounds {
    /// None if nothing is bounded.
    fn new(lowest: &[f64], highest: &[f64]) -> Option<Self> {
        let mut starts: Vec<f64> = lowest.iter().chain(highest).copied().filter(|bound| bound.is_finite()).collect();
        if starts.is_empty() {
            return None;
        }
        starts.sort_unstable_by(f64::total_cmp);
        starts.dedup_by(|one, other| one == other);
        let every = starts.len().div_ceil(MOST_STRETCHES);
        let starts: Vec<f64> = starts.into_iter().step_by(every).collect();
        let mut bounds = Bounds { starts, lower: Vec::new(), upper: Vec::new() };
        let stretches = bounds.starts.len() + 1;
        let mut beginning: Vec<Vec<usize>> = vec![Vec::new(); stretches];
        let mut ending: Vec<Vec<usize>> = vec![Vec::new(); stretches];
        for (number, (&low, &high)) in lowest.iter().zip(highest).enumerate() {
            beginning[bounds.stretch(low)].push(number);
            ending[bounds.stretch(high)].push(number);
        }
        // From one stretch to the next, bounds that begin there are added, and bounds that ended before are removed.
        let (mut lower, mut upper) = (Bits::empty(lowest.len()), Bits::full(lowest.len()));
        for stretch in 0..stretches {
            for &number in &beginning[stretch] {
                lower.insert(number);
            }
            bounds.lower.push(lower.clone());
            bounds.upper.push(upper.clone());
            for &number in &ending[stretch] {
                upper.remove(number);
            }
        }
        Some(bounds)
    }

    /// The stretch that a value lies in.
    #[inline(always)]
    fn stretch(&self, value: f64) -> usize {
        self.starts.partition_point(|&start| start <= value)
    }
}

impl Texts {
    /// None without equality tests.
    fn new(texts: &[Option<&[u8]>]) -> Option<Self> {
        let mut by_text: FxHashMap<Box<[u8]>, Vec<u32>> = FxHashMap::default();
        let mut others = Bits::full(texts.len());
        for (number, text) in texts.iter().enumerate() {
            if let Some(text) = text {
                by_text.entry((*text).into()).or_default().push(number as u32);
                others.remove(number);
            }
        }
        (!by_text.is_empty()).then_some(Texts { by_text, others })
    }
}
