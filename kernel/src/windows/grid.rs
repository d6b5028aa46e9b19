//! Windows by a value that does not decrease: one begins at each step after the first value, with or without rows.

use std::collections::VecDeque;

use super::cursor::Cursor;
use super::places::{evaluation, given, variables, Place};
use super::{Kind, Query, Spec};
use crate::expression::Atom;
use crate::template::Around;

/// A gap between two rows may yield any number of windows; this many are written together.
const MOST_TOGETHER: usize = 4096;

/// The window being filled, and its index.
#[derive(Debug)]
pub(super) struct Grid {
    first: Option<f64>,
    /// The number of earlier windows.
    number: u64,
    last: f64,
    /// The values of its rows, with the numbers of these rows among those in windows.
    rows: VecDeque<(f64, u64)>,
    added: u64,
    has_new: bool,
}

impl Default for Grid {
    fn default() -> Self {
        Grid { first: None, number: 0, last: f64::NEG_INFINITY, rows: VecDeque::new(), added: 0, has_new: false }
    }
}

impl Grid {
    fn start(&self, step: f64) -> f64 {
        self.first.unwrap_or_default() + self.number as f64 * step
    }

    /// The number of the first row in the window.
    fn first_row(&self) -> u64 {
        self.rows.front().map_or(self.added + 1, |&(_, number)| number)
    }
}

impl<O: Clone> Cursor<O> {
    /// A row of a grid.
    pub(super) fn reach<Q: Query<Object = O>>(&mut self, place: &Place, query: &mut Q) -> Result<(), Q::Error> {
        let spec = self.spec.clone();
        let Kind::Grid { size, step, .. } = spec.kind else { return Ok(()) };
        let value = self.reference(&spec, place, query)?;
        self.grid.last = value;
        if self.grid.first.is_none() {
            self.grid.first = Some(value);
            self.clear(1);
        }
        let mut together = 0;
        while value >= self.grid.start(step) + size {
            self.give_grid(query)?;
            self.grid.has_new = false;
            self.grid.number += 1;
            let start = self.grid.start(step);
            while self.grid.rows.front().is_some_and(|&(value, _)| value < start) {
                self.grid.rows.pop_front();
            }
            let first = self.grid.first_row();
            self.ranges.iter_mut().for_each(|range| range.forget(first));
            together += 1;
            if together == MOST_TOGETHER {
                together = 0;
                let segments = self.take_segments();
                query.flush(segments)?;
            }
        }
        if value >= self.grid.start(step) {
            self.grid.added += 1;
            let added = Place { position: self.grid.added, ..place.clone() };
            self.add(&spec, &added, query);
            self.grid.rows.push_back((value, self.grid.added));
            self.grid.has_new = true;
        }
        Ok(())
    }

    /// The end of the input.
    pub(super) fn finish_grid<Q: Query<Object = O>>(&mut self, query: &mut Q) -> Result<(), Q::Error> {
        if self.grid.has_new {
            self.give_grid(query)?;
        }
        Ok(())
    }

    fn give_grid<Q: Query<Object = O>>(&mut self, query: &mut Q) -> Result<(), Q::Error> {
        let results = self.results(self.grid.first_row(), query);
        self.give(&Place::default(), &Place::default(), &results, query)
    }

    /// The value of a row. The query reports any error.
    fn reference<Q: Query<Object = O>>(&self, spec: &Spec, place: &Place, query: &mut Q) -> Result<f64, Q::Error> {
        let Kind::Grid { size, step, reference } = &spec.kind else { return Ok(0.0) };
        let known = reference.expression.as_ref().and_then(|expression| {
            let variables = variables::<O>(&reference.inputs, place, place, &[]).ok()?;
            match evaluation(spec, &variables, &Around::new(0)).one(expression).ok()??.number().ok()? {
                Atom::Integer(value) => Some(value as f64),
                Atom::Double(value) => Some(value),
                _ => None,
            }
        });
        match known {
            Some(value) if value >= self.grid.last && value < value + size.min(*step) => Ok(value),
            _ => query.reference(reference, &given(&reference.inputs, place, place, &[]), self.grid.last),
        }
    }
}
