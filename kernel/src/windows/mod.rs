//! Windows over rows of values: which rows belong together, and the result of each window.
//!
//! `xylem.plan.native_windows` defines the description. Conditions, values and results are expressions over the values
//! of rows (`crate::expression`); the query itself decides what they leave undecided (the trait `Query`).

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
use crate::template::Part;

/// One of the two ends of a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Its start.
    Start,
    /// Its end.
    End,
}

/// A row at an end of a window, or next to it.
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

/// An expression with its inputs, which have the first slots; without one, the query itself is called.
#[derive(Debug)]
pub struct Code {
    /// Its number for the query.
    pub number: usize,
    /// Its inputs.
    pub inputs: Vec<Input>,
    /// Its computation.
    pub expression: Option<Expression>,
}

/// How the rows of a window are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Folding {
    /// The number of values.
    Count,
    /// An aggregate of all values.
    Of(Aggregate),
}

/// An aggregate of windows.
#[derive(Debug)]
pub struct AggregateSpec {
    /// How values are folded.
    pub folding: Folding,
    /// The values of a row: its columns are those of the current row at the end.
    pub values: Code,
}

/// The result of a window.
#[derive(Debug)]
pub enum Outcome {
    /// Text by a template.
    Template(Vec<Part>),
    /// The atomic values of an expression.
    Values(Expression),
    /// The query's own result.
    Asked,
}

/// Which windows end first, if that is known without testing each of them.
#[derive(Debug)]
pub enum Ending {
    /// Each is tested.
    Each,
    /// A fixed number of rows after its first one.
    Distance(u64),
    /// Those with the smallest keys at their start first.
    Ordered {
        /// The key.
        key: Code,
        /// Whether it is an operand of arithmetic, so untyped values are doubles.
        is_number: bool,
    },
    /// Only those whose key at the start equals the key of the row that would end them.
    Hashed {
        /// The key at the start.
        start: Code,
        /// The key at the end.
        end: Code,
    },
}

/// The kind of windows.
#[derive(Debug)]
pub enum Kind {
    /// One is open at a time.
    Tumbling,
    /// One opens at each start.
    Sliding,
    /// One opens at each start and stays: it is returned at each end.
    Landmark,
    /// By a value that does not decrease: one begins at each step after the first value, with or without rows.
    Grid {
        /// Values less than this beyond its start belong to a window.
        size: f64,
        /// The distance between the starts of two windows.
        step: f64,
        /// The value.
        reference: Code,
    },
}

/// Which open windows are returned at the end of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// All.
    All,
    /// None.
    Nothing,
    /// The oldest one, if there are rows since the last returned window.
    First,
}

/// A window clause.
pub struct Spec {
    /// The number of columns of a row.
    pub columns: usize,
    /// The kind of windows.
    pub kind: Kind,
    /// At most one row of the input starts a window.
    pub has_one_start: bool,
    /// Windows end where the next one starts.
    pub newstart: bool,
    /// The treatment of windows that are open at the end.
    pub at_end: AtEnd,
    /// They are returned in the order of their first rows, and not of their last ones.
    pub by_start: bool,
    /// The start condition; None: always.
    pub start: Option<Code>,
    /// The end condition; None: always, or wherever the next window starts.
    pub end: Option<Code>,
    /// The part that is the same for all open windows.
    pub shared: Option<Code>,
    /// Which windows end first.
    pub ending: Ending,
    /// What is folded.
    pub aggregates: Vec<AggregateSpec>,
    /// The inputs of the result.
    pub inputs: Vec<Input>,
    /// The result of a window.
    pub outcome: Outcome,
    /// For expressions, which read only values here.
    pub no_names: Names,
}

impl Spec {
    /// Whether aggregates are needed from any of several rows on.
    fn overlaps(&self) -> bool {
        !(self.has_one_start || matches!(self.kind, Kind::Tumbling))
    }

    /// Whether anything reads a row of this kind.
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
    /// An aggregate of some values, or the placeholder of its error.
    fn folded(&mut self, aggregate: usize, values: Vec<Slot<Self::Object>>) -> Self::Object;
    /// A running aggregate with its value so far and the number of values.
    fn begin(&mut self, aggregate: usize, so_far: Option<Slot<Self::Object>>, count: i64) -> Self::Object;
    /// More values for it.
    fn add(&mut self, running: &Self::Object, values: Vec<Slot<Self::Object>>) -> Result<(), Self::Object>;
    /// Its result.
    fn result(&mut self, running: &Self::Object) -> Self::Object;
    /// The value that assigns a row to windows of a grid, given the last one: a number that is not smaller.
    fn reference(&mut self, code: &Code, given: &[Given<'_, Self::Object>], last: f64) -> Result<f64, Self::Error>;
    /// Write the results so far.
    fn flush(&mut self, segments: Vec<Segment<Self::Object>>) -> Result<(), Self::Error>;
    /// The items of a window.
    fn items(&mut self, given: &[Given<'_, Self::Object>]) -> Result<Self::Object, Self::Error>;
}
