//! Tables as tuples from Python, and their cells as tuples for Python; see `xylem.plan.scan_table`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::expression::{atom_object, expression};
use super::plan::value_tests;
use crate::expression::{Aggregate, Fold};
use crate::table::{bits, Domain, Key, Part, Table, TableSpec};

/// The step; for each cell the indexes of its keys or their values, and for each part the number of values and the
/// result.
pub type TableTuple<'py> = (u32, Bound<'py, PyList>);

/// first, last, numbers or None, strings or None; None for keys found in records
type DomainTuple = Option<(i64, i64, Option<Vec<f64>>, Option<Vec<String>>)>;

/// A table from the tuple ("table", keys, parts, tests).
pub fn table_spec(tuple: &Bound<'_, PyTuple>) -> PyResult<TableSpec> {
    let keys: Vec<(Bound<'_, PyTuple>, DomainTuple)> = tuple.get_item(1)?.extract()?;
    let parts: Vec<(String, Option<Bound<'_, PyTuple>>)> = tuple.get_item(2)?.extract()?;
    let keys = keys.iter().map(|(value, domain)| Ok(Key { value: expression(value)?, domain: self::domain(domain) }));
    let parts = parts.iter().map(|(function, value)| {
        let aggregate = match function.as_str() {
            "count" => None,
            "sum" => Some(Aggregate::Sum),
            "min" => Some(Aggregate::Least),
            "max" => Some(Aggregate::Greatest),
            other => return Err(unknown(other)),
        };
        Ok(Part { aggregate, value: value.as_ref().map(expression).transpose()? })
    });
    let tests = value_tests(tuple.get_item(3)?.extract()?)?;
    let spec = TableSpec { keys: keys.collect::<PyResult<_>>()?, parts: parts.collect::<PyResult<_>>()?, tests };
    match spec.combinations() {
        Some(_) => Ok(spec),
        None => Err(PyValueError::new_err("a table has too many combinations of keys")),
    }
}

fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("no part of a table is called {word}"))
}

fn domain(tuple: &DomainTuple) -> Domain {
    let Some((first, last, numbers, strings)) = tuple else { return Domain::Found };
    if let Some(numbers) = numbers {
        return Domain::Numbers(numbers.iter().zip(0..).map(|(&number, place)| (bits(number), place)).collect());
    }
    match strings {
        Some(texts) => {
            Domain::Texts(texts.iter().zip(0..).map(|(text, place)| (text.as_bytes().into(), place)).collect())
        }
        None => Domain::Range(*first, *last),
    }
}

/// The cells of a table for Python.
pub fn table_tuple<'py>(py: Python<'py>, step: u32, spec: &TableSpec, table: &Table) -> PyResult<TableTuple<'py>> {
    let width = spec.parts.len();
    let cells = PyList::empty(py);
    let state = |fold: &Fold<'static>| Ok((fold.count, atom_object(py, fold.value())?));
    let states =
        |cell: usize| table.cells[cell * width..(cell + 1) * width].iter().map(state).collect::<PyResult<Vec<_>>>();
    for (cell, keys) in table.found.iter().enumerate() {
        let keys = keys.iter().map(|key| atom_object(py, key.clone())).collect::<PyResult<Vec<_>>>()?;
        cells.append((keys, states(cell)?))?;
    }
    for (cell, &number) in table.numbers.iter().enumerate() {
        cells.append((spec.places(number), states(cell)?))?;
    }
    Ok((step, cells))
}
