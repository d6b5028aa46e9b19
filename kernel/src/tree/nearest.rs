//! The nearest row to one side that passes a test, for questions that follow one another through a family.
//!
//! `following-sibling::y[1]` asked of each child of a parent that has few y, or none, would search the rest of the family
//! for each child. The last answer of a step bounds the next search, in whichever direction the questions go: questions in
//! document order, or against it, look at each sibling once.

use std::sync::PoisonError;

use super::axes::{Axis, Step, Test};
use super::Tree;

/// More steps than a query has: a tree that lives longer than its queries starts afresh.
const MOST_STEPS: usize = 256;

/// The family of rows that are not searched family by family.
const WHOLE_TREE: u32 = u32::MAX;

/// An axis and a test as one key.
pub(super) type StepKey = (bool, u64, bool);

/// The last answer of a step.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    /// The parent of the rows searched.
    family: u32,
    /// Where the search began.
    from: u32,
    found: Option<u32>,
}

impl Tree {
    /// The first row that a step from a row leads to. None for axes that are not followed row by row.
    pub fn first_along(&self, step: &Step, row: u32) -> Option<Option<u32>> {
        let (Some(test), Some(family)) = (test_key(&step.test), self.searched_family(step.axis, row)) else {
            return self.next_along(step, row, None);
        };
        let is_forward = step.axis != Axis::PrecedingSibling;
        let from = if is_forward { self.ends[row as usize] } else { row };
        let key = (is_forward, test, family == WHOLE_TREE);
        let mut nearest = self.nearest.lock().unwrap_or_else(PoisonError::into_inner);
        let last = nearest.get(&key).filter(|last| last.family == family).copied();
        let found = match last {
            None => self.next_along(step, row, None)?,
            Some(last) if is_forward => self.first_from(step, row, from, &last)?,
            Some(last) => self.last_before(step, row, family, &last)?,
        };
        if nearest.len() >= MOST_STEPS {
            nearest.clear();
        }
        nearest.insert(key, Nearest { family, from, found });
        Some(found)
    }

    fn first_from(&self, step: &Step, row: u32, from: u32, last: &Nearest) -> Option<Option<u32>> {
        if from >= last.from {
            return match last.found {
                Some(found) if found < from => self.next_along(step, row, None),
                answer => Some(answer),
            };
        }
        let accepts = |&row: &u32| step.test.accepts(self.codes[row as usize]);
        let between = if last.family == WHOLE_TREE {
            self.below(from, last.from).find(accepts)
        } else {
            self.siblings_until(from, last.from).find(accepts)
        };
        Some(between.or(last.found))
    }

    fn last_before(&self, step: &Step, row: u32, family: u32, last: &Nearest) -> Option<Option<u32>> {
        if row <= last.from {
            return match last.found {
                Some(found) if found >= row => self.next_along(step, row, None),
                answer => Some(answer),
            };
        }
        let accepts = |&row: &u32| step.test.accepts(self.codes[row as usize]);
        let between = self.siblings_before(row, family).take_while(|&other| other >= last.from).find(accepts);
        Some(between.or(last.found))
    }

    /// The family that a step searches; none for attributes, roots and the axes that need no memory.
    fn searched_family(&self, axis: Axis, row: u32) -> Option<u32> {
        match axis {
            Axis::FollowingSibling | Axis::PrecedingSibling => self.family(row),
            Axis::Following => Some(WHOLE_TREE),
            _ => None,
        }
    }
}

fn test_key(test: &Test) -> Option<u64> {
    match test {
        Test::Any => Some(0),
        Test::Kind(kind) => Some(1 << 32 | u64::from(*kind)),
        Test::Code(code) => Some(2 << 32 | u64::from(*code)),
        Test::Codes(_) | Test::Nothing => None,
    }
}
