//! Namespaces in scope, of rows and of what is written: found by prefix, however many there are.

use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::escaping::{escape, Place};
use crate::namespaces::Binding;

/// This many bindings are searched one by one.
const FEW: usize = 16;

/// The declarations of an element and its ancestors, from the inside out: the nearest of each prefix. Undeclared ones
/// are left out.
pub fn in_scope<'a>(declared: impl Iterator<Item = &'a [Binding]>) -> Vec<&'a Binding> {
    let mut found: Vec<&Binding> = Vec::new();
    let mut known: FxHashSet<&str> = FxHashSet::default();
    for bindings in declared {
        // One element declares a prefix once.
        if found.is_empty() {
            found.extend(bindings);
            continue;
        }
        if known.is_empty() && !bindings.is_empty() {
            known.extend(found.iter().map(|binding| &*binding.0));
        }
        found.extend(bindings.iter().filter(|binding| known.insert(&binding.0)));
    }
    found.retain(|(_, uri)| !uri.is_empty());
    found
}

/// Append a declaration in the form of a start tag.
pub fn push_declaration((prefix, uri): &Binding, out: &mut Vec<u8>) {
    out.extend_from_slice(b" xmlns");
    if !prefix.is_empty() {
        out.push(b':');
        out.extend_from_slice(prefix.as_bytes());
    }
    out.extend_from_slice(b"=\"");
    escape(uri.as_bytes(), Place::Attribute, out);
    out.push(b'"');
}

/// The declarations at a place of the output, innermost last; an empty URI undeclares.
#[derive(Default)]
pub struct Scope {
    /// Bindings, each with the index of the one that it hides.
    bindings: Vec<(Binding, Option<usize>)>,
    /// The indexes of the innermost of each prefix, if there are many.
    innermost: FxHashMap<Arc<str>, usize>,
}

impl Scope {
    /// A scope that begins with some bindings.
    pub fn new<'a>(bindings: impl IntoIterator<Item = &'a Binding>) -> Self {
        let mut scope = Scope::default();
        bindings.into_iter().for_each(|binding| scope.push(binding));
        scope
    }

    /// The number of bindings.
    pub fn len(&self) -> usize {
        self.bindings.len()
    }

    /// Whether nothing has been declared.
    pub fn is_empty(&self) -> bool {
        self.bindings.is_empty()
    }

    /// The URI declared for a prefix; none if it is not declared here.
    pub fn uri(&self, prefix: &str) -> Option<&str> {
        let found = if self.bindings.len() > FEW {
            self.innermost.get(prefix).map(|&place| &self.bindings[place])
        } else {
            self.bindings.iter().rev().find(|(known, _)| *known.0 == *prefix)
        };
        found.map(|(known, _)| &*known.1)
    }

    /// Declare one more.
    pub fn push(&mut self, binding: &Binding) {
        self.bindings.push((binding.clone(), None));
        if self.bindings.len() > FEW {
            let first = if self.innermost.is_empty() { 0 } else { self.bindings.len() - 1 };
            for place in first..self.bindings.len() {
                let prefix = self.bindings[place].0 .0.clone();
                self.bindings[place].1 = self.innermost.insert(prefix, place);
            }
        }
    }

    /// Go back to an earlier number of bindings.
    pub fn truncate(&mut self, number: usize) {
        if number <= FEW {
            self.innermost.clear();
            self.bindings.truncate(number);
            return;
        }
        while self.bindings.len() > number {
            let Some(((prefix, _), hidden)) = self.bindings.pop() else { return };
            match hidden {
                Some(place) => self.innermost.insert(prefix, place),
                None => self.innermost.remove(&prefix),
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn binding(prefix: &str, uri: &str) -> Binding {
        (prefix.into(), uri.into())
    }

    #[test]
    fn the_nearest_of_each_prefix_is_in_scope() {
        let inner = [binding("a", "1"), binding("b", "")];
        let outer = [binding("b", "2"), binding("c", "3"), binding("a", "4")];
        let found = in_scope([&inner[..], &[][..], &outer[..]].into_iter());
        assert_eq!(found, [&binding("a", "1"), &binding("c", "3")]);
    }

    #[test]
    fn few_and_many_bindings_are_found_alike() {
        // Prefixes repeat, so that inner ones hide outer ones on both sides of the border.
        let mut scope = Scope::default();
        let mut plain: Vec<Binding> = Vec::new();
        let known = |plain: &[Binding], prefix: &str| {
            plain.iter().rev().find(|known| *known.0 == *prefix).map(|known| known.1.to_string())
        };
        for (number, length) in [(5, 2), (40, 30), (9, 20), (3, 10), (30, 0), (17, 17)] {
            for n in 0..number {
                let added = binding(&format!("p{}", n % 13), &format!("u{}", plain.len()));
                scope.push(&added);
                plain.push(added);
            }
            for prefix in (0..14).map(|n| format!("p{n}")) {
                assert_eq!(scope.uri(&prefix).map(str::to_string), known(&plain, &prefix));
            }
            scope.truncate(length);
            plain.truncate(length);
            for prefix in (0..14).map(|n| format!("p{n}")) {
                assert_eq!(scope.uri(&prefix).map(str::to_string), known(&plain, &prefix));
            }
            assert_eq!((scope.len(), scope.is_empty()), (plain.len(), plain.is_empty()));
        }
    }
}
