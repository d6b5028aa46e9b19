//! Finds the starts and ends of tags, and reads nothing else of them: the fastest exact pass over a document.
//!
//! Comments, CDATA sections, processing instructions and the document type are skipped as units. A tag ends at the
//! first `>` outside quotes. The input arrives in pieces; a long section that continues beyond a piece is not kept.
//! Nothing is checked here: in a well-formed document these are its tags, and the scan finds the errors of others.

use super::coding::Coding;
use super::doctype_end::DoctypeEnd;
use crate::markup::holds;

/// What the lexer is inside of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Text,
    Comment,
    Cdata,
    Instruction,
    Doctype,
}

/// A piece of markup, by its position in the data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Markup {
    /// A start tag.
    Start {
        /// Whether it ends in `/>`.
        is_empty: bool,
    },
    /// An end tag.
    End,
    /// The XML declaration or the document type: the meaning of the rest depends on it.
    Head,
}

/// The position of a piece of markup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// Index of its `<`.
    pub start: usize,
    /// Index after its `>`.
    pub end: usize,
}

/// The state between two pieces of input.
pub struct Lexer {
    state: State,
    coding: Coding,
    /// How much of an incomplete tag has been examined, from its start, and its open quote.
    seen: usize,
    quote: u8,
    doctype: DoctypeEnd,
}

impl Lexer {
    /// A lexer outside all markup.
    pub fn new(coding: Coding) -> Self {
        Lexer { state: State::Text, coding, seen: 0, quote: 0, doctype: DoctypeEnd::default() }
    }

    /// The next tag from a place, which moves past it. None if more input is needed: the part before the place is
    /// finished, the next call gets the rest and further input.
    #[inline(always)]
    pub fn next(&mut self, data: &[u8], place: &mut usize) -> Option<(Markup, Place)> {
        loop {
            if self.state != State::Text && !self.leave_section(data, place) {
                return None;
            }
            if self.doctype.is_done() {
                let start = self.doctype.take_start();
                return Some((Markup::Head, Place { start, end: *place }));
            }
            let start = next_tag(data, *place);
            *place = start;
            match data.get(start + 1)? {
                b'/' => {
                    let from = start + 2.max(self.seen);
                    match find(b'>', data, from) {
                        Some(at) => {
                            self.seen = 0;
                            *place = at + 1;
                            return Some((Markup::End, Place { start, end: at + 1 }));
                        }
                        None => {
                            self.seen = data.len() - start;
                            return None;
                        }
                    }
                }
                b'!' => self.enter_section(data, place)?,
                b'?' => {
                    if let Some(found) = self.instruction(data, place)? {
                        return Some((Markup::Head, found));
                    }
                }
                _ => {
                    let end = self.start_tag_end(data, start)?;
                    *place = end;
                    let is_empty = data[end - 2] == b'/';
                    return Some((Markup::Start { is_empty }, Place { start, end }));
                }
            }
        }
    }

    /// The end of the start tag at an index.
    #[inline(always)]
    fn start_tag_end(&mut self, data: &[u8], start: usize) -> Option<usize> {
        let mut at = start + self.seen.max(1);
        let mut quote = self.quote;
        loop {
            if quote != 0 {
                match find(quote, data, at) {
                    Some(found) => at = found + 1,
                    None => return self.wait(data.len() - start, quote),
                }
            }
            at = tag_stop(data, at);
            match data.get(at) {
                None => return self.wait(data.len() - start, 0),
                Some(b'>') => {
                    self.seen = 0;
                    self.quote = 0;
                    return Some(at + 1);
                }
                Some(&other) => {
                    quote = other;
                    at += 1;
                }
            }
        }
    }

    #[cold]
    fn wait(&mut self, seen: usize, quote: u8) -> Option<usize> {
        self.seen = seen;
        self.quote = quote;
        None
    }

    /// A comment, a CDATA section or the document type begins.
    #[cold]
    fn enter_section(&mut self, data: &[u8], place: &mut usize) -> Option<()> {
        let rest = &data[*place..];
        if rest.starts_with(b"<!--") {
            self.state = State::Comment;
            *place += 4;
        } else if rest.starts_with(b"<![CDATA[") {
            self.state = State::Cdata;
            *place += 9;
        } else if b"<!--".starts_with(rest) || b"<![CDATA[".starts_with(rest) {
            return None;
        } else {
            self.state = State::Doctype;
            self.doctype.begin();
        }
        Some(())
    }

    /// A processing instruction begins, or the XML declaration, which is kept whole.
    #[cold]
    fn instruction(&mut self, data: &[u8], place: &mut usize) -> Option<Option<Place>> {
        let start = *place;
        let rest = &data[start..];
        if rest.len() < 6 && b"<?xml ".starts_with(&rest[..rest.len().min(5)]) {
            return None;
        }
        if !rest.starts_with(b"<?xml") || !crate::characters::is_space(rest[5]) {
            self.state = State::Instruction;
            *place += 2;
            return Some(None);
        }
        let end = start + memchr::memmem::find(rest, b"?>")? + 2;
        *place = end;
        Some(Some(Place { start, end }))
    }

