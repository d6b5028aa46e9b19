//! A whole document: as the columns of `xylem.values.tree`, or as a compact tree.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::columns::{declared, ends_and_parents, prefixed, values, Integers};
use super::errors::{careful, guarded, raised};
use super::plan::{limits, LimitsTuple};
use super::scanner::OBJECTS_OF_A_ROW;
use super::tree::{CompactRows, NameTable};
use crate::memory;
use crate::rows::Rows;
use crate::scanner::{read_whole, Options};
use crate::tree::Tree;

/// A document that has been read, before its names get the codes of a name pool.
#[pyclass(module = "xylem._kernel")]
pub struct TreeColumns {
    rows: Rows,
    /// (kind, uri, local, prefix) of the codes that occur; `columns` needs a pool code for each.
    #[pyo3(get)]
    names: Vec<(u32, String, String, String)>,
    /// Places in `names` of elements and attributes, and whether the attribute is an ID (or else an IDREF).
    #[pyo3(get)]
    identifier_rules: Vec<(usize, usize, bool)>,
    /// For each row, the index of its code in `names`, or beyond them the kind.
    places: Vec<u32>,
}

/// codes, ends, parents, values, declared, prefixed
type ColumnsTuple<'py> = (
    Bound<'py, PyList>,
    Bound<'py, PyList>,
    Bound<'py, PyList>,
    Bound<'py, PyList>,
    Bound<'py, PyDict>,
    Bound<'py, PyDict>,
);

#[pymethods]
impl TreeColumns {
    /// The columns, given the codes of the names.
    fn columns<'py>(&self, py: Python<'py>, codes: Vec<Bound<'py, PyAny>>) -> PyResult<ColumnsTuple<'py>> {
        if codes.len() != self.names.len() {
            return Err(PyValueError::new_err("one code for each name"));
        }
        careful(|| self.listed(py, codes))
    }

    /// The number of rows.
    fn __len__(&self) -> usize {
        self.places.len()
    }

    /// The compact tree, given the codes of the names; the columns are moved into it.
    fn compact(&mut self, py: Python<'_>, codes: Vec<u32>) -> PyResult<CompactRows> {
        if codes.len() != self.names.len() {
            return Err(PyValueError::new_err("one code for each name"));
        }
        careful(|| {
            let mut rows = std::mem::take(&mut self.rows);
            rows.codes = std::mem::take(&mut self.places);
            let named = codes.len() as u32;
            for code in &mut rows.codes {
                *code = if *code < named { codes[*code as usize] } else { *code - named };
            }
            let mut names = NameTable::default();
            for (&code, (_, _, local, prefix)) in codes.iter().zip(&self.names) {
                names.write(code, prefix, local);
            }
            let mut tree = Tree::from_rows(rows)?;
            tree.shrink();
            Ok(CompactRows::new(tree, Some(Py::new(py, names)?)))
        })
    }
}

impl TreeColumns {
    fn listed<'py>(&self, py: Python<'py>, codes: Vec<Bound<'py, PyAny>>) -> PyResult<ColumnsTuple<'py>> {
        memory::room(self.rows.len() * OBJECTS_OF_A_ROW + self.rows.characters.len() * 2);
        let mut all = codes;
        for kind in 0..8u32 {
            all.push(kind.into_pyobject(py)?.into_any());
        }
        let column = PyList::new(py, self.places.iter().map(|&place| &all[place as usize]))?;
        let integers = Integers::up_to(py, self.rows.len());
        let (ends, parents) = ends_and_parents(py, &self.rows, &integers)?;
        Ok((column, ends, parents, values(py, &self.rows)?, declared(py, &self.rows)?, prefixed(py, &self.rows)?))
    }
}

/// Read a document; `encoding` overrides the encoding that the document declares.
#[pyfunction]
#[pyo3(signature = (data, scan_limits, encoding=None, strip_space=false, namespaces=true))]
pub fn read_tree(
    py: Python<'_>,
    data: &[u8],
    scan_limits: LimitsTuple,
    encoding: Option<String>,
    strip_space: bool,
    namespaces: bool,
) -> PyResult<TreeColumns> {
    let options = Options { namespaces, strip_space, encoding };
    let read = || {
        memory::room(data.len().saturating_mul(2));
        let (scanner, rows) = read_whole(data, limits(scan_limits), options)?;
        Ok(tree_columns(&scanner, rows))
    };
    py.detach(|| guarded(read)).map_err(raised)
}

fn tree_columns(scanner: &crate::scanner::Scanner, rows: Rows) -> TreeColumns {
    let projector = &scanner.reader.projector;
    // A code is the number of a name shifted left by three bits, so the codes are few and dense.
    let most = rows.codes.iter().copied().max().unwrap_or(0) as usize;
    let mut place_of: Vec<u32> = vec![u32::MAX; most + 1];
    let mut names = Vec::new();
    for &code in &rows.codes {
        let place = &mut place_of[code as usize];
        if code > 7 && *place == u32::MAX {
            *place = names.len() as u32;
            let (uri, local, prefix) = projector.names.in_table(code >> 3);
            names.push((code & 7, uri.to_string(), local.to_string(), prefix.to_string()));
        }
    }
    let named = names.len() as u32;
    let places = rows.codes.iter().map(|&code| if code > 7 { place_of[code as usize] } else { named + code }).collect();
    let rules = projector.identifier_rules.iter();
    let identifier_rules = rules
        .map(|&(element, attribute, is_id)| {
            (place_of[element as usize] as usize, place_of[attribute as usize] as usize, is_id)
        })
        .collect();
    TreeColumns { rows, names, identifier_rules, places }
}
