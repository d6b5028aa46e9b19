//! The results of a best-match join as text for Python: a template, and the rows of both sides.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyString, PyTuple};

use super::best_match::{copied, numbers, term, NumberColumn};
use super::errors::careful;
use super::tree::{CompactRows, PathPlan};
use crate::best_match::{Columns, Pair, Part, Piece, Rows, Written};
use crate::escaping::Place;
use crate::memory;

/// Rows of one tree, and the plans of all paths for it.
struct Given {
    tree: Py<CompactRows>,
    rows: Vec<u32>,
    plans: Vec<Py<PathPlan>>,
}

/// References to the given objects while pairs are written.
type Borrowed<'py> = Vec<(PyRef<'py, CompactRows>, Vec<PyRef<'py, PathPlan>>)>;

type GivenParts<'py> = Vec<(Py<CompactRows>, Vec<u8>, Vec<Py<PathPlan>>)>;

/// The rows of one side whose texts are read, part after part.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct PairRows {
    parts: Vec<Given>,
}

/// Writes the results of pairs of rows.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct PairWriter {
    pieces: Vec<Piece>,
    left_columns: Vec<Vec<f64>>,
    right_columns: Vec<Vec<f64>>,
}

/// The texts of pairs that are written in any order, each at its own place.
#[pyclass(module = "xylem._kernel")]
pub struct PairTexts {
    written: Vec<u8>,
    /// The start and end of the text of each pair.
    places: Vec<(usize, usize)>,
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
impl PairRows {
    /// Parts: a tree, its rows as an `array("I")`, and the plans of all paths.
    #[new]
    fn new(parts: GivenParts<'_>) -> Self {
        PairRows { parts: given(parts) }
    }
}

#[pymethods]
impl PairTexts {
    /// Room for the texts of this many pairs.
    #[new]
    fn new(pairs: usize) -> Self {
        PairTexts { written: Vec::new(), places: vec![(0, 0); pairs] }
    }

    /// The number of bytes written.
    fn __len__(&self) -> usize {
        self.written.len()
    }

    /// The texts of all pairs, in order.
    fn text<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyString>> {
        let mut out = Vec::with_capacity(self.written.len());
        for &(start, end) in &self.places {
            out.extend_from_slice(&self.written[start..end]);
        }
        as_text(py, &out)
    }
}

fn as_text<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    let text = std::str::from_utf8(bytes).map_err(|reason| PyValueError::new_err(reason.to_string()))?;
    careful(|| {
        memory::room(bytes.len() * 2);
        Ok(PyString::new(py, text))
    })
}

/// The numbers of both items of each pair, and their row indexes: equal to their numbers by default.
type Numbers<'a> = (&'a [u8], &'a [u8]);

fn pairs(items: Numbers<'_>, places: Option<Numbers<'_>>) -> impl Iterator<Item = Pair> {
    let places = places.unwrap_or(items);
    let left = numbers(items.0).into_iter().zip(numbers(places.0));
    let right = numbers(items.1).into_iter().zip(numbers(places.1));
    let both = |(number, place): (u32, u32)| (number as usize, place as usize);
    left.zip(right).map(move |(left, right)| Pair { left: both(left), right: both(right) })
}

#[pymethods]
impl PairWriter {
    /// A template, and the columns of each side.
    #[new]
    fn new<'py>(
        template: &Bound<'py, PyList>,
        left_columns: Vec<PyRef<'py, NumberColumn>>,
        right_columns: Vec<PyRef<'py, NumberColumn>>,
    ) -> PyResult<Self> {
        Ok(PairWriter {
            pieces: pieces(template)?,
            left_columns: copied(&left_columns),
            right_columns: copied(&right_columns),
        })
    }

    /// The text of some pairs, with row numbers as an `array("I")`; None if a path leads to too many nodes.
    #[pyo3(signature = (left, right, items, places=None))]
    fn write<'py>(
        &self,
        py: Python<'py>,
        left: &PairRows,
        right: &PairRows,
        items: Numbers<'_>,
        places: Option<Numbers<'_>>,
    ) -> PyResult<Option<Bound<'py, PyString>>> {
        let mut out = Vec::new();
        let is_written = self.each(py, left, right, pairs(items, places), &mut out, |_| ())?;
        if !is_written {
            return Ok(None);
        }
        as_text(py, &out).map(Some)
    }

    /// Write the texts of some pairs to their places; false if a path leads to too many nodes.
    #[pyo3(signature = (texts, at, left, right, items, places=None))]
    #[allow(clippy::too_many_arguments)]
    fn write_to(
        &self,
        py: Python<'_>,
        texts: &mut PairTexts,
        at: &[u8],
        left: &PairRows,
        right: &PairRows,
        items: Numbers<'_>,
        places: Option<Numbers<'_>>,
    ) -> PyResult<bool> {
        let PairTexts { written, places: told } = texts;
        let at = numbers(at);
        if at.iter().any(|&place| place as usize >= told.len()) {
            return Err(PyValueError::new_err("there is no such place"));
        }
        let mut start = written.len();
        let mut next = at.into_iter();
        self.each(py, left, right, pairs(items, places), written, |end| {
            if let Some(place) = next.next() {
                told[place as usize] = (start, end);
            }
            start = end;
        })
    }
}

impl PairWriter {
    /// Append the text of each pair, and record its end; false if a path leads to too many nodes.
    fn each(
        &self,
        py: Python<'_>,
        left: &PairRows,
        right: &PairRows,
        pairs: impl Iterator<Item = Pair>,
        out: &mut Vec<u8>,
        mut ended: impl FnMut(usize),
    ) -> PyResult<bool> {
        let (lefts, rights) = (borrowed(py, &left.parts)?, borrowed(py, &right.parts)?);
        let written = Written {
            left: rows(&left.parts, &lefts)?,
            right: rows(&right.parts, &rights)?,
            columns: Columns { left: &self.left_columns, right: &self.right_columns },
        };
        careful(|| {
            for pair in pairs {
                memory::check();
                if !written.write(&self.pieces, pair, out) {
                    return Ok(false);
                }
                ended(out.len());
            }
            Ok(true)
        })
    }
}
