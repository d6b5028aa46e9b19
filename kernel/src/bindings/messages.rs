//! Many small documents for Python: a reader takes a list or a column of them, and returns a batch of outcomes.

use pyo3::exceptions::{PyIndexError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyString, PyTuple};

use super::errors::{careful, failed_before, guarded, raised};
use super::plan::{limits, LimitsTuple};
use super::template::result;
use super::tree::{CompactRows, NameTable};
use crate::errors::Kind;
use crate::memory;
use crate::messages::{Document, Outcome, Outcomes};
use crate::template::ScanResult;
use crate::tree::Tree;

/// Reads documents, one after another.
#[pyclass(module = "xylem._kernel")]
pub struct MessageReader {
    reader: crate::messages::MessageReader,
    /// The fault of its own that ended it.
    failed: Option<Kind>,
}

#[pymethods]
impl MessageReader {
    /// A reader that answers by a template of the document node, if there is one.
    #[new]
    #[pyo3(signature = (scan_limits, template=None))]
    fn new(scan_limits: LimitsTuple, template: Option<Bound<'_, PyTuple>>) -> PyResult<Self> {
        let template = match template.as_ref().map(result).transpose()? {
            None => None,
            Some(ScanResult::Template(parts)) => Some(parts),
            Some(_) => return Err(PyValueError::new_err("documents are answered by templates")),
        };
        let reader = crate::messages::MessageReader::new(limits(scan_limits), template);
        Ok(MessageReader { reader, failed: None })
    }

    /// Before a batch: returns whether names are renumbered from here on.
    fn begin(&mut self) -> bool {
        if self.failed.take().is_some() {
            self.reader.renew();
            return true;
        }
        self.reader.begin()
    }

    /// Read a list of bytes and strings; with `writes`, by the template.
    fn read(&mut self, py: Python<'_>, documents: Vec<Bound<'_, PyAny>>, writes: bool) -> PyResult<MessageBatch> {
        let borrowed = documents.iter().map(document).collect::<PyResult<Vec<Document<'_>>>>()?;
        self.run(py, &borrowed, writes)
    }

    /// Read a column: all its bytes, and the start of each document as numbers of `width` bytes, with one more for the
    /// end.
    fn read_column(
        &mut self,
        py: Python<'_>,
        data: &[u8],
        offsets: &[u8],
        width: usize,
        is_text: bool,
        writes: bool,
    ) -> PyResult<MessageBatch> {
        let places = places(offsets, width)?;
        let piece = |pair: &[usize]| data.get(pair[0]..pair[1]).map(|document| (document, is_text));
        let found: Option<Vec<Document<'_>>> = places.windows(2).map(piece).collect();
        let documents = found.ok_or_else(|| PyIndexError::new_err("the column ends before its documents do"))?;
        self.run(py, &documents, writes)
    }

    /// The names added to the table since the last call.
    fn new_names(&mut self) -> Vec<(String, String, String)> {
        let names = self.reader.scanner.reader.projector.names.new_in_table();
        let owned = names.iter().map(|(uri, local, prefix)| (uri.to_string(), local.to_string(), prefix.to_string()));
        owned.collect()
    }
}

impl MessageReader {
    /// Read without the interpreter lock.
    fn run(&mut self, py: Python<'_>, documents: &[Document<'_>], writes: bool) -> PyResult<MessageBatch> {
        if let Some(kind) = self.failed {
            return Err(failed_before(kind, "the reader"));
        }
        let reader = &mut self.reader;
        let largest = documents.iter().map(|(data, _)| data.len()).max().unwrap_or(0);
        let outcome = py.detach(|| {
            guarded(|| {
                memory::room(largest.saturating_mul(2));
                Ok(reader.read(documents.iter().copied(), writes))
            })
        });
        self.failed = outcome.as_ref().err().map(|error| error.kind);
        outcome.map(|outcomes| MessageBatch { outcomes }).map_err(raised)
    }
}

fn document<'a>(given: &'a Bound<'_, PyAny>) -> PyResult<Document<'a>> {
    if let Ok(bytes) = given.cast::<PyBytes>() {
        return Ok((bytes.as_bytes(), false));
    }
    if let Ok(text) = given.cast::<PyString>() {
        // Text that no document can contain (half of a surrogate pair) is treated like an empty document.
        let text = text.to_str().unwrap_or("");
        return Ok((text.strip_prefix('\u{feff}').unwrap_or(text).as_bytes(), true));
    }
    Err(PyTypeError::new_err("a document is bytes or text"))
}

