//! The compact tree: the kept part of a document, one row per node in document order.
//!
//! The columns are those of `xylem.values.tree` (the pre/size encoding of XPath accelerators, with ends instead of
//! sizes and parents instead of levels): a subtree is a range of rows, the next sibling one lookup. Twenty bytes a row,
//! and all characters in one buffer. Codes are those of the name pool of the process, so a name test compares two
//! integers.
//!
//! A tree is made from the rows of a scan, or grows by copies of complete subtrees (the buffers of a streamed query).

pub mod axes;
mod lazy_steps;
mod nearest;
mod paging;
mod scope_index;
pub mod text;

use std::borrow::Cow;
use std::str::Utf8Error;
use std::sync::{Arc, Mutex, PoisonError};

use rustc_hash::FxHashMap;

use crate::namespaces::Binding;
use crate::rows::{kind, RowColumns, Rows, WrittenScope};
use crate::scopes::in_scope;

/// The kind in a code.
pub const KIND_MASK: u32 = 7;

/// A smaller subtree is searched without an index: that takes less than a microsecond.
const SEARCHED_ROWS: usize = 2048;

/// Columns, one entry for each row. Row 0 is the only root.
#[derive(Default)]
pub struct Tree {
    /// Kind and name.
    codes: Vec<u32>,
    /// One past the last row of the subtree.
    ends: Vec<u32>,
    /// Row of the parent; of the root, itself.
    parents: Vec<u32>,
    /// Where the value of each row ends in `text`; it begins where the previous one ends.
    value_ends: Vec<usize>,
    text: String,
    /// Namespace declarations, by ascending row.
    declared: Vec<(u32, Arc<[Binding]>)>,
    /// Rows whose prefix is not that of their name, ascending.
    prefixed: Vec<(u32, Box<str>)>,
    /// Rows with a label and a number under it, by ascending row.
    numbers: Vec<(u32, u32, u64)>,
    /// For a batch, the elements that were open when it began, from the outside in.
    opened: Vec<u32>,
    /// Rows by code, for the codes requested so far. Behind a lock, so that readers of a tree need only a shared
    /// reference: creating a Python object may run other code that reads the same tree.
    index: Mutex<FxHashMap<u32, Arc<[u32]>>>,
    /// The last answer of each step to siblings.
    nearest: Mutex<FxHashMap<nearest::StepKey, nearest::Nearest>>,
    /// The scope index, once there are many requests.
    scopes: Mutex<scope_index::ScopeCache>,
}

impl Tree {
    /// The tree of some rows, which do not have the codes of a name pool yet.
    pub fn from_rows(rows: Rows) -> Result<Tree, Utf8Error> {
        let text = String::from_utf8(rows.characters).map_err(|error| error.utf8_error())?;
        Ok(Tree {
            codes: rows.codes,
            ends: rows.ends,
            parents: rows.parents,
            value_ends: rows.value_ends,
            text,
            declared: rows.declared,
            prefixed: rows.prefixed,
            numbers: rows.numbers,
            opened: rows.spine,
            index: Mutex::default(),
            nearest: Mutex::default(),
            scopes: Mutex::default(),
        })
    }

    /// Its columns, for templates; the declarations in scope that were last written are kept in a place of the caller.
    pub fn columns<'a>(&'a self, written_scope: &'a Mutex<Option<WrittenScope>>) -> RowColumns<'a> {
        RowColumns {
            codes: &self.codes,
            ends: &self.ends,
            parents: &self.parents,
            value_ends: &self.value_ends,
            characters: self.text.as_bytes(),
            declared: &self.declared,
            prefixed: &self.prefixed,
            written_scope,
        }
    }

    /// Free the spare capacity of growing columns: nothing will be added.
    pub fn shrink(&mut self) {
        self.codes.shrink_to_fit();
        self.ends.shrink_to_fit();
        self.parents.shrink_to_fit();
        self.value_ends.shrink_to_fit();
        self.text.shrink_to_fit();
    }

    /// The number of rows.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The number of a row under a label.
    pub fn number(&self, row: u32, label: u32) -> Option<u64> {
        let first = self.numbers.partition_point(|entry| entry.0 < row);
        let of_row = self.numbers[first..].iter().take_while(|entry| entry.0 == row);
        of_row.filter(|entry| entry.1 == label).map(|entry| entry.2).next()
    }

    /// The column of codes.
    pub fn codes(&self) -> &[u32] {
        &self.codes
    }

