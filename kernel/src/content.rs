//! The content of elements (XML 1.0 §3.1 [43], §2.4, §2.7): the innermost loop of the kernel.

use crate::characters::{is_space, shown};
use crate::errors::{syntax, Halt};
use crate::markup::next_markup;
use crate::memory;
use crate::reader::{Flow, Phase, Reader};
use crate::references::{reference, Reference};

impl Reader {
    /// Read content from a place, which moves with each complete token.
    pub(crate) fn content(&mut self, data: &[u8], place: &mut usize, is_all: bool) -> Result<Flow, Halt> {
        let mut at = *place;
        loop {
            memory::check();
            match data.get(at) {
                None => return Ok(Flow::Exhausted),
                Some(b'<') => {}
                Some(b'&') => {
                    if let Some(flow) = self.content_reference(data, &mut at, place)? {
                        return Ok(flow);
                    }
                    continue;
                }
                Some(_) => {
                    let next = self.text(data, at, is_all)?;
                    *place = next;
                    if next == at {
                        return Err(Halt::More);
                    }
                    at = next;
                    continue;
                }
            }
            match data.get(at + 1) {
                None => return Err(Halt::More),
                Some(b'/') => {
                    at = self.end_tag(data, at)?;
                    *place = at;
                    if self.open_names.depth() == 0 {
                        self.phase = Phase::Epilog;
                        return Ok(Flow::Turned);
                    }
                }
                Some(b'!') => {
                    if starts_with(data, at, b"<!--")? {
                        at = self.comment(data, at)?;
                    } else if starts_with(data, at, b"<![CDATA[")? {
                        *place = at + 9;
                        self.phase = Phase::Cdata;
                        return Ok(Flow::Turned);
                    } else {
                        return Err(syntax(at, "a declaration inside an element"));
                    }
                    *place = at;
                }
                Some(b'?') => {
                    at = self.instruction(data, at)?;
                    *place = at;
                }
                Some(_) => {
                    at = match self.simple_element(data, at)? {
                        Some(end) => end,
                        None => self.start_tag(data, at)?,
                    };
                    *place = at;
                    if self.may_be_simple && self.open_names.depth() < self.limits.depth {
                        at = self.expected_elements(data, at)?;
                        *place = at;
                    }
                }
            }
        }
    }

    /// Read the end tag at an index; returns its end.
    #[inline(always)]
    fn end_tag(&mut self, data: &[u8], at: usize) -> Result<usize, Halt> {
        let end = match self.open_names.end_of_last(data, at + 2) {
            Some(end) => end + 1,
            None => self.odd_end_tag(data, at)?,
        };
        let depth = self.open_names.depth();
        if depth == self.floor {
            return Err(syntax(at, "an end tag in an entity for an element that began outside of it"));
        }
        self.projector.end(&self.limits, at)?;
        self.namespaces.leave(depth);
        self.open_names.pop();
        Ok(end)
    }

    /// An end tag with white space in it, or one that does not match.
    #[cold]
    fn odd_end_tag(&self, data: &[u8], at: usize) -> Result<usize, Halt> {
        let mut end = crate::characters::name(data, at + 2)?.end;
        let name = &data[at + 2..end];
        if name != self.open_names.last() {
            let (found, open) = (shown(name), shown(&self.open_names.last()));
            return Err(syntax(at + 2, format!("mismatched tag: </{found}> where </{open}> is expected")));
        }
        while is_space(*data.get(end).ok_or(Halt::More)?) {
            end += 1;
        }
        if data[end] != b'>' {
            return Err(syntax(end, "the end of an end tag is expected"));
        }
        Ok(end + 1)
    }

    /// Read text up to markup, a reference, or the known end; returns where it stops.
    #[inline(always)]
    fn text(&mut self, data: &[u8], at: usize, is_all: bool) -> Result<usize, Halt> {
        let mut from = at;
        let end = loop {
            from = next_markup(data, from);
            if from == data.len() {
                break self.text_at_end(data, at, is_all);
            }
            if data[from] != b']' {
                break from;
            }
            if data[from..].starts_with(b"]]>") {
                return Err(syntax(from, "']]>' outside a CDATA section"));
            }
            if from + 2 >= data.len() && !is_all && b"]]>".starts_with(&data[from..]) {
                break self.text_at_end(data, at, is_all).min(from);
            }
            from += 1;
        };
        if self.projector.keeps_text {
            self.keep_text(&data[at..end], at)?;
        }
        Ok(end)
    }

    /// How much of the text at the end of the data can be passed on: a line end may be split.
    fn text_at_end(&self, data: &[u8], at: usize, is_all: bool) -> usize {
        let end = data.len();
        if !is_all && end > at && data[end - 1] == b'\r' {
            return end - 1;
        }
        end
    }

    #[inline(always)]
    pub(crate) fn keep_text(&mut self, text: &[u8], at: usize) -> Result<(), Halt> {
        if !self.has_returns || !self.is_input() {
            return self.projector.text(text, &self.limits, at);
        }
        let mut rest = text;
        while let Some(end) = memchr::memchr(b'\r', rest) {
            self.projector.text(&rest[..end], &self.limits, at)?;
            self.projector.text(b"\n", &self.limits, at)?;
            rest = &rest[end + 1..];
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        self.projector.text(rest, &self.limits, at)
    }

    /// Read a reference; an entity with markup is read in its place.
    fn content_reference(&mut self, data: &[u8], at: &mut usize, place: &mut usize) -> Result<Option<Flow>, Halt> {
        let (found, end) = reference(data, *at)?;
        let start = *at;
        match found {
            Reference::Character(character) => {
                if self.projector.keeps_text {
                    let text = character.encode_utf8(&mut [0; 4]).as_bytes().to_owned();
                    self.projector.text(&text, &self.limits, start)?;
                }
            }
            Reference::Entity(name) => {
                let entity = self.doctype.entities.general(name, start)?;
                if !self.doctype.entities.get(entity).is_plain {
                    self.enter_entity(entity, start, end - start)?;
                    *place = end;
                    return Ok(Some(Flow::Turned));
                }
                let text = self.open_entity(entity, start, end - start)?;
                self.doctype.entities.close(entity);
                if self.projector.keeps_text {
                    self.projector.text(&text, &self.limits, start)?;
                }
            }
        }
        *at = end;
        *place = end;
        Ok(None)
    }

    /// Read a CDATA section from a place inside it.
    pub(crate) fn cdata(&mut self, data: &[u8], place: &mut usize) -> Result<Flow, Halt> {
        let at = *place;
        let found = memchr::memmem::find(&data[at..], b"]]>").map(|size| at + size);
        // Bytes that may belong to the end of the section, or to a line end, wait.
        let end = found.unwrap_or_else(|| {
            let mut end = data.len();
            while end > at && end + 2 > data.len() && data[end - 1] == b']' {
                end -= 1;
            }
            while end > at && data[end - 1] == b'\r' {
                end -= 1;
            }
            end
        });
        if self.projector.keeps_text {
            self.keep_text(&data[at..end], at)?;
        }
        *place = end;
        if found.is_none() {
            return Err(Halt::More);
        }
        *place = end + 3;
        self.phase = Phase::Content;
        Ok(Flow::Turned)
    }
}

/// Whether the text continues with a word at an index.
pub(crate) fn starts_with(data: &[u8], at: usize, word: &[u8]) -> Result<bool, Halt> {
    let rest = &data[at..];
    if rest.starts_with(word) {
        return Ok(true);
    }
    if word.starts_with(rest) {
        return Err(Halt::More);
    }
    Ok(false)
}
