//! What Python sees: the module `xylem._kernel`, private to one Python file.

use pyo3::prelude::*;

use crate::build_info;

/// The native part of Xylem. `xylem.source.kernel` is the only file that imports it.
#[pymodule]
mod _kernel {
    use super::{build_info, Bound, PyModule, PyModuleMethods, PyResult};

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("VERSION", build_info::VERSION)?;
        module.add("PROFILE", build_info::PROFILE)
    }
}
