//! The tags of a part of a file, read piece by piece.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::Path;

use super::coding::Coding;
use super::lexer::{Lexer, Markup};
use super::lines::Lines;

const PIECE: usize = 256 * 1024;

/// A tag, and its position.
pub struct Tag<'a> {
    /// What it is.
    pub markup: Markup,
    /// Its bytes.
    pub bytes: &'a [u8],
    /// Offset in the file.
    pub offset: u64,
    /// Offset in the buffer.
    start: usize,
}

/// Lines, counted on request.
pub struct LineCount<'a> {
    /// The line of the last requested tag.
    pub lines: &'a mut Lines,
    buffer: &'a [u8],
    counted: usize,
}

impl LineCount<'_> {
    /// The line of a tag.
    pub fn line(&mut self, tag: &Tag<'_>) -> u64 {
        self.lines.pass(&self.buffer[self.counted..tag.start]);
        self.counted = tag.start;
        self.lines.line
    }
}

/// Why reading tags stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The callback stopped it.
    Stopped,
    /// The part of the file has ended.
    Ended,
    /// A tag exceeds every allowed length: the bytes are not what they seem.
    TooLong,
}

/// A file, and a buffer for it.
pub struct TagReader {
    file: File,
    buffer: Vec<u8>,
    /// The longest allowed tag.
    pub longest: usize,
    /// The line reached so far.
    pub lines: Lines,
}

impl TagReader {
    /// Open a file.
    pub fn open(path: &Path, longest: usize) -> io::Result<Self> {
        Ok(TagReader { file: File::open(path)?, buffer: Vec::new(), longest, lines: Lines::default() })
    }

    /// Read exactly these bytes.
    pub fn bytes(&mut self, offset: u64, size: usize) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; size];
        self.file.seek(SeekFrom::Start(offset))?;
        self.file.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Pass each tag from a place outside markup to a function, until it stops.
    #[inline(always)]
    pub fn tags(
        &mut self,
        coding: Coding,
        from: u64,
        to: u64,
        mut each: impl FnMut(Tag<'_>, &mut LineCount<'_>) -> bool,
    ) -> io::Result<Outcome> {
        let TagReader { file, buffer, longest, lines } = self;
        let mut lexer = Lexer::new(coding);
        file.seek(SeekFrom::Start(from))?;
        buffer.clear();
        let (mut base, mut next) = (from, from);
        loop {
            let wanted = usize::try_from((to - next).min(PIECE as u64)).unwrap_or(PIECE);
            let kept = buffer.len();
            buffer.resize(kept + wanted, 0);
            let size = file.read(&mut buffer[kept..])?;
            buffer.truncate(kept + size);
            if size == 0 {
                return Ok(Outcome::Ended);
            }
            next += size as u64;
            let mut place = 0;
            let mut count = LineCount { lines: &mut *lines, buffer: &*buffer, counted: 0 };
            while let Some((markup, at)) = lexer.next(buffer, &mut place) {
                let bytes = &buffer[at.start..at.end];
                let tag = Tag { markup, bytes, offset: base + at.start as u64, start: at.start };
                if !each(tag, &mut count) {
                    return Ok(Outcome::Stopped);
                }
            }
            let counted = count.counted;
            lines.pass(&buffer[counted..place]);
            base += place as u64;
            buffer.drain(..place);
            if buffer.len() > *longest {
                return Ok(Outcome::TooLong);
            }
        }
    }
}
