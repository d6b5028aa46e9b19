//! Paths down from a row: to the rows of elements and attributes by name.
//!
//! Names are compared by their numbers in the table for Python, which never change in a scan: each step of a path looks
//! up its own number once. No row has a name that is not in the table.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::names::Names;
use crate::rows::{kind, RowColumns};

/// The bits of a code that give the kind of a row.
pub const KIND_MASK: u32 = 7;

/// A name that rows of one kind are compared with; it caches its number in the table.
#[derive(Debug, Default)]
pub struct WantedName {
    /// The namespace, empty for none.
    pub uri: String,
    /// The local name.
    pub local: String,
    /// The tags of an element of this name, without prefix.
    pub tags: (Box<[u8]>, Box<[u8]>),
    /// The scan, and the number in its table below that; 0 until there is one.
    number: AtomicU64,
}

impl WantedName {
    /// A name.
    pub fn new(uri: &str, local: &str) -> Self {
        let tags = (format!("<{local}>"), format!("</{local}>"));
        let tags = (tags.0.into_bytes().into(), tags.1.into_bytes().into());
        WantedName { uri: uri.into(), local: local.into(), tags, number: AtomicU64::new(0) }
    }

    /// The code of rows of a kind with this name; None if there can be none.
    #[inline(always)]
    fn code(&self, kind: u32, names: &Names) -> Option<u32> {
        let known = self.number.load(Ordering::Relaxed);
        if known >> 32 == u64::from(names.scan) && known != 0 {
            return Some((known as u32) << 3 | kind);
        }
        self.look_up(kind, names).map(|number| number << 3 | kind)
    }

    #[cold]
    fn look_up(&self, kind: u32, names: &Names) -> Option<u32> {
        let number = names.number_in_table(kind, &self.uri, &self.local)?;
        self.number.store(u64::from(names.scan) << 32 | u64::from(number), Ordering::Relaxed);
        Some(number)
    }
}

impl PartialEq for WantedName {
    fn eq(&self, other: &Self) -> bool {
        (&self.uri, &self.local) == (&other.uri, &other.local)
    }
}

impl Clone for WantedName {
    fn clone(&self) -> Self {
        WantedName::new(&self.uri, &self.local)
    }
}

/// Which elements a step leads to.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Those of a name.
    Named(WantedName),
    /// Those of a namespace, or of a local name, or all.
    Any(Option<String>, Option<String>),
}

/// A step of a path.
#[derive(Clone, Debug, PartialEq)]
pub struct PathStep {
    /// The elements it leads to.
    pub wanted: Wanted,
    /// Whether it leads to all descendants, and not only to children.
    pub descends: bool,
}

impl PathStep {
    /// To the children of a name.
    pub fn child(uri: &str, local: &str) -> Self {
        PathStep { wanted: Wanted::Named(WantedName::new(uri, local)), descends: false }
    }

    /// To the children of a name, None for any.
    pub fn child_of(uri: &Option<String>, local: &Option<String>) -> Self {
        match (uri, local) {
            (Some(uri), Some(local)) => PathStep::child(uri, local),
            _ => PathStep { wanted: Wanted::Any(uri.clone(), local.clone()), descends: false },
        }
    }
}

/// Rows and their names.
#[derive(Clone, Copy)]
pub struct NamedRows<'a> {
    /// The rows.
    pub rows: &'a RowColumns<'a>,
    /// The names.
    pub names: &'a Names,
}

impl<'a> NamedRows<'a> {
    /// Call a function with each row of a path, in document order, until it breaks.
    pub fn follow<B>(
        self,
        path: &[PathStep],
        row: usize,
        found: &mut impl FnMut(usize) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let Some((step, rest)) = path.split_first() else { return found(row) };
        let code = match &step.wanted {
            Wanted::Named(name) => match name.code(kind::ELEMENT, self.names) {
                Some(code) => Some(code),
                None => return ControlFlow::Continue(()),
            },
            Wanted::Any(..) => None,
        };
        let end = self.rows.ends[row] as usize;
        let mut next = row + 1;
        while next < end {
            let child = next;
            next = if step.descends { child + 1 } else { self.rows.ends[child] as usize };
            let fits = match code {
                Some(code) => self.rows.codes[child] == code,
                None => self.is_named(&step.wanted, child),
            };
            if fits {
                if rest.is_empty() {
                    found(child)?;
                } else {
                    self.follow(rest, child, found)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn is_among(self, uri: Option<&str>, local: Option<&str>, row: usize) -> bool {
        let code = self.rows.codes[row];
        if code & KIND_MASK != kind::ELEMENT {
            return false;
        }
        let (actual_uri, actual_local, _) = self.names.in_table(code >> 3);
        uri.is_none_or(|wanted| wanted == &**actual_uri) && local.is_none_or(|wanted| wanted == &**actual_local)
    }

    /// Whether the element of a row has a name.
    pub fn is_named(self, wanted: &Wanted, row: usize) -> bool {
        match wanted {
            Wanted::Named(name) => name.code(kind::ELEMENT, self.names) == Some(self.rows.codes[row]),
            Wanted::Any(uri, local) => self.is_among(uri.as_deref(), local.as_deref(), row),
        }
    }

    /// The row of an attribute of an element.
    pub fn attribute(self, name: &WantedName, row: usize) -> Option<usize> {
        let code = name.code(kind::ATTRIBUTE, self.names)?;
        (row + 1..self.rows.ends[row] as usize)
            .take_while(|&other| self.rows.codes[other] & KIND_MASK == kind::ATTRIBUTE)
            .find(|&other| self.rows.codes[other] == code)
    }

    /// The child rows of an element, of any kind, without attributes.
    pub fn child_nodes(self, row: usize) -> impl Iterator<Item = usize> + 'a {
        let rows = self.rows;
        let end = rows.ends[row] as usize;
        let next = move |place: usize| (place < end).then_some(place);
        let first = (row + 1..end).find(|&place| rows.codes[place] & KIND_MASK != kind::ATTRIBUTE);
        std::iter::successors(first, move |&place| next(rows.ends[place] as usize))
    }

    /// Call a function with each text node that is a child of an element, until it breaks.
    pub fn texts<B>(self, row: usize, found: &mut impl FnMut(usize) -> ControlFlow<B>) -> ControlFlow<B> {
        let end = self.rows.ends[row] as usize;
        let mut next = row + 1;
        while next < end {
            if self.rows.codes[next] == kind::TEXT {
                found(next)?;
            }
            next = self.rows.ends[next] as usize;
        }
        ControlFlow::Continue(())
    }

    /// The text rows of the string value of an element, or of a text node itself.
    pub fn all_texts(self, row: usize) -> impl Iterator<Item = usize> + 'a {
        let rows = self.rows;
        (row..rows.ends[row] as usize).filter(move |&other| rows.codes[other] == kind::TEXT)
    }
}
