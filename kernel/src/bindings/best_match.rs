//! Best-match joins for Python: columns of numbers, and the pairs of a join over them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};

use super::errors::{careful, guarded, raised};
use super::tree::{CompactRows, PathPlan};
use crate::best_match::{join, ranges, Comparison, Condition, Index, Join, Kind, Lookup, Measures, Order, Term};
use crate::memory;
use crate::number::to_double;

/// Numbers of the items of one side; NaN for an item without one.
#[pyclass(module = "xylem._kernel")]
#[derive(Default)]
pub struct NumberColumn {
    values: Vec<f64>,
    /// The first item that has several values (true), or whose value is not a number.
    irregular: Option<(usize, bool)>,
}

#[pymethods]
impl NumberColumn {
    #[new]
    fn new() -> Self {
        NumberColumn::default()
    }

    fn __len__(&self) -> usize {
        self.values.len()
    }

    /// Append numbers in the form of Python's `array("d")`.
    fn extend(&mut self, numbers: &[u8]) -> PyResult<()> {
        if numbers.len() % 8 != 0 {
            return Err(PyValueError::new_err("numbers have eight bytes each"));
        }
        self.values
            .extend(numbers.chunks_exact(8).map(|bytes| f64::from_ne_bytes(bytes.try_into().unwrap_or_default())));
        Ok(())
    }

    /// Append the values of a path from each row as xs:double; `is_lenient` reads values that are not numbers as NaN.
    fn read(
        &mut self,
        rows: PyRef<'_, CompactRows>,
        contexts: Vec<u32>,
        plan: PyRef<'_, PathPlan>,
        is_lenient: bool,
    ) -> PyResult<()> {
        let tree = &rows.tree;
        let steps = plan.steps();
        for row in contexts {
            if row as usize >= tree.len() {
                return Err(PyValueError::new_err(format!("there is no row {row}")));
            }
            let found = tree.only_row(row, steps);
            let value = match found {
                (0, _) => f64::NAN,
                (1, Some(row)) => match to_double(tree.string_value(row).as_bytes()) {
                    Some(number) => number,
                    None => {
                        if !is_lenient {
                            self.irregular.get_or_insert((self.values.len(), false));
                        }
                        f64::NAN
                    }
                },
                _ => {
                    self.irregular.get_or_insert((self.values.len(), true));
                    f64::NAN
                }
            };
            self.values.push(value);
        }
        Ok(())
    }

    /// Append the numbers of another column.
    fn append(&mut self, other: PyRef<'_, NumberColumn>) {
        if let (None, Some((row, why))) = (self.irregular, other.irregular) {
            self.irregular = Some((self.values.len() + row, why));
        }
        self.values.extend_from_slice(&other.values);
    }

    /// The least and the greatest number; none if there are none.
    fn bounds(&self) -> Option<(f64, f64)> {
        let mut known = self.values.iter().copied().filter(|value| !value.is_nan());
        let first = known.next()?;
        Some(known.fold((first, first), |(least, most), value| (least.min(value), most.max(value))))
    }

    /// The last number if the numbers do not decrease; the first is compared with `from`.
    fn ascends(&self, from: f64) -> Option<f64> {
        let mut last = from;
        for &value in self.values.iter().filter(|value| !value.is_nan()) {
            if value < last {
                return None;
            }
            last = value;
        }
        Some(last)
    }

    /// For each range of values that may contain partners of a number, the places of the numbers as an `array("I")`.
    ///
    /// Each of `bounds` begins a range; partners lie between number + `least` and number + `most`. NaN has no partners.
    fn ranges<'py>(
        &self,
        py: Python<'py>,
        bounds: Vec<f64>,
        least: f64,
        most: f64,
    ) -> Vec<(usize, Bound<'py, PyBytes>)> {
        let found = ranges(&self.values, &bounds, least, most);
        let numbered = found.into_iter().enumerate().filter(|(_, places)| !places.is_empty());
        numbered.map(|(range, places)| (range, written(py, places.into_iter()))).collect()
    }

    /// The places of the numbers, least first, as an `array("I")`; equal ones keep their order.
    fn in_order<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let mut places: Vec<u32> = (0..self.values.len() as u32).collect();
        places.sort_by(|&one, &other| self.values[one as usize].total_cmp(&self.values[other as usize]));
        written(py, places.into_iter())
    }

    /// The numbers at some places (`array("I")`), as an `array("d")`.
    fn picked<'py>(&self, py: Python<'py>, places: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let mut bytes = Vec::with_capacity(2 * places.len());
        for place in numbers(places) {
            let value =
                self.values.get(place as usize).ok_or_else(|| PyValueError::new_err("there is no such number"))?;
            bytes.extend_from_slice(&value.to_ne_bytes());
        }
        Ok(PyBytes::new(py, &bytes))
    }

    /// The number of the first item with several values, or with one that is not a number.
    #[getter]
    fn irregular(&self) -> Option<usize> {
        self.irregular.map(|found| found.0)
    }

    /// The numbers as an `array("d")`.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        let bytes: Vec<u8> = self.values.iter().flat_map(|value| value.to_ne_bytes()).collect();
        PyBytes::new(py, &bytes)
    }
}

