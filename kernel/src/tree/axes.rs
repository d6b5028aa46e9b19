//! Steps along the axes of XPath: from ascending distinct rows to ascending distinct rows (XQuery 3.1 §3.3.2.1).
//!
//! All contexts of a step are processed at once, so each row is visited once however many of them lead to it; contexts
//! inside others are skipped if they add nothing (the pruning of the staircase join).

use rustc_hash::FxHashSet;

use super::{Tree, KIND_MASK};
use crate::memory;
use crate::rows::kind;

/// The axes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Axis {
    /// `child::`
    Child,
    /// `descendant::`
    Descendant,
    /// `attribute::`
    Attribute,
    /// `self::`
    Itself,
    /// `descendant-or-self::`
    DescendantOrSelf,
    /// `following-sibling::`
    FollowingSibling,
    /// `following::`
    Following,
    /// `parent::`
    Parent,
    /// `ancestor::`
    Ancestor,
    /// `preceding-sibling::`
    PrecedingSibling,
    /// `preceding::`
    Preceding,
    /// `ancestor-or-self::`
    AncestorOrSelf,
}

impl Axis {
    /// The axis with a name.
    pub fn named(name: &str) -> Option<Axis> {
        Some(match name {
            "child" => Axis::Child,
            "descendant" => Axis::Descendant,
            "attribute" => Axis::Attribute,
            "self" => Axis::Itself,
            "descendant-or-self" => Axis::DescendantOrSelf,
            "following-sibling" => Axis::FollowingSibling,
            "following" => Axis::Following,
            "parent" => Axis::Parent,
            "ancestor" => Axis::Ancestor,
            "preceding-sibling" => Axis::PrecedingSibling,
            "preceding" => Axis::Preceding,
            "ancestor-or-self" => Axis::AncestorOrSelf,
            _ => return None,
        })
    }
}

/// The test of a code.
#[derive(Clone, Debug)]
pub enum Test {
    /// Any node.
    Any,
    /// Any node of a kind.
    Kind(u32),
    /// One kind and name.
    Code(u32),
    /// The names that fit a wildcard.
    Codes(FxHashSet<u32>),
    /// No node at all.
    Nothing,
}

impl Test {
    /// Whether a node of this code passes.
    pub fn accepts(&self, code: u32) -> bool {
        match self {
            Test::Any => true,
            Test::Kind(wanted) => code & KIND_MASK == *wanted,
            Test::Code(wanted) => code == *wanted,
            Test::Codes(wanted) => wanted.contains(&code),
            Test::Nothing => false,
        }
    }
}

/// An axis and a node test.
#[derive(Clone, Debug)]
pub struct Step {
    /// The axis.
    pub axis: Axis,
    /// The test.
    pub test: Test,
}

impl Tree {
    /// Consecutive steps.
    pub fn path(&self, contexts: &[u32], steps: &[Step]) -> Vec<u32> {
        let Some((first, others)) = steps.split_first() else { return contexts.to_vec() };
        let mut rows = self.step(contexts, first);
        for step in others {
            memory::check();
            if rows.is_empty() {
                break;
            }
            rows = self.step(&rows, step);
        }
        rows
    }

    /// The result of steps from one row, as far as a caller that expects one row needs it: the number of rows (0, 1, or
    /// 2 for more), and the first of them.
    pub fn only_row(&self, row: u32, steps: &[Step]) -> (usize, Option<u32>) {
        if steps.iter().all(|step| matches!(step.axis, Axis::Child | Axis::Attribute)) {
            let mut found = (0, None);
            self.follow(row, steps, &mut found);
            return found;
        }
        let rows = self.path(&[row], steps);
        (rows.len().min(2), rows.first().copied())
    }

