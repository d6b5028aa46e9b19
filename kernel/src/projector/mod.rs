//! Events of the reader projected by a plan: which elements get rows, what is kept of them, what is reported.
//!
//! An element gets its row at its start tag if it is kept for its own sake, and otherwise when something below it is
//! kept, so every row has its true ancestors. The open elements with rows are always the outermost ones.

mod handing_over;
mod late;
mod nesting;
mod records_at_end;
mod resolution;
mod siblings;
mod simple;
mod start_tests;
mod takers;
mod wholes;

pub use simple::Simple;

use self::late::announce;
use self::nesting::Nesting;
use self::siblings::Siblings;
use self::start_tests::Counted;
use self::wholes::{taken_back, TakenBack, Whole};

use rustc_hash::FxHashSet;

use crate::attribute_rules::AttributeKind;
use crate::automaton::{Action, Attributes, Automaton, Move};
use crate::errors::{item_limit, Halt};
use crate::limits::Limits;
use crate::names::Names;
use crate::namespaces::Namespaces;
use crate::plan::{Plan, START};
use crate::predicate_index::Takers;
use crate::rows::{kind, Rows};
use crate::start_tag::Tag;
use crate::table::Table;
use crate::template::ScanResult;

const NO_ROW: u32 = u32::MAX;
const NO_ITEM: usize = usize::MAX;
const MOST_NAMES: usize = 100_000;

struct Open {
    action: u32,
    row: u32,
    name: u32,
}

/// The decision on a start tag.
pub enum Interest {
    /// The element is skipped.
    Nothing,
    /// Only its descendants may matter; `open_at` follows unless it is empty.
    Below {
        /// The number of its action.
        action: u32,
        /// The number of its name.
        name: u32,
    },
    /// The element is open.
    Kept,
}

/// The projection of one document.
#[derive(Default)]
pub struct Projector {
    automaton: Automaton,
    /// The names seen, and those already reported.
    pub names: Names,
    /// The document and the open elements, except skipped ones.
    open: Vec<Open>,
    /// How many of them have rows.
    with_rows: usize,
    /// The outermost one that is reported as a whole.
    first_item: usize,
    /// Depth below a skipped element, which counts as one.
    skipped: usize,
    /// Whether text at this place is kept.
    pub keeps_text: bool,
    collects: bool,
    /// Whether text nodes at this place are reported.
    reports_text: bool,
    /// The state of the automaton at this place.
    state: u32,
    /// Whether elements at this place never matter, whatever their name.
    is_barren: bool,
    /// Whether text nodes of white space alone are left out.
    pub strips_space: bool,
    /// The rows so far.
    pub rows: Rows,
    /// Rows at the start of the batch that repeat the previous one.
    repeated: usize,
    /// For each step, the elements counted.
    pub counts: Vec<u64>,
    /// For each step with a template, the number of complete elements, which numbers them.
    numbers: Vec<u64>,
    has_counted: bool,
    /// Whether templates are written.
    pub writes: bool,
    /// For each step, its table, while the scan decides all its records.
    tables: Vec<Option<Table>>,
    /// Tables returned with the next batch: a record was not decided.
    left: Vec<(u32, Table)>,
    /// For each step, the open elements it reaches, if nesting or late announcement matters.
    nesting: Vec<Nesting>,
    /// For each step whose elements may be written as a whole, what must then be undone.
    taken_back: Vec<Option<TakenBack>>,
    /// The open elements that may be written as a whole, since all of each is in this batch; outermost first.
    wholes: Vec<Whole>,
    /// The counts of positional tests below open elements, outermost first.
    positions: Vec<Counted>,
    /// The takers of each step.
    pub takers: Takers,
    /// Elements that have ended and stay for their siblings, and those that wait for siblings.
    siblings: Siblings,
    /// Codes of elements and attributes for which the document type declares an identifier (true) or a reference to
    /// one.
    pub identifier_rules: FxHashSet<(u32, u32, bool)>,
}

