//! A step from one row that stops as soon as the caller has enough: for `[1]`, `[n]` and tests of existence.

use super::axes::{Axis, Step};
use super::Tree;
use crate::rows::kind;

impl Tree {
    /// The row after another one, or the first, of a step from a row. None for axes that this does not support.
    pub fn next_along(&self, step: &Step, row: u32, previous: Option<u32>) -> Option<Option<u32>> {
        let accepts = |&row: &u32| step.test.accepts(self.codes[row as usize]);
        Some(match step.axis {
            Axis::Child => {
                let first = previous.map_or_else(|| self.attributes_end(row), |last| self.ends[last as usize]);
                self.siblings_until(first, self.ends[row as usize]).find(accepts)
            }
            Axis::FollowingSibling => {
                let parent = self.family(row);
                let last = previous.unwrap_or(row);
                parent.and_then(|parent| {
                    self.siblings_until(self.ends[last as usize], self.ends[parent as usize]).find(accepts)
                })
            }
            Axis::PrecedingSibling => {
                let parent = self.family(row);
                parent.and_then(|parent| self.siblings_before(previous.unwrap_or(row), parent).find(accepts))
            }
            Axis::Descendant => self.below(previous.unwrap_or(row) + 1, self.ends[row as usize]).find(accepts),
            Axis::Following => {
                let first = previous.map_or(self.ends[row as usize], |last| last + 1);
                self.below(first, self.len() as u32).find(accepts)
            }
            Axis::Ancestor => self.ancestors_of(previous.unwrap_or(row)).find(accepts),
            Axis::Preceding => {
                // A row that begins before another and ends after it is its ancestor.
                let is_before = |&other: &u32| self.ends[other as usize] <= row && self.kind(other) != kind::ATTRIBUTE;
                (0..previous.unwrap_or(row)).rev().filter(is_before).find(accepts)
            }
            _ => return None,
        })
    }

    /// The parent whose children are a row's siblings; none for roots and attributes.
    pub(super) fn family(&self, row: u32) -> Option<u32> {
        self.parent(row).filter(|_| self.kind(row) != kind::ATTRIBUTE)
    }

    /// From the nearest one.
    fn ancestors_of(&self, row: u32) -> impl Iterator<Item = u32> + '_ {
        std::iter::successors(self.parent(row), |&other| self.parent(other))
    }

    pub(super) fn below(&self, start: u32, end: u32) -> impl Iterator<Item = u32> + '_ {
        (start..end).filter(|&row| self.kind(row) != kind::ATTRIBUTE)
    }

    pub(super) fn siblings_until(&self, first: u32, end: u32) -> impl Iterator<Item = u32> + '_ {
        let mut next = first;
        std::iter::from_fn(move || {
            let row = next;
            (row < end).then(|| {
                next = self.ends[row as usize];
                row
            })
        })
    }

    pub(super) fn siblings_before(&self, row: u32, parent: u32) -> impl Iterator<Item = u32> + '_ {
        let mut last = row;
        std::iter::from_fn(move || {
            let mut before = last - 1;
            if before == parent {
                return None;
            }
            // The previous row is in the sibling's subtree: climb to the sibling itself.
            while self.parents[before as usize] != parent {
                before = self.parents[before as usize];
            }
            last = before;
            (self.kind(before) != kind::ATTRIBUTE).then_some(before)
        })
    }
}
