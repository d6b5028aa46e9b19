//! A subtree as unchanged XML, in the form of `xylem.sink.plain_xml` with the default parameters.
//!
//! Written in pieces, so the text of a large document is never held whole.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::scope_index::ScopeIndex;
use super::{between, Tree, KIND_MASK};
use crate::escaping::{escape, Place};
use crate::namespaces::Binding;
use crate::rows::kind;
use crate::scopes::{push_declaration, Scope};

/// Names as written in their document: prefix and local name, by code.
#[derive(Clone, Default)]
pub struct WrittenNames(FxHashMap<u32, (Box<str>, Box<str>)>);

impl WrittenNames {
    /// Register a name.
    pub fn add(&mut self, code: u32, prefix: &str, local: &str) {
        self.0.insert(code, (prefix.into(), local.into()));
    }

    /// Register a name, unless its code has one.
    pub fn learn(&mut self, code: u32, prefix: &str, local: &str) {
        self.0.entry(code).or_insert_with(|| (prefix.into(), local.into()));
    }

    fn parts(&self, code: u32) -> (&str, &str) {
        self.0.get(&code).map_or(("", ""), |(prefix, local)| (prefix, local))
    }
}

/// An element whose end tag has not been written.
struct Open {
    row: u32,
    end: u32,
    /// The number of declarations in scope around it.
    outer: usize,
}

/// The position of the writing in an index of scopes.
struct Indexed {
    scopes: Arc<ScopeIndex>,
    /// The next element that declares something.
    next: u32,
}

/// The state of writing some rows.
pub struct Writing {
    first: u32,
    row: u32,
    end: u32,
    open: Vec<Open>,
    /// The declarations in the output around the rows, or those of an outermost element, computed on first use.
    around: Option<Scope>,
    /// The last outermost element.
    outermost: u32,
    /// The declarations of the open elements inside, if no index knows them.
    scope: Scope,
    index: Option<Indexed>,
    /// Whether nothing has been written that may have declared something.
    is_new: bool,
    /// The place of the rows in the output.
    place: Standing,
}

/// The place of rows in the output.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Standing {
    /// Outside all elements.
    Outside,
    /// In the element that is their parent, which has been written.
    Inside,
    /// In another element, into which their first element is copied with everything in scope of it. No default
    /// namespace is declared there.
    Copied,
}

impl Writing {
    /// Write the rows from `start` to before `end`: one subtree, or the children of a document.
    ///
    /// `around` is what has been declared there; it only counts inside an element.
    pub fn new(start: u32, end: u32, place: Standing, around: &[Binding]) -> Writing {
        let around = (place != Standing::Outside).then(|| Scope::new(around));
        Writing {
            first: start,
            row: start,
            end,
            open: Vec::new(),
            around,
            outermost: start,
            scope: Scope::default(),
            index: None,
            is_new: true,
            place,
        }
    }

    /// Write until there are that many bytes, or all is written; returns whether there is more.
    pub fn write(&mut self, tree: &Tree, names: &WrittenNames, enough: usize, out: &mut Vec<u8>) -> bool {
        loop {
            while self.open.last().is_some_and(|open| open.end == self.row) {
                let Some(open) = self.open.pop() else { break };
                out.extend_from_slice(b"</");
                push_name(tree, names, open.row, out);
                out.push(b'>');
                self.scope.truncate(open.outer);
            }
            if self.row >= self.end {
                return false;
            }
            if out.len() >= enough {
                return true;
            }
            let row = self.row;
            let code = tree.codes[row as usize];
            self.row += 1;
            match code & KIND_MASK {
                kind::TEXT => escape(tree.characters(row).as_bytes(), Place::Content, out),
                kind::ELEMENT => self.start_element(tree, names, row, out),
                kind::COMMENT => {
                    out.extend_from_slice(b"<!--");
                    out.extend_from_slice(tree.characters(row).as_bytes());
                    out.extend_from_slice(b"-->");
                }
                _ => push_instruction(names.parts(code).1, tree.characters(row), out),
            }
        }
    }

