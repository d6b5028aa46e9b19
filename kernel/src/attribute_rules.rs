//! The declarations of a document type for the attributes of one element (XML 1.0 §3.3), found by name.
//!
//! Hostile documents declare many attributes and use them often. Declaring one costs one lookup. The cost of a start
//! tag grows with its attributes, written or by default, however many others are declared.

use std::collections::HashMap;

/// The declared type of an attribute, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// Any text.
    Text,
    /// An identifier.
    Id,
    /// One or several references to identifiers.
    Idref,
    /// Another tokenised or enumerated type.
    Tokens,
}

/// The declaration of an attribute of an element.
#[derive(Debug)]
pub struct AttributeRule {
    /// Name as written.
    pub name: Box<[u8]>,
    /// Its type.
    pub kind: AttributeKind,
    /// The normalised default value.
    pub default: Option<Box<[u8]>>,
    /// The number of the last tag that had the attribute.
    given_in: u64,
}

/// The rules for the attributes of one element.
#[derive(Debug, Default)]
pub struct AttributeRules {
    rules: Vec<AttributeRule>,
    // Not the fast hash of the other tables: names of a document type can be chosen to collide in that one.
    numbers: HashMap<Box<[u8]>, usize>,
    defaults: Vec<usize>,
    declared: usize,
    tag: u64,
}

impl AttributeRules {
    /// Declare an attribute; the first declaration counts (§3.3). Returns the number of declarations, repeated ones
    /// included.
    pub fn declare(&mut self, name: &[u8], kind: AttributeKind, default: Option<Box<[u8]>>) -> usize {
        self.declared += 1;
        if !self.numbers.contains_key(name) {
            let number = self.rules.len();
            self.numbers.insert(name.into(), number);
            if default.is_some() {
                self.defaults.push(number);
            }
            self.rules.push(AttributeRule { name: name.into(), kind, default, given_in: 0 });
        }
        self.declared
    }

    /// A start tag of the element begins: no attribute has been seen yet.
    pub fn begin_tag(&mut self) {
        self.tag += 1;
    }

    /// The tag has an attribute; returns its declared type.
    pub fn give(&mut self, name: &[u8]) -> Option<AttributeKind> {
        let rule = &mut self.rules[*self.numbers.get(name)?];
        rule.given_in = self.tag;
        Some(rule.kind)
    }

    /// The rules whose defaults the tag lacks, in the order of declaration.
    pub fn missing(&self) -> impl Iterator<Item = &AttributeRule> {
        let tag = self.tag;
        self.defaults.iter().map(|&number| &self.rules[number]).filter(move |rule| rule.given_in != tag)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn missing(rules: &AttributeRules) -> Vec<&[u8]> {
        rules.missing().map(|rule| &*rule.name).collect()
    }

    #[test]
    fn the_first_declaration_counts() {
        let mut rules = AttributeRules::default();
        assert_eq!(rules.declare(b"a", AttributeKind::Id, None), 1);
        assert_eq!(rules.declare(b"a", AttributeKind::Text, Some(b"x"[..].into())), 2);
        rules.begin_tag();
        assert_eq!(rules.give(b"a"), Some(AttributeKind::Id));
        assert_eq!(rules.give(b"b"), None);
        rules.begin_tag();
        assert!(missing(&rules).is_empty());
    }

    #[test]
    fn defaults_fill_what_a_tag_lacks() {
        let mut rules = AttributeRules::default();
        for name in [b"b", b"a", b"c"] {
            rules.declare(name, AttributeKind::Text, Some(b"x"[..].into()));
        }
        rules.begin_tag();
        assert_eq!(missing(&rules), [b"b", b"a", b"c"]);
        rules.give(b"a");
        assert_eq!(missing(&rules), [b"b", b"c"]);
        rules.begin_tag();
        assert_eq!(missing(&rules).len(), 3);
    }

    #[test]
    fn a_tag_costs_nothing_for_what_it_neither_has_nor_lacks() {
        let mut rules = AttributeRules::default();
        for number in 0..100_000 {
            rules.declare(format!("a{number}").as_bytes(), AttributeKind::Text, None);
        }
        rules.declare(b"d", AttributeKind::Text, Some(b"x"[..].into()));
        assert_eq!(rules.defaults.len(), 1);
        // All pairs of declarations and tags would be ten thousand million.
        for _ in 0..100_000 {
            rules.begin_tag();
            rules.give(b"a7");
            assert_eq!(rules.missing().count(), 1);
        }
    }
}
