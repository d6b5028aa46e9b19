//! Windows over rows for Python: a description of tuples, and an object for what is left to the query.

use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

use super::errors::careful;
use super::expression::{atom_object, expression, expression_of};
use super::template::{parts, word};
use crate::expression::{Aggregate, Atom, Decimal, Value};
use crate::names::Names;
use crate::windows::{
    AggregateSpec, AtEnd, Code, Cursor, Ending, Folding, Given, Input, Kind, Outcome, Query, Role, Row, Segment, Side,
    Slot, Spec,
};

type Object = Arc<Py<PyAny>>;
type CodeTuple<'py> = (Vec<Bound<'py, PyTuple>>, Option<Bound<'py, PyTuple>>);

/// Forms windows of rows.
#[pyclass(module = "xylem._kernel")]
pub struct WindowCursor {
    cursor: Cursor<Object>,
    query: Py<PyAny>,
    untyped: Py<PyAny>,
    decimal: Py<PyAny>,
}

#[pymethods]
impl WindowCursor {
    /// `spec` is made by `xylem.source.window_tuples`. `query` answers what the kernel leaves to it; `untyped` and
    /// `decimal` are the classes of such values.
    #[new]
    fn new(spec: &Bound<'_, PyTuple>, query: Py<PyAny>, untyped: Py<PyAny>, decimal: Py<PyAny>) -> PyResult<Self> {
        Ok(WindowCursor { cursor: Cursor::new(self::spec(spec)?), query, untyped, decimal })
    }

    /// Some rows written by a scan; returns results, and the error that ended them.
    fn push<'py>(&mut self, py: Python<'py>, text: &str, rows: u64) -> PyResult<(Bound<'py, PyList>, Option<PyErr>)> {
        self.run(py, |cursor, query| cursor.push(text.as_bytes(), rows, query))
    }

    /// One row: the texts of each column.
    fn push_row<'py>(
        &mut self,
        py: Python<'py>,
        columns: Vec<Vec<String>>,
    ) -> PyResult<(Bound<'py, PyList>, Option<PyErr>)> {
        let mut row = Row::default();
        for column in &columns {
            column.iter().for_each(|text| row.add(text.as_bytes()));
            row.end_column();
        }
        self.run(py, |cursor, query| cursor.push_row(Arc::new(row), query))
    }

    /// The input has ended.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyList>, Option<PyErr>)> {
        self.run(py, |cursor, query| cursor.finish(query))
    }

    /// The number of rows held, and their bytes.
    fn held(&self) -> (usize, usize) {
        self.cursor.held()
    }
}

impl WindowCursor {
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        act: impl FnOnce(&mut Cursor<Object>, &mut Asked<'_, 'py>) -> PyResult<()>,
    ) -> PyResult<(Bound<'py, PyList>, Option<PyErr>)> {
        let WindowCursor { cursor, query, untyped, decimal } = self;
        let mut asked = Asked { query: query.bind(py), untyped: untyped.bind(py), decimal: decimal.bind(py) };
        careful(|| {
            let failure = act(cursor, &mut asked).err();
            Ok((asked.told_segments(cursor.take_segments())?, failure))
        })
    }
}

/// Calls back into the query.
struct Asked<'q, 'py> {
    query: &'q Bound<'py, PyAny>,
    untyped: &'q Bound<'py, PyAny>,
    decimal: &'q Bound<'py, PyAny>,
}

