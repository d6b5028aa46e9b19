//! Many takers of one step: an index finds those that take an element by its values, instead of asking each taker.
//!
//! A *taker* has tests of its own and a result of its own for the elements of a step. The values that tests read are
//! *columns*: each is read once for an element, whoever asks for it. An *index* over the tests of a step's takers gives
//! those that may take an element with such values, and only their tests are made.

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
    /// How its values are compared; one that compares so is enough.
    pub comparison: Comparison,
    /// What they are compared with.
    pub constant: Constant,
}

/// Somebody who takes elements of a step.
#[derive(Debug)]
pub struct Taker {
    /// Whose records these are.
    pub owner: u32,
    /// The step as its owner numbers it.
    pub own_step: u32,
    /// Of one of these lists all tests must hold.
    pub alternatives: Vec<Vec<ColumnTest>>,
    /// The number of what is done with elements that pass; None to report them.
    pub result: Option<u32>,
}

/// The takers of one step.
#[derive(Default)]
struct OfStep {
    takers: Vec<Option<Taker>>,
    free: Vec<u32>,
    /// None where takers have come or gone since it was made.
    index: Option<Index>,
}

/// All takers of a scan.
#[derive(Default)]
pub struct Takers {
    columns: Vec<Column>,
    results: Vec<ScanResult>,
    steps: Vec<OfStep>,
    /// Which element the columns are read for: counts all elements that takers were looked up for.
    element: u64,
}

impl Takers {
    /// A column, by the values it has; it is the same for equal ones.
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

    /// Another taker of a step; its number there, or None where it names what there is not.
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

    /// A taker is gone; whether there was one.
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

    /// Another element: what the columns have is of the one before.
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
