//! Aggregates by key: the Rust side of `xylem.plan.scan_table`, which says what tables mean.

use std::borrow::Cow;
use std::ops::ControlFlow;

use rustc_hash::FxHashMap;

use crate::number::{short_integer, to_double, trimmed};
use crate::plan::ValueTests;
use crate::row_paths::{NamedRows, PathStep, WantedName};
use crate::template::Undecided;
use crate::value_tests::{all, string_value, Verdict};

/// What a text is taken as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// As a cast to xs:double.
    Double,
    /// As a cast to xs:integer.
    Integer,
    /// As fn:number.
    Number,
    /// As it is.
    Text,
}

/// Values at the end of a path.
#[derive(Clone, Debug)]
pub struct Load {
    /// The path.
    pub path: Vec<PathStep>,
    /// The attribute that is taken, if one is.
    pub attribute: Option<WantedName>,
    /// What its text is taken as.
    pub reading: Reading,
    /// Whether more than one value is an error.
    pub is_single: bool,
}

/// A number of the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    /// xs:integer
    Integer(i64),
    /// xs:double
    Double(f64),
}

/// An operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operator {
    /// `+`
    Add,
    /// `-`
    Subtract,
    /// `*`
    Multiply,
    /// `div`, of doubles
    Divide,
    /// `idiv`, of integers
    IntegerDivide,
    /// `mod`
    Modulo,
    /// Unary minus.
    Negate,
}

/// A step of a program.
#[derive(Clone, Debug)]
pub enum Instruction {
    /// A value of the record goes on the stack.
    Load(Load),
    /// A constant does.
    Constant(Number),
    /// An operator takes its operands from it.
    Apply(Operator),
}

/// What a value is computed by.
pub type Program = Vec<Instruction>;

/// The values that make a cell.
#[derive(Clone, Debug)]
pub enum Domain {
    /// Integers from the first to the last.
    Range(i64, i64),
    /// Numbers, by their bits.
    Numbers(FxHashMap<u64, u32>),
    /// Texts.
    Texts(FxHashMap<Box<[u8]>, u32>),
}

/// A key of a table.
#[derive(Clone, Debug)]
pub struct Key {
    /// The values of a record.
    pub value: Program,
    /// Those that matter.
    pub domain: Domain,
}

/// An aggregate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// How many.
    Count,
    /// Their sum.
    Sum,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// What is kept in a cell.
#[derive(Clone, Debug)]
pub struct Part {
    /// The aggregate.
    pub aggregate: Aggregate,
    /// The values; with no instruction, the record itself.
    pub value: Program,
}

/// What a table is made of.
#[derive(Clone, Debug)]
pub struct TableSpec {
    /// Its keys.
    pub keys: Vec<Key>,
    /// Its aggregates.
    pub parts: Vec<Part>,
    /// What else is asked of an element that has its keys.
    pub tests: Vec<ValueTests>,
}

/// One part of a cell.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    /// How many values there were.
    pub count: u64,
    has_nan: bool,
    is_double: bool,
    integer: i128,
    double: f64,
}

/// What a part of a cell came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Total {
    /// There was no value, or they were only counted.
    Nothing,
    /// An xs:integer.
    Integer(i128),
    /// An xs:double.
    Double(f64),
}

/// Up to so many cells have their places in a plain vector.
const MOST_PLAIN: u64 = 1 << 20;
const NO_CELL: u32 = u32::MAX;

/// The cells of a table.
#[derive(Debug)]
pub struct Table {
    places: Vec<u32>,
    scattered: FxHashMap<u64, u32>,
    /// For each cell that has a record, its number among all combinations of keys.
    pub numbers: Vec<u64>,
    /// As many for each of them as there are parts.
    pub cells: Vec<Cell>,
    is_plain: bool,
    found: Vec<(usize, Number)>,
    stack: Vec<Number>,
}

