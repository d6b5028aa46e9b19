//! Templates as tuples from Python: the first word names the kind of part.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::expression::{expression, expression_of, expressions, gathering, windows};
use super::table::table_spec;
use crate::attribute_copies::CopiedAttributes;
use crate::cells::{Cell, Content, Reading};
use crate::expression::Order;
use crate::holes::Hole;
use crate::row_paths::{PathStep, Wanted, WantedName};
use crate::template::{Counting, Declared, ElementName, Part, Piece, Reach, ScanResult, Tally, Turns, ValueOf, Values};

/// uri or None, local or None, whether it descends
pub type PathStepTuple = (Option<String>, Option<String>, bool);
/// A path.
pub type Path = Vec<PathStepTuple>;

/// The scan's action on elements, from a tuple.
pub fn result(tuple: &Bound<'_, PyTuple>) -> PyResult<ScanResult> {
    match word(tuple)?.as_str() {
        "template" => Ok(ScanResult::Template(parts(&tuple.get_item(1)?)?)),
        "tally" => {
            let (_, steps, of): (String, Path, Option<ValueOfTuple>) = tuple.extract()?;
            Ok(ScanResult::Tally(Tally { path: path(steps), of: of.map(value_of).transpose()? }))
        }
        "table" => Ok(ScanResult::Table(table_spec(tuple)?)),
        other => Err(unknown(other)),
    }
}

/// 0 string value, 1 text nodes, 2 attribute; the attribute
pub type ValueOfTuple = (u8, Option<(String, String)>);

/// The first word of a tuple.
pub fn word(tuple: &Bound<'_, PyTuple>) -> PyResult<String> {
    tuple.get_item(0)?.extract()
}

fn unknown(word: &str) -> PyErr {
    PyValueError::new_err(format!("no part of a template is called {word}"))
}

/// The parts in a list of tuples.
pub fn parts(tuples: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
    let tuples: Vec<Bound<'_, PyTuple>> = tuples.extract()?;
    tuples.iter().map(part).collect()
}

