//! Takes rows one by one and gives the results of windows that are complete.

use std::collections::VecDeque;
use std::sync::Arc;

use super::range::Range;
use super::running::Running;
use super::{Code, Ending, Folding, Given, Input, Outcome, Query, Role, Row, Side, Slot, Spec};
use crate::expression::{Atom, Evaluation, Value};
use crate::row_paths::NamedRows;
use crate::template::{Around, Undecided};
use crate::template_writer::write_values;

/// A row with its position and its neighbours, None where there are none or nothing asks for them.
#[derive(Clone, Debug, Default)]
struct Place {
    current: Option<Arc<Row>>,
    position: u64,
    previous: Option<Arc<Row>>,
    next: Option<Arc<Row>>,
}

/// A window that is open, or over and waits for an older one.
#[derive(Debug)]
struct Open<O> {
    start: Place,
    over: Option<(Place, Vec<Slot<O>>)>,
}

/// A piece of the answer.
#[derive(Debug)]
pub enum Segment<O> {
    /// XML, and how many items it is.
    Text(Vec<u8>, u64),
    /// Atomic values.
    Atoms(Vec<Atom<'static>>),
    /// Items of the query.
    Object(O),
}

/// Which of the rows around a place are read.
#[derive(Clone, Copy, Debug)]
struct Needs {
    current: bool,
    previous: bool,
    next: bool,
}

/// Numbers that ascend, all of one type.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
enum Key {
    Integer(i64),
    Double(f64),
}

/// The state of one window clause.
///
/// Holds:  for each open window the rows at its start that are read; the values of aggregates since the oldest of them.
pub struct Cursor<O> {
    spec: Arc<Spec>,
    start_needs: Needs,
    end_needs: Needs,
    position: u64,
    current: Arc<Row>,
    previous: Option<Arc<Row>>,
    waiting: Option<Arc<Row>>,
    open: VecDeque<Open<O>>,
    last: Place,
    running: Vec<Running<O>>,
    ranges: Vec<Range<O>>,
    /// The key of the newest window, as long as all have ascended since there was none; None where they have not.
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
            latest: Some(None),
            segments: Vec::new(),
        }
    }

    /// Some rows, one after another, as a scan has written them.
    pub fn push<Q: Query<Object = O>>(&mut self, text: &[u8], rows: u64, query: &mut Q) -> Result<(), Q::Error> {
        let columns = self.spec.columns;
        let mut rest = text;
        for _ in 0..rows {
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

    /// The input has ended.
    pub fn finish<Q: Query<Object = O>>(&mut self, query: &mut Q) -> Result<(), Q::Error> {
        if let Some(row) = self.waiting.take() {
            self.step(row, None, query)?;
        }
        while let Some(Open { start, over }) = self.open.pop_front() {
            match over {
                Some((end, results)) if self.spec.by_start => self.give(&start, &end, &results, query)?,
                None if !self.spec.force => {
                    let (end, results) = (self.last.clone(), self.results(start.position, query));
                    self.give(&start, &end, &results, query)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// What has come about since this was last asked.
    pub fn take_segments(&mut self) -> Vec<Segment<O>> {
        std::mem::take(&mut self.segments)
    }

    /// How many rows are kept, and how many bytes with the values of aggregates.
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
        let stepped = if self.spec.is_sliding { self.slide(&place, query) } else { self.tumble(&place, query) };
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
            self.open.push_back(Open { start: place.kept(self.start_needs), over: None });
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
        if self.open.is_empty() {
            if !starts {
                return Ok(());
            }
            self.clear(place.position);
        }
        self.add(&spec, place, query);
        if starts {
            let start = place.kept(self.start_needs);
            self.note_key(&spec, &start);
            self.open.push_back(Open { start, over: None });
        }
        self.last = place.kept(self.end_needs);
        if !spec.newstart && self.condition_holds(spec.shared.as_ref(), &Place::default(), query)? {
            self.end_windows(&spec, query)?;
        }
        let oldest = self.open.front().map_or(place.position + 1, |open| open.start.position);
        self.ranges.iter_mut().for_each(|range| range.forget(oldest));
        Ok(())
    }

    /// Give the windows that end here, or let them wait for older ones.
    fn end_windows<Q: Query<Object = O>>(&mut self, spec: &Spec, query: &mut Q) -> Result<(), Q::Error> {
        let in_order = match spec.ending {
            Ending::Distance(_) => true,
            Ending::Ordered { .. } => self.latest.is_some(),
            Ending::Each => false,
        };
        if in_order {
            while !self.open.is_empty() && self.ends(spec, 0, query)? {
                self.close_front(query)?;
            }
            return Ok(());
        }
        let mut place = 0;
        while place < self.open.len() {
            if self.open[place].over.is_some() || !self.ends(spec, place, query)? {
                place += 1;
                continue;
            }
            let results = self.results(self.open[place].start.position, query);
            let end = self.last.clone();
            if spec.by_start {
                self.open[place].over = Some((end, results));
                place += 1;
            } else if let Some(open) = self.open.remove(place) {
                self.give(&open.start, &end, &results, query)?;
            }
        }
        while self.open.front().is_some_and(|open| open.over.is_some()) {
            if let Some(Open { start, over: Some((end, results)) }) = self.open.pop_front() {
                self.give(&start, &end, &results, query)?;
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

    /// Whether the keys of windows ascend still.
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
            // Keys of two types have no order that the comparison is sure to follow.
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

    /// Whether the window at a place ends at the last row.
    fn ends<Q: Query<Object = O>>(&self, spec: &Spec, place: usize, query: &mut Q) -> Result<bool, Q::Error> {
        let start = &self.open[place].start;
        match spec.ending {
            Ending::Distance(distance) => Ok(self.last.position - start.position == distance),
            _ => self.condition_holds(spec.end.as_ref(), start, query),
        }
    }

    // --- aggregates

    fn clear(&mut self, first: u64) {
        let number = self.spec.aggregates.len();
        if self.spec.is_sliding {
            self.ranges = (0..number).map(|_| Range::new(first)).collect();
        } else {
            self.running = vec![Running::default(); number];
        }
    }

    fn add<Q: Query<Object = O>>(&mut self, spec: &Spec, place: &Place, query: &mut Q) {
        for (number, aggregate) in spec.aggregates.iter().enumerate() {
            let values = values_of(spec, &aggregate.values, place, query);
            if spec.is_sliding {
                self.ranges[number].add(aggregate.folding, place.position, values);
            } else {
                self.running[number].add(number, aggregate.folding, values, query);
            }
        }
    }

    fn results<Q: Query<Object = O>>(&self, start: u64, query: &mut Q) -> Vec<Slot<O>> {
        let folding = |number: usize| -> Folding { self.spec.aggregates[number].folding };
        if self.spec.is_sliding {
            let each = self.ranges.iter().enumerate();
            return each.map(|(number, range)| range.result(number, folding(number), start, query)).collect();
        }
        let each = self.running.iter().enumerate();
        each.map(|(number, running)| running.result(number, folding(number), query)).collect()
    }

    // --- results

    fn give<Q: Query<Object = O>>(
        &mut self,
        start: &Place,
        end: &Place,
        results: &[Slot<O>],
        query: &mut Q,
    ) -> Result<(), Q::Error> {
        let spec = self.spec.clone();
        if let Ok(variables) = variables(&spec.inputs, start, end, results) {
            match &spec.outcome {
                Outcome::Template(parts) => {
                    if !matches!(self.segments.last(), Some(Segment::Text(..))) {
                        self.segments.push(Segment::Text(Vec::new(), 0));
                    }
                    let Some(Segment::Text(text, items)) = self.segments.last_mut() else { return Ok(()) };
                    let before = text.len();
                    let named = NamedRows { rows: &spec.nothing.0, names: &spec.nothing.1 };
                    match write_values(parts, named, variables, text) {
                        Ok(written) => {
                            *items += written.number;
                            return Ok(());
                        }
                        Err(Undecided) => text.truncate(before),
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

impl Place {
    /// What is kept of it: no row longer than something reads it.
    fn kept(&self, needs: Needs) -> Place {
        Place {
            current: self.current.clone().filter(|_| needs.current),
            position: self.position,
            previous: self.previous.clone().filter(|_| needs.previous),
            next: self.next.clone().filter(|_| needs.next),
        }
    }

    fn row(&self, role: Role) -> Option<&Arc<Row>> {
        match role {
            Role::Current => self.current.as_ref(),
            Role::Previous => self.previous.as_ref(),
            Role::Next => self.next.as_ref(),
        }
    }
}

fn holds<Q: Query>(spec: &Spec, code: &Code, start: &Place, end: &Place, query: &mut Q) -> Result<bool, Q::Error> {
    if let Some(expression) = &code.expression {
        if let Ok(variables) = variables::<Q::Object>(&code.inputs, start, end, &[]) {
            if let Ok(holds) = evaluation(spec, &variables, &Around::new(0)).truth(expression) {
                return Ok(holds);
            }
        }
    }
    query.truth(code, &given(&code.inputs, start, end, &[]))
}

fn values_of<Q: Query>(
    spec: &Spec,
    code: &Code,
    place: &Place,
    query: &mut Q,
) -> Result<Vec<Slot<Q::Object>>, Q::Object> {
    if let Some(expression) = &code.expression {
        if let Ok(variables) = variables::<Q::Object>(&code.inputs, place, place, &[]) {
            let mut found = Vec::new();
            let all = evaluation(spec, &variables, &Around::new(0)).each(expression, &mut |atom| {
                if !atom.is_plain() {
                    return Err(Undecided);
                }
                found.push(Slot::Atom(atom.into_owned()));
                Ok(())
            });
            if all.is_ok() {
                return Ok(found);
            }
        }
    }
    query.values(code, &given(&code.inputs, place, place, &[]))
}

fn evaluation<'a, 'e>(spec: &'a Spec, variables: &'e [Value<'a>], here: &'e Around<'e>) -> Evaluation<'a, 'e> {
    let named = NamedRows { rows: &spec.nothing.0, names: &spec.nothing.1 };
    Evaluation { named, variables, locals: None, sorting: None, here }
}

/// The values of inputs; undecided where the query alone knows one.
fn variables<'r, O>(
    inputs: &[Input],
    start: &'r Place,
    end: &'r Place,
    results: &[Slot<O>],
) -> Result<Vec<Value<'r>>, Undecided> {
    let value = |input: &Input| {
        Ok(match *input {
            Input::Column(side, role, column) => {
                let place = if side == Side::Start { start } else { end };
                place.row(role).map_or(Value::Empty, |row| row.value(column))
            }
            Input::Position(Side::Start) => Value::One(Atom::Integer(start.position as i64)),
            Input::Position(Side::End) => Value::One(Atom::Integer(end.position as i64)),
            Input::Aggregate(number) => match &results[number] {
                Slot::Atom(atom) => Value::One(atom.clone()),
                Slot::Empty => Value::Empty,
                Slot::Object(_) => return Err(Undecided),
            },
        })
    };
    inputs.iter().map(value).collect()
}

/// The same for code of the query.
fn given<'r, O>(inputs: &[Input], start: &'r Place, end: &'r Place, results: &'r [Slot<O>]) -> Vec<Given<'r, O>> {
    let value = |input: &Input| match *input {
        Input::Column(side, role, column) => {
            let place = if side == Side::Start { start } else { end };
            Given::Values(place.row(role).map_or(Value::Empty, |row| row.value(column)))
        }
        Input::Position(Side::Start) => Given::Position(start.position),
        Input::Position(Side::End) => Given::Position(end.position),
        Input::Aggregate(number) => Given::Slot(&results[number]),
    };
    inputs.iter().map(value).collect()
}

fn key_of(atom: Atom<'_>, is_number: bool) -> Option<Key> {
    let atom = if is_number { atom.number().ok()? } else { atom };
    match atom {
        Atom::Integer(value) => Some(Key::Integer(value)),
        Atom::Double(value) if !value.is_nan() => Some(Key::Double(value)),
        _ => None,
    }
}
