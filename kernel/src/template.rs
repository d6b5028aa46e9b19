//! Results written by the scan: the Rust side of `xylem.plan.result_template`, which defines templates.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::attribute_copies::CopiedAttributes;
use crate::cells::Cell;
use crate::expression::{Expression, Gathering, Order, Windows};
use crate::holes::Hole;
use crate::row_paths::{NamedRows, PathStep, WantedName};
use crate::table::TableSpec;

/// The values taken of an element.
#[derive(Clone, Debug)]
pub enum ValueOf {
    /// Its string value.
    String,
    /// Its text nodes.
    Text,
    /// One of its attributes.
    Attribute(WantedName),
}

/// Elements: a path, and how many loops outwards it begins.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The number of loops outwards.
    pub up: usize,
    /// The path.
    pub path: Vec<PathStep>,
}

/// Characters from the input.
#[derive(Clone, Debug)]
pub struct Values {
    /// The elements.
    pub reach: Reach,
    /// The values taken of each.
    pub of: ValueOf,
    /// The separator of two values: none between text nodes, a space between atomic values.
    pub separator: String,
    /// Whether more than one would be an error.
    pub at_most_one: bool,
}

/// A piece of an attribute value.
#[derive(Clone, Debug)]
pub enum Piece {
    /// A constant, already escaped.
    Characters(String),
    /// From the input.
    Values(Values),
    /// The values of an expression, with spaces between them.
    Computed(Expression),
    /// The result of code, for a whole batch at a time: its arguments, between two marks.
    Hole(Hole),
}

/// The name of a constructed element.
#[derive(Clone, Debug)]
pub enum ElementName {
    /// A constant, with its prefix.
    Fixed(String),
    /// A name without prefix, in no namespace.
    Computed(Expression),
}

/// The namespaces declared by constructed elements around a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Declared {
    /// None.
    #[default]
    Nothing,
    /// Some, all with prefixes.
    Prefixes,
    /// A default one, perhaps among others.
    Default,
}

