//! Many takers of one step: an index finds those that take an element by its values, instead of testing each taker.
//!
//! A *taker* has tests of its own and a result of its own for the elements of a step. The values that tests read are
//! *columns*: each is read once for an element, whoever needs it. An *index* over the tests of a step's takers returns
//! those that may take an element with such values, and only their tests are evaluated.

mod bits;
mod column;
mod index;

use crate::plan::{Comparison, Constant, ValuesBelow};
use crate::row_paths::NamedRows;
use crate::template::ScanResult;
use crate::value_tests::Verdict;

use column::Column;
use index::Index;

/// A comparison of the values of a column.
#[derive(Clone, Debug)]
pub struct ColumnTest {
    /// The number of the column.
    pub column: u32,
    /// The comparison; one value that passes is enough.
    pub comparison: Comparison,
    /// The constants.
    pub constant: Constant,
}

/// A taker of the elements of a step.
#[derive(Debug)]
pub struct Taker {
    /// The owner of the records.
    pub owner: u32,
    /// The step as its owner numbers it.
    pub own_step: u32,
    /// All tests of one of these lists must hold.
    pub alternatives: Vec<Vec<ColumnTest>>,
    /// The number of the action on elements that pass; None to report them.
    pub result: Option<u32>,
}

/// The takers of one step.
#[derive(Default)]
struct OfStep {
    takers: Vec<Option<Taker>>,
    free: Vec<u32>,
    /// None if takers were added or removed since it was built.
    index: Option<Index>,
}

/// All takers of a scan.
#[derive(Default)]
pub struct Takers {
    columns: Vec<Column>,
    results: Vec<ScanResult>,
    steps: Vec<OfStep>,
    /// The element of the cached columns: counts all elements that takers were looked up for.
    element: u64,
}

impl Takers {
    /// A column, by its values; equal columns are shared.
    pub fn column(&mut self, values: ValuesBelow) -> u32 {
        let known = self.columns.iter().position(|column| column.values == values);
        known.unwrap_or_else(|| {
            self.columns.push(Column::new(values));
            self.columns.len() - 1
        }) as u32
    }

    /// A result that takers may share.
    pub fn result(&mut self, result: ScanResult) -> u32 {
        self.results.push(result);
        self.results.len() as u32 - 1
    }

    /// Add a taker of a step; returns its number there, or None if it refers to unknown columns or results.
    pub fn add(&mut self, step: u32, taker: Taker) -> Option<u32> {
        let tests = || taker.alternatives.iter().flatten();
        let has_columns = tests().all(|test| (test.column as usize) < self.columns.len());
        if !has_columns || taker.result.is_some_and(|result| result as usize >= self.results.len()) {
            return None;
        }
        for test in tests() {
            self.columns[test.column as usize].expect(test);
        }
        if self.steps.len() <= step as usize {
            self.steps.resize_with(step as usize + 1, OfStep::default);
        }
        let of_step = &mut self.steps[step as usize];
        of_step.index = None;
        Some(match of_step.free.pop() {
            Some(number) => {
                of_step.takers[number as usize] = Some(taker);
                number
            }
            None => {
                of_step.takers.push(Some(taker));
                of_step.takers.len() as u32 - 1
            }
        })
    }

    /// Remove a taker; returns whether there was one.
    pub fn remove(&mut self, step: u32, number: u32) -> bool {
        let Some(of_step) = self.steps.get_mut(step as usize) else { return false };
        let there = of_step.takers.get_mut(number as usize).and_then(Option::take).is_some();
        if there {
            of_step.index = None;
            of_step.free.push(number);
        }
        there
    }

    /// Whether a step has takers, or has had some.
    #[inline(always)]
    pub fn has(&self, step: u32) -> bool {
        (step as usize) < self.steps.len() && !self.steps[step as usize].takers.is_empty()
    }

    /// Move to another element: the cached columns are outdated.
    pub fn next_element(&mut self) {
        self.element += 1;
    }

    /// Call a function for each taker of a step that takes the element of a row, or may.
    pub fn look_up(
        &mut self,
        step: u32,
        named: NamedRows<'_>,
        row: usize,
        found: &mut impl FnMut(&Taker, Option<(u32, &ScanResult)>, Verdict),
    ) {
        let Takers { columns, results, steps, element } = self;
        let Some(OfStep { takers, index, .. }) = steps.get_mut(step as usize) else { return };
        let index = index.get_or_insert_with(|| Index::new(takers));
        for &column in index.columns() {
            columns[column as usize].read(*element, named, row);
        }
        index.matching(takers, columns, &mut |taker, verdict| {
            found(taker, taker.result.map(|result| (result, &results[result as usize])), verdict);
        });
    }
}

#[cfg(test)]
mod tests;
