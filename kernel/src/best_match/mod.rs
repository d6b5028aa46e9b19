//! Best-match joins over columns of numbers (thesis, chapter 4): which pairs no other pair beats.
//!
//! Values are what the query computes of a pair, operation by operation as xs:double has them. Boxes around items of the right
//! side only rule out what no item in them could be: a bound of each operation follows from bounds of its operands by the very
//! same rounding, so that no pair is lost to it. `xylem.run.best_match.reference` says what comes out.

mod boxes;
mod grid;
mod join;
mod nearest;
mod ranges;
mod skyband;
mod terms;
mod written;

pub use join::{join, Index, Join, Kind, Lookup, Measures};
pub use ranges::ranges;
pub use terms::{Columns, Comparison, Condition, Order, Term};
pub use written::{Pair, Part, Piece, Rows, Written};
