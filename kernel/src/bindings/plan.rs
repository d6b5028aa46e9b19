//! Plans and limits as tuples from Python; `xylem/source/kernel.py` makes them.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

use super::template::result;
use crate::limits::Limits;
use crate::plan::{AttributeTest, Await, Comparison, Constant, Keep, Plan, StartTest, Step, ValueTests, ValuesBelow};
use crate::row_paths::{PathStep, WantedName};

/// sign, text or None, number or None
type ComparisonTuple = (String, Option<String>, Option<f64>);

/// uri and local of an attribute, its comparison unless it only has to exist; first and last position
type TestTuple = (String, String, Option<ComparisonTuple>, Option<(u64, u64)>);

/// path, whether text nodes, attribute or None, sign, text or None, number or None
pub type ValueTestTuple =
    (Vec<(Option<String>, Option<String>)>, bool, Option<(String, String)>, String, Option<String>, Option<f64>);

/// parent (-1: the document again), is_descendant, uri, local, report, ((nests, late, outermost), (remembers, label, awaits)), keep,
/// attributes, (text, remarks), tests, value tests, result
type StepTuple<'py> = (
    i64,
    bool,
    Option<String>,
    Option<String>,
    u8,
    ((bool, bool, bool), (u32, Option<u32>, Vec<(u32, u32, i32)>)),
    u8,
    Option<Vec<(String, String)>>,
    (bool, bool),
    Vec<TestTuple>,
    Vec<ValueTestTuple>,
    Option<Bound<'py, PyTuple>>,
);

/// a step, and the names of which an element needs one: uri, local, None for any
type NamesTuple = (usize, Vec<(Option<String>, Option<String>)>);

/// steps, names that narrow steps, comments
pub type PlanTuple<'py> = (Vec<StepTuple<'py>>, Vec<NamesTuple>, bool);

/// The fields of `Limits`, in their order.
pub type LimitsTuple = (usize, usize, usize, usize, usize, i64, i64, usize, bool);

/// The limits in a tuple.
pub fn limits((depth, attributes, name, attribute, text, expanded, factor, item, allow_dtd): LimitsTuple) -> Limits {
    Limits {
        depth,
        attributes,
        name_characters: name,
        attribute_characters: attribute,
        text_characters: text,
        expanded_characters: expanded,
        expansion_factor: factor,
        item_bytes: item,
        allow_dtd,
    }
}

/// The plan in a tuple.
pub fn plan((steps, names, comments): PlanTuple<'_>) -> PyResult<Plan> {
    let mut steps = steps.into_iter().map(step).collect::<PyResult<Vec<Step>>>()?;
    for (number, among) in names {
        let narrowed = steps.get_mut(number).ok_or_else(|| PyValueError::new_err(format!("no step {number}")))?;
        narrowed.among.push(among);
    }
    let plan = Plan { steps, comments };
    match plan.problem() {
        None => Ok(plan),
        Some(problem) => Err(PyValueError::new_err(problem)),
    }
}

fn step(tuple: StepTuple<'_>) -> PyResult<Step> {
    let (
        parent,
        is_descendant,
        uri,
        local,
        report,
        ((nests, late, outermost), (remembers, label, awaits)),
        keep,
        attributes,
        (text, remarks),
        tests,
        value_tests,
        made,
    ) = tuple;
    let keep = match keep {
        0 => Keep::Nothing,
        1 => Keep::Subtree,
        2 => Keep::String,
        other => return Err(PyValueError::new_err(format!("nothing is kept as {other}"))),
    };
    let tests = tests.into_iter().map(test).collect::<PyResult<Vec<StartTest>>>()?;
    let value_tests = self::value_tests(value_tests)?;
    let is_document = parent < 0;
    let parent = usize::try_from(parent).unwrap_or(0);
    let result = made.as_ref().map(result).transpose()?;
    let among = Vec::new();
    Ok(Step {
        parent,
        is_document,
        is_descendant,
        uri,
        local,
        among,
        report,
        nests,
        outermost,
        late,
        remembers,
        label,
        awaits: awaits.into_iter().map(|(step, many, scope)| Await { step, many, scope }).collect(),
        keep,
        attributes,
        text,
        remarks,
        tests,
        value_tests,
        result,
    })
}

fn test((uri, local, compared, positions): TestTuple) -> PyResult<StartTest> {
    if let Some((first, last)) = positions {
        return Ok(StartTest::Position(first, last));
    }
    let Some((sign, text, number)) = compared else { return Ok(StartTest::Presence(uri, local)) };
    let (comparison, constant) = comparison(&sign, text, number)?;
    Ok(StartTest::Attribute(AttributeTest { uri, local, comparison, constant }))
}

/// The tests in tuples.
pub fn value_tests(tuples: Vec<ValueTestTuple>) -> PyResult<Vec<ValueTests>> {
    Ok(ValueTests::grouped(tuples.into_iter().map(value_test).collect::<PyResult<_>>()?))
}

fn value_test(
    (path, of_text, attribute, sign, text, number): ValueTestTuple,
) -> PyResult<(ValuesBelow, Comparison, Constant)> {
    let (comparison, constant) = comparison(&sign, text, number)?;
    let path = path.iter().map(|(uri, local)| PathStep::child_of(uri, local)).collect();
    let attribute = attribute.map(|(uri, local)| WantedName::new(&uri, &local));
    Ok((ValuesBelow { path, text: of_text, attribute }, comparison, constant))
}

/// A comparison and its constant.
pub fn comparison(sign: &str, text: Option<String>, number: Option<f64>) -> PyResult<(Comparison, Constant)> {
    let constant = number.map(Constant::Number).or(text.map(Constant::Text));
    Comparison::from_sign(sign)
        .zip(constant)
        .ok_or_else(|| PyValueError::new_err("a test needs a comparison and a constant"))
}
