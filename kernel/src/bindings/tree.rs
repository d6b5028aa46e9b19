//! The compact tree for Python: `xylem.values.compact_tree` wraps it.

use std::sync::Arc;

use pyo3::exceptions::{PyIndexError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use rustc_hash::{FxHashMap, FxHashSet};

use super::errors::{careful, rows_for_python};
use super::tree_columns::{values, RowColumn, ValueColumn, Which};
use crate::namespaces::Binding;
use crate::number::short_integer;
use crate::rows::kind;
use crate::tree::axes::{Axis, Step, Test};
use crate::tree::text::{Standing, Writing, WrittenNames};
use crate::tree::Tree;

/// Bytes of a piece of output.
const PIECE_BYTES: usize = 1 << 16;

/// The names of one document or scan: scan codes mapped to pool codes, and the spelling of names.
#[pyclass(module = "xylem._kernel")]
#[derive(Default)]
pub struct NameTable {
    codes: FxHashMap<u32, u32>,
    written: WrittenNames,
}

impl NameTable {
    /// Register the name of a pool code.
    pub fn write(&mut self, code: u32, prefix: &str, local: &str) {
        self.written.add(code, prefix, local);
    }

    /// The pool code for a scan code, if known.
    pub fn pool_code(&self, code: u32) -> Option<u32> {
        if code <= 7 {
            return Some(code);
        }
        self.codes.get(&code).copied()
    }
}

#[pymethods]
impl NameTable {
    #[new]
    fn new() -> Self {
        NameTable::default()
    }

    /// Register the name of a pool code, unless it has one.
    fn learn(&mut self, code: u32, prefix: &str, local: &str) {
        self.written.learn(code, prefix, local);
    }

    /// A separate table with the same names.
    fn copy(&self) -> NameTable {
        NameTable { codes: self.codes.clone(), written: self.written.clone() }
    }

    /// Register the pool code and the name of a scan code.
    fn add(&mut self, scanned: u32, code: u32, prefix: &str, local: &str) {
        self.codes.insert(scanned, code);
        self.written.add(code, prefix, local);
    }
}

/// Prepared steps of a path.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct PathPlan(Vec<Step>);

impl PathPlan {
    /// The steps.
    pub fn steps(&self) -> &[Step] {
        &self.0
    }
}

#[pymethods]
impl PathPlan {
    /// Steps as (axis, test, numbers): any, nothing, kind with the kind, code with the code, codes with them all.
    #[new]
    fn new(steps: Vec<(String, String, Vec<u32>)>) -> PyResult<Self> {
        steps
            .into_iter()
            .map(|(axis, test, numbers)| step(&axis, &test, &numbers))
            .collect::<PyResult<_>>()
            .map(PathPlan)
    }
}

fn step(axis: &str, test: &str, numbers: &[u32]) -> PyResult<Step> {
    let axis = Axis::named(axis).ok_or_else(|| PyValueError::new_err(format!("there is no axis {axis}")))?;
    let test = match (test, numbers) {
        ("any", []) => Test::Any,
        ("nothing", []) => Test::Nothing,
        ("kind", &[kind]) => Test::Kind(kind),
        ("code", &[code]) => Test::Code(code),
        ("codes", codes) => Test::Codes(FxHashSet::from_iter(codes.iter().copied())),
        _ => return Err(PyValueError::new_err(format!("there is no test {test} with {} numbers", numbers.len()))),
    };
    Ok(Step { axis, test })
}

/// codes, ends, parents, values
type MovedColumns<'py> = (Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>, Bound<'py, PyList>);

/// The rows of a tree.
#[pyclass(module = "xylem._kernel")]
pub struct CompactRows {
    pub(super) tree: Tree,
    /// None while the codes are those of a scan.
    names: Option<Py<NameTable>>,
}

