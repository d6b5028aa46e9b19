//! The borders of documents in a stream of several, one after another.
//!
//! A document ends with its root element. White space and the mark `]]>]]>` of NETCONF (RFC 4742 §3.1) may stand between two
//! documents; comments and processing instructions there go with the second one, or with none if that begins with an
//! XML declaration. A declaration inside an element can only be the start of the next document: the one before it is
//! reported as incomplete. Encodings may differ from one document to the next, as far as they contain ASCII.

use super::coding::{coding, Coding};
use super::lexer::{Lexer, Markup};
use super::lines::Lines;
use crate::characters::is_space;

/// The mark between messages.
pub const MARK: &[u8] = b"]]>]]>";

/// A document of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Document {
    /// Its offset in the stream.
    pub offset: u64,
    /// Its first line, from 1.
    pub line: u64,
    /// Its bytes.
    pub data: Vec<u8>,
    /// Whether its root element ends in it.
    pub is_complete: bool,
}

/// Documents that cannot be separated: consecutive ones in UTF-16 and the like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsupported;

/// The state between two pieces. It holds the document that has begun.
pub struct Splitter {
    data: Vec<u8>,
    offset: u64,
    lines: Lines,
    /// How much of the data has been examined.
    place: usize,
    /// Start of the open document in the data.
    start: Option<usize>,
    lexer: Option<Lexer>,
    depth: u64,
    /// Whether the open document has more than comments and processing instructions.
    has_substance: bool,
    /// Whether only the mark separates documents, whatever they contain.
    by_mark: bool,
}

impl Splitter {
    /// A splitter at the start of a stream.
    pub fn new(by_mark: bool) -> Self {
        Splitter {
            data: Vec::new(),
            offset: 0,
            lines: Lines::default(),
            place: 0,
            start: None,
            lexer: None,
            depth: 0,
            has_substance: false,
            by_mark,
        }
    }

    /// The number of bytes held of an incomplete document.
    pub fn held(&self) -> usize {
        self.data.len()
    }

    /// Read another piece; returns the documents it completes.
    pub fn feed(&mut self, piece: &[u8]) -> Result<Vec<Document>, Unsupported> {
        self.data.extend_from_slice(piece);
        let mut found = Vec::new();
        let data = std::mem::take(&mut self.data);
        let mut done = 0;
        let outcome = if self.by_mark {
            self.look_for_marks(&data, &mut done, &mut found);
            Ok(())
        } else {
            self.look(&data, &mut done, &mut found)
        };
        self.drop_front(data, done);
        outcome.map(|()| found)
    }

    /// The end of the stream; returns the incomplete document, if any.
    pub fn finish(&mut self) -> Option<Document> {
        let data = std::mem::take(&mut self.data);
        let start = self.start.take().unwrap_or(0);
        let rest = &data[start..];
        let is_white = rest.iter().all(|&byte| is_space(byte));
        let is_text = !rest.starts_with(b"<!--") && !rest.starts_with(b"<?");
        (!is_white && (self.by_mark || self.has_substance || is_text))
            .then(|| self.document(&data, &mut 0, start, data.len(), false))
    }

    fn drop_front(&mut self, mut data: Vec<u8>, done: usize) {
        let size = self.start.unwrap_or(self.place);
        self.offset += (size - done) as u64;
        self.lines.pass(&data[done..size]);
        data.drain(..size);
        self.place -= size;
        self.start = self.start.map(|_| 0);
        self.data = data;
    }

    /// Describe a document, and move `done` to its end.
    fn document(&mut self, data: &[u8], done: &mut usize, start: usize, end: usize, is_complete: bool) -> Document {
        self.lines.pass(&data[*done..start]);
        let line = self.lines.line;
        let offset = self.offset + (start - *done) as u64;
        self.lines.pass(&data[start..end]);
        self.offset = offset + (end - start) as u64;
        *done = end;
        self.start = None;
        self.lexer = None;
        self.depth = 0;
        self.has_substance = false;
        Document { offset, line, data: data[start..end].to_vec(), is_complete }
    }

