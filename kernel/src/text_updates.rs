//! Updates that replace the texts of known regions: `<u:replace of="i" t="5"><q>120</q></u:replace>`.
//!
//! A unit is an element that a loop ranges over, held here as a small document; regions are the texts in it that
//! updates replace. A unit that looks up others has what it found in its document, so a region may stand in the documents
//! of several units. An update of a known region changes all of these, and the template of the loop answers them at
//! once. Anything else ends the run: the caller reads it in another way, and reports the units that it changed.
//!
//! The caller holds the texts, too. It gets the new ones when it asks for them, before it reads any: most are replaced
//! again before that.

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

/// Where a text stands: what is written of it in a document, the text alone or all its versions.
#[derive(Clone, Copy, Debug)]
struct TextPlace {
    unit: u32,
    start: u32,
    length: u32,
}

/// A text in the documents of units.
#[derive(Debug)]
struct Region {
    /// The id under which updates of it are answered.
    id: Option<Arc<str>>,
    /// The name of the element around it.
    name: Arc<str>,
    first: TextPlace,
    /// Further places: most regions stand in one document.
    others: Vec<TextPlace>,
    /// Where earlier versions are chosen: all that are kept, the newest first, as they are written.
    versions: Vec<Box<[u8]>>,
    /// How many versions the caller keeps.
    most: u32,
    /// The versions that the caller does not have yet, the newest last.
    unwritten: Vec<Version>,
}

/// A text, the number of the update that brought it and of the commit that shows it.
pub type Version = (String, u64, u64);

impl Region {
    fn places(&self) -> impl Iterator<Item = &TextPlace> {
        std::iter::once(&self.first).chain(&self.others)
    }

    fn places_mut(&mut self) -> impl Iterator<Item = &mut TextPlace> {
        std::iter::once(&mut self.first).chain(&mut self.others)
    }

    /// The units in whose documents it stands.
    fn units(&self) -> Vec<u32> {
        let mut units: Vec<u32> = self.places().map(|place| place.unit).collect();
        units.sort_unstable();
        units.dedup();
        units
    }
}

#[derive(Debug, Default)]
struct Unit {
    document: Vec<u8>,
    /// The numbers of the regions in it.
    regions: Box<[u32]>,
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
    /// Its time, as written.
    pub time: Option<String>,
    /// What the units give now that gave something else before.
    pub answers: Vec<(u32, Answer)>,
}

/// A region of a new unit: its number, the name of the element around it, where its text starts and how long it is, and
/// its earlier texts, the newest first, None where they are not asked for; and how many versions the caller keeps.
pub type NewRegion = (u32, String, u32, u32, Option<Vec<String>>, u32);

/// Units and their regions.
pub struct TextUpdates {
    reader: MessageReader,
    rows: UnitRows,
    chosen: Vec<Chosen>,
    /// By the caller's numbers.
    regions: Vec<Option<Region>>,
    /// The regions that are answered, by their ids.
    ids: HashMap<Arc<str>, u32>,
    names: HashSet<Arc<str>>,
    units: Vec<Unit>,
    free: Vec<u32>,
    /// The regions with versions that the caller does not have.
    unwritten: Vec<u32>,
}

impl TextUpdates {
    /// No units yet; a template of the document node answers them.
    pub fn new(limits: Limits, template: Vec<Part>, rows: Rows, chosen: Vec<Chosen>) -> Self {
        let reader = MessageReader::new(limits, Some(template));
        TextUpdates {
            reader,
            rows: UnitRows::new(rows),
            chosen,
            regions: Vec::new(),
            ids: HashMap::new(),
            names: HashSet::new(),
            units: Vec::new(),
            free: Vec::new(),
            unwritten: Vec::new(),
        }
    }