    fn start_element(&mut self, tree: &Tree, names: &WrittenNames, row: u32, out: &mut Vec<u8>) {
        out.push(b'<');
        push_name(tree, names, row, out);
        let outer = self.scope.len();
        if !tree.declared.is_empty() {
            self.declare(tree, row, out);
        }
        let end = tree.ends[row as usize];
        while self.row < end && tree.kind(self.row) == kind::ATTRIBUTE {
            out.push(b' ');
            push_name(tree, names, self.row, out);
            out.extend_from_slice(b"=\"");
            escape(tree.characters(self.row).as_bytes(), Place::Attribute, out);
            out.push(b'"');
            self.row += 1;
        }
        if self.row == end {
            out.extend_from_slice(b"/>");
            self.scope.truncate(outer);
        } else {
            out.push(b'>');
            self.open.push(Open { row, end, outer });
        }
    }

    /// An outermost element declares everything in scope, an inner one the differences from the output so far.
    fn declare(&mut self, tree: &Tree, row: u32, out: &mut Vec<u8>) {
        let is_outermost = self.place == Standing::Outside && self.open.is_empty();
        let is_copied = self.place == Standing::Copied;
        if std::mem::take(&mut self.is_new) {
            self.index = tree.scope_index(between(&tree.declared, row, self.end).len() + 1).map(|scopes| {
                let next = scopes.first_from(row);
                Indexed { scopes, next }
            });
        }
        if let Some(indexed) = &mut self.index {
            let next = indexed.next;
            let has_own = indexed.scopes.is_at(next, row);
            indexed.next += u32::from(has_own);
            if is_outermost {
                indexed.scopes.push_in_scope(tree, row, None, out);
            } else if is_copied && row == self.first {
                indexed.scopes.push_in_scope(tree, row, self.around.as_ref(), out);
            } else if has_own {
                // A copy has declared everything in scope of its first element, wherever it was declared.
                let first = if is_copied { 0 } else { self.first };
                indexed.scopes.push_own(next, first, self.around.as_ref(), out);
            }
            return;
        }
        if is_copied && row == self.first {
            let in_scope = tree.in_scope(row);
            tree.scope_index(in_scope.len());
            for binding in in_scope.into_iter().filter(|binding| &*binding.0 != "xml") {
                if self.known(tree, &binding.0) != &*binding.1 {
                    push_declaration(binding, out);
                    self.scope.push(binding);
                }
            }
            return;
        }
        if is_outermost {
            (self.outermost, self.around) = (row, None);
            // No prefix occurs twice among them, and most inner elements declare nothing: they need not be stored.
            let in_scope = tree.in_scope(row);
            tree.scope_index(in_scope.len());
            in_scope.into_iter().filter(|binding| &*binding.0 != "xml").for_each(|each| push_declaration(each, out));
            return;
        }
        for binding in tree.declared_at(row) {
            let (prefix, uri) = binding;
            // XML 1.0 can only undeclare the default namespace.
            if &**prefix == "xml" || (uri.is_empty() && !prefix.is_empty()) || self.known(tree, prefix) == &**uri {
                continue;
            }
            push_declaration(binding, out);
            self.scope.push(binding);
        }
    }

    /// The meaning of a prefix in the output so far.
    fn known(&mut self, tree: &Tree, prefix: &str) -> &str {
        let outermost = self.outermost;
        let around = self.around.get_or_insert_with(|| Scope::new(tree.in_scope(outermost)));
        self.scope.uri(prefix).or_else(|| around.uri(prefix)).unwrap_or("")
    }
}

fn push_name(tree: &Tree, names: &WrittenNames, row: u32, out: &mut Vec<u8>) {
    let (mut prefix, local) = names.parts(tree.codes[row as usize]);
    if !tree.prefixed.is_empty() {
        if let Ok(place) = tree.prefixed.binary_search_by_key(&row, |entry| entry.0) {
            prefix = &tree.prefixed[place].1;
        }
    }
    if !prefix.is_empty() {
        out.extend_from_slice(prefix.as_bytes());
        out.push(b':');
    }
    out.extend_from_slice(local.as_bytes());
}

fn push_instruction(target: &str, content: &str, out: &mut Vec<u8>) {
    out.extend_from_slice(b"<?");
    out.extend_from_slice(target.as_bytes());
    if !content.is_empty() {
        out.push(b' ');
        out.extend_from_slice(content.as_bytes());
    }
    out.extend_from_slice(b"?>");
}
