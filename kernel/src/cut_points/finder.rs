//! Cut points of input that arrives in pieces and may never end.

use super::coding::coding;
use super::lexer::Lexer;
use super::lines::Lines;
use super::matcher::{plan_of, Scope};
use super::walk::Walk;
use super::CutPoint;
use crate::encoding::Decoder;
use crate::limits::Limits;
use crate::plan::Plan;

/// The state of looking for cut points. It holds the start tags of the open elements on the way to items, and of
/// the input no more than one tag or declaration.
pub struct CutFinder {
    plan: Plan,
    limits: Limits,
    target: u64,
    /// The next cut is the first possible one from here on.
    due: u64,
    /// Bytes not decoded yet: the undecided start, or a character split at the end of a piece.
    raw: Vec<u8>,
    decoder: Option<Decoder>,
    text: Vec<u8>,
    /// Offset of the text in the document.
    offset: u64,
    lines: Lines,
    /// None until the encoding is known.
    reading: Option<(Lexer, Walk)>,
    /// Start of the last item: offset and line.
    item: (u64, u64),
    /// End of the last tag: offset and line.
    tag_end: (u64, u64),
}

/// The position of a finder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inside {
    /// Between elements that matter, or before the root element.
    Nothing,
    /// In an element that a scope leads to.
    Item,
    /// In an element that no scope leads to or through.
    Other,
    /// Past the root element, or lost.
    Over,
}

impl CutFinder {
    /// A finder at the start of a document; cuts come about every `target` bytes.
    pub fn new(scopes: &[Scope], target: u64, limits: Limits) -> Self {
        let target = target.max(1);
        CutFinder {
            plan: plan_of(scopes),
            limits,
            target,
            due: target,
            raw: Vec::new(),
            decoder: None,
            text: Vec::new(),
            offset: 0,
            lines: Lines::default(),
            reading: None,
            item: (0, 1),
            tag_end: (0, 1),
        }
    }

    /// What the current place is inside of, and a cut point: the start of the item, or the end of the last tag.
    pub fn place(&self) -> (Inside, CutPoint) {
        let Some((_, walk)) = &self.reading else {
            return (Inside::Nothing, CutPoint::start());
        };
        let inside = match (walk.is_over, walk.passed, walk.is_in_item) {
            (true, _, _) => Inside::Over,
            (_, 0, _) => Inside::Nothing,
            (_, _, true) => Inside::Item,
            _ => Inside::Other,
        };
        let (offset, line) = if inside == Inside::Item { self.item } else { self.tag_end };
        (inside, CutPoint::here(offset, line, walk))
    }

    /// Resume after a cut point: the next input begins there.
    pub fn resume(&mut self, cut: &CutPoint) {
        self.due = u64::MAX;
        self.read(&cut.opening, true);
        self.offset = cut.offset;
        self.lines = Lines::at(cut.line);
        self.tag_end = (cut.offset, cut.line);
        self.due = self.after(cut.offset);
    }

    fn after(&self, offset: u64) -> u64 {
        (offset / self.target + 1) * self.target
    }

    /// Whether no further cut can come.
    pub fn is_over(&self) -> bool {
        self.reading.as_ref().is_some_and(|(_, walk)| walk.is_over)
    }

    /// Read another piece; returns its cut points.
    pub fn feed(&mut self, piece: &[u8]) -> Vec<CutPoint> {
        self.read(piece, false)
    }

    /// Read a piece; with `is_whole` it determines its encoding, however short it is.
    fn read(&mut self, piece: &[u8], is_whole: bool) -> Vec<CutPoint> {
        let mut cuts = Vec::new();
        if self.is_over() || !self.take_in(piece, is_whole) {
            return cuts;
        }
        let Some((mut lexer, mut walk)) = self.reading.take() else { return cuts };
        let text = std::mem::take(&mut self.text);
        let (mut read, mut counted, mut last_end) = (0, 0, 0);
        while !walk.is_over {
            let Some((markup, place)) = lexer.next(&text, &mut read) else { break };
            last_end = place.end;
            if walk.tell(markup, &text[place.start..place.end]) {
                self.pass(&text[counted..place.start], &walk);
                counted = place.start;
                self.item = (self.offset, self.lines.line);
                if self.offset >= self.due {
                    self.due = self.after(self.offset);
                    cuts.push(CutPoint::here(self.offset, self.lines.line, &walk));
                }
            }
        }
        if last_end > 0 {
            self.pass(&text[counted..last_end], &walk);
            counted = last_end;
            self.tag_end = (self.offset, self.lines.line);
        }
        self.pass(&text[counted..read], &walk);
        self.text = text;
        self.text.drain(..read);
        let most = self.limits.text_characters.saturating_mul(4).max(SMALL_TOKEN);
        walk.is_over |= self.text.len() > most;
        self.reading = Some((lexer, walk));
        cuts
    }