    /// A unit, its number and its answer; None where the template cannot decide it. The regions come as they stand in it.
    pub fn add(&mut self, mut document: Vec<u8>, regions: Vec<NewRegion>) -> Option<(u32, Answer)> {
        self.reader.begin();
        let mut known = Vec::with_capacity(regions.len());
        let mut moved = 0;
        for (number, name, start, length, past, most) in regions {
            let (mut start, mut length) = (start as usize + moved, length as usize);
            let mut versions = Vec::new();
            if let Some(past) = past {
                let most_chosen = self.most(&name);
                versions.push(document[start..start + length].into());
                versions.extend(past.iter().take(most_chosen - 1).map(|text| escaped(text)));
                let written = self.written(&name, &versions);
                // The tags around the text are written as short as can be.
                start -= name.len() + 2;
                let size = length + 2 * name.len() + 5;
                length = written.len();
                moved += length - size;
                document.splice(start..start + size, written);
            }
            let place = TextPlace { unit: 0, start: u32::try_from(start).ok()?, length: u32::try_from(length).ok()? };
            known.push((number, name, place, versions, most));
        }
        let answer = self.answered(&document)?;
        document.shrink_to_fit();
        let next = u32::try_from(self.units.len()).ok()?;
        let unit = self.free.pop().unwrap_or(next);
        if unit == next {
            self.units.push(Unit::default());
        }
        let mut numbers: Vec<u32> = Vec::with_capacity(known.len());
        for (number, name, place, versions, most) in known {
            self.stands(number, name, TextPlace { unit, ..place }, versions, most);
            if !numbers.contains(&number) {
                numbers.push(number);
            }
        }
        self.units[unit as usize] = Unit { document, regions: numbers.into_boxed_slice(), answer: digest(&answer) };
        Some((unit, answer))
    }

    /// A region stands at a place.
    fn stands(&mut self, number: u32, name: String, place: TextPlace, versions: Vec<Box<[u8]>>, most: u32) {
        let name = self.known_name(name);
        let index = number as usize;
        if self.regions.len() <= index {
            self.regions.resize_with(index + 1, || None);
        }
        match &mut self.regions[index] {
            Some(region) => region.others.push(place),
            free => {
                let (others, unwritten) = (Vec::new(), Vec::new());
                *free = Some(Region { id: None, name, first: place, others, versions, most, unwritten });
            }
        }
    }

    /// Answer updates of a region under an id, if it stands in the documents of these units and no others.
    pub fn open(&mut self, id: String, number: u32, units: Vec<u32>) -> bool {
        let Some(region) = self.regions.get(number as usize).and_then(Option::as_ref) else { return false };
        let mut expected = units;
        expected.sort_unstable();
        expected.dedup();
        if region.units() != expected {
            return false;
        }
        self.close(number);
        let id: Arc<str> = Arc::from(id);
        if let Some(before) = self.ids.insert(Arc::clone(&id), number) {
            if let Some(region) = self.regions[before as usize].as_mut() {
                region.id = None;
            }
        }
        if let Some(region) = self.regions[number as usize].as_mut() {
            region.id = Some(id);
        }
        true
    }

    /// No longer answer updates of a region; returns its id.
    pub fn close(&mut self, number: u32) -> Option<String> {
        let id = self.regions.get_mut(number as usize)?.as_mut()?.id.take()?;
        self.ids.remove(&id);
        Some(id.to_string())
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

    /// A unit has changed in another way, or is gone. The regions in it are closed; returns their ids, and the numbers of
    /// those that stand nowhere else.
    pub fn forget(&mut self, unit: u32) -> (Vec<String>, Vec<u32>) {
        let numbers = std::mem::take(&mut self.units[unit as usize]).regions;
        let (mut ids, mut gone) = (Vec::new(), Vec::new());
        for &number in &numbers {
            ids.extend(self.close(number));
            let held = &mut self.regions[number as usize];
            let Some(region) = held.as_mut() else { continue };
            region.others.retain(|place| place.unit != unit);
            if region.first.unit == unit {
                if let Some(other) = region.others.pop() {
                    region.first = other;
                } else {
                    *held = None;
                    gone.push(number);
                }
            }
        }
        self.free.push(unit);
        (ids, gone)
    }

    /// The updates of known regions from an index on, and their end. Times never run back before `last`. The first is
    /// counted as the update and the commit after these.
    pub fn read(
        &mut self,
        data: &[u8],
        from: usize,
        simple: Simple<'_>,
        last: &str,
        counted: (u64, u64),
    ) -> (Vec<Told>, usize) {
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
            let number = found.len() as u64 + 1;
            let Some(told) = self.take(update, (counted.0 + number, counted.1 + number)) else { break };
            now = then;
            found.push(told);
            at = end;
        }
        (found, at)
    }

