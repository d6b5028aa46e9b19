//! Elements that are announced late: just before the first record of a step below them, or never.

use super::nesting::Nesting;
use super::{Open, Projector};
use crate::automaton::Automaton;
use crate::plan::START;
use crate::rows::Rows;

impl Projector {
    /// The innermost open element may be reached by late steps.
    #[inline(always)]
    pub(super) fn enter_late(&mut self, action: u32) {
        let place = self.open.len() - 1;
        for &step in &self.automaton.action(action).late {
            self.nesting[step as usize].enter(place);
        }
    }

    /// An element that was never announced, since it has no row, has ended.
    #[inline(always)]
    pub(super) fn leave_late(&mut self, action: u32) {
        for &step in &self.automaton.action(action).late {
            self.nesting[step as usize].leave();
        }
    }
}

/// A step has a record for the element at a place, or for a text node in it: announce the late elements around it
/// first.
#[inline(always)]
pub(super) fn announce(
    automaton: &Automaton,
    nesting: &mut [Nesting],
    rows: &mut Rows,
    open: &[Open],
    step: u32,
    place: usize,
) {
    for &late in automaton.late_above(step) {
        for other in nesting[late as usize].announced_before(place) {
            // Every reported element has a row, and so do all its ancestors.
            rows.record(START, late, open[other].row);
        }
    }
}