impl<'py> Asked<'_, 'py> {
    fn told_segments(&self, segments: Vec<Segment<Object>>) -> PyResult<Bound<'py, PyList>> {
        let py = self.query.py();
        let found = PyList::empty(py);
        for segment in segments {
            match segment {
                Segment::Text(text, items) => found.append((PyString::new(py, std::str::from_utf8(&text)?), items))?,
                Segment::Atoms(atoms) => {
                    let values: PyResult<Vec<_>> = atoms.into_iter().map(|atom| self.object(atom)).collect();
                    found.append(PyList::new(py, values?)?)?;
                }
                Segment::Object(items) => found.append(items.bind(py))?,
            }
        }
        Ok(found)
    }

    fn object(&self, atom: Atom<'_>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.query.py();
        match atom {
            Atom::Untyped(text) => self.untyped.call1((std::str::from_utf8(&text)?,)),
            decimal @ Atom::Decimal(_) => self.decimal.call1((std::str::from_utf8(&decimal.into_text())?,)),
            other => atom_object(py, Some(other.into_owned())),
        }
    }

    fn kept(&self, slot: &Slot<Object>) -> PyResult<Bound<'py, PyAny>> {
        let py = self.query.py();
        match slot {
            Slot::Atom(atom) => self.object(atom.clone()),
            Slot::Empty => Ok(py.None().into_bound(py)),
            Slot::Object(object) => Ok(object.bind(py).clone()),
        }
    }

    fn list(&self, values: &[Slot<Object>]) -> PyResult<Bound<'py, PyList>> {
        let values: PyResult<Vec<_>> = values.iter().map(|value| self.kept(value)).collect();
        PyList::new(self.query.py(), values?)
    }

    fn arguments(&self, given: &[Given<'_, Object>]) -> PyResult<Bound<'py, PyTuple>> {
        let py = self.query.py();
        let values: PyResult<Vec<Bound<'py, PyAny>>> = given
            .iter()
            .map(|one| match one {
                Given::Values(values) => Ok(self.values(values)?.into_any()),
                Given::Position(position) => Ok(position.into_pyobject(py)?.into_any()),
                Given::Slot(slot) => self.kept(slot),
            })
            .collect();
        PyTuple::new(py, values?)
    }

    fn values(&self, values: &Value<'_>) -> PyResult<Bound<'py, PyTuple>> {
        let made: PyResult<Vec<_>> = values.atoms().iter().map(|atom| self.object(atom.clone())).collect();
        PyTuple::new(self.query.py(), made?)
    }

    /// A Python value as one of ours, if its class is known.
    fn slot(&self, value: Bound<'py, PyAny>) -> Slot<Object> {
        let class = value.get_type();
        let known = if value.is_exact_instance_of::<PyBool>() {
            value.extract().ok().map(Atom::Boolean)
        } else if value.is_exact_instance_of::<PyInt>() {
            value.extract().ok().map(Atom::Integer)
        } else if value.is_exact_instance_of::<PyFloat>() {
            value.extract().ok().map(Atom::Double)
        } else if value.is_exact_instance_of::<PyString>() {
            value.extract::<String>().ok().map(|text| Atom::Text(text.into_bytes().into()))
        } else if class.is(self.untyped) {
            value.extract::<String>().ok().map(|text| Atom::Untyped(text.into_bytes().into()))
        } else if class.is(self.decimal) {
            value.str().ok().and_then(|text| Decimal::read(text.to_str().ok()?.as_bytes())).map(Atom::Decimal)
        } else {
            None
        };
        known.map_or_else(|| Slot::Object(Arc::new(value.unbind())), Slot::Atom)
    }

    /// Makes an object of an error, which is raised where the value is read.
    fn failed(&self, fault: PyErr) -> Object {
        let py = self.query.py();
        let error = fault.into_value(py).into_any();
        Arc::new(self.query.call_method1("failed", (&error,)).map_or(error, Bound::unbind))
    }

    fn told(&self, found: PyResult<Bound<'py, PyAny>>) -> Object {
        found.map_or_else(|fault| self.failed(fault), |value| Arc::new(value.unbind()))
    }
}

impl Query for Asked<'_, '_> {
    type Object = Object;
    type Error = PyErr;

    fn truth(&mut self, code: &Code, given: &[Given<'_, Object>]) -> PyResult<bool> {
        self.query.call_method1("truth", (code.number, self.arguments(given)?))?.extract()
    }

    fn values(&mut self, code: &Code, given: &[Given<'_, Object>]) -> Result<Vec<Slot<Object>>, Object> {
        let asked = self.arguments(given).and_then(|given| self.query.call_method1("values", (code.number, given)));
        let found = asked.map_err(|fault| self.failed(fault))?;
        let values = found.cast::<PyList>().map_err(|fault| self.failed(fault.into()))?;
        Ok(values.iter().map(|value| self.slot(value)).collect())
    }

    fn folded(&mut self, aggregate: usize, values: Vec<Slot<Object>>) -> Object {
        let values = self.list(&values);
        self.told(values.and_then(|values| self.query.call_method1("folded", (aggregate, values))))
    }

    fn begin(&mut self, aggregate: usize, so_far: Option<Slot<Object>>, count: i64) -> Object {
        let value = self.kept(&so_far.unwrap_or(Slot::Empty));
        self.told(value.and_then(|value| self.query.call_method1("begin", (aggregate, value, count))))
    }

    fn add(&mut self, running: &Object, values: Vec<Slot<Object>>) -> Result<(), Object> {
        let running = running.bind(self.query.py());
        let added = self.list(&values).and_then(|values| self.query.call_method1("add", (running, values)));
        added.map(|_| ()).map_err(|fault| self.failed(fault))
    }

    fn result(&mut self, running: &Object) -> Object {
        self.told(self.query.call_method1("result", (running.bind(self.query.py()),)))
    }

    fn reference(&mut self, code: &Code, given: &[Given<'_, Object>], last: f64) -> PyResult<f64> {
        self.query.call_method1("reference", (code.number, self.arguments(given)?, last))?.extract()
    }

    fn flush(&mut self, segments: Vec<Segment<Object>>) -> PyResult<()> {
        self.query.call_method1("flush", (self.told_segments(segments)?,)).map(|_| ())
    }

    fn items(&mut self, given: &[Given<'_, Object>]) -> PyResult<Object> {
        Ok(Arc::new(self.query.call_method1("items", (self.arguments(given)?,))?.unbind()))
    }
}

// --- descriptions

fn spec(tuple: &Bound<'_, PyTuple>) -> PyResult<Spec> {
    let (columns, newstart, by_start, has_one_start): (usize, bool, bool, bool) = tuple.get_item(0)?.extract()?;
    let (kind, at_end): (Bound<'_, PyTuple>, String) = tuple.get_item(8)?.extract()?;
    let kind = match word(&kind)?.as_str() {
        "tumbling" => Kind::Tumbling,
        "sliding" => Kind::Sliding,
        "landmark" => Kind::Landmark,
        "grid" => Kind::Grid {
            size: kind.get_item(1)?.extract()?,
            step: kind.get_item(2)?.extract()?,
            reference: code(3, kind.get_item(3)?.extract()?)?,
        },
        other => return Err(unknown(other)),
    };
    let at_end = match at_end.as_str() {
        "all" => AtEnd::All,
        "nothing" => AtEnd::Nothing,
        "first" => AtEnd::First,
        other => return Err(unknown(other)),
    };
    let condition = |place: usize| -> PyResult<Option<Code>> {
        let found: Option<CodeTuple<'_>> = tuple.get_item(place + 1)?.extract()?;
        found.map(|tuple| code(place, tuple)).transpose()
    };
    let ending: Bound<'_, PyTuple> = tuple.get_item(4)?.extract()?;
    let ending = match word(&ending)?.as_str() {
        "each" => Ending::Each,
        "distance" => Ending::Distance(ending.get_item(1)?.extract()?),
        "ordered" => {
            Ending::Ordered { key: code(3, ending.get_item(1)?.extract()?)?, is_number: ending.get_item(2)?.extract()? }
        }
        "hashed" => Ending::Hashed {
            start: code(3, ending.get_item(1)?.extract()?)?,
            end: code(3, ending.get_item(2)?.extract()?)?,
        },
        other => return Err(unknown(other)),
    };
    let aggregates: Vec<(String, CodeTuple<'_>)> = tuple.get_item(5)?.extract()?;
    let aggregates = aggregates
        .into_iter()
        .enumerate()
        .map(|(place, (function, values))| {
            Ok(AggregateSpec { folding: folding(&function)?, values: code(4 + place, values)? })
        })
        .collect::<PyResult<_>>()?;
    let outcome: Bound<'_, PyTuple> = tuple.get_item(7)?.extract()?;
    let outcome = match word(&outcome)?.as_str() {
        "template" => Outcome::Template(parts(&outcome.get_item(1)?)?),
        "values" => Outcome::Values(expression_of(&outcome, 1)?),
        "asked" => Outcome::Asked,
        other => return Err(unknown(other)),
    };
    Ok(Spec {
        columns,
        kind,
        has_one_start,
        newstart,
        at_end,
        by_start,
        start: condition(0)?,
        end: condition(1)?,
        shared: condition(2)?,
        ending,
        aggregates,
        inputs: tuple.get_item(6)?.extract::<Vec<_>>()?.iter().map(input).collect::<PyResult<_>>()?,
        outcome,
        no_names: Names::default(),
    })
}

fn code(number: usize, (inputs, how): CodeTuple<'_>) -> PyResult<Code> {
    let inputs = inputs.iter().map(input).collect::<PyResult<_>>()?;
    Ok(Code { number, inputs, expression: how.as_ref().map(expression).transpose()? })
}

fn input(tuple: &Bound<'_, PyTuple>) -> PyResult<Input> {
    let side = |place: usize| -> PyResult<Side> {
        Ok(if tuple.get_item(place)?.extract::<String>()? == "start" { Side::Start } else { Side::End })
    };
    Ok(match word(tuple)?.as_str() {
        "column" => {
            let role = match tuple.get_item(2)?.extract::<String>()?.as_str() {
                "current" => Role::Current,
                "previous" => Role::Previous,
                "next" => Role::Next,
                other => return Err(unknown(other)),
            };
            Input::Column(side(1)?, role, tuple.get_item(3)?.extract()?)
        }
        "position" => Input::Position(side(1)?),
        "aggregate" => Input::Aggregate(tuple.get_item(1)?.extract()?),
        other => return Err(unknown(other)),
    })
}

fn folding(function: &str) -> PyResult<Folding> {
    Ok(match function {
        "count" => Folding::Count,
        "sum" => Folding::Of(Aggregate::Sum),
        "avg" => Folding::Of(Aggregate::Average),
        "min" => Folding::Of(Aggregate::Least),
        "max" => Folding::Of(Aggregate::Greatest),
        other => return Err(unknown(other)),
    })
}

fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("windows have nothing that is called {word}"))
}