fn part(tuple: &Bound<'_, PyTuple>) -> PyResult<Part> {
    Ok(match word(tuple)?.as_str() {
        "copies" => Part::Copies {
            reach: reach(tuple)?,
            below: tuple.get_item(3)?.extract()?,
            around: declared(&tuple.get_item(4)?)?,
        },
        "each of" => Part::EachOf {
            position: tuple.get_item(1)?.extract()?,
            nodes: expression_of(tuple, 2)?,
            parts: parts(&tuple.get_item(3)?)?,
            turns: few(tuple, 4)?,
        },
        "gathered" => Part::Gathered {
            gathering: Box::new(gathering(tuple)?),
            parts: parts(&tuple.get_item(5)?)?,
            turns: few(tuple, 6)?,
        },
        "windows" => Part::Windows {
            windows: Box::new(windows(tuple)?),
            parts: parts(&tuple.get_item(7)?)?,
            turns: few(tuple, 8)?,
        },
        "remark" => Part::Remark { target: tuple.get_item(1)?.extract()?, value: expression_of(tuple, 2)? },
        "items" => Part::Items { items: expression_of(tuple, 1)?, around: declared(&tuple.get_item(2)?)? },
        "when-filled" => Part::WhenFilled {
            test: hole(tuple)?,
            parts: parts(&tuple.get_item(3)?)?,
            otherwise: parts(&tuple.get_item(4)?)?,
        },
        "numbered" => Part::Numbered { slot: tuple.get_item(1)?.extract()?, parts: parts(&tuple.get_item(2)?)? },
        "construct" => {
            let attributes: Vec<(String, Vec<Bound<'_, PyTuple>>)> = tuple.get_item(3)?.extract()?;
            let attributes = attributes
                .into_iter()
                .map(|(name, pieces)| Ok((name, pieces.iter().map(piece).collect::<PyResult<Vec<Piece>>>()?)))
                .collect::<PyResult<_>>()?;
            let copied: Vec<Bound<'_, PyTuple>> = tuple.get_item(2)?.extract()?;
            Part::Construct {
                name: match tuple.get_item(1)?.cast::<PyTuple>() {
                    Ok(computed) => ElementName::Computed(expression(computed)?),
                    Err(_) => ElementName::Fixed(tuple.get_item(1)?.extract()?),
                },
                attributes,
                copied: copied.iter().map(copied_attributes).collect::<PyResult<_>>()?,
                content: parts(&tuple.get_item(4)?)?,
            }
        }
        "when" => Part::When {
            test: expression_of(tuple, 1)?,
            parts: parts(&tuple.get_item(2)?)?,
            otherwise: parts(&tuple.get_item(3)?)?,
        },
        "let" => Part::Let { slot: tuple.get_item(1)?.extract()?, value: expression_of(tuple, 2)? },
        "each-value" => Part::EachValue {
            slot: tuple.get_item(1)?.extract()?,
            values: expression_of(tuple, 2)?,
            parts: parts(&tuple.get_item(3)?)?,
            position: tuple.get_item(4)?.extract()?,
            turns: few(tuple, 5)?,
        },
        "each" => Part::Each { reach: reach(tuple)?, parts: parts(&tuple.get_item(3)?)?, turns: turns(tuple)? },
        "functions" => {
            let bodies: Vec<Bound<'_, PyAny>> = tuple.get_item(1)?.extract()?;
            let bodies = bodies.iter().map(parts).collect::<PyResult<_>>()?;
            Part::Functions { bodies, parts: parts(&tuple.get_item(2)?)? }
        }
        "apply" => Part::Apply {
            reach: reach(tuple)?,
            function: tuple.get_item(3)?.extract()?,
            below: tuple.get_item(4)?.extract()?,
        },
        "alike" => {
            let copied: Vec<Bound<'_, PyTuple>> = tuple.get_item(2)?.extract()?;
            Part::Alike {
                up: tuple.get_item(1)?.extract()?,
                copied: copied.iter().map(copied_attributes).collect::<PyResult<_>>()?,
                content: parts(&tuple.get_item(3)?)?,
            }
        }
        "sorted" => Part::Sorted { orders: orders(&tuple.get_item(1)?)?, parts: parts(&tuple.get_item(2)?)? },
        "keyed" => Part::Keyed { keys: expressions(&tuple.get_item(1)?)?, parts: parts(&tuple.get_item(2)?)? },
        "row" => Part::Row(tuple.get_item(1)?.extract::<Vec<_>>()?.iter().map(cell).collect::<PyResult<_>>()?),
        _ => Part::Piece(piece(tuple)?),
    })
}

fn declared(number: &Bound<'_, PyAny>) -> PyResult<Declared> {
    Ok(match number.extract::<u8>()? {
        0 => Declared::Nothing,
        1 => Declared::Prefixes,
        _ => Declared::Default,
    })
}

/// The number of loops outwards, a path, and the name of the attribute or None; or an expression.
fn copied_attributes(tuple: &Bound<'_, PyTuple>) -> PyResult<CopiedAttributes> {
    if tuple.get_item(0)?.extract::<String>().is_ok() {
        return Ok(CopiedAttributes::Items(expression(tuple)?));
    }
    let (up, steps, name): (usize, Path, Option<(String, String)>) = tuple.extract()?;
    let name = name.map(|(uri, local)| WantedName::new(&uri, &local));
    Ok(CopiedAttributes::Of(Reach { up, path: path(steps) }, name))
}

/// The slot of a position, and an expression or None; None if nothing is counted.
fn counting(tuple: &Bound<'_, PyAny>) -> PyResult<Option<Box<Counting>>> {
    let Some((slot, test)) = tuple.extract::<Option<(usize, Option<Bound<'_, PyTuple>>)>>()? else { return Ok(None) };
    Ok(Some(Box::new(Counting { slot, test: test.as_ref().map(expression).transpose()? })))
}

/// The turns of a loop: how its elements are counted, and whether they must be few.
pub fn turns(tuple: &Bound<'_, PyTuple>) -> PyResult<Turns> {
    Ok(Turns { counting: counting(&tuple.get_item(4)?)?, are_few: tuple.get_item(5)?.extract()? })
}

/// The turns of a loop that counts nothing: whether they must be few.
pub fn few(tuple: &Bound<'_, PyTuple>, place: usize) -> PyResult<Turns> {
    Ok(Turns { counting: None, are_few: tuple.get_item(place)?.extract()? })
}

/// For each key: whether the greatest comes first, and whether a missing value is the greatest.
pub fn orders(tuples: &Bound<'_, PyAny>) -> PyResult<Vec<Order>> {
    let tuples: Vec<(bool, bool)> = tuples.extract()?;
    let order = |(is_descending, is_empty_greatest)| Order { is_descending, is_empty_greatest };
    Ok(tuples.into_iter().map(order).collect())
}

/// A piece, None, or nodes to count; the reading and its bits; whether it is a list; the placeholder for a missing
/// value
type CellTuple<'py> = (Option<Bound<'py, PyTuple>>, (String, u32), bool, Option<String>);

fn cell(tuple: &Bound<'_, PyTuple>) -> PyResult<Cell> {
    let (content, (reading, bits), is_list, missing): CellTuple<'_> = tuple.extract()?;
    let content = match content {
        None => Content::Constant(None),
        Some(content) if word(&content)? == "count" => {
            Content::Count(reach(&content)?, value_of(content.get_item(3)?.extract()?)?)
        }
        Some(content) => match piece(&content)? {
            Piece::Characters(text) => Content::Constant(Some(text)),
            Piece::Values(values) => Content::Values(values),
            Piece::Computed(expression) => Content::Computed(expression),
            Piece::Hole(_) => return Err(PyValueError::new_err("a cell has no holes")),
        },
    };
    let reading = match reading.as_str() {
        "text" => Reading::Text,
        "integer" => Reading::Integer(bits),
        "double" => Reading::Double,
        "number" => Reading::Number,
        "decimal" => Reading::Decimal,
        "date" => Reading::Date,
        "dateTime" => Reading::DateTime,
        "boolean" => Reading::Boolean,
        other => return Err(PyValueError::new_err(format!("no cell is read as {other}"))),
    };
    Ok(Cell { content, reading, is_list, missing })
}

fn piece(tuple: &Bound<'_, PyTuple>) -> PyResult<Piece> {
    match word(tuple)?.as_str() {
        "characters" => Ok(Piece::Characters(tuple.get_item(1)?.extract()?)),
        "values" => {
            let (of, separator) = (tuple.get_item(3)?.extract()?, tuple.get_item(4)?.extract()?);
            let at_most_one = tuple.get_item(5)?.extract()?;
            Ok(Piece::Values(Values { reach: reach(tuple)?, of: value_of(of)?, separator, at_most_one }))
        }
        "computed" => Ok(Piece::Computed(expression_of(tuple, 1)?)),
        "hole" => Ok(Piece::Hole(hole(tuple)?)),
        other => Err(unknown(other)),
    }
}

/// The number of the code and its arguments, after the first word of a tuple.
fn hole(tuple: &Bound<'_, PyTuple>) -> PyResult<Hole> {
    Ok(Hole { number: tuple.get_item(1)?.extract()?, arguments: expressions(&tuple.get_item(2)?)? })
}

/// The number of loops outwards, and the path, after the first word of a tuple.
pub fn reach(tuple: &Bound<'_, PyTuple>) -> PyResult<Reach> {
    Ok(Reach { up: tuple.get_item(1)?.extract()?, path: path(tuple.get_item(2)?.extract()?) })
}

/// The values taken of an element, from a tuple.
pub fn value_of((of, attribute): ValueOfTuple) -> PyResult<ValueOf> {
    match (of, attribute) {
        (0, _) => Ok(ValueOf::String),
        (1, _) => Ok(ValueOf::Text),
        (2, Some((uri, local))) => Ok(ValueOf::Attribute(WantedName::new(&uri, &local))),
        _ => Err(PyValueError::new_err("a value is a string value, text nodes, or an attribute with its name")),
    }
}

/// The path in tuples.
pub fn path(steps: Path) -> Vec<PathStep> {
    let step = |(uri, local, descends): PathStepTuple| PathStep { wanted: wanted(uri, local), descends };
    steps.into_iter().map(step).collect()
}

/// A name, None for any.
pub fn wanted(uri: Option<String>, local: Option<String>) -> Wanted {
    match (uri, local) {
        (Some(uri), Some(local)) => Wanted::Named(WantedName::new(&uri, &local)),
        (uri, local) => Wanted::Any(uri, local),
    }
}
