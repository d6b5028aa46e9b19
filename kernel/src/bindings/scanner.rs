//! The scanner for Python: `feed` and `finish` return batches as tuples of columns.

use pyo3::prelude::*;
use pyo3::types::{PyInt, PyList, PyString, PyTuple};
use rustc_hash::FxHashMap;

use super::columns::{declared, ends_and_parents, prefixed, values, Integers};
use super::errors::{careful, failed_before, guarded, raised};
use super::plan::{limits, plan, LimitsTuple, PlanTuple};
use super::table::{table_tuple, TableTuple};
use super::takers::{taken, taker, TakenTuple, TestsTuple, ValuesTuple};
use super::template::result;
use super::tree::CompactRows;
use crate::errors::Kind;
use crate::memory;
use crate::rows::{Rows, Written};
use crate::scanner::{Harvest, Options};
use crate::template::Items;
use crate::tree::Tree;

/// The fields of `Batch` in `xylem.plan.scan_plan`, in their order; the columns are lists or a compact tree.
type BatchTuple<'py> = (
    (Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>),
    Bound<'py, PyAny>,
    (Bound<'py, PyAny>, Vec<(String, String, String)>, Bound<'py, PyAny>),
    (Vec<u64>, u64, Vec<WrittenTuple<'py>>, Vec<(u32, u32, u64)>),
    Vec<TableTuple<'py>>,
    Vec<TakenTuple<'py>>,
);

/// text, elements, items, most characters, most rows, whether it begins and ends with an atomic value
type WrittenTuple<'py> = (Bound<'py, PyString>, u64, u64, usize, usize, bool, bool);

/// About the bytes of the Python objects for a row, without its text.
pub(super) const OBJECTS_OF_A_ROW: usize = 150;

/// One scan of a document: bytes in, batches out.
#[pyclass(module = "xylem._kernel")]
pub struct Scanner {
    scanner: crate::scanner::Scanner,
    /// The fault of its own that ended it.
    failed: Option<Kind>,
    /// Whether the columns of batches stay here, as compact trees.
    #[pyo3(get, set)]
    compact: bool,
}

#[pymethods]
impl Scanner {
    #[new]
    #[pyo3(signature = (scan_plan, scan_limits, namespaces=true, encoding=None))]
    fn new(
        scan_plan: PlanTuple<'_>,
        scan_limits: LimitsTuple,
        namespaces: bool,
        encoding: Option<String>,
    ) -> PyResult<Self> {
        let options = Options { namespaces, strip_space: false, encoding };
        let scanner = crate::scanner::Scanner::new(plan(scan_plan)?, limits(scan_limits), options);
        Ok(Scanner { scanner, failed: None, compact: false })
    }

    /// Start again with another document; returns whether it can, which it cannot after a fault of its own.
    fn again(&mut self, encoding: Option<String>) -> bool {
        if self.failed.is_none() {
            self.scanner.again(encoding);
        }
        self.failed.is_none()
    }

    /// Whether templates are written.
    #[getter]
    fn writes(&self) -> bool {
        self.scanner.reader.projector.writes
    }

    #[setter]
    fn set_writes(&mut self, writes: bool) {
        self.scanner.reader.projector.writes = writes;
    }

    /// The number of a column that takers test: path, whether text nodes, attribute or None.
    fn column(&mut self, values: ValuesTuple) -> u32 {
        self.scanner.reader.projector.takers.column(super::takers::values(values))
    }

    /// The number of a result that takers share.
    fn result(&mut self, made: Bound<'_, PyTuple>) -> PyResult<u32> {
        Ok(self.scanner.reader.projector.takers.result(result(&made)?))
    }

    /// Add a taker for the elements of a step; returns its number there.
    fn add_taker(
        &mut self,
        step: u32,
        owner: u32,
        own_step: u32,
        alternatives: TestsTuple,
        result: Option<u32>,
    ) -> PyResult<u32> {
        let made = taker(owner, own_step, alternatives, result)?;
        let added = self.scanner.reader.projector.takers.add(step, made);
        added.ok_or_else(|| pyo3::exceptions::PyValueError::new_err("a taker names a column or a result there is not"))
    }

    /// Remove a taker; returns whether there was one.
    fn remove_taker(&mut self, step: u32, number: u32) -> bool {
        self.scanner.reader.projector.takers.remove(step, number)
    }

