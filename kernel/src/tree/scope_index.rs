//! The namespaces in scope of many rows of one tree, built when it pays: no prefix is compared as text again.
//!
//! Nested elements that all declare something have as many namespaces in scope as ancestors. Writing them all would
//! look up each prefix for each pair; here each declaration knows which one it hides, and its text.

use std::ops::Range;
use std::sync::{Arc, PoisonError};

use rustc_hash::FxHashMap;

use super::Tree;
use crate::namespaces::Binding;
use crate::scopes::{push_declaration, Scope};

/// Less work than this never pays for an index.
const FEW: usize = 1000;

/// One declaration.
struct Declared {
    row: u32,
    binding: Binding,
    /// The number of its prefix.
    prefix: u32,
    /// The nearest outer declaration of its prefix, and whether that binds the same.
    hidden: Option<(u32, bool)>,
    /// The end of its text; it begins where the previous one ends.
    text_end: usize,
}

/// An element that declares something.
struct Declaring {
    row: u32,
    /// The nearest ancestor that declares something.
    outer: Option<u32>,
    /// The end of its declarations; they begin where those of the previous one end.
    end: u32,
}

/// All declarations of a tree.
#[derive(Default)]
pub struct ScopeIndex {
    elements: Vec<Declaring>,
    declared: Vec<Declared>,
    /// The declarations in the form of start tags; empty for `xml`.
    text: Vec<u8>,
    prefixes: usize,
}

/// An index, or the amount of work done without one since the tree has changed.
#[derive(Default)]
pub struct ScopeCache {
    spent: usize,
    index: Option<Arc<ScopeIndex>>,
}

impl Tree {
    /// The index of scopes, built once as much work has been done without it as it costs; `work` is that of the next
    /// request.
    ///
    /// There is none for a tree that undeclares a prefix.
    pub fn scope_index(&self, work: usize) -> Option<Arc<ScopeIndex>> {
        let mut cache = self.scopes.lock().unwrap_or_else(PoisonError::into_inner);
        if cache.index.is_none() {
            cache.spent += work;
            if cache.spent > self.declared.len() + FEW {
                let all = || self.declared.iter().flat_map(|(_, bindings)| bindings.iter());
                let size: usize = self.declared.iter().map(|(_, bindings)| bindings.len()).sum();
                let is_worth_it = cache.spent > size && !all().any(is_taken_back);
                cache.index = is_worth_it.then(|| Arc::new(ScopeIndex::new(self)));
                cache.spent = 0;
            }
        }
        cache.index.clone()
    }
}

impl ScopeIndex {
    fn new(tree: &Tree) -> Self {
        let mut index = ScopeIndex::default();
        let mut numbers: FxHashMap<Arc<str>, u32> = FxHashMap::default();
        // The innermost declaration of each prefix, and the elements around the current one.
        let mut innermost: Vec<Option<u32>> = Vec::new();
        let mut open: Vec<u32> = Vec::new();
        for (row, bindings) in &tree.declared {
            while let Some(place) = open.pop() {
                if tree.ends[index.elements[place as usize].row as usize] > *row {
                    open.push(place);
                    break;
                }
                for declared in index.own(place) {
                    innermost[declared.prefix as usize] = declared.hidden.map(|(hidden, _)| hidden);
                }
            }
            for binding in bindings.iter() {
                let unused = numbers.len() as u32;
                let prefix = *numbers.entry(binding.0.clone()).or_insert(unused);
                innermost.resize(numbers.len(), None);
                let place = innermost[prefix as usize];
                let hidden = place.map(|place| (place, index.declared[place as usize].binding.1 == binding.1));
                innermost[prefix as usize] = Some(index.declared.len() as u32);
                if &*binding.0 != "xml" {
                    push_declaration(binding, &mut index.text);
                }
                let text_end = index.text.len();
                index.declared.push(Declared { row: *row, binding: binding.clone(), prefix, hidden, text_end });
            }
            let (outer, end) = (open.last().copied(), index.declared.len() as u32);
            open.push(index.elements.len() as u32);
            index.elements.push(Declaring { row: *row, outer, end });
        }
        index.prefixes = numbers.len();
        index
    }

    fn places(&self, element: u32) -> Range<usize> {
        let start = element.checked_sub(1).map_or(0, |before| self.elements[before as usize].end);
        start as usize..self.elements[element as usize].end as usize
    }

    fn own(&self, element: u32) -> impl Iterator<Item = &Declared> {
        self.declared[self.places(element)].iter()
    }

    fn push_text(&self, place: usize, out: &mut Vec<u8>) {
        let start = place.checked_sub(1).map_or(0, |before| self.declared[before].text_end);
        out.extend_from_slice(&self.text[start..self.declared[place].text_end]);
    }

    /// Index of the first element that declares something, from a row on.
    pub fn first_from(&self, row: u32) -> u32 {
        self.elements.partition_point(|element| element.row < row) as u32
    }

    /// Whether the element at a place has that row.
    #[inline(always)]
    pub fn is_at(&self, element: u32, row: u32) -> bool {
        self.elements.get(element as usize).is_some_and(|element| element.row == row)
    }

    /// Append the declarations in scope of a row, its own first, without those declared around it.
    pub fn push_in_scope(&self, tree: &Tree, row: u32, around: Option<&Scope>, out: &mut Vec<u8>) {
        let around = around.filter(|scope| !scope.is_empty());
        let mut is_hidden = vec![false; self.prefixes];
        let mut element = self.nearest(tree, row);
        while let Some(here) = element {
            for place in self.places(here) {
                let declared = &self.declared[place];
                let (prefix, uri) = &declared.binding;
                if std::mem::replace(&mut is_hidden[declared.prefix as usize], true) || uri.is_empty() {
                    continue;
                }
                if around.is_none_or(|scope| scope.uri(prefix) != Some(&**uri)) {
                    self.push_text(place, out);
                }
            }
            element = self.elements[here as usize].outer;
        }
    }

    /// The nearest element that declares something, from a row up.
    fn nearest(&self, tree: &Tree, row: u32) -> Option<u32> {
        let mut here = Some(row);
        while let Some(row) = here {
            let place = self.first_from(row);
            if self.is_at(place, row) {
                return Some(place);
            }
            here = tree.parent(row);
        }
        None
    }

    /// Append the declarations of an element that differ from the output so far: from those of the rows from `first`
    /// on, and from those declared around them. Without `around`, everything in scope of the rows has been declared.
    pub fn push_own(&self, element: u32, first: u32, around: Option<&Scope>, out: &mut Vec<u8>) {
        for place in self.places(element) {
            let Declared { binding: (prefix, uri), hidden, .. } = &self.declared[place];
            let inside = hidden.filter(|(place, _)| around.is_none() || self.declared[*place as usize].row >= first);
            let is_known = match (inside, around) {
                (Some((_, is_same)), _) => is_same,
                (None, around) => around.and_then(|around| around.uri(prefix)).unwrap_or("") == &**uri,
            };
            if !is_known {
                self.push_text(place, out);
            }
        }
    }
}

/// Whether a prefix is undeclared, which XML 1.0 cannot write: its outer meaning still holds in the output.
fn is_taken_back((prefix, uri): &Binding) -> bool {
    !prefix.is_empty() && uri.is_empty()
}
