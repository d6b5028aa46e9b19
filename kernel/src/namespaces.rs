//! Namespaces in XML 1.0 (3rd edition): declarations, the scopes they create, and names resolved in a scope.
//!
//! A scope is the declarations of an element, inside the outer scope. Records that declare the same namespaces again
//! and again share one scope, and with it the names resolved there: a name seen before costs one lookup. Current
//! bindings are in one table for all open elements, so neither time nor space grows with the number of bindings in
//! scope.

use std::collections::HashMap;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::characters::shown;
use crate::errors::{namespace, Halt};
use crate::expectations::Expectations;
use crate::name_key::{NameKey, NameTable};

/// The namespace of the prefix xml.
pub const XML_NAMESPACE: &str = "http://www.w3.org/XML/1998/namespace";
const XMLNS_NAMESPACE: &str = "http://www.w3.org/2000/xmlns/";

const MOST_SCOPES: usize = 2_000;
/// The number of the scope outside all elements.
const OUTERMOST: usize = 0;

/// A prefix and its namespace; the prefix is empty for the default namespace, the namespace where it is undeclared.
pub type Binding = (Arc<str>, Arc<str>);

#[derive(Default)]
struct Scope {
    /// The outer scope, and the declarations inside it: the key for finding the scope again.
    key: ScopeKey,
    elements: NameTable,
    attributes: NameTable,
    expectations: Expectations,
}

type ScopeKey = (usize, Arc<[Binding]>);

struct Entered {
    depth: usize,
    scope: usize,
    /// The element's declarations that change a binding.
    declared: Arc<[Binding]>,
}

/// The scopes of the open elements.
pub struct Namespaces {
    scopes: Vec<Scope>,
    numbers: HashMap<ScopeKey, usize>,
    /// The namespaces each prefix is bound to by the open elements, innermost last.
    bound: HashMap<Arc<str>, Vec<Arc<str>>>,
    entered: Vec<Entered>,
    current: usize,
    texts: FxHashMap<Box<str>, Arc<str>>,
    none: Arc<str>,
    is_on: bool,
}

/// A prefix, and a local name.
pub type Parts<'a> = (&'a [u8], &'a [u8]);

impl Namespaces {
    /// The scope outside all elements. With namespaces off, a colon is like any other character.
    pub fn new(is_on: bool) -> Self {
        Namespaces {
            scopes: vec![Scope::default()],
            numbers: HashMap::new(),
            bound: HashMap::from_iter([("xml".into(), vec![XML_NAMESPACE.into()])]),
            entered: Vec::new(),
            current: 0,
            texts: FxHashMap::default(),
            none: "".into(),
            is_on,
        }
    }

    /// Whether names have prefixes.
    #[inline(always)]
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// The element at a depth declares namespaces.
    pub fn enter(&mut self, depth: usize, given: &[(&[u8], &[u8], usize)]) -> Result<(), Halt> {
        let mut declared: Vec<Binding> = Vec::new();
        for &(prefix, uri, at) in given {
            check_declaration(prefix, uri, at)?;
            if self.lookup(prefix).map_or(&b""[..], |known| known.as_bytes()) != uri {
                let binding = (self.text(prefix), self.text(uri));
                declared.push(binding);
            }
        }
        for (prefix, uri) in &declared {
            match self.bound.get_mut(&**prefix) {
                Some(known) => known.push(uri.clone()),
                None => {
                    self.bound.insert(prefix.clone(), vec![uri.clone()]);
                }
            }
        }
        let declared: Arc<[Binding]> = declared.into();
        // Before the search for the scope, since old scopes may be dropped then.
        self.entered.push(Entered { depth, scope: self.current, declared: declared.clone() });
        if !declared.is_empty() {
            self.current = self.scope_with(declared);
        }
        Ok(())
    }

    /// The element at a depth has ended.
    #[inline(always)]
    pub fn leave(&mut self, depth: usize) {
        if let Some(last) = self.entered.last() {
            if last.depth == depth {
                self.leave_last();
            }
        }
    }

    fn leave_last(&mut self) {
        let Some(last) = self.entered.pop() else { return };
        self.current = last.scope;
        for (prefix, _) in last.declared.iter() {
            if let Some(known) = self.bound.get_mut(&**prefix) {
                known.pop();
                if known.is_empty() {
                    self.bound.remove(&**prefix);
                }
            }
        }
    }

    /// The declarations of the open element at a depth.
    pub fn declared_at(&self, depth: usize) -> Option<Arc<[Binding]>> {
        let place = self.entered.binary_search_by_key(&depth, |entered| entered.depth).ok()?;
        let declared = &self.entered[place].declared;
        (!declared.is_empty()).then(|| declared.clone())
    }

