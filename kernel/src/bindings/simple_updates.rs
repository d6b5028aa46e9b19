//! Simple updates for Python: a tuple for each, with its content in tuples of tuples.

use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::errors::{careful, guarded, raised};
use crate::simple_updates::{simple_updates as read, Content, Simple, Update};

type Where = (usize, usize, usize);
type UpdateTuple<'py> = (
    Bound<'py, PyString>,
    Option<String>,
    Option<String>,
    Option<String>,
    Bound<'py, PyTuple>,
    Where,
    Bound<'py, PyBytes>,
);

/// The simple updates at the beginning of some bytes: (kind, of, id, time, content, place, bytes) of each, and where
/// they end. Content is text, or (name, attributes, id, content). `place` is that of the first byte: offset, line,
/// column.
#[pyfunction]
pub fn simple_updates<'py>(
    py: Python<'py>,
    data: &[u8],
    prefix: &[u8],
    declared: Vec<Vec<u8>>,
    most: (usize, usize),
    place: Where,
) -> PyResult<(Bound<'py, PyList>, usize)> {
    let simple = Simple { prefix, declared: &declared, depth: most.0, attributes: most.1 };
    let (found, end) = py.detach(|| guarded(|| Ok(read(data, 0, simple)))).map_err(raised)?;
    careful(|| told(py, data, place, found)).map(|made| (made, end))
}

fn told<'py>(py: Python<'py>, data: &[u8], place: Where, found: Vec<Update>) -> PyResult<Bound<'py, PyList>> {
    let made = PyList::empty(py);
    let (offset, mut line, mut column) = place;
    let mut at = 0;
    for update in found {
        for &byte in &data[at..update.start] {
            // Columns count characters.
            (line, column) = match byte {
                b'\n' => (line + 1, 1),
                0x80..0xC0 => (line, column),
                _ => (line, column + 1),
            };
        }
        let kind = PyString::intern(py, update.kind);
        let content = contents(py, &update.content)?;
        let bytes = PyBytes::new(py, &data[update.start..update.end]);
        let given: UpdateTuple<'_> =
            (kind, update.of, update.id, update.time, content, (offset + update.start, line, column), bytes);
        made.append(given)?;
        at = update.start;
    }
    Ok(made)
}

fn contents<'py>(py: Python<'py>, content: &[Content]) -> PyResult<Bound<'py, PyTuple>> {
    let mut made: Vec<Bound<'py, PyAny>> = Vec::with_capacity(content.len());
    for one in content {
        made.push(match one {
            Content::Text(text) => PyString::new(py, text).into_any(),
            Content::Element(element) => {
                let name = PyString::intern(py, &element.name);
                let attributes = if element.attributes.is_empty() {
                    PyTuple::empty(py)
                } else {
                    let pairs = element.attributes.iter().map(|(name, value)| (PyString::intern(py, name), value));
                    PyTuple::new(py, pairs.collect::<Vec<_>>())?
                };
                let inner = contents(py, &element.content)?;
                (name, attributes, element.id.as_deref(), inner).into_pyobject(py)?.into_any()
            }
        });
    }
    PyTuple::new(py, made)
}
