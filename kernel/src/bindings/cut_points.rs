//! Cut points for Python: tuples of offset, line, opening, closing and whether the cut is before an item.

use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use super::errors::{guarded, raised};
use super::plan::{limits, LimitsTuple};
use crate::cut_points::documents::{Document, Splitter};
use crate::cut_points::file_pass::{self, Request};
use crate::cut_points::finder::{self, Inside};
use crate::cut_points::matcher::Scope;
use crate::cut_points::CutPoint;

type CutTuple<'py> = (u64, u64, Bound<'py, PyBytes>, Bound<'py, PyBytes>, bool);

fn tuples(py: Python<'_>, cuts: Vec<CutPoint>) -> Vec<CutTuple<'_>> {
    cuts.iter().map(|cut| tuple(py, cut)).collect()
}

fn tuple<'py>(py: Python<'py>, cut: &CutPoint) -> CutTuple<'py> {
    let (opening, closing) = (PyBytes::new(py, &cut.opening), PyBytes::new(py, &cut.closing));
    (cut.offset, cut.line, opening, closing, cut.is_before_item)
}

/// The cut points of a file; each scope is a list of (is_descendant, uri or None, local or None), `sizes` are those of
/// target and stretch.
#[pyfunction]
pub fn find_cuts(
    py: Python<'_>,
    path: std::path::PathBuf,
    scopes: Vec<Scope>,
    sizes: (u64, u64),
    scan_limits: LimitsTuple,
    threads: usize,
    everywhere: bool,
) -> PyResult<Vec<CutTuple<'_>>> {
    let limits = limits(scan_limits);
    let (target, stretch) = (sizes.0.max(1), sizes.1.max(1));
    let request = Request { path, scopes, target, limits, threads, stretch, everywhere };
    match py.detach(|| guarded(|| Ok(file_pass::find_cuts(&request)))).map_err(raised)? {
        Ok(cuts) => Ok(tuples(py, cuts)),
        Err(error) => Err(PyOSError::new_err((error.raw_os_error(), error.to_string()))),
    }
}

/// Whether one byte string contains another; without the interpreter's lock.
#[pyfunction]
pub fn contains(py: Python<'_>, data: &[u8], part: &[u8]) -> bool {
    py.detach(|| memchr::memmem::find(data, part).is_some())
}

/// Cut points of input that arrives in pieces.
#[pyclass(module = "xylem._kernel")]
pub struct CutFinder {
    finder: finder::CutFinder,
}

#[pymethods]
impl CutFinder {
    #[new]
    fn new(scopes: Vec<Scope>, target: u64, scan_limits: LimitsTuple) -> Self {
        CutFinder { finder: finder::CutFinder::new(&scopes, target, limits(scan_limits)) }
    }

    /// Read another piece; return its cut points.
    fn feed<'py>(&mut self, py: Python<'py>, data: &[u8]) -> PyResult<Vec<CutTuple<'py>>> {
        let finder = &mut self.finder;
        let cuts = py.detach(|| guarded(|| Ok(finder.feed(data)))).map_err(raised)?;
        Ok(tuples(py, cuts))
    }

    /// What the current place is inside of (nothing, item, other, over), and where to resume from there.
    fn place<'py>(&self, py: Python<'py>) -> (&'static str, CutTuple<'py>) {
        let (inside, cut) = self.finder.place();
        let word = match inside {
            Inside::Nothing => "nothing",
            Inside::Item => "item",
            Inside::Other => "other",
            Inside::Over => "over",
        };
        (word, tuple(py, &cut))
    }

    /// Resume after a cut point.
    fn resume(&mut self, offset: u64, line: u64, opening: Vec<u8>, closing: Vec<u8>) {
        self.finder.resume(&CutPoint { offset, line, opening, closing, is_before_item: true });
    }
}

type DocumentTuple<'py> = (u64, u64, Bound<'py, PyBytes>, bool);

/// The documents of a stream of several.
#[pyclass(module = "xylem._kernel")]
pub struct DocumentSplitter {
    splitter: Splitter,
}

#[pymethods]
impl DocumentSplitter {
    #[new]
    fn new(by_mark: bool) -> Self {
        DocumentSplitter { splitter: Splitter::new(by_mark) }
    }

    /// Read another piece; return its documents, or None if their encoding does not allow separating them.
    fn feed<'py>(&mut self, py: Python<'py>, data: &[u8]) -> PyResult<Option<Vec<DocumentTuple<'py>>>> {
        let splitter = &mut self.splitter;
        let found = py.detach(|| guarded(|| Ok(splitter.feed(data)))).map_err(raised)?;
        Ok(found.ok().map(|all| all.iter().map(|document| document_tuple(py, document)).collect()))
    }

    /// The end of the stream; return the incomplete document.
    fn finish<'py>(&mut self, py: Python<'py>) -> Option<DocumentTuple<'py>> {
        self.splitter.finish().map(|document| document_tuple(py, &document))
    }

    /// The number of bytes held of an incomplete document.
    #[getter]
    fn held(&self) -> usize {
        self.splitter.held()
    }
}

fn document_tuple<'py>(py: Python<'py>, document: &Document) -> DocumentTuple<'py> {
    (document.offset, document.line, PyBytes::new(py, &document.data), document.is_complete)
}
