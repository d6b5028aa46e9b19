//! Results written by the scan: the Rust side of `xylem.plan.result_template`, which says what templates mean.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::attribute_copies::CopiedAttributes;
use crate::cells::Cell;
use crate::expression::{Expression, Order};
use crate::holes::Hole;
use crate::row_paths::{NamedRows, PathStep, WantedName};
use crate::table::TableSpec;

/// What is taken of an element.
#[derive(Clone, Debug)]
pub enum ValueOf {
    /// Its string value.
    String,
    /// Its text nodes.
    Text,
    /// One of its attributes.
    Attribute(WantedName),
}

/// Elements: a path, and how many loops further out it begins.
#[derive(Clone, Debug)]
pub struct Reach {
    /// How many loops further out.
    pub up: usize,
    /// The path.
    pub path: Vec<PathStep>,
}

/// Characters from the input.
#[derive(Clone, Debug)]
pub struct Values {
    /// The elements.
    pub reach: Reach,
    /// What is taken of each.
    pub of: ValueOf,
    /// What stands between two values: nothing between text nodes, something between atomic values.
    pub separator: String,
    /// Whether more than one would be an error.
    pub at_most_one: bool,
}

/// A piece of an attribute value.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Always the same, escaped already.
    Characters(String),
    /// From the input.
    Values(Values),
    /// The values of an expression, with a blank between two of them.
    Computed(Expression),
    /// What code makes of some values, for a whole batch at a time: the values, between two marks.
    Hole(Hole),
}

/// How a constructed element is called.
#[derive(Clone, Debug)]
pub enum ElementName {
    /// Always the same, with its prefix.
    Fixed(String),
    /// A name without prefix, in no namespace.
    Computed(Expression),
}

/// The namespaces that constructed elements around a place declare.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Declared {
    /// None.
    #[default]
    Nothing,
    /// Some, all of them with prefixes.
    Prefixes,
    /// A default one, perhaps among others.
    Default,
}

