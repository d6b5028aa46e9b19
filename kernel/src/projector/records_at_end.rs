//! The end of an element that is reported: its records, or what the scan itself does instead.

use super::late::announce;
use super::{Open, Projector, NO_ITEM};
use crate::names::Names;
use crate::plan::{END, ITEM, TEXT};
use crate::row_paths::NamedRows;
use crate::rows::Rows;
use crate::template::{write_result, Part, ScanResult};
use crate::value_tests::{all, Verdict};

impl Projector {
    /// The last row is a text node that is complete.
    pub(super) fn report_text(&mut self) {
        let Some(element) = self.open.last() else { return };
        let row = self.rows.len() as u32 - 1;
        let place = self.open.len() - 1;
        for &step in &self.automaton.action(element.action).texts {
            match &self.automaton.plan().steps[step as usize].result {
                Some(ScanResult::Tally(_)) => {
                    self.counts[step as usize] += 1;
                    self.has_counted = true;
                    continue;
                }
                _ => announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place),
            }
            match &self.automaton.plan().steps[step as usize].result {
                Some(ScanResult::Template(parts))
                    if self.writes && write_record(&mut self.rows, &self.names, parts, step, row) => {}
                _ => self.rows.record(TEXT, step, row),
            }
        }
    }

    /// The rows of the element are complete.
    pub(super) fn report_end(&mut self, element: &Open) {
        let mut is_reported = false;
        let mut is_spared = false;
        let row = element.row;
        let place = self.open.len();
        for &(kind, step) in &self.automaton.action(element.action).at_end {
            let plan = &self.automaton.plan().steps[step as usize];
            if kind == END {
                if plan.late && !self.nesting[step as usize].leave() {
                    continue;
                }
                announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place);
                self.rows.record(END, step, row);
                is_reported = true;
                continue;
            }
            if plan.nests && self.nesting[step as usize].leave() {
                self.rows.record(ITEM, step, row);
                is_reported = true;
                continue;
            }
            let named = NamedRows { rows: &self.rows, names: &self.names };
            let verdict = all(&plan.value_tests, named, row as usize);
            if verdict == Verdict::Fails {
                is_spared = true;
                continue;
            }
            if verdict == Verdict::Holds {
                match &plan.result {
                    Some(ScanResult::Tally(tally)) => {
                        self.counts[step as usize] += tally.count(named, row as usize);
                        self.has_counted = true;
                        is_spared = true;
                        continue;
                    }
                    Some(ScanResult::Table(spec)) => {
                        if let Some(table) = &mut self.tables[step as usize] {
                            if table.add(spec, named, row as usize).is_ok() {
                                is_spared = true;
                                continue;
                            }
                        }
                    }
                    Some(ScanResult::Template(parts)) => {
                        announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place);
                        if self.writes && write_record(&mut self.rows, &self.names, parts, step, row) {
                            is_spared = true;
                            continue;
                        }
                    }
                    _ => {}
                }
            }
            announce(&self.automaton, &mut self.nesting, &mut self.rows, &self.open, step, place);
            if let Some(table) = self.tables[step as usize].take() {
                self.left.push((step, table));
            }
            self.rows.record(ITEM, step, row);
            is_reported = true;
        }
        if self.first_item == self.open.len() {
            self.first_item = NO_ITEM;
            if is_spared && !is_reported && !self.rows.points_from(row) {
                self.rows.truncate(row);
                // Part of it may have been told before, while it was open.
                self.repeated = self.repeated.min(self.rows.len());
            }
        }
    }
}

/// Write the result of a record instead of reporting it; whether that was possible.
fn write_record(rows: &mut Rows, names: &Names, parts: &[Part], step: u32, row: u32) -> bool {
    let mut out = std::mem::take(&mut rows.written_text);
    let before = out.len();
    let written = write_result(parts, NamedRows { rows, names }, row as usize, &mut out);
    if written.is_err() {
        out.truncate(before);
    }
    rows.written_text = out;
    if let Ok(items) = written {
        rows.record_written(step, row, items);
    }
    written.is_ok()
}