    /// Count the rows of downward steps, up to two.
    fn follow(&self, row: u32, steps: &[Step], found: &mut (usize, Option<u32>)) {
        let Some((step, others)) = steps.split_first() else {
            found.0 += 1;
            found.1.get_or_insert(row);
            return;
        };
        let children = self.attributes_end(row);
        let (mut next, end) = match step.axis {
            Axis::Attribute => (row + 1, children),
            _ => (children, self.ends[row as usize]),
        };
        while next < end && found.0 < 2 {
            if step.test.accepts(self.codes[next as usize]) {
                self.follow(next, others, found);
            }
            next = self.ends[next as usize];
        }
    }

    /// One step.
    pub fn step(&self, contexts: &[u32], step: &Step) -> Vec<u32> {
        match &step.test {
            Test::Nothing => Vec::new(),
            Test::Any => self.along(step.axis, contexts, |_| true),
            Test::Kind(wanted) => self.along(step.axis, contexts, |code| code & KIND_MASK == *wanted),
            Test::Codes(wanted) => self.along(step.axis, contexts, |code| wanted.contains(&code)),
            Test::Code(wanted) => self.named_along(step.axis, contexts, *wanted),
        }
    }

    fn named_along(&self, axis: Axis, contexts: &[u32], wanted: u32) -> Vec<u32> {
        // An attribute is not a descendant of its element, although it is in the range of its rows.
        let is_inside = wanted & KIND_MASK != kind::ATTRIBUTE;
        match axis {
            Axis::Descendant if is_inside => self.named_inside(contexts, wanted, 1),
            Axis::DescendantOrSelf if is_inside => self.named_inside(contexts, wanted, 0),
            _ => self.along(axis, contexts, |code| code == wanted),
        }
    }

    fn named_inside(&self, contexts: &[u32], wanted: u32, skipped: u32) -> Vec<u32> {
        let mut found = Vec::new();
        let mut done = 0;
        for &row in contexts {
            if row >= done {
                done = self.ends[row as usize];
                self.named_between(wanted, (row + skipped).min(done), done, &mut found);
            }
        }
        found
    }

    fn along(&self, axis: Axis, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        match axis {
            Axis::Child => self.children(contexts, accepts),
            Axis::Attribute => self.attributes(contexts, accepts),
            Axis::Itself => self.accepted(contexts.iter().copied(), accepts),
            Axis::Descendant => self.descendants(contexts, accepts),
            Axis::DescendantOrSelf => self.descendants_or_self(contexts, accepts),
            Axis::Parent => self.parents_of(contexts, accepts),
            Axis::Ancestor => self.accepted_set(self.ancestors(contexts), accepts),
            Axis::AncestorOrSelf => {
                let mut rows = self.ancestors(contexts);
                rows.extend(contexts);
                self.accepted_set(rows, accepts)
            }
            Axis::FollowingSibling => self.following_siblings(contexts, accepts),
            Axis::PrecedingSibling => self.preceding_siblings(contexts, accepts),
            Axis::Following => {
                let ends = contexts.iter().map(|&row| self.ends[row as usize]);
                ends.min().map_or_else(Vec::new, |start| self.inside(start, self.len() as u32, accepts))
            }
            Axis::Preceding => self.preceding(contexts, accepts),
        }
    }

    fn accepted(&self, rows: impl Iterator<Item = u32>, accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        rows.filter(|&row| accepts(self.codes[row as usize])).collect()
    }

    fn accepted_set(&self, rows: FxHashSet<u32>, accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = self.accepted(rows.into_iter(), accepts);
        found.sort_unstable();
        found
    }

    /// Rows of a range except attributes.
    fn inside(&self, start: u32, end: u32, accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        self.add_inside(start, end, &accepts, &mut found);
        found
    }

    fn add_inside(&self, start: u32, end: u32, accepts: &impl Fn(u32) -> bool, found: &mut Vec<u32>) {
        if start < end {
            let codes = (start..).zip(&self.codes[start as usize..end as usize]);
            let fits = |&(_, code): &(u32, &u32)| code & KIND_MASK != kind::ATTRIBUTE && accepts(*code);
            found.extend(codes.filter(fits).map(|(row, _)| row));
        }
    }

