//! Updates that replace the texts of known regions: `<u:replace of="i" t="5"><q>120</q></u:replace>`.
//!
//! A unit is an element that a loop ranges over, held here as a small document; regions are the texts in it that
//! updates replace. An update of a known region changes the document of its unit, and the template of the loop answers
//! that at once. Anything else ends the run: the caller reads it in another way, and reports the units that it changed.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use crate::escaping::{escape, Place};
use crate::limits::Limits;
use crate::messages::{MessageReader, Outcome};
use crate::simple_updates::{one_update, skip_space, Content, Simple, Update};
use crate::template::Part;

/// A text in the document of a unit.
#[derive(Debug)]
struct Region {
    unit: u32,
    /// Its number for the caller.
    number: u32,
    /// The name of the element around it.
    name: Arc<str>,
    start: u32,
    length: u32,
}

#[derive(Debug, Default)]
struct Unit {
    document: Vec<u8>,
    ids: Box<[Arc<str>]>,
    /// A digest of the answer, only to detect changes.
    answer: u64,
    items: u64,
}

/// An answered update.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The region, by the caller's number.
    pub number: u32,
    /// Its time, as written.
    pub time: Option<String>,
    /// Its new text.
    pub text: String,
    /// The new answer of its unit, and its number of items; None if it is unchanged.
    pub answer: Option<(String, u64)>,
}

/// A region of a new unit: its id, the name of the element around it, its start and length, and its number.
pub type NewRegion = (String, String, u32, u32, u32);

/// Units and their regions.
pub struct TextUpdates {
    reader: MessageReader,
    regions: HashMap<Arc<str>, Region>,
    names: HashSet<Arc<str>>,
    units: Vec<Unit>,
    free: Vec<u32>,
    text: Vec<u8>,
}

impl TextUpdates {
    /// No units yet; a template of the document node answers them.
    pub fn new(limits: Limits, template: Vec<Part>) -> Self {
        let reader = MessageReader::new(limits, Some(template));
        let (regions, names) = (HashMap::new(), HashSet::new());
        TextUpdates { reader, regions, names, units: Vec::new(), free: Vec::new(), text: Vec::new() }
    }

    /// Add a unit; returns its number and its answer, or None if the template cannot decide it.
    pub fn add(&mut self, mut document: Vec<u8>, regions: Vec<NewRegion>) -> Option<(u32, String, u64)> {
        self.reader.begin();
        let (answer, items) = self.answered(&document)?;
        document.shrink_to_fit();
        let next = u32::try_from(self.units.len()).ok()?;
        let unit = self.free.pop().unwrap_or(next);
        if unit == next {
            self.units.push(Unit::default());
        }
        let mut ids = Vec::with_capacity(regions.len());
        for (id, name, start, length, number) in regions {
            let (id, name) = (Arc::from(id), self.known_name(name));
            self.regions.insert(Arc::clone(&id), Region { unit, number, name, start, length });
            ids.push(id);
        }
        self.units[unit as usize] = Unit { document, ids: ids.into_boxed_slice(), answer: digest(&answer), items };
        Some((unit, String::from_utf8(answer).ok()?, items))
    }

    fn known_name(&mut self, name: String) -> Arc<str> {
        if let Some(known) = self.names.get(name.as_str()) {
            return Arc::clone(known);
        }
        let made: Arc<str> = Arc::from(name);
        self.names.insert(Arc::clone(&made));
        made
    }

    /// A unit has changed in another way, or is gone; returns the ids of its regions.
    pub fn forget(&mut self, unit: u32) -> Vec<String> {
        let ids = std::mem::take(&mut self.units[unit as usize]).ids;
        for id in &ids {
            if self.regions.get(id).is_some_and(|region| region.unit == unit) {
                self.regions.remove(id);
            }
        }
        self.free.push(unit);
        ids.iter().map(ToString::to_string).collect()
    }

    /// The updates of known regions from an index on, and their end. Times never run back before `last`.
    pub fn read(&mut self, data: &[u8], from: usize, simple: Simple<'_>, last: &str) -> (Vec<Told>, usize) {
        self.reader.begin();
        let (mut found, mut at) = (Vec::new(), from);
        let Some(mut now) = moment(last) else { return (found, at) };
        while let Some(update) = one_update(data, skip_space(data, at), simple) {
            let end = update.end;
            let then = match update.time.as_deref().map(moment) {
                None => now,
                Some(Some(then)) if then >= now => then,
                Some(_) => break,
            };
            let Some(told) = self.take(update) else { break };
            now = then;
            found.push(told);
            at = end;
        }
        (found, at)
    }

    fn take(&mut self, update: Update) -> Option<Told> {
        let Update { kind, of, id, time, mut content, .. } = update;
        if kind != "replace" || id.is_some() || content.len() != 1 {
            return None;
        }
        let Some(Content::Element(mut element)) = content.pop() else { return None };
        if !element.attributes.is_empty() || element.id.is_some() || element.content.len() != 1 {
            return None;
        }
        let Some(Content::Text(text)) = element.content.pop() else { return None };
        let region = self.regions.get(of?.as_str())?;
        if *region.name != *element.name {
            return None;
        }
        let (unit, number, start, before) = (region.unit as usize, region.number, region.start, region.length);
        let mut written = std::mem::take(&mut self.text);
        written.clear();
        escape(text.as_bytes(), Place::Content, &mut written);
        let length = u32::try_from(written.len()).ok()?;
        let mut document = std::mem::take(&mut self.units[unit].document);
        let place = start as usize..(start + before) as usize;
        let old: Vec<u8> = document.splice(place, written.iter().copied()).collect();
        self.text = written;
        let answer = self.answered(&document);
        if answer.is_none() {
            document.splice(start as usize..(start + length) as usize, old);
        }
        self.units[unit].document = document;
        let (answer, items) = answer?;
        self.moved(unit, start, before, length);
        let (unit, digest) = (&mut self.units[unit], digest(&answer));
        if unit.answer == digest && unit.items == items {
            return Some(Told { number, time, text, answer: None });
        }
        unit.answer = digest;
        unit.items = items;
        let answer = Some((String::from_utf8(answer).ok()?, items));
        Some(Told { number, time, text, answer })
    }

