//! How the open elements change over a stretch of a document, found without knowing the open elements at its start.
//!
//! A stretch closes some elements that were open before it, and leaves some open that begin in it. The part in between
//! is summarised: the depth at the start of each block, and the least depth in it, so a search can skip blocks that are
//! inside one element from start to end.

use std::io;

use super::coding::Coding;
use super::lexer::Markup;
use super::lines::Lines;
use super::tags::{Outcome, TagReader};

const BLOCK: u64 = 64 * 1024;

/// A place to resume from, with a summary up to the next one.
#[derive(Clone, Copy, Debug)]
pub struct Block {
    /// Offset of a tag in the file.
    pub offset: u64,
    /// Lines from the start of the stretch.
    pub lines: u64,
    /// Number of open elements there, minus those at the start of the stretch.
    pub depth: i64,
    /// The least number of open elements before or after any tag of the block.
    pub least: i64,
}

/// The effect of a stretch.
#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Start of its first tag, or the end of the file.
    pub start: u64,
    /// Start of the first tag after it, or the end of the file.
    pub end: u64,
    /// Its tags begin before this.
    pub limit: u64,
    /// How many lines it has.
    pub lines: u64,
    /// The number of elements it ends that began before it.
    pub closes: usize,
    /// Start tags of the elements it leaves open: offset and length.
    pub opens: Vec<(u64, usize)>,
    /// Its blocks; empty if no tag begins in it.
    pub blocks: Vec<Block>,
    /// Whether its end was not found, so nothing is known about the rest.
    pub is_broken: bool,
}

/// Examine the stretch from a place outside markup up to the first tag from `limit` on.
pub fn survey(reader: &mut TagReader, coding: Coding, from: u64, limit: u64, file_end: u64) -> io::Result<Structure> {
    let mut found = Structure { start: file_end, end: file_end, limit, ..Structure::default() };
    let mut block = Block { offset: 0, lines: 0, depth: 0, least: 0 };
    let (mut depth, mut block_end) = (0, 0);
    let mut is_first = true;
    reader.lines = Lines::default();
    let outcome = reader.tags(coding, from, file_end, |tag, count| {
        if is_first {
            // Text before the first tag belongs to the previous stretch.
            is_first = false;
            found.start = tag.offset;
            count.line(&tag);
            *count.lines = Lines::default();
        }
        if tag.offset >= limit {
            found.end = tag.offset;
            found.lines = count.line(&tag) - 1;
            return false;
        }
        if tag.offset >= block_end {
            if block_end > 0 {
                found.blocks.push(block);
            }
            block = Block { offset: tag.offset, lines: count.line(&tag) - 1, depth, least: depth };
            block_end = tag.offset + BLOCK;
        }
        match tag.markup {
            Markup::Start { is_empty: false } => {
                depth += 1;
                found.opens.push((tag.offset, tag.bytes.len()));
            }
            Markup::End => {
                depth -= 1;
                block.least = block.least.min(depth);
                if found.opens.pop().is_none() {
                    found.closes += 1;
                }
            }
            _ => {}
        }
        true
    })?;
    if block_end > 0 {
        found.blocks.push(block);
    }
    if outcome != Outcome::Stopped {
        found.lines = reader.lines.line - 1;
    }
    found.is_broken = outcome == Outcome::TooLong;
    Ok(found)
}