/// A part of a result.
#[derive(Clone, Debug)]
pub enum Part {
    /// Characters, or values.
    Piece(Piece),
    /// Copies of elements, or of what is in them.
    Copies {
        /// The elements.
        reach: Reach,
        /// Whether their children are copied, of whatever kind, and not the elements themselves.
        below: bool,
        /// What is declared around the copies.
        around: Declared,
    },
    /// An element.
    Construct {
        /// Its name.
        name: ElementName,
        /// Names and values of its attributes.
        attributes: Vec<(String, Vec<Piece>)>,
        /// Attributes that are copied behind these.
        copied: Vec<CopiedAttributes>,
        /// Its content.
        content: Vec<Part>,
    },
    /// Parts under a condition.
    When {
        /// The condition.
        test: Expression,
        /// The parts where it holds.
        parts: Vec<Part>,
        /// The parts where it does not.
        otherwise: Vec<Part>,
    },
    /// Parts under a condition that code decides: both are written, and code takes one of them away.
    WhenFilled {
        /// What the code decides by.
        test: Hole,
        /// The parts where it holds, which are nodes.
        parts: Vec<Part>,
        /// The parts where it does not.
        otherwise: Vec<Part>,
    },
    /// Parts that know how many elements of their step came before, themselves included.
    Numbered {
        /// Where the number is kept.
        slot: usize,
        /// The parts.
        parts: Vec<Part>,
    },
    /// A value is computed, for what comes after it.
    Let {
        /// Where it is kept.
        slot: usize,
        /// The value.
        value: Expression,
    },
    /// Parts for each of some values.
    EachValue {
        /// Where the value is kept.
        slot: usize,
        /// The slot of its position among them.
        position: Option<usize>,
        /// The values.
        values: Expression,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Parts for each of some elements.
    Each {
        /// The elements.
        reach: Reach,
        /// Its turns.
        turns: Turns,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Parts that `Keyed` ones inside them bring into an order.
    Sorted {
        /// How each key is compared.
        orders: Vec<Order>,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Parts that stand where their keys say, among those of the `Sorted` part around them.
    Keyed {
        /// The keys.
        keys: Vec<Expression>,
        /// The parts, which are nodes.
        parts: Vec<Part>,
    },
    /// Parts that apply functions to nodes.
    Functions {
        /// What each writes for a node.
        bodies: Vec<Vec<Part>>,
        /// The parts.
        parts: Vec<Part>,
    },
    /// What a function of those around writes for some nodes.
    Apply {
        /// Its number.
        function: usize,
        /// The elements.
        reach: Reach,
        /// Whether it is applied to the children of each, text nodes among them, and not to the elements themselves.
        below: bool,
    },
    /// An element that is called as one of the input.
    Alike {
        /// That one: how many loops further out it is.
        up: usize,
        /// Attributes that are copied.
        copied: Vec<CopiedAttributes>,
        /// Its content.
        content: Vec<Part>,
    },
    /// A row of a table.
    Row(Vec<Cell>),
}

/// The turns of a loop over elements.
#[derive(Clone, Debug, Default)]
pub struct Turns {
    /// How the elements are counted.
    pub counting: Option<Box<Counting>>,
    /// Whether each turn reads what stands above the loop, and the query itself has an index of that: it goes on when there
    /// are more than a few.
    pub are_few: bool,
}

impl Turns {
    /// One more turn begins.
    #[inline(always)]
    pub fn begin(&self, before: &mut usize) -> Result<(), Undecided> {
        *before += 1;
        if self.are_few && *before > MOST_TURNS {
            return Err(Undecided);
        }
        Ok(())
    }
}

/// Turns that read what stands above their loop. A turn of the query costs as much as reading a few thousand rows, or hundreds
/// in a loop of their own.
const MOST_TURNS: usize = 256;

/// Elements of a loop are counted.
#[derive(Clone, Debug)]
pub struct Counting {
    /// The slot of the number, from 1 on.
    pub slot: usize,
    /// Only those of which this is true are counted, and are elements of the loop at all.
    pub test: Option<Expression>,
}

/// Nodes that are counted.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The elements.
    pub path: Vec<PathStep>,
    /// What is counted of each; None for the elements themselves.
    pub of: Option<ValueOf>,
}

/// What the scan does with a complete element.
#[derive(Clone, Debug)]
pub enum ScanResult {
    /// Text is written.
    Template(Vec<Part>),
    /// Something is counted.
    Tally(Tally),
    /// It goes to a cell of a table.
    Table(TableSpec),
}

/// The result depends on what only the query can decide.
#[derive(Debug)]
pub struct Undecided;

/// The items of a result: what may have to stand between them and others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// How many there are.
    pub number: u64,
    /// Whether the first is an atomic value.
    pub begins_with_atomic: bool,
    /// Whether the last is an atomic value.
    pub ends_with_atomic: bool,
}

impl Items {
    /// Add those behind; whether a blank stands between.
    pub fn follow_with(&mut self, items: Items) -> bool {
        if items.number == 0 {
            return false;
        }
        let are_set_apart = self.ends_with_atomic && items.begins_with_atomic;
        self.begins_with_atomic |= items.begins_with_atomic && self.number == 0;
        self.number += items.number;
        self.ends_with_atomic = items.ends_with_atomic;
        are_set_apart
    }
}

impl Tally {
    /// How many nodes there are for the element of a row.
    pub fn count(&self, named: NamedRows<'_>, row: usize) -> u64 {
        count(&self.path, self.of.as_ref().unwrap_or(&ValueOf::String), named, row)
    }
}

/// How many values a path leads to.
pub fn count(path: &[PathStep], of: &ValueOf, named: NamedRows<'_>, row: usize) -> u64 {
    let mut number = 0;
    let _ = named.follow(path, row, &mut |element| {
        each_value(of, named, element, &mut |_| {
            number += 1;
            ControlFlow::<Infallible>::Continue(())
        })
    });
    number
}

/// A value, which may consist of the texts of several rows: of a text node or attribute, or all below an element.
#[derive(Clone, Copy)]
pub enum ValueRows {
    /// The text of this row.
    One(usize),
    /// All texts below this row.
    Below(usize),
}

impl ValueRows {
    #[inline(always)]
    /// Call a function with each of the texts.
    pub fn texts(self, named: NamedRows<'_>, mut found: impl FnMut(&[u8])) {
        match self {
            ValueRows::One(row) => found(named.rows.value(row)),
            ValueRows::Below(row) => named.all_texts(row).for_each(|row| found(named.rows.value(row))),
        }
    }
}

/// Call a function with each value that is taken of an element, until it breaks.
#[inline(always)]
pub fn each_value<B>(
    of: &ValueOf,
    named: NamedRows<'_>,
    element: usize,
    found: &mut impl FnMut(ValueRows) -> ControlFlow<B>,
) -> ControlFlow<B> {
    match of {
        ValueOf::Attribute(name) => match named.attribute(name, element) {
            None => ControlFlow::Continue(()),
            Some(attribute) => found(ValueRows::One(attribute)),
        },
        ValueOf::String => found(ValueRows::Below(element)),
        ValueOf::Text => named.texts(element, &mut |text| found(ValueRows::One(text))),
    }
}

/// An element that parts are written for, inside the elements of the loops around it.
pub struct Around<'a> {
    /// Its row.
    pub row: usize,
    around: Option<&'a Around<'a>>,
}

/// How a walk that may break has ended.
pub fn outcome(flow: ControlFlow<Undecided>) -> Result<(), Undecided> {
    match flow {
        ControlFlow::Continue(()) => Ok(()),
        ControlFlow::Break(undecided) => Err(undecided),
    }
}

/// Whether a walk goes on.
pub fn flow(result: Result<(), Undecided>) -> ControlFlow<Undecided> {
    match result {
        Ok(()) => ControlFlow::Continue(()),
        Err(undecided) => ControlFlow::Break(undecided),
    }
}

impl<'a> Around<'a> {
    /// An element outside of all loops.
    pub fn new(row: usize) -> Self {
        Around { row, around: None }
    }

    /// An element of a loop inside of another.
    pub fn inside(row: usize, around: &'a Around<'a>) -> Self {
        Around { row, around: Some(around) }
    }
}

impl Around<'_> {
    /// The row a path begins at.
    #[inline(always)]
    pub fn start(&self, reach: &Reach) -> usize {
        self.row_above(reach.up)
    }

    /// The row of the element so many loops further out.
    #[inline(always)]
    pub fn row_above(&self, up: usize) -> usize {
        let mut found = self;
        for _ in 0..up {
            found = found.around.unwrap_or(found);
        }
        found.row
    }
}