impl Projector {
    /// The projection at the start of a document.
    pub fn new(plan: Plan, strips_space: bool) -> Self {
        Self::with(Automaton::new(plan), Names::default(), strips_space)
    }

    /// The projection of another document: facts about the plan are reused.
    pub fn again(self) -> Self {
        Self::with(self.automaton, self.names.of_next_scan(), self.strips_space)
    }

    /// The projection of another document, with the names of earlier ones.
    pub fn go_on(self) -> Self {
        let mut rows = self.rows;
        rows.clear();
        Self::on(rows, self.automaton, self.names, self.strips_space)
    }

    fn with(automaton: Automaton, names: Names, strips_space: bool) -> Self {
        Self::on(Rows::default(), automaton, names, strips_space)
    }

    /// The projection at the start of a document, on rows of which there are none yet.
    fn on(rows: Rows, automaton: Automaton, names: Names, strips_space: bool) -> Self {
        let (plan, document) = (automaton.plan(), automaton.document);
        let (counts, numbers) = (vec![0; plan.steps.len()], vec![0; plan.steps.len()]);
        let nesting = plan.steps.iter().map(|_| Nesting::default()).collect();
        let tables = plan.steps.iter().map(|step| match &step.result {
            Some(ScanResult::Table(spec)) => Some(Table::new(spec)),
            _ => None,
        });
        let tables = tables.collect();
        let taken_back = taken_back(plan);
        let mut projector = Projector {
            automaton,
            names,
            open: Vec::new(),
            with_rows: 1,
            first_item: NO_ITEM,
            skipped: 0,
            keeps_text: false,
            collects: false,
            reports_text: false,
            state: 0,
            is_barren: false,
            strips_space,
            rows,
            repeated: 1,
            counts,
            numbers,
            has_counted: false,
            writes: false,
            tables,
            left: Vec::new(),
            nesting,
            taken_back,
            wholes: Vec::new(),
            positions: Vec::new(),
            takers: Takers::default(),
            siblings: Siblings::default(),
            identifier_rules: FxHashSet::default(),
        };
        projector.rows.push(kind::DOCUMENT, 0);
        projector.open.push(Open { action: document, row: 0, name: 0 });
        projector.settle();
        projector.note_item();
        projector.report_start(document);
        projector
    }

    /// Whether the place is inside an element that does not matter.
    #[inline(always)]
    pub fn is_skipping(&self) -> bool {
        self.skipped > 0
    }

    /// A start tag, unless something is being skipped.
    pub fn start(&mut self, tag: &Tag<'_>, namespaces: &mut Namespaces, limits: &Limits) -> Result<Interest, Halt> {
        self.end_text();
        if self.is_barren {
            return Ok(Interest::Nothing);
        }
        if self.names.len() > MOST_NAMES {
            self.forget_names(namespaces);
        }
        let name = self.element_name(tag, namespaces)?;
        let state = self.state;
        let number = match self.automaton.next(state, self.names.get(name).class) {
            Move::Action(number) => number,
            Move::Tests(tests) => self.tested(tests, state, tag, namespaces)?,
        };
        let action = self.automaton.action(number);
        if action.skips {
            return Ok(Interest::Nothing);
        }
        if !action.has_row && !action.keeps_text {
            self.count(number);
            return Ok(Interest::Below { action: number, name });
        }
        self.open_at(number, name);
        if self.automaton.action(number).has_row {
            self.add_rows(namespaces);
            self.add_attributes(number, tag, namespaces)?;
            self.note_item();
            self.check_item(limits, tag.at)?;
        }
        self.report_start(number);
        Ok(Interest::Kept)
    }

    /// The content of an element begins.
    #[inline(always)]
    pub fn open_at(&mut self, action: u32, name: u32) {
        self.open.push(Open { action, row: NO_ROW, name });
        self.settle();
        self.enter_late(action);
    }