    fn look(&mut self, data: &[u8], done: &mut usize, found: &mut Vec<Document>) -> Result<(), Unsupported> {
        loop {
            let Some(start) = self.start else {
                if !self.pass_over_gap(data) {
                    return Ok(());
                }
                self.start = Some(self.place);
                continue;
            };
            if self.lexer.is_none() {
                match coding(&data[start..], false) {
                    None => return Ok(()),
                    Some((coding @ Coding::Bytes(_), mark)) => {
                        self.lexer = Some(Lexer::new(coding));
                        self.place = start + mark;
                    }
                    Some(_) => return Err(Unsupported),
                }
            }
            let mut place = self.place;
            let next = self.lexer.as_mut().and_then(|lexer| lexer.next(data, &mut place));
            self.place = place;
            let Some((markup, tag)) = next else { return Ok(()) };
            match markup {
                Markup::Head if data[tag.start..].starts_with(b"<?xml") => {
                    self.declaration(data, done, found, start, tag.start)
                }
                Markup::Head => self.has_substance = true,
                Markup::Start { is_empty } => {
                    self.has_substance = true;
                    self.depth += u64::from(!is_empty);
                    if self.depth == 0 {
                        found.push(self.document(data, done, start, tag.end, true));
                    }
                }
                Markup::End => {
                    let is_complete = self.depth > 0;
                    self.depth = self.depth.saturating_sub(1);
                    if self.depth == 0 {
                        found.push(self.document(data, done, start, tag.end, is_complete));
                    }
                }
            }
        }
    }

    /// An XML declaration: if the document has begun before it, that one ends here.
    fn declaration(&mut self, data: &[u8], done: &mut usize, found: &mut Vec<Document>, start: usize, at: usize) {
        let before = &data[start..at];
        if before.is_empty() || before == b"\xEF\xBB\xBF" {
            return;
        }
        let is_text = !before.starts_with(b"<!--") && !before.starts_with(b"<?");
        if self.has_substance || is_text {
            found.push(self.document(data, done, start, at, false));
        }
        self.start = Some(at);
        self.place = at;
        self.lexer = None;
        self.depth = 0;
        self.has_substance = false;
    }

    /// Skip the text between documents; returns whether one begins.
    fn pass_over_gap(&mut self, data: &[u8]) -> bool {
        loop {
            while data.get(self.place).is_some_and(|&byte| is_space(byte)) {
                self.place += 1;
            }
            let rest = &data[self.place..];
            if rest.starts_with(MARK) {
                self.place += MARK.len();
            } else {
                return !rest.is_empty() && !MARK.starts_with(rest);
            }
        }
    }

    fn look_for_marks(&mut self, data: &[u8], done: &mut usize, found: &mut Vec<Document>) {
        let mut start = 0;
        while let Some(size) = memchr::memmem::find(&data[self.place..], MARK) {
            let end = self.place + size;
            while start < end && is_space(data[start]) {
                start += 1;
            }
            if start < end {
                found.push(self.document(data, done, start, end, true));
            }
            self.place = end + MARK.len();
            start = self.place;
        }
        self.start = Some(start);
        self.place = self.place.max((data.len() + 1).saturating_sub(MARK.len())).max(start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &[u8], piece: usize, by_mark: bool) -> Vec<(u64, u64, String, bool)> {
        let mut splitter = Splitter::new(by_mark);
        let mut found: Vec<Document> = text.chunks(piece).flat_map(|part| splitter.feed(part).unwrap()).collect();
        found.extend(splitter.finish());
        let text = |data: &[u8]| String::from_utf8_lossy(data).into_owned();
        found.iter().map(|one| (one.offset, one.line, text(&one.data), one.is_complete)).collect()
    }

    fn check(text: &str, by_mark: bool, expected: &[(u64, u64, &str, bool)]) {
        for piece in 1..=text.len() {
            let found = split(text.as_bytes(), piece, by_mark);
            let found: Vec<_> = found.iter().map(|(o, l, t, c)| (*o, *l, t.as_str(), *c)).collect();
            assert_eq!(found, expected, "{piece}");
        }
    }

    #[test]
    fn documents_one_after_another() {
        check(
            "<a/><b>x</b>\n<c><c/></c>",
            false,
            &[(0, 1, "<a/>", true), (4, 1, "<b>x</b>", true), (13, 2, "<c><c/></c>", true)],
        );
        check(
            "<?xml version='1.0'?>\n<a/><!-- end --><?xml version='1.0'?><b/> ]]>]]>\n]]>]]><c/>]]>]]>\n<!-- last -->",
            false,
            &[
                (0, 1, "<?xml version='1.0'?>\n<a/>", true),
                (38, 2, "<?xml version='1.0'?><b/>", true),
                (77, 3, "<c/>", true),
            ],
        );
    }

    #[test]
    fn what_is_broken_is_told_apart() {
        check(
            "<a><b>\n<?xml version='1.0'?><c/></d><e/><f><!-- ]]>]]> -->",
            false,
            &[
                (0, 1, "<a><b>\n", false),
                (7, 2, "<?xml version='1.0'?><c/>", true),
                (32, 2, "</d>", false),
                (36, 2, "<e/>", true),
                (40, 2, "<f><!-- ]]>]]> -->", false),
            ],
        );
    }

    #[test]
    fn marks_alone() {
        check(
            " <a><b>]]>]]>\n<c/>]]>]]>]]>]]>x",
            true,
            &[(1, 1, "<a><b>", true), (14, 2, "<c/>", true), (30, 2, "x", false)],
        );
    }
}
