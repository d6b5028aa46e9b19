//! Expressions as tuples from Python: the first word names the kind of expression.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};

use super::pictures::picture;
use super::plan::{value_tests, ValueTestTuple};
use super::template::{few, orders, reach, turns, value_of, wanted, word, ValueOfTuple};
use crate::expression::{
    Atom, Axis, Bounds, Decimal, Doing, Expression, Function, Gathering, Json, JsonPath, JsonStep, Lookup, Member,
    NodeTest, Pattern, Replacement, Windows,
};
use crate::rows::kind;

/// The first word, loops outwards, axis, and the kind of nodes with namespace and local name.
type AxisTuple = (String, usize, String, String, Option<String>, Option<String>);

/// An expression from a tuple.
pub fn expression(tuple: &Bound<'_, PyTuple>) -> PyResult<Expression> {
    let word = word(tuple)?;
    Ok(match word.as_str() {
        "string" => Expression::Constant(Atom::Text(tuple.get_item(1)?.extract::<String>()?.into_bytes().into())),
        "untyped" => Expression::Constant(Atom::Untyped(tuple.get_item(1)?.extract::<String>()?.into_bytes().into())),
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
        "axis" => {
            let (_, up, axis, kind, uri, local): AxisTuple = tuple.extract()?;
            let test = match kind.as_str() {
                "element" => NodeTest::Elements(wanted(uri, local)),
                "text" => NodeTest::Kind(kind::TEXT),
                "attribute" => NodeTest::Kind(kind::ATTRIBUTE),
                other => return Err(unknown(other)),
            };
            Expression::OnAxis(up, Axis::named(&axis).ok_or_else(|| unknown(&axis))?, test)
        }
        "calling" => Expression::Calling(Box::new((expressions(&tuple.get_item(1)?)?, expression_of(tuple, 2)?))),
        "invoke" => {
            let arguments: Vec<(usize, Bound<'_, PyTuple>)> = tuple.get_item(2)?.extract()?;
            let argument = |(slot, value): (usize, Bound<'_, PyTuple>)| Ok((slot, expression(&value)?));
            Expression::Invoke(
                tuple.get_item(1)?.extract()?,
                arguments.into_iter().map(argument).collect::<PyResult<_>>()?,
            )
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
        "each" => Expression::Each(reach(tuple)?, turns(tuple)?, Box::new(expression_of(tuple, 3)?)),
        "each value" => {
            let (slot, position) = (tuple.get_item(1)?.extract()?, tuple.get_item(4)?.extract()?);
            let parts = Box::new([expression_of(tuple, 2)?, expression_of(tuple, 3)?]);
            Expression::EachValue(slot, position, few(tuple, 5)?, parts)
        }
        "fold" => Expression::Fold(
            [tuple.get_item(1)?.extract()?, tuple.get_item(2)?.extract()?],
            Box::new([expression_of(tuple, 3)?, expression_of(tuple, 4)?, expression_of(tuple, 5)?]),
        ),
        "sorted" => Expression::Sorted(orders(&tuple.get_item(1)?)?, Box::new(expression_of(tuple, 2)?)),
        "keyed" => Expression::Keyed(expressions(&tuple.get_item(1)?)?, Box::new(expression_of(tuple, 2)?)),
        "kind" => {
            let of_kind = match tuple.get_item(2)?.extract::<String>()?.as_str() {
                "element" => kind::ELEMENT,
                "text" => kind::TEXT,
                other => return Err(unknown(other)),
            };
            Expression::IsKind(tuple.get_item(1)?.extract()?, of_kind)
        }
        "name" => Expression::NameOf(tuple.get_item(1)?.extract()?, tuple.get_item(2)?.extract()?),
        "let" => Expression::Let(
            tuple.get_item(1)?.extract()?,
            Box::new([expression_of(tuple, 2)?, expression_of(tuple, 3)?]),
        ),
        "matching" => {
            let (_, pattern, ascii_only, doing): (String, String, bool, String) = tuple.get_slice(0, 4).extract()?;
            let pieces: Vec<(String, usize)> = tuple.get_item(4)?.extract()?;
            let piece = |(text, group): (String, usize)| match group {
                0 => Replacement::Text(text),
                number => Replacement::Group(number - 1),
            };
            let doing = match doing.as_str() {
                "matches" => Doing::Matches,
                "replace" => Doing::Replace(pieces.into_iter().map(piece).collect()),
                "tokenize" => Doing::Tokenize,
                "words" => Doing::Words,
                other => return Err(unknown(other)),
            };
            let made = Pattern::new(&pattern, ascii_only, doing).ok_or_else(|| unknown(&pattern))?;
            Expression::Matching(Box::new((made, expression_of(tuple, 5)?)))
        }
        "formatted" => {
            Expression::Formatted(Box::new((picture(tuple.get_item(1)?.cast()?)?, expression_of(tuple, 2)?)))
        }
        "lookup" => {
            let entries: Vec<(String, Vec<Bound<'_, PyTuple>>)> = tuple.get_item(1)?.extract()?;
            let entries = entries
                .into_iter()
                .map(|(key, values)| Ok((key.into_bytes(), values.iter().map(constant).collect::<PyResult<_>>()?)))
                .collect::<PyResult<_>>()?;
            let lookup = Lookup { entries, is_test: tuple.get_item(2)?.extract()? };
            Expression::Lookup(Box::new((lookup, expression_of(tuple, 3)?)))
        }
        "each of" => Expression::EachOf(
            tuple.get_item(1)?.extract()?,
            few(tuple, 4)?,
            Box::new([expression_of(tuple, 2)?, expression_of(tuple, 3)?]),
        ),
        "tuple" => Expression::Tuple(expressions(&tuple.get_item(1)?)?, expressions(&tuple.get_item(2)?)?),
        "gathered" => Expression::Gathered(Box::new((gathering(tuple)?, few(tuple, 6)?, expression_of(tuple, 5)?))),
        "windows" => Expression::Windows(Box::new((windows(tuple)?, few(tuple, 8)?, expression_of(tuple, 7)?))),
        "try" => Expression::Try(Box::new([expression_of(tuple, 1)?, expression_of(tuple, 2)?])),
        "json path" => {
            let steps: Vec<Bound<'_, PyAny>> = tuple.get_item(2)?.extract()?;
            let step = |step: &Bound<'_, PyAny>| match (step.is_none(), step.extract::<usize>()) {
                (true, _) => Ok(JsonStep::All),
                (_, Ok(place)) => Ok(JsonStep::Member(place)),
                _ => Ok(JsonStep::Key(step.extract()?)),
            };
            let steps = steps.iter().map(step).collect::<PyResult<_>>()?;
            let path = JsonPath { text: expression_of(tuple, 1)?, steps, is_raw: tuple.get_item(3)?.extract()? };
            Expression::JsonPath(Box::new(path))
        }
        "json" => Expression::Json(Box::new(json(tuple.get_item(1)?.cast::<PyTuple>()?)?)),
        other => return Err(unknown(other)),
    })
}

/// Orders, or None for groups; the slots, that of the position or None, and the tuples, after the first word.
pub fn gathering(tuple: &Bound<'_, PyTuple>) -> PyResult<Gathering> {
    let order = tuple.get_item(1)?;
    Ok(Gathering {
        orders: if order.is_none() { None } else { Some(orders(&order)?) },
        slots: tuple.get_item(2)?.extract()?,
        position: tuple.get_item(3)?.extract()?,
        tuples: expression_of(tuple, 4)?,
    })
}

/// Whether windows slide, their slot, whether those that are open at the end are dropped, the items, and the conditions
/// at the start and at the end, after the first word.
pub fn windows(tuple: &Bound<'_, PyTuple>) -> PyResult<Windows> {
    Ok(Windows {
        are_sliding: tuple.get_item(1)?.extract()?,
        slot: tuple.get_item(2)?.extract()?,
        only_ended: tuple.get_item(3)?.extract()?,
        items: expression_of(tuple, 4)?,
        start: bound(&tuple.get_item(5)?)?.ok_or_else(|| unknown("a window without a start"))?,
        end: bound(&tuple.get_item(6)?)?,
    })
}

/// The slots of the item, its position, the one before and the one behind, each or None, and the condition; or None.
fn bound(tuple: &Bound<'_, PyAny>) -> PyResult<Option<Bounds>> {
    let Some((slots, when)) = tuple.extract::<Option<([Option<usize>; 4], Bound<'_, PyTuple>)>>()? else {
        return Ok(None);
    };
    Ok(Some(Bounds { slots, when: expression(&when)? }))
}

fn constant(tuple: &Bound<'_, PyTuple>) -> PyResult<Atom<'static>> {
    match expression(tuple)? {
        Expression::Constant(atom) => Ok(atom),
        _ => Err(unknown("a value that is no constant")),
    }
}

/// ("value", expression), ("map", [(key, json)…]), ("array", [member…]) or ("when", test, json, json)
fn json(tuple: &Bound<'_, PyTuple>) -> PyResult<Json> {
    Ok(match word(tuple)?.as_str() {
        "value" => Json::Value(expression_of(tuple, 1)?),
        "map" => {
            let entries: Vec<(String, Bound<'_, PyTuple>)> = tuple.get_item(1)?.extract()?;
            let entry = |(key, value): (String, Bound<'_, PyTuple>)| Ok((key, json(&value)?));
            Json::Map(entries.into_iter().map(entry).collect::<PyResult<_>>()?)
        }
        "array" => Json::Array(members(tuple, 1)?),
        "when" => {
            let choices = [json(tuple.get_item(2)?.cast()?)?, json(tuple.get_item(3)?.cast()?)?];
            Json::When(expression_of(tuple, 1)?, Box::new(choices))
        }
        other => return Err(unknown(other)),
    })
}

fn members(tuple: &Bound<'_, PyTuple>, place: usize) -> PyResult<Vec<Member>> {
    tuple.get_item(place)?.extract::<Vec<_>>()?.iter().map(member).collect()
}

/// ("one", json), ("values", expression), ("each", up, path, [member…]) or ("when", test, [member…], [member…])
fn member(tuple: &Bound<'_, PyTuple>) -> PyResult<Member> {
    Ok(match word(tuple)?.as_str() {
        "one" => Member::One(json(tuple.get_item(1)?.cast()?)?),
        "values" => Member::Values(expression_of(tuple, 1)?),
        "each" => Member::Each(reach(tuple)?, members(tuple, 3)?),
        "when" => Member::When(expression_of(tuple, 1)?, [members(tuple, 2)?, members(tuple, 3)?]),
        other => return Err(unknown(other)),
    })
}

/// The expressions of a list of tuples.
pub fn expressions(tuples: &Bound<'_, PyAny>) -> PyResult<Vec<Expression>> {
    tuples.extract::<Vec<_>>()?.iter().map(expression).collect()
}

/// The expression at a place of a tuple.
pub fn expression_of(tuple: &Bound<'_, PyTuple>, place: usize) -> PyResult<Expression> {
    expression(tuple.get_item(place)?.cast::<PyTuple>()?)
}

/// A value for Python, or None; untyped values and decimals as tuples of a word and their text.
pub fn atom_object<'py>(py: Python<'py>, atom: Option<Atom<'static>>) -> PyResult<Bound<'py, PyAny>> {
    Ok(match atom {
        None => py.None().into_bound(py),
        Some(Atom::Text(text)) => std::str::from_utf8(&text)?.into_pyobject(py)?.into_any(),
        Some(Atom::Integer(value)) => value.into_pyobject(py)?.into_any(),
        Some(Atom::Double(value)) => value.into_pyobject(py)?.into_any(),
        Some(Atom::Boolean(value)) => PyBool::new(py, value).to_owned().into_any(),
        Some(Atom::Untyped(text)) => ("untyped", std::str::from_utf8(&text)?).into_pyobject(py)?.into_any(),
        // Neither tables nor windows keep these.
        Some(Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_)) => return Err(unknown("a moment, duration or node")),
        Some(decimal @ Atom::Decimal(_)) => {
            ("decimal", std::str::from_utf8(&decimal.into_text())?).into_pyobject(py)?.into_any()
        }
    })
}

/// The error of a word that is none of ours.
pub fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("no expression is called {word}"))
}