    /// Skip an element that has started, up to its end tag.
    #[inline(always)]
    pub fn skip(&mut self) {
        self.skipped += 1;
        self.keeps_text = false;
    }

    /// An end tag.
    #[inline(always)]
    pub fn end(&mut self, limits: &Limits, at: usize) -> Result<(), Halt> {
        if self.skipped > 0 {
            self.skipped -= 1;
            if self.skipped == 0 {
                self.settle();
            }
            return Ok(());
        }
        self.end_of_interest(limits, at)
    }

    fn end_of_interest(&mut self, limits: &Limits, at: usize) -> Result<(), Halt> {
        self.end_text();
        self.close();
        self.settle();
        if self.first_item != NO_ITEM || self.siblings.first_row().is_some() {
            self.check_item(limits, at)?;
        }
        if self.siblings.size.bytes > limits.item_bytes {
            return Err(item_limit(at, self.siblings.size.bytes, limits.item_bytes));
        }
        Ok(())
    }

    /// Close the innermost open element or the document.
    fn close(&mut self) {
        let Some(element) = self.open.pop() else { return };
        self.forget_positions();
        if element.row == NO_ROW {
            self.leave_late(element.action);
            return;
        }
        self.rows.close(element.row);
        self.with_rows = self.open.len();
        self.end_among_siblings(&element);
        if !self.automaton.action(element.action).at_end.is_empty() {
            self.report_end(&element);
        } else if self.first_item == self.open.len() {
            self.first_item = NO_ITEM;
        }
    }

    /// Set the state after a tag, by the innermost open element.
    #[inline(always)]
    fn settle(&mut self) {
        if let Some(last) = self.open.last() {
            let action = self.automaton.action(last.action);
            self.state = action.state;
            self.is_barren = action.is_barren;
            self.keeps_text = action.keeps_text;
            self.collects = action.collects;
            self.reports_text = !action.texts.is_empty();
        }
    }

    /// The end of the document.
    pub fn end_document(&mut self) {
        self.end_text();
        self.close();
    }

    /// Characters, if text is kept.
    #[inline(always)]
    pub fn text(&mut self, text: &[u8], limits: &Limits, at: usize) -> Result<(), Halt> {
        let parent = self.open[self.with_rows - 1].row;
        if self.collects {
            self.rows.collect(parent, text);
        } else {
            self.rows.text(parent, text);
        }
        self.rows.check_text(limits.text_characters, at)
    }

    /// Text after this belongs to another node.
    #[inline(always)]
    pub fn end_text(&mut self) {
        let has_ended = if self.strips_space { self.rows.end_text_without_space() } else { self.rows.end_text() };
        if has_ended && self.reports_text {
            self.report_leaf(kind::TEXT);
        }
    }

    /// A comment, or with a target a processing instruction.
    pub fn leaf(&mut self, target: Option<&[u8]>, content: &[u8], namespaces: &mut Namespaces) -> Result<(), Halt> {
        if self.skipped > 0 {
            return Ok(());
        }
        self.end_text();
        let Some(last) = self.open.last() else { return Ok(()) };
        if !self.automaton.action(last.action).keeps_comments {
            return Ok(());
        }
        let parent = last.row;
        let code = match target {
            None => kind::COMMENT,
            Some(target) => {
                // A name without namespace, like that of an attribute without prefix.
                let name = self.attribute_name(target, 0, 0, namespaces)?;
                self.names.tell(name).0 << 3 | kind::INSTRUCTION
            }
        };
        self.rows.push_value(code, parent, content);
        self.report_leaf(code & 7);
        Ok(())
    }

    // --- rows