    /// Read more input; returns a batch if there is enough for one, or with `flush` anything to report.
    #[pyo3(signature = (data, flush=false))]
    fn feed<'py>(&mut self, py: Python<'py>, data: &[u8], flush: bool) -> PyResult<Option<BatchTuple<'py>>> {
        match self.run(py, |scanner| scanner.feed(data, flush))? {
            None => Ok(None),
            Some(harvest) => careful(|| self.batch(py, harvest)).map(Some),
        }
    }

    /// Read the end of the input; returns the rest.
    fn finish<'py>(&mut self, py: Python<'py>) -> PyResult<BatchTuple<'py>> {
        let harvest = self.run(py, |scanner| scanner.finish())?;
        careful(|| self.batch(py, harvest))
    }
}

impl Scanner {
    /// Work without the interpreter lock.
    fn run<T: Send>(
        &mut self,
        py: Python<'_>,
        work: impl FnOnce(&mut crate::scanner::Scanner) -> Result<T, crate::errors::ScanError> + Send,
    ) -> PyResult<T> {
        if let Some(kind) = self.failed {
            return Err(failed_before(kind, "the scanner"));
        }
        let scanner = &mut self.scanner;
        let outcome = py.detach(|| guarded(|| work(scanner)));
        let kind = outcome.as_ref().err().map(|error| error.kind);
        self.failed = kind.filter(|kind| matches!(kind, Kind::Bug | Kind::Memory));
        outcome.map_err(raised)
    }

    fn batch<'py>(&mut self, py: Python<'py>, harvest: Harvest) -> PyResult<BatchTuple<'py>> {
        let Harvest { rows, counts, tables } = harvest;
        let objects = if self.compact { 0 } else { rows.len() * OBJECTS_OF_A_ROW + rows.characters.len() * 2 };
        memory::room(objects + rows.written_text.len() * 2);
        let projector = &self.scanner.reader.projector;
        let tables = tables.iter().filter_map(|(step, found)| Some((*step, projector.table_spec(*step)?, found)));
        let tables = tables.map(|(step, spec, found)| table_tuple(py, step, spec, found)).collect::<PyResult<_>>()?;
        let names = self.scanner.reader.projector.names.new_in_table();
        let names = names.iter().map(|(uri, local, prefix)| (uri.to_string(), local.to_string(), prefix.to_string()));
        let names = names.collect();
        let numbers = if self.compact { Vec::new() } else { rows.numbers.clone() };
        let counted = (counts, self.scanner.input_bytes, written(py, &rows)?, numbers);
        let taken = taken(py, &rows)?;
        let kinds = PyList::new(py, &rows.record_kinds)?;
        let steps = PyList::new(py, &rows.record_steps)?;
        if self.compact {
            let records = (kinds, steps, PyList::new(py, &rows.record_rows)?);
            let compact = CompactRows::new(Tree::from_rows(rows)?, None).into_pyobject(py)?.into_any();
            let none = py.None().into_bound(py);
            return Ok((records, compact, (none.clone(), names, none), counted, tables, taken));
        }
        let integers = Integers::up_to(py, rows.len());
        let records = (kinds, steps, integers.list(py, &rows.record_rows)?);
        let (ends, parents) = ends_and_parents(py, &rows, &integers)?;
        let columns = (codes(py, &rows.codes)?, ends, parents, values(py, &rows)?).into_pyobject(py)?.into_any();
        let naming = (declared(py, &rows)?.into_any(), names, prefixed(py, &rows)?.into_any());
        Ok((records, columns, naming, counted, tables, taken))
    }
}

fn written<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Vec<WrittenTuple<'py>>> {
    let text = std::str::from_utf8(&rows.written_text)?;
    let mut start = 0;
    let tuple = |written: &Written| {
        let Written { end, elements, items, most_characters, most_rows } = *written;
        let own = PyString::new(py, &text[start..end]);
        start = end;
        let Items { number, begins_with_atomic, ends_with_atomic } = items;
        (own, elements, number, most_characters, most_rows, begins_with_atomic, ends_with_atomic)
    };
    Ok(rows.written.iter().map(tuple).collect())
}

fn codes<'py>(py: Python<'py>, codes: &[u32]) -> PyResult<Bound<'py, PyList>> {
    let mut made: FxHashMap<u32, Bound<'py, PyInt>> = FxHashMap::default();
    PyList::new(py, codes.iter().map(|&code| made.entry(code).or_insert_with(|| PyInt::new(py, code)).clone()))
}
