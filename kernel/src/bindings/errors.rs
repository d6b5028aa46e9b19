//! Errors for Python: one exception class, whose arguments describe everything.

use std::any::Any;
use std::panic::{catch_unwind, AssertUnwindSafe};

use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyMemoryError};
use pyo3::{PyErr, PyResult};

use crate::errors::{self, Kind};
use crate::memory::{self, Refused};
use crate::scanner::bug;

create_exception!(
    xylem._kernel,
    ScanError,
    PyException,
    "kind, detail, byte_offset, line, column, path; the kinds are in `kernel/src/errors.rs`."
);

/// How PyO3 panics if Python cannot make an object: for lack of memory.
const NO_OBJECT: &str = "Python API call failed";

/// A number in a list of Python.
const BYTES_OF_A_NUMBER: usize = 40;

/// The exception of an error.
pub fn raised(error: errors::ScanError) -> PyErr {
    let errors::ScanError { kind, detail, byte_offset, line, column, path } = error;
    if kind == Kind::Memory {
        return PyMemoryError::new_err(());
    }
    ScanError::new_err((kind.word(), detail, byte_offset, line, column, path))
}

/// Run a function; a panic becomes an ordinary error.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, errors::ScanError>) -> Result<T, errors::ScanError> {
    memory::watch();
    // State that was being changed is not used again: the caller drops it after a bug.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(_) if !memory::is_enough() => Err(refused()),
        Ok(outcome) => outcome,
        Err(panic) => Err(described(&*panic)),
    }
}

/// The same, for functions that use Python.
pub fn careful<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    memory::watch();
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(_) if !memory::is_enough() => Err(raised(refused())),
        Ok(outcome) => outcome,
        Err(panic) => Err(raised(described(&*panic))),
    }
}

/// The rows of a result, if there is room for a list of them.
pub fn rows_for_python(rows: Vec<u32>) -> Vec<u32> {
    memory::room(rows.len() * BYTES_OF_A_NUMBER);
    rows
}

/// The error of an object that is used after it failed for a reason.
pub fn failed_before(kind: Kind, what: &str) -> PyErr {
    match kind {
        Kind::Memory => raised(refused()),
        _ => raised(bug(&format!("{what} is used after a fault of its own"))),
    }
}

fn described(panic: &(dyn Any + Send)) -> errors::ScanError {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    if panic.is::<Refused>() || text == Some(NO_OBJECT) {
        return refused();
    }
    bug(text.unwrap_or("the kernel panicked"))
}

fn refused() -> errors::ScanError {
    errors::ScanError { kind: Kind::Memory, ..bug("") }
}