/// A term as nested tuples, in the form of `xylem.plan.best_match_plan`, with numbers for constants.
pub(super) fn term(described: &Bound<'_, PyTuple>) -> PyResult<Term> {
    let kind: String = described.get_item(0)?.extract()?;
    let place = |index: usize| described.get_item(index)?.extract::<usize>();
    let inner = |index: usize| term(described.get_item(index)?.cast::<PyTuple>()?);
    let boxed = |index: usize| inner(index).map(Box::new);
    Ok(match kind.as_str() {
        "left" => Term::Left(place(1)?),
        "right" => Term::Right(place(1)?),
        "number" => Term::Constant(described.get_item(1)?.extract()?),
        "+" => Term::Add(boxed(1)?, boxed(2)?),
        "-" => Term::Subtract(boxed(1)?, boxed(2)?),
        "*" => Term::Multiply(boxed(1)?, boxed(2)?),
        "div" => Term::Divide(boxed(1)?, boxed(2)?),
        "negate" => Term::Negate(boxed(1)?),
        "abs" => Term::Absolute(boxed(1)?),
        "sqrt" => Term::Root(boxed(1)?),
        "sky" => Term::Sky(Box::new([inner(1)?, inner(2)?, inner(3)?, inner(4)?])),
        _ => return Err(PyValueError::new_err(format!("there is no operation {kind}"))),
    })
}

fn kind(name: &str) -> PyResult<Kind> {
    Ok(match name {
        "inner" => Kind::Inner,
        "left" => Kind::Left,
        "right" => Kind::Right,
        "full" => Kind::Full,
        "all" => Kind::All,
        _ => return Err(PyValueError::new_err(format!("there is no kind of join {name}"))),
    })
}

fn condition(op: &str, one: Term, other: Term) -> PyResult<Condition> {
    Ok(match op {
        "eq" => Condition { one, comparison: Comparison::Equal, other },
        "lt" => Condition { one, comparison: Comparison::Less, other },
        "le" => Condition { one, comparison: Comparison::LessOrEqual, other },
        "gt" => Condition { one: other, comparison: Comparison::Less, other: one },
        "ge" => Condition { one: other, comparison: Comparison::LessOrEqual, other: one },
        _ => return Err(PyValueError::new_err(format!("there is no comparison {op}"))),
    })
}

pub(super) fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|four| u32::from_ne_bytes(four.try_into().unwrap_or_default())).collect()
}

fn written<'py>(py: Python<'py>, items: impl Iterator<Item = u32>) -> Bound<'py, PyBytes> {
    let bytes: Vec<u8> = items.flat_map(u32::to_ne_bytes).collect();
    PyBytes::new(py, &bytes)
}

type Orders<'py> = Vec<(Bound<'py, PyTuple>, bool, Option<f64>)>;
type Conditions<'py> = Vec<(String, Bound<'py, PyTuple>, Bound<'py, PyTuple>)>;

fn lookup(name: &str) -> PyResult<Lookup> {
    Ok(match name {
        "" => Lookup::Best,
        "boxes" => Lookup::Boxes,
        "grid" => Lookup::Grid,
        _ => return Err(PyValueError::new_err(format!("there is no way to look for partners {name}"))),
    })
}

fn measures(best: u32, orders: &Orders<'_>, conditions: &Conditions<'_>, by: &str) -> PyResult<Measures> {
    Ok(Measures {
        best,
        lookup: lookup(by)?,
        orders: orders
            .iter()
            .map(|(described, is_max, limit)| Ok(Order::new(term(described)?, *is_max, *limit)))
            .collect::<PyResult<_>>()?,
        conditions: conditions
            .iter()
            .map(|(op, one, other)| condition(op, term(one)?, term(other)?))
            .collect::<PyResult<_>>()?,
    })
}

