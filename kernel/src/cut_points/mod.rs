//! Places where a document may be cut, with the text that turns the parts into documents
//! (`xylem/source/byte_ranges.py`).
//!
//! A document is cut before the first element of a scope at or after each multiple of the target size, never inside
//! one, nor before the root element. `lexer` finds tags, `walk` follows them with a `matcher` that asks the reader of
//! the scan about them, `finder` does so for input that arrives in pieces, and `file_pass` for files, with several
//! threads. `documents` divides a stream of several documents into these.

pub mod coding;
mod doctype_end;
pub mod documents;
pub mod file_pass;
pub mod finder;
pub mod lexer;
mod lines;
pub mod matcher;
mod structure;
mod tags;
mod walk;

use walk::Walk;

/// A place where a document may be cut.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutPoint {
    /// Byte offset in the document.
    pub offset: u64,
    /// From 1.
    pub line: u64,
    /// The text that turns the part after it into a document.
    pub opening: Vec<u8>,
    /// The text that turns the part before it into a document.
    pub closing: Vec<u8>,
    /// Whether it is before an item, or somewhere between distant items.
    pub is_before_item: bool,
}

impl CutPoint {
    /// The start of a document.
    fn start() -> Self {
        CutPoint { offset: 0, line: 1, opening: Vec::new(), closing: Vec::new(), is_before_item: false }
    }

    fn here(offset: u64, line: u64, walk: &Walk) -> Self {
        CutPoint { offset, line, opening: walk.opening(), closing: walk.closing(), is_before_item: true }
    }
}