impl Domain {
    /// How many values it has.
    pub fn size(&self) -> u64 {
        match self {
            Domain::Range(first, last) => last.checked_sub(*first).map_or(0, |size| (size + 1).max(0) as u64),
            Domain::Numbers(numbers) => numbers.len() as u64,
            Domain::Texts(texts) => texts.len() as u64,
        }
    }

    fn place(&self, number: Number) -> Option<u64> {
        match (self, number) {
            (Domain::Range(first, last), Number::Integer(value)) => {
                (*first <= value && value <= *last).then(|| (value - first) as u64)
            }
            (Domain::Range(first, last), Number::Double(value)) => {
                let inside = *first as f64 <= value && value <= *last as f64 && value.fract() == 0.0;
                inside.then(|| (value as i64 - first) as u64)
            }
            (Domain::Numbers(numbers), number) => numbers.get(&bits(number.as_double())).map(|&place| place.into()),
            (Domain::Texts(_), _) => None,
        }
    }
}

/// The bits of a number as a key: one zero, and NaN equals nothing that is looked up.
pub fn bits(number: f64) -> u64 {
    (number + 0.0).to_bits()
}

impl Number {
    #[inline(always)]
    fn as_double(self) -> f64 {
        match self {
            Number::Integer(value) => value as f64,
            Number::Double(value) => value,
        }
    }
}

impl TableSpec {
    /// How many combinations of keys there are; None where they cannot be counted.
    pub fn combinations(&self) -> Option<u64> {
        self.keys.iter().try_fold(1u64, |size, key| size.checked_mul(key.domain.size()))
    }

    /// The place of each key among its values, of a cell by its number.
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
            numbers: Vec::new(),
            cells: Vec::new(),
            is_plain,
            found: Vec::new(),
            stack: Vec::new(),
        }
    }

    /// Add the element of a row to its cell. Nothing is changed where that is not decided.
    pub fn add(&mut self, spec: &TableSpec, named: NamedRows<'_>, row: usize) -> Result<(), Undecided> {
        let mut number = 0;
        for key in &spec.keys {
            match self.place(key, named, row)? {
                None => return Ok(()),
                Some(place) => number = number * key.domain.size() + place,
            }
        }
        match all(&spec.tests, named, row) {
            Verdict::Fails => return Ok(()),
            Verdict::Open => return Err(Undecided),
            Verdict::Holds => {}
        }
        self.found.clear();
        for (part, Part { aggregate, value }) in spec.parts.iter().enumerate() {
            match value.as_slice() {
                [] => self.found.push((part, Number::Integer(1))),
                [Instruction::Load(load)] if !load.is_single => {
                    let found = &mut self.found;
                    each_text(load, named, row, &mut |text| {
                        let read = match aggregate {
                            Aggregate::Count => Number::Integer(1),
                            _ => load.reading.read(text)?,
                        };
                        found.push((part, read));
                        Ok(())
                    })?;
                }
                program => {
                    if let Some(result) = evaluate(program, &mut self.stack, named, row)? {
                        self.found.push((part, result));
                    }
                }
            }
        }
        let cell = self.cell(number, spec.parts.len());
        for &(part, value) in &self.found {
            self.cells[cell + part].add(spec.parts[part].aggregate, value);
        }
        Ok(())
    }

    fn place(&mut self, key: &Key, named: NamedRows<'_>, row: usize) -> Result<Option<u64>, Undecided> {
        if let (Domain::Texts(texts), [Instruction::Load(load)]) = (&key.domain, key.value.as_slice()) {
            return Ok(single_text(load, named, row)?.and_then(|text| texts.get(&*text).map(|&place| place.into())));
        }
        Ok(evaluate(&key.value, &mut self.stack, named, row)?.and_then(|value| key.domain.place(value)))
    }

    fn cell(&mut self, number: u64, parts: usize) -> usize {
        let fresh = self.numbers.len() as u32;
        let place = if self.is_plain {
            &mut self.places[number as usize]
        } else {
            self.scattered.entry(number).or_insert(NO_CELL)
        };
        if *place == NO_CELL {
            *place = fresh;
            self.numbers.push(number);
            self.cells.resize(self.cells.len() + parts, Cell::default());
        }
        *place as usize * parts
    }
}

