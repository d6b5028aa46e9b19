//! Updates of known texts for Python: units and regions go in, a tuple for each update comes out.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::errors::{guarded, raised};
use super::plan::{limits, LimitsTuple};
use super::template::result;
use crate::scanner::bug;
use crate::simple_updates::{simple_extent as extent, Simple};
use crate::template::ScanResult;
use crate::text_updates::NewRegion;

/// The length of the simple updates at the beginning of some bytes, and their number.
#[pyfunction]
pub fn simple_extent(
    py: Python<'_>,
    data: &[u8],
    prefix: &[u8],
    declared: Vec<Vec<u8>>,
    most: (usize, usize),
) -> (usize, usize) {
    let simple = Simple { prefix, declared: &declared, depth: most.0, attributes: most.1 };
    py.detach(|| extent(data, simple))
}

/// The number of a region, the time as written, the text, the answer of its unit and its number of items.
type ToldTuple<'py> = (u32, Option<String>, Bound<'py, PyString>, Option<Bound<'py, PyString>>, u64);

/// Answers updates of known texts by a template.
#[pyclass(module = "xylem._kernel")]
pub struct TextUpdates {
    texts: crate::text_updates::TextUpdates,
    has_failed: bool,
}

#[pymethods]
impl TextUpdates {
    #[new]
    fn new(scan_limits: LimitsTuple, template: Bound<'_, PyTuple>) -> PyResult<Self> {
        let ScanResult::Template(parts) = result(&template)? else {
            return Err(PyValueError::new_err("units are answered by templates"));
        };
        Ok(TextUpdates { texts: crate::text_updates::TextUpdates::new(limits(scan_limits), parts), has_failed: false })
    }

    /// A unit as a document, with regions: the id, name, start, length and number of each. Returns its number, answer
    /// and number of items; None if the template cannot decide.
    fn add(&mut self, document: Bound<'_, PyBytes>, regions: Vec<NewRegion>) -> PyResult<Option<(u32, String, u64)>> {
        let data = document.as_bytes().to_vec();
        if regions.iter().any(|(_, _, start, length, _)| *start as usize + *length as usize > data.len()) {
            return Err(PyIndexError::new_err("a region ends behind its document"));
        }
        self.guarded(|texts| texts.add(data, regions))
    }

    /// A unit has changed in another way, or is gone; returns the ids of its regions.
    fn forget(&mut self, unit: u32) -> PyResult<Vec<String>> {
        self.guarded(|texts| texts.forget(unit))
    }

    /// The updates of known regions from an index on, and where they end. Times must not run back before `last`.
    #[allow(clippy::too_many_arguments)] // In the form of Python.
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        start: usize,
        prefix: &[u8],
        declared: Vec<Vec<u8>>,
        most: (usize, usize),
        last: &str,
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        if start > data.len() {
            return Err(PyIndexError::new_err("it starts behind the end"));
        }
        let simple = Simple { prefix, declared: &declared, depth: most.0, attributes: most.1 };
        let (found, end) = self.guarded(|texts| texts.read(data, start, simple, last))?;
        let made = PyList::empty(py);
        for told in found {
            let (answer, items) = match told.answer {
                None => (None, 0),
                Some((answer, items)) => (Some(PyString::new(py, &answer)), items),
            };
            let given: ToldTuple<'_> = (told.number, told.time, PyString::new(py, &told.text), answer, items);
            made.append(given)?;
        }
        Ok((made, end))
    }
}

impl TextUpdates {
    fn guarded<T>(&mut self, work: impl FnOnce(&mut crate::text_updates::TextUpdates) -> T) -> PyResult<T> {
        if self.has_failed {
            return Err(raised(bug("the texts are used after a fault of their own")));
        }
        let texts = &mut self.texts;
        let outcome = guarded(|| Ok(work(texts)));
        self.has_failed = outcome.is_err();
        outcome.map_err(raised)
    }
}
