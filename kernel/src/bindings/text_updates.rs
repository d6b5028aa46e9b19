//! Updates of known texts for Python: units and regions go in, a tuple for each update comes out.

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList, PyTuple};

use super::errors::{careful, failed_before, guarded, raised};
use super::plan::{limits, LimitsTuple};
use super::template::result;
use crate::errors::Kind;
use crate::simple_updates::{simple_extent as extent, Simple};
use crate::template::ScanResult;
use crate::text_updates::{Answer, Chosen, NewRegion, Told, Version};
use crate::unit_rows::Rows;

/// The length of the simple updates at the beginning of some bytes, and their number.
#[pyfunction]
pub fn simple_extent(
    py: Python<'_>,
    data: &[u8],
    prefix: &[u8],
    declared: Vec<Vec<u8>>,
    most: (usize, usize),
) -> (usize, usize) {
    let simple = Simple { prefix, declared: &declared, depth: most.0, attributes: most.1 };
    py.detach(|| extent(data, simple))
}

/// The number of a unit, its answer, how many items that is and whether the first is an atomic value.
type AnswerTuple = (u32, String, u64, bool);
/// The time as written, and the answers of units that give something else now.
type ToldTuple = (Option<String>, Vec<AnswerTuple>);
/// The element around chosen versions, their name, and which of them, counted from the newest.
type ChosenTuple = (String, String, usize, usize);

/// Answers updates of known texts by a template.
#[pyclass(module = "xylem._kernel")]
pub struct TextUpdates {
    texts: crate::text_updates::TextUpdates,
    /// The fault of its own that ended it.
    failed: Option<Kind>,
}

#[pymethods]
impl TextUpdates {
    #[new]
    fn new(
        scan_limits: LimitsTuple,
        template: Bound<'_, PyTuple>,
        rows: &str,
        chosen: Vec<ChosenTuple>,
    ) -> PyResult<Self> {
        let ScanResult::Template(parts) = result(&template)? else {
            return Err(PyValueError::new_err("units are answered by templates"));
        };
        let rows = match rows {
            "items" => Rows::Items,
            "item" => Rows::Item,
            "several" => Rows::Several,
            "keyed" => Rows::Keyed,
            "numbers" => Rows::Numbers,
            "comparable" => Rows::Comparable,
            _ => return Err(PyValueError::new_err("units give other rows")),
        };
        let chosen = chosen.into_iter().map(|(around, name, from, to)| Chosen { around, name, from, to }).collect();
        let texts = crate::text_updates::TextUpdates::new(limits(scan_limits), parts, rows, chosen);
        Ok(TextUpdates { texts, failed: None })
    }

    /// A unit as a document, with regions as they stand in it: the number, name, start, length, earlier texts and number of
    /// kept versions of each.
    /// Its number and answer, how many items that is and whether the first is atomic; None where the template cannot decide.
    fn add(
        &mut self,
        document: Bound<'_, PyBytes>,
        regions: Vec<NewRegion>,
    ) -> PyResult<Option<AnswerTuple>> {
        let data = document.as_bytes().to_vec();
        let mut behind = 0;
        for (_, name, start, length, _, _) in &regions {
            let (start, end) = (*start as usize, *start as usize + *length as usize);
            if start < behind + name.len() + 2 || end + name.len() + 3 > data.len() {
                return Err(PyIndexError::new_err("a region does not stand in its document"));
            }
            behind = end + name.len() + 3;
        }
        let found = self.guarded(|texts| texts.add(data, regions))?;
        Ok(found.map(|(unit, answer)| (unit, answer.text, answer.items, answer.is_atomic)))
    }

    /// Answer updates of a region under an id, if it stands in the documents of these units and no others.
    fn open(&mut self, id: String, number: u32, units: Vec<u32>) -> PyResult<bool> {
        self.guarded(|texts| texts.open(id, number, units))
    }

    /// No longer answer updates of a region; returns its id.
    fn close(&mut self, number: u32) -> PyResult<Option<String>> {
        self.guarded(|texts| texts.close(number))
    }

    /// A unit has changed in another way, or is gone; returns the ids of its regions, which are closed, and the numbers of
    /// those that stand nowhere else.
    fn forget(&mut self, unit: u32) -> PyResult<(Vec<String>, Vec<u32>)> {
        self.guarded(|texts| texts.forget(unit))
    }

    /// The updates of known regions from an index on, and where they end. Times must not run back before `last`, and
    /// updates and commits are counted from those in `counted`.
    #[allow(clippy::too_many_arguments)] // In the form of Python.
    fn read<'py>(
        &mut self,
        py: Python<'py>,
        data: &[u8],
        start: usize,
        prefix: &[u8],
        declared: Vec<Vec<u8>>,
        most: (usize, usize),
        last: &str,
        counted: (u64, u64),
    ) -> PyResult<(Bound<'py, PyList>, usize)> {
        if start > data.len() {
            return Err(PyIndexError::new_err("it starts behind the end"));
        }
        let simple = Simple { prefix, declared: &declared, depth: most.0, attributes: most.1 };
        let (found, end) = self.guarded(|texts| texts.read(data, start, simple, last, counted))?;
        careful(|| told(py, found)).map(|made| (made, end))
    }

    /// The versions that the caller does not have, by the numbers of their regions, the newest last: each with its text and
    /// the numbers of its update and commit.
    fn unwritten(&mut self) -> PyResult<Vec<(u32, Vec<Version>)>> {
        self.guarded(crate::text_updates::TextUpdates::unwritten)
    }
}

fn told(py: Python<'_>, found: Vec<Told>) -> PyResult<Bound<'_, PyList>> {
    let made = PyList::empty(py);
    for told in found {
        let answer = |(unit, one): (u32, Answer)| (unit, one.text, one.items, one.is_atomic);
        let answers = told.answers.into_iter().map(answer).collect();
        let given: ToldTuple = (told.time, answers);
        made.append(given)?;
    }
    Ok(made)
}

impl TextUpdates {
    fn guarded<T>(&mut self, work: impl FnOnce(&mut crate::text_updates::TextUpdates) -> T) -> PyResult<T> {
        if let Some(kind) = self.failed {
            return Err(failed_before(kind, "a run of texts"));
        }
        let texts = &mut self.texts;
        let outcome = guarded(|| Ok(work(texts)));
        self.failed = outcome.as_ref().err().map(|error| error.kind);
        outcome.map_err(raised)
    }
}
