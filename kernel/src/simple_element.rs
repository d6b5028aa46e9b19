//! The fast path of the kernel: a start tag without attributes whose name is known, and most often all of its element.
//!
//! In data most elements are `<name>text</name>`, and their names come again and again. Such an element is read here in
//! one go, with nothing pushed or popped. All others are left to `start_tag.rs`, which handles every element, and
//! remembers the names.

use crate::errors::Halt;
use crate::markup::{holds, next_markup};
use crate::name_key::{NameKey, NameTable, WHOLE};
use crate::projector::Simple;
use crate::reader::Reader;

const MOST_NAMES: usize = 10_000;

impl Reader {
    /// Read a simple element at an index, or its start tag and the text after it; returns its end, or None if it is not
    /// simple.
    #[inline(always)]
    pub(crate) fn simple_element(&mut self, data: &[u8], at: usize) -> Result<Option<usize>, Halt> {
        if !self.may_be_simple || self.open_names.depth() >= self.limits.depth {
            return Ok(None);
        }
        let (key, simple, start, text_end, end);
        if self.projector.passes_over_all() {
            let Some(found) = name_before_end(data, at + 1) else { return Ok(None) };
            if self.known_names.get(found, b"").is_none() {
                return Ok(None);
            }
            (key, simple) = (found, Simple::Nothing);
            start = at + key.length() + 2;
            text_end = next_markup(data, start);
            end = end_tag_end(data, text_end, key);
        } else {
            let state = self.projector.state();
            if let Some(expected) = self.namespaces.expectations().met(state, data, at + 1) {
                (key, simple) = (expected.key, expected.simple);
                start = at + key.length() + 2;
                text_end = next_markup(data, start);
                end = expected.end_tag_end(data, text_end).or_else(|| end_tag_end(data, text_end, key));
                self.namespaces.expectations().pass();
            } else {
                let Some(found) = name_before_end(data, at + 1) else { return Ok(None) };
                (key, simple) = (found, self.projector.simple_start(found, &self.namespaces));
                if let Simple::Other = simple {
                    return Ok(None);
                }
                self.namespaces.expectations().note(state, key, simple);
                start = at + key.length() + 2;
                text_end = next_markup(data, start);
                end = end_tag_end(data, text_end, key);
            }
        }
        if let Simple::Row { told, keeps_text } = simple {
            let is_one_piece = !self.has_returns && self.projector.has_rows_around();
            let Some(end) = end.filter(|_| is_one_piece) else { return Ok(None) };
            let text = if keeps_text { &data[start..text_end] } else { b"" };
            self.projector.simple_row(told, text, &self.limits, at)?;
            return Ok(Some(end));
        }
        if let Simple::Record { action, name, told } = simple {
            if !self.projector.has_rows_around() {
                return Ok(None);
            }
            self.projector.open_record(action, name, told);
            self.open_names.push(key, b"");
            return Ok(Some(start));
        }
        self.projector.end_text();
        if let Simple::Below { action, .. } = simple {
            self.projector.count(action);
        }
        if end.is_some() {
            return Ok(end);
        }
        match simple {
            Simple::Below { action, name } => self.projector.open_at(action, name),
            _ => self.projector.skip(),
        }
        self.open_names.push(key, b"");
        Ok(Some(text_end))
    }

    /// Read on from an index while one expected simple element follows the other; returns the end.
    #[inline(always)]
    pub(crate) fn expected_elements(&mut self, data: &[u8], from: usize) -> Result<usize, Halt> {
        if self.projector.passes_over_all() || self.has_returns {
            return Ok(from);
        }
        let has_rows_around = self.projector.has_rows_around();
        let state = self.projector.state();
        let mut at = from;
        while data.get(at) == Some(&b'<') {
            let Some(expected) = self.namespaces.expectations().met(state, data, at + 1) else { break };
            let start = at + expected.key.length() + 2;
            let text_end = next_markup(data, start);
            let Some(end) = expected.end_tag_end(data, text_end) else { break };
            match expected.simple {
                Simple::Nothing => self.projector.end_text(),
                Simple::Below { action, .. } => {
                    self.projector.end_text();
                    self.projector.count(action);
                }
                Simple::Row { told, keeps_text } if has_rows_around => {
                    let text = if keeps_text { &data[start..text_end] } else { b"" };
                    self.projector.simple_row(told, text, &self.limits, at)?;
                }
                _ => break,
            }
            self.namespaces.expectations().pass();
            at = end;
        }
        Ok(at)
    }

    /// Remember the name of an element that does not matter, which is known to be a name without prefix.
    pub(crate) fn remember_name(&mut self, key: NameKey, name: &[u8]) {
        if key.length() > WHOLE || self.known_names.get(key, name).is_some() {
            return;
        }
        if self.known_names.len() > MOST_NAMES {
            self.known_names = NameTable::default();
        }
        self.known_names.insert(name, 0);
    }
}

/// The text before the next `>`, if that is near: perhaps a name.
#[inline(always)]
fn name_before_end(data: &[u8], start: usize) -> Option<NameKey> {
    let sight: &[u8; 16] = data.get(start..start + 16)?.try_into().ok()?;
    let word = |from: usize| sight[from..from + 8].try_into().map_or(0, u64::from_le_bytes);
    let mut found = holds(word(0), b'>');
    let mut length = (found.trailing_zeros() / 8) as usize;
    if found == 0 {
        found = holds(word(8), b'>');
        length = 8 + (found.trailing_zeros() / 8) as usize;
    }
    (found != 0 && length != 0).then(|| NameKey::of(data, start, start + length))
}

/// The end of an end tag with a name at an index, if there is one.
#[inline(always)]
pub(crate) fn end_tag_end(data: &[u8], at: usize, key: NameKey) -> Option<usize> {
    let start = at + 2;
    let end = start + key.length();
    let is_end = data.get(end) == Some(&b'>') && data[at] == b'<' && data[at + 1] == b'/';
    (is_end && key.length() <= WHOLE && NameKey::of(data, start, end) == key).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_seen_up_to_the_end_of_the_tag() {
        for length in 0..20 {
            let text = format!("<{}>rest of the text", "abcdefghijklmnopqrst".split_at(length).0);
            let expected = (1..16).contains(&length).then(|| NameKey::of(text.as_bytes(), 1, length + 1));
            assert_eq!(name_before_end(text.as_bytes(), 1), expected, "{length}");
        }
        assert_eq!(name_before_end(b"<a>", 1), None);
    }

    #[test]
    fn end_tags() {
        let key = NameKey::of_name(b"ab");
        assert_eq!(end_tag_end(b"x</ab>", 1, key), Some(6));
        for other in [&b"x</ab"[..], b"x</ac>", b"x</ab >", b"x<ab>", b"x", b"x</abc>"] {
            assert_eq!(end_tag_end(other, 1, key), None);
        }
    }
}
