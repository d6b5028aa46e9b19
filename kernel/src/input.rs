//! The input as a window of checked UTF-8: pieces come in at one end, read text leaves at the other.
//!
//! Characters are checked here once, block by block, before any other use: a byte that no document may contain ends the
//! window, and becomes an error when the reader gets there. Later stages need not check characters.

use crate::characters::count;
use crate::encoding::{detect, Decoder, Detected, Family};
use crate::errors::{Fault, Kind};

/// Bytes checked at a time: few enough to stay in the nearest cache until they are read.
const BLOCK: usize = 32 * 1024;

/// The text that is neither read nor dropped yet.
pub struct Input {
    decoder: Option<Decoder>,
    given: Option<String>,
    family: Family,
    /// Bytes not decoded yet: the undecided start, or a character split at the end of a piece.
    raw: Vec<u8>,
    /// Decoded text; the window is `text[..checked]`.
    text: Vec<u8>,
    checked: usize,
    /// The error that ends the window.
    fault: Option<Fault>,
    /// Whether there was a carriage return: only then line ends need normalising.
    pub has_returns: bool,
    is_complete: bool,
    dropped_source: u64,
    dropped_text: u64,
    lines: u64,
    column: u64,
    ended_in_return: bool,
}

impl Input {
    /// An input whose encoding is given, or else detected by its first bytes.
    pub fn new(given: Option<String>) -> Self {
        Input {
            decoder: None,
            given,
            family: Family::Declared,
            raw: Vec::new(),
            text: Vec::new(),
            checked: 0,
            fault: None,
            has_returns: false,
            is_complete: false,
            dropped_source: 0,
            dropped_text: 0,
            lines: 1,
            column: 0,
            ended_in_return: false,
        }
    }

    /// What the declared encoding must agree with.
    pub fn family(&self) -> Family {
        self.family
    }

    /// Add another piece; `is_last` if nothing follows it.
    pub fn push(&mut self, piece: &[u8], is_last: bool) {
        self.is_complete |= is_last;
        if self.fault.is_some() {
            return;
        }
        if self.decoder.is_none() {
            self.raw.extend_from_slice(piece);
            self.begin();
            if self.decoder.is_some() {
                let raw = std::mem::take(&mut self.raw);
                self.decode(&raw);
            }
        } else if self.raw.is_empty() {
            self.decode(piece);
        } else {
            let mut raw = std::mem::take(&mut self.raw);
            raw.extend_from_slice(piece);
            self.decode(&raw);
        }
    }

    fn begin(&mut self) {
        match detect(&self.raw, self.is_complete, self.given.as_deref()) {
            Detected::Undecided => {}
            Detected::Known(decoder, mark, family) => {
                self.raw.drain(..mark);
                self.dropped_source = mark as u64;
                self.decoder = Some(decoder);
                self.family = family;
            }
            Detected::Unknown(detail) => {
                self.decoder = Some(Decoder::Utf8);
                self.fault = Some(Fault { kind: Kind::Encoding, detail, at: 0 });
            }
        }
    }

    fn decode(&mut self, bytes: &[u8]) {
        let Some(decoder) = &mut self.decoder else { return };
        if self.fault.is_some() {
            return;
        }
        match decoder.decode(bytes, self.is_complete, &mut self.text) {
            Ok(used) => self.raw.extend_from_slice(&bytes[used..]),
            Err(bad) => {
                let detail = format!("bytes that are not {}", bad.name);
                self.fault = Some(Fault { kind: decoder.bad_kind(), detail, at: self.text.len() });
            }
        }
    }

