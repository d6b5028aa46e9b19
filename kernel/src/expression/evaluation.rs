//! Evaluates expressions for the element of a row, inside the elements of surrounding loops.

use std::cell::{Cell, RefCell};

use super::aggregates::aggregated;
use super::arithmetic::{applied, negated, Operator};
use super::atom::{Atom, Value};
use super::casts::{cast, is_none, is_of};
use super::comparison::{pair_holds, value_holds};
use super::decimal::Decimal;
use super::distinct::distinct;
use super::functions::Function;
use super::mathematics::power;
use super::moment::{duration_field, Kind, Moment};
use super::node_axes::{are_deep_equal, each_on_axis};
use super::rounding::{rounded, rounded_to};
use super::sorting::Keys;
use super::strings::{code_points, evaluated};
use super::{Expression, Picture};
use crate::number::to_double;
use crate::plan::Comparison;
use crate::row_paths::{NamedRows, KIND_MASK};
use crate::rows::kind;
use crate::subtree_text::write_name;
use crate::template::{flow, outcome, Around, Counting, Reach, Turns, Undecided, ValueOf};
use crate::value_tests::{all, string_value, Verdict};

const MINUTE: i128 = 60_000_000_000;
/// A longer range is left to code, which need not walk it.
const MOST_IN_RANGE: i128 = 10_000;

/// Deeper calls of functions are left to code, which has a stack for them.
const MOST_CALLS: usize = 200;
/// More calls are left to code, too, which can be interrupted.
const MOST_CALLS_IN_ALL: usize = 4096;

/// The context of evaluation.
pub struct Evaluation<'a, 'e> {
    /// The rows.
    pub named: NamedRows<'a>,
    /// The values computed so far.
    pub variables: &'e [Value<'a>],
    /// The slots of the expression itself.
    pub locals: Option<&'e Local<'a, 'e>>,
    /// The tuples being sorted or grouped.
    pub sorting: Option<&'e Sorting>,
    /// The current element.
    pub here: &'e Around<'e>,
    /// The functions of the query that call each other, where they are called.
    pub functions: Option<&'e Functions<'a>>,
    /// How many calls of them are in progress.
    pub calls: usize,
}

/// The functions that an expression calls.
pub struct Functions<'a> {
    bodies: &'a [Expression],
    /// How many calls have begun.
    begun: Cell<usize>,
}

impl<'a> Functions<'a> {
    fn new(bodies: &'a [Expression]) -> Self {
        Functions { bodies, begun: Cell::new(0) }
    }
}

/// A value bound in an expression, inside of others.
pub struct Local<'a, 'e> {
    slot: usize,
    value: Value<'a>,
    around: Option<&'e Local<'a, 'e>>,
}

/// The keys and values of a tuple; owned, so that an evaluation may be passed on with a shorter lifetime.
pub type SortedTuple = (Keys<'static>, Vec<Value<'static>>);

/// Tuples that are gathered.
#[derive(Default)]
pub struct Sorting {
    /// What of the values of `Keyed` expressions.
    pub wanted: Wanted,
    /// The tuples so far.
    pub tuples: RefCell<Vec<SortedTuple>>,
}

/// What is wanted of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Wanted {
    /// Their values.
    #[default]
    Values,
    /// The nodes themselves.
    Items,
}

/// Takes values as they are found.
pub type Take<'t, 'a> = &'t mut dyn FnMut(Atom<'a>) -> Result<(), Undecided>;

