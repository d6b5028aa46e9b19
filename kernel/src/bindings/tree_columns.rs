//! The columns of a compact tree as Python sequences: they replace the lists of `xylem.values.tree`.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyIterator, PyList, PySlice, PyString};

use super::errors::careful;
use super::tree::CompactRows;
use crate::tree::Tree;

/// The columns of numbers.
#[derive(Clone, Copy)]
pub enum Which {
    /// Kinds and names.
    Codes,
    /// Ends of subtrees.
    Ends,
    /// Parents, -1 at the root.
    Parents,
}

/// A column of numbers.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct RowColumn {
    rows: Py<CompactRows>,
    which: Which,
}

impl RowColumn {
    /// One of the columns of some rows.
    pub fn new(rows: Py<CompactRows>, which: Which) -> Self {
        RowColumn { rows, which }
    }

    fn at(&self, tree: &Tree, row: usize) -> i64 {
        match self.which {
            Which::Codes => tree.codes()[row].into(),
            Which::Ends => tree.ends()[row].into(),
            Which::Parents => tree.parent(row as u32).map_or(-1, i64::from),
        }
    }
}

#[pymethods]
impl RowColumn {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.rows.borrow(py).tree.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let tree = &self.rows.borrow(py).tree;
        match places(key, tree.len())? {
            Places::One(row) => Ok(PyInt::new(py, self.at(tree, row)).into_any()),
            Places::Many(rows) => {
                careful(|| Ok(PyList::new(py, rows.into_iter().map(|row| self.at(tree, row)))?.into_any()))
            }
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let tree = &self.rows.borrow(py).tree;
        careful(|| PyList::new(py, (0..tree.len()).map(|row| self.at(tree, row)))?.try_iter())
    }

    /// The first index of a number in a range, like `list.index`.
    #[pyo3(signature = (value, start=0, end=usize::MAX))]
    fn index(&self, py: Python<'_>, value: i64, start: usize, end: usize) -> PyResult<usize> {
        let tree = &self.rows.borrow(py).tree;
        let mut rows = start..end.min(tree.len());
        let found = match (self.which, u32::try_from(value)) {
            (Which::Codes, Ok(code)) if rows.start < rows.end => {
                tree.first_between(code, rows.start as u32, rows.end as u32).map(|row| row as usize)
            }
            _ => rows.find(|&row| self.at(tree, row) == value),
        };
        found.ok_or_else(|| PyValueError::new_err(format!("{value} is not in the column")))
    }
}

/// The column of values: strings, None for documents and elements.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct ValueColumn {
    rows: Py<CompactRows>,
}

impl ValueColumn {
    /// The column of some rows.
    pub fn new(rows: Py<CompactRows>) -> Self {
        ValueColumn { rows }
    }
}

#[pymethods]
impl ValueColumn {
    fn __len__(&self, py: Python<'_>) -> usize {
        self.rows.borrow(py).tree.len()
    }

    fn __getitem__<'py>(&self, py: Python<'py>, key: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let tree = &self.rows.borrow(py).tree;
        match places(key, tree.len())? {
            Places::One(row) => value(py, tree, row),
            Places::Many(rows) => careful(|| values(py, tree, rows.into_iter()).map(Bound::into_any)),
        }
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyIterator>> {
        let tree = &self.rows.borrow(py).tree;
        careful(|| values(py, tree, 0..tree.len())?.try_iter())
    }
}

fn value<'py>(py: Python<'py>, tree: &Tree, row: usize) -> PyResult<Bound<'py, PyAny>> {
    Ok(match tree.value(row as u32) {
        Some(value) => PyString::new(py, value).into_any(),
        None => py.None().into_bound(py),
    })
}

/// The values of some rows.
pub fn values<'py>(py: Python<'py>, tree: &Tree, rows: impl Iterator<Item = usize>) -> PyResult<Bound<'py, PyList>> {
    PyList::new(py, rows.map(|row| value(py, tree, row)).collect::<PyResult<Vec<_>>>()?)
}

enum Places {
    One(usize),
    Many(Vec<usize>),
}

/// The rows that a subscript selects.
fn places(key: &Bound<'_, PyAny>, length: usize) -> PyResult<Places> {
    if let Ok(slice) = key.cast::<PySlice>() {
        let found = slice.indices(length as isize)?;
        let rows = (0..found.slicelength as isize).map(|number| (found.start + number * found.step) as usize);
        return Ok(Places::Many(rows.collect()));
    }
    let place: isize = key.extract()?;
    let row = if place < 0 { place + length as isize } else { place };
    if row < 0 || row >= length as isize {
        return Err(PyIndexError::new_err("there is no such row"));
    }
    Ok(Places::One(row as usize))
}