impl Cell {
    #[inline(always)]
    fn add(&mut self, aggregate: Aggregate, value: Number) {
        let is_first = self.count == 0;
        self.count += 1;
        match (aggregate, value) {
            (Aggregate::Count, _) => {}
            (Aggregate::Sum, Number::Integer(value)) => self.integer += i128::from(value),
            (Aggregate::Min, Number::Integer(value)) => {
                self.integer = if is_first { value.into() } else { self.integer.min(value.into()) };
            }
            (Aggregate::Max, Number::Integer(value)) => {
                self.integer = if is_first { value.into() } else { self.integer.max(value.into()) };
            }
            (aggregate, Number::Double(value)) => {
                self.is_double = true;
                // The first value itself, and not added to zero, which would lose its sign.
                let is_taken = match aggregate {
                    _ if is_first => true,
                    Aggregate::Sum => {
                        self.double += value;
                        false
                    }
                    Aggregate::Min => value < self.double || self.double.is_nan(),
                    _ => value > self.double || self.double.is_nan(),
                };
                self.has_nan |= value.is_nan();
                if is_taken {
                    self.double = value;
                }
            }
        }
    }

    /// What it came to.
    pub fn total(&self, aggregate: Aggregate) -> Total {
        match aggregate {
            Aggregate::Count => Total::Nothing,
            _ if self.count == 0 => Total::Nothing,
            Aggregate::Min | Aggregate::Max if self.has_nan => Total::Double(f64::NAN),
            _ if self.is_double => Total::Double(self.double),
            _ => Total::Integer(self.integer),
        }
    }
}

impl Reading {
    #[inline(always)]
    fn read(self, text: &[u8]) -> Result<Number, Undecided> {
        match self {
            Reading::Double => to_double(text).map(Number::Double).ok_or(Undecided),
            Reading::Number => Ok(Number::Double(to_double(text).unwrap_or(f64::NAN))),
            Reading::Integer => short_integer(trimmed(text)).map(Number::Integer).ok_or(Undecided),
            Reading::Text => Err(Undecided),
        }
    }
}

/// Call a function with each text of a load, until it fails.
fn each_text<'a>(
    load: &Load,
    named: NamedRows<'a>,
    row: usize,
    found: &mut impl FnMut(&[u8]) -> Result<(), Undecided>,
) -> Result<(), Undecided> {
    let outcome = named.follow(&load.path, row, &mut |element| {
        let result = match &load.attribute {
            Some(name) => named.attribute(name, element).map_or(Ok(()), |row| found(named.rows.value(row))),
            None => found(&string_value(named, element)),
        };
        result.map_or_else(ControlFlow::Break, ControlFlow::Continue)
    });
    match outcome {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(undecided) => Err(undecided),
    }
}

/// The only text of a load; None where there is none.
fn single_text<'a>(load: &Load, named: NamedRows<'a>, row: usize) -> Result<Option<Cow<'a, [u8]>>, Undecided> {
    let mut only = None;
    let outcome = named.follow(&load.path, row, &mut |element| {
        let text = match &load.attribute {
            Some(name) => match named.attribute(name, element) {
                Some(row) => Cow::Borrowed(named.rows.value(row)),
                None => return ControlFlow::Continue(()),
            },
            None => string_value(named, element),
        };
        if only.is_some() {
            return ControlFlow::Break(Undecided);
        }
        only = Some(text);
        ControlFlow::Continue(())
    });
    match outcome {
        ControlFlow::Continue(()) => Ok(only),
        ControlFlow::Break(undecided) => Err(undecided),
    }
}