    fn scope_with(&mut self, declared: Arc<[Binding]>) -> usize {
        if let Some(&scope) = self.numbers.get(&(self.current, declared.clone())) {
            return scope;
        }
        // At least twice the number in use: by then, as many scopes have been added as are visited.
        if self.scopes.len() >= MOST_SCOPES.max(2 * self.entered.len()) {
            self.drop_unused();
        }
        let key = (self.current, declared);
        self.scopes.push(Scope { key: key.clone(), ..Scope::default() });
        self.numbers.insert(key, self.scopes.len() - 1);
        self.scopes.len() - 1
    }

    /// Keep only the scopes of open elements, for documents that keep binding new namespaces.
    fn drop_unused(&mut self) {
        let mut old: Vec<Option<Scope>> = std::mem::take(&mut self.scopes).into_iter().map(Some).collect();
        let mut moved: FxHashMap<usize, usize> = FxHashMap::default();
        self.numbers.clear();
        self.texts.clear();
        let in_use = self.entered.iter_mut().map(|entered| &mut entered.scope).chain([&mut self.current]);
        // Outermost first: an outer scope has moved before an inner one.
        for number in in_use {
            if let Some(mut scope) = old[*number].take() {
                moved.insert(*number, self.scopes.len());
                if *number != OUTERMOST {
                    scope.key.0 = moved[&scope.key.0];
                    self.numbers.insert(scope.key.clone(), self.scopes.len());
                }
                self.scopes.push(scope);
            }
            *number = moved[number];
        }
    }

    /// Forget the names resolved so far.
    pub fn forget_names(&mut self) {
        for scope in &mut self.scopes {
            scope.elements.clear();
            scope.attributes.clear();
            scope.expectations = Expectations::default();
        }
    }

    fn text(&mut self, bytes: &[u8]) -> Arc<str> {
        let text = String::from_utf8_lossy(bytes);
        if let Some(known) = self.texts.get(&*text) {
            return known.clone();
        }
        let shared: Arc<str> = (&*text).into();
        self.texts.insert(text.into(), shared.clone());
        shared
    }

    /// The namespace of a prefix.
    pub fn lookup(&self, prefix: &[u8]) -> Option<&Arc<str>> {
        // Names are already checked to be UTF-8; others have no binding.
        self.bound.get(std::str::from_utf8(prefix).ok()?)?.last()
    }

    /// The tags that are expected in this scope.
    #[inline(always)]
    pub fn expectations(&mut self) -> &mut Expectations {
        &mut self.scopes[self.current].expectations
    }

    /// The number of an element name in this scope.
    #[inline(always)]
    pub fn known_element(&self, key: NameKey, raw: &[u8]) -> Option<u32> {
        self.scopes[self.current].elements.get(key, raw)
    }

    /// The number of an attribute name in this scope.
    #[inline(always)]
    pub fn known_attribute(&self, raw: &[u8]) -> Option<u32> {
        self.scopes[self.current].attributes.get(NameKey::of_name(raw), raw)
    }

    /// Remember the number of an element name in this scope.
    pub fn remember_element(&mut self, raw: &[u8], number: u32) {
        self.scopes[self.current].elements.insert(raw, number);
    }

    /// Remember the number of an attribute name in this scope.
    pub fn remember_attribute(&mut self, raw: &[u8], number: u32) {
        self.scopes[self.current].attributes.insert(raw, number);
    }

    /// The namespace of a name; `colon` is relative to the name, 0 for none.
    pub fn namespace_of(&self, raw: &[u8], colon: usize, is_element: bool, at: usize) -> Result<Arc<str>, Halt> {
        if !self.is_on {
            return Ok(self.none.clone());
        }
        if colon == 0 && raw.first() != Some(&b':') {
            let default = if is_element { self.lookup(b"") } else { None };
            return Ok(default.unwrap_or(&self.none).clone());
        }
        let (prefix, _) = self.split(raw, colon, at)?;
        match self.lookup(prefix) {
            Some(uri) => Ok(uri.clone()),
            None => Err(undeclared(prefix, raw, is_element, at)),
        }
    }

    /// The prefix and local name of a name.
    pub fn split<'a>(&self, raw: &'a [u8], colon: usize, at: usize) -> Result<Parts<'a>, Halt> {
        if !self.is_on {
            return Ok((b"", raw));
        }
        if colon == 0 && raw.first() != Some(&b':') {
            return Ok((b"", raw));
        }
        let local = &raw[colon + 1..];
        let starts = local.first().is_some_and(|&b| !b.is_ascii_digit() && b != b'-' && b != b'.');
        let starts = starts && crate::characters::is_name_start(crate::characters::decode(local, 0).0);
        if colon == 0 || !starts || local.contains(&b':') {
            let name = shown(raw);
            return Err(namespace(
                at,
                format!("'{name}' is no name: a prefix and a local name stand around one colon"),
            ));
        }
        Ok((&raw[..colon], local))
    }
}

