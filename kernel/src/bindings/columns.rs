//! Columns as lists of Python objects, created in one go.
//!
//! Rows share their objects: a row number in the column of ends is the same integer in the column of parents; a code,
//! and white space between tags, is created once for all rows that have it.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyInt, PyList, PyString};
use rustc_hash::FxHashMap;

use crate::rows::{kind, Rows};

const LONGEST_SHARED: usize = 32;

/// Small integers as Python objects, each created once.
pub struct Integers<'py>(Vec<Bound<'py, PyInt>>);

impl<'py> Integers<'py> {
    /// The integers up to a number.
    pub fn up_to(py: Python<'py>, most: usize) -> Self {
        Integers((0..=most).map(|number| PyInt::new(py, number)).collect())
    }

    /// A list of some of them.
    pub fn list(&self, py: Python<'py>, numbers: &[u32]) -> PyResult<Bound<'py, PyList>> {
        PyList::new(py, numbers.iter().map(|&number| &self.0[number as usize]))
    }
}

/// The column of ends, and that of parents, in which the document node has -1.
pub fn ends_and_parents<'py>(
    py: Python<'py>,
    rows: &Rows,
    integers: &Integers<'py>,
) -> PyResult<(Bound<'py, PyList>, Bound<'py, PyList>)> {
    let ends = integers.list(py, &rows.ends)?;
    let parents = integers.list(py, &rows.parents)?;
    if !rows.is_empty() {
        parents.set_item(0, -1)?;
    }
    Ok((ends, parents))
}

/// The column of values.
pub fn values<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyList>> {
    let text = std::str::from_utf8(&rows.characters)?;
    let mut shared: FxHashMap<&str, Bound<'py, PyString>> = FxHashMap::default();
    let none = py.None().into_bound(py);
    let mut start = 0;
    let objects = rows.codes.iter().zip(&rows.value_ends).map(|(&code, &end)| {
        let value = &text[start..end];
        start = end;
        if code & 7 <= kind::ELEMENT {
            return none.clone();
        }
        if code == kind::TEXT && value.len() <= LONGEST_SHARED && value.starts_with('\n') {
            return shared.entry(value).or_insert_with(|| PyString::new(py, value)).clone().into_any();
        }
        PyString::new(py, value).into_any()
    });
    PyList::new(py, objects)
}

/// Namespace declarations by row.
pub fn declared<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (row, bindings) in &rows.declared {
        let here = PyDict::new(py);
        for (prefix, uri) in bindings.iter() {
            here.set_item(&**prefix, &**uri)?;
        }
        all.set_item(row, here)?;
    }
    Ok(all)
}

/// Prefixes by row.
pub fn prefixed<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (row, prefix) in &rows.prefixed {
        all.set_item(row, &**prefix)?;
    }
    Ok(all)
}