/// A part of a result.
#[derive(Clone, Debug)]
pub enum Part {
    /// Characters, or values.
    Piece(Piece),
    /// Copies of elements, or of their children.
    Copies {
        /// The elements.
        reach: Reach,
        /// Whether their children are copied, of any kind, and not the elements themselves.
        below: bool,
        /// The declarations around the copies.
        around: Declared,
    },
    /// An element.
    Construct {
        /// Its name.
        name: ElementName,
        /// Names and values of its attributes.
        attributes: Vec<(String, Vec<Piece>)>,
        /// Attributes that are copied after these.
        copied: Vec<CopiedAttributes>,
        /// Its content.
        content: Vec<Part>,
    },
    /// Parts under a condition.
    When {
        /// The condition.
        test: Expression,
        /// The parts for a true condition.
        parts: Vec<Part>,
        /// The parts for a false one.
        otherwise: Vec<Part>,
    },
    /// Parts under a condition that code decides: both are written, and code removes one of them.
    WhenFilled {
        /// The code that decides.
        test: Hole,
        /// The parts for a true condition, which are nodes.
        parts: Vec<Part>,
        /// The parts for a false one.
        otherwise: Vec<Part>,
    },
    /// Parts that know the number of elements of their step so far, including the current one.
    Numbered {
        /// The slot of the number.
        slot: usize,
        /// The parts.
        parts: Vec<Part>,
    },
    /// A value is computed for later parts.
    Let {
        /// The slot of the value.
        slot: usize,
        /// The value.
        value: Expression,
    },
    /// Parts for each of some values.
    EachValue {
        /// The slot of the value.
        slot: usize,
        /// The slot of its position among them.
        position: Option<usize>,
        /// The values.
        values: Expression,
        /// Whether its turns are few.
        turns: Turns,
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
    /// Parts for each of some nodes, in a loop over them.
    EachOf {
        /// The nodes.
        nodes: Expression,
        /// The slot of their positions.
        position: Option<usize>,
        /// Whether its turns are few.
        turns: Turns,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Parts for each of some sorted tuples or groups.
    Gathered {
        /// The tuples.
        gathering: Box<Gathering>,
        /// Whether they are few.
        turns: Turns,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Parts for each window over some items.
    Windows {
        /// The windows.
        windows: Box<Windows>,
        /// Whether they are few.
        turns: Turns,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Copies of the nodes of an expression.
    Items {
        /// The items.
        items: Expression,
        /// The declarations around the copies.
        around: Declared,
    },
    /// A comment, or with a target a processing instruction.
    Remark {
        /// The target.
        target: Option<String>,
        /// Its content: one string.
        value: Expression,
    },
    /// Parts that inner `Keyed` parts sort.
    Sorted {
        /// How each key is compared.
        orders: Vec<Order>,
        /// The parts.
        parts: Vec<Part>,
    },
    /// Parts placed by their keys among those of the surrounding `Sorted` part.
    Keyed {
        /// The keys.
        keys: Vec<Expression>,
        /// The parts, which are nodes.
        parts: Vec<Part>,
    },
    /// Parts that apply functions to nodes.
    Functions {
        /// The output of each for a node.
        bodies: Vec<Vec<Part>>,
        /// The parts.
        parts: Vec<Part>,
    },
    /// The output of a surrounding function for some nodes.
    Apply {
        /// Its number.
        function: usize,
        /// The elements.
        reach: Reach,
        /// Whether it is applied to the children of each, including text nodes, and not to the elements themselves.
        below: bool,
    },
    /// An element with the name of one of the input.
    Alike {
        /// That one: the number of loops outwards.
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
    /// Whether each turn reads nodes outside the loop, for which the query itself has an index: it takes over after a
    /// few turns.
    pub are_few: bool,
}

impl Turns {
    /// Begin one more turn.
    #[inline(always)]
    pub fn begin(&self, before: &mut usize) -> Result<(), Undecided> {
        *before += 1;
        if self.are_few && *before > MOST_TURNS {
            return Err(Undecided);
        }
        Ok(())
    }
}

/// Most turns that read nodes outside their loop. A turn of the query costs as much as reading a few thousand rows, or
/// hundreds in a loop of its own.
const MOST_TURNS: usize = 256;

/// Counting of elements in a loop.
#[derive(Clone, Debug)]
pub struct Counting {
    /// The slot of the number, from 1 on.
    pub slot: usize,
    /// If given, only elements for which this is true are counted, and belong to the loop at all.
    pub test: Option<Expression>,
}

/// Nodes that are counted.
#[derive(Clone, Debug)]
pub struct Tally {
    /// The elements.
    pub path: Vec<PathStep>,
    /// What to count of each; None for the elements themselves.
    pub of: Option<ValueOf>,
}

/// The scan's action on a complete element.
#[derive(Clone, Debug)]
pub enum ScanResult {
    /// Text is written.
    Template(Vec<Part>),
    /// Something is counted.
    Tally(Tally),
    /// It goes to a cell of a table.
    Table(TableSpec),
}

/// Only the query can decide the result.
#[derive(Debug, PartialEq, Eq)]
pub struct Undecided {
    /// Whether that is certainly an error: a text that is no value of the type it is cast to.
    pub is_error: bool,
}

/// It may be an error or not.
#[allow(non_upper_case_globals)] // it is written like the type at each place that has no more to say
pub const Undecided: Undecided = Undecided { is_error: false };

/// The items of a result, to determine the separators around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Items {
    /// Their number.
    pub number: u64,
    /// Whether the first is an atomic value.
    pub begins_with_atomic: bool,
    /// Whether the last is an atomic value.
    pub ends_with_atomic: bool,
}

impl Items {
    /// Add following items; returns whether a space separates them.
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
    /// The number of nodes for the element of a row.
    pub fn count(&self, named: NamedRows<'_>, row: usize) -> u64 {
        count(&self.path, self.of.as_ref().unwrap_or(&ValueOf::String), named, row)
    }
}

/// The number of values of a path.
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

/// A value, which may consist of the texts of several rows: a text node or attribute, or all text below an element.
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

/// Call a function with each value taken of an element, until it breaks.
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

/// The element for which parts are written, inside the elements of outer loops.
pub struct Around<'a> {
    /// Its row.
    pub row: usize,
    around: Option<&'a Around<'a>>,
}

/// The end of a walk that may break.
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

    /// An element of a loop inside another.
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

    /// The row outside of all loops: that of the record.
    pub fn record(&self) -> usize {
        let mut found = self;
        while let Some(around) = found.around {
            found = around;
        }
        found.row
    }

    /// The row of the element this many loops outwards.
    #[inline(always)]
    pub fn row_above(&self, up: usize) -> usize {
        let mut found = self;
        for _ in 0..up {
            found = found.around.unwrap_or(found);
        }
        found.row
    }
}