impl<'a> Evaluation<'a, '_> {
    /// The atomic values of an expression, in order.
    pub fn each(&self, expression: &'a Expression, take: Take<'_, 'a>) -> Result<(), Undecided> {
        self.walk(expression, Wanted::Values, take)
    }

    /// The items of an expression, in order: nodes are not atomized.
    pub fn items(&self, expression: &'a Expression, take: Take<'_, 'a>) -> Result<(), Undecided> {
        self.walk(expression, Wanted::Items, take)
    }

    fn walk(&self, expression: &'a Expression, wanted: Wanted, take: Take<'_, 'a>) -> Result<(), Undecided> {
        match expression {
            Expression::Nodes(reach, of) => {
                let named = self.named;
                self.each_node(reach, of.as_ref(), &mut |row, is_text| {
                    take(match wanted {
                        Wanted::Items => Atom::Node(row),
                        Wanted::Values if is_text => Atom::Untyped(named.rows.value(row).into()),
                        Wanted::Values => Atom::Untyped(string_value(named, row)),
                    })
                })
            }
            Expression::OnAxis(up, axis, test) => {
                let (row, record) = (self.here.row_above(*up), self.here.record());
                each_on_axis(self.named, *axis, test, row, record, &mut |row| {
                    take(self.wanted(Atom::Node(row), wanted))
                })
            }
            Expression::Calling(parts) => {
                let (bodies, inner) = &**parts;
                Evaluation { functions: Some(&Functions::new(bodies)), ..*self }.walk(inner, wanted, take)
            }
            Expression::Invoke(function, arguments) => {
                self.invoked(*function, arguments, &mut |inside, body| inside.walk(body, wanted, take))
            }
            Expression::Variable(slot) => {
                self.variable(*slot)?.atoms().iter().try_for_each(|atom| take(self.wanted(atom.clone(), wanted)))
            }
            Expression::Each(reach, turns, inner) => {
                self.each_turn(reach, Some(turns), &mut |turn| turn.walk(inner, wanted, take))
            }
            Expression::EachOf(position, turns, parts) => {
                let ([nodes, inner], mut before) = (&**parts, 0);
                self.items(nodes, &mut |atom| {
                    let Atom::Node(row) = atom else { return Err(Undecided) };
                    turns.begin(&mut before)?;
                    let turn = Evaluation { here: &Around::inside(row, self.here), ..*self };
                    match position {
                        None => turn.walk(inner, wanted, take),
                        Some(slot) => {
                            turn.with(*slot, Value::position(before), |inside| inside.walk(inner, wanted, take))
                        }
                    }
                })
            }
            Expression::EachValue(slot, position, turns, parts) => {
                let ([values, inner], mut before) = (&**parts, 0);
                self.items(values, &mut |atom| {
                    turns.begin(&mut before)?;
                    self.with(*slot, Value::One(atom), |inside| match position {
                        None => inside.walk(inner, wanted, take),
                        Some(slot) => {
                            inside.with(*slot, Value::position(before), |inside| inside.walk(inner, wanted, take))
                        }
                    })
                })
            }
            Expression::Fold([so_far, item], parts) => {
                let [values, start, step] = &**parts;
                let mut value = self.all(start)?;
                self.items(values, &mut |atom| {
                    value = self.with(*so_far, std::mem::take(&mut value), |inside| {
                        inside.with(*item, Value::One(atom), |inside| inside.all(step))
                    })?;
                    Ok(())
                })?;
                value.into_atoms().into_iter().try_for_each(take)
            }
            Expression::Sorted(orders, inner) => {
                let sorting = Sorting { wanted, tuples: RefCell::default() };
                let inside = Evaluation { sorting: Some(&sorting), ..*self };
                inside.each(inner, &mut |_| Err(Undecided))?;
                let mut tuples = sorting.tuples.into_inner();
                Keys::sort(&mut tuples, orders)?;
                tuples.into_iter().flat_map(|(_, values)| values).flat_map(Value::into_atoms).try_for_each(take)
            }
            Expression::Keyed(keys, inner) => {
                let sorting = self.sorting.ok_or(Undecided)?;
                let tuple = (self.keys(keys)?.into_owned(), vec![self.gathered(inner, sorting.wanted)?.into_owned()]);
                sorting.tuples.borrow_mut().push(tuple);
                Ok(())
            }
            Expression::Tuple(keys, values) => {
                let values = values.iter().map(|value| Ok(self.gathered(value, Wanted::Items)?.into_owned()));
                let tuple = (self.keys(keys)?.into_owned(), values.collect::<Result<_, _>>()?);
                self.sorting.ok_or(Undecided)?.tuples.borrow_mut().push(tuple);
                Ok(())
            }
            Expression::Gathered(gathered) => {
                let ((gathering, turns, inner), mut before) = (&**gathered, 0);
                gathering.each(self, &mut |values| {
                    turns.begin(&mut before)?;
                    self.with_all(values, &mut |inside| inside.walk(inner, wanted, take))
                })
            }
            Expression::Windows(windowed) => {
                let ((windows, turns, inner), mut before) = (&**windowed, 0);
                windows.each(self, &mut |values| {
                    turns.begin(&mut before)?;
                    self.with_all(values, &mut |inside| inside.walk(inner, wanted, take))
                })
            }
            Expression::Call(Function::DocumentOrder, arguments) => {
                let rows = self.rows_of(&arguments[0])?;
                rows.into_iter().try_for_each(|row| take(self.wanted(Atom::Node(row), wanted)))
            }
            Expression::Call(Function::Among(is_there), arguments) => {
                let (rows, others) = (self.rows_of(&arguments[0])?, self.rows_of(&arguments[1])?);
                let kept = rows.into_iter().filter(|row| others.binary_search(row).is_ok() == *is_there);
                kept.into_iter().try_for_each(|row| take(self.wanted(Atom::Node(row), wanted)))
            }
            Expression::Call(Function::Cardinality(fewest, most), arguments) => {
                let found = self.gathered(&arguments[0], wanted)?.into_atoms();
                if found.len() < *fewest || found.len() > *most {
                    return Err(Undecided);
                }
                found.into_iter().try_for_each(take)
            }
            Expression::Call(Function::Head(is_head), arguments) => {
                let mut found = self.gathered(&arguments[0], wanted)?.into_atoms().into_iter();
                let first = found.next();
                match first {
                    Some(first) if *is_head => take(first),
                    _ => found.try_for_each(take),
                }
            }
            Expression::Call(Function::Distinct, arguments) => {
                distinct(self.all(&arguments[0])?.into_atoms())?.into_iter().try_for_each(take)
            }
            Expression::Call(Function::Reverse, arguments) => {
                self.gathered(&arguments[0], wanted)?.into_atoms().into_iter().rev().try_for_each(take)
            }
            Expression::Call(Function::CodePoints, arguments) => match self.one(&arguments[0])? {
                None => Ok(()),
                Some(atom) => code_points(&atom.string()?, take),
            },
            Expression::Call(Function::IndexOf, arguments) => {
                let wanted = self.one(&arguments[1])?.ok_or(Undecided)?;
                let mut place = 0;
                self.each(&arguments[0], &mut |atom| {
                    place += 1;
                    if value_holds(Comparison::Equal, &atom, &wanted)? {
                        take(Atom::Integer(place))
                    } else {
                        Ok(())
                    }
                })
            }
            Expression::Call(Function::Range, arguments) => {
                let (Some(first), Some(last)) = (self.integer(&arguments[0])?, self.integer(&arguments[1])?) else {
                    return Ok(());
                };
                if i128::from(last) - i128::from(first) > MOST_IN_RANGE {
                    return Err(Undecided);
                }
                (first..=last).try_for_each(|number| take(Atom::Integer(number)))
            }
            Expression::Lookup(lookup) => {
                let (map, key) = &**lookup;
                let found = map.find(&self.one(key)?.ok_or(Undecided)?);
                if map.is_test {
                    return take(Atom::Boolean(found.is_some()));
                }
                found.unwrap_or_default().iter().try_for_each(|atom| take(atom.clone()))
            }
            Expression::JsonPath(path) => path.each(self, take),
            Expression::Let(slot, parts) => {
                let [value, inner] = &**parts;
                self.with(*slot, self.gathered(value, Wanted::Items)?, |inside| inside.walk(inner, wanted, take))
            }
            Expression::Matching(matching) => {
                let (pattern, argument) = &**matching;
                pattern.each(self.one(argument)?.map_or(Ok(b"".into()), Atom::string)?, take)
            }
            Expression::Call(Function::Sequence, parts) => {
                parts.iter().try_for_each(|part| self.walk(part, wanted, take))
            }
            Expression::Call(Function::If, parts) => self.walk(&parts[self.branch(parts)?], wanted, take),
            Expression::Call(Function::Data, arguments) => self.each(&arguments[0], take),
            _ => match self.one(expression)? {
                Some(atom) => take(atom),
                None => Ok(()),
            },
        }
    }

    /// The only atomic value of an expression, None if there is none.
    #[inline]
    pub fn one(&self, expression: &'a Expression) -> Result<Option<Atom<'a>>, Undecided> {
        match expression {
            Expression::Constant(atom) => Ok(Some(atom.clone())),
            Expression::Named(..) | Expression::IsKind(..) | Expression::Tests(_) => {
                Ok(Some(Atom::Boolean(self.truth(expression)?)))
            }
            Expression::Variable(slot) => {
                Ok(self.variable(*slot)?.clone().single()?.map(|atom| self.wanted(atom, Wanted::Values)))
            }
            Expression::Call(function, arguments) => self.call(*function, arguments, expression),
            Expression::Calling(parts) => {
                let (bodies, inner) = &**parts;
                Evaluation { functions: Some(&Functions::new(bodies)), ..*self }.one(inner)
            }
            Expression::Invoke(function, arguments) => {
                let mut found = None;
                self.invoked(*function, arguments, &mut |inside, body| {
                    found = inside.one(body)?;
                    Ok(())
                })?;
                Ok(found)
            }
            Expression::Let(slot, parts) => {
                let [value, inner] = &**parts;
                self.with(*slot, self.gathered(value, Wanted::Items)?, |inside| inside.one(inner))
            }
            Expression::Json(json) => {
                let mut out = Vec::new();
                json.write(self, &mut out)?;
                Ok(Some(Atom::Text(out.into())))
            }
            Expression::Formatted(formatted) => {
                let (picture, value) = &**formatted;
                self.formatted(picture, value)
            }
            Expression::Try(parts) => {
                let [tried, otherwise] = &**parts;
                match self.one(tried) {
                    Err(Undecided { is_error: true }) => self.one(otherwise),
                    found => found,
                }
            }
            Expression::NameOf(up, is_whole) => {
                let mut out = Vec::new();
                let row = self.here.row_above(*up);
                if self.named.rows.codes[row] & KIND_MASK != kind::ELEMENT {
                    return Err(Undecided);
                }
                self.write_name_of(row, *is_whole, &mut out);
                Ok(Some(Atom::Text(out.into())))
            }
            Expression::Nodes(..)
            | Expression::OnAxis(..)
            | Expression::Each(..)
            | Expression::EachOf(..)
            | Expression::JsonPath(_)
            | Expression::Tuple(..)
            | Expression::Gathered(_)
            | Expression::Windows(_)
            | Expression::EachValue(..)
            | Expression::Fold(..)
            | Expression::Sorted(..)
            | Expression::Keyed(..)
            | Expression::Lookup(_)
            | Expression::Matching(_) => self.all(expression)?.single(),
        }
    }

    /// All atomic values of an expression.
    pub fn all(&self, expression: &'a Expression) -> Result<Value<'a>, Undecided> {
        self.gathered(expression, Wanted::Values)
    }

    /// All items of an expression: nodes are not atomized.
    pub fn all_items(&self, expression: &'a Expression) -> Result<Value<'a>, Undecided> {
        self.gathered(expression, Wanted::Items)
    }

    fn gathered(&self, expression: &'a Expression, wanted: Wanted) -> Result<Value<'a>, Undecided> {
        let mut found = Value::Empty;
        self.walk(expression, wanted, &mut |atom| {
            found.push(atom);
            Ok(())
        })?;
        Ok(found)
    }

    /// Append the name of a node, with or without its prefix.
    fn write_name_of(&self, row: usize, is_whole: bool, out: &mut Vec<u8>) {
        if is_whole {
            write_name(self.named, row, out);
        } else {
            out.extend_from_slice(self.named.names.in_table(self.named.rows.codes[row] >> 3).1.as_bytes());
        }
    }

    /// The row of the only node of an expression.
    fn place(&self, expression: &'a Expression) -> Result<Option<usize>, Undecided> {
        match self.all_items(expression)?.single()? {
            None => Ok(None),
            Some(Atom::Node(row)) => Ok(Some(row)),
            Some(_) => Err(Undecided),
        }
    }

    /// Whether two items are equal in the sense of fn:deep-equal.
    fn are_equal(&self, one: &Atom<'a>, other: &Atom<'a>) -> Result<bool, Undecided> {
        match (one, other) {
            (Atom::Node(one), Atom::Node(other)) => are_deep_equal(self.named, *one, *other, 0),
            (Atom::Node(_), _) | (_, Atom::Node(_)) => Ok(false),
            (Atom::Double(one), Atom::Double(other)) if one.is_nan() && other.is_nan() => Ok(true),
            _ => value_holds(Comparison::Equal, one, other),
        }
    }

    /// The rows of nodes in document order, each once.
    fn rows_of(&self, expression: &'a Expression) -> Result<Vec<usize>, Undecided> {
        let mut rows = Vec::new();
        self.items(expression, &mut |atom| {
            let Atom::Node(row) = atom else { return Err(Undecided) };
            rows.push(row);
            Ok(())
        })?;
        rows.sort_unstable();
        rows.dedup();
        Ok(rows)
    }

    /// An item as it is wanted: the value of a node, or the node.
    fn wanted(&self, atom: Atom<'a>, wanted: Wanted) -> Atom<'a> {
        match (atom, wanted) {
            (Atom::Node(row), Wanted::Values) => Atom::Untyped(match self.named.rows.codes[row] & KIND_MASK {
                kind::TEXT | kind::ATTRIBUTE => self.named.rows.value(row).into(),
                _ => string_value(self.named, row),
            }),
            (atom, _) => atom,
        }
    }

    fn call(
        &self,
        function: Function,
        arguments: &'a [Expression],
        whole: &'a Expression,
    ) -> Result<Option<Atom<'a>>, Undecided> {
        Ok(Some(match function {
            Function::Arithmetic(operator) => {
                match (self.one(&arguments[0])?, self.one(&arguments[1])?) {
                    (Some(Atom::Moment(left)), Some(Atom::Moment(right))) if operator == Operator::Subtract => {
                        Atom::Duration(left.since(&right).ok_or(Undecided)?)
                    }
                    (Some(Atom::Moment(moment)), Some(Atom::Duration(time))) => later(operator, moment, time)?,
                    (Some(Atom::Duration(time)), Some(Atom::Moment(moment))) if operator == Operator::Add => {
                        later(operator, moment, time)?
                    }
                    (Some(Atom::Duration(left)), Some(Atom::Duration(right))) => of_durations(operator, left, right)?,
                    (Some(Atom::Duration(time)), Some(Atom::Integer(number))) => multiple(operator, time, number)?,
                    (Some(Atom::Integer(number)), Some(Atom::Duration(time))) if operator == Operator::Multiply => {
                        multiple(operator, time, number)?
                    }
                    (Some(left), Some(right)) => applied(operator, &left.number()?, &right.number()?)?,
                    // A single value must still be a number.
                    (Some(alone), None) | (None, Some(alone)) => return alone.number().map(|_| None),
                    _ => return Ok(None),
                }
            }
            Function::Negate => return self.number(&arguments[0])?.map(negated).transpose(),
            Function::Plus => return self.number(&arguments[0]),
            Function::Single(comparison) => match (self.one(&arguments[0])?, self.one(&arguments[1])?) {
                (Some(left), Some(right)) => Atom::Boolean(value_holds(comparison, &left, &right)?),
                _ => return Ok(None),
            },
            Function::General(_)
            | Function::And
            | Function::Or
            | Function::Not
            | Function::Boolean
            | Function::Exists
            | Function::Empty => Atom::Boolean(self.truth(whole)?),
            Function::If => return self.one(&arguments[self.branch(arguments)?]),
            Function::Sequence
            | Function::Data
            | Function::Distinct
            | Function::DocumentOrder
            | Function::Among(_)
            | Function::Cardinality(..)
            | Function::Head(_)
            | Function::Reverse
            | Function::CodePoints
            | Function::IndexOf
            | Function::Range => return self.all(whole)?.single(),
            Function::Instance(target, may_be_none, may_be_several) => {
                let (mut number, mut are_all) = (0, true);
                self.each(&arguments[0], &mut |atom| {
                    number += 1;
                    are_all = are_all && is_of(target, &atom);
                    Ok(())
                })?;
                Atom::Boolean(are_all && (number > 0 || may_be_none) && (number < 2 || may_be_several))
            }
            Function::Places(comparison) => match (self.place(&arguments[0])?, self.place(&arguments[1])?) {
                (Some(left), Some(right)) => Atom::Boolean(comparison.holds(left, right)),
                _ => return Ok(None),
            },
            Function::NodeName(is_whole) => {
                let mut out = Vec::new();
                if let Some(row) = self.place(&arguments[0])? {
                    if self.named.rows.codes[row] >> 3 != 0 {
                        self.write_name_of(row, is_whole, &mut out);
                    }
                }
                Atom::Text(out.into())
            }
            Function::DeepEqual => {
                let (left, right) = (self.all_items(&arguments[0])?, self.all_items(&arguments[1])?);
                let (left, right) = (left.atoms(), right.atoms());
                let mut are_equal = left.len() == right.len();
                for (one, other) in left.iter().zip(right) {
                    are_equal = are_equal && self.are_equal(one, other)?;
                }
                Atom::Boolean(are_equal)
            }
            Function::Count => Atom::Integer(self.count(&arguments[0], usize::MAX)? as i64),
            Function::Aggregate(aggregate) => return aggregated(self, aggregate, &arguments[0]),
            Function::Cast(target) => return self.one(&arguments[0])?.map(|atom| cast(target, atom)).transpose(),
            Function::Castable(target, is_optional) => Atom::Boolean(match self.one(&arguments[0])? {
                Some(Atom::Untyped(text) | Atom::Text(text)) if is_none(target, &text) => false,
                // A text may be a number that is too long for us: only actual numbers are certain.
                Some(atom) => cast(target, atom).map(|_| true)?,
                None => is_optional,
            }),
            Function::Typed(target, is_optional) => match self.one(&arguments[0])? {
                None if is_optional => return Ok(None),
                Some(atom) if is_of(target, &atom) => atom,
                _ => return Err(Undecided),
            },
            Function::One => self.one(&arguments[0])?.ok_or(Undecided)?,
            Function::Number => Atom::Double(match self.one(&arguments[0])? {
                Some(Atom::Untyped(text) | Atom::Text(text)) => to_double(&text).unwrap_or(f64::NAN),
                Some(atom) => atom.to_double()?,
                None => f64::NAN,
            }),
            Function::String => Atom::Text(self.one(&arguments[0])?.map_or(b"".into(), Atom::into_text)),
            Function::Round(rounding) => match self.number(&arguments[0])? {
                Some(number) => rounded(rounding, &number)?,
                None => return Ok(None),
            },
            Function::RoundTo { to_even } => {
                let digits = match arguments.get(1) {
                    None => 0,
                    Some(digits) => match self.one(digits)? {
                        Some(Atom::Integer(digits)) => u32::try_from(digits).map_err(|_| Undecided)?,
                        _ => return Err(Undecided),
                    },
                };
                match self.number(&arguments[0])? {
                    Some(number) => rounded_to(&number, digits, to_even)?,
                    None => return Ok(None),
                }
            }
            Function::Mathematics(function) => match self.number(&arguments[0])? {
                Some(number) => Atom::Double(function.of(number.to_double()?)),
                None => return Ok(None),
            },
            Function::Power => match (self.number(&arguments[0])?, self.number(&arguments[1])?) {
                (Some(base), Some(exponent)) => Atom::Double(power(base.to_double()?, exponent.to_double()?)),
                // No exponent is an error, whatever the base is.
                (None, Some(_)) => return Ok(None),
                _ => return Err(Undecided),
            },
            Function::OnStrings(function) => return evaluated(self, function, arguments),
            Function::Field(field, kind) => match self.moment(&arguments[0], kind)? {
                None => return Ok(None),
                Some(moment) => Atom::Integer(moment.field(field)),
            },
            Function::Seconds(kind) => match self.moment(&arguments[0], kind)? {
                None => return Ok(None),
                Some(moment) => seconds(moment.nanoseconds.into())?,
            },
            Function::Zone(kind) => match self.moment(&arguments[0], kind)?.and_then(|moment| moment.zone) {
                None => return Ok(None),
                Some(minutes) => Atom::Duration(i128::from(minutes) * MINUTE),
            },
            Function::Adjust(kind) => {
                let zone = match self.one(&arguments[1])? {
                    None => None,
                    Some(Atom::Duration(time)) => Some(zone_of(time).ok_or(Undecided)?),
                    Some(_) => return Err(Undecided),
                };
                match self.moment(&arguments[0], kind)? {
                    None => return Ok(None),
                    Some(moment) => Atom::Moment(moment.in_zone(zone).ok_or(Undecided)?),
                }
            }
            Function::DateWithTime => {
                match (self.moment(&arguments[0], Kind::Date)?, self.moment(&arguments[1], Kind::Time)?) {
                    (Some(date), Some(time)) => Atom::Moment(date.with_time(time).ok_or(Undecided)?),
                    _ => return Ok(None),
                }
            }
            Function::DurationField(field) => match self.one(&arguments[0])? {
                None => return Ok(None),
                Some(Atom::Duration(time)) => Atom::Integer(duration_field(field, time).ok_or(Undecided)?),
                Some(_) => return Err(Undecided),
            },
            Function::DurationSeconds => match self.one(&arguments[0])? {
                None => return Ok(None),
                Some(Atom::Duration(time)) => seconds(time)?,
                Some(_) => return Err(Undecided),
            },
        }))
    }

    /// An operand of arithmetic.
    #[inline]
    pub fn number(&self, expression: &'a Expression) -> Result<Option<Atom<'static>>, Undecided> {
        self.one(expression)?.map(Atom::number).transpose()
    }

    /// An argument that is a moment of a kind.
    fn moment(&self, expression: &'a Expression, kind: Kind) -> Result<Option<Moment>, Undecided> {
        self.one(expression)?.map(|atom| atom.moment(kind)).transpose()
    }

    /// An argument that is an integer.
    fn integer(&self, expression: &'a Expression) -> Result<Option<i64>, Undecided> {
        match self.one(expression)? {
            None => Ok(None),
            Some(Atom::Integer(number)) => Ok(Some(number)),
            Some(untyped @ Atom::Untyped(_)) => untyped.to_integer().map(Some),
            Some(_) => Err(Undecided),
        }
    }

    /// A value as a picture says.
    fn formatted(&self, picture: &'a Picture, value: &'a Expression) -> Result<Option<Atom<'a>>, Undecided> {
        let mut out = Vec::new();
        match picture {
            Picture::Number(picture) => picture.write(self.number(value)?, &mut out)?,
            Picture::Integer(pattern) => {
                if let Some(number) = self.integer(value)? {
                    pattern.write(number, &mut out);
                }
            }
            Picture::Moment(kind, picture) => match self.moment(value, *kind)? {
                None => return Ok(None),
                Some(moment) => picture.write(&moment, &mut out),
            },
        }
        Ok(Some(Atom::Text(out.into())))
    }

    /// The effective boolean value of an expression.
    pub fn truth(&self, expression: &'a Expression) -> Result<bool, Undecided> {
        match expression {
            Expression::Nodes(..) => Ok(self.count(expression, 1)? > 0),
            Expression::Variable(slot) if matches!(self.variable(*slot)?.atoms(), [Atom::Node(_), ..]) => Ok(true),
            Expression::Named(up, wanted) => Ok(self.named.is_named(wanted, self.here.row_above(*up))),
            Expression::IsKind(up, kind) => Ok(self.named.rows.codes[self.here.row_above(*up)] & KIND_MASK == *kind),
            Expression::Tests(tests) => match all(tests, self.named, self.here.row) {
                Verdict::Open => Err(Undecided),
                verdict => Ok(verdict == Verdict::Holds),
            },
            Expression::Call(function, arguments) => match function {
                Function::And => {
                    for part in arguments {
                        if !self.truth(part)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                }
                Function::Or => {
                    for part in arguments {
                        if self.truth(part)? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                }
                Function::Not => Ok(!self.truth(&arguments[0])?),
                Function::Boolean => self.truth(&arguments[0]),
                Function::If => self.truth(&arguments[self.branch(arguments)?]),
                Function::Exists => Ok(self.count(&arguments[0], 1)? > 0),
                Function::Empty => Ok(self.count(&arguments[0], 1)? == 0),
                Function::General(comparison) => {
                    let right = self.all(&arguments[1])?;
                    let mut holds = false;
                    self.each(&arguments[0], &mut |left| {
                        for right in right.atoms() {
                            holds = holds || pair_holds(*comparison, &left, right)?;
                        }
                        Ok(())
                    })?;
                    Ok(holds)
                }
                _ => self.one(expression)?.map_or(Ok(false), |atom| atom.is_true()),
            },
            _ => self.one(expression)?.map_or(Ok(false), |atom| atom.is_true()),
        }
    }

    fn variable(&self, slot: usize) -> Result<&Value<'a>, Undecided> {
        let mut local = self.locals;
        while let Some(found) = local {
            if found.slot == slot {
                return Ok(&found.value);
            }
            local = found.around;
        }
        self.variables.get(slot).ok_or(Undecided)
    }

    /// Evaluate something with a value in a slot.
    fn with<T>(&self, slot: usize, value: Value<'a>, evaluate: impl FnOnce(&Evaluation<'a, '_>) -> T) -> T {
        let local = Local { slot, value, around: self.locals };
        evaluate(&Evaluation { locals: Some(&local), ..*self })
    }

    /// Evaluate something with values in several slots.
    pub fn with_all(
        &self,
        values: &mut dyn Iterator<Item = (usize, Value<'a>)>,
        evaluate: &mut dyn FnMut(&Evaluation<'a, '_>) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        match values.next() {
            None => evaluate(self),
            Some((slot, value)) => self.with(slot, value, |inside| inside.with_all(values, evaluate)),
        }
    }

    /// Evaluate the body of a function of the query with its arguments.
    fn invoked(
        &self,
        function: usize,
        arguments: &'a [(usize, Expression)],
        evaluate: &mut dyn FnMut(&Evaluation<'a, '_>, &'a Expression) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        let functions = self.functions.ok_or(Undecided)?;
        let body = functions.bodies.get(function).ok_or(Undecided)?;
        let begun = functions.begun.get() + 1;
        if self.calls >= MOST_CALLS || begun > MOST_CALLS_IN_ALL {
            return Err(Undecided);
        }
        functions.begun.set(begun);
        let values: Vec<_> = arguments
            .iter()
            .map(|(slot, argument)| Ok((*slot, self.gathered(argument, Wanted::Items)?)))
            .collect::<Result<_, _>>()?;
        let inside = Evaluation { calls: self.calls + 1, sorting: None, ..*self };
        inside.with_all(&mut values.into_iter(), &mut |inside| evaluate(inside, body))
    }

    /// The keys of a tuple to sort.
    pub fn keys(&self, keys: &'a [Expression]) -> Result<Keys<'a>, Undecided> {
        keys.iter().map(|key| self.one(key)).collect::<Result<_, _>>().map(Keys)
    }

    /// Evaluate something for each of some elements.
    pub fn each_turn(
        &self,
        reach: &Reach,
        turns: Option<&'a Turns>,
        turn: &mut dyn FnMut(&Evaluation<'a, '_>) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        let (named, here) = (self.named, self.here);
        let (mut begun, mut before) = (0, 0);
        let counting = turns.and_then(|turns| turns.counting.as_deref());
        outcome(named.follow(&reach.path, here.start(reach), &mut |row| {
            if let Some(turns) = turns {
                flow(turns.begin(&mut begun))?;
            }
            let inside = Evaluation { here: &Around::inside(row, here), ..*self };
            flow(inside.turn(counting, &mut before, turn))
        }))
    }

    /// One turn of a loop over elements.
    fn turn(
        &self,
        counting: Option<&'a Counting>,
        before: &mut usize,
        turn: &mut dyn FnMut(&Evaluation<'a, '_>) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        let Some(Counting { slot, test }) = counting else { return turn(self) };
        if let Some(test) = test {
            if !self.truth(test)? {
                return Ok(());
            }
        }
        *before += 1;
        self.with(*slot, Value::position(*before), |inside| turn(inside))
    }

    fn branch(&self, parts: &'a [Expression]) -> Result<usize, Undecided> {
        Ok(if self.truth(&parts[0])? { 1 } else { 2 })
    }

    /// The number of items of an expression, counted up to a limit.
    pub fn count(&self, expression: &'a Expression, most: usize) -> Result<usize, Undecided> {
        let mut number = 0;
        match expression {
            Expression::Nodes(reach, of) => {
                let found = self.each_node(reach, of.as_ref(), &mut |_, _| {
                    number += 1;
                    if number >= most {
                        Err(Undecided)
                    } else {
                        Ok(())
                    }
                });
                // Only the counting itself ends it.
                debug_assert!(found.is_ok() || number >= most);
            }
            // Values that are only counted need not be read.
            Expression::Each(reach, turns, inner) => self.each_turn(reach, Some(turns), &mut |turn| {
                number += turn.count(inner, usize::MAX)?;
                Ok(())
            })?,
            Expression::Call(Function::If, parts) => return self.count(&parts[self.branch(parts)?], most),
            _ => self.items(expression, &mut |_| {
                number += 1;
                Ok(())
            })?,
        }
        Ok(number)
    }

    /// Call a function with the row of each node, and whether its value is that of its row alone.
    fn each_node(
        &self,
        reach: &Reach,
        of: Option<&ValueOf>,
        take: &mut dyn FnMut(usize, bool) -> Result<(), Undecided>,
    ) -> Result<(), Undecided> {
        let named = self.named;
        outcome(named.follow(&reach.path, self.here.start(reach), &mut |element| {
            let result = match of {
                None | Some(ValueOf::String) => take(element, false),
                Some(ValueOf::Attribute(name)) => named.attribute(name, element).map_or(Ok(()), |row| take(row, true)),
                Some(ValueOf::Text) => return named.texts(element, &mut |row| flow(take(row, true))),
            };
            flow(result)
        }))
    }
}

/// An operator on two durations.
fn of_durations(operator: Operator, left: i128, right: i128) -> Result<Atom<'static>, Undecided> {
    let found = match operator {
        Operator::Add => left.checked_add(right),
        Operator::Subtract => left.checked_sub(right),
        Operator::Divide => {
            let number = |time: i128| i64::try_from(time).map(Atom::Integer).map_err(|_| Undecided);
            return applied(operator, &number(left)?, &number(right)?);
        }
        _ => None,
    };
    found.map(Atom::Duration).ok_or(Undecided)
}

/// A duration times a whole number, or divided by one without a rest.
fn multiple(operator: Operator, time: i128, number: i64) -> Result<Atom<'static>, Undecided> {
    let number = i128::from(number);
    let found = match operator {
        Operator::Multiply => time.checked_mul(number),
        Operator::Divide if number != 0 && time % number == 0 => Some(time / number),
        _ => None,
    };
    // Python checks the limits of durations.
    found.filter(|time| i64::try_from(*time).is_ok()).map(Atom::Duration).ok_or(Undecided)
}

/// The seconds beyond whole minutes, from nanoseconds.
fn seconds(time: i128) -> Result<Atom<'static>, Undecided> {
    let rest = i64::try_from(time % 60_000_000_000).map_err(|_| Undecided)?;
    Decimal::from(rest).divide(Decimal::from(1_000_000_000)).map(Atom::Decimal).ok_or(Undecided)
}

/// The time zone of a duration: whole minutes, at most 14 hours.
fn zone_of(time: i128) -> Option<i16> {
    let minutes = i16::try_from(time / MINUTE).ok()?;
    (time % MINUTE == 0 && minutes.abs() <= 14 * 60).then_some(minutes)
}

/// A moment shifted by a duration.
fn later(operator: Operator, moment: Moment, nanoseconds: i128) -> Result<Atom<'static>, Undecided> {
    let nanoseconds = match operator {
        Operator::Add => nanoseconds,
        Operator::Subtract => -nanoseconds,
        _ => return Err(Undecided),
    };
    moment.plus(nanoseconds).map(Atom::Moment).ok_or(Undecided)
}