    /// Skip the section at the place; returns whether it has ended.
    #[cold]
    fn leave_section(&mut self, data: &[u8], place: &mut usize) -> bool {
        if self.state == State::Doctype {
            let done = self.doctype.run(data, place, &self.coding);
            if done {
                self.state = State::Text;
            }
            return done;
        }
        let end: &[u8] = match self.state {
            State::Comment => b"-->",
            State::Cdata => b"]]>",
            _ => b"?>",
        };
        let found = if self.state == State::Cdata && self.coding.is_paired() {
            find_paired(data, place, end, &self.coding)
        } else {
            let found = memchr::memmem::find(&data[*place..], end).map(|size| *place + size);
            if found.is_none() {
                *place = (*place).max((data.len() + 1).saturating_sub(end.len()));
            }
            found
        };
        match found {
            Some(at) => {
                *place = at + end.len();
                self.state = State::Text;
                true
            }
            None => false,
        }
    }
}

/// A word that begins at a character boundary, if brackets may be parts of characters; the place moves over the
/// examined text.
fn find_paired(data: &[u8], place: &mut usize, word: &[u8], coding: &Coding) -> Option<usize> {
    while *place + word.len() <= data.len() {
        if data[*place..].starts_with(word) {
            return Some(*place);
        }
        *place += coding.paired_length(data[*place]);
    }
    *place = (*place).min(data.len());
    None
}

#[inline(always)]
fn find(byte: u8, data: &[u8], from: usize) -> Option<usize> {
    let mut at = from;
    for _ in 0..3 {
        let Some(bytes) = data.get(at..at + 8) else { break };
        let found = holds(bytes.try_into().map_or(0, u64::from_le_bytes), byte);
        if found != 0 {
            return Some(at + (found.trailing_zeros() / 8) as usize);
        }
        at += 8;
    }
    memchr::memchr(byte, data.get(at..)?).map(|size| at + size)
}

/// The next `<`, or the length.
#[inline(always)]
fn next_tag(data: &[u8], from: usize) -> usize {
    find(b'<', data, from).unwrap_or(data.len())
}

/// The next `>` or quote, or the length.
#[inline(always)]
fn tag_stop(data: &[u8], from: usize) -> usize {
    let mut at = from;
    while let Some(bytes) = data.get(at..at + 8) {
        let word = bytes.try_into().map_or(0, u64::from_le_bytes);
        let found = holds(word, b'>') | holds(word, b'"') | holds(word, b'\'');
        if found != 0 {
            return at + (found.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while at < data.len() && !matches!(data[at], b'>' | b'"' | b'\'') {
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cut_points::coding::{coding, Charset};

    fn tags(text: &[u8], piece: usize, coding: Coding) -> Vec<String> {
        let mut lexer = Lexer::new(coding);
        let (mut data, mut found) = (Vec::new(), Vec::new());
        for part in text.chunks(piece) {
            data.extend_from_slice(part);
            let mut place = 0;
            while let Some((_, Place { start, end })) = lexer.next(&data, &mut place) {
                found.push(String::from_utf8_lossy(&data[start..end]).into_owned());
            }
            data.drain(..place);
        }
        found
    }

    #[test]
    fn tags_in_pieces_of_any_size() {
        let text =
            "<?xml version='1.0'?><!DOCTYPE a [<!-- ' ] > --><?p ]> \" ?><!ENTITY e \"]>'\">]><a b='>\"'\n c=\"'>\">\
                    <!-- <x> -- ></x>--><![CDATA[<y>]]]]><?p <z> ?><b/><c x = '/'>é日</c ></a>";
        let expected = [
            "<?xml version='1.0'?>",
            "<!DOCTYPE a [<!-- ' ] > --><?p ]> \" ?><!ENTITY e \"]>'\">]>",
            "<a b='>\"'\n c=\"'>\">",
            "<b/>",
            "<c x = '/'>",
            "</c >",
            "</a>",
        ];
        for piece in 1..text.len() {
            assert_eq!(tags(text.as_bytes(), piece, Coding::Bytes(Charset::Utf8)), expected, "{piece}");
        }
    }

    #[test]
    fn second_bytes_that_look_like_brackets() {
        // In Shift_JIS 83 5D is one character, so the section does not end at 5D 5D 3E.
        let head = b"<?xml version='1.0' encoding='Shift_JIS'?>";
        let text = [&head[..], b"<a><![CDATA[\x83\x5d]><b>\xb1]]></a>"].concat();
        let coding = coding(&text, true).unwrap().0;
        for piece in 1..text.len() {
            assert_eq!(tags(&text, piece, coding)[1..], ["<a>", "</a>"]);
        }
    }
}
