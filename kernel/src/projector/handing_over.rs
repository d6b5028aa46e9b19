//! Completes a batch: the next one begins with the open elements, and with all rows of an open item.

use super::{Projector, NO_ITEM};
use crate::rows::Rows;
use crate::table::{Table, TableSpec};
use crate::template::ScanResult;

impl Projector {
    /// Whether there is anything to report.
    pub fn has_news(&self) -> bool {
        self.has_counted || !self.left.is_empty() || !self.rows.record_kinds.is_empty() || !self.rows.taken.is_empty()
    }

    /// The tables abandoned because a record was not decided; at the end of the document, all of them.
    pub fn take_tables(&mut self, is_last: bool) -> Vec<(u32, Table)> {
        let mut found = std::mem::take(&mut self.left);
        if is_last {
            let rest = self.tables.iter_mut().enumerate();
            found.extend(rest.filter_map(|(step, table)| table.take().map(|table| (step as u32, table))));
        }
        found
    }

    /// The definition of a step's table.
    pub fn table_spec(&self, step: u32) -> Option<&TableSpec> {
        match &self.automaton.plan().steps[step as usize].result {
            Some(ScanResult::Table(spec)) => Some(spec),
            _ => None,
        }
    }

    /// Rows repeated in the next batch because of an open item, one that waits for siblings, or siblings.
    pub fn held_rows(&self) -> usize {
        let item = self.open.get(self.first_item).map(|item| item.row);
        let first = item.into_iter().chain(self.siblings.first_row()).min();
        let held = first.map_or(0, |row| self.rows.len() - row as usize);
        (held + self.siblings.size.rows).min(self.rows.len())
    }

    /// Rows added since the last batch.
    pub fn new_rows(&self) -> usize {
        self.rows.len() - self.repeated
    }

    /// The rows and counts so far; the next batch begins with the open elements.
    pub fn take(&mut self) -> (Rows, Vec<u64>) {
        let mut done = std::mem::take(&mut self.rows);
        self.wholes.clear();
        // A text node that is reported by itself belongs to the batch it ends in.
        let is_cut = self.reports_text && self.first_item == NO_ITEM && self.siblings.first_row().is_none();
        let open_text = if is_cut { done.take_open_text() } else { None };
        for element in &self.open[..self.with_rows.min(self.open.len())] {
            done.close(element.row);
        }
        for depth in 0..self.with_rows.min(self.open.len()) {
            let parent = if depth == 0 { 0 } else { self.open[depth - 1].row };
            if depth == self.first_item {
                self.repeat_rest(&done, depth, self.open[depth].row, parent);
                break;
            }
            self.open[depth].row = self.rows.repeat_open(&done, self.open[depth].row, parent);
            self.siblings.repeat_remembered(&mut self.rows, &done, depth, self.open[depth].row);
            if let Some(first) = self.siblings.first_awaiting_in(depth) {
                self.repeat_rest(&done, depth + 1, first, self.open[depth].row);
                break;
            }
        }
        if let Some(text) = open_text {
            self.rows.text(self.open[self.with_rows - 1].row, &text);
        }
        // Siblings that are kept precede the open element.
        self.rows.spine = self.open[..self.with_rows.min(self.open.len())].iter().map(|element| element.row).collect();
        self.repeated = self.rows.len();
        self.has_counted = false;
        let fresh = vec![0; self.counts.len()];
        (done, std::mem::replace(&mut self.counts, fresh))
    }

    /// Repeat all rows from one on; the open elements from a depth on are among them.
    fn repeat_rest(&mut self, done: &Rows, depth: usize, first: u32, parent: u32) {
        let shift = self.rows.repeat_from(done, first, parent);
        for element in &mut self.open[depth.min(self.with_rows)..self.with_rows] {
            element.row = element.row - first + shift;
        }
        for nesting in &mut self.nesting {
            nesting.move_rows(first, shift);
        }
        self.siblings.move_rows(depth, first, shift);
    }
}