fn places(offsets: &[u8], width: usize) -> PyResult<Vec<usize>> {
    let place = |bytes: &[u8]| match width {
        4 => i64::from(i32::from_ne_bytes(bytes.try_into().unwrap_or([0; 4]))),
        _ => i64::from_ne_bytes(bytes.try_into().unwrap_or([0; 8])),
    };
    if width != 4 && width != 8 {
        return Err(PyValueError::new_err("offsets have 4 or 8 bytes"));
    }
    let found = offsets.chunks_exact(width).map(|bytes| usize::try_from(place(bytes)));
    found.collect::<Result<_, _>>().map_err(|_| PyIndexError::new_err("an offset is negative"))
}

/// The text of an answer, and its number of items.
type Answer<'py> = (Bound<'py, PyString>, u64);

/// The text of the answers of neighbours, the number of items, and whether the first and the last are atomic values.
type Run<'py> = (Bound<'py, PyString>, u64, bool, bool);

/// The outcomes of some documents.
#[pyclass(module = "xylem._kernel")]
pub struct MessageBatch {
    outcomes: Outcomes,
}

#[pymethods]
impl MessageBatch {
    fn __len__(&self) -> usize {
        self.outcomes.each.len()
    }

    /// For each document its answer as text, with the number of items; None if nothing was written.
    fn answers<'py>(&self, py: Python<'py>) -> PyResult<Vec<Option<Answer<'py>>>> {
        let mut start = 0;
        let answer = |outcome: &Outcome| match outcome {
            Outcome::Written(end, items) => {
                let text = PyString::from_bytes(py, &self.outcomes.text[start..*end])?;
                start = *end;
                Ok(Some((text, items.number)))
            }
            _ => Ok(None),
        };
        careful(|| self.outcomes.each.iter().map(answer).collect())
    }

    /// Runs of answers between the documents that were not written: one more run than there are such documents.
    /// Each run has its text, its number of items, and whether the first and the last of these are atomic values.
    fn runs<'py>(&self, py: Python<'py>) -> PyResult<Vec<Run<'py>>> {
        let told = |run: crate::messages::Run| {
            let items = run.items;
            let text = PyString::from_bytes(py, &run.text)?;
            Ok((text, items.number, items.begins_with_atomic, items.ends_with_atomic))
        };
        careful(|| self.outcomes.runs().into_iter().map(told).collect())
    }

    /// The numbers of the documents that were not written.
    fn unwritten(&self) -> Vec<usize> {
        let each = self.outcomes.each.iter().enumerate();
        each.filter(|(_, outcome)| !matches!(outcome, Outcome::Written(..))).map(|(number, _)| number).collect()
    }

    /// The codes that a table does not know.
    fn unknown(&self, table: PyRef<'_, NameTable>) -> Vec<u32> {
        let rows = self.outcomes.each.iter().filter_map(|outcome| match outcome {
            Outcome::Read(rows, _) => Some(rows),
            _ => None,
        });
        let mut missing: Vec<u32> =
            rows.flat_map(|rows| rows.codes.iter().copied()).filter(|&code| table.pool_code(code).is_none()).collect();
        missing.sort_unstable();
        missing.dedup();
        missing
    }

    /// For each document that was read its tree, by a table that knows all its names; None for the others. Returned
    /// once.
    fn trees<'py>(&mut self, py: Python<'py>, table: Py<NameTable>) -> PyResult<Bound<'py, PyList>> {
        careful(|| self.made_trees(py, table))
    }

    /// For identifiers declared by a document type: the number of the document, codes of the pool of element and
    /// attribute, and whether it is an identifier or a reference to one.
    fn identifier_rules(&self, table: PyRef<'_, NameTable>) -> Vec<(usize, u32, u32, bool)> {
        let mut found = Vec::new();
        for (number, outcome) in self.outcomes.each.iter().enumerate() {
            let Outcome::Read(_, rules) = outcome else { continue };
            for &(element, attribute, is_id) in rules {
                if let Some((element, attribute)) = table.pool_code(element).zip(table.pool_code(attribute)) {
                    found.push((number, element, attribute, is_id));
                }
            }
        }
        found
    }
}

impl MessageBatch {
    fn made_trees<'py>(&mut self, py: Python<'py>, table: Py<NameTable>) -> PyResult<Bound<'py, PyList>> {
        let found = PyList::empty(py);
        let known = table.borrow(py);
        for outcome in &mut self.outcomes.each {
            let Outcome::Read(rows, _) = outcome else {
                found.append(py.None())?;
                continue;
            };
            let mut rows = std::mem::take(&mut **rows);
            for code in &mut rows.codes {
                let pooled = known.pool_code(*code);
                *code = pooled.ok_or_else(|| PyValueError::new_err("the table does not know a name"))?;
            }
            found.append(CompactRows::new(Tree::from_rows(rows)?, Some(table.clone_ref(py))))?;
        }
        Ok(found)
    }
}
