//! Takes rows one by one and returns the results of complete windows.

use std::collections::VecDeque;
use std::sync::Arc;

use super::grid::Grid;
use super::hashed::{Hashed, Key as HashKey};
use super::places::{evaluation, given, holds, key_at, key_of, values_of, variables, Key, Needs, Place};
use super::range::Range;
use super::running::Running;
use super::{AtEnd, Code, Ending, Folding, Kind, Outcome, Query, Role, Row, Side, Slot, Spec};
use crate::expression::Atom;
use crate::memory;
use crate::row_paths::NamedRows;
use crate::rows::RowColumns;
use crate::template::Around;
use crate::template_writer::write_values;

/// Number of returned windows that may stay among the open ones in any case.
const MOST_GONE: usize = 64;

/// A window that is open, or has ended and waits for an older one.
#[derive(Debug)]
struct Open<O> {
    start: Place,
    over: Option<(Place, Vec<Slot<O>>)>,
    /// The key by which it is found.
    key: HashKey,
    /// The position of the row at which it was returned, if it stays.
    given: u64,
}

/// A piece of the answer.
#[derive(Debug)]
pub enum Segment<O> {
    /// XML, and its number of items.
    Text(Vec<u8>, u64),
    /// Atomic values.
    Atoms(Vec<Atom<'static>>),
    /// Items of the query.
    Object(O),
}

/// The state of one window clause.
///
/// Holds:  for each open window the rows read at its start; the values of aggregates since the oldest of them.
pub struct Cursor<O> {
    pub(super) spec: Arc<Spec>,
    start_needs: Needs,
    end_needs: Needs,
    position: u64,
    current: Arc<Row>,
    previous: Option<Arc<Row>>,
    waiting: Option<Arc<Row>>,
    open: VecDeque<Open<O>>,
    last: Place,
    running: Vec<Running<O>>,
    pub(super) ranges: Vec<Range<O>>,
    /// The windows by key.
    hashed: Hashed,
    /// Number of returned windows among the open ones that are to be removed.
    gone: usize,
    /// Used if windows are formed by a value.
    pub(super) grid: Grid,
    /// The position of the last row of a returned window.
    last_given: u64,
    /// The key of the newest window, if all keys have ascended since there was none; otherwise None.
    latest: Option<Option<Key>>,
    segments: Vec<Segment<O>>,
}

impl<O: Clone> Cursor<O> {
    /// Before the first row.
    pub fn new(spec: Spec) -> Self {
        let needs = |side| Needs {
            current: spec.reads(side, Role::Current),
            previous: spec.reads(side, Role::Previous),
            next: spec.reads(side, Role::Next),
        };
        Cursor {
            start_needs: needs(Side::Start),
            end_needs: needs(Side::End),
            spec: Arc::new(spec),
            position: 0,
            current: Arc::default(),
            previous: None,
            waiting: None,
            open: VecDeque::new(),
            last: Place::default(),
            running: Vec::new(),
            ranges: Vec::new(),
            hashed: Hashed::default(),
            gone: 0,
            grid: Grid::default(),
            last_given: 0,
            latest: Some(None),
            segments: Vec::new(),
        }
    }

    /// Some consecutive rows, as written by a scan.
    pub fn push<Q: Query<Object = O>>(&mut self, text: &[u8], rows: u64, query: &mut Q) -> Result<(), Q::Error> {
        let columns = self.spec.columns;
        let mut rest = text;
        for _ in 0..rows {
            memory::check();
            match Arc::get_mut(&mut self.current) {
                Some(row) => rest = row.read(rest, columns),
                None => {
                    let mut row = Row::default();
                    rest = row.read(rest, columns);
                    self.current = Arc::new(row);
                }
            }
            let row = self.current.clone();
            self.push_row(row, query)?;
        }
        Ok(())
    }

    /// One row.
    pub fn push_row<Q: Query<Object = O>>(&mut self, row: Arc<Row>, query: &mut Q) -> Result<(), Q::Error> {
        if !(self.start_needs.next || self.end_needs.next) {
            return self.step(row, None, query);
        }
        match self.waiting.replace(row.clone()) {
            None => Ok(()),
            Some(before) => self.step(before, Some(row), query),
        }
    }

