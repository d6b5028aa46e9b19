//! Many small documents, read one after another by one reader, which reuses its knowledge of names.
//!
//! A template writes the answer to a document if it can decide it; else the document is returned as rows. The caller
//! reads malformed documents again, one at a time, to find the error.

use crate::limits::Limits;
use crate::memory;
use crate::plan::Plan;
use crate::row_paths::NamedRows;
use crate::rows::Rows;
use crate::scanner::{Options, Scanner};
use crate::template::{Items, Part};
use crate::template_writer::write_result;

/// Most names kept from one batch to the next: a source that keeps inventing names must not fill memory.
const MOST_NAMES: usize = 20_000;
const UTF_8: &str = "utf-8";

/// A document, and whether it is decoded text, whatever encoding it declares.
pub type Document<'a> = (&'a [u8], bool);

/// The outcome of a document.
pub enum Outcome {
    /// Its answer was written: the end of its text in the batch, and its items.
    Written(usize, Items),
    /// Its rows, with codes of the reader's table; and its identifiers, by codes of element and attribute.
    Read(Box<Rows>, Vec<(u32, u32, bool)>),
    /// It must be read in another way.
    Left,
}

/// The outcomes of some documents, in their order.
#[derive(Default)]
pub struct Outcomes {
    /// One for each.
    pub each: Vec<Outcome>,
    /// The written answers, end to end.
    pub text: Vec<u8>,
}

/// Answers of neighbours, concatenated.
#[derive(Default)]
pub struct Run {
    /// Their text: spaces separate adjacent atomic values.
    pub text: Vec<u8>,
    /// All their items.
    pub items: Items,
}

impl Run {
    fn add(&mut self, text: &[u8], items: Items) {
        if self.items.follow_with(items) {
            self.text.push(b' ');
        }
        self.text.extend_from_slice(text);
    }
}

impl Outcomes {
    /// One more run than there are documents that were not written.
    pub fn runs(&self) -> Vec<Run> {
        let (mut runs, mut run, mut start) = (Vec::new(), Run::default(), 0);
        for outcome in &self.each {
            if let Outcome::Written(end, items) = outcome {
                run.add(&self.text[start..*end], *items);
                start = *end;
            } else {
                runs.push(std::mem::take(&mut run));
            }
        }
        runs.push(run);
        runs
    }
}

/// Reads documents.
pub struct MessageReader {
    /// The shared scanner.
    pub scanner: Scanner,
    template: Option<Vec<Part>>,
    limits: Limits,
}

impl MessageReader {
    /// A reader that answers by a template of the document node, if there is one.
    pub fn new(limits: Limits, template: Option<Vec<Part>>) -> Self {
        MessageReader { scanner: scanner(&limits), template, limits }
    }

    /// Renumber names if there are too many; returns whether they are.
    pub fn begin(&mut self) -> bool {
        let is_full = self.scanner.reader.projector.names.told() > MOST_NAMES;
        if is_full {
            self.renew();
        }
        is_full
    }

    /// Forget all documents so far.
    pub fn renew(&mut self) {
        self.scanner = scanner(&self.limits);
        // A template caches the numbers of its names.
        self.template = self.template.clone();
    }

    /// Read some documents; with `writes`, by the template.
    pub fn read<'a>(&mut self, documents: impl Iterator<Item = Document<'a>>, writes: bool) -> Outcomes {
        let mut outcomes = Outcomes::default();
        for (data, is_text) in documents {
            memory::check();
            let outcome = self.read_one(data, is_text, writes, &mut outcomes.text);
            outcomes.each.push(outcome);
        }
        outcomes
    }

    /// Read one document; append its answer to a text.
    pub(crate) fn read_one(&mut self, data: &[u8], is_text: bool, writes: bool, text: &mut Vec<u8>) -> Outcome {
        if self.scanner.read_next(data, is_text.then(|| UTF_8.to_string())).is_err() {
            return Outcome::Left;
        }
        let projector = &mut self.scanner.reader.projector;
        if let (true, Some(template)) = (writes, &self.template) {
            let before = text.len();
            let named = NamedRows { rows: &projector.rows.columns(), names: &projector.names };
            if let Ok(items) = write_result(template, named, 0, text) {
                return Outcome::Written(text.len(), items);
            }
            text.truncate(before);
        }
        let rules = projector.identifier_rules.drain().collect();
        Outcome::Read(Box::new(std::mem::take(&mut projector.rows)), rules)
    }
}

