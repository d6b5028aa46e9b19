//! fn:distinct-values, if all values are texts or all are numbers that compare exactly.

use std::collections::HashSet;

use super::atom::Atom;
use super::comparison::value_holds;
use crate::plan::Comparison;
use crate::template::Undecided;

const FEW: usize = 16;

/// The first of each set of equal values.
pub fn distinct(atoms: Vec<Atom<'_>>) -> Result<Vec<Atom<'_>>, Undecided> {
    let is_text = |atom: &Atom<'_>| matches!(atom, Atom::Untyped(_) | Atom::Text(_));
    let is_exact = |atom: &Atom<'_>| matches!(atom, Atom::Integer(_) | Atom::Decimal(_));
    if atoms.iter().all(is_text) && atoms.len() > FEW {
        let mut seen = HashSet::new();
        let is_new: Vec<bool> = atoms.iter().map(|atom| seen.insert(atom.clone().into_text())).collect();
        return Ok(atoms.into_iter().zip(is_new).filter_map(|(atom, is_new)| is_new.then_some(atom)).collect());
    }
    if atoms.len() > FEW || !(atoms.iter().all(is_text) || atoms.iter().all(is_exact)) {
        return Err(Undecided);
    }
    let mut found: Vec<Atom<'_>> = Vec::new();
    for atom in atoms {
        let mut is_new = true;
        for other in &found {
            is_new = is_new && !value_holds(Comparison::Equal, other, &atom)?;
        }
        if is_new {
            found.push(atom);
        }
    }
    Ok(found)
}
