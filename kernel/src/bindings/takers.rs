//! Takers of steps as tuples from Python, and their records as tuples for Python.

use pyo3::prelude::*;
use pyo3::types::PyString;

use super::plan::comparison;
use crate::plan::{ValuesBelow, WRITTEN};
use crate::predicate_index::{ColumnTest, Taker};
use crate::row_paths::{PathStep, WantedName};
use crate::rows::{Rows, Taken};

/// path, whether text nodes, attribute or None
pub type ValuesTuple = (Vec<(Option<String>, Option<String>)>, bool, Option<(String, String)>);

/// lists of: column, sign, text or None, number or None
pub type TestsTuple = Vec<Vec<(u32, String, Option<String>, Option<f64>)>>;

/// owner, kind, step, rows, text, elements, items, most characters, most rows
pub type TakenTuple<'py> = (u32, u8, u32, Vec<u32>, Option<Bound<'py, PyString>>, u64, u64, usize, usize);

/// The values in a tuple.
pub fn values((path, text, attribute): ValuesTuple) -> ValuesBelow {
    let path = path.iter().map(|(uri, local)| PathStep::child_of(uri, local)).collect();
    ValuesBelow { path, text, attribute: attribute.map(|(uri, local)| WantedName::new(&uri, &local)) }
}

/// A taker from its parts.
pub fn taker(owner: u32, own_step: u32, alternatives: TestsTuple, result: Option<u32>) -> PyResult<Taker> {
    let test = |(column, sign, text, number): (u32, String, Option<String>, Option<f64>)| {
        let (comparison, constant) = comparison(&sign, text, number)?;
        Ok(ColumnTest { column, comparison, constant })
    };
    let alternatives = alternatives
        .into_iter()
        .map(|tests| tests.into_iter().map(test).collect::<PyResult<Vec<ColumnTest>>>())
        .collect::<PyResult<_>>()?;
    Ok(Taker { owner, own_step, alternatives, result })
}

/// The records of takers, by owner; adjacent ones of the same kind and owner are merged.
pub fn taken<'py>(py: Python<'py>, rows: &Rows) -> PyResult<Vec<TakenTuple<'py>>> {
    let mut order: Vec<u32> = (0..rows.taken.len() as u32).collect();
    order.sort_by_key(|&place| rows.taken[place as usize].owner);
    let key = |place: &u32| {
        let Taken { owner, kind, step, .. } = rows.taken[*place as usize];
        (owner, kind, step)
    };
    let mut text = Vec::new();
    let mut found = Vec::new();
    for same in order.chunk_by(|one, other| key(one) == key(other)) {
        let (owner, kind, step) = key(&same[0]);
        let (mut items, mut most) = (0, (0, 0));
        let mut of_rows = Vec::new();
        text.clear();
        for &place in same {
            let each = rows.taken[place as usize];
            items += each.items;
            match kind {
                WRITTEN => {
                    text.extend_from_slice(&rows.taken_text[each.start..each.end]);
                    most = most.max((each.most_characters, each.most_rows));
                }
                _ => of_rows.push(each.row),
            }
        }
        let own =
            (kind == WRITTEN).then(|| std::str::from_utf8(&text).map(|text| PyString::new(py, text))).transpose()?;
        found.push((owner, kind, step, of_rows, own, same.len() as u64, items, most.0, most.1));
    }
    Ok(found)
}
