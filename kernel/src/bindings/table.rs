//! Tables as the tuples Python hands over, and their cells as those it gets back; see `xylem.plan.scan_table`.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};

use super::plan::value_tests;
use super::template::{path, Path};
use crate::row_paths::WantedName;
use crate::table::{
    bits, Aggregate, Domain, Instruction, Key, Load, Number, Operator, Part, Program, Reading, Table, TableSpec, Total,
};

/// The step; for each cell the places of its keys, and for each part how many values and what they came to.
pub type TableTuple<'py> = (u32, Bound<'py, PyList>);

/// first, last, numbers or None, strings or None
type DomainTuple = (i64, i64, Option<Vec<f64>>, Option<Vec<String>>);

/// "load", path, attribute or None, what its text is taken as, whether more than one value is an error
type LoadTuple = (String, Path, Option<(String, String)>, String, bool);

/// A table, of the tuple ("table", keys, parts, tests).
pub fn table_spec(tuple: &Bound<'_, PyTuple>) -> PyResult<TableSpec> {
    let keys: Vec<(Vec<Bound<'_, PyTuple>>, DomainTuple)> = tuple.get_item(1)?.extract()?;
    let parts: Vec<(String, Vec<Bound<'_, PyTuple>>)> = tuple.get_item(2)?.extract()?;
    let keys = keys.iter().map(|(value, domain)| Ok(Key { value: program(value)?, domain: self::domain(domain) }));
    let parts = parts.iter().map(|(function, value)| {
        let aggregate = match function.as_str() {
            "count" => Aggregate::Count,
            "sum" => Aggregate::Sum,
            "min" => Aggregate::Min,
            "max" => Aggregate::Max,
            other => return Err(unknown(other)),
        };
        Ok(Part { aggregate, value: program(value)? })
    });
    let tests = value_tests(tuple.get_item(3)?.extract()?)?;
    let spec = TableSpec { keys: keys.collect::<PyResult<_>>()?, parts: parts.collect::<PyResult<_>>()?, tests };
    match spec.combinations() {
        Some(_) => Ok(spec),
        None => Err(PyValueError::new_err("a table has too many combinations of keys")),
    }
}

fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("no part of a table is called {word}"))
}

fn domain((first, last, numbers, strings): &DomainTuple) -> Domain {
    if let Some(numbers) = numbers {
        return Domain::Numbers(numbers.iter().zip(0..).map(|(&number, place)| (bits(number), place)).collect());
    }
    match strings {
        Some(texts) => {
            Domain::Texts(texts.iter().zip(0..).map(|(text, place)| (text.as_bytes().into(), place)).collect())
        }
        None => Domain::Range(*first, *last),
    }
}

fn program(tuples: &[Bound<'_, PyTuple>]) -> PyResult<Program> {
    tuples.iter().map(instruction).collect()
}

fn instruction(tuple: &Bound<'_, PyTuple>) -> PyResult<Instruction> {
    let word: String = tuple.get_item(0)?.extract()?;
    match word.as_str() {
        "load" => {
            let (_, steps, attribute, kind, is_single): LoadTuple = tuple.extract()?;
            let reading = match kind.as_str() {
                "double" => Reading::Double,
                "integer" => Reading::Integer,
                "number" => Reading::Number,
                "string" => Reading::Text,
                other => return Err(unknown(other)),
            };
            let attribute = attribute.map(|(uri, local)| WantedName::new(&uri, &local));
            Ok(Instruction::Load(Load { path: path(steps), attribute, reading, is_single }))
        }
        "integer" => Ok(Instruction::Constant(Number::Integer(tuple.get_item(1)?.extract()?))),
        "double" => Ok(Instruction::Constant(Number::Double(tuple.get_item(1)?.extract()?))),
        "apply" => {
            let sign: String = tuple.get_item(1)?.extract()?;
            Ok(Instruction::Apply(match sign.as_str() {
                "+" => Operator::Add,
                "-" => Operator::Subtract,
                "*" => Operator::Multiply,
                "div" => Operator::Divide,
                "idiv" => Operator::IntegerDivide,
                "mod" => Operator::Modulo,
                "neg" => Operator::Negate,
                other => return Err(unknown(other)),
            }))
        }
        other => Err(unknown(other)),
    }
}

/// The cells of a table that is handed over.
pub fn table_tuple<'py>(py: Python<'py>, step: u32, spec: &TableSpec, table: &Table) -> PyResult<TableTuple<'py>> {
    let width = spec.parts.len();
    let cells = PyList::empty(py);
    for (cell, &number) in table.numbers.iter().enumerate() {
        let mut states = Vec::with_capacity(width);
        for (part, state) in spec.parts.iter().zip(&table.cells[cell * width..]) {
            let total = match state.total(part.aggregate) {
                Total::Nothing => py.None().into_bound(py),
                Total::Integer(value) => value.into_pyobject(py)?.into_any(),
                Total::Double(value) => value.into_pyobject(py)?.into_any(),
            };
            states.push((state.count, total));
        }
        cells.append((spec.places(number), states))?;
    }
    Ok((step, cells))
}
