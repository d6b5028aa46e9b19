//! Best-match joins over columns of numbers (thesis, chapter 4): the pairs that no other pair beats.
//!
//! The value of a pair is computed operation by operation, with the rounding of xs:double. Boxes around items of the
//! right side only rule pairs out: the bound of an operation is computed from the bounds of its operands with the very
//! same rounding, so no pair is lost. `xylem.run.best_match.reference` defines the result.

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