    /// The column of codes, to be translated.
    pub fn codes_mut(&mut self) -> &mut [u32] {
        self.forget_index();
        &mut self.codes
    }

    /// The column of ends.
    pub fn ends(&self) -> &[u32] {
        &self.ends
    }

    /// The column of parents.
    pub fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// The parent of a row; none for the root.
    #[inline(always)]
    pub fn parent(&self, row: u32) -> Option<u32> {
        (row > 0).then(|| self.parents[row as usize])
    }

    #[inline(always)]
    fn kind(&self, row: u32) -> u32 {
        self.codes[row as usize] & KIND_MASK
    }

    /// One past the last attribute of an element; of another row, the row after it.
    #[inline(always)]
    pub fn attributes_end(&self, row: u32) -> u32 {
        let end = self.ends[row as usize];
        let mut next = row + 1;
        while next < end && self.kind(next) == kind::ATTRIBUTE {
            next += 1;
        }
        next
    }

    /// The root, and the elements open when the batch began; otherwise the chain of first child elements, from the
    /// outside in.
    pub fn spine(&self) -> Vec<u32> {
        if !self.opened.is_empty() {
            return self.opened.clone();
        }
        let mut found = vec![0];
        let mut row = 1;
        loop {
            while (row as usize) < self.len() && self.kind(row) == kind::ATTRIBUTE {
                row += 1;
            }
            if row as usize >= self.len() || self.kind(row) != kind::ELEMENT {
                return found;
            }
            found.push(row);
            row += 1;
        }
    }

    // --- values

    fn value_start(&self, row: u32) -> usize {
        row.checked_sub(1).map_or(0, |before| self.value_ends[before as usize])
    }

    #[inline(always)]
    fn characters(&self, row: u32) -> &str {
        &self.text[self.value_start(row)..self.value_ends[row as usize]]
    }

    /// The characters of a row; none for documents and elements.
    #[inline(always)]
    pub fn value(&self, row: u32) -> Option<&str> {
        (self.kind(row) > kind::ELEMENT).then(|| self.characters(row))
    }

