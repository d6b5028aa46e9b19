//! Aggregates by key: the Rust side of `xylem.plan.scan_table`, which defines tables.

use std::collections::HashMap;

use rustc_hash::FxHashMap;

use crate::expression::{Aggregate, Atom, Evaluation, Expression, Fold};
use crate::plan::ValueTests;
use crate::row_paths::NamedRows;
use crate::template::{Around, Undecided};
use crate::value_tests::{all, Verdict};

/// The key values of a cell.
#[derive(Clone, Debug)]
pub enum Domain {
    /// Integers from the first to the last.
    Range(i64, i64),
    /// Numbers, by their bits.
    Numbers(FxHashMap<u64, u32>),
    /// Texts.
    Texts(FxHashMap<Box<[u8]>, u32>),
    /// Those found in records; no value counts as one.
    Found,
}

/// A key of a table.
#[derive(Clone, Debug)]
pub struct Key {
    /// The value of a record.
    pub value: Expression,
    /// The requested values.
    pub domain: Domain,
}

/// An aggregate of a cell.
#[derive(Clone, Debug)]
pub struct Part {
    /// The aggregate; None to count values.
    pub aggregate: Option<Aggregate>,
    /// The values; None for the record itself.
    pub value: Option<Expression>,
}

/// The definition of a table.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Its keys.
    pub keys: Vec<Key>,
    /// Its aggregates.
    pub parts: Vec<Part>,
    /// Further tests of an element that has its keys.
    pub tests: Vec<ValueTests>,
}

/// Up to this many cells are in a plain vector.
const MOST_PLAIN: u64 = 1 << 20;
const NO_CELL: u32 = u32::MAX;
/// More groups are left to the query, which accounts for their memory.
const MOST_GROUPS: usize = 1 << 18;

