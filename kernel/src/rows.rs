//! The rows of the projected document as columns, in the form of `xylem.values.tree`, and the records that point to
//! them.

use std::sync::{Arc, Mutex};

use crate::characters::{count, is_all_space};
use crate::errors::{limit, Halt};
use crate::namespaces::Binding;
use crate::plan::WRITTEN;
use crate::template::Items;

/// The kinds of nodes, numbered as in `xylem.values.node`.
pub mod kind {
    /// The document node.
    pub const DOCUMENT: u32 = 0;
    /// An element.
    pub const ELEMENT: u32 = 1;
    /// An attribute.
    pub const ATTRIBUTE: u32 = 2;
    /// A text node.
    pub const TEXT: u32 = 3;
    /// A comment.
    pub const COMMENT: u32 = 4;
    /// A processing instruction.
    pub const INSTRUCTION: u32 = 5;
}

const KIND_MASK: u32 = 7;

/// The accounted size of a row without a value.
const ROW_BYTES: usize = 32;
/// The accounted size of a row in trees, as in `xylem.run.stream.buffer`.
const TREE_ROW_BYTES: usize = 24;

/// The declarations of an element, and the text of everything in scope of it.
pub type WrittenScope = (Arc<[Binding]>, Box<[u8]>);

/// Columns, one entry for each row; values lie end to end in one buffer, in the order of the rows.
#[derive(Default)]
pub struct Rows {
    /// Number of the name in the table for Python and, in the three lowest bits, the kind.
    pub codes: Vec<u32>,
    /// One past the last row of the subtree.
    pub ends: Vec<u32>,
    /// Row of the parent; of the document node, itself.
    pub parents: Vec<u32>,
    /// Where the value of each row ends in `characters`; it begins where the previous one ends.
    pub value_ends: Vec<usize>,
    /// All values, in UTF-8.
    pub characters: Vec<u8>,
    /// Namespace declarations of rows.
    pub declared: Vec<(u32, Arc<[Binding]>)>,
    /// The text of everything in scope below such a declaration list, as last written.
    pub written_scope: Mutex<Option<WrittenScope>>,
    /// Rows whose prefix is not the one in the table.
    pub prefixed: Vec<(u32, Box<str>)>,
    /// Rows with a label and a number under it, by row.
    pub numbers: Vec<(u32, u32, u64)>,
    /// Kinds of the records.
    pub record_kinds: Vec<u8>,
    /// Steps of the records.
    pub record_steps: Vec<u32>,
    /// Rows of the records.
    pub record_rows: Vec<u32>,
    /// The last of these rows in document order.
    last_recorded: u32,
    /// The results of WRITTEN records, end to end.
    pub written_text: Vec<u8>,
    /// The contents of each WRITTEN record.
    pub written: Vec<Written>,
    /// The records of takers of steps.
    pub taken: Vec<Taken>,
    /// The results among them, end to end.
    pub taken_text: Vec<u8>,
    /// The elements that were open when it began, from the outside in.
    pub spine: Vec<u32>,
    /// Whether more text belongs to the last row.
    text_is_open: bool,
}

/// The columns of the nodes themselves, of rows or of a whole tree.
#[derive(Clone, Copy)]
pub struct RowColumns<'a> {
    /// As in `Rows`.
    pub codes: &'a [u32],
    /// As in `Rows`.
    pub ends: &'a [u32],
    /// As in `Rows`.
    pub parents: &'a [u32],
    /// As in `Rows`.
    pub value_ends: &'a [usize],
    /// As in `Rows`.
    pub characters: &'a [u8],
    /// As in `Rows`.
    pub declared: &'a [(u32, Arc<[Binding]>)],
    /// As in `Rows`.
    pub prefixed: &'a [(u32, Box<str>)],
    /// As in `Rows`.
    pub written_scope: &'a Mutex<Option<WrittenScope>>,
}

static NO_SCOPE: Mutex<Option<WrittenScope>> = Mutex::new(None);

impl<'a> RowColumns<'a> {
    /// No rows at all.
    pub const NONE: RowColumns<'static> = RowColumns {
        codes: &[],
        ends: &[],
        parents: &[],
        value_ends: &[],
        characters: &[],
        declared: &[],
        prefixed: &[],
        written_scope: &NO_SCOPE,
    };

    /// The characters of a row.
    #[inline(always)]
    pub fn value(&self, row: usize) -> &'a [u8] {
        let start = row.checked_sub(1).map_or(0, |before| self.value_ends[before]);
        &self.characters[start..self.value_ends[row]]
    }
}

