//! Rows at the ends of windows, and the results of expressions over them.

use std::sync::Arc;

use super::hashed::Key as HashKey;
use super::{Code, Given, Input, Query, Role, Row, Side, Slot, Spec};
use crate::expression::{Atom, Evaluation, Value};
use crate::row_paths::NamedRows;
use crate::rows::RowColumns;
use crate::template::{Around, Undecided};

/// A row with its position and its neighbours, None if there are none or nothing reads them.
#[derive(Clone, Debug, Default)]
pub(super) struct Place {
    pub(super) current: Option<Arc<Row>>,
    pub(super) position: u64,
    pub(super) previous: Option<Arc<Row>>,
    pub(super) next: Option<Arc<Row>>,
}

/// Which of the rows around a place are read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Needs {
    pub(super) current: bool,
    pub(super) previous: bool,
    pub(super) next: bool,
}

/// Numbers that ascend, all of one type.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) enum Key {
    Integer(i64),
    Double(f64),
}

impl Place {
    /// The stored part: no row is kept longer than it is read.
    pub(super) fn kept(&self, needs: Needs) -> Place {
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

/// Whether a condition holds.
pub(super) fn holds<Q: Query>(
    spec: &Spec,
    code: &Code,
    start: &Place,
    end: &Place,
    query: &mut Q,
) -> Result<bool, Q::Error> {
    if let Some(expression) = &code.expression {
        if let Ok(variables) = variables::<Q::Object>(&code.inputs, start, end, &[]) {
            if let Ok(holds) = evaluation(spec, &variables, &Around::new(0)).truth(expression) {
                return Ok(holds);
            }
        }
    }
    query.truth(code, &given(&code.inputs, start, end, &[]))
}

/// The values that a row adds to an aggregate.
pub(super) fn values_of<Q: Query>(
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

/// Expressions over values only.
pub(super) fn evaluation<'a, 'e>(
    spec: &'a Spec,
    variables: &'e [Value<'a>],
    here: &'e Around<'e>,
) -> Evaluation<'a, 'e> {
    let named = NamedRows { rows: &RowColumns::NONE, names: &spec.no_names };
    Evaluation { named, variables, locals: None, sorting: None, here, functions: None, calls: 0 }
}

/// The values of inputs; undecided if only the query knows one.
pub(super) fn variables<'r, O>(
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
pub(super) fn given<'r, O>(
    inputs: &[Input],
    start: &'r Place,
    end: &'r Place,
    results: &'r [Slot<O>],
) -> Vec<Given<'r, O>> {
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

/// The key of the row at a place, for finding windows.
pub(super) fn key_at(spec: &Spec, code: &Code, place: &Place) -> HashKey {
    let Some(expression) = &code.expression else { return HashKey::Unsure };
    let Ok(variables) = variables::<()>(&code.inputs, place, place, &[]) else { return HashKey::Unsure };
    evaluation(spec, &variables, &Around::new(0)).all(expression).map_or(HashKey::Unsure, |value| HashKey::of(&value))
}

/// The number that orders windows.
pub(super) fn key_of(atom: Atom<'_>, is_number: bool) -> Option<Key> {
    let atom = if is_number { atom.number().ok()? } else { atom };
    match atom {
        Atom::Integer(value) => Some(Key::Integer(value)),
        Atom::Double(value) if !value.is_nan() => Some(Key::Double(value)),
        _ => None,
    }
}