impl CompactRows {
    /// Rows, with their names if the codes are those of the pool already.
    pub fn new(tree: Tree, names: Option<Py<NameTable>>) -> Self {
        CompactRows { tree, names }
    }

    fn checked(&self, row: u32) -> PyResult<u32> {
        if (row as usize) < self.tree.len() {
            return Ok(row);
        }
        Err(PyIndexError::new_err(format!("there is no row {row}")))
    }

    fn named_by(&self) -> PyResult<&Py<NameTable>> {
        self.names.as_ref().ok_or_else(|| PyValueError::new_err("the codes are not the pool's yet"))
    }

    fn checked_range(&self, start: u32, end: u32) -> PyResult<()> {
        if start <= end && end as usize <= self.tree.len() {
            return Ok(());
        }
        Err(PyIndexError::new_err(format!("there are no rows {start} to {end}")))
    }
}

#[pymethods]
impl CompactRows {
    /// A tree without rows, to grow.
    #[new]
    fn empty(names: Py<NameTable>) -> Self {
        CompactRows::new(Tree::default(), Some(names))
    }

    /// Prepare steps.
    #[staticmethod]
    fn plan(steps: Vec<(String, String, Vec<u32>)>) -> PyResult<PathPlan> {
        PathPlan::new(steps)
    }

    fn __len__(&self) -> usize {
        self.tree.len()
    }

    /// The number a scan gave a row under a label.
    fn number(&self, row: u32, label: u32) -> Option<u64> {
        self.tree.number(row, label)
    }

    #[getter]
    fn names(&self, py: Python<'_>) -> PyResult<Py<NameTable>> {
        self.named_by().map(|names| names.clone_ref(py))
    }

    /// A table for the names of a scan.
    #[staticmethod]
    fn new_names() -> NameTable {
        NameTable::default()
    }

    /// Set another table, which must know all names that occur.
    #[setter]
    fn set_names(&mut self, names: Py<NameTable>) {
        self.names = Some(names);
    }

    /// An empty tree with the same names.
    fn new_rows(&self, py: Python<'_>) -> PyResult<CompactRows> {
        self.names(py).map(CompactRows::empty)
    }

    /// Replace scan codes by pool codes; returns unknown codes, and then changes nothing.
    fn recode(&mut self, py: Python<'_>, table: Py<NameTable>) -> PyResult<Vec<u32>> {
        careful(|| {
            if self.names.is_some() {
                return Err(PyValueError::new_err("the codes are the pool's already"));
            }
            let names = table.borrow(py);
            let known = |code: u32| names.pool_code(code);
            let mut missing: Vec<u32> =
                self.tree.codes().iter().copied().filter(|&code| known(code).is_none()).collect();
            missing.sort_unstable();
            missing.dedup();
            if missing.is_empty() {
                for code in self.tree.codes_mut() {
                    *code = known(*code).unwrap_or(*code);
                }
                self.names = Some(table.clone_ref(py));
            }
            Ok(missing)
        })
    }

    // --- columns

    /// Codes, ends, parents and values.
    #[getter]
    fn columns<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyTuple>> {
        let py = slf.py();
        let column = |which| RowColumn::new(slf.clone().unbind(), which);
        (column(Which::Codes), column(Which::Ends), column(Which::Parents), ValueColumn::new(slf.clone().unbind()))
            .into_pyobject(py)
    }

    fn code(&self, row: u32) -> PyResult<u32> {
        self.checked(row).map(|row| self.tree.codes()[row as usize])
    }

    fn kind(&self, row: u32) -> PyResult<u32> {
        self.checked(row).map(|row| self.tree.codes()[row as usize] & 7)
    }

    fn end(&self, row: u32) -> PyResult<u32> {
        self.checked(row).map(|row| self.tree.ends()[row as usize])
    }

    /// The row of the parent, -1 at the root.
    fn parent(&self, row: u32) -> PyResult<i64> {
        self.checked(row).map(|row| self.tree.parent(row).map_or(-1, i64::from))
    }

