//! Places where a document may be cut, each with what makes the parts documents (`xylem/source/byte_ranges.py`).
//!
//! A document is cut before the first element that a scope leads to at or after each multiple of the target size, never
//! inside of one, nor before the root element. `lexer` finds tags, `walk` follows them with a `matcher` that asks
//! the reader of the scan what they are, `finder` does so for input that comes in pieces, and `file_pass` for files, with
//! several threads. `documents` divides a stream of several documents into these.

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
    /// In bytes of the document.
    pub offset: u64,
    /// From 1.
    pub line: u64,
    /// Makes what follows a document.
    pub opening: Vec<u8>,
    /// Makes what precedes a document.
    pub closing: Vec<u8>,
    /// Whether it is before an item, or just somewhere between items that are far apart.
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
