//! Elements of a step that may be nested: which of them are inside another one, and which have been announced.

use super::Projector;
use crate::value_tests::Verdict;

/// The open elements that one step reaches.
#[derive(Default)]
pub(super) struct Nesting {
    /// Their places among the open elements, outermost first.
    places: Vec<usize>,
    /// How many of them, from the outermost inwards, have been announced.
    announced: usize,
    /// The rows of those that have ended inside another one, and their test results.
    pending: Vec<(u32, Verdict)>,
}

impl Projector {
    /// The innermost open element is reached by steps that depend on nesting.
    #[inline(always)]
    pub(super) fn enter_nesting(&mut self, action: u32) {
        let place = self.open.len() - 1;
        for &step in &self.automaton.action(action).nesting {
            self.nesting[step as usize].enter(place);
        }
    }
}

impl Nesting {
    /// An element starts inside the open ones.
    #[inline(always)]
    pub(super) fn enter(&mut self, place: usize) {
        self.places.push(place);
    }

    /// The innermost of the elements ends; returns whether it was announced.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> bool {
        self.places.pop();
        let was_announced = self.announced > self.places.len();
        self.announced = self.announced.min(self.places.len());
        was_announced
    }

    /// Whether none of the elements is open.
    #[inline(always)]
    pub(super) fn is_outside(&self) -> bool {
        self.places.is_empty()
    }

    /// The places before one that have not been announced: they are announced now.
    #[inline(always)]
    pub(super) fn announced_before(&mut self, place: usize) -> Vec<usize> {
        let fresh = self.places[self.announced..].iter().take_while(|&&other| other < place);
        let fresh: Vec<usize> = fresh.copied().collect();
        self.announced += fresh.len();
        fresh
    }

    /// Adds an ended element, which is reported together with the outermost one.
    pub(super) fn wait(&mut self, row: u32, verdict: Verdict) {
        self.pending.push((row, verdict));
    }

    /// The outermost of the elements has ended: returns all that waited, in document order.
    pub(super) fn waited(&mut self) -> Vec<(u32, Verdict)> {
        let mut found = std::mem::take(&mut self.pending);
        found.sort_unstable_by_key(|&(row, _)| row);
        found
    }

    /// The rows from one on are repeated elsewhere.
    pub(super) fn move_rows(&mut self, from: u32, to: u32) {
        for (row, _) in &mut self.pending {
            *row = *row - from + to;
        }
    }
}
