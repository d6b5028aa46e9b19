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
use crate::memory;
use crate::messages::{MessageReader, Outcome};
use crate::simple_updates::{one_update, skip_space, Content, Simple, Update};
use crate::template::Part;
use crate::unit_rows::{Rows, UnitRows};

/// Versions that a step chooses: `quote#1` is `p/quote` in the document of a unit, where `p` stands behind the newest one.
#[derive(Clone, Debug)]
pub struct Chosen {
    /// The name of the element around them.
    pub around: String,
    /// Of which elements.
    pub name: String,
    /// The first of them, counted from the newest.
    pub from: usize,
    /// The last of them.
    pub to: usize,
}

/// A text in the document of a unit.
#[derive(Debug)]
struct Region {
    unit: u32,
    /// Its number for the caller.
    number: u32,
    /// The name of the element around it.
    name: Arc<str>,
    /// Of what is written of it in the document: of the text alone, or of all its versions.
    start: u32,
    length: u32,
    /// Where earlier versions are chosen: all that are kept, the newest first, as they are written.
    versions: Vec<Box<[u8]>>,
}

#[derive(Debug, Default)]
struct Unit {
    document: Vec<u8>,
    ids: Box<[Arc<str>]>,
    /// A digest of the answer, only to detect changes.
    answer: u64,
}

/// What a unit gives.
#[derive(Debug, PartialEq, Eq)]
pub struct Answer {
    /// As it is written.
    pub text: String,
    /// How many items that is.
    pub items: u64,
    /// Whether the first is an atomic value.
    pub is_atomic: bool,
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
    /// What its unit gives now; None where that is what it gave before.
    pub answer: Option<Answer>,
}

/// A region of a new unit: its id, the name of the element around it, where its text starts and how long it is, its number,
/// and its earlier texts, the newest first; None where they are not asked for.
pub type NewRegion = (String, String, u32, u32, u32, Option<Vec<String>>);

/// Units and their regions.
pub struct TextUpdates {
    reader: MessageReader,
    rows: UnitRows,
    chosen: Vec<Chosen>,
    regions: HashMap<Arc<str>, Region>,
    names: HashSet<Arc<str>>,
    units: Vec<Unit>,
    free: Vec<u32>,
}

impl TextUpdates {
    /// No units yet; a template of the document node answers them.
    pub fn new(limits: Limits, template: Vec<Part>, rows: Rows, chosen: Vec<Chosen>) -> Self {
        let reader = MessageReader::new(limits, Some(template));
        let (regions, names) = (HashMap::new(), HashSet::new());
        TextUpdates { reader, rows: UnitRows::new(rows), chosen, regions, names, units: Vec::new(), free: Vec::new() }
    }

    /// A unit, its number and its answer; None where the template cannot decide it. The regions come as they stand in it.
    pub fn add(&mut self, mut document: Vec<u8>, regions: Vec<NewRegion>) -> Option<(u32, Answer)> {
        self.reader.begin();
        let mut known = Vec::with_capacity(regions.len());
        let mut moved = 0;
        for (id, name, start, length, number, past) in regions {
            let (mut start, mut length) = (start as usize + moved, length as usize);
            let mut versions = Vec::new();
            if let Some(past) = past {
                let most = self.most(&name);
                versions.push(document[start..start + length].into());
                versions.extend(past.iter().take(most - 1).map(|text| escaped(text)));
                let written = self.written(&name, &versions);
                // The tags around the text are written as short as can be.
                start -= name.len() + 2;
                let size = length + 2 * name.len() + 5;
                length = written.len();
                moved += length - size;
                document.splice(start..start + size, written);
            }
            let (start, length) = (u32::try_from(start).ok()?, u32::try_from(length).ok()?);
            known.push((id, Region { unit: 0, number, name: self.known_name(name), start, length, versions }));
        }
        let answer = self.answered(&document)?;
        document.shrink_to_fit();
        let next = u32::try_from(self.units.len()).ok()?;
        let unit = self.free.pop().unwrap_or(next);
        if unit == next {
            self.units.push(Unit::default());
        }
        let mut ids = Vec::with_capacity(known.len());
        for (id, region) in known {
            let id: Arc<str> = Arc::from(id);
            self.regions.insert(Arc::clone(&id), Region { unit, ..region });
            ids.push(id);
        }
        self.units[unit as usize] = Unit { document, ids: ids.into_boxed_slice(), answer: digest(&answer) };
        Some((unit, answer))
    }