    /// The siblings from one row on, up to the end of their parent.
    fn add_siblings(&self, mut row: u32, end: u32, accepts: &impl Fn(u32) -> bool, found: &mut Vec<u32>) {
        while row < end {
            if accepts(self.codes[row as usize]) {
                found.push(row);
            }
            row = self.ends[row as usize];
        }
    }

    fn children(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        for &row in contexts {
            self.add_siblings(self.attributes_end(row), self.ends[row as usize], &accepts, &mut found);
        }
        // Children of nested contexts interleave.
        sorted(found)
    }

    fn attributes(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        for &row in contexts {
            let rows = row + 1..self.attributes_end(row);
            found.extend(rows.filter(|&row| accepts(self.codes[row as usize])));
        }
        found
    }

    fn descendants(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        let mut done = 0;
        for &row in contexts {
            if row >= done {
                done = self.ends[row as usize];
                self.add_inside(row + 1, done, &accepts, &mut found);
            }
        }
        found
    }

    fn descendants_or_self(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        let mut done = 0;
        let mut is_sorted = true;
        for &row in contexts {
            let is_new = row >= done;
            // Inside an earlier context only attributes are new.
            if (is_new || self.kind(row) == kind::ATTRIBUTE) && accepts(self.codes[row as usize]) {
                is_sorted &= is_new;
                found.push(row);
            }
            if is_new {
                done = self.ends[row as usize];
                self.add_inside(row + 1, done, &accepts, &mut found);
            }
        }
        if !is_sorted {
            found.sort_unstable();
        }
        found
    }

    fn parents_of(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        for &row in contexts {
            if let Some(parent) = self.parent(row) {
                if found.last() != Some(&parent) {
                    found.push(parent);
                }
            }
        }
        let mut found = sorted(found);
        found.dedup();
        found.retain(|&row| accepts(self.codes[row as usize]));
        found
    }

    fn ancestors(&self, contexts: &[u32]) -> FxHashSet<u32> {
        let mut found = FxHashSet::default();
        for &row in contexts {
            let mut above = self.parent(row);
            while let Some(row) = above {
                if !found.insert(row) {
                    break;
                }
                above = self.parent(row);
            }
        }
        found
    }

    fn following_siblings(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for &row in contexts {
            // Rows ascend, so the first of a family covers all that the others have.
            let Some(parent) = self.parent(row) else { continue };
            if self.kind(row) != kind::ATTRIBUTE && seen.insert(parent) {
                self.add_siblings(self.ends[row as usize], self.ends[parent as usize], &accepts, &mut found);
            }
        }
        sorted(found)
    }

    fn preceding_siblings(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for &row in contexts.iter().rev() {
            // The last of a family covers all that the others have.
            let Some(parent) = self.parent(row) else { continue };
            if self.kind(row) != kind::ATTRIBUTE && seen.insert(parent) {
                self.add_siblings(self.attributes_end(parent), row, &accepts, &mut found);
            }
        }
        sorted(found)
    }

    fn preceding(&self, contexts: &[u32], accepts: impl Fn(u32) -> bool) -> Vec<u32> {
        // What precedes an earlier context precedes the last one too, unless it is an ancestor of the last one;
        // but then it would contain the earlier context as well.
        let Some(&last) = contexts.last() else { return Vec::new() };
        let mut above: Vec<u32> = self.ancestors(&[last]).into_iter().collect();
        above.sort_unstable();
        let mut found = Vec::new();
        let mut start = 0;
        for row in above.into_iter().chain([last]) {
            self.add_inside(start, row, &accepts, &mut found);
            start = row + 1;
        }
        found
    }
}

fn sorted(mut rows: Vec<u32>) -> Vec<u32> {
    if !rows.is_sorted() {
        rows.sort_unstable();
    }
    rows
}