    /// The versions that the caller does not have, by the numbers of their regions, the newest last.
    pub fn unwritten(&mut self) -> Vec<(u32, Vec<Version>)> {
        let regions = &mut self.regions;
        let versions = |number: u32| match regions.get_mut(number as usize) {
            Some(Some(region)) => std::mem::take(&mut region.unwritten),
            _ => Vec::new(),
        };
        let numbers = std::mem::take(&mut self.unwritten);
        let mut versions = versions;
        numbers.into_iter().map(|number| (number, versions(number))).collect()
    }

    fn take(&mut self, update: Update, counted: (u64, u64)) -> Option<Told> {
        let Update { kind, of, id, time, mut content, .. } = update;
        if kind != "replace" || id.is_some() || content.len() != 1 {
            return None;
        }
        let Some(Content::Element(mut element)) = content.pop() else { return None };
        if !element.attributes.is_empty() || element.id.is_some() || element.content.len() != 1 {
            return None;
        }
        let Some(Content::Text(text)) = element.content.pop() else { return None };
        let number = *self.ids.get(of?.as_str())?;
        let mut region = self.regions[number as usize].take()?;
        let answers = if *region.name == *element.name { self.changed(number, &mut region, &text) } else { None };
        if answers.is_some() {
            if region.unwritten.is_empty() {
                self.unwritten.push(number);
            } else if region.unwritten.len() >= region.most as usize {
                region.unwritten.remove(0);
            }
            region.unwritten.push((text, counted.0, counted.1));
        }
        self.regions[number as usize] = Some(region);
        answers.map(|answers| Told { time, answers })
    }

    /// A region has another text: what the units with it give now, of those that give something else. None where code must
    /// say so; then nothing has changed.
    fn changed(&mut self, number: u32, region: &mut Region, text: &str) -> Option<Vec<(u32, Answer)>> {
        let new = escaped(text);
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
        if region.others.is_empty() {
            let answer = self.changed_alone(region.first, written)?;
            self.moved(number, region, region.first.unit, length);
            region.versions = versions;
            return Some(answer.into_iter().collect());
        }
        let units = region.units();
        let mut found = Vec::with_capacity(units.len());
        for &unit in &units {
            let mut places: Vec<&TextPlace> = region.places().filter(|place| place.unit == unit).collect();
            // From the end, so that those before it stay where they are.
            places.sort_unstable_by_key(|place| std::cmp::Reverse(place.start));
            let mut document = self.units[unit as usize].document.clone();
            for place in places {
                document.splice(place.start as usize..(place.start + place.length) as usize, written.iter().copied());
            }
            let answer = self.answered(&document)?;
            found.push((unit, document, answer));
        }
        let mut answers = Vec::new();
        for (unit, document, answer) in found {
            self.units[unit as usize].document = document;
            self.moved(number, region, unit, length);
            answers.extend(self.another(unit, answer));
        }
        region.versions = versions;
        Some(answers)
    }

    /// The same of a region that stands at one place.
    #[allow(clippy::option_option)] // undecided, or decided as before
    fn changed_alone(&mut self, place: TextPlace, written: Vec<u8>) -> Option<Option<(u32, Answer)>> {
        let (unit, start, length) = (place.unit as usize, place.start as usize, written.len());
        let mut document = std::mem::take(&mut self.units[unit].document);
        let old: Vec<u8> = document.splice(start..start + place.length as usize, written).collect();
        let answer = self.answered(&document);
        if answer.is_none() {
            document.splice(start..start + length, old);
        }
        self.units[unit].document = document;
        Some(self.another(place.unit, answer?))
    }

    /// What a unit gives, if it gave something else.
    fn another(&mut self, unit: u32, answer: Answer) -> Option<(u32, Answer)> {
        let digest = digest(&answer);
        let before = std::mem::replace(&mut self.units[unit as usize].answer, digest);
        (before != digest).then_some((unit, answer))
    }

