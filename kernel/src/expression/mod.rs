//! Expressions over the rows of a complete element: the Rust side of `xylem.plan.kernel_expression`.
//!
//! Values are computed by the rules of the language, and only where these leave no doubt: an error, a number that is too
//! large, more values than one where one is needed all make the record `Undecided`, and the query itself deals with it.

mod aggregates;
mod arithmetic;
mod atom;
mod comparison;
mod decimal;
mod distinct;
mod evaluation;
mod functions;
mod json;
mod mathematics;
mod moment;
mod number_text;
mod patterns;
mod rounding;
mod sorting;
mod strings;

pub use self::aggregates::{applied_average, Fold};
pub use self::atom::{Atom, Value};
pub use self::decimal::Decimal;
pub use self::evaluation::{Evaluation, Local};
pub use self::functions::{Aggregate, Function};
pub use self::json::{Json, Member};
pub use self::number_text::write_double;
pub use self::patterns::{Doing, Pattern, Replacement};
pub use self::sorting::{Keys, Order};

use crate::plan::ValueTests;
use crate::row_paths::Wanted;
use crate::template::{Reach, Turns, ValueOf};

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A value of the query.
    Constant(Atom<'static>),
    /// Nodes: elements, or what is taken of each.
    Nodes(Reach, Option<ValueOf>),
    /// Whether the element at hand has a name.
    Named(usize, Wanted),
    /// A value that was computed before.
    Variable(usize),
    /// Comparisons with constants, all of which must hold.
    Tests(Vec<ValueTests>),
    /// A function or an operator.
    Call(Function, Vec<Expression>),
    /// A function of a text by a pattern.
    Matching(Box<(Pattern, Expression)>),
    /// A map, an array or a value as JSON: a text.
    Json(Box<Json>),
    /// An expression for each of some elements, in a loop over them.
    Each(Reach, Turns, Box<Expression>),
    /// An expression for each of some values, which has a slot, and its position perhaps another.
    EachValue(usize, Option<usize>, Box<[Expression; 2]>),
    /// fold-left: the slots of what there is so far and of an item; the items, what there is at first, and what is made of both.
    Fold([usize; 2], Box<[Expression; 3]>),
    /// Values that `Keyed` expressions inside bring into an order.
    Sorted(Vec<Order>, Box<Expression>),
    /// Values that stand where their keys say, among those of the `Sorted` expression around them.
    Keyed(Vec<Expression>, Box<Expression>),
    /// Whether the node at hand is of a kind.
    IsKind(usize, u32),
    /// The name of the element at hand, with its prefix or without.
    NameOf(usize, bool),
    /// An expression in which values that are computed first have a slot.
    Let(usize, Box<[Expression; 2]>),
}