/// The key values found in one record.
pub type FoundKeys = Box<[Option<Atom<'static>>]>;

/// The cells of a table.
#[derive(Debug)]
pub struct Table {
    places: Vec<u32>,
    scattered: FxHashMap<u64, u32>,
    /// Not the fast hash, since a document can choose its keys to collide in that one.
    groups: HashMap<Box<[u8]>, u32>,
    /// For each cell with a record, its number among all combinations of keys.
    pub numbers: Vec<u64>,
    /// For each group, its keys in its first record.
    pub found: Vec<FoundKeys>,
    /// As many entries per cell as there are parts.
    pub cells: Vec<Fold<'static>>,
    is_plain: bool,
    staged: Vec<Fold<'static>>,
    key: Vec<u8>,
}

impl Domain {
    /// The number of values.
    pub fn size(&self) -> u64 {
        match self {
            Domain::Range(first, last) => last.checked_sub(*first).map_or(0, |size| (size + 1).max(0) as u64),
            Domain::Numbers(numbers) => numbers.len() as u64,
            Domain::Texts(texts) => texts.len() as u64,
            Domain::Found => 0,
        }
    }

    fn place(&self, atom: Atom<'_>) -> Result<Option<u64>, Undecided> {
        Ok(match self {
            Domain::Range(first, last) => match atom.number()? {
                Atom::Integer(value) => (*first <= value && value <= *last).then(|| (value - first) as u64),
                number => {
                    let value = number.promoted()?;
                    let inside = *first as f64 <= value && value <= *last as f64 && value.fract() == 0.0;
                    inside.then(|| (value as i64 - first) as u64)
                }
            },
            Domain::Numbers(numbers) => numbers.get(&bits(atom.number()?.promoted()?)).map(|&place| place.into()),
            Domain::Texts(texts) => texts.get(&*atom.string()?).map(|&place| place.into()),
            Domain::Found => None,
        })
    }
}

/// The bits of a number as a key: one zero, and NaN matches no looked-up value.
pub fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

impl TableSpec {
    /// Whether keys are those found in records.
    pub fn is_found(&self) -> bool {
        self.keys.iter().any(|key| matches!(key.domain, Domain::Found))
    }

    /// The number of combinations of keys; None if they cannot be counted.
    pub fn combinations(&self) -> Option<u64> {
        self.keys.iter().try_fold(1u64, |size, key| size.checked_mul(key.domain.size()))
    }

    /// The index of each key among its values, for a cell by its number.
    pub fn places(&self, mut number: u64) -> Vec<u64> {
        let mut places = Vec::with_capacity(self.keys.len());
        for key in self.keys.iter().rev() {
            places.push(number % key.domain.size());
            number /= key.domain.size();
        }
        places.reverse();
        places
    }
}

impl Table {
    /// A table without records.
    pub fn new(spec: &TableSpec) -> Self {
        let size = spec.combinations().unwrap_or(u64::MAX);
        let is_plain = size <= MOST_PLAIN;
        Table {
            places: if is_plain { vec![NO_CELL; size as usize] } else { Vec::new() },
            scattered: FxHashMap::default(),
            groups: HashMap::new(),
            numbers: Vec::new(),
            found: Vec::new(),
            cells: Vec::new(),
            is_plain,
            staged: Vec::new(),
            key: Vec::new(),
        }
    }

    /// Add the element of a row to its cell. If that is undecided, nothing is changed.
    pub fn add(&mut self, spec: &TableSpec, named: NamedRows<'_>, row: usize) -> Result<(), Undecided> {
        let here = Around::new(row);
        let evaluation =
            Evaluation { named, variables: &[], locals: None, sorting: None, here: &here, functions: None, calls: 0 };
        let is_found = spec.is_found();
        let number = match if is_found { self.read_keys(spec, &evaluation)? } else { number(spec, &evaluation)? } {
            None => return Ok(()),
            Some(number) => number,
        };
        match all(&spec.tests, named, row) {
            Verdict::Fails => return Ok(()),
            Verdict::Open => return Err(Undecided),
            Verdict::Holds => {}
        }
        let (place, width) = (self.known(number, is_found), spec.parts.len());
        self.staged.clear();
        for (part, Part { aggregate, value }) in spec.parts.iter().enumerate() {
            let mut fold = place.map_or_else(Fold::default, |place| self.cells[place * width + part].clone());
            match (aggregate, value) {
                (_, None) => fold.count += 1,
                (None, Some(value)) => fold.count += evaluation.count(value, usize::MAX)? as i64,
                (Some(aggregate), Some(value)) => {
                    evaluation.each(value, &mut |atom| fold.add(*aggregate, atom.into_owned()))?;
                }
            }
            self.staged.push(fold);
        }
        match place {
            Some(place) => {
                for (kept, staged) in self.cells[place * width..].iter_mut().zip(self.staged.drain(..)) {
                    *kept = staged;
                }
            }
            None => {
                self.open(number, spec, &evaluation)?;
                self.cells.append(&mut self.staged);
            }
        }
        Ok(())
    }

    /// Read the keys found in a record: equal keys become equal bytes.
    fn read_keys(&mut self, spec: &TableSpec, evaluation: &Evaluation<'_, '_>) -> Result<Option<u64>, Undecided> {
        self.key.clear();
        for key in &spec.keys {
            write_key(evaluation.one(&key.value)?, &mut self.key)?;
        }
        if self.found.len() >= MOST_GROUPS {
            return Err(Undecided);
        }
        Ok(Some(0))
    }

    /// The index of an existing cell.
    fn known(&self, number: u64, is_found: bool) -> Option<usize> {
        let place = if is_found {
            self.groups.get(&*self.key).copied()
        } else if self.is_plain {
            Some(self.places[number as usize])
        } else {
            self.scattered.get(&number).copied()
        };
        place.filter(|&place| place != NO_CELL).map(|place| place as usize)
    }

    /// Allocate another cell.
    fn open(&mut self, number: u64, spec: &TableSpec, evaluation: &Evaluation<'_, '_>) -> Result<(), Undecided> {
        if spec.is_found() {
            let own = |key: &Key| Ok(evaluation.one(&key.value)?.map(Atom::into_owned));
            // The keys have been read before: this is the first record of its group.
            let keys = spec.keys.iter().map(own).collect::<Result<FoundKeys, Undecided>>()?;
            self.groups.insert(self.key.as_slice().into(), self.found.len() as u32);
            self.found.push(keys);
            return Ok(());
        }
        let fresh = self.numbers.len() as u32;
        if self.is_plain {
            self.places[number as usize] = fresh;
        } else {
            self.scattered.insert(number, fresh);
        }
        self.numbers.push(number);
        Ok(())
    }
}

/// The number of a record's cell among all combinations of keys; None if it has none.
fn number(spec: &TableSpec, evaluation: &Evaluation<'_, '_>) -> Result<Option<u64>, Undecided> {
    let mut number = 0;
    for key in &spec.keys {
        let Some(atom) = evaluation.one(&key.value)? else { return Ok(None) };
        match key.domain.place(atom)? {
            None => return Ok(None),
            Some(place) => number = number * key.domain.size() + place,
        }
    }
    Ok(Some(number))
}

/// Integers below this are exact as doubles.
const EXACT: i64 = 1 << 53;

/// Append a key, so that keys that are equal under `group by` have the same bytes.
fn write_key(atom: Option<Atom<'_>>, out: &mut Vec<u8>) -> Result<(), Undecided> {
    match atom {
        None => out.push(0),
        Some(Atom::Untyped(text) | Atom::Text(text)) => {
            out.push(1);
            out.extend_from_slice(&(text.len() as u64).to_le_bytes());
            out.extend_from_slice(&text);
        }
        Some(Atom::Boolean(value)) => out.extend_from_slice(&[2, u8::from(value)]),
        Some(Atom::Integer(value)) if value.abs() < EXACT => write_number_key(value as f64, out),
        Some(Atom::Double(value)) => write_number_key(if value.is_nan() { f64::NAN } else { value }, out),
        // Their equality depends on the types of both.
        Some(Atom::Integer(_) | Atom::Decimal(_) | Atom::Moment(_) | Atom::Duration(_) | Atom::Node(_)) => {
            return Err(Undecided)
        }
    }
    Ok(())
}

fn write_number_key(value: f64, out: &mut Vec<u8>) {
    out.push(3);
    out.extend_from_slice(&bits(value).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_keys() {
        let value = || Expression::Constant(Atom::Integer(1));
        let range = |first, last| Key { value: value(), domain: Domain::Range(first, last) };
        let spec = TableSpec { keys: vec![range(1, 3), range(0, 9)], parts: Vec::new(), tests: Vec::new() };
        assert_eq!(spec.combinations(), Some(30));
        assert_eq!(spec.places(25), [2, 5]);
        let place = |atom| spec.keys[0].domain.place(atom).unwrap();
        assert_eq!(place(Atom::Double(2.0)), Some(1));
        assert_eq!(place(Atom::Double(2.5)), None);
        assert_eq!(place(Atom::Double(f64::NAN)), None);
        assert_eq!(place(Atom::Integer(4)), None);
    }

    #[test]
    fn equal_keys_have_the_same_bytes() {
        let key = |atom| {
            let mut out = Vec::new();
            write_key(Some(atom), &mut out).map(|()| out)
        };
        assert_eq!(key(Atom::Integer(3)).unwrap(), key(Atom::Double(3.0)).unwrap());
        assert_eq!(key(Atom::Double(-0.0)).unwrap(), key(Atom::Double(0.0)).unwrap());
        assert_eq!(key(Atom::Untyped(b"a"[..].into())).unwrap(), key(Atom::Text(b"a"[..].into())).unwrap());
        assert_ne!(key(Atom::Boolean(true)).unwrap(), key(Atom::Integer(1)).unwrap());
        assert!(key(Atom::Integer(i64::MAX)).is_err());
    }

    #[test]
    fn the_largest_of_equal_values_is_the_first() {
        let mut fold = Fold::default();
        for value in [-0.0, 0.0, -1.0] {
            fold.add(Aggregate::Greatest, Atom::Double(value)).unwrap();
        }
        assert!(matches!(fold.value(), Some(Atom::Double(value)) if value == 0.0 && value.is_sign_negative()));
    }

    #[test]
    fn not_a_number_is_the_largest_and_the_smallest() {
        let mut fold = Fold::default();
        for value in [f64::NAN, 1.0, 2.0] {
            fold.add(Aggregate::Least, Atom::Double(value)).unwrap();
        }
        assert!(matches!(fold.value(), Some(Atom::Double(value)) if value.is_nan()));
    }
}