    fn known_name(&mut self, name: String) -> Arc<str> {
        if let Some(known) = self.names.get(name.as_str()) {
            return Arc::clone(known);
        }
        let made: Arc<str> = Arc::from(name);
        self.names.insert(Arc::clone(&made));
        made
    }

    /// How many versions of elements of a name can be asked for.
    fn most(&self, name: &str) -> usize {
        self.chosen.iter().filter(|one| one.name == name).map(|one| one.to + 1).max().unwrap_or(1)
    }

    /// The element of a region, and the versions of it that are chosen.
    fn written(&self, name: &str, versions: &[Box<[u8]>]) -> Vec<u8> {
        let mut out = Vec::new();
        element(name, &versions[0], &mut out);
        for chosen in self.chosen.iter().filter(|one| one.name == name && one.from < versions.len()) {
            out.extend_from_slice(format!("<{}>", chosen.around).as_bytes());
            for version in &versions[chosen.from..versions.len().min(chosen.to + 1)] {
                element(name, version, &mut out);
            }
            out.extend_from_slice(format!("</{}>", chosen.around).as_bytes());
        }
        out
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
            memory::check();
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
        let of = of?;
        let mut region = self.regions.remove(of.as_str())?;
        let told = if *region.name == *element.name { self.changed(&mut region, &text) } else { None };
        let (id, number) = (self.id_of(&region, &of)?, region.number);
        self.regions.insert(id, region);
        told.map(|answer| Told { number, time, text, answer })
    }

    /// The id of a region, as its unit has it.
    fn id_of(&self, region: &Region, id: &str) -> Option<Arc<str>> {
        self.units[region.unit as usize].ids.iter().find(|one| ***one == *id).map(Arc::clone)
    }

    /// A region has another text: what its unit gives now, if that is something else. None where code must say so; then
    /// nothing has changed.
    #[allow(clippy::option_option)] // undecided, or decided as before
    fn changed(&mut self, region: &mut Region, text: &str) -> Option<Option<Answer>> {
        let new = escaped(text);
        let (unit, start, before) = (region.unit as usize, region.start, region.length);
        let mut versions = Vec::new();
        let written = if region.versions.is_empty() {
            new.into_vec()
        } else {
            let most = self.most(&region.name);
            versions.push(new);
            versions.extend(region.versions.iter().take(most - 1).cloned());
            self.written(&region.name, &versions)
        };
        let length = u32::try_from(written.len()).ok()?;
        let mut document = std::mem::take(&mut self.units[unit].document);
        let place = start as usize..(start + before) as usize;
        let old: Vec<u8> = document.splice(place, written).collect();
        let answer = self.answered(&document);
        if answer.is_none() {
            document.splice(start as usize..(start + length) as usize, old);
        }
        self.units[unit].document = document;
        let answer = answer?;
        (region.length, region.versions) = (length, versions);
        self.moved(unit, start, before, length);
        let (unit, digest) = (&mut self.units[unit], digest(&answer));
        if std::mem::replace(&mut unit.answer, digest) == digest {
            return Some(None);
        }
        Some(Some(answer))
    }

    /// Move the other regions of a unit after one of them has changed its length.
    fn moved(&mut self, unit: usize, start: u32, before: u32, length: u32) {
        if self.units[unit].ids.len() == 1 || before == length {
            return;
        }
        for id in &self.units[unit].ids {
            let Some(region) = self.regions.get_mut(id).filter(|region| region.unit as usize == unit) else { continue };
            if region.start > start {
                region.start = region.start + length - before;
            }
        }
    }

