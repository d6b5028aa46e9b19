//! Elements of a step that may stand in each other: they are announced only where they do.

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
            nesting.places.push(place);
            if nesting.places.len() > 1 {
                for &other in &nesting.places[nesting.announced..] {
                    self.rows.record(START, step, self.open[other].row);
                }
                nesting.announced = nesting.places.len();
            }
        }
    }
}

impl Nesting {
    /// The innermost of the elements ends; whether it was announced.
    pub(super) fn leave(&mut self) -> bool {
        self.places.pop();
        let was_announced = self.announced > self.places.len();
        self.announced = self.announced.min(self.places.len());
        was_announced
    }
}
