//! The nearest row to one side that passes a test, for successive requests within a family.
//!
//! `following-sibling::y[1]` evaluated for each child of a parent with few y, or none, would search the rest of the
//! family for each child. The last answer of a step bounds the next search, in either direction: requests in document
//! order, or against it, visit each sibling once.

use std::sync::PoisonError;

use super::axes::{Axis, Step, Test};
use super::Tree;

/// A search that visits fewer rows costs no more than caching it.
const NEAR: u32 = 64;

/// Families with cached answers are large, so there are few; a tree with more of them starts afresh.
const MOST_ANSWERS: usize = 4096;

/// The family of rows that are not searched by family.
const WHOLE_TREE: u32 = u32::MAX;

/// The direction of a step, its test as a number, and the parent of the rows searched.
pub(super) type StepKey = (bool, u64, u32);

/// An answer, and the start of its search.
#[derive(Clone, Copy)]
pub(super) struct Nearest {
    from: u32,
    found: Option<u32>,
}

impl Tree {
    /// The first row of a step from a row. None for axes that are not followed row by row.
    pub fn first_along(&self, step: &Step, row: u32) -> Option<Option<u32>> {
        let (Some(test), Some(family)) = (test_key(&step.test), self.searched_family(step.axis, row)) else {
            return self.next_along(step, row, None);
        };
        let is_forward = step.axis != Axis::PrecedingSibling;
        let from = if is_forward { self.ends[row as usize] } else { row };
        let key = (is_forward, test, family);
        let mut nearest = self.nearest.lock().unwrap_or_else(PoisonError::into_inner);
        let found = match nearest.get(&key).copied() {
            None => self.next_along(step, row, None)?,
            Some(last) if is_forward => self.first_from(step, row, from, family, &last)?,
            Some(last) => self.last_before(step, row, family, &last)?,
        };
        if from.abs_diff(found.unwrap_or_else(|| self.bound(is_forward, family))) > NEAR {
            if nearest.len() >= MOST_ANSWERS {
                nearest.clear();
            }
            nearest.insert(key, Nearest { from, found });
        }
        Some(found)
    }

    /// Where an unsuccessful search ends.
    fn bound(&self, is_forward: bool, family: u32) -> u32 {
        match (is_forward, family) {
            (true, WHOLE_TREE) => self.len() as u32,
            (true, _) => self.ends[family as usize],
            (false, _) => family,
        }
    }

    fn first_from(&self, step: &Step, row: u32, from: u32, family: u32, last: &Nearest) -> Option<Option<u32>> {
        if from >= last.from {
            return match last.found {
                Some(found) if found < from => self.next_along(step, row, None),
                answer => Some(answer),
            };
        }
        let accepts = |&row: &u32| step.test.accepts(self.codes[row as usize]);
        let between = if family == WHOLE_TREE {
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

    /// The family that a step searches; none for attributes, roots and the axes that need no cache.
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