    fn answered(&mut self, document: &[u8]) -> Option<Answer> {
        let mut text = Vec::new();
        match self.reader.read_one(document, true, true, &mut text) {
            Outcome::Written(_, items) if self.rows.takes(&text, items.number) => {
                let (items, is_atomic) = (items.number, items.begins_with_atomic);
                Some(Answer { text: String::from_utf8(text).ok()?, items, is_atomic })
            }
            _ => None,
        }
    }
}

fn escaped(text: &str) -> Box<[u8]> {
    let mut written = Vec::with_capacity(text.len());
    escape(text.as_bytes(), Place::Content, &mut written);
    written.into()
}

fn element(name: &str, text: &[u8], out: &mut Vec<u8>) {
    out.extend_from_slice(format!("<{name}>").as_bytes());
    out.extend_from_slice(text);
    out.extend_from_slice(format!("</{name}>").as_bytes());
}

/// A number that differs from those of other answers, except with probability 2^-64.
fn digest(answer: &Answer) -> u64 {
    let mut hasher = DefaultHasher::new();
    answer.text.hash(&mut hasher);
    answer.items.hash(&mut hasher);
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

    fn path(names: &[&str]) -> Part {
        let path = names.iter().map(|name| PathStep::child("", name)).collect();
        let reach = Reach { up: 0, path };
        let values = Values { reach, of: ValueOf::String, separator: " ".to_string(), at_most_one: false };
        Part::Piece(Piece::Values(values))
    }

    fn region(id: &str, name: &str, start: u32, number: u32) -> NewRegion {
        (id.to_string(), name.to_string(), start, 1, number, None)
    }

    fn texts() -> TextUpdates {
        let mut made = TextUpdates::new(Limits::default(), vec![path(&["t", "q"])], Rows::Items, Vec::new());
        let regions = vec![region("i", "q", 6, 7), region("j", "q", 14, 8), region("k", "n", 22, 9)];
        let found = made.add(b"<t><q>1</q><q>2</q><n>3</n></t>".to_vec(), regions);
        let answer = Answer { text: "1 2".to_string(), items: 2, is_atomic: true };
        assert_eq!(found, Some((0, answer)));
        made
    }

    fn read(made: &mut TextUpdates, text: &str) -> (Vec<(u32, Option<String>)>, usize) {
        let (found, end) = made.read(text.as_bytes(), 0, SIMPLE, "3");
        (found.into_iter().map(|told| (told.number, told.answer.map(|answer| answer.text))).collect(), end)
    }

    #[test]
    fn versions_stand_behind_the_newest_one() {
        let chosen = |around: &str, from, to| Chosen { around: around.to_string(), name: "q".to_string(), from, to };
        let template = vec![path(&["t", "p", "q"]), path(&["t", "o", "q"])];
        let chosen = vec![chosen("p", 1, 1), chosen("o", 0, 2)];
        let mut made = TextUpdates::new(Limits::default(), template, Rows::Items, chosen);
        let (mut first, mut second) = (region("i", "q", 6, 7), region("j", "q", 14, 8));
        (first.5, second.5) = (Some(vec!["<0".to_string()]), Some(Vec::new()));
        let found = made.add(b"<t><q>1</q><q>2</q><n>3</n></t>".to_vec(), vec![first, second]);
        assert_eq!(found.map(|one| one.1.text), Some("&lt;0 1 &lt;0 2".to_string()));
        let text = [replace("j", "q", "33", "4"), replace("i", "q", "5", "4"), replace("i", "q", "66", "4")].concat();
        let texts = ["&lt;0 2 1 &lt;0 33 2", "1 2 5 1 &lt;0 33 2", "5 2 66 5 1 33 2"];
        let expected = [8, 7, 7].into_iter().zip(texts.map(|one| Some(one.to_string()))).collect();
        assert_eq!(read(&mut made, &text), (expected, text.len()));
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