    /// The number of ancestors of a row.
    fn depth(&self, row: u32) -> PyResult<u32> {
        let mut row = self.checked(row)?;
        let mut depth = 0;
        while let Some(parent) = self.tree.parent(row) {
            row = parent;
            depth += 1;
        }
        Ok(depth)
    }

    fn value<'py>(&self, py: Python<'py>, row: u32) -> PyResult<Option<Bound<'py, PyString>>> {
        self.checked(row).map(|row| self.tree.value(row).map(|value| PyString::new(py, value)))
    }

    fn string_value<'py>(&self, py: Python<'py>, row: u32) -> PyResult<Bound<'py, PyString>> {
        careful(|| self.checked(row).map(|row| PyString::new(py, &self.tree.string_value(row))))
    }

    /// The typed values of many rows: those of documents, elements, attributes and text as objects of a given string
    /// class.
    fn typed_values<'py>(
        &self,
        py: Python<'py>,
        rows: Vec<u32>,
        untyped: &Bound<'py, PyAny>,
    ) -> PyResult<Vec<Bound<'py, PyAny>>> {
        careful(|| {
            let typed = |row| {
                let value = self.string_value(py, row)?;
                if self.kind(row)? <= kind::TEXT {
                    return untyped.call1((value,));
                }
                Ok(value.into_any())
            };
            rows.into_iter().map(typed).collect()
        })
    }

    /// The number of characters of some rows.
    fn count_characters(&self, start: u32, end: u32) -> PyResult<usize> {
        self.checked_range(start, end).map(|()| self.tree.count_characters(start, end))
    }

    /// Whether two subtrees have the same rows, codes and characters.
    fn has_same_rows(slf: &Bound<'_, Self>, row: u32, other: &Bound<'_, Self>, other_row: u32) -> PyResult<bool> {
        let (here, there) = (slf.borrow(), other.borrow());
        let (row, other_row) = (here.checked(row)?, there.checked(other_row)?);
        Ok(here.tree.has_same_rows(row, &there.tree, other_row))
    }

    /// Bytes held by columns and characters.
    fn held_bytes(&self) -> usize {
        self.tree.held_bytes()
    }

    /// The columns as bytes, for a file.
    fn paged<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        careful(|| Ok(PyBytes::new(py, &self.tree.paged())))
    }

    /// The remainder of these rows while their columns are in a file.
    fn shell(&self, py: Python<'_>) -> CompactRows {
        CompactRows::new(self.tree.shell(), self.names.as_ref().map(|names| names.clone_ref(py)))
    }

    /// The rows of this shell, with the columns that were in a file.
    fn unpaged(&self, py: Python<'_>, data: &[u8]) -> PyResult<CompactRows> {
        careful(|| {
            let tree = self.tree.unpaged(data).map_err(PyValueError::new_err)?;
            Ok(CompactRows::new(tree, self.names.as_ref().map(|names| names.clone_ref(py))))
        })
    }

    // --- steps

    /// The rows of a path from one row, ascending.
    fn path_from(&self, row: u32, plan: &PathPlan) -> PyResult<Vec<u32>> {
        careful(|| self.checked(row).map(|row| rows_for_python(self.tree.path(&[row], &plan.0))))
    }

    /// The rows of a path from any rows, ascending, each once.
    fn path(&self, rows: Vec<u32>, plan: &PathPlan) -> PyResult<Vec<u32>> {
        careful(|| {
            let mut rows = rows;
            if !rows.is_sorted_by(|one, next| one < next) {
                rows.sort_unstable();
                rows.dedup();
            }
            if let Some(&last) = rows.last() {
                self.checked(last)?;
            }
            Ok(rows_for_python(self.tree.path(&rows, &plan.0)))
        })
    }

    /// The row after another one (-1: the first) on the axis of a one-step plan; -1 at the end.
    fn next_along(&self, row: u32, previous: i64, plan: &PathPlan) -> PyResult<i64> {
        careful(|| {
            let row = self.checked(row)?;
            let previous = u32::try_from(previous).ok().map(|previous| self.checked(previous)).transpose()?;
            let [step] = &plan.0[..] else { return Err(PyValueError::new_err("one step, and no more")) };
            let next = match previous {
                None => self.tree.first_along(step, row),
                Some(_) => self.tree.next_along(step, row, previous),
            };
            match next {
                Some(found) => Ok(found.map_or(-1, i64::from)),
                None => Err(PyValueError::new_err("this axis has no order to be followed")),
            }
        })
    }

    /// The root, and the chain of first child elements, from the outside in.
    fn spine(&self) -> Vec<u32> {
        self.tree.spine()
    }

    /// One past the last attribute of an element.
    fn attributes_end(&self, row: u32) -> PyResult<u32> {
        self.checked(row).map(|row| self.tree.attributes_end(row))
    }

    /// The children with a code, or the attribute.
    fn children_named(&self, row: u32, code: u32) -> PyResult<Vec<u32>> {
        careful(|| {
            let mut found = Vec::new();
            let mut from = self.checked(row)? + 1;
            while let Some(child) = self.next_named(from, row, code) {
                found.push(child);
                from = self.tree.ends()[child as usize];
            }
            Ok(found)
        })
    }

    /// The string value of the only child with a code, or of the attribute; None if there is none, or several.
    fn text_named<'py>(&self, py: Python<'py>, row: u32, code: u32) -> PyResult<Option<Bound<'py, PyString>>> {
        careful(|| {
            let row = self.checked(row)?;
            let Some(only) = self.next_named(row + 1, row, code) else { return Ok(None) };
            if self.next_named(self.tree.ends()[only as usize], row, code).is_some() {
                return Ok(None);
            }
            Ok(Some(PyString::new(py, &self.tree.string_value(only))))
        })
    }

    /// For each row the integer value of its only child with a code, or of its attribute; None for anything else.
    fn integers_named(&self, rows: Vec<u32>, code: u32) -> PyResult<Vec<Option<i64>>> {
        careful(|| rows.into_iter().map(|row| self.checked(row).map(|row| self.integer_named(row, code))).collect())
    }

    /// The first child with a code, or the attribute; -1 if there is none.
    fn first_named(&self, row: u32, code: u32) -> PyResult<i64> {
        let row = self.checked(row)?;
        Ok(self.next_named(row + 1, row, code).map_or(-1, i64::from))
    }

    /// The first descendant with a code; -1 if there is none.
    fn first_descendant(&self, row: u32, code: u32) -> PyResult<i64> {
        let row = self.checked(row)?;
        Ok(self.tree.first_between(code, row + 1, self.tree.ends()[row as usize]).map_or(-1, i64::from))
    }

    /// The number of descendants with a code.
    fn count_descendants(&self, row: u32, code: u32) -> PyResult<usize> {
        let row = self.checked(row)?;
        Ok(self.tree.count_between(code, row + 1, self.tree.ends()[row as usize]))
    }

    /// All rows with a code, ascending.
    fn named(&self, code: u32) -> PyResult<Vec<u32>> {
        careful(|| Ok(rows_for_python(self.tree.named(code).to_vec())))
    }

    // --- names and namespaces

    /// Prefixes by row, if they are not those of the names.
    fn prefixed<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        careful(|| {
            let all = PyDict::new(py);
            for (row, prefix) in self.tree.prefixed() {
                all.set_item(row, &**prefix)?;
            }
            Ok(all)
        })
    }

    /// Namespace declarations of some rows, by row. Rows with the same declarations share a dictionary.
    #[pyo3(signature = (start=0, end=None))]
    fn declared<'py>(&self, py: Python<'py>, start: u32, end: Option<u32>) -> PyResult<Bound<'py, PyDict>> {
        careful(|| {
            let all = PyDict::new(py);
            let mut last: Option<(&Arc<[Binding]>, Bound<'py, PyDict>)> = None;
            for (row, bindings) in self.tree.declared_within(start, end.unwrap_or(u32::MAX)) {
                let here = match last.take() {
                    Some((known, shared)) if Arc::ptr_eq(known, bindings) => shared,
                    _ => by_prefix(py, bindings.iter())?,
                };
                all.set_item(row, &here)?;
                last = Some((bindings, here));
            }
            Ok(all)
        })
    }

    /// The namespaces in scope of a row, without `xml`.
    fn in_scope<'py>(&self, py: Python<'py>, row: u32) -> PyResult<Bound<'py, PyDict>> {
        careful(|| by_prefix(py, self.tree.in_scope(self.checked(row)?)))
    }

    /// The element's own declarations.
    fn declared_at<'py>(&self, py: Python<'py>, row: u32) -> PyResult<Bound<'py, PyDict>> {
        by_prefix(py, self.tree.declared_at(self.checked(row)?))
    }

    /// A key shared by rows with the same namespaces in scope, until something is declared.
    fn scope_key(&self, row: u32) -> PyResult<(usize, i64)> {
        let (address, outer) = self.tree.scope_key(self.checked(row)?);
        Ok((address, outer.map_or(-1, i64::from)))
    }

    #[getter]
    fn has_declarations(&self) -> bool {
        !self.tree.declared().is_empty()
    }

    /// Some rows shifted by a number of rows, to append to Python columns: codes, ends, all parents but the first,
    /// values.
    fn moved<'py>(&self, py: Python<'py>, start: u32, end: u32, by: i64) -> PyResult<MovedColumns<'py>> {
        careful(|| {
            self.checked_range(start, end)?;
            let (first, last) = (start as usize, end as usize);
            let moved = |row: &u32| i64::from(*row) + by;
            Ok((
                PyList::new(py, &self.tree.codes()[first..last])?,
                PyList::new(py, self.tree.ends()[first..last].iter().map(moved))?,
                PyList::new(py, self.tree.parents()[last.min(first + 1)..last].iter().map(moved))?,
                values(py, &self.tree, first..last)?,
            ))
        })
    }

    // --- growing

    /// Append a row; the caller sets the ends of its ancestors.
    fn push(&mut self, code: u32, end: u32, parent: u32, value: &str) -> PyResult<()> {
        careful(|| {
            self.tree.push(code, end, parent, value);
            Ok(())
        })
    }

    /// Append a copy of rows of another tree with the same names as children of the root; returns the first new row.
    fn append(&mut self, source: PyRef<'_, CompactRows>, start: u32, end: u32, parent: u32) -> PyResult<u32> {
        careful(|| {
            source.checked(start)?;
            source.checked_range(start + 1, end)?;
            let first = self.tree.append(&source.tree, start, end, parent);
            self.tree.close_root();
            Ok(first)
        })
    }

    /// Append copies of children of one element, with their subtrees, as children of the root; returns the first row of
    /// each.
    ///
    /// None if one is a child of another element, or has its own namespaces: these need more care.
    fn gather(&mut self, source: PyRef<'_, CompactRows>, rows: Vec<u32>, parent: u32) -> PyResult<Option<Vec<u32>>> {
        careful(|| {
            for &row in &rows {
                source.checked(row)?;
            }
            let firsts = self.tree.gather(&source.tree, &rows, parent);
            self.tree.close_root();
            Ok(firsts)
        })
    }

    /// Extend the root over all rows so far.
    fn close_root(&mut self) {
        self.tree.close_root();
    }

    /// Set the declarations of an element.
    fn declare(&mut self, row: u32, bindings: Vec<(String, String)>) -> PyResult<()> {
        self.checked(row)?;
        self.tree.declare(row, bindings.into_iter().map(binding).collect());
        Ok(())
    }

    /// Copy the declarations of another element.
    fn declare_like(&mut self, row: u32, other: u32) -> PyResult<()> {
        self.checked(row)?;
        self.tree.declare_like(row, other);
        Ok(())
    }

    /// Set the prefix of a row.
    fn rename(&mut self, row: u32, prefix: &str) -> PyResult<()> {
        self.checked(row)?;
        self.tree.rename(row, prefix);
        Ok(())
    }

    // --- serialisation

    /// Some rows as XML: one subtree, or the children of a document. Returns pieces of text.
    ///
    /// `around` is what the surrounding elements declare. Into an element other than its own, the subtree is copied.
    #[pyo3(signature = (start, end, around=None, is_copied=false))]
    fn text(
        slf: &Bound<'_, Self>,
        start: u32,
        end: u32,
        around: Option<Vec<(String, String)>>,
        is_copied: bool,
    ) -> PyResult<SubtreeText> {
        slf.borrow().checked_range(start, end)?;
        let place = match (&around, is_copied) {
            (None, _) => Standing::Outside,
            (Some(_), false) => Standing::Inside,
            (Some(_), true) => Standing::Copied,
        };
        let around: Vec<Binding> = around.into_iter().flatten().map(binding).collect();
        let writing = Some(Writing::new(start, end, place, &around));
        Ok(SubtreeText { rows: slf.clone().unbind(), writing })
    }
}

