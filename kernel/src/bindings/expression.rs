//! Expressions as the tuples Python hands over: a word first that says what an expression is.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::plan::{value_tests, ValueTestTuple};
use super::template::{reach, value_of, wanted, word, ValueOfTuple};
use crate::expression::{Atom, Decimal, Expression, Function};

/// An expression, of a tuple.
pub fn expression(tuple: &Bound<'_, PyTuple>) -> PyResult<Expression> {
    let word = word(tuple)?;
    Ok(match word.as_str() {
        "string" => Expression::Constant(Atom::Text(tuple.get_item(1)?.extract::<String>()?.into_bytes().into())),
        "integer" => Expression::Constant(Atom::Integer(tuple.get_item(1)?.extract()?)),
        "double" => Expression::Constant(Atom::Double(tuple.get_item(1)?.extract()?)),
        "boolean" => Expression::Constant(Atom::Boolean(tuple.get_item(1)?.extract()?)),
        "decimal" => {
            let text: String = tuple.get_item(1)?.extract()?;
            let value = Decimal::read(text.as_bytes()).ok_or_else(|| unknown(&text))?;
            Expression::Constant(Atom::Decimal(value))
        }
        "nodes" => {
            let of: Option<ValueOfTuple> = tuple.get_item(3)?.extract()?;
            Expression::Nodes(reach(tuple)?, of.map(value_of).transpose()?)
        }
        "named" => {
            let (_, up, uri, local): (String, usize, Option<String>, Option<String>) = tuple.extract()?;
            Expression::Named(up, wanted(uri, local))
        }
        "variable" => Expression::Variable(tuple.get_item(1)?.extract()?),
        "tests" => {
            let tests: Vec<ValueTestTuple> = tuple.get_item(1)?.extract()?;
            Expression::Tests(value_tests(tests)?)
        }
        "call" => {
            let name: String = tuple.get_item(1)?.extract()?;
            let arguments: Vec<Bound<'_, PyTuple>> = tuple.get_item(2)?.extract()?;
            let function = Function::named(&name, arguments.len()).ok_or_else(|| unknown(&name))?;
            Expression::Call(function, arguments.iter().map(expression).collect::<PyResult<_>>()?)
        }
        other => return Err(unknown(other)),
    })
}

fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("no expression is called {word}"))
}