    /// Decode a piece; returns whether the encoding is known.
    fn take_in(&mut self, piece: &[u8], is_whole: bool) -> bool {
        let Some((_, walk)) = &mut self.reading else {
            self.raw.extend_from_slice(piece);
            let Some((coding, mark)) = coding(&self.raw, is_whole) else { return false };
            self.decoder = coding.decoder();
            let mark: Vec<u8> = self.raw.drain(..mark).collect();
            self.offset += mark.len() as u64;
            let walk = Walk::new(self.plan.clone(), self.limits.clone(), coding, mark);
            self.reading = Some((Lexer::new(coding), walk));
            let raw = std::mem::take(&mut self.raw);
            return self.take_in(&raw, is_whole);
        };
        let Some(decoder) = &mut self.decoder else {
            self.text.extend_from_slice(piece);
            return true;
        };
        self.raw.extend_from_slice(piece);
        match decoder.decode(&self.raw, false, &mut self.text) {
            Ok(used) => drop(self.raw.drain(..used)),
            // Nothing after bad bytes is examined.
            Err(_) => walk.is_over = true,
        }
        true
    }

    fn pass(&mut self, text: &[u8], walk: &Walk) {
        self.offset += walk.coding().source_length(text);
        self.lines.pass(text);
    }
}

/// Tokens up to this length are not limited.
pub(super) const SMALL_TOKEN: usize = 1_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(path: &str) -> Scope {
        path.split('/').map(|name| (false, Some(String::new()), Some(name.to_string()))).collect()
    }

    fn cuts(text: &[u8], target: u64, piece: usize) -> Vec<CutPoint> {
        let mut finder = CutFinder::new(&[scope("r/g/i")], target, Limits::default());
        text.chunks(piece).flat_map(|part| finder.feed(part)).collect()
    }

    #[test]
    fn before_each_item() {
        let text = b"<r a='1'>\n<g b='>'><i><i/></i>\r<!--<i>--><i/>\r\n<x><i/></x><i/></g><g/><i/></r>";
        let found = cuts(text, 1, 1000);
        let places: Vec<(u64, u64)> = found.iter().map(|cut| (cut.offset, cut.line)).collect();
        assert_eq!(places, [(19, 2), (41, 3), (58, 4)]);
        assert_eq!((&found[0].opening[..], &found[0].closing[..]), (&b"<r a='1'><g b='>'>"[..], &b"</g></r>"[..]));
        for piece in 1..text.len() {
            assert_eq!(cuts(text, 1, piece), found);
        }
    }

    #[test]
    fn going_on_after_any_cut() {
        let text = "<?xml version='1.0'?><!DOCTYPE r [<!ENTITY e 'x'>]><r><g>".to_string()
            + &"<i>text\n</i>".repeat(50)
            + "</g><g><i/></g></r>";
        for target in [1, 7, 40, 100] {
            let all = cuts(text.as_bytes(), target, 64);
            assert!(all.len() > 3);
            for (number, cut) in all.iter().enumerate() {
                let mut finder = CutFinder::new(&[scope("r/g/i")], target, Limits::default());
                finder.resume(cut);
                assert_eq!(finder.feed(&text.as_bytes()[cut.offset as usize..]), all[number + 1..]);
            }
        }
    }

    #[test]
    fn openings_may_be_short() {
        let scopes = [vec![(false, None, Some("r".to_string())), (false, None, Some("i".to_string()))]];
        let mut finder = CutFinder::new(&scopes, 1, Limits::default());
        let (opening, closing) = (b"<r>".to_vec(), b"</r>".to_vec());
        finder.resume(&CutPoint { offset: 70, line: 5, opening, closing, is_before_item: true });
        assert_eq!(finder.feed(b"<i/>\n<i/>").iter().map(|cut| (cut.offset, cut.line)).collect::<Vec<_>>(), [(75, 6)]);
    }

    #[test]
    fn what_follows_the_last_tag_is_still_to_come() {
        for rest in ["<!-- a\n b", "<?p \n\n", "<![CDATA[\n]]", "text &am", "<i", "<!-- c -->\n&"] {
            let text = format!("<r>\n<g>{rest}");
            for piece in 1..text.len() {
                let mut finder = CutFinder::new(&[scope("r/g/i")], 1, Limits::default());
                text.as_bytes().chunks(piece).for_each(|part| drop(finder.feed(part)));
                let (inside, cut) = finder.place();
                assert_eq!((inside, cut.offset, cut.line), (Inside::Nothing, 7, 2), "{rest} {piece}");
            }
        }
    }
}