    /// Move the regions of a unit after one of them has changed its length.
    fn moved(&mut self, unit: usize, start: u32, before: u32, length: u32) {
        for id in &self.units[unit].ids {
            let Some(region) = self.regions.get_mut(id).filter(|region| region.unit as usize == unit) else { continue };
            if region.start == start {
                region.length = length;
            } else if region.start > start {
                region.start = region.start + length - before;
            }
        }
    }

    fn answered(&mut self, document: &[u8]) -> Option<(Vec<u8>, u64)> {
        let mut text = Vec::new();
        match self.reader.read_one(document, true, true, &mut text) {
            Outcome::Written(_, items) => Some((text, items.number)),
            _ => None,
        }
    }
}

/// A number that differs from those of other answers, except with probability 2^-64.
fn digest(answer: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    answer.hash(&mut hasher);
    hasher.finish()
}

/// A number of seconds in its usual spelling; None for other spellings of a time.
fn moment(written: &str) -> Option<(u64, u32)> {
    let (whole, part) = written.split_once('.').unwrap_or((written, "0"));
    let are_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() > 15 || part.len() > 9 || !are_digits(whole) || !are_digits(part) {
        return None;
    }
    Some((whole.parse().ok()?, format!("{part:0<9}").parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_paths::PathStep;
    use crate::template::{Piece, Reach, ValueOf, Values};

    const SIMPLE: Simple<'_> = Simple { prefix: b"u", declared: &[], depth: 4, attributes: 4 };

    fn texts() -> TextUpdates {
        let path = ["t", "q"].iter().map(|name| PathStep::child("", name)).collect();
        let reach = Reach { up: 0, path };
        let values = Values { reach, of: ValueOf::String, separator: " ".to_string(), at_most_one: false };
        let mut made = TextUpdates::new(Limits::default(), vec![Part::Piece(Piece::Values(values))]);
        let regions = vec![
            ("i".to_string(), "q".to_string(), 6, 1, 7),
            ("j".to_string(), "q".to_string(), 14, 1, 8),
            ("k".to_string(), "n".to_string(), 22, 1, 9),
        ];
        let found = made.add(b"<t><q>1</q><q>2</q><n>3</n></t>".to_vec(), regions);
        assert_eq!(found, Some((0, "1 2".to_string(), 2)));
        made
    }

    fn read(made: &mut TextUpdates, text: &str) -> (Vec<(u32, Option<String>)>, usize) {
        let (found, end) = made.read(text.as_bytes(), 0, SIMPLE, "3");
        (found.into_iter().map(|told| (told.number, told.answer.map(|answer| answer.0))).collect(), end)
    }

    fn replace(of: &str, name: &str, text: &str, time: &str) -> String {
        format!("<u:replace of='{of}' t='{time}'><{name}>{text}</{name}></u:replace>")
    }

    #[test]
    fn texts_change_the_answer_of_their_unit() {
        let text = [replace("i", "q", "1&lt;0", "3"), replace("j", "q", "", "3.5")];
        let mut made = texts();
        // An element without text is another kind of content.
        assert_eq!(read(&mut made, &text.concat()), (vec![(7, Some("1&lt;0 2".to_string()))], text[0].len()));
        let text =
            [replace("j", "q", "300", "4"), replace("k", "n", "44", "4.25"), replace("k", "n", "4", "5")].concat();
        let expected = vec![(8, Some("1&lt;0 300".to_string())), (9, None), (9, None)];
        assert_eq!(read(&mut made, &text), (expected, text.len()));
        assert_eq!(made.units[0].document, b"<t><q>1&lt;0</q><q>300</q><n>4</n></t>");
    }

    #[test]
    fn anything_else_ends_the_run() {
        for text in [
            replace("x", "q", "1", "4"),
            replace("i", "p", "1", "4"),
            replace("i", "q", "1", "2"),
            replace("i", "q", "1", "2026-01-01T00:00:00Z"),
            "<u:replace of='i' id='l'><q>1</q></u:replace>".to_string(),
            "<u:replace of='i'><q a='1'>1</q></u:replace>".to_string(),
            "<u:remove of='i'/>".to_string(),
            "<u:clock t='9'/>".to_string(),
        ] {
            assert_eq!(read(&mut texts(), &text), (vec![], 0), "{text}");
        }
    }

    #[test]
    fn what_was_forgotten_is_not_known() {
        let mut made = texts();
        assert_ne!(read(&mut made, &replace("j", "q", "5", "4")).1, 0);
        assert_eq!(made.forget(0), ["i", "j", "k"]);
        assert_eq!(read(&mut made, &replace("j", "q", "6", "4")).1, 0);
    }
}
