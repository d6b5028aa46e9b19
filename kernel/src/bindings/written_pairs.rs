//! The results of a best-match join as text, as Python sees them: a template, and the rows of both sides.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::best_match::{copied, numbers, term, NumberColumn};
use super::tree::{CompactRows, PathPlan};
use crate::best_match::{Columns, Part, Piece, Rows, Written};
use crate::escaping::Place;

/// Rows of one tree, and the plans of all paths for it.
struct Given {
    tree: Py<CompactRows>,
    rows: Vec<u32>,
    plans: Vec<Py<PathPlan>>,
}

/// Borrows of what is given, for as long as pairs are written.
type Borrowed<'py> = Vec<(PyRef<'py, CompactRows>, Vec<PyRef<'py, PathPlan>>)>;

type GivenParts<'py> = Vec<(Py<CompactRows>, Vec<u8>, Vec<Py<PathPlan>>)>;

/// Writes the results of pairs of rows.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct PairWriter {
    pieces: Vec<Piece>,
    left: Vec<Given>,
    right: Vec<Given>,
    left_columns: Vec<Vec<f64>>,
    right_columns: Vec<Vec<f64>>,
}

fn pieces(described: &Bound<'_, PyList>) -> PyResult<Vec<Piece>> {
    described.iter().map(|one| piece(one.cast::<PyTuple>()?)).collect()
}

fn piece(described: &Bound<'_, PyTuple>) -> PyResult<Piece> {
    let kind: String = described.get_item(0)?.extract()?;
    Ok(match kind.as_str() {
        "fixed" => Piece::Fixed(described.get_item(1)?.extract::<String>()?.into_bytes()),
        "number" => Piece::Number(term(described.get_item(1)?.cast::<PyTuple>()?)?),
        "content" => Piece::Content(
            pieces(described.get_item(1)?.cast::<PyList>()?)?,
            described.get_item(2)?.extract::<String>()?.into_bytes(),
        ),
        "text" => {
            let is_attribute: bool = described.get_item(3)?.extract()?;
            let has_spaces: bool = described.get_item(4)?.extract()?;
            Piece::Text {
                is_right: described.get_item(1)?.extract()?,
                path: described.get_item(2)?.extract()?,
                place: if is_attribute { Place::Attribute } else { Place::Content },
                between: if has_spaces { b" " } else { b"" },
                only_one: described.get_item(5)?.extract()?,
            }
        }
        _ => return Err(PyValueError::new_err(format!("there is no piece {kind}"))),
    })
}

fn given(parts: GivenParts<'_>) -> Vec<Given> {
    parts.into_iter().map(|(tree, rows, plans)| Given { tree, rows: numbers(&rows), plans }).collect()
}

fn borrowed<'py>(py: Python<'py>, given: &[Given]) -> PyResult<Borrowed<'py>> {
    given
        .iter()
        .map(|one| {
            let plans = one.plans.iter().map(|plan| Ok(plan.bind(py).try_borrow()?)).collect::<PyResult<_>>()?;
            Ok((one.tree.bind(py).try_borrow()?, plans))
        })
        .collect()
}

fn rows<'a>(given: &'a [Given], borrowed: &'a Borrowed<'_>) -> PyResult<Rows<'a>> {
    let mut parts = Vec::with_capacity(given.len());
    for (one, (tree, plans)) in given.iter().zip(borrowed) {
        let tree = &tree.tree;
        if one.rows.iter().any(|&row| row as usize >= tree.len()) {
            return Err(PyValueError::new_err("there is no such row"));
        }
        parts.push(Part { tree, rows: &one.rows, paths: plans.iter().map(|plan| plan.steps()).collect() });
    }
    Ok(Rows::new(parts))
}

#[pymethods]
impl PairWriter {
    /// A template, and for each side its parts (a tree, its rows as `array("I")` has them, and the plans of all paths) and columns.
    #[new]
    fn new<'py>(
        template: &Bound<'py, PyList>,
        left: GivenParts<'py>,
        right: GivenParts<'py>,
        left_columns: Vec<PyRef<'py, NumberColumn>>,
        right_columns: Vec<PyRef<'py, NumberColumn>>,
    ) -> PyResult<Self> {
        Ok(PairWriter {
            pieces: pieces(template)?,
            left: given(left),
            right: given(right),
            left_columns: copied(&left_columns),
            right_columns: copied(&right_columns),
        })
    }

    /// The text of some pairs, each row number as `array("I")` has it; None where a path leads to too many nodes.
    fn write<'py>(&self, py: Python<'py>, lefts: &[u8], rights: &[u8]) -> PyResult<Option<Bound<'py, PyString>>> {
        let (left, right) = (borrowed(py, &self.left)?, borrowed(py, &self.right)?);
        let written = Written {
            left: rows(&self.left, &left)?,
            right: rows(&self.right, &right)?,
            columns: Columns { left: &self.left_columns, right: &self.right_columns },
        };
        let mut out = Vec::new();
        for (left, right) in numbers(lefts).into_iter().zip(numbers(rights)) {
            if !written.write(&self.pieces, left as usize, right as usize, &mut out) {
                return Ok(None);
            }
        }
        let text = std::str::from_utf8(&out).map_err(|reason| PyValueError::new_err(reason.to_string()))?;
        Ok(Some(PyString::new(py, text)))
    }
}