    /// Move the texts of a unit after one of them, which has its number, got a length wherever it stands.
    fn moved(&mut self, number: u32, changed: &mut Region, unit: u32, length: u32) {
        let is_alone = self.units[unit as usize].regions.len() == 1 && changed.others.is_empty();
        let mut gaps: Vec<(u32, i64)> = Vec::new();
        for place in changed.places_mut().filter(|place| place.unit == unit) {
            gaps.push((place.start, i64::from(length) - i64::from(place.length)));
            place.length = length;
        }
        if is_alone || gaps.iter().all(|(_, difference)| *difference == 0) {
            return;
        }
        let shifted = |start: u32| {
            let before = gaps.iter().filter(|(place, _)| *place < start);
            let by: i64 = before.map(|(_, difference)| *difference).sum();
            u32::try_from(i64::from(start) + by).unwrap_or(start)
        };
        for &other in &self.units[unit as usize].regions {
            let region = if other == number { Some(&mut *changed) } else { self.regions[other as usize].as_mut() };
            for place in region.into_iter().flat_map(Region::places_mut).filter(|place| place.unit == unit) {
                place.start = shifted(place.start);
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

    fn region(name: &str, start: u32, number: u32) -> NewRegion {
        (number, name.to_string(), start, 1, None, 1)
    }

    fn texts() -> TextUpdates {
        let mut made = TextUpdates::new(Limits::default(), vec![path(&["t", "q"])], Rows::Items, Vec::new());
        let regions = vec![region("q", 6, 7), region("q", 14, 8), region("n", 22, 9)];
        let found = made.add(b"<t><q>1</q><q>2</q><n>3</n></t>".to_vec(), regions);
        let answer = Answer { text: "1 2".to_string(), items: 2, is_atomic: true };
        assert_eq!(found, Some((0, answer)));
        for (id, number) in [("i", 7), ("j", 8), ("k", 9)] {
            assert!(made.open(id.to_string(), number, vec![0]));
        }
        made
    }

    fn read(made: &mut TextUpdates, text: &str) -> (Vec<Option<String>>, usize) {
        let (found, end) = made.read(text.as_bytes(), 0, SIMPLE, "3", (10, 20));
        let text = |told: Told| told.answers.into_iter().next().map(|(_, answer)| answer.text);
        (found.into_iter().map(text).collect(), end)
    }

    #[test]
    fn versions_stand_behind_the_newest_one() {
        let chosen = |around: &str, from, to| Chosen { around: around.to_string(), name: "q".to_string(), from, to };
        let template = vec![path(&["t", "p", "q"]), path(&["t", "o", "q"])];
        let chosen = vec![chosen("p", 1, 1), chosen("o", 0, 2)];
        let mut made = TextUpdates::new(Limits::default(), template, Rows::Items, chosen);
        let (mut first, mut second) = (region("q", 6, 7), region("q", 14, 8));
        (first.4, second.4) = (Some(vec!["<0".to_string()]), Some(Vec::new()));
        let found = made.add(b"<t><q>1</q><q>2</q><n>3</n></t>".to_vec(), vec![first, second]);
        assert!(made.open("i".to_string(), 7, vec![0]) && made.open("j".to_string(), 8, vec![0]));
        assert_eq!(found.map(|one| one.1.text), Some("&lt;0 1 &lt;0 2".to_string()));
        let text = [replace("j", "q", "33", "4"), replace("i", "q", "5", "4"), replace("i", "q", "66", "4")].concat();
        let texts = ["&lt;0 2 1 &lt;0 33 2", "1 2 5 1 &lt;0 33 2", "5 2 66 5 1 33 2"];
        assert_eq!(read(&mut made, &text), (texts.map(|one| Some(one.to_string())).to_vec(), text.len()));
    }

    fn replace(of: &str, name: &str, text: &str, time: &str) -> String {
        format!("<u:replace of='{of}' t='{time}'><{name}>{text}</{name}></u:replace>")
    }

    #[test]
    fn texts_change_the_answer_of_their_unit() {
        let text = [replace("i", "q", "1&lt;0", "3"), replace("j", "q", "", "3.5")];
        let mut made = texts();
        // An element without text is another kind of content.
        assert_eq!(read(&mut made, &text.concat()), (vec![Some("1&lt;0 2".to_string())], text[0].len()));
        let text =
            [replace("j", "q", "300", "4"), replace("k", "n", "44", "4.25"), replace("k", "n", "4", "5")].concat();
        let expected = vec![Some("1&lt;0 300".to_string()), None, None];
        assert_eq!(read(&mut made, &text), (expected, text.len()));
        assert_eq!(made.units[0].document, b"<t><q>1&lt;0</q><q>300</q><n>4</n></t>");
    }

    #[test]
    fn the_caller_gets_the_versions_that_it_keeps() {
        let mut made = TextUpdates::new(Limits::default(), vec![path(&["t", "q"])], Rows::Items, Vec::new());
        let mut kept = region("q", 14, 8);
        kept.5 = 2;
        assert!(made.add(b"<t><q>1</q><q>2</q></t>".to_vec(), vec![region("q", 6, 7), kept]).is_some());
        assert!(made.open("i".to_string(), 7, vec![0]) && made.open("j".to_string(), 8, vec![0]));
        let texts = [("j", "3"), ("i", "<&lt;"), ("j", "4"), ("i", "&lt;"), ("j", "5")];
        let text: String = texts.iter().map(|(of, text)| replace(of, "q", text.trim_start_matches('<'), "4")).collect();
        assert_eq!(read(&mut made, &text).1, text.len());
        let version = |text: &str, number: u64| (text.to_string(), 10 + number, 20 + number);
        assert_eq!(made.unwritten(), [(8, vec![version("4", 3), version("5", 5)]), (7, vec![version("<", 4)])]);
        assert_eq!(made.unwritten(), []);
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
        assert_eq!(made.forget(0), (["i", "j", "k"].map(str::to_string).to_vec(), vec![7, 8, 9]));
        assert_eq!(read(&mut made, &replace("j", "q", "6", "4")).1, 0);
    }

    #[test]
    fn a_text_in_several_documents_changes_all_of_them() {
        let mut made = TextUpdates::new(Limits::default(), vec![path(&["t", "q"])], Rows::Items, Vec::new());
        let add = |made: &mut TextUpdates, text: &str, regions| made.add(text.as_bytes().to_vec(), regions).unwrap().0;
        let twice = vec![region("q", 6, 3), region("q", 14, 4), region("q", 22, 3)];
        assert_eq!(add(&mut made, "<t><q>1</q><q>5</q><q>1</q></t>", twice), 0);
        assert_eq!(add(&mut made, "<t><n>x</n><q>1</q></t>", vec![region("q", 14, 3)]), 1);
        assert!(!made.open("i".to_string(), 3, vec![0]));
        assert!(made.open("i".to_string(), 3, vec![1, 0]) && made.open("j".to_string(), 4, vec![0]));
        let all = |made: &mut TextUpdates, text: &str| {
            let (found, _) = made.read(text.as_bytes(), 0, SIMPLE, "3", (0, 0));
            let answers = found.into_iter().flat_map(|told| told.answers);
            answers.map(|(unit, answer)| (unit, answer.text)).collect::<Vec<_>>()
        };
        let text = [replace("i", "q", "222", "4"), replace("j", "q", "", "4")].concat();
        assert_eq!(all(&mut made, &text), [(0, "222 5 222".to_string()), (1, "222".to_string())]);
        let text = [replace("j", "q", "66", "5"), replace("i", "q", "7", "5"), replace("j", "q", "8", "5")].concat();
        let expected = [(0, "222 66 222"), (0, "7 66 7"), (1, "7"), (0, "7 8 7")];
        assert_eq!(all(&mut made, &text), expected.map(|(unit, text)| (unit, text.to_string())));
        // Without one of its documents it is not answered, until it is said again where it stands.
        assert_eq!(made.forget(0), (vec!["i".to_string(), "j".to_string()], vec![4]));
        assert_eq!(all(&mut made, &replace("i", "q", "9", "6")), []);
        assert!(!made.open("i".to_string(), 3, vec![0, 1]) && made.open("i".to_string(), 3, vec![1]));
        assert_eq!(all(&mut made, &replace("i", "q", "9", "6")), [(1, "9".to_string())]);
        assert_eq!((made.close(3), made.close(3)), (Some("i".to_string()), None));
        assert_eq!(made.forget(1), (vec![], vec![3]));
    }
}
