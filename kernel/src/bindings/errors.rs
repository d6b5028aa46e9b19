//! Errors for Python: one exception class, whose arguments describe everything.

use std::panic::{catch_unwind, AssertUnwindSafe};

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::PyErr;

use crate::errors;
use crate::scanner::bug;

create_exception!(
    xylem._kernel,
    ScanError,
    PyException,
    "kind, detail, byte_offset, line, column, path; the kinds are in `kernel/src/errors.rs`."
);

/// The exception of an error.
pub fn raised(error: errors::ScanError) -> PyErr {
    let errors::ScanError { kind, detail, byte_offset, line, column, path } = error;
    ScanError::new_err((kind.word(), detail, byte_offset, line, column, path))
}

/// Run a function; a panic becomes an ordinary error.
pub fn guarded<T>(work: impl FnOnce() -> Result<T, errors::ScanError>) -> Result<T, errors::ScanError> {
    // State that was being changed is not used again: the caller drops it after a bug.
    match catch_unwind(AssertUnwindSafe(work)) {
        Ok(outcome) => outcome,
        Err(panic) => {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
            Err(bug(text.unwrap_or("the kernel panicked")))
        }
    }
}