/// Bindings as a dictionary: prefix to URI.
fn by_prefix<'a, 'py>(
    py: Python<'py>,
    bindings: impl IntoIterator<Item = &'a Binding>,
) -> PyResult<Bound<'py, PyDict>> {
    let found = PyDict::new(py);
    for (prefix, uri) in bindings {
        found.set_item(&**prefix, &**uri)?;
    }
    Ok(found)
}

impl CompactRows {
    /// The integer value of the only child with a code, or of the attribute.
    fn integer_named(&self, row: u32, code: u32) -> Option<i64> {
        let child = self.next_named(row + 1, row, code)?;
        if self.next_named(self.tree.ends()[child as usize], row, code).is_some() {
            return None;
        }
        short_integer(self.tree.string_value(child).as_bytes())
    }

    /// The first sibling with a code from one row on, in an element; attributes precede children and have their own
    /// codes.
    fn next_named(&self, from: u32, inside: u32, code: u32) -> Option<u32> {
        let (codes, ends) = (self.tree.codes(), self.tree.ends());
        let end = ends[inside as usize];
        let is_attribute = code & 7 == kind::ATTRIBUTE;
        let mut row = from;
        while row < end {
            let found = codes[row as usize];
            if found == code {
                return Some(row);
            }
            if is_attribute && found & 7 != kind::ATTRIBUTE {
                return None;
            }
            row = ends[row as usize];
        }
        None
    }
}

fn binding((prefix, uri): (String, String)) -> Binding {
    (Arc::from(prefix), Arc::from(uri))
}

/// The text of some rows, piece by piece.
#[pyclass(module = "xylem._kernel")]
pub struct SubtreeText {
    rows: Py<CompactRows>,
    /// None when everything has been written.
    writing: Option<Writing>,
}

#[pymethods]
impl SubtreeText {
    fn __iter__(slf: PyRef<'_, Self>) -> PyRef<'_, Self> {
        slf
    }

    fn __next__<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyString>>> {
        careful(|| {
            let Some(writing) = self.writing.as_mut() else { return Ok(None) };
            let rows = self.rows.borrow(py);
            let names = rows.named_by()?.borrow(py);
            let mut piece = Vec::new();
            if !writing.write(&rows.tree, &names.written, PIECE_BYTES, &mut piece) {
                self.writing = None;
            }
            PyString::from_bytes(py, &piece).map(Some)
        })
    }
}