    /// The string value of a row: its own characters, or all text below it.
    pub fn string_value(&self, row: u32) -> Cow<'_, str> {
        if let Some(value) = self.value(row) {
            return Cow::Borrowed(value);
        }
        let end = self.ends[row as usize];
        let first = self.attributes_end(row);
        if first == end {
            return Cow::Borrowed("");
        }
        if self.codes[first as usize] == kind::TEXT && first + 1 == end {
            return Cow::Borrowed(self.characters(first));
        }
        let mut all = String::with_capacity(self.value_ends[end as usize - 1] - self.value_start(first));
        for other in first..end {
            if self.codes[other as usize] == kind::TEXT {
                all.push_str(self.characters(other));
            }
        }
        Cow::Owned(all)
    }

    /// The total number of characters in the values of some rows.
    pub fn count_characters(&self, start: u32, end: u32) -> usize {
        if start >= end {
            return 0;
        }
        self.text[self.value_start(start)..self.value_ends[end as usize - 1]].chars().count()
    }

    /// Whether two subtrees have the same rows, codes and characters.
    pub fn has_same_rows(&self, row: u32, other: &Tree, other_row: u32) -> bool {
        let (start, end) = (row as usize, self.ends[row as usize] as usize);
        let (other_start, other_end) = (other_row as usize, other.ends[other_row as usize] as usize);
        if end - start != other_end - other_start || self.codes[start..end] != other.codes[other_start..other_end] {
            return false;
        }
        let (text, other_text) = (self.value_start(row), other.value_start(other_row));
        let ends = self.ends[start..end].iter().zip(&other.ends[other_start..other_end]);
        let lengths = self.value_ends[start..end].iter().zip(&other.value_ends[other_start..other_end]);
        ends.into_iter().all(|(one, two)| one - row == two - other_row)
            && lengths.into_iter().all(|(one, two)| one - text == two - other_text)
            && self.text[text..self.value_ends[end - 1]] == other.text[other_text..other.value_ends[other_end - 1]]
    }

    /// Bytes held by columns and characters.
    pub fn held_bytes(&self) -> usize {
        4 * (self.codes.capacity() + self.ends.capacity() + self.parents.capacity())
            + size_of::<usize>() * self.value_ends.capacity()
            + self.text.capacity()
            + self.index.lock().map_or(0, |index| index.values().map(|rows| 4 * rows.len()).sum())
    }

    // --- names

    /// The rows with a code, ascending; they are cached until the tree changes.
    pub fn named(&self, code: u32) -> Arc<[u32]> {
        let mut index = self.index.lock().unwrap_or_else(PoisonError::into_inner);
        let rows = index.entry(code).or_insert_with(|| {
            let mut found = Vec::new();
            search(&self.codes, code, 0, &mut found);
            found.into()
        });
        rows.clone()
    }

    /// The rows with a code, if cached.
    fn indexed(&self, code: u32) -> Option<Arc<[u32]>> {
        self.index.lock().unwrap_or_else(PoisonError::into_inner).get(&code).cloned()
    }

    fn forget_index(&mut self) {
        self.index.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        self.nearest.get_mut().unwrap_or_else(PoisonError::into_inner).clear();
        *self.scopes.get_mut().unwrap_or_else(PoisonError::into_inner) = scope_index::ScopeCache::default();
    }

    /// Append the rows with a code in a range to others.
    fn named_between(&self, code: u32, start: u32, end: u32, found: &mut Vec<u32>) {
        if ((end - start) as usize) < SEARCHED_ROWS {
            search(&self.codes[start as usize..end as usize], code, start, found);
            return;
        }
        let named = self.named(code);
        let first = named.partition_point(|&row| row < start);
        let last = first + named[first..].partition_point(|&row| row < end);
        found.extend_from_slice(&named[first..last]);
    }

    /// The number of rows with a code in a range.
    pub fn count_between(&self, code: u32, start: u32, end: u32) -> usize {
        if ((end - start) as usize) < SEARCHED_ROWS {
            return self.codes[start as usize..end as usize].iter().filter(|&&other| other == code).count();
        }
        let named = self.named(code);
        named.partition_point(|&row| row < end) - named.partition_point(|&row| row < start)
    }

    /// The first row with a code in a range.
    pub fn first_between(&self, code: u32, start: u32, end: u32) -> Option<u32> {
        if (end - start) as usize >= SEARCHED_ROWS {
            if let Some(named) = self.indexed(code) {
                let first = named.partition_point(|&row| row < start);
                return named.get(first).copied().filter(|&row| row < end);
            }
        }
        let place = self.codes[start as usize..end as usize].iter().position(|&other| other == code)?;
        Some(start + place as u32)
    }

    /// Prefixes of rows that are not those of their names, by ascending row.
    pub fn prefixed(&self) -> &[(u32, Box<str>)] {
        &self.prefixed
    }

    /// Give a row a prefix of its own.
    pub fn rename(&mut self, row: u32, prefix: &str) {
        match self.prefixed.binary_search_by_key(&row, |entry| entry.0) {
            Ok(place) => self.prefixed[place].1 = prefix.into(),
            Err(place) => self.prefixed.insert(place, (row, prefix.into())),
        }
    }

    // --- namespaces

    /// Namespace declarations, by ascending row.
    pub fn declared(&self) -> &[(u32, Arc<[Binding]>)] {
        &self.declared
    }

    /// Namespace declarations of some rows.
    pub fn declared_within(&self, start: u32, end: u32) -> &[(u32, Arc<[Binding]>)] {
        between(&self.declared, start, end)
    }

    /// The element's own declarations.
    pub fn declared_at(&self, row: u32) -> &[Binding] {
        match self.declared.binary_search_by_key(&row, |entry| entry.0) {
            Ok(place) => &self.declared[place].1,
            Err(_) => &[],
        }
    }

    /// A key shared by rows with the same namespaces in scope: the list of the nearest element that declares something,
    /// and the next such ancestor. Copies of siblings share a list.
    pub fn scope_key(&self, row: u32) -> (usize, Option<u32>) {
        let Some((nearest, place)) = self.nearest_declaring(row) else { return (0, None) };
        let outer = self.parent(nearest).and_then(|parent| self.nearest_declaring(parent));
        (self.declared[place].1.as_ptr() as usize, outer.map(|(row, _)| row))
    }

    /// The nearest element that declares something, from a row up, and its index among them.
    fn nearest_declaring(&self, row: u32) -> Option<(u32, usize)> {
        let mut here = (!self.declared.is_empty()).then_some(row)?;
        loop {
            match self.declared.binary_search_by_key(&here, |entry| entry.0) {
                Ok(place) => return Some((here, place)),
                Err(_) => here = self.parent(here)?,
            }
        }
    }

    /// Copy the declarations of another element, stored once for both.
    pub fn declare_like(&mut self, row: u32, other: u32) {
        let Ok(place) = self.declared.binary_search_by_key(&other, |entry| entry.0) else { return };
        let bindings = self.declared[place].1.clone();
        self.set_declarations(row, bindings);
    }

    /// Set the declarations of an element.
    pub fn declare(&mut self, row: u32, bindings: Vec<Binding>) {
        self.set_declarations(row, bindings.into());
    }

    fn set_declarations(&mut self, row: u32, bindings: Arc<[Binding]>) {
        self.forget_index();
        match self.declared.binary_search_by_key(&row, |entry| entry.0) {
            Ok(place) => self.declared[place].1 = bindings,
            Err(place) => self.declared.insert(place, (row, bindings)),
        }
    }

    /// The namespaces in scope of an element, without `xml`: its own first, then those of its ancestors from the inside
    /// out.
    pub fn in_scope(&self, row: u32) -> Vec<&Binding> {
        let mut here = (!self.declared.is_empty()).then_some(row);
        in_scope(std::iter::from_fn(|| {
            let row = here?;
            here = self.parent(row);
            Some(self.declared_at(row))
        }))
    }

    // --- growing

    /// Append one row; the rows before it must be complete except for their ends.
    pub fn push(&mut self, code: u32, end: u32, parent: u32, value: &str) {
        self.codes.push(code);
        self.ends.push(end);
        self.parents.push(parent);
        self.text.push_str(value);
        self.value_ends.push(self.text.len());
        self.forget_index();
    }

    /// Extend the root over all rows so far.
    pub fn close_root(&mut self) {
        let rows = self.len() as u32;
        if let Some(end) = self.ends.first_mut() {
            *end = rows;
        }
        self.forget_index();
    }

    /// Append a copy of a range of rows of another tree, the first of which gets a new parent; returns its new row.
    ///
    /// Prefixes and inner declarations are copied; those of the first row are left to the caller, who knows what is in
    /// scope.
    pub fn append(&mut self, source: &Tree, start: u32, end: u32, parent: u32) -> u32 {
        let first = self.len() as u32;
        let (from, to) = (start as usize, end as usize);
        self.codes.extend_from_slice(&source.codes[from..to]);
        self.ends.extend(source.ends[from..to].iter().map(|other| other.min(&end) - start + first));
        self.parents.push(parent);
        self.parents.extend(source.parents[from + 1..to].iter().map(|other| other - start + first));
        let (value_start, shift) = (source.value_start(start), self.text.len());
        self.text.push_str(&source.text[value_start..source.value_ends[to - 1]]);
        self.value_ends.extend(source.value_ends[from..to].iter().map(|other| other - value_start + shift));
        for (row, bindings) in between(&source.declared, start + 1, end) {
            self.declared.push((row - start + first, bindings.clone()));
        }
        for (row, prefix) in between(&source.prefixed, start, end) {
            self.prefixed.push((row - start + first, prefix.clone()));
        }
        self.forget_index();
        first
    }

    /// Append copies of children of `parent` in another tree to the root, like `append`; returns the first row of each.
    ///
    /// None, and nothing is appended, if one is not a child of it or declares namespaces.
    pub fn gather(&mut self, source: &Tree, rows: &[u32], parent: u32) -> Option<Vec<u32>> {
        let is_plain =
            |row: u32| source.parents[row as usize] == parent && between(&source.declared, row, row + 1).is_empty();
        if !rows.iter().all(|&row| is_plain(row)) {
            return None;
        }
        Some(rows.iter().map(|&row| self.append(source, row, source.ends[row as usize], 0)).collect())
    }
}

/// The entries of a range of rows.
fn between<T>(entries: &[(u32, T)], start: u32, end: u32) -> &[(u32, T)] {
    let first = entries.partition_point(|entry| entry.0 < start);
    let last = first + entries[first..].partition_point(|entry| entry.0 < end);
    &entries[first..last]
}

/// Append the indexes of a code, counted from `first`, to others.
fn search(codes: &[u32], code: u32, first: u32, found: &mut Vec<u32>) {
    // Most rows have another code: sixteen are compared at once, and inspected only if one of them matches.
    const WIDTH: usize = 16;
    let mut row = first;
    for block in codes.chunks(WIDTH) {
        if block.iter().fold(false, |any, &other| any | (other == code)) {
            found.extend((row..).zip(block).filter(|(_, &other)| other == code).map(|(row, _)| row));
        }
        row += WIDTH as u32;
    }
}

#[cfg(test)]
mod tests;
