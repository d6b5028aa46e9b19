//! Windows over rows of values: which rows belong together, and the result of each window.
//!
//! `xylem.plan.native_windows` says what a description means. Conditions, values and results are expressions over the values
//! of rows (`crate::expression`); what they leave undecided, the query itself decides (the trait `Query`).

mod cursor;
mod range;
mod row;
mod running;
mod values;

pub use self::cursor::{Cursor, Segment};
pub use self::row::Row;
pub use self::values::{Given, Slot};

use crate::expression::{Aggregate, Expression};
use crate::names::Names;
use crate::rows::Rows;
use crate::template::Part;

/// One of the two ends of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Where it starts.
    Start,
    /// Where it ends.
    End,
}

/// A row at an end of a window, or beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The row itself.
    Current,
    /// The one before it.
    Previous,
    /// The one after it.
    Next,
}

/// A value that an expression reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// A column of a row.
    Column(Side, Role, usize),
    /// The position of a row.
    Position(Side),
    /// An aggregate of the window, by its number.
    Aggregate(usize),
}

/// An expression with what it reads, which has the first slots; without one, the query itself is asked.
#[derive(Debug)]
pub struct Code {
    /// Its number, by which the query knows it.
    pub number: usize,
    /// What it reads.
    pub inputs: Vec<Input>,
    /// How it is computed.
    pub expression: Option<Expression>,
}

/// What is folded of the rows of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// How many values there are.
    Count,
    /// Of all values.
    Of(Aggregate),
}

/// An aggregate of windows.
#[derive(Debug)]
pub struct AggregateSpec {
    /// How values are folded.
    pub folding: Folding,
    /// What a row adds: its columns are those of the current row at the end.
    pub values: Code,
}

/// What a window comes to.
#[derive(Debug)]
pub enum Outcome {
    /// Text by a template.
    Template(Vec<Part>),
    /// The atomic values of an expression.
    Values(Expression),
    /// What the query says.
    Asked,
}

/// Which windows end first, where that is known without asking each of them.
#[derive(Debug)]
pub enum Ending {
    /// Each is asked.
    Each,
    /// So many rows behind its first one.
    Distance(u64),
    /// Those with the smallest keys at their start first.
    Ordered {
        /// The key.
        key: Code,
        /// Whether it is an operand of arithmetic, to which untyped values are doubles.
        is_number: bool,
    },
}

/// A window clause.
pub struct Spec {
    /// How many columns a row has.
    pub columns: usize,
    /// Whether windows overlap: one opens at each start.
    pub is_sliding: bool,
    /// Windows end where the next one starts.
    pub newstart: bool,
    /// Windows still open at the end are dropped.
    pub force: bool,
    /// They come in the order of their first rows, and not of their last ones.
    pub by_start: bool,
    /// The start condition; None: always.
    pub start: Option<Code>,
    /// The end condition; None: always, or wherever the next window starts.
    pub end: Option<Code>,
    /// A part of it that is the same for all open windows.
    pub shared: Option<Code>,
    /// Which windows end first.
    pub ending: Ending,
    /// What is folded.
    pub aggregates: Vec<AggregateSpec>,
    /// What the result reads.
    pub inputs: Vec<Input>,
    /// What a window comes to.
    pub outcome: Outcome,
    /// A document without rows: expressions read values alone.
    pub nothing: (Rows, Names),
}

impl Spec {
    /// Whether something reads a row of this kind.
    fn reads(&self, side: Side, role: Role) -> bool {
        let codes = [&self.start, &self.end, &self.shared].into_iter().flatten();
        let key = match &self.ending {
            Ending::Ordered { key, .. } => Some(key),
            _ => None,
        };
        let mut inputs = codes.chain(key).flat_map(|code| &code.inputs).chain(&self.inputs);
        inputs.any(|input| matches!(input, Input::Column(s, r, _) if (*s, *r) == (side, role)))
    }
}

/// What is left to the query: its own code answers, or raises an error.
pub trait Query {
    /// A value that only the query knows.
    type Object: Clone;
    /// An error.
    type Error;

    /// Whether a condition holds.
    fn truth(&mut self, code: &Code, given: &[Given<'_, Self::Object>]) -> Result<bool, Self::Error>;
    /// The values that a row adds to an aggregate. An error is an object, raised where the aggregate is read.
    fn values(
        &mut self,
        code: &Code,
        given: &[Given<'_, Self::Object>],
    ) -> Result<Vec<Slot<Self::Object>>, Self::Object>;
    /// An aggregate of some values, or what stands for the error that it is.
    fn folded(&mut self, aggregate: usize, values: Vec<Slot<Self::Object>>) -> Self::Object;
    /// A running aggregate that has taken a value so far, and how many there were.
    fn begin(&mut self, aggregate: usize, so_far: Option<Slot<Self::Object>>, count: i64) -> Self::Object;
    /// More values for it.
    fn add(&mut self, running: &Self::Object, values: Vec<Slot<Self::Object>>) -> Result<(), Self::Object>;
    /// What it has come to.
    fn result(&mut self, running: &Self::Object) -> Self::Object;
    /// The items of a window.
    fn items(&mut self, given: &[Given<'_, Self::Object>]) -> Result<Self::Object, Self::Error>;
}
