//! A scan without records: it only checks that the input is well formed and within its limits.

use pyo3::prelude::*;

use super::errors::{guarded, raised};
use super::plan::{limits, plan, LimitsTuple, PlanTuple};
use crate::errors::ScanError;
use crate::scanner::{Options, Scanner};

/// Reads a document and raises the errors of a scan as soon as they are known.
#[pyclass(module = "xylem._kernel")]
pub struct RecordChecker {
    scanner: Scanner,
}

#[pymethods]
impl RecordChecker {
    #[new]
    fn new(scan_plan: PlanTuple<'_>, scan_limits: LimitsTuple) -> PyResult<Self> {
        Ok(RecordChecker { scanner: Scanner::new(plan(scan_plan)?, limits(scan_limits), Options::default()) })
    }

    /// Read more input.
    fn feed(&mut self, py: Python<'_>, data: &[u8]) -> PyResult<()> {
        let scanner = &mut self.scanner;
        py.detach(|| guarded(|| checked(scanner, data))).map_err(raised)
    }

    /// Read the end of the input.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let scanner = &mut self.scanner;
        py.detach(|| guarded(|| scanner.finish().and_then(|_| checked(scanner, &[])))).map_err(raised)
    }
}

fn checked(scanner: &mut Scanner, data: &[u8]) -> Result<(), ScanError> {
    scanner.feed(data, true)?;
    // An error may be pending after the complete part before it.
    scanner.feed(&[], false).map(|_| ())
}
