//! Values in windows: atoms, or objects that only the query knows.

use crate::expression::{Atom, Value};

/// A value that is kept.
#[derive(Clone, Debug)]
pub enum Slot<O> {
    /// An atomic value.
    Atom(Atom<'static>),
    /// No value.
    Empty,
    /// A value of the query, or an error that is raised where the value is read.
    Object(O),
}

/// An argument for code of the query.
#[derive(Debug)]
pub enum Given<'r, O> {
    /// Untyped values.
    Values(Value<'r>),
    /// A position.
    Position(u64),
    /// An aggregate.
    Slot(&'r Slot<O>),
}
