//! Expressions over the rows of a complete element: the Rust side of `xylem.plan.kernel_expression`.
//!
//! Values are computed by the rules of the language, and only without doubt: an error, a number that is too large, or
//! several values where one is needed make the record `Undecided`, and the query itself handles it.

mod aggregates;
mod arithmetic;
mod atom;
mod casts;
mod comparison;
mod decimal;
mod digits;
mod distinct;
mod evaluation;
mod functions;
mod gathered;
mod item_windows;
mod json;
mod json_path;
mod lookup;
mod mathematics;
mod moment;
mod moment_picture;
mod node_axes;
mod number_picture;
mod number_text;
mod patterns;
mod rounding;
mod sorting;
mod strings;

pub use self::aggregates::{applied_average, Fold};
pub use self::atom::{Atom, Value};
pub use self::decimal::Decimal;
pub use self::digits::{DigitPattern, Grouping};
pub use self::evaluation::{Evaluation, Local};
pub use self::functions::{Aggregate, Function};
pub use self::gathered::Gathering;
pub use self::item_windows::{Bounds, Windows};
pub use self::json::{Json, Member};
pub use self::json_path::{JsonPath, JsonStep};
pub use self::lookup::Lookup;
pub use self::moment::Kind;
pub use self::moment_picture::{MomentPicture, Part, Piece};
pub use self::node_axes::{Axis, NodeTest};
pub use self::number_picture::{Half, NumberPicture};
pub use self::number_text::write_double;
pub use self::patterns::{Doing, Pattern, Replacement};
pub use self::sorting::{Keys, Order};

use crate::plan::ValueTests;
use crate::row_paths::Wanted;
use crate::template::{Reach, Turns, ValueOf};

/// An expression.
#[derive(Clone, Debug)]
pub enum Expression {
    /// A constant of the query.
    Constant(Atom<'static>),
    /// Nodes: elements, or their attributes or texts.
    Nodes(Reach, Option<ValueOf>),
    /// Nodes on an axis from the current element, in its order.
    OnAxis(usize, Axis, NodeTest),
    /// An expression that calls functions of the query.
    Calling(Box<(Vec<Expression>, Expression)>),
    /// A call of one of them: its number, and its arguments with their slots.
    Invoke(usize, Vec<(usize, Expression)>),
    /// Whether the current element has a name.
    Named(usize, Wanted),
    /// A value computed before.
    Variable(usize),
    /// Comparisons with constants, all of which must hold.
    Tests(Vec<ValueTests>),
    /// A function or an operator.
    Call(Function, Vec<Expression>),
    /// A function of a text by a pattern.
    Matching(Box<(Pattern, Expression)>),
    /// A number or a moment as a picture says: a text.
    Formatted(Box<(Picture, Expression)>),
    /// What a map of constants has for a key.
    Lookup(Box<(Lookup, Expression)>),
    /// A value, or another where it certainly cannot be computed.
    Try(Box<[Expression; 2]>),
    /// A map, an array or a value as JSON: a text.
    Json(Box<Json>),
    /// What lookups find in a JSON text.
    JsonPath(Box<JsonPath>),
    /// An expression for each of some elements, in a loop over them.
    Each(Reach, Turns, Box<Expression>),
    /// An expression for each of some values, which has a slot, as may its position.
    EachValue(usize, Option<usize>, Turns, Box<[Expression; 2]>),
    /// fold-left: the slots of the accumulator and of an item; the items, the initial value, and the step.
    Fold([usize; 2], Box<[Expression; 3]>),
    /// Values that inner `Keyed` expressions sort.
    Sorted(Vec<Order>, Box<Expression>),
    /// Values placed by their keys among those of the surrounding `Sorted` expression.
    Keyed(Vec<Expression>, Box<Expression>),
    /// An expression for each of some nodes, in a loop over them; the slot of their positions.
    EachOf(Option<usize>, Turns, Box<[Expression; 2]>),
    /// A tuple of the surrounding `Gathered` expression: its keys, and values.
    Tuple(Vec<Expression>, Vec<Expression>),
    /// An expression for each of some sorted tuples or groups.
    Gathered(Box<(Gathering, Turns, Expression)>),
    /// An expression for each window over some items.
    Windows(Box<(Windows, Turns, Expression)>),
    /// Whether the current node is of a kind.
    IsKind(usize, u32),
    /// The name of the current element, with or without its prefix.
    NameOf(usize, bool),
    /// An expression with values that are computed first and have a slot.
    Let(usize, Box<[Expression; 2]>),
}

/// How a value is formatted.
#[derive(Clone, Debug)]
pub enum Picture {
    /// fn:format-number
    Number(Box<NumberPicture>),
    /// fn:format-integer
    Integer(DigitPattern),
    /// fn:format-date, fn:format-dateTime, fn:format-time
    Moment(Kind, MomentPicture),
}
