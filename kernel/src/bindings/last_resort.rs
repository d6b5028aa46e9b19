//! An end for a process that Python cannot end: while one long call holds the interpreter, no Python code runs.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;

/// Ends the process with a message and an exit code, unless cancelled within a time.
#[pyclass(frozen)]
pub struct LastResort {
    called_off: Arc<(Mutex<bool>, Condvar)>,
}

#[pymethods]
impl LastResort {
    #[new]
    fn new(seconds: f64, message: Vec<u8>, exit_code: i32) -> PyResult<Self> {
        let called_off = Arc::new((Mutex::new(false), Condvar::new()));
        let state = called_off.clone();
        let waits = move || {
            let (is_off, changed) = &*state;
            let wait = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
            let guard = is_off.lock().unwrap_or_else(PoisonError::into_inner);
            let waited = changed.wait_timeout_while(guard, wait, |is_off| !*is_off);
            if *waited.unwrap_or_else(PoisonError::into_inner).0 {
                return;
            }
            // The process ends even if the message cannot be written.
            let _ = std::io::stderr().write_all(&message);
            std::process::exit(exit_code);
        };
        thread::Builder::new().spawn(waits).map_err(|_| PyMemoryError::new_err(()))?;
        Ok(LastResort { called_off })
    }

    /// Cancel: the process goes on.
    fn call_off(&self) {
        let (is_off, changed) = &*self.called_off;
        *is_off.lock().unwrap_or_else(PoisonError::into_inner) = true;
        changed.notify_all();
    }
}