    /// The end of the input.
    pub fn finish<Q: Query<Object = O>>(&mut self, query: &mut Q) -> Result<(), Q::Error> {
        if let Some(row) = self.waiting.take() {
            self.step(row, None, query)?;
        }
        if let Kind::Grid { .. } = self.spec.kind {
            return self.finish_grid(query);
        }
        let at_end = self.spec.at_end;
        while let Some(Open { start, over, given, .. }) = self.open.pop_front() {
            match over {
                Some((end, results)) if self.spec.by_start => self.give(&start, &end, &results, query)?,
                None if at_end != AtEnd::Nothing && given != self.last.position => {
                    if at_end == AtEnd::First && self.last.position <= self.last_given {
                        return Ok(());
                    }
                    let (end, results) = (self.last.clone(), self.results(start.position, query));
                    self.give(&start, &end, &results, query)?;
                    if at_end == AtEnd::First {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The results since the last call.
    pub fn take_segments(&mut self) -> Vec<Segment<O>> {
        std::mem::take(&mut self.segments)
    }

    /// The number of rows held, and their bytes with the values of aggregates.
    pub fn held(&self) -> (usize, usize) {
        let (mut rows, mut bytes) = (0, 0);
        for open in &self.open {
            for row in [&open.start.current, &open.start.previous, &open.start.next].into_iter().flatten() {
                rows += 1;
                bytes += row.size();
            }
        }
        (rows, bytes + 16 * self.ranges.iter().map(Range::len).sum::<usize>())
    }

    fn step<Q: Query<Object = O>>(
        &mut self,
        row: Arc<Row>,
        next: Option<Arc<Row>>,
        query: &mut Q,
    ) -> Result<(), Q::Error> {
        self.position += 1;
        let place = Place { current: Some(row), position: self.position, previous: self.previous.take(), next };
        let stepped = match self.spec.kind {
            Kind::Tumbling => self.tumble(&place, query),
            Kind::Sliding => self.slide(&place, query),
            Kind::Landmark => self.mark(&place, query),
            Kind::Grid { .. } => self.reach(&place, query),
        };
        if self.start_needs.previous || self.end_needs.previous {
            self.previous = place.current;
        }
        stepped
    }

    fn tumble<Q: Query<Object = O>>(&mut self, place: &Place, query: &mut Q) -> Result<(), Q::Error> {
        let spec = self.spec.clone();
        let mut starts = None;
        if spec.newstart && !self.open.is_empty() {
            let found = self.starts(&spec, place, query)?;
            starts = Some(found);
            if found {
                self.close_front(query)?;
            }
        }
        if self.open.is_empty() {
            let starts = match starts {
                Some(known) => known,
                None => self.starts(&spec, place, query)?,
            };
            if !starts {
                return Ok(());
            }
            self.open_at(&spec, place);
            self.clear(place.position);
        }
        self.add(&spec, place, query);
        self.last = place.kept(self.end_needs);
        if !spec.newstart && self.ends(&spec, 0, query)? {
            self.close_front(query)?;
        }
        Ok(())
    }

    fn slide<Q: Query<Object = O>>(&mut self, place: &Place, query: &mut Q) -> Result<(), Q::Error> {
        let spec = self.spec.clone();
        let starts = self.starts(&spec, place, query)?;
        if spec.newstart && starts {
            while !self.open.is_empty() {
                self.close_front(query)?;
            }
        }
        if !self.enter(&spec, place, starts, query) {
            return Ok(());
        }
        if !spec.newstart && self.condition_holds(spec.shared.as_ref(), &Place::default(), query)? {
            self.end_windows(&spec, query)?;
        }
        let oldest = self.open.front().map_or(place.position + 1, |open| open.start.position);
        self.ranges.iter_mut().for_each(|range| range.forget(oldest));
        Ok(())
    }

    /// Add a row to the open windows, and open one if it starts there; false if it belongs to none.
    fn enter<Q: Query<Object = O>>(&mut self, spec: &Spec, place: &Place, starts: bool, query: &mut Q) -> bool {
        if self.open.is_empty() {
            if !starts {
                return false;
            }
            self.clear(place.position);
        }
        self.add(spec, place, query);
        if starts {
            self.open_at(spec, place);
        }
        self.last = place.kept(self.end_needs);
        true
    }

    /// Windows stay open for good.
    fn mark<Q: Query<Object = O>>(&mut self, place: &Place, query: &mut Q) -> Result<(), Q::Error> {
        let spec = self.spec.clone();
        let starts = self.starts(&spec, place, query)?;
        if spec.newstart && starts {
            self.give_open(0..self.open.len(), query)?;
        }
        if !self.enter(&spec, place, starts, query) {
            return Ok(());
        }
        if spec.newstart || !self.condition_holds(spec.shared.as_ref(), &Place::default(), query)? {
            return Ok(());
        }
        let ending = self.ending(&spec, query)?;
        ending.iter().for_each(|&place| self.open[place].given = self.last.position);
        self.give_open(ending, query)
    }

    /// Return windows at the last row, and keep them.
    fn give_open<Q: Query<Object = O>>(
        &mut self,
        places: impl IntoIterator<Item = usize>,
        query: &mut Q,
    ) -> Result<(), Q::Error> {
        for place in places {
            let start = self.open[place].start.clone();
            let (end, results) = (self.last.clone(), self.results(start.position, query));
            self.give(&start, &end, &results, query)?;
        }
        Ok(())
    }

    /// The indexes of open windows that end at the last row, oldest first.
    fn ending<Q: Query<Object = O>>(&self, spec: &Spec, query: &mut Q) -> Result<Vec<usize>, Q::Error> {
        let mut found = Vec::new();
        let mut ask = |place: usize| -> Result<(), Q::Error> {
            if self.open[place].over.is_none() && self.ends(spec, place, query)? {
                found.push(place);
            }
            Ok(())
        };
        let starts = match &spec.ending {
            Ending::Hashed { end, .. } => self.hashed.starts(&key_at(spec, end, &self.last)),
            _ => None,
        };
        match starts {
            None => (0..self.open.len()).try_for_each(ask)?,
            Some(starts) => starts.into_iter().try_for_each(|start| {
                self.open.binary_search_by_key(&start, |open| open.start.position).map_or(Ok(()), &mut ask)
            })?,
        }
        Ok(found)
    }

    /// Return the windows that end here, or let them wait for older ones.
    fn end_windows<Q: Query<Object = O>>(&mut self, spec: &Spec, query: &mut Q) -> Result<(), Q::Error> {
        let in_order = match spec.ending {
            Ending::Distance(_) => true,
            Ending::Ordered { .. } => self.latest.is_some(),
            Ending::Each | Ending::Hashed { .. } => false,
        };
        if in_order {
            while !self.open.is_empty() && self.ends(spec, 0, query)? {
                self.close_front(query)?;
            }
            return Ok(());
        }
        for place in self.ending(spec, query)? {
            let open = &mut self.open[place];
            let start = open.start.clone();
            self.hashed.remove(&std::mem::take(&mut open.key), start.position);
            let (end, results) = (self.last.clone(), self.results(start.position, query));
            if spec.by_start {
                self.open[place].over = Some((end, results));
            } else {
                self.open[place].over = Some(Default::default());
                self.gone += 1;
                self.give(&start, &end, &results, query)?;
            }
        }
        if self.gone > MOST_GONE && self.gone > self.open.len() / 2 {
            self.open.retain(|open| open.over.is_none());
            self.gone = 0;
        }
        while self.open.front().is_some_and(|open| open.over.is_some()) {
            match self.open.pop_front() {
                Some(Open { start, over: Some((end, results)), .. }) if spec.by_start => {
                    self.give(&start, &end, &results, query)?;
                }
                _ => self.gone = self.gone.saturating_sub(1),
            }
        }
        Ok(())
    }

    /// The oldest window ends at the last row.
    fn close_front<Q: Query<Object = O>>(&mut self, query: &mut Q) -> Result<(), Q::Error> {
        let Some(open) = self.open.pop_front() else { return Ok(()) };
        let (end, results) = match open.over {
            Some(over) => over,
            None => (self.last.clone(), self.results(open.start.position, query)),
        };
        self.give(&open.start, &end, &results, query)
    }

    fn open_at(&mut self, spec: &Spec, place: &Place) {
        let start = place.kept(self.start_needs);
        self.note_key(spec, &start);
        let key = match &spec.ending {
            Ending::Hashed { start: code, .. } => key_at(spec, code, &start),
            _ => HashKey::default(),
        };
        if let Ending::Hashed { .. } = spec.ending {
            self.hashed.add(&key, start.position);
        }
        self.open.push_back(Open { start, over: None, key, given: 0 });
    }

    /// Whether the keys of windows still ascend.
    fn note_key(&mut self, spec: &Spec, start: &Place) {
        let Ending::Ordered { key, is_number } = &spec.ending else { return };
        if self.open.is_empty() {
            self.latest = Some(None);
        }
        let Some(before) = self.latest else { return };
        let found = key.expression.as_ref().and_then(|expression| {
            let variables = variables::<O>(&key.inputs, start, start, &[]).ok()?;
            key_of(evaluation(spec, &variables, &Around::new(0)).one(expression).ok()??, *is_number)
        });
        self.latest = match (before, found) {
            (None, Some(new)) => Some(Some(new)),
            // Keys of two types have no order that certainly agrees with the comparison.
            (Some(old), Some(new)) if old <= new => Some(Some(new)),
            _ => None,
        };
    }

    fn starts<Q: Query<Object = O>>(&self, spec: &Spec, place: &Place, query: &mut Q) -> Result<bool, Q::Error> {
        match &spec.start {
            None => Ok(true),
            Some(code) => holds(spec, code, place, place, query),
        }
    }

    fn condition_holds<Q: Query<Object = O>>(
        &self,
        code: Option<&Code>,
        start: &Place,
        query: &mut Q,
    ) -> Result<bool, Q::Error> {
        match code {
            None => Ok(true),
            Some(code) => holds(&self.spec, code, start, &self.last, query),
        }
    }

    /// Whether the window at an index ends at the last row.
    fn ends<Q: Query<Object = O>>(&self, spec: &Spec, place: usize, query: &mut Q) -> Result<bool, Q::Error> {
        let start = &self.open[place].start;
        match spec.ending {
            Ending::Distance(distance) => Ok(self.last.position - start.position == distance),
            _ => self.condition_holds(spec.end.as_ref(), start, query),
        }
    }

    // --- aggregates

    pub(super) fn clear(&mut self, first: u64) {
        let number = self.spec.aggregates.len();
        if self.spec.overlaps() {
            self.ranges = (0..number).map(|_| Range::new(first)).collect();
        } else {
            self.running = vec![Running::default(); number];
        }
    }

    pub(super) fn add<Q: Query<Object = O>>(&mut self, spec: &Spec, place: &Place, query: &mut Q) {
        for (number, aggregate) in spec.aggregates.iter().enumerate() {
            let values = values_of(spec, &aggregate.values, place, query);
            if spec.overlaps() {
                self.ranges[number].add(aggregate.folding, place.position, values);
            } else {
                self.running[number].add(number, aggregate.folding, values, query);
            }
        }
    }

    pub(super) fn results<Q: Query<Object = O>>(&self, start: u64, query: &mut Q) -> Vec<Slot<O>> {
        let folding = |number: usize| -> Folding { self.spec.aggregates[number].folding };
        if self.spec.overlaps() {
            let each = self.ranges.iter().enumerate();
            return each.map(|(number, range)| range.result(number, folding(number), start, query)).collect();
        }
        let each = self.running.iter().enumerate();
        each.map(|(number, running)| running.result(number, folding(number), query)).collect()
    }

    // --- results

    pub(super) fn give<Q: Query<Object = O>>(
        &mut self,
        start: &Place,
        end: &Place,
        results: &[Slot<O>],
        query: &mut Q,
    ) -> Result<(), Q::Error> {
        let spec = self.spec.clone();
        self.last_given = end.position;
        if let Ok(variables) = variables(&spec.inputs, start, end, results) {
            match &spec.outcome {
                Outcome::Template(parts) => {
                    if !matches!(self.segments.last(), Some(Segment::Text(..))) {
                        self.segments.push(Segment::Text(Vec::new(), 0));
                    }
                    let Some(Segment::Text(text, items)) = self.segments.last_mut() else { return Ok(()) };
                    let before = text.len();
                    let named = NamedRows { rows: &RowColumns::NONE, names: &spec.no_names };
                    match write_values(parts, named, variables, text) {
                        Ok(written) => {
                            *items += written.number;
                            return Ok(());
                        }
                        Err(_) => text.truncate(before),
                    }
                }
                Outcome::Values(expression) => {
                    let found = evaluation(&spec, &variables, &Around::new(0)).all(expression);
                    if let Some(value) = found.ok().filter(|value| value.atoms().iter().all(Atom::is_plain)) {
                        if !matches!(self.segments.last(), Some(Segment::Atoms(_))) {
                            self.segments.push(Segment::Atoms(Vec::new()));
                        }
                        if let Some(Segment::Atoms(atoms)) = self.segments.last_mut() {
                            atoms.extend(value.into_atoms().into_iter().map(Atom::into_owned));
                        }
                        return Ok(());
                    }
                }
                Outcome::Asked => {}
            }
        }
        let items = query.items(&given(&spec.inputs, start, end, results))?;
        self.segments.push(Segment::Object(items));
        Ok(())
    }
}
