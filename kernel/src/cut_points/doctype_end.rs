//! The end of a document type declaration (XML 1.0 §2.8), in input that arrives in pieces.

use super::coding::Coding;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Inside {
    #[default]
    Head,
    Subset,
    /// A declaration of the subset.
    Declaration,
    Comment,
    Instruction,
    /// After the subset.
    Tail,
}

/// The state of the search for the end.
#[derive(Default)]
pub struct DoctypeEnd {
    inside: Inside,
    quote: u8,
    /// How much has been examined, from the start of the declaration.
    seen: usize,
    start: Option<usize>,
}

impl DoctypeEnd {
    /// A declaration begins.
    pub fn begin(&mut self) {
        *self = DoctypeEnd { seen: 2, ..DoctypeEnd::default() };
    }

    /// Whether an end was found that nobody has asked for yet.
    #[inline(always)]
    pub fn is_done(&self) -> bool {
        self.start.is_some()
    }

    /// The index where the declaration began.
    pub fn take_start(&mut self) -> usize {
        self.start.take().unwrap_or(0)
    }

    /// Continue the search, from the start of the declaration; if it ends in the data, the place moves to the end.
    pub fn run(&mut self, data: &[u8], place: &mut usize, coding: &Coding) -> bool {
        let mut at = *place + self.seen;
        while at < data.len() {
            let size = if data[at] < 0x80 { 1 } else { coding.paired_length(data[at]) };
            if size > 1 || data[at] >= 0x80 {
                at += size;
            } else if self.quote != 0 {
                if data[at] == self.quote {
                    self.quote = 0;
                }
                at += 1;
            } else {
                match self.step(data, at) {
                    None => break,
                    Some(0) => {
                        self.start = Some(*place);
                        *place = at + 1;
                        return true;
                    }
                    Some(size) => at += size,
                }
            }
        }
        self.seen = at - *place;
        false
    }

    /// The length of the unit at an index; 0 at the end of the declaration, None if not known yet.
    fn step(&mut self, data: &[u8], at: usize) -> Option<usize> {
        let rest = &data[at..];
        match self.inside {
            Inside::Comment => self.until(rest, b"-->"),
            Inside::Instruction => self.until(rest, b"?>"),
            Inside::Subset => self.in_subset(rest),
            Inside::Head | Inside::Declaration | Inside::Tail => {
                match rest[0] {
                    b'"' | b'\'' => self.quote = rest[0],
                    b'>' if self.inside == Inside::Declaration => self.inside = Inside::Subset,
                    b'>' => return Some(0),
                    b'[' if self.inside == Inside::Head => self.inside = Inside::Subset,
                    _ => {}
                }
                Some(1)
            }
        }
    }

    fn in_subset(&mut self, rest: &[u8]) -> Option<usize> {
        match rest[0] {
            b']' => self.inside = Inside::Tail,
            b'<' if rest.len() < 4 && (b"<!--".starts_with(rest) || rest.len() == 1) => return None,
            b'<' if rest.starts_with(b"<!--") => {
                self.inside = Inside::Comment;
                return Some(4);
            }
            b'<' if rest[1] == b'?' => {
                self.inside = Inside::Instruction;
                return Some(2);
            }
            b'<' => self.inside = Inside::Declaration,
            _ => {}
        }
        Some(1)
    }

    fn until(&mut self, rest: &[u8], end: &[u8]) -> Option<usize> {
        if rest.starts_with(end) {
            self.inside = Inside::Subset;
            return Some(end.len());
        }
        if end.starts_with(rest) {
            return None;
        }
        Some(1)
    }
}
