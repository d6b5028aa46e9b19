//! Elements of a step that may stand in each other: they are announced only where they do.

use super::late::announce;
use super::Projector;
use crate::plan::START;

/// The open elements that one step reaches.
#[derive(Default)]
pub(super) struct Nesting {
    /// Their places among the open elements, outermost first.
    places: Vec<usize>,
    /// How many of them, from the outermost on, have been announced.
    announced: usize,
}

impl Projector {
    /// The innermost open element is reached by steps that ask whether elements nest.
    pub(super) fn enter_nesting(&mut self, action: u32) {
        let place = self.open.len() - 1;
        for &step in &self.automaton.action(action).nesting {
            let nesting = &mut self.nesting[step as usize];
            nesting.enter(place);
            if nesting.places.len() > 1 {
                for other in nesting.announced_before(place + 1) {
                    announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, other);
                    self.rows.record(START, step, self.open[other].row);
                }
            }
        }
    }
}

impl Nesting {
    /// An element starts inside of those that are open.
    #[inline(always)]
    pub(super) fn enter(&mut self, place: usize) {
        self.places.push(place);
    }

    /// The innermost of the elements ends; whether it was announced.
    #[inline(always)]
    pub(super) fn leave(&mut self) -> bool {
        self.places.pop();
        let was_announced = self.announced > self.places.len();
        self.announced = self.announced.min(self.places.len());
        was_announced
    }

    /// The places in front of one that have not been announced: now they have.
    #[inline(always)]
    pub(super) fn announced_before(&mut self, place: usize) -> Vec<usize> {
        let fresh = self.places[self.announced..].iter().take_while(|&&other| other < place);
        let fresh: Vec<usize> = fresh.copied().collect();
        self.announced += fresh.len();
        fresh
    }
}