/// The numbers of the left and of the right items of pairs, as bytes.
type Sides<'py> = (Bound<'py, PyBytes>, Bound<'py, PyBytes>);

fn both_sides<'py>(py: Python<'py>, pairs: &[(u32, u32)]) -> PyResult<Sides<'py>> {
    careful(|| {
        memory::room(pairs.len() * 16);
        let lefts = written(py, pairs.iter().map(|pair| pair.0));
        Ok((lefts, written(py, pairs.iter().map(|pair| pair.1))))
    })
}

pub(super) fn copied(columns: &[PyRef<'_, NumberColumn>]) -> Vec<Vec<f64>> {
    columns.iter().map(|column| column.values.clone()).collect()
}

/// The right side of a join over columns, for left items that arrive any number at a time.
#[pyclass(module = "xylem._kernel", frozen)]
pub struct MatchIndex {
    index: Index,
}

#[pymethods]
impl MatchIndex {
    #[new]
    #[pyo3(signature = (kind_of_join, best, orders, conditions, left_columns, right, right_items, keys=None, by=""))]
    #[allow(clippy::too_many_arguments)]
    fn new<'py>(
        py: Python<'py>,
        kind_of_join: &str,
        best: u32,
        orders: Orders<'py>,
        conditions: Conditions<'py>,
        left_columns: usize,
        right: Vec<PyRef<'py, NumberColumn>>,
        right_items: usize,
        keys: Option<&[u8]>,
        by: &str,
    ) -> PyResult<Self> {
        let kind = kind(kind_of_join)?;
        if matches!(kind, Kind::Right | Kind::Full) {
            return Err(PyValueError::new_err("an index of the right side gives the pairs of left items"));
        }
        let measures = measures(best, &orders, &conditions, by)?;
        let columns = copied(&right);
        drop(right);
        let keys = keys.map(numbers);
        let made = || Ok(Index::new(kind, measures, left_columns, (columns, right_items), keys.as_deref()));
        let index = py.detach(|| guarded(made)).map_err(raised)?;
        Ok(MatchIndex { index })
    }

    /// The number of right items without a value to compare.
    #[getter]
    fn missing(&self) -> usize {
        self.index.missing
    }

    /// The pairs of some left items, ascending, and the number of these items without a value.
    #[pyo3(signature = (left, left_items, keys=None))]
    fn pairs<'py>(
        &self,
        py: Python<'py>,
        left: Vec<PyRef<'py, NumberColumn>>,
        left_items: usize,
        keys: Option<&[u8]>,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize)> {
        let columns = copied(&left);
        drop(left);
        let keys = keys.map(numbers);
        let mut pairs = Vec::new();
        let find = || Ok(self.index.pairs((columns, left_items), keys.as_deref(), &mut pairs));
        let missing = py.detach(|| guarded(find)).map_err(raised)?;
        if !pairs.is_sorted() {
            pairs.sort_unstable();
        }
        let (lefts, rights) = both_sides(py, &pairs)?;
        Ok((lefts, rights, missing))
    }
}

/// The pairs of a join: the numbers of left and of right items as `array("I")`, and the number of items without a
/// value.
#[pyfunction]
#[pyo3(signature = (kind_of_join, best, orders, conditions, left, left_items, right, right_items, keys=None, by=""))]
#[allow(clippy::too_many_arguments)]
pub fn best_pairs<'py>(
    py: Python<'py>,
    kind_of_join: &str,
    best: u32,
    orders: Orders<'py>,
    conditions: Conditions<'py>,
    left: Vec<PyRef<'py, NumberColumn>>,
    left_items: usize,
    right: Vec<PyRef<'py, NumberColumn>>,
    right_items: usize,
    keys: Option<(&[u8], &[u8])>,
    by: &str,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>, usize, usize)> {
    let described = Join {
        kind: kind(kind_of_join)?,
        measures: measures(best, &orders, &conditions, by)?,
        keys: keys.map(|(left, right)| (numbers(left), numbers(right))),
        left: (copied(&left), left_items),
        right: (copied(&right), right_items),
    };
    drop((left, right));
    let (pairs, left_missing, right_missing) = py.detach(|| guarded(|| Ok(join(described)))).map_err(raised)?;
    let (lefts, rights) = both_sides(py, &pairs)?;
    Ok((lefts, rights, left_missing, right_missing))
}