    /// Give the innermost open element its row, after its ancestors without rows.
    #[inline(always)]
    fn add_rows(&mut self, namespaces: &Namespaces) {
        for depth in self.with_rows..self.open.len() {
            let parent = self.open[depth - 1].row;
            let (told, is_unusual) = self.names.tell(self.open[depth].name);
            let row = self.rows.push(told << 3 | kind::ELEMENT, parent);
            self.open[depth].row = row;
            if is_unusual {
                self.rows.prefixed.push((row, self.names.get(self.open[depth].name).prefix.clone()));
            }
            if let Some(declared) = namespaces.declared_at(depth) {
                self.rows.declared.push((row, declared));
            }
        }
        self.with_rows = self.open.len();
    }

    #[inline(always)]
    fn add_attributes(&mut self, action: u32, tag: &Tag<'_>, namespaces: &mut Namespaces) -> Result<(), Halt> {
        if tag.attributes.is_empty() || self.automaton.action(action).attributes == Attributes::Nothing {
            return Ok(());
        }
        let parent = self.rows.len() as u32 - 1;
        for attribute in tag.attributes {
            if attribute.is_declaration {
                continue;
            }
            let name = self.attribute_name(tag.attribute_name(attribute), attribute.colon, tag.at, namespaces)?;
            let resolved = self.names.get(name);
            if let Attributes::Some(classes) = &self.automaton.action(action).attributes {
                if !classes.contains(&resolved.attribute_class) {
                    continue;
                }
            }
            let is_xml_id = resolved.is_xml_id;
            let (told, is_unusual) = self.names.tell(name);
            let code = told << 3 | kind::ATTRIBUTE;
            if matches!(attribute.kind, AttributeKind::Id | AttributeKind::Idref) {
                let rule = (self.rows.codes[parent as usize], code, attribute.kind == AttributeKind::Id);
                self.identifier_rules.insert(rule);
            }
            let value = tag.value(attribute);
            let row = if is_xml_id {
                self.rows.push_value(code, parent, &collapsed(value))
            } else {
                self.rows.push_value(code, parent, value)
            };
            if is_unusual {
                self.rows.prefixed.push((row, self.names.get(name).prefix.clone()));
            }
        }
        Ok(())
    }

    // --- reports

    fn report_start(&mut self, number: u32) {
        let Action { counted, .. } = self.automaton.action(number);
        for &step in counted {
            self.counts[step as usize] += 1;
            self.has_counted = true;
        }
        let place = self.open.len() - 1;
        for at in 0..self.automaton.action(number).at_start.len() {
            let step = self.automaton.action(number).at_start[at];
            announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place);
            self.enter_whole(step, self.open[place].row);
            self.rows.record(START, step, self.open[place].row);
        }
        if !self.automaton.action(number).nesting.is_empty() {
            self.enter_nesting(number);
        }
        self.enter_among_siblings(number);
    }

    fn note_item(&mut self) {
        let place = self.open.len() - 1;
        let action = self.automaton.action(self.open[place].action);
        // The document's element has no siblings.
        if self.first_item == NO_ITEM && (action.is_item || action.holds && place > 1) {
            self.first_item = place;
        }
    }

    #[inline(always)]
    fn check_item(&self, limits: &Limits, at: usize) -> Result<(), Halt> {
        let awaiting = self.siblings.first_row();
        let row = match self.open.get(self.first_item) {
            Some(item) if self.first_item > 0 => item.row.min(awaiting.unwrap_or(item.row)),
            _ => match awaiting {
                Some(row) => row,
                None => return Ok(()),
            },
        };
        let actual = self.rows.bytes_from(row);
        if actual > limits.item_bytes {
            return Err(item_limit(at, actual, limits.item_bytes));
        }
        Ok(())
    }
}

/// A value normalised like xs:NCName: no surrounding white space, single spaces inside.
fn collapsed(value: &[u8]) -> Vec<u8> {
    let words = value.split(|&byte| crate::characters::is_space(byte)).filter(|word| !word.is_empty());
    words.collect::<Vec<&[u8]>>().join(&b' ')
}