fn undeclared(prefix: &[u8], raw: &[u8], is_element: bool, at: usize) -> Halt {
    let what = if is_element { "element" } else { "attribute" };
    namespace(at, format!("the prefix '{}' of the {what} '{}' is not declared", shown(prefix), shown(raw)))
}

/// Namespaces in XML 1.0 §3 and §5.
fn check_declaration(prefix: &[u8], uri: &[u8], at: usize) -> Result<(), Halt> {
    let is_xml = uri == XML_NAMESPACE.as_bytes();
    if prefix == b"xmlns" || uri == XMLNS_NAMESPACE.as_bytes() || (prefix == b"xml") != is_xml {
        let (prefix, uri) = (shown(prefix), shown(uri));
        return Err(namespace(at, format!("the prefix '{prefix}' cannot be bound to '{uri}'")));
    }
    if !prefix.is_empty() && uri.is_empty() {
        return Err(namespace(at, format!("the prefix '{}' cannot be undeclared in XML 1.0", shown(prefix))));
    }
    if prefix.contains(&b':') || prefix.first().is_some_and(|b| b.is_ascii_digit() || *b == b'-' || *b == b'.') {
        return Err(namespace(at, format!("'{}' is no prefix", shown(prefix))));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_shared_and_left() {
        let mut namespaces = Namespaces::new(true);
        namespaces.enter(1, &[(b"", b"urn:u", 0)]).unwrap();
        assert_eq!(&**namespaces.lookup(b"").unwrap(), "urn:u");
        namespaces.remember_element(b"a", 7);
        namespaces.leave(1);
        assert!(namespaces.lookup(b"").is_none());
        assert_eq!(namespaces.known_element(NameKey::of_name(b"a"), b"a"), None);
        namespaces.enter(1, &[(b"", b"urn:u", 0)]).unwrap();
        assert_eq!(namespaces.known_element(NameKey::of_name(b"a"), b"a"), Some(7));
        assert_eq!(namespaces.declared_at(1).unwrap().len(), 1);
        namespaces.enter(2, &[(b"", b"urn:u", 0)]).unwrap();
        assert!(namespaces.declared_at(2).is_none());
    }

    #[test]
    fn ever_new_scopes_are_dropped() {
        let mut namespaces = Namespaces::new(true);
        namespaces.enter(1, &[(b"r", b"urn:root", 0)]).unwrap();
        for number in 0..3 * MOST_SCOPES {
            namespaces.enter(2, &[(b"p", format!("urn:{number}").as_bytes(), 0)]).unwrap();
            assert_eq!(&**namespaces.lookup(b"p").unwrap(), format!("urn:{number}"));
            namespaces.leave(2);
        }
        assert!(namespaces.scopes.len() <= MOST_SCOPES);
        assert_eq!(&**namespaces.lookup(b"r").unwrap(), "urn:root");
    }

    #[test]
    fn what_is_in_scope_is_not_copied() {
        let mut namespaces = Namespaces::new(true);
        let name = |number: usize| format!("p{number}");
        for number in 0..10_000 {
            namespaces.enter(number + 1, &[(name(number).as_bytes(), b"urn:u", 0)]).unwrap();
        }
        let held: usize = namespaces.scopes.iter().map(|scope| scope.key.1.len()).sum();
        assert_eq!(held, 10_000);
        assert_eq!(namespaces.bound.len(), 10_001);
        assert!(namespaces.lookup(b"p0").is_some());
        for number in (0..10_000).rev() {
            namespaces.leave(number + 1);
        }
        assert_eq!(namespaces.bound.len(), 1);
        assert_eq!(namespaces.current, OUTERMOST);
    }

    #[test]
    fn reserved_prefixes() {
        for (prefix, uri) in [("xmlns", "u"), ("xml", "u"), ("p", XML_NAMESPACE), ("", XMLNS_NAMESPACE), ("p", "")] {
            assert!(check_declaration(prefix.as_bytes(), uri.as_bytes(), 0).is_err(), "{prefix}={uri}");
        }
        assert!(check_declaration(b"xml", XML_NAMESPACE.as_bytes(), 0).is_ok());
        assert!(check_declaration(b"", b"", 0).is_ok());
    }
}
