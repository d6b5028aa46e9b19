//! The projection's part of the fast path: elements without attributes, with a known name and nothing to report.

use super::{Open, Projector};
use crate::automaton::Move;
use crate::errors::Halt;
use crate::limits::Limits;
use crate::name_key::NameKey;
use crate::namespaces::Namespaces;
use crate::rows::kind;

/// The decision on a start tag without attributes, in simple cases.
#[derive(Clone, Copy, Debug)]
pub enum Simple {
    /// The element is skipped.
    Nothing,
    /// Only its descendants may matter.
    Below {
        /// The number of its action.
        action: u32,
        /// The number of its name.
        name: u32,
    },
    /// The element is kept, perhaps with the text in it.
    Row {
        /// The number of its name in the table for Python.
        told: u32,
        /// Whether its text is kept.
        keeps_text: bool,
    },
    /// The element is reported once it is complete.
    Record {
        /// The number of its action.
        action: u32,
        /// The number of its name.
        name: u32,
        /// The number of its name in the table for Python.
        told: u32,
    },
    /// It is not that simple.
    Other,
}

impl Projector {
    /// Whether nothing at this place matters.
    #[inline(always)]
    pub fn passes_over_all(&self) -> bool {
        self.skipped > 0 || self.is_barren
    }

    /// The state of the automaton at this place.
    #[inline(always)]
    pub fn state(&self) -> u32 {
        self.state
    }

    /// Whether an element here can get its row at once.
    #[inline(always)]
    pub fn has_rows_around(&self) -> bool {
        self.with_rows == self.open.len()
    }

    /// Decide on a start tag without attributes; nothing is changed.
    #[inline(always)]
    pub fn simple_start(&mut self, key: NameKey, namespaces: &Namespaces) -> Simple {
        let Some(name) = namespaces.known_element(key, b"") else { return Simple::Other };
        let number = match self.automaton.next(self.state, self.names.get(name).class) {
            Move::Action(number) => number,
            Move::Tests(tests) => match self.automaton.bare(tests) {
                Some(number) => number,
                None => return Simple::Other,
            },
        };
        let action = self.automaton.action(number);
        if action.skips {
            return Simple::Nothing;
        }
        if !action.has_row && !action.keeps_text {
            return Simple::Below { action: number, name };
        }
        let (is_row, is_record, keeps_text) = (action.is_plain_row, action.is_record, action.keeps_text);
        if !(is_row || is_record) || self.strips_space {
            return Simple::Other;
        }
        match self.names.tell(name) {
            (_, true) => Simple::Other,
            (told, false) if is_row => Simple::Row { told, keeps_text },
            (told, false) => Simple::Record { action: number, name, told },
        }
    }

    /// Count an element.
    #[inline(always)]
    pub fn count(&mut self, action: u32) {
        for &step in &self.automaton.action(action).counted {
            self.counts[step as usize] += 1;
            self.has_counted = true;
        }
    }

    /// Open an element that is reported once it is complete, if all its ancestors have rows.
    #[inline(always)]
    pub fn open_record(&mut self, action: u32, name: u32, told: u32) {
        self.end_text();
        let parent = self.open[self.open.len() - 1].row;
        let row = self.rows.push(told << 3 | kind::ELEMENT, parent);
        self.open.push(Open { action, row, name });
        self.with_rows = self.open.len();
        self.settle();
        self.enter_late(action);
        self.note_item();
        if !self.automaton.action(action).nesting.is_empty() {
            self.enter_nesting(action);
        }
    }

    /// Add a whole element of which only the text is kept.
    #[inline(always)]
    pub fn simple_row(&mut self, told: u32, text: &[u8], limits: &Limits, at: usize) -> Result<(), Halt> {
        if self.reports_text {
            self.end_text();
        }
        let parent = self.open[self.open.len() - 1].row;
        let row = self.rows.push(told << 3 | kind::ELEMENT, parent);
        if !text.is_empty() {
            self.rows.push_value(kind::TEXT, row, text);
            self.rows.close(row);
            self.rows.check_text(limits.text_characters, at)?;
        }
        self.rows.end_text();
        self.check_item(limits, at)
    }
}
