//! Predicts the next tag: the one that followed the last time. Data records have the same children in the same order
//! again and again. A correct prediction needs no lookup.
//!
//! In documents with irregular records, the scan stops predicting.

use rustc_hash::FxHashMap;

use crate::name_key::NameKey;
use crate::projector::Simple;

const MOST: usize = 1_000;
const CREDIT: i32 = 200;
const PRICE_OF_A_MISS: i32 = 4;

/// A start tag without attributes at a place of the automaton.
#[derive(Clone, Copy)]
pub struct Expected {
    /// The name.
    pub key: NameKey,
    /// Its role for the projection.
    pub simple: Simple,
    state: u32,
    next: u32,
    /// The tag from its name on, and its end tag; unused bytes are zero.
    start: u128,
    start_mask: u128,
    end: u128,
    end_mask: u128,
    end_length: usize,
}

impl Expected {
    /// The end of the end tag at an index, if it is there.
    #[inline(always)]
    pub fn end_tag_end(&self, data: &[u8], at: usize) -> Option<usize> {
        let is_there = sixteen(data, at)? & self.end_mask == self.end;
        (is_there && self.end_length != 0).then_some(at + self.end_length)
    }
}

/// The tags of one scope of namespaces.
pub struct Expectations {
    known: Vec<Expected>,
    places: FxHashMap<(u32, Vec<u8>), u32>,
    last: usize,
    credit: i32,
}

impl Default for Expectations {
    fn default() -> Self {
        Expectations { known: Vec::new(), places: FxHashMap::default(), last: 0, credit: CREDIT }
    }
}

impl Expectations {
    /// The tag expected in a state, if it is at an index, where its name begins.
    #[inline(always)]
    pub fn met(&self, state: u32, data: &[u8], at: usize) -> Option<&Expected> {
        let next = self.known.get(self.last)?.next as usize;
        let expected = &self.known[next];
        (expected.state == state && sixteen(data, at)? & expected.start_mask == expected.start).then_some(expected)
    }

    /// The expected tag has been read.
    #[inline(always)]
    pub fn pass(&mut self) {
        self.last = self.known[self.last].next as usize;
        self.credit = (self.credit + 1).min(CREDIT);
    }

    /// Another tag was read.
    #[inline(always)]
    pub fn note(&mut self, state: u32, key: NameKey, simple: Simple) {
        if self.credit > 0 {
            self.note_miss(state, key, simple);
        }
    }

    #[inline(never)]
    fn note_miss(&mut self, state: u32, key: NameKey, simple: Simple) {
        self.credit -= PRICE_OF_A_MISS;
        let Some(name) = key.name().filter(|name| name.len() < 16) else { return };
        if self.credit <= 0 || self.known.len() > MOST {
            *self = Expectations { credit: 0, ..Expectations::default() };
            return;
        }
        let place = match self.places.get(&(state, name.clone())) {
            Some(&place) => place as usize,
            None => {
                let place = self.known.len();
                self.known.push(Expected::new(state, key, simple, &name, place as u32));
                self.places.insert((state, name), place as u32);
                place
            }
        };
        self.known[self.last].next = place as u32;
        self.last = place;
    }
}

impl Expected {
    fn new(state: u32, key: NameKey, simple: Simple, name: &[u8], next: u32) -> Self {
        let (start, start_mask) = padded(&[name, b">"].concat());
        let whole = [b"</", name, b">"].concat();
        let fits = whole.len() <= 16;
        let (end, end_mask) = padded(if fits { &whole } else { b"" });
        let end_length = if fits { whole.len() } else { 0 };
        Expected { key, simple, state, next, start, start_mask, end, end_mask, end_length }
    }
}

#[inline(always)]
fn sixteen(data: &[u8], at: usize) -> Option<u128> {
    data.get(at..at + 16).and_then(|bytes| bytes.try_into().ok()).map(u128::from_le_bytes)
}

/// Up to sixteen bytes, and a mask of them.
fn padded(bytes: &[u8]) -> (u128, u128) {
    let (mut value, mut mask) = ([0; 16], [0; 16]);
    value[..bytes.len()].copy_from_slice(bytes);
    mask[..bytes.len()].fill(0xFF);
    (u128::from_le_bytes(value), u128::from_le_bytes(mask))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_next_is_expected_next() {
        let mut expectations = Expectations::default();
        let names: [&[u8]; 3] = [b"ra", b"dec", b"pos_error"];
        for name in names.iter().chain(&names[..1]) {
            expectations.note(7, NameKey::of_name(name), Simple::Nothing);
        }
        for name in ["dec", "pos_error", "ra", "dec"] {
            let text = format!("{name}>and so on, up to here");
            assert!(expectations.met(8, text.as_bytes(), 0).is_none());
            assert_eq!(expectations.met(7, text.as_bytes(), 0).unwrap().key, NameKey::of_name(name.as_bytes()));
            expectations.pass();
        }
        assert!(expectations.met(7, b"pos_errors>and so on", 0).is_none());
        assert!(expectations.met(7, b"pos_error>", 0).is_none());
    }

    #[test]
    fn end_tags() {
        let expected = Expected::new(0, NameKey::of_name(b"ab"), Simple::Nothing, b"ab", 0);
        assert_eq!(expected.end_tag_end(b"x</ab>..........", 1), None);
        assert_eq!(expected.end_tag_end(b"x</ab>...........", 1), Some(6));
        assert_eq!(expected.end_tag_end(b"x</ac>...........", 1), None);
        let long = Expected::new(0, NameKey::of_name(b"abcdefghijklmn"), Simple::Nothing, b"abcdefghijklmn", 0);
        assert_eq!(long.end_tag_end(b"</abcdefghijklmn>......", 0), None);
    }

    #[test]
    fn guesses_are_given_up_where_nothing_repeats() {
        let mut expectations = Expectations::default();
        for number in 0..1000u32 {
            expectations.note(0, NameKey::of_name(format!("n{number}").as_bytes()), Simple::Nothing);
        }
        assert_eq!(expectations.credit, 0);
        assert!(expectations.known.is_empty());
    }
}
