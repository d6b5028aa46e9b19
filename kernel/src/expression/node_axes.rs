//! Axes that paths of a template do not have: up, to siblings, and to nodes of any kind below.
//!
//! A scan knows only the record: what lies beside it or above it is left to the query. The path upwards is known, so that
//! names above the record that do not fit are passed by.

use crate::row_paths::{NamedRows, Wanted, KIND_MASK};
use crate::rows::kind;
use crate::template::Undecided;

/// The query has an index for more siblings than these.
const MOST_SIBLINGS: usize = 256;
/// Deeper nodes are compared by the query, which has a stack for them.
const MOST_LEVELS: usize = 200;

/// An axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// parent
    Parent,
    /// ancestor
    Ancestor,
    /// ancestor-or-self
    AncestorOrSelf,
    /// following-sibling
    Following,
    /// preceding-sibling
    Preceding,
    /// child
    Child,
    /// descendant
    Descendant,
    /// descendant-or-self
    DescendantOrSelf,
    /// attribute
    Attribute,
    /// self
    Itself,
}

impl Axis {
    /// By its name.
    pub fn named(word: &str) -> Option<Self> {
        Some(match word {
            "parent" => Axis::Parent,
            "ancestor" => Axis::Ancestor,
            "ancestor-or-self" => Axis::AncestorOrSelf,
            "following-sibling" => Axis::Following,
            "preceding-sibling" => Axis::Preceding,
            "child" => Axis::Child,
            "descendant" => Axis::Descendant,
            "descendant-or-self" => Axis::DescendantOrSelf,
            "attribute" => Axis::Attribute,
            "self" => Axis::Itself,
            _ => return None,
        })
    }
}

/// Which nodes of an axis are wanted.
#[derive(Clone, Debug)]
pub enum NodeTest {
    /// Elements, perhaps of a name.
    Elements(Wanted),
    /// All of a kind: text nodes or attributes.
    Kind(u32),
}

impl NodeTest {
    fn fits(&self, named: NamedRows<'_>, row: usize) -> bool {
        match self {
            NodeTest::Elements(wanted) => named.is_named(wanted, row),
            NodeTest::Kind(kind) => named.rows.codes[row] & KIND_MASK == *kind,
        }
    }
}

/// Takes rows.
pub type TakeRow<'t> = &'t mut dyn FnMut(usize) -> Result<(), Undecided>;

/// Call a function with the rows of an axis from a row, in the order of the axis; `record` is the row of the record.
pub fn each_on_axis(
    named: NamedRows<'_>,
    axis: Axis,
    test: &NodeTest,
    row: usize,
    record: usize,
    take: TakeRow<'_>,
) -> Result<(), Undecided> {
    let rows = named.rows;
    let is_attribute = |row: usize| rows.codes[row] & KIND_MASK == kind::ATTRIBUTE;
    let mut fitting = |row: usize| if test.fits(named, row) { take(row) } else { Ok(()) };
    match axis {
        Axis::Itself => fitting(row),
        Axis::Parent | Axis::Ancestor | Axis::AncestorOrSelf => {
            let mut here = row;
            if axis == Axis::AncestorOrSelf {
                fitting(here)?;
            }
            while here > 0 {
                here = rows.parents[here] as usize;
                if here < record && (axis == Axis::Parent || test.fits(named, here)) {
                    return Err(Undecided);
                }
                if axis == Axis::Parent && rows.codes[here] & KIND_MASK == kind::DOCUMENT {
                    // It may be asked for by parent::node().
                    return Err(Undecided);
                }
                fitting(here)?;
                if axis == Axis::Parent {
                    break;
                }
            }
            Ok(())
        }
        _ if row < record => Err(Undecided),
        Axis::Following | Axis::Preceding => {
            if row == record {
                return Err(Undecided);
            }
            if is_attribute(row) {
                return Ok(());
            }
            let parent = rows.parents[row] as usize;
            let (mut next, mut found) = (parent + 1, Vec::new());
            let end = if axis == Axis::Preceding { row } else { rows.ends[parent] as usize };
            if axis == Axis::Following {
                next = rows.ends[row] as usize;
            }
            let mut passed = 0;
            while next < end {
                passed += 1;
                if passed > MOST_SIBLINGS {
                    return Err(Undecided);
                }
                if !is_attribute(next) && test.fits(named, next) {
                    found.push(next);
                }
                next = rows.ends[next] as usize;
            }
            if axis == Axis::Preceding {
                found.reverse();
            }
            found.into_iter().try_for_each(take)
        }
        Axis::Child => named.child_nodes(row).try_for_each(fitting),
        Axis::Descendant | Axis::DescendantOrSelf => {
            let first = if axis == Axis::Descendant { row + 1 } else { row };
            (first..rows.ends[row] as usize).filter(|&other| other == row || !is_attribute(other)).try_for_each(fitting)
        }
        Axis::Attribute => {
            (row + 1..rows.ends[row] as usize).take_while(|&other| is_attribute(other)).try_for_each(fitting)
        }
    }
}

/// Whether two nodes are equal in the sense of fn:deep-equal; undecided for comments and processing instructions.
pub fn are_deep_equal(named: NamedRows<'_>, left: usize, right: usize, depth: usize) -> Result<bool, Undecided> {
    let rows = named.rows;
    if depth > MOST_LEVELS {
        return Err(Undecided);
    }
    if rows.codes[left] != rows.codes[right] {
        return Ok(false);
    }
    match rows.codes[left] & KIND_MASK {
        kind::TEXT | kind::ATTRIBUTE => Ok(rows.value(left) == rows.value(right)),
        kind::ELEMENT => {
            let attributes = |row: usize| {
                let end = rows.ends[row] as usize;
                (row + 1..end).take_while(|&other| rows.codes[other] & KIND_MASK == kind::ATTRIBUTE)
            };
            if attributes(left).count() != attributes(right).count() {
                return Ok(false);
            }
            let same =
                |one: usize, other: usize| rows.codes[one] == rows.codes[other] && rows.value(one) == rows.value(other);
            if !attributes(left).all(|one| attributes(right).any(|other| same(one, other))) {
                return Ok(false);
            }
            let (mut ours, mut theirs) = (named.child_nodes(left), named.child_nodes(right));
            loop {
                match (ours.next(), theirs.next()) {
                    (None, None) => return Ok(true),
                    (Some(one), Some(other)) if is_content(named, one)? && is_content(named, other)? => {
                        if !are_deep_equal(named, one, other, depth + 1)? {
                            return Ok(false);
                        }
                    }
                    (Some(one), None) | (None, Some(one)) => return is_content(named, one).map(|_| false),
                    _ => return Ok(false),
                }
            }
        }
        _ => Err(Undecided),
    }
}

fn is_content(named: NamedRows<'_>, row: usize) -> Result<bool, Undecided> {
    match named.rows.codes[row] & KIND_MASK {
        kind::TEXT | kind::ELEMENT => Ok(true),
        _ => Err(Undecided),
    }
}