fn scanner(limits: &Limits) -> Scanner {
    Scanner::new(Plan::everything(), limits.clone(), Options::default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row_paths::PathStep;
    use crate::template::{Declared, Reach, ValueOf};

    fn values(path: &[&str]) -> Vec<Part> {
        let path = path.iter().map(|name| PathStep::child("", name)).collect();
        let reach = Reach { up: 0, path };
        let (of, separator) = (ValueOf::String, " ".to_string());
        vec![Part::Piece(crate::template::Piece::Values(crate::template::Values {
            reach,
            of,
            separator,
            at_most_one: false,
        }))]
    }

    fn read(documents: &[&str], template: Option<Vec<Part>>) -> Outcomes {
        let mut reader = MessageReader::new(Limits::default(), template);
        reader.read(documents.iter().map(|text| (text.as_bytes(), false)), true)
    }

    #[test]
    fn answers_of_documents_stand_one_behind_the_other() {
        let found = read(&["<a><b>1</b><b>2</b></a>", "<a/>", "<a><b>&lt;</b></a>"], Some(values(&["a", "b"])));
        let ends: Vec<(usize, u64)> = found
            .each
            .iter()
            .map(|each| match each {
                Outcome::Written(end, items) => (*end, items.number),
                _ => panic!("not written"),
            })
            .collect();
        assert_eq!(ends, [(3, 2), (3, 0), (7, 1)]);
        assert_eq!(found.text, b"1 2&lt;");
    }

    #[test]
    fn blanks_stand_between_the_atomic_values_of_neighbours() {
        let reach = Reach { up: 0, path: vec![PathStep::child("", "a"), PathStep::child("", "c")] };
        let copies = Part::Copies { reach, below: false, around: Declared::Nothing };
        let template: Vec<Part> = values(&["a", "b"]).into_iter().chain([copies]).collect();
        let documents =
            ["<a><b>1</b></a>", "<a/>", "<a><b>2</b><c/></a>", "<a><b/></a>", "<", "<a><c/></a>", "<a><b/></a>"];
        let runs: Vec<(String, u64, bool, bool)> = read(&documents, Some(template))
            .runs()
            .into_iter()
            .map(|run| (String::from_utf8(run.text).unwrap_or_default(), run.items))
            .map(|(text, items)| (text, items.number, items.begins_with_atomic, items.ends_with_atomic))
            .collect();
        let expected = [("1 2<c/>".to_string(), 4, true, true), ("<c/>".to_string(), 2, false, true)];
        assert_eq!(runs, expected);
    }

    #[test]
    fn nothing_of_a_broken_document_stays() {
        let broken = "<!DOCTYPE a [<!ENTITY e 'x'><!ATTLIST a b CDATA 'd'>]><a xmlns:p='urn:p'><p:b>";
        let found = read(&["<a><b>1</b></a>", broken, "<a><b>2</b></a>", "<a>&e;</a>", "<a><p:b/></a>"], None);
        let kinds: Vec<usize> = found
            .each
            .iter()
            .map(|each| match each {
                Outcome::Read(rows, _) => rows.len(),
                _ => 0,
            })
            .collect();
        assert_eq!(kinds, [4, 0, 4, 0, 0]);
    }

    #[test]
    fn rows_of_a_document_have_its_namespaces_and_identifiers_alone() {
        let declares = "<!DOCTYPE a [<!ATTLIST a i ID #IMPLIED>]><a i='1' xmlns='urn:d'/>";
        let found = read(&[declares, "<a i='1'/>"], None);
        let told: Vec<(usize, usize, u32)> = found
            .each
            .iter()
            .map(|each| match each {
                Outcome::Read(rows, rules) => (rows.declared.len(), rules.len(), rows.codes[1]),
                _ => (9, 9, 9),
            })
            .collect();
        assert_eq!((told[0].0, told[0].1), (1, 1));
        assert_eq!((told[1].0, told[1].1), (0, 0));
        assert_ne!(told[0].2, told[1].2);
    }
}