    /// Move the text out, to read it; `restore` returns it.
    pub fn take_text(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.text)
    }

    /// Return the text; its read prefix is dropped.
    pub fn restore(&mut self, mut text: Vec<u8>, read: usize) {
        let dropped = &text[..read];
        self.dropped_text += read as u64;
        self.dropped_source += self.decoder.as_ref().map_or(0, |decoder| decoder.source_length(dropped)) as u64;
        (self.lines, self.column) = self.place_after(dropped);
        if let Some(&last) = dropped.last() {
            self.ended_in_return = last == b'\r';
        }
        text.drain(..read);
        self.text = text;
        self.checked -= read;
        if let Some(fault) = &mut self.fault {
            fault.at -= read;
        }
    }

    /// The end of the checked part of a text; `check_more` may extend it.
    pub fn checked(&self) -> usize {
        self.checked
    }

    /// Check another block of the text; false if there is none, or only a part of a character.
    pub fn check_more(&mut self, text: &[u8]) -> bool {
        let end = self.fault.as_ref().map_or(text.len(), |fault| fault.at);
        let stop = end.min(self.checked + BLOCK);
        let block = &text[self.checked..stop];
        let seen = survey(block);
        self.has_returns |= seen.has_returns;
        let mut good = block.len();
        if seen.has_controls {
            good = block.iter().position(|&byte| is_forbidden(byte)).unwrap_or(good);
            self.end_at(self.checked + good, format!("the character #x{:X} is not allowed", block[good]));
        }
        if seen.is_beyond_ascii {
            good = self.check_characters(text, good, stop);
        }
        self.checked += good;
        good > 0
    }

    /// The number of bytes of the block that are whole, allowed characters.
    fn check_characters(&mut self, text: &[u8], good: usize, stop: usize) -> usize {
        let start = self.checked;
        let block = &text[start..start + good];
        if matches!(self.decoder, Some(Decoder::Ascii)) {
            if let Some(place) = block.iter().position(|byte| !byte.is_ascii()) {
                self.end_at(start + place, "a byte that is not ASCII");
                return place;
            }
        }
        let whole = match std::str::from_utf8(block) {
            Ok(_) => good,
            Err(error) => {
                let place = error.valid_up_to();
                let is_cut = error.error_len().is_none() && start + good == stop;
                if !is_cut || (stop == text.len() && self.is_complete && self.raw.is_empty()) {
                    self.end_at(start + place, "bytes that are not UTF-8");
                }
                place
            }
        };
        // U+FFFE and U+FFFF are EF BF BE and EF BF BF.
        let mut from = 0;
        while let Some(found) = memchr::memmem::find(&block[from..whole], b"\xEF\xBF") {
            let place = from + found;
            if block.get(place + 2).is_some_and(|&last| last >= 0xBE) {
                self.end_at(start + place, "the characters #xFFFE and #xFFFF are not allowed");
                return place;
            }
            from = place + 2;
        }
        whole
    }

    fn end_at(&mut self, at: usize, detail: impl Into<String>) {
        if self.fault.as_ref().is_none_or(|fault| at < fault.at) {
            self.fault = Some(Fault { kind: Kind::Syntax, detail: detail.into(), at });
        }
    }

    /// Whether all input has arrived and is checked.
    pub fn is_at_end(&self, text: &[u8]) -> bool {
        self.is_complete && self.checked == text.len() && self.fault.is_none() && self.decoder.is_some()
    }

    /// The error that ends the window, once everything before it has been read.
    pub fn fault(&self) -> Option<&Fault> {
        self.fault.as_ref().filter(|fault| fault.at <= self.checked)
    }

    /// Length of the text read before the window.
    pub fn dropped_text(&self) -> u64 {
        self.dropped_text
    }

    /// Byte offset in the input, line and column (from 1) of an index of the text.
    pub fn place(&self, text: &[u8], at: usize) -> (u64, u64, u64) {
        let before = &text[..at.min(text.len())];
        let source = self.decoder.as_ref().map_or(0, |decoder| decoder.source_length(before)) as u64;
        let (line, column) = self.place_after(before);
        (self.dropped_source + source, line, column + 1)
    }

    fn place_after(&self, text: &[u8]) -> (u64, u64) {
        let mut lines = memchr::memchr_iter(b'\n', text).count() as u64;
        let mut last = memchr::memrchr(b'\n', text);
        if self.has_returns {
            let alone = |at: &usize| text.get(at + 1) != Some(&b'\n');
            lines += memchr::memchr_iter(b'\r', text).filter(alone).count() as u64;
            last = last.max(memchr::memrchr(b'\r', text));
            if self.ended_in_return && text.first() == Some(&b'\n') {
                lines -= 1;
            }
        }
        match last {
            Some(last) => (self.lines + lines, count(&text[last + 1..]) as u64),
            None => (self.lines, self.column + count(text) as u64),
        }
    }
}

struct Survey {
    has_controls: bool,
    has_returns: bool,
    is_beyond_ascii: bool,
}

fn is_forbidden(byte: u8) -> bool {
    byte < 0x20 && byte != b'\t' && byte != b'\n' && byte != b'\r'
}

/// The classes of bytes in a block; written so that the compiler vectorises it.
fn survey(block: &[u8]) -> Survey {
    let (mut controls, mut returns, mut all) = (0u8, 0u8, 0u8);
    let mut parts = block.chunks_exact(64);
    let mut look = |part: &[u8]| {
        for &byte in part {
            let is_control = u8::from(byte < 0x20);
            let is_white = u8::from(byte == b'\t') | u8::from(byte == b'\n') | u8::from(byte == b'\r');
            controls |= is_control & !is_white & 1;
            returns |= u8::from(byte == b'\r');
            all |= byte;
        }
    };
    for part in &mut parts {
        look(part);
    }
    look(parts.remainder());
    Survey { has_controls: controls != 0, has_returns: returns != 0, is_beyond_ascii: all >= 0x80 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_forbidden_character_ends_the_window() {
        let mut input = Input::new(None);
        input.push(b"<a>\n\x01", true);
        let text = input.take_text();
        assert!(input.check_more(&text));
        assert_eq!(input.checked(), 4);
        assert!(!input.check_more(&text));
        assert_eq!(input.fault().unwrap().at, 4);
        assert_eq!(input.place(&text, 4), (4, 2, 1));
    }

    #[test]
    fn a_character_cut_in_two_waits() {
        let mut input = Input::new(None);
        input.push(b"<a>\xC3", false);
        let text = input.take_text();
        assert!(input.check_more(&text));
        assert_eq!(input.checked(), 3);
        input.restore(text, 3);
        input.push(b"\xA9", true);
        let text = input.take_text();
        assert!(input.check_more(&text));
        assert!(input.is_at_end(&text));
    }

    #[test]
    fn noncharacters_are_found() {
        for (text, place) in [("a\u{FFFE}", 1), ("é\u{FFFD}\u{FFFF}", 5)] {
            let mut input = Input::new(Some("utf-8".into()));
            input.push(text.as_bytes(), true);
            let text = input.take_text();
            input.check_more(&text);
            assert_eq!(input.checked(), place);
            assert!(input.fault().is_some());
        }
    }

    #[test]
    fn lines_end_in_any_way() {
        let mut input = Input::new(Some("utf-8".into()));
        input.push(b"a\r\nb\rc\nd", true);
        let text = input.take_text();
        input.check_more(&text);
        assert_eq!(input.place(&text, 8), (8, 4, 2));
        input.restore(text, 2);
        let text = input.take_text();
        assert_eq!(input.place(&text, 6), (8, 4, 2));
    }
}
