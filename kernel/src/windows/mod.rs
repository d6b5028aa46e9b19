//! Windows over rows of values: which rows belong together, and the result of each window.
//!
//! `xylem.plan.native_windows` says what a description means. Conditions, values and results are expressions over the values
//! of rows (`crate::expression`); what they leave undecided, the query itself decides (the trait `Query`).

mod cursor;
mod grid;
mod hashed;
mod places;
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
    /// None whose key at the start differs from the key of the row that would end it.
    Hashed {
        /// The key at the start.
        start: Code,
        /// The key at the end.
        end: Code,
    },
}

/// Which windows there are.
#[derive(Debug)]
pub enum Kind {
    /// One is open at a time.
    Tumbling,
    /// One opens at each start.
    Sliding,
    /// One opens at each start and stays: it is given at each end.
    Landmark,
    /// By a value that does not decrease: one begins at each step behind the first value, rows or not.
    Grid {
        /// Values less than this beyond its start belong to a window.
        size: f64,
        /// How far the starts of two windows are apart.
        step: f64,
        /// The value.
        reference: Code,
    },
}

/// Which open windows are given when the input has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// All.
    All,
    /// None.
    Nothing,
    /// The oldest one, if rows have come since the last window was given.
    First,
}

/// A window clause.
pub struct Spec {
    /// How many columns a row has.
    pub columns: usize,
    /// Which windows there are.
    pub kind: Kind,
    /// At most one row of the input starts a window.
    pub has_one_start: bool,
    /// Windows end where the next one starts.
    pub newstart: bool,
    /// What becomes of windows that are open at the end.
    pub at_end: AtEnd,
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
    /// Whether aggregates are asked for from one of several rows on.
    fn overlaps(&self) -> bool {
        !(self.has_one_start || matches!(self.kind, Kind::Tumbling))
    }

    /// Whether something reads a row of this kind.
    fn reads(&self, side: Side, role: Role) -> bool {
        let codes = [&self.start, &self.end, &self.shared].into_iter().flatten();
        let keys: &[&Code] = match (&self.ending, &self.kind) {
            (Ending::Ordered { key, .. }, _) => &[key],
            (Ending::Hashed { start, end }, _) => &[start, end],
            (_, Kind::Grid { reference, .. }) => &[reference],
            _ => &[],
        };
        let mut inputs = codes.chain(keys.iter().copied()).flat_map(|code| &code.inputs).chain(&self.inputs);
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
    /// The value by which windows of a grid are formed, where the last one is known: a number that is not smaller.
    fn reference(&mut self, code: &Code, given: &[Given<'_, Self::Object>], last: f64) -> Result<f64, Self::Error>;
    /// What has come about so far is written.
    fn flush(&mut self, segments: Vec<Segment<Self::Object>>) -> Result<(), Self::Error>;
    /// The items of a window.
    fn items(&mut self, given: &[Given<'_, Self::Object>]) -> Result<Self::Object, Self::Error>;
}
