//! Decides which elements the scopes lead to: the reader of the scan, kept at the open elements on the way to them.
//!
//! The meaning of a name depends on namespaces in scope, on defaults that a document type declares, and on entities in
//! the values of declarations. The reader knows all that; it gets the few tags that matter, one by one.

use crate::errors::Halt;
use crate::limits::Limits;
use crate::plan::{Plan, Step, COUNT};
use crate::reader::Reader;

/// Axis (whether descendant), namespace, local name.
pub type PathStep = (bool, Option<String>, Option<String>);

/// The path from the document node to the elements before which a document may be cut.
pub type Scope = Vec<PathStep>;

/// The role of an element for the scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// A scope leads to it.
    Item,
    /// On the way to elements a scope may lead to.
    OnTheWay,
    /// Neither.
    Other,
}

/// The reader at the open elements that are on the way.
pub struct Matcher {
    reader: Reader,
    found: u64,
}

/// The scopes as the paths of a counting scan.
pub fn plan_of(scopes: &[Scope]) -> Plan {
    let bare = Step { attributes: Some(vec![]), ..Step::default() };
    // A scope without steps is the document itself.
    let report = if scopes.iter().any(Vec::is_empty) { COUNT } else { 0 };
    let mut steps = vec![Step { report, ..bare.clone() }];
    for scope in scopes {
        let mut parent = 0;
        for (number, (is_descendant, uri, local)) in scope.iter().enumerate() {
            let report = if number + 1 == scope.len() { COUNT } else { 0 };
            let (uri, local) = (uri.clone(), local.clone());
            steps.push(Step { parent, is_descendant: *is_descendant, uri, local, report, ..bare.clone() });
            parent = steps.len() - 1;
        }
    }
    Plan { steps, comments: false }
}

impl Matcher {
    /// A matcher before the root element, after the XML declaration and the document type.
    pub fn new(plan: Plan, limits: Limits, head: &[u8]) -> Result<Self, Halt> {
        let mut reader = Reader::new(plan, limits, true, false);
        if !head.is_empty() {
            reader.run(head, &mut 0, false)?;
        }
        Ok(Matcher { reader, found: 0 })
    }

    /// A start tag, as UTF-8. The element is open afterwards if it is on the way, and not empty.
    pub fn start(&mut self, tag: &[u8], is_empty: bool) -> Result<Role, Halt> {
        self.reader.start_tag(tag, 0)?;
        let found: u64 = self.reader.projector.counts.iter().sum();
        let role = if found > self.found {
            Role::Item
        } else if is_empty || self.reader.projector.is_skipping() {
            Role::Other
        } else {
            Role::OnTheWay
        };
        self.found = found;
        if !is_empty && role != Role::OnTheWay {
            self.end();
        }
        Ok(role)
    }

    /// The innermost open element ends.
    pub fn end(&mut self) {
        let reader = &mut self.reader;
        // Nothing is kept, so no limit can be exceeded.
        let _ = reader.projector.end(&reader.limits, 0);
        reader.namespaces.leave(reader.open_names.depth());
        reader.open_names.pop();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_matched_by_namespace() {
        let step = |uri: &str, local: &str| (false, Some(uri.to_string()), Some(local.to_string()));
        let plan = plan_of(&[vec![step("urn:u", "r"), step("urn:u", "i")]]);
        let head = b"<!DOCTYPE r [<!ENTITY u 'urn:u'><!ATTLIST r xmlns CDATA #FIXED 'urn:u'>]>";
        let mut matcher = Matcher::new(plan, Limits::default(), head).unwrap();
        assert_eq!(matcher.start(b"<r>", false).unwrap(), Role::OnTheWay);
        assert_eq!(matcher.start(b"<i>", false).unwrap(), Role::Item);
        assert_eq!(matcher.start(b"<i xmlns=''>", false).unwrap(), Role::Other);
        assert_eq!(matcher.start(b"<p:i xmlns:p='&u;'/>", true).unwrap(), Role::Item);
        assert_eq!(matcher.start(b"<r/>", true).unwrap(), Role::Other);
        assert!(matcher.start(b"<q:i>", false).is_err());
        matcher.end();
        assert_eq!(matcher.start(b"<x>", false).unwrap(), Role::Other);
    }
}
