//! Templates of whole documents, for documents that are trees already.

use std::sync::Mutex;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};

use super::errors::{guarded, raised};
use super::template::result;
use super::tree::CompactRows;
use crate::names::Names;
use crate::row_paths::NamedRows;
use crate::template::{Part, ScanResult};
use crate::template_writer::write_result;

/// The names of a tree.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct TreeNames(Names);

#[pymethods]
impl TreeNames {
    /// Number, kind, namespace, local name and prefix of each.
    #[new]
    fn new(entries: Vec<(u32, u32, String, String, String)>) -> Self {
        TreeNames(Names::of_tree(entries))
    }
}

/// A template of the document node.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct TreeTemplate(Vec<Part>);

#[pymethods]
impl TreeTemplate {
    #[new]
    fn new(template: Bound<'_, PyTuple>) -> PyResult<Self> {
        match result(&template)? {
            ScanResult::Template(parts) => Ok(TreeTemplate(parts)),
            _ => Err(PyValueError::new_err("documents are answered by templates")),
        }
    }

    /// The text for a tree whose root is a document node; None if the template cannot decide it.
    fn write<'py>(
        &self,
        py: Python<'py>,
        rows: PyRef<'py, CompactRows>,
        names: &TreeNames,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let (tree, scope) = (&rows.tree, Mutex::default());
        let written = py.detach(|| {
            guarded(|| {
                let columns = tree.columns(&scope);
                let mut text = Vec::new();
                let named = NamedRows { rows: &columns, names: &names.0 };
                Ok(write_result(&self.0, named, 0, &mut text).is_ok().then_some(text))
            })
        });
        match written.map_err(raised)? {
            None => Ok(None),
            Some(text) => {
                let text = std::str::from_utf8(&text).map_err(|error| PyValueError::new_err(error.to_string()))?;
                Ok(Some(PyString::new(py, text)))
            }
        }
    }
}