/// A record of a taker: an element, a written result, or a count.
#[derive(Clone, Copy, Debug, Default)]
pub struct Taken {
    /// Its owner.
    pub owner: u32,
    /// The step as the owner numbers it.
    pub step: u32,
    /// ITEM, WRITTEN or COUNT.
    pub kind: u8,
    /// The row of a record.
    pub row: u32,
    /// Start of its text.
    pub start: usize,
    /// End of its text.
    pub end: usize,
    /// The items of the answer in the text, or the count.
    pub items: u64,
    /// The characters in the rows of the element.
    pub most_characters: usize,
    /// The number of its rows.
    pub most_rows: usize,
}

/// A position among the records.
#[derive(Clone, Copy, Debug)]
pub struct Mark {
    records: usize,
    last_recorded: u32,
    text: usize,
    written: usize,
    taken: usize,
}

/// The results of successive elements of a step, as one record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// End of the text.
    pub end: usize,
    /// The elements it was written for.
    pub elements: u64,
    /// Its items of the answer.
    pub items: Items,
    /// For the largest element, the characters in its rows.
    pub most_characters: usize,
    /// The number of its rows.
    pub most_rows: usize,
}

impl Rows {
    /// The number of rows.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// The columns of the nodes.
    #[inline(always)]
    pub fn columns(&self) -> RowColumns<'_> {
        RowColumns {
            codes: &self.codes,
            ends: &self.ends,
            parents: &self.parents,
            value_ends: &self.value_ends,
            characters: &self.characters,
            declared: &self.declared,
            prefixed: &self.prefixed,
            written_scope: &self.written_scope,
        }
    }

    /// Clear; the capacity stays.
    pub fn clear(&mut self) {
        self.truncate(0);
        self.record_kinds.clear();
        self.record_steps.clear();
        self.record_rows.clear();
        self.last_recorded = 0;
        self.written_text.clear();
        self.written.clear();
    }

    /// Append a row with the characters given so far.
    #[inline(always)]
    pub fn push(&mut self, code: u32, parent: u32) -> u32 {
        let row = self.codes.len() as u32;
        self.codes.push(code);
        self.parents.push(parent);
        self.ends.push(row + 1);
        self.value_ends.push(self.characters.len());
        row
    }

    /// Append a row with a value.
    #[inline(always)]
    pub fn push_value(&mut self, code: u32, parent: u32, value: &[u8]) -> u32 {
        self.characters.extend_from_slice(value);
        self.push(code, parent)
    }

    /// The row's subtree is complete.
    #[inline(always)]
    pub fn close(&mut self, row: u32) {
        self.ends[row as usize] = self.codes.len() as u32;
    }

    /// Remove a row and all after it; no record may point to them.
    pub fn truncate(&mut self, row: u32) {
        let first = row as usize;
        self.characters.truncate(self.value_start(first));
        self.codes.truncate(first);
        self.ends.truncate(first);
        self.parents.truncate(first);
        self.value_ends.truncate(first);
        self.declared.retain(|(other, _)| *other < row);
        self.prefixed.retain(|(other, _)| *other < row);
        self.numbers.retain(|(other, ..)| *other < row);
        self.text_is_open = false;
    }

    /// The characters of a row.
    #[inline(always)]
    pub fn value(&self, row: usize) -> &[u8] {
        &self.characters[self.value_start(row)..self.value_ends[row]]
    }

    /// Where the value of a row begins.
    #[inline(always)]
    pub fn value_start(&self, row: usize) -> usize {
        row.checked_sub(1).map_or(0, |before| self.value_ends[before])
    }

    /// Add characters to the open text node, or begin one.
    #[inline(always)]
    pub fn text(&mut self, parent: u32, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.characters.extend_from_slice(text);
        if self.text_is_open {
            if let Some(end) = self.value_ends.last_mut() {
                *end = self.characters.len();
            }
            return;
        }
        self.text_is_open = true;
        self.push(kind::TEXT, parent);
    }

    /// Add characters to the single text node of an element, or begin it.
    pub fn collect(&mut self, parent: u32, text: &[u8]) {
        self.text_is_open = self.codes.last() == Some(&kind::TEXT) && self.parents.last() == Some(&parent);
        self.text(parent, text);
    }

    /// Text after this belongs to another node; returns whether one ends here.
    #[inline(always)]
    pub fn end_text(&mut self) -> bool {
        std::mem::take(&mut self.text_is_open)
    }

    /// Like `end_text`, but a text node of white space alone is removed.
    pub fn end_text_without_space(&mut self) -> bool {
        if !self.end_text() {
            return false;
        }
        let start = self.value_start(self.len() - 1);
        if !is_all_space(&self.characters[start..]) {
            return true;
        }
        self.pop_text();
        false
    }

    /// Remove the open text node, which is the last row; returns its characters.
    pub fn take_open_text(&mut self) -> Option<Vec<u8>> {
        self.end_text().then(|| self.pop_text())
    }

    fn pop_text(&mut self) -> Vec<u8> {
        let text = self.characters.split_off(self.value_start(self.len() - 1));
        self.codes.pop();
        self.parents.pop();
        self.ends.pop();
        self.value_ends.pop();
        text
    }

    /// Whether the last row's value is longer than allowed.
    #[inline(always)]
    pub fn check_text(&self, allowed: usize, at: usize) -> Result<(), Halt> {
        let start = self.value_start(self.len() - 1);
        if self.characters.len() - start <= allowed {
            return Ok(());
        }
        let actual = count(&self.characters[start..]);
        if actual > allowed {
            return Err(limit(at, "text characters", actual, allowed));
        }
        Ok(())
    }

    /// Report a row.
    #[inline(always)]
    pub fn record(&mut self, kind: u8, step: u32, row: u32) {
        self.record_kinds.push(kind);
        self.record_steps.push(step);
        self.record_rows.push(row);
        self.last_recorded = self.last_recorded.max(row);
    }

    /// The result of an element has been appended to `written_text`, with this many items.
    pub fn record_written(&mut self, step: u32, row: u32, start: usize, items: Items) {
        let (characters, rows) = self.size_of(row);
        if self.record_kinds.last() != Some(&WRITTEN) || self.record_steps.last() != Some(&step) {
            self.record(WRITTEN, step, 0);
            self.written.push(Written::default());
        }
        let Some(last) = self.written.last_mut() else { return };
        if last.items.follow_with(items) {
            self.written_text.insert(start, b' ');
        }
        last.end = self.written_text.len();
        last.elements += 1;
        if characters + TREE_ROW_BYTES * rows > last.most_characters + TREE_ROW_BYTES * last.most_rows {
            (last.most_characters, last.most_rows) = (characters, rows);
        }
    }

    /// The characters in the rows of an element, and the number of its rows.
    pub fn size_of(&self, row: u32) -> (usize, usize) {
        let end = self.ends[row as usize] as usize;
        let characters = &self.characters[self.value_start(row as usize)..self.value_start(end)];
        (count(characters), end - row as usize)
    }

    /// The reader of the batch needs a row.
    pub fn point_to(&mut self, row: u32) {
        self.last_recorded = self.last_recorded.max(row);
    }

    /// The current position in records and written text.
    pub fn mark(&self) -> Mark {
        Mark {
            records: self.record_kinds.len(),
            last_recorded: self.last_recorded,
            text: self.written_text.len(),
            written: self.written.len(),
            taken: self.taken.len(),
        }
    }

    /// The steps of the records since then.
    pub fn records_since(&self, mark: &Mark) -> &[u32] {
        &self.record_steps[mark.records..]
    }

    /// Whether a taker has had any record since then.
    pub fn has_taken_since(&self, mark: &Mark) -> bool {
        self.taken.len() > mark.taken
    }

    /// Undo all records since then, with their written text.
    pub fn take_back(&mut self, mark: &Mark) {
        self.record_kinds.truncate(mark.records);
        self.record_steps.truncate(mark.records);
        self.record_rows.truncate(mark.records);
        self.last_recorded = mark.last_recorded;
        self.written_text.truncate(mark.text);
        self.written.truncate(mark.written);
    }

    /// Whether a record points to a row from this one on.
    pub fn points_from(&self, row: u32) -> bool {
        self.last_recorded >= row
    }

    /// Bytes held from a row on.
    #[inline(always)]
    pub fn bytes_from(&self, row: u32) -> usize {
        self.characters.len() - self.value_start(row as usize) + ROW_BYTES * (self.len() - row as usize)
    }

    /// The attribute rows right after an element.
    fn attributes_end(&self, row: u32) -> usize {
        let mut end = row as usize + 1;
        while end < self.len() && self.codes[end] & KIND_MASK == kind::ATTRIBUTE && self.parents[end] == row {
            end += 1;
        }
        end
    }

    /// Repeat an open element of another batch, with its attributes; returns the new row.
    pub fn repeat_open(&mut self, old: &Rows, row: u32, parent: u32) -> u32 {
        let new = self.len() as u32;
        for source in row as usize..old.attributes_end(row) {
            let value = &old.characters[old.value_start(source)..old.value_ends[source]];
            self.push_value(old.codes[source], if source == row as usize { parent } else { new }, value);
        }
        self.repeat_names(old, row, old.attributes_end(row) as u32, new);
        new
    }

    /// Repeat all rows from one on: the outermost of them become children of the element at `parent`.
    pub fn repeat_from(&mut self, old: &Rows, row: u32, parent: u32) -> u32 {
        let new = self.repeat_rows(old, row, old.len() as u32, parent);
        self.text_is_open = old.text_is_open;
        new
    }

    /// Repeat a row with its subtree.
    pub fn repeat_subtree(&mut self, old: &Rows, row: u32, parent: u32) -> u32 {
        self.repeat_rows(old, row, old.ends[row as usize], parent)
    }

    fn repeat_rows(&mut self, old: &Rows, row: u32, end: u32, parent: u32) -> u32 {
        let new = self.len() as u32;
        let (first, last) = (row as usize, end as usize);
        let value_start = old.value_start(first);
        let value_shift = |end: &usize| end - value_start + self.characters.len();
        self.value_ends.extend(old.value_ends[first..last].iter().map(value_shift));
        self.characters.extend_from_slice(&old.characters[value_start..old.value_start(last)]);
        self.codes.extend_from_slice(&old.codes[first..last]);
        self.ends.extend(old.ends[first..last].iter().map(|other| other - row + new));
        let top = if row == 0 { 0 } else { parent };
        let moved = |&other: &u32| if other < row { top } else { other - row + new };
        self.parents.push(top);
        self.parents.extend(old.parents[first + 1..last].iter().map(moved));
        self.repeat_names(old, row, end, new);
        new
    }

    fn repeat_names(&mut self, old: &Rows, from: u32, to: u32, new: u32) {
        let declared = old.declared.iter().filter(|(row, _)| (from..to).contains(row));
        self.declared.extend(declared.map(|(row, bindings)| (row - from + new, bindings.clone())));
        let prefixed = old.prefixed.iter().filter(|(row, _)| (from..to).contains(row));
        self.prefixed.extend(prefixed.map(|(row, prefix)| (row - from + new, prefix.clone())));
        let numbers = old.numbers.iter().filter(|(row, ..)| (from..to).contains(row));
        self.numbers.extend(numbers.map(|&(row, label, number)| (row - from + new, label, number)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Rows {
        let mut rows = Rows::default();
        rows.push(kind::DOCUMENT, 0);
        rows.push(8 | kind::ELEMENT, 0);
        rows.push_value(16 | kind::ATTRIBUTE, 1, b"v");
        rows.text(1, b"a");
        rows.text(1, b"b");
        rows.end_text();
        rows.text(1, b"c");
        rows
    }

    #[test]
    fn text_is_joined_until_something_comes_between() {
        let rows = sample();
        assert_eq!(rows.codes, [0, 9, 18, 3, 3]);
        assert_eq!(rows.value_ends, [0, 0, 1, 3, 4]);
        assert_eq!(rows.characters, b"vabc");
    }

    #[test]
    fn an_open_element_is_repeated_with_its_attributes_alone() {
        let old = sample();
        let mut rows = Rows::default();
        rows.push(kind::DOCUMENT, 0);
        assert_eq!(rows.repeat_open(&old, 1, 0), 1);
        assert_eq!(rows.codes, [0, 9, 18]);
        assert_eq!(rows.characters, b"v");
    }

    #[test]
    fn an_item_takes_everything_along() {
        let old = sample();
        let mut rows = Rows::default();
        rows.push(kind::DOCUMENT, 0);
        rows.push(24 | kind::ELEMENT, 0);
        assert_eq!(rows.repeat_from(&old, 1, 1), 2);
        assert_eq!(rows.parents, [0, 0, 1, 2, 2, 2]);
        assert_eq!(rows.ends[2..], [3, 4, 5, 6]);
        rows.text(2, b"d");
        assert_eq!(rows.characters, b"vabcd");
        assert_eq!(rows.len(), 6);
    }

    #[test]
    fn white_space_alone_can_be_taken_back() {
        let mut rows = sample();
        rows.end_text();
        rows.text(1, b" \n");
        rows.end_text_without_space();
        assert_eq!(rows.characters, b"vabc");
        assert_eq!(rows.len(), 5);
    }
}