/// What a program comes to for the element of a row; None where a value it needs is missing.
fn evaluate(
    program: &[Instruction],
    stack: &mut Vec<Number>,
    named: NamedRows<'_>,
    row: usize,
) -> Result<Option<Number>, Undecided> {
    stack.clear();
    let mut is_missing = false;
    for instruction in program {
        match instruction {
            Instruction::Constant(number) => stack.push(*number),
            Instruction::Load(load) => match single_text(load, named, row)? {
                Some(text) => stack.push(load.reading.read(&text)?),
                None if load.reading == Reading::Number => stack.push(Number::Double(f64::NAN)),
                None => {
                    is_missing = true;
                    stack.push(Number::Double(f64::NAN));
                }
            },
            // What is missing has no type, and operators on it raise no errors: the rest only has to be read.
            Instruction::Apply(_) if is_missing => {}
            Instruction::Apply(Operator::Negate) => {
                let operand = stack.pop().ok_or(Undecided)?;
                stack.push(match operand {
                    Number::Integer(value) => Number::Integer(value.checked_neg().ok_or(Undecided)?),
                    Number::Double(value) => Number::Double(-value),
                });
            }
            Instruction::Apply(operator) => {
                let (right, left) = (stack.pop().ok_or(Undecided)?, stack.pop().ok_or(Undecided)?);
                stack.push(applied(*operator, left, right)?);
            }
        }
    }
    Ok(if is_missing { None } else { stack.pop() })
}

#[inline(always)]
fn applied(operator: Operator, left: Number, right: Number) -> Result<Number, Undecided> {
    if let (Number::Integer(a), Number::Integer(b)) = (left, right) {
        let found = match operator {
            Operator::Add => a.checked_add(b),
            Operator::Subtract => a.checked_sub(b),
            Operator::Multiply => a.checked_mul(b),
            Operator::IntegerDivide => a.checked_div(b),
            Operator::Modulo => a.checked_rem(b),
            // A decimal.
            Operator::Divide | Operator::Negate => None,
        };
        return found.map(Number::Integer).ok_or(Undecided);
    }
    let (a, b) = (left.as_double(), right.as_double());
    Ok(Number::Double(match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo if a.is_finite() && b.is_finite() && b != 0.0 => a % b,
        _ => return Err(Undecided),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_of_keys() {
        let range = |first, last| Key { value: Vec::new(), domain: Domain::Range(first, last) };
        let spec = TableSpec { keys: vec![range(1, 3), range(0, 9)], parts: Vec::new(), tests: Vec::new() };
        assert_eq!(spec.combinations(), Some(30));
        assert_eq!(spec.places(25), [2, 5]);
        assert_eq!(spec.keys[0].domain.place(Number::Double(2.0)), Some(1));
        assert_eq!(spec.keys[0].domain.place(Number::Double(2.5)), None);
        assert_eq!(spec.keys[0].domain.place(Number::Double(f64::NAN)), None);
        assert_eq!(spec.keys[0].domain.place(Number::Integer(4)), None);
    }

    #[test]
    fn the_largest_of_equal_values_is_the_first() {
        let mut cell = Cell::default();
        for value in [-0.0, 0.0, -1.0] {
            cell.add(Aggregate::Max, Number::Double(value));
        }
        assert_eq!(cell.total(Aggregate::Max), Total::Double(-0.0));
        assert!(matches!(cell.total(Aggregate::Max), Total::Double(value) if value.is_sign_negative()));
    }

    #[test]
    fn not_a_number_is_the_largest_and_the_smallest() {
        let mut cell = Cell::default();
        for value in [f64::NAN, 1.0, 2.0] {
            cell.add(Aggregate::Min, Number::Double(value));
        }
        assert!(matches!(cell.total(Aggregate::Min), Total::Double(value) if value.is_nan()));
    }

    #[test]
    fn integer_arithmetic_does_not_overflow() {
        let (most, two) = (Number::Integer(i64::MAX), Number::Integer(2));
        assert!(applied(Operator::Multiply, most, two).is_err());
        assert!(applied(Operator::IntegerDivide, two, Number::Integer(0)).is_err());
        assert_eq!(applied(Operator::IntegerDivide, Number::Integer(-7), two).unwrap(), Number::Integer(-3));
        assert_eq!(
            applied(Operator::Divide, Number::Double(1.0), Number::Integer(0)).unwrap(),
            Number::Double(f64::INFINITY)
        );
    }
}
